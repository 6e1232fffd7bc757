"""Whether a folder can become a run's: looked at before anything slow is imported."""

from __future__ import annotations

from pathlib import Path

from simcore.errors import UsageError


def check_new(folder: str | Path) -> None:
    """Refuse a folder that cannot become a run's.

    Raises
    ------
    UsageError
        If there is something of that name, other than an empty folder, or it is below a file.
    """
    path = Path(folder)
    try:
        is_taken = path.is_dir() and any(path.iterdir())
    except (OSError, ValueError) as error:
        raise cannot_make(folder, error) from error
    if is_taken:
        raise UsageError(
            f"'{folder}' exists already.",
            f"Use 'shipsim sweep --resume {folder}' to go on with it, or another --out.",
        )
    for above in (path, *path.parents):
        if above.is_dir():
            return
        if above.exists():
            whole = f"the folder '{folder}' is a file." if above == path else f"'{above}', above '{folder}', is a file."
            raise UsageError(whole, "Use another --out.")


def cannot_make(folder: str | Path, error: Exception) -> UsageError:
    """Return the error for a folder that the system refuses."""
    reason = getattr(error, "strerror", None) or error
    return UsageError(f"the folder '{folder}' cannot be made: {reason}.", "Use another --out.")
