"""What a plain match needs before the first pass: its state, the cards, and random numbers drawn ahead.

Four lanes (see plain_tables.py) are a word: the first four seats, in ascending order, have the one called `low`, the
next four that called `high`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.my_ship_sails.deals import draw_short_suits, lay_out_deck
from simcore.games.my_ship_sails.hands import ONE, ZERO, suit_of
from simcore.games.my_ship_sails.plain_tables import (
    ABSENT,
    ADAPTIVE_ROLE,
    HAND_BIT,
    HANDS,
    RANDOM_ROLE,
    ROLE,
    STUBBORN_ROLE,
    TARGETLESS_ROLE,
    TWELFTHS,
    highest_of,
    unit,
)
from simcore.games.my_ship_sails.rules import MAX_PLAIN_PLAYERS, DealtFlush
from simcore.games.my_ship_sails.strategies import RANDOM, STUBBORN
from simcore.jit import jit_part, jit_small
from simcore.rng import DEAL, SEAT, later, mix, plus_golden, scaled, start

LANES = 4
"""Lanes of a word."""

AHEAD = 8
"""Numbers drawn ahead for each seat, which processors do at once: for a target and seven passes of one card."""

DRAWN_AT_ONCE = 8
"""The numbers of a deal are drawn in whole groups of so many, for the same reason."""

MAX_CARDS = 52

_3, _16, _LANE, _AHEAD = np.uint64(3), np.uint64(16), np.uint64(0xFFFF), np.uint64(AHEAD)
_HAND, _HAND_BIT = np.uint64(HANDS - 1), np.uint64(HAND_BIT)
_REDEAL = int(DealtFlush.REDEAL)

PLAIN = np.dtype(
    [
        ("streams", np.uint64, (SEAT,)),  # of the deal and of chance
        ("counters", np.uint64, (AHEAD * MAX_PLAIN_PLAYERS,)),  # of seats' streams, for each number drawn ahead
        ("scales", np.uint64, (AHEAD * MAX_PLAIN_PLAYERS,)),  # below what each of these numbers is
        ("codes", np.uint64, (AHEAD * MAX_PLAIN_PLAYERS,)),  # these numbers
        ("passes_ahead", np.int64),  # how many passes these are enough for
        ("present", np.uint64, (2,)),  # the lanes of seats there are
        ("choosers", np.uint64, (2,)),  # the lanes of those that take a target
        ("opening", np.uint64, (2,)),  # roles while targets are taken
        ("roles", np.uint64, (2,)),  # and afterwards
        ("deck", np.int64, (MAX_CARDS,)),  # bits of the cards in play, ascending
        ("cards", np.int64),  # how many these are
        ("short", np.int64),  # the suits of which one card is missing there, or -1: not laid out yet
        ("order", np.int64, (4,)),  # of suits, while short ones are drawn
        ("units", np.uint16, (MAX_CARDS,)),  # each card in play, as the hand bits of a lane
        ("all_cards", np.uint64),  # their sum
        ("pack", np.uint16, (MAX_CARDS,)),  # these, while they are dealt
        ("drawn", np.uint64, (MAX_CARDS,)),  # and the places drawn for it
        ("callers", np.int64, (MAX_PLAIN_PLAYERS,)),
        ("wins", np.int64, (MAX_PLAIN_PLAYERS,)),
        ("sums", np.uint64, (MAX_PLAIN_PLAYERS,)),  # of entries of hands, over a match
        ("hands", np.uint64, (HANDS,)),  # the table
    ]
)
"""What changes during a match, in one record."""


@jit_part
def prepare_plain(record: Any, strategies: Any, state: Any, layers: Any) -> None:
    """Note who sits there, and what they need."""
    state["short"] = -1
    # After the first target's number: one a pass, or one for another target and one for each card.
    state["passes_ahead"] = (AHEAD - 1) // layers
    for seat in range(MAX_PLAIN_PLAYERS):
        n, shift = np.uint64(seat // LANES), _16 * np.uint64(seat % LANES)
        opening = role = ABSENT
        if seat < record["players"]:
            style = strategies[seat]["style"]
            state["present"][n] |= _LANE << shift
            for i in range(AHEAD):
                state["scales"][AHEAD * seat + i] = record["hand_size"] if style == RANDOM else TWELFTHS
            if style == RANDOM:
                opening = role = RANDOM_ROLE << ROLE
            else:
                state["choosers"][n] |= _LANE << shift
                role = (STUBBORN_ROLE if style == STUBBORN else ADAPTIVE_ROLE) << ROLE
                opening = TARGETLESS_ROLE << ROLE
        state["opening"][n] |= np.uint64(opening) << shift
        state["roles"][n] |= np.uint64(role) << shift


@jit_small
def lane(word: Any, seat: Any) -> Any:
    """Return a seat's lane of its word."""
    return (word >> (_16 * (np.uint64(seat) & _3))) & _LANE


