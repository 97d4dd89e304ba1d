"""Words that the tables and figures on decision consistency share: scores, operators, families and common notes."""

import math
from collections.abc import Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from pairedeval.consistency.attacks import DISPLACEMENT
from pairedeval.consistency.quantities import DEFAULT_WEIGHT
from pairedeval.consistency.reference import CALIBRATION_BINS
from pairedeval.consistency.shift import ALL_FAMILIES
from pairedeval.consistency.statistics import DRAWS
from pairedeval.report.names import counted
from pairedeval.report.score_names import ScoreName
from pairedeval.report.table import Column

Row = Mapping[Hashable, Any]
# Keys are the trust scores of `consistency.scores.SCORES`, and displacement.
SCORE_NAMES: Mapping[str, ScoreName] = MappingProxyType(
    {
        "msp": ScoreName("msp", "MSP", "largest softmax probability"),
        "margin": ScoreName("margin", "margin", "largest logit minus the second largest"),
        "entropy": ScoreName("entropy", "entropy", "negative entropy of the softmax"),
        "energy": ScoreName("energy", "energy", "negative free energy of the logits at temperature 1"),
        "doctor": ScoreName("doctor", "DOCTOR", "−(1 − g)/g, where g is the sum of the squared probabilities"),
        "tta_confidence": ScoreName(
            "tta_confidence", "TTA confidence", "largest entry of the mean softmax over the image and its views"
        ),
        "tta_agreement": ScoreName(
            "tta_agreement",
            "TTA agreement",
            "share of the image and its views whose prediction is that of the mean softmax",
        ),
        "stability": ScoreName("ls", "LS", "label stability, the share of operators that keep the prediction"),
        "deviation": ScoreName(
            "minus_cd",
            "−CD",
            "minus the confidence deviation, the mean absolute change of the largest probability over the operators",
        ),
        "consistency": ScoreName(
            "cs", "CS", f"consistency score, {DEFAULT_WEIGHT:g} LS + {1 - DEFAULT_WEIGHT:g} (1 − CD)"
        ),
        "consistency_tv": ScoreName(
            "cs_tv", "CS (total variation)", "CS with the mean total-variation distance of the softmax in place of CD"
        ),
        "consistency_rescaled": ScoreName(
            "cs_rescaled",
            "CS (rescaled)",
            "CS with the change relative to the largest probability, cut off at 1, in place of the change in CD",
        ),
        DISPLACEMENT: ScoreName(
            "minus_displacement",
            "−displacement",
            "minus the Euclidean distance of the logits from those of the image, mean over the operators",
        ),
    }
)
OPERATOR_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "noise": "Noise",
        "blur": "Blur",
        "brightness": "Brightness",
        "contrast": "Contrast",
        "rotation": "Rotation",
        "jpeg": "JPEG",
    }
)
# Families of corruptions, and all of them together.
FAMILY_NAMES: Mapping[str, str] = MappingProxyType(
    {"noise": "Noise", "blur": "Blur", "weather": "Weather", "digital": "Digital", ALL_FAMILIES: "All families"}
)
# The quantities of a model, in words that continue "LS: ".
QUANTITIES: Mapping[str, str] = MappingProxyType(
    {
        "LS": "label stability, the share of operators that keep the prediction of the original",
        "CD": "confidence deviation, the mean absolute change of the largest probability over the operators",
        "CS": f"consistency score, {DEFAULT_WEIGHT:g} LS + {1 - DEFAULT_WEIGHT:g} (1 − CD)",
        "CAG": "consistency-accuracy gap, accuracy minus mean CS; negative where wrong predictions are stable",
        "ECE": f"expected calibration error, {CALIBRATION_BINS} bins of equal width",
        "AUROC": "chance that an error is trusted less than a right prediction, ties one half; 0.5 is chance",
        "AURC": "area under the risk-coverage curve, lower is better",
    }
)
RUNS_NOTE = f"Brackets: 95% interval from {DRAWS:,} draws of the configurations and of their seeds; images are kept."
IMAGES_NOTE = (
    f"Brackets: 95% interval from {DRAWS:,} draws of the configurations, of their seeds and of the evaluation images, "
    "which all runs of a draw share."
)
MEANS_NOTE = "Means over the seeds of each configuration, then over configurations."
# The halves of the images, and the strength at which the operators act unless a table says otherwise.
CLEAN_NOTE = "Clean evaluation images and their versions by six mild operators at level 1."


