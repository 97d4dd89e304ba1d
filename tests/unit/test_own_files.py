"""``pairedeval bounds`` and ``policies`` on files: test vectors through the command line, cells, and joint counts."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pairedeval
from pairedeval import bounds, check_predictions, policy_bounds, read_predictions
from pairedeval.cli import main
from pairedeval.errors import RecordsError
from pairedeval.records import write_records
from support.vectors import CELLS

SHARES = ("confidence", "true_class_probability")


def side(records, prefix="image", order=None) -> pd.DataFrame:
    """Lay out one side of a vector with text labels; ids come from positions."""
    count = len(records["label"])
    frame = pd.DataFrame(
        {
            "true_class_probability": records["true_class_probability"],
            "image_id": [f"{prefix}{place}" for place in range(count)],
            "prediction": [f"class {code}" for code in records["prediction"]],
            "label": [f"class {code}" for code in records["label"]],
            "confidence": records["confidence"],
            "comment": "ignored",
        }
    )
    return frame if order is None else frame.iloc[order]


def shuffled(cell) -> np.ndarray:
    return np.random.default_rng(len(cell["id"])).permutation(len(cell["clean"]["label"]))


def joint_counts(cell) -> pd.DataFrame:
    """Count the five states per class from the definitions."""
    clean, perturbed = (pd.DataFrame(cell[name]) for name in ("clean", "perturbed"))
    right, still = clean["prediction"] == clean["label"], perturbed["prediction"] == clean["label"]
    same = clean["prediction"] == perturbed["prediction"]
    states = {"h": right & ~still, "r": ~right & still, "s": ~right & ~still & same, "w": ~right & ~still & ~same}
    table = pd.DataFrame({**states, "k": right & still}).groupby(clean["label"]).sum().reset_index()
    return table.assign(label="class " + table["label"].astype(str)).iloc[::-1]


@pytest.fixture
def run(tmp_path, capsys):
    """Write frames as CSV files and run a command on them; return its JSON."""

    def run(command, clean, perturbed, *options):
        clean.to_csv(tmp_path / "clean.csv", index=False)
        perturbed.to_csv(tmp_path / "perturbed.csv", index=False)
        arguments = [command, str(tmp_path / "clean.csv"), str(tmp_path / "perturbed.csv"), *options]
        code = main([*arguments, "--json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return json.loads(captured.out)

    return run


def options_of(cell):
    thresholds = ",".join(map(repr, cell["policy_thresholds"]))
    bound = ["--threshold", repr(cell["threshold"])]
    return bound, [*bound, "--policy-thresholds", thresholds, "--weight", repr(cell["weight"])]


def assert_levels(found, expected, levels):
    """Compare all fields of a vector's levels that an answer has."""
    assert list(found) == list(levels)
    for level in levels:
        for field in found[level].keys() & expected[level].keys():
            if expected[level][field] is None:
                assert found[level][field] is None, (level, field)
            else:
                assert np.array(found[level][field]) == pytest.approx(np.array(expected[level][field]), abs=1e-9)


@pytest.mark.parametrize("name", CELLS)
def test_vectors_with_known_pairing(name, run):
    cell, expected = CELLS[name], CELLS[name]["expected"]
    sides = side(cell["clean"]), side(cell["perturbed"], order=shuffled(cell))
    bound, policy = options_of(cell)
    levels = list(expected["levels"])
    restricted = ["--level", levels[0]] if len(levels) == 1 else []
    targets = run("bounds", *sides, *bound, *restricted)
    costs = run("policies", *sides, *policy, *restricted)
    assert_levels(targets["levels"], expected["levels"], levels)
    assert_levels(costs["levels"], expected["levels"], levels)
    assert targets["n"] == costs["n"] == expected["n"]
    assert costs["policy_thresholds"] == cell["policy_thresholds"]
    for found in costs["levels"].values():
        upper = np.array(found["difference_upper"])
        assert found["certified"] == np.argwhere(upper < -1e-12).tolist()
        regret = found["worst_case_regret"]
        assert found["selected"]["minimax_regret"] == min(
            place for place, value in enumerate(regret) if value <= min(regret) + 1e-12
        )
    records = cell["perturbed"]
    wrong = np.array(records["prediction"]) != np.array(records["label"])
    accepted = np.array(records["confidence"]) >= cell["threshold"]
    assert targets["accepted_error"] == pytest.approx((wrong & accepted).mean(), abs=1e-9)
    if "observed" in expected:
        assert targets["overlap"] == expected["overlap"]
        assert targets["states"] == expected["states"]
        assert targets["observed"] == pytest.approx({key: expected["observed"][key] for key in ("H", "L", "dM_k")})
        assert costs["observed"]["cost"] == pytest.approx(expected["observed"]["cost"], abs=1e-9)
        assert costs["accepted_error"] == pytest.approx(expected["accepted_error"], abs=1e-9)


