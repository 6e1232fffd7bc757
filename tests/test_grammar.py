"""What users type: every form of the grammar, and the exact words with which it refuses the rest."""

from __future__ import annotations

import math
import subprocess
import sys
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli import grammar
from simcore.axes import shown
from simcore.cells import plan
from simcore.declare import Field, allowed, fields
from simcore.errors import ManyErrors, ShipsimError, UsageError
from simcore.games import GAMES, Game, load
from simcore.sources import from_settings

SHIP = load("my-ship-sails")
AHOI = load("ahoi")
SKULL = load("skull-king")

SPEEDS = (
    "Values: any number above 0; one for all seats, or one a seat joined by +.\n"
    "  See 'shipsim rules my-ship-sails call_speed'."
)
"""The hints below a wrong `call_speed`."""


def refusal(call: Any, *arguments: Any, **named: Any) -> str:
    with pytest.raises(UsageError) as caught:
        call(*arguments, **named)
    return str(caught.value)


def words(game: Game, text: str) -> list[str]:
    axis = grammar.parse_axis(game, text)
    return [":".join(shown(game, n, v) for n, v in zip(axis.names, row, strict=True)) for row in axis.values]


@pytest.mark.parametrize(
    ("game", "text", "values"),
    [
        (SHIP, "players=2..6", ["2", "3", "4", "5", "6"]),
        (SHIP, "hand_size=5..11/2", ["5", "7", "9", "11"]),
        (SHIP, "hand_size=5..10/2", ["5", "7", "9"]),
        (SHIP, "hand_size=7..7", ["7"]),
        (SHIP, "hand_size=3,5..7,9", ["3", "5", "6", "7", "9"]),
        (SHIP, "overlook=0..0.5/0.1", ["0", "0.1", "0.2", "0.3", "0.4", "0.5"]),
        (SHIP, "overlook=0.7..1/0.1", ["0.7", "0.8", "0.9", "1"]),
        (SHIP, "overlook=0..1", ["0", "1"]),
        (SHIP, "overlook=1e-2..3e-2/1e-2", ["0.01", "0.02", "0.03"]),
        (SHIP, "call_speed=1e300", ["1e300"]),
        (SHIP, "call_speed=1..3", ["1", "2", "3"]),
        (SHIP, "call_speed=1+1+1+1,2+1+1+1", ["1+1+1+1", "2+1+1+1"]),
        (SHIP, "trim=none,lowest", ["none", "lowest"]),
        (SHIP, "direction=alternate-rounds,LEFT", ["alternate_rounds", "left"]),
        (SHIP, "trim", ["lowest", "highest", "none"]),
        (AHOI, "joker", ["swap", "colour", "swap_must", "swap_next", "rotate", "dump_colour", "skip_all", "none"]),
        (AHOI, "draw_colour_loses_turn", ["true", "false"]),
        (AHOI, "draw_count=1..3,until_playable", ["1", "2", "3", "until_playable"]),
        (SHIP, "players:hand_size=3:7,4:6,5:5", ["3:7", "4:6", "5:5"]),
        (SHIP, "players:strategy=4:patient:discard=newest,5:random", ["4:patient:discard=newest", "5:random"]),
        (SHIP, "preset=classic,whole-deck,pass-two+whole-deck", ["classic", "whole-deck", "pass-two+whole-deck"]),
        (AHOI, "strategy=random,keeper+random+random+random", ["random", "keeper+random+random+random"]),
        (SHIP, "strategy=patient:discard=shortest:patience=3", ["patient:patience=3"]),
        (SKULL, "rounds=classic,2+2+4+4,broadside", ["classic", "2+2+4+4", "broadside"]),
        (SKULL, "strategy=count/contract,random/counter", ["count/contract", "random/counter"]),
    ],
)
def test_axis(game: Game, text: str, values: list[str]) -> None:
    assert words(game, text) == values
    assert grammar.parse_axis(game, text).where == f"--vary {text}"


def test_decimal_steps_are_the_nearest_floats() -> None:
    values = [row[0] for row in grammar.parse_axis(SHIP, "overlook=0..1/0.001").values]
    assert values == [float(f"0.{k:03}") if k < 1000 else 1.0 for k in range(1001)]


def test_path_of_a_strategy_is_not_a_range() -> None:
    # Own strategies are read elsewhere; whatever becomes of the path, its dots and colons reach the reader.
    with pytest.raises(ShipsimError) as caught:
        grammar.parse_axis(SHIP, "strategy=../bots/my.py:cautious,random")
    assert "range" not in str(caught.value)


