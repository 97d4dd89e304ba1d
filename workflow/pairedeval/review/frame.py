"""Sampling frame, stratified sample and assignment of the human review (Appendix J.3).

The paper names 18 strata without defining them. Here they are source x tier x support: two sources, three tiers, and
three levels of the share of models that give the answer on the clean image (groups weighted equally; low and high as in
Appendix J.2). Identifiers are digests, so the file of a reviewer tells nothing about a stratum.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import atomic_path
from pairedeval.identification.levels import STRICTNESS
from pairedeval.seeds import digest

LOW_SUPPORT, HIGH_SUPPORT = 0.25, 0.75
LOW, MIDDLE, HIGH = SUPPORT_LEVELS = ("low", "middle", "high")
SAMPLE_COLUMNS = ("event_id", "source", "condition", "image_id", "answer", "stratum", "inclusion_probability")
_EVENT = ["source", "condition", "image_id", "answer"]
_ID_DIGITS = 16


def build_frame(events: Iterable[pd.DataFrame], tiers: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Give every event an identifier and a stratum.

    Parameters
    ----------
    events
        Result of `pairedeval.review.events.persistent_events`, one a source.
    tiers
        Columns ``source``, ``condition`` and ``tier``.
    seed
        Seed of the study.

    Returns
    -------
    pandas.DataFrame
        One row an event, sorted by ``event_id``, an order that no outcome decides: ``event_id``, ``source``,
        ``condition``, ``image_id``, ``answer`` (class id), ``tier``, ``models``, ``support`` (share),
        ``support_level`` and ``stratum`` (such as ``es/mild/low``).

    Raises
    ------
    RecordsError
        If a condition has no tier.
    """
    frame = pd.concat(list(events), ignore_index=True)
    frame = frame.merge(tiers[["source", "condition", "tier"]], on=["source", "condition"], how="left")
    untiered = frame[frame["tier"].isna()]
    if len(untiered):
        source, condition = untiered[["source", "condition"]].iloc[0]
        raise RecordsError(f"source {source}: condition {condition} has no tier; assign tiers from all models' records")
    frame["support_level"] = support_level(frame["support"].to_numpy())
    frame["stratum"] = frame["source"] + "/" + frame["tier"] + "/" + frame["support_level"]
    keys = zip(*(frame[column] for column in _EVENT), strict=True)
    frame["event_id"] = [digest(seed, "review", *key)[:_ID_DIGITS] for key in keys]
    columns = ["event_id", *_EVENT, "tier", "models", "support", "support_level", "stratum"]
    return frame.sort_values("event_id", ignore_index=True)[columns]


def support_level(support: np.ndarray) -> np.ndarray:
    """Name the level of each support: low up to 0.25, high from 0.75 on.

    Examples
    --------
    >>> support_level(np.array([0.25, 0.26, 0.75])).tolist()
    ['low', 'middle', 'high']
    """
    # Means of thirds or sevenths miss a boundary by rounding.
    low, high = support <= LOW_SUPPORT + STRICTNESS, support >= HIGH_SUPPORT - STRICTNESS
    levels: np.ndarray = np.select([low, high], [LOW, HIGH], MIDDLE)
    return levels


def allocate(populations: np.ndarray, events: int) -> np.ndarray:
    """Share a sample among strata as equally as their sizes allow.

    No stratum gives more than it has; what it lacks the others share. Events that equal shares leave over go to the
    largest strata.

    Parameters
    ----------
    populations
        Events of each stratum, shape ``(strata,)``.
    events
        Size of the sample; all events where there are fewer.

    Returns
    -------
    numpy.ndarray
        Events to draw from each stratum, int.

    Examples
    --------
    >>> allocate(np.array([2, 100, 50]), 11).tolist()
    [2, 5, 4]
    """
    total = min(events, int(populations.sum()))
    level = 0
    while np.minimum(populations, level + 1).sum() <= total and level < populations.max(initial=0):
        level += 1
    shares: np.ndarray = np.minimum(populations, level)
    largest = np.argsort(-populations, kind="stable")
    shares[largest[: total - int(shares.sum())]] += 1
    return shares


def draw_sample(frame: pd.DataFrame, events: int) -> pd.DataFrame:
    """Draw the stratified sample: the first events of each stratum in the order of their digests.

    Parameters
    ----------
    frame
        Result of `build_frame`.
    events
        Size of the sample.

    Returns
    -------
    pandas.DataFrame
        Columns `SAMPLE_COLUMNS`, one row an event, sorted by ``event_id``. ``answer`` is a class id;
        ``inclusion_probability`` is the share of the stratum's events that are in the sample. Inclusion probabilities
        of the frame's events sum to the size of the sample.
    """
    ordered = frame.sort_values("event_id", ignore_index=True)
    _, stratum, populations = np.unique(ordered["stratum"].to_numpy(dtype=str), return_inverse=True, return_counts=True)
    drawn = allocate(populations, events)
    chosen = ordered.groupby(stratum).cumcount().to_numpy() < drawn[stratum]
    probability = (drawn / populations)[stratum]
    return ordered.assign(inclusion_probability=probability)[chosen].reset_index(drop=True)[list(SAMPLE_COLUMNS)]


def assign_reviewers(sample: pd.DataFrame, seed: int, reviewers: Sequence[str]) -> pd.DataFrame:
    """Assign every event to every reviewer, each in an order of its own.

    Parameters
    ----------
    sample
        Result of `draw_sample`.
    seed
        Seed of the study.
    reviewers
        Names of the reviewers.

    Returns
    -------
    pandas.DataFrame
        One row a rating to give: ``reviewer``, ``place`` (1, 2, ...) and ``event_id``, in the order of the work.
    """
    events = sample["event_id"].tolist()
    orders = {name: sorted(events, key=partial(digest, seed, "review order", name)) for name in reviewers}
    rows = [(name, place, event) for name, order in orders.items() for place, event in enumerate(order, start=1)]
    return pd.DataFrame(rows, columns=["reviewer", "place", "event_id"])


def count_strata(frame: pd.DataFrame, sample: pd.DataFrame) -> pd.DataFrame:
    """Count events and base images of each stratum.

    Returns
    -------
    pandas.DataFrame
        One row a stratum with events: ``source``, ``tier``, ``support_level``, ``population`` and ``images`` (distinct
        base images) of the frame, ``sampled``, and ``inclusion_probability``.
    """
    keys = ["source", "tier", "support_level"]
    grouped = frame.assign(sampled=frame["event_id"].isin(sample["event_id"])).groupby(keys, sort=False)
    counts = grouped.agg(
        population=("event_id", "size"), images=("image_id", "nunique"), sampled=("sampled", "sum")
    ).reset_index()
    return counts.assign(inclusion_probability=counts["sampled"] / counts["population"])


def write_csv(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table that is handed to people as CSV, atomically; probabilities keep every digit."""
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")
