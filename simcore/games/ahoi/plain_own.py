"""How a user's own strategy is asked in a plain match; what it sees is described in view.py.

It sees, and is asked, the same as in `own.ask`; a test compares them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.ahoi import view as places
from simcore.games.ahoi.cards import PLAIN_KINDS, PLAIN_PLAYERS
from simcore.games.ahoi.hands import ONE, SEAT, ZERO
from simcore.games.ahoi.own import ASK_DRAWN, VIEW_HAND, VIEW_OPTIONS, VIEW_SIZES
from simcore.games.ahoi.plain_cards import LEFT, NONE, copies_of, next_seat, size_in
from simcore.jit import jit_part, lowest_bit, nth_bit, popcount
from simcore.rng import word


@jit_part
def fold_view(record: Any, state: Any) -> None:
    """Write into the view what never changes."""
    view = state["view"]
    view[places.PLAYERS] = record["players"]
    view[places.COLOURS] = record["colours"]
    view[places.FACES] = record["faces"]
    view[places.LOWEST_NUMBER] = record["lowest_number"]


@jit_part
def show_further(state: Any, twice: Any) -> None:
    """Correct the view for a hand with more than two of a kind."""
    view, coloured = state["view"], state["coloured"]
    for n in range(4):
        kind = coloured + np.uint64(n)
        others = popcount(twice & copies_of(state, kind))
        if others > 1:
            view[VIEW_HAND + np.int64(kind)] += others - 1


@jit_part
def ask(
    record: Any, state: Any, seat: Any, question: Any, offered: Any, may_decline: Any,
    sizes: Any, direction: Any, turns: Any, lying: Any, choose_own: Any,
) -> Any:  # fmt: skip
    """Return what a user's own strategy chooses of a set of kinds, colours or seats, or NONE if it declines.

    `may_decline` is 1 or 0. One option is not asked for; if it chooses what there is not, that is noted, and the
    first one counts. A card just drawn, which the hand does not have yet, is shown in it.
    """
    number = np.uint64(popcount(offered))
    options = np.int64(number + may_decline)
    if options == 1:
        return np.uint64(lowest_bit(offered))
    view, colour = state["view"], record["colour"][lying]
    # Loops of fixed length become a few instructions on many places at once.
    for i in range(PLAIN_KINDS):
        view[VIEW_OPTIONS + i] = 0
    once, twice = state["once"][seat], state["twice"][seat]
    second = twice & ~state["further"]
    for kind in range(PLAIN_KINDS):
        bit = np.uint64(kind)
        view[VIEW_HAND + kind] = np.int64(((once >> bit) & ONE) + ((second >> bit) & ONE))
    if twice != second:
        show_further(state, twice)
    for other in range(PLAIN_PLAYERS):
        view[VIEW_SIZES + other] = np.int64(size_in(sizes, np.uint64(other)))
    view[places.QUESTION] = question
    view[places.SEAT] = np.int64(seat)
    view[places.DIRECTION] = 1 if direction == LEFT else -1
    view[places.TOP] = np.int64(lying)
    view[places.COLOUR] = colour if colour >= 0 else state["chosen"]
    view[places.PILE] = np.int64(state["pile_size"])
    view[places.TURNS] = turns
    view[places.OWN_SIZE] = np.int64(size_in(sizes, seat))
    view[places.NEXT_SEAT] = np.int64(next_seat(state, seat, NONE, direction))
    # Four without a jump, since how many there are cannot be foretold; more are rare.
    rest = offered
    for n in range(4):
        view[VIEW_OPTIONS + n] = lowest_bit(rest) if rest != ZERO else np.int64(0)
        rest &= rest - np.uint64(rest != ZERO)
    place = np.uint64(VIEW_OPTIONS + 4)
    while rest != ZERO:
        view[place] = lowest_bit(rest)
        rest &= rest - ONE
        place += ONE
    if may_decline != ZERO:
        view[np.uint64(VIEW_OPTIONS) + number] = -1
    if question == ASK_DRAWN:
        view[VIEW_HAND + lowest_bit(offered)] += 1
    chosen = choose_own(view, options, word(state["streams"], np.uint64(SEAT) + seat))
    if chosen < 0 or chosen >= options:
        state["is_illegal"] = 1
        chosen = np.int64(0)
    return np.uint64(nth_bit(offered, chosen)) if np.uint64(chosen) < number else NONE
