"""Errors that belong to the user: what is wrong, where, what is allowed, and what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ShipsimError(Exception):
    """An error that a user can act on.

    Parameters
    ----------
    message
        What is wrong and where, one sentence or more.
    hints
        Lines below it: allowed values, the next command.
    """

    exit_code = 2

    def __init__(self, message: str, *hints: str) -> None:
        super().__init__(message)
        self.message = message
        self.hints = hints

    def __str__(self) -> str:
        return "\n  ".join((self.message, *self.hints))


class UsageError(ShipsimError):
    """Words, values or combinations that are not allowed (exit code 2)."""


class ManyErrors(UsageError):
    """All the errors found in one place, so that they can be mended together."""

    def __init__(self, errors: Iterable[ShipsimError]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(str(error) for error in self.errors))


class DataError(ShipsimError):
    """Bad data, or a run that does not fit this program or request (exit code 3)."""

    exit_code = 3


def shorten(text: str, width: int = 70) -> str:
    """Return text that is safe and short enough for a message."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[: width + 1])
    return shown if len(shown) <= width else shown[: width - 3] + "..."


def plural(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def nearest(word: str, words: Iterable[str]) -> str:
    """Return the nearest of `words` as a question that follows a sentence, or the empty string."""
    # Underscores and dashes are mixed up most often, so they count as equal.
    spelled = {w.replace("_", "-").lower(): w for w in words}
    close = difflib.get_close_matches(word[:100].replace("_", "-").lower(), list(spelled), n=1, cutoff=0.5)
    return f" Did you mean '{spelled[close[0]]}'?" if close else ""


def raise_all(errors: list[ShipsimError]) -> None:
    """Raise nothing, the one error, or all of them as one."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ManyErrors(errors)
