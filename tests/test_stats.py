"""Every formula beside known answers, scipy, statsmodels or a case by hand: reference, computed, compare."""

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import ArrayLike, NDArray
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

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
    computed = stats.mean_interval(column(6, 9), column(2, 3))
    assert_array_equal([computed.low, computed.estimate, computed.high, computed.se], [[3], [3], [3], [0]])


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


# Differences


def test_paired_t_known_answer() -> None:
    a, b = column(1, 2, 2, 3, 3, 3, 4, 4, 5, 9), column(1, 1, 2, 2, 3, 2, 4, 3, 3, 5)
    computed = stats.difference(a, ones(a), b, ones(b))
    assert_allclose(
        [computed.difference[0], computed.low[0], computed.high[0]], [1, 0.1077931829, 1.892206817], rtol=1e-9
    )


@pytest.mark.parametrize("comparisons", [1, 7])
def test_difference_is_a_paired_t_interval(comparisons: int) -> None:
    draws = np.random.default_rng(comparisons)
    a, b = draws.integers(-9, 90, (2, 300, 5))
    b += a // 2
    expected = scipy.stats.ttest_rel(a, b).confidence_interval(1 - 0.05 / comparisons)
    computed = stats.difference(a, ones(a), b, ones(b), comparisons=comparisons)
    assert_allclose([computed.low, computed.high], expected, rtol=1e-9)
    assert_allclose(computed.rho, [scipy.stats.pearsonr(a[:, k], b[:, k])[0] for k in range(5)], rtol=1e-9)
    ratio = np.var(a - b, axis=0) / (np.var(a, axis=0) + np.var(b, axis=0))
    assert_allclose(computed.variance_ratio, ratio, rtol=1e-9)


def test_large_rates_are_a_paired_t_interval_too() -> None:
    a, b = np.random.default_rng(1).binomial(100, 0.4, (2, 300, 2))
    n = np.full_like(a, 100)
    expected = scipy.stats.ttest_rel(a / 100, b / 100).confidence_interval()
    computed = stats.difference(a, n, b, n, rate=True)
    assert_allclose([computed.low, computed.high], expected, rtol=1e-9)


def test_difference_of_ratios_with_unequal_counts() -> None:
    """Jackknife over the blocks, which shares no formula with the residuals, agrees up to 1/B."""
    (xa, na), (xb, nb) = random_cell(1, blocks=400), random_cell(2, blocks=400)
    xb, nb = xb + xa, nb + na
    leave_one_out = [
        np.delete(xa, b, 0).sum(axis=0) / np.delete(na, b, 0).sum(axis=0)
        - np.delete(xb, b, 0).sum(axis=0) / np.delete(nb, b, 0).sum(axis=0)
        for b in range(400)
    ]
    jackknife = np.sqrt(399 * np.var(leave_one_out, axis=0))
    computed = stats.difference(xa, na, xb, nb)
    assert_allclose(computed.se, jackknife, rtol=0.02)
    assert_allclose(computed.difference, xa.sum(0) / na.sum(0) - xb.sum(0) / nb.sum(0))


def test_difference_changes_its_sign_with_its_order() -> None:
    (xa, na), (xb, nb) = random_cell(3), random_cell(4)
    there, back = stats.difference(xa, na, xb, nb), stats.difference(xb, nb, xa, na)
    assert_allclose([there.difference, there.low, there.high], [-back.difference, -back.high, -back.low])
    few, none = column(*[1] * 5 + [0] * 40), column(*[0] * 45)
    there, back = (stats.difference(*pair, rate=True) for pair in
                   ((few, ones(few), none, ones(few)), (none, ones(few), few, ones(few))))  # fmt: skip
    assert there.difference > 0
    assert_allclose([there.low, there.high], [-back.high, -back.low])


def test_bonett_price_known_answer() -> None:
    computed = stats.bonett_price(9, 3, 50)
    assert_allclose(computed, [-0.02211330283, 0.2528825336], rtol=1e-9)
    gained, lost = column(*[1] * 9 + [0] * 41), column(*[0] * 9 + [1] * 3 + [0] * 38)
    difference = stats.difference(gained, ones(gained), lost, ones(lost), rate=True)
    assert_allclose([difference.low[0], difference.high[0]], computed, rtol=1e-12)
    assert_allclose(difference.difference, 6 / 50)
    z = scipy.stats.norm.ppf(0.975)
    assert_allclose(difference.se, (computed[1] - computed[0]) / (2 * z))


def test_bonett_price_agrees_with_mcnemar_about_zero() -> None:
    """Excluding 0 is a test of the same hypothesis; they may differ near the border only."""
    assert_allclose(mcnemar([[0, 6], [16, 0]]).pvalue, 0.05247879028, rtol=1e-9)
    agreed = excluded = 0
    for gained in range(20):
        for lost in range(20 - gained):
            p = mcnemar([[100, gained], [lost, 100]], exact=True).pvalue
            low, high = stats.bonett_price(gained, lost, 200 + gained + lost)
            excluded += bool(low > 0 or high < 0)
            assert p < 0.13 if low > 0 or high < 0 else p > 0.02
            agreed += bool((low > 0 or high < 0) == (p < 0.05))
    assert agreed > 180 and excluded > 60


