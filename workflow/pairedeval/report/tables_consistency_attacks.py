"""The layout of the tables on attacked images and on images of withheld classes (Tables C14 and C15).

No simulated captures take part.
"""

import pandas as pd

from pairedeval.consistency.attacks import ATTACK_COLUMNS, DISPLACEMENT
from pairedeval.report.consistency_rows import (
    NO_ENTRY,
    Value,
    interval_and_test,
    interval_of,
    number_column,
    runs_note,
    signed_rank_note,
    significance_columns,
    summary_values,
)
from pairedeval.report.consistency_words import RUNS_NOTE, SCORE_NAMES, auroc_column, legend
from pairedeval.report.names import MINUS, listed
from pairedeval.report.table import Column, Rows, Table
from pairedeval.report.table import Value as Entry

DETECTORS = ("msp", "margin", "stability", "consistency", DISPLACEMENT)
ERROR_SCORES = ("msp", "consistency")


def table_consistency_attacks(attack_summary: pd.DataFrame, success_summary: pd.DataFrame) -> Table:
    """Lay out what attacks achieve, and how scores tell attacked images and errors among them (Table C14).

    Parameters
    ----------
    attack_summary
        Result of `consistency.attacks.summarise_attacks`.
    success_summary
        Result of `consistency.attacks.summarise_success`.
    """
    name = "table_consistency_attacks"
    value = summary_values(attack_summary, (*ATTACK_COLUMNS, "score"), name, ("p_value", "wins"))
    success = summary_values(success_summary, ATTACK_COLUMNS, name)
    attacks = _attacks(attack_summary)
    rows: Rows = tuple(
        (
            _kind(attack[2]),
            *attack[1:],
            interval_of(success, *attack, "success"),
            success("mean", *attack, "changed"),
            *(value("mean", *attack, score, "detection_auroc") for score in DETECTORS),
            *interval_and_test(value, *attack, "consistency", "detection_minus_msp"),
            *(value("mean", *attack, score, "error_auroc") for score in ERROR_SCORES),
            interval_of(value, *attack, "consistency", "error_minus_msp"),
        )
        for attack in attacks
    )
    undefined = [
        f"{runs} of {_kind(attack[2]).lower()} {attack[1]:g}, weight {attack[2]:g}"
        for attack in attacks
        if (runs := int(value("undefined_runs", *attack, "consistency", "error_auroc")))
    ]
    notes = [
        "Budget: largest change of a pixel, in 255ths of full scale. A plain attack raises the loss of the true class; "
        "an adaptive one also keeps predictions under the operators stable, with the given weight. Attackers know "
        "the model and the operators, but not the noise that the defender draws.",
        "Success: share of the images right when clean whose prediction turns wrong. Changed: share of all images "
        "whose prediction changes.",
        "AUROC: chance that an attacked image is trusted less than a clean one, both versions of every image scored, "
        "or that an error among the attacked images is trusted less than a right prediction; ties one half.",
        legend(DETECTORS),
        runs_note(attack_summary),
        RUNS_NOTE,
        signed_rank_note(attack_summary),
    ]
    if undefined:
        notes.append(f"Runs without an AUROC of errors, as all attacked images share one outcome: {listed(undefined)}.")
    title = "Attacks on images, their detection by trust scores, and AUROC of errors among attacked images."
    return Table(name, "Table C14", title, _attack_columns(), rows, tuple(notes))


def table_consistency_withheld(withheld_summary: pd.DataFrame) -> Table:
    """Lay out how trust scores tell images of classes without training images (Table C15).

    Parameters
    ----------
    withheld_summary
        Result of `consistency.withheld.summarise_withheld`.
    """
    name = "table_consistency_withheld"
    value = summary_values(withheld_summary, ("score",), name, ("p_value", "wins"))
    group = f"Score {MINUS} MSP"
    columns = (
        Column("score", "Score"),
        auroc_column("auroc", "AUROC", interval=True),
        auroc_column("auroc_minus_msp", "AUROC", group, interval=True, difference=True),
        *significance_columns("minus_msp", group),
    )
    rows: Rows = tuple(
        (
            SCORE_NAMES[score].symbol,
            interval_of(value, score, "auroc"),
            *_compared(value, score),
        )
        for score in withheld_summary["score"].unique()
    )
    accuracy = value("mean", "msp", "accuracy")
    notes = (
        "Models trained without the images of some classes. AUROC: chance that an evaluation image of these classes is "
        "trusted less than one of the other classes, ties one half; predictions may be right or wrong. Accuracy on the "
        f"other classes: {accuracy:.3f}.",
        legend(withheld_summary["score"].unique()),
        runs_note(withheld_summary),
        RUNS_NOTE,
        signed_rank_note(withheld_summary),
    )
    title = "AUROC of trust scores that tell images of classes without training images from those of known ones."
    return Table(name, "Table C15", title, columns, rows, notes)


def _attack_columns() -> tuple[Column, ...]:
    detected, ranked = "AUROC, attacked against clean", "AUROC, errors among attacked"
    difference = f"CS {MINUS} MSP"
    return (
        Column("attack", "Attack"),
        Column("budget_255ths", "Budget", "count"),
        Column("stability_weight", "Weight", "number", decimals=1),
        number_column("success", "Success", interval=True),
        number_column("changed", "Changed"),
        *(auroc_column(f"detection_{SCORE_NAMES[s].key}", SCORE_NAMES[s].symbol, detected) for s in DETECTORS),
        auroc_column("detection_cs_minus_msp", "AUROC", f"{difference}, attacked", interval=True, difference=True),
        *significance_columns("detection", f"{difference}, attacked"),
        *(auroc_column(f"errors_{SCORE_NAMES[s].key}", SCORE_NAMES[s].symbol, ranked) for s in ERROR_SCORES),
        auroc_column("errors_cs_minus_msp", "AUROC", f"{difference}, errors", interval=True, difference=True),
    )


def _attacks(summary: pd.DataFrame) -> list[tuple[str, float, float]]:
    """Return the attacks of a summary, in its order."""
    return [*summary[[*ATTACK_COLUMNS]].drop_duplicates().itertuples(index=False, name=None)]


def _kind(stability_weight: float) -> str:
    return "Adaptive" if stability_weight else "Plain"


def _compared(value: Value, score: str) -> tuple[Entry, ...]:
    """Return the entries of a comparison with MSP, which itself has none."""
    return (NO_ENTRY,) * 3 if score == "msp" else interval_and_test(value, score, "minus_msp")
