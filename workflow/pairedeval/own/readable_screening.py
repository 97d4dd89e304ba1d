"""What ``pairedeval screen`` prints for people."""

from collections.abc import Sequence

from pairedeval.own.answers import Answer
from pairedeval.own.readable import UNDEFINED, aligned, conclusions, note_lines, paragraph
from pairedeval.own.screening import Screening
from pairedeval.own.screening_files import UNNAMED
from pairedeval.own.screening_pool import POOL

HEAD = 20
SCORE_MEANINGS = {
    "corruption_mean": "the mean probability of the true class over the probes, the lowest first",
    "confidence": "the confidence on the clean image, the lowest first",
    "confidence_decrease": "the confidence on the clean image minus the mean probability of the true class over the "
    "probes, the largest first",
    "retention": "the share of the probes under which the prediction stays correct, the lowest first",
    "confidence_deviation": "the mean absolute change of the confidence over the probes, the largest first",
    "consistency": "the mean of retention and one minus confidence_deviation, the lowest first",
}
POOL_MEANING = (
    "At every budget, no other choice of as many images holds a larger share of the models' probe failures (wrong "
    "predictions of clean-correct images under the probes; shares averaged over the models). The risk is what an image "
    "adds to that share; images that add equally much come by their mean probability, the lowest first. The order is "
    "exact for probe failures. That it also finds the real failures is a heuristic."
)


def readable_screening(screenings: Sequence[Screening], output: str | None, notes: Sequence[str]) -> str:
    """Print the head of the ranking, of several models that of the pool, and what outcomes say of all.

    Parameters
    ----------
    screenings
        Rankings of the models, of several also of the pool as the last, see `pairedeval.own.screening.screen_models`.
    output
        File with the whole ranking; None if it is not written.
    notes
        What deserves a second look in the files.
    """
    several = len(screenings) > 1
    shown = screenings[-1]
    model = shown.models[0]
    conditions = len(model.conditions)
    probes = f"{conditions:,} probe condition{'s' if conditions > 1 else ''}"
    if several:
        title = f"{model.place}: {len(shown.models):,} models, {probes}"
    else:
        name = "" if model.name == UNNAMED else f", model {model.name}"
        title = f"{model.place}{name}: {len(model.right):,} of {len(model.clean):,} images are correct, {probes}"
    parts = [title, _question(screenings)]
    if several:
        parts.append(_models_table(screenings[:-1]))
        parts.append("All models together\n" + paragraph(POOL_MEANING))
    parts += [_head(shown), _rest(shown, output)]
    if shown.outcomes is not None:
        parts.append(_outcomes_table(screenings))
    return "\n\n".join([*parts, conclusions(_reading(screenings)), *note_lines(notes)])


def _question(screenings: Sequence[Screening]) -> str:
    first = screenings[0].ranking
    return paragraph(
        "Which clean-correct images should be captured again first?",
        f"Ranked by {first.score}: {SCORE_MEANINGS[first.score]}.",
        "A larger risk makes a real failure more likely; equal risks stand in the order of image ids.",
    )


def _models_table(screenings: Sequence[Screening]) -> str:
    rows = []
    for screening in screenings:
        model, ranking = screening.models[0], screening.ranking
        row = [model.name, ranking.table["image_id"].iloc[0], f"{len(model.clean):,}", f"{len(model.right):,}"]
        rows.append(row + ([] if screening.budget is None else [f"{ranking.size(screening.budget):,}"]))
    header = ["model", "first image", "images", "correct", "selected"]
    return aligned(header[: len(rows[0])], rows, text_columns=2)


def _head(screening: Screening) -> str:
    table = screening.ranking.table.head(HEAD)
    rows = [
        [str(rank), image, f"{risk:.4g}", why]
        for rank, (image, risk, why) in enumerate(
            zip(table["image_id"], table["risk"], table["why"], strict=True), start=1
        )
    ]
    return aligned(["rank", "image_id", "risk", "why"], rows, text_columns=4)


