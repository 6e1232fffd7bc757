"""`simulate --raw`: a table with a row for each match, written in pieces so that memory stays the same."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from simcore.errors import DataError, UsageError, shorten
from simcore.folders import free_name, quoted
from simcore.games import load

if TYPE_CHECKING:
    from simcore.cells import Cell
    from simcore.tally import Integers

MOST_GAMES = 10_000_000
PIECE = 1 << 21
"""Whole numbers of tallies in memory for each thread: 16 MB."""
SUFFIXES = (".csv", ".parquet")


def read_raw(file: str) -> Path:
    """Check that a raw file can be written.

    Raises
    ------
    UsageError
        If its name ends otherwise, it exists, its folder does not, or what writes parquet is not installed.
    """
    path = Path(file)
    if path.suffix not in SUFFIXES:
        raise UsageError(f"--raw: '{shorten(file)}' ends in neither .csv nor .parquet.", "These two can be written.")
    is_there = True
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        is_there = False
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--raw: '{shorten(file)}' cannot be written: {_reason(error, path)}.", "Use another name."
        ) from error
    if is_there:
        raise UsageError(
            f"--raw: '{file}' exists already.",
            f"Use another name, such as {quoted(free_name(path))}, or 'rm {quoted(path)}' first.",
        )
    if not path.parent.is_dir():
        raise UsageError(f"--raw: there is no folder '{path.parent}'.", "Make it, or use another one.")
    if path.suffix == ".parquet" and importlib.util.find_spec("pyarrow") is None:
        raise UsageError(
            "--raw: parquet needs pyarrow, which is not installed.",
            "Install it with: pip install 'shipsim[parquet]', or write a .csv file.",
        )
    return path


def _reason(error: OSError | ValueError, path: Path) -> str:
    """Return why a file of some name cannot be made."""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG and hasattr(os, "pathconf"):
        with contextlib.suppress(OSError, ValueError):
            most, size = os.pathconf(path.parent, "PC_NAME_MAX"), len(os.fsencode(path.name))
            if size > most:
                return f"its name has {size} bytes, and {most} are allowed here"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def table_columns(cell: Cell) -> dict[str, int]:
    """Return where a tally has what the table shows, by name: each metric by its keys (``match_win_seat_1``).

    After them come the counts that metrics are per and that are no metrics themselves, so that every mean
    can be worked out from the table.
    """
    from simcore.results import columns

    found, places = columns(cell), {}
    entries = list(zip(found.metrics, found.labels, found.sums, found.per, strict=True))
    for metric, label, at, _ in entries:
        places[_name(metric.name, metric.by, label)] = int(at)
    counted_by = dict(load(cell.game).COUNTS)
    for metric, label, _, at in entries:
        if int(at) not in places.values():
            keys = dict(zip(metric.by, label.split("+"), strict=True)) if metric.by else {}
            by = counted_by.get(metric.per, ())
            places[_name(metric.per, by, "+".join(keys[key] for key in by))] = int(at)
    return places


def _name(name: str, by: Sequence[str], label: str) -> str:
    keys = zip(by, label.split("+"), strict=True) if by else ()
    return "_".join([name, *(f"{key}_{value}" for key, value in keys)])


def write_raw(path: Path, cell: Cell, seed: int, games: int, jobs: int, is_stopped: Callable[[], bool]) -> int:
    """Play matches and write one row for each; return how many were written, 0 if it was stopped.

    The numbers are the sums over the match, whole, as a run's state has them: each is
    multiplied by its metric's `scale`. The file appears under its name when it is complete.

    Parameters
    ----------
    path, cell, seed, games, jobs
        What is written where; threads that play.
    is_stopped
        Whether to end early, keeping nothing.

    Raises
    ------
    DataError
        If the file cannot be written, or a strategy chose what does not exist.
    """
    # Without the file's name, which may be as long as the system allows.
    unfinished = path.with_name(f".{os.getpid()}.unfinished{path.suffix}")
    _remove_left(path.parent)
    try:
        places = table_columns(cell)
        with _held(unfinished), _writer(unfinished, ["game", *places]) as write:
            written = 0
            for rows in _pieces(cell, seed, games, jobs, list(places.values()), is_stopped):
                if is_stopped():
                    return 0
                write(rows)
                written += len(rows)
        if is_stopped():
            return 0
        _give_name(unfinished, path)
    except OSError as error:
        raise DataError(f"'{path}' cannot be written: {error.strerror or error}.", "Use another file.") from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return written


def _give_name(unfinished: Path, path: Path) -> None:
    """Name a file that is whole, unless somebody made one of that name meanwhile."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # No links here: then the moment between looking and naming has to do.
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.replace(unfinished, path)


