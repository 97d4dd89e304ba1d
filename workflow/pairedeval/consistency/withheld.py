"""Detection of images of classes that a model was not trained on (Section 5.8).

The published study takes other data sets as foreign images. Here models are trained without two classes, and the images
of these are the foreign ones; they are nearer to the known ones than those of another data set.
"""

import pandas as pd

from pairedeval.consistency.attacks import scores_and_displacement
from pairedeval.consistency.comparisons import difference_from, quantity_intervals
from pairedeval.consistency.runs import RUN_KEYS, by_run
from pairedeval.consistency.shift import detection
from pairedeval.consistency.views import LEVELS, WITHHELD, Views
from pairedeval.errors import RecordsError
from pairedeval.records import CLEAN, EVALUATION


def measure_withheld(views: Views) -> pd.DataFrame:
    """Measure how well each score tells evaluation images of withheld classes from those of known ones.

    Parameters
    ----------
    views
        Views of one configuration, kind ``withheld``.

    Returns
    -------
    pandas.DataFrame
        One row per run and score: ``model``, ``group``, ``seed``, ``known_images``, ``withheld_images`` (counts),
        ``accuracy`` (of the known images), ``score`` and ``auroc`` (withheld against known images, rightly predicted or
        not; NaN without withheld images).

    Raises
    ------
    RecordsError
        If the file has no evaluation images of known classes, or lacks a view.
    """
    labels = views.labels[views.in_split(EVALUATION)]
    foreign = labels == WITHHELD
    if foreign.all():
        raise RecordsError(f"{views.metadata['model']}: no evaluation images of known classes; run the views again")
    tables = []
    for logits in views.at_level(LEVELS[0], CLEAN, EVALUATION):
        found = detection(scores_and_displacement(logits), foreign)
        facts = {
            "known_images": int((~foreign).sum()),
            "withheld_images": int(foreign.sum()),
            "accuracy": float((logits[0].argmax(axis=-1) == labels)[~foreign].mean()),
        }
        tables.append(pd.DataFrame({**facts, "score": list(found), "auroc": list(found.values())}))
    return by_run(views, tables)


def summarise_withheld(withheld: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Average the AUROC of each score over configurations and seeds, and compare it with that of confidence.

    Parameters
    ----------
    withheld
        Tables of `measure_withheld`, all configurations.
    seed
        Seed of the study.

    Returns
    -------
    pandas.DataFrame
        Rows per ``quantity`` (``auroc``, ``accuracy``, the same for every score, and ``minus_msp``) and ``score``, then
        the columns of `comparisons.quantity_intervals`.
    """
    compared = withheld.assign(minus_msp=difference_from(withheld, RUN_KEYS, "auroc", "score", "msp"))
    return quantity_intervals(compared, ["score"], ["auroc", "accuracy"], ["minus_msp"], seed)
