"""Risk scores and logistic predictors, each against its definition written out image by image."""

import statistics
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pairedeval.probes import Probes
from pairedeval.records import DEVELOPMENT, EVALUATION, block
from pairedeval.scoring import COSINE, score_common, score_native
from pairedeval.screening.predictors import PREDICTORS, QUANTITIES, fit_predictor, fits_table
from pairedeval.screening.probe_sets import ProbeSets, read_probe_sets
from pairedeval.screening.responses import Half, align, arrange, respond, score_images
from pairedeval.screening.scores import SCORES, SELECTED, Risks, class_means, image_risks, quantities

CLASSES, PER_CLASS = 4, 12
CAPTURES = ("l1-k01", "l1-k02", "l2-k01")
CLASS_SCORES = {"class_decrease", "class_mean_correct", "class_mean_all"}
# Sign that turns each quantity of the image scores into a risk.
IMAGE_SIGNS = {"margin": -1, "entropy": 1, "alignment_corruption": -1, "alignment_natural": -1}
CHOSEN = {"natural_selected": ["zoom_0.9", "flip"], "corruption_selected": ["fog-5", "snow-2", "fog-2"]}


@pytest.fixture(scope="module")
def sets(root) -> ProbeSets:
    folder = root / "resources" / "conditions"
    return read_probe_sets(folder / "corruptions.csv", folder / "transforms.csv")


