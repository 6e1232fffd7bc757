"""What the tests of every game share: playing one match with the kernel, and drawing random rules."""

from __future__ import annotations

import random
from collections import Counter
from enum import IntEnum
from typing import Any

import numpy as np

from simcore import games, log
from simcore.declare import Field, fields
from simcore.jit import NO_OWN
from simcore.record import counts_dtype, tally_dtype, to_record, to_strategies
from simcore.strategies import Seat, read_seats

Sums = Counter[tuple[str, tuple[int, ...]]]
"""(name of a count or metric, key indices from 0) to its sum; what is zero is left out."""

Observed = Counter[tuple[str, tuple[int, ...], int]]
"""(metric with a distribution, key indices, bin from 0) to the number of times it was observed."""


def kernel_match(
    name: str, rules: Any, seats: tuple[Seat, ...], seed: int, game: int, kernel: str = ""
) -> tuple[Sums, Observed]:
    """Play one match with the kernel that such matches are played with, or another; return all it added up."""
    tally = np.zeros(1, tally_dtype(name))
    counts = np.zeros(1, counts_dtype(name))[0]
    status, played = getattr(games.kernel(name), kernel or games.kernel_for(name, rules, seats))(
        to_record(name, rules),
        to_strategies(name, seats),
        np.uint64(seed),
        np.int64(game),
        np.int64(1),
        np.int64(1),
        tally,
        counts,
        np.zeros((0, log.WIDTH), np.int32),
        np.zeros(1, np.uint8),
        NO_OWN,
    )
    assert (status, played) == (log.DONE, 1)
    sums: Sums = Counter()
    for field in tally_dtype(name).names or ():
        values = tally[0][field]
        for place in np.argwhere(values):
            key = tuple(place.tolist())
            sums[field, key] = int(values[key])
    observed: Observed = Counter()
    for field in counts_dtype(name).names or ():
        for place in np.argwhere(counts[field]):
            key = tuple(place.tolist())
            observed[field, key[:-1], key[-1]] = int(counts[field][key])
    return sums, observed


def random_value(field: Field, rng: random.Random) -> Any:
    """Draw an allowed value: the default, an extreme, or any; small numbers more often than large."""
    rule = field.rule
    if rule.words and rng.random() < 0.2:
        return rng.choice(list(rule.words.values()))
    if issubclass(field.kind, IntEnum):
        return rng.choice(list(field.kind))
    if field.kind is bool:
        return rng.random() < 0.5
    assert rule.span is not None
    low, high = rule.span.low, min(rule.span.high, 100)
    if field.kind is float:
        value = rng.choice([low, high, rng.uniform(low, high), rng.uniform(low, high)])
        return value if value in rule.span else 0.5
    step = rule.span.step
    if rng.random() < 0.5:
        high = min(high, low + 6 * step)
    return int(low + step * rng.randrange(int((high - low) // step) + 1))


def random_rules(name: str, rng: random.Random, changed: float = 0.4, **fixed: Any) -> Any:
    """Draw rules that can be played: each is changed with the given chance; `fixed` ones are as given."""
    game = games.load(name)
    while True:
        values = game.Rules(**fixed)._asdict()
        for field in fields(game.Rules).values():
            if field.name in fixed or rng.random() >= changed:
                continue
            if field.rule.per_seat:
                entries = [random_value(field, rng) for _ in range(values["players"])]
                values[field.name] = tuple(entries[:1] if len(set(entries)) == 1 else entries)
            elif field.rule.length:
                entries = [random_value(field, rng) for _ in range(rng.randint(1, 4))]
                # A word may name a whole list.
                values[field.name] = next((entry for entry in entries if isinstance(entry, tuple)), tuple(entries))
            else:
                values[field.name] = random_value(field, rng)
        rules = game.Rules(**values)
        if not game.check(rules):
            return rules


def random_strategy(name: str, rng: random.Random) -> str:
    """Draw a strategy with parameters, as the command line takes it."""
    game = games.load(name)
    chosen = [rng.choice(game.STRATEGIES[part]) for part in game.PARTS]
    head = "/".join(s.name for s in chosen)
    declared = fields(game.Parameters)
    taken = dict.fromkeys(p for s in chosen for p in s.parameters)
    settings = []
    for parameter in taken:
        if rng.random() < 0.6:
            value = random_value(declared[parameter], rng)
            settings.append(f"{parameter}={value.name.lower() if isinstance(value, IntEnum) else value}")
    return ":".join([head, *settings])


def random_seats(name: str, players: int, rng: random.Random) -> tuple[Seat, ...]:
    """Draw a strategy for each seat."""
    return read_seats(games.load(name), "+".join(random_strategy(name, rng) for _ in range(players)), players)


def differences(a: tuple[Sums, Observed], b: tuple[Sums, Observed]) -> dict[Any, tuple[int, int]]:
    """Return what two plays of one match do not agree on; empty if they do."""
    found: dict[Any, tuple[int, int]] = {}
    pairs: list[tuple[Counter[Any], Counter[Any]]] = list(zip(a, b, strict=True))
    for left, right in pairs:
        for key in left.keys() | right.keys():
            if left[key] != right[key]:
                found[key] = (left[key], right[key])
    return found
