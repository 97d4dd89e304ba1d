"""Which features predict which target, and which feature sets are compared (Table 42, Appendices H.3 and I.1).

A feature is a form and a name. Paired summaries need the observed correspondence. Their independent counterparts
combine every clean with every perturbed record of its class, their permuted ones come from random matchings within
classes, and unpaired features need neither. Table 42 defines the sets up to C3a; C3b and C4 complete the sequence with
the summaries that Appendix I.1 lists and no earlier step adds, every step building on the one before.

B0 holds the clean accuracy on the images of the features and the one on development base images, which stand for
labelled images of the target. Where the features come from these base images (Syn-B), both are the same number.
"""

from dataclasses import dataclass

import pandas as pd

UNPAIRED, PAIRED, INDEPENDENT, PERMUTED, BASE = FORMS = ("unpaired", "paired", "independent", "permuted", "base")
Feature = tuple[str, str]
Columns = tuple[Feature, ...]

# F, A, Q, k, dM_k, ds_s, ds_w and L_k of Tables 1 and 2.
SUMMARIES = (
    "label_change_rate",
    "absolute_confidence_change",
    "confidence_correlation",
    "retained_correct",
    "confidence_drop",
    "persistent_confidence_decrease",
    "changed_confidence_decrease",
    "lost_acceptance",
)
# What each target's unpaired features say about its own risk on synthetic images; accuracy needs no duplicate.
SYNTHETIC_RISKS = {
    "perturbed_accuracy": (),
    "selective_risk": ("selective_risk",),
    "accepted_error": ("accepted_error",),
    "lost_acceptance": ("rejected_correct",),
}
TARGETS = tuple(SYNTHETIC_RISKS)
_PERFORMANCE: Columns = ((UNPAIRED, "clean_accuracy"), (BASE, "clean_accuracy"))
_RESPONSES = (
    "perturbed_accuracy",
    "clean_confidence",
    "perturbed_confidence",
    "clean_correct_probability",
    "perturbed_correct_probability",
    "log_loss",
)
STEPS = {"C1": SUMMARIES[:3], "C2": SUMMARIES[3:4], "C3a": SUMMARIES[4:5], "C3b": SUMMARIES[5:7], "C4": SUMMARIES[7:]}
# Paired summaries that are added to the baseline with all independent counterparts.
_AUGMENTED_STEPS = ("C1", "C3a")
# Refitted without each group: the comparisons with an independent control, of the first step and of dM_k (I.4).
DELETED_SETS = (
    "C1_control",
    "C1_controlled",
    "C3a_control",
    "C3a_controlled",
    "B_ind",
    *(f"B_ind+{step}" for step in _AUGMENTED_STEPS),
)


@dataclass(frozen=True)
class Comparison:
    """Two feature sets, the second of which extends the first or replaces permuted features.

    Attributes
    ----------
    name
        ``unpaired`` (B0, B1), ``counterparts`` (B1, B_ind), ``total`` (B, B + q), ``controlled`` (B + q_ind,
        B + q_ind + q), ``shuffled`` (B + q_shuf, B + q) or ``augmented`` (B_ind, B_ind + q).
    step
        What is added: a key of `STEPS`, ``B1`` or ``B_ind``.
    baseline, extended
        Names of the sets.
    """

    name: str
    step: str
    baseline: str
    extended: str


def feature_sets(target: str) -> dict[str, Columns]:
    """Return the features of every set for one target.

    Parameters
    ----------
    target
        One of `TARGETS`.

    Returns
    -------
    dict
        ``B0``, ``B1``, ``B_ind``, the steps, and per step ``_control`` (what it builds on, with its independent
        counterparts), ``_controlled`` (these and the step), ``_shuffled`` (permuted features in the step's place);
        ``B_ind+C1`` and ``B_ind+C3a``.

    Examples
    --------
    >>> sets = feature_sets("selective_risk")
    >>> [len(sets[name]) for name in ("B0", "B1", "B_ind", "C1", "C4", "B_ind+C1")]
    [2, 9, 17, 12, 17, 20]
    """
    unpaired = _PERFORMANCE + _of(UNPAIRED, (*_RESPONSES, *SYNTHETIC_RISKS[target]))
    augmented = unpaired + _of(INDEPENDENT, SUMMARIES)
    sets: dict[str, Columns] = {"B0": _PERFORMANCE, "B1": unpaired, "B_ind": augmented}
    before = unpaired
    for step, names in STEPS.items():
        after = before + _of(PAIRED, names)
        control = before + _of(INDEPENDENT, names)
        sets |= {
            step: after,
            f"{step}_control": control,
            f"{step}_controlled": control + _of(PAIRED, names),
            f"{step}_shuffled": before + _of(PERMUTED, names),
        }
        before = after
    return sets | {f"B_ind+{step}": augmented + _of(PAIRED, STEPS[step]) for step in _AUGMENTED_STEPS}


def comparisons() -> tuple[Comparison, ...]:
    """Return all comparisons, those of unpaired information first."""
    found = [Comparison("unpaired", "B1", "B0", "B1"), Comparison("counterparts", "B_ind", "B1", "B_ind")]
    before = "B1"
    for step in STEPS:
        found += [
            Comparison("total", step, before, step),
            Comparison("controlled", step, f"{step}_control", f"{step}_controlled"),
            Comparison("shuffled", step, f"{step}_shuffled", step),
        ]
        before = step
    return (*found, *(Comparison("augmented", step, "B_ind", f"B_ind+{step}") for step in _AUGMENTED_STEPS))


def feature_set_table() -> pd.DataFrame:
    """List the sets of Table 42.

    Returns
    -------
    pandas.DataFrame
        One row a set: ``feature_set``, ``builds_on`` (empty for the first), ``added`` (form and name of each feature it
        adds, as ``form:name`` with spaces between), ``features_accuracy`` and ``features_risk`` (numbers of features
        for the target accuracy and for the other targets).
    """
    # The risk is one feature with a meaning of its own for each target: it is listed as that of the target.
    risk = {name: (UNPAIRED, "target_risk") for names in SYNTHETIC_RISKS.values() for name in names}
    accuracy, others = feature_sets("perturbed_accuracy"), feature_sets("selective_risk")
    builds_on = {"B0": "", "B1": "B0", "B_ind": "B1"} | dict(zip(STEPS, ("B1", *STEPS), strict=False))
    rows = []
    for name, before in builds_on.items():
        added = [feature for feature in others[name] if feature not in others.get(before, ())]
        words = [risk.get(feature[1], feature) if feature[0] == UNPAIRED else feature for feature in added]
        text = " ".join(":".join(feature) for feature in words)
        rows.append((name, before, text, len(accuracy[name]), len(others[name])))
    return pd.DataFrame(rows, columns=["feature_set", "builds_on", "added", "features_accuracy", "features_risk"])


def _of(form: str, names: tuple[str, ...]) -> Columns:
    return tuple((form, name) for name in names)
