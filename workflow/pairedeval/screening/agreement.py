"""Do two inference runs of one model agree? Probe outputs beside the records of the captures (Appendix E.1, Table 30).

The base images are inferred once for the probes and once for each recaptured source. Where both runs hold a condition,
``clean`` above all, predictions and probabilities should be the same up to the tolerances that the protocol set.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import read_metadata, read_table
from pairedeval.probes import Probes, read_probes
from pairedeval.records import CLEAN
from pairedeval.scoring import score_common

# Specified before the comparison (Appendix E.1).
LEAST_PREDICTION_AGREEMENT = 0.99
LARGEST_PROBABILITY_DIFFERENCE = 0.01
LARGEST_ACCURACY_DIFFERENCE = 0.005
_PROBABILITIES = ("confidence", "true_class_probability")


def compare_runs(probes: Iterable[str | Path], records: Iterable[str | Path]) -> pd.DataFrame:
    """Compare the records of each model with what its probe outputs score, on the conditions that both runs hold.

    Parameters
    ----------
    probes
        ``probes/<model>.npz``, one file a model.
    records
        Record files of these models, of any sources on the base images.

    Returns
    -------
    pandas.DataFrame
        Rows per ``model``, ``source`` and ``condition``: ``images`` (number), ``prediction_agreement`` (share of equal
        predictions), ``probability_difference`` (mean absolute difference; the larger one of confidence and true-class
        probability), ``accuracy_difference`` (absolute), shares; and ``scale``, the learned logit scale of the model
        (NaN if it has none).

    Raises
    ------
    RecordsError
        If a model has no records, or the two runs have no shared condition or not the same images.
    """
    by_model: dict[str, list[str | Path]] = {}
    for path in records:
        by_model.setdefault(read_metadata(path)["model"], []).append(path)
    rows = []
    for path in probes:
        stored = read_probes(path)
        model = stored.metadata["model"]
        if model not in by_model:
            raise RecordsError(f"{path}: no records of {model} to compare with; infer the recaptures with this model")
        rows += [row for recorded in by_model[model] for row in _compare_file(stored, recorded)]
    return pd.DataFrame(rows)


def summarise_agreement(compared: pd.DataFrame, libraries: Mapping[str, str]) -> pd.DataFrame:
    """Take the worst agreement of each model implementation (Table 30).

    Parameters
    ----------
    compared
        Result of `compare_runs`.
    libraries
        Implementation of each model, the column ``library`` of the registry; its order is that of the rows.

    Returns
    -------
    pandas.DataFrame
        Rows per ``library``: ``models`` (number), ``conditions`` (compared for each of them, over all runs),
        ``prediction_agreement`` (lowest), ``probability_difference`` and ``accuracy_difference`` (largest) over models
        and conditions, shares; ``scale_lowest`` and ``scale_highest`` (learned logit scales; NaN without any), and
        ``within_tolerance``, the models within all three tolerances under every condition.
    """
    within = (
        (compared["prediction_agreement"] >= LEAST_PREDICTION_AGREEMENT)
        & (compared["probability_difference"] <= LARGEST_PROBABILITY_DIFFERENCE)
        & (compared["accuracy_difference"] <= LARGEST_ACCURACY_DIFFERENCE)
    )
    by_model = (
        compared.assign(within_tolerance=within)
        .groupby("model", sort=False)
        .agg(
            conditions=("condition", "size"),
            prediction_agreement=("prediction_agreement", "min"),
            probability_difference=("probability_difference", "max"),
            accuracy_difference=("accuracy_difference", "max"),
            scale=("scale", "first"),
            within_tolerance=("within_tolerance", "all"),
        )
    )
    by_model = by_model.loc[[model for model in libraries if model in by_model.index]].reset_index()
    return (
        by_model.assign(library=by_model["model"].map(libraries))
        .groupby("library", sort=False)
        .agg(
            models=("model", "size"),
            conditions=("conditions", "max"),
            prediction_agreement=("prediction_agreement", "min"),
            probability_difference=("probability_difference", "max"),
            accuracy_difference=("accuracy_difference", "max"),
            scale_lowest=("scale", "min"),
            scale_highest=("scale", "max"),
            within_tolerance=("within_tolerance", "sum"),
        )
        .reset_index()
    )


def _compare_file(probes: Probes, path: str | Path) -> list[dict[str, object]]:
    """Compare one record file with the outputs of its model."""
    frame = read_table(path, columns=["condition", "image_id", "label", "prediction", *_PROBABILITIES])
    shared = [name for name in frame["condition"].unique() if name in probes.variants]
    if CLEAN not in shared:
        raise RecordsError(f"{path}: no clean records to compare with the probes; infer the condition 'clean' first")
    keys = {"model": probes.metadata["model"], "source": read_metadata(path)["source"]}
    rows = []
    for condition in shared:
        recorded = frame[frame["condition"] == condition]
        order = _positions(probes.image_ids, recorded["image_id"], f"{path}: condition {condition}")
        rows.append({**keys, "condition": condition, **_compare(probes, condition, recorded.iloc[order])})
    return rows


def _positions(wanted: Sequence[str], found: "pd.Series[str]", place: str) -> np.ndarray:
    """Return where each image of the probes stands in the records."""
    positions = pd.Index(found).get_indexer(pd.Index(wanted))
    if len(found) != len(wanted) or (positions < 0).any():
        raise RecordsError(f"{place}: other images than those of the probes; run both on the same base images")
    return positions


def _compare(probes: Probes, condition: str, recorded: pd.DataFrame) -> dict[str, object]:
    """Compare one condition; the records stand in the order of the probes' images."""
    scored = score_common(probes.of([condition])[0], probes.labels, probes.scoring)
    differences = [np.abs(getattr(scored, name) - recorded[name].to_numpy()).mean() for name in _PROBABILITIES]
    correct = [scored.prediction == probes.labels, (recorded["prediction"] == recorded["label"]).to_numpy()]
    return {
        "images": len(recorded),
        "prediction_agreement": (scored.prediction == recorded["prediction"].to_numpy()).mean(),
        "probability_difference": max(differences),
        "accuracy_difference": abs(correct[0].mean() - correct[1].mean()),
        "scale": probes.scale,
    }
