"""Stopping at a precision: looks at fixed numbers of games, and nothing else decides."""

from __future__ import annotations

import csv
import json
import math
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.options import read_max_games, read_max_time, read_precision
from simcore import simulation
from simcore.cells import plan
from simcore.declare import SHARE
from simcore.errors import UsageError
from simcore.games import load
from simcore.record import place, width
from simcore.stopping import Look, Precision, in_record, is_precise, look_games, precision_from
from simcore.tally import Tally
from tests.calls import Call

GAME = load("my-ship-sails")
CELL = plan(GAME).cells[0]


def won_by_turns(games: int) -> Tally:
    """Return a tally in which every seat wins one game of four, a game a block."""
    rows, counts = np.zeros((games, width(CELL.game)), np.int64), np.zeros(0, np.int64)
    rows[:, place(CELL.game, "matches", (), ())] = 1
    for seat in range(4):
        rows[seat::4, place(CELL.game, "match_win", ("seat",), (seat,))] = SHARE
    return Tally(0, games, 1, rows, counts)


def test_looks_double_from_10_000_and_end_with_the_most_games() -> None:
    assert look_games(70_000) == [10_000, 20_000, 40_000, 70_000]
    assert look_games(10_000) == [10_000] and look_games(1) == [1]
    assert look_games()[-1] == 100_000_000


def test_a_precision_needs_every_seat_and_every_metric() -> None:
    rule = Precision((("match_win", 0.01), ("passes", 0.5)))

    def rows(*widths: float) -> list[Look]:
        seats = [Look("a", 10_000, "match_win", "seat", str(i + 1), 0.25, w) for i, w in enumerate(widths[:-1])]
        return [*seats, Look("a", 10_000, "passes", "", "", 9, widths[-1])]

    assert rule.is_reached(rows(0.01, 0.009, 0.5))
    assert not rule.is_reached(rows(0.01, 0.011, 0.5))
    assert not rule.is_reached(rows(0.01, 0.009, 0.51))
    assert not rule.is_reached(rows(0.01, 0.009, math.nan))
    assert not rule.is_reached([]) and not rule.is_over([])
    assert rule.is_over(rows(0.01, 0.009, 0.5))
    assert not rule.is_over(rows(1, 1, 1)) and rule._replace(max_games=10_000).is_over(rows(1, 1, 1))


def test_a_look_sees_every_seat_and_a_row_without_numbers_where_nothing_occurred() -> None:
    tally = won_by_turns(512)
    rows = Precision((("match_win", 0.1), ("fastest", 1.0))).look(CELL, tally)
    assert [(row.metric, row.by, row.key) for row in rows] == [
        *(("match_win", "seat", str(seat)) for seat in range(1, 5)),
        ("fastest", "", ""),
    ]
    assert all(row.games == 512 and row.estimate == 0.25 and 0 < row.half_width < 0.05 for row in rows[:4])
    assert math.isnan(rows[4].estimate) and math.isnan(rows[4].half_width)


def test_the_games_needed_are_those_of_a_look() -> None:
    rule = Precision((("match_win", 0.01),), 1_000_000)
    rows = [Look("a", 10_000, "match_win", "seat", "1", 0.25, 0.02)]
    assert rule.games_needed(10_000, rows) == 40_000
    assert rule.games_needed(10_001, rows) == 80_000
    assert rule.games_needed(10_000, [rows[0]._replace(half_width=math.nan)]) == 1_000_000


def test_a_longer_run_forgets_the_look_at_which_the_shorter_ended() -> None:
    record = [Look("a", games, "match_win", "seat", "1", 0.25, 0.1) for games in (10_000, 20_000, 30_000)]
    assert in_record(record, 30_000) == record and in_record(record, 80_000) == record[:2]


