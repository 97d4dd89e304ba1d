"""Forward selection of probes by the failures that they find on one half of the images (Appendix E.1)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.identification.levels import STRICTNESS
from pairedeval.screening.ranking import PRIMARY_BUDGET, recall_at_budgets
from pairedeval.states import conditional_mean

SELECTED = 18


def greedy_selection(
    pool: Sequence[str],
    probabilities: Sequence[np.ndarray],
    failures: Sequence[np.ndarray],
    size: int = SELECTED,
    budget: float = PRIMARY_BUDGET,
) -> pd.DataFrame:
    """Add probes one at a time, each time the one whose average with those before finds most failures.

    The recall is averaged over all models and conditions of the source, cells weighted equally; cells without failures
    have none and are left out. Means that differ by rounding alone are ties, which go to the earlier probe of the pool.

    Parameters
    ----------
    pool
        Conditions of the probes.
    probabilities
        Per model, the true-class probability of its clean-correct images on the choosing half under each probe, shape
        ``(pool, n)``.
    failures
        Per model, whether these images fail, bool, shape ``(conditions, n)``.
    size
        Number of probes to choose.
    budget
        Share q of the images that is tested.

    Returns
    -------
    pandas.DataFrame
        One row per chosen probe: ``step`` (from 1), ``condition`` and ``recall`` of the average up to this step, a
        share; NaN if no cell has a failure, and then the first probes of the pool are chosen.

    Raises
    ------
    RecordsError
        If the pool has fewer probes than are to be chosen.
    """
    if len(pool) < size:
        raise RecordsError(f"only {len(pool)} probes to choose {size} from; run the probes with all conditions")
    totals = [np.zeros(model.shape[1]) for model in probabilities]
    left, steps = list(range(len(pool))), []
    for step in range(1, size + 1):
        recall = _mean_recall(
            [total + model[left] for total, model in zip(totals, probabilities, strict=True)], failures, budget
        )
        best = int(np.argmin(recall < recall.max() - STRICTNESS))
        steps.append({"step": step, "condition": pool[left[best]], "recall": recall[best]})
        chosen = left.pop(best)
        totals = [total + model[chosen] for total, model in zip(totals, probabilities, strict=True)]
    return pd.DataFrame(steps, columns=["step", "condition", "recall"])


def _mean_recall(sums: Sequence[np.ndarray], failures: Sequence[np.ndarray], budget: float) -> np.ndarray:
    """Average the recall of each candidate over the cells with failures; sums rank as their means do."""
    found = [recall_at_budgets(-total, failed, (budget,))[..., 0] for total, failed in zip(sums, failures, strict=True)]
    recall = np.concatenate(found, axis=1)
    return conditional_mean(np.nansum(recall, axis=1), (~np.isnan(recall)).sum(axis=1))
