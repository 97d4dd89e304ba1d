"""Findings on decision consistency: their numbers are those of the frames, and every outcome has its words."""

import re

import pandas as pd
import pytest

from pairedeval.consistency.priors import ESTIMATED, RARE, TRUE_PRIOR
from pairedeval.consistency.statistics import COLUMNS
from pairedeval.report.consistency_evidence import evidence_of
from pairedeval.report.findings_certificate import certificate_findings, margin_findings, margin_topic
from pairedeval.report.findings_consistency import (
    consistency_findings,
    detection_findings,
    measure_findings,
    published_findings,
)
from pairedeval.report.findings_misled import attack_findings, prior_findings, shift_findings, withheld_findings
from pairedeval.report.names import SYMBOLS
from support.consistency_results import example_results

NAN = float("nan")
# Intervals that lie above zero, on both sides of it, below, and nowhere.
PLACES = {
    "above": (0.2, 0.1, 0.3),
    "open": (0.01, -0.1, 0.1),
    "below": (-0.2, -0.3, -0.1),
    "undefined": (NAN, NAN, NAN),
}
TOPICS = [
    "What consistency measures",
    "Finding errors on clean images",
    "Why it adds little: margin and displacement",
    "The certificate",
    "Where confidence is misled: shift",
    "Where confidence is misled: attacks",
    "Where confidence is misled: unknown classes",
    "Class priors",
    "Beside the published findings",
]


@pytest.fixture
def results(root) -> dict[str, pd.DataFrame]:
    return example_results(str(root / "resources/published/consistency.csv"))


def placed(frame: pd.DataFrame, place: str, chance: float = 0.0, **keys: object) -> pd.DataFrame:
    """Move the interval of the rows with some keys."""
    chosen = pd.Series(data=True, index=frame.index)
    for column, value in keys.items():
        chosen &= frame[column] == value
    assert chosen.any()
    moved = frame.copy()
    moved.loc[chosen, ["mean", "lower", "upper"]] = [end + chance for end in PLACES[place]]
    if place == "undefined":
        moved.loc[chosen, ["configurations", "runs"]] = 0
    return moved


def texts(findings) -> str:
    return "\n".join(finding.text for finding in findings)


def words(frame: pd.DataFrame, chance: float = 0.0, **keys: object) -> str:
    """Write a mean with its interval, from the one row with some keys and without the report's code."""
    row = frame
    for column, value in keys.items():
        row = row[row[column] == value]
    (mean, lower, upper) = (float(row[name].item()) for name in ("mean", "lower", "upper"))
    sign = "" if chance else "+"
    written = [f"{number:{sign}.3f}".replace("-", "−") for number in (mean, lower, upper)]
    written = [number if float(number.replace("−", "-")) else "0.000" for number in written]
    return f"{written[0]} [{written[1]}, {written[2]}]"


def test_topics_come_in_order_and_end_with_a_conclusion(results):
    found = consistency_findings(results)
    assert list(found) == [margin_topic(results["margin_summary"]) if "margin" in topic else topic for topic in TOPICS]
    for findings in found.values():
        assert findings[-1].text.startswith("In short, ")
        assert sum(finding.text.startswith("In short") for finding in findings) == 1


def test_every_file_is_one_that_the_page_reads(results):
    for findings in consistency_findings(results).values():
        for finding in findings:
            stem = re.fullmatch(r"consistency/(\w+)\.parquet", finding.file)[1]
            assert stem in results


def test_sentences_are_whole(results):
    for findings in consistency_findings(results).values():
        for finding in findings:
            assert finding.text.endswith(".")
            assert not re.search(r"\bnan\b|None|  |\.\.|reproduces", finding.text)
            assert not any(f"{{{symbol}}}" in finding.text for symbol in SYMBOLS)


def test_nothing_breaks_where_everything_is_undefined(results):
    for name, frame in results.items():
        if {"mean", "lower", "upper"} <= set(frame):
            frame[["mean", "lower", "upper"]] = NAN
            frame[["configurations", "runs"]] = 0
        for column in ("correlation", "p_value", "auroc", "evaluation_auroc", "certified_accuracy", "recall"):
            if column in frame:
                results[name][column] = NAN
    for topic, findings in consistency_findings(results).items():
        text = texts(findings)
        assert not re.search(r"\bnan\b", text), (topic, text)
        assert findings[-1].text.startswith("In short, ")


