"""Five-state ranges of accepted error transitions: an integer programme, and blocks where Hall's condition bites."""

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from pairedeval.identification import identify
from pairedeval.identification.heavy_labels import fewest_marked, solve_programme
from pairedeval.records import Predictions, RecordBlock
from pairedeval.states import outcomes, response_states

THRESHOLD = 0.5


def random_class(seed: int, size: int, accuracies: tuple[float, float], labels: int) -> RecordBlock:
    """Draw one class (label 0) in which most errors persist; odd labels are usually accepted, even ones not.

    Correct records are accepted, so the persistent errors limit H.
    """
    random = np.random.default_rng(seed)

    def side(correct: np.ndarray, wrong: np.ndarray) -> Predictions:
        prediction = np.where(correct, 0, wrong)
        usual = (prediction == 0) | (prediction % 2 == 1)
        confidence = np.where(usual ^ (random.random(size) < 0.1), 0.8, 0.4)
        return Predictions(prediction, confidence, np.where(correct, confidence, confidence / 3))

    first, other = (np.minimum(random.geometric(0.5, size), labels) for _ in range(2))
    difficulty = random.random(size)
    clean = side(difficulty < accuracies[0], first)
    after = side(difficulty < accuracies[1], np.where(random.random(size) < 0.6, first, other))
    perturbed = Predictions(after.prediction[None], after.confidence[None], after.true_class_probability[None])
    return RecordBlock(np.zeros(size, dtype=int), np.arange(size), ("x",), clean, perturbed)


def programme(block: RecordBlock, sign: int) -> float:
    """Optimise H over all matchings with the observed five-state counts, straight from the definitions."""
    size = len(block.labels)
    judged, states = outcomes(block, THRESHOLD), response_states(block)
    first, second = block.clean.prediction[:, None], block.perturbed.prediction[0][None, :]
    kinds = (
        (first == 0) & (second == 0),
        (first == 0) & (second != 0),
        (first != 0) & (second == first),
    )
    observed = (states.retained_correct, states.harmful_flip, states.persistent_error)
    event = kinds[1] & judged.clean_accepted[:, None] & judged.perturbed_accepted[0][None, :]
    pairs = np.arange(size * size).reshape(size, size)
    rows = [np.isin(pairs, pairs[place]).ravel() for place in range(size)]
    columns = [np.isin(pairs, pairs[:, place]).ravel() for place in range(size)]
    matrix = np.array([*rows, *columns, *(kind.ravel() for kind in kinds)], dtype=float)
    values = np.array([1.0] * (2 * size) + [float(state.sum()) for state in observed])
    solved = milp(
        sign * event.ravel().astype(float),
        constraints=LinearConstraint(matrix, values, values),
        bounds=Bounds(0, 1),
        integrality=np.ones(size * size),
    )
    return sign * solved.fun / size


@pytest.mark.parametrize(
    ("size", "accuracies", "labels"),
    [
        (10, (0.5, 0.2), 3),
        (12, (0.4, 0.1), 2),
        (20, (0.6, 0.3), 3),
        (16, (0.6, 0.3), 4),
        (20, (0.3, 0.0), 3),
        (30, (0.5, 0.2), 5),
        (40, (0.3, 0.1), 3),
        (60, (0.4, 0.2), 6),
    ],
)
def test_integer_programme_agrees(size, accuracies, labels):
    for seed in range(4):
        block = random_class(seed, size, accuracies, labels)
        interval = identify(block, THRESHOLD).targets["H"].intervals["I5"]
        assert interval.lower[0] == pytest.approx(programme(block, 1), abs=1e-9)
        assert interval.upper[0] == pytest.approx(programme(block, -1), abs=1e-9)


@pytest.mark.parametrize(
    ("heavy", "rest", "sums", "expected"),
    [
        # Errors A, B on both sides: one persistent pair forces the other.
        (((1, 1, 0), (1, 1, 0)), (0, 0, 0, 0), (1, 1, 1), -1),
        # A further label, on the perturbed side only, gives the single changed pair an end.
        (((1, 1, 1), (1, 1, 1)), (0, 0, 1, 0), (1, 1, 1), 1),
        # Three labels exclude each other at a single changed pair.
        (((1, 1, 1), (2, 2, 0), (2, 2, 1)), (0, 0, 0, 0), (4, 1, 1), -1),
        # One heavy label: its changed ends have no partner of another label.
        (((3, 3, 3),), (0, 0, 0, 0), (2, 1, 1), -1),
        (((3, 3, 3),), (0, 0, 0, 0), (3, 0, 0), 0),
        # Two active labels may need more changed pairs than one: the parity of the split decides.
        (((2, 4, 1), (3, 3, 3)), (0, 0, 0, 0), (2, 3, 3), 2),
    ],
)
def test_blocks_in_which_labels_exclude_each_other(heavy, rest, sums, expected):
    assert fewest_marked(heavy, rest, sums) == expected


def test_shortcuts_agree_with_the_programme():
    """The shortcuts around the dynamic programme are exact, also where every label is heavy."""
    random = np.random.default_rng(3)
    solved = 0
    for _ in range(3000):
        labels = random.integers(0, random.integers(2, 6), (int(random.integers(1, 5)), 2))
        clean, perturbed = labels.sum(axis=0)
        shared = int(labels.min(axis=1).sum())
        if clean == 0 or clean > perturbed:
            continue
        persistent = int(random.integers(max(0, shared - 3), shared + 1))
        heavy = tuple(sorted((int(p), int(q), int(random.integers(0, q + 1))) for p, q in labels))
        sums = (persistent, int(clean) - persistent, int(clean) - persistent)
        exact = solve_programme(heavy, (0, 0, 0, 0), sums)
        found = fewest_marked(heavy, (0, 0, 0, 0), sums)
        assert found == (-1 if exact >= 1 << 60 else exact)
        solved += 1
    assert solved > 1000


@pytest.mark.parametrize("times", [1, 5, 1000])
@pytest.mark.parametrize(("persistent", "share"), [(True, 0), (False, 1 / 3)])
def test_counterexample_many_times_in_one_class(times, persistent, share):
    """Appendix A.6 with `times` copies of its three records: true class 0, errors 1 (accepted) and 2 (rejected)."""

    def side(prediction: list[int]) -> Predictions:
        predictions = np.repeat(prediction, times)
        confidence = np.where(predictions == 2, 0.4, 0.8)
        return Predictions(predictions, confidence, np.where(predictions == 0, confidence, 0.1))

    after = side([2, 1, 0] if persistent else [1, 2, 0])
    perturbed = Predictions(after.prediction[None], after.confidence[None], after.true_class_probability[None])
    labels = np.zeros(3 * times, dtype=int)
    block = RecordBlock(labels, np.arange(3 * times), ("x",), side([0, 1, 1]), perturbed)
    found = identify(block, 0.6).targets["H"].intervals
    assert (found["Ik"].lower[0], found["Ik"].upper[0]) == (0, 1 / 3)
    assert (found["I5"].lower[0], found["I5"].upper[0]) == (share, share)
