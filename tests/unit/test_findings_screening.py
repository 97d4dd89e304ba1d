"""Findings on the choice of images for recapture: exact words for every outcome, on the paper's printed numbers."""

from collections.abc import Mapping

import pandas as pd
import pytest

from pairedeval.report.findings_probes import capture_texts, fact_texts, negative_texts, probe_texts, size_texts
from pairedeval.report.findings_screening import screening_findings
from pairedeval.report.names import notation
from support.screening_frames import differences, means

NAN = float("nan")
S, U, DELTA, RET, G = ("confidence", "corruption_mean", "confidence_decrease", "retention", "predictor_confidence_mean")
TTA, A3, A3_NATURAL = "natural_mean", "alignment_corruption", "alignment_natural"
CS, CS_NATURAL, CD = "corruption_consistency", "natural_consistency", "corruption_deviation"
ES, ES_EXTREME, DIVERSE = ("es", "mild"), ("es", "extreme"), ("diverse", "mild")
BUDGETS = ("recall_10", "recall_20", "recall_30")
Ends = tuple[float, float, float]
# Differences on mild ES at a budget of 20%, with both ends of the model-group interval, and in AUROC.
RECALL_GAPS: Mapping[str, Ends] = {
    S: (0.094, 0.078, 0.106), TTA: (0.076, 0.063, 0.086), "margin": (0.090, 0.070, 0.100),
    "entropy": (0.080, 0.060, 0.090), "agreement": (0.001, -0.010, 0.020), CS: (0.023, 0.012, 0.040),
    CS_NATURAL: (-0.010, -0.020, -0.005), CD: (0.2, 0.1, 0.3),
}  # fmt: skip
AUROC_GAPS: Mapping[str, Ends] = {
    S: (0.076, 0.070, 0.080), TTA: (0.063, 0.058, 0.067), DELTA: (0.086, 0.070, 0.100), RET: (0.031, 0.020, 0.040),
    G: (-0.001, -0.002, 0.001), A3: (-0.020, -0.030, -0.010),
}  # fmt: skip
RECALLS = {S: 0.578, U: 0.672, G: 0.672, A3: 0.654, RET: 0.648, DELTA: 0.568, TTA: 0.596, A3_NATURAL: 0.588}
CONSISTENCIES = {CS: 0.649, CS_NATURAL: 0.682, CD: 0.472}


def classes(frame: pd.DataFrame, size: float = 0.01) -> pd.DataFrame:
    """Add intervals from true classes of one size around the means."""
    return frame.assign(class_lower=frame["mean"] - size, class_upper=frame["mean"] + size)


def gaps(place: tuple[str, str], metric: str, ends: Mapping[str, Ends], **where: str) -> pd.DataFrame:
    return classes(differences({place: {(U, score): values for score, values in ends.items()}}, metric, **where))


def difference_frame(help_auroc: Ends = AUROC_GAPS[S], help_recall: Ends = RECALL_GAPS[S]) -> pd.DataFrame:
    opposite = {"half": "development"}
    parts = [
        gaps(ES, "auroc", {**AUROC_GAPS, S: help_auroc}),
        gaps(ES, "recall_20", {**RECALL_GAPS, S: help_recall}),
        gaps(ES, "recall_10", {S: (0.083, 0.060, 0.100)}),
        gaps(ES, "recall_30", {S: (0.002, -0.001, 0.004)}),
        gaps(ES_EXTREME, "auroc", {S: (0.040, 0.027, 0.056)}),
        gaps(ES_EXTREME, "recall_20", {S: (-0.002, -0.003, -0.001)}),
        gaps(ES, "auroc", {S: (0.078, 0.070, 0.090)}, **opposite),
        gaps(ES, "recall_20", {S: (-0.011, -0.020, 0.030)}, **opposite),
        differences({ES: {(U, "deranged_mean"): (0.299, 0.275, 0.319)}}, images="non_singleton", wins=0.999),
        differences({ES: {(U, "class_mean_correct"): (0.250, 0.240, 0.260)}}, images="class_known"),
    ]
    return pd.concat(parts, ignore_index=True)


