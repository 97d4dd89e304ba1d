# Figures of the second part: one rule, one script and one builder of the same name each.


rule figure_consistency_operators:
    input:
        store="<results>/consistency/operator_examples.zip",
        operators="<resources>/conditions/operators.csv",
    output:
        "<results>/figures/figure_consistency_operators.pdf",
        "<results>/figures/figure_consistency_operators.svg",
        report(
            "<results>/figures/figure_consistency_operators.png",
            caption="../report/figure_consistency_operators.rst",
            category="Decision consistency",
            labels={"figure": "Figure C1: the operators on one image"},
        ),
    log:
        "<logs>/figure_consistency_operators.log",
    benchmark:
        "<benchmarks>/figure_consistency_operators.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("figure_consistency_operators"),
        seed=settings["seed"],
    message:
        "Figure C1: the operators on one image"
    script:
        "../scripts/figure_consistency_operators.py"


rule figure_consistency_detection:
    input:
        detection_differences="<results>/consistency/detection_differences.parquet",
        detection_configurations="<results>/consistency/detection_configurations.parquet",
    output:
        "<results>/figures/figure_consistency_detection.pdf",
        "<results>/figures/figure_consistency_detection.svg",
        report(
            "<results>/figures/figure_consistency_detection.png",
            caption="../report/figure_consistency_detection.rst",
            category="Decision consistency",
            labels={"figure": "Figure C2: finding errors, beside confidence"},
        ),
    log:
        "<logs>/figure_consistency_detection.log",
    benchmark:
        "<benchmarks>/figure_consistency_detection.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("figure_consistency_detection"),
    message:
        "Figure C2: finding errors, beside confidence"
    script:
        "../scripts/figure_consistency_detection.py"


rule figure_consistency_certificate:
    input:
        certificate_summary="<results>/consistency/certificate_summary.parquet",
        certificate_configurations="<results>/consistency/certificate_configurations.parquet",
    output:
        "<results>/figures/figure_consistency_certificate.pdf",
        "<results>/figures/figure_consistency_certificate.svg",
        report(
            "<results>/figures/figure_consistency_certificate.png",
            caption="../report/figure_consistency_certificate.rst",
            category="Decision consistency",
            labels={"figure": "Figure C3: no-flip certificate"},
        ),
    log:
        "<logs>/figure_consistency_certificate.log",
    benchmark:
        "<benchmarks>/figure_consistency_certificate.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("figure_consistency_certificate"),
    message:
        "Figure C3: no-flip certificate"
    script:
        "../scripts/figure_consistency_certificate.py"


rule figure_consistency_shift:
    input:
        shift_gain="<results>/consistency/shift_gain.parquet",
        gain_correlations="<results>/consistency/gain_correlations.parquet",
    output:
        "<results>/figures/figure_consistency_shift.pdf",
        "<results>/figures/figure_consistency_shift.svg",
        report(
            "<results>/figures/figure_consistency_shift.png",
            caption="../report/figure_consistency_shift.rst",
            category="Decision consistency",
            labels={"figure": "Figure C4: gain under corruption"},
        ),
    log:
        "<logs>/figure_consistency_shift.log",
    benchmark:
        "<benchmarks>/figure_consistency_shift.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("figure_consistency_shift"),
    message:
        "Figure C4: gain under corruption"
    script:
        "../scripts/figure_consistency_shift.py"


rule figure_consistency_attacks:
    input:
        attack_summary="<results>/consistency/attack_summary.parquet",
        success_summary="<results>/consistency/success_summary.parquet",
    output:
        "<results>/figures/figure_consistency_attacks.pdf",
        "<results>/figures/figure_consistency_attacks.svg",
        report(
            "<results>/figures/figure_consistency_attacks.png",
            caption="../report/figure_consistency_attacks.rst",
            category="Decision consistency",
            labels={"figure": "Figure C5: attacked images"},
        ),
    log:
        "<logs>/figure_consistency_attacks.log",
    benchmark:
        "<benchmarks>/figure_consistency_attacks.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("figure_consistency_attacks"),
    message:
        "Figure C5: attacked images"
    script:
        "../scripts/figure_consistency_attacks.py"


rule figure_consistency_priors:
    input:
        prior_summary="<results>/consistency/prior_summary.parquet",
        recall_summary="<results>/consistency/recall_summary.parquet",
    output:
        "<results>/figures/figure_consistency_priors.pdf",
        "<results>/figures/figure_consistency_priors.svg",
        report(
            "<results>/figures/figure_consistency_priors.png",
            caption="../report/figure_consistency_priors.rst",
            category="Decision consistency",
            labels={"figure": "Figure C6: class priors"},
        ),
    log:
        "<logs>/figure_consistency_priors.log",
    benchmark:
        "<benchmarks>/figure_consistency_priors.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("figure_consistency_priors"),
    message:
        "Figure C6: class priors"
    script:
        "../scripts/figure_consistency_priors.py"
