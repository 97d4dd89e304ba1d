"""How far each trust score ranks errors better or worse than the softmax maximum, on the same images (Section 4.6)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pairedeval.consistency.risk_coverage import aurc
from pairedeval.consistency.runs import wrong_predictions
from pairedeval.consistency.scores import SCORES, trust_scores
from pairedeval.consistency.statistics import COLUMNS, DRAWS, hierarchical_interval, holm, image_draws
from pairedeval.consistency.views import LEVELS, REMEDY, Views
from pairedeval.errors import RecordsError
from pairedeval.records import CLEAN, EVALUATION
from pairedeval.screening.ranking import auroc

REFERENCE = "msp"
MEASURES = ("auroc", "aurc")


def detection_differences(configurations: Sequence[Views], seed: int, draws: int = DRAWS) -> pd.DataFrame:
    """Compare every trust score with the largest softmax probability as a detector of errors on clean images.

    Parameters
    ----------
    configurations
        Views of all configurations, kind ``levels``, on the same images.
    seed
        Seed of the study.
    draws
        Number of draws of configurations, seeds and images.

    Returns
    -------
    pandas.DataFrame
        Rows per ``score`` and ``measure`` (`MEASURES`): the columns of `statistics.hierarchical_interval` for the
        difference to `REFERENCE`, and ``p_holm``, the p-value adjusted for the scores of the measure. A higher AUROC
        and a lower AURC are better. AUROC is undefined for runs without errors.

    Raises
    ------
    RecordsError
        If configurations judge different images.
    """
    drawn = image_draws(_evaluation_images(configurations), seed, draws)
    measured = [_measure_runs(views, drawn) for views in configurations]
    rows = []
    for score in (name for name in SCORES if name != REFERENCE):
        place, reference = SCORES.index(score), SCORES.index(REFERENCE)
        for column, measure in enumerate(MEASURES):
            found = [runs[:, place, column] - runs[:, reference, column] for runs in measured]
            values, resampled = [runs[:, 0] for runs in found], [runs[:, 1:] for runs in found]
            summary = hierarchical_interval(values, seed, resampled, draws)
            rows.append({"score": score, "measure": measure} | summary)
    table = pd.DataFrame(rows, columns=["score", "measure", *COLUMNS])
    adjusted = table.groupby("measure")["p_value"].transform(lambda tests: holm(tests.to_numpy()))
    table.insert(list(table.columns).index("p_value") + 1, "p_holm", adjusted)
    return table


def _evaluation_images(configurations: Sequence[Views]) -> int:
    """Count the images that all configurations judge; they share each resample of the images."""
    judged = [np.asarray(views.image_ids)[views.in_split(EVALUATION)].tolist() for views in configurations]
    for views, images in zip(configurations, judged, strict=True):
        if images != judged[0]:
            raise RecordsError(
                f"{views.metadata['model']}: other evaluation images than {configurations[0].metadata['model']}; "
                f"{REMEDY}"
            )
    return len(judged[0])


def _measure_runs(views: Views, drawn: np.ndarray) -> np.ndarray:
    """Measure each run on all images and then under each draw, shape ``(seeds, scores, measures, 1 + draws)``."""
    weights = np.column_stack([np.ones(len(drawn), dtype=drawn.dtype), drawn])
    logits = views.at_level(LEVELS[0], CLEAN, EVALUATION)
    runs = []
    for run, wrong in zip(logits, wrong_predictions(views, logits), strict=True):
        risk = -np.stack(list(trust_scores(run).values()))
        runs.append(np.stack([measure(risk, wrong[np.newaxis], weights)[:, 0] for measure in (auroc, aurc)], axis=1))
    return np.stack(runs)
