"""Clean predictions that ImageNet-Mistakes has reviewed."""

import pandas as pd

from pairedeval.files import write_table
from pairedeval.labels.imagenet import read_synsets
from pairedeval.labels.mistakes import clean_predictions, count_matches, match_mistakes, read_mistakes
from pairedeval.scripting import job

with job(snakemake):
    synsets = read_synsets(snakemake.input.synsets)
    mistakes = pd.concat([read_mistakes(path, synsets) for path in snakemake.input.mistakes], ignore_index=True)
    matches = match_mistakes(clean_predictions(snakemake.input.records), mistakes)
    write_table(matches, snakemake.output.matches)
    write_table(count_matches(matches), snakemake.output.counts)
