"""Layout of Tables 16 to 21, on numbers that the paper prints."""

import math

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.report.names import notation
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.screening_rows import absent_notes, choose, legend, tier_rows
from pairedeval.report.table import Table
from pairedeval.report.tables_screening import table_16, table_17, table_18, table_19, table_20, table_21
from support.screening_frames import differences, means

SIMULATED = {"diverse"}
ES, DIVERSE = ("es", "mild"), ("diverse", "extreme")
S, U, DELTA, RET, G = ("confidence", "corruption_mean", "confidence_decrease", "retention", "predictor_confidence_mean")


def auroc(undefined: dict | None = None) -> pd.DataFrame:
    scores = (S, U, DELTA, RET, "class_decrease", G)
    printed = {
        DIVERSE: dict(zip(scores, (0.504, 0.512, 0.512, 0.529, 0.478, 0.517), strict=True)),
        ES: dict(zip(scores, (0.778, 0.854, 0.768, 0.823, 0.580, 0.855), strict=True)),
    }
    return means(printed, undefined=undefined)


def auroc_gain() -> pd.DataFrame:
    return differences({ES: {(U, S): (0.076, 0.070, 0.080)}, DIVERSE: {(U, S): (0.008, -0.006, 0.024)}})


def class_gain() -> pd.DataFrame:
    printed = {
        ES: {(U, S): (0.076, 0.060, 0.093), (DELTA, U): (-0.086, -0.107, -0.065), (G, S): (0.077, 0.060, 0.097)},
        DIVERSE: {(U, S): (0.008, -0.013, 0.039), (DELTA, U): (0.001, -0.015, 0.017), (G, S): (0.013, -0.013, 0.052)},
    }
    return differences(printed, by="class", cells_per_draw=1934.6)


def recall(undefined: dict | None = None) -> pd.DataFrame:
    scores = (S, U, DELTA, RET, "random")
    tenth = {ES: dict(zip(scores, (0.406, 0.489, 0.395, 0.487, 0.096), strict=True))}
    fifth = {ES: dict(zip(scores, (0.578, 0.672, 0.568, 0.648, 0.199), strict=True))}
    parts = [means(tenth, "recall_10", undefined), means(fifth, "recall_20", undefined)]
    return pd.concat(parts, ignore_index=True)


def recall_gain() -> pd.DataFrame:
    gains = ((0.094, 0.078, 0.106), (0.104, 0.079, 0.140), (0.024, 0.013, 0.042))
    return differences({ES: dict(zip(((U, S), (U, DELTA), (U, RET)), gains, strict=True))}, "recall_20")


def budget_gains() -> pd.DataFrame:
    printed = {
        "recall_10": ((0.083, 0.064, 0.111), (0.094, 0.077, 0.116), (0.002, -0.009, 0.013)),
        "recall_20": ((0.094, 0.075, 0.114), (0.104, 0.076, 0.125), (0.024, 0.008, 0.038)),
        "recall_30": ((0.100, 0.079, 0.120), (0.086, 0.057, 0.115), (0.030, 0.015, 0.048)),
    }
    pairs = ((U, S), (U, DELTA), (U, RET))
    parts = [
        differences({ES: dict(zip(pairs, gains, strict=True))}, metric, by="class") for metric, gains in printed.items()
    ]
    return pd.concat(parts, ignore_index=True)


def ceilings() -> pd.DataFrame:
    row = {
        "source": "es", "tier": "mild", "failure_share": 0.167,
        "ceiling_10": 0.748, "ceiling_20": 0.883, "ceiling_30": 0.941, "corruption_mean_over_ceiling_10": 0.676,
        "corruption_mean_over_ceiling_20": 0.760, "corruption_mean_over_ceiling_30": 0.82,
        "random_over_ceiling_20": 0.21, "cells": 1935,
    }  # fmt: skip
    return pd.DataFrame([row])


TABLES = {
    "table_16": lambda: table_16(auroc(), auroc_gain(), SIMULATED),
    "table_17": lambda: table_17(class_gain(), SIMULATED),
    "table_18": lambda: table_18(recall(), SIMULATED),
    "table_19": lambda: table_19(recall(), recall_gain(), SIMULATED),
    "table_20": lambda: table_20(budget_gains(), SIMULATED),
    "table_21": lambda: table_21(ceilings(), recall(), SIMULATED),
}


