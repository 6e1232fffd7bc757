"""`shipsim report`: from saved results only."""

from __future__ import annotations

from pathlib import Path

import click

from cli import complete
from cli.options import Command, examples, streams_of
from cli.streams import Streams
from cli.studies import FORMATS
from simcore.errors import UsageError, nearest, plural, shorten


@click.command(
    "report",
    cls=Command,
    short_help="A report from saved results.",
    epilog=examples("shipsim report runs/first", "shipsim report runs/first --figures svg"),
)
@click.argument("run", required=False, shell_complete=complete.runs)
@click.option("--figures", metavar="LIST", help="Kinds of files for figures.  [default: the study's, or png,svg]")
@streams_of
def command(streams: Streams, run: str | None, figures: str | None) -> int:
    """Write a report of a run into its folder; nothing is played."""
    if run is None:
        raise UsageError("the run is missing.", "Give the folder that 'shipsim sweep' made.")
    formats = list(dict.fromkeys((figures or _planned(run)).split(",")))
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
        pages = [path for path in paths if path.parent.name != "figures"]
        for path in pages:
            streams.put(str(path))
        names = {path.stem for path in paths if path not in pages}
        kinds = f", each as {' and '.join(formats)}" if len(formats) > 1 else ""
        streams.put(f"{plural(len(names), 'figure')} beside them{kinds}.")
    return 0


def _planned(run: str) -> str:
    """Return the kinds of files that the run's study asked for, or all."""
    from simcore.store import Run

    planned = Run.open(run).manifest.get("figures")
    is_list = isinstance(planned, list) and all(isinstance(word, str) for word in planned)
    return ",".join(planned if is_list and planned else FORMATS)
