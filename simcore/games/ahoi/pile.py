"""The pile: dealing, drawing, turning up the start card, making a new pile of the discards."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.ahoi import events
from simcore.games.ahoi.cards import NUMBER
from simcore.games.ahoi.choices import StartCard
from simcore.games.ahoi.hands import (
    DEAL,
    FIRST,
    HELD,
    LAST,
    NO_CARD,
    ONCE,
    ONE,
    SIX,
    THRICE,
    TWICE,
    ZERO,
    add_card,
    clear_hand,
    count_of,
)
from simcore.games.ahoi.notes import note
from simcore.jit import inlined, jit_part, jit_small
from simcore.rng import below, below_from, below_without_branch, start

_NUMBER_ONLY = int(StartCard.NUMBER_ONLY)


@jit_small
def look_ahead(state: Any) -> None:
    """Draw which card of the pile is taken next, before anybody needs it.

    A processor that has guessed wrong whether a drawn card can be played then finds out sooner.
    """
    place = np.uint64(below_without_branch(state["streams"], DEAL, state["pile_size"]))
    state["next_place"] = place
    state["next_kind"] = state["pile"][place]


@jit_small
def take_card(state: Any) -> Any:
    """Take a card from the pile, which must not be empty."""
    pile, kind = state["pile"], state["next_kind"]
    size = state["pile_size"] - 1
    pile[state["next_place"]] = pile[np.uint64(size)]
    state["pile_size"] = size
    look_ahead(state)
    return kind


@jit_part
def deal(record: Any, state: Any) -> None:
    """Make the pile of the whole deck, and deal."""
    streams, pile, deck = state["streams"], state["pile"], state["deck"]
    start(streams, DEAL, state["key"], FIRST)
    size = record["deck_size"]
    for i in range(size):
        pile[i] = deck[i]
    counter = streams[DEAL]
    for seat in range(record["players"]):
        clear_hand(state, seat)
        hand = state["hands"][seat]
        once_low, once_high, twice_low, twice_high, held = ZERO, ZERO, ZERO, ZERO, ZERO
        for n in range(record["hand_size"]):
            chosen, counter = below_from(counter, size)
            place = np.uint64(chosen)
            size -= 1
            kind = np.int64(pile[place])
            pile[place] = pile[np.uint64(size)]
            held += state["units"][np.uint64(kind)]
            bit = ONE << (np.uint64(kind) & LAST)
            low, high = bit if kind < 64 else ZERO, ZERO if kind < 64 else bit
            if (twice_low & low) | (twice_high & high) != ZERO:
                hand[THRICE + (np.uint64(kind) >> SIX)] |= bit
                state["thirds"][seat, kind] += 1
            twice_low |= once_low & low
            twice_high |= once_high & high
            once_low |= low
            once_high |= high
            if state["ordered"] != ZERO:
                state["order"][seat, n] = kind
        hand[ONCE], hand[ONCE + ONE] = once_low, once_high
        hand[TWICE], hand[TWICE + ONE] = twice_low, twice_high
        hand[HELD] = held
    streams[DEAL] = counter
    state["pile_size"] = size


@inlined
def take_start_card(record: Any, state: Any) -> Any:
    """Take the start card: under `number_only` the first number that comes, if there is one."""
    pile, size, face = state["pile"], state["pile_size"], record["face"]
    place = below(state["streams"], DEAL, size)
    if record["start_card"] == _NUMBER_ONLY and face[pile[place]] != NUMBER:
        has_number = False
        for i in range(size):
            has_number |= face[pile[i]] == NUMBER
        while has_number and face[pile[place]] != NUMBER:
            place = below(state["streams"], DEAL, size)
    kind = np.int64(pile[place])
    pile[place] = pile[size - 1]
    state["pile_size"] = size - 1
    look_ahead(state)
    return kind


@inlined
def reshuffle(record: Any, state: Any, seat: Any, why: Any) -> None:
    """Make a new pile of all discards but the top card: what neither lies on top nor is in a hand."""
    size = 0
    for kind in range(record["kinds"]):
        left = record["copies"][kind] - (kind == state["lying"])
        for holder in range(record["players"]):
            left -= count_of(state, holder, kind)
        for _ in range(left):
            state["pile"][size] = kind
            size += 1
    if size > 0:
        state["pile_size"] = size
        state["reshuffles"] += 1
        start(state["streams"], DEAL, state["key"], state["reshuffles"])
        look_ahead(state)
        note(state, events.RESHUFFLE, state["reshuffles"], size, seat, why)


@inlined
def refill(record: Any, state: Any, seat: Any, why: Any) -> Any:
    """Make a new pile in place of the empty one, if the rules allow it. Returns whether there is a card."""
    if record["reshuffle"] != 0:
        reshuffle(record, state, seat, why)
    if state["pile_size"] == 0:
        note(state, events.NOTHING_LEFT, seat, why)
        return False
    return True


@jit_small
def draw_card(record: Any, state: Any, seat: Any, why: Any) -> Any:
    """Let a seat draw a card. Returns its kind, or NO_CARD if there is none."""
    if state["pile_size"] == 0 and not refill(record, state, seat, why):
        return NO_CARD
    kind = take_card(state)
    add_card(state, seat, kind)
    state["drawn"] += 1
    if state["is_logged"] != 0:
        note(state, events.DRAWS, seat, kind, why)
    return kind


@jit_part
def draw_cards(record: Any, state: Any, seat: Any, number: Any, why: Any) -> None:
    """Let a seat draw a number of cards, as far as there are any."""
    for _ in range(number):
        if draw_card(record, state, seat, why) == NO_CARD:
            return
