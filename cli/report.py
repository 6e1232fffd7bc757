"""`shipsim report`: from saved results only."""

from __future__ import annotations

from pathlib import Path

import click

from cli import complete
from cli.options import Command, examples, streams_of
from cli.streams import Streams
from simcore.errors import UsageError, nearest, shorten

FORMATS = ("png", "svg")


@click.command(
    "report",
    cls=Command,
    short_help="A report from saved results.",
    epilog=examples("shipsim report runs/first", "shipsim report runs/first --figures svg"),
)
@click.argument("run", required=False, shell_complete=complete.runs)
@click.option("--figures", metavar="LIST", default="png,svg", show_default=True, help="Kinds of files for figures.")
@streams_of
def command(streams: Streams, run: str | None, figures: str) -> int:
    """Write a report of a run into its folder; nothing is played."""
    if run is None:
        raise UsageError("the run is missing.", "Give the folder that 'shipsim sweep' made.")
    formats = list(dict.fromkeys(figures.split(",")))
    for word in formats:
        if word not in FORMATS:
            raise UsageError(
                f"--figures: '{shorten(word)}' is not a kind of file.{nearest(word, FORMATS)}",
                f"Values: {', '.join(FORMATS)}; several joined by commas.",
            )

    import reports

    paths = reports.write(Path(run), formats)
    if streams.json:
        streams.put_json([str(path) for path in paths])
    else:
        for path in paths:
            streams.put(str(path))
    return 0
