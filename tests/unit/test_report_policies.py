"""Tables, findings and Figure 5 on rejection policies, on the paper's printed numbers."""

import pandas as pd
import pytest
from matplotlib.text import Text

from pairedeval.errors import PairedEvalError
from pairedeval.report.figure_05 import figure_05
from pairedeval.report.findings_policies import policy_findings
from pairedeval.report.names import notation
from pairedeval.report.render import to_csv, to_html, to_latex, to_markdown
from pairedeval.report.style import save_figure
from pairedeval.report.tables_policies import points, table_04, table_12, table_13, table_14, table_15

SIMULATED = {"es", "diverse"}
# source: cells, and those that gain an ordering by a shared correspondence, by overlap and by five-state counts
GAINING = {"diverse": (135, 78, 42, 6), "syn": (90, 82, 77, 28), "syn_b": (90, 60, 75, 6), "es": (135, 92, 47, 2)}
COMPARISONS = {"shared": 641, "overlap": 586, "states": 52}
# source: cells, mean regret in percentage points of the feasible mean and of minimax regret, better, worse, tied
REALIZED = {
    "syn": (90, 0.004778, 0.004222, 1, 1, 88),
    "syn_b": (90, 0.005556, 0.005556, 0, 0, 90),
    "es": (135, 0.012593, 0.004444, 3, 0, 132),
    "diverse": (135, 0.003704, 0.005185, 0, 2, 133),
    "all": (450, 0.006956, 0.004845, 4, 3, 443),
}
REDUCTIONS = {0.0: (0.0, 0, 0, 450), 0.2: (-0.000542, 0, 3, 447), 0.5: (0.002111, 4, 3, 443)}


def orderings(natural_states: int = 0) -> pd.DataFrame:
    gaining = {**GAINING, "all": tuple(map(sum, zip(*GAINING.values(), strict=True)))}
    rows = [
        (source, weight, "transition", gain, cells, int(count * scale), count * scale / cells, COMPARISONS[gain])
        for weight, scale in ((0.0, 0.5), (0.5, 1.0), (1.0, 0.0))
        for source, (cells, *counts) in gaining.items()
        for gain, count in zip(COMPARISONS, counts, strict=True)
    ]
    rows += [
        ("all", 0.5, "natural", gain, 450, 0, 0.0, number)
        for gain, number in (("overlap", 9), ("states", natural_states))
    ]
    names = ["source", "weight", "cost", "gain", "cells", "gaining_cells", "gaining_share", "comparisons"]
    return pd.DataFrame(rows, columns=names)


def selection() -> pd.DataFrame:
    rows = [
        (source, 0.5, cells, mean / 100, minimax / 100, 0.05, (mean - minimax) / 100, *counts)
        for source, (cells, mean, minimax, *counts) in REALIZED.items()
    ]
    rows += [
        ("all", weight, 450, 0.0, 0.0, 0.0, reduction / 100, *counts)
        for weight, (reduction, *counts) in REDUCTIONS.items()
        if weight != 0.5
    ]
    names = [
        "source",
        "weight",
        "cells",
        "regret_feasible_mean",
        "regret_minimax",
        "regret_fixed_80",
        "regret_reduction",
    ]
    return pd.DataFrame(rows, columns=[*names, "minimax_better_cells", "minimax_worse_cells", "tied_cells"])


def intervals() -> pd.DataFrame:
    ends = {
        "H": [(0.4, 0.8), (0.4, 0.8), (0.4, 0.6), 0.6],
        "L": [(17.8, 26.2), (19.0, 26.0), (19.0, 26.0), 23.2],
        "dM_k": [(19.52, 30.02), (20.58, 29.43), (20.58, 29.43), 26.24],
    }
    rows = [
        (target, level, low / 100, high / 100, observed / 100)
        for target, (*levels, observed) in ends.items()
        for level, (low, high) in zip(("I0", "Ik", "I5"), levels, strict=True)
    ]
    return pd.DataFrame(rows, columns=["target", "level", "lower", "upper", "observed"])


