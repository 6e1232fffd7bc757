"""What befalls the other seats: the start card, draw cards and stacks, lost turns, jumping in."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.ahoi import events
from simcore.games.ahoi.cards import (
    ANYTHING,
    COLOUR_STATE,
    DRAW_FOUR_COLOUR,
    DRAW_TWO,
    JOKER,
    NUMBER,
    REVERSE,
    SKIP,
)
from simcore.games.ahoi.choices import Joker, JumpIn, SkipFollows, Stacking, StartCard, TwoPlayerReverse
from simcore.games.ahoi.hands import NO_CARD, NO_SEAT, SEAT, ZERO, has_kind
from simcore.games.ahoi.notes import note
from simcore.games.ahoi.pile import draw_cards, take_start_card
from simcore.games.ahoi.play import draws_of
from simcore.games.ahoi.strategies import LEFT, choose_colour, choose_playable, does_jump_in, next_seat
from simcore.games.ahoi.turns import answering_cards, begin_turn, playable_cards
from simcore.jit import inlined, jit_part, popcount
from simcore.rng import happens

_NO_STACKING = int(Stacking.NONE)
_CLOCKWISE = int(SkipFollows.CLOCKWISE)
_SKIP = int(TwoPlayerReverse.SKIP)
_SKIP_ALL = int(Joker.SKIP_ALL)
_OFF, _IDENTICAL_NUMBER = int(JumpIn.OFF), int(JumpIn.IDENTICAL_NUMBER)
_APPLY = int(StartCard.APPLY)

LOST, KEPT = np.int64(-2), np.int64(-3)
"""What became of the turn of a seat that took a stack, in place of the kind that it plays."""


@jit_part
def suffer(record: Any, state: Any, victim: Any, number: Any, face: Any, player: Any) -> Any:
    """Let the victim of a draw card, or of a stack, challenge or draw. Returns whether it loses its turn."""
    may_challenge = record["draw_four_challenge"] != 0 and face == DRAW_FOUR_COLOUR and player != NO_SEAT
    if may_challenge and happens(state["streams"], SEAT + victim, 0.5):
        note(state, events.CHALLENGES, victim, player, state["is_bluff"])
        if state["is_bluff"] != 0:
            note(state, events.TAKES, player, number, events.FOR_DRAW_CARD)
            draw_cards(record, state, player, number, events.FOR_DRAW_CARD)
            return False
        number += 2
    note(state, events.TAKES, victim, number, events.FOR_DRAW_CARD)
    draw_cards(record, state, victim, number, events.FOR_DRAW_CARD)
    return face == DRAW_TWO or record["draw_colour_loses_turn"] != 0


@jit_part
def pay_turn(state: Any, seat: Any) -> None:
    """Let a seat lose a turn that it owes."""
    state["owes"][seat] -= 1
    state["waiting"] -= 1
    note(state, events.PAYS, seat, state["owes"][seat])


@jit_part
def build_stack(state: Any, seat: Any, victim: Any, number: Any) -> None:
    """Put a draw card's number onto the stack that lies before a seat."""
    state["waiting"] += state["sum"] == 0
    state["sum"] += number
    state["stack_player"] = seat
    note(state, events.STACK, victim, state["sum"])


@inlined
def face_stack(record: Any, state: Any, seat: Any, choose_own: Any) -> Any:
    """Let a seat answer the stack before it, or take it. Returns the kind it plays, LOST or KEPT."""
    low, high = answering_cards(record, state, seat)
    owes = state["owes"][seat] > 0
    if low | high != ZERO and not owes:
        may_draw = np.int64(1 - record["must_play"])
        kind = choose_playable(record, state, seat, low, high, may_draw, choose_own)
        if kind != NO_CARD:
            begin_turn(record, state)
            state["choice_turns"] += popcount(low) + popcount(high) + may_draw > 1
            return kind
    number = state["sum"]
    state["sum"] = 0
    state["waiting"] -= 1
    is_lost = suffer(record, state, seat, number, record["face"][state["lying"]], state["stack_player"])
    if owes:
        pay_turn(state, seat)
        return LOST
    if is_lost:
        note(state, events.LOSES_TURN, seat)
    return LOST if is_lost else KEPT


