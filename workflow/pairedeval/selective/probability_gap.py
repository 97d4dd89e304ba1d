"""What becomes of clean errors, by the gap between the two largest clean probabilities (Appendix F).

The groups are cut at quantiles of the errors, not of all images, and initial confidence is not controlled for: the
shares describe, and say nothing about causes.
"""

import numpy as np

from pairedeval.records import RecordBlock
from pairedeval.states import response_states

LOW, MIDDLE, HIGH = GAP_GROUPS = ("low", "middle", "high")
QUANTILES = (1 / 3, 2 / 3)
LEAST_ERRORS = 6
FATES = ("correction", "persistent_error", "changed_error")


def gap_cutpoints(gaps: np.ndarray) -> np.ndarray | None:
    """Return the gaps that divide clean development errors into thirds; None with fewer than `LEAST_ERRORS` errors.

    Parameters
    ----------
    gaps
        Probability gap of each misclassified clean development image, shape ``(errors,)``.

    Returns
    -------
    numpy.ndarray or None
        Both cut points, ascending; quantiles interpolate linearly between errors.
    """
    return np.quantile(gaps, QUANTILES) if len(gaps) >= LEAST_ERRORS else None


def gap_group(gaps: np.ndarray, cutpoints: np.ndarray) -> np.ndarray:
    """Return the group of each gap, 0 to 2; a gap on a cut point belongs to the higher group.

    Examples
    --------
    >>> gap_group(np.array([0.1, 0.2, 0.4]), np.array([0.2, 0.4])).tolist()
    [0, 1, 2]
    """
    return np.searchsorted(cutpoints, gaps, side="right")


def count_fates(evaluation: RecordBlock, group: np.ndarray, groups: int) -> dict[str, np.ndarray]:
    """Count the clean errors of each group and what they become under each condition.

    Parameters
    ----------
    evaluation
        Evaluation records of one model.
    group
        Group of each image, numbers from 0, shape ``(n,)``.
    groups
        Number of groups.

    Returns
    -------
    dict
        ``images`` (clean errors of the group) and `FATES`: corrected (r), the same wrong answer (s), another wrong
        answer (w); counts of shape ``(conditions, groups)``, the last three adding up to the first.
    """
    members = (np.eye(groups, dtype=int)[group]) * (evaluation.clean.prediction != evaluation.labels)[:, None]
    states = response_states(evaluation)
    counts = {fate: getattr(states, fate).astype(int) @ members for fate in FATES}
    return {"images": np.tile(members.sum(axis=0), (len(evaluation.conditions), 1)), **counts}
