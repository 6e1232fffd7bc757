"""A run's folder: a manifest, one small file of exact integers a cell, and csv files made from them.

Every file is written beside its place and moved there in one step, so a crash leaves the old one or the
new one. What is read is data: numbers in the numpy format without pickles, and JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from simcore import ENGINE_VERSION, __version__
from simcore.cells import Cell, cell_from, complete
from simcore.csvs import Csv
from simcore.csvs import read_csv as read_csv
from simcore.csvs import show_number as show_number
from simcore.deciding import comparison_from, differences_from
from simcore.errors import DataError, ShipsimError, UsageError, shorten
from simcore.folders import cannot_make, check_links, check_new, shell
from simcore.results import Difference, Distribution, Estimate, compare, distribute, estimate
from simcore.shards import Shard, read_shard
from simcore.statefiles import SCHEMA, Owner, pack_tally, unpack_record, unpack_tally
from simcore.stopping import Look, Precision, in_record, precision_from
from simcore.tally import Tally, block_for
from simcore.tournaments import Sprt, pairs_of, sprt_from

SEEDING = "splitmix64 1"
MAX_MANIFEST = 256_000_000
CSV_FILES = ("cells.csv", "estimates.csv", "differences.csv", "distributions.csv")
LOOKS_FILE = "looks.csv"
"""Of runs that stop by themselves."""


def replace_file(path: Path, write: Any, again: str = "the same command again") -> None:
    """Write a file beside its place with `write(binary file)`, and move it there in one step.

    An error advises to do something `again`.

    Raises
    ------
    DataError
        If it cannot be written, for instance because the disk is full; what was there is left as it was.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise DataError(
            f"'{path}' could not be written: {error.strerror or error}.",
            "What was saved before is unharmed.",
            f"Make room or mend the folder, then {again}.",
        ) from error


class Lock:
    """Keeps a second process off a run's folder; the system lets go of it when the process ends."""

    def __init__(self, folder: Path) -> None:
        self._file: BinaryIO | None = None
        path = folder / ".lock"
        try:
            self._file = open(path, "a+b")  # noqa: SIM115  # open as long as the lock is held
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(self._file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if self._file is None:
                raise DataError(f"'{folder}' cannot be written: {error.strerror or error}.") from error
            self.release()
            raise DataError(
                f"another process is at work on '{folder}'.", "Wait for it, or use another --out."
            ) from error

    def release(self) -> None:
        """Let others in."""
        if self._file is not None:
            self._file.close()
            self._file = None


def make_manifest(cells: Sequence[Cell], seed: int, games: int, **more: Any) -> dict[str, Any]:
    """Return what a run's manifest says before it starts."""
    return {
        "schema": SCHEMA,
        "engine_version": ENGINE_VERSION,
        "game": cells[0].game,
        "seed": seed,
        "seeding": SEEDING,
        "games": games,
        **more,
        "cells": [{"id": cell.id, "varied": cell.varied, **complete(cell)} for cell in cells],
        "versions": versions(),
        "status": "new",
    }


def versions() -> dict[str, str]:
    """Return with what this process plays: nothing of it should matter, but who knows."""
    import numba

    return {
        "shipsim": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "os": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu_name(),
    }


def _cpu_name() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor()


def digest(manifest: Mapping[str, Any]) -> str:
    """Return 8 hex digits that name what a manifest plays: game, cells, seed."""
    kept = [manifest["game"], manifest["seed"], manifest["engine_version"], [c["id"] for c in manifest["cells"]]]
    return hashlib.sha256(json.dumps(kept).encode()).hexdigest()[:8]


def _check_texts(manifest: Mapping[str, Any]) -> None:
    """Refuse what a manifest may lack, but must not hold in another form; ValueError says which."""
    for key, kind in (("command", str), ("started", str), ("stopped", str), ("axes", list), ("skipped", list)):
        if key in manifest and not isinstance(manifest[key], kind):
            raise ValueError(f"'{key}' is not what it must be")
    versions = manifest.get("versions", {})
    if not isinstance(versions, dict) or not all(isinstance(version, str) for version in versions.values()):
        raise ValueError("'versions' is not what it must be")
    # Half of a pair of surrogates can be written in JSON, but is no text and cannot be shown.
    json.dumps(manifest, ensure_ascii=False).encode()


def _shard_from(manifest: Mapping[str, Any]) -> Shard | None:
    """Return the shard that a manifest is of, or None; ValueError if that is damaged."""
    if manifest.get("shard") is None:
        return None
    try:
        shard = read_shard(str(manifest["shard"]), "'shard'")
        shard.span(manifest["games"])
    except UsageError as error:
        raise ValueError(error.message) from error
    return shard


def _tidy(folder: Path) -> None:
    """Make a missing folder of states again, and remove what killed processes left half written."""
    try:
        (folder / "state").mkdir(exist_ok=True)
        for place in (folder, folder / "state"):
            for left in place.glob(".*.*.[0-9]*"):
                left.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"'{folder}' cannot be written: {error.strerror or error}.") from error


