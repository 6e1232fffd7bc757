"""What ends on the terminal: short tables, findings in sentences, and the next commands; nothing wider than it is."""

from __future__ import annotations

import math
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from cli import streams
from cli.main import main
from cli.numbers import seen_half_width
from cli.streams import Streams, Table, aligned, command_line, wrapped
from cli.tables import seats_words, varied_words
from reports.load import open_run
from reports.page import make_page
from tests.calls import Call, Shown

GAME = "my-ship-sails"
HEAD = "Findings, the largest effect first:"


def findings(shown: Shown) -> list[str]:
    """Return the findings on stdout, each in one line."""
    _, _, told = shown.out.partition(HEAD)
    return [" ".join(text.split()) for text in told.split("\n- ")[1:]]


def on_page(run: str) -> list[str]:
    return [found["text"] for found in make_page(open_run(Path(run))).findings]


def test_a_sweep_ends_with_the_findings_of_its_page_and_the_next_commands(call: Call) -> None:
    shown = call(f"sweep {GAME} --vary pass_count=1,2 --vary players=4,5 --games 2k --out run")
    assert shown.code == 0 and 3 <= len(findings(shown)) <= 7
    assert findings(shown) == on_page("run")
    assert max(map(len, shown.out.splitlines())) <= 80
    header, first, second, third, *_ = shown.out.splitlines()
    assert header.split()[-2:] == ["seats'", "wins"] and first.endswith("  the baseline")
    assert second.endswith("  other players") and third.split()[:2] == ["pass_count=2", "players=4"]
    assert third.endswith("  undecided")
    assert shown.err.splitlines()[-1] == (
        "Next: 'shipsim report run' for a page with figures, 'shipsim compare run' for all verdicts, "
        "'shipsim trace run' for one game to read."
    )
    again = call("sweep --resume run")
    assert again.out == shown.out and again.err.splitlines()[-1] == shown.err.splitlines()[-1]
    assert "What surely changes" not in shown.out and "What surely changes" in call("sweep --resume run -v").out
    assert HEAD not in call("sweep --resume run --json").out


@pytest.mark.parametrize("how", ["", "--rope passes=2 ", "--until decided --max-games 20k "])
def test_what_is_compared_has_the_findings_of_the_saved_run(how: str, call: Call) -> None:
    line = f"compare {GAME} classic pass-two players=5 {how}"
    line += "" if "until" in how else "--games 2k"
    shown = call(line)
    assert findings(shown) and shown.err.splitlines()[-1] == (
        "Next: --out DIR saves it for 'shipsim report DIR'; 'shipsim trace my-ship-sails' tells one game."
    )
    saved = call(f"{line} --out run")
    assert saved.out == shown.out and saved.err.splitlines()[-1].startswith("Next: 'shipsim report run' for ")
    assert findings(shown) == on_page("run")
    if "--rope" not in how and "--until" not in how:
        assert findings(call("compare run")) == on_page("run")
        assert call("compare run").err.splitlines()[-1].startswith("Next: 'shipsim report run' for ")


def test_a_region_that_was_asked_for_is_that_of_the_findings(call: Call) -> None:
    line = f"compare {GAME} direction=left direction=right --games 2k --set match_target=1"
    sure = " ".join(call(f"{line} --rope match_win=20pp").out.split())
    assert "Of the shares of wins the largest" not in sure and "match win" in sure
    assert "Of the shares of wins the largest" in " ".join(call(line).out.split())


def test_tables_show_what_is_looked_at_first(call: Call) -> None:
    line = f"compare {GAME} classic pass-two --games 500"
    shown, whole = call(line), call(f"{line} -v")
    rows = [text.split()[0] for text in shown.out.split("\n\n")[0].splitlines()[2:]]
    assert rows.count("match_win") == 4 and "passes" in rows and "points" not in rows
    assert "24 more rows, by seat and suit: -v shows them, --json has all." in shown.err.splitlines()
    assert "points seat 4" in whole.out and "more row" not in whole.err
    asked = call(f"{line} --rope points=0.5")
    assert "points seat 4" in asked.out and "20 more rows, by seat and suit: " in asked.err


def test_of_many_cells_who_wins_and_how_long_it_takes(call: Call) -> None:
    shown = call(f"sweep {GAME} --vary pass_count=1..3 --vary players=4,5 --vary max_rounds=1..8 --games 20 --out run")
    assert len(shown.out.partition("\n\n")[0].splitlines()) == 41
    assert "8 more cells: -v shows them, --json has all." in shown.err.splitlines()
    whole = call("sweep --resume run -v")
    assert len(whole.out.partition("\n\n")[0].splitlines()) == 49 and "more cell" not in whole.err
    shown = call("compare run")
    first, *others = shown.out.split("\n\n")[:47]
    assert len(others) == 46
    assert {line.split()[0] for line in first.splitlines()[2:]} == {"match_win", "passes"}
    assert " more rows, most by seat and suit: -v shows them" in shown.err


