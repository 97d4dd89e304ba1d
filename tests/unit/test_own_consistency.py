"""``pairedeval consistency`` on files, against hand-computed values and slow computations from the definitions."""

import hashlib
import json
import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import pairedeval
from pairedeval.cli import main
from pairedeval.own import consistency_errors
from pairedeval.own.consistency import decision_consistency, measure_models
from pairedeval.own.consistency_certificate import certificate_answer, certify_model, images_needed
from pairedeval.own.consistency_files import pair_views
from pairedeval.own.screening_recall import drawn_images
from pairedeval.records import write_records
from pairedeval.screening.ranking import auroc

COLUMNS = ["image_id", "label", "prediction", "confidence", "true_class_probability"]
PROBES = ("fog-2", "fog-4", "snow, light")
CLASSES = ("ant", "bee", "cow", "10")


def side(logits, labels, classes=CLASSES, with_logits=True):
    """Lay out the predictions that logits stand for; the last of tied classes is predicted."""
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = shifted / shifted.sum(axis=1, keepdims=True)
    predicted = len(classes) - 1 - logits[:, ::-1].argmax(axis=1)
    frame = pd.DataFrame(
        {
            "image_id": [f"i{number:03}" for number in range(len(labels))],
            "label": [classes[label] for label in labels],
            "prediction": [classes[code] for code in predicted],
            "confidence": shares.max(axis=1),
            "true_class_probability": shares[np.arange(len(labels)), labels],
        }
    )
    return (
        frame.assign(**dict(zip([f"logit_{name}" for name in classes], logits.T, strict=True)))
        if with_logits
        else frame
    )


def simulated(images, models=("m1",), probes=PROBES, seed=0, with_logits=True, classes=CLASSES):
    """Simulate clean and probe predictions in random order; logits in quarters, so that logits and margins tie."""
    random = np.random.default_rng(seed)
    labels = np.arange(images) % len(classes)
    clean, probed = [], []
    for model in models:
        logits = random.normal(size=(images, len(classes))) + 1.5 * np.eye(len(classes))[labels]
        clean.append(side((4 * logits).round() / 4, labels, classes, with_logits).assign(model=model))
        for step, name in enumerate(probes):
            moved = logits + 0.2 * (1 + step) * random.normal(size=logits.shape)
            moved = (4 * moved).round() / 4
            probed.append(side(moved, labels, classes, with_logits).assign(model=model, condition=name))
    return [pd.concat([frame.sample(frac=1, random_state=seed) for frame in frames]) for frames in (clean, probed)]


def cell(frame, model, condition=None):
    """Look up the rows of one cell by image."""
    rows = frame[frame["model"] == model]
    rows = rows if condition is None else rows[rows["condition"] == condition]
    return {row["image_id"]: row for row in rows.to_dict("records")}


def slow_images(clean, probes, model, weight=0.5):
    """Compute LS, CD and CS image by image, in fractions; images in the order of their ids."""
    cells = [cell(probes, model, condition) for condition in dict.fromkeys(probes["condition"])]
    found = {}
    for image, row in sorted(cell(clean, model).items()):
        rows = [rows[image] for rows in cells]
        stability = Fraction(sum(other["prediction"] == row["prediction"] for other in rows), len(rows))
        changes = [abs(Fraction(other["confidence"]) - Fraction(row["confidence"])) for other in rows]
        deviation = sum(changes) / len(rows)
        found[image] = {
            "correct": row["prediction"] == row["label"],
            "label": row["label"],
            "confidence": Fraction(row["confidence"]),
            "label_stability": stability,
            "confidence_deviation": deviation,
            "consistency_score": Fraction(weight) * stability + (1 - Fraction(weight)) * (1 - deviation),
            "flipped_by": sum(other["prediction"] != row["prediction"] for other in rows),
        }
    return found


