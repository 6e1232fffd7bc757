"""State files: the exact sums of one cell, compressed; what is read is data, and doubted throughout."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.format import read_array, write_array

from simcore import ENGINE_VERSION
from simcore.cells import Cell
from simcore.errors import DataError, shorten
from simcore.record import counts_dtype, tally_dtype, width
from simcore.stopping import Look
from simcore.tally import MAX_BLOCKS, Tally

SCHEMA = 1
MAX_STATE = 64_000_000


def layout(game: str) -> str:
    """Return a short name for what the numbers of a game's tally stand for."""
    described = repr((tally_dtype(game).descr, counts_dtype(game).descr))
    return hashlib.sha256(described.encode()).hexdigest()[:16]


class Owner(NamedTuple):
    """Whose a state file is: the cell's id and the seed of its games."""

    cell: str
    seed: int


NOBODY = Owner("", 0)


def pack_tally(file: Any, game: str, tally: Tally, record: Sequence[Look] = (), owner: Owner = NOBODY) -> None:
    """Write a tally: a header with the looks at the cell, and only the columns that are not zero throughout."""
    used = np.flatnonzero(tally.rows.any(axis=0))
    seen = np.flatnonzero(tally.counts)
    header = {
        "schema": SCHEMA,
        "engine_version": ENGINE_VERSION,
        "game": game,
        "cell": owner.cell,
        "seed": owner.seed,
        "layout": layout(game),
        "first": tally.first,
        "games": tally.games,
        "block": tally.block,
        "blocks": len(tally.rows),
        # Sums of few games cannot be had from those of many, so what the looks saw is kept.
        "looks": [row[1:] for row in record],
    }
    arrays: dict[str, npt.NDArray[Any]] = {
        "header": np.frombuffer(json.dumps(header).encode(), np.uint8),
        "columns": used,
        # Column by column, and at the lowest level: smaller than row by row at the usual one, in a ninth of the time.
        "rows": np.asfortranarray(tally.rows[:, used]),
        "bins": seen,
        "counts": tally.counts[seen],
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                write_array(member, array, allow_pickle=False)


def unpack_tally(path: Path, game: str, owner: Owner = NOBODY) -> Tally:
    """Read a tally.

    Raises
    ------
    DataError
        If the file is damaged, of another version, cell or seed, or too large to be one.
    """
    with _readable(path):
        header, arrays = _read_state(path)
        _check_header(path, header, game, owner)
        return _to_tally(header, arrays, game)


def unpack_record(path: Path, cell: Cell, owner: Owner) -> list[Look]:
    """Read the looks at a cell that are saved with its tally.

    Raises
    ------
    DataError
        As `unpack_tally`.
    """
    with _readable(path):
        header, _ = _read_state(path)
        _check_header(path, header, cell.game, owner)
        record = [Look(cell.id, *row) for row in header.get("looks", [])]
        for row in record:
            numbers = (row.estimate, row.half_width)
            if type(row.games) is not int or not all(isinstance(number, float | int) for number in numbers):
                raise ValueError("the looks are no numbers")
        return record


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say of whatever goes wrong that the file is damaged."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        # numpy, zipfile and what they call know a dozen kinds of errors for data that they cannot read.
        why = shorten(str(error) or type(error).__name__, 200)
        see = "Remove the file to play its games again with --resume."
        raise DataError(f"'{path}' is damaged: {why}.", see) from error


def _read_state(path: Path) -> tuple[Any, dict[str, Any]]:
    """Return the header and the arrays of a state file, all of it checked against its checksums."""
    too_large = DataError(f"'{path}' is larger than any state file.", "It was not made by this program.")
    if not path.is_file():
        raise ValueError("it is no file")
    if path.stat().st_size > MAX_STATE:
        raise too_large
    with zipfile.ZipFile(path) as archive:
        if sum(member.file_size for member in archive.infolist()) > 8 * MAX_STATE:
            raise too_large
        # Read to the end, where the checksum is, however short an array claims to be.
        files = {name: archive.read(f"{name}.npy") for name in ("header", "columns", "rows", "bins", "counts")}
    arrays = {name: read_array(io.BytesIO(data), allow_pickle=False) for name, data in files.items()}
    return json.loads(bytes(arrays.pop("header"))), arrays


def _to_tally(header: Any, arrays: Mapping[str, Any], game: str) -> Tally:
    """Return the tally that `pack_tally` wrote; ValueError if anything does not fit."""
    first, games, block, blocks = (header[name] for name in ("first", "games", "block", "blocks"))
    if any(type(number) is not int or not 0 <= number < 2**62 for number in (first, games, block, blocks)):
        raise ValueError("the header holds no numbers")
    if block.bit_count() != 1 or first % block or blocks != -(-games // block) or blocks > MAX_BLOCKS:
        raise ValueError("the blocks do not fit the number of games")
    columns, rows, bins, counts = (arrays[name] for name in ("columns", "rows", "bins", "counts"))
    if any(array.dtype != np.int64 for array in arrays.values()):
        raise ValueError("an array does not hold whole numbers")
    if rows.shape != (blocks, *columns.shape) or counts.shape != bins.shape:
        raise ValueError("the arrays do not fit each other")
    full = np.zeros((blocks, width(game)), np.int64)
    histogram = np.zeros(counts_dtype(game).itemsize // 8, np.int64)
    for places, size in ((columns, full.shape[1]), (bins, len(histogram))):
        if places.ndim != 1 or (np.diff(places, prepend=-1, append=size) <= 0).any():
            raise ValueError("the arrays do not fit the game")
    full[:, columns] = rows
    histogram[bins] = counts
    matches = full[:, list(tally_dtype(game).names or ()).index("matches")]
    if not np.array_equal(matches, np.minimum(block, games - block * np.arange(blocks))):
        raise ValueError("the sums do not fit the number of games")
    return Tally(first, games, block, full, histogram)


def _check_header(path: Path, header: Any, game: str, owner: Owner) -> None:
    engine, schema = header["engine_version"], header["schema"]
    if engine != ENGINE_VERSION or schema != SCHEMA:
        raise DataError(
            f"'{path}' was made with engine version {engine} (schema {schema}), this is {ENGINE_VERSION} (schema "
            f"{SCHEMA}): results of different engines are never mixed.",
            "Play it again into another folder, or use the version it was made with.",
        )
    if header["game"] != game or header["layout"] != layout(game):
        raise DataError(f"'{path}' holds other metrics than this version of {game} has.")
    if Owner(header["cell"], header["seed"]) != owner:
        raise DataError(
            f"'{path}' belongs to another cell or seed: '{shorten(str(header['cell']))}', seed {header['seed']}, where "
            f"'{owner.cell}', seed {owner.seed}, is wanted.",
            "Remove the file to play its games again with --resume.",
        )
