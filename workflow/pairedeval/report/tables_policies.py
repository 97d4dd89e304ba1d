"""The layout of the tables on rejection policies (Tables 4 and 12 to 15)."""

from collections.abc import Collection
from typing import Literal

import pandas as pd

from pairedeval.errors import PairedEvalError
from pairedeval.report.names import (
    LEVELS,
    MINUS,
    TARGETS,
    condition_name,
    ordered_sources,
    simulated_sentence,
    source_name,
)
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.table import Column, Rows, Table

Grid = Literal["panel", "full"]
GRIDS: dict[Grid, str] = {"panel": "in the panel", "full": "on the full grid"}
PRIMARY_WEIGHT = 0.5
ALL_SOURCES = "all"
# Additional orderings: what is compared, and at which level.
ORDERINGS = (
    ("Shared correspondence", "shared correspondence vs separate sharp cost intervals", "I5", "shared"),
    ("Correctness overlap", "marginal records vs added correctness overlap", "I0->Ik", "overlap"),
    ("Five-state", "correctness overlap vs added five-state counts", "Ik->I5", "states"),
)
OUTCOMES = ("minimax_better_cells", "minimax_worse_cells", "tied_cells")
NO_ENTRY = ""
MIXED = "Only pairs of policies count between which correct and wrong predictions switch acceptance."


def table_04(
    orderings: pd.DataFrame, selection: pd.DataFrame, simulated: Collection[str] = (), grid: Grid = "panel"
) -> Table:
    """Lay out additional certified orderings and realized selection over all cells (Table 4).

    Parameters
    ----------
    orderings
        Rows per source, weight, cost and gain with `cells`, `gaining_cells` and `gaining_share`, those of all cells
        under the source ``all``.
    selection
        Rows per source and weight with `cells`, `minimax_better_cells`, `minimax_worse_cells` and `tied_cells`.
    simulated
        Sources with simulated data.
    grid
        Which cells were compared.
    """
    gains = at_weight(transition_orderings(orderings, "table_04"), "table_04")
    value = lookup(gains[gains["source"] == ALL_SOURCES], ["gain"])
    need_columns(selection, ("source", "weight", "cells", *OUTCOMES), "table_04")
    outcome = lookup(at_weight(selection, "table_04"), ["source"])
    columns = (
        Column("comparison", "Question"),
        Column("compared", "Comparison"),
        Column("information_level", "Level"),
        Column("cells", "Cells", "count", "More orderings"),
        Column("cells_of", "of", "count", "More orderings"),
        Column("cells_pct", "%", "share", "More orderings", decimals=1),
        Column("minimax_lower_cells", "lower", "count", "Cost of minimax regret (cells)"),
        Column("minimax_higher_cells", "higher", "count", "Cost of minimax regret (cells)"),
        Column("equal_cells", "equal", "count", "Cost of minimax regret (cells)"),
    )
    counts = ("gaining_cells", "cells", "gaining_share")
    rows: Rows = tuple(
        (f"{what} extra orderings", compared, level, *(value(count, gain) for count in counts), *[NO_ENTRY] * 3)
        for what, compared, level, gain in ORDERINGS
    )
    chosen = ("Minimax vs feasible mean realized cost", "minimax-regret vs feasible-mean selection", "I5")
    rows += ((*chosen, *[NO_ENTRY] * 3, *(outcome(name, ALL_SOURCES) for name in OUTCOMES)),)
    title = f"Policy comparisons and selection {GRIDS[grid]}, at cost weight {PRIMARY_WEIGHT:g}."
    notes = (
        "More orderings: cells with an additional pair of policies of which one has the lower transition cost under "
        f"every feasible correspondence. {MIXED} The counts can overlap.",
        "The feasible mean weights all feasible correspondences equally; costs are compared under the observed one.",
        *filter(None, [simulated_sentence(simulated)]),
    )
    return Table("table_04", "Table 4", title, columns, rows, notes)


