"""What a table is, independent of the kind of output."""

import math
from dataclasses import dataclass, field
from typing import Literal

from pairedeval.report.names import EN_DASH, counted

Kind = Literal["text", "count", "number", "share", "part", "interval"]
Value = str | int | float | tuple[int, int] | tuple[float, float, float] | None
Rows = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    key
        Plain ASCII name in the CSV file, with the unit at its end (``_pp``, ``_pct``).
    header
        Printed header, a template (see `pairedeval.report.names.notation`).
    kind
        ``text``; ``count`` (thousands separators); ``number``; ``share`` (a share in [0, 1], printed times 100);
        ``part`` (a pair, printed ``90/90``, in CSV two columns `key` and ``key_of``);
        ``interval`` (a number with its ends, printed ``0.32 [0.28, 0.35]``, in CSV `key`, ``key_lo`` and ``key_hi``).
    group
        Printed header above this one; equal neighbours span their columns.
    decimals
        Printed decimals of ``number``, ``share`` and ``interval``.
    signed
        Whether a positive number carries its sign, as differences do.
    """

    key: str
    header: str
    kind: Kind = "text"
    group: str = ""
    decimals: int = 2
    signed: bool = False


@dataclass(frozen=True)
class Table:
    """A table, independent of the kind of output.

    Attributes
    ----------
    name
        File stem and id, such as ``table_06``.
    label
        What stands before the title, such as ``Table 6``; may be empty.
    title
        One sentence, a template, that names the unit.
    columns
        Columns from left to right; the first heads the rows.
    rows
        Values per row and column, unrounded; None or NaN is undefined.
    notes
        Sentences under the table, templates.
    """

    name: str
    label: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def undefined(self) -> int:
        """Number of entries that are undefined."""
        return sum(is_undefined(value) for row in self.rows for value in row)

    @property
    def all_notes(self) -> tuple[str, ...]:
        """Notes, with one that counts the undefined entries if there are any."""
        if not self.undefined:
            return self.notes
        return (*self.notes, f"{EN_DASH}: undefined ({counted(self.undefined, 'entry').replace('entrys', 'entries')}).")


def is_undefined(value: Value) -> bool:
    """Tell whether a value is None or NaN; an interval is undefined if its number is."""
    number = value[0] if isinstance(value, tuple) else value
    return number is None or (isinstance(number, float) and math.isnan(number))
