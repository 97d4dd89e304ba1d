"""The layout of the tables on model-level prediction (Tables 42 to 46), and how targets and features are printed."""

from collections.abc import Callable, Collection, Sequence

import pandas as pd

from pairedeval.report.names import ordered_sources, source_name
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.table import Column, Rows, Table

PRIMARY_FEATURES = "syn"
# Targets as the tables and the figure print them.
TARGET_SYMBOLS = {
    "perturbed_accuracy": ("a1", "$a_1$"),
    "selective_risk": ("R80", "$R_{80}$"),
    "accepted_error": ("E_tau", r"$E_\tau$"),
    "lost_acceptance": ("L", "$L$"),
}
ACCURACY_AND_RISK = ("perturbed_accuracy", "selective_risk")
SUMMARY_SYMBOLS = {
    "label_change_rate": "F",
    "absolute_confidence_change": "A",
    "confidence_correlation": "Q",
    "retained_correct": "k",
    "confidence_drop": "dM_k",
    "persistent_confidence_decrease": "ds_s",
    "changed_confidence_decrease": "ds_w",
    "lost_acceptance": "L_k^syn",
}
FEATURE_WORDS = {
    "unpaired:clean_accuracy": "clean accuracy (synthetic base images)",
    "base:clean_accuracy": "clean accuracy (real development base images)",
    "unpaired:perturbed_accuracy": "synthetic a1",
    "unpaired:clean_confidence": "mean S clean",
    "unpaired:perturbed_confidence": "mean S perturbed",
    "unpaired:clean_correct_probability": "mean M of clean-correct images",
    "unpaired:perturbed_correct_probability": "mean M of perturbed-correct images",
    "unpaired:log_loss": "perturbed clipped log loss",
    "unpaired:target_risk": "synthetic risk matching the target",
}
DEFINITIONS = {
    "B0": "clean-performance features",
    "B1": "unpaired synthetic features",
    "B_ind": "unpaired features with all class-conditional independent counterparts",
    "C1": "first paired step",
    "C2": "adds the retained-correct share",
    "C3a": "primary hypothesis",
    "C3b": "adds the confidence decreases of wrong answers",
    "C4": "adds the lost acceptance of correct answers",
}
KEYS = ("features", "source", "target", "comparison", "step")
INTERVAL_NOTE = (
    "Brackets: 95% interval from resampling the model groups of stored out-of-fold errors; it conditions on the fits."
)
BASELINE_NOTE = "B_ind: unpaired features and the independent counterparts of all paired summaries (Table 42)."
Value = Callable[..., float]


def table_42(feature_sets: pd.DataFrame) -> Table:
    """Lay out the feature sets in words (Table 42).

    Parameters
    ----------
    feature_sets
        Rows with `feature_set`, `builds_on`, `added`, `features_accuracy` and `features_risk`; see
        `pairedeval.prediction.feature_sets.feature_set_table`.
    """
    names = ("feature_set", "builds_on", "added", "features_accuracy", "features_risk")
    need_columns(feature_sets, names, "table_42")
    columns = (
        Column("set_or_step", "Set"),
        Column("builds_on", "Builds on"),
        Column("adds", "Adds"),
        Column("definition", "Meaning"),
        Column("features_a1", "for a1", "count", "Features"),
        Column("features_other_targets", "for others", "count", "Features"),
    )
    rows: Rows = tuple(
        (
            row["feature_set"],
            row["builds_on"],
            _added_words(row["added"].split()),
            DEFINITIONS.get(row["feature_set"], ""),
            row["features_accuracy"],
            row["features_risk"],
        )
        for row in feature_sets.to_dict("records")
    )
    notes = (
        "F: label changes; A: mean |S - S'|; Q: correlation of S and S'; k: correct on both sides; {dM_k}, ds_s, ds_w: "
        "mean confidence decrease of retained-correct images and of persistent and changed errors; L_k^syn: lost "
        "acceptance. S is the confidence, M the probability of the true class.",
        "Synthetic risk: R80 and E_tau for themselves; for {L} only the share of perturbed images that are correct and "
        "rejected; none for a1. Every feature is computed for each condition and averaged with equal weights.",
        "An independent counterpart combines every clean with every perturbed record of its class.",
    )
    return Table("table_42", "Table 42", "Features that predict real targets of a model.", columns, rows, notes)


