"""Golden playthroughs: whole matches, told card by card, that nobody changes unawares.

A file begins with what it was made from, in TOML, then a line of dashes, then the story. To make the
stories anew after a change that is meant, and to see in the diff what it did::

    python -m tests.test_playthroughs --write

A new one begins as a file without a story.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from simcore import games
from simcore.cells import Cell, plan
from simcore.sources import Source, read_rule
from simcore.strategies import read_entries
from simcore.tracing import trace

FOLDER = Path(__file__).parent / "playthroughs"
LINE = "-" * 20
KEYS = {"about", "preset", "strategy", "seed", "game", "rules"}
NO_EVENTS = {
    "ahoi": {"NORMALLY", "DRAWN", "ANSWERING", "JUMPING_IN", "IN_TURN", "FOR_DRAW_CARD", "AS_PENALTY", "AT_LAST_CARD"}
}
"""Names in a game's events.py that are numbers in an event, not the code of one."""
TOLD = [name for name, folder in games.GAMES.items() if (Path(games.__file__).parent / folder / "story.py").exists()]
"""The games that can tell a story."""


class Playthrough(NamedTuple):
    """A file: its header, the cell, seed and game that the header names, and the story."""

    header: str
    cell: Cell
    seed: int
    number: int
    story: str


def paths(name: str) -> list[Path]:
    """Return the files of a game."""
    return sorted((FOLDER / games.GAMES[name]).glob("*.txt"))


def read(path: Path, name: str) -> Playthrough:
    """Read a file."""
    header, _, story = path.read_text(encoding="utf-8").partition(f"{LINE}\n")
    told = tomllib.loads(header)
    assert told.keys() <= KEYS, f"{path.name} has unknown keys"
    game = games.load(name)
    rules = {rule: read_rule(game, rule, value) for rule, value in told.get("rules", {}).items()}
    strategy = read_entries(game, told["strategy"]) if "strategy" in told else ()
    presets = tuple(told["preset"].split("+")) if "preset" in told else ()
    base = Source(path.name, presets=presets, rules=rules, strategy=strategy)
    return Playthrough(header, plan(game, [base]).cells[0], told["seed"], told["game"], story)


def tell(made: Playthrough) -> str:
    """Play a file's match and tell it."""
    return "".join(f"{line}\n" for line in trace(made.cell, made.seed, made.number).lines)


def codes(module: ModuleType, others: set[str]) -> dict[int, str]:
    """Return the codes of a game's events, all numbers but the `others`."""
    numbers = {name: code for name, code in vars(module).items() if name.isupper() and name not in others}
    return {int(code): name for name, code in numbers.items() if isinstance(code, int | np.integer)}


FILES = [pytest.param(name, path, id=f"{name}-{path.stem}") for name in TOLD for path in paths(name)]


@pytest.mark.parametrize(("name", "path"), FILES)
def test_a_match_is_told_as_before(name: str, path: Path) -> None:
    made = read(path, name)
    assert tell(made).splitlines() == made.story.splitlines(), "see the top of this file for what to do"


@pytest.mark.parametrize("name", TOLD)
def test_every_game_has_playthroughs(name: str) -> None:
    assert paths(name), f"put a file into {FOLDER / games.GAMES[name]}"


@pytest.mark.parametrize("name", TOLD)
def test_every_strategy_plays_in_one(name: str) -> None:
    seen = {
        chosen.name for path in paths(name) for seat in read(path, name).cell.seats for chosen in seat.parts.values()
    }
    assert {strategy.name for part in games.load(name).STRATEGIES.values() for strategy in part} <= seen


@pytest.mark.parametrize("name", TOLD)
def test_every_event_happens_in_one(name: str) -> None:
    known = codes(
        __import__(f"simcore.games.{games.GAMES[name]}.events", fromlist=["events"]), NO_EVENTS.get(name, set())
    )
    seen: set[int] = set()
    for path in paths(name):
        made = read(path, name)
        seen |= {event[0] for event in trace(made.cell, made.seed, made.number).events}
    assert {known[code] for code in seen} == set(known.values())


def write() -> None:
    """Tell every match anew."""
    for name in TOLD:
        for path in paths(name):
            made = read(path, name)
            path.write_text(f"{made.header.rstrip()}\n{LINE}\n{tell(made)}", encoding="utf-8")
            print(path)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    write()