def test_a_manifest_holds_the_rule() -> None:
    rule = Precision((("match_win", 0.001), ("passes", 0.5)), 20_000)
    assert precision_from(rule.described()) == rule
    assert precision_from("fixed number of games") is None and precision_from({"rule": "decided"}) is None
    damage: tuple[dict[str, Any], ...] = (
        {"targets": 3},
        {"targets": []},
        {"max_games": "many"},
        {"targets": [{"metric": "passes"}]},
    )
    for damaged in damage:
        with pytest.raises(ValueError, match="not what it must be"):
            precision_from({**rule.described(), **damaged})


def test_options() -> None:
    assert read_precision(GAME, ["0.1pp", "passes=0.5"]) == (("match_win", 0.001), ("passes", 0.5))
    assert read_max_games(None) == 100_000_000 and read_max_games("20k") == 20_000
    assert read_max_time(None) is None and read_max_time("1m30s") == 90
    with pytest.raises(UsageError) as caught:
        read_precision(GAME, ["0.1pp", "match_win=1pp"])
    assert str(caught.value) == "--precision: 'match_win' has two half widths.\n  Leave one of them out."
    with pytest.raises(UsageError) as caught:
        read_precision(GAME, ["0.1", "pases=1"])
    assert str(caught.value).startswith(
        "--precision: '0.1' has no unit. Did you mean '0.1pp'?\n  Write --precision 0.1pp, METRIC=0.1pp or "
        "METRIC=VALUE.\n'pases' is not a metric of my-ship-sails. Did you mean 'passes'?\n"
    )


# On the command line


def rows_of(path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(Path(path).read_text().splitlines()))


def files(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).glob("*.csv")}


def test_a_sweep_holds_exactly_the_games_of_the_look_at_which_it_stopped(call: Call) -> None:
    line = "sweep my-ship-sails --vary players=4,6 --precision 0.7pp --precision passes=0.1 --out"
    shown = call(f"{line} one --jobs 1 --json")
    assert (shown.code, shown.json["status"]) == (0, "done")
    assert (shown.json["stopped_by"], shown.json["reproducible"]) == ("precision", True)
    assert [cell["games"] for cell in shown.json["results"]] == [20_000, 20_000]
    assert "stopped at a precision: the intervals are the ordinary ones." in shown.err
    assert (
        "look at 10,000 games: 0 of 2 cells precise; widest match_win ±0.85 pp (target ±0.7 pp), passes " in shown.err
    )
    looks = rows_of("one/looks.csv")
    assert list(looks[0]) == ["cell", "games", "metric", "by", "key", "estimate", "half_width"]
    assert [(row["games"], row["metric"], row["key"]) for row in looks if row["cell"].startswith("players-4")] == [
        (games, *row) for games in ("10000", "20000")
        for row in [*(("match_win", str(seat)) for seat in range(1, 5)), ("passes", "")]
    ]  # fmt: skip
    assert all(
        float(row["half_width"]) <= 0.007 for row in looks if (row["games"], row["metric"]) == ("20000", "match_win")
    )
    assert call(f"{line} two --jobs 3 -q").code == 0 and files("one") == files("two") and len(files("one")) == 5
    # The same games in a run of fixed length give the same estimates.
    assert call("sweep my-ship-sails --vary players=4,6 --games 20k --out three -q").code == 0
    assert Path("three/estimates.csv").read_bytes() == Path("one/estimates.csv").read_bytes()
    assert not Path("three/looks.csv").exists()

    assert "nothing to do: every cell of 'one' is precise.\n" in call("sweep --resume one").err
    assert "  precision match_win ±0.7 pp and passes ±0.1: reached in 2 of 2 cells\n" in call("status one").out
    status = call("status one --json").json["results"]
    assert status["precision"]["cells_reached"] == 2 and status["missing"] is None and status["resume"] is None


