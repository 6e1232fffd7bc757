"""The naive twin of Skull King in situations that can be worked out by hand."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from simcore.games.skull_king.cards import (
    ESCAPE,
    HARRY,
    JUANITA,
    KRAKEN,
    LOOT,
    MERMAID,
    PIRATE,
    RASCAL,
    ROSIE,
    SKULL_KING,
    TIGRESS,
    TIGRESS_AS_ESCAPE,
    WHALE,
    WILL,
    Bidding,
    BonusWhen,
    KrakenLeader,
    LootRule,
    MermaidCaptor,
    Scoring,
    SuitRule,
    TiedMatch,
    WhaleWithoutSuits,
    ZeroUses,
)
from simcore.games.skull_king.rules import Rules
from tests.naive import skull_king as match
from tests.naive import skull_king_strategies as strategies
from tests.naive import skull_king_tricks as tricks
from tests.naive.skull_king_rounds import Round, bidding_order, forbidden_bid, hand_size
from tests.test_skull_king import TRICKS, numbers_of

ADVANCED = Rules(kraken=1, white_whale=1, loot=2)
POWERS = Rules(players=2, pirate_powers=True)
GHOST = Rules(players=2, graybeard=True)


def cards_of(text: str) -> list[int]:
    return numbers_of(text.split())


def changed(rules: Rules, **changes: Any) -> Rules:
    return rules._replace(**changes)


# Tricks


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: "-".join(trick["cards"]))
def test_tricks_of_rulebooks_and_other_programs(trick: dict[str, Any]) -> None:
    laid = numbers_of(trick["cards"])
    result = tricks.outcome(ADVANCED, laid)
    assert (result.winner, result.leader) == (trick["winner"], trick["next_leader"])
    assert tricks.bonus_points(ADVANCED, tricks.captures(ADVANCED, laid)) == trick["bonus"]
    assert tricks.alliances(ADVANCED, laid, range(len(laid))) == [tuple(allies) for allies in trick["alliances"]]


def test_pack() -> None:
    assert len(tricks.pack(Rules())) == 70
    assert len(tricks.pack(ADVANCED)) == 74
    assert len(tricks.pack(Rules(suit_length=13))) == 66
    assert [hand_size(Rules(players=8), number) for number in (7, 8, 9, 10)] == [7, 8, 8, 8]
    assert [hand_size(changed(ADVANCED, players=8), number) for number in (7, 8, 9, 10)] == [7, 8, 9, 9]
    assert hand_size(changed(GHOST, rounds=(35,)), 1) == 70 // 3


@pytest.mark.parametrize("tigress", [TIGRESS, TIGRESS_AS_ESCAPE])
def test_the_first_of_two_wins_3029_pairs_of_4830(tigress: int) -> None:
    wins: Counter[int] = Counter()
    for pair in itertools.permutations(tricks.pack(Rules()), 2):
        laid = [tigress if card == TIGRESS else card for card in pair]
        wins[pair[0]] += tricks.outcome(Rules(), laid).winner == 0
    assert wins.total() == 3029
    if tigress == TIGRESS:
        # The cards that lose to the one led: 32 + v for a plain v, 46 + v for black.
        assert [wins[card] for card in cards_of("G1 Y14 B7 B14 PI SK M")] == [33, 46, 53, 60, 68, 67, 69 - 6]


def test_pirate_mermaid_and_skull_king_go_round() -> None:
    for laid in itertools.permutations(cards_of("PI M SK")):
        winner = tricks.outcome(Rules(), laid).winner
        assert winner is not None
        assert tricks.is_mermaid(laid[winner])


@pytest.mark.parametrize(
    ("trick", "suit"),
    [
        ("", None),
        ("Y3", 1),
        ("B3 Y5", 3),
        ("E", None),
        ("E P2", 2),
        ("L TE E G2 B2", 0),
        ("PI Y3", None),
        ("TP Y3", None),
        ("TE Y3", 1),
        ("K Y3", None),
        ("W Y3", None),
        ("E K Y3", 1),
        ("E PI Y3", 1),
        ("Y3 SK G2", 1),
    ],
)
def test_suit_to_follow(trick: str, suit: int | None) -> None:
    assert tricks.suit_to_follow(ADVANCED, cards_of(trick)) == suit


def test_suit_to_follow_by_other_rules() -> None:
    strict = changed(ADVANCED, escape_then_character=SuitRule.NO_SUIT)
    assert tricks.suit_to_follow(strict, cards_of("E PI Y3")) is None
    assert tricks.suit_to_follow(strict, cards_of("E Y3 PI")) == 1
    assert tricks.suit_to_follow(strict, cards_of("E W Y3")) == 1
    old = changed(ADVANCED, character_led=SuitRule.NEXT_SUIT_CARD)
    assert tricks.suit_to_follow(old, cards_of("PI E M Y3 G2")) == 1
    assert tricks.suit_to_follow(old, cards_of("K Y3")) is None


def test_legal_cards() -> None:
    hand = cards_of("G3 Y5 B2 E SK")
    assert tricks.legal_cards(Rules(), cards_of("Y1"), hand) == cards_of("Y5 E SK")
    assert tricks.legal_cards(Rules(), cards_of("P1"), hand) == cards_of("G3 Y5 B2 E SK")
    assert tricks.legal_cards(Rules(), cards_of("PI"), hand) == cards_of("G3 Y5 B2 E SK")
    assert tricks.distinct_ways(Rules(), cards_of("E E E")) == 1
    assert tricks.distinct_ways(Rules(), [TIGRESS]) == 2
    assert tricks.distinct_ways(Rules(), cards_of("L L E M M")) == 3
    assert tricks.distinct_ways(Rules(), [ROSIE, WILL]) == 1
    assert tricks.distinct_ways(POWERS, [ROSIE, WILL]) == 2


@pytest.mark.parametrize(
    ("trick", "changes", "winner", "leader"),
    [
        ("W K", {}, None, 0),
        ("K W", {}, None, 1),
        ("K W", {"whale_without_suits": WhaleWithoutSuits.FIRST_ESCAPE}, 0, 0),
        ("PI W M", {"whale_without_suits": WhaleWithoutSuits.FIRST_ESCAPE}, None, 1),
        ("PI L W TE", {"whale_without_suits": WhaleWithoutSuits.FIRST_ESCAPE}, 1, 1),
        ("Y3 K Y4 B1", {}, None, 3),
        ("Y3 K Y4 B1", {"kraken_leader": KrakenLeader.LEFT_OF_KRAKEN}, None, 2),
        ("Y3 Y4 K", {"kraken_leader": KrakenLeader.LEFT_OF_KRAKEN}, None, 0),
        ("K Y3 G9 Y4", {}, None, 3),
        ("W Y3 G9 Y4 K", {}, None, 3),
        ("Y3 G9 Y4", {}, 2, 2),
    ],
)
def test_beasts(trick: str, changes: dict[str, Any], winner: int | None, leader: int) -> None:
    result = tricks.outcome(changed(ADVANCED, **changes), cards_of(trick))
    assert (result.winner, result.leader) == (winner, leader)


@pytest.mark.parametrize(
    ("trick", "changes", "taken"),
    [
        ("M M", {}, {}),
        ("M M", {"mermaid_captor": MermaidCaptor.ANY}, {"mermaid": 1}),
        ("TP M M", {}, {"mermaid": 2}),
        ("SK TE PI", {}, {"pirate": 1}),
        ("SK TE PI", {"escaped_tigress_counts": True}, {"pirate": 2}),
        ("M SK M TP B14", {"mermaid_captor": MermaidCaptor.ANY}, {"skull_king": 1, "black_14": 1}),
        ("G14 SK PI W", {}, {"14": 1}),
        ("G14 PI K", {}, {}),
    ],
)
def test_captures(trick: str, changes: dict[str, Any], taken: dict[str, int]) -> None:
    assert tricks.captures(changed(ADVANCED, **changes), cards_of(trick)) == Counter(taken)


def test_alliances_that_a_rule_forbids() -> None:
    by_escape = changed(ADVANCED, loot_taken_by_escape=LootRule.NONE)
    assert tricks.alliances(by_escape, cards_of("E L"), [5, 6]) == []
    assert tricks.alliances(by_escape, cards_of("Y1 L"), [5, 6]) == [(6, 5)]
    under_whale = changed(ADVANCED, loot_under_whale=LootRule.NONE)
    assert tricks.alliances(under_whale, cards_of("Y1 L W"), [0, 1, 2]) == []
    assert tricks.alliances(ADVANCED, cards_of("Y1 L W"), [0, 1, 2]) == [(1, 0)]


# Bids


def test_count() -> None:
    def estimate(text: str, players: int = 4) -> Fraction:
        return strategies.estimate(Rules(players=players), "count", cards_of(text), 1)

    assert estimate("SK PI M TP B14 B9 B4 B1 E K W L") == Fraction(49, 10)  # 1 + 0.85 + 0.7 + 0.85 + 1 + 0.5
    assert estimate("G14 Y13 P12 G11 Y10") == Fraction(15, 10)
    assert estimate("SK", 8) == Fraction(29, 40)
    assert estimate("SK", 6) == Fraction(14, 15)
    assert [strategies.nearest(Fraction(n, 10)) for n in (4, 5, 14, 15, 25)] == [0, 1, 1, 2, 3]


def test_a_forbidden_bid_moves_down_if_it_can() -> None:
    rules = Rules(players=3, bidding=Bidding.DEALER_RESTRICTED)
    assert forbidden_bid(rules, 4, [1, 2]) == 1
    assert forbidden_bid(rules, 4, [1]) is None
    assert forbidden_bid(changed(rules, bidding=Bidding.SEQUENTIAL), 4, [1, 2]) is None
    assert [strategies.allowed_bid(bid, 1) for bid in range(3)] == [0, 0, 2]
    assert strategies.allowed_bid(0, 0) == 1
    assert bidding_order(rules, 2, 2) == [2, 0, 1]
    assert bidding_order(GHOST, 2, 0) == [1, 0]


# Cards


def best(trick: str, hand: str, need: bool) -> list[int]:
    laid = cards_of(trick)
    options = tricks.legal_cards(ADVANCED, laid, cards_of(hand))
    return strategies.contract_cards(ADVANCED, laid, options, need)


@pytest.mark.parametrize(
    ("trick", "hand", "need", "expected"),
    [
        ("", "G3 B2 M SK", True, "SK"),
        ("", "G3 B2 E SK", False, "E"),
        ("Y5", "Y4 Y6 Y9 B1", True, "Y6"),
        ("Y5", "Y4 Y3 B1", True, "Y3"),
        ("Y5", "Y4 Y3 Y6", False, "Y4"),
        ("Y5", "Y6 Y9", False, "Y9"),
        ("PI", "M SK Y1", True, "SK"),
        ("PI", "M B3 SK", False, "M"),
        ("K", "M B3 SK", True, "B3"),
        ("Y5 W", "B6 SK Y1", True, "Y1"),
        ("Y5 W", "B6 SK", True, "B6"),
        ("Y5 W", "Y6 SK", False, "SK"),
        ("E E", "L E", True, "E L"),
    ],
)
def test_contract(trick: str, hand: str, need: bool, expected: str) -> None:
    assert [tricks.is_loot(card) or card for card in best(trick, hand, need)] == [
        tricks.is_loot(card) or card for card in sorted(cards_of(expected))
    ]


def test_the_tigress() -> None:
    assert strategies.as_laid(Rules(), cards_of("B14"), TIGRESS, True) == TIGRESS
    assert strategies.as_laid(Rules(), cards_of("B14"), TIGRESS, False) == TIGRESS_AS_ESCAPE
    assert strategies.as_laid(Rules(), cards_of("PI"), TIGRESS, True) == TIGRESS_AS_ESCAPE
    assert strategies.weakest([ESCAPE, TIGRESS, PIRATE], False) == [ESCAPE, TIGRESS]
    assert strategies.strongest([MERMAID, TIGRESS, PIRATE], True) == [TIGRESS, PIRATE]


def test_counter_knows_what_is_sure() -> None:
    trick, hand = cards_of("Y5"), cards_of("Y6 Y9 PI")
    options = tricks.legal_cards(ADVANCED, trick, hand)
    assert strategies.counter_cards(ADVANCED, trick, options, True, []) == cards_of("Y6")
    assert strategies.counter_cards(ADVANCED, trick, options, True, cards_of("Y7 Y2")) == cards_of("Y9")
    assert strategies.counter_cards(ADVANCED, trick, options, True, cards_of("B7 M")) == cards_of("PI")
    assert strategies.counter_cards(ADVANCED, trick, options, True, [TIGRESS]) == cards_of("PI")
    # Nothing is sure against the Kraken, so as if nothing had been counted.
    assert strategies.counter_cards(ADVANCED, trick, options, True, [KRAKEN]) == cards_of("Y6")
    # A mermaid under a pirate is a loser unless the Skull King may come.
    under, low = cards_of("PI"), cards_of("M B3")
    assert strategies.counter_cards(ADVANCED, under, low, False, cards_of("G1")) == cards_of("M")
    assert strategies.counter_cards(ADVANCED, under, low, False, [SKULL_KING]) == cards_of("B3")
    assert strategies.counter_cards(ADVANCED, [], [ESCAPE, LOOT, WHALE], False, cards_of("G1")) == [WHALE]


def players_of(
    rules: Rules, *hands: str, bids: tuple[int, ...] = (), plays: str = "contract"
) -> list[strategies.Player]:
    made = [strategies.Player(seat, "count", plays, 1, 0, cards_of(hand)) for seat, hand in enumerate(hands)]
    for player, bid in zip(made, bids, strict=False):
        player.bid = bid
    assert len(made) == rules.players
    return made


def test_spoiler_turns_on_the_best_rival_in_reach() -> None:
    rules = Rules(players=4)
    players = players_of(rules, "G1 G2", "G3 G4", "G5 G6", "G7 G8", bids=(0, 1, 0, 3), plays="spoiler")
    chance = strategies.Chance(1, 4)
    for player, total in zip(players, (0, 50, 40, 90), strict=True):
        player.total = total
    assert not strategies.spoiler_need(players[0], players, chance)
    players[0].tricks = 1  # one too many; seat 3, far ahead, cannot make three of two
    assert strategies.spoiler_need(players[0], players, chance)
    players[2].total = 60
    assert not strategies.spoiler_need(players[0], players, chance)


# Rounds


def round_of(rules: Rules, players: list[strategies.Player], ghost: str = "", leader: int = 0) -> Round:
    held = [card for player in players for card in player.hand] + cards_of(ghost)
    undealt = [card for card in tricks.pack(rules) if card not in held]
    return Round(rules, 1, players, cards_of(ghost), undealt, leader, 0, strategies.Chance(3, rules.players))


def test_two_tricks() -> None:
    rules = Rules(players=3)
    played = round_of(rules, players_of(rules, "G5 PI", "G9 Y1", "B2 E", bids=(1, 1, 0)))
    # Needing a trick, seat 0 leads its pirate and takes it; the others are rid of Y1 (seat 1 can win nothing) and B2.
    # Then G5, G9 and the escape: seat 1.
    played.play()
    assert [player.tricks for player in played.players] == [1, 1, 0]
    assert [played.points(seat) for seat in range(3)] == [40, 40, 20]
    assert played.leader == 1
    assert (played.turns, played.choice_turns) == (6, 3)


@pytest.mark.parametrize(
    ("changes", "number", "cards", "bid", "taken", "points"),
    [
        ({}, 5, 5, 3, 3, 60),
        ({}, 5, 5, 2, 4, -20),
        ({}, 7, 7, 0, 0, 70),
        ({}, 9, 9, 0, 1, -90),
        ({"zero_uses": ZeroUses.CARDS}, 9, 4, 0, 1, -40),
        ({"scoring": Scoring.RASCAL}, 1, 5, 0, 0, 50),
        ({"scoring": Scoring.RASCAL}, 1, 5, 3, 2, 25),
        ({"scoring": Scoring.RASCAL}, 1, 5, 3, 1, 0),
    ],
)
def test_points(changes: dict[str, Any], number: int, cards: int, bid: int, taken: int, points: int) -> None:
    rules = Rules(players=2, **changes)
    played = Round(rules, number, players_of(rules, "E " * cards, "E " * cards, bids=(bid, 0)), [], [], 0, 0, None)  # type: ignore[arg-type]
    played.players[0].tricks = taken
    assert played.points(0) == 2 * points


@pytest.mark.parametrize(
    ("scoring", "when", "cannonball", "bonuses"),
    [
        (Scoring.SKULL_KING, BonusWhen.EXACT, False, (50, 0, 0)),
        (Scoring.SKULL_KING, BonusWhen.ALWAYS, False, (50, 30, 30)),
        (Scoring.SKULL_KING, BonusWhen.NEVER, False, (0, 0, 0)),
        (Scoring.RASCAL, BonusWhen.EXACT, False, (50, 15, 0)),
        (Scoring.RASCAL_CANNONBALL, BonusWhen.EXACT, False, (50, 15, 0)),
        (Scoring.RASCAL_CANNONBALL, BonusWhen.EXACT, True, (50, 0, 0)),
        (Scoring.RASCAL_CANNONBALL, BonusWhen.ALWAYS, True, (50, 30, 30)),
    ],
)
def test_bonus(scoring: Scoring, when: BonusWhen, cannonball: bool, bonuses: tuple[int, ...]) -> None:
    rules = Rules(players=2, scoring=scoring, bonus_when=when)
    played = round_of(rules, players_of(rules, "G1 G2 G3 G4", "Y1 Y2 Y3 Y4", bids=(1, 0)))
    played.alliances.append((1, 0))
    played.players[0].captures["pirate"] += 1
    played.players[0].cannonball = cannonball
    for bonus, taken in zip(bonuses, (1, 2, 3), strict=True):
        played.players[0].tricks = taken
        assert played.bonus(0) == 2 * bonus
        assert played.bonus(1) == (40 if taken == 1 and when != BonusWhen.NEVER else 0)


def use(pirate: int, bid: int = 0, hand: str = "G5 B2", rules: Rules = POWERS, last: bool = False) -> Round:
    played = round_of(rules, players_of(rules, hand, "Y1 Y2", bids=(bid,)))
    played.players[0].tricks = 1
    played.use_power(played.players[0], pirate, last)
    return played


def test_powers() -> None:
    assert use(ROSIE, bid=2).leader == 0
    assert use(ROSIE, bid=1).leader == 1
    willed = use(WILL, hand="E G14")
    ranks = [
        sorted(strategies.strength(card, False) for card in part) for part in (willed.players[0].hand, willed.discarded)
    ]
    assert [len(part) for part in ranks] == [2, 2]
    assert ranks[0][1] <= ranks[1][0]
    assert willed.players[0].shown >= {*willed.discarded}
    willed.check_cards()
    assert use(WILL, bid=3, hand="SK PI").players[0].hand == [SKULL_KING, PIRATE]
    seen = use(JUANITA)
    assert seen.players[0].shown == {*seen.undealt}
    assert use(RASCAL, bid=1, hand="G5 B2").players[0].stake == 40
    assert use(RASCAL, bid=1, hand="G5 SK").players[0].stake == 0
    assert use(RASCAL, bid=1, last=True).players[0].stake == 0
    for bid, final in ((0, 1), (1, 1), (2, 1), (3, 3)):
        assert use(HARRY, bid=bid, last=True).players[0].final_bid() == final
    lost = use(RASCAL, bid=1).players[0]
    lost.tricks = 2
    played = round_of(POWERS, [lost, strategies.Player(1, "count", "contract", 1, 0, cards_of("Y1 Y2"))])
    assert played.points(0) == -2 * 10 - 2 * 20


def test_graybeard_plays_second_and_leads_when_it_won() -> None:
    players = players_of(GHOST, "G1 Y1", "G2 Y2", bids=(0, 0))
    played = round_of(GHOST, players, ghost="B5 E")
    assert played.order_of_play() == [0, 2, 1]
    played.play_trick(is_last=False)
    assert played.ghost_tricks == 1
    assert played.leader == 2
    assert played.order_of_play() == [2, 1, 0]
    played.leader = 1
    assert played.order_of_play() == [1, 2, 0]


# Matches


def test_who_led_when() -> None:
    history = [[1, 0], [1, 1], [1, 2], [3, 2], [4, 3]]
    assert match.lead_changes(history) == 2
    assert match.decided_at_round(history) == 4
    assert match.sole_leader([2, 2]) is None
    assert match.decided_at_round([[0, 1], [0, 2]]) == 1


def test_ties() -> None:
    rounds = []
    for taken in ((1, 0, 0), (0, 0, 1)):
        rules = Rules(players=3, zero_bid_points=0)
        played = round_of(rules, players_of(rules, "G1", "Y1", "P1", bids=(1, 1, 0)))
        for player, number in zip(played.players, taken, strict=True):
            player.tricks = number
        rounds.append(played)
    # Exact bids: seat 0 in round 1, seat 2 in round 1; the last round cost seats 0 and 1 ten points, seat 2 nothing.
    final = [7, 7, 7]
    assert match.match_winners(Rules(players=3), rounds, final) == [0, 1, 2]
    assert match.match_winners(Rules(players=3, tied_match=TiedMatch.LAST_ROUND), rounds, final) == [2]
    assert match.match_winners(Rules(players=3, tied_match=TiedMatch.EXACT_BIDS), rounds, final) == [0, 2]
    assert match.match_winners(Rules(players=3, tied_match=TiedMatch.LAST_ROUND), rounds, [7, 7, 6]) == [0, 1]


def test_shuffling_keeps_all_cards() -> None:
    rng = random.Random(1)
    for _ in range(20):
        cards = rng.sample(range(74), rng.randint(1, 74))
        shuffled = sorted(cards)
        strategies.Chance(rng.randrange(2**64), 2).shuffle(shuffled, len(cards))
        assert sorted(shuffled) == sorted(cards)
