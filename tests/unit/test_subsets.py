"""Averages over some of the probes: which subsets, and how well they find failures."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from pairedeval.screening.probe_sets import read_probe_sets
from pairedeval.screening.subsets import (
    PREFIXED,
    PROBE,
    SEVERITY,
    TYPE,
    ProbeSubset,
    prefixed_subsets,
    screen_subsets,
    shared_subsets,
    subset_risks,
)


def positions_of(subsets, size: int) -> list[tuple[int, ...]]:
    return [subset.positions for subset in subsets if subset.size == size]


def test_prefixed_subsets_are_distinct_and_valid():
    subsets = prefixed_subsets(20260908)
    assert [len(positions_of(subsets, size)) for size in (1, 2, 3, 6, 9, 18)] == [18, 20, 20, 20, 20, 1]
    assert len({subset.positions for subset in subsets}) == len({subset.name for subset in subsets}) == len(subsets)
    for subset in subsets:
        assert subset.kind == PREFIXED
        assert subset.name.startswith(f"{subset.size}/")
        assert list(subset.positions) == sorted(set(subset.positions))
        assert set(subset.positions) <= set(range(18))
    assert positions_of(subsets, 1) == [(position,) for position in range(18)]
    assert positions_of(subsets, 18) == [tuple(range(18))]


def test_prefixed_subsets_depend_on_the_seed_alone():
    assert prefixed_subsets(1) == prefixed_subsets(1)
    assert positions_of(prefixed_subsets(1), 6) != positions_of(prefixed_subsets(2), 6)
    # Those of one size do not change with the other sizes.
    assert positions_of(prefixed_subsets(1), 6) == positions_of(prefixed_subsets(1, sizes=(6,)), 6)


def test_every_subset_of_a_size_can_be_drawn():
    drawn = {positions for seed in range(200) for positions in positions_of(prefixed_subsets(seed, (2,), 8), 2)}
    assert drawn == set(combinations(range(8), 2))
    counts = np.bincount(
        [place for seed in range(200) for pair in positions_of(prefixed_subsets(seed, (2,)), 2) for place in pair]
    )
    # Each of 18 probes is expected in a ninth of 4,000 pairs, with a standard deviation of about 20.
    assert counts == pytest.approx(np.full(18, 4000 / 9), abs=80)


def test_few_subsets_are_all_taken():
    assert positions_of(prefixed_subsets(1, (2,), 6), 2) == list(combinations(range(6), 2))
    assert len(positions_of(prefixed_subsets(1, (17,)), 17)) == 18


def test_shared_subsets_of_the_corruptions(root):
    folder = root / "resources/conditions"
    sets = read_probe_sets(folder / "corruptions.csv", folder / "transforms.csv")
    severities = shared_subsets(SEVERITY, sets.severities)
    assert [(subset.name, subset.size) for subset in severities] == [("2", 9), ("4", 9)]
    types = shared_subsets(TYPE, sets.types)
    assert [subset.size for subset in types] == [2] * 9
    for subset in types:
        assert {sets.primary[place] for place in subset.positions} == {f"{subset.name}-2", f"{subset.name}-4"}
    single = shared_subsets(PROBE, sets.primary)
    assert [(subset.name, subset.positions) for subset in single] == [
        (condition, (place,)) for place, condition in enumerate(sets.primary)
    ]


def test_screening_equals_one_subset_after_the_other():
    random = np.random.default_rng(3)
    probabilities = random.random((18, 45))
    failures = random.random((5, 45)) > probabilities.mean(axis=0) + 0.2
    failures[3], failures[4] = False, True
    subsets = [*prefixed_subsets(5, (1, 3, 18)), ProbeSubset(TYPE, "x", (4, 9))]
    recall, auroc = screen_subsets(probabilities, failures, subsets)
    assert recall.shape == auroc.shape == (len(subsets), 5)
    for row, subset in enumerate(subsets):
        score = probabilities[list(subset.positions)].mean(axis=0)
        captured = np.argsort(score)[:9]
        for condition, failed in enumerate(failures[:3]):
            assert auroc[row, condition] == pytest.approx(roc_auc_score(failed, -score))
            assert recall[row, condition] == pytest.approx(failed[captured].sum() / failed.sum())
    assert np.isnan(recall[:, 3]).all()
    assert recall[:, 4] == pytest.approx(np.full(len(subsets), 9 / 45))
    assert np.isnan(auroc[:, 3:]).all()


def test_images_with_equal_responses_stay_tied():
    """Images in any column, also many of them, get the very same risk from the same responses."""
    responses = np.random.default_rng(4).random((18, 1))
    risk = subset_risks(np.tile(responses, (1, 421)), prefixed_subsets(1))
    assert (risk == risk[:, :1]).all()
    assert risk[-1, 0] == pytest.approx(-responses.mean())
