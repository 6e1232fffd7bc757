"""The passes of a round, all at once or in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.my_ship_sails import events
from simcore.games.my_ship_sails.flushes import settle
from simcore.games.my_ship_sails.hands import (
    ONE,
    ZERO,
    card_number,
    count_of,
    lane,
    nth_suit,
    one_of,
    size,
    suit_of,
    tabulated_best,
    tabulated_highest,
    tabulated_shortest,
)
from simcore.games.my_ship_sails.states import ALTERNATE_PASSES, NO_SEAT, direction_of, neighbour
from simcore.games.my_ship_sails.strategies import (
    RANDOM,
    WATCHER,
    choose_card,
    choose_own_card,
    choose_target,
    suits_of,
)
from simcore.jit import inlined, jit_part, jit_small, lowest_bit
from simcore.log import event
from simcore.rng import SEAT, below, below_without_branch
from simcore.strategies import OWN


@jit_part
def choose_parcel(
    record: Any, strategies: Any, state: Any, seat: Any, pass_number: Any, step: Any, log: Any, choose_own: Any
) -> Any:
    """Take the cards that a seat passes out of its hand. Returns False if a user's strategy chose none."""
    streams, strategy = state["streams"], strategies[seat]
    hand, counts, target = state["hands"][seat], state["counts"][seat], state["targets"][seat]
    style, discard = strategy["style"], strategy["discard"]
    if style != OWN and style != RANDOM:
        new = choose_target(strategy, counts, target, state["minds"][seat], pass_number, streams, seat)
        if log.shape[0] > 0 and new != target:
            event(log, events.TARGET, seat, new, pass_number)
        target = new
        state["targets"][seat] = target
    preferred = state["marks"][seat]
    parcel = ZERO
    parcel_counts = np.int64(0)
    for left in range(record["pass_count"], 0, -1):
        if style == OWN:
            bit = choose_own_card(
                choose_own, state["view"], record, hand, state["arrivals"], pass_number, step, left, streams, seat
            )
            if bit < 0:
                return False
        else:
            bit = choose_card(discard, hand, counts, target, left, preferred, state["arrivals"], streams, seat)
        card = ONE << np.uint64(bit)
        parcel |= card
        hand ^= card
        counts -= one_of(suit_of(bit))
        parcel_counts += one_of(suit_of(bit))
    state["hands"][seat] = hand
    state["counts"][seat] = counts
    state["parcels"][seat] = parcel
    state["parcel_counts"][seat] = parcel_counts
    if style == WATCHER:
        state["given"][seat] |= parcel
    return True


@jit_small
def choose_plain_parcel(record: Any, state: Any, table: Any, seat: Any, is_adaptive: Any) -> None:
    """Do what `choose_parcel` does for a seat with a target that passes its shortest suits, nothing logged.

    That is most games. The suits come from the table, and nothing but a change of target is a branch.
    """
    streams, counts, target = state["streams"], state["counts"][seat], state["targets"][seat]
    best = tabulated_best(np.int64(table[counts]))
    if is_adaptive and (best >> target) & 1 == 0:
        target = nth_suit(best, below(streams, SEAT + seat, size(best)))
        state["targets"][seat] = target
    hand, parcel, parcel_counts = state["hands"][seat], ZERO, np.int64(0)
    others = record["hand_size"] - count_of(counts, target)
    for left in range(record["pass_count"], 0, -1):
        suits = tabulated_shortest(np.int64(table[counts]), target)
        # If all others go, there is nothing to draw; with only target cards left the lowest of these goes.
        suits = suits & -suits if others <= left else suits
        suits = suits if suits != 0 else np.int64(1) << target
        suit = nth_suit(suits, below_without_branch(streams, SEAT + seat, size(suits)))
        cards = hand & lane(suit)
        card = cards ^ (cards & (cards - ONE))
        hand ^= card
        parcel |= card
        counts -= one_of(suit)
        parcel_counts += one_of(suit)
        others -= 1
    state["hands"][seat] = hand
    state["counts"][seat] = counts
    state["parcels"][seat] = parcel
    state["parcel_counts"][seat] = parcel_counts


@jit_part
def hand_over(record: Any, strategies: Any, state: Any, giver: Any, receiver: Any, pass_number: Any, log: Any) -> None:
    """Put a seat's parcel into the receiver's hand."""
    parcel = state["parcels"][giver]
    state["hands"][receiver] |= parcel
    state["counts"][receiver] += state["parcel_counts"][giver]
    if strategies[receiver]["style"] == WATCHER and parcel & state["given"][receiver] != ZERO:
        state["marks"][receiver] |= suits_of(parcel & state["given"][receiver])
    if state["tracks_arrivals"] != 0 or log.shape[0] > 0:
        while parcel != ZERO:
            bit = lowest_bit(parcel)
            parcel &= parcel - ONE
            state["arrivals"][np.uint64(bit)] = pass_number
            event(log, events.PASS, pass_number, giver, receiver, card_number(bit))


@jit_small
def keep_counts(record: Any, state: Any, table: Any, history: Any, pass_number: Any) -> Any:
    """Keep everybody's counts after a pass for later; return whether anybody holds a flush."""
    most = np.int64(0)
    first = pass_number * record["players"]
    for seat in range(record["players"]):
        counts = state["counts"][seat]
        history[first + seat] = counts
        most = max(most, tabulated_highest(table[counts]))
    return most >= record["hand_size"]