def pair(**changes: object) -> pd.DataFrame:
    facts = {
        "source": "diverse", "model": "mae_vit_l", "condition": "l1-k14", "images": 500, "overlap": 300,
        "policy_coverage": 0.7, "policy_threshold": 0.669638, "policy_lower": 0.149, "policy_upper": 0.184,
        "other_coverage": 0.6, "other_threshold": 0.719598, "other_lower": 0.167, "other_upper": 0.203,
        "separate_upper": 0.017, "difference_upper": -0.015, "first_level": "I0",
    }  # fmt: skip
    return pd.DataFrame([facts | changes])


def test_table_04():
    assert to_csv(table_04(orderings(), selection())) == (
        "comparison,compared,information_level,cells,cells_of,cells_pct,"
        "minimax_lower_cells,minimax_higher_cells,equal_cells\n"
        "Shared correspondence extra orderings,shared correspondence vs separate sharp cost intervals,"
        "I5,312,450,69.3,,,\n"
        "Correctness overlap extra orderings,marginal records vs added correctness overlap,I0->Ik,241,450,53.6,,,\n"
        "Five-state extra orderings,correctness overlap vs added five-state counts,Ik->I5,42,450,9.3,,,\n"
        "Minimax vs feasible mean realized cost,minimax-regret vs feasible-mean selection,I5,,,,4,3,443\n"
    )
    assert table_04(orderings(), selection()).undefined == 0  # an entry that does not apply is not undefined


def test_tables_that_mix_sources_say_what_is_simulated():
    for table in (table_04(orderings(), selection(), SIMULATED), table_14(selection(), SIMULATED)):
        assert table.notes[-1] == "The captures of ES and Diverse are simulated."


def test_table_12():
    assert to_csv(table_12(orderings(), {"es"})) == (
        "source,cells,shared_pi_cells,plus_k_cells,plus_5_cells\n"
        "Syn,90,82,77,28\n"
        "Syn-B,90,60,75,6\n"
        "ES (simulated),135,92,47,2\n"
        "Diverse,135,78,42,6\n"
        "Total,450,312,241,42\n"
    )


def test_table_13():
    assert to_csv(table_13(selection())) == (
        "source,cells,regret_feasible_mean_pp,regret_minimax_pp,"
        "minimax_better_cells,minimax_worse_cells,tied_cells\n"
        "Syn,90,0.004778,0.004222,1,1,88\n"
        "Syn-B,90,0.005556,0.005556,0,0,90\n"
        "ES,135,0.012593,0.004444,3,0,132\n"
        "Diverse,135,0.003704,0.005185,0,2,133\n"
    )


def test_table_14_has_every_weight():
    assert to_csv(table_14(selection())) == (
        "lambda,delta_regret_pp,minimax_better_cells,minimax_worse_cells,tied_cells\n"
        "0.0,0.000000,0,0,450\n"
        "0.2,-0.000542,0,3,447\n"
        "0.5,0.002111,4,3,443\n"
    )


def test_table_15():
    table = table_15(intervals(), pair(), {"diverse"})
    assert to_csv(table) == (
        "target,unit,i0_lo,i0_hi,ik_lo,ik_hi,i5_lo,i5_hi,observed\n"
        "H,pp,0.40,0.80,0.40,0.80,0.40,0.60,0.60\n"
        "L,pp,17.80,26.20,19.00,26.00,19.00,26.00,23.20\n"
        "dM_k,probability points,19.52,30.02,20.58,29.43,20.58,29.43,26.24\n"
    )
    assert table.notes[0].startswith("mae_vit_l on Diverse (simulated), condition l1 k14: 500 evaluation images.")
    assert notation(table.notes[1], "text") == (
        "Policies of 70% and 60% clean coverage (thresholds 0.669638 and 0.719598): their costs at I5 lie in "
        "[14.9, 18.4] and [16.7, 20.3]. The first exceeds the second by at most 1.7 by separate intervals, by at most "
        "−1.5 under one common correspondence."
    )


def test_table_15_without_a_pair():
    note = table_15(intervals(), pair(policy_coverage=float("nan"))).notes[1]
    assert note == "No recaptured cell of the panel has such an ordering; the rule chose among all of them."


@pytest.mark.parametrize("render", [to_markdown, to_latex, to_html])
def test_all_kinds_of_output_can_be_written(render):
    for table in (
        table_04(orderings(), selection()),
        table_12(orderings()),
        table_13(selection()),
        table_14(selection()),
        table_15(intervals(), pair()),
    ):
        text = render(table)
        assert "{I5}" not in text
        assert "nan" not in text


