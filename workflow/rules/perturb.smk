# Perturbed images, made once per set and shared by all models.


rule perturb:
    input:
        index="<results>/images/index.parquet",
        store="<results>/images/clean.zip",
        conditions=condition_tables,
    output:
        store="<results>/images/{image_set}.zip",
    log:
        "<logs>/perturb/{image_set}.log",
    benchmark:
        "<benchmarks>/perturb/{image_set}.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: INFERENCE_THREADS
    resources:
        mem_mb=more_memory(2000 * INFERENCE_THREADS),
        # The shards and, for a moment, the set that they are joined to.
        disk_mb=100000 if KIND == "imagenet" else 2000,
        runtime=lambda wildcards, attempt: 120 * attempt,
    params:
        code=code("perturb"),
        seed=settings["seed"],
        work=f"{RESULTS}/work/perturb/{{image_set}}",
    message:
        "Perturbing the images of {wildcards.image_set}"
    script:
        "../scripts/perturb.py"
