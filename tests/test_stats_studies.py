"""Formulas of whole studies beside known answers and libraries: comparisons, distributions, seats, stops, verdicts."""

import math
import subprocess
import sys

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import ArrayLike
from statsmodels.stats.multitest import multipletests

from simcore import stats
from tests.test_stats import SEEDS, SHARE, Integers, column, ones, random_cell

# Several comparisons


@pytest.mark.parametrize("seed", SEEDS)
def test_holm(seed: int) -> None:
    draws = np.random.default_rng(seed)
    p = draws.random(draws.integers(1, 12)) ** 3
    assert_allclose(stats.holm(p), multipletests(p, method="holm")[1])


def test_holm_known_answer() -> None:
    assert_allclose(stats.holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])


def test_best_known_answer() -> None:
    low, high = stats.best_of([10, 9.5, 7], 1)
    assert_allclose(low, [-0.5, -1.5, -4])
    assert_allclose(high, [1.5, 0.5, 0])


def test_best_by_hand() -> None:
    low, high = stats.best_of([5, 5, 3], 0)  # two equals and no doubt
    assert_allclose([low, high], [[0, 0, -2], [0, 0, 0]])
    low, high = stats.best_of([1, 4], 2)
    assert_allclose([low, high], [[-5, 0], [0, 5]])
    # 7 cannot be the best, so its wide comparison does not lower the bound of 10
    width = np.array([[0, 1, 9], [1, 0, 1], [9, 1, 0]])
    low, high = stats.best_of([10, 9.5, 7], width)
    assert_allclose([low, high], [[-0.5, -1.5, -12], [1.5, 0.5, 0]])
    with pytest.raises(ValueError, match="two"):
        stats.best_of([1], 1)


def test_width_of_the_best_is_that_of_paired_differences() -> None:
    x, n = random_cell(7)
    x, n = x[:, :2], n[:, :2]
    pair = stats.difference(x[:, [0]], n[:, [0]], x[:, [1]], n[:, [1]], confidence=0.90)  # one-sided 0.95
    width = stats.best_width(x, n)
    half = float(pair.high[0] - pair.difference[0])
    assert_allclose(width, [[0, half], [half, 0]])
    three = stats.best_width(random_cell(7)[0], random_cell(7)[1])
    assert_allclose(three[0, 1] / width[0, 1], scipy.stats.t.ppf(0.975, 59) / scipy.stats.t.ppf(0.95, 59))


# Distributions


def test_quantiles_known_answers() -> None:
    values = np.arange(1, 101)
    quantile, low, high = stats.quantile_interval(values, ones(values), [0.5, 0.9])
    assert_array_equal([quantile, low, high], [[50, 90], [40, 84], [61, 96]])


@pytest.mark.parametrize("seed", SEEDS)
def test_quantiles_are_scipys(seed: int) -> None:
    draws = np.random.default_rng(seed)
    sample = draws.geometric(0.05, draws.integers(2, 3000))
    values = np.arange(sample.max() + 3)
    counts = np.bincount(sample, minlength=len(values))
    q = np.array([0.03, 0.07, 0.25, 0.5, 0.9, 0.99, 0.999])
    confidence = draws.choice([0.8, 0.95])
    computed = stats.quantile_interval(values, counts, q, confidence)
    assert_array_equal(computed[0], np.quantile(sample, q, method="inverted_cdf"))
    for k, probability in enumerate(q):
        expected = scipy.stats.quantile_test(sample, p=probability).confidence_interval(confidence)
        assert_array_equal([computed[1][k], computed[2][k]], expected)


def test_quantile_is_not_a_rounding_error_too_high() -> None:
    values = np.arange(1, 101)
    assert 0.07 * 100 > 7
    assert stats.quantile_interval(values, ones(values), 0.07)[0] == 7


