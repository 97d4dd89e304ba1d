"""SIMULATED recaptures: a small camera model over the factor grids of ImageNet-ES and ES Diverse.

No camera took these images. The model stands in for the two data sets where the images of a study were never
recaptured: same lights, same 27 camera settings, plausible physics, freely chosen constants.

Scene. Pixel values become light by the display gamma 2.2. *Screen* (source ``es``): the display emits this light
above its black level, through red, green and blue stripes; where they beat with the camera's own pixels, coloured
moire bands appear. In light ``l1`` a lamp adds warm glare, in ``l5`` the display is the only source. *Print*
(source ``diverse``): ink on warm paper reflects the light; each ink is a halftone screen at its own angle,
strongest in mid-tones. Each lamp has a brightness and a colour and fades towards one side. The brightness of the
six lights follows the mean pixel values 121, 86, 75, 50, 31 and 26 (l1, l3, l4, l2, l6, l7) of one published
example; their colours are invented, because the data set names none.

Framing. A screen is cropped almost straight, a print by hand: up to 1% or 5% of the side is lost at each corner,
independently, which leaves a slight perspective. Crop, moire and fading belong to the image, not to the setting.

Lens. The blur of defocus shrinks as 1/N with the f-number N, diffraction grows as N; their widths add in squares
and one Gaussian stands for both. A wide aperture also darkens the corners.

Sensor. A radiance L gives the exposure H = c L t ISO / N^2 (time t). For screens, c exposes those settings well
that have the best published accuracies; for prints, the example's setting 1 in ``l1``. H = `HEADROOM` saturates;
there a pixel holds `FULL_WELL` 100 / ISO electrons. A signal of n electrons has shot noise of variance n and read
noise of variance `READ_NOISE`^2, both Gaussian: raising ISO brightens and costs electrons.

JPEG. Dark frames are brightened, half of the stops that miss to a middle exposure and at most `LARGEST_GAIN`;
the tone curve H (1 + H / `HEADROOM`^2) / (1 + H) rolls off highlights; then come the sRGB curve and 8 bits.

Tuning. Exposure, noise and tone curve were set by hand until small networks, on development images of the digits,
found a mix of mild, severe and extreme conditions near the published one (44/5/5 and 51/25/86 by Section 3.3).
The counts of the tiers are therefore no finding of a study that uses this model.
"""

import math
from dataclasses import dataclass

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from pairedeval.errors import ImageError
from pairedeval.perturb.conditions import Capture
from pairedeval.seeds import derive_seed

SCREEN = "es"
PRINT = "diverse"
# Light of the 256 pixel values.
DISPLAY_CURVE = ((np.arange(256) / 255) ** 2.2).astype(np.float32)
# Phases of a wave in turns: one for all channels, or red, green and blue side by side.
ONE_PHASE = np.zeros(1)
THIRDS = np.arange(3) / 3


@dataclass(frozen=True)
class Light:
    """One light: brightness relative to ``l1`` of its source, and colour (red, green, blue factors)."""

    brightness: float
    colour: tuple[float, float, float]


# Glare on a screen as a share of the display's white.
SCREEN_LIGHTS = {
    "l1": Light(0.02, (1.15, 1.0, 0.8)),
    "l5": Light(0.0, (1.0, 1.0, 1.0)),
}
# Brightness: (mean pixel value / 121)^2.2.
PRINT_LIGHTS = {
    "l1": Light(1.0, (1.0, 1.0, 0.95)),
    "l3": Light(0.47, (1.1, 1.0, 0.78)),
    "l4": Light(0.35, (0.95, 1.0, 1.06)),
    "l2": Light(0.143, (1.15, 1.0, 0.7)),
    "l6": Light(0.05, (1.0, 1.0, 0.9)),
    "l7": Light(0.034, (0.9, 1.0, 1.12)),
}
SENSITIVITY = {SCREEN: 3.0, PRINT: 0.2}
LARGEST_CROP = {SCREEN: 0.01, PRINT: 0.05}
DISPLAY_BLACK = 0.004
# Depth of the display's stripes and their cycles a pixel; depth of the moire and its cycles over the frame.
STRIPE_DEPTH = 0.12
STRIPE_FREQUENCY = 0.47
MOIRE_DEPTH = 0.12
MOIRE_CYCLES = (3.0, 8.0)
PAPER = np.array([0.88, 0.84, 0.76], dtype=np.float32)
INK = 0.05
HALFTONE_DEPTH = 0.25
HALFTONE_FREQUENCY = 0.31
HALFTONE_ANGLES = tuple(math.radians(degrees) for degrees in (15, 75, 45))
# Share of the light that is lost across the frame.
FADING = 0.25
# Blur in shares of the side: defocus at f/1, diffraction at f/1.
DEFOCUS = 0.05
DIFFRACTION = 0.0004
# Light lost in the corners at f/1.
VIGNETTING = 1.0
# Electrons at ISO 100, summed over the sensor pixels behind one image pixel; read noise in electrons.
FULL_WELL = 50_000.0
READ_NOISE = 3.0
# Exposure at which the sensor saturates and the tone curve reaches white.
HEADROOM = 8.0
# Automatic brightening of dark frames: mean raw value of a middle exposure, share of the missing stops that is
# made up, largest gain.
MIDDLE = 0.5
BRIGHTENING = 0.5
LARGEST_GAIN = 6.0


