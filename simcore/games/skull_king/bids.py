"""Bids, but for those of `rollout`. Every draw is listed in draws.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king.cards import Bidding, Scoring
from simcore.games.skull_king.codes import (
    CARD_OF,
    ONE,
    TIGRESS_LOW,
    UNITS,
    ZERO,
)
from simcore.games.skull_king.views import ask_bid, ask_load
from simcore.jit import inlined, jit_part, lowest_bit, nth_bit, popcount
from simcore.rng import SEAT, below, below_from
from simcore.strategies import OWN

RANDOM, ZERO_BID, COUNT, CALIBRATED, ROLLOUT = range(5)

_TEN, _TWENTY = np.uint64(10), np.uint64(20)
_SIMULTANEOUS, _RESTRICTED = int(Bidding.SIMULTANEOUS), int(Bidding.DEALER_RESTRICTED)
_CANNONBALL = int(Scoring.RASCAL_CANNONBALL)


@jit_part
def count_units(low: Any, high: Any) -> Any:
    """Return what `count` adds up over a hand, in twentieths."""
    units = np.int64(0)
    while low != ZERO:
        units += UNITS[lowest_bit(low)]
        low &= low - ONE
    while high != ZERO:
        units += UNITS[64 + lowest_bit(high)]
        high &= high - ONE
    return units


@jit_part
def calibrated_estimate(record: Any, round_index: Any, low: Any, high: Any) -> Any:
    """Return the sum of the learned chances over a hand, in thousandths."""
    estimate = np.int64(0)
    while low != ZERO:
        code = lowest_bit(low)
        card = 65 if code == TIGRESS_LOW else CARD_OF[code]
        estimate += record["calibrated_chances"][round_index, card]
        low &= low - ONE
    while high != ZERO:
        estimate += record["calibrated_chances"][round_index, CARD_OF[64 + lowest_bit(high)]]
        high &= high - ONE
    return estimate


@jit_part
def count_bid(record: Any, units: Any) -> Any:
    """Return the estimate of `count` for a hand of so many twentieths, rounded to the nearest, halves up."""
    above, below_line = record["factor_above"], record["factor_below"]
    if above == below_line:
        return np.int64((np.uint64(units) + _TEN) // _TWENTY)  # as below, without a division
    return (2 * units * above + 20 * below_line) // (40 * below_line)


@jit_part
def rounded_estimate(record: Any, style: Any, round_index: Any, low: Any, high: Any) -> Any:
    """Return how many tricks a bidder expects of a hand, for the stake on its bid."""
    if style == CALIBRATED:
        return (2 * calibrated_estimate(record, round_index, low, high) + 1000) // 2000
    return count_bid(record, count_units(low, high))


@jit_part
def is_near_whole(record: Any, style: Any, round_index: Any, low: Any, high: Any) -> Any:
    """Whether a bidder's estimate is at most a quarter from a whole number."""
    if style == CALIBRATED:
        unit = np.int64(1000)
        rest = calibrated_estimate(record, round_index, low, high) % unit
    else:
        unit = 20 * record["factor_below"]
        rest = count_units(low, high) * record["factor_above"] % unit
    return 4 * min(rest, unit - rest) <= unit


@jit_part
def context_of(record: Any, cards: Any, earlier: Any, total: Any) -> Any:
    """Return whether the earlier bids are below (1), near (2) or above (3) what was to be expected."""
    if record["bidding"] == _SIMULTANEOUS:
        return 0
    deviation = record["players"] * total - earlier * cards
    if 2 * abs(deviation) <= record["players"]:
        return 2
    return 1 if deviation < 0 else 3


@jit_part
def bin_of(cards: Any, estimate: Any) -> Any:
    """Return the bin of an estimate in thousandths."""
    return min((estimate * 4 if cards <= 17 else estimate * 2) // 1000, 71)


@jit_part
def allowed_bid(record: Any, bid: Any, cards: Any, earlier: Any, total: Any) -> Any:
    """Return the bid, or the nearest one that is not forbidden to the last bidder."""
    if record["bidding"] == _RESTRICTED and earlier == record["players"] - 1 and bid + total == cards:
        return bid - 1 if bid > 0 else np.int64(1)
    return bid


@inlined
def choose_bid(
    record: Any,
    style: Any,
    stream: Any,
    units: Any,
    low: Any,
    high: Any,
    round_index: Any,
    cards: Any,
    earlier: Any,
    total: Any,
) -> Any:
    """Return the bid of one of the strategies that needs no playout and no user's function, and the stream after it."""
    if style == COUNT:
        return count_bid(record, units), stream
    if style == RANDOM:
        return below_from(stream, cards + 1)
    if style == CALIBRATED:
        context = context_of(record, cards, earlier, total)
        bin_ = bin_of(cards, calibrated_estimate(record, round_index, low, high))
        best = np.uint64(record["calibrated_bids"][round_index, context, bin_])
        which, stream = below_from(stream, popcount(best))
        return np.int64(nth_bit(best, which)), stream
    return np.int64(0), stream


@jit_part
def first_bidder(record: Any, state: Any, leader: Any) -> Any:
    """Return who bids first: the round's leader, or who plays second if that is Graybeard."""
    return leader if leader < record["players"] else 1 - state["human_leader"]


@jit_part
def choose_load(record: Any, state: Any, style: Any, seat: Any, round_index: Any, choose_own: Any) -> Any:
    """Return whether a player takes the cannonball; not for `rollout`, which has chosen already."""
    if style == OWN:
        return ask_load(record, state, seat, choose_own)
    if style == RANDOM or style == ZERO_BID:
        return below(state["streams"], SEAT + seat, 2)
    low, high = state["lows"][seat], state["highs"][seat]
    return np.int64(is_near_whole(record, style, round_index, low, high))


@inlined
def ask_or_choose(
    record: Any,
    state: Any,
    style: Any,
    seat: Any,
    round_index: Any,
    cards: Any,
    earlier: Any,
    total: Any,
    choose_own: Any,
) -> Any:
    """Return the bid of any strategy but `rollout`, before any forced move."""
    if style == OWN:
        return ask_bid(record, state, seat, cards, choose_own)
    streams, low, high = state["streams"], state["lows"][seat], state["highs"][seat]
    bid, streams[SEAT + seat] = choose_bid(
        record, style, streams[SEAT + seat], state["units"][seat], low, high, round_index, cards, earlier, total
    )
    return bid
