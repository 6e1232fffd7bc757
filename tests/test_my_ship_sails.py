"""The kernel of My Ship Sails against what can be computed exactly: deals and small games, and against symmetry."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from simcore import stats
from simcore.declare import SHARE
from simcore.games.my_ship_sails import events
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
)
from tests.ship_odds import largest_count, play_out, without_call
from tests.ship_play import ONE_ROUND, Played, agree, alike, course, is_near, log_of, play

IN_TURN: dict[str, Any] = {"pass_mode": PassMode.SEQUENTIAL}


# The deal

PACKS = [
    pytest.param({}, (7, 7, 7, 7), id="four players"),
    pytest.param({"players": 5}, (8, 9, 9, 9), id="five"),
    pytest.param({"players": 6}, (10, 10, 11, 11), id="six"),
    pytest.param({"players": 7}, (12, 12, 12, 13), id="seven"),
    pytest.param({"players": 5, "trim": Trim.HIGHEST}, (8, 9, 9, 9), id="five, cut above"),
    pytest.param({"trim": Trim.NONE}, (13,) * 4, id="whole pack"),
    pytest.param({"deck": Deck.SKAT, "hand_size": 8}, (8,) * 4, id="skat"),
    pytest.param({"hand_size": 3}, (3,) * 4, id="four, hands of three"),
    pytest.param({"hand_size": 3, "players": 3, "trim": Trim.NONE, "deck": Deck.SKAT}, (8,) * 4, id="three of skat"),
    pytest.param({"hand_size": 3, "players": 13}, (9, 10, 10, 10), id="thirteen"),
]


def test_dealt_flush_of_seven_is_as_rare_as_counted() -> None:
    assert largest_count((7,) * 4, 7)[7] == pytest.approx(4 / math.comb(28, 7))
    assert math.comb(28, 7) == 1_184_040


@pytest.mark.parametrize(("changes", "lengths"), PACKS)
def test_largest_suit_of_a_dealt_hand(changes: dict[str, Any], lengths: tuple[int, ...]) -> None:
    rules = Rules(max_passes=1, **ONE_ROUND, **changes)
    played = play(rules, "random", 200_000)
    chances = [largest_count(lengths, rules.hand_size).get(most, 0) for most in range(14)]
    for seat in {0, 1, rules.players - 1}:
        assert agree(played.counts["initial_best_count"][seat], chances), seat
    assert agree(played.counts["initial_best_count"][0], reversed(chances)) is False


@pytest.mark.parametrize(("changes", "lengths"), PACKS[-3:])
def test_dealt_flushes_win_at_once_or_are_dealt_again(changes: dict[str, Any], lengths: tuple[int, ...]) -> None:
    rules, matches = Rules(max_passes=1, **ONE_ROUND, **changes), 200_000
    size, players = rules.hand_size, rules.players
    uncalled = without_call(lengths, size, players)
    assert is_near(play(rules, "random", matches).total["dealt_flush"], matches, 1 - sum(uncalled.values()))
    overlooked = 1 - sum(without_call(lengths, size, players, Fraction(1, 4)).values())
    played = play(rules._replace(overlook=0.25), "random", matches)
    assert is_near(played.total["dealt_flush"], matches, overlooked)
    assert play(rules._replace(overlook=1.0), "random", 10_000).total["ended"] == 0
    # Dealing again leaves all deals without a flush equally likely.
    again = play(rules._replace(dealt_flush=DealtFlush.REDEAL, overlook=0.25), "random", matches)
    chances = [uncalled.get(most, Fraction(0)) / sum(uncalled.values()) for most in range(14)]
    assert again.total["dealt_flush"] == 0
    for seat in (0, players - 1):
        assert agree(again.counts["initial_best_count"][seat], chances)
    assert not agree(again.counts["initial_best_count"][0], [largest_count(lengths, size).get(n, 0) for n in range(14)])


def dealt_cards(rules: Rules, game: int) -> list[int]:
    hands = [event for event in log_of(rules, "random", game=game) if event[0] == events.HAND]
    return sorted(
        13 * s + r for hand in hands for s, ranks in enumerate(hand[2:6]) for r in range(13) if ranks >> r & 1
    )


@pytest.mark.parametrize(
    ("changes", "lengths", "lowest", "highest"),
    [
        ({}, [7, 7, 7, 7], [6, 6, 6, 6], [12] * 4),
        ({"players": 5}, [8, 9, 9, 9], [5, 4, 4, 4], [12] * 4),
        ({"players": 6}, [10, 10, 11, 11], [3, 3, 2, 2], [12] * 4),
        ({"players": 7}, [12, 12, 12, 13], [1, 1, 1, 0], [12] * 4),
        ({"players": 5, "trim": Trim.HIGHEST}, [8, 9, 9, 9], [0] * 4, [7, 8, 8, 8]),
        ({"players": 4, "hand_size": 5, "deck": Deck.SKAT}, [5] * 4, [8] * 4, [12] * 4),
        ({"players": 3, "hand_size": 3}, [2, 2, 2, 3], [11, 11, 11, 10], [12] * 4),
    ],
)
def test_pack_is_cut_to_the_cards_that_are_dealt(
    changes: dict[str, Any], lengths: list[int], lowest: list[int], highest: list[int]
) -> None:
    cards = dealt_cards(Rules(max_passes=1, **ONE_ROUND, **changes), 0)
    suits = [[card % 13 for card in cards if card // 13 == suit] for suit in range(4)]
    assert [len(ranks) for ranks in suits] == lengths
    assert [min(ranks) for ranks in suits] == lowest
    assert [max(ranks) for ranks in suits] == highest
    assert len(set(cards)) == len(cards)


@pytest.mark.parametrize(("players", "short"), [(5, 1), (6, 2), (7, 3)])
def test_short_suits_are_drawn_evenly(players: int, short: int) -> None:
    rules = Rules(players=players, trim_suits=TrimSuits.RANDOM, max_passes=1, **ONE_ROUND)
    drawn: Counter[tuple[int, ...]] = Counter()
    for game in range(1500):
        lengths = Counter(card // 13 for card in dealt_cards(rules, game))
        drawn[tuple(suit for suit in range(4) if lengths[suit] == min(lengths.values()))] += 1
    possible = list(itertools.combinations(range(4), short))
    assert drawn.keys() == set(possible)
    assert agree([drawn[suits] for suits in possible], [1 / len(possible)] * len(possible))


# Small games, played to the end on paper

SMALL_GAMES = [
    pytest.param({"players": 2, "trim": Trim.NONE}, (13,) * 4, "random", id="two, random"),
    pytest.param({"players": 2, "trim": Trim.NONE}, (13,) * 4, "adaptive", id="two, adaptive"),
    pytest.param({"players": 2, "trim": Trim.NONE}, (13,) * 4, "stubborn:discard=random", id="two, stubborn"),
    pytest.param({"players": 4}, (3,) * 4, "random", id="four, random"),
    pytest.param({"players": 4}, (3,) * 4, "stubborn", id="four, stubborn"),
    pytest.param({"players": 4}, (3,) * 4, "adaptive", id="four, adaptive"),
    pytest.param({"players": 3, "trim": Trim.NONE, "deck": Deck.SKAT}, (8,) * 4, "adaptive:discard=random", id="three"),
    pytest.param({"players": 2, "trim": Trim.NONE, **IN_TURN}, (13,) * 4, "random", id="two in turn, random"),
    pytest.param({"players": 3, "trim": Trim.NONE, **IN_TURN}, (13,) * 4, "adaptive", id="three in turn, adaptive"),
    pytest.param({"players": 4, **IN_TURN}, (3,) * 4, "stubborn:discard=random", id="four in turn, stubborn"),
]


@pytest.mark.parametrize(("changes", "lengths", "strategy"), SMALL_GAMES)
def test_small_game_is_a_markov_chain(changes: dict[str, Any], lengths: tuple[int, ...], strategy: str) -> None:
    last, matches = 12, 200_000
    rules = Rules(hand_size=3, max_passes=last, **ONE_ROUND, **changes)
    style, _, discard = strategy.partition(":discard=")
    exact = play_out(lengths, 3, rules.players, style, discard, last, rules.pass_mode == PassMode.SEQUENTIAL)
    played = play(rules, strategy, matches)
    assert agree(course(played, last), [*exact.passes, exact.stalemate])
    assert is_near(played.total["multiple_flush"], matches, exact.several)
    # Seats are alike, as the first dealer is drawn.
    share = sum(exact.wins) / rules.players
    assert agree([*played.total["round_win"][: rules.players], played.total["stalemate"]],
                 [*[share] * rules.players, exact.stalemate])  # fmt: skip
    # The mirrored game has the same course.
    assert agree(course(play(rules._replace(direction=Direction.RIGHT), strategy, matches, seed=2), last),
                 [*exact.passes, exact.stalemate])  # fmt: skip


def places_of_winners(rules: Rules, strategy: str, matches: int) -> list[int]:
    """Return how many matches of one round each place from the dealer's left wins, and how many nobody does."""
    places = [0] * (rules.players + 1)
    for game in range(matches):
        log = log_of(rules, strategy, game=game)
        dealer = log[0][1]
        won = [event for event in log if event[0] == events.ROUND_WON]
        places[(won[0][1] - dealer - 1) % rules.players if won else rules.players] += 1
    return places


