"""One match, told: the same match that was counted, played again with its events written down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simcore import games, log
from simcore.cells import Cell
from simcore.errors import DataError, UsageError, plural
from simcore.finding import metric_to_find
from simcore.owncode import compiled, explain, owns_of
from simcore.record import counts_dtype, tally_dtype, to_record, to_strategies
from simcore.results import columns
from simcore.simulation import play_chunk, to_task

FIRST_ROWS = 4096
"""Events that a log has room for at first."""

FIND_CHUNK = 256
"""Matches played at once by `find`, so that an interrupt is noticed soon."""


class Trace(NamedTuple):
    """A match that was written down.

    Attributes
    ----------
    cell, seed, game
        What was played, and the number of the match.
    events
        Each a code and seven numbers, as listed in the game's ``events.py``.
    lines
        The story.
    """

    cell: Cell
    seed: int
    game: int
    events: list[list[int]]
    lines: list[str]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def trace(cell: Cell, seed: int, game: int) -> Trace:
    """Play one match of a cell and tell it."""
    events = play_logged(cell, seed, game)
    count = int(events[0, 0])
    lines = games.story(cell.game).tell(cell.rules, cell.seats, events)
    return Trace(cell, seed, game, events[1 : count + 1].tolist(), list(lines))


def play_logged(cell: Cell, seed: int, game: int) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """Play one match and return its log."""
    rows = FIRST_ROWS
    record, strategies = to_record(cell.game, cell.rules), to_strategies(cell.game, cell.seats)
    choose_own = compiled(cell.game, owns_of(cell.seats))
    while True:
        events = np.zeros((rows, log.WIDTH), np.int32)
        status, _ = games.kernel(cell.game).play_many(
            record,
            strategies,
            np.uint64(seed),
            np.int64(game),
            np.int64(1),
            np.int64(1),
            np.zeros(1, tally_dtype(cell.game)),
            np.zeros(1, counts_dtype(cell.game))[0],
            events,
            np.zeros(1, np.uint8),
            choose_own,
        )
        if status == log.ILLEGAL_CHOICE:
            raise DataError(f"{explain(cell, seed, game)}.")
        if status != log.LOG_FULL:
            return events
        rows *= 2


def find(cell: Cell, seed: int, matches: int, what: str) -> tuple[int, float]:
    """Return the number of the most remarkable of the first matches, and its value; the lowest on a tie.

    Parameters
    ----------
    cell, seed
        What is played.
    matches
        How many are played again.
    what
        One of the words of `finding`: the match with the largest sum of the game's LONGEST, the smallest of CLOSEST,
        the largest of DEFICIT.

    Raises
    ------
    UsageError
        If the game measures no such thing, or it did not occur.
    """
    game = games.load(cell.game)
    name = metric_to_find(game, what).name
    found = columns(cell)
    wanted = [i for i, metric in enumerate(found.metrics) if metric.name == name]
    sign = -1 if what == "closest" else 1
    best: tuple[int, float] | None = None
    for first, rows in _matches(cell, seed, matches):
        values, per = (part[:, wanted] for part in found.pick(rows))
        sums = sign * values.sum(axis=1)
        occurred = np.flatnonzero(per.any(axis=1))
        if not len(occurred):
            continue
        at = int(occurred[np.argmax(sums[occurred])])
        if best is None or sums[at] > best[1]:
            best = first + at, float(sums[at])
    if best is None:
        raise UsageError(f"'{name}' did not occur in the first {plural(matches, 'game')}, so there is no {what} one.")
    return best[0], abs(best[1]) / int(found.scale[wanted[0]])


def _matches(
    cell: Cell, seed: int, matches: int
) -> Iterator[tuple[int, np.ndarray[tuple[int, int], np.dtype[np.int64]]]]:
    """Yield the number of a first match, and a row of sums for each one from there."""
    for first in range(0, matches, FIND_CHUNK):
        yield first, play_chunk(to_task(cell, seed, first, min(FIND_CHUNK, matches - first), 1)).rows
