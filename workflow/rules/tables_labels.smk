# Tables of label sensitivity and shared errors, in the layout of the paper.


rule table_47:
    input:
        labels="<results>/analyses/labels.parquet",
        changes="<results>/analyses/label_changes.parquet",
    output:
        report(
            "<results>/tables/table_47.csv",
            caption="../report/table_47.rst",
            category="Tables",
            labels={"table": "Table 47: two kinds of labels"},
        ),
        "<results>/tables/table_47.md",
        "<results>/tables/table_47.tex",
        "<results>/tables/table_47.json",
    log:
        "<logs>/table_47.log",
    benchmark:
        "<benchmarks>/table_47.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_47"),
        simulated=SIMULATED,
    message:
        "Table 47: accuracy under two kinds of labels"
    script:
        "../scripts/table_47.py"


rule table_48:
    input:
        labels="<results>/analyses/labels.parquet",
        changes="<results>/analyses/label_changes.parquet",
    output:
        report(
            "<results>/tables/table_48.csv",
            caption="../report/table_48.rst",
            category="Tables",
            labels={"table": "Table 48: states under labels"},
        ),
        "<results>/tables/table_48.md",
        "<results>/tables/table_48.tex",
        "<results>/tables/table_48.json",
    log:
        "<logs>/table_48.log",
    benchmark:
        "<benchmarks>/table_48.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_48"),
        simulated=SIMULATED,
    message:
        "Table 48: response states under two kinds of labels"
    script:
        "../scripts/table_48.py"


rule table_49:
    input:
        consensus="<results>/analyses/consensus.parquet",
    output:
        report(
            "<results>/tables/table_49.csv",
            caption="../report/table_49.rst",
            category="Tables",
            labels={"table": "Table 49: shared errors"},
        ),
        "<results>/tables/table_49.md",
        "<results>/tables/table_49.tex",
        "<results>/tables/table_49.json",
    log:
        "<logs>/table_49.log",
    benchmark:
        "<benchmarks>/table_49.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_49"),
        simulated=SIMULATED,
    message:
        "Table 49: persistence of shared errors"
    script:
        "../scripts/table_49.py"
