"""Layout of Tables 8 to 11 and 40, on example numbers (rows of the paper's tables where they are printed)."""

import math

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.tables_correspondence import table_08, table_09, table_10, table_11, table_40

SIMULATED = {"es"}


def example_support() -> pd.DataFrame:
    printed = {
        "syn": {"H": (0.0240, 0.0087), "L": (0.0461, 0.0252), "dM_k": (0.0597, 0.0276)},
        "es": {"H": (0.0068, 0.0054), "L": (0.0303, 0.0238), "dM_k": (0.0511, 0.0390)},
    }
    rows = []
    for source, targets in printed.items():
        for target, (native, matched) in targets.items():
            undefined = 2 if (source, target) == ("es", "dM_k") else 0
            native_records = {"syn": 5000, "es": 400}[source]
            rows.append((source, target, "native", native_records, native, 0))
            rows += [(source, target, seed, 400, matched, 0) for seed in ("20260910", "20260911")]
            rows.append((source, target, "matched", 400, matched, undefined))
    return pd.DataFrame(rows, columns=["source", "target", "sample", "records", "mean_width", "undefined"])


def example_decomposition() -> pd.DataFrame:
    rows = [
        ("syn", 1, 792, 0.0100, 0.0008, 0.0096, 0.986, 0),
        ("syn", 20, 792, 0.0100, 0.0008, 0.0096, 0.986, 0),
        ("es", 1, 2374, -0.0052, 0.0021, 0.0067, 0.863, 2),
    ]
    names = [
        "source",
        "least_overlap",
        "cells",
        "paired_minus_independent",
        "absolute_composition",
        "absolute_selection",
    ]
    return pd.DataFrame(rows, columns=[*names, "selection_larger", "zero_overlap_cells"])


def example_variance() -> pd.DataFrame:
    rows = [
        ("es", tier, measure, ratio, ratio - 0.02, ratio + 0.03, cells - undefined, undefined)
        for tier, cells, ratios in (("all tiers", 2376, (0.55, 0.55, 0.44)), ("mild", 1936, (0.47, 0.47, 0.34)))
        for measure, ratio, undefined in zip("CSM", ratios, (3 * (tier == "all tiers"), 0, 0), strict=True)
    ]
    names = ["source", "tier", "measure", "ratio", "lower", "upper", "cells", "undefined"]
    return pd.DataFrame(rows, columns=names)


def example_accuracy_only() -> pd.DataFrame:
    rows = [("es", "mild", 0.0590, 0.1115, 0.1602, 0.852), ("es", "all tiers", 0.0516, 0.1039, 0.2604, 0.871)]
    names = ["source", "tier", "classwise_width", "global_width", "gross_flips", "pinned_classes"]
    return pd.DataFrame(rows, columns=names)


def example_calibration() -> pd.DataFrame:
    rows = [
        ("es", "Q80", "raw", 0.0139, 0.0990, 0.1048, 0.531, 0, 0, 44, 44),
        ("es", "Q80", "platt", 0.0139, 0.0990, 0.1048, 0.531, 54, 0, 43, 43),
        ("es", "Q80", "isotonic", 0.0199, 0.0990, 0.1048, 0.531, 54, 0, 43, 0),
        ("es", "A0.9", "raw", 0.0065, 0.0948, 0.0792, 0.484, 0, 7, 44, 44),
        ("es", "A0.9", "platt", 0.0026, 0.1081, 0.0544, 0.476, 54, 9, 43, 0),
    ]
    names = ["accepted_error_transition", "lost_acceptance", "selective_risk", "perturbed_coverage"]
    counts = ["uncalibrated_cells", "without_risk", "models", "unchanged_models"]
    return pd.DataFrame(rows, columns=["source", "protocol", "score", *names, *counts])


EXAMPLES = {
    table_08: example_support,
    table_09: example_decomposition,
    table_10: example_variance,
    table_11: example_accuracy_only,
    table_40: example_calibration,
}


def test_csv_of_table_08():
    assert to_csv(table_08(example_support(), SIMULATED)) == (
        "source,h_width_original_pp,h_width_matched_pp,l_width_original_pp,l_width_matched_pp,"
        "dm_k_width_original_pp,dm_k_width_matched_pp\n"
        "Syn,2.40,0.87,4.61,2.52,5.97,2.76\n"
        "ES (simulated),0.68,0.54,3.03,2.38,5.11,3.90\n"
    )


def test_notes_of_table_08_name_seeds_whole_samples_and_undefined_cells():
    notes = table_08(example_support(), SIMULATED).notes
    assert "the means of 2 seeds are weighted equally" in notes[0]
    assert notes[1:] == (
        "ES (simulated): the sample holds all images.",
        "No image is correct on both sides in 2 matched cells: {dM_k} is undefined there and left out.",
    )


