"""Cells: one rule set with strategies each, and how a base and axes make them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from simcore.axes import Axis, combinations, conflicts, presets_of, shown, varies_players
from simcore.declare import fields, plain
from simcore.errors import DataError, ShipsimError, UsageError, raise_all, shorten
from simcore.games import Game, load
from simcore.own import Own, found_in, missing
from simcore.sources import CANNOT, Source, changed_by, even, forbidden, lay, read_rule, seats_missing
from simcore.strategies import Seat, read_entries, to_seats

DIGITS = 8
"""Hex digits of a SHA-256 that end a cell's id."""

MAX_SLUG = 80
"""Letters of the readable part of a cell's id."""


class Cell(NamedTuple):
    """One rule set with strategies.

    Attributes
    ----------
    game
        The game's name.
    rules
        The game's complete Rules.
    seats
        The strategy of each seat.
    varied
        Name of each varied rule to its value, as the command line takes it, in the order of the axes.
    id
        A readable slug and eight hex digits that stand for the complete rules and strategies.
    """

    game: str
    rules: Any
    seats: tuple[Seat, ...]
    varied: dict[str, str]
    id: str


class Skipped(NamedTuple):
    """A combination that cannot be played, and why."""

    varied: dict[str, str]
    reason: str


class Plan(NamedTuple):
    """The cells of a sweep, what was skipped, and remarks for the user."""

    cells: tuple[Cell, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...]


