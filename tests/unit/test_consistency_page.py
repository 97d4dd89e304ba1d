"""The page on decision consistency: what it says of the study, and that it is whole."""

import re
from pathlib import Path

import pytest

from pairedeval.report.captions import CONSISTENCY_CAPTIONS
from pairedeval.report.consistency_page import consistency_page
from pairedeval.report.page import Page, page_html
from pairedeval.report.table import Column, Table
from support.consistency_results import example_results

TABLE = Table("table_consistency_reference", "Table C1", "Accuracy.", (Column("a", "A", "count"),), ((3,),))


@pytest.fixture
def page(root, tmp_path) -> Page:
    figure = tmp_path / f"{next(iter(CONSISTENCY_CAPTIONS))}.svg"
    figure.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    return consistency_page(
        title="Example study",
        seed=7,
        results=example_results(str(root / "resources/published/consistency.csv")),
        figures=[figure],
        tables=[TABLE],
    )


def test_lead_and_facts_say_what_was_run(page):
    assert page.lead.startswith("4 configurations, trained 8 times in all, ")
    assert "a summary of arXiv 2610.36640" in page.lead
    assert "nothing is reproduced" in page.lead
    assert page.facts == {
        "Configurations": "4 in 4 groups",
        "Runs": "8",
        "Images": "60 judged, 60 calibrate",
        "Operators": "6 at 5 levels",
        "Seed": "7",
    }


@pytest.mark.parametrize(
    "piece",
    [
        "<title>Example study: decision consistency</title>",
        "Counted in <code>consistency/models.parquet</code> and <code>consistency/certificate.parquet</code>",
        "No data of this part is simulated: the images are those of the study",
        "is the page report.html.",
        "LS, label stability",
        "With 4 configurations intervals are rough.",
        "Finding errors on clean images",
        "From <code>consistency/detection_differences.parquet</code>",
        "script <code>workflow/scripts/table_consistency_reference.py</code>",
        '<td class="number" data-value="12.5">12.5</td>',
        "scikit-learn <code>",
    ],
)
def test_content_is_there(page, piece):
    assert piece in page_html(page)


def test_the_first_part_does_not_shine_through(page):
    text = page_html(page)
    assert "accepted-error transitions" not in text
    assert "analyses/" not in text
    assert "Simulated data." not in text


def test_many_configurations_are_not_called_few(page):
    rough = page_html(page)
    page.reading.values["configurations"] = 12
    assert "intervals are rough" in rough
    assert "intervals are rough" not in page_html(page)


def test_ids_are_unique_and_nothing_is_undefined_in_words(page):
    text = page_html(page)
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    visible = re.sub(r"<script>.*?</script>|<style>.*?</style>|<[^>]+>", " ", text, flags=re.S)
    assert not re.search(r"\bnan\b|\bNone\b", visible)


def test_figures_have_their_captions(page):
    (figure,) = page.figures
    assert figure.caption == CONSISTENCY_CAPTIONS[figure.name]
    assert figure.provenance.file == f"figures/{figure.name}.pdf"
    assert Path(figure.provenance.script).name == f"{figure.name}.py"
