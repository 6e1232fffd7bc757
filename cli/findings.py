"""What follows the tables on the terminal: the findings in sentences, as on a report's page, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cli.streams import Streams, wrapped
from simcore.folders import shell

if TYPE_CHECKING:
    from reports.findings import Finding
    from simcore.cells import Cell


def put_findings(streams: Streams, found: Sequence[Finding]) -> None:
    """Write what was found, largest effect first."""
    from reports.sentences import sentence

    streams.put()
    streams.put("Findings, the largest effect first:")
    for finding in found:
        streams.put(wrapped(f"- {sentence(finding)}", later="  "))


def own_words(cells: Sequence[Cell]) -> list[str]:
    """Return the option that names the files of users' own strategies; nothing if cells have none."""
    from simcore.cells import owns_of

    # Where the file is knows only who has read it: a saved run does not.
    owns = dict.fromkeys(
        f"{own.path}:{own.name}" if isinstance(own.code, str) else own.short for cell in cells for own in owns_of(cell)
    )
    return ["--strategy", "+".join(owns)] if owns else []


def resume_line(run: str | Path, cells: Sequence[Cell], *more: str) -> str:
    """Return the command that goes on with a run of these cells."""
    return shell("sweep", "--resume", run, *more, *own_words(cells))


def say_next(streams: Streams, run: str | Path, cells: Sequence[Cell]) -> None:
    """Say what can be done with a run of these cells that is saved."""
    streams.say(
        f"Next: '{shell('report', run)}' for a page with figures, '{shell('compare', run)}' for all verdicts, "
        f"'{shell('trace', run, *own_words(cells))}' for one game to read."
    )
