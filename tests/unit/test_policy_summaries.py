"""Summaries of policy comparisons, how many rows there are, and the choice of the illustration."""

import math

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import RecordsError
from pairedeval.policies.illustration import illustrate
from pairedeval.policies.selection import RULES
from pairedeval.policies.summaries import established, policy_checks, realized_selection, undominated_actions
from pairedeval.policies.thresholds import COVERAGES, WEIGHTS
from pairedeval.policies.tidy import compare_source
from pairedeval.records import write_records

PAPER_CELLS = {"syn": 90, "syn_b": 90, "es": 135, "diverse": 135}


def simulated_records(seed: int, conditions: int) -> pd.DataFrame:
    """Draw records of four classes of five evaluation images under some conditions."""
    random = np.random.default_rng(seed)
    rows = []
    for condition in ["clean", *(f"c-{number}" for number in range(conditions))]:
        for place in range(24):
            label, correct = place % 4, random.random() < 0.7
            confidence = random.random()
            rows.append(
                {
                    "condition": condition,
                    "image_id": f"image-{place:02}",
                    "label": label,
                    "prediction": label if correct else (label + 1) % 4,
                    "split": "development" if place < 4 else "evaluation",
                    "confidence": confidence,
                    "true_class_probability": confidence if correct else 0.0,
                }
            )
    return pd.DataFrame(rows)


def simulated_panel(tmp_path) -> tuple[list, pd.DataFrame]:
    """Write records of two models with three conditions; the panel takes two of them."""
    paths, cells = [], []
    for seed, model in enumerate(("a", "b")):
        path = tmp_path / f"{model}.parquet"
        write_records(simulated_records(seed, 3), path, {"source": "es", "model": model, "group": "g"})
        paths.append(path)
        cells += [("es", model, "c-0"), ("es", model, "c-2")]
    return paths, pd.DataFrame(cells, columns=["source", "model", "condition"])


def rows_of(cells: int) -> tuple[int, int, int]:
    """Bounds, directed comparisons and selections of a number of cells."""
    policies, levels = len(COVERAGES), 3
    return (
        cells * len(WEIGHTS) * levels * policies,
        cells * len(WEIGHTS) * levels * policies * (policies - 1),
        cells * len(WEIGHTS) * levels * len(RULES),
    )


def test_the_paper_has_74250_bounds_297000_comparisons_and_74250_selections():
    assert rows_of(sum(PAPER_CELLS.values())) == (74_250, 297_000, 74_250)


def test_every_combination_is_computed_once(tmp_path):
    tables = compare_source(*simulated_panel(tmp_path))
    assert (len(tables.bounds), len(tables.comparisons), len(tables.selections)) == rows_of(4)
    key = ["source", "model", "condition", "level", "weight"]
    for table, last in (
        (tables.bounds, ["policy"]),
        (tables.comparisons, ["policy", "other"]),
        (tables.selections, ["rule"]),
    ):
        assert list(table.columns[: 5 + len(last)]) == key + last
        assert not table.duplicated(key + last).any()
        assert not table.isna().any().any()
    assert set(tables.bounds["condition"]) == {"c-0", "c-2"}
    checks = policy_checks(tables.bounds, tables.comparisons, tables.selections).set_index("source")
    assert checks.loc["all", ["cells", "bounds", "comparisons", "selections"]].tolist() == [4, *rows_of(4)]
    assert checks["lemma_residual"].max() < 1e-15


def test_columns_agree_with_each_other(tmp_path):
    tables = compare_source(*simulated_panel(tmp_path), weights=[0.25])
    keys = ["model", "condition", "level"]
    bounds = tables.bounds.set_index([*keys, "policy"])
    merged = tables.comparisons.join(bounds["upper"], on=[*keys, "policy"])
    merged = merged.join(bounds["lower"].rename("other_lower"), on=[*keys, "other"])
    assert merged["separate_upper"].to_numpy() == pytest.approx((merged["upper"] - merged["other_lower"]).to_numpy())
    strict = tables.comparisons[tables.comparisons["difference_upper"] < -1e-12]
    dominated = set(strict[[*keys, "other"]].itertuples(index=False, name=None))
    assert set(bounds[bounds["dominated"]].index) == dominated
    worst = tables.comparisons.groupby([*keys, "policy"])["difference_upper"].max().clip(lower=0)
    assert bounds["worst_case_regret"].sort_index().to_numpy() == pytest.approx(worst.sort_index().to_numpy())
    chosen = tables.selections.join(bounds["observed"], on=[*keys, "selected"])
    assert chosen["cost"].equals(chosen["observed"])
    assert (bounds["natural_upper"] >= bounds["upper"] - 1e-12).all()
    coverage = bounds.groupby([*keys, "action"])["perturbed_coverage"]
    assert coverage.min().equals(coverage.max())


