"""The report page: one HTML file that needs nothing else, not even a network."""

import base64
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import resources
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version

from pairedeval import __version__
from pairedeval.errors import PairedEvalError
from pairedeval.files import write_text
from pairedeval.report.captions import Caption
from pairedeval.report.findings import Finding
from pairedeval.report.names import listed, notation, ordered_sources, predictions_simulated, source_name
from pairedeval.report.render import to_html
from pairedeval.report.table import Table

MEDIA_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}


@dataclass(frozen=True)
class Provenance:
    """Where an item of the page comes from.

    Attributes
    ----------
    file
        File that holds the item or its numbers, relative to the study.
    rule
        Rule of the workflow that wrote it.
    script
        Script of that rule.
    """

    file: str
    rule: str
    script: str

    @classmethod
    def of(cls, folder: str, name: str, suffix: str) -> "Provenance":
        """Return the origin of an item whose rule, script and file share its name.

        Examples
        --------
        >>> Provenance.of("tables", "table_06", "csv").file
        'tables/table_06.csv'
        """
        return cls(f"{folder}/{name}.{suffix}", name, f"workflow/scripts/{name}.py")


@dataclass(frozen=True)
class Reading:
    """How the numbers of a page are read.

    Attributes
    ----------
    template
        File of this package that explains the quantities, in HTML with Jinja's marks.
    values
        Numbers that it prints, by name.
    """

    template: str
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PageTable:
    """A table on the page."""

    table: Table
    provenance: Provenance


@dataclass(frozen=True)
class PageFigure:
    """A figure on the page.

    Attributes
    ----------
    name
        Id, such as ``figure_01``.
    path
        SVG or PNG file; its content goes into the page.
    caption
        Title, text and text for listeners.
    provenance
        Where the figure comes from.
    """

    name: str
    path: Path
    caption: Caption
    provenance: Provenance


@dataclass(frozen=True)
class Page:
    """All content of the page; texts are templates (see `pairedeval.report.names.notation`).

    Attributes
    ----------
    title
        Heading of the page.
    lead
        What was run, and on what: one or two sentences.
    facts
        Short numbers under the lead, label to value.
    counted_in
        Results files in which the facts are counted.
    reading
        How the numbers are read.
    simulated
        Sentences about what is simulated; empty if nothing is.
    real
        Sentence that stands there if nothing is simulated.
    findings
        Main findings by their topic, in printed order.
    figures, tables
        Items in printed order.
    timings
        Table of the time each rule took, if known.
    software
        Version per package.
    companion
        Where the other part of the study stands; empty if there is none.
    """

    title: str
    lead: str
    facts: Mapping[str, str]
    counted_in: tuple[str, ...]
    reading: Reading
    simulated: tuple[str, ...]
    findings: Mapping[str, Sequence[Finding]]
    figures: tuple[PageFigure, ...]
    tables: tuple[PageTable, ...]
    timings: Table | None = None
    software: Mapping[str, str] = field(default_factory=dict)
    real: str = "No data of this study is simulated."
    companion: str = ""


def software_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of this package, of Python and of those packages that are installed, by name."""
    versions = {"pairedeval": __version__, "Python": python_version()}
    for name in packages:
        # The environment of the report need not hold what made the records.
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def simulated_sentences(simulated: Collection[str]) -> tuple[str, ...]:
    """Return the sentences for `Page.simulated` of a study.

    Parameters
    ----------
    simulated
        Ids of the sources with simulated data; none gives no sentence.

    Examples
    --------
    >>> simulated_sentences({"es"})[0]
    'The captures of ES are simulated: they were computed from the base images, without screen, paper or camera.'
    """
    if not simulated:
        return ()
    if predictions_simulated(simulated):
        return (
            "Everything on this page is simulated: there are no images, and no model was run. The predictions were "
            "drawn by a program; the models have names, groups and sizes of real ones, and nothing else of them.",
            "No number here is a result. The study shows that every analysis works on data of this shape.",
        )
    names = listed(source_name(source) for source in ordered_sources(sorted(simulated)))
    return (
        f"The captures of {names} are simulated: they were computed from the base images, "
        "without screen, paper or camera.",
        "Numbers on these sources show how the method works; they say nothing about physical recaptures.",
    )


def render_page(page: Page, path: str | Path) -> None:
    """Write the page, atomically.

    Raises
    ------
    PairedEvalError
        If a figure file is missing or neither SVG nor PNG.
    """
    write_text(page_html(page), path)


def page_html(page: Page) -> str:
    """Return the page as one HTML document without external references."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    loader = PackageLoader("pairedeval", "report")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["notation"] = lambda text: Markup(notation(text, "html"))
    environment.filters["table"] = lambda table: Markup(to_html(table))
    environment.filters["data_uri"] = data_uri
    style = resources.files("pairedeval.report").joinpath("page.css").read_text(encoding="utf-8")
    return environment.get_template("page.html.j2").render(page=page, style=Markup(style)) + "\n"


def data_uri(path: str | Path) -> str:
    """Return a figure file as a data URI.

    Raises
    ------
    PairedEvalError
        If the file is missing or neither SVG nor PNG.
    """
    figure = Path(path)
    if figure.suffix not in MEDIA_TYPES:
        raise PairedEvalError(f"{figure}: the page takes SVG and PNG figures; save the figure as one of them")
    if not figure.is_file():
        raise PairedEvalError(f"{figure}: no such figure; draw it first")
    return f"data:{MEDIA_TYPES[figure.suffix]};base64,{base64.b64encode(figure.read_bytes()).decode()}"
