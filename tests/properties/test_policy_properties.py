"""Policy costs on small random cells: the engine equals the enumeration of all correspondences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairedeval.identification import LEVELS
from pairedeval.identification.enumerate import class_correspondences
from pairedeval.policies import compare_policies
from pairedeval.records import Predictions, RecordBlock

SCORES = [0.2, 0.4, 0.6, 0.8]
TOLERANCE = 1e-12


@st.composite
def blocks(draw) -> RecordBlock:
    """Draw one to three classes of one to five records, one condition, and up to four labels."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    candidates = draw(st.integers(len(sizes), 4))

    def side() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        prediction, confidence = (
            np.array(draw(st.lists(values, min_size=len(labels), max_size=len(labels))))
            for values in (st.integers(0, candidates - 1), st.sampled_from(SCORES))
        )
        return prediction, confidence, np.where(prediction == labels, confidence, 0.1)

    perturbed = Predictions(*(column[None] for column in side()))
    return RecordBlock(labels, np.arange(len(labels)), ("x",), Predictions(*side()), perturbed)


policy_lists = st.lists(st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), min_size=1, max_size=4)


@settings(max_examples=200, deadline=None)
@given(blocks(), st.sampled_from([0.2, 0.5, 0.6]), policy_lists, st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_engine_equals_enumeration(block, threshold, thresholds, weight):
    policies = np.array(thresholds)
    found = compare_policies(block, threshold, policies, [weight])
    classes = list(class_correspondences(block, 0, threshold, policies))
    size = len(block.labels)
    for level in LEVELS:
        lower, upper, mean = (np.zeros(len(policies)) for _ in range(3))
        difference = np.zeros((len(policies), len(policies)))
        for matchings in classes:
            feasible = matchings.feasible(level)
            cost = weight * matchings.transitions[feasible] + (1 - weight) * matchings.losses[feasible]
            lower, upper, mean = lower + cost.min(axis=0), upper + cost.max(axis=0), mean + cost.mean(axis=0)
            difference += (cost[:, :, None] - cost[:, None, :]).max(axis=0)
        bounds = found.levels[level]
        assert bounds.cost.lower[0, 0] * size == pytest.approx(lower, abs=TOLERANCE)
        assert bounds.cost.upper[0, 0] * size == pytest.approx(upper, abs=TOLERANCE)
        assert bounds.mean_cost[0, 0] * size == pytest.approx(mean, abs=1e-9)
        assert bounds.difference_upper[0, 0] * size == pytest.approx(difference, abs=TOLERANCE)
        assert bounds.worst_case_regret[0, 0] * size == pytest.approx(difference.max(axis=1), abs=TOLERANCE)


@settings(max_examples=100, deadline=None)
@given(blocks(), st.sampled_from([0.2, 0.5, 0.6]), policy_lists, st.sampled_from([0.0, 0.3, 1.0]))
def test_natural_costs_equal_enumeration(block, threshold, thresholds, weight):
    policies = np.array(thresholds)
    found = compare_policies(block, threshold, policies, [weight], natural=True)
    errors = (block.perturbed.prediction[0] != block.labels) & (block.perturbed.confidence[0] >= policies[:, None])
    charged = weight * errors.sum(axis=1)
    for level in LEVELS:
        difference = charged[:, None] - charged[None, :]
        for matchings in class_correspondences(block, 0, threshold, policies):
            cost = (1 - weight) * matchings.losses[matchings.feasible(level)]
            difference = difference + (cost[:, :, None] - cost[:, None, :]).max(axis=0)
        bounds = found.levels[level]
        assert bounds.difference_upper[0, 0] * len(block.labels) == pytest.approx(difference, abs=TOLERANCE)


@settings(max_examples=100, deadline=None)
@given(blocks(), st.sampled_from([0.2, 0.5, 0.6]), st.sampled_from([0.1, 0.5, 0.7]), st.sampled_from([0.2, 0.5]))
def test_lemma_1(block, threshold, policy, weight):
    """Eq. 8: the sharp upper cost follows from the classwise event bounds and the cap h + l <= u."""
    found = compare_policies(block, threshold, np.array([policy]), [weight])
    for level in LEVELS:
        total = 0.0
        classes = class_correspondences(block, 0, threshold, np.array([policy]))
        for label, matchings in zip(np.unique(block.labels), classes, strict=True):
            feasible = matchings.feasible(level)
            transitions, losses = matchings.transitions[feasible, 0], matchings.losses[feasible, 0]
            members = (block.labels == label) & (block.clean.prediction == label)
            cap = (members & (block.clean.confidence >= threshold)).sum()
            pairs = [
                (moved, lost)
                for moved in range(transitions.min(), transitions.max() + 1)
                for lost in range(losses.min(), losses.max() + 1)
                if moved + lost <= cap
            ]
            total += max(weight * moved + (1 - weight) * lost for moved, lost in pairs)
        upper = found.levels[level].cost.upper[0, 0, 0]
        assert upper * len(block.labels) == pytest.approx(total, abs=TOLERANCE)
