"""The house rules that a test can hold: layout, pins, scripts, sizes."""

import ast
import re
import subprocess
import tomllib
from importlib.metadata import packages_distributions

import pytest
import yaml

from pairedeval.code import code_files

TOP = {
    "Snakefile", "workflow", "config", "envs", "resources", "results", "tests", "README.md",
    "pyproject.toml", "Makefile", "LICENSE", "CITATION.cff", "CHANGELOG.md",
}  # fmt: skip
ENVIRONMENTS = ("inference", "analysis", "report")
LOCKS = ("requirements.lock", "no-deps.lock")
# conda and pip resolve the dependencies of imagecorruptions themselves there, to the build with display.
SAME_MODULE = {"opencv-python": "opencv-python-headless"}
# Written into the jobs by Snakemake itself or part of Python.
FREE = {"pairedeval", "snakemake"}


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def pins(root):
    lines = [line for lock in LOCKS for line in (root / "envs" / lock).read_text().splitlines()]
    return {canonical(name): version for name, _, version in (line.partition("==") for line in lines if "==" in line)}


def pins_of_environment(root, name):
    pinned = {}
    for entry in yaml.safe_load((root / f"envs/{name}.yaml").read_text())["dependencies"]:
        for line in entry["pip"] if isinstance(entry, dict) else [entry]:
            package, version = re.fullmatch(r"([\w.-]+?)(?:={1,2}(.*))?", line).groups()
            pinned[canonical(package)] = version
    return pinned


def test_the_top_level_is_as_agreed(root):
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    found = {path.split("/")[0] for path in listed if path and not path.startswith(".")}
    assert found == TOP


def test_every_dependency_is_locked_within_its_bounds(root, pins):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    for requirement in (line for group in groups for line in group if not line.startswith("pairedeval")):
        name, bound = re.fullmatch(r"([\w.-]+?)(?:\[\w+\])?>=([\d.]+)", requirement).groups()
        locked = pins[canonical(name)]
        numbers = [[int(part) for part in re.findall(r"\d+", version)[:2]] for version in (locked, bound)]
        assert numbers[0] >= numbers[1], f"{requirement}: locked at {locked}"


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_conda_pins_equal_the_lock(root, pins, name):
    for package, version in pins_of_environment(root, name).items():
        if package not in {"python", "pip"}:
            assert version == pins[SAME_MODULE.get(package, package)], f"envs/{name}.yaml: {package}"


def rules_of(root):
    text = "".join(path.read_text() for path in sorted((root / "workflow/rules").glob("*.smk")))
    return dict(re.findall(r"^rule (\w+):(.*?)(?=^rule |\Z)", text, re.M | re.S))


def test_each_environment_covers_the_imports_of_its_scripts(root):
    distributions = {module: {canonical(name) for name in names} for module, names in packages_distributions().items()}
    for rule, text in rules_of(root).items():
        environment = re.search(r"envs/(\w+)\.yaml", text)[1]
        script = re.search(r"scripts/(\w+)\.py", text)[1]
        covered = {SAME_MODULE.get(package, package) for package in pins_of_environment(root, environment)}
        for path in (file for file in code_files(root / f"workflow/scripts/{script}.py") if file.suffix == ".py"):
            for module in imported_modules(path):
                known = distributions.get(module, set())
                assert not known or module in FREE or known & covered, f"{rule}: {path.name} imports {module}"


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_every_rule_carries_what_a_rule_needs(root):
    for rule, text in rules_of(root).items():
        for directive in ("log:", "benchmark:", "threads:", "mem_mb=", "runtime=", "conda:", "message:", "script:"):
            assert directive in text, f"rule {rule} lacks {directive}"
        script = re.search(r"scripts/(\w+)\.py", text)[1]
        assert f'code=code("{script}")' in text, f"rule {rule} does not watch its code"
        assert (root / f"workflow/scripts/{script}.py").is_file()
        assert re.search(r"\brun:", text) is None


def test_every_script_belongs_to_a_rule_and_stays_small(root):
    scripts = {re.search(r"scripts/(\w+)\.py", text)[1] for text in rules_of(root).values()}
    for path in (root / "workflow/scripts").glob("*.py"):
        text = path.read_text()
        assert path.stem in scripts, f"{path.name} belongs to no rule"
        assert "snakemake.config" not in text, f"{path.name}: changes of the configuration would go unnoticed"
        assert len(text.splitlines()) <= 45, f"{path.name} is long for a script"


def test_modules_and_functions_stay_small(root):
    for path in (root / "workflow/pairedeval").rglob("*.py"):
        text = path.read_text()
        assert len(text.splitlines()) <= 400, f"{path.name} has too many lines"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                first = node.body[1 if ast.get_docstring(node) and len(node.body) > 1 else 0].lineno
                length = node.end_lineno - first + 1
                assert length <= 60, f"{path.name}: {node.name} has {length} lines"


def test_the_light_modules_stay_light(root):
    program = "import sys, pairedeval.settings, pairedeval.code, pairedeval.models.registry; print(*sys.modules)"
    run = subprocess.run(
        [__import__("sys").executable, "-c", program], capture_output=True, text=True, check=True, cwd=root
    )
    heavy = {"numpy", "pandas", "torch", "matplotlib", "pyarrow"} & set(run.stdout.split())
    assert not heavy, f"planning imports {heavy}"
