"""`shipsim simulate`: one rule set, a summary on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.numbers import count, duration
from cli.options import (
    Command,
    collect,
    examples,
    game_argument,
    jobs_option,
    read_base,
    read_game,
    read_games,
    read_jobs,
    read_seed,
    rules_options,
    seed_option,
    streams_of,
)
from cli.streams import Streams

if TYPE_CHECKING:
    from simcore.cells import Cell
    from simcore.tally import Tally


@click.command(
    "simulate",
    cls=Command,
    short_help="One rule set, a summary on the terminal.",
    epilog=examples(
        "shipsim simulate my-ship-sails --set players=5 --games 1M",
        "shipsim simulate my-ship-sails --preset ochse --strategy patient:patience=4",
    ),
)
@game_argument
@rules_options
@click.option("--games", metavar="N", default="100k", show_default=True, help="Matches to play, such as 10M.")
@seed_option
@jobs_option
@streams_of
def command(streams: Streams, /, game: str | None, games: str, seed: str, jobs: str, **base: Any) -> int:
    """Play one rule set, and show who wins and everything else that is recorded."""
    from simcore.cells import plan

    known = read_game(game, "simulate")
    sources, number, drawn, asked = collect(
        lambda: read_base(known, **base), lambda: read_games(games), lambda: read_seed(seed), lambda: read_jobs(jobs)
    )
    planned = plan(known, sources)
    cell = planned.cells[0]

    # From here on it takes time: everything that can be wrong was looked at before.
    from cli.playing import compile_game, play
    from cli.tables import cell_object, in_words, put_summary, row_object
    from simcore.results import estimate
    from simcore.simulation import count_jobs

    streams.say(f"{known.NAME}: {in_words(known, cell)}.")
    for note in planned.notes:
        streams.say(f"note: {note}.")
    streams.say(f"{count(number)} games, seed {drawn}.")
    compile_game(streams, known.NAME)
    kept: list[Tally] = []

    def keep(cell: Cell, tally: Tally) -> None:
        kept[:] = [tally]

    played = play(streams, [cell], drawn, number, count_jobs(asked or "auto"), keep)
    rows = estimate(cell, kept[0]) if kept else []
    is_interrupted = not played.cells
    code = 5 if played.failed else streams.interruption.exit_code if is_interrupted else 0
    status = "failed" if played.failed else "interrupted" if is_interrupted else "done"
    for reason in played.failed.values():
        streams.complain(f"error: {reason}.")
    if streams.json:
        found = {
            **cell_object(known, cell),
            "games": kept[0].games if kept else 0,
            "seed": drawn,
            "estimates": [row_object(row) for row in rows],
        }
        streams.put_json([found], status, code)
        return code
    if rows:
        put_summary(streams, known, cell, rows)
    for sentence in known.ASSUMED:
        streams.say(sentence)
    if is_interrupted:
        streams.say(f"interrupted after {count(played.games)} of {count(number)} games.")
    else:
        streams.say(f"played {count(played.games)} games in {duration(played.seconds)}.")
    return code
