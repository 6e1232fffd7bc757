"""How runs go on: what `sweep --resume` plays, what it refuses, and what is said of runs that were interrupted."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from simcore import simulation
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
        "when passes is decided",
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
        f"  Leave {option} out to go on as planned: 'shipsim sweep --resume run'.\n"
        "  A larger number lets it play more.\n"
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


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_comparison_without_games_says_so(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    play = simulation.play_chunk

    def interrupting(task: Any, *more: Any) -> Any:
        if task.games:  # compiling plays none
            os.kill(os.getpid(), signal.SIGINT)
        return play(task, *more)

    line = f"compare {SHIPS} players=6 players=7 players=5 --games 20k --jobs 1"
    monkeypatch.setattr(simulation, "play_chunk", interrupting)
    shown = call(f"{line} --out run")
    assert shown.code == 130 and shown.out == ""
    ids = [cell.id for cell in Run.open("run").cells]
    words = f"there are no games yet by which to compare {ids[1]} or {ids[2]} with {ids[0]}"
    assert f"interrupted; nothing is compared.\nnote: {words}.\n" in shown.err
    assert shown.err.endswith("\nGo on with: shipsim sweep --resume run\n")
    unsaved = call(line)
    assert unsaved.code == 130 and unsaved.err.endswith(
        "\nNothing is saved; what is begun with --out DIR goes on by 'shipsim sweep --resume DIR'.\n"
    )
    monkeypatch.setattr(simulation, "play_chunk", play)
    shown = call("compare run")
    assert shown.code == 3 and shown.out == "" and "Next" not in shown.err
    assert shown.err.endswith(
        f"error: there is nothing to compare in 'run': {words}.\n  'shipsim sweep --resume run' plays them.\n"
    )
    assert call("sweep --resume run -q").code == 0
    Path(f"run/state/{ids[2]}.npz").unlink()
    manifest = Path("run/manifest.json")
    manifest.write_text(manifest.read_text().replace('"status": "done"', '"status": "interrupted"'))
    shown = call("compare run")
    assert shown.code == 0 and "\nplayers=5 against players=6: too few games to compare.\n" in shown.out
    assert "\nThe run is not at its end; go on with: shipsim sweep --resume run\n" in shown.err


@pytest.mark.parametrize(
    "line",
    [
        "compare --resume runs/x",
        "compare --resume=runs/x",
        "tournament ahoi --resume runs/x",
        f"simulate {SHIPS} --resume runs/x",
    ],
)
def test_of_all_commands_sweep_goes_on(line: str, call: Call) -> None:
    shown = call(line)
    command = line.split()[0]
    run = "RUN" if "=" in line else "runs/x"
    assert shown.code == 2 and shown.err == (
        f"error: shipsim {command} has no option '--resume'.\n"
        f"  Runs go on by 'shipsim sweep --resume {run}'.\n"
        f"  See 'shipsim {command} --help'.\n"
    )


@pytest.mark.parametrize(
    ("limit", "more"), [("--max-time 0.3s", "a longer --max-time"), ("--max-games 200", "a larger --max-games")]
)
def test_only_what_is_saved_is_said_to_be_kept(limit: str, more: str, call: Call) -> None:
    line = f"simulate {SHIPS} --precision 0.0001pp {limit}"
    shown = call(line)
    assert shown.code == 4 and "kept" not in shown.err and "manifest" not in shown.err
    assert f"\nLet it play more with {more}, or aim lower. Nothing is saved; --out DIR saves" in shown.err
    shown = call(f"{line} --out run")
    assert shown.code == 4 and ". The results are kept.\n" in shown.err and "Nothing is saved" not in shown.err
    assert ("reproducible; the manifest says so.\n" in shown.err) == ("time" in limit)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_signal_between_two_looks_changes_no_byte(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    play = simulation.play_chunk
    line = f"compare {SHIPS} direction=left direction=right --until decided --max-games 20k --jobs 1 -q"

    def interrupting(task: Any, *more: Any) -> Any:
        if task.first == 10_000:  # the first look is over
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)  # the signal comes before the first game
        return play(task, *more)

    assert call(f"{line} --out whole").code == 4
    monkeypatch.setattr(simulation, "play_chunk", interrupting)
    assert call(f"{line} --out part").code == 130
    monkeypatch.setattr(simulation, "play_chunk", play)
    assert call("sweep --resume part -q").code == 4
    assert Path("part/looks.csv").read_bytes() == Path("whole/looks.csv").read_bytes()


def test_a_comparison_says_what_it_waits_for(call: Call) -> None:
    line = f"compare {SHIPS} direction=left direction=right --max-games 200"
    for option, words in (
        ("--until decided", "match_win is decided"),
        ("--until decided --rope passes=1 --rope stalemate=1pp", "passes and stalemate are decided"),
        ("--precision passes=0.001", "passes ±0.001"),
    ):
        assert call(f"{line} {option}").err.startswith(
            f"{SHIPS}: 2 cells, until {words}, at most 200 games each, seed 1."
        )
