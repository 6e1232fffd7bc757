"""What only simulation can show: how often intervals, tests and stopping rules are wrong.

Replications are columns, or rounds of a loop; seeds are fixed.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from simcore import stats
from simcore.stopping import is_precise, look_games

pytestmark = pytest.mark.slow

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def coverage(result: stats.Estimates | stats.Differences, truth: float | Floats) -> float:
    assert not np.isnan(result.low).any()
    return float(np.mean((result.low <= truth) & (truth <= result.high)))


@pytest.mark.parametrize("rate", [0.03, 0.1, 0.25, 0.5, 0.9])
def test_wilson_covers(rate: float) -> None:
    draws = np.random.default_rng(1)
    wins = draws.binomial(1000, rate, (2, 100_000))
    assert 0.94 < coverage(stats.rate_interval(wins, np.full_like(wins, 1000), zero_one=True), rate) < 0.96


@pytest.mark.parametrize(("events", "n"), [(2, 100), (10, 400), (390, 400)])
def test_clopper_pearson_is_conservative(events: int, n: int) -> None:
    wins = np.random.default_rng(2).binomial(n // 2, events / n, (2, 100_000))
    assert coverage(stats.rate_interval(wins, np.full_like(wins, n // 2), zero_one=True), events / n) > 0.949


def clustered_rounds(draws: np.random.Generator, blocks: int, cells: int) -> tuple[Integers, Integers]:
    """Wins and rounds of matches of 1 to 12 rounds; luck lasts for a match, and long ones have more of it."""
    rounds = draws.integers(1, 13, (blocks, cells))
    luck = draws.beta(2, 4, rounds.shape) * np.where(rounds > 6, 1.2, 0.8)
    return draws.binomial(rounds, np.minimum(luck, 1)), rounds


def true_rate_of_clustered_rounds() -> float:
    wins, rounds = clustered_rounds(np.random.default_rng(99), 4_000_000, 1)
    return float(wins.sum() / rounds.sum())  # error 1e-4, a fiftieth of the standard errors below


def test_rates_over_clustered_rounds_cover() -> None:
    truth = true_rate_of_clustered_rounds()
    wins, rounds = clustered_rounds(np.random.default_rng(3), 400, 10_000)
    assert 0.94 < coverage(stats.rate_interval(wins, rounds), truth) < 0.96
    naive = stats.wilson(wins.sum(axis=0), rounds.sum(axis=0))
    assert np.mean((naive[0] <= truth) & (truth <= naive[1])) < 0.85  # what the clusters would have cost


def test_means_over_clustered_rounds_cover_and_their_error_is_right() -> None:
    truth = true_rate_of_clustered_rounds()
    result = stats.mean_interval(*clustered_rounds(np.random.default_rng(4), 300, 10_000))
    assert 0.94 < coverage(result, truth) < 0.96
    assert abs(result.se.mean() / result.estimate.std() - 1) < 0.03


def paired_wins(
    draws: np.random.Generator, games: int, discordant: float, edge: float, cells: int
) -> tuple[Integers, Integers]:
    """Wins of two cells in blocks of 4 games on the same deals; edge is the difference of their rates."""
    game = draws.random((games, cells))
    gained, lost = game < (discordant + edge) / 2, (game >= (discordant + edge) / 2) & (game < discordant)
    both = (game >= discordant) & (draws.random((games, cells)) < 0.3)
    blocks = (games // 4, 4, cells)
    first, second = (np.reshape(wins | both, blocks).sum(axis=1) for wins in (gained, lost))
    return first.astype(np.int64), second.astype(np.int64)


@pytest.mark.parametrize(
    ("discordant", "edge", "most"),
    [(0.3, 0.0, 0.96), (0.3, 0.05, 0.96), (0.02, 0.01, 0.97), (0.005, 0.0, 0.99), (0.003, 0.002, 0.99)],
)
def test_paired_differences_cover(discordant: float, edge: float, most: float) -> None:
    draws = np.random.default_rng(5)
    first, second = paired_wins(draws, 2000, discordant, edge, 4000)
    n = np.full_like(first, 4)
    result = stats.difference(first, n, second, n, rate=True)
    assert 0.94 < coverage(result, edge) < most
    if discordant == 0.3:
        apart = stats.independent_difference(first, n, second, n, rate=True)
        assert coverage(apart, edge) > 0.96  # it ignores the pairing, which gained
        assert result.rho.mean() > 0.1 and result.variance_ratio.mean() < 0.9
        assert abs(result.variance_ratio.mean() - np.mean(result.se**2 / apart.se**2)) < 1e-6


def test_paired_ratios_with_unequal_counts_cover() -> None:
    draws = np.random.default_rng(6)
    wins, rounds = clustered_rounds(draws, 400, 5000)
    more = draws.integers(0, 4, rounds.shape)
    result = stats.difference(wins + draws.binomial(more, 0.3), rounds + more, wins, rounds, rate=True)
    old = true_rate_of_clustered_rounds()
    assert 0.94 < coverage(result, (old * 6.5 + 0.3 * 1.5) / 8 - old) < 0.96


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.25), (0.004, 0.002), (0.01, 0.4)])
def test_independent_differences_cover(a: float, b: float) -> None:
    draws = np.random.default_rng(7)
    first, second = draws.binomial(4, a, (300, 10_000)), draws.binomial(8, b, (250, 10_000))
    result = stats.independent_difference(first, np.full_like(first, 4), second, np.full_like(second, 8), rate=True)
    assert 0.94 < coverage(result, a - b) < (0.99 if a < 0.01 else 0.965)


def rare_events(draws: np.random.Generator, expected: float, size: str, blocks: int, cells: int) -> Integers:
    """Blocks in which something happens with a small chance; of one size, or of sizes as unlike as turns."""
    happens = draws.random((blocks, cells)) < expected / blocks
    return happens * (draws.geometric(0.3, happens.shape) if size == "any" else 1)


@pytest.mark.parametrize("size", ["one", "any"])
@pytest.mark.parametrize(
    ("gained", "lost"), [(0.5, 0.5), (1, 0), (3, 1), (3, 3), (10, 0), (8, 8), (20, 1), (12, 12), (30, 5)]
)
def test_differences_of_rare_means_cover(gained: float, lost: float, size: str) -> None:
    """Paired with something common, with nothing, and unpaired: the difference is all that is rare."""
    draws, blocks = np.random.default_rng(17), 500
    up, down = (rare_events(draws, rate, size, blocks, 4000) for rate in (gained, lost))
    truth = (gained - lost) / blocks * (1 / 0.3 if size == "any" else 1)
    both, n = draws.poisson(40, up.shape), np.ones_like(up)
    assert coverage(stats.difference(up + both, n, down + both, n), truth) > 0.94
    assert coverage(stats.difference(up, n, down, n), truth) > 0.94
    assert coverage(stats.independent_difference(up, n, down[:400], n[:400]), truth) > 0.94 if lost == 0 else True
    if gained == 1:  # what t would have held
        error = np.std(up, axis=0, ddof=1) / np.sqrt(blocks)
        assert np.mean(np.abs(up.mean(axis=0) - truth) < 2 * error) < 0.7


def test_bonferroni_covers_all_differences_at_once() -> None:
    draws = np.random.default_rng(8)
    rules, runs, blocks = 6, 3000, 300
    deals = draws.normal(0, 20, (blocks, 1, runs))
    scores = np.rint(draws.normal(100, 20, (blocks, rules + 1, runs)) + deals).astype(np.int64)
    baseline = np.repeat(scores[:, :1], rules, axis=1).reshape(blocks, -1)
    others = scores[:, 1:].reshape(blocks, -1)
    ones = np.ones_like(others)
    result = stats.difference(others, ones, baseline, ones, comparisons=rules)
    holds = ((result.low <= 0) & (result.high >= 0)).reshape(rules, runs)
    assert 0.945 < holds.all(axis=0).mean() < 0.98
    assert holds.mean() > 0.985
    alone = stats.difference(others, ones, baseline, ones)
    assert ((alone.low <= 0) & (alone.high >= 0)).reshape(rules, runs).all(axis=0).mean() < 0.9


def test_comparisons_with_the_best_hold_together() -> None:
    draws = np.random.default_rng(9)
    means, runs = np.array([10.0, 10.0, 9.9, 9.5, 8.0]), 3000
    truth = np.array([mean - np.delete(means, k).max() for k, mean in enumerate(means)])
    held = named = 0
    for _ in range(runs):
        scores = np.rint(100 * (draws.normal(means, 1, (256, 5)) + draws.normal(0, 1, (256, 1)))).astype(np.int64)
        ones = np.ones_like(scores)
        low, high = stats.best_of(stats.ratio(scores, ones, 100)[0], stats.best_width(scores, ones, 100))
        held += bool(((low <= truth + 1e-9) & (truth - 1e-9 <= high)).all())
        named += bool(high[4] == 0)
    assert held / runs > 0.945
    assert named == runs  # the far last is always told from the best


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9, 0.99])
def test_quantiles_cover(q: float) -> None:
    draws = np.random.default_rng(10)
    values = np.arange(20_000)  # so many that ties are rare: they would widen the interval
    truth = np.ceil(np.log1p(-q) / np.log1p(-0.001))  # of a geometric distribution
    covered = 0
    for sample in draws.geometric(0.001, (4000, 900)):
        _, low, high = stats.quantile_interval(values, np.bincount(sample, minlength=20_000), q)
        covered += bool(low <= truth <= high)
    assert 0.945 < covered / 4000 < 0.98


def test_bands_hold_everywhere() -> None:
    draws = np.random.default_rng(11)
    truth = 1 - 0.98 ** np.arange(1000)
    held = 0
    for sample in draws.geometric(0.02, (4000, 400)):
        _, low, high = stats.ecdf_band(np.bincount(sample, minlength=1000))
        held += bool(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).all())
    assert 0.945 < held / 4000 < 0.98


@pytest.mark.parametrize(("seats", "blocks", "size"), [(4, 512, 4), (3, 257, 1), (8, 300, 2), (13, 257, 40)])
def test_size_of_the_seat_test_with_ties(seats: int, blocks: int, size: int) -> None:
    """Fair seats that share wins with their left neighbour, and games that nobody wins."""
    draws = np.random.default_rng(12)
    rejected, runs = 0, 4000
    for _ in range(runs):
        whole = draws.multinomial(draws.binomial(size, 0.7, blocks), np.full(seats, 1 / seats))
        tied = draws.multinomial(draws.binomial(size - whole.sum(axis=1), 0.7), np.full(seats, 1 / seats))
        x = 2 * whole + tied + np.roll(tied, 1, axis=1)
        rejected += stats.seat_test(x, np.full_like(x, size), 2).p_value < 0.05
    assert 0.04 < rejected / runs < 0.06


def looked_at(draws: np.random.Generator, runs: int, edge: float) -> tuple[Integers, Floats, Floats]:
    """A hundred looks, up to a million games, at a paired difference: games, mean, error by look and run."""
    blocks, size = 4000, 250  # forty blocks more at each look
    d = draws.binomial(size, (0.3 + edge) / 2, (blocks, runs)) - draws.binomial(size, (0.3 - edge) / 2, (blocks, runs))
    at = np.arange(40, blocks + 1, 40)
    total, squares = d.cumsum(axis=0)[at - 1], np.square(d).cumsum(axis=0)[at - 1]
    games = at[:, None] * size
    mean = total / games
    variance = (squares - total**2 / at[:, None]) / (at[:, None] - 1) / size  # of a game
    return games, mean, np.sqrt(variance / games)


def test_peeking_errs_and_the_sequence_does_not() -> None:
    games, mean, se = looked_at(np.random.default_rng(13), 2000, 0.0)
    naive = np.abs(mean) > 1.96 * se
    assert 0.03 < naive[-1].mean() < 0.07  # one look alone is right
    assert naive.any(axis=0).mean() > 0.3
    for tuned_for in (10_000, 100_000, 1_000_000):
        low, high = stats.confidence_sequence(games, mean, games * se**2, tuned_for)
        assert ((low > 0) | (high < 0)).any(axis=0).mean() < 0.05


def test_the_sequence_decides_and_covers_at_its_stop() -> None:
    edge = 0.005
    games, mean, se = looked_at(np.random.default_rng(14), 1000, edge)
    low, high = stats.confidence_sequence(games, mean, games * se**2, 500_000)
    decided = (low > 0) | (high < 0)
    assert decided.any(axis=0).mean() > 0.95
    stop, run = decided.argmax(axis=0), np.arange(1000)
    assert np.mean((low[stop, run] <= edge) & (edge <= high[stop, run])) > 0.95


def test_stopping_at_a_precision_covers() -> None:
    draws = np.random.default_rng(15)
    runs, rate = 40_000, 0.25
    target = 1.96 * np.sqrt(rate * (1 - rate) / 20_000)  # about half of the runs stop at 20,000 games
    wins, played, stopped = np.zeros((1, runs), dtype=np.int64), 0, np.zeros(runs, dtype=np.int64)
    covered = np.zeros(runs, dtype=np.bool_)
    for games in look_games(160_000):
        wins = wins + draws.binomial(games - played, rate, (1, runs))
        played = games
        result = stats.rate_interval(wins, np.full_like(wins, games), zero_one=True)
        precise = [is_precise([half], target) for half in (result.high - result.low) / 2]
        now = (stopped == 0) & precise
        covered[now] = ((result.low <= rate) & (rate <= result.high))[now]
        stopped[now] = games
    assert 0.2 < np.mean(stopped == 20_000) < 0.8 and np.mean(stopped == 40_000) > 0.2
    assert 0.94 < covered.mean() < 0.96


@pytest.mark.parametrize(("edge", "variance"), [(0.05, 0.4), (0.1, 0.99)])
def test_games_until_ahead(edge: float, variance: float) -> None:
    games = int(stats.games_until_ahead(edge, variance))
    second = variance + edge**2
    chances = [(second + edge) / 2, (second - edge) / 2, 1 - second]
    won, lost, _ = np.random.default_rng(16).multinomial(games, chances, 200_000).T
    assert 0.94 < np.mean(won > lost) < 0.96
