"""Which pictures Figure 7 shows: one base image from every family of perturbations."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from pairedeval.images import ImageStore
from pairedeval.records import EVALUATION
from pairedeval.report.figure_07 import PictureRow
from pairedeval.report.names import condition_name, listed, source_name
from pairedeval.splits import BASE


def picture_rows(
    index: pd.DataFrame,
    tiers: pd.DataFrame,
    base: str | Path,
    captures: Mapping[str, str | Path],
    families: Sequence[tuple[str, Sequence[str]]],
    simulated: Sequence[str],
) -> list[PictureRow]:
    """Read the pictures of Figure 7.

    Parameters
    ----------
    index
        Images of the study; the first evaluation base image is shown.
    tiers
        Conditions with `source`, `condition` and `tier`; only mild captures are shown.
    base
        Image set of the perturbed base images.
    captures
        Image set of each capture source.
    families
        Heading and conditions of each row that is read from `base`; the length of the first row is that of all.
    simulated
        Sources with simulated data.
    """
    chosen = index[(index["role"] == BASE) & (index["split"] == EVALUATION)]
    image_id = str(chosen["image_id"].min())
    width = len(families[0][1])
    rows = []
    with ImageStore(base) as store:
        for heading, conditions in families:
            shown = spread(conditions, width)
            pictures = tuple(store.read(condition, image_id) for condition in shown)
            rows.append(PictureRow(heading, tuple(map(condition_name, shown)), pictures))
    return [*rows, _captures(image_id, tiers, captures, width, simulated)]


def spread(items: Sequence[str], count: int) -> list[str]:
    """Take `count` items at equal steps, the first and the last among them; all if there are no more.

    Examples
    --------
    >>> spread(["a", "b", "c", "d", "e"], 3)
    ['a', 'c', 'e']
    """
    if len(items) <= count:
        return list(items)
    return [items[round(place * (len(items) - 1) / max(count - 1, 1))] for place in range(count)]


def _captures(
    image_id: str,
    tiers: pd.DataFrame,
    captures: Mapping[str, str | Path],
    width: int,
    simulated: Sequence[str],
) -> PictureRow:
    """Return the last row, shared by the sources; the later ones take what the division leaves over."""
    titles, pictures = [], []
    for place, (source, path) in enumerate(captures.items()):
        room = (place + 1) * width // len(captures) - place * width // len(captures)
        mild = tiers[(tiers["source"] == source) & (tiers["tier"] == "mild")]
        with ImageStore(path) as store:
            for condition in spread(sorted(mild["condition"]), room):
                titles.append(f"{source_name(source)} {condition}")
                pictures.append(store.read(condition, image_id))
    names = listed(source_name(source, simulated) for source in captures)
    return PictureRow(f"Recaptures under mild conditions: {names}", tuple(titles), tuple(pictures))
