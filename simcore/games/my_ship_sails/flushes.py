"""Who holds a flush, who calls, and who wins."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.my_ship_sails import events
from simcore.games.my_ship_sails.hands import ZERO, cards_of_suit, count_of, highest
from simcore.games.my_ship_sails.rules import Simultaneous
from simcore.games.my_ship_sails.states import NO_SEAT
from simcore.jit import jit_part
from simcore.log import event
from simcore.rng import CHANCE, below, happens, uniform

_HIGH_CARD = int(Simultaneous.HIGH_CARD)


@jit_part
def flush_suit(record: Any, counts: Any) -> Any:
    """Return the suit of which a hand holds a flush. It cannot hold two (see draws.md)."""
    for suit in range(3):
        if count_of(counts, suit) >= record["hand_size"]:
            return suit
    return 3


@jit_part
def draw_first_caller(record: Any, state: Any, callers: Any) -> Any:
    """Draw who of several callers is first, in proportion to their speeds."""
    total = 0.0
    for n in range(callers):
        total += record["call_speed"][state["callers"][n]]
    point = uniform(state["streams"], CHANCE) * total
    passed = 0.0
    for n in range(callers - 1):
        passed += record["call_speed"][state["callers"][n]]
        if passed > point:
            return state["callers"][n]
    return state["callers"][callers - 1]


@jit_part
def find_highest_flush(record: Any, state: Any, callers: Any, log: Any) -> Any:
    """Return whose flush is the highest, drawn among equal ones.

    Flushes have equally many cards, so comparing the highest ranks, then the next and so on is comparing
    the lanes as numbers.
    """
    best = ZERO
    for n in range(callers):
        seat = state["callers"][n]
        best = max(best, cards_of_suit(state["hands"][seat], flush_suit(record, state["counts"][seat])))
    equal = 0
    for n in range(callers):
        seat = state["callers"][n]
        if cards_of_suit(state["hands"][seat], flush_suit(record, state["counts"][seat])) == best:
            state["callers"][equal] = seat
            equal += 1
    winner = state["callers"][below(state["streams"], CHANCE, equal)]
    event(log, events.HIGH_CARD, winner, equal)
    return winner


@jit_part
def settle(record: Any, state: Any, first: Any, last: Any, pass_number: Any, log: Any) -> Any:
    """Let the holders of a flush among seats first..last-1 notice and call.

    Returns the winner (NO_SEAT if nobody called), the numbers of callers and of holders.
    """
    callers, holders = np.int64(0), np.int64(0)
    for seat in range(first, last):
        if highest(state["counts"][seat]) < record["hand_size"]:
            continue
        holders += 1
        suit = flush_suit(record, state["counts"][seat])
        if happens(state["streams"], CHANCE, record["overlook"]):
            event(log, events.OVERLOOKS, seat, pass_number, suit)
            continue
        event(log, events.CALLS, seat, pass_number, suit)
        state["callers"][callers] = seat
        callers += 1
    if callers == 0:
        return np.int64(NO_SEAT), callers, holders
    if callers == 1:
        return state["callers"][0], callers, holders
    if record["simultaneous"] != _HIGH_CARD:
        winner = draw_first_caller(record, state, callers)
        if not happens(state["streams"], CHANCE, record["dead_heat"]):
            event(log, events.FIRST_CALL, winner)
            return winner, callers, holders
        event(log, events.DEAD_HEAT)
    return find_highest_flush(record, state, callers, log), callers, holders
