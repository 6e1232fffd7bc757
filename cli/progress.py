"""Progress on stderr: live on a terminal, else a plain line now and then."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any

from cli.numbers import count, duration, half_width, plural
from cli.streams import Streams

EVERY_PART = 0.1
EVERY_SECONDS = 30.0
LINE_SECONDS = 1.0
"""Lines never come faster, or a short run would be all progress."""
LIVE_SECONDS = 0.3


class Progress:
    """Shows cells, games per second, time left and the widest half width of `match_win`.

    Parameters
    ----------
    streams
        Where to.
    cells, games
        How many cells there are, and games of all of them together.
    """

    def __init__(self, streams: Streams, cells: int, games: int) -> None:
        self._streams = streams
        self._cells = cells
        self._games = games
        self._began = time.monotonic()
        self._last_line = self._began
        self._last_part = 0.0
        self._live: Any = None
        self._task: Any = None
        self._is_off = streams.quiet or streams.no_progress

    def __enter__(self) -> Progress:
        if not self._is_off and self._streams.is_terminal(sys.stderr):
            from rich.progress import BarColumn, TaskProgressColumn, TextColumn
            from rich.progress import Progress as RichProgress

            self._live = RichProgress(
                BarColumn(bar_width=18),
                TaskProgressColumn(),
                TextColumn("{task.description}", markup=False),
                console=self._streams.console(sys.stderr),
                transient=True,
                refresh_per_second=5,
            )
            self._streams.interruption.is_cursor_hidden = True
            self._live.start()
            self._task = self._live.add_task("", total=self._games)
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._streams.interruption.is_cursor_hidden = False

    def update(self, cells: int, games: int, played: int, widest: Callable[[], float]) -> None:
        """Say how far it has come.

        Parameters
        ----------
        cells, games
            Cells that are over, and games of all cells, those of an earlier start included.
        played
            Games since this start.
        widest
            Gives the half width of `match_win` in the cell under way; asked only if it is shown.
        """
        if self._is_off:
            return
        now = time.monotonic()
        part = games / self._games
        since = now - self._last_line
        if self._live is not None:
            is_due = since >= LIVE_SECONDS
        else:
            is_due = since >= EVERY_SECONDS or (part - self._last_part >= EVERY_PART and since >= LINE_SECONDS)
        if not is_due:
            return
        self._last_line, self._last_part = now, part
        per_second = played / max(now - self._began, 1e-9)
        left = duration((self._games - games) / per_second) if per_second else "unknown time"
        rate, width = f"{count(per_second)} games/s", widest()
        shown = f", match_win {half_width(width)}" if math.isfinite(width) else ""
        if self._live is not None:
            which = f"cell {min(cells + 1, self._cells):,}/{self._cells:,}, " if self._cells > 1 else ""
            self._live.update(self._task, completed=games, description=f"{which}{rate}, {left} left{shown}")
        else:
            which = f", {cells:,} of {plural(self._cells, 'cell')} done" if self._cells > 1 else ""
            self._streams.say(f"{part:4.0%}{which}, {rate}, {left} left{shown}")