def capture(pixels: np.ndarray, condition: Capture, seed: int, image_id: str) -> np.ndarray:
    """Return a simulated recapture of one image.

    Parameters
    ----------
    pixels
        uint8 RGB, shape ``(height, width, 3)``.
    condition
        Light and camera setting; its source decides between screen and print.
    seed
        Seed of the study.
    image_id
        Image; with the seed and the source it fixes framing and scene, with the condition also the noise.

    Returns
    -------
    numpy.ndarray
        uint8 RGB of the same shape.

    Raises
    ------
    ImageError
        If the model has no such source or light.
    """
    lights = {SCREEN: SCREEN_LIGHTS, PRINT: PRINT_LIGHTS}.get(condition.source, {})
    if condition.light not in lights:
        raise ImageError(
            f"condition {condition.condition} of {condition.source}: no simulated light {condition.light}; "
            f"choose {', '.join(lights) or 'a source of ' + SCREEN + ', ' + PRINT}"
        )
    light = lights[condition.light]
    scene = np.random.default_rng(derive_seed(seed, condition.source, "scene", image_id))
    framed = _frame(pixels, LARGEST_CROP[condition.source], scene)
    linear = DISPLAY_CURVE[framed]
    radiance = _screen(linear, light, scene) if condition.source == SCREEN else _print(linear, light, scene)
    noise = np.random.default_rng(derive_seed(seed, condition.source, condition.condition, image_id))
    return _develop(_expose(_focus(radiance, condition.aperture), condition, noise))


def exposure(condition: Capture) -> float:
    """Return the exposure H of a radiance of 1; the tone curve maps H = 1 to a middle tone.

    Examples
    --------
    >>> from fractions import Fraction
    >>> round(exposure(Capture("es", "l5", 4, 250, Fraction(1, 60), 5.0, "l5-k04")), 3)
    0.5
    """
    return SENSITIVITY[condition.source] * float(condition.shutter) * condition.iso / condition.aperture**2


def _frame(pixels: np.ndarray, largest: float, scene: np.random.Generator) -> np.ndarray:
    """Crop to a quadrilateral whose corners lie up to `largest` of the side inside the image."""
    height, width = pixels.shape[:2]
    insets = scene.uniform(0.0, largest, size=(4, 2)) * (width, height)
    corners = np.array([(0, 0), (0, height), (width, height), (width, 0)])
    inward = np.array([(1, 1), (1, -1), (-1, -1), (-1, 1)])
    framed = Image.fromarray(pixels).transform(
        (width, height),
        Image.Transform.PERSPECTIVE,
        _homography(corners, corners + inward * insets),
        Image.Resampling.BILINEAR,
    )
    return np.asarray(framed)


