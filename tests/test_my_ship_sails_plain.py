"""Plain matches of My Ship Sails, which two kernels can play: both against the naive twin, match by match."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from simcore import games
from simcore.games.my_ship_sails.rules import (
    PRESETS,
    DealtFlush,
    Deck,
    Direction,
    PassMode,
    Rules,
    Simultaneous,
    Trim,
    TrimSuits,
    check,
)
from simcore.strategies import Seat, read_seats, show_seats
from tests.naive import my_ship_sails as naive
from tests.twins import Sums, differences, kernel_match

NAME = "my-ship-sails"
KERNELS = ("play_plain", games.ANY)
STYLES = ("adaptive", "stubborn", "random")


def chosen_kernel(strategy: str = "adaptive", **changes: Any) -> str:
    rules = Rules(**changes)
    return games.kernel_for(NAME, rules, read_seats(games.load(NAME), strategy, rules.players))


def plain_case(case: int) -> tuple[Rules, tuple[Seat, ...], int, tuple[int, int]]:
    """Draw rules and strategies that the plain kernel plays, a seed and two games."""
    rng = random.Random(f"plain {case}")
    while True:
        players = rng.randint(2, 8)
        rules = Rules(
            players=players,
            deck=rng.choice(list(Deck)),
            hand_size=rng.choice([3, 3, 4, 5, 6, 7, 7, 8, 10, 13]),
            pass_count=rng.choice([1, 1, 2, 3]),
            trim=rng.choice(list(Trim)),
            trim_suits=rng.choice(list(TrimSuits)),
            direction=rng.choice([Direction.LEFT, Direction.RIGHT, Direction.ALTERNATE_ROUNDS]),
            call_speed=tuple(rng.choice([0.5, 1.0, 3.0]) for _ in range(players)),
            dealt_flush=rng.choice(list(DealtFlush)),
            # Numbers are drawn ahead for seven passes.
            max_passes=rng.choice([1, 2, 6, 7, 8, 13, 14, 15, 21, 40, 80]),
            match_target=rng.randint(1, 4),
            max_rounds=rng.randint(1, 10),
            fastest_bonus=rng.choice([0, 0, 1, 3]),
        )
        if not check(rules):
            break
    weights = (4, 2, 1 if rules.pass_count == 1 else 0)
    seats = read_seats(games.load(NAME), "+".join(rng.choices(STYLES, weights, k=players)), players)
    return rules, seats, rng.randrange(2**64), (0, rng.randrange(2**40))


def check_plain_match(rules: Rules, seats: tuple[Seat, ...], seed: int, game: int) -> Sums:
    reference = naive.play_match(rules, seats, seed, game)
    for kernel in KERNELS:
        computed = kernel_match(NAME, rules, seats, seed, game, kernel)
        assert differences(reference, computed) == {}, (kernel, rules, show_seats(seats), seed, game)
    return reference[0]


def check_plain_case(case: int) -> Sums:
    rules, seats, seed, numbers = plain_case(case)
    assert games.kernel_for(NAME, rules, seats) == "play_plain"
    total: Sums = Counter()
    for game in numbers:
        total.update(check_plain_match(rules, seats, seed, game))
    return total


def test_common_rules_are_played_by_the_plain_kernel() -> None:
    for strategy in (*STYLES, "adaptive+stubborn+random+adaptive"):
        assert chosen_kernel(strategy) == "play_plain"
    for preset in ("pass-right", "pass-two", "alternating", "whole-deck", "race-to-five", "fastest-bonus"):
        assert chosen_kernel(**PRESETS[preset]) == "play_plain"
    for players in range(4, 9):
        assert chosen_kernel(players=players, hand_size=6, max_passes=1000) == "play_plain"


@pytest.mark.parametrize(
    "changes",
    [
        {"players": 9, "hand_size": 5}, {"pass_count": 2, "strategy": "random"}, {"pass_mode": PassMode.SEQUENTIAL},
        {"overlook": 0.1}, {"direction": Direction.ALTERNATE_PASSES}, {"simultaneous": Simultaneous.HIGH_CARD},
        {"dead_heat": 0.1},
        {"strategy": "adaptive+adaptive+patient+random"}, {"strategy": "hesitant"}, {"strategy": "watcher"},
        {"strategy": "adaptive:discard=random"}, {"strategy": "stubborn:discard=newest"},
        {"strategy": "stubborn:first_target=second"},
    ],
    ids=str,
)  # fmt: skip
def test_other_rules_are_not(changes: dict[str, Any]) -> None:
    assert chosen_kernel(**changes) == games.ANY


def test_both_kernels_play_as_the_twin() -> None:
    total: Sums = Counter()
    for case in range(400):
        total.update(check_plain_case(case))
    # All that is counted must have happened in these matches, or they would prove nothing about it.
    for metric in games.load(NAME).METRICS:
        assert metric.name == "match_tie" or any(name == metric.name for name, _ in total), metric.name


@pytest.mark.slow
def test_both_kernels_play_as_the_twin_at_length() -> None:
    for case in range(1000, 9000):
        check_plain_case(case)


@pytest.mark.interpreted
def test_both_kernels_play_as_the_twin_in_a_few_matches() -> None:
    for case in range(400, 412):
        check_plain_case(case)


@pytest.mark.parametrize(
    ("strategy", "changes"),
    [
        ("adaptive", {}),
        ("stubborn", {"direction": Direction.RIGHT, "max_passes": 12}),
        ("adaptive+stubborn+stubborn+adaptive", {"direction": Direction.ALTERNATE_ROUNDS, "fastest_bonus": 2}),
        ("adaptive", {"hand_size": 3, "trim": Trim.NONE, "call_speed": (1.0, 2.0, 3.0, 4.0)}),
        ("stubborn", {"hand_size": 13, "max_passes": 30}),
        ("adaptive", {"hand_size": 5, "trim_suits": TrimSuits.RANDOM, "max_passes": 1}),
        ("adaptive", {"players": 7}),
        ("adaptive", {"pass_count": 2}),
        ("stubborn", {"pass_count": 3, "players": 5}),
        ("+".join(["stubborn", "random"] * 4), {"players": 8, "hand_size": 4, "trim": Trim.NONE, "max_passes": 300}),
    ],
)
def test_usual_matches_are_played_as_by_the_twin(strategy: str, changes: dict[str, Any]) -> None:
    rules = Rules(max_rounds=8, **changes)
    seats = read_seats(games.load(NAME), strategy, rules.players)
    for game in range(20):
        check_plain_match(rules, seats, 3, game)
