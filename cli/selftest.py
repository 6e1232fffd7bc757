"""`shipsim selftest`: known answers and determinism in some seconds; prints versions."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Iterator
from typing import Any

import click

from cli.options import Command, examples, streams_of
from cli.streams import Streams, Table
from simcore import ENGINE_VERSION, __version__
from simcore.games import GAMES, load

GAMES_EACH = 600
"""Matches of each game; with several chunks and threads."""

SPLITMIX = (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821)
"""The first words of SplitMix64 from 1234567, as its authors' program prints them."""

Check = tuple[str, Callable[[], str]]
"""What is checked, and a function that returns what is wrong, or nothing."""


@click.command(
    "selftest", cls=Command, short_help="Known answers in some seconds.", epilog=examples("shipsim selftest")
)
@streams_of
def command(streams: Streams) -> int:
    """Check the installation: known answers, and that equal seeds give equal results."""
    from cli.playing import compile_game

    versions = {
        "shipsim": f"{__version__} (engine {ENGINE_VERSION})",
        "python": f"{platform.python_version()} on {platform.system()} {platform.machine()}",
        **{name: importlib.metadata.version(name) for name in ("numpy", "numba", "scipy", "click")},
    }
    if not streams.json:
        streams.put_table(Table(("version of", "is"), list(versions.items())))
        streams.put()
    results = []
    digests: dict[str, str] = {}
    for name, check in _checks(streams, compile_game, digests):
        streams.interruption.check()
        try:
            wrong = check()
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}"
        results.append({"check": name, "passed": not wrong, "wrong": wrong})
        if not streams.json:
            streams.put(f"{'FAILED' if wrong else 'ok':6}  {name}{f': {wrong}' if wrong else ''}")
    failed = [str(result["check"]) for result in results if not result["passed"]]
    code = 1 if failed else 0
    if streams.json:
        streams.put_json(results, "failed" if failed else "done", code, versions=versions, digests=digests)
        return code
    streams.put()
    for name, digest in digests.items():
        streams.put(f"{name} {digest}: the same on every machine with engine {ENGINE_VERSION}")
    if failed:
        streams.complain(f"error: {len(failed)} of {len(results)} checks failed: {', '.join(failed)}.")
    return code


def _checks(
    streams: Streams, compile_game: Callable[[Streams, str], float], digests: dict[str, str]
) -> Iterator[Check]:
    yield "random streams", _streams
    yield "intervals of rates", _rates
    yield "differences and tests", _differences
    yield "stopping and sequences", _sequences
    for name in GAMES:
        yield f"{name}: compiles", lambda name=name: "" if compile_game(streams, name) >= 0 else "no"  # type: ignore[misc]
        yield f"{name}: wins, threads, seeds", lambda name=name: _game(name, digests)  # type: ignore[misc]
        yield f"{name}: a match can be replayed", lambda name=name: _replayed(name)  # type: ignore[misc]
    yield "my-ship-sails: hands dealt with suits 4-3-0-0", _hands


def _unlike(found: Any, known: Any, tolerance: float = 1e-9) -> str:
    """Return the numbers that differ from the known ones by more than a relative tolerance."""
    import numpy as np

    found, known = np.atleast_1d(found).astype(float), np.atleast_1d(known).astype(float)
    apart = ~(np.abs(found - known) <= tolerance * np.abs(known))
    return "; ".join(f"{a:.10g} instead of {b:.10g}" for a, b in zip(found[apart], known[apart], strict=True))


def _streams() -> str:
    import numpy as np

    from simcore import rng

    streams = np.array([1234567], np.uint64)
    words = tuple(int(rng.word(streams, 0)) for _ in SPLITMIX)
    return "" if words == SPLITMIX else f"{words} instead of {SPLITMIX}"


def _rates() -> str:
    import numpy as np

    from simcore import stats

    found = [
        *stats.wilson(15, 148),
        stats.wilson(0, 10)[1],
        *stats.wilson(250_000, 1_000_000),
        *stats.clopper_pearson(15, 148),
        stats.clopper_pearson(0, 10)[1],
        *stats.bonett_price(9, 3, 50),
    ]
    known = [
        *(0.06238639953, 0.1604872417, 0.2775327999, 0.2491522721, 0.2508496486),
        *(0.05784401008, 0.1616504903, 0.3084971078, -0.02211330283, 0.2528825336),
    ]
    return _unlike(np.array(found, dtype=float), known)


