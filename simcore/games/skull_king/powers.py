"""The powers of the five named pirates."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king import events
from simcore.games.skull_king.bids import RANDOM, ZERO_BID, rounded_estimate
from simcore.games.skull_king.codes import (
    BIT_HIGH,
    BIT_LOW,
    CARD_OF,
    HARRY_CODE,
    JUANITA_CODE,
    RASCAL_CODE,
    ROSIE_CODE,
    TIGRESS_BIT,
    TIGRESS_HIGH,
    TIGRESS_LOW,
    TIGRESS_PIRATE,
    WILL_CODE,
    ZERO,
)
from simcore.games.skull_king.plays import needs_trick, nth_card, strongest, weakest
from simcore.jit import jit_part, popcount
from simcore.log import event
from simcore.rng import CHANCE, SEAT, below


@jit_part
def printed(code: Any) -> Any:
    """Return the number of a card in a hand, by its code."""
    return 65 if code == TIGRESS_LOW or code == TIGRESS_HIGH else CARD_OF[code]


@jit_part
def draw_and_discard(state: Any, seat: Any, log: Any) -> None:
    """Will: draw two undealt cards, or what is left, and put as many out of the game."""
    drawn = np.int64(0)
    for _ in range(2):
        left = popcount(state["undealt_low"]) + popcount(state["undealt_high"])
        if left == 0:
            break
        code = nth_card(state["undealt_low"], state["undealt_high"], below(state["streams"], CHANCE, left))
        low, high = BIT_LOW[code], BIT_HIGH[code]
        state["undealt_low"] ^= low
        state["undealt_high"] ^= high
        state["lows"][seat] |= low
        state["highs"][seat] |= high
        state["shown_lows"][seat] |= low
        state["shown_highs"][seat] |= high
        drawn += 1
        event(log, events.DRAWN, seat, printed(code))
    is_needed = needs_trick(state, seat)
    for _ in range(drawn):
        low, high = state["lows"][seat], state["highs"][seat]
        if is_needed:
            if low & TIGRESS_BIT != ZERO:
                low, high = low ^ TIGRESS_BIT, high | TIGRESS_PIRATE
            code = weakest(state["streams"], np.uint64(seat), low, high)
            if code == TIGRESS_HIGH:
                code = np.int64(TIGRESS_LOW)
        else:
            code = strongest(state["streams"], np.uint64(seat), low, high)
        state["lows"][seat] &= ~BIT_LOW[code]
        state["highs"][seat] &= ~BIT_HIGH[code]
        # A discard may have been dealt rather than drawn; its owner knows where it is.
        state["shown_lows"][seat] |= BIT_LOW[code]
        state["shown_highs"][seat] |= BIT_HIGH[code]
        event(log, events.DISCARDED, seat, printed(code))


@jit_part
def stake_of(record: Any, state: Any, style: Any, seat: Any, round_index: Any) -> Any:
    """Rascal: return what a player stakes on its bid, in halves of points."""
    if style == RANDOM or style == ZERO_BID:
        return record["wager"] * below(state["streams"], SEAT + seat, 3)
    missing = state["bids"][seat] - state["tricks"][seat]
    if missing == rounded_estimate(record, style, round_index, state["lows"][seat], state["highs"][seat]):
        return 2 * record["wager"]
    return np.int64(0)


@jit_part
def use_power(
    record: Any, state: Any, code: Any, seat: Any, style: Any, round_index: Any, is_last: Any, next_seat: Any, log: Any
) -> Any:
    """Use the power of the pirate that won a trick, and return who leads the next."""
    if code == HARRY_CODE:
        state["harry"] = seat
    elif is_last:
        return next_seat
    elif code == ROSIE_CODE:
        if not needs_trick(state, seat):
            next_seat = (seat + 1) % record["players"]
        event(log, events.ROSIE, seat, next_seat)
    elif code == WILL_CODE:
        draw_and_discard(state, seat, log)
    elif code == RASCAL_CODE:
        state["stakes"][seat] = stake_of(record, state, style, seat, round_index)
        event(log, events.STAKE, seat, state["stakes"][seat])
    elif code == JUANITA_CODE:
        state["shown_lows"][seat] |= state["undealt_low"]
        state["shown_highs"][seat] |= state["undealt_high"]
        event(log, events.JUANITA, seat, popcount(state["undealt_low"]) + popcount(state["undealt_high"]))
    return next_seat


@jit_part
def use_harry(state: Any, log: Any) -> None:
    """Let Harry move the final bid of who won a trick with him by one, if that makes it exact."""
    seat = state["harry"]
    if seat >= 0:
        if abs(state["tricks"][seat] - state["bids"][seat]) == 1:
            state["finals"][seat] = state["tricks"][seat]
        event(log, events.HARRY, seat, state["finals"][seat])
