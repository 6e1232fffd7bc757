"""Calibration: how often the intervals that users see hold what is true, on the games themselves.

The coverage of an exact interval must be 0.94 to 0.96, of a conservative one (*) 0.94 or more. A coverage that is 0.95
varies between sets of REPLICATIONS with a standard deviation of 0.0032, so three of them stay within these bounds.
Where many rows are judged at once the bounds are wider, as `bounds` says. With -s the table is printed that
docs/calibration.md shows.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

from simcore import stats
from simcore.games import load
from simcore.library import rules, to_cell
from simcore.results import columns, compare, estimate, zero_one
from simcore.stopping import Precision
from simcore.strategies import read_seat
from simcore.tournaments import make_pair, stand, wins_of
from tests.calibration import (
    ANOTHER_SEED,
    GROUPS,
    QUANTILES,
    REFERENCE,
    REPLICATIONS,
    TRUE_SEED,
    Covered,
    Key,
    differ,
    go_on,
    play,
    shared,
    truth_of,
    watch,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

LINES: list[tuple[str, ...]] = []


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    """Print the lines that the tests added, as docs/calibration.md has them."""
    yield
    print("\n\n| game | metric | interval | replications | coverage |\n| --- | --- | --- | --- | --- |")
    for line in LINES:
        print(f"| {' | '.join(line)} |")


def note(game: str, metric: str, interval: str, replications: int, covered: str) -> None:
    LINES.append((game, metric, interval, f"{replications:,}", covered))


def spread(values: list[float]) -> str:
    low, high = f"{min(values):.4f}", f"{max(values):.4f}"
    return low if low == high else f"{low} to {high}"


def bounds(judged: int = 1) -> tuple[float, float]:
    """Return what coverages of 0.95 keep to: one 0.94 to 0.96, of many all, as surely as one keeps to three sd."""
    sd = math.sqrt(0.95 * 0.05 / REPLICATIONS)
    assert 3 * sd < 0.01
    tail = (1 - 0.9973) / 2 / judged
    half = max(0.01, -float(ndtri(tail)) * sd)
    return 0.95 - half, 0.95 + half


def interval_of(name: str, key: Key) -> str:
    """Return which interval an estimate mostly has, with * if conservative."""
    watched, cell = watch(name), GROUPS[name].cell()
    found, tally = columns(cell), truth_of(cell)
    named = zip(found.metrics, found.labels, strict=True)
    i = [(metric.name, "+".join(metric.by), label) for metric, label in named].index(key)
    rate, size = watched.truth[key][0], watched.sizes[key]
    if not found.rate[i]:
        events, is_count = rate * size, (tally.rows[:, found.sums[i]] >= 0).all()
        if is_count and events < 2 * stats.FEW:
            return "Poisson *" if events < stats.FEW / 2 else "Poisson or t *"
        return "t"
    events = size * min(rate, 1 - rate)
    if events < 2 * stats.FEW:
        return "Clopper-Pearson *" if events < stats.FEW / 2 else "Clopper-Pearson or Wilson *"
    return "Wilson" if zero_one(cell, tally, found)[i] else "Wilson, effective n"


@pytest.mark.parametrize("name", GROUPS)
def test_estimates_cover(name: str) -> None:
    """Every estimate of every metric: coverage of nothing but what varies, exact or conservative."""
    watched = watch(name)
    varying = [key for key in watched.estimates.seen if watched.truth[key][1] > 0]
    low, high = bounds(len(varying))
    lines: dict[tuple[str, str], list[float]] = defaultdict(list)
    wrong = []
    for key in varying:
        kind, rate = interval_of(name, key), watched.estimates.rate(key)
        assert watched.estimates.seen[key] > 0.99 * REPLICATIONS or kind.endswith("*")
        lines[key[0] + (f" by {key[1].replace('+', ' and ')}" if key[1] else ""), kind].append(rate)
        if not low <= rate <= (1 if kind.endswith("*") else high):
            wrong.append((key, kind, rate))
    for (metric, kind), rates in lines.items():
        note(name, metric, kind, REPLICATIONS, spread(rates))
    assert not wrong


@pytest.mark.parametrize("name", GROUPS)
def test_the_seat_test_keeps_its_size(name: str) -> None:
    watched = watch(name)
    ties = watched.truth["match_tie", "", ""][0]
    note(name, "match_win by seat", f"seat test, {ties:.1%} of wins shared", REPLICATIONS, f"errs {watched.unfair:.4f}")
    assert 0.04 < watched.unfair < 0.06


@pytest.mark.parametrize("name", GROUPS)
def test_bands_and_quantiles_cover(name: str) -> None:
    """Ties make them conservative; a band is that of as many games as there are if seats are taken together."""
    shapes = watch(name).shapes
    for metric in GROUPS[name].shapes:
        note(name, metric, "band of the distribution *", REPLICATIONS, f"{shapes.rate((metric, 'band')):.4f}")
        rates = [shapes.rate((metric, f"P{100 * q:.0f}")) for q in QUANTILES]
        note(name, metric, f"P{', P'.join(f'{100 * q:.0f}' for q in QUANTILES)} *", REPLICATIONS, spread(rates))
    assert all(shapes.rate(key) >= bounds()[0] for key in shapes.seen)


COMPARED = [name for name, group in GROUPS.items() if group.compared]


@pytest.mark.parametrize("name", COMPARED)
def test_differences_cover(name: str) -> None:
    group, rivals = GROUPS[name], watch(name).rivals
    wrong = []
    for other, rival in rivals.items():
        for metric in group.compared:
            at = [i for i, key in enumerate(rival.same.keys) if key[0] == metric]
            rates = [float(rival.hits[i] / rival.seen[i]) for i in at]
            is_rate = columns(rival.cell).rate[rival.same.here[at[0]]]
            kind = "not paired" + ("" if other.endswith(ANOTHER_SEED) else " *")
            if other in group.others:
                kind = f"paired, rho {rival.rho[at].mean():.2f}"
            if metric in group.rare:
                kind = kind.removesuffix(" *") + ", few events *"
            elif other in group.few:
                kind += ", few discordant *" if is_rate else ", few differ *"
            note(f"{name}, {other}", metric, kind, REPLICATIONS, spread(rates))
            low, high = bounds(len(at))
            high = 1 if kind.endswith("*") else high
            if not all(low <= rate <= high for rate in rates):
                wrong.append((other, metric, rates))
    assert not wrong


@pytest.mark.parametrize("name", COMPARED)
def test_differences_cover_together(name: str) -> None:
    """Four rule sets against one baseline: conservative, more so the more the differences hang together."""
    group, together = GROUPS[name], watch(name).together
    for metric in group.compared:
        rates = [rate for key, rate in together.items() if key[0] == metric]
        note(name, metric, f"{len(group.others)} differences, together *", REPLICATIONS, spread(rates))
        assert all(0.94 <= rate < (1.01 if metric in group.rare else 0.99) for rate in rates), (metric, rates)


def test_the_rows_of_compare_are_those_that_were_looked_at() -> None:
    group = GROUPS["ahoi, short"]
    base = group.cell()
    for other, changed in {**group.others, **group.apart}.items():
        cell = group.cell(**changed)
        for seed in (1, 2, 3):
            pair = [(c, play(c, seed, group.matches)) for c in (base, cell)]
            same = shared(cell, base, group.compared)
            found = differ(pair[1], pair[0], same, 4)
            rows = {(row.metric, row.by, row.key): row for row in compare(pair[0], pair[1], 4)}
            assert rows, other
            for i, key in enumerate(same.keys):
                if key in rows:
                    given = found.difference[i], found.low[i], found.high[i]
                    assert given == pytest.approx((rows[key].difference, rows[key].low, rows[key].high), nan_ok=True)


def test_estimates_cover_where_a_precision_stops() -> None:
    """The half width asked for is the median of the first look, so half of the runs stop there.

    A mean of something skewed is where stopping could do harm: a small estimate comes with a small error.
    """
    cell = to_cell(rules("my-ship-sails", hand_size=5, match_target=1))
    truth = {(row.metric, row.by, row.key): row.estimate for row in estimate(cell, truth_of(cell, 5 * REFERENCE))}
    watched = ("passes", "", ""), ("match_win", "seat", "1"), ("multiple_flush", "", "")
    first_looks = [estimate(cell, play(cell, TRUE_SEED + i, 10_000)) for i in range(1, 102)]
    half = float(
        np.median([(row.high - row.low) / 2 for rows in first_looks for row in rows if row.metric == "passes"])
    )
    stop = Precision((("passes", half),), 40_000)
    covered, stopped = Covered(), defaultdict[int, int](int)
    for seed in range(1, REPLICATIONS + 1):
        tally = play(cell, seed, 10_000)
        while not stop.is_over(stop.look(cell, tally)):
            tally = go_on(cell, tally, seed, next(games for games in stop.looks() if games > tally.games))
        stopped[tally.games] += 1
        for row in estimate(cell, tally):
            if (key := (row.metric, row.by, row.key)) in watched:
                covered.add(key, row.low, truth[key], row.high)
    first = stopped[10_000] / REPLICATIONS
    assert 0.3 < first < 0.7
    for key in watched:
        interval = f"after a stop at a precision of passes ({first:.0%} at 10,000)"
        note("my-ship-sails, one round", key[0], interval, REPLICATIONS, f"{covered.rate(key):.4f}")
        assert bounds()[0] <= covered.rate(key) <= bounds()[1], key


@pytest.mark.parametrize(
    ("game", "changed", "one", "among"),
    [
        ("my-ship-sails", {"hand_size": 5, "match_target": 1}, "adaptive", "stubborn"),
        ("ahoi", {"players": 3, "hand_size": 2, "match_rounds": 2}, "random", "keeper"),
    ],
)
def test_tournament_edges_cover(game: str, changed: dict[str, Any], one: str, among: str) -> None:
    """The seats rotate on the same deals; 250 matches in each."""
    known = load(game)
    pair = make_pair(known, rules(game, **changed), read_seat(known, one), read_seat(known, among))
    truth = stand(pair, {cell.id: wins_of(cell, truth_of(cell)) for cell in pair.cells}).edge
    covered = Covered()
    for seed in range(1, REPLICATIONS + 1):
        found = stand(pair, {cell.id: wins_of(cell, play(cell, seed, 250)) for cell in pair.cells})
        covered.add(one, found.low, truth, found.high)
    name = f"{game}, {one} among {among}"
    note(name, "edge", f"tournament, edge {truth:+.3f}", REPLICATIONS, f"{covered.rate(one):.4f}")
    assert bounds()[0] <= covered.rate(one) <= bounds()[1]
