"""The smoke study from images to report, and what reruns when something changes."""

import re
import zipfile

import pytest

from pairedeval.cli import main
from pairedeval.files import read_table
from pairedeval.records import read_records

pytestmark = [pytest.mark.study, pytest.mark.timeout(900)]


def test_a_killed_run_leaves_no_half_written_file(killed):
    for path in killed.results.glob("images/*.zip"):
        assert zipfile.ZipFile(path).testzip() is None
    for path in killed.results.glob("records/*/*.parquet"):
        read_records(path)


def test_records_cover_the_grid_and_pass_the_check(finished, capsys):
    expected = {"syn": 19, "syn_b": 19, "es": 55, "diverse": 163}
    for source, conditions in expected.items():
        paths = sorted((finished.results / "records" / source).glob("*.parquet"))
        assert len(paths) == 3
        for path in paths:
            frame, metadata = read_records(path)
            assert frame["condition"].nunique() == conditions
            assert metadata["source"] == source
            assert metadata["simulated"] is (source in {"es", "diverse"})
            assert main(["check", str(path)]) == 0
    assert "good" in capsys.readouterr().out


def test_the_report_stands_alone_and_says_what_is_simulated(finished):
    page = (finished.results / "report.html").read_text(encoding="utf-8")
    assert not re.findall(r"(?:src|href)=[\"'](?!#|data:)(?!https://arxiv\.org)[^\"']*", page)
    assert "simulated" in page
    for name in ("table_04", "table_16", "table_39", "table_48", "figure_01", "figure_06", "figure_08"):
        assert f'id="{name}"' in page


def test_every_target_exists_and_nothing_is_left_over(finished):
    paper = (f"table_{number:02}" for number in (4, *range(6, 50)))
    own = ("models", "sources", "tiers", "captures", "fixed_coverage", "risk_rule", "probability_gap", "review")
    for name in (*paper, *(f"table_{name}" for name in own)):
        for suffix in ("csv", "md", "tex", "json"):
            assert (finished.results / f"tables/{name}.{suffix}").stat().st_size
    for name in (*(f"figure_{number:02}" for number in range(1, 9)), "figure_accuracy", "figure_intervals"):
        for suffix in ("pdf", "svg", "png"):
            assert (finished.results / f"figures/{name}.{suffix}").stat().st_size
    assert sorted(path.name for path in (finished.results / "review").glob("*.html")) == [
        "reviewer-1.html",
        "reviewer-2.html",
    ]
    assert not [path for path in finished.results.rglob("*") if path.is_file() and ".part" in path.name]
    assert not [path for path in (finished.results / "work").rglob("*") if path.is_file()]


def test_a_second_run_does_nothing(finished):
    assert "Nothing to be done" in finished.snakemake().stdout + finished.snakemake().stderr


@pytest.mark.parametrize(
    ("deleted", "rules"),
    [
        ("tables/table_06.md", {"table_06"}),
        ("figures/figure_07.png", {"figure_07"}),
        ("analyses/panel_widths.parquet", {"summarise_widths"}),
    ],
)
def test_only_what_depends_on_a_deleted_file_is_made_again(finished, deleted, rules):
    path = finished.results / deleted
    path.rename(path.with_suffix(".kept"))
    try:
        planned = set(finished.planned())
    finally:
        path.with_suffix(".kept").rename(path)
    assert rules <= planned
    assert not planned & {"prepare_images", "perturb", "train", "infer", "probe", "record_probes", "identify"}


def test_images_made_again_are_the_same_to_the_bit_and_only_timings_follow(finished):
    path = finished.results / "images/es_simulated.zip"
    before = path.read_bytes()
    path.unlink()
    planned = finished.planned()
    assert planned["simulate_captures"] == 1
    assert planned["infer"] == 3
    assert not planned.keys() & {"prepare_images", "perturb", "train", "probe"}
    finished.snakemake("results/smoke/images/es_simulated.zip")
    assert path.read_bytes() == before
    assert finished.planned().keys() == {"collect_timings", "report", "all"}


def test_a_change_of_one_policy_weight_reruns_policies_only(finished):
    path = finished.folder / "config/smoke.yaml"
    before = path.read_text()
    path.write_text(before + "policies: {weights: [0.25, 0.5]}\n")
    try:
        planned = set(finished.planned())
    finally:
        path.write_text(before)
    follow = {"summarise_policies", "illustrate_policies", "figure_05", "collect_timings", "report", "all"}
    follow |= {"scorecard", "table_scorecard", "table_scorecard_counts", "figure_scorecard"}
    tables = {f"table_{number:02}" for number in (4, 12, 13, 14, 15)}
    assert planned == {"compare_policies"} | follow | tables


@pytest.mark.parametrize(
    ("module", "rules", "spared"),
    [
        ("report/tables.py", {"table_06", "table_07"}, {"identify", "infer", "train", "perturb", "figure_01"}),
        ("identification/events.py", {"identify"}, {"infer", "train", "perturb", "select_panel"}),
        ("perturb/capture.py", {"perturb", "simulate_captures"}, {"train", "prepare_images"}),
    ],
)
def test_an_edit_of_the_package_reruns_the_rules_that_use_it(finished, module, rules, spared):
    path = finished.folder / "workflow/pairedeval" / module
    before = path.read_text()
    path.write_text(before + "\n# edited\n")
    try:
        planned = set(finished.planned())
    finally:
        path.write_text(before)
    assert rules <= planned
    assert not planned & spared


def test_the_second_part_is_a_target_of_its_own(finished, consistent):
    topics = "reference regimes operators detection cost strength margin certificate bounds shift transfer estimators"
    for topic in f"{topics} robustness attacks withheld priors recalls published".split():
        for suffix in ("csv", "md", "tex", "json"):
            assert (consistent.results / f"tables/table_consistency_{topic}.{suffix}").stat().st_size
    for topic in ("operators", "detection", "certificate", "shift", "attacks", "priors"):
        for suffix in ("pdf", "svg", "png"):
            assert (consistent.results / f"figures/figure_consistency_{topic}.{suffix}").stat().st_size
    assert not consistent.planned("consistency")
    # Images that another test made again leave the timings of the first part to be collected.
    assert finished.planned().keys() <= {"collect_timings", "report", "all"}


def test_no_flip_of_the_second_part_breaks_the_inequality(consistent):
    checks = read_table(consistent.results / "consistency/inequality.parquet")
    assert set(checks["kind"]) == {"levels", "shifted", "attacked", "rare", "withheld"}
    assert checks["flips"].sum() > 100
    assert not checks["violations"].any()


def test_another_stability_weight_attacks_again_and_trains_nothing(consistent):
    path = consistent.folder / "config/smoke.yaml"
    before = path.read_text()
    path.write_text(before.replace("stability_weights: [1]", "stability_weights: [2]"))
    try:
        planned = consistent.planned("consistency")
    finally:
        path.write_text(before)
    assert planned["attack_images"] == 2
    assert not planned.keys() & {"train_configuration", "run_views", "measure_consistency", "compare_detection"}


def test_snakemakes_own_report_is_made(finished):
    finished.snakemake("--report", "results/smoke/snakemake-report.zip")
    assert zipfile.ZipFile(finished.results / "snakemake-report.zip").testzip() is None
