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
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=2000,
        runtime=60,
    params:
        code=code("perturb"),
        seed=settings["seed"],
        work=f"{RESULTS}/work/perturb/{{image_set}}",
    message:
        "Perturbing the images of {wildcards.image_set}"
    script:
        "../scripts/perturb.py"
