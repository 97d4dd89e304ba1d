# Settings of the study, lists that the rules expand over, and the only helper functions. No rules here.
import os
import re
import sys
from functools import cache
from pathlib import Path

if "study" not in config:

    configfile: "config/digits.yaml"


# Relative to this file: also right when another workflow includes this one as a module.
WORKFLOW = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parent
ROOT = WORKFLOW.parent
# Snakemake hands this path on to every job, so that scripts find the package beside this folder.
sys.path.insert(0, str(WORKFLOW))

from pairedeval.code import code_digest
from pairedeval.errors import PairedEvalError
from pairedeval.models.needs import memory_mb, runtime_minutes
from pairedeval.models.registry import check_listed, entry_values, read_registry
from pairedeval.seeds import digest
from pairedeval.settings import read_schema, read_settings
from pairedeval.sources.facts import read_facts

RESOURCES = os.path.relpath(ROOT / "resources")
REGISTRY = os.path.relpath(ROOT / str(config.get("models", "")))

try:
    settings = read_settings(
        config,
        schema=read_schema(ROOT / "config/schemas/study.schema.yaml"),
        place=", ".join(map(str, workflow.configfiles)) or "the configuration",
    )
    registry = {entry.model: entry for entry in read_registry(REGISTRY)}
    consistency = settings["consistency"]
    check_listed(consistency["models"], registry, REGISTRY, "consistency.models")
    check_listed(
        consistency["shifted_models"], consistency["models"], "consistency.models", "consistency.shifted_models"
    )
    SOURCE_FACTS = os.path.relpath(ROOT / settings["images"]["facts"])
    FACTS = read_facts(SOURCE_FACTS)
except PairedEvalError as error:
    sys.exit(str(error))

RESULTS = f"results/{settings['study']}"
KIND = settings["images"]["kind"]
MODELS = list(registry)
SOURCES = ["syn", "syn_b", "es", "diverse"]
# Images are made once and shared: syn_b and the probes both use the perturbed base images.
IMAGE_SETS = ["syn", "base"]
CAPTURES = ["es", "diverse"]
INFERRED = ["syn", *CAPTURES]
SYNTHETIC = ["syn", "syn_b"]
PROBED = ["syn_b", *CAPTURES]
# The digits are captured by a camera model, and the rehearsal has no images at all.
SIMULATED = {"digits": CAPTURES, "imagenet": [], "rehearsal": SOURCES}[KIND]
IMAGE_FILES = ["index.parquet"] if KIND == "rehearsal" else ["index.parquet", "clean.zip", "syn.zip", "base.zip"]
MODEL_FILES = ["json"] if KIND == "rehearsal" else ["json", "safetensors"]
INFERENCE_THREADS = settings["inference"]["threads"]
# Conditions of a source, clean ones included.
CONDITIONS = {"syn": 19, "probes": 58, "es": 55, "diverse": 163}
# Tables and figures stand on the page in this order.
TABLES = ["table_sources", "table_tiers", "table_models"]
TABLES += [f"table_{number}" for number in ("04", "06", "07", "08", "09", *range(10, 40))]
TABLES += ["table_captures", *(f"table_{number}" for number in range(40, 50))]
TABLES += ["table_fixed_coverage", "table_risk_rule", "table_probability_gap", "table_review"]
# The scorecard reads the other tables.
SCORE_TABLES = ["table_scorecard", "table_scorecard_counts"]
TABLES += SCORE_TABLES
FIGURES = ["figure_01", "figure_intervals", *(f"figure_{number:02}" for number in range(2, 7))]
FIGURES += ["figure_accuracy", "figure_07", "figure_08", "figure_scorecard"]
if KIND == "rehearsal":
    FIGURES.remove("figure_07")
