"""How often a clean wrong answer persists, by the share of other models that give it (Appendix J.2, Table 49).

An event is a model, a condition and an evaluation image that the model gets wrong without perturbation, judged by the
original labels. It persists if the model gives the same wrong answer after perturbation. Its support is the share of
other models that give this answer on the unperturbed image. Events weigh equally, so rates are neither state shares
nor probabilities of independent images, and support is not confidence, nor does it make an answer right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.identification.levels import STRICTNESS
from pairedeval.records import EVALUATION, RecordBlock, block, read_records
from pairedeval.states import conditional_mean

# Which models count as others, and how.
LEAVE_MODEL_OUT, LEAVE_GROUP_OUT, GROUP_EQUAL = DEFINITIONS = ("leave_model_out", "leave_group_out", "group_equal")
LOW, MIDDLE, HIGH, UNDEFINED = STRATA = ("low", "middle", "high", "undefined")
# Largest support of the low stratum and smallest of the high one.
MOST_LOW, LEAST_HIGH = 0.25, 0.75


@dataclass(frozen=True)
class ModelRecords:
    """Evaluation records of one model and whose they are."""

    source: str
    model: str
    group: str
    records: RecordBlock


def measure_consensus(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Count the events of all models of one source by the support of their clean wrong answer.

    Parameters
    ----------
    paths
        One record file a model, all with the same evaluation images.

    Returns
    -------
    pandas.DataFrame
        Rows per model, definition and stratum: ``source``, ``model``, ``group``, ``definition`` (of `DEFINITIONS`),
        ``stratum`` (of `STRATA`; undefined where there is no other model), ``images`` (clean wrong answers), ``events``
        (``images`` times conditions) and ``persistent`` (events with the same answer after perturbation).

    Raises
    ------
    RecordsError
        If a file holds other evaluation images than the first one.
    """
    models = [_read(path) for path in paths]
    answers = np.stack([_answers(model, models[0]) for model in models])
    found = support(answers, [model.group for model in models])
    return pd.concat(
        [_counts(model, {name: found[name][row] for name in DEFINITIONS}) for row, model in enumerate(models)],
        ignore_index=True,
    )


def support(answers: np.ndarray, groups: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the share of other models that give each model's answer, by definition of the others.

    Parameters
    ----------
    answers
        Predictions on unperturbed images, shape ``(models, n)``.
    groups
        Group of each model.

    Returns
    -------
    dict
        Shape ``(models, n)`` by `DEFINITIONS`: all other models; the models of other groups; the same, with groups
        weighted equally. NaN where there is no such model.

    Examples
    --------
    >>> found = support(np.array([[3], [3], [3], [5]]), ["a", "a", "b", "c"])
    >>> {name: float(values[0, 0].round(2)) for name, values in found.items()}
    {'leave_model_out': 0.67, 'leave_group_out': 0.5, 'group_equal': 0.5}
    """
    same = answers[:, None, :] == answers[None, :, :]
    _, group, size = np.unique(np.array(groups), return_inverse=True, return_counts=True)
    elsewhere = group[:, None] != group[None, :]
    weights = {
        LEAVE_MODEL_OUT: ~np.eye(len(answers), dtype=bool),
        LEAVE_GROUP_OUT: elsewhere,
        GROUP_EQUAL: elsewhere / size[group],
    }
    return {name: _weighted_share(same, np.asarray(weight, dtype=float)) for name, weight in weights.items()}


def _weighted_share(same: np.ndarray, weights: np.ndarray) -> np.ndarray:
    total = np.einsum("ij,ijn->in", weights, same)
    return conditional_mean(total, np.broadcast_to(weights.sum(axis=1, keepdims=True), total.shape))


def strata_of(shares: np.ndarray) -> np.ndarray:
    """Name the stratum of each support; a share that is rounded past an edge counts as the edge.

    Examples
    --------
    >>> strata_of(np.array([0.25, 0.26, 0.1 + 0.65, np.nan])).tolist()
    ['low', 'middle', 'high', 'undefined']
    """
    ranges = [np.isnan(shares), shares <= MOST_LOW + STRICTNESS, shares >= LEAST_HIGH - STRICTNESS]
    return np.select(ranges, [UNDEFINED, LOW, HIGH], MIDDLE)


def summarise_consensus(counts: pd.DataFrame) -> pd.DataFrame:
    """Add up the events of each source (Table 49).

    Parameters
    ----------
    counts
        Results of `measure_consensus`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``definition`` and ``stratum``: ``images``, ``events``, ``persistent``, ``models`` (with an
        event) and ``rate``, the share of persistent events; NaN where there is none.
    """
    keys = ["source", "definition", "stratum"]
    summary = (
        counts.assign(models=counts["events"] > 0)
        .groupby(keys, sort=False)[["images", "events", "persistent", "models"]]
        .sum()
        .reset_index()
    )
    return summary.assign(rate=conditional_mean(summary["persistent"].to_numpy(), summary["events"].to_numpy()))


def _read(path: str | Path) -> ModelRecords:
    frame, metadata = read_records(path)
    return ModelRecords(metadata["source"], metadata["model"], metadata["group"], block(frame, EVALUATION, str(path)))


def _answers(model: ModelRecords, first: ModelRecords) -> np.ndarray:
    if not np.array_equal(model.records.image_ids, first.records.image_ids):
        raise RecordsError(
            f"source {model.source}: {model.model} has other evaluation images than {first.model}; "
            "infer all models on the same images"
        )
    return model.records.clean.prediction


def _counts(model: ModelRecords, shares: dict[str, np.ndarray]) -> pd.DataFrame:
    records = model.records
    wrong = records.clean.prediction != records.labels
    kept = (records.perturbed.prediction == records.clean.prediction).sum(axis=0)
    rows = []
    for definition, share in shares.items():
        stratum = strata_of(share)
        for name in STRATA:
            chosen = wrong & (stratum == name)
            images = int(chosen.sum())
            rows.append((definition, name, images, images * len(records.conditions), int(kept[chosen].sum())))
    table = pd.DataFrame(rows, columns=["definition", "stratum", "images", "events", "persistent"])
    keys = {"source": model.source, "model": model.model, "group": model.group}
    return table.assign(**keys)[[*keys, *table.columns]]