@pytest.mark.parametrize("command", ["sweep", "compare"])
def test_commands_quote_paths_that_need_it(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = {"sweep": ["--vary", "pass_count=1,2"], "compare": ["classic", "pass-two"]}[command]
    line = [command, GAME, *words, "--games", "50", "--out", "my run's"]
    quoted = '"my run\'s"'
    assert shlex.split(quoted) == ["my run's"]
    assert main(line) == 0
    said = capsys.readouterr().err
    assert f"Next: 'shipsim report {quoted}' for" in said and f"'shipsim trace {quoted}' for" in said
    assert main(line) == 2
    assert f"Use 'shipsim sweep --resume {quoted}' to go on" in capsys.readouterr().err
    assert main(["status", "my run's"]) == 0
    assert f"  go on     shipsim sweep --resume {quoted} --games N (more than 50)" in capsys.readouterr().out
    assert main(["compare", "my run's", "--games", "5"]) == 2
    assert f"More games: 'shipsim sweep --resume {quoted} --games N'." in capsys.readouterr().err
    Path("my run's", "estimates.csv").unlink()
    assert main(["report", "my run's"]) == 3
    assert f"'shipsim sweep --resume {quoted}' plays" in capsys.readouterr().err


def test_what_goes_on_with_a_strategy_of_ones_own_names_its_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my bots").mkdir()
    (tmp_path / "my bots" / "b.py").write_text("def first(view, options, random):\n    return 0\n")
    words = ["compare", GAME, "classic", "pass-two", "--strategy", "my bots/b.py:first", "--games", "50"]
    assert main([*words, "--out", "my run"]) == 0
    told = re.search(r"'shipsim (trace [^']*)'", capsys.readouterr().err)
    assert told and shlex.split(told[1]) == ["trace", "my run", "--strategy", "my bots/b.py:first"]
    assert main(shlex.split(told[1])) == 0
    capsys.readouterr()
    (tmp_path / "my bots" / "b.py").rename(tmp_path / "my bots" / "my b.py")
    assert main([*words[:4], "--strategy", "my bots/my b.py:first", "--games", "50", "--out", "other", "-q"]) == 0
    assert main(["trace", "other"]) == 3
    assert capsys.readouterr().err.endswith('  Name it: --strategy "PATH/my b.py:first".\n')
    (tmp_path / "my bots" / "my b.py").rename(tmp_path / "my bots" / "b.py")
    monkeypatch.chdir(tmp_path / "my bots")
    assert main(["status", "../my run"]) == 0
    more = re.search(r"go on     shipsim (.*) \(more", capsys.readouterr().out)
    assert more and main(shlex.split(more[1].replace(" N", " 60"))) == 0


def test_a_saved_command_is_quoted_and_does_not_tell_whose_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    words = ["/home/ann/my bots/b.py", "--out", "my run", "--rules=/home/ann/x y.toml", "/home/ann"]
    line = command_line(["sweep", *words])
    assert line == "shipsim sweep ~/'my bots/b.py' --out 'my run' '--rules=~/x y.toml' ~"
    done = subprocess.run(["bash", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True)
    told = done.stdout.splitlines()
    assert told[2:5] == ["/home/ann/my bots/b.py", "--out", "my run"]


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("--games", "error: --games: '' is not a number.\n"),
        ("--seed", "error: --seed: '' is not a seed.\n"),
        ("--out", "error: --out: the folder has no name.\n  Write --out DIR.\n"),
    ],
)
@pytest.mark.parametrize(
    "line", ["sweep ahoi --vary joker", "compare ahoi classic rotate", "tournament ahoi keeper random"]
)
def test_empty_values(line: str, option: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*line.split(), option, ""]) == 2
    assert capsys.readouterr().err.startswith(expected)


@pytest.mark.parametrize("variable", ["SHIPSIM_JSON", "SHIPSIM_QUIET", "SHIPSIM_SWEEP_DRY_RUN"])
def test_flags_in_the_environment(variable: str, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "maybe")
    assert call("sweep ahoi --vary joker")[::2] == (
        2,
        f"error: {variable}='maybe' is neither yes nor no.\n  Values: 1, true, yes, on, 0, false, no, off.\n",
    )


# Fitting


def test_strategies_of_seats_are_short_in_tables_only(call: Call) -> None:
    assert seats_words("keeper") == "keeper"
    assert seats_words("keeper+random+random+random") == "keeper+random x3"
    assert seats_words("a+a+b+a") == "a x2+b+a"
    assert (
        varied_words({"strategy": "a+b+b", "call_speed": "1+2+2", "preset": "-"}) == "strategy=a+b x2 call_speed=1+2+2"
    )
    line = f"sweep {GAME} --vary strategy=adaptive,adaptive+random+random+random --games 50"
    shown = call(f"{line} --out run")
    assert "strategy=adaptive+random x3 " in shown.out
    assert "strategy-adaptive+random+random+random" not in shown.out
    found = call("sweep --resume run --json").json["results"][1]
    assert found["varied"] == {"strategy": "adaptive+random+random+random"}
    assert "adaptive+random+random+random" in Path("run/cells.csv").read_text()


