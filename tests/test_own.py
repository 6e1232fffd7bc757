"""Users' own strategies: files and functions, their errors, runs that they play, and what they cannot see."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simcore
from simcore import games, log
from simcore.cells import make_cell
from simcore.errors import UsageError
from simcore.jit import INTERPRETED
from simcore.owncode import _try, from_function, owns_of
from simcore.simulation import play_chunk, to_task
from simcore.strategies import own_seat, read_seat, read_seats
from tests.calls import Call
from tests.test_ahoi_twin import plain_case

BOTS = Path(__file__).parents[1] / "examples" / "bots"
EXAMPLES = {
    "ahoi": ("ahoi_bots.py:big_first", "random"),
    "my-ship-sails": ("my_ship_sails_bots.py:collect", "random"),
    "skull-king": ("skull_king_bots.py:careful", "random/random"),
}
SHIP = "my-ship-sails"

FILE = """\
import numpy as np
def helper(options):
    return options - 1

def first(view, options, random):
    return 0

def last(view, options, random):
    return helper(options)

def two(view, options):
    return 0

def high(view, options, random):
    return options

def raises(view, options, random):
    return view[5000]

def writes(view, options, random):
    view[0] = 1
    return 0

def flat(view, options, random):
    if random < 0:
        view.flat[0] = 1
    return 0

def each(view, options, random):
    return inner(view) if random < 0 else 0

def inner(view):
    for place in np.nditer(view):
        place[()] = 1
    return 0

def half(view, options, random):
    return options / 2

def hard(view, options, random):
    global SEEN
    SEEN = 1
    return 0

def seldom(view, options, random):
    return options if random % 5000 == 7 else 0
"""


ODD = """\
import sys
class Mute(Exception):
    def __str__(self):
        raise self
class Shy(int):
    def __ge__(self, other):
        raise Mute
    __repr__ = __ge__
def leaves(view, options, random):
    sys.exit()
def mute(view, options, random):
    raise Mute
def base(view, options, random):
    raise KeyboardInterrupt
def shy(view, options, random):
    return Shy(0)
