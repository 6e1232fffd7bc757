"""Every formula, once: arrays in, arrays out.

The data. A *block* is a fixed number of consecutive games; a cell has B blocks and K metric columns. ``x``, int64
(B, K), holds the exact sums of a metric in units of 1/``scale``; ``n``, int64 (B, K), the sums of the count that the
metric is per (matches, rounds, ...); ``scale`` is a number or (K,). Blocks are independent of one another, what is
inside one need not be, and the last one may be shorter. Rates are 0..1; nan means that the data cannot say.

Only numpy and scipy.special are imported: scipy.stats costs half a second at every start and serves the tests.
"""

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrik, betaincinv, chdtrc, lambertw, ndtr, ndtri, stdtrit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FEW = 25  # events, non-events or discordant games below which the normal approximation is not used
ROUNDING = 8 * np.finfo(np.float64).eps  # a residual smaller than this, relative to its parts, is nought
FIRST_LOOK = 10_000  # games before which no run may stop: Chow-Robbins is asymptotic
EXACT_GAMES = 1_000  # games up to which games_until_ahead adds up probabilities


class Estimates(NamedTuple):
    """Estimates of K columns, each (K,); ``n`` is the total of the count that the metric is per."""

    estimate: Floats
    low: Floats
    high: Floats
    se: Floats
    n: Integers


class Differences(NamedTuple):
    """Differences of K columns, each (K,): the first cell minus the second."""

    difference: Floats
    low: Floats
    high: Floats
    se: Floats
    rho: Floats
    variance_ratio: Floats


class Quantiles(NamedTuple):
    """Quantiles and their intervals, each in the shape of the probabilities asked for."""

    quantile: Floats
    low: Floats
    high: Floats


class SeatTest(NamedTuple):
    """``deviation`` is that of ``seat`` (counted from 0), whose win share is furthest from 1/k."""

    deviation: float
    seat: int
    statistic: float
    freedom: int
    p_value: float


class Verdict(StrEnum):
    """What an interval says about a difference, beside a region of practical equivalence."""

    CHANGES = "changes"
    NEGLIGIBLE = "real but negligible"
    SAME = "practically the same"
    UNDECIDED = "undecided"


class _Sums(NamedTuple):
    values: Floats  # (B, K) sums of the metric, in its own unit
    total: Floats  # (K,)
    count: Floats  # (K,)
    filled: Integers  # (K,) blocks with a count
    estimate: Floats  # (K,)
    residuals: Floats  # (B, K) each block's part of the error of the estimate; they add up to nought


def _exact_total(sums: Integers) -> Floats:
    """Total of each column, rounded once: two halves of 32 bits cannot overflow where one int64 might."""
    high, low = (sums >> 32).sum(axis=0), (sums & 0xFFFFFFFF).sum(axis=0)
    return np.asarray(high * 2.0**32 + low, dtype=np.float64)


def _clean(residuals: Floats, size: Floats) -> Floats:
    """Set to nought what rounding left: a constant metric must have se 0 and not 1e-17."""
    return np.where(np.abs(residuals) <= ROUNDING * size, 0.0, residuals)


def _sums(x: ArrayLike, n: ArrayLike, scale: ArrayLike) -> _Sums:
    x, n = np.asarray(x), np.asarray(n)
    if x.ndim != 2 or x.shape != n.shape:
        raise ValueError(f"x and n must both be (blocks, columns), got {x.shape} and {n.shape}")
    if not (np.issubdtype(x.dtype, np.integer) and np.issubdtype(n.dtype, np.integer)):
        raise TypeError(f"block sums are whole numbers, got {x.dtype} and {n.dtype}")
    x, n, scale = x.astype(np.int64), n.astype(np.int64), np.asarray(scale, dtype=np.float64)
    values, total, count = x / scale, _exact_total(x) / scale, _exact_total(n)
    estimate = total / np.where(count > 0, count, np.nan)
    expected = estimate * n
    residuals = _clean(values - expected, np.abs(values) + np.abs(expected))
    residuals = residuals / np.where(count > 0, count, np.nan)
    return _Sums(values, total, count, (n > 0).sum(axis=0), estimate, residuals)


