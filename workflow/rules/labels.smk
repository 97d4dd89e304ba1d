# How conclusions depend on the labels, and which errors models share.


rule compare_labels:
    input:
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
        annotations="<results>/analyses/annotations.parquet",
    output:
        cells="<results>/analyses/label_cells/{source}.parquet",
        endpoints="<results>/analyses/label_endpoints/{source}.parquet",
    log:
        "<logs>/compare_labels/{source}.log",
    benchmark:
        "<benchmarks>/compare_labels/{source}.tsv"
    wildcard_constraints:
        source="|".join(CAPTURES),
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("compare_labels"),
        coverage=settings["acceptance"]["coverage"],
    message:
        "Comparing two kinds of labels on {wildcards.source}"
    script:
        "../scripts/compare_labels.py"


rule summarise_labels:
    input:
        cells=collect("<results>/analyses/label_cells/{source}.parquet", source=CAPTURES),
        endpoints=collect("<results>/analyses/label_endpoints/{source}.parquet", source=CAPTURES),
        annotations="<results>/analyses/annotations.parquet",
    output:
        labels="<results>/analyses/labels.parquet",
        changes="<results>/analyses/label_changes.parquet",
        endpoints="<results>/analyses/label_endpoints.parquet",
    log:
        "<logs>/summarise_labels.log",
    benchmark:
        "<benchmarks>/summarise_labels.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=100,
        runtime=15,
    params:
        code=code("summarise_labels"),
    message:
        "Averaging what other labels change"
    script:
        "../scripts/summarise_labels.py"


rule measure_consensus:
    input:
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
    output:
        "<results>/analyses/consensus/{source}.parquet",
    log:
        "<logs>/measure_consensus/{source}.log",
    benchmark:
        "<benchmarks>/measure_consensus/{source}.tsv"
    wildcard_constraints:
        source="|".join(CAPTURES),
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("measure_consensus"),
    message:
        "Finding the clean errors that models share, on {wildcards.source}"
    script:
        "../scripts/measure_consensus.py"


rule summarise_consensus:
    input:
        consensus=collect("<results>/analyses/consensus/{source}.parquet", source=CAPTURES),
    output:
        "<results>/analyses/consensus.parquet",
    log:
        "<logs>/summarise_consensus.log",
    benchmark:
        "<benchmarks>/summarise_consensus.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=100,
        runtime=15,
    params:
        code=code("summarise_consensus"),
    message:
        "Averaging how often shared errors persist"
    script:
        "../scripts/summarise_consensus.py"
