"""Shards, interruptions, workers: whatever a run went through, its files are those of a run that was left alone."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.main import main
from simcore import simulation
from simcore.errors import UsageError
from simcore.shards import Shard, read_shard
from simcore.store import CSV_FILES, Run
from simcore.tally import block_for
from tests import executors

SWEEP = "sweep my-ship-sails --vary players=4,5 --set max_rounds=2 -q --seed 7"


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    # Small chunks: many places where a run can be interrupted.
    monkeypatch.setattr(simulation, "CHUNK_SECONDS", 1e-5)
    monkeypatch.setattr(simulation, "FIRST_CHUNK", 16)
    yield
    for executor in executors.made:
        executor.shutdown()
    executors.made.clear()


def call(line: str) -> int:
    return main(line.split())


def files(folder: str) -> dict[str, bytes]:
    """Return the csv and state files of a run."""
    states = sorted(path.relative_to(folder).as_posix() for path in Path(folder, "state").iterdir())
    return {name: Path(folder, name).read_bytes() for name in (*CSV_FILES, *states)}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, bytes]]:
    """The files of runs that were played at once, by their number of games."""
    found = {}
    for games in (1500, 5000):
        folder = tmp_path_factory.mktemp("alone") / "run"
        assert call(f"{SWEEP} --games {games} --jobs 1 --out {folder}") == 0
        found[games] = files(str(folder))
    assert found[1500].keys() == found[5000].keys() and found[1500] != found[5000]
    return found


def interrupted(
    line: str, folder: str, rng: random.Random, monkeypatch: pytest.MonkeyPatch, number: int = signal.SIGINT
) -> int:
    """Run a command that a signal interrupts after some chunks, then resume, until it ends; return how often."""
    original = simulation.Simulation._take
    left, stops = 0, 0

    def take(self: Any, order: Any, future: Any) -> bool:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), number)
        return original(self, order, future)

    with monkeypatch.context() as patched:
        patched.setattr(simulation.Simulation, "_take", take)
        while True:
            left = rng.randint(1, 60)
            code = call(line)
            if code == 0:
                return stops
            assert code == 128 + number
            stops += 1
            line = f"sweep --resume {folder} -q"


@pytest.mark.parametrize("shards", [1, 2, 5])
@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_shards_that_are_interrupted_and_merged_are_one_run(
    shards: int, jobs: int, alone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, stops = random.Random(shards * 10 + jobs), 0
    order = rng.sample(range(1, shards + 1), shards)
    for number in order:
        line = f"{SWEEP} --games 1500 --jobs {jobs} --shard {number}/{shards} --out part{number}"
        stops += interrupted(line, f"part{number}", rng, monkeypatch, rng.choice([signal.SIGINT, signal.SIGTERM]))
        assert Run.open(f"part{number}").shard == Shard(number, shards)
    assert stops > 0
    assert call(f"merge {' '.join(f'part{n}' for n in order)} --out whole -q") == 0
    assert files("whole") == alone[1500]
    # What was merged is a run like any other: it can be played on.
    assert call(f"sweep --resume whole --games 5000 --jobs {jobs} -q") == 0
    assert files("whole") == alone[5000]


@pytest.mark.parametrize("executor", ["tests.executors:unreliable", "threads"])
@pytest.mark.parametrize("jobs", [2, 7])
def test_workers_that_fail_and_interruptions_change_nothing(
    executor: str, jobs: int, alone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHIPSIM_SWEEP_EXECUTOR", executor)
    monkeypatch.setenv("SHIPSIM_SWEEP_JOBS", str(jobs))
    rng = random.Random(jobs)
    interrupted(f"{SWEEP} --games 1500 --out run", "run", rng, monkeypatch)
    assert files("run") == alone[1500]
    assert call("sweep --resume run -q --games 5000") == 0
    assert files("run") == alone[5000]
    if executor != "threads":
        assert sum(sum(made.failed.values()) for made in executors.made) > 10


def test_a_shard_on_unreliable_workers(alone: Any) -> None:
    for number in (2, 1):
        line = f"{SWEEP} --games 1500 --jobs 3 --executor tests.executors:unreliable --shard {number}/2"
        assert call(f"{line} --out part{number}") == 0
    assert call("merge part1 part2 --out whole -q") == 0
    assert files("whole") == alone[1500]


def test_simulate_and_compare_have_shards_too() -> None:
    for line in ("simulate my-ship-sails", "compare my-ship-sails players=4 players=5"):
        name = line.split()[0]
        for part, folder in (("", "whole"), ("--shard 1/2", "one"), ("--shard 2/2", "two")):
            assert call(f"{line} --games 900 {part} --out {name}-{folder} -q") == 0
        assert call(f"merge {name}-two {name}-one --out {name}-merged -q") == 0
        assert files(f"{name}-merged") == files(f"{name}-whole")


# What a shard is


def test_shards_are_whole_blocks_and_make_up_all_games() -> None:
    rng = random.Random(1)
    for _ in range(300):
        games = rng.choice([rng.randint(1, 600), rng.randint(1, 10**7)])
        block = block_for(games)
        of = rng.randint(1, min(-(-games // block), 512))
        spans = [Shard(number, of).span(games) for number in range(1, of + 1)]
        assert [*spans[0][:1], *(span.stop for span in spans)] == [0, *(span.start for span in spans[1:]), games]
        assert all(len(span) > 0 and span.start % block == 0 for span in spans)
        sizes = [-(-len(span) // block) for span in spans]
        assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    "text", ["0/2", "3/2", "1/0", "1/513", "1", "1/2/3", "-1/2", "1/2.0", "", "a/b", "١/٢", "1/2\n"]
)
def test_what_is_no_shard(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="is not a shard"):
        read_shard(text)
    assert main([*SWEEP.split(), "--shard", text, "--out", "run"]) == 2
    assert "is not a shard" in capsys.readouterr().err
    assert not Path("run").exists()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"{SWEEP} --shard 1/2 --precision 1pp", "divides a fixed number of games"),
        ("compare ahoi joker=swap joker=colour --until decided --shard 1/2 --out c", "divides a fixed number of games"),
        ("compare ahoi joker=swap joker=colour --shard 1/2", "Write --out DIR"),
        ("simulate ahoi --shard 1/2", "Write --out DIR"),
        ("simulate ahoi --raw a.csv --shard 1/2 --out b", "one table at once, and does not go with --out"),
        ("simulate ahoi --raw a.csv --executor processes", "one table at once, and does not go with --executor"),
        (f"{SWEEP} --games 7 --shard 1/8", "Take at most 7 shards"),
        ("merge", "the shards are missing"),
        ("merge part1", "--out is missing"),
        ("merge part1 --out part1", "exists already"),
        ("sweep --resume part1 --shard 1/2", "--resume takes no --shard"),
        ("sweep --resume part1 --games 10k", "which --games cannot change"),
        ("compare part1 --shard 1/2", "--shard does not go with a run"),
    ],
)
def test_shards_where_they_make_no_sense(line: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(f"{SWEEP} --games 700 --shard 1/2 --out part1") == 0
    assert call(line) == 2
    shown = capsys.readouterr()
    assert words in shown.err and shown.err.count("error: ") == 1


def parts(games: int = 700, of: int = 3, sweep: str = SWEEP, name: str = "part") -> list[str]:
    folders = [f"{name}{number}" for number in range(1, of + 1)]
    for number, folder in enumerate(folders, 1):
        assert call(f"{sweep} --games {games} --shard {number}/{of} --out {folder}") == 0
    return folders


def test_what_does_not_belong_together_is_not_merged(capsys: pytest.CaptureFixture[str]) -> None:
    one, two, three = parts()
    assert call(f"{SWEEP} --games 700 --out whole") == 0
    others = {
        "seed": f"{SWEEP.replace('--seed 7', '--seed 8')} --games 700 --shard 2/3",
        "games": f"{SWEEP} --games 600 --shard 2/3",
        "cells": f"{SWEEP.replace('4,5', '5,4')} --games 700 --shard 2/3",
        "overlap": f"{SWEEP} --games 700 --shard 2/4",
    }
    for name, line in others.items():
        assert call(f"{line} --out {name}") == 0
    manifest = json.loads(Path(two, "manifest.json").read_text())
    shutil.copytree(two, "engine")
    Path("engine/manifest.json").write_text(json.dumps({**manifest, "engine_version": 99}))
    shutil.copytree(two, "damaged")
    Path("damaged/manifest.json").write_text(json.dumps({**manifest, "shard": "4/3"}))
    shutil.copytree(two, "moved")
    Path("moved/manifest.json").write_text(json.dumps({**manifest, "shard": "1/3"}))
    capsys.readouterr()
    for given, words in (
        ([one, three], "shard 2/3 is missing"),
        ([two], "shards 1/3, 3/3 are missing"),
        ([one, two, two, three], "are both shard 2/3"),
        ([one, "whole", three], "'whole' is a whole run, not a shard"),
        ([one, "nothing", three], "'nothing' is not a folder"),
        ([one, "seed", three], "the seed is not the same.\n  seed: 7 and 8."),
        ([one, "games", three], "the number of games is not the same.\n  games: 700 and 600."),
        ([one, "cells", three], "the cells is not the same"),
        ([one, "overlap", three], "their ranges overlap"),
        ([one, "engine", three], "engine version 99"),
        ([one, "damaged", three], "is damaged"),
        (["moved", two, three], "is not the range of this run"),
    ):
        assert call(f"merge {' '.join(given)} --out merged") == 3, given
        shown = capsys.readouterr()
        assert words in shown.err, given
        assert not Path("merged").exists()
    for inside in (f"{two}/merged", f"{one}/../{two}/merged"):
        assert call(f"merge {one} {two} {three} --out {inside}") == 2
        assert f"error: '{inside}' would lie in the folder of the shard '{two}'.\n" in capsys.readouterr().err
    assert not Path(two, "merged").exists()
    assert call(f"merge {one} {two} {three} --out merged -q") == 0


def test_a_shard_that_is_not_finished_is_not_merged(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = parts(of=2)
    for path in Path(two, "state").glob("players-5*"):
        path.unlink()
    assert call(f"merge {one} {two} --out merged") == 3
    shown = capsys.readouterr().err
    assert "'part2', shard 2/2, is not finished: 1 of 2 cells lacks games." in shown
    assert "Write 'shipsim sweep --resume part2'" in shown
    assert call("status part2") == 0
    assert "1 of 2 done, 0 begun\n  games     350 played, 350 missing" in capsys.readouterr().out
    assert call(f"sweep --resume {two} -q") == 0
    assert call(f"merge {one} {two} --out merged -q") == 0


def test_a_cell_that_failed_in_a_shard_ends_there_as_in_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    one, two, three = parts()
    run = Run.open(two, for_writing=True)
    cell = run.cells[1]
    tally = run.load(cell)
    assert tally is not None
    # As a chunk that nobody could play leaves it: fewer games, and a reason.
    short = simulation.empty_tally(cell.game, 700, tally.first)
    done = simulation.play_chunk(simulation.to_task(cell, 7, tally.first, 10, tally.block))
    short.add(tally.first, 10, done.rows, done.counts)
    run.save(cell, short)
    run.note(failed={cell.id: "why"})
    run.finish("failed")
    assert call(f"merge {one} {two} {three} --out merged") == 5
    assert f"error: cell '{cell.id}' failed: why." in capsys.readouterr().err
    merged = Run.open("merged")
    assert merged.manifest["status"] == "failed"
    ends = [tally.end for cell in merged.cells if (tally := merged.load(cell))]
    assert ends == [700, short.end]
    assert call("sweep --resume merged -q") == 0
    assert call(f"{SWEEP} --games 700 --out whole") == 0
    assert files("merged") == files("whole")


def test_a_state_of_another_range_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = parts(of=2)
    assert call(f"{SWEEP} --games 700 --out whole") == 0
    name = next(Path(one, "state").iterdir()).name
    for source, target in ((one, two), (two, one), ("whole", one), (two, "whole")):
        kept = Path(target, "state", name).read_bytes()
        shutil.copy(Path(source, "state", name), Path(target, "state", name))
        assert call(f"status {target}") == 3
        assert "is not the range of this run" in capsys.readouterr().err
        Path(target, "state", name).write_bytes(kept)
        assert call(f"status {target}") == 0


def test_a_shard_says_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    parts(of=2)
    capsys.readouterr()
    assert call("status part2") == 0
    assert "shard 2/2: games 350 to 699" in capsys.readouterr().out
    assert call("status part2 --json") == 0
    assert json.loads(capsys.readouterr().out)["results"]["shard"] == "2/2"
    assert call("sweep --resume part2") == 0
    assert "nothing to do" in capsys.readouterr().err
    assert call("report part2 --figures svg -q") == 0
    assert "games 350 to 699 of 700" in Path("part2/report/report.md").read_text()
    assert call(f"{SWEEP.replace(' -q', '')} --games 900 --shard 2/2 --dry-run") == 0
    shown = capsys.readouterr().out
    assert "450 a cell" in shown
    assert call(f"{SWEEP} --games 900 --shard 2/2") == 0
    (made,) = Path("runs").iterdir()
    assert made.name.endswith("-2-of-2")


def test_the_merged_manifest_says_where_each_shard_was_played() -> None:
    one, two = parts(of=2)
    assert call(f"merge {two} {one} --out merged -q") == 0
    manifest = json.loads(Path("merged/manifest.json").read_text())
    assert "shard" not in manifest and manifest["status"] == "done"
    assert manifest["command"] == "shipsim merge part2 part1 --out merged -q"
    assert [entry["shard"] for entry in manifest["merged"]] == ["1/2", "2/2"]
    assert all({"command", "started", "stopped", "jobs", "versions"} <= entry.keys() for entry in manifest["merged"])


def test_the_games_of_a_shard_are_those_of_the_whole_run() -> None:
    assert call(f"{SWEEP} --games 3000 --shard 3/5 --out part") == 0
    run = Run.open("part")
    tally = run.load(run.cells[0])
    assert tally is not None and (tally.first, tally.block) == (run.span.start, block_for(3000))
    alone = simulation.play_chunk(simulation.to_task(run.cells[0], 7, tally.first, tally.games, tally.block))
    assert np.array_equal(alone.rows, tally.rows) and np.array_equal(alone.counts, tally.counts)