def test_quantiles_of_few_and_of_many() -> None:
    assert np.isnan(stats.quantile_interval([1, 2], [0, 0], 0.5)).all()
    quantile, low, high = stats.quantile_interval([4], [3], 0.5)  # 3 observations have no 95 % interval
    assert quantile == 4 and np.isnan([low, high]).all()
    for n in range(1, 40):  # at 50 % many binomial probabilities are a tail exactly
        for confidence in (0.25, 0.5, 0.75):
            reference = scipy.stats.quantile_test(np.arange(n), p=0.5).confidence_interval(confidence)
            assert_array_equal(stats.quantile_interval(np.arange(n), [1] * n, 0.5, confidence)[1:], reference)
    n = 10**9
    _, low, high = stats.quantile_interval(np.arange(n // 10**4), np.full(n // 10**4, 10**4), 0.5)
    reach = scipy.stats.norm.ppf(0.975) * math.sqrt(n) / 2 / 10**4
    assert_allclose([low, high], [50_000 - reach, 50_000 + reach], atol=1.5)


def test_band_known_answer() -> None:
    counts = np.full(10, 100)
    ecdf, low, high = stats.ecdf_band(counts)
    assert_allclose(ecdf, np.arange(1, 11) / 10)
    assert_allclose(high[3] - ecdf[3], 0.04294694083, rtol=1e-9)
    assert_allclose(ecdf[3] - low[3], 0.04294694083, rtol=1e-9)
    assert high[-1] == 1 and low.min() >= 0
    assert np.isnan(stats.ecdf_band([0, 0])).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_wasserstein_is_scipys(seed: int) -> None:
    draws = np.random.default_rng(seed)
    values = np.sort(draws.choice(500, 40, replace=False)) - 100
    a, b = draws.integers(0, 9, (2, 40))
    expected = scipy.stats.wasserstein_distance(values, values, a, b)
    assert_allclose(stats.wasserstein(values, a, b), expected, rtol=1e-12)
    assert stats.wasserstein(values, a, 3 * a) == 0


def test_wasserstein_known_answer() -> None:
    values = [0, 1, 3, 5, 6, 8]
    assert_allclose(stats.wasserstein(values, [1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]), 5)
    assert math.isnan(stats.wasserstein(values, [1] * 6, [0] * 6))


# Seats


def games_won(wins: ArrayLike) -> tuple[Integers, Integers]:
    """One block a game: x (games, seats) with a 1 for the winner."""
    wins = np.asarray(wins)
    x = np.repeat(np.eye(len(wins), dtype=np.int64), wins, axis=0)
    return x, ones(x)


def test_seats_known_answer() -> None:
    wins = [16, 18, 16, 14, 12, 12]
    pearson = scipy.stats.chisquare(wins)
    assert_allclose(pearson, [2.0, 0.8491450361], rtol=1e-9)
    computed = stats.seat_test(*games_won(wins))
    assert_allclose([computed.statistic, computed.p_value], pearson, rtol=0.01)
    assert computed.freedom == 5 and computed.seat == 1
    assert_allclose(computed.deviation, 18 / 88 - 1 / 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_seats_without_ties(seed: int) -> None:
    draws = np.random.default_rng(seed)
    wins = draws.integers(20, 60, draws.integers(2, 9))
    neyman = scipy.stats.power_divergence(wins, lambda_="neyman").statistic
    computed = stats.seat_test(*games_won(wins))
    assert_allclose(computed.statistic, neyman / (1 + neyman / wins.sum()), rtol=1e-9)
    assert_allclose(computed.p_value, scipy.stats.chi2.sf(computed.statistic, len(wins) - 1), rtol=1e-9)


def test_seats_are_pearsons_in_long_runs() -> None:
    draws = np.random.default_rng(2)
    x = draws.multinomial(2000, [1 / 4] * 4, 500)
    n = np.full_like(x, 2000)
    pearson = scipy.stats.chisquare(x.sum(axis=0))
    computed = stats.seat_test(x, n)
    assert_allclose([computed.statistic, computed.p_value], pearson, rtol=0.1)


def wald(x: Integers) -> float:
    """Textbook form: the last seat dropped, covariance of the rest about the estimate, by an inverse."""
    rest = x[:, :-1] - x.sum(axis=1, keepdims=True) / x.shape[1]
    about = rest - rest.mean(axis=0)
    mean = rest.sum(axis=0)
    return float(mean @ np.linalg.inv(about.T @ about) @ mean)


def test_seats_with_ties_and_games_without_a_winner() -> None:
    draws = np.random.default_rng(3)
    x = draws.multinomial(1, [0.2, 0.25, 0.25, 0.3], 600) * 2
    tie = draws.random(600) < 0.2
    x[tie] = x[tie] // 2 + np.roll(x[tie], 1, axis=1) // 2  # shared with the neighbour
    x[draws.random(600) < 0.1] = 0  # nobody won
    expected = wald(x)
    computed = stats.seat_test(x, ones(x), 2)
    assert_allclose(computed.statistic, expected / (1 + expected / 600), rtol=1e-9)
    assert computed.freedom == 3
    shares = x.sum(axis=0) / 1200
    assert shares.sum() < 0.95
    assert_allclose(computed.deviation, max(shares - 1 / 4, key=abs))


def test_seats_of_cells_without_spread() -> None:
    alike = np.full((20, 3), 5)
    computed = stats.seat_test(alike, 15 * ones(alike))
    assert (computed.statistic, computed.freedom, computed.p_value) == (0, 0, 1)
    nobody = np.zeros((20, 3), dtype=np.int64)
    computed = stats.seat_test(nobody, ones(nobody))
    assert computed.p_value == 1 and computed.deviation == -1 / 3
    computed = stats.seat_test(*games_won([10, 0, 0]))  # always the same: one direction only, and finite
    assert computed.freedom == 1 and computed.seat == 0
    assert_allclose([computed.statistic, computed.p_value], [10, scipy.stats.chi2.sf(10, 1)])
    computed = stats.seat_test(*games_won([30, 30, 30, 0]))
    assert computed.freedom == 3 and 0 < computed.p_value < 1e-3
    assert math.isnan(stats.seat_test(nobody, nobody).p_value)


def test_seats_of_large_blocks_keep_their_rank() -> None:
    draws = np.random.default_rng(4)
    x = draws.multinomial(10**9, [1 / 5] * 5, 400) * SHARE
    computed = stats.seat_test(x, np.full_like(x, 10**9), SHARE)
    assert computed.freedom == 4 and computed.p_value > 1e-4
    assert stats.seat_test(x + np.array([10**5 * SHARE, 0, 0, 0, 0]), np.full_like(x, 10**9), SHARE).p_value < 1e-9


def test_seats_refuse_unequal_games() -> None:
    with pytest.raises(ValueError, match="two seats"):
        stats.seat_test(np.ones((3, 2), int), np.array([[1, 2]] * 3))
    with pytest.raises(ValueError, match="two seats"):
        stats.seat_test(column(1, 1), column(1, 1))


# Sequences, tests and stops


def test_sequence_known_answer() -> None:
    low, high = stats.confidence_sequence(100_000, 0.25, 0.1875, 100_000)
    assert_allclose([0.25 - low, high - 0.25], 0.004156012526, rtol=1e-9)


def test_sequence_is_narrowest_at_the_number_it_is_tuned_for() -> None:
    def width(tuned_for: float) -> float:
        low, high = stats.confidence_sequence(100_000, 0, 1, tuned_for, 0.01)
        return float(high - low)

    assert width(90_000) > width(100_000) < width(111_000)
    # the mixture of normals itself: at the bound the likelihood ratio against a N(0, r) prior is 1 / alpha
    n, alpha, tuned = 5_000, 0.05, 20_000
    bound = float(stats.confidence_sequence(n, 0, 1, tuned, alpha)[1])
    log_alpha = -scipy.special.lambertw(-(alpha**2) / math.e, -1).real - 1
    prior = scipy.stats.norm(0, math.sqrt(log_alpha / tuned))
    ratio = scipy.integrate.quad(
        lambda mean: math.exp(n * mean * bound - n * mean**2 / 2) * prior.pdf(mean),
        -0.5,
        0.5,
        points=[bound],
        limit=500,
    )[0]
    assert_allclose(ratio, 1 / alpha, rtol=1e-6)


def test_sequence_does_not_depend_on_the_unit() -> None:
    games = stats.confidence_sequence([1000, 4000], 0.1, 2.0, 5000)
    blocks = stats.confidence_sequence([10, 40], 0.1, 0.02, 50)
    assert_allclose(games, blocks)
    assert (games[1] > 0.1).all() and games[1][0] > games[1][1]


def test_gsprt_known_answer() -> None:
    assert_allclose(stats.pentanomial_llr([13, 37, 50, 25, 3], 0, 2.716), -0.5596626139, rtol=1e-9)


def test_gsprt_is_a_ratio_of_normal_likelihoods() -> None:
    scores = np.random.default_rng(1).normal(0.52, 0.3, 50)
    spread = scores.std()
    reference = sum(scipy.stats.norm.logpdf(scores, 0.53, spread) - scipy.stats.norm.logpdf(scores, 0.5, spread))
    assert_allclose(stats.gspr_llr(scores.mean(), spread**2, 50, 0.5, 0.53), reference, rtol=1e-9)
    assert math.isnan(stats.gspr_llr(0.5, 0, 10, 0.5, 0.6))


def test_sprt_bounds() -> None:
    assert_allclose(stats.sprt_bounds(), [-math.log(19), math.log(19)])
    low, high = stats.sprt_bounds(0.01, 0.2)
    assert_allclose(np.exp([low, high]), [0.2 / 0.99, 0.8 / 0.01])


@pytest.mark.parametrize(("won", "drawn", "lost"), [(0.55, 0, 0.45), (0.4, 0.3, 0.3), (0.3, 0.5, 0.2), (0.6, 0, 0.4)])
def test_games_until_ahead_against_exact_sums(won: float, drawn: float, lost: float) -> None:
    edge, variance = won - lost, won + lost - (won - lost) ** 2
    leads, games = np.ones(1), 0
    while leads[games + 1 :].sum() < 0.95:
        leads, games = np.convolve(leads, [lost, drawn, won]), games + 1
    assert 5 < games < 1000
    assert_allclose(stats.games_until_ahead(edge, variance), games, rtol=0.06)


def test_games_until_ahead_of_equals() -> None:
    assert stats.games_until_ahead(0, 1) == math.inf == stats.games_until_ahead(-0.1, 1)
    assert stats.games_until_ahead(1, 0) == 1
    z = scipy.stats.norm.ppf(0.99)
    assert_allclose(stats.games_until_ahead(1e-3, 0.5, 0.99), z**2 * 0.5 / 1e-6, rtol=0.01)


# Verdicts


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (0.6, 0.9, "changes"),
        (-0.9, -0.6, "changes"),
        (0.1, 0.4, "real but negligible"),
        (-0.5, -0.1, "real but negligible"),
        (-0.1, 0.5, "practically the same"),
        (0, 0.1, "practically the same"),
        (-0.5, 0.5, "practically the same"),
        (0, 0, "practically the same"),
        (0.1, 0.6, "undecided"),
        (0.5, 0.6, "undecided"),
        (-0.6, 0.1, "undecided"),
        (-0.9, 0.9, "undecided"),
        (math.nan, math.nan, "undecided"),
    ],
)
def test_verdict(low: float, high: float, word: str) -> None:
    assert stats.verdict(low, high, 0.5) == word
    assert word in list(stats.Verdict)


def test_verdict_of_columns_and_without_a_region() -> None:
    computed = stats.verdict([0.1, -1.0, 0.0], [0.2, 1.0, 0.0], [0.05, 2.0, 0.0])
    assert computed.tolist() == ["changes", "practically the same", "practically the same"]
    assert stats.verdict(1e-9, 1, 0) == "changes"
    assert stats.verdict(-1e-9, 1, 0) == "undecided"


@pytest.mark.parametrize(
    ("middle", "half"), [(0.4, 0.3), (0.7, 0.4), (-0.7, 0.4), (0.0, 0.6), (0.49, 0.2), (-0.2, 2.0)]
)
def test_games_to_settle_settle_and_no_fewer(middle: float, half: float) -> None:
    assert stats.verdict(middle - half, middle + half, 0.5) == "undecided"
    needed = stats.games_to_settle(middle - half, middle + half, 0.5, 1000)
    for games, settled in ((needed * 1.001 + 1, True), (needed * 0.99, False)):
        later = half * math.sqrt(1000 / games)
        assert (stats.verdict(middle - later, middle + later, 0.5) != "undecided") == settled


def test_games_to_settle_at_the_limits() -> None:
    computed = stats.games_to_settle([0.4, 0.6, math.nan], [0.6, 0.9, math.nan], 0.5, 1000)
    assert_array_equal(computed, [math.inf, 1000, math.nan])


# Start-up


def test_scipy_stats_is_not_imported() -> None:
    code = "import sys, simcore.stats; sys.exit('scipy.stats' in sys.modules or 'pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
