"""Summaries of the screening, row by row against pandas on simulated tables."""

import itertools

import numpy as np
import pandas as pd
import pytest

from pairedeval.resampling import group_draws
from pairedeval.screening.all_summaries import summarise_screening
from pairedeval.screening.differences import pairs_of, summarise_differences
from pairedeval.screening.facts import summarise_facts
from pairedeval.screening.grouping import METRICS, by_tier, in_order
from pairedeval.screening.probe_summaries import summarise_probes, summarise_selection, summarise_subset_sizes
from pairedeval.screening.scores import SCORES
from pairedeval.screening.summaries import (
    mild_gains,
    summarise_ablation,
    summarise_ceilings,
    summarise_gains,
    summarise_means,
    summarise_terciles,
)
from pairedeval.screening.tidy import screen_source
from support.screening_study import TIERS, write_study

SEED = 5
SOURCES = ("es", "diverse")
MODELS = {"a": "one", "b": "one", "c": "two", "d": "three"}
CONDITIONS = {"x": ("mild", "mild"), "y": ("mild", "mild"), "z": ("severe", "mild"), "w": ("extreme", "extreme")}
ALL_SCORES = (*SCORES, "random")
SCORES_ON = {
    "all": ALL_SCORES,
    "non_singleton": (
        "confidence",
        "corruption_mean",
        "confidence_decrease",
        "deranged_mean",
        "deranged_decrease",
        "loo_mean",
    ),
    "class_known": ("confidence", "corruption_mean", "class_mean_correct", "class_mean_all"),
    **dict.fromkeys(("low", "mid", "high"), ("confidence", "corruption_mean", "deranged_mean")),
}
SIZES = {"all": 50, "non_singleton": 45, "class_known": 48, "low": 15, "mid": 15, "high": 15}


def drawn_cells() -> pd.DataFrame:
    """Draw cells: values in steps of 1/16, so that scores tie; model d has no AUROC under w, nor failures under x."""
    random = np.random.default_rng(1)
    rows = []
    halves = {"evaluation": SCORES_ON, "development": {"all": ALL_SCORES}}
    for source, half in itertools.product(SOURCES, halves):
        for images, scores in halves[half].items():
            for (model, group), (condition, tiers) in itertools.product(MODELS.items(), CONDITIONS.items()):
                size = SIZES[images] - ord(model) % 3 * (images == "non_singleton")
                failures = 0 if (model, condition) == ("d", "x") else int(random.integers(1, size))
                mixed = random.random() > 0.3
                for score in scores:
                    values = random.integers(0, 17, 4) / 16
                    if score == "random" or failures == 0 or (model, condition) == ("d", "w"):
                        values[0] = np.nan
                    if failures == 0:
                        values[1:] = np.nan
                    keys = (source, half, model, group, images, condition, *tiers)
                    rows.append((*keys, score, size, failures, not mixed, *values))
    names = ["source", "half", "model", "group", "images", "condition", "tier", "evaluation_tier"]
    return pd.DataFrame(rows, columns=[*names, "score", "size", "failures", "degenerate", *METRICS])


def drawn_means() -> pd.DataFrame:
    """Draw means over class draws; one predictor lacks a cell on severe conditions of the primary half."""
    random = np.random.default_rng(2)
    rows = []
    for source, half in itertools.product(SOURCES, ("evaluation", "development")):
        for by in ("development",) if half == "evaluation" else ("development", "evaluation"):
            for tier, metric in itertools.product(("mild", "severe", "extreme"), METRICS):
                if (by, tier) == ("evaluation", "severe"):
                    continue
                cells = random.integers(3, 9, 40)
                for score in SCORES:
                    short = (score, half, tier) == ("predictor_confidence", "evaluation", "severe")
                    for draw in range(40):
                        kept = cells[draw] - (short and draw == 7)
                        rows.append((source, half, by, tier, score, metric, draw, random.random(), kept))
    return pd.DataFrame(rows, columns=["source", "half", "tier_by", "tier", "score", "metric", "draw", "mean", "cells"])


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    return drawn_cells()