def texts(table: Table) -> list[str]:
    return [notation(note, "text") for note in table.notes]


def test_table_16_has_the_published_columns_and_rows_in_order():
    assert to_csv(table_16(auroc(), auroc_gain(), SIMULATED)) == (
        "source,tier,auroc_s,auroc_u,auroc_delta,auroc_ret,auroc_class_delta,auroc_g_s_u,"
        "auroc_u_minus_s,auroc_u_minus_s_lo,auroc_u_minus_s_hi\n"
        "ES,mild,0.778,0.854,0.768,0.823,0.580,0.855,+0.076,+0.070,+0.080\n"
        "Diverse (simulated),extreme,0.504,0.512,0.512,0.529,0.478,0.517,+0.008,-0.006,+0.024\n"
    )


def test_table_16_explains_what_it_compares():
    notes = texts(table_16(auroc(), auroc_gain(), SIMULATED))
    assert notes[1].startswith(
        "S: confidence on the unperturbed image; U: mean probability of the true class under the 18 corruptions; delta"
    )
    assert notes[2] == "Brackets: 95% interval from 2,000 draws of the model groups."
    assert notes[3:] == [
        "No condition of ES is severe or extreme.",
        "No condition of Diverse (simulated) is mild or severe.",
    ]


def test_undefined_cells_are_counted():
    table = table_16(auroc({DIVERSE: 7, (*DIVERSE, G): 12}), auroc_gain(), SIMULATED)
    assert texts(table)[3:5] == [
        "Cells without AUROC, since all their images share one outcome, are left out: "
        "7 of 100 on Diverse (simulated) extreme.",
        "g(S, U) is undefined in 5 further cells.",
    ]
    assert table_16(auroc(), auroc_gain()).undefined == 0


def test_a_difference_without_an_interval_is_a_dash():
    table = table_16(auroc(), auroc_gain().assign(group_lower=math.nan))
    assert to_csv(table).splitlines()[1] == "ES,mild,0.778,0.854,0.768,0.823,0.580,0.855,,,"
    assert table.all_notes[-1] == "–: undefined (2 entries)."


def test_table_17_rests_on_draws_of_the_classes():
    table = table_17(class_gain(), SIMULATED)
    assert to_csv(table) == (
        "source,tier,cells,auroc_u_minus_s_class,auroc_u_minus_s_class_lo,auroc_u_minus_s_class_hi,"
        "auroc_delta_minus_u_class,auroc_delta_minus_u_class_lo,auroc_delta_minus_u_class_hi,"
        "auroc_g_s_u_minus_s_class,auroc_g_s_u_minus_s_class_lo,auroc_g_s_u_minus_s_class_hi\n"
        "ES,mild,1935,+0.076,+0.060,+0.093,-0.086,-0.107,-0.065,+0.077,+0.060,+0.097\n"
        "Diverse (simulated),extreme,1935,+0.008,-0.013,+0.039,+0.001,-0.015,+0.017,+0.013,-0.013,+0.052\n"
    )
    assert "200 draws of the true classes" in texts(table)[1]
    lost = class_gain().assign(undefined=lambda rows: [4 if score == G else 1 for score in rows["score"]])
    assert texts(table_17(lost))[1:3] == [
        "Cells without AUROC, since all their images share one outcome, are left out: "
        "1 of 101 on ES mild and 1 of 101 on Diverse extreme.",
        "g(S, U) is undefined in 6 further cells.",
    ]


def test_table_18_sets_both_budgets_side_by_side():
    table = table_18(recall({ES: 3}))
    assert to_csv(table) == (
        "source,tier,recall_q10_s,recall_q10_u,recall_q10_delta,recall_q10_ret,recall_q10_random,"
        "recall_q20_s,recall_q20_u,recall_q20_delta,recall_q20_ret,recall_q20_random\n"
        "ES,mild,0.406,0.489,0.395,0.487,0.096,0.578,0.672,0.568,0.648,0.199\n"
    )
    assert "ties at random" in texts(table)[0]
    assert texts(table)[3] == "Cells without recall, since they hold no failure, are left out: 3 of 100 on ES mild."