@jit_small
def hand_entry(state: Any, word: Any, seat: Any) -> Any:
    """Return the entry of a seat's hand in its word."""
    return state["hands"][(lane(word, seat) >> _HAND_BIT) & _HAND]


@jit_small
def lay_out_plain(record: Any, state: Any) -> None:
    """Lay out the cards in play, unless they lie there."""
    short = draw_short_suits(record, state, state["streams"])
    if short != state["short"]:
        state["cards"] = lay_out_deck(record, state, short)
        state["short"] = short
        state["all_cards"] = ZERO
        for i in range(state["cards"]):
            card = unit(suit_of(state["deck"][i]), record["hand_size"]) << HAND_BIT
            state["units"][i] = card
            state["all_cards"] += np.uint64(card)


@jit_small
def deal_once(record: Any, state: Any, key: Any, number: Any) -> Any:
    """Shuffle and deal as `deals.deal` does, and return the hands, four in a word."""
    streams, units, pack, drawn = state["streams"], state["units"], state["pack"], state["drawn"]
    players, hand_size = record["players"], record["hand_size"]
    start(streams, DEAL, key, number)
    counter, cards = streams[DEAL], np.uint64(state["cards"])
    for i in range(MAX_CARDS):
        pack[i] = units[i]
    # Where all cards are dealt, the last hand is what the others leave.
    drawn_hands = players - np.int64(players * hand_size == state["cards"])
    # All draws first, since they wait for nothing; in whole groups, though more than are needed.
    for i in range(min((drawn_hands * hand_size + DRAWN_AT_ONCE - 1) & -DRAWN_AT_ONCE, state["cards"])):
        n = np.uint64(i)
        counter = plus_golden(counter)
        drawn[i] = n + scaled(mix(counter), cards - n)
    low, high, n, left = ZERO, ZERO, ZERO, state["all_cards"]
    for seat in range(players):
        hand = left
        if seat < drawn_hands:
            hand = ZERO
            for _ in range(hand_size):
                hand += np.uint64(pack[drawn[n]])
                pack[drawn[n]] = pack[n]
                n += ONE
            left -= hand
        hand <<= _16 * (np.uint64(seat) & _3)
        if seat < LANES:
            low |= hand
        else:
            high |= hand
    return low, high


@jit_small
def deal_plain(record: Any, state: Any, key: Any) -> Any:
    """Deal, and deal again where a flush must not be dealt. Returns the hands, four in a word."""
    redeals = np.int64(0)
    while True:
        low, high = deal_once(record, state, key, redeals)
        if record["dealt_flush"] != _REDEAL:
            return low, high
        most = ZERO
        for seat in range(record["players"]):
            most = max(most, highest_of(hand_entry(state, low if seat < LANES else high, seat)))
        if most != np.uint64(record["hand_size"]):
            return low, high
        redeals += 1


@jit_small
def draw_ahead(record: Any, state: Any) -> None:
    """Draw all seats' next numbers."""
    counters, scales, codes = state["counters"], state["scales"], state["codes"]
    for i in range(AHEAD * record["players"]):
        codes[i] = scaled(mix(counters[i]), scales[i])


@jit_small
def start_streams(record: Any, state: Any, key: Any) -> None:
    """Start all seats' streams, and draw their first numbers."""
    counters = state["counters"]
    for i in range(AHEAD * record["players"]):
        n = np.uint64(i)
        # As `rng.start` does, and so many draws later.
        counters[i] = later(mix(plus_golden(key ^ (np.uint64(SEAT) + n // _AHEAD))), n % _AHEAD + ONE)
    draw_ahead(record, state)


@jit_small
def draw_on(record: Any, state: Any, used: Any, used_high: Any) -> None:
    """Draw all seats' next numbers after those that were used."""
    counters = state["counters"]
    for i in range(AHEAD * record["players"]):
        seat = np.uint64(i) // _AHEAD
        counters[i] = later(counters[i], lane(used if seat < LANES else used_high, seat))
    draw_ahead(record, state)
