"""Findings on the choice of images for recapture in words, made from tidy results."""

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.report.findings import Finding
from pairedeval.report.findings_probes import capture_texts, fact_texts, negative_texts, probe_texts, size_texts
from pairedeval.report.names import MINUS, TIERS, listed, ordered_sources, source_name
from pairedeval.report.probe_rows import label_notes
from pairedeval.report.results import lookup
from pairedeval.report.score_names import SCORES
from pairedeval.report.screening_panels import SCORE_MARKS
from pairedeval.report.screening_rows import ALL_CONDITIONS, AUROC, BUDGETS, RECALL, choose, means_of
from pairedeval.report.screening_words import (
    PLACES,
    Gap,
    Scores,
    Verdict,
    budget_words,
    by_source,
    ends,
    level_words,
    read_scores,
    sort_by_verdict,
)
from pairedeval.tiers import EXTREME, MILD

PRIMARY, CLEAN, NATURAL = "corruption_mean", "confidence", "natural_mean"
# Smallest difference in primary recall that the protocol calls a practical effect (Section 5.3).
PRACTICAL = 0.03
# Below this, means of rounded shares are equal.
STRICTNESS = 1e-12
# Other scores from the same corruptions, and scores that need none.
SAME_PROBES = ("confidence_decrease", "retention", "predictor_confidence_mean", "alignment_corruption")
WITHOUT_PROBES = ("margin", "entropy", "agreement")
# How a comparison by AUROC and by recall begins: where their intervals lie.
LEADS = {
    frozenset({"above"}): "Corruption information helps to choose images",
    frozenset({"below"}): "Corruption information chooses images worse than clean confidence",
    frozenset({"open"}): "No clear gain or loss from corruption information",
    frozenset({"above", "open"}): "Corruption information helps by one of two measures",
    frozenset({"below", "open"}): "Corruption information is worse than clean confidence by one of two measures",
    frozenset({"above", "below"}): "Corruption information helps by one measure and is worse than clean confidence by "
    "the other",
    frozenset(): "Corruption information cannot be judged",
}


def screening_findings(
    results: Mapping[str, pd.DataFrame], simulated: Collection[str] = (), label_changing: Collection[str] = ()
) -> list[Finding]:
    """Say whether corruptions help to choose images for recapture, where they do not, and what that depends on.

    Parameters
    ----------
    results
        Frames by the name of their file in ``analyses/``: `screening_means`, `screening_differences`,
        `screening_ceilings`, `screening_subset_sizes`, `screening_probes`, `screening_captures`, `screening_groups`,
        `screening_models` and `screening_facts` of `pairedeval.screening.all_summaries`.
    simulated
        Sources with simulated data.
    label_changing
        Natural transforms that do not keep the class of every image.
    """
    tables = results["screening_means"], results["screening_differences"], simulated
    scores = read_scores(*tables, EVALUATION)
    single = read_scores(*tables, EVALUATION, "non_singleton")
    known = read_scores(*tables, EVALUATION, "class_known")
    texts: list[tuple[str, list[str]]] = [
        ("differences", [*_help(scores), *_tiers(scores)]),
        ("ceilings", _ceilings(results["screening_ceilings"], simulated)),
        ("differences", _budgets(scores)),
        ("means", _best(scores)),
        ("differences", [*_other_scores(scores), *_natural(scores, label_changing), *_identity(single, known)]),
        ("means", _thirds(results["screening_means"], simulated)),
        ("differences", _other_half(scores, read_scores(*tables, DEVELOPMENT))),
        ("subset_sizes", size_texts(results["screening_subset_sizes"], simulated)),
        ("probes", probe_texts(results["screening_probes"], simulated)),
        ("differences", _consistency(scores)),
        ("captures", capture_texts(results["screening_captures"], simulated)),
        ("models", negative_texts(results["screening_models"], results["screening_groups"], simulated)),
        ("facts", fact_texts(results["screening_facts"], simulated)),
    ]
    return [Finding(text, f"analyses/screening_{name}.parquet") for name, found in texts for text in found]


