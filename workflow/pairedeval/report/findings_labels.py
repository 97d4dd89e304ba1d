"""Findings on accepted labels and on shared wrong answers in words, made from tidy results."""

from collections.abc import Collection

import pandas as pd

from pairedeval.report.findings import Finding
from pairedeval.report.names import counted, listed, ordered_sources, source_name
from pairedeval.report.results import lookup
from pairedeval.report.tables_labels import signed_points

NO_ANNOTATIONS = "The study has no accepted labels beside the original ones, so that their influence is not known."


def label_findings(
    consensus: pd.DataFrame,
    labels: pd.DataFrame | None,
    changes: pd.DataFrame | None,
    endpoints: pd.DataFrame | None,
    simulated: Collection[str] = (),
) -> list[Finding]:
    """Say what accepted labels change, whether Theorem 1 holds under them, and how shared wrong answers persist.

    Parameters
    ----------
    consensus
        As for `pairedeval.report.tables_labels.table_49`.
    labels, changes
        As for `pairedeval.report.tables_labels.table_48`; None where the study has no annotations.
    endpoints
        Rows per source with `cells`, `classes`, `shortened_classes`, `lost_acceptance_differing`,
        `confidence_drop_differing`, `narrower_classes` and `formula_differing`; None likewise.
    simulated
        Sources with simulated data.
    """
    shared = _shared(consensus, simulated)
    if labels is None or changes is None or endpoints is None:
        return [Finding(f"{shared} {NO_ANNOTATIONS}", "analyses/consensus.parquet")]
    return [
        Finding(_changes(labels, changes, simulated), "analyses/labels.parquet"),
        Finding(_theorem(endpoints), "analyses/label_endpoints.parquet"),
        Finding(shared, "analyses/consensus.parquet"),
    ]


def _changes(labels: pd.DataFrame, changes: pd.DataFrame, simulated: Collection[str]) -> str:
    value = lookup(labels[labels["subset"] == "matched"], ["source", "labels"])
    change = lookup(changes, ["source"])
    parts = []
    for source in ordered_sources(changes["source"]):
        before, after = (f"{100 * value('persistent_error', source, kind):.2f}" for kind in ("original", "accepted"))
        parts.append(
            f"on {source_name(source, simulated)} by {signed_points(change('accuracy_change', source))} percentage "
            f"points, and the share of persistent errors goes from {before}% to {after}%"
        )
    text = f"Judged by accepted labels ({changes['annotations'].iloc[0]}), mean accuracy after perturbation changes "
    return f"{text}{'; '.join(parts)}."


def _theorem(endpoints: pd.DataFrame) -> str:
    total = endpoints.sum(numeric_only=True).astype(int)
    classes = f"{total['classes']:,} classes of {counted(int(total['cells']), 'cell')}"
    lost, drop = (int(total[f"{target}_differing"]) for target in ("lost_acceptance", "confidence_drop"))
    if lost or drop:
        found = (
            f"of {classes}, the end points at {{Ik}} and {{I5}} differ for {{L}} in {lost:,} and {{dM_k}} in {drop:,}"
        )
    else:
        found = (
            f"{{Ik}} and {{I5}} leave the same end points of {{L}} and {{dM_k}} in all {classes}, as Theorem 1 states"
        )
    part = "every class"
    if total["shortened_classes"]:
        part = "five images of each class, and by correspondences of the whole classes that attain the end points"
    wrong = int(total["formula_differing"])
    forms = (
        f"; in {counted(wrong, 'class').replace('classs', 'classes')} it contradicts the closed forms" if wrong else ""
    )
    return (
        f"With correctness attached to each record by accepted labels, {found}; five-state counts narrow {{H}} in "
        f"{total['narrower_classes']:,}. This was checked by enumeration in {part}{forms}."
    )


def _shared(consensus: pd.DataFrame, simulated: Collection[str]) -> str:
    of_groups = consensus[consensus["definition"] == "leave_group_out"]
    many = _rates(of_groups[of_groups["stratum"] == "high"], simulated)
    few = _rates(of_groups[of_groups["stratum"] == "low"], simulated)
    start = "wrong answer on an unperturbed image that at least three quarters of the models of other groups share"
    first = f"A {start} persists after perturbation {many}." if many else f"There is no {start}."
    second = f"One that at most a quarter of them share persists {few}." if few else ""
    return f"{first} {second}".rstrip()


def _rates(rows: pd.DataFrame, simulated: Collection[str]) -> str:
    """Return the rate of each source that has events; empty if none has."""
    value = lookup(rows[rows["events"] > 0], ["source"])
    sources = ordered_sources(rows.loc[rows["events"] > 0, "source"])
    parts = [
        f"in {100 * value('rate', source):.1f}% of {counted(int(value('events', source)), 'event')} on "
        f"{source_name(source, simulated)}"
        for source in sources
    ]
    return listed(parts) if parts else ""
