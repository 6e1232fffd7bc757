"""Matches of the commonest kind, played on the numbers of cards alone, with four hands in one word.

In a *plain* match (see `rules.is_plain`) nothing is logged, up to eight players pass at once, and the first call wins.
Then no rank decides anything, and what a seat does is looked up (see plain_tables.py): a *lane* of 16 bits holds its
hand and its target, and four lanes are a word. `kernel.play_many` plays the same matches with the same draws, at a
third of the speed; tests compare them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import log as log_module
from simcore.games.my_ship_sails.flushes import draw_first_caller
from simcore.games.my_ship_sails.hands import ONE, ZERO
from simcore.games.my_ship_sails.plain_deals import (
    AHEAD,
    LANES,
    PLAIN,
    deal_plain,
    draw_on,
    hand_entry,
    lane,
    lay_out_plain,
    prepare_plain,
    start_streams,
)
from simcore.games.my_ship_sails.plain_tables import (
    DEALT,
    END,
    FLUSH,
    HAND_BITS,
    MOVES,
    SEVERAL,
    TARGET_BITS,
    best_suit,
    dealt_sum,
    highest_of,
    highest_sum,
    layers_for,
    sum_of_4300,
    tabulate_hands,
    tabulate_moves,
)
from simcore.games.my_ship_sails.states import NO_SEAT, direction_of
from simcore.games.my_ship_sails.sums import add_end, add_match
from simcore.jit import borrowed, highest_bit, jit, jit_part, jit_small, lowest_bit, popcount
from simcore.rng import CHANCE, DEAL, MATCH, below, game_key, key_of_round, start

_2, _3, _4, _16, _48, _64 = (np.uint64(n) for n in (2, 3, 4, 16, 48, 64))
_LANE, _EVERY = np.uint64(0xFFFF), np.uint64(0x0001_0001_0001_0001)
_HANDS, _TARGETS = _EVERY * np.uint64(HAND_BITS), _EVERY * np.uint64(TARGET_BITS)
_SEVERAL, _FLUSH = np.uint64(SEVERAL), np.uint64(FLUSH)
_LEFT = 1


@jit_small
def look_up(state: Any, moves: Any, layer: Any, position: Any, used: Any, first: Any) -> Any:
    """Return the moves of four seats from `first` on; `used` is how many of the numbers drawn ahead each has used."""
    given, codes = ZERO, state["codes"]
    for n in range(LANES):
        code = codes[np.uint64(AHEAD * (first + n)) + lane(used, n)]
        given |= np.uint64(moves[layer, lane(position, n) << _4 | code]) << (_16 * np.uint64(n))
    return given


@jit_part
def look_back(rows: Any, pass_number: Any, drawn_at: Any, quiet: Any) -> Any:
    """Return after how many passes everything repeats for ever, or 0 if that is not seen, and since when it is quiet.

    It repeats if the position is what it was after an earlier pass and no number was used since: the same passes come
    again and again, and none of them makes a flush. `quiet` is a pass since which none was used up to pass `drawn_at`.
    """
    now = _4 * np.uint64(pass_number)
    for earlier in range(pass_number - 1, quiet - 1, -1):
        then = _4 * np.uint64(earlier)
        if earlier >= drawn_at and (rows[then + _2] != rows[now + _2] or rows[then + _3] != rows[now + _3]):
            return np.int64(0), np.int64(earlier + 1)
        if rows[then] == rows[now] and rows[then + ONE] == rows[now + ONE]:
            return np.int64(pass_number - earlier), np.int64(quiet)
    return np.int64(0), np.int64(quiet)


@jit_small
def hand_on(players: Any, is_left: Any, low: Any, high: Any) -> Any:
    """Return the parcels of all seats in the lanes of those that receive them; in lanes of nobody may be anything."""
    around = _16 * np.uint64(players - 1)
    if players <= LANES:
        there, back = (_16, around) if is_left else (around, _16)
        return low << there | low >> back, high
    around -= _64
    if is_left:
        return low << _16 | (high >> around) & _LANE, high << _16 | low >> _48
    return low >> _16 | high << _48, high >> _16 | (low & _LANE) << around


@jit_small
def play_plain_round(record: Any, state: Any, moves: Any, rows: Any, key: Any, round_number: Any) -> Any:
    """Play a round. Returns the passes, and who holds a flush, by the lowest bits of lanes of two words.

    `rows` then holds four words for the deal and for each pass: the position after it, and how many of the numbers
    drawn ahead each seat had used; of a round that repeats for ever only those up to there, and the last.
    """
    players, last = record["players"], record["max_passes"]
    is_wide, is_left = players > LANES, direction_of(record, round_number, 1) == _LEFT
    opening, roles, choosers, present = state["opening"], state["roles"], state["choosers"], state["present"]
    low, high = deal_plain(record, state, key)
    start_streams(record, state, key)
    taken, taken_high = look_up(state, moves, 0, low | opening[0], ZERO, 0) & choosers[0], ZERO
    if is_wide:
        taken_high = look_up(state, moves, 0, high | opening[1], ZERO, LANES) & choosers[1]
    low, used = (low | roles[0]) ^ (taken & _TARGETS), taken >> _SEVERAL & _EVERY
    high, used_high = (high | roles[1]) ^ (taken_high & _TARGETS), taken_high >> _SEVERAL & _EVERY
    rows[0], rows[1], rows[2], rows[3] = low, high, used, used_high
    given, given_high, parcels, parcels_high = ZERO, ZERO, ZERO, ZERO
    layer, layers, passes_ahead = np.int64(0), moves.shape[0], state["passes_ahead"]
    pass_number, drawn_at, quiet = np.int64(0), np.int64(0), np.int64(0)
    while True:
        if pass_number == drawn_at + passes_ahead:
            length, quiet = look_back(rows, pass_number, drawn_at, quiet)
            if length > 0:
                same, row = pass_number - length + (last - pass_number) % length, _4 * np.uint64(last)
                rows[row], rows[row + ONE] = rows[_4 * np.uint64(same)], rows[_4 * np.uint64(same) + ONE]
                pass_number, given, given_high = last, ZERO, ZERO
                break
            draw_on(record, state, used, used_high)
            used, used_high, drawn_at = ZERO, ZERO, pass_number
            row = _4 * np.uint64(pass_number)
            rows[row + _2], rows[row + _3] = ZERO, ZERO
        given = look_up(state, moves, layer, low, used, 0)
        if is_wide:
            given_high = look_up(state, moves, layer, high, used_high, LANES)
        if (given | given_high) >> _FLUSH & _EVERY != ZERO or pass_number == last:
            break
        low = (low ^ (given & _TARGETS)) - (given & _HANDS)
        parcels += given & _HANDS
        used += given >> _SEVERAL & _EVERY
        if is_wide:
            high = (high ^ (given_high & _TARGETS)) - (given_high & _HANDS)
            parcels_high += given_high & _HANDS
            used_high += given_high >> _SEVERAL & _EVERY
        layer += 1
        if layer < layers:
            continue
        received, received_high = hand_on(players, is_left, parcels, parcels_high)
        low += received & present[0]
        pass_number += 1
        row = _4 * np.uint64(pass_number)
        if is_wide:
            high += received_high & present[1]
        rows[row], rows[row + ONE], rows[row + _2], rows[row + _3] = low, high, used, used_high
        layer, parcels, parcels_high = np.int64(0), ZERO, ZERO
    return pass_number, given >> _FLUSH & _EVERY, given_high >> _FLUSH & _EVERY


@jit_small
def entry_of(state: Any, rows: Any, pass_number: Any, seat: Any) -> Any:
    """Return the entry of a seat's hand after a pass."""
    return hand_entry(state, rows[_4 * np.uint64(pass_number) + (np.uint64(seat) >> _2)], seat)


