"""The panel of cells, chosen by order alone."""

from pairedeval.files import read_table, write_table
from pairedeval.panel import frozen_panel, strata_of
from pairedeval.scripting import job

with job(snakemake):
    strata = strata_of(read_table(snakemake.input.tiers))
    write_table(frozen_panel(snakemake.params.models, strata), snakemake.output[0])
