"""Running one model over all conditions of one source, with a checkpoint after each condition."""

import hashlib
import logging
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import ModelError
from pairedeval.inference.batches import Batches
from pairedeval.inference.checkpoints import Checkpoints
from pairedeval.inference.decoding import Decoder, lost_workers_explained
from pairedeval.inference.execution import Execution, arranged, reproducible
from pairedeval.inference.inputs import ImageSet, read_image_set
from pairedeval.inference.sets import ImageSets
from pairedeval.inference.store import common_metadata, records_frame
from pairedeval.models.loaded import LoadedModel
from pairedeval.models.pool import load_model, select_device
from pairedeval.models.registry import ModelEntry
from pairedeval.models.versions import software_versions
from pairedeval.probes import Probes, write_probes
from pairedeval.progress import progress_bar
from pairedeval.records import write_records
from pairedeval.scoring import check_outputs, outside_mass, score_common
from pairedeval.seeds import digest


@dataclass(frozen=True)
class _Run:
    """A model at work on a source.

    Attributes
    ----------
    model
        The model.
    outputs
        Conditions with the outputs over all classes of the model, shape ``(images, classes)``, one after the other.
    candidates
        Output column of each candidate class.
    checkpoints
        Where the outputs are kept until the result is in place.
    """

    model: LoadedModel
    outputs: Iterator[tuple[str, np.ndarray]]
    candidates: np.ndarray
    checkpoints: Checkpoints


def infer_records(
    entry: ModelEntry,
    weights: str | Path,
    *,
    index: str | Path,
    stores: Sequence[str | Path],
    role: str,
    output: str | Path,
    work: str | Path,
    facts: Mapping[str, Any],
    templates: Sequence[str] = (),
    execution: Execution | None = None,
) -> None:
    """Run one model on one source and write its records.

    Parameters
    ----------
    entry, weights, templates
        See `pairedeval.models.pool.load_model`.
    index
        ``results/<study>/images/index.parquet``.
    stores
        Image sets; together their conditions are those of the source, `clean` included.
    role
        Role of the images: ``syn`` or ``base``.
    output
        ``results/<study>/records/<source>/<model>.parquet``.
    work
        Folder for checkpoints of this job alone; removed at the end.
    facts
        Metadata of the study: study, source, config_digest, simulated.
    execution
        How the model is run.

    Raises
    ------
    ModelError, ImageError
        If weights or images cannot be read or the outputs cannot be scored.
    """
    images = read_image_set(index, role)
    execution = execution or Execution()
    with _started(entry, weights, images, stores, work, templates, execution) as run:
        frames = [
            records_frame(
                condition,
                images.image_ids,
                images.labels,
                images.splits,
                score_common(outputs[:, run.candidates], images.labels, run.model.scoring),
            )
            for condition, outputs in run.outputs
        ]
    write_records(pd.concat(frames, ignore_index=True), output, _metadata(entry, images, execution, facts))
    run.checkpoints.remove()


def infer_probes(
    entry: ModelEntry,
    weights: str | Path,
    *,
    index: str | Path,
    stores: Sequence[str | Path],
    output: str | Path,
    work: str | Path,
    facts: Mapping[str, Any],
    role: str = "base",
    templates: Sequence[str] = (),
    execution: Execution | None = None,
) -> None:
    """Run one model on every variant of the base images and write its outputs as ``probes/<model>.npz``.

    Parameters and errors are those of `infer_records`.
    """
    images = read_image_set(index, role)
    execution = execution or Execution()
    variants, candidates, outside = [], [], []
    with _started(entry, weights, images, stores, work, templates, execution) as run:
        for condition, outputs in run.outputs:
            variants.append(condition)
            candidates.append(outputs[:, run.candidates])
            outside.append(outside_mass(outputs, run.candidates))
    probes = Probes(
        outputs=np.stack(candidates),
        outside=np.stack(outside),
        variants=tuple(variants),
        image_ids=images.image_ids,
        labels=images.labels,
        splits=images.splits,
        candidates=images.classes.ids,
        scoring=run.model.scoring,
        scale=run.model.scale,
        bias=run.model.bias,
        metadata=_metadata(entry, images, execution, facts),
    )
    write_probes(probes, output)
    run.checkpoints.remove()


