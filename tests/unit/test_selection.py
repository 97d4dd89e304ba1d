"""Forward selection of probes against a plain loop."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.screening.selection import greedy_selection


def recall_of(scores: np.ndarray, failed: np.ndarray, budget: float) -> float:
    """Count the failures among the least confident images, cutoff ties in equal shares."""
    captured = max(1, int(budget * len(scores) + 0.5))
    found = 0.0
    for value in np.unique(scores):
        tied = scores == value
        share = min(1.0, captured / tied.sum())
        found += share * failed[tied].sum()
        captured -= share * tied.sum()
    return found / failed.sum()


def plain_selection(pool, probabilities, failures, size, budget):
    """Try every probe at every step, cell by cell."""
    chosen: list[int] = []
    steps = []
    for step in range(1, size + 1):
        means = {}
        for probe in range(len(pool)):
            if probe in chosen:
                continue
            recalls = [
                recall_of(model[[*chosen, probe]].sum(axis=0), failed, budget)
                for model, cells in zip(probabilities, failures, strict=True)
                for failed in cells
                if failed.any()
            ]
            means[probe] = np.mean(recalls)
        best = max(means.values())
        chosen.append(next(probe for probe in means if means[probe] > best - 1e-12))
        steps.append((step, pool[chosen[-1]], means[chosen[-1]]))
    return pd.DataFrame(steps, columns=["step", "condition", "recall"])


def simulated_models(seed: int, levels: int):
    """Draw two models of different sizes; few levels of probability make many ties, one cell has no failure."""
    random = np.random.default_rng(seed)
    probabilities, failures = [], []
    for images in (23, 31):
        difficulty = random.random(images)
        noise = random.random((7, images)) * np.arange(1, 8)[:, None] / 4
        probabilities.append(np.ceil((1 + difficulty + noise) * levels) / levels / 4)
        failures.append(random.random((4, images)) > difficulty + 0.2)
    failures[0][2] = False
    return probabilities, failures


@pytest.mark.parametrize(("seed", "levels"), [(0, 1000), (1, 1000), (2, 4), (3, 2), (4, 4)])
@pytest.mark.parametrize("budget", [0.1, 0.2])
def test_selection_equals_a_plain_loop(seed, levels, budget):
    pool = [f"probe-{number}" for number in range(7)]
    probabilities, failures = simulated_models(seed, levels)
    found = greedy_selection(pool, probabilities, failures, size=5, budget=budget)
    expected = plain_selection(pool, probabilities, failures, 5, budget)
    pd.testing.assert_frame_equal(found, expected, check_exact=False, rtol=0, atol=1e-12)


def test_ties_go_to_the_earlier_probe():
    random = np.random.default_rng(0)
    poor, good = random.random((2, 40))
    failures = [(good < 0.3)[None]]
    pool = ["poor", "good", "good again", "poor again"]
    chosen = greedy_selection(pool, [np.stack([poor, good, good, poor])], failures, size=4)
    assert chosen["condition"].tolist() == ["good", "good again", "poor", "poor again"]
    chosen = greedy_selection(pool[::-1], [np.stack([poor, good, good, poor])], failures, size=2)
    assert chosen["condition"].tolist() == ["good again", "good"]


def test_every_cell_with_a_failure_counts_equally():
    """One model under three conditions outweighs a model under one, however many images that has."""
    first, second = np.array([0.1, 0.9, 0.8, 0.7]), np.array([0.9, 0.1, 0.8, 0.7])
    failed_first, failed_second = np.eye(4, dtype=bool)[:2]
    many, few = np.tile([first, second], 25), np.stack([first, second])
    failures = [np.tile(failed_first, 25)[None], np.stack([failed_second] * 3)]
    found = greedy_selection(["first", "second"], [many, few], failures, size=1, budget=0.25)
    assert found["condition"].tolist() == ["second"]
    assert found["recall"].tolist() == [0.75]


def test_without_any_failure_the_first_probes_are_chosen():
    found = greedy_selection(["a", "b", "c"], [np.random.default_rng(1).random((3, 9))], [np.zeros((2, 9), bool)], 2)
    assert found["condition"].tolist() == ["a", "b"]
    assert found["recall"].isna().all()


def test_a_small_pool_is_refused():
    with pytest.raises(RecordsError, match="only 2 probes to choose 18 from"):
        greedy_selection(["a", "b"], [np.zeros((2, 3))], [np.ones((1, 3), bool)])
