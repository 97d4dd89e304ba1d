# Tables of the second part: one rule, one script and one builder of the same name each.


rule table_consistency_reference:
    input:
        model_summaries="<results>/consistency/model_summaries.parquet",
        model_correlations="<results>/consistency/model_correlations.parquet",
    output:
        report(
            "<results>/tables/table_consistency_reference.csv",
            caption="../report/table_consistency_reference.rst",
            category="Decision consistency",
            labels={"table": "Table C1: what consistency measures"},
        ),
        "<results>/tables/table_consistency_reference.md",
        "<results>/tables/table_consistency_reference.tex",
        "<results>/tables/table_consistency_reference.json",
    log:
        "<logs>/table_consistency_reference.log",
    benchmark:
        "<benchmarks>/table_consistency_reference.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_reference"),
    message:
        "Table C1: what consistency measures"
    script:
        "../scripts/table_consistency_reference.py"


rule table_consistency_regimes:
    input:
        regimes="<results>/consistency/regimes.parquet",
        regime_counts="<results>/consistency/regime_counts.parquet",
    output:
        report(
            "<results>/tables/table_consistency_regimes.csv",
            caption="../report/table_consistency_regimes.rst",
            category="Decision consistency",
            labels={"table": "Table C2: regimes by tolerance"},
        ),
        "<results>/tables/table_consistency_regimes.md",
        "<results>/tables/table_consistency_regimes.tex",
        "<results>/tables/table_consistency_regimes.json",
    log:
        "<logs>/table_consistency_regimes.log",
    benchmark:
        "<benchmarks>/table_consistency_regimes.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_regimes"),
    message:
        "Table C2: regimes by tolerance"
    script:
        "../scripts/table_consistency_regimes.py"


rule table_consistency_operators:
    input:
        operator_summary="<results>/consistency/operator_summary.parquet",
        operator_audit="<results>/consistency/operator_audit.parquet",
        rankings="<results>/consistency/rankings.parquet",
    output:
        report(
            "<results>/tables/table_consistency_operators.csv",
            caption="../report/table_consistency_operators.rst",
            category="Decision consistency",
            labels={"table": "Table C3: the operators"},
        ),
        "<results>/tables/table_consistency_operators.md",
        "<results>/tables/table_consistency_operators.tex",
        "<results>/tables/table_consistency_operators.json",
    log:
        "<logs>/table_consistency_operators.log",
    benchmark:
        "<benchmarks>/table_consistency_operators.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_operators"),
    message:
        "Table C3: the operators"
    script:
        "../scripts/table_consistency_operators.py"


rule table_consistency_detection:
    input:
        detection_summary="<results>/consistency/detection_summary.parquet",
        detection_differences="<results>/consistency/detection_differences.parquet",
    output:
        report(
            "<results>/tables/table_consistency_detection.csv",
            caption="../report/table_consistency_detection.rst",
            category="Decision consistency",
            labels={"table": "Table C4: errors on clean images"},
        ),
        "<results>/tables/table_consistency_detection.md",
        "<results>/tables/table_consistency_detection.tex",
        "<results>/tables/table_consistency_detection.json",
    log:
        "<logs>/table_consistency_detection.log",
    benchmark:
        "<benchmarks>/table_consistency_detection.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_detection"),
    message:
        "Table C4: errors on clean images"
    script:
        "../scripts/table_consistency_detection.py"


rule table_consistency_cost:
    input:
        cost="<results>/consistency/cost.parquet",
    output:
        report(
            "<results>/tables/table_consistency_cost.csv",
            caption="../report/table_consistency_cost.rst",
            category="Decision consistency",
            labels={"table": "Table C5: cost"},
        ),
        "<results>/tables/table_consistency_cost.md",
        "<results>/tables/table_consistency_cost.tex",
        "<results>/tables/table_consistency_cost.json",
    log:
        "<logs>/table_consistency_cost.log",
    benchmark:
        "<benchmarks>/table_consistency_cost.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_cost"),
    message:
        "Table C5: cost"
    script:
        "../scripts/table_consistency_cost.py"


rule table_consistency_strength:
    input:
        strength_summary="<results>/consistency/strength_summary.parquet",
        weight_summary="<results>/consistency/weight_summary.parquet",
    output:
        report(
            "<results>/tables/table_consistency_strength.csv",
            caption="../report/table_consistency_strength.rst",
            category="Decision consistency",
            labels={"table": "Table C6: strength of the operators"},
        ),
        "<results>/tables/table_consistency_strength.md",
        "<results>/tables/table_consistency_strength.tex",
        "<results>/tables/table_consistency_strength.json",
    log:
        "<logs>/table_consistency_strength.log",
    benchmark:
        "<benchmarks>/table_consistency_strength.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_strength"),
    message:
        "Table C6: strength of the operators"
    script:
        "../scripts/table_consistency_strength.py"


