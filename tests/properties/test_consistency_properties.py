"""Consistency quantities, scores and risk-coverage areas: identities and ranges on random logits with many ties."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import roc_auc_score

from pairedeval.consistency.detection import detect_errors
from pairedeval.consistency.quantities import (
    confidence_deviation,
    consistency_accuracy_gap,
    consistency_score,
    label_stability,
    probabilities,
    regime,
    rescaled_deviation,
    total_variation,
)
from pairedeval.consistency.risk_coverage import aurc
from pairedeval.consistency.scores import trust_scores


@st.composite
def logits(draw) -> np.ndarray:
    """Draw logits of shape ``(1 + K, n, classes)``, on a coarse grid half of the time."""
    shape = (draw(st.integers(2, 7)), draw(st.integers(1, 12)), draw(st.integers(2, 5)))
    coarse = st.integers(-3, 3).map(float)
    return draw(arrays(np.float64, shape, elements=draw(st.sampled_from([coarse, st.floats(-30, 30)]))))


@st.composite
def rankings(draw, largest: int = 25) -> tuple[np.ndarray, np.ndarray]:
    """Draw trust and errors of 1 to `largest` images."""
    images, levels = draw(st.integers(1, largest)), draw(st.sampled_from([1, 2, 4, 100]))
    return (
        draw(arrays(np.int64, images, elements=st.integers(0, levels))) / levels,
        draw(arrays(np.bool_, images)),
    )


def quantities(views: np.ndarray) -> dict[str, np.ndarray]:
    shares = probabilities(views)
    confidence = shares.max(axis=-1)
    return {
        "stability": label_stability(views.argmax(axis=-1)),
        "deviation": confidence_deviation(confidence),
        "rescaled": rescaled_deviation(confidence),
        "variation": total_variation(shares),
    }


@settings(max_examples=150, deadline=None)
@given(logits(), st.floats(0, 1))
def test_quantities_and_scores_stay_in_their_ranges(views, weight):
    found = quantities(views)
    for values in found.values():
        assert ((values >= 0) & (values <= 1 + 1e-12)).all()
    # The largest entries of two distributions differ by no more than the distributions, and confidence is at most one.
    assert (found["deviation"] <= found["variation"] + 1e-12).all()
    assert (found["deviation"] <= found["rescaled"] + 1e-12).all()
    score = consistency_score(found["stability"], found["deviation"], weight)
    assert ((score >= -1e-12) & (score <= 1 + 1e-12)).all()
    trust = trust_scores(views)
    classes = views.shape[-1]
    lowest = {"msp": 1 / classes, "margin": 0, "entropy": -np.log(classes), "doctor": 1 - classes, "deviation": -1}
    highest = {"margin": np.inf, "energy": np.inf, "entropy": 0, "doctor": 0, "deviation": 0}
    for name, values in trust.items():
        assert np.isfinite(values).all()
        assert (values <= highest.get(name, 1) + 1e-9).all()
        if name != "energy":
            assert (values >= lowest.get(name, 0) - 1e-9).all()
    assert (trust["energy"] >= views[0].max(axis=-1) - 1e-9).all()


@settings(max_examples=150, deadline=None)
@given(logits(), st.data())
def test_gap_is_mean_instability_minus_error_rate(views, data):
    correct = data.draw(arrays(np.bool_, views.shape[1]))
    score = trust_scores(views)["consistency"]
    gap = consistency_accuracy_gap(correct, score)
    assert gap == pytest.approx((1 - score).mean() - (~correct).mean(), abs=1e-12)
    assert -1 <= gap <= 1
    # A larger tolerance never leaves the balanced regime.
    names = [regime(float(gap), tolerance) for tolerance in (0.02, 0.03, 0.05, 0.1)]
    assert names == sorted(names, key=lambda name: name == "balanced")


@settings(max_examples=150, deadline=None)
@given(logits(), st.randoms(use_true_random=False))
def test_the_order_of_the_operators_changes_nothing(views, random):
    order = list(range(1, len(views)))
    random.shuffle(order)
    shuffled = views[[0, *order]]
    np.testing.assert_array_equal(label_stability(views.argmax(axis=-1)), label_stability(shuffled.argmax(axis=-1)))
    for name, values in quantities(views).items():
        np.testing.assert_allclose(quantities(shuffled)[name], values, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(logits(), st.integers(1, 3))
def test_repeated_operators_change_nothing(views, times):
    repeated = np.concatenate([views[:1], *[views[1:]] * times])
    for name, values in quantities(views).items():
        np.testing.assert_allclose(quantities(repeated)[name], values, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(logits(), st.floats(-20, 20))
def test_a_constant_on_all_logits_moves_energy_alone(views, constant):
    found, moved = trust_scores(views), trust_scores(views + constant)
    for name in set(found) - {"stability", "tta_agreement", "energy"} - {name for name in found if "consist" in name}:
        np.testing.assert_allclose(moved[name], found[name], atol=1e-9)
    np.testing.assert_allclose(moved["energy"], found["energy"] + constant, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(rankings(largest=5))
def test_aurc_is_the_mean_over_all_orders(ranking):
    trust, wrong = ranking
    areas = []
    for order in permutations(range(len(trust))):
        ranked = wrong[sorted(order, key=lambda image: -trust[image])]
        areas.append(np.mean(np.cumsum(ranked) / np.arange(1, len(ranked) + 1)))
    assert aurc(-trust[None], wrong[None])[0, 0] == pytest.approx(np.mean(areas), abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(rankings(), st.randoms(use_true_random=False))
def test_aurc_depends_on_the_ranking_alone_and_is_bounded_by_the_best_and_the_worst(ranking, random):
    trust, wrong = ranking
    risk, errors = -trust[None], wrong[None]
    area = aurc(risk, errors)[0, 0]
    order = list(range(len(trust)))
    random.shuffle(order)
    assert aurc(risk[:, order], errors[:, order])[0, 0] == pytest.approx(area, abs=1e-12)
    assert aurc(np.exp(risk), errors)[0, 0] == area
    best, worst = aurc(np.stack([wrong, ~wrong]).astype(float) + np.linspace(0, 0.5, len(wrong)), errors)[:, 0]
    assert best - 1e-12 <= area <= worst + 1e-12
    assert 0 <= area <= 1 + 1e-12


@settings(max_examples=150, deadline=None)
@given(rankings())
def test_auroc_equals_scikit_learn_and_constant_scores_rank_nothing(ranking):
    trust, wrong = ranking
    found = detect_errors({"drawn": trust, "constant": np.zeros(len(trust))}, wrong).set_index("score")
    if wrong.all() or not wrong.any():
        assert found["auroc"].isna().all()
    else:
        assert found.loc["drawn", "auroc"] == pytest.approx(roc_auc_score(wrong, -trust), abs=1e-12)
        assert found.loc["constant", "auroc"] == 0.5
    assert found.loc["constant", "aurc"] == pytest.approx(wrong.mean(), abs=1e-12)
