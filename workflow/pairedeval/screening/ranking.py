"""How well risk scores rank failures: AUROC, and recall of failures at fixed budgets (Sections 5.1 and 5.2).

A risk is larger where a failure is more likely. Images may be weighted by how often a resampling drew their class; a
weight w counts like w copies of the image. Everything before the last division is a sum of integers or halves, so the
results do not depend on the machine.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pairedeval.states import conditional_mean, coverage_rank

# Shares of the clean-correct images that are captured again (Section 5.2); the second is the primary one.
BUDGETS = (0.1, 0.2, 0.3)
PRIMARY_BUDGET = 0.2


def auroc(risk: np.ndarray, failures: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the chance that a failing image has a higher risk than another one, ties counting one half.

    Parameters
    ----------
    risk
        Risk scores, shape ``(scores, n)``. A score that is NaN for some image ranks nothing.
    failures
        Images that fail under each real condition, bool, shape ``(conditions, n)``.
    weights
        Whole numbers of copies of each image in each draw, shape ``(n, draws)``; None counts each image once.

    Returns
    -------
    numpy.ndarray
        Shape ``(scores, conditions, draws)``, without the last axis if `weights` is None. NaN where all images of a
        draw share one outcome, and for scores that rank nothing.

    Examples
    --------
    >>> risk = np.array([[0.9, 0.5, 0.5, 0.1]])
    >>> auroc(risk, np.array([[True, True, False, False]])).tolist()
    [[0.875]]
    """
    copies = _copies(weights, risk.shape[1])
    failed = failures.astype(float)
    positive = failed @ copies
    negative = copies.sum(axis=0) - positive
    found = np.full((len(risk), *positive.shape), np.nan)
    for row, ties in _ranked(risk):
        # Failures are also ranked among themselves, where every pair counts one half whatever the ranks are.
        won = failed[:, ties.order] @ ties.weighted_midranks(copies) - positive**2 / 2
        found[row] = conditional_mean(won, positive * negative)
    return found[..., 0] if weights is None else found