def _differences() -> str:
    import numpy as np

    from simcore import stats

    first = np.array([[1, 2, 2, 3, 3, 3, 4, 4, 5, 9]]).T
    second = np.array([[1, 1, 2, 2, 3, 2, 4, 3, 3, 5]]).T
    ones = np.ones_like(first)
    paired = stats.difference(first, ones, second, ones)
    found = [
        *(paired.difference[0], paired.low[0], paired.high[0]),
        *stats.holm([0.01, 0.04, 0.03, 0.005]),
        stats.wasserstein([0, 1, 3, 5, 6, 8], [1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]),
        *np.ravel(stats.best_of([10, 9.5, 7], 1.0)),
        *[band[0] for band in stats.quantile_interval(np.arange(1, 101), np.ones(100, int), [0.5])][1:],
    ]
    known = [1, 0.1077931829, 1.892206817, 0.03, 0.06, 0.06, 0.02, 5, -0.5, -1.5, -4, 1.5, 0.5, 0, 40, 61]
    return _unlike(np.array(found, dtype=float), known)


def _sequences() -> str:
    from simcore import stats, stopping

    low, high = stats.confidence_sequence(1e5, 0.25, 0.1875, 1e5)
    wrong = _unlike((high - low) / 2, 0.004156012526)
    wrong = wrong or _unlike(stats.pentanomial_llr([13, 37, 50, 25, 3], 0, 2.716), -0.5596626139)
    return wrong or _unlike(stopping.look_games(50_000), [10_000, 20_000, 40_000, 50_000])


def _sums(name: str, seed: int, games: int, jobs: int, parts: int = 1) -> list[int]:
    """Play the usual rules in several starts, and return all sums."""
    from simcore.cells import plan
    from simcore.simulation import Simulation

    cell = plan(load(name)).cells[0]
    tally = None
    for part in range(1, parts + 1):
        for update in Simulation([cell], seed, games * part // parts, lambda _, kept=tally: kept, jobs).run():  # type: ignore[misc]
            tally = update.tally
            if update.failed:
                raise RuntimeError(update.failed)
    assert tally is not None and tally.games == games
    return [*map(int, tally.rows.sum(axis=0)), *map(int, tally.counts)]


def _game(name: str, digests: dict[str, str]) -> str:
    import hashlib

    import simcore
    from simcore.declare import SHARE
    from simcore.record import place

    once = _sums(name, 1, GAMES_EACH, 1)
    digests[name] = hashlib.sha256(repr(once).encode()).hexdigest()[:8]
    if _sums(name, 1, GAMES_EACH, 4, parts=3) != once:
        return "three starts on four threads do not add up to what one thread gives"
    if _sums(name, 2, GAMES_EACH, 1) == once:
        return "another seed gives the same games"
    players = simcore.rules(name).players
    wins = sum(once[place(name, "match_win", ("seat",), (seat,))] for seat in range(players))
    matches, without = (once[place(name, field, (), ())] for field in ("matches", "no_winner"))
    if matches != GAMES_EACH or wins != SHARE * (matches - without):
        return f"{wins / SHARE:g} wins in {matches - without} matches with a winner"
    return ""


def _replayed(name: str) -> str:
    import numpy as np

    from simcore.cells import plan
    from simcore.simulation import play_chunk, to_task

    cell = plan(load(name)).cells[0]
    together = play_chunk(to_task(cell, 1, 0, 8, 1)).rows
    alone = play_chunk(to_task(cell, 1, 3, 1, 1)).rows[0]
    return "" if np.array_equal(together[3], alone) else "match 3 is another one when it is played alone"


def _hands() -> str:
    import math

    import simcore

    rules = simcore.rules("my-ship-sails")
    result = simcore.simulate(rules, games=4_000, seed=1)
    row = result.estimates().set_index("metric").loc["deal_4300"]
    # 28 cards, seven of each suit: four of one suit, three of another.
    known = rules.players * 12 * math.comb(7, 4) * math.comb(7, 3) / math.comb(28, 7)
    apart = abs(row["estimate"] - known) / row["se"]
    return "" if apart < 5 else f"{row['estimate']:.5f} is {apart:.1f} standard errors from {known:.5f}"
