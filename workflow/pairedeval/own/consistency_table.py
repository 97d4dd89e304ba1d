"""The images of ``pairedeval consistency`` as a table: what each view says of each image."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

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
