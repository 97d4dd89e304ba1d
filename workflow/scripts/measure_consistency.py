"""Consistency of every run on clean images, and what it says about errors."""

import pandas as pd

from pairedeval.consistency.certificate import measure_certificate
from pairedeval.consistency.cost import measure_cost
from pairedeval.consistency.detection import measure_detection
from pairedeval.consistency.flip_bounds import measure_flip_bounds
from pairedeval.consistency.margin_information import measure_margin_information
from pairedeval.consistency.operator_subsets import measure_subsets
from pairedeval.consistency.operators import measure_operators
from pairedeval.consistency.reference import measure_models
from pairedeval.consistency.strength import measure_strength, measure_weights
from pairedeval.consistency.views import read_views
from pairedeval.files import write_table
from pairedeval.scripting import job

MEASURES = {
    "models": measure_models,
    "detection": measure_detection,
    "strength": measure_strength,
    "weights": measure_weights,
    "subsets": measure_subsets,
    "operators": measure_operators,
    "margin_information": measure_margin_information,
    "certificate": measure_certificate,
    "flip_bounds": measure_flip_bounds,
    "cost": measure_cost,
}

with job(snakemake):
    configurations = [read_views(path) for path in snakemake.input.levels]
    for name, measure in MEASURES.items():
        frames = [measure(views) for views in configurations]
        write_table(pd.concat(frames, ignore_index=True), snakemake.output[name])
