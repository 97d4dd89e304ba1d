"""Endpoints under record-attached correctness, class by class (Theorem 1; Appendices A.3, A.9, C.1 and J.1).

Two checks, neither of which assumes the theorem:

* Enumeration. All n! correspondences of a class are judged by the definitions of Tables 1 and 2, and a level keeps
  those with the observed counts. The paper's classes have at most five images; of a larger one, the first five by
  image id are matched.
* Attainment, in classes of any size. Five-state counts only remove correspondences, so the interval at I5 lies inside
  that at Ik. For each end of L and dM_k at Ik, the correct records of each side exchange places (Appendix A.3); the
  result is judged anew, has to have all five observed counts, and its value has to be the end.

Whoever judges records by accepted labels hands over a block from `cohorts.attach_correctness`.
"""

from collections.abc import Mapping
from itertools import permutations

import numpy as np
import pandas as pd

from pairedeval.identification import confidence, events, wrong_block
from pairedeval.identification.class_states import observed_states, wrong_records
from pairedeval.identification.classes import Classes, class_counts
from pairedeval.identification.levels import (
    ACCEPTED_ERROR_TRANSITION,
    CONFIDENCE_DROP,
    FIVE_STATES,
    LOST_ACCEPTANCE,
    OVERLAP,
    STRICTNESS,
)
from pairedeval.labels.rearrangement import attained
from pairedeval.records import RecordBlock, keep_images
from pairedeval.states import outcomes, response_states

LARGEST_ENUMERATED = 5
# Ends per target and level, shape (2, conditions, classes): pairs for H and L, summed M - M' for dM_k.
Ends = dict[tuple[str, str], np.ndarray]


def check_endpoints(block: RecordBlock, threshold: float) -> pd.DataFrame:
    """Compare the ends of every class at Ik and at I5.

    Parameters
    ----------
    block
        Records of one model.
    threshold
        Acceptance threshold of both sides.

    Returns
    -------
    pandas.DataFrame
        One row a ``condition``: ``classes``; ``shortened_classes``, those of which only five images are enumerated;
        ``lost_acceptance_differing`` and ``confidence_drop_differing``, classes whose ends at Ik and at I5 differ in
        the enumeration, or whose end at Ik no correspondence at I5 attains (Theorem 1: none); ``narrower_classes``,
        those with a strictly narrower H at I5; ``formula_differing``, those whose enumerated ends are not those of the
        closed forms (none, if these are right).
    """
    classes = Classes.of(block.labels)
    few = keep_images(block, classes.place < LARGEST_ENUMERATED)
    forms, listed, formulas = closed_forms(block, threshold), enumerated(few, threshold), closed_forms(few, threshold)
    reached = {target: attained(block, threshold, target) for target in (LOST_ACCEPTANCE, CONFIDENCE_DROP)}
    differing = {
        target: ~reached[target].feasible
        | _apart(reached[target].ends, forms[target, OVERLAP])
        | _apart(listed[target, OVERLAP], listed[target, FIVE_STATES])
        for target in reached
    }
    mismatched = np.any([_apart(listed[key], formulas[key]) for key in formulas], axis=0)
    low, high = forms[ACCEPTED_ERROR_TRANSITION, FIVE_STATES] - forms[ACCEPTED_ERROR_TRANSITION, OVERLAP]
    return pd.DataFrame(
        {
            "condition": np.array(block.conditions, dtype=object),
            "classes": len(classes.sizes),
            "shortened_classes": int((classes.sizes > LARGEST_ENUMERATED).sum()),
            "lost_acceptance_differing": differing[LOST_ACCEPTANCE].sum(axis=1),
            "confidence_drop_differing": differing[CONFIDENCE_DROP].sum(axis=1),
            "narrower_classes": ((low > 0) | (high < 0)).sum(axis=1),
            "formula_differing": mismatched.sum(axis=1),
        }
    )


