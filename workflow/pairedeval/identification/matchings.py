r"""Correspondences of one class, built block by block (Appendices A.1 and A.3).

A correspondence of a class consists of four blocks: k retained-correct pairs, h = a - k harmful flips, the pairs of
wrong records on both sides, and corrections. The correct records fill their places freely. Only the wrong-wrong block
needs care at level I5, where exactly s of its m pairs have equal labels: an integer programme over labels says how many
records of each label take part, an assignment then pairs them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp

# Positions of clean and of perturbed records within their class, paired in order.
Pairs = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class ClassSides:
    """Both sides of one class, arrays of shape ``(n,)``, and the counts that are kept.

    Attributes
    ----------
    clean_prediction, perturbed_prediction
        Predicted labels.
    clean_correct, perturbed_correct
        Whether they are right.
    overlap
        Retained-correct pairs k.
    persistent
        Persistent errors s; None where only the overlap is kept.
    """

    clean_prediction: np.ndarray
    perturbed_prediction: np.ndarray
    clean_correct: np.ndarray
    perturbed_correct: np.ndarray
    overlap: int
    persistent: int | None

    @cached_property
    def flips(self) -> int:
        """Harmful flips h = a - k."""
        return int(self.clean_correct.sum()) - self.overlap


def join(size: int, *blocks: Pairs) -> np.ndarray:
    """Pair the records of the given blocks, and those left over in their order.

    Returns
    -------
    numpy.ndarray
        Position of the perturbed partner of each clean record, shape ``(size,)``.

    Examples
    --------
    >>> join(3, (np.array([0]), np.array([2])))
    array([2, 0, 1])
    """
    partner = np.full(size, -1)
    for clean, perturbed in blocks:
        partner[clean] = perturbed
    left = partner < 0
    partner[left] = np.setdiff1d(np.arange(size), partner[~left])
    return partner


def wrong_block(sides: ClassSides, avoided: np.ndarray) -> Pairs:
    """Pair wrong records of both sides, with as few of the avoided perturbed ones as possible.

    Parameters
    ----------
    sides
        The class.
    avoided
        Perturbed records that should rather be left for the harmful flips, bool, shape ``(n,)``.
    """
    clean, perturbed = np.flatnonzero(~sides.clean_correct), np.flatnonzero(~sides.perturbed_correct)
    perturbed = perturbed[np.argsort(avoided[perturbed], kind="stable")]
    size = len(perturbed) - sides.flips
    if sides.persistent is None or size == 0:
        return clean[:size], perturbed[:size]
    before, after = sides.clean_prediction[clean], sides.perturbed_prediction[perturbed]
    labels = np.union1d(before, after)
    same, changed = _pairs_per_label(
        *((part[:, None] == labels).sum(axis=0) for part in (before, after, after[~avoided[perturbed]])),
        persistent=sides.persistent,
        changed=size - sides.persistent,
    )
    taken: list[list[np.ndarray]] = [[], [], [], []]
    for label, s, e in zip(labels, same, changed, strict=True):
        members, others = clean[before == label], perturbed[after == label]
        for part, chosen in zip(taken, (members[:s], others[:s], members[s:], others[s : s + e]), strict=True):
            part.append(chosen)
    same_clean, same_perturbed, partners, ends = (np.concatenate(part) for part in taken)
    equal = sides.perturbed_prediction[ends][:, None] == sides.clean_prediction[partners]
    chosen_ends, chosen_partners = linear_sum_assignment(equal)
    return (
        np.concatenate([same_clean, partners[chosen_partners]]),
        np.concatenate([same_perturbed, ends[chosen_ends]]),
    )


def _pairs_per_label(
    clean: np.ndarray, perturbed: np.ndarray, wanted: np.ndarray, *, persistent: int, changed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Say how many persistent pairs and changed perturbed ends each label has, arrays of shape ``(labels,)``.

    The conditions are those of `pairedeval.identification.wrong_block`. What a label has in the block beyond its
    `wanted` ends are avoided records, whose number is minimised.
    """
    number = len(clean)
    one, none, row = np.eye(number), np.zeros((number, number)), np.ones((1, number))
    conditions = (
        LinearConstraint(np.block([row, 0 * row, 0 * row]), persistent, persistent),
        LinearConstraint(np.block([0 * row, row, 0 * row]), changed, changed),
        LinearConstraint(np.block([one, one, none]), ub=perturbed),
        LinearConstraint(np.block([-one, one, none]), ub=clean.sum() - persistent - clean),  # Hall
        LinearConstraint(np.block([one, one, -one]), ub=wanted),
    )
    found = milp(
        c=np.repeat([0, 0, 1], number),
        constraints=conditions,
        bounds=Bounds(0, np.concatenate([np.minimum(clean, perturbed), perturbed, perturbed])),
        integrality=np.repeat([1, 1, 0], number),
    )
    counts = np.rint(np.asarray(found.x)[: 2 * number]).astype(int)
    return counts[:number], counts[number:]
