"""Does a score rank images, or only their classes? Controls for the identity of the image (Appendix E.1, Table 25, 27).

The controls give every image the response of other clean-correct images of its class. Images that are alone in their
class have no control; a comparison leaves them out on both sides.
"""

import numpy as np

from pairedeval.identification.classes import Classes
from pairedeval.seeds import derive_seed
from pairedeval.states import conditional_mean

# Seeded reassignments whose AUROC is averaged (Table 25).
DRAWS = 10


def derangements(labels: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Reassign the images within each class so that none keeps its own value, uniformly among all such ways.

    Permutations are drawn for all classes and draws at once; only those that leave an image in place are drawn again.
    A permutation of a class has no fixed point with a chance of at least one third, so few rounds are needed.

    Parameters
    ----------
    labels
        True class of each image, in any order, shape ``(n,)``.
    draws
        Number of independent reassignments.
    seed
        Seed of the model, derived from that of the study.

    Returns
    -------
    numpy.ndarray
        Image whose value each image gets, int, shape ``(draws, n)``; -1 for images that are alone in their class.

    Examples
    --------
    >>> derangements(np.array([4, 7, 4, 9, 7]), draws=2, seed=1)
    array([[ 2,  4,  0, -1,  1],
           [ 2,  4,  0, -1,  1]])
    """
    random = np.random.default_rng(derive_seed(seed, "derangements", bits=64))
    partner = np.full((draws, len(labels)), -1)
    for members in _members_by_size(labels):
        if members.shape[1] > 1:
            places = _deranged_places((draws, *members.shape), random)
            partner[:, members] = np.take_along_axis(members[np.newaxis], places, axis=-1)
    return partner


def deranged(values: np.ndarray, partner: np.ndarray) -> np.ndarray:
    """Return the value that each image gets from its partner, NaN where it has none, shape ``(draws, n)``.

    Parameters
    ----------
    values
        Score of each image, shape ``(n,)``.
    partner
        Result of `derangements`.

    Examples
    --------
    >>> deranged(np.array([0.2, 0.5, 0.9]), np.array([[2, -1, 0]]))
    array([[0.9, nan, 0.2]])
    """
    return np.where(partner >= 0, values[partner], np.nan)


def leave_one_out_mean(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Average the values of the other images of each image's class; NaN for images that are alone in it.

    The other values are added up themselves. Taking an image's value off the sum of its class would leave rounding
    behind and break ties: two images of a class exchange their values exactly.

    Parameters
    ----------
    values
        Score of each image, shape ``(n,)``.
    labels
        True class of each image, in any order, shape ``(n,)``.

    Examples
    --------
    >>> leave_one_out_mean(np.array([0.1, 0.2, 0.4, 0.6]), np.array([1, 3, 3, 3]))
    array([nan, 0.5, 0.4, 0.3])
    """
    means = np.full(len(labels), np.nan)
    for members in _members_by_size(labels):
        size = members.shape[1]
        if size > 1:
            means[members] = np.einsum("ij,cj->ci", 1 - np.eye(size), values[members]) / (size - 1)
    return means


def terciles(confidence: np.ndarray) -> np.ndarray:
    """Return the third of the images by clean confidence that each belongs to: 0, 1 or 2.

    The cuts are the quantiles 1/3 and 2/3 within a model (linear between images); an image at a cut belongs to the
    higher third (Table 27). Many equal confidences make uneven thirds, even empty ones.

    Examples
    --------
    >>> terciles(np.array([0.1, 0.5, 0.4, 0.9]))
    array([0, 2, 1, 2])
    """
    if len(confidence) == 0:
        return np.zeros(0, dtype=np.intp)
    cuts = np.quantile(confidence, [1 / 3, 2 / 3])
    return np.searchsorted(cuts, confidence, side="right")


def retention_gap(values: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return by how much more often images above the median value stay correct than images below it (Table 27).

    Images at the median count on neither side.

    Parameters
    ----------
    values
        Corruption mean U of the clean-correct images of a stratum, shape ``(n,)``.
    kept
        Whether each image stays correct, bool, shape ``(conditions, n)``.

    Returns
    -------
    numpy.ndarray
        Difference of retention rates, a share, shape ``(conditions,)``; NaN if no image lies on one side.

    Examples
    --------
    >>> retention_gap(np.array([0.2, 0.3, 0.5, 0.8]), np.array([[False, True, True, True]]))
    array([0.5])
    """
    if len(values) == 0:
        return np.full(len(kept), np.nan)
    median = np.median(values)
    rates = [conditional_mean(kept[:, side].sum(axis=1), side.sum()) for side in (values > median, values < median)]
    return np.asarray(rates[0] - rates[1])


def degenerate(failures: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Mark the conditions under which a reassignment within classes cannot change the AUROC (Appendix E.1).

    The rule: both outcomes occur, but no class has both of them. Values then move among failures or among retained
    images only, so no draw changes the AUROC; as soon as one class has both outcomes, there are values for which a draw
    does. The paper describes its cases, under extreme conditions, as those whose retained images all lie in one class,
    because these only exchange values among themselves. That reason needs the class to be without failures, and it
    covers several such classes as well: the rule follows the reason.

    Parameters
    ----------
    failures
        Whether each image fails, bool, shape ``(conditions, n)``.
    labels
        True class of each compared image, in any order, shape ``(n,)``.

    Returns
    -------
    numpy.ndarray
        Bool, shape ``(conditions,)``; false where all images share one outcome, as there is no AUROC.

    Examples
    --------
    >>> failures = np.array([[True, True, False, False], [True, False, False, False], [False] * 4])
    >>> degenerate(failures, np.array([0, 0, 1, 1]))
    array([ True, False, False])
    """
    order = np.argsort(labels, kind="stable")
    classes = Classes.of(labels[order])
    failed = classes.count(failures[:, order])
    mixed = (failed > 0) & (failed < classes.sizes)
    return np.asarray(~mixed.any(axis=1) & failures.any(axis=1) & ~failures.all(axis=1))


def _members_by_size(labels: np.ndarray) -> list[np.ndarray]:
    """Return, for each class size, the images of the classes of that size, shape ``(classes, size)`` each."""
    order = np.argsort(labels, kind="stable")
    return [order[places] for places in Classes.of(labels[order]).by_size()]


def _deranged_places(shape: tuple[int, int, int], random: np.random.Generator) -> np.ndarray:
    """Draw derangements of places within classes of one size; shape ``(draws, classes, size)``."""
    start = np.arange(shape[-1])
    places = np.tile(start, (shape[0] * shape[1], 1))
    left = np.arange(len(places))
    while len(left):
        places[left] = random.permuted(places[left], axis=1)
        left = left[(places[left] == start).any(axis=1)]
    return places.reshape(shape)
