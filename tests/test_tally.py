"""Tallies: however games are cut and joined, the sums by block are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simcore.tally import MAX_BLOCKS, Tally, block_for, common

WIDTH, COUNTS = 3, 2


def of_games(first: int, games: int) -> Any:
    """Return made-up sums of each game (games, WIDTH + COUNTS); they depend on the game's number alone."""
    numbers = np.arange(first, first + games, dtype=np.int64)[:, None] + 1
    return numbers * np.array([1, 7, 100_003, 11, 13]) % np.array([2**40, 5, 97, 3, 17])


def rows_of(first: int, games: int, block: int) -> Any:
    """Return the sums by block, from the block of the first game to that of the last."""
    rows = np.zeros(((first + games - 1) // block - first // block + 1, WIDTH), np.int64)
    for game, numbers in enumerate(of_games(first, games), first):
        rows[game // block - first // block] += numbers[:WIDTH]
    return rows


def tally_of(first: int, games: int, block: int) -> Tally:
    """Return the tally that adds everything up at once."""
    assert first % block == 0
    counts = of_games(first, games)[:, WIDTH:].sum(axis=0)
    rows = rows_of(first, games, block) if games else np.zeros((0, WIDTH), np.int64)
    return Tally(first, games, block, rows, counts)


def added(tally: Tally, chunks: list[int]) -> Tally:
    """Add chunks of games one after the other."""
    for games in chunks:
        first = tally.end
        rows = rows_of(first, games, tally.block) if games else np.zeros((0, WIDTH), np.int64)
        # A worker's array may have room for more blocks than it came to.
        rows = np.concatenate((rows, np.full((1, WIDTH), 99, np.int64)))
        tally.add(first, games, rows, of_games(first, games)[:, WIDTH:].sum(axis=0))
    return tally


def assert_equal(a: Tally, b: Tally) -> None:
    assert (a.first, a.games, a.block) == (b.first, b.games, b.block)
    assert a.rows.dtype == b.rows.dtype == np.int64
    assert np.array_equal(a.rows, b.rows)
    assert np.array_equal(a.counts, b.counts)


blocks = st.integers(0, 5).map(lambda exponent: 2**exponent)
chunks = st.lists(st.integers(0, 40), max_size=8)


@given(chunks, blocks, st.integers(0, 3))
def test_any_cutting_into_chunks_gives_the_same_rows(sizes: list[int], block: int, skipped: int) -> None:
    tally = added(Tally.empty(WIDTH, COUNTS, block, skipped * block), sizes)
    assert_equal(tally, tally_of(skipped * block, sum(sizes), block))
    assert tally.end == tally.first + sum(sizes)
    assert tally.whole_blocks() == sum(sizes) // block


@given(chunks, blocks, st.integers(0, 4))
def test_coarser_blocks_are_sums_of_finer_ones(sizes: list[int], block: int, doublings: int) -> None:
    fine = added(Tally.empty(WIDTH, COUNTS, block), sizes)
    before = fine.rows.copy()
    assert_equal(fine.coarsen(block << doublings), tally_of(0, sum(sizes), block << doublings))
    assert np.array_equal(fine.rows, before)


@given(chunks, chunks, blocks, st.integers(0, 3))
def test_extending_a_coarsened_tally_is_adding_up_at_once(
    before: list[int], after: list[int], block: int, doublings: int
) -> None:
    tally = added(Tally.empty(WIDTH, COUNTS, block), before).coarsen(block << doublings)
    assert_equal(added(tally, after), tally_of(0, sum(before) + sum(after), block << doublings))


@given(st.integers(0, 10**13))
def test_block_is_the_smallest_power_of_two_that_keeps_a_tally_small(games: int) -> None:
    block = block_for(games)
    assert block.bit_count() == 1
    assert -(-games // block) <= MAX_BLOCKS
    assert block == 1 or -(-games // (block // 2)) > MAX_BLOCKS
    assert block_for(games + 1) >= block
    if games > MAX_BLOCKS:
        assert -(-games // block) > MAX_BLOCKS // 2


def test_a_tally_stays_as_large_as_it_is_however_many_games() -> None:
    for games in (512, 10_000, 10**6, 10**12):
        block = block_for(games)
        tally = Tally.empty(WIDTH, COUNTS, block)
        # As many games as a chunk may have, each time; only sums are made up.
        step = -(-games // 50)
        for first in range(0, games, step):
            size = min(step, games - first)
            number = (first + size - 1) // block - first // block + 1
            tally.add(first, size, np.ones((number, WIDTH), np.int64), np.ones(COUNTS, np.int64))
        assert tally.games == games
        assert len(tally.rows) <= MAX_BLOCKS


ranges = st.tuples(st.integers(0, 3), st.integers(0, 150), blocks)


@given(ranges, ranges)
def test_common_rows_belong_to_the_same_games(one: tuple[int, int, int], other: tuple[int, int, int]) -> None:
    # Blocks of both sizes begin at the first games.
    start = 32
    a, b = (tally_of(first * start, games, block) for first, games, block in (one, other))
    rows_a, rows_b, games = common(a, b)
    block = max(a.block, b.block)
    first, end = max(a.first, b.first), min(a.end, b.end)
    if end <= first:
        assert games == 0 and len(rows_a) == len(rows_b) == 0
        return
    # Whole blocks of both, and the last one too where both end with the same game.
    expected = end - first if a.end == b.end else (end - first) // block * block
    assert games == expected
    together = tally_of(first, games, block).rows if games else np.zeros((0, WIDTH), np.int64)
    assert np.array_equal(rows_a, together)
    assert np.array_equal(rows_b, together)
    assert [len(rows) for rows in common(b, a)[:2]] == [len(rows_a)] * 2


def test_games_come_in_order() -> None:
    tally = tally_of(0, 10, 4)
    for first in (9, 11):
        with pytest.raises(AssertionError):
            tally.add(first, 4, rows_of(first, 4, 4), np.zeros(COUNTS, np.int64))
