"""Accuracy of the models and extent of the sources, from the cells of the identification analyses."""

import pandas as pd

from pairedeval.records import EVALUATION
from pairedeval.splits import role_of_source


def accuracy_by_tier(cells: pd.DataFrame) -> pd.DataFrame:
    """Average the evaluation accuracy of each model over the conditions of each tier.

    Parameters
    ----------
    cells
        One row per model and condition with `source`, `model`, `group`, `tier`, `clean_accuracy` and
        `perturbed_accuracy` (shares).

    Returns
    -------
    DataFrame
        Rows per model, source and tier: `model`, `group`, `source`, `tier` (``clean`` for the unperturbed images),
        `accuracy` (share, conditions weighted equally) and `conditions`.
    """
    keys = ["model", "group", "source"]
    perturbed = cells.groupby([*keys, "tier"], sort=False)["perturbed_accuracy"].agg(accuracy="mean", conditions="size")
    clean = cells.groupby(keys, sort=False)["clean_accuracy"].agg(accuracy="first")
    clean = clean.assign(tier="clean", conditions=1).reset_index()
    accuracy: pd.DataFrame = pd.concat([clean, perturbed.reset_index()], ignore_index=True)
    return accuracy.reindex(columns=[*keys, "tier", "accuracy", "conditions"])


def source_extents(cells: pd.DataFrame, index: pd.DataFrame) -> pd.DataFrame:
    """Count what each source consists of.

    Parameters
    ----------
    cells
        One row per model and condition with `source`, `model` and `condition`.
    index
        The images of the study with `role` and `split`.

    Returns
    -------
    DataFrame
        One row per source: `images`, `evaluation_images`, `conditions`, `models` and `cells`.
    """
    rows = []
    for source, part in cells.groupby("source", sort=False):
        images = index[index["role"] == role_of_source(str(source))]
        rows.append(
            {
                "source": source,
                "images": len(images),
                "evaluation_images": int((images["split"] == EVALUATION).sum()),
                "conditions": part["condition"].nunique(),
                "models": part["model"].nunique(),
                "cells": len(part),
            }
        )
    return pd.DataFrame(rows)
