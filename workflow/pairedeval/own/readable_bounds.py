"""What ``pairedeval bounds`` prints for people."""

from collections.abc import Sequence

from pairedeval.identification.levels import FIVE_STATES, MARGINAL, OVERLAP, STRICTNESS
from pairedeval.own.answers import Answer
from pairedeval.own.functions import Known
from pairedeval.own.readable import (
    LEVEL_NAMES,
    aligned,
    cell_title,
    conclusions,
    determined,
    interval,
    key_columns,
    level_legend,
    listed,
    note_lines,
    pairing_sentence,
    paragraph,
    points,
    sides_table,
)

MEANINGS = {
    "H": "an accepted correct prediction becomes an accepted error (share of all images)",
    "L": "a prediction stays correct, but is no longer accepted (share of all images)",
    "dM_k": "mean drop of the true class's probability among images that are correct on both sides",
}
STATE_MEANINGS = {
    "k": "correct on both sides",
    "h": "harmed: correct, then wrong",
    "r": "corrected: wrong, then correct",
    "s": "wrong twice, the same class predicted",
    "w": "wrong twice, different classes predicted",
}
UNITS = (
    "All in percentage points. A single number is exact. A range covers every pairing of the records, class by class, "
    "that agrees with what is known, and some pairing reaches each end. It is no sampling error."
)


def readable_bounds(answers: Sequence[tuple[Known, Answer]], threshold: float, notes: Sequence[str]) -> str:
    """Print one cell in full, or several as a table a target.

    Parameters
    ----------
    answers
        Cells with their answers, see `pairedeval.own.functions.answer_bounds`.
    threshold
        Acceptance threshold of both sides.
    notes
        What deserves a second look in the files.
    """
    parts = _one_cell(*answers[0], threshold) if len(answers) == 1 else _several_cells(answers, threshold)
    return "\n\n".join([*parts, *note_lines(notes)])


def _one_cell(known: Known, answer: Answer, threshold: float) -> list[str]:
    header, rows = [""], [[name] for name in MEANINGS]
    if answer["observed"] is not None:
        header.append("observed")
        for row in rows:
            row.append(points(answer["observed"][row[0]]))
    for level, found in answer["levels"].items():
        header.append(LEVEL_NAMES[level])
        for row in rows:
            row.append(interval(found[row[0]]))
    return [
        cell_title(known),
        paragraph(pairing_sentence(known), f"Predictions are accepted from a confidence of {threshold:g} on."),
        sides_table(known.cell, threshold),
        *_states(answer),
        aligned(header, rows),
        "\n".join([*_target_legend(), "", *level_legend(answer["levels"]), "", paragraph(UNITS)]),
        conclusions(_reading(known, answer)),
    ]


def _target_legend() -> list[str]:
    return [f"{name:4}  {meaning}" for name, meaning in MEANINGS.items()]


def _states(answer: Answer) -> list[str]:
    if answer["states"] is None:
        return []
    counts = answer["states"]
    rows = [
        [name, text, f"{counts[name]:,}", f"{counts[name] / answer['n']:.2%}"] for name, text in STATE_MEANINGS.items()
    ]
    return [aligned(["", "", "images", "share"], rows, text_columns=2)]


def _several_cells(answers: Sequence[tuple[Known, Answer]], threshold: float) -> list[str]:
    keys, values = key_columns(answers)
    levels = list(dict.fromkeys(level for _, answer in answers for level in answer["levels"]))
    parts = [
        f"{len(answers):,} cells",
        paragraph(_pairings(answers), f"Predictions are accepted from a confidence of {threshold:g} on."),
    ]
    for name, meaning in MEANINGS.items():
        rows = []
        for row, (_, answer) in zip(values, answers, strict=True):
            observed = "" if answer["observed"] is None else points(answer["observed"][name])
            ranges = [interval(answer["levels"][level][name]) if level in answer["levels"] else "" for level in levels]
            rows.append([*row, f"{answer['n']:,}", observed, *ranges])
        header = [*keys, "images", "observed", *(LEVEL_NAMES[level] for level in levels)]
        parts.append(f"{name}: {meaning}\n" + aligned(header, rows, text_columns=len(keys)))
    legend = "\n".join([*level_legend(levels), "", paragraph(UNITS)])
    return [*parts, legend, conclusions(_reading_of_several(answers, levels))]


