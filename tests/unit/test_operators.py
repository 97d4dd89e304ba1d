"""The six mild operators, against independent ways to the same pixels."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter

from pairedeval.consistency.views import LEVELS, OPERATORS
from pairedeval.errors import PairedEvalError
from pairedeval.perturb.operator_table import Operator, read_operators
from pairedeval.perturb.operators import NEUTRAL, apply_operator, audit_operators, input_distance
from pairedeval.perturb.transforms import transform
from pairedeval.seeds import derive_seed

STRENGTHS = {"noise": 0.05, "blur": 0.03, "brightness": 0.2, "contrast": 0.3, "rotation": 8.0, "jpeg": 40.0}
DIRECTED = ("brightness", "contrast", "rotation")
NAMES = [f"image-{number}" for number in range(40)]


def make_operator(name: str, level: int = 1, strength: float | None = None) -> Operator:
    return Operator(name, level, STRENGTHS[name] if strength is None else strength)


def photograph(height: int = 48, width: int = 64) -> np.ndarray:
    y, x = np.mgrid[:height, :width] / 10
    waves = [np.sin(x) + np.cos(y), np.cos(x + y), np.sin(x * y / 4)]
    return np.rint(127 + 40 * np.stack(waves, axis=2)).astype(np.uint8)


def flat(*values: int) -> np.ndarray:
    return np.tile(np.array(values, np.uint8), (8, 8, 1))


def furthest(first: np.ndarray, second: np.ndarray) -> int:
    return int(np.abs(first.astype(int) - second).max())


def sign(name: str, image_id: str, seed: int = 1) -> int:
    """Direction of an image as documented."""
    return 1 if derive_seed(seed, "operator", name, image_id, bits=1) else -1


@pytest.fixture(scope="module")
def operators(root: Path) -> tuple[Operator, ...]:
    return read_operators(root / "resources/conditions/operators.csv")


def test_the_table_holds_every_operator_at_every_level(operators) -> None:
    assert [(row.name, row.level) for row in operators] == [(name, level) for name in OPERATORS for level in LEVELS]
    assert [row.view for row in operators[:2]] == ["noise-1", "noise-2"]


@pytest.mark.parametrize("name", OPERATORS)
def test_every_level_moves_the_images_further_than_the_one_before(name: str, operators) -> None:
    rows = [row for row in operators if row.name == name]
    distances = [
        np.mean([input_distance(photograph(), apply_operator(photograph(), row, 1, image)) for image in NAMES])
        for row in rows
    ]
    assert distances[0] > 0
    assert (np.diff(distances) > 0).all()


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("shape", [(48, 64), (33, 51), (1, 1)])
def test_shape_and_type_stay_and_the_original_is_left_alone(name: str, shape: tuple[int, int]) -> None:
    pixels = photograph(*shape)
    before = pixels.copy()
    made = apply_operator(pixels, make_operator(name), 1, "a")
    assert made.shape == pixels.shape
    assert made.dtype == np.uint8
    assert np.array_equal(pixels, before)
    # A view with strides of its own, as a flip gives, is as good as a copy of it.
    mirrored = pixels[:, ::-1]
    assert np.array_equal(
        apply_operator(mirrored, make_operator(name), 1, "a"),
        apply_operator(mirrored.copy(), make_operator(name), 1, "a"),
    )


@pytest.mark.parametrize("name", OPERATORS)
def test_order_and_neighbours_change_no_bit(name: str) -> None:
    forward = {image: apply_operator(photograph(), make_operator(name), 1, image) for image in NAMES}
    backward = {image: apply_operator(photograph(), make_operator(name), 1, image) for image in reversed(NAMES)}
    assert all(np.array_equal(forward[image], backward[image]) for image in NAMES)


def test_the_noise_is_that_of_the_documented_seed() -> None:
    generator = np.random.default_rng(derive_seed(7, "operator", "noise", "a", 3))
    noise = generator.standard_normal((48, 64, 3), dtype=np.float32)
    expected = np.clip(np.rint(photograph() + 255 * 0.05 * noise.astype(np.float64)), 0, 255)
    made = apply_operator(photograph(), make_operator("noise", 3), 7, "a")
    assert furthest(made, expected) <= 1
    assert (made == expected).mean() > 0.999


def test_noise_has_its_deviation_no_mean_and_no_pattern() -> None:
    grey = np.full((200, 200, 3), 128, np.uint8)
    noise = apply_operator(grey, make_operator("noise", strength=0.06), 1, "a") - 128.0
    assert noise.std() == pytest.approx(0.06 * 255, rel=0.02)
    assert abs(noise.mean()) < 4 * 0.06 * 255 / np.sqrt(noise.size)
    channels = np.corrcoef(noise.reshape(-1, 3).T)
    neighbours = np.corrcoef(noise[:, :-1].ravel(), noise[:, 1:].ravel())
    assert max(np.abs(channels[np.triu_indices(3, 1)]).max(), abs(neighbours[0, 1])) < 0.02


def test_noise_is_drawn_anew_for_each_seed_image_and_level() -> None:
    made = {
        apply_operator(photograph(), make_operator("noise", level), seed, image).tobytes()
        for seed, image, level in [(1, "a", 1), (2, "a", 1), (1, "b", 1), (1, "a", 2)]
    }
    assert len(made) == 4


@pytest.mark.parametrize("share", [0.01, 0.03, 0.05])
@pytest.mark.parametrize("width", [64, 96])
def test_blur_is_a_gaussian_as_wide_as_a_share_of_the_width(share: float, width: int) -> None:
    pixels = photograph(40, width)
    sigma = share * width
    expected = gaussian_filter(pixels.astype(float), (sigma, sigma, 0), mode="mirror", truncate=3)
    assert furthest(apply_operator(pixels, make_operator("blur", strength=share), 1, "a"), np.rint(expected)) <= 1


def test_jpeg_is_what_pillow_makes_of_that_quality() -> None:
    for quality in (75, 15):
        file = io.BytesIO()
        Image.fromarray(photograph()).save(file, "JPEG", quality=quality)
        expected = np.array(Image.open(file)).astype(int)
        made = apply_operator(photograph(), make_operator("jpeg", strength=quality), 1, "a")
        assert np.abs(made - expected).mean() < 0.5


@pytest.mark.parametrize(
    ("name", "before", "up", "down"),
    [
        ("brightness", (100, 200, 250), (120, 240, 255), (80, 160, 200)),
        ("brightness", (0, 0, 0), (0, 0, 0), (0, 0, 0)),
        # Mean luma 0.299 x 100 + 0.587 x 200 + 0.114 x 50 = 153: (153 - 69, 153 + 61, 153 - 134) and so on.
        ("contrast", (100, 200, 50), (84, 214, 19), (116, 186, 81)),
        ("contrast", (90, 90, 90), (90, 90, 90), (90, 90, 90)),
    ],
)
def test_tones_by_hand(name: str, before: tuple[int, ...], up: tuple[int, ...], down: tuple[int, ...]) -> None:
    expected = {1: up, -1: down}
    for image in NAMES[:10]:
        made = apply_operator(flat(*before), make_operator(name), 1, image)
        assert made[0, 0].tolist() == list(expected[sign(name, image)])
    assert {sign(name, image) for image in NAMES[:10]} == {1, -1}


@pytest.mark.parametrize("name", DIRECTED)
def test_three_operators_are_transformations_in_the_direction_of_the_image(name: str) -> None:
    for image in NAMES[:6]:
        change = sign(name, image) * STRENGTHS[name]
        parameters = replace(NEUTRAL, **{name: change if name == "rotation" else 1 + change})
        made = apply_operator(photograph(), make_operator(name), 1, image)
        # Pillow drops fractions of tones, the operators round them.
        assert furthest(made, transform(photograph(), parameters)) <= (0 if name == "rotation" else 1)


@pytest.mark.parametrize("name", DIRECTED)
def test_directions_are_even_and_hold_at_every_level(name: str) -> None:
    ups = sum(sign(name, f"{number}") == 1 for number in range(1000))
    assert 430 < ups < 570
    for image in NAMES[:6]:
        results = [apply_operator(photograph(), make_operator(name, level), 1, image).tobytes() for level in (1, 5)]
        assert results[0] == results[1]


def test_directions_of_operators_and_seeds_are_drawn_apart() -> None:
    drawn = {
        tuple(sign(name, image, seed) for image in NAMES)
        for name in DIRECTED
        for seed in (1, 2)
    }  # fmt: skip
    assert len(drawn) == 6


def test_rotation_and_blur_bring_no_frame() -> None:
    white = np.full((40, 60, 3), 255, np.uint8)
    assert (apply_operator(white, make_operator("rotation", strength=45), 1, "a") == 255).all()
    assert (apply_operator(white, make_operator("blur"), 1, "a") == 255).all()


def test_distance_is_the_root_mean_square_of_full_scale() -> None:
    black, white = np.zeros((4, 5, 3), np.uint8), np.full((4, 5, 3), 255, np.uint8)
    half = black.copy()
    half[:2] = 255
    assert input_distance(black, black) == 0
    assert input_distance(black, white) == input_distance(white, black) == 1
    assert input_distance(black, half) == pytest.approx(np.sqrt(0.5))


def test_the_audit_equals_a_loop_over_images() -> None:
    images = [photograph(), photograph()[::-1], flat(0, 0, 0), flat(90, 90, 90)]
    rows = [make_operator(name, level) for name in OPERATORS for level in (1, 2)]
    audit = audit_operators(images, NAMES[:4], rows, 3)
    assert list(audit) == ["operator", "level", "strength", "mean_distance", "sd_distance", "unchanged", "images"]
    for found, row in zip(audit.itertuples(), rows, strict=True):
        made = [apply_operator(image, row, 3, name) for image, name in zip(images, NAMES[:4], strict=True)]
        distances = [
            np.linalg.norm(image.astype(float) - view) / np.sqrt(image.size) / 255
            for image, view in zip(images, made, strict=True)
        ]
        assert (found.operator, found.level, found.strength, found.images) == (row.name, row.level, row.strength, 4)
        assert found.mean_distance == pytest.approx(np.mean(distances))
        assert found.sd_distance == pytest.approx(np.std(distances, ddof=1))
        same = [image.tobytes() == view.tobytes() for image, view in zip(images, made, strict=True)]
        assert found.unchanged == np.mean(same)
    unchanged = audit.groupby("operator")["unchanged"].mean().to_dict()
    # Both flat images stay as they are, unless they get brighter; JPEG may round them.
    del unchanged["jpeg"]
    assert unchanged == {"noise": 0, "blur": 0.5, "brightness": 0.25, "contrast": 0.5, "rotation": 0.5}


def test_the_spread_of_one_image_is_undefined_and_ids_must_fit() -> None:
    audit = audit_operators([photograph()], ["a"], [make_operator("blur")], 1)
    assert np.isnan(audit.loc[0, "sd_distance"])
    with pytest.raises(ValueError, match="zip"):
        audit_operators([photograph()], ["a", "b"], [make_operator("blur")], 1)


HEADER = "operator,level,strength\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the header must be operator,level,strength"),
        ("operator,strength\n", "the header must be operator,level,strength"),
        (HEADER + "blur,one,0.1\n", "row 2: level must be a whole number and strength a number"),
        (HEADER + "blur,1\n", "row 2: level must be a whole number and strength a number"),
        (HEADER + "blur,1,0.1\nfog,1,0.1\n", "row 3: fog is no operator; choose noise, blur, brightness, contrast, "),
        (HEADER + "blur,0,0.1\n", "row 2: operator blur-0: level must be 1 or more"),
        (HEADER + "blur,1,0\n", "row 2: operator blur-1: strength must be above 0 and at most 1, not 0.0"),
        (HEADER + "noise,1,nan\n", "row 2: operator noise-1: strength must be above 0 and at most 1, not nan"),
        (HEADER + "jpeg,1,101\n", "row 2: operator jpeg-1: strength must be above 0 and at most 100, not 101.0"),
        (HEADER + "jpeg,1,50.5\n", "row 2: operator jpeg-1: strength must be a whole number, not 50.5"),
        (HEADER + "blur,1,0.1\nblur,1,0.2\n", "operator blur-1 stands twice; keep one row"),
    ],
)
def test_bad_tables_are_explained(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "operators.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PairedEvalError, match=rf"operators\.csv: {message}"):
        read_operators(path)


def test_a_missing_table_is_explained(tmp_path: Path) -> None:
    with pytest.raises(PairedEvalError, match=r"operators\.csv: no such table of operators; restore it"):
        read_operators(tmp_path / "operators.csv")


def test_an_operator_that_makes_no_sense_cannot_be_made() -> None:
    with pytest.raises(PairedEvalError, match="fog is no operator"):
        Operator("fog", 1, 0.1)
