"""Tables and their renderers, on example numbers (the first rows of the paper's Tables 6 and 7)."""

import csv
import math

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.report.render import format_value, to_csv, to_html, to_latex, to_markdown, write_all
from pairedeval.report.table import Column, Table
from pairedeval.report.tables import (
    models_table,
    sources_table,
    table_06,
    table_07,
    table_41,
    tiers_table,
    timings_table,
)

SIMULATED = {"es"}


def example_widths() -> pd.DataFrame:
    rows = [
        ("syn", "H", "I0", 0.0844, 792, 0),
        ("syn", "H", "Ik", 0.0344, 792, 0),
        ("syn", "L", "I0", 0.0673, 792, 0),
        ("syn", "L", "Ik", 0.0463, 792, 0),
        ("syn", "dM_k", "Ik", 0.0601, 792, 0),
        ("es", "H", "I0", 0.0156, 2376, 0),
        ("es", "H", "Ik", 0.0079, 2376, 0),
        ("es", "L", "I0", 0.0552, 2376, 0),
        ("es", "L", "Ik", 0.0444, 2376, 0),
        ("es", "dM_k", "Ik", 0.0352, 2374, 2),
    ]
    return pd.DataFrame(rows, columns=["source", "target", "level", "mean_width", "cells", "undefined"])


def example_panel() -> pd.DataFrame:
    rows = [
        ("es", "H", "I0", 0.0112, 135, 0, 0),
        ("es", "H", "Ik", 0.0077, 135, 0, 120),
        ("es", "H", "I5", 0.0068, 135, 0, 38),
        ("syn", "H", "I0", 0.0845, 90, 0, 0),
        ("syn", "H", "Ik", 0.0347, 90, 0, 90),
        ("syn", "H", "I5", 0.0240, 90, 0, 90),
        ("syn", "L", "I5", 0.0461, 90, 0, 0),
    ]
    names = ["source", "target", "level", "mean_width", "cells", "undefined", "narrower_cells"]
    return pd.DataFrame(rows, columns=names)


def odd_table() -> Table:
    columns = (Column("model", "Model"), Column("share_pct", "Share & more (%)", "share", decimals=1))
    return Table("odd", "", "Odd names, 100%.", columns, (("a_b|c & <d>", -0.0001), ("x", None), ("y", math.nan)))


def test_csv_of_table_06_has_the_published_columns_and_printed_decimals():
    assert to_csv(table_06(example_widths(), SIMULATED)) == (
        "source,cells,h_width_i0_pp,h_width_ik_pp,l_width_i0_pp,l_width_ik_pp,dm_k_width_ik_pp\n"
        "Syn,792,8.44,3.44,6.73,4.63,6.01\n"
        "ES (simulated),2376,1.56,0.79,5.52,4.44,3.52\n"
    )


def test_markdown_of_table_07():
    assert to_markdown(table_07(example_panel())) == (
        "**Table 7. Mean width of the identified interval of <i>H</i> in the panel, in percentage points.**\n"
        "\n"
        "| Source | Cells | <i>I</i><sub>0</sub> | <i>I</i><sub>k</sub> | <i>I</i><sub>5</sub> | Extra | Narrower |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| Syn | 90 | 8.45 | 3.47 | 2.40 | 1.07 | 90/90 |\n"
        "| ES | 135 | 1.12 | 0.77 | 0.68 | 0.09 | 38/135 |\n"
        "\n"
        "Extra: what the five-state counts (<i>I</i><sub>5</sub>) take off the width at <i>I</i><sub>k</sub>. "
        "Narrower: cells whose interval is strictly narrower at <i>I</i><sub>5</sub> than at <i>I</i><sub>k</sub>.\n"
    )


def test_latex_of_table_06_has_two_header_rows():
    lines = to_latex(table_06(example_widths())).splitlines()
    assert lines[3:12] == [
        r"  \label{tab:table_06}",
        r"  \begin{tabular}{lrrrrrr}",
        r"    \toprule",
        r"    &  & \multicolumn{2}{c}{$H$} & \multicolumn{2}{c}{$L$} & \multicolumn{1}{c}{$dM_k$} \\",
        r"    \cmidrule(lr){3-4} \cmidrule(lr){5-6} \cmidrule(lr){7-7}",
        r"    Source & Cells & $\mathcal{I}_0$ & $\mathcal{I}_k$ & $\mathcal{I}_0$ & $\mathcal{I}_k$ "
        r"& $\mathcal{I}_k$ \\",
        r"    \midrule",
        r"    Syn & 792 & 8.44 & 3.44 & 6.73 & 4.63 & 6.01 \\",
        r"    ES & 2,376 & 1.56 & 0.79 & 5.52 & 4.44 & 3.52 \\",
    ]


def test_html_spans_groups_and_carries_raw_values():
    fragment = to_html(table_06(example_widths()))
    assert '<td colspan="2"></td><th scope="colgroup" colspan="2"><i>H</i></th>' in fragment
    assert '<th scope="row">ES</th><td class="number" data-value="2376">2,376</td>' in fragment


def test_undefined_cells_are_counted_by_source():
    note = "No image is correct on both sides in 2 cells (ES 2): {dM_k} is undefined there and left out."
    assert table_06(example_widths()).notes[-1] == note


