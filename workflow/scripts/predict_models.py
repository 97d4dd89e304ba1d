"""Out-of-fold predictions of every feature set, and what their comparisons show."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.prediction.checks import lost_acceptance_checks, rank_correlations
from pairedeval.prediction.feature_sets import feature_set_table
from pairedeval.prediction.out_of_fold import predict_out_of_fold
from pairedeval.prediction.summaries import deletion_gains, model_gains, practical_thresholds, summarise_gains
from pairedeval.scripting import job

with job(snakemake):
    responses, targets, cells, bounds = (
        pd.concat([read_table(path) for path in paths], ignore_index=True)
        for paths in (
            snakemake.input.responses,
            snakemake.input.targets,
            snakemake.input.cells,
            snakemake.input.bounds,
        )
    )
    predictions = predict_out_of_fold(responses, targets)
    gains = model_gains(predictions)
    summary = summarise_gains(gains, targets, snakemake.params.seed)
    write_table(predictions, snakemake.output.predictions)
    write_table(summary, snakemake.output.gains)
    write_table(deletion_gains(gains), snakemake.output.deletions)
    write_table(practical_thresholds(summary), snakemake.output.thresholds)
    write_table(rank_correlations(responses, targets, cells), snakemake.output.correlations)
    write_table(lost_acceptance_checks(targets, cells, bounds), snakemake.output.checks)
    write_table(feature_set_table(), snakemake.output.feature_sets)
