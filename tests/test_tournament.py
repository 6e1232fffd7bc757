"""Tournaments: seats rotated on the same deals, exact nulls, a known order, and what is said about it."""

from __future__ import annotations

import itertools
import json
import math
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

import simcore
from simcore import simulation
from simcore.games import GAMES, load
from simcore.simulation import Simulation
from simcore.stats import gspr_llr, sprt_bounds
from simcore.store import read_csv
from simcore.strategies import read_seat
from simcore.tally import Tally
from simcore.tournaments import (
    Pair,
    all_cells,
    best_words,
    every_strategy,
    ladder,
    make_pair,
    make_pairs,
    stand,
    win_sums,
    wins_of,
)
from tests.calls import Call, Shown
from tests.test_shards import files


def csv_column(run: str, name: str) -> list[str]:
    return [row[name] for row in read_csv(Path(run, "cells.csv"))]


def pair_of(game: str, one: str, among: str, **rules: Any) -> Pair:
    known = load(game)
    return make_pair(known, simcore.rules(game, **rules), read_seat(known, one), read_seat(known, among))


def whole_tallies_of(pairs: list[Pair], games: int, seed: int = 1) -> dict[str, Tally]:
    updates = Simulation(all_cells(pairs), seed, games, jobs=2).run()
    return {update.cell.id: update.tally for update in updates if update.is_over}


def tallies_of(pairs: list[Pair], games: int, seed: int = 1) -> dict[str, Tally]:
    whole = whole_tallies_of(pairs, games, seed)
    return {cell.id: wins_of(cell, whole[cell.id]) for cell in all_cells(pairs)}


