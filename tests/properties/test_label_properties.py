"""Records judged by accepted labels, against slow computations from the sets of accepted labels."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairedeval.identification import identify
from pairedeval.identification.attain import attaining_matching, rematched
from pairedeval.identification.enumerate import enumerated_bounds
from pairedeval.labels.annotations import Annotations, Membership, annotation_table
from pairedeval.labels.cohorts import attach_correctness, match_annotations
from pairedeval.labels.comparison import label_cells
from pairedeval.labels.consensus import DEFINITIONS, support
from pairedeval.labels.endpoints import check_endpoints, closed_forms, enumerated
from pairedeval.labels.rearrangement import attained
from pairedeval.records import Predictions, RecordBlock
from pairedeval.states import STATES

CANDIDATES = ["c0", "c1", "c2", "c3"]
SCORES = [0.1, 0.2, 0.4, 0.6, 0.8]
THRESHOLD = 0.4
KIND = dict(zip("hrswk", STATES, strict=True))


@st.composite
def annotated(draw, most_records: int = 5) -> tuple[RecordBlock, Annotations]:
    """Draw classes of up to `most_records` images under two conditions, and accepted labels, some outside."""
    sizes = draw(st.lists(st.integers(1, most_records), min_size=1, max_size=3))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    count = len(labels)

    def column(rows: int, values: st.SearchStrategy) -> np.ndarray:
        return np.array(draw(st.lists(values, min_size=rows * count, max_size=rows * count))).reshape(rows, count)

    sides = [
        [column(rows, st.integers(0, 3)), column(rows, st.sampled_from(SCORES)), column(rows, st.sampled_from(SCORES))]
        for rows in (1, 2)
    ]
    image_ids = np.array([f"i{number:02d}" for number in range(count)], dtype=object)
    block = RecordBlock(
        labels, image_ids, ("one", "two"), Predictions(*(part[0] for part in sides[0])), Predictions(*sides[1])
    )
    sets = [draw(st.sets(st.sampled_from([*CANDIDATES, "outside"]), max_size=3)) for _ in range(count)]
    if not any(set(CANDIDATES) & chosen for chosen in sets):
        sets[0] = {CANDIDATES[0]}
    table = annotation_table({image: sorted(chosen) for image, chosen in zip(image_ids, sets, strict=True)})
    return block, Annotations(table, "drawn", "Drawn at random.")


def pairs_by_hand(block: RecordBlock, annotations: Annotations, condition: int, labels: str) -> list[dict]:
    """Judge each image with an accepted label by the sets themselves."""
    accepted = {image: set(text.split()) for image, text in annotations.table.itertuples(index=False)}
    found = []
    for place, image in enumerate(block.image_ids):
        if not accepted[image]:
            continue
        own = CANDIDATES[block.labels[place]]
        right = accepted[image] if labels == "accepted" else {own}
        before = CANDIDATES[block.clean.prediction[place]]
        after = CANDIDATES[block.perturbed.prediction[condition, place]]
        correct, still = before in right, after in right
        if correct or still:
            state = "k" if correct and still else "h" if correct else "r"
        else:
            state = "s" if before == after else "w"
        found.append(
            {
                "label": block.labels[place],
                "state": state,
                "same": before == after,
                "accepted": block.clean.confidence[place] >= THRESHOLD,
                "still_accepted": block.perturbed.confidence[condition, place] >= THRESHOLD,
                "drop": block.clean.true_class_probability[place]
                - block.perturbed.true_class_probability[condition, place],
                "matched": True,
                "compatible": bool(accepted[image] & set(CANDIDATES)),
                "incompatible": not accepted[image] & set(CANDIDATES),
                "retained": own in accepted[image],
                "removed": own not in accepted[image],
            }
        )
    return found


def share(rows: list[dict], chosen: list[bool]) -> float:
    return sum(chosen) / len(rows) if rows else math.nan


@settings(max_examples=150, deadline=None)
@given(annotated())
def test_cells_equal_counts_by_hand(drawn):
    block, annotations = drawn
    cells = label_cells(match_annotations(block, CANDIDATES, annotations), THRESHOLD)
    assert len(cells) == 2 * 2 * 5
    for row in cells.to_dict("records"):
        condition = block.conditions.index(row["condition"])
        whole = {kind: pairs_by_hand(block, annotations, condition, kind) for kind in ("original", "accepted")}
        kept = [place for place, pair in enumerate(whole["original"]) if pair[row["subset"]]]
        before, pairs = ([whole[kind][place] for place in kept] for kind in ("original", row["labels"]))
        states = [pair["state"] for pair in pairs]
        expected = {
            "images": len(pairs),
            "excluded": len(block.labels) - len(whole["original"]),
            "clean_accuracy": share(pairs, [state in "hk" for state in states]),
            "perturbed_accuracy": share(pairs, [state in "rk" for state in states]),
            "agreement": share(pairs, [pair["same"] for pair in pairs]),
            **{name: share(pairs, [state == kind for state in states]) for kind, name in KIND.items()},
            "retained_equal": share(pairs, [pair["state"] == "k" and pair["same"] for pair in pairs]),
            "retained_different": share(pairs, [pair["state"] == "k" and not pair["same"] for pair in pairs]),
            "accepted_error_transition": share(
                pairs, [pair["state"] == "h" and pair["accepted"] and pair["still_accepted"] for pair in pairs]
            ),
            "lost_acceptance": share(
                pairs, [pair["state"] == "k" and pair["accepted"] and not pair["still_accepted"] for pair in pairs]
            ),
            **{
                f"moved_{KIND[kind]}": share(
                    pairs, [a["state"] == kind != b["state"] for a, b in zip(before, pairs, strict=True)]
                )
                for kind in "hw"
            },
        }
        assert {name: row[name] for name in expected} == pytest.approx(expected, abs=1e-12, nan_ok=True)
        # Eq. 15, from shares as they are printed.
        left = expected["agreement"] - expected["perturbed_accuracy"]
        right = expected["persistent_error"] - expected["correction"] - expected["retained_different"]
        assert row["identity_residual"] == pytest.approx(abs(left - right), abs=1e-12, nan_ok=True)
        assert not row["identity_residual"] > 0
        drops = [pair["drop"] for pair in pairs if pair["state"] == "k" and pair["retained"]]
        mean = sum(drops) / len(drops) if drops else math.nan
        assert row["confidence_drop"] == pytest.approx(mean, abs=1e-12, nan_ok=True)


def attached(drawn: tuple[RecordBlock, Annotations]) -> RecordBlock:
    return match_annotations(drawn[0], CANDIDATES, drawn[1]).accepted


def ends_by_hand(drawn: tuple[RecordBlock, Annotations], condition: int, label: int) -> dict:
    """List the correspondences of a class; correctness comes from each record's own set, never from recoding."""
    block, annotations = drawn
    accepted = {image: set(text.split()) for image, text in annotations.table.itertuples(index=False)}
    places = [p for p, image in enumerate(block.image_ids) if block.labels[p] == label and accepted[image]]
    before = [CANDIDATES[block.clean.prediction[p]] for p in places]
    after = [CANDIDATES[block.perturbed.prediction[condition, p]] for p in places]
    correct = [b in accepted[block.image_ids[p]] for p, b in zip(places, before, strict=True)]
    still = [a in accepted[block.image_ids[p]] for p, a in zip(places, after, strict=True)]
    taken = [block.clean.confidence[p] >= THRESHOLD for p in places]
    kept = [block.perturbed.confidence[condition, p] >= THRESHOLD for p in places]
    m, m_after = block.clean.true_class_probability, block.perturbed.true_class_probability[condition]
    listed = []
    for order in permutations(range(len(places))):
        counts = dict.fromkeys("hrswk", 0)
        transitions = losses = 0
        drop = 0.0
        for i, j in enumerate(order):
            if correct[i] or still[j]:
                state = "k" if correct[i] and still[j] else "h" if correct[i] else "r"
            else:
                state = "s" if before[i] == after[j] else "w"
            counts[state] += 1
            transitions += state == "h" and taken[i] and kept[j]
            losses += state == "k" and taken[i] and not kept[j]
            drop += m[places[i]] - m_after[places[j]] if state == "k" else 0.0
        listed.append((counts, {"H": transitions, "L": losses, "dM_k": drop}))
    observed = listed[0][0]
    feasible = {
        "Ik": [values for counts, values in listed if counts["k"] == observed["k"]],
        "I5": [values for counts, values in listed if counts == observed],
    }
    return {
        (target, level): (min(v[target] for v in values), max(v[target] for v in values))
        for level, values in feasible.items()
        for target in ("H", "L", "dM_k")
    }


