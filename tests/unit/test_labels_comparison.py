"""Comparisons of original with accepted labels: from files to summaries, and endpoint checks that can fail."""

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.identification import events
from pairedeval.labels import rearrangement
from pairedeval.labels.annotations import Annotations, annotation_table
from pairedeval.labels.comparison import compare_records, compare_source
from pairedeval.labels.endpoints import check_endpoints
from pairedeval.labels.summaries import summarise_changes, summarise_endpoints, summarise_labels
from pairedeval.records import Predictions, RecordBlock, write_records

METADATA = {"source": "es", "model": "m", "group": "g", "candidates": ["a", "b"]}
# Evaluation images: 01 and 02 of class a, 11 and 12 of class b; the first of each is right, the second wrong.
SETS = {"image-01": ["a", "b"], "image-02": ["b"], "image-11": ["z"], "image-12": []}
ANNOTATIONS = Annotations(annotation_table(SETS), "test", "Accepted labels: made up.")


def cell(cells: pd.DataFrame, subset: str, labels: str) -> pd.Series:
    return cells[(cells["subset"] == subset) & (cells["labels"] == labels)].iloc[0]


def test_cells_by_hand(records):
    cells, endpoints = compare_records(records, METADATA, ANNOTATIONS)
    assert cells.columns[:3].tolist() == endpoints.columns[:3].tolist() == ["source", "model", "group"]
    # image-01 is right by both, image-02 by its accepted label alone, image-11 by its original label alone.
    original, accepted = cell(cells, "matched", "original"), cell(cells, "matched", "accepted")
    assert original[["images", "excluded"]].tolist() == [3, 1]
    assert original[["perturbed_accuracy", "retained_correct", "persistent_error"]].tolist() == pytest.approx(
        [2 / 3, 2 / 3, 1 / 3]
    )
    assert accepted[["perturbed_accuracy", "retained_correct", "persistent_error"]].tolist() == pytest.approx(
        [2 / 3, 2 / 3, 1 / 3]
    )
    assert cell(cells, "retained", "accepted")["images"] == cell(cells, "incompatible", "accepted")["images"] == 1
    assert cell(cells, "incompatible", "original")["persistent_error"] == 0
    assert cell(cells, "incompatible", "accepted")["persistent_error"] == 1
    # Only image-01 keeps its original label: 0.8 before and 0.5 after.
    assert accepted["confidence_drop"] == original["confidence_drop"] == pytest.approx(0.3)
    assert np.isnan(cell(cells, "removed", "accepted")["confidence_drop"])


def test_the_threshold_is_that_of_all_clean_development_images(records):
    """Two development images of confidence 0.9 accept nothing else; lower ones would let image-01 in."""
    cells, _ = compare_records(records, METADATA, ANNOTATIONS)
    assert cell(cells, "matched", "accepted")["lost_acceptance"] == 0
    easier = records.copy()
    development = (easier["split"] == "development") & (easier["condition"] == "clean")
    easier.loc[development, ["confidence", "true_class_probability"]] = 0.75
    cells, _ = compare_records(easier, METADATA, ANNOTATIONS)
    assert cell(cells, "matched", "accepted")["lost_acceptance"] == pytest.approx(1 / 3)


def test_files_are_compared_in_their_order(records, tmp_path):
    paths = [tmp_path / f"{model}.parquet" for model in ("z", "a")]
    for path in paths:
        write_records(records, path, METADATA | {"model": path.stem})
    cells, endpoints = compare_source(paths, ANNOTATIONS)
    assert cells["model"].drop_duplicates().tolist() == endpoints["model"].tolist() == ["z", "a"]


def test_images_without_any_accepted_label_are_refused(records):
    empty = Annotations(annotation_table({image: [] for image in SETS}), "test", "None.")
    with pytest.raises(PairedEvalError, match=r"annotations: no image of m\.parquet has an accepted label"):
        compare_records(records, METADATA, empty, place="m.parquet")


