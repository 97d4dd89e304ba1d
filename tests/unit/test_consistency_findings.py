"""Published findings beside ours: reading, our values against hand-made tables, and rules of direction."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.consistency.cost import measure_cost
from pairedeval.consistency.finding_rules import EQUAL, ORDER, RULES, UNRELATED, at_least, at_most, near, side_of
from pairedeval.consistency.finding_values import OUR_VALUES, Ours
from pairedeval.consistency.findings import (
    AGREES,
    COLUMNS,
    DIFFERS,
    DIRECTIONS,
    NOT_COMPARABLE,
    RELATIONS,
    REMARKS,
    compare_findings,
    read_findings,
)
from pairedeval.errors import PairedEvalError, RecordsError
from support.consistency_frames import example_frames
from support.consistency_views import example_views


@pytest.fixture(scope="module")
def published(root):
    return read_findings(root / "resources/published/consistency.csv")


@pytest.fixture(scope="module")
def frames():
    return example_frames(("alpha", "beta", "gamma"), images=80, draws=20, severities=["4"])


def rows(columns, *entries):
    """Table of runs: every entry starts with the model and the seed; models are their own groups."""
    table = pd.DataFrame(entries, columns=["model", "seed", *columns.split()])
    table.insert(1, "group", table["model"])
    return table


def ours(key, **tables):
    return list(OUR_VALUES[key](tables).numbers)


def test_every_finding_has_a_value_and_a_rule(published):
    assert published["key"].is_unique
    assert set(published["key"]) == set(OUR_VALUES) == set(RULES)
    assert set(REMARKS) <= set(published["key"])
    assert set(published["relation"]) == {"", *RELATIONS}
    assert ((published["relation"] == "") == published["published_second"].isna()).all()
    assert published[["topic", "statement", "unit", "section"]].ne("").all(axis=None)


def test_numbers_are_read_as_printed(published):
    value = published.set_index("key")["published"]
    assert value["detection-consistency"] == -0.057
    assert value["strength-selected"] == 40 / 42
    assert value["bounds-exceeded"] == 0


def test_pairs_have_the_published_order(published):
    # A rule of order can only agree if the published numbers have one.
    ordered = published[[RULES[key] is ORDER for key in published["key"]]]
    assert (ordered["relation"] == "against").all()
    assert (ordered["published"] != ordered["published_second"]).all()


@pytest.mark.parametrize(
    ("content", "reason"), [("key,published,published_second\na,x,\n", "Invalid literal"), ("", "No columns")]
)
def test_a_damaged_table_is_named(tmp_path, content, reason):
    path = tmp_path / "findings.csv"
    path.write_text(content)
    with pytest.raises(PairedEvalError, match=f"findings.csv: not a readable table of findings .*{reason}"):
        read_findings(path)


@pytest.mark.parametrize(
    ("rule", "published", "numbers", "expected"),
    [
        (side_of(0), (-0.057,), (-0.01,), True),
        (side_of(0), (-0.057,), (0.01,), False),
        (side_of(0), (-0.057,), (0.0,), False),
        (side_of(0), (0.05, 0.11), (-0.01, 0.2), False),
        (side_of(0.5), (0.94,), (0.51,), True),
        (side_of(0.5), (0.09,), (0.51,), False),
        (near(0.5, 0.05), (0.515,), (0.55,), True),
        (near(0.5, 0.05), (0.515,), (0.44,), False),
        (at_most(0.05), (0.003,), (0.05,), True),
        (at_most(0.05), (0.003,), (0.01, 0.06), False),
        (at_least(1), (1.0,), (1.0,), True),
        (at_least(1), (1.0,), (0.99,), False),
        (ORDER, (0.9, 0.8), (0.6, 0.5), True),
        (ORDER, (0.9, 0.8), (0.5, 0.6), False),
        (ORDER, (-0.2, -0.1), (-0.3, 0.1), True),
        (ORDER, (0.9, 0.8), (0.5, 0.5), False),
        (EQUAL, (0.814, 0.814), (0.7, 0.709), True),
        (EQUAL, (0.814, 0.814), (0.72, 0.7), False),
    ],
)
def test_rules(rule, published, numbers, expected):
    assert rule.holds(published, Ours(numbers)) is expected


@pytest.mark.parametrize(
    ("correlation", "p_value", "expected"),
    [(0.2, 0.5, True), (-0.3, 0.01, True), (0.7, 0.04, False), (-0.9, 0.06, None), (0.9, np.nan, None)],
)
def test_a_strong_relation_has_to_be_more_than_chance(correlation, p_value, expected):
    assert UNRELATED.holds((0.08,), Ours((correlation,), p_value)) is expected


DETECTION = rows(
    "score auroc",
    *[("a", 1, "msp", 0.8), ("a", 1, "consistency", 0.7), ("a", 1, "tta_confidence", 0.9)],
    *[("a", 2, "msp", 0.6), ("a", 2, "consistency", 0.5), ("a", 2, "tta_confidence", np.nan)],
    *[("b", 1, "msp", 0.5), ("b", 1, "consistency", 0.9), ("b", 1, "tta_confidence", 0.7)],
)
WEIGHTS = rows(
    "weight evaluation_auroc selected",
    *[("a", 1, 0.0, 0.7, True), ("a", 1, 0.5, 0.6, False), ("a", 1, 1.0, 0.9, False)],
    *[("b", 1, 0.0, 0.2, False), ("b", 1, 0.5, 0.5, True), ("b", 1, 1.0, 0.4, False)],
)
CERTIFICATE = rows(
    "beta realized certified_accuracy accuracy violations",
    *[("a", 1, 0.05, 0.01, 1.0, 0.8, 2), ("a", 1, 0.1, 0.2, 0.9, 0.8, 2)],
    *[("b", 1, 0.05, 0.05, 0.8, 0.6, 1), ("b", 1, 0.1, 0.1, np.nan, 0.6, 1)],
)
SHIFT = rows(
    "condition family score auroc",
    *[("a", 1, "gaussian_noise-2", "noise", "consistency", 0.9), ("a", 1, "gaussian_noise-2", "noise", "margin", 0.7)],
    *[("a", 1, "gaussian_noise-2", "noise", "msp", 0.6), ("a", 1, "fog-2", "weather", "msp", 0.8)],
    *[("a", 1, "gaussian_noise-5", "noise", "consistency", 0.6), ("a", 1, "gaussian_noise-5", "noise", "margin", 0.5)],
    *[("a", 1, "fog-2", "weather", "consistency", 0.3), ("a", 1, "fog-2", "weather", "margin", 0.9)],
    *[("b", 1, "gaussian_noise-2", "noise", "consistency", 0.6), ("b", 1, "gaussian_noise-2", "noise", "margin", 0.6)],
    *[("b", 1, "fog-2", "weather", "consistency", 0.6), ("b", 1, "fog-2", "weather", "msp", 0.6)],
)
ATTACKS = rows(
    "condition epsilon stability_weight score detection_auroc error_auroc changed",
    *[("a", 1, "plain-4", 4.0, 0.0, "consistency", 0.8, 0.1, 0.9), ("a", 1, "plain-4", 4.0, 0.0, "msp", 0.3, 0.1, 0.9)],
    *[
        ("a", 1, "plain-4", 4.0, 0.0, "margin", 0.7, 0.1, 0.9),
        ("a", 1, "plain-4", 4.0, 0.0, "displacement", 0.9, 0, 0.9),
    ],
    *[("b", 1, "plain-4", 4.0, 0.0, "consistency", 0.6, 0.1, 0.7), ("b", 1, "plain-4", 4.0, 0.0, "msp", 0.1, 0.1, 0.7)],
    *[
        ("b", 1, "plain-4", 4.0, 0.0, "margin", 0.7, 0.1, 0.7),
        ("b", 1, "plain-4", 4.0, 0.0, "displacement", 0.5, 0, 0.7),
    ],
    *[
        ("a", 1, "plain-2", 2.0, 0.0, "displacement", 0.8, 0, 0.5),
        ("b", 1, "plain-2", 2.0, 0.0, "displacement", 0.4, 0, 0.5),
    ],
    *[
        ("a", 1, "adaptive-4-5", 4.0, 5.0, "consistency", 0.2, 0.9, 0.1),
        ("a", 1, "adaptive-4-5", 4.0, 5.0, "msp", 0.2, 0.4, 0.1),
    ],
    *[
        ("a", 1, "adaptive-4-1", 4.0, 1.0, "consistency", 0.4, 0.7, 0.3),
        ("a", 1, "adaptive-4-1", 4.0, 1.0, "msp", 0.2, 0.2, 0.3),
    ],
)
PRIORS = rows(
    "variant method gap rare_recall rare_stability",
    *[("a", 1, "rare", "none", -0.4, 0.1, 0.9), ("a", 1, "rare", "true_prior", -0.1, 0.5, 0.8)],
    *[("a", 1, "rare", "em", -0.3, 0.3, 0.8), ("a", 1, "natural", "none", -0.1, 0.9, 0.9)],
    *[("b", 1, "rare", "none", -0.2, 0.3, 0.7), ("b", 1, "rare", "true_prior", 0.3, 0.7, 0.8)],
    *[("b", 1, "rare", "em", -0.1, 0.5, 0.8), ("b", 1, "natural", "none", 0.0, 0.9, 0.9)],
)


@pytest.mark.parametrize(
    ("key", "tables", "expected"),
    [
        ("detection-groups", {"detection": DETECTION}, [0.5]),
        ("detection-augmented", {"detection": DETECTION}, [0.8, 0.6]),
        ("weight-selected", {"weights": WEIGHTS}, [0.05]),
        ("weight-best", {"weights": WEIGHTS}, [0.15]),
        ("certificate-held", {"certificate": CERTIFICATE}, [0.75]),
        ("certificate-largest", {"certificate": CERTIFICATE}, [0.05]),
        ("certificate-accuracy", {"certificate": CERTIFICATE}, [0.9, 0.7]),
        ("certificate-inequality", {"certificate": CERTIFICATE}, [3]),
        ("shift-official", {"shift": SHIFT}, [0.6, 0.65]),
        ("shift-noise", {"shift": SHIFT}, [0.1, 0.1]),
        ("attacks-plain-4", {"attacks": ATTACKS}, [0.7, 0.2]),
        ("attacks-plain-8", {"attacks": ATTACKS}, [np.nan, np.nan]),
        ("attacks-above", {"attacks": ATTACKS[ATTACKS["epsilon"] == 4]}, [0.5]),
        ("attacks-displacement", {"attacks": ATTACKS}, [0.6, 0.7]),
        ("attacks-adaptive-4", {"attacks": ATTACKS}, [0.2]),
        ("attacks-changed-4", {"attacks": ATTACKS}, [0.1, 0.8]),
        ("attacks-errors-consistency", {"attacks": ATTACKS}, [0.7, 0.9]),
        ("attacks-errors-msp", {"attacks": ATTACKS}, [0.2, 0.4]),
        ("priors-natural", {"priors": PRIORS}, [-0.3, -0.05]),
        ("priors-true", {"priors": PRIORS}, [0.1, -0.3]),
        ("priors-estimated", {"priors": PRIORS}, [-0.2, -0.3]),
        ("priors-recovered", {"priors": PRIORS}, [1 + 0.1 / 0.3]),
        ("priors-improved", {"priors": PRIORS}, [0.5]),
        ("priors-recall", {"priors": PRIORS}, [0.6, 0.2]),
        ("priors-stable", {"priors": PRIORS}, [0.8, 0.2]),
    ],
)
def test_our_values_by_hand(key, tables, expected):
    assert ours(key, **tables) == pytest.approx(expected, nan_ok=True)


def test_values_of_summaries(frames):
    difference = frames["detection_differences"].query("score == 'consistency' and measure == 'auroc'")
    assert ours("detection-consistency", **frames) == difference["mean"].tolist()
    models = frames["models"]
    gaps = models.groupby("model")["gap"].mean()
    assert ours("models-gap", **frames) == [(gaps < 0).mean()]
    assert ours("models-seeds", **frames) == [models.groupby("model")["consistency"].std().max()]
    means = models.groupby("model")[["accuracy", "consistency", "calibration_error"]].mean()
    accuracy = OUR_VALUES["models-accuracy"](frames)
    assert accuracy.numbers[0] == pytest.approx(np.corrcoef(means["accuracy"], means["consistency"])[0, 1])
    assert 0 <= accuracy.p_value <= 1
    related = np.corrcoef(means["consistency"], means["calibration_error"])[0, 1]
    assert ours("models-calibration", **frames) == pytest.approx([related])
    assert ours("regimes-tight", **frames) == [(gaps < -0.02).mean()]
    assert ours("regimes-loose", **frames) == [(gaps < -0.1).mean()]
    assert ours("regimes-accuracy", **frames) == [max((gaps > size).mean() for size in (0.02, 0.03, 0.05, 0.1))]
    changing = [len({np.sign(gap) * (abs(gap) > size) for size in (0.02, 0.03, 0.05, 0.1)}) > 1 for gap in gaps]
    assert ours("regimes-changes", **frames) == [np.mean(changing)]
    tau = frames["rankings"].set_index("size")["mean_tau"]
    assert ours("rankings-size", **frames) == [tau[1], tau[5]]


def test_values_of_tables_of_conditions(frames):
    strength = frames["strength"].pivot_table("evaluation_auroc", ["model", "seed"], "level")
    assert ours("strength-levels", **frames) == pytest.approx([strength[1].mean(), strength[5].mean()])
    assert ours("strength-selected", **frames) == [frames["strength"].query("selected")["level"].eq(1).mean()]
    flips = frames["operators"].query("level == 1").groupby("operator")["flip_rate"].mean()
    assert ours("operators-flips", **frames) == pytest.approx([flips["jpeg"], flips["brightness"]])
    bounds = frames["flip_bounds"].groupby("bound")[["mean_bound", "flip_rate", "cells", "exceeded"]].mean()
    assert ours("bounds-lemma", **frames) == pytest.approx(bounds.loc[["lemma", "dkw"], "mean_bound"].tolist())
    dkw = bounds.loc["dkw"]
    assert ours("bounds-ratio", **frames) == pytest.approx([dkw["mean_bound"] / dkw["flip_rate"]])
    assert ours("bounds-exceeded", **frames) == pytest.approx([dkw["exceeded"] / dkw["cells"]])
    errors = frames["estimators"].groupby("estimator")["absolute_error"].mean()
    assert ours("estimators-consistency", **frames) == pytest.approx([errors["atc_cs"], errors["atc_msp"]])
    assert ours("estimators-average", **frames) == pytest.approx([errors["average_confidence"], errors["atc_msp"]])
    information = frames["margin_information"].groupby("model").mean(numeric_only=True).mean()
    assert ours("margin-displacement", **frames) == pytest.approx([information["within_displacement"]])
    assert ours("margin-gain", **frames) == pytest.approx([information["margin_gain"]])


def test_values_of_transfer_and_robustness(frames):
    sides = frames["transfer"].pivot_table("auroc", ["model", "seed", "condition", "family", "training"], "features")
    gain = (sides["added"] - sides["base"]).reset_index(name="gain")
    noise = gain[gain["family"] == "noise"].groupby("training")["gain"].mean()
    for key, training in (("same", "same"), ("clean", "clean"), ("families", "other_families")):
        assert ours(f"transfer-{key}", **frames) == pytest.approx([noise[training]])
    clean = sides.xs("clean", level="training")
    assert ours("transfer-all", **frames) == pytest.approx([clean["added"].mean(), clean["base"].mean()])
    shifted = frames["shift"].groupby("model")["accuracy"].mean().rank()
    original = frames["models"].groupby("model")["accuracy"].mean().rank()
    assert ours("robustness-accuracy", **frames) == pytest.approx([shifted.corr(original)])


def test_all_findings_are_set_beside_ours(published, frames):
    found = compare_findings(published, frames)
    assert found.columns.tolist() == list(COLUMNS)
    assert found["key"].tolist() == published["key"].tolist()
    assert set(found["direction"]) == set(DIRECTIONS)
    assert found[["published", "published_second", "ours", "ours_second"]].dtypes.eq(float).all()
    found = found.set_index("key")
    assert found.loc["certificate-inequality", ["ours", "direction"]].tolist() == [0, AGREES]
    assert found.loc["attacks-adaptive-8", "remark"] == "undefined in this study"
    left_out = found.loc["transfer-left-out"]
    assert (left_out["direction"], left_out["rule"]) == (NOT_COMPARABLE, "")
    assert np.isfinite(left_out["ours"])
    compared = found[found["direction"] != NOT_COMPARABLE]
    assert compared["ours"].notna().all()
    assert compared["rule"].ne("").all()


def test_direction_follows_the_numbers(published):
    def direction(detection):
        return compare_findings(published, {"detection": detection}).set_index("key")["direction"]

    assert direction(DETECTION)["detection-augmented"] == AGREES
    turned = DETECTION.replace({"score": {"msp": "tta_confidence", "tta_confidence": "msp"}})
    assert direction(turned)["detection-augmented"] == DIFFERS


def test_a_study_without_a_table_says_so(published):
    found = compare_findings(published, {"cost": measure_cost(example_views("levels"))}).set_index("key")
    assert found.loc["cost", ["ours", "ours_second", "direction"]].tolist() == [
        pytest.approx(9),
        pytest.approx(9),
        AGREES,
    ]
    others = found.drop(index="cost")
    assert (others["direction"] == NOT_COMPARABLE).all()
    assert others["ours"].isna().all()
    assert found.loc["shift-own", "remark"] == "the study has no table shift"


def test_views_without_cost_are_refused():
    with pytest.raises(RecordsError, match="alpha: the views hold no cost"):
        measure_cost(example_views("rare"))
