"""What changes during plain matches (see plain.py): hands and the pile, with a set of cards as two words.

The first word has the kinds of which there is a card, the second those of which there is another one. Only cards
without a colour may be there more than twice; the third ones are four bits behind the second ones, the fourth ones
eight. So the bits of both words, one after the other, are the order of candidates in draws.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.ahoi.cards import (
    COLOUR_STATE,
    NUMBER,
    PLAIN_CARDS,
    PLAIN_COLOURS,
    PLAIN_PLAYERS,
    REVERSE,
    SKIP,
)
from simcore.games.ahoi.choices import TwoPlayerReverse
from simcore.games.ahoi.hands import BYTE, DEAL, FIRST, ONE, SEAT, VIEW_SIZE, ZERO
from simcore.jit import highest_bit, inlined, jit_part, jit_small, popcount
from simcore.rng import later, mix, plus_golden, scaled, start

NONE = np.uint64(63)
"""Stands for no kind."""
KINDS = 64
LEFT, RIGHT = ZERO, np.uint64(KINDS * PLAIN_PLAYERS)
"""Directions of play, as places in the table of the seats that follow."""
POINTS = np.uint64(32)
"""From which bit on `held` has the points of the cards; below are the numbers of cards of each colour, in bytes."""

_3, _4, _7, _8, _126 = (np.uint64(n) for n in (3, 4, 7, 8, 126))
_REVERSE_SKIPS = int(TwoPlayerReverse.SKIP)

PLAIN = np.dtype(
    [
        ("streams", np.uint64, (SEAT + PLAIN_PLAYERS,)),
        ("once", np.uint64, (PLAIN_PLAYERS,)),  # hands
        ("twice", np.uint64, (PLAIN_PLAYERS,)),
        ("held", np.uint64, (PLAIN_PLAYERS,)),  # see POINTS
        ("pile", np.uint8, (PLAIN_CARDS,)),
        ("pile_size", np.uint64),
        ("next_place", np.uint64),  # in the pile, of the card that is taken next
        ("next_kind", np.uint64),
        ("places", np.uint64, (PLAIN_CARDS,)),  # in the pile, of the cards that are dealt
        ("key", np.uint64),  # of the round's streams
        # Tables.
        ("styles", np.int64, (PLAIN_PLAYERS,)),
        ("deck", np.uint8, (PLAIN_CARDS,)),
        ("units", np.uint64, (KINDS,)),  # what a card adds to `held`
        ("matching", np.uint64, (KINDS,)),  # what fits on a kind, in both words of a hand
        ("in_force", np.uint64, (PLAIN_COLOURS,)),  # what fits when a colour was chosen
        ("colours", np.uint64, (PLAIN_COLOURS,)),
        ("face_masks", np.uint64, (8, 2)),  # as in hands.py; nothing is in the second column
        ("following", np.uint8, (2 * KINDS * PLAIN_PLAYERS,)),  # see `next_seat`
        ("coloured", np.uint64),  # how many kinds have a colour
        ("further", np.uint64),  # the bits of third and fourth copies
        # The course of a round, as in hands.py.
        ("turns", np.int64),
        ("choice_turns", np.int64),
        ("drawn", np.int64),
        ("reshuffles", np.int64),
        ("played", np.int64, (8,)),
        ("penalties", np.int64),
        ("swaps", np.int64),
        ("swapper", np.int64),
        ("lead_changes", np.int64),
        ("held_most", np.int64),
        # The course of a match, as in hands.py.
        ("points", np.int64, (PLAIN_PLAYERS,)),
        ("marks", np.int64, (PLAIN_PLAYERS,)),
        ("hand_points", np.int64, (PLAIN_PLAYERS,)),
        ("cards_left", np.int64, (PLAIN_PLAYERS,)),
        ("ranks", np.int64, (PLAIN_PLAYERS,)),
        # For users' own strategies, see plain_own.py.
        ("chosen", np.int64),  # the colour in force if a card without a colour lies on top, -1 while it is chosen
        ("is_illegal", np.int64),
        ("view", np.int64, (VIEW_SIZE,)),
    ]
)
"""Everything that changes during a plain match, and the rules' tables."""


