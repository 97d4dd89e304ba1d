"""Findings on decision consistency on clean images in words, made from summaries; each topic ends with a conclusion.

A conclusion follows a stated rule, mostly where the interval of one difference lies, and begins with "In short".
"""

from collections.abc import Callable, Mapping

import pandas as pd

from pairedeval.consistency.detection import ALL_GROUPS
from pairedeval.consistency.differences import REFERENCE
from pairedeval.consistency.findings import AGREES, DIFFERS, DIRECTIONS
from pairedeval.consistency.quantities import ACCURACY_DOMINANT, CONSISTENCY_DOMINANT, DEFAULT_WEIGHT
from pairedeval.consistency.reference import PAIRS
from pairedeval.consistency.scores import FORWARD_PASSES
from pairedeval.consistency.views import LEVELS
from pairedeval.identification.levels import STRICTNESS
from pairedeval.report.consistency_evidence import (
    Evidence,
    Verdict,
    by_verdict,
    evidence_of,
    findings_from,
    in_groups,
    named,
    number,
    percent,
    related,
    span,
)
from pairedeval.report.consistency_words import OPERATOR_NAMES, p_value_words, smallest_p_value
from pairedeval.report.findings import Finding
from pairedeval.report.findings_certificate import certificate_findings, margin_findings, margin_topic
from pairedeval.report.findings_misled import attack_findings, prior_findings, shift_findings, withheld_findings
from pairedeval.report.names import counted, listed
from pairedeval.report.results import lookup
from pairedeval.report.screening_rows import signed

CS = "consistency"
Frames = Mapping[str, pd.DataFrame]
# Where confidence may be misled.
_MISLED = "Where confidence is misled"


def consistency_findings(results: Frames) -> dict[str, list[Finding]]:
    """Say on which inputs consistency tells more than confidence, topic by topic.

    Parameters
    ----------
    results
        Summaries by the name of their file in ``consistency/``: those of `pairedeval.consistency.summaries`,
        ``detection_differences``, ``operator_audit``, ``cost`` and ``published``.

    Returns
    -------
    dict
        Findings by topic, in printed order; the last one of a topic is its conclusion.
    """
    return {
        "What consistency measures": measure_findings(results),
        "Finding errors on clean images": detection_findings(results),
        margin_topic(results["margin_summary"]): margin_findings(results["margin_summary"]),
        "The certificate": certificate_findings(results),
        f"{_MISLED}: shift": shift_findings(results),
        f"{_MISLED}: attacks": attack_findings(results),
        f"{_MISLED}: unknown classes": withheld_findings(results["withheld_summary"]),
        "Class priors": prior_findings(results),
        "Beside the published findings": published_findings(results["published"]),
    }


def measure_findings(results: Frames) -> list[Finding]:
    """Say how consistent the configurations are, and what their consistency goes with."""
    models = results["model_summaries"]
    below = int((models["gap"] < -STRICTNESS).sum())
    correlations = lookup(results["model_correlations"], ["first", "second"])
    levels = [
        f"{words} {span(models[column], models['model'])}"
        for column, words in (
            ("accuracy", "accuracy"),
            ("stability", "label stability LS"),
            ("deviation", "confidence deviation CD"),
            (CS, "consistency score CS"),
        )
    ]
    texts = [
        (f"Means over seeds of {counted(len(models), 'configuration')}: {'; '.join(levels)}.", "model_summaries"),
        (
            f"The gap CAG, accuracy minus mean CS, lies {span(models['gap'], models['model'])} and is below zero for "
            f"{below} of {len(models)}: there, the error rate exceeds the mean instability 1 − CS.",
            "model_summaries",
        ),
        (_operators(results["operator_summary"]), "operator_summary"),
        (_distances(results["operator_audit"], results["operator_summary"]), "operator_audit"),
        (_correlations(correlations), "model_correlations"),
        (_regimes(results["regime_counts"]), "regime_counts"),
        (_rankings(results["rankings"]), "rankings"),
        (_measured(correlations), "model_correlations"),
    ]
    return findings_from(texts)


def _operators(operators: pd.DataFrame) -> str:
    names = operators["operator"].map(_word)
    parts = [
        f"{span(rows['flip_rate'], names, percent)} at level {level}"
        for level in (LEVELS[0], LEVELS[-1])
        if len(rows := operators[operators["level"] == level])
    ]
    return f"The share of predictions that one operator flips lies {listed(parts)}." if parts else ""


def _word(operator: str) -> str:
    """Return the name of an operator inside a sentence."""
    return OPERATOR_NAMES[operator] if operator == "jpeg" else operator


