"""Choices among the probes of one source: selected by the other half's failures, or fixed beforehand (Appendix E)."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from pairedeval.records import DEVELOPMENT, EVALUATION
from pairedeval.screening.grouping import AUROC, HALVES, PRIMARY_RECALL
from pairedeval.screening.halves import ModelHalves
from pairedeval.screening.probe_sets import ProbeSets
from pairedeval.screening.selection import greedy_selection
from pairedeval.screening.subsets import ProbeSubset, prefixed_subsets, screen_subsets, shared_subsets
from pairedeval.states import conditional_mean

CORRUPTION, NATURAL = POOLS = ("corruption", "natural")
# Kinds of subsets of a pool's 18 probes, see `subsets`.
PREFIXED, SEVERITY, TYPE, PROBE = ("prefixed", "severity", "type", "probe")


def select_probes(models: Sequence[ModelHalves], sets: ProbeSets, evaluated: str) -> pd.DataFrame:
    """Choose probes from the whole pools of corruptions and transformations by the failures of the other half.

    Parameters
    ----------
    models
        All models of a source.
    sets
        Probe sets of the study.
    evaluated
        Half that the chosen sets will be evaluated on.

    Returns
    -------
    pandas.DataFrame
        Rows per ``pool`` and ``step``: ``condition``, ``recall`` (of the average up to this step, on the choosing
        half), ``in_fixed`` (whether the fixed set of the same kind has the probe).
    """
    choosing = [model.halves[other_half(evaluated)].eligible() for model in models]
    parts = []
    for pool, conditions, fixed in (
        (NATURAL, sets.transforms_all, sets.fixed),
        (CORRUPTION, sets.corruptions_all, sets.primary),
    ):
        probabilities = [
            half.responses.perturbed.true_class_probability[half.responses.positions(conditions)] for half in choosing
        ]
        chosen = greedy_selection(conditions, probabilities, [half.failures for half in choosing])
        parts.append(chosen.assign(pool=pool, in_fixed=chosen["condition"].isin(fixed)))
    columns = ["pool", "step", "condition", "recall", "in_fixed"]
    return pd.concat(parts, ignore_index=True)[columns]


def selected_sets(chosen: pd.DataFrame) -> Mapping[str, tuple[str, ...]]:
    """Return the probes that the scores ``natural_selected`` and ``corruption_selected`` average over."""
    return {f"{pool}_selected": tuple(rows["condition"]) for pool, rows in chosen.groupby("pool", sort=False)}


def measure_subsets(models: Sequence[ModelHalves], sets: ProbeSets, mild: Collection[str], seed: int) -> pd.DataFrame:
    """Average over each subset of the 18 corruptions and of the 18 transformations, and rank the evaluation images.

    Parameters
    ----------
    models
        All models of a source.
    sets
        Probe sets of the study.
    mild
        The mild conditions of the source.
    seed
        Seed of the study, for the prefixed subsets.

    Returns
    -------
    pandas.DataFrame
        Rows per ``pool``, ``kind`` and ``name`` of a `subsets.ProbeSubset`: ``size`` (probes), ``recall_20`` and
        ``auroc`` (means over the mild cells where they are defined), ``error_rate`` (share of wrong predictions of the
        probes on the clean-correct development images, models and probes weighted equally).
    """
    parts = []
    for pool, conditions in ((CORRUPTION, sets.primary), (NATURAL, sets.fixed)):
        subsets = (*prefixed_subsets(seed, probes=len(conditions)), *_shared(pool, sets))
        errors = _mean_defined(np.stack([_error_rates(model, conditions) for model in models], axis=-1))
        table = pd.DataFrame(
            {
                "pool": pool,
                "kind": [subset.kind for subset in subsets],
                "name": [subset.name for subset in subsets],
                "size": [subset.size for subset in subsets],
                **_mean_metrics(models, conditions, subsets, mild),
                "error_rate": [errors[list(subset.positions)].mean() for subset in subsets],
            }
        )
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def other_half(half: str) -> str:
    """Return the half on which everything is fitted and chosen that is evaluated on `half`."""
    return HALVES[1 - HALVES.index(half)]


def _shared(pool: str, sets: ProbeSets) -> tuple[ProbeSubset, ...]:
    """Return the subsets by severity and type, which transformations lack, and the single probes."""
    if pool == NATURAL:
        return shared_subsets(PROBE, sets.fixed)
    by_value = ((SEVERITY, sets.severities), (TYPE, sets.types), (PROBE, sets.primary))
    return tuple(subset for kind, values in by_value for subset in shared_subsets(kind, values))


def _mean_metrics(
    models: Sequence[ModelHalves], conditions: Sequence[str], subsets: Sequence[ProbeSubset], mild: Collection[str]
) -> dict[str, np.ndarray]:
    found = []
    for model in models:
        half = model.halves[EVALUATION].eligible()
        probabilities = half.responses.perturbed.true_class_probability[half.responses.positions(conditions)]
        chosen = np.isin(half.conditions, list(mild))
        found.append(screen_subsets(probabilities, half.failures[chosen], subsets))
    recall, auroc = (np.concatenate(parts, axis=1) for parts in zip(*found, strict=True))
    return {PRIMARY_RECALL: _mean_defined(recall), AUROC: _mean_defined(auroc)}


def _error_rates(model: ModelHalves, conditions: Sequence[str]) -> np.ndarray:
    """Return the share of wrong predictions under each probe on the clean-correct development images."""
    responses = model.halves[DEVELOPMENT].eligible().responses
    wrong = responses.perturbed.prediction[responses.positions(conditions)] != responses.labels
    return conditional_mean(wrong.sum(axis=1), np.full(len(conditions), len(responses.labels)))


def _mean_defined(values: np.ndarray) -> np.ndarray:
    """Average the last axis over its defined values; NaN where there is none."""
    return conditional_mean(np.nansum(values, axis=-1), (~np.isnan(values)).sum(axis=-1))
