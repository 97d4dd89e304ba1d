"""Layout of Tables 47 to 49 and the findings on labels, on the paper's numbers."""

import math

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.report.findings_labels import label_findings
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.tables_labels import table_47, table_48, table_49

SIMULATED = {"es"}
MEASURES = ("harmful_flip", "correction", "retained_correct", "persistent_error", "changed_error")
MEASURES += ("accepted_error_transition", "lost_acceptance", "perturbed_accuracy")
PRINTED = {
    ("es", "original"): (24.17, 1.55, 65.33, 3.99, 4.96, 1.40, 9.93, 66.88),
    ("es", "accepted"): (22.02, 1.30, 62.03, 8.01, 6.64, 1.27, 9.38, 63.33),
    ("diverse", "original"): (64.00, 0.62, 25.49, 1.16, 8.73, 2.08, 8.31, 26.11),
    ("diverse", "accepted"): (59.65, 0.56, 24.40, 2.77, 12.63, 1.95, 7.87, 24.96),
}


def example_labels() -> pd.DataFrame:
    rows = []
    for (source, labels), shares in PRINTED.items():
        measures = dict(zip(MEASURES, (share / 100 for share in shares), strict=True))
        different = 0.004 if labels == "accepted" else 0.0
        rows.append({"source": source, "subset": "matched", "labels": labels, "images": 473, **measures})
        rows[-1] |= {"retained_different": different, "confidence_drop": 0.10 + different}
        rows.append(rows[-1] | {"subset": "retained", "images": 424, "perturbed_accuracy": 0.5})
    return pd.DataFrame(rows)


def example_changes(**changed) -> pd.DataFrame:
    rows = [("es", -0.0355, 0.0104, -0.0459, 0.184, 0.160), ("diverse", -0.01155, 0.0067, -0.0183, 0.102, 0.186)]
    names = ["source", "accuracy_change", "compatible_change", "incompatible_change"]
    table = pd.DataFrame(rows, columns=[*names, "harmful_flips_moved", "changed_errors_moved"])
    counts = {"evaluation_images": 500, "excluded": 27, "matched": 473, "compatible": 435, "incompatible": 38}
    table = table.assign(**counts, removed=49, annotations="ReaL", description="Accepted labels: ReaL.")
    return table.assign(identity_residual=0.0).assign(**changed)