@jit_part
def fold_effects(record: Any, state: Any) -> None:
    """Make tables of what each face does to the others."""
    reverse_skips = record["players"] == 2 and record["two_player_reverse"] == _SKIP
    is_house = record["jump_in"] != _OFF or record["multi_discard"] != 0 or record["seven_zero"] != 0
    for face in range(8):
        state["turning"][face] = -1 if face == REVERSE else 1
        state["skipping"][face] = face == SKIP or (face == REVERSE and reverse_skips)
        state["drawing"][face] = draws_of(face)
        is_simple = face == NUMBER or (face in (REVERSE, SKIP) and record["skip_follows"] != _CLOCKWISE)
        if is_simple and not is_house:
            state["simple"][0] |= state["face_masks"][face, 0]
            state["simple"][1] |= state["face_masks"][face, 1]


@inlined
def owe_turn(record: Any, state: Any, seat: Any) -> None:
    """Let the left neighbour of a seat owe one more turn."""
    left = next_seat(record, seat, LEFT)
    state["owes"][left] += 1
    state["waiting"] += 1
    note(state, events.OWES, left, state["owes"][left])


@inlined
def take_effect(record: Any, state: Any, seat: Any) -> Any:
    """Let the special card that a seat played take effect on the others. Returns whose turn is next."""
    face = np.uint64(record["face"][np.uint64(state["lying"])])
    direction = state["direction"] * state["turning"][face]
    state["direction"] = direction
    following = next_seat(record, seat, direction)
    number, is_lost = state["drawing"][face], state["skipping"][face] != 0
    if state["is_logged"] != 0:
        note_effect(record, state, seat, face, following)
    if number > 0:
        if record["stacking"] == _NO_STACKING:
            is_lost = suffer(record, state, following, number, np.int64(face), seat)
            if is_lost:
                note(state, events.LOSES_TURN, following)
        else:
            build_stack(state, seat, following, number)
    elif is_lost and record["skip_follows"] == _CLOCKWISE:
        owe_turn(record, state, seat)
        is_lost = False
    elif face == JOKER and record["joker"] == _SKIP_ALL:
        return seat
    return next_seat(record, following, direction) if is_lost else following


@jit_part
def note_effect(record: Any, state: Any, seat: Any, face: Any, following: Any) -> None:
    """Note what a Reverse, a Skip or a Joker that plays again does."""
    if face == REVERSE:
        note(state, events.REVERSES, state["direction"])
    if state["skipping"][face] != 0 and record["skip_follows"] != _CLOCKWISE:
        note(state, events.SKIPPED, following)
    if face == JOKER and record["joker"] == _SKIP_ALL:
        note(state, events.AGAIN, seat)


@jit_part
def jump_in(record: Any, state: Any, player: Any, choose_own: Any) -> Any:
    """Ask all but the one that played the top card. Returns who jumps in and has begun its turn, or NO_SEAT."""
    kind = state["lying"]
    if record["jump_in"] == _OFF or (record["jump_in"] == _IDENTICAL_NUMBER and record["face"][kind] != NUMBER):
        return NO_SEAT
    seat = next_seat(record, player, state["direction"])
    while seat != player:
        low, high = playable_cards(record, state, seat)
        if has_kind(low, high, kind) and does_jump_in(record, state, seat, kind, choose_own):
            begin_turn(record, state)
            state["choice_turns"] += 1
            return seat
        seat = next_seat(record, seat, state["direction"])
    return NO_SEAT


@jit_part
def turn_up(record: Any, state: Any, first: Any, choose_own: Any) -> Any:
    """Turn up the start card and let it take effect. Returns the seat whose turn is first."""
    kind = take_start_card(record, state)
    face, colour = record["face"][kind], record["colour"][kind]
    is_dead = face != NUMBER and record["start_card"] != _APPLY
    note(state, events.START, kind, np.int64(is_dead))
    state["lying"] = kind
    state["top"] = kind
    if is_dead:
        state["top"] = COLOUR_STATE + colour if colour >= 0 else ANYTHING
        return first
    if face == NUMBER:
        return first
    if colour < 0:
        # No colour is in force while the first player chooses one.
        state["top"] = ANYTHING
        chosen = choose_colour(record, state, first, choose_own)
        state["top"] = COLOUR_STATE + chosen
        note(state, events.COLOUR, first, chosen)
    second = next_seat(record, first, LEFT)
    if face == SKIP:
        note(state, events.SKIPPED, first)
        return second
    if face == REVERSE:
        state["direction"] = -1
        note(state, events.REVERSES, state["direction"])
        if record["players"] == 2 and record["two_player_reverse"] == _SKIP:
            note(state, events.SKIPPED, first)
            return second
        return first
    number = draws_of(face)
    if number > 0:
        if record["stacking"] != _NO_STACKING:
            build_stack(state, NO_SEAT, first, number)
        elif suffer(record, state, first, number, face, NO_SEAT):
            note(state, events.LOSES_TURN, first)
            return second
    return first
