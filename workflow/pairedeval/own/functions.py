"""Bounds and policy comparisons on anyone's predictions; what ``from pairedeval import ...`` offers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.identification import LEVELS, ClassStates
from pairedeval.identification.levels import FIVE_STATES, MARGINAL, OVERLAP
from pairedeval.own.answers import Answer, bounds_answer, policies_answer
from pairedeval.own.cells import Cell, split_cells
from pairedeval.own.checking import notes
from pairedeval.own.joint_counts import (
    OVERLAP_COUNTS,
    STATE_COUNTS,
    JointCounts,
    check_joint_counts,
    class_states,
    require_cell_columns,
)
from pairedeval.own.predictions import check_predictions, read_predictions
from pairedeval.policies.thresholds import PRIMARY_WEIGHT


@dataclass(frozen=True)
class Known:
    """One cell with what is known about its pairing.

    Attributes
    ----------
    cell
        Records of both sides.
    counts
        Joint counts where the pairing is unknown; None if there are none.
    levels
        Information levels to report.
    """

    cell: Cell
    counts: ClassStates | None
    levels: tuple[str, ...]


def bounds(
    clean: pd.DataFrame,
    perturbed: pd.DataFrame,
    threshold: float,
    level: str | None = None,
    overlap: pd.DataFrame | None = None,
    states: pd.DataFrame | None = None,
) -> list[Answer]:
    """Bound accepted-error transitions H, lost acceptance L and the confidence drop dM_k (Section 3.2).

    Parameters
    ----------
    clean, perturbed
        Predictions, one row an image: columns ``image_id``, ``label``, ``prediction``, ``confidence`` and
        ``true_class_probability``; ``model`` and ``condition`` where there are several. If both sides hold the same
        image ids, their pairing is known.
    threshold
        A prediction is accepted if its confidence is at least this share.
    level
        ``I0``, ``Ik`` or ``I5`` to report just this one; otherwise all that are known.
    overlap
        Without a pairing: columns ``label`` and ``k``, images of the class that are correct on both sides.
    states
        Instead of `overlap`: columns ``label``, ``h``, ``r``, ``s``, ``w`` and ``k`` (Table 1).

    Returns
    -------
    list of dict
        One a cell, see `pairedeval.own.answers.bounds_answer`; rates are shares.

    Raises
    ------
    RecordsError
        If a row, class, count, level or threshold cannot be used.

    Examples
    --------
    Two images of one class; the second loses its correct label, the first its acceptance.

    >>> columns = ["image_id", "label", "prediction", "confidence", "true_class_probability"]
    >>> clean = pd.DataFrame([("a", "cat", "cat", 0.9, 0.9), ("b", "cat", "cat", 0.6, 0.6)], columns=columns)
    >>> dark = pd.DataFrame([("a", "cat", "cat", 0.6, 0.6), ("b", "cat", "dog", 0.8, 0.2)], columns=columns)
    >>> answer = bounds(clean, dark, threshold=0.8)[0]
    >>> answer["observed"]["L"], answer["levels"]["I5"]["L"]
    (0.5, [0.0, 0.5])
    """
    cells, supplied = _cells(clean, perturbed), _supplied(overlap, states)
    return [answer for _, answer in answer_bounds(cells, threshold, level, supplied)]


def policy_bounds(
    clean: pd.DataFrame,
    perturbed: pd.DataFrame,
    threshold: float,
    policy_thresholds: Sequence[float],
    weight: float = PRIMARY_WEIGHT,
    level: str | None = None,
    overlap: pd.DataFrame | None = None,
    states: pd.DataFrame | None = None,
) -> list[Answer]:
    """Compare rejection policies under one shared, partly known pairing (Section 4.2, Appendix D).

    Parameters
    ----------
    clean, perturbed, level, overlap, states
        As for `bounds`.
    threshold
        Acceptance threshold of the clean side.
    policy_thresholds
        Acceptance threshold on the perturbed side, one a policy.
    weight
        Weight of accepted-error transitions in the cost; lost acceptances have the rest.

    Returns
    -------
    list of dict
        One a cell, see `pairedeval.own.answers.policies_answer`; costs are shares.

    Raises
    ------
    RecordsError
        As for `bounds`.
    """
    cells, supplied = _cells(clean, perturbed), _supplied(overlap, states)
    return [answer for _, answer in answer_policies(cells, threshold, policy_thresholds, weight, level, supplied)]


def read_cells(clean: str | Path, perturbed: str | Path) -> tuple[Iterator[Cell], list[str]]:
    """Read two prediction files; return their cells, and notes on what deserves a second look."""
    first, second = read_predictions(clean), read_predictions(perturbed)
    found = [f"{path}: {note}" for path, side in ((clean, first), (perturbed, second)) for note in notes(side)]
    return split_cells(first, second, f"{clean}, {perturbed}"), found


def supplied_counts(overlap: JointCounts | None, states: JointCounts | None) -> JointCounts | None:
    """Return the one kind of joint counts that is given; both at once are refused."""
    if overlap is not None and states is not None:
        raise RecordsError(
            f"{overlap.place}, {states.place}: give overlap counts or state counts, not both; "
            "the state counts hold the overlap"
        )
    return overlap if states is None else states


def answer_bounds(
    cells: Iterable[Cell], threshold: float, level: str | None, supplied: JointCounts | None
) -> Iterator[tuple[Known, Answer]]:
    """Yield each cell with what is known about it, and its bounds."""
    check_share(threshold, "threshold")
    for known in _known(cells, level, supplied):
        yield known, bounds_answer(known.cell, threshold, known.levels, known.counts)


def answer_policies(
    cells: Iterable[Cell],
    threshold: float,
    thresholds: Sequence[float],
    weight: float,
    level: str | None,
    supplied: JointCounts | None,
) -> Iterator[tuple[Known, Answer]]:
    """Yield each cell with what is known about it, and the comparison of the policies."""
    check_share(threshold, "threshold")
    check_share(weight, "weight")
    if not len(thresholds):
        raise RecordsError("policy thresholds: there is none; name at least one")
    for value in thresholds:
        check_share(value, "policy threshold")
    for known in _known(cells, level, supplied):
        yield known, policies_answer(known.cell, threshold, thresholds, weight, known.levels, known.counts)


def check_share(value: float, name: str) -> None:
    """Refuse a threshold or weight outside [0, 1], or NaN."""
    if not 0 <= value <= 1:
        raise RecordsError(f"{name} {value:g} lies outside [0, 1]; give a share such as 0.8")


def _cells(clean: pd.DataFrame, perturbed: pd.DataFrame) -> Iterator[Cell]:
    return split_cells(check_predictions(clean, "clean"), check_predictions(perturbed, "perturbed"))


def _supplied(overlap: pd.DataFrame | None, states: pd.DataFrame | None) -> JointCounts | None:
    return supplied_counts(
        None if overlap is None else check_joint_counts(overlap, OVERLAP_COUNTS, "overlap"),
        None if states is None else check_joint_counts(states, STATE_COUNTS, "states"),
    )


def _known(cells: Iterable[Cell], level: str | None, supplied: JointCounts | None) -> Iterator[Known]:
    if level is not None and level not in LEVELS:
        raise RecordsError(
            f"unknown level {level}; the levels are I0 (separate records), Ik (overlap per class) and "
            "I5 (five state counts per class)"
        )
    if supplied is not None:
        cells = list(cells)
        require_cell_columns(supplied, cells)
    for cell in cells:
        counts = None if supplied is None else class_states(supplied, cell)
        yield Known(cell, counts, _levels(cell, counts, level))


def _levels(cell: Cell, counts: ClassStates | None, level: str | None) -> tuple[str, ...]:
    """Return the levels to report; a wanted one that the records do not reach is refused with a remedy."""
    if cell.paired or (counts is not None and counts.persistent is not None):
        available: tuple[str, ...] = LEVELS
    else:
        available = (MARGINAL,) if counts is None else (MARGINAL, OVERLAP)
    if level is None:
        return available
    if level not in available:
        remedy = "--states (columns label,h,r,s,w,k)"
        if level != FIVE_STATES:
            remedy = f"--overlap (columns label,k) or {remedy}"
        raise RecordsError(
            f"{cell.place}: level {level} is not available, because the sides share no image ids; "
            f"give both sides the same ids, or supply joint counts with {remedy}"
        )
    return (level,)
