# Figures of the screening scores, from tidy results.


rule figure_02:
    input:
        means="<results>/analyses/screening_means.parquet",
        differences="<results>/analyses/screening_differences.parquet",
    output:
        "<results>/figures/figure_02.pdf",
        "<results>/figures/figure_02.svg",
        report(
            "<results>/figures/figure_02.png",
            caption="../report/figure_02.rst",
            category="Figures",
            labels={"figure": "Figure 2: screening scores"},
        ),
    log:
        "<logs>/figure_02.log",
    benchmark:
        "<benchmarks>/figure_02.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_02"),
        simulated=SIMULATED,
    message:
        "Figure 2: AUROC of the screening scores"
    script:
        "../scripts/figure_02.py"


rule figure_03:
    input:
        means="<results>/analyses/screening_means.parquet",
        ceilings="<results>/analyses/screening_ceilings.parquet",
    output:
        "<results>/figures/figure_03.pdf",
        "<results>/figures/figure_03.svg",
        report(
            "<results>/figures/figure_03.png",
            caption="../report/figure_03.rst",
            category="Figures",
            labels={"figure": "Figure 3: recall over budgets"},
        ),
    log:
        "<logs>/figure_03.log",
    benchmark:
        "<benchmarks>/figure_03.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_03"),
        simulated=SIMULATED,
    message:
        "Figure 3: failures found at recapture budgets"
    script:
        "../scripts/figure_03.py"


rule figure_04:
    input:
        means="<results>/analyses/screening_means.parquet",
    output:
        "<results>/figures/figure_04.pdf",
        "<results>/figures/figure_04.svg",
        report(
            "<results>/figures/figure_04.png",
            caption="../report/figure_04.rst",
            category="Figures",
            labels={"figure": "Figure 4: two probe sets"},
        ),
    log:
        "<logs>/figure_04.log",
    benchmark:
        "<benchmarks>/figure_04.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_04"),
        simulated=SIMULATED,
    message:
        "Figure 4: natural transforms and corruptions at equal inference counts"
    script:
        "../scripts/figure_04.py"


rule figure_06:
    input:
        means="<results>/analyses/screening_means.parquet",
        probes="<results>/analyses/screening_probes.parquet",
    output:
        "<results>/figures/figure_06.pdf",
        "<results>/figures/figure_06.svg",
        report(
            "<results>/figures/figure_06.png",
            caption="../report/figure_06.rst",
            category="Figures",
            labels={"figure": "Figure 6: single corruptions"},
        ),
    log:
        "<logs>/figure_06.log",
    benchmark:
        "<benchmarks>/figure_06.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_06"),
        simulated=SIMULATED,
    message:
        "Figure 6: single corruptions as probes"
    script:
        "../scripts/figure_06.py"
