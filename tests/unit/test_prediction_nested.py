"""Nested ridge predictions against plain loops of scikit-learn, and what must not cross a fold."""

import itertools

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from pairedeval.errors import RecordsError
from pairedeval.prediction.nested import Folds, nested_predictions
from pairedeval.prediction.ridge import PENALTIES, fit_ridge

groups = np.array([0, 1, 2, 0, 3, 4, 4, 1, 2, 3, 0, 4, 2, 1])
EXTREMES = (np.nan, np.inf, -np.inf, 1e150, -1e150, 0.0)


def example(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw 14 models: one feature missing at random, one known in group 0 alone, one that varies in group 1 alone."""
    random = np.random.default_rng(seed)
    features = random.normal(size=(14, 6)) * np.array([1, 10, 0.01, 1, 1, 1])
    features[random.random(14) < 0.3, 3] = np.nan
    features[groups != 0, 4] = np.nan
    features[:, 5] = np.where(groups == 1, features[:, 5], 0.1)
    targets = norm.cdf(features[:, 0] - 50 * features[:, 2] + random.normal(size=14))
    targets[:2] = 0.0, 1.0
    return features, targets


def loop_fit(features, targets, training, penalty):
    """Fit one ridge regression and return a function that predicts a share."""
    fill = []
    for column in features[training].T:
        known = column[~np.isnan(column)]
        fill.append(np.median(known) if len(known) else 0.0)

    def filled(rows):
        return np.where(np.isnan(rows), fill, rows)

    scaler = StandardScaler().fit(filled(features[training]))
    quantiles = norm.ppf(np.clip(targets[training], 1e-4, 1 - 1e-4))
    ridge = Ridge(alpha=penalty).fit(scaler.transform(filled(features[training])), quantiles)
    return lambda rows: norm.cdf(ridge.predict(scaler.transform(filled(rows))))


def loop_nested(features, targets, group):
    """Predict every model by explicit loops over outer folds, penalties and inner folds."""
    predicted, chosen = np.full(len(group), np.nan), np.full(len(group), np.nan)
    for outer in np.unique(group):
        errors = []
        for penalty in PENALTIES:
            inner_errors = []
            for inner in np.setdiff1d(group, [outer]):
                training, held_out = (group != outer) & (group != inner), group == inner
                predict = loop_fit(features, targets, training, penalty)
                inner_errors += np.abs(predict(features[held_out]) - targets[held_out]).tolist()
            errors.append(np.mean(inner_errors))
        penalty = PENALTIES[int(np.argmin(errors))]
        predict = loop_fit(features, targets, group != outer, penalty)
        predicted[group == outer], chosen[group == outer] = predict(features[group == outer]), penalty
    return predicted, chosen


@pytest.mark.parametrize("seed", [0, 1])
def test_predictions_equal_loops_of_scikit_learn(seed):
    features, targets = example(seed)
    predicted, penalty = nested_predictions(features[None], targets[:, None], Folds.of(groups))
    expected, chosen = loop_nested(features, targets, groups)
    assert predicted[0, 0, :, 0] == pytest.approx(expected, abs=1e-8)
    assert penalty[0, 0, :, 0].tolist() == chosen.tolist()
    assert len(set(chosen)) > 1


def test_deletion_refits_equal_loops_without_the_group():
    features, targets = example(2)
    predicted, penalty = nested_predictions(features[None], targets[:, None], Folds.of(groups, deletions=True))
    assert predicted.shape == (6, 1, 14, 1)
    assert predicted[0, 0, :, 0] == pytest.approx(loop_nested(features, targets, groups)[0], abs=1e-8)
    for deleted in (0, 3):
        kept = groups != deleted
        expected, chosen = loop_nested(features[kept], targets[kept], groups[kept])
        assert predicted[1 + deleted, 0, kept, 0] == pytest.approx(expected, abs=1e-8)
        assert penalty[1 + deleted, 0, kept, 0].tolist() == chosen.tolist()
        assert np.isnan(predicted[1 + deleted, 0, ~kept, 0]).all()
        assert np.isnan(penalty[1 + deleted, 0, ~kept, 0]).all()


def test_replicates_and_targets_are_predicted_by_themselves():
    parts = [example(seed) for seed in (3, 4)]
    features, targets = np.stack([part[0] for part in parts]), np.stack([part[1] for part in parts], axis=1)
    together, _ = nested_predictions(features, targets, Folds.of(groups))
    for replicate, target in itertools.product(range(2), range(2)):
        alone, _ = nested_predictions(features[[replicate]], targets[:, [target]], Folds.of(groups))
        assert together[0, replicate, :, target] == pytest.approx(alone[0, 0, :, 0], abs=1e-12)


@pytest.mark.parametrize("held_out", range(5))
@pytest.mark.parametrize("extreme", EXTREMES)
def test_fits_ignore_whatever_a_held_out_group_holds(held_out, extreme):
    features, targets = example()
    training = Folds.of(groups, deletions=True).training
    training = training[~training[:, groups == held_out].any(axis=1)]
    before = fit_ridge(features[None], targets[:, None], training)
    changed, other = features.copy(), targets.copy()
    changed[groups == held_out], other[groups == held_out] = extreme, extreme
    after = fit_ridge(changed[None], other[:, None], training)
    for name, values in vars(before).items():
        assert np.array_equal(values, getattr(after, name)), name


@pytest.mark.parametrize("extreme", [np.nan, 1e100, -1e100])
def test_a_groups_features_change_neither_its_penalty_nor_refits_without_it(extreme):
    features, targets = example()
    folds = Folds.of(groups, deletions=True)
    before, penalty = nested_predictions(features[None], targets[:, None], folds)
    for group in range(5):
        changed = features.copy()
        changed[groups == group, :3] = extreme
        after, chosen = nested_predictions(changed[None], targets[:, None], folds)
        assert np.array_equal(after[1 + group], before[1 + group], equal_nan=True)
        assert np.array_equal(chosen[:, :, groups == group], penalty[:, :, groups == group], equal_nan=True)


@pytest.mark.parametrize("value", [0.0, 1.0, 0.3])
def test_a_groups_target_changes_no_prediction_of_its_own(value):
    features, targets = example()
    folds = Folds.of(groups, deletions=True)
    before, _ = nested_predictions(features[None], targets[:, None], folds)
    for group in range(5):
        changed = np.where(groups == group, value, targets)
        after, _ = nested_predictions(features[None], changed[:, None], folds)
        own = groups == group
        assert np.array_equal(after[:, :, own], before[:, :, own], equal_nan=True)
        assert np.array_equal(after[1 + group], before[1 + group], equal_nan=True)
        assert not np.array_equal(after[0][:, ~own], before[0][:, ~own])


def test_every_fit_leaves_out_what_it_should():
    folds = Folds.of(groups, deletions=True)
    for deleted, outer, inner in itertools.product(range(5), range(5), range(5)):
        left_out = {deleted, outer, inner}
        assert folds.training[folds.fit[1 + deleted, outer, inner]].tolist() == [g not in left_out for g in groups]
        assert folds.training[folds.fit[0, outer, inner]].tolist() == [g not in {outer, inner} for g in groups]
    assert len(folds.training) == 5 + 10 + 10


def test_three_groups_can_be_predicted_but_not_deleted():
    features, targets = np.arange(9.0).reshape(3, 3), np.array([0.2, 0.4, 0.9])
    folds = Folds.of(np.arange(3), deletions=True)
    predicted, _ = nested_predictions(features[None], targets[:, None], folds)
    assert predicted.shape == (1, 1, 3, 1)
    assert predicted[0, 0, :, 0] == pytest.approx(loop_nested(features, targets, np.arange(3))[0], abs=1e-8)


def test_two_groups_are_refused():
    with pytest.raises(RecordsError, match="at least 3 groups, not 2; add models"):
        Folds.of(np.array([0, 1, 1]))