SMALL = [name for name in CELLS if not name.startswith("large")]


@pytest.mark.parametrize("name", CELLS)
@pytest.mark.parametrize("kind", ["", "overlap", "states"])
def test_vectors_without_pairing(name, kind, run, tmp_path):
    """With foreign ids only I0 is known; supplied counts give the levels that the pairing would give."""
    cell, expected = CELLS[name], CELLS[name]["expected"]
    sides = side(cell["clean"], "clean"), side(cell["perturbed"], "perturbed", shuffled(cell))
    levels, supplied = ["I0"], []
    if kind:
        columns = ["label", "k"] if kind == "overlap" else ["k", "w", "s", "r", "h", "label"]
        joint_counts(cell)[columns].to_csv(tmp_path / "counts.csv", index=False)
        levels = ["I0", "Ik"] if kind == "overlap" else ["I0", "Ik", "I5"]
        supplied = [f"--{kind}", str(tmp_path / "counts.csv")]
    bound, policy = options_of(cell)
    targets, costs = run("bounds", *sides, *bound, *supplied), run("policies", *sides, *policy, *supplied)
    assert list(targets["levels"]) == list(costs["levels"]) == levels
    both = [level for level in levels if level in expected["levels"]]
    assert_levels({level: targets["levels"][level] for level in both}, expected["levels"], both)
    assert_levels({level: costs["levels"][level] for level in both}, expected["levels"], both)
    assert targets["observed"] is None
    assert costs["observed"] is None
    if "overlap" in expected:
        assert targets["overlap"] == (expected["overlap"] if kind else None)
        assert targets["states"] == (expected["states"] if kind == "states" else None)


def test_a_level_alone_gives_what_all_levels_give(run):
    cell = CELLS["two-images"]
    sides = side(cell["clean"]), side(cell["perturbed"])
    for options, command in zip(options_of(cell), ("bounds", "policies"), strict=True):
        everything = run(command, *sides, *options)
        for level in ("I0", "Ik", "I5"):
            alone = run(command, *sides, *options, "--level", level)
            assert alone == everything | {"levels": {level: everything["levels"][level]}}


def test_gzip_parquet_and_numbers_as_labels_give_the_same(run, tmp_path, capsys):
    cell = CELLS[SMALL[10]]
    bound, _ = options_of(cell)
    expected = run("bounds", side(cell["clean"]), side(cell["perturbed"]), *bound)
    clean, perturbed = side(cell["clean"]), side(cell["perturbed"])
    (tmp_path / "clean.csv.gz").write_bytes(gzip.compress(clean.to_csv(index=False).encode()))
    perturbed.to_parquet(tmp_path / "perturbed.parquet")
    assert (
        main(["bounds", *(str(tmp_path / name) for name in ("clean.csv.gz", "perturbed.parquet")), *bound, "--json"])
        == 0
    )
    assert json.loads(capsys.readouterr().out) == expected
    coded = [pd.DataFrame(cell[name]).assign(image_id=range(expected["n"])) for name in ("clean", "perturbed")]
    assert bounds(*coded, cell["threshold"]) == [expected]
    assert bounds(coded[0].astype({"label": float}), coded[1], cell["threshold"]) == [expected]