def _rest(screening: Screening, output: str | None) -> str:
    count = len(screening.ranking.table)
    sentences = []
    if screening.budget is not None:
        size = screening.ranking.size(screening.budget)
        sentences.append(f"A budget of {screening.budget:.4g} selects the first {size:,} of {count:,} images.")
        if len(screening.models) > 1:
            held = screening.ranking.table["risk"].head(size).sum()
            sentences.append(f"They hold {held:.1%} of a model's probe failures on average.")
    if output is not None:
        sentences.append(f"{output} holds all rankings." if len(screening.models) > 1 else f"{output} holds all ranks.")
    elif count > HEAD:
        sentences.append(f"{count - HEAD:,} more images follow; --output FILE writes them all.")
    return paragraph(*sentences)


def _outcomes_table(screenings: Sequence[Screening]) -> str:
    """Print one line a cell; intervals stand behind their values."""
    several = len(screenings) > 1
    rows = []
    for screening in screenings:
        for cell in _cells(screening):
            counts = [f"{cell[name]:,}" for name in ("n", "without_outcome", "failures", "captured")]
            values = [_with_interval(cell, "recall", "{:.1%}"), _with_interval(cell, "auroc", "{:.3f}")]
            most = UNDEFINED if cell["ceiling"] is None else f"{cell['ceiling']:.1%}"
            rows.append([screening.ranking.model] * several + [cell["condition"], *counts, most, *values])
    counted = ["images", "left out", "failures", "captured", "at most"]
    header = ["model"] * several + ["condition", *counted, "found", "AUROC"]
    budget = _answer(screenings[0])["budget"]
    return f"Real failures found at a budget of {budget:.4g}; at most: if only failures were captured\n" + aligned(
        header, rows, text_columns=1 + several
    )


def _with_interval(cell: Answer, name: str, form: str) -> str:
    if cell[name] is None:
        return UNDEFINED
    ends = cell[f"{name}_interval"]
    return form.format(cell[name]) + ("" if ends is None else f" ({' to '.join(map(form.format, ends))})")


def _reading(screenings: Sequence[Screening]) -> list[str]:
    if screenings[0].outcomes is None:
        return [
            "The ranking says where to look first. It does not say how many images will fail: only real captures do. "
            "Hand in their predictions with --outcomes FILE to see how many failures the ranking finds."
        ]
    own = [cell for screening in screenings if len(screening.models) == 1 for cell in _cells(screening)]
    pooled = [cell for screening in screenings if len(screening.models) > 1 for cell in _cells(screening)]
    if pooled:
        lines = [_found("The ranking of a model", own), _found(f"The ranking of {POOL}", pooled)]
    else:
        lines = [_found("The ranking", own)]
    cells = own + pooled
    undefined = [sum(cell[name] is None for cell in cells) for name in ("recall", "auroc")]
    if any(undefined):
        lines.append(
            f"Undefined: the share found in {undefined[0]:,} of {len(cells):,} cells (no image fails), AUROC in "
            f"{undefined[1]:,} (none or all fail)."
        )
    if any(cell["without_outcome"] for cell in cells):
        lines.append("Images without an outcome are left out of their cell; the budget is a share of the others.")
    lines.append(
        f"Ranges: 95% intervals from {_answer(screenings[0])['draws']:,} resamples of the images. They say nothing of "
        "other models or captures."
    )
    return lines


def _found(subject: str, cells: Sequence[Answer]) -> str:
    """Compare what rankings find with a random choice of as many images."""
    defined = [cell for cell in cells if cell["recall"] is not None]
    if not defined:
        return f"{subject} has no failures to find in these outcomes."
    recall = sum(cell["recall"] for cell in defined) / len(defined)
    chance = sum(cell["captured"] / cell["n"] for cell in defined) / len(defined)
    over = f" (mean of {len(defined):,} cells)" if len(defined) > 1 else ""
    return (
        f"{subject} finds {recall:.1%} of the failures in {chance:.1%} of the images{over}; a random choice of as many "
        f"images finds {chance:.1%} in the long run."
    )


def _cells(screening: Screening) -> list[Answer]:
    cells: list[Answer] = _answer(screening)["cells"]
    return cells


def _answer(screening: Screening) -> Answer:
    assert screening.outcomes is not None
    return screening.outcomes