@jit_part
def fold_following(record: Any, state: Any) -> None:
    """Make the table of the seats that follow."""
    players, faces = record["players"], record["face"]
    for kind in range(KINDS):
        face = faces[kind] if kind < record["kinds"] else np.int64(NUMBER)
        turns = face == REVERSE
        skips = face == SKIP or (turns and players == 2 and record["two_player_reverse"] == _REVERSE_SKIPS)
        for seat in range(players):
            step = players - 1 if turns else np.int64(1)
            place = kind * PLAIN_PLAYERS + seat
            state["following"][place] = (seat + step * (1 + skips)) % players
            state["following"][np.int64(RIGHT) + place] = (seat + (players - step) * (1 + skips)) % players


@jit_part
def fold_plain(record: Any, strategies: Any, state: Any) -> None:
    """Copy what the rules say into the state, as words."""
    kinds = record["kinds"]
    fold_following(record, state)
    state["coloured"] = kinds - 4
    state["further"] = ~((ONE << np.uint64(kinds)) - ONE)
    for kind in range(kinds):
        colour = record["colour"][kind]
        state["matching"][kind] = np.uint64(record["matching"][kind, 0]) | state["further"]
        state["units"][kind] = np.uint64(record["value"][kind]) << POINTS
        if colour >= 0:
            state["units"][kind] |= ONE << np.uint64(8 * colour)
    for colour in range(record["colours"]):
        state["colours"][colour] = np.uint64(record["colour_masks"][colour, 0])
        state["in_force"][colour] = np.uint64(record["matching"][COLOUR_STATE + colour, 0]) | state["further"]
    for face in range(8):
        state["face_masks"][face, 0] = np.uint64(record["face_masks"][face, 0])
    for i in range(record["deck_size"]):
        state["deck"][i] = record["deck"][i]
    for seat in range(record["players"]):
        state["styles"][seat] = strategies[seat]["style"]


@jit_small
def next_seat(state: Any, seat: Any, kind: Any, direction: Any) -> Any:
    """Return the seat after one that plays a number, a Reverse or a Skip, or (NONE) nothing.

    From a table, since whose turn is next is what all else waits for.
    """
    return np.uint64(state["following"][direction + kind * _8 + seat])


@jit_small
def several(n: Any) -> Any:
    """Return 1 if a number up to 129 is more than 1, else 0; as a sum, since a comparison may become a jump."""
    return (n + _126) >> _7


@jit_small
def draw_below(streams: Any, purpose: Any, n: Any) -> Any:
    """Return what `rng.below` returns, without a jump."""
    counter = streams[purpose]
    streams[purpose] = later(counter, several(n))
    return scaled(mix(plus_golden(counter)), n)


@jit_small
def size_in(sizes: Any, seat: Any) -> Any:
    """Return how many cards a seat has, out of the word with the sizes of all hands, a byte each."""
    return (sizes >> (_8 * seat)) & BYTE


@jit_small
def next_copy(twice: Any, kind: Any) -> Any:
    """Return the bits that a third or fourth copy of a kind adds to the second word of a hand."""
    third = ONE << (kind + _4)
    return third | (twice & third) << _4


@jit_small
def copies_of(state: Any, kind: Any) -> Any:
    """Return the bits of all copies but the first of a kind."""
    bit = ONE << kind
    return bit if kind < state["coloured"] else bit | bit << _4 | bit << _8


@jit_small
def add_card(state: Any, seat: Any, kind: Any) -> None:
    """Put a card into a hand."""
    bit, once, twice = ONE << kind, state["once"][seat], state["twice"][seat]
    if twice & bit != ZERO:
        twice |= next_copy(twice, kind)
    state["twice"][seat] = twice | (once & bit)
    state["once"][seat] = once | bit
    state["held"][seat] += state["units"][kind]


@jit_part
def remove_copy(state: Any, seat: Any, place: Any) -> Any:
    """Take a card, given by its bit in either word, out of a hand with more than two of a kind. Returns the kind."""
    coloured = state["coloured"]
    kind = place if place < coloured else coloured + ((place - coloured) & _3)
    copies = state["twice"][seat] & copies_of(state, kind)
    if copies != ZERO:
        state["twice"][seat] ^= ONE << np.uint64(highest_bit(copies))
    else:
        state["once"][seat] ^= ONE << kind
    return kind


