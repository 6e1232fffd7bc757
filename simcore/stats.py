"""Every formula, once: arrays in, arrays out.

A *block* is a number of consecutive games; a cell has B of them and K metric columns. ``x``, int64 (B, K),
holds exact sums of a metric in units of 1/``scale``, a number or (K,); ``n``, int64 (B, K), sums of the count
that it is per (matches, rounds, ...). Blocks are independent, what is inside one need not be; the last may be
shorter. Rates are 0..1; nan means that the data cannot say. scipy.stats would cost every start half a second.
"""

import math
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrik, betaincc, chdtrc, ndtri, stdtrit

from simcore.bounds import Bounds, Floats, gain_and_loss, square_and_add, weighted_poisson
from simcore.bounds import bonett_price as bonett_price
from simcore.bounds import clopper_pearson as clopper_pearson
from simcore.bounds import confidence_sequence as confidence_sequence
from simcore.bounds import poisson_interval as poisson_interval
from simcore.bounds import simultaneous as simultaneous
from simcore.bounds import wilson as wilson

Band = tuple[Floats, Floats, Floats]

FEW = 25  # events, non-events or discordant games below which the normal approximation is not used
ROUNDING = 8 * float(np.finfo(np.float64).eps)  # relative to its parts, a smaller remainder is nought


class Estimates(NamedTuple):
    """Estimates of K columns, each (K,); ``n`` is the total of the count that the metric is per."""

    estimate: Floats
    low: Floats
    high: Floats
    se: Floats
    n: NDArray[np.int64]


class Differences(NamedTuple):
    """Differences of K columns, each (K,): the first cell minus the second."""

    difference: Floats
    low: Floats
    high: Floats
    se: Floats
    rho: Floats
    variance_ratio: Floats


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
    values: Floats  # (B, K) sums of the metric in its own unit
    total: Floats  # (K,) of the metric
    size: Floats  # (K,) of the count
    few: NDArray[np.bool_]  # (K,) whether a rate has too few events or non-events
    freedom: NDArray[np.int64]  # (K,) blocks with a count, less one
    estimate: Floats  # (K,)
    residuals: Floats  # (B, K) each block's part in the error of the estimate
    se: Floats  # (K,)


def _exact_total(sums: NDArray[np.int64]) -> Floats:
    """Total of each column, rounded once: two halves of 32 bits cannot overflow where one int64 might."""
    high, low = (sums >> 32).sum(axis=0), (sums & 0xFFFFFFFF).sum(axis=0)
    return np.asarray(high * 2.0**32 + low, dtype=np.float64)


def _clean(residuals: Floats, parts: Floats) -> Floats:
    """Set to nought what rounding left: a constant metric must have se 0 and not 1e-17."""
    return np.where(np.abs(residuals) <= ROUNDING * parts, 0.0, residuals)


def _standard_error(residuals: Floats, freedom: NDArray[np.int64]) -> Floats:
    blocks = max(len(residuals), 2)  # one block shows no spread: nan, by its freedom of 0
    return np.where(freedom >= 1, np.sqrt(np.square(residuals).sum(axis=0) * blocks / (blocks - 1)), np.nan)


def _sums(x: ArrayLike, n: ArrayLike, scale: ArrayLike) -> _Sums:
    x, n = np.asarray(x), np.asarray(n)
    if x.ndim != 2 or x.shape != n.shape:
        raise ValueError(f"x and n must both be (blocks, columns), got {x.shape} and {n.shape}")
    if not (np.issubdtype(x.dtype, np.integer) and np.issubdtype(n.dtype, np.integer)):
        raise TypeError(f"block sums are whole numbers, got {x.dtype} and {n.dtype}")
    x, n, scale = x.astype(np.int64), n.astype(np.int64), np.asarray(scale, dtype=np.float64)
    values, total, size = x / scale, _exact_total(x) / scale, _exact_total(n)
    some = np.where(size > 0, size, np.nan)
    estimate, freedom, few = total / some, (n > 0).sum(axis=0) - 1, np.minimum(total, size - total) < FEW
    expected = estimate * n
    residuals = _clean(values - expected, np.abs(values) + np.abs(expected)) / some
    return _Sums(values, total, size, few, freedom, estimate, residuals, _standard_error(residuals, freedom))


