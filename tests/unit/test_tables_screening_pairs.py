"""Layout of Tables 34, 35 and 37 to 39 and of the table of captures, on numbers that the paper prints."""

import csv
import math

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.report.names import notation
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.table import Table
from pairedeval.report.tables_captures import captures_table
from pairedeval.report.tables_screening_pairs import table_34, table_35, table_37, table_38, table_39
from support.screening_frames import differences, means

SIMULATED = {"diverse"}
FLIPS = ["flip", "flip_zoom_1.1"]
FLIP_NOTE = "Of the natural transforms, flip and flip zoom 1.1 may turn an image into another class of this study."
ES, DIVERSE = ("es", "mild"), ("diverse", "mild")
S, U, TTA = "confidence", "corruption_mean", "natural_mean"
A3 = {"natural": "alignment_natural", "corruption": "alignment_corruption"}
Ends = tuple[float, float, float, float, float]


def both(row: tuple[str, str], printed: dict[str, Ends], metric: str) -> pd.DataFrame:
    """Return differences of the corruption mean from baselines, with the ends of the groups, then of the classes."""
    frame = differences({row: {(U, score): ends[:3] for score, ends in printed.items()}}, metric)
    return frame.assign(
        class_lower=[ends[3] for ends in printed.values()], class_upper=[ends[4] for ends in printed.values()]
    )


def alignment_gains() -> pd.DataFrame:
    recall = {A3["natural"]: (0.0838, 0.0715, 0.0940, 0.0672, 0.1006)}
    recall[A3["corruption"]] = (0.0185, 0.0073, 0.0274, 0.0069, 0.0286)
    rank = {A3["natural"]: (0.0695, 0.0630, 0.0748, 0.0551, 0.0847)}
    rank[A3["corruption"]] = (0.0177, 0.0137, 0.0207, 0.0130, 0.0231)
    parts = [both(ES, recall, "recall_20").assign(undefined=1), both(ES, rank, "auroc")]
    return pd.concat(parts, ignore_index=True)


def budgets() -> tuple[pd.DataFrame, pd.DataFrame]:
    levels = {"recall_10": (0.260, 0.268), "recall_20": (0.449, 0.447), "recall_30": (0.591, 0.577)}
    gains = {
        "recall_10": (-0.0080, -0.0137, -0.0044, math.nan, math.nan),
        "recall_20": (0.0023, -0.0040, 0.0118, math.nan, math.nan),
        "recall_30": (0.0141, 0.0059, 0.0264, math.nan, math.nan),
    }
    scores = (U, A3["corruption"])
    found = [means({DIVERSE: dict(zip(scores, pair, strict=True))}, metric) for metric, pair in levels.items()]
    between = [both(DIVERSE, {A3["corruption"]: ends}, metric) for metric, ends in gains.items()]
    return pd.concat(found, ignore_index=True), pd.concat(between, ignore_index=True)


def tiers() -> tuple[pd.DataFrame, pd.DataFrame]:
    severe = ("es", "severe")
    recall = {severe: {S: 0.241, U: 0.254, TTA: 0.242}, ES: {S: 0.578, U: 0.672, TTA: 0.596}}
    rank = {severe: {S: 0.6, U: 0.647, TTA: 0.596}, ES: {S: 0.778, U: 0.854, TTA: 0.791}}
    gains = [
        both(ES, {TTA: (0.076, 0.063, 0.086, 0.059, 0.088)}, "recall_20"),
        both(ES, {TTA: (0.063, 0.058, 0.067, 0.05, 0.07)}, "auroc"),
        both(severe, {TTA: (0.013, 0.010, 0.016, math.nan, math.nan)}, "recall_20"),
        both(severe, {TTA: (0.051, 0.041, 0.059, 0.04, 0.06)}, "auroc"),
    ]
    found = [means(recall, "recall_20"), means(rank, "auroc", {severe: 7})]
    return pd.concat(found, ignore_index=True), pd.concat(gains, ignore_index=True)


