"""The registry of a study's models: one CSV row per model, checked before anything runs.

This module is imported while the workflow is planned: it needs nothing outside the standard library.
"""

import csv
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from pairedeval.errors import ModelError
from pairedeval.models.needs import NOTHING_SAID, Needs

LIBRARIES = ("linear", "timm", "open_clip", "torchvision", "dinov2", "dinov3")
TRAINABLE = ("linear", "timm", "open_clip")
PREPROCESSINGS = ("imagenet", "squash")
SCORINGS = ("softmax", "sigmoid")
AUGMENTATIONS = ("plain", "shift", "robust")
REQUIRED_COLUMNS = ("model", "group", "library", "architecture", "input_size", "scoring")
TRAINING_COLUMNS = ("augmentation", "epochs", "learning_rate")
# The name becomes part of file names and Snakemake wildcards.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SOURCE = re.compile(r"hf:[\w.-]+/[\w.-]+(@[\w./-]+)?|https?://\S+")


@dataclass(frozen=True)
class TrainingRecipe:
    """How a model of the study is trained.

    Attributes
    ----------
    augmentation
        ``plain`` (none), ``shift`` (translations) or ``robust`` (translations, noise, contrast, brightness, blur).
    epochs
        Passes over the training images.
    learning_rate
        Largest learning rate of the one-cycle schedule.
    """

    augmentation: str
    epochs: int
    learning_rate: float


@dataclass(frozen=True)
class ModelEntry:
    """One model of the pool.

    Attributes
    ----------
    model
        Unique name, also of its files.
    group
        Model family; resampling draws whole groups.
    library
        One of `LIBRARIES`: how the model is built.
    architecture
        The library's name of the architecture; for a two-tower model trained here, of its image tower; for DINO, of
        timm's backbone. For OpenCLIP also the path of a model configuration in its form, ending in ``.json``.
    options
        Keyword arguments of the architecture, as pairs.
    input_size
        Side of the square input in pixels.
    scoring
        Native scoring rule: ``softmax``, or ``sigmoid`` for image-text models trained with the sigmoid loss.
    weights
        Name of the published weights: the library's tag where it has one; empty if the study trains the model.
    recipe
        Training recipe; None if `weights` names published ones.
    preprocessing
        One of `PREPROCESSINGS`, or empty for what the library prescribes for `weights`. ``imagenet``: shorter side to
        8/7 of the input, centre crop; ``squash``: both sides to the input size; both bicubic, with the mean and
        standard deviation of ImageNet.
    source
        Where the weights are published: ``hf:<owner>/<name>``, optionally ``@<revision>``, or an address, optionally
        with the start of the file's MD5 as ``#md5=<hex digits>``; for DINO two of them, backbone and linear layer,
        separated by a space. See `pairedeval.models.fetch`.
    parameters
        Number of parameters of the whole model, checked when its weights are fetched; 0 if it is not said.
    needs
        Hints for a scheduler.
    """

    model: str
    group: str
    library: str
    architecture: str
    options: tuple[tuple[str, int | float | str], ...]
    input_size: int
    scoring: str
    weights: str
    recipe: TrainingRecipe | None
    preprocessing: str = ""
    source: str = ""
    parameters: int = 0
    needs: Needs = NOTHING_SAID


