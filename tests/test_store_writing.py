"""Writing a run's folder: one process at a time, whole files or none, and numbers as csv has them."""

from __future__ import annotations

import contextlib
import csv
import errno
import json
import math
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.main import main
from simcore import store
from simcore.errors import DataError
from simcore.results import Estimate, estimate
from simcore.store import Lock, Run, read_csv, replace_file, show_number
from tests.test_store import assert_equal, new_run, played_tally, some_tally

# The lock

HOLDER = """
import sys, time
from pathlib import Path
from simcore.errors import DataError
from simcore.store import Lock
try:
    lock = Lock(Path(sys.argv[1]))
except DataError as error:
    print(error, flush=True)
    sys.exit(3)
print("held", flush=True)
time.sleep(600)
"""


@contextlib.contextmanager
def holder(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a process that holds the lock, and yield it and the first line that it prints."""
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def test_a_second_process_is_refused_and_a_killed_one_blocks_nobody(tmp_path: Path) -> None:
    run = new_run(tmp_path / "run")
    with holder(tmp_path / "run") as (process, line):
        assert "another process is at work" in line
        assert process.wait() == 3
    run.close()
    with holder(tmp_path / "run") as (process, line):
        assert line == "held"
        with pytest.raises(DataError, match="another process is at work"):
            Run.open(tmp_path / "run", for_writing=True)
        # Reading is free at any time.
        assert Run.open(tmp_path / "run").manifest["status"] == "new"
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (tmp_path / "run" / ".lock").exists()
        Run.open(tmp_path / "run", for_writing=True).close()


def test_a_lock_is_refused_in_the_same_process_too_and_let_go_of_twice(tmp_path: Path) -> None:
    lock = Lock(tmp_path)
    with pytest.raises(DataError, match="another process"):
        Lock(tmp_path)
    lock.release()
    lock.release()
    Lock(tmp_path).release()
    with pytest.raises(DataError, match="cannot be written"):
        Lock(tmp_path / "missing")


# Whole files or none


def test_a_full_disk_tells_of_a_run_only_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = new_run(tmp_path / "run")

    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(DataError, match="then 'shipsim sweep --resume "):
        run.note(status="running")
    run.close()
    with pytest.raises(DataError, match="then the same command again"):
        new_run(tmp_path / "other")


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    run = new_run(tmp_path / "run")
    cell = run.cells[0]
    few, many = played_tally(cell, 100), played_tally(cell)
    run.save(cell, few)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def fail(*args: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, call, fail)
        acts: list[Callable[[], object]] = [
            lambda: run.save(cell, many),
            lambda: run.note(status="new"),
            run.write_csv,
        ]
        for act in acts:
            with pytest.raises(DataError, match="No space left") as caught:
                act()
            assert "is unharmed" in str(caught.value)
            assert f"--resume {tmp_path / 'run'}'" in str(caught.value)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert_equal(run.load(cell), few)
    run.save(cell, many)
    assert_equal(run.load(cell), many)
    run.close()


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(tmp_path)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        run = new_run(tmp_path / "run")
        run.save(run.cells[0], some_tally(20))
        filler = tmp_path / "filler"
        with contextlib.suppress(OSError), open(filler, "wb") as file:
            for _ in range(1000):
                file.write(bytes(1024))
                file.flush()
        with pytest.raises(DataError, match="No space left"):
            run.save(run.cells[0], some_tally(3000))
        assert_equal(run.load(run.cells[0]), some_tally(20))
        filler.unlink()
        run.save(run.cells[0], some_tally(20, seed=1))
        assert_equal(run.load(run.cells[0]), some_tally(20, seed=1))
        assert len(list((tmp_path / "run" / "state").iterdir())) == 1
        run.close()
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_a_file_is_seen_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def write(file: Any) -> None:
        file.write(b"half of ")
        file.flush()
        assert path.read_text() == "old"
        file.write(b"the new")

    replace_file(path, write)
    assert path.read_text() == "half of the new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_crash_while_saving_leaves_the_old_file(tmp_path: Path) -> None:
    run = new_run(tmp_path / "run")
    run.save(run.cells[0], some_tally(100))
    run.close()
    program = (
        "import os; from simcore.store import Run; from tests.test_store import some_tally\n"
        f"run = Run.open({str(tmp_path / 'run')!r}, for_writing=True)\n"
        "os.replace = lambda *paths: os.kill(os.getpid(), 9)\n"
        "run.save(run.cells[0], some_tally(600))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parents[1], check=False)
    assert ended.returncode == -signal.SIGKILL
    again = Run.open(tmp_path / "run", for_writing=True)
    assert_equal(again.load(again.cells[0]), some_tally(100))
    again.save(again.cells[0], some_tally(600))
    assert_equal(again.load(again.cells[0]), some_tally(600))
    again.close()


# csv


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1, 1), (0, 0), (10**15, 10**15), ("text", "text"), (0.5, "0.5"), (1 / 3, "0.3333333333"),
        (2 / 3 * 1e-7, "6.666666667e-08"), (123456789012.0, "1.23456789e+11"), (1.0, "1"), (-0.25, "-0.25"),
        (math.nan, ""), (math.inf, "inf"), (True, True),
    ],
)  # fmt: skip
def test_numbers_have_ten_significant_digits(value: Any, shown: Any) -> None:
    assert show_number(value) == shown


@given(st.floats(-1e300, 1e300))
def test_numbers_come_back_to_ten_digits(value: float) -> None:
    assert float(show_number(value)) == pytest.approx(value, rel=5.1e-10, abs=5e-324)


def test_csv_files_have_plain_lines_and_come_back(tmp_path: Path) -> None:
    run = new_run(tmp_path / "run")
    for cell in run.cells[:2]:
        run.save(cell, played_tally(cell))
    run.finish("done")
    for name in store.CSV_FILES:
        data = (tmp_path / "run" / name).read_bytes()
        assert b"\r" not in data and data.endswith(b"\n") and b"nan" not in data
        lines = list(csv.reader(data.decode().splitlines()))
        assert len({len(line) for line in lines}) == 1
    rows = list(read_csv(tmp_path / "run" / "estimates.csv"))
    assert tuple(rows[0]) == Estimate._fields
    expected = [row for cell in run.cells[:2] for row in estimate(cell, played_tally(cell))]
    assert [(row["cell"], row["metric"], row["key"], row["n"]) for row in rows] == [
        (row.cell, row.metric, row.key, str(row.n)) for row in expected
    ]
    for row, made in zip(rows, expected, strict=True):
        for name in ("estimate", "low", "high", "se"):
            number = getattr(made, name)
            assert row[name] == "" if math.isnan(number) else float(row[name]) == pytest.approx(number, rel=1e-9)
    wins = [float(row["estimate"]) for row in rows if row["metric"] == "match_win" and row["cell"] == run.cells[0].id]
    assert np.isclose(sum(wins), 1)


def test_one_game_has_estimates_without_intervals(tmp_path: Path) -> None:
    run = new_run(tmp_path / "run")
    run.save(run.cells[0], played_tally(run.cells[0], 1))
    run.finish("done")
    rows = list(read_csv(tmp_path / "run" / "estimates.csv"))
    assert rows
    assert {(row["low"], row["high"], row["se"]) for row in rows} == {("", "", "")}


def test_a_state_file_of_another_cell_or_seed_is_refused(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "other")]
    for folder, seed in zip(folders, (7, 8), strict=True):
        assert main(f"sweep my-ship-sails --vary players=4,5 --games 20 --seed {seed} -q --out {folder}".split()) == 0
    run, other = Run.open(folders[0]), Run.open(folders[1])
    right = run.state_path(run.cells[1]).read_bytes()
    for wrong in (run.state_path(run.cells[0]), other.state_path(other.cells[1])):
        run.state_path(run.cells[1]).write_bytes(wrong.read_bytes())
        with pytest.raises(DataError, match="belongs to another cell or seed"):
            run.load(run.cells[1])
    run.state_path(run.cells[1]).write_bytes(right)
    assert run.load(run.cells[1]) is not None


def test_lost_states_are_played_again_and_leftovers_removed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert main(f"sweep my-ship-sails --vary players=4,5 --games 20 -q --out {folder}".split()) == 0
    saved = {name: (folder / name).read_bytes() for name in store.CSV_FILES}
    shutil.rmtree(folder / "state")
    (folder / ".cells.csv.4711").write_text("half")
    assert main(f"sweep --resume {folder} -q".split()) == 0
    assert {name: (folder / name).read_bytes() for name in store.CSV_FILES} == saved
    assert not (folder / ".cells.csv.4711").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest["cells"].append(manifest["cells"][0]),
        lambda manifest: manifest.update(command=3),
        lambda manifest: manifest.update(command="\ud800"),
        lambda manifest: manifest.update(versions="1.0"),
        lambda manifest: manifest.update(skipped={}),
    ],
)
def test_a_manifest_that_tells_nonsense_is_damaged(tmp_path: Path, change: Any) -> None:
    folder = tmp_path / "run"
    assert main(f"sweep my-ship-sails --vary players=4,5 --games 20 -q --out {folder}".split()) == 0
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    for words in (f"report {folder}", f"status {folder}", f"sweep --resume {folder}"):
        assert main(words.split()) == 3


def test_names_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "\x1b[31mevil"]) == 2
    assert main(["report", "\x1b[31mevil"]) == 3
    shown = capsys.readouterr()
    assert "evil" in shown.err
    assert "\x1b" not in shown.err + shown.out
