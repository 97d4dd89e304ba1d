"""Findings on why consistency adds so much or little on clean images, and on the certificate, in words."""

from collections.abc import Mapping

import pandas as pd

from pairedeval.consistency.finding_values import CERTIFICATE_LEVEL
from pairedeval.consistency.flip_bounds import DKW, LEMMA
from pairedeval.consistency.margin_information import CHANCE, CONFIDENT
from pairedeval.identification.levels import STRICTNESS
from pairedeval.report.consistency_evidence import Evidence, Verdict, evidence_of, findings_from, number, percent
from pairedeval.report.findings import Finding
from pairedeval.report.names import counted, listed
from pairedeval.report.results import lookup

# The heading of the topic, by what LS and CD add to MSP and margin.
_MARGIN_TOPICS: Mapping[Verdict, str] = {
    "above": "What it adds: margin and displacement",
    "open": "Why it adds little: margin and displacement",
    "below": "Why it adds little: margin and displacement",
    "undefined": "Margin and displacement",
}


def margin_topic(margins: pd.DataFrame) -> str:
    """Return the heading of `margin_findings`, which depends on what they say."""
    return _MARGIN_TOPICS[evidence_of(margins, ["quantity"])("confidence_gain").verdict]


def margin_findings(margins: pd.DataFrame) -> list[Finding]:
    """Say what consistency tells at a fixed margin, and next to MSP and margin."""
    found = {name: evidence_of(margins, ["quantity"], chance)(name) for name, chance in CHANCE.items()}
    gain, fixed = found["confidence_gain"], found["within_displacement"]
    texts = [
        f"Among images of one tenth of the margin, minus the displacement of the logits ranks errors with an AUROC of "
        f"{fixed.words} and LS with {found['within_stability'].words}; 0.5 is chance.",
        _confident(found["confident_stability"], found["confident_msp"], margins),
        "A logistic model of MSP and margin, fitted on the calibration images, ranks errors with "
        f"{number(found['confidence_base'].mean)}; adding LS and CD changes that by {gain.words}. Adding displacement "
        f"and LS to a model of the margin changes its {number(found['margin_base'].mean)} by "
        f"{found['margin_gain'].words}.",
        f"Given MSP, margin and LS have a rank correlation of {found['margin_stability_correlation'].words}.",
        _margin_conclusion(gain, fixed),
    ]
    return findings_from((text, "margin_summary") for text in texts)


def _confident(stability: Evidence, confidence: Evidence, margins: pd.DataFrame) -> str:
    """Compare LS with MSP where MSP is high; few runs may have errors there."""
    confident = f"predictions with an MSP of at least {CONFIDENT:g}"
    if not stability.runs:
        return f"In no run do the {confident} hold both errors and right ones."
    missing = int(lookup(margins, ["quantity"])("undefined_runs", "confident_stability"))
    end = f" ({missing} of {stability.runs + missing} runs have no errors there)" if missing else ""
    return f"Among {confident}, LS ranks errors with {stability.words} and MSP itself with {confidence.words}{end}."


def _margin_conclusion(gain: Evidence, fixed: Evidence) -> str:
    """Conclude from the intervals of the gain next to MSP and margin, and of displacement within the margin."""
    added = {
        "above": "on clean images consistency carries something that MSP and margin lack",
        "open": "on clean images no gain from consistency next to MSP and margin is clear",
        "below": "on clean images a model of MSP and margin gets worse by adding consistency",
        "undefined": "what consistency adds to MSP and margin is undefined here",
    }[gain.verdict]
    moved = {
        "above": "at a fixed margin, errors do move farther than right predictions",
        "open": "at a fixed margin, errors do not clearly move farther than right predictions",
        "below": "at a fixed margin, errors move less than right predictions",
        "undefined": "displacement at a fixed margin cannot be judged",
    }[fixed.verdict]
    return f"In short, {added}, and {moved}."