def test_places_in_turn_are_far_from_even() -> None:
    rules = Rules(players=3, hand_size=3, trim=Trim.NONE, max_passes=12, **ONE_ROUND, **IN_TURN)
    exact = play_out((13,) * 4, 3, 3, "adaptive", "", 12, True)
    places = places_of_winners(rules, "adaptive", 5000)
    assert agree(places, [*exact.wins, exact.stalemate])
    even = sum(exact.wins) / 3
    assert not agree(places, [even, even, even, exact.stalemate])
    assert max(exact.wins) > 1.2 * even


def test_places_of_ochse_are_uneven_and_its_seats_even() -> None:
    rules = Rules(**PRESETS["ochse"])._replace(**ONE_ROUND)
    places = places_of_winners(rules, "adaptive", 2000)
    decided = sum(places[:4])
    assert decided > 1000
    assert not agree(places[:4], [0.25] * 4)
    played = play(rules, "adaptive", 50_000)
    assert agree(played.total["round_win"][:4], [0.25] * 4)


# Symmetry

EVEN = [
    pytest.param({}, "adaptive", id="classic"),
    pytest.param({"pass_count": 2, "players": 5}, "adaptive:discard=random", id="pass two, five"),
    pytest.param({"players": 7, "trim_suits": TrimSuits.RANDOM}, "watcher", id="seven"),
    pytest.param({"overlook": 0.3, "call_speed": (2.5,)}, "hesitant", id="overlooking"),
    pytest.param({"simultaneous": Simultaneous.HIGH_CARD, "trim": Trim.NONE}, "stubborn", id="high card"),
    pytest.param(
        {"direction": Direction.ALTERNATE_PASSES, "players": 3, "hand_size": 5, "trim": Trim.NONE},
        "patient:patience=2",
        id="alternating",
    ),
    pytest.param({"fastest_bonus": 2, "max_rounds": 5}, "adaptive", id="bonus"),
    pytest.param(PRESETS["ochse"], "adaptive", id="ochse"),
    pytest.param(PRESETS["whehee"], "random", id="whehee"),
]