@pytest.fixture(scope="module")
def draws() -> pd.DataFrame:
    return drawn_means()


@pytest.fixture(scope="module")
def means(cells) -> pd.DataFrame:
    return summarise_means(cells)


@pytest.fixture(scope="module")
def differences(cells, draws) -> pd.DataFrame:
    return summarise_differences(cells, draws, SEED, group_draws=100)


def group_of(cells: pd.DataFrame, source: str, half: str, tier_by: str, tier: str, images: str) -> pd.DataFrame:
    """Choose the rows that a summary row is about, without `by_tier`."""
    column = "evaluation_tier" if tier_by == "evaluation" else "tier"
    chosen = (cells["source"] == source) & (cells["half"] == half) & (cells["images"] == images)
    return cells[chosen & ((cells[column] == tier) | (tier == "all"))]


def test_means_equal_pandas(cells, means):
    keys = ["source", "half", "tier_by", "tier", "images"]
    assert not means.duplicated([*keys, "score", "metric"]).any()
    for values, rows in means.groupby(keys):
        part = group_of(cells, *values)
        by_score = part.groupby("score")[list(METRICS)]
        average, count, size = by_score.mean(), by_score.count(), by_score.size()
        assert len(rows) == len(size) * len(METRICS)
        for row in rows.itertuples():
            assert row.mean == pytest.approx(average.loc[row.score, row.metric], nan_ok=True)
            assert row.cells == count.loc[row.score, row.metric]
            assert row.undefined == size[row.score] - row.cells


def test_means_have_every_group(means):
    groups = means.groupby(["half", "tier_by", "images"])["tier"].agg(lambda tiers: list(dict.fromkeys(tiers)))
    tiers = ["mild", "severe", "extreme"]
    assert groups["evaluation", "development", "all"] == [*tiers, "all"]
    assert groups["evaluation", "development", "non_singleton"] == tiers
    assert groups["evaluation", "development", "class_known"] == tiers
    assert groups["evaluation", "development", "low"] == [*tiers, "all"]
    assert groups["development", "development", "all"] == tiers
    # By evaluation accuracy the severe condition is mild.
    assert groups["development", "evaluation", "all"] == ["mild", "extreme"]
    assert ("evaluation", "evaluation", "all") not in groups


def test_rows_come_in_the_order_of_sources_halves_tiers_and_sets():
    rows = pd.DataFrame(
        {
            "source": ["es", "diverse", "es", "es", "es"],
            "half": ["development", "evaluation", "evaluation", "evaluation", "evaluation"],
            "tier": ["mild", "mild", "all", "extreme", "mild"],
            "score": ["b", "a", "a", "a", "a"],
        }
    )
    found = in_order(rows.assign(place=range(5)), "score")
    assert found["place"].tolist() == [4, 3, 2, 0, 1]


def test_cells_are_repeated_under_their_tiers(cells):
    found = by_tier(cells)
    for values, rows in found.groupby(["source", "half", "tier_by", "tier", "images"]):
        pd.testing.assert_frame_equal(
            rows.drop(columns=["tier_by", "tier"]).reset_index(drop=True),
            group_of(cells, *values).drop(columns=["tier", "evaluation_tier"]).reset_index(drop=True),
        )


def test_differences_equal_pandas(cells, differences):
    keys = ["model", "group", "condition"]
    sampled = differences.sample(300, random_state=0)
    for row in sampled.itertuples():
        part = group_of(cells, row.source, row.half, row.tier_by, row.tier, row.images)
        one, other = (part[part["score"] == name].set_index(keys)[row.metric] for name in (row.score, row.baseline))
        gap = one - other
        assert row.mean == pytest.approx(gap.mean(), nan_ok=True)
        assert (row.cells, row.undefined) == (gap.notna().sum(), gap.isna().sum())
        assert row.wins == pytest.approx((gap.dropna() > 0).mean(), nan_ok=True)
        by_group = gap.groupby("group").mean()
        assert (row.group_lowest, row.group_highest) == pytest.approx((by_group.min(), by_group.max()), nan_ok=True)


