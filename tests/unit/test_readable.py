"""What ``pairedeval bounds`` and ``policies`` say to people."""

import subprocess
import sys

import pandas as pd
import pytest

from pairedeval.cli import main
from pairedeval.own.readable import aligned, interval, listed, paragraph, points

COLUMNS = ["image_id", "label", "prediction", "confidence", "true_class_probability"]
CLEAN = pd.DataFrame([("a", "cat", "cat", 0.9, 0.9), ("b", "cat", "cat", 0.6, 0.6)], columns=COLUMNS)
DARK = pd.DataFrame([("a", "cat", "cat", 0.6, 0.6), ("b", "cat", "dog", 0.8, 0.2)], columns=COLUMNS)
OVERLAP = pd.DataFrame({"label": ["cat"], "k": [1]})
STATES = OVERLAP.assign(h=1, r=0, s=0, w=0)


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Run a command on frames; return what it prints."""
    monkeypatch.chdir(tmp_path)

    def said(command, clean, perturbed, *options, **counts):
        for name, frame in {"clean": clean, "dark": perturbed, **counts}.items():
            frame.to_csv(f"{name}.csv", index=False)
        supplied = [part for name in counts for part in (f"--{name}", f"{name}.csv")]
        assert main([command, "clean.csv", "dark.csv", "--threshold", "0.8", *options, *supplied]) == 0
        return capsys.readouterr().out

    return said


def foreign(frame):
    return frame.assign(image_id="x" + frame["image_id"])


def test_tables_are_aligned():
    assert aligned(["", "clean"], [["correct", "1"], ["L", "12.5"]]) == (
        "         clean\n--------------\ncorrect      1\nL         12.5"
    )


def test_numbers_in_points():
    assert [points(value) for value in (0.5, -0.0, None)] == ["50.00", "0.00", "undefined"]
    assert [interval(ends) for ends in ([0.1, 0.1], [0.1, 0.2], None)] == ["10.00", "10.00 to 20.00", "undefined"]
    assert [listed(names) for names in (["H"], ["H", "L"], ["H", "L", "dM_k"])] == ["H", "H and L", "H, L and dM_k"]


def test_paragraphs_fit_a_terminal():
    lines = paragraph("word " * 60, bullet="* ").splitlines()
    assert max(map(len, lines)) <= 100
    assert [line[:2] for line in lines] == ["* ", "  ", "  ", "  "]


def test_bounds_with_known_pairing(said):
    """The opening example of Section 3.1."""
    text = said("bounds", CLEAN, DARK)
    assert text.startswith(
        "clean.csv, dark.csv: 2 images of 1 class on each side\n\nBoth sides hold the same image ids"
    )
    assert "accepted, but wrong    0.00%     50.00%\n" in text
    assert "h  harmed: correct, then wrong                    1  50.00%" in text
    assert (
        "      observed    I0: records  Ik: + overlap  I5: + five counts\n"
        "---------------------------------------------------------------\n"
        "H         0.00  0.00 to 50.00  0.00 to 50.00      0.00 to 50.00\n"
        "L        50.00  0.00 to 50.00  0.00 to 50.00      0.00 to 50.00\n"
        "dM_k     30.00  0.00 to 30.00  0.00 to 30.00      0.00 to 30.00\n"
    ) in text
    assert "The image ids tell all three: see 'observed'." in text
    assert "k per class narrows nothing here; the other four counts add nothing here." in " ".join(text.split())


@pytest.mark.parametrize(
    ("counts", "known", "next_time"),
    [
        ({}, "any clean record may go with any perturbed one.", "(--overlap, columns label,k): no other count"),
        (
            {"overlap": OVERLAP},
            "agrees with the supplied overlap counts.",
            "(--states, columns label,h,r,s,w,k) can narrow H;",
        ),
        (
            {"states": STATES},
            "agrees with the supplied counts of the five states.",
            "Counts per class cannot narrow the ranges",
        ),
    ],
)
def test_bounds_without_pairing_say_what_to_record(counts, known, next_time, said):
    text = " ".join(said("bounds", CLEAN, foreign(DARK), **counts).split())
    assert known in text
    assert "observed" not in text
    assert "* Not identified: H, L and dM_k. The value depends on which records belong together" in text
    assert "To know more, record the same image id with both predictions of an image" in text
    assert next_time in text


def test_identified_targets_need_nothing_more(said):
    """One record a class leaves one pairing."""
    text = said("bounds", CLEAN.iloc[:1], foreign(DARK).iloc[:1])
    assert "* Identified: H, L and dM_k. Every pairing that agrees with what is known gives the same value.\n" in text
    assert "* Nothing more needs to be recorded for these targets.\n" in text


def test_an_unknown_sign_and_an_undefined_drop_are_said(said):
    clean = CLEAN.assign(label=["cat", "cat"], confidence=[0.9, 0.5], true_class_probability=[0.9, 0.5])
    dark = foreign(DARK).assign(prediction=["cat", "cat"], confidence=[0.7, 0.6], true_class_probability=[0.7, 0.6])
    both = pd.concat(
        [clean, clean.assign(image_id=["c", "d"], label="dog", prediction="fox", true_class_probability=0)]
    )
    other = pd.concat([dark, dark.assign(image_id=["y", "z"], label="dog", prediction="dog")])
    assert "Not even whether" not in said("bounds", both, other)
    one_right = both.assign(prediction=["cat", "dog", "fox", "fox"], true_class_probability=[0.9, 0.1, 0, 0])
    half = other.assign(
        prediction=["cat", "dog", "dog", "dog"],
        confidence=[0.95, 0.7, 0.7, 0.7],
        true_class_probability=[0.95, 0.1, 0.7, 0.7],
    )
    assert "dM_k is undefined" not in said("bounds", one_right, half)
    nothing = both.assign(prediction="fox", true_class_probability=0)
    text = said("bounds", nothing, other)
    assert "* dM_k is undefined: no image can be correct on both sides.\n" in text
    assert "dM_k    undefined\n" in text


def test_policies_say_what_is_certified_and_what_is_not(said):
    text = said("policies", CLEAN, DARK, "--policy-thresholds", "0.8,0.5,0.9")
    flat = " ".join(text.split())
    assert "Its cost is 0.5 H + 0.5 L" in flat
    assert "policy  threshold  accepted errors     cost range  mean cost  worst-case regret  observed cost\n" in text
    assert "keeps the clean threshold                              0              0                  0\n" in text
    assert "* The image ids tell the costs: policy 1 costs least in these records ('observed cost')." in flat


def test_certificates_of_one_shared_pairing_are_marked(said):
    """Policy 0 keeps a cat that the others lose under every pairing; a dog may be lost by all or by none."""

    def correct(records, prefix):
        return pd.DataFrame(
            [(f"{prefix}{i}", label, label, value, value) for i, (label, value) in enumerate(records)], columns=COLUMNS
        )

    cats, dogs = [("cat", value) for value in (0.9, 0.9, 0.9, 0.7)], [("dog", value) for value in (0.9, 0.5)]
    dark = [("cat", value) for value in (0.9, 0.7, 0.7, 0.5)] + [("dog", value) for value in (0.3, 0.9)]
    sides = correct(cats + dogs, "c"), correct(dark, "d")
    text = said("policies", *sides, "--policy-thresholds", "0.6,0.8,0.8", "--weight", "0")
    assert "0             0.6             0.00   0.00 to 33.33" in text
    assert "1             0.8             0.00  33.33 to 66.67" in text
    assert (
        "I0: records  0 < 1*, 0 < 2*\n* although their cost ranges overlap: both policies face the same pairing\n"
        in text
    )
    assert "* Certified worse than another policy, whatever the pairing: 1 and 2. The only one left: 0.\n" in text


def test_several_cells_are_tables(said):
    dark = pd.concat([DARK.assign(condition="day"), foreign(DARK).assign(condition="night")])
    text = said("bounds", CLEAN, dark)
    assert "2 cells\n" in text
    assert "In 1 of the cells both sides hold the same image ids; in the others the pairing is unknown." in text
    assert "day             2     50.00  0.00 to 50.00  0.00 to 50.00      0.00 to 50.00\n" in text
    assert "night           2            0.00 to 50.00\n" in text
    assert "* H is identified (a single number) in this many of 2 cells: 0 at I0, 0 at Ik, 0 at I5.\n" in text
    assert "To know more, record the same image id" in text
    table = said("policies", CLEAN, dark, "--policy-thresholds", "0.8,0.5")
    assert "Thresholds of the policies: 0: 0.8, 1: 0.5\n" in table
    assert "night      I0     nothing" in table


def test_notes_on_the_files_come_last(said):
    clean = pd.concat([CLEAN.assign(image_id=f"{n}" + CLEAN["image_id"]) for n in range(5)])
    text = said("bounds", clean, clean)
    assert text.splitlines()[-1].startswith("Note: dark.csv: 80% of the confidences repeat another one")


def test_a_reader_may_stop_early(tmp_path):
    CLEAN.to_csv(tmp_path / "clean.csv", index=False)
    command = f"{sys.executable} -m pairedeval.cli bounds clean.csv clean.csv --threshold 0.8 | true"
    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert run.stderr == ""
