"""Verdicts and accepted differences."""

from fnmatch import fnmatchcase

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.resampling import PERCENTILES
from pairedeval.scorecard.compare import (
    ABOUT,
    AT_LEAST,
    AT_MOST,
    DIFFERS,
    EQUAL,
    NOISE,
    NOT_COMPUTED,
    WITHIN_RESAMPLING,
    WITHIN_ROUNDING,
    end_reach,
    judge,
    read_tolerances,
    tolerate,
)
from pairedeval.scorecard.places import KIND_SCOPES, RESULTS, read_places, with_places
from pairedeval.scorecard.published import read_published_tables, read_published_text, rounding


def pair(published, value, relation=EQUAL, lower=np.nan, upper=np.nan, part="value", draws=0):
    number, half = rounding(published)
    return {
        "table": "table_x", "row": "ES/mild", "column": "auroc", "published": published, "number": number,
        "half_unit": half, "lower": lower, "upper": upper, "part": part, "draws": draws, "value": value,
        "relation": relation,
    }  # fmt: skip


def verdict(*args, **kwargs):
    return judge(pd.DataFrame([pair(*args, **kwargs)]))["verdict"].iloc[0]


@pytest.mark.parametrize(
    ("published", "value", "expected"),
    [
        ("0.67", 0.675, WITHIN_ROUNDING),  # ties may be rounded either way
        ("0.67", 0.665, WITHIN_ROUNDING),
        ("0.67", 0.6751, DIFFERS),
        ("-0.000", 0.0004, WITHIN_ROUNDING),
        ("+0.000", -0.0006, DIFFERS),
        ("2376", 2376, WITHIN_ROUNDING),
        ("2376", 2377, DIFFERS),
        ("9108000", 9107999, DIFFERS),
        ("1/3", 1 / 3, WITHIN_ROUNDING),
        ("1/3", 0.3334, DIFFERS),
        ("1e-12", 1e-12, WITHIN_ROUNDING),
        ("1e-12", 2e-12, DIFFERS),
        ("20260908", 20260909, DIFFERS),
        ("0.5", float("nan"), NOT_COMPUTED),
    ],
)
def test_rounding(published, value, expected):
    assert verdict(published, value) == expected


@pytest.mark.parametrize(
    ("relation", "published", "value", "expected"),
    [
        (ABOUT, "60", 65.9, WITHIN_ROUNDING),
        (ABOUT, "60", 66.1, DIFFERS),
        (AT_MOST, "0.01", 0.0149, WITHIN_ROUNDING),
        (AT_MOST, "0.01", 0.0151, DIFFERS),
        (AT_MOST, "0.01", 0.0, WITHIN_ROUNDING),
        (AT_LEAST, "20", 19.6, WITHIN_ROUNDING),
        (AT_LEAST, "20", 19.4, DIFFERS),
        (AT_LEAST, "20", 99, WITHIN_ROUNDING),
        (NOISE, "1.39e-15", 7e-15, WITHIN_ROUNDING),
        (NOISE, "1.39e-15", 1e-6, DIFFERS),
        (NOISE, "1.39e-15", float("nan"), NOT_COMPUTED),
    ],
)
def test_relations(relation, published, value, expected):
    assert verdict(published, value, relation) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0704, WITHIN_RESAMPLING), (0.0696, WITHIN_RESAMPLING), (0.069, DIFFERS), (0.0763, WITHIN_ROUNDING)],
)
def test_a_number_inside_its_interval_agrees_up_to_resampling(value, expected):
    assert verdict("0.076", value, lower=0.070, upper=0.080, draws=2000) == expected


@pytest.mark.parametrize(("draws", "reach"), [(2000, 0.0647), (200, 0.2045)])
def test_ends_may_differ_by_the_error_of_their_draws(draws, reach):
    low, high = 0.10, 0.90  # a width of 0.8
    for beyond, expected in ((0.98, WITHIN_RESAMPLING), (1.02, DIFFERS)):
        value = low + beyond * (0.8 * reach + 0.005)
        assert verdict("0.10", value, lower=low, upper=high, part="lower", draws=draws) == expected
    assert verdict("0.10", 0.5, lower=low, upper=high, part="lower", draws=draws) == DIFFERS  # inside is not enough


def test_the_error_of_an_end_is_that_of_simulated_percentiles():
    random = np.random.default_rng(7)
    drawn = np.percentile(random.normal(size=(2, 4000, 200)), PERCENTILES, axis=2)
    spread = np.std(drawn[:, 0] - drawn[:, 1])
    width = np.mean(drawn[1] - drawn[0])
    assert end_reach(np.array([width]), np.array([200.0]))[0] == pytest.approx(3 * spread, rel=0.08)


def test_a_difference_is_ours_minus_theirs():
    found = judge(pd.DataFrame([pair("0.50", 0.75), pair("0.50", 0.25)]))
    assert found["difference"].tolist() == [0.25, -0.25]


def tolerances(tmp_path, *lines):
    path = tmp_path / "tolerances.csv"
    path.write_text("table,row,column,allowed,reason\n" + "\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("line", "tolerated"),
    [
        ("table_x,*,auroc,any,other draws", True),
        ("table_*,ES/*,au*,0.1,other draws", True),
        ("table_x,ES/mild,auroc,0.0999,other draws", False),
        ("table_y,*,*,any,other draws", False),
        ("table_x,Diverse/*,*,any,other draws", False),
    ],
)
def test_differences_are_accepted_where_a_line_fits(tmp_path, line, tolerated):
    judged = judge(pd.DataFrame([pair("0.50", 0.60), pair("0.50", 0.50)]))
    found = tolerate(judged, read_tolerances(tolerances(tmp_path, line)))
    assert found["tolerated"].tolist() == [tolerated, False]
    assert found["explanation"].tolist() == ["other draws" if tolerated else "", ""]


def test_the_first_line_that_fits_decides(tmp_path):
    path = tolerances(tmp_path, "table_x,ES/mild,auroc,0.01,narrow", "table_x,*,*,any,wide")
    found = tolerate(judge(pd.DataFrame([pair("0.50", 0.60)])), read_tolerances(path))
    assert found["tolerated"].tolist() == [False]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("table_x,*,*,any,", "line 2: no reason; say why"),
        ("table_x,*,*,some,why", "line 2: 'some' is neither a positive number nor 'any'"),
        ("table_x,*,*,-1,why", "line 2: '-1' is neither"),
    ],
)
def test_unusable_tolerances_are_named(tmp_path, line, message):
    with pytest.raises(PairedEvalError, match=message):
        read_tolerances(tolerances(tmp_path, line))


def test_a_missing_column_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("table,row,allowed,reason\n")
    with pytest.raises(PairedEvalError, match=r"t.csv: no column column"):
        read_tolerances(tmp_path / "t.csv")


def test_the_tolerances_of_the_project_fit_results_that_are_printed(root):
    tables = read_published_tables(root / "resources/published")
    text = with_places(
        read_published_text(root / "resources/published"), read_places(root / "resources/scorecard/places.csv")
    )
    numbers = pd.concat([tables.assign(scope=tables["kind"].map(KIND_SCOPES)), text], ignore_index=True)
    rules = read_tolerances(root / "resources/scorecard/tolerances.csv")
    for rule in rules.itertuples():
        fitting = [
            place.scope
            for place in numbers.itertuples()
            if all(fnmatchcase(getattr(place, name), getattr(rule, name)) for name in ("table", "row", "column"))
        ]
        assert fitting, f"{rule} fits no number"
        assert set(fitting) == {RESULTS} or rule.table == "table_41", f"{rule} fits a count or a constant"
