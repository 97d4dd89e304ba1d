"""Tables C10 to C18 against the summaries that they lay out."""

import csv
import io
import math
import re
from pathlib import Path

import pandas as pd
import pytest

from pairedeval.consistency.attacks import summarise_attacks, summarise_success
from pairedeval.consistency.findings import compare_findings, read_findings
from pairedeval.consistency.prior_summaries import summarise_priors, summarise_recalls
from pairedeval.consistency.robustness import correlate_robustness
from pairedeval.consistency.shift_summaries import (
    correlate_gains,
    summarise_estimators,
    summarise_shift,
    summarise_transfer,
)
from pairedeval.consistency.withheld import summarise_withheld
from pairedeval.errors import PairedEvalError
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.tables_consistency_attacks import table_consistency_attacks, table_consistency_withheld
from pairedeval.report.tables_consistency_priors import table_consistency_priors, table_consistency_recalls
from pairedeval.report.tables_consistency_published import table_consistency_published
from pairedeval.report.tables_consistency_shift import (
    table_consistency_estimators,
    table_consistency_robustness,
    table_consistency_shift,
    table_consistency_transfer,
)
from support.consistency_frames import example_frames

PUBLISHED = Path(__file__).parents[2] / "resources" / "published" / "consistency.csv"
SEED = 1
FAMILIES = ["All families", "Noise", "Blur", "Weather", "Digital"]
# Frames that each builder takes, in order, and the number of its rows.
BUILDERS = {
    table_consistency_shift: (("shift_summary", "gain_correlations"), 5),
    table_consistency_transfer: (("transfer_summary",), 20),
    table_consistency_estimators: (("estimator_summary",), 5),
    table_consistency_robustness: (("robustness", "robustness_correlations"), 5),
    table_consistency_attacks: (("attack_summary", "success_summary"), 5),
    table_consistency_withheld: (("withheld_summary",), 13),
    table_consistency_priors: (("prior_summary",), 5),
    table_consistency_recalls: (("recall_summary",), 4),
    table_consistency_published: (("published",), 67),
}


@pytest.fixture(scope="module")
def runs() -> dict[str, pd.DataFrame]:
    return example_frames(("alpha", "beta", "gamma"), images=80, draws=20, severities=["4"])


@pytest.fixture(scope="module")
def frames(runs) -> dict[str, pd.DataFrame]:
    return {
        "shift_summary": summarise_shift(runs["shift"], SEED),
        "gain_correlations": correlate_gains(runs["shift_gain"]),
        "transfer_summary": summarise_transfer(runs["transfer"], SEED),
        "estimator_summary": summarise_estimators(runs["estimators"], SEED),
        "robustness": runs["robustness"],
        "robustness_correlations": correlate_robustness(runs["robustness"]),
        "attack_summary": summarise_attacks(runs["attacks"], SEED),
        "success_summary": summarise_success(runs["attacks"], SEED),
        "withheld_summary": summarise_withheld(runs["withheld"], SEED),
        "prior_summary": summarise_priors(runs["priors"], SEED),
        "recall_summary": summarise_recalls(runs["recalls"]),
        "published": compare_findings(read_findings(PUBLISHED), runs),
    }


def built(builder, frames):
    return builder(*(frames[name] for name in BUILDERS[builder][0]))


def printed(table) -> list[dict[str, str]]:
    """Rows of the CSV file."""
    return list(csv.DictReader(io.StringIO(to_csv(table))))


def chosen(frame: pd.DataFrame, **entries) -> pd.Series:
    for column, entry in entries.items():
        frame = frame[frame[column] == entry]
    assert len(frame) == 1
    return frame.iloc[0]


def three(number: float, sign: str = "") -> str:
    text = f"{number:{sign}.3f}"
    return text.lstrip("+-") if float(text) == 0 else text


