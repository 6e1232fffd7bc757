"""Joins the shards of a run to what the run would have been if it had been played in one place."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simcore.cells import Cell
from simcore.errors import DataError, UsageError, plural
from simcore.folders import check_new, shell
from simcore.shards import Shard
from simcore.simulation import empty_tally
from simcore.store import Run, versions
from simcore.tally import Tally

SAME = {
    "game": "the game",
    "engine_version": "the engine version",
    "seeding": "the seeding scheme",
    "seed": "the seed",
    "games": "the number of games",
    "design": "the design",
    "comparison": "what is compared, and how",
    "cells": "the cells",
}
"""Entries of the manifest in which the shards of one run agree, and what they are called."""

OWN = ("shard", "command", "started", "stopped", "jobs", "versions")
"""Entries that each shard has for itself, and that are kept of all."""


def merge(folders: Sequence[str | Path], out: str | Path, command: str = "") -> Run:
    """Join shards into a new folder, and return the run, whose csv files are written.

    Parameters
    ----------
    folders
        Those of all shards of one run, in any order.
    out
        The folder to make.
    command
        What the manifest says of how it was made.

    Raises
    ------
    DataError
        If they are not all the shards of one run, or some are not finished.
    UsageError
        If there is something of the name `out`, or it would lie in a shard's folder.
    """
    runs = _in_order([Run.open(folder) for folder in folders])
    check_new(out)
    for folder in folders:
        if Path(out).resolve().is_relative_to(Path(folder).resolve()):
            raise UsageError(f"'{out}' would lie in the folder of the shard '{folder}'.", "Use another --out.")
    failed = dict(_check_complete(runs))
    whole = {key: value for key, value in runs[0].manifest.items() if key not in OWN}
    merged = [{key: run.manifest[key] for key in OWN if key in run.manifest} for run in runs]
    more = {"command": command, "versions": versions(), "started": _now(), "failed": failed, "merged": merged}
    run = Run.create(out, {**whole, **more, "status": "running"}, runs[0].cells)
    try:
        for cell in run.cells:
            run.save(cell, _joined(runs, cell))
        run.finish("failed" if failed else "done")
    finally:
        run.close()
    return run


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _in_order(runs: Sequence[Run]) -> list[Run]:
    """Return all shards of one run by their number."""
    if not runs:
        raise UsageError("the shards are missing.", "Give the folders of all of them.")
    found: dict[Shard, Run] = {}
    for run in runs:
        shard, first = run.shard, runs[0]
        if shard is None:
            raise DataError(f"'{run.folder}' is a whole run, not a shard.", "Shards are made with --shard i/n.")
        for key, name in SAME.items():
            if run.manifest.get(key) != first.manifest.get(key):
                raise DataError(
                    f"'{first.folder}' and '{run.folder}' are shards of different runs: {name} is not the same.",
                    *_differing(key, first.manifest.get(key), run.manifest.get(key)),
                )
        if first.shard and shard.of != first.shard.of:
            raise DataError(
                f"'{first.folder}' is shard {first.shard} and '{run.folder}' is shard {shard}: their ranges overlap.",
                "A run is divided into equally many shards everywhere.",
            )
        if shard in found:
            raise DataError(f"'{found[shard].folder}' and '{run.folder}' are both shard {shard}.", "Give it once.")
        found[shard] = run
    of = next(iter(found)).of
    every = [Shard(number, of) for number in range(1, of + 1)]
    missing = [str(shard) for shard in every if shard not in found]
    if missing:
        shown = ", ".join(missing[:10]) + (f" and {len(missing) - 10} more" if len(missing) > 10 else "")
        raise DataError(
            f"{'shard' if len(missing) == 1 else 'shards'} {shown} {'is' if len(missing) == 1 else 'are'} missing.",
            f"Play what is missing with --shard {missing[0]}, and give the folders of all {of}.",
        )
    return [found[shard] for shard in every]


def _differing(key: str, one: Any, other: Any) -> list[str]:
    """Return a line that shows values which differ, if they are short."""
    return [f"{key}: {one} and {other}."] if isinstance(one, int | str) and isinstance(other, int | str) else []


def _check_complete(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """Refuse shards that are not finished; return the cells that failed, and why."""
    failed: dict[str, str] = {}
    for run in runs:
        lacking = 0
        for cell in run.cells:
            tally = run.load(cell)
            if cell.id in failed or (tally is not None and tally.end >= run.span.stop):
                continue
            reason = run.manifest.get("failed", {}).get(cell.id)
            if reason is None:
                lacking += 1
            else:
                failed[cell.id] = reason
        if lacking:
            raise DataError(
                f"'{run.folder}', shard {run.shard}, is not finished: {lacking:,} of {plural(len(run.cells), 'cell')} "
                f"{'lacks' if lacking == 1 else 'lack'} games.",
                f"Write '{shell('sweep', '--resume', run.folder)}', then merge again.",
            )
    return list(failed.items())


def _joined(runs: Sequence[Run], cell: Cell) -> Tally:
    """Return what was played of a cell from game 0 on; of one that failed, up to where it did."""
    whole = empty_tally(cell.game, runs[0].manifest["games"])
    for run in runs:
        tally = run.load(cell)
        if tally is not None:
            whole.add(tally.first, tally.games, tally.rows, tally.counts)
        if whole.end < run.span.stop:
            break
    return whole