@jit_small
def cycle_length(record: Any, state: Any, history: Any, pass_number: Any) -> Any:
    """Return after how many passes everything repeats for ever, or 0 if that cannot be told.

    It repeats if counts and targets are what they were at a marked pass and nothing was drawn in between:
    where choices follow from targets and counts alone, the same passes come again and again, and none of
    them makes a flush. The mark moves as in Brent's algorithm (BIT 20, 1980), and whenever something was drawn.
    """
    if pass_number < state["repeats_from"]:
        return np.int64(0)
    players, marked = record["players"], state["marked_pass"]
    is_drawn = marked < 0
    for seat in range(players):
        is_drawn |= state["streams"][SEAT + seat] != state["marked_counters"][seat]
    length = pass_number - marked
    if not is_drawn:
        is_same = True
        for seat in range(players):
            is_same &= history[pass_number * players + seat] == history[marked * players + seat]
            is_same &= state["targets"][seat] == state["marked_targets"][seat]
        # Where the direction changes with every pass, half a turn is no repetition.
        if is_same and (length % 2 == 0 or record["direction"] != ALTERNATE_PASSES):
            return length
    if is_drawn or length >= state["marked_for"]:
        state["marked_pass"] = pass_number
        state["marked_for"] = 1 if is_drawn else 2 * state["marked_for"]
        for seat in range(players):
            state["marked_counters"][seat] = state["streams"][SEAT + seat]
            state["marked_targets"][seat] = state["targets"][seat]
    return np.int64(0)


@jit_part
def skip_to_end(record: Any, state: Any, history: Any, pass_number: Any, length: Any) -> None:
    """Give everybody the counts of the last pass of a round that repeats; the hands are not followed."""
    ahead = (record["max_passes"] - pass_number) % length
    first = (pass_number - length + ahead) * record["players"]
    for seat in range(record["players"]):
        state["counts"][seat] = history[first + seat]


@inlined
def play_passes(
    record: Any, strategies: Any, state: Any, table: Any, history: Any, round_number: Any, log: Any, choose_own: Any
) -> Any:
    """Play a round in which everybody passes at once.

    Returns the winner (NO_SEAT after a stalemate, or if a user's strategy chose no card there is), the
    passes played, the numbers of callers and holders at the end, and whether all choices were legal.
    """
    players = record["players"]
    pass_number = np.int64(0)
    state["marked_pass"] = -1
    while True:
        if keep_counts(record, state, table, history, pass_number):
            winner, callers, holders = settle(record, state, np.int64(0), players, pass_number, log)
            if winner != NO_SEAT:
                return winner, pass_number, callers, holders, True
            state["marked_pass"] = -1
        else:
            length = cycle_length(record, state, history, pass_number)
            if length != 0:
                event(log, events.REPEATS, pass_number, length)
                skip_to_end(record, state, history, pass_number, length)
                pass_number = record["max_passes"]
        if pass_number == record["max_passes"]:
            return np.int64(NO_SEAT), pass_number, np.int64(0), np.int64(0), True
        pass_number += 1
        step = direction_of(record, round_number, pass_number)
        if state["all_plain"] != 0:
            for seat in range(players):
                choose_plain_parcel(record, state, table, seat, state["is_adaptive"][seat] != 0)
            for seat in range(players):
                receiver = neighbour(record, seat, step)
                state["hands"][receiver] |= state["parcels"][seat]
                state["counts"][receiver] += state["parcel_counts"][seat]
            continue
        for seat in range(players):
            if not choose_parcel(record, strategies, state, seat, pass_number, step, log, choose_own):
                return np.int64(NO_SEAT), pass_number, np.int64(0), np.int64(0), False
        for seat in range(players):
            hand_over(record, strategies, state, seat, neighbour(record, seat, step), pass_number, log)


@inlined
def play_laps(
    record: Any,
    strategies: Any,
    state: Any,
    table: Any,
    history: Any,
    round_number: Any,
    starter: Any,
    log: Any,
    choose_own: Any,
) -> Any:
    """Play a round in which the starter passes first and the turn goes to whoever received.

    Returns what `play_passes` returns, with laps for passes.
    """
    players = record["players"]
    if keep_counts(record, state, table, history, np.int64(0)):
        winner, callers, holders = settle(record, state, np.int64(0), players, np.int64(0), log)
        if winner != NO_SEAT:
            return winner, 0, callers, holders, True
    for lap in range(1, record["max_passes"] + 1):
        step = direction_of(record, round_number, lap)
        giver = starter
        for _ in range(players):
            receiver = neighbour(record, giver, step)
            if not choose_parcel(record, strategies, state, giver, lap, step, log, choose_own):
                return np.int64(NO_SEAT), lap, np.int64(0), np.int64(0), False
            hand_over(record, strategies, state, giver, receiver, lap, log)
            winner, callers, holders = settle(record, state, receiver, receiver + 1, lap, log)
            if winner != NO_SEAT:
                return winner, lap, callers, holders, True
            giver = receiver
        keep_counts(record, state, table, history, lap)
    return np.int64(NO_SEAT), record["max_passes"], np.int64(0), np.int64(0), True
