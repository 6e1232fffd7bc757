"""The scheduler: no result depends on workers, chunks, the order in which they end, or on stops in between."""

from __future__ import annotations

import concurrent.futures
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import pytest

from simcore import games, log, sending, simulation
from simcore.cells import Cell, make_cell
from simcore.chunks import Done, Task
from simcore.jit import INTERPRETED, OWN_SIGNATURE
from simcore.own import Own
from simcore.record import as_rows, counts_dtype, tally_dtype
from simcore.simulation import Simulation, count_jobs, empty_tally
from simcore.strategies import Chosen, read_seats
from simcore.tally import MAX_BLOCKS, Tally, block_for
from tests.executors import AnyOrder

NAME = "my-ship-sails"


def cell_of(strategy: str = "adaptive", **rules: Any) -> Cell:
    game = games.load(NAME)
    made = game.Rules(**rules)
    return make_cell(game, made, read_seats(game, strategy, made.players))


CELLS = [cell_of(), cell_of("stubborn", players=5), cell_of(max_rounds=2)]
FINGERPRINT = {cell.id: i for i, cell in enumerate(CELLS, 1)}


def made_up(task: Task, games_played: int, status: int = log.DONE) -> Done:
    """Return sums that depend on the rules, the seed and the games' numbers, without playing."""
    blocks = (task.first + task.games - 1) // task.block - task.first // task.block + 1
    tally = np.zeros(blocks, tally_dtype(NAME))
    numbers = np.arange(task.first, task.first + games_played)
    places = numbers // task.block - task.first // task.block
    np.add.at(tally["matches"], places, 1)
    weight = int(task.record["players"]) * 1000 + int(task.record["max_rounds"]) + task.seed
    np.add.at(tally["rounds"], places, numbers * weight % 1013)
    counts = np.zeros(1, counts_dtype(NAME))
    np.add.at(counts["rounds"][0], numbers % 7, 1)
    return Done(status, games_played, as_rows(tally), counts.view(np.int64), 0.001 * games_played)


def play_made_up(task: Task) -> Done:
    return made_up(task, 0 if task.stop[0] else task.games)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Task], Done]], None]:
    """Replace the playing of a chunk."""

    def replace(play: Callable[[Task], Done]) -> None:
        monkeypatch.setattr(simulation, "play_chunk", play)
        monkeypatch.setattr(sending, "play_chunk", play)

    return replace


@pytest.fixture
def any_order() -> Iterator[Callable[[int], AnyOrder]]:
    made: list[AnyOrder] = []

    def make(seed: int) -> AnyOrder:
        made.append(AnyOrder(seed))
        return made[-1]

    yield make
    for executor in made:
        executor.shutdown()


def run(cells: list[Cell], games: int, **more: Any) -> dict[str, Tally]:
    """Play to the end, and return the tallies."""
    tallies = {}
    for update in Simulation(cells, 5, games, **more).run():
        assert not update.failed
        assert update.tally.games <= games
        if update.is_over:
            assert update.cell.id not in tallies
            tallies[update.cell.id] = update.tally
    return tallies


def assert_equal(a: dict[str, Tally], b: dict[str, Tally]) -> None:
    assert list(a) and a.keys() == b.keys()
    for name, tally in a.items():
        other = b[name]
        assert (tally.first, tally.games, tally.block) == (other.first, other.games, other.block)
        assert np.array_equal(tally.rows, other.rows)
        assert np.array_equal(tally.counts, other.counts)


def at_once(cells: list[Cell], games: int) -> dict[str, Tally]:
    """Return what the kernel gives for all games in one call."""
    tallies = {}
    for cell in cells:
        done = simulation.play_chunk(simulation.to_task(cell, 5, 0, games, block_for(games)))
        tallies[cell.id] = empty_tally(NAME, games)
        tallies[cell.id].add(0, done.games, done.rows, done.counts)
    return tallies


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_played_games_do_not_depend_on_the_number_of_workers(jobs: int) -> None:
    assert_equal(run(CELLS, 3000, jobs=jobs), at_once(CELLS, 3000))


