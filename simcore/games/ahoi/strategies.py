"""What a seat decides: which card, which colour, which partner.

The numbers of the strategies are their places in ``rules.STRATEGIES``. A set of kinds is two words, `low`
and `high`. Ties are broken by one draw among the candidates in the order of draws.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.ahoi.cards import (
    DRAW_FOUR_COLOUR,
    DRAW_TWO,
    DRAW_TWO_COLOUR,
    MAX_COLOURS,
    NUMBER,
    REVERSE,
    SKIP,
)
from simcore.games.ahoi.choices import Joker, PlayDrawn, SkipFollows, TwoPlayerReverse
from simcore.games.ahoi.hands import (
    BYTE,
    DRAWN,
    HELD,
    NO_CARD,
    NO_SEAT,
    ONCE,
    ONE,
    SEAT,
    ZERO,
    colour_count,
    count_cards,
    nth_card,
    size_of,
)
from simcore.games.ahoi.own import ASK_CARD, ASK_COLOUR, ASK_DRAWN, ASK_JUMP, ASK_PARTNER, ask, offer, offer_kinds
from simcore.jit import inlined, jit_part, jit_small, lowest_bit, nth_bit, popcount
from simcore.rng import below, below_without_branch, happens
from simcore.strategies import OWN

RANDOM, HIGHEST, KEEPER, HUNTER, CAREFUL, NEWEST = range(6)
LEFT = np.int64(1)
"""The direction in which seats are numbered."""

_MAY = int(PlayDrawn.MAY)
_SWAP = int(Joker.SWAP)
_CLOCKWISE = int(SkipFollows.CLOCKWISE)
_SKIP = int(TwoPlayerReverse.SKIP)


@jit_small
def next_seat(record: Any, seat: Any, direction: Any) -> Any:
    """Return the next seat in a direction."""
    other = seat + direction
    players = record["players"]
    return other - players if other >= players else (other + players if other < 0 else other)


@inlined
def best_value(record: Any, low: Any, high: Any) -> Any:
    """Return the kinds of a set that have the highest point value."""
    value = record["value"]
    best = np.int64(-1)
    best_low, best_high = ZERO, ZERO
    while low != ZERO:
        kind = lowest_bit(low)
        bit = ONE << np.uint64(kind)
        low ^= bit
        if value[kind] > best:
            best, best_low = value[kind], ZERO
        if value[kind] == best:
            best_low |= bit
    while high != ZERO:
        kind = lowest_bit(high)
        bit = ONE << np.uint64(kind)
        high ^= bit
        if value[64 + kind] > best:
            best, best_low, best_high = value[64 + kind], ZERO, ZERO
        if value[64 + kind] == best:
            best_high |= bit
    return best_low, best_high


@jit_part
def best_colours(state: Any, seat: Any, low: Any, high: Any) -> Any:
    """Return the coloured kinds of a set whose colour the seat holds most, of the colours in the set."""
    held = state["hands"][seat, HELD]
    lows, highs = state["colours_low"], state["colours_high"]
    most, best_low, best_high = ZERO, ZERO, ZERO
    for colour in range(MAX_COLOURS):
        count = (held >> np.uint64(8 * colour)) & BYTE
        most = max(most, count if (low & lows[colour]) | (high & highs[colour]) != ZERO else ZERO)
    for colour in range(MAX_COLOURS):
        count = (held >> np.uint64(8 * colour)) & BYTE
        best_low |= low & lows[colour] if count == most else ZERO
        best_high |= high & highs[colour] if count == most else ZERO
    return best_low, best_high


@jit_small
def kept_of_few(record: Any, state: Any, seat: Any, low: Any) -> Any:
    """Return what `kept` does, of kinds below 64."""
    # Without a jump that cannot be foretold, and over fixed numbers of colours: that is what is fast here.
    held, masks = state["hands"][np.uint64(seat), HELD], state["colours_low"]
    most, best = ZERO, ZERO
    for colour in range(4):
        count = (held >> np.uint64(8 * colour)) & BYTE
        most = max(most, count if low & masks[colour] != ZERO else ZERO)
    if record["colours"] > 4:
        for colour in range(4, MAX_COLOURS):
            count = (held >> np.uint64(8 * colour)) & BYTE
            most = max(most, count if low & masks[colour] != ZERO else ZERO)
    for colour in range(4):
        count = (held >> np.uint64(8 * colour)) & BYTE
        best |= low & masks[colour] if count == most else ZERO
    if record["colours"] > 4:
        for colour in range(4, MAX_COLOURS):
            count = (held >> np.uint64(8 * colour)) & BYTE
            best |= low & masks[colour] if count == most else ZERO
    numbers = best & state["face_masks"][NUMBER, 0]
    best = numbers if numbers != ZERO else best
    return best if best != ZERO else low


@jit_part
def kept(record: Any, state: Any, seat: Any, low: Any, high: Any) -> Any:
    """Return the kinds among which a keeper chooses."""
    if high == ZERO:
        return kept_of_few(record, state, seat, low), high
    best_low, best_high = best_colours(state, seat, low, high)
    numbers = state["face_masks"]
    number_low, number_high = best_low & numbers[NUMBER, 0], best_high & numbers[NUMBER, 1]
    if number_low | number_high != ZERO:
        return number_low, number_high
    if best_low | best_high != ZERO:
        return best_low, best_high
    return low, high


@inlined
def hunted(record: Any, state: Any, hits: Any, low: Any, high: Any) -> Any:
    """Return the kinds with which a hunter attacks the next seat, if there are any; `hits`: whether Skips hit it."""
    players, faces = record["players"], state["face_masks"]
    best_low, best_high = low & faces[DRAW_FOUR_COLOUR, 0], high & faces[DRAW_FOUR_COLOUR, 1]
    if best_low | best_high == ZERO:
        best_low = low & (faces[DRAW_TWO, 0] | faces[DRAW_TWO_COLOUR, 0])
        best_high = high & (faces[DRAW_TWO, 1] | faces[DRAW_TWO_COLOUR, 1])
    if best_low | best_high == ZERO:
        if hits:
            best_low, best_high = low & faces[SKIP, 0], high & faces[SKIP, 1]
        if players == 2 and record["two_player_reverse"] == _SKIP:
            best_low, best_high = best_low | (low & faces[REVERSE, 0]), best_high | (high & faces[REVERSE, 1])
    if best_low | best_high == ZERO:
        best_low, best_high = low & faces[REVERSE, 0], high & faces[REVERSE, 1]
    return best_low, best_high


@inlined
def is_anybody_short(record: Any, state: Any, seat: Any) -> Any:
    """Whether any opponent holds three cards or fewer."""
    for other in range(record["players"]):
        if other != seat and size_of(state, other) <= 3:
            return True
    return False


@jit_part
def newest_card(state: Any, seat: Any, low: Any, high: Any) -> Any:
    """Return the kind of a set of which a card came last."""
    order, place = state["order"], size_of(state, seat) - 1
    while True:
        kind = order[seat, place]
        if ((low if kind < 64 else high) >> np.uint64(kind & 63)) & ONE != ZERO:
            return kind
        place -= 1


@jit_part
def narrow(record: Any, state: Any, style: Any, seat: Any, low: Any, high: Any) -> Any:
    """Return the kinds of a set that a built-in strategy finds best."""
    victim = next_seat(record, seat, state["direction"])
    if style == HUNTER and size_of(state, victim) <= 2:
        hits = record["skip_follows"] != _CLOCKWISE or next_seat(record, seat, LEFT) == victim
        best_low, best_high = hunted(record, state, hits, low, high)
        if best_low | best_high != ZERO:
            return best_low, best_high
    if style == HIGHEST or (style == CAREFUL and is_anybody_short(record, state, seat)):
        return best_value(record, low, high)
    return kept(record, state, seat, low, high)


@jit_small
def choose_playable(record: Any, state: Any, seat: Any, low: Any, high: Any, may_draw: Any, choose_own: Any) -> Any:
    """Return the kind that a seat plays of those it can play, or NO_CARD if it draws (where it may)."""
    style = state["styles"][np.uint64(seat)]
    more = np.int64(0)
    if style == RANDOM:
        more = may_draw
    elif style == KEEPER and high == ZERO:
        low = kept_of_few(record, state, seat, low)
    elif style == OWN:
        return choose_own_kind(record, state, seat, ASK_CARD, low, high, may_draw, choose_own)
    elif style == NEWEST:
        return newest_card(state, seat, low, high)
    else:
        low, high = narrow(record, state, style, seat, low, high)
    cards = count_cards(state, seat, low, high)
    n = below_without_branch(state["streams"], np.uint64(SEAT + seat), cards + more)
    return nth_card(state, seat, low, high, n) if n < cards else NO_CARD


@jit_part
def choose_own_kind(
    record: Any, state: Any, seat: Any, question: Any, low: Any, high: Any, may_decline: Any, choose_own: Any
) -> Any:
    """Return the kind that a user's own strategy plays, or NO_CARD if it plays none (where it may)."""
    options = offer_kinds(state, low, high)
    if may_decline:
        options = offer(state, options, NO_CARD)
    return ask(record, state, seat, question, options, choose_own)


