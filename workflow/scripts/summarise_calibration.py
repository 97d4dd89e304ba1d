"""Mean acceptance events of raw and calibrated confidences."""

import pandas as pd

from pairedeval.files import read_table, write_table
from pairedeval.identification.calibration import summarise_calibration
from pairedeval.scripting import job

with job(snakemake):
    events = pd.concat([read_table(path) for path in snakemake.input.events], ignore_index=True)
    write_table(summarise_calibration(events), snakemake.output[0])