def test_a_confidence_at_the_threshold_is_accepted(run):
    """The last binary digit decides, so numbers are read exactly."""
    text = "0.1000000000000000055511151231257827"
    frame = pd.DataFrame([("a", "x", "x", text, text)], columns=["image_id", "label", "prediction", *SHARES])
    wrong = frame.assign(prediction="y", true_class_probability="0.05")
    assert run("bounds", frame, wrong, "--threshold", "0.1")["observed"] == {"H": 1.0, "L": 0.0, "dM_k": None}


def test_a_predicted_class_may_be_no_label(run):
    cell = {"label": [0, 0], "prediction": [7, 9], "confidence": [0.9, 0.8], "true_class_probability": [0.05, 0.1]}
    other = cell | {"prediction": [9, 7]}
    found = run("bounds", side(cell), side(other), "--threshold", "0.5")
    assert found["states"] == {"h": 0, "r": 0, "s": 0, "w": 2, "k": 0}
    assert found["levels"]["I0"]["dM_k"] is None


def many_cells():
    """Return both sides of two models under two conditions, and each cell's sides."""
    names = [name for name in SMALL if CELLS[name]["expected"]["n"] == 10][:1] or SMALL[:1]
    cell = CELLS[names[0]]
    clean, perturbed, parts = [], [], {}
    for model in ("m1", "m2"):
        first = side(cell["clean" if model == "m1" else "perturbed"])
        clean.append(first.assign(model=model))
        for condition in ("fog-2", "fog-4"):
            second = side(cell["perturbed" if condition == "fog-2" else "clean"])
            perturbed.append(second.assign(model=model, condition=condition))
            parts[model, condition] = first, second
    return pd.concat(clean), pd.concat(perturbed), parts


@pytest.mark.parametrize("condition", [None, "clean", "original"])
def test_several_cells_are_a_list_in_file_order(condition, run):
    clean, perturbed, parts = many_cells()
    if condition is not None:
        clean = clean.assign(condition=condition)
    found = run("bounds", clean, perturbed, "--threshold", "0.5")
    assert [(answer.pop("model"), answer.pop("condition")) for answer in found] == list(parts)
    assert found == [run("bounds", *sides, "--threshold", "0.5") for sides in parts.values()]


def test_equal_conditions_are_compared_where_no_recordsis_called_clean(run):
    clean, perturbed, parts = many_cells()
    clean = pd.concat([clean.assign(condition=condition) for condition in ("fog-4", "fog-2")])
    found = run("policies", clean, perturbed, "--threshold", "0.5", "--policy-thresholds", "0.4,0.6")
    assert [(answer["model"], answer["condition"]) for answer in found] == list(parts)


