"""Means of the metrics over the cells of each tier in class draws (Appendix E.1, "Two resampling schemes")."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pairedeval.resampling import DrawnMeans, class_draws, image_weights
from pairedeval.screening.evaluation import measure
from pairedeval.screening.grouping import METRICS
from pairedeval.screening.model_tables import ScoredHalf
from pairedeval.screening.scores import SCORES
from pairedeval.tiers import TIERS


class TierDraws:
    """Gathers the class draws of one source and half, model by model.

    Parameters
    ----------
    classes
        The true classes of the source's images in this half, ascending.
    tiers
        Tier of each condition by kind of tier (``tier_by``), conditions in the order of the models.
    seed
        Seed of the study.
    draws
        Number of class draws; every cell shares them.
    """

    def __init__(self, classes: np.ndarray, tiers: Mapping[str, Sequence[str]], seed: int, draws: int) -> None:
        self._classes = classes
        self._drawn = class_draws(len(classes), seed, draws)
        self._rows = [(by, tier) for by in tiers for tier in TIERS]
        self._members = np.array([[name == tier for name in tiers[by]] for by, tier in self._rows])
        self._means = DrawnMeans((len(self._rows), len(SCORES), len(METRICS), draws))

    def add(self, scored: ScoredHalf) -> None:
        """Add the cells of one model, all images."""
        ranked = scored.ranked[0]
        weights = image_weights(scored.half.responses.labels[ranked.images], self._classes, self._drawn)
        risks = {score: ranked.risks[score] for score in SCORES}
        self._means.add(measure(risks, scored.half.failures[:, ranked.images], weights), self._members)

    def table(self) -> pd.DataFrame:
        """Return rows per ``tier_by``, ``tier``, ``score``, ``metric`` and ``draw``: ``mean`` and ``cells``.

        Tiers without conditions have no rows.
        """
        mean, cells = self._means.mean, self._means.cells
        row, score, metric, draw = (place.ravel() for place in np.indices(mean.shape))
        by, tier = (np.array(names, dtype=object) for names in zip(*self._rows, strict=True))
        table = pd.DataFrame(
            {
                "tier_by": by[row],
                "tier": tier[row],
                "score": np.array(SCORES, dtype=object)[score],
                "metric": np.array(METRICS, dtype=object)[metric],
                "draw": draw,
                "mean": mean.ravel(),
                "cells": cells.ravel(),
            }
        )
        occupied = np.any(self._members, axis=1)
        return table[np.asarray(occupied)[row]].reset_index(drop=True)
