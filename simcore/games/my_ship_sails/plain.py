"""Rounds of the commonest kind, played on the numbers of cards alone and with all four hands in one word.

In a *plain* round nothing is logged, four players pass one card at once, all go for the suit they hold most and pass
from their shortest one, and the first call wins. Then no rank decides anything: a hand is its counts (see hands.py),
the hands are one word with a lane of 16 bits a seat, and so are the targets. `play_passes` plays the same rounds with
the same draws, twice as slowly; a test compares them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.my_ship_sails.flushes import settle
from simcore.games.my_ship_sails.hands import (
    ONE,
    ZERO,
    size,
    tabulated_best,
    tabulated_highest,
    tabulated_shortest,
)
from simcore.games.my_ship_sails.rules import DealtFlush, Direction, Discard, FirstTarget, PassMode, Simultaneous
from simcore.games.my_ship_sails.states import NO_SEAT, direction_of
from simcore.games.my_ship_sails.strategies import ADAPTIVE, STUBBORN
from simcore.jit import inlined, jit_part, jit_small, lowest_bit, nth_bit, popcount
from simcore.rng import CHANCE, DEAL, SEAT, later, mix, plus_golden, scaled, start

PLAYERS = 4
"""With four lanes of 16 bits the hands fill a word, and what is passed moves on by a rotation."""

TABLE_SIZE = 1 << 12
"""Entries of the table made by `tabulate_plain`: clubs, diamonds and hearts tell how many spades there are."""

_HAND, _LANE, _SET = np.uint64(TABLE_SIZE - 1), np.uint64(0xFFFF), np.uint64(15)
_4, _16, _48, _64 = (np.uint64(n) for n in (4, 16, 48, 64))
_BEST_SUITS, _HIGHEST, _4300, _SEVERAL, _SEVERAL_BEST, _IS_FLUSH = (np.uint64(n) for n in (16, 20, 24, 25, 29, 30))
_FLUSH = ONE << _IS_FLUSH
_FIRST_CALL, _WINS = int(Simultaneous.FIRST_CALL), int(DealtFlush.WINS)
_SIMULTANEOUS, _ALTERNATE_PASSES = int(PassMode.SIMULTANEOUS), int(Direction.ALTERNATE_PASSES)
_SHORTEST, _BEST = int(Discard.SHORTEST), int(FirstTarget.BEST)


@inlined
def is_plain(record: Any, strategies: Any) -> Any:
    """Whether all rounds are plain, unless they are logged."""
    plain = (
        record["players"] == PLAYERS
        and record["pass_count"] == 1
        and record["pass_mode"] == _SIMULTANEOUS
        and record["direction"] != _ALTERNATE_PASSES
        and record["simultaneous"] == _FIRST_CALL
        and record["dead_heat"] <= 0.0
        and record["overlook"] <= 0.0
        and record["dealt_flush"] == _WINS
    )
    for seat in range(PLAYERS):
        strategy = strategies[seat]
        is_best = strategy["style"] == STUBBORN and strategy["first_target"] == _BEST
        plain &= (strategy["style"] == ADAPTIVE or is_best) and strategy["discard"] == _SHORTEST
    return plain


@jit_part
def tabulate_plain(table: Any, plain: Any, hand_size: Any) -> None:
    """Copy the entries of whole hands out of the table of `hands.tabulate`.

    Added are bits: from 25 on, for which targets there are several shortest suits; 29, whether there are several best
    ones; 30, whether it is a flush.
    """
    for clubs in range(hand_size + 1):
        for diamonds in range(hand_size - clubs + 1):
            for hearts in range(hand_size - clubs - diamonds + 1):
                counts = clubs | diamonds << 4 | hearts << 8
                entry = np.int64(table[counts | (hand_size - clubs - diamonds - hearts) << 12])
                added = np.int64(size(tabulated_best(entry)) > 1) << 4
                added |= np.int64(tabulated_highest(entry) == hand_size) << 5
                for target in range(4):
                    added |= np.int64(size(tabulated_shortest(entry, target)) > 1) << target
                plain[counts] = entry | added << 25


@inlined
def deal_counts(record: Any, state: Any, key: Any) -> Any:
    """Shuffle and deal as `deals.deal` does, and return all hands' counts."""
    streams, units, pack, drawn = state["streams"], state["units"], state["pack"], state["drawn"]
    start(streams, DEAL, key, 0)
    counter, cards, hand_size = streams[DEAL], np.uint64(state["cards"]), record["hand_size"]
    for i in range(state["cards"]):
        pack[i] = units[i]
    # All draws first, since they wait for nothing. The last of all cards takes none, but has place 0 left in any case.
    for i in range(PLAYERS * hand_size):
        n = np.uint64(i)
        drawn[i] = n + scaled(mix(later(counter, n + ONE)), cards - n)
    hands, n = ZERO, ZERO
    for seat in range(PLAYERS):
        counts = np.int64(0)
        for _ in range(hand_size):
            counts += pack[drawn[n]]
            pack[drawn[n]] = pack[n]
            n += ONE
        hands |= np.uint64(counts) << (_16 * np.uint64(seat))
    return hands


