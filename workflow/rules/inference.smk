# Models and their records: one job per model, or per model and source.


rule train:
    input:
        index="<results>/images/index.parquet",
        store="<results>/images/clean.zip",
    output:
        weights="<results>/models/{model}.safetensors",
        facts="<results>/models/{model}.json",
    log:
        "<logs>/train/{model}.log",
    benchmark:
        "<benchmarks>/train/{model}.tsv"
    conda:
        "../../envs/inference.yaml"
    # A second thread slows such small models down when the cores are shared.
    threads: 1
    resources:
        mem_mb=more_memory(3000),
        disk_mb=100,
        runtime=30,
    params:
        code=code("train"),
        entry=registry_entry,
        prompts=settings["prompts"],
        seed=settings["seed"],
    message:
        "Training {wildcards.model}"
    script:
        "../scripts/train.py"


rule infer:
    input:
        weights="<results>/models/{model}.safetensors",
        index="<results>/images/index.parquet",
        clean="<results>/images/clean.zip",
        perturbed=perturbed_images,
    output:
        "<results>/records/{source}/{model}.parquet",
    log:
        "<logs>/infer/{source}/{model}.log",
    benchmark:
        "<benchmarks>/infer/{source}/{model}.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(3000),
        disk_mb=500,
        runtime=60,
    params:
        code=code("infer"),
        entry=registry_entry,
        inference=settings["inference"],
        study=settings["study"],
        prompts=settings["prompts"],
        config=config_digest("seed", "images", "prompts", "inference"),
        simulated=SIMULATED,
        work=f"{RESULTS}/work/infer/{{source}}/{{model}}",
    message:
        "Running {wildcards.model} on {wildcards.source}"
    script:
        "../scripts/infer.py"


rule probe:
    input:
        weights="<results>/models/{model}.safetensors",
        index="<results>/images/index.parquet",
        clean="<results>/images/clean.zip",
        perturbed="<results>/images/base.zip",
    output:
        "<results>/probes/{model}.npz",
    log:
        "<logs>/probe/{model}.log",
    benchmark:
        "<benchmarks>/probe/{model}.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(3000),
        disk_mb=500,
        runtime=60,
    params:
        code=code("probe"),
        entry=registry_entry,
        inference=settings["inference"],
        study=settings["study"],
        prompts=settings["prompts"],
        config=config_digest("seed", "images", "prompts", "inference"),
        work=f"{RESULTS}/work/probe/{{model}}",
    message:
        "Running {wildcards.model} on every variant of the base images"
    script:
        "../scripts/probe.py"


# The corrupted base images are among the probe variants, so the records of Syn-B need no second run.
rule record_probes:
    input:
        probes="<results>/probes/{model}.npz",
        conditions="<resources>/conditions/corruptions.csv",
    output:
        "<results>/records/syn_b/{model}.parquet",
    log:
        "<logs>/record_probes/{model}.log",
    benchmark:
        "<benchmarks>/record_probes/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("record_probes"),
    message:
        "Scoring the corrupted base images of {wildcards.model}"
    script:
        "../scripts/record_probes.py"


rule describe_models:
    input:
        registry=REGISTRY,
        facts=collect("<results>/models/{model}.json", model=MODELS),
    output:
        "<results>/analyses/models.parquet",
    log:
        "<logs>/describe_models.log",
    benchmark:
        "<benchmarks>/describe_models.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("describe_models"),
    message:
        "Listing the models of the study"
    script:
        "../scripts/describe_models.py"
