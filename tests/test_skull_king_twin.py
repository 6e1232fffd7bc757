"""The kernel of Skull King against its naive twin, trick by trick and match by match."""

from __future__ import annotations

import functools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from simcore import games, log
from simcore.games.skull_king import rules as declared
from simcore.games.skull_king.cards import (
    CARDS,
    ESCAPE,
    KRAKEN,
    LOOT,
    PLAIN_BIDS,
    TIGRESS,
    WHALE,
    Bidding,
    BonusWhen,
    LootRule,
    Scoring,
    WhaleWithoutSuits,
)
from simcore.games.skull_king.lanes import LANES
from simcore.games.skull_king.rules import PRESETS, Rules
from simcore.jit import NO_OWN
from simcore.record import counts_dtype, tally_dtype, to_record, to_strategies
from simcore.strategies import Seat, read_seats, show_seats
from tests.naive import skull_king as naive
from tests.naive import skull_king_tricks as naive_tricks
from tests.test_skull_king import look_at
from tests.twins import Sums, differences, kernel_match, random_rules

NAME = "skull-king"
REAL_FOLD = declared.fold
ADVANCED: dict[str, Any] = {"kraken": 1, "white_whale": 1, "loot": 2}


def seats_of(text: str, players: int) -> tuple[Seat, ...]:
    return read_seats(games.load(NAME), text, players)


@functools.cache
def fold_with_drawn_tables(rules: Rules) -> dict[str, Any]:
    """Return the tables of the kernel, what `calibrated` has learned being nonsense that differs in every entry."""
    rng = random.Random(repr(rules))
    tables = REAL_FOLD(rules)
    chances, bids = [], []
    for cards in tables["cards"]:
        chances.append([rng.choice([0, rng.randrange(1001), rng.randrange(21) * 50]) for _ in range(CARDS)])
        columns = range(declared.CALIBRATED_BINS)
        several = [[rng.randrange(1, 2 ** (cards + 1)) for _ in columns] for _ in range(declared.CONTEXTS)]
        bids.append([[entry & -entry if rng.random() < 0.5 else entry for entry in row] for row in several])
    return tables | {"calibrated_chances": chances, "calibrated_bids": bids}


