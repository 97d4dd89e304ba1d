"""The layout of the tables on errors by confidence: fixed coverage, the 5% risk rule, probability gaps (Appendix F)."""

from collections.abc import Callable, Collection

import pandas as pd

from pairedeval.report.names import TIERS, check_tiers, counted, listed, ordered_sources, source_name
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.table import Column, Rows, Table
from pairedeval.resampling import DRAWS

ALL_TIERS = "all tiers"
# Printed points of the risk-coverage curve.
COVERAGES = {"risk_at_20": "20%", "risk_at_40": "40%", "risk_at_60": "60%", "risk_at_100": "100%"}
SIDES = {"development": "Clean development", "clean": "Clean", "perturbed": "Perturbed"}
GAPS = ("low", "middle", "high")
FATES = {"correction": ("r", "right"), "persistent_error": ("s", "same error"), "changed_error": ("w", "other error")}


def table_fixed_coverage(risks: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the error rates among the most confident images at fixed coverages.

    Parameters
    ----------
    risks
        Rows per source, tier and quantity with `mean`, `lower`, `upper` (shares) and `cells`.
    simulated
        Sources with simulated data.
    """
    need_columns(risks, ("source", "tier", "quantity", "mean", "lower", "upper", "cells"), "table_fixed_coverage")
    value = lookup(risks, ["source", "tier", "quantity"])
    columns = (
        Column("source", "Source"),
        Column("tier", "Tier"),
        Column("cells", "Cells", "count"),
        Column("clean_risk_80_pct", "Clean", "share", "Errors at 80% coverage (%)"),
        Column("perturbed_risk_80_pct", "Perturbed", "interval", "Errors at 80% coverage (%)"),
        Column("risk_80_increase_pp", "Increase", "interval", "Errors at 80% coverage (%)", signed=True),
        *(
            Column(f"perturbed_{quantity}_pct", coverage, "share", "Errors of perturbed images at coverage (%)")
            for quantity, coverage in COVERAGES.items()
        ),
    )
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            tier,
            int(value("cells", source, tier, "perturbed_risk")),
            value("mean", source, tier, "clean_risk"),
            *(_percent(value, source, tier, quantity) for quantity in ("perturbed_risk", "risk_increase")),
            *(value("mean", source, tier, quantity) for quantity in COVERAGES),
        )
        for source, tier in _tiers(risks, "table_fixed_coverage")
    )
    notes = (
        "At 80% coverage each side keeps the most confident four fifths of its evaluation images, a whole number, so "
        "all sides and conditions keep equally many, but not the same images. A frozen threshold does not do that.",
        "Images of equal confidence at the boundary count as in a random order. The columns on the right do not round "
        f"the number of images. Brackets: 95% interval from {DRAWS:,} draws of the model groups.",
    )
    title = "Error rate among the most confident images at fixed coverages, mean over cells."
    return Table("table_fixed_coverage", "", title, columns, rows, notes)


def table_risk_rule(rule: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out what the 5% risk rule accepts on each side.

    Parameters
    ----------
    rule
        Rows per source and tier with coverage and risk of development, clean and perturbed records, `above_target`
        (shares), `cells`, `without_risk`, `models`, `models_without_rule` and `models_above_target`.
    simulated
        Sources with simulated data.
    """
    shares = [f"{side}_{name}" for side in SIDES for name in ("coverage", "risk")]
    counts = ("cells", "without_risk", "models", "models_without_rule", "models_above_target")
    need_columns(rule, ("source", "tier", *shares, "above_target", *counts), "table_risk_rule")
    value, tiers = lookup(rule, ["source", "tier"]), _tiers(rule, "table_risk_rule")
    columns = (
        Column("source", "Source"),
        Column("tier", "Tier"),
        Column("cells", "Cells", "count"),
        *(
            Column(f"{side}_{name}_pct", header, "share", f"{group} (%)")
            for side, group in SIDES.items()
            for name, header in (("coverage", "accepted"), ("risk", "errors"))
        ),
        Column("cells_above_5_pct", "Above 5% (% of cells)", "share", decimals=1),
    )
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            tier,
            int(value("cells", source, tier)),
            *(value(name, source, tier) for name in (*shares, "above_target")),
        )
        for source, tier in tiers
    )
    notes = [
        "Rule: of the clean development images, take the largest most confident part with at most 5% errors; accept "
        "all that is at least as confident as its last image. Images that tie with it count as in a random order while "
        "that part is sought; then all of them are accepted. Errors: among the accepted images.",
        "The rule controls no risk on other images. Clean, perturbed: evaluation images.",
        *_rule_notes(value, tiers, simulated),
    ]
    title = "Accepted images and their errors under the 5% risk rule, mean over cells."
    return Table("table_risk_rule", "", title, columns, rows, tuple(notes))


