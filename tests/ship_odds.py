"""Exact chances of My Ship Sails, in plain Python: deals by counting, small games as Markov chains.

Only suits matter to all that is computed here, so a hand is four numbers, and suits that everybody holds and
wants alike are exchangeable.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

Counts = tuple[int, ...]
"""How many cards of each suit."""

Column = tuple[tuple[int, ...], tuple[bool, ...]]
"""A suit: how many cards of it each player holds, and who has it as the target."""

Table = tuple[Column, ...]
"""Who holds what and wants what; the columns are sorted, as the names of the suits do not matter."""

Chances = Counter[Table]


def hands_from(left: Counts, size: int) -> Iterator[tuple[Counts, int]]:
    """Yield every hand that can be dealt from what is left, and in how many ways."""
    for counts in itertools.product(*(range(min(n, size) + 1) for n in left)):
        if sum(counts) == size:
            yield counts, math.prod(math.comb(n, k) for n, k in zip(left, counts, strict=True))


def largest_count(lengths: Counts, size: int) -> dict[int, Fraction]:
    """Return the distribution of a dealt hand's largest suit count."""
    ways: Counter[int] = Counter()
    for counts, number in hands_from(lengths, size):
        ways[max(counts)] += number
    return {most: Fraction(number, math.comb(sum(lengths), size)) for most, number in sorted(ways.items())}


def without_call(lengths: Counts, size: int, players: int, overlook: Fraction = Fraction(0)) -> dict[int, Fraction]:
    """Return the chance that nobody calls a dealt flush, by the first player's largest suit count.

    Parameters
    ----------
    lengths, size, players
        Cards of each suit in play, of a hand, and hands.
    overlook
        Chance that a flush is not noticed; 0: nobody is dealt one.
    """

    @functools.cache
    def ways(left: Counts, hands: int) -> Fraction:
        if hands == 0:
            return Fraction(1)
        return sum((weight * more for _, weight, more in deals(left, hands)), Fraction(0))

    def deals(left: Counts, hands: int) -> Iterator[tuple[int, Fraction, Fraction]]:
        for counts, number in hands_from(left, size):
            weight = number * (overlook if max(counts) >= size else 1)
            if weight:
                yield (
                    max(counts),
                    Fraction(weight),
                    ways(tuple(n - k for n, k in zip(left, counts, strict=True)), hands - 1),
                )

    total = math.prod(math.comb(sum(lengths) - size * i, size) for i in range(players))
    found: Counter[int] = Counter()
    for most, weight, more in deals(lengths, players):
        found[most] += weight * more / total  # type: ignore[assignment]
    return {most: Fraction(chance) for most, chance in sorted(found.items())}


# Four players with seven cards of 28


class Targets(NamedTuple):
    """What four hands of seven want, all 28 cards dealt."""

    tables: int
    distinct: Fraction
    """The chance that all four have one best suit, each another."""
    no_lone_collector: Fraction
    """The chance that no suit is the target of exactly one player, ties broken evenly."""


