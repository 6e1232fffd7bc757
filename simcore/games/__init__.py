"""The games: one line each. What a game must declare is listed in `Game`."""

from __future__ import annotations

import difflib
import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from simcore.declare import Key, Metric, Strategy
from simcore.errors import UsageError

GAMES = {
    "ahoi": "ahoi",
    "skull-king": "skull_king",
    "my-ship-sails": "my_ship_sails",
}
"""Name on the command line, and folder below this one."""


ANY = "play_many"
"""Name of the function in a game's kernel module that plays any match."""


class Game(NamedTuple):
    """What a game's ``rules.py`` declares; every attribute is a module-level name there.

    Attributes
    ----------
    NAME, TITLE
        As on the command line, and for people.
    ABOUT
        One sentence.
    ASSUMED
        Sentences that every report of this game must show: what is assumed.
    MAX_PLAYERS
        The size of every per-seat array.
    Rules, Parameters
        Annotated NamedTuples: the rules, and the parameters of strategies.
    PRESETS
        Name to the fields it sets; the preset named ``classic`` sets all but `players` to the defaults.
    PRESET_NOTES
        Name to what it stands for, one sentence each.
    GROUPS
        The headings under which rules are listed, each with the first rule below it.
    PARTS
        The parts of a strategy (``{"style": "adaptive"}``, or a bid and a play), each with its default.
    STRATEGIES
        Part to its strategies; a strategy's place in the tuple is its number in the kernel.
    COUNTS
        The counts that metrics are per, each with its keys.
    METRICS, KEYS
        The metrics, and what they may be split by.
    check
        Rules to the reasons why they cannot be played together, each a sentence; empty if they can.
    notes
        Rules, and the names of the strategies that play, to remarks that a user should see, such as a number of players
        that the rulebook does not know.
    key_sizes
        Rules to the number of values that each key takes under them.
    TABLES
        Name to shape of the int64 tables that `fold` derives for the kernel; () is a number.
    fold
        Rules to a value (number or nested sequence) for each of TABLES.
    FASTER
        Names of functions in ``kernel.py`` that play some matches faster than ``play_many``, to whether they can play
        rules with strategies.
    LONGEST
        The metric, and CLOSEST, DEFICIT likewise or None, by which ``trace --find`` looks for games.
    """

    NAME: str
    TITLE: str
    ABOUT: str
    ASSUMED: tuple[str, ...]
    MAX_PLAYERS: int
    Rules: Any
    Parameters: Any
    PRESETS: Mapping[str, Mapping[str, Any]]
    PRESET_NOTES: Mapping[str, str]
    GROUPS: Mapping[str, str]
    PARTS: Mapping[str, str]
    STRATEGIES: Mapping[str, tuple[Strategy, ...]]
    COUNTS: Mapping[str, tuple[str, ...]]
    METRICS: tuple[Metric, ...]
    KEYS: Mapping[str, Key]
    check: Callable[[Any], list[str]]
    notes: Callable[..., list[str]]
    key_sizes: Callable[[Any], dict[str, int]]
    TABLES: Mapping[str, tuple[int, ...]]
    fold: Callable[[Any], dict[str, Any]]
    FASTER: Mapping[str, Callable[[Any, Any], bool]]
    LONGEST: str
    CLOSEST: str | None
    DEFICIT: str | None


@functools.cache
def load(name: str) -> Game:
    """Return a game by its name on the command line.

    Raises
    ------
    UsageError
        If there is no such game.
    """
    if name not in GAMES:
        raise UsageError(
            f"there is no game '{name}'.{nearest_game(name)}", f"Games: {', '.join(GAMES)}.", "See 'shipsim rules'."
        )
    module = importlib.import_module(f"simcore.games.{GAMES[name]}.rules")
    return Game(**{attribute: getattr(module, attribute) for attribute in Game._fields})


def nearest_game(word: str) -> str:
    """Return the game whose name or title is nearest to a word, as `errors.nearest` does, or the empty string."""
    spelled = {load(name).TITLE.lower().replace(" ", "-"): name for name in GAMES} | {name: name for name in GAMES}
    slug = word[:100].lower().replace("_", "-").replace(" ", "-")
    close = difflib.get_close_matches(slug, spelled, n=1, cutoff=0.5)
    return f" Did you mean '{spelled[close[0]]}'?" if close else ""


def kernel(name: str) -> Any:
    """Return a game's kernel module; imports numba."""
    return importlib.import_module(f"simcore.games.{GAMES[name]}.kernel")


def kernels(name: str) -> tuple[str, ...]:
    """Return the names of the functions in a game's kernel module that play matches."""
    return (*load(name).FASTER, ANY)


def kernel_for(name: str, rules: Any, seats: Any) -> str:
    """Return the name of the function that plays rules with strategies fastest, if nothing is logged."""
    return next((kernel for kernel, can_play in load(name).FASTER.items() if can_play(rules, seats)), ANY)


def story(name: str) -> Any:
    """Return a game's module that tells a logged match in prose."""
    return importlib.import_module(f"simcore.games.{GAMES[name]}.story")