def table_12(orderings: pd.DataFrame, simulated: Collection[str] = (), grid: Grid = "panel") -> Table:
    """Lay out the cells with an additional strict policy comparison per source (Table 12).

    Parameters as for `table_04`.
    """
    gains = at_weight(transition_orderings(orderings, "table_12"), "table_12")
    value = lookup(gains, ["source", "gain"])
    columns = (
        Column("source", "Source"),
        Column("cells", "Cells", "count"),
        Column("shared_pi_cells", "Shared", "count"),
        Column("plus_k_cells", "+k", "count"),
        Column("plus_5_cells", "+5", "count"),
    )
    rows: Rows = tuple(
        (
            "Total" if source == ALL_SOURCES else source_name(source, simulated),
            value("cells", source, "shared"),
            *(value("gaining_cells", source, gain) for *_, gain in ORDERINGS),
        )
        for source in ordered_sources(gains["source"])
    )
    title = f"Cells {GRIDS[grid]} with at least one additional strict policy comparison, at cost weight 0.5."
    notes = (
        "Shared: differences under one common correspondence against separate sharp intervals, both at {I5}. "
        f"+k: {{Ik}} against {{I0}}. +5: {{I5}} against {{Ik}}. {MIXED}",
    )
    return Table("table_12", "Table 12", title, columns, rows, notes)


def table_13(selection: pd.DataFrame, simulated: Collection[str] = (), grid: Grid = "panel") -> Table:
    """Lay out the mean realized regret of both selection rules per source (Table 13).

    Parameters
    ----------
    selection
        As for `table_04`, with `regret_feasible_mean` and `regret_minimax` (mean over cells, shares).
    simulated, grid
        As for `table_04`.
    """
    regrets = ("regret_feasible_mean", "regret_minimax")
    need_columns(selection, ("source", "weight", "cells", *regrets, *OUTCOMES), "table_13")
    rows_of_sources = at_weight(selection, "table_13")
    value = lookup(rows_of_sources, ["source"])
    columns = (
        Column("source", "Source"),
        Column("cells", "Cells", "count"),
        Column("regret_feasible_mean_pp", "Feasible mean", "share", decimals=6),
        Column("regret_minimax_pp", "Minimax", "share", decimals=6),
        *_outcome_columns(),
    )
    rows: Rows = tuple(
        (source_name(source, simulated), *(value(name, source) for name in ("cells", *regrets, *OUTCOMES)))
        for source in ordered_sources(rows_of_sources["source"])
        if source != ALL_SOURCES
    )
    title = f"Mean realized regret {GRIDS[grid]} at {{I5}} and cost weight 0.5, in percentage points."
    notes = (
        "Regret: cost of the selected policy minus that of the cheapest one, under the observed correspondence. "
        "Better, Worse, Tied: cells in which minimax regret costs less, more and as much as the feasible mean.",
    )
    return Table("table_13", "Table 13", title, columns, rows, notes)


def table_14(selection: pd.DataFrame, simulated: Collection[str] = (), grid: Grid = "panel") -> Table:
    """Lay out realized selection over all cost weights (Table 14).

    Parameters
    ----------
    selection
        As for `table_04`, with `regret_reduction` (mean over cells, share).
    simulated, grid
        As for `table_04`.
    """
    need_columns(selection, ("source", "weight", "cells", "regret_reduction", *OUTCOMES), "table_14")
    everything = selection[selection["source"] == ALL_SOURCES].sort_values("weight")
    columns = (
        Column("lambda", "Weight", "number", decimals=1),
        Column("delta_regret_pp", "Reduction", "share", decimals=6),
        *_outcome_columns(),
    )
    rows: Rows = tuple(
        tuple(float(row[name]) for name in ("weight", "regret_reduction", *OUTCOMES))
        for row in everything.to_dict("records")
    )
    title = f"Realized policy selection {GRIDS[grid]} at {{I5}} for every cost weight."
    notes = (
        "Weight: share of accepted-error transitions in the cost, the rest counts lost acceptances. Reduction: mean "
        "regret of the feasible mean minus that of minimax regret, in percentage points, all cells weighted equally; a "
        "negative value favors the feasible mean. Better, Worse, Tied: cells in which minimax regret costs less, more "
        "and as much.",
        *filter(None, [simulated_sentence(simulated)]),
    )
    return Table("table_14", "Table 14", title, columns, rows, notes)