def mean_frame() -> pd.DataFrame:
    opposite = {"half": "development"}
    recalls = {score: dict.fromkeys(BUDGETS, RECALLS[score]) for score in RECALLS}
    recalls[A3]["recall_10"] = 0.7
    parts = [means({ES: {score: recalls[score][metric] for score in recalls}}, metric) for metric in BUDGETS]
    parts += [
        means({ES: CONSISTENCIES}, "recall_20"),
        means({ES: {S: 0.778, U: 0.854}, ES_EXTREME: {S: 0.538, U: 0.578}}),
        means({ES: {S: 0.7, U: 0.778}}, **opposite),
        means({ES: {U: 0.853, "deranged_mean": 0.553}}, images="non_singleton"),
        means({ES: {U: 0.850, "class_mean_correct": 0.600}}, images="class_known"),
        *(
            means({("es", "all"): {U: rank, S: rank - 0.1}}, images=third)
            for third, rank in (("low", 0.72), ("mid", 0.68), ("high", 0.65))
        ),
    ]
    return pd.concat(parts, ignore_index=True)


def ceilings() -> pd.DataFrame:
    names = [
        "source",
        "tier",
        "failure_share",
        "ceiling_20",
        "corruption_mean_over_ceiling_20",
        "random_over_ceiling_20",
    ]
    return pd.DataFrame(
        [("es", "mild", 0.167, 0.883, 0.76, 0.25), ("es", "extreme", 0.908, 0.223, 0.947, 0.91)], columns=names
    )


def sizes(full: float = 0.094) -> pd.DataFrame:
    rows = [
        ("es", "corruption", "prefixed", 1, 0.019, -0.009),
        ("es", "corruption", "prefixed", 6, 0.076, 0.063),
        ("es", "corruption", "all", 18, full, full),
        ("es", "corruption", "severity 2", 9, 0.08, 0.08),
        ("es", "natural", "prefixed", 1, 0.001, -0.1),
    ]
    return pd.DataFrame(rows, columns=["source", "pool", "kind", "size", "gain", "gain_lowest"])


def probes(natural: float = 0.596) -> pd.DataFrame:
    rows = [
        ("corruption", "probe", "fog-2", 0.60, NAN), ("corruption", "probe", "fog-4", 0.62, NAN),
        ("corruption", "probe", "snow-2", 0.58, NAN), ("corruption", "probe", "snow-4", 0.55, NAN),
        ("corruption", "type", "fog", 0.63, NAN), ("corruption", "type", "snow", 0.59, NAN),
        ("corruption", "severity", "2", 0.658, 0.0645), ("corruption", "severity", "4", 0.669, 0.1371),
        ("natural", "all", "all", natural, 0.0203), ("clean", "clean", "clean", 0.578, NAN),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["pool", "kind", "name", "recall_20", "error_rate"]).assign(source="es")


def captures(light: float = 0.06, without: float = 0.08) -> pd.DataFrame:
    rows = [
        ("none", 44, 2, 40, 42, 0.094, NAN),
        ("light", 44, 2, 40, 42, light, without),
        ("iso", 44, 2, 40, 42, 0.05, NAN),
    ]
    measured = ["positive_confidence", "positive_natural", "lowest_level_confidence", "lowest_deleted_confidence"]
    return pd.DataFrame(rows, columns=["factor", "conditions", "undefined", *measured]).assign(source="es")


def gains(kind: str, values: Mapping[str, float]) -> pd.DataFrame:
    frame = pd.DataFrame({kind: list(values), "corruption_mean_minus_natural_mean": list(values.values())})
    return frame.assign(source="es", corruption_mean_minus_confidence=0.01)


def models() -> pd.DataFrame:
    return gains("model", {"a": 0.1, "alexnet": -0.00321, "b": 0.0, "c": NAN})


def facts(reversed_fits: int = 1) -> pd.DataFrame:
    values = {
        "spearman_lowest": -0.23, "spearman_median": 0.77, "spearman_highest": 0.91, "fits": 44,
        "reversed_fits": reversed_fits, "predictor_parameterisation_largest": 0.004,
        "cells_without_auroc": 118, "cells_without_auroc_not_extreme": 1,
    }  # fmt: skip
    return pd.DataFrame({"source": "es", "fact": list(values), "value": list(values.values())})


def results(**changes: pd.DataFrame) -> dict[str, pd.DataFrame]:
    frames = {
        "means": mean_frame(), "differences": difference_frame(), "ceilings": ceilings(), "subset_sizes": sizes(),
        "probes": probes(), "captures": captures(), "models": models(), "groups": gains("group", {"g": 0.01}),
        "facts": facts(),
    }  # fmt: skip
    return {f"screening_{name}": frame for name, frame in (frames | changes).items()}


