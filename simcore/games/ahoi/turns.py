"""A turn, up to the card that is played: what may be played, and drawing."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.ahoi import events
from simcore.games.ahoi.cards import DRAW_FOUR_COLOUR, NUMBER
from simcore.games.ahoi.choices import UNTIL_PLAYABLE, PlayDrawn
from simcore.games.ahoi.hands import (
    DRAWN,
    LAST,
    NO_CARD,
    ONCE,
    ONE,
    SEAT,
    ZERO,
    add_card,
    clear_hand,
    colour_count,
    has_kind,
    look_at_hands,
    size_of,
)
from simcore.games.ahoi.notes import note
from simcore.games.ahoi.pile import draw_card
from simcore.games.ahoi.strategies import RANDOM, choose_drawn, choose_own_drawn, choose_playable
from simcore.jit import inlined, jit_part, jit_small, popcount
from simcore.rng import mix, plus_golden
from simcore.strategies import OWN

_MAY, _NO = int(PlayDrawn.MAY), int(PlayDrawn.NO)


@jit_part
def begin_turn(record: Any, state: Any) -> None:
    """Look at the lead and count the turn."""
    look_at_hands(state, record["players"])
    state["turns"] += 1


@jit_part
def restrict(record: Any, state: Any, seat: Any, low: Any, high: Any) -> Any:
    """Return what is left of a set of kinds under the rules that look at the rest of the hand."""
    if record["end_on_special"] == 0 and size_of(state, seat) == 1:
        low &= state["face_masks"][NUMBER, 0]
        high &= state["face_masks"][NUMBER, 1]
    if record["draw_four_only_if_stuck"] != 0 and record["draw_four_challenge"] == 0:
        colour = record["colour"][state["top"]]
        if colour >= 0 and colour_count(state, seat, colour) > 0:
            low &= ~state["face_masks"][DRAW_FOUR_COLOUR, 0]
            high &= ~state["face_masks"][DRAW_FOUR_COLOUR, 1]
    return low, high


@jit_small
def playable_cards(record: Any, state: Any, seat: Any) -> Any:
    """Return the kinds that a seat may play in an ordinary turn."""
    hands, fitting, top, hand = state["hands"], state["matching"], np.uint64(state["top"]), np.uint64(seat)
    low, high = hands[hand, ONCE] & fitting[top, 0], hands[hand, ONCE + ONE] & fitting[top, 1]
    if state["is_restricted"] != 0:
        return restrict(record, state, seat, low, high)
    return low, high


@inlined
def answering_cards(record: Any, state: Any, seat: Any) -> Any:
    """Return the kinds with which a seat may answer the stack."""
    hands, answers, lying = state["hands"], state["answers"], state["lying"]
    low, high = hands[seat, ONCE] & answers[lying, 0], hands[seat, ONCE + ONE] & answers[lying, 1]
    return restrict(record, state, seat, low, high)


@jit_part
def draw_in_turn(record: Any, state: Any, seat: Any, choose_own: Any) -> Any:
    """Let a seat draw in its turn. Returns the kind it plays of what it drew, or NO_CARD."""
    wanted, way = record["draw_count"], record["play_drawn"]
    clear_hand(state, DRAWN)
    low, high = ZERO, ZERO
    number = np.int64(0)
    while number < wanted or wanted == UNTIL_PLAYABLE:
        kind = draw_card(record, state, seat, events.IN_TURN)
        if kind == NO_CARD:
            break
        number += 1
        add_card(state, DRAWN, kind)
        if wanted == UNTIL_PLAYABLE:
            low, high = playable_cards(record, state, seat)
            if has_kind(low, high, kind):
                break
    if number == 0 or way == _NO:
        return NO_CARD
    low, high = playable_cards(record, state, seat)
    low, high = low & state["hands"][DRAWN, ONCE], high & state["hands"][DRAWN, ONCE + ONE]
    if low | high == ZERO:
        return NO_CARD
    state["choice_turns"] += way == _MAY or popcount(low) + popcount(high) > 1
    kind = choose_drawn(record, state, seat, low, high, choose_own)
    if kind == NO_CARD:
        note(state, events.KEEPS_DRAWN, seat)
    return kind


@jit_small
def tosses_heads(streams: Any, purpose: Any, is_tossed: Any) -> Any:
    """Return what ``happens(0.5)`` returns; nothing is drawn, and nothing follows, if no coin is tossed.

    Without a branch, since nobody can foretell it.
    """
    counter = streams[purpose]
    following = plus_golden(counter)
    streams[purpose] = following if is_tossed else counter
    return mix(following) >> LAST == ZERO


@inlined
def draw_one(record: Any, state: Any, seat: Any, choose_own: Any) -> Any:
    """Let a seat draw a card in its turn, as `draw_in_turn` does. Returns its kind if it is played, or NO_CARD."""
    kind = draw_card(record, state, seat, events.IN_TURN)
    way = record["play_drawn"]
    if kind == NO_CARD or way == _NO:
        return NO_CARD
    low, high = playable_cards(record, state, seat)
    fits = has_kind(low, high, kind)
    style = state["styles"][np.uint64(seat)]
    is_played = fits
    if way == _MAY:
        state["choice_turns"] += fits
        if style == RANDOM:
            is_played = fits & tosses_heads(state["streams"], np.uint64(SEAT + seat), fits)
        elif style == OWN and fits:
            is_played = choose_own_drawn(record, state, seat, kind, choose_own) == kind
        if state["is_logged"] != 0 and fits and not is_played:
            note(state, events.KEEPS_DRAWN, seat)
    return kind if is_played else NO_CARD


@jit_part
def draw_instead(record: Any, state: Any, seat: Any, choose_own: Any) -> Any:
    """Let a seat draw that could play. Returns the kind it plays of what it drew, or NO_CARD."""
    # A turn is counted once as a choice, even if there is another one after the drawing.
    choices = state["choice_turns"]
    kind = draw_in_turn(record, state, seat, choose_own)
    state["choice_turns"] = choices
    return kind


@inlined
def take_turn(record: Any, state: Any, seat: Any, choose_own: Any) -> Any:
    """Begin an ordinary turn. Returns the kind played, or NO_CARD, and whether a card was drawn."""
    look_at_hands(state, record["players"])
    state["turns"] += 1
    low, high = playable_cards(record, state, seat)
    is_drawn = low | high == ZERO
    if is_drawn:
        if record["draw_count"] == 1:
            kind = draw_one(record, state, seat, choose_own)
        else:
            kind = draw_in_turn(record, state, seat, choose_own)
    else:
        may_draw = 1 - record["must_play"]
        state["choice_turns"] += popcount(low) + popcount(high) + may_draw > 1
        kind = choose_playable(record, state, seat, low, high, may_draw, choose_own)
        if kind == NO_CARD:
            kind, is_drawn = draw_instead(record, state, seat, choose_own), True
    return kind, is_drawn
