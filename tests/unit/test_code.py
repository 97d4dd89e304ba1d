import shutil
import subprocess
import sys

import pytest

from pairedeval.code import code_files

PROGRAM = "import sys; from pairedeval.code import code_digest; print(code_digest(sys.argv[1]))"


@pytest.fixture
def checkout(root, tmp_path):
    """A copy of the package and the scripts that may be edited."""
    shutil.copytree(root / "workflow", tmp_path / "workflow", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "workflow"


def digests(checkout, *scripts):
    """Digests in a fresh interpreter that sees the copy."""
    run = {
        script: subprocess.run(
            [sys.executable, "-c", PROGRAM, str(checkout / "scripts" / f"{script}.py")],
            env={"PYTHONPATH": str(checkout)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for script in scripts
    }
    return run


def test_an_edit_changes_the_rules_that_reach_it_and_no_others(checkout):
    before = digests(checkout, "perturb", "identify", "table_06")
    with (checkout / "pairedeval/perturb/capture.py").open("a") as module:
        module.write("\nEDITED = True\n")
    after = digests(checkout, "perturb", "identify", "table_06")
    assert after["perturb"] != before["perturb"]
    assert {name: after[name] for name in ("identify", "table_06")} == {
        name: before[name] for name in ("identify", "table_06")
    }


def test_a_touch_changes_nothing(checkout):
    before = digests(checkout, "perturb")
    (checkout / "pairedeval/perturb/capture.py").touch()
    assert digests(checkout, "perturb") == before


def test_a_template_belongs_to_its_module(root):
    names = {path.name for path in code_files(root / "workflow/scripts/report.py")}
    assert {"page.py", "page.html.j2", "page.css"} <= names


def test_analyses_never_reach_inference_and_the_report_computes_nothing(root):
    package = root / "workflow/pairedeval"
    for script in ("assign_tiers", "select_panel", "identify", "summarise_widths"):
        files = code_files(root / f"workflow/scripts/{script}.py")
        assert not [path for path in files if path.is_relative_to(package / "inference")], script
        assert not [path for path in files if path.is_relative_to(package / "report")], script
    files = code_files(root / "workflow/scripts/report.py")
    assert not [path for path in files if path.is_relative_to(package / "identification")]
