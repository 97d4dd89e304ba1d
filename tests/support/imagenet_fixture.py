"""A tiny publication in the layout of the real ones: validation tar, both archives of captures, labels and facts.

Few classes and images, but all 54 + 162 conditions. Names, folders and quirks are those of the published files: folders
without padded numbers, exposures that the study does not use, JSON beside the images, members in no useful order.
"""

import csv
import io
import json
import random
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import yaml
from PIL import Image

SIZE = (40, 32)  # The corruptions need 32 px.
CAPTURE_SIZE = (48, 36)
# Positions of some of the classes that the captures show, among the 1,000, and of others that they do not show.
SHOWN = (1, 107, 340, 950)
OTHERS = (0, 65, 500, 999)
ROOTS = {"es": ("ImageNet-ES", "es-test"), "diverse": ("ImageNet-ES-Diverse", "es-diverse-test")}
REFERENCES, CAPTURES, AUTOMATIC = "sampled_tin_no_resize2", "param_control", "auto_exposure"
LIGHTS = {"es": ("l1", "l5"), "diverse": ("l1", "l2", "l3", "l4", "l6", "l7")}
ORIENTATION = 0x0112  # EXIF tag


@dataclass(frozen=True)
class Publication:
    """A tiny publication.

    Attributes
    ----------
    folder
        Where everything lies.
    classes
        Class id of every validation image.
    base
        Class id of every base image.
    files
        Every published file by name.
    facts
        The file of facts that describes it.
    """

    folder: Path
    classes: dict[str, str]
    base: dict[str, str]
    files: dict[str, Path]
    facts: Path

    @property
    def validation(self) -> Path:
        """The tar of the validation images."""
        return self.files["ILSVRC2012_img_val.tar"]

    def archive(self, source: str) -> Path:
        """Return the archive of captures of a source."""
        return self.files[f"{ROOTS[source][0]}.zip"]


def publish(
    folder: Path, *, base_classes: int = 3, other_classes: int = 2, per_class: int = 6, base_per_class: int = 2
) -> Publication:
    """Make a tiny publication.

    Parameters
    ----------
    folder
        Where; made if it is missing.
    base_classes, other_classes
        Classes that the captures show, and further ones.
    per_class, base_per_class
        Validation images a class, and base images of each that is shown.
    """
    folder.mkdir(parents=True, exist_ok=True)
    synsets = published_synsets()
    shown = sorted(synsets[position] for position in SHOWN[:base_classes])
    wanted = [*shown, *(synsets[position] for position in OTHERS[:other_classes])] * per_class
    random.Random(1).shuffle(wanted)
    classes = {f"ILSVRC2012_val_{number:08d}": class_id for number, class_id in enumerate(wanted, start=1)}
    base = {
        image_id: class_id
        for class_id in shown
        for image_id in [name for name, other in classes.items() if other == class_id][1 : 1 + base_per_class]
    }
    originals = dict(zip(classes, _originals(list(classes.values())), strict=True))
    files = {
        "ILSVRC2012_img_val.tar": _write_tar(folder / "ILSVRC2012_img_val.tar", originals),
        "imagenet_synsets.txt": _write_lines(folder / "imagenet_synsets.txt", synsets),
        "validation_labels.txt": _write_lines(folder / "validation_labels.txt", classes.values()),
        "real.json": _write_real(folder / "real.json", classes, synsets),
        **{f"{name}.json": _write_mistakes(folder / f"{name}.json", base, synsets) for name in MISTAKES},
    }
    for source, (root, _) in ROOTS.items():
        members = dict(archive_members(source, base, originals))
        files[f"{root}.zip"] = write_archive(folder / f"{root}.zip", members)
    return Publication(folder, classes, base, files, write_facts(folder / "facts.yaml", base, classes, files))


def published_synsets() -> list[str]:
    """Return the 1,000 class ids in the order of their indices, as timm ships them."""
    (place,) = find_spec("timm").submodule_search_locations
    return (Path(place) / "data/_info/imagenet_synsets.txt").read_text(encoding="utf-8").split()


def archive_members(
    source: str, base: Mapping[str, str], originals: Mapping[str, bytes]
) -> Iterator[tuple[str, bytes]]:
    """Yield the members of a source's archive, by condition; nothing may depend on this order."""
    root, split = ROOTS[source]
    for image_id, class_id in base.items():
        yield f"{root}/{split}/{REFERENCES}/{class_id}/{image_id}.JPEG", originals[image_id]
    for light in LIGHTS[source]:
        for setting in range(1, 28):
            for image_id, class_id in base.items():
                name = f"{class_id}/{image_id}.JPEG"
                data = capture_bytes(source, light, setting, image_id)
                yield f"{root}/{split}/{CAPTURES}/{light}/param_{setting}/{name}", data
                if setting <= 5:
                    yield f"{root}/{split}/{AUTOMATIC}/{light}/param_{setting}/{name}", data
    yield f"{root}/{split}/{CAPTURES}/l1/settings.json", b"{}"
    yield f"{root}/es-train/tin_no_resize_sample_removed/n01443537/ILSVRC2012_val_00000262.JPEG", b"elsewhere"


def capture_bytes(source: str, light: str, setting: int, image_id: str) -> bytes:
    """Return the JPEG of one capture; every one differs from every other."""
    generator = np.random.default_rng([*f"{source} {light} {setting} {image_id}".encode()])
    level = 20 + 200 * ((setting * 7 + int(light[1])) % 27) / 27
    pixels = np.clip(generator.normal(level, 25, (CAPTURE_SIZE[1], CAPTURE_SIZE[0], 3)), 0, 255)
    return encode(Image.fromarray(pixels.astype(np.uint8)), quality=80)


