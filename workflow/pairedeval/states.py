"""Five response states, acceptance, and the metrics of one model under each condition (Tables 1 and 2)."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.records import RecordBlock

PRIMARY_COVERAGE = 0.8
# A share such as 0.7 is meant as seven tenths, not as the binary number next to it.
_LARGEST_DENOMINATOR = 1_000_000


def coverage_rank(coverage: float, records: int) -> int:
    """Return round(coverage * records), halves rounded up: the rank of the last record that is meant to be accepted.

    Appendices D and F. Computed in fractions, because 0.7 * 45 is less than 31.5 in binary arithmetic.

    Examples
    --------
    >>> coverage_rank(0.8, 5), coverage_rank(0.7, 5), coverage_rank(0.7, 45)
    (4, 4, 32)
    """
    share = Fraction(coverage).limit_denominator(_LARGEST_DENOMINATOR)
    return math.floor(share * records + Fraction(1, 2))


def acceptance_threshold(confidence: np.ndarray, coverage: float = PRIMARY_COVERAGE) -> float:
    """Return the lowest confidence among the most confident share `coverage` of the records.

    Appendix F, "Acceptance and ties": predictions with at least this confidence are accepted, so ties at the
    cutoff may raise the accepted share above `coverage`.

    Parameters
    ----------
    confidence
        Confidence S of clean development records, shape ``(n,)``.
    coverage
        Share of these records that is meant to be accepted.

    Raises
    ------
    RecordsError
        If no record is meant to be accepted, or there is none.

    Examples
    --------
    >>> acceptance_threshold(np.array([0.9, 0.5, 0.7, 0.8, 0.6]))
    0.6
    """
    rank = coverage_rank(coverage, len(confidence))
    if not 1 <= rank <= len(confidence):
        raise RecordsError(
            f"coverage {coverage:g} of {len(confidence)} clean development records keeps {rank} of them; "
            "use more records or another coverage"
        )
    return float(np.partition(confidence, len(confidence) - rank)[len(confidence) - rank])


@dataclass(frozen=True)
class Outcomes:
    """Correctness and acceptance of each record, positions as in the `RecordBlock`.

    Attributes
    ----------
    clean_correct, clean_accepted
        C and Z, bool, shape ``(n,)``.
    perturbed_correct, perturbed_accepted
        C' and Z', bool, shape ``(conditions, n)``.
    """

    clean_correct: np.ndarray
    clean_accepted: np.ndarray
    perturbed_correct: np.ndarray
    perturbed_accepted: np.ndarray


def outcomes(block: RecordBlock, threshold: float) -> Outcomes:
    """Judge both sides by the labels and by one acceptance threshold (Section 3.1)."""
    return Outcomes(
        clean_correct=block.clean.prediction == block.labels,
        clean_accepted=block.clean.confidence >= threshold,
        perturbed_correct=block.perturbed.prediction == block.labels,
        perturbed_accepted=block.perturbed.confidence >= threshold,
    )


@dataclass(frozen=True)
class ResponseStates:
    """The five disjoint states of the pairs (Table 1), bool, shape ``(conditions, n)`` each.

    Attributes
    ----------
    harmful_flip
        h: correct, then wrong.
    correction
        r: wrong, then correct.
    persistent_error
        s: the same wrong prediction twice.
    changed_error
        w: two different wrong predictions.
    retained_correct
        k: correct on both sides.
    """

    harmful_flip: np.ndarray
    correction: np.ndarray
    persistent_error: np.ndarray
    changed_error: np.ndarray
    retained_correct: np.ndarray


STATES = tuple(ResponseStates.__dataclass_fields__)


def response_states(block: RecordBlock) -> ResponseStates:
    """Assign every pair of a block to one of the five states."""
    clean = block.clean.prediction == block.labels
    perturbed = block.perturbed.prediction == block.labels
    unchanged = block.perturbed.prediction == block.clean.prediction
    wrong = ~clean & ~perturbed
    return ResponseStates(
        harmful_flip=clean & ~perturbed,
        correction=~clean & perturbed,
        persistent_error=wrong & unchanged,
        changed_error=wrong & ~unchanged,
        retained_correct=clean & perturbed,
    )


def conditional_mean(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Divide totals by counts; the mean of an empty set is undefined (NaN), never zero."""
    mean: np.ndarray = np.divide(total, count, out=np.full(np.shape(total), np.nan), where=count > 0)
    return mean


