"""The printed numbers of the paper beside those of the study."""

from pathlib import Path

from pairedeval.files import write_table, write_text
from pairedeval.report.tables_scorecard import (
    scorecard_page,
    table_differences,
    table_scorecard,
    table_scorecard_counts,
)
from pairedeval.scorecard.card import score_study, write_csv
from pairedeval.scorecard.results import StudyResults
from pairedeval.scorecard.summary import summarise_numbers
from pairedeval.scripting import job

with job(snakemake):
    settings, scope = snakemake.params.settings, snakemake.params.scope
    resources = Path(snakemake.input.places).parents[1]
    folder = Path(snakemake.output.numbers).parents[1]
    card = score_study(StudyResults.of(folder, snakemake.input.results, resources), settings, scope)
    facts = {"study": snakemake.params.study, "scope": scope, "published": card.published}
    write_table(card.numbers, snakemake.output.numbers, facts)
    write_table(card.counts, snakemake.output.counts, facts)
    write_csv(card.numbers, snakemake.output.csv)
    simulated = snakemake.params.simulated
    tables = [
        table_scorecard(summarise_numbers(card.numbers), scope, card.published, simulated),
        table_scorecard_counts(card.counts, simulated),
        table_differences(card.numbers),
    ]
    write_text(scorecard_page(f"Scorecard of the study {snakemake.params.study}", tables), snakemake.output.page)