def certificate_findings(results: Mapping[str, pd.DataFrame]) -> list[Finding]:
    """Say whether inequality, certificate and bounds hold, and how much they cover."""
    certificates, inequality = results["certificate_summary"], results["inequality_summary"]
    texts = [
        (_inequality(inequality), "inequality_summary"),
        (_certified(certificates), "certificate_summary"),
        (_covered(certificates), "certificate_summary"),
        (_bounds(results["bound_summary"]), "bound_summary"),
        _certificate_conclusion(certificates, int(inequality["violations"].sum())),
    ]
    return findings_from(texts)


def _inequality(inequality: pd.DataFrame) -> str:
    comparisons, flips, broken = (int(inequality[name].sum()) for name in ("comparisons", "flips", "violations"))
    end = f"{broken:,} of them break this, which points at an error of computation" if broken else "none breaks this"
    return (
        "A flip needs a margin of at most the square root of two times the displacement of the logits. Of "
        f"{counted(flips, 'flip')} in {counted(comparisons, 'comparison')} of an image with its version, clean, "
        f"corrupted and attacked, {end}."
    )


def _certified(certificates: pd.DataFrame) -> str:
    value = lookup(certificates, ["beta"])
    at, runs = CERTIFICATE_LEVEL, int(certificates["runs"].iloc[0])
    return (
        f"At beta {at:g} the certificate covers {percent(value('coverage', at))} of the evaluation images; "
        f"{percent(value('realized', at))} are certified and flip nevertheless, at most "
        f"{percent(value('largest_realized', at))} in a run, where {percent(value('flip_rate', at))} flip in all. "
        f"{value('above', at):.0f} of {counted(runs, 'run')} exceed beta; the guarantee is about the mean of many "
        f"calibrations. Certified images are right in {percent(value('certified_accuracy', at))}, all images in "
        f"{percent(value('accuracy', at))}."
    )


def _covered(certificates: pd.DataFrame) -> str:
    rows = certificates.sort_values("beta")
    least, largest = rows.iloc[0], rows.iloc[-1]
    infinite = rows[rows["infinite"] > 0]
    lacking = [
        f"{int(few)} of {int(runs)} runs at beta {beta:g}"
        for beta, few, runs in infinite[["beta", "infinite", "runs"]].itertuples(index=False)
    ]
    end = f" There are too few calibration images to certify anything in {listed(lacking)}." if lacking else ""
    return (
        f"Coverage is {percent(least['coverage'])} at beta {least['beta']:g} and {percent(largest['coverage'])} at "
        f"beta {largest['beta']:g}.{end}"
    )


def _bounds(bounds: pd.DataFrame) -> str:
    value = lookup(bounds, ["bound"])
    return (
        "The calibrated bound on the chance of a flip, with the DKW correction, averages "
        f"{percent(value('mean_bound', DKW))} where {percent(value('flip_rate', DKW))} flip, and flips exceed it in "
        f"{value('exceeded', DKW):,.0f} of {value('cells', DKW):,.0f} cells. The bound in the shape of the lemma "
        f"averages {percent(value('mean_bound', LEMMA))} and says nothing in {value('trivial', LEMMA):,.0f} cells."
    )


def _certificate_conclusion(certificates: pd.DataFrame, broken: int) -> tuple[str, str]:
    """Conclude from the inequality and from the mean realised rate at every beta; returns the file's stem as well."""
    above = certificates.loc[certificates["realized"] > certificates["beta"] + STRICTNESS, "beta"]
    coverage = lookup(certificates, ["beta"])("coverage", CERTIFICATE_LEVEL)
    if broken:
        words = "the inequality is violated: nothing that rests on it can be trusted before that is explained"
        return f"In short, {words}.", "inequality_summary"
    if len(above):
        words = (
            f"the certificate misses its guarantee on average at beta {listed(f'{beta:g}' for beta in above)}: the "
            "calibration images are few, or they differ from the evaluation images"
        )
    else:
        words = (
            "the certificate keeps its guarantee on average at every beta, without labels and from one forward pass "
            f"for an image; at beta {CERTIFICATE_LEVEL:g} it covers {percent(coverage)} of the images. It vouches for "
            "a steady prediction, not for a right one"
        )
    return f"In short, {words}.", "certificate_summary"
