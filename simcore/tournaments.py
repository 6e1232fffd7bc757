"""Strategies against each other: one at a seat, another at all others, in each seat in turn on the same deals.

An ordered pair (A, B) is as many cells as there are players: A at seat 1 and B elsewhere, A at seat 2 and so on. They
see the same deals, so what seats and cards give is in all of them, and the sums of a block over the cells show only
what A does better or worse. One seat alone can be off by two percentage points.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from simcore import stats
from simcore.cells import Cell, make_cell
from simcore.declare import SHARE
from simcore.games import Game, load
from simcore.record import place
from simcore.results import NEGLIGIBLE_RATE
from simcore.stopping import FIRST_LOOK, look_games
from simcore.strategies import Seat, show_seats
from simcore.tally import Integers, Tally

GSPRT, ERRORS = "GSPRT", 0.05
MOST_STRATEGIES = 40
TOURNAMENT = "tournament"
"""The axis of its cells, in the manifest."""


class Pair(NamedTuple):
    """One strategy among another: the cell in which it sits at seat 1, at seat 2 and so on."""

    one: Seat
    among: Seat
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """Both strategies with all their parameters."""
        return f"{self.one} among {self.among}"


class Standing(NamedTuple):
    """What came of a pair.

    Attributes
    ----------
    strategy, among
        Who sits at one seat, and who at all others.
    games
        Matches with each seat.
    wins
        Share of the matches with a winner that the one won.
    edge, low, high, se
        That share less 1/players, and its interval, simultaneous over all pairs; standard error.
    verdict
        In words; half a percentage point counts as nothing.
    games_until_ahead
        Matches after which the better one has won more often than a given opponent, with 95 %.
    settled_after
        Games that would settle what is undecided, if the estimate stays; those played if it is not.
    llr
        Log likelihood ratio of the edge asked for to none; nan if none was.
    """

    strategy: str
    among: str
    games: int
    wins: float
    edge: float
    low: float
    high: float
    se: float
    verdict: str
    games_until_ahead: float
    settled_after: float
    llr: float = math.nan


class Rung(NamedTuple):
    """A strategy's place in the ladder.

    Attributes
    ----------
    strategy
        Who it is.
    edge, low, high
        Its edge, averaged over all others as opponents, and an interval that holds together with the others'.
    stronger_than
        Among how many others it is stronger.
    best_low, best_high
        Interval of its edge less that of the best of the others, which holds together with the others' too (Hsu's
        multiple comparisons with the best): with low 0 it is the best, with high 0 it is not.
    best
        BEST, MAY_BE or NOT_BEST, as the interval says.
    """

    strategy: str
    edge: float
    low: float
    high: float
    stronger_than: int
    best_low: float
    best_high: float
    best: str


BEST, MAY_BE, NOT_BEST = "yes", "may be", "no"


class Sprt(NamedTuple):
    """Play until a sequential test has decided for every pair between no edge and this one, or to the most games.

    Attributes
    ----------
    edge
        Share of wins above an equal one.
    max_games
        Games of a cell at which it ends anyway.
    decided
        What came of pairs that were decided, by their names.
    """

    edge: float
    max_games: int
    decided: Mapping[str, Standing] = {}

    @property
    def words(self) -> str:
        """The rule in words."""
        return f"{GSPRT} of no edge against one of {100 * self.edge:g} pp, {100 * ERRORS:g} % errors"

    def looks(self) -> list[int]:
        """Return the numbers of games at which pairs are looked at."""
        return look_games(self.max_games)

    def is_decided(self, standing: Standing) -> bool:
        """Say whether a pair plays no further game."""
        below, above = stats.sprt_bounds(ERRORS, ERRORS)
        return standing.llr <= below or standing.llr >= above  # nan, if all games are alike, decides nothing

    def open_pairs(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Return the pairs that are not decided."""
        return [pair for pair in pairs if pair.name not in self.decided]

    def described(self) -> dict[str, Any]:
        """Return the rule, and what it has decided, as a manifest holds them; `sprt_from` is the way back."""
        decided = [{"pair": name, **standing._asdict()} for name, standing in self.decided.items()]
        return {
            "rule": GSPRT,
            "targets": [{"metric": "match_win", "edge": self.edge}],
            "errors": ERRORS,
            "looks": f"{FIRST_LOOK}, doubling",
            "max_games": self.max_games,
            # JSON knows neither inf nor nan.
            "decided": [
                {name: value for name, value in row.items() if isinstance(value, str) or math.isfinite(value)}
                for row in decided
            ],
        }


