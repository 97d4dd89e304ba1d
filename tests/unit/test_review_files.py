"""What ``pairedeval review`` answers, prints and refuses."""

import json
from argparse import Namespace

import numpy as np
import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.own.readable_review import readable_review
from pairedeval.own.review import review_files

# Two strata of es, one of diverse: three, two and two sampled events.
STRATA = {"es/mild/low": 90, "es/severe/low": 10, "diverse/mild/high": 50}
SAMPLE = pd.DataFrame(
    {
        "event_id": list("abcdefg"),
        "source": ["es"] * 5 + ["diverse"] * 2,
        "condition": "l1-k01",
        "image_id": ["1", "1", "2", "3", "4", "1", "5"],
        "answer": "n01",
        "stratum": ["es/mild/low"] * 3 + ["es/severe/low"] * 2 + ["diverse/mild/high"] * 2,
        "inclusion_probability": [3 / 90] * 3 + [2 / 10] * 2 + [2 / 50] * 2,
    }
)
FIRST = dict(zip("abcdefg", ["correct", "correct", "wrong", "wrong", "partly", "correct", "cannot tell"], strict=True))
SECOND = FIRST | {"b": "wrong", "g": "wrong"}


def ratings(reviewer: str, given: dict[str, str], comment: str = "") -> pd.DataFrame:
    columns = {"event_id": list(given), "reviewer": reviewer, "rating": list(given.values()), "comment": comment}
    return pd.DataFrame(columns)


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Write the frames to files and ask as the command does."""
    monkeypatch.chdir(tmp_path)

    def ask(*given: pd.DataFrame, sample: pd.DataFrame = SAMPLE, decisions: pd.DataFrame | None = None):
        sample.to_csv("sample.csv", index=False)
        names = [f"ratings-{place}.csv" for place in range(1, len(given) + 1)]
        for name, frame in zip(names, given, strict=True):
            frame.to_csv(name, index=False)
        if decisions is not None:
            decisions.to_csv("decisions.csv", index=False)
        options = Namespace(
            sample="sample.csv", ratings=names, decisions=None if decisions is None else "decisions.csv", json=True
        )
        return review_files(options.sample, options.ratings, options.decisions)

    return ask


@pytest.fixture
def both(ask):
    return ask(ratings("ann", FIRST), ratings("bob", SECOND, comment='why, "so"'))


def test_the_sample_and_its_frame_are_counted(both):
    assert both["sample"] == {"events": 7, "strata": 3, "population": 150, "images": 5}
    sizes = [(domain["source"], domain["population"], domain["rated"]) for domain in both["estimates"]]
    assert sizes == [(None, 150, 7), ("diverse", 50, 2), ("es", 100, 5)]


def test_shares_weigh_events_by_their_strata(ask):
    answer = ask(ratings("ann", FIRST))
    shares = {domain["source"]: domain["shares"] for domain in answer["estimates"]}
    assert shares["es"]["correct"]["share"] == pytest.approx((90 * 2 / 3 + 10 * 0) / 100)
    assert shares["es"]["partly"]["share"] == pytest.approx(10 * 0.5 / 100)
    assert shares["diverse"]["cannot tell"]["share"] == pytest.approx(0.5)
    assert shares[None]["correct"]["share"] == pytest.approx((90 * 2 / 3 + 50 / 2) / 150)
    for domain in shares.values():
        assert sum(share["share"] for share in domain.values()) == pytest.approx(1)
        assert all(
            0 <= share["interval"][0] <= share["share"] <= share["interval"][1] <= 1 for share in domain.values()
        )


def test_agreement_and_disagreements(both):
    # By chance: correct 3/7 * 2/7, wrong 2/7 * 4/7, partly 1/7 * 1/7, cannot tell 1/7 * 0.
    chance = (6 + 8 + 1) / 49
    assert both["agreement"] == {
        "events": 7, "share": pytest.approx(5 / 7), "kappa": pytest.approx((5 / 7 - chance) / (1 - chance)),
    }  # fmt: skip
    assert both["disagreements"] == [
        {
            "event_id": "b", "ratings": {"ann": "correct", "bob": "wrong"},
            "comments": {"ann": "", "bob": 'why, "so"'},
        },
        {
            "event_id": "g", "ratings": {"ann": "cannot tell", "bob": "wrong"},
            "comments": {"ann": "", "bob": 'why, "so"'},
        },
    ]  # fmt: skip


def test_open_disagreements_count_half_and_say_what_they_can_change(both):
    correct = both["estimates"][0]["shares"]["correct"]
    assert correct["share"] == pytest.approx((90 * 1.5 / 3 + 25) / 150)
    assert correct["settled"] == pytest.approx([(90 / 3 + 25) / 150, (90 * 2 / 3 + 25) / 150])


def test_decisions_settle_disagreements(ask):
    decided = ratings("chair", {"b": "partly", "g": "wrong"})
    answer = ask(ratings("ann", FIRST), ratings("bob", SECOND), decisions=decided)
    assert answer["disagreements"] == []
    assert answer["agreement"]["share"] == pytest.approx(5 / 7)
    shares = answer["estimates"][0]["shares"]
    assert shares["correct"] == {
        "share": pytest.approx((90 / 3 + 25) / 150), "interval": shares["correct"]["interval"], "settled": None,
    }  # fmt: skip
    assert shares["partly"]["share"] == pytest.approx((90 / 3 + 10 / 2) / 150)


def test_one_decision_leaves_the_other_disagreement(ask):
    answer = ask(ratings("ann", FIRST), ratings("bob", SECOND), decisions=ratings("chair", {"b": "correct"}))
    assert [dispute["event_id"] for dispute in answer["disagreements"]] == ["g"]
    share = answer["estimates"][0]["shares"]["correct"]
    assert share["settled"] == pytest.approx([share["share"], share["share"]])


def test_missing_ratings_are_counted_and_rated_events_stand_for_their_stratum(ask):
    answer = ask(ratings("ann", {"c": "wrong", "a": "correct", "f": "correct"}), ratings("bob", {"f": "correct"}))
    assert [(counts["rated"], counts["missing"]) for counts in answer["reviewers"].values()] == [(3, 4), (1, 6)]
    assert answer["agreement"] == {"events": 1, "share": 1.0, "kappa": None}
    whole, _, es = answer["estimates"]
    assert (es["rated"], es["unrepresented"]) == (2, 10)
    assert es["shares"]["correct"]["share"] == pytest.approx(0.5)
    assert whole["shares"]["correct"]["share"] == pytest.approx((45 + 50) / 140)


def test_a_source_without_ratings_is_undefined(ask):
    answer = ask(ratings("ann", {"a": "correct"}))
    assert answer["estimates"][1]["shares"]["correct"] == {"share": None, "interval": None, "settled": None}
    assert "undefined" in readable_review(answer, "sample.csv")
    json.dumps(answer, allow_nan=False)


def test_ratings_of_a_spreadsheet_are_read(ask):
    frame = ratings("ann", {"b": " Correct", "a": "CANNOT TELL "}).drop(columns="comment")
    assert ask(frame)["reviewers"]["ann"]["cannot tell"] == 1


def test_the_answer_in_words(both):
    text = readable_review(both, "sample.csv")
    assert text.startswith("sample.csv: 7 of 150 events, 3 strata, 5 base images\n")
    assert "ann             3       1      2            1      7        0\n" in text
    assert "population" in text
    assert max(map(len, text.splitlines())) <= 100
    assert "b         correct      wrong\n" in text
    flat = " ".join(text.split())
    assert "46.7% are right in the eyes of the reviewers (95% interval" in flat
    assert "The reviewers agree on 71.4% of 7 events; Cohen's kappa is 0.59 (moderate)." in flat
    assert "Until 2 disagreements are settled, each reviewer counts half" in flat
    assert "between 36.7% and 56.7%" in flat
    assert "missing, so this is preliminary" not in flat


def test_words_for_one_reviewer_and_missing_ratings(ask):
    flat = " ".join(readable_review(ask(ratings("ann", {"a": "correct"})), "sample.csv").split())
    assert "There is one reviewer, so agreement is unknown." in flat
    assert "6 ratings are missing, so this is preliminary" in flat
    assert "60 events lie in strata without any rating and are left out." in flat


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rating": "good"}, r"row 1 \(event a\): the rating is none of correct, partly, wrong, cannot tell"),
        ({"rating": ""}, r"row 1 \(event a\): rating is empty; every row needs one"),
        ({"event_id": "z"}, r"row 1 \(event z\): the event is not in the sample"),
        ({"event_id": "b"}, r"row 2 \(event b\): the event stands twice; keep one rating"),
        ({"reviewer": "bob"}, r"row 2 \(event b\): the reviewer is another one; write one file a reviewer"),
    ],
)
def test_a_bad_row_is_named(ask, change, message):
    frame = ratings("ann", FIRST)
    for column, value in change.items():
        frame.loc[0, column] = value
    with pytest.raises(PairedEvalError, match=rf"^ratings-1\.csv: {message}") as caught:
        ask(frame)
    assert len(str(caught.value).splitlines()) == 1


def test_bad_files_are_named(ask, tmp_path):
    with pytest.raises(PairedEvalError, match=r"ratings-1\.csv: missing column rating; a rating file has event_id"):
        ask(ratings("ann", FIRST).drop(columns="rating"))
    with pytest.raises(PairedEvalError, match=r"ratings-1\.csv: no rows; rate at least one event"):
        ask(ratings("ann", FIRST).head(0))
    with pytest.raises(PairedEvalError, match=r"ratings-1\.csv, ratings-2\.csv: both are by ann"):
        ask(ratings("ann", FIRST), ratings("ann", SECOND))
    with pytest.raises(PairedEvalError, match=r"ratings-3\.csv: a third rating file"):
        ask(ratings("ann", FIRST), ratings("bob", SECOND), ratings("cy", SECOND))
    with pytest.raises(PairedEvalError, match=r"nowhere\.csv: no such file"):
        review_files(str(tmp_path / "sample.csv"), [str(tmp_path / "nowhere.csv")])
    with pytest.raises(
        PairedEvalError, match=r"decisions\.csv: row 1 \(event a\): the reviewers do not disagree on it"
    ):
        ask(ratings("ann", FIRST), ratings("bob", SECOND), decisions=ratings("chair", {"a": "wrong"}))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("inclusion_probability", 0, r"row 1 \(event a\): inclusion_probability is not in \(0, 1\]"),
        ("inclusion_probability", np.nan, r"row 1 \(event a\): inclusion_probability is not in \(0, 1\]"),
        ("inclusion_probability", 0.5, r"row 1 \(event a\): its stratum has more than one inclusion_probability"),
        ("source", "diverse", r"row 1 \(event a\): its stratum has more than one source"),
        ("event_id", "b", r"row 2 \(event b\): the event stands twice; keep one row"),
    ],
)
def test_a_bad_sample_is_named(ask, column, value, message):
    sample = SAMPLE.copy()
    sample.loc[0, column] = value
    with pytest.raises(PairedEvalError, match=rf"^sample\.csv: {message}"):
        ask(ratings("ann", FIRST), sample=sample)


def test_the_frame_behind_a_sample_comes_from_its_probabilities(ask):
    answer = ask(ratings("ann", FIRST))
    assert {domain["population"] for domain in answer["estimates"]} == {sum(STRATA.values()), 100, 50}
    # One over a rounded 1 / 93 lies below 93.
    thin = SAMPLE.iloc[[0, 3, 5]].assign(inclusion_probability=[1 / 93, 1 / 99, 1 / 105])
    answer = ask(ratings("ann", {"a": "correct"}), sample=thin)
    assert answer["sample"]["population"] == 93 + 99 + 105
