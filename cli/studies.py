"""Study files: a sweep written down, with the same words as the command line, which beats it."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

import click

from cli import complete
from cli.grammar import expand
from cli.options import read_games, read_jobs, read_max_games, read_max_time, read_precision, read_seed
from simcore.axes import DESIGNS, Axis, check_names, link_axis
from simcore.declare import allowed, fields
from simcore.errors import ManyErrors, ShipsimError, UsageError, nearest, raise_all, shorten
from simcore.games import GAMES, Game
from simcore.own import refuse_in_files
from simcore.sources import Source, from_document, from_presets, game_of, in_place, load_toml, written

TABLES = {
    "sweep": ("design", "axis"),
    "run": ("games", "seed", "precision", "max_games", "max_time", "jobs", "out"),
    "report": ("figures",),
}
"""The tables of a study beside [rules], and their keys."""

FORMS = {
    "games": 'games = 100000, or games = "100k"',
    "seed": 'seed = 1, or seed = "random"',
    "precision": 'precision = "0.1pp", or precision = ["0.1pp", "METRIC=VALUE"]',
    "max_games": 'max_games = 1000000, or max_games = "1M"',
    "max_time": 'max_time = "10m"',
    "jobs": 'jobs = 2, or jobs = "auto"',
    "out": 'out = "runs/NAME"',
}
"""How the keys of [run] are written."""

FORMATS = ("png", "svg")
"""Kinds of files for figures."""


class Study(NamedTuple):
    """What a study file holds.

    Attributes
    ----------
    game, sources, axes
        As the command line makes them; the preset is a source of its own.
    options
        Values of options by their parameter's name, as text.
    figures
        Kinds of files that reports of the run get; empty: the usual ones.
    """

    game: Game
    sources: tuple[Source, ...]
    axes: tuple[Axis, ...]
    options: dict[str, Any]
    figures: tuple[str, ...]

    def base(self, vary: Sequence[str], preset: Sequence[str]) -> tuple[Source, ...]:
        """Return the sources that are left when the command line varies something or names presets itself."""
        # What the line varies may be set in the file: the line beats the file.
        kept = [source for source in self.sources if not (preset and source.presets)]
        return tuple(source._replace(firm=source.firm and not vary) for source in kept)


def is_study(name: str) -> bool:
    """Say whether a word is a study file rather than a game."""
    with contextlib.suppress(OSError, ValueError):
        return name not in GAMES and (name.endswith(".toml") or Path(name).is_file())
    # A name that no file can have.
    return False


def _take_study(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and is_study(value) and not context.resilient_parsing:
        study = read_study(value)
        context.meta["study"] = study
        # click asks the command line first, then the environment, then this.
        context.default_map = study.options
    return value


study_argument = click.argument(
    "game",
    required=False,
    is_eager=True,
    callback=_take_study,
    metavar="[GAME|STUDY.toml]",
    shell_complete=complete.games,
)


def read_study(path: str) -> Study:
    """Read a study file.

    Raises
    ------
    UsageError
        For everything that is wrong in it.
    """
    document = load_toml(path)
    where = shorten(path)
    errors: list[ShipsimError] = []

    def attempt(read: Callable[[], Any], usual: Any) -> Any:
        try:
            return read()
        except ManyErrors as many:
            errors.extend(many.errors)
        except ShipsimError as error:
            errors.append(error)
        return usual

    tables = {name: _table(document, name, errors) for name in TABLES}
    game: Game | None = attempt(lambda: game_of(document), None)
    design = tables["sweep"].get("design", "grid")
    if design not in DESIGNS:
        word = design if isinstance(design, str) else written(design)
        errors.append(
            UsageError(f"'{shorten(word)}' is not a design.{nearest(word, DESIGNS)}", f"Values: {', '.join(DESIGNS)}.")
        )
    options: dict[str, Any] = {"design": str(design)}
    for key, value in tables["run"].items():
        text = attempt(lambda key=key, value=value: _option(game, key, value), None)  # type: ignore[misc]
        options |= {key: text} if text is not None else {}
    if "games" in tables["run"] and "precision" in tables["run"]:
        errors.append(
            UsageError(
                "games in [run] fixes the number of games, which precision leaves open.",
                "Leave one of them out, or write max_games for the most games.",
            )
        )
    figures = attempt(lambda: _figures(tables["report"].get("figures", [])), ())
    sources: list[Source] = []
    axes: list[Axis] = []
    if game is not None:
        known = game
        # What comes now names the file itself.
        errors[:] = [placed for error in errors for placed in in_place(error, where)]
        if "preset" in document:
            sources += attempt(lambda: [_preset(known, document["preset"], where)], [])
        rest = {key: value for key, value in document.items() if key != "preset"}
        sources += attempt(lambda: [from_document(known, rest, where, tuple(TABLES), firm=True)], [])
        for number, columns in enumerate(tables["sweep"].get("axis", []), 1):
            place = f"{where}, axis {number}"
            if isinstance(columns, dict) and columns:  # else that was said before
                axes += attempt(lambda columns=columns, place=place: [_axis(known, columns, place)], [])  # type: ignore[misc]
    else:
        errors[:] = [placed for error in errors for placed in in_place(error, where)]
    raise_all(errors)
    assert game is not None
    return Study(game, tuple(sources), tuple(axes), options, figures)


def _table(document: Mapping[str, Any], name: str, errors: list[ShipsimError]) -> dict[str, Any]:
    """Return what is known of a table, and add what is wrong to `errors`."""
    table = document.get(name, {})
    if not isinstance(table, dict):
        form = f"Write [{name}], and its keys below it."
        errors.append(UsageError(f"'{name}' must be a table, not {written(table)}.", form))
        return {}
    for key in table:
        if key not in TABLES[name]:
            known = ", ".join(TABLES[name])
            hint = nearest(key, TABLES[name])
            errors.append(UsageError(f"'{shorten(key)}' is not a key of [{name}].{hint}", f"Keys: {known}."))
    kept = {key: value for key, value in table.items() if key in TABLES[name]}
    axes = kept.get("axis", [])
    form = "Write [[sweep.axis]], and RULE = [VALUE, VALUE] below it."
    errors += [UsageError(message, form) for message in _wrong_axes(axes)]
    return kept if isinstance(axes, list) else {**kept, "axis": []}


def _wrong_axes(axes: Any) -> Iterator[str]:
    """Yield what is wrong with the form of [[sweep.axis]]."""
    if not isinstance(axes, list):
        yield f"'axis' in [sweep] must be a list of tables, not {written(axes)}."
        return
    for number, axis in enumerate(axes, 1):
        if not isinstance(axis, dict):
            yield f"axis {number} in [sweep] must be a table, not {written(axis)}."
        elif not axis:
            yield f"axis {number} in [sweep] is empty: it does not say what is varied."


def _option(game: Game | None, key: str, value: Any) -> Any:
    """Check a value of [run], and return it as the command line takes it."""
    where = f"{key} in [run]"
    form = f"Write {FORMS[key]}."
    if key == "precision":
        texts = value if isinstance(value, list) else [value]
        if not texts or not all(isinstance(text, str) for text in texts):
            raise UsageError(f"{where} must be text, or a list of texts, not {written(value)}.", form)
        if game is not None:
            read_precision(game, texts, where)
        return texts
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # 1e6 is a decimal to TOML
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not isinstance(value, str) and not (is_number and key not in ("max_time", "out")):
        kind = "text" if key in ("max_time", "out") else "a whole number or text"
        raise UsageError(f"{where} must be {kind}, not {written(value)}.", form)
    if key == "out" and not value:
        raise UsageError(f"{where}: the folder has no name.", form)
    readers: dict[str, Callable[[str, str], Any]] = {
        "games": read_games,
        "seed": read_seed,
        "max_games": read_max_games,
        "max_time": read_max_time,
        "jobs": read_jobs,
    }
    if key in readers:
        readers[key](str(value), where)
    return str(value)


def _figures(value: Any) -> tuple[str, ...]:
    words = value.split(",") if isinstance(value, str) else value
    if not isinstance(words, list):
        raise UsageError(
            f"figures in [report] must be text, or a list of texts, not {written(value)}.",
            'Write figures = ["png", "svg"].',
        )
    for word in words:
        if word not in FORMATS:
            shown = word if isinstance(word, str) else written(word)
            raise UsageError(
                f"figures in [report]: '{shorten(shown)}' is not a kind of file.{nearest(shown, FORMATS)}",
                f"Values: {', '.join(FORMATS)}.",
            )
    return tuple(words)


def _preset(game: Game, value: Any, where: str) -> Source:
    # Checked as a document is, and then laid below a preset that is varied, as --preset is.
    checked = from_document(game, {"preset": value}, where)
    return from_presets(game, checked.presets, f"{where} preset")


def _some_values(game: Game, name: str) -> str:
    """Return values for an axis over a rule, a preset or a strategy, as an example."""
    field = fields(game.Rules).get(name)
    span = field.rule.span if field else None
    if field and field.kind is int and span and not field.rule.length and math.isfinite(span.high):
        return f'"{span}"'.replace(" in steps of ", "/")
    if field and field.kind is bool:
        return "[false, true]"
    words = [*game.PRESETS] if name == "preset" else [s.name for s in next(iter(game.STRATEGIES.values()))]
    if field:
        words = allowed(field).split(";")[0].split(", ") if issubclass(field.kind, IntEnum) else []
    return json.dumps(words[:2]) if words else "[VALUE, VALUE]"


def _axis(game: Game, columns: Mapping[str, Any], where: str) -> Axis:
    """Return the axis of one [[sweep.axis]]."""
    try:
        raise_all(check_names(game, tuple(columns)))
        values = {}
        for name, given in columns.items():
            if not isinstance(given, str | list) or not given:
                message = f"{where}: give a list of values for '{name}', not {written(given)}."
                raise UsageError(message, f"Write {name} = {_some_values(game, name)}.")
            if name == "strategy":
                refuse_in_files(given, where)
            items = given.split(",") if isinstance(given, str) else given
            values[name] = expand(game, name, items, where)
        return link_axis(game, values, where)
    except ShipsimError as error:
        # Some of its messages name the axis, and some only the rule.
        parts = error.errors if isinstance(error, ManyErrors) else (error,)
        raise_all([UsageError(p.message if where in p.message else f"{where}: {p.message}", *p.hints) for p in parts])
        raise
