"""Tables 42 to 46, Figure 8 and findings on prediction, on the paper's printed numbers."""

import math

import pandas as pd
import pytest
from matplotlib.text import Text

from pairedeval.errors import PairedEvalError
from pairedeval.prediction.feature_sets import feature_set_table
from pairedeval.prediction.summaries import KEYS
from pairedeval.report.figure_08 import figure_08
from pairedeval.report.findings_prediction import prediction_findings
from pairedeval.report.names import notation
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.style import save_figure
from pairedeval.report.tables_prediction import table_42, table_43, table_44, table_45, table_46

SIMULATED = {"es", "diverse"}
TARGETS = ("perturbed_accuracy", "selective_risk", "accepted_error", "lost_acceptance")
# Syn to ES, in percentage points: error of B_ind; gain of C1 with interval; of dM_k in sequence, and on B_ind; lowest,
# highest and number of positive deletion gains.
PRINTED = {
    "perturbed_accuracy": (2.88, (-0.12, -0.52, 0.15), (0.52, -0.43, 2.56), (0.11, -0.002, 0.27), (-0.20, 0.19, 6)),
    "selective_risk": (3.26, (0.22, 0.12, 0.32), (0.05, -0.07, 0.22), (0.24, -0.002, 0.70), (-0.24, 0.34, 7)),
    "accepted_error": (0.61, (0.002, -0.09, 0.07), (-0.04, -0.11, 0.002), (-0.02, -0.05, 0.002), (-0.01, 0.39, 6)),
    "lost_acceptance": (2.42, (-0.06, -0.15, -0.006), (-0.55, -1.88, 0.05), (-0.006, -0.06, 0.04), (-0.16, 0.06, 2)),
}
UNPAIRED = {"perturbed_accuracy": (4.87, 2.69, (2.18, 0.68, 4.40)), "selective_risk": (5.32, 2.68, (2.65, 1.19, 5.01))}


def row(target, comparison, step, baseline, gain, deleted=(math.nan, math.nan, 0), refits=0):
    low, high, positive = deleted
    values = (baseline, baseline - gain[0], *gain, low, high)
    names = ["baseline_error", "extended_error", "gain", "lower", "upper", "deletion_lowest", "deletion_highest"]
    return {
        **{"target": target, "comparison": comparison, "step": step, "relative_gain": gain[0] / baseline},
        **{name: value / 100 for name, value in zip(names, values, strict=True)},
        **{"positive_deletions": positive, "deletions": refits, "target_range": 0.2},
    }


def gains(refits: int = 10) -> pd.DataFrame:
    rows = []
    for target, (baseline, first, drop, last, deleted) in PRINTED.items():
        rows += [
            row(target, "augmented", "C1", baseline, first, deleted if refits else (math.nan, math.nan, 0), refits),
            row(target, "controlled", "C1", baseline + 1, first),
            row(target, "controlled", "C3a", baseline, drop),
            row(target, "augmented", "C3a", baseline, last),
            row(target, "counterparts", "B_ind", baseline - 0.1, (-0.1, -0.2, 0.1)),
        ]
    for target, (baseline, _, gain) in UNPAIRED.items():
        rows.append(row(target, "unpaired", "B1", baseline, gain))
    table = pd.DataFrame(rows)
    places = [(features, source) for features in ("syn_b", "syn") for source in ("diverse", "es")]
    return pd.concat([table.assign(features=features, source=source) for features, source in places])


def deletions() -> pd.DataFrame:
    rows = [("syn", "diverse", target, "augmented", "C1", group, 0.01) for target in TARGETS for group in "abc"]
    return pd.DataFrame(rows, columns=[*KEYS, "deleted", "gain"])


def thresholds() -> pd.DataFrame:
    scale = {"weighting": "model", "rule": "target range"}
    tables = [
        gains()[KEYS].assign(**scale, share=share, threshold=share * 0.2, reached=share < 0.1, excluded=share > 0.05)
        for share in (0.05, 0.1)
    ]
    return pd.concat(tables)


def correlations() -> pd.DataFrame:
    rows = [
        ("syn", source, version, "confidence_drop", value, 44)
        for source, values in {"es": (0.91, 0.9), "diverse": (0.8, 0.79)}.items()
        for version, value in zip(("paired", "independent"), values, strict=True)
    ]
    return pd.DataFrame(rows, columns=["features", "source", "version", "quantity", "correlation", "models"])


