# Further checks of what correspondence information is worth.


rule check_correspondence:
    input:
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
        tiers="<results>/analyses/tiers.parquet",
    output:
        "<results>/analyses/correspondence/{source}.parquet",
    log:
        "<logs>/check_correspondence/{source}.log",
    benchmark:
        "<benchmarks>/check_correspondence/{source}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("check_correspondence"),
    message:
        "Checking the correspondence of {wildcards.source}"
    script:
        "../scripts/check_correspondence.py"


rule summarise_correspondence:
    input:
        cells=collect("<results>/analyses/correspondence/{source}.parquet", source=SOURCES),
    output:
        decomposition="<results>/analyses/decomposition.parquet",
        variance="<results>/analyses/variance.parquet",
        accuracy_only="<results>/analyses/accuracy_only.parquet",
    log:
        "<logs>/summarise_correspondence.log",
    benchmark:
        "<benchmarks>/summarise_correspondence.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=200,
        runtime=15,
    params:
        code=code("summarise_correspondence"),
        seed=settings["seed"],
    message:
        "Averaging the checks of correspondence"
    script:
        "../scripts/summarise_correspondence.py"


rule match_support:
    input:
        records=collect("<results>/records/{source}/{model}.parquet", source=SOURCES, model=MODELS),
        panel="<results>/analyses/panel.parquet",
    output:
        cells="<results>/analyses/matched_support.parquet",
        support="<results>/analyses/support.parquet",
        strata="<results>/analyses/support_strata.parquet",
    log:
        "<logs>/match_support.log",
    benchmark:
        "<benchmarks>/match_support.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("match_support"),
        seeds=settings["matching"]["seeds"],
        coverage=settings["acceptance"]["coverage"],
    message:
        "Matching the support of the sources"
    script:
        "../scripts/match_support.py"


rule calibrate:
    input:
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
    output:
        "<results>/analyses/calibration/{source}.parquet",
    log:
        "<logs>/calibrate/{source}.log",
    benchmark:
        "<benchmarks>/calibrate/{source}.tsv"
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
        code=code("calibrate"),
        coverage=settings["acceptance"]["coverage"],
    message:
        "Calibrating the confidences of {wildcards.source}"
    script:
        "../scripts/calibrate.py"


rule summarise_calibration:
    input:
        events=collect("<results>/analyses/calibration/{source}.parquet", source=CAPTURES),
    output:
        "<results>/analyses/calibration.parquet",
    log:
        "<logs>/summarise_calibration.log",
    benchmark:
        "<benchmarks>/summarise_calibration.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=200,
        runtime=15,
    params:
        code=code("summarise_calibration"),
    message:
        "Averaging the events of calibrated confidences"
    script:
        "../scripts/summarise_calibration.py"
