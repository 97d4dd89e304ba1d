"""The layout of the tables that set a study beside the paper: printed numbers, and counts of its files."""

from collections.abc import Collection

import pandas as pd

from pairedeval.report.names import counted, simulated_sentence
from pairedeval.report.render import to_markdown
from pairedeval.report.results import need_columns
from pairedeval.report.table import Column, Rows, Table

# What of the paper is compared, by scope of the study, and why no more.
SCOPE_WORDS = {
    "results": "Every printed number is compared.",
    "shape": (
        "The data of this study are simulated in the shape of the paper, so no result is compared: only numbers that "
        "the shape or the protocol decides."
    ),
    "protocol": (
        "This study has other images and models than the paper, so no result is compared: only constants of the "
        "protocol."
    ),
}
VERDICTS = {
    "within rounding": ("within_rounding", "Within rounding"),
    "within resampling interval": ("within_resampling_interval", "Within interval"),
    "differs": ("differs", "Differs"),
    "accepted": ("accepted", "of these accepted"),
    "not computed": ("not_computed", "Not computed"),
}
VERDICT_NOTE = (
    "Within rounding: ours differs by at most half of the last printed digit. Within interval: beyond that, but inside "
    "the printed 95% interval from resampling, or, for an end of such an interval, within three standard errors of "
    "what two sets of draws differ by. Accepted: differences with a stated cause."
)


def scope_words(scope: str, compared: int, published: int) -> str:
    """Say what of the paper is compared with the study.

    Examples
    --------
    >>> scope_words("results", 2378, 2378)
    'Every printed number is compared. Compared: 2,378 of 2,378 printed numbers.'
    """
    return f"{SCOPE_WORDS[scope]} Compared: {compared:,} of {counted(published, 'printed number')}."


def table_scorecard(summary: pd.DataFrame, scope: str, published: int, simulated: Collection[str] = ()) -> Table:
    """Lay out how many printed numbers of each table and part of the text agree with the study.

    Parameters
    ----------
    summary
        Result of `pairedeval.scorecard.summary.summarise_numbers`.
    scope
        What can be compared: ``results``, ``shape`` or ``protocol``.
    published
        Printed numbers in all.
    simulated
        Sources whose data are simulated.
    """
    need_columns(summary, ("group", "numbers", *VERDICTS), "table_scorecard")
    columns = (
        Column("printed_in", "Printed in"),
        Column("numbers", "Numbers", "count"),
        *(Column(key, header, "count") for key, header in VERDICTS.values()),
    )
    rows: Rows = tuple(
        (str(row["group"]), int(row["numbers"]), *(int(row[verdict]) for verdict in VERDICTS))
        for row in summary.to_dict("records")
    )
    notes = (
        scope_words(scope, int(summary["numbers"].iloc[-1]), published),
        VERDICT_NOTE,
        *filter(None, [simulated_sentence(simulated)]),
    )
    return Table("table_scorecard", "", "Printed numbers of the paper and those of this study.", columns, rows, notes)


def table_scorecard_counts(counts: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the counts that the shape of the study decides.

    Parameters
    ----------
    counts
        Rows per count with ``quantity``, ``place``, ``expected``, ``counted`` (NaN without files) and ``agrees``.
    simulated
        Sources whose data are simulated.
    """
    need_columns(counts, ("quantity", "place", "expected", "counted", "agrees"), "table_scorecard_counts")
    columns = (
        Column("quantity", "What is counted"),
        Column("expected", "Expected", "count"),
        Column("counted", "Counted", "count"),
        Column("agrees", "Agrees"),
        Column("counted_in", "Counted in"),
    )
    rows: Rows = tuple(
        (row["quantity"], int(row["expected"]), row["counted"], "yes" if row["agrees"] else "no", row["place"])
        for row in counts.to_dict("records")
    )
    notes = (
        "Expected: what the models, conditions, images and settings of this study ask for. Counted: rows or entries of "
        "its files.",
        *filter(None, [simulated_sentence(simulated)]),
    )
    title = "Counts that follow from the shape of the study."
    return Table("table_scorecard_counts", "", title, columns, rows, notes)


def table_differences(numbers: pd.DataFrame) -> Table:
    """Lay out the printed numbers that differ from the study, those without an accepted cause first.

    Parameters
    ----------
    numbers
        Rows with ``group``, ``row``, ``column``, ``published``, ``printed``, ``difference``, ``verdict``, ``tolerated``
        and ``reason``.
    """
    names = ("group", "row", "column", "published", "printed", "difference", "verdict", "tolerated", "reason")
    need_columns(numbers, names, "table_differences")
    differing = numbers[numbers["verdict"] == "differs"].sort_values("tolerated", kind="stable")
    columns = (
        Column("printed_in", "Printed in"),
        Column("row", "Row"),
        Column("column", "Column"),
        Column("published", "Paper"),
        Column("printed", "Study"),
        Column("difference", "Difference", "number", decimals=4, signed=True),
        Column("accepted_because", "Accepted because"),
    )
    rows: Rows = tuple(
        (*(str(row[name]) for name in names[:5]), float(row["difference"]), str(row["reason"]))
        for row in differing.to_dict("records")
    )
    return Table("table_differences", "", "Printed numbers that differ.", columns, rows)


def scorecard_page(title: str, tables: Collection[Table]) -> str:
    """Return the summary page in Markdown."""
    return "\n".join([f"# {title}", "", *(f"{to_markdown(table)}" for table in tables if table.rows)])
