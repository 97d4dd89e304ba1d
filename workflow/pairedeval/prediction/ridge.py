"""Ridge regressions on many training sets, penalties and targets at once (Appendix H.4).

Features are imputed and standardised with statistics of the training models alone. The fit minimises the squared errors
of the probit of the targets plus the penalty times the squared coefficients; the intercept is free.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
# Targets this close to 0 or 1 are moved inwards before the probit.
MARGIN = 1e-4


def probit(share: np.ndarray) -> np.ndarray:
    """Return the standard-normal quantile of shares, clipped to [1e-4, 1 - 1e-4]."""
    quantile: np.ndarray = ndtri(np.clip(share, MARGIN, 1 - MARGIN))
    return quantile


@dataclass(frozen=True)
class RidgeFits:
    """Fits of `replicates` versions of the features on `fits` training sets.

    Attributes
    ----------
    fill
        Value of a missing feature: median of the training models, 0 if it is missing in all of them; shape
        ``(replicates, fits, features)``.
    mean, scale
        Mean and standard deviation of the training models after imputation, same shape; a constant feature has scale 1.
    intercept
        Mean probit of the training targets, shape ``(fits, targets)``.
    coefficients
        Of the standardised features, shape ``(replicates, fits, penalties, features, targets)``.
    """

    fill: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    intercept: np.ndarray
    coefficients: np.ndarray

    def predict(self, features: np.ndarray) -> np.ndarray:
        """Predict shares.

        Parameters
        ----------
        features
            Features of models, NaN where missing, shape ``(replicates, models, features)``.

        Returns
        -------
        numpy.ndarray
            Shape ``(replicates, fits, penalties, models, targets)``.
        """
        standard = (_imputed(features, self.fill) - self.mean[:, :, None]) / self.scale[:, :, None]
        quantiles = standard[:, :, None] @ self.coefficients + self.intercept[:, None, None]
        shares: np.ndarray = ndtr(quantiles)
        return shares


def fit_ridge(
    features: np.ndarray, targets: np.ndarray, training: np.ndarray, penalties: tuple[float, ...] = PENALTIES
) -> RidgeFits:
    """Fit every training set, penalty and target.

    Parameters
    ----------
    features
        NaN where missing, shape ``(replicates, models, features)``.
    targets
        Shares, shape ``(models, targets)``.
    training
        Models of each training set, at least one, bool, shape ``(fits, models)``. What the others hold, were it NaN or
        infinite, does not enter.
    penalties
        Ridge penalties.

    Examples
    --------
    A constant feature explains nothing, so the prediction is the training mean of the probits.

    >>> fits = fit_ridge(np.ones((1, 3, 1)), np.array([[0.5], [0.5], [0.9]]), np.array([[True, True, False]]))
    >>> float(fits.predict(np.ones((1, 3, 1)))[0, 0, 0, 2, 0])
    0.5
    """
    inside = training[None, :, :, None]
    fill = _training_medians(features, training)
    known = np.where(inside, _imputed(features, fill), 0.0)
    count = training.sum(axis=1)
    mean = known.sum(axis=2) / count[:, None]
    varies = _varies(known, inside)
    centred = np.where(inside & varies[:, :, None], known - mean[:, :, None], 0.0)
    scale = np.where(varies, np.sqrt((centred**2).sum(axis=2) / count[:, None]), 1.0)
    standard = centred / scale[:, :, None]
    quantiles = np.where(training[:, :, None], probit(targets), 0.0)
    intercept = quantiles.sum(axis=1) / count[:, None]
    residual = np.where(training[:, :, None], quantiles - intercept[:, None], 0.0)
    return RidgeFits(fill, mean, scale, intercept, _coefficients(standard, residual, np.asarray(penalties)))


def _imputed(features: np.ndarray, fill: np.ndarray) -> np.ndarray:
    """Fill missing features, shape ``(replicates, fits, models, features)``."""
    return np.where(np.isnan(features)[:, None], fill[:, :, None], features[:, None])


def _training_medians(features: np.ndarray, training: np.ndarray) -> np.ndarray:
    """Return the median of each feature's known training values or 0, shape ``(replicates, fits, features)``."""
    by_feature = np.swapaxes(features, 1, 2)[:, None]
    # Unknown values sort to the end.
    ordered = np.sort(np.where(training[:, None], by_feature, np.nan), axis=-1)
    count = (~np.isnan(ordered)).sum(axis=-1, keepdims=True)
    lower, upper = (
        np.take_along_axis(ordered, place, axis=-1)[..., 0] for place in (np.maximum(count - 1, 0) // 2, count // 2)
    )
    return np.where(count[..., 0] > 0, (lower + upper) / 2, 0.0)


def _varies(known: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Tell which features differ between training models: a deviation of rounding alone must not be scaled up."""
    highest = np.where(inside, known, -np.inf).max(axis=2)
    lowest = np.where(inside, known, np.inf).min(axis=2)
    varies: np.ndarray = highest > lowest
    return varies


def _coefficients(standard: np.ndarray, residual: np.ndarray, penalties: np.ndarray) -> np.ndarray:
    """Solve the normal equations of every penalty by one decomposition of each Gram matrix."""
    transposed = np.swapaxes(standard, -1, -2)
    values, vectors = np.linalg.eigh(transposed @ standard)
    projected = np.swapaxes(vectors, -1, -2) @ (transposed @ residual)
    shrunk = projected[:, :, None] / (values[:, :, None, :, None] + penalties[:, None, None])
    coefficients: np.ndarray = vectors[:, :, None] @ shrunk
    return coefficients
