"""Verification at the scale of the paper: random vectors (Appendix B.3), Theorem 1 (C.1), dM_k at I0 (A.10)."""

from collections import Counter

import numpy as np
import pytest

from pairedeval.identification import ClassStates, identify, identify_separate
from pairedeval.identification.enumerate import Correspondences, class_correspondences, enumerated_bounds
from pairedeval.records import Predictions, RecordBlock

TOLERANCE = 1e-12
TENTHS = 10
# Sizes of the classes of a record pair, six shapes in turn.
SUPPORTS = ((7,), (6, 1), (5, 3, 2), (6,), (4, 1), (5, 3))


def side_of(probabilities: np.ndarray, labels: np.ndarray) -> Predictions:
    """Turn probability vectors, shape ``(..., n, candidates)``, into records; the lowest index wins ties."""
    truth = np.take_along_axis(probabilities, np.broadcast_to(labels, probabilities.shape[:-1])[..., None], axis=-1)
    return Predictions(probabilities.argmax(axis=-1), probabilities.max(axis=-1), truth[..., 0])


def random_pair(random: np.random.Generator, number: int) -> tuple[RecordBlock, np.ndarray]:
    """Draw vectors over three candidates in tenths, so that ties abound; return the records and all vectors."""
    sizes = SUPPORTS[number % len(SUPPORTS)]
    labels = np.repeat(np.arange(len(sizes)), sizes)
    # Every seventh pair has a perturbed side that is hardly ever right.
    truth = np.array([1.2, 0.1 if number % 7 == 0 else 1.0])[:, None, None]
    weights = np.where(np.eye(3, dtype=bool)[labels], truth, 1.0)
    vectors = random.multinomial(TENTHS, weights / weights.sum(axis=-1, keepdims=True)) / TENTHS
    clean, perturbed = side_of(vectors[0], labels), side_of(vectors[1][None], labels)
    return RecordBlock(labels, np.arange(len(labels)), ("x",), clean, perturbed), vectors


def class_block(block: RecordBlock, label: int, conditions: int) -> RecordBlock:
    """Take one class, with its perturbed side once per condition."""
    members = block.labels == label
    clean, perturbed = (
        Predictions(*(column[..., members] for column in vars(side).values()))
        for side in (block.clean, block.perturbed)
    )
    repeated = Predictions(*(column.repeat(conditions, axis=0) for column in vars(perturbed).values()))
    names = tuple(str(place) for place in range(conditions))
    return RecordBlock(block.labels[members], block.image_ids[members], names, clean, repeated)


def extremes(listed: Correspondences, chosen: np.ndarray) -> dict[str, tuple[float, float]]:
    """Return the extreme H, L and dM_k of one class over some of its matchings, which share one overlap."""
    size, overlap = listed.states[0].sum(), listed.states[chosen, 4][0]
    means = listed.drop[chosen] / overlap if overlap else np.array([np.nan])
    values = {"H": listed.transitions[chosen] / size, "L": listed.losses[chosen] / size, "dM_k": means}
    return {target: (value.min(), value.max()) for target, value in values.items()}


def check_strata(block: RecordBlock, label: int, listed: Correspondences, threshold: float) -> np.ndarray:
    """Compare formulas and listed matchings for every feasible pair of overlap and persistent errors of a class."""
    strata = np.unique(listed.states[:, [4, 2]], axis=0)
    known = ClassStates(overlap=strata[:, :1], persistent=strata[:, 1:])
    found = identify_separate(class_block(block, label, len(strata)), threshold, known).targets
    for place, (overlap, persistent) in enumerate(strata):
        same_overlap = listed.states[:, 4] == overlap
        levels = {"Ik": same_overlap, "I5": same_overlap & (listed.states[:, 2] == persistent)}
        for level, chosen in levels.items():
            for target, expected in extremes(listed, chosen).items():
                interval = found[target].intervals[level]
                ends = (interval.lower[place], interval.upper[place])
                assert ends == pytest.approx(expected, abs=TOLERANCE, nan_ok=True), (target, level)
    return strata


def check_cell(block: RecordBlock, threshold: float) -> None:
    """Compare formulas and listed matchings for a whole cell at all levels."""
    found = identify(block, threshold).targets
    for level, targets in enumerated_bounds(block, 0, threshold).items():
        for target, expected in targets.items():
            interval = found[target].intervals[level]
            ends = (interval.lower[0], interval.upper[0])
            assert ends == pytest.approx(expected, abs=TOLERANCE, nan_ok=True), (target, level)


def test_formulas_on_252_record_pairs():
    """The paper counts 212,868 permutations and 905 strata of overlap and persistent errors; here it is no fewer."""
    random = np.random.default_rng(252)
    seen = Counter()
    for number in range(252):
        block, vectors = random_pair(random, number)
        threshold = (0.4, 0.5, 0.6, 0.7)[number % 4]
        check_cell(block, threshold)
        overlap = 0
        for label, listed in enumerate(class_correspondences(block, 0, threshold, np.array([threshold]))):
            strata = check_strata(block, label, listed, threshold)
            seen.update(permutations=len(listed.states), strata=len(strata))
            overlap += strata[:, 0].max()
        highest = vectors.max(axis=-1)
        seen["pairs"] += 1
        seen["tied"] += ((vectors == highest[..., None]).sum(axis=-1) > 1).any()
        seen["at the threshold"] += (highest == threshold).any()
        seen["no overlap"] += overlap == 0
        seen["unequal supports"] += len(set(np.bincount(block.labels))) > 1
    assert seen["pairs"] == 252
    assert seen["permutations"] >= 212_868
    assert seen["strata"] >= 905
    assert min(seen[kind] for kind in ("tied", "at the threshold", "no overlap", "unequal supports")) >= 10


