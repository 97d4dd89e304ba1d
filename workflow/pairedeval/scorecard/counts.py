"""Counts that the shape of a study decides, and what its files hold (Appendices B.3, D, E.4, I.4 and J.1)."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from pairedeval.identification.levels import LEVELS, TARGETS
from pairedeval.policies.selection import RULES
from pairedeval.prediction import feature_sets
from pairedeval.prediction.nested import LEAST_GROUPS
from pairedeval.records import CLEAN
from pairedeval.scorecard.results import StudyResults
from pairedeval.scorecard.shape import CAPTURED, ROLES, Shape
from pairedeval.splits import BASE, SYN

# Model-level targets are predicted on every recapture from the corruptions of either image set.
PREDICTION_SETTINGS = 2 * len(CAPTURED) * len(feature_sets.TARGETS)
RECORDS = tuple(f"records/{source}/*" for source in ROLES)


@dataclass(frozen=True)
class Count:
    """One count.

    Attributes
    ----------
    name
        Short name.
    words
        What is counted.
    places
        Results in which it is counted; see `StudyResults.frame`.
    count
        Counts it.
    expect
        Says how many the shape of a study asks for.
    """

    name: str
    words: str
    places: tuple[str, ...]
    count: Callable[[StudyResults], int]
    expect: Callable[[Shape], int]


def count_study(results: StudyResults, shape: Shape) -> pd.DataFrame:
    """Count what the files of a study hold.

    Parameters
    ----------
    results
        Results of the study.
    shape
        Its shape.

    Returns
    -------
    pandas.DataFrame
        Rows per count: ``name``, ``quantity`` (in words), ``place``, ``expected``, ``counted`` (NaN if the study lacks
        files) and ``agrees`` (bool).
    """
    rows = []
    for entry in COUNTS:
        there = all(results.paths(place) for place in entry.places)
        counted = float(entry.count(results)) if there else float("nan")
        expected = entry.expect(shape)
        rows.append((entry.name, entry.words, ", ".join(entry.places), expected, counted, counted == expected))
    return pd.DataFrame(rows, columns=["name", "quantity", "place", "expected", "counted", "agrees"])


def expected_pairs(shape: Shape) -> int:
    """Return the evaluation pairs of all cells."""
    return sum(cells * shape.evaluation_images[ROLES[source]] for source, cells in shape.cells.items())


def expected_records(shape: Shape) -> int:
    """Return the records of all sources, clean ones included."""
    return shape.models * sum(shape.images[ROLES[source]] * (1 + sum(sizes)) for source, sizes in shape.strata.items())


def expected_panel_conditions(shape: Shape) -> int:
    """Return the conditions that the panel covers: a stratum can have more than there are models."""
    return sum(min(shape.models, size) for sizes in shape.strata.values() for size in sizes)


def expected_predictions(shape: Shape) -> int:
    """Return the out-of-fold predictions of the sets that are refitted without each group (Appendix I.4)."""
    deletions = shape.groups if len(shape.groups) > LEAST_GROUPS else ()
    refits = shape.models + sum(shape.models - group for group in deletions)
    return len(feature_sets.DELETED_SETS) * PREDICTION_SETTINGS * refits


def _rows(place: str, words: str, name: str, expect: Callable[[Shape], int]) -> Count:
    """Count the rows of files; those of Parquet files are not read for it."""
    return Count(name, words, (place,), lambda results: row_count(results, place), expect)


def _distinct(place: str, words: str, name: str, columns: list[str], expect: Callable[[Shape], int]) -> Count:
    return Count(name, words, (place,), lambda results: len(results.need(place)[columns].drop_duplicates()), expect)


def _where(place: str, words: str, name: str, query: str, expect: Callable[[Shape], int]) -> Count:
    def count(results: StudyResults) -> int:
        return len(results.need(place).query(query, engine="python"))

    return Count(name, words, (place,), count, expect)


def row_count(results: StudyResults, place: str) -> int:
    """Count the rows behind a name."""
    paths = results.paths(place)
    if all(path.suffix == ".parquet" for path in paths):
        return sum(pq.read_metadata(path).num_rows for path in paths)
    return len(results.need(place))


def clean_records(results: StudyResults) -> int:
    """Count the clean records of the distinct images; recaptures repeat those of Syn-B."""
    paths = [path for source in ("syn", "syn_b") for path in results.paths(f"records/{source}/*")]
    return sum(len(_clean(path, [])) for path in paths)


def agreeing_records(results: StudyResults) -> int:
    """Count the clean records of base images that have the same label and prediction in all three sources."""
    return sum(_agreeing(path, [path.parents[1] / source / path.name for source in CAPTURED])
               for path in results.paths("records/syn_b/*"))  # fmt: skip


def _agreeing(path: Path, others: list[Path]) -> int:
    first = _clean(path, ["label", "prediction"])
    alike = pd.Series(True, index=first.index)
    for other in others:
        found = first[["image_id"]].merge(_clean(other, ["label", "prediction"]), on="image_id", how="left")
        alike &= (found == first).all(axis=1)
    return int(alike.sum())


def _clean(path: Path, columns: list[str]) -> pd.DataFrame:
    """Read the clean records of one model."""
    table = pq.read_table(path, columns=["image_id", *columns], filters=[("condition", "==", CLEAN)])
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _record_counts() -> tuple[Count, ...]:
    return (
        _distinct("analyses/cells/*", "models", "models", ["model"], lambda shape: shape.models),
        Count(
            "records",
            "records",
            RECORDS,
            lambda results: sum(row_count(results, place) for place in RECORDS),
            expected_records,
        ),
        Count(
            "clean_records",
            "clean records of distinct images",
            ("records/syn/*", "records/syn_b/*"),
            clean_records,
            lambda shape: shape.models * (shape.images[SYN] + shape.images[BASE]),
        ),
        Count(
            "agreeing_clean_records",
            "clean records of base images that agree between the sources",
            RECORDS[1:],
            agreeing_records,
            lambda shape: shape.models * shape.images[BASE],
        ),
        _rows(
            "analyses/responses/*",
            "responses to variants of base images",
            "responses",
            lambda shape: shape.models * shape.variants * shape.images[BASE],
        ),
    )


def _cell_counts() -> tuple[Count, ...]:
    cells = "analyses/cells/*"
    return (
        _rows(cells, "model-condition cells", "cells", lambda shape: sum(shape.cells.values())),
        _where(
            cells,
            "cells of recaptures",
            "real_cells",
            f"source in {list(CAPTURED)}",
            lambda shape: shape.captured_cells,
        ),
        Count(
            "pairs",
            "evaluation pairs",
            (cells,),
            lambda results: int(results.need(cells)["n"].sum()),
            expected_pairs,
        ),
        _rows(
            "analyses/bounds/*",
            "cells by target and information level",
            "target_rows",
            lambda shape: sum(shape.cells.values()) * len(TARGETS) * len(LEVELS),
        ),
        _rows(
            "analyses/correspondence/*",
            "cells with checks of correspondence",
            "correspondence_cells",
            lambda shape: sum(shape.cells.values()),
        ),
    )


def _panel_counts() -> tuple[Count, ...]:
    panel, matched = "analyses/panel", "analyses/matched_support"
    return (
        _distinct(panel, "panel cells", "panel_cells", ["source", "model", "condition"], lambda one: one.panel_cells),
        _distinct(panel, "panel models", "panel_models", ["model"], lambda shape: shape.models),
        _distinct(
            panel,
            "conditions that the panel covers",
            "panel_conditions",
            ["source", "condition"],
            expected_panel_conditions,
        ),
        _where(
            matched,
            "matched panel cells by seed",
            "matched_cells",
            "target == 'H' and sample != 'native'",
            lambda shape: shape.panel_cells * shape.seeds,
        ),
        *(
            _rows(f"analyses/policy_{name}/*", f"policy {name}", f"policy_{name}", _expected_policies(choices))
            for name, choices in _POLICY_CHOICES.items()
        ),
    )


def _expected_policies(choices: Callable[[Shape], int]) -> Callable[[Shape], int]:
    """Return what is expected of a policy table: its choices in every cell, at every level and weight."""
    return lambda shape: shape.policy_cells * len(LEVELS) * shape.weights * choices(shape)


_POLICY_CHOICES: dict[str, Callable[[Shape], int]] = {
    "bounds": lambda shape: shape.policies,
    "comparisons": lambda shape: shape.policies * (shape.policies - 1),
    "selections": lambda _: len(RULES),
}


def _later_counts() -> tuple[Count, ...]:
    primary = "half == 'evaluation' and images == 'all' and score == 'corruption_mean'"
    fit = "half == 'evaluation' and predictor == 'predictor_confidence'"
    refitted = f"feature_set in {list(feature_sets.DELETED_SETS)}"
    endpoints = "analyses/label_endpoints/*"
    return (
        _where(
            "analyses/screening/cells/*", "screened cells", "screened_cells", primary, lambda one: one.captured_cells
        ),
        _where("analyses/screening/fits/*", "model-source fits", "fits", fit, lambda one: one.models * len(CAPTURED)),
        _rows(
            "analyses/prediction_targets/*",
            "model-source targets",
            "prediction_targets",
            lambda shape: shape.models * len(CAPTURED),
        ),
        _where(
            "analyses/prediction_predictions",
            "out-of-fold predictions of refitted sets",
            "predictions",
            refitted,
            expected_predictions,
        ),
        _rows(endpoints, "cells enumerated by accepted labels", "label_cells", lambda shape: shape.captured_cells),
        Count(
            "label_classes",
            "classes enumerated by accepted labels",
            (endpoints,),
            lambda results: int(results.need(endpoints)["classes"].sum()),
            lambda shape: shape.captured_cells * shape.labelled_classes,
        ),
        _rows(
            "review/assignment",
            "ratings assigned for review",
            "ratings",
            lambda shape: shape.reviewers * shape.review_events,
        ),
    )


COUNTS = (*_record_counts(), *_cell_counts(), *_panel_counts(), *_later_counts())
