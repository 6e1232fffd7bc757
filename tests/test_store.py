"""A run's folder: what is saved comes back, what is damaged says so, and nothing is lost half way."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simcore import ENGINE_VERSION, games, statefiles
from simcore.cells import Cell, make_cell
from simcore.errors import DataError, ShipsimError, UsageError
from simcore.record import counts_dtype, tally_dtype, width
from simcore.simulation import play_chunk, to_task
from simcore.statefiles import pack_tally, unpack_tally
from simcore.store import (
    CSV_FILES,
    Run,
    make_manifest,
    read_csv,
)
from simcore.strategies import read_seats
from simcore.tally import Tally, block_for

NAME = "my-ship-sails"
IN_TEMPORARY_FOLDERS = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)


def cells() -> list[Cell]:
    game = games.load(NAME)
    seats = read_seats(game, "adaptive", 4)
    return [make_cell(game, game.Rules(max_rounds=n), seats, {"max_rounds": str(n)}) for n in (200, 2, 3)]


def some_tally(played: int, seed: int = 0) -> Tally:
    """Return a tally that games could have made: so many matches, and numbers of all sizes."""
    rng = np.random.default_rng(seed)
    block = block_for(played)
    number = -(-played // block)
    rows = rng.integers(-(2**40), 2**40, (number, width(NAME)))
    rows[:, rng.random(width(NAME)) < 0.5] = 0
    matches = (tally_dtype(NAME).names or ()).index("matches")
    rows[:, matches] = block
    if number:
        rows[-1, matches] = played - block * (number - 1)
    counts = rng.integers(0, 50, counts_dtype(NAME).itemsize // 8) * (
        rng.random(counts_dtype(NAME).itemsize // 8) < 0.01
    )
    return Tally(0, played, block, rows, counts)


def assert_equal(a: Tally | None, b: Tally) -> None:
    assert a is not None
    assert (a.first, a.games, a.block) == (b.first, b.games, b.block)
    assert a.rows.dtype == a.counts.dtype == np.int64
    assert np.array_equal(a.rows, b.rows) and np.array_equal(a.counts, b.counts)


def packed(tally: Tally) -> bytes:
    file = io.BytesIO()
    pack_tally(file, NAME, tally)
    return file.getvalue()


def played_tally(cell: Cell, matches: int = 600) -> Tally:
    """Return a tally of matches that were played."""
    done = play_chunk(to_task(cell, 7, 0, matches, block_for(matches)))
    return Tally(0, matches, block_for(matches), done.rows, done.counts)


def new_run(folder: Path, **more: Any) -> Run:
    return Run.create(folder, make_manifest(cells(), 7, 600, **more), cells())


def parts_of(data: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(data)) as archive:
        return {name: archive[name] for name in archive.files}


def put_together(parts: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **parts)
    return file.getvalue()


def with_header(data: bytes, **changes: Any) -> bytes:
    parts = parts_of(data)
    header = {**json.loads(bytes(parts["header"])), **changes}
    return put_together({**parts, "header": np.frombuffer(json.dumps(header).encode(), np.uint8)})


# State files


@given(st.integers(0, 3000), st.integers(0, 100))
@settings(parent=IN_TEMPORARY_FOLDERS, max_examples=40)
def test_what_is_saved_comes_back_and_is_saved_alike(tmp_path: Path, played: int, seed: int) -> None:
    tally, path = some_tally(played, seed), tmp_path / "a.npz"
    path.write_bytes(packed(tally))
    loaded = unpack_tally(path, NAME)
    assert_equal(loaded, tally)
    assert packed(loaded) == path.read_bytes()


def test_state_file_holds_only_what_is_not_zero() -> None:
    empty = Tally(
        0, 600, 2, np.zeros((300, width(NAME)), np.int64), np.zeros(counts_dtype(NAME).itemsize // 8, np.int64)
    )
    empty.rows[:, 0] = 2
    assert len(packed(empty)) < 4000
    assert parts_of(packed(empty))["rows"].shape == (300, 1)


def assert_refused(path: Path, data: bytes, *words: str) -> None:
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        unpack_tally(path, NAME)
    message = str(caught.value)
    assert str(path) in message
    for word in words:
        assert word in message, message


def test_another_engine_schema_game_or_layout_is_refused(tmp_path: Path) -> None:
    data, path = packed(some_tally(600)), tmp_path / "a.npz"
    assert_refused(path, with_header(data, engine_version=ENGINE_VERSION + 1), f"engine version {ENGINE_VERSION + 1}")
    assert_refused(path, with_header(data, schema=statefiles.SCHEMA + 1), f"schema {statefiles.SCHEMA + 1}")
    assert_refused(path, with_header(data, game="ahoi"), "other metrics")
    assert_refused(path, with_header(data, layout="0" * 16), "other metrics")


@pytest.mark.parametrize(
    "changes",
    [
        {"blocks": 513}, {"blocks": -1}, {"blocks": 299}, {"blocks": None}, {"games": 599}, {"games": -600},
        {"games": float("nan")}, {"games": 1e400}, {"games": "600"}, {"block": 0}, {"block": 3}, {"block": -2},
        {"block": 2**70}, {"first": 2**70}, {"first": -4}, {"first": 1}, {"first": []},
    ],
)  # fmt: skip
def test_a_header_that_does_not_fit_is_damage(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert_refused(tmp_path / "a.npz", with_header(packed(some_tally(600)), **changes), "damaged", "--resume")


def test_arrays_that_do_not_fit_are_damage(tmp_path: Path) -> None:
    parts = parts_of(packed(some_tally(600)))
    path = tmp_path / "a.npz"
    wrong: dict[str, list[Any]] = {
        "columns": [parts["columns"] - 1, parts["columns"] + 10**6, parts["columns"][:-1], np.zeros((2, 2), int), "x",
                    np.full_like(parts["columns"], parts["columns"][0])],
        "rows": [parts["rows"][:-1], parts["rows"][0], parts["rows"].astype(float), np.int64(1), np.array(["a"]),
                 parts["rows"] * 1j, parts["rows"][:1]],
        "bins": [parts["bins"] - 10**7, -parts["bins"] - 1, parts["bins"] * 1.0, parts["bins"][::-1]],
        "counts": [parts["counts"] * 0.5, parts["counts"][1:], np.int64(3)],
        "header": [np.frombuffer(b"[]", np.uint8), np.frombuffer(b"{}", np.uint8), np.zeros(0, np.uint8),
                   np.frombuffer(b"[" * 200_000, np.uint8), np.zeros(9), np.array([300, 400])],
    }  # fmt: skip
    for name, values in wrong.items():
        for value in values:
            assert_refused(path, put_together({**parts, name: value}), "damaged")
        assert_refused(path, put_together({n: v for n, v in parts.items() if n != name}), "damaged")


class Ran(Exception):
    """Some saved code was executed."""


class Bomb:
    def __reduce__(self) -> Any:
        return (exec, ("import tests.test_store; raise tests.test_store.Ran",))


def test_nothing_that_is_saved_is_executed(tmp_path: Path) -> None:
    parts = parts_of(packed(some_tally(600)))
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=True, **{**parts, "rows": np.array([Bomb()], object)})
    assert_refused(tmp_path / "a.npz", file.getvalue(), "damaged")
    import pickle

    assert_refused(tmp_path / "a.npz", pickle.dumps(Bomb()), "damaged")


def claiming(shape: str) -> bytes:
    """Return the .npy data of an array that claims to be larger than it is."""
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(64)


def test_large_claims_and_zip_bombs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    data = packed(some_tally(600))
    for shape in (f"({10**15},)", f"({2**62},)", f"({2**200},)", f"({10**9}, {10**9})", "(-1,)"):
        file = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(file, "w") as target:
            for name in source.namelist():
                target.writestr(name, claiming(shape) if name == "rows.npy" else source.read(name))
        assert_refused(path, file.getvalue(), "damaged")
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bomb,
        bomb.open("rows.npy", "w", force_zip64=True) as member,
    ):
        for _ in range(8 * statefiles.MAX_STATE // 2**24 + 1):
            member.write(bytes(2**24))
    assert path.stat().st_size < 2**20
    with pytest.raises(DataError, match="larger than any state file"):
        unpack_tally(path, NAME)
    with open(path, "wb") as sparse:
        sparse.truncate(statefiles.MAX_STATE + 1)
    with pytest.raises(DataError, match="larger than any state file"):
        unpack_tally(path, NAME)


def test_a_folder_or_nothing_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(DataError):
            unpack_tally(path, NAME)


SAVED = packed(some_tally(20))


@given(st.integers(0, len(SAVED) - 1))
@IN_TEMPORARY_FOLDERS
def test_a_file_cut_off_anywhere_is_damaged(tmp_path: Path, length: int) -> None:
    assert_refused(tmp_path / "a.npz", SAVED[:length], "damaged")


def load_or_refuse(path: Path, data: bytes) -> None:
    """Assert that data gives the tally it was made from, or a DataError, and nothing else."""
    path.write_bytes(data)
    try:
        tally = unpack_tally(path, NAME)
    except DataError:
        return
    # What the zip format does not use, such as the date, may change unnoticed.
    assert_equal(tally, some_tally(20))


@given(st.dictionaries(st.integers(0, len(SAVED) - 1), st.integers(1, 255), min_size=1, max_size=4))
@settings(parent=IN_TEMPORARY_FOLDERS, max_examples=300)
def test_flipped_bytes_never_give_other_numbers(tmp_path: Path, flips: dict[int, int]) -> None:
    data = bytearray(SAVED)
    for place, flip in flips.items():
        data[place] ^= flip
    load_or_refuse(tmp_path / "a.npz", bytes(data))


def test_no_single_flip_in_the_directory_of_the_zip_gives_other_numbers(tmp_path: Path) -> None:
    # The directory and the headers of the members are not under the checksum.
    start = SAVED.index(b"PK\x01\x02")
    heads = [i for i in range(len(SAVED) - 4) if SAVED[i : i + 4] == b"PK\x03\x04"]
    places = [*range(start, len(SAVED)), *(i + j for i in heads for j in range(30))]
    for place in places:
        for flip in (1, 8, 0xFF):
            data = bytearray(SAVED)
            data[place] ^= flip
            load_or_refuse(tmp_path / "a.npz", bytes(data))


@given(st.binary(max_size=300), st.booleans())
@IN_TEMPORARY_FOLDERS
def test_any_bytes_are_refused(tmp_path: Path, data: bytes, is_zip: bool) -> None:
    assert_refused(tmp_path / "a.npz", b"PK\x03\x04" * is_zip + data, "damaged")


# Runs


def test_run_comes_back(tmp_path: Path) -> None:
    run = new_run(tmp_path / "run", design="grid")
    tallies = [played_tally(cell) for cell in run.cells[:2]]
    for cell, tally in zip(run.cells, tallies, strict=False):
        run.save(cell, tally)
    run.note(failed={run.cells[1].id: "why"})
    run.finish("stopped")
    again = Run.open(tmp_path / "run")
    assert again.cells == run.cells == cells()
    assert again.manifest == run.manifest
    assert (again.manifest["status"], again.manifest["design"]) == ("stopped", "grid")
    for cell, tally in zip(again.cells, tallies, strict=False):
        assert_equal(again.load(cell), tally)
    assert again.load(again.cells[2]) is None
    assert {path.name for path in (tmp_path / "run").iterdir()} == {*CSV_FILES, ".lock", "manifest.json", "state"}
    statuses = [row["status"] for row in read_csv(tmp_path / "run" / "cells.csv")]
    assert statuses == ["done", "failed", "partial"]


def test_files_of_a_run_depend_on_its_tallies_alone(tmp_path: Path) -> None:
    texts = []
    for name in ("a", "b"):
        run = new_run(tmp_path / name)
        for cell in run.cells if name == "a" else run.cells[::-1]:
            run.save(cell, played_tally(cell))
        run.finish("done")
        files = [*CSV_FILES, *(f"state/{cell.id}.npz" for cell in run.cells)]
        texts.append([(tmp_path / name / file).read_bytes() for file in files])
    assert texts[0] == texts[1]
    assert all(text for text in texts[0])


def test_a_folder_in_use_is_not_made_into_a_run(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "precious").write_text("kept")
    (tmp_path / "file").write_text("kept")
    for path in (tmp_path / "run", tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError):
            new_run(path)
    assert (tmp_path / "run" / "precious").read_text() == (tmp_path / "file").read_text() == "kept"
    (tmp_path / "empty").mkdir()
    run = new_run(tmp_path / "empty")
    assert run.manifest["status"] == "new"
    run.close()


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(DataError, match=r"manifest\.json|not a folder"):
            Run.open(path)


def manifest_with(folder: Path, changes: dict[str, Any]) -> None:
    manifest = {**json.loads(json.dumps(make_manifest(cells(), 7, 600))), **changes}
    folder.mkdir(exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_runs_of_other_engines_are_refused(tmp_path: Path) -> None:
    for changes, words in (
        ({"engine_version": ENGINE_VERSION + 1}, f"engine version {ENGINE_VERSION + 1}"),
        ({"schema": statefiles.SCHEMA + 1}, f"schema {statefiles.SCHEMA + 1}"),
    ):
        manifest_with(tmp_path, changes)
        with pytest.raises(DataError, match=words):
            Run.open(tmp_path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def use_or_refuse(folder: Path) -> None:
    """Do all that is done with a run; only errors that a user can act on may come out."""
    try:
        run = Run.open(folder)
        for cell in run.cells:
            run.load(cell)
        run.write_csv()
    except ShipsimError as error:
        assert len(str(error)) < 3000


@given(st.sampled_from([*sorted(make_manifest(cells(), 7, 600)), "failed"]), json_values)
@IN_TEMPORARY_FOLDERS
def test_a_manifest_with_a_wrong_entry_is_refused(tmp_path: Path, key: str, value: Any) -> None:
    manifest_with(tmp_path, {key: value})
    use_or_refuse(tmp_path)


@given(st.sampled_from(["id", "varied", "rules", "strategies", "game", "more"]), json_values)
@IN_TEMPORARY_FOLDERS
def test_a_cell_with_a_wrong_entry_is_refused(tmp_path: Path, key: str, value: Any) -> None:
    saved = json.loads(json.dumps(make_manifest(cells(), 7, 600)))["cells"]
    saved[1][key] = value
    manifest_with(tmp_path, {"cells": saved})
    use_or_refuse(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", "[" * 100_000, '{"schema": 1', "\udcff"])
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError, match="damaged"):
        Run.open(tmp_path)
