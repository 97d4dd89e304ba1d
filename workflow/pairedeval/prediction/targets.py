"""Model-level targets of prediction: counts of evaluation images, pooled over the mild conditions (Appendix H.4)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import read_metadata, read_table
from pairedeval.prediction.selective_risk import selected_errors
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION, block, check_records
from pairedeval.states import PRIMARY_COVERAGE, acceptance_threshold, outcomes
from pairedeval.tiers import MILD


def pool_source(
    paths: Iterable[str | Path], tiers: pd.DataFrame, coverage: float = PRIMARY_COVERAGE, tier: str = MILD
) -> pd.DataFrame:
    """Compute `pool_records` for all models of one recaptured source.

    Parameters
    ----------
    paths
        One record file a model, in the order of the result.
    tiers
        Columns ``condition`` and ``tier`` of this source.
    coverage
        Share of the clean development records that the acceptance threshold accepts.
    tier
        Tier whose conditions are pooled.

    Raises
    ------
    RecordsError
        If no condition is of this tier, or a file lacks a split or a condition.
    """
    conditions = tiers.loc[tiers["tier"] == tier, "condition"].tolist()
    if not conditions:
        raise RecordsError(f"no condition is {tier}; prediction needs at least one, so capture milder conditions")
    tables = []
    for path in paths:
        frame, metadata = read_table(path), read_metadata(path)
        if "condition" in frame:
            frame = frame[frame["condition"].isin([CLEAN, *conditions])]
        check_records(frame, str(path))
        tables.append(pool_records(frame, metadata, conditions, coverage, str(path)))
    return pd.DataFrame(tables)


def pool_records(
    frame: pd.DataFrame,
    metadata: Mapping[str, Any],
    conditions: Iterable[str],
    coverage: float = PRIMARY_COVERAGE,
    place: str = "records",
) -> dict[str, Any]:
    """Pool the evaluation counts of one model over all conditions of its records.

    Parameters
    ----------
    frame
        Checked records of one model: clean ones and the conditions to pool.
    metadata
        Holds ``source``, ``model`` and ``group``.
    conditions
        Conditions that must be there.
    coverage
        As for `pool_source`.
    place
        What a message calls the records.

    Returns
    -------
    dict
        ``source``, ``model``, ``group``, ``conditions`` (number), ``images`` (evaluation images a condition), and the
        targets, shares: ``perturbed_accuracy`` (a1), ``selective_risk`` (R80), ``accepted_error`` (E_tau) and
        ``lost_acceptance`` (L).
    """
    development, evaluation = (block(frame, split, place) for split in (DEVELOPMENT, EVALUATION))
    absent = [condition for condition in conditions if condition not in evaluation.conditions]
    if absent:
        raise RecordsError(f"{place}: no records of condition {absent[0]}; infer it first")
    judged = outcomes(evaluation, acceptance_threshold(development.clean.confidence, coverage))
    errors, selected = selected_errors(evaluation.perturbed.confidence, judged.perturbed_correct)
    accepted_correct = judged.clean_correct & judged.clean_accepted
    lost = accepted_correct & judged.perturbed_correct & ~judged.perturbed_accepted
    return {
        **{name: metadata[name] for name in ("source", "model", "group")},
        "conditions": len(evaluation.conditions),
        "images": len(evaluation.labels),
        "perturbed_accuracy": judged.perturbed_correct.sum() / judged.perturbed_correct.size,
        "selective_risk": errors.sum() / (selected * len(evaluation.conditions)),
        "accepted_error": (~judged.perturbed_correct & judged.perturbed_accepted).sum() / lost.size,
        "lost_acceptance": lost.sum() / lost.size,
    }
