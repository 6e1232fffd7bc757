"""Where rules come from: presets, files, single settings; each is one layer, and later layers beat earlier ones.

Reading a source names everything that is wrong in it at once. What a source holds is checked already, so
laying sources over each other cannot fail; only the finished rules may turn out not to be playable.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from simcore.declare import allowed, fields, read, show
from simcore.errors import ManyErrors, ShipsimError, UsageError, nearest, raise_all, shorten
from simcore.games import GAMES, Game, load
from simcore.own import refuse_in_files
from simcore.strategies import Seat, read_entries, show_seats

MAX_FILE = 1_000_000
"""Bytes that a file of rules may have."""

CANNOT = "these rules cannot be played: "

NOT_RULES = ("preset", "strategy")
"""What can be given and varied like a rule."""


class Source(NamedTuple):
    """One layer of rules.

    Attributes
    ----------
    where
        The option or file, for messages.
    presets
        Names, combined in order; they come before the rules of the same source.
    rules
        Name to value.
    strategy
        One entry for all seats or one a seat; empty: none is given.
    early
        Comes before a preset that is varied.
    firm
        What it holds may not be varied as well.
    """

    where: str
    presets: tuple[str, ...] = ()
    rules: Mapping[str, Any] = {}
    strategy: tuple[Seat, ...] = ()
    early: bool = False
    firm: bool = False

    def held(self, game: Game) -> dict[str, str]:
        """Return each rule (and `strategy`) that it sets itself, with the words that say so."""
        declared = fields(game.Rules)
        found = {name: f"{self.where} {name}={show(declared[name], value)}" for name, value in self.rules.items()}
        if self.strategy:
            found["strategy"] = f"{self.where} {show_seats(self.strategy, short=True)}"
        return found


def read_rule(game: Game, name: str, given: Any) -> Any:
    """Read one rule's value.

    Raises
    ------
    UsageError
        If there is no such rule, or it does not allow the value.
    """
    declared = fields(game.Rules)
    if name not in declared:
        raise unknown_rule(game, name)
    field, see = declared[name], f"shipsim rules {game.NAME} {name}"
    if isinstance(given, dict) or (isinstance(given, list | tuple) and not field.rule.length):
        raise UsageError(
            f"rule '{name}' takes {'one value' if not field.rule.length else 'values'}, not {written(given)}.",
            f"Values: {allowed(field)}.",
            f"See '{see}'.",
        )
    try:
        return read(field, given, f"rule '{name}'", see)
    except UsageError as error:
        if isinstance(given, str) and ("," in given or ".." in given):
            raise UsageError(
                error.message, *error.hints, f"To try several values: --vary {name}={shorten(given)}."
            ) from None
        raise


def unknown_rule(game: Game, name: str, *others: str) -> UsageError:
    """Return the error for a word that is neither a rule nor one of `others`."""
    names = [*fields(game.Rules), *others]
    return UsageError(
        f"'{shorten(name)}' is not a rule of {game.NAME}.{nearest(name, names)}",
        f"Rules: {', '.join(names)}.",
        f"See 'shipsim rules {game.NAME}'.",
    )


def read_presets(game: Game, given: str | Sequence[str]) -> tuple[str, ...]:
    """Read presets joined by ``+``, or a list of such texts.

    Raises
    ------
    UsageError
        If one of them does not exist.
    """
    errors: list[ShipsimError] = []
    names: list[str] = []
    for text in [given] if isinstance(given, str) else given:
        names += text.split("+") if isinstance(text, str) else [str(text)]
    for name in names:
        if name not in game.PRESETS:
            errors.append(
                UsageError(
                    f"'{shorten(name)}' is not a preset of {game.NAME}.{nearest(name, game.PRESETS)}",
                    f"Presets: {', '.join(game.PRESETS)}.",
                    f"See 'shipsim rules {game.NAME}'.",
                )
            )
    raise_all(errors)
    return tuple(names)


def is_reset(game: Game, preset: str) -> bool:
    """Say whether a preset sets every rule but the number of players, so that nothing before it counts."""
    return fields(game.Rules).keys() - {"players"} <= game.PRESETS[preset].keys()


def changed_by(game: Game, presets: Iterable[str]) -> dict[str, str]:
    """Return the rules that combined presets change on purpose, each with the preset that does.

    A preset that resets everything does not mean any rule in particular.
    """
    changed: dict[str, str] = {}
    for preset in presets:
        if is_reset(game, preset):
            changed.clear()
        else:
            changed.update(dict.fromkeys(game.PRESETS[preset], preset))
    return changed


def from_presets(game: Game, given: str | Sequence[str], where: str = "--preset") -> Source:
    """Return the source of ``--preset``, which a preset axis beats."""
    return Source(where, presets=read_presets(game, given), early=True)


def from_settings(game: Game, settings: Iterable[tuple[str, Any]], where: str = "--set", firm: bool = True) -> Source:
    """Return the source of ``--set``, or of keyword arguments: pairs of a rule's name and its value.

    Raises
    ------
    UsageError
        For unknown rules, values that are not allowed, and a rule that is set twice; all at once.
    """
    declared = fields(game.Rules)
    errors: list[ShipsimError] = []
    rules: dict[str, Any] = {}
    for name, given in settings:
        if name in NOT_RULES and name not in declared:
            errors.append(UsageError(f"'{name}' is not a rule of {game.NAME}.", f"Use --{name} instead of {where}."))
            continue
        try:
            value = read_rule(game, name, given)
        except ShipsimError as error:
            errors.append(error)
            continue
        if name in rules:
            first, second = show(declared[name], rules[name]), show(declared[name], value)
            errors.append(
                UsageError(
                    f"rule '{name}' is set twice: {where} {name}={first} and {where} {name}={second}.",
                    "Leave one of them out.",
                )
            )
        else:
            rules[name] = value
    raise_all(errors)
    return Source(where, rules=rules, firm=firm)


def from_strategy(game: Game, given: str | Sequence[str], where: str = "--strategy") -> Source:
    """Return the source of ``--strategy``."""
    return Source(where, strategy=read_entries(game, given), firm=True)


def load_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file of rules (or a study).

    Raises
    ------
    UsageError
        If there is none, or it is too large, not UTF-8, or broken; the line is named.
    """
    name = shorten(str(path))
    see = "See 'shipsim rules GAME --toml' for a file to begin with."
    try:
        if Path(path).is_dir():
            raise UsageError(f"'{name}' is a folder, not a file of rules.", see)
        # Pipes and devices have no size to ask for, so a bounded read finds out.
        with Path(path).open("rb") as file:
            content = file.read(MAX_FILE + 1)
    except FileNotFoundError:
        raise UsageError(f"the file '{name}' does not exist.", see) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"the file '{name}' cannot be read: {reason}.", see) from None
    if len(content) > MAX_FILE:
        raise UsageError(f"the file '{name}' is larger than {MAX_FILE:,} bytes; rules need far less.", see)
    try:
        # Editors on Windows put a byte order mark at the beginning.
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UsageError(f"{name}, line {line}: the file is not UTF-8 text.", "Save it as UTF-8.") from None
    except RecursionError:
        raise UsageError(f"{name}: the values are nested too deeply.", see) from None
    except ValueError as error:
        found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", str(error), re.DOTALL)
        reason, number = (found[1], found[2]) if found else (str(error), None)
        last = content.count(b"\n") + (not content.endswith(b"\n"))
        place = f", line {number or last}" if found else ""
        raise UsageError(f"{name}{place}: this is not TOML: {shorten(reason)}.", see) from None


