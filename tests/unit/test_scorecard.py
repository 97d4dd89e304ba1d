"""The scorecard of a study: what is compared, tables, page, figure, and the answer of the command."""

import json

import pandas as pd
import pytest
from tests.support.published_study import planted, published_tables, write_study

from pairedeval.errors import PairedEvalError
from pairedeval.files import write_table
from pairedeval.report.figure_scorecard import figure_scorecard
from pairedeval.report.render import to_markdown
from pairedeval.report.tables_scorecard import (
    scorecard_page,
    table_differences,
    table_scorecard,
    table_scorecard_counts,
)
from pairedeval.scorecard.card import NUMBER_COLUMNS, printed_like, score_study, write_csv
from pairedeval.scorecard.command import scorecard_answer, scorecard_text
from pairedeval.scorecard.compare import DIFFERS, NOT_COMPUTED, WITHIN_ROUNDING
from pairedeval.scorecard.results import StudyResults
from pairedeval.scorecard.shape import study_shape
from pairedeval.scorecard.summary import failures, summarise_numbers

SETTINGS = {
    "seed": 20260908,
    "acceptance": {"coverage": 0.8},
    "tiers": {"mild": 0.4, "severe": 0.2},
    "policies": {"grid": "panel", "coverages": [0.6, 0.7, 0.8, 0.9, 1.0], "weights": [n / 10 for n in range(11)]},
    "matching": {"seeds": [20260910, 20260911, 20260912, 20260913, 20260914]},
    "review": {"events": 200, "reviewers": ["a", "b"]},
}


@pytest.fixture(scope="module")
def study(tmp_path_factory, root):
    """Return results with the printed tables, one number changed, and the inputs of the shape."""
    folder = tmp_path_factory.mktemp("results") / "x"
    tables = published_tables(root / "resources")
    tables["table_06"] = planted(tables["table_06"], 0, "h_width_i0_pp", 0.5)
    tables["table_07"] = planted(tables["table_07"], 1, "h_width_i5_pp", 0.25)  # accepted: another panel
    write_study(folder, root / "resources", tables)
    models = pd.read_csv(root / "resources/published/models44.csv")[["model", "group"]]
    tiers = [
        (source, f"l1-k{place:03}", tier)
        for source, sizes in {"es": (44, 5, 5), "diverse": (51, 25, 86)}.items()
        for place, tier in enumerate([*["mild"] * sizes[0], *["severe"] * sizes[1], *["extreme"] * sizes[2]])
    ]
    tiers += [(source, f"fog-{severity}", "mild") for source in ("syn", "syn_b") for severity in (2, 4)]
    index = [
        (f"{role}{image}", f"c{image // 5}", role, split)
        for role in ("syn", "base")
        for image, split in ((0, "development"), (1, "evaluation"))
    ]
    for name, table in {
        "analyses/models": models,
        "analyses/tiers": pd.DataFrame(tiers, columns=["source", "condition", "tier"]),
        "images/index": pd.DataFrame(index, columns=["image_id", "class_id", "role", "split"]),
    }.items():
        write_table(table, folder / f"{name}.parquet")
    return StudyResults.of(folder, [path for path in folder.rglob("*") if path.is_file()], root / "resources")


@pytest.fixture(scope="module")
def card(study):
    return score_study(study, SETTINGS, "results")


@pytest.fixture
def written(tmp_path, card):
    folder = tmp_path / "results" / "x"
    facts = {"study": "x", "scope": "results", "published": card.published}
    write_table(card.numbers, folder / "scorecard/numbers.parquet", facts)
    write_table(card.counts, folder / "scorecard/counts.parquet", facts)
    return folder


def test_the_paper_itself_is_compared_number_by_number(card):
    assert card.published == len(card.numbers) == 2378
    assert list(card.numbers.columns) == list(NUMBER_COLUMNS)
    tables = card.numbers[card.numbers["table"] != "text"]
    differing = tables[tables["verdict"] == DIFFERS]
    assert differing[["table", "row", "column", "published", "printed"]].values.tolist() == [
        ["table_06", "Syn", "h_width_i0_pp", "8.44", "8.94"],
        ["table_07", "Syn-B", "h_width_i5_pp", "0.54", "0.79"],
    ]
    assert differing["tolerated"].tolist() == [False, True]
    assert differing["reason"].tolist()[1].startswith("another panel")
    assert (tables["verdict"] == WITHIN_ROUNDING).sum() == len(tables) - 2


