"""Axes: what a sweep varies, and which of its changes would override each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from simcore.declare import fields, show
from simcore.errors import ShipsimError, UsageError, nearest, raise_all, shorten
from simcore.games import Game
from simcore.sources import NOT_RULES, Source, changed_by, read_presets, read_rule, unknown_rule, written
from simcore.strategies import read_entries, show_seats

MAX_VALUES = 10_000
"""Values of an axis."""

MAX_CELLS = 100_000
"""Cells of a sweep, the skipped ones included."""

DESIGNS = ("grid", "each")
"""All combinations; or the baseline and one change at a time."""


class Axis(NamedTuple):
    """What is varied.

    Attributes
    ----------
    names
        A rule, `preset` or `strategy`; several are linked: they move together.
    values
        For each value of the axis one entry a name: a rule's value, a tuple of presets, or a tuple of
        strategies. The first is the baseline.
    where
        The axis as it was written, for messages.
    """

    names: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    where: str


def shown(game: Game, name: str, value: Any) -> str:
    """Return one value of an axis as the command line takes it."""
    if name == "preset":
        return "+".join(value)
    if name == "strategy":
        return show_seats(value, short=True)
    return show(fields(game.Rules)[name], value)


def check_names(game: Game, names: Sequence[str]) -> list[ShipsimError]:
    """Return what is wrong with the names of an axis."""
    known = [*fields(game.Rules), *NOT_RULES]
    errors: list[ShipsimError] = [unknown_rule(game, name, *NOT_RULES) for name in names if name not in known]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    return errors or [UsageError(f"axis '{':'.join(names)}' names '{name}' twice.") for name in twice]


def make_axis(game: Game, names: str | Sequence[str], values: Iterable[Any], where: str = "") -> Axis:
    """Return the axis over values: text as the command line takes it, or Python's.

    Parameters
    ----------
    game
        The game.
    names
        One name (or several joined by ``:``), or a sequence of linked ones.
    values
        For one name its values; for linked ones a sequence of as many entries for each value.
    where
        The axis as it was written, for messages.

    Raises
    ------
    UsageError
        For everything that is wrong in it.
    """
    names = tuple(names.split(":") if isinstance(names, str) else names)
    where = shorten(where or f"axis '{':'.join(names)}'")
    raise_all(check_names(game, names))
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise UsageError(f"{where}: give a list of values.")
    given = list(itertools.islice(values, MAX_VALUES + 1))
    if not given:
        raise UsageError(f"{where} has no values.")
    if len(given) > MAX_VALUES:
        raise UsageError(f"{where} has too many values.", f"An axis may have {MAX_VALUES:,}.")
    readers: dict[str, Any] = {"preset": read_presets, "strategy": read_entries}
    errors: list[ShipsimError] = []
    rows: list[tuple[Any, ...]] = []
    seen: set[tuple[str, ...]] = set()
    for entry in given:
        parts = [entry] if len(names) == 1 else entry
        if isinstance(parts, str) or not isinstance(parts, Sequence) or len(parts) != len(names):
            errors.append(UsageError(f"{where}: each value must have {len(names)} parts, one for each linked name."))
            continue
        row = []
        for name, part in zip(names, parts, strict=True):
            try:
                if name not in readers:
                    row.append(read_rule(game, name, part))
                elif isinstance(part, str) or (
                    isinstance(part, list | tuple) and all(isinstance(p, str) for p in part)
                ):
                    row.append(readers[name](game, part))
                else:
                    form = f"See 'shipsim {'strategies' if name == 'strategy' else 'rules'} {game.NAME}'."
                    errors.append(UsageError(f"{where}: values of '{name}' are texts, not {written(part)}.", form))
            except ShipsimError as error:
                errors.append(error)
        if len(row) == len(names):
            words = tuple(shown(game, name, value) for name, value in zip(names, row, strict=True))
            if words in seen:
                errors.append(UsageError(f"the value '{shorten(':'.join(words))}' stands twice in {where}."))
            seen.add(words)
            rows.append(tuple(row))
    raise_all(list({str(error): error for error in errors}.values()))
    return Axis(names, tuple(rows), where)


def link_axis(game: Game, columns: Mapping[str, Sequence[Any]], where: str = "") -> Axis:
    """Return the axis of columns that move together, as a study and the library write it.

    Raises
    ------
    UsageError
        If they are not equally long, or for what `make_axis` refuses.
    """
    for name, values in columns.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise UsageError(f"{where or 'axis'}: give a list of values for '{name}'.")
    lists = {name: list(itertools.islice(values, MAX_VALUES + 1)) for name, values in columns.items()}
    if len({len(values) for values in lists.values()}) > 1:
        counts = ", ".join(f"'{name}' has {len(values)}" for name, values in lists.items())
        raise UsageError(
            f"{where or 'axis'}: linked rules need equally many values, but {counts}.",
            "Rules that do not move together need an axis each.",
        )
    rows = list(zip(*lists.values(), strict=True))
    return make_axis(game, tuple(lists), [row[0] for row in rows] if len(lists) == 1 else rows, where)


def every_value(game: Game, name: str, where: str = "") -> Axis:
    """Return the axis over all values of a choice or truth value, its default first.

    Raises
    ------
    UsageError
        If it is neither.
    """
    raise_all(check_names(game, [name]))
    field = fields(game.Rules).get(name)
    if field is None or not (issubclass(field.kind, IntEnum) or field.kind is bool):
        many = "strategies" if name == "strategy" else "presets"
        what = f"rule '{name}' is neither a choice nor a truth value" if field else f"there is no list of all {many}"
        form = f"{name}=VALUE,VALUE or {name}=LOW..HIGH" if field and not field.rule.length else f"{name}=VALUE,VALUE"
        see = f"shipsim strategies {game.NAME}" if name == "strategy" else f"shipsim rules {game.NAME}"
        raise UsageError(f"{what}, so name the values.", f"Write {form}.", f"See '{see}{f' {name}' if field else ''}'.")
    kind: Any = field.kind
    values = [False, True] if kind is bool else list(kind)
    default = field.default[0] if field.rule.length else field.default
    # The first value is the baseline, and the usual rule makes the best one.
    return make_axis(game, name, [default, *(value for value in values if value != default)], where or name)


def conflicts(game: Game, base: Sequence[Source], axes: Sequence[Axis]) -> Iterator[UsageError]:
    """Find the rules that more than one place wants to change."""
    owner: dict[str, Axis] = {}
    for axis in axes:
        for name in axis.names:
            if name in owner:
                yield UsageError(
                    f"'{name}' is varied twice: by {owner[name].where} and by {axis.where}.",
                    "One would override the other: leave one of them out.",
                )
            owner.setdefault(name, axis)
    for source in base:
        for name, words in source.held(game).items():
            if source.firm and name in owner:
                what = "the strategy" if name == "strategy" else f"rule '{name}'"
                yield UsageError(
                    f"{what} is both set and varied: {shorten(words)} and {owner[name].where}.",
                    "Leave one of them out.",
                )
    if "preset" not in owner:
        return
    axis = owner["preset"]
    found: dict[str, str] = {}
    for presets in presets_of(axes):
        for name, preset in changed_by(game, presets).items():
            found.setdefault(name, preset)
    for name, preset in found.items():
        # Rules linked to the preset are written beside it, so there the order is plain to see.
        if name in owner and owner[name] is not axis:
            yield UsageError(
                f"'{name}' is varied twice: by {axis.where} (preset {preset} sets it) and by {owner[name].where}.",
                f"One would override the other: leave one out, or link them as preset:{name}=PRESET:VALUE,...",
            )


def combinations(axes: Sequence[Axis], design: str) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """Return the values of the axes in each cell: the first axis moves slowest.

    Raises
    ------
    UsageError
        If there is no such design, or the cells are too many.
    """
    if design not in DESIGNS:
        raise UsageError(
            f"'{shorten(design)}' is not a design.{nearest(design, DESIGNS)}", f"Values: {', '.join(DESIGNS)}."
        )
    sizes = [len(axis.values) for axis in axes]
    count = math.prod(sizes) if design == "grid" else 1 + sum(size - 1 for size in sizes)
    if count > MAX_CELLS:
        hint = "Vary fewer values, or one change at a time with --design each."
        raise UsageError(f"the sweep has {count:,} cells; at most {MAX_CELLS:,} are allowed.", hint)
    if design == "grid":
        return itertools.product(*(axis.values for axis in axes))
    baseline = tuple(axis.values[0] for axis in axes)
    changes = (
        (*baseline[:place], row, *baseline[place + 1 :]) for place, axis in enumerate(axes) for row in axis.values[1:]
    )
    return itertools.chain([baseline], changes)


def presets_of(axes: Sequence[Axis]) -> list[tuple[str, ...]]:
    """Return the combined presets of each value of the preset axis, if there is one."""
    return [row[axis.names.index("preset")] for axis in axes if "preset" in axis.names for row in axis.values]


def varies_players(game: Game, axes: Sequence[Axis]) -> bool:
    """Say whether cells may differ in their number of players."""
    by_preset = any("players" in changed_by(game, presets) for presets in presets_of(axes))
    return by_preset or any("players" in axis.names for axis in axes)
