"""The page of a report in a real browser: it opens, sorts, prints, and asks nothing of the network.

Needs playwright and the system's chromium; both are missing on many machines, so their absence is a skip that
says so.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import reports
import simcore

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a small run."""
    folder = tmp_path_factory.mktemp("page") / "run"
    study = simcore.sweep(
        "my-ship-sails", {"pass_count": [1, 2, 3], "overlook": [0, 0.1]}, games=1500, rules={"max_passes": 50}
    )
    study.save(str(folder))
    reports.write(folder)
    return folder / "report" / "report.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a headless browser."""
    library = pytest.importorskip("playwright.sync_api", reason="playwright is missing: the page is NOT tested")
    if CHROMIUM is None:
        pytest.skip("chromium is missing: the page is NOT tested in a browser")
    with library.sync_playwright() as play:
        started = play.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
        )
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, page_file: Path) -> Iterator[tuple[Any, list[str], list[str]]]:
    """Return the open page, what it wrote to the console, and what it asked for."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    said: list[str] = []
    asked: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(page_file.as_uri())
    yield tab, said, asked
    tab.close()


def test_nothing_is_said_and_nothing_is_asked(opened: Any, page_file: Path) -> None:
    tab, said, asked = opened
    assert tab.title().startswith("My Ship Sails")
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [page_file.as_uri()]


def test_all_pictures_are_shown_and_have_words(opened: Any) -> None:
    tab, _, _ = opened
    shown = tab.eval_on_selector_all("img", "all => all.map(i => [i.naturalWidth, i.alt.length])")
    assert len(shown) >= 5
    assert all(width > 300 and length > 40 for width, length in shown)


def column(tab: Any, table: int, index: int) -> list[float]:
    values = tab.eval_on_selector_all(
        f"section[aria-labelledby=tables] .scroll:nth-of-type({table}) tbody tr",
        f"rows => rows.map(row => row.cells[{index}].dataset.sort)",
    )
    return [float(value) for value in values if value]


def test_tables_are_sorted_by_mouse_and_by_keyboard(opened: Any) -> None:
    tab, said, _ = opened
    head = tab.locator(".scroll").nth(1).locator("th").nth(3)
    before = column(tab, 2, 3)
    assert len(set(before)) > 10
    assert head.get_attribute("aria-sort") == "none"
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(tab, 2, 3) == sorted(before)
    head.locator("button").focus()
    tab.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(tab, 2, 3) == sorted(before, reverse=True)
    tab.keyboard.press("Space")
    assert head.get_attribute("aria-sort") == "none"
    assert column(tab, 2, 3) == before
    assert said == []


def test_a_narrow_page_does_not_scroll_sideways(opened: Any) -> None:
    tab, _, _ = opened
    tab.set_viewport_size({"width": 400, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 400


def test_printing_opens_what_is_folded(opened: Any) -> None:
    tab, _, _ = opened
    assert not tab.evaluate("document.querySelector('details').open")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate("[...document.querySelectorAll('details')].every(folded => folded.open)")


def test_the_page_is_complete_without_scripts(browser: Any, page_file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(page_file.as_uri())
    assert tab.locator("button").count() == 0
    assert tab.locator("table tbody tr").count() > 20
    assert tab.locator(".findings li").count() >= 1
    context.close()


class Links(HTMLParser):
    """Collects identifiers and what is linked to or loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.names += [given["id"] or ""] if "id" in given else []
        self.links += [given[key] or "" for key in ("href", "src") if key in given]


def test_links_lead_somewhere_and_only_within_the_page(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    parser = Links()
    parser.feed(text)
    assert len(parser.names) == len(set(parser.names))
    for link in parser.links:
        assert link.startswith("data:") or link.removeprefix("#") in parser.names
    assert not re.search(r"https?://", re.sub(r"data:[^\"]+", "", text))
    assert len(text) < 1_000_000
