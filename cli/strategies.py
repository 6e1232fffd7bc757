"""`shipsim strategies`: strategies, what they do, and their parameters."""

from __future__ import annotations

from typing import Any

import click

from cli.options import Command, examples, game_argument, streams_of
from cli.streams import Streams, Table
from simcore.declare import allowed, fields, plain, show
from simcore.games import GAMES, Game, load


@click.command(
    "strategies",
    cls=Command,
    short_help="Strategies and their parameters.",
    epilog=examples("shipsim strategies", "shipsim strategies my-ship-sails"),
)
@game_argument
@streams_of
def command(streams: Streams, game: str | None) -> int:
    """List the strategies of a game (or of all), and their parameters."""
    found = [load(name) for name in (GAMES if game is None else [game])]
    if streams.json:
        streams.put_json([_object(known) for known in found])
        return 0
    for place, known in enumerate(found):
        if place:
            streams.put()
        _put(streams, known, is_short=game is None)
    if game is None:
        streams.say("'shipsim strategies GAME' lists the parameters too.")
    return 0


def _put(streams: Streams, game: Game, is_short: bool) -> None:
    for part, known in game.STRATEGIES.items():
        rows = []
        for strategy in known:
            takes = f" Parameters: {', '.join(strategy.parameters)}." if strategy.parameters else ""
            usual = " The default." if game.PARTS[part] == strategy.name else ""
            rows.append((strategy.name, f"{strategy.meaning}.{takes}{usual}"))
        heading = game.NAME if len(game.STRATEGIES) == 1 else f"{game.NAME}, {part}"
        streams.put_table(Table((heading, "what it does"), rows))
        if not is_short:
            streams.put()
    if is_short:
        return
    _say_own(streams)
    declared = fields(game.Parameters)
    if declared:
        entries = [
            (name, show(field, field.default), f"{field.rule.meaning}. Values: {allowed(field)}.")
            for name, field in declared.items()
        ]
        streams.put_table(Table(("parameter", "default", "meaning"), entries))
    form = "" if len(game.PARTS) == 1 else f" (both parts: {'/'.join(game.PARTS)})"
    found = next(((p, s) for p, known in game.STRATEGIES.items() for s in known if s.parameters), None)
    if found is not None:
        part, first = found
        name = first.parameters[0]
        both = "/".join({**game.PARTS, part: first.name}.values())
        example = f"{both}:{name}={show(declared[name], declared[name].default)}"
        streams.say(f"One for all seats, or one a seat joined by +{form}: --strategy {example}")


def _say_own(streams: Streams) -> None:
    streams.say("A Python function of yours plays too: --strategy my_bots.py:cautious. See docs/own-strategies.md.")


def _object(game: Game) -> dict[str, Any]:
    declared = fields(game.Parameters)
    return {
        "game": game.NAME,
        "default": "/".join(game.PARTS.values()),
        "strategies": [
            {"strategy": s.name, "part": part, "meaning": s.meaning, "parameters": list(s.parameters)}
            for part, known in game.STRATEGIES.items()
            for s in known
        ],
        "parameters": [
            {
                "parameter": name,
                "default": plain(field, field.default),
                "values": allowed(field),
                "meaning": field.rule.meaning,
            }
            for name, field in declared.items()
        ],
    }
