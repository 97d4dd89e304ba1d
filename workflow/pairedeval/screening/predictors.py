"""Frozen logistic predictors of failure from image-level quantities (Section 5.1, Appendix E.1).

They are fitted on the clean-correct images of one half, pooled over the real conditions of a source, and rank the
images of the other half. An image has the same quantities under every condition, so its rows are pooled: once with the
number of conditions under which it fails as weight, once with the number of the others. The optimum is the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

# S, U, ret and delta, in the order of the coefficients of a table of fits.
QUANTITIES = ("confidence", "corruption_mean", "retention", "confidence_decrease")
# g(S), g(S, U), g(S, U, ret) and g(S, delta).
PREDICTORS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "predictor_confidence": ("confidence",),
        "predictor_confidence_mean": ("confidence", "corruption_mean"),
        "predictor_confidence_mean_retention": ("confidence", "corruption_mean", "retention"),
        "predictor_confidence_decrease": ("confidence", "confidence_decrease"),
    }
)
INVERSE_REGULARISATION = 1.0


@dataclass(frozen=True)
class LogisticPredictor:
    """A logistic model of failure.

    Attributes
    ----------
    quantities
        Names of its quantities, of `QUANTITIES`.
    centre, scale
        Mean and standard deviation of each quantity over the fitting images, shape ``(quantities,)``; the scale of
        a constant one is 1.
    coefficients
        Change of the log-odds of failure per standard deviation, shape ``(quantities,)``; NaN if nothing was fitted.
    intercept
        Log-odds at the centre; NaN if nothing was fitted.
    """

    quantities: tuple[str, ...]
    centre: np.ndarray
    scale: np.ndarray
    coefficients: np.ndarray
    intercept: float

    @property
    def fitted(self) -> bool:
        """Whether the fitting images had both outcomes."""
        return not np.isnan(self.intercept)

    def risk(self, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the log-odds of failure of each image, shape ``(n,)``; as probabilities they would round to ties."""
        standardised = (_columns(values, self.quantities) - self.centre) / self.scale
        risk: np.ndarray = self.intercept + (standardised * self.coefficients).sum(axis=1)
        return risk


def fit_predictor(values: Mapping[str, np.ndarray], failures: np.ndarray, name: str) -> LogisticPredictor:
    """Fit one predictor: L-BFGS, inverse regularisation strength 1, quantities standardised on the fitting images.

    Parameters
    ----------
    values
        Quantities of the clean-correct images of the fitting half, shape ``(n,)`` each.
    failures
        Their failures under each real condition, bool, shape ``(conditions, n)``.
    name
        One of `PREDICTORS`.

    Returns
    -------
    LogisticPredictor
        Without coefficients if all fitting outcomes are the same.
    """
    quantities = PREDICTORS[name]
    columns = _columns(values, quantities)
    failed = failures.sum(axis=0)
    if not 0 < failed.sum() < failures.size:
        unknown = np.full(len(quantities), np.nan)
        return LogisticPredictor(quantities, unknown, unknown, unknown, float("nan"))
    centre, spread = columns.mean(axis=0), columns.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    coefficients, intercept = _maximise((columns - centre) / scale, failed, len(failures) - failed)
    return LogisticPredictor(quantities, centre, scale, coefficients, intercept)


def fits_table(predictors: Mapping[str, LogisticPredictor]) -> pd.DataFrame:
    """Tabulate fitted predictors.

    Returns
    -------
    pandas.DataFrame
        One row a predictor: ``predictor``, ``coefficient_<quantity>`` for each of `QUANTITIES` (NaN if it has none),
        ``intercept``, ``reversed`` (g(S) alone: the predicted risk increases with S) and ``fitted``.
    """
    rows = []
    for name, predictor in predictors.items():
        coefficients = dict(zip(predictor.quantities, predictor.coefficients, strict=True))
        rows.append(
            {
                "predictor": name,
                **{f"coefficient_{quantity}": coefficients.get(quantity, np.nan) for quantity in QUANTITIES},
                "intercept": predictor.intercept,
                "reversed": predictor.quantities == ("confidence",) and bool(predictor.coefficients[0] > 0),
                "fitted": predictor.fitted,
            }
        )
    return pd.DataFrame(rows)


def _columns(values: Mapping[str, np.ndarray], quantities: tuple[str, ...]) -> np.ndarray:
    return np.column_stack([values[quantity] for quantity in quantities])


def _maximise(standardised: np.ndarray, failed: np.ndarray, passed: np.ndarray) -> tuple[np.ndarray, float]:
    """Return coefficients and intercept of the penalised maximum, the intercept without penalty."""
    from sklearn.linear_model import LogisticRegression

    # The default tolerance stops early enough to show in the coefficients.
    model = LogisticRegression(C=INVERSE_REGULARISATION, solver="lbfgs", tol=1e-8, max_iter=10_000)
    outcome = np.repeat([1, 0], len(standardised))
    model.fit(np.tile(standardised, (2, 1)), outcome, sample_weight=np.concatenate([failed, passed]))
    return model.coef_[0], float(model.intercept_[0])
