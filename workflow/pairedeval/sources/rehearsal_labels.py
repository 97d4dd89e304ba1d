"""Accepted labels of the base images of study ``rehearsal``, simulated: nobody has looked at images that do not exist.

Each half has the counts that the paper gives for its 500 evaluation images (Appendix J.1): 27 images accept no label,
38 only labels outside the candidates, and 11 only another candidate; 424 accept their original label. The 11 are the
images that show another class to every model, in order of their doubt.
"""

import numpy as np
import pandas as pd

from pairedeval.errors import PairedEvalError
from pairedeval.labels.annotations import Annotations, annotation_table
from pairedeval.sources.rehearsal_images import Images, describe_images
from pairedeval.splits import BASE

NAME = "simulated labels"
DESCRIPTION = "Accepted labels: simulated, like the images; no person gave them."
# Images of a half of 500, in the order of their doubt. Images that accept two labels keep the original one.
REPLACED, OUTSIDE, NONE, TWO = 11, 38, 27, 120


def annotate_images(index: pd.DataFrame, seed: int) -> Annotations:
    """Accept labels for every base image by the doubt about it.

    Parameters
    ----------
    index
        Result of `rehearsal_images.build_index`.
    seed
        Seed of the study.

    Raises
    ------
    PairedEvalError
        If no class of the index lies outside the candidates of the base images.
    """
    images = describe_images(index, BASE, seed)
    others = sorted(set(index["class_id"]) - set(images.candidates))
    if not others:
        raise PairedEvalError(
            "rehearsal: every class is a candidate of the base images; the index needs further classes"
        )
    accepted = {
        str(image_id): _accepted(images, place, others[place % len(others)])
        for place, image_id in enumerate(images.image_ids)
    }
    return Annotations(annotation_table(accepted), NAME, DESCRIPTION)


def _accepted(images: Images, place: int, other: str) -> list[str]:
    """Return the accepted class ids of one image."""
    original, similar = (images.candidates[label] for label in (images.labels[place], images.confusable[place, 0]))
    steps = np.cumsum([REPLACED, OUTSIDE, NONE, TWO])
    choices: tuple[list[str], ...] = ([similar], [other], [], [original, similar], [original])
    return choices[int(np.searchsorted(steps, images.doubt[place], side="right"))]
