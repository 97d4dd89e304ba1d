# Tables of the further checks of correspondence, in the layout of the paper.


rule table_08:
    input:
        support="<results>/analyses/support.parquet",
    output:
        report(
            "<results>/tables/table_08.csv",
            caption="../report/table_08.rst",
            category="Tables",
            labels={"table": "Table 8: matched support"},
        ),
        "<results>/tables/table_08.md",
        "<results>/tables/table_08.tex",
        "<results>/tables/table_08.json",
    log:
        "<logs>/table_08.log",
    benchmark:
        "<benchmarks>/table_08.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_08"),
        simulated=SIMULATED,
    message:
        "Table 8: matched support"
    script:
        "../scripts/table_08.py"


rule table_09:
    input:
        decomposition="<results>/analyses/decomposition.parquet",
    output:
        report(
            "<results>/tables/table_09.csv",
            caption="../report/table_09.rst",
            category="Tables",
            labels={"table": "Table 9: signed decomposition"},
        ),
        "<results>/tables/table_09.md",
        "<results>/tables/table_09.tex",
        "<results>/tables/table_09.json",
    log:
        "<logs>/table_09.log",
    benchmark:
        "<benchmarks>/table_09.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_09"),
        simulated=SIMULATED,
    message:
        "Table 9: signed decomposition"
    script:
        "../scripts/table_09.py"


rule table_10:
    input:
        variance="<results>/analyses/variance.parquet",
    output:
        report(
            "<results>/tables/table_10.csv",
            caption="../report/table_10.rst",
            category="Tables",
            labels={"table": "Table 10: variance ratios"},
        ),
        "<results>/tables/table_10.md",
        "<results>/tables/table_10.tex",
        "<results>/tables/table_10.json",
    log:
        "<logs>/table_10.log",
    benchmark:
        "<benchmarks>/table_10.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_10"),
        simulated=SIMULATED,
    message:
        "Table 10: variance ratios"
    script:
        "../scripts/table_10.py"


rule table_11:
    input:
        accuracy_only="<results>/analyses/accuracy_only.parquet",
    output:
        report(
            "<results>/tables/table_11.csv",
            caption="../report/table_11.rst",
            category="Tables",
            labels={"table": "Table 11: accuracies alone"},
        ),
        "<results>/tables/table_11.md",
        "<results>/tables/table_11.tex",
        "<results>/tables/table_11.json",
    log:
        "<logs>/table_11.log",
    benchmark:
        "<benchmarks>/table_11.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_11"),
        simulated=SIMULATED,
    message:
        "Table 11: accuracies alone"
    script:
        "../scripts/table_11.py"


rule table_40:
    input:
        calibration="<results>/analyses/calibration.parquet",
    output:
        report(
            "<results>/tables/table_40.csv",
            caption="../report/table_40.rst",
            category="Tables",
            labels={"table": "Table 40: calibration"},
        ),
        "<results>/tables/table_40.md",
        "<results>/tables/table_40.tex",
        "<results>/tables/table_40.json",
    log:
        "<logs>/table_40.log",
    benchmark:
        "<benchmarks>/table_40.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_40"),
        simulated=SIMULATED,
    message:
        "Table 40: calibrated confidences"
    script:
        "../scripts/table_40.py"