def _apart(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Tell which classes have another lower or upper end, bool, shape ``(conditions, classes)``."""
    apart: np.ndarray = (np.abs(first - second) > STRICTNESS).any(axis=0)
    return apart


def closed_forms(block: RecordBlock, threshold: float) -> Ends:
    """Return the ends of H at Ik and I5 and those of L and dM_k at Ik, per class (Eq. 5 to 7)."""
    classes = Classes.of(block.labels)
    judged = outcomes(block, threshold)
    counts, known = class_counts(classes, judged), observed_states(classes, response_states(block))
    flips = events.marked_flips(counts, known.overlap, counts.accepted_errors)
    wrong = wrong_records(block, classes, judged, known)
    everywhere = np.ones(known.overlap.shape, dtype=bool)
    narrowed = wrong_block.marked_flips(wrong, judged.perturbed_accepted, flips, everywhere)
    clean, perturbed = (
        confidence.correct_scores(classes, side.true_class_probability, correct)
        for side, correct in ((block.clean, judged.clean_correct), (block.perturbed, judged.perturbed_correct))
    )
    retained = classes.place < classes.spread(known.overlap)
    sums = [
        np.add.reduceat(np.where(retained, difference, 0.0), classes.starts, axis=1)
        for difference in (clean.ascending - perturbed.descending, clean.descending - perturbed.ascending)
    ]
    return {
        (ACCEPTED_ERROR_TRANSITION, OVERLAP): np.stack(events.accepted_transition(counts, flips)),
        (ACCEPTED_ERROR_TRANSITION, FIVE_STATES): np.stack(events.accepted_transition(counts, narrowed)),
        (LOST_ACCEPTANCE, OVERLAP): np.stack(events.lost_acceptance(counts, known.overlap)),
        (CONFIDENCE_DROP, OVERLAP): np.stack(sums),
    }


def enumerated(block: RecordBlock, threshold: float) -> Ends:
    """Return the ends of H, L and dM_k at Ik and I5 by listing every correspondence of each class.

    Parameters
    ----------
    block
        Records of classes with at most `LARGEST_ENUMERATED` images.
    threshold
        Acceptance threshold of both sides.
    """
    classes = Classes.of(block.labels)
    shape = (2, len(block.conditions), len(classes.sizes))
    targets = (ACCEPTED_ERROR_TRANSITION, LOST_ACCEPTANCE, CONFIDENCE_DROP)
    found = {(target, level): np.empty(shape) for target in targets for level in (OVERLAP, FIVE_STATES)}
    for positions in classes.by_size():
        here = classes.index[positions[:, 0]]
        for key, ends in _listed_ends(block, threshold, positions).items():
            found[key][:, :, here] = ends
    return found


def _listed_ends(block: RecordBlock, threshold: float, positions: np.ndarray) -> Ends:
    """List the correspondences of classes of one size, whose records lie at `positions`, ``(classes, size)``."""
    size = positions.shape[1]
    matchings = np.array(list(permutations(range(size))))  # the first is the observed one

    def total(pairs: np.ndarray) -> np.ndarray:
        """Add up a property of possible pairs, ``(conditions, classes, size, size)``, over each correspondence."""
        summed: np.ndarray = pairs[..., np.arange(size), matchings].sum(axis=-1)
        return summed

    states, values = _possible_pairs(block, threshold, positions)
    counts = {name: total(state) for name, state in states.items()}
    kept = {name: count == count[..., :1] for name, count in counts.items()}
    feasible = {OVERLAP: kept["retained_correct"], FIVE_STATES: np.all(list(kept.values()), axis=0)}
    ends = {}
    for target, value in values.items():
        summed = total(value)
        for level, allowed in feasible.items():
            low = np.where(allowed, summed, np.inf).min(axis=-1)
            high = np.where(allowed, summed, -np.inf).max(axis=-1)
            ends[target, level] = np.stack([low, high])
    return ends


def _possible_pairs(
    block: RecordBlock, threshold: float, positions: np.ndarray
) -> tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray]]:
    """Judge every possible pair of clean and perturbed records of a class: states, and values of the targets."""
    label = block.labels[positions][:, :, None]
    before = block.clean.prediction[positions][:, :, None]
    after = block.perturbed.prediction[:, positions][:, :, None, :]
    accepted = (block.clean.confidence >= threshold)[positions][:, :, None]
    still_accepted = (block.perturbed.confidence >= threshold)[:, positions][:, :, None, :]
    drop = (
        block.clean.true_class_probability[positions][:, :, None]
        - block.perturbed.true_class_probability[:, positions][:, :, None, :]
    )
    right, still_right, same = before == label, after == label, before == after
    states = {
        "harmful_flip": right & ~still_right,
        "correction": ~right & still_right,
        "persistent_error": ~right & ~still_right & same,
        "changed_error": ~right & ~still_right & ~same,
        "retained_correct": right & still_right,
    }
    values = {
        ACCEPTED_ERROR_TRANSITION: states["harmful_flip"] & accepted & still_accepted,
        LOST_ACCEPTANCE: states["retained_correct"] & accepted & ~still_accepted,
        CONFIDENCE_DROP: np.where(states["retained_correct"], drop, 0.0),
    }
    return states, values
