"""What the jobs of a study took, from the files that Snakemake's ``benchmark:`` writes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from pairedeval.errors import PairedEvalError


def collect_timings(benchmarks: Sequence[str | Path], folder: str | Path) -> pd.DataFrame:
    """Add up the benchmark files of each rule.

    Parameters
    ----------
    benchmarks
        Files ``<folder>/<rule>.tsv`` or ``<folder>/<rule>/<wildcards>.tsv``.
    folder
        The folder of all benchmarks.

    Returns
    -------
    DataFrame
        One row per rule, in order of first appearance: `rule`, `jobs`, `seconds` (wall clock, added up) and
        `max_memory_mb` (largest resident set; NaN if every job was too short to be measured).
    """
    rows = []
    for path in map(Path, benchmarks):
        rule = path.relative_to(folder).parts[0].removesuffix(".tsv")
        try:
            measured = pd.read_csv(path, sep="\t", na_values="-")
            rows.append((rule, float(measured["s"].iloc[0]), float(measured["max_rss"].iloc[0])))
        except (KeyError, IndexError, ValueError) as error:
            raise PairedEvalError(f"{path}: not a benchmark file of Snakemake; remove it and run again") from error
    frame = pd.DataFrame(rows, columns=["rule", "seconds", "memory"])
    timings = frame.groupby("rule", sort=False).agg(
        jobs=("seconds", "size"), seconds=("seconds", "sum"), max_memory_mb=("memory", "max")
    )
    return timings.reset_index().astype({"max_memory_mb": np.float64})
