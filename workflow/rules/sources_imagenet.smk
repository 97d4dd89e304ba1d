# The study of the paper: ImageNet, its captures ImageNet-ES and ES Diverse, other labels, and published models.


rule fetch_source:
    input:
        facts=SOURCE_FACTS,
    output:
        file="<results>/sources/{file}",
        record="<results>/sources/{file}.json",
    log:
        "<logs>/fetch_source/{file}.log",
    benchmark:
        "<benchmarks>/fetch_source/{file}.tsv"
    wildcard_constraints:
        file="|".join(map(re.escape, read_facts(SOURCE_FACTS).files)),
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=60000,
        runtime=1440,
        # One transfer at a time: the archives are large, and their hosts are patient.
        transfers=1,
    params:
        code=code("fetch_source"),
        own_copy=own_copy,
        work=f"{RESULTS}/work/fetch_source/{{file}}",
    message:
        "Fetching {wildcards.file}"
    script:
        "../scripts/fetch_source.py"


rule prepare_imagenet:
    input:
        facts=SOURCE_FACTS,
        labels="<results>/sources/validation_labels.txt",
        archive="<results>/sources/ImageNet-ES.zip",
        chosen=settings["images"]["syn_list"] or [],
    output:
        index="<results>/images/index.parquet",
        store="<results>/images/clean.zip",
    log:
        "<logs>/prepare_imagenet.log",
    benchmark:
        "<benchmarks>/prepare_imagenet.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 4
    resources:
        mem_mb=4000,
        disk_mb=20000,
        runtime=120,
    params:
        code=code("prepare_imagenet"),
        images=settings["images"],
        seed=settings["seed"],
    message:
        "Preparing the images of the study"
    script:
        "../scripts/prepare_imagenet.py"


rule extract_captures:
    input:
        facts=SOURCE_FACTS,
        archive=capture_archive,
        index="<results>/images/index.parquet",
        clean="<results>/images/clean.zip",
        conditions="<resources>/conditions/captures.csv",
    output:
        store="<results>/images/{source}.zip",
        report="<results>/images/{source}.json",
    log:
        "<logs>/extract_captures/{source}.log",
    benchmark:
        "<benchmarks>/extract_captures/{source}.tsv"
    wildcard_constraints:
        source="|".join(CAPTURES),
    conda:
        "../../envs/inference.yaml"
    threads: 4
    resources:
        mem_mb=4000,
        disk_mb=60000,
        runtime=240,
    params:
        code=code("extract_captures"),
    message:
        "Taking the captures of {wildcards.source} from their archive"
    script:
        "../scripts/extract_captures.py"


rule annotate_imagenet:
    input:
        real="<results>/sources/real.json",
        synsets="<results>/sources/imagenet_synsets.txt",
    output:
        "<results>/analyses/annotations.parquet",
    log:
        "<logs>/annotate_imagenet.log",
    benchmark:
        "<benchmarks>/annotate_imagenet.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=10,
    params:
        code=code("annotate_imagenet"),
    message:
        "Reading the labels of ReaL"
    script:
        "../scripts/annotate_imagenet.py"


rule match_mistakes:
    input:
        mistakes=collect("<results>/sources/{file}", file=["vit3b_mistakes.json", "greedy_soups_mistakes.json"]),
        synsets="<results>/sources/imagenet_synsets.txt",
        records=collect("<results>/records/{source}/{model}.parquet", source=CAPTURES, model=MODELS),
    output:
        matches="<results>/analyses/mistakes.parquet",
        counts="<results>/analyses/mistake_counts.parquet",
    log:
        "<logs>/match_mistakes.log",
    benchmark:
        "<benchmarks>/match_mistakes.tsv"
    conda:
        "../../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=more_memory(4000),
        disk_mb=200,
        runtime=30,
    params:
        code=code("match_mistakes"),
    message:
        "Matching clean errors with ImageNet-Mistakes"
    script:
        "../scripts/match_mistakes.py"


rule fetch_weights:
    output:
        weights="<results>/models/{model}.safetensors",
        facts="<results>/models/{model}.json",
    log:
        "<logs>/fetch_weights/{model}.log",
    benchmark:
        "<benchmarks>/fetch_weights/{model}.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=model_memory,
        disk_mb=2 * 30000,
        runtime=720,
        transfers=1,
    params:
        code=code("fetch_weights"),
        entry=registry_entry,
        local=settings["weights"],
        work=f"{RESULTS}/work/fetch_weights/{{model}}",
    message:
        "Fetching the weights of {wildcards.model}"
    script:
        "../scripts/fetch_weights.py"


rule tokenize_prompts:
    output:
        "<results>/models/{model}.tokens.safetensors",
    log:
        "<logs>/tokenize_prompts/{model}.log",
    benchmark:
        "<benchmarks>/tokenize_prompts/{model}.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        disk_mb=200,
        runtime=30,
        transfers=1,
    params:
        code=code("tokenize_prompts"),
        entry=registry_entry,
        prompts=settings["prompts"],
        local=settings["weights"],
    message:
        "Tokenizing the prompts for {wildcards.model}"
    script:
        "../scripts/tokenize_prompts.py"


rule build_head:
    input:
        weights="<results>/models/{model}.safetensors",
        tokens="<results>/models/{model}.tokens.safetensors",
    output:
        "<results>/models/{model}.head.safetensors",
    log:
        "<logs>/build_head/{model}.log",
    benchmark:
        "<benchmarks>/build_head/{model}.tsv"
    conda:
        "../../envs/inference.yaml"
    threads: 1
    resources:
        mem_mb=model_memory,
        disk_mb=200,
        runtime=120,
        gpu=accelerators,
    params:
        code=code("build_head"),
        entry=registry_entry,
        device=settings["inference"]["device"],
    message:
        "Turning the prompts into class vectors of {wildcards.model}"
    script:
        "../scripts/build_head.py"
