"""Hands as words: one lane of 16 bits for each suit, with rank r at bit r of its lane.

Bits rise with card numbers, so the n-th lowest bit is the n-th card in ascending order. The number of
cards in each suit is a word of four lanes as well, which compares all suits at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.jit import jit, nth_bit, popcount

NO_SUIT = -1

LANE = np.uint64(0xFFFF)
ONES = np.uint64(0x0001_0001_0001_0001)
TOPS = np.uint64(0x8000_8000_8000_8000)
_BELOW_TOPS = np.uint64(0x7FFF_7FFF_7FFF_7FFF)
_5555, _3333, _0F0F, _00FF = (
    np.uint64(0x5555_5555_5555_5555),
    np.uint64(0x3333_3333_3333_3333),
    np.uint64(0x0F0F_0F0F_0F0F_0F0F),
    np.uint64(0x00FF_00FF_00FF_00FF),
)
ZERO, _1, _2, _4, _8, _16 = (np.uint64(n) for n in (0, 1, 2, 4, 8, 16))


@jit
def suit_counts(hand: Any) -> Any:
    """Return the number of cards of each suit, one lane a suit."""
    pairs = hand - ((hand >> _1) & _5555)
    fours = (pairs & _3333) + ((pairs >> _2) & _3333)
    eights = (fours + (fours >> _4)) & _0F0F
    return (eights + (eights >> _8)) & _00FF


@jit
def lane(suit: Any) -> Any:
    """Return the mask of a suit's lane."""
    return LANE << (_16 * np.uint64(suit))


@jit
def count_of(counts: Any, suit: Any) -> Any:
    """Return one suit's number out of a word of counts."""
    return np.int64((counts >> (_16 * np.uint64(suit))) & LANE)


@jit
def highest(counts: Any) -> Any:
    """Return the highest of the four counts."""
    return max(max(count_of(counts, 0), count_of(counts, 1)), max(count_of(counts, 2), count_of(counts, 3)))


@jit
def lanes_equal(counts: Any, value: Any) -> Any:
    """Return the top bit of each lane whose count is `value`."""
    apart = counts ^ (ONES * np.uint64(value))
    return ~((apart & _BELOW_TOPS) + _BELOW_TOPS) & TOPS


@jit
def has_at_least(counts: Any, value: Any) -> Any:
    """Whether some suit has at least `value` cards (1 or more)."""
    return ((counts + ONES * np.uint64(0x8000 - value)) & TOPS) != ZERO


@jit
def nth_suit(tops: Any, n: Any) -> Any:
    """Return the suit of the n-th of some top bits of lanes."""
    return nth_bit(tops, n) >> 4


@jit
def suit_of(bit: Any) -> Any:
    """Return the suit of a card given by its bit."""
    return bit >> 4


@jit
def card_number(bit: Any) -> Any:
    """Return the card number, 13 * suit + rank, of a bit."""
    return 13 * (bit >> 4) + (bit & 15)


@jit
def cards_of_suit(hand: Any, suit: Any) -> Any:
    """Return a suit's cards of a hand, rank r at bit r."""
    return (hand >> (_16 * np.uint64(suit))) & LANE


@jit
def size(hand: Any) -> Any:
    """Return the number of cards."""
    return popcount(hand)
