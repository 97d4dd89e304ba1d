"""Published findings on decision consistency beside those of this study."""

from pairedeval.consistency.findings import compare_findings, read_findings
from pairedeval.files import read_table, write_table
from pairedeval.scripting import job

with job(snakemake):
    frames = {name: read_table(path) for name, path in snakemake.input.items() if name != "findings"}
    write_table(compare_findings(read_findings(snakemake.input.findings), frames), snakemake.output[0])
