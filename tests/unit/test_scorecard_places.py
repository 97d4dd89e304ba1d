"""Where the numbers of the text stand."""

import ast
from fnmatch import fnmatchcase

import pandas as pd
import pytest
from tests.support.published_study import planted, published_tables, write_study

from pairedeval.errors import PairedEvalError
from pairedeval.report.table import Column, Table
from pairedeval.scorecard.compare import DIFFERS, NOT_COMPUTED, WITHIN_ROUNDING, judge
from pairedeval.scorecard.constants import protocol_constants
from pairedeval.scorecard.matching import NO_ROW, NO_TABLE
from pairedeval.scorecard.places import (
    COLUMNS,
    CONSTANTS,
    COUNTS,
    MISFIT,
    PROTOCOL,
    RESULTS,
    SEVERAL_ROWS,
    SHAPE,
    match_text,
    read_places,
    with_places,
)
from pairedeval.scorecard.published import read_published_text

# The text has more than the tables here: cut rows, columns that only we print, and sums over cut rows.
CUT = (
    "C.2-03", "C.2-06", "C.3-01", "D-selection-08", "E.1-ceilings-04", "E.1-ceilings-05", "E.1-ceilings-06",
    "E.1-ceilings-07", "E.1-subsets-14", "E.1-subsets-16", "E.1-subsets-18", "E.1-tta-33", "E.1-tta-34", "E.1-tta-62",
    "E.3-13", "E.3-15", "E.3-16", "E.3-17", "E.3-18", "I.2-03",
)  # fmt: skip
SETTINGS = {
    "seed": 20260908,
    "acceptance": {"coverage": 0.8},
    "tiers": {"mild": 0.4, "severe": 0.2},
    "policies": {"grid": "panel", "coverages": [0.6, 0.7, 0.8, 0.9, 1.0], "weights": [n / 10 for n in range(11)]},
    "matching": {"seeds": [20260910, 20260911, 20260912, 20260913, 20260914]},
    "review": {"events": 200, "reviewers": ["reviewer-1", "reviewer-2"]},
}


@pytest.fixture(scope="module")
def resources(root):
    return root / "resources"


@pytest.fixture(scope="module")
def places(resources):
    return read_places(resources / "scorecard/places.csv")


@pytest.fixture(scope="module")
def text(resources, places):
    return with_places(read_published_text(resources / "published"), places)


def test_every_number_of_the_text_has_one_place_or_a_reason(text, places):
    used = {place.ids for place in places for row in set(text["row"]) if fnmatchcase(row, place.ids)}
    assert used == {place.ids for place in places}
    assert text["scope"].isin([PROTOCOL, SHAPE, RESULTS]).all()


def test_queries_and_expressions_are_written_in_one_language(places):
    for place in places:
        for expression in filter(None, [place.rows, *place.value.split(";")]):
            ast.parse(expression.strip().replace("`lambda`", "weight"), mode="eval")
        assert not place.place or place.value or place.over == "rows", place.ids
        if place.over == "range":
            assert place.value.count(";") <= 1


def test_as_many_expressions_as_printed_parts(text, places):
    for row, parts in text.groupby("row"):
        value = next(place.value for place in places if fnmatchcase(str(row), place.ids))
        assert value.count(";") in (0, len(parts) - 1), row


def scored(text, places, results, **made):
    frames = {COUNTS: pd.DataFrame({"name": [], "counted": []}), CONSTANTS: protocol_constants(SETTINGS)} | made
    return judge(match_text(text, places, results, frames))


def test_the_text_repeats_the_tables(tmp_path, resources, text, places):
    """Places in tables are right if the printed tables themselves give the numbers of the text there."""
    tables = published_tables(resources)
    counts = [(44, 5, 5), (51, 25, 86)]
    names = [f"{tier}_conditions" for tier in ("mild", "severe", "extreme")]
    columns = (Column("source", ""), *(Column(name, "", "count") for name in names))
    rows = (("ES (simulated)", *counts[0]), ("Diverse", *counts[1]))
    tables["table_tiers"] = Table("table_tiers", "", "", columns, rows)
    found = scored(text, places, write_study(tmp_path, resources, tables))
    found = found[found["place"].str.startswith("table_") & ~found["row"].isin(CUT)]
    assert len(found) > 130
    assert found["verdict"].eq(WITHIN_ROUNDING).all(), found.loc[found["verdict"] != WITHIN_ROUNDING, "row"].tolist()


def test_a_planted_deviation_of_a_table_is_found_in_the_text(tmp_path, resources, text, places):
    tables = published_tables(resources)
    before = scored(text, places, write_study(tmp_path / "a", resources, tables))
    tables["table_19"] = planted(tables["table_19"], 0, "recall_q20_u", 0.01)
    after = scored(text, places, write_study(tmp_path / "b", resources, tables))
    changed = after.loc[(after["verdict"] != before["verdict"]).to_numpy(), ["row", "verdict"]]
    # Where the abstract, the introduction and Section 5.2 print 67%.
    assert changed.values.tolist() == [[row, DIFFERS] for row in ("abs-03", "s1-02", "s5.2-02")]


