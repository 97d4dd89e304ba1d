"""Table C8: the no-flip certificate."""

from pathlib import Path

from pairedeval.files import read_table
from pairedeval.report.render import write_all
from pairedeval.report.tables_consistency_margin import table_consistency_certificate
from pairedeval.scripting import job

with job(snakemake):
    table = table_consistency_certificate(
        read_table(snakemake.input.certificate_summary),
        read_table(snakemake.input.inequality_summary),
    )
    write_all(table, Path(snakemake.output[0]).with_suffix(""))
