"""Bounds of rates, rare events and paired wins, and at many looks; `stats` says which of them is used when."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, gammaincinv, lambertw, ndtri

Floats = NDArray[np.float64]
Bounds = tuple[Floats, Floats]


def simultaneous(confidence: float, comparisons: int) -> float:
    """Level of each of several intervals that hold together with ``confidence`` (Bonferroni)."""
    if not 0 < confidence < 1 or comparisons < 1:
        raise ValueError(f"need 0 < confidence < 1 <= comparisons, got {confidence} and {comparisons}")
    return 1 - (1 - confidence) / comparisons


def wilson(events: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> Bounds:
    """Wilson's score interval of a rate (JASA 22, 1927); events and n may be fractions; nan if n is 0."""
    n = np.where(np.asarray(n) > 0, n, np.nan)
    rate, z2 = np.asarray(events) / n, ndtri(0.5 + confidence / 2) ** 2
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (np.maximum(rate * (1 - rate), 0) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # at rates 0 and 1 rounding leaves 1e-18: hold on to the rate, which the interval contains
    return np.maximum(np.minimum(centre - half, rate), 0), np.minimum(np.maximum(centre + half, rate), 1)


def clopper_pearson(events: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> Bounds:
    """Conservative interval of a rate (Biometrika 26, 1934) by beta quantiles: events may be fractions."""
    events, n, tail = np.asarray(events, dtype=np.float64), np.asarray(n), (1 - confidence) / 2
    low = np.where(events > 0, betaincinv(events, n - events + 1, tail), 0.0)
    high = np.where(events < n, betaincinv(events + 1, n - events, 1 - tail), 1.0)
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def poisson_interval(events: ArrayLike, confidence: float = 0.95) -> Bounds:
    """Exact interval of the mean of a Poisson count (Garwood, Biometrika 28, 1936)."""
    events, tail = np.asarray(events, dtype=np.float64), (1 - confidence) / 2
    low = np.where(events > 0, gammaincinv(np.maximum(events, 1), tail), 0.0)
    return low, np.asarray(gammaincinv(events + 1, 1 - tail))


def weighted_poisson(parts: ArrayLike, unseen: ArrayLike, confidence: float = 0.95) -> Bounds:
    """Interval, each (K,), of the sum over (B, K) sizes of rare events (Fay and Feuer, Stat. Med. 16, 1997).

    ``unseen`` (K,) is the size that one more may have. Sizes all alike: ``poisson_interval`` of their number, times
    the size.
    """
    parts, unseen, tail = np.asarray(parts, np.float64), np.asarray(unseen, np.float64), (1 - confidence) / 2
    total, squares = parts.sum(axis=0), np.square(parts).sum(axis=0)
    one = np.where(total > 0, squares / np.where(total > 0, total, 1.0), unseen)  # of as many alike
    low = np.where(total > 0, one * gammaincinv(np.where(total > 0, total / one, 1.0), tail), 0.0)
    one = (squares + np.square(unseen)) / (total + unseen)
    return low, one * np.asarray(gammaincinv((total + unseen) / one, 1 - tail))


def gain_and_loss(parts: Floats, unseen: Floats, confidence: float = 0.95) -> Bounds:
    """Interval of the sum over (B, K) sizes of rare events either way: gains and losses are independent."""
    sides = np.maximum(parts, 0), np.maximum(-parts, 0)
    gained, lost = (weighted_poisson(side, unseen, confidence) for side in sides)
    return square_and_add(sides[0].sum(axis=0), gained, sides[1].sum(axis=0), lost)


def bonett_price(gained: ArrayLike, lost: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> Bounds:
    """Interval of (gained - lost) / n for paired rates (Bonett and Price, J. Educ. Behav. Stat. 37, 2012)."""
    # one more of each, so that pairs which never differ do not give a single point
    size, gained, lost = np.asarray(n) + 2.0, np.asarray(gained) + 1.0, np.asarray(lost) + 1.0
    centre = (gained - lost) / size
    se = np.sqrt(np.maximum((gained + lost) / size - np.square(centre), 0) / size)
    half = ndtri(0.5 + confidence / 2) * se
    return centre - half, centre + half


def square_and_add(a: Floats, bounds_a: Bounds, b: Floats, bounds_b: Bounds) -> Bounds:
    """Interval of a - b from those of independent a and b: as far as both ends are from their estimates, squared.

    Newcombe (Stat. Med. 17, 1998) for rates; for any (MOVER) Zou and Donner (Stat. Med. 27, 2008).
    """
    (low_a, high_a), (low_b, high_b), gap = bounds_a, bounds_b, a - b
    return gap - np.hypot(a - low_a, high_b - b), gap + np.hypot(high_a - a, b - low_b)


def confidence_sequence(
    n: ArrayLike, mean: ArrayLike, variance: ArrayLike, tuned_for: float, alpha: float = 0.05
) -> Bounds:
    """Low and high that hold at all looks together, so that a run may stop whenever they decide.

    sqrt(v) sqrt(2 (n r + 1) / (n^2 r) log(sqrt(n r + 1) / alpha)), the normal mixture of Waudby-Smith,
    Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences"
    (Ann. Stat. 52, 2024; arXiv 2103.06476). r = (-W(-alpha^2 / e) - 1) / tuned_for, W the lower branch of
    Lambert's function, makes it narrowest at ``tuned_for`` observations. ``variance`` is that of one; for
    results from blocks take the games as n and games se^2 (only n / tuned_for and variance / n matter). With
    several comparisons divide alpha by their number.
    """
    n = np.asarray(n, dtype=np.float64)
    spread = (-float(lambertw(-(alpha**2) / math.e, -1).real) - 1) / tuned_for * n + 1
    half = np.sqrt(np.asarray(variance) / n * 2 * spread / (spread - 1) * np.log(np.sqrt(spread) / alpha))
    return np.asarray(mean) - half, np.asarray(mean) + half
