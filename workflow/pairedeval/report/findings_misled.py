"""Findings on consistency where confidence may be misled, in words: corruptions, attacks, unknown classes, priors."""

from collections.abc import Callable, Mapping

import pandas as pd

from pairedeval.consistency.attacks import DISPLACEMENT
from pairedeval.consistency.estimators import (
    ATC_CS,
    ATC_MSP,
    AVERAGE_CONFIDENCE,
    AVERAGE_CONSISTENCY,
    DIFFERENCE_OF_CONFIDENCES,
)
from pairedeval.consistency.prior_summaries import RECOVERED
from pairedeval.consistency.priors import ESTIMATED, NATURAL, NONE, RARE, REWEIGHTED, TRUE_PRIOR
from pairedeval.consistency.shift import ALL_FAMILIES, FAMILIES
from pairedeval.consistency.transfer import CLEAN_ONLY, LEAVE_ONE_OUT, OTHER_FAMILIES, SAME
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
)
from pairedeval.report.consistency_words import FAMILY_NAMES, p_value_words
from pairedeval.report.findings import Finding
from pairedeval.report.names import counted, listed
from pairedeval.report.results import lookup

CS, MSP = "consistency", "msp"
Frames = Mapping[str, pd.DataFrame]
Find = Callable[..., Evidence]
# Over what the logistic models of correctness are trained, in words.
TRAININGS = {
    SAME: "that corruption itself",
    CLEAN_ONLY: "clean images",
    OTHER_FAMILIES: "the other families",
    LEAVE_ONE_OUT: "all other corruptions",
}
ESTIMATOR_NAMES = {
    ATC_MSP: "thresholded MSP",
    ATC_CS: "thresholded CS",
    AVERAGE_CONFIDENCE: "mean MSP",
    DIFFERENCE_OF_CONFIDENCES: "difference of mean MSP",
    AVERAGE_CONSISTENCY: "mean CS",
}
_COMPARED: dict[Verdict, str] = {
    "above": "clearly better on",
    "open": "open on",
    "below": "clearly worse on",
    "undefined": "undefined on",
}


def shift_findings(results: Frames) -> list[Finding]:
    """Say on which corruptions consistency finds errors better than confidence, and what carries over."""
    shift = evidence_of(results["shift_summary"], ["family", "score", "quantity"])
    families = [family for family in FAMILIES if family in set(results["shift_summary"]["family"])]
    transfer = evidence_of(results["transfer_summary"], ["family", "training", "quantity"])
    texts = [
        (_shifted(shift), "shift_summary"),
        *((_by_family(shift, families, baseline), "shift_summary") for baseline in (MSP, "margin")),
        (_overconfidence(results["gain_correlations"]), "gain_correlations"),
        (_transfer(transfer, families), "transfer_summary"),
        (_estimators(results["estimator_summary"]), "estimator_summary"),
        (_robustness(results["robustness_correlations"]), "robustness_correlations"),
        (_shift_conclusion(shift, families), "shift_summary"),
    ]
    return findings_from(texts)


def _shifted(shift: Find) -> str:
    levels = [shift(ALL_FAMILIES, score, "auroc") for score in (CS, MSP)]
    gaps = [shift(ALL_FAMILIES, CS, f"minus_{baseline}") for baseline in (MSP, "margin")]
    return (
        f"Over all corruptions, CS ranks errors with an AUROC of {levels[0].level} and MSP with {levels[1].level}, "
        f"over {counted(levels[0].configurations, 'configuration')} and {counted(levels[0].runs, 'run')}. CS minus MSP "
        f"is {gaps[0].words}, CS minus margin {gaps[1].words}."
    )


def _by_family(shift: Find, families: list[str], baseline: str) -> str:
    found = {FAMILY_NAMES[family].lower(): shift(family, CS, f"minus_{baseline}") for family in families}
    each = [f"{evidence.words} on {name}" for name, evidence in found.items()]
    return f"CS minus {named(baseline)} is {listed(each)}: {in_groups(by_verdict(found.items()), _COMPARED)}."


def _overconfidence(correlations: pd.DataFrame) -> str:
    value = lookup(correlations, ["gain", "points"])
    found = value("correlation", "consistency_gain", "corruption"), value("p_value", "consistency_gain", "corruption")
    words = {
        "rises": "grows with overconfidence",
        "falls": "shrinks with overconfidence",
        "unclear": "has no clear relation to overconfidence",
    }[related(*found)]
    points = value("used", "consistency_gain", "corruption")
    added = value("correlation", "added_gain", "corruption"), value("p_value", "added_gain", "corruption")
    return (
        f"Over {points:.0f} corruptions, the gain of CS over the margin {words}, mean MSP minus accuracy: Spearman "
        f"{number(found[0], 2)} ({p_value_words(found[1])}); for the gain from LS and CD added to MSP and margin, "
        f"trained on the same corruption, it is {number(added[0], 2)} ({p_value_words(added[1])})."
    )