def test_one_record_file_holds_both_sides(tmp_path, capsys, records):
    path = str(tmp_path / "records.parquet")
    write_records(records, path, {})
    assert main(["bounds", path, path, "--threshold", "0.55", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["condition"] == "fog-2"
    assert found["states"] == {"h": 0, "r": 0, "s": 2, "w": 0, "k": 4}
    assert found["observed"]["L"] == pytest.approx(2 / 6)
    assert main(["check", path, path]) == 0
    assert "the pairing is known" in capsys.readouterr().out


def test_counts_of_several_cells_name_theirs(run, tmp_path):
    clean, perturbed, parts = many_cells()
    perturbed = perturbed.assign(image_id="p" + perturbed["image_id"])
    counts = pd.concat(
        [
            joint_counts_of(*sides).assign(model=model, condition=condition)
            for (model, condition), sides in parts.items()
        ]
    )
    counts.to_csv(tmp_path / "states.csv", index=False)
    found = run("bounds", clean, perturbed, "--threshold", "0.5", "--states", str(tmp_path / "states.csv"))
    paired = run("bounds", clean, perturbed.assign(image_id=perturbed["image_id"].str[1:]), "--threshold", "0.5")
    assert [answer["levels"] for answer in found] == [answer["levels"] for answer in paired]


def joint_counts_of(clean, perturbed) -> pd.DataFrame:
    codes = [frame.map(lambda text: str(text).removeprefix("class ")) for frame in (clean, perturbed)]
    return joint_counts({"clean": codes[0].reset_index(), "perturbed": codes[1].reset_index()})


def test_a_policy_at_the_clean_threshold_is_the_fixed_one(run):
    sides = side(CELLS["two-images"]["clean"]), side(CELLS["two-images"]["perturbed"])
    for thresholds, fixed in (("0.5,0.8", 1), ("0.8,0.8,0.9", 0), ("0.5,0.7", None)):
        found = run("policies", *sides, "--threshold", "0.8", "--policy-thresholds", thresholds)
        assert found["levels"]["I5"]["selected"]["fixed_80"] == fixed


def test_equal_policies_are_fine_and_never_certified(run):
    sides = side(CELLS["two-images"]["clean"]), side(CELLS["two-images"]["perturbed"])
    found = run("policies", *sides, "--threshold", "0.8", "--policy-thresholds", "0.8, 0.8")
    assert found["levels"]["I0"]["certified"] == []
    assert found["levels"]["I0"]["difference_upper"] == [[0, 0], [0, 0]]


def test_python_gives_what_the_command_prints(run, tmp_path):
    cell = CELLS[SMALL[20]]
    sides = side(cell["clean"]), side(cell["perturbed"])
    bound, policy = options_of(cell)
    assert bounds(*sides, cell["threshold"]) == [run("bounds", *sides, *bound)]
    assert policy_bounds(*sides, cell["threshold"], cell["policy_thresholds"], cell["weight"]) == [
        run("policies", *sides, *policy)
    ]
    pd.testing.assert_frame_equal(read_predictions(tmp_path / "clean.csv"), check_predictions(sides[0]))
    foreign = sides[1].assign(image_id="p" + sides[1]["image_id"])
    with_counts = bounds(sides[0], foreign, cell["threshold"], states=joint_counts(cell))
    assert with_counts[0]["levels"] == bounds(*sides, cell["threshold"])[0]["levels"]
    only = policy_bounds(
        sides[0], foreign, cell["threshold"], [0.5], level="Ik", overlap=joint_counts(cell)[["label", "k"]]
    )
    assert list(only[0]["levels"]) == ["Ik"]


def test_the_front_is_lazy_and_says_what_it_lacks():
    program = "import sys, pairedeval; assert pairedeval.__version__; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pandas", "torch"} & set(loaded)
    with pytest.raises(AttributeError, match="module 'pairedeval' has no attribute 'bound'"):
        _ = pairedeval.bound


def test_own_files_need_no_torch(tmp_path):
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from pairedeval.cli import main\n"
        "code = main(sys.argv[1:])\n"
        "heavy = {'matplotlib', 'sklearn', 'timm'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else code)"
    )
    cell = CELLS["two-images"]
    for name in ("clean", "perturbed"):
        side(cell[name]).to_csv(tmp_path / f"{name}.csv", index=False)
    paths = [str(tmp_path / f"{name}.csv") for name in ("clean", "perturbed")]
    command = [sys.executable, "-c", program, "policies", *paths, "--threshold", "0.8", "--policy-thresholds", "0.8"]
    assert subprocess.run(command, capture_output=True, check=True).returncode == 0


GOOD = pd.DataFrame(
    [
        ("a", "cat", "cat", 0.9, 0.9),
        ("b", "cat", "dog", 0.6, 0.3),
        ("c", "dog", "dog", 0.7, 0.7),
        ("d", "dog", "dog", 0.8, 0.8),
    ],
    columns=["image_id", "label", "prediction", *SHARES],
)
FOREIGN = GOOD.assign(image_id=["p", "q", "r", "s"])
STATES = pd.DataFrame([("cat", 0, 0, 1, 0, 1), ("dog", 0, 0, 0, 0, 2)], columns=["label", "h", "r", "s", "w", "k"])


def changed(frame, row, **values):
    frame = frame.astype(object)
    for column, value in values.items():
        frame.loc[row, column] = value
    return frame


