# The report page, and what it says about the run itself.


rule collect_timings:
    input:
        benchmarks=benchmark_files(),
    output:
        "<results>/analyses/timings.parquet",
    log:
        "<logs>/collect_timings.log",
    benchmark:
        "<benchmarks>/collect_timings.tsv"
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
        "Adding up what the jobs took"
    script:
        "../scripts/collect_timings.py"


rule report:
    input:
        results=collect("<results>/analyses/{name}.parquet", name=PAGE_RESULTS),
        figures=collect("<results>/figures/{file}", file=PAGE_FIGURES),
        tables=collect("<results>/tables/{table}.json", table=TABLES),
    output:
        report(
            "<results>/report.html",
            caption="../report/study.rst",
            category="Report",
            labels={"page": "The study on one page"},
        ),
    log:
        "<logs>/report.log",
    benchmark:
        "<benchmarks>/report.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("report"),
        simulated=SIMULATED,
        title=settings["title"],
        seed=settings["seed"],
        coverage=settings["acceptance"]["coverage"],
        grid=settings["policies"]["grid"],
        label_changing=settings["probes"]["label_changing"],
        second_part="consistency.html" if CONSISTENT else None,
    message:
        "Writing the report page"
    script:
        "../scripts/report.py"
