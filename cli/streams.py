"""The two output streams: data goes to stdout, everything else to stderr."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TextIO

from cli.interrupt import Interruption

SCHEMA = 1
"""Of what --json prints."""


class Table(NamedTuple):
    """A table: the columns in `right` are numbers; the one that `gives` may be long text, by default the last."""

    headers: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    right: frozenset[int] = frozenset()
    title: str = ""
    gives: int = -1


@dataclass
class Streams:
    """What the global options say about output, the words of the command line, and the signals' handler."""

    quiet: bool = False
    verbose: bool = False
    json: bool = False
    no_color: bool = False
    no_progress: bool = False
    debug: bool = False
    words: tuple[str, ...] = ()
    interruption: Interruption = field(default_factory=Interruption)

    def say(self, text: str = "") -> None:
        """Write a line for people to stderr, unless they asked for quiet."""
        if not self.quiet:
            self.complain(text)

    def complain(self, text: str) -> None:
        """Write a line to stderr even if quiet was asked for."""
        # Whoever closed stderr does not want to read it, and no run should end for that.
        with contextlib.suppress(OSError, ValueError):
            if sys.stderr is not None:
                text = _harmless(text)
                if self.is_terminal(sys.stderr):
                    text = "\n".join(_fitting(line) for line in text.split("\n"))
                sys.stderr.write(text + "\n")
                sys.stderr.flush()

    def put(self, text: str = "") -> None:
        """Write a line of data to stdout."""
        self._put_raw(_harmless(text))

    def put_prose(self, text: str) -> None:
        """Write lines for people to read to stdout, which fit a terminal."""
        self.put("\n".join(map(_fitting, text.split("\n"))) if self.is_terminal(sys.stdout) else text)

    def _put_raw(self, text: str) -> None:
        if sys.stdout is not None:
            sys.stdout.write(text + "\n")

    def put_json(self, results: Any, status: str = "done", exit_code: int = 0, **more: Any) -> None:
        """Write the one JSON object of a command to stdout."""
        whole = {"schema": SCHEMA, "status": status, "exit_code": exit_code, **more, "results": results}
        self._put_raw(json.dumps(_without_nan(whole), ensure_ascii=False))

    def is_terminal(self, stream: TextIO | None) -> bool:
        """Say whether a stream is a terminal that knows more than lines of text."""
        with contextlib.suppress(ValueError):
            return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
        return False

    def is_colored(self, stream: TextIO | None) -> bool:
        """Say whether a stream shows colours."""
        return self.is_terminal(stream) and not self.no_color and not os.environ.get("NO_COLOR")

    def console(self, stream: TextIO) -> Any:
        """Return rich's console on a terminal."""
        from rich.console import Console

        is_colored = self.is_colored(stream)
        return Console(
            file=stream,
            color_system="auto" if is_colored else None,
            no_color=not is_colored,
            highlight=False,
            markup=False,
        )

    def put_table(self, table: Table) -> None:
        """Write a table to stdout, with lines on a terminal and as aligned text elsewhere."""
        if not table.rows:
            return
        if not self.is_terminal(sys.stdout):
            self.put("\n".join(aligned(table)))
            return
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        gives = table.gives % len(table.headers)
        for place, header in enumerate(table.headers):
            # Only the long text gives way where the terminal is narrow.
            justify: Literal["left", "right"] = "right" if place in table.right else "left"
            shown.add_column(header, justify=justify, overflow="fold", no_wrap=place != gives)
        for row in table.rows:
            shown.add_row(*(Text(entry) for entry in row))
        if table.title:
            self.put(wrapped(table.title))
            self.put()
        self.console(sys.stdout).print(shown)


def _harmless(text: str) -> str:
    """Return a text without what a terminal would obey; names in it may come from anywhere."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)


def width() -> int:
    """Return how many columns lines may have."""
    return max(40, min(shutil.get_terminal_size((80, 24)).columns, 120))


def aligned(table: Table) -> Iterable[str]:
    """Yield the lines of a table as plain text; long text that does not fit is wrapped."""
    if table.title:
        yield wrapped(table.title)
    rows = [table.headers, *table.rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.headers))]
    gives = table.gives % len(widths)
    others = sum(widths) - widths[gives] + 2 * (len(widths) - 1)
    if gives not in table.right:
        widths[gives] = min(widths[gives], max(16, width() - others))
    for row in rows:
        for number, line in enumerate(textwrap.wrap(row[gives], widths[gives]) or [""]):
            entries = (line if place == gives else "" if number else entry for place, entry in enumerate(row))
            shown = (
                entry.rjust(widths[place]) if place in table.right else entry.ljust(widths[place])
                for place, entry in enumerate(entries)
            )
            yield "  ".join(shown).rstrip()


def wrapped(text: str, first: str = "", later: str = "") -> str:
    """Return a paragraph in lines that fit; commands and intervals stay in one piece."""
    kept = _TOGETHER.sub(lambda found: found[0].replace(" ", _GLUE), text)
    return textwrap.fill(
        kept,
        width(),
        initial_indent=first,
        subsequent_indent=later or first,
        break_long_words=False,
        break_on_hyphens=False,
    ).replace(_GLUE, " ")


_GLUE = "\ue000"
_TOGETHER = re.compile(r"'shipsim [^']*'|(?<=: )shipsim .*$|\[[^\[\]]{1,40}\]")


def _fitting(line: str) -> str:
    """Return a line of text in lines that fit, all but the first one indented."""
    indent = line[: len(line) - len(line.lstrip())]
    return wrapped(line.lstrip(), indent, indent + "  ") if len(line) > width() else line


def _without_nan(value: Any) -> Any:
    """Return what JSON can hold: numbers that are none become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(entry) for entry in value]
    return value


def command_line(words: Sequence[str]) -> str:
    """Return the command line as a manifest holds it: without the name of who typed it."""
    return " ".join(_portable(word) for word in ("shipsim", *words))


def _portable(word: str) -> str:
    """Return a word as a shell takes it, in which no path tells whose computer it is; nobody quotes a tilde."""
    shown = without_home(word)
    if shown == word or not re.match("~(/|$)", shown):
        return shlex.quote(shown)
    return shown[:2] + (shlex.quote(shown[2:]) if shown[2:] else "")


def without_home(text: str) -> str:
    """Return a text in which no path tells whose computer it is."""
    home = os.path.expanduser("~")
    return text.replace(home, "~") if len(home) > 1 else text
