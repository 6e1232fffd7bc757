"""Hands as words, and what the numbers of cards in each suit decide, looked up in a table.

A *hand* is a word with one lane of 16 bits for each suit, and rank r at bit r of its lane: bits rise with
card numbers, so the n-th lowest bit is the n-th card in ascending order. *Counts* is a number with one
digit of 4 bits for each suit: how many cards of it are held. A set of suits is 4 bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.jit import jit_part, jit_small, nth_bit, popcount

NO_SUIT = -1

LANE = np.uint64(0xFFFF)
ZERO, ONE, _16 = np.uint64(0), np.uint64(1), np.uint64(16)

TABLE_SIZE = 1 << 16
"""Entries of the table made by `tabulate`: one for every number that counts can be."""

_MOST, _MOST_COUNT, _4300 = 16, 20, 24


@jit_small
def lane(suit: Any) -> Any:
    """Return the mask of a suit's cards in a hand."""
    return LANE << (_16 * np.uint64(suit))


@jit_small
def cards_of_suit(hand: Any, suit: Any) -> Any:
    """Return a suit's cards of a hand, rank r at bit r."""
    return (hand >> (_16 * np.uint64(suit))) & LANE


@jit_small
def suit_of(bit: Any) -> Any:
    """Return the suit of a card given by its bit."""
    return bit >> 4


@jit_small
def card_number(bit: Any) -> Any:
    """Return the card number, 13 * suit + rank, of a bit."""
    return 13 * (bit >> 4) + (bit & 15)


@jit_small
def one_of(suit: Any) -> Any:
    """Return the counts of a single card of a suit."""
    return np.int64(1) << (4 * suit)


@jit_small
def count_of(counts: Any, suit: Any) -> Any:
    """Return how many cards of a suit there are."""
    return (counts >> (4 * suit)) & 15


@jit_part
def suit_counts(hand: Any) -> Any:
    """Return the counts of a hand."""
    counts = np.int64(0)
    for suit in range(4):
        counts |= popcount(cards_of_suit(hand, suit)) << (4 * suit)
    return counts


@jit_part
def highest(counts: Any) -> Any:
    """Return the highest of the four counts."""
    return max(max(count_of(counts, 0), count_of(counts, 1)), max(count_of(counts, 2), count_of(counts, 3)))


@jit_part
def suits_held(counts: Any, number: Any) -> Any:
    """Return the suits of which exactly so many cards are held."""
    suits = np.int64(0)
    for suit in range(4):
        suits |= np.int64(count_of(counts, suit) == number) << suit
    return suits


@jit_part
def best_suits(counts: Any, banned: Any) -> Any:
    """Return the suits held most among those that are not banned."""
    most = np.int64(0)
    for suit in range(4):
        if (banned >> suit) & 1 == 0:
            most = max(most, count_of(counts, suit))
    return suits_held(counts, most) & ~banned


@jit_part
def shortest_suits(counts: Any, target: Any) -> Any:
    """Return the suits held least, but held, outside the target."""
    fewest = np.int64(16)
    for suit in range(4):
        count = count_of(counts, suit)
        if suit != target and 0 < count < fewest:
            fewest = count
    return suits_held(counts, fewest) & ~(np.int64(1) << target)


@jit_part
def tabulate(table: Any, fewest: Any, most: Any) -> None:
    """Fill in the entries of all counts of hands of `fewest` to `most` cards.

    An entry holds, in sets of 4 bits from the low end, the shortest suits outside each of the four targets,
    then the best suits, then the count of these, then a bit for seven cards of which four and three are of one suit.
    """
    for total in range(fewest, most + 1):
        for clubs in range(min(total, 13) + 1):
            for diamonds in range(min(total - clubs, 13) + 1):
                for hearts in range(min(total - clubs - diamonds, 13) + 1):
                    spades = total - clubs - diamonds - hearts
                    if spades > 13:
                        continue
                    counts = clubs | (diamonds << 4) | (hearts << 8) | (spades << 12)
                    entry = best_suits(counts, 0) << _MOST | highest(counts) << _MOST_COUNT
                    entry |= np.int64(total == 7 and highest(counts) == 4 and suits_held(counts, 3) != 0) << _4300
                    for target in range(4):
                        entry |= shortest_suits(counts, target) << (4 * target)
                    table[counts] = entry


@jit_small
def tabulated_shortest(entry: Any, target: Any) -> Any:
    """Return the shortest suits outside the target, out of an entry."""
    return (entry >> (4 * target)) & 15


@jit_small
def tabulated_best(entry: Any) -> Any:
    """Return the best suits, out of an entry."""
    return (entry >> _MOST) & 15


@jit_small
def tabulated_highest(entry: Any) -> Any:
    """Return the highest count, out of an entry."""
    return (entry >> _MOST_COUNT) & 15


@jit_small
def tabulated_4300(entry: Any) -> Any:
    """Return 1 for four cards of a suit and three of another, else 0, out of an entry."""
    return (entry >> _4300) & 1


@jit_small
def nth_suit(suits: Any, n: Any) -> Any:
    """Return the n-th of a set of suits."""
    return nth_bit(np.uint64(suits), n)


@jit_small
def size(suits: Any) -> Any:
    """Return how many suits a set has."""
    return popcount(np.uint64(suits))
