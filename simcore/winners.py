"""In how many games another player wins than under the rules they are compared with, game by game."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from simcore.cells import Cell
from simcore.games import load
from simcore.record import place
from simcore.simulation import play_chunk, to_task

GAMES_AT_ONCE = 500
"""A tally has a row a game here, so not too many are kept at once."""


def other_winners(base: Cell, others: Sequence[Cell], seed: int, games: int, jobs: int = 1) -> dict[str, int]:
    """Return by cell how many games have other shares of the win than in the base cell.

    Parameters
    ----------
    base, others
        Cells with equally many players.
    seed, games, jobs
        As `Simulation` takes them; the games from 0 on.
    """
    shape = ("match_win", ("seat",))
    players = load(base.game).key_sizes(base.rules)["seat"]
    seats = [place(base.game, *shape, (seat,)) for seat in range(players)]
    totals = dict.fromkeys((cell.id for cell in others), 0)
    lock = threading.Lock()

    def play(first: int) -> None:
        number = min(GAMES_AT_ONCE, games - first)
        wins = play_chunk(to_task(base, seed, first, number, 1)).rows[:, seats]
        for cell in others:
            here = play_chunk(to_task(cell, seed, first, number, 1)).rows[:, seats]
            with lock:
                totals[cell.id] += int(np.any(here != wins, axis=1).sum())

    with ThreadPoolExecutor(jobs, thread_name_prefix="shipsim") as executor:
        list(executor.map(play, range(0, games, GAMES_AT_ONCE)))
    return totals