def test_group_intervals_equal_a_loop_over_draws(cells, differences):
    names = sorted(set(MODELS.values()))
    row = differences.set_index(["source", "half", "tier_by", "tier", "images", "score", "baseline", "metric"]).loc[
        ("es", "evaluation", "development", "mild", "all", "corruption_mean", "confidence", "auroc")
    ]
    part = group_of(cells, "es", "evaluation", "development", "mild", "all").set_index(["group", "model", "condition"])
    gap = part[part["score"] == "corruption_mean"]["auroc"] - part[part["score"] == "confidence"]["auroc"]
    drawn = []
    for times in group_draws(3, SEED, 100):
        drawn.append(
            pd.concat([gap.loc[name] for name, count in zip(names, times, strict=True) for _ in range(count)]).mean()
        )
    assert (row["group_lower"], row["group_upper"]) == pytest.approx(tuple(np.nanpercentile(drawn, [2.5, 97.5])))


def test_class_intervals_are_those_of_paired_draws(draws, differences):
    drawn = draws.set_index(["source", "half", "tier_by", "tier", "score", "metric", "draw"]).sort_index()
    rows = differences[(differences["images"] == "all") & (differences["tier"] != "all")]
    rows = rows[(rows["score"] != "random") & (rows["baseline"] != "random")]
    for row in rows.sample(200, random_state=0).itertuples():
        sides = [
            drawn.loc[(row.source, row.half, row.tier_by, row.tier, name, row.metric)]
            for name in (row.score, row.baseline)
        ]
        if "predictor_confidence" in (row.score, row.baseline) and (row.half, row.tier) == ("evaluation", "severe"):
            assert np.isnan([row.class_lower, row.class_upper, row.cells_per_draw]).all()
            continue
        gap = sides[0]["mean"] - sides[1]["mean"]
        assert (row.class_lower, row.class_upper) == pytest.approx(tuple(np.percentile(gap, [2.5, 97.5])))
        assert row.cells_per_draw == pytest.approx(sides[0]["cells"].mean())


def test_only_all_images_in_tiers_have_class_intervals(differences):
    without = (differences["images"] != "all") | (differences["tier"] == "all") | (differences["baseline"] == "random")
    assert differences.loc[without, ["class_lower", "class_upper", "cells_per_draw"]].isna().all(axis=None)
    predictor = (differences["baseline"] == "predictor_confidence") & (differences["tier"] == "severe")
    assert differences.loc[~without & ~predictor, "class_lower"].notna().all()


def test_every_wanted_pair_is_there(differences):
    found = differences.groupby("images")[["score", "baseline"]].apply(
        lambda rows: set(rows.itertuples(index=False, name=None))
    )
    assert found["all"] == {("corruption_mean", score) for score in ALL_SCORES if score != "corruption_mean"} | {
        ("confidence_decrease", "corruption_mean"),
        ("predictor_confidence_mean", "confidence"),
        ("corruption_rank_mean", "confidence"),
        ("corruption_mean_clean", "natural_mean_clean"),
        ("native_corruption_mean", "native_natural_mean"),
        ("natural_selected", "natural_mean"),
        ("corruption_selected", "corruption_mean"),
    }
    assert found["non_singleton"] == {
        ("corruption_mean", "deranged_mean"),
        ("confidence_decrease", "deranged_decrease"),
        ("corruption_mean", "loo_mean"),
    }
    known = {("corruption_mean", "class_mean_correct"), ("corruption_mean", "class_mean_all")}
    thirds = {("corruption_mean", "deranged_mean"), ("corruption_mean", "confidence")}
    assert found["class_known"] == known
    assert found["low"] == found["mid"] == found["high"] == thirds
    assert not differences.duplicated([*differences.columns[:8]]).any()


def test_pairs_need_both_scores():
    assert pairs_of("class_known", ["corruption_mean", "class_mean_all"]) == [("corruption_mean", "class_mean_all")]


