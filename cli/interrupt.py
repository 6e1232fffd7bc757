"""Ctrl-C and SIGTERM: the first lets a run end in order, the second ends the process at once."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

PLAYING = "shipsim_"
"""What the names of threads that play begin with: those of pools that are named shipsim."""

CAUGHT = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """The process was asked to end while nothing ran that can end in order."""


class Interruption:
    """Holds the handlers of both signals while a command runs, and puts back what was there before.

    Attributes
    ----------
    signal
        Number of the signal that came, or 0.
    """

    def __init__(self) -> None:
        self.signal = 0
        self.is_cursor_hidden = False
        self._stop: Callable[[], None] | None = None
        self._before: dict[int, Any] = {}

    @property
    def exit_code(self) -> int:
        """130 or 143, as shells say it, or 0."""
        return 128 + self.signal if self.signal else 0

    def __enter__(self) -> Interruption:
        # Elsewhere than in the main thread there are no signals to handle.
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._handle) for number in CAUGHT}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.signal:
            # Whatever is half written is a file beside its place, so nothing that was saved is lost.
            if self.is_cursor_hidden:
                os.write(2, b"\x1b[?25h\n")
            os._exit(128 + number)
        self.signal = number
        if self._stop is None:
            raise Interrupted
        self._stop()

    @contextlib.contextmanager
    def gracefully(self, stop: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Call `stop` at the first signal instead of raising `Interrupted`."""
        outer, self._stop = self._stop, stop
        try:
            if self.signal:
                stop()
            yield
        finally:
            self._stop = outer

    def check(self) -> None:
        """Raise `Interrupted` if a signal came."""
        if self.signal:
            raise Interrupted


_helpers: list[threading.Thread] = []


def run_aside(function: Callable[[], None], interruption: Interruption) -> None:
    """Run a function that cannot be stopped (the compiler) in a thread, and leave it behind at a signal.

    Raises
    ------
    Interrupted
        If a signal came before it ended.
    """
    raised: list[BaseException] = []

    def attempt() -> None:
        try:
            function()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=attempt, name="shipsim-compile", daemon=True)
    _helpers.append(thread)
    thread.start()
    while thread.is_alive():
        thread.join(0.05)
        interruption.check()
    _helpers.remove(thread)
    if raised:
        raise raised[0]


def end_process(code: int) -> int:
    """Return the exit code, or end at once if the compiler or a user's function still runs: Python cannot end them."""
    if any(thread.is_alive() for thread in _helpers) or any(
        thread.name.startswith(PLAYING) for thread in threading.enumerate()
    ):
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    return code
