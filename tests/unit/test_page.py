"""The page on example content: valid, complete, self-contained."""

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pytest

from pairedeval.errors import PairedEvalError
from pairedeval.report.captions import CAPTIONS, caption
from pairedeval.report.findings import Finding
from pairedeval.report.page import (
    Page,
    PageFigure,
    PageTable,
    Provenance,
    Reading,
    data_uri,
    page_html,
    render_page,
    simulated_sentences,
    software_versions,
)
from pairedeval.report.tables import sources_table, timings_table

EVERYTHING = ("syn", "syn_b", "es", "diverse")
VOID = {"meta", "link", "img", "br", "hr", "input"}
ORIGIN = Provenance("figures/example.svg", "figure_01", "workflow/scripts/figure_01.py")


class Outline(HTMLParser):
    """Checks that elements nest, and collects what the tests look at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def values(self, name: str) -> list[str]:
        return [attributes[name] or "" for _, attributes in self.elements if name in attributes]


@pytest.fixture
def page(tmp_path: Path) -> Page:
    figure = tmp_path / "example.svg"
    figure.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    counts = {"images": 100, "evaluation_images": 50, "conditions": 54, "models": 2, "cells": 108}
    timings = {"rule": ["identify"], "jobs": [4], "seconds": [3.5], "max_memory_mb": [120.0]}
    return Page(
        title="Example study <1>",
        lead="Two example models & {H}.",
        facts={"Models": "2"},
        counted_in=("analyses/sources.parquet", "analyses/models.parquet"),
        reading=Reading("reading_identification.html.j2", {"coverage": 0.8}),
        simulated=simulated_sentences({"es", "diverse"}),
        findings={"What is known": (Finding("{H} is narrow at {I0}.", "analyses/widths.parquet"),)},
        figures=(PageFigure("figure_01", figure, CAPTIONS["figure_01"], ORIGIN),),
        tables=(PageTable(sources_table(pd.DataFrame([{"source": "es", **counts}])), ORIGIN),),
        timings=timings_table(pd.DataFrame(timings)),
        software={"numpy": "2.0"},
    )


def test_elements_nest_and_ids_are_unique(page):
    outline = Outline(page_html(page))
    assert outline.open == []
    ids = outline.values("id")
    assert len(ids) == len(set(ids))


def test_links_and_labels_resolve_within_the_page(page):
    outline = Outline(page_html(page))
    ids = set(outline.values("id"))
    links = [link for link in outline.values("href") if link != "data:,"]
    assert links
    assert {link[1:] for link in links} | set(outline.values("aria-labelledby")) <= ids
    assert all(link.startswith("#") for link in links)


def test_nothing_is_loaded_from_elsewhere(page):
    text = page_html(page)
    outline = Outline(text)
    assert all(source.startswith("data:") for source in outline.values("src"))
    assert not {"iframe", "object", "embed", "base"} & {tag for tag, _ in outline.elements}
    assert "http:" not in text
    assert "https:" not in text
    assert "url(" not in text
    assert "@import" not in text


def test_figures_have_alternative_text(page):
    images = [attributes for tag, attributes in Outline(page_html(page)).elements if tag == "img"]
    assert [image["alt"] for image in images] == [CAPTIONS["figure_01"].alt]


@pytest.mark.parametrize(
    "piece",
    [
        "<title>Example study &lt;1&gt;</title>",
        "Two example models &amp; <i>H</i>.",
        "<dt>Models</dt><dd>2</dd>",
        "Counted in <code>analyses/sources.parquet</code> and <code>analyses/models.parquet</code></p>",
        "The captures of ES and Diverse are simulated",
        "<i>H</i> is narrow at <i>I</i><sub>0</sub>.",
        "From <code>analyses/widths.parquet</code>",
        "at least 80% of the clean development images",
        "script <code>workflow/scripts/figure_01.py</code>",
        '<td class="number" data-value="3.5">3.5</td>',
        "numpy <code>2.0</code>",
        'id="table_sources"',
    ],
)
def test_content_is_there(page, piece):
    assert piece in page_html(page)


def test_a_study_without_simulation_says_so(page):
    text = page_html(replace(page, simulated=simulated_sentences(()), figures=(), tables=(), timings=None, software={}))
    assert "No data of this study is simulated." in text
    assert Outline(text).open == []
    assert 'href="#figures"' not in text


def test_the_facts_name_one_file_or_several(page):
    origins = {
        ("a.parquet",): "Counted in <code>a.parquet</code></p>",
        ("a", "b", "c"): "Counted in <code>a</code>, <code>b</code> and <code>c</code></p>",
    }
    for files, words in origins.items():
        assert words in page_html(replace(page, counted_in=files))


def test_each_part_is_read_in_its_own_way(page):
    text = page_html(replace(page, reading=Reading("reading_consistency.html.j2", {"configurations": 8})))
    assert "label stability" in text
    assert "accepted-error transitions" not in text
    assert "label stability" not in page_html(page)


def test_the_other_part_is_named_if_there_is_one(page):
    assert "companion" not in page_html(page)
    text = page_html(replace(page, companion="See the page other.html."))
    assert '<p class="companion">See the page other.html.</p>' in text


def test_what_is_real_can_be_said_of_one_part(page):
    text = page_html(replace(page, simulated=(), real="No data of this part is simulated."))
    assert "No data of this part is simulated." in text
    assert "of this study" not in text


def test_a_study_of_simulated_predictions_speaks_of_no_captures(page):
    text = page_html(replace(page, simulated=simulated_sentences(EVERYTHING)))
    notice = re.search(r'<div class="simulated".*?</div>', text, re.S)[0]
    assert "Everything on this page is simulated: there are no images, and no model was run." in notice
    assert "No number here is a result." in notice
    assert "captures" not in notice


def test_render_page_writes_the_same_bytes_twice(page, tmp_path):
    for name in ("first.html", "second.html"):
        render_page(page, tmp_path / name)
    assert (tmp_path / "first.html").read_bytes() == (tmp_path / "second.html").read_bytes()


def test_data_uri_holds_the_file(tmp_path):
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG")
    assert data_uri(picture) == "data:image/png;base64," + base64.b64encode(b"\x89PNG").decode()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent.svg", "absent.svg: no such figure; draw it first"),
        ("a.pdf", "a.pdf: the page takes SVG and PNG figures; save the figure as one of them"),
    ],
)
def test_unusable_figures_are_named(tmp_path, name, message):
    with pytest.raises(PairedEvalError, match=message):
        data_uri(tmp_path / name)


@pytest.mark.parametrize("figure", CAPTIONS)
def test_captions_say_what_is_simulated(figure):
    words = caption(figure, {"es"})
    assert words.text.endswith("The captures of ES are simulated.")
    assert words.alt.endswith("The captures of ES are simulated.")
    assert caption(figure) == CAPTIONS[figure]
    assert caption(figure, EVERYTHING).alt.endswith("no model was run, and nothing here is a result.")
    assert "The captures" not in caption(figure, EVERYTHING).text.removeprefix(CAPTIONS[figure].text)


def test_versions_are_those_of_installed_packages():
    found = software_versions(["numpy", "no-such-package"])
    assert found["numpy"] == version("numpy")
    assert {"pairedeval", "Python"} < set(found)
    assert "no-such-package" not in found
