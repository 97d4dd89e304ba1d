"""What ``pairedeval policies`` prints for people."""

from collections.abc import Sequence

from pairedeval.identification.levels import STRICTNESS
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
)
from pairedeval.policies.selection import (
    FEASIBLE_MEAN,
    FIXED_80,
    MARGINAL_PROXY,
    MINIMAX_REGRET,
    PRODUCT_INDEPENDENT,
)

RULES = {
    MINIMAX_REGRET: "least worst-case regret",
    FEASIBLE_MEAN: "least mean cost",
    PRODUCT_INDEPENDENT: "least mean cost at I0",
    MARGINAL_PROXY: "fewest accepted errors and rejected correct",
    FIXED_80: "keeps the clean threshold",
}


def readable_policies(answers: Sequence[tuple[Known, Answer]], threshold: float, notes: Sequence[str]) -> str:
    """Print one cell in full, or several with one line a cell.

    Parameters
    ----------
    answers
        Cells with their answers, see `pairedeval.own.functions.answer_policies`.
    threshold
        Acceptance threshold of the clean side.
    notes
        What deserves a second look in the files.
    """
    first = answers[0][1]
    question = paragraph(
        f"Clean predictions are accepted from a confidence of {threshold:g} on; policy j accepts perturbed ones from "
        f"its own threshold on. Its cost is {first['weight']:g} H + {1 - first['weight']:g} L: H is the share of "
        "images whose accepted correct prediction becomes an accepted error, L the share that stay correct but are no "
        "longer accepted."
    )
    parts = _one_cell(*answers[0], question) if len(answers) == 1 else _several_cells(answers, question)
    return "\n\n".join([*parts, *note_lines(notes)])


def _one_cell(known: Known, answer: Answer, question: str) -> list[str]:
    levels = answer["levels"]
    best = list(levels)[-1]
    return [
        cell_title(known),
        paragraph(pairing_sentence(known)),
        question,
        f"Costs in percentage points of all images, at level {best}\n" + _costs(answer, best),
        paragraph(
            "The cost range covers every pairing of the records, class by class, that agrees with what is known; the "
            "mean weights these pairings equally. The worst-case regret is the most that the policy can cost above the "
            "best one under the same pairing."
        ),
        "Certified: the first policy costs less than the second, whatever the pairing\n" + _certified_table(levels),
        "Policy selected by each rule (ties: the first listed)\n" + _selected(levels),
        "\n".join(level_legend(levels)),
        conclusions(_reading(known, answer)),
    ]


def _costs(answer: Answer, level: str) -> str:
    found = answer["levels"][level]
    columns = {
        "policy": [str(place) for place in range(len(answer["policy_thresholds"]))],
        "threshold": [f"{value:g}" for value in answer["policy_thresholds"]],
        "accepted errors": [points(value) for value in answer["accepted_error"]],
        "cost range": [interval(ends) for ends in found["cost"]],
        "mean cost": [points(value) for value in found["mean_cost"]],
        "worst-case regret": [points(value) for value in found["worst_case_regret"]],
    }
    if answer["observed"] is not None:
        columns["observed cost"] = [points(value) for value in answer["observed"]["cost"]]
    return aligned(list(columns), list(zip(*columns.values(), strict=True)))


def _certified_table(levels: dict[str, Answer]) -> str:
    """List the certified pairs that each level adds; a star marks those that only one shared pairing shows."""
    rows: list[list[str]] = []
    seen: set[tuple[int, int]] = set()
    starred = False
    for level, found in levels.items():
        added = [(j, other) for j, other in found["certified"] if (j, other) not in seen]
        seen.update(added)
        names = []
        for j, other in added:
            shared = found["cost"][j][1] - found["cost"][other][0] >= -STRICTNESS
            starred |= shared
            names.append(f"{j} < {other}{'*' if shared else ''}")
        rows.append([LEVEL_NAMES[level], ", ".join(names) or ("nothing" if not rows else "nothing more")])
    table = "\n".join(f"{name:{max(len(row[0]) for row in rows)}}  {pairs}" for name, pairs in rows)
    if starred:
        table += "\n* although their cost ranges overlap: both policies face the same pairing"
    return table