RULES = "Rules: " + ", ".join([*fields(SHIP.Rules), "preset", "strategy"]) + "."
SEE = "See 'shipsim rules my-ship-sails'."
STRATEGIES = (
    "Strategies: random, stubborn, adaptive, patient, hesitant, watcher.\n  See 'shipsim strategies my-ship-sails'."
)
PLAYERS = "Values: 2..13.\n  See 'shipsim rules my-ship-sails players'."
TRIM = "Values: lowest, highest, none.\n  See 'shipsim rules my-ship-sails trim'."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trim=lowst", f"'lowst' is not a value of rule 'trim'. Did you mean 'lowest'?\n  {TRIM}"),
        ("trim=", "'--vary trim=' gives no values.\n  Write trim=VALUE,VALUE."),
        ("trim=,", "'--vary trim=,' has an empty value: two commas, or one at an end.\n  Leave it out."),
        ("trim=none,none", "the value 'none' stands twice in --vary trim=none,none."),
        ("call_speed=1,1.0", "the value '1' stands twice in --vary call_speed=1,1.0."),
        ("trim=none..lowest", f"'none..lowest' is a range, but the values of rule 'trim' are words.\n  {TRIM}"),
        ("trm=none", f"'trm' is not a rule of my-ship-sails. Did you mean 'trim'?\n  {RULES}\n  {SEE}"),
        ("pass-count", f"'pass-count' is not a rule of my-ship-sails. Did you mean 'pass_count'?\n  {RULES}\n  {SEE}"),
        ("", "'--vary ' names no rule.\n  Write RULE=VALUE,VALUE.\n  See 'shipsim sweep --help'."),
        ("=3", "'--vary =3' names no rule.\n  Write RULE=VALUE,VALUE.\n  See 'shipsim sweep --help'."),
        ("players=6..2", "the range '6..2' in '--vary players=6..2' runs backwards.\n  Write players=2..6."),
        ("players=6..2/2", "the range '6..2/2' in '--vary players=6..2/2' runs backwards.\n  Write players=2..6/2."),
        (
            "players=2..6/0",
            "the step of '2..6/0' in '--vary players=2..6/0' must be above 0.\n  Write LOW..HIGH/STEP.",
        ),
        (
            "players=2..6/-1",
            "the step of '2..6/-1' in '--vary players=2..6/-1' must be above 0.\n  Write LOW..HIGH/STEP.",
        ),
        (
            "players=2..",
            "'2..' in '--vary players=2..' is not a range.\n  Write LOW..HIGH or LOW..HIGH/STEP, in digits.\n"
            "  Values: 2..13.",
        ),
        ("players=2..6/0.5", f"'2..6/0.5' has fractions, but rule 'players' takes whole numbers.\n  {PLAYERS}"),
        ("players=1..4", f"'1' is not a value of rule 'players'.\n  {PLAYERS}"),
        ("players=2..14", f"'14' is not a value of rule 'players'.\n  {PLAYERS}"),
        ("players=4.0", f"'4.0' is not a value of rule 'players'.\n  {PLAYERS}"),
        ("players=true", f"'true' is not a value of rule 'players'.\n  {PLAYERS}"),
        ("players=4+5", f"'4+5' is not a value of rule 'players'.\n  {PLAYERS}"),
        (
            "overlook=0..0.5",
            "'0..0.5' in '--vary overlook=0..0.5' needs a step, since its ends are not whole.\n"
            "  Write overlook=0..0.5/0.1, for instance.",
        ),
        (
            "max_passes=1..100000",
            "'--vary max_passes=1..100000' has 100,000 values; at most 10,000 are allowed.\n  Take a larger step.",
        ),
        (
            "overlook=0..1/1e-999",
            "'--vary overlook=0..1/1e-999' has more than 1,000,000,000 values; at most 10,000 are allowed.\n"
            "  Take a larger step.",
        ),
        ("call_speed=0", f"'0' is not a value of rule 'call_speed'.\n  {SPEEDS}"),
        ("call_speed=1+nan", f"'nan' is not a value of rule 'call_speed'.\n  {SPEEDS}"),
        (
            "call_speed=" + "+".join("1" * 14),
            f"rule 'call_speed' takes 1 to 13 entries, not 14.\n  {SPEEDS}",
        ),
        (
            "players",
            "rule 'players' is neither a choice nor a truth value, so name the values.\n"
            "  Write players=VALUE,VALUE or players=LOW..HIGH.\n  See 'shipsim rules my-ship-sails players'.",
        ),
        (
            "strategy",
            "there is no list of all strategies, so name the values.\n  Write strategy=VALUE,VALUE.\n"
            "  See 'shipsim strategies my-ship-sails'.",
        ),
        (
            "preset",
            f"there is no list of all presets, so name the values.\n  Write preset=VALUE,VALUE.\n  {SEE}",
        ),
        ("players:players=3:4", "axis 'players:players' names 'players' twice."),
        (
            "players:hand_size=3:7,4",
            "'4' in '--vary players:hand_size=3:7,4' gives 1 of the 2 linked values.\n"
            "  Write players:hand_size=VALUE:VALUE,VALUE:VALUE.",
        ),
        (
            "players:hand_size=3:",
            "'3:' in '--vary players:hand_size=3:' gives 1 of the 2 linked values.\n"
            "  Write players:hand_size=VALUE:VALUE,VALUE:VALUE.",
        ),
        (
            "players:hand_size=4:7:8",
            "'7:8' is not a value of rule 'hand_size'.\n  Values: 3..13.\n"
            "  See 'shipsim rules my-ship-sails hand_size'.",
        ),
        (
            "players:hand_size=2..3:7",
            "'2..3' in '--vary players:hand_size=2..3:7' is a range, which linked rules do not take.\n"
            "  Write each value.",
        ),
        (
            "players:hand_size",
            "'--vary players:hand_size' gives no values for its linked rules.\n"
            "  Write players:hand_size=VALUE:VALUE,VALUE:VALUE.",
        ),
        (
            "preset=ochs",
            f"'ochs' is not a preset of my-ship-sails. Did you mean 'ochse'?\n"
            f"  Presets: {', '.join(SHIP.PRESETS)}.\n  {SEE}",
        ),
        ("strategy=patent", f"'patent' is not a strategy of my-ship-sails. Did you mean 'patient'?\n  {STRATEGIES}"),
    ],
)
def test_axis_refused(text: str, message: str) -> None:
    assert refusal(grammar.parse_axis, SHIP, text) == message


