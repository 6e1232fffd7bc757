"""Anything may be typed or stand in a file: it is done or refused in words, with an exit code of the table."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from cli.main import main, shipsim
from simcore.declare import fields
from simcore.errors import ShipsimError
from simcore.games import GAMES, load
from tests.twins import random_value

FEW = settings(max_examples=150, derandomize=True, suppress_health_check=list(HealthCheck), database=None)
MANY = settings(
    max_examples=34_000, suppress_health_check=list(HealthCheck), database=None, phases=[Phase.generate, Phase.shrink]
)

# Commands that read what is given; the others take no rules, or do nothing but play.
COMMANDS = ("simulate", "sweep", "compare", "tournament", "trace", "rules", "strategies", "status", "report", "merge")

CODES: Counter[int] = Counter()


class Planned(ShipsimError):
    """Everything was read, and the playing would begin."""

    exit_code = 0


@pytest.fixture(autouse=True)
def nothing_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def begin(*_: object, **__: object) -> None:
        raise Planned("planned")

    for place in ("simcore.workers.open_workers", "cli.dry_run.show", "cli.playing.compile_game"):
        monkeypatch.setattr(place, begin)
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("SHIPSIM_") and name != "SHIPSIM_CACHE"]:
        monkeypatch.delenv(name)
    CODES.clear()
    yield
    print("exit codes:", dict(CODES))


def attempt(words: list[str]) -> None:
    """Call the command line; a bug, or a code that is not of the table, is an error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    CODES[code] += 1
    assert code in (0, 2, 3), (words, code, err.getvalue())
    if "--debug" in words:
        return
    assert "Traceback" not in err.getvalue() and "a bug of shipsim" not in err.getvalue()
    if code:
        assert err.getvalue().startswith("error: "), (words, err.getvalue())


WORDS = """
= : , + .. / - . 0 1 7 1e9 1/2 3/2 none nan inf pp M 10k 0.1pp .py: dask:a:1 a.b:c threads decided same grid each all
~ nowhere.toml true match_win=1 2..4 1..9/2
"""


def pieces() -> list[str]:
    found = [*WORDS.split(), "9" * 40, "\0", "\x1b[2J", "\u0663", "\ud800", "\u00df", "\u202e"]
    for name in GAMES:
        game = load(name)
        found += [*fields(game.Rules), *game.PRESETS, name]
        found += [strategy.name for part in game.STRATEGIES.values() for strategy in part]
    return found


PIECES = st.sampled_from(pieces())
TEXTS = st.one_of(PIECES, st.text(max_size=20), st.lists(PIECES, max_size=6).map("".join))


def word_of(value: Any) -> Any:
    """Return a rule's value as a file holds it."""
    if isinstance(value, IntEnum):
        return value.name.lower()
    return [word_of(entry) for entry in value] if isinstance(value, tuple) else value


@st.composite
def good_values(draw: Any, name: str, rule: str) -> Any:
    """Return an allowed value of a rule, as a file holds it."""
    field = fields(load(name).Rules)[rule]
    return word_of(random_value(field, draw(st.randoms(use_true_random=False))))


@st.composite
def assignments(draw: Any, name: str | None = None) -> str:
    """RULE=VALUE, right or nearly so."""
    game = load(name or draw(st.sampled_from(sorted(GAMES))))
    rule = draw(st.sampled_from(list(game.Rules._fields)))
    values = draw(st.lists(st.one_of(*3 * [good_values(game.NAME, rule)], PIECES), min_size=1, max_size=4))
    shown = ["+".join(map(str, value)) if isinstance(value, list) else str(value).lower() for value in values]
    return f"{rule}={draw(st.sampled_from(',,+')).join(shown)}"


