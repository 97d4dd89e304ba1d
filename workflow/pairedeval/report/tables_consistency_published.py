"""The layout of the table that sets published findings on decision consistency beside the study (Table C18).

No simulated captures take part.
"""

from collections.abc import Mapping
from math import isnan
from types import MappingProxyType
from typing import Any

import pandas as pd

from pairedeval.consistency.findings import COLUMNS, DIRECTIONS, UP_TO
from pairedeval.report.names import EN_DASH, MINUS
from pairedeval.report.results import need_columns
from pairedeval.report.table import Column, Rows, Table

_DECIMALS: Mapping[str, int] = MappingProxyType({"count": 0, "ratio": 1})


def table_consistency_published(published: pd.DataFrame) -> Table:
    """Lay out published findings beside the numbers of the study (Table C18).

    Parameters
    ----------
    published
        Result of `consistency.findings.compare_findings`.
    """
    name = "table_consistency_published"
    need_columns(published, COLUMNS, name)
    columns = (
        Column("statement", "Statement"),
        Column("section", "Section"),
        Column("unit", "Unit"),
        Column("published", "Published"),
        Column("ours", "Ours"),
        Column("direction", "Direction"),
        Column("agrees_if", "Agrees if"),
        Column("remark", "Remark"),
    )
    rows: Rows = tuple(
        (
            row["statement"],
            row["section"],
            row["unit"],
            _published(row),
            _ours(row),
            row["direction"],
            row["rule"],
            row["remark"],
        )
        for row in published.to_dict("records")
    )
    agree, differ, neither = (int((published["direction"] == direction).sum()) for direction in DIRECTIONS)
    notes = (
        "Nothing is reproduced here: the published numbers, as a summary of arXiv 2610.36640 gives them, are of other "
        "images, models and operators. Section: of that paper.",
        f"Direction: whether our numbers point the same way by the rule beside it. Of {len(published)} statements "
        f"{agree} agree, {differ} differ and {neither} cannot be compared; sizes do not count unless a rule says so.",
        "Ours: means over conditions, seeds and configurations, or the count or range that the statement names, on "
        f"evaluation images. A second number belongs to what follows the word against; {EN_DASH} stands for a number "
        "that is undefined here.",
    )
    title = "Published findings beside numbers of this study, from other data, models and operators."
    return Table(name, "Table C18", title, columns, rows, notes)


def _published(row: Mapping[Any, Any]) -> str:
    """Write the published numbers; trailing zeros were not kept."""
    return _joined(row["relation"], f"{round(row['published'], 3):g}", f"{round(row['published_second'], 3):g}")


def _ours(row: Mapping[Any, Any]) -> str:
    """Write our numbers; where the published ones are a range, ours may be a single one."""
    single = row["relation"] == UP_TO and isnan(row["ours_second"])
    decimals = _DECIMALS.get(row["unit"], 3)
    return _joined(
        "" if single else row["relation"], *(_fixed(row[name], decimals) for name in ("ours", "ours_second"))
    )


def _joined(relation: str, first: str, second: str) -> str:
    return (f"{first} {relation} {second}" if relation else first).replace("-", MINUS)


def _fixed(number: float, decimals: int) -> str:
    if isnan(number):
        return EN_DASH
    text = f"{number:.{decimals}f}"
    return text.lstrip("-") if float(text) == 0 else text