def seat_test(played: Played, players: int) -> stats.SeatTest:
    matches = np.repeat(played.blocks["matches"][:, None], players, axis=1)
    return stats.seat_test(played.blocks["match_win"][:, :players], matches, SHARE)


@pytest.mark.parametrize(("changes", "strategy"), EVEN)
def test_seats_win_equally_often(changes: dict[str, Any], strategy: str) -> None:
    rules = Rules(**changes)
    played = play(rules, strategy, 20_000)
    assert seat_test(played, rules.players).p_value > 1e-5
    assert played.total["match_win"].sum() + SHARE * played.total["no_winner"] == SHARE * 20_000
    assert played.total["match_win"].sum() > SHARE * 15_000


def test_seats_differ_if_their_speeds_or_strategies_do() -> None:
    assert seat_test(play(Rules(call_speed=(3.0, 1.0, 1.0, 1.0)), "adaptive", 20_000), 4).p_value < 1e-9
    assert seat_test(play(Rules(), "adaptive+random+adaptive+adaptive", 20_000), 4).p_value < 1e-9


def test_first_caller_is_drawn_by_speed_at_the_table() -> None:
    # With 28 cards all flushes have the same ranks, so the high card is a fair draw among the callers, and the
    # first call one by speed. In rounds with two callers, the fast seat wins four in five of those it is in.
    rules = Rules(call_speed=(4.0, 1.0, 1.0, 1.0), max_passes=60, match_target=100, max_rounds=10_000)
    wins: Counter[bool] = Counter()
    for game in range(10):
        callers: list[int] = []
        for event in log_of(rules, "adaptive", game=game):
            if event[0] == events.CALLS:
                callers.append(event[1])
            elif event[0] == events.ROUND_WON:
                if len(callers) == 2 and 0 in callers:
                    wins[event[1] == 0] += 1
                callers = []
    assert wins.total() > 50
    assert is_near(wins[True], wins.total(), 0.8)


@pytest.mark.parametrize("strategy", ["adaptive", "stubborn:discard=random", "watcher"])
def test_right_is_left_in_a_mirror(strategy: str) -> None:
    rules = Rules(max_passes=60, **ONE_ROUND)
    left = play(rules, strategy, 100_000)
    right = play(rules._replace(direction=Direction.RIGHT), strategy, 100_000, seed=2)
    assert alike(course(left, 60), course(right, 60))
    assert alike(left.counts["flush_callers"], right.counts["flush_callers"])
    assert not alike(
        course(left, 60), course(play(rules, "random" if strategy == "adaptive" else "adaptive", 100_000), 60)
    )


@pytest.mark.parametrize("hesitation", [1, 3])
def test_random_passes_keep_a_deal_uniform(hesitation: int) -> None:
    adaptive = play(Rules(max_passes=60, **ONE_ROUND), "adaptive", 200_000)
    rules = Rules(max_passes=60 + hesitation, **ONE_ROUND)
    hesitant = play(rules, f"hesitant:hesitation={hesitation}", 200_000, seed=2)
    later = np.append(hesitant.counts["passes"][hesitation : 61 + hesitation], hesitant.total["stalemate"])
    assert alike(course(adaptive, 60), later)
    # A flush by chance while all hesitate is as rare as a dealt one.
    assert hesitant.counts["passes"][:hesitation].sum() < 20
    assert not alike(course(adaptive, 60), course(hesitant, 60))