@pytest.mark.parametrize("game", GAMES)
def test_a_strategy_among_itself_has_exactly_no_edge(game: str) -> None:
    usual = every_strategy(load(game))[0]
    pair = pair_of(game, usual, usual, players=5 if game == "my-ship-sails" else 4)
    assert len(all_cells([pair])) == 1
    tallies = tallies_of([pair], 300)
    wins, matches = win_sums([pair], tallies)
    found = stand(pair, tallies)
    # In every block all wins are there, whoever has them: there is nothing that varies.
    assert (wins == simcore.declare.SHARE * matches // len(pair.cells)).all()
    assert abs(found.edge) < 1e-12 and found.se == 0 and found.low < 0 < found.high
    assert found.games_until_ahead > 1e12 and found.games == 300


def test_seats_are_rotated_on_the_same_deals() -> None:
    pair = pair_of("my-ship-sails", "adaptive", "random")
    names = [[str(seat).split(":")[0] for seat in cell.seats] for cell in pair.cells]
    assert names == [["adaptive" if place == seat else "random" for place in range(4)] for seat in range(4)]
    tallies = whole_tallies_of([pair], 100)
    deals = [simcore.results.Result(cell, tallies[cell.id], 1).estimates() for cell in pair.cells]
    dealt = [frame[frame.metric == "initial_best_count"].estimate.iloc[0] for frame in deals]
    # The first round of a match is the same in all; later ones depend on how many there are.
    assert max(dealt) - min(dealt) < 0.1
    wins, matches = win_sums([pair], {cell.id: wins_of(cell, tallies[cell.id]) for cell in pair.cells})
    assert wins.shape == matches.shape == (100, 1)
    assert matches.sum() == 400 - sum(int(tallies[c.id].rows[:, column("no_winner")].sum()) for c in pair.cells)
    own = sum(int(tallies[cell.id].rows[:, column("match_win", seat)].sum()) for seat, cell in enumerate(pair.cells))
    assert wins.sum() == own


def column(name: str, seat: int | None = None) -> int:
    from simcore.record import place

    return place("my-ship-sails", name, () if seat is None else ("seat",), () if seat is None else (seat,))


def test_the_better_one_is_stronger_and_the_ladder_says_so() -> None:
    known = load("my-ship-sails")
    seats = [read_seat(known, name) for name in ("random", "stubborn", "adaptive")]
    pairs = make_pairs(known, simcore.rules("my-ship-sails"), seats)
    assert [(p.one.short, p.among.short) for p in pairs] == list(
        itertools.permutations(("random", "stubborn", "adaptive"), 2)
    )
    tallies = tallies_of(pairs, 2_000)
    found = {(s.strategy, s.among): s for s in (stand(pair, tallies, len(pairs)) for pair in pairs)}
    best, worst = found["adaptive", "random"], found["random", "adaptive"]
    assert best.verdict == "stronger" and best.low > 0.5 and worst.verdict == "weaker" and worst.high < -0.2
    assert best.low < best.edge <= best.high and best.wins == pytest.approx(best.edge + 0.25)
    assert best.games_until_ahead < 10 and best.settled_after == best.games == 2_000
    rungs = ladder(pairs, tallies, list(found.values()))
    assert [rung.strategy for rung in rungs][-1] == "random" and rungs[-1].stronger_than == 0
    assert rungs[0].strategy == "adaptive" and rungs[0].edge == pytest.approx(
        (best.edge + found["adaptive", "stubborn"].edge) / 2, abs=1e-3
    )
    assert [rung.best for rung in rungs] == ["yes", "no", "no"]
    assert best_words(rungs) == "adaptive is the best"


def test_which_strategies_may_be_the_best_is_hsus_comparison() -> None:
    known, names = load("ahoi"), ("careful", "hunter", "random")
    rules = simcore.rules("ahoi", players=3)
    pairs = make_pairs(known, rules, [read_seat(known, name) for name in names])
    tallies = tallies_of(pairs, 400)
    rungs = {rung.strategy: rung for rung in ladder(pairs, tallies, [])}
    shares = []
    for name in names:
        wins, matches = win_sums([pair for pair in pairs if pair.one.short == name], tallies)
        assert (matches == matches[0]).all()  # nobody lacks a winner here, so a share is a mean of blocks
        shares.append(wins[:, 0] / matches[:, 0] / simcore.declare.SHARE)
    blocks, quantile = len(shares[0]), scipy.stats.t.ppf(1 - 0.05 / 2, len(shares[0]) - 1)
    for i, name in enumerate(names):
        rivals = []
        for j in {0, 1, 2} - {i}:
            gaps = shares[i] - shares[j]
            half = quantile * np.std(gaps, ddof=1) / math.sqrt(blocks)
            rivals.append((gaps.mean() - half, gaps.mean() + half))
        high = max(0.0, min(rival[1] for rival in rivals))
        assert rungs[name].best_high == pytest.approx(high)
        assert rungs[name].best_low <= 0 and rungs[name].best_low >= min(0.0, min(r[0] for r in rivals)) - 1e-12
    assert [rungs[name].best for name in names] == ["may be", "may be", "no"]
    assert best_words(list(rungs.values())) == "hunter and careful may be the best, the other is not"


def test_one_game_names_no_best(call: Call) -> None:
    found = call("tournament ahoi keeper careful highest --games 1 --json").json["ladder"]
    assert [(rung["best_low"], rung["best_high"], rung["best"]) for rung in found] == [(None, None, "may be")] * 3
    shown = call("tournament ahoi keeper random highest --games 2k --set players=2")
    assert "Of these strategies every one may be the best" not in shown.out
    assert "Of these strategies " in shown.out and max(map(len, shown.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("game", "one", "among", "rules"),
    [
        # Who hesitates longer than the round lasts passes at random.
        ("my-ship-sails", "hesitant:hesitation=1000", "random", {"max_passes": 40, "max_rounds": 3}),
        # Nobody gives up in so few passes.
        ("my-ship-sails", "patient:patience=50", "adaptive", {"max_passes": 40}),
    ],
)
def test_a_symmetric_null_includes_nought(game: str, one: str, among: str, rules: dict[str, Any]) -> None:
    pair = pair_of(game, one, among, **rules)
    found = stand(pair, tallies_of([pair], 1_000), 2)
    assert len(pair.cells) > 1 and found.low <= 0 <= found.high and found.verdict != "stronger"


def test_two_players_share_their_cells() -> None:
    known = load("ahoi")
    seats = [read_seat(known, name) for name in ("keeper", "random")]
    pairs = make_pairs(known, simcore.rules("ahoi", players=2), seats)
    assert len(all_cells(pairs)) == 2
    tallies = tallies_of(pairs, 400)
    first, second = (stand(pair, tallies) for pair in pairs)
    assert first.edge == pytest.approx(-second.edge) and first.verdict == "stronger"


def test_the_llr_is_that_of_deals() -> None:
    pair = pair_of("ahoi", "keeper", "highest")
    tallies = tallies_of([pair], 400)
    wins, matches = win_sums([pair], tallies)
    scores = wins[:, 0] / simcore.declare.SHARE / matches[:, 0]  # a deal a block: the mean of its four games
    known = gspr_llr(float(scores.mean()), float(scores.var(ddof=1)), 400, 0.25, 0.26)
    assert stand(pair, tallies, edge=0.01).llr == pytest.approx(known, rel=1e-9)
    assert math.isnan(stand(pair, tallies).llr)


def test_a_ladder_has_every_strategy_of_every_part() -> None:
    assert every_strategy(load("ahoi"))[0] == "keeper" and len(every_strategy(load("ahoi"))) == 6
    found = every_strategy(load("skull-king"))
    assert found[0] == "count/contract" and {"rollout/contract", "count/spoiler"} < set(found) and len(found) == 8


# On the command line


def test_tables_json_and_files(call: Call) -> None:
    shown = call("tournament my-ship-sails random adaptive --games 300 --seed 3 --out run --jobs 2")
    assert shown.code == 0 and shown.err.startswith("my-ship-sails: 2 strategies, 8 cells, 300 games each, seed 3.\n")
    lines = shown.out.splitlines()
    assert lines[0].split() == ["strategy", "edge", "interval", "ahead", "verdict"]
    assert lines[1].startswith("adaptive among random  ") and lines[1].endswith("  stronger")
    assert lines[2].startswith("random among adaptive  ") and lines[2].endswith("  weaker")
    found = call("tournament my-ship-sails random adaptive --games 300 --seed 3 --json -q --jobs 1").json
    assert (found["status"], found["exit_code"], found["seed"]) == ("done", 0, 3)
    assert [(row["strategy"], row["verdict"]) for row in found["results"]] == [
        ("random", "weaker"),
        ("adaptive", "stronger"),
    ]
    assert [rung["strategy"] for rung in found["ladder"]] == ["adaptive", "random"]
    manifest = json.loads(Path("run/manifest.json").read_text())
    assert manifest["status"] == "done" and len(manifest["cells"]) == 8
    assert manifest["cells"][0]["varied"] == {"strategy": "random+adaptive+adaptive+adaptive"}
    assert call("status run").code == 0
    assert "'run' exists already." in call("tournament my-ship-sails random adaptive --out run").err


def test_what_goes_on_shows_what_the_tournament_showed(call: Call) -> None:
    line = "tournament my-ship-sails random adaptive stubborn --set match_target=1"
    first = call(f"{line} --games 200 --out run")
    again = call("sweep --resume run")
    assert "nothing to do" in again.err and again.out == first.out and "rung" in again.out
    more = call("sweep --resume run --games 300")
    assert more.code == 0 and more.out == call(f"{line} --games 300").out != first.out
    assert call("sweep --resume run --json").json["ladder"] == call(f"{line} --games 300 --json").json["ladder"]
    # A sweep over strategies is none, whatever its cells.
    assert call("sweep ahoi --set players=2 --vary strategy=keeper+random,random+keeper --games 50 --out s").code == 0
    assert call("sweep --resume s").out.startswith("cell ")


def test_the_command_line_beats_the_environment(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHIPSIM_TOURNAMENT_GAMES", "300")
    shown = call("tournament ahoi keeper random --sprt 5pp --max-games 400")
    assert shown.code == 0 and "at most 400 games each" in shown.err
    monkeypatch.setenv("SHIPSIM_TOURNAMENT_SPRT", "5pp")
    shown = call("tournament ahoi keeper random --games 200")
    assert shown.code == 0 and "8 cells, 200 games each" in shown.err


def test_a_sequential_test_stops_at_a_look(call: Call) -> None:
    shown = call("tournament ahoi keeper random --set players=2 --sprt 1pp --json")
    assert shown.code == 0 and [row["games"] for row in shown.json["results"]] == [10_000, 10_000]
    below, above = sprt_bounds()
    assert shown.json["results"][0]["llr"] > above and shown.json["results"][1]["llr"] < below
    assert "look at 10,000 games: 0 of 2 pairs are open.\n" in shown.err
    shown = call("tournament ahoi keeper random --set players=2 --sprt 1pp")
    assert [line.split()[-2:] for line in shown.out.splitlines()[1:]] == [["above", "0"], ["1", "pp"]]
    assert "  below 1 pp\n" in shown.out and "an edge of" not in shown.out + shown.err
    assert "above 0: there is an edge, for one of 1 pp fits better than none; below 1 pp: none fits better" in shown.err
    shown = call("tournament ahoi keeper hunter --set players=2 --sprt 0.001pp --max-games 500")
    assert shown.code == 4 and "not decided in 2 of 2 pairs after 500 games each." in shown.err


UNEQUAL = "ahoi keeper careful highest --set players=2"
"""At 10,000 games of an edge of 0.5 points two of six pairs are open, and cells are shared by two pairs."""


def told(shown: Shown) -> tuple[list[Any], list[Any]]:
    return shown.json["results"], shown.json["ladder"]


def test_a_sequential_test_that_is_interrupted_ends_as_if_it_were_not(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = call(f"tournament {UNEQUAL} --sprt 0.5pp --out whole --json")
    games = [row["games"] for row in whole.json["results"]]
    assert whole.code == 0 and sorted(games) == [10_000] * 4 + [20_000] * 2
    chunks = 0

    def interrupting(task: Any, *more: Any) -> Any:
        nonlocal chunks
        chunks += 1
        if chunks == limit:
            os.kill(os.getpid(), signal.SIGINT)
        return simulation_play(task, *more)

    simulation_play = simulation.play_chunk
    monkeypatch.setattr(simulation, "play_chunk", interrupting)
    limit, interrupted = 3, 0
    shown = call(f"tournament {UNEQUAL} --sprt 0.5pp --out part --jobs 1")
    assert shown.code == 130 and "everything played is kept. Go on with: shipsim sweep --resume part" in shown.err
    assert files("part") != files("whole")
    for limit in range(3, 100):  # noqa: B007 -- it is read above
        chunks = 0
        shown = call("sweep --resume part --jobs 1 --json")
        interrupted += shown.code == 130
        if shown.code != 130:
            break
        status = call("status part").out
        assert "until edges are shown to be above 0 or below 0.5 pp, at most 100M games each" in status
        assert "  resume    shipsim sweep --resume part\n" in status and "missing" not in status
    assert interrupted > 2 and shown.code == 0
    assert files("part") == files("whole") and told(shown) == told(whole)
    assert set(csv_column("part", "status")) == {"done"} and set(csv_column("part", "games")) == {"10000", "20000"}
    # Once more changes nothing.
    again = call("sweep --resume part --json")
    assert again.code == 0 and told(again) == told(whole) and files("part") == files("whole")
    assert "6 of 6 pairs are decided." in again.err and "  status    done\n" in call("status part").out


def test_a_tournament_that_is_interrupted_goes_on_to_the_games_it_was_to_have(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(f"tournament {UNEQUAL} --games 3k --out whole -q").code == 0
    simulation_play, chunks = simulation.play_chunk, itertools.count()

    def interrupting(task: Any, *more: Any) -> Any:
        if next(chunks) == 1:  # compiling plays one
            os.kill(os.getpid(), signal.SIGINT)
        return simulation_play(task._replace(games=min(task.games, 500)), *more)

    with monkeypatch.context() as patched:
        patched.setattr(simulation, "play_chunk", interrupting)
        assert call(f"tournament {UNEQUAL} --games 3k --out part --jobs 1 -q").code == 130
    assert set(csv_column("part", "games")) != {"3000"}
    assert call("sweep --resume part -q").code == 0
    assert files("part") == files("whole")


def test_a_sequential_test_goes_on_with_more_games(call: Call) -> None:
    whole = call(f"tournament {UNEQUAL} --sprt 0.5pp --out whole --json")
    first = call(f"tournament {UNEQUAL} --sprt 0.5pp --max-games 15k --out part --json")
    assert {row["games"] for row in first.json["results"]} == {10_000, 15_000}
    shown = call("sweep --resume part --max-games 100M --json")
    assert shown.code == 0 and told(shown) == told(whole)
    assert files("part") == files("whole")
    short = call(f"tournament {UNEQUAL} --sprt 0.5pp --max-games 10k --out short")
    assert short.code == 4 and set(csv_column("short", "status")) == {"done", "imprecise"}
    assert "  go on     shipsim sweep --resume short --max-games N (more than 10,000)\n" in call("status short").out
    assert call("sweep --resume short --json").code == 4


def test_a_sequential_test_cannot_be_resumed_in_another_way(call: Call) -> None:
    assert call(f"tournament {UNEQUAL} --sprt 0.5pp --max-games 2k --out part").code == 4
    for option in ("--games 20k", "--max-time 5s"):
        shown = call(f"sweep --resume part {option}")
        assert shown.code == 2 and shown.err == (
            f"error: 'part' stops when an edge is decided, which {option.split()[0]} cannot change.\n"
            f"  Leave {option.split()[0]} out to go on as planned, up to 2,000 games a cell.\n"
            "  Write 'shipsim sweep --resume part --max-games N' to let it play more.\n"
        )
    assert call("sweep --resume part --seed 2").code == 3
    path = Path("part/manifest.json")
    whole = json.loads(path.read_text())
    for key, value in (("targets", []), ("max_games", "x"), ("decided", [{"pair": 1}]), ("decided", None)):
        path.write_text(json.dumps(whole | {"stopping": whole["stopping"] | {key: value}}))
        shown = call("status part")
        assert shown.code == 3 and "is damaged: ValueError: 'stopping' is not what it must be." in shown.err


def test_learned_tables_are_spoken_of_only_where_they_are_used(call: Call) -> None:
    for line in ("simulate skull-king --strategy {}/contract", "tournament skull-king {}/contract random"):
        for bid, is_told in (("count", False), ("calibrated", True)):
            shown = call(f"{line.format(bid)} --set loot=1 --games 10 --jobs 1")
            assert shown.code == 0 and ("note: a calibrated bid uses the tables learned" in shown.err) == is_told


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tournament", "error: the game is missing."),
        (
            "tournament ahoi keeper",
            "error: a tournament needs two strategies.\n  Name another, or none for all of ahoi.\n"
            "  See 'shipsim strategies ahoi'.\n",
        ),
        (
            "tournament ahoi keeper random keeper",
            "error: strategy 'keeper' is named twice.\n  Leave one of them out.\n",
        ),
        (
            "tournament ahoi keeper+random random",
            "error: 'keeper+random' names several seats; a tournament takes one strategy at a time.\n"
            "  Write them with blanks between.\n",
        ),
        ("tournament ahoi kepper hunterr", "error: 'kepper' is not a strategy of ahoi. Did you mean 'keeper'?\n"),
        (
            "tournament ahoi keeper random --max-games 3k",
            "error: --max-games says when to give up --sprt, which is not there.\n  Write --games N.\n",
        ),
        (
            "tournament ahoi keeper random --games 3k --sprt 1pp",
            "error: --games fixes the number of games, which --sprt leaves open.\n"
            "  Leave one of them out, or write --max-games N for the most games.\n",
        ),
        (
            "tournament ahoi keeper random --sprt turns=1",
            "error: --sprt is about match_win, not turns.\n  Write --sprt 1pp.\n",
        ),
        ("tournament ahoi keeper random --strategy random", "error: shipsim tournament has no option '--strategy'."),
    ],
)
def test_bad_input(line: str, message: str, call: Call) -> None:
    shown = call(line)
    assert shown.code == 2 and shown.err.startswith(message)


def test_players_who_play_alike_are_never_decided(call: Call) -> None:
    # Without specials there is nobody to hunt: hunter plays as keeper, and all differences are nought.
    shown = call("tournament ahoi keeper hunter --preset deck-numbers --sprt 1pp --max-games 20k")
    assert shown.code == 4 and "undecided" in shown.out
