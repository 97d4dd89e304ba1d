# Tables of the screening scores and their controls, in the layout of the paper.


rule table_16:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_16.csv",
            caption="../report/table_16.rst",
            category="Tables",
            labels={"table": "Table 16: AUROC of scores"},
        ),
        "<results>/tables/table_16.md",
        "<results>/tables/table_16.tex",
        "<results>/tables/table_16.json",
    log:
        "<logs>/table_16.log",
    benchmark:
        "<benchmarks>/table_16.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_16"),
        simulated=SIMULATED,
    message:
        "Table 16: AUROC of the screening scores"
    script:
        "../scripts/table_16.py"


rule table_17:
    input:
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_17.csv",
            caption="../report/table_17.rst",
            category="Tables",
            labels={"table": "Table 17: AUROC, resampled classes"},
        ),
        "<results>/tables/table_17.md",
        "<results>/tables/table_17.tex",
        "<results>/tables/table_17.json",
    log:
        "<logs>/table_17.log",
    benchmark:
        "<benchmarks>/table_17.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_17"),
        simulated=SIMULATED,
    message:
        "Table 17: AUROC differences under resampled classes"
    script:
        "../scripts/table_17.py"


rule table_18:
    input:
        means="<results>/analyses/screening_means.parquet",
    output:
        report(
            "<results>/tables/table_18.csv",
            caption="../report/table_18.rst",
            category="Tables",
            labels={"table": "Table 18: recall at two budgets"},
        ),
        "<results>/tables/table_18.md",
        "<results>/tables/table_18.tex",
        "<results>/tables/table_18.json",
    log:
        "<logs>/table_18.log",
    benchmark:
        "<benchmarks>/table_18.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_18"),
        simulated=SIMULATED,
    message:
        "Table 18: recall at two recapture budgets"
    script:
        "../scripts/table_18.py"


rule table_19:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_19.csv",
            caption="../report/table_19.rst",
            category="Tables",
            labels={"table": "Table 19: recall differences"},
        ),
        "<results>/tables/table_19.md",
        "<results>/tables/table_19.tex",
        "<results>/tables/table_19.json",
    log:
        "<logs>/table_19.log",
    benchmark:
        "<benchmarks>/table_19.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_19"),
        simulated=SIMULATED,
    message:
        "Table 19: recall differences at the primary budget"
    script:
        "../scripts/table_19.py"


rule table_20:
    input:
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_20.csv",
            caption="../report/table_20.rst",
            category="Tables",
            labels={"table": "Table 20: recall, resampled classes"},
        ),
        "<results>/tables/table_20.md",
        "<results>/tables/table_20.tex",
        "<results>/tables/table_20.json",
    log:
        "<logs>/table_20.log",
    benchmark:
        "<benchmarks>/table_20.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_20"),
        simulated=SIMULATED,
    message:
        "Table 20: recall differences under resampled classes"
    script:
        "../scripts/table_20.py"


rule table_21:
    input:
        ceilings="<results>/analyses/screening_ceilings.parquet",
        means="<results>/analyses/screening_means.parquet",
    output:
        report(
            "<results>/tables/table_21.csv",
            caption="../report/table_21.rst",
            category="Tables",
            labels={"table": "Table 21: attainable recall"},
        ),
        "<results>/tables/table_21.md",
        "<results>/tables/table_21.tex",
        "<results>/tables/table_21.json",
    log:
        "<logs>/table_21.log",
    benchmark:
        "<benchmarks>/table_21.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_21"),
        simulated=SIMULATED,
    message:
        "Table 21: attainable recall"
    script:
        "../scripts/table_21.py"


rule table_22:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_22.csv",
            caption="../report/table_22.rst",
            category="Tables",
            labels={"table": "Table 22: scales of probability"},
        ),
        "<results>/tables/table_22.md",
        "<results>/tables/table_22.tex",
        "<results>/tables/table_22.json",
    log:
        "<logs>/table_22.log",
    benchmark:
        "<benchmarks>/table_22.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_22"),
        simulated=SIMULATED,
    message:
        "Table 22: other scales of probability"
    script:
        "../scripts/table_22.py"


