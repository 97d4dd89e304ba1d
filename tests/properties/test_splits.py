"""Roles and halves do not depend on the order of the rows."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from pairedeval.splits import assign_roles, halve


@st.composite
def images(draw: st.DrawFn) -> pd.DataFrame:
    sizes = draw(st.lists(st.integers(4, 9), min_size=1, max_size=6))
    rows = [(f"{number}-{place}", f"class-{number}") for number, size in enumerate(sizes) for place in range(size)]
    return pd.DataFrame(rows, columns=["image_id", "class_id"])


@given(images(), st.integers(0, 2**32), st.randoms(use_true_random=False))
def test_row_order_changes_nothing(frame: pd.DataFrame, seed: int, random) -> None:
    rows = list(range(len(frame)))
    random.shuffle(rows)
    counts = {"base": 2, "syn": 2, "train": None}
    if frame.groupby("class_id").size().min() == 4:
        counts["train"] = 0
    straight = assign_roles(frame, counts, seed)
    shuffled = assign_roles(frame.iloc[rows], counts, seed)
    pd.testing.assert_frame_equal(straight, shuffled)


@given(images(), st.integers(0, 2**32))
def test_halves_are_balanced(frame: pd.DataFrame, seed: int) -> None:
    development = halve(frame, seed, "base") == "development"
    assert abs(2 * development.sum() - len(frame)) <= 1
    per_class = development.groupby(frame["class_id"]).agg(["sum", "size"])
    assert (np.abs(2 * per_class["sum"] - per_class["size"]) <= 1).all()
