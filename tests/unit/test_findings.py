"""Findings on example numbers, checked word by word."""

import pandas as pd
import pytest

from pairedeval.report.findings import accuracy_findings, panel_findings, tier_findings, width_findings


def widths(**changes: float) -> pd.DataFrame:
    means = {
        ("syn", "H", "I0"): 0.08, ("syn", "H", "Ik"): 0.04, ("syn", "L", "I0"): 0.05, ("syn", "L", "Ik"): 0.04,
        ("es", "H", "I0"): 0.02, ("es", "H", "Ik"): 0.015, ("es", "L", "I0"): 0.04, ("es", "L", "Ik"): 0.032,
        ("syn", "dM_k", "Ik"): 0.06, ("es", "dM_k", "Ik"): 0.03,
    }  # fmt: skip
    rows = [(*key, mean, 10, 0) for key, mean in means.items()]
    return pd.DataFrame(rows, columns=["source", "target", "level", "mean_width", "cells", "undefined"]).assign(
        **changes
    )


def panel(l_narrower: int) -> pd.DataFrame:
    rows = [
        ("syn", "H", "I5", 90, 90), ("es", "H", "I5", 135, 38), ("syn", "H", "Ik", 90, 7),
        ("syn", "L", "I5", 90, l_narrower), ("syn", "dM_k", "I5", 90, 0),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["source", "target", "level", "cells", "narrower_cells"])


def test_width_findings():
    findings = width_findings(widths(), "analyses/widths.parquet", {"es"})
    assert [finding.text for finding in findings] == [
        "Without the pairs, the mean interval of {H} is 8.00 percentage points wide on Syn and 2.00 on ES (simulated). "
        "Once the number of images correct on both sides is known for each class, it is 4.00 percentage points wide "
        "on Syn and 1.50 on ES (simulated).",
        "This overlap narrows the mean interval of {H} by 25–50% and {L} by 20%, depending on the source.",
    ]
    assert {finding.file for finding in findings} == {"analyses/widths.parquet"}


def test_undefined_cells_are_a_finding():
    text = width_findings(widths(undefined=1), "f")[-1].text
    assert text == "In 2 cells of 22 no image is correct on both sides; {dM_k} is undefined there."


@pytest.mark.parametrize(
    ("l_narrower", "end"),
    [
        (0, "They narrow {L} and {dM_k} in none, as Theorem 1 states."),
        (3, "They narrow {L} in 3 and {dM_k} in 0 cells."),
    ],
)
def test_panel_findings(l_narrower, end):
    start = "Five-state counts narrow {H} further in 128 of 225 cells of the panel (90 of 90 on Syn, 38 of 135 on ES). "
    assert [finding.text for finding in panel_findings(panel(l_narrower), "f")] == [start + end]


def test_panel_without_the_other_targets_claims_nothing_about_them():
    only_h = panel(0).query("target == 'H'")
    assert "Theorem" not in panel_findings(only_h, "f")[0].text


def test_tier_findings():
    rows = [("diverse", "a", "extreme"), ("diverse", "b", "mild"), ("diverse", "b", "mild"), ("syn", "c", "mild")]
    frame = pd.DataFrame(rows, columns=["source", "condition", "tier"])
    text = tier_findings(frame, "f", {"diverse"})[0].text
    assert text == "Syn has 1 mild condition; Diverse (simulated) has 1 mild and 1 extreme conditions."


def test_accuracy_findings_name_best_and_worst():
    rows = [
        ("a", "syn_b", "clean", 0.9), ("b", "syn_b", "clean", 0.95), ("a", "es", "clean", 0.9),
        ("a", "es", "mild", 0.5), ("b", "es", "mild", 0.25), ("c", "es", "mild", float("nan")),
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", "source", "tier", "accuracy"])
    assert [finding.text for finding in accuracy_findings(frame, "f", {"es"})] == [
        "Most to least accurate model on unperturbed images: Syn-B: b (95.0%) to a (90.0%).",
        "Most to least accurate model on mild conditions: ES (simulated): a (50.0%) to b (25.0%).",
    ]
