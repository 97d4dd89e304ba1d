"""Tables of the report as frames, in the units and under the names of their CSV files, but unrounded."""

import math

import pandas as pd

from pairedeval.report.table import Column, Table, Value, is_undefined

SIMULATED_MARK = " (simulated)"
_ENDINGS = {"part": ("", "_of"), "interval": ("", "_lo", "_hi")}


def wide_table(table: Table) -> pd.DataFrame:
    """Return a table as a frame: texts, and numbers as floats with NaN for undefined ones.

    Sources lose the mark of simulated data, which is no part of their name.

    Parameters
    ----------
    table
        A table of the report.

    Returns
    -------
    pandas.DataFrame
        A row for each row; columns as in the CSV file of `pairedeval.report.render.to_csv`, percentages and percentage
        points as there.

    Examples
    --------
    >>> columns = (Column("source", "Source"), Column("width_pp", "Width", "share"), Column("cells", "Cells", "part"))
    >>> wide_table(Table("table_x", "", "", columns, (("ES (simulated)", 0.25, (3, 4)),))).to_dict("records")
    [{'source': 'ES', 'width_pp': 25.0, 'cells': 3.0, 'cells_of': 4.0}]
    """
    names = [f"{column.key}{end}" for column in table.columns for end in _ENDINGS.get(column.kind, ("",))]
    rows = [
        [entry for column, value in zip(table.columns, row, strict=True) for entry in _entries(column, value)]
        for row in table.rows
    ]
    return pd.DataFrame(rows, columns=names)


def _entries(column: Column, value: Value) -> list[str | float]:
    width = len(_ENDINGS.get(column.kind, ("",)))
    if value is None or is_undefined(value):
        return [math.nan] * width
    if isinstance(value, str):
        return [value.removesuffix(SIMULATED_MARK)] if column.kind == "text" else [math.nan] * width
    numbers = value if isinstance(value, tuple) else (value, *[math.nan] * (width - 1))
    return [100 * float(number) if column.kind == "share" else float(number) for number in numbers]
