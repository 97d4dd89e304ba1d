"""The report of a study, opened in Chromium at the width of a telephone, a tablet and a desk."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

WIDTHS = (360, 800, 1400)
HEIGHT = 900
# A browser that asks for nothing by itself.
QUIET = ("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
QUIET += ("--disable-component-update", "--disable-sync")


@dataclass(frozen=True)
class Opened:
    """The page in a window.

    Attributes
    ----------
    page
        The page, as Playwright drives it.
    requested
        Every address that was asked for.
    complaints
        Errors and warnings, those that the script did not catch included.
    """

    page: Page
    requested: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, report: Path) -> None:
        """Load the report and listen from its first byte on."""
        self.page.on("request", lambda request: self.requested.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None,
        )
        self.page.goto(report.as_uri())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the command line choose the report."""
    parser.addoption("--study", default="smoke", help="study whose report is opened (default: %(default)s)")


@pytest.fixture(scope="session")
def report(root, request) -> Path:
    """Return the report of the study."""
    path = root / f"results/{request.config.getoption('--study')}/report.html"
    assert path.is_file(), f"{path}: no report; run the study first, as make test-browser does"
    return path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return Chromium with an empty profile."""
    program = shutil.which("chromium")
    assert program, "no browser called chromium; run tests/browser/install"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield running
        running.close()


@pytest.fixture(scope="module", params=WIDTHS, ids=lambda width: f"{width}px")
def opened(request, browser, report) -> Iterator[Opened]:
    """Return the report in a window; nothing may go wrong until it is closed."""
    # Without smooth scrolling, a link has led somewhere as soon as it was clicked.
    context = browser.new_context(viewport={"width": request.param, "height": HEIGHT}, reduced_motion="reduce")
    window = Opened(context.new_page())
    window.open(report)
    yield window
    context.close()
    assert not window.complaints
    assert {address for address in window.requested if not address.startswith("data:")} == {report.as_uri()}
