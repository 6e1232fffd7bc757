"""Bad input on the command line: the exact words, the exit code, and nothing done before."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cli.main import main
from simcore.declare import allowed, fields
from simcore.folders import shell
from simcore.games import load
from simcore.games.my_ship_sails.rules import Rules

GAME = "my-ship-sails"
GAMES = "  Games: ahoi, skull-king, my-ship-sails."
RULES = f"  Rules: {', '.join(Rules._fields)}."
SEE = "  See 'shipsim rules my-ship-sails'."
SEE_STRATEGIES = "  See 'shipsim strategies my-ship-sails'."
COUNTS = "  Values: 1 to 1,000,000,000,000; k, M and G stand for thousands, millions and thousand millions."

# What is typed, and what stands on stderr.
BAD: dict[str, tuple[str, list[str]]] = {
    "no game": ("simulate", ["the game is missing.", GAMES, "  See 'shipsim simulate --help'."]),
    "unknown game": (
        "simulate my-ship-sail",
        ["there is no game 'my-ship-sail'. Did you mean 'my-ship-sails'?", GAMES, "  See 'shipsim rules'."],
    ),
    "unknown command": (
        "simulte",
        [
            "there is no command 'simulte'. Did you mean 'simulate'?",
            "  Commands: simulate, sweep, compare, tournament, claims, trace, rules, strategies, status, report, "
            "merge, calibrate, warm, selftest, completion.",
            "  See 'shipsim --help'.",
        ],
    ),
    "unknown option": (
        f"simulate {GAME} --gmaes 5",
        ["shipsim simulate has no option '--gmaes'. Did you mean '--games'?", "  See 'shipsim simulate --help'."],
    ),
    "option without value": (
        f"sweep {GAME} --vary",
        ["option '--vary' requires an argument.", "  See 'shipsim sweep --help'."],
    ),
    "too many words": (
        f"simulate {GAME} x",
        ["got unexpected extra argument (x).", "  See 'shipsim simulate --help'."],
    ),
    "a title for a game": (
        "sweep mein-schiff-ahoi --vary joker",
        ["there is no game 'mein-schiff-ahoi'. Did you mean 'ahoi'?", GAMES, "  See 'shipsim rules'."],
    ),
    "a title where a run may stand": (
        "compare Mein_Schiff_Ahoi joker=swap joker=none",
        ["'Mein_Schiff_Ahoi' is neither a game nor a run's folder. Did you mean 'ahoi'?", GAMES],
    ),
    "an axis for one rule set": (
        f"simulate {GAME} --vary players=4..6 --games 10k",
        [
            "shipsim simulate has no option '--vary'.",
            f"  Write 'shipsim sweep {GAME} --vary players=4..6 --games 10k'.",
            "  See 'shipsim simulate --help'.",
        ],
    ),
    "an axis for strategies": (
        "tournament ahoi keeper random --vary joker",
        [
            "shipsim tournament has no option '--vary'.",
            "  Rule sets are varied by 'shipsim sweep GAME --vary AXIS'.",
            "  See 'shipsim tournament --help'.",
        ],
    ),
    "a rule without its option": (
        "simulate ahoi joker=swap players=3",
        [
            "got unexpected extra arguments (joker=swap players=3).",
            "  Write --set joker=swap --set players=3.",
            "  See 'shipsim simulate --help'.",
        ],
    ),
    "several values without an option": (
        "simulate ahoi joker=swap,none",
        [
            "got unexpected extra argument (joker=swap,none).",
            "  Several values are played by 'shipsim sweep GAME --vary joker=swap,none'.",
            "  See 'shipsim simulate --help'.",
        ],
    ),
    "an axis without its option": (
        "sweep ahoi players=2..3",
        [
            "got unexpected extra argument (players=2..3).",
            "  Write --vary players=2..3.",
            "  See 'shipsim sweep --help'.",
        ],
    ),
    "values with a blank between": (
        f"sweep {GAME} --vary pass_count=1, 2 --dry-run",
        [
            "got unexpected extra argument (2).",
            "  Values are joined by commas, without blanks: --vary pass_count=1,2.",
            "  See 'shipsim sweep --help'.",
        ],
    ),
    "a value with a blank": (
        f"simulate {GAME} --out my run",
        [
            "got unexpected extra argument (run).",
            '  If that belongs to --out, it needs quotes: --out "my run".',
            "  See 'shipsim simulate --help'.",
        ],
    ),
    "a range with a dash": (
        f"sweep {GAME} --vary players=4-6,8",
        [
            "'4-6' in '--vary players=4-6,8' is not a value of rule 'players'.",
            "  Did you mean the range players=4..6?",
            "  Values: 2..13.",
        ],
    ),
    "no precision": (
        f"simulate {GAME} --precision 0",
        ["--precision: '0' must be above 0.", "  Write --precision 0.1pp, METRIC=0.1pp or METRIC=VALUE."],
    ),
    "no game to learn": (
        "calibrate",
        [
            "the game is missing.",
            "  Games: skull-king, the only one with a strategy that learns.",
            "  See 'shipsim calibrate --help'.",
        ],
    ),
    "unknown rule": (
        f"simulate {GAME} --set passcount=2",
        ["'passcount' is not a rule of my-ship-sails. Did you mean 'pass_count'?", RULES, SEE],
    ),
    "unknown preset": (
        f"simulate {GAME} --preset och",
        [
            "'och' is not a preset of my-ship-sails. Did you mean 'ochse'?",
            f"  Presets: {', '.join(load(GAME).PRESETS)}.",
            SEE,
        ],
    ),
    "unknown strategy": (
        f"simulate {GAME} --strategy stuborn",
        [
            "'stuborn' is not a strategy of my-ship-sails. Did you mean 'stubborn'?",
            "  Strategies: random, stubborn, adaptive, patient, hesitant, watcher.",
            SEE_STRATEGIES,
        ],
    ),
    "unknown parameter": (
        f"simulate {GAME} --strategy adaptive:patience=3",
        ["'patience' is not a parameter of strategy 'adaptive'.", "  Parameters: discard.", SEE_STRATEGIES],
    ),
    "seats that do not fit": (
        f"simulate {GAME} --strategy random+adaptive",
        [
            "strategy 'random+adaptive' names 2 seats, but there are 4 players.",
            "  Give one strategy for all seats, or one a seat joined by +.",
            SEE_STRATEGIES,
        ],
    ),
    "misspelt value": (
        f"simulate {GAME} --set direction=lef",
        [
            "'lef' is not a value of rule 'direction'. Did you mean 'left'?",
            "  Values: left, right, alternate_rounds, alternate_passes.",
            "  See 'shipsim rules my-ship-sails direction'.",
        ],
    ),
    "set twice": (
        f"simulate {GAME} --set players=5 --set players=6",
        ["rule 'players' is set twice: --set players=5 and --set players=6.", "  Leave one of them out."],
    ),
    "set and varied": (
        f"sweep {GAME} --set players=5 --vary players=4..6",
        ["rule 'players' is both set and varied: --set players=5 and --vary players=4..6.", "  Leave one of them out."],
    ),
    "range backwards": (
        f"sweep {GAME} --vary players=7..4",
        ["the range '7..4' in '--vary players=7..4' runs backwards.", "  Write players=4..7."],
    ),
    "linked axes of unequal length": (
        f"sweep {GAME} --vary players:hand_size=4:7,5",
        [
            "'5' in '--vary players:hand_size=4:7,5' gives 1 of the 2 linked values.",
            "  Write players:hand_size=VALUE:VALUE,VALUE:VALUE.",
        ],
    ),
    "equal cells": (
        f"sweep {GAME} --vary call_speed=1,1+1+1+1",
        [
            "two cells have equal rules and strategies: call_speed=1 and call_speed=1+1+1+1.",
            "  Leave one of them out.",
        ],
    ),
    "deck too small": (
        f"simulate {GAME} --set players=8",
        [
            "these rules cannot be played: 8 players with hand_size 7 need 56 cards, the standard deck has 52: "
            "4 missing.",
            SEE,
        ],
    ),
    "no cell left": (
        f"sweep {GAME} --vary players=8,9",
        [
            "no cell is left: none of the 2 combinations can be played.",
            "  8 players with hand_size 7 need 56 cards, the standard deck has 52: 4 missing.",
            "  9 players with hand_size 7 need 63 cards, the standard deck has 52: 11 missing.",
            SEE,
        ],
    ),
    "nothing varied": (
        f"sweep {GAME}",
        [
            "nothing is varied.",
            "  Write --vary RULE=VALUE,VALUE; one rule set is played by 'shipsim simulate my-ship-sails'.",
            "  See 'shipsim sweep --help'.",
        ],
    ),
    "no design": (
        f"sweep {GAME} --vary players=4,5 --design grit",
        ["--design: 'grit' is not a design. Did you mean 'grid'?", "  Values: grid, each."],
    ),
    "no games": (f"simulate {GAME} --games 0", ["--games: '0' is out of bounds.", COUNTS]),
    "too many games": (f"simulate {GAME} --games 2000G", ["--games: '2000G' is out of bounds.", COUNTS]),
    "games in words": (
        f"simulate {GAME} --games 10m",
        ["--games: '10m' is not a number. Did you mean '10M'?", COUNTS, "  Write 100000, 2.5k, 10M or 1e6."],
    ),
    "no jobs": (
        f"simulate {GAME} --jobs 0",
        ["--jobs: '0' is not a number of jobs.", "  Values: 1 to 1024, auto."],
    ),
    "no seed": (
        f"simulate {GAME} --seed randm",
        ["--seed: 'randm' is not a seed. Did you mean 'random'?", "  Values: 0 to 18446744073709551615, random."],
    ),
    "no file": (
        f"simulate {GAME} --rules nowhere.toml",
        [
            "the file 'nowhere.toml' does not exist.",
            "  See 'shipsim rules GAME --toml' for a file to begin with.",
        ],
    ),
    "resume with a game": (
        f"sweep {GAME} --resume there",
        [
            "--resume takes no GAME: a run goes on with the rules it was begun with.",
            "  Write 'shipsim sweep --resume there', with --games N for more games.",
        ],
    ),
    "resume with an axis": (
        "sweep --resume there --vary players=4,5",
        [
            "--resume takes no --vary: a run goes on with the rules it was begun with.",
            "  Write 'shipsim sweep --resume there', with --games N for more games.",
        ],
    ),
    "neither game nor run": (
        "trace my-ship",
        ["'my-ship' is neither a game nor a run's folder. Did you mean 'my-ship-sails'?", GAMES],
    ),
    "nothing to find": (
        f"trace {GAME} --find longst",
        [
            "'longst' is nothing to find in my-ship-sails. Did you mean 'longest'?",
            "  Values:",
            "    longest: most passes (passes (or laps) of a round that ended with a call; other rounds count nothing)",
        ],
    ),
    "find and game": (
        f"trace {GAME} --find longest --game 3",
        ["--game and --find do not go together.", "  Leave one of them out."],
    ),
    "cell of a game": (
        f"trace {GAME} --cell x",
        ["--cell belongs to a run, and 'my-ship-sails' is none.", "  Give a run's folder."],
    ),
    "rule to explain": (
        f"rules {GAME} overlok",
        ["'overlok' is not a rule of my-ship-sails. Did you mean 'overlook'?", RULES, SEE],
    ),
    "kind of figure": (
        "report run --figures jpg",
        [
            "--figures: 'jpg' is not a kind of file. Did you mean 'png'?",
            "  Values: png, svg; several joined by commas.",
        ],
    ),
    "unknown shell": (
        "completion bsh",
        [
            "'bsh' is not a known shell. Did you mean 'bash'?",
            "  Values: bash, zsh, fish.",
            "  See 'shipsim completion --help'.",
        ],
    ),
}


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", BAD)
def test_bad_input_says_what_and_where_and_what_to_do(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line, message = BAD[name]
    assert main(line.split()) == 2
    shown = capsys.readouterr()
    assert shown.err == "error: " + "\n".join(message) + "\n"
    assert shown.out == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("rule", [f for f in fields(Rules).values() if f.rule.span is not None], ids=lambda f: f.name)
def test_every_rule_out_of_bounds(rule: object, capsys: pytest.CaptureFixture[str]) -> None:
    field = fields(Rules)[rule.name]  # type: ignore[attr-defined]
    span = field.rule.span
    assert span is not None
    numbers = [span.low if span.above else span.low - 1, span.high + 1]
    for value in (f"{number:g}" for number in numbers):
        assert main(["simulate", GAME, "--set", f"{field.name}={value}"]) == 2
        assert capsys.readouterr().err == (
            f"error: '{value}' is not a value of rule '{field.name}'.\n"
            f"  Values: {allowed(field)}.\n"
            f"  See 'shipsim rules my-ship-sails {field.name}'.\n"
        )


def test_everything_wrong_is_named_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    line = (
        f"sweep {GAME} --vary players=7..4 --set pass_count=9 --set trim=x --games x --seed x --jobs x --out {__file__}"
    )
    assert main(line.split()) == 2
    errors = [text for text in capsys.readouterr().err.splitlines() if text.startswith("error: ")]
    assert len(errors) == 7


def test_a_broken_file_of_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.toml").write_text("players = 4\npass_count == 2\n")
    assert main(["simulate", GAME, "--rules", "broken.toml"]) == 2
    assert capsys.readouterr().err.startswith("error: broken.toml, line 2: this is not TOML: ")
    Path("wrong.toml").write_text("players = 99\n[rules]\npass_cout = 2\n")
    assert main(["simulate", GAME, "--rules", "wrong.toml"]) == 2
    assert capsys.readouterr().err == (
        "error: wrong.toml: '99' is not a value of rule 'players'.\n  Values: 2..13.\n"
        "  See 'shipsim rules my-ship-sails players'.\n"
        "error: wrong.toml: 'pass_cout' is not a rule of my-ship-sails. Did you mean 'pass_count'?\n"
        f"{RULES}\n{SEE}\n"
    )


def out_errors(folder: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["sweep", GAME, "--vary", "players=4,5", "--games", "10", "--out", folder, "-q"]) == 2
    return capsys.readouterr().err


def test_an_out_that_exists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "letter").write_text("dear")
    assert out_errors("there", capsys) == (
        "error: 'there' exists already, and is no run's folder, with which --resume could go on.\n"
        "  Use --out there-2.\n"
    )
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["letter"]
    (tmp_path / "there-2").mkdir()
    assert "  Use --out there-3.\n" in out_errors("there", capsys)
    assert "  Use another --out.\n" in out_errors("..", capsys)


def test_the_commands_for_a_run_that_exists_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["sweep", GAME, "--vary", "players=4,5", "--games", "10", "-q", "--out"]
    assert main([*line, "my runs/0.1"]) == 0
    first, *hints = out_errors("my runs/0.1", capsys).splitlines()
    assert first == "error: 'my runs/0.1' exists already."
    resume, another, remove = (shlex.split(hint.replace("'", "").replace(";", "")) for hint in hints)
    assert resume[1:5] == ["shipsim", "sweep", "--resume", "my runs/0.1"] and main([*resume[2:5], "-q"]) == 0
    assert another[1:3] == ["--out", "my runs/0.1-2"] and main([*line, another[2]]) == 0
    assert remove[1:4] == ["rm", "-r", "my runs/0.1"]
    subprocess.run(remove[1:4], check=True)
    assert main([*line, "my runs/0.1"]) == 0


def test_an_out_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("dear")
    assert out_errors("file", capsys) == "error: the folder 'file' is a file.\n  Use another --out.\n"
    assert out_errors("file/run", capsys) == "error: 'file', above 'file/run', is a file.\n  Use another --out.\n"
    assert (tmp_path / "file").read_text() == "dear"


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that nobody can write to")
def test_an_out_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert out_errors("/proc/run", capsys) == (
        "error: the folder '/proc/run' cannot be made: No such file or directory.\n  Use another --out.\n"
    )


def test_errors_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    for line, code in (("--json simulate nothing", 2), ("status nothing --json", 3), ("simulte --json", 2)):
        assert main(line.split()) == code
        shown = capsys.readouterr()
        found = json.loads(shown.out)
        assert (found["status"], found["exit_code"], found["results"]) == ("error", code, [])
        assert shown.err == f"error: {found['error']}\n"


def test_a_bug_is_one_line_and_a_traceback_only_for_debug(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("cli.warm.load", fail)
    assert main(["warm", GAME]) == 1
    line = "error: this is a bug of shipsim: ZeroDivisionError: oh. Please report it with the output of --debug.\n"
    assert capsys.readouterr().err == line
    assert main(["warm", GAME, "--debug"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("Traceback") and shown.endswith(line)


def test_commands_in_messages_are_quoted_so_that_a_shell_takes_them() -> None:
    for word in ("my runs/x", "it's", 'say "x"', "$HOME", "a`b`", "plain", "back\\slash", "wow!", "*"):
        line = shell("report", word)
        told = subprocess.run(
            ["bash", "-c", f"printf '%s' {line.removeprefix('shipsim report ')}"], capture_output=True
        )
        assert told.stdout.decode() == word
    assert shell("report", "my runs/x") == 'shipsim report "my runs/x"'
    assert shell("report", Path("-x")) == "shipsim report ./-x" and shell("report", "-x") == "shipsim report -x"
