# Whether summaries of synthetic responses predict how a model does under real captures.


rule describe_responses:
    input:
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
    output:
        "<results>/analyses/response_summaries/{source}.parquet",
    log:
        "<logs>/describe_responses/{source}.log",
    benchmark:
        "<benchmarks>/describe_responses/{source}.tsv"
    wildcard_constraints:
        source="|".join(SYNTHETIC),
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("describe_responses"),
        seed=settings["seed"],
        coverage=settings["acceptance"]["coverage"],
    message:
        "Summarising the responses of the models to {wildcards.source}"
    script:
        "../scripts/describe_responses.py"


rule pool_targets:
    input:
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
        tiers="<results>/analyses/tiers.parquet",
    output:
        "<results>/analyses/prediction_targets/{source}.parquet",
    log:
        "<logs>/pool_targets/{source}.log",
    benchmark:
        "<benchmarks>/pool_targets/{source}.tsv"
    wildcard_constraints:
        source="|".join(CAPTURES),
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("pool_targets"),
        coverage=settings["acceptance"]["coverage"],
    message:
        "Pooling what is to be predicted on {wildcards.source}"
    script:
        "../scripts/pool_targets.py"


rule predict_models:
    input:
        responses=collect("<results>/analyses/response_summaries/{source}.parquet", source=SYNTHETIC),
        targets=collect("<results>/analyses/prediction_targets/{source}.parquet", source=CAPTURES),
        cells=collect("<results>/analyses/cells/{source}.parquet", source=CAPTURES),
        bounds=collect("<results>/analyses/bounds/{source}.parquet", source=CAPTURES),
    output:
        **{name: f"<results>/analyses/prediction_{name}.parquet" for name in PREDICTION_RESULTS},
    log:
        "<logs>/predict_models.log",
    benchmark:
        "<benchmarks>/predict_models.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("predict_models"),
        seed=settings["seed"],
    message:
        "Predicting the models of each group from those of the others"
    script:
        "../scripts/predict_models.py"
