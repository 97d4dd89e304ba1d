"""Properties of the identification engine on small random cells, with ties, empty overlaps and thin classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairedeval.identification import LEVELS, TARGETS, identify
from pairedeval.identification.enumerate import class_correspondences, enumerated_bounds
from pairedeval.records import Predictions, RecordBlock

# Few values, so that ties and scores equal to the threshold are frequent.
SCORES = [0.2, 0.4, 0.6, 0.8]
TOLERANCE = 1e-12


@st.composite
def blocks(draw, most_records: int = 5) -> RecordBlock:
    """Draw one to three classes of one to `most_records` records, two conditions, and up to four labels."""
    sizes = draw(st.lists(st.integers(1, most_records), min_size=1, max_size=3))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    candidates = draw(st.integers(len(sizes), 4))

    def side(rows: int) -> list[np.ndarray]:
        count = rows * len(labels)
        drawn = (
            draw(st.lists(values, min_size=count, max_size=count))
            for values in (st.integers(0, candidates - 1), st.sampled_from(SCORES), st.sampled_from([0.0, 0.25, 0.5]))
        )
        prediction, confidence, part = (np.array(values).reshape(rows, len(labels)) for values in drawn)
        return [prediction, confidence, np.where(prediction == labels, confidence, confidence * part)]

    clean, perturbed = side(1), side(2)
    return RecordBlock(
        labels=labels,
        image_ids=np.arange(len(labels)),
        conditions=("one", "two"),
        clean=Predictions(*(column[0] for column in clean)),
        perturbed=Predictions(*perturbed),
    )


thresholds = st.sampled_from([0.2, 0.4, 0.5, 0.6, 0.9])


def ends(found, target: str, level: str) -> np.ndarray:
    """Return lower and upper ends, shape ``(2, conditions)``."""
    interval = found.targets[target].intervals[level]
    return np.stack([interval.lower, interval.upper])


@settings(max_examples=200, deadline=None)
@given(blocks(), thresholds)
def test_engine_equals_enumeration(block, threshold):
    found = identify(block, threshold)
    for condition in range(2):
        for level, targets in enumerated_bounds(block, condition, threshold).items():
            for target, expected in targets.items():
                assert ends(found, target, level)[:, condition] == pytest.approx(expected, abs=TOLERANCE, nan_ok=True)


@settings(max_examples=10, deadline=None)
@given(blocks(most_records=7), thresholds)
def test_engine_equals_enumeration_of_seven_records(block, threshold):
    found = identify(block, threshold)
    for level, targets in enumerated_bounds(block, 0, threshold).items():
        for target, expected in targets.items():
            assert ends(found, target, level)[:, 0] == pytest.approx(expected, abs=TOLERANCE, nan_ok=True)


@settings(max_examples=100, deadline=None)
@given(blocks(), thresholds)
def test_levels_nest_and_hold_the_observed_value(block, threshold):
    found = identify(block, threshold)
    for target in TARGETS:
        wide, middle, narrow = (ends(found, target, level) for level in LEVELS)
        observed = found.targets[target].observed
        defined = ~np.isnan(observed)
        for outer, inner in ((wide, middle), (middle, narrow), (narrow, np.stack([observed, observed]))):
            assert (outer[0] <= inner[0] + TOLERANCE)[defined].all()
            assert (inner[1] <= outer[1] + TOLERANCE)[defined].all()


@settings(max_examples=100, deadline=None)
@given(blocks(), thresholds)
def test_bounds_never_cross(block, threshold):
    found = identify(block, threshold)
    for target in TARGETS:
        for level in LEVELS:
            low, high = ends(found, target, level)
            assert not (low > high).any()
            assert np.array_equal(np.isnan(low), np.isnan(high))


@settings(max_examples=100, deadline=None)
@given(blocks(), thresholds)
def test_undefined_exactly_without_overlap(block, threshold):
    found = identify(block, threshold)
    confidence = found.targets["dM_k"]
    assert np.array_equal(np.isnan(confidence.observed), found.overlap == 0)
    assert np.array_equal(np.isnan(confidence.intervals["Ik"].lower), found.overlap == 0)
    feasible = [
        any(found.states[:, 4].any() for found in class_correspondences(block, condition, 0.5, np.array([0.5])))
        for condition in range(2)
    ]
    assert np.array_equal(~np.isnan(confidence.intervals["I0"].lower), feasible)


@settings(max_examples=100, deadline=None)
@given(blocks(), thresholds, st.randoms(use_true_random=False))
def test_the_order_of_a_side_within_classes_does_not_matter_at_i0(block, threshold, random):
    shuffled = np.lexsort(([random.random() for _ in block.labels], block.labels))
    columns = (block.perturbed.prediction, block.perturbed.confidence, block.perturbed.true_class_probability)
    perturbed = Predictions(*(column[:, shuffled] for column in columns))
    other = RecordBlock(block.labels, block.image_ids, block.conditions, block.clean, perturbed)
    for target in TARGETS:
        first, second = (ends(identify(each, threshold, ["I0"]), target, "I0") for each in (block, other))
        assert first == pytest.approx(second, abs=TOLERANCE, nan_ok=True)


@settings(max_examples=100, deadline=None)
@given(blocks(), thresholds, st.randoms(use_true_random=False))
def test_the_order_of_images_does_not_matter(block, threshold, random):
    order = np.lexsort(([random.random() for _ in block.labels], block.labels))
    clean, perturbed = block.clean, block.perturbed
    other = RecordBlock(
        block.labels,
        block.image_ids[order],
        block.conditions,
        Predictions(clean.prediction[order], clean.confidence[order], clean.true_class_probability[order]),
        Predictions(
            perturbed.prediction[:, order], perturbed.confidence[:, order], perturbed.true_class_probability[:, order]
        ),
    )
    for target in TARGETS:
        first, second = (identify(each, threshold) for each in (block, other))
        assert first.targets[target].observed == pytest.approx(
            second.targets[target].observed, abs=TOLERANCE, nan_ok=True
        )
        for level in LEVELS:
            assert ends(first, target, level) == pytest.approx(ends(second, target, level), abs=TOLERANCE, nan_ok=True)


@settings(max_examples=100, deadline=None)
@given(blocks(most_records=4), thresholds)
def test_bounds_are_sharp(block, threshold):
    """Some correspondence attains each end of H and L; independent values lie between the ends at I0."""
    found = identify(block, threshold)
    classes = list(class_correspondences(block, 0, threshold, np.array([threshold])))
    for level in LEVELS:
        for target, counts in (("H", "transitions"), ("L", "losses")):
            attained = {0}
            for matchings in classes:
                options = set(getattr(matchings, counts)[matchings.feasible(level), 0].tolist())
                attained = {total + count for total in attained for count in options}
            low, high = ends(found, target, level)[:, 0] * len(block.labels)
            assert (round(low), round(high)) == (min(attained), max(attained))
    for target in ("H", "L", "E_tau"):
        low, high = ends(found, target, "I0")
        independent = found.targets[target].independent
        assert (low <= independent + TOLERANCE).all()
        assert (independent <= high + TOLERANCE).all()


@settings(max_examples=100, deadline=None)
@given(blocks(most_records=4), thresholds)
def test_independent_values_are_means_over_all_matchings(block, threshold):
    found = identify(block, threshold)
    classes = list(class_correspondences(block, 0, threshold, np.array([threshold])))
    for target, counts in (("H", "transitions"), ("L", "losses")):
        mean = sum(getattr(matchings, counts)[:, 0].mean() for matchings in classes) / len(block.labels)
        assert found.targets[target].independent[0] == pytest.approx(mean, abs=TOLERANCE)
    pairs = sum(matchings.states[:, 4].mean() for matchings in classes)
    drop = sum(matchings.drop.mean() for matchings in classes)
    expected = drop / pairs if pairs else np.nan
    assert found.targets["dM_k"].independent[0] == pytest.approx(expected, abs=TOLERANCE, nan_ok=True)
