"""Averages over some of the probes: prefixed subsets, severities, types and single probes (Tables 28, 32 and 36).

A subset is a set of positions in a list of 18 probes. The prefixed subsets are drawn once; the same positions serve the
corruptions and the natural transformations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from pairedeval.screening.ranking import PRIMARY_BUDGET, auroc, recall_at_budgets
from pairedeval.seeds import derive_seed

PREFIXED, SEVERITY, TYPE, PROBE = KINDS = ("prefixed", "severity", "type", "probe")
PROBES = 18
SIZES = (1, 2, 3, 6, 9, 18)
# Distinct subsets of a size that are drawn; where there are no more than that, all of them are taken.
DRAWN_SUBSETS = 20


@dataclass(frozen=True)
class ProbeSubset:
    """Some probes of a list.

    Attributes
    ----------
    kind
        One of `KINDS`.
    name
        Size and number such as ``6/03``, severity, corruption type, or condition of the probe.
    positions
        Places in the list of probes, ascending.
    """

    kind: str
    name: str
    positions: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of probes."""
        return len(self.positions)


def prefixed_subsets(seed: int, sizes: Sequence[int] = SIZES, probes: int = PROBES) -> tuple[ProbeSubset, ...]:
    """Draw distinct subsets of each size, before any result is seen (Table 28).

    Parameters
    ----------
    seed
        Seed of the study; the subsets of a size depend on nothing else.
    sizes
        Numbers of probes.
    probes
        Length of the list.

    Returns
    -------
    tuple of ProbeSubset
        `DRAWN_SUBSETS` of each size in the order drawn, or all in lexicographic order if there are no more: so every
        single probe, and the whole list.

    Examples
    --------
    >>> [(subset.name, subset.positions) for subset in prefixed_subsets(1, sizes=(1, 3), probes=3)]
    [('1/01', (0,)), ('1/02', (1,)), ('1/03', (2,)), ('3/01', (0, 1, 2))]
    """
    return tuple(
        ProbeSubset(PREFIXED, f"{size}/{number:02}", positions)
        for size in sizes
        for number, positions in enumerate(_drawn_positions(seed, size, probes), start=1)
    )


def _drawn_positions(seed: int, size: int, probes: int) -> list[tuple[int, ...]]:
    if comb(probes, size) <= DRAWN_SUBSETS:
        return list(combinations(range(probes), size))
    random = np.random.default_rng(derive_seed(seed, "probe subsets", size, bits=64))
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < DRAWN_SUBSETS:
        drawn[tuple(sorted(random.choice(probes, size, replace=False).tolist()))] = None
    return list(drawn)


def shared_subsets(kind: str, values: Sequence[object]) -> tuple[ProbeSubset, ...]:
    """Return one subset per value that probes share: all of one severity, of one type, or each by itself.

    Parameters
    ----------
    kind
        What the values are: `SEVERITY`, `TYPE` or `PROBE`.
    values
        Value of each probe of the list.

    Examples
    --------
    >>> [(subset.name, subset.positions) for subset in shared_subsets("severity", [2, 4, 2])]
    [('2', (0, 2)), ('4', (1,))]
    """
    members: dict[object, list[int]] = {}
    for position, value in enumerate(values):
        members.setdefault(value, []).append(position)
    return tuple(ProbeSubset(kind, str(value), tuple(positions)) for value, positions in members.items())


def subset_risks(probabilities: np.ndarray, subsets: Sequence[ProbeSubset]) -> np.ndarray:
    """Return minus the mean true-class probability over the probes of each subset, shape ``(subsets, n)``.

    Parameters
    ----------
    probabilities
        True-class probability M' of each image under each probe of the list, shape ``(probes, n)``.
    subsets
        Positions in that list.

    Examples
    --------
    >>> subset_risks(np.array([[0.2, 0.9], [0.4, 0.7]]), shared_subsets("probe", ["a", "b"]))
    array([[-0.2, -0.9],
           [-0.4, -0.7]])
    """
    membership = np.zeros((len(subsets), len(probabilities)))
    for row, subset in enumerate(subsets):
        membership[row, list(subset.positions)] = 1
    # Sums before they are divided, in one order on every machine: images with equal responses stay tied.
    totals = np.einsum("sp,pn->sn", membership, probabilities)
    return np.asarray(-totals / membership.sum(axis=1, keepdims=True))


def screen_subsets(
    probabilities: np.ndarray, failures: np.ndarray, subsets: Sequence[ProbeSubset], budget: float = PRIMARY_BUDGET
) -> tuple[np.ndarray, np.ndarray]:
    """Measure how well the average over each subset finds failures, all subsets at once.

    Parameters
    ----------
    probabilities
        True-class probability M' of each clean-correct image, shape ``(probes, n)``.
    failures
        Whether each image fails, bool, shape ``(conditions, n)``.
    subsets
        Positions in the list of probes.
    budget
        Share q of the images that is tested.

    Returns
    -------
    recall, auroc
        Failure recall at the budget and AUROC, shape ``(subsets, conditions)`` each, NaN where undefined.
    """
    risk = subset_risks(probabilities, subsets)
    return recall_at_budgets(risk, failures, (budget,))[..., 0], auroc(risk, failures)
