"""Random streams that depend on what they are for, and on nothing else.

A stream is a 64-bit counter in an array, started from (seed, game, round, purpose, number) and advanced
by a constant; what it gives is the counter, mixed. So any one game can be replayed alone, games may be
played in any order on any number of threads, and the cells of a sweep see the same deals.

The generator is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014)
with the finalizer that Vigna published; the starting counters are mixed in the same way, once for every
part of the key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.jit import INTERPRETED, jit, jit_open

DEAL = 0
"""Purpose of the stream that shuffles; redeals and reshuffles are numbered from 1 in their round."""
CHANCE = 1
"""Purpose of the stream for chance events of play that no seat chooses."""
SEAT = 2
"""Purpose of the first seat's choices; the following seats have the following purposes."""

MATCH = 0
"""The round number for what is drawn once for a match; rounds count from 1."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32, _11, _8 = (np.uint64(n) for n in (30, 27, 31, 32, 11, 8))
_TO_UNIT = 2.0**-53

if INTERPRETED:
    # numpy warns when its 64-bit numbers wrap, Python's integers are masked instead.
    _MASK = (1 << 64) - 1

    def mix(word: Any) -> Any:
        """Return a 64-bit word that depends on every bit of the given one (a bijection)."""
        word = int(word)
        word = ((word ^ (word >> 30)) * int(_FIRST)) & _MASK
        word = ((word ^ (word >> 27)) * int(_SECOND)) & _MASK
        return np.uint64(word ^ (word >> 31))

    def plus_golden(word: Any) -> Any:
        """Return the counter after the given one."""
        return np.uint64((int(word) + int(GOLDEN)) & _MASK)

    def later(counter: Any, n: Any) -> Any:
        """Return the counter of a stream after n more draws."""
        return np.uint64((int(counter) + int(n) * int(GOLDEN)) & _MASK)

else:

    @jit_open
    def mix(word: Any) -> Any:
        """Return a 64-bit word that depends on every bit of the given one (a bijection)."""
        word = np.uint64(word)
        word = (word ^ (word >> _30)) * _FIRST
        word = (word ^ (word >> _27)) * _SECOND
        return word ^ (word >> _31)

    @jit_open
    def plus_golden(word: Any) -> Any:
        """Return the counter after the given one."""
        return np.uint64(word) + GOLDEN

    @jit_open
    def later(counter: Any, n: Any) -> Any:
        """Return the counter of a stream after n more draws."""
        return np.uint64(counter) + np.uint64(n) * GOLDEN


@jit_open
def scaled(word: Any, n: Any) -> Any:
    """Return the whole number from 0 to n - 1 that `below` makes of 64 random bits; all three are uint64."""
    return ((word >> _32) * n) >> _32


@jit
def round_key(seed: Any, game: Any, round_number: Any) -> Any:
    """Return the key that all streams of a round share.

    Parameters
    ----------
    seed, game, round_number
        Whole numbers from 0; `round_number` is MATCH for what is drawn once for a match.
    """
    return key_of_round(game_key(seed, game), round_number)


@jit_open
def game_key(seed: Any, game: Any) -> Any:
    """Return what the keys of a game's rounds are made of, so that it need not be made anew each round."""
    return mix(plus_golden(mix(plus_golden(np.uint64(seed))) ^ np.uint64(game)))


@jit_open
def key_of_round(of_game: Any, round_number: Any) -> Any:
    """Return what `round_key` returns, from a `game_key`."""
    return mix(plus_golden(of_game ^ np.uint64(round_number)))


@jit_open
def stream_at(key: Any, purpose: Any, number: Any) -> Any:
    """Return the counter at which `start` starts a stream."""
    return mix(plus_golden(key ^ (np.uint64(purpose) | (np.uint64(number) << _8))))


@jit
def start(streams: Any, purpose: Any, key: Any, number: Any) -> None:
    """Start the stream of a purpose.

    Parameters
    ----------
    streams : uint64 array
        One counter for each purpose; the one at index `purpose` is set.
    purpose
        DEAL, CHANCE or SEAT + seat.
    key
        From `round_key`.
    number
        0, or the number of the redeal or reshuffle in its round, so that no deal depends on how many
        numbers an earlier one took.
    """
    streams[purpose] = stream_at(key, purpose, number)


@jit_open
def word(streams: Any, purpose: Any) -> Any:
    """Return the next 64 random bits of a stream."""
    counter = plus_golden(streams[purpose])
    streams[purpose] = counter
    return mix(counter)


@jit_open
def below(streams: Any, purpose: Any, n: Any) -> Any:
    """Return a uniform whole number from 0 to n - 1; nothing is drawn if n is 1.

    32 random bits are scaled (Lemire's multiplication without rejection), so for n candidates the
    chance of each is off by less than 1 / 2**32.
    """
    if n == 1:
        return np.int64(0)
    return np.int64(((word(streams, purpose) >> _32) * np.uint64(n)) >> _32)


@jit_open
def below_from(counter: Any, n: Any) -> Any:
    """Return what `below` returns for a stream at this counter, and its counter afterwards.

    For many draws in a row, which then wait for no memory.
    """
    if n == 1:
        return np.int64(0), counter
    following = plus_golden(counter)
    return np.int64(((mix(following) >> _32) * np.uint64(n)) >> _32), following


@jit_open
def below_without_branch(streams: Any, purpose: Any, n: Any) -> Any:
    """Return what `below` returns, faster where it cannot be foretold whether n is 1."""
    counter = streams[purpose]
    following = plus_golden(counter)
    streams[purpose] = following if n != 1 else counter
    return np.int64(((mix(following) >> _32) * np.uint64(n)) >> _32)


@jit
def uniform(streams: Any, purpose: Any) -> Any:
    """Return a number from 0 (included) to 1 (excluded), a multiple of 2**-53."""
    return np.float64(word(streams, purpose) >> _11) * _TO_UNIT


@jit
def happens(streams: Any, purpose: Any, chance: Any) -> Any:
    """Return whether an event of the given chance happens; nothing is drawn for 0 or less, 1 or more."""
    if chance <= 0.0:
        return False
    if chance >= 1.0:
        return True
    return uniform(streams, purpose) < chance
