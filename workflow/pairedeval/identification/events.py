r"""Sharp ranges of the acceptance events H and L, as counts per class (Appendices A.2, A.4, A.6).

Every range is a pair of integer arrays ``(conditions, classes)``. Classes are matched separately, so the extremes of
a cell are the sums over its classes, divided by N last.
"""

import numpy as np

from pairedeval.identification.classes import ClassCounts, overlap_range

Range = tuple[np.ndarray, np.ndarray]


def marginal_lost_acceptance(counts: ClassCounts) -> Range:
    """Return the range of L at I0: two subsets of a class meet as much or as little as possible (Eq. 4)."""
    return overlap_range(counts.size, counts.clean_accepted, counts.perturbed_rejected)


def marginal_accepted_transition(counts: ClassCounts) -> Range:
    """Return the range of H at I0 (Eq. 4)."""
    return overlap_range(counts.size, counts.clean_accepted, counts.accepted_errors)


def lost_acceptance(counts: ClassCounts, overlap: np.ndarray) -> Range:
    """Return the range of L at Ik, and by Theorem 1 at I5 (Eq. 5).

    The k_y retained-correct pairs hold as many or as few accepted clean and rejected perturbed records as possible.
    """
    spare_clean = counts.clean_correct - counts.clean_accepted
    spare_perturbed = counts.perturbed_correct - counts.perturbed_rejected
    low = np.maximum(0, overlap - spare_clean - spare_perturbed)
    high = np.minimum(np.minimum(counts.clean_accepted, counts.perturbed_rejected), overlap)
    return low, high


def marked_flips(counts: ClassCounts, overlap: np.ndarray, marked: np.ndarray) -> Range:
    """Return how many marked wrong perturbed records can be harmful flips at Ik.

    The h_y = a_y - k_y flips are any of the n_y - b_y wrong perturbed records.

    Parameters
    ----------
    counts
        Counts per class.
    overlap
        k_y, shape ``(conditions, classes)``.
    marked
        Marked ones among the wrong perturbed records, same shape.
    """
    flips = counts.clean_correct - overlap
    return overlap_range(counts.size - counts.perturbed_correct, flips, marked)


def accepted_transition(counts: ClassCounts, flips: Range) -> Range:
    """Return the range of H from the range of accepted errors among the harmful flips (Eq. 7).

    Of the h_y clean ends of the flips as many or as few as possible are accepted: at least ``u_y - k_y``. Meeting z
    accepted perturbed ends, they give at least ``z - (a_y - u_y)`` and at most ``min(u_y, z)`` transitions. With the
    range of z at Ik this is Eq. 7; `wrong_block` supplies the range at I5.
    """
    fewest, most = flips
    spare_clean = counts.clean_correct - counts.clean_accepted
    return np.maximum(0, fewest - spare_clean), np.minimum(counts.clean_accepted, most)
