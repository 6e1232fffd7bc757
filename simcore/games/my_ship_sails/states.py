"""What changes during a match of My Ship Sails, in one record, and who sits where."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.my_ship_sails.rules import MAX_PLAYERS, Direction, Discard
from simcore.games.my_ship_sails.strategies import ADAPTIVE, HESITANT, STUBBORN, VIEW_SIZE
from simcore.jit import inlined, jit_small
from simcore.rng import SEAT
from simcore.strategies import OWN

NO_SEAT = -1
_RIGHT, _ALTERNATE_ROUNDS, ALTERNATE_PASSES = (
    int(Direction.RIGHT),
    int(Direction.ALTERNATE_ROUNDS),
    int(Direction.ALTERNATE_PASSES),
)
_NEWEST = int(Discard.NEWEST)
_SHORTEST = int(Discard.SHORTEST)
_NEVER = np.int64(1) << np.int64(40)

STATE = np.dtype(
    [
        ("streams", np.uint64, (SEAT + MAX_PLAYERS,)),
        ("deck", np.int64, (52,)),  # bits of the cards in play, ascending
        ("cards", np.int64),  # how many these are
        ("short", np.int64),  # the suits of which one card is missing there, or -1: not laid out yet
        ("order", np.int64, (4,)),  # of suits, while short ones are drawn
        ("shuffled", np.int64, (52,)),
        ("hands", np.uint64, (MAX_PLAYERS,)),
        ("counts", np.int64, (MAX_PLAYERS,)),  # of each hand's suits
        ("dealt_counts", np.int64, (MAX_PLAYERS,)),
        ("targets", np.int64, (MAX_PLAYERS,)),
        ("minds", np.int64, (MAX_PLAYERS, 3)),  # of patient players
        ("given", np.uint64, (MAX_PLAYERS,)),  # cards that a watcher passed in this round
        ("marks", np.int64, (MAX_PLAYERS,)),  # suits of which a watcher got one back
        ("parcels", np.uint64, (MAX_PLAYERS,)),  # cards on their way
        ("parcel_counts", np.int64, (MAX_PLAYERS,)),
        ("arrivals", np.int64, (64,)),  # of a card, by bit: the pass at which it reached its holder
        ("tracks_arrivals", np.int64),  # whether anybody asks for them
        ("marked_pass", np.int64),  # with which `cycle_length` compares, or -1
        ("marked_for", np.int64),  # passes until another is marked
        ("marked_counters", np.uint64, (MAX_PLAYERS,)),  # of the seats' streams at the marked pass
        ("marked_targets", np.int64, (MAX_PLAYERS,)),
        ("repeats_from", np.int64),  # pass from which all choices follow from targets and suit counts alone
        ("all_plain", np.int64),  # whether `choose_plain_parcel` serves for all seats
        ("is_adaptive", np.int64, (MAX_PLAYERS,)),
        ("callers", np.int64, (MAX_PLAYERS,)),
        ("view", np.int64, (VIEW_SIZE,)),
        ("wins", np.int64, (MAX_PLAYERS,)),
    ]
)
"""Everything that changes during a match; made once for many."""


@inlined
def prepare(record: Any, strategies: Any, state: Any, is_logged: Any) -> None:
    """Note what the strategies at the table need."""
    repeats_from = np.int64(0)
    for seat in range(record["players"]):
        strategy = strategies[seat]
        style, discard = strategy["style"], strategy["discard"]
        if style == OWN or discard == _NEWEST:
            state["tracks_arrivals"] = 1
        if style == HESITANT:
            repeats_from = max(repeats_from, strategy["hesitation"])
        elif style not in (STUBBORN, ADAPTIVE):
            repeats_from = _NEVER
        if discard != _SHORTEST:
            repeats_from = _NEVER
    state["repeats_from"] = repeats_from
    state["short"] = -1
    all_plain = not is_logged
    for seat in range(record["players"]):
        style = strategies[seat]["style"]
        state["is_adaptive"][seat] = style == ADAPTIVE
        all_plain &= (style == ADAPTIVE or style == STUBBORN) and strategies[seat]["discard"] == _SHORTEST
    state["all_plain"] = all_plain


@jit_small
def direction_of(record: Any, round_number: Any, pass_number: Any) -> Any:
    """Return 1 if cards go left at this pass, -1 if they go right."""
    direction = record["direction"]
    if direction == _ALTERNATE_ROUNDS:
        return 1 if round_number % 2 == 1 else -1
    if direction == ALTERNATE_PASSES:
        return 1 if pass_number % 2 == 1 else -1
    return -1 if direction == _RIGHT else 1


@jit_small
def neighbour(record: Any, seat: Any, step: Any) -> Any:
    """Return the seat to which this one gives."""
    players = record["players"]
    other = seat + step
    return other - players if other >= players else (other + players if other < 0 else other)
