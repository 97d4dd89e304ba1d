# The map of a study: workflow/rules holds the stations, in the order in which data flows through them.
#   snakemake --cores 2                                    the default study, config/digits.yaml
#   snakemake --cores 2 --configfile config/smoke.yaml     another study
#   snakemake --cores 2 table_06                           one table, and only what it needs
from snakemake.utils import min_version

min_version("9.20")


include: "workflow/rules/common.smk"


pathvars:
    results=RESULTS,
    logs=f"{RESULTS}/logs",
    benchmarks=f"{RESULTS}/benchmarks",
    resources=RESOURCES,


wildcard_constraints:
    source="|".join(SOURCES),
    model="|".join(map(re.escape, MODELS)),
    image_set="|".join(IMAGE_SETS),


report: "workflow/report/study.rst"


include: f"workflow/rules/sources_{KIND}.smk"


if KIND != "rehearsal":

    include: "workflow/rules/perturb.smk"
    include: "workflow/rules/inference.smk"


include: "workflow/rules/records.smk"
include: "workflow/rules/identification.smk"
include: "workflow/rules/correspondence.smk"
include: "workflow/rules/policies.smk"
include: "workflow/rules/screening.smk"
include: "workflow/rules/prediction.smk"
include: "workflow/rules/labels.smk"
include: "workflow/rules/selective.smk"
include: "workflow/rules/review.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/tables_correspondence.smk"
include: "workflow/rules/tables_policies.smk"
include: "workflow/rules/tables_screening.smk"
include: "workflow/rules/tables_probes.smk"
include: "workflow/rules/tables_prediction.smk"
include: "workflow/rules/tables_labels.smk"
include: "workflow/rules/tables_selective.smk"
include: "workflow/rules/scorecard.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/figures_screening.smk"
include: "workflow/rules/figures_prediction.smk"
include: "workflow/rules/report.smk"


if CONSISTENT:

    include: "workflow/rules/consistency.smk"
    include: "workflow/rules/tables_consistency.smk"
    include: "workflow/rules/figures_consistency.smk"
    include: "workflow/rules/report_consistency.smk"


# A second or two each, on small tables: not worth a place in the queue of a cluster.
workflow.localrules(*TABLES, *FIGURES, "collect_timings", "report")
if CONSISTENT:
    workflow.localrules(*CONSISTENCY_TABLES, *CONSISTENCY_FIGURES, "collect_consistency_timings", "report_consistency")


rule images:
    input:
        collect("<results>/images/{name}", name=IMAGE_FILES),
        [] if KIND == "rehearsal" else capture_images(None),
    localrule: True
    message:
        "All images are there"


rule models:
    input:
        collect("<results>/models/{model}.{suffix}", model=MODELS, suffix=MODEL_FILES),
    localrule: True
    message:
        "All models are there"


rule records:
    input:
        collect("<results>/records/{source}/{model}.parquet", source=SOURCES, model=MODELS),
        collect("<results>/probes/{model}.npz", model=MODELS),
    localrule: True
    message:
        "All records are there"


rule analyses:
    input:
        collect("<results>/analyses/{part}/{source}.parquet", part=SOURCE_ANALYSES, source=SOURCES),
        collect("<results>/analyses/{part}/{source}.parquet", part=CAPTURE_ANALYSES, source=CAPTURES),
        collect("<results>/analyses/{name}.parquet", name=ANALYSES),
        collect("<results>/analyses/response_summaries/{source}.parquet", source=SYNTHETIC),
    localrule: True
    message:
        "All analyses are there"


rule review:
    input:
        collect("<results>/review/{reviewer}.html", reviewer=REVIEWERS),
    localrule: True
    message:
        "The pages for the review are there"


rule tables:
    input:
        collect("<results>/tables/{table}.{suffix}", table=TABLES, suffix=["csv", "md", "tex", "json"]),
    localrule: True
    message:
        "All tables are there"


rule figures:
    input:
        collect("<results>/figures/{figure}.{suffix}", figure=FIGURES, suffix=["pdf", "svg", "png"]),
    localrule: True
    message:
        "All figures are there"


if CONSISTENT:

    rule consistency:
        input:
            "<results>/consistency.html",
            collect("<results>/tables/{table}.{suffix}", table=CONSISTENCY_TABLES, suffix=["csv", "md", "tex", "json"]),
            collect("<results>/figures/{figure}.{suffix}", figure=CONSISTENCY_FIGURES, suffix=["pdf", "svg", "png"]),
        localrule: True
        message:
            "The second part is complete"


rule all:
    default_target: True
    input:
        "<results>/report.html",
        rules.images.input,
        rules.models.input,
        rules.records.input,
        rules.analyses.input,
        rules.review.input,
        rules.tables.input,
        rules.figures.input,
    localrule: True
    message:
        "The study is complete"
