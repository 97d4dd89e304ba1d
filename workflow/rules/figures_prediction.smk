# Figure of the model-level prediction.


rule figure_08:
    input:
        gains="<results>/analyses/prediction_gains.parquet",
        deletions="<results>/analyses/prediction_deletions.parquet",
        thresholds="<results>/analyses/prediction_thresholds.parquet",
    output:
        "<results>/figures/figure_08.pdf",
        "<results>/figures/figure_08.svg",
        report(
            "<results>/figures/figure_08.png",
            caption="../report/figure_08.rst",
            category="Figures",
            labels={"figure": "Figure 8: deleted groups"},
        ),
    log:
        "<logs>/figure_08.log",
    benchmark:
        "<benchmarks>/figure_08.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_08"),
        simulated=SIMULATED,
    message:
        "Figure 8: how much one model group matters"
    script:
        "../scripts/figure_08.py"
