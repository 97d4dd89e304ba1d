"""Events, strata, sample and assignment of the human review."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.records import write_records
from pairedeval.review.events import SourceAnswers, clean_support, persistent_events, read_answers
from pairedeval.review.frame import (
    SAMPLE_COLUMNS,
    allocate,
    assign_reviewers,
    build_frame,
    count_strata,
    draw_sample,
    support_level,
)

CLASSES = ("ant", "bee", "cat", "dog")
GROUPS = ("a", "a", "b", "c", "c")
REVIEWERS = ("ann", "bob")


def random_answers(seed: int, source: str = "es", images: int = 40, conditions: int = 6) -> SourceAnswers:
    random = np.random.default_rng(seed)
    labels = np.sort(random.integers(0, len(CLASSES), images))

    def predictions(*shape: int) -> np.ndarray:
        # Two wrong answers of three go to the class after the true one, so that models agree on errors.
        wrong = (labels + random.choice([1, 1, 2], shape)) % len(CLASSES)
        return np.where(random.random(shape) < 0.6, labels, wrong)

    return SourceAnswers(
        source=source,
        labels=labels,
        image_ids=np.array([f"image-{number:02d}" for number in range(images)]),
        conditions=tuple(f"c{number}" for number in range(conditions)),
        candidates=CLASSES,
        groups=GROUPS,
        clean=predictions(len(GROUPS), images),
        perturbed=predictions(len(GROUPS), conditions, images),
    )


def tiers_of(*sources: str, conditions: int = 6) -> pd.DataFrame:
    tiers = ("mild", "mild", "severe", "severe", "extreme", "extreme")
    rows = [(source, f"c{number}", tiers[number]) for source in sources for number in range(conditions)]
    return pd.DataFrame(rows, columns=["source", "condition", "tier"])


@pytest.fixture
def frame() -> pd.DataFrame:
    events = [persistent_events(random_answers(seed, source)) for seed, source in enumerate(("es", "diverse"))]
    return build_frame(events, tiers_of("es", "diverse"), seed=7)


def test_events_equal_a_count_pair_by_pair():
    answers = random_answers(3)
    kept = Counter()
    for model in range(len(GROUPS)):
        for row, condition in enumerate(answers.conditions):
            for image, label in enumerate(answers.labels):
                before, after = answers.clean[model, image], answers.perturbed[model, row, image]
                if before == after != label:
                    kept[condition, answers.image_ids[image], CLASSES[before]] += 1
    found = persistent_events(answers)
    keys = zip(found["condition"], found["image_id"], found["answer"], strict=True)
    assert dict(zip(keys, found["models"], strict=True)) == kept
    assert max(kept.values()) > 1


def test_support_weighs_groups_equally():
    answers = random_answers(4)
    found = persistent_events(answers)
    for row in found.itertuples():
        image = answers.image_ids.tolist().index(row.image_id)
        gives = [CLASSES[answer] == row.answer for answer in answers.clean[:, image]]
        groups = [[given for given, name in zip(gives, GROUPS, strict=True) if name == group] for group in "abc"]
        assert row.support == pytest.approx(sum(sum(group) / len(group) for group in groups) / 3)
    assert found["support"].nunique() > 3


def test_one_group_of_one_model_supports_itself():
    assert clean_support(np.array([[2, 1]]), np.array([2, 2]), ["only"]).tolist() == [1, 0]


def test_rounding_does_not_move_an_event_between_levels():
    rounded = [np.nextafter(0.25, 1), 0.25 + 1e-9, 0.75 - 1e-9, np.nextafter(0.75, 0)]
    assert support_level(np.array(rounded)).tolist() == ["low", "middle", "middle", "high"]


def test_the_frame_holds_every_event_once_in_an_order_of_digests(frame):
    assert frame["event_id"].is_unique
    assert frame["event_id"].is_monotonic_increasing
    assert not frame.duplicated(["source", "condition", "image_id", "answer"]).any()
    assert frame["stratum"].iloc[0] == "/".join(frame.loc[0, ["source", "tier", "support_level"]])
    assert frame["stratum"].nunique() > 6


def test_the_frame_does_not_depend_on_the_order_of_events(frame):
    events = [persistent_events(random_answers(seed, source)) for seed, source in enumerate(("es", "diverse"))]
    shuffled = [part.sample(frac=1, random_state=1) for part in reversed(events)]
    pd.testing.assert_frame_equal(build_frame(shuffled, tiers_of("diverse", "es"), seed=7), frame)
    other = build_frame(events, tiers_of("es", "diverse"), seed=8)
    assert set(other["event_id"]).isdisjoint(frame["event_id"])


def test_inclusion_probabilities_sum_to_the_sample(frame):
    sample = draw_sample(frame, 60)
    assert len(sample) == 60
    assert tuple(sample.columns) == SAMPLE_COLUMNS
    by_stratum = sample.groupby("stratum")["inclusion_probability"].first()
    assert frame["stratum"].map(by_stratum).sum() == pytest.approx(60)
    sizes = sample.groupby("stratum").size()
    assert (by_stratum == sizes / frame.groupby("stratum").size()[by_stratum.index]).all()
    # A larger stratum never gives less.
    assert sizes[frame.groupby("stratum").size().sort_values().index].is_monotonic_increasing


def test_the_first_digests_of_a_stratum_are_drawn(frame):
    sample = draw_sample(frame, 60)
    for stratum, drawn in sample.groupby("stratum"):
        ids = frame.loc[frame["stratum"] == stratum, "event_id"]
        assert sorted(ids)[: len(drawn)] == sorted(drawn["event_id"])


def test_a_small_frame_is_drawn_whole(frame):
    sample = draw_sample(frame, 10**6)
    assert sample["event_id"].tolist() == frame["event_id"].tolist()
    assert (sample["inclusion_probability"] == 1).all()


@pytest.mark.parametrize(
    ("populations", "events", "shares"),
    [
        ([5, 5, 5], 9, [3, 3, 3]),
        ([5, 9, 5], 10, [3, 4, 3]),
        ([1, 2, 100], 12, [1, 2, 9]),
        ([0, 3], 2, [0, 2]),
        ([2, 3], 5, [2, 3]),
        ([4, 4], 0, [0, 0]),
    ],
)
def test_samples_are_shared_as_equally_as_possible(populations, events, shares):
    assert allocate(np.array(populations), events).tolist() == shares


def test_every_reviewer_rates_every_event_in_an_own_order(frame):
    sample = draw_sample(frame, 50)
    work = assign_reviewers(sample, 7, REVIEWERS)
    orders = {name: rows["event_id"].tolist() for name, rows in work.groupby("reviewer", sort=False)}
    assert tuple(orders) == REVIEWERS
    first, second = orders.values()
    assert sorted(first) == sorted(second) == sample["event_id"].tolist()
    assert first != second
    assert sample["event_id"].tolist() not in (first, second)
    assert work["place"].tolist() == 2 * list(range(1, 51))


def test_strata_are_counted(frame):
    sample = draw_sample(frame, 50)
    counts = count_strata(frame, sample)
    assert counts["population"].sum() == len(frame)
    assert counts["sampled"].sum() == 50
    row = counts.iloc[3]
    events = frame[frame["stratum"] == "/".join(row[["source", "tier", "support_level"]])]
    assert (row["population"], row["images"]) == (len(events), events["image_id"].nunique())
    assert row["inclusion_probability"] == row["sampled"] / len(events)


def test_a_condition_without_a_tier_is_named():
    events = [persistent_events(random_answers(0))]
    with pytest.raises(RecordsError, match=r"source es: condition c5 has no tier; assign tiers"):
        build_frame(events, tiers_of("es", conditions=5), seed=7)


def test_without_persistent_errors_frame_and_sample_are_empty():
    answers = random_answers(0)
    right = np.broadcast_to(answers.labels, answers.clean.shape)
    none = persistent_events(SourceAnswers(**vars(answers) | {"clean": right}))
    frame = build_frame([none, none], tiers_of("es"), seed=7)
    sample = draw_sample(frame, 200)
    for table in (frame, sample, assign_reviewers(sample, 7, REVIEWERS), count_strata(frame, sample)):
        assert table.empty
    assert tuple(sample.columns) == SAMPLE_COLUMNS
    other = persistent_events(random_answers(1, "diverse"))
    assert len(build_frame([none, other], tiers_of("es", "diverse"), seed=7)) == len(other)


def test_record_files_give_their_evaluation_half(records, tmp_path):
    paths = [tmp_path / f"{model}.parquet" for model in ("one", "two")]
    for path in paths:
        metadata = {"source": "es", "model": path.stem, "group": path.stem, "candidates": ["ant", "bee"]}
        write_records(records, path, metadata)
    found = persistent_events(read_answers(paths))
    assert found.to_dict("records") == [
        {
            "source": "es", "condition": "fog-2", "image_id": f"image-{label}2", "answer": ("bee", "ant")[label],
            "models": 2, "support": 1.0,
        }
        for label in (0, 1)
    ]  # fmt: skip


def test_models_on_other_images_are_refused(records, tmp_path):
    metadata = {"source": "es", "model": "m", "group": "g", "candidates": ["ant", "bee"]}
    write_records(records, tmp_path / "one.parquet", metadata)
    renamed = records.assign(image_id=records["image_id"].str.replace("image-0", "other-"))
    write_records(renamed, tmp_path / "two.parquet", metadata)
    with pytest.raises(RecordsError, match=r"two\.parquet: images differ from those of the first record file"):
        read_answers([tmp_path / "one.parquet", tmp_path / "two.parquet"])
    write_records(records, tmp_path / "three.parquet", metadata | {"source": "diverse"})
    with pytest.raises(RecordsError, match=r"three\.parquet: source differ"):
        read_answers([tmp_path / "one.parquet", tmp_path / "three.parquet"])
