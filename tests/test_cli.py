"""The command line as users meet it: what it prints where, its files, its exit codes."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

import simcore
from cli.main import shipsim
from cli.playing import compile_game
from cli.streams import Streams
from simcore import simulation
from simcore.cells import make_cell
from simcore.declare import fields
from simcore.games import ANY, GAMES, load
from simcore.strategies import read_seats
from tests.calls import Call

GAME = "my-ship-sails"
HEAVY = ("numpy", "numba", "pandas", "matplotlib", "scipy", "rich")
CSV_FILES = ("cells.csv", "estimates.csv", "differences.csv", "distributions.csv")


def csv_bytes(folder: str | Path) -> list[bytes]:
    return [Path(folder, name).read_bytes() for name in CSV_FILES]


def start(*words: str, **more: Any) -> subprocess.Popen[str]:
    """Start the command line as a process of its own, in which a key on the terminal cannot interfere."""
    command = [sys.executable, "-m", "cli.main", *words]
    environment = {**os.environ, "PYTHONPATH": str(Path(simcore.__file__).parents[1])}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **more)


# Words, help and the first answer


def test_light_answers_import_nothing_heavy() -> None:
    lines = [
        "",
        "--help",
        "--version",
        "simulate --help",
        "sweep --help",
        "simulate",
        "sweep my-ship-sails --vary players=7..4",
        f"sweep my-ship-sails --vary players=4,5 --out {__file__}",
        "rules my-ship-sails",
        "strategies",
        "completion bash",
    ]
    program = (
        "import sys; from cli.main import main\n"
        f"codes = [main(line.split()) for line in {lines!r}]\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], codes, file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(simcore.__file__).parents[1])}
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True)
    assert ended.stderr.splitlines()[-1] == "[] [0, 0, 0, 0, 0, 2, 2, 2, 0, 0, 0]"


@pytest.mark.parametrize("command", ["", *shipsim.commands])
def test_help_fits_80_columns_and_names_every_option(command: str, call: Call) -> None:
    shown = call(f"{command} --help")
    assert (shown.code, shown.err) == (0, "")
    assert max(len(line) for line in shown.out.splitlines()) <= 80
    for parameter in (shipsim.commands[command] if command else shipsim).params:
        assert parameter.param_type_name == "argument" or parameter.opts[0] in shown.out
    assert call(f"-h {command}").code == 0


def test_a_bare_call_prints_help_that_begins_with_three_examples(call: Call) -> None:
    shown = call("")
    assert (shown.code, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0] == "Examples:" and [line[:10] for line in lines[1:4]] == ["  shipsim "] * 3
    assert call("--version").out == call("simulate --version").out == f"shipsim {simcore.__version__}\n"


def test_only_what_works_is_registered() -> None:
    assert list(shipsim.commands) == [
        *("simulate", "sweep", "compare", "tournament", "claims", "trace", "rules", "strategies", "status"),
        *("report", "merge", "calibrate", "warm", "selftest", "completion"),
    ]


# What can be looked up


@pytest.mark.parametrize("name", GAMES)
def test_rules_lists_everything_that_is_declared(name: str, call: Call) -> None:
    game = load(name)
    shown = call(f"rules {name}").out
    for word in (*fields(game.Rules), *game.PRESETS):
        assert word in shown
    metrics = call(f"rules {name} --metrics").out
    assert all(metric.name in metrics for metric in game.METRICS)
    strategies = call(f"strategies {name}").out
    for word in (*(s.name for known in game.STRATEGIES.values() for s in known), *fields(game.Parameters)):
        assert word in strategies
    for line in (f"rules {name}", f"rules {name} --metrics", f"strategies {name}"):
        assert max(len(text) for text in call(line).out.splitlines()) <= 80
        found = call(f"{line} --json").json
        assert (found["schema"], found["status"], found["exit_code"]) == (1, "done", 0)
    for rule, field in fields(game.Rules).items():
        text = " ".join(call(f"rules {name} {rule}").out.split())
        assert field.rule.meaning.split()[-1] in text and "default:" in text


@pytest.mark.parametrize("name", GAMES)
def test_the_template_of_rules_loads_again(name: str, call: Call, tmp_path: Path) -> None:
    text = call(f"rules {name} --toml").out
    assert tomllib.loads(text).keys() == {"game", *load(name).Rules._fields}
    (tmp_path / "mine.toml").write_text(text)
    assert simcore.rules_from_toml(tmp_path / "mine.toml") == load(name).Rules()


def test_games_are_listed(call: Call) -> None:
    assert [entry["game"] for entry in call("rules --json").json["results"]] == list(GAMES)
    assert all(name in call("rules").out for name in GAMES)


# Playing one rule set


def test_simulate_shows_win_shares_first(call: Call) -> None:
    shown = call(f"simulate {GAME} --games 300 --set players=5 --seed 3")
    assert shown.code == 0
    assert shown.out.splitlines()[0].split() == [
        "match_win",
        "strategy",
        "estimate",
        "95",
        "%",
        "interval",
        "1/players",
    ]
    assert shown.out.splitlines()[1].split()[:3] == ["seat", "1", "adaptive"]
    assert "20.00 %" in shown.out.splitlines()[1]
    assert "300 games, seed 3." in shown.err
    names = {line.split()[0] for line in shown.out.splitlines()[8:]}
    assert names - {"win_from_4300"} == {
        metric.name for metric in load(GAME).METRICS if not metric.by and metric.per != "deal_4300"
    }
    assert "29 more rows, by seat and suit: -v shows them, --json has all." in shown.err
    shown = call(f"simulate {GAME} --games 300 --set players=5 --seed 3 -v")
    assert all(metric.name in shown.out for metric in load(GAME).METRICS if metric.per != "deal_4300")
    assert "more rows" not in shown.err


def test_one_game_is_not_called_games(call: Call) -> None:
    shown = call("simulate my-ship-sails --games 1")
    assert "1 game, seed 1." in shown.err and "played 1 game in" in shown.err


def test_simulate_as_json(call: Call) -> None:
    shown = call(f"--json simulate {GAME} --games 200")
    (cell,) = shown.json["results"]
    assert (shown.json["status"], shown.json["exit_code"]) == ("done", 0)
    assert cell["games"] == 200 and cell["varied"] == {} and cell["seed"] == 1
    wins = [row for row in cell["estimates"] if row["metric"] == "match_win"]
    assert [row["key"] for row in wins] == ["1", "2", "3", "4"] and all(row["n"] == 200 for row in wins)
    assert list(wins[0]) == ["cell", "metric", "by", "key", "estimate", "low", "high", "se", "n"]
    result = simcore.simulate(simcore.rules(GAME), games=200)
    assert wins[0]["estimate"] == pytest.approx(result.estimates().estimate[0])


def test_one_game_has_no_interval_and_json_says_null(call: Call) -> None:
    shown = call(f"simulate {GAME} --games 1 --json")
    assert any(row["low"] is None for row in shown.json["results"][0]["estimates"])
    assert call(f"simulate {GAME} --games 1").code == 0


@pytest.mark.parametrize("line", ["-q simulate {}", "simulate {} --quiet", "simulate {} --json -q"])
def test_quiet_is_quiet(line: str, call: Call) -> None:
    shown = call(line.format(GAME) + " --games 10")
    assert (shown.code, shown.err) == (0, "") and shown.out


def test_the_environment_gives_options_and_the_command_line_beats_it(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHIPSIM_JSON", "1")
    monkeypatch.setenv("SHIPSIM_SIMULATE_GAMES", "30")
    monkeypatch.setenv("SHIPSIM_SIMULATE_SET", "players=5 pass_count=2")
    (cell,) = call(f"simulate {GAME}").json["results"]
    assert cell["games"] == 30 and cell["rules"]["players"] == 5 and cell["rules"]["pass_count"] == 2
    (cell,) = call(f"simulate {GAME} --games 20 --set players=6").json["results"]
    assert cell["games"] == 20 and cell["rules"]["players"] == 6 and cell["rules"]["pass_count"] == 1


@pytest.mark.parametrize("name", GAMES)
def test_rules_stand_in_groups(name: str, call: Call) -> None:
    rules = list(fields(load(name).Rules))
    firsts = [rules.index(rule) for rule in load(name).GROUPS.values()]
    assert firsts[0] == 0 and firsts == sorted(set(firsts))
    lines = call(f"rules {name}").out.splitlines()
    for heading, rule in load(name).GROUPS.items():
        assert lines[lines.index(f"{heading}:") + 1].startswith(f"{rule} = ")
    assert not any(f"{heading}:" in call(f"rules {name} --toml").out for heading in load(name).GROUPS)


def test_a_drawn_seed_is_printed_and_can_be_given_again(call: Call) -> None:
    first = call(f"simulate {GAME} --games 20 --seed random")
    seed = first.err.split("seed ")[1].split(".")[0]
    assert call(f"simulate {GAME} --games 20 --seed {seed}").out == first.out


def test_notes_are_shown(call: Call) -> None:
    assert (
        "note: the rulebook's own range is 4 to 7 players, not 8."
        in call(f"simulate {GAME} --games 10 --set players=8 --set hand_size=6").err
    )


def test_a_closed_pipe_ends_quietly() -> None:
    process = start("rules", GAME, "--toml")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == "" and process.wait() == 0
    process.stderr.close()


# Runs


def test_sweep_saves_a_run_and_shows_it(call: Call, tmp_path: Path) -> None:
    shown = call(f"sweep {GAME} --vary players=6..9 --vary pass_count=1,2 --games 400 --out run --json")
    assert shown.code == 0 and shown.json["status"] == "done" and shown.json["run"] == "run"
    assert [cell["varied"] for cell in shown.json["results"]] == [
        {"players": players, "pass_count": count} for players in "67" for count in "12"
    ]
    assert [entry["varied"]["players"] for entry in shown.json["skipped"]] == ["8", "8", "9", "9"]
    with open("run/estimates.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == sum(len(cell["estimates"]) for cell in shown.json["results"])
    assert rows[0]["estimate"] == f"{shown.json['results'][0]['estimates'][0]['estimate']:.10g}"
    assert not shown.json["results"][0]["differences"] and shown.json["results"][1]["differences"]
    manifest = json.loads(Path("run/manifest.json").read_text())
    assert manifest["status"] == "done" and manifest["games"] == 400 and manifest["design"] == "grid"
    assert "skipped: players=8 pass_count=1: 8 players with hand_size 7 need 56 cards" in shown.err
    status = call("status run").out
    assert "4 of 4 done" in status and "match_win" in status
    assert call("status run --json").json["results"]["missing"] == 0
    assert "--resume run" in call(f"sweep {GAME} --vary players=6..7 --out run").err
    told = call("trace run --cell " + shown.json["results"][1]["cell"])
    assert told.out.splitlines() == simcore.trace(simcore.rules(GAME, players=6, pass_count=2)).lines


def test_the_default_folder_is_named_by_what_is_played(call: Call, tmp_path: Path) -> None:
    line = f"sweep {GAME} --vary pass_count=1,2 --games 20"
    assert call(line).code == 0
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith(f"{GAME}-") and len(folder.name) == len(GAME) + 9
    assert call(line).code == 2


def test_jobs_and_extension_do_not_change_a_byte(call: Call) -> None:
    line = f"sweep {GAME} --vary players=4,5 --vary direction --design each -q"
    for jobs in (1, 2, 7):
        assert call(f"{line} --games 1500 --jobs {jobs} --out jobs-{jobs}").code == 0
    assert call(f"{line} --games 700 --out more").code == 0
    assert call("sweep --resume more --games 1500 -q").code == 0
    assert csv_bytes("jobs-1") == csv_bytes("jobs-2") == csv_bytes("jobs-7") == csv_bytes("more")
    again = call("sweep --resume more --games 1500")
    assert again.code == 0 and again.err.startswith("nothing to do: every cell of 'more' has 1,500 games.")
    assert csv_bytes("jobs-1") == csv_bytes("more")


def test_resume_refuses_what_does_not_fit(call: Call) -> None:
    assert call(f"sweep {GAME} --vary players=4,5 --games 20 --out run -q").code == 0
    shown = call("sweep --resume run --seed 7")
    assert (shown.code, shown.err) == (
        3,
        "error: 'run' was made with seed 1, not 7: games of different seeds are never mixed.\n"
        "  Leave --seed out, or play another run into another folder.\n",
    )
    assert call("sweep --resume run --seed 1").code == 0
    assert call("sweep --resume nowhere").code == 3
    Path("run/estimates.csv").write_bytes(b"cell,metric\n\xff\n")
    assert call("sweep --resume run").err.endswith(
        "error: 'run/estimates.csv' is damaged: UnicodeDecodeError.\n"
        "  Remove it, and 'shipsim sweep --resume run' writes it again.\n"
    )
    Path("run/estimates.csv").unlink()
    assert call("sweep --resume run --json").json["results"][0]["estimates"]
    path = Path("run/manifest.json")
    whole = path.read_text()
    path.write_text(whole.replace('"engine_version": ', '"engine_version": 9'))
    assert call("sweep --resume run --games 30").code == 3
    path.write_text(whole[:-20])
    for line in ("sweep --resume run", "status run", "trace run"):
        assert call(line).code == 3
    path.write_text(whole)
    state = next(Path("run/state").iterdir())
    state.write_bytes(state.read_bytes()[:-30])
    assert call("status run").code == 3


def test_a_dry_run_saves_nothing_and_says_what_to_expect(call: Call, tmp_path: Path) -> None:
    line = f"sweep {GAME} --vary players=7,8 --vary overlook=0..0.2/0.1 --games 2M --dry-run --out run"
    shown = call(line)
    assert shown.code == 0 and not list(tmp_path.iterdir())
    for text in ("3 cells, 3 combinations skipped", "games  6,000,000, 2,000,000 a cell", "time   about", "match_win"):
        assert text in shown.out
    found = call(f"{line} --json").json
    assert found["expected"]["games"] == 6_000_000 and len(found["results"]) == 3 and len(found["skipped"]) == 3
    widths = {entry["metric"]: entry["half_width"] for entry in found["expected"]["half_widths"]}
    assert widths["match_win"] == pytest.approx(1.96 * (6 / 49 / 2e6) ** 0.5, rel=0.2)


def test_a_failed_cell_is_exit_code_5_and_the_others_are_kept(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    from simcore import simulation
    from simcore.log import ILLEGAL_CHOICE

    play = simulation.play_chunk

    def fail(task: Any) -> Any:
        done = play(task)
        return done._replace(status=ILLEGAL_CHOICE) if task.record["players"] == 5 else done

    monkeypatch.setattr(simulation, "play_chunk", fail)
    shown = call(f"sweep {GAME} --vary players=4..6 --games 50 --out run --json")
    assert shown.code == 5 and (shown.json["status"], shown.json["exit_code"]) == ("failed", 5)
    assert "a strategy chose an option that does not exist" in shown.err
    rows = Path("run/cells.csv").read_text().splitlines()
    assert [row.split(",")[3] for row in rows[1:]] == ["done", "failed", "done"]
    assert call("status run").out.count("failed") == 3


# Signals


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    """Wait until a run's folder is there, which is before its first game."""
    ends = time.monotonic() + 60
    while not path.exists() and process.poll() is None and time.monotonic() < ends:
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_goes_on_to_the_same_bytes(number: int, code: int, call: Call, tmp_path: Path) -> None:
    # A fast machine may be done before the signal comes, and then gets more to do.
    for games in (16_000, 64_000, 256_000, 1_024_000):
        name, line = f"cut-{games}", f"sweep {GAME} --vary players=4,5 --set pass_count=2 --games {games}"
        process = start(*line.split(), "--out", name, "--jobs", "2", cwd=tmp_path)
        wait_for(tmp_path / name / "manifest.json", process)
        time.sleep(1.0)
        process.send_signal(number)
        sent = time.monotonic()
        _, err = process.communicate(timeout=30)
        if "everything played is kept" in err:
            break
    assert process.returncode == code and time.monotonic() - sent < 5
    message = f"interrupted; everything played is kept. Go on with: shipsim sweep --resume {name}"
    assert err.splitlines()[-1] == message
    assert all((tmp_path / name / file).is_file() for file in CSV_FILES)
    found = call(f"status {name} --json").json["results"]
    assert found["run_status"] == "interrupted" and found["resume"] == f"shipsim sweep --resume {name}"
    if number == signal.SIGINT:
        assert call(f"sweep --resume {name} -q --jobs 1").code == 0
        assert call(f"{line} --out whole -q").code == 0
        assert csv_bytes(name) == csv_bytes("whole")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    process = start("simulate", GAME, "--games", "1G", "--json", cwd=tmp_path)
    assert process.stderr is not None
    while "seed" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    # Or the second one came when the first had all but ended the process.
    assert process.returncode in (130, 143, -signal.SIGTERM)


def test_only_what_will_be_called_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("ahoi")
    plain, other = (make_cell(game, game.Rules(), read_seats(game, style, 4)) for style in ("keeper", "newest"))
    called: list[str] = []
    monkeypatch.setattr(simulation, "play_chunk", lambda task: called.append(task.kernel))
    for cells, is_logged, expected in (
        ([plain, plain], False, ["play_plain"]),
        ([other], False, [ANY]),
        ([plain, other], False, [ANY, "play_plain"]),
        ([plain], True, [ANY, "play_plain"]),
        ([], True, [ANY]),
        (None, False, [ANY, "play_plain"]),
    ):
        called.clear()
        compile_game(Streams(), "ahoi", cells, is_logged=is_logged)
        assert called == expected


def test_calibrate_looks_for_its_file_before_the_work(call: Call, tmp_path: Path) -> None:
    shown = call(f"calibrate skull-king --out {tmp_path / 'nowhere' / 'x.npz'}")
    assert shown.code == 2 and "cannot be written: No such file or directory." in shown.err
    shown = call(f"calibrate skull-king --out {tmp_path}")
    assert shown.code == 2 and "exists already" in shown.err