@pytest.mark.parametrize("builder", BUILDERS)
def test_every_kind_of_output_holds_every_row_and_no_nan(builder, frames):
    table, (_, rows) = built(builder, frames), BUILDERS[builder]
    assert len(table.rows) == rows
    assert table.name == builder.__name__
    for render in (to_csv, to_markdown, to_latex, to_html):
        assert not re.search(r"\bnan\b", render(table))
    assert to_html(table).count('<th scope="row"') == rows
    keys = [column.key for column in table.columns]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"[a-z0-9_]+", key) for key in keys)


def test_labels_follow_the_page_and_titles_differ(frames):
    tables = [built(builder, frames) for builder in BUILDERS]
    assert [table.label for table in tables] == [f"Table C{number}" for number in range(10, 19)]
    assert len({table.title for table in tables}) == len(tables)


@pytest.mark.parametrize("builder", BUILDERS)
def test_missing_columns_are_named(builder, frames):
    names = BUILDERS[builder][0]
    lost = {"recall_summary": "recall", "robustness": "shifted_accuracy", "published": "rule"}
    for place, name in enumerate(names):
        column = lost.get(name, "correlation" if "correlations" in name else "lower")
        taken = [frames[other] for other in names]
        taken[place] = taken[place].drop(columns=column)
        with pytest.raises(PairedEvalError, match=f"{builder.__name__}: the results lack the column {column}; run"):
            builder(*taken)


@pytest.mark.parametrize("builder", BUILDERS)
def test_notes_say_what_is_averaged_resampled_and_tested(builder, frames):
    notes = " ".join(built(builder, frames).notes)
    if builder not in (table_consistency_published, table_consistency_robustness):
        assert "3 configurations, 6 runs." in notes
    intervals = any(column.kind == "interval" for column in built(builder, frames).columns)
    assert ("1,000 draws of the configurations and of their seeds" in notes) == intervals
    tested = any(column.key.startswith("p_") for column in built(builder, frames).columns)
    assert ("2/2^3 = 0.25" in notes) == (tested and builder is not table_consistency_robustness)


def test_table_c10(frames):
    summary = frames["shift_summary"]
    rows = printed(built(table_consistency_shift, frames))
    assert [row["family"] for row in rows] == FAMILIES
    for row, family in zip(rows, ["all families", "noise", "blur", "weather", "digital"], strict=True):
        for key, score in {"msp": "msp", "ls": "stability", "minus_cd": "deviation", "cs": "consistency"}.items():
            mean = chosen(summary, family=family, score=score, quantity="auroc")["mean"]
            assert row[f"auroc_{key}"] == three(mean)
        for baseline in ("msp", "margin"):
            found = chosen(summary, family=family, score="consistency", quantity=f"minus_{baseline}")
            key = f"cs_minus_{baseline}"
            ends = [row[f"auroc_{key}{end}"] for end in ("", "_lo", "_hi")]
            assert ends == [three(found[name], "+") for name in ("mean", "lower", "upper")]
            assert row[f"p_{key}"] == f"{found['p_value']:.4f}"
            assert row[f"runs_above_zero_{key}_pct"] == f"{100 * found['wins']:.1f}"
    assert rows[0]["cells"] == rows[0]["cells_of"] == str(3 * 2 * 9)


def test_table_c10_says_how_gains_go_with_overconfidence(frames):
    found = chosen(frames["gain_correlations"], gain="consistency_gain", points="corruption")
    note = next(note for note in built(table_consistency_shift, frames).notes if note.startswith("Spearman"))
    number = three(found["correlation"], "+").replace("-", "−")
    assert f"CS − margin: {number} (p = {found['p_value']:.3f}) over 9 corruptions" in note
    flat = frames["gain_correlations"].assign(correlation=math.nan, p_value=math.nan)
    table = table_consistency_shift(frames["shift_summary"], flat)
    assert any("CS − margin: undefined over 9 corruptions" in note for note in table.notes)


