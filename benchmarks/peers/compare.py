"""shipsim beside RLCard and OpenSpiel: random players, one thread, per game and per player's turn, in one run."""

from __future__ import annotations

import statistics
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.strategies import make_task, matches_for
from simcore import games
from simcore.cells import make_cell
from simcore.chunks import play_chunk
from simcore.record import place
from simcore.strategies import read_seats

SECONDS = 3.0
REPEATS = 3


class Peer(NamedTuple):
    """A relative: whose it is, its name there, which game stands beside it, and how the rules differ."""

    library: str
    name: str
    game: str
    differs: str


PEERS = (
    Peer(
        "RLCard",
        "uno",
        "ahoi",
        "108 cards, no Draw 2 + colour, no swap; a drawn card of the colour is played at once",
    ),
    Peer(
        "OpenSpiel",
        "crazy_eights",
        "ahoi",
        "52 cards, by suit or rank, eights are wild; up to five draws by choice; no reshuffle, 100 turns at most",
    ),
    Peer(
        "OpenSpiel",
        "oh_hell",
        "skull-king",
        "one round of a drawn size, not ten; 52 cards, drawn trump, no special cards; bids in turn",
    ),
)


def play_peer(python: str, peer: Peer) -> tuple[float, float]:
    """Return the seconds of a peer's game and of a turn in it."""
    command = [python, str(Path(__file__).parent / "play.py"), peer.name, str(SECONDS)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-3:]
    played, turns, seconds = (float(number) for number in answer)
    return seconds / played, seconds / turns


def play_own(name: str) -> tuple[float, float]:
    """Return the seconds of a match of shipsim with random players and of a turn in it."""
    game = games.load(name)
    rules = game.Rules()
    cell = make_cell(game, rules, read_seats(game, "random", rules.players))
    matches = matches_for(cell)
    began = time.thread_time()
    done = play_chunk(make_task(cell, matches))
    seconds = time.thread_time() - began
    return seconds / matches, seconds / float(done.rows[:, place(name, "turns", (), ())].sum())


def report(python: str) -> None:
    """Print how many times faster shipsim is, by game and by turn, and in what the rules differ."""
    print(f"\n{'four random players':26}{'a game':>10}{'a turn':>12}{'shipsim: a match':>19}{'a turn':>11}{'times':>9}")
    for peer in PEERS:
        theirs, own = [], []
        for _ in range(REPEATS):
            theirs.append(play_peer(python, peer))
            own.append(play_own(peer.game))
        game, turn = (statistics.median(column) for column in zip(*theirs, strict=True))
        match, own_turn = (statistics.median(column) for column in zip(*own, strict=True))
        print(
            f"{f'{peer.library} {peer.name}':26}{game * 1e6:7.0f} us{turn * 1e9:9.0f} ns{match * 1e6:16.2f} us"
            f"{own_turn * 1e9:8.1f} ns{turn / own_turn:9,.0f}",
            flush=True,
        )
        print(f"    beside {peer.game}: {peer.differs}")
