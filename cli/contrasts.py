"""What `shipsim compare` shows: sentences, a table a compared cell, and JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cli.numbers import count_games, decimals, half_width, plural
from cli.operands import NONE
from cli.streams import Streams, width, wrapped
from cli.tables import cell_object, key_words, row_object, varied_words
from simcore.games import Game

if TYPE_CHECKING:
    from simcore.cells import Cell
    from simcore.deciding import Comparison
    from simcore.results import Contrast

URGENT = ("changes", "undecided", "real but negligible", "practically the same")
"""Verdicts, those that one wants to know of first."""

MORE = 2
"""Metrics that change, besides the important ones, of which a sentence tells."""


def _number(value: float, half: float, rate: bool, unit: bool = True, sign: str = "+") -> str:
    factor = 100 if rate else 1
    places = min(decimals(half * factor), 4 if rate else 5)
    suffix = ("pp" if sign else " %") if rate and unit else ""
    # A difference that rounds to nought has no sign.
    text = f"{value * factor:{sign}.{places}f}"
    return (f"{0:.{places}f}" if float(text) == 0 else text) + suffix


def _texts(found: Contrast) -> tuple[str, str]:
    """Return a difference and its interval."""
    row, rate = found.row, found.metric.rate
    half = (row.high - row.low) / 2
    if not math.isfinite(half):
        return _number(row.difference, 0, rate), "-"
    low, high = (_number(end, half, rate, unit=False) for end in (row.low, row.high))
    return _number(row.difference, half, rate), f"{low}..{high}"


def _short(games: float) -> str:
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if games >= size:
            return f"{games / size:.2g}{unit}" if games < 99.5 * size else f"{games / size:.0f}{unit}"
    return f"{games:.0f}"


def _settle(found: Contrast, long: bool) -> str:
    """Return a verdict in words, with the games that would settle what is undecided."""
    games = found.games_to_settle
    if found.row.verdict != "undecided" or math.isnan(games):
        return found.row.verdict
    if not long:
        return f"undecided ({_short(games)})" if games < 1e15 else "undecided (never)"
    if games >= 1e15:
        return "undecided; it lies on the very edge of what matters, so no number of games will settle it"
    return f"undecided; about {_short(games)} games would settle it"


def _label(found: Contrast) -> str:
    return f"{found.row.metric} {key_words(found.row.by, found.row.key)}".strip()


def _sentence(found: Contrast, note: str = "") -> str:
    difference, limits = _texts(found)
    rate, half = found.metric.rate, (found.row.high - found.row.low) / 2
    new, old = (_number(value, half, rate, sign="") for value in (found.estimate, found.baseline))
    same = ", and the same in every block" if found.is_identical else ""
    return f"{_label(found)}{note}: {new} instead of {old}, {difference} ({limits}): {_settle(found, True)}{same}."


def sentences(game: Game, rows: Sequence[Contrast]) -> list[str]:
    """Return what matters most about a compared cell: who wins, how long it takes, how often it gets stuck."""
    said = []
    important = ["match_win", *([game.LONGEST] if game.LONGEST else []), "stalemate", "no_winner"]
    for name in important:
        found = [row for row in rows if row.row.metric == name]
        if all(row.is_identical and row.estimate == 0 for row in found):
            continue
        most = min(found, key=lambda row: (URGENT.index(row.row.verdict), -abs(row.row.difference)))
        said.append(_sentence(most, f", which differs most of {len(found)}" if len(found) > 1 else ""))
    clear = [row for row in rows if row.row.verdict == "changes" and row.row.metric not in important]
    clear.sort(key=lambda row: -abs(row.row.difference) / (row.row.high - row.row.low or math.inf))
    told: dict[str, Contrast] = {}
    for row in clear:
        told.setdefault(row.row.metric, row)
    said += [_sentence(row) for row in list(told.values())[:MORE]]
    return said


def _cut(label: str, room: int) -> list[str]:
    """Return a label in lines of at most so many letters, broken after underscores and spaces."""
    lines = []
    while len(label) > room:
        place = max(label.rfind("_", 0, room), label.rfind(" ", 0, room)) + 1 or room
        lines.append(label[:place].rstrip())
        label = f" {label[place:]}"
    return [*lines, label]


def table(rows: Sequence[Contrast]) -> list[str]:
    """Return the lines of the table of a compared cell, the verdict last."""
    entries = [("metric", "change", "interval", "rho", "ratio", "verdict")]
    for found in rows:
        rho, ratio = found.row.rho, found.row.variance_ratio
        shown = "-" if math.isnan(ratio) else f"{ratio:.2f}" if ratio >= 0.095 or ratio == 0 else f"{ratio:.1g}"
        entries.append(
            (_label(found), *_texts(found), "-" if math.isnan(rho) else f"{rho:.2f}", shown, _settle(found, False))
        )
    widths = [max(len(entry[place]) for entry in entries) for place in range(6)]
    over = sum(widths) + 10 - width()
    gap = "  " if over <= 0 else " "
    room = max(12, widths[0] - max(0, over - 5))
    lines = []
    for label, *numbers, verdict in entries:
        *above, last = _cut(label, room)
        lines += above
        middle = (text.rjust(size) for text, size in zip(numbers, widths[1:5], strict=True))
        lines.append(gap.join((last.ljust(min(room, widths[0])), *middle, verdict)).rstrip())
    return lines


def ropes_of(contrasts: Sequence[Sequence[Contrast]]) -> dict[str, tuple[float, bool]]:
    """Return the widest region of practical equivalence of each metric, and whether it is a rate's."""
    found: dict[str, tuple[float, bool]] = {}
    for row in (row for rows in contrasts for row in rows):
        widest = max(row.rope, found.get(row.row.metric, (0.0, False))[0])
        found[row.row.metric] = widest, row.metric.rate
    return found


