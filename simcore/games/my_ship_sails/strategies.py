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

from simcore.games.my_ship_sails import view as places
from simcore.games.my_ship_sails.hands import (
    NO_SUIT,
    ONE,
    ZERO,
    best_suits,
    card_number,
    cards_of_suit,
    count_of,
    lane,
    nth_suit,
    shortest_suits,
    size,
)
from simcore.games.my_ship_sails.rules import Discard, FirstTarget
from simcore.jit import inlined, jit_part, lowest_bit, nth_bit, popcount
from simcore.rng import SEAT, below, word
from simcore.strategies import OWN

RANDOM, STUBBORN, ADAPTIVE, PATIENT, HESITANT, WATCHER = range(6)
_RANDOM_CARD, _NEWEST, _SECOND = int(Discard.RANDOM), int(Discard.NEWEST), int(FirstTarget.SECOND)

STALE, BARRED, PREVIOUS = range(3)
"""What a patient player keeps in mind: passes without progress, the barred suit, the target's count."""

VIEW_CARDS, VIEW_ARRIVALS, VIEW_SIZE = places.CARDS, places.ARRIVALS, 40


@jit_part
def draw_suit(suits: Any, streams: Any, seat: Any) -> Any:
    """Return one of some suits."""
    return nth_suit(suits, below(streams, SEAT + seat, size(suits)))


@jit_part
def choose_first_target(strategy: Any, counts: Any, best: Any, streams: Any, seat: Any) -> Any:
    """Return the target taken at the deal, of the `best` suits, or NO_SUIT for who takes none yet."""
    style = strategy["style"]
    if style == OWN or style == RANDOM or style == HESITANT:
        return np.int64(NO_SUIT)
    target = draw_suit(best, streams, seat)
    if style == STUBBORN and strategy["first_target"] == _SECOND:
        target = draw_suit(best_suits(counts, np.int64(1) << target), streams, seat)
    return target


@jit_part
def choose_higher(counts: Any, target: Any, banned: Any, streams: Any, seat: Any) -> Any:
    """Return a suit that is held strictly more often than the target, else the target."""
    best = best_suits(counts, banned)
    if count_of(counts, lowest_bit(np.uint64(best))) > count_of(counts, target):
        return draw_suit(best, streams, seat)
    return target


@jit_part
def choose_patient(patience: Any, counts: Any, target: Any, mind: Any, is_first: Any, streams: Any, seat: Any) -> Any:
    """Return a patient player's target, and bring up to date what it keeps in mind."""
    if is_first:
        mind[STALE] = 0
        mind[BARRED] = NO_SUIT
    elif count_of(counts, target) > mind[PREVIOUS]:
        mind[STALE] = 0
    else:
        mind[STALE] += 1
    banned = np.int64(1) << mind[BARRED] if mind[BARRED] != NO_SUIT else np.int64(0)
    chosen = choose_higher(counts, target, banned, streams, seat)
    if chosen != target:
        mind[STALE] = 0
        mind[BARRED] = NO_SUIT
    elif mind[STALE] >= patience:
        chosen = draw_suit(best_suits(counts, banned | np.int64(1) << target), streams, seat)
        mind[STALE] = 0
        mind[BARRED] = target
    mind[PREVIOUS] = count_of(counts, chosen)
    return chosen


@jit_part
def choose_target(strategy: Any, counts: Any, target: Any, mind: Any, pass_number: Any, streams: Any, seat: Any) -> Any:
    """Return the target for this pass, or NO_SUIT for who passes at random."""
    style = strategy["style"]
    if style == ADAPTIVE or style == WATCHER:
        return choose_higher(counts, target, 0, streams, seat)
    if style == PATIENT:
        return choose_patient(strategy["patience"], counts, target, mind, pass_number == 1, streams, seat)
    if style == HESITANT and pass_number > strategy["hesitation"]:
        if target == NO_SUIT:
            return draw_suit(best_suits(counts, 0), streams, seat)
        return choose_higher(counts, target, 0, streams, seat)
    return target


@jit_part
def choose_shortest(hand: Any, counts: Any, target: Any, preferred: Any, streams: Any, seat: Any) -> Any:
    """Return the lowest card of the suit held least outside the target, of preferred suits if it can."""
    suits = shortest_suits(counts, target)
    if suits & preferred != 0:
        suits &= preferred
    return lowest_bit(hand & lane(draw_suit(suits, streams, seat)))


@jit_part
def choose_newest(others: Any, arrivals: Any) -> Any:
    """Return the cards that arrived at the latest pass."""
    latest, newest = np.int64(-1), ZERO
    rest = others
    while rest != ZERO:
        bit = lowest_bit(rest)
        rest &= rest - ONE
        if arrivals[bit] > latest:
            latest, newest = arrivals[bit], ZERO
        if arrivals[bit] == latest:
            newest |= ONE << np.uint64(bit)
    return newest


@jit_part
def choose_card(
    discard: Any,
    hand: Any,
    counts: Any,
    target: Any,
    left: Any,
    preferred: Any,
    arrivals: Any,
    streams: Any,
    seat: Any,
) -> Any:
    """Return the card (its bit) that goes next, by the target and the way of discarding.

    `left` is how many cards are still to be chosen for this pass, `preferred` the suits that a watcher
    likes to pass.
    """
    candidates = hand
    if target != NO_SUIT:
        candidates = hand & ~lane(target)
        if candidates == ZERO:
            return lowest_bit(hand)
        if popcount(candidates) <= left:
            return lowest_bit(candidates)
        if discard == _NEWEST:
            candidates = choose_newest(candidates, arrivals)
        elif discard != _RANDOM_CARD:
            return choose_shortest(hand, counts, target, preferred, streams, seat)
        liked = ZERO
        for suit in range(4):
            if (preferred >> suit) & 1 != 0:
                liked |= candidates & lane(suit)
        if liked != ZERO:
            candidates = liked
    return nth_bit(candidates, below(streams, SEAT + seat, popcount(candidates)))


@inlined
def choose_own_card(
    choose_own: Any, view: Any, record: Any, hand: Any, arrivals: Any, pass_number: Any, step: Any, left: Any,
    streams: Any, seat: Any,
) -> Any:  # fmt: skip
    """Return the card (its bit) that a user's own strategy passes next, or -1 if it chose none there is.

    What it sees is described in view.py. An option is the place of a card, from 0.
    """
    view[:] = 0
    view[places.PASS] = pass_number
    view[places.PLAYERS] = record["players"]
    view[places.HAND_SIZE] = record["hand_size"]
    view[places.PASS_COUNT] = record["pass_count"]
    view[places.LEFT] = left
    view[places.DIRECTION] = step
    held = popcount(hand)
    view[places.HELD] = held
    view[places.SEAT] = seat
    rest, n = hand, ZERO
    while rest != ZERO:
        bit = lowest_bit(rest)
        rest &= rest - ONE
        view[np.uint64(VIEW_CARDS) + n] = card_number(bit)
        view[np.uint64(VIEW_ARRIVALS) + n] = arrivals[np.uint64(bit)]
        n += ONE
    chosen = choose_own(view, held, word(streams, SEAT + seat))
    if chosen < 0 or chosen >= held:
        return np.int64(-1)
    return nth_bit(hand, chosen)


@jit_part
def suits_of(cards: Any) -> Any:
    """Return the suits of some cards."""
    suits = np.int64(0)
    for suit in range(4):
        suits |= np.int64(cards_of_suit(cards, suit) != ZERO) << suit
    return suits