def test_table_19():
    assert to_csv(table_19(recall(), recall_gain())) == (
        "source,tier,recall_q20_s,recall_q20_u,recall_q20_u_minus_s,recall_q20_u_minus_s_lo,recall_q20_u_minus_s_hi,"
        "recall_q20_u_minus_delta,recall_q20_u_minus_delta_lo,recall_q20_u_minus_delta_hi,"
        "recall_q20_u_minus_ret,recall_q20_u_minus_ret_lo,recall_q20_u_minus_ret_hi\n"
        "ES,mild,0.578,0.672,+0.094,+0.078,+0.106,+0.104,+0.079,+0.140,+0.024,+0.013,+0.042\n"
    )


def test_table_20_has_a_row_for_each_budget():
    assert to_csv(table_20(budget_gains())) == (
        "source,tier,q,recall_u_minus_s_class,recall_u_minus_s_class_lo,recall_u_minus_s_class_hi,"
        "recall_u_minus_delta_class,recall_u_minus_delta_class_lo,recall_u_minus_delta_class_hi,"
        "recall_u_minus_ret_class,recall_u_minus_ret_class_lo,recall_u_minus_ret_class_hi\n"
        "ES,mild,0.1,+0.083,+0.064,+0.111,+0.094,+0.077,+0.116,+0.002,-0.009,+0.013\n"
        "ES,mild,0.2,+0.094,+0.075,+0.114,+0.104,+0.076,+0.125,+0.024,+0.008,+0.038\n"
        "ES,mild,0.3,+0.100,+0.079,+0.120,+0.086,+0.057,+0.115,+0.030,+0.015,+0.048\n"
    )


def test_table_21_adds_what_a_random_order_attains():
    table = table_21(ceilings(), recall({ES: 1}))
    assert to_csv(table) == (
        "source,tier,failure_share_p,ceiling_recall_q10,ceiling_recall_q20,ceiling_recall_q30,"
        "recall_u_over_ceiling_q10,recall_u_over_ceiling_q20,recall_random_over_ceiling_q20\n"
        "ES,mild,0.167,0.748,0.883,0.941,0.676,0.760,0.210\n"
    )
    assert "1 of 100 on ES mild" in texts(table)[2]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("render", [to_markdown, to_latex, to_html])
def test_all_kinds_of_output_can_be_written(name, render):
    text = render(TABLES[name]())
    assert "nan" not in text
    for symbol in ("{S}", "{U}", "{delta}", "{q}", "{g(S,U)}"):
        assert symbol not in text


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_labelled_and_say_which_images_count(name):
    table = TABLES[name]()
    assert (table.name, table.label) == (name, f"Table {name[-2:]}")
    assert table.title.endswith(".")
    assert table.undefined == 0


def test_missing_columns_are_named():
    with pytest.raises(PairedEvalError, match="table_18: the results lack the column tier_by; run the analysis again"):
        table_18(recall().drop(columns="tier_by"))
    with pytest.raises(PairedEvalError, match="table_17: the results lack the column cells_per_draw"):
        table_17(class_gain().drop(columns="cells_per_draw"))
    with pytest.raises(PairedEvalError, match="table_19: the results lack the column class_lower, class_upper"):
        table_19(recall(), recall_gain().drop(columns=["class_lower", "class_upper"]))
    with pytest.raises(PairedEvalError, match="table_21: the results lack the column ceiling_30"):
        table_21(ceilings().drop(columns="ceiling_30"), recall())


def test_results_of_another_half_are_not_mixed_in():
    both = pd.concat([auroc(), auroc().assign(half="development", mean=0.1)])
    assert to_csv(table_16(both, auroc_gain())) == to_csv(table_16(auroc(), auroc_gain()))
    with pytest.raises(PairedEvalError, match="no results for half development, images all and tiers by development"):
        choose(auroc(), "table_23", half="development")


def test_unknown_tiers_are_refused():
    with pytest.raises(PairedEvalError, match="table_18: tier 'bad' is none of mild, severe, extreme"):
        table_18(recall().assign(tier="bad"))


def test_all_conditions_together_are_no_tier():
    assert tier_rows(pd.DataFrame({"source": ["es", "es"], "tier": ["all", "severe"]})) == [("es", "severe")]


def test_absent_tiers():
    present = [("es", "mild"), ("es", "severe"), ("es", "extreme"), ("diverse", "severe")]
    assert absent_notes(present, SIMULATED) == ["No condition of Diverse (simulated) is mild or extreme."]


def test_legend():
    assert legend(["entropy", "random"]) == (
        "entropy: entropy of the probabilities on the unperturbed image; random: one random order a cell."
    )