# The page shows pictures as PNG and everything else as SVG.
PAGE_FIGURES = [f"{figure}.{'png' if figure == 'figure_07' else 'svg'}" for figure in FIGURES]
# What the words of the page are made from.
PAGE_RESULTS = ["widths", "panel_widths", "tiers", "accuracy", "sources", "models", "timings"]
PAGE_RESULTS += ["policy_orderings", "policy_selection", "policy_actions", "policy_checks", "illustration_pair"]
PAGE_RESULTS += [
    f"screening_{name}"
    for name in ("means", "differences", "ceilings", "subset_sizes", "probes", "captures", "groups", "models", "facts")
]
PAGE_RESULTS += [f"prediction_{name}" for name in ("gains", "thresholds", "correlations", "checks")]
PAGE_RESULTS += ["labels", "label_changes", "label_endpoints", "consensus"]
# Tables of the screening per source, by output; summaries over the sources.
SCREENING_PARTS = ["cells", "draws", "subsets", "selected", "fits", "terciles", "images"]
SCREENING_SUMMARIES = ["means", "differences", "ceilings", "ablation", "terciles", "groups", "models"]
SCREENING_SUMMARIES += ["subset_sizes", "probes", "captures", "selection", "facts"]
ANALYSES = ["panel", "matched_support", "support", "support_strata", "decomposition", "variance", "accuracy_only"]
ANALYSES += ["calibration", "illustration_intervals", *PAGE_RESULTS]
ANALYSES += [f"screening_{name}" for name in ("ablation", "terciles", "selection", "agreement")]
PREDICTION_RESULTS = ["predictions", "gains", "deletions", "thresholds", "correlations", "checks", "feature_sets"]
ANALYSES += [f"prediction_{name}" for name in ("predictions", "deletions", "feature_sets")]
ANALYSES += ["annotations", "fixed_coverage", "risk_rule", "probability_gap"]
SOURCE_ANALYSES = ["cells", "bounds", "correspondence", "policy_bounds", "policy_comparisons", "policy_selections"]
SOURCE_ANALYSES += ["fixed_coverage", "risk_rule"]
CAPTURE_ANALYSES = ["calibration", *(f"screening/{part}" for part in SCREENING_PARTS)]
CAPTURE_ANALYSES += ["prediction_targets", "label_cells", "label_endpoints", "consensus", "probability_gap"]
# What the scorecard may compare: in the study of the paper everything, in one of its shape what the shape decides.
SCOPE = {"imagenet": "results", "rehearsal": "shape", "digits": "protocol"}[KIND]
SCORED = ["annotations", "calibration", "decomposition", "illustration_pair", "label_changes", "label_endpoints"]
SCORED += ["labels", "matched_support", "models", "panel", "policy_actions", "policy_checks", "policy_orderings"]
SCORED += [f"prediction_{name}" for name in ("checks", "gains", "predictions", "thresholds")]
SCORED += [f"screening_{name}" for name in ("ablation", "captures", "facts", "means", "models", "probes", "selection")]
SCORED += ["screening_subset_sizes", "support", "tiers", "variance", "widths"]
SCORED_SOURCES = ["cells", "bounds", "correspondence", "policy_bounds", "policy_comparisons", "policy_selections"]
SCORED_CAPTURES = ["calibration", "screening/cells", "screening/fits", "prediction_targets", "label_endpoints"]
# The second part, decision consistency: its configurations, and those that are also trained on other classes.
CONSISTENT = consistency["models"]
RETRAINED = consistency["shifted_models"]
RUNS = range(1, consistency["seeds"] + 1)
VIEW_KINDS = ["levels", "shifted", "rare", "withheld"]
CLEAN_MEASURES = ["models", "detection", "strength", "weights", "subsets", "operators", "margin_information"]
CLEAN_MEASURES += ["certificate", "flip_bounds", "cost"]
MISLED_MEASURES = ["shift", "transfer", "estimators", "attacks", "withheld", "priors", "recalls", "inequality"]
COMPARED_SUMMARIES = ["regimes", "rankings", "shift_gain", "robustness"]
CONSISTENCY_SUMMARIES = [*COMPARED_SUMMARIES, "model_summaries", "model_correlations", "regime_counts"]
CONSISTENCY_SUMMARIES += ["gain_correlations", "robustness_correlations"]
CONSISTENCY_SUMMARIES += ["detection_configurations", "certificate_configurations"]
CONSISTENCY_SUMMARIES += [
    f"{name}_summary"
    for name in ("detection", "strength", "weight", "operator", "margin", "certificate", "inequality", "bound")
]
CONSISTENCY_SUMMARIES += [
    f"{name}_summary" for name in ("shift", "transfer", "estimator", "attack", "success", "withheld", "prior", "recall")
]
CONSISTENCY_TABLES = [
    f"table_consistency_{name}"
    for name in (
        "reference",
        "regimes",
        "operators",
        "detection",
        "cost",
        "strength",
        "margin",
        "certificate",
        "bounds",
    )
]
CONSISTENCY_TABLES += [
    f"table_consistency_{name}"
    for name in (
        "shift",
        "transfer",
        "estimators",
        "robustness",
        "attacks",
        "withheld",
        "priors",
        "recalls",
        "published",
    )
]
CONSISTENCY_FIGURES = [
    f"figure_consistency_{name}" for name in ("operators", "detection", "certificate", "shift", "attacks", "priors")
]
CONSISTENCY_PAGE_FIGURES = [
    f"{figure}.{'png' if figure == 'figure_consistency_operators' else 'svg'}" for figure in CONSISTENCY_FIGURES
]
CONSISTENCY_PAGE_RESULTS = [*CONSISTENCY_SUMMARIES, "models", "certificate", "cost", "detection_differences"]
CONSISTENCY_PAGE_RESULTS += ["operator_audit", "published", "timings"]
# Nobody can review images that do not exist.
REVIEWERS = [] if KIND == "rehearsal" else settings["review"]["reviewers"]


