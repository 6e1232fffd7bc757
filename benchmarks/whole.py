"""What is lost between the kernel and a whole sweep, and what a second thread adds."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.limit import CASES
from benchmarks.strategies import make_task, matches_for, on_threads
from simcore import games
from simcore.cells import make_cell
from simcore.chunks import play_chunk
from simcore.strategies import read_seats

NEUTRAL = {
    "ahoi": "max_turns=5000,4999",
    "skull-king": "bonus_loot=20,10",
    "my-ship-sails": "max_rounds=200,199",
}
"""A rule of each game that no match feels, so both cells of the sweep cost what the kernel alone costs."""

SIZE = 20
"""Matches of a cell, in units of what takes half a second: start-up must not be what is measured."""


def sweep_seconds(name: str, strategy: str, matches: int) -> float:
    """Return the seconds of the clock that a sweep of two cells takes from start to end, on one thread."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "cli", "sweep", name, "--strategy", strategy, "--vary", NEUTRAL[name]]
        command += ["--games", str(matches), "--jobs", "1", "--no-progress", "--quiet", "--out", f"{folder}/run"]
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - began


def report(names: list[str], repeats: int) -> None:
    """Print both ratios for the first strategy of each game."""
    print(f"\n{'':34}{'sweep / kernel':>15}{'two threads / one':>19}")
    for name in names:
        game, strategy = games.load(name), CASES[name][0]
        rules = game.Rules()
        cell = make_cell(game, rules, read_seats(game, strategy, rules.players))
        matches = matches_for(cell)
        shares, gains = [], []
        for _ in range(max(repeats // 2, 1)):
            began = time.perf_counter()
            for _ in range(SIZE // 4):
                play_chunk(make_task(cell, matches))
            kernel = (time.perf_counter() - began) / (SIZE // 4)
            shares.append(2 * SIZE * kernel / sweep_seconds(name, strategy, SIZE * matches))
            gains.append(2 * on_threads(cell, matches, 1) / on_threads(cell, matches, 2))
        print(
            f"{name + ', ' + strategy:34}{statistics.median(shares):15.2f}{statistics.median(gains):19.2f}", flush=True
        )
