"""The two halves of every model of one source: probe responses beside outcomes under the real conditions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pairedeval.errors import RecordsError
from pairedeval.records import EVALUATION, block, read_records
from pairedeval.screening.grouping import HALVES
from pairedeval.screening.responses import Half, align, read_responses
from pairedeval.tiers import LOWEST_ACCURACY, tier_of


@dataclass(frozen=True)
class ModelHalves:
    """Both halves of one model and source.

    Attributes
    ----------
    source, model, group
        What the records say.
    halves
        By the names `grouping.HALVES`; all images, clean-correct or not.
    """

    source: str
    model: str
    group: str
    halves: Mapping[str, Half]

    @property
    def conditions(self) -> tuple[str, ...]:
        """Real conditions, in the order of the records."""
        return self.halves[EVALUATION].conditions


def read_halves(
    responses: Iterable[str | Path], image_scores: Iterable[str | Path], records: Iterable[str | Path]
) -> Iterator[ModelHalves]:
    """Read the models of one source one after the other.

    Parameters
    ----------
    responses, image_scores, records
        One file a model each, the models in the same order.

    Raises
    ------
    RecordsError
        If files at the same place are of different models, or a model has another source, other conditions or other
        images than the first one.
    """
    first = None
    for paths in zip(responses, image_scores, records, strict=True):
        found = _read_model(*paths)
        first = first or found
        _check_alike(found, first, str(paths[2]))
        yield found


def _read_model(responses: str | Path, image_scores: str | Path, records: str | Path) -> ModelHalves:
    answered = read_responses(responses, image_scores)
    frame, metadata = read_records(records)
    if metadata["model"] != answered.model:
        raise RecordsError(
            f"{records}: records of {metadata['model']} beside responses of {answered.model}; "
            "list the files of the models in one order"
        )
    halves = {half: align(answered, block(frame, half, str(records))) for half in HALVES}
    return ModelHalves(metadata["source"], metadata["model"], metadata["group"], halves)


def _check_alike(found: ModelHalves, first: ModelHalves, place: str) -> None:
    if found.source != first.source:
        raise RecordsError(f"{place}: source {found.source} beside {first.source}; screen one source at a time")
    if found.conditions != first.conditions:
        other = sorted(set(found.conditions) ^ set(first.conditions))[0]
        raise RecordsError(f"{place}: only some models have condition {other}; infer it for the others first")
    for half in HALVES:
        if not np.array_equal(found.halves[half].responses.image_ids, first.halves[half].responses.image_ids):
            raise RecordsError(f"{place}: other {half} images than those of {first.model}; use one table of images")


def evaluation_tiers(models: Sequence[ModelHalves], lowest: Mapping[str, float] = LOWEST_ACCURACY) -> Mapping[str, str]:
    """Assign every condition to a tier by the models' mean accuracy on evaluation images (Table 24).

    Parameters
    ----------
    models
        All models of a source.
    lowest
        Lowest mean accuracy (share) of the tiers mild and severe, as for the tiers by development accuracy.
    """
    failures = [model.halves[EVALUATION].failures for model in models]
    correct = sum((~failed).sum(axis=1) for failed in failures)
    # One division of counts: with equally many images a model it is the mean over models, without its rounding.
    accuracy = correct / sum(failed.shape[1] for failed in failures)
    return dict(zip(models[0].conditions, tier_of(accuracy, lowest).tolist(), strict=True))
