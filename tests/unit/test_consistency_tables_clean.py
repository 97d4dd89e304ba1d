"""Layout of Tables C1 to C9, on simulated configurations and on hand-made numbers."""

import csv
import inspect
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pairedeval.consistency.certificate import summarise_certificate
from pairedeval.consistency.detection import summarise_detection
from pairedeval.consistency.flip_bounds import summarise_flip_bounds
from pairedeval.consistency.margin_information import CHANCE, summarise_margin_information
from pairedeval.consistency.margins import inequality_check, summarise_inequality
from pairedeval.consistency.operators import summarise_operators
from pairedeval.consistency.reference import correlate_models, summarise_models
from pairedeval.consistency.regimes import count_regimes
from pairedeval.consistency.scores import SCORES
from pairedeval.consistency.shift import ALL_FAMILIES, FAMILIES
from pairedeval.consistency.strength import summarise_strength, summarise_weights
from pairedeval.consistency.views import LEVELS, OPERATORS
from pairedeval.errors import PairedEvalError
from pairedeval.perturb.operator_table import read_operators
from pairedeval.perturb.operators import audit_operators
from pairedeval.report.consistency_words import FAMILY_NAMES, OPERATOR_NAMES, SCORE_NAMES
from pairedeval.report.names import notation
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.tables_consistency_clean import (
    table_consistency_detection,
    table_consistency_reference,
    table_consistency_regimes,
)
from pairedeval.report.tables_consistency_margin import (
    KIND_WORDS,
    table_consistency_bounds,
    table_consistency_certificate,
    table_consistency_margin,
)
from pairedeval.report.tables_consistency_operators import (
    table_consistency_cost,
    table_consistency_operators,
    table_consistency_strength,
)
from support.consistency_frames import MODELS, example_frames
from support.consistency_views import KINDS, example_views

BUILDERS = {
    "C1": table_consistency_reference,
    "C2": table_consistency_regimes,
    "C3": table_consistency_operators,
    "C4": table_consistency_detection,
    "C5": table_consistency_cost,
    "C6": table_consistency_strength,
    "C7": table_consistency_margin,
    "C8": table_consistency_certificate,
    "C9": table_consistency_bounds,
}
ROWS = {"C1": 4, "C2": 4, "C3": 30, "C4": 12, "C5": 4, "C6": 5, "C7": 11, "C8": 5, "C9": 3}
REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    return summaries(example_frames(draws=20, severities=("2",)))


