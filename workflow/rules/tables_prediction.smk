# Tables of the model-level prediction, in the layout of the paper.


rule table_42:
    input:
        feature_sets="<results>/analyses/prediction_feature_sets.parquet",
    output:
        report(
            "<results>/tables/table_42.csv",
            caption="../report/table_42.rst",
            category="Tables",
            labels={"table": "Table 42: feature sets"},
        ),
        "<results>/tables/table_42.md",
        "<results>/tables/table_42.tex",
        "<results>/tables/table_42.json",
    log:
        "<logs>/table_42.log",
    benchmark:
        "<benchmarks>/table_42.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_42"),
        simulated=SIMULATED,
    message:
        "Table 42: feature sets"
    script:
        "../scripts/table_42.py"


rule table_43:
    input:
        gains="<results>/analyses/prediction_gains.parquet",
    output:
        report(
            "<results>/tables/table_43.csv",
            caption="../report/table_43.rst",
            category="Tables",
            labels={"table": "Table 43: mild targets"},
        ),
        "<results>/tables/table_43.md",
        "<results>/tables/table_43.tex",
        "<results>/tables/table_43.json",
    log:
        "<logs>/table_43.log",
    benchmark:
        "<benchmarks>/table_43.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_43"),
        simulated=SIMULATED,
    message:
        "Table 43: prediction of mild targets from Syn"
    script:
        "../scripts/table_43.py"


rule table_44:
    input:
        gains="<results>/analyses/prediction_gains.parquet",
    output:
        report(
            "<results>/tables/table_44.csv",
            caption="../report/table_44.rst",
            category="Tables",
            labels={"table": "Table 44: all settings"},
        ),
        "<results>/tables/table_44.md",
        "<results>/tables/table_44.tex",
        "<results>/tables/table_44.json",
    log:
        "<logs>/table_44.log",
    benchmark:
        "<benchmarks>/table_44.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_44"),
        simulated=SIMULATED,
    message:
        "Table 44: prediction gains in all settings"
    script:
        "../scripts/table_44.py"


rule table_45:
    input:
        gains="<results>/analyses/prediction_gains.parquet",
    output:
        report(
            "<results>/tables/table_45.csv",
            caption="../report/table_45.rst",
            category="Tables",
            labels={"table": "Table 45: deletion refits"},
        ),
        "<results>/tables/table_45.md",
        "<results>/tables/table_45.tex",
        "<results>/tables/table_45.json",
    log:
        "<logs>/table_45.log",
    benchmark:
        "<benchmarks>/table_45.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_45"),
        simulated=SIMULATED,
    message:
        "Table 45: refits without single groups"
    script:
        "../scripts/table_45.py"


rule table_46:
    input:
        gains="<results>/analyses/prediction_gains.parquet",
    output:
        report(
            "<results>/tables/table_46.csv",
            caption="../report/table_46.rst",
            category="Tables",
            labels={"table": "Table 46: unpaired features"},
        ),
        "<results>/tables/table_46.md",
        "<results>/tables/table_46.tex",
        "<results>/tables/table_46.json",
    log:
        "<logs>/table_46.log",
    benchmark:
        "<benchmarks>/table_46.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_46"),
        simulated=SIMULATED,
    message:
        "Table 46: unpaired synthetic features"
    script:
        "../scripts/table_46.py"