@contextmanager
def _started(
    entry: ModelEntry,
    weights: str | Path,
    images: ImageSet,
    stores: Sequence[str | Path],
    work: str | Path,
    templates: Sequence[str],
    execution: Execution,
) -> Iterator[_Run]:
    """Load a model and put it to work; the outputs are computed, or read from checkpoints, as they are asked for."""
    with ExitStack() as stack:
        stack.enter_context(lost_workers_explained())
        stack.enter_context(reproducible(execution.computing_threads(select_device(execution.device))))
        model = load_model(
            entry,
            weights,
            images.classes,
            templates=templates,
            device=execution.device,
            precision=execution.precision,
        )
        candidates = _candidate_columns(model, images)
        shape = (len(images.image_ids), len(model.class_ids))
        checkpoints = Checkpoints(work, _identity(model, entry, weights, images, execution), shape)
        sets = stack.enter_context(ImageSets(stores))
        outputs = condition_outputs(arranged(model, execution), images.image_ids, sets, checkpoints, execution)
        yield _Run(model, stack.enter_context(closing(outputs)), candidates, checkpoints)


def condition_outputs(
    model: LoadedModel, image_ids: Sequence[str], sets: ImageSets, checkpoints: Checkpoints, execution: Execution
) -> Generator[tuple[str, np.ndarray]]:
    """Yield the outputs of every condition in turn, computed only where there is no checkpoint yet.

    Parameters
    ----------
    model
        Model ready for inference, see `pairedeval.inference.execution.arranged`.
    image_ids
        Images of every condition.
    sets
        The images.
    checkpoints
        Where outputs are found, and kept before they are yielded.
    execution
        How the model is run.

    Yields
    ------
    condition, outputs
        float32 over all classes of the model, shape ``(images, classes)``.

    Raises
    ------
    PairedEvalError
        If an image cannot be read, an output cannot be scored, or memory does not suffice.
    """
    digests = {condition: sets.fingerprint(condition, image_ids) for condition in sets.conditions}
    stored = {condition: checkpoints.load(condition, images) for condition, images in digests.items()}
    missing = [condition for condition, outputs in stored.items() if outputs is None]
    total = len(missing) * len(image_ids)
    batches = Batches(model, execution.batch_size, _decoder(model, sets, execution))
    start = time.perf_counter()
    with (
        progress_bar(total, model.name, "img") as progress,
        closing(batches.run(missing, image_ids, progress.update)) as computed,
    ):
        for condition, images in digests.items():
            outputs = stored.pop(condition)
            if outputs is None:
                progress.set_description(f"{model.name} {condition}", refresh=False)
                outputs = next(computed)
                check_outputs(outputs, image_ids, len(model.class_ids), model.name, condition)
                checkpoints.save(condition, images, outputs)
            yield condition, outputs
    seconds = time.perf_counter() - start
    logging.getLogger(__name__).info(
        f"{model.name} on {model.device}: {total} images, {total / seconds:.1f} img/s, "
        f"{batches.waited / seconds:.0%} of the time spent waiting for decoded images"
    )


def _decoder(model: LoadedModel, sets: ImageSets, execution: Execution) -> Decoder:
    return Decoder(
        sets.read,
        model.preprocess,
        workers=execution.decoders(model.device),
        start=sets.reopen,
        pinned=model.device.type == "cuda",
    )


def _metadata(entry: ModelEntry, images: ImageSet, execution: Execution, facts: Mapping[str, Any]) -> dict[str, Any]:
    shared = common_metadata(images.classes.ids, software_versions())
    return {**shared, "model": entry.model, "group": entry.group, "precision": execution.precision, **facts}


def _candidate_columns(model: LoadedModel, images: ImageSet) -> np.ndarray:
    """Return the output column of each candidate."""
    column = {class_id: position for position, class_id in enumerate(model.class_ids)}
    absent = [class_id for class_id in images.classes.ids if class_id not in column]
    if absent:
        raise ModelError(
            f"{model.name}: no output for class {absent[0]}; choose a model that knows all classes of the study"
        )
    return np.array([column[class_id] for class_id in images.classes.ids])


def _identity(
    model: LoadedModel, entry: ModelEntry, weights: str | Path, images: ImageSet, execution: Execution
) -> str:
    """Digest everything but the images that determines the bits of the outputs."""
    with Path(weights).open("rb") as file:
        content = hashlib.file_digest(file, "sha256")
    return digest(
        content.hexdigest(),
        repr(entry),
        model.preprocessing,
        *execution.origin(model.device),
        "\n".join(images.image_ids),
        software_versions(),
    )
