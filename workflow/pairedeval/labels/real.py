"""ReaL, the reassessed labels of the ImageNet validation set (Beyer et al., 2020; Appendix J.1)."""

from pathlib import Path

from pairedeval.errors import PairedEvalError
from pairedeval.labels.annotations import Annotations, annotation_table
from pairedeval.labels.imagenet import is_class, read_json, read_synsets, validation_image

NAME = "ReaL"
DESCRIPTION = "Accepted labels: ReaL, given by people for the original images (Beyer et al., 2020)."
IMAGES = 50_000


def read_real(path: str | Path, synsets_path: str | Path) -> Annotations:
    """Read ReaL's ``real.json``: one list of class indices for each of the 50,000 images, in validation order.

    Parameters
    ----------
    path
        ``real.json``; timm ships the same bytes as ``timm/data/_info/imagenet_real_labels.json``.
    synsets_path
        WordNet ids in the order of class indices; timm ships them as ``timm/data/_info/imagenet_synsets.txt``.

    Returns
    -------
    Annotations
        Image ids as in `imagenet.validation_image`, WordNet ids as class ids; 3,163 images accept no label.

    Raises
    ------
    PairedEvalError
        If a file has another content; the message names the first such image.
    """
    lists, synsets = read_json(path), read_synsets(synsets_path)
    if not isinstance(lists, list) or len(lists) != IMAGES:
        raise PairedEvalError(f"{path}: not a list of {IMAGES:,} lists of class indices; fetch ReaL's real.json again")
    accepted = {}
    for number, indices in enumerate(lists, start=1):
        if not isinstance(indices, list) or not all(map(is_class, indices)):
            raise PairedEvalError(
                f"{path}: image {number}: {indices!r} is no list of class indices from 0 to {len(synsets) - 1}; "
                "fetch ReaL's real.json again"
            )
        accepted[validation_image(number)] = [synsets[index] for index in indices]
    return Annotations(annotation_table(accepted), NAME, DESCRIPTION, str(path))