def simulated_source(random: np.random.Generator, sizes: np.ndarray) -> RecordBlock:
    """Draw a model under three conditions; many errors persist, scores are rounded so that they tie."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    usual = (labels + random.integers(1, 4, len(labels))) % len(sizes)
    difficulty = random.random(len(labels))

    def side(shape: tuple[int, ...], accuracy: np.ndarray) -> Predictions:
        correct = 0.6 * difficulty + 0.4 * random.random(shape) < accuracy
        other = (labels + random.integers(1, 4, shape)) % len(sizes)
        wrong = np.where(random.random(shape) < 0.5, usual, other)
        confidence = random.beta(3, 2, shape).round(1)
        return Predictions(np.where(correct, labels, wrong), confidence, np.where(correct, confidence, 0.0))

    perturbed = side((3, len(labels)), np.array([[0.6], [0.4], [0.2]]))
    return RecordBlock(labels, np.arange(len(labels)), ("a", "b", "c"), side((len(labels),), np.array(0.7)), perturbed)


def check_theorem(block: RecordBlock, condition: int, threshold: float) -> tuple[int, int]:
    """Compare listed matchings at Ik, at I5 and the formulas; return the classes and those with a narrower H."""
    low, high = {"Ik": Counter(), "I5": Counter()}, {"Ik": Counter(), "I5": Counter()}
    narrower = 0
    classes = list(class_correspondences(block, condition, threshold, np.array([threshold])))
    for listed in classes:
        ends = {}
        for level in ("Ik", "I5"):
            chosen = listed.feasible(level)
            values = {"H": listed.transitions[chosen], "L": listed.losses[chosen], "dM_k": listed.drop[chosen]}
            ends[level] = {target: (value.min(), value.max()) for target, value in values.items()}
            for target, (least, most) in ends[level].items():
                low[level][target] += least
                high[level][target] += most
        assert ends["I5"]["L"] == ends["Ik"]["L"]
        assert ends["I5"]["dM_k"] == pytest.approx(ends["Ik"]["dM_k"], abs=TOLERANCE)
        narrower += ends["I5"]["H"] != ends["Ik"]["H"]
    found = identify(block, threshold)
    size, overlap = len(block.labels), found.overlap[condition]
    for target, total in {"H": size, "L": size, "dM_k": overlap}.items():
        for level in ("Ik", "I5"):
            interval = found.targets[target].intervals[level]
            assert interval.lower[condition] * total == pytest.approx(low[level][target], abs=1e-9)
            assert interval.upper[condition] * total == pytest.approx(high[level][target], abs=1e-9)
    return len(classes), narrower


def test_theorem_1_in_19200_classes():
    """Four sources, four models, three conditions: five records a class in one source, two or three in the others."""
    random = np.random.default_rng(48)
    supports = [np.full(1000, 5), *(np.repeat([2, 3], 100) for _ in range(3))]
    checked = [
        check_theorem(block, condition, 0.5)
        for sizes in supports
        for block in (simulated_source(random, sizes) for _ in range(4))
        for condition in range(3)
    ]
    assert len(checked) == 48
    assert sum(classes for classes, _ in checked) == 19_200
    assert sum(narrower for _, narrower in checked) > 100


def least_mean(clean: list[np.ndarray], perturbed: list[np.ndarray], sizes: np.ndarray) -> float:
    """Minimise the mean of clean minus perturbed scores over all numbers of pairs, by dynamic programming.

    Keeps the least numerator of every total overlap, class by class. Takes the scores of the correct records per class.
    """
    reached = {0: 0.0}
    for first, second, size in zip(clean, perturbed, sizes, strict=True):
        lowest, highest = np.sort(first), np.sort(second)[::-1]
        fewest, most = max(0, len(first) + len(second) - size), min(len(first), len(second))
        combined: dict[int, float] = {}
        for pairs in range(fewest, most + 1):
            numerator = lowest[:pairs].sum() - highest[:pairs].sum()
            for total, sum_so_far in reached.items():
                known = combined.get(total + pairs, np.inf)
                combined[total + pairs] = min(known, sum_so_far + numerator)
        reached = combined
    return min((numerator / total for total, numerator in reached.items() if total), default=np.nan)


@pytest.mark.parametrize(("cells", "classes", "records"), [(600, 8, 6), (40, 5, 60)])
def test_variable_overlap_equals_dynamic_programming(cells, classes, records):
    random = np.random.default_rng(records)
    undefined = 0
    for number in range(cells):
        sizes = random.integers(1, records + 1, random.integers(1, classes + 1))
        labels = np.repeat(np.arange(len(sizes)), sizes)
        accuracies = random.choice([0.0, 0.1, 0.4, 0.8, 1.0], (2, len(sizes)))[:, labels]
        scores = random.random((2, len(labels))).round(1 + number % 2)
        prediction = np.where(random.random((2, len(labels))) < accuracies, labels, -1)
        clean, perturbed = (Predictions(*columns) for columns in zip(prediction, scores, scores, strict=True))
        perturbed = Predictions(*(column[None] for column in vars(perturbed).values()))
        block = RecordBlock(labels, np.arange(len(labels)), ("x",), clean, perturbed)
        before, after = (
            [scores[side][(labels == label) & (prediction[side] == label)] for label in range(len(sizes))]
            for side in (0, 1)
        )
        interval = identify(block, 0.5, ["I0"]).targets["dM_k"].intervals["I0"]
        expected = (least_mean(before, after, sizes), -least_mean(after, before, sizes))
        assert (interval.lower[0], interval.upper[0]) == pytest.approx(expected, abs=TOLERANCE, nan_ok=True)
        undefined += bool(np.isnan(expected[0]))
    assert undefined < cells / 2
