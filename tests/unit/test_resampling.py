"""Percentile intervals from resampled model groups and resampled true classes."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.resampling import (
    DrawnMeans,
    class_draws,
    group_draws,
    image_weights,
    percentile_ends,
    resampled_means,
)
from pairedeval.screening.evaluation import measure
from support.screening_study import CAPTURES, CLASSES, MODELS, TIERS, copies, plain_auroc, plain_recall, write_study


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


def test_class_draws_depend_on_the_seed_alone():
    assert np.array_equal(class_draws(20, 1), class_draws(20, 1))
    assert not np.array_equal(class_draws(20, 1), class_draws(20, 2))
    assert np.array_equal(class_draws(20, 1)[:7], class_draws(20, 1, draws=7))
    assert class_draws(200, 1).shape == (200, 200)


def test_class_draws_are_with_replacement_and_not_those_of_groups():
    drawn = class_draws(3, 7, draws=20_000)
    assert (drawn.sum(axis=1) == 3).all()
    assert (drawn.max(axis=1) == 3).mean() == pytest.approx(3 / 27, abs=0.01)
    assert (drawn.max(axis=1) == 1).mean() == pytest.approx(6 / 27, abs=0.01)
    assert not np.array_equal(class_draws(10, 1), group_draws(10, 1, draws=200))


def test_an_image_weighs_how_often_its_class_was_drawn():
    classes, labels = np.array([2, 3, 9]), np.array([9, 2, 2, 3])
    drawn = class_draws(3, 5)
    weights = image_weights(labels, classes, drawn)
    assert weights.shape == (4, 200)
    for image, label in enumerate(labels):
        for draw in range(200):
            assert weights[image, draw] == drawn[draw, list(classes).index(label)]


@pytest.fixture(scope="module")
def drawn_cells(tmp_path_factory, root) -> tuple[list[pd.DataFrame], np.ndarray]:
    """Return the clean-correct evaluation images of three models, and a dozen draws of their classes."""
    study = write_study(tmp_path_factory.mktemp("study"), root)
    return [study.eligible(model, "evaluation") for model in MODELS], class_draws(CLASSES, 3, draws=12)


def gathered(cells: list[pd.DataFrame], drawn: np.ndarray, score: str) -> DrawnMeans:
    """Gather one risk's four metrics over the conditions of all models; the rows are all captures and the mild ones."""
    members = np.array([[True] * len(CAPTURES), [tier == "mild" for tier in TIERS.values()]])
    means = DrawnMeans((2, 1, 4, len(drawn)))
    for table in cells:
        weights = image_weights(table["label"].to_numpy(), np.arange(CLASSES), drawn)
        risks = {score: -table[score].to_numpy()}
        means.add(measure(risks, table[list(CAPTURES)].to_numpy().T, weights), members)
    return means


def plain(table: pd.DataFrame, times: np.ndarray, score: str, condition: str) -> list[float]:
    """Compute four metrics of one cell in one draw from copies of its images."""
    repeated = copies(table, times)
    risk, failed = -repeated[score], repeated[condition]
    return [plain_auroc(risk, failed), *(plain_recall(risk, failed, budget) for budget in (0.1, 0.2, 0.3))]


def test_drawn_means_equal_a_loop_over_draws_and_cells(drawn_cells):
    cells, drawn = drawn_cells
    means = gathered(cells, drawn, "corruption_mean")
    for row, conditions in enumerate((list(CAPTURES), ["l1-k01", "l1-k02"])):
        for draw, times in enumerate(drawn):
            values = np.array(
                [plain(table, times, "corruption_mean", condition) for table in cells for condition in conditions]
            )
            assert means.cells[row, 0, :, draw].tolist() == (~np.isnan(values)).sum(axis=0).tolist()
            assert means.mean[row, 0, :, draw] == pytest.approx(np.nanmean(values, axis=0), abs=1e-14)


def test_vanished_cells_are_skipped_and_counted(drawn_cells):
    """Nothing stays correct under the last capture, so its cells never have an AUROC but always a recall."""
    means = gathered(*drawn_cells, "confidence")
    every = len(MODELS) * len(CAPTURES)
    assert (means.cells[0, 0, 0] <= every - len(MODELS)).all()
    assert means.cells[0, 0, 0].min() < every - len(MODELS)
    assert (means.cells[0, 0, 1] >= len(MODELS)).all()


def test_a_mean_of_no_cell_is_undefined():
    means = DrawnMeans((2, 3))
    means.add(np.array([[np.nan, 1.0, 2.0], [np.nan, np.nan, 4.0]]), np.array([[True, True], [False, False]]))
    assert means.mean[0, 1:].tolist() == [1.0, 3.0]
    assert np.isnan(means.mean[[0, 1, 1, 1], [0, 0, 1, 2]]).all()
    assert means.cells.tolist() == [[0, 1, 2], [0, 0, 0]]


def test_a_difference_of_drawn_means_is_the_mean_of_paired_differences(drawn_cells):
    cells, drawn = drawn_cells
    one, other = (gathered(cells, drawn, score) for score in ("corruption_mean", "confidence"))
    assert np.array_equal(one.cells, other.cells)
    for draw, times in enumerate(drawn):
        paired = [
            np.subtract(plain(table, times, "corruption_mean", condition), plain(table, times, "confidence", condition))
            for table in cells
            for condition in CAPTURES
        ]
        assert (one.mean - other.mean)[0, 0, :, draw] == pytest.approx(np.nanmean(paired, axis=0), abs=1e-14)


def test_ends_leave_undefined_draws_out():
    drawn = np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, np.nan], [4.0, np.nan]])
    lower, upper = percentile_ends(drawn)
    assert (lower[0], upper[0]) == pytest.approx(tuple(np.percentile([1, 2, 4], [2.5, 97.5])))
    assert np.isnan([lower[1], upper[1]]).all()
