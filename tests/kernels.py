"""Calling the kernel of any game, with usual rules, or with rules and strategies that are drawn."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from simcore import games, log
from simcore.jit import INTERPRETED, NO_OWN
from simcore.record import counts_dtype, tally_dtype, to_record, to_strategies
from simcore.strategies import Seat, read_seats, show_seats
from tests.twins import random_rules, random_seats

CASES = 3 if INTERPRETED else 12

SHORT: dict[str, dict[str, Any]] = {
    "ahoi": {"max_turns": 300, "match_rounds": 2, "match_points": 0},
    "skull-king": {"rounds": (1, 3, 4, 2)},
    "my-ship-sails": {"max_passes": 30, "max_rounds": 6},
}
"""Rules that keep random matches short; a game without an entry is drawn as it comes."""


class Case(NamedTuple):
    """Rules, strategies and a seed."""

    name: str
    rules: Any
    seats: tuple[Seat, ...]
    seed: int

    def __str__(self) -> str:
        return f"{self.name} {self.rules} {show_seats(self.seats)} seed {self.seed}"


class Played(NamedTuple):
    status: int
    played: int
    tally: Any
    counts: Any
    log: Any

    def same_sums(self, other: Played) -> bool:
        return bool(self.tally.tobytes() == other.tally.tobytes() and self.counts.tobytes() == other.counts.tobytes())


def play(
    case: Case, first: int, matches: int, block: int = 1, rows: int = 0, stop: int = 0, own: Any = NO_OWN
) -> Played:
    """Call the kernel that such matches are played with."""
    blocks = (first + matches - 1) // block - first // block + 1
    tally, counts = np.zeros(blocks, tally_dtype(case.name)), np.zeros(1, counts_dtype(case.name))
    events = np.zeros((rows, log.WIDTH), np.int32)
    kernel = games.ANY if rows else games.kernel_for(case.name, case.rules, case.seats)
    status, played = getattr(games.kernel(case.name), kernel)(
        to_record(case.name, case.rules),
        to_strategies(case.name, case.seats),
        np.uint64(case.seed),
        np.int64(first),
        np.int64(matches),
        np.int64(block),
        tally,
        counts[0],
        events,
        np.full(1, stop, np.uint8),
        own,
    )
    return Played(int(status), int(played), tally, counts, events)


def usual(name: str, **rules: Any) -> Case:
    game = games.load(name)
    made = game.Rules(**rules)
    return Case(name, made, read_seats(game, "/".join(game.PARTS.values()), made.players), 1)


def random_cases(name: str, count: int = CASES) -> Iterator[Case]:
    for number in range(count):
        rng = random.Random(f"{name} {number}")
        rules = random_rules(name, rng, rng.choice([0.1, 0.3, 0.5]), **SHORT.get(name, {}))
        seats = random_seats(name, rules.players, rng)
        # A rollout costs so much that few samples must do.
        quick = [seat._replace(parameters={p: min(v, 3) if p == "samples" else v for p, v in seat.parameters.items()})
                 for seat in seats]  # fmt: skip
        yield Case(name, rules, tuple(quick), rng.randrange(2**64))