def test_ceilings_equal_pandas(cells):
    found = summarise_ceilings(cells).set_index(["source", "tier"])
    for source, tier in itertools.product(SOURCES, ("mild", "severe", "extreme")):
        part = group_of(cells, source, "evaluation", "development", tier, "all")
        part = part[part["score"] == "corruption_mean"]
        row = found.loc[(source, tier)]
        assert row["failure_share"] == pytest.approx((part["failures"] / part["size"]).mean())
        part = part[part["failures"] > 0]
        assert row["cells"] == len(part)
        for percent in (10, 20, 30):
            captured = max(1, int(SIZES["all"] * percent / 100 + 0.5))
            ceiling = (captured / part["failures"]).clip(upper=1)
            assert row[f"ceiling_{percent}"] == pytest.approx(ceiling.mean())
            ratio = part[f"recall_{percent}"] / ceiling
            assert row[f"corruption_mean_over_ceiling_{percent}"] == pytest.approx(ratio.mean())
        assert row["random_over_ceiling_20"] == pytest.approx((10 / 50 / (10 / part["failures"]).clip(upper=1)).mean())


def test_ablation_equals_pandas(cells):
    found = summarise_ablation(cells).set_index(["source", "tier"])
    keys = ["model", "condition"]
    for source, tier in itertools.product(SOURCES, ("mild", "severe", "extreme")):
        part = group_of(cells, source, "evaluation", "development", tier, "non_singleton").set_index(keys)
        mean = part[part["score"] == "corruption_mean"]
        gap = mean["auroc"] - part[part["score"] == "deranged_mean"]["auroc"]
        row = found.loc[(source, tier)]
        # 50 images less 45, 44 or 43 of models whose letters have the codes 97 to 100.
        assert (row["images_excluded_lowest"], row["images_excluded_highest"]) == (5, 7)
        assert row["degenerate_cells"] == mean["degenerate"].sum()
        assert row["cells"] == gap.notna().sum()
        assert row["gap_without_degenerate"] == pytest.approx(gap[~mean["degenerate"]].mean())
        assert row["wins"] == pytest.approx((gap.dropna() > 0).mean())


def test_retention_gaps_are_averaged_over_defined_cells():
    rows = pd.DataFrame(
        {
            "source": ["es"] * 4 + ["diverse"],
            "images": ["high", "low", "low", "low", "mid"],
            "retention_gap": [0.5, 0.1, np.nan, 0.3, np.nan],
        }
    )
    found = summarise_terciles(rows)
    assert found[["source", "images", "cells"]].values.tolist() == [
        ["es", "low", 2],
        ["es", "high", 1],
        ["diverse", "mid", 0],
    ]
    assert found["retention_gap"].tolist() == pytest.approx([0.2, 0.5, np.nan], nan_ok=True)


@pytest.mark.parametrize("by", ["group", "model"])
def test_gains_of_groups_and_models_equal_pandas(cells, by):
    gains = mild_gains(cells)
    assert (gains["tier"] == "mild").all()
    found = summarise_gains(gains, by).set_index(["source", by])
    assert len(found) == len(SOURCES) * (len(MODELS) if by == "model" else 3)
    for (source, name), row in found.iterrows():
        part = group_of(cells, source, "evaluation", "development", "mild", "all")
        part = part[part[by] == name].set_index(["model", "condition"])
        recall = {score: part[part["score"] == score]["recall_20"] for score in ALL_SCORES}
        assert row["models"] == part.index.get_level_values("model").nunique()
        assert row["cells"] == recall["corruption_mean"].notna().sum()
        for baseline in ("confidence", "natural_mean", "margin"):
            expected = (recall["corruption_mean"] - recall[baseline]).mean()
            assert row[f"corruption_mean_minus_{baseline}"] == pytest.approx(expected)


def some_subsets() -> pd.DataFrame:
    """Return subsets of two sources whose whole sets have three probes."""
    rows = []
    random = np.random.default_rng(3)
    for source, pool in itertools.product(SOURCES, ("corruption", "natural")):
        kinds = [("prefixed", f"{size}/{number:02}", size) for size in (1, 2) for number in (1, 2, 3)]
        kinds += [("prefixed", "3/01", 3), *(("probe", name, 1) for name in ("p", "q", "r"))]
        if pool == "corruption":
            kinds += [("severity", "2", 2), ("severity", "4", 1), ("type", "fog", 2)]
        rows += [(source, pool, *kind, *random.random(3)) for kind in kinds]
    names = ["source", "pool", "kind", "name", "size", "recall_20", "auroc", "error_rate"]
    return pd.DataFrame(rows, columns=names)