def _distances(audit: pd.DataFrame, operators: pd.DataFrame) -> str:
    mild = [frame[frame["level"] == LEVELS[0]].set_index("operator") for frame in (audit, operators)]
    distances, flips = mild[0]["mean_distance"].dropna(), mild[1]["flip_rate"].dropna()
    if distances.empty or flips.empty:
        return ""
    farthest, most = str(distances.idxmax()), str(flips.idxmax())
    same = "which also flips most" if farthest == most else f"while {_word(most)} flips most"
    return f"At level 1 {_word(farthest)} changes the images most, {same}."


def _correlations(value: Callable[..., float]) -> str:
    parts = [
        f"{words} correlate at {number(value('correlation', *pair))} ({p_value_words(value('p_value', *pair))})"
        for pair, words in zip(PAIRS, ("accuracy and CS", "CS and the expected calibration error"), strict=True)
    ]
    return f"Over configurations, {listed(parts)}."


def _regimes(counts: pd.DataFrame) -> str:
    value = lookup(counts, ["tolerance", "regime"])
    low, high = counts["tolerance"].min(), counts["tolerance"].max()
    of, changing = int(counts["of"].iloc[0]), int(counts["changing"].iloc[0])
    each = [
        f"{value('configurations', tolerance, CONSISTENCY_DOMINANT):.0f} of {of} consistency-dominant and "
        f"{value('configurations', tolerance, ACCURACY_DOMINANT):.0f} accuracy-dominant at {tolerance:g}"
        for tolerance in (low, high)
    ]
    end = f"{changing} of {of} change regime between tolerances" if changing else "none changes between tolerances"
    return f"By their gap and a tolerance, configurations are {'; '.join(each)}; {end}."


def _rankings(rankings: pd.DataFrame) -> str:
    value = lookup(rankings, ["size"])
    sizes = [int(rankings["size"].min()), int(rankings["size"].max())]
    means = [
        f"{number(value('mean_tau', size), 2)} (lowest {number(value('lowest_tau', size), 2)}) with "
        f"{counted(size, 'operator')}"
        for size in sizes
    ]
    return f"Rankings of configurations by CS agree with those by all six operators at Kendall's tau {listed(means)}."


def _measured(value: Callable[..., float]) -> str:
    """Conclude from the correlation of accuracy and CS over configurations."""
    orders = {
        "rises": "more accurate configurations are also more consistent",
        "falls": "more accurate configurations are less consistent",
        "unclear": "no relation of CS to accuracy over configurations is clear of chance",
    }[related(value("correlation", *PAIRS[0]), value("p_value", *PAIRS[0]))]
    return f"In short, CS measures how steady predictions are, not how right they are; here {orders}."


def detection_findings(results: Frames) -> list[Finding]:
    """Say how well consistency finds errors on clean images, beside confidence, and at what cost."""
    summary, differences = results["detection_summary"], results["detection_differences"]
    found = evidence_of(differences, ["score", "measure"])
    texts = [
        (_detected(summary, differences), "detection_differences"),
        (_groups(summary), "detection_summary"),
        (_best(summary), "detection_summary"),
        (_clear_scores(differences), "detection_differences"),
        (_strengths(results["strength_summary"]), "strength_summary"),
        (_weights(results["weight_summary"]), "weight_summary"),
        (_cost(results["cost"]), "cost"),
        (_detection_conclusion(found(CS, "auroc"), found(CS, "aurc")), "detection_differences"),
    ]
    return findings_from(texts)


def _detected(summary: pd.DataFrame, differences: pd.DataFrame) -> str:
    value = lookup(summary[summary["group"] == ALL_GROUPS], ["score"])
    found = evidence_of(differences, ["score", "measure"])
    adjusted = lookup(differences, ["score", "measure"])("p_holm", CS, "auroc")
    ranks, curve = found(CS, "auroc"), found(CS, "aurc")
    return (
        f"CS ranks errors with an AUROC of {number(value('auroc', CS))}, the largest softmax probability MSP with "
        f"{number(value('auroc', REFERENCE))}, over {counted(ranks.configurations, 'configuration')} and "
        f"{counted(ranks.runs, 'run')}. The difference is {ranks.words}, {p_value_words(adjusted)} after Holm's "
        f"adjustment; in AURC, where lower is better, it is {curve.words}. {smallest_p_value(ranks.configurations)}"
    )


def _groups(summary: pd.DataFrame) -> str:
    single = summary[summary["group"] != ALL_GROUPS].set_index("group")
    ranks, reference = (single.loc[single["score"] == score, "auroc"] for score in (CS, REFERENCE))
    gaps = (ranks - reference).dropna()
    if gaps.empty:
        return ""
    lacking = len(ranks) - len(gaps)
    end = f"; {counted(lacking, 'group')} without errors left out" if lacking else ""
    return f"CS ranks errors worse than MSP in {int((gaps < -STRICTNESS).sum())} of {counted(len(gaps), 'group')}{end}."