def make_cell(game: Game, rules: Any, seats: Sequence[Seat], varied: Mapping[str, str] | None = None) -> Cell:
    """Return the cell of rules and strategies (one a seat) that were checked before."""
    rules = even(game, rules)
    varied = dict(varied or {})
    text = json.dumps(_meaning(game, rules, seats), sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
    return Cell(game.NAME, rules, tuple(seats), varied, f"{slug(game, varied)}-{digest}")


def _meaning(game: Game, rules: Any, seats: Sequence[Seat]) -> dict[str, Any]:
    written = [str(seat) for seat in seats]
    return {
        "game": game.NAME,
        "rules": {name: plain(field, getattr(rules, name)) for name, field in fields(game.Rules).items()},
        "strategies": written[0] if len(set(written)) == 1 else written,
    }


def slug(game: Game, varied: Mapping[str, str]) -> str:
    """Return the readable part of a cell's id: safe as a file's name everywhere, and of bounded length."""
    text = "-".join(f"{name}-{value}" for name, value in varied.items()) or game.NAME
    text = re.sub(r"[^a-z0-9_]+", "-", text.lower().replace(".", "_")).strip("-")
    return text[:MAX_SLUG].rstrip("-")


def complete(cell: Cell) -> dict[str, Any]:
    """Return all that a cell is, as JSON holds it; `cell_from` is the way back."""
    return {"id": cell.id, "varied": cell.varied, **_meaning(load(cell.game), cell.rules, cell.seats)}


def cell_from(saved: Any, where: str = "manifest.json") -> Cell:
    """Return the cell that `complete` described. Nothing that is saved is executed.

    Raises
    ------
    DataError
        If it is damaged, or was written for other rules than this version knows.
    """
    keys = {"id": str, "varied": dict, "game": str, "rules": dict, "strategies": (str, list)}
    if not isinstance(saved, dict) or saved.keys() != keys.keys():
        raise DataError(f"{where}: a cell must have exactly the keys {', '.join(keys)}.")
    what = f"{where}, cell '{shorten(str(saved['id']))}'"
    for key, kind in keys.items():
        if not isinstance(saved[key], kind):  # type: ignore[arg-type]
            raise DataError(f"{what}: '{key}' is of the wrong kind.")
    texts = [*saved["varied"].values(), *(saved["strategies"] if isinstance(saved["strategies"], list) else ())]
    if not all(isinstance(text, str) for text in texts):
        raise DataError(f"{what}: 'varied' and 'strategies' must hold text.")
    try:
        game = load(saved["game"])
        declared = fields(game.Rules)
        for name in declared.keys() - saved["rules"].keys():
            raise DataError(f"{what}: rule '{name}' is missing.", "The run was made by another version of the rules.")
        values = {name: read_rule(game, name, value) for name, value in saved["rules"].items()}
        rules = game.Rules(**values)
        raise_all([*seats_missing(game, rules)] or [*forbidden(game, rules)])
        written = saved["strategies"]
        entries = read_entries(game, [written] if isinstance(written, str) else written, saved=True)
        cell = make_cell(game, rules, to_seats(entries, rules.players), saved["varied"])
    except UsageError as error:
        raise DataError(f"{what}: {error.message}", *error.hints) from None
    if cell.id != saved["id"]:
        raise DataError(f"{what}: its rules and strategies belong to another id, {cell.id}.", "The file was changed.")
    return cell


def owns_of(cell: Cell) -> list[Own]:
    """Return the different users' own strategies of a cell."""
    return list(dict.fromkeys(own for seat in cell.seats for own in seat.own if own))


def adopt(cell: Cell, given: Sequence[Seat], folder: str) -> Cell:
    """Return a saved cell with the code of its users' own strategies, taken from strategies given by the user.

    Raises
    ------
    DataError
        If one is not among them, or has changed since.
    """
    offered = [own for seat in given for own in seat.own if own]
    found = {own: found_in(own, offered, folder) for own in owns_of(cell)}
    lacking = [own for own, other in found.items() if other is None]
    if lacking:
        raise missing(lacking, folder)

    def with_code(seat: Seat) -> Seat:
        return seat._replace(
            parts={part: chosen._replace(own=chosen.own and found[chosen.own]) for part, chosen in seat.parts.items()}
        )

    return cell._replace(seats=tuple(map(with_code, cell.seats)))


NONE = "-"
"""Stands for the preset or file of a cell that has none, where another cell has one."""


def named(varied: Mapping[str, str]) -> str:
    """Return the varied values in words."""
    return shorten(
        ", ".join(f"{name}={value}" for name, value in varied.items() if value != NONE) or "the rules as given", 200
    )


def plan(game: Game, base: Sequence[Source] = (), axes: Sequence[Axis] = (), design: str = "grid") -> Plan:
    """Return the cells that a base and axes make; without axes it is one.

    Parameters
    ----------
    game
        The game.
    base
        What every cell shares, later sources beating earlier ones. Early ones (``--preset``) come before a
        preset axis, the others between it and the other axes.
    axes
        What is varied; the first moves slowest.
    design
        "grid": all combinations; "each": the first values, then one change at a time.

    Raises
    ------
    UsageError
        If one place overrides another's change, nothing can be played, or two cells are equal.
    """
    raise_all(list(conflicts(game, base, axes)))
    usual = read_entries(game, "/".join(game.PARTS.values()))
    outcomes = []
    for combination in combinations(axes, design):
        given = {
            name: value
            for axis, row in zip(axes, combination, strict=True)
            for name, value in zip(axis.names, row, strict=True)
        }
        outcomes.append(_outcome(game, base, given, usual))
    cells = [outcome for outcome in outcomes if isinstance(outcome, Cell)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, _Failure)]
    if not axes:
        raise_all([error for failure in failures for error in failure.errors])
    if not varies_players(game, axes):
        # More players or fewer would mend it, but nothing in this sweep does.
        raise_all(_once(error for failure in failures if failure.misfit for error in failure.errors))
    notes = notes_on(game, cells)
    if failures and failures[0] is outcomes[0] and cells:
        first = f"the baseline ({named(failures[0].varied)}) cannot be played: {failures[0].reason}"
        if design == "each":
            raise UsageError(first, "Put values first that can be played together: they are what changes start from.")
        notes.insert(0, f"{first} The first cell that is left takes its place.")
    if not cells:
        reasons = list(dict.fromkeys(failure.reason for failure in failures))
        more = [f"and {len(reasons) - 5} more reasons."] if len(reasons) > 5 else []
        none = f"none of the {len(failures):,} combinations can be played"
        raise UsageError(
            f"no cell is left: {none if len(failures) > 1 else 'the only combination cannot be played'}.",
            *reasons[:5],
            *more,
            f"See 'shipsim rules {game.NAME}'.",
        )
    raise_all(_once(_equal_cells(game, base, axes, cells)))
    return Plan(tuple(cells), tuple(Skipped(failure.varied, failure.reason) for failure in failures), tuple(notes))