def test_constants_are_those_of_the_paper_and_of_this_code(tmp_path, resources, text, places):
    found = scored(text, places, write_study(tmp_path, resources, {}))
    protocol = found[(found["scope"] == PROTOCOL) & found["place"].str.startswith(("constants", "conditions"))]
    assert len(protocol) > 180
    assert protocol["verdict"].eq(WITHIN_ROUNDING).all()


def test_another_setting_is_found(tmp_path, resources, text, places):
    results = write_study(tmp_path, resources, {})
    other = {**SETTINGS, "acceptance": {"coverage": 0.7}, "tiers": {"mild": 0.5, "severe": 0.2}}
    found = scored(text, places, results, constants=protocol_constants(other))
    differing = set(found.loc[found["verdict"] == DIFFERS, "row"])
    assert differing == {
        "s3.3-14", "s3.3-15", "s4.3-01", "D-protocol-11", "D-verification-03", "D.1-05", "E.1-otherhalf-03",
        "F-acceptance-02", "F.1-01",
    }  # fmt: skip


FRAME = pd.DataFrame(
    {"source": ["es", "es", "diverse"], "share": [0.1, 0.3, None], "low": [1, 2, 3], "high": [4, 5, 6]}
)
HEADER = ",".join(COLUMNS)


@pytest.mark.parametrize(
    ("line", "parts", "expected"),
    [
        ("x,,,counts,source == 'diverse',low,,", ["3"], [3]),
        ("x,,,counts,,,rows,", ["3"], [3]),
        ("x,,,counts,,source,distinct,", ["2"], [2]),
        ("x,,,counts,,low,sum,", ["6"], [6]),
        ("x,,,counts,,100 * share,mean,", ["20"], [20]),
        ("x,,,counts,,low,range,", ["", "1", "3"], [1, 3]),
        ("x,,,counts,source == 'es',low; high,range,", ["", "1", "5"], [1, 5]),
        ("x,,,counts,source == 'diverse',high; low; high - low,,", ["6", "3", "3"], [6, 3, 3]),
        ("x,,,counts,source == 'es',low,each,", ["2"], [1]),
        ("x,,,counts,source == 'es',low,each,", ["1"], [2]),
        ("x,,,counts,source == 'es',abs(low - high) + sqrt(4 * low - 4 * low),max,", ["3"], [3]),
    ],
)
def test_rows_become_one_number(tmp_path, resources, line, parts, expected):
    (tmp_path / "places.csv").write_text(f"{HEADER}\n{line}\n")
    printed = pd.DataFrame(
        [
            {"row": "x", "part": part, "number": float(entry), "kind": "result"}
            for part, entry in zip(("value", "lower", "upper"), parts, strict=False)
            if entry
        ]
    )
    found = match_text(
        printed, read_places(tmp_path / "places.csv"), write_study(tmp_path, resources, {}), {COUNTS: FRAME}
    )
    assert found["value"].tolist() == pytest.approx(expected)
    assert found["reason"].eq("").all()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x,,,analyses/absent,,low,,", NO_TABLE),
        ("x,,,derived/shared_images,,low,max,", NO_TABLE),
        ("x,,,counts,source == 'syn',low,,", NO_ROW),
        ("x,,,counts,source == 'es',low,,", SEVERAL_ROWS),
        ("x,,,counts,,absent,sum,", MISFIT),
        ("x,,,counts,source < 3,low,sum,", MISFIT),
        ("x,,,,,,,an example", "an example"),
    ],
)
def test_what_cannot_be_found_is_said_and_does_not_stop_the_rest(tmp_path, resources, line, reason):
    (tmp_path / "places.csv").write_text(f"{HEADER}\n{line}\n")
    printed = pd.DataFrame([{"row": "x", "part": "value", "number": 1.0, "half_unit": 0.5, "kind": "result"}])
    printed = printed.assign(lower=float("nan"), upper=float("nan"), draws=0)
    found = judge(
        match_text(printed, read_places(tmp_path / "places.csv"), write_study(tmp_path, resources, {}), {COUNTS: FRAME})
    )
    assert found["verdict"].tolist() == [NOT_COMPUTED]
    assert found["reason"].iloc[0].startswith(reason)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x,some,,counts,,low,,", "line 2: scope 'some' is none of protocol, shape, results"),
        ("x,,about,counts,,low,,", "line 2: relation 'about' is none of"),
        ("x,,,counts,,low,median,", "line 2: over 'median' is none of"),
        ("x,,,counts,,low,,why", "line 2: give either a place or a reason"),
        ("x,,,,,,,", "line 2: give either a place or a reason"),
        ("x,,,derived/some,,low,,", "line 2: no rule 'derived/some'"),
    ],
)
def test_unusable_places_are_named(tmp_path, line, message):
    (tmp_path / "places.csv").write_text(f"{HEADER}\n{line}\n")
    with pytest.raises(PairedEvalError, match=message):
        read_places(tmp_path / "places.csv")


@pytest.mark.parametrize("ids", [("y",), ("x", "x*")])
def test_a_number_needs_exactly_one_place(tmp_path, ids):
    (tmp_path / "places.csv").write_text("\n".join([HEADER, *(f"{name},,,counts,,low,," for name in ids)]) + "\n")
    printed = pd.DataFrame([{"row": "x", "kind": "result"}])
    with pytest.raises(PairedEvalError, match=r"x has \d places; name it once"):
        with_places(printed, read_places(tmp_path / "places.csv"))
