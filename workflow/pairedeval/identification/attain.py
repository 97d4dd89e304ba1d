"""Matchings that attain the end points: every bound is the value of some feasible correspondence (Section 3.2).

The matchings are built from the definitions of the levels, not from the bounds: whoever recomputes a target from one of
them gets a value that the engine's interval must have as its end.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pairedeval.errors import RecordsError
from pairedeval.identification.classes import Classes, overlap_range
from pairedeval.identification.levels import (
    ACCEPTED_ERROR_TRANSITION,
    CONFIDENCE_DROP,
    FIVE_STATES,
    LOST_ACCEPTANCE,
    MARGINAL,
)
from pairedeval.identification.matchings import ClassSides, join, wrong_block
from pairedeval.records import Predictions, RecordBlock
from pairedeval.states import outcomes, response_states

Gain = tuple[float, float]


def attaining_matching(
    block: RecordBlock, condition: int, threshold: float, target: str, level: str, upper: bool
) -> np.ndarray:
    """Return a feasible correspondence under which H, L or dM_k takes an end point of its interval.

    Parameters
    ----------
    block
        Records of one model; equal positions belong together, which decides what a level keeps.
    condition
        Row of the perturbed side.
    threshold
        Acceptance threshold of both sides.
    target
        Symbol of the target, out of ``H``, ``L`` and ``dM_k``.
    level
        Information level.
    upper
        Whether the upper end is sought.

    Returns
    -------
    numpy.ndarray
        Position of the perturbed partner of each clean record, shape ``(n,)``; `rematched` applies it.

    Raises
    ------
    RecordsError
        If dM_k is undefined because no correspondence has a retained-correct pair.

    Examples
    --------
    The opening example of Section 3.1: exchanging the partners turns one lost acceptance into none.

    >>> clean = Predictions(np.array([0, 0]), np.array([0.9, 0.6]), np.array([0.9, 0.6]))
    >>> perturbed = Predictions(np.array([[0, 1]]), np.array([[0.6, 0.8]]), np.array([[0.6, 0.2]]))
    >>> block = RecordBlock(np.array([0, 0]), np.array(["a", "b"]), ("dark",), clean, perturbed)
    >>> attaining_matching(block, 0, 0.8, "L", "I5", upper=False)
    array([1, 0])
    """
    if target == CONFIDENCE_DROP:
        return _drop_matching(block, condition, level, upper)
    sign = 1.0 if upper else -1.0
    gain = {ACCEPTED_ERROR_TRANSITION: (sign, 0.0), LOST_ACCEPTANCE: (0.0, sign)}[target]
    judged = outcomes(block, threshold)
    # H counts accepted errors, L rejected correct records.
    marked = judged.perturbed_accepted[condition] != judged.perturbed_correct[condition]
    return event_matching(block, condition, threshold, level, marked, gain)


def event_matching(
    block: RecordBlock, condition: int, threshold: float, level: str, marked: np.ndarray, gain: Gain
) -> np.ndarray:
    """Return a correspondence with the largest ``gain[0] * alpha + gain[1] * beta`` at a level.

    Here alpha and beta count the marked wrong and the marked correct perturbed records whose clean partner is correct
    and accepted; see `pairedeval.policies.costs`.

    Parameters
    ----------
    block, condition, threshold, level
        As for `attaining_matching`; the threshold is that of the clean side.
    marked
        Marked perturbed records, bool, shape ``(n,)``.
    gain
        Weights of alpha and beta, of any sign.
    """
    accepted = block.clean.confidence >= threshold
    build = _unrestricted if level == MARGINAL else _fixed_overlap
    return _joined(
        (span, build(sides, accepted[span], marked[span], gain)) for span, sides in _classes(block, condition, level)
    )


def rematched(block: RecordBlock, condition: int, matching: np.ndarray) -> RecordBlock:
    """Return the block with one condition, whose records are paired by a correspondence.

    Examples
    --------
    >>> side = Predictions(np.array([0, 1]), np.array([0.9, 0.6]), np.array([0.9, 0.2]))
    >>> perturbed = Predictions(*(column[None] for column in (side.prediction, side.confidence, side.confidence)))
    >>> block = RecordBlock(np.array([0, 0]), np.array(["a", "b"]), ("dark",), side, perturbed)
    >>> rematched(block, 0, np.array([1, 0])).perturbed.prediction
    array([[1, 0]])
    """
    side = block.perturbed
    columns = (side.prediction, side.confidence, side.true_class_probability)
    perturbed = Predictions(*(column[condition, matching][None] for column in columns))
    return replace(block, conditions=(block.conditions[condition],), perturbed=perturbed)


def _classes(block: RecordBlock, condition: int, level: str) -> Iterator[tuple[slice, ClassSides]]:
    """Yield the place and the sides of each class, with the counts of the observed correspondence."""
    classes, states = Classes.of(block.labels), response_states(block)
    for label, start, size in zip(classes.labels, classes.starts, classes.sizes, strict=True):
        span = slice(start, start + size)
        before, after = block.clean.prediction[span], block.perturbed.prediction[condition, span]
        sides = ClassSides(
            clean_prediction=before,
            perturbed_prediction=after,
            clean_correct=before == label,
            perturbed_correct=after == label,
            overlap=int(states.retained_correct[condition, span].sum()),
            persistent=int(states.persistent_error[condition, span].sum()) if level == FIVE_STATES else None,
        )
        yield span, sides


def _joined(parts: Iterator[tuple[slice, np.ndarray]]) -> np.ndarray:
    return np.concatenate([span.start + partner for span, partner in parts])


def _unrestricted(sides: ClassSides, accepted: np.ndarray, marked: np.ndarray, gain: Gain) -> np.ndarray:
    """Match the accepted correct clean records to the best numbers of marked wrong and marked correct ones."""
    members = np.flatnonzero(sides.clean_correct & accepted)
    wrong, correct = (np.flatnonzero(marked & kind) for kind in (~sides.perturbed_correct, sides.perturbed_correct))
    unmarked = np.flatnonzero(~marked)
    alpha = np.arange(min(len(members), len(wrong)) + 1)
    least, most = overlap_range(np.array(len(correct) + len(unmarked)), len(members) - alpha, np.array(len(correct)))
    beta = most if gain[1] > 0 else least
    # Too few wrong ones leave more members than there are other records.
    value = np.where(len(members) - alpha <= len(correct) + len(unmarked), gain[0] * alpha + gain[1] * beta, -np.inf)
    a, b = alpha[value.argmax()], beta[value.argmax()]
    partners = np.concatenate([wrong[:a], correct[:b], unmarked[: len(members) - a - b]])
    return join(len(marked), (members, partners))


def _fixed_overlap(sides: ClassSides, accepted: np.ndarray, marked: np.ndarray, gain: Gain) -> np.ndarray:
    """Choose the flips and the retained records, then how many accepted clean records go to which of both."""
    block = wrong_block(sides, marked if gain[0] > 0 else ~marked)
    flips = _sought_first(_others(~sides.perturbed_correct, block[1]), marked, gain[0])
    retained = _sought_first(np.flatnonzero(sides.perturbed_correct), marked, gain[1])[: sides.overlap]
    members = np.flatnonzero(sides.clean_correct & accepted)
    rest = np.flatnonzero(sides.clean_correct & ~accepted)
    number = np.arange(max(0, len(members) - len(flips)), min(len(members), len(retained)) + 1)
    alpha, beta = (np.concatenate([[0], np.cumsum(marked[part])]) for part in (flips, retained))
    x = number[np.argmax(gain[0] * alpha[len(members) - number] + gain[1] * beta[number])]
    spare = len(retained) - x
    return join(
        len(marked),
        block,
        (np.concatenate([members[:x], rest[:spare]]), retained),
        (np.concatenate([members[x:], rest[spare:]]), flips),
    )


def _sought_first(records: np.ndarray, marked: np.ndarray, gain: float) -> np.ndarray:
    """Order records so that the first ones meet as many marked ones as possible, or as few if these cost."""
    return records[np.argsort(marked[records] != (gain > 0), kind="stable")]


def _others(members: np.ndarray, taken: np.ndarray) -> np.ndarray:
    return np.setdiff1d(np.flatnonzero(members), taken)


def _drop_matching(block: RecordBlock, condition: int, level: str, upper: bool) -> np.ndarray:
    sign = -1.0 if upper else 1.0
    before = sign * block.clean.true_class_probability
    after = sign * block.perturbed.true_class_probability[condition]
    classes = list(_classes(block, condition, level))
    orders = [_extreme_pairs(sides, before[span], after[span]) for span, sides in classes]
    overlaps = [sides.overlap for _, sides in classes]
    if level == MARGINAL:
        ranges = [_overlaps(sides) for _, sides in classes]
        drops = [
            [float((before[span][clean[:k]] - after[span][perturbed[:k]]).sum()) for k in choice]
            for (span, _), (clean, perturbed), choice in zip(classes, orders, ranges, strict=True)
        ]
        overlaps = _least_ratio(ranges, drops)
    if not sum(overlaps):
        name = block.conditions[condition]
        raise RecordsError(f"condition {name}: no pair is correct on both sides, dM_k is undefined; ask for H or L")
    return _joined(
        (span, _retaining(replace(sides, overlap=k), clean[:k], perturbed[:k]))
        for (span, sides), (clean, perturbed), k in zip(classes, orders, overlaps, strict=True)
    )


def _extreme_pairs(sides: ClassSides, before: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Order the correct records: those that lower the sum of before minus after first."""
    clean, perturbed = np.flatnonzero(sides.clean_correct), np.flatnonzero(sides.perturbed_correct)
    return clean[np.argsort(before[clean], kind="stable")], perturbed[np.argsort(-after[perturbed], kind="stable")]