@pytest.fixture
def refusal(tmp_path, capsys):
    """Run a command that must fail; return its message with file names instead of paths."""

    def refusal(clean, perturbed, *options, command="bounds", **counts):
        paths = []
        for name, frame in {"clean": clean, "perturbed": perturbed, **counts}.items():
            paths.append(str(tmp_path / f"{name}.csv"))
            text = frame if isinstance(frame, str) else frame.to_csv(index=False)
            Path(paths[-1]).write_text(text)
        supplied = [part for name, path in zip(counts, paths[2:], strict=True) for part in (f"--{name}", path)]
        threshold = [] if "--threshold" in options else ["--threshold", "0.5"]
        assert main([command, *paths[:2], *threshold, *supplied, *options]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        return captured.err.replace(f"{tmp_path}/", "").removeprefix("pairedeval: ").strip()

    return refusal


PLACE = "clean.csv, perturbed.csv"
TWICE = pd.concat([GOOD, GOOD.iloc[:1]])
PREDICTION_ERRORS = {
    "NaN": (
        changed(GOOD, 2, confidence="nan"),
        "row 3 (image c): confidence is not a number; write the probability of that row",
    ),
    "out of range": (
        changed(GOOD, 1, confidence=1.2),
        "row 2 (image b): confidence lies outside [0, 1]; logits or similarities need a softmax over the candidate "
        "classes",
    ),
    "negative": (
        changed(GOOD, 1, true_class_probability=-0.1),
        "row 2 (image b): true_class_probability lies outside [0, 1]; logits or similarities need a softmax over the "
        "candidate classes",
    ),
    "above confidence": (
        changed(GOOD, 1, true_class_probability=0.61),
        "row 2 (image b): true_class_probability exceeds confidence, which must be the largest probability of the row",
    ),
    "two values": (
        changed(GOOD, 0, true_class_probability=0.8),
        "row 1 (image a): the prediction is correct, so confidence and true_class_probability must be equal",
    ),
    "duplicate": (
        TWICE,
        "row 5 (image a): the image id stands twice; keep one row, or tell repeats apart by 'condition'",
    ),
    "empty": ("", "empty file; write a header and its rows"),
    "no rows": (GOOD.iloc[:0], "no rows; write one row per image"),
    "missing column": (
        GOOD.drop(columns="prediction"),
        "missing column prediction; a prediction file has image_id, label, prediction, confidence, "
        "true_class_probability, and this one image_id, label, confidence, true_class_probability",
    ),
    "too many fields": (
        "image_id,label,prediction,confidence,true_class_probability\na,cat,cat,0.9,0.9,1\nb,cat,cat,0.9,0.9,1\n",
        "rows have more fields than the header; name every column in the header",
    ),
}


@pytest.mark.parametrize("name", PREDICTION_ERRORS)
@pytest.mark.parametrize("place", ["clean.csv", "perturbed.csv"])
def test_unusable_predictions(name, place, refusal):
    broken, message = PREDICTION_ERRORS[name]
    sides = (broken, GOOD) if place == "clean.csv" else (GOOD, broken)
    assert refusal(*sides) == f"{place}: {message}"


OPTIONAL = GOOD.assign(model="m1")
TWO_MODELS = pd.concat([OPTIONAL, GOOD.assign(model="m2")])
TWO_CONDITIONS = pd.concat([GOOD.assign(condition="day"), GOOD.assign(condition="night")])
SIDE_ERRORS = {
    "clean only": (
        GOOD,
        changed(GOOD, 0, image_id="z"),
        f"{PLACE}: images on the clean side only: 1, for example a; give both sides the same images, or ids that have "
        "nothing in common",
    ),
    "perturbed only": (
        GOOD.iloc[1:],
        GOOD,
        f"{PLACE}: images on the perturbed side only: 1, for example a; give both sides the same images, or ids that "
        "have nothing in common",
    ),
    "label": (
        GOOD,
        changed(GOOD, 1, label="dog", true_class_probability=0.6),
        f"{PLACE}: image b has label cat on the clean side and dog on the perturbed side (1 such image); "
        "an image keeps its label",
    ),
    "class counts": (
        GOOD,
        changed(FOREIGN, 1, label="dog", true_class_probability=0.6),
        f"{PLACE}: class cat has 2 clean and 1 perturbed records; "
        "a matching needs equally many of each class on both sides",
    ),
    "model": (
        OPTIONAL,
        TWO_MODELS,
        f"{PLACE}, model m2: no clean records of this model; add them to the clean side",
    ),
    "models on one side": (
        GOOD,
        TWO_MODELS,
        f"{PLACE}: only the perturbed side has a column 'model'; add it to the clean side",
    ),
    "no clean condition": (
        TWO_CONDITIONS,
        GOOD,
        f"{PLACE}: the clean side has the conditions day, night, none of them 'clean'; "
        "give its rows the condition 'clean'",
    ),
    "nothing perturbed": (
        GOOD,
        GOOD.assign(condition="clean"),
        f"{PLACE}: every row of the perturbed side has condition 'clean'; name what was perturbed",
    ),
}


@pytest.mark.parametrize("name", SIDE_ERRORS)
def test_sides_that_do_not_belong_together(name, refusal):
    clean, perturbed, message = SIDE_ERRORS[name]
    assert refusal(clean, perturbed) == message


OVERLAP = STATES[["label", "k"]]
COUNT_ERRORS = {
    "unknown label": (
        pd.concat([OVERLAP, pd.DataFrame([("fox", 1)], columns=["label", "k"])]),
        f"row 3 (label fox): no record of {PLACE} has this label; write each label as in the prediction files",
    ),
    "missing label": (
        OVERLAP.iloc[:1],
        f"no row for class dog of {PLACE} (1 of 2 classes are missing); write one row per class",
    ),
    "twice": (
        pd.concat([OVERLAP, OVERLAP.iloc[:1]]),
        "row 3 (label cat): the class stands twice; keep one row per class",
    ),
    "empty label": (changed(OVERLAP, 0, label=""), "row 1 (label ): label is empty; every row needs one"),
    "negative": (changed(OVERLAP, 1, k=-1), "row 2 (label dog): k is not a count; write an integer from 0"),
    "half": (changed(OVERLAP, 0, k=0.5), "row 1 (label cat): k is not a count; write an integer from 0"),
    "no number": (changed(OVERLAP, 0, k="two"), "row 1 (label cat): k is not a count; write an integer from 0"),
    "too many": (
        changed(OVERLAP, 0, k=2),
        "row 1 (label cat): k is 2, but 1 of 2 clean and 1 of 2 perturbed records of this class are correct: k must be "
        "from 0 to 1; correct this row",
    ),
    "forced": (
        changed(OVERLAP, 1, k=1),
        "row 2 (label dog): k is 1, but 2 of 2 clean and 2 of 2 perturbed records of this class are correct: k must be "
        "2; correct this row",
    ),
    "no rows": (OVERLAP.iloc[:0], "no rows; write one row per class"),
    "missing column": (OVERLAP[["label"]], "missing column k; joint counts have label, k, and this one label"),
}


@pytest.mark.parametrize("name", COUNT_ERRORS)
def test_unusable_overlap_counts(name, refusal):
    counts, message = COUNT_ERRORS[name]
    assert refusal(GOOD, FOREIGN, overlap=counts) == f"overlap.csv: {message}"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"h": 1}, "row 1 (label cat): these records need h + k = 1, the correct clean records, but h + k is 2"),
        ({"r": 1}, "row 1 (label cat): these records need r + k = 1, the correct perturbed records, but r + k is 2"),
        (
            {"w": 1},
            "row 1 (label cat): these records need h + r + s + w + k = 2, the records a side, but their sum is 3",
        ),
        ({"s": 0, "w": 1}, "class cat: no correspondence of these records has 0 persistent errors and 0 harmful flips"),
    ],
)
def test_unusable_state_counts(values, message, refusal):
    found = refusal(GOOD, FOREIGN, states=changed(STATES, 0, **values))
    assert found.startswith(f"states.csv: {message}; ")
    assert found.split("; ")[-1].startswith(("correct this row", "check the state counts"))