rule table_23:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_23.csv",
            caption="../report/table_23.rst",
            category="Tables",
            labels={"table": "Table 23: development images"},
        ),
        "<results>/tables/table_23.md",
        "<results>/tables/table_23.tex",
        "<results>/tables/table_23.json",
    log:
        "<logs>/table_23.log",
    benchmark:
        "<benchmarks>/table_23.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_23"),
        simulated=SIMULATED,
    message:
        "Table 23: screening on the development images"
    script:
        "../scripts/table_23.py"


rule table_24:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
        models="<results>/analyses/screening_models.parquet",
    output:
        report(
            "<results>/tables/table_24.csv",
            caption="../report/table_24.rst",
            category="Tables",
            labels={"table": "Table 24: tiers by the other half"},
        ),
        "<results>/tables/table_24.md",
        "<results>/tables/table_24.tex",
        "<results>/tables/table_24.json",
    log:
        "<logs>/table_24.log",
    benchmark:
        "<benchmarks>/table_24.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_24"),
        simulated=SIMULATED,
    message:
        "Table 24: screening in tiers by the other half"
    script:
        "../scripts/table_24.py"


rule table_25:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
        ablation="<results>/analyses/screening_ablation.parquet",
    output:
        report(
            "<results>/tables/table_25.csv",
            caption="../report/table_25.rst",
            category="Tables",
            labels={"table": "Table 25: image identity"},
        ),
        "<results>/tables/table_25.md",
        "<results>/tables/table_25.tex",
        "<results>/tables/table_25.json",
    log:
        "<logs>/table_25.log",
    benchmark:
        "<benchmarks>/table_25.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_25"),
        simulated=SIMULATED,
    message:
        "Table 25: responses of other images of the class"
    script:
        "../scripts/table_25.py"


rule table_26:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
    output:
        report(
            "<results>/tables/table_26.csv",
            caption="../report/table_26.rst",
            category="Tables",
            labels={"table": "Table 26: class means"},
        ),
        "<results>/tables/table_26.md",
        "<results>/tables/table_26.tex",
        "<results>/tables/table_26.json",
    log:
        "<logs>/table_26.log",
    benchmark:
        "<benchmarks>/table_26.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_26"),
        simulated=SIMULATED,
    message:
        "Table 26: class means as scores"
    script:
        "../scripts/table_26.py"


rule table_27:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
        terciles="<results>/analyses/screening_terciles.parquet",
    output:
        report(
            "<results>/tables/table_27.csv",
            caption="../report/table_27.rst",
            category="Tables",
            labels={"table": "Table 27: thirds of confidence"},
        ),
        "<results>/tables/table_27.md",
        "<results>/tables/table_27.tex",
        "<results>/tables/table_27.json",
    log:
        "<logs>/table_27.log",
    benchmark:
        "<benchmarks>/table_27.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_27"),
        simulated=SIMULATED,
    message:
        "Table 27: ranking within thirds of clean confidence"
    script:
        "../scripts/table_27.py"


rule table_28:
    input:
        subsets="<results>/analyses/screening_subset_sizes.parquet",
    output:
        report(
            "<results>/tables/table_28.csv",
            caption="../report/table_28.rst",
            category="Tables",
            labels={"table": "Table 28: fewer corruptions"},
        ),
        "<results>/tables/table_28.md",
        "<results>/tables/table_28.tex",
        "<results>/tables/table_28.json",
    log:
        "<logs>/table_28.log",
    benchmark:
        "<benchmarks>/table_28.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_28"),
        simulated=SIMULATED,
    message:
        "Table 28: averages over fewer corruptions"
    script:
        "../scripts/table_28.py"
