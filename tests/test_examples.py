"""The examples: every study runs and reports, and the notebook's cells run one after the other."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import matplotlib
import pytest

from tests.calls import Call

EXAMPLES = Path(__file__).parents[1] / "examples"
STUDIES = sorted(path.stem for path in EXAMPLES.glob("*.toml"))
LARGEST = 400_000
"""Bytes of an example's committed report."""


def test_there_are_studies() -> None:
    assert {"joker", "passing", "players", "rounds"} <= set(STUDIES)


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_runs_and_reports(name: str, call: Call, tmp_path: Path) -> None:
    played = call(f"sweep {EXAMPLES / name}.toml --games 200 --out run --json --no-progress")
    assert played.code == 0 and len(played.json["results"]) > 2
    assert call("report run --figures png").code == 0
    text = (tmp_path / "run" / "report" / "report.md").read_text(encoding="utf-8")
    committed = (EXAMPLES / name / "report.md").read_text(encoding="utf-8")
    # With few games other effects are the largest, but the question and what was varied are the study's.
    for start in ("# ", "What do", "- Varied: ", "- Seed: ", "- Strategies: "):
        assert lines(committed, start) == lines(text, start) != []


def lines(text: str, start: str) -> list[str]:
    """Return the lines that start so."""
    return [line for line in text.splitlines() if line.startswith(start)]


@pytest.mark.parametrize("name", STUDIES)
def test_a_committed_report_is_whole_and_small(name: str) -> None:
    folder = EXAMPLES / name
    text = (folder / "report.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"\]\((figures/[^)]+)\)", text))
    assert shown == {f"figures/{path.name}" for path in (folder / "figures").iterdir()} and len(shown) > 4
    assert sum(path.stat().st_size for path in folder.rglob("*.*")) < LARGEST
    assert f"sweep examples/{name}.toml" in text


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("GAMES", "200")
    matplotlib.use("Agg")
    book = json.loads((EXAMPLES / "library.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["GAMES"] == 200 and names["result"].games == 200
    assert len(names["turns"]) == len(names["study"].results) == 4
    assert all(page.exists() for page in names["pages"])
    assert "Rules: joker = rotate." in capsys.readouterr().out
