"""The bounds of all targets at all information levels, for many conditions at once (Section 3.2, Appendix A)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pairedeval.identification import confidence, events, reference, wrong_block
from pairedeval.identification.class_states import ClassStates, check_states, observed_states, wrong_records
from pairedeval.identification.classes import ClassCounts, Classes, class_counts
from pairedeval.identification.levels import (
    ACCEPTED_ERROR,
    ACCEPTED_ERROR_TRANSITION,
    CONFIDENCE_DROP,
    FIVE_STATES,
    LEVELS,
    LOST_ACCEPTANCE,
    MARGINAL,
    OVERLAP,
    TARGETS,
    Identification,
    Interval,
    TargetBounds,
)
from pairedeval.records import RecordBlock
from pairedeval.states import Outcomes, observed_targets, outcomes, response_states


def identify(block: RecordBlock, threshold: float, levels: Sequence[str] = LEVELS) -> Identification:
    """Bound H, L, dM_k and E_tau where the observed correspondence is known.

    Parameters
    ----------
    block
        Records of one model; equal positions belong together.
    threshold
        Acceptance threshold of both sides.
    levels
        Information levels to compute, out of `LEVELS`.

    Examples
    --------
    The opening example of Section 3.1: two images of class 0, of which the counts do not tell the lost acceptance.

    >>> from pairedeval.records import Predictions
    >>> clean = Predictions(np.array([0, 0]), np.array([0.9, 0.6]), np.array([0.9, 0.6]))
    >>> perturbed = Predictions(np.array([[0, 1]]), np.array([[0.6, 0.8]]), np.array([[0.6, 0.2]]))
    >>> block = RecordBlock(np.array([0, 0]), np.array(["a", "b"]), ("dark",), clean, perturbed)
    >>> lost = identify(block, 0.8).targets["L"].intervals["I5"]
    >>> float(lost.lower[0]), float(lost.upper[0])
    (0.0, 0.5)
    """
    classes = Classes.of(block.labels)
    judged, states = outcomes(block, threshold), response_states(block)
    known = observed_states(classes, states)
    cell = _Cell(block, classes, judged, class_counts(classes, judged))
    seen = observed_targets(block, judged, states)
    observed = {
        ACCEPTED_ERROR_TRANSITION: seen["accepted_error_transition"],
        LOST_ACCEPTANCE: seen["lost_acceptance"],
        CONFIDENCE_DROP: seen["confidence_drop"],
        ACCEPTED_ERROR: seen["accepted_error"],
    }
    return _identify(cell, known, levels, observed)


def identify_separate(block: RecordBlock, threshold: float, known: ClassStates | None = None) -> Identification:
    """Bound the same targets from two sides whose pairing is unknown, with joint counts where supplied.

    Parameters
    ----------
    block
        Both sides sorted by class; positions within a class carry no meaning.
    threshold
        Acceptance threshold of both sides.
    known
        Joint counts per class; they decide which levels are computed.

    Raises
    ------
    RecordsError
        If no correspondence has the supplied counts; the message names the class.
    """
    classes = Classes.of(block.labels)
    judged = outcomes(block, threshold)
    cell = _Cell(block, classes, judged, class_counts(classes, judged))
    if known is None:
        return _identify(cell, None, (MARGINAL,), None)
    check_states(block, classes, judged, known)
    return _identify(cell, known, (MARGINAL, OVERLAP) if known.persistent is None else LEVELS, None)


@dataclass(frozen=True)
class _Cell:
    """A block with everything that is read off its sides separately."""

    block: RecordBlock
    classes: Classes
    judged: Outcomes
    counts: ClassCounts

    def share(self, bounds: events.Range) -> Interval:
        """Sum classwise counts and divide by N."""
        size = len(self.block.labels)
        return Interval(bounds[0].sum(axis=1) / size, bounds[1].sum(axis=1) / size)


def _identify(
    cell: _Cell, known: ClassStates | None, levels: Sequence[str], observed: dict[str, np.ndarray] | None
) -> Identification:
    intervals = {
        ACCEPTED_ERROR_TRANSITION: _accepted_transition(cell, known, levels),
        LOST_ACCEPTANCE: _lost_acceptance(cell, known, levels),
        CONFIDENCE_DROP: _confidence_drop(cell, known, levels),
        ACCEPTED_ERROR: _accepted_error(cell, levels),
    }
    independent = _independent(cell)
    return Identification(
        conditions=cell.block.conditions,
        size=len(cell.block.labels),
        overlap=None if known is None else known.overlap.sum(axis=1),
        targets={
            target: TargetBounds(intervals[target], independent[target], None if observed is None else observed[target])
            for target in TARGETS
        },
    )


def _accepted_transition(cell: _Cell, known: ClassStates | None, levels: Sequence[str]) -> dict[str, Interval]:
    counts = cell.counts
    found = {MARGINAL: cell.share(events.marginal_accepted_transition(counts))} if MARGINAL in levels else {}
    if known is None:
        return found
    flips = events.marked_flips(counts, known.overlap, counts.accepted_errors)
    low, high = events.accepted_transition(counts, flips)
    if OVERLAP in levels:
        found[OVERLAP] = cell.share((low, high))
    if FIVE_STATES in levels:
        wrong = wrong_records(cell.block, cell.classes, cell.judged, known)
        flips = wrong_block.marked_flips(wrong, cell.judged.perturbed_accepted, flips, solve=low < high)
        found[FIVE_STATES] = cell.share(events.accepted_transition(counts, flips))
    return found


def _lost_acceptance(cell: _Cell, known: ClassStates | None, levels: Sequence[str]) -> dict[str, Interval]:
    found = {MARGINAL: cell.share(events.marginal_lost_acceptance(cell.counts))} if MARGINAL in levels else {}
    return found | _same_beyond_overlap(levels, known, lambda k: cell.share(events.lost_acceptance(cell.counts, k)))


def _confidence_drop(cell: _Cell, known: ClassStates | None, levels: Sequence[str]) -> dict[str, Interval]:
    clean, perturbed = (
        confidence.correct_scores(cell.classes, side.true_class_probability, correct)
        for side, correct in (
            (cell.block.clean, cell.judged.clean_correct),
            (cell.block.perturbed, cell.judged.perturbed_correct),
        )
    )
    sides = (cell.classes, cell.counts, clean, perturbed)
    found = {MARGINAL: confidence.variable_overlap(*sides)} if MARGINAL in levels else {}
    return found | _same_beyond_overlap(levels, known, lambda k: confidence.fixed_overlap(*sides, k))


def _same_beyond_overlap(
    levels: Sequence[str], known: ClassStates | None, bound: Callable[[np.ndarray], Interval]
) -> dict[str, Interval]:
    """Give I5 the interval of Ik, which is Theorem 1 for L and dM_k."""
    wanted = [level for level in (OVERLAP, FIVE_STATES) if level in levels]
    if known is None or not wanted:
        return {}
    return dict.fromkeys(wanted, bound(known.overlap))


def _accepted_error(cell: _Cell, levels: Sequence[str]) -> dict[str, Interval]:
    """E_tau needs the perturbed side alone, so every level gives its value."""
    value = cell.counts.accepted_errors.sum(axis=1) / len(cell.block.labels)
    return {level: Interval(value, value) for level in levels}


def _independent(cell: _Cell) -> dict[str, np.ndarray]:
    counts, judged, block = cell.counts, cell.judged, cell.block
    return {
        ACCEPTED_ERROR_TRANSITION: reference.independent_event(counts, counts.accepted_errors),
        LOST_ACCEPTANCE: reference.independent_event(counts, counts.perturbed_rejected),
        CONFIDENCE_DROP: reference.independent_confidence_drop(
            cell.classes,
            counts,
            block.clean.true_class_probability * judged.clean_correct,
            block.perturbed.true_class_probability * judged.perturbed_correct,
        ),
        ACCEPTED_ERROR: counts.accepted_errors.sum(axis=1) / len(block.labels),
    }
