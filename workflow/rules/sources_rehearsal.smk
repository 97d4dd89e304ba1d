# The dress rehearsal: records and probe outputs of the paper's full shape, all of them simulated.


rule rehearse_index:
    output:
        "<results>/images/index.parquet",
    log:
        "<logs>/rehearse_index.log",
    benchmark:
        "<benchmarks>/rehearse_index.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=30,
    params:
        code=code("rehearse_index"),
        seed=settings["seed"],
    message:
        "Listing images that do not exist"
    script:
        "../scripts/rehearse_index.py"


rule rehearse_model:
    input:
        index="<results>/images/index.parquet",
        conditions=collect("<resources>/conditions/{table}.csv", table=["corruptions", "transforms", "captures"]),
    output:
        **{source: f"<results>/records/{source}/{{model}}.parquet" for source in INFERRED},
        probes="<results>/probes/{model}.npz",
        description="<results>/models/{model}.json",
    log:
        "<logs>/rehearse_model/{model}.log",
    benchmark:
        "<benchmarks>/rehearse_model/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(3000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("rehearse_model"),
        entry=registry_entry,
        sources=INFERRED,
        study=settings["study"],
        config=config_digest("seed", "images"),
        seed=settings["seed"],
    message:
        "Simulating the answers of {wildcards.model}"
    script:
        "../scripts/rehearse_model.py"


rule rehearse_annotations:
    input:
        index="<results>/images/index.parquet",
    output:
        "<results>/analyses/annotations.parquet",
    log:
        "<logs>/rehearse_annotations.log",
    benchmark:
        "<benchmarks>/rehearse_annotations.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=30,
    params:
        code=code("rehearse_annotations"),
        seed=settings["seed"],
    message:
        "Simulating accepted labels"
    script:
        "../scripts/rehearse_annotations.py"