def _pieces(
    cell: Cell, seed: int, games: int, jobs: int, places: Sequence[int], is_stopped: Callable[[], bool]
) -> Iterator[Integers]:
    """Yield the rows of the table, in order; not more than a few pieces are in memory."""
    from collections import deque
    from concurrent.futures import Future, ThreadPoolExecutor, wait

    import numpy as np

    from simcore.chunks import Done, play_chunk, to_task
    from simcore.owncode import explain, owns_of
    from simcore.record import width
    from simcore.simulation import STOP_SECONDS

    piece, stop = max(1, PIECE // width(cell.game)), np.zeros(1, np.uint8)
    starts = iter(range(0, games, piece))
    waiting: deque[tuple[int, Future[Done]]] = deque()
    executor = ThreadPoolExecutor(jobs, thread_name_prefix="shipsim")
    try:
        while True:
            for first in starts:
                task = to_task(cell, seed, first, min(piece, games - first), 1)
                waiting.append((first, executor.submit(play_chunk, task._replace(stop=stop))))
                if len(waiting) > jobs:
                    break
            if not waiting:
                return
            first, future = waiting[0]
            while not future.done() and not is_stopped():
                wait([future], timeout=0.1)
            if is_stopped():
                return
            done = future.result()
            waiting.popleft()
            if done.games < min(piece, games - first):
                raise DataError(f"{explain(cell, seed, first + done.games)}.")
            numbers = np.arange(first, first + done.games)
            yield np.column_stack((numbers, done.rows[:, places]))
    finally:
        stop[0] = 1
        playing = [future for _, future in waiting if not future.cancel()]
        # A user's function may never return.
        wait(playing, timeout=STOP_SECONDS if owns_of(cell.seats) else None)
        executor.shutdown(wait=all(future.done() for future in playing), cancel_futures=True)


@contextlib.contextmanager
def _held(path: Path) -> Iterator[None]:
    """Make a file, and lock it while it is written: nobody holds what a killed process left."""
    with open(path, "xb") as file:
        _lock(file)
        yield


def _lock(file: BinaryIO) -> None:
    """Lock a file until it is closed; OSError if another process has it."""
    if sys.platform != "win32":  # which refuses to remove an open file anyway
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_left(folder: Path) -> None:
    """Remove the unfinished tables that killed processes left in a folder."""
    for left in folder.glob(".[0-9]*.unfinished.*"):
        with contextlib.suppress(OSError):
            if not left.is_symlink() and left.suffix in SUFFIXES:
                with open(left, "r+b") as file:
                    _lock(file)
                left.unlink()


@contextlib.contextmanager
def _writer(path: Path, names: list[str]) -> Iterator[Callable[[Integers], Any]]:
    """Open a table and give the function that adds rows to it."""
    if path.suffix == ".parquet":
        import pyarrow
        import pyarrow.parquet

        schema = pyarrow.schema([(name, pyarrow.int64()) for name in names])
        with pyarrow.parquet.ParquetWriter(path, schema) as table:
            yield lambda rows: table.write_table(pyarrow.table([*rows.T.copy()], schema=schema))
        return
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(",".join(names) + "\n")
        yield lambda rows: file.writelines(",".join(map(str, row)) + "\n" for row in rows.tolist())