def targets_of_four() -> Targets:
    """Go through all 4 x 4 tables of suits with seven cards in every row and column."""
    hands = np.array([c for c in itertools.product(range(8), repeat=4) if sum(c) == 7])
    best = (hands == hands.max(axis=1, keepdims=True)) @ (1 << np.arange(4))
    number = np.zeros((8, 8, 8, 8), np.int64)
    number[tuple(hands.T)] = np.arange(len(hands))
    factorials = np.array([math.factorial(n) for n in range(8)])
    by_best = np.zeros(16**4, np.int64)
    tables = 0
    for first in range(len(hands)):
        rest = 7 - hands[first] - hands[:, None] - hands[None, :]
        second, third = np.nonzero((rest >= 0).all(axis=2))
        fourth = number[tuple(rest[second, third].T)]
        four = np.stack((np.full_like(second, first), second, third, fourth))
        weight = np.prod(5040 // np.prod(factorials[hands[four]], axis=0), axis=1)
        key = best[four]
        np.add.at(by_best, ((key[0] * 16 + key[1]) * 16 + key[2]) * 16 + key[3], weight)
        tables += len(second)
    distinct, alone = Fraction(0), Fraction(0)
    for index in np.flatnonzero(by_best).tolist():
        chance = Fraction(int(by_best[index]), math.factorial(28) // math.factorial(7) ** 4)
        sets = [[s for s in range(4) if index >> shift >> s & 1] for shift in (12, 8, 4, 0)]
        drawn = list(itertools.product(*sets))
        alone += chance * Fraction(sum(1 not in Counter(targets).values() for targets in drawn), len(drawn))
        distinct += chance * (len(drawn) == 1 and len(set(drawn[0])) == 4)
    assert int(by_best.sum()) == math.factorial(28) // math.factorial(7) ** 4
    return Targets(tables, distinct, alone)


# Markov chains


class Course(NamedTuple):
    """How a round goes: chances that it ends at each pass, of each winner, and of several flushes at the end."""

    passes: list[float]
    wins: list[float]
    several: float

    @property
    def stalemate(self) -> float:
        return 1 - sum(self.passes)


def decide(style: str, discard: str, counts: Counts, target: int) -> list[tuple[float, int, int]]:
    """Return (chance, suit given, target) for every decision a player may come to; no target is -1."""
    if style == "random":
        return [(n / sum(counts), suit, -1) for suit, n in enumerate(counts) if n]
    targets = [target]
    if style == "adaptive" and max(counts) > counts[target]:
        targets = [suit for suit, n in enumerate(counts) if n == max(counts)]
    decisions = []
    for wanted in targets:
        others = {suit: n for suit, n in enumerate(counts) if n and suit != wanted}
        if not others:
            weights = {wanted: 1.0}
        elif discard == "random":
            weights = {suit: n / sum(others.values()) for suit, n in others.items()}
        else:
            fewest = [suit for suit, n in others.items() if n == min(others.values())]
            weights = dict.fromkeys(fewest, 1 / len(fewest))
        decisions += [(chance / len(targets), suit, wanted) for suit, chance in weights.items()]
    return decisions


def hands_of(table: Table) -> list[tuple[Counts, int]]:
    """Return everybody's counts and target."""
    players = range(len(table[0][0]))
    return [
        (
            tuple(column[0][player] for column in table),
            next((suit for suit, column in enumerate(table) if column[1][player]), -1),
        )
        for player in players
    ]


def table_of(hands: list[tuple[Counts, int]]) -> Table:
    return tuple(sorted((tuple(counts[s] for counts, _ in hands), tuple(t == s for _, t in hands)) for s in range(4)))


def flushes(table: Table, size: int) -> list[int]:
    return [player for player, (counts, _) in enumerate(hands_of(table)) if max(counts) >= size]


def dealt(lengths: Counts, size: int, players: int, style: str) -> Chances:
    """Return the chances of everything that can be dealt, and of the targets chosen then."""

    def deals(left: Counts, hands: int) -> Iterator[tuple[list[Counts], int]]:
        if hands == 0:
            yield [], 1
            return
        for counts, ways in hands_from(left, size):
            for others, more in deals(tuple(n - k for n, k in zip(left, counts, strict=True)), hands - 1):
                yield [counts, *others], ways * more

    found: Chances = Counter()
    total = math.prod(math.comb(sum(lengths) - size * i, size) for i in range(players))
    for hands, ways in deals(lengths, players):
        best = [[-1] if style == "random" else [s for s in range(4) if c[s] == max(c)] for c in hands]
        chosen = list(itertools.product(*best))
        for targets in chosen:
            found[table_of(list(zip(hands, targets, strict=True)))] += ways / total / len(chosen)  # type: ignore[assignment]
    return found


def play_out(lengths: Counts, size: int, players: int, style: str, discard: str, last: int, in_turn: bool) -> Course:
    """Return the course of a round of at most `last` passes, cards going left.

    All at once, or in turn from player 0 on: then players are places from the dealer's left.
    """

    @functools.cache
    def after(table: Table, givers: tuple[int, ...]) -> list[tuple[float, Table]]:
        hands = hands_of(table)
        results: Chances = Counter()
        for decisions in itertools.product(*(decide(style, discard, *hands[giver]) for giver in givers)):
            counts, targets = [list(c) for c, _ in hands], [t for _, t in hands]
            chance = 1.0
            for giver, (likely, suit, target) in zip(givers, decisions, strict=True):
                chance *= likely
                targets[giver] = target
                counts[giver][suit] -= 1
                counts[(giver + 1) % players][suit] += 1
            results[table_of([(tuple(c), t) for c, t in zip(counts, targets, strict=True)])] += chance  # type: ignore[assignment]
        return [(chance, other) for other, chance in results.items()]

    passes, wins, several = [0.0] * (last + 1), [0.0] * players, 0.0
    chances = dealt(lengths, size, players, style)

    def end(chances: Chances, number: int, looked_at: set[int]) -> Chances:
        nonlocal several
        going: Chances = Counter()
        for table, chance in chances.items():
            holders = [player for player in flushes(table, size) if player in looked_at]
            if not holders:
                going[table] = chance
                continue
            passes[number] += chance
            several += chance if len(holders) > 1 else 0.0
            for player in holders:
                wins[player] += chance / len(holders)
        return going

    everybody = set(range(players))
    chances = end(chances, 0, everybody)
    for number in range(1, last + 1):
        for givers in [(p,) for p in range(players)] if in_turn else [tuple(range(players))]:
            following: Chances = Counter()
            for table, chance in chances.items():
                for likely, other in after(table, givers):
                    following[other] += chance * likely  # type: ignore[assignment]
            chances = end(following, number, {(givers[0] + 1) % players} if in_turn else everybody)
    assert math.isclose(sum(passes) + sum(chances.values()), 1, rel_tol=1e-9)
    return Course(passes, wins, several)