def _standard_error(residuals: Floats, freedom: ArrayLike) -> Floats:
    """sqrt(B/(B-1) sum(residuals^2)); nan without a degree of freedom, because one block shows no spread."""
    blocks = max(len(residuals), 2)
    se = np.sqrt(blocks / (blocks - 1) * np.square(residuals).sum(axis=0))
    return np.where(np.asarray(freedom) >= 1, se, np.nan)


def simultaneous(confidence: float, comparisons: int) -> float:
    """Level of each of several intervals that together hold with ``confidence`` (Bonferroni)."""
    if not 0 < confidence < 1 or comparisons < 1:
        raise ValueError(f"need 0 < confidence < 1 and comparisons >= 1, got {confidence} and {comparisons}")
    return 1 - (1 - confidence) / comparisons


def ratio(x: ArrayLike, n: ArrayLike, scale: ArrayLike = 1) -> tuple[Floats, Floats]:
    """Estimate sum(x) / (scale sum(n)) and its standard error, each (K,).

    The error is that of a ratio estimator over clusters (Cochran, Sampling Techniques, 3rd ed., section 6.3):
    sqrt(B/(B-1) sum((x_b/scale - estimate n_b)^2)) / sum(n). It is nan with fewer than two blocks that have a
    count, the estimate with none.

    Raises
    ------
    ValueError
        if the shapes of x and n differ or are not (B, K)
    TypeError
        if x or n are not whole numbers
    """
    sums = _sums(x, n, scale)
    return sums.estimate, _standard_error(sums.residuals, sums.filled - 1)


def covariance(x: ArrayLike, n: ArrayLike, scale: ArrayLike = 1) -> Floats:
    """Covariance of the K estimates, (K, K), from common blocks; its diagonal is the square of ``ratio``'s error."""
    residuals = _sums(x, n, scale).residuals
    blocks = len(residuals)
    return residuals.T @ residuals * (blocks / (blocks - 1) if blocks > 1 else np.nan)


