"""How many numbers of each table and part of the text agree."""

import pandas as pd

from pairedeval.scorecard.compare import DIFFERS, VERDICTS

ACCEPTED = "accepted"
WHOLE = "All"


def summarise_numbers(numbers: pd.DataFrame) -> pd.DataFrame:
    """Count the verdicts of each group of numbers.

    Parameters
    ----------
    numbers
        Rows with ``group``, ``verdict`` and ``tolerated``, groups in printed order.

    Returns
    -------
    pandas.DataFrame
        Rows per ``group``, then `WHOLE` for all of them: ``numbers``, a column for each of `compare.VERDICTS`, and
        `ACCEPTED`, how many of those that differ are accepted.

    Examples
    --------
    >>> rows = [("Table 6", "differs", True), ("Table 6", "within rounding", False), ("Table 7", "differs", False)]
    >>> found = summarise_numbers(pd.DataFrame(rows, columns=["group", "verdict", "tolerated"]))
    >>> found[["group", "numbers", "differs", "accepted"]].values.tolist()
    [['Table 6', 2, 1, 1], ['Table 7', 1, 1, 0], ['All', 3, 2, 1]]
    """
    whole = pd.concat([numbers, numbers.assign(group=WHOLE)])
    counts = pd.DataFrame({verdict: whole["verdict"] == verdict for verdict in VERDICTS})
    counts[ACCEPTED] = (whole["verdict"] == DIFFERS) & whole["tolerated"]
    sums = counts.assign(numbers=1).groupby(whole["group"], sort=False).sum()
    return sums.reset_index()[["group", "numbers", *VERDICTS, ACCEPTED]]


def failures(numbers: pd.DataFrame, counts: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the numbers that differ without being accepted, and the counts that do not agree."""
    return numbers[(numbers["verdict"] == DIFFERS) & ~numbers["tolerated"]], counts[~counts["agrees"]]