def _transfer(transfer: Find, families: list[str]) -> str:
    def gains(family: str) -> str:
        return listed(
            f"{transfer(family, training, 'gain').words} trained on {words}" for training, words in TRAININGS.items()
        )

    carried = {
        "above": "What LS and CD add carries over to families that were not seen in training",
        "open": "That LS and CD add anything on families that were not seen in training is not clear",
        "below": "On families that were not seen in training, adding LS and CD does harm",
        "undefined": "What LS and CD add on families that were not seen in training is undefined",
    }[transfer(ALL_FAMILIES, OTHER_FAMILIES, "gain").verdict]
    # Noise is the family on which the published gain stands.
    noise = f" On noise alone: {gains('noise')}." if "noise" in families else ""
    return (
        "Adding LS and CD to a logistic model of MSP and margin changes its AUROC over all corruptions by "
        f"{gains(ALL_FAMILIES)}.{noise} {carried}."
    )


def _estimators(estimators: pd.DataFrame) -> str:
    found = evidence_of(estimators, ["family", "estimator", "quantity"])
    errors = {words: found(ALL_FAMILIES, name, "absolute_error") for name, words in ESTIMATOR_NAMES.items()}
    defined = {words: evidence for words, evidence in errors.items() if evidence.verdict != "undefined"}
    if not defined:
        return ""
    nearest = min(defined, key=lambda words: defined[words].mean)
    each = [f"{evidence.level} by {words}" for words, evidence in errors.items()]
    return f"Accuracy under corruption, estimated without labels, is off by {listed(each)}; {nearest} is nearest."


def _robustness(correlations: pd.DataFrame) -> str:
    value = lookup(correlations, ["family", "relation"])

    def words(relation: str) -> str:
        correlation, p_value = (value(column, ALL_FAMILIES, relation) for column in ("correlation", "p_value"))
        return f"{number(correlation, 2)} ({p_value_words(p_value)})"

    configurations = int(value("configurations", ALL_FAMILIES, "accuracy"))
    return (
        f"Over {counted(configurations, 'configuration')}, accuracy under corruption has a rank correlation of "
        f"{words('accuracy')} with clean accuracy and, given that, of {words('consistency_given_accuracy')} with clean "
        f"CS; the loss of accuracy has one of {words('gap_drop')} with clean CAG."
    )


def _shift_conclusion(shift: Find, families: list[str]) -> str:
    """Conclude from where the intervals of CS minus MSP and of CS minus margin lie in each family."""
    sides = {family: [shift(family, CS, f"minus_{name}").verdict for name in (MSP, "margin")] for family in families}
    helped, hurt = (
        [FAMILY_NAMES[family].lower() for family, found in sides.items() if set(found) == {side}]
        for side in ("above", "below")
    )
    rest = [FAMILY_NAMES[family].lower() for family in families]
    rest = [name for name in rest if name not in (*helped, *hurt)]
    parts = [
        f"{words} {listed(names)}"
        for words, names in (
            ("CS finds errors better than both MSP and the margin on", helped),
            (f"{'it finds them' if helped else 'CS finds errors'} worse than both MSP and the margin on", hurt),
        )
        if names
    ]
    if not parts:
        parts = ["CS is on no family clearly better, or clearly worse, than both MSP and the margin"]
    elif rest:
        parts.append(f"and it is neither on {listed(rest)}")
    return f"In short, under corruption {', '.join(parts)}."


def attack_findings(results: Frames) -> list[Finding]:
    """Say whether consistency tells attacked images, those of an attacker who knows of it included."""
    attacks = results["attack_summary"]
    detected, found = (evidence_of(attacks, ["condition", "score", "quantity"], chance) for chance in (0.5, 0.0))
    changed = evidence_of(results["success_summary"], ["condition", "quantity"])
    plain = _attacks(attacks, adaptive=False)
    adaptive = _attacks(attacks, adaptive=True)
    texts = [
        (_plain(detected, found, plain), "attack_summary"),
        (_others(detected, plain), "attack_summary"),
        (_errors(detected, found, plain), "attack_summary"),
        (_successes(changed, plain, adaptive), "success_summary"),
        (_adaptive(detected, adaptive), "attack_summary"),
        (_attack_conclusion(detected, found, plain, adaptive), "attack_summary"),
    ]
    return findings_from(texts)


