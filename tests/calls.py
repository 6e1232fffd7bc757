"""Calling the command line in a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Shown(NamedTuple):
    """What a call gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The object on stdout."""
        return json.loads(self.out)


Call = Callable[[str], Shown]