def _help(scores: Scores) -> list[str]:
    """Compare the corruption mean with clean confidence on mild conditions of each source."""
    absent = [scores.name(source) for source in ordered_sources(source for source, _ in scores.tiers)]
    absent = [name for name in absent if name not in map(scores.name, scores.mild)]
    texts = [f"No condition of {listed(absent)} is mild: the primary comparison says nothing there."] if absent else []
    for source in scores.mild:
        auroc, recall = (scores.gap(source, PRIMARY, CLEAN, metric) for metric in (AUROC, RECALL))
        lead = LEADS[frozenset({auroc.settled, recall.settled} - {"undefined"})]
        ranks, found = (
            [scores.level(source, score, metric) for score in (PRIMARY, CLEAN)] for metric in (AUROC, RECALL)
        )
        texts.append(
            f"{lead} on mild conditions of {scores.name(source)}. {{U}}, the {SCORES[PRIMARY].meaning}, ranks later "
            f"failures with an AUROC of {ranks[0]}, clean confidence {{S}} with {ranks[1]} (difference {auroc.words}). "
            f"With a budget of 20% of the images, {{U}} finds {found[0]} of the failures and {{S}} {found[1]} "
            f"(difference {recall.words}). Brackets are 95% intervals from resampled model groups; that from resampled "
            f"true classes {_classes(auroc)} for AUROC and {_classes(recall)} for the failures found."
        )
    return texts


def _classes(gap: Gap) -> str:
    """Say where the interval from true classes lies."""
    return f"{PLACES[gap.by_classes]} {ends(gap.classes, gap.metric)}".rstrip()


def _tiers(scores: Scores) -> list[str]:
    """Say in which tiers the gain over clean confidence is clear."""
    parts = []
    for metric, name in ((AUROC, "in AUROC"), (RECALL, "in recall at a budget of 20%")):
        places = sort_by_verdict((key, scores.gap(key[0], PRIMARY, CLEAN, metric, key[1])) for key in scores.tiers)
        found = [f"{PLACES[place]} for {by_source(keys, TIERS, scores.simulated)}" for place, keys in places.items()]
        parts.append(f"{name} it {', '.join(found)}")
    return [f"Tier by tier, the 95% model-group interval of {{U}} {MINUS} {{S}}: {'; '.join(parts)}."]


