"""Clean-correct images of one model in the order of their risk, by what clean and probe predictions say (Section 5.1).

A risk is larger where a failure under real capture is more likely. Equal risks stand in the order of image ids.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.own.screening_files import ProbedModel
from pairedeval.screening.ranking import budget_size

CORRUPTION_MEAN = "corruption_mean"
# Risks that agree in so many decimals are equal: sums of rounded probabilities differ by less where they should tie.
_DECIMALS = 14


@dataclass(frozen=True)
class Ranking:
    """Images in the order in which to capture them again.

    Attributes
    ----------
    model
        Model whose failures are looked for.
    score
        Name of the score.
    table
        One row an image, the riskiest first: ``image_id``, ``risk``, ``prediction``, ``confidence`` and ``why``.
    ties
        Number of each row's group of images that nothing but their ids tells apart, ascending, shape ``(n,)``.
    """

    model: str
    score: str
    table: pd.DataFrame
    ties: np.ndarray

    def size(self, budget: float) -> int:
        """Return how many images a budget captures."""
        return int(budget_size(np.array(len(self.table)), [budget])[0])


def mean_in_any_order(values: np.ndarray) -> np.ndarray:
    """Average over the first axis so that the order of the conditions changes no digit."""
    return np.asarray(np.sort(values, axis=0).mean(axis=0))


def comparable(values: np.ndarray) -> np.ndarray:
    """Drop rounding errors, so that equal risks are equal numbers.

    Examples
    --------
    >>> bool(0.1 + 0.2 == 0.3), bool(comparable(np.array(0.1 + 0.2)) == comparable(np.array(0.3)))
    (False, True)
    """
    return np.asarray(np.round(values, _DECIMALS) + 0.0)  # no negative zero


def corruption_mean(model: ProbedModel) -> np.ndarray:
    """Return U: the mean probability of the true class over the probe conditions, shape ``(n,)``."""
    return mean_in_any_order(model.probes.true_class_probability)


def retention(model: ProbedModel) -> np.ndarray:
    """Return ret: the share of the probe conditions under which the image stays correct, shape ``(n,)``."""
    return np.asarray(model.probes.prediction.mean(axis=0))


def confidence_deviation(model: ProbedModel) -> np.ndarray:
    """Return CD: the mean absolute change of the largest probability over the probe conditions, shape ``(n,)``."""
    return mean_in_any_order(np.abs(model.probes.confidence - model.of_ranked("confidence")))


# Risks by the names of the study's scores (Section 5.1, Appendix E.4). Consistency is LS / 2 + (1 - CD) / 2, and the
# share LS of probes that keep the clean prediction equals the retention, because the clean prediction is correct.
RISKS: dict[str, Callable[[ProbedModel], np.ndarray]] = {
    CORRUPTION_MEAN: lambda model: -corruption_mean(model),
    "confidence": lambda model: -model.of_ranked("confidence"),
    "confidence_decrease": lambda model: model.of_ranked("confidence") - corruption_mean(model),
    "retention": lambda model: -retention(model),
    "confidence_deviation": confidence_deviation,
    "consistency": lambda model: -(retention(model) + 1 - confidence_deviation(model)) / 2,
}


def check_score(score: str) -> None:
    """Refuse a score that is not among `RISKS`."""
    if score not in RISKS:
        raise RecordsError(f"unknown score {score}; the scores are {', '.join(RISKS)}")


def rank_model(model: ProbedModel, score: str = CORRUPTION_MEAN) -> Ranking:
    """Rank the clean-correct images of one model by the risk that they fail under real capture.

    Parameters
    ----------
    model
        Clean and probe predictions.
    score
        One of `RISKS`.

    Raises
    ------
    RecordsError
        If the score is unknown.
    """
    check_score(score)
    risk = comparable(RISKS[score](model))
    columns = {
        "image_id": model.of_ranked("image_id"),
        "risk": risk,
        "prediction": model.of_ranked("prediction"),
        "confidence": model.of_ranked("confidence"),
        "why": _reasons(model),
    }
    return ranked(model.name, score, pd.DataFrame(columns), (risk,))


def ranked(model: str, score: str, images: pd.DataFrame, keys: Sequence[np.ndarray]) -> Ranking:
    """Order images, which stand in the order of their ids, by descending keys, the first one deciding first."""
    order = np.lexsort([-key for key in reversed(keys)])
    apart = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    return Ranking(model, score, images.take(order).reset_index(drop=True), np.append(0, np.cumsum(apart)))


def _reasons(model: ProbedModel) -> np.ndarray:
    """Say in words what the probes show of each image, shape ``(n,)``."""
    probability = model.probes.true_class_probability
    lowest = np.array(model.conditions)[probability.argmin(axis=0)]
    count = len(model.conditions)
    probes = f" over {count} probe{'s' if count > 1 else ''}, wrong in "
    wrong = (~model.probes.prediction).sum(axis=0)
    return joined(
        "mean probability ",
        np.strings.mod("%.2f", corruption_mean(model)),
        probes,
        wrong.astype(str),
        "; lowest ",
        np.strings.mod("%.2f", probability.min(axis=0)),
        " under ",
        lowest,
    )


def joined(*parts: str | np.ndarray) -> np.ndarray:
    """Join texts and arrays of texts element by element.

    Examples
    --------
    >>> joined("wrong in ", np.array(["9", "10"]), " probes").tolist()
    ['wrong in 9 probes', 'wrong in 10 probes']
    """
    text = np.asarray("")
    for part in parts:
        text = np.strings.add(text, np.asarray(part))
    return text
