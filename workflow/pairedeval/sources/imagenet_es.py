"""The captures of ImageNet-ES (screen) and ImageNet-ES Diverse (print) as image sets of the study (Section 3.3)."""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from pairedeval.errors import PairedEvalError
from pairedeval.files import read_table, write_json
from pairedeval.images import ImageStore, decode_image
from pairedeval.perturb.conditions import read_captures
from pairedeval.records import CLEAN
from pairedeval.sources.archives import CaptureArchive, Photographs, check_base, check_captures
from pairedeval.sources.facts import SourceFacts
from pairedeval.sources.photographs import Copy, copy_photographs
from pairedeval.splits import BASE

IDENTICAL, SAME_PIXELS, DIFFERENT = OUTCOMES = ("identical", "same_pixels", "different")


def extract_captures(
    source: str,
    *,
    archive: str | Path,
    facts: SourceFacts,
    index: str | Path,
    clean: str | Path,
    conditions: str | Path,
    target: str | Path,
    report: str | Path,
    workers: int = 1,
) -> None:
    """Write the captures of one source as an image set; the files keep their bytes.

    Parameters
    ----------
    source
        ``es`` or ``diverse``.
    archive
        The published ZIP.
    facts
        What is published about it.
    index, clean
        Index and unperturbed images of the study.
    conditions
        ``captures.csv``.
    target
        ZIP to write: conditions in the order of the table, base images within each.
    report
        JSON to write: what the archive holds, and how its displayed originals compare with the unperturbed images.
    workers
        Threads that decode every capture once.

    Raises
    ------
    PairedEvalError
        If the archive is not what was published, or an image in it is damaged.
    """
    captures = read_captures(conditions, source)
    with CaptureArchive(archive, facts.archive(source)) as opened:
        base = check_base(opened, facts.base)
        _check_index(index, base, source)
        found = check_captures(opened, captures, base)
        references = compare_references(opened, clean)
        total = len(found) * len(base)
        copy_photographs(_copies(opened, found), target, total=total, workers=workers)
    different = references[SAME_PIXELS] + references[DIFFERENT]
    if different:
        logging.warning(
            "%s: %s displayed originals differ from the validation images; see %s", archive, different, report
        )
    facts_found = {"conditions": len(found), "images": total, "references": references}
    write_json({"source": source, "archive": Path(archive).name, **facts_found}, report)


def compare_references(archive: CaptureArchive, clean: str | Path) -> dict[str, int]:
    """Count how the displayed originals compare with the unperturbed images of the study.

    The unperturbed side is the validation image in any case.

    Returns
    -------
    dict
        ``identical`` (the same file), ``same_pixels`` and ``different``.
    """
    counts = Counter[str]()
    with ImageStore(clean) as store:
        for image_id, photograph in archive.references.items():
            ours, theirs = store.read_bytes(CLEAN, image_id), archive.read(photograph)
            if ours == theirs:
                counts[IDENTICAL] += 1
            else:
                same = np.array_equal(store.read(CLEAN, image_id), decode_image(theirs, archive.place(photograph)))
                counts[SAME_PIXELS if same else DIFFERENT] += 1
    return {outcome: counts[outcome] for outcome in OUTCOMES}


def _copies(archive: CaptureArchive, conditions: Mapping[str, Photographs]) -> Iterator[Copy]:
    for condition, images in conditions.items():
        for image_id in sorted(images):
            photograph = images[image_id]
            yield Copy(condition, image_id, archive.read(photograph), archive.place(photograph))


def _check_index(index: str | Path, base: Mapping[str, str], source: str) -> None:
    frame = read_table(index, ["image_id", "class_id", "role"])
    rows = frame[frame["role"] == BASE]
    if dict(zip(rows["image_id"], rows["class_id"], strict=True)) != base:
        raise PairedEvalError(
            f"{index}: its base images are not those that the archive of {source} displays; prepare the images again"
        )