def test_the_grid_is_named():
    assert "on the full grid" in table_12(orderings(), grid="full").title
    assert "in the panel" in table_12(orderings()).title


def test_results_without_the_primary_weight_are_refused():
    with pytest.raises(
        PairedEvalError, match=r"^table_12: no results at cost weight 0\.5; compare policies at it as well$"
    ):
        table_12(orderings().query("weight != 0.5"))


def test_points():
    assert [points(0.0149), points(-0.0149), points(-0.0001), points(0.00001234, 3)] == ["1.5", "−1.5", "0.0", "0.001"]


def results(natural_states: int = 0, **changes: object) -> dict[str, pd.DataFrame]:
    levels = pd.DataFrame({"level": ["I0", "Ik", "I5"], "single_action_cells": [148, 189, 191]})
    checks = pd.DataFrame({"source": ["all"], "bounds": [74_250], "lemma_residual": [1.39e-17]})
    return {
        "policy_orderings": orderings(natural_states),
        "policy_selection": selection(),
        "policy_actions": levels.assign(source="all", weight=0.5, cells=450),
        "policy_checks": checks,
        "illustration_pair": pair(**changes),
    }


def test_findings():
    findings = policy_findings(results(), {"es"})
    assert [notation(finding.text, "text") for finding in findings] == [
        "At equal weights of accepted errors and lost acceptance, one common correspondence orders 641 pairs of "
        "rejection policies that separate cost intervals leave open, in 312 of 450 cells in the panel (82 of 90 on "
        "Syn, 60 of 90 on Syn-B, 92 of 135 on ES (simulated), 78 of 135 on Diverse).",
        "Knowing the overlap per class adds 586 orderings in 241 cells to what separate records establish; five-state "
        "counts then add 52 orderings in 42 cells. If the cost counts all accepted errors instead of transitions, they "
        "add none, as Corollary 1 states.",
        "Under the observed pairs, selecting by minimax regret costs less than by the feasible mean in 4 cells, more "
        "in 3 and the same in 443. The mean regret is 0.007 percentage points for the feasible mean, 0.005 for minimax "
        "regret and 5.000 for the fixed threshold of 80% coverage.",
        "Minimax regret does better on average at 1 of 3 cost weights and the feasible mean at 1; the mean difference "
        "lies between −0.001 and 0.002 percentage points.",
        "Once policies that always cost more than another are removed, a single distinct action is left in 148 of 450 "
        "cells with separate records, in 189 with the overlap and in 191 with five-state counts.",
        "The upper ends of all 74,250 cost intervals follow to 1.4e-15 percentage points from the separate bounds of H "
        "and L, as Lemma 1 states.",
        "Example: mae_vit_l on Diverse, condition l1 k14. The cost intervals of the policies with 70% and 60% clean "
        "coverage, [14.9, 18.4] and [16.7, 20.3] percentage points, overlap. Under one common correspondence the first "
        "costs at least 1.5 points less. This holds from I0 on.",
    ]
    assert findings[0].file == "analyses/policy_orderings.parquet"
    assert findings[-1].file == "analyses/illustration_pair.parquet"


def test_findings_claim_only_what_holds():
    texts = [finding.text for finding in policy_findings(results(natural_states=2, policy_coverage=float("nan")))]
    assert "they add 2." in texts[1]
    assert not any("Example" in text or "Corollary" in text for text in texts)


def test_figure_05_says_what_it_shows():
    figure = figure_05(orderings(), SIMULATED)
    words = [text.get_text() for text in figure.findobj(Text)]
    assert {"Syn", "Syn-B", "ES", "Diverse", "primary weight"} <= set(words)
    assert "ES and Diverse: simulated captures" in words
    assert "Cells with an\nadditional ordering (%)" in words
    shared = figure.axes[0].lines[1:]
    assert [len(axis.lines) for axis in figure.axes] == [5, 5, 5]
    assert shared[0].get_ydata()[1] == pytest.approx(100 * 82 / 90)


def test_figure_05_is_the_same_on_every_run(tmp_path):
    for run in ("first", "second"):
        save_figure(figure_05(orderings(), SIMULATED), tmp_path / run / "figure_05")
    for kind in ("pdf", "png", "svg"):
        first, second = ((tmp_path / run / f"figure_05.{kind}").read_bytes() for run in ("first", "second"))
        assert first == second
