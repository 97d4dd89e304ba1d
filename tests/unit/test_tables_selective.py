"""Layout of the tables on errors by confidence and on the pending review, on example numbers."""

import math

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.tables_review import table_review
from pairedeval.report.tables_selective import table_fixed_coverage, table_probability_gap, table_risk_rule

SIMULATED = {"es"}


def example_risks() -> pd.DataFrame:
    quantities = {
        "clean_risk": 0.011, "perturbed_risk": 0.2271, "risk_increase": 0.216,
        "risk_at_20": 0.1, "risk_at_40": 0.15, "risk_at_60": 0.2, "risk_at_80": 0.9, "risk_at_100": 0.3,
    }  # fmt: skip
    rows = [
        (source, tier, quantity, mean, mean - 0.01, mean + 0.02, cells)
        for source, tier, cells in (("syn", "all tiers", 216), ("syn", "mild", 216), ("es", "all tiers", 648),
                                    ("es", "mild", 480), ("es", "extreme", 168))
        for quantity, mean in quantities.items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["source", "tier", "quantity", "mean", "lower", "upper", "cells"])


def example_rule() -> pd.DataFrame:
    rows = [
        ("syn", "all tiers", 0.97, 0.05, 0.96, 0.04, 0.88, 0.24, 0.73, 216, 0, 12, 0, 0),
        ("syn", "mild", 0.97, 0.05, 0.96, 0.04, 0.88, 0.24, 0.73, 216, 0, 12, 0, 0),
        ("es", "all tiers", 0.96, 0.041, 0.94, 0.03, 0.6, 0.7758, 0.6761, 594, 15, 12, 1, 2),
        ("es", "mild", 0.96, 0.041, 0.94, 0.03, 0.8, 0.24, 0.6, 440, 1, 12, 1, 2),
        ("es", "extreme", 0.96, 0.041, 0.94, 0.03, 0.5, 0.8, 0.9, 154, 14, 12, 1, 2),
    ]
    shares = [f"{side}_{name}" for side in ("development", "clean", "perturbed") for name in ("coverage", "risk")]
    counts = ["cells", "without_risk", "models", "models_without_rule", "models_above_target"]
    return pd.DataFrame(rows, columns=["source", "tier", *shares, "above_target", *counts])


ES_TIERS = ("all tiers", "mild", "severe")


def example_gaps() -> pd.DataFrame:
    rows = [
        (source, tier, gap, 0.2, 0.5, 0.3, 378, 7, 5 * (source == "es"))
        for source, tier in (("syn_b", "all tiers"), ("syn_b", "mild"), *(("es", tier) for tier in ES_TIERS))
        for gap in ("low", "middle", "high")
    ]  # fmt: skip
    names = ["correction", "persistent_error", "changed_error", "events", "models", "excluded_models"]
    return pd.DataFrame(rows, columns=["source", "tier", "gap", *names])


def example_strata() -> pd.DataFrame:
    rows = [
        ("diverse", "extreme", "low", 17000, 480, 12),
        ("es", "mild", "low", 5000, 300, 12),
        ("es", "mild", "high", 90, 10, 11),
        ("es", "extreme", "middle", 4, 2, 4),
    ]
    frame = pd.DataFrame(rows, columns=["source", "tier", "support_level", "population", "images", "sampled"])
    return frame.assign(inclusion_probability=frame["sampled"] / frame["population"])


def review(strata: pd.DataFrame, simulated=()):
    return table_review(strata, 2, simulated)


review.__name__ = "table_review"
EXAMPLES = {
    table_fixed_coverage: example_risks,
    table_risk_rule: example_rule,
    table_probability_gap: example_gaps,
    review: example_strata,
}


