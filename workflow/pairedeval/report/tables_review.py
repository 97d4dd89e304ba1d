"""The layout of the table on the human review that is still to be done (Appendix J.3)."""

from collections.abc import Collection

import pandas as pd

from pairedeval.report.names import TIERS, check_tiers, counted, ordered_sources, source_name
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.table import Column, Rows, Table

LEVELS = ("low", "middle", "high")
STRATA_OF_SOURCE = len(TIERS) * len(LEVELS)


def table_review(strata: pd.DataFrame, reviewers: int, simulated: Collection[str] = ()) -> Table:
    """Lay out the strata of the human review, and what is drawn from each.

    Parameters
    ----------
    strata
        Rows per source, tier and support level with `population`, `images`, `sampled` (counts) and
        `inclusion_probability` (share); strata without events are absent.
    reviewers
        Number of reviewers.
    simulated
        Sources with simulated data.
    """
    counts = ("population", "images", "sampled")
    need_columns(strata, ("source", "tier", "support_level", *counts, "inclusion_probability"), "table_review")
    check_tiers(strata["tier"], "table_review")
    value = lookup(strata, ["source", "tier", "support_level"])
    present = set(zip(strata["source"], strata["tier"], strata["support_level"], strict=True))
    sources = ordered_sources(strata["source"])
    keys = [(source, tier, level) for source in sources for tier in TIERS for level in LEVELS]
    columns = (
        Column("source", "Source"),
        Column("tier", "Tier"),
        Column("support", "Support"),
        Column("events", "Events", "count"),
        Column("images", "Base images", "count"),
        Column("sampled_events", "Drawn", "count"),
        Column("inclusion_probability_pct", "Drawn (%)", "share", decimals=1),
    )
    rows: Rows = tuple(
        (
            source_name(key[0], simulated),
            *key[1:],
            *(int(value(name, *key)) for name in counts),
            value("inclusion_probability", *key),
        )
        for key in keys
        if key in present
    )
    drawn, events = int(strata["sampled"].sum()), int(strata["population"].sum())
    notes = [
        "Event: a source, a condition, a base image and a wrong answer that at least one model gives with and without "
        "the perturbation. Support: share of the models with this answer on the unperturbed image, groups weighted "
        "equally; low: at most 0.25, high: at least 0.75.",
        f"{drawn:,} of {counted(events, 'event')} are drawn, as equally from the strata as their sizes allow, for "
        f"{counted(reviewers, 'reviewer')}. The {drawn * reviewers:,} ratings are pending: no result depends on them.",
    ]
    empty = len(sources) * STRATA_OF_SOURCE - len(rows)
    if empty:
        notes.append(f"Strata without events, left out: {empty} of {len(sources) * STRATA_OF_SOURCE}.")
    title = "Strata of the human review of persistent wrong answers."
    return Table("table_review", "", title, columns, rows, tuple(notes))
