"""Cells that differ in scoring only, with strategies that do not read it, play identical rounds card for card.

So pairing is as good as it can be: what is not a score does not differ at all, and scores differ only by what the
rule says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import simcore
from simcore.record import counts_dtype, tally_dtype
from simcore.results import Result, compare


class Change(NamedTuple):
    """A game, what both cells have, who plays, the change of scoring, and a score that it must change."""

    game: str
    base: dict[str, Any]
    strategy: str
    change: dict[str, Any]
    score: str


# Fields of the tallies and names of metrics; `decided` counts matches by their scores.
AHOI_SCORES = {"points", "points_place", "match_points", "margin", "loser_points", "match_win", "match_tie"}
AHOI_SCORES |= {"first_round_winner_lost", "no_winner"}
SKULL_KING_SCORES = {"score", "margin", "lead_changes", "decided_at_round", "match_win", "match_tie"}
SKULL_KING_SCORES |= {"winner_was_last_at_half", "winner_deficit", "points_for_bid"}
SKULL_KING_SCORES |= {"round_points", "round_bonus", "round_points_of_round", "round_bonus_of_round", "decided"}
SCORES = {"ahoi": AHOI_SCORES, "skull-king": SKULL_KING_SCORES}

MATCH = {"match_rounds": 3}
CHANGES = [
    Change("ahoi", MATCH, "random+keeper+random+keeper", {"scoring": "winner_collects"}, "match_points"),
    *(
        Change("ahoi", MATCH, "keeper+random+random+keeper", {f"value_{kind}": 3}, "points")
        for kind in ("reverse", "skip", "draw_two", "draw_two_colour", "draw_four_colour", "colour_choice", "joker")
    ),
    *(
        Change("skull-king", {}, "count/contract+count/random+random/random+count/contract", change, "score")
        for change in (
            {"points_per_trick": 11},
            {"penalty_per_miss": 5},
            {"zero_bid_points": 5},
            {"bonus_when": "always"},
            {"bonus_14": 70},
            {"bonus_black_14": 70},
            {"bonus_mermaid": 70},
            {"bonus_pirate": 70},
            {"bonus_skull_king": 70},
        )
    ),
    Change("skull-king", {"loot": 2}, "count/random", {"bonus_loot": 70}, "score"),
]


def played(game: str, strategy: str, rules: dict[str, Any]) -> Result:
    return simcore.simulate(simcore.rules(game, **rules), strategy, games=400, seed=5, jobs=2)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change.game} {change.change}")
def test_what_is_not_a_score_is_equal_in_every_block(change: Change) -> None:
    base = played(change.game, change.strategy, change.base)
    other = played(change.game, change.strategy, change.base | change.change)
    a, b = (result.tally.rows.view(tally_dtype(change.game)) for result in (base, other))
    assert len(a) == len(b) == 400  # a match a block
    differing = {name for name in tally_dtype(change.game).names or () if not np.array_equal(a[name], b[name])}
    assert change.score in differing and differing <= SCORES[change.game]
    c, d = (result.tally.counts.view(counts_dtype(change.game)) for result in (base, other))
    names = set(counts_dtype(change.game).names or ()) - SCORES[change.game]
    assert names and all(np.array_equal(c[name], d[name]) for name in names)
    # Then the pairing is perfect wherever anything varies at all, and scores gain by it.
    for row in compare((base.cell, base.tally), (other.cell, other.tally)):
        if row.metric not in SCORES[change.game]:
            assert row.difference == 0 and (np.isnan(row.rho) or row.rho > 1 - 1e-9)
        elif row.metric == change.score and not np.isnan(row.rho):
            # Who collects the points of the others' hands turns the score round; all else barely moves it.
            assert (row.rho > 0.85 and row.variance_ratio < 0.2) or "scoring" in change.change
