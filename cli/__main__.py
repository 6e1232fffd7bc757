"""The installed command, and ``python -m cli``: until the command line is loaded, a signal ends it without a word."""

from __future__ import annotations

import os
import signal
import sys


def run() -> int:
    """Run the command line; before and after it has handlers of its own, a signal ends the process at once."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: os._exit(128 + number))
    from cli.main import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
