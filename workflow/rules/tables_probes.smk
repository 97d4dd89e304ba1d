# Tables that compare probe sets, scoring rules and models, in the layout of the paper.


rule table_29:
    input:
        differences="<results>/analyses/screening_differences.parquet",
        selection="<results>/analyses/screening_selection.parquet",
    output:
        report(
            "<results>/tables/table_29.csv",
            caption="../report/table_29.rst",
            category="Tables",
            labels={"table": "Table 29: variants of both probe sets"},
        ),
        "<results>/tables/table_29.md",
        "<results>/tables/table_29.tex",
        "<results>/tables/table_29.json",
    log:
        "<logs>/table_29.log",
    benchmark:
        "<benchmarks>/table_29.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_29"),
        simulated=SIMULATED,
        label_changing=settings["probes"]["label_changing"],
    message:
        "Table 29: variants of both probe sets"
    script:
        "../scripts/table_29.py"


rule table_30:
    input:
        agreement="<results>/analyses/screening_agreement.parquet",
    output:
        report(
            "<results>/tables/table_30.csv",
            caption="../report/table_30.rst",
            category="Tables",
            labels={"table": "Table 30: two inference runs"},
        ),
        "<results>/tables/table_30.md",
        "<results>/tables/table_30.tex",
        "<results>/tables/table_30.json",
    log:
        "<logs>/table_30.log",
    benchmark:
        "<benchmarks>/table_30.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_30"),
        simulated=SIMULATED,
    message:
        "Table 30: agreement of two inference runs"
    script:
        "../scripts/table_30.py"


rule table_31:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
        selection="<results>/analyses/screening_selection.parquet",
    output:
        report(
            "<results>/tables/table_31.csv",
            caption="../report/table_31.rst",
            category="Tables",
            labels={"table": "Table 31: probe sets, development"},
        ),
        "<results>/tables/table_31.md",
        "<results>/tables/table_31.tex",
        "<results>/tables/table_31.json",
    log:
        "<logs>/table_31.log",
    benchmark:
        "<benchmarks>/table_31.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_31"),
        simulated=SIMULATED,
        label_changing=settings["probes"]["label_changing"],
    message:
        "Table 31: probe sets on the development images"
    script:
        "../scripts/table_31.py"


rule table_32:
    input:
        subset_sizes="<results>/analyses/screening_subset_sizes.parquet",
    output:
        report(
            "<results>/tables/table_32.csv",
            caption="../report/table_32.rst",
            category="Tables",
            labels={"table": "Table 32: fewer probes"},
        ),
        "<results>/tables/table_32.md",
        "<results>/tables/table_32.tex",
        "<results>/tables/table_32.json",
    log:
        "<logs>/table_32.log",
    benchmark:
        "<benchmarks>/table_32.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_32"),
        simulated=SIMULATED,
        label_changing=settings["probes"]["label_changing"],
    message:
        "Table 32: averages over fewer probes"
    script:
        "../scripts/table_32.py"


rule table_33:
    input:
        means="<results>/analyses/screening_means.parquet",
    output:
        report(
            "<results>/tables/table_33.csv",
            caption="../report/table_33.rst",
            category="Tables",
            labels={"table": "Table 33: scoring rules"},
        ),
        "<results>/tables/table_33.md",
        "<results>/tables/table_33.tex",
        "<results>/tables/table_33.json",
    log:
        "<logs>/table_33.log",
    benchmark:
        "<benchmarks>/table_33.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_33"),
        simulated=SIMULATED,
        label_changing=settings["probes"]["label_changing"],
    message:
        "Table 33: scoring rules over both probe sets"
    script:
        "../scripts/table_33.py"


rule table_34:
    input:
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_34.csv",
            caption="../report/table_34.rst",
            category="Tables",
            labels={"table": "Table 34: mean and A3Rank"},
        ),
        "<results>/tables/table_34.md",
        "<results>/tables/table_34.tex",
        "<results>/tables/table_34.json",
    log:
        "<logs>/table_34.log",
    benchmark:
        "<benchmarks>/table_34.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_34"),
        simulated=SIMULATED,
        label_changing=settings["probes"]["label_changing"],
    message:
        "Table 34: corruption mean and A3Rank's score"
    script:
        "../scripts/table_34.py"


