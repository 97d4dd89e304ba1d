"""Findings on model-level prediction in words, made from tidy results."""

from collections.abc import Callable, Collection, Mapping, Sequence

import pandas as pd

from pairedeval.report.findings import Finding
from pairedeval.report.names import MINUS, counted, listed, ordered_sources, source_name
from pairedeval.report.results import lookup
from pairedeval.report.tables_prediction import (
    ACCURACY_AND_RISK,
    KEYS,
    PRIMARY_FEATURES,
    TARGET_SYMBOLS,
    gain_in_points,
    settings,
)


def prediction_findings(results: Mapping[str, pd.DataFrame], simulated: Collection[str] = ()) -> list[Finding]:
    """Say what unpaired and paired summaries add to predictions across model groups, and how far this holds.

    Parameters
    ----------
    results
        Frames by the name of their file in ``analyses/``: `prediction_gains` and `prediction_thresholds` of
        `pairedeval.prediction.summaries`, `prediction_correlations` and `prediction_checks` of
        `pairedeval.prediction.checks`.
    simulated
        Sources with simulated data.
    """
    gains, thresholds = results["prediction_gains"], results["prediction_thresholds"]
    texts = {
        "prediction_gains": [_unpaired(gains, simulated), _paired(gains, simulated), _deletions(gains, simulated)],
        "prediction_thresholds": [_thresholds(thresholds)],
        "prediction_correlations": [_ranks(results["prediction_correlations"], simulated)],
        "prediction_checks": [_lost_acceptance(results["prediction_checks"], simulated)],
    }
    return [Finding(text, f"analyses/{name}.parquet") for name, found in texts.items() for text in found if text]


def _unpaired(gains: pd.DataFrame, simulated: Collection[str]) -> str:
    value = lookup(gains, list(KEYS))
    kept = settings(gains, [PRIMARY_FEATURES], ACCURACY_AND_RISK)
    worse = sum(value("gain", *setting, "counterparts", "B_ind") < 0 for setting in kept)
    each = _per_source(gains, simulated, lambda *setting: signed(100 * value("gain", *setting, "unpaired", "B1")))
    return (
        "Unpaired features of the responses to Syn, added to clean accuracies, lower the mean absolute error of "
        f"predictions for models of held-out groups by {each} percentage points; a negative number is an increase. "
        f"Adding the independent counterparts of the paired summaries raises it in {worse} of these "
        f"{counted(len(kept), 'setting')}."
    )


def _paired(gains: pd.DataFrame, simulated: Collection[str]) -> str:
    value = lookup(gains, list(KEYS))
    each = _per_source(gains, simulated, lambda *setting: _interval(gain_in_points(value, *setting, "augmented", "C1")))
    return (
        "Added to these counterparts, the paired rates of label change, confidence changes and confidence correlations "
        f"lower the error by {each}."
    )


def _deletions(gains: pd.DataFrame, simulated: Collection[str]) -> str:
    value = lookup(gains, list(KEYS))
    if not gains["deletions"].any():
        return ""

    def words(*setting: str) -> str:
        positive, refits, *ends = (
            value(name, *setting, "augmented", "C1")
            for name in ("positive_deletions", "deletions", "deletion_lowest", "deletion_highest")
        )
        low, high = (signed(100 * end) for end in ends)
        return f"{positive:.0f} of {refits:.0f} ({low} to {high})"

    return (
        "If one model group after the other is deleted from training and evaluation, this gain stays positive in so "
        f"many refits: {_per_source(gains, simulated, words)}."
    )


def _thresholds(thresholds: pd.DataFrame) -> str:
    rows = thresholds[
        (thresholds["features"] == PRIMARY_FEATURES)
        & (thresholds["weighting"] == "model")
        & (thresholds["rule"] == "target range")
        & ((thresholds["share"] - 0.1).abs() < 1e-9)
    ]
    drop = rows[(rows["comparison"] == "controlled") & (rows["step"] == "C3a")]
    first = rows[(rows["comparison"] == "augmented") & (rows["step"] == "C1")]
    return (
        "A gain of a tenth of the target's interquartile range counts as practical. The first paired step, added to "
        f"all independent counterparts, reaches it in {int(first['reached'].sum())} of "
        f"{counted(len(first), 'setting')} from Syn. For {{dM_k}}, added after the preceding steps and its independent "
        f"counterpart, the whole interval stays below it in {int(drop['excluded'].sum())} of {len(drop)}."
    )


def _ranks(correlations: pd.DataFrame, simulated: Collection[str]) -> str:
    rows = correlations[correlations["quantity"] == "confidence_drop"]
    value = lookup(rows[rows["features"] == PRIMARY_FEATURES], ["source", "version"])
    each = [
        f"{value('correlation', source, 'paired'):.2f} and {value('correlation', source, 'independent'):.2f} on "
        f"{source_name(source, simulated)}"
        for source in ordered_sources(rows["source"])
    ]
    return (
        "The ranks of the models by the paired and by the independent {dM_k} on Syn correlate with those by the real "
        f"one at {listed(each)}."
    )


def _lost_acceptance(checks: pd.DataFrame, simulated: Collection[str]) -> str:
    largest = 100 * checks["largest_difference"].max()
    size = "exactly" if largest == 0 else f"to {largest:.1e} percentage points"
    value = lookup(checks, ["source"])
    widths = [
        f"{100 * value('width_separate', source):.2f} and {100 * value('width_overlap', source):.2f} points on "
        f"{source_name(source, simulated)}"
        for source in ordered_sources(checks["source"])
    ]
    return (
        f"The predicted {{L}} equals the observed one of the bounds {size} for "
        f"{counted(int(checks['models'].sum()), 'pair')} of model and source; its mean interval in these cells is "
        f"{listed(widths)} wide, without and with the overlap."
    )


def _per_source(gains: pd.DataFrame, simulated: Collection[str], words: Callable[..., str]) -> str:
    """Write accuracy and R80 of each target source."""
    parts = []
    for source in ordered_sources(gains["source"]):
        each = [
            f"{words(PRIMARY_FEATURES, source, target)} for {TARGET_SYMBOLS[target][0]}" for target in ACCURACY_AND_RISK
        ]
        parts.append(f"{listed(each)} on {source_name(source, simulated)}")
    return "; ".join(parts)


def signed(points: float) -> str:
    """Write percentage points with their sign; a rounded zero has none.

    Examples
    --------
    >>> signed(1.096), signed(-0.12), signed(-0.001)
    ('+1.10', '−0.12', '0.00')
    """
    text = f"{points:+.2f}"
    return text[1:] if float(text) == 0 else text.replace("-", MINUS)


def _interval(values: Sequence[float]) -> str:
    number, low, high = (signed(value) for value in values)
    return f"{number} [{low}, {high}]"