def _selected(levels: dict[str, Answer]) -> str:
    rows = [[text, *(_policy(found["selected"][rule]) for found in levels.values())] for rule, text in RULES.items()]
    return aligned(["rule", *(LEVEL_NAMES[level] for level in levels)], rows)


def _policy(place: int | None) -> str:
    return "none" if place is None else str(place)


def _undominated(answer: Answer, level: str) -> list[int]:
    beaten = {other for _, other in answer["levels"][level]["certified"]}
    return [place for place in range(len(answer["policy_thresholds"])) if place not in beaten]


def _several_cells(answers: Sequence[tuple[Known, Answer]], question: str) -> list[str]:
    keys, values = key_columns(answers)
    rows = []
    for row, (_, answer) in zip(values, answers, strict=True):
        best = list(answer["levels"])[-1]
        selected = answer["levels"][best]["selected"]
        observed = [] if answer["observed"] is None else answer["observed"]["cost"]
        rows.append(
            [
                *row,
                best,
                ", ".join(f"{j} < {other}" for j, other in answer["levels"][best]["certified"]) or "nothing",
                ", ".join(map(str, _undominated(answer, best))),
                str(selected[MINIMAX_REGRET]),
                str(selected[FEASIBLE_MEAN]),
                ", ".join(str(place) for place, cost in enumerate(observed) if cost <= min(observed) + STRICTNESS),
            ]
        )
    header = [*keys, "level", "certified better", "not beaten", "least regret", "least mean", "least observed"]
    thresholds = ", ".join(f"{j}: {value:g}" for j, value in enumerate(answers[0][1]["policy_thresholds"]))
    levels = dict.fromkeys(row[len(keys)] for row in rows)
    return [
        f"{len(answers):,} cells",
        question,
        f"Thresholds of the policies: {thresholds}",
        aligned(header, rows, text_columns=len(keys) + 2),
        "\n".join(
            [
                "certified better: j < l if policy j costs less than l under every pairing that agrees with the level",
                "not beaten: policies than which no other one is certified better",
                "least regret, mean, observed: the policy with the least worst-case regret, mean cost, actual cost",
                "",
                *level_legend(levels),
            ]
        ),
    ]


def _reading(known: Known, answer: Answer) -> list[str]:
    """Say which policy is certified better, what stays open, and what to record next time."""
    best = list(answer["levels"])[-1]
    left = _undominated(answer, best)
    beaten = [str(place) for place in range(len(answer["policy_thresholds"])) if place not in left]
    lines = []
    if beaten:
        lines.append(
            f"Certified worse than another policy, whatever the pairing: {listed(beaten)}. "
            f"{'Left' if len(left) > 1 else 'The only one left'}: {listed([str(place) for place in left])}."
        )
    else:
        lines.append("No policy is certified better than another one.")
    if len(left) > 1:
        lines.append(
            f"Between {listed([str(place) for place in left])}, the cost depends on which records belong together, or "
            "is the same."
        )
    if known.cell.paired:
        costs = answer["observed"]["cost"]
        least = [str(place) for place, cost in enumerate(costs) if cost <= min(costs) + STRICTNESS]
        lines.append(
            f"The image ids tell the costs: policy {listed(least)} {'costs' if len(least) == 1 else 'cost'} least in "
            "these records ('observed cost'). Ranges and certificates say what could be found out without the ids."
        )
    elif len(left) > 1 and not all(determined(ends) for ends in answer["levels"][best]["cost"]):
        lines.append(_next_time(known))
    return lines


def _next_time(known: Known) -> str:
    ids = "To know more, record the same image id with both predictions of an image; then each cost is exact."
    if known.counts is None:
        return (
            f"{ids} If ids cannot be kept, count for each class the images that are correct on both sides (--overlap, "
            "columns label,k), or all five outcomes (--states, columns label,h,r,s,w,k)."
        )
    if known.counts.persistent is None:
        return f"{ids} If ids cannot be kept, count all five outcomes (--states, columns label,h,r,s,w,k)."
    return f"{ids} Counts per class cannot tell more."
