"""Scoring a round and a match, and adding them to tallies and distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.declare import SHARE
from simcore.games.ahoi import events
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
from simcore.games.ahoi.hands import NO_SEAT, hand_value, size_of
from simcore.games.ahoi.notes import note
from simcore.jit import jit_part

_COLLECTS = int(Scoring.WINNER_COLLECTS)


@jit_part
def count_up(bins: Any, place: Any) -> None:
    """Add one observation to a bin of a distribution, or to its end bin."""
    bins[min(place, bins.shape[0] - 1)] += 1


@jit_part
def add_round(record: Any, state: Any, winner: Any, dealer: Any, tally: Any, counts: Any) -> None:
    """Score a round, and add it to a tally and to the distributions."""
    players, hand_points = record["players"], state["hand_points"]
    all_points = np.int64(0)
    for seat in range(players):
        hand_points[seat] = hand_value(record, state, seat)
        all_points += hand_points[seat]
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
    if winner == NO_SEAT:
        tally["stalemate"] += 1
    else:
        state["marks"][winner] += 1
        tally["decided"] += 1
        tally["winner_once_held_most"] += (state["held_most"] >> winner) & 1
        tally["loser_hands"] += players - 1
        tally["loser_points"] += all_points - hand_points[winner]
        tally["round_win"][winner] += 1
    place = players - 1 - dealer
    collects = record["scoring"] == _COLLECTS
    for seat in range(players):
        place = place if place < players else place - players
        points = hand_points[seat]
        if winner != NO_SEAT and seat != winner:
            count_up(counts["loser_points"], points)
        if collects:
            points = all_points if seat == winner else np.int64(0)
        state["points"][seat] += points
        tally["points"][seat] += points
        tally["points_place"][place] += points
        tally["round_win_place"][place] += seat == winner
        tally["cards_left"][seat] += size_of(state, seat)
        count_up(counts["points"][seat], points)
        count_up(counts["cards_left"][seat], size_of(state, seat))
        note(state, events.POINTS, seat, points, state["points"][seat], state["marks"][seat])
        place += 1


@jit_part
def add_match(record: Any, state: Any, rounds: Any, first_winner: Any, tally: Any, counts: Any) -> None:
    """Find the winners of a match, and add it to a tally and to the distributions."""
    players, points, marks = record["players"], state["points"], state["marks"]
    # So that the best has most, whichever way points are counted.
    sign = 1 if record["scoring"] == _COLLECTS else -1
    best, second, most_marks, winners = np.int64(-(1 << 62)), np.int64(-(1 << 62)), np.int64(-1), np.int64(0)
    for seat in range(players):
        own = sign * points[seat]
        if own > best:
            second, best, most_marks, winners = best, own, marks[seat], np.int64(1)
        else:
            second = max(second, own)
            if own == best and marks[seat] >= most_marks:
                winners = winners + 1 if marks[seat] == most_marks else np.int64(1)
                most_marks = marks[seat]
    tally["matches"] += 1
    tally["match_tie"] += winners > 1
    tally["margin"] += best - second
    count_up(counts["rounds"], rounds - 1)
    count_up(counts["margin"], best - second)
    has_first_won = False
    for seat in range(players):
        tally["match_points"][seat] += points[seat]
        count_up(counts["match_points"][seat], points[seat])
        if sign * points[seat] == best and marks[seat] == most_marks:
            tally["match_win"][seat] += SHARE // winners
            has_first_won |= seat == first_winner
            note(state, events.MATCH_WON, seat, winners)
    if rounds > 1 and first_winner != NO_SEAT:
        tally["long_matches"] += 1
        tally["first_round_winner_lost"] += not has_first_won