def _best(summary: pd.DataFrame) -> str:
    ranks = summary[summary["group"] == ALL_GROUPS].set_index("score")["auroc"].dropna()
    if ranks.empty:
        return ""
    best = str(ranks.idxmax())
    return (
        f"The highest mean AUROC is that of {named(best)}, {number(ranks[best])}, from "
        f"{FORWARD_PASSES[best]} forward {'pass' if FORWARD_PASSES[best] == 1 else 'passes'} for an image."
    )


def _clear_scores(differences: pd.DataFrame) -> str:
    found = evidence_of(differences, ["score", "measure"])
    places = by_verdict((named(score), found(score, "auroc")) for score in differences["score"].unique())
    words: dict[Verdict, str] = {
        "above": "clearly better than MSP:",
        "open": "open:",
        "below": "clearly worse:",
        "undefined": "undefined:",
    }
    return f"By the interval of the difference in AUROC, {in_groups(places, words)}."


def _strengths(strength: pd.DataFrame) -> str:
    value = lookup(strength, ["level"])
    low, high = int(strength["level"].min()), int(strength["level"].max())
    chosen, runs = int(value("selected", low)), int(strength["runs"].iloc[0])
    return (
        f"CS ranks errors with {number(value('evaluation_auroc', low))} at level {low} of the operators and with "
        f"{number(value('evaluation_auroc', high))} at level {high}; the calibration images choose level {low} in "
        f"{chosen} of {counted(runs, 'run')}."
    )


def _weights(weights: pd.DataFrame) -> str:
    # Weights are multiples of 0.1; a float key would depend on how they were written.
    ranks = weights.assign(weight=weights["weight"].round(1)).set_index("weight")["evaluation_auroc"]
    defined = ranks.dropna()
    if DEFAULT_WEIGHT not in defined:
        return ""
    best = float(defined.index[int(defined.argmax())])
    if best == DEFAULT_WEIGHT:
        return f"No other weight of LS in CS is better on the evaluation images themselves than {DEFAULT_WEIGHT:g}."
    return (
        f"The weight of LS in CS that is best on the evaluation images themselves, {best:g}, changes this AUROC by "
        f"{signed(defined[best] - defined[DEFAULT_WEIGHT])} against the weight {DEFAULT_WEIGHT:g}."
    )


def _cost(cost: pd.DataFrame) -> str:
    ratio = span(cost["ratio"], cost["model"], lambda value: number(value, 1))
    return (
        f"CS takes {FORWARD_PASSES[CS]} forward passes for an image instead of one; with the making of the versions "
        f"its time over that of one pass lies {ratio}."
    )


def _detection_conclusion(ranks: Evidence, curve: Evidence) -> str:
    """Conclude from where the intervals of CS minus MSP lie: AUROC decides, AURC may disagree."""
    passes = f"{FORWARD_PASSES[CS]} forward passes instead of one"
    words = {
        "above": f"on clean images CS finds errors better than MSP, for {passes}",
        "open": f"on clean images no difference between CS and MSP is clear: CS restates confidence, for {passes}",
        "below": f"on clean images CS finds errors worse than MSP, for {passes}: confidence is better and cheaper",
        "undefined": "nothing can be said: no run has both errors and right predictions",
    }[ranks.verdict]
    contrary = {("above", "above"), ("below", "below")}
    end = ". The risk-coverage curve says the opposite" if (ranks.verdict, curve.verdict) in contrary else ""
    return f"In short, {words}{end}."


def published_findings(published: pd.DataFrame) -> list[Finding]:
    """Say how many published findings this study agrees with in direction; nothing is reproduced."""
    counts = {direction: int((published["direction"] == direction).sum()) for direction in DIRECTIONS}
    agreeing, differing, silent = counts.values()
    comparable = published[published["direction"].isin([AGREES, DIFFERS])]
    topics = [
        f"{topic} {int((rows == AGREES).sum())} of {len(rows)}"
        for topic, rows in comparable.groupby("topic", sort=False)["direction"]
    ]
    texts = [
        f"{counted(len(published), 'published finding')} stand beside the numbers of this study, whose images, models "
        f"and operators are others: {agreeing} point in the same direction, {differing} in another, and {silent} are "
        "not comparable.",
        f"The same direction, of those that are comparable: {'; '.join(topics)}." if topics else "",
        _published_conclusion(agreeing, differing),
    ]
    return findings_from((text, "published") for text in texts)


def _published_conclusion(agreeing: int, differing: int) -> str:
    """Conclude from how many comparable findings agree: all, most (more than two thirds), or fewer."""
    comparable = agreeing + differing
    if not comparable:
        words = "no published finding can be compared with this study"
    elif not differing:
        words = "every comparable finding points the same way here"
    elif 3 * agreeing > 2 * comparable:
        words = "most published findings point the same way here, with exceptions"
    else:
        words = "a third or more of the published findings point another way here"
    return f"In short, {words}. This is a comparison of directions, not a reproduction."
