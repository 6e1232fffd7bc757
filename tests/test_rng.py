"""The random streams: known answers, exact bounds, uniformity, and independence of streams that differ in one key.

Every statistical test uses fixed keys, so it passes or fails for ever; its threshold is the quantile that a good
generator exceeds once in a million tries.
"""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from simcore import jit as jit_module
from simcore import rng
from simcore.jit import jit

RARE = 1e-6
MASK = (1 << 64) - 1
GOLDEN, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
SIGMAS = float(stats.norm.isf(RARE / 2))
PUBLISHED = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
"""What SplitMix64 gives from 1234567 on, as published at rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64."""


# The generator a second time, in Python's integers


def finalize(z: int) -> int:
    z = (z ^ (z >> 30)) * FIRST & MASK
    z = (z ^ (z >> 27)) * SECOND & MASK
    return z ^ (z >> 31)


def unshift(z: int, by: int) -> int:
    """Undo ``z ^ (z >> by)``."""
    found = z
    for _ in range(64 // by):
        found = z ^ (found >> by)
    return found


def undo_finalize(z: int) -> int:
    z = unshift(z, 31) * pow(SECOND, -1, 1 << 64) & MASK
    z = unshift(z, 27) * pow(FIRST, -1, 1 << 64) & MASK
    return unshift(z, 30)


def splitmix(counter: int) -> int:
    """Return the first number that SplitMix64 gives when it starts at this counter."""
    return finalize(counter + GOLDEN & MASK)


def starting_counter(seed: int, game: int, round_number: int, purpose: int, number: int) -> int:
    key = splitmix(splitmix(splitmix(seed) ^ game) ^ round_number)
    return splitmix(key ^ (purpose | number << 8))


def counters_at(counter: int) -> Any:
    return np.array([counter], np.uint64)


# Many draws in one call


@jit
def fill_words(counter: Any, found: Any) -> None:
    streams = np.zeros(1, np.uint64)
    streams[0] = counter
    for i in range(len(found)):
        found[i] = rng.word(streams, 0)


@jit
def count_below(counter: Any, n: Any, draws: Any, counts: Any) -> None:
    streams = np.zeros(1, np.uint64)
    streams[0] = counter
    for _ in range(draws):
        counts[rng.below(streams, 0, n)] += 1


@jit
def fill_streams(seeds: Any, games: Any, rounds: Any, purposes: Any, numbers: Any, found: Any) -> None:
    """Fill a row for each stream: its starting counter, then its first numbers."""
    streams = np.zeros(64, np.uint64)
    for i in range(found.shape[0]):
        purpose = purposes[i]
        rng.start(streams, purpose, rng.round_key(seeds[i], games[i], rounds[i]), numbers[i])
        found[i, 0] = streams[purpose]
        for j in range(1, found.shape[1]):
            found[i, j] = rng.word(streams, purpose)


def first_numbers(keys: Any, width: int) -> Any:
    """Return the rows of `fill_streams` for keys (streams, 5)."""
    found = np.zeros((len(keys), width), np.uint64)
    seeds, games, rounds, purposes, numbers = (np.ascontiguousarray(column) for column in keys.T)
    fill_streams(seeds.astype(np.uint64), games, rounds, purposes, numbers, found)
    return found


def random_keys(generator: random.Random, count: int) -> list[tuple[int, int, int, int, int]]:
    """Draw seed, game, round, purpose and number, small ones and large ones."""
    return [
        (
            generator.choice([1, 2, generator.randrange(2**64), MASK]),
            generator.choice([0, 1, generator.randrange(2**40)]),
            generator.randrange(0, 2000),
            generator.randrange(0, 17),
            generator.choice([0, 0, 1, generator.randrange(1000)]),
        )
        for _ in range(count)
    ]


def is_plausible(statistic: float, freedom: int) -> bool:
    """Whether a chi-square is neither too large nor too small to be true."""
    return bool(stats.chi2.ppf(RARE, freedom) < statistic < stats.chi2.isf(RARE, freedom))


# Known answers


@pytest.mark.interpreted
def test_numbers_are_those_published_for_splitmix64() -> None:
    streams = counters_at(1234567)
    assert [int(rng.word(streams, 0)) for _ in PUBLISHED] == PUBLISHED
    assert [splitmix(1234567 + i * GOLDEN & MASK) for i in range(5)] == PUBLISHED


@pytest.mark.interpreted
def test_streams_are_those_of_a_second_implementation() -> None:
    for seed, game, round_number, purpose, number in random_keys(random.Random(1), 200):
        streams = np.zeros(64, np.uint64)
        key = rng.round_key(np.uint64(seed), np.int64(game), np.int64(round_number))
        rng.start(streams, np.int64(purpose), np.uint64(key), np.int64(number))
        counter = starting_counter(seed, game, round_number, purpose, number)
        assert int(streams[purpose]) == counter
        assert np.count_nonzero(streams) == 1
        for i in range(3):
            assert int(rng.word(streams, purpose)) == splitmix(counter + i * GOLDEN & MASK)


@pytest.mark.interpreted
def test_mix_is_a_bijection_that_can_be_undone() -> None:
    generator = random.Random(2)
    for z in [0, 1, MASK, *(generator.randrange(2**64) for _ in range(200))]:
        assert undo_finalize(finalize(z)) == z
        assert int(rng.mix(np.uint64(z))) == finalize(z)
        assert int(rng.plus_golden(np.uint64(z))) == z + GOLDEN & MASK


# What is drawn from a number


def counter_before(number: int) -> Any:
    """Return a stream whose next number is the given one."""
    return counters_at(undo_finalize(number) - GOLDEN & MASK)


@pytest.mark.interpreted
@pytest.mark.parametrize("n", [2, 3, 5, 7, 13, 28, 52, 112, 2**20 + 7])
def test_bias_of_below_is_less_than_one_in_two_to_the_32(n: int) -> None:
    # Candidate c gets those of the 2**32 values v with v * n // 2**32 == c; the borders tell how many these are.
    borders = [-(-c * 2**32 // n) for c in range(n + 1)]
    sizes = [after - before for before, after in itertools.pairwise(borders)]
    assert all(abs(size / 2**32 - 1 / n) < 2**-32 for size in sizes) and sum(sizes) == 2**32
    for c in random.Random(n).sample(range(n), min(n, 40)):
        for value in (borders[c], borders[c + 1] - 1):
            for low_bits in (0, 2**32 - 1):
                assert int(rng.below(counter_before(value << 32 | low_bits), 0, n)) == c


@pytest.mark.interpreted
def test_uniform_is_the_upper_53_bits() -> None:
    for number, expected in ((0, 0.0), (MASK, 1 - 2**-53), (1 << 63, 0.5), (1 << 11, 2**-53), (2**11 - 1, 0.0)):
        assert rng.uniform(counter_before(number), 0) == expected
    assert rng.happens(counter_before(1 << 63), 0, 0.5) == (0.5 < 0.5)
    assert rng.happens(counter_before((1 << 63) - 1), 0, 0.5)


@pytest.mark.interpreted
def test_what_is_certain_draws_nothing() -> None:
    for chance, expected in ((0.0, False), (1.0, True), (-1.0, False), (2.0, True)):
        streams = counters_at(99)
        assert bool(rng.happens(streams, 0, chance)) is expected
        assert int(streams[0]) == 99
    for draw in (rng.below, rng.below_without_branch):
        streams = counters_at(99)
        assert int(draw(streams, 0, 1)) == 0
        assert int(streams[0]) == 99
    chosen, counter = rng.below_from(np.uint64(99), 1)
    assert (int(chosen), int(counter)) == (0, 99)
    streams = counters_at(99)
    rng.happens(streams, 0, 0.5)
    assert int(streams[0]) == 99 + GOLDEN & MASK


@pytest.mark.interpreted
def test_three_ways_to_draw_below_are_one() -> None:
    generator = random.Random(3)
    for _ in range(300):
        n, counter = generator.choice([1, 2, 3, 7, 52, 112]), generator.randrange(2**64)
        one, other = counters_at(counter), counters_at(counter)
        drawn = int(rng.below(one, 0, n))
        assert int(rng.below_without_branch(other, 0, n)) == drawn
        assert int(other[0]) == int(one[0])
        chosen, after = rng.below_from(np.uint64(counter), n)
        assert (int(chosen), int(after)) == (drawn, int(one[0]))


@pytest.mark.interpreted
def test_bits_are_counted_and_found() -> None:
    generator = random.Random(4)
    for word in [1, MASK, 1 << 63, *(generator.randrange(1, 2 ** generator.randint(1, 64)) for _ in range(100))]:
        places = [i for i in range(64) if word >> i & 1]
        assert jit_module.popcount(np.uint64(word)) == len(places)
        assert jit_module.lowest_bit(np.uint64(word)) == places[0]
        assert jit_module.highest_bit(np.uint64(word)) == places[-1]
        for n in {0, len(places) // 2, len(places) - 1}:
            assert jit_module.nth_bit(np.uint64(word), n) == places[n]
    assert jit_module.popcount(np.uint64(0)) == 0


PROGRAM = """
import numpy as np
from simcore import jit, rng
if {without_bmi2}:
    import importlib, llvmlite.binding as llvm
    llvm.get_host_cpu_features = dict
    jit = importlib.reload(jit)
rng_numbers = []
for seed, game, number in ((1, 0, 0), (2**64 - 1, 2**40, 3), (7, 12345, 1)):
    streams = np.zeros(20, np.uint64)
    for purpose in (0, 1, 2, 14):
        rng.start(streams, purpose, np.uint64(rng.round_key(np.uint64(seed), game, 5)), number)
        rng_numbers += [int(rng.word(streams, purpose)) for _ in range(3)]
        rng_numbers += [int(rng.below(streams, purpose, n)) for n in (1, 2, 52, 112)]
        rng_numbers += [float(rng.uniform(streams, purpose)), bool(rng.happens(streams, purpose, 0.3))]
        word = np.uint64(rng_numbers[-9])
        rng_numbers += [int(jit.nth_bit(word, n)) for n in range(int(jit.popcount(word)))]
print(rng_numbers)
"""


def run_program(tmp_path: Path, without_bmi2: bool, **environment: str) -> str:
    program = PROGRAM.format(without_bmi2=without_bmi2)
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, "SHIPSIM_CACHE": str(tmp_path), **environment},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_interpreted_compiled_and_without_pdep_are_equal(tmp_path: Path) -> None:
    interpreted = run_program(tmp_path, False, NUMBA_DISABLE_JIT="1")
    assert len(interpreted.split(",")) > 400
    assert run_program(tmp_path, False, NUMBA_DISABLE_JIT="0") == interpreted
    assert run_program(tmp_path, True, NUMBA_DISABLE_JIT="0") == interpreted


# Uniformity


@pytest.mark.parametrize("n", [2, 3, 7, 28, 52, 112])
def test_below_is_uniform(n: int) -> None:
    draws = 2_000_000
    counts = np.zeros(n, np.int64)
    count_below(np.uint64(starting_counter(1, 2, 3, 0, n)), n, draws, counts)
    assert counts.sum() == draws
    assert is_plausible(float(stats.chisquare(counts).statistic), n - 1)


def test_bits_are_balanced_and_pairs_of_bits_independent() -> None:
    words = np.zeros(1 << 16, np.uint64)
    fill_words(np.uint64(starting_counter(5, 0, 1, 0, 0)), words)
    bits = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).astype(np.float32) * 2 - 1
    products = bits.T @ bits / np.sqrt(len(words))
    sigmas = float(stats.norm.isf(RARE / 64 / 64))
    assert np.abs(bits.sum(axis=0) / np.sqrt(len(words))).max() < sigmas
    assert np.abs(products[~np.eye(64, dtype=bool)]).max() < sigmas
    # The same bits of the next word.
    following = bits[:-1].T @ bits[1:] / np.sqrt(len(words))
    assert np.abs(following).max() < sigmas


@pytest.mark.parametrize("lag", [1, 2, 3, 52])
def test_numbers_of_a_stream_do_not_depend_on_earlier_ones(lag: int) -> None:
    words = np.zeros(1 << 20, np.uint64)
    fill_words(np.uint64(starting_counter(6, 0, 1, 0, 0)), words)
    assert is_independent(words[:-lag], words[lag:])


# Independence of streams that differ in one key

KEYS = ("seed", "game", "round", "purpose", "number")


def is_independent(a: Any, b: Any) -> bool:
    """Whether neither the correlation nor a 32 x 32 table of two rows of numbers is improbable."""
    correlation = np.corrcoef(a / 2.0**64, b / 2.0**64)[0, 1]
    table = np.bincount((a >> np.uint64(59)).astype(int) * 32 + (b >> np.uint64(59)).astype(int), minlength=1024)
    statistic = float(stats.chisquare(table).statistic)
    return bool(abs(correlation) * np.sqrt(len(a)) < SIGMAS) and is_plausible(statistic, 1023)


def neighbouring_keys(column: int) -> Any:
    """Return keys of which each two consecutive ones differ by one in one column."""
    limits = (60_000, 60_000, 200, 15, 200)  # purposes are below 15, numbers go on to the next stream
    keys = []
    for other in range(60_000 // limits[column]):
        base = np.array([1000, 7 * other, 1 + other % 50, 2, 0])
        block = np.tile(base, (limits[column], 1))
        block[:, column] = np.arange(limits[column])
        keys.append(block)
    return np.concatenate(keys)


@pytest.mark.parametrize("column", range(5), ids=KEYS)
def test_streams_that_differ_in_one_key_are_independent(column: int) -> None:
    keys = neighbouring_keys(column)
    found = first_numbers(keys, 4)
    is_neighbour = keys[1:, column] == keys[:-1, column] + 1
    before, after = found[:-1][is_neighbour], found[1:][is_neighbour]
    assert len(before) > 50_000
    for i, j in ((0, 0), (1, 1), (1, 2), (2, 1), (3, 3), (3, 1)):
        assert is_independent(before[:, i], after[:, j]), (i, j)


@pytest.mark.parametrize("column", range(5), ids=KEYS)
def test_one_bit_of_a_key_changes_half_of_the_bits(column: int) -> None:
    # Under a good generator the number of bits that differ is binomial(64, 1/2).
    base = neighbouring_keys(1)[:2000]
    bits = (63, 40, 30, 6, 16)[column]
    differing = []
    for bit in range(bits):
        other = base.copy()
        other[:, column] ^= 1 << bit
        if column == 3:
            other[:, column] &= 63
        changed = first_numbers(base, 2)[:, 1] ^ first_numbers(other, 2)[:, 1]
        differing.append(np.bitwise_count(changed).astype(float))
    counts = np.concatenate(differing)
    assert abs(counts.mean() - 32) < SIGMAS * 4 / np.sqrt(len(counts))
    assert abs(counts.var() / 16 - 1) < SIGMAS * np.sqrt(2 / len(counts))


def test_no_two_streams_overlap() -> None:
    # A stream is a walk in steps of GOLDEN. In units of a step the starts of a million streams lie at least
    # 2**64 / 10**12 (18 million) apart in the mean closest case; 1,000 is undercut once in 20,000 tries.
    keys = np.array(list(itertools.product([1], range(5000), range(1, 21), range(5), [0, 1])))
    starts = first_numbers(keys, 1)[:, 0]
    assert len(starts) == 1_000_000 == len(np.unique(starts))
    steps = np.sort(starts * np.uint64(pow(GOLDEN, -1, 1 << 64)))
    gaps = np.diff(steps)
    assert gaps.min() > 1000
    assert int(steps[0]) + 2**64 - int(steps[-1]) > 1000
    # And they lie as evenly as chance would have it.
    table = np.bincount((steps >> np.uint64(54)).astype(int), minlength=1024)
    assert is_plausible(float(stats.chisquare(table).statistic), 1023)
