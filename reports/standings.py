"""The report of a tournament: strategies against each other, seats rotated.

A tournament's cells are those of `simcore.tournaments.make_pairs`. No cell is a baseline, so what counts are the
shares of wins of one strategy among another, and not differences to the first cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from reports import figures, tables, words
from reports.about import About, describe
from reports.charts import MANY_CELLS, Chart, shown_cells
from reports.findings import MOST, Finding
from reports.load import Saved
from reports.tables import Entry, Table
from simcore.errors import plural
from simcore.results import NEGLIGIBLE_RATE
from simcore.stats import Verdict
from simcore.tournaments import (
    Rung,
    Standing,
    all_cells,
    best_words,
    is_played,
    ladder,
    pairs_of,
    sprt_from,
    stand,
    wins_of,
)

WINS = ("match_win", "seat")
PAIRS = ("match_win", "pair")
"""Not a metric, but what leads a finding about a pair to its figure."""
SHARE = "share of wins, per cent"


class Standings(NamedTuple):
    """What came of a tournament.

    Attributes
    ----------
    players, strategies
        Numbers of players and of strategies.
    pairs
        What came of each pair that was played.
    rungs
        The ladder, the strongest first; empty if a pair was not played.
    """

    players: int
    strategies: int
    pairs: list[Standing]
    rungs: list[Rung]

    @property
    def fair(self) -> float:
        """An equal share of the wins."""
        return 1 / self.players

    def pair(self, one: str, among: str) -> Standing:
        """Return what came of a pair, by the names of its strategies."""
        return next(found for found in self.pairs if (found.strategy, found.among) == (one, among))


def find(saved: Saved) -> Standings | None:
    """Return what came of a tournament, or None if the run is none or nothing was played."""
    pairs = pairs_of(list(saved.cells.values()))
    tallies = {}
    for cell in all_cells(pairs):
        tally = saved.tally(cell)
        if tally is not None:
            tallies[cell.id] = wins_of(cell, tally)
    played = [pair for pair in pairs if is_played(pair, tallies)]
    if not played:
        return None
    standings = [stand(pair, tallies, len(pairs)) for pair in played]
    rungs = ladder(pairs, tallies, standings) if len(played) == len(pairs) else []
    return Standings(int(saved.baseline.rules.players), len({str(pair.one) for pair in pairs}), standings, rungs)


def charts(found: Standings) -> Iterator[Chart]:
    """Yield the share of wins of each strategy, and of each pair if there are more than two."""
    if found.strategies == 2 or not found.rungs:
        rows = [(f"{row.strategy} among {row.among}", row.wins, row.low, row.high) for row in found.pairs]
        rows.sort(key=lambda row: -row[1])
        what, each = "one strategy at a single seat, another at all others", "pairs"
    else:
        rows = [(rung.strategy, rung.edge + found.fair, rung.low, rung.high) for rung in found.rungs]
        what, each = "one strategy at a single seat, averaged over the others as opponents", "strategies"
    frame = pd.DataFrame(
        {
            "label": [row[0] for row in rows],
            "estimate": [100 * row[1] for row in rows],
            "low": [100 * (row[2] + found.fair) for row in rows],
            "high": [100 * (row[3] + found.fair) for row in rows],
        }
    )
    title = "Strategies: share of wins"
    told = "; ".join(f"{name} {100 * wins:.1f} %" for name, wins, _, _ in rows)
    caption = (
        f"Share of the wins of {what}; seats rotated on the same deals. Intervals hold together for all {each}; "
        f"dashed: an equal share, 1/{found.players}."
    )
    alt = f"Dots with intervals: share of wins of {what}. {told}; equal: {100 * found.fair:.1f} %."
    figure = figures.dots(frame, title, SHARE, (100 * found.fair, f"1/{found.players}"))
    yield Chart("strategies", title, figure, caption, alt, (WINS, PAIRS) if each == "pairs" else (WINS,))
    if 2 < len(found.rungs) <= figures.LARGEST_MAP:
        yield _pairs_chart(found)


def _pairs_chart(found: Standings) -> Chart:
    names = [rung.strategy for rung in found.rungs]
    values = pd.DataFrame(math.nan, index=names, columns=names, dtype=float)
    texts = pd.DataFrame("", index=names, columns=names, dtype=object)
    undecided = pd.DataFrame(False, index=names, columns=names, dtype=bool)
    for row in found.pairs:
        values.loc[row.strategy, row.among] = 100 * row.wins
        texts.loc[row.strategy, row.among] = f"{100 * row.wins:.1f}"
        undecided.loc[row.strategy, row.among] = row.verdict == Verdict.UNDECIDED
    title = "Share of wins of one strategy among another"
    figure = figures.heat_map(values, texts, undecided, title, ("one", "among"), SHARE)
    caption = (
        f"Share of the wins of the one at a single seat, the other at all others; an equal share is "
        f"{100 * found.fair:.1f} %."
    )
    if undecided.to_numpy().any():
        caption += " A small circle: whether the edge matters is undecided."
    told = "; ".join(f"{row.strategy} among {row.among} {100 * row.wins:.1f}" for row in found.pairs)
    alt = f"Heat map of the share of wins of one strategy among another, per cent. {told}."
    return Chart("strategies-pairs", title, figure, caption, alt, (PAIRS,))


def findings(saved: Saved, found: Standings) -> list[Finding]:
    """Return who comes first, and how neighbours on the ladder stand against each other."""
    metric = saved.metrics[WINS]
    told: list[Finding] = []
    if len(found.rungs) > 2:
        first = found.rungs[0]
        places = words.decimals(metric, first.low, first.high)
        wins = first.edge + found.fair
        values = {
            "strategy": first.strategy,
            "all": found.strategies,
            "wins": words.amount(metric, wins, places),
            "interval": words.interval(metric, first.low + found.fair, first.high + found.fair, places),
            "edge": words.more_or_less(metric, first.edge, places),
            "fair": words.plain(100 * found.fair, 1),
            "stronger": first.stronger_than,
            "others": found.strategies - 1,
            "best": best_words(found.rungs),
        }
        told.append(Finding("first", values, 0.0, WINS))
    shown = _neighbours(found)
    return told + [_edge(saved, found, row) for row in shown[: MOST - len(told)]]


def _neighbours(found: Standings) -> list[Standing]:
    """Return the upper among the lower for each step of the ladder, both ways if there is one; largest edge first."""
    if len(found.rungs) <= 2:
        shown = list(found.pairs)
    else:
        steps = zip(found.rungs, found.rungs[1:], strict=False)
        shown = [found.pair(upper.strategy, lower.strategy) for upper, lower in steps]
    return sorted(shown, key=lambda row: -row.edge)


def _edge(saved: Saved, found: Standings, row: Standing) -> Finding:
    metric = saved.metrics[WINS]
    places = words.decimals(metric, row.low, row.high)
    values = {
        "strategy": row.strategy,
        "among": row.among,
        "wins": words.amount(metric, row.wins, places),
        "interval": words.interval(metric, row.low + found.fair, row.high + found.fair, places),
        "edge": words.more_or_less(metric, row.edge, places),
        "fair": words.plain(100 * found.fair, 1),
        "ahead": _games(row.games_until_ahead) if row.verdict in ("stronger", "weaker") else "",
        "known": words.known(row.verdict, row.low, row.high, words.limit(metric, NEGLIGIBLE_RATE)),
        "verdict": row.verdict,
    }
    return Finding("edge", values, 0.0, PAIRS)


def _games(number: float) -> str:
    return plural(round(number), "game") if math.isfinite(number) else ""


def make_tables(saved: Saved, found: Standings) -> list[Table]:
    """Return the ladder, all pairs, and each seat's share of wins."""
    cells = list(saved.cells) if len(saved.cells) <= MANY_CELLS else shown_cells(saved)
    made = [_ladder_table(saved, found.rungs, found), _pair_table(saved, found), tables.seat_shares(saved, cells)]
    return [table for table in made if table.rows]


