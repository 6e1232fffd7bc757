"""Cuts the games of cells into chunks, runs them on an executor, and joins what comes back, in order.

A chunk is a range of games that takes about a tenth of a second. Its size depends on timing, and no result
depends on its size: sums are exact and every game has its own random streams.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from simcore import games, log
from simcore.cells import Cell
from simcore.jit import without_collector
from simcore.owncode import Owns, compiled, explain, owns_of
from simcore.record import as_rows, counts_dtype, tally_dtype, to_record, to_strategies, width
from simcore.tally import Integers, Tally, block_for

CHUNK_SECONDS = 0.1
FIRST_CHUNK = 64
MAX_CHUNK = 1 << 22


class Task(NamedTuple):
    """One chunk: everything that a worker needs; `own` says which users' functions to compile there."""

    game: str
    record: Any
    strategies: Any
    seed: int
    first: int
    games: int
    block: int
    stop: Any
    own: Owns = ()


class Done(NamedTuple):
    """What a worker gives back: status of the kernel, games played, their sums, seconds it took."""

    status: int
    games: int
    rows: Integers
    counts: Integers
    seconds: float


def to_task(cell: Cell, seed: int, first: int, matches: int, block: int) -> Task:
    """Return the task of playing some of a cell's games, all of them unless the process ends."""
    return Task(
        cell.game,
        to_record(cell.game, cell.rules),
        to_strategies(cell.game, cell.seats),
        seed,
        first,
        matches,
        block,
        np.zeros(1, np.uint8),
        owns_of(cell.seats),
    )


def play_chunk(task: Task, choose_own: Any = None) -> Done:
    """Play the games of one chunk; the functions of the task's `own` decide, unless another is given."""
    if choose_own is None:
        choose_own = compiled(task.game, task.own)
    began = time.perf_counter()
    blocks = (task.first + task.games - 1) // task.block - task.first // task.block + 1
    tally = np.zeros(blocks, tally_dtype(task.game))
    counts = np.zeros(1, counts_dtype(task.game))
    play_many = games.kernel(task.game).play_many
    with without_collector(play_many):
        status, played = play_many(
            task.record,
            task.strategies,
            np.uint64(task.seed),
            np.int64(task.first),
            np.int64(task.games),
            np.int64(task.block),
            tally,
            counts[0],
            np.zeros((0, log.WIDTH), np.int32),
            task.stop,
            choose_own,
        )
    if status == log.ILLEGAL_CHOICE:
        # What was added up of the match that broke off must not count, so those before it are played again alone.
        again = play_chunk(task._replace(games=int(played)), choose_own)
        return again._replace(status=log.ILLEGAL_CHOICE) if again.games == played else again
    return Done(int(status), int(played), as_rows(tally), counts.view(np.int64), time.perf_counter() - began)


def count_jobs(jobs: int | str = "auto") -> int:
    """Return the number of threads: as asked, or as many as there are cores for this process."""
    if jobs != "auto":
        return int(jobs)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def empty_tally(game: str, total: int, first: int = 0) -> Tally:
    """Return a tally of no games, in blocks fit for so many."""
    counts = counts_dtype(game).itemsize // 8
    return Tally.empty(width(game), counts, block_for(total), first)


@dataclass(eq=False)
class _Course:
    """How far a cell has come."""

    cell: Cell
    tally: Tally
    end: int
    record: Any
    strategies: Any
    issued: int
    waiting: dict[int, tuple[int, Done]] = field(default_factory=dict)
    per_second: float = 0.0
    failed: str = ""


class Update(NamedTuple):
    """Progress: a cell, its tally so far, why it failed, if it did, and whether it is over."""

    cell: Cell
    tally: Tally
    failed: str
    is_over: bool


