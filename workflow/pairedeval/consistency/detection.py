"""How well each trust score tells wrong predictions from right ones on clean images (Section 5.2, Table 4)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pairedeval.consistency.comparisons import difference_from
from pairedeval.consistency.differences import MEASURES, REFERENCE
from pairedeval.consistency.risk_coverage import aurc
from pairedeval.consistency.runs import RUN_KEYS, by_run, mean_over_runs, wrong_predictions
from pairedeval.consistency.scores import FORWARD_PASSES, trust_scores
from pairedeval.consistency.views import LEVELS, Views
from pairedeval.records import CLEAN, EVALUATION
from pairedeval.screening.ranking import auroc

ALL_GROUPS = "all"


def measure_detection(views: Views, level: int = LEVELS[0]) -> pd.DataFrame:
    """Measure how well each score ranks the errors of each run on its clean evaluation images.

    Parameters
    ----------
    views
        Views of one configuration, kind ``levels``.
    level
        Strength of the operators.

    Returns
    -------
    pandas.DataFrame
        ``model``, ``group``, ``seed``, then the columns of `detect_errors`.
    """
    logits = views.at_level(level, CLEAN, EVALUATION)
    wrong = wrong_predictions(views, logits)
    return by_run(views, [detect_errors(trust_scores(run), errors) for run, errors in zip(logits, wrong, strict=True)])


def detect_errors(trust: Mapping[str, np.ndarray], wrong: np.ndarray) -> pd.DataFrame:
    """Measure how well scores rank the errors of one run.

    Parameters
    ----------
    trust
        Scores that are larger where a prediction deserves more trust, shape ``(n,)`` each.
    wrong
        Whether each prediction is wrong, bool, shape ``(n,)``.

    Returns
    -------
    pandas.DataFrame
        One row a score: ``score``, ``auroc`` (chance that an error has the lower score, ties one half; NaN without
        errors or without right predictions), ``aurc`` (`risk_coverage.aurc`), ``errors`` and ``images`` (counts).

    Examples
    --------
    >>> detect_errors({"msp": np.array([0.9, 0.5, 0.5])}, np.array([False, True, False])).loc[0, "auroc"].item()
    0.75
    """
    risk = -np.stack(list(trust.values()))
    return pd.DataFrame(
        {
            "score": list(trust),
            "auroc": auroc(risk, wrong[np.newaxis])[:, 0],
            "aurc": aurc(risk, wrong[np.newaxis])[:, 0],
            "errors": int(wrong.sum()),
            "images": len(wrong),
        }
    )


def summarise_detection(detection: pd.DataFrame) -> pd.DataFrame:
    """Average the measures of each score over the configurations of each group, seeds first (Table 4).

    Parameters
    ----------
    detection
        Tables of `measure_detection`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``group`` (first `ALL_GROUPS`, all configurations together) and ``score``: means of ``auroc`` and
        ``aurc``, ``configurations``, ``runs``, ``undefined`` (runs without an AUROC) and ``forward_passes`` per image.
    """
    marked = pd.concat([detection.assign(group=ALL_GROUPS), detection], ignore_index=True)
    found = mean_over_runs(marked, ["group", "score"], ["auroc", "aurc"])
    return found.assign(forward_passes=found["score"].map(FORWARD_PASSES))


def configuration_differences(detection: pd.DataFrame) -> pd.DataFrame:
    """Compare every score with the largest softmax probability in each configuration, averaged over its seeds.

    The mean of a score over the configurations is that of `differences.detection_differences`.

    Parameters
    ----------
    detection
        Tables of `measure_detection`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per ``model``, ``group`` and ``score`` (without `differences.REFERENCE`): means of ``auroc`` and ``aurc``
        minus those of the reference in the same run (NaN where no run has a value), ``runs``, and ``undefined`` (runs
        without an AUROC).
    """
    differences = {name: difference_from(detection, RUN_KEYS, name, "score", REFERENCE) for name in MEASURES}
    others = detection.assign(**differences)[detection["score"] != REFERENCE]
    grouped = others.groupby(["model", "group", "score"], sort=False)
    runs = grouped.size()
    means = grouped[[*MEASURES]].mean()
    return means.assign(runs=runs, undefined=runs - grouped["auroc"].count()).reset_index()
