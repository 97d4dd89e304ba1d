"""Figures on decision consistency: they show the right numbers, say what they show, and come out the same each time."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.text import Annotation, Text

from pairedeval.consistency.attacks import measure_attacks, summarise_attacks, summarise_success
from pairedeval.consistency.certificate import average_seeds, measure_certificate, summarise_certificate
from pairedeval.consistency.detection import configuration_differences, measure_detection
from pairedeval.consistency.differences import detection_differences
from pairedeval.consistency.prior_summaries import summarise_priors, summarise_recalls
from pairedeval.consistency.priors import measure_priors, measure_recalls
from pairedeval.consistency.shift import FAMILIES
from pairedeval.consistency.shift_summaries import correlate_gains
from pairedeval.errors import PairedEvalError
from pairedeval.images import write_store
from pairedeval.perturb.operator_table import read_operators, signed_strength
from pairedeval.report.captions import CONSISTENCY_CAPTIONS, caption
from pairedeval.report.consistency_pictures import operator_rows
from pairedeval.report.figure_consistency_attacks import figure_consistency_attacks
from pairedeval.report.figure_consistency_certificate import figure_consistency_certificate
from pairedeval.report.figure_consistency_detection import SHOWN, figure_consistency_detection
from pairedeval.report.figure_consistency_operators import figure_consistency_operators
from pairedeval.report.figure_consistency_priors import figure_consistency_priors
from pairedeval.report.figure_consistency_shift import figure_consistency_shift
from pairedeval.report.names import condition_name
from pairedeval.report.style import save_figure
from support.consistency_views import example_views

SEED = 20260908
ROOT = Path(__file__).parents[2]
MODELS = ("byobnet-plain", "byobnet-robust", "vit")
STRENGTHS = {
    "Noise": ["2", "4", "6", "8", "10"],
    "Blur": ["0.8", "1.2", "1.6", "2", "2.4"],
    "JPEG": ["75", "60", "45", "30", "15"],
}


def configurations(kind: str) -> list:
    return [example_views(kind, model, model[0], images=80) for model in MODELS]


def joined(measure, *kinds: str) -> pd.DataFrame:
    pairs = zip(*map(configurations, kinds), strict=True)
    return pd.concat([measure(*views) for views in pairs], ignore_index=True)


def gains() -> pd.DataFrame:
    """Return gains above and below zero, without one for the last condition."""
    rows = [
        (f"{corruption}-{severity}", corruption, severity, family)
        for family, corruptions in FAMILIES.items()
        for corruption in corruptions
        for severity in (2, 4)
    ]
    frame = pd.DataFrame(rows, columns=["condition", "corruption", "severity", "family"])
    places = np.arange(len(frame))
    frame["overconfidence"] = np.sin(places) / 5 + places / 100
    frame["consistency_gain"] = np.where(places < len(frame) - 1, np.cos(3 * places) / 20 + places / 300 - 0.02, np.nan)
    return frame.assign(added_gain=0.01)


@pytest.fixture(scope="module")
def frames() -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    detection = joined(measure_detection, "levels")
    certificate = joined(measure_certificate, "levels")
    attacks = joined(measure_attacks, "attacked")
    return {
        "detection": (
            detection_differences(configurations("levels"), SEED, draws=20),
            configuration_differences(detection),
        ),
        "certificate": (summarise_certificate(certificate), average_seeds(certificate)),
        "shift": (gains(), correlate_gains(gains())),
        "attacks": (summarise_attacks(attacks, SEED), summarise_success(attacks, SEED)),
        "priors": (
            summarise_priors(joined(measure_priors, "rare", "levels"), SEED),
            summarise_recalls(joined(measure_recalls, "rare", "levels")),
        ),
    }


@pytest.fixture(scope="module")
def rows(tmp_path_factory) -> list:
    """Return the rows of pictures from a store with one image under every operator."""
    store = tmp_path_factory.mktemp("images") / "examples.zip"
    views = ["original", *(operator.view for operator in operators())]
    write_store(store, ((view, "image-2", picture(number)) for number, view in enumerate(views)))
    return operator_rows(store, operators(), SEED)


def picture(number: int) -> np.ndarray:
    return np.random.default_rng(number).integers(0, 256, (24, 24, 3), dtype=np.uint8)


def operators():
    return read_operators(ROOT / "resources/conditions/operators.csv")


DRAW = {
    "detection": figure_consistency_detection,
    "certificate": figure_consistency_certificate,
    "shift": figure_consistency_shift,
    "attacks": figure_consistency_attacks,
    "priors": figure_consistency_priors,
}


def words(figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text)]


@pytest.mark.parametrize("name", DRAW)
def test_two_runs_write_the_same_bytes(name, frames, tmp_path):
    first, second = (
        save_figure(DRAW[name](*frames[name]), tmp_path / run / name, formats=["svg"])[0].read_bytes()
        for run in ("first", "second")
    )
    assert first == second


@pytest.mark.parametrize("name", DRAW)
def test_everything_lies_inside_the_figure(name, frames):
    figure = DRAW[name](*frames[name])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    box, (width, height) = figure.get_tightbbox(canvas.get_renderer()), figure.get_size_inches()
    assert box.x0 >= 0
    assert box.y0 >= 0
    assert box.x1 <= width
    assert box.y1 <= height


@pytest.mark.parametrize("name", DRAW)
def test_nothing_undefined_is_printed(name, frames):
    assert not any("nan" in text.lower().split() for text in words(DRAW[name](*frames[name])))


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("detection", "AUROC minus that of MSP (right: errors are ranked better)"),
        ("certificate", "Certified and flipped (% of the images)"),
        ("certificate", "Certified (% of the images)"),
        ("shift", "Overconfidence of MSP: mean confidence − accuracy (percentage points)"),
        ("shift", "AUROC of CS − AUROC of the margin"),
        ("attacks", "Budget (255ths of full scale)"),
        ("attacks", "Right predictions turned wrong (%)"),
        ("priors", "CAG: accuracy − mean CS (percentage points)"),
        ("priors", "Recall (%)"),
    ],
)
def test_axes_name_what_they_measure(name, label, frames):
    assert label in words(DRAW[name](*frames[name]))


@pytest.mark.parametrize("name", DRAW)
def test_old_results_are_refused(name, frames):
    first, second = frames[name]
    missing = {"detection": "lower", "certificate": "coverage", "shift": "family", "attacks": "upper", "priors": "mean"}
    with pytest.raises(PairedEvalError, match=f"figure_consistency_{name}: the results lack the column"):
        DRAW[name](first.drop(columns=missing[name]), second)


def test_every_operator_has_its_levels_with_strengths(rows):
    assert [row.heading.partition("\n")[0] for row in rows] == [
        "Noise", "Blur", "Brightness", "Contrast", "Rotation", "JPEG",
    ]  # fmt: skip
    titles = {row.heading.partition("\n")[0]: list(row.titles) for row in rows}
    assert {name: titles[name] for name in STRENGTHS} == {
        name: ["original", *strengths] for name, strengths in STRENGTHS.items()
    }
    signed = {operator.view: signed_strength(operator, SEED, "image-2") for operator in operators()}
    for level in range(1, 6):
        assert titles["Rotation"][level] == f"{signed[f'rotation-{level}']:+.0f}°".replace("-", "−")
        for name in ("brightness", "contrast"):
            assert titles[name.capitalize()][level] == f"× {1 + signed[f'{name}-{level}']:.1f}".replace(".0", "")


def test_every_picture_stands_under_its_operator_and_level(rows):
    stored = {view: picture(number) for number, view in enumerate(["original", *(each.view for each in operators())])}
    for row, name in zip(rows, ("noise", "blur", "brightness", "contrast", "rotation", "jpeg"), strict=True):
        expected = [stored["original"], *(stored[f"{name}-{level}"] for level in range(1, 6))]
        np.testing.assert_array_equal(row.pictures, expected)


def test_the_grid_of_pictures_stays_inside_the_figure(rows, tmp_path):
    figure = figure_consistency_operators(rows)
    assert len(figure.axes) == 36
    assert {"Level 1", "Level 5", "Rotation", "original", "2.4"} <= set(words(figure))
    boxes = [axis.get_position() for axis in figure.axes]
    assert min(box.y0 for box in boxes) > 0
    assert max(box.x1 for box in boxes) < 1
    renderer = FigureCanvasAgg(figure).get_renderer()
    pictures_start = min(box.x0 for box in boxes) * figure.bbox.width
    names = [text.get_window_extent(renderer) for text in figure.texts if text.get_position()[0] == 0]
    assert max(box.x1 for box in names) < pictures_start
    save_figure(figure, tmp_path / "operators", formats=["png"])


def test_differences_stand_with_intervals_over_the_dots_of_configurations(frames):
    differences, singles = frames["detection"]
    axis = figure_consistency_detection(differences, singles).axes[0]
    value = differences[differences["measure"] == "auroc"].set_index("score")
    means = [float(line.get_xdata()[0]) for line in axis.lines if line.get_marker() == "D"]
    np.testing.assert_allclose(means, value.loc[list(SHOWN), "mean"])
    dots = [part for part in axis.collections if isinstance(part, PathCollection)]
    bars = [part for part in axis.collections if not isinstance(part, PathCollection)]
    for score, dot, bar in zip(SHOWN, dots, bars, strict=True):
        expected = singles.loc[singles["score"] == score, "auroc"]
        np.testing.assert_allclose(dot.get_offsets()[:, 0], expected)
        assert len(expected) == len(MODELS)
        np.testing.assert_allclose(bar.get_segments()[0][:, 0], value.loc[score, ["lower", "upper"]].astype(float))
    assert {"1 forward pass", "7 forward passes", "mean over 3 configurations with 95% interval"} <= set(
        words(axis.figure)
    )


def test_an_undefined_difference_is_said(frames):
    differences, singles = frames["detection"]
    undefined = differences.assign(mean=differences["mean"].where(differences["score"] != "energy"))
    assert words(figure_consistency_detection(undefined, singles).axes[0]).count(" undefined") == 1


def test_certificates_have_a_line_for_each_configuration_their_mean_and_the_limit(frames):
    summary, singles = frames["certificate"]
    realised, coverage = figure_consistency_certificate(summary, singles).axes
    for axis, column in ((realised, "realized"), (coverage, "coverage")):
        *thin, mean = axis.lines[: len(MODELS) + 1]
        np.testing.assert_allclose(mean.get_xdata(), [1, 2, 5, 10, 20])
        np.testing.assert_allclose(mean.get_ydata(), 100 * summary[column])
        for line, model in zip(thin, MODELS, strict=True):
            np.testing.assert_allclose(line.get_ydata(), 100 * singles.loc[singles["model"] == model, column])
            assert line.get_linewidth() < mean.get_linewidth()
    limit = realised.lines[-1]
    assert list(limit.get_xdata()) == list(limit.get_ydata()) == [0, 20]
    assert coverage.get_ylim() == (0, 100)


def test_each_condition_is_a_mark_and_the_ends_are_named(frames):
    conditions, correlations = frames["shift"]
    figure = figure_consistency_shift(conditions, correlations)
    axis = figure.axes[0]
    marks = np.concatenate([part.get_offsets() for part in axis.collections])
    defined = conditions.dropna(subset="consistency_gain")
    assert len(marks) == len(defined) == 17
    expected = np.column_stack([100 * defined["overconfidence"], defined["consistency_gain"]])
    np.testing.assert_allclose(marks[np.lexsort(marks.T)], expected[np.lexsort(expected.T)])
    named = {text.get_text() for text in axis.texts}
    ends = {
        defined.loc[getattr(defined[column], end)(), "condition"]
        for column in ("overconfidence", "consistency_gain")
        for end in ("idxmin", "idxmax")
    }
    assert named == {condition_name(condition) for condition in ends}
    found = {row["points"]: row for row in correlations.query("gain == 'consistency_gain'").to_dict("records")}
    printed = axis.get_title(loc="right")
    for points in ("condition", "corruption"):
        assert f"{found[points]['correlation']:+.2f}".replace("-", "−") + f" over {found[points]['used']}" in printed
    assert "17 conditions, 1 without a gain" in printed


def test_labels_of_the_ends_meet_no_other_label(frames):
    figure = figure_consistency_shift(*frames["shift"])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in figure.axes[0].findobj(Annotation)]
    assert len(boxes) >= 2
    assert not any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[:place])


def test_families_differ_in_shape_and_severities_in_fill(frames):
    axis = figure_consistency_shift(*frames["shift"]).axes[0]
    shapes = {tuple(part.get_paths()[0].vertices.ravel()) for part in axis.collections}
    assert len(shapes) == len(FAMILIES)
    assert {bool((part.get_facecolor() == 1).all()) for part in axis.collections} == {True, False}


def test_nothing_but_undefined_gains_can_be_drawn():
    conditions = gains().assign(consistency_gain=np.nan)
    figure = figure_consistency_shift(conditions, correlate_gains(conditions))
    assert "undefined over 0 conditions, 18 without a gain" in figure.axes[0].get_title(loc="right")


def test_attack_lines_show_means_with_intervals(frames):
    attacks, success = frames["attacks"]
    plain, adaptive, achieved = figure_consistency_attacks(attacks, success).axes
    detected = attacks[attacks["quantity"] == "detection_auroc"]
    first = detected[(detected["score"] == "msp") & (detected["stability_weight"] == 0)].sort_values("epsilon")
    np.testing.assert_allclose(plain.lines[0].get_ydata(), first["mean"])
    np.testing.assert_allclose(
        [segment[:, 1] for segment in plain.collections[0].get_segments()], first[["lower", "upper"]]
    )
    assert [label.get_text() for label in plain.get_xticklabels()] == ["2", "4", "8"]
    # Budgets without an adaptive attack are left out.
    assert [text.get_text() for text in adaptive.get_legend().get_texts()] == ["budget 4/255"]
    assert [label.get_text() for label in adaptive.get_xticklabels()] == ["0", "1", "5"]
    line = detected[(detected["score"] == "consistency") & (detected["epsilon"] == 4)].sort_values("stability_weight")
    np.testing.assert_allclose(adaptive.lines[0].get_ydata(), line["mean"])
    line = success[(success["quantity"] == "success") & (success["epsilon"] == 4)].sort_values("stability_weight")
    np.testing.assert_allclose(achieved.lines[0].get_ydata(), 100 * line["mean"])


def test_scores_of_the_attacks_differ_in_colour_and_shape(frames):
    plain = figure_consistency_attacks(*frames["attacks"]).axes[0]
    lines = [line for line in plain.lines if line.get_marker() != "None"]
    assert [text.get_text() for text in plain.get_legend().get_texts()] == ["MSP", "margin", "CS", "−displacement"]
    assert len({line.get_marker() for line in lines}) == len({line.get_color() for line in lines}) == 4


def test_gaps_are_in_percentage_points(frames):
    priors, recalls = frames["priors"]
    axis = figure_consistency_priors(priors, recalls).axes[0]
    value = priors[priors["quantity"] == "gap"].set_index(["variant", "method"])["mean"]
    marks = [float(line.get_xdata()[0]) for line in axis.lines if line.get_marker() == "D"]
    cases = [("rare", "none"), ("rare", "reweighted"), ("rare", "em"), ("rare", "true_prior"), ("natural", "none")]
    np.testing.assert_allclose(marks, [100 * value[case] for case in cases])


def test_rare_classes_have_marks_of_their_own_and_lead_to_the_corrected_ones(frames):
    priors, recalls = frames["priors"]
    axis = figure_consistency_priors(priors, recalls).axes[1]
    common, *rare = axis.collections
    value = recalls[recalls["variant"] == "rare"].set_index(["method", "class"])[["stability", "recall"]]
    np.testing.assert_allclose(common.get_offsets(), 100 * value.loc["none"].loc[["class-00", "class-01"]])
    assert len(rare) == 4
    for place, name in enumerate(("class-02", "class-03")):
        before, after = rare[2 * place : 2 * place + 2]
        np.testing.assert_allclose(before.get_offsets()[0], 100 * value.loc[("none", name)])
        np.testing.assert_allclose(after.get_offsets()[0], 100 * value.loc[("em", name)])
        np.testing.assert_array_equal(before.get_paths()[0].vertices, after.get_paths()[0].vertices)
    shapes = {tuple(part.get_paths()[0].vertices.ravel()) for part in axis.collections}
    assert len(shapes) == 3
    assert {"class-02, rare", "class-03, rare", "recall = LS"} <= set(words(axis))


@pytest.mark.parametrize("figure", CONSISTENCY_CAPTIONS)
def test_captions_do_not_depend_on_captures(figure):
    assert caption(figure, {"es", "diverse"}) == CONSISTENCY_CAPTIONS[figure]
    script = ROOT / "workflow/scripts" / f"{figure}.py"
    place = CONSISTENCY_CAPTIONS[figure].title.partition(".")[0]
    assert script.read_text().startswith(f'"""{place}: ')
    assert (ROOT / "workflow/report" / f"{figure}.rst").is_file()


def test_captions_are_numbered_in_order():
    titles = [words.title.partition(".")[0] for words in CONSISTENCY_CAPTIONS.values()]
    assert titles == [f"Figure C{number}" for number in range(1, 7)]
