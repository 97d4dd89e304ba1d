"""What a reviewer can say of an answer, and how far two reviewers agree (Appendix J.3)."""

from collections.abc import Sequence

import numpy as np

CORRECT, PARTLY, WRONG, CANNOT_TELL = RATINGS = ("correct", "partly", "wrong", "cannot tell")
RATING_COLUMNS = ("event_id", "reviewer", "rating", "comment")


def cohens_kappa(first: Sequence[str], second: Sequence[str]) -> float:
    """Return Cohen's kappa of two reviewers' ratings of the same events; NaN where chance alone makes them agree.

    Examples
    --------
    >>> cohens_kappa(["correct", "correct", "wrong", "wrong"], ["correct", "wrong", "wrong", "wrong"])
    0.5
    """
    one, other = (np.array([[rating == word for word in RATINGS] for rating in given]) for given in (first, second))
    if not len(one):
        return float("nan")
    agreement = (one & other).sum() / len(one)
    by_chance = float(one.mean(axis=0) @ other.mean(axis=0))
    return float((agreement - by_chance) / (1 - by_chance)) if by_chance < 1 else float("nan")
