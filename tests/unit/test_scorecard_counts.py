"""Counts that the shape of a study decides: those of the paper, and what files hold."""

import dataclasses

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.files import write_table
from pairedeval.scorecard.counts import COUNTS, count_study
from pairedeval.scorecard.results import StudyResults
from pairedeval.scorecard.shape import Shape, study_shape

SETTINGS = {
    "policies": {"grid": "panel", "coverages": [0.6, 0.7, 0.8, 0.9, 1.0], "weights": [n / 10 for n in range(11)]},
    "matching": {"seeds": [1, 2, 3, 4, 5]},
    "review": {"events": 200, "reviewers": ["a", "b"]},
}
# Models of each group in the published list of 44.
PAPER = Shape(
    groups=(4, 2, 3, 5, 12, 3, 2, 5, 4, 4),
    strata={"syn": (9, 9), "syn_b": (9, 9), "es": (44, 5, 5), "diverse": (51, 25, 86)},
    images={"syn": 10_000, "base": 1_000},
    evaluation_images={"syn": 5_000, "base": 500},
    labelled_classes=193,
    variants=58,
    policies=5,
    weights=11,
    seeds=5,
    reviewers=2,
    review_events=200,
    extra_cells=10,
)
PRINTED = {
    "models": 44,
    "clean_records": 484_000,
    "cells": 11_088,
    "real_cells": 9_504,
    "pairs": 9_108_000,
    "target_rows": 133_056,
    "panel_cells": 450,
    "panel_models": 44,
    "panel_conditions": 18 + 18 + 54 + 113,
    "matched_cells": 2_250,
    "policy_bounds": 74_250,
    "policy_comparisons": 297_000,
    "policy_selections": 74_250,
    "screened_cells": 9_504,
    "fits": 88,
    "prediction_targets": 88,
    "predictions": 49_280,
    "label_cells": 9_504,
    "label_classes": 1_834_272,
    "ratings": 400,
}


def test_the_shape_of_the_paper_gives_its_printed_counts():
    expected = {entry.name: entry.expect(PAPER) for entry in COUNTS}
    assert {name: expected[name] for name in PRINTED} == PRINTED
    assert expected["records"] == 44 * (10_000 * 19 + 1_000 * (19 + 55 + 163))
    assert expected["responses"] == 44 * 58 * 1_000


def test_groups_of_the_paper(root):
    models = pd.read_csv(root / "resources/published/models44.csv")
    assert sorted(models.groupby("group").size()) == sorted(PAPER.groups)


def test_the_printed_counts_are_those_of_the_issue_and_of_the_text(root):
    text = pd.read_csv(root / "resources/published/text-figures.csv", dtype=str).set_index("id")["value"]
    places = pd.read_csv(root / "resources/scorecard/places.csv", dtype=str, keep_default_na=False)
    places = places[places["place"] == "counts"]
    for place in places.itertuples():
        name = place.rows.removeprefix("name == '").removesuffix("'")
        assert float(text[place.id]) == PRINTED[name], place.id


def test_policies_on_the_full_grid_are_counted_there():
    expected = {entry.name: entry.expect(dataclasses.replace(PAPER, full_grid=True)) for entry in COUNTS}
    assert expected["policy_bounds"] == 11_088 * 5 * 11 * 3
    assert expected["matched_cells"] == 2_250


def test_three_groups_are_never_deleted():
    three = dataclasses.replace(PAPER, groups=(1, 1, 2))
    expected = {entry.name: entry.expect(three) for entry in COUNTS}
    assert expected["predictions"] == 7 * 16 * 4


