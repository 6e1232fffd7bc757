"""A user's own strategy: a function in a Python file, found and looked at without executing anything.

What is executed, and when, is in `owncode`. Neither numpy nor numba is imported here.
"""

from __future__ import annotations

import ast
import hashlib
import re
from pathlib import Path
from typing import Any, NamedTuple

from simcore.errors import DataError, UsageError, nearest, shorten
from simcore.folders import quoted

MARK = ".py:"
"""A strategy that contains this is a file: everything before is path."""

TAKES = ("view", "options", "random")
"""What the function takes, in this order, whatever it calls them."""

SEE = "See docs/own-strategies.md."
MAX_FILE = 1_000_000
_SAVED = re.compile(r"(?P<file>[^/\\:@]+):(?P<name>[^/\\:@]+)@(?P<digest>[0-9a-f]{64})")


class Own(NamedTuple):
    """A user's function.

    Attributes
    ----------
    file, name
        The file's name without its folder, and the function's.
    digest
        SHA-256 of the source, in hex: a changed file is another strategy.
    code
        The file's source, or the function itself, pickled; None for one that was read from a run, which
        cannot be played until `adopt` finds its file.
    path
        Where the file was found, for messages.
    """

    file: str
    name: str
    digest: str
    code: str | bytes | None = None
    path: str = ""

    @property
    def short(self) -> str:
        """The name to show."""
        return f"{self.file}:{self.name}"

    @property
    def complete(self) -> str:
        """The name with the digest, as manifests hold it."""
        return f"{self.short}@{self.digest}"


def stand_in(number: int) -> str:
    """Return a name that no strategy of a game has."""
    return f"<own {number}>"


def take_saved(text: str) -> tuple[str, dict[str, Own]]:
    """Take the users' own strategies out of a manifest's words, and put stand-ins there; no file is looked at."""
    owns: dict[str, Own] = {}

    def take(found: re.Match[str]) -> str:
        name = stand_in(len(owns))
        owns[name] = Own(**found.groupdict())
        return name

    return _SAVED.sub(take, text), owns


def read_own(path: str, name: str) -> Own:
    """Read a file and find the function in it, without executing it.

    Raises
    ------
    UsageError
        If there is no such file or function, the file is no Python, or the function takes something else.
    """
    where = shorten(path)
    try:
        if Path(path).is_fifo():
            raise UsageError(f"the strategy file '{where}' is a pipe, which can be read only once.", SEE)
        # Devices have no size to ask for, so a bounded read finds out.
        with Path(path).open("rb") as file:
            content = file.read(MAX_FILE + 1)
        if len(content) > MAX_FILE:
            raise UsageError(f"the strategy file '{where}' is larger than {MAX_FILE:,} bytes.", SEE)
        source = content.decode("utf-8-sig")
        tree = ast.parse(source, path)
    except FileNotFoundError:
        raise UsageError(f"the strategy file '{where}' does not exist.{_neighbour(path)}", SEE) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"the strategy file '{where}' cannot be read: {reason}.", SEE) from None
    except (SyntaxError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        shown = str(getattr(error, "text", "") or "").strip()
        raise UsageError(
            f"'{where}'{f', line {line}' if line else ''}: {getattr(error, 'msg', 'it is nested too deeply')}.",
            *([shorten(shown)] if shown else []),
        ) from None
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if name not in functions:
        public = [known for known in functions if not known.startswith("_")]
        known = f"Functions: {', '.join(public[:20])}." if public else f"Write def cautious({', '.join(TAKES)}): ..."
        what = f"has no function '{shorten(name)}'" if name else "is named without a function"
        raise UsageError(f"'{where}' {what}.{nearest(name, public)}", known, SEE)
    check_takes(functions[name].args, f"'{where}', line {functions[name].lineno}: function '{name}'")
    return Own(re.sub(r"[/\\:@]", "_", Path(path).name), name, hashlib.sha256(content).hexdigest(), source, path)


def check_takes(arguments: ast.arguments, what: str) -> None:
    """Refuse a function that does not take three arguments by position."""
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    if len(names) != len(TAKES) or arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        raise UsageError(
            f"{what} takes ({', '.join(names)}), but a strategy takes three arguments: ({', '.join(TAKES)}).", SEE
        )


def _neighbour(path: str) -> str:
    try:
        return nearest(Path(path).name, (other.name for other in Path(path).parent.glob("*.py")))
    except (OSError, ValueError):
        return ""


def exists(path: str) -> bool:
    """Say whether there is such a file."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def split_seats(text: str) -> list[str]:
    """Split strategies joined by ``+``, but not the path of a file that exists."""
    seats: list[str] = []
    for piece in text.split("+"):
        seats.append(piece)
        if MARK not in piece:
            continue
        for first in range(len(seats) - 1, -1, -1):
            whole = "+".join(seats[first:])
            if exists(whole.partition(MARK)[0] + ".py"):
                seats[first:] = [whole]
                break
    return seats


def refuse_in_files(given: Any, where: str) -> None:
    """Refuse a user's own strategy in a study, a file of rules or a claim: only the user names code to run.

    Raises
    ------
    UsageError
        If there is one.
    """
    for text in [given] if isinstance(given, str) else given if isinstance(given, list | tuple) else []:
        if isinstance(text, list):
            refuse_in_files(text, where)
        elif isinstance(text, str) and MARK in text:
            raise UsageError(
                f"{where}: '{shorten(text)}' is a file of code, which a file of rules or a study cannot name.",
                f"Say so yourself: --strategy {quoted(shorten(text))}, or --vary strategy=... for several.",
            )


def missing(owns: list[Own], folder: str) -> DataError:
    """Return the error for strategies of a run whose files were not named."""
    names = [f"{own.short} (SHA-256 {own.digest[:12]}...)" for own in owns]
    shown = quoted("+".join(f"PATH/{own.short}" for own in owns))
    return DataError(
        f"'{folder}' is played by code that is not saved in it: {', '.join(names)}.", f"Name it: --strategy {shown}."
    )


def found_in(own: Own, given: list[Own], folder: str) -> Own | None:
    """Return the one of `given` that is `own`, or None.

    Raises
    ------
    DataError
        If a file of that name is given that holds something else.
    """
    for other in given:
        if (other.name, other.digest) == (own.name, own.digest):
            return own._replace(code=other.code, path=other.path)
    for other in given:
        if other.short == own.short:
            raise DataError(
                f"'{shorten(other.path)}' is not the file that '{folder}' was begun with: its SHA-256 is "
                f"{other.digest[:12]}..., not {own.digest[:12]}...",
                "Name the file as it was, or play another run into another folder.",
            )
    return None
