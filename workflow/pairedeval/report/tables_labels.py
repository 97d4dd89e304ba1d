"""The layout of the tables on accepted labels and on wrong answers that models share (Tables 47 to 49)."""

import re
from collections.abc import Callable, Collection

import pandas as pd

from pairedeval.report.names import MINUS, counted, listed, ordered_sources, source_name
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.table import Column, Rows, Table

MATCHED = "matched"
ORIGINAL, ACCEPTED = LABELS = ("original", "accepted")
STATES = {
    "h": "harmful_flip",
    "r": "correction",
    "k": "retained_correct",
    "s": "persistent_error",
    "w": "changed_error",
}
EVENTS = {"H": "accepted_error_transition", "L": "lost_acceptance"}
MOVED = {"h": "harmful_flips_moved", "w": "changed_errors_moved"}
DEFINITIONS = {
    "leave_group_out": "other groups",
    "leave_model_out": "all others",
    "group_equal": "other groups, equal weights",
}
STRATA = ("high", "middle", "low")
NO_ENTRY = ""


def table_47(labels: pd.DataFrame, changes: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out accuracy and persistent errors under both kinds of labels (Table 47).

    Parameters
    ----------
    labels
        Rows per source, subset and labels (original, accepted), of which those of the subset ``matched`` are printed,
        with `images`, `perturbed_accuracy` and `persistent_error` (shares).
    changes
        Rows per source with `annotations`, `description`, `evaluation_images`, `excluded`, `matched`, `removed`,
        `accuracy_change`, `compatible`, `compatible_change`, `incompatible` and `incompatible_change`.
    simulated
        Sources with simulated data.
    """
    measures = {"accuracy": "perturbed_accuracy", "s": "persistent_error"}
    need_columns(labels, ("source", "subset", "labels", "images", *measures.values()), "table_47")
    need_columns(changes, ("source", *_COHORT, *_PARTS), "table_47")
    value, change = lookup(_matched(labels), ["source", "labels"]), lookup(changes, ["source"])
    name = str(changes["annotations"].iloc[0])
    key = _key(name)
    columns = (
        Column("source", "Source"),
        Column("matched_images", "Images", "count"),
        Column("accuracy_original_pct", "original", "share", "Accuracy (%)"),
        Column(f"accuracy_{key}_pct", name, "share", "Accuracy (%)"),
        Column(f"accuracy_{key}_minus_original_pp", "change (points)", "share", "Accuracy (%)", signed=True),
        Column("s_original_pct", "original", "share", "s (%)"),
        Column(f"s_{key}_pct", name, "share", "s (%)"),
    )
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            int(change("matched", source)),
            *(value("perturbed_accuracy", source, kind) for kind in LABELS),
            change("accuracy_change", source),
            *(value("persistent_error", source, kind) for kind in LABELS),
        )
        for source in ordered_sources(labels["source"])
    )
    notes = (
        *_origin(changes, simulated),
        "Accuracy: after perturbation. s: the same wrong answer before and after.",
        *_parts(changes, simulated),
    )
    title = "Accuracy and persistent errors by original and by accepted labels, mean over all cells."
    return Table("table_47", "Table 47", title, columns, rows, notes)


def table_48(labels: pd.DataFrame, changes: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out states and acceptance events under both kinds of labels (Table 48).

    Parameters
    ----------
    labels
        As for `table_47`, with all states, `retained_different`, `accepted_error_transition`, `lost_acceptance` and
        `confidence_drop`.
    changes
        As for `table_47`, with `harmful_flips_moved` and `changed_errors_moved` (shares) and `identity_residual`.
    simulated
        Sources with simulated data.
    """
    measures = (*STATES.values(), *EVENTS.values())
    need_columns(labels, ("source", "subset", "labels", *measures, "retained_different", "confidence_drop"), "table_48")
    need_columns(changes, ("source", *_COHORT, *MOVED.values(), "identity_residual"), "table_48")
    value, change = lookup(_matched(labels), ["source", "labels"]), lookup(changes, ["source"])
    columns = (
        Column("source", "Source"),
        Column("labels", "Labels"),
        *(Column(f"{state}_pct", state, "share") for state in STATES),
        *(Column(f"{event.lower()}_event_pct", f"{{{event}}}", "share") for event in EVENTS),
        *(Column(f"{state}_moved_pct", state, "share", "Moved (%)", decimals=1) for state in MOVED),
    )
    printed = {ORIGINAL: ORIGINAL, ACCEPTED: str(changes["annotations"].iloc[0])}
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            printed[kind],
            *(value(measure, source, kind) for measure in measures),
            *(NO_ENTRY if kind == ORIGINAL else change(moved, source) for moved in MOVED.values()),
        )
        for source in ordered_sources(labels["source"])
        for kind in LABELS
    )
    notes = (
        *_origin(changes, simulated),
        "h: correct, then wrong. r: wrong, then correct. k: correct twice. s: the same wrong answer twice. w: two "
        "different wrong answers. Moved: share of the pairs in this state by original labels that are in another one "
        "by accepted labels.",
        *_different_answers(value, changes, simulated),
    )
    title = "States and acceptance events by original and by accepted labels, mean over all cells in percent."
    return Table("table_48", "Table 48", title, columns, rows, notes)


