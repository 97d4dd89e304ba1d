# Images, their labels, and how they are divided.


rule prepare_images:
    output:
        index="<results>/images/index.parquet",
        store="<results>/images/clean.zip",
    log:
        "<logs>/prepare_images.log",
    benchmark:
        "<benchmarks>/prepare_images.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        disk_mb=500,
        runtime=10,
    params:
        code=code("prepare_images"),
        images=settings["images"],
        seed=settings["seed"],
    message:
        "Preparing the images of the study"
    script:
        "../scripts/prepare_images.py"
