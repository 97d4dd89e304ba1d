# Records that need no second run, and what the models are.


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