rule table_consistency_margin:
    input:
        margin_summary="<results>/consistency/margin_summary.parquet",
    output:
        report(
            "<results>/tables/table_consistency_margin.csv",
            caption="../report/table_consistency_margin.rst",
            category="Decision consistency",
            labels={"table": "Table C7: information at a fixed margin"},
        ),
        "<results>/tables/table_consistency_margin.md",
        "<results>/tables/table_consistency_margin.tex",
        "<results>/tables/table_consistency_margin.json",
    log:
        "<logs>/table_consistency_margin.log",
    benchmark:
        "<benchmarks>/table_consistency_margin.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_margin"),
    message:
        "Table C7: information at a fixed margin"
    script:
        "../scripts/table_consistency_margin.py"


rule table_consistency_certificate:
    input:
        certificate_summary="<results>/consistency/certificate_summary.parquet",
        inequality_summary="<results>/consistency/inequality_summary.parquet",
    output:
        report(
            "<results>/tables/table_consistency_certificate.csv",
            caption="../report/table_consistency_certificate.rst",
            category="Decision consistency",
            labels={"table": "Table C8: no-flip certificate"},
        ),
        "<results>/tables/table_consistency_certificate.md",
        "<results>/tables/table_consistency_certificate.tex",
        "<results>/tables/table_consistency_certificate.json",
    log:
        "<logs>/table_consistency_certificate.log",
    benchmark:
        "<benchmarks>/table_consistency_certificate.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_certificate"),
    message:
        "Table C8: no-flip certificate"
    script:
        "../scripts/table_consistency_certificate.py"


rule table_consistency_bounds:
    input:
        bound_summary="<results>/consistency/bound_summary.parquet",
    output:
        report(
            "<results>/tables/table_consistency_bounds.csv",
            caption="../report/table_consistency_bounds.rst",
            category="Decision consistency",
            labels={"table": "Table C9: bounds on flips"},
        ),
        "<results>/tables/table_consistency_bounds.md",
        "<results>/tables/table_consistency_bounds.tex",
        "<results>/tables/table_consistency_bounds.json",
    log:
        "<logs>/table_consistency_bounds.log",
    benchmark:
        "<benchmarks>/table_consistency_bounds.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_bounds"),
    message:
        "Table C9: bounds on flips"
    script:
        "../scripts/table_consistency_bounds.py"


rule table_consistency_shift:
    input:
        shift_summary="<results>/consistency/shift_summary.parquet",
        gain_correlations="<results>/consistency/gain_correlations.parquet",
    output:
        report(
            "<results>/tables/table_consistency_shift.csv",
            caption="../report/table_consistency_shift.rst",
            category="Decision consistency",
            labels={"table": "Table C10: corrupted images"},
        ),
        "<results>/tables/table_consistency_shift.md",
        "<results>/tables/table_consistency_shift.tex",
        "<results>/tables/table_consistency_shift.json",
    log:
        "<logs>/table_consistency_shift.log",
    benchmark:
        "<benchmarks>/table_consistency_shift.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_shift"),
    message:
        "Table C10: corrupted images"
    script:
        "../scripts/table_consistency_shift.py"


rule table_consistency_transfer:
    input:
        transfer_summary="<results>/consistency/transfer_summary.parquet",
    output:
        report(
            "<results>/tables/table_consistency_transfer.csv",
            caption="../report/table_consistency_transfer.rst",
            category="Decision consistency",
            labels={"table": "Table C11: transfer between corruptions"},
        ),
        "<results>/tables/table_consistency_transfer.md",
        "<results>/tables/table_consistency_transfer.tex",
        "<results>/tables/table_consistency_transfer.json",
    log:
        "<logs>/table_consistency_transfer.log",
    benchmark:
        "<benchmarks>/table_consistency_transfer.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_transfer"),
    message:
        "Table C11: transfer between corruptions"
    script:
        "../scripts/table_consistency_transfer.py"


rule table_consistency_estimators:
    input:
        estimator_summary="<results>/consistency/estimator_summary.parquet",
    output:
        report(
            "<results>/tables/table_consistency_estimators.csv",
            caption="../report/table_consistency_estimators.rst",
            category="Decision consistency",
            labels={"table": "Table C12: accuracy without labels"},
        ),
        "<results>/tables/table_consistency_estimators.md",
        "<results>/tables/table_consistency_estimators.tex",
        "<results>/tables/table_consistency_estimators.json",
    log:
        "<logs>/table_consistency_estimators.log",
    benchmark:
        "<benchmarks>/table_consistency_estimators.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_estimators"),
    message:
        "Table C12: accuracy without labels"
    script:
        "../scripts/table_consistency_estimators.py"


