"""Five-state widths after matching the sources' supports (Appendix B.2, Table 8).

Sources differ in classes and in records per class, which alone changes widths. Matching keeps the classes that all
sources share and equally many evaluation records of each, chosen by a SHA-256 order of seed, source, class and image:
no score or outcome enters, and the sample is one for all models and conditions. Thresholds stay those of all clean
development records.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.files import read_metadata, read_table
from pairedeval.identification import events
from pairedeval.identification.classes import Classes, class_counts
from pairedeval.identification.engine import identify
from pairedeval.identification.levels import (
    ACCEPTED_ERROR_TRANSITION,
    CONFIDENCE_DROP,
    FIVE_STATES,
    LOST_ACCEPTANCE,
)
from pairedeval.records import CLEAN, DEVELOPMENT, EVALUATION, RecordBlock, block, check_records, keep_images
from pairedeval.splits import rank_within_class
from pairedeval.states import PRIMARY_COVERAGE, acceptance_threshold, outcomes

MATCHING_SEEDS = (20260910, 20260911, 20260912, 20260913, 20260914)
NATIVE = "native"
TARGETS = (ACCEPTED_ERROR_TRANSITION, LOST_ACCEPTANCE, CONFIDENCE_DROP)


def evaluation_images(paths: Iterable[str | Path]) -> pd.DataFrame:
    """List the evaluation images of each source, from the first of its record files.

    Parameters
    ----------
    paths
        Record files of all sources.

    Returns
    -------
    pandas.DataFrame
        ``source``, ``class_id`` and ``image_id``.

    Raises
    ------
    RecordsError
        If a file does not say which class a label stands for.
    """
    images: dict[str, pd.DataFrame] = {}
    for path in paths:
        metadata = read_metadata(path)
        source = metadata["source"]
        if source in images:
            continue
        if "candidates" not in metadata:
            raise RecordsError(f"{path}: the metadata lack the ids of the candidate classes; infer the records again")
        rows = read_table(path, columns=["condition", "image_id", "label", "split"])
        rows = rows[(rows["condition"] == CLEAN) & (rows["split"] == EVALUATION)]
        classes = np.array(metadata["candidates"], dtype=object)[rows["label"]]
        images[source] = pd.DataFrame({"source": source, "class_id": classes, "image_id": rows["image_id"]})
    return pd.concat(images.values(), ignore_index=True)


def select_matched(images: pd.DataFrame, seeds: Sequence[int] = MATCHING_SEEDS) -> pd.DataFrame:
    """Choose the same number of evaluation images of each class that all sources share.

    The number is the largest that every source has of every common class: two in the paper.

    Parameters
    ----------
    images
        ``source``, ``class_id`` and ``image_id``, see `evaluation_images`.
    seeds
        Seeds of the orders.

    Returns
    -------
    pandas.DataFrame
        ``seed``, ``source``, ``class_id`` and ``image_id`` of the chosen images.

    Raises
    ------
    RecordsError
        If the sources have no class in common.

    Examples
    --------
    >>> images = pd.DataFrame({"source": ["es", "es", "syn"], "class_id": list("aba"), "image_id": list("123")})
    >>> select_matched(images, [1])["image_id"].tolist()
    ['1', '3']
    """
    counts = pd.crosstab(images["class_id"], images["source"])
    counts = counts[(counts > 0).all(axis=1)]
    if counts.empty:
        raise RecordsError(
            f"no true class stands in all of {', '.join(images['source'].unique())}; match other sources"
        )
    per_class = int(counts.to_numpy().min())
    common = images[images["class_id"].isin(counts.index)]
    chosen = []
    for seed in seeds:
        for source, rows in common.groupby("source", sort=False):
            rank = rank_within_class(rows["class_id"], rows["image_id"], seed, str(source))
            chosen.append(rows[rank < per_class].assign(seed=seed))
    return pd.concat(chosen, ignore_index=True)[["seed", "source", "class_id", "image_id"]]


def match_support(
    paths: Iterable[str | Path],
    panel: pd.DataFrame,
    matched: pd.DataFrame,
    coverage: float = PRIMARY_COVERAGE,
) -> pd.DataFrame:
    """Bound the panel's cells on all their evaluation records and on each matched sample.

    Parameters
    ----------
    paths
        Record files of all sources and models; those without a cell of the panel are not read.
    panel
        Columns ``source``, ``model`` and ``condition``.
    matched
        Result of `select_matched`.
    coverage
        Share of the clean development records that the acceptance threshold accepts.

    Returns
    -------
    pandas.DataFrame
        See `match_records`.
    """
    conditions = {key: rows["condition"].tolist() for key, rows in panel.groupby(["source", "model"], sort=False)}
    samples = {
        source: {str(seed): set(rows["image_id"]) for seed, rows in part.groupby("seed", sort=False)}
        for source, part in matched.groupby("source", sort=False)
    }
    tables = []
    for path in paths:
        facts = read_metadata(path)
        chosen = conditions.get((facts["source"], facts["model"]))
        if chosen:
            frame = read_table(path)
            tables.append(match_records(frame, facts, chosen, samples[facts["source"]], coverage, str(path)))
    if not tables:
        raise RecordsError("no record file holds a cell of the panel; select the panel from these models")
    return pd.concat(tables, ignore_index=True)


def match_records(
    frame: pd.DataFrame,
    metadata: Mapping[str, Any],
    conditions: Sequence[str],
    samples: Mapping[str, Iterable[str]],
    coverage: float = PRIMARY_COVERAGE,
    place: str = "records",
) -> pd.DataFrame:
    """Bound some conditions of one model on all evaluation records and on samples of them.

    Parameters
    ----------
    frame
        Records of one model and source; those of the clean and the chosen conditions are checked.
    metadata
        Holds ``source``, ``model`` and ``group``.
    conditions
        Conditions of the panel.
    samples
        Image ids of each sample.
    coverage, place
        As for `tidy.identify_records`.

    Returns
    -------
    pandas.DataFrame
        Rows per sample (`NATIVE`, then those of `samples`), target and condition: ``source``, ``model``, ``group``,
        ``sample``, then the columns of `support_table`.

    Raises
    ------
    RecordsError
        If a record breaks the contract, or a split or a condition is missing.
    """
    rows = frame[frame["condition"].isin([CLEAN, *conditions])]
    check_records(rows, place)
    absent = sorted(set(conditions) - set(rows["condition"].unique()))
    if absent:
        raise RecordsError(f"{place}: no records of condition {absent[0]}; infer it or select another panel")
    clean = rows[rows["condition"] == CLEAN]
    threshold = acceptance_threshold(block(clean, DEVELOPMENT, place).clean.confidence, coverage)
    evaluation = block(rows, EVALUATION, place)
    image_ids = pd.Series(evaluation.image_ids, dtype=object)
    tables = {NATIVE: support_table(evaluation, threshold)}
    for name, images in samples.items():
        tables[name] = support_table(keep_images(evaluation, image_ids.isin(images).to_numpy()), threshold)
    table = pd.concat(tables, names=["sample"]).reset_index("sample").reset_index(drop=True)
    for position, name in enumerate(("source", "model", "group")):
        table.insert(position, name, metadata[name])
    return table


def support_table(evaluation: RecordBlock, threshold: float) -> pd.DataFrame:
    """Lay out the five-state widths of each condition with what they depend on.

    Returns
    -------
    pandas.DataFrame
        Rows per target (H, L, dM_k) and condition, shares: ``condition``, ``n`` (records), ``target``, ``width`` at I5,
        ``largest`` (the largest event mass that the separate records allow, the upper end at I0), ``normalised``
        (width over it; NaN where it is zero), ``overlap_share`` (K/N), ``clean_event`` and ``perturbed_event`` (the
        records that can enter the event from either side; NaN for dM_k, as is ``largest``).
    """
    found = identify(evaluation, threshold, [FIVE_STATES])
    judged = outcomes(evaluation, threshold)
    counts = class_counts(Classes.of(evaluation.labels), judged)
    overlap = judged.clean_correct & judged.perturbed_correct
    unknown = np.full(len(evaluation.conditions), np.nan)
    accepted = np.full(len(evaluation.conditions), counts.clean_accepted.sum() / found.size)
    # Largest mass, then what can enter the event from the clean and from the perturbed side.
    masses = {
        ACCEPTED_ERROR_TRANSITION: (
            events.marginal_accepted_transition(counts)[1].sum(axis=1) / found.size,
            accepted,
            counts.accepted_errors.sum(axis=1) / found.size,
        ),
        LOST_ACCEPTANCE: (
            events.marginal_lost_acceptance(counts)[1].sum(axis=1) / found.size,
            accepted,
            counts.perturbed_rejected.sum(axis=1) / found.size,
        ),
        CONFIDENCE_DROP: (unknown, unknown, unknown),
    }
    largest, clean_event, perturbed_event = (np.concatenate(parts) for parts in zip(*masses.values(), strict=True))
    width = np.concatenate([found.targets[target].intervals[FIVE_STATES].width for target in TARGETS])
    normalised = np.divide(width, largest, out=np.full(len(width), np.nan), where=largest > 0)
    return pd.DataFrame(
        {
            "condition": np.tile(np.array(evaluation.conditions, dtype=object), len(TARGETS)),
            "n": found.size,
            "target": np.repeat(TARGETS, len(evaluation.conditions)),
            "width": width,
            "largest": largest,
            "normalised": normalised,
            "overlap_share": np.tile(overlap.mean(axis=1), len(TARGETS)),
            "clean_event": clean_event,
            "perturbed_event": perturbed_event,
        }
    )