def read_registry(path: str | Path) -> tuple[ModelEntry, ...]:
    """Read ``config/models/<study>.csv``; columns beyond the known ones are notes and ignored.

    Raises
    ------
    ModelError
        If the file is missing or empty, lacks a column, names a model twice or holds a value that is not
        allowed; the message names file, row and column. The header is row 1.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            columns = reader.fieldnames or ()
            rows = list(enumerate(reader, start=2))
    except FileNotFoundError:
        raise ModelError(
            f"{path}: no such file; write a registry of models or correct the study's key 'models'"
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ModelError(f"{path}: not a readable CSV file ({error}); save the registry as UTF-8 CSV") from error
    missing = [column for column in REQUIRED_COLUMNS if column not in columns]
    if missing:
        raise ModelError(
            f"{path}: row 1: missing column {', '.join(missing)}; required are {', '.join(REQUIRED_COLUMNS)}"
        )
    if not rows:
        raise ModelError(f"{path}: no models; add one row per model")
    entries = tuple(_Row(f"{path}: row {number}", row).entry() for number, row in rows)
    first_row: dict[str, int] = {}
    for (number, _), entry in zip(rows, entries, strict=True):
        # File systems that ignore case would let two such models overwrite each other.
        first = first_row.setdefault(entry.model.lower(), number)
        if first != number:
            raise ModelError(
                f"{path}: row {number}, column model: '{entry.model}' also stands in row {first}; rename one"
            )
    return entries


def check_listed(names: Iterable[str], listed: Collection[str], place: str, key: str) -> None:
    """Refuse names of models that a list lacks; a `ModelError` names the key of the configuration and the list."""
    for name in names:
        if name not in listed:
            raise ModelError(f"{key}: {place} has no model {name}; choose of {', '.join(listed)}")


def entry_values(entry: ModelEntry) -> dict[str, Any]:
    """Return all of an entry that decides a result, as plain values that can be parameters of a rule."""
    values = asdict(entry)
    del values["needs"]
    return values


def entry_from_values(values: Mapping[str, Any]) -> ModelEntry:
    """Return the entry that `entry_values` or ``dataclasses.asdict`` turned into plain values.

    Examples
    --------
    >>> recipe = TrainingRecipe("plain", epochs=1, learning_rate=0.1)
    >>> entry = ModelEntry("a", "a", "timm", "test_vit", (("depth", 2),), 32, "softmax", "", recipe)
    >>> entry_from_values(entry_values(entry)) == entry
    True
    """
    recipe = values["recipe"]
    options = tuple((str(name), value) for name, value in values["options"])
    return ModelEntry(
        **{
            **values,
            "options": options,
            "recipe": None if recipe is None else TrainingRecipe(**recipe),
            "needs": Needs(**values.get("needs", {})),
        }
    )


class _Row:
    """One row of the registry with its place for messages."""

    def __init__(self, place: str, row: Mapping[str | None, str | list[str] | None]) -> None:
        if None in row or None in row.values():
            raise ModelError(f"{place}: more or fewer fields than the header has; quote values that hold a comma")
        self._place = place
        self._row = {str(column): str(value).strip() for column, value in row.items()}

    def entry(self) -> ModelEntry:
        model = self._text("model")
        if not _NAME.fullmatch(model):
            self._refuse("model", model, "letters, digits, '.', '_' and '-', starting with a letter or digit")
        library = self._choice("library", LIBRARIES)
        scoring = self._choice("scoring", SCORINGS)
        if scoring == "sigmoid" and library != "open_clip":
            self._refuse("scoring", scoring, f"softmax for library {library}")
        weights = self._row.get("weights", "")
        if not weights and library not in TRAINABLE:
            self._refuse("weights", weights, f"published weights, because the study cannot train a {library} model")
        if weights and library == "linear":
            self._refuse("weights", weights, "nothing, because a linear model is trained by the study")
        return ModelEntry(
            model=model,
            group=self._text("group"),
            library=library,
            architecture=self._text("architecture"),
            options=self._options(),
            input_size=self._count("input_size"),
            scoring=scoring,
            weights=weights,
            recipe=self._recipe(weights),
            preprocessing=self._preprocessing(library, weights),
            source=self._source(library),
            parameters=self._optional_count("parameters"),
            needs=Needs(*map(self._optional_count, ("gpu_memory_mb", "batch_size", "gigaflops"))),
        )

    def _recipe(self, weights: str) -> TrainingRecipe | None:
        if weights:
            for column in TRAINING_COLUMNS:
                if self._row.get(column):
                    self._refuse(column, self._row[column], "nothing, because the column weights is filled")
            return None
        return TrainingRecipe(
            augmentation=self._choice("augmentation", AUGMENTATIONS),
            epochs=self._count("epochs"),
            learning_rate=self._rate("learning_rate"),
        )

    def _preprocessing(self, library: str, weights: str) -> str:
        value = self._row.get("preprocessing", "")
        if not weights or library in {"open_clip", "torchvision"}:
            if value:
                self._refuse("preprocessing", value, "nothing, because the model brings its own")
        elif value or library != "timm":
            self._choice("preprocessing", PREPROCESSINGS)
        return value

    def _source(self, library: str) -> str:
        value = self._row.get("source", "")
        files = 2 if library in {"dinov2", "dinov3"} else 1
        if value and (len(value.split()) != files or not all(_SOURCE.fullmatch(part) for part in value.split())):
            backbone = (
                "'hf:owner/name' or an address" if files == 1 else "addresses of the backbone and the linear layer"
            )
            self._refuse("source", value, backbone)
        return value

    def _text(self, column: str) -> str:
        value = self._row.get(column, "")
        if not value:
            self._refuse(column, value, "a value" if column in REQUIRED_COLUMNS else "a value, or published weights")
        return value

    def _choice(self, column: str, allowed: tuple[str, ...]) -> str:
        value = self._row.get(column, "")
        if value not in allowed:
            self._refuse(column, value, ", ".join(allowed))
        return value

    def _count(self, column: str) -> int:
        value = self._text(column)
        if not value.isdecimal() or int(value) == 0:
            self._refuse(column, value, "a whole number of at least 1")
        return int(value)

    def _optional_count(self, column: str) -> int:
        return self._count(column) if self._row.get(column) else 0

    def _rate(self, column: str) -> float:
        value = self._text(column)
        try:
            rate = float(value)
        except ValueError:
            rate = -1.0
        if not 0 < rate <= 1:
            self._refuse(column, value, "a number above 0 and at most 1")
        return rate

    def _options(self) -> tuple[tuple[str, int | float | str], ...]:
        text = self._row.get("options", "")
        pairs = [part.partition("=") for part in text.split()]
        for name, _, value in pairs:
            if not name.isidentifier() or not value:
                self._refuse("options", text, "pairs like 'patch_size=4 depth=2', separated by spaces")
        return tuple((name, _number_or_text(value)) for name, _, value in pairs)

    def _refuse(self, column: str, value: str, allowed: str) -> NoReturn:
        found = f"'{value}' is not allowed" if value else "empty"
        raise ModelError(f"{self._place}, column {column}: {found}; allowed: {allowed}")


def _number_or_text(value: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            continue
    return value
