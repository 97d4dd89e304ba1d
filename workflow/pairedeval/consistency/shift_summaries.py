"""Means over configurations and seeds of what scores tell about corrupted images, by family (Section 5.6)."""

from collections.abc import Sequence

import pandas as pd

from pairedeval.consistency.comparisons import difference_from, quantity_intervals
from pairedeval.consistency.robustness import rank_correlation
from pairedeval.consistency.runs import RUN_KEYS
from pairedeval.consistency.shift import SHIFT_COLUMNS, by_family
from pairedeval.consistency.transfer import ADDED, BASE, SAME

_CELL = (*RUN_KEYS, "condition")
# Gains in AUROC: of CS over the margin, and of LS and CD added to confidence and margin, trained on the same shift.
GAINS = ("consistency_gain", "added_gain")


def summarise_shift(shift: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Average the AUROC of each score, and compare it with those of confidence and of the margin.

    Parameters
    ----------
    shift
        Tables of `shift.measure_shift`, all configurations.
    seed
        Seed of the study.

    Returns
    -------
    pandas.DataFrame
        Rows per ``family`` (first all families), ``score`` and ``quantity`` (``auroc``, ``minus_msp``,
        ``minus_margin``), see `_family_intervals`.
    """
    columns = {f"minus_{name}": difference_from(shift, _CELL, "auroc", "score", name) for name in ("msp", "margin")}
    return _family_intervals(shift.assign(**columns), ["score"], ["auroc"], [*columns], seed)


def summarise_transfer(transfer: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Average the AUROC of both feature sets, and the gain from adding LS and CD, by what the models were trained on.

    Parameters
    ----------
    transfer
        Tables of `transfer.measure_transfer`, all configurations.
    seed
        Seed of the study.

    Returns
    -------
    pandas.DataFrame
        Rows per ``family`` (first all families), ``training`` and ``quantity`` (``base``, ``added``, ``gain``), see
        `_family_intervals`; and ``unfitted_cells``, the cells of ``undefined_cells`` whose training images shared one
        outcome.
    """
    gains = transfer_gains(transfer)
    found = _family_intervals(gains, ["training"], [BASE, ADDED], ["gain"], seed)
    unfitted = (~by_family(gains).set_index(["family", "training"])["fitted"]).groupby(level=[0, 1]).sum()
    return found.merge(unfitted.rename("unfitted_cells").reset_index(), on=["family", "training"], how="left")


def summarise_estimators(estimators: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Average the absolute error of each estimate of accuracy.

    Parameters
    ----------
    estimators
        Tables of `estimators.estimate_accuracy`, all configurations.
    seed
        Seed of the study.

    Returns
    -------
    pandas.DataFrame
        Rows per ``family`` (first all families), ``estimator`` and ``quantity``: ``absolute_error`` and ``error``
        (estimate minus accuracy, positive if too high), see `_family_intervals`.
    """
    signed = estimators.assign(error=estimators["estimate"] - estimators["accuracy"])
    return _family_intervals(signed, ["estimator"], ["absolute_error"], ["error"], seed)


def transfer_gains(transfer: pd.DataFrame) -> pd.DataFrame:
    """Set both feature sets of each cell side by side.

    Parameters
    ----------
    transfer
        Tables of `transfer.measure_transfer`.

    Returns
    -------
    pandas.DataFrame
        Rows per run, condition and ``training``: ``model``, ``group``, ``seed``, ``condition``, ``corruption``,
        ``severity``, ``family``, ``training``, ``fitted``, ``base`` and ``added`` (AUROC) and ``gain``, the latter
        minus the former.
    """
    cell = [*_CELL, "training"]
    sides = [transfer[transfer["features"] == name].rename(columns={"auroc": name}) for name in (ADDED, BASE)]
    rows = sides[0].merge(sides[1][[*cell, BASE]], on=cell, how="left", validate="one_to_one")
    rows["gain"] = rows[ADDED] - rows[BASE]
    return rows[[*RUN_KEYS, *SHIFT_COLUMNS, "training", "fitted", BASE, ADDED, "gain"]]


def run_gains(shift: pd.DataFrame, transfer: pd.DataFrame) -> pd.DataFrame:
    """Set what consistency gains in each run and condition beside how overconfident the run is.

    Parameters
    ----------
    shift
        Tables of `shift.measure_shift`.
    transfer
        Tables of `transfer.measure_transfer` of the same configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per run and condition: ``model``, ``group``, ``seed``, ``condition``, ``corruption``, ``severity``,
        ``family``, ``accuracy``, ``overconfidence`` and `GAINS`.
    """
    gain = difference_from(shift, _CELL, "auroc", "score", "margin").rename(GAINS[0])
    cells = shift.join(gain)[shift["score"] == "consistency"]
    added = transfer_gains(transfer)
    added = added.loc[added["training"] == SAME, [*_CELL, "gain"]].rename(columns={"gain": GAINS[1]})
    cells = cells.merge(added, on=[*_CELL], how="left", validate="one_to_one")
    return cells[[*RUN_KEYS, *SHIFT_COLUMNS, "accuracy", "overconfidence", *GAINS]]


def gains_by_condition(gains: pd.DataFrame) -> pd.DataFrame:
    """Average the gains of each condition over all runs (Figure 4).

    Parameters
    ----------
    gains
        Table of `run_gains`, all configurations.

    Returns
    -------
    pandas.DataFrame
        Rows per condition: ``condition``, ``corruption``, ``severity``, ``family``, the means ``accuracy``,
        ``overconfidence`` and of `GAINS` over the runs that have a value, ``runs``, and for either gain
        ``undefined_<gain>``, the number of runs without.
    """
    grouped = gains.groupby([*SHIFT_COLUMNS], sort=False)
    found = grouped[["accuracy", "overconfidence", *GAINS]].mean()
    found["runs"] = grouped.size()
    for gain in GAINS:
        found[f"undefined_{gain}"] = found["runs"] - grouped[gain].count()
    return found.reset_index()


def correlate_gains(conditions: pd.DataFrame) -> pd.DataFrame:
    """Correlate the gains with overconfidence over the conditions (Spearman).

    Parameters
    ----------
    conditions
        Table of `gains_by_condition`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``gain`` and ``points``: every ``condition``, or every ``corruption``, its severities averaged, like a
        point of the published figure; ``correlation``, ``p_value`` (see `robustness.rank_correlation`; points are
        taken as independent), ``used`` and ``undefined`` (numbers of points with and without a gain).
    """
    rows = []
    for gain in GAINS:
        for points in ("condition", "corruption"):
            means = conditions.groupby(points, sort=False)[["overconfidence", gain]].mean()
            defined = means.dropna()
            found = rank_correlation(*defined.to_numpy().T)
            rows.append((gain, points, *found, len(defined), len(means) - len(defined)))
    return pd.DataFrame(rows, columns=["gain", "points", "correlation", "p_value", "used", "undefined"])


def _family_intervals(
    frame: pd.DataFrame, keys: Sequence[str], levels: Sequence[str], differences: Sequence[str], seed: int
) -> pd.DataFrame:
    """Average columns over the conditions of each family within each run, then over configurations and seeds.

    Returns ``family``, `keys`, ``quantity``, the columns of `comparisons.quantity_intervals`, and ``cells`` and
    ``undefined_cells``, the numbers of runs and conditions with and without a value.
    """
    cells, rows, columns = by_family(frame), ["family", *keys], [*levels, *differences]
    runs = cells.groupby([*rows, "model", "seed"], sort=False)[columns].mean().reset_index()
    found = quantity_intervals(runs, rows, levels, differences, seed)
    values = cells.melt(rows, columns, "quantity", "value").groupby([*rows, "quantity"], sort=False)["value"]
    counts = pd.DataFrame({"cells": values.count(), "undefined_cells": values.size() - values.count()}).reset_index()
    return found.merge(counts, on=[*rows, "quantity"], how="left", validate="one_to_one")
