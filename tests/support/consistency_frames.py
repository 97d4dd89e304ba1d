"""Every table of the analyses of decision consistency, from simulated view files."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from pairedeval.consistency.attacks import measure_attacks
from pairedeval.consistency.certificate import measure_certificate
from pairedeval.consistency.cost import measure_cost
from pairedeval.consistency.detection import measure_detection
from pairedeval.consistency.differences import detection_differences
from pairedeval.consistency.estimators import estimate_accuracy
from pairedeval.consistency.flip_bounds import measure_flip_bounds
from pairedeval.consistency.margin_information import measure_margin_information
from pairedeval.consistency.operator_subsets import compare_rankings, measure_subsets
from pairedeval.consistency.operators import measure_operators
from pairedeval.consistency.priors import measure_priors, measure_recalls
from pairedeval.consistency.reference import measure_models
from pairedeval.consistency.regimes import name_regimes
from pairedeval.consistency.robustness import describe_robustness
from pairedeval.consistency.shift import measure_shift
from pairedeval.consistency.shift_summaries import gains_by_condition, run_gains
from pairedeval.consistency.strength import measure_strength, measure_weights
from pairedeval.consistency.transfer import measure_transfer
from pairedeval.consistency.views import Views
from pairedeval.consistency.withheld import measure_withheld
from support.consistency_views import KINDS, example_views

MODELS = ("alpha", "beta", "gamma", "delta")
SEVERITIES = ("2", "4")


def example_frames(
    models: Sequence[str] = MODELS,
    seeds: int = 2,
    images: int = 120,
    classes: int = 4,
    seed: int = 1,
    draws: int = 50,
    severities: Sequence[str] = SEVERITIES,
) -> dict[str, pd.DataFrame]:
    """Analyse simulated configurations, each of a group of its own, and return the tables by name.

    Fewer `severities` of the corruptions take less time.
    """
    views = {kind: [example_views(kind, model, model[0], seeds, images, classes) for model in models] for kind in KINDS}
    views["shifted"] = [_with_severities(files, severities) for files in views["shifted"]]

    def joined(measure: Callable[..., pd.DataFrame], *kinds: str) -> pd.DataFrame:
        files = zip(*(views[kind] for kind in kinds), strict=True)
        return pd.concat([measure(*paired) for paired in files], ignore_index=True)

    frames = {
        "models": joined(measure_models, "levels"),
        "detection": joined(measure_detection, "levels"),
        "detection_differences": detection_differences(views["levels"], seed, draws),
        "strength": joined(measure_strength, "levels"),
        "weights": joined(measure_weights, "levels"),
        "rankings": compare_rankings(joined(measure_subsets, "levels")),
        "operators": joined(measure_operators, "levels"),
        "cost": joined(measure_cost, "levels"),
        "margin_information": joined(measure_margin_information, "levels"),
        "certificate": joined(measure_certificate, "levels"),
        "flip_bounds": joined(measure_flip_bounds, "levels"),
        "shift": joined(measure_shift, "shifted"),
        "transfer": joined(measure_transfer, "shifted", "levels"),
        "estimators": joined(estimate_accuracy, "shifted", "levels"),
        "attacks": joined(measure_attacks, "attacked"),
        "withheld": joined(measure_withheld, "withheld"),
        "priors": joined(measure_priors, "rare", "levels"),
        "recalls": joined(measure_recalls, "rare", "levels"),
    }
    frames["regimes"] = name_regimes(frames["models"])
    frames["robustness"] = describe_robustness(frames["models"], frames["shift"])
    frames["shift_gain"] = gains_by_condition(run_gains(frames["shift"], frames["transfer"]))
    return frames


def _with_severities(views: Views, severities: Sequence[str]) -> Views:
    kept = [place for place, name in enumerate(views.conditions) if name.rpartition("-")[2] in severities]
    conditions = tuple(views.conditions[place] for place in kept)
    return replace(views, logits=views.logits[:, kept], conditions=conditions)