def _attacks(attacks: pd.DataFrame, adaptive: bool) -> dict[str, str]:
    """Return conditions with their names: the plain ones, or of each budget the adaptive one of the largest weight."""
    rows = attacks.drop_duplicates("condition").sort_values(["epsilon", "stability_weight"])
    rows = rows[(rows["stability_weight"] > 0) == adaptive].drop_duplicates("epsilon", keep="last")
    return {
        str(condition): f"{epsilon:g}/255" + (f" and weight {weight:g}" if adaptive else "")
        for condition, epsilon, weight in rows[["condition", "epsilon", "stability_weight"]].itertuples(index=False)
    }


def _plain(detected: Find, found: Find, plain: dict[str, str]) -> str:
    if not plain:
        return ""
    parts = []
    for condition, name in plain.items():
        levels = [detected(condition, score, "detection_auroc").words for score in (CS, MSP)]
        gap = found(condition, CS, "detection_minus_msp")
        wins = "" if gap.verdict == "undefined" else f", above zero in {percent(gap.wins)} of the runs"
        parts.append(f"at {name} with {levels[0]} and {levels[1]}, difference {gap.words}{wins}")
    return f"CS and MSP tell attacked images from the same images unattacked {'; '.join(parts)}."


def _others(detected: Find, plain: dict[str, str]) -> str:
    each = [
        f"{detected(condition, DISPLACEMENT, 'detection_auroc').words} at {name}" for condition, name in plain.items()
    ]
    return f"Displacement of the logits alone tells attacked images with {listed(each)}." if each else ""


def _errors(detected: Find, found: Find, plain: dict[str, str]) -> str:
    each = []
    for condition, name in plain.items():
        rank, gap = detected(condition, CS, "error_auroc"), found(condition, CS, "error_minus_msp")
        beside = "" if gap.verdict == "undefined" else f" (minus MSP {gap.words})"
        each.append(f"{rank.words} at {name}{beside}")
    return f"Among attacked images, CS ranks errors with {listed(each)}." if each else ""


def _successes(changed: Find, plain: dict[str, str], adaptive: dict[str, str]) -> str:
    parts = []
    for kind, group in (("plain attacks", plain), ("attacks that also aim at stable predictions", adaptive)):
        each = [f"{percent(changed(condition, 'changed').mean)} at {name}" for condition, name in group.items()]
        parts += [f"{kind} {listed(each)}"] if each else []
    return f"The share of predictions that attacks change: {'; '.join(parts)}." if parts else ""


def _adaptive(detected: Find, adaptive: dict[str, str]) -> str:
    each = [f"{detected(condition, CS, 'detection_auroc').words} at {name}" for condition, name in adaptive.items()]
    return f"CS tells images of the attacks that also aim at stable predictions with {listed(each)}." if each else ""


def _attack_conclusion(detected: Find, found: Find, plain: dict[str, str], adaptive: dict[str, str]) -> str:
    """Conclude from CS minus MSP under plain attacks, and from the AUROC of CS under adaptive ones against 0.5."""
    places = by_verdict((name, found(condition, CS, "detection_minus_msp")) for condition, name in plain.items())
    words: dict[Verdict, str] = {
        "above": "CS detects plain attacks better than MSP at",
        "open": "no difference from MSP is clear at",
        "below": "CS detects plain attacks worse than MSP at",
        "undefined": "detection is undefined at",
    }
    evaded = by_verdict((name, detected(condition, CS, "detection_auroc")) for condition, name in adaptive.items())
    attacker: dict[Verdict, str] = {
        "above": "CS still detects it at",
        "open": "CS is not clear of chance at",
        "below": "CS trusts the attacked images more than the clean ones at",
        "undefined": "detection is undefined at",
    }
    first = in_groups(places, words) or "there are no plain attacks to judge"
    second = f" Against an attacker who aims at stable predictions, {in_groups(evaded, attacker)}." if adaptive else ""
    return f"In short, {first}.{second}"