def checks(difference: float = 3.55e-17) -> pd.DataFrame:
    rows = [("es", 44, 44, difference, 0.0614, 0.0501), ("diverse", 44, 51, 0.0, 0.0568, 0.0405)]
    names = ["source", "models", "conditions", "largest_difference", "width_separate", "width_overlap"]
    return pd.DataFrame(rows, columns=names)


def results(refits: int = 10) -> dict[str, pd.DataFrame]:
    return {
        "prediction_gains": gains(refits),
        "prediction_thresholds": thresholds(),
        "prediction_correlations": correlations(),
        "prediction_checks": checks(),
    }


BUILDERS = {table_43: 8, table_44: 16, table_45: 16, table_46: 4}


def test_table_42_reads_the_analysis():
    lines = to_csv(table_42(feature_set_table())).splitlines()
    assert lines[0] == "set_or_step,builds_on,adds,definition,features_a1,features_other_targets"
    assert lines[1] == (
        "B0,,clean accuracy (synthetic base images); clean accuracy (real development base images),"
        "clean-performance features,2,2"
    )
    assert lines[3].startswith("B_ind,B1,independent counterparts of F; A; Q; k; dM_k; ds_s; ds_w; L_k^syn,")
    assert lines[4:7] == [
        "C1,B1,F; A; Q,first paired step,11,12",
        "C2,C1,k,adds the retained-correct share,12,13",
        "C3a,C2,dM_k,primary hypothesis,13,14",
    ]
    assert len(lines) == 9


def test_table_43():
    lines = to_csv(table_43(gains())).splitlines()
    assert lines[:5] == [
        "target_source,target,mae_baseline_b_ind_pp,mae_gain_c1_pp,mae_gain_c1_pp_lo,mae_gain_c1_pp_hi,mae_gain_dm_k_pp",
        "ES,a1,2.88,-0.12,-0.52,+0.15,+0.11",
        "ES,R80,3.26,+0.22,+0.12,+0.32,+0.24",
        "ES,E_tau,0.61,0.00,-0.09,+0.07,-0.02",
        "ES,L,2.42,-0.06,-0.15,-0.01,-0.01",
    ]
    assert lines[5].startswith("Diverse,a1,")
    assert len(lines) == 9


def test_table_44_has_every_setting():
    lines = to_csv(table_44(gains(), {"es"})).splitlines()
    assert lines[1] == "Syn,ES (simulated),a1,-0.12,-0.52,+0.15,+0.52,-0.43,+2.56,+0.11,0.00,+0.27"
    assert lines[5].startswith("Syn,Diverse,a1,")
    assert lines[9].startswith("Syn-B,ES (simulated),a1,")


def test_table_45():
    assert to_csv(table_45(gains())).splitlines()[:3] == [
        "features,source,target,mae_b_ind_pp,mae_c1_pp,mae_relative_gain_c1_pct,deletion_refit_gain_c1_pp_min,"
        "deletion_refit_gain_c1_pp_max,positive_deletion_refits,positive_deletion_refits_of",
        "Syn,ES,a1,2.88,3.00,-4.2,-0.20,+0.19,6,10",
        "Syn,ES,R80,3.26,3.04,+6.7,-0.24,+0.34,7,10",
    ]


def test_table_45_says_why_there_is_no_refit():
    table = table_45(gains(refits=0))
    assert to_csv(table).splitlines()[1] == "Syn,ES,a1,2.88,3.00,-4.2,,,0,0"
    assert table.notes[-1].startswith("With three groups none can be deleted")
    assert not any(note.startswith("With three groups") for note in table_45(gains()).notes)


def test_table_46():
    assert to_csv(table_46(gains())).splitlines() == [
        "target,source,mae_b0_pp,mae_b1_pp,mae_gain_b1_over_b0_pp,mae_gain_b1_over_b0_pp_lo,mae_gain_b1_over_b0_pp_hi",
        "a1,ES,4.87,2.69,+2.18,+0.68,+4.40",
        "R80,ES,5.32,2.67,+2.65,+1.19,+5.01",
        "a1,Diverse,4.87,2.69,+2.18,+0.68,+4.40",
        "R80,Diverse,5.32,2.67,+2.65,+1.19,+5.01",
    ]


