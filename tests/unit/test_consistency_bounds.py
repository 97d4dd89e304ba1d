"""Bounds on flips: against plain loops and enumerated draws, and the frequency with which the correction holds."""

import math

import numpy as np
import pandas as pd
import pytest

from pairedeval.consistency.flip_bounds import (
    ALPHA,
    BOUNDS,
    dkw_correction,
    flip_bounds,
    measure_flip_bounds,
    summarise_flip_bounds,
)
from pairedeval.consistency.views import OPERATORS, Views
from support.consistency_views import example_views


def loop_bounds(displacements: list[float], margin: float) -> dict[str, float]:
    count = len(displacements)
    share = sum(value >= margin for value in displacements) / count
    mean = sum(displacements) / count
    return {
        "dkw": min(1, share + math.sqrt(math.log(20) / (2 * count))),
        "plain": share,
        "lemma": min(1, mean / margin) if margin > 0 else 1,
    }


def test_bounds_equal_loops():
    random = np.random.default_rng(1)
    for size in (1, 2, 7, 40):
        displacements = random.integers(0, 6, size) / 4
        margin = np.concatenate([displacements, random.random(20) * 2, [0.0, 1e-300, 50.0]])
        found = flip_bounds(displacements, margin)
        for place, value in enumerate(margin.tolist()):
            expected = loop_bounds(displacements.tolist(), value)
            assert {name: found[name][place] for name in BOUNDS} == pytest.approx(expected, abs=1e-12)


def test_images_that_no_operator_moves():
    found = flip_bounds(np.zeros(3), np.array([0.0, 0.5]))
    assert found["plain"].tolist() == [1, 0]
    assert found["lemma"].tolist() == [1, 0]


def test_the_correction_holds_as_often_as_it_says():
    """20,000 draws of n = 60 displacements with survival function 1 - m; the bound has to hold for all margins at once.

    It fails somewhere if and only if it fails right above a displacement, where the share falls. The chance is at most
    alpha = 0.05 and comes close to it; four standard errors of the share of draws are 0.006.
    """
    images, draws = 60, 20_000
    ordered = np.sort(np.random.default_rng(2).random((draws, images)), axis=1)
    reached_above = 1 - np.arange(1, images + 1) / images
    failed = (1 - ordered > reached_above + dkw_correction(images)).any(axis=1).mean()
    assert ALPHA == 0.05
    assert 0.035 < failed < 0.05 + 0.006
    one = ordered[0]
    assert flip_bounds(one, np.nextafter(one, 2))["dkw"] == pytest.approx(
        np.minimum(1, reached_above + dkw_correction(60))
    )


def test_the_table_equals_loops():
    views = example_views(images=80)
    found = measure_flip_bounds(views)
    assert list(found.columns[:5]) == ["model", "group", "seed", "operator", "bound"]
    assert len(found) == 2 * len(OPERATORS) * len(BOUNDS)
    halves = {half: [place for place, name in enumerate(views.splits) if name == half] for half in set(views.splits)}
    for row in found.itertuples():
        clean, moved = (
            views.logits[row.seed - 1, 0, views.views.index(name)].astype(float)
            for name in ("original", f"{row.operator}-1")
        )
        scaled = (math.sqrt(2) * np.linalg.norm(moved - clean, axis=1))[halves["development"]].tolist()
        judged = halves["evaluation"]
        margin = [float(np.diff(np.sort(clean[image])[-2:])[0]) for image in judged]
        bound = [loop_bounds(scaled, value)[row.bound] for value in margin]
        flipped = [bool(clean[image].argmax() != moved[image].argmax()) for image in judged]
        cuts = [np.quantile(margin, tenth / 10) for tenth in range(1, 10)]
        cells: dict[int, list[int]] = {}
        for place, value in enumerate(margin):
            cells.setdefault(sum(value >= cut for cut in cuts), []).append(place)
        means = [(np.mean([bound[i] for i in cell]), np.mean([flipped[i] for i in cell])) for cell in cells.values()]
        assert row.mean_bound == pytest.approx(np.mean(bound))
        assert row.flip_rate == pytest.approx(np.mean(flipped))
        assert row.brier == pytest.approx(
            np.mean([(one - flip) ** 2 for one, flip in zip(bound, flipped, strict=True)])
        )
        assert (row.cells, row.images) == (len(cells), 40)
        assert row.exceeded == sum(rate > mean + 1e-12 for mean, rate in means)
        assert row.trivial == sum(mean > 1 - 1e-12 for mean, _ in means)
    by_bound = found.groupby("bound")[["trivial", "cells"]].sum()
    assert 0 < by_bound.loc["lemma", "trivial"] < by_bound.loc["lemma", "cells"]


