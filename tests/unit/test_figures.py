"""Figures on example data: they say what they show, and a second run writes the same bytes."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from pairedeval.errors import PairedEvalError
from pairedeval.report.figure_01 import figure_01
from pairedeval.report.figure_07 import PictureRow, figure_07
from pairedeval.report.figures import accuracy_overview, identified_intervals, select_cells
from pairedeval.report.style import WATERMARK, mark_simulated, new_figure, save_figure

WIDTHS = {"I0": 0.08, "Ik": 0.05, "I5": 0.02}


def example_panel() -> pd.DataFrame:
    rows = [
        (source, target, level, scale * width)
        for source, scale in (("es", 0.5), ("syn", 1.0))
        for target in ("H", "L", "dM_k")
        for level, width in WIDTHS.items()
        if target == "H" or level != "I5"
    ]
    return pd.DataFrame(rows, columns=["source", "target", "level", "mean_width"])


def example_accuracy() -> pd.DataFrame:
    rows = [
        (model, source, tier, accuracy - loss)
        for model, accuracy in (("worse", 0.8), ("better", 0.9))
        for source in ("syn", "es")
        for tier, loss in (("clean", 0.0), ("mild", 0.2), ("severe", 0.5))
    ]
    return pd.DataFrame(rows, columns=["model", "source", "tier", "accuracy"])


def example_bounds(cells: int = 3) -> pd.DataFrame:
    rows = [
        (source, f"m{cell}", "fog-2", target, level, 0.1, 0.1 + cell * width, width * cell, 0.1 + cell / 1e3, 0.1)
        for source in ("syn", "es")
        for cell in range(cells)
        for target in ("H", "L", "dM_k")
        for level, width in WIDTHS.items()
    ]
    names = ["source", "model", "condition", "target", "level", "lower", "upper", "width", "observed", "independent"]
    return pd.DataFrame(rows, columns=names)


def example_pictures() -> list[PictureRow]:
    picture = np.zeros((4, 4, 3), dtype=np.uint8)
    return [
        PictureRow("Corruptions, severity 2", ("Fog", "Snow"), (picture, picture)),
        PictureRow("ES (simulated)", ("l1 k01",), (picture,)),
    ]


FIGURES = {
    "figure_01": lambda: figure_01(example_panel(), {"es"}),
    "figure_07": lambda: figure_07(example_pictures()),
    "figure_accuracy": lambda: accuracy_overview(example_accuracy(), {"es"}),
    "figure_intervals": lambda: identified_intervals(select_cells(example_bounds()), {"es"}),
}


def words(figure) -> list[str]:
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text)]


@pytest.mark.parametrize("name", FIGURES)
def test_two_runs_write_the_same_bytes(name, tmp_path):
    for run in ("first", "second"):
        save_figure(FIGURES[name](), tmp_path / run / name)
    for kind in ("pdf", "png", "svg"):
        first, second = ((tmp_path / run / f"{name}.{kind}").read_bytes() for run in ("first", "second"))
        assert first == second
    assert b"CreationDate" not in (tmp_path / "first" / f"{name}.pdf").read_bytes()


@pytest.mark.parametrize("name", FIGURES)
def test_simulated_data_is_marked(name):
    assert any("simulated" in text for text in words(FIGURES[name]()))


@pytest.mark.parametrize(
    ("name", "unit"),
    [("figure_01", "percentage points"), ("figure_accuracy", "(%)"), ("figure_intervals", "percentage points")],
)
def test_axes_name_their_unit(name, unit):
    assert any(unit in text for text in words(FIGURES[name]()))


def test_the_user_style_does_not_matter(tmp_path):
    import matplotlib as mpl

    (plain,) = save_figure(FIGURES["figure_01"](), tmp_path / "plain", formats=["png"])
    with mpl.rc_context({"font.size": 20, "axes.grid": True}):
        (other,) = save_figure(FIGURES["figure_01"](), tmp_path / "other", formats=["png"])
    assert plain.read_bytes() == other.read_bytes()


def test_bars_stack_to_w0_in_percentage_points():
    axis = figure_01(example_panel()).axes[0]
    remaining, states, overlap = axis.containers
    assert [label.get_text() for label in axis.get_xticklabels()] == ["Syn", "ES"]
    np.testing.assert_allclose([bar.get_height() for bar in remaining], [2, 1])
    np.testing.assert_allclose([bar.get_height() for bar in states], [3, 1.5])
    np.testing.assert_allclose([bar.get_y() + bar.get_height() for bar in overlap], [8, 4])
    assert {"8.00", "4.00"} <= set(words(axis))


def test_l_without_a_row_at_i5_takes_the_one_at_ik():
    axis = figure_01(example_panel()).axes[1]
    np.testing.assert_allclose([bar.get_height() for bar in axis.containers[0]], [5, 2.5])
    np.testing.assert_allclose([bar.get_height() for bar in axis.containers[1]], [0, 0])


def test_an_undefined_width_is_said():
    panel = example_panel()
    panel.loc[(panel["source"] == "es") & (panel["target"] == "dM_k"), "mean_width"] = np.nan
    assert "undefined" in words(figure_01(panel).axes[2])


def test_models_are_sorted_by_clean_accuracy():
    axis = accuracy_overview(example_accuracy()).axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["worse", "better"]


def test_accuracy_of_an_unknown_tier_is_refused():
    with pytest.raises(PairedEvalError, match="figure_accuracy: tier 'odd' is none of mild, severe, extreme"):
        accuracy_overview(example_accuracy().replace("severe", "odd"))


def test_selected_cells_run_from_narrowest_to_widest():
    chosen = select_cells(example_bounds(9), per_source=3)
    models = chosen.drop_duplicates(["source", "model"])[["source", "model"]]
    expected = [("syn", "m0"), ("syn", "m4"), ("syn", "m8"), ("es", "m0"), ("es", "m4"), ("es", "m8")]
    assert list(models.itertuples(index=False, name=None)) == expected
    assert set(chosen["target"]) == {"H", "L"}


def test_selection_takes_what_there_is():
    assert len(select_cells(example_bounds(1)).drop_duplicates(["source", "model"])) == 2


def test_pictures_keep_their_rows():
    figure = figure_07(example_pictures())
    assert len(figure.axes) == 3
    assert {"Fog", "Snow", "l1 k01", "Corruptions, severity 2", "ES (simulated)"} <= set(words(figure))


def test_no_mark_without_simulated_data():
    figure, _ = new_figure(2, 2)
    mark_simulated(figure, set())
    assert not any("simulated" in text.lower() for text in words(figure))


def test_only_simulated_captures_that_are_shown_are_named():
    figure, _ = new_figure(2, 2)
    mark_simulated(figure, {"es", "diverse"}, {"syn", "es"})
    assert "ES: simulated captures" in words(figure)
    figure, _ = new_figure(2, 2)
    mark_simulated(figure, {"es", "diverse"}, {"syn"})
    assert not any("simulated" in text for text in words(figure))


@pytest.mark.parametrize(
    "draw",
    [
        lambda everything: figure_01(example_panel(), everything),
        lambda everything: accuracy_overview(example_accuracy(), everything),
        lambda everything: identified_intervals(select_cells(example_bounds()), everything),
    ],
)
def test_simulated_predictions_get_a_watermark_and_no_word_about_captures(draw):
    figure = draw({"syn", "syn_b", "es", "diverse"})
    assert words(figure).count(WATERMARK) == 1
    assert not any("captures" in text for text in words(figure))


@pytest.mark.parametrize("size", [(7.0, 2.1), (7.0, 10.0), (3.0, 3.0)])
def test_the_watermark_fills_the_figure_and_stays_inside(size):
    figure, _ = new_figure(*size)
    mark_simulated(figure, {"syn"})
    canvas = FigureCanvasAgg(figure)
    (mark,) = (text for text in figure.texts if text.get_text() == WATERMARK)
    box = mark.get_window_extent(canvas.get_renderer())
    assert figure.bbox.containsx(box.x0)
    assert figure.bbox.containsx(box.x1)
    assert box.width > figure.bbox.width / 2