def mean_difference(before: np.ndarray, after: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Return the mean of ``before - after`` over the members of each condition; NaN where there are none.

    Parameters
    ----------
    before
        Clean scores, shape ``(n,)``.
    after
        Perturbed scores, shape ``(conditions, n)``.
    members
        Pairs to average over, bool, shape ``(conditions, n)``.
    """
    totals = (members * before).sum(axis=1) - (members * after).sum(axis=1)
    return conditional_mean(totals, members.sum(axis=1))


def correlation(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return Pearson's correlation of the clean scores with each condition's; NaN where a side is constant."""
    before = before - before.mean()
    after = after - after.mean(axis=1, keepdims=True)
    scale = np.sqrt((before**2).sum() * (after**2).sum(axis=1))
    return conditional_mean((before * after).sum(axis=1), scale)


def cell_metrics(block: RecordBlock, threshold: float) -> pd.DataFrame:
    """Compute the aggregate metrics and observed targets of every condition (Tables 1 and 2).

    Returns
    -------
    pandas.DataFrame
        One row a condition, shares unless said otherwise: ``condition``, ``n`` and ``overlap`` (counts),
        ``threshold``, ``clean_accuracy`` (a0), ``perturbed_accuracy`` (a1), ``label_change_rate`` (F), the five
        states, ``accepted_error_transition`` (H), ``lost_acceptance`` (L), ``confidence_drop`` (dM_k),
        ``accepted_error`` (E_tau), ``persistent_confidence_decrease`` and ``changed_confidence_decrease`` (ds_s,
        ds_w), ``absolute_confidence_change`` (A), ``confidence_correlation`` (Q), ``clean_coverage`` and
        ``perturbed_coverage``. Means over an empty state are NaN.
    """
    judged = outcomes(block, threshold)
    states = response_states(block)
    clean, perturbed = block.clean, block.perturbed
    columns = {
        "condition": np.array(block.conditions, dtype=object),
        "n": len(block.labels),
        "overlap": states.retained_correct.sum(axis=1),
        "threshold": threshold,
        "clean_accuracy": judged.clean_correct.mean(),
        "perturbed_accuracy": judged.perturbed_correct.mean(axis=1),
        "label_change_rate": (perturbed.prediction != clean.prediction).mean(axis=1),
        **{name: getattr(states, name).mean(axis=1) for name in STATES},
        **observed_targets(block, judged, states),
        "persistent_confidence_decrease": mean_difference(
            clean.confidence, perturbed.confidence, states.persistent_error
        ),
        "changed_confidence_decrease": mean_difference(clean.confidence, perturbed.confidence, states.changed_error),
        "absolute_confidence_change": np.abs(clean.confidence - perturbed.confidence).mean(axis=1),
        "confidence_correlation": correlation(clean.confidence, perturbed.confidence),
        "clean_coverage": judged.clean_accepted.mean(),
        "perturbed_coverage": judged.perturbed_accepted.mean(axis=1),
    }
    return pd.DataFrame(columns)


def observed_targets(block: RecordBlock, judged: Outcomes, states: ResponseStates) -> dict[str, np.ndarray]:
    """Compute H, L, dM_k and E_tau under the observed correspondence (Table 2), shape ``(conditions,)`` each."""
    accepted, still_accepted = judged.clean_accepted, judged.perturbed_accepted
    return {
        "accepted_error_transition": (states.harmful_flip & accepted & still_accepted).mean(axis=1),
        "lost_acceptance": (states.retained_correct & accepted & ~still_accepted).mean(axis=1),
        "confidence_drop": mean_difference(
            block.clean.true_class_probability, block.perturbed.true_class_probability, states.retained_correct
        ),
        "accepted_error": (~judged.perturbed_correct & still_accepted).mean(axis=1),
    }
