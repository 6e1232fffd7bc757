"""`shipsim trace`: which game is told, of which cell."""

from __future__ import annotations

import pytest

import simcore
from simcore.games import GAMES, load
from tests.calls import Call

GAME = "my-ship-sails"


def test_trace_tells_the_same_story_as_the_library(call: Call) -> None:
    shown = call(f"trace {GAME} --game 5 --seed 2 --set players=5")
    assert shown.out.splitlines() == simcore.trace(simcore.rules(GAME, players=5), seed=2, game=5).lines
    found = call(f"trace {GAME} --game 5 --seed 2 --set players=5 --json").json["results"]
    assert found["story"] == shown.out.splitlines()
    assert found["events"][0]["event"] == "match" and found["events"][-1]["event"] == "match_won"


def test_find_the_longest_game(call: Call) -> None:
    found = call(f"trace {GAME} --find longest --games 600 --json").json["results"]
    passes = [
        sum(event["event"] in ("round_won", "stalemate") for event in entry["events"])
        for entry in (found, call(f"trace {GAME} --game 1 --json").json["results"])
    ]
    assert 0 <= found["game"] < 600 and found["value"] > 0 and passes[0] >= 3
    # Rounds that run to the limit would always be the longest, so they are left out, and it says so.
    line = f"trace {GAME} --set max_rounds=1 --set max_passes=9 --games 100"
    stuck = call(f"{line} --find longest --json").json["results"]
    assert stuck["value"] <= 9 and "stalemate" not in [event["event"] for event in stuck["events"]]
    others = [call(f"{line} --game {number} --json").json["results"] for number in range(9)]
    assert any(event["event"] == "stalemate" for other in others for event in other["events"])
    words = "in all its rounds (passes (or laps) of a round that ended with a call; other rounds count nothing)"
    assert f"passes = {stuck['value']:g} {words}.\n" in call(f"{line} --find longest").err


@pytest.mark.parametrize("name", GAMES)
def test_each_game_says_what_can_be_found_in_it(name: str, call: Call) -> None:
    shown = call(f"trace {name} --find shortest")
    lines = shown.err.splitlines()
    assert shown.code == 2 and lines[0].startswith(f"error: 'shortest' is nothing to find in {name}.")
    found = {line.split(":")[0].strip(): line.split("(")[0].split()[-1] for line in lines[2:]}
    game = load(name)
    words = ("longest", "closest", "comeback")
    expected = dict(zip(words, (game.LONGEST, game.CLOSEST, game.DEFICIT), strict=True))
    assert found == {word: metric for word, metric in expected.items() if metric}
    told = " ".join(call("trace --help").out.split())
    for word in words:
        if word in found:
            assert f"{found[word]} = " in call(f"trace {name} --find {word} --games 20").err
            assert f" {found[word]})" in told.split(f"{name}: ")[1].split(f"{word} (")[1].split(",")[0]
        else:
            assert call(f"trace {name} --find {word}").err.startswith(
                f"error: '{word}' is nothing to find in {name}.\n"
            )


def test_a_cell_is_known_by_what_its_id_begins_with(call: Call) -> None:
    assert call(f"sweep {GAME} --vary players=4,5 --vary direction=left,right --games 10 --out run -q").code == 0
    told = call("trace run --cell players-5-direction-right").out
    assert told.splitlines() == simcore.trace(simcore.rules(GAME, players=5, direction="right")).lines
    assert call("trace run --cell players-5-direction-r").out == told
    several = call("trace run --cell players-5")
    assert several.code == 2 and several.err.startswith(
        "error: 'players-5' could be 2 cells of 'run'.\n  Cells: players-5-"
    )
    assert call("trace run --cell player-5").err.startswith("error: there is no cell 'player-5' in 'run'.")
