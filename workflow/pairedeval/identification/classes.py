"""Counts per true class, the only part of the records that event bounds depend on (Appendix A.1)."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pairedeval.states import Outcomes


@dataclass(frozen=True)
class Classes:
    """Where each true class lies in arrays whose last axis is sorted by class.

    Attributes
    ----------
    labels
        Class ids, ascending, shape ``(classes,)``.
    starts
        Position of the first record of each class, shape ``(classes,)``.
    sizes
        Number n_y of records a side, shape ``(classes,)``.
    """

    labels: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray

    @classmethod
    def of(cls, labels: np.ndarray) -> "Classes":
        """Read the classes off sorted labels, shape ``(n,)``.

        Examples
        --------
        >>> Classes.of(np.array([3, 3, 7])).sizes
        array([2, 1])
        """
        return cls(*np.unique(labels, return_index=True, return_counts=True))

    @cached_property
    def index(self) -> np.ndarray:
        """Position of each record's class in `labels`, shape ``(n,)``."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def place(self) -> np.ndarray:
        """Position of each record within its class, from 0, shape ``(n,)``."""
        place: np.ndarray = np.arange(len(self.index)) - self.starts[self.index]
        return place

    def count(self, flags: np.ndarray) -> np.ndarray:
        """Count true flags per class: ``(..., n)`` to ``(..., classes)``."""
        counts: np.ndarray = np.add.reduceat(flags, self.starts, axis=-1, dtype=np.int64)
        return counts

    def spread(self, per_class: np.ndarray) -> np.ndarray:
        """Repeat one value per class for each of its records: ``(..., classes)`` to ``(..., n)``."""
        spread: np.ndarray = np.take(per_class, self.index, axis=-1)
        return spread

    def by_size(self) -> Iterator[np.ndarray]:
        """Yield, for each class size, the record positions of the classes of that size, ``(classes, size)``."""
        for size in np.unique(self.sizes):
            yield self.starts[self.sizes == size, None] + np.arange(size)


@dataclass(frozen=True)
class ClassCounts:
    """Counts per class of both sides' records; clean ones have shape ``(classes,)``.

    Attributes
    ----------
    size
        n_y, records a side.
    clean_correct
        a_y.
    clean_accepted
        u_y, correct and accepted clean records.
    perturbed_correct
        b_y, shape ``(conditions, classes)`` like the next two.
    perturbed_rejected
        v_y, correct and rejected perturbed records.
    accepted_errors
        t_y, wrong and accepted perturbed records.
    """

    size: np.ndarray
    clean_correct: np.ndarray
    clean_accepted: np.ndarray
    perturbed_correct: np.ndarray
    perturbed_rejected: np.ndarray
    accepted_errors: np.ndarray

    @property
    def overlap_range(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest feasible number k_y of correct-correct pairs (Eq. 3)."""
        return overlap_range(self.size, self.clean_correct, self.perturbed_correct)


def overlap_range(size: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest intersection of two subsets of matched sets of `size` records (Eq. 3, 4).

    Examples
    --------
    >>> low, high = overlap_range(np.array([5]), np.array([4]), np.array([3]))
    >>> int(low[0]), int(high[0])
    (2, 3)
    """
    return np.maximum(0, first + second - size), np.minimum(first, second)


def class_counts(classes: Classes, judged: Outcomes) -> ClassCounts:
    """Count the judged records per class."""
    return ClassCounts(
        size=classes.sizes,
        clean_correct=classes.count(judged.clean_correct),
        clean_accepted=classes.count(judged.clean_correct & judged.clean_accepted),
        perturbed_correct=classes.count(judged.perturbed_correct),
        perturbed_rejected=classes.count(judged.perturbed_correct & ~judged.perturbed_accepted),
        accepted_errors=classes.count(~judged.perturbed_correct & judged.perturbed_accepted),
    )
