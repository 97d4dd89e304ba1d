"""Five-state widths of the panel on all evaluation records and on samples of matched support."""

from pairedeval.files import read_table, write_table
from pairedeval.identification.matched_support import evaluation_images, match_support, select_matched
from pairedeval.identification.support_summaries import summarise_strata, summarise_support
from pairedeval.scripting import job

with job(snakemake):
    records, params = snakemake.input.records, snakemake.params
    matched = select_matched(evaluation_images(records), params.seeds)
    cells = match_support(records, read_table(snakemake.input.panel), matched, params.coverage)
    write_table(cells, snakemake.output.cells)
    write_table(summarise_support(cells), snakemake.output.support)
    write_table(summarise_strata(cells), snakemake.output.strata)
