"""What the games of a claim's study say: rows of numbers, all of a measure holding together, and an answer each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from simcore import stats
from simcore.cells import Cell
from simcore.claims import EACH, POOLED, Measure, Study, find_metric
from simcore.declare import Metric
from simcore.games import load
from simcore.record import place
from simcore.results import columns, distribute, negligible, zero_one
from simcore.sources import NOT_RULES
from simcore.stats import Verdict
from simcore.tally import Integers, Tally, common
from simcore.tournaments import Pair, stand, wins_of

YES, SOME, TRIFLE, NO, OPPOSITE, UNDECIDED = "yes", "some", "trifle", "no", "opposite", "undecided"
"""The answers; some: there is a difference, which may or may not matter; trifle: it is too small to matter."""

Tallies = Mapping[str, Tally]


class Row(NamedTuple):
    """One number that a measure gives.

    Attributes
    ----------
    label
        What it is about, as varied values and keys; empty if there is one only.
    estimate, low, high
        What the test looks at, with an interval that holds together with those of the other rows (95 %).
    value, base
        The metric itself, and what it is compared with; nan if that does not apply.
    rope
        Half width of what does not matter; nan if that does not apply.
    n
        Observations of the metric.
    answer
        One of the answers; empty if nothing is asked.
    """

    label: str
    estimate: float
    low: float
    high: float
    value: float
    base: float
    rope: float
    n: int
    answer: str

    @property
    def half_width(self) -> float:
        """Half the interval; nan if there is none, inf if it has no end."""
        return (self.high - self.low) / 2


class Found(NamedTuple):
    """What a measure found; `metric` says how its numbers are shown."""

    measure: Measure
    metric: Metric
    rows: tuple[Row, ...]

    @property
    def half_width(self) -> float:
        """The widest half width; inf without rows or intervals."""
        widths = [row.half_width for row in self.rows]
        return max((w if math.isfinite(w) else math.inf for w in widths), default=math.inf)

    @property
    def is_precise(self) -> bool:
        """Whether all intervals are as narrow as was asked for."""
        return self.half_width <= self.measure.half_width


class _Part(NamedTuple):
    """Columns of a cell, added up: what a row is made from."""

    cell: Cell
    label: str
    x: Integers
    n: Integers
    zero_one: bool


def look(study: Study, tallies: Tallies, winners: Mapping[str, tuple[int, int]]) -> list[Found]:
    """Return what all measures of a study found.

    Parameters
    ----------
    study
        The study.
    tallies
        What was played, by the cells' ids.
    winners
        By cell: in how many of so many games another player won than in the first cell, if that was asked.
    """
    found = []
    for measure in study.measures:
        metric = find_metric(load(study.game), measure)
        if study.pairs:
            rows = _contest(study, measure, tallies)
            metric = metric._replace(rate=measure.compare == "edge", meaning=_CONTESTED[measure.compare])
        elif measure.quantile:
            rows = _quantiles(study, measure, tallies)
        elif measure.compare == "winner":
            rows = _winners(study, winners)
            metric = metric._replace(rate=True, meaning="matches that another player wins")
        elif measure.compare == "best_other":
            rows = _best_other(study, measure, metric, tallies)
        elif measure.compare == "baseline":
            rows = _differences(study, measure, metric, tallies)
        else:
            rows = _values(study, measure, metric, tallies)
        if measure.unit:
            metric = metric._replace(rate=False, meaning=measure.unit)
        found.append(Found(measure, metric, tuple(_judged(measure, [_scaled(row, measure.times) for row in rows]))))
    return found


_CONTESTED = {
    "edge": "share of wins less 1/players",
    "cards": "cards that each plays until the better one is ahead with 95 % probability",
}


def _scaled(row: Row, times: float) -> Row:
    if times == 1:
        return row
    names = ("estimate", "low", "high", "value", "base", "rope")
    return row._replace(**{name: getattr(row, name) * times for name in names})


def _judged(measure: Measure, rows: Sequence[Row]) -> Iterator[Row]:
    """Give each row its answer."""
    for row in rows:
        others = [other for other in rows if other is not row]
        yield row._replace(answer=judge(measure, row, others))


def judge(measure: Measure, row: Row, others: Sequence[Row] = ()) -> str:
    """Return the answer of one row; undecided unless its whole interval says the same."""
    if measure.test == "none":
        return ""
    if math.isnan(row.low) or math.isnan(row.high):
        return UNDECIDED
    if measure.test == "within":
        low, high = measure.span
        return YES if low <= row.low and row.high <= high else NO if row.high < low or row.low > high else UNDECIDED
    if measure.test == "smallest":
        if all(row.high < other.low for other in others):
            return YES
        return NO if any(other.high < row.low for other in others) else UNDECIDED
    verdict = Verdict(str(stats.verdict(row.low, row.high, row.rope)))
    is_real = row.low > 0 or row.high < 0
    if measure.test == "differs":
        is_meant = True
        answers = {Verdict.CHANGES: YES, Verdict.NEGLIGIBLE: TRIFLE, Verdict.SAME: NO}
    else:
        is_meant = (row.estimate > 0) == (measure.test == "more")
        answers = {
            Verdict.CHANGES: YES if is_meant else OPPOSITE,
            Verdict.NEGLIGIBLE: TRIFLE if is_meant else NO,
            Verdict.SAME: NO,
        }
    return answers.get(verdict, SOME if is_real and is_meant else UNDECIDED)


def _parts(cell: Cell, measure: Measure, metric: Metric, rows: Integers, tally: Tally, label: str) -> list[_Part]:
    """Return the columns that a measure wants of a cell, one part for each row to be."""
    found = columns(cell)
    sums, per = found.pick(rows)
    chosen = [i for i, m in enumerate(found.metrics) if (m.name, m.by) == (metric.name, metric.by)]
    if measure.key == POOLED:
        x, n = sums[:, chosen].sum(axis=1, keepdims=True), per[:, chosen].sum(axis=1, keepdims=True)
        return [_Part(cell, label, x, n, False)]
    whole = zero_one(cell, tally, found)
    parts = []
    for i in chosen:
        if measure.key in (EACH, found.labels[i]) and per[:, i].any():
            keys = zip(metric.by, found.labels[i].split("+"), strict=True) if measure.key == EACH and metric.by else ()
            words = [f"{name} {key}" for name, key in keys]
            parts.append(
                _Part(cell, ", ".join(filter(None, [label, *words])), sums[:, [i]], per[:, [i]], bool(whole[i]))
            )
    return parts


def _values(study: Study, measure: Measure, metric: Metric, tallies: Tallies) -> list[Row]:
    """Return the metric itself, or what it is above a number or a fair share."""
    parts = []
    for cell in study.cells:
        tally, label = tallies[cell.id], _label(cell)
        parts += _parts(cell, measure, metric, tally.rows, tally, label)
    rows = []
    for part in parts:
        level = stats.simultaneous(0.95, len(parts))
        found = _interval(part, metric, level)
        value, low, high, se, n = (float(column[0]) for column in found)
        base, rope = math.nan, math.nan
        if measure.compare != "none":
            base = measure.constant if measure.compare == "constant" else 1 / part.cell.rules.players
            rope = measure.rope or negligible(metric, se, n)
        shift = 0.0 if math.isnan(base) else base
        rows.append(Row(part.label, value - shift, low - shift, high - shift, value, base, rope, int(n), ""))
    return rows


def _interval(part: _Part, metric: Metric, level: float) -> Any:
    if metric.rate:
        return stats.rate_interval(part.x, part.n, metric.scale, part.zero_one, level)
    return stats.mean_interval(part.x, part.n, metric.scale, level)


def _changed(cell: Cell, base: Cell, is_whole: bool) -> str:
    """Return what is varied in a cell: only what is not as in the baseline, unless baselines differ."""
    kept = {name: value for name, value in cell.varied.items() if is_whole or value != base.varied[name]}
    return _words(kept)


def _label(cell: Cell) -> str:
    """Return what is varied in a cell, or nothing."""
    return _words(cell.varied)


def _words(varied: Mapping[str, str]) -> str:
    """Return varied values in words; a preset or a strategy needs no name before it."""
    return ", ".join(v if name in NOT_RULES else f"{name}={v}" for name, v in varied.items())


def _differences(study: Study, measure: Measure, metric: Metric, tallies: Tallies) -> list[Row]:
    """Return the differences of each cell to its baseline, by the same key."""
    two = []
    for cell in study.cells:
        base = study.baseline(cell)
        if base is cell:
            continue
        label = _changed(cell, base, bool(study.against))
        tally, base_tally = tallies[cell.id], tallies[base.id]
        is_paired = cell.rules.players == base.rules.players
        rows, base_rows = tally.rows, base_tally.rows
        if is_paired:
            rows, base_rows, _ = common(tally, base_tally)
        here = _parts(cell, measure, metric, rows, tally, label)
        there = {part.label: part for part in _parts(base, measure, metric, base_rows, base_tally, label)}
        two += [(part, there[part.label], is_paired) for part in here if part.label in there]
    return [_difference(a, b, metric, measure, is_paired, len(two)) for a, b, is_paired in two]


def _difference(a: _Part, b: _Part, metric: Metric, measure: Measure, is_paired: bool, comparisons: int) -> Row:
    compute = stats.difference if is_paired else stats.independent_difference
    whole = a.zero_one and b.zero_one
    found = compute(a.x, a.n, b.x, b.n, metric.scale, metric.rate, whole, 0.95, comparisons)
    difference, low, high = (float(column[0]) for column in found[:3])
    value, (base, se) = float(stats.ratio(a.x, a.n, metric.scale)[0][0]), stats.ratio(b.x, b.n, metric.scale)
    rope = measure.rope or negligible(metric, float(se[0]), float(b.n.sum()))
    return Row(a.label, difference, low, high, value, float(base[0]), rope, int(a.n.sum()), "")


def _best_other(study: Study, measure: Measure, metric: Metric, tallies: Tallies) -> list[Row]:
    """Return how much better one value of the first key is than the best other, for each value of the second.

    The best other is not known beforehand, so the intervals of all hold together, and the least of their ends are
    those of the difference to the best.
    """
    groups = []
    for cell in study.cells:
        tally = tallies[cell.id]
        found = columns(cell)
        chosen = [i for i, m in enumerate(found.metrics) if (m.name, m.by) == (metric.name, metric.by)]
        sums, per = found.pick(tally.rows)
        for second in dict.fromkeys(found.labels[i].split("+")[1] for i in chosen):
            own = {found.labels[i].split("+")[0]: i for i in chosen if found.labels[i].split("+")[1] == second}
            total = sum(int(per[:, i].sum()) for i in own.values())
            parts = {
                first: _Part(cell, first, sums[:, [i]], per[:, [i]], False)
                for first, i in own.items()
                if per[:, i].sum() >= max(measure.least * total, stats.FEW)
            }
            if measure.key in parts and len(parts) > 1:
                label = ", ".join(filter(None, [_label(cell), f"{metric.by[1]} {second}"]))
                groups.append((label, parts.pop(measure.key), parts))
    comparisons = sum(len(others) for _, _, others in groups)
    rows = []
    for label, one, others in groups:
        found_rows = {
            name: _difference(one, other, metric, measure, True, comparisons) for name, other in others.items()
        }
        best = min(found_rows, key=lambda name: found_rows[name].estimate)
        low, high = (min(getattr(row, end) for row in found_rows.values()) for end in ("low", "high"))
        words = f"{label}, other {best}"
        rows.append(found_rows[best]._replace(label=words, low=low, high=high))
    return rows


def _quantiles(study: Study, measure: Measure, tallies: Tallies) -> list[Row]:
    """Return a quantile of the metric in each cell."""
    rows = []
    level = stats.simultaneous(0.95, len(study.cells))
    for cell in study.cells:
        seen = [r for r in distribute(cell, tallies[cell.id]) if (r.metric, r.key) == (measure.metric, measure.key)]
        if not seen:
            continue
        counts = [row.count for row in seen]
        found = stats.quantile_interval([row.value for row in seen], counts, measure.quantile, level)
        value, low, high = (float(number) for number in found)
        label = _label(cell)
        rows.append(Row(label, value, low, high, value, math.nan, math.nan, sum(counts), ""))
    return rows


def _winners(study: Study, winners: Mapping[str, tuple[int, int]]) -> list[Row]:
    """Return the share of games that another player wins than in the first cell."""
    rows = []
    for cell in study.cells[1:]:
        other, games = winners[cell.id]
        x, n = np.array([[other]]), np.array([[games]])
        found = stats.rate_interval(x, n, 1, True, stats.simultaneous(0.95, len(study.cells) - 1))
        value, low, high = (float(column[0]) for column in found[:3])
        label = _changed(cell, study.cells[0], False)
        rows.append(Row(label, value, low, high, value, math.nan, math.nan, games, ""))
    return rows


def _contest(study: Study, measure: Measure, tallies: Tallies) -> list[Row]:
    """Return the edge of strategies, or after how many cards it shows."""
    each = len(study.pairs) // len(study.cells)
    rows = []
    for i, pair in enumerate(study.pairs):
        cell = study.cells[i // each]
        names = f"{pair.one.short} among {pair.among.short}" if each > 1 or not cell.varied else ""
        label = ", ".join(filter(None, [_label(cell), names]))
        found = stand(pair, {c.id: wins_of(c, tallies[c.id]) for c in pair.cells}, len(study.pairs))
        players = len(pair.cells)
        if measure.compare == "edge":
            rope, n = measure.rope or 0.005, found.games * players
            rows.append(Row(label, found.edge, found.low, found.high, found.wins, 1 / players, rope, n, ""))
            continue
        cards = _turns(pair, tallies) / players
        # The surer the edge, the fewer games it takes; an edge that may be none never shows.
        after, soonest, latest = (_until_ahead(e, players) * cards for e in (found.edge, found.high, found.low))
        rows.append(Row(label, after, soonest, latest, after, math.nan, math.nan, found.games * players, ""))
    return rows


def _turns(pair: Pair, tallies: Tallies) -> float:
    """Return the turns of a match, over all cells of a pair."""
    totals = {"turns": 0, "matches": 0}
    for cell in pair.cells:
        for name in totals:
            totals[name] += int(tallies[cell.id].rows[:, place(cell.game, name, (), ())].sum())
    return totals["turns"] / totals["matches"]


def _until_ahead(edge: float, players: int) -> float:
    wins = 1 / players + edge
    rival = (1 - wins) / (players - 1)
    return stats.games_until_ahead(wins - rival, wins + rival - (wins - rival) ** 2)
