"""Where chunks are played: threads of this process, other processes, or the machines of a cluster."""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import Any, NamedTuple

from simcore.errors import UsageError, nearest, shorten

KINDS = ("threads", "processes", "dask:ADDRESS", "module:factory")
"""What an executor is called; a word before the colon that is not `dask` is a Python module."""

DASK_SECONDS = 15
"""How long a scheduler and its first worker are waited for."""


class Workers(NamedTuple):
    """How many chunks are played at a time, and the executor that plays them; None: threads."""

    jobs: int
    executor: Executor | None = None


def check_executor(text: str, option: str = "--executor") -> str:
    """Return the name of an executor.

    Raises
    ------
    UsageError
        If it is not formed like one of KINDS.
    """
    module, colon, rest = text.partition(":")
    if text in KINDS[:2] or (module == "dask" and re.fullmatch(r"[!-~]+", rest)):
        return text
    if colon and module != "dask" and all(name.isidentifier() for name in [*module.split("."), *rest.split(".")]):
        return text
    raise UsageError(
        f"{option}: '{shorten(text)}' is not an executor.{nearest(text, KINDS[:2])}",
        f"Values: {', '.join(KINDS)}; such as dask:tcp://10.0.0.1:8786, mpi4py.futures:MPIPoolExecutor.",
    )


@contextlib.contextmanager
def open_workers(name: str = "threads", jobs: int = 0) -> Iterator[Workers]:
    """Begin to use an executor, and let go of it in the end.

    Parameters
    ----------
    name
        As `check_executor` takes it.
    jobs
        How many chunks are played at a time; 0: as many as there are cores, or workers.

    Raises
    ------
    UsageError
        If it cannot be had.
    """
    from simcore.simulation import count_jobs

    here = count_jobs(jobs or "auto")
    kind, _, rest = name.partition(":")
    if name == "threads":
        yield Workers(here)
    elif name == "processes":
        with Renewed(lambda: _processes(here)) as executor:
            yield Workers(here, executor)
    elif kind == "dask":
        with _dask_client(rest) as client:
            # The same chunk, tried again, must not be taken for the one that failed.
            yield Workers(jobs or sum(client.ncores().values()), client.get_executor(pure=False))
    else:
        factory = _imported(kind, rest)
        with Renewed(lambda: _made(name, factory)) as executor:
            yield Workers(jobs or executor.workers() or here, executor)


class Renewed(Executor):
    """An executor that is made anew when it broke, for instance because one of its processes was killed."""

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make = make
        self._executor = make()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        try:
            return self._executor.submit(function, *args, **kwargs)
        except BrokenExecutor:
            self._executor.shutdown(wait=False)
            self._executor = self._make()
            return self._executor.submit(function, *args, **kwargs)

    def workers(self) -> int:
        """Return how many workers it has, if it tells."""
        try:
            found = getattr(self._executor, "num_workers", 0) or getattr(self._executor, "_max_workers", 0)
        except Exception:
            # Whose property fails does not tell.
            return 0
        return max(found, 0) if isinstance(found, int) else 0

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._executor.shutdown(wait=wait)


def _processes(jobs: int) -> Executor:
    import multiprocessing

    # Forking a process with threads may end in a deadlock.
    return ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _begin_process)


def _begin_process() -> None:
    """Let the parent decide about Ctrl-C, which the terminal sends to all of them, and end when it was killed."""
    import multiprocessing
    import os
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, name="shipsim-parent", daemon=True).start()


@contextlib.contextmanager
def _dask_client(address: str) -> Iterator[Any]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise UsageError(
            f"--executor dask:{shorten(address)} needs the package distributed, which is not installed: {error}.",
            "Write pip install 'shipsim[dask]', here and where the workers are.",
        ) from error
    where = f"--executor dask:{shorten(address)}"
    try:
        client = distributed.Client(address, timeout=DASK_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise UsageError(
            f"{where}: no scheduler answers: {shorten(str(error) or type(error).__name__, 200)}.",
            "Start one with 'dask scheduler', and workers with 'dask worker ADDRESS'.",
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=DASK_SECONDS)
        except (OSError, TimeoutError) as error:
            raise UsageError(f"{where}: the scheduler has no workers.", "Start some: 'dask worker ADDRESS'.") from error
        yield client


def _imported(module: str, attribute: str) -> Callable[[], Any]:
    where = f"--executor {module}:{attribute}"
    try:
        found: Any = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        # Whatever a module does when it is imported is its own, and does not end this process.
        raise UsageError(
            f"{where}: {module} cannot be imported: {type(error).__name__}: {shorten(str(error), 200)}.",
            "Write module:factory; calling the factory must give a concurrent.futures.Executor.",
        ) from error
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise UsageError(f"{where}: {module} has no '{attribute}'.{nearest(name, dir(found))}")
        found = getattr(found, name)
    if not callable(found):
        raise UsageError(f"{where} is not a function.", "Calling it must give a concurrent.futures.Executor.")
    factory: Callable[[], Any] = found
    return factory


def _made(name: str, factory: Callable[[], Any]) -> Executor:
    try:
        made = factory()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"--executor {name} gave no executor: {type(error).__name__}: {shorten(str(error), 200)}."
        ) from error
    if not isinstance(made, Executor):
        raise UsageError(
            f"--executor {name} gave a {type(made).__name__}.", "Calling it must give a concurrent.futures.Executor."
        )
    return made