@pytest.fixture(scope="module")
def probes(sets) -> Probes:
    """Return cosine similarities of a model with a bias, weak enough for clean and corrupted errors."""
    generator = np.random.default_rng(4)
    images = CLASSES * PER_CLASS
    labels = np.repeat(np.arange(CLASSES, dtype=np.int32), PER_CLASS)
    variants = ("clean", *sets.corruptions_all, *sets.transforms_all)
    signal = np.eye(CLASSES)[labels] * generator.uniform(0, 0.06, (images, 1))
    noise = generator.normal(size=(len(variants), images, CLASSES)) * 0.01
    return Probes(
        outputs=(signal + noise).astype(np.float32),
        outside=np.full((len(variants), images), -np.inf),
        variants=variants,
        image_ids=tuple(f"image-{place:02d}" for place in generator.permutation(images)),
        labels=labels,
        splits=(DEVELOPMENT, EVALUATION) * (images // 2),
        candidates=("n0", "n1", "n2", "n3"),
        scoring=COSINE,
        scale=60.0,
        bias=-2.0,
        metadata={"study": "small", "model": "clip", "group": "clip"},
    )


@pytest.fixture(scope="module")
def records(probes) -> pd.DataFrame:
    """Return records of three real conditions, whose clean side is that of the probes but for some images."""
    generator = np.random.default_rng(5)
    frames = []
    for condition in ("clean", *CAPTURES):
        scores = score_common(probes.outputs[0], probes.labels, probes.scoring)
        prediction = scores.prediction.copy()
        if condition != "clean":
            fails = generator.random(len(prediction)) > scores.true_class_probability - 0.1
            prediction = np.where(fails, (probes.labels + 1) % CLASSES, probes.labels)
        prediction[:2] = (probes.labels[:2] + 1) % CLASSES
        if condition == "clean":
            wrong_in_probes = np.flatnonzero(scores.prediction != probes.labels)[-6:]
            prediction[wrong_in_probes] = probes.labels[wrong_in_probes]
        frames.append(
            pd.DataFrame(
                {
                    "condition": condition,
                    "image_id": probes.image_ids,
                    "label": probes.labels,
                    "prediction": prediction,
                    "split": probes.splits,
                    "confidence": 0.5,
                    "true_class_probability": 0.5,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(scope="module")
def halves(probes, sets, records) -> dict[str, Half]:
    responses = arrange(respond(probes), score_images(probes, sets), probes.metadata)
    return {split: align(responses, block(records, split)) for split in (DEVELOPMENT, EVALUATION)}


@pytest.fixture(scope="module")
def risks(halves, sets) -> Risks:
    return image_risks(halves[EVALUATION], halves[DEVELOPMENT], sets, CHOSEN)


class ByImage:
    """Everything about one image, looked up by its id: slow, and straight from outputs and records."""

    def __init__(self, probes: Probes, records: pd.DataFrame, sets: ProbeSets, split: str):
        self.probes, self.sets = probes, sets
        rows = records[records["split"] == split]
        self.clean = rows[rows["condition"] == "clean"].set_index("image_id")
        self.common = score_common(probes.outputs, probes.labels, COSINE)
        self.native = score_native(probes.outputs, probes.labels, COSINE, 60.0, -2.0)

    def images(self, correct: bool = True) -> list[str]:
        rows = self.clean.reset_index().sort_values(["label", "image_id"]).set_index("image_id")
        return rows.index[rows["prediction"] == rows["label"]].tolist() if correct else rows.index.tolist()

    def value(self, image: str, condition: str, name: str, native: bool = False) -> float:
        scores = self.native if native else self.common
        place = self.probes.variants.index(condition), self.probes.image_ids.index(image)
        return getattr(scores, name)[place]

    def label(self, image: str) -> int:
        return int(self.clean.loc[image, "label"])

    def mean(self, image: str, conditions: tuple[str, ...], native: bool = False) -> float:
        return statistics.fmean(self.value(image, one, "true_class_probability", native) for one in conditions)

    def share_predicting(self, image: str, conditions: tuple[str, ...], wanted: int) -> float:
        return statistics.fmean(self.value(image, one, "prediction") == wanted for one in conditions)

    def deviation(self, image: str, conditions: tuple[str, ...]) -> float:
        clean = self.value(image, "clean", "confidence")
        return statistics.fmean(abs(self.value(image, one, "confidence") - clean) for one in conditions)


@pytest.fixture(scope="module")
def slow(probes, records, sets) -> ByImage:
    return ByImage(probes, records, sets, EVALUATION)


def definitions(sets: ProbeSets) -> Iterator[tuple[str, Callable[[ByImage, str], float]]]:
    """Yield each score that follows from the image alone, with its definition."""
    u, t = sets.primary, sets.fixed

    def consistency(conditions: tuple[str, ...]) -> Callable[[ByImage, str], float]:
        def of(slow: ByImage, image: str) -> float:
            kept = slow.share_predicting(image, conditions, slow.value(image, "clean", "prediction"))
            return -(kept / 2 + (1 - slow.deviation(image, conditions)) / 2)

        return of

    yield "confidence", lambda slow, image: -slow.value(image, "clean", "confidence")
    yield "corruption_mean", lambda slow, image: -slow.mean(image, u)
    yield "confidence_decrease", lambda slow, image: slow.value(image, "clean", "confidence") - slow.mean(image, u)
    yield "retention", lambda slow, image: -slow.share_predicting(image, u, slow.label(image))
    yield "agreement", lambda slow, image: -slow.share_predicting(image, t, slow.value(image, "clean", "prediction"))
    yield "natural_mean", lambda slow, image: -slow.mean(image, t)
    yield "corruption_mean_clean", lambda slow, image: -slow.mean(image, (*u, "clean"))
    yield "natural_mean_clean", lambda slow, image: -slow.mean(image, (*t, "clean"))
    yield "native_confidence", lambda slow, image: -slow.value(image, "clean", "confidence", native=True)
    yield "native_corruption_mean", lambda slow, image: -slow.mean(image, u, native=True)
    yield "native_natural_mean", lambda slow, image: -slow.mean(image, t, native=True)
    for name, power in (("corruption_root_mean", 0.5), ("corruption_square_mean", 2)):
        yield (
            name,
            lambda slow, image, power=power: (
                -statistics.fmean(slow.value(image, one, "true_class_probability") ** power for one in u)
            ),
        )
    yield "natural_selected", lambda slow, image: -slow.mean(image, tuple(CHOSEN["natural_selected"]))
    yield "corruption_selected", lambda slow, image: -slow.mean(image, tuple(CHOSEN["corruption_selected"]))
    yield "corruption_deviation", lambda slow, image: slow.deviation(image, u)
    yield "natural_deviation", lambda slow, image: slow.deviation(image, t)
    yield "corruption_consistency", consistency(u)
    yield "natural_consistency", consistency(t)


def test_every_score_is_compared_with_a_definition(sets):
    written_out = {name for name, _ in definitions(sets)}
    assert written_out | set(PREDICTORS) | CLASS_SCORES | set(IMAGE_SIGNS) | {"corruption_rank_mean"} == set(SCORES)


def test_scores_of_an_image_equal_their_definitions(slow, risks, sets):
    images = slow.images()
    assert len(risks.images) == len(images)
    for name, definition in definitions(sets):
        expected = [definition(slow, image) for image in images]
        assert np.ptp(expected) > 0.01, name
        assert risks.scores[name] == pytest.approx(expected, abs=1e-12), name


def test_ranked_images_are_clean_correct_in_the_records(slow, halves, risks):
    half = halves[EVALUATION]
    assert half.responses.image_ids[risks.images].tolist() == slow.images()
    # Some images are correct in the probes alone or in the records alone; the records decide.
    probed = half.responses.clean.prediction == half.responses.labels
    assert (probed & ~half.clean_correct).any()
    assert (~probed & half.clean_correct).any()


def test_every_score_is_there_in_order(halves, sets, risks):
    assert tuple(risks.scores) == SCORES
    without = image_risks(halves[EVALUATION], halves[DEVELOPMENT], sets)
    assert tuple(without.scores) == tuple(name for name in SCORES if name not in SELECTED)


def test_class_scores_are_means_of_the_other_half(slow, probes, records, sets, risks):
    other = ByImage(probes, records, sets, DEVELOPMENT)
    everyone, correct = other.images(correct=False), other.images()
    assert len(everyone) > len(correct)
    for position, image in enumerate(slow.images()):
        label = slow.label(image)
        everywhere = [one for one in everyone if other.label(one) == label]
        means = [other.mean(one, sets.primary) for one in everywhere]
        drops = [other.value(one, "clean", "true_class_probability") for one in everywhere]
        expected = {
            "class_mean_all": -statistics.fmean(means),
            "class_decrease": statistics.fmean(drops) - statistics.fmean(means),
            "class_mean_correct": -statistics.fmean(
                other.mean(one, sets.primary) for one in correct if other.label(one) == label
            ),
        }
        assert set(expected) == CLASS_SCORES
        for name, value in expected.items():
            assert risks.scores[name][position] == pytest.approx(value, abs=1e-12), name


def test_a_class_that_the_other_half_lacks_is_undefined():
    found = class_means(np.array([0.2, 0.4]), np.array([1, 1]), np.array([0, 1, 5]))
    np.testing.assert_allclose(found, [np.nan, 0.3, np.nan])


def test_image_scores_become_risks(slow, probes, risks, sets):
    table = score_images(probes, sets).set_index("image_id").loc[slow.images()]
    for name, sign in IMAGE_SIGNS.items():
        np.testing.assert_array_equal(risks.scores[name], sign * table[name])


def test_rank_mean_is_the_mean_percentile_midrank(slow, risks, sets):
    images = slow.images()
    for position, image in enumerate(images):
        ranks = []
        for condition in sets.primary:
            values = [slow.value(one, condition, "true_class_probability") for one in images]
            own = slow.value(image, condition, "true_class_probability")
            ranks.append((sum(value < own for value in values) + (values.count(own) + 1) / 2) / len(images))
        assert risks.scores["corruption_rank_mean"][position] == pytest.approx(-statistics.fmean(ranks), abs=1e-12)


def test_predictors_equal_fits_on_all_replicated_rows(halves, sets, risks):
    fitting, evaluated = halves[DEVELOPMENT].eligible(), halves[EVALUATION].eligible()
    assert fitting.failures.any()
    for name, columns in PREDICTORS.items():
        features, wanted = (
            np.column_stack([quantities(half.responses, sets)[column] for column in columns])
            for half in (fitting, evaluated)
        )
        model = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, solver="lbfgs", tol=1e-8, max_iter=10_000))
        model.fit(np.tile(features, (len(CAPTURES), 1)), fitting.failures.ravel())
        assert expit(risks.scores[name]) == pytest.approx(model.predict_proba(wanted)[:, 1], abs=1e-6)
        fit = risks.fits.set_index("predictor").loc[name]
        assert fit[[f"coefficient_{column}" for column in columns]].tolist() == pytest.approx(
            model[-1].coef_[0].tolist(), abs=1e-5
        )
        assert fit["intercept"] == pytest.approx(model[-1].intercept_[0], abs=1e-5)
        assert np.isnan(fit[[f"coefficient_{one}" for one in QUANTITIES if one not in columns]].astype(float)).all()
        assert fit["fitted"]
        assert not fit["reversed"]


def test_a_reversed_predictor_is_reported():
    confidence = np.linspace(0.5, 1, 40)
    failures = np.stack([confidence > 0.7, confidence > 0.8])
    values = dict.fromkeys(QUANTITIES, confidence)
    predictors = {name: fit_predictor(values, failures, name) for name in PREDICTORS}
    table = fits_table(predictors).set_index("predictor")
    assert table["reversed"].tolist() == [True, False, False, False]
    assert (np.diff(predictors["predictor_confidence"].risk(values)) > 0).all()


@pytest.mark.parametrize("outcome", [True, False])
def test_one_outcome_fits_nothing(outcome):
    values = dict.fromkeys(QUANTITIES, np.linspace(0.5, 1, 8))
    predictor = fit_predictor(values, np.full((3, 8), outcome), "predictor_confidence_mean")
    assert not predictor.fitted
    assert np.isnan(predictor.risk(values)).all()
    row = fits_table({"predictor_confidence_mean": predictor}).iloc[0]
    assert not row["fitted"]
    assert not row["reversed"]
    assert np.isnan(row["intercept"])


def test_no_fitting_image_fits_nothing():
    values = dict.fromkeys(QUANTITIES, np.zeros(0))
    assert not fit_predictor(values, np.zeros((3, 0), dtype=bool), "predictor_confidence").fitted


def test_a_constant_quantity_has_no_influence():
    confidence, failures = np.linspace(0.5, 1, 20), np.arange(20)[None] < 8
    values = {**dict.fromkeys(QUANTITIES, confidence), "corruption_mean": np.full(20, 0.7)}
    found = fit_predictor(values, failures, "predictor_confidence_mean")
    alone = fit_predictor(values, failures, "predictor_confidence")
    assert found.coefficients == pytest.approx([alone.coefficients[0], 0.0], abs=1e-5)
