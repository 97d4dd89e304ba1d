# How risk behaves when a fixed share, or a share chosen by risk, is accepted; and what small margins foretell.


rule measure_selective_risk:
    input:
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
        tiers="<results>/analyses/tiers.parquet",
    output:
        fixed_coverage="<results>/analyses/fixed_coverage/{source}.parquet",
        risk_rule="<results>/analyses/risk_rule/{source}.parquet",
    log:
        "<logs>/measure_selective_risk/{source}.log",
    benchmark:
        "<benchmarks>/measure_selective_risk/{source}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("measure_selective_risk"),
    message:
        "Measuring the risk of accepted predictions on {wildcards.source}"
    script:
        "../scripts/measure_selective_risk.py"


rule measure_gaps:
    input:
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
        scores=collect("<results>/analyses/image_scores/{model}.parquet", model=MODELS),
        tiers="<results>/analyses/tiers.parquet",
    output:
        "<results>/analyses/probability_gap/{source}.parquet",
    log:
        "<logs>/measure_gaps/{source}.log",
    benchmark:
        "<benchmarks>/measure_gaps/{source}.tsv"
    wildcard_constraints:
        source="|".join(PROBED),
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("measure_gaps"),
    message:
        "Following clean errors by their probability gap on {wildcards.source}"
    script:
        "../scripts/measure_gaps.py"


rule summarise_selective_risk:
    input:
        fixed_coverage=collect("<results>/analyses/fixed_coverage/{source}.parquet", source=SOURCES),
        risk_rule=collect("<results>/analyses/risk_rule/{source}.parquet", source=SOURCES),
        gaps=collect("<results>/analyses/probability_gap/{source}.parquet", source=PROBED),
    output:
        fixed_coverage="<results>/analyses/fixed_coverage.parquet",
        risk_rule="<results>/analyses/risk_rule.parquet",
        gaps="<results>/analyses/probability_gap.parquet",
    log:
        "<logs>/summarise_selective_risk.log",
    benchmark:
        "<benchmarks>/summarise_selective_risk.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=200,
        runtime=15,
    params:
        code=code("summarise_selective_risk"),
        seed=settings["seed"],
    message:
        "Averaging the risk of accepted predictions"
    script:
        "../scripts/summarise_selective_risk.py"