class Simulation:
    """Plays the games of many cells, one after the other, and keeps in memory only those under way.

    Parameters
    ----------
    cells
        All of one game.
    seed
        Of the random streams.
    games
        How many games each cell is to have in the end, counted from game 0.
    load
        Gives what was played of a cell before, or None.
    jobs
        Number of workers.
    executor
        Runs the chunks; threads by default.
    """

    def __init__(
        self,
        cells: Iterable[Cell],
        seed: int,
        games: int,
        load: Callable[[Cell], Tally | None] = lambda cell: None,
        jobs: int = 1,
        executor: Executor | None = None,
    ) -> None:
        self.seed = seed
        self.games = games
        self.jobs = jobs
        self._load = load
        self._executor = executor
        self._stop = np.zeros(1, np.uint8)
        self._queue = iter(cells)
        self._courses: list[_Course] = []

    @property
    def under_way(self) -> list[tuple[Cell, Tally]]:
        """The cells that are begun and not over, with all that was played of them."""
        return [(course.cell, course.tally) for course in self._courses]

    def stop(self) -> None:
        """Let no further game begin; `run` ends as soon as the running ones have ended."""
        self._stop[0] = 1

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return bool(self._stop[0])

    def run(self) -> Iterator[Update]:
        """Play, and report every cell whose tally has grown, the last time when it is over.

        What was played when the caller stops, or is interrupted while waiting, is in `under_way`.
        """
        executor = self._executor or ThreadPoolExecutor(self.jobs, thread_name_prefix="shipsim")
        running: dict[Future[Done], tuple[_Course, int, int]] = {}
        try:
            while True:
                while len(running) < 2 * self.jobs and not self.is_stopped:
                    course = self._next_course()
                    if course is None:
                        break
                    if course.issued == course.end:
                        self._courses.remove(course)
                        yield Update(course.cell, course.tally, "", True)
                        continue
                    task = self._issue(course)
                    running[executor.submit(play_chunk, task)] = (course, task.first, task.games)
                if not running:
                    break
                # A time limit lets the main thread notice an interrupt at once.
                done, _ = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
                for future in done:
                    course, first, asked = running.pop(future)
                    if course in self._courses and self._join(course, first, asked, future.result()):
                        is_over = bool(course.failed) or course.tally.end == course.end
                        if is_over:
                            self._courses.remove(course)
                        yield Update(course.cell, course.tally, course.failed, is_over)
        finally:
            self.stop()
            for future, (course, first, asked) in running.items():
                if not future.cancel() and future.exception() is None:
                    self._join(course, first, asked, future.result())
            if self._executor is None:
                executor.shutdown(wait=True, cancel_futures=True)

    def _next_course(self) -> _Course | None:
        """Return the first cell that is not all issued, beginning another if need be."""
        for course in self._courses:
            if course.issued < course.end:
                return course
        cell = next(self._queue, None)
        if cell is None:
            return None
        tally = self._load(cell) or empty_tally(cell.game, self.games)
        # A cell that has more games already is left as it is.
        end = max(self.games, tally.end)
        tally = tally.coarsen(max(tally.block, block_for(end)))
        course = _Course(
            cell, tally, end, to_record(cell.game, cell.rules), to_strategies(cell.game, cell.seats), tally.end
        )
        self._courses.append(course)
        return course

    def _issue(self, course: _Course) -> Task:
        """Return a cell's next chunk."""
        # The last chunks are shared out evenly, so that no worker ends long after the others.
        fair = -(-(course.end - course.issued) // self.jobs)
        size = int(course.per_second * CHUNK_SECONDS) if course.per_second else FIRST_CHUNK
        size = max(1, min(size, fair, MAX_CHUNK))
        first = course.issued
        course.issued += size
        tally = course.tally
        record, strategies = course.record, course.strategies
        own = owns_of(course.cell.seats)
        return Task(course.cell.game, record, strategies, self.seed, first, size, tally.block, self._stop, own)

    def _join(self, course: _Course, first: int, asked: int, done: Done) -> bool:
        """Take in a chunk, and add to the tally what is now contiguous; return whether it grew."""
        if done.seconds > 0 and done.games:
            # At most doubled at once: the first chunk may have waited for the compiler.
            measured = done.games / done.seconds
            limit = 4 * max(course.per_second, asked / CHUNK_SECONDS)
            course.per_second = min(measured, limit)
        course.waiting[first] = (asked, done)
        grown = False
        while course.tally.end in course.waiting:
            asked, done = course.waiting.pop(course.tally.end)
            course.tally.add(course.tally.end, done.games, done.rows, done.counts)
            grown |= done.games > 0
            if done.status == log.ILLEGAL_CHOICE:
                # Said here, the first such game is named, whichever chunk came back first.
                course.failed = explain(course.cell, self.seed, course.tally.end)
            if done.games < asked:
                course.waiting.clear()
        return grown or bool(course.failed)