def test_a_missing_mean_is_a_dash_with_a_count_and_empty_in_csv():
    table = table_06(example_widths()[:-1])
    assert table.undefined == 1
    assert to_csv(table).splitlines()[-1] == "ES,2376,1.56,0.79,5.52,4.44,"
    assert "| ES | 2,376 | 1.56 | 0.79 | 5.52 | 4.44 | – |" in to_markdown(table)
    assert to_markdown(table).endswith("–: undefined (1 entry).\n")


@pytest.mark.parametrize(
    ("render", "row", "note"),
    [
        (to_csv, "a_b|c & <d>,0.0\nx,\ny,\n", ""),
        (to_markdown, r"| a\_b\|c &amp; &lt;d&gt; | 0.0 |", "–: undefined (2 entries)."),
        (to_latex, r"a\_b|c \& \textless{}d\textgreater{} & 0.0 \\", "--: undefined (2 entries)."),
        (to_html, '<th scope="row">a_b|c &amp; &lt;d&gt;</th>', "–: undefined (2 entries)."),
    ],
)
def test_data_is_escaped_and_a_rounded_zero_has_no_sign(render, row, note):
    text = render(odd_table())
    assert row in text
    assert note in text


def test_header_and_title_are_escaped():
    assert r"Odd names, 100\%." in to_latex(odd_table())
    assert r"Share \& more (\%)" in to_latex(odd_table())
    assert "Share &amp; more (%)" in to_html(odd_table())


@pytest.mark.parametrize(
    ("value", "kind", "printed"),
    [
        (1234567, "count", "1,234,567"),
        (-0.12345, "share", "−12.35"),
        (-0.00001, "share", "0.00"),
        (12345.678, "number", "12,345.68"),
        ((1200, 2376), "part", "1,200/2,376"),
        ("–a-b", "text", "–a-b"),
        (None, "part", "–"),
    ],
)
def test_format_value(value, kind, printed):
    assert format_value(value, Column("key", "Header", kind)) == printed


def test_part_is_two_csv_columns():
    rows = list(csv.DictReader(to_csv(table_07(example_panel())).splitlines()))
    assert [(row["narrower_cells"], row["narrower_cells_of"]) for row in rows] == [("90", "90"), ("38", "135")]


def test_models_table_prints_shared_unperturbed_images_once():
    models = pd.DataFrame({"model": ["m_1", "m2"], "group": ["a", "b"], "parameters": [5130, 120]})
    rows = [("m_1", "es", "clean", 0.9), ("m_1", "syn_b", "clean", 0.9), ("m_1", "es", "mild", 0.5)]
    table = models_table(models, pd.DataFrame(rows, columns=["model", "source", "tier", "accuracy"]))
    assert to_csv(table) == "model,group,parameters,clean_accuracy_syn_b_pct\nm_1,a,5130,90.00\nm2,b,120,\n"


def test_tiers_table_counts_each_condition_once():
    rows = [("es", "l1-k01", "mild"), ("es", "l1-k01", "mild"), ("es", "l1-k02", "extreme")]
    frame = pd.DataFrame(rows, columns=["source", "condition", "tier"])
    table = tiers_table(frame, {"mild": 0.4, "severe": 0.25}, SIMULATED)
    assert table.rows == (("ES (simulated)", 2, 1, 0, 1),)
    assert table.notes == (
        "Mean development accuracy over all models: mild from 40%, severe from 25%, extreme below that.",
    )


def test_unknown_tier_is_refused():
    frame = pd.DataFrame({"source": ["es"], "condition": ["l1-k01"], "tier": ["bad"]})
    with pytest.raises(PairedEvalError, match="table_tiers: tier 'bad' is none of mild, severe, extreme"):
        tiers_table(frame, {"mild": 0.4, "severe": 0.2})


def test_sources_and_timings():
    counts = {"images": 1000, "evaluation_images": 500, "conditions": 54, "models": 44, "cells": 2376}
    sources = pd.DataFrame([{"source": "es", **counts}])
    assert sources_table(sources).rows == (("ES", 1000, 500, 54, 44, 2376),)
    timings = pd.DataFrame({"rule": ["identify"], "jobs": [4], "seconds": [3.25], "max_memory_mb": [math.nan]})
    assert to_csv(timings_table(timings)) == "rule,jobs,seconds,max_memory_mb\nidentify,4,3.2,\n"


def test_missing_column_is_named():
    with pytest.raises(PairedEvalError, match="table_07: the results lack the column narrower_cells; run the analysis"):
        table_07(example_widths())


def test_write_all_writes_four_files(tmp_path):
    paths = write_all(table_07(example_panel()), tmp_path / "table_07")
    assert [path.name for path in paths] == ["table_07.csv", "table_07.md", "table_07.tex", "table_07.json"]
    assert (
        paths[0].read_text().startswith("source,cells,h_width_i0_pp,h_width_ik_pp,h_width_i5_pp,h_extra_narrowing_i5")
    )


def test_table_41_counts_in_millions_and_says_when_predictions_are_simulated():
    models = pd.DataFrame({"model": ["a", "b"], "group": ["x", "y"], "parameters": [1_144_160_232, 7690]})
    assert to_csv(table_41(models)).splitlines() == ["model,group,params_millions", "a,x,1144.16", "b,y,0.01"]
    captured = table_41(models, {"es", "diverse"})
    assert captured.notes == table_41(models).notes
    assert "no model was run" in table_41(models, {"syn", "syn_b", "es", "diverse"}).notes[-1]
