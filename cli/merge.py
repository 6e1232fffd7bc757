"""`shipsim merge`: the shards of a run, joined to what it would have been in one place."""

from __future__ import annotations

from collections.abc import Sequence

import click

from cli import complete
from cli.findings import say_next
from cli.numbers import count_games, plural
from cli.options import PATH, Command, examples, streams_of
from cli.running import show_run
from cli.streams import Streams, command_line
from simcore.errors import UsageError
from simcore.folders import check_new


@click.command(
    "merge",
    cls=Command,
    short_help="Join the shards of a run.",
    epilog=examples(
        "shipsim sweep ahoi --vary joker --games 10M --shard 1/2 --out part1",
        "shipsim sweep ahoi --vary joker --games 10M --shard 2/2 --out part2",
        "shipsim merge part1 part2 --out runs/joker",
    ),
)
@click.argument("shards", nargs=-1, metavar="SHARD...", shell_complete=complete.runs)
@click.option("--out", metavar="RUN", type=PATH, help="The folder to make.")
@streams_of
def command(streams: Streams, shards: Sequence[str], out: str | None) -> int:
    """Join all shards of a run; the csv files are those of the run played in one place, byte for byte."""
    if not shards:
        raise UsageError("the shards are missing.", "Give the folders of all of them.", "See 'shipsim merge --help'.")
    if out is None:
        raise UsageError("--out is missing.", "Write --out RUN, the folder to make.")
    check_new(out)

    from simcore.merging import merge

    with streams.interruption.gracefully():
        run = merge(shards, out, command_line(streams.words))
    code = 5 if run.manifest["failed"] else streams.interruption.exit_code
    code = show_run(streams, run, code, run.manifest["status"])
    for name, reason in run.manifest["failed"].items():
        streams.complain(f"error: cell '{name}' failed: {reason}.")
    games = count_games(run.manifest["games"])
    streams.say(f"{plural(len(shards), 'shard')} merged: {games} of {plural(len(run.cells), 'cell')}. Saved: {out}")
    say_next(streams, out, run.cells)
    return code