@inlined
def choose_drawn(record: Any, state: Any, seat: Any, low: Any, high: Any, choose_own: Any) -> Any:
    """Return the kind that a seat plays of the cards it drew and can play, or NO_CARD if it keeps them."""
    style = state["styles"][seat]
    may_keep = np.int64(record["play_drawn"] == _MAY)
    if style == RANDOM and may_keep and not happens(state["streams"], SEAT + seat, 0.5):
        return NO_CARD
    if style == OWN:
        return choose_own_kind(record, state, seat, ASK_DRAWN, low, high, may_keep, choose_own)
    if style == NEWEST:
        return newest_card(state, seat, low, high)
    if style != RANDOM:
        low, high = narrow(record, state, style, seat, low, high)
    cards = count_cards(state, DRAWN, low, high)
    return nth_card(state, DRAWN, low, high, below(state["streams"], SEAT + seat, cards))


@inlined
def choose_own_drawn(record: Any, state: Any, seat: Any, kind: Any, choose_own: Any) -> Any:
    """Return the kind of the one card drawn if a user's own strategy plays it, or NO_CARD if it keeps it."""
    options = offer(state, offer(state, np.int64(0), kind), NO_CARD)
    return ask(record, state, seat, ASK_DRAWN, options, choose_own)


@jit_part
def choose_colour(record: Any, state: Any, seat: Any, choose_own: Any) -> Any:
    """Return the colour that a seat chooses."""
    style = state["styles"][seat]
    colours = record["colours"]
    if style == OWN:
        options = np.int64(0)
        for colour in range(colours):
            options = offer(state, options, colour)
        return ask(record, state, seat, ASK_COLOUR, options, choose_own)
    if style == RANDOM or style == NEWEST:
        return below(state["streams"], SEAT + seat, colours)
    most = np.int64(0)
    for colour in range(colours):
        most = max(most, colour_count(state, seat, colour))
    best = ZERO
    for colour in range(colours):
        best |= np.uint64(colour_count(state, seat, colour) == most) << np.uint64(colour)
    return nth_bit(best, below_without_branch(state["streams"], SEAT + seat, popcount(best)))