def test_cells_without_an_auroc_are_counted(frames):
    lacking = frames["shift_summary"]["family"] == "noise"
    summary = frames["shift_summary"].assign(
        cells=frames["shift_summary"]["cells"].where(~lacking, 4),
        undefined_cells=frames["shift_summary"]["undefined_cells"].where(~lacking, 2),
    )
    rows = printed(table_consistency_shift(summary, frames["gain_correlations"]))
    assert (rows[1]["cells"], rows[1]["cells_of"]) == ("4", "6")


def test_table_c11(frames):
    rows = printed(built(table_consistency_transfer, frames))
    names = {
        "same corruption and severity": "same",
        "clean images": "clean",
        "other families": "other_families",
        "all other corruptions": "leave_one_out",
    }
    assert [row["trained_on"] for row in rows] == [*names] * 5
    assert [row["family"] for row in rows] == [family for family in FAMILIES for _ in names]
    for row in rows:
        key = {"family": row["family"].lower(), "training": names[row["trained_on"]]}
        sides = [chosen(frames["transfer_summary"], **key, quantity=side)["mean"] for side in ("base", "added")]
        assert [row["auroc_base"], row["auroc_added"]] == [three(side) for side in sides]
        gain = chosen(frames["transfer_summary"], **key, quantity="gain")
        assert [row[f"auroc_gain{end}"] for end in ("", "_lo", "_hi")] == [
            three(gain[name], "+") for name in ("mean", "lower", "upper")
        ]
        assert row["p_gain"] == f"{gain['p_value']:.4f}"


def test_table_c11_counts_models_that_do_not_exist(frames):
    summary = frames["transfer_summary"]
    fitted = table_consistency_transfer(summary.assign(unfitted_cells=0))
    assert not any(note.startswith("Without a model") for note in fitted.notes)
    one = (summary["family"] == "all families") & (summary["training"] == "same")
    table = table_consistency_transfer(summary.assign(unfitted_cells=one.astype(int)))
    assert table.notes[-1].endswith("share one outcome: 1 cell.")
    assert any(note.startswith("Noise: one corruption") for note in table.notes)


def test_table_c12(frames):
    rows = printed(built(table_consistency_estimators, frames))
    estimators = ["atc_msp", "atc_cs", "average_confidence", "difference_of_confidences", "average_consistency"]
    for row, estimator in zip(rows, estimators, strict=True):
        for kind, sign in (("absolute_error", ""), ("error", "+")):
            found = chosen(frames["estimator_summary"], family="all families", estimator=estimator, quantity=kind)
            assert [row[f"{kind}{end}"] for end in ("", "_lo", "_hi")] == [
                three(found[name], sign) for name in ("mean", "lower", "upper")
            ]
        for family in ("noise", "blur", "weather", "digital"):
            found = chosen(frames["estimator_summary"], family=family, estimator=estimator, quantity="absolute_error")
            assert row[f"absolute_error_{family}"] == three(found["mean"])


def test_the_note_of_table_c12_on_the_gap_is_true(runs):
    shift = runs["shift"].drop_duplicates(["model", "seed", "condition"])
    estimators = runs["estimators"].query("estimator == 'average_consistency'")
    paired = shift.merge(estimators, on=["model", "seed", "condition"], suffixes=("", "_estimated"))
    assert len(paired) == len(shift)
    assert paired["accuracy"].tolist() == paired["accuracy_estimated"].tolist()


def test_table_c13(frames):
    table = built(table_consistency_robustness, frames)
    rows = printed(table)
    assert [row["family"] for row in rows] == FAMILIES
    for row in rows:
        family = row["family"].lower()
        accuracy = frames["robustness"].query("family == @family")["shifted_accuracy"]
        assert (row["accuracy_lowest"], row["accuracy_highest"]) == (three(accuracy.min()), three(accuracy.max()))
        for relation in ("accuracy", "consistency", "gap_drop"):
            found = chosen(frames["robustness_correlations"], family=family, relation=relation)
            number = "" if math.isnan(found["correlation"]) else three(found["correlation"], "+")
            assert row[f"spearman_{relation}"] == number
    # Three configurations leave a partial correlation no degree of freedom.
    assert {row["spearman_consistency_given_accuracy"] for row in rows} == {""}
    assert table.all_notes[-1].startswith("–: undefined (")
    assert "2/3! = 0.33" in table.notes[-1]


