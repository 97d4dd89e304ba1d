# Figures as PDF, SVG and PNG, from tidy results and images.


rule figure_01:
    input:
        widths="<results>/analyses/panel_widths.parquet",
    output:
        "<results>/figures/figure_01.pdf",
        "<results>/figures/figure_01.svg",
        report(
            "<results>/figures/figure_01.png",
            caption="../report/figure_01.rst",
            category="Figures",
            labels={"figure": "Figure 1: identified widths, panel"},
        ),
    log:
        "<logs>/figure_01.log",
    benchmark:
        "<benchmarks>/figure_01.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_01"),
        simulated=SIMULATED,
    message:
        "Figure 1: mean identified widths in the panel"
    script:
        "../scripts/figure_01.py"


rule figure_05:
    input:
        orderings="<results>/analyses/policy_orderings.parquet",
    output:
        "<results>/figures/figure_05.pdf",
        "<results>/figures/figure_05.svg",
        report(
            "<results>/figures/figure_05.png",
            caption="../report/figure_05.rst",
            category="Figures",
            labels={"figure": "Figure 5: policy orderings"},
        ),
    log:
        "<logs>/figure_05.log",
    benchmark:
        "<benchmarks>/figure_05.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_05"),
        simulated=SIMULATED,
    message:
        "Figure 5: policy orderings over the cost weight"
    script:
        "../scripts/figure_05.py"


rule figure_07:
    input:
        index="<results>/images/index.parquet",
        corruptions="<resources>/conditions/corruptions.csv",
        transforms="<resources>/conditions/transforms.csv",
        tiers="<results>/analyses/tiers.parquet",
        base="<results>/images/base.zip",
        captures=capture_images,
    output:
        "<results>/figures/figure_07.pdf",
        "<results>/figures/figure_07.svg",
        report(
            "<results>/figures/figure_07.png",
            caption="../report/figure_07.rst",
            category="Figures",
            labels={"figure": "Figure 7: perturbed images"},
        ),
    log:
        "<logs>/figure_07.log",
    benchmark:
        "<benchmarks>/figure_07.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_07"),
        simulated=SIMULATED,
        captures=CAPTURES,
    message:
        "Figure 7: one image under all families of perturbations"
    script:
        "../scripts/figure_07.py"


rule figure_accuracy:
    input:
        accuracy="<results>/analyses/accuracy.parquet",
    output:
        "<results>/figures/figure_accuracy.pdf",
        "<results>/figures/figure_accuracy.svg",
        report(
            "<results>/figures/figure_accuracy.png",
            caption="../report/figure_accuracy.rst",
            category="Figures",
            labels={"figure": "Accuracy of the models"},
        ),
    log:
        "<logs>/figure_accuracy.log",
    benchmark:
        "<benchmarks>/figure_accuracy.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_accuracy"),
        simulated=SIMULATED,
    message:
        "Figure: accuracy of the models"
    script:
        "../scripts/figure_accuracy.py"


rule figure_intervals:
    input:
        bounds=collect("<results>/analyses/bounds/{source}.parquet", source=SOURCES),
    output:
        "<results>/figures/figure_intervals.pdf",
        "<results>/figures/figure_intervals.svg",
        report(
            "<results>/figures/figure_intervals.png",
            caption="../report/figure_intervals.rst",
            category="Figures",
            labels={"figure": "Identified intervals"},
        ),
    log:
        "<logs>/figure_intervals.log",
    benchmark:
        "<benchmarks>/figure_intervals.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("figure_intervals"),
        simulated=SIMULATED,
    message:
        "Figure: identified intervals and observed values"
    script:
        "../scripts/figure_intervals.py"
