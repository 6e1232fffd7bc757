"""Every formula beside known answers, scipy, statsmodels or a case by hand: reference, computed, compare."""

import math
from typing import Literal

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import ArrayLike, NDArray

from simcore import stats

Integers = NDArray[np.int64]
Method = Literal["exact", "wilson"]

SHARE = 360360
SEEDS = range(8)


def column(*values: int) -> Integers:
    return np.array(values, dtype=np.int64)[:, None]


def ones(like: ArrayLike) -> Integers:
    return np.ones(np.shape(like), dtype=np.int64)


def random_cell(seed: int, blocks: int = 60, columns: int = 3, scale: int = 2) -> tuple[Integers, Integers]:
    """Block sums of a metric and of the count it is per, both random, the last block shorter."""
    draws = np.random.default_rng(seed)
    n = draws.integers(5, 20, (blocks, columns))
    n[-1] = 2
    return draws.poisson(3.0 * n) * scale // 2 + draws.integers(0, 5, n.shape), n


# Estimates and standard errors


@pytest.mark.parametrize("seed", SEEDS)
def test_ratio_is_the_formula_written_out(seed: int) -> None:
    x, n = random_cell(seed)
    for k in range(x.shape[1]):
        estimate = sum(x[:, k]) / (2 * sum(n[:, k]))
        squares = sum((x[b, k] / 2 - estimate * n[b, k]) ** 2 for b in range(60))
        expected = estimate, math.sqrt(60 / 59 * squares) / sum(n[:, k])
        computed = stats.ratio(x, n, 2)
        assert_allclose([computed[0][k], computed[1][k]], expected, rtol=1e-12)


def test_scale_may_differ_by_column() -> None:
    x, n = random_cell(1)
    together = stats.ratio(x, n, [1, 2, SHARE])
    for k, scale in enumerate((1, 2, SHARE)):
        alone = stats.ratio(x[:, [k]], n[:, [k]], scale)
        assert_allclose(np.ravel(alone), [part[k] for part in together], rtol=1e-12)


def test_ratio_without_data() -> None:
    x = n = np.zeros((3, 1), dtype=np.int64)
    assert np.isnan(stats.ratio(x, n)).all()
    assert np.isnan(stats.ratio(x[:0], n[:0])).all()
    estimate, se = stats.ratio(column(7), column(2))
    assert estimate == 3.5 and np.isnan(se)
    estimate, se = stats.ratio(column(7, 0, 0), column(2, 0, 0))  # one block that has a count shows no spread
    assert estimate == 3.5 and np.isnan(se)