def table_15(intervals: pd.DataFrame, pair: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the intervals of one recaptured cell (Table 15).

    Parameters
    ----------
    intervals
        Rows per target and level of the cell with `lower`, `upper` and `observed` (shares).
    pair
        One row with the cell and a pair of policies; see `pairedeval.policies.illustration.illustrate`.
    simulated
        Sources with simulated data.
    """
    need_columns(intervals, ("target", "level", "lower", "upper", "observed"), "table_15")
    value = lookup(intervals, ["target", "level"])
    ends = [(level, end, name) for level in LEVELS for end, name in (("lower", "lo"), ("upper", "hi"))]
    columns = (
        Column("target", "Target"),
        Column("unit", "Unit"),
        *(Column(f"{level.lower()}_{name}", end, "share", f"{{{level}}}") for level, end, name in ends),
        Column("observed", "Observed", "share"),
    )
    rows: Rows = tuple(
        (
            target,
            "probability points" if target == "dM_k" else "pp",
            *(value(end, target, level) for level, end, _ in ends),
            value("observed", target, "I5"),
        )
        for target in TARGETS
    )
    title = "Sharp intervals and observed values of one recaptured cell, in percentage points or probability points."
    return Table("table_15", "Table 15", title, columns, rows, (_cell_note(pair, simulated), *_pair_notes(pair)))


def transition_orderings(orderings: pd.DataFrame, place: str) -> pd.DataFrame:
    """Keep the orderings by the transition cost, which Tables 4 and 12 and Figure 5 show."""
    need_columns(orderings, ("source", "weight", "cost", "gain", "cells", "gaining_cells", "gaining_share"), place)
    return orderings[orderings["cost"] == "transition"]


def at_weight(frame: pd.DataFrame, place: str) -> pd.DataFrame:
    """Keep the rows of the primary cost weight."""
    rows = frame[(frame["weight"] - PRIMARY_WEIGHT).abs() < 1e-9]
    if rows.empty:
        raise PairedEvalError(f"{place}: no results at cost weight {PRIMARY_WEIGHT:g}; compare policies at it as well")
    return rows


def cell_words(pair: "pd.Series[float]", simulated: Collection[str]) -> str:
    """Name the illustrated cell."""
    source = source_name(str(pair["source"]), simulated)
    return f"{pair['model']} on {source}, condition {condition_name(str(pair['condition']))}"


def interval_words(low: float, high: float) -> str:
    """Write an interval in percentage points.

    Examples
    --------
    >>> interval_words(0.149, 0.184)
    '[14.9, 18.4]'
    """
    return f"[{points(low)}, {points(high)}]"


def points(share: float, decimals: int = 1) -> str:
    """Write a share in percentage points; a rounded zero has no sign.

    Examples
    --------
    >>> points(-0.015), points(-0.0001)
    ('−1.5', '0.0')
    """
    text = f"{100 * share:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", MINUS)


def _outcome_columns() -> tuple[Column, ...]:
    names = zip(OUTCOMES, ("Better", "Worse", "Tied"), strict=True)
    return tuple(Column(key, header, "count") for key, header in names)


def _cell_note(pair: pd.DataFrame, simulated: Collection[str]) -> str:
    row = pair.iloc[0]
    return (
        f"{cell_words(row, simulated)}: {int(row['images']):,} evaluation images. Of the recaptured cells of the panel "
        "that have an ordering which only a common correspondence establishes, it is the one whose interval of {H} at "
        "{I0} is closest to the median width."
    )


def _pair_notes(pair: pd.DataFrame) -> list[str]:
    row = pair.iloc[0]
    if pd.isna(row["policy_coverage"]):
        return ["No recaptured cell of the panel has such an ordering; the rule chose among all of them."]
    first, second = (f"{100 * row[f'{who}_coverage']:.0f}%" for who in ("policy", "other"))
    costs = [interval_words(row[f"{who}_lower"], row[f"{who}_upper"]) for who in ("policy", "other")]
    return [
        f"Policies of {first} and {second} clean coverage (thresholds {row['policy_threshold']:.6f} and "
        f"{row['other_threshold']:.6f}): their costs at {{I5}} lie in {costs[0]} and {costs[1]}. The first exceeds the "
        f"second by at most {points(row['separate_upper'])} by separate intervals, by at most "
        f"{points(row['difference_upper'])} under one common correspondence."
    ]