def table_43(gains: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out what paired summaries of Syn add to all independent counterparts (Table 43).

    Parameters
    ----------
    gains
        Rows per features, source, target, comparison and step with `baseline_error`, `gain`, `lower` and `upper`
        (shares); see `pairedeval.prediction.summaries.summarise_gains`.
    simulated
        Sources with simulated data.
    """
    value = _values(gains, ("baseline_error", "gain", "lower", "upper"), "table_43")
    columns = (
        Column("target_source", "Source"),
        Column("target", "Target"),
        Column("mae_baseline_b_ind_pp", "Error of B_ind", "share"),
        Column("mae_gain_c1_pp", "F, A, Q", "interval", "Reduction by adding", signed=True),
        Column("mae_gain_dm_k_pp", "{dM_k}", "share", "Reduction by adding", signed=True),
    )
    rows: Rows = tuple(
        (
            source_name(source, simulated),
            TARGET_SYMBOLS[target][0],
            value("baseline_error", *setting, "augmented", "C1"),
            gain_in_points(value, *setting, "augmented", "C1"),
            value("gain", *setting, "augmented", "C3a"),
        )
        for setting in settings(gains, [PRIMARY_FEATURES])
        for _, source, target in [setting]
    )
    title = (
        "Mean absolute error of predicting targets under mild conditions from Syn for models of held-out groups, in "
        "percentage points."
    )
    return Table("table_43", "Table 43", title, columns, rows, (BASELINE_NOTE, INTERVAL_NOTE))


def table_44(gains: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the gains of three comparisons in every setting (Table 44).

    Parameters as for `table_43`.
    """
    value = _values(gains, ("gain", "lower", "upper"), "table_44")
    shown = {
        "mae_gain_b_ind_plus_c1_pp": ("B_ind + C1", "augmented", "C1"),
        "mae_gain_original_dm_k_pp": ("Sequential {dM_k}", "controlled", "C3a"),
        "mae_gain_b_ind_plus_dm_k_pp": ("B_ind + {dM_k}", "augmented", "C3a"),
    }
    columns = [Column("features", "Features"), Column("source", "Source"), Column("target", "Target")]
    columns += [Column(key, header, "interval", signed=True) for key, (header, *_) in shown.items()]
    rows: Rows = tuple(
        (*_printed(setting, simulated), *(gain_in_points(value, *setting, *which) for _, *which in shown.values()))
        for setting in settings(gains)
    )
    title = "Reductions of the mean absolute error in every setting, in percentage points, models weighted equally."
    notes = (
        "B_ind + C1 and B_ind + {dM_k}: F, A, Q or {dM_k} alone added to B_ind. Sequential: {dM_k} added to the "
        "preceding paired summaries and its independent counterpart. The settings share their models.",
        INTERVAL_NOTE,
    )
    return Table("table_44", "Table 44", title, tuple(columns), rows, notes)


def table_45(gains: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out the errors with and without C1, and the gains of the refits without one group (Table 45).

    Parameters
    ----------
    gains
        As for `table_43`, with `extended_error`, `relative_gain`, `deletions`, `positive_deletions`, `deletion_lowest`
        and `deletion_highest`.
    simulated
        Sources with simulated data.
    """
    shares = ("baseline_error", "extended_error", "relative_gain", "deletion_lowest", "deletion_highest")
    value = _values(gains, (*shares, "deletions", "positive_deletions"), "table_45")
    columns = (
        Column("features", "Features"),
        Column("source", "Source"),
        Column("target", "Target"),
        Column("mae_b_ind_pp", "B_ind", "share", "Error"),
        Column("mae_c1_pp", "with C1", "share", "Error"),
        Column("mae_relative_gain_c1_pct", "Gain (%)", "share", decimals=1, signed=True),
        Column("deletion_refit_gain_c1_pp_min", "lowest", "share", "Gain without a group", signed=True),
        Column("deletion_refit_gain_c1_pp_max", "highest", "share", "Gain without a group", signed=True),
        Column("positive_deletion_refits", "positive", "part", "Gain without a group"),
    )
    rows: Rows = tuple(
        (
            *_printed(setting, simulated),
            *(value(name, *setting, "augmented", "C1") for name in shares),
            (
                int(value("positive_deletions", *setting, "augmented", "C1")),
                int(value("deletions", *setting, "augmented", "C1")),
            ),
        )
        for setting in settings(gains)
    )
    notes = [
        f"{BASELINE_NOTE} C1 adds F, A and Q; Gain (%) is relative to the error of B_ind in the same row.",
        "Gain without a group: the group takes part neither in training nor in evaluation, and the whole nested fit is "
        "repeated. The range shows sensitivity and is no confidence interval.",
    ]
    if not gains["deletions"].any():
        notes.append("With three groups none can be deleted: two are left out already, and the fit needs the third.")
    title = "Mean absolute errors of B_ind and with C1, in percentage points, and the gain after deleting each group."
    return Table("table_45", "Table 45", title, columns, rows, tuple(notes))


def table_46(gains: pd.DataFrame, simulated: Collection[str] = ()) -> Table:
    """Lay out what unpaired synthetic features add to clean accuracy (Table 46).

    Parameters as for `table_43`, with `extended_error`.
    """
    value = _values(gains, ("baseline_error", "extended_error", "gain", "lower", "upper"), "table_46")
    columns = (
        Column("target", "Target"),
        Column("source", "Source"),
        Column("mae_b0_pp", "B0", "share", "Error"),
        Column("mae_b1_pp", "B1", "share", "Error"),
        Column("mae_gain_b1_over_b0_pp", "Reduction", "interval", signed=True),
    )
    rows: Rows = tuple(
        (
            TARGET_SYMBOLS[target][0],
            source_name(source, simulated),
            *(value(name, *setting, "unpaired", "B1") for name in ("baseline_error", "extended_error")),
            gain_in_points(value, *setting, "unpaired", "B1"),
        )
        for setting in settings(gains, [PRIMARY_FEATURES], ACCURACY_AND_RISK)
        for _, source, target in [setting]
    )
    title = "Unpaired features of Syn (B1) against clean accuracies (B0): mean absolute errors in percentage points."
    return Table("table_46", "Table 46", title, columns, rows, (INTERVAL_NOTE,))


def settings(
    gains: pd.DataFrame, features: Sequence[str] = (), targets: Sequence[str] = tuple(TARGET_SYMBOLS)
) -> list[tuple[str, str, str]]:
    """Return the settings (feature source, target source, target) in printed order.

    Parameters
    ----------
    gains
        Rows with `features`, `source` and `target`.
    features
        Feature sources to keep; all if empty.
    targets
        Targets to keep, in printed order.
    """
    return [
        (kept, source, target)
        for kept in ordered_sources(gains["features"])
        if not features or kept in features
        for source in ordered_sources(gains["source"])
        for target in targets
    ]


def gain_in_points(value: Value, *key: str) -> tuple[float, float, float]:
    """Return a gain with the ends of its interval, in percentage points."""
    return 100 * value("gain", *key), 100 * value("lower", *key), 100 * value("upper", *key)


def _values(gains: pd.DataFrame, columns: Sequence[str], table: str) -> Value:
    need_columns(gains, (*KEYS, *columns), table)
    return lookup(gains, list(KEYS))


def _printed(setting: tuple[str, str, str], simulated: Collection[str]) -> tuple[str, str, str]:
    features, source, target = setting
    return source_name(features), source_name(source, simulated), TARGET_SYMBOLS[target][0]


def _added_words(added: Sequence[str]) -> str:
    """Write added features in words, symbols for summaries."""
    forms = {feature.partition(":")[0] for feature in added}
    words = [FEATURE_WORDS.get(feature) or SUMMARY_SYMBOLS[feature.partition(":")[2]] for feature in added]
    prefix = "independent counterparts of " if forms == {"independent"} else ""
    return prefix + "; ".join(words)