def written(value: Any) -> str:
    """Return a value of a TOML file about as it stands there, for a message."""
    has_form = isinstance(value, bool | str | list | tuple | dict)
    return shorten(json.dumps(value, ensure_ascii=False, default=str, skipkeys=True) if has_form else str(value))


def game_of(document: Mapping[str, Any]) -> Game:
    """Return the game that a document is for.

    Raises
    ------
    UsageError
        If it names none, or one that does not exist.
    """
    games = f"Games: {', '.join(GAMES)}."
    if "game" not in document:
        raise UsageError("the file does not say which game its rules are for.", 'Write game = "...".', games)
    if not isinstance(document["game"], str):
        raise _no_game(document["game"])
    return load(document["game"])


def _no_game(given: Any) -> UsageError:
    return UsageError(
        f"'game' must be text, the name of one game, not {written(given)}.",
        'Write game = "...".',
        f"Games: {', '.join(GAMES)}.",
    )


def from_document(
    game: Game, document: Mapping[str, Any], where: str, tables: Collection[str] = (), firm: bool = False
) -> Source:
    """Return the source that a TOML document is.

    Parameters
    ----------
    game
        The game that the rules are for.
    document
        Rules, at top level or in a table ``rules``, and `game`, `preset`, `strategy`.
    where
        The file's name.
    tables
        Keys at top level that somebody else reads, such as ``sweep`` in a study.
    firm
        What it holds may not be varied as well.

    Raises
    ------
    UsageError
        For everything that is wrong in it.
    """
    errors: list[ShipsimError] = []
    table = document.get("rules", {})
    top = {key: value for key, value in document.items() if key not in ("rules", "game", *NOT_RULES, *tables)}
    if not isinstance(table, dict):
        errors.append(
            UsageError(f"'rules' must be a table, not {written(table)}.", "Write [rules], and the rules below it.")
        )
        table = {}
    if not isinstance(document.get("game", ""), str):
        errors.append(_no_game(document["game"]))
    elif document.get("game", game.NAME) != game.NAME:
        errors.append(
            UsageError(
                f"the file is for the game '{shorten(document['game'])}', not for {game.NAME}.",
                f'Write game = "{game.NAME}", or leave it out.',
            )
        )
    rules: dict[str, Any] = {}
    for inside, (key, given) in [(False, item) for item in top.items()] + [(True, item) for item in table.items()]:
        if inside and key in top:
            errors.append(UsageError(f"rule '{key}' is set twice, at top level and in [rules].", "Leave one out."))
        elif inside and key in ("game", *NOT_RULES):
            errors.append(UsageError(f"'{key}' in [rules] is not a rule.", f"Move '{key} = ...' above [rules]."))
        elif not inside and key in ("sweep", "run", "report"):
            errors.append(
                UsageError(f"'{key}' belongs into a study, not into a file of rules.", "See 'shipsim sweep --help'.")
            )
        elif not inside and key not in fields(game.Rules):
            errors.append(unknown_rule(game, key, "game", *NOT_RULES, "rules", *tables))
        else:
            try:
                rules[key] = read_rule(game, key, given)
            except ShipsimError as error:
                errors.append(error)
    found: dict[str, Any] = {"preset": (), "strategy": ()}
    readers: dict[str, Any] = {"preset": read_presets, "strategy": read_entries}
    for key, reader in readers.items():
        given = document.get(key, ())
        if not isinstance(given, str) and not (
            isinstance(given, list | tuple) and all(isinstance(g, str) for g in given)
        ):
            errors.append(
                UsageError(f"'{key}' must be text, or a list of texts, not {written(given)}.", f'Write {key} = "...".')
            )
        elif key in document:
            try:
                refuse_in_files(given if key == "strategy" else (), key)
                found[key] = reader(game, given)
            except ShipsimError as error:
                errors.append(error)
    raise_all([placed for error in errors for placed in in_place(error, where)])
    return Source(where, found["preset"], rules, found["strategy"], firm=firm)


