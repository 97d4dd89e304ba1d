"""The layout of the tables on class priors (Tables C16 and C17).

No simulated captures take part.
"""

import pandas as pd

from pairedeval.consistency.prior_summaries import RECOVERED
from pairedeval.consistency.priors import ESTIMATED, NATURAL, NONE, RARE, REWEIGHTED, TRUE_PRIOR
from pairedeval.report.consistency_rows import NO_ENTRY, interval_of, number_column, runs_note, summary_values
from pairedeval.report.consistency_words import CLEAN_NOTE, QUANTITIES, RUNS_NOTE, counts_note, glossary
from pairedeval.report.names import MINUS, listed
from pairedeval.report.results import lookup, need_columns
from pairedeval.report.table import Column, Rows, Table

# Variant and method of each case, and how training and correction are printed.
CASES = {
    (NATURAL, NONE): ("all images", "none"),
    (RARE, NONE): ("rare classes", "none"),
    (RARE, TRUE_PRIOR): ("rare classes", "true prior"),
    (RARE, ESTIMATED): ("rare classes", "EM"),
    (RARE, REWEIGHTED): ("rare classes", "none, weighted"),
}
# Entries that do not exist: models trained on all images are corrected to no prior, and nothing is recovered without
# a correction.
_ABSENT = {(NATURAL, NONE, "rare_prior"), *((*case, RECOVERED) for case in ((NATURAL, NONE), (RARE, NONE)))}
_CORRECTIONS = (
    "True prior: posteriors of every view are corrected to the class shares of the evaluation images. EM: to the "
    "shares that expectation maximisation estimates from the original views of these images, without labels."
)


def table_consistency_priors(prior_summary: pd.DataFrame) -> Table:
    """Lay out accuracy, consistency and their gap under corrections of the class prior (Table C16).

    Parameters
    ----------
    prior_summary
        Result of `consistency.prior_summaries.summarise_priors`.
    """
    name = "table_consistency_priors"
    value = summary_values(prior_summary, ("variant", "method"), name)
    printed = {
        "accuracy": number_column("accuracy", "Accuracy"),
        "stability": number_column("ls", "LS"),
        "consistency": number_column("cs", "CS"),
        "gap": number_column("cag", "CAG", interval=True, signed=True),
        RECOVERED: number_column("cag_recovered", "Recovered", interval=True),
        "rare_recall": number_column("rare_recall", "recall", "Rare classes", interval=True),
        "rare_stability": number_column("rare_ls", "LS", "Rare classes"),
        "rare_prior": number_column("rare_prior", "prior", "Rare classes"),
    }

    def entry(case: tuple[str, str], quantity: str, column: Column) -> str | float | tuple[float, float, float]:
        key = (*case, quantity)
        if key in _ABSENT:
            return NO_ENTRY
        return interval_of(value, *key) if column.kind == "interval" else value("mean", *key)

    rows: Rows = tuple(
        (*words, *(entry(case, quantity, column) for quantity, column in printed.items()))
        for case, words in CASES.items()
    )
    notes = (
        f"{CLEAN_NOTE} Training: on all images, or with few images of some classes, the rare ones. {_CORRECTIONS} "
        "Weighted: images count as if they had the class shares of the training images.",
        glossary("LS", "CS", "CAG"),
        f"Recovered: 1 {MINUS} mean CAG over that of models with rare classes and no correction, in the same draws. "
        "Rare classes: recall and LS on their images, and their share in the prior that the posteriors belong to.",
        runs_note(prior_summary[prior_summary["quantity"] == "gap"]),
        RUNS_NOTE,
    )
    title = "Accuracy, consistency and their gap with rare training classes, by correction of the class prior."
    columns = (Column("training", "Training"), Column("correction", "Correction"), *printed.values())
    return Table(name, "Table C16", title, columns, rows, notes)


def table_consistency_recalls(recall_summary: pd.DataFrame) -> Table:
    """Lay out recall and label stability in each class, by training and correction (Table C17).

    Parameters
    ----------
    recall_summary
        Result of `consistency.prior_summaries.summarise_recalls`.
    """
    name = "table_consistency_recalls"
    measures = {"recall": "Recall", "stability": "LS"}
    needed = ("variant", "method", "class", "rare", "images", "configurations", "runs", "undefined", *measures)
    need_columns(recall_summary, needed, name)
    cases = {case: words for case, words in CASES.items() if REWEIGHTED not in case}
    value = lookup(recall_summary, ["variant", "method", "class"])
    columns = [Column("class", "Class"), Column("rare", "Rare"), Column("images", "Images", "count")]
    columns += [
        number_column(f"{'_'.join(case)}_{measure}", _short(case), header)
        for measure, header in measures.items()
        for case in cases
    ]
    classes = recall_summary.drop_duplicates("class").to_dict("records")
    rows: Rows = tuple(
        (
            row["class"],
            "yes" if row["rare"] else "no",
            int(row["images"]),
            *(value(measure, *case, row["class"]) for measure in measures for case in cases),
        )
        for row in classes
    )
    first = recall_summary.iloc[0]
    rare = listed(row["class"] for row in classes if row["rare"])
    notes = (
        f"{CLEAN_NOTE} All images: models trained on all images. The others were trained with few images of {rare}: "
        "uncorrected, or with a correction of the class prior.",
        f"{_CORRECTIONS} LS: {QUANTITIES['LS']}, on the images of the class.",
        counts_note(int(first["configurations"]), int(first["runs"])),
    )
    title = "Recall and label stability of each class with rare training classes, by correction of the class prior."
    return Table(name, "Table C17", title, tuple(columns), rows, notes)


def _short(case: tuple[str, str]) -> str:
    training, correction = CASES[case]
    if case == (NATURAL, NONE):
        return training
    return "uncorrected" if case == (RARE, NONE) else correction
