"""Real outcomes of ranked images: predictions after physical recapture, paired by image id."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.own.predictions import read_predictions
from pairedeval.own.screening_files import ProbedModel, match_images, split_conditions


@dataclass(frozen=True)
class RealOutcomes:
    """Outcomes of one model's clean-correct images under real conditions, in the order of their ids.

    Attributes
    ----------
    known
        Images with an outcome, bool, shape ``(n,)``, by condition.
    failed
        Images that are predicted wrongly, bool, shape ``(n,)``, by condition; False where the outcome is not known.
    """

    known: dict[str, np.ndarray]
    failed: dict[str, np.ndarray]


def read_outcomes(path: str | Path, models: Sequence[ProbedModel]) -> dict[str, RealOutcomes]:
    """Read a prediction file of recaptured images; see `pair_outcomes`."""
    return pair_outcomes(read_predictions(path), models, str(path))


def pair_outcomes(
    frame: pd.DataFrame, models: Sequence[ProbedModel], path: str = "outcomes"
) -> dict[str, RealOutcomes]:
    """Pair real outcomes with the images to rank; images that are not correct on the clean side say nothing.

    Parameters
    ----------
    frame
        Checked predictions of some or all images, with ``model`` and ``condition`` if there are several. Rows of
        condition ``clean`` are left out. Without a column ``condition``, the condition is the name of the file.
    models
        Models of the clean side.
    path
        File of the predictions.

    Returns
    -------
    dict
        Outcomes by model; a model without rows has none.

    Raises
    ------
    RecordsError
        If an image or a model is unknown on the clean side, or a label differs.
    """
    by_name = {model.name: model for model in models}
    found: dict[str, RealOutcomes] = {name: RealOutcomes({}, {}) for name in by_name}
    for name, condition, rows in split_conditions(frame, tuple(by_name), path):
        model = by_name.get(name, models[0])  # the name of an only model that no other file names
        where = f"{path}: condition {condition}"
        places = match_images(model.clean, rows, where, model.place)
        unknown = rows["image_id"].to_numpy()[places < 0]
        if len(unknown):
            raise RecordsError(
                f"{where}: images not in {model.place}: {len(unknown)}, for example {unknown[0]}; give outcomes of the "
                "images that were ranked"
            )
        flags = np.zeros((2, len(model.clean)), dtype=bool)
        flags[0, places] = True
        flags[1, places] = (rows["prediction"] != rows["label"]).to_numpy()
        found[model.name].known[condition], found[model.name].failed[condition] = flags[:, model.right]
    return found
