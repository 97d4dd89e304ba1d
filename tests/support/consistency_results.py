"""Everything that the page on decision consistency reads, from simulated view files."""

from functools import cache

import numpy as np
import pandas as pd

from pairedeval.consistency.findings import compare_findings, read_findings
from pairedeval.consistency.margins import inequality_check
from pairedeval.consistency.operator_subsets import measure_subsets
from pairedeval.consistency.summaries import summarise_runs
from pairedeval.consistency.views import LEVELS, OPERATORS
from support.consistency_frames import MODELS, example_frames
from support.consistency_views import KINDS, example_views

SEED = 1


def example_results(findings: str) -> dict[str, pd.DataFrame]:
    """Return the frames by the name of their file.

    Parameters
    ----------
    findings
        Path of the published findings.
    """
    return {name: frame.copy() for name, frame in _results(findings).items()}


@cache
def _results(findings: str) -> dict[str, pd.DataFrame]:
    frames = example_frames(draws=20, severities=("2",))
    views = {kind: [example_views(kind, model, model[0], 2) for model in MODELS] for kind in KINDS}
    frames["subsets"] = pd.concat([measure_subsets(files) for files in views["levels"]], ignore_index=True)
    frames["inequality"] = pd.concat([inequality_check(files) for kind in KINDS for files in views[kind]])
    published = compare_findings(read_findings(findings), frames)
    kept = {name: frames[name] for name in ("models", "certificate", "cost", "detection_differences")}
    return (
        kept
        | summarise_runs(frames, SEED)
        | {"operator_audit": _audit(), "published": published, "timings": _timings()}
    )


def _audit() -> pd.DataFrame:
    rows = [(operator, level) for operator in OPERATORS for level in LEVELS]
    audit = pd.DataFrame(rows, columns=["operator", "level"])
    return audit.assign(mean_distance=np.linspace(0.1, 0.01, len(audit)), unchanged=0.0, images=120)


def _timings() -> pd.DataFrame:
    return pd.DataFrame({"rule": ["run_views"], "jobs": [4], "seconds": [12.5], "max_memory_mb": [300.0]})
