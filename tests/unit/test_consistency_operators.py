"""What operators do to the outputs, against plain loops."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

from pairedeval.consistency.operators import measure_operators, summarise_operators
from pairedeval.consistency.views import LEVELS, OPERATORS
from support.consistency_views import example_views


def test_measures_equal_loops():
    views = example_views(images=40)
    found = measure_operators(views)
    assert list(found.columns[:5]) == ["model", "group", "seed", "level", "operator"]
    assert len(found) == 2 * len(LEVELS) * len(OPERATORS)
    judged = [place for place, half in enumerate(views.splits) if half == "evaluation"]
    for row in found.itertuples():
        clean, moved = (
            views.logits[row.seed - 1, 0, views.views.index(name)][judged].astype(float)
            for name in ("original", f"{row.operator}-{row.level}")
        )
        assert row.images == len(judged) == 20
        assert row.flip_rate == pytest.approx(np.mean(clean.argmax(axis=1) != moved.argmax(axis=1)))
        assert row.mean_displacement == pytest.approx(np.mean(np.linalg.norm(moved - clean, axis=1)))
        change = np.abs(softmax(moved, axis=1).max(axis=1) - softmax(clean, axis=1).max(axis=1))
        assert row.mean_abs_confidence_change == pytest.approx(change.mean())


def test_configurations_weigh_the_same():
    tables = [measure_operators(example_views(model=name, seeds=seeds)) for name, seeds in (("a", 1), ("b", 3))]
    found = summarise_operators(pd.concat(tables)).set_index(["operator", "level"])
    assert found.loc[("blur", 2), ["configurations", "runs"]].tolist() == [2, 4]
    means = [table.query("operator == 'blur' and level == 2")["flip_rate"].mean() for table in tables]
    assert found.loc[("blur", 2), "flip_rate"] == pytest.approx(sum(means) / 2)
    assert found.loc[("blur", 2), "lowest_flip_rate"] == pytest.approx(min(means))
    assert found.loc[("blur", 2), "highest_flip_rate"] == pytest.approx(max(means))
