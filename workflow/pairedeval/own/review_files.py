"""The files of a human review: the drawn sample and what reviewers said (Appendix J.3)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pairedeval.errors import RecordsError
from pairedeval.own.predictions import as_numbers, as_text, read_plain, refuse_row, require_columns
from pairedeval.review.frame import SAMPLE_COLUMNS
from pairedeval.review.ratings import RATING_COLUMNS, RATINGS

_NEEDED = RATING_COLUMNS[:3]  # the comment may be left out
_EVENT = "event_id"


def read_sample(path: str) -> pd.DataFrame:
    """Read the sample that the reviewers judge.

    Returns
    -------
    pandas.DataFrame
        `SAMPLE_COLUMNS` and ``population``, the number of events of the frame in the event's stratum.

    Raises
    ------
    RecordsError
        If a column is missing, an event stands twice, or a stratum has no single source and inclusion probability.
    """
    found = read_plain(path)
    require_columns(found, SAMPLE_COLUMNS, path, "a sample has", "draw the sample again")
    sample = as_text(found, list(SAMPLE_COLUMNS[:-1]), path, _EVENT)
    probability = as_numbers(found["inclusion_probability"])
    # Not "outside": NaN fails the comparison as well.
    refuse_row(
        sample, ~((probability > 0) & (probability <= 1)), path, "inclusion_probability is not in (0, 1]", _EVENT
    )
    refuse_row(sample, sample[_EVENT].duplicated().to_numpy(), path, "the event stands twice; keep one row", _EVENT)
    sample["inclusion_probability"] = probability
    grouped = sample.groupby("stratum")
    for column in ("source", "inclusion_probability"):
        varies = (grouped[column].transform("nunique") > 1).to_numpy()
        refuse_row(sample, varies, path, f"its stratum has more than one {column}; draw the sample again", _EVENT)
    return sample.assign(population=(grouped[_EVENT].transform("size") / probability).round().astype(int))


def read_ratings(path: str, sample: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """Read the ratings of one reviewer.

    Parameters
    ----------
    path
        CSV file with ``event_id``, ``reviewer``, ``rating`` and, if there are any, ``comment``; the order of the rows
        has no meaning, and events may be missing.
    sample
        Result of `read_sample`.

    Returns
    -------
    reviewer, ratings
        Name of the reviewer, and columns ``rating`` and ``comment`` by event id.

    Raises
    ------
    RecordsError
        If a row cannot be used: unknown event or rating, an event twice, a second reviewer.
    """
    found = read_plain(path)
    require_columns(found, _NEEDED, path, "a rating file has", "rate at least one event")
    ratings = as_text(found, list(_NEEDED), path, _EVENT)
    ratings["rating"] = ratings["rating"].str.strip().str.lower()
    broken = {
        "the event is not in the sample; hand in the ratings of this sample": ~ratings[_EVENT].isin(sample[_EVENT]),
        "the event stands twice; keep one rating": ratings[_EVENT].duplicated(),
        f"the rating is none of {', '.join(RATINGS)}": ~ratings["rating"].isin(RATINGS),
        "the reviewer is another one; write one file a reviewer": ratings["reviewer"] != ratings["reviewer"].iloc[0],
    }
    for reason, rows in broken.items():
        refuse_row(ratings, rows.to_numpy(), path, reason, _EVENT)
    ratings["comment"] = found["comment"].to_numpy() if "comment" in found else ""
    return str(ratings["reviewer"].iloc[0]), ratings.set_index(_EVENT)[["rating", "comment"]]


def read_reviewers(paths: Sequence[str], sample: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Read one or two rating files; return the ratings by reviewer.

    Raises
    ------
    RecordsError
        If there are more files, or both name the same reviewer.
    """
    if len(paths) > 2:
        raise RecordsError(f"{paths[2]}: a third rating file; give one or two, and decisions on them with --decisions")
    read = [read_ratings(path, sample) for path in paths]
    reviewers = dict(read)
    if len(reviewers) < len(read):
        raise RecordsError(
            f"{paths[0]}, {paths[1]}: both are by {read[0][0]}; give the files of two reviewers, or one of them"
        )
    return reviewers


def read_decisions(path: str, sample: pd.DataFrame, disputed: np.ndarray) -> "pd.Series[str]":
    """Read decisions on disagreements: a rating file whose ratings replace those of the reviewers.

    Parameters
    ----------
    path
        As for `read_ratings`.
    sample
        Result of `read_sample`.
    disputed
        Ids of the events on which the reviewers disagree.

    Returns
    -------
    pandas.Series
        Rating by event id.

    Raises
    ------
    RecordsError
        If a row cannot be used, or there is nothing to decide about its event.
    """
    decided = read_ratings(path, sample)[1]["rating"]
    settled = ~decided.index.isin(disputed)
    refuse_row(decided.reset_index(), settled, path, "the reviewers do not disagree on it; leave it out", _EVENT)
    return decided