@pytest.fixture
def drawn_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the comparison depend on how the learned tables are used, not on what is in them."""
    # The game is loaded once and for all, so it must be before its fold is another one.
    game = games.load(NAME)._replace(fold=fold_with_drawn_tables)
    monkeypatch.setattr(declared, "fold", fold_with_drawn_tables)
    monkeypatch.setattr("simcore.record.load", lambda name: game if name == NAME else games.load(name))


# Tricks


def drawn_trick(rng: random.Random, rules: Rules) -> list[int]:
    """Draw a trick, most of them with more specials than a shuffled pack would give."""
    cards = naive_tricks.pack(rules)
    specials = [card for card in cards if card >= ESCAPE]
    if rng.random() < 0.2:
        specials = [card for card in specials if card <= TIGRESS]
    length = min(rng.randint(1, 8), len(specials))
    share = rng.choice([0.2, 0.6, 0.9, 1.0])
    trick: list[int] = []
    while len(trick) < length:
        card = rng.choice(specials if rng.random() < share else cards)
        if card not in trick:
            trick.append(card)
    return [rng.choice(naive_tricks.ways(card)) for card in trick]


def check_tricks(rng: random.Random, rule_sets: int, tricks: int) -> None:
    for _ in range(rule_sets):
        fixed = {"kraken": 1, "white_whale": 1, "loot": rng.randint(0, 2)} if rng.random() < 0.8 else {}
        rules = random_rules(NAME, rng, 0.5, players=8, rounds=(1,), **fixed)
        for _ in range(tricks):
            trick = drawn_trick(rng, rules)
            result = naive_tricks.outcome(rules, trick)
            allies = naive_tricks.alliances(rules, trick, range(len(trick)))
            expected = (
                -1 if result.winner is None else result.winner,
                result.leader,
                naive_tricks.bonus_points(rules, naive_tricks.captures(rules, trick)),
                [place for place, _ in allies],
            )
            assert look_at(trick, rules) == expected, (trick, rules)


def test_tricks_come_to_the_same(drawn_tables: None) -> None:
    check_tricks(random.Random(1), 100, 60)


@pytest.mark.slow
def test_tricks_come_to_the_same_at_length(drawn_tables: None) -> None:
    check_tricks(random.Random(2), 3000, 100)


@pytest.mark.interpreted
def test_tricks_of_two_beasts_come_to_the_same() -> None:
    for trick in (
        [KRAKEN, WHALE],
        [WHALE, KRAKEN],
        [WHALE, KRAKEN, ESCAPE],
        [WHALE, LOOT, KRAKEN],
        [LOOT, KRAKEN, WHALE],
    ):
        for rule in WhaleWithoutSuits:
            rules = Rules(players=3, rounds=(1,), whale_without_suits=rule, **ADVANCED)
            result = naive_tricks.outcome(rules, trick)
            assert look_at(trick, rules)[:2] == (-1 if result.winner is None else result.winner, result.leader)


# Matches


def drawn_seats(rng: random.Random, players: int, kind: str) -> tuple[Seat, ...]:
    """Draw strategies; sometimes all of one kind, so that they meet."""
    bids = ["random", "zero", "count", "count", "calibrated"]
    plays = ["random", "contract", "counter", "spoiler"]
    if rng.random() < 0.3:
        plays = [rng.choice(plays)]
    if kind == "powers":  # what they show is of use to one play only
        plays.append("counter")
    texts = []
    for _ in range(players):
        bid, samples = rng.choice(bids), ""
        if kind == "rollouts" and rng.random() < 0.5:
            bid, samples = "rollout", f":samples={rng.randint(1, 3)}"
        texts.append(f"{bid}/{rng.choice(plays)}{samples}")
    return seats_of("+".join(texts), players)


def drawn_case(case: int) -> tuple[Rules, tuple[Seat, ...], int, tuple[int, int]]:
    """Draw rules, strategies, a seed and two games: short matches, in which often everything rare comes together."""
    rng = random.Random(case)
    kind = rng.choice(["short", "short", "many", "rollouts", "rollouts", "powers", "long"])
    players = rng.choice([2, 3, 4] if kind == "powers" else [2, 2, 3, 3, 4, 5, 6, 7, 8])
    fixed: dict[str, Any] = {"players": players}
    if kind == "short":
        fixed["rounds"] = tuple(rng.randint(1, 6) for _ in range(rng.randint(1, 4)))
    elif kind == "many":
        fixed["rounds"] = tuple(rng.choice([1, 1, 2]) for _ in range(rng.randint(8, 20)))
    elif kind == "rollouts":
        fixed["rounds"] = tuple(rng.choice([1, 1, 2, 2, 3]) for _ in range(rng.randint(1, 3)))
    elif kind == "powers":
        fixed |= {"rounds": (rng.randint(3, 8),) * 2, "pirate_powers": True}
    elif kind == "long":
        fixed["rounds"] = (rng.choice([8, 9, 10, 18, 35] if players <= 3 else [8, 9]),)
    if rng.random() < 0.7:
        fixed |= {"kraken": 1, "white_whale": 1, "loot": rng.randint(1, 2)}
    if rng.random() < 0.4:
        fixed["pirate_powers"] = True
    if rng.random() < 0.3:
        fixed["bidding"] = Bidding.DEALER_RESTRICTED
    if players == 2:
        fixed["graybeard"] = rng.random() < 0.6
    rules = random_rules(NAME, rng, rng.choice([0.1, 0.3, 0.6]), **fixed)
    return rules, drawn_seats(rng, players, kind), rng.randrange(2**64), (0, rng.randrange(2**40))


def check_case(case: int) -> Sums:
    rules, seats, seed, numbers = drawn_case(case)
    total: Sums = Counter()
    for game in numbers:
        reference = naive.play_match(rules, seats, seed, game)
        computed = kernel_match(NAME, rules, seats, seed, game)
        assert differences(reference, computed) == {}, (case, rules, show_seats(seats), seed, game)
        total.update(reference[0])
    return total


def test_kernel_plays_as_the_twin(drawn_tables: None) -> None:
    total: Sums = Counter()
    for case in range(500):
        total.update(check_case(case))
    # All that is counted must have happened in these matches, or they would prove nothing about it.
    for metric in games.load(NAME).METRICS:
        field = metric.field or metric.name
        assert metric.name == "no_winner" or any(name == field for name, _ in total), metric.name


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_kernel_plays_as_the_twin_at_length(drawn_tables: None) -> None:
    for case in range(1000, 7000):
        check_case(case)


@pytest.mark.interpreted
def test_kernel_plays_as_the_twin_in_a_few_matches(drawn_tables: None) -> None:
    for case in range(500, 508):
        check_case(case)


def plain_case(case: int) -> tuple[Rules, tuple[Seat, ...]]:
    """Draw rules and strategies that plain.py plays."""
    rng = random.Random(case)
    players = rng.choice([2, 3, 4, 4, 5, 6, 7, 8])
    never = {"kraken": 0, "white_whale": 0, "loot": 0, "pirate_powers": False, "graybeard": False}
    rounds = tuple(rng.randint(1, 6) for _ in range(rng.randint(1, 4)))
    if rng.random() < 0.2:
        rounds = (rng.choice([7, 8, 10, 35]),)
    bids = ["count", *PLAIN_BIDS, *(["rollout"] if max(rounds) <= 3 else [])]
    chosen = [rng.choice(bids) for _ in range(players)]
    samples = {"rollout": f":samples={rng.choice([1, 2, 15])}"}
    seats = seats_of("+".join(f"{bid}/contract{samples.get(bid, '')}" for bid in chosen), players)
    while True:
        rules = random_rules(NAME, rng, rng.choice([0.1, 0.3, 0.6]), players=players, rounds=rounds, **never)
        if games.kernel_for(NAME, rules, seats) != games.ANY:
            return rules, seats


def check_plain_case(case: int) -> Sums:
    rules, seats = plain_case(case)
    reference = naive.play_match(rules, seats, case, 1)
    for kernel in (games.kernel_for(NAME, rules, seats), games.ANY):
        computed = kernel_match(NAME, rules, seats, case, 1, kernel)
        assert differences(reference, computed) == {}, (kernel, case, rules, show_seats(seats))
    return reference[0]


def test_plain_matches_are_played_as_by_the_twin(drawn_tables: None) -> None:
    total: Sums = Counter()
    for case in range(400):
        total.update(check_plain_case(case))
    # The rest needs Kraken and Loot.
    never = {"no_winner", "void_tricks", "alliances"}
    for metric in games.load(NAME).METRICS:
        field = metric.field or metric.name
        assert metric.name in never or any(name == field for name, _ in total), metric.name


@pytest.mark.interpreted
def test_plain_matches_are_played_as_by_the_twin_in_a_few_cases(drawn_tables: None) -> None:
    for case in range(400, 410):
        check_plain_case(case)


@pytest.mark.slow
def test_plain_matches_are_played_as_by_the_twin_at_length(drawn_tables: None) -> None:
    for case in range(1000, 5000):
        check_plain_case(case)


def many(case: int, is_general: bool, first: int, matches: int, block: int) -> tuple[bytes, bytes]:
    """Return all that a kernel adds up in many matches of a plain case."""
    rules, seats = plain_case(case)
    kernel = games.ANY if is_general else games.kernel_for(NAME, rules, seats)
    blocks = (first + matches - 1) // block - first // block + 1
    tally, counts = np.zeros(blocks, tally_dtype(NAME)), np.zeros(1, counts_dtype(NAME))
    status, played = getattr(games.kernel(NAME), kernel)(
        to_record(NAME, rules),
        to_strategies(NAME, seats),
        np.uint64(case),
        np.int64(first),
        np.int64(matches),
        np.int64(block),
        tally,
        counts[0],
        np.zeros((0, log.WIDTH), np.int32),
        np.zeros(1, np.uint8),
        NO_OWN,
    )
    assert (status, played) == (log.DONE, matches)
    return tally.tobytes(), counts.tobytes()


def check_lock_step(case: int) -> None:
    rng = random.Random(case)
    first, block = rng.choice([0, 5, 2**40 + 1]), rng.choice([1, 7, LANES, 100, 1024])
    matches = rng.choice([1, 7, 9, LANES - 1, LANES, LANES + 1, 3 * LANES + 13])
    assert many(case, False, first, matches, block) == many(case, True, first, matches, block)


def test_in_lock_step_every_match_comes_to_the_same(drawn_tables: None) -> None:
    for case in range(500, 600):
        check_lock_step(case)


@pytest.mark.slow
def test_in_lock_step_every_match_comes_to_the_same_at_length(drawn_tables: None) -> None:
    for case in range(5000, 8000):
        check_lock_step(case)


@pytest.mark.interpreted
def test_a_plain_kernel_stops_when_it_is_told() -> None:
    rules, seats = plain_case(1)
    tally, counts = np.zeros(1, tally_dtype(NAME)), np.zeros(1, counts_dtype(NAME))
    arguments = to_record(NAME, rules), to_strategies(NAME, seats), np.uint64(1), np.int64(0), np.int64(9), np.int64(9)
    no_log = np.zeros((0, log.WIDTH), np.int32)
    stopped = games.kernel(NAME).play_plain(*arguments, tally, counts[0], no_log, np.ones(1, np.uint8), NO_OWN)
    assert stopped == (log.DONE, 0) and not tally["matches"].any()


def chosen_kernel(strategy: str = "count/contract", **changes: Any) -> str:
    rules = Rules(**changes)
    return games.kernel_for(NAME, rules, seats_of(strategy, rules.players))


def test_common_rules_are_played_by_the_plain_kernel() -> None:
    for bid in PLAIN_BIDS:
        assert chosen_kernel(f"{bid}/contract") == "play_plain"
    assert chosen_kernel("rollout/contract+count/contract+count/contract+count/contract") == "play_plain_rollouts"
    for changes in ({"scoring": Scoring.RASCAL}, {"bidding": Bidding.DEALER_RESTRICTED}, {"suit_length": 13}):
        assert chosen_kernel(**changes) == "play_plain"
    for players in range(2, 9):
        assert chosen_kernel(players=players) == "play_plain"


@pytest.mark.parametrize(
    "changes",
    [
        {"kraken": 1}, {"white_whale": 1}, {"loot": 1}, {"pirate_powers": True}, {"players": 2, "graybeard": True},
        {"scoring": Scoring.RASCAL_CANNONBALL}, {"strategy": "rollout/spoiler"},
        {"strategy": "count/contract+count/contract+count/contract+count/counter"}, {"strategy": "random"},
    ],
    ids=str,
)  # fmt: skip
def test_other_rules_are_not(changes: dict[str, Any]) -> None:
    assert chosen_kernel(**changes) == games.ANY


FOUR = "count/contract+calibrated/counter+random/spoiler+zero/random"


@pytest.mark.parametrize(
    ("strategy", "changes"),
    [
        *(pytest.param(FOUR, {"players": 4, **changes}, id=preset) for preset, changes in PRESETS.items()),
        pytest.param("count/counter", {"players": 8, **PRESETS["full"]}, id="eight, hands are clipped"),
        pytest.param("count/spoiler", {"players": 7}, id="seven, all 70 cards"),
        pytest.param("calibrated/contract", {"players": 6, **PRESETS["full"]}, id="six, calibrated"),
        pytest.param(
            "count/counter",
            {"players": 2, "rounds": (35, 35), **ADVANCED, "pirate_powers": True},
            id="two, the whole pack",
        ),
        pytest.param(
            "count/counter+calibrated/spoiler",
            {"players": 2, "rounds": (35, 10), "graybeard": True, **ADVANCED, "pirate_powers": True},
            id="Graybeard, the whole pack",
        ),
        pytest.param("random", {"rounds": (20,) * 20, "players": 3}, id="twenty rounds"),
        pytest.param(
            "rollout/counter:samples=4+count/contract+random+zero/spoiler",
            {"rounds": (5, 4), "bonus_when": BonusWhen.ALWAYS, **PRESETS["full"]},
            id="rollout with powers",
        ),
        pytest.param(
            "rollout/contract:samples=5",
            {"rounds": (4,), "scoring": Scoring.RASCAL_CANNONBALL, "bidding": Bidding.SEQUENTIAL},
            id="rollout against rollout",
        ),
        pytest.param(
            "zero/contract",
            {
                "rounds": (1,) * 20,
                "players": 8,
                "whale_without_suits": WhaleWithoutSuits.FIRST_ESCAPE,
                "loot_taken_by_escape": LootRule.NONE,
                **ADVANCED,
            },
            id="tricks for escapes",
        ),
    ],
)
def test_kernel_plays_as_the_twin_in_whole_matches(strategy: str, changes: dict[str, Any]) -> None:
    rules = Rules(**changes)
    seats = seats_of(strategy, rules.players)
    for game in range(2):
        assert differences(naive.play_match(rules, seats, 7, game), kernel_match(NAME, rules, seats, 7, game)) == {}


def test_what_will_discarded_stays_seen() -> None:
    # Rare, and of weight: whoever let the Kraken go knows that it cannot come.
    rules = Rules(players=2, **PRESETS["full"])._replace(rounds=(6,) * 20)
    seats = seats_of("count/counter", 2)
    for game in range(10):
        assert differences(naive.play_match(rules, seats, 7, game), kernel_match(NAME, rules, seats, 7, game)) == {}
