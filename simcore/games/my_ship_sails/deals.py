"""Cutting the pack and dealing."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.my_ship_sails import events
from simcore.games.my_ship_sails.hands import ONE, ZERO, cards_of_suit, suit_counts, tabulated_highest
from simcore.games.my_ship_sails.rules import TrimSuits
from simcore.jit import jit_part
from simcore.log import event
from simcore.rng import DEAL, below, below_from, start

_RANDOM_SUITS = int(TrimSuits.RANDOM)


@jit_part
def draw_short_suits(record: Any, state: Any, streams: Any) -> Any:
    """Return the suits that lose a single card of the edge rank."""
    if record["trim_suits"] != _RANDOM_SUITS or record["edge_rank"] < 0:
        return (np.int64(1) << record["short_suits"]) - 1
    order = state["order"]
    for suit in range(4):
        order[suit] = suit
    short = np.int64(0)
    for i in range(record["short_suits"]):
        j = i + below(streams, DEAL, 4 - i)
        order[i], order[j] = order[j], order[i]
        short |= np.int64(1) << order[i]
    return short


@jit_part
def lay_out_deck(record: Any, state: Any, short: Any) -> Any:
    """Lay out the cards in play in ascending order, and return their number."""
    deck, cards = state["deck"], 0
    low, high, edge = record["low_rank"], record["high_rank"], record["edge_rank"]
    for suit in range(4):
        for rank in range(13):
            if low <= rank <= high or (rank == edge and (short >> suit) & 1 == 0):
                deck[cards] = 16 * suit + rank
                cards += 1
    return cards


@jit_part
def deal(record: Any, state: Any, table: Any, key: Any, number: Any) -> Any:
    """Shuffle, deal, and return whether anybody was dealt a flush; `number` counts redeals."""
    streams, deck, shuffled = state["streams"], state["deck"], state["shuffled"]
    hands, counts = state["hands"], state["counts"]
    start(streams, DEAL, key, number)
    counter, cards = streams[DEAL], state["cards"]
    for i in range(cards):
        shuffled[i] = deck[i]
    hand_size = record["hand_size"]
    i = 0
    any_flush = False
    for seat in range(record["players"]):
        hand = ZERO
        for _ in range(hand_size):
            j, counter = below_from(counter, cards - i)
            j += i
            bit = shuffled[j]
            shuffled[j] = shuffled[i]
            hand |= ONE << np.uint64(bit)
            i += 1
        hands[seat] = hand
        counts[seat] = suit_counts(hand)
        any_flush |= tabulated_highest(table[counts[seat]]) >= hand_size
    return any_flush


@jit_part
def log_hands(record: Any, state: Any, log: Any) -> None:
    """Log every hand."""
    for seat in range(record["players"]):
        hand = state["hands"][seat]
        event(
            log,
            events.HAND,
            seat,
            cards_of_suit(hand, 0),
            cards_of_suit(hand, 1),
            cards_of_suit(hand, 2),
            cards_of_suit(hand, 3),
        )