def simple() -> tuple[pd.DataFrame, pd.DataFrame]:
    printed = {
        U: (0.672, 0.854, None),
        S: (0.578, 0.778, (0.094, 0.079, 0.106, 0.076, 0.115)),
        TTA: (0.596, 0.791, (0.076, 0.063, 0.086, 0.059, 0.088)),
        "margin": (0.577, 0.779, (0.096, 0.079, 0.110, 0.073, 0.115)),
        "entropy": (0.574, 0.773, (0.098, 0.079, 0.114, 0.081, 0.121)),
        "agreement": (0.423, 0.648, (0.249, 0.208, 0.284, 0.212, 0.283)),
        "retention": (0.648, 0.823, (0.024, 0.013, 0.042, 0.008, 0.038)),
        "corruption_deviation": (0.501, 0.701, (0.171, 0.161, 0.181, 0.151, 0.191)),
        "corruption_consistency": (0.502, 0.702, (0.170, 0.160, 0.180, 0.150, 0.190)),
        "natural_deviation": (0.503, 0.703, (0.169, 0.159, 0.179, 0.149, 0.189)),
        "natural_consistency": (0.504, 0.704, (0.168, 0.158, 0.178, 0.148, 0.188)),
    }
    found = [
        means({ES: {score: row[place] for score, row in printed.items()}}, metric)
        for place, metric in enumerate(("recall_20", "auroc"))
    ]
    gains = both(ES, {score: row[2] for score, row in printed.items() if row[2]}, "recall_20")
    return pd.concat(found, ignore_index=True), gains


MEASURES = [f"corruption_mean_minus_{score}" for score in (S, TTA, "margin")]


def groups() -> pd.DataFrame:
    rows = [("diverse", "SSL", 4, 204, 0.085, 0.074, 0.08), ("es", "DFN", 2, 88, 0.11, 0.09, 0.1)]
    return pd.DataFrame(rows, columns=["source", "group", "models", "cells", *MEASURES])


def models() -> pd.DataFrame:
    rows = [
        ("es", "ViT", 0.1, 0.1, 0.1),
        ("es", "AlexNet", 0.05, -0.00321, -0.00222),
        *(("diverse", f"model {number}", -0.01, 0.0, 1e-15) for number in range(3)),
        ("diverse", "last", -0.01, 0.02, 0.02),
    ]
    return pd.DataFrame(rows, columns=["source", "model", *MEASURES])


def captures() -> pd.DataFrame:
    rows = [
        ("es", "none", 1, 44, 2, 42, 41, 0.094, 0.076, math.nan, math.nan),
        ("es", "light", 2, 44, 2, 42, 41, 0.081, 0.070, 0.081, 0.070),
        ("es", "iso", 1, 44, 2, 42, 41, 0.094, 0.076, math.nan, math.nan),
    ]
    ends = [
        f"{what}_{name}"
        for what in ("positive", "lowest_level", "lowest_deleted")
        for name in ("confidence", "natural")
    ]
    return pd.DataFrame(rows, columns=["source", "factor", "levels", "conditions", "undefined", *ends])


TABLES = {
    "table_34": lambda: table_34(alignment_gains(), SIMULATED, FLIPS),
    "table_35": lambda: table_35(*budgets(), SIMULATED),
    "table_37": lambda: table_37(*tiers(), SIMULATED, FLIPS),
    "table_38": lambda: table_38(*simple(), SIMULATED, FLIPS),
    "table_39": lambda: table_39(groups(), models(), SIMULATED, FLIPS),
    "table_captures": lambda: captures_table(captures(), SIMULATED, FLIPS),
}


def texts(table: Table) -> list[str]:
    return [notation(note, "text") for note in table.notes]