def test_what_is_not_reached_is_kept_and_goes_on_by_the_same_rule(call: Call) -> None:
    line = "sweep my-ship-sails --vary players=4,6 --precision 0.7pp"
    shown = call(f"{line} --max-games 12k --out part --json")
    assert (shown.code, shown.json["exit_code"], shown.json["status"]) == (4, 4, "imprecise")
    assert [cell["games"] for cell in shown.json["results"]] == [12_000, 12_000]
    assert shown.json["stopped_by"] == "max_games"
    assert (
        "not reached in 1 of 2 cells: match_win ±0.7 pp; 12,000 games were not enough. The results are kept.\n"
        "Go on with: shipsim sweep --resume part --max-games N\n"
    ) in shown.err
    assert [row["status"] for row in rows_of("part/cells.csv")] == ["imprecise", "done"]
    assert call("sweep --resume part -q").code == 4
    assert call("sweep --resume part --max-games 80k -q").code == 0
    assert call(f"{line} --max-games 80k --out whole -q").code == 0
    assert files("part") == files("whole")

    shown = call("simulate my-ship-sails --precision 0.0001pp --max-games 20k --json")
    assert (shown.code, shown.json["status"], shown.json["results"][0]["games"]) == (4, "imprecise", 20_000)
    assert shown.json["stopping"]["targets"] == [{"metric": "match_win", "half_width": 1e-6}]


@pytest.mark.parametrize(
    "line",
    [
        "sweep my-ship-sails --vary players=4,6 --precision 0.6pp",
        "compare my-ship-sails direction=left direction=right --until decided --rope match_win=1pp",
    ],
)
def test_an_interrupted_run_ends_in_the_same_bytes(line: str, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(f"{line} --out whole -q").code == 0
    chunks = 0

    def interrupting(task: Any, *more: Any) -> Any:
        nonlocal chunks
        chunks += 1
        if chunks == limit:
            os.kill(os.getpid(), signal.SIGINT)
        return simulation_play(task, *more)

    simulation_play = simulation.play_chunk
    monkeypatch.setattr(simulation, "play_chunk", interrupting)
    limit = 8  # compiling plays one, and the second look has begun
    assert call(f"{line} --out part --jobs 2 -q").code == 130
    assert files("part") != files("whole")
    for limit in range(6, 100, 6):  # noqa: B007 -- it is read above
        chunks = 0
        if call("sweep --resume part --jobs 2 -q").code != 130:
            break
    assert files("part") == files("whole")
    # Once more changes nothing.
    assert call("sweep --resume part -q").code == 0
    assert files("part") == files("whole")


def test_the_end_of_the_time_is_marked(call: Call) -> None:
    shown = call("sweep my-ship-sails --vary players=4,6 --precision 0.001pp --max-time 0.3s --out late --json")
    assert (shown.code, shown.json["stopped_by"], shown.json["reproducible"]) == (4, "max_time", False)
    manifest = json.loads(Path("late/manifest.json").read_text())
    assert (manifest["stopped_by"], manifest["reproducible"], manifest["status"]) == ("max_time", False, "imprecise")
    assert manifest["stopping"]["max_time"] == 0.3
    assert "the time was up. The results are kept.\nnote: a stop by time is not reproducible" in shown.err
    assert "Go on with: shipsim sweep --resume late\n" in shown.err
    before = call("status late --json").json["results"]["cells"][0]["games"]
    assert call("sweep --resume late -q").code == 4
    assert call("status late --json").json["results"]["cells"][0]["games"] > before
    assert "  resume    shipsim sweep --resume late\n" in call("status late").out


def test_a_dry_run_predicts_the_games(call: Call) -> None:
    shown = call("sweep my-ship-sails --vary players=4,6 --precision 0.25pp --dry-run")
    assert shown.code == 0 and "until  match_win ±0.25 pp, at most 100M games a cell\n" in shown.out
    assert "games  320,000, 160,000 a cell, seed 1\n" in shown.out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "simulate my-ship-sails --precision 1pp --games 10k",
            "error: --games fixes the number of games, which --precision leaves open.\n"
            "  Leave one of them out, or write --max-games N for the most games.\n",
        ),
        (
            "sweep my-ship-sails --vary players=4,5 --max-time 3m",
            "error: --max-time says when to give up a precision, but there is no --precision.\n"
            "  Write --precision 0.1pp, or --games N for a fixed number of games.\n",
        ),
        (
            "simulate my-ship-sails --precision wins=1pp --max-games 1.5 --max-time 3",
            "error: 'wins' is not a metric of my-ship-sails. Did you mean 'points'?\n",
        ),
    ],
)
def test_bad_input(line: str, message: str, call: Call) -> None:
    shown = call(line)
    assert shown.code == 2 and shown.err.startswith(message)


