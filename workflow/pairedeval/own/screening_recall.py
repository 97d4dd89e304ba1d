"""How many real failures a ranking finds within a budget, its AUROC, and intervals from resampled images."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pairedeval.own.answers import Answer
from pairedeval.own.screening_files import ProbedModel
from pairedeval.own.screening_outcomes import RealOutcomes
from pairedeval.own.screening_ranking import Ranking
from pairedeval.resampling import percentile_ends
from pairedeval.screening.ranking import attainable_ceiling, auroc, budget_size, recall_at_budgets
from pairedeval.seeds import derive_seed
from pairedeval.states import conditional_mean

DRAWS = 1000
# Weights held at a time, images x draws: a few arrays of 8 MB.
_CHUNK = 1_000_000


def outcomes_answer(
    ranking: Ranking, models: Sequence[ProbedModel], outcomes: Mapping[str, RealOutcomes], budget: float
) -> Answer:
    """Say how well a ranking finds real failures, under each condition.

    Parameters
    ----------
    ranking
        Ranking of one model, or of a pool.
    models
        That model, or all of the pool.
    outcomes
        Real outcomes by model, see `pairedeval.own.screening_outcomes.pair_outcomes`.
    budget
        Share of the images with an outcome that is captured again.

    Returns
    -------
    dict
        ``budget``, ``draws`` and ``cells``. Each cell has ``condition``, ``models`` (with outcomes under the
        condition), ``models_without_failures``, ``n`` (images with an outcome), ``without_outcome`` (images of the
        ranking left out; of a pool, those that lack the outcome of a model that is correct on the clean image),
        ``captured`` (images within the budget), ``failures`` (added up over the models), ``ceiling`` (the largest
        recall that so many images allow), ``recall`` (ties at the cutoff prorated) and ``auroc`` (ties one half), the
        last two with an ``..._interval`` from resampled images and the number of draws that leave them undefined,
        ``..._undefined_draws``. For a pool, ceiling, recall and AUROC are means over the models for which they are
        defined. None stands for undefined values: without failures, and of AUROC also with failures only.
    """
    flags = _Flags.of(ranking, models, outcomes)
    cells: dict[str, Answer] = {}
    for conditions, chosen, kept in flags.alike():
        failed = np.stack([flags.failed[condition][chosen][:, kept] for condition in conditions])
        cells |= zip(conditions, _cells(-ranking.ties[kept], failed, flags.right[chosen][:, kept], budget), strict=True)
    return {
        "budget": budget,
        "draws": DRAWS,
        "cells": [
            {"condition": condition, **cells[condition], "without_outcome": len(ranking.table) - cells[condition]["n"]}
            for condition in flags.known
        ],
    }


@dataclass(frozen=True)
class _Flags:
    """Facts on models and images, arrays of shape ``(models, images)`` in the order of a ranking.

    Attributes
    ----------
    right
        Whether the model is correct on the clean image.
    known, failed
        By condition: whether there is an outcome of such an image, and whether it is a failure.
    """

    right: np.ndarray
    known: Mapping[str, np.ndarray]
    failed: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, ranking: Ranking, models: Sequence[ProbedModel], outcomes: Mapping[str, RealOutcomes]) -> "_Flags":
        images = pd.Index(ranking.table["image_id"])
        conditions = dict.fromkeys(condition for model in models for condition in outcomes[model.name].known)
        shape = (len(models), len(images))
        right = np.zeros(shape, dtype=bool)
        known, failed = ({condition: np.zeros(shape, dtype=bool) for condition in conditions} for _ in range(2))
        for row, model in enumerate(models):
            place = images.get_indexer(pd.Index(model.of_ranked("image_id")))
            right[row, place] = True
            for condition, flags in outcomes[model.name].known.items():
                known[condition][row, place] = flags
                failed[condition][row, place] = outcomes[model.name].failed[condition]
        return cls(right, known, failed)

    def alike(self) -> Iterator[tuple[list[str], np.ndarray, np.ndarray]]:
        """Yield conditions with outcomes of the same models and images, these models, and these images, as flags."""
        groups: dict[bytes, tuple[list[str], np.ndarray, np.ndarray]] = {}
        for condition, known in self.known.items():
            chosen = np.asarray(known.any(axis=1))
            kept = known.any(axis=0) & (known | ~self.right)[chosen].all(axis=0)
            key = chosen.tobytes() + kept.tobytes()
            groups.setdefault(key, ([], chosen, kept))[0].append(condition)
        yield from groups.values()


def _cells(risk: np.ndarray, failed: np.ndarray, right: np.ndarray, budget: float) -> list[Answer]:
    """Measure conditions with the same images.

    Parameters
    ----------
    risk
        Shape ``(n,)``.
    failed
        Bool, shape ``(conditions, models, n)``.
    right
        Images of each model, bool, shape ``(models, n)``.
    budget
        Share of the images.
    """
    images = len(risk)
    point = _measured(risk, failed, right, budget, None)
    drawn = [_measured(risk, failed, right, budget, weights) for weights in drawn_images(images, DRAWS)]
    spread = np.concatenate([np.empty((*point.shape, 0)), *drawn], axis=2)
    failures = failed.sum(axis=2)
    captured = int(budget_size(np.array(images), [budget])[0]) if images else 0
    cells = []
    for place, counts in enumerate(failures):
        cell: Answer = {
            "models": len(right),
            "models_without_failures": int((counts == 0).sum()),
            "n": images,
            "captured": captured,
            "failures": int(counts.sum()),
            "ceiling": _value(_mean_over_models(attainable_ceiling(counts, np.array(images), [budget]).T)[0]),
        }
        for name, value, draws in zip(("recall", "auroc"), point[:, place], spread[:, place], strict=True):
            ends = percentile_ends(draws[:, np.newaxis])[:, 0]
            cell[name] = _value(value)
            cell[f"{name}_interval"] = None if np.isnan(ends).any() else ends.tolist()
            cell[f"{name}_undefined_draws"] = int(np.isnan(draws).sum())
        cells.append(cell)
    return cells


def _value(number: float) -> float | None:
    return None if np.isnan(number) else float(number)


def _measured(
    risk: np.ndarray, failed: np.ndarray, right: np.ndarray, budget: float, weights: np.ndarray | None
) -> np.ndarray:
    """Return recall and AUROC averaged over models, shape ``(2, conditions)`` or ``(2, conditions, draws)``."""
    conditions, models, images = failed.shape
    flat = recall_at_budgets(risk[np.newaxis], failed.reshape(conditions * models, images), [budget], weights)[0, :, 0]
    recall = flat.reshape(conditions, models, *flat.shape[1:])
    area = np.empty_like(recall)
    for model, members in enumerate(right):
        copies = None if weights is None else weights[members]
        area[:, model] = auroc(risk[np.newaxis, members], failed[:, model, members], copies)[0]
    return np.stack([_mean_over_models(values) for values in (recall, area)])


def _mean_over_models(values: np.ndarray) -> np.ndarray:
    """Average over the second axis, undefined values left out."""
    return conditional_mean(np.nansum(values, axis=1), (~np.isnan(values)).sum(axis=1))


def drawn_images(images: int, draws: int) -> Iterator[np.ndarray]:
    """Yield how often each draw takes each image, with replacement, int, shape ``(images, some draws)``.

    The seed is fixed and depends on the number of images alone.

    Examples
    --------
    >>> [weights.sum(axis=0).tolist() for weights in drawn_images(7, draws=3)]
    [[7, 7, 7]]
    """
    random = np.random.default_rng(derive_seed("screening outcomes", images, bits=64))
    step = max(1, _CHUNK // max(1, images))
    for start in range(0, draws if images else 0, step):
        size = min(step, draws - start)
        taken = random.integers(images, size=(size, images)) + images * np.arange(size)[:, np.newaxis]
        yield np.bincount(taken.ravel(), minlength=size * images).reshape(size, images).T
