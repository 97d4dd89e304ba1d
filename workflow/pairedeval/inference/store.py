"""Records made from stored outputs, and what records and probes say about their making. No torch."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.probes import Probes
from pairedeval.records import write_records
from pairedeval.scoring import COMMON_PROTOCOL, Scores, score_common
from pairedeval.seeds import digest


def records_from_probes(
    probes: Probes, conditions: Sequence[str], output: str | Path, facts: Mapping[str, Any]
) -> None:
    """Write the records of some probe variants, without running the model again.

    Parameters
    ----------
    probes
        Outputs on the base images.
    conditions
        Variants that become conditions of the source, ``clean`` included.
    output
        ``results/<study>/records/<source>/<model>.parquet``.
    facts
        Metadata that the probes do not know: source.
    """
    outputs = probes.of(conditions)
    frames = [
        records_frame(condition, probes.image_ids, probes.labels, probes.splits, score)
        for condition, score in zip(conditions, _score_each(outputs, probes.labels, probes.scoring), strict=True)
    ]
    write_records(pd.concat(frames, ignore_index=True), output, {**probes.metadata, **facts})


def records_frame(
    condition: str, image_ids: Sequence[str], labels: np.ndarray, splits: Sequence[str], scores: Scores
) -> pd.DataFrame:
    """Return the records of one condition."""
    return pd.DataFrame(
        {
            "condition": condition,
            "image_id": list(image_ids),
            "label": labels,
            "prediction": scores.prediction,
            "split": list(splits),
            "confidence": scores.confidence,
            "true_class_probability": scores.true_class_probability,
        }
    )


def common_metadata(candidates: Sequence[str], versions: Mapping[str, str]) -> dict[str, Any]:
    """Return the metadata that records and probes share: candidate set, scoring protocol and software."""
    return {
        "candidates": list(candidates),
        "candidate_digest": digest("\n".join(candidates)),
        "scoring_protocol": COMMON_PROTOCOL,
        "versions": dict(versions),
    }


def _score_each(outputs: np.ndarray, labels: np.ndarray, kind: str) -> list[Scores]:
    return [score_common(part, labels, kind) for part in outputs]
