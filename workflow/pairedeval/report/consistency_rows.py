"""How the tables on shift, attacks and class priors read summaries with intervals, and the notes that they share."""

from collections.abc import Callable, Sequence

import pandas as pd

from pairedeval.report.consistency_words import counts_note, p_value_column, smallest_p_value
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.table import Column
from pairedeval.report.table import Value as Entry

# An entry that a row cannot have, such as the difference of a score from itself.
NO_ENTRY = ""
ENDS = ("mean", "lower", "upper")
COUNTS = ("configurations", "runs", "undefined_runs")
CELLS_NOTE = (
    "Cells: runs under one corruption and severity that have an AUROC, of all; the others have only right predictions, "
    "or none, and are left out."
)
Value = Callable[..., float]


def summary_values(summary: pd.DataFrame, keys: Sequence[str], table: str, columns: Sequence[str] = ()) -> Value:
    """Return a function from a column, the values of the keys and a quantity to a number of a summary.

    Parameters
    ----------
    summary
        One row per key and ``quantity``, with `ENDS`, `COUNTS` and `columns`.
    keys
        What a row stands for, without the quantity.
    table
        Name of the table, for the message.
    columns
        Further columns that are read.

    Raises
    ------
    PairedEvalError
        If the summary lacks a column.
    """
    need_columns(summary, (*keys, "quantity", *ENDS, *COUNTS, *columns), table)
    return lookup(summary, [*keys, "quantity"])


def interval_of(value: Value, *key: object) -> tuple[float, float, float]:
    """Return a mean with the ends of its interval.

    Examples
    --------
    >>> interval_of(lambda column, score: {"mean": 0.2, "lower": 0.1, "upper": 0.3}[column], "msp")
    (0.2, 0.1, 0.3)
    """
    return value("mean", *key), value("lower", *key), value("upper", *key)


def interval_and_test(value: Value, *key: object) -> tuple[Entry, ...]:
    """Return the entries of a difference: its interval, and what `significance_columns` hold.

    Examples
    --------
    >>> known = {"mean": 0.2, "lower": 0.1, "upper": 0.3, "p_value": 0.04, "wins": 0.9}
    >>> interval_and_test(lambda column, score: known[column], "msp")
    ((0.2, 0.1, 0.3), 0.04, 0.9)
    """
    return interval_of(value, *key), value("p_value", *key), value("wins", *key)


def cells_of(value: Value, *key: object) -> tuple[int, int]:
    """Return the number of cells with a value, and of all cells."""
    defined = int(value("cells", *key))
    return defined, defined + int(value("undefined_cells", *key))


def number_column(key: str, header: str, group: str = "", interval: bool = False, signed: bool = False) -> Column:
    """Return a column of numbers with three decimals, as consistency scores and their gaps to accuracy have them.

    Parameters
    ----------
    key, header, group, signed
        As for `pairedeval.report.table.Column`.
    interval
        Whether it holds intervals.
    """
    return Column(key, header, "interval" if interval else "number", group, 3, signed)


def significance_columns(ending: str, group: str, wins: bool = True) -> list[Column]:
    """Return the columns of the p-value of a difference and of the share of the runs above zero.

    Parameters
    ----------
    ending
        End of the keys.
    group
        Printed header above them.
    wins
        Whether to have the second one.
    """
    share = Column(f"runs_above_zero_{ending}_pct", "Runs > 0 (%)", "share", group, 1)
    return [p_value_column(f"p_{ending}", group=group), *([share] * wins)]


def runs_note(summary: pd.DataFrame) -> str:
    """Return a note on the configurations and runs of a summary and on how they are averaged."""
    runs = summary["runs"] + summary["undefined_runs"]
    return counts_note(int(summary["configurations"].max()), int(runs.max()))


def signed_rank_note(summary: pd.DataFrame) -> str:
    """Return a note on the p-values of a summary."""
    return (
        "p: Wilcoxon's signed-rank test over the configurations, not adjusted for the number of rows. "
        f"{smallest_p_value(int(summary['configurations'].max()))}"
    )
