"""Layout of Tables 22 to 28, on numbers that the paper prints."""

import math

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.report.names import notation
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.table import Table
from pairedeval.report.tables_screening_controls import (
    table_22,
    table_23,
    table_24,
    table_25,
    table_26,
    table_27,
    table_28,
)
from support.screening_frames import differences, means

SIMULATED = {"diverse"}
ES, DIVERSE = ("es", "mild"), ("diverse", "extreme")
S, U, DELTA, RET, G = ("confidence", "corruption_mean", "confidence_decrease", "retention", "predictor_confidence_mean")
SWAPPED = {"half": "development"}
TABLES = {
    "table_22": lambda: table_22(scales(), rank_gain(), SIMULATED),
    "table_23": lambda: table_23(swapped(), swapped_gains(), SIMULATED),
    "table_24": lambda: table_24(
        swapped(tier_by="evaluation"), swapped_gains(tier_by="evaluation"), models(), SIMULATED
    ),
    "table_25": lambda: table_25(identity(), identity_gap(), ablation(), SIMULATED),
    "table_26": lambda: table_26(class_means(), class_gaps(), SIMULATED),
    "table_27": lambda: table_27(strata(), strata_gaps(), terciles(), SIMULATED),
    "table_28": lambda: table_28(subsets(), SIMULATED),
}


def scales() -> pd.DataFrame:
    scores = (S, U, "corruption_rank_mean", "corruption_root_mean", "corruption_square_mean")
    return means({ES: dict(zip(scores, (0.778, 0.854, 0.832, 0.854, 0.851), strict=True))})


def rank_gain() -> pd.DataFrame:
    return differences({ES: {("corruption_rank_mean", S): (0.054, 0.049, 0.058)}})


def swapped(undefined: dict | None = None, **where: str) -> pd.DataFrame:
    printed = {ES: dict(zip((S, U, DELTA, RET, G), (0.778, 0.856, 0.779, 0.831, 0.856), strict=True))}
    parts = [means(printed, metric, undefined, **SWAPPED | where) for metric in ("auroc", "recall_20")]
    return pd.concat(parts, ignore_index=True)


def swapped_gains(class_lower: float = 0.01, **where: str) -> pd.DataFrame:
    printed = {"auroc": (0.078, 0.072, 0.083), "recall_20": (0.111, 0.097, 0.129)}
    parts = [differences({ES: {(U, S): gain}}, metric, **SWAPPED | where) for metric, gain in printed.items()]
    return pd.concat(parts, ignore_index=True).assign(class_lower=class_lower)


def models() -> pd.DataFrame:
    return pd.DataFrame({"source": "es", "tier": "mild", "model": ["a", "b", "c", "d"]})


def identity() -> pd.DataFrame:
    printed = {
        ES: {S: 0.775, U: 0.853, "deranged_mean": 0.553, "loo_mean": 0.548},
        DIVERSE: {S: 0.498, U: 0.508, "deranged_mean": 0.461, "loo_mean": 0.453},
    }
    return means(printed, images="non_singleton", undefined={DIVERSE: 14})


def identity_gap() -> pd.DataFrame:
    pair, likewise = (U, "deranged_mean"), (DELTA, "deranged_decrease")
    printed = {
        ES: {pair: (0.299, 0.275, 0.319), likewise: (0.21, 0.2, 0.22)},
        DIVERSE: {pair: (0.047, 0.038, 0.059), likewise: (-0.02, -0.03, -0.01)},
    }
    return differences(printed, images="non_singleton", wins=0.9994, cells=1936)


def ablation(**columns: object) -> pd.DataFrame:
    rows = [("es", "mild", 10, 55, 0, 1936, 0.299), ("diverse", "extreme", 12, 55, 480, 3485, 0.055)]
    names = ["source", "tier", "images_excluded_lowest", "images_excluded_highest", "degenerate_cells", "cells"]
    return pd.DataFrame(rows, columns=[*names, "gap_without_degenerate"]).assign(**columns)


def class_means() -> pd.DataFrame:
    printed = {ES: {S: 0.778, U: 0.854, "class_mean_correct": 0.597, "class_mean_all": 0.590}}
    parts = [means(printed, metric, images="class_known") for metric in ("auroc", "recall_20")]
    return pd.concat(parts, ignore_index=True)


def class_gaps() -> pd.DataFrame:
    printed = {"auroc": (0.257, 0.238, 0.277), "recall_20": (0.374, 0.332, 0.422)}
    parts = [
        differences({ES: {(U, "class_mean_correct"): gap}}, metric, images="class_known")
        for metric, gap in printed.items()
    ]
    return pd.concat(parts, ignore_index=True)


def strata() -> pd.DataFrame:
    printed = {"low": (0.683, 0.771, 0.517), "mid": (0.548, 0.749, 0.455), "high": (0.530, 0.755, 0.460)}
    parts = [
        means({("es", tier): dict(zip((S, U, "deranged_mean"), row, strict=True))}, images=images, undefined=lost)
        for images, row in printed.items()
        for tier, lost in (("all", {("es", "all"): 5} if images == "high" else None), ("mild", None))
    ]
    return pd.concat(parts, ignore_index=True)


