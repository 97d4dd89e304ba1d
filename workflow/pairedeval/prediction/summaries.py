"""What the comparisons of feature sets show: errors, gains, intervals, thresholds and deletions (Tables 43 to 46).

Errors are absolute differences of shares. A gain is the error of the baseline minus that of the extended set, so that
a positive one is an improvement. Every model weighs the same unless a column says ``group``: there, models are averaged
within their group first and every group weighs the same.
"""

import pandas as pd

from pairedeval.identification.levels import STRICTNESS
from pairedeval.prediction.feature_sets import Comparison, comparisons
from pairedeval.resampling import DRAWS, resampled_means
from pairedeval.states import conditional_mean

_SETTING = ["features", "source", "target"]
KEYS = [*_SETTING, "comparison", "step"]
# Practical thresholds: shares of the interquartile range of the target, and of the baseline's mean absolute error.
RANGE_SHARES = (0.025, 0.05, 0.1, 0.2)
ERROR_SHARES = (0.05, 0.1, 0.2)


def model_gains(predictions: pd.DataFrame) -> pd.DataFrame:
    """Compare the errors of two feature sets for every model, replicates averaged first (Appendix H.2).

    Parameters
    ----------
    predictions
        Table of `out_of_fold.predict_out_of_fold`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``features``, ``source``, ``target``, ``comparison``, ``step`` (see `feature_sets.Comparison`),
        ``deleted``, ``model`` and ``group``: ``baseline_error``, ``extended_error`` and ``gain``. Comparisons whose
        sets were not refitted without a group have rows of the full pool only.
    """
    keys = [*_SETTING, "deleted", "model", "group"]
    errors = predictions.assign(error=(predictions["predicted"] - predictions["actual"]).abs())
    means = {
        str(name): rows.groupby(keys, sort=False)["error"].mean()
        for name, rows in errors.groupby("feature_set", sort=False)
    }
    table = pd.concat([_gains(means, comparison) for comparison in comparisons()], ignore_index=True)
    return table[[*KEYS, "deleted", "model", "group", "baseline_error", "extended_error", "gain"]]


def _gains(means: "dict[str, pd.Series[float]]", comparison: Comparison) -> pd.DataFrame:
    sides = {"baseline_error": means[comparison.baseline], "extended_error": means[comparison.extended]}
    table = pd.concat(sides, axis=1, join="inner").reset_index()
    gain = table["baseline_error"] - table["extended_error"]
    return table.assign(gain=gain, comparison=comparison.name, step=comparison.step)


def deletion_gains(gains: pd.DataFrame) -> pd.DataFrame:
    """Average the gains of every refit without one group (Appendix I.2, Figure 8).

    Parameters
    ----------
    gains
        Result of `model_gains`.

    Returns
    -------
    pandas.DataFrame
        Rows per key of `KEYS` and ``deleted`` group: ``models`` (that are left), ``gain`` and ``group_gain``.
    """
    rows = gains[gains["deleted"] != ""]
    keys = [*KEYS, "deleted"]
    found = rows.groupby(keys, sort=False).agg(models=("gain", "size"), gain=("gain", "mean"))
    by_group = rows.groupby([*keys, "group"], sort=False)["gain"].mean()
    return found.assign(group_gain=by_group.groupby(keys, sort=False).mean()).reset_index()


