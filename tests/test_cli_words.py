"""Words on the terminal: what is assumed, questions, nought, and progress."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.numbers import interval
from cli.progress import Progress
from cli.streams import Streams
from simcore.games import load
from tests.calls import Call


def test_what_is_assumed_is_said_in_a_sentence(call: Call) -> None:
    short = (
        "The rulebook does not say how many cards of each kind there are, so results depend on what is assumed: see "
        "'shipsim rules ahoi'.\n"
    )
    (whole,) = load("ahoi").ASSUMED
    for line in ("simulate ahoi", "compare ahoi joker=swap joker=none", "tournament ahoi keeper random"):
        shown = call(f"{line} --games 20").err
        assert short in shown and "112 cards" not in shown
    assert call("sweep ahoi --vary joker=swap,none --games 20 --out run").err.count(short) == 1
    assert call("report run --figures svg -q").code == 0 and whole in Path("run/report/report.md").read_text()
    assert " ".join(call("rules ahoi").out.split()).startswith(f"{whole} ")
    assert load("skull-king").ASSUMED[0] + "\n" in call("simulate skull-king --games 20").err


def test_a_question_ends_as_one_and_nought_has_no_digits(call: Call) -> None:
    assert "\n    Does Loot ally in a trick won under the Whale?\n" in call("rules skull-king").out
    assert interval(0.0, 0.0, 0.0000123, True) == ("0 %", "0 to 0.0012")
    assert interval(0.5, 0.25, 0.75, False) == ("0.50", "0.25 to 0.75")
    assert interval(0.0, -0.01, 0.01, True, signed=True) == ("0 pp", "-1.0 to +1.0")
    assert call("sweep ahoi --vary players=2,3 --games 50 --out run -q").code == 0
    assert [line.split()[1:5] for line in call("status run").out.splitlines() if line.startswith("rounds ")] == [
        ["none,", "all", "games", "alike"]
    ]


def test_progress_says_of_what_it_shows_the_half_width(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(Streams(), 2, 100)
    progress._last_line -= 60
    progress.update(1, 50, 50, lambda: 0.12)
    assert capsys.readouterr().err.endswith(" left, match_win ±12 pp\n")
