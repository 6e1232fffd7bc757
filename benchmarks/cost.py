"""Prints what a sweep costs against the work: seconds, memory and disk by games, players, cells and threads.

Run with ``make bench-cost`` or ``python -m benchmarks.cost [GAME...]``; some minutes a game. Every number is one whole
``shipsim sweep`` in a process of its own, with warm kernels. The exponent of a column is the slope of the
logarithms through the last rows, where start-up no longer counts: 1 is in proportion, 0 constant.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

GAMES = {
    "ahoi": ("10k", "100k", "1M", "10M", "100M"),
    "skull-king": ("10k", "100k", "1M", "10M", "100M"),
    "my-ship-sails": ("10k", "100k", "1M", "10M", "100M"),
}
"""How many games a cell plays."""

PLAYERS = {"ahoi": range(2, 11), "skull-king": range(2, 9), "my-ship-sails": range(4, 8)}

AXES = {
    "ahoi": ("value_joker=1..{}", "value_skip=1..{}"),
    "skull-king": ("bonus_pirate=1..{}", "bonus_14=1..{}"),
    "my-ship-sails": ("max_passes=1001..1{:03}", "max_rounds=1001..1{:03}"),
}
"""Two rules of each game that hardly change what a match costs."""

CELLS = {"1": (1,), "10": (10,), "100": (10, 10), "1000": (100, 10)}
"""How many values of the two rules make so many cells."""

SCALE = {"k": 10**3, "M": 10**6}


class Cost(NamedTuple):
    """What one sweep took: seconds of the clock and of the processor, MB of memory, kB of disk."""

    clock: float
    processor: float
    memory: float
    disk: float


def sweep(line: str) -> Cost:
    """Play a sweep in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "cli", "sweep", *line.split(), "--no-progress", "--quiet", "--out"]
        began = time.perf_counter()
        started = subprocess.Popen([*command, f"{folder}/run"], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(started.pid, 0)
        clock = time.perf_counter() - began
        if status != 0:
            raise SystemExit(f"shipsim sweep {line} ended with {status}")
        disk = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        return Cost(clock, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, disk / 1000)


def number(text: str) -> int:
    """Return the number that 10k or 1M stands for."""
    return int(text[:-1]) * SCALE[text[-1]] if text[-1] in SCALE else int(text)


def exponent(works: Sequence[float], costs: Sequence[float]) -> float:
    """Return the slope of a line through the logarithms."""
    x, y = [math.log(work) for work in works], [math.log(cost) for cost in costs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)


def table(what: str, lines: dict[str, str], last: int) -> None:
    """Print a row for each sweep, and the exponents through the last ones."""
    print(f"\n| {what} | seconds | of the processor | memory, MB | disk, kB |\n| --- | --- | --- | --- | --- |")
    found = {}
    for work, line in lines.items():
        found[work] = cost = sweep(line)
        print(f"| {work} | {cost.clock:.2f} | {cost.processor:.2f} | {cost.memory:.0f} | {cost.disk:.0f} |", flush=True)
    if last:
        works, costs = [float(number(work)) for work in found][-last:], list(found.values())[-last:]
        slopes = [exponent(works, column) for column in zip(*costs, strict=True)]
        print(f"| exponent, last {last} | " + " | ".join(f"{slope:.2f}" for slope in slopes) + " |", flush=True)


def varied(name: str, *values: int) -> str:
    """Return the axes that make so many cells of a game."""
    return " ".join(f"--vary {axis.format(value)}" for axis, value in zip(AXES[name], values, strict=False))


def report(name: str) -> None:
    """Print all tables of a game."""
    one = f"{name} {varied(name, 1)}"
    for seats in PLAYERS[name]:
        sweep(f"{one} --games 1k --set players={seats}")  # whatever has to be compiled
    print(f"\n**{name}** (load {os.getloadavg()[0]:.1f})")
    table("games, 2 threads", {games: f"{one} --games {games} --jobs 2" for games in GAMES[name]}, 2)
    table("threads, 1M games", {str(jobs): f"{one} --games 1M --jobs {jobs}" for jobs in (1, 2)}, 0)
    players = {str(players): f"{one} --games 200k --jobs 2 --set players={players}" for players in PLAYERS[name]}
    table("players, 200k games", players, 4)
    cells = {count: f"{name} --games 10k --jobs 2 {varied(name, *values)}" for count, values in CELLS.items()}
    table("cells of 10k games", cells, 2)


def main(names: list[str]) -> None:
    """Measure the named games, or all."""
    for name in names or list(GAMES):
        report(name)


if __name__ == "__main__":
    main(sys.argv[1:])
