"""Simulated features and targets of prediction, of any shape."""

import numpy as np
import pandas as pd

from pairedeval.prediction.feature_sets import INDEPENDENT, PAIRED, PERMUTED, SUMMARIES, TARGETS, UNPAIRED, feature_sets
from pairedeval.prediction.features import SPLITS

UNPAIRED_NAMES = sorted({name for target in TARGETS for form, name in feature_sets(target)["B1"] if form == UNPAIRED})


def pool(sizes: list[int]) -> pd.DataFrame:
    """Name models of groups of some sizes, the groups' models not side by side."""
    groups = [f"group-{number}" for number, size in enumerate(sizes) for _ in range(size)]
    order = np.random.default_rng(0).permutation(len(groups))
    return pd.DataFrame({"model": [f"m{place:02}" for place in range(len(groups))], "group": np.array(groups)[order]})


def simulated_features(models: pd.DataFrame, replicates: int = 20, seed: int = 1) -> pd.DataFrame:
    """Draw features of both synthetic sources, some of them missing."""
    random = np.random.default_rng(seed)
    kinds = [(UNPAIRED, 0, UNPAIRED_NAMES), (PAIRED, 0, SUMMARIES), (INDEPENDENT, 0, SUMMARIES)]
    kinds += [(PERMUTED, replicate, SUMMARIES) for replicate in range(1, replicates + 1)]
    tables = []
    for source in SPLITS:
        for form, replicate, names in kinds:
            for name in names:
                values = random.random(len(models))
                if name.startswith("changed"):
                    values = np.where(random.random(len(models)) < 0.2, np.nan, values)
                facts = {"source": source, "form": form, "replicate": replicate, "feature": name}
                tables.append(models.assign(**facts, value=values, undefined=0))
    return pd.concat(tables, ignore_index=True)


def simulated_targets(models: pd.DataFrame, seed: int = 2) -> pd.DataFrame:
    """Draw targets of both recaptured sources."""
    random = np.random.default_rng(seed)
    tables = [
        models.assign(source=source, **{target: random.random(len(models)) for target in TARGETS})
        for source in ("es", "diverse")
    ]
    return pd.concat(tables, ignore_index=True)
