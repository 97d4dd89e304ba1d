"""The tables of conditions: the shipped ones against the paper's counts, bad ones by their message."""

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.perturb.conditions import conditions_of_set, read_captures, read_corruptions, read_transforms
from pairedeval.perturb.corruptions import TYPES


@pytest.fixture(scope="module")
def tables(root: Path) -> Path:
    return root / "resources/conditions"


def test_corruptions_are_nine_types_at_two_severities_and_severity_five(tables: Path) -> None:
    corruptions = read_corruptions(tables / "corruptions.csv")
    assert [(row.corruption, row.severity) for row in corruptions if row.pool == "primary"] == [
        (kind, severity) for kind in TYPES for severity in (2, 4)
    ]
    assert [(row.corruption, row.severity) for row in corruptions if row.pool == "extended"] == [
        (kind, 5) for kind in TYPES
    ]


def test_transforms_add_up_to_18_and_30(tables: Path) -> None:
    transforms = read_transforms(tables / "transforms.csv")
    assert [row.pool for row in transforms] == ["fixed"] * 18 + ["candidate"] * 12
    assert Counter(row.kind for row in transforms[:18]) == {
        "flip": 1, "shift": 8, "zoom": 2, "rotation": 4, "gamma": 2, "flip and zoom": 1,
    }  # fmt: skip
    assert Counter(row.kind for row in transforms[18:]) == {
        "zoom": 1, "gamma": 2, "flip and rotation": 2, "brightness": 2, "contrast": 2, "saturation": 2,
        "flip and shift": 1,
    }  # fmt: skip
    shifts = {(row.shift_right, row.shift_down) for row in transforms if row.kind == "shift"}
    assert shifts == {(s, 0) for s in (0.02, -0.02, 0.05, -0.05)} | {(0, s) for s in (0.02, -0.02, 0.05, -0.05)}


def test_captures_are_the_full_grids(tables: Path) -> None:
    captures = read_captures(tables / "captures.csv")
    assert Counter(row.source for row in captures) == {"es": 54, "diverse": 162}
    assert {row.light for row in captures if row.source == "es"} == {"l1", "l5"}
    assert {row.light for row in captures if row.source == "diverse"} == {"l1", "l2", "l3", "l4", "l6", "l7"}
    isos, shutters, apertures = (
        [250, 2000, 16000],
        [Fraction(1, 4), Fraction(1, 60), Fraction(1, 1000)],
        [5.0, 9.0, 16.0],
    )
    for row in captures:
        factors = isos.index(row.iso) + 3 * shutters.index(row.shutter) + 9 * apertures.index(row.aperture)
        assert row.setting == 1 + factors
        assert row.condition == f"{row.light}-k{row.setting:02d}"


def test_known_settings_of_the_published_grid(tables: Path) -> None:
    by_id = {row.condition: row for row in read_captures(tables / "captures.csv", "es")}
    for setting, iso, shutter, aperture in [(4, 250, 60, 5.0), (12, 16000, 4, 9.0), (25, 250, 1000, 16.0)]:
        row = by_id[f"l5-k{setting:02d}"]
        assert (row.iso, row.shutter, row.aperture) == (iso, Fraction(1, shutter), aperture)


@pytest.mark.parametrize(("image_set", "count"), [("syn", 18), ("base", 57), ("es", 54), ("diverse", 162)])
def test_conditions_of_each_set(image_set: str, count: int, tables: Path) -> None:
    conditions = conditions_of_set(image_set, tables)
    assert len({row.condition for row in conditions}) == len(conditions) == count


CORRUPTION = "condition,corruption,severity,pool\n"
TRANSFORM = "condition,kind,flip,shift_right,shift_down,zoom,rotation,gamma,brightness,contrast,saturation,pool\n"
CAPTURE = "source,light,setting,iso,shutter,aperture,condition\n"


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_corruptions, "condition,severity\n", "the header must be condition,corruption,severity,pool"),
        (read_corruptions, "", "the header must be condition,corruption,severity,pool"),
        (read_corruptions, CORRUPTION + "fog-2,fog,two,primary\n", "row 2: severity is 'two', not a whole number"),
        (read_corruptions, CORRUPTION + "fog-2,fog,2\n", "row 2: pool is None, not a name"),
        (read_corruptions, CORRUPTION + "fog-6,fog,6,primary\n", "row 2: condition fog-6: severity must be 1 to 5"),
        (read_corruptions, CORRUPTION + "fog-2,fog,2,other\n", "condition fog-2: pool must be primary or extended"),
        (
            read_corruptions,
            CORRUPTION + "mist,fog,2,primary\n",
            "condition mist: the id must be <corruption>-<severity>",
        ),
        (read_corruptions, CORRUPTION + "fog-2,fog,2,primary\n" * 2, "condition fog-2 stands twice; keep one row"),
        (read_transforms, TRANSFORM + "t,flip,yes,0,0,1,0,1,1,1,1,fixed\n", "row 2: flip is 'yes', not 0 or 1"),
        (
            read_transforms,
            TRANSFORM + "t,zoom,0,0,0,0,0,1,1,1,1,fixed\n",
            "condition t: zoom, gamma, .* must be positive",
        ),
        (read_transforms, TRANSFORM + "t,zoom,0,0,0,1,0,1,1,1,1,all\n", "condition t: pool must be fixed or candidate"),
        (read_captures, CAPTURE + "es,l1,1,250,1/0,5,l1-k01\n", "row 2: shutter is '1/0', not a number or fraction"),
        (read_captures, CAPTURE + "es,l1,28,250,1/4,5,l1-k28\n", "condition l1-k28: setting must be 1 to 27"),
        (read_captures, CAPTURE + "tv,l1,1,250,1/4,5,l1-k01\n", "condition l1-k01: source must be es or diverse"),
        (
            read_captures,
            CAPTURE + "es,l1,1,0,1/4,5,l1-k01\n",
            "condition l1-k01: iso, shutter and aperture must be pos",
        ),
        (read_captures, CAPTURE + "es,l1,1,250,1/4,5,l1-k1\n", "the id must be <light>-k<setting>, two digits"),
        (read_captures, CAPTURE + "es,l1,1,250,1/4,5,l1-k01\n" * 2, "condition es l1-k01 stands twice; keep one row"),
    ],
)
def test_bad_tables_are_explained(read, text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PairedEvalError, match=rf"table\.csv: .*{message}"):
        read(path)


def test_a_missing_table_and_an_unknown_set_are_explained(tmp_path: Path, tables: Path) -> None:
    with pytest.raises(PairedEvalError, match=r"corruptions\.csv: no such table of conditions"):
        read_corruptions(tmp_path / "corruptions.csv")
    with pytest.raises(PairedEvalError, match="real is no image set; choose syn, base, es or diverse"):
        conditions_of_set("real", tables)


def test_a_set_without_conditions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "captures.csv").write_text(CAPTURE + "es,l1,1,250,1/4,5,l1-k01\n", encoding="utf-8")
    with pytest.raises(PairedEvalError, match="the tables list no condition for image set diverse; add its rows"):
        conditions_of_set("diverse", tmp_path)


def test_a_name_shared_by_two_tables_is_refused(tmp_path: Path) -> None:
    (tmp_path / "corruptions.csv").write_text(CORRUPTION + "fog-2,fog,2,primary\n", encoding="utf-8")
    (tmp_path / "transforms.csv").write_text(TRANSFORM + "fog-2,flip,1,0,0,1,0,1,1,1,1,fixed\n", encoding="utf-8")
    with pytest.raises(PairedEvalError, match="condition fog-2 stands twice; keep one row"):
        conditions_of_set("base", tmp_path)
