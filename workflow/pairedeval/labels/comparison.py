"""Accuracy, states and events under original and under accepted labels, one row a cell (Tables 47 and 48)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.labels.annotations import Annotations
from pairedeval.labels.cohorts import ACCEPTED, LABELS, ORIGINAL, RETAINED, MatchedRecords, match_annotations
from pairedeval.labels.endpoints import check_endpoints
from pairedeval.records import DEVELOPMENT, EVALUATION, RecordBlock, block, read_records
from pairedeval.states import (
    PRIMARY_COVERAGE,
    STATES,
    acceptance_threshold,
    conditional_mean,
    outcomes,
    response_states,
)

KEYS = ("source", "model", "group")


def compare_source(
    paths: Iterable[str | Path], annotations: Annotations, coverage: float = PRIMARY_COVERAGE
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute `compare_records` for all models of one source.

    Parameters
    ----------
    paths
        One record file a model, in the order of the result.
    annotations, coverage
        As for `compare_records`.
    """
    tables = [compare_records(*read_records(path), annotations, coverage, str(path)) for path in paths]
    cells, endpoints = (pd.concat(parts, ignore_index=True) for parts in zip(*tables, strict=True))
    return cells, endpoints


def compare_records(
    frame: pd.DataFrame,
    metadata: Mapping[str, Any],
    annotations: Annotations,
    coverage: float = PRIMARY_COVERAGE,
    place: str = "records",
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge the evaluation records of one model by original and by accepted labels.

    Both kinds of labels share the acceptance threshold, that of all clean development records.

    Parameters
    ----------
    frame
        Checked records of one model and source.
    metadata
        Holds ``source``, ``model``, ``group`` and ``candidates``.
    annotations
        Accepted labels of at least the evaluation images.
    coverage
        Share of the clean development records that the acceptance threshold accepts.
    place
        What a message calls the records.

    Returns
    -------
    cells
        ``source``, ``model``, ``group``, then the columns of `label_cells`.
    endpoints
        ``source``, ``model``, ``group``, then the columns of `endpoints.check_endpoints`, under accepted labels.
    """
    threshold = acceptance_threshold(block(frame, DEVELOPMENT, place).clean.confidence, coverage)
    matched = match_annotations(block(frame, EVALUATION, place), metadata["candidates"], annotations, place)
    tables = label_cells(matched, threshold), check_endpoints(matched.accepted, threshold)
    keys = {name: metadata[name] for name in KEYS}
    cells, endpoints = (table.assign(**keys)[[*keys, *table.columns]] for table in tables)
    return cells, endpoints


def label_cells(matched: MatchedRecords, threshold: float) -> pd.DataFrame:
    """Describe every condition on every subset of images under both kinds of labels.

    Parameters
    ----------
    matched
        Records of one model, judged in both ways.
    threshold
        Acceptance threshold of both sides.

    Returns
    -------
    pandas.DataFrame
        Rows per ``labels`` (original, accepted), ``subset`` and ``condition``: ``images`` and ``excluded`` (evaluation
        images without an accepted label); as shares of the images ``clean_accuracy``, ``perturbed_accuracy``,
        ``agreement`` (unchanged predictions), the five states, ``retained_equal`` and ``retained_different`` (k by
        whether both predictions agree), ``accepted_error_transition`` (H), ``lost_acceptance`` (L),
        ``moved_harmful_flip`` and ``moved_changed_error`` (pairs in that state by original labels and in another by
        these); ``identity_residual``, by how much Eq. 15 is missed; and ``confidence_drop``, dM_k of the pairs whose
        original label is accepted, since other pairs have no probability of an accepted label. NaN where there is no
        image or no such pair.
    """
    blocks = {ORIGINAL: matched.original, ACCEPTED: matched.accepted}
    return pd.concat(
        [_cells_of(matched, blocks[labels], threshold).assign(labels=labels) for labels in LABELS], ignore_index=True
    )


def _cells_of(matched: MatchedRecords, judged: RecordBlock, threshold: float) -> pd.DataFrame:
    flags = _flags(matched, judged, threshold)
    members = np.stack(list(matched.members.values()), axis=1).astype(np.int64)
    images = members.sum(axis=0)
    counts = {name: flag.astype(np.int64) @ members for name, flag in flags.items()}
    shares = {name: conditional_mean(count, np.broadcast_to(images, count.shape)) for name, count in counts.items()}
    missed = (
        counts["agreement"]
        - counts["perturbed_accuracy"]
        - (counts["persistent_error"] - counts["correction"] - counts["retained_different"])
    )
    shape = (len(judged.conditions), len(images))
    columns = {
        "subset": np.broadcast_to(list(matched.members), shape),
        "condition": np.broadcast_to(np.array(judged.conditions, dtype=object)[:, None], shape),
        "images": np.broadcast_to(images, shape),
        "excluded": np.broadcast_to(matched.excluded, shape),
        **shares,
        "identity_residual": conditional_mean(np.abs(missed), np.broadcast_to(images, shape)),
        "confidence_drop": _confidence_drop(matched, flags["retained_correct"], members),
    }
    return pd.DataFrame({name: values.T.ravel() for name, values in columns.items()})


def _flags(matched: MatchedRecords, judged: RecordBlock, threshold: float) -> dict[str, np.ndarray]:
    """Return what holds for each pair, bool, shape ``(conditions, n)`` each."""
    found, states, before = outcomes(judged, threshold), response_states(judged), response_states(matched.original)
    unchanged = matched.original.perturbed.prediction == matched.original.clean.prediction
    accepted, still_accepted = found.clean_accepted, found.perturbed_accepted
    return {
        "clean_accuracy": np.broadcast_to(found.clean_correct, unchanged.shape),
        "perturbed_accuracy": found.perturbed_correct,
        "agreement": unchanged,
        **{name: getattr(states, name) for name in STATES},
        "retained_equal": states.retained_correct & unchanged,
        "retained_different": states.retained_correct & ~unchanged,
        "accepted_error_transition": states.harmful_flip & accepted & still_accepted,
        "lost_acceptance": states.retained_correct & accepted & ~still_accepted,
        "moved_harmful_flip": before.harmful_flip & ~states.harmful_flip,
        "moved_changed_error": before.changed_error & ~states.changed_error,
    }


def _confidence_drop(matched: MatchedRecords, retained_correct: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return dM_k over the pairs whose original label is accepted, shape ``(conditions, subsets)``."""
    clean, perturbed = matched.original.clean, matched.original.perturbed
    pairs = retained_correct & matched.members[RETAINED]
    change = np.where(pairs, clean.true_class_probability - perturbed.true_class_probability, 0.0)
    return conditional_mean(np.einsum("cn,ns->cs", change, members), pairs.astype(np.int64) @ members)