def wilson(events: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's score interval (JASA 22, 1927) for a rate; neither events nor n need be whole. nan where n is 0."""
    n = np.asarray(n, dtype=np.float64)
    n = np.where(n > 0, n, np.nan)
    rate, z2 = np.asarray(events) / n, ndtri(0.5 + confidence / 2) ** 2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (np.maximum(rate * (1 - rate), 0) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # at 0 and 1 rounding would leave 1e-18, so bring in the rate, which the interval contains
    return np.maximum(np.minimum(centre - half, rate), 0), np.minimum(np.maximum(centre + half, rate), 1)


def clopper_pearson(events: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Clopper and Pearson's interval (Biometrika 26, 1934), conservative; as beta quantiles it takes parts of wins."""
    events, n = np.asarray(events, dtype=np.float64), np.asarray(n, dtype=np.float64)
    tail, misses = (1 - confidence) / 2, n - events
    low = np.where(events > 0, betaincinv(events, misses + 1, tail), 0.0)
    high = np.where(misses > 0, betaincinv(events + 1, misses, 1 - tail), 1.0)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def mean_interval(x: ArrayLike, n: ArrayLike, scale: ArrayLike = 1, confidence: float = 0.95) -> Estimates:
    """Means with t intervals, B-1 degrees of freedom (B: blocks that have a count).

    A metric with the same mean in every block has se 0 and an interval of one point.
    """
    sums = _sums(x, n, scale)
    se = _standard_error(sums.residuals, sums.filled - 1)
    half = stdtrit(np.maximum(sums.filled - 1, 1), 0.5 + confidence / 2) * se
    return Estimates(sums.estimate, sums.estimate - half, sums.estimate + half, se, sums.count.astype(np.int64))


def _is_few(sums: _Sums) -> NDArray[np.bool_]:
    return np.minimum(sums.total, sums.count - sums.total) < FEW


def _rate_estimates(sums: _Sums, zero_one: ArrayLike, confidence: float) -> Estimates:
    se = _standard_error(sums.residuals, sums.filled - 1)
    spread = np.maximum(sums.estimate * (1 - sums.estimate), 0)
    plain = np.asarray(zero_one) | (se == 0)  # se 0 would claim infinitely many games: every one counted is the limit
    effective = np.where(plain, sums.count, spread / np.square(np.where(plain, 1.0, se)))
    wilson_bounds = wilson(sums.estimate * effective, effective, confidence)
    exact_bounds = clopper_pearson(sums.total, sums.count, confidence)
    low, high = np.where(_is_few(sums), exact_bounds, wilson_bounds)
    known = (sums.filled >= 2) | (np.asarray(zero_one) & (sums.count >= 2))
    low, high = np.minimum(low, sums.estimate), np.maximum(high, sums.estimate)
    return Estimates(
        sums.estimate, np.where(known, low, np.nan), np.where(known, high, np.nan), se, sums.count.astype(np.int64)
    )


def rate_interval(
    x: ArrayLike, n: ArrayLike, scale: ArrayLike = 1, zero_one: ArrayLike = False, confidence: float = 0.95
) -> Estimates:
    """Rates with intervals that contain them and never leave 0..1.

    Wilson with the effective size estimate (1 - estimate) / se^2 (Kish's design effect; it may exceed n, because
    shared wins vary less than whole ones). Columns marked ``zero_one``, a boolean or (K,), where n counts matches and
    every single value is 0 or 1: Wilson on n. Fewer than 25 events or non-events: Clopper-Pearson on n. Where all
    blocks agree (se 0) without that: Wilson on n, for a run of equal blocks is no certainty. One game, or one block
    of a column that is not zero_one: no interval.

    Raises
    ------
    ValueError
        if a column has fewer than 0 or more than n events: then it is not a rate
    """
    sums = _sums(x, n, scale)
    if np.any((sums.total < 0) | (sums.total > sums.count)):
        raise ValueError("a rate has between 0 and n events")
    return _rate_estimates(sums, zero_one, confidence)


def intervals(
    x: ArrayLike, n: ArrayLike, scale: ArrayLike, rate: ArrayLike, zero_one: ArrayLike, confidence: float = 0.95
) -> Estimates:
    """``rate_interval`` where ``rate`` (K,) is true, ``mean_interval`` elsewhere."""
    means, rates = mean_interval(x, n, scale, confidence), _rate_estimates(_sums(x, n, scale), zero_one, confidence)
    low, high = np.where(rate, rates.low, means.low), np.where(rate, rates.high, means.high)
    return means._replace(low=low, high=high)


def bonett_price(
    gained: ArrayLike, lost: ArrayLike, n: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats, Floats]:
    """Low, high and standard error of (gained - lost) / n for paired rates, within -1..1.

    Bonett and Price, J. Educ. Behav. Stat. 37 (2012), 479: one is added to both discordant counts, so that pairs that
    never differ do not give an interval of one point.
    """
    size, gained, lost = np.asarray(n) + 2.0, np.asarray(gained) + 1.0, np.asarray(lost) + 1.0
    difference = (gained - lost) / size
    se = np.sqrt(np.maximum((gained + lost) / size - np.square(difference), 0) / size)
    half = ndtri(0.5 + confidence / 2) * se
    return np.maximum(difference - half, -1), np.minimum(difference + half, 1), se


def square_and_add(a: Estimates, b: Estimates) -> tuple[Floats, Floats]:
    """Interval of a - b for independent rates from the interval of each (Newcombe, Stat. Med. 17, 1998, method 10)."""
    difference = a.estimate - b.estimate
    low = difference - np.hypot(a.estimate - a.low, b.high - b.estimate)
    return low, difference + np.hypot(a.high - a.estimate, b.estimate - b.low)


def _replace_rare(
    out: Differences, rare: NDArray[np.bool_], a: _Sums, b: _Sums, zero_one: ArrayLike, level: float
) -> Differences:
    """Where ``rare``, take the interval from those of the two rates; elsewhere nothing changes."""
    if not rare.any():
        return out
    low, high = square_and_add(*(_rate_estimates(sums, zero_one, level) for sums in (a, b)))
    se = (high - low) / (2 * ndtri(0.5 + level / 2))
    return out._replace(
        low=np.where(rare, low, out.low), high=np.where(rare, high, out.high), se=np.where(rare, se, out.se)
    )


def _bounded(out: Differences, rate: ArrayLike) -> Differences:
    low, high = np.minimum(out.low, out.difference), np.maximum(out.high, out.difference)
    return out._replace(
        low=np.where(rate, np.maximum(low, -1), low), high=np.where(rate, np.minimum(high, 1), high)
    )


def difference(
    xa: ArrayLike, na: ArrayLike, xb: ArrayLike, nb: ArrayLike, scale: ArrayLike = 1, rate: ArrayLike = False,
    zero_one: ArrayLike = False, confidence: float = 0.95, comparisons: int = 1,
) -> Differences:  # fmt: skip
    """Cell a minus cell b (the baseline), paired over their B common blocks.

    ``rate`` and ``zero_one`` are booleans or (K,). The residuals of the two ratios are subtracted block by block; t
    with B-1 degrees of freedom, at the level that makes ``comparisons`` intervals hold together. ``rho`` is the
    correlation of the residuals (nan if one of the cells does not vary); ``variance_ratio`` the variance of the paired
    difference over the sum of the two: 1 is what independent cells would give, below 1 pairing gained.

    Rates with equal n in every block and fewer than 25 discordant games, or se 0: Bonett-Price, with the sums of the
    positive and the negative block differences in wins. Inside a block gains and losses cancel, so discordant games
    are counted as the sum of the larger of |d| and d^2, whose expectation is right for balanced ones. Rates with
    different n and fewer than 25 events (or non-events) in both cells, or se 0: ``square_and_add``, which forgoes
    what pairing gains. There se is that of the interval, so never 0. A mean whose difference is the same in every
    block has se 0 and an interval of one point; for equal rates it is a proper interval around 0. With one block there
    is no interval.

    Raises
    ------
    ValueError
        if the two cells do not have the same blocks
    """
    level = simultaneous(confidence, comparisons)
    if np.shape(xa) != np.shape(xb):
        raise ValueError(f"paired cells have the same blocks and columns, got {np.shape(xa)} and {np.shape(xb)}")
    a, b = _sums(xa, na, scale), _sums(xb, nb, scale)
    size = (np.abs(a.values) / np.maximum(a.count, 1)) + (np.abs(b.values) / np.maximum(b.count, 1))
    gap = _clean(a.residuals - b.residuals, size)
    freedom = np.minimum(a.filled, b.filled) - 1
    se, estimate = _standard_error(gap, freedom), a.estimate - b.estimate
    half = stdtrit(np.maximum(freedom, 1), 0.5 + level / 2) * se
    squares_a, squares_b = np.square(a.residuals).sum(axis=0), np.square(b.residuals).sum(axis=0)
    product, total = np.sqrt(squares_a) * np.sqrt(squares_b), squares_a + squares_b
    rho = (a.residuals * b.residuals).sum(axis=0) / np.where(product > 0, product, np.nan)
    variance_ratio = np.square(gap).sum(axis=0) / np.where(total > 0, total, np.nan)
    out = Differences(estimate, estimate - half, estimate + half, se, np.clip(rho, -1, 1), variance_ratio)

    usable, constant = np.asarray(rate) & (freedom >= 1), se == 0
    wins = (np.asarray(xa) - np.asarray(xb)) / np.asarray(scale)
    discordant = np.maximum(np.abs(wins), np.square(wins)).sum(axis=0)
    same_count = np.all(np.asarray(na) == np.asarray(nb), axis=0)
    matched = usable & same_count & ((discordant < FEW) | constant)
    gained, lost = np.maximum(wins, 0).sum(axis=0), np.maximum(-wins, 0).sum(axis=0)
    low, high, adjusted = bonett_price(gained, lost, a.count, level)
    out = out._replace(
        low=np.where(matched, low, out.low), high=np.where(matched, high, out.high), se=np.where(matched, adjusted, se)
    )
    rare = usable & ~same_count & ((_is_few(a) & _is_few(b)) | constant)
    return _bounded(_replace_rare(out, rare, a, b, zero_one, level), rate)


def independent_difference(
    xa: ArrayLike, na: ArrayLike, xb: ArrayLike, nb: ArrayLike, scale: ArrayLike = 1, rate: ArrayLike = False,
    zero_one: ArrayLike = False, confidence: float = 0.95, comparisons: int = 1,
) -> Differences:  # fmt: skip
    """Cell a minus cell b for cells that share no deals (other players, another seed); blocks need not match.

    Welch's t on the standard errors of the two ratios with Satterthwaite's degrees of freedom; rates with fewer than
    25 events or non-events in either cell, or se 0: ``square_and_add``. rho and variance_ratio are nan: nothing is
    paired. Otherwise as ``difference``.
    """
    level = simultaneous(confidence, comparisons)
    a, b = _sums(xa, na, scale), _sums(xb, nb, scale)
    square_a, square_b = (np.square(_standard_error(sums.residuals, sums.filled - 1)) for sums in (a, b))
    se, estimate = np.sqrt(square_a + square_b), a.estimate - b.estimate
    least = np.square(square_a) / np.maximum(a.filled - 1, 1) + np.square(square_b) / np.maximum(b.filled - 1, 1)
    freedom = np.where(least > 0, np.square(square_a + square_b) / np.where(least > 0, least, 1.0), 1.0)
    half = np.where(se == 0, 0.0, stdtrit(freedom, 0.5 + level / 2) * se)
    unpaired = np.full_like(estimate, np.nan)
    out = Differences(estimate, estimate - half, estimate + half, se, unpaired, unpaired)
    rare = np.asarray(rate) & ~np.isnan(se) & (_is_few(a) | _is_few(b) | (se == 0))
    return _bounded(_replace_rare(out, rare, a, b, zero_one, level), rate)


def holm(p_values: ArrayLike) -> Floats:
    """Holm's step-down adjusted p values (Scand. J. Stat. 6, 1979), in the order given."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return adjusted


def best_width(covariance: ArrayLike, freedom: float = math.inf, confidence: float = 0.95) -> Floats:
    """Widths (k, k) for ``best_of`` from the covariance (k, k) of k estimates: one-sided Bonferroni over k-1."""
    matrix = np.asarray(covariance, dtype=np.float64)
    level = simultaneous(confidence, len(matrix) - 1)
    critical = ndtri(level) if math.isinf(freedom) else stdtrit(freedom, level)
    variances = np.diag(matrix)
    return np.asarray(critical * np.sqrt(np.maximum(variances[:, None] + variances - 2 * matrix, 0)))


def best_of(estimates: ArrayLike, width: ArrayLike) -> tuple[Floats, Floats]:
    """Intervals of each estimate minus the best of the others; larger is better.

    Hsu's constrained multiple comparisons with the best (Ann. Stat. 9, 1981; unequal widths: Hsu, Multiple
    Comparisons, 1996, chapter 4). ``width`` is a number or (k, k). A lower bound of 0: it is the best; an upper bound
    of 0: it is not better than the best.

    Raises
    ------
    ValueError
        with fewer than two estimates
    """
    values = np.asarray(estimates, dtype=np.float64)
    if len(values) < 2:
        raise ValueError("a best needs at least two estimates")
    gaps, itself = values[:, None] - values, np.eye(len(values), dtype=np.bool_)
    upper = np.where(itself, np.inf, gaps + width).min(axis=1)
    rivals = (upper >= 0) & ~itself  # column j: estimate j may be the best, so i has to be compared with it
    lower = np.where(rivals, gaps - width, np.inf).min(axis=1)
    return np.minimum(lower, 0), np.maximum(upper, 0)


def _binomial_quantile(probability: float, n: float, q: Floats) -> Floats:
    """Smallest k with P(Binomial(n, q) <= k) >= probability; bdtrik rounds, so look one below."""
    upper = np.ceil(bdtrik(probability, n, q))
    lower = np.maximum(upper - 1, 0)
    return np.where(bdtr(lower, n, q) >= probability, lower, upper)


def quantile_interval(values: ArrayLike, counts: ArrayLike, q: ArrayLike, confidence: float = 0.95) -> Quantiles:
    """Quantiles of a histogram of whole numbers, with order-statistic intervals.

    The quantile is the smallest value with at least q n observations at or below it. Its interval lies between two
    order statistics (Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2); with ties it is conservative.
    Observations count as independent. A bound is nan where n is too small to have one.

    Parameters
    ----------
    values, counts : (V,)
        rising values, and how often each occurred
    q : probabilities, 0 < q < 1
    """
    values, q = np.asarray(values, dtype=np.float64), np.asarray(q, dtype=np.float64)
    cumulated = np.cumsum(np.asarray(counts, dtype=np.int64))
    n = float(cumulated[-1])
    tail = (1 - confidence) / 2

    def at(rank: Floats) -> Floats:
        index = np.searchsorted(cumulated, rank)
        inside = (rank >= 1) & (rank <= n)
        return np.where(inside, values[np.minimum(index, len(values) - 1)], np.nan)

    middle = np.maximum(np.ceil(q * n * (1 - ROUNDING)), 1)  # 0.07 * 100 is 7.000000000000001
    return Quantiles(at(middle), at(_binomial_quantile(tail, n, q)), at(_binomial_quantile(1 - tail, n, q) + 1))


def ecdf_band(counts: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats, Floats]:
    """Share of observations at or below each value, and a band that holds for all values at once, each (V,).

    Half width sqrt(log(2/alpha) / (2n)): Dvoretzky-Kiefer-Wolfowitz with Massart's constant (Ann. Prob. 18, 1990).
    """
    cumulated = np.cumsum(np.asarray(counts, dtype=np.int64))
    n = float(cumulated[-1]) or math.nan
    ecdf, half = cumulated / n, math.sqrt(math.log(2 / (1 - confidence)) / (2 * n))
    return ecdf, np.maximum(ecdf - half, 0), np.minimum(ecdf + half, 1)


def wasserstein(values: ArrayLike, counts_a: ArrayLike, counts_b: ArrayLike) -> float:
    """Wasserstein-1 distance of two histograms over the same rising ``values`` (V,), in the unit of the values.

    It is the area between the two distribution functions; nan if a histogram is empty.
    """
    shares = [ecdf_band(counts)[0] for counts in (counts_a, counts_b)]
    return float(np.sum(np.abs(shares[0] - shares[1])[:-1] * np.diff(np.asarray(values, dtype=np.float64))))


def seat_test(x: ArrayLike, n: ArrayLike, scale: ArrayLike = 1) -> SeatTest:
    """Chi-square test that the k seats (columns of x) win equally often.

    Wald's statistic on the shares less their mean, so that games without a winner and ties count as they are, with
    their covariance estimated over the blocks under the hypothesis (about nought, not about the estimate: Rao's score
    form). With W the usual Wald statistic it is W / (1 + W/B), so it holds its size with few blocks and stays finite
    when a seat never wins. Degrees of freedom are the rank of the covariance (k-1 as a rule); rank 0, where all seats
    win the same in every block, has p 1. With one winner a game and no ties W is Neyman's chi-square of the wins.
    Needs n, the games, equal for all seats.
    """
    sums = _sums(x, n, scale)
    k = len(sums.estimate)
    if k < 2 or np.any(np.asarray(n) != np.asarray(n)[:, :1]):
        raise ValueError("a seat test needs at least two seats with the same games")
    deviations = sums.estimate - 1 / k
    if np.isnan(deviations).any():
        return SeatTest(math.nan, -1, math.nan, 0, math.nan)
    seat = int(np.argmax(np.abs(deviations)))
    fair = sums.values.mean(axis=1, keepdims=True)
    centred = _clean(sums.values - fair, sums.values + fair)
    # singular values of the data themselves: squaring them first would lose half of the digits
    left, strength, _ = np.linalg.svd(centred, full_matrices=False)
    kept = strength > strength[0] * max(centred.shape) * ROUNDING
    freedom = int(kept.sum())
    # d' M^+ d for M = C'C and d the column sums of C is the squared length of the projection of (1, ..., 1)
    statistic = float(np.square(left[:, kept].sum(axis=0)).sum())
    p_value = float(chdtrc(freedom, statistic)) if freedom else 1.0
    return SeatTest(float(deviations[seat]), seat, statistic, freedom, p_value)


def confidence_sequence(
    n: ArrayLike, mean: ArrayLike, variance: ArrayLike, tuned_for: float, alpha: float = 0.05
) -> tuple[Floats, Floats]:
    """Bounds that hold at all looks together, so that a run may stop whenever they decide.

    Asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit
    theory and asymptotic confidence sequences" (Ann. Stat. 52, 2024; arXiv 2103.06476): the normal mixture boundary
    sqrt(v) sqrt(2 (n r + 1) / (n^2 r) log(sqrt(n r + 1) / alpha)), where r = (-W(-alpha^2 / e) - 1) / tuned_for (W:
    Lambert's, lower branch) makes it narrowest at ``tuned_for`` observations.

    ``variance`` is per observation. For an estimate or a paired difference from blocks give the games as n and
    games se^2 as the variance: only n / tuned_for and variance / n matter, so the unit does not. Where several
    comparisons run divide alpha by their number.
    """
    n = np.asarray(n, dtype=np.float64)
    spread = (-float(lambertw(-(alpha**2) / math.e, -1).real) - 1) / tuned_for * n + 1
    half = np.sqrt(np.asarray(variance) * 2 * spread / (n * (spread - 1)) * np.log(np.sqrt(spread) / alpha))
    return np.asarray(mean) - half, np.asarray(mean) + half


def score_moments(counts: ArrayLike) -> tuple[float, float, int]:
    """Mean, variance and n of results 0, 1/(V-1), ..., 1 that occurred ``counts`` (V,) times (pentanomial: V = 5)."""
    counts = np.asarray(counts, dtype=np.int64)
    scores, n = np.linspace(0, 1, len(counts)), int(counts.sum())
    mean = float(counts @ scores) / n
    return mean, float(counts @ np.square(scores - mean)) / n, n


def elo_score(elo: float) -> float:
    """Expected score 0..1 of the player who is ``elo`` points stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def gspr_llr(mean: float, variance: float, n: float, s0: float, s1: float) -> float:
    """Log likelihood ratio of mean score s1 against s0 after n results, n (s1-s0)(2 mean - s0 - s1) / (2 variance).

    Generalised sequential probability ratio test in the normal approximation of fishtest (Van den Bergh, "A practical
    introduction to the GSPRT"). nan while all results are equal: the variance is then not known.
    """
    return n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance) if variance > 0 else math.nan


def sprt_bounds(alpha: float = 0.05, beta: float = 0.05) -> tuple[float, float]:
    """Wald's bounds (Sequential Analysis, 1947): accept s0 at or below the first, s1 at or above the second."""
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def games_until_ahead(edge: float, variance: float, confidence: float = 0.95) -> float:
    """Fewest games after which the better player has more wins with probability ``confidence``.

    ``edge`` and ``variance`` are those of the difference in wins of one game. A game counts as won, drawn or lost with
    the probabilities that have these moments: exact up to 1,000 games. Beyond, or if there are none, the normal
    approximation that n edge - 1/2 is z standard deviations (1/2: being level is not ahead). inf if edge <= 0. Without
    draws an even number of games can end level, so that the next number may fall just short again.
    """
    if not edge > 0:
        return math.inf
    z = float(ndtri(confidence)) * math.sqrt(variance)
    approximate = math.ceil(((z + math.sqrt(z * z + 2 * edge)) / (2 * edge)) ** 2)
    second = variance + edge * edge
    step = np.array([(second - edge) / 2, 1 - second, (second + edge) / 2])
    if approximate <= EXACT_GAMES and step.min() >= -ROUNDING:
        leads = np.ones(1)
        for games in range(1, 2 * EXACT_GAMES):
            leads = np.convolve(leads, np.maximum(step, 0))
            if leads[games + 1 :].sum() >= confidence:
                return float(games)
    return float(approximate)


def looks(first: int, last: int) -> list[int]:
    """Numbers of games at which a run looks at its precision: doubling, from at least 10,000, ending with ``last``."""
    games = max(first, FIRST_LOOK)
    found = []
    while games < last:
        found.append(games)
        games *= 2
    return [*found, last]


def precise_enough(half_widths: ArrayLike, targets: ArrayLike) -> bool:
    """Whether every half width has reached its target (Chow and Robbins, Ann. Math. Stat. 36, 1965); nan has not."""
    return bool(np.all(np.asarray(half_widths) <= np.asarray(targets)))


def verdict(low: ArrayLike, high: ArrayLike, rope: ArrayLike) -> NDArray[np.str_]:
    """Verdicts (see ``Verdict``) of intervals, with the region of practical equivalence -rope..rope, ends included.

    Wholly outside: changes. Wholly inside: real but negligible if it excludes 0, else practically the same. Across an
    end: undecided, even if it excludes 0, because whether the difference matters is open. No interval: undecided.
    """
    low, high, rope = np.asarray(low), np.asarray(high), np.asarray(rope)
    inside, outside = (low >= -rope) & (high <= rope), (low > rope) | (high < -rope)
    cases: Iterable[Any] = [outside, inside & ((low > 0) | (high < 0)), inside]
    return np.select(list(cases), [Verdict.CHANGES.value, Verdict.NEGLIGIBLE.value, Verdict.SAME.value], "undecided")


def games_to_settle(low: ArrayLike, high: ArrayLike, rope: ArrayLike, games: ArrayLike) -> Floats:
    """Games that would settle an undecided difference, if its estimate stays where it is after ``games``.

    The half width falls as 1/sqrt(games) and must fit between the middle of the interval and the nearer end of
    -rope..rope: a guide, because the estimate will move by about its standard error. inf if it lies on an end, nan
    without an interval, ``games`` where it is settled already.
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    room = np.abs(np.abs(low + high) / 2 - rope)
    shrink = (high - low) / 2 / np.where(room > 0, room, np.nan)
    needed = np.ceil(np.asarray(games) * np.square(shrink))
    needed = np.where((room > 0) | np.isnan(room), needed, np.inf)
    return np.where(verdict(low, high, rope) == Verdict.UNDECIDED, needed, games)