@cache
def script_digest(script):
    """Digest of a rule's script and of all package code behind it; Snakemake itself watches only the script."""
    return code_digest(WORKFLOW / "scripts" / f"{script}.py")


def code(script):
    """Digest of a script as a parameter that waits: the process of a job digests only its own code."""
    return lambda wildcards: script_digest(script)


def config_digest(*sections):
    """Digest of the parts of the configuration that decide a result."""
    return digest(*(f"{section}={settings[section]!r}" for section in ("study", *sections)))[:16]


def condition_tables(wildcards):
    """Tables that name the conditions of an image set."""
    tables = {"syn": ["corruptions"], "base": ["corruptions", "transforms"]}[wildcards.image_set]
    return collect("<resources>/conditions/{table}.csv", table=tables)


def perturbed_images(wildcards):
    """Image set of the source of a job."""
    return image_set_of(wildcards.source)


def capture_images(wildcards):
    """Image sets of the captured sources."""
    return list(map(image_set_of, CAPTURES))


def image_set_of(source):
    """Image set of a source; simulated captures say so in their name."""
    return f"<results>/images/{source}{'_simulated' if source in SIMULATED and source in CAPTURES else ''}.zip"


def making_benchmarks():
    """Benchmarks of the jobs that make the records, in the order of the stations."""
    if KIND == "rehearsal":
        return ["<benchmarks>/rehearse_index.tsv", *collect("<benchmarks>/rehearse_model/{model}.tsv", model=MODELS)]
    own = {
        "digits": ["prepare_images", "simulate_captures/{source}", "train/{model}"],
        "imagenet": ["prepare_imagenet", "extract_captures/{source}", "fetch_weights/{model}"],
    }[KIND]
    shared = ["infer/{inferred}/{model}", "probe/{model}"]
    return [
        *collect("<benchmarks>/perturb/{image_set}.tsv", image_set=IMAGE_SETS),
        *(
            path
            for part in own + shared
            for path in collect(f"<benchmarks>/{part}.tsv", source=CAPTURES, model=MODELS, inferred=INFERRED)
        ),
    ]


def benchmark_files():
    """Benchmarks of every job before the report, in the order of the stations."""
    return [
        *making_benchmarks(),
        *collect("<benchmarks>/record_probes/{model}.tsv", model=MODELS),
        "<benchmarks>/assign_tiers.tsv",
        "<benchmarks>/select_panel.tsv",
        *collect("<benchmarks>/identify/{source}.tsv", source=SOURCES),
        "<benchmarks>/summarise_widths.tsv",
        "<benchmarks>/summarise_accuracy.tsv",
        *collect("<benchmarks>/check_correspondence/{source}.tsv", source=SOURCES),
        "<benchmarks>/match_support.tsv",
        *collect("<benchmarks>/calibrate/{source}.tsv", source=CAPTURES),
        *collect("<benchmarks>/compare_policies/{source}.tsv", source=SOURCES),
        *collect("<benchmarks>/summarise_probes/{model}.tsv", model=MODELS),
        *collect("<benchmarks>/screen/{source}.tsv", source=CAPTURES),
        "<benchmarks>/summarise_screening.tsv",
        *collect("<benchmarks>/describe_responses/{source}.tsv", source=SYNTHETIC),
        "<benchmarks>/predict_models.tsv",
        *collect("<benchmarks>/compare_labels/{source}.tsv", source=CAPTURES),
        *collect("<benchmarks>/measure_consensus/{source}.tsv", source=CAPTURES),
        "<benchmarks>/sample_review.tsv",
    ]


