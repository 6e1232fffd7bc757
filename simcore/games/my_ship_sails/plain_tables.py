"""What plain matches look up: what there is to know of a hand, and what a seat does.

A *hand* is a number of three digits, its clubs, diamonds and hearts; the other cards are spades. The base is
`hand_size` + 1, so that what is looked up lies close together. A *lane* is 2 bits for the target, then 12 for the hand,
then 2 for the role: what a seat does with its target.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.my_ship_sails.hands import (
    best_suits,
    count_of,
    highest,
    nth_suit,
    shortest_suits,
    size,
    suits_held,
)
from simcore.jit import jit_part, jit_small, lowest_bit

HANDS = 1 << 12
"""Entries of the table of hands."""

MOVES = 1 << 20
"""Entries of a layer of the table of moves: 16 for each lane, of which a random number, the *code*, chooses.

Most are never looked up, nor filled in.
"""

HAND_BIT, ROLE = 2, 14
TARGET_BITS, HAND_BITS = 3, (HANDS - 1) << HAND_BIT
ADAPTIVE_ROLE, STUBBORN_ROLE, RANDOM_ROLE, TARGETLESS_ROLE = range(4)
"""TARGETLESS_ROLE stands for the first two while they take their first target."""

ABSENT = 0xFFFF
"""The lane of nobody: it gives nothing."""

TWELFTHS = 12
"""A code below 12 chooses one of n = 1, 2, 3 or 4: the one at code * n / 12, rounded down.

The code is `rng.scaled` to 12, and that is what scaling to n gives, since rounding down twice is as good as once.
`random` has codes below `hand_size` instead.
"""

SEVERAL, FLUSH = 14, 15
"""Bits of a move: whether a code was used, and whether the hand is a flush.

The bits below are those of a lane: what changes of the target, to be xored, and the card that goes.
"""

_DEALT, _4300, _BEST = np.uint64(20), np.uint64(40), np.uint64(60)
_COUNT, _SUM = np.uint64(15), np.uint64((1 << 20) - 1)
END, DEALT = _SUM, np.uint64((1 << 60) - (1 << 20))
"""Bits of a hand's entry that may be added up, at the end and of the deal: the highest count; the same once more, and
whether it is four cards of a suit and three of another. The best suits follow."""


@jit_small
def highest_of(entry: Any) -> Any:
    """Return the count of the suit held most, out of a hand's entry."""
    return entry & _COUNT


@jit_small
def best_suit(entry: Any) -> Any:
    """Return the first of the suits held most, out of a hand's entry."""
    return lowest_bit(entry >> _BEST)


@jit_small
def highest_sum(total: Any) -> Any:
    """Return the sum of counts of the suits held most at the end, out of a sum of entries."""
    return np.int64(total & _SUM)


@jit_small
def dealt_sum(total: Any) -> Any:
    """Return the sum of counts of the suits held most in the deal, out of a sum of entries."""
    return np.int64((total >> _DEALT) & _SUM)


@jit_small
def sum_of_4300(total: Any) -> Any:
    """Return how many hands were dealt four cards of a suit and three of another, out of an entry or a sum."""
    return np.int64((total >> _4300) & _SUM)


@jit_small
def unit(suit: Any, hand_size: Any) -> Any:
    """Return the hand that is a single card of a suit."""
    base = hand_size + 1
    return np.int64(suit == 0) + base * np.int64(suit == 1) + base * base * np.int64(suit == 2)


@jit_small
def hand_of(clubs: Any, diamonds: Any, hearts: Any, hand_size: Any) -> Any:
    """Return the hand of so many cards of three suits."""
    return clubs * unit(0, hand_size) + diamonds * unit(1, hand_size) + hearts * unit(2, hand_size)


@jit_small
def lane_of(hand: Any, target: Any, role: Any) -> Any:
    """Return the lane of a hand with a target and a role."""
    return target | hand << HAND_BIT | role << ROLE


@jit_small
def layers_for(pass_count: Any) -> Any:
    """Return how many moves make a pass: one that says all, or one for the target and one for each card."""
    return pass_count + 1 if pass_count > 1 else 1


@jit_small
def counts_of(clubs: Any, diamonds: Any, hearts: Any, cards: Any) -> Any:
    """Return the counts of a hand of so many cards (see hands.py)."""
    return clubs | diamonds << 4 | hearts << 8 | (cards - clubs - diamonds - hearts) << 12


