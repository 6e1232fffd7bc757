"""Plays random and extreme rule sets while numba checks every index: ``python -m tests.boundscheck CASES``.

To be run with NUMBA_BOUNDSCHECK=1; an index out of bounds then raises an IndexError.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from enum import IntEnum
from typing import Any

import numpy as np

from simcore import games
from simcore.declare import Field, fields
from simcore.jit import jit
from simcore.strategies import show_seats
from tests import test_ahoi_twin, test_my_ship_sails_plain, test_my_ship_sails_twin, test_skull_king_twin
from tests.twins import kernel_match, random_rules, random_seats

CASES: dict[str, tuple[Any, ...]] = {
    "ahoi": (test_ahoi_twin.drawn_case, test_ahoi_twin.plain_case),
    "my-ship-sails": (test_my_ship_sails_twin.drawn_case, test_my_ship_sails_plain.plain_case),
    "skull-king": (test_skull_king_twin.drawn_case,),
}

SHORT = {"my-ship-sails": {"max_passes": 200, "max_rounds": 20}}
"""Rules that keep a match short while another one is at its extreme."""


def ends(field: Field) -> list[Any]:
    """Return the extremes of a rule: both bounds, or all words."""
    if issubclass(field.kind, IntEnum):
        return list(field.kind)
    if field.kind is bool:
        return [False, True]
    span = field.rule.span
    assert span is not None
    low: Any = span.low if not span.above else min(1e-9, span.high)
    # Nobody waits for a match of a million rounds: that numbers may be large is what matters.
    high: Any = min(span.high, 10_000)
    found: list[Any] = [float(low), float(high)] if field.kind is float else [int(low), int(high)]
    found += [*field.rule.words.values()]
    return [value if isinstance(value, tuple) or not field.rule.length else (value,) for value in found]


def extremes(name: str, rng: random.Random) -> Iterator[tuple[Any, str]]:
    """Yield rules with each rule at each end, the others at their defaults or drawn, where they can be played."""
    game = games.load(name)
    for field in fields(game.Rules).values():
        for end in ends(field):
            fixed = {**SHORT.get(name, {}), field.name: end}
            for _ in range(40):
                drawn = random_rules(name, rng, rng.choice([0.0, 0.1, 0.3]))
                rules = drawn._replace(**fixed)
                lengths = {len(getattr(rules, f.name)) for f in fields(game.Rules).values() if f.rule.per_seat}
                if not game.check(rules) and lengths <= {1, rules.players}:
                    yield rules, f"{field.name}={end!r}"
                    break


@jit
def beyond(values: Any) -> Any:
    """Read behind the end of an array."""
    return values[len(values)]


def is_checked() -> bool:
    """Say whether what our kernels are compiled with notices an index out of bounds."""
    try:
        beyond(np.zeros(3, np.int64))
    except IndexError:
        return True
    return False


def main(cases: int) -> dict[str, Any]:
    """Play so many random cases of each game, and all extremes; return what was played."""
    assert is_checked()
    played: Counter[str] = Counter()
    for name, draws in CASES.items():
        rng = random.Random(name)
        for drawn_case, case in itertools.product(draws, range(20_000, 20_000 + cases)):
            rules, seats, seed, numbers = drawn_case(case)
            for number in numbers:
                try:
                    kernel_match(name, rules, seats, seed, number)
                except IndexError as error:
                    raise IndexError(f"{name}: {rules}, {show_seats(seats)}, seed {seed}, game {number}") from error
                played[f"{name}: random matches"] += 1
        for rules, what in extremes(name, rng):
            seats = random_seats(name, rules.players, rng)
            try:
                kernel_match(name, rules, seats, 7, 0)
            except IndexError as error:
                raise IndexError(f"{name}, {what}: {rules}, {show_seats(seats)}, seed 7, game 0") from error
            played[f"{name}: extremes"] += 1
    return dict(played)


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