def test_models_and_operators(results):
    models, operators = results["model_summaries"], results["operator_summary"]
    text = texts(measure_findings(results))
    best = models.loc[models["accuracy"].idxmax()]
    assert f"to {best['accuracy']:.3f} ({best['model']})" in text
    negative = int((models["gap"] < 0).sum())
    assert f"below zero for {negative} of {len(models)}" in text
    least = operators[operators["level"] == 1].nsmallest(1, "flip_rate").iloc[0]
    assert f"from {100 * least['flip_rate']:.1f}%" in text
    # The made-up audit puts noise first.
    assert "At level 1 noise changes the images most" in text
    counts = results["regime_counts"]
    tight = counts[(counts["tolerance"] == 0.02) & (counts["regime"] == "consistency-dominant")].iloc[0]
    assert f"{tight['configurations']} of {tight['of']} consistency-dominant" in text


@pytest.mark.parametrize(
    ("correlation", "p_value", "end"),
    [
        (0.8, 0.01, "more accurate configurations are also more consistent."),
        (-0.8, 0.01, "more accurate configurations are less consistent."),
        (0.8, 0.2, "no relation of CS to accuracy over configurations is clear of chance."),
        (NAN, NAN, "no relation of CS to accuracy over configurations is clear of chance."),
    ],
)
def test_what_consistency_measures_ends_with_its_relation_to_accuracy(results, correlation, p_value, end):
    results["model_correlations"].loc[0, ["correlation", "p_value"]] = [correlation, p_value]
    assert measure_findings(results)[-1].text.endswith(end)


def test_the_gap_and_the_regimes_can_turn_out_otherwise(results):
    results["model_summaries"]["gap"] = 0.1
    results["regime_counts"]["changing"] = 0
    text = texts(measure_findings(results))
    assert "is below zero for 0 of 4" in text
    assert "lies at 0.100 throughout" in text
    assert "none changes between tolerances" in text


def test_detection(results):
    summary, differences = results["detection_summary"], results["detection_differences"]
    text = texts(detection_findings(results))
    together = summary[summary["group"] == "all"].set_index("score")["auroc"]
    assert f"an AUROC of {together['consistency']:.3f}, the largest softmax probability MSP with" in text
    assert f"The difference is {words(differences, score='consistency', measure='auroc')}" in text
    assert f"it is {words(differences, score='consistency', measure='aurc')}" in text
    assert "over 4 configurations and 8 runs" in text
    assert "2/2^4 = 0.125" in text
    single = summary[summary["group"] != "all"].pivot_table("auroc", "group", "score")
    worse = int((single["consistency"] < single["msp"]).sum())
    assert f"worse than MSP in {worse} of 4 groups." in text
    strength = results["strength_summary"].set_index("level")
    assert f"choose level 1 in {strength.loc[1, 'selected']} of 8 runs" in text
    assert "time over that of one pass lies at 9.0 throughout" in text


@pytest.mark.parametrize(
    ("place", "end"),
    [
        ("above", "on clean images CS finds errors better than MSP, for 7 forward passes instead of one."),
        ("open", "CS restates confidence, for 7 forward passes instead of one."),
        ("below", "worse than MSP, for 7 forward passes instead of one: confidence is better and cheaper."),
        ("undefined", "nothing can be said: no run has both errors and right predictions."),
    ],
)
def test_detection_concludes_from_the_interval(results, place, end):
    frame = placed(results["detection_differences"], "open", score="consistency", measure="aurc")
    results["detection_differences"] = placed(frame, place, score="consistency", measure="auroc")
    assert detection_findings(results)[-1].text.endswith(end)


def test_a_contrary_risk_coverage_curve_is_told(results):
    frame = placed(results["detection_differences"], "below", score="consistency", measure="auroc")
    results["detection_differences"] = placed(frame, "below", score="consistency", measure="aurc")
    assert detection_findings(results)[-1].text.endswith("The risk-coverage curve says the opposite.")


def test_scores_are_sorted_by_their_intervals(results):
    frame = placed(results["detection_differences"], "open")
    frame = placed(frame, "above", score="tta_confidence")
    results["detection_differences"] = placed(frame, "below", score="energy")
    text = texts(detection_findings(results))
    assert "clearly better than MSP: TTA confidence; open: margin," in text
    assert "; clearly worse: energy." in text


def test_groups_without_errors_are_left_out_and_counted(results):
    summary = results["detection_summary"]
    summary.loc[summary["group"] == "a", "auroc"] = NAN
    assert "of 3 groups; 1 group without errors left out." in texts(detection_findings(results))