def legend(scores: Iterable[str]) -> str:
    """Return a note that explains scores.

    Parameters
    ----------
    scores
        Keys of `SCORE_NAMES`.

    Examples
    --------
    >>> legend(["msp", "margin"])
    'MSP: largest softmax probability. margin: largest logit minus the second largest.'
    """
    return " ".join(f"{SCORE_NAMES[score].symbol}: {SCORE_NAMES[score].meaning}." for score in scores)


def glossary(*quantities: str) -> str:
    """Return a note that explains quantities.

    Parameters
    ----------
    quantities
        Keys of `QUANTITIES`.

    Examples
    --------
    >>> glossary("AURC")
    'AURC: area under the risk-coverage curve, lower is better.'
    """
    return " ".join(f"{name}: {QUANTITIES[name]}." for name in quantities)


def auroc_column(key: str, header: str, group: str = "", interval: bool = False, difference: bool = False) -> Column:
    """Return a column of AUROCs, or of differences between them, with three decimals.

    Parameters
    ----------
    key, header, group
        As for `pairedeval.report.table.Column`.
    interval
        Whether it holds intervals.
    difference
        Whether a positive number carries its sign.
    """
    return Column(key, header, "interval" if interval else "number", group, 3, difference)


def with_ends(row: Row) -> tuple[float, float, float]:
    """Return the mean of a row of intervals with its ends.

    Examples
    --------
    >>> with_ends({"mean": 0.2, "lower": 0.1, "upper": 0.3, "configurations": 4})
    (0.2, 0.1, 0.3)
    """
    return row["mean"], row["lower"], row["upper"]


def p_value_column(key: str = "p_value", header: str = "p", group: str = "") -> Column:
    """Return a column of p-values, with four decimals."""
    return Column(key, header, "number", group, 4)


def p_value_words(p_value: float) -> str:
    """Write a p-value in a sentence, a small one as its bound.

    Examples
    --------
    >>> p_value_words(0.1255), p_value_words(0.0002), p_value_words(float("nan"))
    ('p = 0.126', 'p < 0.001', 'p undefined')
    """
    if math.isnan(p_value):
        return "p undefined"
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def smallest_p_value(configurations: int) -> str:
    """Return a note on the smallest p-value that so many configurations can give.

    Parameters
    ----------
    configurations
        Number n of configurations in Wilcoxon's signed-rank test.

    Examples
    --------
    >>> smallest_p_value(4)
    'With 4 configurations no p-value of the signed-rank test can be below 2/2^4 = 0.125.'
    """
    least = min(1.0, 2 / 2**configurations)
    return (
        f"With {counted(configurations, 'configuration')} no p-value of the signed-rank test can be below "
        f"2/2^{configurations} = {least:.3g}."
    )


def counts_note(configurations: int, runs: int) -> str:
    """Return a note on how many configurations and runs a mean takes.

    Examples
    --------
    >>> counts_note(12, 36)
    '12 configurations, 36 runs. Means over the seeds of each configuration, then over configurations.'
    """
    return f"{counted(configurations, 'configuration')}, {counted(runs, 'run')}. {MEANS_NOTE}"


def undefined_notes(undefined: int, runs: int, what: str) -> list[str]:
    """Return a note on runs that lack a value because their errors cannot be ranked; none if all have one.

    Parameters
    ----------
    undefined, runs
        Number of runs without the value, and of all.
    what
        What they lack.

    Examples
    --------
    >>> undefined_notes(2, 36, "an AUROC"), undefined_notes(0, 36, "an AUROC")
    (['2 of 36 runs lack an AUROC and leave the means: all predictions, or none, are right.'], [])
    """
    if not undefined:
        return []
    return [
        f"{undefined} of {counted(runs, 'run')} lack {what} and leave the means: all predictions, or none, are right."
    ]