def sprt_from(described: Any) -> Sprt | None:
    """Return the rule that a manifest's `stopping` describes, or None if it is another one.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    if not isinstance(described, Mapping) or described.get("rule") != GSPRT:
        return None
    unknown = dict.fromkeys(Standing._fields, math.inf) | {"llr": math.nan}
    try:
        (target,) = described["targets"]
        edge, most, decided = target["edge"], described["max_games"], {}
        for row in described["decided"]:
            standing = Standing(**{name: row.get(name, unknown[name]) for name in Standing._fields})
            for name, value in standing._asdict().items():
                if not isinstance(value, str if name in ("strategy", "among", "verdict") else int | float):
                    raise ValueError(f"'{name}' is not what it must be")
            decided[str(row["pair"])] = standing
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError("'stopping' is not what it must be") from error
    if type(most) is not int or not isinstance(edge, float) or not 0 < edge < 1:
        raise ValueError("'stopping' is not what it must be")
    return Sprt(edge, most, decided)


def make_pair(game: Game, rules: object, one: Seat, among: Seat) -> Pair:
    """Return a pair of strategies under rules that were checked before."""
    players = int(rules.players)  # type: ignore[attr-defined]
    cells = []
    for seat in range(players):
        seats = [among] * players
        seats[seat] = one
        cells.append(make_cell(game, rules, seats, {"strategy": show_seats(seats, short=True)}))
    return Pair(one, among, tuple(cells))


def make_pairs(game: Game, rules: object, strategies: Sequence[Seat]) -> list[Pair]:
    """Return all ordered pairs."""
    return [make_pair(game, rules, one, among) for one, among in itertools.permutations(strategies, 2)]


def all_cells(pairs: Iterable[Pair]) -> list[Cell]:
    """Return the cells of pairs, each once: with two players the pairs share them."""
    return list({cell.id: cell for pair in pairs for cell in pair.cells}.values())


def pairs_of(cells: Sequence[Cell]) -> list[Pair]:
    """Return the pairs of a tournament whose cells these are, or none if they are no tournament's."""
    first = cells[0]
    known: dict[str, Seat] = {}
    for cell in cells:
        for seat in cell.seats:
            known.setdefault(str(seat), seat)
        if len(known) > MOST_STRATEGIES or list(cell.varied) != ["strategy"] or cell.rules != first.rules:
            return []
    if len(known) < 2:
        return []
    pairs = make_pairs(load(first.game), first.rules, list(known.values()))
    return pairs if {cell.id for cell in all_cells(pairs)} == {cell.id for cell in cells} else []


def pairs_from(manifest: Mapping[str, Any], cells: Sequence[Cell]) -> list[Pair]:
    """Return the pairs of a run that a tournament made, or none if it was something else."""
    made = any(isinstance(axis, Mapping) and axis.get("axis") == TOURNAMENT for axis in manifest.get("axes", []))
    return pairs_of(cells) if made else []


def wins_of(cell: Cell, tally: Tally) -> Tally:
    """Return what a tournament needs of a tally: wins by seat, matches, and matches without a winner.

    A ladder has hundreds of cells, whose whole tallies would fill the memory.
    """
    wins = [place(cell.game, "match_win", ("seat",), (seat,)) for seat in range(len(cell.seats))]
    matches = [place(cell.game, name, (), ()) for name in ("matches", "no_winner")]
    return replace(tally, rows=tally.rows[:, wins + matches], counts=tally.counts[:0])


