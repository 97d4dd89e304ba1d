"""Tables of one model on one half: its cells, retention gaps within thirds of confidence, and facts of its images."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from pairedeval.records import EVALUATION
from pairedeval.screening.ablation import degenerate, retention_gap
from pairedeval.screening.evaluation import RankedImages, all_images, control_sets, measure, measure_random
from pairedeval.screening.grouping import ALL, METRICS, TERCILES
from pairedeval.screening.halves import ModelHalves
from pairedeval.screening.probe_choices import other_half
from pairedeval.screening.probe_sets import ProbeSets
from pairedeval.screening.responses import Half
from pairedeval.screening.scores import RANDOM, image_risks
from pairedeval.seeds import derive_seed
from pairedeval.states import correlation


@dataclass(frozen=True)
class ScoredHalf:
    """The clean-correct images of one model on one half, with everything that ranks them.

    Attributes
    ----------
    half
        Reduced to its clean-correct images.
    ranked
        Image sets with their risks: all images first, those of the controls on the primary half only.
    fits
        The logistic predictors behind them, see `predictors.fits_table`.
    seed
        Seed of this model, source and half, for random orders.
    """

    half: Half
    ranked: tuple[RankedImages, ...]
    fits: pd.DataFrame
    seed: int


def score_half(
    model: ModelHalves, half: str, sets: ProbeSets, selected: Mapping[str, Sequence[str]], seed: int
) -> ScoredHalf:
    """Compute all risks of one model on one half.

    Parameters
    ----------
    model
        Both halves of the model.
    half
        The half whose images are ranked.
    sets
        Probe sets of the study.
    selected
        See `scores.image_risks`.
    seed
        Seed of the study. The derangements of a model are the same for every source with the same clean-correct images.
    """
    found = image_risks(model.halves[half], model.halves[other_half(half)], sets, selected)
    eligible = model.halves[half].eligible()
    ranked = [all_images(found.scores)]
    if half == EVALUATION:
        ranked += control_sets(found.scores, eligible.responses.labels, derive_seed(seed, model.model, bits=64))
    own_seed = derive_seed(seed, model.source, half, model.model, bits=64)
    return ScoredHalf(eligible, tuple(ranked), found.fits, own_seed)


def cell_table(scored: ScoredHalf) -> pd.DataFrame:
    """Return one row per image set, condition and score, see `tidy.ScreeningTables`; `RANDOM` on all images alone."""
    parts = []
    for ranked in scored.ranked:
        failures = scored.half.failures[:, ranked.images]
        values, names = measure(ranked.risks, failures), list(ranked.risks)
        if ranked.name == ALL:
            order = measure_random(failures, scored.half.conditions, scored.seed)
            values, names = np.concatenate([values, order], axis=1), [*names, RANDOM]
        labels = scored.half.responses.labels[ranked.images]
        columns = {
            "images": ranked.name,
            "condition": np.repeat(np.array(scored.half.conditions, dtype=object), len(names)),
            "score": np.tile(np.array(names, dtype=object), len(failures)),
            "size": len(ranked.images),
            "failures": np.repeat(failures.sum(axis=1), len(names)),
            "degenerate": np.repeat(degenerate(failures, labels), len(names)),
            **dict(zip(METRICS, values.reshape(-1, len(METRICS)).T, strict=True)),
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def tercile_table(scored: ScoredHalf) -> pd.DataFrame:
    """Return one row per third of clean confidence and condition: ``images``, ``condition``, ``retention_gap``."""
    parts = [
        pd.DataFrame(
            {
                "images": ranked.name,
                "condition": scored.half.conditions,
                "retention_gap": retention_gap(
                    -ranked.risks["corruption_mean"], ~scored.half.failures[:, ranked.images]
                ),
            }
        )
        for ranked in scored.ranked
        if ranked.name in TERCILES
    ]
    return pd.concat(parts, ignore_index=True)


def image_facts(scored: ScoredHalf) -> pd.DataFrame:
    """Return one row of the table ``images`` of `tidy.ScreeningTables`, without its keys."""
    risks = scored.ranked[0].risks
    mean, decrease = (rankdata(risks[name]) for name in ("corruption_mean", "confidence_decrease"))
    return pd.DataFrame(
        {
            "images": [len(mean)],
            "mean_decrease_correlation": correlation(mean, decrease[np.newaxis]) if len(mean) else np.nan,
            "retention_values": len(np.unique(risks["retention"])),
        }
    )
