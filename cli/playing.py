"""Plays cells while showing progress, keeping what was played, and ending in order at a signal."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cli.interrupt import run_aside
from cli.numbers import duration
from cli.progress import Progress
from cli.streams import Streams
from simcore.errors import ShipsimError, raise_all

if TYPE_CHECKING:
    from simcore.cells import Cell
    from simcore.shards import Shard
    from simcore.tally import Tally
    from simcore.workers import Workers

SAVE_SECONDS = 5.0
"""A cell under way is saved so often."""


class Played(NamedTuple):
    """What happened: games of this start, seconds, cells that are over, reasons of those that failed."""

    games: int
    seconds: float
    cells: int
    failed: dict[str, str]


def compile_game(streams: Streams, name: str, cells: Sequence[Cell] | None = None, *, is_logged: bool = False) -> float:
    """Compile what plays (or logs) the cells of a game, or load it if that was done before; return the seconds.

    Without cells, all that plays the game is compiled.

    Raises
    ------
    Interrupted
        If a signal came before the end.
    """
    began = time.monotonic()

    def prepare() -> None:
        from simcore import games
        from simcore.cells import plan
        from simcore.jit import is_compiled
        from simcore.simulation import play_chunk, to_task

        needed = set(games.kernels(name))
        if cells is not None:
            needed = {games.kernel_for(name, cell.rules, cell.seats) for cell in cells}
        if is_logged:
            needed.add(games.ANY)
        is_new = not all(is_compiled(getattr(games.kernel(name), kernel)) for kernel in needed)
        if is_new:
            streams.say(f"compiling {name} for such rules: kept for later runs ...")
        compiling = time.monotonic()
        nothing = to_task(plan(games.load(name)).cells[0], 1, 0, 0, 1)
        for kernel in sorted(needed):
            play_chunk(nothing._replace(kernel=kernel))
        if is_new:
            streams.say(f"compiled in {duration(time.monotonic() - compiling)}.")

    run_aside(prepare, streams.interruption)
    return time.monotonic() - began


def try_own(streams: Streams, cells: Sequence[Cell], seed: int) -> None:
    """Try the users' own strategies of cells, if there are any, before anything is played or saved.

    Raises
    ------
    UsageError
        For what is wrong with them.
    Interrupted
        If a signal came before the end.
    """
    if not any(any(seat.own) for cell in cells for seat in cell.seats):
        return
    compile_game(streams, cells[0].game, cells)
    failed: list[ShipsimError] = []

    def prepare() -> None:
        from simcore.owncode import try_out

        try:
            try_out(cells, seed, streams.say)
        except ShipsimError as error:
            failed.append(error)

    run_aside(prepare, streams.interruption)
    raise_all(failed)


def widest(cell: Cell, tally: Tally, metric: str = "match_win") -> float:
    """Return the widest half width of a metric's intervals in a cell."""
    from simcore.results import estimate

    return max(
        ((row.high - row.low) / 2 for row in estimate(cell, tally) if row.metric == metric), default=float("nan")
    )


def play(
    streams: Streams,
    cells: Sequence[Cell],
    seed: int,
    games: int,
    workers: Workers,
    keep: Callable[[Cell, Tally], None],
    load: Callable[[Cell], Tally | None] = lambda cell: None,
    until: float = math.inf,
    shard: Shard | None = None,
) -> Played:
    """Play cells; a signal or the end of the time ends it in order, and then not all of them are over.

    Parameters
    ----------
    streams
        Where progress goes.
    cells, seed, games, shard
        As `Simulation` takes them.
    workers
        Who plays.
    keep
        Is given each cell's tally now and then, and at its end or that of the run.
    load
        Gives what was played before.
    until
        When to end, as `time.monotonic` says it.
    """
    from simcore.simulation import Simulation

    known: dict[str, int] = {}
    loaded: dict[str, int] = {}
    saved_at: dict[str, float] = {}
    before = 0

    def load_known(cell: Cell) -> Tally | None:
        nonlocal before
        tally = load(cell)
        known[cell.id] = loaded[cell.id] = tally.games if tally else 0
        before += known[cell.id]
        return tally

    simulation = Simulation(cells, seed, games, load_known, workers.jobs, workers.executor, shard)
    each = len(shard.span(games)) if shard else games
    failed: dict[str, str] = {}
    over, played = 0, 0
    began = time.monotonic()
    with (
        streams.interruption.gracefully(simulation.stop),
        Progress(streams, len(cells), len(cells) * each) as progress,
    ):
        try:
            with _closing(simulation.run()) as updates:
                for update in updates:
                    cell, tally = update.cell, update.tally
                    played += tally.games - known[cell.id]
                    known[cell.id] = tally.games
                    if update.failed:
                        failed[cell.id] = update.failed
                    now = time.monotonic()
                    if now >= until:
                        simulation.stop()
                    if update.is_over or now - saved_at.setdefault(cell.id, now) >= SAVE_SECONDS:
                        keep(cell, tally)
                        saved_at[cell.id] = now
                    over += update.is_over
                    progress.update(over, before + played, played, lambda cell=cell, tally=tally: widest(cell, tally))  # type: ignore[misc]
        finally:
            for cell, tally in simulation.under_way:
                played += tally.games - known.get(cell.id, 0)
                # One without a new game would be saved in blocks of the games that it was to have.
                if tally.games > loaded.get(cell.id, 0):
                    keep(cell, tally)
    return Played(played, time.monotonic() - began, over, failed)


@contextlib.contextmanager
def _closing(updates: Iterator[Any]) -> Iterator[Iterator[Any]]:
    """Close a generator at the end, so that what runs is taken in before anything is saved."""
    try:
        yield updates
    finally:
        updates.close()  # type: ignore[attr-defined]
