"""Many matches side by side, for lock step.

Each match has a *lane*: one column of arrays whose rows are seats or cards. A step is done in all lanes before the next
one. Where its loop over the lanes has no jump and no place that differs from lane to lane, the compiler makes vectors
of it, so conditions are masks here: words of 64 ones or zeros.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king.codes import ONE, ZERO
from simcore.games.skull_king.rules import MAX_PLAYERS
from simcore.games.skull_king.states import MAX_DECK
from simcore.jit import highest_bit, jit_small

LANES = 64
"""Matches side by side: 32 or 128 are hardly slower."""

_ALL, _HIGHEST = ~ZERO, np.uint64(2**63)
_LANE, _SEATS = (LANES,), (MAX_PLAYERS, LANES)

LANES_STATE = np.dtype(
    [
        # The deal
        ("pack", np.uint8, (MAX_DECK, LANES)),  # codes of the cards that are left
        ("deal_stream", np.uint64, _LANE),
        ("drawn", np.uint64, _LANE),  # a place
        ("code", np.uint64, _LANE),
        ("unit", np.int64, _LANE),
        # The round
        ("round_key", np.uint64, _LANE),
        ("streams", np.uint64, _SEATS),
        ("lows", np.uint64, _SEATS),  # hands, see codes.py
        ("highs", np.uint64, _SEATS),
        ("units", np.int64, _SEATS),  # what `count` adds up over the hand dealt
        ("bids", np.int64, _SEATS),
        ("bid_total", np.int64, _LANE),
        ("tricks", np.int64, _SEATS),
        ("bonuses", np.int64, _SEATS),  # points due for 14s and captures
        ("is_exact", np.int64, _SEATS),
        ("points", np.int64, _SEATS),  # in halves
        ("paid", np.int64, _SEATS),  # bonus, in halves
        ("leaders", np.int64, _LANE),
        # Whoever is to play
        ("seat", np.uint64, _LANE),
        ("low", np.uint64, _LANE),
        ("high", np.uint64, _LANE),
        ("stream", np.uint64, _LANE),
        ("needed", np.uint64, _LANE),  # 1 or 0: whether a trick is
        # The trick, as in tricks.py
        ("opens", np.uint64, _LANE),
        ("closed", np.uint64, _LANE),  # a mask: a character would leave no suit to be set
        ("suit_low", np.uint64, _LANE),
        ("suit_high", np.uint64, _LANE),
        ("win_low", np.uint64, _LANE),
        ("win_high", np.uint64, _LANE),
        ("laid_low", np.uint64, _LANE),
        ("laid_high", np.uint64, _LANE),
        ("winner", np.uint64, _LANE),
        ("mermaid", np.uint64, _LANE),  # the place of the first one
        ("due", np.int64, _LANE),  # points
        # The match
        ("game_key", np.uint64, _LANE),
        ("first_leader", np.int64, _LANE),
        ("totals", np.int64, _SEATS),
        ("half_totals", np.int64, _SEATS),
        ("exact", np.int64, _SEATS),  # bids
        ("deficits", np.int64, _SEATS),
        ("best", np.int64, _LANE),
        ("leading", np.int64, _LANE),  # how many are
        ("leading_seat", np.int64, _LANE),  # the sum of their seats
        ("sole_leader", np.int64, _LANE),
        ("leads_since", np.int64, _LANE),
        ("lead_changes", np.int64, _LANE),
        ("choices", np.int64, _LANE),
        ("captured", np.int64, (5, LANES)),
    ]
)


@jit_small
def mask_if(condition: Any) -> Any:
    """Return a word of ones or of zeros."""
    return np.uint64(condition) * _ALL


@jit_small
def any_of(cards: Any, group: Any) -> Any:
    """Return a mask: whether some of the cards are of a group."""
    return mask_if(cards & group != ZERO)


@jit_small
def pick(mask: Any, one: Any, other: Any) -> Any:
    """Return one word where the mask has ones, the other where it has zeros."""
    return (one & mask) | (other & ~mask)


@jit_small
def lowest(cards: Any) -> Any:
    """Return the lowest bit of a word without bit 63; zero if there is none."""
    return cards & ~((cards | _HIGHEST) - ONE)


@jit_small
def highest(cards: Any) -> Any:
    """Return the highest bit of a word; zero if there is none."""
    return cards & (ONE << np.uint64(highest_bit(cards | ONE)))


@jit_small
def up_to(card: Any) -> Any:
    """Return the bit of a card and all below; of no card, all but bit 63."""
    return card | ((card | _HIGHEST) - ONE)