def test_a_study_of_the_same_shape_compares_counts_and_constants(study):
    numbers = score_study(study, SETTINGS, "shape").numbers
    assert set(numbers["kind"]) == {"count", "protocol constant", "result"}
    assert numbers.loc[numbers["kind"] == "result", "row"].tolist() == ["F-consistency-01"]
    table = numbers[numbers["table"] == "table_10"]
    assert set(table["column"]) == {"cells"}
    assert "auroc_u" not in set(numbers["column"])


def test_another_study_compares_constants_only(study):
    numbers = score_study(study, SETTINGS, "protocol").numbers
    assert set(numbers["table"]) == {"text"}
    assert set(numbers["verdict"]) == {WITHIN_ROUNDING, NOT_COMPUTED, DIFFERS}
    # The printed Table 45 is cut after six of its sixteen rows.
    assert numbers.loc[numbers["verdict"] == DIFFERS, "row"].tolist() == ["I.2-03"]
    assert not numbers["row"].isin(["s3.3-01", "B.1-28", "E.2-02"]).any()


def test_the_shape_of_the_paper_asks_for_its_own_panel(study):
    paper, own = (study_shape(study, SETTINGS, paper=paper).panel_cells for paper in (True, False))
    assert (paper, own) == (450, 440)


def test_verdicts_are_counted_by_table(card):
    summary = summarise_numbers(card.numbers).set_index("group")
    assert summary.loc["Table 6"].tolist() == [24, 23, 0, 1, 0, 0]
    assert summary.loc["Table 7"].tolist() == [28, 27, 0, 1, 0, 1]
    assert summary.loc["All", "numbers"] == 2378
    assert summary.index.tolist()[:2] == ["Table 4", "Table 6"]
    assert summary.index.tolist()[-2:] == ["Appendix J", "All"]
    verdicts = ["within rounding", "within resampling interval", "differs", "not computed"]
    assert summary[verdicts].sum(axis=1).equals(summary["numbers"])


def test_numbers_are_printed_as_in_the_paper():
    assert printed_like(-0.0004, "+0.050") == "-0.000"
    assert printed_like(0.6719, "-0.67") == "+0.67"
    assert printed_like(133056.0, "133056") == "133056"


def test_failures_are_differences_without_a_cause_and_wrong_counts(card):
    numbers, counts = failures(card.numbers, card.counts)
    assert "table_06" in set(numbers["table"])
    assert "table_07" not in set(numbers["table"])
    assert "cells" in set(counts["name"])


def test_the_answer_names_what_differs(written):
    answer = scorecard_answer(written)
    assert not answer["ok"]
    assert (answer["study"], answer["compared"], answer["published"]) == ("x", 2378, 2378)
    assert answer["differing"][0] | {"difference": 0.5} == {
        "group": "Table 6", "row": "Syn", "column": "h_width_i0_pp", "published": "8.44", "printed": "8.94",
        "difference": 0.5,
    }  # fmt: skip
    assert sum(answer["verdicts"].values()) == 2378
    assert json.loads(json.dumps(answer, allow_nan=False))["failing"][0] == {
        "quantity": "models", "place": "analyses/cells/*", "expected": 44, "counted": None,
    }  # fmt: skip
    text = scorecard_text(answer)
    assert "Syn  " in text
    assert "h_width_i0_pp" in text
    assert "differ without an accepted cause" in text


def test_other_tolerances_can_be_asked_for(written, tmp_path):
    (tmp_path / "all.csv").write_text("table,row,column,allowed,reason\n*,*,*,any,all is well\n")
    answer = scorecard_answer(written, tmp_path / "all.csv")
    assert answer["differing"] == []
    assert answer["accepted"] == answer["verdicts"][DIFFERS]
    (tmp_path / "none.csv").write_text("table,row,column,allowed,reason\n")
    assert "Table 7" in {number["group"] for number in scorecard_answer(written, tmp_path / "none.csv")["differing"]}


