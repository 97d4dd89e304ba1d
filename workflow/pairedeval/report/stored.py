"""Tables as JSON: unrounded values with their layout, from which the page is made without the results behind them."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from pairedeval.errors import PairedEvalError
from pairedeval.provenance.stamp import full_stamp
from pairedeval.report.table import Column, Table, Value, is_undefined


def to_json(table: Table) -> str:
    """Return the table as JSON; an undefined value becomes null, and in a job the origin is added.

    Examples
    --------
    >>> table = Table("table_x", "", "Cells.", (Column("cells", "Cells", "count"),), ((3,), (None,)))
    >>> from_json(to_json(table)) == table
    True
    """
    content = {**asdict(table), "rows": [[_plain(value) for value in row] for row in table.rows]}
    if stamp := full_stamp():
        content["provenance"] = stamp
    return json.dumps(content, allow_nan=False, ensure_ascii=False, indent=1) + "\n"


def from_json(text: str) -> Table:
    """Return the table that `to_json` wrote."""
    content: dict[str, Any] = json.loads(text)
    columns = tuple(Column(**column) for column in content["columns"])
    rows = tuple(tuple(tuple(value) if isinstance(value, list) else value for value in row) for row in content["rows"])
    return Table(content["name"], content["label"], content["title"], columns, rows, tuple(content["notes"]))


def read_stored(path: str | Path) -> Table:
    """Read a table that the workflow wrote.

    Raises
    ------
    PairedEvalError
        If the file is missing or damaged.
    """
    try:
        return from_json(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PairedEvalError(f"{path}: no such table; render it first") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PairedEvalError(f"{path}: not a stored table ({error}); remove it and render it again") from error


def _plain(value: Value) -> Any:
    if is_undefined(value):
        return None
    if isinstance(value, tuple):
        return [_plain(number) for number in value]
    return value.item() if isinstance(value, np.generic) else value
