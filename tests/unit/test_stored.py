"""Tables as JSON come back as they were."""

import math

import numpy as np
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.files import write_text
from pairedeval.report.render import to_html, write_all
from pairedeval.report.stored import from_json, read_stored, to_json
from pairedeval.report.table import Column, Table

COLUMNS = (
    Column("source", "Source"),
    Column("cells", "Cells", "count", "Group & <1>"),
    Column("panel", "Part", "part"),
    Column("gain", "{H} − {L}", "interval", decimals=3, signed=True),
)


def table(*rows):
    return Table("table_x", "Table X", "Cells of {H}.", COLUMNS, rows, ("A “note”.",))


def test_a_table_returns_with_every_value_unrounded():
    written = table(("ES", 2376, (90, 113), (0.1 + 0.2, -1e-17, 1 / 3)), ("Syn", None, None, None))
    assert from_json(to_json(written)) == written


def test_undefined_and_numpy_values_become_plain():
    found = from_json(to_json(table(("ES", np.int64(3), (np.int64(1), 2), (math.nan, math.nan, math.nan)))))
    assert found.rows == (("ES", 3, (1, 2), None),)
    assert found.undefined == 1


def test_the_file_shows_what_was_rendered(tmp_path):
    written = table(("ES", 2376, (90, 113), (np.float64(0.25), 0.125, 0.5)))
    *_, stored = write_all(written, tmp_path / "table_x")
    assert to_html(read_stored(stored)) == to_html(written)


def test_unusable_files_are_named(tmp_path):
    with pytest.raises(PairedEvalError, match=r"absent.json: no such table; render it first"):
        read_stored(tmp_path / "absent.json")
    write_text('{"name": "table_x"}', tmp_path / "short.json")
    with pytest.raises(PairedEvalError, match=r"short.json: not a stored table .*; remove it and render it again"):
        read_stored(tmp_path / "short.json")