def recall_at_budgets(
    risk: np.ndarray,
    failures: np.ndarray,
    budgets: Sequence[float] = BUDGETS,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Return the share of each condition's failures among the riskiest images (failure coverage, Section 5.2).

    Ties at the cutoff are prorated: the result is the mean over all orders of the tied images.

    Parameters
    ----------
    risk, failures, weights
        As for `auroc`.
    budgets
        Shares of the images to capture again; see `budget_size`.

    Returns
    -------
    numpy.ndarray
        Shape ``(scores, conditions, budgets, draws)``, without the last axis if `weights` is None. NaN where a
        draw has no failure, and for scores that rank nothing.

    Examples
    --------
    >>> risk = np.array([[0.9, 0.5, 0.5, 0.1]])
    >>> recall_at_budgets(risk, np.array([[True, True, False, False]]), [0.25, 0.5]).tolist()
    [[[0.5, 0.75]]]
    """
    copies = _copies(weights, risk.shape[1])
    failed = failures.astype(float)
    positive = failed @ copies
    sizes = budget_size(copies.sum(axis=0).astype(np.int64), budgets)
    found = np.full((len(risk), len(failures), len(budgets), copies.shape[1]), np.nan)
    for row, ties in _ranked(risk):
        sorted_failed = failed[:, ties.order]
        for column, size in enumerate(sizes.T):
            before, at_cutoff, fraction = ties.cut(copies, size)
            captured = sorted_failed @ before + fraction * (sorted_failed @ at_cutoff)
            found[row, :, column] = conditional_mean(captured, positive)
    return found[..., 0] if weights is None else found


def budget_size(images: np.ndarray, budgets: Sequence[float] = BUDGETS) -> np.ndarray:
    """Return how many images a budget captures: round(q n), halves rounded up, at least one (Appendix E.1).

    Parameters
    ----------
    images
        Numbers n of images, int, any shape.
    budgets
        Shares q.

    Returns
    -------
    numpy.ndarray
        Int, shape ``(*images.shape, budgets)``.

    Examples
    --------
    >>> budget_size(np.array([2, 5, 45]), [0.1, 0.3]).tolist()
    [[1, 1], [1, 2], [5, 14]]
    """
    numbers, place = np.unique(images, return_inverse=True)
    sizes = [[max(1, coverage_rank(budget, int(number))) for budget in budgets] for number in numbers]
    return np.array(sizes, dtype=np.int64).reshape(len(numbers), len(budgets))[place.reshape(np.shape(images))]


def attainable_ceiling(failures: np.ndarray, images: np.ndarray, budgets: Sequence[float] = BUDGETS) -> np.ndarray:
    """Return the largest recall that a budget of k images allows, min(1, k / failures) (Table 21).

    Parameters
    ----------
    failures
        Numbers of failing images, int, any shape.
    images
        Numbers of images, int, of a shape that broadcasts to that of `failures`.
    budgets
        Shares of the images.

    Returns
    -------
    numpy.ndarray
        Shape ``(*failures.shape, budgets)``; NaN without failures.

    Examples
    --------
    >>> attainable_ceiling(np.array([4, 40]), np.array(100), [0.1]).tolist()
    [[1.0], [0.25]]
    """
    failed = np.asarray(failures)[..., np.newaxis]
    size = budget_size(np.asarray(images), budgets)
    return np.asarray(np.minimum(1, conditional_mean(*np.broadcast_arrays(size, failed))))


def random_recall(failures: int, images: int, seed: int, budgets: Sequence[float] = BUDGETS) -> np.ndarray:
    """Return the recall of one random order of the images, shape ``(budgets,)``; NaN without failures (Table 18).

    Parameters
    ----------
    failures, images
        Numbers of failing images and of all images.
    seed
        Seed of the cell.
    budgets
        Shares of the images, ascending: a larger budget adds images to a smaller one.

    Examples
    --------
    >>> random_recall(30, 30, seed=1, budgets=[0.1, 1.0]).tolist()
    [0.1, 1.0]
    """
    generator = np.random.default_rng(seed)
    captured = found = 0
    recall = []
    for size in budget_size(np.array(images), budgets):
        missing = failures - found
        # The images of a random order up to a budget hold a hypergeometric number of the failures not yet found.
        found += generator.hypergeometric(missing, images - captured - missing, size - captured)
        captured = size
        recall.append(found)
    return conditional_mean(np.array(recall, dtype=float), np.full(len(budgets), failures))


@dataclass(frozen=True)
class _Ties:
    """Images in descending risk, in groups of equal risk.

    Attributes
    ----------
    order
        Image at each rank, shape ``(n,)``.
    starts
        First rank of each group, shape ``(groups,)``.
    group
        Group of each rank, shape ``(n,)``.
    """

    order: np.ndarray
    starts: np.ndarray
    group: np.ndarray

    @classmethod
    def of(cls, risk: np.ndarray) -> "_Ties":
        order = np.argsort(-risk, kind="stable")
        descending = risk[order]
        first = np.append(True, descending[1:] != descending[:-1])
        return cls(order, np.flatnonzero(first), first.cumsum() - 1)

    def weighted_midranks(self, copies: np.ndarray) -> np.ndarray:
        """Return at each rank the image's copies times the copies below it, ties one half; ``(n, draws)``."""
        ordered = copies[self.order]
        sizes = np.add.reduceat(ordered, self.starts, axis=0)
        midranks = ordered.sum(axis=0) - sizes.cumsum(axis=0) + sizes / 2
        weighted: np.ndarray = ordered * midranks[self.group]
        return weighted

    def cut(self, copies: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Cut each draw after `size` copies, shape ``(draws,)``.

        Returns the copies at each rank that lie in groups before the cutoff's group, those in that group, both of
        shape ``(n, draws)``, and the fraction of that group that is captured, shape ``(draws,)``.
        """
        ordered = copies[self.order]
        sizes = np.add.reduceat(ordered, self.starts, axis=0)
        ends = sizes.cumsum(axis=0)
        # A draw without any copy has no cutoff; it has no failures either, hence no recall.
        cutoff = np.minimum((ends < size).sum(axis=0), len(self.starts) - 1)
        at = np.expand_dims(cutoff, 0)
        group_size = np.take_along_axis(sizes, at, axis=0)[0]
        taken = size - (np.take_along_axis(ends, at, axis=0)[0] - group_size)
        group = self.group[:, np.newaxis]
        return ordered * (group < cutoff), ordered * (group == cutoff), conditional_mean(taken, group_size)


def _copies(weights: np.ndarray | None, images: int) -> np.ndarray:
    return np.ones((images, 1)) if weights is None else weights.astype(float)


def _ranked(risk: np.ndarray) -> Iterator[tuple[int, _Ties]]:
    """Yield the row and the order of each score that ranks all images."""
    for row, values in enumerate(risk):
        if len(values) and not np.isnan(values).any():
            yield row, _Ties.of(values)
