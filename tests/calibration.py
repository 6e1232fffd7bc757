"""Replications of short runs of the games, and how many of their intervals hold what is true.

Each *replication* is a run as a user makes it, with a seed of its own, and its rows are those that users get. What is
true is taken from one run of REFERENCE matches with another seed. That has an error of its own, 0.022 to 0.032 of the
standard error of a replication; off by d standard errors, an interval of 95 % covers 0.11 d^2 less, so even three
times that error costs 0.001.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from simcore import stats
from simcore.cells import Cell
from simcore.chunks import Task, play_chunk, to_task
from simcore.library import rules, to_cell
from simcore.record import counts_dtype, width
from simcore.results import columns, estimate, zero_one
from simcore.tally import Tally, block_for

REPLICATIONS = 4_500
REFERENCE = 2_000_000
TRUE_SEED = 1_000_000_007  # no replication has it
ANOTHER_SEED = " and another seed"

Key = tuple[str, str, str]  # metric, by, key


class Group(NamedTuple):
    """A rule set, matches of a replication, and what it is compared with: name to changed rules.

    Attributes
    ----------
    others, apart
        With the same players, and so paired; with others, once with the baseline's seed and once with another.
    few
        Those of `others` that hardly a match tells from the baseline.
    compared
        Metrics whose differences are looked at, by seat or by nothing.
    rare
        Those of `compared` that hardly ever happen.
    shapes
        Metrics whose distributions are looked at.
    """

    game: str
    rules: Mapping[str, Any]
    matches: int
    others: Mapping[str, Mapping[str, Any]] = {}
    apart: Mapping[str, Mapping[str, Any]] = {}
    few: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()

    def cell(self, **changed: Any) -> Cell:
        return to_cell(rules(self.game, **{**self.rules, **changed}))


GROUPS = {
    "my-ship-sails": Group("my-ship-sails", {}, 2_000, shapes=("rounds", "passes")),
    "my-ship-sails, short": Group(
        "my-ship-sails",
        {"hand_size": 5, "match_target": 2},
        1_000,
        {
            "direction=right": {"direction": "right"},
            "pass_count=2": {"pass_count": 2},
            "overlook=0.05": {"overlook": 0.05},
            "overlook=0.002": {"overlook": 0.002},
        },
        {"players=5": {"players": 5}},
        compared=("match_win", "round_win", "passes", "multiple_flush"),
        shapes=("rounds", "passes"),
    ),
    "ahoi, short": Group(
        "ahoi",
        {"players": 3, "hand_size": 2, "match_rounds": 2},
        1_000,
        {
            "hand_size=3": {"hand_size": 3},
            "joker=colour": {"joker": "colour"},
            "joker=rotate": {"joker": "rotate"},
            "forget=0.01": {"forget": 0.01},
        },
        {"players=4": {"players": 4}},
        ("forget=0.01",),
        ("match_win", "round_win", "turns", "match_points", "reshuffles"),
        ("reshuffles",),
        ("margin", "match_points", "turns", "points"),
    ),
    "skull-king, short": Group("skull-king", {"rounds": (1, 2, 3)}, 1_000, shapes=("margin", "score")),
}


_tasks: dict[tuple[str, int], Task] = {}
_references: dict[tuple[str, int], Tally] = {}


def play(cell: Cell, seed: int, matches: int) -> Tally:
    """Play a run from its first match on, in the blocks that any run of so many has."""
    return go_on(cell, Tally.empty(width(cell.game), 1, block_for(matches)), seed, matches)


def go_on(cell: Cell, tally: Tally, seed: int, end: int) -> Tally:
    """Return the tally with as many matches more as make `end`, as a run that goes on has it."""
    key, block = (cell.id, end), block_for(end)
    tally = tally.coarsen(block)
    if key not in _tasks:
        _tasks[key] = to_task(cell, 0, 0, end, block)
    done = play_chunk(_tasks[key]._replace(seed=seed, first=tally.end, games=end - tally.end))
    tally.add(tally.end, done.games, done.rows, done.counts)
    assert tally.games == end
    return tally


def truth_of(cell: Cell, matches: int = REFERENCE) -> Tally:
    """Return the reference run of a cell."""
    key = cell.id, matches
    if key not in _references:
        _references[key] = play(cell, TRUE_SEED, matches)
    return _references[key]


def histogram(cell: Cell, tally: Tally, metric: str) -> Any:
    """Return (keys, values): how often each value of a metric was observed."""
    seen = tally.counts.view(counts_dtype(cell.game))[0][metric]
    return seen.reshape(-1, seen.shape[-1])


class Covered:
    """How many intervals held the truth, by key."""

    def __init__(self) -> None:
        self.hits: dict[Any, int] = defaultdict(int)
        self.seen: dict[Any, int] = defaultdict(int)

    def add(self, key: Any, low: float, truth: float, high: float) -> None:
        assert not math.isnan(low + high), key
        self.seen[key] += 1
        self.hits[key] += low - 1e-12 <= truth <= high + 1e-12

    def rate(self, key: Any) -> float:
        return self.hits[key] / self.seen[key]


class Watched(NamedTuple):
    """What the replications of a group gave."""

    truth: dict[Key, tuple[float, float]]
    estimates: Covered
    sizes: dict[Key, float]
    rivals: dict[str, Rival]
    together: dict[Key, float]
    unfair: float
    shapes: Covered


QUANTILES = (0.1, 0.5, 0.9)


class Shape(NamedTuple):
    """A distribution: which, its first value's place, and the true shares and quantiles."""

    metric: str
    keys: int
    up_to: Any
    quantiles: Any


