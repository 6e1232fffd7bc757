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
from simcore.games.skull_king.rules import MAX_PLAYERS
from simcore.games.skull_king.states import VIEW_SIZE
from simcore.jit import inlined, jit_part, lowest_bit, nth_bit, popcount
from simcore.rng import SEAT, word

# A compiled function has one variant for all numbers of numpy, and one for each of Python's.
_BID, _LOAD, _CARD = np.int64(places.ASK_BID), np.int64(places.ASK_LOAD), np.int64(places.ASK_CARD)
_STATUS, _OPTIONS = places.STATUS, places.OPTIONS
_FOUR, _SEVEN, _SUITS, _12, _17, _42 = (np.uint64(n) for n in (4, 7, 10, 12, 17, 42))
SPECIAL_OPTIONS = np.array([*range(ESCAPE, TIGRESS + 1), TIGRESS_AS_ESCAPE, *range(TIGRESS + 1, CARDS)], np.int64)
"""Specials in the order of options."""
_64, _NO_OPTIONS = np.uint64(64), ~ZERO << np.uint64(len(SPECIAL_OPTIONS))
OPTION_OF = np.full(128, -1, np.int64)
"""Bits of suits, and 64 + bits of specials, to options."""
OPTION_OF[:ESCAPE] = np.arange(ESCAPE)
OPTION_OF[64 : 64 + len(SPECIAL_OPTIONS)] = SPECIAL_OPTIONS
SUIT_CODES, SPECIAL_CODES = CODE_OF[:ESCAPE].copy(), CODE_OF[SPECIAL_OPTIONS]
"""Codes in the order of options."""
STATUS_OF = np.uint64(_STATUS) + np.where(CARD_OF == TIGRESS_AS_ESCAPE, TIGRESS, CARD_OF).astype(np.uint64)
"""Code to where the status of the card stands."""


@jit_part
def open_views(record: Any, state: Any, round_index: Any, cards: Any, leader: Any) -> None:
    """Write what is to be known when the cards of a round have been dealt, for all who are asked in it.

    The views stand for the round, and what happens is written into them when it happens. The long loops have a fixed
    length and no jumps, so they become a few instructions on eight places at once.
    """
    players = record["players"]
    for i in range(state["asked"]):
        seat = np.uint64(state["askers"][i])
        view = state["views"][seat]
        for place in range(_STATUS):
            view[place] = -1
        for place in range(_OPTIONS, VIEW_SIZE):
            view[place] = -1
        view[places.PLAYERS] = players
        view[places.SEAT] = seat
        view[places.ROUND] = round_index + 1
        view[places.DEALT] = cards
        view[places.HELD] = cards
        view[places.LEADER] = leader
        view[places.ON_TABLE] = 0
        view[places.ROUNDS] = record["round_count"]
        for other in range(players):
            view[places.TRICKS + other] = 0
            view[places.TOTALS + other] = state["totals"][other]
        show_status(state, seat)


@jit_part
def show_status(state: Any, seat: Any) -> None:
    """Write where all cards are, as a seat knows it."""
    view = state["views"][seat]
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
def show_question(record: Any, state: Any, seat: Any, question: Any) -> None:
    """Write what is asked, and the bids that are known."""
    view = state["views"][seat]
    view[places.QUESTION] = question
    view[places.OWN_BID] = state["bids"][seat]
    for other in range(record["players"]):
        view[places.BIDS + other] = state["bids"][other]


@inlined
def show_cards_begin(record: Any, state: Any) -> None:
    """Write for all who are asked that cards are played now."""
    for i in range(state["asked"]):
        show_question(record, state, np.uint64(state["askers"][i]), _CARD)


@inlined
def show_leader(state: Any, leader: Any) -> None:
    """Write for all who are asked that a trick begins."""
    for i in range(state["asked"]):
        view = state["views"][np.uint64(state["askers"][i])]
        view[places.LEADER] = leader
        for place in range(MAX_PLAYERS):
            view[places.TABLE + place] = -1


