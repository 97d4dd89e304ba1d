"""How far the ranking of configurations by consistency depends on the set of operators (Section 5.2)."""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from pairedeval.consistency.quantities import (
    confidence_deviation,
    consistency_score,
    label_stability,
    probabilities,
)
from pairedeval.consistency.runs import by_run
from pairedeval.consistency.views import LEVELS, OPERATORS, Views
from pairedeval.records import CLEAN, EVALUATION

_FEWEST_CONFIGURATIONS = 2


def measure_subsets(views: Views, level: int = LEVELS[0]) -> pd.DataFrame:
    """Measure the mean CS of each run with every non-empty set of operators, on its clean evaluation images.

    LS, CD and hence CS are means over operators, so the mean CS of a set is the mean of that of its operators.

    Parameters
    ----------
    views
        Views of one configuration, kind ``levels``.
    level
        Strength of the operators.

    Returns
    -------
    pandas.DataFrame
        ``model``, ``group``, ``seed``, ``operators`` (names joined by ``+``, in the order of `views.OPERATORS`),
        ``size`` (their number) and ``consistency`` (mean CS).
    """
    logits = views.at_level(level, CLEAN, EVALUATION)
    predictions, confidence = logits.argmax(axis=-1), probabilities(logits).max(axis=-1)
    by_operator = np.stack([_mean_consistency(predictions, confidence, place + 1) for place in range(len(OPERATORS))])
    subsets = _subsets()
    consistency = np.stack([by_operator[list(chosen)].mean(axis=0) for chosen in subsets])
    names = ["+".join(OPERATORS[place] for place in chosen) for chosen in subsets]
    facts = {"operators": names, "size": [len(chosen) for chosen in subsets]}
    return by_run(views, [pd.DataFrame({**facts, "consistency": run}) for run in consistency.T])


def compare_rankings(subsets: pd.DataFrame) -> pd.DataFrame:
    """Compare the ranking of configurations by a set of operators with the ranking by all of them.

    Parameters
    ----------
    subsets
        Tables of `measure_subsets`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``size`` of the set, all sizes but the full one: ``mean_tau`` and ``lowest_tau`` (Kendall's tau-b of
        the configurations' mean CS, means over seeds), ``subsets``, ``undefined`` (sets without a tau: fewer than two
        configurations, or all equal) and ``configurations``.
    """
    scores = subsets.pivot_table("consistency", ["size", "operators"], "model", aggfunc="mean")
    reference = scores.xs(len(OPERATORS), level="size").iloc[0]
    smaller = scores.drop(index=len(OPERATORS), level="size")
    tau = smaller.apply(lambda score: _kendall(score, reference), axis=1)
    grouped = tau.groupby(level="size")
    found = pd.DataFrame({"mean_tau": grouped.mean(), "lowest_tau": grouped.min(), "subsets": grouped.size()})
    found["undefined"] = found["subsets"] - grouped.count()
    return found.assign(configurations=scores.shape[1]).reset_index()


def _subsets() -> list[tuple[int, ...]]:
    """Return all non-empty sets of positions among `OPERATORS`, small ones first."""
    places = range(len(OPERATORS))
    return [chosen for size in range(1, len(OPERATORS) + 1) for chosen in combinations(places, size)]


def _mean_consistency(predictions: np.ndarray, confidence: np.ndarray, view: int) -> np.ndarray:
    """Return the mean CS of each seed with one operator; arrays of shape ``(seeds, 1 + K, n)``."""
    pair = [0, view]
    score = consistency_score(label_stability(predictions[:, pair]), confidence_deviation(confidence[:, pair]))
    mean: np.ndarray = score.mean(axis=-1)
    return mean


def _kendall(first: pd.Series, second: pd.Series) -> float:
    if len(first) < _FEWEST_CONFIGURATIONS or not np.ptp(first) or not np.ptp(second):
        return float("nan")
    return float(kendalltau(first, second).statistic)
