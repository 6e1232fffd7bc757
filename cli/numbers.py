"""Numbers as people read them: per cent for shares, as many digits as the interval supports."""

from __future__ import annotations

import math

from simcore.errors import plural as plural


def decimals(half_width: float) -> int:
    """Return how many decimals show two digits of a half width."""
    if not math.isfinite(half_width) or half_width <= 0:
        return 2
    return max(0, min(5, 1 - math.floor(math.log10(half_width))))


def interval(estimate: float, low: float, high: float, rate: bool, signed: bool = False) -> tuple[str, str]:
    """Return an estimate and its interval; shares in per cent (differences of them in points)."""
    factor, unit = (100, " pp" if signed else " %") if rate else (1, "")
    places = min(decimals((high - low) / 2 * factor), 4 if rate else 5)
    sign = "+" if signed else ""

    def shown(value: float) -> str:
        # Digits of what is exactly nought tell nothing.
        return "0" if value == 0 else f"{value * factor:{sign}.{places}f}"

    first = f"{shown(estimate)}{unit}" if math.isfinite(estimate) else "-"
    if not (math.isfinite(low) and math.isfinite(high)):
        return first, "-"
    return first, f"{shown(low)} to {shown(high)}"


def half_width(value: float, rate: bool = True) -> str:
    """Return a half width, of shares in percentage points."""
    if not math.isfinite(value):
        return "unknown"
    factor, unit = (100, " pp") if rate else (1, "")
    return f"±{value * factor:.2g}{unit}"


def seen_half_width(value: float, rate: bool) -> str:
    """Return a half width that was reached, where the digits of a tiny one tell nothing."""
    least = 0.001 if rate else 0.0001
    if 0 < value * (100 if rate else 1) < least:
        return f"<{least:g}{' pp' if rate else ''}"
    return half_width(value, rate)


def count(number: float, exact_below: float = 10_000_000) -> str:
    """Return a number of games: exact while that is short."""
    if number < exact_below:
        return f"{number:,.0f}"
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M")):
        if number >= size:
            return f"{number / size:.4g}{unit}"
    raise AssertionError(number)


def short_count(number: float) -> str:
    """Return about how many games, in two digits: ``3.1M``."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.2g}{unit}" if number < 99.5 * size else f"{number / size:.0f}{unit}"
    return f"{number:.0f}"


def count_games(number: float) -> str:
    """Return a number of games with its noun."""
    return f"{count(number)} game{'' if number == 1 else 's'}"


def not_enough(games: int) -> str:
    """Say of the most games that they did not do."""
    return f"{count_games(games)} {'was' if games == 1 else 'were'} not enough"


def duration(seconds: float) -> str:
    """Return a time in one or two units."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 48 * 3600:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole / 86400:.1f} days"
