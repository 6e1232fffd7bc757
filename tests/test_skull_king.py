"""What can be derived exactly about Skull King, and what must hold in every game of its kernel."""

from __future__ import annotations

import functools
import itertools
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simcore import games, log
from simcore.declare import SHARE
from simcore.games.skull_king import calibrate, calibrated, kernel, scores
from simcore.games.skull_king.cards import (
    BLACK,
    ESCAPE,
    KRAKEN,
    LOOT,
    MERMAID,
    PIRATE,
    SKULL_KING,
    TIGRESS,
    TIGRESS_AS_ESCAPE,
    WHALE,
    BonusWhen,
    Scoring,
    SuitRule,
    ZeroUses,
)
from simcore.games.skull_king.rules import FORMATS, Rules, deck, hand_sizes
from simcore.jit import NO_OWN
from simcore.record import counts_dtype, tally_dtype, to_record, to_strategies
from simcore.strategies import read_seats
from tests.twins import Sums, kernel_match

NAME = "skull-king"
TRICKS = json.loads((Path(__file__).parent / "data" / "skull_king_tricks.json").read_text())


def numbers_of(texts: list[str]) -> list[int]:
    """Return card numbers for texts such as G7, B14, E, TP; equal specials get different numbers."""
    specials = {"E": ESCAPE, "L": LOOT, "K": KRAKEN, "W": WHALE, "M": MERMAID, "PI": PIRATE, "SK": SKULL_KING}
    specials |= {"TP": TIGRESS, "TE": TIGRESS_AS_ESCAPE}
    used: dict[str, int] = {}
    numbers = []
    for text in texts:
        if text in specials:
            numbers.append(specials[text] + used.get(text, 0))
            used[text] = used.get(text, 0) + 1
        else:
            number = int(text[1:]) - 1
            numbers.append(BLACK + number if text[0] == "B" else 3 * number + "GYP".index(text[0]))
    return numbers


record_of = functools.cache(functools.partial(to_record, NAME))


def look_at(cards: list[int], rules: Rules | None = None) -> tuple[int, int, int, list[int]]:
    """Return winner, next leader and bonus of a trick by the kernel, and the places of allying Loots."""
    allies = np.zeros(2, np.int64)
    record = record_of(rules or Rules())
    winner, leader, bonus = kernel.trick_winner(record, np.array(cards, np.int64), allies)
    return int(winner), int(leader), int(bonus), [int(place) for place in allies if place >= 0]


def winner_of(*cards: int) -> int:
    return look_at(list(cards))[0]


# Tricks


@pytest.mark.interpreted
@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: "-".join(trick["cards"]))
def test_tricks_of_rulebooks_and_other_programs(trick: dict[str, Any]) -> None:
    winner, leader, bonus, allies = look_at(numbers_of(trick["cards"]))
    assert winner == (-1 if trick["winner"] is None else trick["winner"])
    assert leader == trick["next_leader"]
    assert bonus == trick["bonus"]
    assert [[place, winner] for place in allies] == trick["alliances"]


@pytest.mark.interpreted
def test_edition_of_2013_pays_fifty_for_the_skull_king() -> None:
    rules = Rules(**games.load(NAME).PRESETS["edition-2013"])
    assert look_at(numbers_of(["SK", "M"]), rules) == (1, 1, 50, [])
    assert look_at(numbers_of(["SK", "TE"]), rules)[2] == 30
    assert look_at(numbers_of(["PI", "M"]), rules)[2] == 0


@pytest.mark.interpreted
def test_triples_go_round() -> None:
    mermaid, pirate, king = MERMAID, PIRATE, SKULL_KING
    for pair in itertools.permutations([mermaid, pirate]):
        assert pair[winner_of(*pair)] == pirate
    for pair in itertools.permutations([mermaid, king]):
        assert pair[winner_of(*pair)] == mermaid
    for pair in itertools.permutations([pirate, king]):
        assert pair[winner_of(*pair)] == king
    for triple in itertools.permutations([mermaid, pirate, king]):
        assert triple[winner_of(*triple)] == mermaid


@pytest.mark.parametrize("tigress", [TIGRESS, TIGRESS_AS_ESCAPE])
def test_all_ordered_pairs(tigress: int) -> None:
    cards = [tigress if card == TIGRESS else card for card in deck(Rules())]
    assert sum(winner_of(a, b) == 0 for a, b in itertools.permutations(cards, 2)) == 3029


def losing_to(card: int) -> set[int]:
    """Return the cards, laid second, against which a led card wins."""
    return {other for other in deck(Rules()) if other != card and winner_of(card, other) == 0}


def round_one_chance(card: int, players: int) -> float:
    """Return the chance of a led card in a round of one card, from which cards beat it alone."""
    if card in (MERMAID, MERMAID + 1):
        # She loses to a pirate unless the Skull King is there too.
        return 1 - (math.comb(68, players - 1) - math.comb(62, players - 1)) / math.comb(69, players - 1)
    return math.comb(len(losing_to(card)), players - 1) / math.comb(69, players - 1)


