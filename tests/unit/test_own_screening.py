"""``pairedeval screen`` on files, against slow computations from the definitions, with ties and several models."""

import json
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from pairedeval.cli import main
from pairedeval.own import screening_recall
from pairedeval.own.predictions import check_predictions
from pairedeval.own.readable_screening import HEAD, SCORE_MEANINGS
from pairedeval.own.screening_files import pair_probes
from pairedeval.own.screening_outcomes import pair_outcomes
from pairedeval.own.screening_pool import rank_pool
from pairedeval.own.screening_ranking import RISKS, rank_model
from pairedeval.own.screening_recall import drawn_images, outcomes_answer
from pairedeval.records import write_records

COLUMNS = ["image_id", "label", "prediction", "confidence", "true_class_probability"]
PROBES = ("fog-2", "fog-4", "snow, light")


def predictions(images: int, seed: int, accuracy: float = 0.6, steps: int = 10) -> pd.DataFrame:
    """Simulate one side in random order; few distinct probabilities, so that many risks tie."""
    random = np.random.default_rng(seed)
    labels = np.arange(images) % 3
    right = random.random(images) < accuracy
    confidence = random.integers(steps // 2, steps + 1, images) / steps
    frame = pd.DataFrame(
        {
            "image_id": [f"i{number:03}" for number in range(images)],
            "label": [f"class {label}" for label in labels],
            "prediction": [f"class {label}" for label in np.where(right, labels, (labels + 1) % 3)],
            "confidence": confidence,
            "true_class_probability": np.where(right, confidence, ((1 - confidence) / 2).round(2)),
        }
    )
    return frame.iloc[random.permutation(images)]


def simulated(images: int, models=("m1",), probes=PROBES, real=("screen", "print"), **more):
    """Simulate clean, probe and real predictions with columns model and condition."""
    frames = []
    for part, (conditions, accuracy) in enumerate(((("clean",), 0.8), (probes, 0.6), (real, 0.5))):
        cells = [
            predictions(images, 100 * part + 10 * row + column, accuracy, **more).assign(model=model, condition=name)
            for row, model in enumerate(models)
            for column, name in enumerate(conditions)
        ]
        frames.append(pd.concat(cells))
    return frames


def paired(clean, probes):
    return pair_probes(check_predictions(clean), [("probes.csv", check_predictions(probes))])


def cell(frame, model, condition):
    """Look up the rows of one cell by image."""
    rows = frame[(frame["model"] == model) & (frame["condition"] == condition)]
    return {row.image_id: row for row in rows.itertuples()}


def exact(number) -> Fraction:
    """Take a probability for the decimal number that the file shows."""
    return Fraction(repr(float(number)))


def slow_scores(clean, probes, model):
    """Compute every risk of every clean-correct image, image by image, in fractions."""
    found = {}
    conditions = list(dict.fromkeys(probes["condition"]))
    cells = [cell(probes, model, condition) for condition in conditions]
    for image, row in cell(clean, model, "clean").items():
        if row.prediction != row.label:
            continue
        rows = [rows[image] for rows in cells]
        confidence = exact(row.confidence)
        mean = sum(exact(probe.true_class_probability) for probe in rows) / len(rows)
        kept = Fraction(sum(probe.prediction == row.prediction for probe in rows), len(rows))
        deviation = sum(abs(exact(probe.confidence) - confidence) for probe in rows) / len(rows)
        found[image] = {
            "corruption_mean": -mean,
            "confidence": -confidence,
            "confidence_decrease": confidence - mean,
            "retention": -kept,
            "confidence_deviation": deviation,
            "consistency": -(kept / 2 + (1 - deviation) / 2),
        }
    return found


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Write frames as CSV files and screen them; return the JSON, or the text of the last option."""
    monkeypatch.chdir(tmp_path)

    def run(clean, probes, *options, outcomes=None, text=False):
        probes = probes if isinstance(probes, dict) else {"probes": probes}
        clean.to_csv("clean.csv", index=False)
        for name, frame in probes.items():
            frame.to_csv(f"{name}.csv", index=False)
        if outcomes is not None:
            outcomes.to_csv("real.csv", index=False)
            options = (*options, "--outcomes", "real.csv")
        names = [f"{name}.csv" for name in probes]
        code = main(["screen", "clean.csv", *names, *options, *([] if text else ["--json"])])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out if text else json.loads(captured.out)

    return run


@pytest.mark.parametrize("score", RISKS)
@pytest.mark.parametrize("steps", [2, 10, 1000])
def test_rankings_follow_the_definitions(score, steps, run):
    """Exact fractions decide ties, so a rounding error in a risk would show in the order."""
    clean, probes, _ = simulated(120, steps=steps)
    risks = {image: scores[score] for image, scores in slow_scores(clean, probes, "m1").items()}
    expected = sorted(risks, key=lambda image: (-risks[image], image))
    found = run(clean, probes, "--score", score, "--budget", "0.3")
    assert [row["image_id"] for row in found["ranking"]] == expected
    assert [row["rank"] for row in found["ranking"]] == list(range(1, len(expected) + 1))
    assert [row["risk"] for row in found["ranking"]] == pytest.approx([float(risks[image]) for image in expected])
    ties = rank_model(paired(clean, probes)[0], score).ties
    assert len(set(ties)) == len(set(risks.values()))
    assert found | {"ranking": []} == {
        "model": "m1",
        "n": len(risks),
        "score": score,
        "budget": 0.3,
        "selected": expected[: int(0.3 * len(risks) + 0.5)],
        "ranking": [],
        "outcomes": None,
    }


def test_the_csv_says_why(run, tmp_path):
    clean, probes, _ = simulated(40)
    found = run(clean, probes, "--budget", "0.25", "--output", "folder/ranking.csv")
    table = pd.read_csv(tmp_path / "folder/ranking.csv")
    assert list(table.columns) == ["rank", "image_id", "risk", "prediction", "confidence", "selected", "why"]
    assert table["image_id"].tolist() == [row["image_id"] for row in found["ranking"]]
    assert table["risk"].tolist() == [row["risk"] for row in found["ranking"]]
    assert table["image_id"][table["selected"] == "yes"].tolist() == found["selected"]
    assert set(table["selected"]) == {"yes", "no"}
    before = cell(clean, "m1", "clean")
    cells = {condition: cell(probes, "m1", condition) for condition in PROBES}
    for row in table.itertuples():
        rows = {condition: rows[row.image_id] for condition, rows in cells.items()}
        values = {condition: probe.true_class_probability for condition, probe in rows.items()}
        wrong = sum(probe.prediction != probe.label for probe in rows.values())
        lowest = min(values, key=values.get)
        assert row.why == (
            f"mean probability {np.mean(sorted(values.values())):.2f} over 3 probes, wrong in {wrong}; "
            f"lowest {values[lowest]:.2f} under {lowest}"
        )
        assert (row.prediction, row.confidence) == (before[row.image_id].prediction, before[row.image_id].confidence)
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["ranking.csv"]


def test_without_a_budget_nothing_is_selected(run, tmp_path):
    clean, probes, _ = simulated(20)
    found = run(clean, probes, "--output", "ranking.csv")
    assert (found["budget"], found["selected"]) == (None, [])
    assert "selected" not in pd.read_csv(tmp_path / "ranking.csv").columns


def test_layouts_and_orders_of_files_change_nothing(run):
    """One file a condition or all in one, columns named or not, rows shuffled, text or numbers."""
    clean, probes, real = simulated(60)
    expected = run(clean, probes, outcomes=real)
    unnamed = expected | {"model": None}
    files = dict(list(probes.groupby("condition"))[::-1])
    assert run(clean.iloc[::-1], probes.iloc[::-1], outcomes=real.iloc[::-1])["ranking"] == expected["ranking"]
    assert run(clean, files, outcomes=real) == expected
    bare = {name: frame[COLUMNS] for name, frame in files.items()}
    assert run(clean, bare, outcomes=real) == expected
    assert run(clean[COLUMNS], bare, outcomes=real.drop(columns="model")) == unnamed
    assert run(clean[COLUMNS], files, outcomes=real) == expected
    codes = {name: frame.replace(r"^class (\d)$", r"\1", regex=True) for name, frame in files.items()}
    coded = clean.replace(r"^class (\d)$", r"\1", regex=True)
    assert run(coded, codes, outcomes=real.replace(r"^class (\d)$", r"\1", regex=True)) == expected


def test_a_record_file_serves_as_both_sides(tmp_path, capsys, records):
    path = str(tmp_path / "m.parquet")
    write_records(records, path, {})
    assert main(["screen", path, path, "--outcomes", path, "--json", "--budget", "0.5"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["image_id"] for row in found["ranking"]] == ["image-01", "image-11", "image-00", "image-10"]
    assert [row["risk"] for row in found["ranking"]] == [-0.5, -0.5, -0.6, -0.6]
    cells = found["outcomes"]["cells"]
    assert [(made["condition"], made["n"], made["failures"], made["recall"]) for made in cells] == [
        ("fog-2", 4, 0, None)
    ]


def slow_recall(risks, failed, budget):
    """Prorate the tie at the cutoff: each of its images is captured with the same chance."""
    size = max(1, int(budget * len(risks) + 0.5))
    captured = 0.0
    for risk, fails in zip(risks, failed, strict=True):
        above, equal = sum(other > risk for other in risks), sum(other == risk for other in risks)
        captured += fails * min(1.0, max(0.0, (size - above) / equal))
    return captured / sum(failed) if any(failed) else np.nan


def slow_area(risks, failed):
    return roc_auc_score(failed, risks) if 0 < sum(failed) < len(failed) else np.nan


@pytest.mark.parametrize("budget", [0.1, 0.2, 0.5, 1.0])
def test_outcomes_follow_the_definitions(budget, run, monkeypatch):
    monkeypatch.setattr(screening_recall, "DRAWS", 60)
    clean, probes, real = simulated(60)
    keep = np.random.default_rng(5).random(len(real)) < 0.7
    real = real[keep | (real["condition"] == "print").to_numpy()]
    options = [] if budget == 0.2 else ["--budget", str(budget)]
    found = run(clean, probes, *options, outcomes=real)["outcomes"]
    assert (found["budget"], [made["condition"] for made in found["cells"]]) == (budget, ["screen", "print"])
    risks = {image: scores["corruption_mean"] for image, scores in slow_scores(clean, probes, "m1").items()}
    ranking = sorted(risks, key=lambda image: (-risks[image], image))
    for made in found["cells"]:
        rows = cell(real, "m1", made["condition"])
        known = [image for image in ranking if image in rows]
        risk = np.array([float(risks[image]) for image in known])
        failed = np.array([rows[image].prediction != rows[image].label for image in known])
        size = max(1, int(budget * len(known) + 0.5))
        assert made["n"] == len(known)
        assert made["without_outcome"] == len(ranking) - len(known)
        assert (made["failures"], made["captured"]) == (failed.sum(), size)
        assert made["recall"] == pytest.approx(slow_recall(risk, failed, budget))
        assert made["auroc"] == pytest.approx(slow_area(risk, failed))
        assert made["ceiling"] == pytest.approx(min(1, size / failed.sum()))
        drawn = np.concatenate(list(drawn_images(len(known), 60)), axis=1)
        copies = [np.repeat(np.arange(len(known)), weights) for weights in drawn.T]
        for name, slow in {
            "recall": [slow_recall(risk[some], failed[some], budget) for some in copies],
            "auroc": [slow_area(risk[some], failed[some]) for some in copies],
        }.items():
            assert made[f"{name}_interval"] == pytest.approx(np.nanpercentile(slow, [2.5, 97.5]))
            assert made[f"{name}_undefined_draws"] == np.isnan(slow).sum()
    assert found["cells"][0]["without_outcome"] > 0
    assert found["cells"][1]["without_outcome"] == 0


def test_draws_take_as_many_images_and_do_not_depend_on_chunks(monkeypatch):
    whole = np.concatenate(list(drawn_images(50, 200)), axis=1)
    assert (whole.sum(axis=0) == 50).all()
    assert whole.shape == (50, 200)
    assert abs((whole == 0).mean() - np.exp(-1)) < 0.02
    monkeypatch.setattr(screening_recall, "_CHUNK", 350)
    chunks = list(drawn_images(50, 200))
    assert len(chunks) > 20
    assert (np.concatenate(chunks, axis=1) == whole).all()


def clean_correct(model, count, labels="cat"):
    ids = [f"i{number}" for number in range(count)]
    return pd.DataFrame({"image_id": ids, "label": labels, "prediction": labels, "model": model}).assign(
        confidence=0.9, true_class_probability=0.9
    )


def failing(frame, images):
    wrong = frame["image_id"].isin([f"i{number}" for number in images])
    return frame.assign(
        prediction=frame["prediction"].where(~wrong, "dog"),
        true_class_probability=frame["true_class_probability"].where(~wrong, 0.05),
    )


def test_undefined_outcomes_are_none_and_said(run):
    clean = clean_correct("m", 6)
    probe = failing(clean, [0]).assign(condition="fog")
    real = pd.concat(
        [
            failing(clean, images).assign(condition=name)
            for name, images in {"none": [], "all": range(6), "one": [0]}.items()
        ]
    )
    cells = run(clean, probe, outcomes=real)["outcomes"]["cells"]
    assert [made["recall"] for made in cells] == [None, pytest.approx(1 / 6), 1.0]
    assert [made["auroc"] for made in cells] == [None, None, 1.0]
    assert [made["recall_undefined_draws"] for made in cells[:2]] == [1000, 0]
    assert [made["auroc_undefined_draws"] for made in cells[:2]] == [1000, 1000]
    assert 250 < cells[2]["recall_undefined_draws"] < 420  # (5/6) ** 6 = 0.335
    assert cells[0]["recall_interval"] is cells[1]["auroc_interval"] is None
    text = run(clean, probe, outcomes=real, text=True)
    assert "Undefined: the share found in 1 of 3 cells (no image fails), AUROC in 2 (none or all fail)." in text
    assert "none            6         0         0         1  undefined" in text


def test_outcomes_of_images_that_are_wrong_when_clean_say_nothing(run):
    clean = failing(clean_correct("m", 4), [3])
    probe = clean_correct("m", 4).assign(condition="fog")
    real = failing(clean_correct("m", 4), [3]).assign(condition="screen").iloc[3:]
    answer = run(clean, probe, outcomes=real)
    made = answer["outcomes"]["cells"][0]
    assert (made["n"], made["without_outcome"], made["failures"], made["recall"]) == (0, 3, 0, None)
    text = run(clean, probe, outcomes=real, text=True)
    assert "* The ranking has no failures to find in these outcomes." in text
    assert "* Images without an outcome are left out of their cell; the budget is a share of the others." in text


MODELS = ("m1", "m2", "m3")


def slow_gains(clean, probes, models=MODELS):
    """Add up each image's share of the probe failures of each model, in fractions."""
    shares, means = [], {}
    for model in models:
        right = [image for image, row in cell(clean, model, "clean").items() if row.prediction == row.label]
        cells = [cell(probes, model, condition) for condition in dict.fromkeys(probes["condition"])]
        wrong = {image: sum(rows[image].prediction != rows[image].label for rows in cells) for image in right}
        for image in right:
            total = sum(exact(rows[image].true_class_probability) for rows in cells)
            means.setdefault(image, []).append(total / len(cells))
        if any(wrong.values()):
            shares.append({image: Fraction(count, sum(wrong.values())) for image, count in wrong.items()})
    gains = {image: sum(share.get(image, Fraction(0)) for share in shares) / max(1, len(shares)) for image in means}
    return gains, {image: sum(values) / len(values) for image, values in means.items()}


@pytest.mark.parametrize("steps", [2, 10])
def test_the_pool_follows_the_definitions(steps, run):
    clean, probes, _ = simulated(50, MODELS, steps=steps)
    gains, means = slow_gains(clean, probes)
    answers = run(clean, probes, "--budget", "0.2")
    assert [answer["model"] for answer in answers] == [*MODELS, "all models"]
    for model, answer in zip(MODELS, answers, strict=False):
        alone = run(clean[clean["model"] == model], probes[probes["model"] == model], "--budget", "0.2")
        assert answer == alone
    pool = answers[-1]
    expected = sorted(gains, key=lambda image: (-gains[image], means[image], image))
    assert [row["image_id"] for row in pool["ranking"]] == expected
    assert [row["risk"] for row in pool["ranking"]] == pytest.approx([float(gains[image]) for image in expected])
    assert sum(row["risk"] for row in pool["ranking"]) == pytest.approx(1)
    assert (pool["score"], pool["n"]) == ("probe_failures", len(expected))
    assert pool["selected"] == expected[: int(0.2 * len(expected) + 0.5)]


def test_no_other_images_hold_more_probe_failures():
    """All choices of as many images, at every budget."""
    clean, probes, _ = simulated(9, MODELS)
    gains, _ = slow_gains(clean, probes)
    order = rank_pool(paired(clean, probes)).table["image_id"]
    for size in range(1, len(gains) + 1):
        best = max(sum(some) for some in combinations(gains.values(), size))
        assert sum(gains[image] for image in order[:size]) == best


def test_pool_rows_say_why(run, tmp_path):
    clean, probes, _ = simulated(30, MODELS)
    run(clean, probes, "--output", "ranking.csv")
    table = pd.read_csv(tmp_path / "ranking.csv")
    assert list(table.columns) == ["rank", "image_id", "model", "risk", "prediction", "confidence", "why"]
    assert table["model"].unique().tolist() == [*MODELS, "all models"]
    cells = {(model, name): cell(probes, model, name) for model in MODELS for name in PROBES}
    sides = {model: cell(clean, model, "clean") for model in MODELS}
    for row in table[table["model"] == "all models"].itertuples():
        right = [m for m in MODELS if sides[m][row.image_id].prediction == sides[m][row.image_id].label]
        wrong = {m: sum(cells[m, name][row.image_id].prediction != row.prediction for name in PROBES) for m in right}
        assert row.why == (
            f"wrong for {sum(map(bool, wrong.values()))} of {len(right)} model{'s' if len(right) > 1 else ''} correct "
            f"when clean, in {sum(wrong.values())} of {3 * len(right)} probe predictions"
        )
        assert row.prediction == sides[right[0]][row.image_id].label
        assert row.confidence == pytest.approx(np.mean([sides[m][row.image_id].confidence for m in right]))


def test_a_pool_without_probe_failures_is_ordered_by_mean_probability(run):
    clean = pd.concat([clean_correct("m1", 4), clean_correct("m2", 4)])
    values = [0.6, 0.8, 0.5, 0.9, 0.8, 0.6, 0.9, 0.9]
    probe = clean.assign(confidence=values, true_class_probability=values, condition="fog")
    pool = run(clean, probe, "--budget", "0.5")[-1]
    assert [row["image_id"] for row in pool["ranking"]] == ["i0", "i1", "i2", "i3"]
    assert {row["risk"] for row in pool["ranking"]} == {0}
    assert rank_pool(paired(clean, probe)).ties.tolist() == [0, 0, 0, 1]


def test_outcomes_of_a_pool_are_means_over_models(monkeypatch):
    """Images that lack the outcome of a model that needs it, and models without any outcome, are left out."""
    monkeypatch.setattr(screening_recall, "DRAWS", 40)
    clean, probes, real = simulated(40, MODELS, real=("screen",))
    real = real[(real["model"] != "m3").to_numpy()]
    real = real[~((real["model"] == "m1") & (real["image_id"] < "i010")).to_numpy()]
    models = paired(clean, probes)
    pool = rank_pool(models)
    found = outcomes_answer(pool, models, pair_outcomes(check_predictions(real), models), 0.3)["cells"][0]
    gains, means = slow_gains(clean, probes)
    rows = {model: cell(real, model, "screen") for model in ("m1", "m2")}
    right = {
        model: {image for image, row in cell(clean, model, "clean").items() if row.prediction == row.label}
        for model in rows
    }
    kept = [
        image
        for image in pool.table["image_id"]
        if any(image in right[model] for model in rows)
        and all(image in rows[model] for model in rows if image in right[model])
    ]
    places = sorted({(gains[image], -means[image]) for image in kept})
    risk = np.array([places.index((gains[image], -means[image])) for image in kept])
    member = {model: np.array([image in right[model] for image in kept]) for model in rows}
    failed = {
        model: np.array([member[model][i] and rows[model][image].prediction != rows[model][image].label
                         for i, image in enumerate(kept)])
        for model in rows
    }  # fmt: skip

    def measured(some):
        recall = [slow_recall(risk[some], failed[model][some], 0.3) for model in rows]
        area = []
        for model in rows:
            of_model = some[member[model][some]]
            area.append(slow_area(risk[of_model], failed[model][of_model]))
        return np.nanmean(recall), np.nanmean(area)

    assert (found["n"], found["models"], found["models_without_failures"]) == (len(kept), 2, 0)
    assert found["without_outcome"] == len(pool.table) - len(kept) > 0
    assert found["failures"] == sum(flags.sum() for flags in failed.values())
    size = int(0.3 * len(kept) + 0.5)
    assert found["ceiling"] == pytest.approx(np.mean([min(1, size / flags.sum()) for flags in failed.values()]))
    assert (found["recall"], found["auroc"]) == pytest.approx(measured(np.arange(len(kept))))
    drawn = np.concatenate(list(drawn_images(len(kept), 40)), axis=1)
    slow = np.array([measured(np.repeat(np.arange(len(kept)), weights)) for weights in drawn.T])
    ends = np.percentile(slow, [2.5, 97.5], axis=0)
    assert found["recall_interval"] == pytest.approx(ends[:, 0])
    assert found["auroc_interval"] == pytest.approx(ends[:, 1])


def test_conditions_with_other_images_stand_by_themselves():
    """Conditions are measured together where their images are the same; each gives what it gives alone."""
    clean, probes, real = simulated(30, real=("a", "b", "c"))
    real = real[~((real["condition"] == "b") & (real["image_id"] < "i007")).to_numpy()]
    models = paired(clean, probes)
    ranking = rank_model(models[0])
    together = outcomes_answer(ranking, models, pair_outcomes(check_predictions(real), models), 0.2)["cells"]
    for made in together:
        alone = pair_outcomes(check_predictions(real[real["condition"] == made["condition"]]), models)
        assert outcomes_answer(ranking, models, alone, 0.2)["cells"] == [made]


def test_one_model_is_read_by_people(run):
    clean, probes, real = simulated(60)
    text = run(clean, probes, "--budget", "0.2", text=True)
    ranking = run(clean, probes, "--budget", "0.2")
    flat = " ".join(text.split())
    count = ranking["n"]
    assert text.startswith(f"clean.csv, model m1: {count} of 60 images are correct, 3 probe conditions\n")
    assert f"Ranked by corruption_mean: {SCORE_MEANINGS['corruption_mean']}." in flat
    assert f"A budget of 0.2 selects the first {len(ranking['selected'])} of {count} images." in flat
    assert f"{count - HEAD} more images follow; --output FILE writes them all." in flat
    assert f"\n{HEAD}    {ranking['ranking'][HEAD - 1]['image_id']}" in text
    assert "It does not say how many images will fail: only real captures do." in flat
    told = run(clean, probes, "--output", "all.csv", outcomes=real, text=True)
    cells = run(clean, probes, outcomes=real)["outcomes"]["cells"]
    assert "all.csv holds all ranks." in told
    low, high = cells[0]["recall_interval"]
    assert f"{cells[0]['recall']:.1%} ({low:.1%} to {high:.1%})" in told
    mean = np.mean([made["recall"] for made in cells])
    assert f"The ranking finds {mean:.1%} of the failures in" in told


def test_several_models_are_read_by_people(run):
    clean, probes, real = simulated(60, MODELS)
    text = run(clean, probes, "--budget", "0.2", "--score", "retention", outcomes=real, text=True)
    flat = " ".join(text.split())
    answers = run(clean, probes, "--budget", "0.2", outcomes=real)
    assert text.startswith("clean.csv: 3 models, 3 probe conditions\n")
    assert f"Ranked by retention: {SCORE_MEANINGS['retention']}." in flat
    assert "The order is exact for probe failures. That it also finds the real failures is a heuristic." in flat
    held = sum(row["risk"] for row in answers[-1]["ranking"][: len(answers[-1]["selected"])])
    assert f"They hold {held:.1%} of a model's probe failures on average." in flat
    assert "* The ranking of a model finds" in text
    recall = np.mean([made["recall"] for made in answers[-1]["outcomes"]["cells"]])
    assert f"* The ranking of all models finds {recall:.1%} of the failures in" in text
    assert text.count("\nall models  ") == 2


def test_every_score_is_explained():
    assert list(SCORE_MEANINGS) == list(RISKS)


CLEAN = pd.DataFrame(
    [("a", "cat", "cat", 0.9, 0.9), ("b", "cat", "dog", 0.6, 0.3), ("c", "dog", "dog", 0.7, 0.7)], columns=COLUMNS
)
TWO = pd.concat([CLEAN.assign(model="m1"), CLEAN.assign(model="m2")])


def relabelled(frame):
    return frame.assign(label=["cat", "dog", "dog"], true_class_probability=[0.9, 0.6, 0.7])


@pytest.fixture
def refusal(tmp_path, monkeypatch, capsys):
    """Screen files that cannot be used; return the message."""
    monkeypatch.chdir(tmp_path)

    def refusal(clean, probes, *options):
        for name, frame in {"clean": clean, **probes}.items():
            frame.to_csv(f"{name}.csv", index=False)
        given = [f"{name}.csv" for name in probes if name != "real"]
        real = ["--outcomes", "real.csv"] if "real" in probes else []
        assert main(["screen", "clean.csv", *given, *real, *options]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        return captured.err.removeprefix("pairedeval: ").strip()

    return refusal


REFUSALS = {
    "missing image": (
        CLEAN,
        {"fog": CLEAN.iloc[:2]},
        "fog.csv: condition fog: images of clean.csv that are missing: 1, for example c; give every probe the images "
        "of clean.csv",
    ),
    "unknown image": (
        CLEAN,
        {"snow": CLEAN, "fog": CLEAN.assign(image_id=["a", "b", "z"])},
        "fog.csv: condition fog: images not in clean.csv: 1, for example z; give every probe the images of clean.csv",
    ),
    "label": (
        CLEAN,
        {"fog": relabelled(CLEAN)},
        "fog.csv: condition fog: image b has label dog, and cat in clean.csv (1 such image); an image keeps its label",
    ),
    "repeated condition": (
        CLEAN,
        {"fog": CLEAN, "more": CLEAN.assign(condition="fog")},
        "more.csv: condition fog stands in fog.csv already; keep one, or rename it",
    ),
    "condition lacks a model": (
        TWO,
        {"fog": TWO, "snow": TWO.iloc[:3]},
        "snow.csv: condition snow has no rows of model m2; add them, or leave the model out of clean.csv",
    ),
    "probe without models": (
        TWO,
        {"fog": CLEAN},
        "fog.csv: no column 'model', but the clean side has 2; add it",
    ),
    "unknown model": (
        CLEAN.assign(model="m1"),
        {"fog": TWO},
        "fog.csv: model m2 has no clean records; add them to the clean side",
    ),
    "models of the probes only": (
        CLEAN,
        {"fog": TWO},
        "fog.csv: several models, but the clean side has no column 'model'; add it there",
    ),
    "two models of the probes": (
        CLEAN,
        {"fog": CLEAN.assign(model="m1"), "snow": CLEAN.assign(model="m2")},
        "snow.csv: model m2, but m1 in fog.csv, and clean.csv names none; add a column 'model' to clean.csv",
    ),
    "nothing perturbed": (
        CLEAN,
        {"fog": CLEAN.assign(condition="clean")},
        "fog.csv: every row has condition 'clean'; name what was perturbed",
    ),
    "no clean condition": (
        pd.concat([CLEAN.assign(condition="day"), CLEAN.assign(condition="night")]),
        {"fog": CLEAN},
        "clean.csv: several conditions, none of them 'clean'; give the clean rows that condition",
    ),
    "nothing correct": (
        TWO.assign(
            prediction=["cat", "dog", "dog"] + 3 * ["fox"], true_class_probability=3 * [None] + 3 * [0.1]
        ).fillna({"true_class_probability": CLEAN["true_class_probability"]}),
        {"fog": TWO},
        "clean.csv: no prediction of model m2 is correct, so there is no image to rank; do labels and predictions name "
        "the classes alike?",
    ),
    "labels of models": (
        pd.concat([CLEAN.assign(model="m1"), CLEAN.replace({"cat": "fox"}).assign(model="m2")]),
        {"fog": pd.concat([CLEAN.assign(model="m1"), CLEAN.replace({"cat": "fox"}).assign(model="m2")])},
        "clean.csv: image a has the labels cat and fox for different models; an image keeps its label",
    ),
    "name of the pool": (
        TWO.replace({"m1": "all models"}),
        {"fog": TWO.replace({"m1": "all models"})},
        "clean.csv: a model is called 'all models', the name of the whole pool; rename it",
    ),
    "unknown outcome": (
        CLEAN,
        {"fog": CLEAN, "real": CLEAN.assign(image_id=["a", "y", "z"])},
        "real.csv: condition real: images not in clean.csv: 2, for example y; give outcomes of the images that were "
        "ranked",
    ),
    "label of an outcome": (
        CLEAN,
        {"fog": CLEAN, "real": relabelled(CLEAN)},
        "real.csv: condition real: image b has label dog, and cat in clean.csv (1 such image); an image keeps its "
        "label",
    ),
    "outcome of no model": (
        TWO,
        {"fog": TWO, "real": CLEAN},
        "real.csv: no column 'model', but the clean side has 2; add it",
    ),
    "broken row": (
        CLEAN,
        {"fog": CLEAN.assign(confidence=[0.9, 0.6, 1.7])},
        "fog.csv: row 3 (image c): confidence lies outside [0, 1]; logits or similarities need a softmax over the "
        "candidate classes",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_unusable_files(name, refusal):
    clean, probes, message = REFUSALS[name]
    assert refusal(clean, probes) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--budget", "0"), "budget 0 lies outside (0, 1]; give a share of the images such as 0.2"),
        (("--budget", "1.5"), "budget 1.5 lies outside (0, 1]; give a share of the images such as 0.2"),
        (("--budget", "nan"), "budget nan lies outside (0, 1]; give a share of the images such as 0.2"),
        (("--budget", "20%"), "budget '20%' is not a number; give a share such as 0.2"),
        (
            ("--score", "margin"),
            "unknown score margin; the scores are corruption_mean, confidence, confidence_decrease, retention, "
            "confidence_deviation, consistency",
        ),
        (("--output", "."), ".: is a folder; name a file"),
        (("--output", "fog.csv/new.csv"), "fog.csv/new.csv: cannot be written (File exists); name another file"),
        (("--outcomes", "none.csv"), "none.csv: no such file; check the path"),
    ],
)
def test_unusable_options(options, message, refusal):
    assert refusal(CLEAN, {"fog": CLEAN}, *options) == message