def test_range_of_a_list_is_refused() -> None:
    assert refusal(grammar.parse_axis, SKULL, "rounds=1..10").splitlines()[0] == (
        "'1..10' is a range, but rule 'rounds' is a list."
    )


def test_long_text_is_shortened() -> None:
    message = refusal(grammar.parse_axis, SHIP, "players=" + "9" * 100_000)
    assert message == f"'{'9' * 67}...' is not a value of rule 'players'.\n  {PLAYERS}"
    assert "\x1b" not in refusal(grammar.parse_axis, SHIP, "\x1b[31mplayers=4")


def test_too_many_values() -> None:
    text = "max_passes=" + ",".join(map(str, range(1, 10_002)))
    assert refusal(grammar.parse_axis, SHIP, text).endswith("has too many values.\n  An axis may have 10,000.")
    text = "max_passes=1..6000,6001..12000"
    assert refusal(grammar.parse_axis, SHIP, text) == (
        f"'--vary {text}' has 12,000 values; at most 10,000 are allowed.\n  Take a larger step."
    )


def test_all_errors_are_named_at_once() -> None:
    with pytest.raises(ManyErrors) as caught:
        grammar.parse_axes(SHIP, ["trm=none", "trim=lowst,hihgest", "players=4"])
    assert [error.message for error in caught.value.errors] == [
        "'trm' is not a rule of my-ship-sails. Did you mean 'trim'?",
        "'lowst' is not a value of rule 'trim'. Did you mean 'lowest'?",
        "'hihgest' is not a value of rule 'trim'. Did you mean 'highest'?",
    ]


def numeric(game: Game) -> list[Field]:
    kinds = [field for field in fields(game.Rules).values() if field.rule.span is not None]
    assert len(kinds) > 5
    return kinds


@pytest.mark.parametrize("name", GAMES)
def test_bounds_of_every_rule(name: str) -> None:
    game = load(name)
    for field in numeric(game):
        span = field.rule.span
        assert span is not None
        one = span.step if field.kind is int else 0.25
        inside = [span.high] if span.high != math.inf else [12345.5]
        outside = [span.high + one] if span.high != math.inf else []
        (outside if span.above else inside).append(span.low)
        outside.append(span.low - one)
        for number in inside:
            text = f"{number:.0f}" if field.kind is int else repr(number)
            value = from_settings(game, [(field.name, text)]).rules[field.name]
            assert (value[0] if field.rule.length else value) == number, field.name
            assert grammar.parse_axis(game, f"{field.name}={text}").values == ((value,),)
        for number in outside:
            text = f"{number:.0f}" if field.kind is int else repr(number)
            message = f"'{text}' is not a value of rule '{field.name}'."
            hints = f"\n  Values: {allowed(field)}.\n  See 'shipsim rules {name} {field.name}'."
            assert refusal(grammar.parse_axis, game, f"{field.name}={text}") == message + hints
            assert refusal(grammar.parse_base, game, settings=[f"{field.name}={text}"]) == message + hints


