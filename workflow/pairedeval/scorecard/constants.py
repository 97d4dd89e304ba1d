"""Constants of the protocol as this study uses them: from its configuration, and from the analyses."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.identification import calibration, correspondence_summaries, support_summaries
from pairedeval.identification.levels import STRICTNESS
from pairedeval.labels import consensus
from pairedeval.policies import thresholds
from pairedeval.prediction import feature_sets, features, permuted, ridge, summaries
from pairedeval.resampling import CLASS_DRAWS, DRAWS, PERCENTILES
from pairedeval.scoring import COMMON_COSINE_SCALE
from pairedeval.screening import ablation, agreement, predictors, ranking, scores, selection, subsets
from pairedeval.seeds import digest
from pairedeval.selective import probability_gap, risk_rule
from pairedeval.states import PRIMARY_COVERAGE

BITS_OF_A_HEX_DIGIT = 4
# Sections of the configuration that hold constants of the protocol.
SECTIONS = ("seed", "acceptance", "tiers", "policies", "matching", "review")


def protocol_constants(settings: Mapping[str, Any]) -> pd.DataFrame:
    """List the constants.

    Parameters
    ----------
    settings
        Complete configuration of the study, of which `SECTIONS` are read.

    Returns
    -------
    pandas.DataFrame
        Rows per ``name`` and ``position`` (of a list's entries, from 0) with the number ``value``; shares as shares.
    """
    named = _configured(settings) | _resampling() | _identification() | _screening() | _prediction() | _labels()
    rows = [(name, position, float(value)) for name, values in named.items() for position, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["name", "position", "value"])


def _configured(settings: Mapping[str, Any]) -> dict[str, Sequence[float]]:
    weights = sorted(settings["policies"]["weights"])
    return {
        "seed": [settings["seed"]],
        "acceptance_coverage": [settings["acceptance"]["coverage"]],
        "tiers": [settings["tiers"]["severe"], settings["tiers"]["mild"]],
        "policy_coverages": sorted(settings["policies"]["coverages"]),
        "weights": weights,
        "weight_steps": np.diff(weights).tolist(),
        "matching_seeds": settings["matching"]["seeds"],
        "review_events": [settings["review"]["events"]],
        "reviewers": [len(settings["review"]["reviewers"])],
    }


def _resampling() -> dict[str, Sequence[float]]:
    return {
        "group_draws": [DRAWS],
        "class_draws": [CLASS_DRAWS],
        "interval": [(PERCENTILES[1] - PERCENTILES[0]) / 100],
        "digest_bits": [BITS_OF_A_HEX_DIGIT * len(digest(""))],
    }


def _identification() -> dict[str, Sequence[float]]:
    return {
        "strictness": [STRICTNESS],
        "component_tolerance": [correspondence_summaries.COMPONENT_TOLERANCE],
        "least_overlaps": correspondence_summaries.LEAST_OVERLAPS,
        "thin_overlap": [1, correspondence_summaries.THIN_OVERLAP],
        "absolute_thresholds": calibration.ABSOLUTE_THRESHOLDS,
        "primary_coverage": [PRIMARY_COVERAGE],
        "primary_weight": [thresholds.PRIMARY_WEIGHT],
        **{f"strata_{quantity}": edges for quantity, edges in support_summaries.STRATA.items()},
    }


def _screening() -> dict[str, Sequence[float]]:
    return {
        "budgets": ranking.BUDGETS,
        "primary_budget": [ranking.PRIMARY_BUDGET],
        "least_budget": [int(ranking.budget_size(np.array([1])).min())],
        "probes": [subsets.PROBES],
        "drawn_subsets": [subsets.DRAWN_SUBSETS],
        "selected_probes": [selection.SELECTED],
        "derangements": [ablation.DRAWS],
        "exponents": [scores.ROOT, scores.SQUARE],
        "inverse_regularisation": [predictors.INVERSE_REGULARISATION],
        "cosine_scale": [COMMON_COSINE_SCALE],
        "agreement_tolerances": [
            agreement.LEAST_PREDICTION_AGREEMENT,
            agreement.LARGEST_PROBABILITY_DIFFERENCE,
            agreement.LARGEST_ACCURACY_DIFFERENCE,
        ],
    }


def _prediction() -> dict[str, Sequence[float]]:
    return {
        "penalties": ridge.PENALTIES,
        "target_margin": [ridge.MARGIN],
        "log_loss_floor": [features.LOG_LOSS_FLOOR],
        "permutations": [permuted.REPLICATES],
        "paired_summaries": [len(feature_sets.SUMMARIES)],
        "range_shares": summaries.RANGE_SHARES,
        "error_shares": summaries.ERROR_SHARES,
    }


def _labels() -> dict[str, Sequence[float]]:
    return {
        "support_levels": [consensus.MOST_LOW, consensus.LEAST_HIGH],
        "risk_target": [risk_rule.RISK_TARGET],
        "gap_quantiles": probability_gap.QUANTILES,
        "gap_least_errors": [probability_gap.LEAST_ERRORS],
    }
