"""Figures 2, 3, 4 and 6: they show the right numbers, say what they show, and a second run writes the same bytes."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from pairedeval.errors import PairedEvalError
from pairedeval.report.figure_02 import SHOWN, figure_02
from pairedeval.report.figure_03 import figure_03
from pairedeval.report.figure_04 import figure_04
from pairedeval.report.figure_06 import figure_06
from pairedeval.report.screening_panels import SCORE_MARKS
from pairedeval.report.style import WATERMARK, save_figure
from support.screening_frames import differences, means

SIMULATED = {"es", "diverse"}
GAIN = ("corruption_mean", "confidence")
AUROC = {
    ("es", "mild"): (0.778, 0.854, 0.768, 0.823, 0.580, 0.855),
    ("es", "extreme"): (0.538, 0.578, 0.572, 0.560, 0.535, 0.576),
    ("diverse", "mild"): (0.678, 0.801, 0.781, 0.755, 0.587, 0.809),
    ("diverse", "extreme"): (0.504, 0.512, 0.512, 0.529, 0.478, np.nan),
}
RECALLS = {
    "recall_10": (0.41, 0.49, 0.48, 0.48, 0.49, 0.40),
    "recall_20": (0.58, 0.67, 0.66, 0.65, 0.65, 0.57),
    "recall_30": (0.70, 0.80, 0.79, 0.78, 0.76, 0.69),
}
POOLS = ("natural_mean", "corruption_mean", "alignment_natural", "alignment_corruption")


def auroc() -> pd.DataFrame:
    return means({place: dict(zip(SHOWN, levels, strict=True)) for place, levels in AUROC.items()})


def gains(extreme: float = 0.008) -> pd.DataFrame:
    return differences(
        {
            ("es", "mild"): {GAIN: (0.076, 0.070, 0.080)},
            ("es", "extreme"): {GAIN: (0.040, 0.027, 0.056)},
            ("diverse", "mild"): {GAIN: (0.123, 0.110, 0.131)},
            ("diverse", "extreme"): {GAIN: (extreme, extreme - 0.014, extreme + 0.016)},
        }
    )


def recalls(sources: tuple[str, ...] = ("es", "diverse"), tier: str = "mild") -> pd.DataFrame:
    parts = [
        means({(source, tier): dict(zip(SCORE_MARKS, levels, strict=True)) for source in sources}, metric)
        for metric, levels in RECALLS.items()
    ]
    return pd.concat(parts, ignore_index=True)


def ceilings() -> pd.DataFrame:
    ends = {"ceiling_10": [0.75, 0.37], "ceiling_20": [0.88, 0.64], "ceiling_30": [0.94, 0.82]}
    return pd.DataFrame({"source": ["es", "diverse"], "tier": "mild", **ends})


def pools() -> pd.DataFrame:
    recall = {("es", "mild"): (0.596, 0.672, 0.588, 0.654), ("diverse", "mild"): (0.366, 0.449, 0.36, np.nan)}
    rank = {("es", "mild"): (0.791, 0.854, 0.785, 0.836), ("diverse", "mild"): (0.688, 0.801, 0.68, 0.79)}
    parts = [
        means({place: dict(zip(POOLS, levels, strict=True)) for place, levels in printed.items()}, metric)
        for metric, printed in (("recall_20", recall), ("auroc", rank))
    ]
    return pd.concat(parts, ignore_index=True)


def probes(sources: tuple[str, ...] = ("es", "diverse")) -> pd.DataFrame:
    single = {"fog-2": 0.60, "fog-4": 0.62, "snow-2": 0.58, "snow-4": 0.55, "pixelate-2": 0.61, "pixelate-4": 0.66}
    rows = [
        (source, pool, kind, name, recall)
        for source in sources
        for pool, kind, name, recall in (
            *(("corruption", "probe", name, recall) for name, recall in single.items()),
            ("corruption", "all", "all", 0.672),
            ("natural", "all", "all", 0.596),
            ("natural", "probe", "flip", 0.59),
            ("clean", "clean", "clean", 0.578),
        )
    ]
    return pd.DataFrame(rows, columns=["source", "pool", "kind", "name", "recall_20"])


FIGURES = {
    "figure_02": lambda: figure_02(auroc(), gains(), SIMULATED),
    "figure_03": lambda: figure_03(recalls(), ceilings(), SIMULATED),
    "figure_04": lambda: figure_04(pools(), SIMULATED),
    "figure_06": lambda: figure_06(probes(), recalls(), SIMULATED),
}


def words(figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text)]


@pytest.mark.parametrize("name", FIGURES)
def test_two_runs_write_the_same_bytes(name, tmp_path):
    for run in ("first", "second"):
        save_figure(FIGURES[name](), tmp_path / run / name)
    for kind in ("pdf", "png", "svg"):
        first, second = ((tmp_path / run / f"{name}.{kind}").read_bytes() for run in ("first", "second"))
        assert first == second


@pytest.mark.parametrize("name", FIGURES)
def test_sources_and_simulated_captures_are_named(name):
    assert {"ES", "Diverse", "ES and Diverse: simulated captures"} <= set(words(FIGURES[name]()))


def test_simulated_predictions_get_a_watermark():
    found = words(figure_03(recalls(), ceilings(), {"syn", "syn_b", *SIMULATED}))
    assert found.count(WATERMARK) == 1
    assert not any("captures" in text for text in found)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("figure_02", "Mean AUROC"),
        ("figure_02", "Difference in AUROC, $U$ − $S$"),
        ("figure_03", "Failures found (recall, %)"),
        ("figure_03", "Budget (% of the images)"),
        ("figure_04", "Failures found at a budget\nof 20% (recall, %)"),
        ("figure_06", "Failures found at a budget of 20% (recall, %)"),
    ],
)
def test_axes_name_what_they_measure(name, label):
    assert label in words(FIGURES[name]())


def test_the_heat_map_prints_every_level():
    figure = FIGURES["figure_02"]()
    mesh = figure.axes[0].collections[0]
    np.testing.assert_allclose(mesh.get_array().filled(np.nan), np.array(list(AUROC.values())).T)
    printed = {text.get_text() for text in figure.axes[0].texts}
    assert {"0.778", "0.854", "0.478", "–"} <= printed
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["mild", "extreme"] * 2
    low, high = mesh.get_clim()
    assert (round(low, 12), round(high, 12)) == (0.4, 0.9)


def test_gains_stand_with_their_intervals_beside_a_line_at_zero():
    axis = FIGURES["figure_02"]().axes[1]
    assert list(axis.lines[0].get_xdata()) == [0, 0]
    assert [float(line.get_xdata()[0]) for line in axis.lines if line.get_marker() == "o"] == [
        0.076,
        0.040,
        0.123,
        0.008,
    ]
    np.testing.assert_allclose(axis.collections[-1].get_segments()[0][:, 0], [-0.006, 0.024])


def test_an_undefined_gain_is_said():
    assert " undefined" in words(figure_02(auroc(), gains(np.nan)).axes[1])


def test_curves_show_percent_between_chance_and_the_ceiling():
    axis = FIGURES["figure_03"]().axes[0]
    *curves, ceiling, random = axis.lines
    assert len(curves) == len(SCORE_MARKS)
    np.testing.assert_allclose(curves[1].get_ydata(), [49, 67, 80])
    np.testing.assert_allclose(ceiling.get_ydata(), [75, 88, 94])
    np.testing.assert_allclose(random.get_xdata(), random.get_ydata())
    assert len({(line.get_color(), line.get_marker()) for line in curves}) == len(SCORE_MARKS)


def test_marks_of_a_budget_stand_beside_each_other_and_around_it():
    *curves, _, _ = FIGURES["figure_03"]().axes[0].lines
    places = np.array([line.get_xdata() for line in curves])
    np.testing.assert_allclose(places.mean(axis=0), [10, 20, 30])
    assert (np.diff(places, axis=0) > 0).all()


def test_slopes_lead_from_transforms_to_corruptions():
    figure = FIGURES["figure_04"]()
    recall = figure.axes[0].lines
    np.testing.assert_allclose([line.get_ydata() for line in recall], [[59.6, 67.2], [58.8, 65.4]])
    assert {"59.6", "67.2", "58.8", "65.4"} == set(words(figure.axes[0])) & {"59.6", "67.2", "58.8", "65.4"}
    assert not any("nan" in text for text in words(figure))
    assert {"0.688", "0.801"} <= set(words(figure.axes[3]))


def test_probes_are_sorted_and_stand_under_each_other_by_severity():
    axis = FIGURES["figure_06"]().axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["Snow", "Fog", "Pixelate"]
    circles, squares = (line for line in axis.lines if line.get_marker() in ("o", "s"))
    assert (circles.get_label(), squares.get_label()) == ("severity 2", "severity 4")
    np.testing.assert_allclose(circles.get_xdata(), [60, 61, 58])
    np.testing.assert_allclose(squares.get_xdata(), [62, 66, 55])
    assert (circles.get_ydata() > squares.get_ydata()).all()
    assert [round(float(line.get_xdata()[0]), 6) for line in axis.lines[:3]] == [67.2, 59.6, 57.8]


def test_a_source_without_mild_conditions_has_a_note():
    severe = recalls(("es",), "severe")
    both = pd.concat([severe, recalls(("diverse",))], ignore_index=True)
    natural = pools().replace({"source": {"es": "diverse", "diverse": "es"}})
    natural.loc[natural["source"] == "es", "tier"] = "severe"
    for figure in (
        figure_03(both, ceilings()),
        figure_04(natural),
        figure_06(probes(("diverse",)), both),
    ):
        first, second = figure.axes[:2]
        assert (first.get_title(), second.get_title()) == ("ES", "Diverse")
        assert "no mild condition\nwith failures" in words(first)
        assert not first.axison
        assert second.lines
        assert second.yaxis.get_tick_params()["labelleft"]


def test_nothing_but_notes_can_be_drawn():
    severe = recalls(("es",), "severe")
    for figure in (figure_03(severe, ceilings()), figure_04(severe), figure_06(probes(()), severe)):
        assert "no mild condition\nwith failures" in words(figure)


def test_one_source_alone_can_be_drawn():
    one = recalls(("es",))
    for figure in (figure_03(one, ceilings()), figure_04(one), figure_06(probes(("es",)), one)):
        assert "Diverse" not in words(figure)
    assert len(figure_02(auroc().query("source == 'es'"), gains()).axes[1].get_yticks()) == 2


def test_old_results_are_refused():
    with pytest.raises(PairedEvalError, match="figure_03: the results lack the column ceiling_30"):
        figure_03(recalls(), ceilings().drop(columns="ceiling_30"))
    with pytest.raises(PairedEvalError, match="figure_06: the results lack the column recall_20"):
        figure_06(probes().drop(columns="recall_20"), recalls())
    with pytest.raises(PairedEvalError, match="figure_02: no results for half evaluation"):
        figure_02(auroc().assign(half="development"), gains())
