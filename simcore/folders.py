"""Folders of runs before anything slow is imported: whether one can be made, and how commands name it."""

from __future__ import annotations

import contextlib
import re
import shlex
from pathlib import Path

from simcore.errors import UsageError


def shell(*words: str | Path) -> str:
    """Return a command line of shipsim that a shell takes as it stands: words are quoted where they need it.

    By double quotes, where that will do, because messages put single ones around a command.
    """
    return " ".join(_quoted(str(word)) for word in ("shipsim", *words))


def _quoted(word: str) -> str:
    quoted = shlex.quote(word)
    return quoted if quoted == word or re.search(r'[$`"\\!]', word) else f'"{word}"'


def check_new(folder: str | Path) -> None:
    """Refuse a folder that cannot become a run's.

    Raises
    ------
    UsageError
        If there is something of that name, other than an empty folder, or it is below a file.
    """
    if not str(folder):
        raise UsageError("--out: the folder has no name.", "Write --out DIR.")
    path = Path(folder)
    try:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            # The questions below are silent about names that no file can have.
            path.stat()
        is_taken = path.is_dir() and not _is_bare(path)
        above = next(above for above in (path, *path.parents) if above.exists())
        is_folder = above.is_dir()
    except (OSError, ValueError) as error:
        raise cannot_make(folder, error) from error
    if is_taken:
        raise UsageError(
            f"'{folder}' exists already.",
            f"Use '{shell('sweep', '--resume', folder)}' to go on with it, or another --out.",
        )
    if not is_folder:
        whole = f"the folder '{folder}' is a file." if above == path else f"'{above}', above '{folder}', is a file."
        raise UsageError(whole, "Use another --out.")


def _is_bare(folder: Path) -> bool:
    """Say whether a folder holds nothing, or only what a process left that was killed before it had a manifest."""
    for entry in folder.iterdir():
        is_left = entry.name == ".lock" or entry.name.startswith(".manifest.json.")
        if not (is_left or (entry.name == "state" and entry.is_dir() and not any(entry.iterdir()))):
            return False
    return True


def cannot_make(folder: str | Path, error: Exception) -> UsageError:
    """Return the error for a folder that the system refuses."""
    reason = getattr(error, "strerror", None) or error
    return UsageError(f"the folder '{folder}' cannot be made: {reason}.", "Use another --out.")
