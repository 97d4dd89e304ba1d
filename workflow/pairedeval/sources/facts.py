"""Published facts about the images and labels of the study: origins, sizes, digests, and where an archive keeps what.

They stand in ``resources/sources/imagenet.yaml``, so that another publication of the same layout, such as a small one
made by a test, needs another file and no other code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pairedeval.errors import PairedEvalError


@dataclass(frozen=True)
class SourceFile:
    """One published file.

    Attributes
    ----------
    name
        File name.
    size, sha256
        Published size in bytes and digest; 0 and empty where none is published.
    package
        ``<package>/<path>`` of a copy inside an installed Python package; it is taken only if its digest is `sha256`.
    url
        Address; empty if the file comes from a hub.
    repository, revision
        Dataset on the Hugging Face hub, and a branch or commit of it.
    known_sizes
        Size by commit of the hub.
    """

    name: str
    size: int = 0
    sha256: str = ""
    package: str = ""
    url: str = ""
    repository: str = ""
    revision: str = "main"
    known_sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ValidationFacts:
    """The validation set: number of images, size in bytes and SHA-256 of ``ILSVRC2012_img_val.tar``."""

    images: int
    size: int
    sha256: str


@dataclass(frozen=True)
class BaseFacts:
    """The base images: their number, and the digests of their list and of their classes.

    Attributes
    ----------
    images
        Number.
    list_sha256
        Of the sorted lines ``<class id>/<file name>``, each ended by a line feed.
    candidates_sha256
        Of the sorted class ids, joined by line feeds.
    """

    images: int
    list_sha256: str
    candidates_sha256: str


@dataclass(frozen=True)
class ArchiveFacts:
    """Where an archive of captures keeps what.

    Attributes
    ----------
    file
        Name of the archive among the `SourceFile` names.
    references
        Folder of the displayed originals: ``<class id>/<file name>`` below it.
    captures
        Folder of the captures: ``<light>/param_<k>/<class id>/<file name>`` below it.
    """

    file: str
    references: str
    captures: str


@dataclass(frozen=True)
class SourceFacts:
    """Everything that is published about images and labels; `archives` by source, `files` by name."""

    validation: ValidationFacts
    base: BaseFacts
    archives: Mapping[str, ArchiveFacts]
    files: Mapping[str, SourceFile]

    def file(self, name: str) -> SourceFile:
        """Return one published file; an unknown name is a `PairedEvalError`."""
        if name not in self.files:
            raise PairedEvalError(f"{name} is none of the published files; choose one of {', '.join(self.files)}")
        return self.files[name]

    def archive(self, source: str) -> ArchiveFacts:
        """Return the layout of a source's archive; a source without one is a `PairedEvalError`."""
        if source not in self.archives:
            raise PairedEvalError(
                f"source {source} has no archive of captures; choose one of {', '.join(self.archives)}"
            )
        return self.archives[source]


def read_facts(path: str | Path) -> SourceFacts:
    """Read ``resources/sources/imagenet.yaml`` or a file like it.

    Raises
    ------
    PairedEvalError
        If the file is missing or damaged, or a fact is missing or unknown.
    """
    try:
        facts: dict[str, Any] = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        return SourceFacts(
            validation=ValidationFacts(**facts["validation"]),
            base=BaseFacts(**facts["base"]),
            archives={source: ArchiveFacts(**row) for source, row in facts["archives"].items()},
            files={name: SourceFile(name=name, **row) for name, row in facts["files"].items()},
        )
    except FileNotFoundError:
        raise PairedEvalError(f"{path}: no such file of source facts; restore it from the repository") from None
    except (OSError, yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise PairedEvalError(f"{path}: not usable as facts about sources ({reason}); restore it") from error
