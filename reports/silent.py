"""Rule sets of which not one game differs: nobody at the table reacts to what is changed, or it never comes up."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from reports import words
from reports.load import Saved
from simcore.cells import Cell, named
from simcore.tally import common

Value = tuple[tuple[str, str], ...]
"""Names and values of an axis."""


class Silent(NamedTuple):
    """What plays the same games.

    Attributes
    ----------
    cells
        Ids of the cells that play the games of the cell they are compared with.
    pairs
        What does not differ, in words; a value that nothing reacts to, whatever else is varied, stands for all its
        cells.
    """

    cells: frozenset[str]
    pairs: tuple[tuple[str, str], ...]


def find(saved: Saved) -> Silent:
    """Return which cells, and which values, play the same games as others."""
    # State files are read only of cells whose estimates are the same.
    numbers = {str(name): frame["estimate"].to_numpy() for name, frame in saved.estimates.groupby("cell", sort=False)}

    def is_same(one: Cell, other: Cell) -> bool:
        mine, theirs = numbers.get(one.id), numbers.get(other.id)
        if mine is None or theirs is None or not np.array_equal(mine, theirs):
            return False
        tally, base = saved.tally(one), saved.tally(other)
        if tally is None or base is None:
            return False
        rows, base_rows, games = common(tally, base)
        return games > 0 and np.array_equal(rows, base_rows)

    values = _values(saved, is_same)
    compared = dict(zip(saved.differences["cell"], saved.differences["baseline"], strict=True))
    cells = {name: base for name, base in compared.items() if is_same(saved.cells[name], saved.cells[base])}
    names = words.labels(saved)
    alone = [
        (names[name], names[base])
        for name, base in cells.items()
        if not all(_value(saved.cells[name], group) in values for group in _changed(saved, name, base))
    ]
    short = words.short_values(saved)

    def name_of(value: Value) -> str:
        return named({name: short[name][text] for name, text in value})

    told = [(name_of(value), name_of(first)) for value, first in values.items()]
    return Silent(frozenset(cells), (*told, *alone))


def _value(cell: Cell, group: list[str]) -> Value:
    return tuple((name, cell.varied[name]) for name in group)


def _changed(saved: Saved, name: str, base: str) -> list[list[str]]:
    return words.changed(saved, saved.cells[name], saved.cells[base])


def _values(saved: Saved, is_same: Callable[[Cell, Cell], bool]) -> dict[Value, Value]:
    """Return the values of an axis with which all cells play the games they play with its first value."""
    by_varied = {tuple(cell.varied.items()): cell for cell in saved.cells.values()}
    found: dict[Value, Value] = {}
    for group in words.axis_groups(saved):
        first = _value(saved.baseline, group)
        pairs: dict[Value, list[tuple[Cell, Cell]]] = {}
        for cell in saved.cells.values():
            other = by_varied.get(tuple({**cell.varied, **dict(first)}.items()))
            if other is not None and other is not cell:
                pairs.setdefault(_value(cell, group), []).append((cell, other))
        for value, both in pairs.items():
            if all(is_same(cell, other) for cell, other in both):
                found[value] = first
    return found
