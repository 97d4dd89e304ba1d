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
        Checked predictions of one cell each, see `pairedeval.own.predictions.read_predictions`.
    place
        What a message calls the two sides.

    Raises
    ------
    RecordsError
        If some ids stand on one side only, a label differs between the sides, or the class counts differ.
    """
    clean = _sorted(clean)
    rows = pd.Index(perturbed["image_id"]).get_indexer(pd.Index(clean["image_id"]))
    shared = rows >= 0
    if len(clean) == len(perturbed) and shared.all():
        perturbed = perturbed.take(rows).reset_index(drop=True)
        _check_labels(clean, perturbed, place)
        return Sides(clean, perturbed, paired=True)
    if shared.any():
        _refuse_partial(clean, perturbed, shared, place)
    _check_class_counts(clean, perturbed, place)
    return Sides(clean, _sorted(perturbed), paired=False)


def _sorted(side: pd.DataFrame) -> pd.DataFrame:
    return side.sort_values(["label", "image_id"], kind="stable", ignore_index=True)


def _refuse_partial(clean: pd.DataFrame, perturbed: pd.DataFrame, shared: np.ndarray, place: str) -> None:
    """Refuse sides with some ids in common: neither the same images nor two separate samples."""
    on_clean = set(clean["image_id"])
    unmatched = {
        "clean": clean["image_id"][~shared],
        "perturbed": perturbed["image_id"][[image not in on_clean for image in perturbed["image_id"]]],
    }
    side, alone = next((side, alone) for side, alone in unmatched.items() if len(alone))
    raise RecordsError(
        f"{place}: images on the {side} side only: {len(alone)}, for example {alone.iloc[0]}; "
        "give both sides the same images, or ids that have nothing in common"
    )


def _check_labels(clean: pd.DataFrame, perturbed: pd.DataFrame, place: str) -> None:
    differing = np.flatnonzero((clean["label"] != perturbed["label"]).to_numpy())
    if len(differing):
        before, after = clean.iloc[differing[0]], perturbed.iloc[differing[0]]
        raise RecordsError(
            f"{place}: image {before['image_id']} has label {before['label']} on the clean side and {after['label']} "
            f"on the perturbed side ({len(differing)} such image{'s' if len(differing) > 1 else ''}); "
            "an image keeps its label"
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
