"""The frozen panel against every count that the paper prints."""

import pandas as pd
import pytest

from pairedeval.errors import SettingsError
from pairedeval.panel import PAPER_EXTRA_CELLS, frozen_panel, read_panel, strata_of

MODELS = [f"model-{number:02}" for number in range(44)]
CORRUPTIONS = ["brightness", "fog", "snow", "contrast", "jpeg", "pixelate", "blur", "noise", "motion"]
# Diverse conditions per light and tier. The paper prints the sums per tier (51, 25, 86), not these counts; they are
# one division in which the mild and the extreme conditions beyond the 44th leave the printed coverage of each light.
DIVERSE = {
    "l1": (12, 7, 8),
    "l2": (12, 6, 9),
    "l3": (12, 5, 10),
    "l4": (0, 0, 27),
    "l6": (8, 2, 17),
    "l7": (7, 5, 15),
}
LIGHT_COVERAGE = {"l1": 27, "l2": 27, "l3": 27, "l4": 17, "l6": 10, "l7": 5}


def tiers() -> pd.DataFrame:
    """Return tiers of all conditions with the printed counts: 44/5/5 of ES and 51/25/86 of Diverse."""
    rows = [
        (source, f"{kind}-{severity}", "mild")
        for source in ("syn", "syn_b")
        for kind in CORRUPTIONS
        for severity in (2, 4)
    ]
    es = ["mild"] * 22 + ["severe"] * 3 + ["extreme"] * 2 + ["mild"] * 22 + ["severe"] * 2 + ["extreme"] * 3
    rows += [("es", f"l{1 + 4 * (place // 27)}-k{place % 27 + 1:02}", tier) for place, tier in enumerate(es)]
    for light, numbers in DIVERSE.items():
        names = [
            tier for tier, number in zip(("mild", "severe", "extreme"), numbers, strict=True) for _ in range(number)
        ]
        rows += [("diverse", f"{light}-k{place:02}", tier) for place, tier in enumerate(names, start=1)]
    return pd.DataFrame(rows, columns=["source", "condition", "tier"])


@pytest.fixture(scope="module")
def panel() -> pd.DataFrame:
    return frozen_panel(MODELS, strata_of(tiers()), PAPER_EXTRA_CELLS)


def test_tier_counts_are_the_printed_ones():
    assert tiers().groupby(["source", "tier"]).size().to_dict() == {
        ("syn", "mild"): 18,
        ("syn_b", "mild"): 18,
        ("es", "mild"): 44,
        ("es", "severe"): 5,
        ("es", "extreme"): 5,
        ("diverse", "mild"): 51,
        ("diverse", "severe"): 25,
        ("diverse", "extreme"): 86,
    }


def test_cells_per_source(panel):
    assert panel.groupby("source").size().to_dict() == {"syn": 90, "syn_b": 90, "es": 135, "diverse": 135}
    assert not panel.duplicated().any()
    assert (panel.groupby("source")["model"].nunique() == 44).all()


def test_condition_coverage(panel):
    covered = panel.groupby("source")["condition"].nunique().to_dict()
    assert covered == {"syn": 18, "syn_b": 18, "es": 54, "diverse": 113}


def test_light_coverage_of_diverse(panel):
    conditions = panel.loc[panel["source"] == "diverse", "condition"].drop_duplicates()
    assert conditions.str[:2].value_counts().to_dict() == LIGHT_COVERAGE


def test_each_model_has_one_condition_of_each_stratum(panel):
    strata = strata_of(tiers())
    without_extra = frozen_panel(MODELS, strata)
    assert len(without_extra) == 440
    joined = without_extra.merge(strata, on=["source", "condition"])
    assert (joined.groupby(["source", "model", "stratum"]).size() == 1).all()
    assert len(panel.merge(without_extra)) == 440


def test_severities_are_the_strata_of_corruptions():
    assert strata_of(tiers())["stratum"].unique().tolist() == ["severity 2", "severity 4", "mild", "severe", "extreme"]


def test_models_cycle_through_conditions_in_order():
    strata = pd.DataFrame({"source": "es", "condition": ["k1", "k2", "k3", "k4"], "stratum": ["m", "m", "x", "m"]})
    panel = frozen_panel(["a", "b", "c", "d"], strata)
    assert panel["condition"].tolist() == ["k1", "k3", "k2", "k3", "k4", "k3", "k1", "k3"]
    assert panel["model"].tolist() == ["a", "a", "b", "b", "c", "c", "d", "d"]


def test_another_study_has_no_extra_cells():
    panel = frozen_panel(MODELS[:12], strata_of(tiers()))
    assert panel.groupby("source").size().to_dict() == {"syn": 24, "syn_b": 24, "es": 36, "diverse": 36}


def test_extra_cells_need_a_second_condition():
    strata = pd.DataFrame({"source": "es", "condition": ["k1"], "stratum": "mild"})
    assert len(frozen_panel(["a", "b"], strata, {"es": 3})) == 2


def test_a_given_panel_is_read(tmp_path):
    path = tmp_path / "panel.csv"
    path.write_text("model,condition,source,note\nmodel-03,fog-2,syn,x\n")
    assert read_panel(path, MODELS, strata_of(tiers())).to_dict("records") == [
        {"source": "syn", "model": "model-03", "condition": "fog-2"}
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("source,model\nsyn,model-03\n", "panel.csv: missing column condition; a panel has source, model, condition"),
        (
            "source,model,condition\nsyn,model-03,fog-2\nsyn,model-99,fog-2\n",
            "panel.csv: line 3: the study has no cell syn, model-99, fog-2; remove it",
        ),
        ("source,model,condition\nsyn,model-03,l1-k01\n", "panel.csv: line 2: the study has no cell"),
        ("source,model,condition\n" + "syn,model-03,fog-2\n" * 2, "panel.csv: line 3: the cell stands twice; keep one"),
        ("", "panel.csv: not a readable panel"),
    ],
)
def test_a_panel_that_does_not_fit_is_refused(tmp_path, text, message):
    path = tmp_path / "panel.csv"
    path.write_text(text)
    with pytest.raises(SettingsError, match=message):
        read_panel(path, MODELS, strata_of(tiers()))


def test_a_missing_panel_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="not a readable panel"):
        read_panel(tmp_path / "absent.csv", MODELS, strata_of(tiers()))
