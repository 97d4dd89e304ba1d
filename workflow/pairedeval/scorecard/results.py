"""The files of a study, read by name, each at most once."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from pairedeval.errors import PairedEvalError
from pairedeval.files import read_table
from pairedeval.report.stored import read_stored
from pairedeval.scorecard.layout import wide_table

EVERY = "/*"


@dataclass(frozen=True)
class StudyResults:
    """Results of one study.

    Attributes
    ----------
    folder
        Folder of the study, ``results/<study>``.
    files
        Its files that may be read, relative to the folder, such as ``analyses/cells/es.parquet``.
    resources
        Folder with the tables of conditions in ``conditions/``.
    """

    folder: Path
    files: frozenset[str]
    resources: Path
    _frames: dict[str, pd.DataFrame | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, folder: str | Path, paths: Iterable[str | Path], resources: str | Path) -> "StudyResults":
        """Name files by their place in the folder of the study; others are left out.

        Examples
        --------
        >>> paths = ["results/x/analyses/tiers.parquet", "resources/y.csv"]
        >>> sorted(StudyResults.of("results/x", paths, "resources").files)
        ['analyses/tiers.parquet']
        """
        root = Path(folder)
        inside = (Path(path) for path in paths if Path(path).is_relative_to(root))
        return cls(root, frozenset(path.relative_to(root).as_posix() for path in inside), Path(resources))

    def frame(self, name: str) -> pd.DataFrame | None:
        """Return a result, None if the study has none of this name.

        Parameters
        ----------
        name
            A result without its suffix (``analyses/widths``), all results of a folder one below the other
            (``analyses/cells/*``), a table (``table_06``, see `layout.wide_table`), or conditions
            (``conditions/transforms``).

        Raises
        ------
        PairedEvalError
            If a file is damaged.
        """
        if name not in self._frames:
            self._frames[name] = self._read(name)
        return self._frames[name]

    def need(self, name: str) -> pd.DataFrame:
        """Return a result without which nothing can be scored.

        Raises
        ------
        PairedEvalError
            If the study does not have it.
        """
        found = self.frame(name)
        if found is None:
            raise PairedEvalError(f"{self.folder / name}: no such result; run the study first")
        return found

    def paths(self, name: str) -> list[Path]:
        """Return the files behind a name, sorted."""
        if name.endswith(EVERY):
            inside = [file for file in self.files if str(Path(file).parent) == name.removesuffix(EVERY)]
        else:
            inside = [file for file in self.files if file in (f"{name}.parquet", f"{name}.csv")]
        return [self.folder / file for file in sorted(inside)]

    def _read(self, name: str) -> pd.DataFrame | None:
        if name.startswith("conditions/"):
            return read_csv(self.resources / f"{name}.csv")
        if name.startswith("table_"):
            path = f"tables/{name}.json"
            return wide_table(read_stored(self.folder / path)) if path in self.files else None
        frames = [read_csv(path) if path.suffix == ".csv" else read_table(path) for path in self.paths(name)]
        return pd.concat(frames, ignore_index=True) if frames else None


def read_csv(path: str | Path, text: bool = False) -> pd.DataFrame:
    """Read a CSV file; empty entries of text are empty strings.

    Parameters
    ----------
    path
        The file.
    text
        Keep every entry as it is written.

    Raises
    ------
    PairedEvalError
        If the file cannot be read; the message names it.
    """
    try:
        return pd.read_csv(path, dtype=str if text else None, keep_default_na=not text)
    except (OSError, ValueError) as error:
        raise PairedEvalError(f"{path}: not a readable CSV file ({error}); restore it") from error
