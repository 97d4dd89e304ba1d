"""Jobs as Snakemake hands them to scripts, without running Snakemake."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from snakemake.iocontainers import InputFiles, Log, OutputFiles, Params, ResourceList, Snakemake, Wildcards

import pairedeval

CONFIG = {"study": "own", "seed": 7, "policies": {"weights": [0.5]}}


def snakemake_job(
    rule: str,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    params: Mapping[str, Any] | None = None,
    wildcards: Mapping[str, str] | None = None,
    config: Mapping[str, Any] = CONFIG,
    log: str = "results/own/logs/rule.log",
) -> Snakemake:
    """Return what a script of this rule sees as `snakemake`; paths are relative to the current folder."""
    return Snakemake(
        InputFiles(toclone=list(inputs)),
        OutputFiles(toclone=list(outputs)),
        Params(fromdict={"code": "0123456789abcdef", **(params or {})}),
        Wildcards(fromdict=dict(wildcards or {})),
        1,
        ResourceList(),
        Log(toclone=[log]),
        dict(config),
        rule,
        None,
        str(Path(pairedeval.__file__).parent.parent / "scripts"),
    )
