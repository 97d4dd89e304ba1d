"""Nested leave-one-group-out predictions, and the same after deleting a group altogether (Appendices H.4 and I.2).

The prediction for a model comes from a fit without its group. The penalty of that fit is the one with the smallest
error in an inner loop, which leaves out each other group in turn. A deleted group takes part in nothing, so every fit
of the whole procedure leaves out one, two or three groups, in whatever order, and each such fit is made once.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from pairedeval.errors import RecordsError
from pairedeval.prediction.ridge import PENALTIES, fit_ridge

# An outer and an inner group are left out, and something must remain to fit; a deleted group needs one more.
LEAST_GROUPS = 3


@dataclass(frozen=True)
class Folds:
    """Which fits the nested procedure needs.

    A *variant* is the full pool (the first one) or the pool without one group (the others, in the order of groups).

    Attributes
    ----------
    group
        Group of each model, from 0, shape ``(models,)``.
    training
        Models of each fit, bool, shape ``(fits, models)``.
    fit
        Fit that leaves out the deleted, an outer and an inner group, shape ``(variants, groups, groups)``; with the
        same outer and inner group it is the outer fit.
    kept
        Models of each variant, bool, shape ``(variants, models)``.
    """

    group: np.ndarray
    training: np.ndarray
    fit: np.ndarray
    kept: np.ndarray

    @classmethod
    def of(cls, group: np.ndarray, deletions: bool = False) -> "Folds":
        """Arrange the fits of all outer and inner folds.

        Parameters
        ----------
        group
            Group of each model, numbered from 0 without gaps.
        deletions
            Whether to delete each group in turn as well; with three groups nothing is left to delete.

        Raises
        ------
        RecordsError
            If there are fewer than three groups.

        Examples
        --------
        >>> folds = Folds.of(np.arange(10), deletions=True)
        >>> folds.training.shape, folds.fit.shape  # 10 + 45 + 120 distinct fits
        ((175, 10), (11, 10, 10))
        """
        groups = int(group.max(initial=-1)) + 1
        if groups < LEAST_GROUPS:
            raise RecordsError(
                f"prediction across model groups needs at least {LEAST_GROUPS} groups, not {groups}; add models"
            )
        variants = [(), *((deleted,) for deleted in range(groups) if deletions and groups > LEAST_GROUPS)]
        places: dict[frozenset[int], int] = {}
        fit = np.empty((len(variants), groups, groups), dtype=np.int64)
        for variant, outer, inner in product(range(len(variants)), range(groups), range(groups)):
            left_out = frozenset((*variants[variant], outer, inner))
            fit[variant, outer, inner] = places.setdefault(left_out, len(places))
        training = np.array([~np.isin(group, list(left_out)) for left_out in places])
        kept = np.array([~np.isin(group, variant) for variant in variants])
        return cls(group, training, fit, kept)


def nested_predictions(features: np.ndarray, targets: np.ndarray, folds: Folds) -> tuple[np.ndarray, np.ndarray]:
    """Predict every model from the groups it does not belong to.

    Parameters
    ----------
    features
        NaN where missing, shape ``(replicates, models, features)``; each replicate is predicted by itself.
    targets
        Shares, shape ``(models, targets)``.
    folds
        See `Folds`.

    Returns
    -------
    predicted, penalty
        Predicted shares and the penalty of the fit they come from, shape ``(variants, replicates, models, targets)``;
        NaN for models of the deleted group.
    """
    shares = fit_ridge(features, targets, folds.training).predict(features)
    # From (replicates, fits, penalties, models, targets): a fit and a model are chosen together.
    by_fit = np.transpose(shares, (1, 3, 2, 0, 4))
    variants = [_select(by_fit, targets, folds.group, *variant) for variant in zip(folds.fit, folds.kept, strict=True)]
    predicted, penalty = (np.stack(parts) for parts in zip(*variants, strict=True))
    return predicted, penalty


def _select(
    by_fit: np.ndarray, targets: np.ndarray, group: np.ndarray, fit: np.ndarray, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Choose the penalty of each outer group by the mean absolute error over inner models, on the scale of shares.

    Parameters
    ----------
    by_fit
        Predicted shares, shape ``(fits, models, penalties, replicates, targets)``.
    targets
        Shares, shape ``(models, targets)``.
    group, fit, kept
        As in `Folds`, the latter two of one variant.
    """
    models = np.arange(len(group))
    # For outer group i and model m: the fit without i and the group of m, which for m in i is the outer fit.
    found = by_fit[fit[:, group], models]
    inner = kept & (group != np.arange(len(fit))[:, None])
    errors = np.where(inner[..., None, None, None], np.abs(found - targets[:, None, None]), 0.0)
    # Every inner model weighs the same, so the sum ranks penalties as the mean does; ties go to the smallest penalty.
    best = errors.sum(axis=1).argmin(axis=1)[group]
    predicted = np.take_along_axis(found[group, models], best[:, None], axis=1)[:, 0]
    chosen = np.asarray(PENALTIES)[best]
    for values in (predicted, chosen):
        values[~kept] = np.nan
    return np.moveaxis(predicted, 0, 1), np.moveaxis(chosen, 0, 1)
