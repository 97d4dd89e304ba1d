"""Events of the review: wrong answers that at least one model keeps under a condition (Appendix J.3).

An event is a source, a condition, a base image of the evaluation half and a wrong answer that some model gives on the
clean and on the perturbed image: state s. Models that agree share one event.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.records import EVALUATION, RecordBlock, block, read_records


@dataclass(frozen=True)
class SourceAnswers:
    """Predictions of all models on the evaluation images of one source.

    Attributes
    ----------
    source
        Id of the source.
    labels
        True class per image, shape ``(n,)``.
    image_ids
        Image per position, shape ``(n,)``.
    conditions
        Ids of the perturbed conditions.
    candidates
        Class ids; predictions and labels are positions among them.
    groups
        Statistical group of each model.
    clean
        Clean prediction, shape ``(models, n)``.
    perturbed
        Perturbed prediction, shape ``(models, conditions, n)``.
    """

    source: str
    labels: np.ndarray
    image_ids: np.ndarray
    conditions: tuple[str, ...]
    candidates: tuple[str, ...]
    groups: tuple[str, ...]
    clean: np.ndarray
    perturbed: np.ndarray


def read_answers(paths: Iterable[str | Path]) -> SourceAnswers:
    """Read the evaluation predictions of all models of one source.

    Parameters
    ----------
    paths
        One record file a model, all of one source.

    Raises
    ------
    RecordsError
        If a file cannot be used, or its images, labels, conditions, candidates or source are not those of the first.
    """
    first: tuple[RecordBlock, Mapping[str, Any]] | None = None
    groups, clean, perturbed = [], [], []
    for path in paths:
        frame, metadata = read_records(path)
        found = block(frame, EVALUATION, str(path))
        first = first or (found, metadata)
        _check_same(found, metadata, *first, str(path))
        groups.append(str(metadata["group"]))
        clean.append(found.clean.prediction)
        perturbed.append(found.perturbed.prediction)
    if first is None:
        raise RecordsError("review: no record file; infer at least one model first")
    return SourceAnswers(
        source=str(first[1]["source"]),
        labels=first[0].labels,
        image_ids=first[0].image_ids,
        conditions=first[0].conditions,
        candidates=tuple(first[1]["candidates"]),
        groups=tuple(groups),
        clean=np.stack(clean),
        perturbed=np.stack(perturbed),
    )


def persistent_events(answers: SourceAnswers) -> pd.DataFrame:
    """List the events of one source.

    Returns
    -------
    pandas.DataFrame
        One row an event, sorted by condition, image position and answer: ``source``, ``condition``, ``image_id``,
        ``answer`` (class id), ``models`` (number that keep it) and ``support``, the share of models that give this
        answer on the clean image, groups weighted equally.
    """
    wrong = answers.clean != answers.labels
    kept = wrong[:, None] & (answers.perturbed == answers.clean[:, None])
    model, condition, image = np.nonzero(kept)
    places = np.stack([condition, image, answers.clean[model, image]], axis=1)
    events, models = np.unique(places, axis=0, return_counts=True)
    condition, image, answer = events.T
    return pd.DataFrame(
        {
            "source": answers.source,
            "condition": np.array(answers.conditions, dtype=object)[condition],
            "image_id": answers.image_ids[image],
            "answer": np.array(answers.candidates, dtype=object)[answer],
            "models": models,
            "support": clean_support(answers.clean[:, image], answer, answers.groups),
        }
    )


def clean_support(clean: np.ndarray, answer: np.ndarray, groups: Sequence[str]) -> np.ndarray:
    """Return the share of models whose clean prediction is an answer, groups weighted equally, shape ``(events,)``.

    Parameters
    ----------
    clean
        Clean prediction on the image of each event, shape ``(models, events)``.
    answer
        Answer of each event, shape ``(events,)``.
    groups
        Group of each model.

    Examples
    --------
    One of the two models of group a gives the answer, and the only one of group b.

    >>> clean_support(np.array([[3], [4], [3]]), np.array([3]), ["a", "a", "b"]).tolist()
    [0.75]
    """
    names, group = np.unique(list(groups), return_inverse=True)
    agrees = clean == answer
    shares = [agrees[group == place].mean(axis=0) for place in range(len(names))]
    support: np.ndarray = np.mean(shares, axis=0)
    return support


def _check_same(
    found: RecordBlock,
    metadata: Mapping[str, Any],
    first: RecordBlock,
    first_metadata: Mapping[str, Any],
    place: str,
) -> None:
    """Models are counted image by image, so all of them need the same grid."""
    same = {
        "source": metadata["source"] == first_metadata["source"],
        "candidates": metadata["candidates"] == first_metadata["candidates"],
        "images": np.array_equal(found.image_ids, first.image_ids),
        "labels": np.array_equal(found.labels, first.labels),
        "conditions": found.conditions == first.conditions,
    }
    differing = [name for name, equal in same.items() if not equal]
    if differing:
        raise RecordsError(
            f"{place}: {differing[0]} differ from those of the first record file; infer all models on the same images"
        )