def strata_gaps() -> pd.DataFrame:
    printed = {"low": (0.255, 0.235, 0.274), "mid": (0.294, 0.255, 0.332), "high": (0.295, 0.252, 0.325)}
    parts = [
        differences({("es", "all"): {(U, "deranged_mean"): gap}}, images=images) for images, gap in printed.items()
    ]
    return pd.concat(parts, ignore_index=True)


def terciles() -> pd.DataFrame:
    return pd.DataFrame(
        {"source": "es", "images": ["low", "mid", "high"], "retention_gap": [0.225, 0.100, 0.075], "cells": 2376}
    )


def subsets() -> pd.DataFrame:
    rows = [
        ("es", "corruption", 18, "all", 1, 0.672, 0.672, 0.672, 0.094, 0.094, 0.854, 0.854, 0.854),
        ("es", "corruption", 9, "severity 4", 1, 0.669, 0.669, 0.669, 0.091, 0.091, 0.85, 0.85, 0.85),
        ("es", "corruption", 9, "severity 2", 1, 0.658, 0.658, 0.658, 0.080, 0.080, 0.837, 0.837, 0.837),
        ("es", "corruption", 9, "prefixed", 20, 0.663, 0.655, 0.669, 0.085, 0.077, 0.849, 0.837, 0.854),
        ("es", "corruption", 1, "prefixed", 18, 0.597, 0.569, 0.619, 0.019, -0.009, 0.799, 0.785, 0.816),
        ("es", "natural", 1, "prefixed", 18, 0.5, 0.5, 0.5, 0.0, 0.0, 0.7, 0.7, 0.7),
    ]
    names = ["source", "pool", "size", "kind", "subsets", "recall_20", "recall_20_lowest", "recall_20_highest"]
    return pd.DataFrame(rows, columns=[*names, "gain", "gain_lowest", "auroc", "auroc_lowest", "auroc_highest"])


def texts(table: Table) -> list[str]:
    return [notation(note, "text") for note in table.notes]


def test_table_22():
    assert to_csv(table_22(scales(), rank_gain())) == (
        "source,tier,auroc_s,auroc_u,auroc_u_rank,auroc_u_gamma05,auroc_u_gamma2,"
        "auroc_u_rank_minus_s,auroc_u_rank_minus_s_lo,auroc_u_rank_minus_s_hi\n"
        "ES,mild,0.778,0.854,0.832,0.854,0.851,+0.054,+0.049,+0.058\n"
    )


def test_table_23_reads_the_development_half():
    assert to_csv(table_23(swapped(), swapped_gains())) == (
        "source,tier,auroc_s,auroc_u,auroc_delta,auroc_ret,auroc_g_s_u,auroc_u_minus_s,auroc_u_minus_s_lo,"
        "auroc_u_minus_s_hi,recall_q20_u_minus_s,recall_q20_u_minus_s_lo,recall_q20_u_minus_s_hi\n"
        "ES,mild,0.778,0.856,0.779,0.831,0.856,+0.078,+0.072,+0.083,+0.111,+0.097,+0.129\n"
    )
    with pytest.raises(PairedEvalError, match="table_23: no results for half development"):
        table_23(swapped(half="evaluation"), swapped_gains())


def test_table_23_says_where_resampled_classes_agree():
    agree = "With draws of the true classes instead, both lie above zero on"
    assert f"{agree} ES mild." in texts(table_23(swapped(), swapped_gains()))[3]
    assert f"{agree} no tier." in texts(table_23(swapped(), swapped_gains(class_lower=-0.001)))[3]


def test_table_24_counts_conditions_in_their_other_tiers():
    by_evaluation = {"tier_by": "evaluation"}
    table = table_24(swapped({ES: 8}, **by_evaluation), swapped_gains(**by_evaluation), models())
    assert to_csv(table) == (
        "source,tier_eval_defined,conditions,auroc_s,auroc_u,auroc_u_minus_s,auroc_u_minus_s_lo,auroc_u_minus_s_hi,"
        "recall_q20_u_minus_s,recall_q20_u_minus_s_lo,recall_q20_u_minus_s_hi\n"
        "ES,mild,25,0.778,0.856,+0.078,+0.072,+0.083,+0.111,+0.097,+0.129\n"
    )
    unknown = table_24(swapped(**by_evaluation), swapped_gains(**by_evaluation), models().assign(source="diverse"))
    assert unknown.undefined == 1


def test_table_25_compares_images_with_others_of_their_class():
    table = table_25(identity(), identity_gap(), ablation(), SIMULATED)
    assert to_csv(table) == (
        "source,tier,cells,auroc_s,auroc_u,auroc_derangement,auroc_loo_mean,auroc_u_minus_derangement,"
        "auroc_u_minus_derangement_lo,auroc_u_minus_derangement_hi,wins_cells_pct\n"
        "ES,mild,1936,0.775,0.853,0.553,0.548,+0.299,+0.275,+0.319,99.9\n"
        "Diverse (simulated),extreme,1936,0.498,0.508,0.461,0.453,+0.047,+0.038,+0.059,99.9\n"
    )
    assert texts(table)[2:6] == [
        "Cells without AUROC, since all their images share one outcome, are left out: "
        "14 of 100 on Diverse (simulated) extreme.",
        "Left out: images that are the only clean-correct one of their class, 10 to 55 a model on ES and 12 to 55 a "
        "model on Diverse (simulated).",
        "No class holds both outcomes, so that reassigning cannot change the AUROC, in this many cells (in parentheses "
        "U − deranged U over the others): 480 of 3,485 on Diverse (simulated) extreme (+0.055).",
        "The same difference for delta (S minus U): ES mild +0.210, Diverse (simulated) extreme −0.020.",
    ]