def clean_mean(means: pd.DataFrame, source: str, metric: str) -> float:
    keys = {"source": source, "half": "evaluation", "tier": "mild", "images": "all", "score": "confidence"}
    chosen = (means[list(keys)] == pd.Series(keys)).all(axis=1) & (means["metric"] == metric)
    return float(means.loc[chosen, "mean"].iloc[0])


def test_subset_sizes_equal_pandas(means):
    subsets = some_subsets()
    found = summarise_subset_sizes(subsets, means).set_index(["source", "pool", "kind", "size"]).sort_index()
    assert not found.index.duplicated().any()
    for source, pool in itertools.product(SOURCES, ("corruption", "natural")):
        part = subsets[(subsets["source"] == source) & (subsets["pool"] == pool)]
        expected = {
            ("prefixed", 1): part[(part["kind"] == "prefixed") & (part["size"] == 1)],
            ("prefixed", 2): part[(part["kind"] == "prefixed") & (part["size"] == 2)],
            ("all", 3): part[part["size"] == 3],
        }
        if pool == "corruption":
            expected["severity 2", 2] = part[(part["kind"] == "severity") & (part["name"] == "2")]
            expected["severity 4", 1] = part[(part["kind"] == "severity") & (part["name"] == "4")]
        assert set(found.loc[(source, pool)].index) == set(expected)
        for key, rows in expected.items():
            row = found.loc[(source, pool, *key)]
            assert row["subsets"] == len(rows)
            for metric in ("recall_20", "auroc"):
                ends = (rows[metric].mean(), rows[metric].min(), rows[metric].max())
                assert (row[metric], row[f"{metric}_lowest"], row[f"{metric}_highest"]) == pytest.approx(ends)
            gain = rows["recall_20"] - clean_mean(means, source, "recall_20")
            assert (row["gain"], row["gain_lowest"]) == pytest.approx((gain.mean(), gain.min()))


def test_probes_are_listed_beside_whole_sets_and_clean_confidence(means):
    subsets = some_subsets()
    found = summarise_probes(subsets, means)
    kinds = found.groupby(["source", "pool", "kind"]).size()
    assert kinds.loc["es", "corruption"].to_dict() == {"all": 1, "probe": 3, "severity": 2, "type": 1}
    assert kinds.loc["es", "natural"].to_dict() == {"all": 1, "probe": 3}
    for source in SOURCES:
        clean = found[(found["source"] == source) & (found["kind"] == "clean")].iloc[0]
        assert (clean["pool"], clean["name"], clean["size"]) == ("clean", "clean", 1)
        assert clean["recall_20"] == clean_mean(means, source, "recall_20")
        assert clean["auroc"] == clean_mean(means, source, "auroc")
        assert np.isnan(clean["error_rate"])
    keys = ["source", "pool", "kind", "name"]
    listed = found[found["kind"].isin(["probe", "severity", "type"])].set_index(keys).sort_index()
    pd.testing.assert_frame_equal(listed, subsets.set_index(keys).sort_index().loc[listed.index])
    whole = found[found["kind"] == "all"]
    assert whole["recall_20"].tolist() == subsets.loc[subsets["size"] == 3, "recall_20"].tolist()


def test_selected_sets_are_compared_with_fixed_ones(differences):
    rows = [
        (source, half, pool, step, f"{pool}-{6 - step}", step > 1)
        for source, half, pool in itertools.product(SOURCES, ("evaluation", "development"), ("natural", "corruption"))
        for step in (3, 1, 2)
    ]
    selected = pd.DataFrame(rows, columns=["source", "half", "pool", "step", "condition", "in_fixed"])
    found = summarise_selection(selected, differences)
    assert len(found) == 8
    for row in found.itertuples():
        assert (row.first, row.shared_with_fixed, row.size) == (f"{row.pool}-5", 2, 3)
        keys = {"source": row.source, "half": row.half, "tier_by": "development", "tier": "mild"}
        keys |= {"score": f"{row.pool}_selected", "baseline": f"{row.pool}_mean", "metric": "recall_20"}
        expected = differences[(differences[list(keys)] == pd.Series(keys)).all(axis=1)].iloc[0]
        assert (row.difference, row.group_lower, row.group_upper) == pytest.approx(
            (expected["mean"], expected["group_lower"], expected["group_upper"])
        )


