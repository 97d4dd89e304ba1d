"""Figure 7: one base image under every family of perturbations."""

from pathlib import Path

import pandas as pd

from pairedeval.files import read_table
from pairedeval.report.figure_07 import figure_07
from pairedeval.report.pictures import picture_rows
from pairedeval.report.style import save_figure
from pairedeval.scripting import job

with job(snakemake):
    corruptions = pd.read_csv(snakemake.input.corruptions)
    transforms = pd.read_csv(snakemake.input.transforms)
    families = [
        (f"Corruptions, severity {severity}", list(rows["condition"]))
        for severity, rows in corruptions[corruptions["pool"] == "primary"].groupby("severity")
    ]
    families.append(("Natural transformations", list(transforms.loc[transforms["pool"] == "fixed", "condition"])))
    rows = picture_rows(
        index=read_table(snakemake.input.index),
        tiers=read_table(snakemake.input.tiers),
        base=snakemake.input.base,
        captures=dict(zip(snakemake.params.captures, snakemake.input.captures, strict=True)),
        families=families,
        simulated=snakemake.params.simulated,
    )
    save_figure(figure_07(rows), Path(snakemake.output[0]).with_suffix(""))
