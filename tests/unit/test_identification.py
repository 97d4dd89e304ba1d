"""The identification engine against the paper's examples, the test vectors and separate records."""

import math

import numpy as np
import pytest

from pairedeval.errors import RecordsError
from pairedeval.identification import LEVELS, TARGETS, ClassStates, identify, identify_separate
from pairedeval.identification.class_states import wrong_records
from pairedeval.identification.classes import Classes
from pairedeval.identification.enumerate import correspondences, enumerated_bounds
from pairedeval.records import Predictions, RecordBlock
from pairedeval.states import outcomes, response_states
from support.vectors import CELLS, COLUMNS, block_of


def intervals(found, level):
    """Return ``{target: (lower, upper)}`` of the first condition."""
    return {
        target: (float(bounds.intervals[level].lower[0]), float(bounds.intervals[level].upper[0]))
        for target, bounds in found.targets.items()
    }


@pytest.mark.parametrize("name", CELLS)
def test_vectors(name):
    cell, expected = CELLS[name], CELLS[name]["expected"]
    found = identify(block_of(cell), cell["threshold"])
    for level, targets in expected["levels"].items():
        for target in TARGETS:
            if target in targets:
                wanted = (math.nan, math.nan) if targets[target] is None else tuple(targets[target])
                assert intervals(found, level)[target] == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    for target, value in expected.get("observed", {}).items():
        if target in TARGETS:
            observed = float(found.targets[target].observed[0])
            assert observed == pytest.approx(math.nan if value is None else value, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", [name for name in CELLS if "expected" in CELLS[name] and name.startswith("large")])
def test_large_vectors_nest(name):
    found = identify(block_of(CELLS[name]), CELLS[name]["threshold"])
    low, high = zip(*(intervals(found, level)["H"] for level in LEVELS), strict=True)
    assert low[0] <= low[1] <= low[2] <= high[2] <= high[1] <= high[0]


def test_opening_example():
    """Section 3.1: either (H, L, dM_k) = (0, 1/2, 0.3) or (1/2, 0, 0), and no count tells them apart."""
    found = identify(block_of(CELLS["two-images"]), 0.8)
    for level in LEVELS:
        bounds = intervals(found, level)
        assert bounds["H"] == bounds["L"] == (0, 0.5)
        assert bounds["dM_k"] == pytest.approx((0, 0.3))
        assert bounds["E_tau"] == (0.5, 0.5)
    assert [float(found.targets[target].observed[0]) for target in ("H", "L")] == [0, 0.5]
    assert [float(found.targets[target].independent[0]) for target in TARGETS] == pytest.approx([0.25, 0.25, 0.15, 0.5])


@pytest.mark.parametrize(("name", "count"), [("accepted-error-persistent", 0), ("accepted-error-changed", 1)])
@pytest.mark.parametrize("retained", [0, 1])
def test_wrong_answers_decide_accepted_error_transitions(name, count, retained):
    """Appendix A.6: the overlap leaves H open, the persistent errors determine it; also with a retained record."""
    block = with_retained(block_of(CELLS[name]), retained)
    found, size = identify(block, 0.6), 3 + retained
    assert found.overlap.tolist() == [retained]
    assert intervals(found, "Ik")["H"] == (0, 1 / size)
    assert intervals(found, "I5")["H"] == (count / size, count / size)


def with_retained(block: RecordBlock, number: int) -> RecordBlock:
    """Append records of class 0 that are correct and accepted on both sides."""

    def extended(side: Predictions) -> Predictions:
        columns = (getattr(side, column) for column in COLUMNS)
        values = (np.full((*side.confidence.shape[:-1], number), value) for value in (0, 0.9, 0.9))
        return Predictions(*(np.concatenate(pair, axis=-1) for pair in zip(columns, values, strict=True)))

    labels = np.zeros(len(block.labels) + number, dtype=int)
    clean, perturbed = extended(block.clean), extended(block.perturbed)
    return RecordBlock(labels, np.arange(len(labels)), block.conditions, clean, perturbed)


def test_theorem_1_holds_to_the_last_bit():
    for name, cell in CELLS.items():
        found = identify(block_of(cell), cell["threshold"])
        for target in ("L", "dM_k"):
            low, high = (found.targets[target].intervals[level] for level in ("Ik", "I5"))
            assert np.array_equal(low.lower, high.lower, equal_nan=True), name
            assert np.array_equal(low.upper, high.upper, equal_nan=True), name


def test_levels_are_chosen():
    found = identify(block_of(CELLS["two-images"]), 0.8, ["Ik"])
    assert {target: list(found.targets[target].intervals) for target in TARGETS} == {key: ["Ik"] for key in TARGETS}


@pytest.mark.parametrize("name", [name for name in CELLS if not name.startswith("large")][:20])
def test_separate_records_give_the_same_bounds(name):
    """Shuffling one side within classes changes no bound, if the counts are supplied."""
    cell = CELLS[name]
    block = block_of(cell)
    paired = identify(block, cell["threshold"])
    classes, states = Classes.of(block.labels), response_states(block)
    counts = ClassStates(classes.count(states.retained_correct), classes.count(states.persistent_error))
    order = np.lexsort((np.random.default_rng(1).random(len(block.labels)), block.labels))
    shuffled = Predictions(*(getattr(block.perturbed, column)[:, order] for column in COLUMNS))
    separate = RecordBlock(block.labels, block.image_ids, block.conditions, block.clean, shuffled)
    for known, levels in ((None, LEVELS[:1]), (ClassStates(counts.overlap), LEVELS[:2]), (counts, LEVELS)):
        found = identify_separate(separate, cell["threshold"], known)
        assert all(tuple(bounds.intervals) == levels for bounds in found.targets.values())
        assert all(bounds.observed is None for bounds in found.targets.values())
        for level in levels:
            for target, ends in intervals(found, level).items():
                assert ends == pytest.approx(intervals(paired, level)[target], abs=1e-12, nan_ok=True)


WRONG_PAIRS = RecordBlock(  # class 7: labels A and B on both sides, all wrong
    np.array([7, 7]),
    np.arange(2),
    ("x",),
    Predictions(np.array([1, 2]), np.array([0.9, 0.9]), np.array([0.1, 0.1])),
    Predictions(np.array([[2, 1]]), np.array([[0.9, 0.9]]), np.array([[0.1, 0.1]])),
)


@pytest.mark.parametrize(
    ("overlap", "persistent", "message"),
    [
        (1, None, "class 7: overlap 1 is not feasible; with these records it lies between 0 and 0"),
        (0, 3, "class 7: no correspondence of these records has 3 persistent errors and 0 harmful flips"),
        (0, 1, "class 7: no correspondence of these records has 1 persistent errors and 0 harmful flips"),
    ],
)
def test_supplied_counts_are_checked(overlap, persistent, message):
    """Two persistent errors or none are feasible, one is not (Appendix A.1)."""
    known = ClassStates(np.array([[overlap]]), None if persistent is None else np.array([[persistent]]))
    with pytest.raises(RecordsError, match=message):
        identify_separate(WRONG_PAIRS, 0.5, known)


@pytest.mark.parametrize("persistent", [0, 2])
def test_feasible_counts_are_accepted(persistent):
    found = identify_separate(WRONG_PAIRS, 0.5, ClassStates(np.array([[0]]), np.array([[persistent]])))
    assert intervals(found, "I5")["H"] == (0, 0)
    assert found.overlap.tolist() == [0]


def test_level_five_needs_persistent_errors():
    judged, overlap_only = outcomes(WRONG_PAIRS, 0.5), ClassStates(np.array([[0]]))
    with pytest.raises(ValueError, match="needs the persistent errors"):
        wrong_records(WRONG_PAIRS, Classes.of(WRONG_PAIRS.labels), judged, overlap_only)


def test_conditions_are_bounded_independently():
    """A block of several conditions gives what each condition gives alone."""
    cells = [cell for name, cell in CELLS.items() if cell["clean"]["label"] == [0, 0, 0]][:4]
    blocks = [block_of(cell) for cell in cells]
    first = blocks[0]
    sides = (np.concatenate([getattr(block.perturbed, column) for block in blocks]) for column in COLUMNS)
    names = tuple(str(row) for row in range(len(blocks)))
    together = identify(RecordBlock(first.labels, first.image_ids, names, first.clean, Predictions(*sides)), 0.5)
    for row, block in enumerate(blocks):
        alone = identify(RecordBlock(first.labels, first.image_ids, ("x",), first.clean, block.perturbed), 0.5)
        for target in TARGETS:
            for level in LEVELS:
                for end in ("lower", "upper"):
                    one, many = (getattr(found.targets[target].intervals[level], end) for found in (alone, together))
                    assert one[0] == pytest.approx(many[row], abs=1e-12, nan_ok=True)


def test_enumeration_stops_at_seven_records():
    side = Predictions(np.zeros(8, dtype=int), np.ones(8), np.ones(8))
    with pytest.raises(ValueError, match="class 3 has 8 records; enumeration stops at 7"):
        correspondences(3, side, side, 0.5, np.array([0.5]))


def test_enumeration_of_the_opening_example():
    bounds = enumerated_bounds(block_of(CELLS["two-images"]), 0, 0.8)
    assert bounds["I5"] == {"H": (0, 0.5), "L": (0, 0.5), "dM_k": pytest.approx((0, 0.3))}


def test_tied_scores_never_cross_the_bounds():
    """Equal scores are summed in other orders for both ends; the interval is one point all the same."""
    random = np.random.default_rng(2)
    labels = np.repeat(np.arange(40), 5)
    scores = np.repeat(random.random(40), 5)
    clean = Predictions(labels, scores, scores)
    predictions = np.where(random.random((3, 200)) < 0.5, labels, labels + 1)
    perturbed = Predictions(predictions, np.tile(scores, (3, 1)), np.where(predictions == labels, scores, 0.0))
    found = identify(RecordBlock(labels, np.arange(200), ("a", "b", "c"), clean, perturbed), 0.5).targets["dM_k"]
    for level in LEVELS:
        interval = found.intervals[level]
        assert (interval.lower <= interval.upper).all()
        assert interval.lower == pytest.approx(0, abs=1e-15)
