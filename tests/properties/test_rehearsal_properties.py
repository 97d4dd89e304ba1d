"""Answers of simulated models, whatever their logits: records and probe files tell the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pairedeval.scoring import COSINE, LOGITS, score_common
from pairedeval.sources.rehearsal_answers import SLOTS, Answers, outputs, score
from pairedeval.sources.rehearsal_models import ATTRACTORS, Taste

IMAGES, CANDIDATES = 4, 40


def taste(seed: int) -> Taste:
    random = np.random.default_rng(seed)
    background = random.uniform(0.5, 1.5, CANDIDATES)
    return Taste(
        scores=np.zeros((IMAGES, SLOTS - ATTRACTORS)),
        fragility=np.zeros(IMAGES),
        attractors=np.arange(ATTRACTORS),
        background=background / background.sum(),
        level=random.normal(0.12, 0.01, IMAGES),
        outside=random.uniform(0.2, 0.8, IMAGES),
    )


@pytest.mark.parametrize("scoring", [COSINE, LOGITS])
@given(
    logits=arrays.arrays(np.float64, (2, IMAGES, SLOTS), elements=st.floats(-30, 30)),
    absent=arrays.arrays(np.bool_, (IMAGES, ATTRACTORS)),
    seed=st.integers(0, 2**32 - 1),
)
def test_all_candidates_score_as_the_few_with_a_slot(scoring, logits, absent, seed):
    classes = np.argsort(np.random.default_rng(seed).random((IMAGES, CANDIDATES)), axis=1)[:, :SLOTS]
    logits[..., -ATTRACTORS:][:, absent] = -np.inf
    answers, drawn = Answers(logits, classes), taste(seed)
    found = score(answers)
    candidates, outside = outputs(answers, drawn, scoring)
    assert np.isfinite(candidates).all()
    assert not np.isnan(outside).any()
    assert ((found.true_class_probability > 0) & (found.true_class_probability <= found.confidence)).all()
    for condition, values in enumerate(candidates):
        expected = score_common(values, classes[:, 0], scoring)
        assert np.abs(found.confidence[condition] - expected.confidence).max() < 1e-4
        assert np.abs(found.true_class_probability[condition] - expected.true_class_probability).max() < 1e-4
        # Ties within the rounding of float32 may go either way; no class without a slot ever wins.
        other = found.prediction[condition] != expected.prediction
        ordered = np.sort(logits[condition], axis=-1)
        assert (ordered[other, -1] - ordered[other, -2] < 1e-3).all()
        assert all(guess in row for guess, row in zip(expected.prediction, classes, strict=True))
