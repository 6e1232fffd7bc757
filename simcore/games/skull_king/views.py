"""What a user's own strategy sees, and the asking of it. The layout stands in view.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king import view as places
from simcore.games.skull_king.cards import TIGRESS, TIGRESS_AS_ESCAPE
from simcore.games.skull_king.codes import (
    BIT_LOW,
    CARD_OF,
    CODE_OF,
    ONE,
    TIGRESS_BIT,
    ZERO,
)
from simcore.jit import inlined, jit_part, lowest_bit, popcount
from simcore.rng import SEAT, word

# A compiled function has one variant for all numbers of numpy, and one for each of Python's.
_BID, _LOAD, _CARD = np.int64(places.ASK_BID), np.int64(places.ASK_LOAD), np.int64(places.ASK_CARD)
_HELD, _PLAYED, _SHOWN = np.int64(1), np.int64(2), np.int64(3)
_STATUS, _OPTIONS = places.STATUS, places.OPTIONS
_SUITS, _CHARACTERS, _BLACK = np.uint64(10), np.uint64(14), np.uint64(0x3FFF)


@jit_part
def fill_view(record: Any, state: Any, question: Any, seat: Any, round_index: Any, cards: Any, leader: Any) -> None:
    """Fill in what a seat knows outside of the trick."""
    view = state["view"]
    for place in range(view.shape[0]):
        view[place] = -1
    view[places.QUESTION] = question
    view[places.PLAYERS] = record["players"]
    view[places.SEAT] = seat
    view[places.ROUND] = round_index + 1
    view[places.DEALT] = cards
    view[places.HELD] = popcount(state["lows"][seat]) + popcount(state["highs"][seat])
    view[places.LEADER] = leader
    view[places.ON_TABLE] = 0
    view[places.ROUNDS] = record["round_count"]
    view[places.OWN_BID] = state["bids"][seat]
    for other in range(record["players"]):
        view[places.BIDS + other] = state["bids"][other]
        view[places.TRICKS + other] = state["tricks"][other]
        view[places.TOTALS + other] = state["totals"][other]
    for card in range(74):
        view[_STATUS + card] = 0
    mark_cards(view, state["shown_lows"][seat], state["shown_highs"][seat], _SHOWN)
    mark_cards(view, state["played_low"], state["played_high"], _PLAYED)
    mark_cards(view, state["lows"][seat], state["highs"][seat], _HELD)


@jit_part
def mark_cards(view: Any, low: Any, high: Any, status: Any) -> None:
    """Write the status of some cards."""
    if low & TIGRESS_BIT != ZERO:
        view[_STATUS + TIGRESS] = status
        low ^= TIGRESS_BIT
    while low != ZERO:
        view[_STATUS + CARD_OF[lowest_bit(low)]] = status
        low &= low - ONE
    while high != ZERO:
        view[_STATUS + CARD_OF[64 + lowest_bit(high)]] = status
        high &= high - ONE


@jit_part
def offer(view: Any, options: Any, first: Any, cards: Any) -> Any:
    """Add options, the cards of some bits whose codes begin at `first`; return how many options there are."""
    while cards != ZERO:
        view[_OPTIONS + options] = CARD_OF[first + lowest_bit(cards)]
        options += 1
        cards &= cards - ONE
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


@jit_part
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
    fill_view(record, state, _CARD, seat, round_index, cards, seats[begin])
    opens, suit_low, suit_high = trick[0], trick[1], trick[2]
    view[places.ON_TABLE] = place
    view[places.SUIT] = -1
    if suit_high != ZERO:
        view[places.SUIT] = 3
    elif suit_low != ZERO:
        for suit in range(3):
            if suit_low & BIT_LOW[10 + suit] != ZERO:
                view[places.SUIT] = suit
    elif opens == ZERO:
        view[places.SUIT] = -2
    if trick[7] >= 0:
        view[places.WINNING] = seats[begin + np.uint64(trick[7])]
    mark_cards(view, trick[5], trick[6], _PLAYED)
    for i in range(place):
        view[places.TABLE + i] = CARD_OF[state["order"][i]]
    # In ascending order of card numbers: suits, black, escapes and beasts, the Tigress twice, characters.
    options = offer(view, np.int64(0), np.int64(10), low >> _SUITS)
    options = offer(view, options, np.int64(64), high & _BLACK)
    options = offer(view, options, np.int64(0), low & (TIGRESS_BIT - ONE))
    if low & TIGRESS_BIT != ZERO:
        view[_OPTIONS + options] = TIGRESS
        view[_OPTIONS + options + 1] = TIGRESS_AS_ESCAPE
        options += 2
    options = offer(view, options, np.int64(78), high >> _CHARACTERS)
    return CODE_OF[view[_OPTIONS + ask(state, seat, options, choose_own)]]
