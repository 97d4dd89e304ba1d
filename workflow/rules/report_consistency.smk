# The page of the second part.


rule collect_consistency_timings:
    input:
        benchmarks=consistency_benchmarks(),
    output:
        "<results>/consistency/timings.parquet",
    log:
        "<logs>/collect_consistency_timings.log",
    benchmark:
        "<benchmarks>/collect_consistency_timings.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("collect_timings"),
    message:
        "Adding up what the jobs of the second part took"
    script:
        "../scripts/collect_timings.py"


rule report_consistency:
    input:
        results=collect("<results>/consistency/{name}.parquet", name=CONSISTENCY_PAGE_RESULTS),
        figures=collect("<results>/figures/{file}", file=CONSISTENCY_PAGE_FIGURES),
        tables=collect("<results>/tables/{table}.json", table=CONSISTENCY_TABLES),
    output:
        report(
            "<results>/consistency.html",
            caption="../report/consistency.rst",
            category="Report",
            labels={"page": "Decision consistency on one page"},
        ),
    log:
        "<logs>/report_consistency.log",
    benchmark:
        "<benchmarks>/report_consistency.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("report_consistency"),
        title=settings["title"],
        seed=settings["seed"],
    message:
        "Writing the page of the second part"
    script:
        "../scripts/report_consistency.py"