def test_table_c14(frames):
    rows = printed(built(table_consistency_attacks, frames))
    assert [(row["attack"], row["budget_255ths"], row["stability_weight"]) for row in rows] == [
        ("Plain", "2", "0.0"),
        ("Plain", "4", "0.0"),
        ("Plain", "8", "0.0"),
        ("Adaptive", "4", "1.0"),
        ("Adaptive", "4", "5.0"),
    ]
    for row, condition in zip(rows, ["plain-2", "plain-4", "plain-8", "adaptive-4-1", "adaptive-4-5"], strict=True):
        success = chosen(frames["success_summary"], condition=condition, quantity="success")
        assert [row[f"success{end}"] for end in ("", "_lo", "_hi")] == [
            three(success[name]) for name in ("mean", "lower", "upper")
        ]
        changed = chosen(frames["success_summary"], condition=condition, quantity="changed")
        assert row["changed"] == three(changed["mean"])
        for key, score in {"msp": "msp", "cs": "consistency", "minus_displacement": "displacement"}.items():
            found = chosen(frames["attack_summary"], condition=condition, score=score, quantity="detection_auroc")
            assert row[f"detection_{key}"] == three(found["mean"])
        difference = chosen(
            frames["attack_summary"], condition=condition, score="consistency", quantity="detection_minus_msp"
        )
        assert row["detection_cs_minus_msp"] == three(difference["mean"], "+")
        assert row["p_detection"] == f"{difference['p_value']:.4f}"
        errors = chosen(frames["attack_summary"], condition=condition, score="consistency", quantity="error_auroc")
        assert row["errors_cs"] == ("" if math.isnan(errors["mean"]) else three(errors["mean"]))


def test_table_c14_names_attacks_whose_errors_cannot_be_ranked(frames):
    summary = frames["attack_summary"]
    ranked = summary["quantity"].eq("error_auroc") & summary["score"].eq("consistency")
    none = summary.assign(undefined_runs=summary["undefined_runs"].where(~ranked, 0))
    one = none.assign(undefined_runs=none["undefined_runs"].mask(ranked & none["condition"].eq("adaptive-4-5"), 4))
    assert not any(
        note.startswith("Runs without") for note in table_consistency_attacks(none, frames["success_summary"]).notes
    )
    assert table_consistency_attacks(one, frames["success_summary"]).notes[-1] == (
        "Runs without an AUROC of errors, as all attacked images share one outcome: 4 of adaptive 4, weight 5."
    )


def test_table_c15(frames):
    table = built(table_consistency_withheld, frames)
    rows = printed(table)
    assert rows[0]["score"] == "MSP"
    assert rows[0]["auroc_minus_msp"] == rows[0]["p_minus_msp"] == ""
    assert table.undefined == 0
    for row, score in zip(rows, frames["withheld_summary"]["score"].unique(), strict=True):
        found = chosen(frames["withheld_summary"], score=score, quantity="auroc")
        assert [row[f"auroc{end}"] for end in ("", "_lo", "_hi")] == [
            three(found[name]) for name in ("mean", "lower", "upper")
        ]
        if score != "msp":
            difference = chosen(frames["withheld_summary"], score=score, quantity="minus_msp")
            assert row["auroc_minus_msp"] == three(difference["mean"], "+")
            assert row["runs_above_zero_minus_msp_pct"] == f"{100 * difference['wins']:.1f}"
    accuracy = chosen(frames["withheld_summary"], score="msp", quantity="accuracy")["mean"]
    assert f"Accuracy on the other classes: {accuracy:.3f}." in table.notes[0]


