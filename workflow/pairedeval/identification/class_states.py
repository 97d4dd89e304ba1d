"""Joint counts per class: what the levels above I0 retain of the pairs (Definition 1)."""

from dataclasses import dataclass

import numpy as np

from pairedeval.errors import RecordsError
from pairedeval.identification import events, wrong_block
from pairedeval.identification.classes import Classes, class_counts
from pairedeval.records import RecordBlock
from pairedeval.states import Outcomes, ResponseStates


@dataclass(frozen=True)
class ClassStates:
    """Joint counts per class, shape ``(conditions, classes)`` each.

    Attributes
    ----------
    overlap
        Correct-correct pairs k_y.
    persistent
        Persistent errors s_y; None if only the overlap is known. The other three states follow from both
        (Appendix A.1).
    """

    overlap: np.ndarray
    persistent: np.ndarray | None = None


def observed_states(classes: Classes, states: ResponseStates) -> ClassStates:
    """Count the observed pairs of each class."""
    return ClassStates(classes.count(states.retained_correct), classes.count(states.persistent_error))


def check_states(block: RecordBlock, classes: Classes, judged: Outcomes, known: ClassStates) -> None:
    """Refuse counts that no correspondence of the records has.

    Raises
    ------
    RecordsError
        With the class, and the feasible range where it is one.
    """
    counts = class_counts(classes, judged)
    low, high = counts.overlap_range
    broken = (known.overlap < low) | (known.overlap > high)
    if broken.any():
        place = tuple(np.argwhere(broken)[0])
        raise RecordsError(
            f"class {classes.labels[place[1]]}: overlap {known.overlap[place]} is not feasible; with these records it "
            f"lies between {low[place]} and {high[place]}"
        )
    if known.persistent is not None:
        everywhere = np.ones(known.overlap.shape, dtype=bool)
        flips = events.marked_flips(counts, known.overlap, counts.accepted_errors)
        wrong = wrong_records(block, classes, judged, known)
        wrong_block.marked_flips(wrong, judged.perturbed_accepted, flips, everywhere)


def wrong_records(
    block: RecordBlock, classes: Classes, judged: Outcomes, known: ClassStates
) -> wrong_block.WrongRecords:
    """Collect what constrains the wrong-wrong blocks at level I5."""
    if known.persistent is None:
        raise ValueError("level I5 needs the persistent errors per class")
    return wrong_block.WrongRecords(
        classes=classes,
        clean_prediction=block.clean.prediction,
        clean_wrong=~judged.clean_correct,
        perturbed_prediction=block.perturbed.prediction,
        perturbed_wrong=~judged.perturbed_correct,
        flips=classes.count(judged.clean_correct) - known.overlap,
        persistent=known.persistent,
    )