def summarise_gains(gains: pd.DataFrame, targets: pd.DataFrame, seed: int, draws: int = DRAWS) -> pd.DataFrame:
    """Average the gains of the full pool, with intervals that reweight the model groups of stored errors.

    The intervals condition on the fits: they describe the pool, not the uncertainty of fitting or of other models.

    Parameters
    ----------
    gains
        Result of `model_gains`.
    targets
        Tables of `targets.pool_source` of all sources.
    seed, draws
        As for `resampling.resampled_means`.

    Returns
    -------
    pandas.DataFrame
        Rows per key of `KEYS`: ``models``; ``baseline_error`` and ``extended_error`` (mean absolute errors), ``gain``,
        ``lower``, ``upper``, ``relative_gain`` (share of the baseline's error); ``group_baseline_error``,
        ``group_gain``, ``group_lower``, ``group_upper``; ``target_range`` (interquartile range of the target in the
        full pool); ``deletions``, ``positive_deletions``, ``deletion_lowest`` and ``deletion_highest`` (gains of the
        refits without a group, NaN without one).
    """
    full = gains[gains["deleted"] == ""]
    errors = ["baseline_error", "extended_error"]
    grouped = full.groupby(KEYS, sort=False)
    summary = grouped[errors].mean().assign(models=grouped.size())
    by_group = full.groupby([*KEYS, "group"], sort=False)[[*errors, "gain"]].mean().reset_index()
    summary = summary.join(_intervals(full, seed, draws)).join(_intervals(by_group, seed, draws).add_prefix("group_"))
    relative = conditional_mean(summary["gain"].to_numpy(), summary["baseline_error"].to_numpy())
    group_error = by_group.groupby(KEYS, sort=False)["baseline_error"].mean()
    summary = summary.assign(relative_gain=relative, group_baseline_error=group_error)
    summary = summary.join(_deletion_range(deletion_gains(gains)))
    for name in ("deletions", "positive_deletions"):
        summary[name] = summary[name].fillna(0).astype(int)
    return _with_ranges(summary.reset_index(), targets)


def _intervals(rows: pd.DataFrame, seed: int, draws: int) -> pd.DataFrame:
    found = resampled_means(rows, KEYS, ["gain"], seed, draws).rename(columns={"mean": "gain"})
    return found.set_index(KEYS)[["gain", "lower", "upper"]]


def _deletion_range(deletions: pd.DataFrame) -> pd.DataFrame:
    marked = deletions.assign(positive=deletions["gain"] > STRICTNESS)
    return marked.groupby(KEYS, sort=False).agg(
        deletions=("gain", "size"),
        positive_deletions=("positive", "sum"),
        deletion_lowest=("gain", "min"),
        deletion_highest=("gain", "max"),
    )


def _with_ranges(summary: pd.DataFrame, targets: pd.DataFrame) -> pd.DataFrame:
    by_source = targets.groupby("source", sort=False)[summary["target"].unique().tolist()]
    ranges = by_source.quantile(0.75) - by_source.quantile(0.25)
    places = zip(summary["source"], summary["target"], strict=True)
    return summary.assign(target_range=[ranges.loc[source, target] for source, target in places])


def practical_thresholds(summary: pd.DataFrame) -> pd.DataFrame:
    """Compare every gain with thresholds of practical size (Appendix I.2).

    Parameters
    ----------
    summary
        Result of `summarise_gains`.

    Returns
    -------
    pandas.DataFrame
        Rows per key of `KEYS`, ``weighting`` (``model`` or ``group``), ``rule`` (``target range`` or ``baseline
        error``) and ``share`` of it: ``threshold``, ``reached`` (the gain is at least as large), ``established`` (so is
        the lower end of its interval) and ``excluded`` (the upper end is smaller).
    """
    tables = []
    for weighting, prefix in (("model", ""), ("group", "group_")):
        scales = {
            "target range": (summary["target_range"], RANGE_SHARES),
            "baseline error": (summary[f"{prefix}baseline_error"], ERROR_SHARES),
        }
        gain, lower, upper = (summary[f"{prefix}{name}"] for name in ("gain", "lower", "upper"))
        for rule, (scale, shares) in scales.items():
            tables += [
                summary[KEYS].assign(
                    weighting=weighting,
                    rule=rule,
                    share=share,
                    threshold=share * scale,
                    reached=gain >= share * scale,
                    established=lower >= share * scale,
                    excluded=upper < share * scale,
                )
                for share in shares
            ]
    return pd.concat(tables, ignore_index=True)
