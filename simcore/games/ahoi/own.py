"""How a user's own strategy is asked; what it sees is described in view.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.ahoi import view as places
from simcore.games.ahoi.hands import ONCE, ONE, SEAT, THRICE, TWICE, ZERO, count_of, size_of
from simcore.jit import inlined, jit_part, lowest_bit
from simcore.rng import word

ASK_CARD, ASK_DRAWN, ASK_COLOUR = np.int64(places.ASK_CARD), np.int64(places.ASK_DRAWN), np.int64(places.ASK_COLOUR)
ASK_PARTNER, ASK_JUMP = np.int64(places.ASK_PARTNER), np.int64(places.ASK_JUMP)

VIEW_SIZES, VIEW_OPTIONS, VIEW_HAND = places.SIZES, places.OPTIONS, places.HAND


@jit_part
def offer(state: Any, options: Any, meaning: Any) -> Any:
    """Add an option; return how many there are."""
    state["view"][VIEW_OPTIONS + options] = meaning
    return options + 1


@inlined
def offer_kinds(state: Any, low: Any, high: Any) -> Any:
    """Offer the kinds of a set; return how many there are."""
    options = np.int64(0)
    while low != ZERO:
        options = offer(state, options, lowest_bit(low))
        low &= low - ONE
    while high != ZERO:
        options = offer(state, options, 64 + lowest_bit(high))
        high &= high - ONE
    return options


@jit_part
def ask(record: Any, state: Any, seat: Any, question: Any, options: Any, choose_own: Any) -> Any:
    """Return what the option stands for that a user's own strategy chooses; one option is not asked for.

    If it chooses what there is not, that is noted, and the first option counts.
    """
    view, players = state["view"], record["players"]
    if options == 1:
        return view[VIEW_OPTIONS]
    view[places.QUESTION] = question
    view[places.SEAT] = seat
    view[places.PLAYERS] = players
    view[places.DIRECTION] = state["direction"]
    view[places.TOP] = state["lying"]
    view[places.COLOUR] = record["colour"][state["top"]]
    view[places.SUM] = state["sum"]
    view[places.PILE] = state["pile_size"]
    view[places.COLOURS] = record["colours"]
    view[places.FACES] = record["faces"]
    view[places.LOWEST_NUMBER] = record["lowest_number"]
    view[places.TURNS] = state["turns"]
    view[places.OWN_SIZE] = size_of(state, seat)
    following = seat + state["direction"]
    if following >= players:
        following -= players
    elif following < 0:
        following += players
    view[places.NEXT_SEAT] = following
    for other in range(players):
        view[VIEW_SIZES + other] = size_of(state, other)
    for i in range(options, VIEW_HAND - VIEW_OPTIONS):
        view[VIEW_OPTIONS + i] = 0
    for i in range(VIEW_HAND, view.shape[0]):
        view[i] = 0
    hands = state["hands"]
    for half in range(2):
        column = np.uint64(half)
        rest = hands[seat, ONCE + column] | hands[seat, TWICE + column] | hands[seat, THRICE + column]
        while rest != ZERO:
            kind = np.int64(64 * half) + lowest_bit(rest)
            view[VIEW_HAND + kind] = count_of(state, seat, kind)
            rest &= rest - ONE
    chosen = choose_own(view, options, word(state["streams"], SEAT + seat))
    if chosen < 0 or chosen >= options:
        state["is_illegal"] = 1
        chosen = 0
    return view[VIEW_OPTIONS + chosen]
