"""The event log: what a kernel writes down of a match so that it can be told.

A log is an int32 array of shape (rows, 8); shape (0, 8) means that nothing is logged. Row 0 is the
header: the number of events so far (also those that found no room), the rest unused. Each event is one
row: its code and up to seven numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.jit import jit, jit_small

WIDTH = 8

DONE = 0
"""Status of a kernel that played everything it was asked to, or as much as the stop flag let it."""
ILLEGAL_CHOICE = 1
"""Status: a user's own strategy chose an option that does not exist."""
LOG_FULL = 2
"""Status: the log was too short for the match; it is to be played again with a longer one."""


@jit
def clear(log: Any) -> None:
    """Forget all events."""
    if log.shape[0] > 0:
        log[0, 0] = 0


@jit
def _append(log: Any, code: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any) -> None:
    log[0, 0] += 1
    row = log[0, 0]
    if row < log.shape[0]:
        log[row, 0] = code
        log[row, 1] = a
        log[row, 2] = b
        log[row, 3] = c
        log[row, 4] = d
        log[row, 5] = e
        log[row, 6] = f
        log[row, 7] = g


@jit_small
def event(
    log: Any, code: Any, a: Any = 0, b: Any = 0, c: Any = 0, d: Any = 0, e: Any = 0, f: Any = 0, g: Any = 0
) -> None:
    """Append an event if the log is on and has room; count it in any case."""
    # The test is compiled into the caller, so that a log which is off costs no call.
    if log.shape[0] > 0:
        # Casts spare the compiler a variant of _append for each combination of types.
        _append(
            log,
            np.int64(code),
            np.int64(a),
            np.int64(b),
            np.int64(c),
            np.int64(d),
            np.int64(e),
            np.int64(f),
            np.int64(g),
        )


@jit
def is_full(log: Any) -> Any:
    """Whether events were lost."""
    return log.shape[0] > 0 and log[0, 0] >= log.shape[0]
