"""One order of images for a pool of models: at every budget the most probe failures, averaged over the models.

The goal is the mean over models of the share of each model's probe failures (wrong pairs of a probe condition and a
clean-correct image) among the images captured so far. It is a sum over images, so taking the images by what each adds
is no approximation: no other choice of as many images finds more *probe* failures. That images with probe failures are
also those that fail under real capture is the heuristic part; only real outcomes can tell.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.own.screening_files import ProbedModel
from pairedeval.own.screening_ranking import Ranking, comparable, corruption_mean, joined, mean_in_any_order, ranked
from pairedeval.states import conditional_mean

POOL = "all models"
PROBE_FAILURES = "probe_failures"


def rank_pool(models: Sequence[ProbedModel]) -> Ranking:
    """Rank the images that at least one model predicts correctly, for all models together.

    The risk of an image is the share of a model's probe failures that it adds, averaged over the models that have any.
    Images that add equally much, such as those without probe failures, are ordered by the mean over models of the mean
    probability U, the lowest first. ``prediction`` is the label, which all models counted here predict, and
    ``confidence`` their mean.

    Parameters
    ----------
    models
        Several models with the same probe conditions.

    Raises
    ------
    RecordsError
        If models give an image different labels, or a model has the name of the pool.
    """
    if any(model.name == POOL for model in models):
        raise RecordsError(f"{models[0].place}: a model is called '{POOL}', the name of the whole pool; rename it")
    images, places = _pooled_images(models)
    right = _spread(models, places, [np.ones(len(place), dtype=bool) for place in places], len(images))
    wrong = _spread(models, places, [(~model.probes.prediction).sum(axis=0) for model in models], len(images))
    probability = _spread(models, places, [corruption_mean(model) for model in models], len(images))
    confidence = _spread(models, places, [model.of_ranked("confidence") for model in models], len(images))
    counted = right.sum(axis=0)
    gained = _gained(wrong)
    columns = {
        "image_id": images.index.to_numpy(),
        "risk": gained,
        "prediction": images.to_numpy(),
        "confidence": _mean_over_models(confidence, counted),
        "why": _reasons(wrong, counted, len(models[0].conditions)),
    }
    keys = (gained, -comparable(_mean_over_models(probability, counted)))
    return ranked(POOL, PROBE_FAILURES, pd.DataFrame(columns), keys)


def _pooled_images(models: Sequence[ProbedModel]) -> tuple["pd.Series[str]", list[np.ndarray]]:
    """Return the labels of the images to rank, sorted by id, and the place of each model's images among them."""
    sides = pd.concat([model.clean[["image_id", "label"]].iloc[model.right] for model in models])
    sides = sides.drop_duplicates()
    twice = sides["image_id"].duplicated()
    if twice.any():
        image = sides["image_id"][twice].iloc[0]
        labels = " and ".join(sides["label"][sides["image_id"] == image])
        raise RecordsError(
            f"{models[0].place}: image {image} has the labels {labels} for different models; an image keeps its label"
        )
    images = sides.sort_values("image_id", kind="stable").set_index("image_id")["label"]
    return images, [images.index.get_indexer(pd.Index(model.of_ranked("image_id"))) for model in models]


def _spread(
    models: Sequence[ProbedModel], places: Sequence[np.ndarray], values: Sequence[np.ndarray], images: int
) -> np.ndarray:
    """Lay out values of each model's images over all images, zero elsewhere, shape ``(models, images)``."""
    spread = np.zeros((len(models), images), dtype=values[0].dtype)
    for row, place, value in zip(spread, places, values, strict=True):
        row[place] = value
    return spread


def _gained(wrong: np.ndarray) -> np.ndarray:
    """Return what each image adds to the mean share of probe failures, shape ``(images,)``; it sums to one."""
    totals = wrong.sum(axis=1)
    failing = totals > 0
    if not failing.any():
        return np.zeros(wrong.shape[1])
    return comparable(mean_in_any_order(wrong[failing] / totals[failing, np.newaxis]))


def _mean_over_models(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Average over the models that predict the image correctly; the order of the models changes no digit."""
    return conditional_mean(np.sort(values, axis=0).sum(axis=0), counted)


def _reasons(wrong: np.ndarray, counted: np.ndarray, conditions: int) -> np.ndarray:
    """Say in words what the probes show of each image, shape ``(images,)``."""
    return joined(
        "wrong for ",
        (wrong > 0).sum(axis=0).astype(str),
        " of ",
        counted.astype(str),
        np.where(counted > 1, " models", " model"),
        " correct when clean, in ",
        wrong.sum(axis=0).astype(str),
        " of ",
        (conditions * counted).astype(str),
        " probe predictions",
    )