@pytest.mark.parametrize(("chunk", "seconds"), [(1, 1e-9), (63, 1e-3), (1000, 10.0)])
def test_results_do_not_depend_on_the_sizes_of_chunks(
    monkeypatch: pytest.MonkeyPatch, chunk: int, seconds: float
) -> None:
    expected = at_once(CELLS, 700)
    monkeypatch.setattr(simulation, "FIRST_CHUNK", chunk)
    monkeypatch.setattr(simulation, "CHUNK_SECONDS", seconds)
    assert_equal(run(CELLS, 700, jobs=2), expected)


def test_results_do_not_depend_on_the_order_in_which_chunks_end(fake: Any, any_order: Any) -> None:
    fake(play_made_up)
    for case, jobs in enumerate([1, 3, 8]):
        executor = any_order(case)
        assert_equal(run(CELLS, 3000, jobs=jobs, executor=executor), at_once(CELLS, 3000))
        assert jobs == 1 or executor.out_of_order > 5


def test_an_executor_of_others_is_left_running(fake: Any) -> None:
    fake(play_made_up)
    with ThreadPoolExecutor(2) as executor:
        run(CELLS, 500, jobs=2, executor=executor)
        assert executor.submit(int, "7").result() == 7


def play_with_stops(cells: list[Cell], wanted: int, generator: random.Random, **more: Any) -> dict[str, Tally]:
    """Play in many runs, each stopped or abandoned somewhere, keeping what each has saved."""
    saved: dict[str, Tally] = {}
    over: set[str] = set()
    for _ in range(10_000):
        simulation_ = Simulation(cells, 5, wanted, load=lambda cell: saved.get(cell.id), **more)
        updates = simulation_.run()
        patience, is_abandoned = generator.randrange(6), generator.random() < 0.5
        over.clear()
        for update in updates:
            saved[update.cell.id] = update.tally
            if update.is_over:
                over.add(update.cell.id)
            patience -= 1
            if patience < 0 and is_abandoned:
                break
            if patience < 0:
                simulation_.stop()
        updates.close()  # type: ignore[attr-defined]
        assert simulation_.is_stopped
        for cell, tally in simulation_.under_way:
            assert tally.games >= (saved[cell.id].games if cell.id in saved else 0)
            saved[cell.id] = tally
        if len(over) == len(cells):
            return saved
    raise AssertionError("it never came to an end")


@pytest.mark.parametrize("case", range(4))
def test_stopping_and_going_on_changes_nothing(case: int, fake: Any) -> None:
    generator = random.Random(case)

    def play_until_stopped(task: Task) -> Done:
        played = generator.randrange(task.games + 1) if task.stop[0] else task.games
        return made_up(task, played)

    expected_play: Callable[[Task], Done] = play_made_up
    fake(expected_play)
    expected = at_once(CELLS, 2500)
    fake(play_until_stopped)
    assert_equal(play_with_stops(CELLS, 2500, generator, jobs=1 + case), expected)


def test_stopping_real_games_and_going_on_changes_nothing() -> None:
    expected = at_once(CELLS, 2000)
    assert_equal(play_with_stops(CELLS, 2000, random.Random(1), jobs=2), expected)


@pytest.mark.parametrize(
    ("before", "after"), [(1, 2), (100, 513), (511, 512), (700, 5000), (1025, 1025), (513, 10_000)]
)
def test_more_games_are_as_many_at_once(fake: Any, before: int, after: int) -> None:
    fake(play_made_up)
    first = run(CELLS, before, jobs=2)
    extended = run(CELLS, after, load=lambda cell: first[cell.id], jobs=2)
    assert_equal(extended, run(CELLS, after))
    assert all(len(tally.rows) <= MAX_BLOCKS for tally in extended.values())


def test_a_cell_with_more_games_is_left_as_it_is(fake: Any) -> None:
    fake(play_made_up)
    many = run(CELLS, 900)

    def refuse(task: Task) -> Done:
        raise AssertionError("nothing is left to play")

    fake(refuse)
    updates = list(Simulation(CELLS, 5, 100, load=lambda cell: many[cell.id]).run())
    assert [update.is_over for update in updates] == [True] * 3
    assert_equal({update.cell.id: update.tally for update in updates}, many)


