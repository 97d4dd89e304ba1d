"""Means over cells of the error rates by confidence, and pooled fates of clean errors (Appendix F)."""

import pandas as pd

from pairedeval.identification.correspondence_summaries import by_tier
from pairedeval.resampling import DRAWS, resampled_means
from pairedeval.selective.probability_gap import FATES, GAP_GROUPS
from pairedeval.selective.risk_rule import RISK_TARGET
from pairedeval.selective.tidy import CURVE_COLUMNS, EXCLUDED

_KEYS = ["source", "tier"]
_RULE_SHARES = [f"{side}_{name}" for side in ("development", "clean", "perturbed") for name in ("coverage", "risk")]


def summarise_fixed_coverage(cells: pd.DataFrame, seed: int, draws: int = DRAWS) -> pd.DataFrame:
    """Average the error rates at fixed coverages, cells weighted equally, with intervals from resampled model groups.

    Parameters
    ----------
    cells
        Table of `tidy.measure_fixed_coverage`, all models and sources.
    seed, draws
        As for `resampling.resampled_means`.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``tier`` (first all tiers together) and ``quantity`` (``clean_risk``, ``perturbed_risk``,
        ``risk_increase``, `CURVE_COLUMNS`), see `resampling.resampled_means`.
    """
    quantities = ["clean_risk", "perturbed_risk", "risk_increase", *CURVE_COLUMNS]
    return resampled_means(by_tier(cells), _KEYS, quantities, seed, draws)


def summarise_risk_rule(cells: pd.DataFrame) -> pd.DataFrame:
    """Average what the 5% risk rule accepts and how often it is wrong, cells weighted equally.

    Parameters
    ----------
    cells
        Table of `tidy.apply_risk_rule`, all models and sources.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source`` and ``tier`` (first all tiers together): the means of coverage and risk of development,
        clean and perturbed records, shares, over the cells where each is defined; ``above_target``, the share of the
        cells with a perturbed risk whose risk exceeds the target; ``cells`` (with a rule), ``without_risk`` (of these,
        nothing perturbed is accepted), ``models``, ``models_without_rule`` and ``models_above_target`` (ties lift the
        error rate of the development records above it).
    """
    marked = by_tier(cells).assign(
        above_target=lambda table: (table["perturbed_risk"] > RISK_TARGET).where(table["perturbed_risk"].notna()),
        ruled=lambda table: table["threshold"].notna(),
        lifted=lambda table: table["development_risk"] > RISK_TARGET,
    )
    grouped = marked.groupby(_KEYS, sort=False)
    summary = marked.astype({"above_target": float}).groupby(_KEYS, sort=False)[[*_RULE_SHARES, "above_target"]].mean()
    summary["cells"] = grouped["ruled"].sum()
    summary["without_risk"] = summary["cells"] - grouped["perturbed_risk"].count()
    models = marked.drop_duplicates([*_KEYS, "model"]).groupby(_KEYS, sort=False)
    summary["models"] = models.size()
    summary["models_without_rule"] = summary["models"] - models["ruled"].sum()
    summary["models_above_target"] = models["lifted"].sum()
    return summary.reset_index()


def summarise_gaps(counts: pd.DataFrame) -> pd.DataFrame:
    """Pool what clean errors become, by probability gap.

    Events are pairs of a condition and a clean error of a model. They are weighted equally, so models with many errors
    count more.

    Parameters
    ----------
    counts
        Table of `tidy.measure_gaps`, all models and sources.

    Returns
    -------
    pandas.DataFrame
        Rows per ``source``, ``tier`` (first all tiers together) and ``gap``: the shares ``correction`` (r),
        ``persistent_error`` (s) and ``changed_error`` (w) of the events, NaN where there are none; ``events``,
        ``models`` and ``excluded_models`` (too few development errors).
    """
    table = by_tier(counts)
    keys = table[_KEYS].drop_duplicates().merge(pd.Series(GAP_GROUPS, name="gap"), how="cross")
    grouped = table[table["gap"] != EXCLUDED].groupby([*_KEYS, "gap"])
    totals = grouped[["images", *FATES]].sum().assign(models=grouped["model"].nunique())
    excluded = table[table["gap"] == EXCLUDED].groupby(_KEYS)["model"].nunique().rename("excluded_models")
    found = keys.join(totals, on=[*_KEYS, "gap"]).join(excluded, on=_KEYS).fillna(0)
    events = found["images"].astype(int)
    shares = found[list(FATES)].div(events.where(events > 0), axis=0)
    whole = found[["models", "excluded_models"]].astype(int)
    return pd.concat([keys, shares, events.rename("events"), whole], axis=1)
