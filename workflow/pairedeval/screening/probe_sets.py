"""The two sets of probes that screening compares at equal numbers of inferences (Sections 5.1 and 5.3)."""

from dataclasses import dataclass
from pathlib import Path

from pairedeval.perturb.conditions import FIXED, PRIMARY, read_corruptions, read_transforms


@dataclass(frozen=True)
class ProbeSets:
    """Conditions of the probe files, in the order of the tables of conditions.

    Attributes
    ----------
    primary
        The 18 corruptions of severity 2 and 4.
    corruptions_all
        All 27 corruptions, severity 5 included: the pool of a selection.
    fixed
        The 18 natural transformations of the study.
    transforms_all
        All 30 natural transformations: the pool of a selection.
    types, severities
        Corruption type and severity of each condition in `primary`.
    """

    primary: tuple[str, ...]
    corruptions_all: tuple[str, ...]
    fixed: tuple[str, ...]
    transforms_all: tuple[str, ...]
    types: tuple[str, ...]
    severities: tuple[int, ...]


def read_probe_sets(corruptions: str | Path, transforms: str | Path) -> ProbeSets:
    """Read the probe sets from ``corruptions.csv`` and ``transforms.csv``.

    Raises
    ------
    PairedEvalError
        If a table is missing or a row cannot be used.
    """
    corrupted, transformed = read_corruptions(corruptions), read_transforms(transforms)
    primary = [row for row in corrupted if row.pool == PRIMARY]
    return ProbeSets(
        primary=tuple(row.condition for row in primary),
        corruptions_all=tuple(row.condition for row in corrupted),
        fixed=tuple(row.condition for row in transformed if row.pool == FIXED),
        transforms_all=tuple(row.condition for row in transformed),
        types=tuple(row.corruption for row in primary),
        severities=tuple(row.severity for row in primary),
    )
