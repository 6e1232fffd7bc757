"""Plays what is compared: to a number of games, or by looks until the comparison is decided or precise."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cli.interrupt import Interrupted
from cli.looking import target_words
from cli.numbers import count_games, half_width, plural, seen_half_width
from cli.playing import compile_game, play
from cli.streams import Streams

if TYPE_CHECKING:
    from simcore.cells import Cell
    from simcore.deciding import Comparison, Stop
    from simcore.games import Game
    from simcore.results import Contrast
    from simcore.shards import Shard
    from simcore.store import Run
    from simcore.tally import Tally
    from simcore.workers import Workers


class Compared(NamedTuple):
    """What came of it.

    Attributes
    ----------
    contrasts
        The rows of each compared cell.
    games, seconds
        Games that were played, of all cells together, and how long that took.
    failed
        Why cells failed, by their id.
    is_over, is_reached, is_late
        Whether all was played that was to be; whether it is decided or precise, if that was asked for; and
        whether the time was up.
    tallies
        What was played, by the ids of the cells.
    """

    contrasts: list[list[Contrast]]
    games: int
    seconds: float
    failed: dict[str, str]
    is_over: bool
    is_reached: bool
    is_late: bool
    tallies: Mapping[str, Tally]

    @property
    def status(self) -> str:
        """The word for it in manifests and JSON."""
        if not self.is_over:
            return "interrupted"
        return "failed" if self.failed else "done" if self.is_reached else "imprecise"


def play_comparison(
    streams: Streams,
    comparison: Comparison,
    seed: int,
    games: int,
    workers: Workers,
    max_time: float | None = None,
    run: Run | None = None,
    shard: Shard | None = None,
) -> Compared:
    """Play all cells to the same games, and compare them; a signal ends it in order.

    Parameters
    ----------
    streams
        Where progress goes.
    comparison
        The cells, and when it stops by itself.
    seed, games, workers
        As `play` takes them; games of each cell, if it does not stop by itself.
    max_time
        Seconds for all of it.
    run
        Where it is saved, or None.
    shard
        Which part of the games is played; None: all.
    """
    from simcore.stopping import Look

    cells, began = comparison.cells, time.monotonic()
    tallies: dict[str, Tally] = {}

    def keep(cell: Cell, tally: Tally) -> None:
        tallies[cell.id] = tally
        if run is not None:
            run.save(cell, tally)

    def load(cell: Cell) -> Tally | None:
        if cell.id not in tallies and run is not None and (tally := run.load(cell)) is not None:
            tallies[cell.id] = tally
        return tallies.get(cell.id)

    # A run that goes on has looked before, but for the look that it was playing for.
    have = max((tally.games for cell in cells if (tally := load(cell)) is not None), default=0)
    looks = comparison.stop.looks() if comparison.stop else [games]
    looks = [look for look in looks if look >= have] or looks[-1:]
    record: list[Look] = []
    if run is not None and comparison.stop is not None:
        record = [row for row in run.read_looks() if row.games < looks[0]]
    failed: dict[str, str] = {}
    contrasts: list[list[Contrast]] = []
    played, is_over, is_reached, is_late = 0, False, comparison.stop is None, False
    with contextlib.suppress(Interrupted):
        compile_game(streams, cells[0].game, cells)
        began = time.monotonic()
        until = math.inf if max_time is None else began + max_time
        for look in looks:
            if run is not None and run.manifest["games"] != look:
                run.note(games=look)
            done = play(streams, cells, seed, look, workers, keep, load, until, shard)
            played += done.games
            failed |= done.failed
            is_over = done.cells == len(cells)
            is_late = not is_over and not streams.interruption.exit_code
            contrasts = comparison.contrasts(load)
            if not is_over or failed:
                break
            record += comparison.look(contrasts)
            if run is not None and comparison.stop:
                run.write_looks(record)
            is_reached = comparison.is_reached(contrasts)
            say_look(streams, comparison, look, contrasts)
            if is_reached:
                break
    seconds, is_over = time.monotonic() - began, is_over or is_late
    found = Compared(contrasts, played, seconds, failed, is_over, is_reached and not failed, is_late, tallies)
    if run is not None:
        _finish(run, comparison, record, found)
    return found


def _finish(run: Run, comparison: Comparison, record: Sequence[Any], found: Compared) -> None:
    run.note(failed=found.failed)
    if comparison.stop is not None:
        reason = "max_time" if found.is_late else comparison.stop.rule if found.is_reached else "max_games"
        run.note(stopped_by=reason, reproducible=not found.is_late)
        run.write_looks(record)
    run.finish(found.status)


def aim_of(game: Game, stop: Stop) -> str:
    """Return what a comparison that stops by itself aims at, in words."""
    from simcore.deciding import DECIDED

    return " and ".join(stop.targets) if stop.rule == DECIDED else target_words(game, [*stop.targets.items()])


def amount_of(game: Game, stop: Stop | None, games: int) -> str:
    """Return how much is played of each cell, in words: a fixed number of games, or until when and at most."""
    from simcore.deciding import DECIDED

    each = f"{count_games(games)} each"
    if stop is None:
        return each
    verb = (" is decided" if len(stop.targets) == 1 else " are decided") if stop.rule == DECIDED else ""
    return f"until {aim_of(game, stop)}{verb}, at most {each}"


def say_look(streams: Streams, comparison: Comparison, look: int, contrasts: Sequence[Sequence[Contrast]]) -> None:
    """Say what a look saw of the metrics that let the comparison stop."""
    from simcore.deciding import DECIDED, simple_rows
    from simcore.deciding import half_width as half

    stop = comparison.stop
    if stop is None:
        return
    seen = []
    for name, target in stop.targets.items():
        rows = [row for rows in contrasts for row in simple_rows(rows) if row.metric.name == name]
        if not rows:
            seen.append(f"{name} never occurred")
        elif stop.rule == DECIDED:
            open_ones = sum(row.row.verdict == "undecided" for row in rows)
            seen.append(
                f"{name} undecided in {open_ones} of {plural(len(rows), 'row')}" if open_ones else f"{name} decided"
            )
        else:
            rate = rows[0].metric.rate
            widest = max(map(half, rows))
            seen.append(f"{name} {seen_half_width(widest, rate)} (target {half_width(target, rate)})")
    streams.say(f"look at {count_games(look)}: {', '.join(seen)}.")


def begin_run(
    folder: str | Path,
    comparison: Comparison,
    seed: int,
    games: int,
    jobs: int,
    command: str,
    shard: Shard | None = None,
) -> Run:
    """Make the folder of a comparison that is to be saved.

    Raises
    ------
    UsageError
        If there is something of that name.
    """
    from simcore.store import Run, make_manifest

    cells, stop = comparison.cells, comparison.stop
    manifest = make_manifest(
        cells,
        seed,
        games,
        command=command,
        axes=[{"names": list(cells[0].varied), "axis": "compare"}],
        design="compare",
        stopping=stop.described() if stop else "fixed number of games",
        comparison=comparison.described(),
        skipped=[],
        **({"shard": str(shard)} if shard else {}),
    )
    run = Run.create(folder, manifest, cells)
    run.note(status="running", jobs=jobs, started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), failed={})
    return run
