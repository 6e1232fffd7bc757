"""Puts numbers and names into words: the same in findings, captions, tables and alt texts."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from reports.load import Saved
from simcore.cells import Cell, named
from simcore.declare import Metric
from simcore.errors import shorten
from simcore.stats import Verdict

MAX_DECIMALS = 4
LABEL_WIDTH = 60
"""Letters of a rule set's name; where one is longer, names tell only what is not as in the baseline."""
MAX_LABEL = 110
"""Letters of such a name."""
VALUE_WIDTH = 36
"""Letters of a varied value; longer ones get a number, which the page explains."""
SHARES = ("match_win", "round_win")
"""Metrics of which everybody's fair part is 1 / players, so that other players alone change them."""

GAINS = {True: "more", False: "less"}


def decimals(metric: Metric, low: float, high: float) -> int:
    """Return as many decimals as the width of an interval deserves: one digit of its half."""
    half = (high - low) / 2 * (100 if metric.rate else 1)
    if not half > 0 or not math.isfinite(half):
        return 1 if metric.rate else 2
    return min(max(-math.floor(math.log10(half)), 0), MAX_DECIMALS)


def plain(number: float, places: int) -> str:
    """Return a number with so many decimals, and no minus before zero."""
    return f"{round(number, places) + 0.0:.{places}f}"


def scaled(metric: Metric, number: float) -> float:
    """Return a number in the unit that is shown: rates in per cent."""
    return 100 * number if metric.rate else number


def amount(metric: Metric, number: float, places: int) -> str:
    """Return an estimate: ``24.6 %`` or ``6.20``."""
    return plain(scaled(metric, number), places) + (" %" if metric.rate else "")


def interval(metric: Metric, low: float, high: float, places: int) -> str:
    """Return an interval in brackets, without the unit."""
    return bracket(scaled(metric, low), scaled(metric, high), places)


def bracket(low: float, high: float, places: int) -> str:
    """Return two numbers in brackets, or that there is no interval."""
    if math.isnan(low) or math.isnan(high):
        return "[no interval]"
    return f"[{plain(low, places)}, {plain(high, places)}]"


def more_or_less(metric: Metric, difference: float, places: int) -> str:
    """Return a difference in words: ``2.5 points less``."""
    size = plain(abs(scaled(metric, difference)), places)
    if float(size) == 0:
        return "no more and no less" if difference == 0 else f"less than {plain(10.0**-places, places)} apart"
    return f"{points(size) if metric.rate else size} {GAINS[difference > 0]}"


def points(number: str) -> str:
    """Return a number of percentage points with its noun."""
    return f"{number} {'point' if number in ('1', '-1') else 'points'}"


def limit(metric: Metric, rope: float) -> str:
    """Return up to where a difference does not matter, in two digits: ``0.5 points``."""
    size = scaled(metric, rope)
    places = min(max(1 - math.floor(math.log10(size)), 0), MAX_DECIMALS) if size > 0 else 0
    shown = plain(size, places)
    shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
    return points(shown) if metric.rate else shown


def known(verdict: str, low: float, high: float, most: str) -> str:
    """Return what is sure although the verdict does not say so: that there is a difference; else nothing.

    `low` and `high` are its interval, `most` is up to where a difference does not matter.
    """
    if not (low > 0 or high < 0):
        return ""
    return {
        str(Verdict.NEGLIGIBLE): f"There is a difference, but smaller than what matters ({most}).",
        str(Verdict.UNDECIDED): f"There is a difference; whether it is large enough to matter ({most}) is open.",
    }.get(verdict, "")


def part(by: str, key: str) -> str:
    """Return which part of a metric is meant: ``seat 2``, ``seat 2, round 7``, ``clubs``; nothing if all."""
    if not by:
        return ""
    pairs = zip(by.split("+"), key.split("+"), strict=False)
    return ", ".join(f"{name} {label}" if label.lstrip("-").isdigit() else label for name, label in pairs)


