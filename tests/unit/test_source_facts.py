"""Published facts: what can be checked here of the real ones, and a file that cannot be used."""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.labels.annotations import membership
from pairedeval.labels.imagenet import validation_image
from pairedeval.labels.real import read_real
from pairedeval.perturb.conditions import read_captures
from pairedeval.sources.facts import SourceFacts, read_facts
from pairedeval.sources.published import fetch_source

# Positions of the 200 classes of the base images among the 1,000: the mask that the authors of ImageNet-ES publish.
SHOWN = """
1 25 30 32 50 61 69 71 75 76 79 99 105 107 109 113 114 115 122 123 128 145 146 149 151 187 207 208 235 267 281 283 285
286 291 294 301 308 309 311 313 314 315 319 323 325 329 338 341 345 347 349 353 354 365 367 372 386 387 398 400 406 411
414 421 424 425 427 430 435 436 437 438 440 445 447 448 457 458 462 463 466 467 470 471 474 480 485 488 492 496 500 508
509 511 517 525 526 532 542 543 557 562 565 567 568 570 573 576 604 605 612 614 619 621 625 627 635 645 652 655 675 677
678 682 683 687 704 707 716 720 731 733 734 735 737 739 744 747 758 760 761 765 768 774 779 781 786 801 806 808 811 815
817 821 826 837 839 842 845 849 850 853 862 866 873 874 877 879 887 888 890 899 900 909 910 917 923 924 928 929 932 935
938 945 947 950 951 954 957 962 963 964 967 970 972 973 975 978 988
"""


@pytest.fixture(scope="module")
def facts(root: Path) -> SourceFacts:
    return read_facts(root / "resources/sources/imagenet.yaml")


@pytest.fixture(scope="module")
def packaged(facts: SourceFacts, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Put the files in place that an installed package ships."""
    folder = tmp_path_factory.mktemp("packaged")
    for name in ("imagenet_synsets.txt", "real.json"):
        fetch_source(facts.file(name), folder / name, folder / f"{name}.json", work=folder / "work")
        assert json.loads((folder / f"{name}.json").read_text())["origin"] == "package"
    return {path.name: path for path in folder.iterdir()}


def test_the_candidates_of_the_base_images_are_the_published_ones(
    facts: SourceFacts, packaged: dict[str, Path]
) -> None:
    synsets = packaged["imagenet_synsets.txt"].read_text().split()
    shown = [synsets[int(position)] for position in SHOWN.split()]
    assert len(shown) == 200
    assert facts.base.images == 5 * len(shown)
    assert sha256("\n".join(shown).encode()).hexdigest() == facts.base.candidates_sha256


def test_real_labels_of_the_validation_set_are_the_published_ones(packaged: dict[str, Path]) -> None:
    annotations = read_real(packaged["real.json"], packaged["imagenet_synsets.txt"])
    sizes = Counter(len(text.split()) for text in annotations.table["accepted"])
    assert sizes == {0: 3163, 1: 39394, 2: 5408, 3: 1319, 4: 411, 5: 161, 6: 88, 7: 41, 8: 13, 9: 2}
    synsets = packaged["imagenet_synsets.txt"].read_text().split()
    found = membership(annotations, [validation_image(number) for number in range(1, 7)], synsets)
    accepted = [sorted(row.nonzero()[0].tolist()) for row in found.accepted]
    assert accepted == [[], [795, 970], [230, 231], [809], [516, 850], [57]]


def test_every_published_file_can_be_had_and_is_known(facts: SourceFacts, root: Path) -> None:
    for file in facts.files.values():
        assert file.url or file.repository or file.package, f"{file.name} has no origin"
        assert file.sha256 or file.repository, f"{file.name} has no digest"
        assert not file.sha256 or len(file.sha256) == 64
        assert not file.url or file.url.startswith("https://")
    for source, conditions in (("es", 54), ("diverse", 162)):
        archive = facts.archive(source)
        assert facts.file(archive.file).repository == f"Edw2n/{Path(archive.file).stem}"
        assert archive.references.split("/")[:2] == archive.captures.split("/")[:2]
        assert len(read_captures(root / "resources/conditions/captures.csv", source)) == conditions


def test_unknown_names_are_explained(facts: SourceFacts) -> None:
    with pytest.raises(PairedEvalError, match=r"x\.zip is none of the published files; choose one of ImageNet-ES\.zip"):
        facts.file("x.zip")
    with pytest.raises(PairedEvalError, match="source syn has no archive of captures; choose one of es, diverse"):
        facts.archive("syn")


@pytest.mark.parametrize("text", ["validation: {images: 5}", "[]", "a: [", "base: {}\nvalidation: {pages: 5}"])
def test_a_file_that_cannot_be_used_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "facts.yaml").write_text(text)
    with pytest.raises(
        PairedEvalError, match=r"facts\.yaml: not usable as facts about sources \(.+\); restore it"
    ) as raised:
        read_facts(tmp_path / "facts.yaml")
    assert "\n" not in str(raised.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        PairedEvalError, match=r"none\.yaml: no such file of source facts; restore it from the repository"
    ):
        read_facts(tmp_path / "none.yaml")