def test_the_column_that_gives_way_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    table = Table(("cell", "n", "verdict"), [("some words that are too long", "12", "practically the same")], gives=0)
    assert list(aligned(table)) == [
        "cell              n   verdict",
        "some words that   12  practically the same",
        "are too long",
    ]


def test_commands_and_intervals_stay_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = "Whoever wants more writes 'shipsim sweep --resume RUN' and gets more, which is [1.2, 3.4] at least."
    assert wrapped(text, later="  ").splitlines() == [
        "Whoever wants more writes",
        "  'shipsim sweep --resume RUN' and gets",
        "  more, which is [1.2, 3.4] at least.",
    ]
    assert wrapped("Interrupted, so go on with: shipsim sweep --resume RUN").splitlines() == [
        "Interrupted, so go on with:",
        "shipsim sweep --resume RUN",
    ]


def test_messages_fit_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    text = "error: a long message about something that went wrong somewhere.\n  And a hint about what to do, also long."
    Streams().complain(text)
    assert capsys.readouterr().err == text + "\n"
    monkeypatch.setattr(streams.Streams, "is_terminal", lambda self, stream: True)
    Streams().complain(text)
    assert capsys.readouterr().err.splitlines() == [
        "error: a long message about something that went",
        "  wrong somewhere.",
        "  And a hint about what to do, also long.",
    ]
    Streams().put_prose("    a line of a story that is told about a game, and long")
    assert capsys.readouterr().out == "    a line of a story that is told about a game,\n      and long\n"


def test_one_cell_has_its_games_and_not_so_many_each(call: Call) -> None:
    assert call("simulate ahoi --games 60 --out run -q").code == 0
    assert call("status run").out.startswith("run: ahoi, 1 cell, 60 games, seed 1\n")
    assert call("sweep --resume run --games 70").err.startswith("ahoi: 1 cell, 70 games, seed 1; 60 games are there.\n")
    assert call("sweep ahoi --vary joker=swap,none --games 60 --out two").err.startswith("ahoi: 2 cells, 60 games each")


@pytest.mark.parametrize(
    ("value", "rate", "text"),
    [
        (2e-8, True, "<0.001 pp"),
        (2e-5, True, "±0.002 pp"),
        (2e-6, False, "<0.0001"),
        (0.0002, False, "±0.0002"),
        (0.0, False, "±0"),
        (math.nan, True, "unknown"),
    ],
)
def test_digits_of_tiny_half_widths_are_not_shown(value: float, rate: bool, text: str) -> None:
    assert seen_half_width(value, rate) == text


def test_what_goes_on_shows_what_was_compared(call: Call) -> None:
    line = f"compare {GAME} classic pass-two --rope passes=2 --assert same"
    first = call(f"{line} --games 1k --out run")
    again = call("sweep --resume run")
    assert "nothing to do" in again.err and again.out == first.out and "Too small to matter" in again.out
    assert again.code == first.code == 6
    more = call("sweep --resume run --games 2k")
    assert more.code == 6 and more.out == call(f"{line} --games 2k").out != first.out
    assert call("sweep --resume run --json").json["results"] == call(f"{line} --games 2k --json").json["results"]


MANY = "games|cells|matches|rows|claims|blocks|points|combinations|figures|comparisons|pairs|shards|passes"


@pytest.mark.parametrize(
    "lines",
    [
        [f"sweep {GAME} --vary pass_count=1,2 --games 1 --out run", "status run", "compare run", "report run"],
        [f"simulate {GAME} --games 1 --out run", "status run", "report run --figures png"],
        [f"simulate {GAME} --precision 1pp --max-games 1", f"trace {GAME} --find longest --games 1"],
        [f"compare {GAME} classic pass-two --until decided --max-games 1"],
        [f"claims {GAME} --games 1 --page run/report/p.md"],
        [f"tournament {GAME} random adaptive --sprt 1pp --max-games 1"],
        [f"sweep {GAME} --vary pass_count=1,2 --games 1 --shard 1/2"],
        [f"sweep {GAME} --vary players=13 --set hand_size=9", f"simulate {GAME} --games 1 --raw run.csv"],
    ],
)  # fmt: skip
def test_one_is_not_several(lines: list[str], call: Call, tmp_path: Path) -> None:
    text = "".join(f"{shown.out}{shown.err}" for shown in map(call, lines))
    text += "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "run" / "report").glob("*.md"))
    assert re.search(r"\b1 (?:game|match)\b", text) and not re.findall(rf"(?<![\d.,])1 (?:{MANY})\b", text)


def test_compare_says_where_it_compares_with_others_than_the_report(call: Call) -> None:
    words = "compared with the first rule set; the findings of the sweep"
    assert call(f"sweep {GAME} --vary pass_count=1,2 --vary players=4,5 --games 200 --out run -q").code == 0
    assert words in call("compare run").err
    # Whoever names cells has chosen what they are compared with.
    one, *_, other = open_run(Path("run")).cells
    named = call(f"compare run {one} {other}")
    assert named.code == 0 and words not in named.err
    assert call(f"sweep {GAME} --vary pass_count=1,2 --games 200 --out one -q").code == 0
    assert words not in call("compare one").err