def example_consensus() -> pd.DataFrame:
    rows = [
        (source, definition, stratum, rate, events, events // 54)
        for source, printed in {
            "es": (0.6145, 0.2710, 16416, 79704),
            "diverse": (0.1869, 0.0640, 49248, 239112),
        }.items()
        for definition in ("leave_model_out", "leave_group_out", "group_equal")
        for stratum, rate, events in (
            ("low", printed[1], printed[3]),
            ("middle", 0.4, 1000),
            ("high", printed[0], printed[2]),
            ("undefined", math.nan, 0),
        )
    ]
    return pd.DataFrame(rows, columns=["source", "definition", "stratum", "rate", "events", "images"])


def example_endpoints(**changed) -> pd.DataFrame:
    none = dict.fromkeys(
        ("shortened_classes", "lost_acceptance_differing", "confidence_drop_differing", "formula_differing"), 0
    )
    table = pd.DataFrame({"source": ["es", "diverse"], "cells": [2376, 7128], "classes": [458568, 1375704]})
    return table.assign(narrower_classes=[708, 1000], **none).assign(**changed)


EXAMPLES = {
    table_47: lambda: (example_labels(), example_changes()),
    table_48: lambda: (example_labels(), example_changes()),
    table_49: lambda: (example_consensus(),),
}


def test_csv_of_table_47_is_the_published_one():
    assert to_csv(table_47(example_labels(), example_changes())) == (
        "source,matched_images,accuracy_original_pct,accuracy_real_pct,accuracy_real_minus_original_pp,s_original_pct,"
        "s_real_pct\n"
        "ES,473,66.88,63.33,-3.55,3.99,8.01\n"
        "Diverse,473,26.11,24.96,-1.16,1.16,2.77\n"
    )


def test_notes_of_table_47_split_the_change():
    assert table_47(example_labels(), example_changes(), SIMULATED).notes == (
        "Accepted labels: ReaL. They belong to the unperturbed images. ES (simulated) and Diverse: 27 of 500 "
        "evaluation images without an accepted label, left out of both sides, and 49 whose original label is not "
        "accepted.",
        "Accuracy: after perturbation. s: the same wrong answer before and after.",
        "Change of accuracy in points, split into images with and without an accepted label among the candidates: "
        "ES (simulated) −3.55 = +1.04 −4.59 (435 and 38 images); Diverse −1.16 = +0.67 −1.83 (435 and 38 images). "
        "Without one, every prediction is wrong by accepted labels.",
    )


def test_table_47_says_where_all_images_are_compatible():
    notes = table_47(example_labels(), example_changes(incompatible=0, incompatible_change=0.0)).notes
    assert notes[-1] == "Every image has an accepted label among the candidates."


def test_sources_with_other_images_are_described_apart():
    changes = example_changes(removed=[49, 1])
    note = table_47(example_labels(), changes).notes[0]
    assert "ES: 27 of 500 evaluation images" in note
    assert (
        "; Diverse: 27 of 500 evaluation images without an accepted label, left out of both sides, and 1 whose" in note
    )


def test_keys_follow_the_name_of_the_annotations():
    header = to_csv(table_47(example_labels(), example_changes(annotations="Our own")))
    assert "accuracy_our_own_pct,accuracy_our_own_minus_original_pp" in header


def test_csv_of_table_48_is_the_published_one():
    assert to_csv(table_48(example_labels(), example_changes())) == (
        "source,labels,h_pct,r_pct,k_pct,s_pct,w_pct,h_event_pct,l_event_pct,h_moved_pct,w_moved_pct\n"
        "ES,original,24.17,1.55,65.33,3.99,4.96,1.40,9.93,,\n"
        "ES,ReaL,22.02,1.30,62.03,8.01,6.64,1.27,9.38,18.4,16.0\n"
        "Diverse,original,64.00,0.62,25.49,1.16,8.73,2.08,8.31,,\n"
        "Diverse,ReaL,59.65,0.56,24.40,2.77,12.63,1.95,7.87,10.2,18.6\n"
    )


def test_notes_of_table_48_give_the_identity_and_the_confidence_decrease():
    notes = table_48(example_labels(), example_changes(), SIMULATED).notes
    assert notes[2:] == (
        "k by accepted labels holds pairs of two different accepted answers: ES (simulated) 0.40% and Diverse 0.40%. "
        "In every cell, unchanged predictions minus accuracy are exactly s − r minus these pairs (Eq. 15).",
        "{dM_k} of the pairs whose original label is accepted, in percentage points: ES (simulated) 10.00 by original "
        "and 10.40 by accepted labels; Diverse 10.00 by original and 10.40 by accepted labels.",
    )
    missed = table_48(example_labels(), example_changes(identity_residual=[0.0, 2e-17])).notes[2]
    assert "minus accuracy are to 2.0e-15 percentage points s − r" in missed


def test_table_49_holds_the_published_numbers():
    lines = to_csv(table_49(example_consensus())).splitlines()
    assert lines[0].split(",") == [
        "source",
        "other_models",
        *(f"{stratum}_consensus_persistent_rate_pct" for stratum in ("high", "middle", "low")),
        *(f"{stratum}_consensus_events" for stratum in ("high", "middle", "low")),
    ]
    assert lines[1] == "ES,other groups,61.45,40.00,27.10,16416,1000,79704"
    assert lines[4] == "Diverse,other groups,18.69,40.00,6.40,49248,1000,239112"
    assert [line.split(",")[1].strip('"') for line in lines[1:4]][:2] == ["other groups", "all others"]
    assert len(lines) == 7


def test_models_without_others_are_a_note():
    alone = example_consensus()
    assert len(table_49(alone).notes) == 1
    alone.loc[(alone["stratum"] == "undefined") & (alone["source"] == "es"), "events"] = 12
    assert table_49(alone).notes[1] == "Left out: up to 12 events of models for which there is no other model or group."


@pytest.mark.parametrize("builder", EXAMPLES)
def test_every_kind_of_output_holds_every_row(builder):
    table = builder(*EXAMPLES[builder](), SIMULATED)
    assert to_markdown(table).count("| ES (simulated) |") == to_latex(table).count("    ES (simulated) &")
    assert to_html(table).count('<th scope="row">') == len(table.rows)
    assert table.undefined == 0


@pytest.mark.parametrize("builder", EXAMPLES)
def test_missing_columns_are_named(builder):
    frames = EXAMPLES[builder]()
    column = "rate" if builder is table_49 else "persistent_error"
    name = builder.__name__
    with pytest.raises(PairedEvalError, match=f"{name}: the results lack the column {column}; run the analysis again"):
        builder(frames[0].drop(columns=column), *frames[1:])


def findings(**changed) -> list[str]:
    frames = {
        "consensus": example_consensus(),
        "labels": example_labels(),
        "changes": example_changes(),
        "endpoints": example_endpoints(),
    } | changed
    return [finding.text for finding in label_findings(**frames, simulated=SIMULATED)]


def test_findings_word_by_word():
    assert findings() == [
        "Judged by accepted labels (ReaL), mean accuracy after perturbation changes on ES (simulated) by −3.55 "
        "percentage points, and the share of persistent errors goes from 3.99% to 8.01%; on Diverse by −1.16 "
        "percentage points, and the share of persistent errors goes from 1.16% to 2.77%.",
        "With correctness attached to each record by accepted labels, {Ik} and {I5} leave the same end points of {L} "
        "and {dM_k} in all 1,834,272 classes of 9,504 cells, as Theorem 1 states; five-state counts narrow {H} in "
        "1,708. This was checked by enumeration in every class.",
        "A wrong answer on an unperturbed image that at least three quarters of the models of other groups share "
        "persists after perturbation in 61.5% of 16,416 events on ES (simulated) and in 18.7% of 49,248 events on "
        "Diverse. One that at most a quarter of them share persists in 27.1% of 79,704 events on ES (simulated) and "
        "in 6.4% of 239,112 events on Diverse.",
    ]


def test_findings_claim_nothing_that_the_checks_contradict():
    text = findings(endpoints=example_endpoints(lost_acceptance_differing=[3, 0], formula_differing=[0, 1]))[1]
    assert "Theorem" not in text
    assert (
        "of 1,834,272 classes of 9,504 cells, the end points at {Ik} and {I5} differ for {L} in 3 and {dM_k} in 0"
        in text
    )
    assert text.endswith("in every class; in 1 class it contradicts the closed forms.")


def test_shortened_classes_are_told():
    text = findings(endpoints=example_endpoints(shortened_classes=[5, 0]))[1]
    assert text.endswith(
        "This was checked by enumeration in five images of each class, and by correspondences of the whole classes "
        "that attain the end points."
    )


def test_no_shared_wrong_answers_are_a_finding():
    none = example_consensus()
    none.loc[none["stratum"] == "high", ["events", "rate"]] = [0, math.nan]
    assert findings(consensus=none)[2].startswith(
        "There is no wrong answer on an unperturbed image that at least three quarters of the models of other groups "
        "share. One that at most a quarter of them share persists in 27.1%"
    )


def test_a_study_without_annotations_says_so():
    (text,) = findings(labels=None, changes=None, endpoints=None)
    assert text.startswith("A wrong answer on an unperturbed image")
    assert text.endswith(
        "The study has no accepted labels beside the original ones, so that their influence is not known."
    )
