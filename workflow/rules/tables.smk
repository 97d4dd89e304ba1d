# Tables in the layout of the paper: CSV, Markdown and LaTeX, from tidy results.


rule table_06:
    input:
        widths="<results>/analyses/widths.parquet",
    output:
        report(
            "<results>/tables/table_06.csv",
            caption="../report/table_06.rst",
            category="Tables",
            labels={"table": "Table 6: mean widths, full grid"},
        ),
        "<results>/tables/table_06.md",
        "<results>/tables/table_06.tex",
        "<results>/tables/table_06.json",
    log:
        "<logs>/table_06.log",
    benchmark:
        "<benchmarks>/table_06.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("table_06"),
        simulated=SIMULATED,
    message:
        "Table 6: mean widths on the full grid"
    script:
        "../scripts/table_06.py"


rule table_07:
    input:
        widths="<results>/analyses/panel_widths.parquet",
    output:
        report(
            "<results>/tables/table_07.csv",
            caption="../report/table_07.rst",
            category="Tables",
            labels={"table": "Table 7: widths of H, panel"},
        ),
        "<results>/tables/table_07.md",
        "<results>/tables/table_07.tex",
        "<results>/tables/table_07.json",
    log:
        "<logs>/table_07.log",
    benchmark:
        "<benchmarks>/table_07.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("table_07"),
        simulated=SIMULATED,
    message:
        "Table 7: widths of H in the panel"
    script:
        "../scripts/table_07.py"


rule table_models:
    input:
        models="<results>/analyses/models.parquet",
        accuracy="<results>/analyses/accuracy.parquet",
    output:
        report(
            "<results>/tables/table_models.csv",
            caption="../report/table_models.rst",
            category="Tables",
            labels={"table": "Models and their clean accuracy"},
        ),
        "<results>/tables/table_models.md",
        "<results>/tables/table_models.tex",
        "<results>/tables/table_models.json",
    log:
        "<logs>/table_models.log",
    benchmark:
        "<benchmarks>/table_models.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("table_models"),
        simulated=SIMULATED,
    message:
        "Table of the models"
    script:
        "../scripts/table_models.py"


rule table_sources:
    input:
        sources="<results>/analyses/sources.parquet",
    output:
        report(
            "<results>/tables/table_sources.csv",
            caption="../report/table_sources.rst",
            category="Tables",
            labels={"table": "Extent of the sources"},
        ),
        "<results>/tables/table_sources.md",
        "<results>/tables/table_sources.tex",
        "<results>/tables/table_sources.json",
    log:
        "<logs>/table_sources.log",
    benchmark:
        "<benchmarks>/table_sources.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("table_sources"),
        simulated=SIMULATED,
    message:
        "Table of the sources"
    script:
        "../scripts/table_sources.py"


rule table_tiers:
    input:
        tiers="<results>/analyses/tiers.parquet",
    output:
        report(
            "<results>/tables/table_tiers.csv",
            caption="../report/table_tiers.rst",
            category="Tables",
            labels={"table": "Conditions per tier"},
        ),
        "<results>/tables/table_tiers.md",
        "<results>/tables/table_tiers.tex",
        "<results>/tables/table_tiers.json",
    log:
        "<logs>/table_tiers.log",
    benchmark:
        "<benchmarks>/table_tiers.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("table_tiers"),
        simulated=SIMULATED,
        tiers=settings["tiers"],
    message:
        "Table of the tiers"
    script:
        "../scripts/table_tiers.py"


rule table_41:
    input:
        models="<results>/analyses/models.parquet",
    output:
        report(
            "<results>/tables/table_41.csv",
            caption="../report/table_41.rst",
            category="Tables",
            labels={"table": "Table 41: model pool"},
        ),
        "<results>/tables/table_41.md",
        "<results>/tables/table_41.tex",
        "<results>/tables/table_41.json",
    log:
        "<logs>/table_41.log",
    benchmark:
        "<benchmarks>/table_41.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_41"),
        simulated=SIMULATED,
    message:
        "Table 41: the model pool"
    script:
        "../scripts/table_41.py"