def _ladder_table(saved: Saved, rungs: Sequence[Rung], found: Standings) -> Table:
    rows = []
    for rung in rungs:
        rows.append(
            [
                Entry(rung.strategy),
                *_edge_entries(saved, rung.edge, rung.low, rung.high, found.fair),
                Entry(f"{rung.stronger_than} of {len(rungs) - 1}", rung.stronger_than),
                _best_entry(saved, rung),
                Entry(rung.best),
            ]
        )
    remark = (
        "The strongest first. Averaged over all others as opponents; intervals hold together for all strategies. "
        "Against the best: the edge less that of the best of the others (Hsu's multiple comparisons with the best)."
    )
    heads = ["strategy", "wins", "edge", "interval of the edge", "stronger among", "against the best", "best"]
    return Table("ladder", "The ladder", remark, heads, rows)


def _best_entry(saved: Saved, rung: Rung) -> Entry:
    metric = saved.metrics[WINS]
    places = words.decimals(metric, rung.low, rung.high)
    return Entry(words.interval(metric, rung.best_low, rung.best_high, places), 100 * rung.best_low)


def _pair_table(saved: Saved, found: Standings) -> Table:
    rows = []
    for row in sorted(found.pairs, key=lambda row: -row.edge):
        ahead = row.games_until_ahead
        rows.append(
            [
                Entry(row.strategy),
                Entry(row.among),
                Entry(f"{row.games:,}", row.games),
                *_edge_entries(saved, row.edge, row.low, row.high, found.fair),
                Entry(f"{ahead:,.0f}" if math.isfinite(ahead) else "never", ahead if math.isfinite(ahead) else None),
                Entry(row.verdict),
            ]
        )
    remark = (
        f"Edge: the one's share of the matches with a winner, less an equal share of {100 * found.fair:.1f} %; "
        "intervals hold together for all pairs. Ahead: games until the better one has won more often than a given "
        "opponent, with 95 %."
    )
    heads = ["strategy", "among", "games", "wins", "edge", "interval of the edge", "ahead", "verdict"]
    return Table("pairs", "One strategy among another", remark, heads, rows)


