"""Reads a run's folder into tables, and refuses what is damaged."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from reports.frames import each
from simcore import results
from simcore.cells import Cell
from simcore.deciding import differences_from
from simcore.declare import Metric
from simcore.errors import DataError, shorten
from simcore.folders import shell
from simcore.games import Game, load
from simcore.store import Run
from simcore.tally import Tally

LOOKS = ("cell", "games", "metric", "by", "key", "estimate", "half_width")
NAMES = ["metric", "by", "key"]
CHUNK_ROWS = 200_000
MAX_CSV = 4_000_000_000


class Unsaved(NamedTuple):
    """What stands for the folder where nothing is saved."""

    tallies: Mapping[str, Tally]
    manifest: dict[str, Any]
    folder: Path = Path()

    def load(self, cell: Cell) -> Tally | None:
        """Return a cell's sums by block, or None if nothing was played of it."""
        return self.tallies.get(cell.id)


class Saved(NamedTuple):
    """What a run's folder holds.

    Attributes
    ----------
    run
        The open folder, or what stands for it.
    game
        The game's declarations.
    cells
        Cells by id, in order; the first is the baseline.
    played
        cells.csv, with the id as index.
    estimates, differences
        The csv files; `differences` has more columns besides (see `measure`).
    looks
        looks.csv, empty if the run did not stop by itself.
    metrics
        (name, by) to its declaration, `by` as in the files.
    """

    run: Run | Unsaved
    game: Game
    cells: dict[str, Cell]
    played: pd.DataFrame
    estimates: pd.DataFrame
    differences: pd.DataFrame
    looks: pd.DataFrame
    metrics: dict[tuple[str, str], Metric]

    @property
    def manifest(self) -> dict[str, Any]:
        """The run's manifest."""
        return self.run.manifest

    @property
    def baseline(self) -> Cell:
        """The cell with which the others are compared."""
        return next(iter(self.cells.values()))

    def tally(self, cell: Cell) -> Tally | None:
        """Return a cell's sums by block, or None if nothing was played of it."""
        return self.run.load(cell)

    def distributions(self, metrics: Collection[str], cells: Collection[str]) -> pd.DataFrame:
        """Return the rows of distributions.csv of some metrics and cells.

        The file may be the largest by far, so it is read in pieces.
        """
        path = self.run.folder / "distributions.csv"
        columns = results.Distribution._fields
        pieces = [_read(path, columns, self, nrows=0)]
        for piece in _chunks(path, columns):
            _check(path, piece, columns, self)
            pieces.append(piece[piece["metric"].isin(list(metrics)) & piece["cell"].isin(list(cells))])
        return pd.concat(pieces, ignore_index=True)


def open_run(folder: Path) -> Saved:
    """Read a run's folder.

    Raises
    ------
    DataError
        If it is no run's folder, has no csv files yet, or is damaged.
    """
    run = Run.open(folder)
    game = load(run.manifest["game"])
    cells = {cell.id: cell for cell in run.cells}
    metrics = {(metric.name, "+".join(metric.by)): metric for metric in game.METRICS}
    nothing = pd.DataFrame()
    saved = Saved(run, game, cells, nothing, nothing, nothing, nothing, metrics)
    played = _read_cells(folder / "cells.csv", saved)
    estimates = _read(folder / "estimates.csv", results.Estimate._fields, saved)
    differences = _read(folder / "differences.csv", results.Difference._fields, saved)
    looks = nothing
    if (folder / "looks.csv").exists():
        # Of a metric that had not occurred yet there is a row without numbers.
        looks = _read(folder / "looks.csv", LOOKS, saved).dropna(subset=["estimate"])
    saved = saved._replace(played=played, estimates=estimates, looks=looks)
    return saved._replace(differences=measure(differences, saved))


def unsaved(
    game: Game,
    cells: Sequence[Cell],
    tallies: Mapping[str, Tally],
    contrasts: Sequence[Sequence[results.Contrast]],
) -> Saved:
    """Return a comparison of which nothing is saved as if it were, for findings.

    Parameters
    ----------
    game, cells
        The first cell is the baseline.
    tallies
        By the id of the cell; what was not played is missing.
    contrasts
        The rows of each compared cell.
    """
    rows = [found for every in contrasts for found in every]
    played = [cell for cell in cells if cell.id in tallies]
    estimates = [row for cell in played for row in results.estimate(cell, tallies[cell.id])]
    games = {cell.id: tallies[cell.id].games if cell.id in tallies else 0 for cell in cells}
    metrics = {(metric.name, "+".join(metric.by)): metric for metric in game.METRICS}
    nothing = pd.DataFrame()
    saved = Saved(
        Unsaved(tallies, {}),
        game,
        {cell.id: cell for cell in cells},
        pd.DataFrame({"games": games}),
        pd.DataFrame(estimates, columns=results.Estimate._fields),
        nothing,
        nothing,
        metrics,
    )
    differences = pd.DataFrame([found.row for found in rows], columns=results.Difference._fields)
    return saved._replace(differences=measure(differences, saved, [found.rope for found in rows]))


