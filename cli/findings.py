"""What follows the tables on the terminal: the findings in sentences, as on a report's page, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cli.streams import Streams, wrapped
from simcore.folders import shell

if TYPE_CHECKING:
    from reports.findings import Finding


def put_findings(streams: Streams, found: Sequence[Finding]) -> None:
    """Write what was found, largest effect first."""
    from reports.sentences import sentence

    streams.put()
    streams.put("Findings, the largest effect first:")
    for finding in found:
        streams.put(wrapped(f"- {sentence(finding)}", later="  "))


def say_next(streams: Streams, run: str | Path) -> None:
    """Say what can be done with a run that is saved."""
    streams.say(
        f"Next: '{shell('report', run)}' for a page with figures, '{shell('compare', run)}' for all verdicts, "
        f"'{shell('trace', run)}' for one game to read."
    )