def test_resume_refuses_what_does_not_fit_the_rule(call: Call) -> None:
    assert call("sweep my-ship-sails --vary players=4,6 --precision 2pp --out open -q").code == 0
    assert call("sweep my-ship-sails --vary players=4,6 --games 100 --out fixed -q").code == 0
    shown = call("sweep --resume open --games 1M")
    assert shown.code == 2 and shown.err == (
        "error: 'open' stops at a precision, which --games cannot change.\n"
        "  Leave --games out to go on as planned, up to 100M games a cell.\n"
        "  Write 'shipsim sweep --resume open --max-games N' to let it play more.\n"
    )
    shown = call("sweep --resume fixed --max-games 1M")
    assert shown.code == 2 and shown.err == (
        "error: --max-games is for runs that stop by themselves; 'fixed' has a fixed number of games.\n"
        "  Write --games N for more games.\n"
    )
    assert call("sweep --resume open --precision 1pp").err.startswith("error: --resume takes no --precision: ")
    state = next(Path("open/state").iterdir())
    state.write_bytes(state.read_bytes()[:-30])
    assert call("sweep --resume open").code == 3


def test_the_line_beats_the_environment(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHIPSIM_SIMULATE_PRECISION", "2pp passes=1")
    monkeypatch.setenv("SHIPSIM_SIMULATE_MAX_GAMES", "15k")
    assert call("simulate my-ship-sails --json").json["stopping"]["max_games"] == 15_000
    assert call("simulate my-ship-sails --games 300 --json").json["results"][0]["games"] == 300


@pytest.mark.parametrize("command", ["simulate my-ship-sails", "compare my-ship-sails classic pass-two"])
@pytest.mark.parametrize(("option", "value"), [("MAX_GAMES", "15k"), ("MAX_TIME", "10m")])
def test_a_limit_in_the_environment_goes_with_the_precision_it_belongs_to(
    command: str, option: str, value: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"SHIPSIM_{command.split()[0].upper()}_{option}", value)
    shown = call(f"{command} --games 300 --json")
    assert shown.code == 0 and shown.json["results"][0]["games"] == 300
    name = f"--{option.lower().replace('_', '-')}"
    assert call(f"{command} --games 300 {name} {value}").err.startswith(f"error: {name} says when to give up")
    assert call(command).err.startswith(f"error: {name} says when to give up")


def test_of_two_ways_to_stop_the_one_on_the_line_counts(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "compare my-ship-sails classic pass-two --json --max-games 10k"
    monkeypatch.setenv("SHIPSIM_COMPARE_PRECISION", "2pp")
    assert call(f"{line} --until decided").json["stopping"]["rule"] == "decided"
    monkeypatch.setenv("SHIPSIM_COMPARE_UNTIL", "decided")
    assert call(f"{line} --precision 2pp").json["stopping"]["rule"] == "precision of differences"
    assert call(line).err.startswith("error: --until and --precision are two ways to stop.")
    monkeypatch.setenv("SHIPSIM_TRACE_FIND", "longest")
    assert call("trace my-ship-sails --game 7 --json").json["results"]["game"] == 7


def test_looks_double() -> None:
    assert look_games(100_000) == [10_000, 20_000, 40_000, 80_000, 100_000]
    assert look_games(40_000) == [10_000, 20_000, 40_000]
    assert look_games(2_000) == [2_000]


def test_what_is_precise() -> None:
    assert is_precise([0.1, 0.2], 0.2)
    assert not is_precise([0.1, 0.31], 0.3)
    assert not is_precise([0.1, math.nan], 1)