@jit_small
def add_plain_hands(record: Any, state: Any, rows: Any, passes: Any, counts: Any) -> None:
    """Add the hands of a round, as dealt and at the end, to the distributions and to the sums of the match."""
    for seat in range(record["players"]):
        n = np.uint64(seat)
        dealt, end = entry_of(state, rows, 0, seat), entry_of(state, rows, passes, seat)
        state["sums"][n] += (dealt & DEALT) + (end & END)
        counts["best_suit_count"][n, highest_of(end)] += 1
        counts["initial_best_count"][n, highest_of(dealt)] += 1


@jit_small
def add_sums(record: Any, state: Any, rounds: Any, tally: Any) -> None:
    """Add the sums of a match to a tally."""
    for seat in range(record["players"]):
        n = np.uint64(seat)
        total = state["sums"][n]
        state["sums"][n] = ZERO
        tally["best_suit_count"][n] += highest_sum(total)
        tally["off_suit_cards"][n] += record["hand_size"] * rounds - highest_sum(total)
        tally["initial_best_count"][n] += dealt_sum(total)
        tally["deal_4300"] += sum_of_4300(total)


@jit_small
def lead(record: Any, state: Any, rows: Any, pass_number: Any, winner: Any) -> Any:
    """Return whether anybody alone held most of a suit after a pass, and whether the winner did: 1 or 0 each."""
    # How many seats hold so many cards of their best suit at most, in 4 bits for each number.
    seats = ZERO
    for seat in range(record["players"]):
        seats += ONE << _4 * highest_of(entry_of(state, rows, pass_number, seat))
    most = np.uint64(highest_bit(seats)) >> _2
    is_led = np.int64(seats >> _4 * most == ONE)
    return is_led, is_led & np.int64(highest_of(entry_of(state, rows, pass_number, winner)) == most)


