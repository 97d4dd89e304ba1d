# Tables on selective risk, probability gaps and the review, beyond those of the paper.


rule table_fixed_coverage:
    input:
        risks="<results>/analyses/fixed_coverage.parquet",
    output:
        report(
            "<results>/tables/table_fixed_coverage.csv",
            caption="../report/table_fixed_coverage.rst",
            category="Tables",
            labels={"table": "Risk at fixed coverage"},
        ),
        "<results>/tables/table_fixed_coverage.md",
        "<results>/tables/table_fixed_coverage.tex",
        "<results>/tables/table_fixed_coverage.json",
    log:
        "<logs>/table_fixed_coverage.log",
    benchmark:
        "<benchmarks>/table_fixed_coverage.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_fixed_coverage"),
        simulated=SIMULATED,
    message:
        "Risk among the most confident predictions"
    script:
        "../scripts/table_fixed_coverage.py"


rule table_risk_rule:
    input:
        rule="<results>/analyses/risk_rule.parquet",
    output:
        report(
            "<results>/tables/table_risk_rule.csv",
            caption="../report/table_risk_rule.rst",
            category="Tables",
            labels={"table": "The 5% risk rule"},
        ),
        "<results>/tables/table_risk_rule.md",
        "<results>/tables/table_risk_rule.tex",
        "<results>/tables/table_risk_rule.json",
    log:
        "<logs>/table_risk_rule.log",
    benchmark:
        "<benchmarks>/table_risk_rule.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_risk_rule"),
        simulated=SIMULATED,
    message:
        "Coverage and risk under the 5% risk rule"
    script:
        "../scripts/table_risk_rule.py"


rule table_probability_gap:
    input:
        gaps="<results>/analyses/probability_gap.parquet",
    output:
        report(
            "<results>/tables/table_probability_gap.csv",
            caption="../report/table_probability_gap.rst",
            category="Tables",
            labels={"table": "Probability gaps"},
        ),
        "<results>/tables/table_probability_gap.md",
        "<results>/tables/table_probability_gap.tex",
        "<results>/tables/table_probability_gap.json",
    log:
        "<logs>/table_probability_gap.log",
    benchmark:
        "<benchmarks>/table_probability_gap.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_probability_gap"),
        simulated=SIMULATED,
    message:
        "Fates of clean errors by their probability gap"
    script:
        "../scripts/table_probability_gap.py"


rule table_review:
    input:
        strata="<results>/review/strata.parquet",
    output:
        report(
            "<results>/tables/table_review.csv",
            caption="../report/table_review.rst",
            category="Tables",
            labels={"table": "Review sample"},
        ),
        "<results>/tables/table_review.md",
        "<results>/tables/table_review.tex",
        "<results>/tables/table_review.json",
    log:
        "<logs>/table_review.log",
    benchmark:
        "<benchmarks>/table_review.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("table_review"),
        simulated=SIMULATED,
        reviewers=settings["review"]["reviewers"],
    message:
        "Strata of the review sample"
    script:
        "../scripts/table_review.py"
