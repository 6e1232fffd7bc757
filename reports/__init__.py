"""Reports made from a run's saved files: findings in words, figures, tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["write"]


def write(folder: str | Path, formats: Sequence[str] = ("png",)) -> list[Path]:
    """Write the report of a run below its folder, with what it compares as a csv file; return the files written.

    Parameters
    ----------
    folder
        The run's folder; nothing but what was saved there is read.
    formats
        Of the figures beside the report: ``png``, ``svg``, or both.

    Raises
    ------
    UsageError
        If a format is not known.
    DataError
        If the folder is no run's, is damaged, or cannot be written.
    """
    # Imported here, so that whoever only imports the package does not wait for pandas and matplotlib.
    from reports.page import write_report

    return write_report(Path(folder), formats)