rule table_35:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_35.csv",
            caption="../report/table_35.rst",
            category="Tables",
            labels={"table": "Table 35: mean and A3Rank by budget"},
        ),
        "<results>/tables/table_35.md",
        "<results>/tables/table_35.tex",
        "<results>/tables/table_35.json",
    log:
        "<logs>/table_35.log",
    benchmark:
        "<benchmarks>/table_35.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_35"),
        simulated=SIMULATED,
    message:
        "Table 35: corruption mean and A3Rank's score by budget"
    script:
        "../scripts/table_35.py"


rule table_36:
    input:
        probes="<results>/analyses/screening_probes.parquet",
    output:
        report(
            "<results>/tables/table_36.csv",
            caption="../report/table_36.rst",
            category="Tables",
            labels={"table": "Table 36: probe sets by severity"},
        ),
        "<results>/tables/table_36.md",
        "<results>/tables/table_36.tex",
        "<results>/tables/table_36.json",
    log:
        "<logs>/table_36.log",
    benchmark:
        "<benchmarks>/table_36.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_36"),
        simulated=SIMULATED,
        label_changing=settings["probes"]["label_changing"],
    message:
        "Table 36: probe sets by severity"
    script:
        "../scripts/table_36.py"


rule table_37:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_37.csv",
            caption="../report/table_37.rst",
            category="Tables",
            labels={"table": "Table 37: probe sets in every tier"},
        ),
        "<results>/tables/table_37.md",
        "<results>/tables/table_37.tex",
        "<results>/tables/table_37.json",
    log:
        "<logs>/table_37.log",
    benchmark:
        "<benchmarks>/table_37.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_37"),
        simulated=SIMULATED,
        label_changing=settings["probes"]["label_changing"],
    message:
        "Table 37: corruptions and natural transforms in every tier"
    script:
        "../scripts/table_37.py"


rule table_38:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_38.csv",
            caption="../report/table_38.rst",
            category="Tables",
            labels={"table": "Table 38: simple scores"},
        ),
        "<results>/tables/table_38.md",
        "<results>/tables/table_38.tex",
        "<results>/tables/table_38.json",
    log:
        "<logs>/table_38.log",
    benchmark:
        "<benchmarks>/table_38.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_38"),
        simulated=SIMULATED,
        label_changing=settings["probes"]["label_changing"],
    message:
        "Table 38: simple scores"
    script:
        "../scripts/table_38.py"


rule table_39:
    input:
        groups="<results>/analyses/screening_groups.parquet",
        models="<results>/analyses/screening_models.parquet",
    output:
        report(
            "<results>/tables/table_39.csv",
            caption="../report/table_39.rst",
            category="Tables",
            labels={"table": "Table 39: model groups"},
        ),
        "<results>/tables/table_39.md",
        "<results>/tables/table_39.tex",
        "<results>/tables/table_39.json",
    log:
        "<logs>/table_39.log",
    benchmark:
        "<benchmarks>/table_39.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_39"),
        simulated=SIMULATED,
        label_changing=settings["probes"]["label_changing"],
    message:
        "Table 39: model groups"
    script:
        "../scripts/table_39.py"


rule table_captures:
    input:
        captures="<results>/analyses/screening_captures.parquet",
    output:
        report(
            "<results>/tables/table_captures.csv",
            caption="../report/table_captures.rst",
            category="Tables",
            labels={"table": "Recall by capture setting"},
        ),
        "<results>/tables/table_captures.md",
        "<results>/tables/table_captures.tex",
        "<results>/tables/table_captures.json",
    log:
        "<logs>/table_captures.log",
    benchmark:
        "<benchmarks>/table_captures.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_captures"),
        simulated=SIMULATED,
        label_changing=settings["probes"]["label_changing"],
    message:
        "Recall differences by capture setting"
    script:
        "../scripts/table_captures.py"
