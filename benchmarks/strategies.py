"""Prints the speed of every game's kernel on one core by strategy, what a second thread adds, what users' own cost.

Run with ``python -m benchmarks.strategies [GAME...]``. Times are the best of several alternating
repetitions, since these are what other work on the machine disturbs least; ratios are taken in the same run. Own
strategies are compared with `random`: 0.50 is half as fast as if it sat at all seats.
"""

from __future__ import annotations

import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from simcore import games
from simcore.cells import Cell, make_cell
from simcore.chunks import Task, play_chunk, to_task
from simcore.owncode import from_function
from simcore.record import place
from simcore.strategies import own_seat, read_seats

CASES = {
    "my-ship-sails": ("adaptive", "random", "stubborn:discard=random", "hesitant", "patient", "watcher"),
    "ahoi": ("keeper", "random", "hunter", "careful"),
    "skull-king": ("count/contract", "random", "calibrated/contract", "count/counter"),
}
"""Strategies measured with each game's default rules; the first one on two threads as well."""

SECONDS = 0.5
REPETITIONS = 5


def make_task(cell: Cell, matches: int, first: int = 0) -> Task:
    """Return the work of so many matches, in one block."""
    return to_task(cell, 1, first, matches, 1 << 40)


def matches_for(cell: Cell) -> int:
    """Return how many matches take about SECONDS."""
    matches = 16
    play_chunk(make_task(cell, 1))  # compiles, if need be
    while True:
        began = time.thread_time()
        play_chunk(make_task(cell, matches))
        if (taken := time.thread_time() - began) > 0.05:
            return max(1, int(matches * SECONDS / taken))
        matches *= 4


def on_one(cell: Cell, matches: int) -> tuple[float, float]:
    """Return seconds of one core, and rounds played."""
    began = time.thread_time()
    done = play_chunk(make_task(cell, matches))
    taken = time.thread_time() - began
    rounds = "rounds" if "rounds" in games.load(cell.game).COUNTS else "matches"
    return taken, float(done.rows[:, place(cell.game, rounds, (), ())].sum())


def on_threads(cell: Cell, matches: int, threads: int) -> float:
    """Return seconds of the clock that so many threads take for `matches` each."""
    with ThreadPoolExecutor(threads) as executor:
        began = time.perf_counter()
        list(executor.map(play_chunk, [make_task(cell, matches, i * matches) for i in range(threads)]))
        return time.perf_counter() - began


def at_random(view: Any, options: Any, random: Any) -> Any:
    """Choose at random, as a user's own strategy: all that takes longer than `random` is the asking."""
    return random % options


def compare_own(name: str) -> str:
    """Return how fast one, two and all seats with a user's own strategy are, others playing `random`."""
    game = games.load(name)
    rules = game.Rules()
    plain = read_seats(game, "random", rules.players)
    own = own_seat(game, from_function(at_random))
    numbers = (0, 1, 2, rules.players)
    cells = [make_cell(game, rules, [own] * number + list(plain[number:])) for number in numbers]
    matches = [matches_for(cell) for cell in cells]
    taken: list[list[float]] = [[] for _ in cells]
    for _ in range(REPETITIONS):
        for times, cell, count in zip(taken, cells, matches, strict=True):
            times.append(on_one(cell, count)[0] / count)
    alone, *others = (statistics.median(times) for times in taken)
    best, *bests = map(min, taken)
    shown = ", ".join(f"{n} own {alone / m:.2f}" for n, m in zip(numbers[1:], others, strict=True))
    return (
        f"{name:14} random {best * 1e9:9,.0f} ns, all own {bests[-1] * 1e9:9,.0f} ns a match; speed of random: {shown}"
    )


def main(names: list[str]) -> None:
    """Measure the named games, or all."""
    for name in names or list(games.GAMES):
        game = games.load(name)
        for number, strategy in enumerate(CASES[name]):
            rules = game.Rules()
            cell = make_cell(game, rules, read_seats(game, strategy, rules.players))
            matches = matches_for(cell)
            runs = [on_one(cell, matches) for _ in range(REPETITIONS)]
            seconds, rounds = min(runs)
            line = f"{name:14} {strategy:26} {matches / seconds:12,.0f} matches/s {rounds / seconds:12,.0f} rounds/s"
            if number == 0:
                pairs = [(on_threads(cell, matches, 1), on_threads(cell, matches, 2)) for _ in range(REPETITIONS)]
                gain = 2 * min(one for one, _ in pairs) / min(two for _, two in pairs)
                line += f"   two threads / one: {gain:.2f}"
            print(line, flush=True)
        print(compare_own(name), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
