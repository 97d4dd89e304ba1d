"""Layout of Tables 29 to 33 and 36, on numbers that the paper prints."""

import csv
import math

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.report.names import notation
from pairedeval.report.probe_rows import label_notes
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.table import Table
from pairedeval.report.tables_probes import table_29, table_30, table_31, table_32, table_33, table_36
from support.screening_frames import differences, means

SIMULATED = {"diverse"}
FLIPS = ["flip", "flip_zoom_1.1"]
FLIP_NOTE = "Of the natural transforms, flip and flip zoom 1.1 may turn an image into another class of this study."
ES, DIVERSE = ("es", "mild"), ("diverse", "mild")
S, U, TTA = "confidence", "corruption_mean", "natural_mean"
SELECTED = (U, "natural_selected")
HALVES = {"half": "development"}


def variants() -> pd.DataFrame:
    pairs = (
        ("corruption_mean_clean", "natural_mean_clean"),
        ("native_corruption_mean", "native_natural_mean"),
        SELECTED,
        ("natural_selected", TTA),
        ("corruption_selected", U),
        (U, TTA),
    )
    printed = {
        "recall_10": ((0.057, 0.046, 0.074), (0.060, 0.046, 0.082), (0.054, 0.043, 0.069), (0.002, -0.002, 0.007)),
        "recall_20": ((0.076, 0.062, 0.086), (0.073, 0.061, 0.082), (0.072, 0.060, 0.081), (0.004, 0.002, 0.007)),
        "recall_30": ((0.078, 0.062, 0.090), (0.076, 0.062, 0.088), (0.076, 0.061, 0.089), (0.002, 0.001, 0.003)),
    }
    more = ((0.003, -0.001, 0.006), (0.076, 0.063, 0.086))
    parts = [
        differences({ES: dict(zip(pairs, (*row, *more), strict=True))}, metric, undefined=3)
        for metric, row in printed.items()
    ]
    return pd.concat(parts, ignore_index=True)


def selection() -> pd.DataFrame:
    rows = [
        ("es", "evaluation", "natural", "zoom_0.9", 12, 18),
        ("es", "evaluation", "corruption", "fog-5", 14, 18),
        ("es", "development", "natural", "rotate_left_10", 11, 18),
        ("es", "development", "corruption", "snow-5", 13, 18),
    ]
    return pd.DataFrame(rows, columns=["source", "half", "pool", "first", "shared_with_fixed", "size"])


def agreement() -> pd.DataFrame:
    rows = [("OpenCLIP", 35, 19, 0.9951, 0.0004, 0.0021, 14.3, 117.3, 34), ("timm", 6, 19, 1, 0, 0, None, None, 6)]
    names = ["prediction_agreement", "probability_difference", "accuracy_difference", "scale_lowest", "scale_highest"]
    return pd.DataFrame(rows, columns=["library", "models", "conditions", *names, "within_tolerance"])


def swapped_means() -> pd.DataFrame:
    recall = means({ES: {S: 0.561, U: 0.671, TTA: 0.583}}, "recall_20", {ES: 4}, **HALVES)
    return pd.concat([recall, means({ES: {S: 0.7, U: 0.8, TTA: 0.7}}, "auroc", {ES: 5}, **HALVES)], ignore_index=True)


def swapped_gains() -> pd.DataFrame:
    both = differences({ES: {(U, TTA): (0.088, 0.076, 0.103)}}, "recall_20").assign(
        class_lower=0.058, class_upper=0.125
    )
    rank = differences({ES: {(U, TTA): (0.065, 0.060, 0.069)}}, "auroc")
    selected = differences({ES: {SELECTED: (0.085, 0.073, 0.100)}}, "recall_20")
    return pd.concat([both, rank, selected], ignore_index=True).assign(**HALVES)


