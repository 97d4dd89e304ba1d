# The embedded study: handwritten digits, their simulated captures and annotations, and the models trained on them.


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


# Screen and print captures by the camera model of pairedeval.perturb.capture, not by a camera.
rule simulate_captures:
    input:
        index="<results>/images/index.parquet",
        store="<results>/images/clean.zip",
        conditions="<resources>/conditions/captures.csv",
    output:
        store="<results>/images/{source}_simulated.zip",
    log:
        "<logs>/simulate_captures/{source}.log",
    benchmark:
        "<benchmarks>/simulate_captures/{source}.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=2000,
        runtime=60,
    params:
        code=code("simulate_captures"),
        seed=settings["seed"],
        work=f"{RESULTS}/work/simulate_captures/{{source}}",
    message:
        "Simulating the captures of {wildcards.source}"
    script:
        "../scripts/simulate_captures.py"


# Labels by agreement of classifiers, not of people: see pairedeval.labels.agreement.
rule annotate_digits:
    output:
        "<results>/analyses/annotations.parquet",
    log:
        "<logs>/annotate_digits.log",
    benchmark:
        "<benchmarks>/annotate_digits.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=15,
    params:
        code=code("annotate_digits"),
        seed=settings["seed"],
    message:
        "Annotating the digits by the agreement of classifiers"
    script:
        "../scripts/annotate_digits.py"


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