@pytest.fixture
def study(tmp_path, root):
    """Write the files of a study of two models that records and cells are counted in."""
    index = pd.DataFrame(
        [(f"{role}{place}", "c", role, split) for role, number in (("syn", 4), ("base", 2))
         for place, split in zip(range(number), ("evaluation", "development") * 2, strict=False)],
        columns=["image_id", "class_id", "role", "split"],
    )  # fmt: skip
    conditions = {"syn": ["fog-2"], "syn_b": ["fog-2"], "es": ["l1-k1", "l1-k2"], "diverse": ["l1-k1"]}
    rows = [(source, name, "mild") for source, names in conditions.items() for name in names]
    tables = {
        "images/index": index,
        "analyses/models": pd.DataFrame({"model": ["a", "b"], "group": ["g", "h"]}),
        "analyses/tiers": pd.DataFrame(rows, columns=["source", "condition", "tier"]),
        "analyses/annotations": pd.DataFrame({"image_id": ["base0", "base1"], "accepted": ["c", ""]}),
        "review/frame": pd.DataFrame({"event_id": range(7)}),
    }
    for source, names in conditions.items():
        images = index.loc[index["role"] == ("syn" if source == "syn" else "base"), "image_id"]
        for model in ("a", "b"):
            records = [(name, image, 0, 0) for name in ("clean", *names) for image in images]
            tables[f"records/{source}/{model}"] = pd.DataFrame(
                records, columns=["condition", "image_id", "label", "prediction"]
            )
        cells = [(source, model, name, len(images) // 2) for model in ("a", "b") for name in names]
        tables[f"analyses/cells/{source}"] = pd.DataFrame(cells, columns=["source", "model", "condition", "n"])
    for name, table in tables.items():
        write_table(table, tmp_path / f"{name}.parquet")
    return lambda: StudyResults.of(tmp_path, tmp_path.rglob("*.parquet"), root / "resources")


def counted(results, *, paper=False):
    return count_study(results, study_shape(results, SETTINGS, paper=paper)).set_index("name")


def test_files_are_counted_and_compared_with_the_shape(study):
    table = counted(study())
    found = table.loc[["models", "records", "clean_records", "agreeing_clean_records", "cells", "real_cells", "pairs"]]
    assert found["counted"].tolist() == [2, 2 * (8 + 4 + 6 + 4), 12, 4, 10, 6, 2 * (2 + 1 + 2 + 1)]
    assert found["agrees"].all()


def test_what_a_study_lacks_is_not_counted(study):
    table = counted(study())
    assert table.loc["predictions", "counted"] != table.loc["predictions", "counted"]
    assert not table.loc["predictions", "agrees"]


def test_the_review_draws_no_more_events_than_there_are(study):
    assert counted(study()).loc["ratings", "expected"] == 14


def test_classes_without_an_accepted_label_are_left_out(study):
    results = study()
    assert study_shape(results, SETTINGS, paper=False).labelled_classes == 1
    write_table(
        pd.DataFrame({"image_id": ["base0"], "accepted": [""]}), results.folder / "analyses/annotations.parquet"
    )
    assert study_shape(study(), SETTINGS, paper=False).labelled_classes == 0


def test_a_missing_cell_and_a_disagreeing_record_are_found(study):
    folder = study().folder
    cells = pd.read_parquet(folder / "analyses/cells/es.parquet")
    write_table(cells.iloc[1:], folder / "analyses/cells/es.parquet")
    records = pd.read_parquet(folder / "records/diverse/b.parquet")
    records.loc[(records["condition"] == "clean") & (records["image_id"] == "base1"), "prediction"] = 1
    write_table(records, folder / "records/diverse/b.parquet")
    table = counted(study())
    assert table.loc[["cells", "real_cells", "pairs"], "counted"].tolist() == [9, 5, 11]
    assert table.loc["agreeing_clean_records", "counted"] == 3
    assert set(table.index[~table["agrees"] & table["counted"].notna()]) == {
        "cells", "real_cells", "pairs", "agreeing_clean_records",
    }  # fmt: skip


def test_an_absent_clean_record_does_not_agree(study):
    folder = study().folder
    records = pd.read_parquet(folder / "records/es/a.parquet")
    write_table(records.iloc[1:], folder / "records/es/a.parquet")
    assert counted(study()).loc["agreeing_clean_records", "counted"] == 3


def test_the_panel_of_the_paper_has_ten_more_cells(study):
    results = study()
    own, paper = (study_shape(results, SETTINGS, paper=paper).panel_cells for paper in (False, True))
    assert (own, paper) == (2 * 4, 2 * 4 + 10)


def test_a_study_without_its_index_cannot_be_scored(study):
    results = study()
    without = StudyResults(results.folder, results.files - {"images/index.parquet"}, results.resources)
    with pytest.raises(PairedEvalError, match=r"images/index: no such result; run the study first"):
        study_shape(without, SETTINGS, paper=False)
