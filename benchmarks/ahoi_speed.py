"""Rounds a second of Mein Schiff Ahoi on one core, with everything recorded.

    python -m benchmarks.ahoi_speed [rounds] [repeats]

Strategies and rules take turns, so that a change of the machine's mood hits all of them; time is the
thread's own processor time, and of the repeats the median counts. Beside it stands what a simplified
kernel without any recording, written for this comparison, took at best: the practical limit.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from typing import Any

import numpy as np

from simcore import games, log
from simcore.jit import NO_OWN
from simcore.record import counts_dtype, tally_dtype, to_record, to_strategies
from simcore.strategies import read_seats

NAME = "ahoi"
GAME = games.load(NAME)
LIMIT_A_TURN = 8.8
"""Nanoseconds a turn of the simplified kernel with random players."""

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "classic, keeper": ("keeper", {}),
    "classic, random": ("random", {}),
    "classic, highest": ("highest", {}),
    "classic, hunter": ("hunter", {}),
    "classic, careful": ("careful", {}),
    "classic, newest": ("newest", {}),
    "party, keeper": ("keeper", dict(GAME.PRESETS["party"])),
    "classic, keeper, 2 players": ("keeper", {"players": 2}),
    "classic, keeper, 10 players": ("keeper", {"players": 10}),
    "6 colours, keeper": ("keeper", {"colours": 6}),
}


def measure(strategy: str, changes: dict[str, Any], rounds: int) -> tuple[float, float]:
    """Return seconds a round and turns a round."""
    rules = GAME.Rules(**changes)
    tally = np.zeros(1, tally_dtype(NAME))
    seats = read_seats(GAME, strategy, rules.players)
    arguments = (
        to_record(NAME, rules),
        to_strategies(NAME, seats),
        np.uint64(1),
        np.int64(0),
        np.int64(rounds),
        np.int64(rounds),
        tally,
        np.zeros(1, counts_dtype(NAME))[0],
        np.zeros((0, log.WIDTH), np.int32),
        np.zeros(1, np.uint8),
        NO_OWN,
    )
    kernel = getattr(games.kernel(NAME), games.kernel_for(NAME, rules, seats))
    begun = time.thread_time()
    kernel(*arguments)
    return (time.thread_time() - begun) / rounds, tally[0]["turns"] / rounds


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    begun = time.process_time()
    measure("keeper", {}, 10)
    print(f"ready after {time.process_time() - begun:.1f} s of processor time (compiling, or from the cache)")
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in CASES}
    for _ in range(repeats):
        for name, (strategy, changes) in CASES.items():
            taken[name].append(measure(strategy, changes, rounds))
    print(f"{'':30}{'rounds/s':>10}{'ns a round':>12}{'turns':>8}{'ns a turn':>11}")
    for name, times in taken.items():
        seconds = statistics.median(time for time, _ in times)
        turns = times[0][1]
        print(f"{name:30}{1 / seconds:10,.0f}{seconds * 1e9:12.0f}{turns:8.1f}{seconds * 1e9 / turns:11.1f}")
    print(f"the limit, random players: {LIMIT_A_TURN} ns a turn; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