def slow_area(trust, correct):
    return roc_auc_score(correct, trust) if 0 < sum(correct) < len(correct) else np.nan


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Write frames as CSV files and measure them; return the JSON, or the text of the last option."""
    monkeypatch.chdir(tmp_path)

    def run(clean, probes, *options, text=False):
        probes = probes if isinstance(probes, dict) else {"probes": probes}
        clean.to_csv("clean.csv", index=False)
        for name, frame in probes.items():
            frame.to_csv(f"{name}.csv", index=False)
        names = [f"{name}.csv" for name in probes]
        code = main(["consistency", "clean.csv", *names, *options, *([] if text else ["--json"])])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out if text else json.loads(captured.out)

    return run


CLEAN = pd.DataFrame(
    [
        ("a", "cat", "cat", 0.75, 0.75),
        ("b", "cat", "dog", 0.5, 0.25),
        ("c", "dog", "dog", 1.0, 1.0),
        ("d", "dog", "cat", 0.75, 0.25),
    ],
    columns=COLUMNS,
)
FOG = pd.DataFrame(
    [
        ("d", "dog", "cat", 0.5, 0.5),
        ("c", "dog", "dog", 0.75, 0.75),
        ("b", "cat", "dog", 0.5, 0.5),
        ("a", "cat", "cat", 0.75, 0.75),
    ],
    columns=COLUMNS,
)
SNOW = pd.DataFrame(
    [
        ("a", "cat", "cat", 0.5, 0.5),
        ("b", "cat", "cat", 0.75, 0.75),
        ("c", "dog", "dog", 1.0, 1.0),
        ("d", "dog", "dog", 0.75, 0.75),
    ],
    columns=COLUMNS,
)
# Margins 3, 1, 4 and 1; the largest displacements are 1, sqrt(2), 0 and 3.
LOGITS = {
    "clean": [(4, 1), (0, 1), (0, 4), (2, 1)],
    "fog": [(4, 0), (0, 1), (0, 4), (2, 0)],
    "snow": [(4, 1), (1, 0), (0, 4), (2, 4)],
}


def test_a_tiny_example_by_hand(run):
    """LS 1, 1/2, 1, 1/2; CD 1/8, 1/8, 1/8, 1/8; CS 15/16, 11/16, 15/16, 11/16; two of four right."""
    found = run(CLEAN, {"fog": FOG, "snow": SNOW})
    assert 60 < found["comparison"].pop("undefined_draws") < 190  # 2 / 2 ** 4 = 12.5 % of the draws
    assert found == {
        "model": None,
        "n": 4,
        "conditions": ["fog", "snow"],
        "weight": 0.5,
        "tolerance": 0.05,
        "accuracy": 0.5,
        "errors": 2,
        "label_stability": 0.75,
        "confidence_deviation": 0.125,
        "consistency_score": 0.8125,
        "error_stability": 0.5,
        "gap": -0.3125,
        "regime": "consistency-dominant",
        "flips": [{"condition": "fog", "flip_rate": 0.0}, {"condition": "snow", "flip_rate": 0.5}],
        "auroc": {
            "confidence": 0.875,
            "label_stability": 1.0,
            "confidence_deviation": 0.5,
            "consistency_score": 1.0,
        },
        "comparison": {"difference": 0.125, "interval": [0.0, 0.5], "draws": 1000},
        "classes": [
            {"label": "cat", "images": 2, "recall": 0.5, "errors": 1, "error_stability": 0.5},
            {"label": "dog", "images": 2, "recall": 0.5, "errors": 1, "error_stability": 0.5},
        ],
        "certificate": None,
    }


def with_logits(frame, rows, names=("cat", "dog")):
    """Add logits to the images a to d."""
    places = [ord(image) - ord("a") for image in frame["image_id"]]
    values = np.array(rows, dtype=float)[places]
    return frame.assign(**{f"logit_{name}": values[:, column] for column, name in enumerate(names)})


def test_a_tiny_certificate_by_hand(run):
    """Scaled displacements sqrt(2), 2, 0, 3 sqrt(2); at beta 1/2 the threshold is the second of two."""
    frames = {name: with_logits(frame, LOGITS[name]) for name, frame in
              {"clean": CLEAN, "fog": FOG, "snow": SNOW}.items()}  # fmt: skip
    found = run(frames["clean"], {"fog": frames["fog"], "snow": frames["snow"]}, "--beta", "0.5")["certificate"]
    worst = dict(zip("abcd", [math.sqrt(2), 2, 0, 3 * math.sqrt(2)], strict=True))
    order = sorted("abcd", key=lambda image: hashlib.sha256(f"no-flip certificate\x1f{image}".encode()).hexdigest())
    threshold = max(worst[image] for image in order[:2])
    margins = {"a": 3, "b": 1, "c": 4, "d": 1}
    certified = [image for image in order[2:] if margins[image] > threshold]
    assert found == {
        "beta": 0.5,
        "calibration_images": 2,
        "evaluated_images": 2,
        "threshold": pytest.approx(threshold),
        "images_needed": 2,
        "certified": len(certified) / 2,
        "flip_rate": sum(image in "bd" for image in order[2:]) / 2,
        "certified_and_flipped": 0.0,
        "accuracy": sum(image in "ac" for image in order[2:]) / 2,
        "flip_rate_of_certified": 0.0 if certified else None,
        "certified_accuracy": 1.0 if certified else None,
        "violations": 0,
    }


@pytest.mark.parametrize(("weight", "models"), [(0.5, ("m1",)), (0.25, ("m1", "m2", "m3")), (1.0, ("m1",))])
def test_quantities_follow_the_definitions(weight, models, run, monkeypatch):
    monkeypatch.setattr(consistency_errors, "DRAWS", 50)
    clean, probes = simulated(60, models)
    answers = run(clean, probes, "--weight", str(weight), "--tolerance", "0.1")
    for model, answer in zip(models, answers if len(models) > 1 else [answers], strict=True):
        images = list(slow_images(clean, probes, model, weight).values())
        correct = np.array([image["correct"] for image in images])
        assert (answer["model"], answer["n"], answer["errors"]) == (model, 60, (~correct).sum())
        assert answer["accuracy"] == pytest.approx(correct.mean())
        means = {name: float(sum(image[name] for image in images) / 60) for name in consistency_errors.RISK_SIGNS}
        for name in ("label_stability", "confidence_deviation", "consistency_score"):
            assert answer[name] == pytest.approx(means[name])
        gap = correct.mean() - means["consistency_score"]
        assert answer["gap"] == pytest.approx(gap)
        assert answer["regime"] == ("consistency-dominant" if gap < -0.1 else "balanced")
        wrong = [image["label_stability"] for image in images if not image["correct"]]
        assert answer["error_stability"] == pytest.approx(float(sum(wrong) / len(wrong)))
        trust = {
            name: np.array([float(round(-sign * image[name], 14)) for image in images])
            for name, sign in consistency_errors.RISK_SIGNS.items()
        }
        assert answer["auroc"] == pytest.approx({name: slow_area(trust[name], correct) for name in trust})
        drawn = np.concatenate(list(drawn_images(60, 50)), axis=1)
        slow = [
            slow_area(trust["consistency_score"][some], correct[some])
            - slow_area(trust["confidence"][some], correct[some])
            for some in (np.repeat(np.arange(60), weights) for weights in drawn.T)
        ]
        assert answer["comparison"] == {
            "difference": pytest.approx(answer["auroc"]["consistency_score"] - answer["auroc"]["confidence"]),
            "interval": pytest.approx(np.percentile(slow, [2.5, 97.5])),
            "draws": 50,
            "undefined_draws": 0,
        }
        before = cell(clean, model)
        for flips in answer["flips"]:
            after = cell(probes, model, flips["condition"])
            changed = [before[image]["prediction"] != after[image]["prediction"] for image in before]
            assert flips["flip_rate"] == pytest.approx(np.mean(changed))


def test_resampled_areas_are_those_of_the_study():
    random = np.random.default_rng(3)
    for images, share in ((200, 0.2), (5, 0.3), (3, 0.0)):
        risk = np.stack([random.integers(0, 7, images) / 6, random.random(images)])
        wrong = random.random(images) < share
        drawn = np.concatenate(list(drawn_images(images, consistency_errors.DRAWS)), axis=1)
        expected = auroc(risk, wrong[np.newaxis], drawn)[:, 0]
        assert np.array_equal(consistency_errors.resampled_areas(risk, wrong), expected, equal_nan=True)


def test_classes_stand_by_recall(run):
    clean, probes = simulated(80)
    images = slow_images(clean, probes, "m1").values()
    classes = run(clean, probes)["classes"]
    assert [row["recall"] for row in classes] == sorted(row["recall"] for row in classes)
    assert sorted(row["label"] for row in classes) == sorted(CLASSES)
    for row in classes:
        members = [image for image in images if image["label"] == row["label"]]
        wrong = [image["label_stability"] for image in members if not image["correct"]]
        assert (row["images"], row["errors"]) == (len(members), len(wrong))
        assert row["recall"] == pytest.approx(1 - len(wrong) / len(members))
        assert row["error_stability"] == pytest.approx(float(sum(wrong) / len(wrong)))


@pytest.mark.parametrize(("beta", "images"), [(0.05, 81), (0.2, 40), (0.05, 37), (0.3, 6), (0.3, 5)])
def test_the_certificate_follows_its_definition(beta, images, run):
    models = ("m1", "m2")
    clean, probes = simulated(images, models)
    columns = [f"logit_{name}" for name in CLASSES]
    for model, answer in zip(models, run(clean, probes, "--beta", str(beta)), strict=True):
        before = cell(clean, model)
        cells = [cell(probes, model, condition) for condition in PROBES]
        order = sorted(before, key=lambda image: hashlib.sha256(f"no-flip certificate\x1f{image}".encode()).hexdigest())
        logits = {image: [row[column] for column in columns] for image, row in before.items()}
        margin = {image: np.subtract(*sorted(values)[:-3:-1]) for image, values in logits.items()}
        moved = [{image: np.subtract([rows[image][name] for name in columns], logits[image]) for image in before}
                 for rows in cells]  # fmt: skip
        worst = {image: max(np.sqrt(2) * np.sqrt((rows[image] ** 2).sum()) for rows in moved) for image in before}
        flipped = {image: any(rows[image]["prediction"] != before[image]["prediction"] for rows in cells)
                   for image in before}  # fmt: skip
        calibration, judged = order[: images // 2], order[images // 2 :]
        rank = math.ceil((len(calibration) + 1) * (1 - Fraction(str(beta))))
        finite = rank <= len(calibration)
        threshold = sorted(worst[image] for image in calibration)[rank - 1] if finite else math.inf
        certified = [image for image in judged if margin[image] > threshold]
        right = [image for image in before if before[image]["prediction"] == before[image]["label"]]

        def share(some, of):
            return pytest.approx(len(set(some) & set(of)) / len(of)) if of else None

        flips = [image for image in before if flipped[image]]
        assert answer["certificate"] == {
            "beta": beta,
            "calibration_images": len(calibration),
            "evaluated_images": len(judged),
            "threshold": pytest.approx(threshold) if finite else None,
            "images_needed": {0.05: 38, 0.2: 8, 0.3: 6}[beta],
            "certified": share(certified, judged),
            "flip_rate": share(flips, judged),
            "certified_and_flipped": share(set(certified) & set(flips), judged),
            "accuracy": share(right, judged),
            "flip_rate_of_certified": share(flips, certified),
            "certified_accuracy": share(right, certified),
            "violations": 0,
        }
        assert finite == (images >= answer["certificate"]["images_needed"])


def test_violations_are_counted():
    """Logits that do not move cannot flip a prediction whose margin is above zero."""
    clean, probes = simulated(60)
    model = pair_views(clean, [("probes", probes)])[0]
    still = replace(model, displacements=np.zeros_like(model.displacements))
    found = certificate_answer(still, certify_model(still, 0.05))
    assert found["violations"] == (model.flips & (model.margins > 0)).sum() > 0
    assert certificate_answer(model, certify_model(model, 0.05))["violations"] == 0


def test_a_flip_with_equality_is_no_violation(run):
    """Margin 0.3 and a displacement of 0.15 along both axes, in numbers that binary fractions do not hold."""
    clean = side(np.array([[0.3, 0.0]] * 40), np.zeros(40, dtype=int), ("a", "b"))
    probe = side(np.array([[0.15, 0.15]] * 40), np.zeros(40, dtype=int), ("a", "b"))
    found = run(clean, {"fog": probe})
    assert found["flips"][0]["flip_rate"] == 1
    assert (found["certificate"]["violations"], found["certificate"]["certified"]) == (0, 0)


def test_the_number_of_images_needed_is_the_smallest():
    for beta in (0.01, 0.05, 0.1, 0.3, 0.5, 0.9):
        half = images_needed(beta) // 2
        share = 1 - Fraction(str(beta))
        assert (half + 1) * share <= half
        assert half * share > half - 1


def test_layouts_and_orders_of_files_change_nothing(run, tmp_path, capsys):
    """One file a condition or all in one, columns named or not and in any order, CSV or Parquet, text or numbers."""
    clean, probes = simulated(60)
    expected = run(clean, probes)
    files = dict(list(probes.groupby("condition", sort=False)))
    backwards = run(clean.iloc[::-1], probes.iloc[::-1])
    assert sorted(backwards.pop("conditions")) == sorted(expected["conditions"])
    assert {cell["condition"]: cell["flip_rate"] for cell in backwards.pop("flips")} == {
        cell["condition"]: cell["flip_rate"] for cell in expected["flips"]
    }
    for name, value in backwards.items():
        assert value == (pytest.approx(expected[name]) if isinstance(value, float) else expected[name])
    assert run(clean, files) == expected
    assert run(clean.iloc[::-1], {name: frame.iloc[::-1] for name, frame in files.items()}) == expected
    bare = {name: frame.drop(columns=["model", "condition"]) for name, frame in files.items()}
    assert run(clean, bare) == expected
    assert run(clean.drop(columns="model"), bare) == expected | {"model": None}
    assert run(clean.drop(columns="model"), files) == expected
    assert run(clean, {name: frame[frame.columns[::-1]] for name, frame in files.items()}) == expected
    clean.to_parquet("clean.parquet")
    for name, frame in files.items():
        frame.to_parquet(f"{name}.parquet")
    assert main(["consistency", "clean.parquet", *(f"{name}.parquet" for name in files), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == expected


def test_python_gives_what_the_command_prints(run):
    clean, probes = simulated(50, ("m1", "m2"))
    printed = run(clean, probes, "--weight", "0.3", "--tolerance", "0.02", "--beta", "0.1")
    found = pairedeval.decision_consistency(clean, {"probes": probes}, weight=0.3, tolerance=0.02, beta=0.1)
    assert json.loads(json.dumps(found)) == printed
    for settings in ({"weight": 1.5}, {"tolerance": -0.1}, {"beta": 1.0}, {"beta": math.nan}):
        with pytest.raises(pairedeval.errors.RecordsError, match=next(iter(settings))):
            decision_consistency(clean, {"probes": probes}, **settings)


def test_a_record_file_serves_as_both_sides(tmp_path, capsys, records):
    path = str(tmp_path / "m.parquet")
    write_records(records, path, {})
    assert main(["consistency", path, path, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    before, after = (rows.set_index("image_id")["prediction"] for _, rows in records.groupby("condition"))
    assert found["conditions"] == ["fog-2"]
    assert found["label_stability"] == pytest.approx((before == after).mean())
    assert found["certificate"] is None


def test_the_csv_holds_every_image(run, tmp_path):
    clean, probes = simulated(50, ("m1", "m2"))
    answers = run(clean, probes, "--output", "folder/images.csv")
    table = pd.read_csv(tmp_path / "folder/images.csv", keep_default_na=False)
    assert list(table.columns) == [
        "image_id", "model", "label", "prediction", "correct", "confidence", "label_stability", "confidence_deviation",
        "consistency_score", "flipped_by", "margin", "displacement", "half", "certified",
    ]  # fmt: skip
    for model, answer in zip(("m1", "m2"), answers, strict=True):
        rows = table[table["model"] == model]
        slow = slow_images(clean, probes, model)
        assert rows["image_id"].tolist() == list(slow)
        for name in ("confidence", "label_stability", "confidence_deviation", "consistency_score", "flipped_by"):
            assert rows[name].tolist() == pytest.approx([float(image[name]) for image in slow.values()])
        assert (rows["correct"] == "yes").tolist() == [image["correct"] for image in slow.values()]
        judged = rows[rows["half"] == "evaluation"]
        assert set(rows["certified"][rows["half"] == "calibration"]) == {""}
        above = judged["margin"] > answer["certificate"]["threshold"]
        assert ((judged["certified"] == "yes") == above).all()
        assert answer["certificate"]["certified"] == pytest.approx(above.mean())
        assert (rows["flipped_by"].eq(0) | (rows["margin"] <= rows["displacement"] + 1e-9)).all()
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["images.csv"]
    run(CLEAN, {"fog": FOG}, "--output", "images.csv")
    assert list(pd.read_csv("images.csv").columns) == [
        "image_id", "label", "prediction", "correct", "confidence", "label_stability", "confidence_deviation",
        "consistency_score", "flipped_by",
    ]  # fmt: skip


def test_undefined_values_are_said(run):
    right = CLEAN.assign(prediction=CLEAN["label"], true_class_probability=CLEAN["confidence"])
    found = run(right, {"fog": right})
    assert set(found["auroc"].values()) == {None}
    assert (found["error_stability"], found["accuracy"]) == (None, 1.0)
    assert found["comparison"] == {"difference": None, "interval": None, "draws": 1000, "undefined_draws": 1000}
    text = run(right, {"fog": right}, text=True)
    flat = " ".join(text.split())
    assert "0 undefined undefined undefined undefined undefined" in flat
    assert "No prediction is wrong, so AUROC is undefined: there are no errors to tell from right predictions." in flat
    assert "cat 2 100.0% 0 no errors" in flat
    one = run(CLEAN.iloc[:1], {"fog": FOG.iloc[-1:]})
    assert (one["n"], one["auroc"]["confidence"]) == (1, None)


def test_one_model_is_read_by_people(run, tmp_path):
    clean, probes = simulated(80)
    answer = run(clean, probes)
    text = run(clean, probes, "--output", "images.csv", text=True)
    flat = " ".join(text.split())
    assert text.startswith("clean.csv, model m1: 80 images, 3 probe conditions\n")
    assert "CS: 0.5 LS + 0.5 (1 - CD)." in flat
    means = f"{answer['label_stability']:.3f} {answer['confidence_deviation']:.3f} {answer['consistency_score']:.3f}"
    assert f"80 {answer['accuracy']:.1%} {means} {answer['gap']:+.3f} consistency-dominant" in flat
    low, high = answer["comparison"]["interval"]
    assert f"{answer['comparison']['difference']:+.3f} ({low:+.3f} to {high:+.3f})" in text
    gap = f"{1 - answer['consistency_score']:.3f} - {1 - answer['accuracy']:.3f} = {answer['gap']:+.3f}"
    assert f"The gap CAG is mean instability minus error rate: {gap}, so predictions are more stable than right" in flat
    assert f"Wrong predictions keep their class under {answer['error_stability']:.1%} of the probes." in flat
    assert "look at the recall of each class (above). CAG does not measure reliability." in flat
    places = [text.index(f"\n{row['label']} ") for row in answer["classes"]]
    assert places == sorted(places)
    threshold = answer["certificate"]["threshold"]
    assert f"minus the second largest) exceeds {threshold:.6g} (--json prints all digits)." in flat
    assert "has a probability of at most 0.05, as long as the images come from the same distribution" in flat
    both = answer["certificate"]["certified_and_flipped"]
    assert f"Of the other half, {both:.2%} are certified and flip; the bound is 5.00%." in flat
    assert "images.csv holds one row per image." in flat
    for flips in answer["flips"]:
        assert f"{flips['condition']} {flips['flip_rate']:.1%}" in flat


def test_too_few_images_are_said(run):
    clean, probes = simulated(36)
    flat = " ".join(run(clean, probes, text=True).split())
    assert "At beta 0.05 the certificate needs 38 images, half of them to calibrate it, and here are 36." in flat
    assert "18 infinite 18 0.0%" in flat
    assert "exceeds" not in flat


def test_without_logits_the_certificate_is_offered(run):
    clean, probes = simulated(60, with_logits=False)
    flat = " ".join(run(clean, probes, text=True).split())
    assert (
        "With logits in every file (one column logit_<label> per class) this command also calibrates a margin" in flat
    )
    assert "No-flip" not in flat


def test_several_models_are_read_by_people(run):
    models = ("m1", "m2", "m3")
    clean, probes = simulated(60, models)
    answers = run(clean, probes)
    text = run(clean, probes, text=True)
    flat = " ".join(text.split())
    worst = min(answers, key=lambda answer: answer["gap"])
    assert text.startswith("clean.csv: 3 models, 3 probe conditions\n")
    assert f"Classes of model {worst['model']}, whose CAG is the lowest, by recall" in text
    assert f"The gap CAG of {worst['model']}, the lowest, is mean instability minus error rate" in flat
    ends = [answer["comparison"]["interval"] for answer in answers]
    better, worse = sum(low > 0 for low, _ in ends), sum(high < 0 for _, high in ends)
    assert f"ranks errors better than confidence in {better} and worse in {worse};" in flat
    rates = [answer["flips"][1]["flip_rate"] for answer in answers]
    shown = f"{sum(rates) / 3:.1%} {min(rates):.1%} {max(rates):.1%}"
    assert f"{answers[0]['flips'][1]['condition']} {shown}" in flat
    assert "exceeds the threshold of the model" in flat


def errors_told_by(quantity, images=200):
    """Predictions whose errors show in confidence alone, or in flips alone."""
    wrong = np.arange(images) % 5 == 0
    told = np.where(wrong, 0.6, 0.9) if quantity == "confidence" else np.full(images, 0.9)
    ids = [f"i{number}" for number in range(images)]
    clean = pd.DataFrame({"image_id": ids, "label": "cat", "prediction": np.where(wrong, "dog", "cat")}).assign(
        confidence=told, true_class_probability=np.where(wrong, 0.1, told)
    )
    flipped = wrong if quantity == "consistency" else np.arange(images) % 7 == 0
    other = np.where(flipped ^ wrong, "dog", "cat")
    probe = clean.assign(prediction=other, true_class_probability=np.where(other == "cat", told, 0.1))
    return clean, {"fog": probe}


def test_the_text_says_which_ranks_errors_better(run):
    text = " ".join(run(*errors_told_by("consistency"), text=True).split())
    assert "Consistency ranks the errors better than confidence: AUROC 1.000 against 0.500." in text
    text = " ".join(run(*errors_told_by("confidence"), text=True).split())
    assert "Consistency ranks the errors worse than confidence: AUROC" in text
    assert "Prefer confidence, which takes a single forward pass." in text
    clean, _ = errors_told_by("nothing")
    text = " ".join(run(clean, {"fog": clean}, text=True).split())
    assert "These images do not tell whether consistency ranks the errors better than confidence: AUROC 0.500" in text


def test_many_classes_are_left_to_json(run):
    classes = tuple(f"class {number:02}" for number in range(21))
    clean, probes = simulated(63, classes=classes, with_logits=False)
    flat = " ".join(run(clean, probes, text=True).split())
    assert "by recall" not in flat
    assert "(21 classes; --json lists them)" in flat
    assert len(run(clean, probes)["classes"]) == 21


@pytest.fixture
def refusal(tmp_path, monkeypatch, capsys):
    """Measure files that cannot be used; return the message."""
    monkeypatch.chdir(tmp_path)

    def refusal(clean, probes, *options):
        for name, frame in {"clean": clean, **probes}.items():
            frame.to_csv(f"{name}.csv", index=False)
        assert main(["consistency", "clean.csv", *(f"{name}.csv" for name in probes), *options]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        return captured.err.removeprefix("pairedeval: ").strip()

    return refusal


FULL = with_logits(CLEAN, LOGITS["clean"])
FULL_FOG = with_logits(FOG, LOGITS["fog"])
REFUSALS = {
    "missing images": (
        CLEAN,
        {"fog": FOG.iloc[2:]},
        "fog.csv: condition fog: images of clean.csv that are missing: 2, for example c; give every probe the images "
        "of clean.csv",
    ),
    "nothing correct": (
        CLEAN.assign(prediction="fox", true_class_probability=0.1),
        {"fog": FOG},
        "clean.csv: no prediction is correct, so there is no image to rank; do labels and predictions name the classes "
        "alike?",
    ),
    "logit is text": (
        FULL,
        {"fog": FULL_FOG.assign(logit_dog=["1", "", "2", "low"])},
        "fog.csv: row 2 (image c): logit_dog is not a number within the range of float32; write the logit of that "
        "class (and 1 more row)",
    ),
    "logit is NaN": (
        FULL.assign(logit_cat=[4, np.nan, 0, 2]),
        {"fog": FULL_FOG},
        "clean.csv: row 2 (image b): logit_cat is not a number within the range of float32; write the logit of that "
        "class",
    ),
    "logit is infinite": (
        FULL.assign(logit_cat=[4, 0, 0, 1e39]),
        {"fog": FULL_FOG},
        "clean.csv: row 4 (image d): logit_cat is not a number within the range of float32; write the logit of that "
        "class",
    ),
    "logits in the clean file only": (
        FULL,
        {"fog": FOG},
        "fog.csv: no logit columns, but clean.csv has them; give all files the logits of the same classes, or none",
    ),
    "logits in a probe only": (
        CLEAN,
        {"fog": FOG, "snow": with_logits(SNOW, LOGITS["snow"])},
        "clean.csv: no logit columns, but snow.csv has them; give all files the logits of the same classes, or none",
    ),
    "classes differ": (
        FULL.assign(logit_eel=-1, logit_fox=-1),
        {"fog": FULL_FOG},
        "fog.csv: no column logit_eel, which clean.csv has (classes missing: 2); give all files the logits of the same "
        "classes, or none",
    ),
    "more classes in a probe": (
        FULL,
        {"fog": FULL_FOG.assign(logit_eel=-1)},
        "clean.csv: no column logit_eel, which fog.csv has (classes missing: 1); give all files the logits of the same "
        "classes, or none",
    ),
    "one logit": (
        FULL.drop(columns="logit_dog"),
        {"fog": FULL_FOG},
        "clean.csv: a single logit column, logit_cat; write one for every class",
    ),
    "prediction without a logit": (
        FULL.rename(columns={"logit_dog": "logit_eel"}),
        {"fog": FULL_FOG},
        "clean.csv: row 2 (image b): there is no column logit_dog for the prediction; write one logit column for every "
        "class (and 1 more row)",
    ),
    "prediction of another class": (
        FULL,
        {"fog": FULL_FOG.assign(logit_cat=[2, 9, 0, 4])},
        "fog.csv: row 2 (image c): the prediction is dog, but the largest logit is that of cat; write the logits that "
        "the prediction was made from",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_unusable_files(name, refusal):
    clean, probes, message = REFUSALS[name]
    assert refusal(clean, probes) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--weight", "1.5"), "weight 1.5 lies outside [0, 1]; give a share such as 0.8"),
        (("--tolerance", "nan"), "tolerance nan lies outside [0, 1]; give a share such as 0.8"),
        (("--tolerance", "5%"), "tolerance '5%' is not a number; give a share such as 0.05"),
        (("--beta", "0"), "beta 0 lies outside (0, 1); give a probability such as 0.05"),
        (("--beta", "1"), "beta 1 lies outside (0, 1); give a probability such as 0.05"),
        (("--beta", "few"), "beta 'few' is not a number; give a share such as 0.05"),
        (("--output", "."), ".: is a folder; name a file"),
        (("--output", "fog.csv/new.csv"), "fog.csv/new.csv: cannot be written (File exists); name another file"),
        (
            ("--output", "./fog.csv"),
            "./fog.csv: the table of images would replace an input file; give --output another name",
        ),
    ],
)
def test_unusable_options(options, message, refusal):
    assert refusal(CLEAN, {"fog": FOG}, *options) == message


def test_a_probe_is_needed(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["consistency", "clean.csv", "--weight", "0.2"])
    assert caught.value.code == 2
    assert "the following arguments are required: PROBE" in capsys.readouterr().err


def test_neither_torch_nor_scikit_learn_is_needed(tmp_path):
    FULL.to_csv(tmp_path / "clean.csv", index=False)
    FULL_FOG.to_csv(tmp_path / "fog.csv", index=False)
    program = (
        "import sys; sys.modules['torch'] = sys.modules['sklearn'] = None; "
        "from pairedeval.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, "consistency", "clean.csv", "fog.csv"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert told.startswith("clean.csv: 4 images, 1 probe condition\n")


def test_measuring_again_changes_nothing():
    clean, probes = simulated(40)
    models = pair_views(clean, [("probes", probes)])
    assert measure_models(models)[0].answer == measure_models(models)[0].answer
