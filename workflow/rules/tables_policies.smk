# Tables of the rejection policies, in the layout of the paper.


rule table_04:
    input:
        orderings="<results>/analyses/policy_orderings.parquet",
        selection="<results>/analyses/policy_selection.parquet",
    output:
        report(
            "<results>/tables/table_04.csv",
            caption="../report/table_04.rst",
            category="Tables",
            labels={"table": "Table 4: policy comparisons"},
        ),
        "<results>/tables/table_04.md",
        "<results>/tables/table_04.tex",
        "<results>/tables/table_04.json",
    log:
        "<logs>/table_04.log",
    benchmark:
        "<benchmarks>/table_04.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_04"),
        simulated=SIMULATED,
        grid=settings["policies"]["grid"],
    message:
        "Table 4: policy comparisons and selection"
    script:
        "../scripts/table_04.py"


rule table_12:
    input:
        orderings="<results>/analyses/policy_orderings.parquet",
    output:
        report(
            "<results>/tables/table_12.csv",
            caption="../report/table_12.rst",
            category="Tables",
            labels={"table": "Table 12: additional orderings"},
        ),
        "<results>/tables/table_12.md",
        "<results>/tables/table_12.tex",
        "<results>/tables/table_12.json",
    log:
        "<logs>/table_12.log",
    benchmark:
        "<benchmarks>/table_12.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_12"),
        simulated=SIMULATED,
        grid=settings["policies"]["grid"],
    message:
        "Table 12: additional orderings"
    script:
        "../scripts/table_12.py"


rule table_13:
    input:
        selection="<results>/analyses/policy_selection.parquet",
    output:
        report(
            "<results>/tables/table_13.csv",
            caption="../report/table_13.rst",
            category="Tables",
            labels={"table": "Table 13: realized regret"},
        ),
        "<results>/tables/table_13.md",
        "<results>/tables/table_13.tex",
        "<results>/tables/table_13.json",
    log:
        "<logs>/table_13.log",
    benchmark:
        "<benchmarks>/table_13.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_13"),
        simulated=SIMULATED,
        grid=settings["policies"]["grid"],
    message:
        "Table 13: realized regret"
    script:
        "../scripts/table_13.py"


rule table_14:
    input:
        selection="<results>/analyses/policy_selection.parquet",
    output:
        report(
            "<results>/tables/table_14.csv",
            caption="../report/table_14.rst",
            category="Tables",
            labels={"table": "Table 14: selection over weights"},
        ),
        "<results>/tables/table_14.md",
        "<results>/tables/table_14.tex",
        "<results>/tables/table_14.json",
    log:
        "<logs>/table_14.log",
    benchmark:
        "<benchmarks>/table_14.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_14"),
        simulated=SIMULATED,
        grid=settings["policies"]["grid"],
    message:
        "Table 14: selection over the weights"
    script:
        "../scripts/table_14.py"


rule table_15:
    input:
        intervals="<results>/analyses/illustration_intervals.parquet",
        pair="<results>/analyses/illustration_pair.parquet",
    output:
        report(
            "<results>/tables/table_15.csv",
            caption="../report/table_15.rst",
            category="Tables",
            labels={"table": "Table 15: one cell"},
        ),
        "<results>/tables/table_15.md",
        "<results>/tables/table_15.tex",
        "<results>/tables/table_15.json",
    log:
        "<logs>/table_15.log",
    benchmark:
        "<benchmarks>/table_15.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_15"),
        simulated=SIMULATED,
    message:
        "Table 15: one cell as an example"
    script:
        "../scripts/table_15.py"
