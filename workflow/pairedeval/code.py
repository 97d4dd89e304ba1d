"""Digests of code, so that an edit of the package reruns just the rules that use it.

Snakemake watches the script of a rule, never what the script imports. Each rule therefore carries the
digest of its script and of every module of this package that the script reaches, as a parameter.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = "pairedeval"
# The front of the package: it runs on every import and changes with every release, but computes nothing.
FRONT = Path(__file__).with_name("__init__.py")


def code_digest(script: str | Path) -> str:
    """Return the SHA-256 (first 16 hex digits) of a script and of all package code it reaches.

    Reached are the modules that the script imports, the modules that those import, and so on, imports
    inside functions included; and data files beside a module that share its name (``page.py`` and
    ``page.html.j2``).
    """
    state = hashlib.sha256()
    for path in code_files(script):
        state.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return state.hexdigest()[:16]


def code_files(script: str | Path) -> tuple[Path, ...]:
    """Return the files behind `code_digest`, in a fixed order: the script first."""
    start = Path(script).resolve()
    reached: set[Path] = set()
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached.add(path)
            waiting.extend(_imported(path))
    reached.discard(start)
    beside = {data for module in reached for data in module.parent.glob(f"{module.stem}.*") if data.is_file()}
    return (start, *sorted(reached | beside))


@cache
def _imported(path: Path) -> tuple[Path, ...]:
    """Return the package's own files that a Python file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    return tuple(file for name in _imported_names(tree) for file in _files_of(name))


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _files_of(name: str) -> Iterator[Path]:
    """Yield the file of a module and the ``__init__`` files of the packages it lies in."""
    first, *rest = name.split(".")
    if first != PACKAGE:
        return
    place = Path(__file__).parent
    for part in rest:
        place = place / part
        for candidate in (place / "__init__.py", place.with_suffix(".py")):
            if candidate.is_file() and candidate != FRONT:
                yield candidate
