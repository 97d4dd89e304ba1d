# The printed numbers of the paper beside those of the study, and counts that the shape of the study decides.


rule scorecard:
    input:
        results=[
            "<results>/images/index.parquet",
            collect(
                "<results>/records/{source}/{model}.parquet",
                source=SOURCES,
                model=MODELS,
            ),
            collect("<results>/analyses/responses/{model}.parquet", model=MODELS),
            collect(
                "<results>/analyses/{part}/{source}.parquet",
                part=SCORED_SOURCES,
                source=SOURCES,
            ),
            collect(
                "<results>/analyses/{part}/{source}.parquet",
                part=SCORED_CAPTURES,
                source=CAPTURES,
            ),
            collect("<results>/analyses/{name}.parquet", name=SCORED),
            "<results>/analyses/mistake_counts.parquet" if KIND == "imagenet" else [],
            collect(
                "<results>/review/{file}",
                file=["frame.parquet", "strata.parquet", "assignment.csv"],
            ),
            collect(
                "<results>/tables/{table}.json",
                table=[name for name in TABLES if name not in SCORE_TABLES],
            ),
        ],
        published=collect(
            "<resources>/published/{name}.csv",
            name=[
                "index",
                "models44",
                "text-figures",
                *(f"table{number:02}" for number in range(1, 50)),
            ],
        ),
        places="<resources>/scorecard/places.csv",
        tolerances="<resources>/scorecard/tolerances.csv",
        conditions=collect(
            "<resources>/conditions/{name}.csv",
            name=["corruptions", "transforms", "captures"],
        ),
    output:
        numbers="<results>/scorecard/numbers.parquet",
        counts="<results>/scorecard/counts.parquet",
        csv="<results>/scorecard/numbers.csv",
        page="<results>/scorecard/scorecard.md",
    log:
        "<logs>/scorecard.log",
    benchmark:
        "<benchmarks>/scorecard.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=100,
        runtime=20,
    params:
        code=code("scorecard"),
        settings={
            key: settings[key]
            for key in (
                "seed",
                "acceptance",
                "tiers",
                "policies",
                "matching",
                "review",
            )
        },
        scope=SCOPE,
        study=settings["study"],
        simulated=SIMULATED,
    message:
        "Comparing the study with the paper"
    script:
        "../scripts/scorecard.py"


rule table_scorecard:
    input:
        numbers="<results>/scorecard/numbers.parquet",
    output:
        report(
            "<results>/tables/table_scorecard.csv",
            caption="../report/table_scorecard.rst",
            category="Scorecard",
            labels={"table": "Printed numbers that agree"},
        ),
        "<results>/tables/table_scorecard.md",
        "<results>/tables/table_scorecard.tex",
        "<results>/tables/table_scorecard.json",
    log:
        "<logs>/table_scorecard.log",
    benchmark:
        "<benchmarks>/table_scorecard.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("table_scorecard"),
        simulated=SIMULATED,
    message:
        "Table of the scorecard"
    script:
        "../scripts/table_scorecard.py"


rule table_scorecard_counts:
    input:
        counts="<results>/scorecard/counts.parquet",
    output:
        report(
            "<results>/tables/table_scorecard_counts.csv",
            caption="../report/table_scorecard_counts.rst",
            category="Scorecard",
            labels={"table": "Counts by the shape of the study"},
        ),
        "<results>/tables/table_scorecard_counts.md",
        "<results>/tables/table_scorecard_counts.tex",
        "<results>/tables/table_scorecard_counts.json",
    log:
        "<logs>/table_scorecard_counts.log",
    benchmark:
        "<benchmarks>/table_scorecard_counts.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("table_scorecard_counts"),
        simulated=SIMULATED,
    message:
        "Table of the counts"
    script:
        "../scripts/table_scorecard_counts.py"


rule figure_scorecard:
    input:
        numbers="<results>/scorecard/numbers.parquet",
    output:
        "<results>/figures/figure_scorecard.pdf",
        "<results>/figures/figure_scorecard.svg",
        report(
            "<results>/figures/figure_scorecard.png",
            caption="../report/figure_scorecard.rst",
            category="Scorecard",
            labels={"figure": "Scorecard"},
        ),
    log:
        "<logs>/figure_scorecard.log",
    benchmark:
        "<benchmarks>/figure_scorecard.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_scorecard"),
        simulated=SIMULATED,
    message:
        "Figure of the scorecard"
    script:
        "../scripts/figure_scorecard.py"
