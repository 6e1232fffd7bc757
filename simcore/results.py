"""From tallies to estimates: the rows of the csv files, and the objects that the library gives back.

This is the only module of the package that may import pandas, and it does so inside methods.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simcore import stats
from simcore.cells import Cell
from simcore.declare import Metric
from simcore.errors import plural
from simcore.games import load
from simcore.record import bins, counts_dtype, place
from simcore.tally import Integers, Tally, common

if TYPE_CHECKING:
    import pandas as pd

NEGLIGIBLE_RATE = 0.005
"""Region of practical equivalence of rates: half a percentage point."""
NEGLIGIBLE_SPREAD = 0.02
"""Region of practical equivalence of other metrics, as a part of their standard deviation."""


TUNED_FOR = 100_000
"""Games at which confidence sequences are narrowest."""


class Estimate(NamedTuple):
    """A row of estimates.csv. `by` and `key` are joined by plus (``seat+round``, ``2+7``)."""

    cell: str
    metric: str
    by: str
    key: str
    estimate: float
    low: float
    high: float
    se: float
    n: int


class Difference(NamedTuple):
    """A row of differences.csv: a cell less the baseline."""

    cell: str
    baseline: str
    metric: str
    by: str
    key: str
    difference: float
    low: float
    high: float
    rho: float
    variance_ratio: float
    verdict: str


FAR = 100
"""Beyond so many times the games that were played, those that would settle a difference are anybody's guess."""


class Contrast(NamedTuple):
    """A difference with what is to be known about it besides.

    Attributes
    ----------
    row
        The row of differences.csv.
    metric
        What is compared.
    baseline, estimate
        The metric in both cells.
    rope
        Half width of its region of practical equivalence.
    games
        Games of the cell that are compared.
    games_to_settle
        Games that would settle an undecided difference; inf if none would, nan if nobody knows.
    is_identical
        Whether both cells have the same sums in every block.
    """

    row: Difference
    metric: Metric
    baseline: float
    estimate: float
    rope: float
    games: int
    games_to_settle: float
    is_identical: bool

    @property
    def is_equivalent(self) -> bool:
        """Whether the difference surely does not matter, or is none in any block."""
        return self.is_identical or self.row.verdict in (stats.Verdict.SAME, stats.Verdict.NEGLIGIBLE)


class Distribution(NamedTuple):
    """A row of distributions.csv: how often a value was observed."""

    cell: str
    metric: str
    by: str
    key: str
    value: float
    count: int  # type: ignore[assignment]  # hides the tuple's method, which nobody wants of a row


class Columns(NamedTuple):
    """The columns of a tally that are estimated under some rules, one entry each."""

    metrics: tuple[Metric, ...]
    labels: tuple[str, ...]
    keys: tuple[tuple[int, ...], ...]
    sums: Integers
    per: Integers
    scale: Integers
    rate: Any

    def pick(self, tally_rows: Integers) -> tuple[Integers, Integers]:
        """Return (blocks, columns) of the sums and of the counts they are per."""
        return tally_rows[:, self.sums], tally_rows[:, self.per]


def columns(cell: Cell) -> Columns:
    """Return what is estimated for a cell: its metrics in the order declared, by their keys."""
    game = load(cell.game)
    return _columns(cell.game, tuple(sorted(game.key_sizes(cell.rules).items())))


@functools.cache
def _columns(name: str, sizes: tuple[tuple[str, int], ...]) -> Columns:
    game = load(name)
    size = dict(sizes)
    counted_by = dict(game.COUNTS)
    for metric in game.METRICS:
        counted_by.setdefault(metric.field or metric.name, metric.by)
    found = []
    for metric in game.METRICS:
        for key in itertools.product(*(range(size[k]) for k in metric.by)):
            at = dict(zip(metric.by, key, strict=True))
            per_by = counted_by[metric.per]
            per = place(name, metric.per, per_by, [at[k] for k in per_by])
            label = "+".join(game.KEYS[k].label(i) for k, i in zip(metric.by, key, strict=True))
            found.append((metric, label, key, place(name, metric.field or metric.name, metric.by, key), per))
    metrics, labels, keys, sums, per_columns = zip(*found, strict=True)
    return Columns(
        metrics,
        labels,
        keys,
        np.array(sums),
        np.array(per_columns),
        np.array([metric.scale for metric in metrics]),
        np.array([metric.rate for metric in metrics]),
    )


def zero_one(cell: Cell, tally: Tally, found: Columns) -> Any:
    """Return for which columns every single value is 0 or 1 and counted per match."""
    ties = tally.rows[:, place(cell.game, "match_tie", (), ())].any()
    return np.array([m.rate and m.per == "matches" and (m.scale == 1 or not ties) for m in found.metrics])


