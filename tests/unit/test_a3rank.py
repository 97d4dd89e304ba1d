"""The adapted A3Rank score against Eq. 12 written out image by image."""

import numpy as np
import pytest

from pairedeval.screening.a3rank import alignment, modal_prediction


def modal_class(predictions: list[int], largest: list[float]) -> int:
    """Return the most frequent class; ties by the voters' mean probability, then by class index."""
    classes = sorted(set(predictions))

    def rank(candidate: int) -> tuple[int, float, int]:
        voters = [value for value, vote in zip(largest, predictions, strict=True) if vote == candidate]
        return len(voters), sum(voters) / len(voters), -candidate

    return max(classes, key=rank)


def equation_12(clean: np.ndarray, probes: np.ndarray, prediction: int, predictions: list[int]) -> float:
    """Return the score of one image; `probes` has shape ``(probes, candidates)``."""
    p = prediction
    m = modal_class(predictions, [row[vote] for row, vote in zip(probes, predictions, strict=True)])
    distractors = [a for a, vote in enumerate(predictions) if vote not in (p, m)]
    supporters = [a for a, vote in enumerate(predictions) if vote == p]
    dominators = [a for a, vote in enumerate(predictions) if vote == m]
    score = clean[p]
    score -= sum(max(probes[a]) - probes[a][p] for a in distractors)
    score += sum(probes[a][p] - probes[a][m] for a in supporters)
    score += sum(probes[a][p] - probes[a][m] + clean[m] - clean[p] for a in dominators)
    return score


def tied_probabilities(generator: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw probabilities in sixteenths, so that votes, sums and means tie exactly and often."""
    counts = generator.multinomial(16, np.full(shape[-1], 1 / shape[-1]), size=shape[:-1])
    return counts / 16


@pytest.mark.parametrize(("probes", "candidates"), [(1, 3), (2, 3), (4, 3), (4, 6), (18, 5)])
def test_equals_equation_12_under_heavy_ties(probes, candidates):
    generator = np.random.default_rng(probes * 10 + candidates)
    clean = tied_probabilities(generator, (300, candidates))
    variants = tied_probabilities(generator, (probes, 300, candidates))
    prediction, predictions = clean.argmax(axis=-1), variants.argmax(axis=-1)
    found = alignment(clean, variants, prediction, predictions)
    for image in range(300):
        expected = equation_12(clean[image], variants[:, image], prediction[image], predictions[:, image].tolist())
        assert found[image] == pytest.approx(expected, abs=1e-12)


def test_modal_prediction_and_its_tie_rules():
    predictions = np.array([[0, 2, 2], [1, 1, 1], [1, 2, 0], [2, 1, 3]])
    confidence = np.array([[0.9, 0.5, 0.5], [0.4, 0.7, 0.5], [0.4, 0.7, 0.5], [0.9, 0.4, 0.5]])
    # Two votes; two votes each and mean 0.6 against 0.55; one vote each and equal means.
    assert modal_prediction(predictions, confidence, 4).tolist() == [1, 2, 0]


def test_agreeing_probes_leave_the_clean_probability():
    clean = np.array([[0.7, 0.2, 0.1], [0.2, 0.5, 0.3]])
    probes = np.broadcast_to(clean, (18, 2, 3))
    found = alignment(clean, probes, np.array([0, 1]), np.broadcast_to([0, 1], (18, 2)))
    assert found.tolist() == [0.7, 0.5]


def test_saturated_probabilities_tie_by_class_index():
    probes = np.eye(3)[[[2], [1], [2], [1]]]
    found = alignment(np.eye(3)[[0]], probes, np.array([0]), np.array([[2], [1], [2], [1]]))
    # Modal class 1: two distractors for 2 lose 1 each, two dominators lose 1 and the clean gap 1 each.
    assert found.tolist() == [1 - 2 - 4]