def write_archive(path: Path, members: Mapping[str, bytes]) -> Path:
    """Write members in a shuffled order, after the entries of some folders."""
    names = list(members)
    random.Random(2).shuffle(names)
    with zipfile.ZipFile(path, "w") as archive:
        archive.mkdir(names[0].split("/")[0])
        for name in names:
            archive.writestr(name, members[name])
    return path


def write_facts(
    path: Path, base: Mapping[str, str], classes: Mapping[str, str], files: Mapping[str, Path], server: str = ""
) -> Path:
    """Write what is published about these files; with a server, files are fetched from there, archives from its hub."""
    lines = sorted(f"{class_id}/{image_id}.JPEG\n" for image_id, class_id in base.items())
    tar = files["ILSVRC2012_img_val.tar"].read_bytes()
    archives, rows = {}, {}
    for source, (root, split) in ROOTS.items():
        folders = {"references": f"{root}/{split}/{REFERENCES}", "captures": f"{root}/{split}/{CAPTURES}"}
        archives[source] = {"file": f"{root}.zip", **folders}
    for name, file in files.items():
        if name.endswith(".zip"):
            rows[name] = {"repository": f"Edw2n/{name.removesuffix('.zip')}"}
        elif not name.endswith(".tar"):
            data = file.read_bytes()
            rows[name] = {"size": len(data), "sha256": sha256(data).hexdigest()}
            rows[name] |= {"url": f"{server}/files/{name}"} if server else {}
    facts = {
        "validation": {"images": len(classes), "size": len(tar), "sha256": sha256(tar).hexdigest()},
        "base": {
            "images": len(base),
            "list_sha256": sha256("".join(lines).encode()).hexdigest(),
            "candidates_sha256": sha256("\n".join(sorted(set(base.values()))).encode()).hexdigest(),
        },
        "archives": archives,
        "files": rows,
    }
    path.write_text(yaml.safe_dump(facts), encoding="utf-8")
    return path


def encode(image: Image.Image, kind: str = "JPEG", **options: object) -> bytes:
    """Return an image as the bytes of a file."""
    buffer = io.BytesIO()
    image.save(buffer, format=kind, **options)
    return buffer.getvalue()


def photograph(seed: int, size: tuple[int, int] = SIZE) -> Image.Image:
    """Return a small picture with structure: a slope and noise."""
    generator = np.random.default_rng(seed)
    slope = np.linspace(40, 200, size[0])[None, :, None] + generator.normal(0, 12, (size[1], size[0], 3))
    return Image.fromarray(np.clip(slope + generator.uniform(-40, 40, 3), 0, 255).astype(np.uint8))


def real_world_files() -> dict[str, bytes]:
    """Return image files as real folders hold them, all under the name of a JPEG; the last three are damaged."""
    image = photograph(5)
    rotated = Image.Exif()
    rotated[ORIENTATION] = 6
    grey16 = (np.asarray(image.convert("L")).astype(np.uint16) << 8) + 7
    whole = encode(image, quality=90)
    return {
        "rgb": whole,
        "grey": encode(image.convert("L"), quality=90),
        "cmyk": encode(image.convert("CMYK"), quality=95),
        "progressive": encode(image, quality=90, progressive=True),
        "exif_rotated": encode(image, quality=90, exif=rotated.tobytes()),
        "png": encode(image, "PNG"),
        "palette": encode(image.quantize(16), "PNG"),
        "alpha": encode(image.convert("RGBA"), "PNG"),
        "grey16": encode(Image.fromarray(grey16), "PNG"),
        "truncated": whole[: len(whole) // 2],
        "zero_byte": b"",
        "text": b"<html>quota exceeded</html>",
    }


MISTAKES = ("vit3b_mistakes", "greedy_soups_mistakes")
DAMAGED = ("truncated", "zero_byte", "text")


def _originals(class_ids: list[str]) -> Iterator[bytes]:
    """Yield one file an image; some are grey, CMYK, turned or a PNG, as among the real ones."""
    odd = [data for name, data in real_world_files().items() if name in ("grey", "cmyk", "exif_rotated", "png")]
    for number, class_id in enumerate(class_ids):
        position = number - len(class_ids) + len(odd)
        yield odd[position] if position >= 0 else encode(photograph(int(class_id[1:]) + number), quality=90)


def _write_tar(path: Path, originals: Mapping[str, bytes]) -> Path:
    with tarfile.open(path, "w") as archive:
        for image_id, data in originals.items():
            info = tarfile.TarInfo(f"{image_id}.JPEG")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def _write_lines(path: Path, lines: object) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def _write_real(path: Path, classes: Mapping[str, str], synsets: list[str]) -> Path:
    """Accept the original label, sometimes another one too, sometimes none; images beyond the publication have none."""
    lists: list[list[int]] = [[] for _ in range(50_000)]
    for number, class_id in enumerate(classes.values()):
        own, other = synsets.index(class_id), synsets.index(min(classes.values()))
        lists[number] = [[own], [own, other], [other], [own], []][number % 5]
    path.write_text(json.dumps(lists), encoding="utf-8")
    return path


def _write_mistakes(path: Path, base: Mapping[str, str], synsets: list[str]) -> Path:
    """Review one mistake a base image: the next class of those shown."""
    shown = sorted(set(base.values()))
    entries = {
        f"{image_id}.JPEG": {
            "top_prediction": synsets.index(shown[(shown.index(class_id) + 1) % len(shown)]),
            "failure category": "Fine-grained error",
            "failure severity": "Major",
        }
        for image_id, class_id in base.items()
    }
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def read_conditions(path: Path, source: str) -> list[str]:
    """Return the ids of a source's conditions in the order of ``captures.csv``."""
    with path.open(encoding="utf-8", newline="") as table:
        return [row["condition"] for row in csv.DictReader(table) if row["source"] == source]
