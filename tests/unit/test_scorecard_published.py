"""Reading the printed numbers."""

import math

import pandas as pd
import pytest

from pairedeval.scorecard.published import (
    COUNT,
    COUNT_COLUMNS,
    part_of_paper,
    read_published_tables,
    read_published_text,
    rounding,
)


@pytest.fixture(scope="module")
def tables(root):
    return read_published_tables(root / "resources/published")


@pytest.fixture(scope="module")
def text(root):
    return read_published_text(root / "resources/published")


def one(frame, table, row, column):
    found = frame[(frame["table"] == table) & (frame["row"] == row) & (frame["column"] == column)]
    assert len(found) == 1
    return found.iloc[0]


@pytest.mark.parametrize(
    ("printed", "number", "half"),
    [
        ("0.050", 0.05, 0.0005),
        ("-0.000", 0.0, 0.0005),
        ("+1.10", 1.1, 0.005),
        (".6", 0.6, 0.05),
        ("9108000", 9108000.0, 0.5),
        ("1e-12", 1e-12, 5e-13),
        ("1/3", 1 / 3, 0.0),
    ],
)
def test_the_last_digit_says_how_a_number_is_rounded(printed, number, half):
    assert rounding(printed) == pytest.approx((number, half), rel=1e-12, abs=0)


@pytest.mark.parametrize("entry", ["", "Syn", "I0->Ik", "nan", "-"])
def test_words_are_no_numbers(entry):
    with pytest.raises(ValueError, match=r"is no"):
        rounding(entry)


def test_every_printed_number_is_read_once(root, tables, text):
    assert not tables.duplicated(["table", "row", "column"]).any()
    assert not text.duplicated(["row", "part"]).any()
    printed = 0
    for path in (root / "resources/published").glob("table*.csv"):
        if path.stem not in ("table01", "table02", "table03", "table05", "table41", "table42"):
            frame = pd.read_csv(path, dtype=str, keep_default_na=False)
            numeric = frame.apply(lambda column: pd.to_numeric(column, errors="coerce").notna())
            index = pd.read_csv(path.parent / "index.csv").set_index("table")
            printed += int(numeric.drop(columns=index.loc[path.stem, "keys"].split(";")).to_numpy().sum())
    assert len(tables) == printed + 44  # the sizes of the models are read from the complete list
    assert text["row"].nunique() == len(pd.read_csv(root / "resources/published/text-figures.csv"))


def test_a_number_knows_its_resampling_interval(tables):
    by_group = one(tables, "table_16", "ES/mild", "auroc_u_minus_s")
    assert (by_group["lower"], by_group["upper"], by_group["part"], by_group["draws"]) == (0.07, 0.08, "value", 2000)
    by_class = one(tables, "table_17", "Diverse/extreme", "auroc_u_minus_s_class_hi")
    assert (by_class["lower"], by_class["upper"], by_class["part"], by_class["draws"]) == (-0.013, 0.039, "upper", 200)
    both = one(tables, "table_31", "ES/mild", "recall_q20_u18_minus_tta18")
    assert (both["lower"], both["upper"]) == (0.076, 0.103)  # the interval from model groups comes first
    for row, column in (("ES/mild", "auroc_s"), ("ES/mild", "auroc_u")):
        assert math.isnan(one(tables, "table_16", row, column)["lower"])


def test_identified_intervals_and_ranges_are_not_resampled(tables):
    assert tables.loc[tables["table"] == "table_15", "draws"].eq(0).all()
    assert one(tables, "table_45", "Syn/ES/a1", "deletion_refit_gain_c1_pp_min")["draws"] == 0


def test_the_whole_pool_is_compared(tables):
    sizes = tables[tables["table"] == "table_41"]
    assert len(sizes) == 44
    assert set(sizes["kind"]) == {COUNT}


def test_counts_are_columns_that_exist(tables):
    for table, columns in COUNT_COLUMNS.items():
        rows = tables[tables["table"] == table.replace("table", "table_")]
        assert set(columns) <= set(rows["column"])
        assert rows.loc[rows["column"].isin(columns), "kind"].eq(COUNT).all()


def test_ranges_and_intervals_of_the_text(text):
    low, high = text[text["row"] == "s4.3-08"].itertuples()
    assert (low.part, low.number, high.part, high.number) == ("lower", 14, "upper", 31)
    assert math.isnan(low.lower)
    gain = text[text["row"] == "I.1-09"]
    assert gain["published"].tolist() == ["+0.52", "-0.43", "2.56"]
    assert gain["draws"].tolist() == [2000] * 3


@pytest.mark.parametrize(
    ("section", "part"),
    [
        ("Abstract", "Main text"),
        ("3.1", "Main text"),
        ("Figures 2-4 (captions)", "Main text"),
        ("Reproducibility Statement", "Main text"),
        ("A.6", "Appendix A"),
        ("E (opening)", "Appendix E"),
        ("F: Acceptance and ties", "Appendix F"),
        ("G", "Appendix G"),
    ],
)
def test_sections_belong_to_parts_of_the_paper(section, part):
    assert part_of_paper(section) == part