class Run:
    """A run's folder that is open for reading, or for writing while the lock is held.

    Attributes
    ----------
    folder, manifest, cells
        The folder, its manifest, and the cells named there.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any], cells: list[Cell], lock: Lock | None = None) -> None:
        self.folder = folder
        self.manifest = manifest
        self.cells = cells
        self._lock = lock

    @classmethod
    def create(cls, folder: str | Path, manifest: dict[str, Any], cells: Sequence[Cell]) -> Run:
        """Make a run's folder.

        Raises
        ------
        UsageError
            If there is something of that name, or it cannot be made.
        """
        path = Path(folder)
        check_new(folder)
        try:
            (path / "state").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_make(folder, error) from error
        run = cls(path, manifest, list(cells), Lock(path))
        try:
            # Whoever held the lock until now may have made a run of it.
            check_new(folder)
            _tidy(path)
            run._write_manifest()
        except ShipsimError:
            run.close()
            raise
        return run

    @classmethod
    def open(cls, folder: str | Path, for_writing: bool = False) -> Run:
        """Open a run's folder.

        Raises
        ------
        DataError
            If it is none, is damaged, or (for writing) another process holds it or another engine made it.
        """
        path = Path(folder)
        name = path / "manifest.json"
        try:
            check_links(path, "manifest.json", "state", ".lock")
            is_run, is_folder = name.is_file(), path.is_dir()
        except (OSError, ValueError):
            # A name that no file can have, or a folder that nobody may look into.
            is_run = is_folder = False
        if not is_run:
            what = "has no manifest.json, so it is not a run's folder" if is_folder else "is not a folder"
            raise DataError(
                f"'{shorten(str(folder), 200)}' {what}.", "Runs are made by 'shipsim sweep GAME --vary ... --out DIR'."
            )
        try:
            if name.stat().st_size > MAX_MANIFEST:
                raise ValueError("too large")
            manifest = json.loads(name.read_text(encoding="utf-8"))
            schema, engine = manifest["schema"], manifest["engine_version"]
            if schema != SCHEMA or engine != ENGINE_VERSION:
                raise DataError(
                    f"'{folder}' was made with engine version {engine} (schema {schema}), this is {ENGINE_VERSION} "
                    f"(schema {SCHEMA}): results of different engines are never mixed.",
                    "Play it again into another folder, or use the version it was made with.",
                )
            cells = [cell_from({**entry, "game": manifest["game"]}) for entry in manifest["cells"]]
            for cell, entry in zip(cells, manifest["cells"], strict=True):
                if cell.id != entry["id"]:
                    raise ValueError(f"cell '{entry['id']}' does not fit its rules")
            if not cells:
                raise ValueError("it has no cells")
            if len({cell.id for cell in cells}) < len(cells):
                raise ValueError("a cell stands there twice")
            _check_texts(manifest)
            failed = manifest.get("failed", {})
            for key, fits in (
                ("seed", type(manifest["seed"]) is int and 0 <= manifest["seed"] < 2**64),
                ("games", type(manifest["games"]) is int and manifest["games"] >= 0),
                ("status", isinstance(manifest["status"], str)),
                ("failed", isinstance(failed, dict) and all(isinstance(why, str) for why in failed.values())),
            ):
                if not fits:
                    raise ValueError(f"'{key}' is not what it must be")
            precision_from(manifest.get("stopping"))
            comparison_from(manifest, cells)
            if sprt_from(manifest.get("stopping")) and not pairs_of(cells):
                raise ValueError("its cells are not those of a tournament")
            _shard_from(manifest)
        except DataError:
            raise
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(f"'{name}' is damaged: {type(error).__name__}: {error}.") from error
        run = cls(path, manifest, cells, Lock(path) if for_writing else None)
        try:
            if for_writing:
                _tidy(path)
        except DataError:
            run.close()
            raise
        return run

    def state_path(self, cell: Cell) -> Path:
        """Return the file of a cell's tally."""
        return self.folder / "state" / f"{cell.id}.npz"

    def load(self, cell: Cell) -> Tally | None:
        """Return what was played of a cell, or None."""
        path = self.state_path(cell)
        if not path.exists():
            return None
        tally, span = unpack_tally(path, cell.game, self._owner(cell)), self.span
        # More games than asked for are no harm in a whole run; the next shard has those behind a shard.
        if tally.first != span.start or (self.shard and (tally.end > span.stop or tally.block != self._block)):
            raise DataError(
                f"'{path}' holds the games from {tally.first} to {tally.end - 1}, which is not the range of this run: "
                f"it is that of another shard.",
                "Remove the file to play its games again with --resume.",
            )
        return tally

    @property
    def shard(self) -> Shard | None:
        """Which part of a run this is, or None if it is a whole one."""
        return _shard_from(self.manifest)

    @property
    def span(self) -> range:
        """The numbers of the games that each cell is to have."""
        games = self.manifest["games"]
        return self.shard.span(games) if self.shard else range(games)

    @property
    def _block(self) -> int:
        return block_for(self.manifest["games"])

    def _owner(self, cell: Cell) -> Owner:
        return Owner(cell.id, self.manifest["seed"])

    @property
    def stopping(self) -> Precision | None:
        """The rule by which cells stop, or None if their number of games is fixed."""
        return precision_from(self.manifest.get("stopping"))

    @property
    def sprt(self) -> Sprt | None:
        """The rule by which a tournament stops, or None if this is none that stops by itself."""
        return sprt_from(self.manifest.get("stopping"))

    def open_cells(self) -> set[str]:
        """Return the ids of the cells that a tournament's test still needs."""
        rule = self.sprt
        return {cell.id for pair in rule.open_pairs(pairs_of(self.cells)) for cell in pair.cells} if rule else set()

    def record(self, cell: Cell) -> list[Look]:
        """Return the looks at a cell, if it stops by itself."""
        rule, path = self.stopping, self.state_path(cell)
        return in_record(unpack_record(path, cell, self._owner(cell)), rule.max_games) if rule and path.exists() else []

    def csv_files(self) -> list[Path]:
        """Return the csv files that a run which has ended holds."""
        names = [*CSV_FILES, LOOKS_FILE] if self.stopping else CSV_FILES
        return [self.folder / name for name in names]

    def save(self, cell: Cell, tally: Tally, record: Sequence[Look] = ()) -> None:
        """Save what was played of a cell and the looks at it, replacing what was saved before."""
        owner = self._owner(cell)
        self._replace(self.state_path(cell), lambda file: pack_tally(file, cell.game, tally, record, owner))

    def note(self, **changes: Any) -> None:
        """Change entries of the manifest."""
        self.manifest.update(changes)
        self._write_manifest()

    def finish(self, status: str) -> None:
        """Write the csv files from what is saved, note the status, and let go of the folder."""
        self.write_csv()
        self.note(status=status, stopped=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        self.close()

    def close(self) -> None:
        """Let other processes write to the folder."""
        if self._lock is not None:
            self._lock.release()

    def _write_manifest(self) -> None:
        text = json.dumps(self.manifest, indent=1, ensure_ascii=False) + "\n"
        self._replace(self.folder / "manifest.json", lambda file: file.write(text.encode()))

    def _replace(self, path: Path, write: Any) -> None:
        # Of a run without a manifest nothing is there yet to go on with.
        is_saved = (self.folder / "manifest.json").exists()
        resume = f"'{shell('sweep', '--resume', self.folder)}'"
        replace_file(path, write, *([resume] if is_saved else []))

    def read_looks(self) -> list[Look]:
        """Return the rows of looks.csv, none if it is not there; DataError if it is damaged."""
        path = self.folder / LOOKS_FILE
        if not path.exists():
            return []
        try:
            return [
                Look(row["cell"], int(row["games"]), row["metric"], row["by"], row["key"],
                     float(row["estimate"]), float(row["half_width"]))
                for row in read_csv(path)
            ]  # fmt: skip
        except (KeyError, ValueError) as error:
            raise DataError(f"'{path}' is damaged: {error}.") from error

    def write_looks(self, record: Iterable[Look]) -> None:
        """Write looks.csv of a comparison, whose looks are at all cells together."""
        table = Csv(Look._fields)
        table.add(record)
        self._replace(self.folder / LOOKS_FILE, table.write)

    def write_csv(self) -> None:
        """Write all csv files from the saved tallies."""
        varied = list(self.cells[0].varied)
        base = self.cells[0]
        base_tally = self.load(base)
        how = {"comparisons": len(self.cells) - 1, **differences_from(self.manifest.get("comparison"))}
        played: list[tuple[Cell, int]] = []
        estimates, differences, distributions = (Csv(kind._fields) for kind in (Estimate, Difference, Distribution))
        for cell in self.cells:
            tally = base_tally if cell is base else self.load(cell)
            played.append((cell, tally.games if tally else 0))
            if tally is None:
                continue
            estimates.add(estimate(cell, tally))
            distributions.add(distribute(cell, tally))
            if cell is not base and base_tally is not None:
                differences.add(compare((base, base_tally), (cell, tally), **how))
        cells, looks = Csv(("cell", *varied, "games", "status")), Csv(Look._fields)
        sprt, still_open = self.sprt, self.open_cells()
        for cell, games in played:
            record = self.record(cell)
            looks.add(record)
            status = self._status(cell, games, record)
            if sprt and status != "failed":
                status = "done" if cell.id not in still_open else "imprecise" if games >= sprt.max_games else "partial"
            cells.add([(cell.id, *(cell.varied[axis] for axis in varied), games, status)])
        # Only a run that stops by itself has the last of them.
        for path, table in zip(self.csv_files(), (cells, estimates, differences, distributions, looks), strict=False):
            self._replace(path, table.write)

    def _status(self, cell: Cell, games: int, record: Sequence[Look]) -> str:
        """Return what cells.csv says of a cell; `imprecise` has all its games and no short enough interval."""
        if cell.id in self.manifest.get("failed", {}):
            return "failed"
        rule = self.stopping
        if rule is None:
            return "done" if games >= len(self.span) else "partial"
        if not rule.is_over(record):
            return "partial"
        return "done" if rule.is_reached(rule.last(record)) else "imprecise"