def test_border_of_the_discordant_games() -> None:
    for discordant in (24, 25):
        a, b = column(*[1] * discordant + [0] * 175), column(*[0] * 200)[: discordant + 175]
        computed = stats.difference(a, ones(a), b, ones(b), rate=True)
        few = stats.bonett_price(discordant, 0, len(a))
        many = scipy.stats.ttest_rel(a[:, 0], b[:, 0]).confidence_interval()
        assert_allclose([computed.low[0], computed.high[0]], few if discordant < 25 else many, rtol=1e-9)


def test_discordant_games_that_cancel_inside_a_block_are_counted() -> None:
    a, b = np.full((8, 1), 500), np.full((8, 1), 500)
    a[:4] += 3  # 12 net wins, but blocks that differ by 3 have about 9 discordant games each
    n = np.full((8, 1), 1000)
    expected = scipy.stats.ttest_rel(a[:, 0] / 1000, b[:, 0] / 1000).confidence_interval()
    computed = stats.difference(a, n, b, n, rate=True)
    assert_allclose([computed.low[0], computed.high[0]], expected, rtol=1e-9)


def test_shared_wins_count_as_parts_of_discordant_games() -> None:
    """Sixty half wins are thirty discordant games, though their squares add up to fifteen only."""
    a, b = column(*[1] * 60, *[0] * 140), column(*[0] * 200)
    expected = scipy.stats.ttest_rel(a[:, 0] / 2, b[:, 0] / 2).confidence_interval()
    computed = stats.difference(a, ones(a), b, ones(b), 2, rate=True)
    assert_allclose([computed.low[0], computed.high[0]], expected, rtol=1e-9)


def test_blocks_that_one_cell_lacks_give_no_degrees_of_freedom() -> None:
    draws = np.random.default_rng(0)
    full, sparse = draws.integers(0, 9, (300, 1)), draws.integers(0, 9, (300, 1))
    n = np.zeros_like(sparse)
    n[:4], sparse[4:] = 1, 0
    for computed in (
        stats.difference(full, ones(full), sparse, n),
        stats.difference(sparse, n, full, ones(full)),
    ):
        assert_allclose((computed.high - computed.difference) / computed.se, scipy.stats.t.ppf(0.975, 3))


def test_identical_cells() -> None:
    x = np.random.default_rng(0).integers(0, 2, (400, 2))
    computed = stats.difference(x, ones(x), x, ones(x), rate=[True, False])
    assert_array_equal(computed.difference, 0)
    expected = stats.bonett_price(0, 0, 400)
    assert_allclose([computed.low[0], computed.high[0]], expected)
    assert computed.low[0] < 0 < computed.high[0] and computed.se[0] > 0
    assert (computed.low[1], computed.high[1], computed.se[1]) == (0, 0, 0)
    assert_allclose(computed.rho, 1)
    many = np.random.default_rng(1).integers(0, 99, (400, 200))
    assert (stats.difference(many, ones(many), many, ones(many)).rho <= 1).all()  # rounding says 1.0000000000000002
    assert_array_equal(computed.variance_ratio, 0)


def test_difference_that_is_the_same_in_every_block() -> None:
    x, n = random_cell(1, columns=1)
    computed = stats.difference(x + 3 * n, n, x, n)
    assert_allclose(computed.difference, 3)
    assert computed.se == 0 and computed.low == computed.high == computed.difference
    always, never = np.ones((100, 1), dtype=np.int64), np.zeros((100, 1), dtype=np.int64)
    computed = stats.difference(always, ones(always), never, ones(always), rate=True)
    assert computed.difference == 1 == computed.high and 0.9 < computed.low < 1
    assert np.isnan(computed.rho) and np.isnan(computed.variance_ratio)


def test_a_cell_that_does_not_vary_has_no_correlation() -> None:
    a = np.random.default_rng(0).integers(0, 9, (50, 1))
    b = np.full_like(a, 4)
    computed = stats.difference(a, ones(a), b, ones(b))
    assert np.isnan(computed.rho) and computed.variance_ratio == 1


def test_one_common_block_gives_a_difference_without_interval() -> None:
    computed = stats.difference(column(5), column(10), column(3), column(10), rate=True)
    assert_allclose(computed.difference, 0.2)
    assert np.isnan([computed.low, computed.high, computed.se]).all()
    computed = stats.difference(np.zeros((2, 1), int), np.zeros((2, 1), int), column(1, 1), column(2, 2), rate=True)
    assert np.isnan(computed).all()


