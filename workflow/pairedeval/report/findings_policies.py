"""Findings on rejection policies in words, made from tidy results."""

from collections.abc import Collection, Mapping

import pandas as pd

from pairedeval.report.findings import Finding
from pairedeval.report.names import counted, ordered_sources, source_name
from pairedeval.report.results import lookup
from pairedeval.report.tables_policies import (
    ALL_SOURCES,
    GRIDS,
    Grid,
    at_weight,
    cell_words,
    interval_words,
    points,
    transition_orderings,
)


def policy_findings(
    results: Mapping[str, pd.DataFrame], simulated: Collection[str] = (), grid: Grid = "panel"
) -> list[Finding]:
    """Say which orderings are certified, how selection turned out, and what an example looks like.

    Parameters
    ----------
    results
        Frames by the name of their file in ``analyses/``: `policy_orderings`, `policy_selection`, `policy_actions` and
        `policy_checks` of `pairedeval.policies.summaries`, `illustration_pair` of `pairedeval.policies.illustration`.
    simulated
        Sources with simulated data.
    grid
        Which cells were compared.
    """
    orderings, selection = results["policy_orderings"], results["policy_selection"]
    texts = {
        "policy_orderings": [_shared(orderings, simulated, grid), _added(orderings)],
        "policy_selection": [_selection(selection), _weights(selection)],
        "policy_actions": [_actions(results["policy_actions"])],
        "policy_checks": [_lemma(results["policy_checks"])],
        "illustration_pair": _example(results["illustration_pair"], simulated),
    }
    return [Finding(text, f"analyses/{name}.parquet") for name, found in texts.items() for text in found]


def _shared(orderings: pd.DataFrame, simulated: Collection[str], grid: Grid) -> str:
    gains = at_weight(transition_orderings(orderings, "findings"), "findings")
    value = lookup(gains[gains["gain"] == "shared"], ["source"])
    each = [
        f"{value('gaining_cells', source):,.0f} of {value('cells', source):,.0f} on {source_name(source, simulated)}"
        for source in ordered_sources(gains["source"])
        if source != ALL_SOURCES
    ]
    orders = counted(int(value("comparisons", ALL_SOURCES)), "pair")
    return (
        f"At equal weights of accepted errors and lost acceptance, one common correspondence orders {orders} of "
        f"rejection policies that separate cost intervals leave open, in {value('gaining_cells', ALL_SOURCES):,.0f} of "
        f"{value('cells', ALL_SOURCES):,.0f} cells {GRIDS[grid]} ({', '.join(each)})."
    )


def _added(orderings: pd.DataFrame) -> str:
    gains = at_weight(orderings, "findings")
    value = lookup(gains[gains["source"] == ALL_SOURCES], ["cost", "gain"])
    overlap, states = (
        f"{counted(int(value('comparisons', 'transition', gain)), 'ordering')} in "
        f"{counted(int(value('gaining_cells', 'transition', gain)), 'cell')}"
        for gain in ("overlap", "states")
    )
    natural = int(value("comparisons", "natural", "states"))
    end = f"they add {natural:,}" if natural else "they add none, as Corollary 1 states"
    return (
        f"Knowing the overlap per class adds {overlap} to what separate records establish; five-state counts then add "
        f"{states}. If the cost counts all accepted errors instead of transitions, {end}."
    )


def _selection(selection: pd.DataFrame) -> str:
    value = lookup(at_weight(selection, "findings"), ["source"])
    better, worse, tied = (int(value(name, ALL_SOURCES)) for name in _OUTCOMES)
    feasible, minimax, fixed = (
        points(value(f"regret_{rule}", ALL_SOURCES), 3) for rule in ("feasible_mean", "minimax", "fixed_80")
    )
    return (
        f"Under the observed pairs, selecting by minimax regret costs less than by the feasible mean in "
        f"{counted(better, 'cell')}, more in {worse:,} and the same in {tied:,}. The mean regret is {feasible} "
        f"percentage points for the feasible mean, {minimax} for minimax regret and {fixed} for the fixed threshold of "
        "80% coverage."
    )


_OUTCOMES = ("minimax_better_cells", "minimax_worse_cells", "tied_cells")


def _weights(selection: pd.DataFrame) -> str:
    reductions = selection.loc[selection["source"] == ALL_SOURCES, "regret_reduction"]
    # Mean regrets are sums of rounded costs: below this they are equal.
    favors_minimax, favors_mean = int((reductions > 1e-12).sum()), int((reductions < -1e-12).sum())
    return (
        f"Minimax regret does better on average at {favors_minimax} of {len(reductions)} cost weights and the feasible "
        f"mean at {favors_mean}; the mean difference lies between {points(reductions.min(), 3)} and "
        f"{points(reductions.max(), 3)} percentage points."
    )


def _actions(actions: pd.DataFrame) -> str:
    value = lookup(at_weight(actions, "findings"), ["source", "level"])
    separate, overlap, states = (int(value("single_action_cells", ALL_SOURCES, level)) for level in ("I0", "Ik", "I5"))
    cells = counted(int(value("cells", ALL_SOURCES, "I0")), "cell")
    return (
        "Once policies that always cost more than another are removed, a single distinct action is left in "
        f"{separate:,} of {cells} with separate records, in {overlap:,} with the overlap and in {states:,} with "
        "five-state counts."
    )


def _lemma(checks: pd.DataFrame) -> str:
    value = lookup(checks, ["source"])
    residual = 100 * value("lemma_residual", ALL_SOURCES)
    size = "exactly" if residual == 0 else f"to {residual:.1e} percentage points"
    return (
        f"The upper ends of all {value('bounds', ALL_SOURCES):,.0f} cost intervals follow {size} from the separate "
        "bounds of {H} and {L}, as Lemma 1 states."
    )


def _example(pair: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    row = pair.iloc[0]
    if pd.isna(row["policy_coverage"]):
        return []
    first, second = (f"{100 * row[f'{who}_coverage']:.0f}%" for who in ("policy", "other"))
    costs = [interval_words(row[f"{who}_lower"], row[f"{who}_upper"]) for who in ("policy", "other")]
    return [
        f"Example: {cell_words(row, simulated)}. The cost intervals of the policies with {first} and {second} clean "
        f"coverage, {costs[0]} and {costs[1]} percentage points, overlap. Under one common correspondence the first "
        f"costs at least {points(-row['difference_upper'])} points less. This holds from {{{row['first_level']}}} on."
    ]