@jit_small
def lane_of(word: Any, seat: Any) -> Any:
    """Return what a word holds for a seat."""
    return (word >> (_16 * np.uint64(seat))) & _LANE


@jit_small
def entry_of(plain: Any, hands: Any, seat: Any) -> Any:
    """Return the table's entry of a seat's hand."""
    return plain[lane_of(hands, seat) & _HAND]


@jit_small
def draw_suit(suits: Any, several: Any, streams: Any, seat: Any) -> Any:
    """Return one of some suits; `several` is 1 if there are more than one, else 0, when nothing is drawn.

    The counter moves by a product, since a choice may become a jump, which nobody can foretell.
    """
    counter = streams[np.uint64(SEAT + seat)]
    streams[np.uint64(SEAT + seat)] = later(counter, several)
    return np.uint64(nth_bit(suits, scaled(mix(plus_golden(counter)), np.uint64(popcount(suits)))))


@inlined
def take_targets(state: Any, plain: Any, hands: Any, key: Any) -> Any:
    """Start the seats' streams and return the targets that all take at the deal."""
    streams, targets = state["streams"], ZERO
    for seat in range(PLAYERS):
        start(streams, SEAT + seat, key, 0)
        entry = entry_of(plain, hands, seat)
        target = draw_suit((entry >> _BEST_SUITS) & _SET, (entry >> _SEVERAL_BEST) & ONE, streams, seat)
        targets |= target << (_16 * np.uint64(seat))
    return targets


@inlined
def pass_cards(state: Any, plain: Any, hands: Any, targets: Any, shift: Any) -> Any:
    """Let all seats pass. Returns the hands, the targets, and whether anything was drawn (not 0)."""
    streams, parcels, is_drawn = state["streams"], ZERO, ZERO
    for seat in range(PLAYERS):
        entry = entry_of(plain, hands, seat)
        target = lane_of(targets, seat)
        best = (entry >> _BEST_SUITS) & _SET
        if (best >> target) & ONE == ZERO and state["is_adaptive"][seat] != 0:
            several = (entry >> _SEVERAL_BEST) & ONE
            new = draw_suit(best, several, streams, seat)
            targets ^= (target ^ new) << (_16 * np.uint64(seat))
            target = new
            is_drawn |= several
        several = (entry >> (_SEVERAL + target)) & ONE
        is_drawn |= several
        suit = draw_suit((entry >> (_4 * target)) & _SET, several, streams, seat)
        parcels |= ONE << (_4 * suit + _16 * np.uint64(seat))
    return hands - parcels + (parcels << shift | parcels >> (_64 - shift)), targets, is_drawn


