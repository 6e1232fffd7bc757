"""Events noted during play, in the state, from where they go into the event log.

The log is an array that numba counts references to at every call it is handed to, which would cost more
than the game. So the parts of the kernel that play do not know it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.jit import jit_part
from simcore.log import event

NONE = np.int64(0)
CAPACITY = 4096
"""Events noted between two flushes at most: no turn has so many, since no card is drawn twice in it."""


@jit_part
def note(state: Any, code: Any, a: Any, b: Any = NONE, c: Any = NONE, d: Any = NONE) -> None:
    """Note an event, if anybody wants to know."""
    if state["is_logged"] != 0 and state["notes"] < CAPACITY:
        row = state["notes"]
        state["noted"][row, 0] = code
        state["noted"][row, 1] = a
        state["noted"][row, 2] = b
        state["noted"][row, 3] = c
        state["noted"][row, 4] = d
        state["notes"] = row + 1


@jit_part
def flush(state: Any, log: Any) -> None:
    """Move what was noted into the log."""
    noted = state["noted"]
    for row in range(state["notes"]):
        event(log, noted[row, 0], noted[row, 1], noted[row, 2], noted[row, 3], noted[row, 4])
    state["notes"] = 0
