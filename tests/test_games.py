"""What every game owes the core: one contract, tested for all of them, and digests that guard the engine's version.

``python -m tests.test_games --write`` writes digests of runs and fields that have none yet, and all of them after
ENGINE_VERSION was raised. Digests that changed under the same version it refuses to write, unless ``--unreleased``
says that nobody can have results of that version.
"""

from __future__ import annotations

import functools
import itertools
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import simcore
from simcore import games, jit, log
from simcore.declare import SHARE
from simcore.jit import INTERPRETED, OWN_SIGNATURE
from simcore.own import Own
from simcore.record import bins, tally_dtype
from simcore.strategies import Chosen, Seat
from tests.digests import changed, digests_of, saved_digests, write_digests
from tests.kernels import SHORT, Case, play, random_cases, usual
from tests.twins import random_rules

ROOT = Path(__file__).parents[1]

CONSTANT = {
    ("my-ship-sails", "match_tie"): "a tie on points goes to who reached the target, or to nobody",
    ("my-ship-sails", "choice_turns"): "every pass is a choice, so it always equals turns",
    ("ahoi", "no_winner"): "the fewest points always win, if need be shared",
    ("skull-king", "no_winner"): "the highest total always wins, if need be shared",
}
"""Metrics that have the same estimate in every match, and why."""


