"""Words for differences between screening scores: exact for every outcome, clear gain, clear loss or neither."""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import pandas as pd

from pairedeval.report.names import listed, ordered_sources, source_name
from pairedeval.report.render import format_value
from pairedeval.report.screening_rows import AUROC, BUDGETS, choose, differences_of, means_of, signed, tier_rows
from pairedeval.report.table import Column
from pairedeval.tiers import MILD

Name = TypeVar("Name")
Verdict = Literal["above", "open", "below", "undefined"]
# Where an interval lies.
PLACES: dict[Verdict, str] = {
    "above": "lies above 0",
    "open": "contains 0",
    "below": "lies below 0",
    "undefined": "is undefined",
}


@dataclass(frozen=True)
class Gap:
    """A mean difference between two scores in one metric, a share, with the ends of its 95% intervals.

    Attributes
    ----------
    metric
        Metric of the difference.
    mean
        Mean over cells; NaN if undefined.
    groups, classes
        Ends from resampled model groups and from resampled true classes; NaN if undefined.
    """

    metric: str
    mean: float
    groups: tuple[float, float]
    classes: tuple[float, float]

    @property
    def verdict(self) -> Verdict:
        """Where the interval from model groups lies."""
        return _place(self.mean, *self.groups)

    @property
    def by_classes(self) -> Verdict:
        """Where the interval from true classes lies."""
        return _place(self.mean, *self.classes)

    @property
    def settled(self) -> Verdict:
        """Where both intervals lie, open if they disagree; that from model groups alone if it is the only one."""
        if self.by_classes in ("undefined", self.verdict):
            return self.verdict
        return "open"

    @property
    def words(self) -> str:
        """The mean with its interval from model groups."""
        if math.isnan(self.mean):
            return "undefined"
        unit = "" if self.metric == AUROC else " points"
        return f"{amount(self.mean, self.metric)}{unit} {ends(self.groups, self.metric)}".rstrip()


@dataclass(frozen=True)
class Scores:
    """What the findings say of scores on one half of the images.

    Attributes
    ----------
    mean
        Function of column, source, tier, score and metric.
    difference
        Function of column, source, tier, score, baseline and metric.
    tiers
        Sources with their tiers, in printed order.
    simulated
        Sources with simulated data.
    """

    mean: Callable[..., float]
    difference: Callable[..., float]
    tiers: Sequence[tuple[str, str]]
    simulated: Collection[str]

    @property
    def mild(self) -> list[str]:
        """Sources with mild conditions."""
        return [source for source, tier in self.tiers if tier == MILD]

    def name(self, source: str) -> str:
        """Return the printed name of a source."""
        return source_name(source, self.simulated)

    def level(self, source: str, score: str, metric: str, tier: str = MILD) -> str:
        """Return a mean in words."""
        return level_words(self.mean("mean", source, tier, score, metric), metric)

    def gap(self, source: str, score: str, baseline: str, metric: str, tier: str = MILD) -> Gap:
        """Return the difference between two scores."""
        mean, *interval = (
            self.difference(column, source, tier, score, baseline, metric)
            for column in ("mean", "group_lower", "group_upper", "class_lower", "class_upper")
        )
        return Gap(metric, mean, (interval[0], interval[1]), (interval[2], interval[3]))


def read_scores(
    means: pd.DataFrame, differences: pd.DataFrame, simulated: Collection[str], half: str, images: str = "all"
) -> Scores:
    """Return what one half of the images and one set of them say.

    Parameters
    ----------
    means, differences
        Rows per source, half, tier, images, score and metric; differences per baseline as well, with both intervals.
    simulated
        Sources with simulated data.
    half, images
        As for `pairedeval.report.screening_rows.choose`.
    """
    place = "findings"
    chosen = choose(means, place, half, images)
    between = differences_of(choose(differences, place, half, images), place)
    return Scores(means_of(chosen), between, tier_rows(chosen), simulated)


def _place(mean: float, lower: float, upper: float) -> Verdict:
    if math.isnan(mean + lower + upper):
        return "undefined"
    return "above" if lower > 0 else "below" if upper < 0 else "open"


def amount(difference: float, metric: str) -> str:
    """Write a difference: AUROC as a number, recall in percentage points.

    Examples
    --------
    >>> amount(0.0539, "auroc"), amount(-0.0081, "recall_20")
    ('+0.054', '−0.8')
    """
    return signed(difference) if metric == AUROC else signed_points(difference)


def signed_points(difference: float) -> str:
    """Write a difference of shares in percentage points.

    Examples
    --------
    >>> signed_points(0.0326), signed_points(-0.0001)
    ('+3.3', '0.0')
    """
    return format_value(difference, Column("", "", "share", decimals=1, signed=True))


def level_words(share: float, metric: str) -> str:
    """Write a mean: AUROC as a number, recall in percent.

    Examples
    --------
    >>> level_words(0.8169, "auroc"), level_words(0.6216, "recall_20"), level_words(float("nan"), "auroc")
    ('0.817', '62.2%', 'undefined')
    """
    if math.isnan(share):
        return "undefined"
    return f"{share:.3f}" if metric == AUROC else f"{100 * share:.1f}%"


def ends(interval: tuple[float, float], metric: str) -> str:
    """Write the ends of an interval, nothing if it is undefined.

    Examples
    --------
    >>> ends((0.0051, 0.0606), "recall_20")
    '[+0.5, +6.1]'
    """
    low, high = (amount(end, metric) for end in interval)
    return "" if math.isnan(sum(interval)) else f"[{low}, {high}]"


def budget_words(metric: str) -> str:
    """Write the budget of a recall.

    Examples
    --------
    >>> budget_words("recall_20")
    '20%'
    """
    return f"{100 * BUDGETS[metric]:.0f}%"


def sort_by_verdict(gaps: Iterable[tuple[Name, Gap]]) -> dict[Verdict, list[Name]]:
    """Return the names of differences by where their intervals from model groups lie, without empty places.

    Examples
    --------
    >>> gap = Gap("auroc", 0.2, (0.1, 0.3), (0.1, 0.3))
    >>> sort_by_verdict([("ES", gap)])
    {'above': ['ES']}
    """
    found = [(name, gap.verdict) for name, gap in gaps]
    sorted_names = {place: [name for name, verdict in found if verdict == place] for place in PLACES}
    return {place: names for place, names in sorted_names.items() if names}


def by_source(places: Iterable[tuple[str, str]], order: Sequence[str], simulated: Collection[str]) -> str:
    """Name what is true of a source, such as tiers or budgets, source by source.

    Parameters
    ----------
    places
        Sources and words.
    order
        All words in printed order.
    simulated
        Sources with simulated data.

    Examples
    --------
    >>> by_source([("es", "severe"), ("es", "mild"), ("diverse", "mild")], ["mild", "severe"], {"es"})
    'mild and severe on ES (simulated) and mild on Diverse'
    """
    given = list(places)
    return listed(
        f"{listed(word for word in order if (source, word) in given)} on {source_name(source, simulated)}"
        for source in ordered_sources(source for source, _ in given)
    )
