"""What a flip implies about the margin: the margin-displacement inequality (Section 3.3).

A prediction is the class of the largest logit, the lowest index among equals. Let z_0 be the logits of an image, z_k
those of its version by operator k, and d = z_k - z_0. If the prediction i of the image gives way to j, then

    z_0[i] - z_0[j] <= (z_0[i] - z_0[j]) + (z_k[j] - z_k[i]) = d[j] - d[i] <= |d[i]| + |d[j]| <= sqrt(2) ||d||_2,

and the margin, which takes the second largest logit for z_0[j], is at most the left side. Nothing is assumed about the
model. Equality occurs: d moves the two logits towards each other by half the margin each, and the lower index wins the
tie.
"""

import numpy as np
import pandas as pd

from pairedeval.consistency.quantities import margins
from pairedeval.consistency.runs import RUN_KEYS, by_run
from pairedeval.consistency.views import Views
from pairedeval.identification.levels import STRICTNESS

SCALE = float(np.sqrt(2))
DECILES = 10


def flips(views: np.ndarray) -> np.ndarray:
    """Return whether each operator changes the prediction, bool, shape ``(..., K, n)``.

    Parameters
    ----------
    views
        Logits, original first, shape ``(..., 1 + K, n, classes)``.
    """
    predictions = views.argmax(axis=-1)
    changed: np.ndarray = predictions[..., 1:, :] != predictions[..., :1, :]
    return changed


def displacements(views: np.ndarray) -> np.ndarray:
    """Return how far each operator moves the logits, ||z_k - z_0||_2, float64, shape ``(..., K, n)``.

    Parameters
    ----------
    views
        Logits within the range of float32, as for `flips`; their squares neither overflow nor vanish in float64.

    Examples
    --------
    >>> displacements(np.array([[[4.0, 1.0]], [[1.0, 5.0]]])).tolist()
    [[5.0]]
    """
    wide = views.astype(np.float64)
    moved = wide[..., 1:, :, :] - wide[..., :1, :, :]
    distance: np.ndarray = np.sqrt(np.einsum("...c,...c->...", moved, moved))
    return distance


def scaled_displacements(views: np.ndarray) -> np.ndarray:
    """Return the largest margin that each operator can overcome, sqrt(2) ||z_k - z_0||_2, shape ``(..., K, n)``."""
    return SCALE * displacements(views)


def worst_displacements(views: np.ndarray) -> np.ndarray:
    """Return the largest scaled displacement of each image over the operators (D, Section 3.4), shape ``(..., n)``."""
    worst: np.ndarray = scaled_displacements(views).max(axis=-2)
    return worst


def violations(views: np.ndarray) -> np.ndarray:
    """Count the flips whose margin is above the scaled displacement, int, shape ``(...)``; the inequality has none.

    Margin and displacement carry rounding errors relative to their size, so a flip violates the inequality only beyond
    a relative `STRICTNESS`; equality is no violation.

    Parameters
    ----------
    views
        As for `displacements`.

    Examples
    --------
    The tie goes to the lower index: a flip with equality.

    >>> int(violations(np.array([[[1.0, 3.0]], [[2.0, 2.0]]])))
    0
    """
    margin = margins(views[..., :1, :, :])
    above = flips(views) & (margin > scaled_displacements(views) * (1 + STRICTNESS))
    return np.asarray(above.sum(axis=(-2, -1)))


def deciles(margin: np.ndarray) -> np.ndarray:
    """Return the tenth of the images by margin that each belongs to, 0 to 9.

    The cuts are the quantiles 0.1 to 0.9 (linear between images); an image at a cut belongs to the higher tenth. Equal
    margins, or fewer than ten images, leave some tenths empty.

    Parameters
    ----------
    margin
        Shape ``(n,)``, at least one image.

    Examples
    --------
    >>> deciles(np.array([0.3, 0.1, 0.2, 0.1])).tolist()
    [9, 3, 6, 3]
    """
    cuts = np.quantile(margin, np.arange(1, DECILES) / DECILES)
    return np.searchsorted(cuts, margin, side="right")


def inequality_check(views: Views) -> pd.DataFrame:
    """Check the inequality on every view of a file: all operators, levels and conditions.

    Parameters
    ----------
    views
        View file of any kind.

    Returns
    -------
    pandas.DataFrame
        Rows per ``model``, ``group``, ``seed``, ``kind`` and ``condition``: ``comparisons`` (pairs of an image and a
        version of it), ``flips`` and ``violations`` among them (numbers), and ``smallest_slack`` (logit units): scaled
        displacement minus margin, the least of all flips; NaN without flips, and below zero by rounding only.
    """
    return by_run(views, [_check(logits, views) for logits in views.logits])


def _check(logits: np.ndarray, views: Views) -> pd.DataFrame:
    """Check one seed, shape ``(conditions, views, n, classes)``."""
    changed = flips(logits)
    slack = scaled_displacements(logits) - margins(logits[..., :1, :, :])
    smallest = np.where(changed, slack, np.inf).min(axis=(-2, -1), initial=np.inf)
    return pd.DataFrame(
        {
            "kind": views.metadata["kind"],
            "condition": views.conditions,
            "comparisons": changed.shape[-2] * changed.shape[-1],
            "flips": changed.sum(axis=(-2, -1)),
            "violations": violations(logits),
            "smallest_slack": np.where(np.isinf(smallest), np.nan, smallest),
        }
    )


def summarise_inequality(checks: pd.DataFrame) -> pd.DataFrame:
    """Add up the checks of all configurations.

    Parameters
    ----------
    checks
        Tables of `inequality_check`, all configurations and kinds.

    Returns
    -------
    pandas.DataFrame
        Rows per ``kind``: ``runs``, ``comparisons``, ``flips``, ``violations`` (numbers) and ``smallest_slack`` (the
        least; NaN without flips).
    """
    grouped = checks.groupby("kind", sort=False)
    found = grouped[["comparisons", "flips", "violations"]].sum()
    found.insert(0, "runs", checks.drop_duplicates(["kind", *RUN_KEYS]).groupby("kind", sort=False).size())
    return found.assign(smallest_slack=grouped["smallest_slack"].min()).reset_index()
