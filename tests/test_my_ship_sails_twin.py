"""The kernel of My Ship Sails against its naive twin, match by match, and the twin against what a hand can derive."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from simcore import games
from simcore.declare import SHARE
from simcore.games.my_ship_sails.rules import (
    DealtFlush,
    Deck,
    Direction,
    PassMode,
    Rules,
    Simultaneous,
    Trim,
    TrimSuits,
)
from simcore.strategies import Seat, read_seats, show_seats
from tests.naive import my_ship_sails as naive
from tests.twins import Sums, differences, kernel_match, random_rules, random_seats

NAME = "my-ship-sails"
CLUBS, DIAMONDS, HEARTS, SPADES = (13 * suit for suit in range(4))


def seats_of(text: str, players: int) -> tuple[Seat, ...]:
    return read_seats(games.load(NAME), text, players)


# The kernel against the twin


def drawn_case(case: int) -> tuple[Rules, tuple[Seat, ...], int, tuple[int, int, int]]:
    """Draw rules, strategies, a seed and three games; short matches, and often the small hands that make flushes."""
    rng = random.Random(case)
    fixed: dict[str, Any] = {
        "max_passes": rng.choice([1, 2, 3, 5, 10, 20, 40, 80]),
        "max_rounds": rng.randint(1, 8),
    }
    if rng.random() < 0.5:
        fixed |= {
            "players": rng.randint(2, 8),
            "hand_size": rng.choice([3, 3, 4, 5]),
            "dead_heat": rng.choice([0.0, 0.5]),
            "overlook": rng.choice([0.0, 0.0, 0.3, 0.7]),
        }
    if rng.random() < 0.4:
        fixed |= {"match_target": rng.randint(1, 3), "fastest_bonus": rng.randint(0, 3), "max_rounds": 12}
    rules = random_rules(NAME, rng, rng.choice([0.2, 0.5]), **fixed)
    seats = random_seats(NAME, rules.players, rng)
    return rules, seats, rng.randrange(2**64), (0, 1, rng.randrange(2**40))


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
    for case in range(300):
        total.update(check_case(case))
    # All that is counted must have happened in these matches, or they would prove nothing about it.
    never = {"match_tie", "deal_4300", "win_from_4300"}
    for metric in games.load(NAME).METRICS:
        assert metric.name in never or any(name == metric.name for name, _ in total), metric.name


@pytest.mark.slow
def test_kernel_plays_as_the_twin_at_length() -> None:
    for case in range(1000, 6000):
        check_case(case)


@pytest.mark.interpreted
def test_kernel_plays_as_the_twin_in_a_few_matches() -> None:
    for case in range(300, 312):
        check_case(case)


@pytest.mark.parametrize(
    ("strategy", "changes"),
    [
        pytest.param(
            "random", {"hand_size": 6, "max_passes": 20_000, "max_rounds": 1}, id="passes beyond the last bin"
        ),
        pytest.param("adaptive", {"max_passes": 1, "max_rounds": 4200}, id="rounds beyond the last bin"),
        pytest.param("stubborn", {"players": 7, "max_passes": 3000, "max_rounds": 2}, id="long stalemates"),
        pytest.param("patient:patience=100", {"max_passes": 1000, "max_rounds": 6}, id="much patience"),
        pytest.param("patient:patience=1", {"players": 7, "match_target": 100}, id="a long match"),
        pytest.param("stubborn:first_target=second", {"max_passes": 40, "max_rounds": 60}, id="second targets"),
        pytest.param("watcher:discard=newest", {"players": 13, "hand_size": 4, "trim": Trim.LOWEST}, id="all 52 cards"),
        pytest.param(
            "watcher",
            {"players": 2, "hand_size": 13, "trim": Trim.NONE, "pass_count": 3, "max_rounds": 30},
            id="two, long hands",
        ),
    ],
)
def test_kernel_plays_as_the_twin_in_large_matches(strategy: str, changes: dict[str, Any]) -> None:
    rules = Rules(**changes)
    seats = seats_of(strategy, rules.players)
    for game in range(3):
        assert differences(naive.play_match(rules, seats, 7, game), kernel_match(NAME, rules, seats, 7, game)) == {}


# The twin against what can be derived by hand


def play(rules: Rules, strategy: str, *hands: set[int], dealer: int = 0, round_number: int = 1) -> naive.Round:
    chance = naive.Chance(1, 0, round_number, rules.players)
    return naive.play_round(rules, seats_of(strategy, rules.players), list(hands), dealer, round_number, chance)


def player_with(strategy: str, hand: set[int]) -> naive.Player:
    return naive.Player(0, seats_of(strategy, 2)[0], hand, naive.Chance(1, 0, 1, 2))


@pytest.mark.parametrize(
    ("players", "lengths"), [(4, [7, 7, 7, 7]), (5, [8, 9, 9, 9]), (6, [10, 10, 11, 11]), (7, [12, 12, 12, 13])]
)
def test_pack_is_cut_from_the_low_end(players: int, lengths: list[int]) -> None:
    cards = naive.cut_pack(Rules(players=players))
    assert [naive.count(cards, suit) for suit in range(4)] == lengths
    top = min(lengths)
    assert {13 * suit + 12 - i for suit in range(4) for i in range(top)} <= set(cards)


def test_pack_is_cut_from_the_high_end_or_not_at_all() -> None:
    # 25 cards: seven ranks two to eight, of which the last lacks clubs, diamonds and hearts.
    high = naive.cut_pack(Rules(players=5, hand_size=5, trim=Trim.HIGHEST))
    assert high == sorted([13 * suit + rank for suit in range(4) for rank in range(6)] + [SPADES + 6])
    assert naive.cut_pack(Rules(trim=Trim.NONE)) == list(range(52))
    assert naive.cut_pack(Rules(trim=Trim.NONE, deck=Deck.SKAT)) == [13 * s + r for s in range(4) for r in range(5, 13)]
    drawn = naive.cut_pack(Rules(players=5), [SPADES // 13, 1, 0, 2])
    assert [naive.count(drawn, suit) for suit in range(4)] == [9, 9, 9, 8]


def test_two_players_give_each_other_the_last_card() -> None:
    rules = Rules(players=2, hand_size=3, trim=Trim.NONE, simultaneous=Simultaneous.HIGH_CARD)
    hands = {CLUBS, CLUBS + 9, DIAMONDS + 8}, {CLUBS + 7, DIAMONDS + 1, DIAMONDS + 9}
    played = play(rules, "stubborn", *hands)
    # Both have the jack, then the diamonds are higher: 10 against 9.
    assert played.call == (1, DIAMONDS // 13, 2, 2)
    assert (played.passes, played.turns) == (1, 2)
    assert played.final == [{CLUBS, CLUBS + 7, CLUBS + 9}, {DIAMONDS + 1, DIAMONDS + 8, DIAMONDS + 9}]
    assert played.best_counts == [[2, 2], [3, 3]]
    assert played.half_time_leader() is None
    play_alone = play(rules._replace(overlook=1.0, max_passes=1), "stubborn", *hands)
    assert play_alone.call is None and play_alone.passes == 1 and play_alone.turns == 2


@pytest.mark.parametrize(
    ("direction", "round_number", "passes"),
    [
        (Direction.LEFT, 2, 1),
        (Direction.RIGHT, 1, 2),
        (Direction.ALTERNATE_ROUNDS, 1, 1),
        (Direction.ALTERNATE_ROUNDS, 2, 2),
        (Direction.ALTERNATE_PASSES, 2, 1),
    ],
)
def test_cards_go_round_as_the_direction_says(direction: Direction, round_number: int, passes: int) -> None:
    # Everybody holds the card that the left neighbour lacks: one pass to the left, or two to the right.
    rules = Rules(players=3, hand_size=3, trim=Trim.NONE, direction=direction)
    hands = {CLUBS, CLUBS + 1, DIAMONDS}, {DIAMONDS + 1, DIAMONDS + 2, HEARTS}, {HEARTS + 1, HEARTS + 2, CLUBS + 2}
    played = play(rules, "stubborn", *hands, round_number=round_number)
    assert played.call is not None and played.call.callers == 3
    assert (played.passes, played.turns) == (passes, 3 * passes)


def test_in_turn_the_receiver_wins_in_the_middle_of_a_lap() -> None:
    rules = Rules(players=3, hand_size=3, trim=Trim.NONE, pass_mode=PassMode.SEQUENTIAL)
    hands = {SPADES, SPADES + 1, HEARTS}, {CLUBS, CLUBS + 1, DIAMONDS}, {DIAMONDS + 1, DIAMONDS + 2, CLUBS + 2}
    # Seat 1, left of the dealer, gives its diamond to seat 2, who then holds four cards, three of them diamonds.
    played = play(rules, "stubborn", *hands, dealer=0)
    assert played.call == (2, DIAMONDS // 13, 1, 1)
    assert (played.passes, played.turns) == (1, 1)
    assert [len(hand) for hand in played.final] == [3, 2, 4]
    # With seat 1 as dealer seat 2 begins, seat 0 gives its heart away, and seat 1 makes three clubs of a club.
    hands = {SPADES, SPADES + 1, HEARTS}, {CLUBS, CLUBS + 1, DIAMONDS}, {DIAMONDS + 1, DIAMONDS + 2, CLUBS + 2}
    played = play(rules._replace(direction=Direction.RIGHT), "stubborn", *hands, dealer=1)
    assert played.call == (1, CLUBS // 13, 1, 1)
    assert played.turns == 1


def test_in_turn_the_receiver_alone_is_checked() -> None:
    rules = Rules(players=2, hand_size=3, trim=Trim.NONE, pass_mode=PassMode.SEQUENTIAL, overlook=1.0, max_passes=3)
    played = play(rules, "stubborn", {CLUBS, CLUBS + 1, CLUBS + 2}, {HEARTS, HEARTS + 1, SPADES})
    assert played.call is None and (played.passes, played.turns) == (3, 6)


def test_dealt_flush_wins_before_any_pass_or_is_dealt_again() -> None:
    rules = Rules(players=2, hand_size=3, trim=Trim.NONE)
    hand = {CLUBS, CLUBS + 1, CLUBS + 2}
    played = play(rules, "stubborn", {HEARTS, HEARTS + 1, SPADES}, hand)
    assert played.call == (1, CLUBS // 13, 1, 1)
    assert (played.passes, played.turns, played.half_time_leader()) == (0, 0, 1)
    again = rules._replace(dealt_flush=DealtFlush.REDEAL)
    for round_number in range(1, 300):
        hands = naive.deal(again, naive.cut_pack(again), naive.Chance(1, 0, round_number, 2))
        assert not any(naive.has_flush(again, hand) for hand in hands)
        first = naive.deal(rules, naive.cut_pack(rules), naive.Chance(1, 0, round_number, 2))
        assert first == hands or any(naive.has_flush(rules, hand) for hand in first)


def test_stubborn_keeps_its_target_and_adaptive_moves_only_to_more() -> None:
    hand = {CLUBS, CLUBS + 1, CLUBS + 2, HEARTS, HEARTS + 1, SPADES}
    second = player_with("stubborn:first_target=second", hand)
    assert second.target == HEARTS // 13
    player = player_with("adaptive", hand)
    assert player.target == CLUBS // 13
    player.take([HEARTS + 2], 1)
    player.choose_target()
    assert player.target == CLUBS // 13
    player.take([HEARTS + 3], 2)
    player.choose_target()
    assert player.target == HEARTS // 13


def test_second_target_may_be_a_suit_of_which_nothing_is_held() -> None:
    drawn = {
        naive.Player(0, seats_of("stubborn:first_target=second", 2)[0], {0, 1, 2}, naive.Chance(1, game, 1, 2)).target
        for game in range(50)
    }
    assert drawn == {1, 2, 3}


def test_discard_shortest_gives_the_lowest_of_the_shortest_suit() -> None:
    player = player_with("adaptive", {CLUBS, CLUBS + 1, CLUBS + 2, HEARTS, HEARTS + 1, SPADES + 5})
    # The spade first, then of hearts, now shortest, the lower; then the other, and at last the lowest club.
    assert player.give(2) == [SPADES + 5, HEARTS]
    assert player.give(2) == [HEARTS + 1, CLUBS]


def test_discard_newest_gives_what_came_last() -> None:
    player = player_with("adaptive:discard=newest", {CLUBS, CLUBS + 1, CLUBS + 2, HEARTS, SPADES})
    player.take([HEARTS + 1], 1)
    player.take([CLUBS + 5], 2)
    assert player.give(1) == [HEARTS + 1]
    assert player.give(1)[0] in (HEARTS, SPADES)


def test_patient_bars_a_target_that_does_not_grow() -> None:
    player = player_with("patient:patience=2", {CLUBS, CLUBS + 1, CLUBS + 2, HEARTS, HEARTS + 1, SPADES})
    targets = []
    for pass_number in range(1, 8):
        (card,) = player.give(1)
        targets.append(player.target)
        player.take([card], pass_number)
    # Clubs are given up at the third decision, hearts at the fifth; clubs, barred before, are no choice then, so
    # spades it is. At the sixth only hearts are barred, and clubs are more: a move, which bars nothing.
    assert targets == [0, 0, 2, 2, 3, 0, 0]
    assert player.barred is None


def test_patient_is_content_with_one_more_card() -> None:
    player = player_with("patient:patience=1", {CLUBS, CLUBS + 1, CLUBS + 2, HEARTS, HEARTS + 1, SPADES})
    player.give(1)
    player.take([CLUBS + 3], 1)
    player.give(1)
    assert (player.target, player.stale) == (0, 0)
    player.take([SPADES + 1], 2)
    player.give(1)
    assert (player.target, player.barred, player.stale) == (2, 0, 0)


def test_hesitant_chooses_its_target_late() -> None:
    player = player_with("hesitant:hesitation=1", {CLUBS, HEARTS})
    assert player.target is None
    (card,) = player.give(1)
    assert player.target is None
    player.take([card, SPADES, SPADES + 1], 1)
    player.give(1)
    assert player.target == SPADES // 13
    assert player_with("hesitant:hesitation=0", {CLUBS}).give(1) == [CLUBS]


def test_watcher_gives_a_suit_of_which_a_card_came_back() -> None:
    hand = {CLUBS, CLUBS + 1, CLUBS + 2, DIAMONDS, HEARTS, SPADES}
    for game in range(20):
        player = naive.Player(0, seats_of("watcher", 2)[0], hand, naive.Chance(1, game, 1, 2))
        (card,) = player.give(1)
        player.take([HEARTS + 1, DIAMONDS + 1, SPADES + 1], 1)
        assert player.marked == set()
        player.take([card], 2)
        assert player.marked == {naive.suit_of(card)}
        player.hand = {CLUBS, CLUBS + 1, CLUBS + 2, DIAMONDS, HEARTS, SPADES}
        assert player.give(1) == [card]
        # The mark is no reason to break up a longer suit.
        player.hand = {CLUBS, CLUBS + 1, CLUBS + 2, DIAMONDS, HEARTS, SPADES, card + 3}
        player.arrived = dict.fromkeys(player.hand, 0)
        assert naive.suit_of(player.give(1)[0]) != naive.suit_of(card)


def test_fastest_bonus_and_ties() -> None:
    rules = Rules(fastest_bonus=1)
    assert naive.match_winner(rules, [3, 3, 0, 0], reached=1) == 1
    assert naive.match_winner(rules, [3, 4, 0, 0], reached=0) == 1
    assert naive.match_winner(rules, [2, 2, 0, 0], reached=None) is None
    assert naive.match_winner(rules, [1, 2, 0, 0], reached=None) == 1
    assert naive.match_winner(rules, [0, 0, 0, 0], reached=None) is None


def test_first_caller_is_drawn_by_speed() -> None:
    rules = Rules(call_speed=(1.0, 5.0, 3.0, 1.0))
    chance = naive.Chance(1, 0, 1, 4)
    drawn = Counter(naive.first_caller(rules, [0, 2], chance) for _ in range(4000))
    assert drawn.keys() == {0, 2}
    assert abs(drawn[2] / 4000 - 0.75) < 4 * (0.75 * 0.25 / 4000) ** 0.5


def test_equal_flushes_are_drawn() -> None:
    rules = Rules(players=3, hand_size=3, trim=Trim.NONE, simultaneous=Simultaneous.HIGH_CARD)
    low, high = {CLUBS, CLUBS + 1, CLUBS + 3}, {HEARTS, HEARTS + 2, HEARTS + 3}
    winners = set()
    for round_number in range(1, 30):
        call = play(rules, "random", low, high, {SPADES, SPADES + 2, SPADES + 3}, round_number=round_number).call
        assert call is not None and call.callers == 3
        winners.add(call.winner)
    assert winners == {1, 2}


def test_half_time_leader_is_alone() -> None:
    hands: list[set[int]] = [set(), set()]
    counts = [[3, 4], [4, 3], [4, 4], [5, 4], [5, 5], [6, 7]]
    leaders = [naive.Round(None, passes, 0, hands, hands, counts).half_time_leader() for passes in range(11)]
    assert leaders == [1, 1, 0, 0, None, None, 0, 0, None, None, 1]


@pytest.mark.parametrize("direction", [Direction.LEFT, Direction.RIGHT, Direction.ALTERNATE_ROUNDS])
@pytest.mark.parametrize("discard", ["shortest", "random", "newest"])
def test_four_stubborn_players_with_four_targets_end_within_eleven_passes(direction: Direction, discard: str) -> None:
    rules = Rules(direction=direction, max_passes=200)
    seats = seats_of(f"stubborn:discard={discard}", 4)
    distinct = 0
    for round_number in range(1, 250):
        chance = naive.Chance(3, 0, round_number, 4)
        hands = naive.deal(rules, naive.cut_pack(rules), chance)
        best = [naive.best_suits(hand, range(4)) for hand in hands]
        if any(len(suits) > 1 for suits in best):
            continue
        targets = [suits[0] for suits in best]
        played = naive.play_round(rules._replace(max_passes=30), seats, hands, 0, round_number, chance)
        if len(set(targets)) == 4:
            distinct += 1
            assert played.call is not None and played.passes <= 11
        elif played.call is not None:
            assert targets.count(played.call.suit) == 1
    assert distinct > 5


def test_a_match_adds_up() -> None:
    rules = Rules(trim_suits=TrimSuits.RANDOM, players=5, fastest_bonus=2, max_rounds=12, max_passes=60)
    for game in range(12):
        sums, observed = naive.play_match(rules, seats_of("adaptive", 5), 1, game)
        rounds = sums["rounds", ()]
        assert rounds == sums["ended", ()] + sums["stalemate", ()]
        assert sum(sums["round_win", (seat,)] for seat in range(5)) == sums["ended", ()]
        points = sum(sums["points", (seat,)] for seat in range(5))
        assert points == sums["ended", ()] + 2 * sums["won_matches", ()]
        assert sum(sums["match_win", (seat,)] for seat in range(5)) == SHARE * (1 - sums["no_winner", ()])
        assert sum(sums["winning_suit", (suit,)] for suit in range(4)) == sums["ended", ()]
        for seat in range(5):
            assert sums["best_suit_count", (seat,)] + sums["off_suit_cards", (seat,)] == 7 * rounds
            assert (
                sum(n for (name, key, _), n in observed.items() if (name, key) == ("best_suit_count", (seat,)))
                == rounds
            )


@pytest.mark.parametrize(
    ("strategy", "changes", "ended", "passes", "multiple"),
    [
        ("stubborn:discard=random", {}, 0.947, 9.0, 0.172),
        ("adaptive", {}, 0.907, 6.20, 0.217),
        ("stubborn:discard=random", {"trim": Trim.NONE}, 0.842, 8.0, 0.085),
    ],
)
def test_rounds_end_as_often_and_as_late_as_in_another_experiment(
    strategy: str, changes: dict[str, Any], ended: float, passes: float, multiple: float
) -> None:
    # A round that did not end after 150 passes will not: its share is far below what 1,000 rounds can tell.
    rules = Rules(match_target=100, max_rounds=40, max_passes=150, **changes)
    total: Sums = Counter()
    for game in range(25):
        total.update(naive.play_match(rules, seats_of(strategy, 4), 1, game)[0])
    rounds, finished = total["rounds", ()], total["ended", ()]
    assert abs(finished / rounds - ended) < 4 * (ended * (1 - ended) / rounds) ** 0.5
    assert abs(total["multiple_flush", ()] / finished - multiple) < 4 * (multiple * (1 - multiple) / finished) ** 0.5
    assert abs(total["passes", ()] / finished - passes) < 4 * 6 / finished**0.5
