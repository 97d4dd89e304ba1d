"""All summaries over seeds and configurations, by the names of their files."""

from collections.abc import Mapping

import pandas as pd

from pairedeval.consistency.attacks import summarise_attacks, summarise_success
from pairedeval.consistency.certificate import average_seeds, summarise_certificate
from pairedeval.consistency.detection import configuration_differences, summarise_detection
from pairedeval.consistency.flip_bounds import summarise_flip_bounds
from pairedeval.consistency.margin_information import summarise_margin_information
from pairedeval.consistency.margins import summarise_inequality
from pairedeval.consistency.operator_subsets import compare_rankings
from pairedeval.consistency.operators import summarise_operators
from pairedeval.consistency.prior_summaries import summarise_priors, summarise_recalls
from pairedeval.consistency.reference import correlate_models, summarise_models
from pairedeval.consistency.regimes import count_regimes, name_regimes
from pairedeval.consistency.robustness import correlate_robustness, describe_robustness
from pairedeval.consistency.shift_summaries import (
    correlate_gains,
    gains_by_condition,
    run_gains,
    summarise_estimators,
    summarise_shift,
    summarise_transfer,
)
from pairedeval.consistency.strength import summarise_strength, summarise_weights
from pairedeval.consistency.withheld import summarise_withheld


def summarise_runs(runs: Mapping[str, pd.DataFrame], seed: int) -> dict[str, pd.DataFrame]:
    """Summarise the tables of single runs.

    Parameters
    ----------
    runs
        Tables of all configurations by the name of their file: ``models``, ``detection``, ``strength``, ``weights``,
        ``subsets``, ``operators``, ``margin_information``, ``certificate``, ``flip_bounds``, ``inequality``, ``shift``,
        ``transfer``, ``estimators``, ``attacks``, ``withheld``, ``priors`` and ``recalls``; others are ignored.
    seed
        Seed of the study, for resampling.

    Returns
    -------
    dict
        Summaries by the name of their file.
    """
    shift_gain = gains_by_condition(run_gains(runs["shift"], runs["transfer"]))
    robustness = describe_robustness(runs["models"], runs["shift"])
    regimes = name_regimes(runs["models"])
    return {
        "model_summaries": summarise_models(runs["models"]),
        "model_correlations": correlate_models(runs["models"]),
        "regimes": regimes,
        "regime_counts": count_regimes(regimes),
        "rankings": compare_rankings(runs["subsets"]),
        "detection_configurations": configuration_differences(runs["detection"]),
        "detection_summary": summarise_detection(runs["detection"]),
        "strength_summary": summarise_strength(runs["strength"]),
        "weight_summary": summarise_weights(runs["weights"]),
        "operator_summary": summarise_operators(runs["operators"]),
        "margin_summary": summarise_margin_information(runs["margin_information"], seed),
        "certificate_configurations": average_seeds(runs["certificate"]),
        "certificate_summary": summarise_certificate(runs["certificate"]),
        "inequality_summary": summarise_inequality(runs["inequality"]),
        "bound_summary": summarise_flip_bounds(runs["flip_bounds"]),
        "shift_gain": shift_gain,
        "gain_correlations": correlate_gains(shift_gain),
        "shift_summary": summarise_shift(runs["shift"], seed),
        "transfer_summary": summarise_transfer(runs["transfer"], seed),
        "estimator_summary": summarise_estimators(runs["estimators"], seed),
        "robustness": robustness,
        "robustness_correlations": correlate_robustness(robustness),
        "attack_summary": summarise_attacks(runs["attacks"], seed),
        "success_summary": summarise_success(runs["attacks"], seed),
        "withheld_summary": summarise_withheld(runs["withheld"], seed),
        "prior_summary": summarise_priors(runs["priors"], seed),
        "recall_summary": summarise_recalls(runs["recalls"]),
    }
