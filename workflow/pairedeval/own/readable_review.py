"""What ``pairedeval review`` prints for people."""

from collections.abc import Sequence
from itertools import pairwise

from pairedeval.own.answers import Answer
from pairedeval.own.readable import UNDEFINED, aligned, conclusions, paragraph, points
from pairedeval.review.ratings import CANNOT_TELL, CORRECT, RATINGS

# Bounds of Cohen's kappa in the words of Landis and Koch (1977).
_KAPPA = ((0.0, "slight"), (0.2, "fair"), (0.4, "moderate"), (0.6, "substantial"), (0.8, "almost perfect"))


def readable_review(answer: Answer, sample: str) -> str:
    """Print an answer of `pairedeval.own.review.review_answer`.

    Parameters
    ----------
    answer
        The answer.
    sample
        File of the sample, for the title.
    """
    size = answer["sample"]
    title = (
        f"{sample}: {size['events']:,} of {size['population']:,} events, {size['strata']} strata, "
        f"{size['images']:,} base images"
    )
    question = paragraph(
        "An event is a wrong answer (by the original label) that a model gives on the clean and on the captured image. "
        "How often do reviewers find such an answer right?"
    )
    parts = [title, question, _reviewers_table(answer), _estimates_table(answer)]
    if answer["disagreements"]:
        parts.append(_disagreements_table(answer["disagreements"]))
    return "\n\n".join([*parts, conclusions(_reading(answer))])


def _reviewers_table(answer: Answer) -> str:
    rows = [
        [name, *(f"{counts[column]:,}" for column in (*RATINGS, "rated", "missing"))]
        for name, counts in answer["reviewers"].items()
    ]
    return "Ratings\n" + aligned(["reviewer", *RATINGS, "rated", "missing"], rows)


def _estimates_table(answer: Answer) -> str:
    domains = answer["estimates"]
    rows = [[name, *(f"{domain[name]:,}" for domain in domains)] for name in ("population", "rated")]
    rows += [[rating, *(_with_interval(domain["shares"][rating]) for domain in domains)] for rating in RATINGS]
    header = ["", *(domain["source"] or "all" for domain in domains)]
    return "Estimated shares of all events, percent, with 95% intervals\n" + aligned(header, rows)


def _disagreements_table(disputes: Sequence[Answer]) -> str:
    names = list(disputes[0]["ratings"])
    rows = [[dispute["event_id"], *(dispute["ratings"][name] for name in names)] for dispute in disputes]
    table = aligned(["event_id", *names], rows, text_columns=1 + len(names))
    how = paragraph("A reviewer's page shows an event when #EVENT_ID stands behind its address.")
    return f"Disagreements to settle\n{table}\n{how}"


def _with_interval(share: Answer) -> str:
    if share["share"] is None:
        return UNDEFINED
    return f"{points(share['share'])} ({' to '.join(map(points, share['interval']))})"


def _reading(answer: Answer) -> list[str]:
    whole = answer["estimates"][0]
    if not whole["rated"]:
        return ["No event is rated yet."]
    correct, unclear = whole["shares"][CORRECT], whole["shares"][CANNOT_TELL]
    sentences = [
        f"Of the persistent wrong answers, {correct['share']:.1%} are right in the eyes of the reviewers (95% interval "
        f"{' to '.join(f'{end:.1%}' for end in correct['interval'])}); on {unclear['share']:.1%} they cannot tell.",
        "The shares weigh every sampled event by the events it stands for. The intervals take the base images as the "
        "units that vary, because one image stands in several events.",
    ]
    return [*sentences, *_agreement(answer), *_unfinished(answer)]


def _agreement(answer: Answer) -> list[str]:
    found = answer["agreement"]
    if found is None or not found["events"]:
        return ["There is one reviewer, so agreement is unknown."] if found is None else []
    kappa = found["kappa"]
    strength = UNDEFINED if kappa is None else f"{kappa:.2f} ({_strength(kappa)})"
    text = f"The reviewers agree on {found['share']:.1%} of {found['events']:,} events; Cohen's kappa is {strength}."
    count = len(answer["disagreements"])
    if count:
        least, most = answer["estimates"][0]["shares"][CORRECT]["settled"]
        text += (
            f" Until {count:,} disagreements are settled, each reviewer counts half; settled for one or the other, the "
            f"share of right answers is between {least:.1%} and {most:.1%}. Hand in decisions with --decisions FILE."
        )
    return [text]


def _strength(kappa: float) -> str:
    if kappa < 0:
        return "worse than chance"
    for (_, word), (bound, _) in pairwise(_KAPPA):
        if kappa <= bound:
            return word
    return _KAPPA[-1][1]


def _unfinished(answer: Answer) -> list[str]:
    """Say what is missing, and what that means for the estimates."""
    whole = answer["estimates"][0]
    missing = sum(counts["missing"] for counts in answer["reviewers"].values())
    if not missing:
        return []
    text = f"{missing:,} ratings are missing, so this is preliminary: within a stratum the rated events stand for all."
    if whole["unrepresented"]:
        text += f" {whole['unrepresented']:,} events lie in strata without any rating and are left out."
    return [text]
