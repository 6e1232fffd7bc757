"""Kills, full and read-only disks, damage: after each the right words and exit code, and the same bytes in the end."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.main import main
from simcore import ENGINE_VERSION
from simcore.store import CSV_FILES
from tests.test_shards import SWEEP, call, files
from tests.test_workers import start, wait_for

ROOT = Path(__file__).parents[1]
LINE = f"{SWEEP} --games 3000 --jobs 2"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    assert call(f"{LINE} --out {folder}") == 0
    return files(str(folder))


# Killed at any moment

KILLER = """
import os, sys, threading
phase, number, words = sys.argv[1], float(sys.argv[2]), sys.argv[3:]

def kill(*_):
    os.kill(os.getpid(), 9)

if phase == "time":
    timer = threading.Timer(number, kill)
    timer.daemon = True
    timer.start()

import builtins
import cli.playing
from simcore import csvs, simulation, store

cli.playing.SAVE_SECONDS = 0.0
simulation.CHUNK_SECONDS = 1e-4
left = number

def deadly(function, when):
    def counting(*args, **more):
        global left
        left -= 1
        if left == 0 and when == "before":
            kill()
        found = function(*args, **more)
        if left == 0:
            kill()
        return found
    return counting

class Half:
    def __init__(self, file):
        self.file = file
    def __getattr__(self, name):
        return getattr(self.file, name)
    def __enter__(self):
        return self
    def __exit__(self, *_):
        self.file.close()
    def write(self, data):
        global left
        left -= 1
        if left == 0:
            self.file.write(bytes(data)[: len(data) // 2])
            self.file.flush()
            kill()
        return self.file.write(data)

if phase == "play":
    simulation.play_chunk = deadly(simulation.play_chunk, "after")
elif phase == "checkpoint":
    store.os.fsync = deadly(os.fsync, "before")
elif phase == "replace":
    store.os.replace = deadly(os.replace, "after")
elif phase == "half":
    # The files that are written beside their place begin with a dot.
    store.open = lambda path, mode: Half(open(path, mode)) if mode == "wb" else open(path, mode)
elif phase == "csv":
    csvs.Csv.write = deadly(csvs.Csv.write, "before")
from cli.main import main
sys.exit(main(words))
"""

# The phase, and up to which call of it, or second, the process may be killed.
MOMENTS = {"play": 60, "checkpoint": 40, "replace": 40, "half": 400, "csv": 4, "time": 1.5}


def killed(phase: str, number: float, line: str) -> bool:
    """Run the command line in a process that is killed at a moment; return whether it was."""
    ended = subprocess.run(
        [sys.executable, "-c", KILLER, phase, str(number), *line.split()], capture_output=True, text=True, check=False
    )
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.returncode != 0


def survive(phase: str, rng: random.Random, alone: dict[str, bytes]) -> int:
    """Kill a run, and what resumes it, at random moments of a phase; it must end in the same bytes."""
    kills = 0
    for _ in range(2):
        most = MOMENTS[phase]
        moment = rng.uniform(0.05, most) if isinstance(most, float) else rng.randint(1, most)
        # A folder without a manifest holds nothing, and is taken as if it were not there.
        line = "sweep --resume run -q --jobs 2" if Path("run/manifest.json").exists() else f"{LINE} --out run"
        kills += killed(phase, moment, line)
    left = "sweep --resume run -q" if Path("run/manifest.json").exists() else f"{LINE} --out run"
    assert call(left) == 0
    assert files("run") == alone
    assert not [path for path in Path("run").rglob(".*") if path.name != ".lock"]
    return kills


@pytest.mark.parametrize("phase", MOMENTS)
def test_a_run_that_is_killed_goes_on_to_the_same_bytes(phase: str, alone: dict[str, bytes]) -> None:
    survive(phase, random.Random(phase), alone)


@pytest.mark.parametrize(("phase", "most"), [("play", 20), ("checkpoint", 12), ("replace", 12), ("time", 1.5)])
def test_a_sequential_test_that_is_killed_goes_on_to_the_same_bytes(phase: str, most: float) -> None:
    # One thread: of two, both may pass the call at which to kill, and thousands of tiny chunks would be saved.
    line = "tournament ahoi keeper careful highest --set players=2 --sprt 0.5pp --jobs 1"
    assert call(f"{line} --out whole -q") == 0
    rng, kills = random.Random(phase), 0

    def left() -> str:
        return "sweep --resume run -q --jobs 1" if Path("run/manifest.json").exists() else f"{line} --out run -q"

    for _ in range(3):
        kills += killed(phase, rng.uniform(0.5, most) if isinstance(most, float) else rng.randint(1, most), left())
    assert kills and call(left()) == 0
    assert files("run") == files("whole")


@pytest.mark.slow
def test_runs_that_are_killed_a_hundred_times(alone: dict[str, bytes]) -> None:
    rng, kills = random.Random(7), dict.fromkeys(MOMENTS, 0)
    while sum(kills.values()) < 100:
        phase = rng.choice(list(MOMENTS))
        kills[phase] += survive(phase, rng, alone)
        shutil.rmtree("run")
    print("kills survived:", kills)
    assert min(kills.values()) > 3


def test_a_run_that_is_killed_before_it_has_a_manifest_is_begun_again(alone: dict[str, bytes]) -> None:
    assert killed("half", 1, f"{LINE} --out run")
    assert not Path("run/manifest.json").exists() and Path("run/state").is_dir()
    assert call("status run") == 3
    assert call(f"{LINE} --out run") == 0
    assert files("run") == alone


def test_a_report_that_is_killed_is_written_again(alone: dict[str, bytes]) -> None:
    assert call(f"{LINE} --out run") == 0
    assert call("report run --figures svg -q") == 0
    whole = {path: path.read_bytes() for path in Path("run/report").rglob("*") if path.is_file()}
    shutil.rmtree("run/report")
    rng = random.Random(3)
    kills = [killed("time", rng.uniform(0.8, 2.5), "report run --figures svg -q") for _ in range(2)]
    assert any(kills)
    assert call("report run --figures svg -q") == 0
    assert {path: path.read_bytes() for path in Path("run/report").rglob("*") if path.is_file()} == whole
    assert files("run") == alone


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_compiles_leaves_a_cache_that_works(
    alone: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, kills = random.Random(1), 0
    for number in range(5):
        monkeypatch.setenv("SHIPSIM_CACHE", str(tmp_path / f"cache-{number}"))
        kills += killed("time", rng.uniform(1.0, 9.0), f"{LINE} --out run")
        with start("sweep --resume run -q" if Path("run/manifest.json").exists() else f"{LINE} --out run") as process:
            assert process.wait(120) == 0
        assert files("run") == alone
        shutil.rmtree("run")
    print("kills while compiling survived:", kills)
    assert kills >= 2


# Two at once


def test_a_damaged_cache_is_compiled_anew(tmp_path: Path) -> None:
    environment = {**os.environ, "SHIPSIM_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-m", "cli", "simulate", "my-ship-sails", "--games", "10", "--json", "--no-progress"]

    def play() -> str:
        ended = subprocess.run(line, capture_output=True, text=True, env=environment, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    whole = play()
    for suffix, content in ((".nbi", b""), (".nbc", b"\0" * 10)):
        found = list((tmp_path / "cache").rglob(f"plain.play_plain-*{suffix}"))
        assert found
        for path in found:
            path.write_bytes(content)
        assert play() == whole
        assert all(path.stat().st_size > 100 for path in (tmp_path / "cache").rglob("plain.play_plain-*"))


def test_a_second_process_is_refused_at_once_and_may_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{SWEEP} --games 10 --out run") == 0
    with start("sweep --resume run -q --games 100M") as process:
        wait_for(lambda: json.loads(Path("run/manifest.json").read_text())["status"] == "running")
        began = time.monotonic()
        assert call("sweep --resume run") == 3
        assert time.monotonic() - began < 5
        assert "another process is at work on 'run'" in capsys.readouterr().err
        assert call("status run") == 0
        process.kill()
    assert json.loads(Path("run/manifest.json").read_text())["status"] == "running"
    # What a killed process held blocks nobody.
    assert call("status run") == 0
    state = next(Path("run/state").glob("players-4*"))
    before = state.stat().st_mtime_ns
    with start("sweep --resume run -q") as process:
        wait_for(lambda: state.stat().st_mtime_ns != before)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130


# Disks


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 300 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path, left: int) -> Path:
    """Fill a disk until so many bytes are free."""
    filler = place / "filler"
    free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
    filler.write_bytes(bytes(free - left))
    return filler


@pytest.mark.parametrize("left", [0, 4096, 16384])
def test_a_full_disk_stops_a_run_and_loses_nothing(
    left: int, small_disk: Path, alone: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    run = small_disk / "run"
    assert call(f"{LINE.replace('3000', '600')} --out {run}") == 0
    filler = fill(small_disk, left)
    for line in (f"sweep --resume {run} --games 3000 --jobs 2", f"report {run} --figures svg"):
        assert call(line) == 3
        shown = capsys.readouterr().err
        assert "No space left on device" in shown and "Traceback" not in shown
    assert f"error: '{run}" in shown
    assert call(f"status {run}") == 0
    filler.unlink()
    assert call(f"sweep --resume {run} --games 3000 -q") == 0
    assert files(str(run)) == alone


def test_a_read_only_disk_is_read_and_not_written(small_disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = small_disk / "run"
    assert call(f"{LINE} --out {run}") == 0
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    before = files(str(run))
    for line, code in (
        (f"sweep --resume {run} --games 5000", 3),
        (f"report {run} --figures svg", 3),
        (f"{LINE} --out {small_disk}/other", 2),
        (f"merge {run} --out {small_disk}/other", 3),
        (f"status {run}", 0),
        (f"compare {run}", 0),
        (f"sweep --resume {run}", 0),
    ):
        assert call(line) == code, line
        shown = capsys.readouterr().err
        assert "Traceback" not in shown
        assert code == 0 or "Read-only file system" in shown or line.startswith("merge")
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    assert files(str(run)) == before


# Damage


def newer(path: Path) -> None:
    """Let a state file say that another engine made it."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    text = f'"engine_version": {ENGINE_VERSION}'.encode()
    assert text in parts["header.npy"]
    parts["header.npy"] = parts["header.npy"].replace(text, text[:-1] + b"7")
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def into_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def into_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (lambda path: path.write_bytes(path.read_bytes()[:-100]), "is damaged"),
    "empty": (lambda path: path.write_bytes(b""), "is damaged"),
    "newer": (newer, "was made with engine version"),
    "a folder": (into_a_folder, "is damaged"),
    "a pipe": (into_a_pipe, "is damaged"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_state_is_named_and_can_be_played_again(
    name: str, alone: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"{LINE} --out run") == 0
    path = next(Path("run/state").glob("players-5*"))
    damage, words = DAMAGE[name]
    damage(path)
    for line in ("status run", "compare run", "sweep --resume run", "sweep --resume run --games 5000"):
        assert call(line) == 3, line
        shown = capsys.readouterr().err
        assert "Traceback" not in shown and words in shown and f"'{path}'" in shown
    if path.is_dir():
        path.rmdir()
    else:
        path.unlink()
    assert call("sweep --resume run -q --jobs 2") == 0
    assert files("run") == alone


@pytest.mark.parametrize("name", ["a" * 5000, "a/" * 3000, "\0", "\ud800"], ids=["long", "deep", "nul", "surrogate"])
def test_names_that_no_file_can_have_are_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    sweep = ["sweep", "ahoi", "--vary", "joker", "--games", "10"]
    for words, code in (
        (["status", name], 3),
        (["report", name], 3),
        (["sweep", "--resume", name], 3),
        (["merge", name, "--out", "other"], 3),
        (["trace", name], 2),
        (["compare", name], 2),
        (["sweep", name], 2),
        (["sweep", f"{name}.toml"], 2),
        (["simulate", "ahoi", "--rules", name], 2),
        ([*sweep, "--out", name], 2),
        (["merge", "run", "--out", name], 2),
    ):
        assert main(words) == code, words[:-1]
        assert capsys.readouterr().err.startswith("error: ")


# A folder from elsewhere is data


@pytest.mark.parametrize("name", ["state", "report", "report/figures", "manifest.json", ".lock"])
def test_a_link_out_of_a_run_is_not_followed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{LINE} --out run") == 0
    assert call("report run --figures svg -q") == 0
    elsewhere, inside = Path("elsewhere"), Path("run", name)
    inside.rename(elsewhere)
    inside.symlink_to(elsewhere.absolute())
    if elsewhere.is_dir():
        (elsewhere / ".precious.txt.1").write_text("kept")
    before = {path: path.read_bytes() for path in [elsewhere, *elsewhere.rglob("*")] if path.is_file()}
    lines = ["sweep --resume run --games 5000", "report run --figures svg"]
    for line in lines[name.startswith("report") :]:
        assert call(line) == 3, line
        shown = capsys.readouterr().err
        assert f"'run/{name}' is a link" in shown
    assert {path: path.read_bytes() for path in [elsewhere, *elsewhere.rglob("*")] if path.is_file()} == before


@pytest.mark.parametrize("name", ["../../evil", "/tmp/evil", "a/b", ".."])
def test_no_cell_names_a_file_outside(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{LINE} --out run") == 0
    manifest = json.loads(Path("run/manifest.json").read_text())
    manifest["cells"][1]["id"] = f"{name}-{manifest['cells'][1]['id'][-8:]}"
    Path("run/manifest.json").write_text(json.dumps(manifest))
    for line in ("sweep --resume run", "status run", "report run", "merge run --out other"):
        assert call(line) == 3, line
        assert "belong to another id" in capsys.readouterr().err
    manifest["cells"][1]["varied"] = {"players": name}
    Path("run/manifest.json").write_text(json.dumps(manifest))
    assert call("sweep --resume run") == 3


def test_what_is_too_large_is_not_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(f"{LINE} --out run") == 0
    monkeypatch.setattr("reports.load.MAX_CSV", 1000)
    assert call("report run --figures svg") == 3
    assert "is larger than 1,000 bytes" in capsys.readouterr().err
    monkeypatch.setattr("simcore.store.MAX_MANIFEST", 100)
    for line in ("sweep --resume run", "status run", "report run", "merge run --out other"):
        assert call(line) == 3
        assert "too large" in capsys.readouterr().err


@pytest.mark.parametrize("name", CSV_FILES)
def test_a_lost_or_cut_csv_file_is_made_again(name: str, alone: dict[str, bytes]) -> None:
    assert call(f"{LINE} --out run") == 0
    path = Path("run", name)
    path.write_bytes(path.read_bytes()[:-50])
    assert call("report run --figures svg -q") == 3
    path.unlink()
    assert call("report run --figures svg -q") == 3
    assert call("sweep --resume run -q") == 0
    assert files("run") == alone
