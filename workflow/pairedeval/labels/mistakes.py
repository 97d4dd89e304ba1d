"""ImageNet-Mistakes: reviewed wrong predictions of two models (Vasudevan et al., 2022; Appendix J.3).

A mistake is an image together with a predicted label, and predictions are matched by both: the same image with another
wrong label is another mistake.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import PairedEvalError
from pairedeval.labels.imagenet import is_class, read_json
from pairedeval.records import CLEAN, EVALUATION, read_records

PREDICTION, CATEGORY, SEVERITY = KEYS = ("top_prediction", "failure category", "failure severity")


def read_mistakes(path: str | Path, synsets: Sequence[str]) -> pd.DataFrame:
    """Read one resource, ``vit3b_mistakes.json`` or ``greedy_soups_mistakes.json``.

    Parameters
    ----------
    path
        JSON object: file name of the image to an object with the keys `KEYS`.
    synsets
        WordNet ids in the order of class indices.

    Returns
    -------
    pandas.DataFrame
        Rows in the file's order: ``resource`` (the file's stem), ``image_id``, ``class_id`` (of the prediction),
        ``category`` (in lower case and without the word error, which the resources use differently) and ``severity``
        (minor, major or borderline).

    Raises
    ------
    PairedEvalError
        If the file has another content; the message names the first such image.
    """
    entries = read_json(path)
    if not isinstance(entries, dict) or not entries:
        raise PairedEvalError(f"{path}: no object of image names; fetch the file of ImageNet-Mistakes again")
    rows = []
    for name, entry in entries.items():
        if not isinstance(entry, dict) or not is_class(entry.get(PREDICTION)) or set(KEYS) - set(entry):
            raise PairedEvalError(
                f"{path}: image {name}: {entry!r} lacks a class index as {PREDICTION}, a {CATEGORY} or a {SEVERITY}; "
                "fetch the file of ImageNet-Mistakes again"
            )
        category = str(entry[CATEGORY]).lower().replace(" error", "")
        rows.append((Path(name).stem, synsets[entry[PREDICTION]], category, str(entry[SEVERITY]).lower()))
    table = pd.DataFrame(rows, columns=["image_id", "class_id", "category", "severity"])
    table.insert(0, "resource", Path(path).stem)
    return table


def clean_predictions(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Read the unperturbed evaluation predictions of record files, as class ids.

    Parameters
    ----------
    paths
        One record file per source and model.

    Returns
    -------
    pandas.DataFrame
        ``source``, ``model``, ``image_id``, ``class_id``.
    """
    tables = []
    for path in paths:
        frame, metadata = read_records(path)
        rows = frame[(frame["condition"] == CLEAN) & (frame["split"] == EVALUATION)]
        tables.append(
            pd.DataFrame(
                {
                    "source": metadata["source"],
                    "model": metadata["model"],
                    "image_id": rows["image_id"],
                    "class_id": np.array(metadata["candidates"], dtype=object)[rows["prediction"]],
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def match_mistakes(predictions: pd.DataFrame, mistakes: pd.DataFrame) -> pd.DataFrame:
    """Match predictions to reviewed mistakes by image and predicted label.

    Parameters
    ----------
    predictions
        Result of `clean_predictions`.
    mistakes
        Results of `read_mistakes`, one below the other.

    Returns
    -------
    pandas.DataFrame
        One row a source-specific match: the columns of both, in the order of `predictions`.

    Examples
    --------
    >>> shown = pd.DataFrame({"source": "es", "model": ["m", "n"], "image_id": "a", "class_id": ["cat", "dog"]})
    >>> mistakes = pd.DataFrame({"resource": ["r"], "image_id": ["a"], "class_id": ["dog"]})
    >>> match_mistakes(shown, mistakes)[["model", "class_id"]].values.tolist()
    [['n', 'dog']]
    """
    return predictions.merge(mistakes, on=["image_id", "class_id"], how="inner")


def count_matches(matches: pd.DataFrame) -> pd.DataFrame:
    """Count matches as Appendix J.3 does.

    Returns
    -------
    pandas.DataFrame
        One row: ``source_matches``, ``distinct_matches`` (model, image and resource, whatever the source: sources with
        the same unperturbed images repeat them), ``images`` and ``models``.
    """
    distinct = matches[["model", "image_id", "resource"]].drop_duplicates()
    return pd.DataFrame(
        {
            "source_matches": [len(matches)],
            "distinct_matches": [len(distinct)],
            "images": [distinct["image_id"].nunique()],
            "models": [distinct["model"].nunique()],
        }
    )
