"""Printed numbers find ours: all of them, and nothing else; planted deviations are exactly those found."""

import csv
import io
import math

import pytest
from tests.support.published_study import planted, published_tables, without_row, write_study

from pairedeval.report.render import to_csv
from pairedeval.report.table import Column, Table
from pairedeval.scorecard.compare import DIFFERS, NOT_COMPUTED, WITHIN_RESAMPLING, WITHIN_ROUNDING, judge
from pairedeval.scorecard.layout import wide_table
from pairedeval.scorecard.matching import (
    EXCEPTIONS,
    NO_COLUMN,
    NO_ROW,
    NO_TABLE,
    UNDEFINED,
    key_columns,
    match_tables,
    normalised,
)
from pairedeval.scorecard.published import read_published_tables
from pairedeval.scorecard.results import read_csv

COLUMNS = (
    Column("source", "Source"),
    Column("width_pp", "", "share"),
    Column("cells", "", "count"),
    Column("panel", "", "part"),
    Column("gain", "", "interval", decimals=3, signed=True),
)


@pytest.fixture(scope="module")
def resources(root):
    return root / "resources"


@pytest.fixture(scope="module")
def tables(resources):
    return published_tables(resources)


@pytest.fixture
def judged(tmp_path, resources):
    """Score tables against the printed numbers."""

    def judged(tables):
        keys = key_columns(read_csv(resources / "published/index.csv", text=True))
        results = write_study(tmp_path / "study", resources, tables)
        return judge(match_tables(read_published_tables(resources / "published"), keys, results))

    return judged


def test_a_frame_has_the_columns_and_units_of_the_csv_file():
    rows = (("ES (simulated)", 0.08444, 2376, (90, 113), (0.0123, 0.01, 0.02)), ("Syn", None, 3, (1, 2), None))
    table = Table("table_x", "", "", COLUMNS, rows)
    header, *lines = csv.reader(io.StringIO(to_csv(table)))
    frame = wide_table(table)
    assert list(frame.columns) == header
    assert frame["source"].tolist() == ["ES", "Syn"]
    assert frame.loc[0, header[1:]].astype(float).tolist() == pytest.approx([8.444, 2376, 90, 113, 0.0123, 0.01, 0.02])
    assert frame.loc[0, header[1:]].astype(float).round(3).tolist() == pytest.approx(
        [float(entry) for entry in lines[0][1:]], abs=0.005
    )
    assert frame.loc[1, ["width_pp", "gain", "gain_lo"]].isna().all()


def test_an_empty_entry_among_numbers_is_undefined():
    frame = wide_table(Table("table_x", "", "", COLUMNS[:3], (("Syn", "", 3),)))
    assert math.isnan(frame.loc[0, "width_pp"])


def test_the_printed_numbers_agree_with_themselves(judged, tables):
    found = judged(tables)
    assert len(found) == 1675
    assert found["verdict"].eq(WITHIN_ROUNDING).all()
    assert found["reason"].eq("").all()


def test_planted_deviations_are_exactly_those_found(judged, tables):
    changed = tables | {
        "table_06": planted(tables["table_06"], 2, "l_width_ik_pp", 0.006),  # beyond half of 0.01
        "table_13": planted(tables["table_13"], 0, "tied_cells", 1),
        "table_16": planted(tables["table_16"], 0, "auroc_u_minus_s", 0.003),  # inside [0.070, 0.080]
        "table_33": planted(tables["table_33"], 0, "natural_es", -0.001),
        "table_37": planted(tables["table_37"], 1, "recall_q20_u18_minus_tta18_group", 0.02),  # outside the interval
        "table_49": planted(tables["table_49"], 1, "low_consensus_events", 3),
        "table_models": planted(tables["table_models"], 5, "parameters", 2e6),
    }
    found = judged(changed)
    odd = found[found["verdict"] != WITHIN_ROUNDING]
    assert {(row.table, row.row, row.column): row.verdict for row in odd.itertuples()} == {
        ("table_06", "ES", "l_width_ik_pp"): DIFFERS,
        ("table_13", "Syn", "tied_cells"): DIFFERS,
        ("table_16", "ES/mild", "auroc_u_minus_s"): WITHIN_RESAMPLING,
        ("table_33", "recall_q20/probability mean", "natural_es"): DIFFERS,
        ("table_37", "ES/severe", "recall_q20_u18_minus_tta18"): DIFFERS,
        ("table_41", "PE-Core-L-14-336__meta", "params_millions"): DIFFERS,
        ("table_49", "Diverse", "low_consensus_events"): DIFFERS,
    }
    assert odd.set_index("table").loc["table_06", "difference"] == pytest.approx(0.006)
    assert odd.set_index("table").loc["table_41", "difference"] == pytest.approx(2)


def test_deviations_below_the_rounding_are_none(judged, tables):
    found = judged(tables | {"table_06": planted(tables["table_06"], 2, "l_width_ik_pp", 0.0049)})
    assert found["verdict"].eq(WITHIN_ROUNDING).all()


def test_what_is_missing_is_named(judged, tables):
    changed = {name: table for name, table in tables.items() if name != "table_14"}
    changed["table_09"] = without_row(tables["table_09"], 3)
    narrow = tables["table_11"]
    changed["table_11"] = Table("table_11", "", "", narrow.columns[:-1], tuple(row[:-1] for row in narrow.rows))
    changed["table_40"] = planted(tables["table_40"], 0, "h_raw_pct", math.nan)
    missing = judged(changed)
    missing = missing[missing["verdict"] == NOT_COMPUTED]
    found = {(name, reason): len(rows) for (name, reason), rows in missing.groupby(["table", "reason"])}
    assert found == {
        ("table_09", NO_ROW): 5,
        ("table_11", NO_COLUMN): 6,
        ("table_14", NO_TABLE): 24,
        ("table_40", UNDEFINED): 1,
    }


def test_rows_of_other_definitions_do_not_stand_for_the_printed_ones(judged, tables):
    consensus = tables["table_49"]
    others = tuple((*row[:-1], "all others") for row in consensus.rows)
    changed = tuple((*row[:1], *(0.0 for _ in row[1:-1]), row[-1]) for row in others)
    both = Table("table_49", "", "", consensus.columns, (*changed, *consensus.rows))
    assert judged(tables | {"table_49": both})["verdict"].eq(WITHIN_ROUNDING).all()


def test_every_exception_names_columns_of_its_tables(resources, tables):
    published = read_published_tables(resources / "published")
    keys = key_columns(read_csv(resources / "published/index.csv", text=True))
    for name, exceptions in EXCEPTIONS.items():
        columns = set(published.loc[published["table"] == name, "column"])
        assert set(exceptions.columns) | set(exceptions.factors) <= columns
        assert set(exceptions.keys) <= set(keys[name])
        assert all(column != other for column, other in exceptions.columns.items())


def test_keys_stay_distinct(resources):
    for name, rows in read_published_tables(resources / "published").groupby("table"):
        written = rows["row"].unique()
        assert len({tuple(map(normalised, row.split("/"))) for row in written}) == len(written), name
