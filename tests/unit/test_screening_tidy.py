"""The tables of one source, end to end from files, against plain computations on the frames behind them."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.files import write_table
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION, write_records
from pairedeval.resampling import class_draws
from pairedeval.screening.grouping import METRICS
from pairedeval.screening.ranking import BUDGETS
from pairedeval.screening.scores import SCORES
from pairedeval.screening.subsets import prefixed_subsets
from pairedeval.screening.tidy import ScreeningTables, screen_source
from support.screening_study import (
    CAPTURES,
    CLASSES,
    MODELS,
    SOURCE,
    TIERS,
    Study,
    copies,
    plain_auroc,
    plain_recall,
    write_study,
)

SEED = 20260908
DRAWS = 6
CELL = ["half", "images", "model", "condition", "score"]


@pytest.fixture(scope="module")
def study(tmp_path_factory, root) -> Study:
    return write_study(tmp_path_factory.mktemp("study"), root)


def screen(study: Study, **changed) -> ScreeningTables:
    arguments = {
        "responses": study.responses,
        "image_scores": study.image_scores,
        "records": study.records,
        "tiers": study.tiers,
        "sets": study.sets,
        "seed": SEED,
        "draws": DRAWS,
    }
    return screen_source(**arguments | changed)


@pytest.fixture(scope="module")
def tables(study) -> ScreeningTables:
    return screen(study)


def plain_metrics(risk: pd.Series, failed: pd.Series) -> list[float]:
    return [plain_auroc(risk, failed), *(plain_recall(risk, failed, budget) for budget in BUDGETS)]


def test_every_cell_appears_once(tables):
    cells = tables.cells
    assert not cells.duplicated(CELL).any()
    scores = {"all": {*SCORES, "random"}}
    scores["non_singleton"] = {"confidence", "corruption_mean", "confidence_decrease"}
    scores["non_singleton"] |= {"deranged_mean", "deranged_decrease", "loo_mean"}
    scores["class_known"] = {"confidence", "corruption_mean", "class_mean_correct", "class_mean_all"}
    scores |= {third: {"confidence", "corruption_mean", "deranged_mean"} for third in ("low", "mid", "high")}
    for half, sets in {EVALUATION: scores, DEVELOPMENT: {"all": scores["all"]}}.items():
        found = cells[cells["half"] == half].groupby("images")["score"].agg(set).to_dict()
        assert found == sets
        count = len(MODELS) * len(CAPTURES) * sum(map(len, sets.values()))
        assert (cells["half"] == half).sum() == count
    assert (cells["source"] == SOURCE).all()
    assert cells.groupby("model")["group"].unique().map(list).to_dict() == {m: [g] for m, g in MODELS.items()}
    assert cells.groupby("condition")["tier"].unique().map(list).to_dict() == {c: [t] for c, t in TIERS.items()}


@pytest.mark.parametrize("half", [EVALUATION, DEVELOPMENT])
def test_cells_equal_plain_computations(study, tables, half):
    cells = tables.cells.set_index(CELL).sort_index()
    for model in MODELS:
        images = study.eligible(model, half)
        risks = {
            "confidence": -images["confidence"],
            "corruption_mean": -images["corruption_mean"],
            "confidence_decrease": images["confidence"] - images["corruption_mean"],
            "natural_mean": -images["natural_mean"],
        }
        for score, risk in risks.items():
            for condition in CAPTURES:
                row = cells.loc[(half, "all", model, condition, score)]
                assert (row["size"], row["failures"]) == (len(images), images[condition].sum())
                expected = plain_metrics(risk, images[condition])
                assert row[list(METRICS)].tolist() == pytest.approx(expected, abs=1e-14, nan_ok=True)


def test_evaluation_tiers_come_from_all_evaluation_images(study, tables):
    correct = {condition: [] for condition in CAPTURES}
    for _, records in study.frames.values():
        for condition in CAPTURES:
            rows = records[(records["condition"] == condition) & (records["split"] == EVALUATION)]
            correct[condition] += (rows["prediction"] == rows["label"]).tolist()
    expected = {}
    for condition, outcomes in correct.items():
        share = np.mean(outcomes)
        expected[condition] = "mild" if share >= 0.4 else "severe" if share >= 0.2 else "extreme"
    assert len(set(expected.values())) > 1
    assert dict(zip(tables.cells["condition"], tables.cells["evaluation_tier"], strict=True)) == expected
    stricter = screen(study, lowest={"mild": 0.99, "severe": 0.98}).cells
    assert (stricter["evaluation_tier"] == "extreme").all()


@pytest.mark.parametrize("half", [EVALUATION, DEVELOPMENT])
def test_draws_equal_a_loop_over_copied_images(study, tables, half):
    rows = tables.draws[(tables.draws["half"] == half) & (tables.draws["score"] == "confidence")]
    rows = rows.set_index(["tier_by", "tier", "metric", "draw"])
    tiers = {DEVELOPMENT: TIERS}
    if half == DEVELOPMENT:
        cells = tables.cells
        tiers[EVALUATION] = dict(zip(cells["condition"], cells["evaluation_tier"], strict=True))
    assert set(rows.index.get_level_values("tier_by")) == set(tiers)
    images = {model: study.eligible(model, half) for model in MODELS}
    for draw, times in enumerate(class_draws(CLASSES, SEED, DRAWS)):
        found = {
            (model, condition): plain_metrics(-table["confidence"], table[condition])
            for model in MODELS
            for table in [copies(images[model], times)]
            for condition in CAPTURES
        }
        for by, tier_of in tiers.items():
            for tier in set(tier_of.values()):
                values = np.array([value for (_, condition), value in found.items() if tier_of[condition] == tier])
                for place, metric in enumerate(METRICS):
                    row, defined = rows.loc[(by, tier, metric, draw)], ~np.isnan(values[:, place])
                    assert row["cells"] == defined.sum()
                    if defined.any():
                        assert row["mean"] == pytest.approx(values[defined, place].mean(), abs=1e-14)
                    else:
                        assert np.isnan(row["mean"])


def test_all_scores_share_the_cells_of_a_draw(tables):
    """The condition under which a difference of drawn means is a mean of paired differences."""
    complete = tables.draws[~tables.draws["score"].str.startswith("class_mean")]
    keys = ["half", "tier_by", "tier", "metric", "draw"]
    cells = complete.groupby(keys)["cells"]
    assert (cells.min() == cells.max()).all()
    assert set(tables.draws["score"]) == set(SCORES)


def test_selected_probes_come_from_the_other_half(study, tables):
    """A first step by hand: the probe whose recall on the other half is largest."""
    for half, other in ((EVALUATION, DEVELOPMENT), (DEVELOPMENT, EVALUATION)):
        rows = tables.selected[(tables.selected["half"] == half) & (tables.selected["pool"] == "natural")]
        assert rows["step"].tolist() == list(range(1, 19))
        assert rows["in_fixed"].tolist() == rows["condition"].isin(study.sets.fixed).tolist()
        recall = {condition: [] for condition in study.sets.transforms_all}
        for model, (responses, _) in study.frames.items():
            images = study.eligible(model, other)
            for condition in recall:
                answered = responses[responses["condition"] == condition].set_index("image_id")
                risk = -answered["true_class_probability"].reindex(images.index)
                recall[condition] += [plain_recall(risk, images[capture], 0.2) for capture in CAPTURES]
        means = {condition: np.nanmean(values) for condition, values in recall.items()}
        assert rows["recall"].iloc[0] == pytest.approx(max(means.values()))
        assert means[rows["condition"].iloc[0]] == pytest.approx(max(means.values()))


def test_subsets_average_the_mild_evaluation_cells(study, tables):
    rows = tables.subsets.set_index(["pool", "kind", "name"])
    assert not rows.index.duplicated().any()
    positions = {("corruption", "severity", "4"): [p for p, s in enumerate(study.sets.severities) if s == 4]}
    positions["corruption", "type", "fog"] = [p for p, name in enumerate(study.sets.types) if name == "fog"]
    positions["natural", "probe", "flip"] = [study.sets.fixed.index("flip")]
    for subset in prefixed_subsets(SEED, sizes=(6,))[:3]:
        positions["natural", "prefixed", subset.name] = list(subset.positions)
    for key, places in positions.items():
        names = [(study.sets.fixed if key[0] == "natural" else study.sets.primary)[place] for place in places]
        metrics, errors = [], []
        for model, (responses, _) in study.frames.items():
            images = study.eligible(model, EVALUATION)
            chosen = responses[responses["condition"].isin(names)]
            total = chosen.groupby("image_id")["true_class_probability"].mean().reindex(images.index)
            metrics += [plain_metrics(-total, images[name]) for name in ("l1-k01", "l1-k02")]
            rest = chosen[chosen["image_id"].isin(study.eligible(model, DEVELOPMENT).index)]
            errors.append((rest["prediction"] != rest["label"]).mean())
        row = rows.loc[key]
        assert row["size"] == len(places)
        assert (row["auroc"], row["recall_20"]) == pytest.approx(tuple(np.nanmean(metrics, axis=0)[[0, 2]]))
        assert row["error_rate"] == pytest.approx(np.mean(errors))


def test_further_tables_have_one_row_for_each_key(tables):
    halves = len(MODELS) * 2
    assert len(tables.images) == halves
    assert tables.fits.groupby(["half", "model"]).size().unique().tolist() == [4]
    assert len(tables.terciles) == len(MODELS) * len(CAPTURES) * 3
    for field in fields(tables):
        assert (getattr(tables, field.name)["source"] == SOURCE).all()


def test_facts_of_images_equal_plain_computations(study, tables):
    found = tables.images.set_index(["half", "model"])
    for half in (EVALUATION, DEVELOPMENT):
        for model, (responses, _) in study.frames.items():
            images = study.eligible(model, half)
            decrease = images["confidence"] - images["corruption_mean"]
            row = found.loc[(half, model)]
            expected = (-images["corruption_mean"]).corr(decrease, method="spearman")
            assert row["mean_decrease_correlation"] == pytest.approx(expected)
            probes = responses[responses["condition"].isin(study.sets.primary)]
            kept = (probes["prediction"] == probes["label"]).groupby(probes["image_id"]).sum().reindex(images.index)
            assert (row["images"], row["retention_values"]) == (len(images), kept.nunique())


def test_retention_gaps_equal_plain_computations(study, tables):
    found = tables.terciles.set_index(["model", "images", "condition"])["retention_gap"]
    for model in MODELS:
        images = study.eligible(model, EVALUATION)
        images = images[images.groupby("label")["label"].transform("size") > 1]
        cuts = images["confidence"].quantile([1 / 3, 2 / 3]).to_numpy()
        third = (images["confidence"] >= cuts[0]).astype(int) + (images["confidence"] >= cuts[1])
        for place, name in enumerate(("low", "mid", "high")):
            stratum = images[third == place]
            mean = stratum["corruption_mean"]
            for condition in CAPTURES:
                kept = ~stratum[condition]
                expected = kept[mean > mean.median()].mean() - kept[mean < mean.median()].mean()
                assert found[model, name, condition] == pytest.approx(expected, nan_ok=True)


def test_the_order_of_models_changes_no_value(study, tables):
    turned = {name: list(reversed(getattr(study, name))) for name in ("responses", "image_scores", "records")}
    found = screen(study, **turned)
    for name, keys in (
        ("cells", CELL),
        ("fits", ["half", "model", "predictor"]),
        ("terciles", ["model", "images", "condition"]),
    ):
        first, second = (getattr(one, name).set_index(keys).sort_index() for one in (tables, found))
        pd.testing.assert_frame_equal(first, second)
    keys = ["half", "tier_by", "tier", "score", "metric", "draw"]
    first, second = (one.draws.set_index(keys).sort_index() for one in (tables, found))
    pd.testing.assert_frame_equal(first, second, rtol=1e-12)


def test_a_repeated_run_gives_the_same_tables(study, tables):
    again = screen(study)
    for field in fields(tables):
        pd.testing.assert_frame_equal(getattr(tables, field.name), getattr(again, field.name), check_exact=True)


def test_conditions_need_a_tier(study):
    with pytest.raises(RecordsError, match=r"source es: condition l5-k02 has no tier; assign tiers"):
        screen(study, tiers=study.tiers.iloc[:3])


def test_files_of_other_models_are_refused(study):
    turned = list(reversed(study.records))
    with pytest.raises(RecordsError, match=r"c.parquet: records of c beside responses of a; list the files"):
        screen(study, records=turned)


def test_models_of_other_conditions_images_or_sources_are_refused(study, tmp_path):
    records = study.frames["b"][1]
    for changed, source, message in (
        (records[records["condition"] != "l5-k01"], SOURCE, r"only some models have condition l5-k01; infer it"),
        (records, "diverse", r"source diverse beside es; screen one source at a time"),
        (records[records["image_id"] != "image-07"], SOURCE, r"other evaluation images than those of a"),
    ):
        path = tmp_path / "b.parquet"
        write_records(changed, path, {"source": source, "model": "b", "group": "two"})
        with pytest.raises(RecordsError, match=message):
            screen(study, records=[study.records[0], path, study.records[2]])


def test_a_model_without_a_clean_record_fails_clearly(study, tmp_path):
    path = tmp_path / "a.parquet"
    records = study.frames["a"][1]
    write_table(records[records["condition"] != CLEAN], path, {"source": SOURCE, "model": "a", "group": "one"})
    with pytest.raises(RecordsError, match=r"a.parquet: no clean records"):
        screen(study, records=[path, *study.records[1:]])