def test_table_34_prints_percentage_points():
    table = TABLES["table_34"]()
    assert to_csv(table) == (
        "source,a3_probes,metric,u_minus_a3_pp_group,u_minus_a3_pp_group_lo,u_minus_a3_pp_group_hi,"
        "u_minus_a3_pp_class,u_minus_a3_pp_class_lo,u_minus_a3_pp_class_hi\n"
        "ES,Natural,Recall@.2,+8.38,+7.15,+9.40,+8.38,+6.72,+10.06\n"
        "ES,Natural,AUROC,+6.95,+6.30,+7.48,+6.95,+5.51,+8.47\n"
        "ES,Corruption,Recall@.2,+1.85,+0.73,+2.74,+1.85,+0.69,+2.86\n"
        "ES,Corruption,AUROC,+1.77,+1.37,+2.07,+1.77,+1.30,+2.31\n"
    )
    notes = texts(table)
    assert any("2,000 draws of the model groups" in note and "200 draws of the true classes" in note for note in notes)
    assert notes[-2:] == [
        FLIP_NOTE,
        "Cells without recall, since they hold no failure, are left out: 1 of 101 on ES mild.",
    ]


def test_table_35_prints_shares_beside_percentage_points():
    assert to_csv(TABLES["table_35"]()) == (
        "source,budget_pct,recall_u,recall_a3,"
        "recall_u_minus_a3_pp_group,recall_u_minus_a3_pp_group_lo,recall_u_minus_a3_pp_group_hi\n"
        "Diverse (simulated),10,0.260,0.268,-0.80,-1.37,-0.44\n"
        "Diverse (simulated),20,0.449,0.447,+0.23,-0.40,+1.18\n"
        "Diverse (simulated),30,0.591,0.577,+1.41,+0.59,+2.64\n"
    )


def test_table_37_has_every_tier_and_a_dash_where_an_interval_is_undefined():
    table = TABLES["table_37"]()
    head, mild, severe = to_csv(table).splitlines()
    assert head == (
        "source,tier,recall_q20_s,recall_q20_u18,recall_q20_tta18,recall_q20_u18_minus_tta18_group,"
        "recall_q20_u18_minus_tta18_group_lo,recall_q20_u18_minus_tta18_group_hi,recall_q20_u18_minus_tta18_class,"
        "recall_q20_u18_minus_tta18_class_lo,recall_q20_u18_minus_tta18_class_hi,auroc_u18,auroc_tta18,"
        "auroc_u18_minus_tta18_group,auroc_u18_minus_tta18_group_lo,auroc_u18_minus_tta18_group_hi"
    )
    assert mild == (
        "ES,mild,0.578,0.672,0.596,+0.076,+0.063,+0.086,+0.076,+0.059,+0.088,0.854,0.791,+0.063,+0.058,+0.067"
    )
    assert severe == "ES,severe,0.241,0.254,0.242,+0.013,+0.010,+0.016,,,,0.647,0.596,+0.051,+0.041,+0.059"
    assert "Cells without AUROC, since all their images share one outcome, are left out: 7 of 100 on ES severe." in (
        texts(table)
    )
    assert table.all_notes[-1] == "–: undefined (1 entry)."


def test_table_38_lists_the_scores_of_the_paper_before_those_of_consistency():
    table = TABLES["table_38"]()
    lines = to_csv(table).splitlines()
    assert lines[:3] == [
        "source,score,recall_q20,auroc,recall_q20_u_minus_score_group,recall_q20_u_minus_score_group_lo,"
        "recall_q20_u_minus_score_group_hi,recall_q20_u_minus_score_class,recall_q20_u_minus_score_class_lo,"
        "recall_q20_u_minus_score_class_hi",
        "ES,U,0.672,0.854,,,,,,",
        "ES,S,0.578,0.778,+0.094,+0.079,+0.106,+0.094,+0.076,+0.115",
    ]
    assert [line.split(",")[1].strip('"') for line in lines[3:7]] == ["TTA", "Margin", "Entropy", "Agreement"]
    assert [row[1] for row in table.rows[6:]] == [
        "Label stability, corruptions",
        "Deviation, corruptions",
        "Consistency, corruptions",
        "Deviation, natural",
        "Consistency, natural",
    ]
    assert [row[2] for row in table.rows[6:]] == [0.648, 0.501, 0.502, 0.503, 0.504]
    assert any("rows after Agreement are not in the paper" in note for note in table.notes)


