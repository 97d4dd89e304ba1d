"""The layout of our own table on capture settings: whether one of them carries the gain of the corruption mean."""

from collections.abc import Callable, Collection

import pandas as pd

from pairedeval.report.names import MINUS, counted, ordered_sources, source_name
from pairedeval.report.probe_rows import NAMES, NATURAL, NO_ENTRY, PRIMARY, label_notes
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.screening_rows import RECALL_NOTE, legend, whole
from pairedeval.report.table import Column, Rows, Table, Value
from pairedeval.screening.captures import NO_FACTOR

# Baselines as the results name them, and their scores.
BASELINES = {"confidence": "confidence", "natural": NATURAL}
FACTORS = {NO_FACTOR: "all conditions", "light": "light", "iso": "ISO", "shutter": "shutter", "aperture": "aperture"}


def captures_table(
    captures: pd.DataFrame, simulated: Collection[str] = (), label_changing: Collection[str] = ()
) -> Table:
    """Lay out how the recall differences depend on the settings of the captures (Appendix E.3).

    Parameters
    ----------
    captures
        Rows per source and factor with `levels`, `conditions`, `undefined` (counts); and for clean confidence and the
        natural mean `positive_...` (conditions), `lowest_level_...` and `lowest_deleted_...` (shares).
    simulated
        Sources with simulated data.
    label_changing
        Natural transforms that do not keep the class of every image.
    """
    measured = [f"{what}_{name}" for what in ("positive", "lowest_level", "lowest_deleted") for name in BASELINES]
    need_columns(captures, ("source", "factor", "levels", "conditions", "undefined", *measured), "table_captures")
    value = lookup(captures, ["source", "factor"])
    columns = [Column("source", "Source"), Column("factor", "Factor"), Column("levels", "Levels", "count")]
    columns.append(Column("conditions", "Conditions", "count"))
    for score in BASELINES.values():
        key, above = f"recall_q20_u_minus_{NAMES[score].key}", f"{{U}} {MINUS} {NAMES[score].symbol}"
        columns += [
            Column(f"{key}_positive", "positive", "count", above),
            Column(f"{key}_lowest_level", "lowest level", "number", above, 3, signed=True),
            Column(f"{key}_lowest_without", "lowest without", "number", above, 3, signed=True),
        ]
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            FACTORS[factor],
            NO_ENTRY if factor == NO_FACTOR else int(value("levels", source, factor)),
            int(value("conditions", source, factor)),
            *(entry for name in BASELINES for entry in _factor_entries(value, source, factor, name)),
        )
        for source in ordered_sources(captures["source"])
        for factor in FACTORS
        if not pd.isna(value("levels", source, factor))
    )
    empty = {source: whole(value("undefined", source, NO_FACTOR)) for source in ordered_sources(captures["source"])}
    notes = [
        "Each mild condition contributes its difference in recall, averaged over models; conditions count equally. "
        "Positive: conditions with a positive difference. Lowest level: smallest mean over the conditions of one level "
        "of the factor; in the first row, mean over all conditions. Lowest without: smallest mean once the conditions "
        "of one level are left out. The factors are crossed settings, not independent replications.",
        legend(("confidence", PRIMARY, NATURAL)),
        RECALL_NOTE,
        *label_notes(label_changing),
    ]
    notes += [
        f"{source_name(source, simulated)}: {counted(count, 'condition')} without failures, left out of the means."
        for source, count in empty.items()
        if count
    ]
    title = "Differences in recall at {q} = 0.2 by capture setting, mean over models and mild conditions."
    return Table("table_captures", "", title, tuple(columns), rows, tuple(notes))


def _factor_entries(value: Callable[..., float], source: str, factor: str, name: str) -> tuple[Value, Value, Value]:
    """Return the entries of one comparison; all conditions together have a sign count, and no level to leave out."""
    lowest = value(f"lowest_level_{name}", source, factor)
    if factor == NO_FACTOR:
        return value(f"positive_{name}", source, factor), lowest, NO_ENTRY
    return NO_ENTRY, lowest, value(f"lowest_deleted_{name}", source, factor)