@st.composite
def command_lines(draw: Any) -> list[str]:
    """Return the words of a command with some of its options."""
    name = draw(st.sampled_from(COMMANDS))
    words = [name]
    game = draw(st.one_of(*4 * [st.sampled_from(sorted(GAMES))], TEXTS))
    if draw(st.booleans()) or name not in ("status", "report", "merge"):
        words.append(game)
    options = [
        parameter
        for parameter in shipsim.commands[name].params
        if isinstance(parameter, click.Option) and parameter.name not in ("json", "debug", "help", "version")
    ]
    for option in draw(st.lists(st.sampled_from(options), max_size=4)):
        words.append(option.opts[-1])
        if not option.is_flag:
            words.append(draw(st.one_of(TEXTS, *2 * [assignments(game if game in GAMES else None)])))
    words += draw(st.lists(st.one_of(TEXTS, assignments()), max_size=1))
    return words


def check_words(words: list[str]) -> None:
    attempt(words)


# Files

SCALARS = st.one_of(
    st.integers(-3, 120), st.floats(-1, 120), st.booleans(), PIECES, st.text(max_size=8), st.just("1970-01-01")
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4), max_leaves=5)


def toml(value: Any) -> str:
    """Return a value as TOML writes it; text without what would have to be escaped."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        if value == "1970-01-01":
            return value
        kept = "".join(c if c.isprintable() and c not in '"\\' else "" for c in value)
        return f'"{kept}"'
    return repr(value)


@st.composite
def tables(draw: Any, head: str, name: str, keys: list[str]) -> str:
    """Return a table with some of the keys, each once; rules have a good value more often than not."""
    lines = [head] if head else []
    for key in draw(st.lists(st.sampled_from(keys), max_size=3, unique=True)):
        is_rule = key in load(name).Rules._fields
        lines.append(f"{key} = {toml(draw(st.one_of(*4 * [good_values(name, key)], VALUES) if is_rule else VALUES))}")
    return "\n".join(lines) + "\n"


@st.composite
def documents(draw: Any, is_study: bool) -> tuple[str, bytes]:
    """Return a game and a file of rules, or a study: right, nearly right, or broken in some place."""
    name = draw(st.sampled_from(sorted(GAMES)))
    rules = list(load(name).Rules._fields)
    text = f'game = "{name}"\n' if draw(st.integers(0, 9)) else draw(tables("", name, ["game", "preset", "strategy"]))
    text += draw(tables("", name, rules)) if draw(st.booleans()) else draw(tables("[rules]", name, rules))
    if is_study:
        for rule in draw(st.lists(st.sampled_from(rules), min_size=1, max_size=2, unique=True)):
            values = draw(st.lists(st.one_of(*4 * [good_values(name, rule)], SCALARS), min_size=1, max_size=3))
            text += f"[[sweep.axis]]\n{rule} = {toml(values)}\n"
    if draw(st.integers(0, 3 if is_study else 20)) == 0:
        keys = ["games", "seed", "precision", "max_games", "max_time", "jobs", "out", "x"]
        text += draw(tables("[run]", name, keys)) + draw(tables("[report]", name, ["figures", "x"]))
        text += draw(tables("[sweep]", name, ["design", "axis"]))
    data = bytearray(text.encode("utf-8", "surrogateescape"))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 3]))):
        data[draw(st.integers(0, len(data) - 1))] = draw(st.integers(0, 255))
    return name, bytes(data)


def check_rules(document: tuple[str, bytes]) -> None:
    name, data = document
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mine.toml")
        path.write_bytes(data)
        attempt(["simulate", name, "--rules", str(path)])


def check_study(document: tuple[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "study.toml")
        path.write_bytes(document[1])
        attempt(["sweep", str(path)])


def inputs(kind: str, how: settings) -> None:
    """Try inputs of a kind."""
    strategy, check = KINDS[kind]
    decorate: Any = given(strategy)
    how(decorate(check))()


KINDS: dict[str, tuple[Any, Callable[[Any], None]]] = {
    "words": (command_lines(), check_words),
    "rules": (documents(False), check_rules),
    "study": (documents(True), check_study),
}


@pytest.mark.parametrize("kind", KINDS)
def test_any_input_is_done_or_refused(kind: str) -> None:
    inputs(kind, FEW)
    # Some are right, some are wrong: else this would test one message.
    assert CODES[0] > 0 and CODES[2] > 20


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_any_of_a_hundred_thousand_inputs_is_done_or_refused(kind: str) -> None:
    inputs(kind, MANY)
    assert sum(CODES.values()) >= 34_000
