"""Executors that do what clusters do: end in any order, lose chunks, break."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any


class AnyOrder(Executor):
    """Runs what it is given on one thread, in random order.

    Parameters
    ----------
    seed
        Of the order, and of the failures.
    failing
        Share of the calls that raise an error, before or after the work was done; the same call fails three
        times at most.
    """

    def __init__(self, seed: int, failing: float = 0.0) -> None:
        self.random = random.Random(seed)
        self.failing = failing
        self.failed: Counter[Any] = Counter()
        self.waiting: list[tuple[Future[Any], Callable[..., Any], Any]] = []
        self.changed = threading.Condition()
        self.is_over = False
        self.out_of_order = 0
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self.changed:
            self.waiting.append((future, function, args))
            self.changed.notify()
        return future

    def _run(self) -> None:
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or self.is_over)
                if not self.waiting:
                    return
            time.sleep(0.0005)
            with self.changed:
                index = self.random.randrange(len(self.waiting))
                self.out_of_order += index > 0
                future, function, args = self.waiting.pop(index)
            if future.set_running_or_notify_cancel():
                try:
                    result = function(*args)
                    if self.random.random() < self.failing and self.failed[args] < 3:
                        self.failed[args] += 1
                        raise ConnectionError("the worker was lost")
                    future.set_result(result)
                except Exception as error:
                    future.set_exception(error)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self.changed:
            self.is_over = True
            self.changed.notify()
        self.thread.join()


made: list[AnyOrder] = []


def unreliable() -> Executor:
    """Return an executor of any order that fails now and then."""
    made.append(AnyOrder(len(made), 0.2))
    return made[-1]


class NeverDone(Executor):
    """Takes everything and gives nothing back, as a cluster without workers does."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        return future


class Breaking(Executor):
    """Plays at once, but breaks for good at a chunk that holds one of some games, and takes nothing after that."""

    deadly: frozenset[int] = frozenset()
    begun = 0

    def __init__(self) -> None:
        type(self).begun += 1
        self.is_broken = False

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.is_broken:
            raise BrokenExecutor("broken")
        future: Future[Any] = Future()
        _, cell, _, _, first, games, _ = args
        if "players-5" in cell and self.deadly.intersection(range(first, first + games)):
            self.is_broken = True
            future.set_exception(BrokenExecutor("a process was terminated abruptly"))
        else:
            future.set_result(function(*args))
        return future


def leave() -> Executor:
    """End the process instead of returning an executor."""
    sys.exit(0)


class Numbers(Executor):
    """Gives numbers instead of futures, and has a property that fails."""

    @property
    def num_workers(self) -> int:
        raise RuntimeError("nobody knows")

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return 3


class Answers(Executor):
    """Gives futures that hold something else than what was to be called returns."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(3)
        return future


class Leaves(Executor):
    """Its workers end themselves."""

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(SystemExit(3))
        return future
