import logging
from pathlib import Path

import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.scripting import job
from support.jobs import snakemake_job


@pytest.fixture
def snakemake(tmp_path):
    """What a script sees, and logging as a fresh interpreter has it."""
    root = logging.getLogger()
    kept = root.handlers[:]
    root.handlers.clear()
    yield snakemake_job(
        "infer",
        outputs=[str(tmp_path / "records.txt")],
        wildcards={"source": "es", "model": "vit"},
        log=str(tmp_path / "logs/rule.log"),
    )
    for handler in root.handlers:
        handler.close()
    root.handlers[:] = kept
    logging.captureWarnings(False)


def run(snakemake, error=None):
    with job(snakemake):
        Path(snakemake.output[0]).write_text("records")
        if error:
            raise error


def logged(snakemake):
    return Path(snakemake.log[0]).read_text()


def test_a_job_that_ends_well_says_nothing(snakemake, capsys):
    run(snakemake)
    assert logged(snakemake) == ""
    assert capsys.readouterr().err == ""


def test_the_origin_of_each_result_is_kept(snakemake, tmp_path):
    run(snakemake)
    assert '"rule": "infer"' in (tmp_path / "provenance/records.txt.json").read_text()


def test_a_problem_of_the_user_is_one_line_without_traceback(snakemake, capsys):
    with pytest.raises(SystemExit) as caught:
        run(snakemake, PairedEvalError("es.zip: damaged; make it again"))
    assert caught.value.code == 1
    assert capsys.readouterr().err == "infer es vit: es.zip: damaged; make it again\n"
    assert logged(snakemake).endswith("ERROR es.zip: damaged; make it again\n")
    assert "Traceback" not in logged(snakemake)


def test_a_fault_of_the_code_leaves_its_traceback_in_the_log(snakemake):
    with pytest.raises(ZeroDivisionError):
        run(snakemake, ZeroDivisionError("by hand"))
    assert "Traceback" in logged(snakemake)
    assert "ZeroDivisionError: by hand" in logged(snakemake)


def test_a_package_of_another_checkout_is_refused(snakemake, tmp_path, capsys):
    snakemake.scriptdir = str(tmp_path / "workflow/scripts")
    with pytest.raises(SystemExit):
        run(snakemake)
    assert "is not the one of this checkout" in capsys.readouterr().err
