"""Chunks: a range of games of one cell, and playing it."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from simcore import games, log
from simcore.cells import Cell
from simcore.jit import call
from simcore.owncode import Owns, compiled, owns_of
from simcore.record import as_rows, counts_dtype, tally_dtype, to_record, to_strategies
from simcore.tally import Integers


class Task(NamedTuple):
    """One chunk: everything that a worker needs.

    `kernel` names the function of the game's kernel module that plays it, `own` the users' functions to compile there.
    """

    game: str
    kernel: str
    record: Any
    strategies: Any
    seed: int
    first: int
    games: int
    block: int
    stop: Any
    own: Owns = ()


class Done(NamedTuple):
    """What comes of a chunk: status of the kernel, games played, their sums, seconds; why no worker could play it."""

    status: int
    games: int
    rows: Integers
    counts: Integers
    seconds: float
    lost: str = ""


def to_task(cell: Cell, seed: int, first: int, matches: int, block: int) -> Task:
    """Return the task of playing some of a cell's games, all of them unless the process ends."""
    return Task(
        cell.game,
        games.kernel_for(cell.game, cell.rules, cell.seats),
        to_record(cell.game, cell.rules),
        to_strategies(cell.game, cell.seats),
        seed,
        first,
        matches,
        block,
        np.zeros(1, np.uint8),
        owns_of(cell.seats),
    )


def play_chunk(task: Task, choose_own: Any = None) -> Done:
    """Play the games of one chunk; the functions of the task's `own` decide, unless another is given."""
    if choose_own is None:
        choose_own = compiled(task.game, task.own)
    began = time.perf_counter()
    blocks = (task.first + task.games - 1) // task.block - task.first // task.block + 1
    tally = np.zeros(blocks, tally_dtype(task.game))
    counts = np.zeros(1, counts_dtype(task.game))
    kernel = getattr(games.kernel(task.game), task.kernel)
    status, played = call(
        kernel,
        task.record,
        task.strategies,
        np.uint64(task.seed),
        np.int64(task.first),
        np.int64(task.games),
        np.int64(task.block),
        tally,
        counts[0],
        np.zeros((0, log.WIDTH), np.int32),
        task.stop,
        choose_own,
    )
    if status == log.ILLEGAL_CHOICE:
        # What was added up of the match that broke off must not count, so those before it are played again alone.
        again = play_chunk(task._replace(games=int(played)), choose_own)
        return again._replace(status=log.ILLEGAL_CHOICE) if again.games == played else again
    return Done(int(status), int(played), as_rows(tally), counts.view(np.int64), time.perf_counter() - began)