def test_counts_that_repeat_a_known_pairing_are_checked_against_it(run, refusal, tmp_path):
    STATES.to_csv(tmp_path / "good.csv", index=False)
    told = run("bounds", GOOD, GOOD, "--threshold", "0.5", "--states", str(tmp_path / "good.csv"))
    assert told == run("bounds", GOOD, GOOD, "--threshold", "0.5")
    assert refusal(GOOD, GOOD, overlap=changed(OVERLAP, 0, k=0)) == (
        f"overlap.csv: row 1 (label cat): k is 0, but the image ids of {PLACE} show 1; "
        "correct the count, or leave it out since the ids tell it"
    )


def test_counts_of_one_kind(refusal):
    assert refusal(GOOD, FOREIGN, overlap=OVERLAP, states=STATES) == (
        "overlap.csv, states.csv: give overlap counts or state counts, not both; the state counts hold the overlap"
    )


def test_counts_belong_to_cells(refusal):
    two = pd.concat([FOREIGN.assign(condition="day"), FOREIGN.assign(condition="night")])
    assert refusal(GOOD, two, overlap=OVERLAP) == (
        "overlap.csv: no column 'condition', but the prediction files hold several; give each cell its own rows"
    )
    several = pd.concat([OVERLAP.assign(condition="day"), OVERLAP.assign(condition="night")])
    assert refusal(GOOD, FOREIGN, overlap=several) == (
        f"overlap.csv: several rows for class cat, but {PLACE} does not tell models or conditions apart; "
        "keep the rows of one"
    )


