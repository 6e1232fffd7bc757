"""Shards: a run that is played in parts, on several machines say, and joined later."""

from __future__ import annotations

import re
from typing import NamedTuple

from simcore.errors import UsageError, plural, shorten

MAX_SHARDS = 512
"""A cell has no more blocks than that."""


class Shard(NamedTuple):
    """The `number`-th (from 1) of `of` contiguous ranges of whole blocks of every cell."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def span(self, games: int) -> range:
        """Return the numbers of the games of a cell that belong to it, if the whole run has so many.

        Raises
        ------
        UsageError
            If there are fewer blocks than shards.
        """
        from simcore.tally import block_for

        block = block_for(games)
        blocks = -(-games // block)
        if blocks < self.of:
            raise UsageError(
                f"{plural(games, 'game')} cannot be divided into {plural(self.of, 'shard')}: each needs a block, and "
                f"that is {plural(blocks, 'block')}.",
                f"Take at most {plural(blocks, 'shard')}, or more --games.",
            )
        first, end = (blocks * n // self.of for n in (self.number - 1, self.number))
        return range(first * block, min(end * block, games))


def read_shard(text: str, option: str = "--shard") -> Shard:
    """Read a shard, such as 2/5.

    Raises
    ------
    UsageError
        If it is none.
    """
    found = re.fullmatch(r"(\d{1,3})/(\d{1,3})", text, re.ASCII)
    if found:
        shard = Shard(int(found[1]), int(found[2]))
        if 1 <= shard.number <= shard.of <= MAX_SHARDS:
            return shard
    raise UsageError(
        f"{option}: '{shorten(text)}' is not a shard.",
        f"Values: 1/N to N/N, N being at most {MAX_SHARDS}; 2/5 is the second of five.",
    )