@settings(max_examples=60, deadline=None)
@given(annotated(most_records=4))
def test_enumerated_and_closed_ends_equal_those_by_hand(drawn):
    block = attached(drawn)
    listed, forms = enumerated(block, THRESHOLD), closed_forms(block, THRESHOLD)
    for condition in range(2):
        for position, label in enumerate(np.unique(block.labels)):
            expected = ends_by_hand(drawn, condition, label)
            for key, ends in expected.items():
                assert listed[key][:, condition, position] == pytest.approx(ends, abs=1e-12)
                if key in forms:
                    assert forms[key][:, condition, position] == pytest.approx(ends, abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(annotated(most_records=5))
def test_cells_have_the_bounds_of_the_package(drawn):
    block = attached(drawn)
    listed = enumerated(block, THRESHOLD)
    for condition in range(2):
        bounds = enumerated_bounds(block, condition, THRESHOLD)
        for level in ("Ik", "I5"):
            for target in ("H", "L"):
                sums = listed[target, level][:, condition].sum(axis=1) / len(block.labels)
                assert sums == pytest.approx(bounds[level][target], abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(annotated(most_records=9))
def test_theorem_1_holds_in_classes_of_any_size(drawn):
    """Rearranged records keep all five counts and attain the bounds that the engine gives."""
    block = attached(drawn)
    found = check_endpoints(block, THRESHOLD)
    assert found["classes"].tolist() == [len(np.unique(block.labels))] * 2
    names = ["lost_acceptance_differing", "confidence_drop_differing", "formula_differing"]
    assert not found[names].to_numpy().any()
    engine = identify(block, THRESHOLD, ["Ik", "I5"])
    narrower = engine.targets["H"].intervals["I5"].width < engine.targets["H"].intervals["Ik"].width - 1e-12
    assert (found["narrower_classes"].to_numpy() > 0).tolist() == narrower.tolist()
    for target in ("L", "dM_k"):
        reached, interval = attained(block, THRESHOLD, target), engine.targets[target].intervals["I5"]
        assert reached.feasible.all()
        number = len(block.labels) if target == "L" else engine.overlap
        for ends, bound in zip(reached.ends, (interval.lower, interval.upper), strict=True):
            assert ends.sum(axis=1) == pytest.approx(np.nan_to_num(bound) * number, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(annotated(most_records=7))
def test_ends_are_those_of_attaining_matchings(drawn):
    block = attached(drawn)
    for condition in range(2):
        for upper in (False, True):
            matching = attaining_matching(block, condition, THRESHOLD, "L", "I5", upper)
            once = identify(rematched(block, condition, matching), THRESHOLD, ["I5"]).targets["L"].observed[0]
            ends = attained(block, THRESHOLD, "L").ends[int(upper), condition]
            assert ends.sum() / len(block.labels) == pytest.approx(once)


@settings(max_examples=100, deadline=None)
@given(annotated())
def test_the_original_labels_as_accepted_ones_change_nothing(drawn):
    block, _ = drawn
    accepted = np.zeros((len(block.labels), len(CANDIDATES)), dtype=bool)
    accepted[np.arange(len(block.labels)), block.labels] = True
    judged = attach_correctness(block, Membership(accepted, np.ones(len(block.labels), dtype=bool)))
    for target in ("H", "L", "dM_k"):
        for level in ("Ik", "I5"):
            first, second = (identify(b, THRESHOLD).targets[target].intervals[level] for b in (block, judged))
            for name in ("lower", "upper"):
                np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_support_equals_a_count_by_hand(data):
    models = data.draw(st.integers(1, 6))
    groups = data.draw(st.lists(st.sampled_from("abc"), min_size=models, max_size=models))
    answers = np.array(
        data.draw(st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=3), min_size=models, max_size=models))
    )
    found = support(answers, groups)
    for model in range(models):
        others = [other for other in range(models) if other != model]
        elsewhere = [other for other in others if groups[other] != groups[model]]
        for image in range(3):
            same = {other: bool(answers[other, image] == answers[model, image]) for other in others}
            by_group = {g: [same[o] for o in elsewhere if groups[o] == g] for g in {groups[o] for o in elsewhere}}
            means = [sum(flags) / len(flags) for flags in by_group.values()]
            expected = {
                "leave_model_out": [same[other] for other in others],
                "leave_group_out": [same[other] for other in elsewhere],
                "group_equal": means,
            }
            for definition in DEFINITIONS:
                values = expected[definition]
                mean = sum(values) / len(values) if values else math.nan
                assert found[definition][model, image] == pytest.approx(mean, nan_ok=True)
