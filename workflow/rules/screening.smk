# Which images to test physically next: risk scores of the clean-correct images, from probes, judged by real captures.


rule summarise_probes:
    input:
        probes="<results>/probes/{model}.npz",
        corruptions="<resources>/conditions/corruptions.csv",
        transforms="<resources>/conditions/transforms.csv",
    output:
        responses="<results>/analyses/responses/{model}.parquet",
        scores="<results>/analyses/image_scores/{model}.parquet",
    log:
        "<logs>/summarise_probes/{model}.log",
    benchmark:
        "<benchmarks>/summarise_probes/{model}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(3000),
        disk_mb=200,
        runtime=15,
    params:
        code=code("summarise_probes"),
    message:
        "Scoring the probes of {wildcards.model}"
    script:
        "../scripts/summarise_probes.py"


rule screen:
    input:
        responses=collect("<results>/analyses/responses/{model}.parquet", model=MODELS),
        scores=collect("<results>/analyses/image_scores/{model}.parquet", model=MODELS),
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
        tiers="<results>/analyses/tiers.parquet",
        corruptions="<resources>/conditions/corruptions.csv",
        transforms="<resources>/conditions/transforms.csv",
    output:
        **{part: f"<results>/analyses/screening/{part}/{{source}}.parquet" for part in SCREENING_PARTS},
    log:
        "<logs>/screen/{source}.log",
    benchmark:
        "<benchmarks>/screen/{source}.tsv"
    wildcard_constraints:
        source="|".join(CAPTURES),
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=500,
        runtime=60,
    params:
        code=code("screen"),
        seed=settings["seed"],
        tiers=settings["tiers"],
    message:
        "Ranking the images of {wildcards.source} by their risk"
    script:
        "../scripts/screen.py"


rule summarise_screening:
    input:
        **{
            part: collect("<results>/analyses/screening/{part}/{source}.parquet", part=part, source=CAPTURES)
            for part in SCREENING_PARTS
        },
        captures="<resources>/conditions/captures.csv",
    output:
        **{name: f"<results>/analyses/screening_{name}.parquet" for name in SCREENING_SUMMARIES},
    log:
        "<logs>/summarise_screening.log",
    benchmark:
        "<benchmarks>/summarise_screening.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("summarise_screening"),
        seed=settings["seed"],
    message:
        "Averaging how well the scores rank failures"
    script:
        "../scripts/summarise_screening.py"


rule compare_runs:
    input:
        probes=collect("<results>/probes/{model}.npz", model=MODELS),
        records=collect("<results>/records/{source}/{model}.parquet", source=CAPTURES, model=MODELS),
        registry=REGISTRY,
    output:
        "<results>/analyses/screening_agreement.parquet",
    log:
        "<logs>/compare_runs.log",
    benchmark:
        "<benchmarks>/compare_runs.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=100,
        runtime=30,
    params:
        code=code("compare_runs"),
    message:
        "Comparing two inference runs on the same images"
    script:
        "../scripts/compare_runs.py"
