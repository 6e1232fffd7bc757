"""Mein Schiff Ahoi against exact and published values, card by card, and by symmetry."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from simcore import games, log
from simcore.games.ahoi import events
from simcore.games.ahoi.cards import JOKER, NUMBER, REVERSE, copies_of, deck_size, face_of, fits, number_of, value_of
from simcore.games.ahoi.cards import kinds as kinds_of
from simcore.games.ahoi.rules import DECK_FIELDS, PRESETS, JumpIn, Rules
from simcore.games.ahoi.story import tell
from simcore.jit import NO_OWN
from simcore.record import counts_dtype, tally_dtype, to_record, to_strategies
from simcore.strategies import Seat, read_seats
from tests.twins import random_rules, random_seats

NAME = "ahoi"
ERRORS = 4.5
"""Standard errors within which a simulated rate has to be."""


def play(rules: Rules, strategy: str, matches: int, seed: int = 1, rows: int = 0) -> tuple[Any, Any]:
    """Play matches with the kernel; return the sums and the log."""
    return play_seats(rules, read_seats(games.load(NAME), strategy, rules.players), matches, seed, rows)


def play_seats(rules: Rules, seats: tuple[Seat, ...], matches: int, seed: int = 1, rows: int = 0) -> tuple[Any, Any]:
    tally = np.zeros(1, tally_dtype(NAME))
    written = np.zeros((rows, log.WIDTH), np.int32)
    kernel = games.ANY if rows else games.kernel_for(NAME, rules, seats)
    status, played = getattr(games.kernel(NAME), kernel)(
        to_record(NAME, rules),
        to_strategies(NAME, seats),
        np.uint64(seed),
        np.int64(0),
        np.int64(matches),
        np.int64(matches),
        tally,
        np.zeros(1, counts_dtype(NAME))[0],
        written,
        np.zeros(1, np.uint8),
        NO_OWN,
    )
    assert (status, played) == (log.DONE, matches)
    return tally[0], written


def is_near(simulated: float, exact: float, number: int, scatter: float | None = None) -> bool:
    """Whether a rate (or a mean of the given scatter) is within its error of the exact one."""
    scatter = (exact * (1 - exact)) ** 0.5 if scatter is None else scatter
    return bool(abs(simulated - exact) <= ERRORS * scatter / number**0.5 + 1e-12)


# The deck.


@pytest.mark.parametrize(
    "preset, cards, points", [("classic", 112, 1420), ("deck-108", 108, 1280), ("deck-112-flat", 112, 1560),
                              ("deck-numbers", 80, 360)]
)  # fmt: skip
def test_decks_have_their_sizes_and_values(preset: str, cards: int, points: int) -> None:
    record = to_record(NAME, Rules()._replace(**PRESETS[preset]))
    assert record["deck_size"] == cards
    assert (record["copies"] * record["value"]).sum() == points
    deck = record["deck"][:cards]
    assert [(deck == kind).sum() for kind in range(record["kinds"])] == list(record["copies"][: record["kinds"]])


def test_a_hand_counts_what_its_cards_are_worth() -> None:
    rules = Rules()
    by_face = {face_of(rules, kind): kind for kind in range(kinds_of(rules))}
    seven = next(kind for kind in range(kinds_of(rules)) if number_of(rules, kind) == 7)
    assert [value_of(rules, kind) for kind in (by_face[REVERSE], seven, by_face[JOKER])] == [25, 7, 50]


def test_every_kind_of_the_widest_deck_is_played() -> None:
    most: dict[str, Any] = dict.fromkeys(DECK_FIELDS, 12) | {"colours": 6, "lowest_number": 0, "highest_number": 15}
    rules = Rules(players=10, hand_size=15)._replace(**most)
    assert (kinds_of(rules), deck_size(rules)) == (118, 1416)
    played = set()
    for seed in range(3):
        _, written = play(rules, "random", 1, seed, rows=200_000)
        rows = written[1 : written[0, 0] + 1]
        played |= set(rows[rows[:, 0] == events.PLAYS, 2].tolist())
    assert len(played) > 110


# The first turn: with one card each, the first player has won if that card fits on the start card.


def chance_to_win_at_once(rules: Rules) -> Fraction:
    """Return the chance that one card, dealt before the start card is turned up, fits on it."""
    every = range(kinds_of(rules))
    size = deck_size(rules)
    numbers = sum(copies_of(rules, kind) for kind in every if face_of(rules, kind) == NUMBER)
    chance = Fraction(0)
    for held in every:
        left = numbers - (face_of(rules, held) == NUMBER)
        for start in every:
            if face_of(rules, start) == NUMBER and fits(rules, held, start):
                copies = copies_of(rules, start) - (start == held)
                chance += Fraction(copies_of(rules, held), size) * Fraction(copies, left)
    return chance


def test_the_first_player_wins_at_once_as_often_as_derived() -> None:
    assert chance_to_win_at_once(Rules()) == Fraction(527, 1400)
    numbers = Rules()._replace(**PRESETS["deck-numbers"])
    # Of the 79 cards left, 19 have the colour and 6 the number only.
    assert chance_to_win_at_once(numbers) == Fraction(25, 79)
    for rules in (Rules(), numbers):
        for players in (2, 5):
            matches = 200_000
            sums, _ = play(rules._replace(players=players, hand_size=1, max_turns=1), "keeper", matches)
            assert is_near(sums["decided"] / matches, float(chance_to_win_at_once(rules)), matches)
            assert sums["round_win_place"][0] == sums["decided"]


# Tiny decks: every course of a round with its exact chance.

State = tuple[int, tuple[tuple[int, ...], ...], tuple[int, ...], tuple[int, ...], int]
"""Whose turn, hands in the order the cards came, pile, discards below the top, top card."""


def without(cards: tuple[int, ...], place: int) -> tuple[int, ...]:
    return cards[:place] + cards[place + 1 :]


def choices(rules: Rules, strategy: str, hand: tuple[int, ...], top: int) -> list[tuple[int, Fraction]]:
    """Return the places of the cards that may be played next, each with its chance."""
    places = [place for place, kind in enumerate(hand) if fits(rules, kind, top)]
    if strategy == "newest":
        places = places[-1:]
    return [(place, Fraction(1, len(places))) for place in places]


def turn(rules: Rules, strategy: str, state: State) -> Iterator[tuple[Fraction, State | int]]:
    """Return what may follow a turn, each with its chance: another state, or the seat that has won."""
    seat, hands, pile, discards, top = state
    following = (seat + 1) % rules.players

    def played(hand: tuple[int, ...], place: int, pile: tuple[int, ...], discards: tuple[int, ...]) -> State | int:
        rest = without(hand, place)
        if not rest:
            return seat
        now = (*hands[:seat], rest, *hands[seat + 1 :])
        return following, now, pile, tuple(sorted((*discards, top))), hand[place]

    plays = choices(rules, strategy, hands[seat], top)
    if plays:
        for place, chance in plays:
            yield chance, played(hands[seat], place, pile, discards)
        return
    if not pile:
        pile, discards = discards, ()
    if not pile:
        yield Fraction(1), (following, hands, pile, discards, top)
        return
    for place, kind in enumerate(pile):
        chance, rest, hand = Fraction(1, len(pile)), without(pile, place), (*hands[seat], kind)
        kept = (following, (*hands[:seat], hand, *hands[seat + 1 :]), rest, discards, top)
        if not fits(rules, kind, top):
            yield chance, kept
            continue
        if strategy == "random":
            chance /= 2
            yield chance, kept
        yield chance, played(hand, len(hand) - 1, rest, discards)


def deals(rules: Rules, deck: tuple[int, ...]) -> dict[State, Fraction]:
    """Return every deal with its chance; seat 0 begins."""
    states: dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction] = {((), deck): Fraction(1)}
    for _ in range(rules.players * rules.hand_size + 1):
        following: defaultdict[tuple[tuple[int, ...], tuple[int, ...]], Fraction] = defaultdict(Fraction)
        for (taken, pile), chance in states.items():
            for place, kind in enumerate(pile):
                following[(*taken, kind), without(pile, place)] += chance / len(pile)
        states = following
    size = rules.hand_size
    dealt: defaultdict[State, Fraction] = defaultdict(Fraction)
    for (taken, pile), chance in states.items():
        hands = tuple(taken[seat * size : (seat + 1) * size] for seat in range(rules.players))
        dealt[0, hands, pile, (), taken[-1]] += chance
    return dealt


@pytest.mark.parametrize("strategy", ["newest", "random"])
@pytest.mark.parametrize(
    "players, hand_size, numbers, copies, max_turns",
    [(2, 1, 2, 1, 9), (2, 2, 2, 2, 7), (3, 1, 2, 2, 8), (2, 1, 3, 1, 10)],
)
def test_tiny_decks_agree_with_all_courses_of_a_round(
    players: int, hand_size: int, numbers: int, copies: int, max_turns: int, strategy: str
) -> None:
    rules = Rules()._replace(**PRESETS["deck-numbers"])._replace(
        players=players, hand_size=hand_size, colours=2, highest_number=numbers - 1, copies_zero=copies,
        copies_number=copies, max_turns=max_turns,
    )  # fmt: skip
    deck = tuple(kind for kind in range(kinds_of(rules)) for _ in range(copies_of(rules, kind)))
    states = deals(rules, deck)
    wins: defaultdict[int, Fraction] = defaultdict(Fraction)
    turns = Fraction(0)
    for _ in range(max_turns):
        turns += sum(states.values())
        following: defaultdict[State, Fraction] = defaultdict(Fraction)
        for state, chance in states.items():
            for share, outcome in turn(rules, strategy, state):
                if isinstance(outcome, int):
                    wins[outcome] += chance * share
                else:
                    following[outcome] += chance * share
        states = following
    assert sum(wins.values()) + sum(states.values()) == 1
    matches = 300_000
    sums, _ = play(rules, strategy, matches)
    for place in range(players):
        assert is_near(sums["round_win_place"][place] / matches, float(wins[place]), matches), place
    assert is_near(sums["stalemate"] / matches, float(sum(states.values())), matches)
    assert is_near(sums["turns"] / matches, float(turns), matches, max_turns / 2)


# What others published, and symmetry.


@pytest.mark.parametrize(
    "players, published", [(2, (0.5176, 0.4824)), (4, (0.2796, 0.2602, 0.2397, 0.2204))]
)  # fmt: skip
def test_places_win_as_often_as_published(players: int, published: tuple[float, ...]) -> None:
    rules = Rules()._replace(**PRESETS["deck-numbers"], players=players)
    matches = 400_000
    sums, _ = play(rules, "newest", matches)
    for place, rate in enumerate(published):
        # They are published to four places.
        assert abs(sums["round_win_place"][place] / matches - rate) < ERRORS * (0.25 / matches) ** 0.5 + 0.00005


def test_rotated_seats_give_rotated_results() -> None:
    strategies = ("keeper", "random", "highest", "newest")
    matches = 100_000
    preset = PRESETS["party"] | {"jump_in": 1, "seven_zero": True}
    rules = Rules()._replace(**preset)
    upright, _ = play(rules, "+".join(strategies), matches, seed=1)
    for shift in (1, 3):
        turned, _ = play(rules, "+".join((*strategies[-shift:], *strategies[:-shift])), matches, seed=2)
        for seat in range(4):
            rate = upright["round_win"][seat] / matches
            error = ERRORS * (2 * rate * (1 - rate) / matches) ** 0.5
            assert abs(turned["round_win"][(seat + shift) % 4] / matches - rate) < error
        for place in range(4):
            difference = (turned["round_win_place"][place] - upright["round_win_place"][place]) / matches
            assert abs(difference) < ERRORS * (0.5 / matches) ** 0.5


# Cards are neither lost nor made: the log is followed card by card.


def follow(rules: Rules, written: Any) -> None:
    """Follow a logged match, and see that every card is where it can be."""
    deck = Counter({kind: copies_of(rules, kind) for kind in range(kinds_of(rules)) if copies_of(rules, kind)})
    hands: list[Counter[int]] = []
    pile, discards, left = Counter(deck), Counter[int](), Counter[int]()
    top = -1
    for row in written[1 : written[0, 0] + 1].tolist():
        code, a, b, *rest = row
        if code == events.ROUND:
            hands = [Counter() for _ in range(rules.players)]
            pile, discards, left = Counter(deck), Counter(), Counter()
        elif code == events.DEALT:
            cards = Counter(kind for kind in (b, *rest) if kind >= 0)
            hands[a] += cards
            assert cards <= pile
            pile -= cards
        elif code == events.START:
            assert pile[a] > 0
            assert all(hand.total() == rules.hand_size for hand in hands)
            pile -= Counter([a])
            top = a
        elif code in (events.PLAYS, events.FURTHER, events.DUMPS):
            assert hands[a][b] > 0
            hands[a] -= Counter([b])
            if code == events.DUMPS:
                discards[b] += 1
            else:
                discards[top] += 1
                top = b
        elif code == events.DRAWS:
            assert pile[b] > 0
            pile -= Counter([b])
            hands[a][b] += 1
        elif code == events.RESHUFFLE:
            assert not pile
            assert discards.total() == b
            pile, discards = discards, Counter()
        elif code == events.SWAPS:
            hands[a], hands[b] = hands[b], hands[a]
        elif code == events.ROTATES:
            hands = [hands[(seat - b) % rules.players] for seat in range(rules.players)]
        elif code == events.LEFT:
            cards = Counter(kind for kind in (b, *rest) if kind >= 0)
            assert cards <= hands[a]
            left += cards
        elif code == events.POINTS and a == rules.players - 1:
            assert left == sum(hands, Counter())
            assert sum(hands, pile + discards + Counter([top])) == deck


def test_no_card_is_lost_or_made() -> None:
    rng = random.Random(3)
    for number in range(150):
        few = {} if number % 2 else {"colours": 2, "highest_number": 3, "hand_size": 2}
        rules = random_rules(NAME, rng, 0.3, max_turns=300, match_rounds=2, match_points=0, **few)
        sums, written = play_seats(rules, random_seats(NAME, rules.players, rng), 1, number, rows=100_000)
        follow(rules, written)
        lines = tell(rules, ["x"] * rules.players, written)
        turns = sum(line[:4].strip().isdigit() and line[4:6] == "  " for line in lines)
        assert turns == sums["turns"]


@pytest.mark.interpreted
def test_interpreted_matches_are_followed_too() -> None:
    for number, strategy in enumerate(("keeper", "random", "hunter", "careful", "newest", "highest")):
        rules = Rules(
            players=3, hand_size=4, multi_discard=True, jump_in=JumpIn.IDENTICAL, forget=(0.5,), match_rounds=2
        )
        _, written = play(rules, strategy, 1, number, rows=20_000)
        follow(rules, written)


def test_the_story_is_table_talk() -> None:
    rules = Rules(forget=(0.5,), match_rounds=3)
    _, written = play(rules, "random", 1, 8, rows=20_000)
    told = "\n".join(tell(rules, ["random"] * 4, written))
    for words in (
        " plays Draw 2 (",
        " draws 2 (",
        " and loses the turn",
        "forgets to call its last card",
        " wins the round.",
    ):
        assert words in told, words