def test_round_one_formulas() -> None:
    sizes = {card: len(losing_to(card)) for card in deck(Rules())}
    for v in range(1, 15):
        assert {sizes[3 * (v - 1) + suit] for suit in range(3)} == {32 + v}
        assert sizes[BLACK + v - 1] == 46 + v
    assert {sizes[card] for card in range(PIRATE, SKULL_KING)} == {68}
    assert sizes[SKULL_KING] == 67
    assert sizes[TIGRESS] == 68
    # With more players the led card wins exactly if no card that beats it alone is there.
    rng = random.Random(1)
    for players, card in itertools.product(range(2, 9), deck(Rules())):
        others = [other for other in deck(Rules()) if other != card]
        for _ in range(20):
            laid = rng.sample(others, players - 1)
            wins = all(winner_of(card, other) == 0 for other in laid)
            if card in (MERMAID, MERMAID + 1):
                wins = SKULL_KING in laid or not set(laid) & set(range(PIRATE, SKULL_KING)) | (set(laid) & {TIGRESS})
            assert (winner_of(card, *laid) == 0) == wins, (card, laid)
    four = [round_one_chance(card, 4) for card in (39, BLACK + 6, MERMAID, PIRATE, SKULL_KING)]
    assert [round(chance, 4) for chance in four] == [0.2897, 0.4471, 0.7653, 0.9565, 0.9143]


# Scoring


def points(rules: Rules, round_number: int, cards: int, bid: int, tricks: int, load: int = 0) -> float:
    return float(scores.bid_points(record_of(rules), round_number, cards, bid, tricks, load)) / 2


@pytest.mark.interpreted
def test_the_page_s_four_examples() -> None:
    rules = Rules()
    assert points(rules, 5, 5, 3, 3) == 60
    assert points(rules, 5, 5, 2, 4) == -20
    assert points(rules, 7, 7, 0, 0) == 70
    assert points(rules, 9, 9, 0, 1) == -90
    assert points(Rules(zero_uses=ZeroUses.CARDS), 9, 4, 0, 1) == -40


@pytest.mark.interpreted
def test_rascal_and_cannonball() -> None:
    rascal, cannonball = Rules(scoring=Scoring.RASCAL), Rules(scoring=Scoring.RASCAL_CANNONBALL)
    for cards, bid in itertools.product(range(1, 11), range(11)):
        for tricks in range(cards + 1):
            miss = abs(bid - tricks)
            expected = {0: 10.0 * cards, 1: 5.0 * cards}.get(miss, 0.0)
            assert points(rascal, 3, cards, bid, tricks) == expected
            assert points(cannonball, 3, cards, bid, tricks, 0) == expected
            assert points(cannonball, 3, cards, bid, tricks, 1) == (15.0 * cards if miss == 0 else 0.0)


@pytest.mark.interpreted
def test_when_a_bonus_is_paid() -> None:
    def paid(miss: int, load: int = 0, **rules: Any) -> float:
        return float(scores.bonus_points(to_record(NAME, Rules(**rules)), 30, miss, load)) / 2

    assert [paid(miss) for miss in range(3)] == [30, 0, 0]
    assert [paid(miss, bonus_when=BonusWhen.ALWAYS) for miss in range(3)] == [30, 30, 30]
    assert [paid(miss, bonus_when=BonusWhen.NEVER) for miss in range(3)] == [0, 0, 0]
    assert [paid(miss, scoring=Scoring.RASCAL) for miss in range(3)] == [30, 15, 0]
    assert [paid(miss, scoring=Scoring.RASCAL_CANNONBALL) for miss in range(3)] == [30, 15, 0]
    assert [paid(miss, 1, scoring=Scoring.RASCAL_CANNONBALL) for miss in range(3)] == [30, 0, 0]


# Rounds


def play(rules: Rules, strategy: str = "count/contract", seed: int = 1, game: int = 0) -> Sums:
    return kernel_match(NAME, rules, read_seats(games.load(NAME), strategy, rules.players), seed, game)[0]


def test_hands_are_clipped_at_what_the_deck_serves() -> None:
    assert hand_sizes(Rules(players=7)) == FORMATS["classic"]
    assert hand_sizes(Rules(players=8)) == (*range(1, 9), 8, 8)
    assert hand_sizes(Rules(players=8, kraken=1, white_whale=1, loot=2)) == (*range(1, 9), 9, 9)
    assert hand_sizes(Rules(players=2, graybeard=True, rounds=(35,))) == (23,)
    for players in (7, 8):
        for game in range(20):
            sums = play(Rules(players=players), game=game)
            for number, cards in enumerate(hand_sizes(Rules(players=players))):
                assert sums["tricks_of_round", (number,)] == cards


def test_tricks_add_up() -> None:
    rules = Rules(players=5, kraken=1, white_whale=1, loot=2, pirate_powers=True)
    void = 0
    for game in range(200):
        sums = play(rules, "count/counter", game=game)
        taken = sum(sums["tricks_of_round", (number,)] for number in range(10))
        assert taken + sums["void_tricks", ()] == 55
        void += sums["void_tricks", ()]
        for number, seat in itertools.product(range(10), range(5)):
            assert sums["tricks", (seat, number)] <= number + 1
    assert void > 0
    ghost = Rules(players=2, graybeard=True)
    assert sum(sum(play(ghost, game=g)["tricks_of_round", (n,)] for n in range(10)) for g in range(20)) < 20 * 55


