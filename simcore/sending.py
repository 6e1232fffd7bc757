"""What goes to workers elsewhere and comes back: small, made of plain values, and of one engine only."""

from __future__ import annotations

import functools
import hashlib
import json
from typing import NamedTuple

import numpy as np

from simcore import ENGINE_VERSION, jit
from simcore.cells import Cell, cell_from, complete
from simcore.chunks import Done, Task, play_chunk, to_task
from simcore.errors import DataError
from simcore.owncode import Owns
from simcore.record import counts_dtype, width
from simcore.tally import Integers


class Sent(NamedTuple):
    """What a worker gives back: as `Done`, with only the columns and bins that are not zero throughout."""

    status: int
    games: int
    blocks: int
    columns: Integers
    rows: Integers
    bins: Integers
    counts: Integers
    seconds: float


@functools.cache
def engine() -> str:
    """Return a word for everything that results depend on: the engine's version and its sources."""
    digest = hashlib.sha256()
    for path in jit.sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"{ENGINE_VERSION}-{digest.hexdigest()[:12]}"


def described(cell: Cell) -> str:
    """Return a cell as text; the tables that a kernel reads are many times as large."""
    return json.dumps(complete(cell))


@functools.lru_cache(maxsize=16)
def _records(text: str) -> Task:
    cell = cell_from(json.loads(text), "a chunk")
    return to_task(cell, 0, 0, 0, 1)


def play_sent(sender: str, text: str, own: Owns, seed: int, first: int, games: int, block: int) -> Sent:
    """Play the games of one chunk, on a worker.

    Parameters
    ----------
    sender
        The engine of whoever wants it.
    text
        The cell, from `described`.
    own
        The code of its users' own strategies, which the text only names.
    seed, first, games, block
        As in `Task`.

    Raises
    ------
    DataError
        If this worker has another engine.
    """
    if sender != engine():
        raise DataError(
            f"a worker has engine {engine()}, this is {sender}: results of different engines are never mixed.",
            "Install the same version of shipsim everywhere, and start the workers again.",
        )
    done = play_chunk(_records(text)._replace(own=own, seed=seed, first=first, games=games, block=block))
    columns, bins = np.flatnonzero(done.rows.any(axis=0)), np.flatnonzero(done.counts)
    rows = np.ascontiguousarray(done.rows[:, columns])
    return Sent(done.status, done.games, len(done.rows), columns, rows, bins, done.counts[bins], done.seconds)


def unpack(game: str, sent: Sent) -> Done:
    """Return what a worker gave back, in full."""
    rows = np.zeros((sent.blocks, width(game)), np.int64)
    counts = np.zeros(counts_dtype(game).itemsize // 8, np.int64)
    rows[:, sent.columns] = sent.rows
    counts[sent.bins] = sent.counts
    return Done(sent.status, sent.games, rows, counts, sent.seconds)
