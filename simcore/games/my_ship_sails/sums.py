"""What is added up of rounds and matches."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.declare import SHARE
from simcore.games.my_ship_sails import events
from simcore.games.my_ship_sails.hands import tabulated_4300, tabulated_highest
from simcore.games.my_ship_sails.states import NO_SEAT
from simcore.jit import inlined, jit_small, popcount
from simcore.log import event


@inlined
def half_time_leaders(record: Any, table: Any, history: Any, passes: Any) -> Any:
    """Return who held most of a suit after pass floor(passes / 2), as bits of seats."""
    first = (passes // 2) * record["players"]
    best = np.int64(0)
    for seat in range(record["players"]):
        best = max(best, np.int64(tabulated_highest(table[history[first + seat]])))
    leaders = np.int64(0)
    for seat in range(record["players"]):
        leaders |= np.int64(tabulated_highest(table[history[first + seat]]) == best) << seat
    return leaders


@jit_small
def count_up(counts: Any, value: Any, low: Any) -> None:
    """Add one to a histogram whose end bins are open."""
    counts[min(max(value - low, 0), counts.shape[0] - 1)] += 1


@inlined
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


@inlined
def add_end(
    winner: Any,
    passes: Any,
    callers: Any,
    holders: Any,
    suit: Any,
    leaders: Any,
    is_4300: Any,
    tally: Any,
    counts: Any,
) -> None:
    """Add how a round ended to a tally.

    `suit` is that of the winner's flush, `leaders` who led at half time, as bits of seats, `is_4300` 1 if the winner
    was dealt four cards of a suit and three of another.
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
    # No jumps: nobody can foretell them.
    tally["led_rounds"] += popcount(np.uint64(leaders)) == 1
    tally["half_time_leader_won"] += leaders == np.int64(1) << winner
    tally["win_from_4300"] += is_4300


@inlined
def add_match(
    record: Any,
    state: Any,
    rounds: Any,
    fastest: Any,
    fastest_seat: Any,
    reached: Any,
    tally: Any,
    counts: Any,
    log: Any,
) -> None:
    """Add a match to a tally; `reached` is the seat that reached the target, or NO_SEAT."""
    tally["matches"] += 1
    count_up(counts["rounds"], rounds, 1)
    if fastest >= 0:
        tally["won_matches"] += 1
        tally["fastest"] += fastest
        count_up(counts["fastest"], fastest, 0)
        if record["fastest_bonus"] > 0:
            event(log, events.BONUS, fastest_seat, record["fastest_bonus"], fastest)
    winner, best, is_unique = reached, np.int64(-1), True
    for seat in range(record["players"]):
        points = state["wins"][seat]
        if seat == fastest_seat:
            points += record["fastest_bonus"]
        event(log, events.SCORE, seat, state["wins"][seat], points)
        tally["points"][seat] += points
        count_up(counts["points"][seat], points, 0)
        if points > best:
            winner, best, is_unique = seat, points, True
        elif points == best:
            is_unique = False
            if seat == reached:
                winner = seat
    if not is_unique and winner != reached:
        winner = NO_SEAT
    if winner == NO_SEAT:
        tally["no_winner"] += 1
        event(log, events.NO_WINNER)
    else:
        tally["match_win"][winner] += SHARE
        event(log, events.MATCH_WON, winner)
