"""Page of one reviewer."""

import pandas as pd

from pairedeval.files import read_table
from pairedeval.review.page import write_page
from pairedeval.scripting import job

with job(snakemake):
    index = read_table(snakemake.input.index)
    write_page(
        snakemake.output[0],
        reviewer=snakemake.wildcards.reviewer,
        assignment=pd.read_csv(snakemake.input.assignment, dtype={"event_id": str}),
        sample=pd.read_csv(snakemake.input.sample, dtype=str),
        class_names=dict(zip(index["class_id"], index["class_name"], strict=True)),
        images=dict(zip(snakemake.params.captures, snakemake.input.images, strict=True)),
        study=snakemake.params.study,
        simulated=bool(snakemake.params.simulated),
    )