def counterexample() -> RecordBlock:
    """Build the class of Appendix A.6: one correct clean record, no correct perturbed one, one persistent error."""
    clean = Predictions(np.array([0, 1, 2]), np.array([0.8, 0.7, 0.7]), np.array([0.8, 0.1, 0.1]))
    perturbed = Predictions(np.array([[2, 1, 1]]), np.array([[0.5, 0.7, 0.5]]), np.full((1, 3), 0.1))
    return RecordBlock(np.zeros(3, dtype=int), np.array(["a", "b", "c"]), ("dark",), clean, perturbed)


def retaining() -> RecordBlock:
    """Build a class whose single retained pair can lose acceptance or not, by one of two records a side."""
    clean = Predictions(np.array([0, 0, 1]), np.array([0.9, 0.5, 0.9]), np.array([0.9, 0.5, 0.1]))
    perturbed = Predictions(np.array([[0, 1, 0]]), np.array([[0.5, 0.9, 0.9]]), np.array([[0.5, 0.1, 0.9]]))
    return RecordBlock(np.zeros(3, dtype=int), np.array(["a", "b", "c"]), ("dark",), clean, perturbed)


def test_five_state_counts_narrow_a_class():
    found = check_endpoints(counterexample(), 0.6).iloc[0]
    assert found["narrower_classes"] == 1
    assert found[["lost_acceptance_differing", "confidence_drop_differing", "formula_differing"]].tolist() == [0, 0, 0]


def test_classes_beyond_five_images_are_shortened():
    block = counterexample()
    repeated = RecordBlock(
        np.zeros(6, dtype=int),
        np.arange(6),
        ("dark",),
        *(
            Predictions(*(np.concatenate([values, values], axis=-1) for values in vars(side).values()))
            for side in (block.clean, block.perturbed)
        ),
    )
    assert check_endpoints(repeated, 0.6)["shortened_classes"].tolist() == [1]
    assert check_endpoints(block, 0.6)["shortened_classes"].tolist() == [0]


def test_ends_that_no_correspondence_attains_are_counted(monkeypatch):
    assert not check_endpoints(retaining(), 0.6)["lost_acceptance_differing"].any()

    def unmoved(classes, correct, overlap, key, *, backwards):
        return np.broadcast_to(np.arange(correct.shape[1]), correct.shape)

    monkeypatch.setattr(rearrangement, "_places", unmoved)
    found = check_endpoints(retaining(), 0.6)
    assert (found["lost_acceptance_differing"] + found["confidence_drop_differing"]).tolist() == [2]


def test_rearrangements_that_change_a_count_are_counted(monkeypatch):
    def turned(classes, correct, overlap, key, *, backwards):
        return np.broadcast_to((np.arange(correct.shape[1]) + backwards) % correct.shape[1], correct.shape)

    monkeypatch.setattr(rearrangement, "_places", turned)
    reached = rearrangement.attained(counterexample(), 0.6, "L")
    assert not reached.feasible.any()


def test_wrong_closed_forms_are_counted(monkeypatch):
    def halved(counts, overlap):
        return np.zeros_like(overlap), np.zeros_like(overlap)

    monkeypatch.setattr(events, "lost_acceptance", halved)
    assert check_endpoints(retaining(), 0.6)["formula_differing"].tolist() == [1]


def labelled_cells(*rows) -> pd.DataFrame:
    """Build cells from (subset, labels, images, accuracy, h, moved h)."""
    table = pd.DataFrame(
        rows, columns=["subset", "labels", "images", "perturbed_accuracy", "harmful_flip", "moved_harmful_flip"]
    )
    zero = ["clean_accuracy", "agreement", "correction", "persistent_error", "changed_error", "retained_correct"]
    zero += ["retained_equal", "retained_different", "accepted_error_transition", "lost_acceptance"]
    zero += ["moved_changed_error", "identity_residual"]
    table = table.assign(source="es", model="m", group="g", condition="x", excluded=27, confidence_drop=np.nan)
    return table.assign(**dict.fromkeys(zero, 0.0))


