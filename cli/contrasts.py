"""What `shipsim compare` shows: a table a compared cell, findings, and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.findings import put_findings
from cli.numbers import count_games, decimals, half_width, plural, short_count
from cli.streams import Streams, width, wrapped
from cli.tables import cell_object, is_first, key_words, row_object, say_more, varied_words
from simcore.cells import NONE
from simcore.games import Game

if TYPE_CHECKING:
    from simcore.cells import Cell
    from simcore.deciding import Comparison
    from simcore.results import Contrast
    from simcore.tally import Tally


FEW = 4
"""Compared cells with a table of everything that is looked at first."""


def _number(value: float, half: float, rate: bool, unit: bool = True) -> str:
    factor = 100 if rate else 1
    places = min(decimals(half * factor), 4 if rate else 5)
    suffix = "pp" if rate and unit else ""
    # A difference that rounds to nought has no sign.
    text = f"{value * factor:+.{places}f}"
    return (f"{0:.{places}f}" if float(text) == 0 else text) + suffix


def _texts(found: Contrast) -> tuple[str, str]:
    """Return a difference and its interval."""
    row, rate = found.row, found.metric.rate
    half = (row.high - row.low) / 2
    if not math.isfinite(half):
        return _number(row.difference, 0, rate), "-"
    low, high = (_number(end, half, rate, unit=False) for end in (row.low, row.high))
    return _number(row.difference, half, rate), f"{low}..{high}"


def _settle(found: Contrast) -> str:
    """Return a verdict, with the games that would settle what is undecided."""
    from simcore.results import FAR

    games = found.games_to_settle
    if found.row.verdict != "undecided" or math.isnan(games):
        return found.row.verdict
    return f"undecided ({short_count(games)})" if games < FAR * found.games else "undecided (border)"


def _label(found: Contrast) -> str:
    return f"{found.row.metric} {key_words(found.row.by, found.row.key)}".strip()


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
        entries.append((_label(found), *_texts(found), "-" if math.isnan(rho) else f"{rho:.2f}", shown, _settle(found)))
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
    from simcore.results import FAR

    streams.put(
        wrapped(
            f"{text} rho: correlation of the two cells; ratio: variance of the difference over that of unpaired "
            "games, so 1 if pairing gained nothing. Undecided: in brackets the games that would settle it; "
            f"border: over {FAR} times as many, for it looks as large as what begins to matter."
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
    streams: Streams,
    game: Game,
    comparison: Comparison,
    contrasts: Sequence[Sequence[Contrast]],
    tallies: Mapping[str, Tally],
) -> None:
    """Write a table for each compared cell, what its numbers mean, and the findings of all.

    Rows are those that are looked at first, what was asked about and what the findings quote, or all; of many cells
    who wins and how long it takes.
    """
    from reports.load import unsaved
    from reports.sentences import find

    told = find(unsaved(game, comparison.cells, tallies, contrasts))
    quoted = {row for finding in told for row in finding.rows}
    base = comparison.cells[0]
    is_brief = len(contrasts) > FEW
    asked = {*comparison.ropes, *(comparison.stop.targets if comparison.stop else ())}
    shown: list[list[Contrast]] = []
    left_out: list[str] = []
    for cell, every in zip(comparison.cells[1:], contrasts, strict=True):
        title = " against ".join(title_words(cell, base))
        if not every:
            streams.put(wrapped(f"{title}: too few games to compare.", later="  "))
            continue
        pairing = "paired" if base.rules.players == cell.rules.players else "independent: other players"
        streams.put(wrapped(f"{title}: {count_games(every[0].games)} each, {pairing}", later="  "))
        if all(row.is_identical for row in every):
            streams.put("  Not one game differs: all metrics have the same sums in every block.")
            if not streams.verbose:
                streams.put()
                continue
        rows = []
        for row in every:
            name = row.row.metric
            is_shown = name in ("match_win", game.LONGEST) if is_brief else is_first(name, row.metric.by)
            if streams.verbose or is_shown or name in asked or row.row[:5] in quoted:
                rows.append(row)
            else:
                left_out.append(row.row.by)
        shown.append(rows)
        streams.put("\n".join(table(rows)))
        streams.put()
    say_more(streams, left_out)
    put_ropes(streams, comparison, shown or contrasts)
    put_intervals(streams, comparison)
    if shown:
        put_findings(streams, told)


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
