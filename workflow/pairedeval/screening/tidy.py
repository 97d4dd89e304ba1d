"""From responses and records of one source to tidy tables: cells, class draws, subsets of probes, selections, fits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.progress import progress_bar
from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.resampling import CLASS_DRAWS
from pairedeval.screening.grouping import HALVES
from pairedeval.screening.halves import ModelHalves, evaluation_tiers, read_halves
from pairedeval.screening.model_tables import ScoredHalf, cell_table, image_facts, score_half, tercile_table
from pairedeval.screening.probe_choices import measure_subsets, select_probes, selected_sets
from pairedeval.screening.probe_sets import ProbeSets
from pairedeval.screening.tier_draws import TierDraws
from pairedeval.tiers import LOWEST_ACCURACY, MILD


@dataclass(frozen=True)
class ScreeningTables:
    """Tidy results of one source, all with ``source``; metrics are shares, NaN where undefined.

    ``half`` is the half whose images are ranked; what is fitted or chosen for it comes from the other one.

    Attributes
    ----------
    cells
        One row per ``half``, ``images`` (see `grouping`), ``model`` (with ``group``), ``condition`` and ``score``:
        ``tier`` and ``evaluation_tier`` (by development and by evaluation accuracy), ``size`` and ``failures`` (counts
        of images), ``degenerate`` (see `ablation.degenerate`), and the metrics ``auroc`` and ``recall_<percent>``.
    draws
        Means over cells in class draws, all images: rows per ``half``, ``tier_by`` (``development`` or ``evaluation``),
        ``tier``, ``score``, ``metric`` and ``draw``: ``mean`` and ``cells`` (those that stay).
    subsets
        See `probe_choices.measure_subsets`.
    selected
        See `probe_choices.select_probes`, per ``half``.
    fits
        Per ``model`` (with ``group``) and ``half``, see `predictors.fits_table`.
    terciles
        One row per ``model`` (with ``group``), ``condition`` (with ``tier``) and third ``images`` of clean confidence
        on the primary half: ``retention_gap``, see `ablation.retention_gap`.
    images
        One row per ``model`` (with ``group``) and ``half``: ``images`` (clean-correct), ``mean_decrease_correlation``
        (Spearman's, of the risks -U and delta) and ``retention_values`` (number of distinct retention rates).
    """

    cells: pd.DataFrame
    draws: pd.DataFrame
    subsets: pd.DataFrame
    selected: pd.DataFrame
    fits: pd.DataFrame
    terciles: pd.DataFrame
    images: pd.DataFrame


def screen_source(
    responses: Sequence[str | Path],
    image_scores: Sequence[str | Path],
    records: Sequence[str | Path],
    tiers: pd.DataFrame,
    sets: ProbeSets,
    seed: int,
    lowest: Mapping[str, float] = LOWEST_ACCURACY,
    draws: int = CLASS_DRAWS,
) -> ScreeningTables:
    """Screen the images of all models of one source, on either half.

    Parameters
    ----------
    responses, image_scores, records
        One file a model each, the models in the same order.
    tiers
        Columns ``condition`` and ``tier`` of this source, by development accuracy.
    sets
        Probe sets of the study.
    seed
        Seed of the study.
    lowest
        Lowest mean accuracy (share) of the tiers mild and severe, for the tiers by evaluation accuracy.
    draws
        Number of class draws.

    Raises
    ------
    RecordsError
        If the files do not belong together, or a condition has no tier.
    """
    with progress_bar((1 + len(HALVES)) * len(records), "screen", "half") as progress:
        models = []
        for model in read_halves(responses, image_scores, records):
            models.append(model)
            progress.update()
        assigned = {
            DEVELOPMENT: _development_tiers(models[0], tiers),
            EVALUATION: evaluation_tiers(models, lowest),
        }
        screening = _Screening(models, sets, assigned, seed, draws)
        halves = [screening.half(half, progress.update) for half in HALVES]
    tables = {name: pd.concat([half[name] for half in halves if name in half], ignore_index=True) for name in halves[0]}
    tables["subsets"] = measure_subsets(models, sets, screening.mild, seed)
    return ScreeningTables(**{name: _with_keys(table, source=models[0].source) for name, table in tables.items()})


@dataclass(frozen=True)
class _Screening:
    """All models of a source, and what they share.

    Attributes
    ----------
    models, sets, seed, draws
        See `screen_source`.
    tiers
        Tier of each condition, by development and by evaluation accuracy.
    """

    models: Sequence[ModelHalves]
    sets: ProbeSets
    tiers: Mapping[str, Mapping[str, str]]
    seed: int
    draws: int

    @property
    def mild(self) -> list[str]:
        """Conditions that are mild by development accuracy."""
        return [condition for condition in self.models[0].conditions if self.tiers[DEVELOPMENT][condition] == MILD]

    def half(self, half: str, advance: Callable[[], object]) -> dict[str, pd.DataFrame]:
        """Screen one half of all models; returns the tables that have a column ``half``, by name."""
        chosen = select_probes(self.models, self.sets, half)
        drawn = self._class_draws(half)
        parts = []
        for model in self.models:
            scored = score_half(model, half, self.sets, selected_sets(chosen), self.seed)
            drawn.add(scored)
            parts.append(
                {
                    name: _with_keys(table, model=model.model, group=model.group)
                    for name, table in self._model_tables(scored, half).items()
                }
            )
            advance()
        tables = {name: pd.concat([part[name] for part in parts], ignore_index=True) for name in parts[0]}
        tables |= {"draws": drawn.table(), "selected": chosen}
        return {name: _with_keys(table, half=half) for name, table in tables.items()}

    def _class_draws(self, half: str) -> TierDraws:
        """Return empty class draws; only the swapped half is averaged by evaluation accuracy too (Table 24)."""
        first = self.models[0]
        kinds = (DEVELOPMENT,) if half == EVALUATION else (DEVELOPMENT, EVALUATION)
        tiers = {kind: [self.tiers[kind][condition] for condition in first.conditions] for kind in kinds}
        return TierDraws(np.unique(first.halves[half].responses.labels), tiers, self.seed, self.draws)

    def _model_tables(self, scored: ScoredHalf, half: str) -> dict[str, pd.DataFrame]:
        cells = self._with_tiers(cell_table(scored), {"tier": DEVELOPMENT, "evaluation_tier": EVALUATION})
        tables = {"cells": cells, "fits": scored.fits, "images": image_facts(scored)}
        if half == EVALUATION:
            tables["terciles"] = self._with_tiers(tercile_table(scored), {"tier": DEVELOPMENT})
        return tables

    def _with_tiers(self, table: pd.DataFrame, kinds: Mapping[str, str]) -> pd.DataFrame:
        """Add columns of tiers after the condition."""
        tiers = {name: table["condition"].map(self.tiers[kind]) for name, kind in kinds.items()}
        place = list(table.columns).index("condition") + 1
        return table.assign(**tiers)[[*table.columns[:place], *tiers, *table.columns[place:]]]


def _development_tiers(model: ModelHalves, tiers: pd.DataFrame) -> dict[str, str]:
    found = dict(zip(tiers["condition"], tiers["tier"], strict=True))
    untiered = [condition for condition in model.conditions if condition not in found]
    if untiered:
        raise RecordsError(
            f"source {model.source}: condition {untiered[0]} has no tier; assign tiers from all models' records first"
        )
    return found


def _with_keys(table: pd.DataFrame, **keys: str) -> pd.DataFrame:
    """Put constant columns first."""
    return table.assign(**keys)[[*keys, *table.columns]]
