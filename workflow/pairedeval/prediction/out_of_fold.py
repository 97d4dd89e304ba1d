"""Out-of-fold predictions of every feature source, target source, target and feature set (Appendices H.4 and I.4)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.prediction.feature_sets import BASE, DELETED_SETS, PERMUTED, TARGETS, UNPAIRED, Columns, feature_sets
from pairedeval.prediction.nested import Folds, nested_predictions

# The source of the base images, whose clean development accuracy stands for labelled images of the target.
BASE_SOURCE = "syn_b"
_COLUMNS = [
    "features",
    "source",
    "target",
    "feature_set",
    "replicate",
    "deleted",
    "model",
    "group",
    "actual",
    "predicted",
    "penalty",
]


def predict_out_of_fold(responses: pd.DataFrame, targets: pd.DataFrame) -> pd.DataFrame:
    """Predict every target from every feature set by models of other groups.

    Parameters
    ----------
    responses
        Tables of `features.describe_source` of all synthetic sources, among them `BASE_SOURCE`.
    targets
        Tables of `targets.pool_source` of all recaptured sources.

    Returns
    -------
    pandas.DataFrame
        Rows per ``features`` (synthetic source), ``source`` (of the target), ``target``, ``feature_set``, ``replicate``
        (from 1 for permuted features, else 0), ``deleted`` (group left out of the whole procedure, empty for the full
        pool) and ``model``: ``group``, ``actual``, ``predicted`` (shares) and ``penalty`` (of the outer fit).

    Raises
    ------
    RecordsError
        If models or groups differ between sources, a base source is missing, or there are fewer than three groups.
    """
    pool = targets[["model", "group"]].drop_duplicates(ignore_index=True)
    _check_pool(pool, responses, targets)
    group, names = pd.factorize(pool["group"], sort=True)
    folds = {deletions: Folds.of(group, deletions) for deletions in (False, True)}
    sources = targets["source"].drop_duplicates().tolist()
    actual = targets.set_index(["source", "model"])[[*TARGETS]]
    tables = []
    for features in responses["source"].drop_duplicates():
        values = _feature_values(responses, str(features), pool["model"].tolist())
        for target in TARGETS:
            wanted = np.stack([actual.loc[source, target][pool["model"]] for source in sources], axis=1)
            for name, columns in feature_sets(target).items():
                chosen = folds[name in DELETED_SETS]
                predicted, penalty = nested_predictions(feature_matrix(values, columns), wanted, chosen)
                table = _laid_out(predicted, penalty, wanted, chosen)
                permuted = any(form == PERMUTED for form, _ in columns)
                facts = {"features": features, "target": target, "feature_set": name}
                tables.append(table.assign(**facts, replicate=table["replicate"] + permuted))
    return _named(pd.concat(tables, ignore_index=True), pool, sources, names.tolist())


def feature_matrix(values: Mapping[tuple[str, str], np.ndarray], columns: Columns) -> np.ndarray:
    """Arrange the columns of a feature set, shape ``(replicates, models, features)``.

    Parameters
    ----------
    values
        Values per form and name, shape ``(replicates, models)``; one replicate unless the form is permuted.
    columns
        Features of the set.
    """
    replicates = max(len(values[column]) for column in columns)
    return np.stack(
        [np.broadcast_to(values[column], (replicates, values[column].shape[1])) for column in columns], axis=-1
    )


def _feature_values(responses: pd.DataFrame, source: str, models: Sequence[str]) -> dict[tuple[str, str], np.ndarray]:
    """Collect the features of one source and the clean accuracy on base images, models in the given order."""
    rows = responses[responses["source"] == source]
    base = responses[
        (responses["source"] == BASE_SOURCE)
        & (responses["form"] == UNPAIRED)
        & (responses["feature"] == "clean_accuracy")
    ]
    together = pd.concat([rows, base.assign(form=BASE)], ignore_index=True)
    values = {}
    for (form, feature), part in together.groupby(["form", "feature"], sort=False):
        places = pd.MultiIndex.from_product([np.unique(part["replicate"]), models])
        column = part.set_index(["replicate", "model"])["value"].reindex(places)
        values[str(form), str(feature)] = column.to_numpy().reshape(-1, len(models))
    return values


def _laid_out(predicted: np.ndarray, penalty: np.ndarray, actual: np.ndarray, folds: Folds) -> pd.DataFrame:
    """Turn arrays of shape ``(variants, replicates, models, targets)`` into rows, without the deleted models."""
    variant, replicate, model, source = (place.ravel() for place in np.indices(predicted.shape))
    columns = {
        "source": source,
        "replicate": replicate,
        "deleted": variant,
        "model": model,
        "actual": actual[model, source],
        "predicted": predicted.ravel(),
        "penalty": penalty.ravel(),
    }
    return pd.DataFrame(columns)[folds.kept[variant, model]]


def _named(table: pd.DataFrame, pool: pd.DataFrame, sources: Sequence[str], groups: Sequence[str]) -> pd.DataFrame:
    """Write names for the numbers of sources, deleted groups (0 for none) and models."""
    model = table["model"].to_numpy()
    names = {
        "source": pd.Index(sources).take(table["source"].to_numpy()),
        "deleted": pd.Index(["", *groups]).take(table["deleted"].to_numpy()),
        "model": pd.Index(pool["model"]).take(model),
        "group": pd.Index(pool["group"]).take(model),
    }
    return table.assign(**names)[_COLUMNS]


def _check_pool(pool: pd.DataFrame, responses: pd.DataFrame, targets: pd.DataFrame) -> None:
    """Every source needs the same models in the same groups, and the base images' source must be there."""
    if BASE_SOURCE not in set(responses["source"]):
        raise RecordsError(f"prediction needs the responses of {BASE_SOURCE}; describe them first")
    expected = set(pool.itertuples(index=False, name=None))
    for table in (responses, targets):
        for source, rows in table.groupby("source", sort=False):
            odd = expected ^ set(rows[["model", "group"]].drop_duplicates().itertuples(index=False, name=None))
            if odd:
                model = min(odd)[0]
                raise RecordsError(f"source {source}: model {model} is missing or in another group than elsewhere")
