"""What is added up of rounds and matches."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.declare import SHARE
from simcore.games.my_ship_sails import events
from simcore.games.my_ship_sails.hands import tabulated_4300, tabulated_highest
from simcore.games.my_ship_sails.states import NO_SEAT
from simcore.jit import jit_small
from simcore.log import event


@jit_small
def lead_at_half_time(record: Any, table: Any, history: Any, passes: Any, winner: Any) -> Any:
    """Return whether anybody alone held most of a suit after pass floor(passes / 2), and whether the winner did."""
    first = (passes // 2) * record["players"]
    best, leaders = np.int64(0), np.int64(0)
    for seat in range(record["players"]):
        best = max(best, np.int64(tabulated_highest(table[history[first + seat]])))
    for seat in range(record["players"]):
        leaders += np.int64(tabulated_highest(table[history[first + seat]]) == best)
    is_led = np.int64(leaders == 1)
    return is_led, is_led & np.int64(tabulated_highest(table[history[first + winner]]) == best)


@jit_small
def count_up(counts: Any, value: Any, low: Any) -> None:
    """Add one to a histogram whose end bins are open."""
    counts[min(max(value - low, 0), counts.shape[0] - 1)] += 1


@jit_small
def add_hands(record: Any, state: Any, table: Any, tally: Any, counts: Any) -> None:
    """Add the hands of a round, as dealt and at the end, to a tally."""
    hand_size = record["hand_size"]
    for seat in range(record["players"]):
        # In the middle of a lap somebody may hold more than a hand.
        best = min(np.int64(tabulated_highest(table[state["counts"][seat]])), hand_size)
        dealt = table[state["dealt_counts"][seat]]
        dealt_best = np.int64(tabulated_highest(dealt))
        tally["best_suit_count"][seat] += best
        counts["best_suit_count"][seat, best] += 1
        tally["off_suit_cards"][seat] += hand_size - best
        tally["initial_best_count"][seat] += dealt_best
        counts["initial_best_count"][seat, dealt_best] += 1
        tally["deal_4300"] += tabulated_4300(dealt)


@jit_small
def add_end(
    winner: Any,
    passes: Any,
    callers: Any,
    holders: Any,
    suit: Any,
    is_led: Any,
    leader_won: Any,
    is_4300: Any,
    tally: Any,
    counts: Any,
) -> None:
    """Add how a round ended to a tally.

    `suit` is that of the winner's flush, `is_led` 1 if anybody alone led at half time, `leader_won` 1 if that was the
    winner, `is_4300` 1 if the winner was dealt four cards of a suit and three of another.
    """
    tally["rounds"] += 1
    if winner == NO_SEAT:
        tally["stalemate"] += 1
        return
    tally["ended"] += 1
    tally["round_win"][winner] += 1
    tally["passes"] += passes
    count_up(counts["passes"], passes, 0)
    tally["multiple_flush"] += callers > 1
    tally["dealt_flush"] += passes == 0
    tally["flush_callers"] += callers
    count_up(counts["flush_callers"], callers, 1)
    tally["flush_holders"] += holders
    count_up(counts["flush_holders"], holders, 1)
    tally["winning_suit"][suit] += 1
    tally["led_rounds"] += is_led
    tally["half_time_leader_won"] += leader_won
    tally["win_from_4300"] += is_4300


@jit_small
def points_of(record: Any, state: Any, seat: Any, fastest_seat: Any) -> Any:
    """Return a seat's points at the end of a match."""
    return state["wins"][seat] + np.int64(seat == fastest_seat) * record["fastest_bonus"]


@jit_small
def add_match(
    record: Any, state: Any, rounds: Any, fastest: Any, fastest_seat: Any, reached: Any, tally: Any, counts: Any
) -> Any:
    """Add a match to a tally, and return its winner; `reached` is the seat that reached the target, or NO_SEAT."""
    tally["matches"] += 1
    count_up(counts["rounds"], rounds, 1)
    if fastest >= 0:
        tally["won_matches"] += 1
        tally["fastest"] += fastest
        count_up(counts["fastest"], fastest, 0)
    best, ties, winner = np.int64(-1), np.int64(0), np.int64(NO_SEAT)
    for seat in range(record["players"]):
        points = points_of(record, state, seat, fastest_seat)
        tally["points"][seat] += points
        count_up(counts["points"][seat], points, 0)
        # Of equal totals that of the seat which reached the target is the higher. No jumps: nobody can foretell them.
        rank = 2 * points + np.int64(seat == reached)
        ties = np.int64(1) if rank > best else ties + np.int64(rank == best)
        winner = np.int64(seat) if rank > best else winner
        best = max(best, rank)
    if ties != 1:
        tally["no_winner"] += 1
        return np.int64(NO_SEAT)
    tally["match_win"][winner] += SHARE
    return winner


@jit_small
def log_match(record: Any, state: Any, fastest: Any, fastest_seat: Any, winner: Any, log: Any) -> None:
    """Log how a match ended."""
    if fastest >= 0 and record["fastest_bonus"] > 0:
        event(log, events.BONUS, fastest_seat, record["fastest_bonus"], fastest)
    for seat in range(record["players"]):
        event(log, events.SCORE, seat, state["wins"][seat], points_of(record, state, seat, fastest_seat))
    if winner == NO_SEAT:
        event(log, events.NO_WINNER)
    else:
        event(log, events.MATCH_WON, winner)