def ratio(x: ArrayLike, n: ArrayLike, scale: ArrayLike = 1) -> Bounds:
    """Estimate sum(x) / (scale sum(n)) and its standard error, each (K,).

    The error is that of a ratio over clusters (Cochran, Sampling Techniques, 1977, section 6.3): sqrt(B/(B-1)
    sum((x_b/scale - estimate n_b)^2)) / sum(n); nan if fewer than two blocks have a count, the estimate if
    none has. All functions of x and n raise ValueError unless both are (B, K), TypeError if not whole.
    """
    sums = _sums(x, n, scale)
    return sums.estimate, sums.se


def _is_unshown(se: Floats, freedom: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether blocks are alike that are too few, fewer than 25, to show that there is no spread."""
    return np.asarray((se == 0) & (freedom + 1 < FEW))


def _rate_bounds(sums: _Sums, zero_one: ArrayLike, confidence: float) -> Bounds:
    whole, spread = np.asarray(zero_one), sums.estimate * (1 - sums.estimate)
    plain = whole | (sums.se == 0)  # an se of 0 would stand for infinitely many games
    effective = np.where(plain, sums.size, spread / np.square(np.where(plain, 1.0, sums.se)))
    score = wilson(sums.estimate * effective, effective, confidence)
    low, high = np.where(sums.few, clopper_pearson(sums.total, sums.size, confidence), score)
    known = np.where((sums.freedom >= 1) | (whole & (sums.size >= 2)), 1.0, np.nan)
    return low * known, high * known


def _is_few(parts: Floats, freedom: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether of the (B, K) parts of sums so few are not nought that t knows nothing of the others.

    Fewer than a quarter, and fewer than 25: if not alike, as many alike as vary as much.
    """
    squares = np.square(parts).sum(axis=0)
    is_small = np.square(np.abs(parts).sum(axis=0)) < FEW * np.where(squares > 0, squares, 1.0)
    return np.asarray(is_small & (4 * np.count_nonzero(parts, axis=0) < freedom + 1) & (freedom >= 1))


def _mean_bounds(sums: _Sums, confidence: float, other: _Sums | None = None) -> tuple[Bounds, NDArray[np.bool_]]:
    """Interval of means, and of which it is that of a rare event; if never seen, as large as in the `other` cell."""
    half = stdtrit(np.maximum(sums.freedom, 1), 0.5 + confidence / 2) * sums.se
    few = np.all(sums.values >= 0, axis=0) & _is_few(sums.values, sums.freedom)
    largest = np.max(sums.values, axis=0, initial=0)
    if other is not None:
        largest = np.where(largest > 0, largest, np.max(other.values, axis=0, initial=0))
    exact = weighted_poisson(np.maximum(sums.values, 0), np.where(largest > 0, largest, 1.0), confidence)
    ends = np.asarray(exact) / np.maximum(sums.size, 1), (sums.estimate - half, sums.estimate + half)
    low, high = np.where(few, *ends)
    return (low, high), few


def mean_interval(x: ArrayLike, n: ArrayLike, scale: ArrayLike = 1, confidence: float = 0.95) -> Estimates:
    """Means with t intervals, B-1 degrees of freedom (blocks that have a count); one point where se is 0.

    None where fewer than 25 blocks are all alike, which may be chance. What is never negative and occurred in fewer
    than 25 blocks, and in fewer than a quarter of them, has not shown its spread: then ``weighted_poisson`` of what it
    was in each of them. What never occurred is assumed to be worth 1 when it does, in the metric's unit: its range
    says how far its bins reach, not what an event is worth.
    """
    sums = _sums(x, n, scale)
    (low, high), few = _mean_bounds(sums, confidence)
    low, high, se = np.where(_is_unshown(sums.se, sums.freedom) & ~few, np.nan, (low, high, sums.se))
    return Estimates(sums.estimate, low, high, se, sums.size.astype(np.int64))


def rate_interval(
    x: ArrayLike, n: ArrayLike, scale: ArrayLike = 1, zero_one: ArrayLike = False, confidence: float = 0.95
) -> Estimates:
    """Rates with intervals that contain them and never leave 0..1.

    Wilson with the effective size estimate (1 - estimate) / se^2 (Kish, Survey Sampling, 1965; above n if
    shared wins vary less than whole ones). Wilson on n where ``zero_one``, a boolean or (K,), says that n
    counts matches and every value is 0 or 1, and where all blocks agree (se 0), which is no certainty.
    Clopper-Pearson on n with fewer than 25 events or non-events. None for one game, nor one block of a column
    that is not zero_one. ValueError if events are not between 0 and n.
    """
    sums = _sums(x, n, scale)
    if np.any((sums.total < 0) | (sums.total > sums.size)):
        raise ValueError("a rate has between 0 and n events")
    low, high = _rate_bounds(sums, zero_one, confidence)
    return Estimates(sums.estimate, low, high, sums.se, sums.size.astype(np.int64))


def _unpaired_bounds(a: _Sums, b: _Sums, zero_one: ArrayLike, level: float) -> Bounds:
    ends_a, ends_b = (_rate_bounds(sums, zero_one, level) for sums in (a, b))
    return square_and_add(a.estimate, ends_a, b.estimate, ends_b)


def _contain(low: Floats, high: Floats, estimate: Floats, rate: ArrayLike) -> Bounds:
    low, high = np.minimum(low, estimate), np.maximum(high, estimate)
    return np.where(rate, np.maximum(low, -1), low), np.where(rate, np.minimum(high, 1), high)


def _few_bounds(a: _Sums, b: _Sums, na: ArrayLike, nb: ArrayLike, level: float) -> tuple[Bounds, NDArray[np.bool_]]:
    """Interval of a - b from gains and losses, and where it is wanted: few blocks differ, and not for certain.

    If none does, a game still might: by what is between two unrelated games, or by 1 if these are all alike.
    """
    size, more = np.maximum(a.size + b.size, 1) / 2, np.asarray(na, np.int64) - np.asarray(nb, np.int64)
    # An identity: these add up to the difference of the two ratios, and are nought where a block is the same.
    changed = (a.values - b.values - (a.estimate + b.estimate) / 2 * more) / size
    differing, freedom = (a.values != b.values) | (more != 0), np.minimum(a.freedom, b.freedom)
    apart = a.values / np.maximum(a.size, 1) - b.values / np.maximum(b.size, 1)
    parts = np.where(4 * differing.sum(axis=0) < freedom + 1, changed, apart)
    unrelated = np.maximum(np.hypot(a.se * np.sqrt(a.size), b.se * np.sqrt(b.size)), 1) / size
    largest = np.max(np.abs(parts), axis=0, initial=0)
    ends = gain_and_loss(parts, np.where(largest > 0, largest, unrelated), level)
    return ends, _is_few(parts, freedom) & ~((a.se == 0) & (b.se == 0) & (a.total != 0))


def difference(
    xa: ArrayLike, na: ArrayLike, xb: ArrayLike, nb: ArrayLike, scale: ArrayLike = 1, rate: ArrayLike = False,
    zero_one: ArrayLike = False, confidence: float = 0.95, comparisons: int = 1,
) -> Differences:  # fmt: skip
    """Cell a minus cell b (the baseline), paired over their B common blocks; ``rate``, ``zero_one``: (K,).

    The residuals of the two ratios are subtracted block by block; t with B-1 degrees of freedom, at the level
    at which ``comparisons`` intervals hold together. ``rho`` is the correlation of the residuals, nan if a
    cell does not vary; ``variance_ratio`` the variance of the paired difference over the sum of the two: 1 if
    independent, less if pairing gained. No interval with one block. ValueError if the blocks differ.

    Rates with equal n in every block and fewer than 25 discordant games, or se 0: ``bonett_price`` of the
    positive and the negative block differences in wins. Gains and losses cancel in a block, so discordant
    games are counted as the larger of |d| and d^2, whose mean is their number if they balance. Rates with
    unequal n and fewer than 25 events or non-events in both cells, or se 0: Newcombe's square-and-add,
    without the pairing. Means that differ in fewer than 25 blocks, and in fewer than a quarter of them: gains and
    losses are ``weighted_poisson``, squared and added. Then se is the interval's, never 0. A mean whose blocks
    differ alike has one point, or that is the same in all games; none if the blocks are fewer than 25.
    """
    level = simultaneous(confidence, comparisons)
    if np.shape(xa) != np.shape(xb):
        raise ValueError(f"paired cells have the same blocks, got {np.shape(xa)} and {np.shape(xb)}")
    a, b = _sums(xa, na, scale), _sums(xb, nb, scale)
    parts = np.abs(a.values) / np.maximum(a.size, 1) + np.abs(b.values) / np.maximum(b.size, 1)
    gap = _clean(a.residuals - b.residuals, parts)
    freedom, estimate = np.minimum(a.freedom, b.freedom), a.estimate - b.estimate
    se = _standard_error(gap, freedom)
    half = stdtrit(np.maximum(freedom, 1), 0.5 + level / 2) * se
    squares_a, squares_b = np.square(a.residuals).sum(axis=0), np.square(b.residuals).sum(axis=0)
    product, total = np.sqrt(squares_a) * np.sqrt(squares_b), squares_a + squares_b
    rho = (a.residuals * b.residuals).sum(axis=0) / np.where(product > 0, product, np.nan)
    variance_ratio = np.square(gap).sum(axis=0) / np.where(total > 0, total, np.nan)

    usable = np.asarray(rate) & (freedom >= 1)
    same_count = np.all(np.asarray(na) == np.asarray(nb), axis=0)
    wins = (np.asarray(xa) - np.asarray(xb)) / np.asarray(scale)
    discordant = np.maximum(np.abs(wins), np.square(wins)).sum(axis=0)
    gained, lost = np.maximum(wins, 0).sum(axis=0), np.maximum(-wins, 0).sum(axis=0)
    matched = usable & same_count & ((discordant < FEW) | (se == 0))
    rare = usable & ~same_count & ((a.few & b.few) | (se == 0))
    low, high = np.where(rare, _unpaired_bounds(a, b, zero_one, level), (estimate - half, estimate + half))
    low, high = np.where(matched, bonett_price(gained, lost, a.size, level), (low, high))
    ends, few = _few_bounds(a, b, na, nb, level)
    few &= ~np.asarray(rate)
    low, high = np.where(few, ends, (low, high))
    none = _is_unshown(se, freedom) & ~np.asarray(rate) & ~few
    low, high = np.where(none, np.nan, (low, high))
    se = np.where(matched | rare | few | none, (high - low) / (2 * ndtri(0.5 + level / 2)), se)
    low, high = _contain(low, high, estimate, rate)
    return Differences(estimate, low, high, se, np.clip(rho, -1, 1), variance_ratio)


def independent_difference(
    xa: ArrayLike, na: ArrayLike, xb: ArrayLike, nb: ArrayLike, scale: ArrayLike = 1, rate: ArrayLike = False,
    zero_one: ArrayLike = False, confidence: float = 0.95, comparisons: int = 1,
) -> Differences:  # fmt: skip
    """Cell a minus cell b where they share no deals (other players, another seed); blocks need not match.

    Welch's t with Satterthwaite's degrees of freedom; square-and-add for rates with fewer than 25 events or non-events
    in either cell, or se 0, and for means of which one is a rare event's; none for means that fewer than 25 blocks
    show without spread. rho and variance_ratio are nan.
    """
    level = simultaneous(confidence, comparisons)
    a, b = _sums(xa, na, scale), _sums(xb, nb, scale)
    estimate, se = a.estimate - b.estimate, np.hypot(a.se, b.se)
    share = np.square(a.se / np.where(se > 0, se, np.nan))
    inverse = np.square(share) / np.maximum(a.freedom, 1) + np.square(1 - share) / np.maximum(b.freedom, 1)
    half = np.where(se == 0, 0.0, stdtrit(1 / inverse, 0.5 + level / 2) * se)
    rare = np.asarray(rate) & ~np.isnan(se) & (a.few | b.few | (se == 0))
    low, high = np.where(rare, _unpaired_bounds(a, b, zero_one, level), (estimate - half, estimate + half))
    (ends_a, few_a), (ends_b, few_b) = _mean_bounds(a, level, b), _mean_bounds(b, level, a)
    few = ~np.asarray(rate) & ~np.isnan(se) & (few_a | few_b)
    none = _is_unshown(se, np.minimum(a.freedom, b.freedom)) & ~np.asarray(rate) & ~few
    low, high = np.where(none, np.nan, (low, high))
    low, high = np.where(few, square_and_add(a.estimate, ends_a, b.estimate, ends_b), (low, high))
    se = np.where(rare | few | none, (high - low) / (2 * ndtri(0.5 + level / 2)), se)
    unpaired = np.full_like(estimate, np.nan)
    return Differences(estimate, *_contain(low, high, estimate, rate), se, unpaired, unpaired)


def holm(p_values: ArrayLike) -> Floats:
    """Holm's step-down adjusted p values (Scand. J. Stat. 6, 1979), in the order given."""
    p = np.asarray(p_values, dtype=np.float64)
    order, adjusted = np.argsort(p), np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return adjusted


def best_width(x: ArrayLike, n: ArrayLike, scale: ArrayLike = 1, confidence: float = 0.95) -> Floats:
    """Widths (K, K) for ``best_of`` of K estimates paired by block: t, one-sided Bonferroni over K-1."""
    residuals = _sums(x, n, scale).residuals
    (blocks, k), gaps = residuals.shape, residuals[:, :, None] - residuals[:, None, :]
    se = _standard_error(gaps, np.full((k, k), blocks - 1))
    return np.asarray(stdtrit(max(blocks - 1, 1), simultaneous(confidence, k - 1)) * se)


def best_of(estimates: ArrayLike, width: ArrayLike) -> Bounds:
    """Low and high of each of k estimates minus the best of the others; larger is better.

    Hsu's constrained multiple comparisons with the best (Ann. Stat. 9, 1981; Multiple Comparisons, 1996, ch.
    4). ``width``: a number or (k, k). Low 0: it is the best; high 0: another is as good. ValueError if k < 2.
    """
    values, width = np.asarray(estimates, dtype=np.float64), np.asarray(width, dtype=np.float64)
    if len(values) < 2:
        raise ValueError("a best needs at least two estimates")
    gaps, itself = values[:, None] - values, np.eye(len(values), dtype=np.bool_)
    high = np.where(itself, np.inf, gaps + width).min(axis=1)
    rivals = (high >= 0) & ~itself  # [i, j]: j may be the best, so i has to stand beside it
    return np.minimum(np.where(rivals, gaps - width, np.inf).min(axis=1), 0), np.maximum(high, 0)


def quantile_interval(values: ArrayLike, counts: ArrayLike, q: ArrayLike, confidence: float = 0.95) -> Band:
    """Quantiles of a histogram of whole numbers, their low and high, each in the shape of 0 < ``q`` < 1.

    ``values`` (V,) rise, ``counts`` (V,) say how often each occurred. The quantile is the smallest value with
    at least q n observations up to it; the interval lies between order statistics (Conover, Practical
    Nonparametric Statistics, 1999, section 3.2), for independent observations; nan if n is too small.
    """
    values, q = np.asarray(values, dtype=np.float64), np.asarray(q, dtype=np.float64)
    up_to = np.cumsum(np.asarray(counts, dtype=np.int64))
    n, tail = float(up_to[-1]), (1 - confidence) / 2

    def binomial(probability: float) -> Floats:
        above = np.ceil(bdtrik(probability, n, q))
        below = np.maximum(above - 1, 0)  # bdtrik rounds
        return np.where(betaincc(below + 1, n - below, q) >= probability, below, above)

    def at(rank: Floats) -> Floats:
        found = values[np.minimum(np.searchsorted(up_to, rank), len(values) - 1)]
        return np.where((rank >= 1) & (rank <= n), found, np.nan)

    middle = np.maximum(np.ceil(q * n * (1 - ROUNDING)), 1)  # 0.07 * 100 is 7.000000000000001
    return at(middle), at(binomial(tail)), at(binomial(1 - tail) + 1)


def ecdf_band(counts: ArrayLike, confidence: float = 0.95) -> Band:
    """Share of observations up to each value, low and high of a band that holds for all values, each (V,)."""
    # Dvoretzky-Kiefer-Wolfowitz with Massart's constant (Ann. Prob. 18, 1990)
    up_to = np.cumsum(np.asarray(counts, dtype=np.int64))
    n = float(up_to[-1]) or math.nan
    ecdf, half = up_to / n, math.sqrt(math.log(2 / (1 - confidence)) / (2 * n))
    return ecdf, np.maximum(ecdf - half, 0), np.minimum(ecdf + half, 1)


def wasserstein(values: ArrayLike, counts_a: ArrayLike, counts_b: ArrayLike) -> float:
    """Wasserstein-1 distance of two histograms over rising ``values`` (V,), nan if one is empty."""
    apart = np.abs(ecdf_band(counts_a)[0] - ecdf_band(counts_b)[0])  # its area is the distance
    return float(apart[:-1] @ np.diff(np.asarray(values, dtype=np.float64)))


def seat_test(x: ArrayLike, n: ArrayLike, scale: ArrayLike = 1) -> SeatTest:
    """Chi-square test that the k seats, the columns of x, win equally often; n are the games, equal for all.

    Wald's statistic of the shares less their mean, so that ties and games without a winner count as they are.
    The covariance over the blocks is taken under the hypothesis (about nought: Rao's score form), which makes
    it W / (1 + W/B) of the usual W: right in size with few blocks, finite when a seat never wins. Without
    ties, and a block a game, W is Neyman's chi-square. Degrees of freedom: the covariance's rank, mostly k-1;
    if 0 (all seats alike in every block) p is 1. Liberal (0.07 for 0.05) where each of 13 seats won but 40
    games. ValueError if k < 2 or n differs by seat.
    """
    estimate, k = _sums(x, n, scale).estimate, np.shape(x)[1]
    if k < 2 or np.any(np.asarray(n) != np.asarray(n)[:, :1]):
        raise ValueError("a seat test needs at least two seats with the same games")
    if np.isnan(estimate).any():
        return SeatTest(math.nan, -1, math.nan, 0, math.nan)
    seat, wins = int(np.argmax(np.abs(estimate - 1 / k))), np.asarray(x, dtype=np.int64)
    centred = (k * wins - wins.sum(axis=1, keepdims=True)).astype(np.float64)  # exact; its unit cancels
    # with d the column sums and M = C'C, d' M^+ d is the squared length of (1, ..., 1) projected on C's span
    left, strength, _ = np.linalg.svd(centred, full_matrices=False)
    kept = strength > strength[0] * len(centred) * ROUNDING
    statistic, freedom = float(np.square(left[:, kept].sum(axis=0)).sum()), int(kept.sum())
    p_value = chdtrc(freedom, statistic) if freedom else 1.0
    return SeatTest(float(estimate[seat] - 1 / k), seat, statistic, freedom, float(p_value))


def gspr_llr(mean: float, variance: float, n: float, s0: float, s1: float) -> float:
    """Log likelihood ratio of mean score s1 to s0, n deals: n (s1-s0)(2 mean - s0 - s1) / (2 variance).

    Generalised SPRT, see Van den Bergh ("A practical introduction to the GSPRT"); nan if all equal.
    """
    return n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance) if variance > 0 else math.nan