@jit_small
def remove_card(state: Any, seat: Any, place: Any) -> Any:
    """Take a card, given by its bit in either word, out of a hand. Returns the kind."""
    once, twice, kind = state["once"][seat], state["twice"][seat], place
    if twice & state["further"] != ZERO:
        kind = remove_copy(state, seat, place)
    else:
        bit = ONE << kind
        second = twice & bit
        state["twice"][seat] = twice ^ second
        state["once"][seat] = once ^ bit ^ second
    state["held"][seat] -= state["units"][kind]
    return kind


@jit_part
def swap_hands(state: Any, a: Any, b: Any, sizes: Any) -> Any:
    """Exchange two hands. Returns the new sizes."""
    for hands in (state["once"], state["twice"], state["held"]):
        hands[a], hands[b] = hands[b], hands[a]
    changed = size_in(sizes, a) ^ size_in(sizes, b)
    return sizes ^ (changed << (_8 * a) | changed << (_8 * b))


@jit_small
def look_ahead(state: Any) -> None:
    """Draw which card of the pile is taken next, as `pile.look_ahead` does."""
    place = draw_below(state["streams"], np.uint64(DEAL), state["pile_size"])
    state["next_place"] = place
    state["next_kind"] = state["pile"][place]


@jit_part
def reshuffle(record: Any, state: Any, lying: Any) -> None:
    """Make a new pile of all discards but the top card, if the rules allow it."""
    if record["reshuffle"] == 0:
        return
    size = 0
    for kind in range(record["kinds"]):
        own = np.uint64(kind)
        left = record["copies"][kind] - (own == lying)
        for seat in range(record["players"]):
            left -= popcount(state["once"][seat] & ONE << own) + popcount(state["twice"][seat] & copies_of(state, own))
        for _ in range(left):
            state["pile"][size] = kind
            size += 1
    if size > 0:
        state["pile_size"] = size
        state["reshuffles"] += 1
        start(state["streams"], DEAL, state["key"], state["reshuffles"])
        look_ahead(state)


@jit_small
def take_card(record: Any, state: Any, lying: Any) -> Any:
    """Take a card from the pile. Returns its kind, or NONE if there is none."""
    if state["pile_size"] == ZERO:
        reshuffle(record, state, lying)
        if state["pile_size"] == ZERO:
            return NONE
    kind = state["next_kind"]
    size = state["pile_size"] - ONE
    state["pile"][state["next_place"]] = state["pile"][size]
    state["pile_size"] = size
    look_ahead(state)
    state["drawn"] += 1
    return kind


@inlined
def deal(record: Any, state: Any, key: Any) -> Any:
    """Deal, and return the kind of the start card, a number."""
    streams, pile, deck, places = state["streams"], state["pile"], state["deck"], state["places"]
    start(streams, DEAL, key, FIRST)
    counter, size, card = streams[DEAL], np.uint64(record["deck_size"]), ZERO
    for i in range(record["deck_size"]):
        pile[i] = deck[i]
    # All draws first, since they wait for nothing.
    for i in range(record["players"] * record["hand_size"]):
        n = np.uint64(i)
        places[n] = scaled(mix(later(counter, n + ONE)), size - n)
    for seat in range(record["players"]):
        once, twice, held = ZERO, ZERO, ZERO
        for _ in range(record["hand_size"]):
            place = places[card]
            card += ONE
            size -= ONE
            kind = np.uint64(pile[place])
            pile[place] = pile[size]
            bit = ONE << kind
            if twice & bit != ZERO:
                twice |= next_copy(twice, kind)
            twice |= once & bit
            once |= bit
            held += state["units"][kind]
        state["once"][seat], state["twice"][seat], state["held"][seat] = once, twice, held
    counter, numbers = later(counter, card), state["face_masks"][NUMBER, 0]
    while True:
        place = scaled(mix(plus_golden(counter)), size)
        counter = later(counter, several(size))
        kind = np.uint64(pile[place])
        if (numbers >> kind) & ONE != ZERO:
            break
    pile[place] = pile[size - ONE]
    streams[DEAL] = counter
    state["pile_size"] = size - ONE
    look_ahead(state)
    return kind
