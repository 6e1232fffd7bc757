"""Executors: what is sent to them, what happens when workers get lost; nothing depends on where games are played."""

from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.main import main
from simcore import games, sending, simulation, workers
from simcore.cells import make_cell, plan
from simcore.chunks import play_chunk, to_task
from simcore.errors import DataError, UsageError
from simcore.owncode import owns_of
from simcore.sending import described, engine, play_sent, unpack
from simcore.store import Run
from simcore.strategies import read_seats
from simcore.workers import Renewed, check_executor, open_workers
from tests import executors
from tests.test_shards import SWEEP, call, files

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    # Workers in other processes must find the package, also where it is not installed.
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    yield
    for executor in executors.made:
        executor.shutdown()
    executors.made.clear()


# What is sent


@pytest.mark.parametrize("name", games.GAMES)
def test_what_is_sent_is_small_and_comes_back_as_it_was(name: str) -> None:
    for preset in games.load(name).PRESETS:
        cell = plan(games.load(name), [from_preset(name, preset)]).cells[0]
        sent = (play_sent, engine(), described(cell), (), 5, 100, 64, 16)
        data = pickle.dumps(sent)
        assert len(data) < 8000
        function, *arguments = pickle.loads(data)
        back = pickle.dumps(function(*arguments))
        here = play_chunk(to_task(cell, 5, 100, 64, 16))
        there = unpack(name, pickle.loads(back))
        assert (there.status, there.games, there.lost) == (here.status, here.games, "")
        assert np.array_equal(there.rows, here.rows) and np.array_equal(there.counts, here.counts)
        assert len(back) < 0.4 * len(pickle.dumps(here))


def from_preset(name: str, preset: str) -> Any:
    from simcore.sources import from_presets

    return from_presets(games.load(name), preset, "preset")


def test_the_code_of_an_own_strategy_is_sent_along(tmp_path: Path) -> None:
    game, file = games.load("my-ship-sails"), tmp_path / "bots.py"
    file.write_text("def last(view, options, random):\n    return options - 1\n")
    cell = make_cell(game, game.Rules(), read_seats(game, f"{file}:last", 4))
    here = play_chunk(to_task(cell, 5, 100, 64, 16))
    file.unlink()
    _, *arguments = pickle.loads(pickle.dumps((None, engine(), described(cell), owns_of(cell.seats), 5, 100, 64, 16)))
    there = unpack("my-ship-sails", play_sent(*arguments))
    assert np.array_equal(there.rows, here.rows)


def test_a_worker_of_another_engine_refuses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = plan(games.load("ahoi")).cells[0]
    with pytest.raises(DataError, match="never mixed"):
        play_sent("2-0123456789ab", described(cell), (), 1, 0, 1, 1)
    with monkeypatch.context() as patched:
        patched.setattr(sending, "engine", lambda: "99-0123456789ab")
        assert call(f"{SWEEP} --games 500 --executor tests.executors:unreliable --out run") == 3
    assert "a worker has engine 99-0123456789ab, this is" in capsys.readouterr().err
    assert call("sweep --resume run -q") == 0


def test_the_engine_is_named_by_version_and_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / "a.py", tmp_path / "b.py"]
    for path in paths:
        path.write_text("one")
    monkeypatch.setattr("simcore.jit.sources", lambda: paths)
    names = set()
    for text in ("one", "two"):
        paths[1].write_text(text)
        names.add(engine.__wrapped__())
    monkeypatch.setattr(sending, "ENGINE_VERSION", 77)
    names.add(engine.__wrapped__())
    assert len(names) == 3 and any(name.startswith("77-") for name in names)


# Workers that fail


class Deadly(executors.Breaking):
    """Breaks at some games of the second cell, each time."""

    deadly = frozenset({150})


class Fragile(executors.Breaking):
    """Breaks at some games of the second cell, the first time only."""

    deadly = frozenset({150})

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        future = super().submit(function, *args, **kwargs)
        if self.is_broken:
            type(self).deadly = frozenset()
        return future


def test_a_cell_that_breaks_its_workers_fails_and_the_others_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    line = f"{SWEEP.replace('4,5', '4,5,6')} --games 600 --jobs 3"
    assert call(f"{line} --out alone") == 0
    Deadly.begun = 0
    assert call(f"{line} --executor tests.test_workers:Deadly --out run") == 5
    shown = capsys.readouterr().err
    assert "failed: game" in shown and "in 4 tries: BrokenExecutor: a process was terminated abruptly." in shown
    assert Deadly.begun >= 4
    run = Run.open("run")
    assert [cell.varied["players"] for cell in run.cells if cell.id in run.manifest["failed"]] == ["5"]
    tallies = [tally.games if (tally := run.load(cell)) else 0 for cell in run.cells]
    assert tallies[0] == tallies[2] == 600 and tallies[1] <= 150
    assert call("sweep --resume run -q") == 0
    assert files("run") == files("alone")