def pentanomial_llr(counts: ArrayLike, elo0: float, elo1: float) -> float:
    """``gspr_llr`` of scores 0, 1/(V-1), ..., 1 that occurred ``counts`` (V,) times, for strengths in Elo."""
    counts = np.asarray(counts, dtype=np.int64)
    scores, n = np.linspace(0, 1, len(counts)), int(counts.sum())
    mean = float(counts @ scores) / n
    s0, s1 = (1 / (1 + 10 ** (-elo / 400)) for elo in (elo0, elo1))
    return gspr_llr(mean, float(counts @ np.square(scores - mean)) / n, n, s0, s1)


def sprt_bounds(alpha: float = 0.05, beta: float = 0.05) -> tuple[float, float]:
    """Wald's bounds of a log likelihood ratio: s0 at or below the first, s1 at or above the second."""
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def games_until_ahead(edge: float, variance: float, confidence: float = 0.95) -> float:
    """Games after which the better player has more wins with probability ``confidence``; inf if edge <= 0.

    ``edge`` and ``variance`` are those of one game's difference in wins. Normal approximation n edge - 1/2 =
    z sqrt(n variance) (1/2: level is not ahead): 4 % off in even matches, 15 % if the better hardly loses.
    """
    z = float(ndtri(confidence)) * math.sqrt(variance)
    return math.ceil(((z + math.sqrt(z * z + 2 * edge)) / (2 * edge)) ** 2) if edge > 0 else math.inf


