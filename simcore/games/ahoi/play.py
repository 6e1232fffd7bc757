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
from simcore.games.ahoi.choices import UNTIL_PLAYABLE, Joker, PlayDrawn
from simcore.games.ahoi.hands import (
    DRAWN,
    FURTHER,
    NO_CARD,
    NO_SEAT,
    ONCE,
    ONE,
    ZERO,
    add_card,
    clear_hand,
    colour_count,
    count_of,
    look_at_hands,
    remove_card,
    rotate_hands,
    size_of,
    swap_hands,
)
from simcore.games.ahoi.pile import draw_card, draw_cards
from simcore.games.ahoi.strategies import (
    choose_colour,
    choose_drawn,
    choose_last_further,
    choose_partner,
    choose_playable,
    goes_along,
    next_seat,
)
from simcore.jit import jit, popcount
from simcore.log import event
from simcore.rng import CHANCE, happens

_MAY, _NO = int(PlayDrawn.MAY), int(PlayDrawn.NO)
_SWAP, _SWAP_MUST, _SWAP_NEXT, _ROTATE, _DUMP = (
    int(Joker.SWAP),
    int(Joker.SWAP_MUST),
    int(Joker.SWAP_NEXT),
    int(Joker.ROTATE),
    int(Joker.DUMP_COLOUR),
)


@jit
def begin_turn(record: Any, state: Any, seat: Any) -> None:
    """Look at the lead and count the turn."""
    look_at_hands(state, record["players"])
    state["turns"] += 1


@jit
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


@jit
def playable_cards(record: Any, state: Any, seat: Any) -> Any:
    """Return the kinds that a seat may play in an ordinary turn."""
    hands, fitting, top = state["hands"], state["matching"], state["top"]
    low, high = hands[seat, ONCE] & fitting[top, 0], hands[seat, ONCE + 1] & fitting[top, 1]
    if state["is_restricted"] != 0:
        return restrict(record, state, seat, low, high)
    return low, high


@jit
def answering_cards(record: Any, state: Any, seat: Any) -> Any:
    """Return the kinds with which a seat may answer the stack."""
    hands, answers, lying = state["hands"], state["answers"], state["lying"]
    low, high = hands[seat, ONCE] & answers[lying, 0], hands[seat, ONCE + 1] & answers[lying, 1]
    return restrict(record, state, seat, low, high)


@jit
def has_kind(low: Any, high: Any, kind: Any) -> Any:
    """Whether a kind is in a set."""
    return ((low if kind < 64 else high) >> np.uint64(kind & 63)) & ONE != ZERO


@jit
def draw_in_turn(record: Any, strategies: Any, state: Any, seat: Any, log: Any, choose_own: Any) -> Any:
    """Let a seat draw in its turn. Returns the kind it plays of what it drew, or NO_CARD."""
    wanted, way = record["draw_count"], record["play_drawn"]
    clear_hand(state, DRAWN)
    low, high = ZERO, ZERO
    number = np.int64(0)
    while number < wanted or wanted == UNTIL_PLAYABLE:
        kind = draw_card(record, state, seat, events.IN_TURN, log)
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
    low, high = low & state["hands"][DRAWN, ONCE], high & state["hands"][DRAWN, ONCE + 1]
    if low | high == ZERO:
        return NO_CARD
    state["choice_turns"] += way == _MAY or popcount(low) + popcount(high) > 1
    kind = choose_drawn(record, strategies, state, seat, low, high, choose_own)
    if kind == NO_CARD:
        event(log, events.KEEPS_DRAWN, seat)
    return kind


@jit
def lay_further(record: Any, strategies: Any, state: Any, seat: Any, kind: Any, log: Any) -> None:
    """Let further cards of the number just played go along."""
    number, hands = record["number"][kind], state["hands"]
    masks = state["number_masks"]
    if (hands[seat, ONCE] & masks[number, 0]) | (hands[seat, ONCE + 1] & masks[number, 1]) == ZERO:
        return
    clear_hand(state, FURTHER)
    for other in range(record["kinds"]):
        if record["number"][other] == number:
            for _ in range(count_of(state, seat, other)):
                if goes_along(strategies, state, seat):
                    add_card(state, FURTHER, other)
    if size_of(state, FURTHER) == 0:
        return
    for other in range(record["kinds"]):
        for _ in range(count_of(state, FURTHER, other)):
            remove_card(state, seat, other)
    last = choose_last_further(strategies, state, seat, FURTHER)
    if log.shape[0] > 0:
        for other in range(record["kinds"]):
            for _ in range(count_of(state, FURTHER, other) - (other == last)):
                event(log, events.FURTHER, seat, other)
        event(log, events.FURTHER, seat, last)
    state["lying"] = last
    state["top"] = last


@jit
def call_last_card(record: Any, state: Any, seat: Any, log: Any) -> None:
    """Let a seat with one card call it, or forget it, and draw if somebody notices."""
    if not happens(state["streams"], CHANCE, record["forget"][seat]):
        return
    for other in range(record["players"]):
        if other != seat and happens(state["streams"], CHANCE, record["notice"][other]):
            event(log, events.FORGETS, seat, other)
            state["penalties"] += 1
            draw_cards(record, state, seat, record["forget_penalty"], events.AS_PENALTY, log)
            return
    event(log, events.FORGETS, seat, NO_SEAT)


