# The human review of persistent wrong answers: a sample with known inclusion probabilities, and a page for each reviewer.


rule sample_review:
    input:
        **{
            source: collect("<results>/records/{source}/{model}.parquet", source=source, model=MODELS)
            for source in CAPTURES
        },
        tiers="<results>/analyses/tiers.parquet",
    output:
        frame="<results>/review/frame.parquet",
        strata="<results>/review/strata.parquet",
        sample="<results>/review/sample.csv",
        assignment="<results>/review/assignment.csv",
    log:
        "<logs>/sample_review.log",
    benchmark:
        "<benchmarks>/sample_review.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("sample_review"),
        captures=CAPTURES,
        seed=settings["seed"],
        events=settings["review"]["events"],
        reviewers=settings["review"]["reviewers"],
    message:
        "Sampling persistent wrong answers for review"
    script:
        "../scripts/sample_review.py"


rule review_page:
    input:
        index="<results>/images/index.parquet",
        sample="<results>/review/sample.csv",
        assignment="<results>/review/assignment.csv",
        images=capture_images,
    output:
        "<results>/review/{reviewer}.html",
    log:
        "<logs>/review_page/{reviewer}.log",
    benchmark:
        "<benchmarks>/review_page/{reviewer}.tsv"
    wildcard_constraints:
        reviewer="|".join(map(re.escape, settings["review"]["reviewers"])),
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=15,
    params:
        code=code("review_page"),
        captures=CAPTURES,
        study=settings["study"],
        simulated=SIMULATED,
    message:
        "Writing the review page of {wildcards.reviewer}"
    script:
        "../scripts/review_page.py"