def test_table_25_speaks_only_of_images_and_cells_that_there_are():
    none = ablation(images_excluded_lowest=0, images_excluded_highest=0, degenerate_cells=0)
    notes = texts(table_25(identity(), identity_gap(), none))
    assert not any(note.startswith(("Left out", "No class")) for note in notes)


def test_table_26():
    assert to_csv(table_26(class_means(), class_gaps())) == (
        "source,tier,auroc_s,auroc_u,auroc_class_mean_u_cc_dev,auroc_class_mean_u_all_dev,"
        "auroc_u_minus_class_cc_dev,auroc_u_minus_class_cc_dev_lo,auroc_u_minus_class_cc_dev_hi,"
        "recall_q20_u_minus_class_cc_dev,recall_q20_u_minus_class_cc_dev_lo,recall_q20_u_minus_class_cc_dev_hi\n"
        "ES,mild,0.778,0.854,0.597,0.590,+0.257,+0.238,+0.277,+0.374,+0.332,+0.422\n"
    )


def test_table_27_has_a_row_for_each_third_over_all_conditions():
    table = table_27(strata(), strata_gaps(), terciles())
    assert to_csv(table) == (
        "source,stratum,auroc_s,auroc_u,auroc_derangement,auroc_u_minus_derangement,auroc_u_minus_derangement_lo,"
        "auroc_u_minus_derangement_hi,retention_rate_gap\n"
        "ES,low,0.683,0.771,0.517,+0.255,+0.235,+0.274,+0.225\n"
        "ES,mid,0.548,0.749,0.455,+0.294,+0.255,+0.332,+0.100\n"
        "ES,high,0.530,0.755,0.460,+0.295,+0.252,+0.325,+0.075\n"
    )
    assert "left out: 5 of 100 on ES high." in texts(table)[4]
    assert table_27(strata(), strata_gaps(), terciles().iloc[:2]).undefined == 1


def test_table_28_has_no_range_over_a_single_subset():
    table = table_28(subsets())
    assert to_csv(table) == (
        "source,m,subsets,n_subsets,recall_q20_u_m,recall_q20_u_m_min,recall_q20_u_m_max,recall_q20_u_m_minus_s,"
        "recall_q20_u_m_minus_s_min,auroc_u_m,auroc_u_m_min,auroc_u_m_max\n"
        "ES,1,random,18,0.597,0.569,0.619,+0.019,-0.009,0.799,0.785,0.816\n"
        "ES,9,random,20,0.663,0.655,0.669,+0.085,+0.077,0.849,0.837,0.854\n"
        "ES,9,severity 2 only,1,0.658,,,+0.080,,0.837,,\n"
        "ES,9,severity 4 only,1,0.669,,,+0.091,,0.850,,\n"
        "ES,18,all,1,0.672,,,+0.094,,0.854,,\n"
    )
    assert table.undefined == 0


def test_an_undefined_number_of_a_subset_is_a_dash():
    assert table_28(subsets().assign(auroc=math.nan)).undefined == 5


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("render", [to_markdown, to_latex, to_html])
def test_all_kinds_of_output_can_be_written(name, render):
    text = render(TABLES[name]())
    assert "nan" not in text
    for symbol in ("{S}", "{U}", "{U_m}", "{U_rank}", "{U^0.5}", "{delta}", "{q}", "{g(S,U)}"):
        assert symbol not in text


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_labelled_and_complete(name):
    table = TABLES[name]()
    assert (table.name, table.label) == (name, f"Table {name[-2:]}")
    assert table.title.endswith(".")
    assert table.undefined == 0


def test_missing_columns_are_named():
    with pytest.raises(PairedEvalError, match="table_24: the results lack the column model; run the analysis again"):
        table_24(swapped(tier_by="evaluation"), swapped_gains(tier_by="evaluation"), models().drop(columns="model"))
    with pytest.raises(PairedEvalError, match="table_25: the results lack the column wins"):
        table_25(identity(), identity_gap().drop(columns="wins"), ablation())
    with pytest.raises(PairedEvalError, match="table_25: the results lack the column degenerate_cells"):
        table_25(identity(), identity_gap(), ablation().drop(columns="degenerate_cells"))
    with pytest.raises(PairedEvalError, match="table_27: the results lack the column retention_gap"):
        table_27(strata(), strata_gaps(), terciles().drop(columns="retention_gap"))
    with pytest.raises(PairedEvalError, match="table_28: the results lack the column gain_lowest"):
        table_28(subsets().drop(columns="gain_lowest"))
