"""``pairedeval screen``: which clean-correct images to capture again first (Section 5)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.own.answers import Answer
from pairedeval.own.screening_files import UNNAMED, ProbedModel
from pairedeval.own.screening_outcomes import read_outcomes
from pairedeval.own.screening_pool import rank_pool
from pairedeval.own.screening_ranking import Ranking, check_score, rank_model
from pairedeval.own.screening_recall import outcomes_answer
from pairedeval.screening.ranking import PRIMARY_BUDGET


@dataclass(frozen=True)
class Screening:
    """One ranking, with what real outcomes say of it.

    Attributes
    ----------
    ranking
        Ranking of one model or of the pool.
    models
        That model, or all models of the pool.
    budget
        Share of the images to select; None selects none.
    outcomes
        See `pairedeval.own.screening_recall.outcomes_answer`; None if there are none.
    """

    ranking: Ranking
    models: Sequence[ProbedModel]
    budget: float | None
    outcomes: Answer | None


def screen_models(
    models: Sequence[ProbedModel], score: str, budget: float | None = None, outcomes: str | None = None
) -> list[Screening]:
    """Rank the clean-correct images of each model, and of several models also for the pool, which comes last.

    Parameters
    ----------
    models
        Clean and probe predictions, see `pairedeval.own.screening_files.read_probed_models`.
    score
        One of `pairedeval.own.screening_ranking.RISKS`; the pool is ranked by probe failures.
    budget
        Share of the images to select; outcomes are judged at `PRIMARY_BUDGET` without it.
    outcomes
        Prediction file of recaptured images.

    Raises
    ------
    RecordsError
        If score, budget or outcomes cannot be used.
    """
    check_score(score)
    if budget is not None:
        check_budget(budget)
    ranked = [(rank_model(model, score), [model]) for model in models]
    if len(models) > 1:
        ranked.append((rank_pool(models), list(models)))
    real = None if outcomes is None else read_outcomes(outcomes, models)
    judged = PRIMARY_BUDGET if budget is None else budget
    return [
        Screening(ranking, of, budget, None if real is None else outcomes_answer(ranking, of, real, judged))
        for ranking, of in ranked
    ]


def check_budget(budget: float) -> None:
    """Refuse a budget outside (0, 1], or NaN."""
    if not 0 < budget <= 1:
        raise RecordsError(f"budget {budget:g} lies outside (0, 1]; give a share of the images such as 0.2")


def screen_answer(screening: Screening) -> Answer:
    """Return one ranking as the plain values that ``--json`` prints.

    Returns
    -------
    dict
        ``model`` (None if unnamed), ``n``, ``score``, ``budget``, ``selected`` (image ids), ``ranking`` and
        ``outcomes``.
    """
    ranking, budget = screening.ranking, screening.budget
    ids, risks = ranking.table["image_id"].tolist(), ranking.table["risk"].tolist()
    return {
        "model": None if ranking.model == UNNAMED else ranking.model,
        "n": len(ids),
        "score": ranking.score,
        "budget": budget,
        "selected": [] if budget is None else ids[: ranking.size(budget)],
        "ranking": [
            {"image_id": image, "rank": rank, "risk": risk}
            for rank, (image, risk) in enumerate(zip(ids, risks, strict=True), start=1)
        ],
        "outcomes": screening.outcomes,
    }


def ranking_table(screenings: Sequence[Screening]) -> pd.DataFrame:
    """Lay out rankings one below the other.

    Returns
    -------
    pandas.DataFrame
        ``rank``, ``image_id``, ``model`` (if there are several rankings), ``risk``, ``prediction``, ``confidence``,
        ``selected`` (``yes`` or ``no``, with a budget) and ``why``.
    """
    tables = []
    for screening in screenings:
        ranking, budget = screening.ranking, screening.budget
        table = ranking.table.copy()
        rank = np.arange(1, len(table) + 1)
        table.insert(0, "rank", rank)
        if len(screenings) > 1:
            table.insert(2, "model", ranking.model)
        if budget is not None:
            table.insert(len(table.columns) - 1, "selected", np.where(rank <= ranking.size(budget), "yes", "no"))
        tables.append(table)
    return pd.concat(tables, ignore_index=True)