def test_a_pool_that_breaks_once_is_made_anew(capsys: pytest.CaptureFixture[str]) -> None:
    Fragile.begun, Fragile.deadly = 0, frozenset({150})
    assert call(f"{SWEEP} --games 600 --jobs 3 --executor tests.test_workers:Fragile --out run") == 0
    assert Fragile.begun == 2
    assert call(f"{SWEEP} --games 600 --out alone") == 0
    assert files("run") == files("alone")


def test_workers_that_never_answer_do_not_hold_up_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "STOP_SECONDS", 0.2)
    wait = concurrent.futures.wait
    calls = 0

    def interrupt(*args: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return wait(*args, **more)

    monkeypatch.setattr(simulation, "wait", interrupt)
    began = time.monotonic()
    assert call(f"{SWEEP} --games 600 --executor tests.executors:NeverDone --out run") == 130
    assert time.monotonic() - began < 10
    assert call("sweep --resume run -q") == 0


# Processes


def test_processes_play_the_same_games_even_if_one_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert call(f"{SWEEP} --games 3000 --out alone") == 0
    original, taken, killed = simulation.Simulation._take, 0, 0

    def take(self: Any, order: Any, future: Any) -> bool:
        nonlocal taken, killed
        taken += 1
        children = multiprocessing.active_children()
        if taken in (3, 12) and children:
            killed += 1
            os.kill(children[0].pid or 0, signal.SIGKILL)
        return original(self, order, future)

    monkeypatch.setattr(simulation.Simulation, "_take", take)
    monkeypatch.setattr(simulation, "CHUNK_SECONDS", 1e-4)
    assert call(f"{SWEEP} --games 3000 --jobs 2 --executor processes --out run") == 0
    assert killed == 2
    assert files("run") == files("alone")
    assert not multiprocessing.active_children()


def start(line: str) -> subprocess.Popen[str]:
    """Start the command line in a group of processes of its own, as a shell does."""
    return subprocess.Popen(
        [sys.executable, "-m", "cli", *line.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def group_of(session: int) -> list[int]:
    """Return the processes of a session."""
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = Path(folder, "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(folder.name))
    return found


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_to_all_processes_or_to_the_first_ends_all_and_loses_nothing(number: signal.Signals) -> None:
    line = f"{SWEEP} --games 400k --jobs 2 --executor processes"
    line = line.replace(" -q", " --no-progress")
    with start(f"{line} --out run") as process:
        # Two cells are played one after the other, so the first state says that the workers work.
        wait_for(lambda: list(Path("run/state").glob("players-4*.npz")))
        members = group_of(process.pid)
        assert len(members) >= 3
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        began = time.monotonic()
        _, shown = process.communicate(timeout=60)
        assert process.returncode == (-9 if number == signal.SIGKILL else 128 + number)
        assert time.monotonic() - began < 10
    assert "Traceback" not in shown
    assert number == signal.SIGKILL or "Go on with: shipsim sweep --resume run" in shown
    wait_for(lambda: not group_of(process.pid), 10)
    assert call("sweep --resume run -q") == 0
    assert call(f"{SWEEP} --games 400k --out alone") == 0
    assert files("run") == files("alone")


ENDLESS = """\
def last(view, options, random):
    x = random
    while x % 100003 == 5:
        x += 100003
    return options - 1
"""


def test_a_function_that_never_returns_does_not_hold_up_an_interrupt() -> None:
    Path("bots.py").write_text(ENDLESS)
    line = "sweep ahoi --vary strategy=keeper,bots.py:last --games 30k --jobs 2 --out run --no-progress"
    with start(line) as process:
        wait_for(lambda: list(Path("run/state").glob("*keeper*.npz")))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, shown = process.communicate(timeout=60)
        assert process.returncode == 130 and "everything played is kept" in shown
        assert time.monotonic() - began < 10
    run = Run.open("run")
    kept = run.load(run.cells[0])
    assert kept is not None and kept.games == 30_000


def test_a_table_is_given_up_if_a_function_never_returns() -> None:
    Path("bots.py").write_text(ENDLESS)
    with start("simulate ahoi --strategy bots.py:last --games 30k --jobs 2 --raw table.csv") as process:
        wait_for(lambda: list(Path().glob(".*.unfinished.csv")))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, shown = process.communicate(timeout=20)
        assert process.returncode == 130 and "nothing was kept of table.csv" in shown
    assert not list(Path().glob("*table.csv")) and not list(Path().glob(".*.unfinished.csv"))


# Naming an executor


@pytest.mark.parametrize("name", ["threads", "processes", "dask:tcp://10.0.0.1:8786", "dask:head:8786", "a.b:c.d"])
def test_names_of_executors(name: str) -> None:
    assert check_executor(name) == name


@pytest.mark.parametrize(
    "name", ["", "thread", "dask", "dask:", "dask:a b", "a", ":b", "a:", "a:b:c", "a-b:c", "a/b:c", "a:b()"]
)
def test_what_is_no_name_of_an_executor(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="is not an executor"):
        check_executor(name)
    for command in (
        "simulate ahoi",
        "tournament ahoi",
        "compare ahoi joker=swap joker=colour",
        SWEEP,
        "sweep --resume x",
    ):
        assert main([*command.split(), "--executor", name]) == 2
        shown = capsys.readouterr()
        assert "is not an executor" in shown.err and "mpi4py.futures:MPIPoolExecutor" in shown.err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Numbers", "TypeError: the executor gave a int, not a concurrent.futures.Future"),
        ("Answers", "TypeError: the executor gave a int, not what was played"),
        ("Leaves", "SystemExit: 3"),
    ],
)
def test_executors_that_do_not_keep_to_it(name: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"simulate ahoi --games 10 --executor tests.executors:{name}") == 5
    shown = capsys.readouterr().err
    assert f"in 4 tries: {words}." in shown and "own-strategies" not in shown


def fail() -> None:
    raise OSError("no cluster today")


NUMBER = 7


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no_such_module:factory", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("tests.test_workers:nothing", "tests.test_workers has no 'nothing'"),
        ("tests.test_workers:NUMBER", "is not a function"),
        ("tests.test_workers:fail", "gave no executor: OSError: no cluster today"),
        ("os:getcwd", "gave a str"),
        ("sys:exit", "gave no executor: SystemExit"),
        ("tests.executors:leave", "gave no executor: SystemExit: 0"),
        ("tests.executors:AnyOrder", "gave no executor: TypeError"),
        ("dask:tcp://127.0.0.1:1", "distributed|no scheduler answers"),
    ],
)
def test_executors_that_cannot_be_had(
    name: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(workers, "DASK_SECONDS", 0.5)
    assert call(f"{SWEEP} --games 10 --executor {name} --out run") == 2
    shown = capsys.readouterr().err
    assert any(word in shown for word in words.split("|")) and f"--executor {name}" in shown
    assert not Path("run").exists()


def test_dask_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert call(f"{SWEEP} --games 10 --executor dask:head:8786 --out run") == 2
    shown = capsys.readouterr().err
    assert "needs the package distributed" in shown and "pip install 'shipsim[dask]'" in shown


def test_an_executor_tells_how_many_workers_it_has() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with Renewed(lambda: ThreadPoolExecutor(3)) as executor:
        assert executor.workers() == 3
    with open_workers("tests.executors:NeverDone") as opened:
        assert opened.jobs == simulation.count_jobs()
    with open_workers("tests.executors:NeverDone", 5) as opened:
        assert opened.jobs == 5
    with open_workers("threads", 4) as opened:
        assert (opened.jobs, opened.executor) == (4, None)


# Clusters


def test_dask_over_tcp_loses_a_worker_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    assert call(f"{SWEEP} --games 100k --out alone") == 0
    original, taken = simulation.Simulation._take, 0
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        protocol="tcp",
        dashboard_address=None,
        silence_logs=50,
        local_directory=str(Path.cwd()),
    ) as cluster:
        lost: list[int] = []

        def take(self: Any, order: Any, future: Any) -> bool:
            nonlocal taken
            taken += 1
            if taken == 8:
                # The nanny would start another one: it goes first.
                nanny = cluster.workers[0]
                lost.append(nanny.pid)
                os.kill(nanny.pid, signal.SIGKILL)
            return original(self, order, future)

        monkeypatch.setattr(simulation.Simulation, "_take", take)
        monkeypatch.setattr(simulation, "CHUNK_SECONDS", 1e-2)
        address = cluster.scheduler_address
        assert address.startswith("tcp://")
        assert call(f"{SWEEP} --games 100k --executor dask:{address} --out run") == 0
    assert lost and taken > 8
    assert files("run") == files("alone")


def test_mpi_plays_the_same_games() -> None:
    pytest.importorskip("mpi4py")
    mpiexec = shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip("mpiexec is not installed")
    assert call(f"{SWEEP} --games 3000 --out alone") == 0
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    line = f"{SWEEP} --games 3000 --executor mpi4py.futures:MPIPoolExecutor --out run"
    ended = subprocess.run(
        [mpiexec, "-n", "3", "--oversubscribe", sys.executable, "-m", "mpi4py.futures", "-m", "cli", *line.split()],
        capture_output=True,
        text=True,
        env=environment,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert files("run") == files("alone")
