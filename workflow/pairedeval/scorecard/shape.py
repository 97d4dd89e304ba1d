"""The shape of a study: what decides how many cells, pairs, bounds and predictions it has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pairedeval.panel import PAPER_EXTRA_CELLS, strata_of
from pairedeval.records import EVALUATION
from pairedeval.scorecard.results import StudyResults
from pairedeval.splits import BASE, SYN

# Recaptures share the base images with the corruptions of Syn-B.
ROLES = {"syn": SYN, "syn_b": BASE, "es": BASE, "diverse": BASE}
CAPTURED = ("es", "diverse")


@dataclass(frozen=True)
class Shape:
    """Numbers that nothing but the images, models, conditions and settings of a study decides.

    Attributes
    ----------
    groups
        Models of each model group.
    strata
        Conditions of each stratum of the panel, by source.
    images, evaluation_images
        Images, and those of the evaluation half, by role.
    labelled_classes
        Classes of the evaluation base images that have an accepted label.
    variants
        Inputs that every model sees of a base image, the unperturbed one included.
    policies, weights, seeds, reviewers
        Numbers of rejection policies, cost weights, matching seeds and reviewers.
    review_events
        Events that the review draws.
    extra_cells
        Cells of the panel beyond one a model and stratum.
    full_grid
        Whether policies are compared in every cell instead of in the panel.
    """

    groups: tuple[int, ...]
    strata: Mapping[str, tuple[int, ...]]
    images: Mapping[str, int]
    evaluation_images: Mapping[str, int]
    labelled_classes: int
    variants: int
    policies: int
    weights: int
    seeds: int
    reviewers: int
    review_events: int
    extra_cells: int = 0
    full_grid: bool = False

    @property
    def models(self) -> int:
        """Number of models."""
        return sum(self.groups)

    @property
    def cells(self) -> dict[str, int]:
        """Model-condition cells by source."""
        return {source: self.models * sum(sizes) for source, sizes in self.strata.items()}

    @property
    def captured_cells(self) -> int:
        """Cells of the recaptured sources."""
        return sum(self.cells[source] for source in CAPTURED)

    @property
    def panel_cells(self) -> int:
        """Cells of the frozen panel (Appendix B.1): one a model and stratum, and the extra ones."""
        return self.models * sum(map(len, self.strata.values())) + self.extra_cells

    @property
    def policy_cells(self) -> int:
        """Cells whose policies are compared."""
        return sum(self.cells.values()) if self.full_grid else self.panel_cells


def study_shape(results: StudyResults, settings: Mapping[str, Any], *, paper: bool) -> Shape:
    """Read the shape of a study from its models, conditions, images and settings.

    Parameters
    ----------
    results
        Results of the study.
    settings
        Complete configuration of the study.
    paper
        Whether the study has the paper's shape, whose panel has ten extra cells.

    Raises
    ------
    PairedEvalError
        If the models, the tiers or the index of the images are missing.
    """
    models, index = results.need("analyses/models"), results.need("images/index")
    strata = strata_of(results.need("analyses/tiers"))
    sizes = strata.groupby(["source", "stratum"], sort=False).size().reset_index(name="conditions")
    evaluation = index[index["split"] == EVALUATION]
    policies = settings["policies"]
    return Shape(
        groups=tuple(models.groupby("group", sort=False).size()),
        strata={str(source): tuple(rows["conditions"]) for source, rows in sizes.groupby("source", sort=False)},
        images=_sizes(index),
        evaluation_images=_sizes(evaluation),
        labelled_classes=_labelled_classes(evaluation, results.frame("analyses/annotations")),
        variants=_variants(results),
        policies=len(policies["coverages"]),
        weights=len(policies["weights"]),
        seeds=len(settings["matching"]["seeds"]),
        reviewers=len(settings["review"]["reviewers"]),
        review_events=_review_events(results, settings["review"]["events"]),
        extra_cells=sum(PAPER_EXTRA_CELLS.values()) if paper else 0,
        full_grid=policies["grid"] == "full",
    )


def _sizes(index: pd.DataFrame) -> dict[str, int]:
    return {str(role): len(rows) for role, rows in index.groupby("role")}


def _labelled_classes(evaluation: pd.DataFrame, annotations: pd.DataFrame | None) -> int:
    """Count the classes of evaluation base images with an accepted label; all of them without annotations."""
    base = evaluation[evaluation["role"] == BASE]
    if annotations is not None:
        accepted = annotations.loc[annotations["accepted"] != "", "image_id"]
        base = base[base["image_id"].isin(accepted)]
    return int(base["class_id"].nunique())


def _review_events(results: StudyResults, wanted: int) -> int:
    """Return how many events are drawn: as many as are wanted, or all."""
    frame = results.frame("review/frame")
    return wanted if frame is None else min(wanted, len(frame))


def _variants(results: StudyResults) -> int:
    return 1 + sum(len(results.need(f"conditions/{table}")) for table in ("corruptions", "transforms"))
