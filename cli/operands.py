"""The rule sets that `shipsim compare` is given become cells: presets, values of an axis, or files of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from simcore.axes import Axis, check_names, conflicts, make_axis, shown
from simcore.cells import DIGITS, NONE, Cell, make_cell, plan
from simcore.declare import fields
from simcore.errors import ManyErrors, ShipsimError, UsageError, nearest, raise_all, shorten
from simcore.games import Game
from simcore.sources import Source, from_presets, from_toml, in_place
from simcore.strategies import show_seats

FORMS = "Write presets (party+deck-108), values (joker=swap), or a file of rules (./mine.toml)."


class Operand(NamedTuple):
    """One of the rule sets.

    Attributes
    ----------
    text
        As it was written.
    sources
        What it lays over the rules that all share.
    given
        What it is to be called by: each rule, `preset`, `strategy` or `rules` (a file) with its words.
    axis
        The axis of which it is a value; None for a file.
    """

    text: str
    sources: tuple[Source, ...]
    given: dict[str, str]
    axis: Axis | None


def parse_operand(game: Game, text: str) -> Operand:
    """Read one rule set.

    Raises
    ------
    UsageError
        For everything that is wrong in it.
    """
    where = shorten(text)
    if text.endswith(".toml") or "/" in text.partition("=")[0]:
        return Operand(text, (from_toml(text, game)[1],), {"rules": where}, None)
    head, equals, tail = text.partition("=")
    names = head.split(":") if equals else ["preset"]
    if not equals:
        _check_preset(game, text)
        tail = text
    raise_all(check_names(game, names))
    if not tail:
        raise UsageError(f"'{where}' gives no value.", f"Write {head}={':'.join('VALUE' for _ in names)}.")
    if "," in tail:
        words = " ".join(f"{head}={part}" for part in tail.split(",") if part)
        raise UsageError(f"'{where}' is more than one rule set.", f"Write each as a word of its own: {shorten(words)}.")
    parts = tail.split(":", len(names) - 1) if len(names) > 1 else [tail]
    if len(parts) < len(names) or not all(parts):
        raise UsageError(
            f"'{where}' gives {sum(map(bool, parts))} of the {len(names)} linked values.",
            f"Write {head}={':'.join('VALUE' for _ in names)}.",
        )
    axis = make_axis(game, names, [parts if len(names) > 1 else tail], where)
    values: dict[str, Any] = dict(zip(names, axis.values[0], strict=True))
    given = {name: shown(game, name, value) for name, value in values.items()}
    sources = []
    if "preset" in values:
        sources.append(from_presets(game, values.pop("preset"), where))
    strategy = values.pop("strategy", ())
    sources.append(Source(where, rules=values, strategy=strategy))
    return Operand(text, tuple(sources), given, axis)


def _check_preset(game: Game, text: str) -> None:
    """Refuse a single word that is no preset, and say what it may have been meant to be."""
    if all(name in game.PRESETS for name in text.split("+")):
        return
    wrong = next(name for name in text.split("+") if name not in game.PRESETS)
    what = f"'{shorten(wrong)}' is not a preset of {game.NAME}."
    see = f"See 'shipsim rules {game.NAME}'."
    styles = [strategy.name for known in game.STRATEGIES.values() for strategy in known]
    if text in fields(game.Rules):
        raise UsageError(what, f"To compare values of that rule, write {text}=VALUE {text}=VALUE.", see)
    if text.split(":")[0].split("+")[0] in styles:
        raise UsageError(what, f"To compare strategies, write strategy={shorten(text)}.")
    raise UsageError(what + nearest(wrong, game.PRESETS), f"Presets: {', '.join(game.PRESETS)}.", FORMS, see)


def read_cells(game: Game, base: Sequence[Source], texts: Sequence[str]) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """Return the cells of the rule sets, the first being the baseline, and remarks for the user.

    Raises
    ------
    UsageError
        For everything that is wrong in any of them, rules that are set and compared as well, rules that
        cannot be played, fewer than two rule sets, and two that are equal.
    """
    errors: list[ShipsimError] = []
    operands: list[Operand] = []
    found: list[Cell] = []
    notes: list[str] = []
    for text in texts:
        try:
            operands.append(parse_operand(game, text))
        except ShipsimError as error:
            errors += _flat(error)
    raise_all(errors)
    if len(operands) < 2:
        raise UsageError(
            "a comparison needs at least two rule sets, the first being what the others are compared with.",
            FORMS,
            "See 'shipsim compare --help'.",
        )
    for operand in operands:
        try:
            raise_all(list(_conflicts(game, base, operand)))
            planned = plan(game, [*base, *operand.sources])
        except ShipsimError as error:
            errors += in_place(error, shorten(operand.text))
            continue
        found.append(planned.cells[0])
        notes += planned.notes
    raise_all(list({str(error): error for error in errors}.values()))
    raise_all(_equal(operands, found))
    return _named(game, operands, found), tuple(dict.fromkeys(notes))


def _flat(error: ShipsimError) -> Sequence[ShipsimError]:
    return error.errors if isinstance(error, ManyErrors) else [error]


def _conflicts(game: Game, base: Sequence[Source], operand: Operand) -> Sequence[ShipsimError]:
    if operand.axis is not None:
        return list(conflicts(game, base, [operand.axis]))
    held = {name: words for source in base if source.firm for name, words in source.held(game).items()}
    return [
        UsageError(f"'{name}' is set twice: {held[name]} and {words}.", "Leave one of them out.")
        for source in operand.sources
        for name, words in source.held(game).items()
        if name in held
    ]


def _equal(operands: Sequence[Operand], cells: Sequence[Cell]) -> list[ShipsimError]:
    first: dict[str, Operand] = {}
    errors: list[ShipsimError] = []
    for operand, cell in zip(operands, cells, strict=True):
        other = first.setdefault(cell.id[-DIGITS:], operand)
        if other is not operand:
            errors.append(
                UsageError(
                    f"two cells have equal rules and strategies: {shorten(other.text)} and {shorten(operand.text)}.",
                    "Leave one of them out.",
                )
            )
    return errors


def _named(game: Game, operands: Sequence[Operand], cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Name what any of the cells varies in all of them, so that each says where it stands."""
    names = dict.fromkeys(name for operand in operands for name in operand.given)
    declared = fields(game.Rules)
    named = []
    for operand, cell in zip(operands, cells, strict=True):
        varied = {}
        for name in names:
            if name in declared:
                varied[name] = shown(game, name, getattr(cell.rules, name))
            elif name == "strategy":
                varied[name] = show_seats(cell.seats, short=True)
            else:
                varied[name] = operand.given.get(name, NONE)
        named.append(make_cell(game, cell.rules, cell.seats, varied))
    return tuple(named)