def axis_label(metric: Metric, difference: bool = False) -> str:
    """Return what an axis shows, with its unit."""
    meaning = metric.meaning.split(";")[0]
    if difference:
        return f"difference in {'percentage points: ' if metric.rate else ''}{meaning}"
    return f"{meaning}, per cent" if metric.rate else meaning


def title(metric: Metric) -> str:
    """Return a metric's name for people."""
    return metric.name.replace("_", " ")


def capital(text: str) -> str:
    """Return a text with a capital letter in front; other letters stay as they are."""
    return text[:1].upper() + text[1:]


def listed(texts: Sequence[str]) -> str:
    """Return texts as a list in words."""
    return " and ".join(text for text in (", ".join(texts[:-1]), texts[-1]) if text) if texts else ""


def axis_groups(saved: Saved) -> list[list[str]]:
    """Return the varied names, those that move together in one list."""
    varied = list(saved.baseline.varied)
    axes: Any = saved.manifest.get("axes")
    try:
        # The command line saves its own words beside the names, the library names alone.
        groups = [list(axis["names"] if isinstance(axis, dict) else axis) for axis in axes]
        if sorted(name for group in groups for name in group) == sorted(varied):
            return groups
    except (TypeError, KeyError):
        pass
    return [[name] for name in varied]


def changed(saved: Saved, cell: Cell, other: Cell | None = None) -> list[list[str]]:
    """Return the axes on which a cell is not as another, or as the baseline."""
    base = (other or saved.baseline).varied
    return [group for group in axis_groups(saved) if any(cell.varied[name] != base[name] for name in group)]


def is_one_at_a_time(saved: Saved) -> bool:
    """Whether there are several axes, and each cell differs from the baseline on one only."""
    others = [cell for cell in saved.cells.values() if cell is not saved.baseline]
    return len(axis_groups(saved)) > 1 and all(len(changed(saved, cell)) == 1 for cell in others)


def short_values(saved: Saved) -> dict[str, dict[str, str]]:
    """Return for each varied name its values as labels show them: long ones by their beginning and a number."""
    found: dict[str, dict[str, str]] = {}
    for name in saved.baseline.varied:
        values = dict.fromkeys(cell.varied[name] for cell in saved.cells.values())
        found[name] = {value: _short(value, i, name == "strategy") for i, value in enumerate(values, 1)}
    return found


def _short(value: str, number: int, is_seats: bool) -> str:
    if is_seats and len(value) > VALUE_WIDTH:
        runs = [(text, len(list(same))) for text, same in itertools.groupby(value.split("+"))]
        value = "+".join(text if times == 1 else f"{text} x{times}" for text, times in runs)
    if len(value) <= VALUE_WIDTH:
        return value
    # A user's own strategy is known by its file and its name.
    own = re.match(r"[^+]*\.py:\w+", value)
    return f"{own[0] if own else re.split(r'[:+/]', value)[0][: VALUE_WIDTH - 8]}...#{number}"


def labels(saved: Saved) -> dict[str, str]:
    """Return a name for each cell: what is varied.

    Of single changes, and where names would become long, it is only what is not as in the baseline.
    """
    short = short_values(saved)

    def text_of(cell: Cell, is_whole: bool) -> str:
        if not is_whole and cell is saved.baseline:
            return "the baseline"
        names = list(cell.varied) if is_whole else [name for group in changed(saved, cell) for name in group]
        return named({name: short[name][cell.varied[name]] for name in names})

    whole = [text_of(cell, True) for cell in saved.cells.values()]
    is_single = is_one_at_a_time(saved) and len(saved.cells) > 1
    is_long = len(axis_groups(saved)) > 1 and max(map(len, whole)) > LABEL_WIDTH
    found = {cell.id: shorten(text_of(cell, not (is_single or is_long)), MAX_LABEL) for cell in saved.cells.values()}
    # What shortening made equal is told apart by the ids.
    counted = Counter(found.values())
    return {
        name: text if counted[text] == 1 else f"{shorten(text, MAX_LABEL - 11)} ({name[-8:]})"
        for name, text in found.items()
    }
