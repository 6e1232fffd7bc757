"""Study files: a sweep written down, with the same words as the command line, which beats it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from cli import complete
from cli.grammar import expand
from cli.options import read_games, read_jobs, read_max_games, read_max_time, read_precision, read_seed
from simcore.axes import DESIGNS, Axis, link_axis
from simcore.errors import ManyErrors, ShipsimError, UsageError, nearest, raise_all, shorten
from simcore.games import GAMES, Game, load
from simcore.own import refuse_in_files
from simcore.sources import Source, from_document, from_presets, in_place, load_toml

TABLES = {
    "sweep": ("design", "axis"),
    "run": ("games", "seed", "precision", "max_games", "max_time", "jobs", "out"),
    "report": ("figures",),
}
"""The tables of a study beside [rules], and their keys."""

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
    game: Game | None = attempt(lambda: _game(document), None)
    design = tables["sweep"].get("design", "grid")
    if design not in DESIGNS:
        errors.append(
            UsageError(
                f"'{shorten(str(design))}' is not a design.{nearest(str(design), DESIGNS)}",
                f"Values: {', '.join(DESIGNS)}.",
            )
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
        errors.append(UsageError(f"'{name}' must be a table.", f"Write [{name}], and its keys below it."))
        return {}
    for key in table:
        if key not in TABLES[name]:
            known = ", ".join(TABLES[name])
            hint = nearest(key, TABLES[name])
            errors.append(UsageError(f"'{shorten(key)}' is not a key of [{name}].{hint}", f"Keys: {known}."))
    kept = {key: value for key, value in table.items() if key in TABLES[name]}
    axes = kept.get("axis", [])
    if not isinstance(axes, list) or not all(isinstance(axis, dict) and axis for axis in axes):
        errors.append(UsageError("'axis' in [sweep] must be tables.", "Write [[sweep.axis]], and RULE = [...] below."))
        del kept["axis"]
    return kept


def _game(document: Mapping[str, Any]) -> Game:
    name = document.get("game")
    if not isinstance(name, str):
        raise UsageError("the file does not say which game its rules are for.", 'Write game = "...".')
    return load(name)


def _option(game: Game | None, key: str, value: Any) -> Any:
    """Check a value of [run], and return it as the command line takes it."""
    where = f"{key} in [run]"
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if key == "precision":
        texts = value if isinstance(value, list) else [value]
        if not texts or not all(isinstance(text, str) for text in texts):
            raise UsageError(f"{where} must be text, or a list of texts.", 'Write precision = "0.1pp".')
        if game is not None:
            read_precision(game, texts, where)
        return texts
    if not isinstance(value, str) and not (is_number and key not in ("max_time", "out")):
        form = "text" if key in ("max_time", "out") else "a whole number or text"
        raise UsageError(f"{where} must be {form}, not {shorten(str(value))}.")
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
        raise UsageError("figures in [report] must be text, or a list of texts.", 'Write figures = ["png", "svg"].')
    for word in words:
        if word not in FORMATS:
            raise UsageError(
                f"figures in [report]: '{shorten(str(word))}' is not a kind of file.{nearest(str(word), FORMATS)}",
                f"Values: {', '.join(FORMATS)}.",
            )
    return tuple(words)


def _preset(game: Game, value: Any, where: str) -> Source:
    # Checked as a document is, and then laid below a preset that is varied, as --preset is.
    checked = from_document(game, {"preset": value}, where)
    return from_presets(game, checked.presets, f"{where} preset")


def _axis(game: Game, columns: Mapping[str, Any], where: str) -> Axis:
    """Return the axis of one [[sweep.axis]]."""
    try:
        values = {}
        for name, given in columns.items():
            if not isinstance(given, str | list):
                form = f'Or a text: {name} = "2..6".'
                raise UsageError(f"{where}: give a list of values for '{shorten(name)}'.", form)
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