def test_a_study_that_agrees_says_so(written, card):
    facts = {"study": "x", "scope": "protocol", "published": 2378}
    agreeing = card.numbers[card.numbers["verdict"] == WITHIN_ROUNDING]
    write_table(agreeing, written / "scorecard/numbers.parquet", facts)
    write_table(card.counts.assign(agrees=True), written / "scorecard/counts.parquet", facts)
    answer = scorecard_answer(written)
    assert answer["ok"]
    assert scorecard_text(answer).endswith("counts agree with the shape of the study.")


def test_a_study_without_a_scorecard(tmp_path):
    with pytest.raises(PairedEvalError, match=r"numbers.parquet: no such file; make it with 'snakemake"):
        scorecard_answer(tmp_path)
    write_table(pd.DataFrame({"x": [1]}), tmp_path / "scorecard/numbers.parquet")
    write_table(pd.DataFrame({"x": [1]}), tmp_path / "scorecard/counts.parquet")
    with pytest.raises(PairedEvalError, match=r"not a scorecard"):
        scorecard_answer(tmp_path)


def test_tables_say_what_is_compared_and_why(card):
    table = table_scorecard(summarise_numbers(card.numbers), "protocol", 2378, {"es"})
    assert table.rows[1] == ("Table 6", 24, 23, 0, 1, 0, 0)
    notes = " ".join(table.notes)
    assert "other images and models than the paper, so no result is compared" in notes
    assert "The captures of ES are simulated." in notes
    counts = table_scorecard_counts(card.counts)
    assert counts.rows[0][:2] == ("models", 44)
    assert counts.rows[0][3] == "no"


def test_the_page_lists_differences_without_a_cause_first(card):
    table = table_differences(card.numbers)
    reasons = [row[-1] for row in table.rows]
    assert reasons == sorted(reasons, key=bool)
    page = scorecard_page("Scorecard", [table])
    assert page.startswith("# Scorecard\n\n**Printed numbers that differ.**")
    assert "| Table 6 | Syn | h\\_width\\_i0\\_pp | 8.44 | 8.94 | +0.5000 |  |" in page
    none = table_differences(card.numbers[card.numbers["verdict"] == WITHIN_ROUNDING])
    assert "differ" not in scorecard_page("Scorecard", [none])


def test_the_csv_file_keeps_every_digit(tmp_path, card):
    write_csv(card.numbers, tmp_path / "numbers.csv")
    read = pd.read_csv(tmp_path / "numbers.csv", dtype={"published": str, "printed": str}, keep_default_na=False)
    assert read["published"].tolist() == card.numbers["published"].tolist()
    values = pd.to_numeric(read["value"], errors="coerce")
    assert values.dropna().tolist() == card.numbers["value"].dropna().tolist()


def test_the_figure_has_a_bar_for_each_group_and_a_dot_for_each_number(card):
    numbers = card.numbers
    figure = figure_scorecard(numbers, {"es"})
    shares, sizes = figure.axes
    labels = [label.get_text() for label in shares.get_yticklabels()]
    assert labels[:2] == ["Table 4 (12)", "Table 6 (24)"]
    assert len(labels) == numbers["group"].nunique()
    ends = {round(bar.get_y(), 3): 0.0 for bar in shares.patches}
    for bar in shares.patches:
        ends[round(bar.get_y(), 3)] += bar.get_width()
    assert list(ends.values()) == pytest.approx([100] * len(labels))
    dots = sum(len(collection.get_offsets()) for collection in sizes.collections)
    assert dots == int((numbers["difference"].notna() & (numbers["half_unit"] > 0)).sum())
    figure.canvas.draw()


def test_markdown_of_the_counts_shows_missing_files(card):
    assert "| models | 44 | – | no |" in to_markdown(table_scorecard_counts(card.counts))
