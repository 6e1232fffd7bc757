"""How runs go on: what `sweep --resume` plays, what it refuses, and what is said of runs that were interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from simcore.store import Run
from tests.calls import Call

SHIPS = "my-ship-sails"

KINDS = {
    "fixed": (f"sweep {SHIPS} --vary players=4,5 --games 300", "--games", "300 games", "at all"),
    "precise": (
        f"sweep {SHIPS} --vary players=4,5 --precision 0.01pp --max-games 600",
        "--max-games",
        "600",
        "a precision",
    ),
    "decided": (
        f"compare {SHIPS} direction=left direction=right --until decided --rope passes=1e-6 --max-games 600",
        "--max-games",
        "600",
        "when it is decided",
    ),
    "compared": (
        f"compare {SHIPS} direction=left direction=right --precision 0.01pp --max-games 600",
        "--max-games",
        "600",
        "at a precision",
    ),
    "tested": (f"tournament {SHIPS} adaptive random --sprt 0.01pp --max-games 600", "--max-games", "600", "an edge"),
}
"""By kind of run: a command that makes one, the option by which it gets more games, and what is said of it."""


@pytest.mark.parametrize("kind", KINDS)
def test_fewer_games_than_planned_are_refused_before_any_is_played(kind: str, call: Call) -> None:
    line, option, planned, _ = KINDS[kind]
    assert call(f"{line} --out run -q").code in (0, 4)
    files = {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()}
    shown = call(f"sweep --resume run {option} 200")
    assert shown.code == 2 and shown.out == ""
    assert shown.err.startswith(f"error: {option} 200 is less than the {planned}")
    assert shown.err.endswith(
        f"  Leave {option} out to go on as planned: 'shipsim sweep --resume run'.\n  A larger number lets it play more.\n"
    )
    assert files == {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()}
    assert call(f"sweep --resume run {option} {planned.split()[0]} -q").code in (0, 4)
    assert f"sweep --resume run {option} N (more than {planned.split()[0]})" in call("status run").out
    assert f"'shipsim sweep --resume run {option} N'" in call("compare run --games 10").err
    assert call(f"sweep --resume run {option} 700 -q").code in (0, 4)
    saved = Run.open("run")
    assert {tally.games for cell in saved.cells if (tally := saved.load(cell))} == {700}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fixed"])
def test_what_stops_by_itself_takes_no_games(kind: str, call: Call) -> None:
    line, _, planned, when = KINDS[kind]
    assert call(f"{line} --out run -q").code == 4
    for number in ("200", "10k"):
        shown = call(f"sweep --resume run --games {number}")
        assert shown.code == 2 and shown.out == "" and when in shown.err
        assert shown.err.endswith(
            ", which --games cannot change.\n"
            f"  Leave --games out to go on as planned, up to {planned} games a cell.\n"
            "  Write 'shipsim sweep --resume run --max-games N' to let it play more.\n"
        )


def test_of_a_decided_comparison_no_more_games_are_offered(call: Call) -> None:
    assert call(f"compare {SHIPS} classic pass-two --until decided --rope passes=0.01 --out run -q").code == 0
    assert "go on" not in call("status run").out
    shown = call("sweep --resume run --seed 7 --max-games 10G")
    assert shown.code == 3 and shown.err.startswith("error: 'run' was made with seed 1, not 7: ")
