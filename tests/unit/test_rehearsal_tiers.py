"""The tiers and the panel of study rehearsal, with all 44 models and the development images."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.models.registry import read_registry
from pairedeval.panel import PAPER_EXTRA_CELLS, frozen_panel, strata_of
from pairedeval.records import DEVELOPMENT
from pairedeval.sources.rehearsal_answers import answer
from pairedeval.sources.rehearsal_conditions import perturbations
from pairedeval.sources.rehearsal_images import build_index, describe_images
from pairedeval.sources.rehearsal_models import model_traits, taste_of
from pairedeval.tiers import tier_of

SEED = 20260908


@pytest.fixture(scope="module")
def models(root):
    return read_registry(root / "config/models/paper.csv")


@pytest.fixture(scope="module")
def tiers(root, models):
    """Return the tier of each capture condition, by counts of correct predictions as in the study."""
    images = describe_images(build_index(SEED), "base", SEED)
    development = images.splits == DEVELOPMENT
    tables = []
    for source in ("es", "diverse"):
        conditions = perturbations(source, root / "resources/conditions")
        correct = np.zeros(len(conditions), dtype=np.int64)
        for model in (model_traits(entry, SEED) for entry in models):
            answers = answer(model, taste_of(model, images, "base", SEED), images, conditions, SEED, source)
            # The true class stands in the first slot.
            correct += (answers.logits[:, development].argmax(axis=-1) == 0).sum(axis=1)
        accuracy = correct / (len(models) * development.sum())
        names = [condition.condition for condition in conditions]
        table = pd.DataFrame({"source": source, "condition": names, "accuracy": accuracy, "tier": tier_of(accuracy)})
        tables.append(table.iloc[1:])
    return pd.concat(tables, ignore_index=True)


@pytest.mark.parametrize(
    ("source", "expected"),
    [("es", {"mild": 44, "severe": 5, "extreme": 5}), ("diverse", {"mild": 51, "severe": 25, "extreme": 86})],
)
def test_tiers_hold_as_many_conditions_as_in_the_paper(tiers, source, expected):
    rows = tiers[tiers["source"] == source]
    assert rows["tier"].value_counts().to_dict() == expected
    # Far enough from the cuts that another machine's rounding moves nothing.
    assert np.abs(rows["accuracy"].to_numpy()[:, None] - [0.4, 0.2]).min() > 0.003


def test_the_panel_has_the_papers_composition_and_coverage(root, models, tiers):
    corruptions = [row.condition for row in perturbations("syn", root / "resources/conditions")[1:]]
    synthetic = pd.concat([pd.DataFrame({"source": source, "condition": corruptions}) for source in ("syn", "syn_b")])
    strata = strata_of(pd.concat([synthetic.assign(tier="mild"), tiers], ignore_index=True))
    panel = frozen_panel([entry.model for entry in models], strata, PAPER_EXTRA_CELLS)
    assert panel["source"].value_counts().to_dict() == {"syn": 90, "syn_b": 90, "es": 135, "diverse": 135}
    covered = panel.groupby("source")["condition"].nunique().to_dict()
    assert covered == {"syn": 18, "syn_b": 18, "es": 54, "diverse": 113}
    diverse = panel.loc[panel["source"] == "diverse", "condition"].drop_duplicates()
    lights = diverse.str.partition("-")[0].value_counts().to_dict()
    assert lights == {"l1": 27, "l2": 27, "l3": 27, "l4": 17, "l6": 10, "l7": 5}
