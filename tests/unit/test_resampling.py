"""Percentile intervals from resampled model groups."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.resampling import group_draws, resampled_means


def example() -> pd.DataFrame:
    """Build cells of two sources, three groups, one undefined value and one group without defined cells."""
    rows = [
        ("es", "a", 0.2, 1.0),
        ("es", "a", 0.4, 1.0),
        ("es", "b", 0.9, 1.0),
        ("es", "c", np.nan, 1.0),
        ("syn", "a", 0.5, 2.0),
        ("syn", "b", 0.7, 2.0),
        ("syn", "c", 0.6, 2.0),
    ]
    return pd.DataFrame(rows, columns=["source", "group", "x", "y"])


def test_draws_depend_on_the_seed_alone():
    assert np.array_equal(group_draws(10, 1), group_draws(10, 1))
    assert not np.array_equal(group_draws(10, 1), group_draws(10, 2))
    assert np.array_equal(group_draws(10, 1)[:7], group_draws(10, 1, draws=7))


def test_draws_are_with_replacement():
    drawn = group_draws(3, 7, draws=20_000)
    assert (drawn.sum(axis=1) == 3).all()
    # All from one group: 3 of 27 ordered draws; each group once: 6 of 27.
    assert (drawn.max(axis=1) == 3).mean() == pytest.approx(3 / 27, abs=0.01)
    assert (drawn.max(axis=1) == 1).mean() == pytest.approx(6 / 27, abs=0.01)


def test_means_and_intervals_equal_a_loop_over_draws():
    cells = example()
    found = resampled_means(cells, ["source"], ["x", "y"], seed=3, draws=200).set_index(["source", "quantity"])
    for source in ("es", "syn"):
        rows = cells[cells["source"] == source]
        means = []
        for draw in group_draws(3, 3, draws=200):
            taken = [
                rows.loc[rows["group"] == group, "x"]
                for group, times in zip("abc", draw, strict=True)
                for _ in range(times)
            ]
            means.append(pd.concat(taken).mean())
        row = found.loc[(source, "x")]
        assert row["mean"] == pytest.approx(rows["x"].mean())
        assert (row["lower"], row["upper"]) == pytest.approx(tuple(np.nanpercentile(means, [2.5, 97.5])))
        assert row["undefined_draws"] == np.isnan(means).sum()


def test_undefined_cells_and_vanished_groups_are_counted():
    found = resampled_means(example(), ["source"], ["x"], seed=3).iloc[0]
    assert found[["source", "quantity", "cells", "undefined"]].tolist() == ["es", "x", 3, 1]
    # Draws of group c alone have no defined cell: about one in 27.
    assert found["undefined_draws"] == (group_draws(3, 3)[:, 2] == 3).sum()
    assert found["undefined_draws"] == pytest.approx(2000 / 27, abs=30)
    assert (found["group_lowest"], found["group_highest"]) == pytest.approx((0.3, 0.9))


def test_a_column_without_defined_cells_has_no_interval():
    cells = example().assign(x=np.nan)
    found = resampled_means(cells, ["source"], ["x"], seed=3)
    assert found[["mean", "lower", "upper", "group_lowest"]].isna().all(axis=None)
    assert found["undefined_draws"].tolist() == [2000, 2000]


def test_one_group_has_an_interval_of_no_width():
    cells = example().assign(group="a")
    found = resampled_means(cells, ["source"], ["x"], seed=3)
    assert found["lower"].tolist() == found["upper"].tolist() == pytest.approx(found["mean"].tolist())


def test_row_order_changes_nothing():
    cells = example()
    shuffled = cells.sample(frac=1, random_state=0)
    keys = ["source", "quantity"]
    first, second = (
        resampled_means(table, ["source"], ["x", "y"], seed=3).set_index(keys).sort_index()
        for table in (cells, shuffled)
    )
    pd.testing.assert_frame_equal(first, second)


def test_rows_come_in_order_of_appearance():
    found = resampled_means(example(), ["source"], ["y", "x"], seed=3)
    assert found[["source", "quantity"]].values.tolist() == [["es", "y"], ["es", "x"], ["syn", "y"], ["syn", "x"]]