def test_the_best_weight(results):
    weights = results["weight_summary"]
    weights["evaluation_auroc"] = 0.8
    weights.loc[weights["weight"].round(1) == 0.7, "evaluation_auroc"] = 0.81
    assert "themselves, 0.7, changes this AUROC by +0.010 against" in texts(detection_findings(results))
    weights.loc[weights["weight"].round(1) == 0.5, "evaluation_auroc"] = 0.9
    assert "No other weight of LS in CS is better" in texts(detection_findings(results))


def test_margin(results):
    margins = results["margin_summary"]
    text = texts(margin_findings(margins))
    assert f"AUROC of {words(margins, 0.5, quantity='within_displacement')} and LS with" in text
    assert f"changes that by {words(margins, quantity='confidence_gain')}." in text
    assert f"rank correlation of {words(margins, quantity='margin_stability_correlation')}." in text


def test_few_confident_errors_are_told(results):
    margins = placed(results["margin_summary"], "undefined", quantity="confident_stability")
    assert "In no run do the predictions with an MSP of at least 0.9 hold both" in texts(margin_findings(margins))
    margins = placed(margins, "open", 0.5, quantity="confident_stability")
    margins.loc[margins["quantity"] == "confident_stability", ["runs", "undefined_runs"]] = [6, 2]
    assert "(2 of 8 runs have no errors there)" in texts(margin_findings(margins))


@pytest.mark.parametrize(
    ("gain", "fixed", "topic", "start", "end"),
    [
        (
            "above",
            "above",
            "What it adds: ",
            "consistency carries something",
            "do move farther than right predictions.",
        ),
        ("open", "open", "Why it adds little: ", "no gain from consistency", "do not clearly move farther"),
        ("below", "below", "Why it adds little: ", "gets worse by adding", "move less than right predictions."),
        ("undefined", "undefined", "Margin and", "is undefined here", "cannot be judged."),
    ],
)
def test_margin_concludes_from_both_intervals(results, gain, fixed, topic, start, end):
    margins = placed(results["margin_summary"], gain, quantity="confidence_gain")
    margins = placed(margins, fixed, 0.5, quantity="within_displacement")
    assert margin_topic(margins).startswith(topic)
    conclusion = margin_findings(margins)[-1].text
    assert start in conclusion
    assert end in conclusion


def test_certificate(results):
    certificates, inequality = results["certificate_summary"], results["inequality_summary"]
    text = texts(certificate_findings(results))
    row = certificates[certificates["beta"] == 0.05].iloc[0]
    assert f"covers {100 * row['coverage']:.1f}% of the evaluation images" in text
    assert f"{row['above']:.0f} of {row['runs']:.0f} runs exceed beta" in text
    assert f"Of {inequality['flips'].sum():,} flips in {inequality['comparisons'].sum():,} comparisons" in text
    assert "none breaks this" in text
    bounds = results["bound_summary"].set_index("bound")
    assert f"exceed it in {bounds.loc['dkw', 'exceeded']} of {bounds.loc['dkw', 'cells']} cells" in text
    assert text.splitlines()[-1].startswith("In short, the certificate keeps its guarantee on average at every beta")
    assert "In short" not in text.replace(text.splitlines()[-1], "")


def test_a_missed_guarantee_is_told(results):
    certificates = results["certificate_summary"]
    certificates.loc[certificates["beta"] == 0.05, "realized"] = 0.08
    assert "misses its guarantee on average at beta 0.05:" in certificate_findings(results)[-1].text


def test_a_broken_inequality_is_told(results):
    results["inequality_summary"].loc[0, "violations"] = 3
    *others, conclusion = certificate_findings(results)
    assert "3 of them break this" in texts(others)
    assert "the inequality is violated" in conclusion.text
    assert conclusion.file == "consistency/inequality_summary.parquet"


def test_shift(results):
    shift, transfer = results["shift_summary"], results["transfer_summary"]
    text = texts(shift_findings(results))
    whole = {"family": "all families", "score": "consistency"}
    assert f"AUROC of {words(shift, 0.5, **whole, quantity='auroc')} and MSP" in text
    for family in ("noise", "digital"):
        entries = {"family": family, "score": "consistency", "quantity": "minus_margin"}
        assert f"{words(shift, **entries)} on {family}" in text
    gain = {"family": "all families", "training": "other_families", "quantity": "gain"}
    assert f"{words(transfer, **gain)} trained on the other families" in text
    estimators = results["estimator_summary"]
    errors = estimators[(estimators["family"] == "all families") & (estimators["quantity"] == "absolute_error")]
    nearest = errors.loc[errors["mean"].idxmin(), "estimator"]
    names = {"atc_msp": "thresholded MSP", "atc_cs": "thresholded CS", "average_confidence": "mean MSP"}
    assert f"; {names[nearest]} is nearest." in text