@inlined
def show_card(state: Any, place: Any, index: Any) -> None:
    """Write for all who are asked that a card is laid, by its code."""
    for i in range(state["asked"]):
        view = state["views"][np.uint64(state["askers"][i])]
        view[np.uint64(places.TABLE) + np.uint64(place)] = CARD_OF[index]
        view[STATUS_OF[index]] = 2


@inlined
def show_taken(state: Any, taker: Any) -> None:
    """Write for all who are asked that a player has taken a trick."""
    for i in range(state["asked"]):
        view = state["views"][np.uint64(state["askers"][i])]
        view[np.uint64(places.TRICKS) + taker] = state["tricks"][taker]


@inlined
def by_number(low: Any, high: Any) -> Any:
    """Return cards as bits in the order of their numbers: the suits, from card 0 on, and the specials, from 56 on."""
    suits = ((low & PLAIN) >> _SUITS) | ((high & BLACKS) << _42)
    characters = ((high & TIGRESS_PIRATE) >> _SEVEN) | ((high & MERMAIDS) >> _FOUR) | ((high >> _17) << _12)
    return suits, (low & WEAK) | characters


@inlined
def offer(view: Any, held: Any, suits: Any, specials: Any) -> None:
    """Write the options for a card, in the order of card numbers, and -1 where there may have been some before.

    As often as cards are held, and without jumps, since nobody can foretell how many may be played.
    """
    specials |= _NO_OPTIONS
    for i in range(held + 2):
        is_suit = suits != ZERO
        word = suits if is_suit else specials
        rest = word & (word - ONE)
        view[np.uint64(_OPTIONS) + np.uint64(i)] = OPTION_OF[np.uint64(lowest_bit(word)) | (ZERO if is_suit else _64)]
        suits = rest if is_suit else ZERO
        specials = specials if is_suit else rest


@jit_part
def ask(state: Any, seat: Any, options: Any, choose_own: Any) -> Any:
    """Ask the user's function; an answer that is no option is kept in mind, and 0 taken for it."""
    answer = np.int64(choose_own(state["views"][seat], np.int64(options), word(state["streams"], SEAT + seat)))
    if answer < 0 or answer >= options:
        state["illegal"] = 1
        return np.int64(0)
    return answer


@inlined
def ask_bid(record: Any, state: Any, seat: Any, cards: Any, choose_own: Any) -> Any:
    """Ask for a bid."""
    show_question(record, state, np.uint64(seat), _BID)
    return ask(state, np.uint64(seat), cards + 1, choose_own)


@inlined
def ask_load(record: Any, state: Any, seat: Any, choose_own: Any) -> Any:
    """Ask for grapeshot or cannonball."""
    show_question(record, state, np.uint64(seat), _LOAD)
    return ask(state, np.uint64(seat), np.int64(2), choose_own)


@inlined
def ask_card(state: Any, begin: Any, seat: Any, place: Any, low: Any, high: Any, trick: Any, choose_own: Any) -> Any:
    """Ask for a card among the legal ones; returns its code."""
    view = state["views"][seat]
    opens, suit_low, suit_high, winner = trick[0], trick[1], trick[2], trick[7]
    held = popcount(state["lows"][seat]) + popcount(state["highs"][seat])
    view[places.HELD] = held
    view[places.ON_TABLE] = place
    # Numbers rather than jumps on what cannot be foretold.
    suit = np.int64(-2) if opens == ZERO else np.int64(-1)
    suit = lowest_bit(suit_low >> _SUITS) if suit_low != ZERO else suit
    view[places.SUIT] = np.int64(3) if suit_high != ZERO else suit
    view[places.WINNING] = state["seats"][begin + np.uint64(winner)] if winner >= 0 else np.int64(-1)
    suits, specials = by_number(low, high)
    # The Tigress is two options, so a place is made for the other one.
    specials = (specials & WEAK) | ((specials & TIGRESS_BIT) << ONE) | ((specials & ~WEAK) << ONE)
    offer(view, held, suits, specials)
    count = popcount(suits)
    answer = ask(state, seat, count + popcount(specials), choose_own)
    if answer < count:
        return SUIT_CODES[np.uint64(nth_bit(suits, answer))]
    return SPECIAL_CODES[np.uint64(nth_bit(specials, answer - count))]