def test_cells_are_taken_from_a_stream_and_few_are_kept(fake: Any) -> None:
    fake(play_made_up)
    taken = 0

    def stream() -> Iterator[Cell]:
        nonlocal taken
        for max_rounds in range(1, 201):
            taken += 1
            yield cell_of(max_rounds=max_rounds)

    simulation_ = Simulation(stream(), 5, 50, jobs=2)
    over = 0
    for update in simulation_.run():
        over += update.is_over
        assert taken - over <= 5 and len(simulation_.under_way) <= 5
    assert over == 200


@pytest.mark.parametrize("jobs", [1, 4])
def test_an_illegal_choice_fails_its_cell_only_and_names_the_game(fake: Any, any_order: Any, jobs: int) -> None:
    bad = CELLS[1]

    def play(task: Task) -> Done:
        # Games 150, 150 + 37, ... are illegal; a chunk ends at its first one.
        if task.record["players"] == 5:
            for game in range(task.first, task.first + task.games):
                if game >= 150 and (game - 150) % 37 == 0:
                    return made_up(task, game - task.first, log.ILLEGAL_CHOICE)
        return play_made_up(task)

    fake(play)
    for seed in range(5):
        updates = list(Simulation(CELLS, 5, 1000, jobs=jobs, executor=any_order(seed)).run())
        failed = [update for update in updates if update.failed]
        # The first such game is named, and what was played before it is kept, in whatever order chunks end.
        assert [(update.cell.id, update.is_over) for update in failed] == [(bad.id, True)]
        assert failed[0].failed == "a strategy chose an option that does not exist in game 150"
        assert failed[0].tally.games == 150
        over = {update.cell.id: update.tally for update in updates if update.is_over and not update.failed}
        fake(play_made_up)
        assert_equal(over, at_once([CELLS[0], CELLS[2]], 1000))
        fake(play)


def test_an_error_in_a_chunk_comes_out_and_what_was_played_is_kept(fake: Any) -> None:
    def play(task: Task) -> Done:
        if task.first >= 100:
            raise MemoryError
        return play_made_up(task)

    fake(play)
    simulation_ = Simulation(CELLS, 5, 1000)
    with pytest.raises(MemoryError):
        list(simulation_.run())
    ((cell, tally),) = simulation_.under_way
    assert cell is CELLS[0] and 0 < tally.games <= 128 + 64


def test_an_interrupt_keeps_what_was_played(fake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(play_made_up)
    original, calls = concurrent.futures.wait, 0

    def wait(*args: Any, **more: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        return original(*args, **more)

    monkeypatch.setattr(simulation, "wait", wait)
    simulation_ = Simulation(CELLS, 5, 100_000, jobs=2)
    with pytest.raises(KeyboardInterrupt):
        list(simulation_.run())
    assert simulation_.is_stopped
    kept = {cell.id: tally for cell, tally in simulation_.under_way}
    assert sum(tally.games for tally in kept.values()) > 0
    resumed = run(CELLS, 100_000, load=lambda cell: kept.get(cell.id), jobs=2)
    assert_equal(resumed, run(CELLS, 100_000))


def test_workers_are_as_many_as_asked_for() -> None:
    assert count_jobs(3) == 3
    assert 1 <= count_jobs() <= 4096


def choose_seldom_badly(view: Any, options: Any, random_word: Any) -> Any:
    return options if random_word % np.uint64(499) == np.uint64(0) else 0


def test_a_match_that_breaks_off_leaves_no_sums() -> None:
    own = choose_seldom_badly if INTERPRETED else numba.cfunc(OWN_SIGNATURE)(choose_seldom_badly)
    cell = cell_of(max_passes=20, max_rounds=5)
    mine = cell.seats[0]._replace(parts={"style": Chosen("mine", Own("mine.py", "mine", ""))})
    cell = cell._replace(seats=(*cell.seats[:2], mine, cell.seats[3]))
    for first in range(0, 160, 16):
        task = simulation.to_task(cell, 5, first, 64, 8)
        done = simulation.play_chunk(task, own)
        assert done.status == log.ILLEGAL_CHOICE
        alone = simulation.play_chunk(task._replace(games=max(done.games, 1)), own)
        assert alone.status == (log.DONE if done.games else log.ILLEGAL_CHOICE)
        assert done.rows.sum() == (alone.rows.sum() if done.games else 0)
        assert np.array_equal(done.counts, alone.counts)
        matches = (tally_dtype(NAME).names or ()).index("matches")
        assert done.rows[:, matches].sum() == done.games
