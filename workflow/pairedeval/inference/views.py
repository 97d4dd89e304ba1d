"""Running one configuration on images and on their mildly changed versions: all training seeds at once.

An image is decoded once; the operators change it in memory, and each version passes through the networks of all seeds.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pairedeval.code import code_digest
from pairedeval.consistency.views import LEVELS, Views, write_views
from pairedeval.errors import PairedEvalError
from pairedeval.files import file_digest
from pairedeval.inference.checkpoints import Checkpoints
from pairedeval.inference.decoding import lost_workers_explained
from pairedeval.inference.engine import condition_outputs
from pairedeval.inference.execution import Execution, arranged, reproducible
from pairedeval.inference.inputs import ImageSet, read_image_set
from pairedeval.inference.view_cost import measure_cost
from pairedeval.inference.view_sets import ViewSets, operators_at, run_facts, view_ids, view_names
from pairedeval.models import variants
from pairedeval.models.configuration import Configuration, load_configuration
from pairedeval.models.pool import select_device
from pairedeval.models.registry import ModelEntry
from pairedeval.models.versions import software_versions
from pairedeval.perturb import operators as operators_module
from pairedeval.perturb.operator_table import Operator
from pairedeval.seeds import digest
from pairedeval.splits import SYN

TIMED_IMAGES = 200


@dataclass(frozen=True)
class Kind:
    """What is run for one kind of view file.

    Attributes
    ----------
    variant
        What the networks were trained on.
    levels
        Levels of the operators.
    timed
        Whether the cost is measured as well.
    """

    variant: str
    levels: tuple[int, ...] = LEVELS[:1]
    timed: bool = False


KINDS = {
    "levels": Kind(variants.MAIN, LEVELS, timed=True),
    "shifted": Kind(variants.MAIN),
    "rare": Kind(variants.RARE),
    "withheld": Kind(variants.WITHHELD),
}


def run_views(
    entry: ModelEntry,
    weights: Sequence[str | Path],
    kind: str,
    *,
    index: str | Path,
    stores: Sequence[str | Path],
    operators: str | Path,
    output: str | Path,
    work: str | Path,
    seed: int,
    facts: Mapping[str, Any],
    execution: Execution | None = None,
) -> None:
    """Run the networks of one configuration on every view of the ``syn`` images and write a view file.

    A killed job goes on at the first condition that it had not finished.

    Parameters
    ----------
    entry
        Model of the registry.
    weights
        Weight file of each training seed, in the order of the seeds.
    kind
        One of `KINDS`.
    index
        ``results/<study>/images/index.parquet``.
    stores
        Image sets; their conditions become those of the view file.
    operators
        ``resources/conditions/operators.csv``.
    output
        ``results/<study>/consistency/views/<kind>/<model>.npz``.
    work
        Folder for checkpoints of this job alone; removed at the end.
    seed
        Seed of the study, from which the randomness of the operators is derived.
    facts
        Metadata of the study: study, config_digest, simulated.
    execution
        How the networks are run.

    Raises
    ------
    PairedEvalError
        If the kind is unknown, weights, operators or images cannot be used, or an output is not finite.
    """
    import cv2

    # The workers share the cores among themselves, and the cost is that of one; the pixels do not depend on it.
    cv2.setNumThreads(1)
    execution = execution or Execution()
    if kind not in KINDS:
        raise PairedEvalError(f"{kind} is no kind of view file; choose {', '.join(KINDS)}")
    chosen = operators_at(operators, KINDS[kind].levels)
    images = read_image_set(index, SYN)
    with ExitStack() as stack:
        stack.enter_context(lost_workers_explained())
        stack.enter_context(reproducible(execution.computing_threads(select_device(execution.device))))
        configuration = load_configuration(
            entry,
            weights,
            KINDS[kind].variant,
            images.classes,
            device=execution.device,
            precision=execution.precision,
        )
        sets = stack.enter_context(ViewSets(stores, chosen, seed))
        checkpoints = _checkpoints(work, configuration, entry, weights, images, chosen, seed, execution)
        logits = _logits(configuration, images, chosen, sets, checkpoints, execution)
        cost = _cost(configuration, images, chosen, sets, seed, execution) if KINDS[kind].timed else {}
        conditions = sets.conditions
    views = Views(
        logits=logits,
        conditions=conditions,
        views=view_names(chosen),
        image_ids=images.image_ids,
        labels=variants.labels_among(configuration.class_ids, images.classes.ids, images.labels),
        splits=images.splits,
        classes=configuration.class_ids,
        metadata={
            **facts,
            **configuration.facts,
            **cost,
            **run_facts(entry, kind, len(weights), execution),
        },
    )
    write_views(views, output)
    checkpoints.remove()


def _logits(
    configuration: Configuration,
    images: ImageSet,
    operators: Sequence[Operator],
    sets: ViewSets,
    checkpoints: Checkpoints,
    execution: Execution,
) -> np.ndarray:
    """Return the logits, float32, shape ``(seeds, conditions, views, images, classes)``."""
    model = arranged(configuration.side_by_side(), execution)
    with closing(
        condition_outputs(model, view_ids(images.image_ids, operators), sets, checkpoints, execution)
    ) as outputs:
        logits = np.stack([logits for _, logits in outputs])
    shape = (len(images.image_ids), 1 + len(operators), len(configuration.networks), len(configuration.class_ids))
    return np.ascontiguousarray(logits.reshape(-1, *shape).transpose(3, 0, 2, 1, 4))


def _checkpoints(
    work: str | Path,
    configuration: Configuration,
    entry: ModelEntry,
    weights: Sequence[str | Path],
    images: ImageSet,
    operators: Sequence[Operator],
    seed: int,
    execution: Execution,
) -> Checkpoints:
    """Return the checkpoints of a job, told from others by all that decides the bits of its outputs but the images."""
    network = configuration.networks[0]
    identity = digest(
        *map(file_digest, weights),
        repr(entry),
        network.preprocessing,
        *execution.origin(network.device),
        "\n".join(view_ids(images.image_ids, operators)),
        operators,
        code_digest(operators_module.__file__),
        seed,
        software_versions(),
    )
    shape = (
        len(images.image_ids) * (1 + len(operators)),
        len(configuration.networks) * len(configuration.class_ids),
    )
    return Checkpoints(work, identity, shape)


def _cost(
    configuration: Configuration,
    images: ImageSet,
    operators: Sequence[Operator],
    sets: ViewSets,
    seed: int,
    execution: Execution,
) -> dict[str, dict[str, float]]:
    """Return the cost at the default level, measured on the first images."""
    image_ids = images.image_ids[:TIMED_IMAGES]
    return {
        "cost": measure_cost(
            arranged(configuration.networks[0], execution),
            [sets.read(sets.conditions[0], view_id) for view_id in view_ids(image_ids, ())],
            image_ids,
            [operator for operator in operators if operator.level == LEVELS[0]],
            seed=seed,
            batch_size=execution.batch_size,
        )
    }