@jit_part
def first_of_several(record: Any, state: Any, key: Any, low: Any, high: Any) -> Any:
    """Return who of several holders of a flush calls first."""
    callers = np.int64(0)
    for seat in range(record["players"]):
        state["callers"][np.uint64(callers)] = seat
        callers += np.int64(lane(low if seat < LANES else high, seat))
    start(state["streams"], CHANCE, key, 0)
    return draw_first_caller(record, state, callers)


@jit_small
def play_round(
    record: Any, state: Any, moves: Any, rows: Any, key: Any, round_number: Any, tally: Any, counts: Any
) -> Any:
    """Play and add up a round. Returns the winner and the passes."""
    passes, low, high = play_plain_round(record, state, moves, rows, key, round_number)
    add_plain_hands(record, state, rows, passes, counts)
    callers, winner = popcount(low) + popcount(high), np.int64(NO_SEAT)
    if callers == 1:
        winner = lowest_bit(low) // 16 if low != ZERO else LANES + lowest_bit(high) // 16
    elif callers > 1:
        winner = first_of_several(record, state, key, low, high)
    tally["turns"] += passes * record["players"]
    tally["choice_turns"] += passes * record["players"]
    seat = max(winner, 0)
    suit = best_suit(entry_of(state, rows, passes, seat))
    was_4300 = sum_of_4300(entry_of(state, rows, 0, seat))
    is_led, leader_won = lead(record, state, rows, passes // 2, seat)
    add_end(winner, passes, callers, callers, suit, is_led, leader_won, was_4300, tally, counts)
    return winner, passes


@jit_small
def play_match(record: Any, state: Any, moves: Any, rows: Any, seed: Any, game: Any, tally: Any, counts: Any) -> None:
    """Play and add up a match."""
    wins, of_game = state["wins"], game_key(seed, game)
    start(state["streams"], DEAL, key_of_round(of_game, MATCH), 0)
    # The dealer, who decides nothing here, but is drawn first.
    below(state["streams"], DEAL, record["players"])
    lay_out_plain(record, state)
    wins[:] = 0
    rounds, most = np.int64(0), np.int64(0)
    fastest, fastest_seat, last_winner = np.int64(-1), np.int64(NO_SEAT), np.int64(NO_SEAT)
    while most < record["match_target"] and rounds < record["max_rounds"]:
        rounds += 1
        winner, passes = play_round(record, state, moves, rows, key_of_round(of_game, rounds), rounds, tally, counts)
        if winner != NO_SEAT:
            wins[np.uint64(winner)] += 1
            most = max(most, wins[np.uint64(winner)])
            last_winner = winner
            if fastest < 0 or passes < fastest:
                fastest, fastest_seat = passes, winner
    add_sums(record, state, rounds, tally)
    reached = last_winner if most >= record["match_target"] else np.int64(NO_SEAT)
    add_match(record, state, rounds, fastest, fastest_seat, reached, tally, counts)


@jit
def play_plain(
    record: Any,
    strategies: Any,
    seed: Any,
    first: Any,
    matches: Any,
    block: Any,
    tally: Any,
    counts: Any,
    log: Any,
    stop: Any,
    choose_own: Any,
) -> Any:
    """Play matches and add them up; parameters and results are those of `kernel.play_many`."""
    scratch = np.zeros(1, PLAIN)
    layers = layers_for(record["pass_count"])
    moves, rows = np.empty((layers, MOVES), np.uint16), np.empty(4 * (record["max_passes"] + 1), np.uint64)
    tabulate_hands(scratch[0]["hands"], record["hand_size"])
    tabulate_moves(moves, record["hand_size"])
    prepare_plain(record, strategies, scratch[0], layers)
    for n in range(matches):
        if stop[0] != 0:
            return log_module.DONE, n
        game = first + n
        entry = tally[game // block - first // block]
        play_match(record, scratch[0], borrowed(moves), borrowed(rows), seed, game, entry, counts)
    return log_module.DONE, matches