def choose_cells(cells: Sequence[Cell], names: Sequence[str], folder: str) -> tuple[Cell, ...]:
    """Return the cells of a run that are named, by id or what only one id begins with, the baseline first.

    Raises
    ------
    UsageError
        If one does not exist, could be several, or is named twice; or if there is nothing to compare.
    """
    chosen: list[Cell] = []
    errors: list[ShipsimError] = []
    for name in names:
        try:
            cell = choose_cell(cells, name, folder)
        except UsageError as error:
            errors.append(error)
            continue
        if cell in chosen:
            errors.append(UsageError(f"'{shorten(name)}' is a cell that is named twice: {cell.id}."))
        else:
            chosen.append(cell)
    raise_all(errors)
    if not chosen:
        chosen = list(cells)
    elif len(chosen) == 1 and chosen[0] is not cells[0]:
        chosen = [cells[0], *chosen]
    if len(chosen) < 2:
        raise UsageError(f"there is nothing to compare {chosen[0].id} with.", _shown_cells(cells))
    return tuple(chosen)


def choose_cell(cells: Sequence[Cell], name: str, folder: str) -> Cell:
    """Return the cell of a run that has an id, or the only one whose id begins so.

    Raises
    ------
    UsageError
        If it does not exist, or could be several.
    """
    ways = (str.__eq__, lambda cell_id, name: cell_id.rpartition("-")[0] == name, str.startswith)
    fitting = next(filter(None, ([cell for cell in cells if fits(cell.id, name)] for fits in ways)), [])
    if not fitting:
        hint = nearest(name, [cell.id for cell in cells])
        raise UsageError(f"there is no cell '{shorten(name)}' in '{folder}'.{hint}", _shown_cells(cells))
    if len(fitting) > 1:
        raise UsageError(f"'{shorten(name)}' could be {len(fitting):,} cells of '{folder}'.", _shown_cells(fitting))
    return fitting[0]


def _shown_cells(cells: Sequence[Cell]) -> str:
    more = f" and {len(cells) - 10:,} more" if len(cells) > 10 else ""
    return f"Cells: {', '.join(cell.id for cell in cells[:10])}{more}."