@jit
def swap(record: Any, strategies: Any, state: Any, seat: Any, may_decline: Any, log: Any, choose_own: Any) -> None:
    """Let a seat swap hands with a partner of its choice."""
    partner = choose_partner(record, strategies, state, seat, may_decline, choose_own)
    if partner == NO_SEAT:
        event(log, events.KEEPS_HAND, seat)
    else:
        swap_with(state, seat, partner, log)


@jit
def swap_with(state: Any, seat: Any, partner: Any, log: Any) -> None:
    """Swap hands."""
    swap_hands(state, seat, partner)
    state["swaps"] += 1
    state["swapper"] = seat
    event(log, events.SWAPS, seat, partner)


@jit
def rotate(record: Any, state: Any, seat: Any, log: Any) -> None:
    """Move all hands one seat in play direction."""
    rotate_hands(state, record["players"], state["direction"])
    state["swaps"] += 1
    state["swapper"] = seat
    event(log, events.ROTATES, seat, state["direction"])


@jit
def dump(record: Any, state: Any, seat: Any, colour: Any, log: Any) -> None:
    """Discard all of a seat's cards of a colour."""
    for kind in range(record["kinds"]):
        if record["colour"][kind] == colour:
            for _ in range(count_of(state, seat, kind)):
                remove_card(state, seat, kind)
                event(log, events.DUMPS, seat, kind)


@jit
def settle_colourless(
    record: Any, strategies: Any, state: Any, seat: Any, face: Any, log: Any, choose_own: Any
) -> None:
    """Let what a card without a colour does to hands happen, and the colour be chosen."""
    meaning = record["joker"] if face == JOKER else -1
    if meaning == _SWAP or meaning == _SWAP_MUST:
        swap(record, strategies, state, seat, meaning == _SWAP, log, choose_own)
    elif meaning == _SWAP_NEXT:
        swap_with(state, seat, next_seat(record, seat, state["direction"]), log)
    elif meaning == _ROTATE:
        rotate(record, state, seat, log)
    colour = choose_colour(record, strategies, state, seat, choose_own)
    state["top"] = COLOUR_STATE + colour
    event(log, events.COLOUR, seat, colour)
    if meaning == _DUMP:
        dump(record, state, seat, colour, log)


@jit
def draws_of(face: Any) -> Any:
    """Return how many cards a face makes the next player draw."""
    if face == DRAW_FOUR_COLOUR:
        return np.int64(4)
    return np.int64(2) if face == DRAW_TWO or face == DRAW_TWO_COLOUR else np.int64(0)


@jit
def finish(record: Any, state: Any, seat: Any, face: Any, log: Any) -> None:
    """Let the next seat draw for a last card that is a draw card, if the rules say so."""
    number = draws_of(face)
    if record["last_card_draws"] != 0 and number > 0:
        victim = next_seat(record, seat, state["direction"])
        number += state["sum"]
        event(log, events.TAKES, victim, number, events.AT_LAST_CARD)
        draw_cards(record, state, victim, number, events.AT_LAST_CARD, log)


@jit
def play_card(
    record: Any, strategies: Any, state: Any, seat: Any, kind: Any, how: Any, log: Any, choose_own: Any
) -> Any:
    """Play a card, up to its effect on others. Returns whether the round is won."""
    face = record["face"][kind]
    current = record["colour"][state["top"]]
    event(log, events.PLAYS, seat, kind, state["top"], how)
    remove_card(state, seat, kind)
    state["lying"] = kind
    state["top"] = kind
    if face != NUMBER:
        state["played"][face] += 1
        state["is_bluff"] = face == DRAW_FOUR_COLOUR and current >= 0 and colour_count(state, seat, current) > 0
    elif record["multi_discard"] != 0:
        lay_further(record, strategies, state, seat, kind, log)
    size = size_of(state, seat)
    if size == 0:
        finish(record, state, seat, face, log)
        return True
    if size == 1:
        call_last_card(record, state, seat, log)
    if face >= DRAW_TWO_COLOUR:
        settle_colourless(record, strategies, state, seat, face, log, choose_own)
        return size_of(state, seat) == 0
    if face == NUMBER and record["seven_zero"] != 0:
        if record["number"][kind] == 7:
            swap(record, strategies, state, seat, False, log, choose_own)
        elif record["number"][kind] == 0:
            rotate(record, state, seat, log)
    return False


@jit
def take_turn(record: Any, strategies: Any, state: Any, seat: Any, log: Any, choose_own: Any) -> Any:
    """Begin an ordinary turn. Returns the kind played and whether it was drawn, or NO_CARD."""
    begin_turn(record, state, seat)
    low, high = playable_cards(record, state, seat)
    if low | high != ZERO:
        may_draw = np.int64(1 - record["must_play"])
        state["choice_turns"] += popcount(low) + popcount(high) + may_draw > 1
        kind = choose_playable(record, strategies, state, seat, low, high, may_draw, choose_own)
        if kind != NO_CARD:
            return kind, events.NORMALLY
        # A turn is counted once as a choice, even if there is another one among the drawn cards.
        choices = state["choice_turns"]
        kind = draw_in_turn(record, strategies, state, seat, log, choose_own)
        state["choice_turns"] = choices
        return kind, events.DRAWN
    return draw_in_turn(record, strategies, state, seat, log, choose_own), events.DRAWN