@pytest.mark.parametrize("name", GAMES)
def test_words_of_every_rule(name: str) -> None:
    game = load(name)
    for field in fields(game.Rules).values():
        if field.rule.span is not None:
            continue
        members = [m.name.lower() for m in field.kind] if issubclass(field.kind, IntEnum) else ["true", "false"]
        assert sorted(words(game, field.name)) == sorted(members)
        assert words(game, f"{field.name}={','.join(members)}") == members
        message = refusal(grammar.parse_axis, game, f"{field.name}=xyzzy")
        assert message.startswith(f"'xyzzy' is not a value of rule '{field.name}'.")
        assert message.endswith(f"\n  Values: {allowed(field)}.\n  See 'shipsim rules {name} {field.name}'.")


def test_base() -> None:
    base = grammar.parse_base(SHIP, ["ochse", "pass-two+pass-right"], (), ["overlook=0.5"], "random")
    assert [source.where for source in base] == ["--preset", "--set", "--strategy"]
    cell = plan(SHIP, base).cells[0]
    assert (cell.rules.hand_size, cell.rules.pass_count, cell.rules.overlook) == (8, 2, 0.5)
    assert [str(seat) for seat in cell.seats] == ["random"] * 4


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"settings": ["trim"]}, "'--set trim' is not of the form RULE=VALUE.\n  Write --set trim=VALUE."),
        ({"settings": ["=3"]}, "'--set =3' is not of the form RULE=VALUE.\n  Write --set RULE=VALUE."),
        ({"settings": ["trim="]}, "'--set trim=' gives no value.\n  Write --set trim=VALUE."),
        (
            {"settings": ["pass_count=1", "pass_count=2"]},
            "rule 'pass_count' is set twice: --set pass_count=1 and --set pass_count=2.\n  Leave one of them out.",
        ),
        (
            {"settings": ["trim=none,lowest"]},
            f"'none,lowest' is not a value of rule 'trim'. Did you mean 'lowest'?\n  {TRIM}\n"
            "  To try several values: --vary trim=none,lowest.",
        ),
        (
            {"settings": ["strategy=random"]},
            "'strategy' is not a rule of my-ship-sails.\n  Use --strategy instead of --set.",
        ),
        (
            {"presets": ["pass-too"], "settings": ["trim=lowst"], "strategy": "patent"},
            "'pass-too' is not a preset of my-ship-sails. Did you mean 'pass-two'?\n"
            f"  Presets: {', '.join(SHIP.PRESETS)}.\n  {SEE}\n"
            f"'lowst' is not a value of rule 'trim'. Did you mean 'lowest'?\n  {TRIM}\n"
            f"'patent' is not a strategy of my-ship-sails. Did you mean 'patient'?\n  {STRATEGIES}",
        ),
        (
            {"strategy": "random:discard=newest"},
            "'discard' is not a parameter of strategy 'random'.\n  'random' takes no parameters.\n"
            "  See 'shipsim strategies my-ship-sails'.",
        ),
    ],
)
def test_base_refused(named: dict[str, Any], message: str) -> None:
    assert refusal(grammar.parse_base, SHIP, **named) == message


PIECES = st.sampled_from(
    [*fields(SHIP.Rules), "preset", "strategy", "=", ":", ",", "+", "..", "/", "-", ".", "0", "1", "7", "1e9", "9" * 40,
     "none", "true", "classic", "ochse", "random", "patient", "discard", "newest", ".py:", "nan", "inf", "pp", "M", "m"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=12).map("".join))


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.sampled_from(sorted(GAMES)))
def test_any_text_is_read_or_refused(text: str, name: str) -> None:
    game = load(name)
    calls: list[tuple[Any, ...]] = [
        (grammar.parse_axis, game, text),
        (grammar.parse_base, game, [text], (), [text], text),
        (grammar.parse_count, text),
        (grammar.parse_duration, text),
        (grammar.parse_target, game, text),
    ]
    for call, *arguments in calls:
        try:
            call(*arguments)
        except ShipsimError as error:
            assert error.exit_code == 2
            assert str(error).isascii() or not text.isascii()


def test_nothing_heavy_is_imported() -> None:
    code = (
        "import sys, cli.grammar, simcore.cells, simcore.games as g; [g.load(n) for n in g.GAMES];"
        "print([m for m in ('numpy', 'numba', 'pandas', 'scipy', 'rich', 'click', 'matplotlib') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.strip() == "[]"
    assert Path(grammar.__file__).read_text(encoding="utf-8").count("import click") == 0