def say(simulated: tuple[str, ...] = (), changing: tuple[str, ...] = (), **changes: pd.DataFrame) -> list[str]:
    return [notation(finding.text, "text") for finding in screening_findings(results(**changes), simulated, changing)]


def test_findings_on_scores():
    texts = say(("es",))
    assert texts[:10] == [
        "Corruption information helps to choose images on mild conditions of ES (simulated). U, the mean probability "
        "of the true class under the 18 corruptions, ranks later failures with an AUROC of 0.854, clean confidence S "
        "with 0.778 (difference +0.076 [+0.070, +0.080]). With a budget of 20% of the images, U finds 67.2% of the "
        "failures and S 57.8% (difference +9.4 points [+7.8, +10.6]). Brackets are 95% intervals from resampled model "
        "groups; that from resampled true classes lies above 0 [+0.066, +0.086] for AUROC and lies above 0 [+8.4, "
        "+10.4] for the failures found.",
        "Tier by tier, the 95% model-group interval of U − S: in AUROC it lies above 0 for mild and extreme on ES "
        "(simulated); in recall at a budget of 20% it lies above 0 for mild on ES (simulated), lies below 0 for "
        "extreme on ES (simulated).",
        "What extreme conditions leave to gain, on average: on ES (simulated) 90.8% of the images fail and a budget of "
        "20% holds at most 22.3% of the failures; U finds 94.7% of this ceiling, a random choice 91.0% in expectation.",
        "Difference U − S in the failures found under mild conditions, by budget: +8.3 points [+6.0, +10.0] at 10%, "
        "+9.4 points [+7.8, +10.6] at 20% and +0.2 points [−0.1, +0.4] at 30% on ES (simulated). The interval lies "
        "above 0 at 10% and 20% on ES (simulated), contains 0 at 30% on ES (simulated).",
        "Of the 6 scores in Figure 3, most failures under mild conditions are found on ES (simulated) by U at 20% and "
        "30%, by g(S, U) at 20% and 30% and by A3 on corruptions at 10%.",
        "Other scores on mild conditions of ES (simulated): U has a higher AUROC than delta (+0.086 [+0.070, +0.100]) "
        "and ret (+0.031 [+0.020, +0.040]), an AUROC not clearly different from that of g(S, U) (−0.001 [−0.002, "
        "+0.001]) and a lower AUROC than A3 on corruptions (−0.020 [−0.030, −0.010]); it has a higher recall at 20% "
        "than margin (+9.0 points [+7.0, +10.0]) and entropy (+8.0 points [+6.0, +9.0]) and a recall at 20% not "
        "clearly different from that of agreement (+0.1 points [−1.0, +2.0]).",
        "At equal inference counts on mild conditions of ES (simulated), the mean over 18 corruptions finds 67.2% of "
        "the failures at a budget of 20%, that over 18 natural transforms 59.6% (difference +7.6 points [+6.3, +8.6], "
        "from true classes [+6.6, +8.6]). Both intervals lie above the 3 points that the protocol set as a practical "
        "effect. In AUROC the difference is +0.063 [+0.058, +0.067]. Scored by A3, the corruptions find 65.4% and the "
        "transforms 58.8%.",
        "An image's own U ranks better than that of another image of its class on mild conditions of ES (simulated): "
        "AUROC 0.853 against 0.553 (difference +0.299 [+0.275, +0.319]), higher in 99.9% of the cells. The mean U of "
        "the class in the other half reaches 0.600 where U reaches 0.850 (difference +0.250 [+0.240, +0.260]).",
        "Among images of similar clean confidence (its lowest, middle and highest third, all conditions), AUROC is U "
        "0.720, 0.680 and 0.650 and S 0.620, 0.580 and 0.550 on ES (simulated).",
        "On mild conditions and the development images, with the roles of the halves exchanged, U − S is +0.078 "
        "[+0.070, +0.090] in AUROC and −1.1 points [−2.0, +3.0] in recall at 20% on ES (simulated), not the same sign "
        "in recall at 20% as on the evaluation half.",
    ]


