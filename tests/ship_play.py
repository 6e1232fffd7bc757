"""Playing many matches of My Ship Sails in a test, and comparing what was counted with chances.

Seeds are fixed; a threshold is what chance exceeds once in a million tries.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from simcore import games
from simcore.cells import make_cell
from simcore.games.my_ship_sails.rules import Rules
from simcore.record import counts_dtype, tally_dtype
from simcore.simulation import play_chunk, to_task
from simcore.strategies import read_seats
from simcore.tally import block_for
from simcore.tracing import play_logged

NAME = "my-ship-sails"
RARE = 1e-6
SIGMAS = float(stats.norm.isf(RARE / 2))
ONE_ROUND: dict[str, Any] = {"match_target": 1, "max_rounds": 1}


class Played(NamedTuple):
    """Sums by block, sums of all, and distributions, by the names of the metrics."""

    blocks: Any
    total: dict[str, Any]
    counts: Any


def play(rules: Rules, strategy: str, matches: int, seed: int = 1, block: int = 0) -> Played:
    assert not games.load(NAME).check(rules)
    cell = make_cell(games.load(NAME), rules, read_seats(games.load(NAME), strategy, rules.players))
    done = play_chunk(to_task(cell, seed, 0, matches, block or block_for(matches)))
    assert done.games == matches
    blocks = done.rows.view(tally_dtype(NAME))[:, 0]
    total = {name: blocks[name].sum(axis=0) for name in tally_dtype(NAME).names or ()}
    return Played(blocks, total, done.counts.view(counts_dtype(NAME))[0])


def log_of(rules: Rules, strategy: str, seed: int = 1, game: int = 0) -> list[list[int]]:
    cell = make_cell(games.load(NAME), rules, read_seats(games.load(NAME), strategy, rules.players))
    log = play_logged(cell, seed, game)
    return log[1 : log[0, 0] + 1].tolist()  # type: ignore[no-any-return]


def agree(observed: Any, chances: Any) -> bool:
    """Whether counts fit chances that sum to one; improbable values are thrown together."""
    observed, expected = np.asarray(observed, float), np.asarray([float(c) for c in chances]) * np.sum(observed)
    assert math.isclose(expected.sum(), observed.sum(), rel_tol=1e-9)
    rare = expected < 10
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    kept = expected > 0
    if observed[~kept].any():
        return False
    statistic = float(((observed - expected)[kept] ** 2 / expected[kept]).sum())
    return bool(statistic < stats.chi2.isf(RARE, kept.sum() - 1))


def alike(a: Any, b: Any) -> bool:
    """Whether two rows of counts come from one distribution."""
    table = np.array([a, b], np.int64)
    rare = table.sum(axis=0) < 20
    table = np.column_stack((table[:, ~rare], table[:, rare].sum(axis=1)))
    table = table[:, table.any(axis=0)]
    return bool(stats.chi2_contingency(table).pvalue > RARE)


def is_near(events: int, n: int, chance: Any) -> bool:
    """Whether so many events of n fit a chance."""
    p = float(chance)
    return abs(events - n * p) < SIGMAS * math.sqrt(n * p * (1 - p)) + 1


def course(played: Played, last: int) -> Any:
    """Return how many rounds ended at each pass up to the last, and how many did not."""
    return np.append(played.counts["passes"][: last + 1], played.total["stalemate"])
