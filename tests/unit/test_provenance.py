"""Origins of files: what a job notes and stamps, and how a chain is followed and compared with the disk."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from PIL import Image

from pairedeval.errors import PairedEvalError
from pairedeval.files import PROVENANCE_KEY, read_metadata, read_table, write_table, write_text
from pairedeval.provenance import digests
from pairedeval.provenance.chain import chain_answer, trace
from pairedeval.provenance.job import recorded
from pairedeval.provenance.readable import readable_chain
from pairedeval.report.render import write_all
from pairedeval.report.stored import read_stored
from pairedeval.report.style import new_figure, save_figure
from pairedeval.report.table import Column, Table
from support.jobs import CONFIG, snakemake_job

SOURCE = "resources/numbers.csv"
INDEX, SUM = "results/own/images/index.parquet", "results/own/analyses/sum.parquet"
TABLE = [f"results/own/tables/table_01.{suffix}" for suffix in ("csv", "md", "tex", "json")]
CHAIN = [TABLE[0], SUM, INDEX, SOURCE]


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def origin(path):
    return json.loads(Path("results/own/provenance", f"{Path(path).relative_to('results/own')}.json").read_text())


def prepare(**options):
    with recorded(snakemake_job("prepare", [SOURCE], [INDEX], {"seed": 7, "work": "w"}, **options)):
        write_table(pd.read_csv(SOURCE), INDEX, {"images": "numbers"})


def analyse(**options):
    with recorded(snakemake_job("analyse", [INDEX], [SUM], wildcards={"source": "es"}, **options)):
        write_table(read_table(INDEX).sum().to_frame("sum"), SUM)


def tabulate(**options):
    with recorded(snakemake_job("table_01", [SUM], TABLE, {"simulated": ["es"]}, **options)):
        rows = tuple((int(value),) for value in read_table(SUM)["sum"])
        write_all(Table("table_01", "Table 1", "Sums.", (Column("sum", "Sum", "count"),), rows), TABLE[0][:-4])


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study of three jobs in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("resources").mkdir()
    Path(SOURCE).write_text("number\n1\n2\n")
    for make in (prepare, analyse, tabulate):
        make()
    return tmp_path


def problems(path=TABLE[0]):
    return trace(path).problems


@pytest.mark.parametrize("path", [INDEX, SUM, *TABLE])
def test_every_file_has_an_origin(study, path):
    found = origin(path)
    assert (found["study"], found["seed"], found["file"]) == ("own", 7, path)
    assert found["sha256"] == sha256(path)
    assert found["inputs"] == {used: sha256(used) for used in found["inputs"]}
    assert list(found["inputs"]) == [CHAIN[CHAIN.index(path if path in CHAIN else TABLE[0]) + 1]]
    assert found["code"] == "0123456789abcdef"
    assert found["version"].count(".") == 2
    assert found["software"].keys() >= {"python", "pandas"}


def test_an_origin_holds_the_settings_of_its_job_and_the_whole_configuration(study):
    assert origin(INDEX)["settings"] == {"seed": 7}
    assert origin(SUM)["wildcards"] == {"source": "es"}
    kept = study / f"results/own/provenance/configurations/{origin(SUM)['configuration']}.json"
    assert json.loads(kept.read_text()) == CONFIG


def test_the_commit_is_that_of_the_checkout_and_of_no_folder_above_it(study):
    git = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", "own")
    Path("own/copy/workflow/scripts").mkdir(parents=True)
    Path("own/workflow/rules").mkdir(parents=True)
    for arguments in (("init", "--quiet"), ("commit", "--quiet", "--allow-empty", "--message", "First")):
        subprocess.run([*git, *arguments], check=True)
    found = {}
    for scripts in ("own/workflow/rules/../scripts", "own/copy/workflow/scripts"):
        job = snakemake_job("analyse", [INDEX], [SUM])
        job.scriptdir = scripts
        with recorded(job):
            write_text("sums", SUM)
        found[scripts] = origin(SUM)["commit"]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout
    assert list(found.values()) == [head.strip(), ""]


def test_the_config_digest_follows_the_settings_of_the_job_alone(study):
    before = origin(INDEX)
    prepare(config={**CONFIG, "policies": {"weights": [0.25]}})
    assert origin(INDEX)["config_digest"] == before["config_digest"]
    assert origin(INDEX)["configuration"] != before["configuration"]
    prepare(config={**CONFIG, "seed": 8})
    assert origin(INDEX)["config_digest"] != before["config_digest"]


def test_a_job_that_fails_leaves_no_origin(study):
    shutil.rmtree("results/own/provenance")
    with pytest.raises(ZeroDivisionError), recorded(snakemake_job("analyse", [INDEX], [SUM])):
        raise ZeroDivisionError
    assert not list(study.rglob("provenance/analyses/*"))
    write_text("after the job", "note.tex")
    assert Path("note.tex").read_text() == "after the job"


def test_results_that_other_jobs_read_name_the_job_and_nothing_that_may_vary(study):
    stored = json.loads(pq.read_schema(INDEX).metadata[PROVENANCE_KEY])
    assert {**stored, "version": ""} == {"study": "own", "rule": "prepare", "wildcards": {}, "seed": 7, "version": ""}
    assert read_metadata(INDEX) == {"images": "numbers"}


def test_tables_pages_and_figures_name_their_inputs(study):
    page, figure = "results/own/review/a.html", "results/own/figures/figure_01"
    with recorded(snakemake_job("draw--all", [SUM], [page, *(f"{figure}.{kind}" for kind in ("pdf", "png", "svg"))])):
        write_text("<p>Text</p>\n", page)
        save_figure(new_figure(1, 1)[0], figure)
    table = read_comment(TABLE[1])
    assert table["inputs"] == {SUM: sha256(SUM)}
    assert table["config_digest"] == origin(TABLE[1])["config_digest"]
    assert read_comment(TABLE[2]) == json.loads(Path(TABLE[3]).read_text())["provenance"] == table
    assert read_stored(TABLE[3]).rows == ((3,),)
    drawn = read_comment(page)
    assert drawn["rule"] == "draw--all"
    assert Path(page).read_text().count("--") == 2, "hyphens would end the comment early"
    assert json.loads(Image.open(f"{figure}.png").text["Description"]) == drawn
    assert json.dumps(drawn).encode() in Path(f"{figure}.svg").read_bytes()
    assert sha256(SUM).encode() in Path(f"{figure}.pdf").read_bytes()


def read_comment(path):
    line = Path(path).read_text().splitlines()[-1]
    return json.loads(line[line.index("{") : line.rindex("}") + 1])


def test_equal_results_have_equal_bytes_whatever_else_changes(study):
    before = {path: sha256(path) for path in (INDEX, SUM, *TABLE)}
    Path(SOURCE).write_text("number\n1\n2\n\n")
    for make in (prepare, analyse, tabulate):
        make(config={**CONFIG, "policies": {"weights": [0.25]}}, log="results/own/logs/elsewhere/again.log")
    assert {path: sha256(path) for path in before} == before
    assert origin(INDEX)["inputs"][SOURCE] == sha256(SOURCE)


def test_a_chain_leads_through_all_jobs_to_the_source(study):
    chain = trace(TABLE[0])
    assert list(chain.links) == CHAIN
    assert [link.kind for link in chain.links.values()] == ["made", "made", "made", "source"]
    assert [link.origin.rule for link in list(chain.links.values())[:3]] == ["table_01", "analyse", "prepare"]
    assert {path: link.sha256 for path, link in chain.links.items()} == {path: sha256(path) for path in CHAIN}
    assert not chain.problems


def test_the_chain_of_a_csv_file_is_told_in_words(study):
    text = readable_chain(trace(TABLE[0]))
    assert text.startswith(f"{TABLE[0]}\n  study          own, seed 7\n  made by        table_01, 20")
    assert '  setting        simulated = ["es"]\n' in text
    assert (
        "Made from\n"
        "└── analyses/sum.parquet: analyse source=es, code 01234567\n"
        "    └── images/index.parquet: prepare, code 01234567, seed 7\n"
        "        └── resources/numbers.csv: from outside the study\n"
    ) in text
    assert text.endswith(
        "The file on disk is the one that was made; the files behind it, 3, are the ones that were used."
    )


def test_the_chain_goes_into_json(study):
    answer = json.loads(json.dumps(chain_answer(trace(TABLE[0]))))
    assert [file["path"] for file in answer["files"]] == CHAIN
    assert answer["files"][2]["origin"] == origin(INDEX)
    assert answer["problems"] == []


def test_a_tampered_input_is_noticed(study):
    write_table(pd.DataFrame({"number": [1, 3]}), INDEX)
    assert problems() == {
        INDEX: [
            "the file on disk is not the one that prepare made",
            f"the file on disk is not the one that was used for {SUM}",
        ]
    }
    text = readable_chain(trace(TABLE[0]))
    assert "images/index.parquet: prepare, code 01234567, seed 7  <-- see below\n" in text
    assert f"* {INDEX}: the file on disk is not the one that was used for {SUM}" in text


def test_an_input_that_was_made_again_is_noticed(study):
    Path(SOURCE).write_text("number\n1\n3\n")
    prepare()
    assert problems() == {INDEX: [f"the file on disk is not the one that was used for {SUM}"]}
    assert not problems(INDEX)


def test_a_changed_or_lost_source_and_a_changed_result_are_noticed(study):
    Path(SOURCE).write_text("number\n1\n3\n")
    assert problems() == {SOURCE: [f"the file on disk is not the one that was used for {INDEX}"]}
    Path(SOURCE).unlink()
    assert problems() == {SOURCE: ["no longer on disk"]}
    assert not problems(SUM).keys() - {SOURCE}
    Path(TABLE[0]).write_text("sum\n4\n")
    assert problems()[TABLE[0]] == ["the file on disk is not the one that table_01 made"]


def test_a_file_whose_origin_is_lost_is_named(study):
    Path("results/own/provenance/analyses/sum.parquet.json").unlink()
    assert list(problems()) == [SUM]
    assert list(trace(TABLE[0]).links) == [TABLE[0], SUM]
    assert "analyses/sum.parquet: of unknown origin  <-- see below" in readable_chain(trace(TABLE[0]))


def test_what_jobs_took_has_no_origin(study):
    Path("results/own/benchmarks").mkdir()
    Path("results/own/benchmarks/prepare.tsv").write_text("s\n1\n")
    with recorded(snakemake_job("collect", ["results/own/benchmarks/prepare.tsv"], [SUM])):
        write_table(pd.DataFrame({"sum": [1]}), SUM)
    assert not problems(SUM)
    assert "benchmarks/prepare.tsv: measured by Snakemake" in readable_chain(trace(SUM))


def test_a_copy_is_recognised_by_its_content(study, tmp_path_factory):
    copy = tmp_path_factory.mktemp("letter") / "attachment.csv"
    shutil.copy(TABLE[0], copy)
    assert list(trace(copy).links) == CHAIN


def test_a_study_that_was_moved_still_knows_its_own_files(study, tmp_path_factory):
    archive = tmp_path_factory.mktemp("archive")
    shutil.move("results/own", archive / "old")
    assert trace(archive / "old/tables/table_01.csv").problems == {SOURCE: ["no longer on disk"]}


def test_a_link_among_the_results_keeps_its_own_origin(study):
    link = "results/own/sources/numbers.csv"
    with recorded(snakemake_job("fetch", [], [link])):
        Path(link).parent.mkdir()
        Path(link).symlink_to(Path(SOURCE).resolve())
    assert list(trace(link).links) == [link]
    assert readable_chain(trace(link)).endswith("\n\nThe file on disk is the one that was made.")


def test_files_without_origin_are_explained(study):
    with pytest.raises(PairedEvalError, match=r"none.csv: no such file; check the path"):
        trace("none.csv")
    Path("own.csv").write_text("a\n")
    with pytest.raises(PairedEvalError, match=r"own.csv: no study in the folder results has noted that it made"):
        trace("own.csv")
    Path("results/own/provenance/analyses/sum.parquet.json").write_text("{}")
    with pytest.raises(PairedEvalError, match=r"sum.parquet.json: not a readable origin .* remove it"):
        trace(TABLE[0])


def test_many_files_of_one_rule_share_a_line_and_stand_in_the_tree_once(study):
    models = [f"results/own/models/m{place}.json" for place in range(4)]
    records = [f"results/own/records/{source}/m{place}.json" for source in ("es", "syn") for place in range(4)]
    for model in models:
        with recorded(snakemake_job("train", [INDEX], [model], {"seed": 7})):
            write_text(model, model)
    for record in records:
        with recorded(snakemake_job("infer", [models[int(record[-6])]], [record])):
            write_text(record, record)
    with recorded(snakemake_job("summarise", [*models, *records], [SUM])):
        write_text("all", SUM)
    assert (
        "Made from\n"
        "├── models/*.json (4 files): train, code 01234567, seed 7\n"
        "│   └── images/index.parquet: prepare, code 01234567, seed 7\n"
        "│       └── resources/numbers.csv: from outside the study\n"
        "└── records/*/*.json (8 files): infer, code 01234567\n"
        "    └── models/*.json (4 files): train, code 01234567, seed 7 (as above)\n\n"
    ) in readable_chain(trace(SUM))


@pytest.fixture
def read(monkeypatch):
    """The files whose whole content is read."""
    names = []
    whole = digests.file_digest
    monkeypatch.setattr(digests, "file_digest", lambda path: names.append(str(path)) or whole(path))
    return names


def test_a_large_input_is_read_whole_once(study, read):
    Path("results/own/images/clean.zip").write_bytes(bytes(digests.SMALL + 1))
    for place in range(3):
        with recorded(snakemake_job("infer", ["results/own/images/clean.zip", SOURCE], [SUM])):
            write_text(str(place), SUM)
    assert read == ["results/own/images/clean.zip", SOURCE, SOURCE, SOURCE]
    assert origin(SUM)["inputs"]["results/own/images/clean.zip"] == sha256("results/own/images/clean.zip")


def test_a_large_input_is_read_again_when_it_was_written_again(study):
    path = Path("results/own/images/clean.zip")
    for content in (b"a", b"b"):
        path.write_bytes(content * (digests.SMALL + 1))
        os.utime(path, ns=(0, ord(content)))
        with recorded(snakemake_job("infer", [str(path)], [SUM])):
            write_text("records", SUM)
        assert origin(SUM)["inputs"] == {str(path): sha256(path)}


def test_a_damaged_cache_is_no_harm(tmp_path):
    (tmp_path / "large").write_bytes(bytes(digests.SMALL + 1))
    (tmp_path / "cache.json").write_text("{")
    found = digests.cached_digest(tmp_path / "large", tmp_path / "cache.json", remember=False)
    assert found == sha256(tmp_path / "large")
    assert (tmp_path / "cache.json").read_text() == "{"
