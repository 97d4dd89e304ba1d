"""From record files of one source to tidy tables, one row a cell (Appendix F)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import read_table
from pairedeval.records import DEVELOPMENT, EVALUATION, RecordBlock, block, read_records
from pairedeval.selective.fixed_coverage import CURVE, fixed_coverage_risk, risk_coverage_curve
from pairedeval.selective.probability_gap import GAP_GROUPS, count_fates, gap_cutpoints, gap_group
from pairedeval.selective.risk_rule import accept, risk_rule_threshold

CURVE_COLUMNS = tuple(f"risk_at_{100 * coverage:g}" for coverage in CURVE)
EXCLUDED = "excluded"


@dataclass(frozen=True)
class ModelHalves:
    """Both halves of the records of one model and source.

    Attributes
    ----------
    keys
        ``source``, ``model`` and ``group``.
    tiers
        Tier of each condition.
    development, evaluation
        Records of the halves.
    place
        What a message calls the records.
    """

    keys: Mapping[str, str]
    tiers: np.ndarray
    development: RecordBlock
    evaluation: RecordBlock
    place: str

    def table(self, **columns: Any) -> pd.DataFrame:
        """Return one row a condition: keys, ``condition``, ``tier`` and further columns."""
        conditions = np.array(self.evaluation.conditions, dtype=object)
        return pd.DataFrame({"condition": conditions, "tier": self.tiers}).assign(**self.keys, **columns)[
            [*self.keys, "condition", "tier", *columns]
        ]


def read_halves(paths: Iterable[str | Path], tiers: pd.DataFrame) -> Iterator[ModelHalves]:
    """Read the record files of one source, one model after the other.

    Parameters
    ----------
    paths
        One record file a model, in the order of the result.
    tiers
        Columns ``condition`` and ``tier`` of this source.

    Raises
    ------
    RecordsError
        If a file cannot be used, lacks a half or has a condition without a tier.
    """
    tier_of = dict(zip(tiers["condition"], tiers["tier"], strict=True))
    for path in paths:
        frame, metadata = read_records(path)
        development, evaluation = (block(frame, split, str(path)) for split in (DEVELOPMENT, EVALUATION))
        untiered = [condition for condition in evaluation.conditions if condition not in tier_of]
        if untiered:
            raise RecordsError(f"{path}: condition {untiered[0]} has no tier; assign tiers from all models' records")
        yield ModelHalves(
            keys={name: str(metadata[name]) for name in ("source", "model", "group")},
            tiers=np.array([tier_of[condition] for condition in evaluation.conditions], dtype=object),
            development=development,
            evaluation=evaluation,
            place=str(path),
        )


def measure_source(paths: Iterable[str | Path], tiers: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute fixed-coverage risks and the risk rule for all models of one source.

    Returns
    -------
    fixed_coverage, risk_rule
        See `measure_fixed_coverage` and `apply_risk_rule`.
    """
    fixed, rule = [], []
    for halves in read_halves(paths, tiers):
        fixed.append(measure_fixed_coverage(halves))
        rule.append(apply_risk_rule(halves))
    return pd.concat(fixed, ignore_index=True), pd.concat(rule, ignore_index=True)


def measure_fixed_coverage(halves: ModelHalves) -> pd.DataFrame:
    """Compute the error rates at fixed coverages in every cell of one model, on evaluation records.

    Returns
    -------
    pandas.DataFrame
        Keys, ``condition``, ``tier`` and shares: ``clean_risk`` and ``perturbed_risk``, the error rates among the most
        confident 80% of each side; ``risk_increase``, their difference; and `CURVE_COLUMNS`, the error rates among the
        most confident part of the perturbed records at each coverage of `fixed_coverage.CURVE`.
    """
    clean, perturbed = halves.evaluation.clean, halves.evaluation.perturbed
    wrong = perturbed.prediction != halves.evaluation.labels
    before = fixed_coverage_risk(clean.confidence, clean.prediction != halves.evaluation.labels)
    after = fixed_coverage_risk(perturbed.confidence, wrong)
    curve = risk_coverage_curve(perturbed.confidence, wrong)
    return halves.table(
        clean_risk=before,
        perturbed_risk=after,
        risk_increase=after - before,
        **dict(zip(CURVE_COLUMNS, curve.T, strict=True)),
    )