def summaries(found: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    checks = [inequality_check(example_views(kind, "alpha", "a", images=40)) for kind in KINDS]
    images = list(np.random.default_rng(0).integers(0, 256, (3, 8, 8, 3)).astype(np.uint8))
    operators = read_operators(REPOSITORY / "resources/conditions/operators.csv")
    return {
        "models": found["models"],
        "model_summaries": summarise_models(found["models"]),
        "model_correlations": correlate_models(found["models"]),
        "regimes": found["regimes"],
        "regime_counts": count_regimes(found["regimes"]),
        "operator_summary": summarise_operators(found["operators"]),
        "operator_audit": audit_operators(images, ["a", "b", "c"], operators, seed=1),
        "rankings": found["rankings"],
        "detection_summary": summarise_detection(found["detection"]),
        "detection_differences": found["detection_differences"],
        "cost": found["cost"],
        "strength_summary": summarise_strength(found["strength"]),
        "weight_summary": summarise_weights(found["weights"]),
        "margin_summary": summarise_margin_information(found["margin_information"], seed=1),
        "certificate_summary": summarise_certificate(found["certificate"]),
        "inequality_summary": summarise_inequality(pd.concat(checks)),
        "bound_summary": summarise_flip_bounds(found["flip_bounds"]),
    }


def build(number, frames, **changed):
    builder = BUILDERS[number]
    return builder(**{name: (frames | changed)[name] for name in inspect.signature(builder).parameters})


def printed(table) -> list[dict[str, str]]:
    return list(csv.DictReader(to_csv(table).splitlines()))


def notes(table) -> str:
    return " ".join(notation(note, "text") for note in table.all_notes)


def test_every_score_operator_and_family_has_a_name():
    assert tuple(SCORE_NAMES) == (*SCORES, "displacement")
    assert tuple(OPERATOR_NAMES) == OPERATORS
    assert tuple(FAMILY_NAMES) == (*FAMILIES, ALL_FAMILIES)
    assert set(KIND_WORDS) == set(KINDS)
    assert len({name.key for name in SCORE_NAMES.values()}) == len(SCORE_NAMES)


@pytest.mark.parametrize("number", BUILDERS)
@pytest.mark.parametrize("render", [to_markdown, to_latex, to_html, to_csv])
def test_all_kinds_of_output_can_be_written(frames, number, render):
    text = render(build(number, frames))
    assert not re.search(r"\b(nan|None|inf)\b", text)
    assert not re.search(r"\d\.0 (configurations|runs|images)", text)


def test_tables_are_numbered_and_named_apart(frames):
    tables = {number: build(number, frames) for number in BUILDERS}
    assert {number: len(table.rows) for number, table in tables.items()} == ROWS
    assert len({table.title for table in tables.values()}) == len(tables)
    for number, table in tables.items():
        assert (table.name, table.label) == (BUILDERS[number].__name__, f"Table {number}")
        assert table.title.endswith(".")
        assert all(note.endswith(".") for note in table.all_notes)
        assert len({column.key for column in table.columns}) == len(table.columns)


@pytest.mark.parametrize("number", BUILDERS)
def test_a_script_and_a_caption_stand_beside_each_table(number):
    name, frames = BUILDERS[number].__name__, list(inspect.signature(BUILDERS[number]).parameters)
    script = (REPOSITORY / f"workflow/scripts/{name}.py").read_text(encoding="utf-8")
    assert re.findall(r"snakemake\.input\.(\w+)", script) == frames
    assert f'"""Table {number}: ' in script
    assert (REPOSITORY / f"workflow/report/{name}.rst").read_text(encoding="utf-8").strip()


@pytest.mark.parametrize("number", BUILDERS)
def test_missing_columns_are_named(frames, number):
    builder = BUILDERS[number]
    for name in inspect.signature(builder).parameters:
        with pytest.raises(PairedEvalError, match=f"{builder.__name__}: the results lack the column"):
            build(number, frames, **{name: pd.DataFrame({"other": [1]})})


def test_reference_prints_the_means_of_each_configuration(frames):
    table = build("C1", frames)
    runs = frames["models"].set_index("model")
    for row in printed(table):
        gap, score = runs.loc[row["model"], "gap"], runs.loc[row["model"], "consistency"]
        assert row["cag"] == f"{gap.mean():+.3f}"
        assert row["cs"] == f"{score.mean():.3f}"
        assert row["cs_sd"] == f"{score.std():.3f}"
        assert row["seeds"] == "2"
    found = frames["model_correlations"].iloc[0]
    assert f"r = {found['correlation']:+.3f} (p = {found['p_value']:.3f}) over 4 configurations" in notes(table)


def test_reference_of_two_configurations_with_one_seed_says_what_is_undefined(frames):
    models = frames["models"]
    few = models[(models["seed"] == 1) & models["model"].isin(MODELS[:2])]
    table = build("C1", frames, model_summaries=summarise_models(few), model_correlations=correlate_models(few))
    assert [row["cs_sd"] for row in printed(table)] == ["", ""]
    assert "no correlation over 2 configurations, fewer than three or without spread" in notes(table)
    assert table.undefined == 4


def test_regimes_count_configurations_and_name_those_that_change():
    gaps = {"stable": -0.2, "middle": -0.04, "sharp": 0.3}
    named = [
        (model, tolerance, gap, regime, model == "middle")
        for tolerance in (0.02, 0.05)
        for (model, gap), regime in zip(
            gaps.items(),
            (
                "consistency-dominant",
                "consistency-dominant" if tolerance < 0.04 else "balanced",
                "accuracy-dominant",
            ),
            strict=True,
        )
    ]
    regimes = pd.DataFrame(named, columns=["model", "tolerance", "gap", "regime", "changes"])
    table = table_consistency_regimes(regimes, count_regimes(regimes))
    assert to_csv(table).splitlines()[1:] == ["0.02,2,3,0,3,1,3", "0.05,1,3,1,3,1,3"]
    assert "CAG lies between −0.200 (stable) and +0.300 (sharp)." in table.notes
    assert "Configurations that change regime between these tolerances: 1 of 3 (middle)." in table.notes
    steady = regimes[regimes["model"] != "middle"]
    assert "between these tolerances: 0 of 2." in notes(table_consistency_regimes(steady, count_regimes(steady)))


def test_operators_join_audit_and_outputs(frames):
    table = build("C3", frames)
    rows = printed(table)
    assert [(row["operator"], row["level"]) for row in rows] == [
        (OPERATOR_NAMES[operator], str(level)) for operator in OPERATORS for level in LEVELS
    ]
    assert [row["strength"] for row in rows[-5:]] == ["75", "60", "45", "30", "15"]
    key = {"operator": "blur", "level": 4}
    audit, seen = (
        frames[name][(frames[name]["operator"] == key["operator"]) & (frames[name]["level"] == key["level"])].iloc[0]
        for name in ("operator_audit", "operator_summary")
    )
    row = rows[8]
    assert row["input_distance"] == f"{audit['mean_distance']:.3f}"
    assert row["flip_rate_max"] == f"{seen['highest_flip_rate']:.3f}"
    assert row["displacement"] == f"{seen['mean_displacement']:.3f}"
    tau = frames["rankings"].set_index("size")["mean_tau"]
    assert f"{tau[1]:+.3f} (lowest " in notes(table)
    assert "over 3 images" in notes(table)


def test_rankings_that_cannot_be_compared_are_said_so(frames):
    alone = frames["rankings"].assign(mean_tau=np.nan, lowest_tau=np.nan, configurations=1)
    assert "cannot be compared: fewer than two, or all equal" in notes(build("C3", frames, rankings=alone))
    partly = frames["rankings"].assign(undefined=[2, 0, 0, 0, 0])
    assert "2 sets without a tau left out." in notes(build("C3", frames, rankings=partly))


def test_detection_sets_every_score_beside_msp(frames):
    table = build("C4", frames)
    rows = {row["score"]: row for row in printed(table)}
    assert list(rows) == [SCORE_NAMES[score].symbol for score in SCORES]
    assert rows["MSP"]["auroc_minus_msp"] == rows["MSP"]["aurc_p_holm"] == ""
    assert table.undefined == 0
    assert (rows["MSP"]["forward_passes"], rows["CS"]["forward_passes"]) == ("1", "7")
    differences = frames["detection_differences"].set_index(["score", "measure"])
    found = differences.loc[("consistency", "auroc")]
    assert rows["CS"]["auroc_minus_msp"] == f"{found['mean']:+.3f}"
    assert rows["CS"]["auroc_minus_msp_lo"] == f"{found['lower']:+.3f}"
    assert rows["CS"]["aurc_dz"] == f"{differences.loc[('consistency', 'aurc'), 'effect_size']:.2f}"
    tests = differences.loc[("stability", "aurc")]
    assert tests["p_value"] < tests["p_holm"]
    assert rows["LS"]["aurc_p_value"] == f"{tests['p_value']:.4f}"
    assert rows["LS"]["aurc_p_holm"] == f"{tests['p_holm']:.4f}"
    assert "With 4 configurations no p-value of the signed-rank test can be below 2/2^4 = 0.125." in notes(table)
    assert "adjusted for the 11 scores" in notes(table)
    assert "left out of an interval" not in notes(table)


def test_detection_counts_groups_below_msp_and_what_is_undefined(frames):
    summary, differences = frames["detection_summary"].copy(), frames["detection_differences"]
    groups = summary["group"] != "all"
    summary.loc[groups, "auroc"] = 0.8
    summary.loc[groups & (summary["score"] == "consistency"), "auroc"] = [0.7, 0.79, 0.8, 0.9]
    summary.loc[summary["group"] == "b", "auroc"] = np.nan
    summary.loc[summary["group"] == "all", "undefined"] = 3
    table = build("C4", frames, detection_summary=summary, detection_differences=differences.assign(undefined_draws=2))
    assert "a mean AUROC below that of MSP, of 3: LS in 0, −CD in 0, CS in 1, " in notes(table)
    assert "3 of 8 runs lack an AUROC and leave the means" in notes(table)
    assert "Up to 2 draws without a difference are left out of an interval." in table.notes


def test_cost_is_in_milliseconds():
    cost = pd.DataFrame(
        {
            "model": ["a", "b"],
            "group": ["g", "g"],
            "single_seconds": [0.001, 0.002],
            "views_seconds": [0.0085, 0.0304],
            "ratio": [8.5, 15.2],
        }
    )
    table = table_consistency_cost(cost)
    assert to_csv(table).splitlines()[1:] == ["a,g,1.000,8.500,8.5", "b,g,2.000,30.400,15.2"]
    assert "The time is 8.5 to 15.2 times that of one pass." in notes(table)
    assert "The time is 8.5 times that of one pass." in notes(table_consistency_cost(cost.iloc[:1]))


def test_strength_prints_choices_and_the_weight(frames):
    table = build("C6", frames)
    chosen = frames["strength_summary"]["selected"]
    assert [row["selected_runs"] for row in printed(table)] == [str(number) for number in chosen]
    assert {row["selected_runs_of"] for row in printed(table)} == {"8"}
    weights = frames["weight_summary"].set_index("weight")
    assert f"the AUROC of CS is {weights.loc[0.5, 'evaluation_auroc']:.3f} with 0.5 for all runs" in notes(table)
    best = weights["evaluation_auroc"]
    assert f"at most {best.max():.3f}, with {best.idxmax():g}." in notes(table)
    for weight, number in weights["selected"].items():
        assert (f"{weight:g} in {number} run" in notes(table)) == bool(number)


def test_strength_without_errors_has_no_choice(frames):
    empty = {"calibration_auroc": np.nan, "evaluation_auroc": np.nan, "selected": 0, "undefined": 8}
    table = build(
        "C6",
        frames,
        strength_summary=frames["strength_summary"].assign(**empty, msp_auroc=np.nan),
        weight_summary=frames["weight_summary"].assign(**empty),
    )
    assert "8 of 8 runs lack one of these AUROCs" in notes(table)
    assert "Weight of LS" not in notes(table)
    assert table.undefined == 15


def test_margin_has_every_quantity_with_its_reference_value(frames):
    table = build("C7", frames)
    summary = frames["margin_summary"].set_index("quantity")
    order = list(CHANCE)
    order.insert(order.index("confidence_added") + 1, order.pop(order.index("confidence_gain")))
    assert len(table.rows) == len(CHANCE)
    for row, quantity in zip(printed(table), order, strict=True):
        found = summary.loc[quantity]
        assert row["value"] == ("" if np.isnan(found["mean"]) else f"{found['mean']:.3f}")
        assert row["without_information"] == f"{CHANCE[quantity]:.1f}"
        assert (row["runs"], row["runs_of"]) == (str(int(found["runs"])), "8")
    assert "2/2^4 = 0.125" in notes(table)


def test_certificate_prints_guarantee_and_inequality(frames):
    table = build("C8", frames)
    summary = frames["certificate_summary"]
    rows = printed(table)
    assert [row["beta"] for row in rows] == ["0.01", "0.02", "0.05", "0.10", "0.20"]
    assert [row["coverage"] for row in rows] == [f"{share:.3f}" for share in summary["coverage"]]
    # Sixty calibration images allow no threshold for the smallest beta.
    assert (rows[0]["runs_without_threshold"], rows[0]["accuracy_certified"]) == ("8", "")
    for row in frames["inequality_summary"].to_dict("records"):
        assert f"{KIND_WORDS[row['kind']]} 0 of {row['flips']:,} flips among {row['comparisons']:,} views" in notes(
            table
        )


def test_certificate_tells_violations_and_missing_flips(frames):
    rows = [("levels", 6, 100, 1, 1, -2.5), ("rare", 6, 40, 0, 0, np.nan)]
    names = ["kind", "runs", "comparisons", "flips", "violations", "smallest_slack"]
    summary = frames["certificate_summary"].assign(above=2, largest_realized=0.3)
    table = build("C8", frames, certificate_summary=summary, inequality_summary=pd.DataFrame(rows, columns=names))
    words = (
        "clean images 1 of 1 flip among 100 views, the smallest slack −2.5; "
        "clean images, models with rare classes 0 of 0 flips among 40 views."
    )
    assert words in notes(table)
    assert (printed(table)[0]["runs_above_beta"], printed(table)[0]["certified_and_flipped_max"]) == ("2", "0.3000")


def test_bounds_print_cells(frames):
    table = build("C9", frames)
    for row, found in zip(printed(table), frames["bound_summary"].to_dict("records"), strict=True):
        assert row["mean_bound"] == f"{found['mean_bound']:.3f}"
        assert row["bound_over_flips"] == f"{found['ratio']:.1f}"
        assert (row["cells_trivial"], row["cells_trivial_of"]) == (str(found["trivial"]), str(found["cells"]))
    assert "4 configurations, 8 runs." in notes(table)
