"""The images that two kinds of labels can be compared on, and records judged by accepted labels (Appendix J.1)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pairedeval.errors import PairedEvalError
from pairedeval.labels.annotations import Annotations, Membership, membership
from pairedeval.records import Predictions, RecordBlock, keep_images

MATCHED, COMPATIBLE, INCOMPATIBLE, RETAINED, REMOVED = SUBSETS = (
    "matched",
    "compatible",
    "incompatible",
    "retained",
    "removed",
)
ORIGINAL, ACCEPTED = LABELS = ("original", "accepted")


@dataclass(frozen=True)
class MatchedRecords:
    """Evaluation records of the images with an accepted label, positions alike in all arrays.

    Attributes
    ----------
    original
        The records as they are: correct where the prediction is the original label.
    accepted
        The same records judged by accepted labels, see `attach_correctness`.
    members
        Images of each of `SUBSETS`, bool, shape ``(n,)``: all of them; those with and those without an accepted label
        among the candidates; those whose original label is and is not accepted.
    excluded
        Number of evaluation images without an accepted label.
    """

    original: RecordBlock
    accepted: RecordBlock
    members: dict[str, np.ndarray]
    excluded: int


def match_annotations(
    evaluation: RecordBlock, candidates: Sequence[str], annotations: Annotations, place: str = "records"
) -> MatchedRecords:
    """Keep the images with an accepted label and judge their records by both kinds of labels.

    Parameters
    ----------
    evaluation
        Evaluation records of one model.
    candidates
        Class ids of the candidates, in the order of candidate indices.
    annotations
        Accepted labels of at least the images of `evaluation`.
    place
        What a message calls the records.

    Raises
    ------
    PairedEvalError
        If an image is not annotated, none has an accepted label, or the class ids are others.
    """
    found = membership(annotations, evaluation.image_ids.tolist(), candidates)
    kept = found.annotated
    if not kept.any():
        raise PairedEvalError(f"{annotations.place}: no image of {place} has an accepted label; annotate some")
    original, found = keep_images(evaluation, kept), Membership(found.accepted[kept], kept[kept])
    compatible, retained = found.compatible, found.accepts(original.labels)
    return MatchedRecords(
        original=original,
        accepted=attach_correctness(original, found),
        members=dict(zip(SUBSETS, (kept[kept], compatible, ~compatible, retained, ~retained), strict=True)),
        excluded=int((~kept).sum()),
    )


def attach_correctness(block: RecordBlock, found: Membership) -> RecordBlock:
    """Return records whose correctness is attached to each under its own image's accepted labels (Appendix A.9).

    A correct record gets its original label as its prediction, whichever accepted label it names; a wrong one gets a
    code above all candidates that tells its prediction from others. States, acceptance and bounds then follow from
    comparing predictions with labels as for any records, and reassignment within original classes moves each record
    with its correctness. Retained-correct pairs no longer tell whether both predictions agree, and the predictions are
    no candidate indices any more.

    Parameters
    ----------
    block
        Records of some images.
    found
        Accepted labels of these images.

    Examples
    --------
    >>> clean = Predictions(np.array([0, 1]), np.array([0.9, 0.6]), np.array([0.9, 0.3]))
    >>> perturbed = Predictions(np.array([[1, 0]]), np.array([[0.8, 0.7]]), np.array([[0.1, 0.7]]))
    >>> block = RecordBlock(np.array([0, 0]), np.array(["a", "b"]), ("dark",), clean, perturbed)
    >>> accepted = np.array([[True, True], [False, True]])
    >>> judged = attach_correctness(block, Membership(accepted, np.array([True, True])))
    >>> judged.clean.prediction.tolist(), judged.perturbed.prediction.tolist()
    ([0, 0], [[0, 2]])
    """
    candidates = found.accepted.shape[1]

    def judged(side: Predictions) -> Predictions:
        codes = np.where(found.accepts(side.prediction), block.labels, candidates + side.prediction)
        return replace(side, prediction=codes)

    return replace(block, clean=judged(block.clean), perturbed=judged(block.perturbed))