def _homography(output: np.ndarray, source: np.ndarray) -> tuple[float, ...]:
    """Return the eight coefficients that take output corners to source corners, shapes ``(4, 2)``."""
    rows = []
    for (x, y), (u, v) in zip(output, source, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    return tuple(np.linalg.solve(np.array(rows, dtype=np.float64), source.reshape(-1)).tolist())


def _screen(linear: np.ndarray, light: Light, scene: np.random.Generator) -> np.ndarray:
    """Return the radiance of a display, in units of its white."""
    tilt = scene.uniform(-0.05, 0.05)
    stripes = _wave(linear.shape, STRIPE_FREQUENCY, tilt, scene.uniform() + THIRDS)
    cycles = scene.uniform(*MOIRE_CYCLES) / linear.shape[1]
    moire = _wave(linear.shape, cycles, scene.uniform(-math.pi, math.pi), scene.uniform() + THIRDS)
    emitted = (DISPLAY_BLACK + (1 - DISPLAY_BLACK) * linear) * (1 + STRIPE_DEPTH * stripes) * (1 + MOIRE_DEPTH * moire)
    return np.asarray(emitted + _lamp(light, linear.shape, scene))


def _print(linear: np.ndarray, light: Light, scene: np.random.Generator) -> np.ndarray:
    """Return the radiance of a print, in units of a perfect white in light ``l1``."""
    turn = scene.normal(0.0, 0.03)
    screens = [
        _wave(linear.shape, HALFTONE_FREQUENCY, angle + turn)
        * _wave(linear.shape, HALFTONE_FREQUENCY, angle + turn + math.pi / 2)
        for angle in HALFTONE_ANGLES
    ]
    # Paper and full ink show no dots.
    toned = linear + HALFTONE_DEPTH * 4 * linear * (1 - linear) * np.concatenate(screens, axis=2)
    reflectance = PAPER * (INK + (1 - INK) * np.clip(toned, 0.0, 1.0))
    return np.asarray(reflectance * _lamp(light, linear.shape, scene))


def _wave(shape: tuple[int, ...], frequency: float, direction: float, phases: np.ndarray = ONE_PHASE) -> np.ndarray:
    """Return a cosine wave, frequency in cycles a pixel, one channel per phase (in turns)."""
    across = 2 * np.pi * frequency * math.cos(direction) * np.arange(shape[1])[None, :, None]
    down = 2 * np.pi * (frequency * math.sin(direction) * np.arange(shape[0])[:, None, None] + phases)
    # cos(a + b) by products of rows and columns: far fewer cosines.
    wave = np.cos(across) * np.cos(down) - np.sin(across) * np.sin(down)
    return np.asarray(wave, dtype=np.float32)


def _lamp(light: Light, shape: tuple[int, ...], scene: np.random.Generator) -> np.ndarray:
    """Return the light over the frame; `FADING` is lost from one side to the other."""
    x, y = _coordinates(shape)
    direction = scene.uniform(-math.pi, math.pi)
    along = FADING * (x * math.cos(direction) + y * math.sin(direction))
    return np.asarray((1 + along) * light.brightness * np.array(light.colour), dtype=np.float32)


def _focus(radiance: np.ndarray, aperture: float) -> np.ndarray:
    """Blur by defocus and diffraction, and darken the corners."""
    sigma = max(radiance.shape[:2]) * math.hypot(DEFOCUS / aperture, DIFFRACTION * aperture)
    blurred = gaussian_filter(radiance, (sigma, sigma, 0), mode="nearest", truncate=3.0)
    x, y = _coordinates(radiance.shape)
    # 0 at the centre, 1 in the corners.
    from_centre = 2 * (x**2 + y**2)
    return np.asarray(blurred * (1 - np.float32(VIGNETTING / aperture) * from_centre))


def _expose(radiance: np.ndarray, condition: Capture, noise: np.random.Generator) -> np.ndarray:
    """Return noisy raw values, exposures H clipped at 0 and `HEADROOM`."""
    per_exposure = np.float32(FULL_WELL / HEADROOM * 100 / condition.iso)
    electrons = radiance * (np.float32(exposure(condition)) * per_exposure)
    electrons += np.sqrt(electrons + np.float32(READ_NOISE**2)) * noise.standard_normal(radiance.shape, np.float32)
    return np.asarray(np.clip(electrons / per_exposure, 0, HEADROOM))


def _develop(raw: np.ndarray) -> np.ndarray:
    """Turn raw values into 8-bit sRGB, as a camera's JPEG engine does."""
    gain = np.clip((MIDDLE / max(float(raw.mean()), 1e-6)) ** BRIGHTENING, 1.0, LARGEST_GAIN)
    value = raw * np.float32(gain)
    value = np.minimum(value * (1 + value / np.float32(HEADROOM**2)) / (1 + value), np.float32(1))
    encoded = np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** np.float32(1 / 2.4) - 0.055)
    return np.asarray(np.rint(255 * encoded), dtype=np.uint8)


def _coordinates(shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of the pixel centres from -1/2 to 1/2, shapes ``(1, width, 1)`` and ``(height, 1, 1)``."""
    height, width = shape[:2]
    x = ((np.arange(width) + 0.5) / width - 0.5).astype(np.float32)
    y = ((np.arange(height) + 0.5) / height - 0.5).astype(np.float32)
    return x[None, :, None], y[:, None, None]
