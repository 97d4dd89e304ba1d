# What the records determine when their pairing is unknown or partly known.


rule assign_tiers:
    input:
        records=collect("<results>/records/{source}/{model}.parquet", source=SOURCES, model=MODELS),
        captures="<resources>/conditions/captures.csv",
    output:
        "<results>/analyses/tiers.parquet",
    log:
        "<logs>/assign_tiers.log",
    benchmark:
        "<benchmarks>/assign_tiers.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=100,
        runtime=15,
    params:
        code=code("assign_tiers"),
        tiers=settings["tiers"],
    message:
        "Assigning conditions to tiers"
    script:
        "../scripts/assign_tiers.py"


rule select_panel:
    input:
        tiers="<results>/analyses/tiers.parquet",
        cells=settings["panel"]["cells"] or [],
    output:
        "<results>/analyses/panel.parquet",
    log:
        "<logs>/select_panel.log",
    benchmark:
        "<benchmarks>/select_panel.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        disk_mb=100,
        runtime=10,
    params:
        code=code("select_panel"),
        models=MODELS,
        extra_cells=settings["panel"]["extra_cells"],
    message:
        "Selecting the panel of cells"
    script:
        "../scripts/select_panel.py"


rule identify:
    input:
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
        tiers="<results>/analyses/tiers.parquet",
    output:
        cells="<results>/analyses/cells/{source}.parquet",
        bounds="<results>/analyses/bounds/{source}.parquet",
    log:
        "<logs>/identify/{source}.log",
    benchmark:
        "<benchmarks>/identify/{source}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=500,
        runtime=30,
    params:
        code=code("identify"),
        coverage=settings["acceptance"]["coverage"],
    message:
        "Bounding every cell of {wildcards.source}"
    script:
        "../scripts/identify.py"


rule summarise_widths:
    input:
        bounds=collect("<results>/analyses/bounds/{source}.parquet", source=SOURCES),
        panel="<results>/analyses/panel.parquet",
    output:
        grid="<results>/analyses/widths.parquet",
        panel="<results>/analyses/panel_widths.parquet",
    log:
        "<logs>/summarise_widths.log",
    benchmark:
        "<benchmarks>/summarise_widths.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=100,
        runtime=15,
    params:
        code=code("summarise_widths"),
    message:
        "Averaging identified widths over the grid and the panel"
    script:
        "../scripts/summarise_widths.py"


rule summarise_accuracy:
    input:
        cells=collect("<results>/analyses/cells/{source}.parquet", source=SOURCES),
        index="<results>/images/index.parquet",
    output:
        accuracy="<results>/analyses/accuracy.parquet",
        sources="<results>/analyses/sources.parquet",
    log:
        "<logs>/summarise_accuracy.log",
    benchmark:
        "<benchmarks>/summarise_accuracy.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=100,
        runtime=15,
    params:
        code=code("summarise_accuracy"),
    message:
        "Averaging accuracies and counting what each source holds"
    script:
        "../scripts/summarise_accuracy.py"