def test_established_comparisons_are_counted():
    rows = [
        # level, policy, other, shared bound, separate bound, natural bound, mixed
        ("I0", 0, 1, 0.1, 0.2, 0.1, True),
        ("Ik", 0, 1, -0.1, 0.1, -0.1, True),
        ("I5", 0, 1, -0.2, 0.1, -0.1, True),
        ("I0", 1, 0, 0.1, 0.2, 0.1, True),
        ("Ik", 1, 0, 0.0, 0.1, -0.1, True),
        ("I5", 1, 0, -1e-13, 0.1, -0.1, True),  # not strict
        ("I0", 0, 2, 0.1, 0.2, 0.1, False),
        ("Ik", 0, 2, 0.1, 0.2, -0.1, False),
        ("I5", 0, 2, -0.1, 0.2, -0.1, False),  # switches with one outcome only
        ("I0", 2, 0, 0.1, 0.2, 0.1, True),
        ("Ik", 2, 0, 0.1, 0.2, 0.1, True),
        ("I5", 2, 0, -0.1, -0.1, 0.1, True),  # separate intervals establish it as well
    ]
    names = ["level", "policy", "other", "difference_upper", "separate_upper", "natural_difference_upper", "mixed"]
    cell = pd.DataFrame(rows, columns=names).assign(model="m", condition="c", weight=0.5)
    nothing = cell.assign(mixed=False, source="syn")
    counted = established(pd.concat([cell.assign(source="es"), nothing]))
    of_es, of_syn, of_all = (counted[counted["source"] == source] for source in ("es", "syn", "all"))
    assert of_es.set_index(["cost", "gain"])["comparisons"].to_dict() == {
        ("transition", "shared"): 1,
        ("transition", "overlap"): 1,
        ("transition", "states"): 1,
        ("natural", "overlap"): 2,
        ("natural", "states"): 0,
    }
    assert of_es["gaining_cells"].tolist() == [1, 1, 1, 1, 0]
    assert of_all["cells"].tolist() == [2] * 5
    assert of_all["gaining_share"].tolist() == [0.5, 0.5, 0.5, 0.5, 0.0]
    assert of_syn["gaining_cells"].tolist() == [0] * 5


def test_realized_selection_compares_both_rules():
    rows = [
        ("es", "a", "minimax_regret", 0.1),
        ("es", "a", "feasible_mean", 0.3),
        ("es", "b", "minimax_regret", 0.2),
        ("es", "b", "feasible_mean", 0.2 + 1e-13),
        ("es", "b", "fixed_80", 0.9),
        ("syn", "a", "minimax_regret", 0.1),
        ("syn", "a", "feasible_mean", 0.0),
        ("syn", "a", "marginal_proxy", 5.0),
    ]
    table = pd.DataFrame(rows, columns=["source", "model", "rule", "regret"]).assign(condition="c", weight=0.5)
    found = realized_selection(pd.concat([table.assign(level="I5"), table.assign(level="I0", regret=9)]))
    assert found["source"].tolist() == ["es", "syn", "all"]
    es, syn, everything = (row for _, row in found.iterrows())
    means = ["regret_feasible_mean", "regret_minimax", "regret_fixed_80", "regret_reduction"]
    assert es[means].tolist() == pytest.approx([0.25, 0.15, 0.9, 0.1])
    assert math.isnan(syn["regret_fixed_80"])
    assert everything["regret_reduction"] == pytest.approx(0.1 / 3)  # over cells, not over sources
    counts = ["cells", "minimax_better_cells", "minimax_worse_cells", "tied_cells"]
    assert es[counts].tolist() == [2, 1, 0, 1]
    assert everything[counts].tolist() == [3, 1, 1, 1]