def true_shapes(cell: Cell, metrics: tuple[str, ...]) -> list[Shape]:
    shapes = []
    for metric in metrics:
        seen = histogram(cell, truth_of(cell), metric)
        whole = seen.sum(axis=0)
        up_to, _, _ = stats.ecdf_band(whole)
        found, _, _ = stats.quantile_interval(np.arange(len(whole)), seen[0], QUANTILES)
        shapes.append(Shape(metric, int((seen.sum(axis=1) > 0).sum()), up_to, found))
    return shapes


def look_at_shape(cell: Cell, tally: Tally, shape: Shape, covered: Covered) -> None:
    """Look at the band of all keys together, as wide as that of one, and at the quantiles of the first key."""
    seen = histogram(cell, tally, shape.metric)
    ecdf, _, _ = stats.ecdf_band(seen.sum(axis=0))
    half = 1 - float(stats.ecdf_band([int(seen.sum()) // shape.keys])[1][0])
    covered.add((shape.metric, "band"), 0, float(np.abs(ecdf - shape.up_to).max()), half)
    _, lows, highs = stats.quantile_interval(np.arange(seen.shape[1]), seen[0], QUANTILES)
    for q, low, truth, high in zip(QUANTILES, lows, shape.quantiles, highs, strict=True):
        covered.add((shape.metric, f"P{100 * q:.0f}"), low, truth, high)


class Shared(NamedTuple):
    """The columns that two cells have in common: their keys, and where they are in each."""

    keys: tuple[Key, ...]
    here: Any
    there: Any


def shared(a: Cell, b: Cell, metrics: tuple[str, ...]) -> Shared:
    named: list[dict[Key, int]] = []
    for found in (columns(a), columns(b)):
        labels = zip(found.metrics, found.labels, strict=True)
        named.append({(metric.name, "+".join(metric.by), label): i for i, (metric, label) in enumerate(labels)})
    keys = tuple(key for key in named[0] if key in named[1] and key[0] in metrics and key[1] in ("", "seat"))
    return Shared(keys, *(np.array([places[key] for key in keys]) for places in named))


def differ(other: tuple[Cell, Tally], base: tuple[Cell, Tally], same: Shared, together: int = 1) -> stats.Differences:
    """Return what `compare` finds, for some columns: all its rows take many times as long."""
    sides = []
    for (cell, tally), places in ((other, same.here), (base, same.there)):
        found = columns(cell)
        sides.append((*(part[:, places] for part in found.pick(tally.rows)), zero_one(cell, tally, found)[places]))
    (x, n, whole), (base_x, base_n, base_whole) = sides
    found = columns(other[0])
    compute = stats.difference if other[0].rules.players == base[0].rules.players else stats.independent_difference
    kinds = found.scale[same.here], found.rate[same.here], whole & base_whole
    return compute(x, n, base_x, base_n, *kinds, comparisons=together)


class Rival:
    """A cell that is compared with the baseline, the true differences, and how often intervals held them."""

    def __init__(self, base: Cell, cell: Cell, metrics: tuple[str, ...]) -> None:
        self.cell = cell
        self.same = shared(cell, base, metrics)
        found = differ((cell, truth_of(cell)), (base, truth_of(base)), self.same)
        self.truth = found.difference
        self.hits = np.zeros(len(self.same.keys))
        self.seen = np.zeros(len(self.same.keys))
        self.rho = np.zeros(len(self.same.keys))
        self.ratio = np.zeros(len(self.same.keys))

    def holds(self, found: stats.Differences) -> Any:
        return (found.low - 1e-12 <= self.truth) & (self.truth <= found.high + 1e-12)

    def look(self, pair: tuple[Cell, Tally], base: tuple[Cell, Tally]) -> None:
        found = differ(pair, base, self.same)
        self.hits += self.holds(found)
        self.seen += ~np.isnan(found.low)
        self.rho += np.nan_to_num(found.rho) / REPLICATIONS
        self.ratio += np.nan_to_num(found.variance_ratio) / REPLICATIONS


@functools.cache
def watch(name: str) -> Watched:
    """Play the replications of a group, and look at everything that is estimated."""
    group = GROUPS[name]
    base, k = group.cell(), len(group.others)
    truth = {(row.metric, row.by, row.key): (row.estimate, row.se) for row in estimate(base, truth_of(base))}
    changes = {**group.others, **group.apart, **{other + ANOTHER_SEED: group.apart[other] for other in group.apart}}
    rivals = {other: Rival(base, group.cell(**changed), group.compared) for other, changed in changes.items()}
    shapes, found = true_shapes(base, group.shapes), columns(base)
    places = [i for i, metric in enumerate(found.metrics) if metric.name == "match_win"]
    estimates, seen_shapes, sizes = Covered(), Covered(), defaultdict[Key, float](float)
    keys = shared(base, base, group.compared).keys
    unfair, together = 0, np.zeros(len(keys))
    tally = play(base, 0, group.matches)
    for seed in range(1, REPLICATIONS + 1):
        before, tally = tally, play(base, seed, group.matches)
        for row in estimate(base, tally):
            key = row.metric, row.by, row.key
            sizes[key] += row.n / REPLICATIONS
            if not math.isnan(row.low):
                estimates.add(key, row.low, truth[key][0], row.high)
        wins, games = (part[:, places] for part in found.pick(tally.rows))
        unfair += stats.seat_test(wins, games, found.scale[places]).p_value < 0.05
        for shape in shapes:
            look_at_shape(base, tally, shape, seen_shapes)
        all_hold = np.ones(len(keys), np.bool_)
        for other in (*group.others, *group.apart):
            rival = rivals[other]
            pair = rival.cell, play(rival.cell, seed, group.matches)
            rival.look(pair, (base, tally))
            if other in group.apart:
                rivals[other + ANOTHER_SEED].look(pair, (base, before))
            else:
                all_hold &= rival.holds(differ(pair, (base, tally), rival.same, together=k))
        together += all_hold
    all_held = dict(zip(keys, (together / REPLICATIONS).tolist(), strict=True))
    return Watched(truth, estimates, sizes, rivals, all_held, unfair / REPLICATIONS, seen_shapes)
