"""Cuts the games of cells into chunks, runs them on an executor, and joins what comes back, in order.

A chunk is a range of games that takes about a tenth of a second. Its size depends on timing, and no result
depends on its size: sums are exact and every game has its own random streams.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from simcore import log
from simcore.cells import Cell
from simcore.chunks import Done, Task
from simcore.chunks import play_chunk as play_chunk
from simcore.chunks import to_task as to_task
from simcore.errors import ShipsimError, shorten
from simcore.owncode import explain
from simcore.record import counts_dtype, width
from simcore.sending import Sent, described, engine, play_sent, unpack
from simcore.shards import Shard
from simcore.tally import Tally, block_for

CHUNK_SECONDS = 0.1
FIRST_CHUNK = 64
MAX_CHUNK = 1 << 22

TRIES = 3
"""So often a chunk is tried alone after it failed on an executor of others: workers get lost."""

STOP_SECONDS = 2.0
"""How long chunks elsewhere, and those in which users' functions may not return, are waited for in the end."""


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
    task: Task
    issued: int
    text: str
    waiting: dict[int, tuple[int, Done]] = field(default_factory=dict)
    per_second: float = 0.0
    failed: str = ""


@dataclass(eq=False)
class _Order:
    """A chunk that is to be played, and how often it was tried alone."""

    course: _Course
    first: int
    games: int
    block: int
    tries: int = 0


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
        Runs the chunks, elsewhere perhaps; threads of this process by default. What fails there is tried again.
    shard
        The part of the games that is to be played, or None for all.
    """

    def __init__(
        self,
        cells: Iterable[Cell],
        seed: int,
        games: int,
        load: Callable[[Cell], Tally | None] = lambda cell: None,
        jobs: int = 1,
        executor: Executor | None = None,
        shard: Shard | None = None,
    ) -> None:
        self.seed = seed
        self.games = games
        self.jobs = jobs
        self._span = shard.span(games) if shard else range(games)
        self._load = load
        self._executor = executor
        self._stop = np.zeros(1, np.uint8)
        self._queue = iter(cells)
        self._courses: list[_Course] = []
        self._again: list[_Order] = []

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
        running: dict[Future[Any], _Order] = {}
        try:
            while True:
                while self._may_submit(len(running)):
                    order = self._next_again()
                    if order is None:
                        course = self._next_course()
                        if course is None:
                            break
                        if course.issued == course.end:
                            self._courses.remove(course)
                            yield Update(course.cell, course.tally, "", True)
                            continue
                        order = self._issue(course)
                    running[self._submit(executor, order)] = order
                if not running or (self.is_stopped and self._is_foreign(running.values())):
                    break
                # A time limit lets the main thread notice an interrupt at once.
                done, _ = wait(running, timeout=0.1, return_when=FIRST_COMPLETED)
                for future in done:
                    order = running.pop(future)
                    course = order.course
                    if course in self._courses and self._take(order, future):
                        is_over = bool(course.failed) or course.tally.end == course.end
                        if is_over:
                            self._courses.remove(course)
                        yield Update(course.cell, course.tally, course.failed, is_over)
        finally:
            self.stop()
            last = [future for future in running if not future.cancel()]
            is_foreign = self._is_foreign(running[future] for future in last)
            wait(last, timeout=STOP_SECONDS if is_foreign else None)
            for future in last:
                if future.done() and _error_of(future) is None:
                    self._take(running[future], future)
            if self._executor is None:
                executor.shutdown(wait=all(future.done() for future in last), cancel_futures=True)

    def _is_foreign(self, orders: Iterable[_Order]) -> bool:
        """Say whether chunks may never end: they are elsewhere, or users' functions decide in them."""
        return self._executor is not None or any(order.course.task.own for order in orders)

    def _may_submit(self, running: int) -> bool:
        """Say whether a further chunk may begin; one that failed is tried alone."""
        # A pool that broke does not say whose fault it was.
        return not self.is_stopped and running < (1 if self._again else 2 * self.jobs)

    def _next_again(self) -> _Order | None:
        """Return a chunk that failed and whose cell has not, or None."""
        while self._again:
            order = self._again.pop(0)
            if order.course in self._courses:
                order.tries += 1
                return order
        return None

    def _next_course(self) -> _Course | None:
        """Return the first cell that is not all issued, beginning another if need be."""
        for course in self._courses:
            if course.issued < course.end:
                return course
        cell = next(self._queue, None)
        if cell is None:
            return None
        tally = self._load(cell) or empty_tally(cell.game, self.games, self._span.start)
        # A cell that has more games already is left as it is.
        end = max(self._span.stop, tally.end)
        tally = tally.coarsen(max(tally.block, block_for(max(self.games, tally.end))))
        task = to_task(cell, self.seed, tally.end, 0, tally.block)._replace(stop=self._stop)
        course = _Course(cell, tally, end, task, tally.end, described(cell) if self._executor else "")
        self._courses.append(course)
        return course

    def _issue(self, course: _Course) -> _Order:
        """Return a cell's next chunk."""
        # The last chunks are shared out evenly, so that no worker ends long after the others.
        fair = -(-(course.end - course.issued) // self.jobs)
        size = int(course.per_second * CHUNK_SECONDS) if course.per_second else FIRST_CHUNK
        size = max(1, min(size, fair, MAX_CHUNK))
        first = course.issued
        course.issued += size
        return _Order(course, first, size, course.tally.block)

    def _submit(self, executor: Executor, order: _Order) -> Future[Any]:
        """Let a chunk be played."""
        course = order.course
        task = course.task._replace(first=order.first, games=order.games, block=order.block)
        if self._executor is None:
            return executor.submit(play_chunk, task)
        try:
            chunk = (task.own, task.seed, task.first, task.games, task.block)
            made: Any = executor.submit(play_sent, engine(), course.text, *chunk)
            if isinstance(made, Future):
                return made
            raise TypeError(f"the executor gave a {type(made).__name__}, not a concurrent.futures.Future")
        except Exception as error:
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def _take(self, order: _Order, future: Future[Any]) -> bool:
        """Take in what came of a chunk; return whether its cell's tally grew, or the cell failed."""
        error, game = _error_of(future), order.course.cell.game
        if error is None:
            result = future.result()
            return self._join(order, unpack(game, result) if self._executor else result)
        # A worker that ends itself is a worker that was lost.
        is_lost = isinstance(error, Exception | SystemExit) and not isinstance(error, ShipsimError)
        if self._executor is None or not is_lost:
            raise error
        if order.tries < TRIES:
            self._again.append(order)
            return False
        why = f"{type(error).__name__}: {shorten(str(error), 200)}" if str(error) else type(error).__name__
        nothing = empty_tally(game, 0)
        reason = f"game {order.first} and those after it could not be played, in {TRIES + 1} tries: {why}"
        return self._join(order, Done(log.DONE, 0, nothing.rows, nothing.counts, 0.0, reason))

    def _join(self, order: _Order, done: Done) -> bool:
        """Add a chunk to the tally, and all that is now contiguous; return whether it grew."""
        course = order.course
        if done.seconds > 0 and done.games:
            # At most doubled at once: the first chunk may have waited for the compiler.
            measured = done.games / done.seconds
            limit = 4 * max(course.per_second, order.games / CHUNK_SECONDS)
            course.per_second = min(measured, limit)
        course.waiting[order.first] = (order.games, done)
        grown = False
        while course.tally.end in course.waiting:
            asked, done = course.waiting.pop(course.tally.end)
            course.tally.add(course.tally.end, done.games, done.rows, done.counts)
            grown |= done.games > 0
            course.failed = done.lost
            if done.status == log.ILLEGAL_CHOICE:
                # Said here, the first such game is named, whichever chunk came back first.
                course.failed = explain(course.cell, self.seed, course.tally.end)
            if done.games < asked:
                course.waiting.clear()
        return grown or bool(course.failed)


def _error_of(future: Future[Any]) -> BaseException | None:
    """Return why a chunk that has ended has no result, or None."""
    try:
        error = future.exception(timeout=0)
    except CancelledError as cancelled:
        return RuntimeError(f"cancelled by the executor {cancelled}".strip())
    if error is None and not isinstance(future.result(), Sent | Done):
        return TypeError(f"the executor gave a {type(future.result()).__name__}, not what was played")
    return error