def consistency_files(names):
    """Tables of the second part, by name."""
    return {name: f"<results>/consistency/{name}.parquet" for name in names}


def affected_classes(wildcards):
    """Classes that a variant of the training images thins out or leaves out."""
    return consistency.get(f"{wildcards.variant}_classes", [])


def configuration_weights(wildcards):
    """Weights of all training seeds of the variant that a kind of views needs."""
    variant = wildcards.kind if wildcards.kind in ("rare", "withheld") else "main"
    folder = f"<results>/consistency/models/{variant}/{wildcards.model}"
    return [f"{folder}/{run}.safetensors" for run in RUNS]


def viewed_images(wildcards):
    """Image set behind a kind of views."""
    return f"<results>/images/{'syn' if wildcards.kind == 'shifted' else 'clean'}.zip"


def consistency_benchmarks():
    """Benchmarks of the jobs of the second part, in their order."""
    return [
        *collect("<benchmarks>/train_configuration/main/{model}.tsv", model=CONSISTENT),
        *collect(
            "<benchmarks>/train_configuration/{variant}/{model}.tsv", variant=["rare", "withheld"], model=RETRAINED
        ),
        *collect("<benchmarks>/run_views/{kind}/{model}.tsv", kind=["levels", "shifted"], model=CONSISTENT),
        *collect("<benchmarks>/run_views/{kind}/{model}.tsv", kind=["rare", "withheld"], model=RETRAINED),
        *collect("<benchmarks>/attack_images/{model}.tsv", model=CONSISTENT),
        *collect(
            "<benchmarks>/{job}.tsv",
            job=[
                "audit_operators",
                "measure_consistency",
                "measure_misled_confidence",
                "compare_detection",
                "summarise_consistency",
                "compare_published",
            ],
        ),
    ]


def policy_cells(wildcards):
    """Cells whose policies are compared: the panel, or every cell of the source."""
    full = "<results>/analyses/cells/{source}.parquet"
    return full if settings["policies"]["grid"] == "full" else "<results>/analyses/panel.parquet"


def registry_entry(wildcards):
    """What decides the results of one model, as plain values."""
    return entry_values(registry[wildcards.model])


def class_vectors(wildcards):
    """Class vectors of a published image-text model; other models have none."""
    entry = registry[wildcards.model]
    return f"<results>/models/{entry.model}.head.safetensors" if entry.library == "open_clip" and entry.weights else []


def capture_archive(wildcards):
    """Published archive of a source."""
    return f"<results>/sources/{FACTS.archive(wildcards.source).file}"


def own_copy(wildcards):
    """Copy of a published file that the user has; None if it is to be fetched."""
    return settings["images"]["copies"].get(wildcards.file)


def execution(wildcards):
    """How one model is run; the registry knows which batch fits a device."""
    chosen = {key: value for key, value in settings["inference"].items() if key != "threads"}
    return chosen | {"batch_size": chosen["batch_size"] or registry[wildcards.model].needs.batch_size or 256}


def model_memory(wildcards, attempt):
    """Memory of a job that loads a model, in MB, doubled with each attempt."""
    return memory_mb(registry[wildcards.model].parameters) * 2 ** (attempt - 1)


def model_minutes(wildcards, attempt):
    """Minutes for running a model on one source, or on the probes; a job that was stopped goes on with more time."""
    source = wildcards.get("source", "probes")
    # Published images take a while; the embedded ones do not.
    images = {"syn": 1000 * settings["images"]["syn_per_class"]}.get(source, 1000) if KIND == "imagenet" else 0
    inference = settings["inference"]
    needs = registry[wildcards.model].needs
    images *= CONDITIONS[source]
    return attempt * runtime_minutes(needs, images, inference["precision"], inference["threads"])


def accelerators(wildcards):
    """Devices of a job: one for a published model, unless the study stays on the CPU."""
    return int(registry[wildcards.model].needs.gpu_memory_mb > 0 and settings["inference"]["device"] != "cpu")


def more_memory(base):
    """Memory in MB that doubles with each attempt."""

    def memory(wildcards, attempt):
        return base * 2 ** (attempt - 1)

    return memory
