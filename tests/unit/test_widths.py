"""Tidy tables of cells and bounds, and the means of their widths."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.files import read_metadata
from pairedeval.identification import LEVELS
from pairedeval.identification.tidy import identify_records, identify_source
from pairedeval.identification.widths import on_panel, summarise_widths
from pairedeval.records import write_records

METADATA = {"source": "syn", "model": "m", "group": "g"}
TIERS = {"fog-2": "mild"}


def bounds(*rows) -> pd.DataFrame:
    """Build a table of bounds from (source, model, target, level, lower, upper)."""
    table = pd.DataFrame(rows, columns=["source", "model", "target", "level", "lower", "upper"])
    return table.assign(condition="c", width=table["upper"] - table["lower"])


def test_cells_hold_keys_and_metrics(records):
    cells, _ = identify_records(records, METADATA, TIERS)
    row = cells.iloc[0]
    assert list(cells.columns[:5]) == ["source", "model", "group", "condition", "tier"]
    assert row[["source", "model", "group", "condition", "tier"]].tolist() == ["syn", "m", "g", "fog-2", "mild"]
    assert (row["n"], row["overlap"], row["clean_accuracy"]) == (4, 2, 0.5)
    assert row["threshold"] == 0.9  # development: two clean records of confidence 0.9, both kept


def test_coverage_sets_the_threshold(records):
    records.loc[(records["image_id"] == "image-10") & (records["condition"] == "clean"), "confidence"] = 0.6
    thresholds = [identify_records(records, METADATA, TIERS, share)[0]["threshold"][0] for share in (0.5, 0.8)]
    assert thresholds == [0.9, 0.6]


def test_bounds_have_twelve_rows_a_cell(records):
    _, table = identify_records(records, METADATA, TIERS)
    assert table["target"].tolist() == [target for target in ("H", "L", "dM_k", "E_tau") for _ in LEVELS]
    assert table["level"].tolist() == list(LEVELS) * 4
    assert (table["width"] == table["upper"] - table["lower"]).all()
    drop = table[(table["target"] == "dM_k") & (table["level"] == "Ik")].iloc[0]
    # Each class keeps its single correct pair: 0.8 becomes 0.5.
    assert drop[["lower", "upper", "observed", "independent"]].tolist() == pytest.approx([0.3] * 4)


def test_files_are_analysed_in_their_order(records, tmp_path):
    paths = [tmp_path / f"{model}.parquet" for model in ("z", "a")]
    for path in paths:
        write_records(records, path, METADATA | {"model": path.stem})
    cells, table = identify_source(paths, pd.DataFrame({"condition": ["fog-2"], "tier": ["mild"]}), levels=["I0", "Ik"])
    assert read_metadata(paths[0])["model"] == "z"
    assert cells["model"].tolist() == ["z", "a"]
    assert table["model"].tolist() == ["z"] * 8 + ["a"] * 8
    assert set(table["level"]) == {"I0", "Ik"}


def test_a_condition_without_tier_is_refused(records):
    with pytest.raises(RecordsError, match=r"m.parquet: condition fog-2 has no tier; assign tiers"):
        identify_records(records, METADATA, {}, place="m.parquet")


def test_a_missing_split_is_refused(records):
    with pytest.raises(RecordsError, match="no clean records in the development split"):
        identify_records(records[records["split"] == "evaluation"], METADATA, TIERS)


def test_means_weigh_cells_equally_and_count_narrower_ones():
    table = bounds(
        ("es", "a", "H", "I0", 0.0, 0.6),
        ("es", "a", "H", "Ik", 0.1, 0.5),
        ("es", "a", "H", "I5", 0.1, 0.1),
        ("es", "b", "H", "I0", 0.0, 0.2),
        ("es", "b", "H", "Ik", 0.0, 0.2 - 1e-14),
        ("es", "b", "H", "I5", 0.0, 0.2 - 1e-14),
    )
    widths = summarise_widths(table)
    assert widths["level"].tolist() == ["I0", "Ik", "I5"]
    assert widths["mean_width"].tolist() == pytest.approx([0.4, 0.3, 0.1])
    assert widths["cells"].tolist() == [2, 2, 2]
    assert widths["narrower_cells"].tolist() == [0, 1, 1]
    assert widths["positive_cells"].tolist() == [2, 2, 1]


def test_undefined_cells_are_counted_at_every_level_and_never_zero():
    table = bounds(
        ("es", "a", "dM_k", "I0", -0.1, 0.3),
        ("es", "a", "dM_k", "Ik", 0.1, 0.2),
        ("es", "b", "dM_k", "I0", -0.9, 0.9),
        ("es", "b", "dM_k", "Ik", np.nan, np.nan),
        ("diverse", "b", "dM_k", "I0", -0.9, 0.9),
        ("diverse", "b", "dM_k", "Ik", np.nan, np.nan),
    )
    widths = summarise_widths(table).set_index(["source", "level"])
    assert widths.loc["es", "mean_width"].tolist() == pytest.approx([0.4, 0.1])
    assert widths["cells"].tolist() == [1, 1, 0, 0]
    assert widths["undefined"].tolist() == [1, 1, 1, 1]
    assert widths["straddling_cells"].tolist() == [1, 0, 0, 0]
    assert np.isnan(widths.loc[("diverse", "I0"), "mean_width"])


def test_panel_cells_are_kept():
    table = bounds(("es", "a", "H", "I0", 0.0, 0.6), ("es", "b", "H", "I0", 0.0, 0.2))
    panel = pd.DataFrame({"source": ["es"], "model": ["b"], "condition": ["c"]})
    assert on_panel(table, panel)["upper"].tolist() == [0.2]


def test_a_panel_cell_without_bounds_is_refused():
    table = bounds(("es", "a", "H", "I0", 0.0, 0.6))
    panel = pd.DataFrame({"source": ["es"], "model": ["b"], "condition": ["c"]})
    with pytest.raises(RecordsError, match="the panel's cell es, b, c has no bounds; identify its records first"):
        on_panel(table, panel)
