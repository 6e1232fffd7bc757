"""The kernel of Mein Schiff Ahoi against its naive twin, match by match."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from simcore import games
from simcore.declare import fields
from simcore.games.ahoi.cards import PLAIN_STYLES
from simcore.games.ahoi.choices import UNTIL_PLAYABLE
from simcore.games.ahoi.rules import (
    DECK_FIELDS,
    PRESETS,
    Joker,
    JumpIn,
    Matching,
    PlayDrawn,
    Rules,
    Scoring,
    SkipFollows,
    Stacking,
    StartCard,
    TwoPlayerReverse,
    check,
)
from simcore.strategies import Seat, read_seats, show_seats
from tests.naive import ahoi as naive
from tests.naive.ahoi_table import make_deck
from tests.twins import Sums, differences, kernel_match, random_rules, random_seats

NAME = "ahoi"

DRAWING = {"n_draw_two": 2, "n_draw_two_colour": 4, "n_draw_four_colour": 6}
"""Part of a deck: many cards that make somebody draw."""

STACKS = (Stacking.SAME, Stacking.ANY)
JUMPS = (JumpIn.IDENTICAL, JumpIn.IDENTICAL_NUMBER)
MATCHINGS = tuple(Matching)

UNPLAIN = (
    "start_card", "must_play", "draw_count", "play_drawn", "stacking", "skip_follows", "jump_in", "end_on_special",
    "draw_four_only_if_stuck", "draw_four_challenge", "last_card_draws", "seven_zero", "multi_discard", "forget",
)  # fmt: skip
"""Rules of which the plain kernel plays the default only."""


def small_deck(rng: random.Random) -> dict[str, int]:
    """Draw a deck of few kinds, now and then without any number."""
    lowest = rng.choice([0, 0, 0, 1, 6, 7])
    deck = {
        "colours": rng.choice([2, 2, 3, 4]),
        "lowest_number": lowest,
        "highest_number": lowest + rng.choice([0, 1, 1, 2, 4]),
        "copies_zero": rng.choice([0, 1, 2, 3]),
        "copies_number": rng.choice([0, 1, 1, 2, 3]),
    }
    return deck | {name: rng.choice([0, 0, 1, 1, 2, 3]) for name in DECK_FIELDS if name.startswith("n_")}


def any_deck(rng: random.Random) -> dict[str, Any]:
    kind = rng.randrange(6)
    if kind <= 2:
        return small_deck(rng)
    if kind == 3:
        return dict(PRESETS[rng.choice(["deck-108", "deck-112-flat", "deck-numbers"])])
    return {} if kind == 4 else dict(DRAWING)


def stacks_and_challenges(rng: random.Random) -> dict[str, Any]:
    return DRAWING | {
        "stacking": rng.choice(STACKS),
        "draw_four_only_if_stuck": True,
        "draw_four_challenge": True,
        "on_draw_two": rng.choice(MATCHINGS),
        "skip_follows": rng.choice(list(SkipFollows)),
        "hand_size": rng.randint(1, 5),
    }


def jumps_of_many_cards(rng: random.Random) -> dict[str, Any]:
    return {
        "colours": 2,
        "lowest_number": 0,
        "highest_number": 7,
        "copies_zero": 4,
        "copies_number": rng.choice([2, 4]),
        "jump_in": rng.choice(JUMPS),
        "multi_discard": True,
        "seven_zero": True,
        "on_reverse": rng.choice(MATCHINGS),
        "on_skip": rng.choice(MATCHINGS),
        "stacking": rng.choice(list(Stacking)),
    }


def turns_owed(rng: random.Random) -> dict[str, Any]:
    return DRAWING | {
        "n_skip": 6,
        "n_reverse": rng.choice([0, 3]),
        "skip_follows": SkipFollows.CLOCKWISE,
        "on_skip": rng.choice(MATCHINGS),
        "draw_colour_loses_turn": rng.random() < 0.4,
        "stacking": rng.choice(list(Stacking)),
        "jump_in": rng.choice(list(JumpIn)),
    }


def start_cards(rng: random.Random) -> dict[str, Any]:
    bluffs = rng.random() < 0.6
    return small_deck(rng) | {
        "start_card": rng.choice([StartCard.APPLY, StartCard.APPLY, StartCard.IGNORE]),
        "n_draw_four_colour": rng.choice([1, 6]),
        "draw_four_only_if_stuck": bluffs,
        "draw_four_challenge": bluffs,
        "jump_in": rng.choice(list(JumpIn)),
        "stacking": rng.choice(list(Stacking)),
        "match_rounds": 15,
        "max_turns": rng.choice([5, 20]),
    }


def two_players(rng: random.Random) -> dict[str, Any]:
    return {
        "players": 2,
        "two_player_reverse": TwoPlayerReverse.SKIP,
        "n_reverse": rng.choice([2, 6]),
        "skip_follows": rng.choice(list(SkipFollows)),
        "on_reverse": rng.choice(MATCHINGS),
        "start_card": rng.choice(list(StartCard)),
    }


def last_cards(rng: random.Random) -> dict[str, Any]:
    return DRAWING | {
        "hand_size": rng.randint(1, 3),
        "last_card_draws": rng.random() < 0.7,
        "end_on_special": rng.random() < 0.5,
        "stacking": rng.choice(list(Stacking)),
        "draw_four_only_if_stuck": rng.random() < 0.5,
    }


def piles_that_run_out(rng: random.Random) -> dict[str, Any]:
    return small_deck(rng) | {
        "reshuffle": rng.random() < 0.3,
        "draw_count": rng.choice([1, 2, 5, UNTIL_PLAYABLE, UNTIL_PLAYABLE]),
        "must_play": rng.random() < 0.5,
        "max_turns": rng.choice([20, 60]),
    }


def forgotten_calls(rng: random.Random) -> dict[str, Any]:
    return {
        "hand_size": rng.randint(1, 3),
        "forget": (rng.choice([0.5, 1.0]),),
        "notice": (rng.choice([0.3, 0.7]),),
        "joker": rng.choice(list(Joker)),
        "n_joker": 8,
    }


def jokers(rng: random.Random) -> dict[str, Any]:
    return {"joker": rng.choice(list(Joker)), "n_joker": 12, "jump_in": rng.choice(list(JumpIn))}


FLAVOURS: tuple[Callable[[random.Random], dict[str, Any]], ...] = (
    any_deck,
    any_deck,
    stacks_and_challenges,
    jumps_of_many_cards,
    turns_owed,
    start_cards,
    two_players,
    last_cards,
    piles_that_run_out,
    forgotten_calls,
    jokers,
)
"""What cases are biased to: rules that meet rarely if each is drawn for itself."""


def drawn_case(case: int) -> tuple[Rules, tuple[Seat, ...], int, tuple[int, int]]:
    """Draw rules, strategies, a seed and two games; short rounds, and a deck that can serve the players."""
    rng = random.Random(case)
    while True:
        fixed: dict[str, Any] = {
            "max_turns": rng.choice([1, 2, 7, 30, 60, 100, 200, 400]),
            "match_rounds": rng.choice([1, 2, 4, 8]),
            "match_points": rng.choice([0, 0, 0, 50, 200]),
        }
        fixed |= rng.choice(FLAVOURS)(rng)
        if rng.random() < 0.3:
            # The same wherever nothing else is asked for: some cases change little, most change much.
            fixed = rng.choice(FLAVOURS)(rng) | fixed
        if fixed["match_points"] and fixed["match_rounds"] == 1:
            fixed["match_rounds"] = 12
        deck = len(make_deck(Rules(**fixed)))
        fixed.setdefault("players", rng.choice([2, 3, 4, 5, 6, 10]))
        most = (deck - 1) // fixed["players"]
        if most < 1 or fixed.get("hand_size", 1) > most:
            continue
        fixed.setdefault("hand_size", rng.randint(1, min(most, rng.choice([3, 7, 15]))))
        if check(Rules(**fixed)):
            continue
        rules = random_rules(NAME, rng, rng.choice([0.0, 0.1, 0.2, 0.4]), **fixed)
        if len(make_deck(rules)) <= 200:
            break
    return rules, random_seats(NAME, rules.players, rng), rng.randrange(2**64), (0, rng.randrange(2**40))


def plain_case(case: int) -> tuple[Rules, tuple[Seat, ...], int, tuple[int, int]]:
    """Draw what `drawn_case` does, but rules and strategies that the plain kernel plays."""
    rng = random.Random(f"plain {case}")
    while True:
        lowest = rng.choice([0, 0, 0, 1, 7])
        deck = {
            "colours": rng.choice([2, 3, 4, 4]),
            "lowest_number": lowest,
            "highest_number": min(15, lowest + rng.choice([1, 3, 8, 9])),
            "copies_zero": rng.randint(0, 2),
            "copies_number": rng.randint(1, 2),
        }
        for name in DECK_FIELDS:
            if name.startswith("n_"):
                deck[name] = rng.choice([0, 1, 2] if name in ("n_reverse", "n_skip", "n_draw_two") else [0, 2, 3, 4, 4])
        fixed = {name: field.default for name, field in fields(Rules).items() if name in UNPLAIN}
        fixed |= rng.choice([deck, deck, {}, PRESETS["deck-108"], PRESETS["deck-112-flat"]])
        fixed |= {
            "players": rng.choice([2, 3, 4, 4, 5, 6, 8]),
            "max_turns": rng.choice([1, 2, 7, 30, 60, 150, 400]),
            "match_rounds": rng.choice([1, 2, 4, 8]),
            "match_points": rng.choice([0, 0, 0, 50, 200]),
        }
        if fixed["match_points"] and fixed["match_rounds"] == 1:
            fixed["match_rounds"] = 12
        if check(Rules(**fixed, hand_size=1)):
            continue
        fixed["hand_size"] = rng.randint(1, rng.choice([2, 7, 15]))
        rules = Rules(**fixed)
        if check(rules):
            continue
        rules = random_rules(NAME, rng, rng.choice([0.0, 0.3, 0.6]), **fixed)
        seats = read_seats(games.load(NAME), "+".join(rng.choices(PLAIN_STYLES, k=rules.players)), rules.players)
        if games.kernel_for(NAME, rules, seats) == "play_plain":
            return rules, seats, rng.randrange(2**64), (0, rng.randrange(2**40))


def check_plain_case(case: int) -> Sums:
    rules, seats, seed, numbers = plain_case(case)
    total: Sums = Counter()
    for game in numbers:
        reference = naive.play_match(rules, seats, seed, game)
        for kernel in ("play_plain", games.ANY):
            computed = kernel_match(NAME, rules, seats, seed, game, kernel)
            assert differences(reference, computed) == {}, (kernel, case, rules, show_seats(seats), seed, game)
        total.update(reference[0])
    return total


def check_case(case: int) -> Sums:
    rules, seats, seed, numbers = drawn_case(case)
    total: Sums = Counter()
    for game in numbers:
        reference = naive.play_match(rules, seats, seed, game)
        computed = kernel_match(NAME, rules, seats, seed, game)
        assert differences(reference, computed) == {}, (case, rules, show_seats(seats), seed, game)
        total.update(reference[0])
    return total


def test_kernel_plays_as_the_twin() -> None:
    total: Sums = Counter()
    for case in range(500):
        total.update(check_case(case))
    # All that is counted must have happened in these matches, or they would prove nothing about it.
    for metric in games.load(NAME).METRICS:
        field = metric.field or metric.name
        assert field == "no_winner" or any(name == field for name, _ in total), field


def chosen_kernel(strategy: str = "keeper", **changes: Any) -> str:
    rules = Rules(**changes)
    return games.kernel_for(NAME, rules, read_seats(games.load(NAME), strategy, rules.players))


def test_common_rules_are_played_by_the_plain_kernel() -> None:
    for strategy in PLAIN_STYLES:
        assert chosen_kernel(strategy) == "play_plain"
    for preset in ("deck-108", "deck-112-flat", "deck-numbers", "no-joker", "rotate"):
        assert chosen_kernel(**PRESETS[preset]) == "play_plain"
    for players in range(2, 9):
        assert chosen_kernel(players=players, match_rounds=4, match_points=500) == "play_plain"


@pytest.mark.parametrize(
    "changes",
    [
        {"start_card": StartCard.APPLY}, {"must_play": False}, {"draw_count": 2}, {"draw_count": UNTIL_PLAYABLE},
        {"play_drawn": PlayDrawn.NO}, {"stacking": Stacking.SAME}, {"skip_follows": SkipFollows.CLOCKWISE},
        {"jump_in": JumpIn.IDENTICAL_NUMBER}, {"end_on_special": False}, {"draw_four_only_if_stuck": True},
        {"last_card_draws": True}, {"seven_zero": True}, {"multi_discard": True}, {"forget": (0.0, 0.1, 0.0, 0.0)},
        {"joker": Joker.DUMP_COLOUR}, {"players": 9}, {"colours": 5}, {"highest_number": 10}, {"n_joker": 5},
        {"copies_number": 3}, {"players": 8, "hand_size": 10}, {"strategy": "keeper+newest+keeper+keeper"},
    ],
    ids=str,
)  # fmt: skip
def test_other_rules_are_not(changes: dict[str, Any]) -> None:
    assert chosen_kernel(**changes) == games.ANY


def test_plain_kernel_plays_as_the_twin_and_as_the_other_kernel() -> None:
    total: Sums = Counter()
    for case in range(300):
        total.update(check_plain_case(case))
    for metric in games.load(NAME).METRICS:
        field = metric.field or metric.name
        assert field in ("no_winner", "forgotten_calls") or any(name == field for name, _ in total), field


@pytest.mark.slow
def test_plain_kernel_plays_as_the_twin_and_as_the_other_kernel_at_length() -> None:
    for case in range(1000, 5000):
        check_plain_case(case)


@pytest.mark.interpreted
def test_plain_kernel_plays_as_the_twin_in_a_few_matches() -> None:
    for case in range(300, 306):
        check_plain_case(case)


@pytest.mark.slow
def test_kernel_plays_as_the_twin_at_length() -> None:
    for case in range(1000, 7000):
        check_case(case)


@pytest.mark.interpreted
def test_kernel_plays_as_the_twin_in_a_few_matches() -> None:
    for case in range(500, 512):
        check_case(case)


@pytest.mark.parametrize(
    ("strategy", "presets", "changes"),
    [
        pytest.param("keeper", (), {"match_rounds": 10}, id="the rulebook's game"),
        pytest.param("hunter", ("literal",), {"match_points": 500}, id="to the letter"),
        pytest.param("careful", ("party", "family"), {"players": 10, "match_rounds": 4}, id="a party of ten"),
        pytest.param("random", ("stacking", "deck-108"), {"players": 2, "hand_size": 15}, id="two, long hands"),
        pytest.param(
            "newest", ("deck-numbers",), {"reshuffle": False, "players": 3, "match_rounds": 20}, id="long stalemates"
        ),
        pytest.param(
            "highest",
            (),
            {"players": 7, "hand_size": 15, "scoring": Scoring.WINNER_COLLECTS, "match_rounds": 8, "value_joker": 100}
            | dict.fromkeys(("value_reverse", "value_skip", "value_draw_two", "value_colour_choice"), 100),
            id="points beyond the last bin",
        ),
        pytest.param("keeper", (), {"joker": Joker.SKIP_ALL, "n_joker": 12, "hand_size": 12}, id="many goes"),
        pytest.param(
            "keeper", (), {"draw_count": UNTIL_PLAYABLE, "n_colour_choice": 0, "n_joker": 0}, id="draws without end"
        ),
    ],
)
def test_kernel_plays_as_the_twin_in_large_matches(
    strategy: str, presets: tuple[str, ...], changes: dict[str, Any]
) -> None:
    fields: dict[str, Any] = {}
    for preset in presets:
        fields |= PRESETS[preset]
    rules = Rules(**(fields | changes))
    seats = read_seats(games.load(NAME), strategy, rules.players)
    for game in range(3):
        assert differences(naive.play_match(rules, seats, 7, game), kernel_match(NAME, rules, seats, 7, game)) == {}


@pytest.mark.slow
def test_kernel_plays_as_the_twin_when_rounds_exceed_the_last_bin() -> None:
    rules = Rules(players=2, hand_size=1, match_points=100_000)
    seats = read_seats(games.load(NAME), "keeper+random", 2)
    assert differences(naive.play_match(rules, seats, 7, 0), kernel_match(NAME, rules, seats, 7, 0)) == {}
