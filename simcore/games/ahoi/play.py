"""A turn: what may be played, drawing, and what happens when a card leaves the hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.ahoi import events
from simcore.games.ahoi.cards import (
    COLOUR_STATE,
    DRAW_FOUR_COLOUR,
    DRAW_TWO,
    DRAW_TWO_COLOUR,
    JOKER,
    NUMBER,
)
from simcore.games.ahoi.choices import Joker, PlayDrawn
from simcore.games.ahoi.hands import (
    CHANCE,
    FURTHER,
    NO_SEAT,
    ONCE,
    ONE,
    ZERO,
    add_card,
    clear_hand,
    colour_count,
    count_of,
    remove_card,
    rotate_hands,
    size_of,
    swap_hands,
)
from simcore.games.ahoi.notes import note
from simcore.games.ahoi.pile import draw_cards
from simcore.games.ahoi.strategies import (
    choose_colour,
    choose_last_further,
    choose_partner,
    goes_along,
    next_seat,
)
from simcore.jit import inlined, jit_part
from simcore.rng import happens

_MAY, _NO = int(PlayDrawn.MAY), int(PlayDrawn.NO)
_SWAP, _SWAP_MUST, _SWAP_NEXT, _ROTATE, _DUMP = (
    int(Joker.SWAP),
    int(Joker.SWAP_MUST),
    int(Joker.SWAP_NEXT),
    int(Joker.ROTATE),
    int(Joker.DUMP_COLOUR),
)

MUST = np.int64(0)
"""Stands for `may_decline` where nobody may."""


@inlined
def lay_further(record: Any, state: Any, seat: Any, kind: Any) -> None:
    """Let further cards of the number just played go along."""
    number, hands = record["number"][kind], state["hands"]
    masks = state["number_masks"]
    if (hands[seat, ONCE] & masks[number, 0]) | (hands[seat, ONCE + ONE] & masks[number, 1]) == ZERO:
        return
    clear_hand(state, FURTHER)
    for other in range(record["kinds"]):
        if record["number"][other] == number:
            for _ in range(count_of(state, seat, other)):
                if goes_along(state, seat):
                    add_card(state, FURTHER, other)
    if size_of(state, FURTHER) == 0:
        return
    for other in range(record["kinds"]):
        for _ in range(count_of(state, FURTHER, other)):
            remove_card(state, seat, other)
    last = choose_last_further(state, seat, FURTHER)
    if state["is_logged"] != 0:
        for other in range(record["kinds"]):
            for _ in range(count_of(state, FURTHER, other) - (other == last)):
                note(state, events.FURTHER, seat, other)
        note(state, events.FURTHER, seat, last)
    state["lying"] = last
    state["top"] = last


@jit_part
def call_last_card(record: Any, state: Any, seat: Any) -> None:
    """Let a seat with one card call it, or forget it, and draw if somebody notices."""
    if not happens(state["streams"], CHANCE, record["forget"][seat]):
        return
    for other in range(record["players"]):
        if other != seat and happens(state["streams"], CHANCE, record["notice"][other]):
            note(state, events.FORGETS, seat, other)
            state["penalties"] += 1
            draw_cards(record, state, seat, record["forget_penalty"], events.AS_PENALTY)
            return
    note(state, events.FORGETS, seat, NO_SEAT)


@jit_part
def swap(record: Any, state: Any, seat: Any, may_decline: Any, choose_own: Any) -> None:
    """Let a seat swap hands with a partner of its choice."""
    partner = choose_partner(record, state, seat, may_decline, choose_own)
    if partner == NO_SEAT:
        note(state, events.KEEPS_HAND, seat)
    else:
        swap_with(state, seat, partner)


@jit_part
def swap_with(state: Any, seat: Any, partner: Any) -> None:
    """Swap hands."""
    swap_hands(state, seat, partner)
    state["swaps"] += 1
    state["swapper"] = seat
    note(state, events.SWAPS, seat, partner)


@jit_part
def rotate(record: Any, state: Any, seat: Any) -> None:
    """Move all hands one seat in play direction."""
    rotate_hands(state, record["players"], state["direction"])
    state["swaps"] += 1
    state["swapper"] = seat
    note(state, events.ROTATES, seat, state["direction"])


@inlined
def dump(record: Any, state: Any, seat: Any, colour: Any) -> None:
    """Discard all of a seat's cards of a colour."""
    for kind in range(record["kinds"]):
        if record["colour"][kind] == colour:
            for _ in range(count_of(state, seat, kind)):
                remove_card(state, seat, kind)
                note(state, events.DUMPS, seat, kind)


@inlined
def settle_colourless(record: Any, state: Any, seat: Any, face: Any, choose_own: Any) -> None:
    """Let what a card without a colour does to hands happen, and the colour be chosen."""
    meaning = record["joker"] if face == JOKER else -1
    if meaning == _SWAP or meaning == _SWAP_MUST:
        swap(record, state, seat, np.int64(meaning == _SWAP), choose_own)
    elif meaning == _SWAP_NEXT:
        swap_with(state, seat, next_seat(record, seat, state["direction"]))
    elif meaning == _ROTATE:
        rotate(record, state, seat)
    colour = choose_colour(record, state, seat, choose_own)
    state["top"] = COLOUR_STATE + colour
    note(state, events.COLOUR, seat, colour)
    if meaning == _DUMP:
        dump(record, state, seat, colour)


@jit_part
def draws_of(face: Any) -> Any:
    """Return how many cards a face makes the next player draw."""
    if face == DRAW_FOUR_COLOUR:
        return np.int64(4)
    return np.int64(2) if face == DRAW_TWO or face == DRAW_TWO_COLOUR else np.int64(0)


@inlined
def finish(record: Any, state: Any, seat: Any, face: Any) -> None:
    """Let the next seat draw for a last card that is a draw card, if the rules say so."""
    number = draws_of(face)
    if record["last_card_draws"] != 0 and number > 0:
        victim = next_seat(record, seat, state["direction"])
        number += state["sum"]
        note(state, events.TAKES, victim, number, events.AT_LAST_CARD)
        draw_cards(record, state, victim, number, events.AT_LAST_CARD)


@inlined
def play_card(record: Any, state: Any, seat: Any, kind: Any, how: Any, choose_own: Any) -> Any:
    """Play a card, up to its effect on others. Returns whether the round is won."""
    face = record["face"][kind]
    current = record["colour"][state["top"]]
    note(state, events.PLAYS, seat, kind, state["top"], how)
    remove_card(state, seat, kind)
    state["lying"] = kind
    state["top"] = kind
    if face != NUMBER:
        state["played"][face] += 1
        state["is_bluff"] = face == DRAW_FOUR_COLOUR and current >= 0 and colour_count(state, seat, current) > 0
    elif record["multi_discard"] != 0:
        lay_further(record, state, seat, kind)
    size = size_of(state, seat)
    if size == 0:
        finish(record, state, seat, face)
        return True
    if size == 1:
        call_last_card(record, state, seat)
    if face >= DRAW_TWO_COLOUR:
        settle_colourless(record, state, seat, face, choose_own)
        return size_of(state, seat) == 0
    if face == NUMBER and record["seven_zero"] != 0:
        if record["number"][kind] == 7:
            swap(record, state, seat, MUST, choose_own)
        elif record["number"][kind] == 0:
            rotate(record, state, seat)
    return False
