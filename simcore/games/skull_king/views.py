"""What a user's own strategy sees, and the asking of it. The layout stands in view.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king import view as places
from simcore.games.skull_king.cards import CARDS, ESCAPE, TIGRESS, TIGRESS_AS_ESCAPE
from simcore.games.skull_king.codes import (
    BLACKS,
    CARD_OF,
    CODE_OF,
    MERMAIDS,
    ONE,
    PLAIN,
    TIGRESS_BIT,
    TIGRESS_PIRATE,
    WEAK,
    ZERO,
)
from simcore.games.skull_king.states import VIEW_SIZE
from simcore.jit import inlined, jit_part, lowest_bit, popcount
from simcore.rng import SEAT, word

# A compiled function has one variant for all numbers of numpy, and one for each of Python's.
_BID, _LOAD, _CARD = np.int64(places.ASK_BID), np.int64(places.ASK_LOAD), np.int64(places.ASK_CARD)
_STATUS, _OPTIONS = places.STATUS, places.OPTIONS
_FOUR, _SEVEN, _SUITS, _12, _17, _42 = (np.uint64(n) for n in (4, 7, 10, 12, 17, 42))
_SPECIAL_OPTIONS = np.array([*range(ESCAPE, TIGRESS + 1), TIGRESS_AS_ESCAPE, *range(TIGRESS + 1, CARDS)], np.int64)
"""Specials in the order of options."""


@jit_part
def fill_view(
    record: Any,
    state: Any,
    question: Any,
    seat: Any,
    round_index: Any,
    cards: Any,
    leader: Any,
) -> None:
    """Fill in what a seat knows, but for the table and the options.

    The long loops have a fixed length and no jumps, so they become a few instructions on eight places at once.
    """
    view, players = state["view"], record["players"]
    for place in range(_STATUS):
        view[place] = -1
    for place in range(_OPTIONS, VIEW_SIZE):
        view[place] = -1
    view[places.QUESTION] = question
    view[places.PLAYERS] = players
    view[places.SEAT] = seat
    view[places.ROUND] = round_index + 1
    view[places.DEALT] = cards
    view[places.HELD] = popcount(state["lows"][seat]) + popcount(state["highs"][seat])
    view[places.LEADER] = leader
    view[places.ON_TABLE] = 0
    view[places.ROUNDS] = record["round_count"]
    view[places.OWN_BID] = state["bids"][seat]
    for other in range(players):
        view[places.BIDS + other] = state["bids"][other]
        view[places.TRICKS + other] = state["tricks"][other]
        view[places.TOTALS + other] = state["totals"][other]
    held, held_specials = by_number(state["lows"][seat], state["highs"][seat])
    played, played_specials = by_number(state["played_low"], state["played_high"])
    shown, shown_specials = by_number(state["shown_lows"][seat], state["shown_highs"][seat])
    # A status is two bits: held is 1, played 2, and shown 3, unless it is held or played by now.
    ones, twos = held | (shown & ~played), played | (shown & ~held)
    special_ones = held_specials | (shown_specials & ~played_specials)
    special_twos = played_specials | (shown_specials & ~held_specials)
    for card in range(CARDS):
        bit = np.uint64(card if card < ESCAPE else card - ESCAPE)
        one, two = (ones, twos) if card < ESCAPE else (special_ones, special_twos)
        view[_STATUS + card] = np.int64(((one >> bit) & ONE) | (((two >> bit) & ONE) << ONE))


@inlined
def by_number(low: Any, high: Any) -> Any:
    """Return cards as bits in the order of their numbers: the suits, from card 0 on, and the specials, from 56 on."""
    suits = ((low & PLAIN) >> _SUITS) | ((high & BLACKS) << _42)
    characters = ((high & TIGRESS_PIRATE) >> _SEVEN) | ((high & MERMAIDS) >> _FOUR) | ((high >> _17) << _12)
    return suits, (low & WEAK) | characters


@inlined
def offer(view: Any, low: Any, high: Any) -> Any:
    """Write the options for a card among the legal ones, in the order of card numbers; return how many there are."""
    suits, specials = by_number(low, high)
    options = np.int64(0)
    while suits != ZERO:
        view[_OPTIONS + options] = lowest_bit(suits)
        options += 1
        suits &= suits - ONE
    # The Tigress is two options, so a place is made for the other one.
    specials = (specials & WEAK) | ((specials & TIGRESS_BIT) << ONE) | ((specials & ~WEAK) << ONE)
    while specials != ZERO:
        view[_OPTIONS + options] = _SPECIAL_OPTIONS[lowest_bit(specials)]
        options += 1
        specials &= specials - ONE
    return options


@jit_part
def ask(state: Any, seat: Any, options: Any, choose_own: Any) -> Any:
    """Ask the user's function; an answer that is no option is kept in mind, and 0 taken for it."""
    answer = np.int64(choose_own(state["view"], np.int64(options), word(state["streams"], SEAT + seat)))
    if answer < 0 or answer >= options:
        state["illegal"] = 1
        return np.int64(0)
    return answer


@inlined
def ask_bid(record: Any, state: Any, seat: Any, round_index: Any, cards: Any, leader: Any, choose_own: Any) -> Any:
    """Ask for a bid."""
    fill_view(record, state, _BID, np.uint64(seat), round_index, cards, leader)
    return ask(state, np.uint64(seat), cards + 1, choose_own)


@inlined
def ask_load(record: Any, state: Any, seat: Any, round_index: Any, cards: Any, leader: Any, choose_own: Any) -> Any:
    """Ask for grapeshot or cannonball."""
    fill_view(record, state, _LOAD, np.uint64(seat), round_index, cards, leader)
    return ask(state, np.uint64(seat), np.int64(2), choose_own)


@inlined
def ask_card(
    record: Any,
    state: Any,
    begin: Any,
    seat: Any,
    place: Any,
    round_index: Any,
    cards: Any,
    low: Any,
    high: Any,
    trick: Any,
    choose_own: Any,
) -> Any:
    """Ask for a card among the legal ones; returns its code."""
    view, seats = state["view"], state["seats"]
    opens, suit_low, suit_high, winner = trick[0], trick[1], trick[2], trick[7]
    fill_view(record, state, _CARD, seat, round_index, cards, seats[begin])
    view[places.ON_TABLE] = place
    if suit_high != ZERO:
        view[places.SUIT] = 3
    elif suit_low != ZERO:
        view[places.SUIT] = lowest_bit(suit_low >> _SUITS)
    elif opens == ZERO:
        view[places.SUIT] = -2
    if winner >= 0:
        view[places.WINNING] = seats[begin + np.uint64(winner)]
    for i in range(place):
        view[places.TABLE + i] = CARD_OF[np.uint64(state["order"][i])]
    return CODE_OF[view[_OPTIONS + ask(state, seat, offer(view, low, high), choose_own)]]
