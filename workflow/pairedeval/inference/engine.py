"""Running one model over all conditions of one source, with a checkpoint after each condition."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from pairedeval.errors import ImageError, ModelError
from pairedeval.images import ImageStore
from pairedeval.inference.batches import Batches
from pairedeval.inference.checkpoints import Checkpoints
from pairedeval.inference.inputs import ImageSet, read_image_set
from pairedeval.inference.store import common_metadata, records_frame
from pairedeval.models.loaded import LoadedModel
from pairedeval.models.pool import load_model
from pairedeval.models.registry import ModelEntry
from pairedeval.models.versions import software_versions
from pairedeval.probes import Probes, write_probes
from pairedeval.progress import progress_bar
from pairedeval.records import write_records
from pairedeval.scoring import check_outputs, outside_mass, score_common
from pairedeval.seeds import digest


@dataclass(frozen=True)
class Execution:
    """How a model is run; see `pairedeval.models.pool.load_model` for device and precision.

    Attributes
    ----------
    device, precision
        Where, and in which arithmetic.
    batch_size
        Images a forward pass; batches never mix conditions.
    threads
        CPU threads of the model, and threads that decode images.
    """

    device: str = "auto"
    precision: str = "float32"
    batch_size: int = 256
    threads: int = 1


@dataclass(frozen=True)
class _Condition:
    """One condition, the image set that holds it, and a digest of its images."""

    name: str
    store: ImageStore
    digest: str

    def read(self, image_id: str) -> np.ndarray:
        return self.store.read(self.name, image_id)


@dataclass(frozen=True)
class _Outputs:
    """Outputs over the candidates per condition, and the mass of the other classes."""

    model: LoadedModel
    candidates: dict[str, np.ndarray]
    outside: dict[str, np.ndarray]


def infer_records(
    entry: ModelEntry,
    weights: str | Path | None,
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
    checkpoints, results = _infer(entry, weights, images, stores, work, templates, execution)
    frames = [
        records_frame(
            condition,
            images.image_ids,
            images.labels,
            images.splits,
            score_common(outputs, images.labels, results.model.scoring),
        )
        for condition, outputs in results.candidates.items()
    ]
    metadata = _metadata(entry, images, execution, facts)
    write_records(pd.concat(frames, ignore_index=True), output, metadata)
    checkpoints.remove()


def infer_probes(
    entry: ModelEntry,
    weights: str | Path | None,
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
    checkpoints, results = _infer(entry, weights, images, stores, work, templates, execution)
    probes = Probes(
        outputs=np.stack(list(results.candidates.values())),
        outside=np.stack(list(results.outside.values())),
        variants=tuple(results.candidates),
        image_ids=images.image_ids,
        labels=images.labels,
        splits=images.splits,
        candidates=images.classes.ids,
        scoring=results.model.scoring,
        scale=results.model.scale,
        bias=results.model.bias,
        metadata=_metadata(entry, images, execution, facts),
    )
    write_probes(probes, output)
    checkpoints.remove()


def _infer(
    entry: ModelEntry,
    weights: str | Path | None,
    images: ImageSet,
    stores: Sequence[str | Path],
    work: str | Path,
    templates: Sequence[str],
    execution: Execution,
) -> tuple[Checkpoints, _Outputs]:
    """Run the model on every condition that has no checkpoint yet."""
    torch.set_num_threads(execution.threads)
    model = load_model(
        entry,
        weights,
        images.classes,
        templates=templates,
        device=execution.device,
        precision=execution.precision,
    )
    checkpoints = Checkpoints(work, _identity(model, entry, weights, images, execution))
    columns = _candidate_columns(model, images)
    results = _Outputs(model, {}, {})
    batches = Batches(model, execution.batch_size, execution.threads)
    with ExitStack() as stack:
        conditions = _conditions([stack.enter_context(ImageStore(path)) for path in stores], images.image_ids)
        total = len(conditions) * len(images.image_ids)
        progress = stack.enter_context(progress_bar(total, model.name, "img"))
        for condition in conditions:
            progress.set_description(f"{model.name} {condition.name}", refresh=False)
            outputs = checkpoints.load(condition.name, condition.digest)
            if outputs is None:
                outputs = batches.run(condition.read, images.image_ids, progress.update)
                check_outputs(outputs, images.image_ids, len(model.class_ids), model.name, condition.name)
                checkpoints.save(condition.name, condition.digest, outputs)
            else:
                # Finished before: not part of the shown speed.
                progress.total -= len(images.image_ids)
            results.candidates[condition.name] = outputs[:, columns]
            results.outside[condition.name] = outside_mass(outputs, columns)
    return checkpoints, results


def _conditions(stores: Sequence[ImageStore], image_ids: Sequence[str]) -> list[_Condition]:
    """List the conditions of all image sets, in the order of the sets."""
    found: dict[str, _Condition] = {}
    for store in stores:
        for name in store.conditions:
            if name in found:
                raise ImageError(
                    f"{store.path}: condition {name} also stands in {found[name].store.path}; keep it in one set"
                )
            found[name] = _Condition(name, store, store.fingerprint(name, image_ids))
    return list(found.values())


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
    model: LoadedModel, entry: ModelEntry, weights: str | Path | None, images: ImageSet, execution: Execution
) -> str:
    """Digest everything but the images that determines the bits of the outputs."""
    if weights is None:
        content = entry.weights
    else:
        with Path(weights).open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
    return digest(
        content,
        repr(entry),
        model.preprocessing,
        model.device.type,
        execution.precision,
        execution.batch_size,
        execution.threads,
        "\n".join(images.image_ids),
        software_versions(),
    )
