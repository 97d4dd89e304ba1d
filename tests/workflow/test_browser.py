"""The pages of a study as a reader meets them in Chromium, at the width of a telephone, a tablet and a desk.

They fit, they are complete, their links lead somewhere, their tables sort. Without a browser called ``chromium`` these
tests are skipped; ``tests/workflow/install-chromium`` installs one.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

pytestmark = [pytest.mark.study, pytest.mark.timeout(900)]

WIDTHS = (360, 800, 1400)
HEIGHT = 900
# A browser that asks for nothing by itself.
QUIET = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
QUIET += ("--disable-component-update", "--disable-sync")

# Window in px from which on the contents stand beside the text, as in page.css.
BESIDE = 1120
# Undefined, and not applicable.
MISSING = ("–", "")
NUMBER = re.compile(r"[+−]?[\d,]+(?:\.\d+)?")

# Elements that stick out of the window, but for what scrolls in a box of its own.
WIDER = """() => [...document.querySelectorAll("body *")]
  .filter((element) => !element.closest(".scroll *, .skip"))
  .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 0.5)
  .map((element) => `${element.tagName} ${element.className} ${element.textContent.trim().slice(0, 40)}`)"""
# The printed cells of each column, before and after each of two clicks on its header.
SORTED = """(table) => {
  const column = (place) => [...table.tBodies[0].rows].map((row) => row.cells[place].textContent);
  return [...table.tHead.rows].at(-1).querySelectorAll("button").values().map((button, place) => {
    const header = button.parentElement;
    const states = [{order: header.getAttribute("aria-sort"), cells: column(place)}];
    for (let click = 0; click < 2; click += 1) {
      button.click();
      states.push({order: header.getAttribute("aria-sort"), cells: column(place)});
    }
    const marked = table.querySelectorAll("[aria-sort]").length;
    return {name: header.textContent, number: header.classList.contains("number"), states, marked};
  }).toArray();
}"""
ROWS = "(table) => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))"


@dataclass(frozen=True)
class Opened:
    """The page in a window.

    Attributes
    ----------
    page
        The page, as Playwright drives it.
    report
        The file.
    requested
        Every address that was asked for.
    complaints
        Errors and warnings, those that the script did not catch included.
    """

    page: Page
    report: Path
    requested: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self) -> None:
        """Load the report and listen from its first byte on."""
        self.page.on("request", lambda request: self.requested.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None,
        )
        self.page.goto(self.report.as_uri())


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return Chromium with an empty profile."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no browser called chromium; tests/workflow/install-chromium installs one")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield running
        running.close()


@pytest.fixture(
    scope="module", params=[(page, width) for page in ("report", "consistency") for width in WIDTHS], ids=str
)
def opened(request, browser, consistent) -> Iterator[Opened]:
    """Return a page in a window; nothing may go wrong until it is closed."""
    name, width = request.param
    # Without smooth scrolling, a link has led somewhere as soon as it was clicked.
    context = browser.new_context(viewport={"width": width, "height": HEIGHT}, reduced_motion="reduce")
    window = Opened(context.new_page(), consistent.results / f"{name}.html")
    window.open()
    yield window
    context.close()
    assert not window.complaints
    assert {address for address in window.requested if not address.startswith("data:")} == {window.report.as_uri()}


def number(cell: str) -> float:
    """Return the first number of a printed cell, for ``0.32 [0.28, 0.35]`` and ``90/90`` as well."""
    return float(NUMBER.match(cell)[0].replace(",", "").replace("−", "-"))


def test_it_fits_the_window(opened):
    assert opened.page.evaluate(WIDER) == []
    assert opened.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_every_figure_is_drawn_and_described(opened):
    images = opened.page.locator("img")
    assert images.count() > 0
    for image in images.all():
        assert image.evaluate("(image) => image.complete && image.naturalWidth > 0")
        assert image.get_attribute("alt").strip()


def test_every_link_of_the_contents_brings_what_it_names_into_view(opened):
    contents = opened.page.get_by_role("navigation")
    # Beside the text they stand open, above it they are folded.
    if opened.page.viewport_size["width"] < BESIDE:
        assert contents.get_by_role("link").count() == 0
        contents.get_by_text("Contents").click()
    links = contents.get_by_role("link").all()
    assert len(links) > 10
    for link in links:
        link.click()
        target = opened.page.locator(link.get_attribute("href"))
        assert link.inner_text() in target.text_content()
        top = target.evaluate("(target) => target.getBoundingClientRect().top")
        assert 0 <= top < opened.page.viewport_size["height"]


def test_every_link_has_a_target(opened):
    lost = """() => [...document.links].map((link) => link.hash)
      .filter((hash) => !document.getElementById(hash.slice(1)))"""
    assert opened.page.evaluate(lost) == []


def test_every_column_sorts_both_ways(opened):
    opened.page.reload()
    tables = opened.page.locator("table.data").all()
    assert len(tables) > 10
    for table in tables:
        for column in table.evaluate(SORTED):
            before, up, down = (state["cells"] for state in column["states"])
            assert [state["order"] for state in column["states"]] == [None, "ascending", "descending"], column
            assert column["marked"] == 1
            assert sorted(before) == sorted(up) == sorted(down)
            known = [[cell for cell in cells if cell not in MISSING] for cells in (up, down)]
            # What is missing stands last both ways.
            assert known == [cells[: len(known[0])] for cells in (up, down)]
            if column["number"]:
                assert [number(cell) for cell in known[0]] == sorted(number(cell) for cell in known[0]), column
                assert [number(cell) for cell in known[1]] == [number(cell) for cell in reversed(known[0])], column
            else:
                assert known[1] == known[0][::-1], column


def test_a_click_moves_whole_rows(opened):
    for table in opened.page.locator("table.data").all():
        before = table.evaluate(ROWS)
        header = table.locator("thead tr").last.locator("th").last
        header.get_by_role("button").click()
        assert header.get_attribute("aria-sort") in {"ascending", "descending"}
        assert sorted(table.evaluate(ROWS)) == sorted(before)


def test_a_table_scrolls_and_sorts_by_the_keyboard(opened):
    keyboard = opened.page.keyboard
    for box in opened.page.locator("section.table .scroll").all():
        box.focus()
        if box.evaluate("(box) => box.scrollWidth > box.clientWidth"):
            keyboard.press("ArrowRight")
            opened.page.wait_for_function("(box) => box.scrollLeft > 0", arg=box.element_handle())
        keyboard.press("Tab")
        focused = opened.page.locator(":focus")
        assert focused.evaluate("(button, box) => box.contains(button)", box.element_handle())
        assert focused.evaluate("(button) => getComputedStyle(button).outlineStyle") == "solid"
        header = focused.locator("xpath=..")
        for key, order in (("Enter", "ascending"), ("Space", "descending")):
            keyboard.press(key)
            assert header.get_attribute("aria-sort") == order


def test_the_contents_can_be_skipped(opened):
    page = opened.page.context.new_page()
    page.goto(opened.report.as_uri())
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    assert skip.inner_text() == "Skip to the content"
    assert skip.bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
