"""A study whose tables hold the printed numbers of the paper, in our names."""

from pathlib import Path

from pairedeval.files import write_text
from pairedeval.report.stored import to_json
from pairedeval.report.table import Column, Table, Value
from pairedeval.scorecard.matching import EXCEPTIONS, Exceptions, key_columns
from pairedeval.scorecard.published import COMPLETE, WITHOUT_RESULTS
from pairedeval.scorecard.results import StudyResults, read_csv

SOURCES = {"ES": "ES (simulated)", "Diverse": "Diverse (simulated)"}


def published_tables(resources: Path) -> dict[str, Table]:
    """Return every table with results, its numbers unrounded as far as they are printed."""
    keys = key_columns(read_csv(resources / "published/index.csv", text=True))
    names = [name for name in keys if name.replace("_", "") not in WITHOUT_RESULTS]
    tables = [_table(resources, name) for name in names]
    return {table.name: table for table in tables}


def write_study(folder: Path, resources: Path, tables: dict[str, Table]) -> StudyResults:
    """Write tables as a study and open it."""
    paths = [folder / f"tables/{name}.json" for name in tables]
    for path, table in zip(paths, tables.values(), strict=True):
        write_text(to_json(table), path)
    return StudyResults.of(folder, paths, resources)


def planted(table: Table, row: int, column: str, change: float) -> Table:
    """Return a table with one number changed."""
    place = [entry.key for entry in table.columns].index(column)
    rows = [list(entries) for entries in table.rows]
    rows[row][place] += change
    return Table(table.name, "", "", table.columns, tuple(map(tuple, rows)))


def without_row(table: Table, row: int) -> Table:
    """Return a table without one row."""
    return Table(table.name, "", "", table.columns, table.rows[:row] + table.rows[row + 1 :])


def _table(resources: Path, name: str) -> Table:
    published = name.replace("_", "")
    frame = read_csv(resources / f"published/{COMPLETE.get(published, published)}.csv", text=True)
    exceptions = EXCEPTIONS.get(name, Exceptions())
    columns, entries = [], []
    for key in frame.columns:
        values = [exceptions.keys.get(key, {}).get(entry, SOURCES.get(entry, entry)) for entry in frame[key]]
        ours = exceptions.columns.get(key, key)
        numbers = _numbers(values, exceptions.factors.get(key, 1))
        columns.append(Column(ours, "", "text" if numbers is None else "number"))
        entries.append(values if numbers is None else numbers)
    columns += [Column(key, "") for key in exceptions.fixed]
    entries += [[entry] * len(frame) for entry in exceptions.fixed.values()]
    return Table(exceptions.table or name, "", "", tuple(columns), tuple(zip(*entries, strict=True)))


def _numbers(values: list[str], factor: float) -> list[Value] | None:
    try:
        return [None if entry == "" else float(entry) / factor for entry in values]
    except ValueError:
        return None
