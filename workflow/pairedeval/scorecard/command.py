"""What ``pairedeval scorecard`` answers: whether a study agrees with the paper, as far as they can be compared."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pairedeval.errors import PairedEvalError
from pairedeval.files import read_metadata, read_table
from pairedeval.own.readable import aligned, conclusions, paragraph
from pairedeval.report.tables_scorecard import SCOPE_WORDS, scope_words
from pairedeval.scorecard.compare import DIFFERS, NOT_COMPUTED, VERDICTS, read_tolerances, tolerate
from pairedeval.scorecard.summary import ACCEPTED, failures, summarise_numbers

NUMBERS, COUNTS = ("scorecard/numbers.parquet", "scorecard/counts.parquet")
# Differing numbers that the readable answer lists; the file has all of them.
LISTED = 20


def scorecard_answer(folder: str | Path, tolerances: str | Path | None = None) -> dict[str, Any]:
    """Read the scorecard of a study.

    Parameters
    ----------
    folder
        Folder of the study, such as ``results/paper``.
    tolerances
        Accepted differences instead of those of the study's own run.

    Returns
    -------
    dict
        Plain values, ready for JSON: ``study``, ``scope``, ``published``, ``compared``, ``verdicts`` (number of each),
        ``accepted``, ``differing`` (numbers that differ and are not accepted), ``failing`` (counts that do not agree),
        ``counts`` (number of them), ``ok`` (nothing of either kind) and ``groups`` (rows of `summarise_numbers`).

    Raises
    ------
    PairedEvalError
        If the study has no scorecard.
    """
    root = Path(folder)
    if not (root / NUMBERS).is_file():
        raise PairedEvalError(f"{root / NUMBERS}: no such file; make it with 'snakemake --cores 1 scorecard'")
    facts, numbers, counts = read_metadata(root / NUMBERS), read_table(root / NUMBERS), read_table(root / COUNTS)
    if facts.get("scope") not in SCOPE_WORDS:
        raise PairedEvalError(f"{root / NUMBERS}: not a scorecard; make it again with 'snakemake --cores 1 scorecard'")
    if tolerances is not None:
        numbers = _with_tolerances(numbers, read_tolerances(tolerances))
    differing, failing = failures(numbers, counts)
    summary = summarise_numbers(numbers)
    whole = summary.iloc[-1]
    shown = ["group", "row", "column", "published", "printed", "difference"]
    return {
        "study": facts["study"],
        "scope": facts["scope"],
        "published": facts["published"],
        "compared": len(numbers),
        "verdicts": {verdict: int(whole[verdict]) for verdict in VERDICTS},
        "accepted": int(whole[ACCEPTED]),
        "differing": differing[shown].to_dict("records"),
        "counts": len(counts),
        "failing": [_count(row) for row in failing.to_dict("records")],
        "ok": differing.empty and failing.empty,
        "groups": summary.to_dict("records"),
    }


def scorecard_text(answer: dict[str, Any]) -> str:
    """Print an answer of `scorecard_answer` for people."""
    header = ["printed in", "numbers", *VERDICTS, ACCEPTED]
    rows = [[row["group"], *(f"{row[name]:,}" for name in ("numbers", *header[2:]))] for row in answer["groups"]]
    parts = [
        f"{answer['study']}: {answer['compared']:,} numbers and {answer['counts']:,} counts",
        paragraph(scope_words(answer["scope"], answer["compared"], answer["published"])),
        aligned(header, rows),
    ]
    if answer["differing"]:
        parts.append(_differing(answer["differing"]))
    if answer["failing"]:
        parts.append(_failing(answer["failing"]))
    return "\n\n".join([*parts, conclusions(_reading(answer))])


def _with_tolerances(numbers: pd.DataFrame, tolerances: pd.DataFrame) -> pd.DataFrame:
    found = tolerate(numbers, tolerances)
    reasons = found["reason"].where(found["verdict"] != DIFFERS, found["explanation"])
    return found.assign(reason=reasons).drop(columns="explanation")


def _count(row: Mapping[Any, Any]) -> dict[str, Any]:
    counted = None if pd.isna(row["counted"]) else int(row["counted"])
    return {"quantity": row["quantity"], "place": row["place"], "expected": int(row["expected"]), "counted": counted}


def _differing(numbers: list[dict[str, Any]]) -> str:
    rows = [
        [number["group"], number["row"], number["column"], number["published"], number["printed"]]
        for number in numbers[:LISTED]
    ]
    more = [f"... and {len(numbers) - LISTED:,} more"] * (len(numbers) > LISTED)
    header = ["printed in", "row", "column", "paper", "study"]
    return "\n".join(["Numbers that differ", aligned(header, rows, text_columns=3), *more])


def _failing(counts: list[dict[str, Any]]) -> str:
    rows = [
        [count["quantity"], f"{count['expected']:,}", "none" if count["counted"] is None else f"{count['counted']:,}"]
        for count in counts
    ]
    return "Counts that do not agree\n" + aligned(["count", "expected", "counted"], rows)


def _reading(answer: dict[str, Any]) -> list[str]:
    differing, failing = len(answer["differing"]), len(answer["failing"])
    sentences = [
        f"{differing:,} of {answer['compared']:,} compared numbers differ without an accepted cause."
        if differing
        else "No compared number differs without an accepted cause.",
        f"{failing:,} of {answer['counts']:,} counts do not agree with the shape of the study."
        if failing
        else f"All {answer['counts']:,} counts agree with the shape of the study.",
    ]
    absent = answer["verdicts"][NOT_COMPUTED]
    if absent:
        sentences.append(f"{absent:,} numbers are not computed; the column 'reason' of {NUMBERS} says why.")
    return sentences
