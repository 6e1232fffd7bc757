"""How to do a run again: its command as it would have to be given, or what stands for one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from simcore.errors import plural

UNITS = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
USUAL = {"--games": 100_000, "--max-games": 100_000_000, "--seed": 1}
"""What options are where nothing names them."""


def command(manifest: Mapping[str, Any]) -> str:
    """Return the command that gives a run, which may have gone on since it was begun; nothing if there was none."""
    shards: Any = manifest.get("merged")
    said: Any = manifest.get("command")
    if isinstance(shards, list) and shards and isinstance(shards[0], dict):
        # The parts were played one by one; all of it is played by the command of one that is no part.
        said = re.sub(r" --(?:shard|out)(?:=| +)\S+", "", str(shards[0].get("command") or ""))
    said = " ".join(map(str, said)) if isinstance(said, list) else str(said or "")
    if not said:
        return ""
    stopping = manifest.get("stopping")
    if isinstance(stopping, dict):
        said = _with(said, "--max-games", stopping.get("max_games"))
    else:
        said = _with(said, "--games", manifest.get("games"))
    return _with(said, "--seed", manifest.get("seed"))


def _with(said: str, option: str, value: Any) -> str:
    """Return a command with a value of an option that may have become another since."""
    if not isinstance(value, int):
        return said
    given = re.compile(rf"(?<= {option})(=| +)(\S+)")
    found = given.findall(said)
    have = _count(found[-1][1]) if found else USUAL[option]
    if have == value:
        return said
    return given.sub(rf"\g<1>{value}", said) if found else f"{said} {option} {value}"


def _count(text: str) -> Fraction | None:
    """Return a number as the command line takes it; None for anything else, such as a random seed."""
    parts = re.fullmatch(r"([\d.,_]+(?:e\d+)?)([kKMG]?)", text)
    try:
        return Fraction(re.sub("[,_]", "", parts[1])) * UNITS[parts[2]] if parts else None
    except ValueError:
        return None


def remarks(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what is to be said besides the command, as names and texts."""
    found = []
    games, seed = manifest.get("games"), manifest.get("seed")
    if not command(manifest) and isinstance(games, int):
        found.append(
            (
                "Saved from Python",
                f"simcore.sweep with seed={seed} and games={games}; the complete rules and strategies of "
                f"{plural(len(manifest['cells']), 'rule set')} are in manifest.json",
            )
        )
    if manifest.get("reproducible") is False:
        found.append(("Stopped by the time", "the same command ends elsewhere"))
    return found