def win_sums(
    pairs: Sequence[Pair], tallies: dict[str, Tally], beside: Sequence[Pair] = ()
) -> tuple[Integers, Integers]:
    """Return (blocks, 1) of the wins of the one, over all cells of pairs, and of the matches with a winner.

    The tallies are those of `wins_of`, by the cells' ids. A cell with fewer games, of these pairs or of those that
    they stand beside, cuts the others to the blocks that are whole in it.
    """
    played = [tallies[cell.id] for pair in (*pairs, *beside) for cell in pair.cells]
    block, end = max(tally.block for tally in played), min(tally.end for tally in played)
    blocks = -(-end // block) if all(tally.end == end for tally in played) else end // block
    wins, matches = np.zeros((blocks, 1), np.int64), np.zeros((blocks, 1), np.int64)
    for pair in pairs:
        for seat, cell in enumerate(pair.cells):
            rows = tallies[cell.id].coarsen(block).rows[:blocks]
            wins += rows[:, [seat]]
            matches += rows[:, [-2]] - rows[:, [-1]]
    return wins, matches


def is_played(pair: Pair, tallies: dict[str, Tally]) -> bool:
    """Say whether there are games of all cells of a pair."""
    return all(cell.id in tallies and tallies[cell.id].games > 0 for cell in pair.cells)


def stand(pair: Pair, tallies: dict[str, Tally], comparisons: int = 1, edge: float | None = None) -> Standing:
    """Return what came of a pair.

    Parameters
    ----------
    pair, tallies
        The pair, and the tallies of its cells as `wins_of` gives them, by their ids.
    comparisons
        Intervals that are to hold together.
    edge
        An edge to test against none.
    """
    players = len(pair.cells)
    x, n = win_sums([pair], tallies)
    found = stats.rate_interval(x, n, SHARE, confidence=stats.simultaneous(0.95, comparisons))
    wins, low, high, se = (float(column[0]) for column in found[:4])
    level, games = 1 / players, min(tallies[cell.id].games for cell in pair.cells)
    low, high = low - level, high - level
    verdict = str(stats.verdict(low, high, NEGLIGIBLE_RATE))
    settled = float(stats.games_to_settle(low, high, NEGLIGIBLE_RATE, games))
    if verdict == stats.Verdict.CHANGES:
        verdict = "stronger" if wins > level else "weaker"
    # Of one match: the one wins with this chance, a given opponent with its part of the rest.
    rival = (1 - wins) / (players - 1)
    ahead = stats.games_until_ahead(abs(wins - rival), wins + rival - (wins - rival) ** 2)
    llr = math.nan if edge is None else stats.gspr_llr(wins, games * se * se, games, level, level + edge)
    names = pair.one.short, pair.among.short
    return Standing(*names, games, wins, wins - level, low, high, se, verdict, ahead, settled, llr)


def ladder(pairs: Sequence[Pair], tallies: dict[str, Tally], standings: Sequence[Standing]) -> list[Rung]:
    """Return the strategies, the strongest first, by their mean edge over all the others."""
    rungs = []
    names = list(dict.fromkeys(pair.one.short for pair in pairs))
    owns = [[pair for pair in pairs if pair.one.short == name] for name in names]
    bests = _against_the_best(pairs, owns, tallies)
    for name, own, best in zip(names, owns, bests, strict=True):
        found = stats.rate_interval(*win_sums(own, tallies), SHARE, confidence=stats.simultaneous(0.95, len(names)))
        edge, low, high = (float(column[0]) - 1 / len(own[0].cells) for column in found[:3])
        stronger = sum(s.verdict == "stronger" for s in standings if s.strategy == name)
        rungs.append(Rung(name, edge, low, high, stronger, *best))
    return sorted(rungs, key=lambda rung: -rung.edge)


def _against_the_best(
    pairs: Sequence[Pair], owns: Sequence[Sequence[Pair]], tallies: dict[str, Tally]
) -> list[tuple[float, float, str]]:
    """Return for the pairs of each strategy its interval against the best other, and whether it is the best."""
    sums = [win_sums(own, tallies, pairs) for own in owns]
    x, n = (np.hstack(columns) for columns in zip(*sums, strict=True))
    lows, highs = stats.best_of(stats.ratio(x, n, SHARE)[0], stats.best_width(x, n, SHARE))
    found = []
    for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
        # Both are nought where all are exactly alike; with one block nobody knows.
        best = BEST if low == 0 < high else NOT_BEST if high == 0 > low else MAY_BE
        found.append((math.nan if math.isnan(high) else low, high, best))
    return found


def best_words(rungs: Sequence[Rung]) -> str:
    """Return which strategies of a ladder may be the best, in words."""
    names = [rung.strategy for rung in rungs if rung.best != NOT_BEST]
    if len(names) == 1:
        return f"{names[0]} is the best"
    if len(names) == len(rungs):
        return "every one may be the best"
    rest = "the other is" if len(names) == len(rungs) - 1 else "the others are"
    return f"{', '.join(names[:-1])} and {names[-1]} may be the best, {rest} not"


def every_strategy(game: Game) -> list[str]:
    """Return the strategies of a ladder: of each part all, the other parts being usual."""
    usual = tuple(game.PARTS.values())
    found = ["/".join(usual)]
    for part, known in game.STRATEGIES.items():
        for strategy in known:
            chosen = {**game.PARTS, part: strategy.name}
            found.append("/".join(chosen.values()))
    return list(dict.fromkeys(found))