def _overlaps(sides: ClassSides) -> range:
    """List the feasible numbers of retained-correct pairs."""
    size = np.array(len(sides.clean_correct))
    low, high = overlap_range(size, sides.clean_correct.sum(), sides.perturbed_correct.sum())
    return range(int(low), int(high) + 1)


def _least_ratio(ranges: list[range], drops: list[list[float]]) -> list[int]:
    """Choose one overlap per class so that the mean drop is least, by Dinkelbach's iteration (Appendix A.10)."""
    best: list[int] = []
    chosen, ratio = [choice[-1] for choice in ranges], np.inf
    while sum(chosen):
        total = sum(drop[k - choice[0]] for choice, drop, k in zip(ranges, drops, chosen, strict=True))
        if total / sum(chosen) >= ratio:
            break
        best, ratio = chosen, total / sum(chosen)
        values = [np.array(drop) - ratio * np.array(choice) for choice, drop in zip(ranges, drops, strict=True)]
        chosen = [choice[int(value.argmin())] for choice, value in zip(ranges, values, strict=True)]
    return best


def _retaining(sides: ClassSides, clean: np.ndarray, perturbed: np.ndarray) -> np.ndarray:
    """Complete a correspondence with the given retained-correct pairs."""
    block = wrong_block(sides, np.zeros(len(sides.clean_correct), dtype=bool))
    flips = _others(sides.clean_correct, clean), _others(~sides.perturbed_correct, block[1])
    return join(len(sides.clean_correct), block, (clean, perturbed), flips)
