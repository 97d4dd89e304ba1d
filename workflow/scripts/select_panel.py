"""The panel of cells: chosen by order alone, or given."""

from pairedeval.files import read_table, write_table
from pairedeval.panel import frozen_panel, read_panel, strata_of
from pairedeval.scripting import job

with job(snakemake):
    models, given = snakemake.params.models, snakemake.input.get("cells")
    strata = strata_of(read_table(snakemake.input.tiers))
    panel = read_panel(given, models, strata) if given else frozen_panel(models, strata, snakemake.params.extra_cells)
    write_table(panel, snakemake.output[0])