def notes_on(game: Game, cells: Iterable[Cell]) -> list[str]:
    """Return the remarks on cells, each once."""
    found: dict[str, None] = {}
    for cell in cells:
        strategies = {chosen.name for seat in cell.seats for chosen in seat.parts.values()}
        found |= dict.fromkeys(game.notes(cell.rules, strategies))
    return list(found)


class _Failure(NamedTuple):
    """A combination that is no cell: lists that do not fit the players, or rules that forbid each other."""

    varied: dict[str, str]
    errors: list[ShipsimError]
    misfit: bool

    @property
    def reason(self) -> str:
        return " ".join(error.message.removeprefix(CANNOT) for error in self.errors)


def _outcome(game: Game, base: Sequence[Source], given: dict[str, Any], usual: tuple[Seat, ...]) -> Cell | _Failure:
    """Lay everything over the defaults in the order of precedence; `given` is what the axes give."""
    values = game.Rules()._asdict()
    lay(game, values, [source for source in base if source.early])
    lay(game, values, [Source("", presets=given.get("preset", ()))])
    lay(game, values, [source for source in base if not source.early])
    values.update((name, value) for name, value in given.items() if name in values)
    rules = game.Rules(**values)
    entries = given.get("strategy") or next((s.strategy for s in reversed(base) if s.strategy), usual)
    varied = {name: shown(game, name, value) for name, value in given.items()}
    errors: list[ShipsimError] = [*seats_missing(game, rules)]
    seats: tuple[Seat, ...] = ()
    try:
        seats = to_seats(entries, rules.players)
    except UsageError as error:
        errors.append(error)
    if errors:
        return _Failure(varied, errors, misfit=True)
    errors = [*forbidden(game, rules)]
    return _Failure(varied, errors, misfit=False) if errors else make_cell(game, rules, seats, varied)


def _once(errors: Iterable[ShipsimError]) -> list[ShipsimError]:
    """Return each different error once, and not more than can be read."""
    return list({str(error): error for error in errors}.values())[:10]


def _equal_cells(
    game: Game, base: Sequence[Source], axes: Sequence[Axis], cells: Sequence[Cell]
) -> Iterable[ShipsimError]:
    """Find the cells that would play the same games, or be saved in the same place."""
    by_digest: dict[str, Cell] = {}
    for cell in cells:
        digest = cell.id[-DIGITS:]
        other = by_digest.setdefault(digest, cell)
        if other is cell:
            continue
        if (other.rules, [*map(str, other.seats)]) != (cell.rules, [*map(str, cell.seats)]):
            # Chance alone made eight digits equal, which does no harm unless the ids are.
            if other.id == cell.id:
                yield UsageError(f"two cells have the id '{cell.id}' by chance.", "Leave one of their values out.")
            continue
        changed = {name for presets in presets_of(axes) for name in changed_by(game, presets)}
        late = [
            words for source in base if not source.early for name, words in source.held(game).items() if name in changed
        ]
        late += [f"{s.where} preset={'+'.join(s.presets)}" for s in base if s.presets and not s.early and changed]
        yield UsageError(
            f"two cells have equal rules and strategies: {named(other.varied)} and {named(cell.varied)}.",
            *([f"What comes after the preset beats it: {', '.join(late)}."] if late else []),
            "Leave one of them out.",
        )
