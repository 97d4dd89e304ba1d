"""Annotations by agreement of classifiers: votes are out of fold, and only votes count."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.labels.agreement import NAME, accept, annotate_digits, classifiers, vote
from pairedeval.sources.digits import build_index, load_scans

SEED = 20260908


@pytest.fixture(scope="module")
def some_scans():
    scans, digits = load_scans()
    return scans[:300], digits[:300]


@pytest.fixture(scope="module")
def annotations(some_scans):
    return annotate_digits(*some_scans, SEED)


def test_a_third_of_nine_votes_is_enough():
    votes = pd.DataFrame(
        [
            [3, 3, 3, 3, 3, 3, 3, 3, 3],
            [3, 3, 3, 5, 5, 5, 8, 8, 8],
            [3, 3, 3, 3, 3, 3, 3, 5, 5],
            [3, 3, 5, 5, 8, 8, 1, 1, 2],
        ]
    )
    table = accept(votes)
    assert table["accepted"].tolist() == ["digit-3", "digit-3 digit-5 digit-8", "digit-3", ""]
    assert table["image_id"].tolist() == ["digit-0001", "digit-0002", "digit-0003", "digit-0004"]


def test_ids_are_those_of_the_study(some_scans, annotations):
    index = build_index(load_scans()[1], SEED, base_per_class=20, syn_per_class=60).set_index("image_id")
    known = annotations.table[annotations.table["image_id"].isin(index.index)].set_index("image_id")
    assert len(annotations.table) == len(some_scans[0])
    assert len(known) > 250
    agrees = known["accepted"] == index["class_id"].reindex(known.index)
    assert agrees.mean() > 0.85
    assert annotations.name == NAME
    assert annotations.description == (
        "Accepted labels: by agreement of 9 independently trained classifiers, not by people."
    )


def test_the_same_seed_gives_the_same_labels(some_scans, annotations):
    again = annotate_digits(*some_scans, SEED)
    assert again.table["accepted"].tolist() == annotations.table["accepted"].tolist()


def test_no_classifier_saw_the_image_that_it_labels(some_scans):
    """A tree repeats planted labels of images that it was trained on, and of no others."""
    scans, digits = some_scans
    features = scans.reshape(len(scans), -1) / 16
    planted = np.arange(0, 300, 10)
    labels = digits.copy()
    labels[planted] = (digits[planted] + 5) % 10
    name = "decision tree"
    seen = classifiers(SEED)[name].fit(features, labels).predict(features)
    assert (seen == labels)[planted].all()
    out_of_fold = vote(features, labels, SEED)
    assert (out_of_fold[name].to_numpy() == labels)[planted].mean() < 0.3
    assert out_of_fold.shape == (300, 9)
