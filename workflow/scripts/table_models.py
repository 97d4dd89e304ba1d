"""The models and their accuracy on unperturbed images."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables import models_table
from pairedeval.scripting import job

with job(snakemake):
    table = models_table(
        read_table(snakemake.input.models), read_table(snakemake.input.accuracy), snakemake.params.simulated
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
