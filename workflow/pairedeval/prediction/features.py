"""Model-level summaries of the responses to synthetic corruptions (Table 42, Appendices H.3 and H.4)."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.prediction.feature_sets import INDEPENDENT, PAIRED, PERMUTED, SUMMARIES, UNPAIRED
from pairedeval.prediction.independent import independent_summaries
from pairedeval.prediction.permuted import REPLICATES, class_permutations, permuted_block
from pairedeval.prediction.selective_risk import selected_errors
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION, RecordBlock, block, read_records
from pairedeval.states import PRIMARY_COVERAGE, acceptance_threshold, cell_metrics, conditional_mean, outcomes

# Syn shares few images with the targets and gives all; base images serve the targets, so their development split only.
SPLITS = {"syn": (DEVELOPMENT, EVALUATION), "syn_b": (DEVELOPMENT,)}
LOG_LOSS_FLOOR = 1e-6


def describe_source(
    paths: Iterable[str | Path],
    splits: Collection[str],
    seed: int,
    coverage: float = PRIMARY_COVERAGE,
    replicates: int = REPLICATES,
) -> pd.DataFrame:
    """Summarise the responses of all models of one synthetic source.

    Parameters
    ----------
    paths
        One record file a model, in the order of the result; all of the same images and conditions.
    splits
        Splits whose images count, such as ``SPLITS["syn_b"]``.
    seed
        Seed of the study, for the permutations.
    coverage
        Share of the clean development records that the acceptance threshold accepts.
    replicates
        Number of permutation replicates.

    Returns
    -------
    pandas.DataFrame
        ``source``, ``model``, ``group``, then the columns of `describe_block`.

    Raises
    ------
    RecordsError
        If a split or the clean condition is missing, or a model has other images or conditions than the first one.
    """
    tables: list[pd.DataFrame] = []
    first: RecordBlock | None = None
    order = np.empty(0)
    for path in paths:
        frame, metadata = read_records(path)
        records, threshold = responses_of(frame, splits, coverage, str(path))
        if first is None:
            first, order = records, class_permutations(records, seed, str(metadata["source"]), replicates)
        elif records.conditions != first.conditions or not np.array_equal(records.image_ids, first.image_ids):
            raise RecordsError(
                f"{path}: other images or conditions than in the first model of the source; infer all models alike"
            )
        tables.append(_with_keys(describe_block(records, threshold, order), metadata))
    return pd.concat(tables, ignore_index=True)


def responses_of(
    frame: pd.DataFrame, splits: Collection[str], coverage: float, place: str = "records"
) -> tuple[RecordBlock, float]:
    """Arrange the images of some splits as one block, with the threshold of clean development records."""
    development = (frame["split"] == DEVELOPMENT) & (frame["condition"] == CLEAN)
    threshold = acceptance_threshold(frame.loc[development, "confidence"].to_numpy(), coverage)
    together = frame[frame["split"].isin(list(splits))].assign(split=DEVELOPMENT)
    return block(together, DEVELOPMENT, place), threshold


def describe_block(records: RecordBlock, threshold: float, order: np.ndarray) -> pd.DataFrame:
    """Compute every feature of one model: per condition, then averaged with equal weights.

    Parameters
    ----------
    records
        Records of one model.
    threshold
        Acceptance threshold tau.
    order
        Permutations within classes, shape ``(replicates, conditions, n)``; see `permuted.class_permutations`.

    Returns
    -------
    pandas.DataFrame
        One row a feature: ``form`` (of `feature_sets.FORMS`), ``replicate`` (from 1 for permuted features, else 0),
        ``feature``, ``value`` (mean over the conditions where it is defined, NaN if nowhere; shares, nats for the log
        loss) and ``undefined`` (number of other conditions).
    """
    metrics = cell_metrics(records, threshold)
    rows = [
        *_means(UNPAIRED, 0, unpaired_summaries(records, threshold)),
        *_means(PAIRED, 0, {name: metrics[name].to_numpy() for name in SUMMARIES}),
        *_means(INDEPENDENT, 0, independent_summaries(records, threshold)),
    ]
    for replicate, permutation in enumerate(order, start=1):
        metrics = cell_metrics(permuted_block(records, permutation), threshold)
        rows += _means(PERMUTED, replicate, {name: metrics[name].to_numpy() for name in SUMMARIES})
    return pd.DataFrame(rows, columns=["form", "replicate", "feature", "value", "undefined"])


def unpaired_summaries(records: RecordBlock, threshold: float) -> dict[str, np.ndarray]:
    """Compute what each side tells without the other.

    Returns
    -------
    dict
        Arrays of shape ``(conditions,)``, clean values repeated: ``clean_accuracy``, ``perturbed_accuracy``,
        ``clean_confidence`` and ``perturbed_confidence`` (mean S and S'), ``clean_correct_probability`` and
        ``perturbed_correct_probability`` (mean M and M' of the side's correct images, NaN without one), ``log_loss``
        (-E[log(max(M', 1e-6))]), ``selective_risk`` (R80), ``accepted_error`` (E_tau) and ``rejected_correct``
        (perturbed records that are correct and rejected).
    """
    judged, clean, perturbed = outcomes(records, threshold), records.clean, records.perturbed
    errors, selected = selected_errors(perturbed.confidence, judged.perturbed_correct)
    found = {
        "clean_accuracy": judged.clean_correct.mean(),
        "perturbed_accuracy": judged.perturbed_correct.mean(axis=1),
        "clean_confidence": clean.confidence.mean(),
        "perturbed_confidence": perturbed.confidence.mean(axis=1),
        "clean_correct_probability": _mean_of(clean.true_class_probability, judged.clean_correct),
        "perturbed_correct_probability": _mean_of(perturbed.true_class_probability, judged.perturbed_correct),
        "log_loss": -np.log(np.maximum(perturbed.true_class_probability, LOG_LOSS_FLOOR)).mean(axis=1),
        "selective_risk": errors / selected,
        "accepted_error": (~judged.perturbed_correct & judged.perturbed_accepted).mean(axis=1),
        "rejected_correct": (judged.perturbed_correct & ~judged.perturbed_accepted).mean(axis=1),
    }
    return {name: np.broadcast_to(values, (len(records.conditions),)) for name, values in found.items()}


def _mean_of(values: np.ndarray, members: np.ndarray) -> np.ndarray:
    return conditional_mean((values * members).sum(axis=-1), members.sum(axis=-1))


def _means(form: str, replicate: int, summaries: Mapping[str, np.ndarray]) -> list[tuple[str, int, str, float, int]]:
    """Average each summary over the conditions where it is defined, and count the others."""
    values = np.stack(list(summaries.values()))
    defined = ~np.isnan(values)
    means = conditional_mean(np.where(defined, values, 0.0).sum(axis=1), defined.sum(axis=1))
    absent = (~defined).sum(axis=1)
    return [(form, replicate, *row) for row in zip(summaries, means.tolist(), absent.tolist(), strict=True)]


def _with_keys(table: pd.DataFrame, metadata: Mapping[str, Any]) -> pd.DataFrame:
    for position, name in enumerate(("source", "model", "group")):
        table.insert(position, name, metadata[name])
    return table