@pytest.mark.parametrize(
    ("noise", "others", "end"),
    [
        (
            "above",
            "open",
            "better than both MSP and the margin on noise, and it is neither on blur, weather and digital.",
        ),
        ("above", "below", "on noise, it finds them worse than both MSP and the margin on blur, weather and digital."),
        ("below", "below", "CS finds errors worse than both MSP and the margin on noise, blur, weather and digital."),
        ("open", "undefined", "CS is on no family clearly better, or clearly worse, than both MSP and the margin."),
    ],
)
def test_shift_concludes_by_family(results, noise, others, end):
    frame = results["shift_summary"]
    for quantity in ("minus_msp", "minus_margin"):
        frame = placed(frame, others, score="consistency", quantity=quantity)
        frame = placed(frame, noise, family="noise", score="consistency", quantity=quantity)
    results["shift_summary"] = frame
    assert shift_findings(results)[-1].text.endswith(end)


def test_a_family_counts_only_against_both_rivals(results):
    frame = placed(results["shift_summary"], "above", score="consistency", quantity="minus_margin")
    results["shift_summary"] = placed(frame, "open", score="consistency", quantity="minus_msp")
    assert "on no family clearly better" in shift_findings(results)[-1].text


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("above", "What LS and CD add carries over"),
        ("open", "That LS and CD add anything on families that were not seen in training is not clear."),
        ("below", "adding LS and CD does harm."),
        ("undefined", "in training is undefined."),
    ],
)
def test_transfer_says_what_carries_over(results, place, sentence):
    keys = {"family": "all families", "training": "other_families", "quantity": "gain"}
    results["transfer_summary"] = placed(results["transfer_summary"], place, **keys)
    assert sentence in texts(shift_findings(results))


@pytest.mark.parametrize(
    ("correlation", "p_value", "sentence"),
    [
        (0.9, 0.001, "grows with overconfidence"),
        (-0.9, 0.001, "shrinks with overconfidence"),
        (0.9, 0.3, "has no clear relation to overconfidence"),
    ],
)
def test_the_gain_goes_with_overconfidence_or_not(results, correlation, p_value, sentence):
    results["gain_correlations"][["correlation", "p_value"]] = [correlation, p_value]
    assert sentence in texts(shift_findings(results))


def test_attacks(results):
    attacks, success = results["attack_summary"], results["success_summary"]
    text = texts(attack_findings(results))
    row = {"condition": "plain-4", "score": "consistency"}
    level, gap = words(attacks, 0.5, **row, quantity="detection_auroc"), {"quantity": "detection_minus_msp"}
    assert f"at 4/255 with {level} and " in text
    assert f"difference {words(attacks, **row, **gap)}, above zero in" in text
    changed = success[(success["condition"] == "adaptive-4-5") & (success["quantity"] == "changed")]["mean"].item()
    assert f"{100 * changed:.1f}% at 4/255 and weight 5" in text
    # Of the adaptive attacks of a budget only the one of the largest weight is told.
    assert "weight 1" not in text


@pytest.mark.parametrize(
    ("plain", "adaptive", "first", "second"),
    [
        (
            "above",
            "below",
            "CS detects plain attacks better than MSP at 2/255, 4/255",
            "CS trusts the attacked images more",
        ),
        ("below", "above", "CS detects plain attacks worse than MSP at", "CS still detects it at 4/255 and weight 5"),
        ("open", "open", "no difference from MSP is clear at", "CS is not clear of chance at"),
        ("undefined", "undefined", "detection is undefined at", "detection is undefined at"),
    ],
)
def test_attacks_conclude_from_both_kinds(results, plain, adaptive, first, second):
    frame = placed(results["attack_summary"], plain, score="consistency", quantity="detection_minus_msp")
    keys = {"condition": "adaptive-4-5", "score": "consistency", "quantity": "detection_auroc"}
    results["attack_summary"] = placed(frame, adaptive, 0.5, **keys)
    conclusion = attack_findings(results)[-1].text
    assert conclusion.startswith(f"In short, {first}")
    assert f"Against an attacker who aims at stable predictions, {second}" in conclusion


def test_a_study_without_adaptive_attacks_says_nothing_of_them(results):
    for name in ("attack_summary", "success_summary"):
        results[name] = results[name][results[name]["stability_weight"] == 0]
    assert "stable predictions" not in texts(attack_findings(results))