def test_csv_of_fixed_coverage():
    lines = to_csv(table_fixed_coverage(example_risks(), SIMULATED)).splitlines()
    assert lines[0] == (
        "source,tier,cells,clean_risk_80_pct,perturbed_risk_80_pct,perturbed_risk_80_pct_lo,perturbed_risk_80_pct_hi,"
        "risk_80_increase_pp,risk_80_increase_pp_lo,risk_80_increase_pp_hi,perturbed_risk_at_20_pct,"
        "perturbed_risk_at_40_pct,perturbed_risk_at_60_pct,perturbed_risk_at_100_pct"
    )
    # A source with one tier has no row of all tiers.
    assert [line.split(",")[:3] for line in lines[1:]] == [
        ["Syn", "mild", "216"],
        ["ES (simulated)", "all tiers", "648"],
        ["ES (simulated)", "mild", "480"],
        ["ES (simulated)", "extreme", "168"],
    ]
    assert lines[1].endswith("216,1.10,22.71,21.71,24.71,+21.60,+20.60,+23.60,10.00,15.00,20.00,30.00")


def test_csv_of_the_risk_rule():
    lines = to_csv(table_risk_rule(example_rule(), SIMULATED)).splitlines()
    assert lines[0] == (
        "source,tier,cells,development_coverage_pct,development_risk_pct,clean_coverage_pct,clean_risk_pct,"
        "perturbed_coverage_pct,perturbed_risk_pct,cells_above_5_pct"
    )
    assert lines[2] == "ES (simulated),all tiers,594,96.00,4.10,94.00,3.00,60.00,77.58,67.6"


def test_notes_of_the_risk_rule_count_what_is_left_out():
    assert table_risk_rule(example_rule(), SIMULATED).notes[2:] == (
        "No part of the development images has so few errors, so there is no rule, for 1 model of ES (simulated).",
        "Ties lift the errors of the development images above 5% for 2 models of ES (simulated).",
        "No perturbed image is accepted, so there is no error rate, in 15 cells of ES (simulated).",
    )
    whole = example_rule().assign(without_risk=0, models_without_rule=0, models_above_target=0)
    assert len(table_risk_rule(whole).notes) == 2


def test_csv_of_the_probability_gap():
    table = table_probability_gap(example_gaps(), SIMULATED)
    lines = to_csv(table).splitlines()
    assert lines[:2] == ["source,tier,gap,events,r_pct,s_pct,w_pct", "Syn-B,mild,low,378,20.00,50.00,30.00"]
    assert len(lines) == 1 + 3 + 9
    assert table.notes[-1] == "Left out for fewer than six clean development errors: 5 models of ES (simulated)."
    assert len(table_probability_gap(example_gaps().assign(excluded_models=0)).notes) == 2


def test_csv_of_the_review():
    table = table_review(example_strata(), 2, SIMULATED)
    assert to_csv(table) == (
        "source,tier,support,events,images,sampled_events,inclusion_probability_pct\n"
        "ES (simulated),mild,low,5000,300,12,0.2\n"
        "ES (simulated),mild,high,90,10,11,12.2\n"
        "ES (simulated),extreme,middle,4,2,4,100.0\n"
        "Diverse,extreme,low,17000,480,12,0.1\n"
    )
    assert "39 of 22,094 events are drawn" in table.notes[1]
    assert "for 2 reviewers. The 78 ratings are pending: no result depends on them." in table.notes[1]
    assert table.notes[2] == "Strata without events, left out: 14 of 18."


@pytest.mark.parametrize("builder", EXAMPLES)
def test_every_kind_of_output_holds_every_row(builder):
    table = builder(EXAMPLES[builder](), SIMULATED)
    assert to_markdown(table).count("ES (simulated) |") == to_latex(table).count("ES (simulated) &")
    assert to_html(table).count('<th scope="row">') == len(table.rows)
    assert table.undefined == 0


@pytest.mark.parametrize("builder", EXAMPLES)
def test_missing_columns_and_unknown_tiers_are_named(builder):
    example, name = EXAMPLES[builder](), builder.__name__
    column = example.columns[-1]
    with pytest.raises(PairedEvalError, match=f"{name}: the results lack the column {column}; run the analysis again"):
        builder(example.drop(columns=column))
    with pytest.raises(PairedEvalError, match="tier 'bad' is none of mild, severe, extreme"):
        builder(example.assign(tier="bad"))


def test_an_undefined_rate_is_a_dash():
    table = table_risk_rule(example_rule().assign(perturbed_risk=math.nan))
    assert table.undefined == 4
    assert "undefined (4 entries)" in table.all_notes[-1]
