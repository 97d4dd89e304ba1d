# Rejection policies: costs, comparisons under a shared correspondence, and selection.


rule compare_policies:
    input:
        records=collect("<results>/records/{{source}}/{model}.parquet", model=MODELS),
        cells=policy_cells,
    output:
        bounds="<results>/analyses/policy_bounds/{source}.parquet",
        comparisons="<results>/analyses/policy_comparisons/{source}.parquet",
        selections="<results>/analyses/policy_selections/{source}.parquet",
    log:
        "<logs>/compare_policies/{source}.log",
    benchmark:
        "<benchmarks>/compare_policies/{source}.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=120,
    params:
        code=code("compare_policies"),
        weights=settings["policies"]["weights"],
        coverages=settings["policies"]["coverages"],
        coverage=settings["acceptance"]["coverage"],
    message:
        "Comparing policies on {wildcards.source}"
    script:
        "../scripts/compare_policies.py"


rule summarise_policies:
    input:
        bounds=collect("<results>/analyses/policy_bounds/{source}.parquet", source=SOURCES),
        comparisons=collect("<results>/analyses/policy_comparisons/{source}.parquet", source=SOURCES),
        selections=collect("<results>/analyses/policy_selections/{source}.parquet", source=SOURCES),
    output:
        orderings="<results>/analyses/policy_orderings.parquet",
        selection="<results>/analyses/policy_selection.parquet",
        actions="<results>/analyses/policy_actions.parquet",
        checks="<results>/analyses/policy_checks.parquet",
    log:
        "<logs>/summarise_policies.log",
    benchmark:
        "<benchmarks>/summarise_policies.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=15,
    params:
        code=code("summarise_policies"),
    message:
        "Counting what the policy comparisons establish"
    script:
        "../scripts/summarise_policies.py"


rule illustrate_policies:
    input:
        panel="<results>/analyses/panel.parquet",
        cells=collect("<results>/analyses/cells/{source}.parquet", source=CAPTURES),
        targets=collect("<results>/analyses/bounds/{source}.parquet", source=CAPTURES),
        bounds=collect("<results>/analyses/policy_bounds/{source}.parquet", source=CAPTURES),
        comparisons=collect("<results>/analyses/policy_comparisons/{source}.parquet", source=CAPTURES),
    output:
        intervals="<results>/analyses/illustration_intervals.parquet",
        pair="<results>/analyses/illustration_pair.parquet",
    log:
        "<logs>/illustrate_policies.log",
    benchmark:
        "<benchmarks>/illustrate_policies.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(2000),
        disk_mb=200,
        runtime=15,
    params:
        code=code("illustrate_policies"),
        captures=CAPTURES,
    message:
        "Choosing one cell as an example"
    script:
        "../scripts/illustrate_policies.py"
