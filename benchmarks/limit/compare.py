"""The kernels against their twins in C: first equal sums, match by match, then speed."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from benchmarks.limit import CASES, Sums, Twin, sums_for
from simcore.tally import block_for

SEED = 1
CHECKED = 3000
"""Matches whose sums are compared one by one before anything is timed."""

SECONDS = 0.4
"""What one timing takes at about."""

STEPS = {
    "ahoi": ("turn", "turns", 1),
    "skull-king": ("trick", "turns", 4),
    "my-ship-sails": ("pass", "passes", 1),
}
"""A step of each game, the field that counts it, and how many of that make a step.

A pass is one of all four players. Only rounds that end count theirs: those of a stalemate are not played to the cap by
either side, but their time is in it.
"""

Player = Callable[[int, int, int, int, Sums], None]


def is_equal(twin: Twin, matches: int = CHECKED, first: int = 5, seed: int = SEED) -> bool:
    """Whether both sides add up the same in every single match, and in the distributions."""
    by_kernel, in_c = sums_for(twin.name, first, matches, 1), sums_for(twin.name, first, matches, 1)
    twin.play(seed, first, matches, 1, by_kernel)
    twin.play_in_c(seed, first, matches, 1, in_c)
    return by_kernel.equals(in_c)


def measure(name: str, play: Player, matches: int) -> tuple[float, Sums]:
    """Return the seconds of one thread that so many matches take, in blocks as a cell has them, and their sums."""
    block = block_for(matches)
    sums = sums_for(name, 0, matches, block)
    began = time.thread_time()
    play(SEED, 0, matches, block, sums)
    return time.thread_time() - began, sums


def matches_for(name: str, play: Player) -> int:
    """Return how many matches take about SECONDS."""
    matches = 256
    while (taken := measure(name, play, matches)[0]) < SECONDS / 8:
        matches *= 4
    return int(matches * SECONDS / taken)


def report(names: list[str], compiler: str, repeats: int) -> None:
    """Print the ratio of speeds of kernel and C, and what a step takes.

    Raises
    ------
    SystemExit
        If the sums differ: then there is nothing to compare.
    """
    heading = f"kernel and C ({compiler})"
    print(f"\n{heading:34}{'kernel / C':>11}{'kernel':>10}{'C':>9}  a match{'kernel':>10}{'C':>8}")
    for name in names:
        step, field, per_step = STEPS[name]
        for strategy in CASES[name]:
            twin = Twin(name, strategy, compiler)
            if not is_equal(twin):
                raise SystemExit(
                    f"error: {name} {strategy}: the twin in C does not play the games that the kernel plays"
                )
            matches = matches_for(name, twin.play)
            kernel, in_c = [], []
            for _ in range(repeats):
                seconds, sums = measure(name, twin.play, matches)
                kernel.append(seconds)
                seconds, other = measure(name, twin.play_in_c, matches)
                in_c.append(seconds)
            assert sums.equals(other)
            ratio = statistics.median(c / k for k, c in zip(kernel, in_c, strict=True))
            k, c = (statistics.median(times) / matches * 1e9 for times in (kernel, in_c))
            steps = int(sums.tally[field].sum()) / per_step / matches
            print(
                f"{name + ', ' + strategy:34}{ratio:11.2f}{k:10.0f}{c:9.0f}  ns     {k / steps:10.1f}{c / steps:8.1f}  "
                f"ns a {step}",
                flush=True,
            )
