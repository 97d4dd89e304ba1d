# The second part, decision consistency: configurations trained from several seeds, run on every view of the images.


rule train_configuration:
    input:
        index="<results>/images/index.parquet",
        store="<results>/images/clean.zip",
    output:
        weights=collect("<results>/consistency/models/{{variant}}/{{model}}/{run}.safetensors", run=RUNS),
        facts=collect("<results>/consistency/models/{{variant}}/{{model}}/{run}.json", run=RUNS),
    log:
        "<logs>/train_configuration/{variant}/{model}.log",
    benchmark:
        "<benchmarks>/train_configuration/{variant}/{model}.tsv"
    conda:
        "../../envs/inference.yaml"
    # A second thread slows such small models down when the cores are shared.
    threads: 1
    resources:
        mem_mb=more_memory(3000),
        disk_mb=200,
        runtime=60,
    params:
        code=code("train_configuration"),
        entry=registry_entry,
        seed=settings["seed"],
        affected=affected_classes,
        share=consistency["rare_share"],
    message:
        "Training {wildcards.model} from several seeds ({wildcards.variant})"
    script:
        "../scripts/train_configuration.py"


rule run_views:
    input:
        weights=configuration_weights,
        index="<results>/images/index.parquet",
        store=viewed_images,
        operators="<resources>/conditions/operators.csv",
    output:
        "<results>/consistency/views/{kind}/{model}.npz",
    log:
        "<logs>/run_views/{kind}/{model}.log",
    benchmark:
        "<benchmarks>/run_views/{kind}/{model}.tsv"
    wildcard_constraints:
        kind="|".join(VIEW_KINDS),
    conda:
        "../../envs/inference.yaml"
    threads: INFERENCE_THREADS
    resources:
        mem_mb=more_memory(3000),
        disk_mb=500,
        runtime=60,
    params:
        code=code("run_views"),
        entry=registry_entry,
        inference=execution,
        seed=settings["seed"],
        study=settings["study"],
        config=config_digest("seed", "images", "inference"),
        work=f"{RESULTS}/work/run_views/{{kind}}/{{model}}",
    message:
        "Running {wildcards.model} on views of the images ({wildcards.kind})"
    script:
        "../scripts/run_views.py"


rule attack_images:
    input:
        weights=collect("<results>/consistency/models/main/{{model}}/{run}.safetensors", run=RUNS),
        index="<results>/images/index.parquet",
        store="<results>/images/clean.zip",
        operators="<resources>/conditions/operators.csv",
    output:
        "<results>/consistency/views/attacked/{model}.npz",
    log:
        "<logs>/attack_images/{model}.log",
    benchmark:
        "<benchmarks>/attack_images/{model}.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: INFERENCE_THREADS
    resources:
        mem_mb=more_memory(3000),
        disk_mb=200,
        runtime=60,
    params:
        code=code("attack_images"),
        entry=registry_entry,
        inference=execution,
        seed=settings["seed"],
        images=consistency["attack_images"],
        budgets=consistency["budgets"],
        adaptive_budgets=consistency["adaptive_budgets"],
        stability_weights=consistency["stability_weights"],
        study=settings["study"],
        config=config_digest("seed", "images", "consistency", "inference"),
    message:
        "Attacking {wildcards.model}"
    script:
        "../scripts/attack_images.py"


rule audit_operators:
    input:
        index="<results>/images/index.parquet",
        store="<results>/images/clean.zip",
        operators="<resources>/conditions/operators.csv",
    output:
        "<results>/consistency/operator_audit.parquet",
    log:
        "<logs>/audit_operators.log",
    benchmark:
        "<benchmarks>/audit_operators.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=15,
    params:
        code=code("audit_operators"),
        seed=settings["seed"],
    message:
        "Measuring how far the mild operators change the images"
    script:
        "../scripts/audit_operators.py"


rule show_operators:
    input:
        index="<results>/images/index.parquet",
        store="<results>/images/clean.zip",
        operators="<resources>/conditions/operators.csv",
    output:
        "<results>/consistency/operator_examples.zip",
    log:
        "<logs>/show_operators.log",
    benchmark:
        "<benchmarks>/show_operators.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("show_operators"),
        seed=settings["seed"],
    message:
        "Changing one image by every operator"
    script:
        "../scripts/show_operators.py"


rule measure_consistency:
    input:
        levels=collect("<results>/consistency/views/levels/{model}.npz", model=CONSISTENT),
    output:
        **consistency_files(CLEAN_MEASURES),
    log:
        "<logs>/measure_consistency.log",
    benchmark:
        "<benchmarks>/measure_consistency.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("measure_consistency"),
    message:
        "Measuring consistency on clean images"
    script:
        "../scripts/measure_consistency.py"


rule measure_misled_confidence:
    input:
        levels=collect("<results>/consistency/views/levels/{model}.npz", model=CONSISTENT),
        shifted=collect("<results>/consistency/views/shifted/{model}.npz", model=CONSISTENT),
        attacked=collect("<results>/consistency/views/attacked/{model}.npz", model=CONSISTENT),
        rare=collect("<results>/consistency/views/rare/{model}.npz", model=RETRAINED),
        withheld=collect("<results>/consistency/views/withheld/{model}.npz", model=RETRAINED),
    output:
        **consistency_files(MISLED_MEASURES),
    log:
        "<logs>/measure_misled_confidence.log",
    benchmark:
        "<benchmarks>/measure_misled_confidence.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(3000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("measure_misled_confidence"),
    message:
        "Measuring consistency on corrupted, attacked and unknown images"
    script:
        "../scripts/measure_misled_confidence.py"


rule compare_detection:
    input:
        levels=collect("<results>/consistency/views/levels/{model}.npz", model=CONSISTENT),
    output:
        "<results>/consistency/detection_differences.parquet",
    log:
        "<logs>/compare_detection.log",
    benchmark:
        "<benchmarks>/compare_detection.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=100,
        runtime=30,
    params:
        code=code("compare_detection"),
        seed=settings["seed"],
    message:
        "Comparing how well scores find errors"
    script:
        "../scripts/compare_detection.py"


rule summarise_consistency:
    input:
        **consistency_files(CLEAN_MEASURES),
        **consistency_files(MISLED_MEASURES),
    output:
        **consistency_files(CONSISTENCY_SUMMARIES),
    log:
        "<logs>/summarise_consistency.log",
    benchmark:
        "<benchmarks>/summarise_consistency.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=100,
        runtime=30,
    params:
        code=code("summarise_consistency"),
        seed=settings["seed"],
    message:
        "Summarising consistency over configurations and seeds"
    script:
        "../scripts/summarise_consistency.py"


rule compare_published:
    input:
        **consistency_files([*CLEAN_MEASURES, *MISLED_MEASURES, *COMPARED_SUMMARIES, "detection_differences"]),
        findings="<resources>/published/consistency.csv",
    output:
        "<results>/consistency/published.parquet",
    log:
        "<logs>/compare_published.log",
    benchmark:
        "<benchmarks>/compare_published.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=100,
        runtime=15,
    params:
        code=code("compare_published"),
    message:
        "Setting the published findings beside those of this study"
    script:
        "../scripts/compare_published.py"
