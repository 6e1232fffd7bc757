"""What follows the tables on the terminal: the findings in sentences, as on a report's page, and what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cli.streams import Streams, wrapped
from simcore.folders import shell

if TYPE_CHECKING:
    from reports.load import Saved


def put_findings(streams: Streams, saved: Saved) -> None:
    """Write what was found, largest effect first."""
    from reports.sentences import tell

    streams.put()
    streams.put("Findings, the largest effect first:")
    for text in tell(saved):
        streams.put(wrapped(f"- {text}", later="  "))


def say_next(streams: Streams, run: str | Path) -> None:
    """Say what can be done with a run that is saved."""
    streams.say(
        f"Next: '{shell('report', run)}' for a page with figures, '{shell('compare', run)}' for all verdicts, "
        f"'{shell('trace', run)}' for one game to read."
    )