def test_rare_rates_with_unequal_counts_are_not_certain() -> None:
    na, nb = column(*range(10, 60)), column(*range(20, 70))
    zero = np.zeros_like(na)
    computed = stats.difference(zero, na, zero, nb, rate=True)
    assert_allclose(computed.high, stats.clopper_pearson(0, na.sum())[1])
    assert_allclose(computed.low, -stats.clopper_pearson(0, nb.sum())[1])
    assert computed.se > 0


@pytest.mark.parametrize("compare", [stats.difference, stats.independent_difference])
def test_few_events_in_unequal_counts_are_squared_and_added(compare: Callable[..., stats.Differences]) -> None:
    a, b = np.zeros((200, 1), dtype=np.int64), np.zeros((200, 1), dtype=np.int64)
    a[:3], b[50:70] = 1, 1
    na, nb = np.full_like(a, 5), np.full_like(b, 6)
    (low_a, high_a), (low_b, high_b) = (
        scipy.stats.binomtest(events, n).proportion_ci() for events, n in ((3, 1000), (20, 1200))
    )
    gap, rate_a, rate_b = 3 / 1000 - 20 / 1200, 3 / 1000, 20 / 1200
    computed = compare(a, na, b, nb, rate=True)
    assert_allclose(computed.low, gap - math.hypot(rate_a - low_a, high_b - rate_b), rtol=1e-9)
    assert_allclose(computed.high, gap + math.hypot(high_a - rate_a, rate_b - low_b), rtol=1e-9)
    b[:190] = 3  # many events in one cell decide the error of a pair, few in the other matter if apart
    computed = compare(a, na, b, nb, rate=True)
    symmetric = bool(np.isclose(computed.high - computed.difference, computed.difference - computed.low)[0])
    assert symmetric == (compare is stats.difference)


@pytest.mark.parametrize("seed", SEEDS)
def test_differences_of_rates_contain_their_estimate_and_stay_within_bounds(seed: int) -> None:
    draws = np.random.default_rng(seed)
    n = np.full((int(draws.integers(2, 12)), 200), 3)
    rates = draws.choice([0, 0.01, 0.5, 0.99, 1], (2, 200))
    a, b = draws.binomial(n, rates[0]), draws.binomial(n, rates[1])
    for other in (n, n + draws.integers(0, 2, n.shape)):
        for compare in (stats.difference, stats.independent_difference):
            for confidence in (0.1, 0.999):
                computed = compare(a, n, b, other, rate=True, confidence=confidence)
                assert (computed.low >= -1).all() and (computed.high <= 1).all()
                assert (computed.low <= computed.difference).all() and (computed.difference <= computed.high).all()
                assert (computed.low < computed.high).all()


def test_independent_difference_is_welchs() -> None:
    draws = np.random.default_rng(9)
    a, b = draws.integers(0, 50, (300, 4)), draws.integers(0, 9, (40, 4))
    expected = scipy.stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.99)
    computed = stats.independent_difference(a, ones(a), b, ones(b), confidence=0.95, comparisons=5)
    assert_allclose([computed.low, computed.high], expected, rtol=1e-9)
    assert np.isnan(computed.rho).all() and np.isnan(computed.variance_ratio).all()


@pytest.mark.parametrize("compare", [stats.difference, stats.independent_difference])
def test_rates_without_spread_are_squared_and_added(compare: Callable[..., stats.Differences]) -> None:
    """Blocks that all agree: Wilson on n for both, so Newcombe's method 10 as statsmodels has it."""
    a, b = np.full((10, 1), 3), np.full((10, 1), 5)
    expected = confint_proportions_2indep(30, 100, 50, 120, method="newcomb")
    computed = compare(a, np.full((10, 1), 10), b, np.full((10, 1), 12), rate=True)
    assert_allclose([computed.low[0], computed.high[0]], expected, rtol=1e-6)


def test_independent_difference_of_constants() -> None:
    computed = stats.independent_difference(column(2, 2), column(1, 1), column(5, 5, 5), column(1, 1, 1))
    assert_array_equal([computed.low, computed.high, computed.se], [[-3], [-3], [0]])
    assert np.isnan(stats.independent_difference(column(2), column(1), column(5, 5), column(1, 1)).low)


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


def test_looks() -> None:
    assert stats.looks(10_000, 100_000) == [10_000, 20_000, 40_000, 80_000, 100_000]
    assert stats.looks(500, 40_000) == [10_000, 20_000, 40_000]
    assert stats.looks(30_000, 70_000) == [30_000, 60_000, 70_000]
    assert stats.looks(10_000, 2_000) == [2_000]


def test_precise_enough() -> None:
    assert stats.precise_enough([0.1, 0.2], [0.1, 0.3])
    assert not stats.precise_enough([0.1, 0.31], [0.1, 0.3])
    assert not stats.precise_enough([0.1, math.nan], 1)


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
