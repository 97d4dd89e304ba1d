"""Reassignments within classes: they move every image, keep its class, and change nothing only where they cannot."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from pairedeval.screening.ablation import degenerate, deranged, derangements, leave_one_out_mean, terciles

label_lists = st.lists(st.integers(0, 6), min_size=1, max_size=24).map(np.array)
seeds = st.integers(0, 2**32)


@settings(max_examples=200, deadline=None)
@given(label_lists, st.integers(1, 6), seeds)
def test_no_image_keeps_its_value_and_none_changes_class(labels, draws, seed):
    partner = derangements(labels, draws, seed)
    alone = np.bincount(labels)[labels] == 1
    images = np.arange(len(labels))
    assert partner.shape == (draws, len(labels))
    assert (partner[:, alone] == -1).all()
    assert (partner[:, ~alone] != images[~alone]).all()
    assert (labels[partner[:, ~alone]] == labels[~alone]).all()
    assert (np.sort(partner[:, ~alone], axis=1) == images[~alone]).all()


@settings(max_examples=200, deadline=None)
@given(label_lists, seeds, st.data())
def test_a_draw_can_change_the_auroc_unless_the_condition_is_degenerate(labels, seed, data):
    labels = labels[np.bincount(labels)[labels] > 1]
    failed = np.array(data.draw(st.lists(st.booleans(), min_size=len(labels), max_size=len(labels))), dtype=bool)
    found = bool(degenerate(failed[None], labels)[0])
    mixed = [label for label in np.unique(labels) if 0 < failed[labels == label].mean() < 1]
    if failed.all() or not failed.any():
        assert not found
        return
    assert found == (not mixed)
    partner = derangements(labels, 30, seed)
    if found:
        values = np.array(data.draw(st.lists(st.floats(0, 1), min_size=len(labels), max_size=len(labels))))
        for control in deranged(values, partner):
            assert roc_auc_score(failed, control) == roc_auc_score(failed, values)
    else:
        # Values that rank one mixed class perfectly: every draw that mixes its outcomes ranks worse.
        values = np.where(labels == mixed[0], failed.astype(float), 0.5)
        assert any(
            roc_auc_score(failed, control) < roc_auc_score(failed, values) for control in deranged(values, partner)
        )


@settings(max_examples=200, deadline=None)
@given(label_lists, st.data())
def test_leave_one_out_mean_is_the_mean_of_the_others(labels, data):
    values = np.array(data.draw(st.lists(st.floats(0, 1), min_size=len(labels), max_size=len(labels))))
    found = leave_one_out_mean(values, labels)
    for image, label in enumerate(labels):
        others = np.delete(values, image)[np.delete(labels, image) == label]
        expected = others.mean() if len(others) else np.nan
        np.testing.assert_allclose(found[image], expected, atol=1e-12)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 64), min_size=1, max_size=30))
def test_terciles_equal_exact_quantiles(counts):
    ordered = sorted(counts)
    cuts = []
    for third in (1, 2):
        place = Fraction(third * (len(counts) - 1), 3)
        below, above = ordered[math.floor(place)], ordered[math.ceil(place)]
        cuts.append(below + (place - math.floor(place)) * (above - below))
    found = terciles(np.array(counts) / 64)
    assert found.tolist() == [sum(count >= cut for cut in cuts) for count in counts]