def apply_risk_rule(halves: ModelHalves) -> pd.DataFrame:
    """Apply the 5% risk rule of the clean development records in every cell of one model.

    Returns
    -------
    pandas.DataFrame
        Keys, ``condition``, ``tier``, ``threshold`` (NaN where no subset has so few errors, and then all that follows),
        and ``coverage`` and ``risk`` (NaN where nothing is accepted) of ``development_`` (clean), ``clean_`` and
        ``perturbed_`` (evaluation) records, shares.
    """
    development, evaluation = halves.development, halves.evaluation
    sides = {
        "development": (development.clean, development.labels),
        "clean": (evaluation.clean, evaluation.labels),
        "perturbed": (evaluation.perturbed, evaluation.labels),
    }
    fitted = development.clean
    threshold = risk_rule_threshold(fitted.confidence, fitted.prediction != development.labels)
    columns: dict[str, Any] = {"threshold": threshold}
    for side, (records, labels) in sides.items():
        accepted = accept(records.confidence, records.prediction != labels, threshold)
        columns |= {f"{side}_coverage": accepted.coverage, f"{side}_risk": accepted.risk}
    return halves.table(**columns)


def measure_gaps(paths: Iterable[str | Path], image_scores: Sequence[str | Path], tiers: pd.DataFrame) -> pd.DataFrame:
    """Count the fates of clean errors by probability gap for all models of one source of base images.

    Parameters
    ----------
    paths
        One record file a model.
    image_scores
        ``image_scores/<model>.parquet`` of the same models, in the same order; they hold the gaps (``margin``).
    tiers
        Columns ``condition`` and ``tier`` of this source.

    Returns
    -------
    pandas.DataFrame
        Keys, ``condition``, ``tier``, ``gap`` (one of `GAP_GROUPS`, or `EXCLUDED` for all clean errors of a model with
        fewer than six clean development errors) and the counts of `probability_gap.count_fates`.

    Raises
    ------
    RecordsError
        If an image of the records has no gap, or another label there.
    """
    pairs = zip(read_halves(paths, tiers), image_scores, strict=True)
    return pd.concat([_gaps_of_model(halves, scores) for halves, scores in pairs], ignore_index=True)


def _gaps_of_model(halves: ModelHalves, image_scores: str | Path) -> pd.DataFrame:
    scores = read_table(image_scores, columns=["image_id", "label", "margin"]).set_index("image_id")
    development, evaluation = halves.development, halves.evaluation
    wrong = development.clean.prediction != development.labels
    cutpoints = gap_cutpoints(_gaps_of_images(scores, development, image_scores)[wrong])
    if cutpoints is None:
        names: tuple[str, ...] = (EXCLUDED,)
        group = np.zeros(len(evaluation.labels), dtype=int)
    else:
        names = GAP_GROUPS
        group = gap_group(_gaps_of_images(scores, evaluation, image_scores), cutpoints)
    counts = count_fates(evaluation, group, len(names))
    return pd.concat(
        [
            halves.table(gap=name, **{key: count[:, place] for key, count in counts.items()})
            for place, name in enumerate(names)
        ],
        ignore_index=True,
    )


def _gaps_of_images(scores: pd.DataFrame, half: RecordBlock, place: str | Path) -> np.ndarray:
    """Return the gap of each image of a half, shape ``(n,)``."""
    found = scores.reindex(half.image_ids)
    absent = found["margin"].isna().to_numpy()
    if absent.any():
        raise RecordsError(
            f"{place}: no probability gap of image {half.image_ids[np.argmax(absent)]}; summarise the probes of this "
            "model on the same base images"
        )
    other = found["label"].to_numpy() != half.labels
    if other.any():
        raise RecordsError(
            f"{place}: image {half.image_ids[np.argmax(other)]} has another label than in the records; use one table "
            "of images for both"
        )
    gaps: np.ndarray = found["margin"].to_numpy()
    return gaps
