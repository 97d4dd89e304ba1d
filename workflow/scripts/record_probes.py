"""Records of one model on the corrupted base images, from its probe outputs."""

from pairedeval.inference.store import records_from_probes
from pairedeval.perturb.conditions import PRIMARY, read_corruptions
from pairedeval.probes import read_probes
from pairedeval.records import CLEAN
from pairedeval.scripting import job

with job(snakemake):
    corruptions = read_corruptions(snakemake.input.conditions)
    primary = [corruption.condition for corruption in corruptions if corruption.pool == PRIMARY]
    records_from_probes(
        read_probes(snakemake.input.probes),
        [CLEAN, *primary],
        snakemake.output[0],
        {"source": "syn_b"},
    )
