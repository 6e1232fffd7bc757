"""Tallies: exact sums by block of games. They can be joined, halved and extended; no game is known here.

A *block* is 2**j consecutive games, j being the smallest that keeps a cell at MAX_BLOCKS blocks or fewer;
block number b holds the games from b * block on. So a tally is equally large however many games it adds
up, and two tallies can always be brought to common blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

MAX_BLOCKS = 512


def block_for(games: int) -> int:
    """Return the number of games of a block for a cell of so many games, counted from game 0."""
    block = 1
    while -(-games // block) > MAX_BLOCKS:
        block *= 2
    return block


@dataclass
class Tally:
    """The sums of a contiguous range of games.

    Attributes
    ----------
    first, games
        Number of the first game, a multiple of `block`, and how many games are in it.
    block
        Games of one block; the last block may hold fewer.
    rows
        int64 (blocks, numbers): what was added up, by block; the columns are those of the game.
    counts
        int64 (numbers,): the distributions over all games.
    """

    first: int
    games: int
    block: int
    rows: Integers
    counts: Integers

    @classmethod
    def empty(cls, width: int, counts: int, block: int, first: int = 0) -> Tally:
        """Return a tally of no games."""
        return cls(first, 0, block, np.zeros((0, width), np.int64), np.zeros(counts, np.int64))

    @property
    def end(self) -> int:
        """The number of the game after the last one."""
        return self.first + self.games

    def coarsen(self, block: int) -> Tally:
        """Return the same sums in blocks of a multiple of the size."""
        factor = block // self.block
        if factor == 1:
            return self
        assert factor * self.block == block and self.first % block == 0
        starts = np.arange(0, len(self.rows), factor)
        rows = np.add.reduceat(self.rows, starts, axis=0) if len(self.rows) else self.rows
        return Tally(self.first, self.games, block, rows, self.counts)

    def add(self, first: int, games: int, rows: Integers, counts: Integers) -> None:
        """Add the games that come next, in place.

        Parameters
        ----------
        first, games
            The first of them, which must be `end`, and their number.
        rows
            Their sums by block, from the block of the first to that of the last (rows behind are ignored).
        counts
            Their distributions.
        """
        assert first == self.end
        if games == 0:
            return
        offset = first // self.block - self.first // self.block
        needed = -(-(first + games) // self.block) - self.first // self.block
        if needed > len(self.rows):
            more = np.zeros((needed - len(self.rows), self.rows.shape[1]), np.int64)
            self.rows = np.concatenate((self.rows, more))
        self.rows[offset:needed] += rows[: needed - offset]
        self.counts = self.counts + counts
        self.games += games

    def whole_blocks(self) -> int:
        """Return how many blocks are complete."""
        return self.games // self.block


def common(a: Tally, b: Tally) -> tuple[Integers, Integers, int]:
    """Return the rows of both by their common blocks, and the number of games in these.

    The finer one is halved until the blocks are of one size; what only one of them has is left out, and so
    is a last block that is not complete in both, unless it ends with the same game.
    """
    block = max(a.block, b.block)
    a, b = a.coarsen(block), b.coarsen(block)
    first, end = max(a.first, b.first), min(a.end, b.end)
    blocks = max(end - first, 0) // block
    if a.end == b.end and end > first:
        blocks = -(-(end - first) // block)
    start_a, start_b = (first - a.first) // block, (first - b.first) // block
    games = min(blocks * block, max(end - first, 0))
    return a.rows[start_a : start_a + blocks], b.rows[start_b : start_b + blocks], games