def test_actions_left_after_removing_dominated_policies():
    rows = [
        ("a", 0, False), ("a", 0, False), ("a", 2, True),  # two names of one action
        ("b", 0, False), ("b", 1, False), ("b", 2, False),
    ]  # fmt: skip
    bounds = pd.DataFrame(rows, columns=["model", "action", "dominated"])
    bounds = bounds.assign(source="es", condition="c", level="I5", weight=0.5)
    found = undominated_actions(bounds)
    assert found["source"].tolist() == ["es", "all"]
    assert found.loc[0, ["cells", "single_action_cells", "mean_actions"]].tolist() == [2, 1, 2]


CELLS = pd.DataFrame(
    # H widths at I0 with median 0.3; overlap; whether a certificate is missed by separate intervals
    [("es", "a", "x", 0.1, 5, True), ("es", "b", "x", 0.2, 0, True), ("es", "c", "x", 0.3, 5, False),
     ("diverse", "d", "y", 0.38, 5, True), ("diverse", "a", "y", 0.4, 5, True)],
    columns=["source", "model", "condition", "width", "overlap", "certified"],
)  # fmt: skip


def illustration(cells: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    keys = ["source", "model", "condition"]
    targets, bounds, comparisons = [], [], []
    for cell in cells.to_dict("records"):
        key = {name: cell[name] for name in keys}
        for level in ("I0", "Ik", "I5"):
            for target in ("H", "L", "dM_k", "E_tau"):
                ends = {"lower": 0.1, "upper": 0.1 + cell["width"], "width": cell["width"], "observed": 0.2}
                targets.append({**key, "target": target, "level": level, **ends})
            shared = -0.02 if cell["certified"] and level != "I0" else 0.1
            for policy, other, bound in ((0, 1, 0.1), (1, 0, shared), (2, 0, shared)):
                pair = {"policy": policy, "other": other, "difference_upper": bound, "separate_upper": 0.05}
                comparisons.append({**key, "level": level, "weight": 0.5, **pair, "mixed": True})
            for policy, coverage in enumerate((0.6, 0.7, 0.8)):
                ends = {"lower": coverage / 10, "upper": coverage / 5, "coverage": coverage, "threshold": 1 - coverage}
                bounds.append({**key, "level": level, "weight": 0.5, "policy": policy, **ends})
    return illustrate(
        cells[keys], cells.assign(n=10), pd.DataFrame(targets), pd.DataFrame(bounds), pd.DataFrame(comparisons)
    )


def test_the_illustration_follows_the_rule():
    """Nearest to the median width 0.3 with a certificate and a retained-correct pair: not c, not b, so d."""
    intervals, pair = illustration(CELLS)
    row = pair.iloc[0]
    assert row[["source", "model", "condition", "images", "overlap"]].tolist() == ["diverse", "d", "y", 10, 5]
    assert row["median_width"] == pytest.approx(0.3)
    assert row[["policy_coverage", "other_coverage", "first_level"]].tolist() == [0.7, 0.6, "Ik"]
    assert row[["policy_lower", "policy_upper", "other_lower", "other_upper"]].tolist() == pytest.approx(
        [0.07, 0.14, 0.06, 0.12]
    )
    assert row[["separate_upper", "difference_upper"]].tolist() == [0.05, -0.02]
    assert len(intervals) == 9
    assert set(intervals["target"]) == {"H", "L", "dM_k"}


def test_equally_near_cells_go_by_name():
    tied = CELLS.assign(width=[0.2, 0.2, 0.3, 0.4, 0.4], certified=True, overlap=1).query("width != 0.3")
    assert illustration(tied)[1].loc[0, ["source", "model"]].tolist() == ["diverse", "a"]


def test_without_a_certificate_there_is_no_pair():
    _, pair = illustration(CELLS.assign(certified=False))
    assert pair.loc[0, "model"] == "c"
    assert math.isnan(pair.loc[0, "policy_coverage"])


def test_without_recaptures_there_is_no_illustration():
    with pytest.raises(RecordsError, match="the panel has no recaptured cell to illustrate"):
        illustrate(CELLS[:0], CELLS, CELLS, CELLS, CELLS)