def test_csv_of_table_09_holds_cells_with_any_overlap():
    assert to_csv(table_09(example_decomposition(), SIMULATED)) == (
        "source,positive_k_cells,dm_k_paired_minus_ind_pp,mean_abs_w_pp,mean_abs_v_pp,abs_v_gt_abs_w_cells_pct\n"
        "Syn,792,+1.00,0.08,0.96,98.6\n"
        "ES (simulated),2374,-0.52,0.21,0.67,86.3\n"
    )
    assert table_09(example_decomposition()).notes[1] == "Left out: 2 cells without such images (ES 2)."


def test_bars_around_symbols_do_not_break_the_table():
    header = to_markdown(table_09(example_decomposition())).splitlines()[2]
    assert header.endswith(r"| Mean \|W\| | Mean \|V\| | \|V\| &gt; \|W\| (% of cells) |")


def test_csv_of_table_10_counts_all_cells():
    assert to_csv(table_10(example_variance(), SIMULATED)) == (
        "source,tier,cells,c,c_lo,c_hi,s,s_lo,s_hi,m,m_lo,m_hi\n"
        "ES (simulated),all tiers,2376,0.55,0.53,0.58,0.55,0.53,0.58,0.44,0.42,0.47\n"
        "ES (simulated),mild,1936,0.47,0.45,0.50,0.47,0.45,0.50,0.34,0.32,0.37\n"
    )
    note = "Neither side varies, so the ratio is undefined and left out: C in 3 cells of ES (simulated)."
    assert table_10(example_variance(), SIMULATED).notes[1] == note


def test_table_10_prints_intervals_in_brackets():
    assert r"| ES | mild | 1,936 | 0.47 \[0.45, 0.50\] |" in to_markdown(table_10(example_variance()))
    undefined = table_10(example_variance().assign(ratio=math.nan, lower=math.nan, upper=math.nan))
    assert "| ES | mild | 1,936 | – | – | – |" in to_markdown(undefined)
    assert to_csv(undefined).splitlines()[2] == "ES,mild,1936,,,,,,,,,"


def test_csv_of_table_11_puts_all_tiers_first():
    assert to_csv(table_11(example_accuracy_only())) == (
        "source,tier,k_width_classwise_pp,k_width_global_pp,observed_h_plus_r_pp,pinned_classes_pct\n"
        "ES,all tiers,5.16,10.39,26.04,87.1\n"
        "ES,mild,5.90,11.15,16.02,85.2\n"
    )


def test_csv_of_table_40_holds_raw_and_platt_scores():
    assert to_csv(table_40(example_calibration())) == (
        "source,protocol,h_raw_pct,h_platt_pct,l_raw_pct,l_platt_pct,selective_risk_raw_pct,selective_risk_platt_pct,"
        "acceptance_coverage_raw,acceptance_coverage_platt\n"
        "ES,Q80,1.39,1.39,9.90,9.90,10.48,10.48,0.531,0.531\n"
        "ES,A0.9,0.65,0.26,9.48,10.81,7.92,5.44,0.484,0.476\n"
    )


def test_notes_of_table_40_report_kept_decisions_and_left_out_cells():
    assert table_40(example_calibration()).notes[1:] == (
        "Under Q, Platt scaling keeps every decision of raw confidence for 43 of 43 pairs of model and source.",
        "No calibrator in 54 cells: the clean development images are all correct, all wrong, or all equally confident.",
        "Cells without an accepted perturbed image have no selective risk and are left out of its mean: ES 0 to 9, "
        "depending on protocol and score.",
    )


@pytest.mark.parametrize("builder", EXAMPLES)
def test_every_kind_of_output_holds_every_row(builder):
    table = builder(EXAMPLES[builder](), SIMULATED)
    assert to_markdown(table).count("ES (simulated) |") == to_latex(table).count("ES (simulated) &")
    assert to_html(table).count('<th scope="row">') == len(table.rows)
    assert table.undefined == 0


@pytest.mark.parametrize("builder", EXAMPLES)
def test_missing_columns_are_named(builder):
    example = EXAMPLES[builder]()
    column = example.columns[-1]
    name = builder.__name__
    with pytest.raises(PairedEvalError, match=f"{name}: the results lack the column {column}; run the analysis again"):
        builder(example.drop(columns=column))


@pytest.mark.parametrize("builder", [table_10, table_11])
def test_unknown_tiers_are_refused(builder):
    with pytest.raises(PairedEvalError, match="tier 'bad' is none of mild, severe, extreme"):
        builder(EXAMPLES[builder]().assign(tier="bad"))


def test_an_undefined_mean_is_a_dash():
    table = table_40(example_calibration().assign(selective_risk=math.nan))
    assert to_csv(table).splitlines()[1] == "ES,Q80,1.39,1.39,9.90,9.90,,,0.531,0.531"
    assert table.undefined == 4