def test_findings_on_probes_models_and_captures():
    assert say()[10:] == [
        "How many corruptions are enough on mild conditions of ES: the recall at 20% of all 18 differs from that of "
        "clean confidence by +9.4 points, that of random subsets of 1 and 6 by +1.9 and +7.6 points on average. The "
        "average gain is positive from 1 on, that of every subset tried from 6 on; from 6 on, the average is at least "
        "80% of the full gain.",
        "Single probes on mild conditions of ES: 2 of 4 corruptions alone and 1 of 2 types (both severities) find more "
        "failures at a budget of 20% than the 18 natural transforms together; the higher severity finds more than the "
        "lower one in 1 of 2 types. The sets differ in strength as well: mean error rates are 2.0% for natural "
        "transforms, 6.5% for corruptions of severity 2 and 13.7% for corruptions of severity 4.",
        "Consistency (CS) and deviation (CD) of the predictions as scores on mild conditions of ES: the failures found "
        "at a budget of 20% are CS on corruptions 64.9%, CS on transforms 68.2%, CD on corruptions 47.2%, U 67.2% and "
        "S 57.8%. U has a higher recall at 20% than CS on corruptions (+2.3 points [+1.2, +4.0]) and a lower recall at "
        "20% than CS on transforms (−1.0 points [−2.0, −0.5]).",
        "Of 42 mild conditions of ES with failures, the mean difference in recall at 20% over models is positive in 40 "
        "for U − S and 42 for U − TTA18. U − S is positive at every level of light and ISO and is positive with any "
        "one level of light left out.",
        "Where U finds fewer failures on average at a budget of 20% under mild conditions of ES: against S 0 of 4 "
        "models and 0 of 1 group; against TTA18 1 of 3 models (alexnet −0.3 points) and 0 of 1 group.",
        "The fitted predictor g(S) turns the ranking of S around, as its risk rises with confidence, in 1 of 44 fits "
        "on ES. g(S, U) and g(S, delta) hold the same information and differ in AUROC by at most 0.004 on ES.",
        "Within single models, the risks by U and by delta have rank correlations from −0.23 to 0.91 (median 0.77) on "
        "ES. Cells without AUROC, as all their images share one outcome: 118 on ES, of them 1 not extreme.",
    ]


ABOVE, OPEN, BELOW, UNDEFINED = (0.1, 0.05, 0.15), (0.01, -0.1, 0.1), (-0.1, -0.15, -0.05), (NAN, NAN, NAN)


@pytest.mark.parametrize(
    ("auroc", "recall", "start"),
    [
        (ABOVE, ABOVE, "Corruption information helps to choose images on mild"),
        (BELOW, BELOW, "Corruption information chooses images worse than clean confidence on mild"),
        (OPEN, OPEN, "No clear gain or loss from corruption information on mild"),
        (ABOVE, OPEN, "Corruption information helps by one of two measures on mild"),
        (OPEN, BELOW, "Corruption information is worse than clean confidence by one of two measures on mild"),
        (
            BELOW,
            ABOVE,
            "Corruption information helps by one measure and is worse than clean confidence by the other on",
        ),
        (UNDEFINED, UNDEFINED, "Corruption information cannot be judged on mild"),
        (UNDEFINED, ABOVE, "Corruption information helps to choose images on mild"),
    ],
)
def test_the_first_finding_follows_both_measures(auroc, recall, start):
    text = say(differences=difference_frame(auroc, recall))[0]
    assert text.startswith(start)
    assert ("difference undefined" in text) == (UNDEFINED in (auroc, recall))


def test_an_interval_from_classes_that_contains_zero_takes_the_claim_back():
    frame = classes(difference_frame(), 0.085)
    assert say(differences=frame)[0].startswith("Corruption information helps by one of two measures")
    without = frame.assign(class_lower=NAN, class_upper=NAN)
    text = say(differences=without)[0]
    assert text.startswith("Corruption information helps to choose images")
    assert "that from resampled true classes is undefined for AUROC and is undefined for the failures found" in text


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.04, 0.035, 0.05), "It exceeds the 3 points that the protocol set as a practical effect, but not both"),
        ((0.02, 0.01, 0.03), "It does not exceed the 3 points that the protocol set as a practical effect."),
        (BELOW, "It does not exceed the 3 points that the protocol set as a practical effect."),
        (UNDEFINED, "the mean over 18 corruptions finds 67.2%"),
    ],
)
def test_the_practical_effect_is_judged_by_both_intervals(ends, words):
    frame = difference_frame()
    row = (frame["baseline"] == TTA) & (frame["metric"] == "recall_20")
    frame.loc[row, ["mean", "group_lower", "group_upper"]] = ends
    frame.loc[row, ["class_lower", "class_upper"]] = (ends[0] - 0.02, ends[0] + 0.02)
    (text,) = (text for text in say(differences=frame) if text.startswith("At equal inference"))
    assert words in text
    assert ("practical effect" in text) == (ends is not UNDEFINED)


