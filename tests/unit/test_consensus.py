"""Persistence of clean wrong answers by the share of other models that give them."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.labels.consensus import DEFINITIONS, STRATA, measure_consensus, strata_of, summarise_consensus
from pairedeval.records import write_records


def model_records(clean, conditions) -> pd.DataFrame:
    """Build records of four evaluation images of class 0 and one development image."""
    rows = []
    for condition, answers in {"clean": clean, **conditions}.items():
        for image, answer in enumerate([*answers, 0]):
            rows.append((condition, f"i{image}", answer, "evaluation" if image < len(answers) else "development"))
    table = pd.DataFrame(rows, columns=["condition", "image_id", "prediction", "split"])
    truth = np.where(table["prediction"] == 0, 0.8, 0.1)
    return table.assign(label=0, confidence=0.8, true_class_probability=truth)


@pytest.fixture
def paths(tmp_path):
    """Five models of three groups: all but the last answer 1 on the first image."""
    written = []
    answers = {
        ("a1", "a"): ([1, 2, 0, 0], {"x": [1, 1, 0, 0], "y": [0, 2, 1, 0]}),
        ("a2", "a"): ([1, 0, 0, 0], {"x": [1, 0, 0, 0], "y": [1, 0, 0, 0]}),
        ("b1", "b"): ([1, 0, 0, 0], {"x": [2, 0, 0, 0], "y": [2, 0, 0, 0]}),
        ("b2", "b"): ([1, 0, 0, 0], {"x": [2, 0, 0, 0], "y": [2, 0, 0, 0]}),
        ("c1", "c"): ([0, 0, 0, 3], {"x": [1, 0, 0, 3], "y": [1, 0, 0, 3]}),
    }
    for (model, group), (clean, conditions) in answers.items():
        written.append(tmp_path / f"{model}.parquet")
        metadata = {"source": "es", "model": model, "group": group}
        write_records(model_records(clean, conditions), written[-1], metadata)
    return written


def test_events_by_hand(paths):
    found = measure_consensus(paths)
    assert len(found) == 5 * len(DEFINITIONS) * len(STRATA)
    table = found.set_index(["model", "definition", "stratum"])
    counts = ["images", "events", "persistent"]
    # a1, first image: 3 of 4 others; 2 of 3 of other groups; both of b, none of c: one half.
    assert table.loc[("a1", "leave_model_out", "high"), counts].tolist() == [1, 2, 1]
    assert table.loc[("a1", "leave_group_out", "high"), counts].tolist() == [0, 0, 0]
    assert table.loc[("a1", "leave_group_out", "middle"), counts].tolist() == [1, 2, 1]
    assert table.loc[("a1", "group_equal", "middle"), counts].tolist() == [1, 2, 1]
    # a1, second image: nobody else; its answer 2 stays under y only.
    for definition in DEFINITIONS:
        assert table.loc[("a1", definition, "low"), counts].tolist() == [1, 2, 1]
    # c1 becomes wrong on the first image after perturbation only, which is no event.
    assert table.loc["c1"].groupby("definition")["images"].sum().tolist() == [1, 1, 1]
    assert table.loc[("c1", "group_equal", "low"), counts].tolist() == [1, 2, 2]


def test_rates_pool_events(paths):
    summary = summarise_consensus(measure_consensus(paths)).set_index(["definition", "stratum"])
    # a1, a2, b1 and b2 on the first image, two conditions each: 1 + 2 + 0 + 0 of 8 persist.
    row = summary.loc[("leave_model_out", "high")]
    assert row[["source", "images", "events", "persistent", "models", "rate"]].tolist() == ["es", 4, 8, 3, 4, 3 / 8]
    empty = summary.loc[("leave_group_out", "high")]
    assert empty["events"] == 0
    assert np.isnan(empty["rate"])


def test_a_single_group_has_no_support_from_others(paths):
    found = measure_consensus(paths[:2]).set_index(["model", "definition", "stratum"])
    assert found.loc[("a1", "leave_group_out", "undefined"), "images"] == 2
    assert found.loc[("a1", "group_equal", "undefined"), "images"] == 2
    assert found.loc[("a1", "leave_model_out", "high"), "images"] == 1


def test_edges_belong_to_the_outer_strata_despite_rounding():
    shares = np.array([0.25 + 1e-16, 0.75 - 2e-16, 0.2501, 0.7499, 0.0, 1.0, np.nan])
    assert strata_of(shares).tolist() == ["low", "high", "middle", "middle", "low", "high", "undefined"]


def test_other_images_are_refused(paths, tmp_path):
    frame = model_records([1, 0, 0], {"x": [1, 0, 0]})
    write_records(frame, tmp_path / "d.parquet", {"source": "es", "model": "d1", "group": "d"})
    with pytest.raises(RecordsError, match="source es: d1 has other evaluation images than a1; infer all models on"):
        measure_consensus([*paths, tmp_path / "d.parquet"])