def withheld_findings(withheld: pd.DataFrame) -> list[Finding]:
    """Say whether consistency tells images of classes that the models were not trained on."""
    found, level = (evidence_of(withheld, ["score", "quantity"], chance) for chance in (0.0, 0.5))
    gap, own = found(CS, "minus_msp"), level(CS, "auroc")
    ranks = withheld[withheld["quantity"] == "auroc"].set_index("score")["mean"].dropna()
    best = (
        f"The highest mean AUROC is that of {named(str(ranks.idxmax()))}, {number(float(ranks.max()))}."
        if len(ranks)
        else ""
    )
    texts = [
        f"CS tells evaluation images of classes that the models were not trained on from known ones with an AUROC of "
        f"{own.words}, MSP with {level(MSP, 'auroc').words}, over {counted(gap.configurations, 'configuration')} and "
        f"{counted(gap.runs, 'run')}; the difference is {gap.words}.",
        best,
        _withheld_conclusion(gap, own),
    ]
    return findings_from((text, "withheld_summary") for text in texts)


def _withheld_conclusion(gap: Evidence, own: Evidence) -> str:
    """Conclude from CS minus MSP, and from the AUROC of CS against chance."""
    against = {
        "above": "better than MSP",
        "open": "not clearly better or worse than MSP",
        "below": "worse than MSP",
        "undefined": "to a degree that is undefined",
    }[gap.verdict]
    told = {
        "above": "CS tells unknown classes",
        "open": "CS does not clearly tell unknown classes",
        "below": "CS trusts unknown classes more than known ones",
        "undefined": "CS ranks unknown classes",
    }[own.verdict]
    return f"In short, {told}, {against}."


def prior_findings(results: Frames) -> list[Finding]:
    """Say how rare training classes turn into stable errors, and what a correction of the class prior changes."""
    found = evidence_of(results["prior_summary"], ["variant", "method", "quantity"])
    texts = [
        (_rare(found), "prior_summary"),
        (_corrected(found), "prior_summary"),
        (_recalls(results["recall_summary"]), "recall_summary"),
        (_prior_conclusion(found(RARE, TRUE_PRIOR, RECOVERED), found(RARE, ESTIMATED, RECOVERED)), "prior_summary"),
    ]
    return findings_from(texts)


def _rare(found: Find) -> str:
    rare, natural = found(RARE, NONE, "gap"), found(NATURAL, NONE, "gap")
    return (
        f"With two classes made rare among the training images, CAG is {rare.words}, with all training images "
        f"{natural.words}, over {counted(rare.configurations, 'configuration')} and {counted(rare.runs, 'run')}. "
        f"Images of the rare classes are recognised in {percent(found(RARE, NONE, 'rare_recall').mean)}, at a label "
        f"stability of {number(found(RARE, NONE, 'rare_stability').mean)}."
    )


def _corrected(found: Find) -> str:
    def recovered(method: str) -> str:
        share = found(RARE, method, RECOVERED)
        if share.verdict == "undefined":
            return "a share that is undefined"
        return f"{percent(share.mean)} [{percent(share.lower)}, {percent(share.upper)}]"

    return (
        "Correcting the posteriors to the shares of the evaluation images moves CAG to "
        f"{found(RARE, TRUE_PRIOR, 'gap').words}, which recovers {recovered(TRUE_PRIOR)} of the gap, and the "
        f"recognition of the rare classes to {percent(found(RARE, TRUE_PRIOR, 'rare_recall').mean)}; correcting to an "
        f"estimate without labels recovers {recovered(ESTIMATED)}. Weighting the images as in training instead gives a "
        f"CAG of {found(RARE, REWEIGHTED, 'gap').words}."
    )


def _recalls(recalls: pd.DataFrame) -> str:
    value = lookup(recalls, ["variant", "method", "class"])
    rare = recalls.loc[recalls["rare"], "class"].unique()
    each = []
    for name in rare:
        cases = ((RARE, NONE), (RARE, TRUE_PRIOR), (NATURAL, NONE))
        before, after, whole = (percent(value("recall", *case, name)) for case in cases)
        each.append(f"{name} from {before} to {after} ({whole} with all training images)")
    return f"Recall of the rare classes after correction to the true shares: {listed(each)}." if each else ""


def _prior_conclusion(true: Evidence, estimated: Evidence) -> str:
    """Conclude from the shares of the gap that the corrections recover."""
    words = {
        "above": "the class prior of the training images is part of the gap: correcting it brings CAG "
        f"{'past zero' if true.mean > 1 else 'nearer to zero'}",
        "open": "that the class prior explains any of the gap is not clear",
        "below": "correcting the class prior moves CAG farther from zero",
        "undefined": "what part of the gap is a matter of the class prior is undefined",
    }[true.verdict]
    blind = {
        "above": "an estimate without labels helps as well",
        "open": "an estimate without labels does not clearly help",
        "below": "an estimate without labels does harm",
        "undefined": "the estimate without labels cannot be judged",
    }[estimated.verdict]
    return f"In short, {words}; {blind}."
