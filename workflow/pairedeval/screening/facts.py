"""Single numbers that the text states of the scores and of the fitted predictors (Appendix E.1)."""

import pandas as pd

from pairedeval.records import EVALUATION
from pairedeval.screening.grouping import ALL, AUROC
from pairedeval.tiers import EXTREME

_CELL = ["model", "condition", "tier"]


def summarise_facts(cells: pd.DataFrame, fits: pd.DataFrame, images: pd.DataFrame) -> pd.DataFrame:
    """Collect the facts of each source, on the primary half.

    Parameters
    ----------
    cells, fits, images
        Tables of `tidy.ScreeningTables`, sources together.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source`` and ``fact`` with its ``value``: ``spearman_lowest``, ``spearman_median``,
        ``spearman_highest`` (rank correlation of the risks -U and delta within a model, over the models), ``fits``
        (fitted predictors g(S)) and ``reversed_fits`` (those whose risk rises with confidence),
        ``predictor_parameterisation_largest`` and ``predictor_parameterisation_mean`` (of the absolute difference in
        AUROC between g(S,U) and g(S,delta), over cells), ``cells_without_auroc``, ``cells_without_auroc_not_extreme``,
        and ``retention_values`` (largest number of distinct retention rates of a model).
    """
    rows = []
    primary = cells[(cells["half"] == EVALUATION) & (cells["images"] == ALL)]
    for source, part in primary.groupby("source", sort=False):
        chosen = [table[(table["source"] == source) & (table["half"] == EVALUATION)] for table in (fits, images)]
        facts = _facts_of_cells(part) | _facts_of_fits(chosen[0]) | _facts_of_images(chosen[1])
        rows += [{"source": source, "fact": fact, "value": float(value)} for fact, value in facts.items()]
    return pd.DataFrame(rows)


def _facts_of_images(images: pd.DataFrame) -> dict[str, float]:
    correlation = images["mean_decrease_correlation"]
    return {
        "spearman_lowest": correlation.min(),
        "spearman_median": correlation.median(),
        "spearman_highest": correlation.max(),
        "retention_values": images["retention_values"].max(),
    }


def _facts_of_fits(fits: pd.DataFrame) -> dict[str, float]:
    confidence = fits[(fits["predictor"] == "predictor_confidence") & fits["fitted"]]
    return {"fits": len(confidence), "reversed_fits": confidence["reversed"].sum()}


def _facts_of_cells(cells: pd.DataFrame) -> dict[str, float]:
    scores = ("corruption_mean", "predictor_confidence_mean", "predictor_confidence_decrease")
    ranking = {score: cells[cells["score"] == score].set_index(_CELL)[AUROC] for score in scores}
    moved = (ranking["predictor_confidence_mean"] - ranking["predictor_confidence_decrease"]).abs()
    undefined = ranking["corruption_mean"].isna()
    extreme = undefined.index.get_level_values("tier") == EXTREME
    return {
        "predictor_parameterisation_largest": moved.max(),
        "predictor_parameterisation_mean": moved.mean(),
        "cells_without_auroc": undefined.sum(),
        "cells_without_auroc_not_extreme": (undefined & ~extreme).sum(),
    }
