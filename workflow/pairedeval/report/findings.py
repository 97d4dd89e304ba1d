"""Findings in words: every sentence is made from tidy results and names the file that holds its numbers."""

from collections.abc import Collection
from dataclasses import dataclass

import pandas as pd

from pairedeval.report.names import EN_DASH, TIERS, counted, distinct_images, listed, ordered_sources, source_name


@dataclass(frozen=True)
class Finding:
    """One finding.

    Attributes
    ----------
    text
        One or two sentences, a template (see `pairedeval.report.names.notation`).
    file
        Results file that holds the numbers.
    """

    text: str
    file: str


def width_findings(widths: pd.DataFrame, file: str, simulated: Collection[str] = ()) -> list[Finding]:
    """Say how wide the intervals of H are on the full grid and how much the overlap narrows H and L.

    Parameters
    ----------
    widths
        As for `pairedeval.report.tables.table_06`.
    file
        Results file of `widths`.
    simulated
        Sources with simulated data.
    """
    separate, overlap = (_per_source(_means(widths, "H", level), simulated) for level in ("I0", "Ik"))
    parts = [f"{{{target}}} by {_reduction(widths, target)}" for target in ("H", "L")]
    findings = [
        Finding(
            f"Without the pairs, the mean interval of {{H}} is {separate}. "
            f"Once the number of images correct on both sides is known for each class, it is {overlap}.",
            file,
        ),
        Finding(f"This overlap narrows the mean interval of {listed(parts)}, depending on the source.", file),
    ]
    drop = widths[(widths["target"] == "dM_k") & (widths["level"] == "Ik")]
    undefined, cells = int(drop["undefined"].sum()), int(drop["cells"].sum() + drop["undefined"].sum())
    if undefined:
        place = f"In {counted(undefined, 'cell')} of {cells:,}"
        findings.append(Finding(f"{place} no image is correct on both sides; {{dM_k}} is undefined there.", file))
    return findings


def panel_findings(panel: pd.DataFrame, file: str, simulated: Collection[str] = ()) -> list[Finding]:
    """Say in how many cells of the panel five-state counts narrow each target further.

    Parameters
    ----------
    panel
        As for `pairedeval.report.tables.table_07`.
    file
        Results file of `panel`.
    simulated
        Sources with simulated data.
    """
    states = panel[panel["level"] == "I5"]
    of_h = states[states["target"] == "H"].set_index("source")
    each = [
        f"{int(of_h['narrower_cells'][source]):,} of {int(of_h['cells'][source]):,} on {source_name(source, simulated)}"
        for source in ordered_sources(of_h.index)
    ]
    total = f"{int(of_h['narrower_cells'].sum()):,} of {counted(int(of_h['cells'].sum()), 'cell')}"
    text = f"Five-state counts narrow {{H}} further in {total} of the panel ({', '.join(each)})."
    others = states[states["target"].isin(["L", "dM_k"])].groupby("target")["narrower_cells"].sum()
    if len(others) == 2:
        changed = f"They narrow {{L}} in {int(others['L']):,} and {{dM_k}} in {counted(int(others['dM_k']), 'cell')}."
        text += f" {changed if others.any() else 'They narrow {L} and {dM_k} in none, as Theorem 1 states.'}"
    return [Finding(text, file)]


def tier_findings(conditions: pd.DataFrame, file: str, simulated: Collection[str] = ()) -> list[Finding]:
    """Say how many conditions of each source are mild, severe and extreme.

    Parameters
    ----------
    conditions
        As for `pairedeval.report.tables.tiers_table`.
    file
        Results file of `conditions`.
    simulated
        Sources with simulated data.
    """
    parts = []
    distinct = conditions.drop_duplicates(["source", "condition"])
    for source in ordered_sources(distinct["source"]):
        tiers = distinct.loc[distinct["source"] == source, "tier"].value_counts()
        counts = [f"{int(tiers[tier]):,} {tier}" for tier in TIERS if tier in tiers]
        noun = "condition" if int(tiers.sum()) == 1 else "conditions"
        parts.append(f"{source_name(source, simulated)} has {listed(counts)} {noun}")
    return [Finding(f"{'; '.join(parts)}.", file)]


def accuracy_findings(accuracy: pd.DataFrame, file: str, simulated: Collection[str] = ()) -> list[Finding]:
    """Name the most and the least accurate model on unperturbed images and under mild conditions.

    Parameters
    ----------
    accuracy
        As for `pairedeval.report.figures.accuracy_overview`.
    file
        Results file of `accuracy`.
    simulated
        Sources with simulated data.
    """
    findings = []
    sources = ordered_sources(accuracy["source"])
    for tier, place in (("clean", "unperturbed images"), ("mild", "mild conditions")):
        parts = []
        for source in sources if tier != "clean" else distinct_images(sources):
            rows = accuracy[(accuracy["source"] == source) & (accuracy["tier"] == tier)].dropna(subset=["accuracy"])
            if len(rows):
                ranked = rows.sort_values(["accuracy", "model"], ascending=[False, True], kind="stable")
                best, worst = ranked.iloc[0], ranked.iloc[-1]
                parts.append(
                    f"{source_name(source, simulated)}: {best['model']} ({100 * best['accuracy']:.1f}%) to "
                    f"{worst['model']} ({100 * worst['accuracy']:.1f}%)"
                )
        if parts:
            findings.append(Finding(f"Most to least accurate model on {place}: {'; '.join(parts)}.", file))
    return findings


def _means(widths: pd.DataFrame, target: str, level: str) -> "pd.Series[float]":
    """Return the mean widths of a target at a level, in percentage points, by source in printed order."""
    rows = widths[(widths["target"] == target) & (widths["level"] == level)].set_index("source")
    return 100 * rows["mean_width"].reindex(ordered_sources(rows.index))


def _per_source(means: "pd.Series[float]", simulated: Collection[str]) -> str:
    first, *others = [(f"{width:.2f}", source_name(str(source), simulated)) for source, width in means.dropna().items()]
    return listed(
        [f"{first[0]} percentage points wide on {first[1]}", *(f"{width} on {name}" for width, name in others)]
    )


def _reduction(widths: pd.DataFrame, target: str) -> str:
    """Return by how much Ik shortens I0, as a range over sources in percent."""
    shares = (100 * (1 - _means(widths, target, "Ik") / _means(widths, target, "I0"))).dropna()
    low, high = f"{shares.min():.0f}", f"{shares.max():.0f}"
    return f"{low}%" if low == high else f"{low}{EN_DASH}{high}%"