def table_49(consensus: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out how often clean wrong answers persist, by the models that share them (Table 49).

    Parameters
    ----------
    consensus
        Rows per source, definition and stratum with `rate` (a share), `events` and `images`.
    simulated
        Sources with simulated data.
    """
    need_columns(consensus, ("source", "definition", "stratum", "rate", "events", "images"), "table_49")
    value = lookup(consensus, ["source", "definition", "stratum"])
    columns = (
        Column("source", "Source"),
        Column("other_models", "Support among"),
        *(Column(f"{stratum}_consensus_persistent_rate_pct", stratum, "share", "Persistent (%)") for stratum in STRATA),
        *(Column(f"{stratum}_consensus_events", stratum, "count", "Events") for stratum in STRATA),
    )
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            printed,
            *(value("rate", source, definition, stratum) for stratum in STRATA),
            *(int(value("events", source, definition, stratum)) for stratum in STRATA),
        )
        for source in ordered_sources(consensus["source"])
        for definition, printed in DEFINITIONS.items()
    )
    notes = [
        "Events: one model, condition and evaluation image that the model gets wrong without perturbation, by original "
        "labels. Support: share of other models with the same wrong answer on the unperturbed image; low: at most "
        "0.25, high: at least 0.75. The association does not hold confidence fixed and does not tell whether the "
        "answer is right."
    ]
    alone = consensus[(consensus["stratum"] == "undefined") & (consensus["events"] > 0)]
    if len(alone):
        events = counted(int(alone["events"].max()), "event")
        notes.append(f"Left out: up to {events} of models for which there is no other model or group.")
    title = "Wrong answers on unperturbed images that persist after perturbation, by the models that share them."
    return Table("table_49", "Table 49", title, columns, rows, tuple(notes))


_COHORT = ("annotations", "description", "evaluation_images", "excluded", "matched", "removed")
_PARTS = ("accuracy_change", "compatible", "compatible_change", "incompatible", "incompatible_change")


def signed_points(share: float) -> str:
    """Return a difference of shares in percentage points, with its sign.

    Examples
    --------
    >>> signed_points(0.01044), signed_points(-0.04589)
    ('+1.04', '−4.59')
    """
    text = f"{100 * share:+.2f}".replace("-", MINUS)
    return text if float(f"{100 * share:.2f}") else text.lstrip(f"+{MINUS}")


def _matched(labels: pd.DataFrame) -> pd.DataFrame:
    return labels[labels["subset"] == MATCHED]


def _key(name: str) -> str:
    """Return the name of annotations as part of a column's key."""
    return re.sub(r"\W+", "_", name.lower(), flags=re.ASCII)


def _origin(changes: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Say whose labels are accepted, for how many images, and how often the original label is not among them."""
    counts = ["evaluation_images", "excluded", "removed"]
    alike = changes.groupby(counts, sort=False)["source"].agg(list).reset_index()
    parts = [
        f"{listed(source_name(source, simulated) for source in ordered_sources(row['source']))}: "
        f"{row['excluded']:,} of {counted(row['evaluation_images'], 'evaluation image')} without an accepted label, "
        f"left out of both sides, and {row['removed']:,} whose original label is not accepted"
        for row in alike.to_dict("records")
    ]
    return [f"{changes['description'].iloc[0]} They belong to the unperturbed images. {'; '.join(parts)}."]


def _different_answers(
    value: Callable[..., float], changes: pd.DataFrame, simulated: Collection[str]
) -> tuple[str, str]:
    """Say how often two accepted answers differ, that Eq. 15 holds, and what becomes of dM_k."""
    different, drops = [], []
    for source in ordered_sources(changes["source"]):
        name = source_name(source, simulated)
        different.append(f"{name} {100 * value('retained_different', source, ACCEPTED):.2f}%")
        before, after = (100 * value("confidence_drop", source, kind) for kind in LABELS)
        drops.append(f"{name} {before:.2f} by original and {after:.2f} by accepted labels")
    residual = 100 * changes["identity_residual"].max()
    size = "exactly" if residual == 0 else f"to {residual:.1e} percentage points"
    return (
        f"k by accepted labels holds pairs of two different accepted answers: {listed(different)}. In every cell, "
        f"unchanged predictions minus accuracy are {size} s {MINUS} r minus these pairs (Eq. 15).",
        f"{{dM_k}} of the pairs whose original label is accepted, in percentage points: {'; '.join(drops)}.",
    )


def _parts(changes: pd.DataFrame, simulated: Collection[str]) -> list[str]:
    """Split the change of accuracy into the images with and without an accepted candidate."""
    change = lookup(changes, ["source"])
    parts = [
        f"{source_name(source, simulated)} {signed_points(change('accuracy_change', source))} = "
        f"{signed_points(change('compatible_change', source))} {signed_points(change('incompatible_change', source))} "
        f"({change('compatible', source):,.0f} and {change('incompatible', source):,.0f} images)"
        for source in ordered_sources(changes["source"])
        if change("incompatible", source)
    ]
    if not parts:
        return ["Every image has an accepted label among the candidates."]
    return [
        "Change of accuracy in points, split into images with and without an accepted label among the candidates: "
        f"{'; '.join(parts)}. Without one, every prediction is wrong by accepted labels."
    ]
