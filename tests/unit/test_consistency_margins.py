"""Flips, displacements and the inequality between them: against plain loops, on real logits, and at equality."""

import math

import numpy as np
import pandas as pd
import pytest

from pairedeval.consistency import margins as module
from pairedeval.consistency.margins import (
    deciles,
    displacements,
    flips,
    inequality_check,
    scaled_displacements,
    summarise_inequality,
    violations,
    worst_displacements,
)
from pairedeval.consistency.quantities import margins
from support.consistency_views import KINDS, example_views


def loop_margin(logits: list[float]) -> float:
    first, second = sorted(logits, reverse=True)[:2]
    return first - second


def real_views(seed: int = 0, images: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Return float32 logits of a linear model on handwritten digits and on changed versions of them, and labels."""
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression

    pixels, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(labels))
    training, judged = order[images:], order[:images]
    model = LogisticRegression(C=0.01, max_iter=500).fit(pixels[training] / 16, labels[training])
    clean = pixels[judged] / 16
    grids = clean.reshape(-1, 8, 8)
    noise = np.random.default_rng(seed + 1).normal(0, 0.2, clean.shape)
    versions = [clean, clean + noise, 0.6 * clean + 0.2, np.roll(grids, 1, axis=2).reshape(clean.shape), 1 - clean]
    return np.stack([model.decision_function(version) for version in versions]).astype(np.float32), labels[judged]


def test_displacements_and_flips_equal_loops():
    logits = example_views(images=24).logits[:, 0, :4]
    found, scaled, changed = displacements(logits), scaled_displacements(logits), flips(logits)
    assert found.shape == changed.shape == (2, 3, 24)
    assert found.dtype == np.float64
    for seed, operator, image in np.ndindex(found.shape):
        before, after = logits[seed, 0, image].tolist(), logits[seed, 1 + operator, image].tolist()
        assert found[seed, operator, image] == pytest.approx(math.dist(before, after), rel=1e-14)
        assert scaled[seed, operator, image] == pytest.approx(math.sqrt(2) * math.dist(before, after), rel=1e-14)
        assert changed[seed, operator, image] == (before.index(max(before)) != after.index(max(after)))
    assert 0 < changed.mean() < 1
    np.testing.assert_array_equal(worst_displacements(logits), scaled.max(axis=1))


def test_differences_of_float32_logits_are_taken_in_float64():
    views = np.array([[[1.0, 2.0**24]], [[0.0, 2.0**24 + 2]]], dtype=np.float32)
    assert displacements(views)[0, 0] == math.sqrt(5)
    large = np.array([[[3e38, -3e38]], [[-3e38, 3e38]]], dtype=np.float32)
    assert displacements(large)[0, 0] == pytest.approx(6e38 * math.sqrt(2), rel=1e-6)
    tiny = np.array([[[1e-45, 0.0]], [[0.0, 1e-45]]], dtype=np.float32)
    assert flips(tiny).all()
    assert scaled_displacements(tiny)[0, 0] == pytest.approx(2 * float(np.float32(1e-45)), rel=1e-12)


def test_no_flip_of_real_logits_violates_the_inequality():
    logits, labels = real_views()
    changed = flips(logits)
    assert (logits[0].argmax(axis=1) == labels).mean() > 0.9
    assert 0.01 < changed[0].mean() < 0.5
    assert changed[-1].mean() > 0.5
    assert violations(logits) == 0


def test_a_flip_at_equality_is_no_violation_and_no_smaller_constant_would_do(monkeypatch):
    # The lower index wins the tie that half the margin on each side makes.
    margin = np.array([2.0, 1.0, 0.1, 1e-30, 1e30])
    clean = np.stack([np.zeros(5), margin, np.full(5, -1e31)], axis=1)
    moved = np.stack([margin / 2, margin / 2, np.full(5, -1e31)], axis=1)
    views = np.stack([clean, moved])
    assert flips(views).all()
    np.testing.assert_allclose(scaled_displacements(views)[0], margin, rtol=1e-15)
    assert violations(views) == 0
    monkeypatch.setattr(module, "SCALE", math.sqrt(2) * (1 - 1e-11))
    assert violations(views) == 5


def test_rounding_is_no_violation():
    """The logits of both classes meet in the middle, and the displacement is rounded below the margin."""
    views = np.array([[[0.9190912755327113, 2.888031723061985]], [[1.9035614992973482, 1.9035614992973482]]])
    assert flips(views).all()
    assert scaled_displacements(views)[0, 0] < margins(views[0])[0]
    assert violations(views) == 0


def test_violations_are_counted_per_run(monkeypatch):
    """The inequality has none; with a constant that is too small there are some to count."""
    logits = example_views().logits
    monkeypatch.setattr(module, "SCALE", 1.0)
    expected = np.zeros(logits.shape[:2], dtype=int)
    for seed, condition, view, image in np.ndindex(logits.shape[:-1]):
        before, after = logits[seed, condition, 0, image].tolist(), logits[seed, condition, view, image].tolist()
        if before.index(max(before)) != after.index(max(after)):
            expected[seed, condition] += loop_margin(before) > math.dist(before, after)
    assert expected.min() > 0
    np.testing.assert_array_equal(violations(logits), expected)


def test_ties_flip_at_margin_zero():
    views = np.array([[[1.0, 1.0]], [[1.0, 1.0 + 1e-9]]])
    assert flips(views).all()
    assert violations(views) == 0


def test_deciles_hold_a_tenth_each():
    margin = np.random.default_rng(3).permutation(np.linspace(0, 1, 300))
    found = deciles(margin)
    assert np.bincount(found).tolist() == [30] * 10
    assert all(margin[found == low].max() < margin[found == low + 1].min() for low in range(9))


def test_equal_margins_leave_tenths_empty():
    assert deciles(np.full(30, 0.5)).tolist() == [9] * 30
    assert deciles(np.array([0.7])).tolist() == [9]
    assert sorted(deciles(np.array([0.1, 0.2, 0.3, 0.4]))) == [0, 3, 6, 9]


@pytest.mark.parametrize("kind", KINDS)
def test_every_view_of_a_file_is_checked(kind):
    views = example_views(kind, images=40)
    found = inequality_check(views)
    seeds, conditions, names, images, _ = views.logits.shape
    assert list(found.columns[:5]) == ["model", "group", "seed", "kind", "condition"]
    assert found["seed"].tolist() == np.repeat([1, 2], conditions).tolist()
    assert found["condition"].tolist() == list(views.conditions) * seeds
    assert (found["comparisons"] == (names - 1) * images).all()
    assert (found["violations"] == 0).all()
    assert set(found["kind"]) == {kind}
    for (seed, condition), row in zip(np.ndindex(seeds, conditions), found.itertuples(), strict=True):
        slack = []
        for view, image in np.ndindex(names, images):
            before = views.logits[seed, condition, 0, image].tolist()
            after = views.logits[seed, condition, view, image].tolist()
            if before.index(max(before)) != after.index(max(after)):
                slack.append(math.sqrt(2) * math.dist(before, after) - loop_margin(before))
        assert row.flips == len(slack)
        assert row.smallest_slack == pytest.approx(min(slack), abs=1e-12) if slack else math.isnan(row.smallest_slack)


def test_checks_add_up():
    checks = pd.concat([inequality_check(example_views(kind, images=40)) for kind in ("levels", "attacked")])
    found = summarise_inequality(checks).set_index("kind")
    assert found.loc["levels"].tolist() == [2, 2 * 30 * 40, *_totals(checks, "levels")]
    assert found.loc["attacked"].tolist() == [2, 2 * 6 * 6 * 20, *_totals(checks, "attacked")]


def _totals(checks: pd.DataFrame, kind: str) -> list[float]:
    rows = [row for row in checks.itertuples() if row.kind == kind]
    return [sum(row.flips for row in rows), 0, min(row.smallest_slack for row in rows)]


def test_a_file_without_flips_has_no_slack():
    views = example_views(images=8)
    views.logits[:] = views.logits[:, :, :1]
    found = inequality_check(views)
    assert (found["flips"] == 0).all()
    assert found["smallest_slack"].isna().all()


def test_margins_of_real_logits_equal_loops():
    logits, _ = real_views(images=20)
    assert margins(logits[0]).tolist() == [loop_margin(row) for row in logits[0].tolist()]