@pytest.fixture(params=games.GAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# Declarations


def test_declarations_fit_each_other() -> None:
    for name in games.GAMES:
        game = games.load(name)
        assert name == game.NAME
        assert SHARE % np.lcm.reduce(np.arange(1, game.MAX_PLAYERS + 1)) == 0
        assert len({(metric.name, metric.by) for metric in game.METRICS}) == len(game.METRICS)
        assert {"match_win", "match_tie", "no_winner", "choice_turns"} <= {metric.name for metric in game.METRICS}
        fields = {*(tally_dtype(name).names or ())}
        for metric in game.METRICS:
            assert metric.per in fields and set(metric.by) <= set(game.KEYS)
            assert metric.values is None or bins(metric) <= 4096
        for key, find in ((game.LONGEST, True), (game.CLOSEST, False), (game.DEFICIT, False)):
            assert key in {metric.name for metric in game.METRICS} or (key is None and not find)
        for number in range(40):
            rules = random_rules(name, random.Random(number))
            sizes = game.key_sizes(rules)
            assert sizes.keys() == game.KEYS.keys()
            assert all(1 <= sizes[key] <= game.KEYS[key].size for key in sizes)
            assert sizes["seat"] == rules.players


IMPORTS = """
import sys
import simcore
from simcore import axes, cells, declare, errors, folders, games, sources, strategies
for name in games.GAMES:
    games.load(name)
print(*sorted({"numpy", "numba", "scipy", "pandas", "llvmlite"} & sys.modules.keys()))
"""
KERNEL_IMPORTS = """
import sys
from simcore import games
for name in sys.argv[1:]:
    games.kernel(name)
for module in list(sys.modules.values()):
    if module.__name__.partition(".")[0] in ("simcore", "cli", "reports", "tests") and module.__file__:
        print(module.__file__)
"""


def output_of(program: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()


def test_rules_and_strategies_need_no_numpy() -> None:
    assert output_of(IMPORTS) == []


def test_kernels_import_only_what_their_cache_is_named_by(name: str) -> None:
    imported = {Path(path) for path in output_of(KERNEL_IMPORTS, name)}
    package = ROOT / "simcore"
    # The package's own file holds names only; the cache's name is made from all the others.
    assert imported - {package / "__init__.py"} <= set(jit.sources())
    assert package / "games" / games.GAMES[name] / "kernel.py" in imported


def test_a_cache_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "temp").mkdir()
    program = (
        "import os; from simcore import jit; assert jit.CACHE_FOLDER.is_dir(), jit.CACHE_FOLDER\n"
        "if os.fork() == 0: raise SystemExit\n"
        "os.wait(); assert jit.CACHE_FOLDER.is_dir(); print(jit.CACHE_FOLDER.parent)"
    )
    environment = {**os.environ, "SHIPSIM_CACHE": str(tmp_path / "file" / "cache"), "TMPDIR": str(tmp_path / "temp")}
    environment |= {"PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "0"}
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == f"{tmp_path / 'temp'}\n" and not any((tmp_path / "temp").iterdir())


# Playing


@pytest.mark.interpreted
def test_matches_in_one_call_are_the_same_as_one_by_one(name: str) -> None:
    for case in random_cases(name):
        first, matches = case.seed % 1000, 4 if INTERPRETED else 10
        single = [play(case, first + i, 1) for i in range(matches)]
        assert [(one.status, one.played) for one in single] == [(log.DONE, 1)] * matches, str(case)
        for block in (1, 2, 4, 64):
            together = play(case, first, matches, block)
            assert (together.status, together.played) == (log.DONE, matches)
            expected = np.zeros_like(together.tally).view(np.int64).reshape(len(together.tally), -1)
            for i, one in enumerate(single):
                expected[(first + i) // block - first // block] += one.tally.view(np.int64)
            assert together.tally.tobytes() == expected.tobytes(), str(case)
            assert np.array_equal(together.counts.view(np.int64), sum(one.counts.view(np.int64) for one in single))


@pytest.mark.interpreted
def test_any_cutting_of_matches_gives_the_same_sums(name: str) -> None:
    for case in random_cases(name):
        rng, matches, block = random.Random(case.seed), 5 if INTERPRETED else 30, 8
        whole = play(case, 16, matches, block)
        cuts = sorted({0, matches, *(rng.randrange(matches) for _ in range(4))})
        sums = np.zeros(len(whole.tally) * tally_dtype(name).itemsize // 8, np.int64).reshape(len(whole.tally), -1)
        counts = np.zeros_like(whole.counts.view(np.int64))
        for start, end in itertools.pairwise(cuts):
            part = play(case, 16 + start, end - start, block)
            place = (16 + start) // block - 2
            sums[place : place + len(part.tally)] += part.tally.view(np.int64).reshape(len(part.tally), -1)
            counts += part.counts.view(np.int64)
        assert sums.tobytes() == whole.tally.tobytes(), str(case)
        assert np.array_equal(counts, whole.counts.view(np.int64))


@pytest.mark.interpreted
def test_a_logged_match_is_the_same_match(name: str) -> None:
    for case in random_cases(name):
        off, on = play(case, 7, 3), play(case, 7, 3, rows=200_000)
        assert on.status == log.DONE and on.same_sums(off), str(case)
        # The log holds the last match, however many came before it.
        alone = play(case, 9, 1, rows=200_000)
        events = int(on.log[0, 0])
        assert events > 0
        assert np.array_equal(on.log[: events + 1], alone.log[: events + 1])
        # One row short of what is needed the match does not count, and the ones before it do.
        assert play(case, 9, 1, rows=events + 1).same_sums(alone)
        assert play(case, 9, 1, rows=events)[:2] == (log.LOG_FULL, 0)
        assert play(case, 7, 3, rows=2)[:2] == (log.LOG_FULL, 0)


@pytest.mark.interpreted
def test_same_seed_same_match_and_another_seed_another(name: str) -> None:
    case = usual(name, **SHORT.get(name, {}))
    matches = 4 if INTERPRETED else 30
    assert play(case, 0, matches).same_sums(play(case, 0, matches))
    for other in (case._replace(seed=2), case._replace(seed=case.seed + 2**63)):
        assert not play(case, 0, matches).same_sums(play(other, 0, matches))
    tally = play(case, 0, matches).tally
    assert len({row.tobytes() for row in tally}) > matches // 2
    assert not play(case, 0, matches).same_sums(play(case, matches, matches))


@pytest.mark.interpreted
def test_stop_flag_is_looked_at_before_each_match(name: str) -> None:
    case = usual(name)
    stopped = play(case, 0, 10, stop=1)
    assert stopped[:2] == (log.DONE, 0)
    assert not stopped.tally.view(np.int64).any() and not stopped.counts.view(np.int64).any()


def columns_in_use(case: Case, field: str, by: tuple[str, ...], values: Any) -> Any:
    """Return values (..., keys) where the keys exist under the rules, and whether all others are zero."""
    sizes = games.load(case.name).key_sizes(case.rules)
    inside = np.zeros(values.shape[1 : 1 + len(by)], bool)
    inside[tuple(slice(sizes[key]) for key in by)] = True
    if not by:
        return values
    assert not values[:, ~inside].any(), (field, str(case))
    return values[:, inside]


@pytest.mark.interpreted
def test_sums_are_sound(name: str) -> None:
    game = games.load(name)
    fields_by = dict(game.COUNTS)
    for metric in game.METRICS:
        fields_by.setdefault(metric.field or metric.name, metric.by)
    for case in random_cases(name):
        matches = 3 if INTERPRETED else 40
        played = play(case, 0, matches)
        tally, counts = played.tally, played.counts
        assert (tally["matches"] == 1).all()
        wins = tally["match_win"].sum(axis=1)
        assert np.array_equal(wins, SHARE * (1 - tally["no_winner"])), str(case)
        assert np.array_equal(tally["match_tie"], ((tally["match_win"] % SHARE) > 0).any(axis=1)), str(case)
        for field, by in fields_by.items():
            columns_in_use(case, field, by, tally[field])
        for metric in game.METRICS:
            field = metric.field or metric.name
            if metric.rate:
                per = tally[metric.per].reshape(matches, -1)
                top = metric.scale * (per if per.shape[1] == 1 else per.sum(axis=1, keepdims=True))
                values = tally[field].reshape(matches, -1)
                assert (values >= 0).all() and (values <= top).all(), (metric.name, str(case))
            if metric.values is None:
                continue
            # A distribution holds each value once for each of what it is per, and adds up to the sum.
            histogram = columns_in_use(case, field, metric.by, counts[field]).reshape(-1, bins(metric))
            per_sum = columns_in_use(case, metric.per, fields_by[metric.per], tally[metric.per]).sum()
            assert (histogram.sum(axis=1) == per_sum).all(), (metric.name, str(case))
            if not histogram[:, [0, -1]].any():
                values = metric.values[0] + np.arange(bins(metric))
                sums = columns_in_use(case, field, metric.by, tally[field]).sum(axis=0)
                assert np.array_equal(histogram @ values, np.ravel(sums)), (metric.name, str(case))


def test_every_metric_changes_in_some_match(name: str) -> None:
    game = games.load(name)
    seen: dict[tuple[str, tuple[str, ...]], set[tuple[int, float]]] = {}
    cases = [*random_cases(name, 40), usual(name), *(usual(name, **preset) for preset in game.PRESETS.values())]
    for case in cases:
        tally = play(case, 0, 60).tally
        for metric in game.METRICS:
            values = tally[metric.field or metric.name].reshape(60, -1)
            per = tally[metric.per].reshape(60, -1)
            if per.shape != values.shape:
                per = np.broadcast_to(per.sum(axis=1, keepdims=True), values.shape)
            ratios = {(column, x / n) for (i, column), x in np.ndenumerate(values) if (n := per[i, column])}
            seen.setdefault((metric.name, metric.by), set()).update(ratios)
    for (metric_name, by), ratios in seen.items():
        is_constant = (name, metric_name) in CONSTANT
        # One column that takes two values is enough.
        changes = len(ratios) > len({column for column, _ in ratios})
        assert changes != is_constant, (metric_name, by, ratios)


# A user's own strategy


def compiled(function: Callable[[Any, Any, Any], Any]) -> Any:
    return function if INTERPRETED else numba.cfunc(OWN_SIGNATURE)(function)


def choose_first(view: Any, options: Any, random_word: Any) -> Any:
    return 0


def choose_last(view: Any, options: Any, random_word: Any) -> Any:
    return options - 1


def choose_any(view: Any, options: Any, random_word: Any) -> Any:
    return np.int64(random_word >> np.uint64(33)) % options


def choose_too_high(view: Any, options: Any, random_word: Any) -> Any:
    return options


def choose_too_low(view: Any, options: Any, random_word: Any) -> Any:
    return -1


@functools.cache
def own(function: Callable[[Any, Any, Any], Any]) -> Any:
    return compiled(function)


def with_own(case: Case, seats: tuple[int, ...]) -> Case:
    """Return the case with a user's own strategy at some seats."""
    game = games.load(case.name)
    mine = Seat(
        {part: Chosen("mine", Own("mine.py", "mine", "")) for part in game.PARTS}, case.seats[0].parameters, (), game
    )
    return case._replace(seats=tuple(mine if i in seats else seat for i, seat in enumerate(case.seats)))


@pytest.mark.interpreted
def test_own_strategies_play_legal_matches(name: str) -> None:
    matches = 2 if INTERPRETED else 20
    for case in (usual(name, **SHORT.get(name, {})), *random_cases(name, 2 if INTERPRETED else 6)):
        everybody = tuple(range(case.rules.players))
        results = []
        for function in (choose_first, choose_last, choose_any):
            for seats in ((0,), everybody):
                played = play(with_own(case, seats), 0, matches, own=own(function))
                assert played[:2] == (log.DONE, matches), (function.__name__, str(case))
                assert play(with_own(case, seats), 0, matches, own=own(function)).same_sums(played)
                results.append(played.tally.tobytes())
        if case.rules == usual(name, **SHORT.get(name, {})).rules:
            assert len(set(results)) == len(results)
        # Nobody is asked where nobody has a strategy of the own.
        assert play(case, 0, matches, own=own(choose_too_high)).same_sums(play(case, 0, matches))


@pytest.mark.interpreted
@pytest.mark.parametrize("function", [choose_too_high, choose_too_low])
def test_a_choice_that_does_not_exist_ends_the_matches(name: str, function: Callable[..., Any]) -> None:
    case = usual(name, **SHORT.get(name, {}))
    for seats in ((0,), (case.rules.players - 1,), tuple(range(case.rules.players))):
        for rows in (0, 50_000):
            played = play(with_own(case, seats), 0, 5, rows=rows, own=own(function))
            # Some first matches may end before a choice comes up.
            assert played.status == log.ILLEGAL_CHOICE and played.played < 5
            assert played.tally["matches"].sum() <= played.played + 1


def test_kernels_have_one_compiled_form(name: str) -> None:
    if INTERPRETED:
        pytest.skip("nothing is compiled")
    for case in (*random_cases(name, 4), with_own(usual(name), (0,))):
        play(case, 3, 2, rows=10, own=own(choose_first))
        play(case, 0, 2)
    kernels = [getattr(games.kernel(name), kernel) for kernel in games.kernels(name)]
    assert len(games.kernel(name).play_many.signatures) == 1 and all(len(kernel.signatures) <= 1 for kernel in kernels)


# Digests


@pytest.mark.interpreted
def test_results_change_only_with_the_engine_version(name: str) -> None:
    saved, found = saved_digests(), digests_of(name)
    assert saved["engine_version"] == simcore.ENGINE_VERSION, (
        "ENGINE_VERSION was raised: run 'python -m tests.test_games --write' and say in the changelog what changed."
    )
    differing = changed(saved, found)
    assert not differing, (
        f"these results changed: {'; '.join(differing)}. If that is meant, raise ENGINE_VERSION in simcore/__init__.py "
        "(saved runs of the old one are then refused), and run 'python -m tests.test_games --write'. If not, look for "
        "a draw that moved: the order of draws is in the game's draws.md."
    )
    missing = [f"{run}: {field}" for run in found for field in found[run].keys() - saved["runs"].get(run, {}).keys()]
    assert not missing, f"no digests yet of {'; '.join(missing)}: run 'python -m tests.test_games --write'."


if __name__ == "__main__":
    if "--write" not in sys.argv:
        sys.exit(__doc__)
    write_digests("--unreleased" in sys.argv)