def put_ropes(streams: Streams, comparison: Comparison, contrasts: Sequence[Sequence[Contrast]]) -> None:
    """Write up to where differences do not matter: all rates alike, the means one by one."""
    from simcore.results import NEGLIGIBLE_RATE

    parts = [f"shares {half_width(NEGLIGIBLE_RATE)}"]
    for name, (rope, rate) in ropes_of(contrasts).items():
        if not rate or rope != NEGLIGIBLE_RATE:
            parts.append(f"{name} {half_width(rope, rate)}")
    streams.put(wrapped(f"Too small to matter: {', '.join(parts)}. (--rope METRIC=VALUE sets another.)"))


def put_intervals(streams: Streams, comparison: Comparison) -> None:
    """Write what the intervals are, and what the columns mean."""
    from simcore.results import TUNED_FOR

    number = comparison.together
    if comparison.is_sequence:
        text = (
            f"Intervals: a 95 % confidence sequence, narrowest at {count_games(TUNED_FOR)}, which holds at all looks "
            f"together; Bonferroni over {plural(number, 'row')}."
        )
    elif number > 1:
        text = f"Intervals: 95 %, paired by block, {number:,} of them together (Bonferroni)."
    else:
        text = "Intervals: 95 %, paired by block."
    streams.put(
        wrapped(
            f"{text} rho: correlation of the two cells; ratio: variance of the difference over that of unpaired "
            "games, so 1 if pairing gained nothing. Undecided: in brackets the games that would settle it."
        )
    )


def title_words(cell: Cell, base: Cell) -> tuple[str, str]:
    """Return what two cells vary, only where they are not alike."""
    names = [name for name, value in cell.varied.items() if value != base.varied[name]]
    here, there = (
        " ".join(f"{name}={own.varied[name]}" for name in names if own.varied[name] != NONE) for own in (cell, base)
    )
    return here or varied_words(cell.varied), there or varied_words(base.varied)


def put_contrasts(
    streams: Streams, game: Game, comparison: Comparison, contrasts: Sequence[Sequence[Contrast]]
) -> None:
    """Write sentences and a table for each compared cell, then what both mean."""
    base = comparison.cells[0]
    for place, (cell, every) in enumerate(zip(comparison.cells[1:], contrasts, strict=True)):
        rows = [row for row in every if streams.verbose or len(row.metric.by) <= 1]
        if place:
            streams.put()
        title = " against ".join(title_words(cell, base))
        if not rows:
            streams.put(wrapped(f"{title}: too few games to compare.", later="  "))
            continue
        pairing = "paired" if base.rules.players == cell.rules.players else "independent: other players"
        streams.put(wrapped(f"{title}: {count_games(rows[0].games)} each, {pairing}", later="  "))
        if all(row.is_identical for row in every):
            streams.put("  Not one game differs: all metrics have the same sums in every block.")
            if not streams.verbose:
                continue
        for text in sentences(game, rows):
            streams.put(wrapped(f"- {text}", "  ", "    "))
        streams.put()
        streams.put("\n".join(table(rows)))
    streams.put()
    put_ropes(streams, comparison, contrasts)
    put_intervals(streams, comparison)


def contrast_object(found: Contrast) -> dict[str, Any]:
    """Return a row of differences, for --json."""
    more = {
        "baseline_estimate": found.baseline,
        "estimate": found.estimate,
        "rope": found.rope,
        "games": found.games,
        "games_to_settle": found.games_to_settle,
    }
    numbers = {name: float(f"{value:.10g}") if math.isfinite(value) else None for name, value in more.items()}
    return {
        **row_object(found.row),
        **numbers,
        "games": found.games,
        "identical": found.is_identical,
    }


def contrast_objects(
    game: Game, comparison: Comparison, contrasts: Sequence[Sequence[Contrast]]
) -> list[dict[str, Any]]:
    """Return the compared cells, each with all its differences, for --json."""
    from simcore.deciding import games_to_settle, simple_rows

    found = []
    for cell, rows in zip(comparison.cells[1:], contrasts, strict=True):
        settled = games_to_settle(simple_rows(rows))
        found.append(
            {
                **cell_object(game, cell),
                "baseline": comparison.cells[0].id,
                "games": rows[0].games if rows else 0,
                "paired": cell.rules.players == comparison.cells[0].rules.players,
                "identical": bool(rows) and all(row.is_identical for row in rows),
                "games_to_settle": settled if math.isfinite(settled) else None,
                "differences": [contrast_object(row) for row in rows],
            }
        )
    return found
