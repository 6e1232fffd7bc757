"""Each view that a user's own strategy gets is what the log of the same match tells that seat."""

from __future__ import annotations

from typing import Any

import pytest

import simcore
from simcore import games, log, owncode
from simcore.games.skull_king import events
from simcore.games.skull_king import view as at
from simcore.games.skull_king.cards import GHOST, TIGRESS, TIGRESS_AS_ESCAPE, Bidding, Scoring
from simcore.games.skull_king.rules import deck
from simcore.jit import INTERPRETED
from simcore.strategies import read_seats
from tests.kernels import Case, play
from tests.test_games import with_own

NAME = "skull-king"
FULL = {"kraken": 1, "white_whale": 1, "loot": 2, "pirate_powers": True}
ROUNDS = (1, 2, 6) if INTERPRETED else tuple(range(1, 11))


class Recorder:
    """Keeps what is seen, and answers by the random number."""

    def __init__(self) -> None:
        self.views: list[list[int]] = []

    def answer(self, view: Any, options: Any, random: Any) -> int:
        self.views.append([int(options), *map(int, view)])
        return int(random) % int(options)


class Table:
    """What a match's log has told so far."""

    def __init__(self, rules: Any, rounds: int) -> None:
        self.rules, self.rounds, self.players = rules, rounds, rules.players
        self.totals = [0] * self.players

    def start_round(self, number: int, cards: int, leader: int) -> None:
        self.number, self.cards, self.leader = number, cards, leader
        self.hands: list[set[int]] = [set() for _ in range(self.players + 1)]
        self.shown: list[set[int]] = [set() for _ in range(self.players)]
        self.bids, self.tricks, self.played = [-1] * self.players, [0] * self.players, set[int]()
        self.table: list[tuple[int, int]] = []

    def lay(self, seat: int, card: int) -> None:
        printed = TIGRESS if card == TIGRESS_AS_ESCAPE else card
        self.hands[seat].discard(printed)
        self.played.add(printed)
        self.table.append((seat, card))

    def suit(self) -> int:
        """Return the suit to follow where neither Kraken, Whale nor any rule of suits but the usual ones matters."""
        for _, card in self.table:
            if card < 56:
                return card % 3 if card < 42 else 3
            if 65 <= card < TIGRESS_AS_ESCAPE and card == self.table[0][1]:
                return -2
        return -1

    def check(self, view: list[int], question: int, seat: int) -> None:
        """Compare a view with what its seat was told."""
        assert view[at.QUESTION] == question and view[at.SEAT] == seat
        assert view[at.PLAYERS] == self.players and view[at.ROUNDS] == self.rounds
        assert view[at.ROUND] == self.number and view[at.DEALT] == self.cards and view[at.LEADER] == self.leader
        assert view[at.HELD] == len(self.hands[seat]) and view[at.OWN_BID] == self.bids[seat]
        none = [-1] * (8 - self.players)
        assert view[at.BIDS : at.BIDS + 8] == self.bids + none
        assert view[at.TRICKS : at.TRICKS + 8] == self.tricks + none
        assert view[at.TOTALS : at.TOTALS + 8] == self.totals + none
        assert view[at.ON_TABLE] == len(self.table)
        laid = [card for _, card in self.table]
        assert view[at.TABLE : at.STATUS] == laid + [-1] * (at.STATUS - at.TABLE - len(laid))
        assert view[at.WINNING] in ([other for other, _ in self.table] + [-1] if laid else [-1])
        status = [3 if card in self.shown[seat] else 0 for card in range(74)]
        for card in self.played:
            status[card] = 2
        for card in self.hands[seat]:
            status[card] = 1
        assert view[at.STATUS : at.OPTIONS] == status
        options = [card for card in view[at.OPTIONS :] if card != -1]
        assert view[at.OPTIONS : at.OPTIONS + len(options)] == options
        if question != at.ASK_CARD:
            assert not options and view[at.SUIT] == -1
            return
        assert {TIGRESS if card == TIGRESS_AS_ESCAPE else card for card in options} <= self.hands[seat]
        assert (TIGRESS in options) == (TIGRESS_AS_ESCAPE in options) == (TIGRESS in self.hands[seat])
        order = [TIGRESS + 0.5 if card == TIGRESS_AS_ESCAPE else card for card in options]
        assert order == sorted(set(order))
        if not {63, 64} & set(laid):
            assert view[at.SUIT] == self.suit()


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "rules",
    [
        {"players": 4},
        {"players": 2, "graybeard": True},
        {"players": 5, "bidding": Bidding.SEQUENTIAL, "scoring": Scoring.RASCAL_CANNONBALL, **FULL},
    ],
)
def test_views_are_what_the_log_tells(rules: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    made = simcore.rules(NAME, rounds=ROUNDS, **rules)
    recorder = Recorder()
    monkeypatch.setattr(owncode, "_trial", recorder)
    case = Case(NAME, made, read_seats(games.load(NAME), "random", made.players), 5)
    played = play(with_own(case, tuple(range(made.players))), 0, 1, rows=5000, own=owncode._asking())
    assert played.status == log.DONE
    views, table, asked = iter(recorder.views), Table(made, len(ROUNDS)), 0
    rows = played.log[1 : played.log[0, 0] + 1].tolist()
    for place, (code, *rest) in enumerate(rows):
        if code == events.ROUND:
            table.start_round(*rest[:3])
        elif code == events.CARD:
            table.hands[rest[0]].add(rest[1])
            if rows[place + 1][0] != events.CARD:
                follow_bids(table, rows[place + 1 :], views)
        elif code == events.TRICK:
            table.leader, table.table = rest[1], []
        elif code == events.PLAY:
            seat, card = rest[:2]
            if seat != GHOST or made.players > 2:
                options, *view = next(views)
                table.check(view, at.ASK_CARD, seat)
                assert options == sum(card != -1 for card in view[at.OPTIONS :]) and card in view[at.OPTIONS :]
                asked += 1
            table.lay(seat, card)
        elif code == events.WON and 0 <= rest[0] < made.players:
            table.tricks[rest[0]] += 1
        elif code == events.DRAWN:
            table.hands[rest[0]].add(rest[1])
            table.shown[rest[0]].add(rest[1])
        elif code == events.DISCARDED:
            table.hands[rest[0]].discard(rest[1])
            table.shown[rest[0]].add(rest[1])
        elif code == events.JUANITA:
            dealt = {card for name, _, card, *_ in rows_of_round(rows, place) if name in (events.CARD, events.DRAWN)}
            table.shown[rest[0]] |= {card for card in deck(made) if card not in dealt}
        elif code == events.SCORE:
            table.totals[rest[0]] = rest[5]
    assert next(views, None) is None and asked == sum(ROUNDS) * made.players


def rows_of_round(rows: list[list[int]], place: int) -> list[list[int]]:
    """Return the events of a round up to a place."""
    begin = max(i for i in range(place) if rows[i][0] == events.ROUND)
    return rows[begin:place]


def follow_bids(table: Table, rows: list[list[int]], views: Any) -> None:
    """Check the questions for bids and loads, which are logged after all have been answered."""
    bids = [row[1:3] for row in rows[: table.players]]
    for seat, bid in bids:
        options, *view = next(views)
        table.check(view, at.ASK_BID, seat)
        assert options == table.cards + 1
        if table.rules.bidding != Bidding.SIMULTANEOUS:
            table.bids[seat] = bid
    for seat, bid in bids:
        table.bids[seat] = bid
    if table.rules.scoring == Scoring.RASCAL_CANNONBALL:
        for seat in range(table.players):
            options, *view = next(views)
            table.check(view, at.ASK_LOAD, seat)
            assert options == 2