@pytest.mark.parametrize(("builder", "rows"), BUILDERS.items())
def test_every_kind_of_output_holds_every_row(builder, rows):
    table = builder(gains(), SIMULATED)
    assert len(table.rows) == rows
    assert table.undefined == 0
    assert to_markdown(table).count("ES (simulated)") == rows / 2
    assert to_latex(table).count("Diverse (simulated)") == rows / 2
    assert to_html(table).count('<th scope="row"') == rows


@pytest.mark.parametrize("builder", BUILDERS)
def test_missing_columns_are_named(builder):
    with pytest.raises(PairedEvalError, match=f"{builder.__name__}: the results lack the column gain|relative_gain"):
        builder(gains().drop(columns=["gain", "relative_gain"]))


def test_findings():
    findings = prediction_findings(results(), {"es"})
    assert [finding.file for finding in findings] == [
        *["analyses/prediction_gains.parquet"] * 3,
        "analyses/prediction_thresholds.parquet",
        "analyses/prediction_correlations.parquet",
        "analyses/prediction_checks.parquet",
    ]
    assert [notation(finding.text, "text") for finding in findings] == [
        "Unpaired features of the responses to Syn, added to clean accuracies, lower the mean absolute error of "
        "predictions for models of held-out groups by +2.18 for a1 and +2.65 for R80 on ES (simulated); +2.18 for a1 "
        "and +2.65 for R80 on Diverse percentage points; a negative number is an increase. Adding the independent "
        "counterparts of the paired summaries raises it in 4 of these 4 settings.",
        "Added to these counterparts, the paired rates of label change, confidence changes and confidence correlations "
        "lower the error by −0.12 [−0.52, +0.15] for a1 and +0.22 [+0.12, +0.32] for R80 on ES (simulated); −0.12 "
        "[−0.52, +0.15] for a1 and +0.22 [+0.12, +0.32] for R80 on Diverse.",
        "If one model group after the other is deleted from training and evaluation, this gain stays positive in so "
        "many refits: 6 of 10 (−0.20 to +0.19) for a1 and 7 of 10 (−0.24 to +0.34) for R80 on ES (simulated); 6 of 10 "
        "(−0.20 to +0.19) for a1 and 7 of 10 (−0.24 to +0.34) for R80 on Diverse.",
        "A gain of a tenth of the target's interquartile range counts as practical. The first paired step, added to "
        "all independent counterparts, reaches it in 0 of 8 settings from Syn. For dM_k, added after the preceding "
        "steps and its independent counterpart, the whole interval stays below it in 8 of 8.",
        "The ranks of the models by the paired and by the independent dM_k on Syn correlate with those by the real one "
        "at 0.91 and 0.90 on ES (simulated) and 0.80 and 0.79 on Diverse.",
        "The predicted L equals the observed one of the bounds to 3.5e-15 percentage points for 88 pairs of model and "
        "source; its mean interval in these cells is 6.14 and 5.01 points on ES (simulated) and 5.68 and 4.05 points "
        "on Diverse wide, without and with the overlap.",
    ]


def test_findings_are_silent_about_refits_that_do_not_exist():
    assert len(prediction_findings(results(refits=0))) == 5


def test_figure_08_shows_all_models_every_deletion_and_the_threshold():
    figure = figure_08(gains(), deletions(), thresholds(), SIMULATED)
    words = [text.get_text() for text in figure.findobj(Text)]
    assert {"$a_1$", "$R_{80}$", "$E_\\tau$", "$L$", "all models", "one group deleted"} <= set(words)
    assert "Diverse: simulated captures" in words
    assert len(figure.axes) == 4
    for axis, target in zip(figure.axes, TARGETS, strict=True):
        offsets = [collection.get_offsets() for collection in axis.collections]
        assert [len(points) for points in offsets] == [0, 1, 3, 1]
        assert offsets[2][:, 0].tolist() == pytest.approx([1.0] * 3)
        assert offsets[3][0].tolist() == pytest.approx([PRINTED[target][1][0], 1])
        assert axis.lines[1].get_xdata()[0] == pytest.approx(2.0)


def test_figure_08_is_the_same_on_every_run(tmp_path):
    for run in ("first", "second"):
        save_figure(figure_08(gains(), deletions(), thresholds(), SIMULATED), tmp_path / run / "figure_08")
    for kind in ("pdf", "png", "svg"):
        first, second = ((tmp_path / run / f"figure_08.{kind}").read_bytes() for run in ("first", "second"))
        assert first == second
