"""Correspondences that rearrange the correct records of a class and keep its five counts (Appendix A.3).

The correct clean records of a class exchange places, and so do its correct perturbed ones; wrong records stay. What
comes out is judged anew by the definitions, so that nothing is taken from the closed forms of the bounds.
"""

from dataclasses import dataclass

import numpy as np

from pairedeval.identification.classes import Classes
from pairedeval.identification.levels import CONFIDENCE_DROP, LOST_ACCEPTANCE
from pairedeval.records import RecordBlock
from pairedeval.states import outcomes, response_states


@dataclass(frozen=True)
class Attained:
    """What rearranged correspondences attain.

    Attributes
    ----------
    ends
        Smallest and largest value of the target, shape ``(2, conditions, classes)``.
    feasible
        Whether both correspondences have the observed five counts, bool, shape ``(conditions, classes)``.
    """

    ends: np.ndarray
    feasible: np.ndarray


def attained(block: RecordBlock, threshold: float, target: str) -> Attained:
    """Rearrange the correct records of each class towards both ends of L or dM_k and judge the pairs anew.

    Parameters
    ----------
    block
        Records of one model.
    threshold
        Acceptance threshold of both sides.
    target
        ``L`` or ``dM_k``.
    """
    clean, perturbed = block.clean, block.perturbed
    classes, judged = Classes.of(block.labels), outcomes(block, threshold)
    # In ascending order, the records come first that make the target small.
    keys = {
        LOST_ACCEPTANCE: (judged.clean_accepted * 1.0, ~judged.perturbed_accepted * 1.0),
        CONFIDENCE_DROP: (clean.true_class_probability, -perturbed.true_class_probability),
    }[target]
    overlap = response_states(block).retained_correct
    shape = overlap.shape
    correct = np.broadcast_to(judged.clean_correct, shape), judged.perturbed_correct
    ends, feasible = [], np.ones((shape[0], len(classes.sizes)), dtype=bool)
    for sign in (1, -1):
        first = _places(classes, correct[0], overlap, np.broadcast_to(sign * keys[0], shape), backwards=False)
        second = _places(classes, correct[1], overlap, sign * keys[1], backwards=sign == 1)
        value, kept = _judged_anew(block, threshold, target, first, second)
        ends.append(value)
        feasible &= kept
    return Attained(np.stack(ends), feasible)


def _places(
    classes: Classes, correct: np.ndarray, overlap: np.ndarray, key: np.ndarray, *, backwards: bool
) -> np.ndarray:
    """Say which record goes to each place: the correct ones of a class in the order of `key`, retained places first.

    Parameters
    ----------
    classes
        Classes of the places.
    correct
        Correct records of one side, bool, shape ``(conditions, n)``.
    overlap
        Places of retained-correct pairs, same shape.
    key
        Sorts the correct records; wrong ones stay where they are.
    backwards
        Whether the retained places of a class are filled from the last to the first. One side forwards and the other
        backwards keeps the records that come first on both sides apart.
    """
    place = np.broadcast_to(np.arange(correct.shape[1]), correct.shape)
    index = np.broadcast_to(classes.index, correct.shape)
    towards = np.where(correct, -place if backwards else place, place)
    places = np.lexsort((towards, ~overlap, ~correct, index))
    records = np.lexsort((np.where(correct, key, place), ~correct, index))
    found = np.empty_like(places)
    np.put_along_axis(found, places, records, axis=1)
    return found


def _judged_anew(
    block: RecordBlock, threshold: float, target: str, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the target per class, and whether all five counts are the observed ones."""
    classes = Classes.of(block.labels)
    before, after = block.clean.prediction[first], np.take_along_axis(block.perturbed.prediction, second, axis=1)
    right, still_right, same = before == block.labels, after == block.labels, before == after
    wrong = ~right & ~still_right
    states = (right & ~still_right, ~right & still_right, wrong & same, wrong & ~same, right & still_right)
    observed = response_states(block)
    counts = [classes.count(state) for state in states]
    known = [classes.count(getattr(observed, name)) for name in observed.__dataclass_fields__]
    if target == LOST_ACCEPTANCE:
        kept = np.take_along_axis(block.perturbed.confidence, second, axis=1) >= threshold
        value = states[4] & (block.clean.confidence[first] >= threshold) & ~kept
    else:
        change = block.clean.true_class_probability[first] - np.take_along_axis(
            block.perturbed.true_class_probability, second, axis=1
        )
        value = np.where(states[4], change, 0.0)
    kept_counts = np.asarray(np.equal(counts, known).all(axis=0))
    return np.add.reduceat(value.astype(float), classes.starts, axis=1), kept_counts