def itself(view, options, random):
    return itself(view, options, random // 2) if random > 1 else 0
def there(number):
    return back(number) if number > 1 else 0
def back(number):
    return there(number // 2)
def round_about(view, options, random):
    return there(random)
def sum(view, options, random):
    return view[:0].sum()
"""


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    path = tmp_path / "bots.py"
    path.write_text(FILE)
    return path


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_beat_random(name: str) -> None:
    file, other = EXAMPLES[name]
    rules = simcore.rules(name, players=4)
    found = simcore.simulate(rules, [f"{BOTS}/{file}", other, other, other], games=400).estimates()
    row = found[(found.metric == "match_win") & (found.key == "1")].iloc[0]
    assert row.low > 0.28


def test_functions_play_as_their_files_do(bots: Path) -> None:
    def first(view: Any, options: Any, random: Any) -> Any:
        return 0

    rules = simcore.rules(SHIP)
    by_function = simcore.simulate(rules, [first, "adaptive", "adaptive", f"{bots}:last"], games=200)
    by_file = simcore.simulate(rules, f"{bots}:first+adaptive+adaptive+{bots}:last", games=200)
    other = simcore.simulate(rules, f"{bots}:last+adaptive+adaptive+{bots}:first", games=200)
    assert by_function.estimates().drop(columns="cell").equals(by_file.estimates().drop(columns="cell"))
    assert not other.estimates().drop(columns="cell").equals(by_file.estimates().drop(columns="cell"))


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ("bot.py:first", "the strategy file 'bot.py' does not exist. Did you mean 'bots.py'?"),
        ("bots.py:frist", "'bots.py' has no function 'frist'. Did you mean 'first'?"),
        ("bots.py:two", "'bots.py', line 11: function 'two' takes (view, options), but a strategy takes three"),
        ("bots.py:first:x=1", "'x' is not a parameter of strategy 'bots.py:first'."),
        ("syntax.py:f", "'syntax.py', line 2: "),
        ("imports.py:f", "'imports.py', line 1: ModuleNotFoundError: No module named 'nothing_there'."),
        ("bots.py:high", "'bots.py:high' chose option 7 of 7"),
        ("bots.py:raises", "'bots.py:raises', line 18 raised IndexError: index 5000 is out of bounds"),
        ("bots.py:writes", "'bots.py:writes', line 21 raised ValueError: assignment destination is read-only."),
        ("bots.py:flat", "'bots.py:flat' goes through the view by .flat or nditer, which could change it."),
        ("bots.py:each", "'bots.py:each' goes through the view by .flat or nditer, which could change it."),
        ("bots.py:half", "'bots.py:half' returned 3.5, which is not the number of an option."),
        ("bots.py:hard", "'bots.py:hard', line 42"),
        ("ends.py:f", "'ends.py', line 2: SystemExit: 0."),
        ("odd.py:leaves", "'odd.py:leaves', line 10 raised SystemExit."),
        ("odd.py:mute", "'odd.py:mute', line 12 raised Mute."),
        ("odd.py:base", "'odd.py:base', line 14 raised KeyboardInterrupt."),
        ("odd.py:shy", "a strategy returned what cannot be looked at: Mute."),
        ("odd.py:itself", "'odd.py:itself': function 'itself' calls itself, which a strategy cannot."),
        ("odd.py:round_about", "'odd.py:round_about': function 'back' calls itself, which a strategy cannot."),
        ("pipe.py:f", "the strategy file 'pipe.py' is a pipe"),
        ("odd.py:sum/odd.py:itself", "'odd.py:sum/odd.py:itself' is not a strategy of my-ship-sails."),
    ],
)
def test_errors_are_the_users(call: Call, bots: Path, strategy: str, message: str) -> None:
    (bots.parent / "syntax.py").write_text("\ndef f(view, options, random)\n    return 0\n")
    (bots.parent / "imports.py").write_text("import nothing_there\ndef f(view, options, random):\n    return 0\n")
    (bots.parent / "ends.py").write_text("import sys\nsys.exit(0)\ndef f(view, options, random):\n    return 0\n")
    (bots.parent / "odd.py").write_text(ODD)
    if strategy.startswith("pipe"):
        os.mkfifo(bots.parent / "pipe.py")
    shown = call(f"simulate {SHIP} --games 10 -q --strategy {strategy}")
    assert shown.code == 2 and shown.err.startswith(f"error: {message}"), shown.err
    assert "Traceback" not in shown.err


def test_what_strategies_print_is_not_data(call: Call, bots: Path) -> None:
    (bots.parent / "loud.py").write_text(
        "print('begins')\ndef f(view, options, random):\n    print('asked', options)\n    return 0\n"
    )
    shown = call(f"simulate {SHIP} --games 3 --set max_passes=9 --set max_rounds=2 -q --json --strategy loud.py:f")
    assert shown.code == 0 and json.loads(shown.out)["status"] == "done"
    assert "begins" in shown.err and 1 <= shown.err.count("asked") <= 100


def test_a_method_of_the_same_name_is_no_recursion(call: Call, bots: Path) -> None:
    (bots.parent / "odd.py").write_text(ODD)
    assert call(f"simulate {SHIP} --games 3 --set max_rounds=2 -q --strategy odd.py:sum").code == 0


def test_a_late_mistake_names_its_game(call: Call, bots: Path) -> None:
    shown = call(f"simulate {SHIP} --games 20000 -q --strategy bots.py:seldom")
    assert shown.code == 5 and "chose option 7 of 7" in shown.err, shown.err
    game = shown.err.split("in game ")[1].split()[0]
    raw = call(f"simulate {SHIP} --games 20000 -q --strategy bots.py:seldom --raw table.csv")
    assert raw.code == 3 and f"in game {game} 'bots.py:seldom' chose option 7 of 7" in raw.err
    shown = call(f"trace {SHIP} -q --strategy bots.py:seldom --game {game}")
    assert shown.code == 3 and f"in game {game} 'bots.py:seldom' chose option 7 of 7" in shown.err


def test_a_run_needs_the_same_file(call: Call, bots: Path) -> None:
    line = f"sweep {SHIP} --vary strategy=adaptive,bots.py:first --games 300 --out runs/mine -q"
    assert call(line).code == 0
    text = Path("runs/mine/manifest.json").read_text()
    assert "bots.py:first@" in text and "return 0" not in text and str(bots.parent) not in text
    assert call("status runs/mine").code == call("compare runs/mine").code == 0
    assert call("sweep --resume runs/mine -q").code == 0  # there is nothing to play
    shown = call("sweep --resume runs/mine --games 600 -q")
    assert shown.code == 3 and "Name it: --strategy PATH/bots.py:first" in shown.err
    assert call("sweep --resume runs/mine --games 600 -q --strategy bots.py:first").code == 0
    cells = Path("runs/mine/cells.csv").read_text().splitlines()
    own = cells[2].split(",")[0]
    assert call(f"trace runs/mine --cell {own} -q").code == 3
    assert call(f"trace runs/mine --cell {own} -q --strategy bots.py:first").code == 0
    bots.write_text(FILE + "\n# changed\n")
    shown = call("sweep --resume runs/mine --games 900 -q --strategy bots.py:first")
    assert shown.code == 3 and "is not the file that 'runs/mine' was begun with" in shown.err
    shown = call("sweep --resume runs/mine -q --strategy bots.py:first")  # even if there is nothing to play
    assert shown.code == 3 and "is not the file that 'runs/mine' was begun with" in shown.err


def test_a_sequential_test_needs_the_same_file(call: Call, bots: Path) -> None:
    assert call(f"tournament {SHIP} adaptive bots.py:first --sprt 1pp --max-games 600 --out t -q").code in (0, 4)
    assert "  Name it: --strategy PATH/bots.py:first" in call("sweep --resume t --max-games 700 -q").err
    assert call("sweep --resume t --max-games 700 -q --strategy bots.py:first").code in (0, 4)
    assert json.loads(Path("t/manifest.json").read_text())["stopping"]["max_games"] == 700


def test_only_the_user_names_code(call: Call, bots: Path) -> None:
    Path("study.toml").write_text(f'game = "{SHIP}"\n[[sweep.axis]]\nstrategy = ["adaptive", "bots.py:first"]\n')
    Path("rules.toml").write_text(f'game = "{SHIP}"\nstrategy = "bots.py:first"\n')
    for line in ("sweep study.toml", f"simulate {SHIP} --rules rules.toml"):
        shown = call(line)
        assert shown.code == 2 and "is a file of code" in shown.err and "--strategy bots.py:first" in shown.err


def test_bids_and_cards_may_be_different_strategies(bots: Path) -> None:
    game = games.load("skull-king")
    for text, own in (
        (f"{bots}:first", (True, True)),
        (f"{bots}:first/contract", (True, False)),
        (f"count/{bots.name}:first", (False, True)),
        (f"{bots}:first/{bots}:last", (True, True)),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(bots.parent)
            seat = read_seat(game, text)
        assert tuple(map(bool, seat.own)) == own
        assert str(read_seat(game, str(seat), saved=True)) == str(seat)
        rules = simcore.rules("skull-king", preset="swift-n-salty")
        done = play_chunk(to_task(make_cell(game, rules, [seat] * rules.players), 1, 0, 20, 1))
        assert (done.status, done.games) == (0, 20)


def test_a_path_may_hold_a_plus(tmp_path: Path) -> None:
    (tmp_path / "c++").mkdir()
    (tmp_path / "c++" / "bots.py").write_text(FILE)
    seats = read_seats(games.load(SHIP), f"{tmp_path}/c++/bots.py:first+adaptive", 2)
    assert [seat.short for seat in seats] == ["bots.py:first", "adaptive"]


def test_a_task_can_be_sent_away(bots: Path) -> None:
    game = games.load(SHIP)
    cell = make_cell(game, simcore.rules(SHIP), read_seats(game, f"{bots}:last", 4))
    task = to_task(cell, 1, 0, 50, 1)
    bots.unlink()
    assert np.array_equal(play_chunk(pickle.loads(pickle.dumps(task))).rows, play_chunk(task).rows)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(UsageError, match="must take three arguments"):
        simcore.simulate(simcore.rules(SHIP), lambda view, options: 0)


VIEWS: list[list[int]] = []


def record_view(view: Any, options: Any, random: Any) -> Any:
    """Keep what is seen."""
    VIEWS.append([int(options), *map(int, view)])
    return 0


def views(name: str, **rules: Any) -> np.ndarray[Any, Any]:
    """Return what four seats see in some matches."""
    VIEWS.clear()
    game = games.load(name)
    cell = make_cell(game, simcore.rules(name, **rules), [own_seat(game, from_function(record_view))] * 4)
    assert not _try(cell, owns_of(cell.seats), 1, 0, 1 if INTERPRETED else 5, float("inf"))
    return np.array(VIEWS)[:, 1:]


@pytest.mark.interpreted
def test_skull_king_shows_no_hidden_card_or_bid() -> None:
    from simcore.games.skull_king import view as at

    seen = views("skull-king", players=4)
    bids = seen[seen[:, at.QUESTION] == at.ASK_BID]
    assert len(bids) > 3 and (bids[:, at.BIDS : at.BIDS + 4] == -1).all()
    in_hand = (seen[:, at.STATUS : at.STATUS + 74] == 1).sum(axis=1)
    assert np.array_equal(in_hand, seen[:, at.HELD])
    # All cards that are not in the own hand and not played look alike.
    known = (seen[:, at.STATUS : at.STATUS + 74] != 0).sum(axis=1)
    cards = seen[seen[:, at.QUESTION] == at.ASK_CARD]
    assert (known[seen[:, at.QUESTION] == at.ASK_BID] == bids[:, at.HELD]).all()
    assert (known <= 4 * seen[:, at.DEALT]).all() and (cards[:, at.ON_TABLE] < 4).all()


def choose_any(view: Any, options: Any, random: Any) -> Any:
    return random % options


def record_and_choose_any(view: Any, options: Any, random: Any) -> Any:
    VIEWS.append([int(options), int(random), *view.tolist()])
    return random % options


@pytest.mark.interpreted
def test_ahois_kernels_ask_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.load("ahoi")
    recording, choosing = (own_seat(game, from_function(f)) for f in (record_and_choose_any, choose_any))
    questions: set[int] = set()
    for case in range(400, 403) if INTERPRETED else range(400, 500):
        rules, seats, seed, numbers = plain_case(case)
        rules = rules._replace(match_rounds=1, match_points=0, max_turns=min(rules.max_turns, 60))
        chosen = np.random.default_rng(case).random(len(seats)) < 0.6
        recorded, compiled = (
            make_cell(game, rules, [own if c else seat for c, seat in zip(chosen, seats, strict=True)])
            for own in (recording, choosing)
        )
        asked, played = [], []
        for kernel in ("play_plain", games.ANY):
            monkeypatch.setattr(games, "kernel_for", lambda *given, kernel=kernel: kernel)
            VIEWS.clear()
            assert not _try(recorded, owns_of(recorded.seats), seed, numbers[1], 1, float("inf"))
            asked.append(np.array(VIEWS))
            done = play_chunk(to_task(compiled, seed, numbers[1], 1, 1))
            played.append((done.status, done.rows.tobytes(), done.counts.tobytes()))
        monkeypatch.undo()
        assert np.array_equal(asked[0], asked[1]) and played[0] == played[1], (case, rules, chosen)
        questions.update(view[2] for view in VIEWS)
    assert questions == ({0, 1, 2} if INTERPRETED else {0, 1, 2, 3})


def test_ahois_plain_kernel_tells_of_options_that_there_are_not(bots: Path) -> None:
    game = games.load("ahoi")
    cell = make_cell(game, simcore.rules("ahoi"), read_seats(game, f"{bots}:high+keeper+keeper+random", 4))
    task = to_task(cell, 1, 0, 20, 1)
    assert task.kernel == "play_plain" and play_chunk(task).status == log.ILLEGAL_CHOICE


@pytest.mark.skipif(not INTERPRETED, reason="compiled helpers cannot be called alone")
@pytest.mark.interpreted
def test_ahoi_shows_no_hidden_card() -> None:
    from simcore.games.ahoi import hands, own
    from simcore.record import to_record

    record = to_record("ahoi", simcore.rules("ahoi", players=4))
    rng = np.random.default_rng(1)

    def seen(is_hidden_changed: bool) -> list[int]:
        fixed, hidden = np.random.default_rng(7), rng
        state = np.zeros(1, hands.STATE)[0]
        for row in range(4):
            words = (hidden if row and is_hidden_changed else fixed).integers(0, 1 << 40, 6, np.uint64)
            state["hands"][row, :6] = words
            state["hands"][row, 6] = fixed.integers(0, 100)
        for field in ("deck", "pile", "order", "next_kind"):
            if is_hidden_changed:
                state[field] = hidden.integers(0, 50, np.shape(state[field]))
        for i in range(3):
            own.offer(state, i, i)
        own.ask(record, state, np.int64(0), own.ASK_CARD, 3, lambda view, options, random: 0)
        return [int(number) for number in state["view"]]

    expected = seen(False)
    assert sum(expected) > 0
    for _ in range(20):
        changed = seen(True)
        # Sizes are public, and the fixed numbers drawn after other hands' words differ with them.
        sizes = slice(16, 32)
        changed[sizes] = expected[sizes]
        assert changed == expected


@pytest.mark.interpreted
def test_my_ship_sails_shows_the_own_hand_alone() -> None:
    from simcore.games.my_ship_sails import view as at

    seen = views(SHIP, max_passes=30)
    assert (seen[:, at.HELD] == seen[:, at.HAND_SIZE]).all()
    for view in seen:
        cards = view[at.CARDS : at.CARDS + view[at.HELD]]
        assert (np.diff(cards) > 0).all() and (view[at.CARDS + view[at.HELD] : at.ARRIVALS] == 0).all()
        assert (view[at.ARRIVALS + view[at.HELD] :] == 0).all()
