"""Quantities of the text that no result holds as such, on small hand-made results."""

import pandas as pd
import pytest

from pairedeval.files import write_table
from pairedeval.scorecard.derived import RULES, derive
from pairedeval.scorecard.results import StudyResults


def frame(columns, *rows):
    return pd.DataFrame(list(rows), columns=columns.split())


CAPTURES = frame(
    "source condition light iso shutter aperture",
    ("es", "l1-k1", "l1", 100, "1/4", 5), ("es", "l1-k2", "l1", 200, "1/4", 5),
    ("diverse", "l1-k1", "l1", 100, "1/4", 5), ("diverse", "l1-k2", "l1", 200, "1/4", 8),
    ("diverse", "l4-k1", "l4", 100, "1/4", 5),
)  # fmt: skip
PANEL = frame(
    "source model condition",
    ("es", "a", "l1-k2"), ("diverse", "a", "l1-k1"), ("diverse", "a", "l1-k2"), ("diverse", "b", "l1-k1"),
)  # fmt: skip
INDEX = frame(
    "image_id class_id role split",
    ("1", "x", "syn", "development"), ("2", "x", "syn", "evaluation"), ("3", "y", "syn", "evaluation"),
    ("1", "x", "base", "evaluation"), ("2", "x", "base", "evaluation"), ("4", "x", "base", "development"),
)  # fmt: skip
MEANS = "source half tier_by tier images metric score mean"
WHERE = ("evaluation", "development", "mild", "all", "auroc")
# Per rule: the results it needs, and what it has to return.
EXAMPLES = {
    "panel_lights": (
        {"conditions/captures": CAPTURES, "analyses/panel": PANEL},
        frame("source light conditions covered", ("diverse", "l1", 2, 2), ("diverse", "l4", 1, 0), ("es", "l1", 2, 1)),
    ),
    "panel_levels": (
        {"conditions/captures": CAPTURES, "analyses/panel": PANEL},
        frame(
            "source factor levels",
            ("diverse", "light", 1), ("es", "light", 1), ("diverse", "iso", 2), ("es", "iso", 1),
            ("diverse", "shutter", 1), ("es", "shutter", 1), ("diverse", "aperture", 2), ("es", "aperture", 1),
        ),
    ),
    "class_sizes": (
        {"images/index": INDEX},
        frame(
            "role split class_id images",
            ("base", "both", "x", 3), ("base", "development", "x", 1), ("base", "evaluation", "x", 2),
            ("syn", "both", "x", 2), ("syn", "both", "y", 1), ("syn", "development", "x", 1),
            ("syn", "evaluation", "x", 1), ("syn", "evaluation", "y", 1),
        ),
    ),
    "shared_images": (
        {"images/index": INDEX},
        frame("image_id split_syn split_base", ("1", "development", "evaluation"), ("2", "evaluation", "evaluation")),
    ),
    "variants": (
        {"conditions/corruptions": frame(
            "condition pool", ("fog-2", "primary"), ("fog-4", "primary"), ("fog-5", "extended")),
         "conditions/transforms": frame("condition", ("flip",), ("zoom",))},
        frame("kind inputs", ("clean", 1), ("extended", 1), ("primary", 2), ("transform", 2)),
    ),
    "matching_sizes": (
        {"images/index": INDEX, "analyses/support": frame("sample records", ("native", 9), ("matched", 2))},
        frame("records classes per_class", (2, 1, 2.0)),
    ),
    "seed_orders": (
        {"analyses/support": frame(
            "source target sample mean_width",
            *((source, "dM_k", sample, width)
              for sample, widths in {"native": (6, 5, 5.5), "1": (2, 3, 4), "2": (3.5, 3, 4)}.items()
              for source, width in zip(("syn", "es", "diverse"), widths, strict=True)),
            ("syn", "H", "native", 9),
        )},
        frame("sample diverse es syn below above", ("1", 4, 3, 2, True, False), ("2", 4, 3, 3.5, False, False),
              ("native", 5.5, 5, 6, False, True)),
    ),
    "illustration": (
        {"analyses/illustration_pair": frame("condition images", ("l1-k14", 500))},
        frame("condition images light setting", ("l1-k14", 500, 1.0, 14.0)),
    ),
    "moved_conditions": (
        {"analyses/screening/cells/es": frame(
            "source condition tier evaluation_tier score",
            ("es", "k1", "severe", "mild", "u"), ("es", "k1", "severe", "mild", "s"),
            ("es", "k2", "mild", "mild", "u")),
         "analyses/cells/es": frame(
            "source condition model perturbed_accuracy", ("es", "k1", "a", 0.40), ("es", "k1", "b", 0.42),
            ("es", "k2", "a", 0.9))},
        frame("source condition tier evaluation_tier perturbed_accuracy", ("es", "k1", "severe", "mild", 0.41)),
    ),
    "native_changes": (
        {"analyses/screening_means": frame(
            MEANS,
            *(("es", *WHERE, score, mean) for score, mean in {
                "confidence": 0.8, "corruption_mean": 0.9, "natural_mean": 0.7, "native_confidence": 0.78,
                "native_corruption_mean": 0.88, "native_natural_mean": 0.75}.items()),
            ("es", "development", *WHERE[1:], "confidence", 0.1), ("es", *WHERE[:4], "recall_20", "confidence", 0.1),
            ("es", "evaluation", "evaluation", *WHERE[2:], "confidence", 0.1),
        )},
        frame("source score change", ("es", "confidence", -0.02), ("es", "corruption_mean", -0.02),
              ("es", "natural_mean", 0.05)),
    ),
    "retention_gains": (
        {"analyses/screening_means": frame(
            MEANS,
            *(("es", *WHERE[:2], tier, *WHERE[3:], score, mean) for tier, score, mean in (
                ("mild", "predictor_confidence_mean", 0.8), ("mild", "predictor_confidence_mean_retention", 0.801),
                ("severe", "predictor_confidence_mean", 0.7), ("severe", "predictor_confidence_mean_retention", 0.69))),
        )},
        frame("source tier gain", ("es", "mild", 0.001), ("es", "severe", -0.01)),
    ),
    "subset_gains": (
        {"analyses/screening_subset_sizes": frame(
            "source pool kind size gain gain_lowest",
            ("es", "corruption", "prefixed", 6, 0.06, 0.04), ("es", "corruption", "all", 18, 0.08, 0.08),
            ("es", "corruption", "severity 2", 9, 0.02, 0.02), ("es", "natural", "all", 18, 0.5, 0.5))},
        frame("source pool kind size gain gain_lowest mean_share lowest_share",
              ("es", "corruption", "prefixed", 6, 0.06, 0.04, 0.75, 0.5)),
    ),
    "probe_gains": (
        {"analyses/screening_probes": frame(
            "source pool kind name recall_20",
            ("es", "natural", "all", "all", 0.5), ("es", "natural", "probe", "flip", 0.1),
            ("es", "corruption", "type", "fog", 0.75), ("es", "corruption", "probe", "fog-2", 0.25))},
        frame("source pool kind name recall_20 gain", ("es", "corruption", "type", "fog", 0.75, 0.25),
              ("es", "corruption", "probe", "fog-2", 0.25, -0.25)),
    ),
    "severity_gains": (
        {"analyses/screening_probes": frame(
            "source pool kind name recall_20",
            ("es", "corruption", "probe", "fog-2", 0.5), ("es", "corruption", "probe", "fog-4", 0.75),
            ("es", "corruption", "probe", "gaussian_noise-4", 0.25),
            ("es", "corruption", "probe", "gaussian_noise-2", 0.5))},
        frame("source corruption gain", ("es", "fog", 0.25), ("es", "gaussian_noise", -0.25)),
    ),
    "natural_selections": (
        {"analyses/screening_selection": frame(
            "source pool first", ("es", "natural", "zoom"), ("es", "corruption", "fog-2")),
         "conditions/transforms": frame("condition zoom", ("flip", 1.0), ("zoom", 0.9))},
        frame("source pool first condition zoom", ("es", "natural", "zoom", "zoom", 0.9)),
    ),
    "baseline_errors": (
        {"analyses/prediction_gains": frame(
            "features source target comparison step baseline_error extended_error",
            ("syn", "es", "a1", "unpaired", "B1", 0.5, 0.3), ("syn", "es", "a1", "augmented", "C1", 0.4, 0.2),
            ("syn", "es", "a1", "augmented", "C3a", 0.9, 0.9), ("syn_b", "es", "a1", "unpaired", "B1", 0.9, 0.9))},
        frame("source target unpaired augmented", ("es", "a1", 0.3, 0.4)),
    ),
    "refitted_groups": (
        {"analyses/prediction_predictions": frame(
            "deleted group", ("", "g"), ("g", "h"), ("g", "i"), ("g", "h"), ("h", "g"))},
        frame("deleted groups", ("g", 2), ("h", 1)),
    ),
    "label_changes": (
        {"analyses/labels": frame(
            "source subset labels images cells harmful_flip undefined",
            ("es", "matched", "original", 473, 9, 0.4, 0), ("es", "matched", "accepted", 473, 9, 0.3, 0))},
        frame("source subset harmful_flip harmful_flip_relative", ("es", "matched", -0.1, -0.25)),
    ),
}  # fmt: skip


def opened(folder, tables):
    for name, table in tables.items():
        if name.startswith("conditions/"):
            path = folder / f"resources/{name}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            table.to_csv(path, index=False)
        else:
            write_table(table, folder / f"study/{name}.parquet")
    (folder / "study").mkdir(parents=True, exist_ok=True)
    return StudyResults.of(folder / "study", folder.rglob("*.parquet"), folder / "resources")


def test_every_rule_has_an_example():
    assert set(EXAMPLES) == set(RULES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule(tmp_path, name):
    tables, expected = EXAMPLES[name]
    found = derive(name, opened(tmp_path, tables))
    pd.testing.assert_frame_equal(
        found.reset_index(drop=True), expected, check_dtype=False, check_names=False, rtol=1e-12
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_without_its_results_returns_nothing(tmp_path, name):
    tables, _ = EXAMPLES[name]
    results = [table for table in tables if not table.startswith("conditions/")]
    for absent in results:
        kept = {table: content for table, content in tables.items() if table != absent}
        assert derive(name, opened(tmp_path / absent.replace("/", "-"), kept)) is None
