"""Roles and halves."""

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.splits import assign_roles, halve, rank_within_class


def make_images(sizes: dict[str, int]) -> pd.DataFrame:
    rows = [(f"{name}-{place}", name) for name, size in sizes.items() for place in range(size)]
    return pd.DataFrame(rows, columns=["image_id", "class_id"])


def test_ranks_count_each_class_from_zero() -> None:
    images = make_images({"a": 4, "b": 3})
    ranks = rank_within_class(images["class_id"], images["image_id"], 1, "syn")
    assert {name: sorted(part) for name, part in ranks.groupby(images["class_id"])} == {
        "a": [0, 1, 2, 3],
        "b": [0, 1, 2],
    }


def test_seed_and_source_change_the_order() -> None:
    images = make_images({"a": 30})
    order = {
        tuple(rank_within_class(images["class_id"], images["image_id"], seed, source))
        for seed, source in [(1, "syn"), (2, "syn"), (1, "base")]
    }
    assert len(order) == 3


def test_the_pool_of_the_paper_is_halved_500_to_500_with_two_or_three_a_class() -> None:
    images = make_images({f"n{number:08d}": 5 for number in range(200)})
    split = halve(images, 20260908, "base")
    assert split.value_counts().to_dict() == {"development": 500, "evaluation": 500}
    per_class = pd.crosstab(images["class_id"], split)
    assert per_class.isin([2, 3]).all(axis=None)


@pytest.mark.parametrize("sizes", [{"a": 2}, {"a": 3}, {"a": 3, "b": 5, "c": 4}, {"a": 3, "b": 3, "c": 3, "d": 7}])
def test_halves_differ_by_at_most_one_in_all_and_in_each_class(sizes: dict[str, int]) -> None:
    images = make_images(sizes)
    split = halve(images, 1, "base")
    counts = split.value_counts()
    per_class = pd.crosstab(images["class_id"], split)
    assert abs(counts["development"] - counts["evaluation"]) == sum(sizes.values()) % 2
    assert (abs(per_class["development"] - per_class["evaluation"]) <= 1).all()


def test_a_class_of_one_image_cannot_be_halved() -> None:
    with pytest.raises(PairedEvalError, match=r"^base: class b has one image, a split within classes needs two"):
        halve(make_images({"a": 2, "b": 1}), 1, "base")


def test_roles_take_their_counts_and_the_last_the_rest() -> None:
    images = assign_roles(make_images({"a": 7, "b": 9}), {"base": 2, "syn": 3, "train": None}, 1)
    assert images.groupby(["class_id", "role"]).size().to_dict() == {
        ("a", "base"): 2, ("a", "syn"): 3, ("a", "train"): 2,
        ("b", "base"): 2, ("b", "syn"): 3, ("b", "train"): 4,
    }  # fmt: skip
    assert set(images.loc[images["role"] == "train", "split"]) == {""}
    assert set(images.loc[images["role"] != "train", "split"]) == {"development", "evaluation"}
    assert images["image_id"].is_monotonic_increasing


def test_a_limit_leaves_images_without_a_role_out() -> None:
    images = assign_roles(make_images({"a": 9}), {"base": 2, "train": 3}, 1)
    assert images["role"].value_counts().to_dict() == {"train": 3, "base": 2}


def test_more_training_images_do_not_move_the_base_images() -> None:
    few = assign_roles(make_images({"a": 9}), {"base": 4, "train": 1}, 1)
    many = assign_roles(make_images({"a": 9}), {"base": 4, "train": None}, 1)
    base = [
        part.loc[part["role"] == "base", ["image_id", "split"]].to_records(index=False).tolist() for part in (few, many)
    ]
    assert base[0] == base[1]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (
            {"base": 4},
            "class b has 3 images, too few for 4 of role base after 0 of other roles; lower images.base_per_class in",
        ),
        ({"base": 2, "syn": 2}, "class b has 3 images, too few for 2 of role syn after 2 of other roles"),
        ({"base": 3, "train": None}, "class b has 3 images, too few for 1 of role train after 3 of other roles"),
    ],
)
def test_too_few_images_of_a_class_are_named(counts: dict[str, int | None], message: str) -> None:
    with pytest.raises(PairedEvalError, match=message):
        assign_roles(make_images({"a": 9, "b": 3}), counts, 1)


def test_an_image_that_stands_twice_is_named() -> None:
    images = pd.concat([make_images({"a": 3})] * 2)
    with pytest.raises(PairedEvalError, match="image a-0 stands twice in the list of images; keep one"):
        assign_roles(images, {"base": 2}, 1)