def measure(differences: pd.DataFrame, saved: Saved, ropes: Sequence[float] | None = None) -> pd.DataFrame:
    """Return differences with what belongs beside them; `ropes` are those of the rows if not the usual ones.

    `estimate`, `estimate_low` and `estimate_high` are the cell's own; `rope` is the half width of the region
    that does not matter, and `effect` the size of the difference in units of it, by which metrics of different
    units can be put in order; `sure` is the least that the interval leaves of it, so that noise does not come
    first. Where the baseline does not vary there is no such region: then the unit is
    what the cell's own variation gives.
    """
    columns = ["estimate", "low", "high", "se", "n"]
    own = saved.estimates[["cell", *NAMES, *columns]].rename(columns={"low": "estimate_low", "high": "estimate_high"})
    found = differences.merge(own, how="left", on=["cell", *NAMES], validate="many_to_one")
    base = saved.estimates[saved.estimates["cell"] == saved.baseline.id]
    asked = differences_from(saved.manifest.get("comparison")).get("ropes") or {}
    usual = {
        (row.metric, row.by, row.key): asked.get(row.metric)
        or results.negligible(saved.metrics[row.metric, row.by], row.se, row.n)
        for row in each(base)
    }
    keys = list(zip(found["metric"], found["by"], found["key"], strict=True))
    if found["estimate"].isna().any() or (ropes is None and not usual.keys() >= set(keys)):
        raise _damaged(saved.run.folder / "differences.csv", "a difference has no estimate")
    found["rope"] = [usual[key] for key in keys] if ropes is None else list(ropes)
    spread = results.NEGLIGIBLE_SPREAD * found["se"] * np.sqrt(found["n"])
    unit = found["rope"].where(found["rope"] > 0, spread)
    found["effect"] = (found["difference"].abs() / unit.where(unit > 0)).fillna(0.0)
    nearest = found[["low", "high"]].abs().min(axis=1).where(found["low"] * found["high"] > 0, 0.0)
    found["sure"] = (nearest / unit.where(unit > 0)).fillna(0.0)
    return found.drop(columns=["se", "n"])


def _read_cells(path: Path, saved: Saved) -> pd.DataFrame:
    varied = list(saved.baseline.varied)
    frame = _read(path, ("cell", *varied, "games", "status"), saved)
    if list(frame["cell"]) != list(saved.cells):
        raise _damaged(path, "its cells are not those of the manifest")
    return frame.set_index("cell", drop=False)


def _read(path: Path, columns: Collection[str], saved: Saved, nrows: int | None = None) -> pd.DataFrame:
    frame: pd.DataFrame = next(iter(_chunks(path, columns, whole=True, nrows=nrows)))
    _check(path, frame, columns, saved)
    return frame


def _chunks(path: Path, columns: Collection[str], whole: bool = False, nrows: int | None = None) -> Any:
    """Yield a csv file's rows, all at once or in pieces."""
    numbers = [name for name in columns if name in _NUMBERS]
    options: dict[str, Any] = {
        "dtype": {name: _NUMBERS.get(name, str) for name in columns},
        "keep_default_na": False,
        "na_values": {name: [""] for name in numbers},
        "encoding": "utf-8",
        "nrows": nrows,
    }
    try:
        _check_whole(path)
        if whole:
            yield pd.read_csv(path, **options)
        else:
            with pd.read_csv(path, chunksize=CHUNK_ROWS, **options) as pieces:
                yield from pieces
    except FileNotFoundError as error:
        raise DataError(
            f"'{path}' is missing.",
            f"'{shell('sweep', '--resume', path.parent)}' plays what is left and writes it.",
        ) from error
    except (OSError, ValueError, UnicodeDecodeError, OverflowError) as error:
        raise _damaged(path, shorten(str(error))) from error


def _check_whole(path: Path) -> None:
    """Refuse a file that is too large, is no file, or was cut off within a line, which pandas would complete."""
    if path.exists() and not path.is_file():
        raise ValueError("it is no file")
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size > MAX_CSV:
            raise ValueError(f"it is larger than {MAX_CSV:,} bytes")
        file.seek(max(0, size - 1))
        if file.read() != b"\n":
            raise ValueError("its last line is not complete")


def _check(path: Path, frame: pd.DataFrame, columns: Collection[str], saved: Saved) -> None:
    """Refuse a table that does not hold what it must."""
    if list(frame.columns) != list(columns):
        raise _damaged(path, f"its columns must be {', '.join(columns)}")
    unknown = set(frame["cell"]) - saved.cells.keys()
    if unknown:
        raise _damaged(path, f"there is no cell '{shorten(min(unknown))}'")
    if "metric" in columns:
        strange = set(zip(frame["metric"], frame["by"], strict=True)) - saved.metrics.keys()
        if strange:
            raise _damaged(path, f"there is no metric '{shorten(' by '.join(min(strange)))}'")
    for name in ("estimate", "difference", "value"):
        if name in columns:
            numbers = frame[name].dropna() if columns is LOOKS else frame[name]
            if not np.isfinite(numbers.to_numpy(float)).all():
                raise _damaged(path, f"column '{name}' has something else than numbers")
    if "low" in columns:
        middle = frame["estimate" if "estimate" in columns else "difference"]
        slack = 1e-9 * (1 + middle.abs())
        if ((frame["low"] > middle + slack) | (frame["high"] < middle - slack)).any():
            raise _damaged(path, "an interval does not contain its estimate")


def _damaged(path: Path, why: str) -> DataError:
    resume = shell("sweep", "--resume", path.parent)
    return DataError(f"'{path}' is damaged: {why}.", f"'{resume}' writes it anew from what is saved.")


_NUMBERS: Mapping[str, Any] = {
    "games": "int64",
    "n": "int64",
    "count": "int64",
    **dict.fromkeys(("estimate", "low", "high", "se", "difference", "rho", "variance_ratio"), "float64"),
    **dict.fromkeys(("value", "half_width"), "float64"),
}