@pytest.mark.interpreted
def test_the_same_seed_gives_the_same_game() -> None:
    rules = Rules(players=3, pirate_powers=True, kraken=1, rounds=(3, 4))
    assert play(rules, "rollout/counter:samples=2", 7, 5) == play(rules, "rollout/counter:samples=2", 7, 5)
    assert play(rules, "random", 7, 5) != play(rules, "random", 7, 6)


def test_one_compiled_form_serves_all_rules() -> None:
    play(Rules())
    play(Rules(players=2, graybeard=True, suit_length=13, character_led=SuitRule.NEXT_SUIT_CARD), "random")
    assert len(kernel.play_many.signatures) in (0, 1)


def test_every_metric_changes_in_some_game() -> None:
    game = games.load(NAME)
    rules = Rules(players=3, kraken=1, white_whale=1, loot=2, rounds=(9, 9, 9, 1, 1))
    first = play(rules, "random")
    others = [play(rules, "random", game=number) for number in range(1, 300)]
    others += [play(Rules(players=3, rounds=(1, 1)), game=number) for number in range(100)]
    constant = {"no_winner"}
    for metric in game.METRICS:
        field = metric.field or metric.name
        values = {tuple(sorted(item for item in sums.items() if item[0][0] == field)) for sums in [first, *others]}
        assert (len(values) > 1) == (metric.name not in constant), metric.name


def test_seats_rotated_with_their_strategies_give_rotated_results() -> None:
    strategies, matches = ["count/contract", "random", "zero/contract"], 20_000
    wins = np.zeros((3, 3))
    for turn in range(3):
        tally = np.zeros(1, tally_dtype(NAME))
        played = kernel.play_many(
            to_record(NAME, Rules(players=3)),
            to_strategies(NAME, read_seats(games.load(NAME), "+".join(strategies[turn:] + strategies[:turn]), 3)),
            np.uint64(3 + turn),
            np.int64(0),
            np.int64(matches),
            np.int64(matches),
            tally,
            np.zeros(1, counts_dtype(NAME))[0],
            np.zeros((0, log.WIDTH), np.int32),
            np.zeros(1, np.uint8),
            NO_OWN,
        )
        assert played == (log.DONE, matches)
        wins[turn] = np.roll(tally["match_win"][0][:3], turn) / SHARE / matches
    assert np.abs(wins - wins.mean(axis=0)).max() < 4 * 0.5 / math.sqrt(matches)


def test_points_for_the_learned_bid_are_those_of_the_kernel() -> None:
    for scoring, uses in itertools.product(Scoring, ZeroUses):
        rules = Rules(scoring=scoring, zero_uses=uses, points_per_trick=17, penalty_per_miss=7, zero_bid_points=9)
        bids, tricks, loads = (grid.ravel() for grid in np.meshgrid(range(6), range(6), range(2)))
        found = calibrated.points(rules, 3, 5, bids, tricks, loads) / 2
        cases = zip(bids.tolist(), tricks.tolist(), loads.tolist(), strict=True)
        assert found.tolist() == [points(rules, 3, 5, bid, taken, load) for bid, taken, load in cases]


def test_learned_tables_say_where_they_come_from() -> None:
    data = calibrated.load()
    assert str(data["command"]) == f"shipsim calibrate skull-king --seed {int(data['seed'])} --rounds 200000"
    for name, cards in (("classic", 70), ("full", 74)):
        sizes = {(int(row[0]), int(row[1])) for row in data[f"{name}_index"]}
        assert sizes == {(p, c) for p in range(2, 9) for c in range(1, min(35, cards // p) + 1)}
        assert set(np.unique(data[f"{name}_weights"].sum(axis=-1, dtype=np.int64))) <= {0, calibrated.WHOLE}


def test_learning_gives_the_same_tables_again() -> None:
    first, second = (calibrate.learn("classic", 3, 2, 7, 4000) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert first[0][calibrated.kind_of(SKULL_KING)] > first[0][calibrated.kind_of(ESCAPE)]


@pytest.mark.slow
def test_the_file_is_what_its_command_makes_for_one_size() -> None:
    chances, weights = calibrate.learn("classic", 4, 5, 1, 200_000)
    saved = calibrated.learned("classic", 4, 5)
    assert np.array_equal(chances, saved[0])
    assert np.array_equal(weights, saved[1])


def test_it_is_said_which_tables_a_calibrated_bid_uses() -> None:
    game = games.load(NAME)
    assert game.notes(Rules()) == game.notes(Rules(players=6, **game.PRESETS["full"])) == []
    assert game.notes(Rules(scoring=Scoring.RASCAL, bonus_loot=0)) == []
    assert "tables learned for classic" in game.notes(Rules(loot=1))[0]
    assert "tables learned for full" in game.notes(Rules(kraken=1, white_whale=1, loot=2))[0]
    assert len(game.notes(Rules(players=8, suit_length=13))) == 2
