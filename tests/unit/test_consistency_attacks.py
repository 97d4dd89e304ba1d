"""Attacked images and images of withheld classes, against loops over images and scikit-learn."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from pairedeval.consistency.attacks import (
    measure_attacks,
    scores_and_displacement,
    summarise_attacks,
    summarise_success,
)
from pairedeval.consistency.scores import SCORES, trust_scores
from pairedeval.consistency.views import WITHHELD
from pairedeval.consistency.withheld import measure_withheld, summarise_withheld
from pairedeval.errors import RecordsError
from support.consistency_views import ATTACKS, example_views

MODELS = ("alpha", "beta", "gamma")
ALL_SCORES = [*SCORES, "displacement"]


@pytest.fixture(scope="module")
def attacks() -> pd.DataFrame:
    return pd.concat([measure_attacks(example_views("attacked", model)) for model in MODELS], ignore_index=True)


@pytest.fixture(scope="module")
def withheld() -> pd.DataFrame:
    return pd.concat([measure_withheld(example_views("withheld", model)) for model in MODELS], ignore_index=True)


def displacement(logits: np.ndarray) -> np.ndarray:
    """Return the mean length of the logits' moves, image by image; shape ``(views, n, classes)``."""
    wide = logits.astype(float)
    moves = [[np.sqrt(((view - image[0]) ** 2).sum()) for view in image[1:]] for image in np.moveaxis(wide, 1, 0)]
    return np.mean(moves, axis=1)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack["condition"])
def test_an_attack_is_judged_image_by_image(attacks, attack):
    views, condition, seed = example_views("attacked", "beta"), attack["condition"], 2
    clean, attacked = (views.logits[seed - 1, views.conditions.index(name)] for name in ("clean", condition))
    rows = attacks[(attacks["model"] == "beta") & (attacks["seed"] == seed) & (attacks["condition"] == condition)]
    assert rows["score"].tolist() == ALL_SCORES
    before, after = clean[0].argmax(axis=-1), attacked[0].argmax(axis=-1)
    turned = [new != label for old, new, label in zip(before, after, views.labels, strict=True) if old == label]
    first = rows.iloc[0]
    assert first[["epsilon", "stability_weight"]].tolist() == [attack["epsilon"], attack["stability_weight"]]
    assert first[["success", "changed"]].tolist() == pytest.approx([np.mean(turned), (before != after).mean()])
    assert first[["images", "clean_errors", "errors"]].tolist() == [
        60, (before != views.labels).sum(), (after != views.labels).sum(),
    ]  # fmt: skip
    found = rows.set_index("score")
    for score in ALL_SCORES:
        of_clean, of_attacked = (
            -displacement(logits) if score == "displacement" else trust_scores(logits)[score]
            for logits in (clean, attacked)
        )
        detected = roc_auc_score([0] * 60 + [1] * 60, -np.concatenate([of_clean, of_attacked]))
        assert found.loc[score, "detection_auroc"] == pytest.approx(detected)
        wrong = after != views.labels
        errors = np.nan if wrong.all() else roc_auc_score(wrong, -of_attacked)
        assert found.loc[score, "error_auroc"] == pytest.approx(errors, nan_ok=True)


def test_a_detector_that_ranks_attacked_images_lower_has_a_high_auroc():
    views = example_views("attacked")
    logits = views.logits.copy()
    # Versions of attacked images move far, those of clean images not at all.
    logits[:, 0] = logits[:, 0, :1]
    logits[:, 1, 1:] = logits[:, 1, :1] + np.float32(30) * np.eye(4, dtype=np.float32)[0]
    found = measure_attacks(replace(views, logits=logits))
    first = found[found["condition"] == "plain-2"].set_index("score")["detection_auroc"]
    assert (first["displacement"] == 1).all()


def test_columns_and_rows(attacks):
    assert list(attacks.columns) == [
        "model", "group", "seed", "condition", "epsilon", "stability_weight", "images", "clean_errors", "errors",
        "success", "changed", "score", "detection_auroc", "error_auroc",
    ]  # fmt: skip
    assert len(attacks) == 3 * 2 * len(ATTACKS) * len(ALL_SCORES)
    assert attacks[["epsilon", "stability_weight"]].dtypes.tolist() == [np.dtype("float64")] * 2


def test_without_images_that_were_right_success_is_undefined():
    views = example_views("attacked", seeds=1)
    wrong = ((views.logits[0, 0, 0].argmax(axis=-1) + 1) % 4).astype(np.int32)
    found = measure_attacks(replace(views, labels=wrong))
    assert found["success"].isna().all()
    assert (found["clean_errors"] == 60).all()
    assert found["detection_auroc"].notna().all()
    summary = summarise_success(found, seed=1).set_index(["condition", "quantity"])
    assert summary.loc[("plain-4", "success"), ["configurations", "undefined_runs"]].tolist() == [0, 1]
    assert summary.loc[("plain-4", "changed"), "configurations"] == 1


