"""Samples of matched support, and widths on them."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.identification import identify
from pairedeval.identification.matched_support import (
    MATCHING_SEEDS,
    evaluation_images,
    match_records,
    match_support,
    select_matched,
)
from pairedeval.identification.support_summaries import summarise_strata, summarise_support
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION, block, write_records
from pairedeval.states import acceptance_threshold

METADATA = {"source": "es", "model": "m", "group": "g", "candidates": ["n01", "n02"]}


def images(**sources: str) -> pd.DataFrame:
    """Build images from one letter of a class each, numbered within their source."""
    rows = [
        (source, f"n{letter}", f"{letter}{place}")
        for source, text in sources.items()
        for place, letter in enumerate(text)
    ]
    return pd.DataFrame(rows, columns=["source", "class_id", "image_id"])


def random_records(seed: int, images_per_class: int = 8, conditions: int = 3) -> pd.DataFrame:
    """Draw records of two classes, half of them development."""
    random = np.random.default_rng(seed)
    rows = []
    for condition in [CLEAN, *(f"c{number}" for number in range(conditions))]:
        for label in (0, 1):
            for place in range(images_per_class):
                correct = random.random() < 0.6
                confidence = random.integers(50, 100) / 100
                rows.append(
                    {
                        "condition": condition,
                        "image_id": f"{label}-{place}",
                        "label": label,
                        "prediction": label if correct else 1 - label,
                        "split": DEVELOPMENT if place % 2 else EVALUATION,
                        "confidence": confidence,
                        "true_class_probability": confidence if correct else 1 - confidence,
                    }
                )
    return pd.DataFrame(rows)


def test_matching_keeps_common_classes_and_the_smallest_count():
    chosen = select_matched(images(syn="aaabbbccc", es="aaabb"), [1, 2])
    counts = chosen.groupby(["seed", "source", "class_id"]).size()
    assert counts.to_dict() == {
        (seed, source, name): 2 for seed in (1, 2) for source in ("es", "syn") for name in ("na", "nb")
    }


def test_the_order_is_the_hash_of_seed_source_class_and_image():
    table = images(syn="aaaaaaaa", es="aaa")
    chosen = select_matched(table, [20260910])
    names = table.loc[table["source"] == "syn", "image_id"]
    ordered = sorted(names, key=lambda name: hashlib.sha256(f"20260910\x1fsyn\x1fna\x1f{name}".encode()).hexdigest())
    assert set(chosen.loc[chosen["source"] == "syn", "image_id"]) == set(ordered[:3])


def test_samples_depend_on_the_seed_and_not_on_the_row_order():
    table = images(syn="a" * 40, es="a" * 10)
    samples = [
        set(select_matched(rows, [seed])["image_id"]) for rows, seed in ((table, 1), (table[::-1], 1), (table, 2))
    ]
    assert samples[0] == samples[1] != samples[2]


def test_the_five_seeds_of_the_paper():
    assert list(MATCHING_SEEDS) == list(range(20260910, 20260915))


def test_sources_without_a_common_class_are_refused():
    with pytest.raises(RecordsError, match="no true class stands in all of syn, es; match other sources"):
        select_matched(images(syn="a", es="b"))


def test_evaluation_images_are_read_once_a_source(tmp_path):
    paths = [tmp_path / source / f"{model}.parquet" for source in ("syn", "es") for model in "ab"]
    for path in paths:
        write_records(random_records(1), path, METADATA | {"source": path.parent.name, "model": path.stem})
    paths[1].unlink()
    write_records(random_records(2, images_per_class=2), paths[1], METADATA | {"source": "syn"})
    table = evaluation_images(paths)
    assert table.groupby(["source", "class_id"]).size().to_dict() == {
        ("es", "n01"): 4,
        ("es", "n02"): 4,
        ("syn", "n01"): 4,
        ("syn", "n02"): 4,
    }


def test_records_without_class_ids_are_refused(tmp_path):
    write_records(random_records(1), tmp_path / "m.parquet", {"source": "es", "model": "m", "group": "g"})
    with pytest.raises(RecordsError, match=r"m.parquet: the metadata lack the ids of the candidate classes; infer"):
        evaluation_images([tmp_path / "m.parquet"])


def test_widths_equal_those_of_the_sampled_records_at_the_native_threshold():
    frame = random_records(3, images_per_class=12)
    sample = ["0-0", "0-4", "0-6", "1-2", "1-8", "1-10"]
    table = (
        match_records(frame, METADATA, ["c2", "c0"], {"7": sample})
        .set_index(["sample", "condition", "target"])
        .sort_index()
    )
    threshold = acceptance_threshold(block(frame, DEVELOPMENT).clean.confidence)
    for name, kept in {"native": frame, "7": frame[frame["image_id"].isin(sample)]}.items():
        evaluation = block(kept, EVALUATION)
        found = identify(evaluation, threshold)
        correct = (evaluation.clean.prediction == evaluation.labels) & (evaluation.clean.confidence >= threshold)
        for place, condition in ((0, "c0"), (2, "c2")):
            wrong = evaluation.perturbed.prediction[place] != evaluation.labels
            kept_score = evaluation.perturbed.confidence[place] >= threshold
            assert table.loc[(name, condition), "overlap_share"].tolist() == [found.overlap[place] / found.size] * 3
            for target, event in (("H", wrong & kept_score), ("L", ~wrong & ~kept_score)):
                row = table.loc[(name, condition, target)]
                intervals = found.targets[target].intervals
                assert row["width"] == intervals["I5"].width[place]
                assert row["largest"] == intervals["I0"].upper[place]
                assert (row["clean_event"], row["perturbed_event"]) == (correct.mean(), event.mean())
            drop = table.loc[(name, condition, "dM_k")]
            assert drop["width"] == pytest.approx(found.targets["dM_k"].intervals["I5"].width[place], nan_ok=True)
            assert drop[["largest", "normalised", "clean_event", "perturbed_event"]].isna().all()
    assert set(table.loc["native", "n"]) == {12}
    assert set(table.loc["7", "n"]) == {6}


def test_a_panel_is_matched_file_by_file(tmp_path):
    for model in "ab":
        write_records(random_records(ord(model)), tmp_path / f"{model}.parquet", METADATA | {"model": model})
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    panel = pd.DataFrame({"source": "es", "model": "b", "condition": ["c1", "c0"]})
    table = match_support(paths, panel, select_matched(evaluation_images(paths), [1, 2]))
    assert table[["source", "model", "group"]].drop_duplicates().values.tolist() == [["es", "b", "g"]]
    assert table["sample"].unique().tolist() == ["native", "1", "2"]
    assert set(table["condition"]) == {"c0", "c1"}
    assert len(table) == 3 * 2 * 3


def test_a_missing_condition_and_an_empty_panel_are_refused(tmp_path):
    with pytest.raises(RecordsError, match=r"m.parquet: no records of condition fog-2; infer it or select another"):
        match_records(random_records(1), METADATA, ["c0", "fog-2"], {}, place="m.parquet")
    write_records(random_records(1), tmp_path / "m.parquet", METADATA)
    panel = pd.DataFrame({"source": ["es"], "model": ["other"], "condition": ["c0"]})
    matched = pd.DataFrame({"source": ["es"], "seed": [1], "image_id": ["0-0"]})
    with pytest.raises(
        RecordsError, match="no record file holds a cell of the panel; select the panel from these models"
    ):
        match_support([tmp_path / "m.parquet"], panel, matched)


def test_records_that_break_the_contract_are_refused():
    frame = random_records(1)
    frame.loc[0, "confidence"] = 1.5
    with pytest.raises(RecordsError, match=r"m.parquet: condition clean, image 0-0: confidence is not a probability"):
        match_records(frame, METADATA, ["c0"], {}, place="m.parquet")


def widths(*rows) -> pd.DataFrame:
    """Build widths from (sample, condition, width, normalised, overlap share, perturbed event)."""
    columns = ["sample", "condition", "width", "normalised", "overlap_share", "perturbed_event"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(source="es", target="H", n=4, clean_event=0.5)


def test_seeds_are_averaged_first_and_then_weighted_equally():
    table = widths(
        ("native", "a", 0.2, 0.5, 0.4, 0.2),
        ("native", "b", 0.0, np.nan, 0.4, 0.2),
        ("1", "a", 0.1, 0.2, 0.4, 0.2),
        ("1", "b", np.nan, np.nan, 0.4, 0.2),
        ("2", "a", 0.3, 0.4, 0.4, 0.2),
        ("2", "b", 0.7, 0.8, 0.4, 0.2),
    )
    found = summarise_support(table).set_index("sample")
    assert found.index.tolist() == ["native", "1", "2", "matched"]
    assert found["mean_width"].tolist() == pytest.approx([0.1, 0.1, 0.5, 0.3])
    assert found.loc["matched", ["lowest", "highest", "mean_normalised"]].tolist() == pytest.approx([0.1, 0.5, 0.4])
    assert found["cells"].tolist() == [2, 1, 2, 3]
    assert found["undefined"].tolist() == [0, 1, 0, 1]
    assert found["positive_cells"].tolist() == [1, 1, 2, 3]
    assert found["normalised_cells"].tolist() == [1, 1, 2, 3]


@pytest.mark.parametrize(
    ("share", "stratum"),
    [(0.0, "[0,0.1)"), (0.099, "[0,0.1)"), (50 / 500, "[0.1,0.5)"), (0.5, "[0.5,1]"), (1.0, "[0.5,1]")],
)
def test_overlap_strata_hold_their_lower_end(share, stratum):
    table = widths(("native", "a", 0.2, 0.5, share, 0.2), ("1", "a", 0.4, 0.5, share, 0.2))
    found = summarise_strata(table)
    rows = found[found["quantity"] == "overlap_share"].set_index(["stratum", "sample"])
    assert rows.loc[(stratum, "native"), ["mean_width", "cells"]].tolist() == [0.2, 1]
    assert rows.loc[(stratum, "matched"), ["mean_width", "cells"]].tolist() == [0.4, 1]
    others = rows.drop(index=stratum, level="stratum")
    assert others["mean_width"].isna().all()
    assert (others["cells"] == 0).all()
    assert rows.index.unique("stratum").tolist() == ["[0,0.1)", "[0.1,0.5)", "[0.5,1]"]


@pytest.mark.parametrize(("share", "stratum"), [(0.1, "[0.1,0.3)"), (150 / 500, "[0.3,1]"), (1.0, "[0.3,1]")])
def test_event_strata_hold_their_lower_end(share, stratum):
    found = summarise_strata(widths(("native", "a", 0.2, 0.5, 0.4, share), ("1", "a", 0.4, 0.5, 0.4, share)))
    rows = found[(found["quantity"] == "perturbed_event") & (found["cells"] > 0)]
    assert set(rows["stratum"]) == {stratum}


def test_the_confidence_drop_has_strata_of_overlap_only():
    table = widths(("native", "a", 0.2, np.nan, 0.4, np.nan), ("1", "a", 0.2, np.nan, 0.4, np.nan))
    found = summarise_strata(table.assign(target="dM_k", clean_event=np.nan))
    assert set(found["quantity"]) == {"overlap_share"}
