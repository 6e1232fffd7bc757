"""`simulate --raw`: a row for each match, whose sums are those of an ordinary run."""

from __future__ import annotations

import importlib.util
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cli import raw
from simcore import games
from simcore.cells import plan
from simcore.record import width
from simcore.results import columns
from simcore.simulation import Simulation
from tests.calls import Call
from tests.test_workers import start, wait_for


@pytest.mark.parametrize("name", games.GAMES)
def test_the_columns_add_up_to_the_tally(
    name: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Pieces that do not divide the games, so that their seams are tested.
    monkeypatch.setattr(raw, "PIECE", 300 * width(name))
    shown = call(f"simulate {name} --games 1000 --seed 5 --jobs 2 --raw all.csv")
    assert shown.code == 0 and shown.out == "" and "wrote all.csv: 1,000 matches" in shown.err
    frame = pd.read_csv(tmp_path / "all.csv")
    assert frame["game"].tolist() == list(range(1000))
    assert {"match_win_seat_1", "match_tie"} <= set(frame.columns) and frame.columns.is_unique
    assert (frame.dtypes == "int64").all()
    cell = plan(games.load(name)).cells[0]
    (*_, update) = Simulation([cell], 5, 1000, jobs=1).run()
    found, totals = columns(cell), update.tally.rows.sum(axis=0)
    sums = frame.drop(columns="game").sum().to_numpy()
    assert np.array_equal(sums[: len(found.sums)], totals[found.sums]) and sums.any()
    # Every mean can be worked out from the table: what metrics are per is there, each once.
    others = sorted(set(found.per) - set(found.sums))
    assert sorted(sums[len(found.sums) :]) == sorted(totals[others])


def test_a_name_may_be_as_long_as_the_system_allows(call: Call, tmp_path: Path) -> None:
    most = os.pathconf(tmp_path, "PC_NAME_MAX")
    name = "a" * (most - 4) + ".csv"
    assert call(f"simulate my-ship-sails --games 10 --raw {name}").code == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]
    shown = call(f"simulate my-ship-sails --games 10 --raw b{name}")
    assert shown.code == 2 and f"its name has {most + 1} bytes, and {most} are allowed here." in shown.err
    assert "games" not in shown.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--raw a.xlsx", "neither .csv nor .parquet"),
        ("--raw there.csv", "exists already"),
        ("--raw nowhere/a.csv", "there is no folder 'nowhere'"),
        ("--raw a.csv --games 10000001", "too many"),
        ("--raw a.csv --precision 1pp", "fixed number of games"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_played(
    words: str, message: str, call: Call, tmp_path: Path
) -> None:
    (tmp_path / "there.csv").write_text("kept")
    shown = call(f"simulate my-ship-sails {words}")
    assert shown.code == 2 and message in shown.err
    assert [path.name for path in tmp_path.iterdir()] == ["there.csv"]
    assert (tmp_path / "there.csv").read_text() == "kept"


def test_parquet_without_pyarrow_says_what_to_install(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else find(name))
    shown = call("simulate my-ship-sails --games 10 --raw a.parquet")
    assert shown.code == 2 and "pip install 'shipsim[parquet]'" in shown.err


def test_parquet_holds_what_csv_holds(call: Call, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for name in ("a.csv", "a.parquet"):
        assert call(f"simulate my-ship-sails --games 50 --raw {name}").code == 0
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "a.csv"), pd.read_parquet(tmp_path / "a.parquet"))


def test_an_interrupt_keeps_nothing_and_says_so(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = raw._pieces

    def interrupted(*given: Any) -> Any:
        for i, rows in enumerate(pieces(*given)):
            if i == 1:
                signal.raise_signal(signal.SIGINT)
            yield rows

    monkeypatch.setattr(raw, "PIECE", 100 * width("my-ship-sails"))
    monkeypatch.setattr(raw, "_pieces", interrupted)
    shown = call("simulate my-ship-sails --games 1000 --raw a.csv")
    assert shown.code == 130 and "nothing was kept of a.csv" in shown.err
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_removed_and_what_is_written_is_not(call: Call, tmp_path: Path) -> None:
    line = "simulate my-ship-sails --games 10M --raw big.csv -q --no-progress"
    with start(line) as process:
        wait_for(lambda: any(file.stat().st_size for file in tmp_path.glob(".*.unfinished.csv")))
        (unfinished,) = tmp_path.glob(".*.unfinished.csv")
        other = tmp_path / ".12.unfinished.notes"
        other.write_text("not ours")
        assert call("simulate my-ship-sails --games 50 --raw one.csv").code == 0
        assert unfinished.exists()  # somebody is at work on it
        process.kill()
        process.wait(30)
    assert unfinished.exists()
    assert call("simulate my-ship-sails --games 50 --raw two.csv").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [other.name, "one.csv", "two.csv"]


def test_a_file_that_appears_meanwhile_is_not_overwritten(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = raw._pieces

    def late(*arguments: Any) -> Iterator[Any]:
        yield from pieces(*arguments)
        (tmp_path / "r.csv").write_text("mine")

    monkeypatch.setattr(raw, "_pieces", late)
    assert call("simulate my-ship-sails --games 10 --raw r.csv").code == 3
    assert (tmp_path / "r.csv").read_text() == "mine" and len([*tmp_path.iterdir()]) == 1