def test_an_attack_that_turns_every_image_leaves_no_errors_to_rank():
    views = example_views("attacked", seeds=1)
    logits = views.logits.copy()
    logits[:, 1] = -20 * np.eye(4, dtype=np.float32)[views.labels]
    found = measure_attacks(replace(views, logits=logits))
    first = found[found["condition"] == views.conditions[1]]
    assert first["error_auroc"].isna().all()
    assert (first["success"] == 1).all()
    summary = summarise_attacks(found, seed=1).set_index(["condition", "score", "quantity"])
    assert summary.loc[("plain-2", "msp", "error_auroc"), "undefined_runs"] == 1


def test_an_undescribed_attack_is_named():
    views = example_views("attacked")
    described = {**views.metadata, "attacks": views.metadata["attacks"][1:]}
    with pytest.raises(RecordsError, match="alpha: the view file does not describe its attack plain-2"):
        measure_attacks(replace(views, metadata=described))


def test_attacks_are_averaged_and_compared_with_confidence(attacks):
    summary = summarise_attacks(attacks, seed=1).set_index(["condition", "score", "quantity"])
    means, chosen = summary["mean"], attacks[attacks["condition"] == "adaptive-4-5"]
    for column in ("detection_auroc", "error_auroc"):
        values = chosen.pivot_table(column, index=["model", "seed"], columns="score")
        assert means["adaptive-4-5", "consistency", column] == pytest.approx(values["consistency"].mean())
        name = column.replace("auroc", "minus_msp")
        difference = (values["displacement"] - values["msp"]).mean()
        assert means["adaptive-4-5", "displacement", name] == pytest.approx(difference)
    values = chosen.pivot_table("detection_auroc", index=["model", "seed"], columns="score")
    for other in ("msp", "margin"):
        row = summary.loc[("adaptive-4-5", "stability", f"detection_minus_{other}")]
        assert row["wins"] == pytest.approx((values["stability"] > values[other]).mean())
        assert row["mean"] == pytest.approx((values["stability"] - values[other]).mean())
    levels = summary.xs("detection_auroc", level="quantity")
    assert levels[["effect_size", "p_value", "wins"]].isna().all(axis=None)
    success = summarise_success(attacks, seed=1).set_index(["condition", "quantity"])["mean"]
    runs = chosen[chosen["score"] == "msp"]
    assert success["adaptive-4-5", "success"] == pytest.approx(runs["success"].mean())
    assert success["adaptive-4-5", "changed"] == pytest.approx(runs["changed"].mean())


def test_withheld_classes_are_told_from_known_ones(withheld):
    views = example_views("withheld", "gamma")
    half = np.array(views.splits) == "evaluation"
    logits, labels = views.logits[0, 0][:, half], views.labels[half]
    foreign = labels == WITHHELD
    rows = withheld[(withheld["model"] == "gamma") & (withheld["seed"] == 1)].set_index("score")
    for score, trust in {**trust_scores(logits), "displacement": -displacement(logits)}.items():
        assert rows.loc[score, "auroc"] == pytest.approx(roc_auc_score(foreign, -trust))
    right = [old == label for old, label in zip(logits[0].argmax(axis=-1), labels, strict=True) if label != WITHHELD]
    assert rows.iloc[0][["known_images", "withheld_images", "accuracy"]].tolist() == pytest.approx(
        [len(right), foreign.sum(), np.mean(right)]
    )
    assert rows.index.tolist() == ALL_SCORES


def test_withheld_classes_are_averaged(withheld):
    assert list(withheld.columns) == [
        "model", "group", "seed", "known_images", "withheld_images", "accuracy", "score", "auroc",
    ]  # fmt: skip
    summary = summarise_withheld(withheld, seed=1).set_index(["score", "quantity"])
    values = withheld.pivot_table("auroc", index=["model", "seed"], columns="score")
    assert summary.loc[("energy", "auroc"), "mean"] == pytest.approx(values["energy"].mean())
    assert summary.loc[("energy", "minus_msp"), "mean"] == pytest.approx((values["energy"] - values["msp"]).mean())
    assert summary.loc[("energy", "accuracy"), "mean"] == pytest.approx(
        withheld.drop_duplicates(["model", "seed"])["accuracy"].mean()
    )


def test_absent_kinds_of_images():
    views = example_views("withheld")
    known = replace(views, labels=np.maximum(views.labels, 0))
    assert measure_withheld(known)["auroc"].isna().all()
    with pytest.raises(RecordsError, match="alpha: no evaluation images of known classes"):
        measure_withheld(replace(views, labels=np.full_like(views.labels, WITHHELD)))


def test_displacement_is_zero_where_nothing_moves():
    logits = np.tile(np.array([[1.0, 2.0], [3.0, 0.0]], dtype=np.float32), (7, 1, 1))
    scores = scores_and_displacement(logits)
    assert list(scores) == ALL_SCORES
    assert scores["displacement"].tolist() == [0, 0]
