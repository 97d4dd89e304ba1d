"""Consistency of every run where confidence may mislead: corrupted and attacked images, unknown and rare classes."""

import pandas as pd

from pairedeval.consistency.attacks import measure_attacks
from pairedeval.consistency.estimators import estimate_accuracy
from pairedeval.consistency.margins import inequality_check
from pairedeval.consistency.priors import measure_priors, measure_recalls
from pairedeval.consistency.shift import measure_shift
from pairedeval.consistency.transfer import measure_transfer
from pairedeval.consistency.views import read_views
from pairedeval.consistency.withheld import measure_withheld
from pairedeval.files import write_table
from pairedeval.scripting import job

MEASURES = {
    "shift": (measure_shift, ["shifted"]),
    "transfer": (measure_transfer, ["shifted", "levels"]),
    "estimators": (estimate_accuracy, ["shifted", "levels"]),
    "attacks": (measure_attacks, ["attacked"]),
    "withheld": (measure_withheld, ["withheld"]),
    "priors": (measure_priors, ["rare", "natural"]),
    "recalls": (measure_recalls, ["rare", "natural"]),
}
CHECKED = ("levels", "shifted", "attacked", "rare", "withheld")

with job(snakemake):
    files = {kind: [read_views(path) for path in snakemake.input[kind]] for kind in CHECKED}
    trained_on_all = {views.metadata["model"]: views for views in files["levels"]}
    files["natural"] = [trained_on_all[views.metadata["model"]] for views in files["rare"]]
    for name, (measure, kinds) in MEASURES.items():
        frames = [measure(*views) for views in zip(*(files[kind] for kind in kinds), strict=True)]
        write_table(pd.concat(frames, ignore_index=True), snakemake.output[name])
    checks = [inequality_check(views) for kind in CHECKED for views in files[kind]]
    write_table(pd.concat(checks, ignore_index=True), snakemake.output.inequality)
