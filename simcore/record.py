"""Rules and strategies as numpy records of fixed layout, and the layout of what kernels add up.

Every number is 8 bytes wide. Per-seat values are stored at the game's largest number of seats, so that
a game has one layout, and its kernel one compiled form, whatever the rules.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from simcore.declare import Metric, fields
from simcore.games import Game, load
from simcore.strategies import OWN, Seat


@functools.cache
def rules_dtype(name: str) -> np.dtype[np.void]:
    """Return the layout of a game's rules followed by its tables."""
    game = load(name)
    layout: list[Any] = []
    for field in fields(game.Rules).values():
        kind = np.float64 if field.kind is float else np.int64
        layout.append((field.name, kind, (field.rule.length,)) if field.rule.length else (field.name, kind))
    layout += [(table, np.int64, shape) if shape else (table, np.int64) for table, shape in game.TABLES.items()]
    return np.dtype(layout)


def to_record(name: str, rules: Any) -> Any:
    """Return a game's rules, and the tables folded from them, as one numpy record.

    One entry of a per-seat rule stands for all seats; a shorter list leaves zeros behind it.
    """
    game = load(name)
    record = np.zeros(1, rules_dtype(name))[0]
    for field in fields(game.Rules).values():
        value = getattr(rules, field.name)
        if field.rule.per_seat:
            record[field.name][: len(value)] = value
            if len(value) == 1:
                record[field.name][:] = value[0]
        elif field.rule.length:
            record[field.name][: len(value)] = value
        else:
            record[field.name] = value
    folded = game.fold(rules)
    assert folded.keys() == game.TABLES.keys()
    for table, value in folded.items():
        record[table] = value
    return record


@functools.cache
def strategies_dtype(name: str) -> np.dtype[np.void]:
    """Return the layout of one seat's strategy: a number for each part, then the parameters."""
    game = load(name)
    layout: list[Any] = [(part, np.int64) for part in game.PARTS]
    for field in fields(game.Parameters).values():
        layout.append((field.name, np.float64 if field.kind is float else np.int64))
    return np.dtype(layout)


def to_strategies(name: str, seats: Sequence[Seat]) -> npt.NDArray[Any]:
    """Return the strategies of the seats as an array of records, one a seat."""
    game = load(name)
    array = np.zeros(game.MAX_PLAYERS, strategies_dtype(name))
    for record, seat in zip(array, seats, strict=False):
        for part, chosen in seat.parts.items():
            record[part] = OWN if chosen.own else [s.name for s in game.STRATEGIES[part]].index(chosen.name)
        for parameter, value in seat.parameters.items():
            record[parameter] = value
    return array


@functools.cache
def tally_dtype(name: str) -> np.dtype[np.void]:
    """Return the layout of a game's sums over one block: int64 counts, then metrics.

    A metric that bears the name of a count is that count, and has no field of its own.
    """
    game = load(name)
    layout: list[Any] = []
    for count, by in game.COUNTS.items():
        layout.append((count, np.int64, _shape(game, by)) if by else (count, np.int64))
    for metric in game.METRICS:
        field = metric.field or metric.name
        if field not in game.COUNTS:
            shape = _shape(game, metric.by)
            layout.append((field, np.int64, shape) if shape else (field, np.int64))
    return np.dtype(layout)


@functools.cache
def counts_dtype(name: str) -> np.dtype[np.void]:
    """Return the layout of a game's distributions: for each metric that has one, keys x bins."""
    game = load(name)
    layout: list[Any] = [
        (metric.field or metric.name, np.int64, (*_shape(game, metric.by), bins(metric)))
        for metric in game.METRICS
        if metric.values is not None
    ]
    return np.dtype(layout)


def bins(metric: Metric) -> int:
    """Return the number of bins of a metric's distribution."""
    assert metric.values is not None
    low, high = metric.values
    return high - low + 1


def _shape(game: Game, by: Sequence[str]) -> tuple[int, ...]:
    return tuple(game.KEYS[key].size for key in by)


def offset(name: str, field: str) -> int:
    """Return the place of a field's first number in a tally seen as a row of int64."""
    dtype = tally_dtype(name)
    assert dtype.fields is not None
    return int(dtype.fields[field][1]) // 8


def width(name: str) -> int:
    """Return how many int64 numbers a tally of one block has."""
    return tally_dtype(name).itemsize // 8


def place(name: str, field: str, by: Sequence[str], key: Sequence[int]) -> int:
    """Return the column of a field at the given key indices."""
    shape = _shape(load(name), by)
    index = 0
    for size, k in zip(shape, key, strict=True):
        index = index * size + k
    assert index < math.prod(shape)
    return offset(name, field) + index


def as_rows(tally: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return a tally of many blocks as a plain array (blocks, numbers); no copy."""
    return tally.view(np.int64).reshape(len(tally), tally.itemsize // 8)