@jit_part
def play_plain_round(record: Any, state: Any, plain: Any, rows: Any, key: Any, round_number: Any) -> Any:
    """Play a round. Returns the passes, and who holds a flush, as bits of seats.

    `rows` then holds the hands after each pass, of a round that repeats for ever those up to there and the last.
    """
    shift = _16 if direction_of(record, round_number, 1) == 1 else _48
    hands = deal_counts(record, state, key)
    targets = take_targets(state, plain, hands, key)
    # See `passes.cycle_length`.
    marked, marked_targets, marked_pass, marked_for, is_drawn = ZERO, ZERO, np.int64(0), np.int64(1), ONE
    pass_number, last = np.int64(0), record["max_passes"]
    while True:
        rows[np.uint64(pass_number)] = hands
        any_entry = ZERO
        for seat in range(PLAYERS):
            any_entry |= entry_of(plain, hands, seat)
        if any_entry & _FLUSH != ZERO or pass_number == last:
            break
        length = pass_number - marked_pass
        if is_drawn == ZERO and hands == marked and targets == marked_targets and length > 0:
            rows[np.uint64(last)] = rows[np.uint64(marked_pass + (last - pass_number) % length)]
            pass_number = last
            break
        if is_drawn != ZERO or length >= marked_for:
            marked, marked_targets, marked_pass = hands, targets, pass_number
            marked_for = np.int64(1) if is_drawn != ZERO else 2 * marked_for
            is_drawn = ZERO
        hands, targets, drawn = pass_cards(state, plain, hands, targets, shift)
        is_drawn |= drawn
        pass_number += 1
    holders = ZERO
    hands = rows[np.uint64(pass_number)]
    for seat in range(PLAYERS):
        holders |= (entry_of(plain, hands, seat) >> _IS_FLUSH & ONE) << np.uint64(seat)
    return pass_number, holders


@jit_small
def highest_of(entry: Any) -> Any:
    """Return the highest count, out of an entry."""
    return (entry >> _HIGHEST) & _SET


@inlined
def add_plain_hands(plain: Any, dealt: Any, last: Any, hand_size: Any, tally: Any, counts: Any) -> None:
    """Do what `sums.add_hands` does."""
    for seat in range(PLAYERS):
        first, end = entry_of(plain, dealt, seat), entry_of(plain, last, seat)
        best, dealt_best = highest_of(end), highest_of(first)
        tally["best_suit_count"][seat] += np.int64(best)
        tally["off_suit_cards"][seat] += hand_size - np.int64(best)
        tally["initial_best_count"][seat] += np.int64(dealt_best)
        tally["deal_4300"] += np.int64((first >> _4300) & ONE)
        counts["best_suit_count"][seat, best] += 1
        counts["initial_best_count"][seat, dealt_best] += 1


@inlined
def leaders_of(plain: Any, hands: Any) -> Any:
    """Return who holds most of a suit, as bits of seats."""
    best, leaders = ZERO, ZERO
    for seat in range(PLAYERS):
        best = max(best, highest_of(entry_of(plain, hands, seat)))
    for seat in range(PLAYERS):
        leaders |= np.uint64(highest_of(entry_of(plain, hands, seat)) == best) << np.uint64(seat)
    return leaders


@inlined
def play_plain(
    record: Any, state: Any, plain: Any, rows: Any, key: Any, round_number: Any, tally: Any, counts: Any, log: Any
) -> Any:
    """Play a round and add up its hands. Returns the first seven of what `sums.add_end` takes."""
    passes, holders = play_plain_round(record, state, plain, rows, key, round_number)
    dealt, last = rows[0], rows[np.uint64(passes)]
    add_plain_hands(plain, dealt, last, record["hand_size"], tally, counts)
    callers, winner = popcount(holders), np.int64(NO_SEAT)
    if callers == 1:
        winner = lowest_bit(holders)
    elif callers > 1:
        start(state["streams"], CHANCE, key, 0)
        for seat in range(PLAYERS):
            state["counts"][seat] = lane_of(last, seat)
        winner, callers, _ = settle(record, state, np.int64(0), np.int64(PLAYERS), passes, log)
    first = max(winner, 0)
    suit = lowest_bit((entry_of(plain, last, first) >> _BEST_SUITS) & _SET)
    is_4300 = np.int64((entry_of(plain, dealt, first) >> _4300) & ONE)
    leaders = np.int64(leaders_of(plain, rows[np.uint64(passes // 2)]))
    return winner, passes, callers, callers, suit, leaders, is_4300
