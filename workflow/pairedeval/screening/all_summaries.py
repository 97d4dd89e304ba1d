"""Everything that the report reads of the screening, from the tables of all sources together."""

import pandas as pd

from pairedeval.screening.captures import summarise_captures
from pairedeval.screening.differences import summarise_differences
from pairedeval.screening.facts import summarise_facts
from pairedeval.screening.probe_summaries import summarise_probes, summarise_selection, summarise_subset_sizes
from pairedeval.screening.summaries import (
    mild_gains,
    summarise_ablation,
    summarise_ceilings,
    summarise_gains,
    summarise_means,
    summarise_terciles,
)
from pairedeval.screening.tidy import ScreeningTables


def summarise_screening(tables: ScreeningTables, captures: pd.DataFrame, seed: int) -> dict[str, pd.DataFrame]:
    """Make every summary.

    Parameters
    ----------
    tables
        Tables of all sources together.
    captures
        Conditions of the recaptures, see `captures.summarise_captures`.
    seed
        Seed of the study, for the draws of model groups.

    Returns
    -------
    dict
        Summaries by name, which is that of the output and, after ``screening_``, of the file.
    """
    means = summarise_means(tables.cells)
    differences = summarise_differences(tables.cells, tables.draws, seed)
    gains = mild_gains(tables.cells)
    return {
        "means": means,
        "differences": differences,
        "ceilings": summarise_ceilings(tables.cells),
        "ablation": summarise_ablation(tables.cells),
        "terciles": summarise_terciles(tables.terciles),
        "groups": summarise_gains(gains, "group"),
        "models": summarise_gains(gains, "model"),
        "subset_sizes": summarise_subset_sizes(tables.subsets, means),
        "probes": summarise_probes(tables.subsets, means),
        "captures": summarise_captures(gains, captures),
        "selection": summarise_selection(tables.selected, differences),
        "facts": summarise_facts(tables.cells, tables.fits, tables.images),
    }
