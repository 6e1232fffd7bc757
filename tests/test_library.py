"""The library as the manual shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simcore
from simcore.errors import UsageError
from simcore.games import GAMES, load

GAME = "my-ship-sails"


def test_the_public_names_are_functions_whatever_was_imported_before() -> None:
    import simcore.library
    import simcore.results
    import simcore.simulation
    import simcore.tracing

    for name in simcore.__all__:
        value = getattr(simcore, name)
        assert callable(value) or isinstance(value, str | int), name
    assert set(simcore.__all__) == set(dir(simcore))
    with pytest.raises(AttributeError, match="module 'simcore' has no attribute 'nothing'"):
        simcore.nothing  # noqa: B018


def test_rules_know_their_game(tmp_path: Path) -> None:
    rules = simcore.rules(GAME, preset="ochse", players=4, direction="right")
    assert (rules.hand_size, rules.direction.name) == (8, "RIGHT")
    (tmp_path / "mine.toml").write_text(f'game = "{GAME}"\npreset = "ochse"\ndirection = "right"\n')
    assert simcore.rules_from_toml(tmp_path / "mine.toml") == rules
    for game in GAMES:
        assert simcore.library.game_of(simcore.rules(game)) is load(game)


def test_simulate_whatever_the_jobs() -> None:
    rules = simcore.rules(GAME, players=5)
    one, two = (simcore.simulate(rules, "patient", games=3000, seed=4, jobs=jobs) for jobs in (1, 2))
    assert one.games == two.games == 3000
    assert one.estimates().equals(two.estimates()) and one.distributions().equals(two.distributions())
    assert "3,000 games, seed 4" in repr(one)
    assert simcore.simulate(rules, games=np.int64(20)).games == simcore.simulate(rules, games=2e1).games == 20  # type: ignore[arg-type]


def test_sweep_and_save(tmp_path: Path) -> None:
    study = simcore.sweep(
        GAME, {"pass_count": [1, 2], "players:hand_size": [(4, 7), (5, 6)]}, games=200, rules={"direction": "right"}
    )
    assert [result.cell.varied["players"] for result in study.results] == ["4", "5", "4", "5"]
    assert set(study.differences().cell) == {result.cell.id for result in study.results[1:]}
    study.save(str(tmp_path / "run"))
    assert len((tmp_path / "run" / "cells.csv").read_text().splitlines()) == 5
    assert [len(simcore.sweep(GAME, {"players": range(4, 7)}, games=5).results)] == [3]


def test_trace_tells_the_match_that_was_counted() -> None:
    rules = simcore.rules(GAME)
    trace = simcore.trace(rules, seed=1, game=17)
    assert trace.game == 17 and str(trace) == "\n".join(trace.lines)
    assert trace.lines == simcore.trace(rules, "adaptive", seed=1, game=17).lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": 0}, "games must be a whole number from 1 to 1,000,000,000,000, not 0."),
        ({"games": 1.5}, "games must be a whole number from 1 to 1,000,000,000,000, not 1.5."),
        ({"games": "10"}, "games must be a whole number from 1 to 1,000,000,000,000, not '10'."),
        ({"seed": -1}, "seed must be a whole number from 0 to 18,446,744,073,709,551,615, not -1."),
        ({"jobs": 0}, "jobs must be a whole number from 1 to 1,024, not 0."),
        ({"strategy": "kind"}, "'kind' is not a strategy of my-ship-sails."),
    ],
)
def test_what_is_not_allowed_is_said(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        simcore.simulate(simcore.rules(GAME), **arguments)
    assert error.value.message == message


def test_other_things_are_no_rules() -> None:
    with pytest.raises(UsageError, match="rules are made by"):
        simcore.simulate({"players": 4})
    broken = simcore.rules(GAME)._replace(players=99)
    with pytest.raises(UsageError, match="'99' is not a value of rule 'players'"):
        simcore.simulate(broken)
