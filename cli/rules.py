"""`shipsim rules`: rules, allowed values, defaults, meaning, source; presets; metrics."""

from __future__ import annotations

import json
from enum import IntEnum
from typing import Any

import click

from cli import complete
from cli.options import Command, examples, game_argument, streams_of
from cli.streams import Streams, Table, wrapped
from simcore.declare import Field, Metric, allowed, fields, plain, show
from simcore.errors import UsageError
from simcore.games import GAMES, Game, load
from simcore.sources import is_reset, unknown_rule


@click.command(
    "rules",
    cls=Command,
    short_help="Rules, their values, defaults, meaning and source; presets; metrics.",
    epilog=examples(
        "shipsim rules my-ship-sails",
        "shipsim rules my-ship-sails pass_count",
        "shipsim rules my-ship-sails --toml > mine.toml",
    ),
)
@game_argument
@click.argument("rule", required=False, shell_complete=complete.rules)
@click.option("--toml", is_flag=True, help="A file for --rules, with remarks.")
@click.option("--metrics", is_flag=True, help="What is recorded instead.")
@streams_of
def command(streams: Streams, game: str | None, rule: str | None, toml: bool, metrics: bool) -> int:
    """List the games, the rules of a game, or all about one rule."""
    asked = [name for name, is_set in (("--toml", toml), ("--metrics", metrics), ("--json", streams.json)) if is_set]
    if toml and len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} do not go together.", "See 'shipsim rules --help'.")
    if game is None:
        if toml or metrics:
            raise UsageError("the game is missing.", f"Games: {', '.join(GAMES)}.", "See 'shipsim rules --help'.")
        return _list_games(streams)
    known = load(game)
    declared = fields(known.Rules)
    if rule is not None and rule not in declared:
        raise unknown_rule(known, rule)
    chosen = list(declared.values()) if rule is None else [declared[rule]]
    if metrics:
        _put_metrics(streams, known)
    elif toml:
        streams.put("\n".join(template(known, chosen)))
    elif streams.json:
        streams.put_json(_rules_object(known, chosen, with_presets=rule is None))
    elif rule is None:
        _put_rules(streams, known)
    else:
        _put_rule(streams, known, declared[rule])
    return 0


def _list_games(streams: Streams) -> int:
    found = [load(name) for name in GAMES]
    if streams.json:
        streams.put_json([{"game": game.NAME, "title": game.TITLE, "about": game.ABOUT} for game in found])
        return 0
    streams.put_table(Table(("game", "title", "about"), [(game.NAME, game.TITLE, game.ABOUT) for game in found]))
    streams.say("'shipsim rules GAME' lists the rules of a game.")
    return 0


def _rules_object(game: Game, chosen: list[Field], with_presets: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "game": game.NAME,
        "rules": [
            {
                "rule": field.name,
                "default": plain(field, field.default),
                "values": allowed(field),
                "meaning": field.rule.meaning,
                "source": field.rule.source,
            }
            for field in chosen
        ],
    }
    if with_presets:
        declared = fields(game.Rules)
        found["presets"] = [
            {
                "preset": name,
                "meaning": game.PRESET_NOTES[name],
                "rules": {rule: plain(declared[rule], value) for rule, value in changes.items()},
            }
            for name, changes in game.PRESETS.items()
        ]
    return found


def sentence(text: str) -> str:
    """Return a meaning with a capital and a full stop, or its question mark."""
    stop = "" if text.endswith("?") else "."
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}{stop}"


def say_assumed(streams: Streams, game: Game) -> None:
    """Say what a game's results rest on: in one sentence, where `shipsim rules` and reports have more."""
    for text in game.ASSUMED:
        first, more, _ = text.partition(". ")
        whole = f"{first}, so results depend on what is assumed: see 'shipsim rules {game.NAME}'."
        streams.say(whole if more else text)


def changes_of(game: Game, preset: str) -> str:
    """Return what a preset sets, as the command line takes it."""
    if is_reset(game, preset):
        return ""
    declared = fields(game.Rules)
    return ", ".join(f"{name}={show(declared[name], value)}" for name, value in game.PRESETS[preset].items())