def table_probability_gap(gaps: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out what clean errors become, by the gap between the two largest clean probabilities.

    Parameters
    ----------
    gaps
        Rows per source, tier and gap (low, middle, high) with `correction`, `persistent_error`, `changed_error`
        (shares), `events`, `models` and `excluded_models`.
    simulated
        Sources with simulated data.
    """
    counts = ("events", "models", "excluded_models")
    need_columns(gaps, ("source", "tier", "gap", *FATES, *counts), "table_probability_gap")
    value, tiers = lookup(gaps, ["source", "tier", "gap"]), _tiers(gaps, "table_probability_gap")
    columns = (
        Column("source", "Source"),
        Column("tier", "Tier"),
        Column("gap", "Gap"),
        Column("events", "Events", "count"),
        *(Column(f"{symbol}_pct", f"{words}, {symbol}", "share", "Then (%)") for symbol, words in FATES.values()),
    )
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            tier,
            gap,
            int(value("events", source, tier, gap)),
            *(value(fate, source, tier, gap) for fate in FATES),
        )
        for source, tier in tiers
        for gap in GAPS
    )
    notes = (
        "Gap: largest minus second largest probability of the unperturbed image. The groups are cut at the thirds of "
        "the gaps of a model's clean development errors. Events: one model, condition and evaluation image that the "
        "model gets wrong without perturbation, all weighted equally.",
        "Confidence on the unperturbed image is not held fixed: the shares describe and give no cause. Gaps are known "
        "for the probed base images, not for those of Syn.",
        *_excluded_notes(value, tiers, simulated),
    )
    title = "What wrong answers on unperturbed images become, by their probability gap."
    return Table("table_probability_gap", "", title, columns, rows, notes)


def _percent(value: Callable[..., float], *key: str) -> tuple[float, float, float]:
    """Return a mean and its interval times 100, as intervals are printed unscaled."""
    mean, lower, upper = (100 * value(name, *key) for name in ("mean", "lower", "upper"))
    return mean, lower, upper


def _tiers(frame: pd.DataFrame, table: str) -> list[tuple[str, str]]:
    """Return the sources with their tiers; all tiers together come first where there are several."""
    check_tiers(frame["tier"], table, also=(ALL_TIERS,))
    rows = []
    for source in ordered_sources(frame["source"]):
        present = set(frame.loc[frame["source"] == source, "tier"])
        own = [tier for tier in TIERS if tier in present]
        rows += [(source, tier) for tier in ([ALL_TIERS, *own] if len(own) > 1 else own)]
    return rows


def _rule_notes(value: Callable[..., float], tiers: list[tuple[str, str]], simulated: Collection[str]) -> list[str]:
    """Say where there is no rule, where ties lift the errors that set it, and where nothing is accepted."""
    reasons = {
        "models_without_rule": (
            "model",
            "No part of the development images has so few errors, so there is no rule, for",
        ),
        "models_above_target": ("model", "Ties lift the errors of the development images above 5% for"),
        "without_risk": ("cell", "No perturbed image is accepted, so there is no error rate, in"),
    }
    notes = []
    for column, (noun, sentence) in reasons.items():
        counts = _of_sources(value, column, tiers, simulated)
        if counts:
            notes.append(f"{sentence} {listed(f'{counted(count, noun)} of {name}' for name, count in counts.items())}.")
    return notes


def _excluded_notes(value: Callable[..., float], tiers: list[tuple[str, str]], simulated: Collection[str]) -> list[str]:
    excluded = _of_sources(lambda name, *key: value(name, *key, GAPS[0]), "excluded_models", tiers, simulated)
    if not excluded:
        return []
    models = listed(f"{counted(count, 'model')} of {name}" for name, count in excluded.items())
    return [f"Left out for fewer than six clean development errors: {models}."]


def _of_sources(
    value: Callable[..., float], column: str, tiers: list[tuple[str, str]], simulated: Collection[str]
) -> dict[str, int]:
    """Return a positive count of each whole source by printed name; its first row holds all its tiers."""
    first: dict[str, str] = {}
    for source, tier in tiers:
        first.setdefault(source, tier)
    counts = {source_name(source, simulated): int(value(column, source, tier)) for source, tier in first.items()}
    return {name: count for name, count in counts.items() if count}
