"""`shipsim compare`: known outcomes, verdicts, assertions, stops at a decision, bad input with its exact words."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from scipy.special import stdtrit

from cli.main import main
from cli.tables import URGENT
from simcore import stats
from simcore.deciding import DECIDED, DIFFERENT, SAME, Comparison, Stop, differences_from, holds
from simcore.games import load
from simcore.results import TUNED_FOR, contrast
from simcore.simulation import Simulation
from simcore.tally import Tally
from tests.calls import Call, Shown

GAME = "my-ship-sails"
ONE_ROUND = "--set match_target=1"
FORMS = "  Write presets (party+deck-108), values (joker=swap), or a file of rules (./mine.toml)."
SEE = "  See 'shipsim compare --help'."


def differences(shown: Shown, place: int = 0) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["metric"], row["key"]): row for row in shown.json["results"][place]["differences"]}


# Known outcomes


def test_what_decides_between_callers_leaves_every_pass_as_it_is(call: Call) -> None:
    line = f"compare {GAME} simultaneous=first_call simultaneous=high_card --set players=5 --games 5k --json"
    shown = call(line)
    rows = differences(shown)
    assert shown.code == 0 and not shown.json["results"][0]["identical"]
    same = rows["initial_best_count", "1"]
    assert set(shown.json["results"][0]["differences"][0]) > {"rho", "variance_ratio", "games_to_settle", "rope"}
    assert not rows["match_win", "1"]["identical"] and same["baseline"] == shown.json["baseline"]
    shown = call(line + f" {ONE_ROUND}")
    rows = differences(shown)
    for metric in ("passes", "stalemate", "flush_holders", "rounds"):
        assert rows[metric, ""]["identical"] and rows[metric, ""]["difference"] == 0
    assert not rows["match_win", "1"]["identical"]


def test_with_one_flush_a_suit_the_high_card_changes_no_game(call: Call) -> None:
    shown = call(f"compare {GAME} simultaneous=first_call simultaneous=high_card --games 2k --assert same")
    assert shown.code == 0 and shown.err.splitlines()[-3] == "--assert same holds."
    assert "  Not one game differs: all metrics have the same sums in every block." in shown.out.splitlines()
    assert "verdict" not in shown.out and "verdict" in call(
        f"compare {GAME} simultaneous=first_call simultaneous=high_card --games 2k -v"
    ).out  # fmt: skip


def test_what_was_never_seen_is_not_known_to_be_the_same(call: Call) -> None:
    """No call is forgotten in either cell; as many as 3.7 may have been missed, with Bonferroni more."""
    most = stats.poisson_interval(0)[1]
    for games, verdict in ((150, "undecided"), (10_000, "practically the same")):
        row = differences(call(f"compare ahoi joker=swap joker=none --games {games} --json"))["forgotten_calls", ""]
        assert row["identical"] and row["difference"] == 0 and row["verdict"] == verdict
        assert row["high"] == -row["low"] == pytest.approx(most / games)
        assert row["rope"] == 0.02


def test_rows_that_findings_quote_are_shown(call: Call) -> None:
    shown = call("compare skull-king bonus_when=exact bonus_when=always --games 2k")
    rows, told = shown.out.split("Findings, ")
    quoted = re.search(r"points at the end \(every seat, such as (seat \d)\): (\d+)", " ".join(told.split()))
    assert quoted and f"\nscore {quoted[1]} " in rows and rows.count("\nscore ") == 1
    assert "\nround_points" not in rows and "-v" in shown.err


def test_left_and_right_are_practically_the_same(call: Call) -> None:
    line = f"compare {GAME} direction=left direction=right {ONE_ROUND} --games 200k --rope match_win=1pp"
    shown = call(f"{line} --json")
    rows = differences(shown)
    for seat in "1234":
        assert rows["match_win", seat]["verdict"] in ("practically the same", "real but negligible")
        assert rows["match_win", seat]["rope"] == 0.01 and not rows["match_win", seat]["identical"]
    assert rows["passes", ""]["verdict"] == "practically the same"
    assert {"metric": "passes", "rope": 1} in shown.json["ropes"]


def test_two_cards_at_a_pass_change_the_game(call: Call) -> None:
    shown = call(f"compare {GAME} pass_count=1 pass_count=2 --games 20k --assert different")
    assert shown.code == 0
    first, *lines = shown.out.splitlines()
    assert first == "pass_count=2 against pass_count=1: 20,000 games each, paired"
    told = " ".join(shown.out.split())
    assert "- With pass_count=2, rounds that nobody wins: 54.3 % [54.1, 54.5], 44.9 points more than with" in told
    assert any(line.startswith("stalemate ") and line.endswith(" changes") for line in lines)
    assert max(map(len, lines)) <= 80
    assert all(word not in shown.out for word in ("significant", "p =", "***"))
    assert call(f"compare {GAME} pass_count=1 pass_count=2 --games 20k --assert same").code == 6


def test_ahois_examples(call: Call) -> None:
    reverse = "compare ahoi two_player_reverse=nothing two_player_reverse=skip --games 5k"
    assert call(f"{reverse} --assert same").code == 0
    shown = call(f"{reverse} --assert different")
    assert shown.code == 6 and "--assert different does not hold." in shown.err
    joker = "compare ahoi joker=colour joker=swap"
    shown = call(f"{joker} --games 20k --assert same")
    assert shown.code == 6 and "--assert same does not hold." in shown.err
    assert "  joker=swap: changes: " in shown.err
    assert call(f"{joker} --games 20k --assert different").code == 0
    shown = call(f"{joker} --precision 0.0001pp --max-games 20k")
    assert shown.code == 4
    assert "not reached: match_win ±0.0001 pp; 20,000 games were not enough." in shown.err


def test_other_players_are_independent(call: Call) -> None:
    shown = call(f"compare {GAME} players=4 players=5 --games 2k")
    assert shown.out.startswith("players=5 against players=4: 2,000 games each, independent: other players")
    found = call(f"compare {GAME} players=4 players=5 --games 2k --json").json["results"][0]
    assert not found["paired"] and all(row["rho"] is None for row in found["differences"])
    assert {row["key"] for row in found["differences"] if row["metric"] == "match_win"} == {"1", "2", "3", "4"}


def test_presets_values_and_files_in_one_comparison(call: Call) -> None:
    Path("mine.toml").write_text('pass_count = 2\nstrategy = "stubborn"\n')
    shown = call(
        f"compare {GAME} classic whole-deck+pass-right mine.toml direction:strategy=right:patient --games 600 --json"
    )
    assert shown.code == 0
    found = shown.json["results"]
    assert [result["varied"]["preset"] for result in found] == ["whole-deck+pass-right", "-", "-"]
    assert [result["varied"]["rules"] for result in found] == ["-", "mine.toml", "-"]
    assert [result["varied"]["strategy"] for result in found] == ["adaptive", "stubborn", "patient"]
    assert found[1]["rules"]["pass_count"] == 2 and found[2]["rules"]["direction"] == "right"
    assert {result["baseline"] for result in found} == {shown.json["baseline"]}
    lines = call(f"compare {GAME} classic pass_count=2 strategy=stubborn --games 600").out.splitlines()
    titles = [line.partition(":")[0] for line in lines if " against " in line]
    assert titles == [
        "pass_count=2 against preset=classic pass_count=1",
        "strategy=stubborn against preset=classic strategy=adaptive",
    ]


# Verdicts, intervals and assertions


def cells_and_tallies(*settings: str, games: int = 4000, seed: int = 1) -> tuple[Any, dict[str, Tally]]:
    from cli.operands import read_cells

    cells, _ = read_cells(load(GAME), (), settings)
    return cells, {u.cell.id: u.tally for u in Simulation(cells, seed, games, jobs=2).run() if u.is_over}


def test_intervals_hold_together_over_the_cells_and_for_a_difference_over_the_rows() -> None:
    cells, tallies = cells_and_tallies("pass_count=1", "pass_count=2", "pass_count=3")
    usual = Comparison(cells, {})
    rows = usual.contrasts(lambda cell: tallies[cell.id])
    assert usual.together == 2 and len(rows) == 2
    simple = sum(len(metric.by) <= 1 for metric in (row.metric for row in rows[0]))
    assert usual._replace(expected=SAME).together == 2
    assert usual._replace(expected=DIFFERENT).together >= 2 * simple
    stop = Stop(DECIDED, {"match_win": 0.0})
    assert usual._replace(stop=stop).together == 2 * 4
    alone = contrast((cells[0], tallies[cells[0].id]), (cells[1], tallies[cells[1].id]))
    assert all(a.row.high - a.row.low <= b.row.high - b.row.low for a, b in zip(alone, rows[0], strict=True))


def test_a_sequence_is_that_of_the_paired_blocks() -> None:
    cells, tallies = cells_and_tallies("pass_count=1", "pass_count=2")
    first, second = [(cell, tallies[cell.id]) for cell in cells]
    usual, found = (contrast(first, second, 4, is_sequence=is_sequence) for is_sequence in (False, True))
    for a, b in zip(usual, found, strict=True):
        if a.metric.name != "passes":
            continue
        se = (a.row.high - a.row.low) / 2 / float(stdtrit(499, 1 - 0.05 / 4 / 2))
        low, high = stats.confidence_sequence(4000, a.row.difference, 4000 * se * se, TUNED_FOR, 0.05 / 4)
        assert (b.row.low, b.row.high) == pytest.approx((float(low), float(high)), rel=1e-9)
        assert b.row.low < a.row.low and b.row.high > a.row.high


def test_an_assertion_needs_every_cell() -> None:
    cells, tallies = cells_and_tallies("pass_count=1", "pass_count=2", "simultaneous=high_card")
    rows = Comparison(cells, {}, None, SAME).contrasts(lambda cell: tallies[cell.id])
    assert holds(SAME, rows[1:]) and not holds(SAME, rows[:1]) and not holds(SAME, rows)
    assert holds(DIFFERENT, rows[:1]) and not holds(DIFFERENT, rows[1:]) and not holds(DIFFERENT, rows)
    assert not holds(SAME, [[]]) and not holds(DIFFERENT, [[]])
    assert set(URGENT) == set(stats.Verdict)


def test_a_manifest_says_how_differences_were_made() -> None:
    cells, _ = cells_and_tallies("pass_count=1", "pass_count=2", games=10)
    comparison = Comparison(cells, {"passes": 2.0}, Stop(DECIDED, {"passes": 0.0}))
    assert differences_from(comparison.described()) == {"ropes": {"passes": 2.0}, "is_sequence": True, "comparisons": 1}
    assert differences_from(None) == {}


# Stopping


NULL = f"compare {GAME} direction=left direction=right {ONE_ROUND} --until decided --rope match_win=2pp"


def test_until_decided_ends_for_a_null_and_for_two_points(call: Call) -> None:
    shown = call(f"{NULL} --json")
    assert shown.code == 0 and shown.json["status"] == "done"
    assert shown.json["comparison"]["intervals"] == "confidence sequence" and shown.json["reproducible"]
    assert {row["verdict"] for (name, _), row in differences(shown).items() if name == "match_win"} == {
        "practically the same"
    }
    games = shown.json["results"][0]["games"]
    assert games in (10_000, 20_000, 40_000)
    shown = call(
        f"compare {GAME} call_speed=1 call_speed=2+1+1+1 {ONE_ROUND} --until decided --rope match_win=0.2pp --json"
    )
    rows = differences(shown)
    assert shown.code == 0 and rows["match_win", "1"]["verdict"] == "changes"
    assert rows["match_win", "1"]["low"] < 0.0217 < rows["match_win", "1"]["high"]


@pytest.mark.parametrize("jobs", [1, 3])
def test_where_it_stops_does_not_depend_on_threads(jobs: int, call: Call) -> None:
    shown = call(f"{NULL} --jobs {jobs} --out run{jobs} --json")
    kept = json.dumps(shown.json["results"])
    assert json.dumps(call(f"{NULL} --jobs 2 --json").json["results"]) == kept
    manifest = json.loads(Path(f"run{jobs}/manifest.json").read_text())
    assert manifest["status"] == "done" and manifest["stopped_by"] == DECIDED
    assert manifest["games"] == shown.json["results"][0]["games"]
    with open(f"run{jobs}/differences.csv", newline="") as file:
        saved = {(row["metric"], row["key"]): row for row in csv.DictReader(file)}
    for key, row in differences(shown).items():
        assert saved[key]["verdict"] == row["verdict"] and float(saved[key]["low"]) == row["low"]
    with open(f"run{jobs}/looks.csv", newline="") as file:
        looks = list(csv.DictReader(file))
    assert {row["metric"] for row in looks} == {"match_win"} and int(looks[-1]["games"]) == manifest["games"]


def test_what_is_not_decided_exits_with_4_and_names_why(call: Call) -> None:
    shown = call(f"compare {GAME} direction=left direction=right --until decided --max-games 1k")
    assert shown.code == 4 and "not decided: match_win; 1,000 games were not enough." in shown.err
    assert "look at 1,000 games: match_win undecided in 4 of 4 rows." in shown.err
    shown = call(
        f"compare {GAME} direction=left direction=right --until decided --max-time 1s --rope match_win=0.00001pp --json"
    )
    assert shown.code == 4 and not shown.json["reproducible"] and shown.json["status"] == "imprecise"


def test_precision_is_that_of_the_differences(call: Call) -> None:
    shown = call(
        f"compare {GAME} direction=left direction=right {ONE_ROUND} --precision 1pp --precision passes=0.1 --json"
    )
    rows = differences(shown)
    assert shown.code == 0 and shown.json["comparison"]["intervals"] == "simultaneous"
    assert all((rows["match_win", seat]["high"] - rows["match_win", seat]["low"]) / 2 <= 0.01 for seat in "1234")


# Runs


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "ahoi"
    assert main([*f"sweep {GAME} --vary pass_count=1,2,3 --games 2k -q --out".split(), str(folder)]) == 0
    return folder


def test_cells_of_a_run_are_compared_as_they_are(run: Path, call: Call) -> None:
    shown = call(f"compare {run} --json")
    assert shown.code == 0 and len(shown.json["results"]) == 2
    with open(run / "differences.csv", newline="") as file:
        saved = [row["difference"] for row in csv.DictReader(file)]
    rows = [row for result in shown.json["results"] for row in result["differences"]]
    assert [float(text) for text in saved] == [row["difference"] for row in rows]
    one = call(f"compare {run} pass_count-3 --json")
    assert [result["varied"] for result in one.json["results"]] == [{"pass_count": "3"}]
    two = call(f"compare {run} pass_count-3 pass_count-2 --json")
    assert two.json["baseline"].startswith("pass_count-3-") and len(two.json["results"]) == 1
    assert call(f"compare {run} pass_count-3 pass_count-2 --assert same").code == 6


def test_a_games_name_wins_over_a_folders(run: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run.parent)
    assert call("compare ahoi").err.startswith("error: a comparison needs at least two rule sets")
    assert call("compare ./ahoi -q").out.startswith("pass_count=2 against pass_count=1: 2,000 games each")


def test_a_saved_comparison_is_a_run(call: Call) -> None:
    assert call(f"compare {GAME} classic pass-two --games 1k --out run").code == 0
    assert {path.name for path in Path("run").iterdir()} >= {"manifest.json", "cells.csv", "differences.csv"}
    assert call("compare run").code == call("status run").code == 0
    assert call("sweep --resume run --games 2k").code == 0
    assert call("compare run").out.startswith("preset=pass-two against preset=classic: 2,000 games each")
    shown = call(f"compare {GAME} classic pass-two --games 1k --out run")
    assert shown.code == 2 and shown.err.startswith("error: 'run' exists already.")


# Bad input

BAD: dict[str, tuple[str, list[str]]] = {
    "nothing": (
        "compare",
        ["the game or run is missing.", "  Games: ahoi, skull-king, my-ship-sails.", SEE],
    ),
    "no such game": (
        "compare my-ship-sail a b",
        [
            "'my-ship-sail' is neither a game nor a run's folder. Did you mean 'my-ship-sails'?",
            "  Games: ahoi, skull-king, my-ship-sails.",
        ],
    ),
    "one rule set": (
        f"compare {GAME} classic",
        [
            "a comparison needs at least two rule sets, the first being what the others are compared with.",
            FORMS,
            SEE,
        ],
    ),
    "equal cells": (
        f"compare {GAME} classic pass_count=2 direction=left",
        ["two cells have equal rules and strategies: classic and direction=left.", "  Leave one of them out."],
    ),
    "unknown preset": (
        f"compare {GAME} classic pass-tow",
        [
            "'pass-tow' is not a preset of my-ship-sails. Did you mean 'pass-two'?",
            f"  Presets: {', '.join(load(GAME).PRESETS)}.",
            FORMS,
            "  See 'shipsim rules my-ship-sails'.",
        ],
    ),
    "a rule without a value": (
        f"compare {GAME} pass_count pass_count=",
        [
            "'pass_count' is not a preset of my-ship-sails.",
            "  To compare values of that rule, write pass_count=VALUE pass_count=VALUE.",
            "  See 'shipsim rules my-ship-sails'.",
            "error: 'pass_count=' gives no value.",
            "  Write pass_count=VALUE.",
        ],
    ),
    "a strategy without its name": (
        f"compare {GAME} classic stubborn",
        ["'stubborn' is not a preset of my-ship-sails.", "  To compare strategies, write strategy=stubborn."],
    ),
    "several values": (
        f"compare {GAME} direction=left,right classic",
        [
            "'direction=left,right' is more than one rule set.",
            "  Write each as a word of its own: direction=left direction=right.",
        ],
    ),
    "half of a link": (
        f"compare {GAME} direction:pass_count=left direction:pass_count=right:2",
        [
            "'direction:pass_count=left' gives 1 of the 2 linked values.",
            "  Write direction:pass_count=VALUE:VALUE.",
        ],
    ),
    "set and compared": (
        f"compare {GAME} direction=left direction=right --set direction=left",
        [
            "direction=left: rule 'direction' is both set and varied: --set direction=left and direction=left.",
            "  Leave one of them out.",
            "error: direction=right: rule 'direction' is both set and varied: --set direction=left and "
            "direction=right.",
            "  Leave one of them out.",
        ],
    ),
    "what cannot be played": (
        f"compare {GAME} classic players=8",
        [
            "players=8: these rules cannot be played: 8 players with hand_size 7 need 56 cards, the standard deck has "
            "52: 4 missing.",
            "  See 'shipsim rules my-ship-sails'.",
        ],
    ),
    "no file": (
        f"compare {GAME} classic none.toml",
        [
            "the file 'none.toml' does not exist.",
            "  See 'shipsim rules GAME --toml' for a file to begin with.",
        ],
    ),
    "assertion": (
        f"compare {GAME} classic pass-two --assert equal",
        ["--assert: 'equal' is nothing to assert.", "  Values: same, different."],
    ),
    "until": (
        f"compare {GAME} classic pass-two --until decide",
        ["--until: 'decide' is nothing to wait for. Did you mean 'decided'?", "  Values: decided."],
    ),
    "two ways to stop": (
        f"compare {GAME} classic pass-two --until decided --precision 1pp",
        ["--until and --precision are two ways to stop.", "  Leave one of them out."],
    ),
    "a fixed number until decided": (
        f"compare {GAME} classic pass-two --until decided --games 10k",
        [
            "--games fixes the number of games, which --until leaves open.",
            "  Leave one of them out, or write --max-games N for the most games.",
        ],
    ),
    "rope": (
        f"compare {GAME} classic pass-two --rope passes=1pp",
        [
            "--rope: 'passes=1pp': passes is a mean, not a share, so percentage points (pp) do not suit it.",
            "  Write --rope passes=VALUE.",
        ],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str, call: Call) -> None:
    line, expected = BAD[name]
    shown = call(line)
    assert shown.code == 2 and shown.out == ""
    assert shown.err.splitlines() == [f"error: {expected[0]}", *expected[1:]]


def test_bad_input_for_a_run(run: Path, call: Call) -> None:
    ids = ", ".join(cell.id for cell in plan_of(run))
    cases = {
        "--games 5k": [
            "--games does not go with a run: its cells are compared as they are, and no game is played.",
            f"  More games: 'shipsim sweep --resume {run} --games N'.",
        ],
        "pass_count-4": [f"there is no cell 'pass_count-4' in '{run}'."],
        "pass_count-": [f"'pass_count-' could be 3 cells of '{run}'.", f"  Cells: {ids}."],
        "pass_count-1": [f"there is nothing to compare {ids.split(',')[0]} with.", f"  Cells: {ids}."],
    }
    for words, expected in cases.items():
        shown = call(f"compare {run} {words}")
        assert shown.code == 2 and shown.err.startswith("error: " + "\n".join(expected)), words
    shown = call(f"compare {run} pass_count-2 {ids.split(', ')[1]}")
    assert shown.err == f"error: '{ids.split(', ')[1]}' is a cell that is named twice: {ids.split(', ')[1]}.\n"


def plan_of(run: Path) -> list[Any]:
    from simcore.store import Run

    return Run.open(run).cells