def _put_rules(streams: Streams, game: Game) -> None:
    for text in game.ASSUMED:
        streams.put(wrapped(text))
        streams.put()
    headings = {first: heading for heading, first in game.GROUPS.items()}
    for number, field in enumerate(fields(game.Rules).values()):
        if field.name in headings:
            streams.put("\n" * (number > 0) + f"{headings[field.name]}:")
        streams.put(wrapped(f"{field.name} = {show(field, field.default)}  ({allowed(field)})", "", " " * 8))
        streams.put(wrapped(sentence(field.rule.meaning), " " * 4))
    streams.put()
    presets = []
    for name in game.PRESETS:
        changes = changes_of(game, name)
        presets.append((name, game.PRESET_NOTES[name] + (f" ({changes})" if changes else "")))
    streams.put_table(Table(("preset", "what it stands for, and sets"), presets))
    streams.say(f"'shipsim rules {game.NAME} RULE' adds where a rule comes from; --metrics lists what is recorded.")


def _put_rule(streams: Streams, game: Game, field: Field) -> None:
    streams.put(f"{field.name}  (rule of {game.NAME})")
    streams.put(wrapped(sentence(field.rule.meaning), "  "))
    for name, text in (
        ("values", allowed(field)),
        ("default", show(field, field.default)),
        ("source", field.rule.source),
        ("presets", ", ".join(_presets_with(game, field))),
    ):
        if text:
            streams.put(wrapped(text, f"  {name + ':':9} ", " " * 12))
    streams.put(f"  example:  shipsim simulate {game.NAME} --set {field.name}={_example(field)}")


def _presets_with(game: Game, field: Field) -> list[str]:
    return [
        f"{name} ({show(field, changes[field.name])})"
        for name, changes in game.PRESETS.items()
        if field.name in changes and not is_reset(game, name)
    ]


def _example(field: Field) -> str:
    """Return an allowed value that is not the default, if there is one."""
    if field.kind is bool:
        return "false" if field.default in (True, (True,)) else "true"
    kind: Any = field.kind
    members = [member.name.lower() for member in kind] if issubclass(kind, IntEnum) else []
    span = field.rule.span
    numbers = [kind(number) for number in (span.low, 2, span.high) if number in span] if span is not None else []
    words = [*members, *(show(field, number) for number in numbers)]
    return next((word for word in words if word != show(field, field.default)), show(field, field.default))


def template(game: Game, chosen: list[Field]) -> list[str]:
    """Return the lines of a file of rules, every rule at its default and explained."""
    lines = [
        f"# Rules of {game.TITLE}, every one at its default. Change what you like, leave out the rest, then:",
        f"#   shipsim simulate {game.NAME} --rules FILE.toml",
        '# More that may stand here, above the rules: preset = [...] and strategy = "...".',
        "",
        f'game = "{game.NAME}"',
    ]
    for field in chosen:
        lines += [
            "",
            *wrapped(sentence(field.rule.meaning), "# ").splitlines(),
            *wrapped(f"Values: {allowed(field)}.", "# ").splitlines(),
        ]
        if field.rule.source:
            lines += wrapped(f"Source: {field.rule.source}.", "# ").splitlines()
        # A JSON value of text, numbers, truth values and lists is one of TOML.
        lines.append(f"{field.name} = {json.dumps(plain(field, field.default), ensure_ascii=False)}")
    return lines


def _put_metrics(streams: Streams, game: Game) -> None:
    if streams.json:
        streams.put_json([_metric_object(metric) for metric in game.METRICS])
        return
    rows = [
        (metric.name, "+".join(metric.by) or "-", metric.per, metric.meaning + ("" if metric.rate else " (mean)"))
        for metric in game.METRICS
    ]
    streams.put_table(Table(("metric", "by", "per", "meaning"), rows))


def _metric_object(metric: Metric) -> dict[str, Any]:
    return {
        "metric": metric.name,
        "by": list(metric.by),
        "per": metric.per,
        "kind": "share" if metric.rate else "mean",
        "distribution": metric.values is not None,
        "meaning": metric.meaning,
    }