def test_facts_equal_pandas(cells):
    fits = pd.DataFrame(
        [
            (source, half, model, predictor, model == "b" and half == "evaluation", model != "c")
            for source, half, model in itertools.product(SOURCES, ("evaluation", "development"), MODELS)
            for predictor in ("predictor_confidence", "predictor_confidence_mean")
        ],
        columns=["source", "half", "model", "predictor", "reversed", "fitted"],
    )
    images = pd.DataFrame(
        [
            (source, half, 0.1 * place if half == "evaluation" else 0.9, 4 + place)
            for source, half in itertools.product(SOURCES, ("evaluation", "development"))
            for place in range(4)
        ],
        columns=["source", "half", "mean_decrease_correlation", "retention_values"],
    )
    found = summarise_facts(cells, fits, images).set_index(["source", "fact"])["value"]
    for source in SOURCES:
        facts = found[source].to_dict()
        spearman = [facts[f"spearman_{end}"] for end in ("lowest", "median", "highest")]
        assert spearman == pytest.approx([0.0, 0.15, 0.3])
        assert (facts["fits"], facts["reversed_fits"], facts["retention_values"]) == (3, 1, 7)
        part = cells[(cells["source"] == source) & (cells["half"] == "evaluation") & (cells["images"] == "all")]
        part = part.set_index(["model", "condition"])
        with_mean, with_decrease = (
            part[part["score"] == f"predictor_confidence_{name}"]["auroc"] for name in ("mean", "decrease")
        )
        moved = (with_mean - with_decrease).abs()
        assert facts["predictor_parameterisation_largest"] == moved.max()
        assert facts["predictor_parameterisation_mean"] == pytest.approx(moved.mean())
        # Model d under x, which is mild, and under w, which is extreme.
        assert (facts["cells_without_auroc"], facts["cells_without_auroc_not_extreme"]) == (2, 1)


def test_all_summaries_come_from_the_tables_of_a_study(tmp_path, root):
    study = write_study(tmp_path, root)
    tables = screen_source(study.responses, study.image_scores, study.records, study.tiers, study.sets, SEED, draws=5)
    captures = pd.read_csv(root / "resources/conditions/captures.csv")
    found = summarise_screening(tables, captures, SEED)
    assert set(found) == {
        *("means", "differences", "ceilings", "ablation", "terciles", "groups", "models"),
        *("subset_sizes", "probes", "captures", "selection", "facts"),
    }
    mild = sum(tier == "mild" for tier in TIERS.values())
    assert found["captures"].set_index("factor").loc["none", "conditions"] == mild
    assert found["models"]["model"].tolist() == ["a", "b", "c"]
    assert all(len(summary) for summary in found.values())


def test_a_source_without_mild_conditions_has_undefined_means(tmp_path, root):
    study = write_study(tmp_path, root)
    tiers = study.tiers.replace("mild", "severe")
    tables = screen_source(study.responses, study.image_scores, study.records, tiers, study.sets, SEED, draws=2)
    found = summarise_screening(tables, pd.read_csv(root / "resources/conditions/captures.csv"), SEED)
    assert found["subset_sizes"][["recall_20", "gain", "auroc"]].isna().all(axis=None)
    assert found["selection"]["difference"].isna().all()
    for table in (found["means"], found["differences"], tables.draws):
        assert "mild" not in set(table.loc[table["tier_by"] == "development", "tier"])
    assert found["probes"]["error_rate"].notna().any()
    assert [len(found[name]) for name in ("groups", "models", "captures")] == [0, 0, 0]