def subset_sizes() -> pd.DataFrame:
    rows = [
        ("es", "corruption", "all", 18, 1, 0.672, 0.672, 0.672, 0.094, 0.094, 0.854, 0.854, 0.854),
        ("es", "corruption", "prefixed", 1, 18, 0.597, 0.569, 0.619, 0.019, -0.009, 0.799, 0.785, 0.816),
        ("es", "corruption", "severity 2", 9, 1, 0.658, 0.658, 0.658, 0.080, 0.080, 0.837, 0.837, 0.837),
        ("es", "natural", "prefixed", 1, 18, 0.580, 0.550, 0.601, 0.002, -0.028, 0.780, 0.770, 0.789),
    ]
    names = ["recall_20", "recall_20_lowest", "recall_20_highest", "gain", "gain_lowest"]
    names += ["auroc", "auroc_lowest", "auroc_highest"]
    return pd.DataFrame(rows, columns=["source", "pool", "kind", "size", "subsets", *names])


def rules() -> pd.DataFrame:
    scores = (TTA, U, "alignment_natural", "alignment_corruption", "natural_deviation", "corruption_deviation")
    scores += ("natural_consistency", "corruption_consistency")
    es = dict(zip(scores, (0.596, 0.672, 0.588, 0.654, 0.401, 0.502, 0.403, 0.504), strict=True))
    diverse = dict(zip(scores, (0.366, 0.449, 0.360, 0.447, 0.301, 0.402, 0.303, 0.404), strict=True))
    recall = means({ES: es, DIVERSE: diverse}, "recall_20")
    rank = means({ES: {TTA: 0.791, U: 0.854}, DIVERSE: {TTA: 0.688, U: 0.801}}, "auroc", {DIVERSE: 2})
    severe = means({("es", "severe"): dict.fromkeys(scores, 0.1)}, "recall_20")
    return pd.concat([recall, rank, severe], ignore_index=True)


def probes() -> pd.DataFrame:
    rows = [
        ("es", "corruption", "all", "all", 18, 0.672, 0.854, 0.1008),
        ("es", "corruption", "severity", "2", 9, 0.658, 0.837, 0.0645),
        ("es", "corruption", "severity", "4", 9, 0.669, 0.854, 0.1371),
        ("es", "corruption", "probe", "fog-2", 1, 0.610, 0.800, 0.0300),
        ("es", "natural", "all", "all", 18, 0.596, 0.791, 0.0203),
        ("es", "clean", "clean", "clean", 1, 0.578, 0.778, math.nan),
    ]
    return pd.DataFrame(rows, columns=["source", "pool", "kind", "name", "size", "recall_20", "auroc", "error_rate"])


TABLES = {
    "table_29": lambda: table_29(variants(), selection(), SIMULATED, FLIPS),
    "table_30": lambda: table_30(agreement()),
    "table_31": lambda: table_31(swapped_means(), swapped_gains(), selection(), SIMULATED, FLIPS),
    "table_32": lambda: table_32(subset_sizes(), SIMULATED, FLIPS),
    "table_33": lambda: table_33(rules(), SIMULATED, FLIPS),
    "table_36": lambda: table_36(probes(), SIMULATED, FLIPS),
}


def texts(table: Table) -> list[str]:
    return [notation(note, "text") for note in table.notes]


def test_table_29_has_a_row_for_each_budget():
    variants_of = ("u_plus0_minus_tta_plus0", "native_u_minus_tta", "u18_minus_tta_sel", "tta_sel_minus_tta18")
    keys = [f"recall_{name}{end}" for name in (*variants_of, "u_sel_minus_u18") for end in ("", "_lo", "_hi")]
    assert to_csv(TABLES["table_29"]()).splitlines() == [
        ",".join(["source", "tier", "q", *keys]),
        "ES,mild,0.1,+0.057,+0.046,+0.074,+0.060,+0.046,+0.082,+0.054,+0.043,+0.069,+0.002,-0.002,+0.007,+0.003,-0.001,+0.006",
        "ES,mild,0.2,+0.076,+0.062,+0.086,+0.073,+0.061,+0.082,+0.072,+0.060,+0.081,+0.004,+0.002,+0.007,+0.003,-0.001,+0.006",
        "ES,mild,0.3,+0.078,+0.062,+0.090,+0.076,+0.062,+0.088,+0.076,+0.061,+0.089,+0.002,+0.001,+0.003,+0.003,-0.001,+0.006",
    ]