POLICIES = ("--policy-thresholds", "0.5")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--threshold", "1.5"), "threshold 1.5 lies outside [0, 1]; give a share such as 0.8"),
        (("--threshold", "-0.1"), "threshold -0.1 lies outside [0, 1]; give a share such as 0.8"),
        (("--threshold", "nan"), "threshold nan lies outside [0, 1]; give a share such as 0.8"),
        (("--threshold", "80%"), "threshold '80%' is not a number; give a share such as 0.8"),
        (("--policy-thresholds", "0.5,1.1"), "policy threshold 1.1 lies outside [0, 1]; give a share such as 0.8"),
        (("--policy-thresholds", "0.5,,0.6"), "policy threshold '' is not a number; give a share such as 0.8"),
        (("--weight", "2", *POLICIES), "weight 2 lies outside [0, 1]; give a share such as 0.8"),
        (
            ("--level", "I3", *POLICIES),
            "unknown level I3; the levels are I0 (separate records), Ik (overlap per class) and I5 (five state counts "
            "per class)",
        ),
        (
            ("--level", "Ik", *POLICIES),
            f"{PLACE}: level Ik is not available, because the sides share no image ids; give both sides the same ids, "
            "or supply joint counts with --overlap (columns label,k) or --states (columns label,h,r,s,w,k)",
        ),
        (
            ("--level", "I5", *POLICIES),
            f"{PLACE}: level I5 is not available, because the sides share no image ids; give both sides the same ids, "
            "or supply joint counts with --states (columns label,h,r,s,w,k)",
        ),
    ],
)
def test_unusable_options(options, message, refusal):
    assert refusal(GOOD, FOREIGN, *options, command="policies") == message


def test_python_checks_its_arguments():
    with pytest.raises(RecordsError, match=r"policy thresholds: there is none; name at least one"):
        policy_bounds(GOOD, GOOD, 0.5, [])
    with pytest.raises(RecordsError, match=r"^clean: row 5 \(image a\): the image id stands twice"):
        bounds(TWICE, GOOD, 0.5)
    with pytest.raises(RecordsError, match=r"^threshold 7 lies outside"):
        bounds(GOOD, GOOD, 7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bounds", "a.csv", "b.csv"], "the following arguments are required: --threshold"),
        (["bounds", "a.csv"], "the following arguments are required: PERTURBED, --threshold"),
        (
            ["policies", "a.csv", "b.csv", "--threshold", "0.5"],
            "the following arguments are required: --policy-thresholds",
        ),
        (["bounds", "a.csv", "b.csv", "--threshold", "0.5", "--levels"], "unrecognized arguments: --levels"),
        (["compare"], "argument COMMAND: invalid choice: 'compare'"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    told = capsys.readouterr().err
    assert caught.value.code == 2
    assert message in told
    assert told.count("\n") == 1
    assert told.endswith("--help\n")