def test_constant_metric_has_no_error_at_all() -> None:
    n = np.arange(1, 301)[:, None] * 7
    estimate, se = stats.ratio(n * (SHARE // 7), n, SHARE)
    assert_allclose(estimate, 1 / 7, rtol=1e-15)
    assert se == 0


def test_sums_near_the_end_of_int64() -> None:
    x = np.full((512, 2), 2**62, dtype=np.int64)
    x[:, 1] *= -1
    x[0] += 2**40
    n = np.full((512, 2), 2**50, dtype=np.int64)
    total = [sum(int(value) for value in x[:, k]) for k in range(2)]
    estimate, se = stats.ratio(x, n)
    assert_array_equal(estimate, [value / 2**59 for value in total])
    assert (se > 0).all()


def test_tiny_values_keep_their_digits() -> None:
    x, n = column(1, 0, 2, 1), column(2**40, 2**40, 2**40, 2**40)
    estimate, se = stats.ratio(x, n)
    assert_allclose(estimate, 1 / 2**40)
    assert_allclose(se, np.std([1, 0, 2, 1], ddof=1) / 2 / 2**40)


def test_no_columns() -> None:
    x = np.zeros((5, 0), dtype=np.int64)
    for result in (
        stats.mean_interval(x, x),
        stats.rate_interval(x, x),
        stats.difference(x, x, x, x),
        stats.independent_difference(x, x, x, x),
    ):
        assert {part.shape for part in result} == {(0,)}


def test_shapes_and_types_are_refused() -> None:
    with pytest.raises(ValueError, match="blocks, columns"):
        stats.ratio(np.array([1, 2]), np.array([1, 2]))
    with pytest.raises(ValueError, match="blocks, columns"):
        stats.ratio(column(1, 2), column(1, 2, 3))
    with pytest.raises(TypeError, match="whole"):
        stats.ratio(column(1, 2) * 0.5, column(1, 2))
    with pytest.raises(ValueError, match="between 0 and n"):
        stats.rate_interval(column(3, 1), column(1, 2))
    with pytest.raises(ValueError, match="between 0 and n"):
        stats.rate_interval(column(-1, 0), column(1, 2))
    with pytest.raises(ValueError, match="same blocks"):
        stats.difference(column(1), column(1), column(1, 2), column(1, 2))
    with pytest.raises(ValueError, match="confidence"):
        stats.difference(column(1, 2), column(1, 1), column(1, 2), column(1, 1), confidence=95)
    with pytest.raises(ValueError, match="comparisons"):
        stats.simultaneous(0.95, 0)


# Means


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("blocks", [2, 3, 30, 512])
def test_mean_is_a_t_interval(blocks: int, confidence: float) -> None:
    values = np.random.default_rng(blocks).integers(-50, 300, (blocks, 4))
    low, high = scipy.stats.ttest_1samp(values / 2, 0).confidence_interval(confidence)
    computed = stats.mean_interval(values, ones(values), 2, confidence)
    assert_allclose(computed.estimate, values.mean(axis=0) / 2)
    assert_allclose(computed.low, low, rtol=1e-9)
    assert_allclose(computed.high, high, rtol=1e-9)
    assert_array_equal(computed.n, blocks)


def test_mean_does_not_depend_on_the_size_of_equal_blocks() -> None:
    values = np.random.default_rng(3).integers(0, 9, (40, 1))
    one, ten = stats.mean_interval(values, ones(values)), stats.mean_interval(values * 10, ones(values) * 10)
    assert_allclose(ten[:4], one[:4])


def test_mean_of_one_block_or_of_equal_blocks() -> None:
    computed = stats.mean_interval(column(6), column(2))
    assert computed.estimate == 3 and np.isnan(computed.low) and np.isnan(computed.high)
    computed = stats.mean_interval(column(*[6, 9] * 13), column(*[2, 3] * 13))
    assert_array_equal([computed.low, computed.estimate, computed.high, computed.se], [[3], [3], [3], [0]])
    # Fewer than 25 may be alike by chance.
    computed = stats.mean_interval(column(*[6, 9] * 12), column(*[2, 3] * 12))
    assert computed.estimate == 3 and np.isnan([computed.low, computed.high, computed.se]).all()


def test_a_poisson_interval_is_that_of_scipy() -> None:
    events = np.array([0, 1, 2, 7, 24])
    low, high = stats.poisson_interval(events, 0.95)
    # Garwood's limits are quantiles of chi-square with 2 k and 2 k + 2 degrees of freedom, halved.
    assert low[0] == 0
    assert_allclose(low[1:], scipy.stats.chi2.ppf(0.025, 2 * events[1:]) / 2)
    assert_allclose(high, scipy.stats.chi2.ppf(0.975, 2 * events + 2) / 2)
    for k, bound in zip(events, high, strict=True):
        assert_allclose(scipy.stats.poisson.cdf(k, bound), 0.025)


def test_means_of_what_hardly_happens_have_poisson_bounds() -> None:
    """Three of 100 blocks saw it, twice each time; what never happened has bounds as if it came one by one."""
    x = np.zeros((100, 3), dtype=np.int64)
    x[[3, 50, 77], 0] = 2
    x[:30, 2] = 1
    computed = stats.mean_interval(x, np.full(x.shape, 10))
    low, high = (float(bound) for bound in stats.poisson_interval(3))
    assert_allclose([computed.low[0], computed.estimate[0], computed.high[0]], [low * 2 / 1000, 0.006, high * 2 / 1000])
    assert_allclose([computed.low[1], computed.high[1]], [0, -math.log(0.025) / 1000])
    t = scipy.stats.ttest_1samp(x[:, 2] / 10, 0).confidence_interval()
    assert_allclose([computed.low[2], computed.high[2]], [float(t.low), float(t.high)])
    negative = stats.mean_interval(-x, np.full(x.shape, 10))
    assert_allclose(negative.high[0] - negative.low[0], 2 * scipy.stats.t.ppf(0.975, 99) * negative.se[0])


def test_poisson_bounds_hold() -> None:
    """About one event in a run: a t interval would hold the truth in 63 of 100 runs, those that saw one."""
    rng = np.random.default_rng(5)
    x = rng.poisson(1 / 200, (200, 4000))
    found = stats.mean_interval(x, ones(x))
    covered = np.mean((found.low <= 1 / 200) & (found.high >= 1 / 200))
    assert covered >= 0.95


def test_blocks_without_a_count_give_no_degrees_of_freedom() -> None:
    x, n = column(4, 6, 11, *[0] * 509), column(1, 1, 2, *[0] * 509)
    computed = stats.mean_interval(x, n)
    assert_allclose((computed.high - computed.estimate) / computed.se, scipy.stats.t.ppf(0.975, 2))


# Rates


@pytest.mark.parametrize(
    ("events", "n", "low", "high"),
    [
        (15, 148, 0.06238639953, 0.1604872417),
        (0, 10, 0, 0.2775327999),
        (250_000, 1_000_000, 0.2491522721, 0.2508496486),
    ],
)
def test_wilson_known_answers(events: int, n: int, low: float, high: float) -> None:
    reference = scipy.stats.binomtest(events, n).proportion_ci(method="wilson")
    assert_allclose(reference, [low, high], rtol=1e-9, atol=1e-15)
    computed = stats.wilson(events, n)
    assert_allclose(computed, reference, rtol=1e-12, atol=1e-15)
    assert computed[0] == 0 or events


@pytest.mark.parametrize(
    ("events", "n", "low", "high"), [(15, 148, 0.05784401008, 0.1616504903), (0, 10, 0, 0.3084971078)]
)
def test_clopper_pearson_known_answers(events: int, n: int, low: float, high: float) -> None:
    reference = scipy.stats.binomtest(events, n).proportion_ci(method="exact")
    assert_allclose(reference, [low, high], rtol=1e-9)
    assert_allclose(stats.clopper_pearson(events, n), reference, rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_of_zeros_and_ones_is_scipys_interval(seed: int) -> None:
    draws = np.random.default_rng(seed)
    confidence = draws.choice([0.9, 0.95, 0.99])
    x = draws.binomial(8, draws.random(30), (64, 30))
    x[:, 0], x[:, 1] = 0, 8
    computed = stats.rate_interval(x, np.full_like(x, 8), zero_one=True, confidence=confidence)
    methods = set()
    for k, events in enumerate(x.sum(axis=0)):
        method: Method = "exact" if min(events, 512 - events) < 25 else "wilson"
        methods.add(method)
        expected = scipy.stats.binomtest(int(events), 512).proportion_ci(confidence, method)
        assert_allclose([computed.low[k], computed.high[k]], expected, rtol=1e-9, atol=1e-15)
    assert methods == {"exact", "wilson"}


def test_border_between_exact_and_approximate() -> None:
    cases: list[tuple[int, Method]] = [(24, "exact"), (25, "wilson"), (175, "wilson"), (176, "exact")]
    for events, method in cases:
        expected = scipy.stats.binomtest(events, 200).proportion_ci(method=method)
        computed = stats.rate_interval(column(events, 0), column(200, 0), zero_one=True)
        assert_allclose([computed.low[0], computed.high[0]], expected, rtol=1e-9)


def test_clustered_rate_is_wilson_on_the_effective_size() -> None:
    draws = np.random.default_rng(5)
    n = draws.integers(5, 15, (300, 1))
    x = draws.binomial(n, draws.beta(2, 4, n.shape))
    estimate, se = (float(part[0]) for part in stats.ratio(x, n))
    effective = estimate * (1 - estimate) / se**2
    assert effective < 0.5 * n.sum()  # the clusters matter
    z2 = scipy.stats.norm.ppf(0.975) ** 2
    # the interval's ends are the roots of (rate - estimate)^2 = z^2 rate (1 - rate) / n
    roots = np.roots([1 + z2 / effective, -2 * estimate - z2 / effective, estimate**2])
    computed = stats.rate_interval(x, n)
    assert_allclose([computed.low[0], computed.high[0]], np.sort(roots), rtol=1e-9)
    assert computed.n == n.sum()


def test_shared_wins_vary_less_than_whole_ones() -> None:
    draws = np.random.default_rng(6)
    shares = draws.choice([0, SHARE // 2, SHARE], (500, 1), p=[0.2, 0.6, 0.2])
    computed = stats.rate_interval(shares, ones(shares), SHARE)
    plain = stats.wilson(computed.estimate * 500, 500)
    assert computed.high - computed.low < 0.7 * (plain[1] - plain[0])


def test_exact_interval_takes_parts_of_wins() -> None:
    x = column(SHARE // 2, SHARE // 3, 0, 0)
    computed = stats.rate_interval(x, ones(x), SHARE)
    events = 5 / 6
    assert_allclose(computed.low, scipy.stats.beta.ppf(0.025, events, 4 - events + 1), rtol=1e-9)
    assert_allclose(computed.high, scipy.stats.beta.ppf(0.975, events + 1, 4 - events), rtol=1e-9)


def test_one_game_has_no_interval() -> None:
    for zero_one in (True, False):
        computed = stats.rate_interval(column(1), column(1), zero_one=zero_one)
        assert computed.estimate == 1 and computed.n == 1
        assert np.isnan([computed.low, computed.high, computed.se]).all()
    rounds = stats.rate_interval(column(4), column(11))  # eleven rounds of one match
    assert_allclose(rounds.estimate, 4 / 11)
    assert np.isnan([rounds.low, rounds.high]).all()
    matches = stats.rate_interval(column(4), column(11), zero_one=True)  # eleven matches in one block
    assert_allclose([matches.low[0], matches.high[0]], scipy.stats.binomtest(4, 11).proportion_ci(), rtol=1e-9)


def test_no_matches_no_rate() -> None:
    computed = stats.rate_interval(column(0, 0), column(0, 0), zero_one=True)
    assert np.isnan(computed[:4]).all() and computed.n == 0


def test_rates_without_spread_stay_uncertain() -> None:
    """Blocks that all agree prove no certainty: Wilson on n."""
    x, n = np.full((50, 1), 30), np.full((50, 1), 60)
    computed = stats.rate_interval(x, n)
    assert computed.se == 0
    assert_allclose(
        [computed.low[0], computed.high[0]], scipy.stats.binomtest(1500, 3000).proportion_ci(method="wilson")
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_rates_contain_their_estimate_and_stay_within_bounds(seed: int) -> None:
    draws = np.random.default_rng(seed)
    blocks = int(draws.integers(2, 40))
    n = draws.integers(0, 12, (blocks, 300))
    x = draws.binomial(n * 60, draws.choice([0, 1e-3, 0.02, 0.5, 0.98, 1], 300))
    for zero_one in (True, False):
        for confidence in (0.05, 0.5, 0.999999):
            computed = stats.rate_interval(x, n, 60, zero_one, confidence)
            assert not np.isnan(computed.low[n.sum(axis=0) > 11]).any()
            low, estimate, high = (
                part[~np.isnan(computed.low)] for part in (computed.low, computed.estimate, computed.high)
            )
            assert ((low >= 0) & (low <= estimate) & (estimate <= high) & (high <= 1)).all()