def test_table_29_names_first_probes_undefined_cells_and_class_changes():
    notes = texts(TABLES["table_29"]())
    assert "U_sel: on ES Fog 5 came first, and 14 of 18 are in the fixed set." in notes
    assert "TTA_sel: on ES Zoom 0.9 came first, and 12 of 18 are in the fixed set." in notes
    assert "Cells without recall, since they hold no failure, are left out: 3 of 103 on ES mild." in notes
    assert FLIP_NOTE in notes
    assert "No condition of ES is severe or extreme." in notes


def test_table_30_shows_the_worst_case_and_the_preset_tolerances():
    table = TABLES["table_30"]()
    assert to_csv(table) == (
        "implementation,models,conditions,prediction_agreement_min_share,probability_difference_max,"
        "accuracy_difference_max_pp,logit_scale_min,logit_scale_max,within_tolerance_models,within_tolerance_models_of\n"
        "OpenCLIP,35,19,0.9951,0.0004,0.21,14.3,117.3,34,35\n"
        "timm,6,19,1.0000,0.0000,0.00,,,6,6\n"
    )
    assert "at least 99% equal predictions and differences of at most 0.01 in probability and 0.5 pp" in table.notes[2]
    assert "together with the probes, and together with the captures" in table.notes[0]


def test_table_31_ranks_the_development_images():
    assert to_csv(TABLES["table_31"]()) == (
        "source,tier,recall_q20_s,recall_q20_u18,recall_q20_tta18,recall_q20_u18_minus_tta18_group,"
        "recall_q20_u18_minus_tta18_group_lo,recall_q20_u18_minus_tta18_group_hi,recall_q20_u18_minus_tta18_class,"
        "recall_q20_u18_minus_tta18_class_lo,recall_q20_u18_minus_tta18_class_hi,auroc_u18_minus_tta18_group,"
        "auroc_u18_minus_tta18_group_lo,auroc_u18_minus_tta18_group_hi,recall_q20_u18_minus_tta_sel_group,"
        "recall_q20_u18_minus_tta_sel_group_lo,recall_q20_u18_minus_tta_sel_group_hi\n"
        "ES,mild,0.561,0.671,0.583,+0.088,+0.076,+0.103,+0.088,+0.058,+0.125,+0.065,+0.060,+0.069,+0.085,+0.073,+0.100\n"
    )
    notes = texts(TABLES["table_31"]())
    assert "TTA_sel: on ES Rotate left 10 came first, and 11 of 18 are in the fixed set." in notes
    assert notes[-3].endswith("4 of 100 on ES mild.")
    assert notes[-2].endswith("5 of 100 on ES mild.")
    with pytest.raises(PairedEvalError, match="table_31: no results for half development"):
        table_31(swapped_means().assign(half="evaluation"), swapped_gains(), selection())


def test_table_30_says_when_no_model_was_run():
    assert not any("simulated" in note for note in texts(table_30(agreement(), SIMULATED)))
    everything = table_30(agreement(), {"syn", "syn_b", *SIMULATED})
    assert texts(everything)[-1] == "All predictions are simulated: no model was run, and nothing here is a result."


def test_table_31_tells_both_kinds_of_intervals_apart():
    header = to_markdown(TABLES["table_31"]()).splitlines()[2]
    above = "Recall, <i>U</i> − TTA<sub>18</sub>"
    assert f"| {above}, groups | {above}, classes | AUROC, <i>U</i> − TTA<sub>18</sub>, groups |" in header


def test_table_32_goes_from_few_probes_to_many_without_severities():
    assert to_csv(TABLES["table_32"]()) == (
        "source,pool,m,n_subsets,recall_q20,recall_q20_min,recall_q20_max,recall_q20_minus_s,recall_q20_minus_s_min,"
        "auroc,auroc_min,auroc_max\n"
        "ES,U,1,18,0.597,0.569,0.619,+0.019,-0.009,0.799,0.785,0.816\n"
        "ES,U,18,1,0.672,,,+0.094,,0.854,,\n"
        "ES,TTA,1,18,0.580,0.550,0.601,+0.002,-0.028,0.780,0.770,0.789\n"
    )