def small_views(moved: list[float]) -> Views:
    """Return two-class views of 40 images with margins 1 to 20 in each half; operators move class 1 up by `moved`."""
    views = example_views(images=40, seeds=1)
    views.logits[:] = 0
    for half in ("development", "evaluation"):
        views.logits[0, 0, :, views.in_split(half), 0] = np.arange(1, 21)[:, None]
    for name, shift in zip(OPERATORS, moved, strict=True):
        views.logits[0, 0, views.views.index(f"{name}-1"), :, 1] = shift
    return views


def test_cells_by_hand():
    """A tenth holds two margins; an operator overcomes those below its shift, and D is sqrt(2) times the shift."""
    found = measure_flip_bounds(small_views([0.0, 5.5, 10.5, 15.0, 16.0, 30.0])).set_index(["operator", "bound"])
    plain = found.xs("plain", level="bound")
    assert plain["flip_rate"].tolist() == [0, 0.25, 0.5, 0.7, 0.75, 1]
    # All displacements are alike, so the share is 1 up to the scaled shift and 0 above it: never below the flips.
    assert plain["exceeded"].tolist() == [0] * 6
    assert plain["mean_bound"].tolist() == [0, 7 / 20, 14 / 20, 1, 1, 1]
    assert plain["trivial"].tolist() == [0, 3, 7, 10, 10, 10]
    assert (found["cells"] == 10).all()
    lemma = found.xs("lemma", level="bound").loc["blur"]
    shift = 5.5 * math.sqrt(2)
    assert lemma["mean_bound"] == pytest.approx(np.mean([min(1, shift / margin) for margin in range(1, 21)]))


def test_displacements_that_grow_with_the_margin_exceed_the_bound():
    views = small_views([0.0] * 6)
    judged = np.flatnonzero(views.in_split("evaluation"))
    large = judged[views.logits[0, 0, 0, judged, 0] > 18]
    views.logits[0, 0, views.views.index("noise-1"), large, 1] = 40
    found = measure_flip_bounds(views).set_index(["operator", "bound"])
    assert found.loc[("noise", "plain"), ["flip_rate", "exceeded", "brier"]].tolist() == [0.1, 1, 0.1]
    assert found.loc[("noise", "dkw"), "exceeded"] == 1
    assert found.loc[("blur", "plain"), "exceeded"] == 0


def test_bounds_are_averaged_over_configurations():
    tables = [measure_flip_bounds(example_views(model=name, seeds=seeds)) for name, seeds in (("a", 1), ("b", 3))]
    found = summarise_flip_bounds(pd.concat(tables)).set_index("bound")
    assert found.index.tolist() == list(BOUNDS)
    for bound in BOUNDS:
        parts = [table[table["bound"] == bound] for table in tables]
        means = [part["mean_bound"].mean() for part in parts]
        row = found.loc[bound]
        assert row["mean_bound"] == pytest.approx(sum(means) / 2)
        assert row["ratio"] == pytest.approx(sum(means) / sum(part["flip_rate"].mean() for part in parts))
        assert row[["configurations", "runs"]].tolist() == [2, 4]
        for name in ("cells", "exceeded", "trivial"):
            assert row[name] == sum(part[name].sum() for part in parts)
        for name in ("exceeded", "trivial"):
            assert row[f"{name}_share"] == pytest.approx(row[name] / row["cells"])