def test_table_c16(frames):
    table = built(table_consistency_priors, frames)
    rows = printed(table)
    cases = [
        ("natural", "none"),
        *(("rare", method) for method in ("none", "true_prior", "em", "reweighted")),
    ]
    for row, (variant, method) in zip(rows, cases, strict=True):
        for key, quantity, sign in (("accuracy",) * 2 + ("",), ("ls", "stability", ""), ("cag", "gap", "+")):
            found = chosen(frames["prior_summary"], variant=variant, method=method, quantity=quantity)
            assert row[key] == three(found["mean"], sign)
        gap = chosen(frames["prior_summary"], variant=variant, method=method, quantity="gap")
        assert (row["cag_lo"], row["cag_hi"]) == (three(gap["lower"], "+"), three(gap["upper"], "+"))
    assert [row["cag_recovered"] == "" for row in rows] == [True, True, False, False, False]
    recovered = chosen(frames["prior_summary"], method="em", quantity="recovered")
    assert [rows[3][f"cag_recovered{end}"] for end in ("", "_lo", "_hi")] == [
        three(recovered[name]) for name in ("mean", "lower", "upper")
    ]
    assert [row["rare_prior"] for row in rows][:3] == ["", "0.040", "0.500"]
    assert table.undefined == 0


def test_a_recovered_share_that_does_not_exist_is_undefined_in_table_c16(frames):
    summary = frames["prior_summary"]
    lost = summary["quantity"] == "recovered"
    table = table_consistency_priors(summary.assign(mean=summary["mean"].mask(lost)))
    assert table.undefined == 3


def test_table_c17(frames):
    table = built(table_consistency_recalls, frames)
    rows = printed(table)
    assert [row["class"] for row in rows] == [f"class-{number:02}" for number in range(4)]
    assert [row["rare"] for row in rows] == ["no", "no", "yes", "yes"]
    for row in rows:
        for case in (("natural", "none"), ("rare", "none"), ("rare", "true_prior"), ("rare", "em")):
            variant, method = case
            found = chosen(frames["recall_summary"], variant=variant, method=method, **{"class": row["class"]})
            assert row["images"] == str(found["images"])
            for measure in ("recall", "stability"):
                assert row[f"{variant}_{method}_{measure}"] == three(found[measure])
    assert "few images of class-02 and class-03:" in table.notes[0]


def test_table_c18(frames):
    table = built(table_consistency_published, frames)
    published = frames["published"]
    assert "from other data, models and operators" in table.title
    assert table.notes[0].startswith("Nothing is reproduced here")
    counts = published["direction"].value_counts()
    assert (
        f"{counts['agrees']} agree, {counts['differs']} differ and {counts['not comparable']} cannot" in table.notes[1]
    )
    rows = dict(zip(published["key"], table.rows, strict=True))
    assert rows["detection-augmented"][3] == "0.939 against 0.92"
    assert rows["detection-consistency"][3] == "−0.057"
    assert rows["strength-selected"][3] == "0.952"
    assert rows["bounds-exceeded"][3] == "0"
    ours = published.set_index("key")
    pair = ours.loc["detection-augmented"]
    assert rows["detection-augmented"][4] == f"{pair['ours']:.3f} against {pair['ours_second']:.3f}"
    # A range beside which stands a single number of ours; counts are whole; ratios have one decimal.
    assert rows["bounds-ratio"][3:5] == ("4 to 5", f"{ours.loc['bounds-ratio', 'ours']:.1f}")
    assert rows["certificate-inequality"][4] == "0"
    assert rows["attacks-adaptive-8"][4:6] == ("–", "not comparable")
    assert rows["attacks-changed-8"][4].startswith("– against ")
    for key, row in rows.items():
        assert row[5:8] == tuple(ours.loc[key, ["direction", "rule", "remark"]])


def test_two_numbers_of_ours_always_have_a_relation(frames):
    second = frames["published"]["ours_second"].notna()
    assert (frames["published"].loc[second, "relation"] != "").all()
