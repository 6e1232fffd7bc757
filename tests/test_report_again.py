"""How to do a run again, as its report says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import reports
import simcore
from reports import again, load
from reports.page import make_page
from tests.calls import Call


@pytest.mark.parametrize(
    ("said", "more", "command"),
    [
        ("shipsim sweep ahoi --games 20k --out r", {"games": 40_000}, "shipsim sweep ahoi --games 40000 --out r"),
        ("shipsim sweep ahoi --games=20_000", {"games": 40_000}, "shipsim sweep ahoi --games=40000"),
        ("shipsim sweep ahoi --games 0.04M", {"games": 40_000}, "shipsim sweep ahoi --games 0.04M"),
        ("shipsim sweep ahoi --games 4e4", {"games": 40_000}, "shipsim sweep ahoi --games 4e4"),
        ("shipsim sweep ahoi", {"games": 100_000}, "shipsim sweep ahoi"),
        ("shipsim sweep ahoi", {"games": 40_000}, "shipsim sweep ahoi --games 40000"),
        (
            "shipsim sweep ahoi --seed random --games 5",
            {"games": 5, "seed": 77},
            "shipsim sweep ahoi --seed 77 --games 5",
        ),
        (
            "shipsim sweep ahoi --precision 1pp --max-games 20k",
            {"games": 10_000, "stopping": {"max_games": 40_000}},
            "shipsim sweep ahoi --precision 1pp --max-games 40000",
        ),
        (
            "shipsim sweep ahoi --precision 1pp",
            {"games": 10_000, "stopping": {"max_games": 100_000_000}},
            "shipsim sweep ahoi --precision 1pp",
        ),
        (
            "shipsim merge a b --out r",
            {"games": 900, "merged": [{"command": "shipsim sweep ahoi --games 800 --shard 1/2 --out a"}]},
            "shipsim sweep ahoi --games 900",
        ),
    ],
)
def test_the_command_shown_gives_the_run(said: str, more: dict[str, Any], command: str) -> None:
    assert again.command({"command": said, "seed": 1, **more}) == command


def test_how_to_reproduce_a_run_that_went_on(call: Call, tmp_path: Path) -> None:
    line = "sweep my-ship-sails --vary pass_count=1,2 --set match_target=1"
    assert call(f"{line} --games 0.2k --out r -q").code == 0
    assert call("sweep --resume r --games 400 -q").code == 0
    shown = make_page(load.open_run(tmp_path / "r")).about.command
    assert shown == f"shipsim {line} --games 400 --out r -q"
    (tmp_path / "r").rename(tmp_path / "first")
    assert call(shown.removeprefix("shipsim ")).code == 0
    for name in ("estimates.csv", "differences.csv"):
        assert (tmp_path / "r" / name).read_bytes() == (tmp_path / "first" / name).read_bytes()


def test_how_to_reproduce_what_python_saved(tmp_path: Path) -> None:
    simcore.sweep("my-ship-sails", {"pass_count": [1, 2]}, games=60).save(str(tmp_path / "run"))
    reports.write(tmp_path / "run")
    text = (tmp_path / "run" / "report" / "report.md").read_text(encoding="utf-8")
    _, _, told = text.partition("## How to reproduce it")
    assert "- Saved from Python: simcore.sweep with seed=1 and games=60; the complete rules" in told
    assert again.remarks({"command": "shipsim", "games": 1, "reproducible": False}) == [
        ("Stopped by the time", "the same command ends elsewhere")
    ]