def estimate(cell: Cell, tally: Tally, confidence: float = 0.95) -> list[Estimate]:
    """Return the estimates of a cell; what never occurred has no row."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    if tally.games == 0:
        return []
    found = columns(cell)
    x, n = found.pick(tally.rows)
    values = np.empty((4, len(found.metrics)))
    means, rates = ~found.rate, found.rate
    values[:, means] = stats.mean_interval(x[:, means], n[:, means], found.scale[means], confidence)[:4]
    is_zero_one = zero_one(cell, tally, found)[rates]
    values[:, rates] = stats.rate_interval(x[:, rates], n[:, rates], found.scale[rates], is_zero_one, confidence)[:4]
    size = n.sum(axis=0)
    return [
        Estimate(cell.id, metric.name, "+".join(metric.by), label, *_four(values[:, i]), int(size[i]))
        for i, (metric, label) in enumerate(zip(found.metrics, found.labels, strict=True))
        if size[i] > 0
    ]


def _four(numbers: Any) -> tuple[float, float, float, float]:
    estimated, low, high, se = numbers.tolist()
    return estimated, low, high, se


def negligible(metric: Metric, se: float, n: float) -> float:
    """Return the half width of a metric's region of practical equivalence.

    Parameters
    ----------
    metric
        Declares it, or else it is NEGLIGIBLE_RATE for a rate and NEGLIGIBLE_SPREAD of the standard
        deviation for a mean.
    se, n
        Standard error of the baseline's estimate, and the count it is per; they give the deviation.
    """
    if metric.negligible:
        return metric.negligible
    return NEGLIGIBLE_RATE if metric.rate else NEGLIGIBLE_SPREAD * se * math.sqrt(n)


def compare(
    baseline: tuple[Cell, Tally],
    other: tuple[Cell, Tally],
    comparisons: int = 1,
    confidence: float = 0.95,
    ropes: Mapping[str, float] | None = None,
    is_sequence: bool = False,
) -> list[Difference]:
    """Return the rows of `contrast`."""
    return [found.row for found in contrast(baseline, other, comparisons, confidence, ropes, is_sequence)]


def contrast(
    baseline: tuple[Cell, Tally],
    other: tuple[Cell, Tally],
    comparisons: int = 1,
    confidence: float = 0.95,
    ropes: Mapping[str, float] | None = None,
    is_sequence: bool = False,
) -> list[Contrast]:
    """Return the differences of a cell to the baseline, for what is estimated in both.

    Cells with equally many players are paired by block, others are independent.

    Parameters
    ----------
    baseline, other
        The cells and what was played of them.
    comparisons
        So many intervals hold together with `confidence` (Bonferroni).
    ropes
        Regions of practical equivalence by the name of the metric, instead of `negligible`.
    is_sequence
        The intervals are those of a confidence sequence, narrowest at TUNED_FOR games: whoever looks at
        doubling numbers of games, and stops when they decide, may print these and no others.
    """
    (base_cell, base_tally), (cell, tally) = baseline, other
    if not base_tally.games or not tally.games:
        return []
    base_columns, cell_columns = columns(base_cell), columns(cell)
    base_places = {
        (m.name, m.by, key): i for i, (m, key) in enumerate(zip(base_columns.metrics, base_columns.keys, strict=True))
    }
    here, there = [], []
    for i, (metric, key) in enumerate(zip(cell_columns.metrics, cell_columns.keys, strict=True)):
        if (metric.name, metric.by, key) in base_places:
            here.append(i)
            there.append(base_places[metric.name, metric.by, key])
    is_paired = base_cell.rules.players == cell.rules.players
    rows, base_rows, games = tally.rows, base_tally.rows, min(tally.games, base_tally.games)
    if is_paired:
        rows, base_rows, games = common(tally, base_tally)
        if not len(rows):
            return []
    x, n = (part[:, here] for part in cell_columns.pick(rows))
    base_x, base_n = (part[:, there] for part in base_columns.pick(base_rows))
    is_zero_one = zero_one(cell, tally, cell_columns)[here] & zero_one(base_cell, base_tally, base_columns)[there]
    compute = stats.difference if is_paired else stats.independent_difference
    scale, rate = cell_columns.scale[here], cell_columns.rate[here]
    found = compute(x, n, base_x, base_n, scale, rate, is_zero_one, confidence, comparisons)
    if is_sequence:
        alpha = (1 - confidence) / comparisons
        variance = games * np.square(found.se)
        lows, highs = stats.confidence_sequence(games, found.difference, variance, TUNED_FOR, alpha)
        lows, highs = np.where(rate, np.maximum(lows, -1), lows), np.where(rate, np.minimum(highs, 1), highs)
        found = found._replace(low=lows, high=highs)
    estimates, base_estimates = stats.ratio(x, n, scale)[0], stats.ratio(base_x, base_n, scale)
    base_sizes = base_n.sum(axis=0)
    is_identical = np.zeros(len(here), np.bool_)
    if is_paired:
        is_identical = np.all((x == base_x) & (n == base_n), axis=0)
    is_seen: Any = x.any(axis=0) | base_x.any(axis=0)
    kept = np.flatnonzero(n.any(axis=0) & base_n.any(axis=0))
    rope = np.zeros(len(here))
    for j in kept:
        metric = cell_columns.metrics[here[j]]
        rope[j] = (ropes or {}).get(metric.name) or negligible(
            metric, float(base_estimates[1][j]), float(base_sizes[j])
        )
        if not rope[j] and not is_seen[j]:
            # Never seen in either, so that its deviation is not known: as if it were 1.
            rope[j] = NEGLIGIBLE_SPREAD
    verdicts = stats.verdict(found.low, found.high, rope)
    settled = stats.games_to_settle(found.low, found.high, rope, games)
    contrasts = []
    for j in kept:
        i = here[j]
        metric = cell_columns.metrics[i]
        by, label = "+".join(metric.by), cell_columns.labels[i]
        difference, low, high, rho, ratio = (
            float(column[j]) for column in (found.difference, found.low, found.high, found.rho, found.variance_ratio)
        )
        row = Difference(
            cell.id, base_cell.id, metric.name, by, label, difference, low, high, rho, ratio, str(verdicts[j])
        )
        values = float(base_estimates[0][j]), float(estimates[j])
        contrasts.append(
            Contrast(row, metric, *values, float(rope[j]), games, float(settled[j]), bool(is_identical[j]))
        )
    return contrasts


def distribute(cell: Cell, tally: Tally) -> Iterator[Distribution]:
    """Yield the distributions of a cell: every value that was observed."""
    game = load(cell.game)
    sizes = game.key_sizes(cell.rules)
    counts = tally.counts.view(counts_dtype(cell.game))[0] if tally.counts.size else None
    for metric in game.METRICS:
        if metric.values is None or counts is None:
            continue
        histogram = counts[metric.field or metric.name].reshape(-1, bins(metric))
        shape = tuple(game.KEYS[k].size for k in metric.by)
        for key in itertools.product(*(range(sizes[k]) for k in metric.by)):
            flat = int(np.ravel_multi_index(key, shape)) if key else 0
            label = "+".join(game.KEYS[k].label(i) for k, i in zip(metric.by, key, strict=True))
            for index in np.flatnonzero(histogram[flat]):
                value = (metric.values[0] + int(index)) / metric.scale
                value = int(value) if value == int(value) else value
                yield Distribution(cell.id, metric.name, "+".join(metric.by), label, value, int(histogram[flat, index]))


class Result:
    """One cell, played.

    Attributes
    ----------
    cell, tally, seed
        What was played, the sums by block, and the seed.
    """

    def __init__(self, cell: Cell, tally: Tally, seed: int) -> None:
        self.cell = cell
        self.tally = tally
        self.seed = seed

    @property
    def games(self) -> int:
        """How many matches were played."""
        return self.tally.games

    def estimates(self, confidence: float = 0.95) -> pd.DataFrame:
        """Return the estimates with their intervals, in the columns of estimates.csv."""
        import pandas as pd

        return pd.DataFrame(estimate(self.cell, self.tally, confidence), columns=list(Estimate._fields))

    def distributions(self) -> pd.DataFrame:
        """Return how often each value was observed, in the columns of distributions.csv."""
        import pandas as pd

        return pd.DataFrame(list(distribute(self.cell, self.tally)), columns=list(Distribution._fields))

    def __repr__(self) -> str:
        wins = [row for row in estimate(self.cell, self.tally) if row.metric == "match_win"]
        shown = ", ".join(f"seat {row.key} {row.estimate:.2%} [{row.low:.2%}, {row.high:.2%}]" for row in wins)
        return f"<{self.cell.id}: {plural(self.games, 'game')}, seed {self.seed}; wins: {shown}>"


class Study:
    """The cells of a sweep, played; the first is the baseline."""

    def __init__(self, results: Sequence[Result], skipped: Sequence[Any], manifest: dict[str, Any]) -> None:
        self.results = list(results)
        self.skipped = list(skipped)
        self.manifest = manifest

    def estimates(self) -> pd.DataFrame:
        """Return the estimates of all cells, in the columns of estimates.csv."""
        import pandas as pd

        return pd.concat([result.estimates() for result in self.results], ignore_index=True)

    def differences(self) -> pd.DataFrame:
        """Return the differences to the first cell, in the columns of differences.csv."""
        import pandas as pd

        base, *others = [(result.cell, result.tally) for result in self.results]
        rows = [row for other in others for row in compare(base, other, len(others))]
        return pd.DataFrame(rows, columns=list(Difference._fields))

    def distributions(self) -> pd.DataFrame:
        """Return the distributions of all cells, in the columns of distributions.csv."""
        import pandas as pd

        return pd.concat([result.distributions() for result in self.results], ignore_index=True)

    def save(self, folder: str) -> None:
        """Write a run's folder, as ``shipsim sweep --out`` does.

        Raises
        ------
        UsageError
            If the folder exists.
        """
        from simcore.store import Run

        run = Run.create(folder, self.manifest, [result.cell for result in self.results])
        for result in self.results:
            run.save(result.cell, result.tally)
        run.finish("done")

    def __repr__(self) -> str:
        lines = "\n".join(f"  {result!r}" for result in self.results)
        return f"<study of {plural(len(self.results), 'cell')}>\n{lines}"