@jit_part
def write(moves: Any, lane: Any, suits: Any, takes_target: Any, turn: Any, hand_size: Any) -> None:
    """Write the moves of a lane that takes one of some suits for its target, or passes a card of one of them.

    `turn` is what else changes of the target.
    """
    number = size(suits)
    for code in range(TWELFTHS):
        suit = nth_suit(suits, code * number // TWELFTHS)
        move = suit ^ turn if takes_target else lane_of(unit(suit, hand_size), turn, 0)
        moves[lane << 4 | code] = move | np.int64(number > 1) << SEVERAL


@jit_part
def write_random(moves: Any, lane: Any, counts: Any, hand_size: Any) -> None:
    """Write the moves of a lane that passes any card."""
    suit, before = np.int64(0), np.int64(0)
    for code in range(hand_size):
        while code >= before + count_of(counts, suit):
            before += count_of(counts, suit)
            suit += 1
        moves[lane << 4 | code] = lane_of(unit(suit, hand_size), 0, 0) | np.int64(1) << SEVERAL


@jit_part
def write_flush(moves: Any, hand: Any) -> None:
    """Write the moves of all lanes of a hand that is a flush."""
    for target in range(4):
        for role in (ADAPTIVE_ROLE, STUBBORN_ROLE, RANDOM_ROLE):
            for code in range(16):
                moves[lane_of(hand, target, role) << 4 | code] = np.int64(1) << FLUSH


@jit_small
def going(counts: Any, target: Any, cards: Any, left: Any) -> Any:
    """Return the suits of which one goes next, of a hand of so many cards of which `left` have to go."""
    others = cards - count_of(counts, target)
    if others == 0:
        return np.int64(1) << target
    suits = shortest_suits(counts, target)
    # If all of the others go, there is nothing to draw.
    return suits & -suits if others <= left else suits


@jit_part
def tabulate_moves(moves: Any, hand_size: Any) -> None:
    """Fill in the moves of all lanes that there can be, layer by layer (see `layers_for`)."""
    layers = moves.shape[0]
    for layer in range(layers):
        cards, left = hand_size - max(layer - 1, 0), max(layers - layer, 1)
        for code in range(16):
            moves[layer, ABSENT << 4 | code] = 0
        for clubs in range(cards + 1):
            for diamonds in range(cards - clubs + 1):
                for hearts in range(cards - clubs - diamonds + 1):
                    counts = counts_of(clubs, diamonds, hearts, cards)
                    hand = hand_of(clubs, diamonds, hearts, hand_size)
                    best = best_suits(counts, 0)
                    if layer == 0:
                        write(moves[0], lane_of(hand, 0, TARGETLESS_ROLE), best, True, 0, hand_size)
                        if highest(counts) == hand_size:
                            write_flush(moves[0], hand)
                            continue
                        write_random(moves[0], lane_of(hand, 0, RANDOM_ROLE), counts, hand_size)
                    for target in range(4):
                        for role in (ADAPTIVE_ROLE, STUBBORN_ROLE):
                            stays = role == STUBBORN_ROLE or (best >> target) & 1 != 0
                            wanted = np.int64(1) << target if stays else best
                            lane = lane_of(hand, target, role)
                            if layers > 1 and layer == 0:
                                write(moves[0], lane, wanted, True, target, hand_size)
                                continue
                            # If a single card came, a single suit at most is held more often than the target.
                            new = lowest_bit(np.uint64(wanted)) if layers == 1 else target
                            suits = going(counts, new, cards, left)
                            write(moves[layer], lane, suits, False, target ^ new, hand_size)


@jit_part
def tabulate_hands(hands: Any, hand_size: Any) -> None:
    """Fill in the entries of all hands."""
    for clubs in range(hand_size + 1):
        for diamonds in range(hand_size - clubs + 1):
            for hearts in range(hand_size - clubs - diamonds + 1):
                counts = counts_of(clubs, diamonds, hearts, hand_size)
                best, most = best_suits(counts, 0), highest(counts)
                is_4300 = np.int64(hand_size == 7 and most == 4 and suits_held(counts, 3) != 0)
                hands[hand_of(clubs, diamonds, hearts, hand_size)] = (
                    np.uint64(most | most << 20 | is_4300 << 40) | np.uint64(best) << _BEST
                )