def verdict(low: ArrayLike, high: ArrayLike, rope: ArrayLike) -> NDArray[np.str_]:
    """``Verdict`` of intervals beside the region of practical equivalence -rope..rope, ends included.

    Wholly outside: changes. Wholly inside: real but negligible if it excludes 0, else practically the same.
    Across an end, even if it excludes 0 (does it matter?), or without an interval: undecided.
    """
    low, high, rope = np.asarray(low), np.asarray(high), np.asarray(rope)
    outside, inside = (low > rope) | (high < -rope), (low >= -rope) & (high <= rope)
    real = (low > 0) | (high < 0)
    return np.select([outside, inside & real, inside], list(Verdict)[:3], Verdict.UNDECIDED)


def games_to_settle(low: ArrayLike, high: ArrayLike, rope: ArrayLike, games: ArrayLike) -> Floats:
    """Games that would settle an undecided difference if the estimate stays where it is after ``games``.

    The half width falls as 1/sqrt(games) and must fit between the interval's middle and the nearer end of
    -rope..rope: a guide, for the estimate will move. inf on an end, nan without interval.
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    room, half = np.abs(np.abs(low + high) / 2 - rope), (high - low) / 2
    shrink = np.where(room == 0, np.inf, half / np.where(room == 0, 1.0, room))
    return np.where(verdict(low, high, rope) == "undecided", np.ceil(games * np.square(shrink)), games)
