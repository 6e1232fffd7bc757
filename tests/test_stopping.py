"""Stopping at a precision: looks at fixed numbers of games, and nothing else decides."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cli.options import read_max_games, read_max_time, read_precision
from simcore.cells import plan
from simcore.declare import SHARE
from simcore.errors import UsageError
from simcore.games import load
from simcore.record import place, width
from simcore.stopping import Look, Precision, in_record, look_games, precision_from
from simcore.tally import Tally

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
    for damaged in ({"targets": 3}, {"targets": []}, {"max_games": "many"}, {"targets": [{"metric": "passes"}]}):
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
