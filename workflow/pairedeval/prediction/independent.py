"""Summaries under class-conditional independent matching, in closed form (Appendix H.2, Eq. 14).

Every clean record is combined with every perturbed record of its class, with weight 1/n_y a combination, so that each
record keeps the weight of one image. A conditional mean is the ratio of its expected numerator and denominator.
"""

import numpy as np

from pairedeval.identification.classes import Classes, class_counts
from pairedeval.identification.reference import independent_confidence_drop, independent_event
from pairedeval.records import RecordBlock
from pairedeval.states import Outcomes, conditional_mean, outcomes


def independent_summaries(block: RecordBlock, threshold: float) -> dict[str, np.ndarray]:
    """Compute the independent counterparts of the eight paired summaries.

    Parameters
    ----------
    block
        Records of one model; how positions of the two sides correspond does not matter.
    threshold
        Acceptance threshold tau.

    Returns
    -------
    dict
        Arrays of shape ``(conditions,)`` by the names of `feature_sets.SUMMARIES`; NaN where a weight or a variance is
        zero.

    Examples
    --------
    One class of two images: each clean record meets both perturbed ones.

    >>> from pairedeval.records import Predictions
    >>> clean = Predictions(np.array([0, 1]), np.array([0.9, 0.5]), np.array([0.9, 0.3]))
    >>> perturbed = Predictions(np.array([[0, 0]]), np.array([[0.8, 0.6]]), np.array([[0.8, 0.6]]))
    >>> found = independent_summaries(RecordBlock(np.zeros(2, int), np.arange(2), ("fog-2",), clean, perturbed), 0.7)
    >>> [round(float(found[name][0]), 6) for name in ("label_change_rate", "absolute_confidence_change")]
    [0.5, 0.2]
    >>> [round(float(found[name][0]), 6) for name in ("confidence_drop", "lost_acceptance")]
    [0.2, 0.25]
    """
    classes, judged = Classes.of(block.labels), outcomes(block, threshold)
    counts = class_counts(classes, judged)
    before, after = block.clean, block.perturbed
    correct = before.true_class_probability * judged.clean_correct
    still_correct = after.true_class_probability * judged.perturbed_correct
    return {
        **_label_pairs(block, classes, judged),
        "absolute_confidence_change": _absolute_change(classes, before.confidence, after.confidence),
        "confidence_correlation": _between_class_correlation(classes, before.confidence, after.confidence),
        "retained_correct": _shares(counts.clean_correct * counts.perturbed_correct, classes),
        "confidence_drop": independent_confidence_drop(classes, counts, correct, still_correct),
        "lost_acceptance": independent_event(counts, counts.perturbed_rejected),
    }


def _shares(pairs: np.ndarray, classes: Classes) -> np.ndarray:
    """Turn numbers of combinations per class, shape ``(conditions, classes)``, into shares of the images."""
    share: np.ndarray = (pairs / classes.sizes).sum(axis=-1) / classes.sizes.sum()
    return share


def _label_pairs(block: RecordBlock, classes: Classes, judged: Outcomes) -> dict[str, np.ndarray]:
    """Compute F, ds_s and ds_w, which depend on which combinations share their predicted label."""
    same, same_confidence = _same_label(block, classes)
    scores, wrong = block.perturbed.confidence, ~judged.perturbed_correct
    persistent_pairs = _totals(classes, same * wrong)
    persistent = _totals(classes, (same_confidence - same * scores) * wrong)
    clean_wrong, perturbed_wrong = classes.count(~judged.clean_correct), classes.count(wrong)
    clean_total = _totals(classes, block.clean.confidence * ~judged.clean_correct)
    wrong_decrease = clean_total * perturbed_wrong - clean_wrong * _totals(classes, scores * wrong)
    # Whole numbers, so that a class without changed errors has exactly none.
    changed_pairs = clean_wrong * perturbed_wrong - persistent_pairs
    changed = np.where(changed_pairs > 0, wrong_decrease - persistent, 0.0)
    return {
        "label_change_rate": 1 - _shares(_totals(classes, same), classes),
        "persistent_confidence_decrease": conditional_mean(
            _shares(persistent, classes), _shares(persistent_pairs, classes)
        ),
        "changed_confidence_decrease": conditional_mean(_shares(changed, classes), _shares(changed_pairs, classes)),
    }


def _same_label(block: RecordBlock, classes: Classes) -> tuple[np.ndarray, np.ndarray]:
    """Count, for each perturbed record, the clean ones of its class with its label, and add up their confidence."""
    predictions = block.clean.prediction.astype(np.int64), block.perturbed.prediction.astype(np.int64)
    span = 1 + max(int(side.max(initial=0)) for side in predictions)
    clean, perturbed = (classes.index * span + side for side in predictions)
    known, place, count = np.unique(clean, return_inverse=True, return_counts=True)
    confidence = np.bincount(place, weights=block.clean.confidence)
    found = np.minimum(np.searchsorted(known, perturbed), len(known) - 1)
    shared = known[found] == perturbed
    return count[found] * shared, confidence[found] * shared


def _totals(classes: Classes, values: np.ndarray) -> np.ndarray:
    """Add up values per class: ``(..., n)`` to ``(..., classes)``."""
    totals: np.ndarray = np.add.reduceat(values, classes.starts, axis=-1)
    return totals


def _absolute_change(classes: Classes, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return the mean of |S - S'| over all combinations, by sorting: ``n log n`` steps a class, not ``n * n``.

    Between two neighbours of the sorted union, with A clean and B perturbed scores below, A (n - B) + B (n - A)
    combinations span the gap.
    """
    total = np.zeros(len(after))
    for rows in classes.by_size():
        size = rows.shape[1]
        perturbed = after[:, rows]
        scores = np.concatenate([np.broadcast_to(before[rows], perturbed.shape), perturbed], axis=-1)
        order = np.argsort(scores, axis=-1)
        gaps = np.diff(np.take_along_axis(scores, order, axis=-1), axis=-1)
        clean = np.cumsum(order < size, axis=-1)[..., :-1]
        others = np.arange(1, 2 * size) - clean
        total += (gaps * (clean * (size - others) + others * (size - clean))).sum(axis=(1, 2)) / size
    mean: np.ndarray = total / classes.sizes.sum()
    return mean


def _between_class_correlation(classes: Classes, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Return the correlation of the sides: what is left of the covariance is that of the class means."""
    before = before - before.mean()
    after = after - after.mean(axis=1, keepdims=True)
    scale = np.sqrt((before**2).sum() * (after**2).sum(axis=1))
    product = _totals(classes, before) * _totals(classes, after) / classes.sizes
    return conditional_mean(product.sum(axis=1), scale)