def _edge_entries(saved: Saved, edge: float, low: float, high: float, fair: float) -> list[Entry]:
    """Return the entries of a share of wins, its edge, and the edge's interval."""
    metric = saved.metrics[WINS]
    places = words.decimals(metric, low, high)
    return [
        Entry(words.amount(metric, edge + fair, places), 100 * (edge + fair)),
        Entry(words.points(words.plain(100 * edge, places)), 100 * edge),
        Entry(words.interval(metric, low, high, places), 100 * low),
    ]


def _count(found: Standings) -> str:
    played, every = len(found.pairs), found.strategies * (found.strategies - 1)
    return f"{every:,}" if played == every else f"{played:,} of {every:,} were played"


def about(saved: Saved, found: Standings) -> About:
    """Return what stands around a tournament's results."""
    told = describe(saved)
    names = list(dict.fromkeys(name for row in found.pairs for name in (row.strategy, row.among)))
    kept = [(name, text) for name, text in told.facts if name.startswith(("Games", "Seed", "Strategy "))]
    half = max((row.high - row.low) / 2 for row in found.pairs)
    checks = [(name, text) for name, text in told.checks if name not in ("Pairing", "Precision")]
    if math.isfinite(half):
        widest = words.points(f"{100 * half:.2g}")
        checks.append(("Precision", f"the share of wins in each pair within {widest} or less"))
    rule = sprt_from(saved.manifest.get("stopping"))
    checks.append(("Stopping", rule.words if rule else words.capital(str(saved.manifest.get("stopping", "unknown")))))
    return told._replace(
        title=f"{saved.game.TITLE}: strategies against each other",
        question="Which strategy wins more often: one at a single seat, another at all others?",
        varied=[],
        facts=[
            ("Strategies", ", ".join(names)),
            ("Pairs", f"{_count(found)}, the one in each seat in turn on the same deals"),
            *kept,
        ],
        checks=checks,
    )