def test_withheld(results):
    withheld = results["withheld_summary"]
    text = texts(withheld_findings(withheld))
    assert f"AUROC of {words(withheld, 0.5, score='consistency', quantity='auroc')}, MSP with" in text
    assert f"difference is {words(withheld, score='consistency', quantity='minus_msp')}." in text
    ranks = withheld[withheld["quantity"] == "auroc"]
    assert f", {ranks['mean'].max():.3f}." in text


@pytest.mark.parametrize(
    ("gap", "own", "conclusion"),
    [
        ("above", "above", "CS tells unknown classes, better than MSP."),
        ("open", "open", "CS does not clearly tell unknown classes, not clearly better or worse than MSP."),
        ("below", "below", "CS trusts unknown classes more than known ones, worse than MSP."),
        ("undefined", "undefined", "CS ranks unknown classes, to a degree that is undefined."),
    ],
)
def test_withheld_concludes(results, gap, own, conclusion):
    frame = placed(results["withheld_summary"], gap, score="consistency", quantity="minus_msp")
    frame = placed(frame, own, 0.5, score="consistency", quantity="auroc")
    assert withheld_findings(frame)[-1].text == f"In short, {conclusion}"


def test_priors(results):
    priors, recalls = results["prior_summary"], results["recall_summary"]
    text = texts(prior_findings(results))
    assert f"CAG is {words(priors, variant='rare', method='none', quantity='gap')}, with all" in text
    assert f"moves CAG to {words(priors, variant='rare', method='true_prior', quantity='gap')}" in text
    recovered = priors[(priors["method"] == TRUE_PRIOR) & (priors["quantity"] == "recovered")]["mean"].item()
    assert f"recovers {100 * recovered:.1f}%" in text
    rare = recalls[recalls["rare"] & (recalls["variant"] == "rare") & (recalls["method"] == "true_prior")].iloc[0]
    assert f"to {100 * rare['recall']:.1f}% (" in text
    assert rare["class"] in text


@pytest.mark.parametrize(
    ("true", "estimated", "mean", "pieces"),
    [
        ("above", "open", 0.2, ("brings CAG nearer to zero", "does not clearly help")),
        ("above", "above", 1.2, ("brings CAG past zero", "helps as well")),
        ("open", "below", 0.01, ("explains any of the gap is not clear", "does harm")),
        ("below", "undefined", -0.2, ("farther from zero", "cannot be judged")),
        ("undefined", "above", NAN, ("is undefined", "helps as well")),
    ],
)
def test_priors_conclude_from_what_is_recovered(results, true, estimated, mean, pieces):
    frame = placed(results["prior_summary"], true, variant=RARE, method=TRUE_PRIOR, quantity="recovered")
    frame = placed(frame, estimated, variant=RARE, method=ESTIMATED, quantity="recovered")
    frame.loc[(frame["method"] == TRUE_PRIOR) & (frame["quantity"] == "recovered"), "mean"] = mean
    results["prior_summary"] = frame
    conclusion = prior_findings(results)[-1].text
    assert all(piece in conclusion for piece in pieces)


def test_published(results):
    published = results["published"]
    text = texts(published_findings(published))
    counts = published["direction"].value_counts()
    assert f"{len(published)} published findings stand beside" in text
    assert f"{counts['agrees']} point in the same direction, {counts['differs']} in another" in text
    part = published[(published["topic"] == "certificate") & (published["direction"] != "not comparable")]
    assert f"certificate {(part['direction'] == 'agrees').sum()} of {len(part)}" in text


@pytest.mark.parametrize(
    ("agrees", "differs", "words_of_it"),
    [
        (3, 0, "every comparable finding points the same way here"),
        (3, 1, "most published findings point the same way here"),
        (2, 1, "a third or more of the published findings point another way here"),
        (0, 0, "no published finding can be compared"),
    ],
)
def test_published_concludes_from_counts(agrees, differs, words_of_it):
    directions = ["agrees"] * agrees + ["differs"] * differs + ["not comparable"]
    frame = pd.DataFrame({"direction": directions, "topic": "shift", "statement": "s"})
    conclusion = published_findings(frame)[-1].text
    assert words_of_it in conclusion
    assert conclusion.endswith("a comparison of directions, not a reproduction.")


def test_an_interval_that_touches_chance_is_open():
    row = {"score": "a", "mean": 0.1, "lower": 0.0, "upper": 0.2, "configurations": 3, "runs": 3}
    found = evidence_of(pd.DataFrame([row]), ["score"])
    assert found("a").verdict == "open"
    assert found("b").words == "undefined"
    assert set(row) - {"score"} <= set(COLUMNS)
