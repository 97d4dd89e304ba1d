"""What ``pairedeval provenance`` prints for people: facts about the file, and a tree of what it was made from."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from pairedeval.provenance.chain import MADE, MEASURED, SOURCE, UNKNOWN, Chain, Link
from pairedeval.provenance.origins import CONFIGURATIONS, Origin

_KINDS = {SOURCE: "from outside the study", MEASURED: "measured by Snakemake", UNKNOWN: "of unknown origin"}
_LISTED = 2  # More files of one rule are given as a pattern.


def readable_chain(chain: Chain) -> str:
    """Print a chain: how the file was made, what is behind it, and whether it all fits together."""
    first = chain.links[chain.path]
    parts = [chain.path]
    if first.origin is not None:
        parts[0] += "\n" + "\n".join(f"  {name:<14} {value}" for name, value in _facts(first.origin))
        if first.origin.inputs:
            parts.append("\n".join(["Made from", *_Tree(chain, first.origin.folder).lines(first.origin.inputs)]))
    return "\n\n".join([*parts, _verdict(chain)])


def _facts(origin: Origin) -> Iterator[tuple[str, str]]:
    yield "study", f"{origin.study}, seed {origin.seed}"
    yield "made by", f"{_job(origin)}, {origin.made}"
    for name, value in origin.settings.items():
        yield "setting", f"{name} = {json.dumps(value, ensure_ascii=False)}"
    place = Path(origin.folder, CONFIGURATIONS, f"{origin.configuration}.json").as_posix()
    yield "configuration", f"{place}; digest of the settings above: {origin.config_digest}"
    commit = f", commit {origin.commit}" if origin.commit else ""
    yield "code", f"pairedeval {origin.version}{commit}, digest {origin.code}"
    yield "software", ", ".join(f"{name} {version}" for name, version in origin.software.items())
    yield "SHA-256", origin.sha256


class _Tree:
    """Lines of a tree; files that one rule made share a line, and what was shown once is not shown again."""

    def __init__(self, chain: Chain, folder: str) -> None:
        self._chain = chain
        self._folder = folder
        self._problems = chain.problems
        self._shown: set[str] = set()

    def lines(self, paths: Iterable[str], indent: str = "") -> Iterator[str]:
        """Yield the lines under a node that was made from `paths`."""
        groups = list(self._groups(paths))
        for place, group in enumerate(groups):
            last = place == len(groups) - 1
            known = all(link.path in self._shown for link in group)
            behind = list(dict.fromkeys(path for link in group if link.origin for path in link.origin.inputs))
            note = " (as above)" if known and behind else ""
            yield f"{indent}{'└── ' if last else '├── '}{self._line(group)}{note}"
            if not known:
                self._shown.update(link.path for link in group)
                yield from self.lines(behind, indent + ("    " if last else "│   "))

    def _groups(self, paths: Iterable[str]) -> Iterator[list[Link]]:
        """Yield the files of each rule, and of each folder outside the study."""
        groups: dict[tuple[str, str], list[Link]] = {}
        for path in paths:
            link = self._chain.links[path]
            what = link.origin.rule if link.origin else PurePath(path).parent.as_posix()
            groups.setdefault((link.kind, what), []).append(link)
        yield from groups.values()

    def _line(self, group: Sequence[Link]) -> str:
        files = pattern([self._short(link.path) for link in group])
        flag = "  <-- see below" if any(link.path in self._problems for link in group) else ""
        origins = [link.origin for link in group if link.origin]
        if group[0].kind != MADE:
            return f"{files}: {_KINDS[group[0].kind]}{flag}"
        codes = {origin.code[:8] for origin in origins}
        seeds = {origin.settings["seed"] for origin in origins if "seed" in origin.settings}
        facts = [_job(origins[0]) if len(origins) == 1 else origins[0].rule, f"code {' or '.join(sorted(codes))}"]
        return f"{files}: {', '.join([*facts, *(f'seed {seed}' for seed in seeds)])}{flag}"

    def _short(self, path: str) -> str:
        inside = PurePath(path).is_relative_to(self._folder)
        return PurePath(path).relative_to(self._folder).as_posix() if inside else path


def pattern(paths: Sequence[str]) -> str:
    """Name files in few words.

    Examples
    --------
    >>> pattern(["records/es/a.parquet", "records/es/b.parquet"])
    'records/es/a.parquet, records/es/b.parquet'
    >>> pattern([f"records/{source}/{model}.parquet" for source in ("syn", "es") for model in "ab"])
    'records/*/*.parquet (4 files)'
    """
    if len(paths) <= _LISTED:
        return ", ".join(paths)
    columns = list(zip(*(PurePath(path).parts for path in paths), strict=False))
    parts = [column[0] if len(set(column)) == 1 else "*" for column in columns]
    suffixes = {PurePath(path).suffix for path in paths}
    if parts[-1] == "*" and len(suffixes) == 1:
        parts[-1] += suffixes.pop()
    return f"{'/'.join(parts)} ({len(paths)} files)"


def _job(origin: Origin) -> str:
    return " ".join([origin.rule, *(f"{name}={value}" for name, value in origin.wildcards.items())])


def _verdict(chain: Chain) -> str:
    problems = chain.problems
    if not problems:
        others = (
            f"; the files behind it, {len(chain.links) - 1}, are the ones that were used"
            if len(chain.links) > 1
            else ""
        )
        return f"The file on disk is the one that was made{others}."
    lines = [f"* {path}: {problem}" for path, found in problems.items() for problem in found]
    return "\n".join(["What does not fit", *lines])