def _reading_of_several(answers: Sequence[tuple[Known, Answer]], levels: Sequence[str]) -> list[str]:
    """Count the cells in which each target is a single number, and say what to record next time."""
    lines = []
    for name in MEANINGS:
        exact = [
            sum(determined(answer["levels"][level][name]) for _, answer in answers if level in answer["levels"])
            for level in levels
        ]
        counts = ", ".join(f"{count:,} at {level}" for count, level in zip(exact, levels, strict=True))
        lines.append(f"{name} is identified (a single number) in this many of {len(answers):,} cells: {counts}.")
    unpaired = [(known, answer) for known, answer in answers if not known.cell.paired]
    return lines + (_next_time(*unpaired[0], list(MEANINGS)) if unpaired else [])


def _pairings(answers: Sequence[tuple[Known, Answer]]) -> str:
    sentences = dict.fromkeys(pairing_sentence(known) for known, _ in answers)
    if len(sentences) == 1:
        return next(iter(sentences))
    paired = sum(known.cell.paired for known, _ in answers)
    return f"In {paired:,} of the cells both sides hold the same image ids; in the others the pairing is unknown."


def _reading(known: Known, answer: Answer) -> list[str]:
    """Say what is identified, what is not and why, and what to record next time."""
    best = list(answer["levels"].values())[-1]
    exact = [name for name in MEANINGS if determined(best[name])]
    unknown = [name for name in MEANINGS if best[name] is not None and name not in exact]
    lines = []
    if known.cell.paired:
        lines.append(
            "The image ids tell all three: see 'observed'. The ranges say how much of that the records tell without "
            "the ids."
        )
    elif exact:
        lines.append(f"Identified: {listed(exact)}. Every pairing that agrees with what is known gives the same value.")
    if unknown and not known.cell.paired:
        lines.append(
            f"Not identified: {listed(unknown)}. The value depends on which records belong together, and that is not "
            "known; anything narrower than the range would be an assumption."
        )
        if "dM_k" in unknown and best["dM_k"][0] < 0 < best["dM_k"][1]:
            lines.append("Not even whether probabilities fell or rose (the sign of dM_k) is identified.")
    if best["dM_k"] is None:
        lines.append("dM_k is undefined: no image can be correct on both sides.")
    return [*lines, *_next_time(known, answer, unknown)]


def _next_time(known: Known, answer: Answer, unknown: Sequence[str]) -> list[str]:
    if known.cell.paired:
        return _what_to_publish(answer)
    if not unknown:
        return ["Nothing more needs to be recorded for these targets."]
    ids = "To know more, record the same image id with both predictions of an image; then all three are exact."
    if known.counts is None:
        return [
            ids,
            "If ids cannot be kept, count for each class the images that are correct on both sides (--overlap, columns "
            "label,k): no other count of outcomes narrows L and dM_k further. Counts of all five outcomes (--states, "
            "columns label,h,r,s,w,k) can narrow H further.",
        ]
    if known.counts.persistent is None:
        return [
            ids,
            "If ids cannot be kept, counts of all five outcomes (--states, columns label,h,r,s,w,k) can narrow H; "
            "L and dM_k stay as they are.",
        ]
    return [ids, "Counts per class cannot narrow the ranges any further."]


def _what_to_publish(answer: Answer) -> list[str]:
    """Tell what each kind of count would give to those who lack the ids."""
    levels = answer["levels"]
    if len(levels) < 3:
        return []
    gained = [name for name in MEANINGS if _width(levels[MARGINAL][name]) - _width(levels[OVERLAP][name]) > STRICTNESS]
    more = _width(levels[OVERLAP]["H"]) - _width(levels[FIVE_STATES]["H"])
    narrowed = [
        f"{name} from {points(_width(levels[MARGINAL][name]))} to {points(_width(levels[OVERLAP][name]))}"
        for name in gained
    ]
    overlap = f"narrows the range of {listed(narrowed)} points" if gained else "narrows nothing here"
    states = f"narrow that of H by another {points(more)} points" if more > STRICTNESS else "add nothing here"
    return [
        f"If you publish results without ids, k per class {overlap}; the other four counts {states}. "
        "(Beyond k, they never narrow L and dM_k.)"
    ]


def _width(ends: Sequence[float] | None) -> float:
    return 0.0 if ends is None else ends[1] - ends[0]
