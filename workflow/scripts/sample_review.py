"""Sampling frame, sample and assignment of the human review."""

from pairedeval.files import read_table, write_table
from pairedeval.review.events import persistent_events, read_answers
from pairedeval.review.frame import assign_reviewers, build_frame, count_strata, draw_sample, write_csv
from pairedeval.scripting import job

with job(snakemake):
    seed = snakemake.params.seed
    sources = [snakemake.input[source] for source in snakemake.params.captures]
    frame = build_frame(
        [persistent_events(read_answers(paths)) for paths in sources], read_table(snakemake.input.tiers), seed
    )
    sample = draw_sample(frame, snakemake.params.events)
    write_table(frame, snakemake.output.frame)
    write_table(count_strata(frame, sample), snakemake.output.strata)
    write_csv(sample, snakemake.output.sample)
    write_csv(assign_reviewers(sample, seed, snakemake.params.reviewers), snakemake.output.assignment)
