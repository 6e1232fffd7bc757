"""`shipsim warm`: compile ahead."""

from __future__ import annotations

import click

from cli.options import Command, examples, game_argument, streams_of
from cli.streams import Streams
from simcore.games import GAMES, load


@click.command(
    "warm",
    cls=Command,
    short_help="Compile ahead.",
    epilog=examples("shipsim warm", "shipsim warm my-ship-sails"),
)
@game_argument
@streams_of
def command(streams: Streams, game: str | None) -> int:
    """Compile a game, or all of them, so that no later run has to wait."""
    names = list(GAMES) if game is None else [load(game).NAME]

    from cli.numbers import duration
    from cli.playing import compile_game

    results = []
    for name in names:
        seconds = compile_game(streams, name)
        results.append({"game": name, "seconds": round(seconds, 3)})
        if not streams.json:
            streams.put(f"{name} is ready ({duration(seconds)})")
    if streams.json:
        streams.put_json(results)
    return 0
