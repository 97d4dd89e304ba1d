# Models and their records: one job per model, or per model and source.


rule infer:
    input:
        weights="<results>/models/{model}.safetensors",
        head=class_vectors,
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
    threads: INFERENCE_THREADS
    resources:
        mem_mb=model_memory,
        disk_mb=2000,
        runtime=model_minutes,
        gpu=accelerators,
    params:
        code=code("infer"),
        entry=registry_entry,
        inference=execution,
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
        head=class_vectors,
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
    threads: INFERENCE_THREADS
    resources:
        mem_mb=model_memory,
        disk_mb=2000,
        runtime=model_minutes,
        gpu=accelerators,
    params:
        code=code("probe"),
        entry=registry_entry,
        inference=execution,
        study=settings["study"],
        prompts=settings["prompts"],
        config=config_digest("seed", "images", "prompts", "inference"),
        work=f"{RESULTS}/work/probe/{{model}}",
    message:
        "Running {wildcards.model} on every variant of the base images"
    script:
        "../scripts/probe.py"
