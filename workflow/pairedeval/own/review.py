"""``pairedeval review``: what a sample of reviewed events says about all of them (Appendix J.3)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pairedeval.own.answers import Answer
from pairedeval.own.review_files import read_decisions, read_reviewers, read_sample
from pairedeval.review.estimate import RatedEvents, Share, estimate_share
from pairedeval.review.ratings import RATINGS, cohens_kappa


def review_files(sample: str, ratings: Sequence[str], decisions: str | None = None) -> Answer:
    """Answer what reviewers said, where they disagree, and what follows for all events of the frame.

    Parameters
    ----------
    sample
        ``sample.csv`` as drawn.
    ratings
        One or two rating files.
    decisions
        Rating file that settles disagreements.

    Returns
    -------
    dict
        As `review_answer`.

    Raises
    ------
    RecordsError
        If a file cannot be used.
    """
    events = read_sample(sample)
    reviewers = read_reviewers(ratings, events)
    if decisions is None:
        return review_answer(events, reviewers)
    disputed = np.array([dispute["event_id"] for dispute in disagreements(events, reviewers)])
    return review_answer(events, reviewers, read_decisions(decisions, events, disputed))


def review_answer(
    sample: pd.DataFrame,
    reviewers: Mapping[str, pd.DataFrame],
    decisions: "pd.Series[str] | None" = None,
) -> Answer:
    """Answer from checked tables.

    Parameters
    ----------
    sample
        Result of `pairedeval.own.review_files.read_sample`.
    reviewers
        Ratings by reviewer, see `pairedeval.own.review_files.read_reviewers`.
    decisions
        Ratings that settle disagreements, by event id.

    Returns
    -------
    dict
        ``sample`` (``events``, ``strata``, ``population``, ``images``); ``reviewers``: per name the number of each
        rating, ``rated`` and ``missing``; ``agreement`` of two reviewers on the events that both rated (``events``,
        ``share``, ``kappa``), None for one; ``disagreements`` without a decision; ``estimates``: for all events (source
        None) and each source ``population``, ``events``, ``rated``, ``images`` (of the rated events),
        ``unrepresented`` (events in strata without any rating, left out), and ``shares``. A share of a rating has
        ``share``, a 95% ``interval`` and ``settled``: between which values decisions in favour of one reviewer or the
        other can move it, None without open disagreements. What is undefined is None.
    """
    said = pd.DataFrame({name: given["rating"].reindex(sample["event_id"]) for name, given in reviewers.items()})
    open_disputes = disagreements(sample, reviewers, decisions)
    if decisions is not None:
        # A decision is the rating of every reviewer from then on.
        said = said.apply(lambda given: decisions.reindex(said.index).fillna(given))
    disputed = {dispute["event_id"] for dispute in open_disputes}
    domains: list[str | None] = [None, *sorted(sample["source"].unique())]
    return {
        "sample": {
            "events": len(sample),
            "strata": int(sample["stratum"].nunique()),
            "population": int(_populations(sample).sum()),
            "images": int(sample["image_id"].nunique()),
        },
        "reviewers": {name: _counts(given["rating"], len(sample)) for name, given in reviewers.items()},
        "agreement": _agreement(reviewers),
        "disagreements": open_disputes,
        "estimates": [_domain(sample, said, disputed, source) for source in domains],
    }


def disagreements(
    sample: pd.DataFrame, reviewers: Mapping[str, pd.DataFrame], decisions: "pd.Series[str] | None" = None
) -> list[Answer]:
    """List the events that two reviewers rate differently and nobody has decided, in the order of the sample.

    Returns
    -------
    list of dict
        ``event_id``, ``ratings`` and ``comments`` (each by reviewer).
    """
    if len(reviewers) < 2:
        return []
    first, second = (given["rating"] for given in reviewers.values())
    both = first.index.intersection(second.index)
    differ = both[(first[both] != second[both]).to_numpy()]
    waiting = set(differ if decisions is None else differ.difference(decisions.index))
    return [
        {
            "event_id": event,
            "ratings": {name: str(given["rating"][event]) for name, given in reviewers.items()},
            "comments": {name: str(given["comment"][event]) for name, given in reviewers.items()},
        }
        for event in sample["event_id"]
        if event in waiting
    ]


def _counts(ratings: "pd.Series[str]", events: int) -> dict[str, int]:
    counts = ratings.value_counts()
    return {
        **{rating: int(counts.get(rating, 0)) for rating in RATINGS},
        "rated": len(ratings),
        "missing": events - len(ratings),
    }


def _agreement(reviewers: Mapping[str, pd.DataFrame]) -> Answer | None:
    if len(reviewers) < 2:
        return None
    first, second = (given["rating"] for given in reviewers.values())
    both = first.index.intersection(second.index)
    one, other = first[both].tolist(), second[both].tolist()
    share = float(np.mean([a == b for a, b in zip(one, other, strict=True)])) if one else np.nan
    return {"events": len(both), "share": _number(share), "kappa": _number(cohens_kappa(one, other))}


def _domain(sample: pd.DataFrame, said: pd.DataFrame, disputed: set[str], source: str | None) -> Answer:
    """Estimate the shares of all ratings in one source, or in all."""
    events = sample if source is None else sample[sample["source"] == source]
    given = said.loc[events["event_id"]]
    rated = given.notna().any(axis=1).to_numpy()
    chosen, given = events[rated], given[rated]
    stratum, names = pd.factorize(chosen["stratum"])
    populations = _populations(events)
    known = RatedEvents(stratum, pd.factorize(chosen["image_id"])[0], populations[names].to_numpy())
    settled = ~chosen["event_id"].isin(disputed).to_numpy()
    return {
        "source": source,
        "population": int(populations.sum()),
        "events": len(events),
        "rated": len(chosen),
        "images": int(chosen["image_id"].nunique()),
        "unrepresented": int(populations.sum() - populations[names].sum()),
        "shares": {rating: _share(known, given == rating, given.notna(), settled) for rating in RATINGS},
    }


def _share(events: RatedEvents, chosen: pd.DataFrame, given: pd.DataFrame, settled: np.ndarray) -> Answer:
    """Estimate the share of one rating; where reviewers differ, an event counts for the share of them who gave it."""
    scores = (chosen.sum(axis=1) / given.sum(axis=1)).to_numpy(dtype=float)
    found = estimate_share(events, scores)
    ends = None
    if not settled.all():
        least, most = (
            estimate_share(events, np.where(settled, scores, bound)).value
            for bound in (np.floor(scores), np.ceil(scores))
        )
        ends = [least, most]
    return {"share": _number(found.value), "interval": _interval(found), "settled": ends}


def _populations(events: pd.DataFrame) -> "pd.Series[int]":
    """Return the number of events of the frame in each stratum."""
    return events.groupby("stratum")["population"].first()


def _interval(share: Share) -> list[float] | None:
    return None if np.isnan(share.value) else [share.lower, share.upper]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
