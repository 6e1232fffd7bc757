"""What a seat decides: its target, and which card to pass.

The numbers of the strategies are their places in ``rules.STRATEGIES``. All ties are broken by one draw
among the candidates in ascending order (see draws.md).

The watcher infers just this: a card that it passed in this round and that it receives again was passed on
by the neighbour it had gone to, so its suit is marked, for the rest of the round, as one that the neighbour
does not seem to keep. As long as the direction does not change, the card went all the way round and every
other player passed it on. Of several candidates for passing it prefers those of marked suits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.my_ship_sails.hands import (
    NO_SUIT,
    ZERO,
    card_number,
    count_of,
    highest,
    lane,
    lanes_equal,
    nth_suit,
    size,
    suit_counts,
)
from simcore.games.my_ship_sails.rules import Discard, FirstTarget
from simcore.jit import jit, lowest_bit, nth_bit, popcount
from simcore.rng import SEAT, below, word
from simcore.strategies import OWN

RANDOM, STUBBORN, ADAPTIVE, PATIENT, HESITANT, WATCHER = range(6)
_RANDOM_CARD, _NEWEST, _SECOND = int(Discard.RANDOM), int(Discard.NEWEST), int(FirstTarget.SECOND)

STALE, BARRED, PREVIOUS = range(3)
"""What a patient player keeps in mind: passes without progress, the barred suit, the target's count."""

_ONE = np.uint64(1)

VIEW_CARDS, VIEW_ARRIVALS, VIEW_SIZE = 8, 24, 40


@jit
def choose_best_suit(counts: Any, banned: Any, streams: Any, seat: Any) -> Any:
    """Return a suit of the highest count among those whose lanes are not in `banned`."""
    best = highest(counts & ~banned)
    tops = lanes_equal(counts, best) & ~banned
    return nth_suit(tops, below(streams, SEAT + seat, popcount(tops)))


@jit
def choose_first_target(strategy: Any, counts: Any, streams: Any, seat: Any) -> Any:
    """Return the target taken at the deal, or NO_SUIT for who takes none yet."""
    style = strategy["style"]
    if style in (OWN, RANDOM, HESITANT):
        return NO_SUIT
    target = choose_best_suit(counts, ZERO, streams, seat)
    if style == STUBBORN and strategy["first_target"] == _SECOND:
        target = choose_best_suit(counts, lane(target), streams, seat)
    return target


@jit
def choose_higher(counts: Any, target: Any, banned: Any, streams: Any, seat: Any) -> Any:
    """Return a suit that is held strictly more often than the target, else the target."""
    if highest(counts & ~banned) > count_of(counts, target):
        return choose_best_suit(counts, banned, streams, seat)
    return target


@jit
def choose_patient(patience: Any, counts: Any, target: Any, mind: Any, is_first: Any, streams: Any, seat: Any) -> Any:
    """Return a patient player's target, and bring up to date what it keeps in mind."""
    if is_first:
        mind[STALE] = 0
        mind[BARRED] = NO_SUIT
    elif count_of(counts, target) > mind[PREVIOUS]:
        mind[STALE] = 0
    else:
        mind[STALE] += 1
    banned = lane(mind[BARRED]) if mind[BARRED] != NO_SUIT else ZERO
    chosen = choose_higher(counts, target, banned, streams, seat)
    if chosen != target:
        mind[STALE] = 0
        mind[BARRED] = NO_SUIT
    elif mind[STALE] >= patience:
        chosen = choose_best_suit(counts, banned | lane(target), streams, seat)
        mind[STALE] = 0
        mind[BARRED] = target
    mind[PREVIOUS] = count_of(counts, chosen)
    return chosen


@jit
def choose_target(strategy: Any, counts: Any, target: Any, mind: Any, pass_number: Any, streams: Any, seat: Any) -> Any:
    """Return the target for this pass, or NO_SUIT for who passes at random."""
    style = strategy["style"]
    if style == ADAPTIVE or style == WATCHER:
        return choose_higher(counts, target, ZERO, streams, seat)
    if style == PATIENT:
        return choose_patient(strategy["patience"], counts, target, mind, pass_number == 1, streams, seat)
    if style == HESITANT and pass_number > strategy["hesitation"]:
        if target == NO_SUIT:
            return choose_best_suit(counts, ZERO, streams, seat)
        return choose_higher(counts, target, ZERO, streams, seat)
    return target