def test_table_33_crosses_rules_with_probe_sets_and_adds_two_rules():
    table = TABLES["table_33"]()
    assert to_csv(table).splitlines() == [
        "metric,scoring_rule,natural_es,natural_diverse,corruption_es,corruption_diverse",
        "Recall@.2,probability mean,0.596,0.366,0.672,0.449",
        "Recall@.2,A3 score,0.588,0.360,0.654,0.447",
        "Recall@.2,confidence deviation,0.401,0.301,0.502,0.402",
        "Recall@.2,consistency score,0.403,0.303,0.504,0.404",
        "AUROC,probability mean,0.791,0.688,0.854,0.801",
        *(f"AUROC,{rule},,,," for rule in ("A3 score", "confidence deviation", "consistency score")),
    ]
    assert "| Natural transforms, Diverse (simulated) |" in to_markdown(table)
    assert any("not in the paper" in note and "Decision Consistency Framework" in note for note in table.notes)
    assert table.all_notes[-1] == "–: undefined (12 entries)."


def test_a_source_without_mild_conditions_has_no_column():
    kept = rules()
    table = table_33(kept.assign(tier=kept["tier"].where(kept["source"] == "es", "severe")), SIMULATED)
    assert to_csv(table).splitlines()[0] == "metric,scoring_rule,natural_es,corruption_es"
    assert table.notes[-1] == "No condition of Diverse (simulated) is mild."


def test_table_36_compares_probe_sets_with_the_natural_one():
    assert to_csv(TABLES["table_36"]()) == (
        "source,probe_set,evaluations,recall_q20,auroc,recall_q20_minus_tta18,development_error_pct\n"
        "ES,Clean,1,0.578,0.778,-0.018,\n"
        "ES,Natural TTA,18,0.596,0.791,0.000,2.03\n"
        "ES,Severity 2,9,0.658,0.837,+0.062,6.45\n"
        "ES,Severity 4,9,0.669,0.854,+0.073,13.71\n"
        "ES,All corruptions,18,0.672,0.854,+0.076,10.08\n"
    )


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("render", [to_markdown, to_latex, to_html])
def test_all_kinds_of_output_can_be_written(name, render):
    text = render(TABLES[name]())
    assert "nan" not in text
    for symbol in ("{S}", "{U}", "{TTA18}", "{TTA_sel}", "{U+0}", "{A3}", "{q}"):
        assert symbol not in text


@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_the_csv_is_as_wide_as_its_header(name):
    rows = list(csv.reader(to_csv(TABLES[name]()).splitlines()))
    assert {len(row) for row in rows} == {len(rows[0])}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_labelled_and_titled_by_one_sentence(name):
    table = TABLES[name]()
    assert (table.name, table.label) == (name, f"Table {name[-2:]}")
    assert table.title.endswith(".")


def test_missing_columns_are_named():
    with pytest.raises(PairedEvalError, match="table_29: the results lack the column first; run the analysis again"):
        table_29(variants(), selection().drop(columns="first"))
    with pytest.raises(PairedEvalError, match="table_30: the results lack the column scale_lowest"):
        table_30(agreement().drop(columns="scale_lowest"))
    with pytest.raises(PairedEvalError, match="table_32: the results lack the column gain"):
        table_32(subset_sizes().drop(columns="gain"))
    with pytest.raises(PairedEvalError, match="table_33: the results lack the column tier_by"):
        table_33(rules().drop(columns="tier_by"))
    with pytest.raises(PairedEvalError, match="table_36: the results lack the column error_rate"):
        table_36(probes().drop(columns="error_rate"))


def test_transforms_are_named_only_where_they_change_classes():
    assert label_notes(FLIPS) == [FLIP_NOTE]
    assert not any("may turn" in note for note in table_36(probes(), SIMULATED).notes)