def _ceilings(ceilings: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Say how little room extreme conditions leave."""
    value = lookup(ceilings, ["source", "tier"])
    parts = []
    for source in ordered_sources(ceilings.loc[ceilings["tier"] == EXTREME, "source"]):
        shares = [
            value(name, source, EXTREME)
            for name in ("failure_share", "ceiling_20", "corruption_mean_over_ceiling_20", "random_over_ceiling_20")
        ]
        failing, ceiling, found, random = (level_words(share, RECALL) for share in shares)
        parts.append(
            f"on {source_name(source, simulated)} {failing} of the images fail and a budget of 20% holds at most "
            f"{ceiling} of the failures; {{U}} finds {found} of this ceiling, a random choice {random} in expectation"
        )
    return [f"What extreme conditions leave to gain, on average: {'; '.join(parts)}."] if parts else []


def _budgets(scores: Scores) -> list[str]:
    """Follow the gain over clean confidence over the budgets."""
    gaps = {
        (source, metric): scores.gap(source, PRIMARY, CLEAN, metric) for source in scores.mild for metric in BUDGETS
    }
    if not gaps:
        return []
    parts = [
        f"{listed(f'{gaps[source, metric].words} at {budget_words(metric)}' for metric in BUDGETS)} "
        f"on {scores.name(source)}"
        for source in scores.mild
    ]
    places = sort_by_verdict(((source, budget_words(metric)), gap) for (source, metric), gap in gaps.items())
    budgets = list(map(budget_words, BUDGETS))
    found = [f"{PLACES[place]} at {by_source(keys, budgets, scores.simulated)}" for place, keys in places.items()]
    return [
        f"Difference {{U}} {MINUS} {{S}} in the failures found under mild conditions, by budget: {'; '.join(parts)}. "
        f"The interval {', '.join(found)}."
    ]


def _best(scores: Scores) -> list[str]:
    """Name the scores of Figure 3 that find most failures at each budget."""
    parts = []
    for source in scores.mild:
        recalls = pd.DataFrame(
            {
                budget_words(metric): {score: scores.mean("mean", source, MILD, score, metric) for score in SCORE_MARKS}
                for metric in BUDGETS
            }
        )
        best = recalls.ge(recalls.max() - STRICTNESS)
        winners = [
            f"by {_name(score)} at {listed(best.columns[best.loc[score]])}"
            for score in best.index[best.any(axis="columns")]
        ]
        if winners:
            parts.append(f"on {scores.name(source)} {listed(winners)}")
    count = len(SCORE_MARKS)
    return (
        [f"Of the {count} scores in Figure 3, most failures under mild conditions are found {'; '.join(parts)}."]
        if parts
        else []
    )


def _other_scores(scores: Scores) -> list[str]:
    """Compare the corruption mean with other scores from the same corruptions and with scores without probes."""
    return [
        f"Other scores on mild conditions of {scores.name(source)}: {{U}} has "
        f"{_against(scores, source, SAME_PROBES, AUROC)}; it has {_against(scores, source, WITHOUT_PROBES, RECALL)}."
        for source in scores.mild
    ]


def _against(scores: Scores, source: str, baselines: Sequence[str], metric: str) -> str:
    """Say what the corruption mean has compared with other scores."""
    noun = "AUROC" if metric == AUROC else f"recall at {budget_words(metric)}"
    article = "an" if metric == AUROC else "a"
    words: dict[Verdict, str] = {
        "above": f"a higher {noun} than",
        "open": f"{article} {noun} not clearly different from that of",
        "below": f"a lower {noun} than",
        "undefined": f"{article} {noun} that cannot be compared with that of",
    }
    gaps = [(score, scores.gap(source, PRIMARY, score, metric)) for score in baselines]
    named = [(f"{_name(score)} ({gap.words})", gap) for score, gap in gaps]
    return listed(f"{words[place]} {listed(names)}" for place, names in sort_by_verdict(named).items())


def _natural(scores: Scores, label_changing: Collection[str]) -> list[str]:
    """Compare corruptions with natural transforms at equal inference counts, under both scoring rules."""
    texts = []
    for source in scores.mild:
        recall, auroc = (scores.gap(source, PRIMARY, NATURAL, metric) for metric in (RECALL, AUROC))
        levels = [scores.level(source, score, RECALL) for score in (PRIMARY, NATURAL)]
        ranks = [scores.level(source, score, RECALL) for score in ("alignment_corruption", "alignment_natural")]
        classes = ends(recall.classes, RECALL) or "no interval"
        texts.append(
            f"At equal inference counts on mild conditions of {scores.name(source)}, the mean over 18 corruptions "
            f"finds {levels[0]} of the failures at a budget of 20%, that over 18 natural transforms {levels[1]} "
            f"(difference {recall.words}, from true classes {classes}).{_practical(recall)} In AUROC the difference "
            f"is {auroc.words}. Scored by {{A3}}, the corruptions find {ranks[0]} and the transforms {ranks[1]}."
        )
    return [*texts, *(label_notes(label_changing) if texts else [])]


def _practical(gap: Gap) -> str:
    """Continue with how a difference compares with the size that the protocol calls a practical effect."""
    size = f"the {100 * PRACTICAL:.0f} points that the protocol set as a practical effect"
    if math.isnan(gap.mean):
        return ""
    if all(lower > PRACTICAL for lower, _ in (gap.groups, gap.classes)):
        return f" Both intervals lie above {size}."
    if gap.mean > PRACTICAL:
        return f" It exceeds {size}, but not both intervals lie above them."
    return f" It does not exceed {size}."


def _name(score: str) -> str:
    """Return the symbol of a score without a comma, for lists."""
    return SCORES[score].symbol.replace(", ", " on ")


# What a comparison of the image's own score with that of another image of its class says.
IDENTITY: dict[Verdict, str] = {
    "above": "An image's own {U} ranks better than that of another image of its class",
    "open": "It stays open whether an image's own {U} ranks better than that of another image of its class",
    "below": "An image's own {U} ranks worse than that of another image of its class",
    "undefined": "Whether the identity of an image matters cannot be judged",
}


def _identity(single: Scores, known: Scores) -> list[str]:
    """Say what is left if images of a class exchange their scores, and what a class alone predicts."""
    texts = []
    for source in single.mild:
        gap = single.gap(source, PRIMARY, "deranged_mean", AUROC)
        own, other = (single.level(source, score, AUROC) for score in (PRIMARY, "deranged_mean"))
        wins = level_words(single.difference("wins", source, MILD, PRIMARY, "deranged_mean", AUROC), RECALL)
        by_class = known.gap(source, PRIMARY, "class_mean_correct", AUROC)
        texts.append(
            f"{IDENTITY[gap.verdict]} on mild conditions of {single.name(source)}: AUROC {own} against {other} "
            f"(difference {gap.words}), higher in {wins} of the cells. The mean {{U}} of the class in the other half "
            f"reaches {known.level(source, 'class_mean_correct', AUROC)} where {{U}} reaches "
            f"{known.level(source, PRIMARY, AUROC)} (difference {by_class.words})."
        )
    return texts


def _thirds(means: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Say how scores rank images of similar clean confidence."""
    thirds = ("low", "mid", "high")
    value = [means_of(choose(means, "findings", images=images)) for images in thirds]
    parts = []
    for source in ordered_sources(means["source"]):
        ranks = {
            score: listed(level_words(one("mean", source, ALL_CONDITIONS, score, AUROC), AUROC) for one in value)
            for score in (PRIMARY, CLEAN)
        }
        parts.append(f"{{U}} {ranks[PRIMARY]} and {{S}} {ranks[CLEAN]} on {source_name(source, simulated)}")
    return [
        "Among images of similar clean confidence (its lowest, middle and highest third, all conditions), AUROC is "
        f"{'; '.join(parts)}."
    ]


def _other_half(scores: Scores, other: Scores) -> list[str]:
    """Repeat the primary comparison on the other half of the images."""
    parts = []
    for source in [source for source in scores.mild if source in other.mild]:
        gaps = {
            name: [one.gap(source, PRIMARY, CLEAN, metric) for one in (other, scores)]
            for name, metric in (("AUROC", AUROC), ("recall at 20%", RECALL))
        }
        defined = {name: pair for name, pair in gaps.items() if not math.isnan(pair[0].mean + pair[1].mean)}
        differing = [name for name, (new, old) in defined.items() if np.sign(new.mean) != np.sign(old.mean)]
        words = listed(f"{new.words} in {name}" for name, (new, _) in gaps.items())
        signs = f"not the same sign in {listed(differing)}" if differing else "the same signs"
        parts.append(f"{words} on {scores.name(source)}, {signs} as on the evaluation half")
    start = (
        f"On mild conditions and the development images, with the roles of the halves exchanged, {{U}} {MINUS} {{S}} is"
    )
    return [f"{start} {'; '.join(parts)}."] if parts else []


def _consistency(scores: Scores) -> list[str]:
    """Compare consistency and deviation with the corruption mean and clean confidence."""
    texts = []
    for source in scores.mild:
        levels = [
            f"{_name(score)} {scores.level(source, score, RECALL)}"
            for score in ("corruption_consistency", "natural_consistency", "corruption_deviation", PRIMARY, CLEAN)
        ]
        consistency = _against(scores, source, ("corruption_consistency", "natural_consistency"), RECALL)
        texts.append(
            "Consistency (CS) and deviation (CD) of the predictions as scores on mild conditions of "
            f"{scores.name(source)}: the failures found at a budget of 20% are {listed(levels)}. "
            f"{{U}} has {consistency}."
        )
    return texts
