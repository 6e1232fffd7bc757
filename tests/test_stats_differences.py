"""Differences of two cells beside known answers, scipy, statsmodels or a case by hand."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import confint_proportions_2indep

from simcore import stats
from simcore.bounds import weighted_poisson
from tests.test_stats import SEEDS, column, ones, random_cell

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
    # Nobody saw a game that differs; one might, by as much as two unrelated games.
    unseen = scipy.stats.chi2.ppf(0.975, 2) / 2 / 400
    assert computed.high[1] == -computed.low[1] == pytest.approx(unseen) and computed.se[1] > 0
    far = stats.difference(100 * x, ones(x), 100 * x, ones(x))
    assert_allclose(far.high, unseen * 100 * np.sqrt(2) * np.std(x, axis=0, ddof=1))
    same = stats.difference(ones(x), ones(x), ones(x), ones(x))
    assert not np.any([same.low, same.high, same.se])  # what never varies has no game that differs
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


def gamma_bounds(parts: Sequence[float], unseen: float) -> tuple[float, float]:
    """Fay and Feuer (1997) as they write it, with quantiles of chi-square."""
    y, v = sum(parts), sum(part**2 for part in parts)
    low = v / (2 * y) * scipy.stats.chi2.ppf(0.025, 2 * y * y / v) if parts else 0.0
    more, square = y + unseen, v + unseen**2
    return low, square / (2 * more) * scipy.stats.chi2.ppf(0.975, 2 * more**2 / square)


def test_weighted_poisson_bounds_are_garwoods_if_all_weigh_the_same() -> None:
    for events in (0, 1, 7):
        expected = np.multiply(3.5, stats.poisson_interval(events))
        assert_allclose(weighted_poisson(np.full((events, 1), 3.5), [3.5])[0], expected[0], rtol=1e-12)
        assert_allclose(weighted_poisson(np.full((events, 1), 3.5), [3.5])[1], expected[1], rtol=1e-12)
    parts = [0.5, 2.0, 2.0, 7.25]
    assert_allclose(np.ravel(weighted_poisson(np.array(parts)[:, None], [7.25])), gamma_bounds(parts, 7.25))


def test_means_that_differ_in_few_blocks_have_gains_and_losses() -> None:
    draws = np.random.default_rng(2)
    base = draws.integers(0, 50, (400, 1))
    for gains, losses in (([3], []), ([1] * 9, [1] * 3), ([9, 2, 2, 30], [1, 6]), ([5] * 24, [])):
        changes = [*gains, *(-loss for loss in losses)]
        other = base.copy()
        other[: len(changes), 0] += changes
        (low_up, high_up), (low_down, high_down) = (
            gamma_bounds(side, max(map(abs, changes))) for side in (gains, losses)
        )
        up, down = sum(gains), sum(losses)
        low = up - down - math.hypot(up - low_up, high_down - down)
        high = up - down + math.hypot(high_up - up, down - low_down)
        computed = stats.difference(other, ones(other), base, ones(base))
        assert_allclose([computed.low[0] * 400, computed.high[0] * 400], [low, high], rtol=1e-9)
        assert_allclose(computed.se[0], (computed.high[0] - computed.low[0]) / 2 / scipy.stats.norm.ppf(0.975))
    other = base.copy()
    other[:25] += 5
    computed = stats.difference(other, ones(other), base, ones(base))
    expected = scipy.stats.ttest_rel(other[:, 0], base[:, 0]).confidence_interval()
    assert_allclose([computed.low[0], computed.high[0]], expected, rtol=1e-9)
    short = slice(0, 60)  # 20 of 60 blocks are too many to be chance events
    computed = stats.difference(other[5:65], ones(other[short]), base[5:65], ones(base[short]))
    expected = scipy.stats.ttest_rel(other[5:65, 0], base[5:65, 0]).confidence_interval()
    assert_allclose([computed.low[0], computed.high[0]], expected, rtol=1e-9)


def test_few_blocks_that_differ_in_their_counts_too() -> None:
    (x, n), base = random_cell(5, blocks=400, columns=1), random_cell(5, blocks=400, columns=1)
    x[7] += 40
    n[7] += 3
    n[300] += 2
    computed = stats.difference(x, n, *base, 2)
    gap = stats.ratio(x, n, 2)[0] - stats.ratio(*base, 2)[0]
    middle = (stats.ratio(x, n, 2)[0] + stats.ratio(*base, 2)[0])[0] / 2
    size = (n.sum() + base[1].sum()) / 2
    parts = (20 - 3 * middle) / size, 2 * middle / size
    assert_allclose(gap, parts[0] - parts[1])
    up, down = (gamma_bounds([part], parts[0]) for part in parts)
    assert_allclose(computed.low, gap - math.hypot(parts[0] - up[0], down[1] - parts[1]))
    assert_allclose(computed.high, gap + math.hypot(up[1] - parts[0], parts[1] - down[0]))


def test_rare_means_that_are_not_paired_are_squared_and_added() -> None:
    a, b = column(*[1] * 4, *[0] * 196), column(*[0] * 300)
    computed = stats.independent_difference(a, 5 * ones(a), b, 4 * ones(b), comparisons=2)
    low, high = np.array(stats.poisson_interval(4, 0.975)) / 1000
    most = stats.poisson_interval(0, 0.975)[1] / 1200
    assert_allclose(computed.low, 0.004 - math.hypot(0.004 - low, most))
    assert_allclose(computed.high, high)
    many = np.random.default_rng(3).integers(0, 9, (300, 1))
    computed = stats.independent_difference(a, ones(a), many, ones(many))
    one, other = stats.mean_interval(a, ones(a)), stats.mean_interval(many, ones(many))
    assert_allclose(
        computed.high - computed.difference, np.hypot(one.high - one.estimate, other.estimate - other.low), rtol=1e-12
    )


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
    one, two, five = (np.full((30, 1), value) for value in (1, 2, 5))
    computed = stats.independent_difference(two[:25], one[:25], five, one)
    assert_array_equal([computed.low, computed.high, computed.se], [[-3], [-3], [0]])
    for compare in (stats.difference, stats.independent_difference):
        computed = compare(two[:24], one[:24], five[:24], one[:24])
        assert computed.difference == -3 and np.isnan([computed.low, computed.high, computed.se]).all()
    assert np.isnan(stats.independent_difference(column(2), column(1), column(5, 5), column(1, 1)).low)


def test_independent_difference_takes_an_unseen_event_for_as_large_as_the_other_cells() -> None:
    # 100 blocks of 100 games: one event worth 7 in one cell, none in the other, of the same rare kind.
    seen, nothing, games = np.zeros((100, 1), int), np.zeros((100, 1), int), np.full((100, 1), 100)
    seen[0] = 7
    found = stats.independent_difference(seen, games, nothing, games)
    assert found.low[0] < 0 < found.high[0]
    mirrored = stats.independent_difference(nothing, games, seen, games)
    np.testing.assert_allclose([mirrored.low[0], mirrored.high[0]], [-found.high[0], -found.low[0]])
