"""Which of a game's metrics are drawn and told, and how: figures.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def plan(game: str) -> dict[str, Any]:
    """Return which of a game's metrics are drawn in which kind of figure, and which are told last."""
    text = (Path(__file__).parent / "figures.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text).get(game, {}))