@inlined
def choose_partner(record: Any, state: Any, seat: Any, may_decline: Any, choose_own: Any) -> Any:
    """Return the seat with which a seat swaps hands, or NO_SEAT if it declines (where it may)."""
    style = state["styles"][seat]
    players = record["players"]
    if style == OWN:
        options = np.int64(0)
        for other in range(players):
            if other != seat:
                options = offer(state, options, other)
        if may_decline:
            options = offer(state, options, NO_SEAT)
        return ask(record, state, seat, ASK_PARTNER, options, choose_own)
    if style == RANDOM or style == NEWEST:
        if may_decline and not happens(state["streams"], SEAT + seat, 0.5):
            return np.int64(NO_SEAT)
        drawn = below(state["streams"], SEAT + seat, players - 1)
        return drawn + (drawn >= seat)
    fewest: Any = np.int64(1 << 20)
    ties: Any = np.int64(0)
    for partner in range(players):
        if partner != seat:
            size = size_of(state, partner)
            ties = 1 if size < fewest else ties + (size == fewest)
            fewest = min(fewest, size)
    if may_decline and fewest >= size_of(state, seat):
        return np.int64(NO_SEAT)
    n = below(state["streams"], SEAT + seat, ties)
    candidate = np.int64(0)
    while True:
        if candidate != seat and size_of(state, candidate) == fewest:
            if n == 0:
                return candidate
            n -= 1
        candidate += 1


@inlined
def does_jump_in(record: Any, state: Any, seat: Any, kind: Any, choose_own: Any) -> Any:
    """Whether a seat that could jump in does."""
    style = state["styles"][seat]
    if style == RANDOM:
        return happens(state["streams"], SEAT + seat, 0.5)
    if style == OWN:
        options = offer(state, offer(state, np.int64(0), kind), NO_CARD)
        return ask(record, state, seat, ASK_JUMP, options, choose_own) == kind
    return True


@inlined
def goes_along(state: Any, seat: Any) -> Any:
    """Whether a further card of the number just played goes along."""
    return state["styles"][seat] != RANDOM or happens(state["streams"], SEAT + seat, 0.5)


@inlined
def choose_last_further(state: Any, seat: Any, row: Any) -> Any:
    """Return which of the cards that go along is laid last."""
    style, hands = state["styles"][seat], state["hands"]
    low, high = hands[row, ONCE], hands[row, ONCE + ONE]
    if style != RANDOM and style != NEWEST:
        low, high = best_colours(state, seat, low, high)
    cards = count_cards(state, row, low, high)
    return nth_card(state, row, low, high, below(state["streams"], SEAT + seat, cards))
