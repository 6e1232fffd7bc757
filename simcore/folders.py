"""Folders of runs before anything slow is imported: whether one can be made, and how commands name it."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shlex
from pathlib import Path

from simcore.errors import DataError, UsageError


def shell(*words: str | Path) -> str:
    """Return a command line of shipsim that a shell takes as it stands: words are quoted where they need it.

    By double quotes, where that will do, because messages put single ones around a command.
    """
    return " ".join(quoted(word) for word in ("shipsim", *words))


def quoted(word: str | Path) -> str:
    """Return a word as a shell takes it; see `shell`."""
    # What begins with a dash would be taken for an option.
    plain = f"./{word}" if isinstance(word, Path) and str(word).startswith("-") else str(word)
    safe = shlex.quote(plain)
    return safe if safe == plain or re.search(r'[$`"\\!]', plain) else f'"{plain}"'


def check_links(folder: Path, *names: str) -> None:
    """Refuse a run's folder from elsewhere that would make us write, or remove something, outside of it.

    Raises
    ------
    DataError
        If one of the names is a link.
    """
    for name in names:
        path = folder / name
        if path.is_symlink():
            raise DataError(f"'{path}' is a link.", "All that belongs to a run lies in its folder: put it there.")


def free_name(path: Path) -> Path:
    """Return a name beside a path that is taken: with a number behind it."""
    stem, suffix = (path.name, "") if path.is_dir() else (path.stem, path.suffix)
    numbered = (path.with_name(f"{stem}-{number}{suffix}") for number in itertools.count(2))
    return next(other for other in numbered if not os.path.lexists(other))


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
        raise _taken(path)
    if not is_folder:
        whole = f"the folder '{folder}' is a file." if above == path else f"'{above}', above '{folder}', is a file."
        raise UsageError(whole, "Use another --out.")


def _taken(path: Path) -> UsageError:
    """Return the error for a folder that exists, with the commands that go on from there."""
    # A folder such as '..' has no name that a number could follow.
    another = f"--out {quoted(free_name(path))}" if path.name.strip(".") else "another --out"
    if not os.path.isfile(path / "manifest.json"):
        return UsageError(
            f"'{path}' exists already, and is no run's folder, with which --resume could go on.", f"Use {another}."
        )
    return UsageError(
        f"'{path}' exists already.",
        f"Use '{shell('sweep', '--resume', path)}' to go on with it, with --games N for more games;",
        f"or {another} to play into another folder;",
        f"or 'rm -r {quoted(path)}' first, which removes it with all that was played.",
    )


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
