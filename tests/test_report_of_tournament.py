"""The report of a tournament says what the tournament said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import reports
from reports import load, standings
from reports.page import make_page
from tests.calls import Call


def test_a_page_says_what_the_tournament_said(call: Call, tmp_path: Path) -> None:
    shown = call("tournament ahoi keeper random highest --games 2000 --set players=3 --out t --json")
    page = make_page(load.open_run(tmp_path / "t"))
    assert page.title == "Mein Schiff Ahoi: strategies against each other"
    assert [chart.name for chart in page.charts] == ["strategies", "strategies-pairs"]
    assert [table.name for table in page.tables] == ["ladder", "pairs", "seat-shares"]
    rungs = [rung["strategy"] for rung in shown.json["ladder"]]
    assert [row[0].text for row in page.tables[0].rows] == rungs
    assert [row[-1].text for row in page.tables[0].rows] == [rung["best"] for rung in shown.json["ladder"]]
    assert page.tables[0].rows[0][-2].number == pytest.approx(100 * shown.json["ladder"][0]["best_low"])
    assert f"Of all, {rungs[0]} is the best (95 %" in page.findings[0]["text"]
    pairs = {(row["strategy"], row["among"]): row for row in shown.json["results"]}
    assert len(page.tables[1].rows) == 6
    for row in page.tables[1].rows:
        told = pairs[row[0].text, row[1].text]
        assert row[2].number == 2000 and row[7].text == told["verdict"]
        numbers = [entry.number for entry in row[3:6]]
        assert numbers == pytest.approx([100 * told[name] for name in ("wins", "edge", "low")])
    first, *others = [finding["text"] for finding in page.findings]
    assert first.startswith(f"{rungs[0]} comes first of 3 strategies: ") and "33.3 %; it is stronger among 2" in first
    assert len(others) == 2 and {finding["chart"] for finding in page.findings[1:]} == {"strategies-pairs"}
    dots = page.charts[0].figure.axes[0]
    assert [text.get_text() for text in dots.texts] == ["1/3"]
    assert [label.get_text() for label in dots.get_yticklabels()] == rungs
    assert "baseline" not in reports_text(tmp_path / "t")


def reports_text(folder: Path) -> str:
    """Return the written page, without the words that no reader sees."""
    reports.write(folder, ["svg"])
    text = (folder / "report" / "report.html").read_text(encoding="utf-8")
    return re.sub(r"<style>.*?</style>|<script>.*?</script>|data:image[^\"]*", "", text, flags=re.S)


def test_two_strategies_are_shown_as_pairs_both_ways(call: Call, tmp_path: Path) -> None:
    # With two players both pairs are the same games.
    call("tournament ahoi keeper random --set players=2 --sprt 20pp --max-games 10k --out t")
    saved = load.open_run(tmp_path / "t")
    page = make_page(saved)
    assert [chart.name for chart in page.charts] == ["strategies"]
    strongest, weakest = [finding["text"] for finding in page.findings]
    assert strongest.startswith("A single keeper among random wins ") and "Verdict: stronger." in strongest
    assert weakest.startswith("A single random among keeper wins ") and "Verdict: weaker." in weakest
    assert ("Stopping", "GSPRT of no edge against one of 20 pp, 5 % errors") in page.about.checks


def test_a_sweep_over_strategies_is_no_tournament(call: Call, tmp_path: Path) -> None:
    call("sweep ahoi --vary strategy=keeper,random,keeper+random+random+random --games 50 --out s -q")
    assert standings.find(load.open_run(tmp_path / "s")) is None


def test_pairs_that_were_played_are_told_without_the_others(call: Call, tmp_path: Path) -> None:
    call("tournament ahoi keeper random highest --games 100 --set players=3 --out t")
    saved = load.open_run(tmp_path / "t")
    for cell in list(saved.cells.values())[3:]:
        next((tmp_path / "t" / "state").glob(f"{cell.id}*")).unlink()
    page = make_page(saved)
    assert [chart.name for chart in page.charts] == ["strategies"] and len(page.findings) == 1
    assert page.findings[0]["text"].startswith("A single keeper among random wins ")
    assert page.about.facts[:2] == [
        ("Strategies", "keeper, random"),
        ("Pairs", "1 of 6 were played, the one in each seat in turn on the same deals"),
    ]


def test_a_tournament_that_nobody_played_has_a_report(call: Call, tmp_path: Path) -> None:
    call("tournament ahoi keeper random --games 50 --out t")
    for path in (tmp_path / "t" / "state").iterdir():
        path.unlink()
    assert standings.find(load.open_run(tmp_path / "t")) is None