rule table_consistency_robustness:
    input:
        robustness="<results>/consistency/robustness.parquet",
        robustness_correlations="<results>/consistency/robustness_correlations.parquet",
    output:
        report(
            "<results>/tables/table_consistency_robustness.csv",
            caption="../report/table_consistency_robustness.rst",
            category="Decision consistency",
            labels={"table": "Table C13: models under corruption"},
        ),
        "<results>/tables/table_consistency_robustness.md",
        "<results>/tables/table_consistency_robustness.tex",
        "<results>/tables/table_consistency_robustness.json",
    log:
        "<logs>/table_consistency_robustness.log",
    benchmark:
        "<benchmarks>/table_consistency_robustness.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_robustness"),
    message:
        "Table C13: models under corruption"
    script:
        "../scripts/table_consistency_robustness.py"


rule table_consistency_attacks:
    input:
        attack_summary="<results>/consistency/attack_summary.parquet",
        success_summary="<results>/consistency/success_summary.parquet",
    output:
        report(
            "<results>/tables/table_consistency_attacks.csv",
            caption="../report/table_consistency_attacks.rst",
            category="Decision consistency",
            labels={"table": "Table C14: attacked images"},
        ),
        "<results>/tables/table_consistency_attacks.md",
        "<results>/tables/table_consistency_attacks.tex",
        "<results>/tables/table_consistency_attacks.json",
    log:
        "<logs>/table_consistency_attacks.log",
    benchmark:
        "<benchmarks>/table_consistency_attacks.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_attacks"),
    message:
        "Table C14: attacked images"
    script:
        "../scripts/table_consistency_attacks.py"


rule table_consistency_withheld:
    input:
        withheld_summary="<results>/consistency/withheld_summary.parquet",
    output:
        report(
            "<results>/tables/table_consistency_withheld.csv",
            caption="../report/table_consistency_withheld.rst",
            category="Decision consistency",
            labels={"table": "Table C15: unknown classes"},
        ),
        "<results>/tables/table_consistency_withheld.md",
        "<results>/tables/table_consistency_withheld.tex",
        "<results>/tables/table_consistency_withheld.json",
    log:
        "<logs>/table_consistency_withheld.log",
    benchmark:
        "<benchmarks>/table_consistency_withheld.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_withheld"),
    message:
        "Table C15: unknown classes"
    script:
        "../scripts/table_consistency_withheld.py"


rule table_consistency_priors:
    input:
        prior_summary="<results>/consistency/prior_summary.parquet",
    output:
        report(
            "<results>/tables/table_consistency_priors.csv",
            caption="../report/table_consistency_priors.rst",
            category="Decision consistency",
            labels={"table": "Table C16: class priors"},
        ),
        "<results>/tables/table_consistency_priors.md",
        "<results>/tables/table_consistency_priors.tex",
        "<results>/tables/table_consistency_priors.json",
    log:
        "<logs>/table_consistency_priors.log",
    benchmark:
        "<benchmarks>/table_consistency_priors.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_priors"),
    message:
        "Table C16: class priors"
    script:
        "../scripts/table_consistency_priors.py"


rule table_consistency_recalls:
    input:
        recall_summary="<results>/consistency/recall_summary.parquet",
    output:
        report(
            "<results>/tables/table_consistency_recalls.csv",
            caption="../report/table_consistency_recalls.rst",
            category="Decision consistency",
            labels={"table": "Table C17: recall by class"},
        ),
        "<results>/tables/table_consistency_recalls.md",
        "<results>/tables/table_consistency_recalls.tex",
        "<results>/tables/table_consistency_recalls.json",
    log:
        "<logs>/table_consistency_recalls.log",
    benchmark:
        "<benchmarks>/table_consistency_recalls.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_recalls"),
    message:
        "Table C17: recall by class"
    script:
        "../scripts/table_consistency_recalls.py"


rule table_consistency_published:
    input:
        published="<results>/consistency/published.parquet",
    output:
        report(
            "<results>/tables/table_consistency_published.csv",
            caption="../report/table_consistency_published.rst",
            category="Decision consistency",
            labels={"table": "Table C18: beside the published findings"},
        ),
        "<results>/tables/table_consistency_published.md",
        "<results>/tables/table_consistency_published.tex",
        "<results>/tables/table_consistency_published.json",
    log:
        "<logs>/table_consistency_published.log",
    benchmark:
        "<benchmarks>/table_consistency_published.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_consistency_published"),
    message:
        "Table C18: beside the published findings"
    script:
        "../scripts/table_consistency_published.py"
