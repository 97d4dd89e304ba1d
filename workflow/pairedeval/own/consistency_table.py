"""The images of ``pairedeval consistency`` as a table: what each view says of each image."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import atomic_path
from pairedeval.own.consistency import ModelConsistency
from pairedeval.own.consistency_errors import RISK_SIGNS


def images_table(found: Sequence[ModelConsistency]) -> pd.DataFrame:
    """Lay out the images of each model, one model below the other, images in the order of their ids.

    Returns
    -------
    pandas.DataFrame
        ``image_id``, ``model`` (if there are several), ``label``, ``prediction``, ``correct`` (``yes`` or ``no``),
        ``confidence``, ``label_stability``, ``confidence_deviation``, ``consistency_score`` and ``flipped_by`` (number
        of probes); with logits also ``margin``, ``displacement`` (the largest margin that a probe can overcome),
        ``half`` (``calibration`` or ``evaluation``) and ``certified`` (``yes``, ``no``, or empty: it calibrates).
    """
    tables = []
    for part in found:
        table = part.model.clean[["image_id", "label", "prediction"]].copy()
        if len(found) > 1:
            table.insert(1, "model", part.model.name)
        table["correct"] = np.where(part.model.correct, "yes", "no")
        for name in RISK_SIGNS:
            table[name] = part.quantities[name]
        table["flipped_by"] = part.model.flips.sum(axis=0)
        if part.certification is not None:
            certification = part.certification
            table["margin"], table["displacement"] = certification.margins, certification.worst
            table["half"] = np.where(certification.calibration, "calibration", "evaluation")
            answer = np.where(certification.certified, "yes", "no")
            table["certified"] = np.where(certification.calibration, "", answer)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def check_table(output: str, inputs: Sequence[str]) -> None:
    """Refuse to write the table of images over a file that is read."""
    if any(Path(given).resolve() == Path(output).resolve() for given in inputs):
        raise RecordsError(f"{output}: the table of images would replace an input file; give --output another name")


def write_images(found: Sequence[ModelConsistency], path: str) -> None:
    """Write the table of images as CSV, atomically.

    Raises
    ------
    RecordsError
        If the file cannot be written.
    """
    if Path(path).is_dir():
        raise RecordsError(f"{path}: is a folder; name a file")
    try:
        with atomic_path(path) as temporary:
            images_table(found).to_csv(temporary, index=False, lineterminator="\n")
    except OSError as error:
        raise RecordsError(f"{path}: cannot be written ({error.strerror}); name another file") from None
