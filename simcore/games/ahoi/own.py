"""How a user's own strategy is asked; what it sees is described in draws.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.ahoi.hands import ONE, SEAT, ZERO, count_of, size_of
from simcore.jit import inlined, jit_part, lowest_bit
from simcore.rng import word

ASK_CARD, ASK_DRAWN, ASK_COLOUR, ASK_PARTNER, ASK_JUMP = (np.int64(question) for question in range(5))

VIEW_SIZES, VIEW_OPTIONS, VIEW_HAND = 16, 32, 160


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
    view[0] = question
    view[1] = seat
    view[2] = players
    view[3] = state["direction"]
    view[4] = state["lying"]
    view[5] = record["colour"][state["top"]]
    view[6] = state["sum"]
    view[7] = state["pile_size"]
    view[8] = record["colours"]
    view[9] = record["faces"]
    view[10] = record["lowest_number"]
    view[11] = state["turns"]
    view[12] = size_of(state, seat)
    following = seat + state["direction"]
    view[13] = following - players if following >= players else (following + players if following < 0 else following)
    for other in range(players):
        view[VIEW_SIZES + other] = size_of(state, other)
    for i in range(options, VIEW_HAND - VIEW_OPTIONS):
        view[VIEW_OPTIONS + i] = 0
    for kind in range(record["kinds"]):
        view[VIEW_HAND + kind] = count_of(state, seat, kind)
    chosen = choose_own(view, options, word(state["streams"], SEAT + seat))
    if chosen < 0 or chosen >= options:
        state["is_illegal"] = 1
        chosen = 0
    return view[VIEW_OPTIONS + chosen]