@jit
def choose_shortest(hand: Any, counts: Any, target: Any, preferred: Any, streams: Any, seat: Any) -> Any:
    """Return the lowest card of the suit held least outside the target, of preferred suits if it can."""
    others = counts & ~lane(target)
    fewest = np.int64(16)
    for suit in range(4):
        count = count_of(others, suit)
        fewest = count if 0 < count < fewest else fewest
    tops = lanes_equal(others, fewest)
    if tops & preferred != ZERO:
        tops &= preferred
    suit = nth_suit(tops, below(streams, SEAT + seat, popcount(tops)))
    return lowest_bit(hand & lane(suit))


@jit
def choose_newest(others: Any, arrivals: Any) -> Any:
    """Return the cards that arrived at the latest pass."""
    latest, newest = np.int64(-1), ZERO
    rest = others
    while rest != ZERO:
        bit = lowest_bit(rest)
        rest &= rest - _ONE
        if arrivals[bit] > latest:
            latest, newest = arrivals[bit], ZERO
        if arrivals[bit] == latest:
            newest |= _ONE << np.uint64(bit)
    return newest


@jit
def choose_card(
    discard: Any, hand: Any, counts: Any, target: Any, preferred: Any, arrivals: Any, streams: Any, seat: Any
) -> Any:
    """Return the card (its bit) that goes next, by the target and the way of discarding.

    `preferred` has the top bits of the suits that a watcher likes to pass.
    """
    candidates = hand
    if target != NO_SUIT:
        candidates = hand & ~lane(target)
        if candidates == ZERO:
            return lowest_bit(hand)
        if discard == _NEWEST:
            candidates = choose_newest(candidates, arrivals)
        elif discard != _RANDOM_CARD:
            return choose_shortest(hand, counts, target, preferred, streams, seat)
        if preferred != ZERO:
            # From the top bit of a lane to the whole lane.
            liked = candidates & (preferred | (preferred - (preferred >> np.uint64(15))))
            candidates = liked if liked != ZERO else candidates
    return nth_bit(candidates, below(streams, SEAT + seat, size(candidates)))


@jit
def choose_own_card(
    choose_own: Any, view: Any, record: Any, hand: Any, arrivals: Any, pass_number: Any, step: Any, left: Any,
    streams: Any, seat: Any,
) -> Any:  # fmt: skip
    """Return the card (its bit) that a user's own strategy passes next, or -1 if it chose none there is.

    The view: 0 pass number, 1 players, 2 hand_size, 3 pass_count, 4 cards still to choose at this pass,
    5 direction (1 left, -1 right), 6 cards in hand, 7 unused; from 8 the cards in ascending order, from
    24 the passes at which they arrived (0 if dealt). An option is the place of a card, from 0.
    """
    view[:] = 0
    view[0] = pass_number
    view[1] = record["players"]
    view[2] = record["hand_size"]
    view[3] = record["pass_count"]
    view[4] = left
    view[5] = step
    held = size(hand)
    view[6] = held
    rest = hand
    for n in range(held):
        bit = lowest_bit(rest)
        rest &= rest - _ONE
        view[VIEW_CARDS + n] = card_number(bit)
        view[VIEW_ARRIVALS + n] = arrivals[bit]
    chosen = choose_own(view, held, word(streams, SEAT + seat))
    if chosen < 0 or chosen >= held:
        return np.int64(-1)
    return nth_bit(hand, chosen)


@jit
def counts_without(counts: Any, bit: Any) -> Any:
    """Return the counts after a card has left."""
    return counts - (_ONE << np.uint64(bit & 48))


@jit
def marked_suits(returned: Any) -> Any:
    """Return the top bits of the suits of some cards."""
    counts = suit_counts(returned)
    return ~lanes_equal(counts, 0) & np.uint64(0x8000_8000_8000_8000)