def in_place(error: ShipsimError, where: str) -> list[ShipsimError]:
    """Return the errors that `error` is made of, each with the place before it."""
    parts = error.errors if isinstance(error, ManyErrors) else (error,)
    return [UsageError(f"{where}: {part.message}", *part.hints) for part in parts]


def from_toml(path: str | Path, game: Game | None = None) -> tuple[Game, Source]:
    """Read a file of rules; without a game given, the file must name it.

    Raises
    ------
    UsageError
        For everything that is wrong in it.
    """
    document = load_toml(path)
    where = shorten(str(path))
    if game is None:
        try:
            game = game_of(document)
        except UsageError as error:
            raise_all(in_place(error, where))
            raise
    return game, from_document(game, document, where)


def lay(game: Game, values: dict[str, Any], sources: Iterable[Source]) -> None:
    """Lay sources over the values of rules, in place."""
    for source in sources:
        for preset in source.presets:
            values.update(game.PRESETS[preset])
        values.update(source.rules)


def seats_missing(game: Game, rules: Any) -> list[UsageError]:
    """Return an error for each list with one entry a seat that does not fit the number of players."""
    found = []
    for name, field in fields(game.Rules).items():
        entries = len(getattr(rules, name)) if field.rule.per_seat else 1
        if entries not in (1, rules.players):
            found.append(
                UsageError(
                    f"rule '{name}' has {entries} entries, but there are {rules.players} players.",
                    "Give one entry for all seats, or one a seat joined by +.",
                    f"See 'shipsim rules {game.NAME} {name}'.",
                )
            )
    return found


def forbidden(game: Game, rules: Any) -> list[UsageError]:
    """Return the errors for rules that cannot be played together."""
    see = f"See 'shipsim rules {game.NAME}'."
    return [UsageError(f"{CANNOT}{reason.removesuffix('.')}.", see) for reason in game.check(rules)]


def even(game: Game, rules: Any) -> Any:
    """Return rules in which a list of equal entries, one a seat, is the one entry that stands for all."""
    changed = {}
    for name, field in fields(game.Rules).items():
        value = getattr(rules, name)
        if field.rule.per_seat and len(value) > 1 and len(set(value)) == 1:
            changed[name] = value[:1]
    return rules._replace(**changed) if changed else rules


def build_rules(game: Game, *sources: Source) -> Any:
    """Return the rules that sources make, each beating those before it, over the defaults.

    Raises
    ------
    UsageError
        If the rules cannot be played.
    """
    values = game.Rules()._asdict()
    lay(game, values, sources)
    rules = game.Rules(**values)
    raise_all([*seats_missing(game, rules)] or [*forbidden(game, rules)])
    return even(game, rules)


def rules_from_toml(path: str | Path, game: str | None = None) -> Any:
    """Return the rules that a file holds; the file must name the game if it is not given.

    Raises
    ------
    UsageError
        For everything that is wrong in the file, or if the rules cannot be played.
    """
    known, source = from_toml(path, load(game) if game is not None else None)
    return build_rules(known, source)