@pytest.mark.parametrize(
    ("ends", "start"),
    [
        (OPEN, "It stays open whether an image's own U ranks better than"),
        (BELOW, "An image's own U ranks worse than that of another image"),
        (UNDEFINED, "Whether the identity of an image matters cannot be judged on mild"),
    ],
)
def test_identity_is_worded_for_every_outcome(ends, start):
    frame = difference_frame()
    frame.loc[frame["baseline"] == "deranged_mean", ["mean", "group_lower", "group_upper"]] = ends
    assert any(text.startswith(start) for text in say(differences=frame))


def test_a_source_without_mild_conditions_is_said_and_left_out():
    extreme = means({("diverse", "extreme"): {S: 0.504, U: 0.512}})
    gap = gaps(("diverse", "extreme"), "auroc", {S: (0.008, -0.006, 0.024)})
    texts = say(means=pd.concat([mean_frame(), extreme]), differences=pd.concat([difference_frame(), gap]))
    assert texts[0] == "No condition of Diverse is mild: the primary comparison says nothing there."
    assert "lies above 0 for mild and extreme on ES, contains 0 for extreme on Diverse" in texts[2]
    assert "on Diverse is undefined" not in texts[2]
    assert not any("mild conditions of Diverse" in text for text in texts)


def test_without_any_mild_condition_little_is_said():
    tiers = {"tier": {"mild": "severe"}}
    frames = {"means": mean_frame().replace(tiers), "differences": difference_frame().replace(tiers)}
    empty = {"subset_sizes": sizes(), "probes": probes(), "captures": captures(), "models": models()}
    texts = say(**frames, **{name: frame.iloc[:0] for name, frame in empty.items()})
    assert texts[0] == "No condition of ES is mild: the primary comparison says nothing there."
    starts = ("Tier by tier", "What extreme", "Among images", "The fitted predictor", "Within single models")
    assert [text.startswith(start) for text, start in zip(texts[1:], starts, strict=True)] == [True] * 5


def test_no_text_prints_what_is_not_a_number():
    for source in (say(("es",)), say(differences=difference_frame(UNDEFINED, UNDEFINED))):
        assert not any("nan" in text.lower() or "None" in text for text in source)


def test_natural_transforms_that_change_the_class_are_named():
    assert any("flip may turn an image into another class" in text for text in say(changing=("flip",)))


def test_every_finding_names_its_file():
    files = {finding.file for finding in screening_findings(results())}
    named = ("means", "differences", "ceilings", "subset_sizes", "probes", "captures", "models", "facts")
    assert files == {f"analyses/screening_{name}.parquet" for name in named}


@pytest.mark.parametrize(
    ("full", "end"),
    [
        (-0.004, "Even all together have no positive gain."),
        (0.0, "Even all together have no positive gain."),
        (0.096, "of every subset tried from 6 on; from 18 on, the average is at least 80% of the full gain."),
    ],
)
def test_enough_corruptions(full, end):
    assert size_texts(sizes(full), ())[0].endswith(end)


def test_nothing_is_counted_against_an_undefined_recall():
    assert size_texts(sizes(NAN), ()) == []
    assert probe_texts(probes(NAN), ()) == []


def test_captures_name_the_settings_without_a_gain():
    text = capture_texts(captures(-0.008, -0.001), ())[0]
    assert text.endswith(
        "{U} − {S} is positive at every level of ISO, is not positive at some level of light (lowest −0.8 points) "
        "and is not positive with some level of light (lowest −0.1 points) left out."
    )


def test_many_negative_models_are_counted():
    several = gains("model", {name: -0.01 * place for place, name in enumerate("abcdef")})
    text = negative_texts(several, gains("group", {"g": -0.02, "h": 0.1}), {"es"})[0]
    named = "f −5.0 points, e −4.0 points, d −3.0 points and 2 more"
    assert f"against {{TTA18}} 5 of 6 models ({named}) and 1 of 2 groups (g −2.0 points)." in text


def test_facts_of_sources_that_agree_are_told_once():
    both = pd.concat([facts(), facts(0).assign(source="diverse")])
    first, second = fact_texts(both, ())
    assert "in 1 of 44 fits on ES and 0 of 44 fits on Diverse" in first
    assert "from −0.23 to 0.91 (median 0.77) on ES and Diverse." in second
