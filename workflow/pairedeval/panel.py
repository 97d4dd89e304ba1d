"""The frozen panel: which model-condition cells get five-state and policy analyses (Appendix B.1).

The paper lists its 450 cells in its supplement only. This rule agrees with everything that its text states: each model
takes one condition of every stratum (a severity of the corruptions, a tier of the recaptures), and consecutive models
cycle through the stratum's conditions in canonical order. With 44 models, 2 + 2 + 3 + 3 strata give 440 cells and
condition coverage 18/18, 18/18, 54/54 and 113/162. Ten further cells stand for the paper's historical ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import pandas as pd

from pairedeval.errors import SettingsError

PANEL_COLUMNS = ("source", "model", "condition")
# Historical cells left after removing duplicates, per source, in the paper's shape.
PAPER_EXTRA_CELLS = {"syn": 2, "syn_b": 2, "es": 3, "diverse": 3}


def frozen_panel(
    models: Sequence[str], strata: pd.DataFrame, extra_cells: Mapping[str, int] | None = None
) -> pd.DataFrame:
    """Choose the cells of the panel by order alone, never by outcome.

    Parameters
    ----------
    models
        Models in their fixed order.
    strata
        Columns ``source``, ``condition`` and ``stratum``, in canonical condition order (type, severity or light,
        setting).
    extra_cells
        Further cells per source, `PAPER_EXTRA_CELLS` for the paper's shape. The j-th one gives model j the condition
        of the next model in the first stratum that makes a new cell, so they add no condition.

    Returns
    -------
    pandas.DataFrame
        ``source``, ``model``, ``condition``; by source in order of `strata`, then model, then stratum, extra cells
        last.

    Examples
    --------
    >>> strata = pd.DataFrame({"source": "es", "condition": ["k1", "k2"], "stratum": "mild"})
    >>> frozen_panel(["a", "b", "c"], strata)["condition"].tolist()
    ['k1', 'k2', 'k1']
    """
    cells: list[tuple[str, str, str]] = []
    for source, rows in strata.groupby("source", sort=False):
        groups = [group["condition"].tolist() for _, group in rows.groupby("stratum", sort=False)]
        chosen = [
            (str(source), model, str(conditions[place % len(conditions)]))
            for place, model in enumerate(models)
            for conditions in groups
        ]
        wanted = (extra_cells or {}).get(str(source), 0)
        cells += chosen + list(islice(_further_cells(str(source), models, groups, set(chosen)), wanted))
    return pd.DataFrame(cells, columns=list(PANEL_COLUMNS))


def _further_cells(
    source: str, models: Sequence[str], groups: list[list[str]], taken: set[tuple[str, str, str]]
) -> Iterator[tuple[str, str, str]]:
    """Yield new cells on conditions that the panel already covers, one model after the other."""
    for place, model in enumerate(models):
        for conditions in groups:
            covered = conditions[: len(models)]
            following = ((source, model, covered[(place + step) % len(covered)]) for step in range(1, len(covered)))
            new = next((cell for cell in following if cell not in taken), None)
            if new:
                yield new
                break


def strata_of(tiers: pd.DataFrame) -> pd.DataFrame:
    """Name the stratum of each condition: a corruption's severity, a recapture's tier.

    Parameters
    ----------
    tiers
        Columns ``source``, ``condition`` and ``tier``, in canonical condition order. Corruptions are those of sources
        whose condition ids are ``<type>-<severity>``.

    Examples
    --------
    >>> table = pd.DataFrame({"source": ["syn", "es"], "condition": ["fog-2", "l1-k01"], "tier": "mild"})
    >>> strata_of(table)["stratum"].tolist()
    ['severity 2', 'mild']
    """
    severity = tiers["condition"].str.extract(r"-(\d+)$", expand=False)
    stratum = ("severity " + severity).fillna(tiers["tier"])
    return tiers[["source", "condition"]].assign(stratum=stratum)


def read_panel(path: str | Path, models: Sequence[str], strata: pd.DataFrame) -> pd.DataFrame:
    """Read a given panel, such as the paper's own list, instead of choosing one.

    Parameters
    ----------
    path
        CSV file with the columns ``source``, ``model`` and ``condition``.
    models, strata
        What the study has, as for `frozen_panel`.

    Raises
    ------
    SettingsError
        If the file cannot be read, lacks a column, repeats a cell or names one that the study does not have.
    """
    try:
        panel = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: not a readable panel ({error}); give a CSV file or drop the setting") from error
    missing = [column for column in PANEL_COLUMNS if column not in panel.columns]
    if missing:
        raise SettingsError(f"{path}: missing column {missing[0]}; a panel has {', '.join(PANEL_COLUMNS)}")
    panel = panel[list(PANEL_COLUMNS)]
    known = set(zip(strata["source"], strata["condition"], strict=True))
    for row, (source, model, condition) in enumerate(panel.itertuples(index=False), start=2):
        if model not in models or (source, condition) not in known:
            raise SettingsError(f"{path}: line {row}: the study has no cell {source}, {model}, {condition}; remove it")
    if panel.duplicated().any():
        row = int(panel.duplicated().to_numpy().argmax()) + 2
        raise SettingsError(f"{path}: line {row}: the cell stands twice; keep one")
    return panel
