"""Two prediction files side by side: whether they hold the same images, and whether their records can be matched."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError


@dataclass(frozen=True)
class Sides:
    """Clean and perturbed records of one cell.

    Attributes
    ----------
    clean, perturbed
        Records sorted by label; where the pairing is known, row i of both is the same image.
    paired
        Whether both sides hold the same image ids.
    """

    clean: pd.DataFrame
    perturbed: pd.DataFrame
    paired: bool


def join_sides(clean: pd.DataFrame, perturbed: pd.DataFrame, place: str) -> Sides:
    """Bring both sides of one cell into the same order.

    Parameters
    ----------
    clean, perturbed
        Checked predictions of one cell each, see `pairedeval.predictions.read_predictions`.
    place
        What a message calls the two sides.

    Raises
    ------
    RecordsError
        If some ids stand on one side only, a label differs between the sides, or the class counts differ.
    """
    left, right = (
        side.sort_values(["label", "image_id"], kind="stable", ignore_index=True) for side in (clean, perturbed)
    )
    shared = np.isin(left["image_id"], right["image_id"])
    paired = bool(shared.all()) and len(left) == len(right)
    if not paired and shared.any():
        _refuse_partial(left, right, place)
    if paired:
        _check_labels(clean, perturbed, place)
    _check_class_counts(left, right, place)
    return Sides(left, right, paired)


def _refuse_partial(left: pd.DataFrame, right: pd.DataFrame, place: str) -> None:
    """Refuse sides with some ids in common: neither the same images nor two separate samples."""
    for side, ids, others in (
        ("clean", left["image_id"], right["image_id"]),
        ("perturbed", right["image_id"], left["image_id"]),
    ):
        alone = ids[~np.isin(ids, others)]
        if len(alone):
            raise RecordsError(
                f"{place}: images on the {side} side only: {len(alone)}, for example {alone.iloc[0]}; "
                "give both sides the same images, or ids that have nothing in common"
            )


def _check_labels(clean: pd.DataFrame, perturbed: pd.DataFrame, place: str) -> None:
    labels = clean.set_index("image_id")["label"]
    others = perturbed.set_index("image_id")["label"].reindex(labels.index)
    differing = labels.index[(labels != others).to_numpy()]
    if len(differing):
        image = differing[0]
        raise RecordsError(
            f"{place}: image {image} has label {labels[image]} on the clean side and {others[image]} on the "
            f"perturbed side ({len(differing)} such images); an image keeps its label"
        )


def _check_class_counts(left: pd.DataFrame, right: pd.DataFrame, place: str) -> None:
    counts = pd.DataFrame({"clean": left["label"].value_counts(), "perturbed": right["label"].value_counts()})
    counts = counts.fillna(0).astype(int).sort_index()
    unequal = counts[counts["clean"] != counts["perturbed"]]
    if len(unequal):
        label, row = unequal.index[0], unequal.iloc[0]
        raise RecordsError(
            f"{place}: class {label} has {row['clean']} clean and {row['perturbed']} perturbed records; "
            "a matching needs equally many of each class on both sides"
        )
