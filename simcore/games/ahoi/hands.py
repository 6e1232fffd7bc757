"""What changes during a match, and hands: planes of bits, one bit for each kind of card.

A hand has three planes: kinds held at least once, at least twice, at least three times; only of the last
the exact numbers are kept, since few decks have so many of a kind. A plane is two words, for kinds 0..63
and 64..117. The word HELD counts the cards of each colour in bytes and all cards in its upper 16 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import rng
from simcore.games.ahoi.cards import MAX_CARDS, MAX_COLOURS, MAX_KINDS, STATES
from simcore.games.ahoi.notes import CAPACITY
from simcore.games.ahoi.rules import MAX_PLAYERS
from simcore.jit import inlined, jit_part, jit_small, lowest_bit, nth_bit, popcount

# Constants handed to compiled functions have a type of their own, so that each is compiled once only.
NO_CARD, NO_SEAT = np.int64(-1), np.int64(-1)
DEAL, CHANCE, SEAT = np.int64(rng.DEAL), np.int64(rng.CHANCE), np.int64(rng.SEAT)
FIRST = np.int64(0)
"""The number of a stream that was not started anew in its round."""
ZERO, ONE = np.uint64(0), np.uint64(1)
ONCE, TWICE, THRICE, HELD = (np.uint64(column) for column in (0, 2, 4, 6))
"""Where the planes and the counts are in a hand."""

DRAWN = np.int64(MAX_PLAYERS)
FURTHER = np.int64(MAX_PLAYERS + 1)
"""Rows for cards that are looked at apart: those just drawn, those that go along."""
ROWS = MAX_PLAYERS + 2

SIZE_SHIFT = np.uint64(48)
FOUR, FIFTEEN = np.uint64(4), np.uint64(15)
SIX, LAST = np.uint64(6), np.uint64(63)
BYTE = np.uint64(255)
VIEW_SIZE = 288
LOOKS = 128
"""Looks at the sizes of hands that are kept until they are judged."""

STATE = np.dtype(
    [
        ("streams", np.uint64, (rng.SEAT + MAX_PLAYERS,)),
        ("hands", np.uint64, (ROWS, 8)),
        ("thirds", np.int64, (ROWS, MAX_KINDS)),  # copies beyond two
        ("ordered", np.uint64),  # all bits if anybody asks in which order cards came, else none
        ("order", np.int64, (MAX_PLAYERS, MAX_CARDS)),
        ("deck", np.int16, (MAX_CARDS,)),
        ("pile", np.int16, (MAX_CARDS,)),
        ("pile_size", np.int64),
        ("next_place", np.uint64),  # in the pile, of the card that is taken next
        ("next_kind", np.int64),
        ("key", np.uint64),  # of the round's streams
        # The rules' tables as unsigned words.
        ("units", np.uint64, (MAX_KINDS,)),  # what a card adds to HELD
        ("matching", np.uint64, (STATES, 2)),
        ("answers", np.uint64, (MAX_KINDS, 2)),
        ("colours_low", np.uint64, (8,)),  # kinds below 64 of each colour
        ("colours_high", np.uint64, (8,)),
        ("face_masks", np.uint64, (8, 2)),
        ("number_masks", np.uint64, (16, 2)),
        ("is_restricted", np.int64),  # whether more than the top card decides what may be played
        ("styles", np.int64, (MAX_PLAYERS,)),
        ("turning", np.int64, (8,)),  # by face: -1 if it turns the direction, else 1
        ("simple", np.uint64, (2,)),  # the kinds that do no more than turn or skip
        ("skipping", np.int64, (8,)),  # by face: whether it is a Skip, or counts as one
        ("drawing", np.int64, (8,)),  # by face: how many cards it makes the next seat draw
        # The course of a round.
        ("direction", np.int64),
        ("lying", np.int64),  # kind of the top card
        ("top", np.int64),  # what fits on it: a state of cards.py
        ("sum", np.int64),  # of the stack
        ("stack_player", np.int64),  # who played its last card
        ("is_bluff", np.int64),
        ("owes", np.int64, (MAX_PLAYERS,)),
        ("waiting", np.int64),  # 0 if there is no stack and nobody owes a turn
        ("turns", np.int64),
        ("choice_turns", np.int64),
        ("drawn", np.int64),
        ("reshuffles", np.int64),
        ("played", np.int64, (8,)),
        ("penalties", np.int64),
        ("swaps", np.int64),
        ("swapper", np.int64),
        ("looks", np.int64),  # that are kept and not yet judged
        ("looked", np.uint64, (3, LOOKS)),  # sizes of hands at each of them, four in a word
        ("extremes", np.uint64, (4, LOOKS)),
        ("leader", np.int64),  # the last seat that alone held fewest
        ("lead_changes", np.int64),
        ("held_most", np.int64),  # bits of seats
        ("is_illegal", np.int64),  # whether a user's own strategy chose what there is not
        # The course of a match.
        ("points", np.int64, (MAX_PLAYERS,)),
        ("marks", np.int64, (MAX_PLAYERS,)),
        ("hand_points", np.int64, (MAX_PLAYERS,)),  # at the end of a round
        ("cards_left", np.int64, (MAX_PLAYERS,)),
        ("ranks", np.int64, (MAX_PLAYERS,)),  # at the end of a match
        ("view", np.int64, (VIEW_SIZE,)),
        ("is_logged", np.int64),
        ("six", np.int64, (6,)),  # cards to be logged
        ("notes", np.int64),
        ("noted", np.int64, (CAPACITY, 5)),
    ]
)
"""Everything that changes during a match; made once for many."""


# Rows and kinds become unsigned before they are used as indices: that spares a look for negative ones.


@jit_small
def size_of(state: Any, row: Any) -> Any:
    """Return the number of cards in a hand."""
    return np.int64(state["hands"][np.uint64(row), HELD] >> SIZE_SHIFT)


@jit_small
def colour_count(state: Any, row: Any, colour: Any) -> Any:
    """Return the number of cards of a colour in a hand."""
    return np.int64((state["hands"][np.uint64(row), HELD] >> np.uint64(8 * colour)) & BYTE)


@jit_small
def word_and_bit(kind: Any) -> Any:
    """Return in which word of a set a kind is, and its bit there."""
    index = np.uint64(kind)
    return index >> SIX, ONE << (index & LAST)


@jit_small
def has_kind(low: Any, high: Any, kind: Any) -> Any:
    """Whether a kind is in a set."""
    return ((low if kind < 64 else high) >> (np.uint64(kind) & LAST)) & ONE != ZERO


@jit_part
def count_of(state: Any, row: Any, kind: Any) -> Any:
    """Return the number of cards of a kind in a hand."""
    hands = state["hands"]
    word, bit = word_and_bit(kind)
    once = np.int64(hands[row, ONCE + word] & bit != ZERO)
    twice = np.int64(hands[row, TWICE + word] & bit != ZERO)
    if hands[row, THRICE + word] & bit != ZERO:
        return once + twice + state["thirds"][row, kind]
    return once + twice


@jit_part
def clear_hand(state: Any, row: Any) -> None:
    """Take all cards out of a hand."""
    hands = state["hands"]
    if hands[row, THRICE] | hands[row, THRICE + ONE] != ZERO:
        state["thirds"][row, :] = 0
    hands[row, :] = ZERO


@inlined
def add_rarely(state: Any, row: Any, kind: Any, word: Any, bit: Any) -> None:
    """Do what adding a card rarely needs: count a third copy, keep the order."""
    if state["hands"][row, TWICE + word] & bit != ZERO:
        state["hands"][row, THRICE + word] |= bit
        state["thirds"][row, kind] += 1
    if state["ordered"] != ZERO and row < MAX_PLAYERS:
        state["order"][row, size_of(state, row)] = kind


@jit_small
def add_card(state: Any, row: Any, kind: Any) -> None:
    """Put a card into a hand."""
    hands, hand = state["hands"], np.uint64(row)
    word, bit = word_and_bit(kind)
    once, twice = hands[hand, ONCE + word], hands[hand, TWICE + word]
    if (twice | state["ordered"]) & bit != ZERO:
        add_rarely(state, row, kind, word, bit)
    hands[hand, TWICE + word] = twice | (once & bit)
    hands[hand, ONCE + word] = once | bit
    hands[hand, HELD] += state["units"][np.uint64(kind)]


@inlined
def remove_from_order(state: Any, row: Any, kind: Any) -> None:
    """Forget when the card of a kind came that came last."""
    order, size = state["order"], size_of(state, row)
    place = size - 1
    while order[row, place] != kind:
        place -= 1
    for i in range(place, size - 1):
        order[row, i] = order[row, i + 1]


@jit_part
def remove_rarely(state: Any, row: Any, kind: Any, word: Any, bit: Any) -> None:
    """Remove a card of which there are three, or where the order is kept, but for the counts."""
    hands = state["hands"]
    if state["ordered"] != ZERO and row < MAX_PLAYERS:
        remove_from_order(state, row, kind)
    if hands[row, THRICE + word] & bit != ZERO:
        state["thirds"][row, kind] -= 1
        if state["thirds"][row, kind] == 0:
            hands[row, THRICE + word] ^= bit
    elif hands[row, TWICE + word] & bit != ZERO:
        hands[row, TWICE + word] ^= bit
    else:
        hands[row, ONCE + word] ^= bit


@jit_small
def remove_card(state: Any, row: Any, kind: Any) -> None:
    """Take a card out of a hand; it must be there."""
    hands, hand = state["hands"], np.uint64(row)
    word, bit = word_and_bit(kind)
    if (hands[hand, THRICE + word] | state["ordered"]) & bit != ZERO:
        remove_rarely(state, row, kind, word, bit)
    else:
        second = hands[hand, TWICE + word] & bit
        hands[hand, TWICE + word] ^= second
        hands[hand, ONCE + word] ^= bit ^ second
    hands[hand, HELD] -= state["units"][np.uint64(kind)]


@jit_part
def swap_hands(state: Any, a: Any, b: Any) -> None:
    """Exchange two hands."""
    hands, thirds, order = state["hands"], state["thirds"], state["order"]
    if (hands[a, THRICE] | hands[a, THRICE + ONE] | hands[b, THRICE] | hands[b, THRICE + ONE]) != ZERO:
        for kind in range(MAX_KINDS):
            thirds[a, kind], thirds[b, kind] = thirds[b, kind], thirds[a, kind]
    if state["ordered"] != ZERO:
        for i in range(max(size_of(state, a), size_of(state, b))):
            order[a, i], order[b, i] = order[b, i], order[a, i]
    for i in range(8):
        hands[a, i], hands[b, i] = hands[b, i], hands[a, i]


@inlined
def rotate_hands(state: Any, players: Any, direction: Any) -> None:
    """Give each hand to the next seat in a direction."""
    # Each exchange puts one hand where it belongs and carries the hand of seat 0 on.
    seat = np.int64(0)
    for _ in range(players - 1):
        other = seat - direction
        other += players if other < 0 else (-players if other >= players else 0)
        swap_hands(state, seat, other)
        seat = other


@inlined
def count_thirds(state: Any, row: Any, low: Any, high: Any) -> Any:
    """Return how many cards beyond the second of each kind of a set a hand has."""
    hands, thirds = state["hands"], state["thirds"]
    cards = np.int64(0)
    rest = low & hands[row, THRICE]
    while rest != ZERO:
        cards += thirds[row, lowest_bit(rest)]
        rest &= rest - ONE
    rest = high & hands[row, THRICE + ONE]
    while rest != ZERO:
        cards += thirds[row, 64 + lowest_bit(rest)]
        rest &= rest - ONE
    return cards


@jit_small
def count_cards(state: Any, row: Any, low: Any, high: Any) -> Any:
    """Return how many cards of a set of kinds a hand has; it has each of them."""
    hands, hand = state["hands"], np.uint64(row)
    cards = popcount(low) + popcount(low & hands[hand, TWICE])
    if high != ZERO:
        cards += popcount(high) + popcount(high & hands[hand, TWICE + ONE])
    if (low & hands[hand, THRICE]) | (high & hands[hand, THRICE + ONE]) != ZERO:
        cards += count_thirds(state, row, low, high)
    return cards


@jit_part
def nth_of_words(low: Any, high: Any, n: Any) -> Any:
    """Return the n-th kind of a set, counted from 0."""
    below_64 = popcount(low)
    if n < below_64:
        return nth_bit(low, n)
    return 64 + nth_bit(high, n - below_64)


@inlined
def nth_of_many(state: Any, row: Any, low: Any, high: Any, n: Any) -> Any:
    """Return what `nth_card` does, for sets of any size and hands with any number of copies."""
    hands, thirds = state["hands"], state["thirds"]
    cards = popcount(low) + popcount(high)
    if n < cards:
        return nth_of_words(low, high, n)
    n -= cards
    low, high = low & hands[row, TWICE], high & hands[row, TWICE + ONE]
    cards = popcount(low) + popcount(high)
    if n < cards:
        return nth_of_words(low, high, n)
    n -= cards
    low, high = low & hands[row, THRICE], high & hands[row, THRICE + ONE]
    layer = 1
    while True:
        for kind in range(MAX_KINDS):
            plane = low if kind < 64 else high
            if (plane >> np.uint64(kind & 63)) & ONE != ZERO and thirds[row, kind] >= layer:
                if n == 0:
                    return kind
                n -= 1
        layer += 1


@jit_small
def nth_card(state: Any, row: Any, low: Any, high: Any, n: Any) -> Any:
    """Return the kind of the n-th candidate card of a set, in layers of copies; the hand has each kind."""
    hands, hand = state["hands"], np.uint64(row)
    if high | (low & hands[hand, THRICE]) != ZERO:
        return nth_of_many(state, row, low, high, n)
    # Both layers are at hand, so that no jump has to be foretold.
    first = popcount(low)
    plane = low if n < first else low & hands[hand, TWICE]
    return nth_bit(plane, n if n < first else n - first)


@inlined
def hand_value(record: Any, state: Any, row: Any) -> Any:
    """Return the points of the cards in a hand."""
    hands, value = state["hands"], record["value"]
    points = np.int64(0)
    for word in range(2):
        rest, twice = hands[row, ONCE + np.uint64(word)], hands[row, TWICE + np.uint64(word)]
        while rest != ZERO:
            bit = lowest_bit(rest)
            points += value[64 * word + bit] * np.int64(ONE + ((twice >> np.uint64(bit)) & ONE))
            rest &= rest - ONE
        rest = hands[row, THRICE + np.uint64(word)]
        while rest != ZERO:
            kind = 64 * word + lowest_bit(rest)
            points += value[kind] * state["thirds"][row, kind]
            rest &= rest - ONE
    return points


@jit_small
def four_sizes(state: Any, first: Any) -> Any:
    """Return how many cards four seats have, 16 bits each."""
    hands = state["hands"]
    return (
        (hands[first, HELD] >> SIZE_SHIFT)
        | (hands[first + ONE, HELD] >> np.uint64(32)) & np.uint64(0xFFFF0000)
        | (hands[first + np.uint64(2), HELD] >> np.uint64(16)) & np.uint64(0xFFFF00000000)
        | hands[first + np.uint64(3), HELD] & np.uint64(0xFFFF000000000000)
    )


@jit_small
def look_at_hands(state: Any, players: Any) -> None:
    """Keep how many cards everybody holds at this moment."""
    looks = np.uint64(state["looks"])
    state["looked"][0, looks] = four_sizes(state, ZERO)
    if players > 4:
        state["looked"][1, looks] = four_sizes(state, np.uint64(4))
        state["looked"][2, looks] = four_sizes(state, np.uint64(8))
    state["looks"] += 1
    if state["looks"] == LOOKS:
        judge_looks(state, players)


@jit_part
def judge_looks(state: Any, players: Any) -> None:
    """Find who alone held fewest and most at each look kept, and how often the lead has changed.

    Many looks at once, since processors can compare many sizes at once.
    """
    looks = state["looks"]
    fewest, second_fewest, most, second_most = state["extremes"]
    # Whole groups, so that none is left that would be looked at one by one.
    several = (looks + 15) & ~15
    for look in range(several):
        fewest[look] = second_fewest[look] = np.uint64(1 << 20)
        most[look] = second_most[look] = ZERO
    for seat in range(players):
        looked, shift, number = state["looked"][seat >> 2], np.uint64(16 * (seat & 3)), np.uint64(seat)
        for look in range(several):
            # The seat rides along below the size, and cannot decide against it.
            size = ((looked[look] >> shift) & np.uint64(0xFFFF)) << FOUR | number
            second_fewest[look] = min(second_fewest[look], max(fewest[look], size))
            fewest[look] = min(fewest[look], size)
            second_most[look] = max(second_most[look], min(most[look], size))
            most[look] = max(most[look], size)
    leader, changes, held_most = state["leader"], state["lead_changes"], state["held_most"]
    for look in range(looks):
        is_alone = fewest[look] >> FOUR != second_fewest[look] >> FOUR
        first = np.int64(fewest[look] & FIFTEEN) if is_alone else leader
        changes += (first != leader) & (leader != NO_SEAT)
        leader = first
        held_most |= np.int64(most[look] >> FOUR != second_most[look] >> FOUR) << np.int64(most[look] & FIFTEEN)
    state["leader"] = leader
    state["lead_changes"] = changes
    state["held_most"] = held_most
    state["looks"] = 0


@jit_part
def fold_masks(record: Any, state: Any) -> None:
    """Copy the tables that are sets of kinds into the state, as unsigned words."""
    for word in range(2):
        for i in range(STATES):
            state["matching"][i, word] = np.uint64(record["matching"][i, word])
        for i in range(MAX_KINDS):
            state["answers"][i, word] = np.uint64(record["answers"][i, word])
        for i in range(8):
            state["face_masks"][i, word] = np.uint64(record["face_masks"][i, word])
        for i in range(16):
            state["number_masks"][i, word] = np.uint64(record["number_masks"][i, word])
    for colour in range(MAX_COLOURS):
        state["colours_low"][colour] = np.uint64(record["colour_masks"][colour, 0])
        state["colours_high"][colour] = np.uint64(record["colour_masks"][colour, 1])
    for i in range(record["deck_size"]):
        state["deck"][i] = record["deck"][i]
    for kind in range(record["kinds"]):
        colour = record["colour"][kind]
        unit = ONE << SIZE_SHIFT
        state["units"][kind] = unit if colour < 0 else unit | (ONE << np.uint64(8 * colour))
