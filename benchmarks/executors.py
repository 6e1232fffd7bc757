"""Prints how fast a cell is played on threads, processes and a Dask cluster of this machine, against one thread.

Run with ``python -m benchmarks.executors [GAME...]``. The workers are warm; what is measured is the playing, with
everything that is sent and joined. The best of several alternating repetitions counts. The last column is the time of a
checkpoint, as a part of the seconds between two of them.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cli.playing import SAVE_SECONDS
from simcore import games
from simcore.cells import Cell, plan
from simcore.simulation import Simulation
from simcore.store import Run, make_manifest
from simcore.tally import Tally
from simcore.workers import Workers, open_workers

SECONDS = 4.0
REPETITIONS = 3


def play(cell: Cell, matches: int, workers: Workers) -> tuple[float, Tally]:
    """Return the seconds of the clock that a cell takes, and its tally."""
    began = time.perf_counter()
    tally = None
    for update in Simulation([cell], 1, matches, jobs=workers.jobs, executor=workers.executor).run():
        tally = update.tally
    assert tally is not None and tally.games == matches
    return time.perf_counter() - began, tally


@contextlib.contextmanager
def cluster() -> Iterator[str]:
    """Start two Dask workers of one thread each, and yield the scheduler's address."""
    import distributed

    make: Any = distributed.LocalCluster  # has no types
    with make(n_workers=2, threads_per_worker=1, protocol="tcp", dashboard_address=None) as started:
        yield started.scheduler_address


def checkpoint(cell: Cell, tally: Tally) -> float:
    """Return the seconds of saving a cell."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run.create(Path(folder, "run"), make_manifest([cell], 1, tally.games), [cell])
        taken = []
        for _ in range(5):
            began = time.perf_counter()
            run.save(cell, tally)
            taken.append(time.perf_counter() - began)
        run.close()
        return sorted(taken)[2]


def main(names: list[str]) -> None:
    """Measure the named games, or all."""
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(cluster())
        kinds = {"1 thread": ("threads", 1), "2 threads": ("threads", 2), "1 process": ("processes", 1)}
        kinds |= {"2 processes": ("processes", 2), "2 Dask workers": (f"dask:{address}", 2)}
        opened = {kind: stack.enter_context(open_workers(*where)) for kind, where in kinds.items()}
        for name in names or list(games.GAMES):
            cell = plan(games.load(name)).cells[0]
            for workers in opened.values():
                play(cell, 2000, workers)
            taken, _ = play(cell, 20_000, opened["1 thread"])
            matches = int(20_000 * SECONDS / taken)
            runs = [
                {kind: play(cell, matches, workers) for kind, workers in opened.items()} for _ in range(REPETITIONS)
            ]
            best = {kind: min(run[kind][0] for run in runs) for kind in opened}
            gains = ", ".join(f"{kind} {best['1 thread'] / seconds:.2f}" for kind, seconds in best.items())
            cost = checkpoint(cell, runs[0]["1 thread"][1]) / SAVE_SECONDS
            print(
                f"{name:14} {matches / best['1 thread']:10,.0f} matches/s; {gains}; checkpoints {cost:.2%}", flush=True
            )


if __name__ == "__main__":
    main(sys.argv[1:])