# Two cells of 473 images as in Appendix J.1, of which 435 have an accepted candidate.
CELLS = labelled_cells(
    ("matched", "original", 473, 0.6, 0.3, 0.0),
    ("matched", "original", 473, 0.8, 0.1, 0.0),
    ("matched", "accepted", 473, 0.5, 0.2, 0.03),
    ("matched", "accepted", 473, 0.8, 0.1, 0.05),
    *((subset, kind, images, a, 0.0, 0.0)
      for subset, images, accuracies in (("compatible", 435, (0.6, 0.5)), ("incompatible", 38, (0.7, 0.0)),
                                         ("retained", 424, (0.5, 0.5)), ("removed", 49, (0.5, 0.5)))
      for kind, a in zip(("original", "accepted"), accuracies, strict=True)),
)  # fmt: skip


def test_changes_add_up_over_images_with_and_without_an_accepted_candidate():
    found = summarise_changes(CELLS, ANNOTATIONS).iloc[0]
    assert found[["annotations", "description", "cells"]].tolist() == ["test", "Accepted labels: made up.", 2]
    counts = ["evaluation_images", "excluded", "matched", "compatible", "incompatible", "retained", "removed"]
    assert found[counts].tolist() == [500, 27, 473, 435, 38, 424, 49]
    assert found["accuracy_change"] == pytest.approx(-0.05)
    assert found["compatible_change"] == pytest.approx(-0.1 * 435 / 473)
    assert found["incompatible_change"] == pytest.approx(-0.7 * 38 / 473)


def test_real_cells_split_their_change_exactly(records):
    cells, _ = compare_records(records, METADATA, ANNOTATIONS)
    found = summarise_changes(cells, ANNOTATIONS).iloc[0]
    assert found["compatible_change"] + found["incompatible_change"] == pytest.approx(found["accuracy_change"])
    assert (found["compatible_change"], found["incompatible_change"]) == pytest.approx((1 / 3, -1 / 3))


def test_moved_pairs_are_pooled_and_averaged():
    found = summarise_changes(CELLS, ANNOTATIONS).iloc[0]
    assert found["harmful_flips_moved"] == pytest.approx(0.08 / 0.4)
    assert found["harmful_flips_moved_cellwise"] == pytest.approx((0.03 / 0.3 + 0.05 / 0.1) / 2)
    assert found["harmful_flips_moved_cells"] == 2
    # No changed error at all: undefined, not zero.
    assert np.isnan(found[["changed_errors_moved", "changed_errors_moved_cellwise"]].astype(float)).all()
    assert found["changed_errors_moved_cells"] == 0


def test_images_that_all_have_an_accepted_candidate(records):
    sets = SETS | {"image-11": ["b"]}
    cells, _ = compare_records(records, METADATA, Annotations(annotation_table(sets), "test", "Made up."))
    found = summarise_changes(cells, ANNOTATIONS).iloc[0]
    assert (found["incompatible"], found["incompatible_change"]) == (0, 0)
    assert found["compatible_change"] == pytest.approx(found["accuracy_change"])


def test_means_weigh_cells_equally_and_count_undefined_ones():
    found = summarise_labels(CELLS).set_index(["subset", "labels"])
    assert found.loc[("matched", "original"), ["images", "cells", "undefined"]].tolist() == [473, 2, 2]
    assert found.loc[("matched", "original"), "perturbed_accuracy"] == pytest.approx(0.7)
    assert np.isnan(found.loc[("matched", "accepted"), "confidence_drop"])


def test_endpoint_checks_add_up(records):
    _, endpoints = compare_records(records, METADATA, ANNOTATIONS)
    found = summarise_endpoints(pd.concat([endpoints, endpoints])).iloc[0]
    assert found[["source", "cells", "classes", "shortened_classes"]].tolist() == ["es", 2, 4, 0]
    assert found[["lost_acceptance_differing", "confidence_drop_differing", "formula_differing"]].sum() == 0
