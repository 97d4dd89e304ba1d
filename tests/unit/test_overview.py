import pandas as pd

from pairedeval.overview import accuracy_by_tier, source_extents

CELLS = pd.DataFrame(
    [
        ("es", "m", "g", "l1-k01", "mild", 0.9, 0.8),
        ("es", "m", "g", "l1-k02", "mild", 0.9, 0.4),
        ("es", "m", "g", "l1-k03", "extreme", 0.9, 0.1),
        ("syn", "m", "g", "fog-2", "mild", 1.0, 0.5),
    ],
    columns=["source", "model", "group", "condition", "tier", "clean_accuracy", "perturbed_accuracy"],
)
INDEX = pd.DataFrame(
    [("syn", "evaluation"), ("syn", "development"), ("base", "evaluation"), ("base", "evaluation"), ("train", "")],
    columns=["role", "split"],
)


def test_conditions_of_a_tier_weigh_equally():
    accuracy = accuracy_by_tier(CELLS).set_index(["source", "tier"])
    assert accuracy.loc[("es", "mild"), "accuracy"] == (0.8 + 0.4) / 2
    assert accuracy.loc[("es", "mild"), "conditions"] == 2
    assert accuracy.loc[("es", "clean"), "accuracy"] == 0.9
    assert accuracy.loc[("syn", "clean"), "accuracy"] == 1.0
    assert len(accuracy) == 5


def test_extents_count_images_conditions_and_cells():
    extents = source_extents(CELLS, INDEX).set_index("source")
    assert list(extents.loc["es"]) == [2, 2, 3, 1, 3]
    assert list(extents.loc["syn"]) == [2, 1, 1, 1, 1]
