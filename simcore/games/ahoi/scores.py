"""Scoring a round and a match, and adding them to tallies and distributions.

`state` is that of hands.py or of plain.py: both have the fields that are read here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.declare import SHARE
from simcore.games.ahoi.cards import (
    COLOUR_CHOICE,
    DRAW_FOUR_COLOUR,
    DRAW_TWO,
    DRAW_TWO_COLOUR,
    JOKER,
    REVERSE,
    SKIP,
)
from simcore.games.ahoi.choices import Scoring
from simcore.games.ahoi.hands import NO_SEAT, ONE, ZERO
from simcore.jit import jit_part, jit_small, lowest_bit, popcount

MARKS = 20
"""Bits for the rounds that a seat has won in a match: there are a million at most."""
RANK = 1 << MARKS

_COLLECTS = int(Scoring.WINNER_COLLECTS)


@jit_part
def count_up(bins: Any, place: Any) -> None:
    """Add one observation to a bin of a distribution, or to its end bin."""
    bins[np.uint64(min(place, bins.shape[0] - 1))] += 1


@jit_part
def add_round(record: Any, state: Any, winner: Any, dealer: Any, tally: Any, counts: Any) -> None:
    """Add a round to the points and marks of its match, to a tally and to the distributions.

    `hand_points`, the points of the hands, become what each seat scores.
    """
    players, hand_points = record["players"], state["hand_points"]
    tally["rounds"] += 1
    tally["turns"] += state["turns"]
    tally["choice_turns"] += state["choice_turns"]
    tally["cards_drawn"] += state["drawn"]
    tally["reshuffles"] += state["reshuffles"]
    tally["played_reverse"] += state["played"][REVERSE]
    tally["played_skip"] += state["played"][SKIP]
    tally["played_draw_two"] += state["played"][DRAW_TWO]
    tally["played_draw_two_colour"] += state["played"][DRAW_TWO_COLOUR]
    tally["played_draw_four_colour"] += state["played"][DRAW_FOUR_COLOUR]
    tally["played_colour_choice"] += state["played"][COLOUR_CHOICE]
    tally["played_joker"] += state["played"][JOKER]
    tally["forgotten_calls"] += state["penalties"]
    tally["swaps"] += state["swaps"]
    tally["lead_changes"] += state["lead_changes"]
    if state["swaps"] > 0:
        tally["swap_rounds"] += 1
        tally["swapper_won"] += winner != NO_SEAT and winner == state["swapper"]
    count_up(counts["turns"], state["turns"])
    count_up(counts["cards_drawn"], state["drawn"])
    count_up(counts["reshuffles"], state["reshuffles"])
    count_up(counts["swaps"], state["swaps"])
    count_up(counts["lead_changes"], state["lead_changes"])
    all_points = np.int64(0)
    for seat in range(players):
        all_points += hand_points[seat]
        tally["cards_left"][seat] += state["cards_left"][seat]
        count_up(counts["cards_left"][seat], state["cards_left"][seat])
        if winner != NO_SEAT:
            count_up(counts["loser_points"], hand_points[seat])
    if winner == NO_SEAT:
        tally["stalemate"] += 1
    else:
        own, bins = hand_points[winner], counts["loser_points"]
        # The winner is no loser. Nobody can foretell who it is, so a jump in the loop would cost more.
        bins[np.uint64(min(own, bins.shape[0] - 1))] -= 1
        place = winner - dealer - 1
        state["marks"][winner] += 1
        tally["decided"] += 1
        tally["winner_once_held_most"] += (state["held_most"] >> winner) & 1
        tally["loser_hands"] += players - 1
        tally["loser_points"] += all_points - own
        tally["round_win"][winner] += 1
        tally["round_win_place"][np.uint64(place + players if place < 0 else place)] += 1
    if record["scoring"] == _COLLECTS:
        for seat in range(players):
            hand_points[seat] = all_points if seat == winner else np.int64(0)
    place = players - 1 - dealer
    for seat in range(players):
        place = place if place < players else place - players
        points = hand_points[seat]
        state["points"][seat] += points
        tally["points"][seat] += points
        tally["points_place"][np.uint64(place)] += points
        count_up(counts["points"][seat], points)
        place += 1


@jit_small
def is_match_over(record: Any, state: Any, rounds: Any) -> Any:
    """Whether a match ends after so many rounds."""
    target, last = record["match_points"], record["match_rounds"]
    is_over = rounds >= (1_000_000 if target > 0 and last == 1 else last)
    if target > 0:
        for seat in range(record["players"]):
            is_over |= state["points"][seat] >= target
    return is_over


@jit_part
def add_match(record: Any, state: Any, rounds: Any, first_winner: Any, tally: Any, counts: Any) -> Any:
    """Add a match to a tally and to the distributions. Returns the winners, as bits of seats."""
    players = record["players"]
    # So that the best has most, whichever way points are counted; the marks decide below the points.
    sign = RANK if record["scoring"] == _COLLECTS else -RANK
    best, second = np.int64(-(1 << 62)), np.int64(-(1 << 62))
    for seat in range(players):
        points = state["points"][seat]
        tally["match_points"][seat] += points
        count_up(counts["match_points"][seat], points)
        rank = sign * points + state["marks"][seat]
        state["ranks"][seat] = rank
        second = max(second, min(best, rank))
        best = max(best, rank)
    won = ZERO
    for seat in range(players - 1, -1, -1):
        won = won << ONE | np.uint64(state["ranks"][seat] == best)
    margin = (best >> MARKS) - (second >> MARKS)
    tally["matches"] += 1
    tally["margin"] += margin
    count_up(counts["rounds"], rounds - 1)
    count_up(counts["margin"], margin)
    if won & (won - ONE) == ZERO:
        tally["match_win"][lowest_bit(won)] += SHARE
    else:
        tally["match_tie"] += 1
        rest = won
        while rest != ZERO:
            tally["match_win"][lowest_bit(rest)] += SHARE // popcount(won)
            rest &= rest - ONE
    if rounds > 1 and first_winner != NO_SEAT:
        tally["long_matches"] += 1
        tally["first_round_winner_lost"] += (won >> np.uint64(first_winner)) & ONE == ZERO
    return won