def test_table_39_counts_models_and_names_few_exceptions():
    table = TABLES["table_39"]()
    assert to_csv(table) == (
        "source,group,models,cells,recall_q20_u_minus_s,recall_q20_u_minus_tta18,recall_q20_u_minus_margin\n"
        "ES,DFN,2,88,+0.110,+0.090,+0.100\n"
        "Diverse (simulated),SSL,4,204,+0.085,+0.074,+0.080\n"
    )
    assert texts(table)[2:4] == [
        "Models with a positive mean difference on ES: U − S 2 of 2; U − TTA18 1 of 2 (not AlexNet −0.003); "
        "U − margin 1 of 2 (not AlexNet −0.002).",
        "Models with a positive mean difference on Diverse (simulated): U − S 0 of 4; "
        "U − TTA18 1 of 4 (not model 0 0.000, model 1 0.000 and model 2 0.000); "
        "U − margin 1 of 4 (not model 0 0.000, model 1 0.000 and model 2 0.000).",
    ]


def test_table_of_captures_counts_conditions_once_and_names_undefined_ones():
    table = TABLES["table_captures"]()
    keys = [
        f"recall_q20_u_minus_{name}_{end}"
        for name in ("s", "tta18")
        for end in ("positive", "lowest_level", "lowest_without")
    ]
    head, everything, light, iso = to_csv(table).splitlines()
    assert head == ",".join(["source", "factor", "levels", "conditions", *keys])
    assert light == "ES,light,2,44,,+0.081,+0.081,,+0.070,+0.070"
    assert iso == "ES,ISO,1,44,,+0.094,,,+0.076,"
    assert everything == "ES,all conditions,,44,42,+0.094,,41,+0.076,"
    assert table.notes[-1] == "ES: 2 conditions without failures, left out of the means."
    assert table.all_notes[-1] == "–: undefined (2 entries)."


def test_sources_without_mild_conditions_have_no_row():
    found, between = budgets()
    table = table_35(pd.concat([found, found.assign(source="es", tier="severe")]), between, SIMULATED)
    assert len(table.rows) == 3
    assert table.notes[-1] == "No condition of ES is mild."


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("render", [to_markdown, to_latex, to_html])
def test_all_kinds_of_output_can_be_written(name, render):
    text = render(TABLES[name]())
    assert "nan" not in text
    for symbol in ("{S}", "{U}", "{TTA18}", "{A3}", "{q}"):
        assert symbol not in text


@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_the_csv_is_as_wide_as_its_header(name):
    rows = list(csv.reader(to_csv(TABLES[name]()).splitlines()))
    assert {len(row) for row in rows} == {len(rows[0])}


@pytest.mark.parametrize("name", TABLES)
def test_tables_say_which_transforms_change_classes(name):
    table = TABLES[name]()
    assert table.name == name
    assert table.title.endswith(".")
    assert (FLIP_NOTE in table.notes) == (name != "table_35")


def test_missing_columns_are_named():
    with pytest.raises(PairedEvalError, match="table_34: the results lack the column class_upper"):
        table_34(alignment_gains().drop(columns="class_upper"))
    with pytest.raises(PairedEvalError, match="table_39: the results lack the column corruption_mean_minus_margin"):
        table_39(groups(), models().drop(columns=MEASURES[-1]))
    with pytest.raises(PairedEvalError, match="table_captures: the results lack the column lowest_deleted_natural"):
        captures_table(captures().drop(columns="lowest_deleted_natural"))
