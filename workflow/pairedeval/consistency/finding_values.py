"""Our value of each published finding, from the tables of a study.

Means are taken over the conditions of a run, then over its seeds, then over configurations; undefined values are left
out. What cannot be computed is NaN.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

from pairedeval.consistency.attacks import DISPLACEMENT
from pairedeval.consistency.comparisons import difference_from
from pairedeval.consistency.differences import REFERENCE
from pairedeval.consistency.estimators import ATC_CS, ATC_MSP, AVERAGE_CONFIDENCE
from pairedeval.consistency.flip_bounds import DKW, LEMMA, summarise_flip_bounds
from pairedeval.consistency.priors import ESTIMATED, NATURAL, NONE, RARE, REWEIGHTED, TRUE_PRIOR
from pairedeval.consistency.quantities import ACCURACY_DOMINANT, CONSISTENCY_DOMINANT, DEFAULT_WEIGHT
from pairedeval.consistency.reference import correlate_models, summarise_models
from pairedeval.consistency.regimes import count_regimes
from pairedeval.consistency.robustness import correlate_robustness
from pairedeval.consistency.runs import RUN_KEYS
from pairedeval.consistency.shift import ALL_FAMILIES
from pairedeval.consistency.shift_summaries import correlate_gains, transfer_gains
from pairedeval.consistency.transfer import CLEAN_ONLY, LEAVE_ONE_OUT, OTHER_FAMILIES, SAME
from pairedeval.consistency.views import LEVELS, OPERATORS
from pairedeval.identification.levels import STRICTNESS

Frames = Mapping[str, pd.DataFrame]
CERTIFICATE_LEVEL = 0.05
STRONG_WEIGHT = 5.0
NOISE = "noise"
_RUN = list(RUN_KEYS)


@dataclass(frozen=True)
class Ours:
    """Our side of a finding.

    Attributes
    ----------
    numbers
        A value, two values that are compared, or both ends of a range.
    p_value
        Of a correlation; NaN otherwise.
    """

    numbers: tuple[float, ...]
    p_value: float = np.nan


OurValue = Callable[[Frames], Ours]


def _means(name: str, column: str, *rows: Mapping[str, object]) -> OurValue:
    """Average a column of a table over the rows with the given entries, once for each choice of rows."""
    return lambda frames: Ours(tuple(_mean(_chosen(frames[name], entries), column) for entries in rows))


def _chosen(frame: pd.DataFrame, entries: Mapping[str, object]) -> pd.DataFrame:
    """Return the rows whose columns have the given entries."""
    for column, entry in entries.items():
        frame = frame[frame[column] == entry]
    return frame


def _mean(rows: pd.DataFrame, column: str) -> float:
    return float(rows.groupby(_RUN)[column].mean().groupby("model").mean().mean())


def _share(marked: "pd.Series[bool]") -> float:
    return float(marked.mean()) if len(marked) else np.nan


def _ends(values: "pd.Series[float]") -> tuple[float, float]:
    return float(values.min()), float(values.max())


# Error detection on clean images, and the models.


def _detection_difference(frames: Frames) -> Ours:
    rows = _chosen(frames["detection_differences"], {"score": "consistency", "measure": "auroc"})
    return Ours((float(rows["mean"].iloc[0]),))


def _worse_groups(frames: Frames) -> Ours:
    detection = frames["detection"]
    difference = difference_from(detection, RUN_KEYS, "auroc", "score", REFERENCE)
    rows = detection.assign(difference=difference)[detection["score"] == "consistency"]
    by_group = rows.groupby(["group", "model"])["difference"].mean().groupby("group").mean().dropna()
    return Ours((_share(by_group < 0),))


def _weight_gain(frames: Frames, best: bool) -> Ours:
    """Gain of the weight chosen on calibration images, or of the best one on evaluation images, over the usual one."""
    runs = frames["weights"].set_index(_RUN)
    usual = runs.loc[(runs["weight"] - DEFAULT_WEIGHT).abs() < STRICTNESS, "evaluation_auroc"]
    chosen = (
        runs.groupby(level=_RUN)["evaluation_auroc"].max() if best else runs.loc[runs["selected"], "evaluation_auroc"]
    )
    return Ours((_mean((chosen - usual).rename("gain").reset_index(), "gain"),))


def _mildest_selected(frames: Frames) -> Ours:
    selected = frames["strength"].query("selected")
    return Ours((_share(selected["level"] == LEVELS[0]),))


def _model_correlation(place: int) -> OurValue:
    def value(frames: Frames) -> Ours:
        row = correlate_models(frames["models"]).iloc[place]
        return Ours((float(row["correlation"]),), float(row["p_value"]))

    return value


def _negative_gaps(frames: Frames) -> Ours:
    return Ours((_share(summarise_models(frames["models"])["gap"] < 0),))


def _largest_spread(frames: Frames) -> Ours:
    return Ours((float(summarise_models(frames["models"])["consistency_spread"].max()),))


def _rankings(frames: Frames) -> Ours:
    tau = frames["rankings"].set_index("size")["mean_tau"]
    return Ours((float(tau[1]), float(tau[len(OPERATORS) - 1])))


def _regime_share(regime: str, tolerance: float | None) -> OurValue:
    """Share of the configurations in a regime at one tolerance; the largest share over all without one."""

    def value(frames: Frames) -> Ours:
        counts = _chosen(count_regimes(frames["regimes"]), {"regime": regime})
        shares = counts["configurations"] / counts["of"]
        return Ours((float((shares if tolerance is None else shares[counts["tolerance"] == tolerance]).max()),))

    return value


def _changing_regimes(frames: Frames) -> Ours:
    row = count_regimes(frames["regimes"]).iloc[0]
    return Ours((float(row["changing"] / row["of"]),))


# Certificate and bounds.


def _guarantee(frames: Frames) -> Ours:
    certificate = frames["certificate"]
    return Ours((_share(certificate["realized"] <= certificate["beta"] + STRICTNESS),))


def _largest_realized(frames: Frames) -> Ours:
    return Ours((float(_chosen(frames["certificate"], {"beta": CERTIFICATE_LEVEL})["realized"].max()),))


def _certified_accuracy(frames: Frames) -> Ours:
    rows = _chosen(frames["certificate"], {"beta": CERTIFICATE_LEVEL})
    return Ours((_mean(rows, "certified_accuracy"), _mean(rows, "accuracy")))


def _violations(frames: Frames) -> Ours:
    # The count of a run stands in the row of every beta.
    return Ours((float(frames["certificate"].drop_duplicates(_RUN)["violations"].sum()),))


def _bounds(column: str, *names: str) -> OurValue:
    def value(frames: Frames) -> Ours:
        bounds = summarise_flip_bounds(frames["flip_bounds"]).set_index("bound")
        return Ours(tuple(float(bounds.loc[name, column]) for name in names))  # type: ignore[arg-type]

    return value


# Shift.


def _noise_gain(frames: Frames) -> Ours:
    shift = _chosen(frames["shift"], {"family": NOISE})
    gain = difference_from(shift, [*_RUN, "condition"], "auroc", "score", "margin")
    rows = _chosen(shift.assign(gain=gain), {"score": "consistency"})
    return Ours(_ends(rows.groupby(["condition", "model"])["gain"].mean().groupby("condition").mean()))


def _gain_correlation(frames: Frames) -> Ours:
    found = _chosen(correlate_gains(frames["shift_gain"]), {"gain": "consistency_gain", "points": "corruption"})
    return Ours((float(found["correlation"].iloc[0]),), float(found["p_value"].iloc[0]))


def _transfer_gain(training: str) -> OurValue:
    def value(frames: Frames) -> Ours:
        gains = transfer_gains(frames["transfer"])
        return Ours((_mean(_chosen(gains, {"family": NOISE, "training": training}), "gain"),))

    return value


def _transfer_sides(frames: Frames) -> Ours:
    gains = _chosen(transfer_gains(frames["transfer"]), {"training": CLEAN_ONLY})
    return Ours((_mean(gains, "added"), _mean(gains, "base")))


def _robustness(relation: str) -> OurValue:
    def value(frames: Frames) -> Ours:
        found = correlate_robustness(frames["robustness"])
        row = _chosen(found, {"family": ALL_FAMILIES, "relation": relation}).iloc[0]
        return Ours((float(row["correlation"]),), float(row["p_value"]))

    return value


# Attacks.


def _plain(frames: Frames) -> pd.DataFrame:
    return _chosen(frames["attacks"], {"stability_weight": 0})


def _plain_detection(epsilon: float) -> OurValue:
    rows = {"stability_weight": 0, "epsilon": epsilon}
    return _means("attacks", "detection_auroc", rows | {"score": "consistency"}, rows | {"score": REFERENCE})


def _above_both(frames: Frames) -> Ours:
    index = [*_RUN, "condition"]
    table = _plain(frames).pivot_table("detection_auroc", index, "score").dropna(how="any")
    return Ours((_share(table["consistency"] > table[[REFERENCE, "margin"]].max(axis=1)),))


def _displacement_detection(frames: Frames) -> Ours:
    rows = _chosen(_plain(frames), {"score": DISPLACEMENT})
    return Ours(_ends(rows.groupby(["condition", "model"])["detection_auroc"].mean().groupby("condition").mean()))


def _adaptive_detection(epsilon: float) -> OurValue:
    rows = {"stability_weight": STRONG_WEIGHT, "epsilon": epsilon, "score": "consistency"}
    return _means("attacks", "detection_auroc", rows)


def _changed(epsilon: float) -> OurValue:
    weights = (STRONG_WEIGHT, 0.0)
    return _means("attacks", "changed", *({"epsilon": epsilon, "stability_weight": weight} for weight in weights))


def _adaptive_errors(score: str) -> OurValue:
    def value(frames: Frames) -> Ours:
        attacks = _chosen(frames["attacks"], {"score": score})
        rows = attacks[attacks["stability_weight"] > 0]
        return Ours(_ends(rows.groupby(["condition", "model"])["error_auroc"].mean().groupby("condition").mean()))

    return value


# Class priors.


def _gaps(first: Mapping[str, object], second: Mapping[str, object] | None = None) -> OurValue:
    without = {"variant": RARE, "method": NONE}
    return _means("priors", "gap", {"variant": RARE, **first}, without if second is None else second)


def _recovered(frames: Frames) -> Ours:
    rows = _chosen(frames["priors"], {"variant": RARE})
    corrected, before = (_mean(_chosen(rows, {"method": method}), "gap") for method in (TRUE_PRIOR, NONE))
    return Ours((1 - corrected / before if before else np.nan,))


def _improved(frames: Frames) -> Ours:
    gaps = _chosen(frames["priors"], {"variant": RARE}).pivot_table("gap", _RUN, "method")
    return Ours((_share(gaps[TRUE_PRIOR].abs() < gaps[NONE].abs()),))


def _stable_but_wrong(frames: Frames) -> Ours:
    rows = _chosen(frames["priors"], {"variant": RARE, "method": NONE})
    return Ours((_mean(rows, "rare_stability"), _mean(rows, "rare_recall")))


# By key of the finding.
OUR_VALUES: Mapping[str, OurValue] = MappingProxyType(
    {
        "detection-consistency": _detection_difference,
        "detection-groups": _worse_groups,
        "detection-augmented": _means("detection", "auroc", {"score": "tta_confidence"}, {"score": REFERENCE}),
        "detection-variation": _means("detection", "auroc", {"score": "consistency_tv"}, {"score": "consistency"}),
        "detection-rescaled": _means("detection", "auroc", {"score": "consistency_rescaled"}, {"score": "consistency"}),
        "weight-selected": lambda frames: _weight_gain(frames, best=False),
        "weight-best": lambda frames: _weight_gain(frames, best=True),
        "strength-levels": _means("strength", "evaluation_auroc", {"level": LEVELS[0]}, {"level": LEVELS[-1]}),
        "strength-selected": _mildest_selected,
        "cost": lambda frames: Ours(_ends(frames["cost"]["ratio"])),
        "models-gap": _negative_gaps,
        "models-seeds": _largest_spread,
        "models-accuracy": _model_correlation(0),
        "models-calibration": _model_correlation(1),
        "operators-flips": _means(
            "operators", "flip_rate", *({"level": LEVELS[0], "operator": name} for name in ("jpeg", "brightness"))
        ),
        "rankings-size": _rankings,
        "regimes-tight": _regime_share(CONSISTENCY_DOMINANT, 0.02),
        "regimes-loose": _regime_share(CONSISTENCY_DOMINANT, 0.10),
        "regimes-accuracy": _regime_share(ACCURACY_DOMINANT, None),
        "regimes-changes": _changing_regimes,
        "margin-displacement": _means("margin_information", "within_displacement", {}),
        "margin-stability": _means("margin_information", "within_stability", {}),
        "margin-gain": _means("margin_information", "margin_gain", {}),
        "confident-stability": _means("margin_information", "confident_stability", {}),
        "confidence-gain": _means("margin_information", "confidence_gain", {}),
        "margin-correlation": _means("margin_information", "margin_stability_correlation", {}),
        "certificate-held": _guarantee,
        "certificate-largest": _largest_realized,
        "certificate-accuracy": _certified_accuracy,
        "certificate-inequality": _violations,
        "bounds-exceeded": _bounds("exceeded_share", DKW),
        "bounds-ratio": _bounds("ratio", DKW),
        "bounds-lemma": _bounds("mean_bound", LEMMA, DKW),
        "shift-official": _means("shift", "auroc", {"score": "consistency"}, {"score": REFERENCE}),
        "shift-own": _means("shift", "auroc", {"score": "consistency"}, {"score": REFERENCE}),
        "shift-noise": _noise_gain,
        "shift-overconfidence": _gain_correlation,
        "transfer-all": _transfer_sides,
        "transfer-same": _transfer_gain(SAME),
        "transfer-clean": _transfer_gain(CLEAN_ONLY),
        "transfer-families": _transfer_gain(OTHER_FAMILIES),
        "transfer-left-out": _transfer_gain(LEAVE_ONE_OUT),
        "estimators-consistency": _means(
            "estimators", "absolute_error", *({"estimator": name} for name in (ATC_CS, ATC_MSP))
        ),
        "estimators-average": _means(
            "estimators", "absolute_error", *({"estimator": name} for name in (AVERAGE_CONFIDENCE, ATC_MSP))
        ),
        "robustness-accuracy": _robustness("accuracy"),
        "robustness-consistency": _robustness("consistency_given_accuracy"),
        "robustness-gap": _robustness("gap_drop"),
        "attacks-plain-2": _plain_detection(2),
        "attacks-plain-4": _plain_detection(4),
        "attacks-plain-8": _plain_detection(8),
        "attacks-above": _above_both,
        "attacks-displacement": _displacement_detection,
        "attacks-adaptive-4": _adaptive_detection(4),
        "attacks-adaptive-8": _adaptive_detection(8),
        "attacks-changed-4": _changed(4),
        "attacks-changed-8": _changed(8),
        "attacks-errors-consistency": _adaptive_errors("consistency"),
        "attacks-errors-msp": _adaptive_errors(REFERENCE),
        "priors-natural": _gaps({"method": NONE}, {"variant": NATURAL, "method": NONE}),
        "priors-stable": _stable_but_wrong,
        "priors-corrected": _gaps({"method": TRUE_PRIOR}),
        "priors-reweighted": _gaps({"method": REWEIGHTED}),
        "priors-true": _gaps({"method": TRUE_PRIOR}),
        "priors-estimated": _gaps({"method": ESTIMATED}),
        "priors-recovered": _recovered,
        "priors-improved": _improved,
        "priors-recall": _means(
            "priors", "rare_recall", *({"variant": RARE, "method": name} for name in (TRUE_PRIOR, NONE))
        ),
    }
)
