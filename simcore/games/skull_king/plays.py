"""The cards that the strategies play. Every draw is listed in draws.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king.cards import WhaleWithoutSuits
from simcore.games.skull_king.codes import (
    ABOVE_HIGH,
    ABOVE_LOW,
    BLACKS,
    CHARACTERS,
    EQUALS,
    ESCAPE_LIKE,
    ESCAPES,
    KRAKEN_BIT,
    KRAKEN_CODE,
    LOOTS,
    MERMAIDS,
    MONSTERS,
    NAMED_PIRATES,
    ONE,
    PIRATES,
    PLAIN,
    PLAIN_SUITS,
    SKULL_KING_BIT,
    TIGRESS_BIT,
    TIGRESS_HIGH,
    TIGRESS_LOW,
    TIGRESS_PIRATE,
    WEAK,
    WHALE_BIT,
    WHALE_CODE,
    ZERO,
)
from simcore.games.skull_king.tricks import highest_number
from simcore.jit import highest_bit, inlined, jit_part, lowest_bit, nth_bit, popcount
from simcore.rng import SEAT, below

RANDOM, CONTRACT, COUNTER, SPOILER = range(4)

_TEN, _42, _FOURTEEN = np.uint64(10), np.uint64(42), np.uint64(14)
_TWO, _NINE, _SIXTEEN = np.uint64(2), np.uint64(9), np.uint64(16)
_ALL = ~ZERO
_FIRST_ESCAPE = int(WhaleWithoutSuits.FIRST_ESCAPE)
_NAMED_SHIFT = np.uint64(17)


@jit_part
def drawn_among(streams: Any, seat: Any, group: Any) -> Any:
    """Return one of several bits, drawn."""
    return np.int64(nth_bit(group, below(streams, SEAT + seat, popcount(group))))


@inlined
def extreme_card(streams: Any, seat: Any, low: Any, high: Any, is_weakest: Any) -> Any:
    """Return the code of the weakest or strongest card of a set that is not empty, drawn among equals.

    Both are looked for and one is taken, since a jump on what cannot be foreseen costs more.
    """
    weak_low, weak_high = lowest_bit(low), 64 + lowest_bit(high)
    strong_low, strong_high = highest_bit(low), 64 + highest_bit(high)
    weak = weak_low if low != ZERO else weak_high
    strong = strong_high if high != ZERO else strong_low
    code = weak if is_weakest else strong
    group = EQUALS[np.uint64(code)] & (low if code < 64 else high)
    if group & (group - ONE) != ZERO:
        return (code & 64) + drawn_among(streams, seat, group)
    return np.int64(code)


@jit_part
def weakest(streams: Any, seat: Any, low: Any, high: Any) -> Any:
    """Return the code of the weakest card of a set, drawn among equals."""
    return extreme_card(streams, seat, low, high, True)


@jit_part
def strongest(streams: Any, seat: Any, low: Any, high: Any) -> Any:
    """Return the code of the strongest card of a set, drawn among equals."""
    return extreme_card(streams, seat, low, high, False)


@inlined
def legal_cards(low: Any, high: Any, suit_low: Any, suit_high: Any) -> Any:
    """Return the cards of a hand that may be played, the suit to follow being given."""
    if (low & suit_low) | (high & suit_high) != ZERO:
        return low & (suit_low | WEAK), high & (suit_high | CHARACTERS)
    return low, high


@inlined
def has_choice(low: Any, high: Any, powers: Any) -> Any:
    """Whether the legal cards give at least two distinct ways to play."""
    if (low & PLAIN) | (high & BLACKS) != ZERO:
        return (popcount(low) + popcount(high) > 1) | (low & TIGRESS_BIT != ZERO)
    pirates = popcount(high & NAMED_PIRATES)
    if powers == 0:
        pirates = min(pirates, 1)
    kinds = (
        np.int64(low & ESCAPES != ZERO)
        + np.int64(low & LOOTS != ZERO)
        + popcount(low & MONSTERS)
        + 2 * np.int64(low & TIGRESS_BIT != ZERO)
        + np.int64(high & MERMAIDS != ZERO)
        + pirates
        + np.int64(high & SKULL_KING_BIT != ZERO)
    )
    return kinds > 1


@jit_part
def nth_card(low: Any, high: Any, which: Any) -> Any:
    """Return the code of a card of a set, counted from 0 in ascending order of card numbers."""
    suits = ((low & PLAIN) >> _TEN) | ((high & BLACKS) << _42)
    count = popcount(suits)
    if which < count:
        bit = nth_bit(suits, which)
        return bit + 10 if bit < 42 else bit + 22
    bit = nth_bit((low & WEAK) | ((high >> _FOURTEEN) << _TEN), which - count)
    return bit if bit <= TIGRESS_LOW else bit + 68


@jit_part
def choose_random(streams: Any, seat: Any, low: Any, high: Any) -> Any:
    """Play any legal card; the Tigress by a coin."""
    code = nth_card(low, high, below(streams, SEAT + seat, popcount(low) + popcount(high)))
    if code == TIGRESS_LOW and below(streams, SEAT + seat, 2) == 1:
        return np.int64(TIGRESS_HIGH)
    return np.int64(code)


@jit_part
def needs_trick(state: Any, seat: Any) -> Any:
    """Whether a player has fewer tricks than it bid."""
    return state["bids"][seat] > state["tricks"][seat]


@jit_part
def choose_target(record: Any, state: Any, seat: Any, left: Any) -> Any:
    """Return the opponent that a spoiler plays against, -1 for none; tricks are left with this one."""
    best, count = np.int64(0), np.int64(0)
    for other in range(record["players"]):
        missing = state["bids"][other] - state["tricks"][other]
        if other == seat or missing < 0 or missing > left:
            continue
        if count == 0 or state["totals"][other] > best:
            best, count = state["totals"][other], np.int64(1)
        elif state["totals"][other] == best:
            count += 1
    if count == 0:
        return np.int64(-1)
    which = below(state["streams"], SEAT + seat, count)
    for other in range(record["players"]):
        missing = state["bids"][other] - state["tricks"][other]
        if other == seat or missing < 0 or missing > left or state["totals"][other] != best:
            continue
        if which == 0:
            return np.int64(other)
        which -= 1
    return np.int64(-1)


@jit_part
def declared(code: Any, win_high: Any) -> Any:
    """Return the code of a card chosen by a player who needs a trick: the Tigress may not be a pirate."""
    if code == TIGRESS_HIGH and (win_high >> _NAMED_SHIFT) & ONE == ZERO:
        return TIGRESS_LOW
    return code


@inlined
def choose_contract(
    streams: Any, seat: Any, low: Any, high: Any, win_low: Any, win_high: Any, needed: Any, leads: Any
) -> Any:
    """Take a trick cheaply if one is needed, else throw the strongest card that takes none.

    `low` and `high` are the legal cards, the Tigress where the need puts her.
    """
    flip = (ONE - needed) * _ALL
    set_low, set_high = low & (win_low ^ flip), high & (win_high ^ flip)
    takes_all = leads != ZERO or (set_low | set_high) == ZERO
    set_low = low if takes_all else set_low
    set_high = high if takes_all else set_high
    return extreme_card(streams, seat, set_low, set_high, needed != leads)


@jit_part
def unseen_by(state: Any, seat: Any) -> Any:
    """Return the cards that a player has neither in hand nor seen, the Tigress in the low word."""
    low = state["lows"][seat] | state["played_low"] | state["shown_lows"][seat]
    high = state["highs"][seat] | state["played_high"] | state["shown_highs"][seat]
    if high & TIGRESS_PIRATE != ZERO:
        low |= TIGRESS_BIT
    return state["deck_low"] & ~low, state["deck_high"] & ~high


@jit_part
def above_highest(cards: Any, suit: Any) -> Any:
    """Return the cards of a suit above the highest of some (all of it if there are none)."""
    some = cards & suit
    if some == ZERO:
        return suit
    return suit & ~((_TWO << np.uint64(highest_bit(some))) - ONE)


@jit_part
def sure_winners(record: Any, order: Any, place: Any, unseen_low: Any, unseen_high: Any, trick: Any) -> Any:
    """Return the cards, among those winning now, that no single unseen card laid later beats."""
    acting, laid_high = trick[8], trick[6]
    if acting == KRAKEN_CODE or unseen_low & KRAKEN_BIT != ZERO:
        return ZERO, ZERO
    suits_unseen = (unseen_low & PLAIN) | (unseen_high & BLACKS) != ZERO
    if acting == WHALE_CODE:
        number: Any = np.int64(0)
        if unseen_low & PLAIN != ZERO:
            number = np.int64((highest_bit(unseen_low & PLAIN) - 10) // 3 + 1)
        if unseen_high & BLACKS != ZERO:
            black = np.int64(highest_bit(unseen_high & BLACKS) + 1)
            number = black if black > number else number
        low, high = ABOVE_LOW[max(number - 1, 0)], ABOVE_HIGH[max(number - 1, 0)]
        if not suits_unseen:
            low, high = low | ESCAPE_LIKE, high | TIGRESS_PIRATE
        return low, high
    tigress = unseen_low & TIGRESS_BIT != ZERO
    pirate = tigress or unseen_high & PIRATES != ZERO
    mermaid = unseen_high & MERMAIDS != ZERO
    king = unseen_high & SKULL_KING_BIT != ZERO
    low, high = ZERO, ZERO
    if not (pirate or mermaid or king):
        high |= above_highest(unseen_high, BLACKS)
        if unseen_high & BLACKS == ZERO:
            for suit in range(3):
                low |= above_highest(unseen_low, PLAIN_SUITS[suit])
        if not suits_unseen:
            low |= WEAK
    if laid_high & SKULL_KING_BIT != ZERO or not pirate:
        high |= MERMAIDS
    if not king:
        high |= PIRATES
    if not mermaid:
        high |= SKULL_KING_BIT
    if unseen_low & WHALE_BIT != ZERO:
        number, _ = highest_number(order, place)
        low &= ABOVE_LOW[number] | WEAK
        high &= ABOVE_HIGH[number]
        if record["whale_without_suits"] != _FIRST_ESCAPE:
            low &= ~WEAK
    return low, high


@jit_part
def not_sure_losers(record: Any, order: Any, place: Any, unseen_low: Any, unseen_high: Any, trick: Any) -> Any:
    """Return the cards, among those not winning now, that a single unseen card laid later makes win."""
    laid_low, laid_high, acting = trick[5], trick[6], trick[8]
    low, high = ZERO, ZERO
    if acting == WHALE_CODE:
        return low, high
    if acting < 0 and laid_high & MERMAIDS == ZERO and unseen_high & SKULL_KING_BIT != ZERO:
        high |= MERMAIDS
    if unseen_low & WHALE_BIT != ZERO:
        number, _ = highest_number(order, place)
        low |= ABOVE_LOW[number]
        high |= ABOVE_HIGH[number]
        escapes = ESCAPE_LIKE | KRAKEN_BIT
        if number == 0 and laid_low & escapes == ZERO and record["whale_without_suits"] == _FIRST_ESCAPE:
            low |= escapes
    return low, high


@jit_part
def choose_counter(
    record: Any, state: Any, seat: Any, place: Any, after: Any, low: Any, high: Any, needed: Any, trick: Any
) -> Any:
    """Play a sure winner or loser if there is one, else by contract; `after` players are still to play."""
    win_low, win_high = trick[3], trick[4]
    streams, order = state["streams"], state["order"]
    unseen_low, unseen_high = unseen_by(state, seat)
    if needed != ZERO:
        set_low, set_high = low & win_low, high & win_high
        if after > 0:
            sure_low, sure_high = sure_winners(record, order, place, unseen_low, unseen_high, trick)
            set_low, set_high = set_low & sure_low, set_high & sure_high
        if set_low | set_high != ZERO:
            return weakest(streams, seat, set_low, set_high)
    else:
        set_low, set_high = low & ~win_low, high & ~win_high
        if after > 0:
            not_low, not_high = not_sure_losers(record, order, place, unseen_low, unseen_high, trick)
            set_low, set_high = set_low & ~not_low, set_high & ~not_high
        if set_low | set_high != ZERO:
            return strongest(streams, seat, set_low, set_high)
    return choose_contract(streams, seat, low, high, win_low, win_high, needed, np.uint64(place == 0))


@inlined
def place_tigress(low: Any, high: Any, needed: Any) -> Any:
    """Return some cards with the Tigress where the need (1 or 0) puts her."""
    tigress = (low >> _NINE) & needed
    return low ^ (tigress << _NINE), high | (tigress << _SIXTEEN)


@inlined
def choose_card(
    record: Any, state: Any, style: Any, seat: Any, place: Any, after: Any, left: Any, low: Any, high: Any, trick: Any
) -> Any:
    """Return the code that one of the strategies plays; `low` and `high` are the legal cards."""
    streams = state["streams"]
    if style == RANDOM:
        return choose_random(streams, seat, low, high)
    # A number rather than a truth value, so that no jump is made of what cannot be foreseen.
    needed = np.uint64(needs_trick(state, seat))
    if style == SPOILER:
        missing = state["bids"][seat] - state["tricks"][seat]
        if missing < 0 or missing > left:
            target = choose_target(record, state, seat, left)
            if target >= 0:
                needed = np.uint64(needs_trick(state, target))
    low, high = place_tigress(low, high, needed)
    if style == COUNTER:
        code = choose_counter(record, state, seat, place, after, low, high, needed, trick)
    else:
        code = choose_contract(streams, seat, low, high, trick[3], trick[4], needed, np.uint64(place == 0))
    return declared(code, trick[4])
