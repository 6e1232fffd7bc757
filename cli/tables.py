"""What commands show of cells: their rules in words, estimates and differences as tables and as JSON."""

from __future__ import annotations

import csv
import itertools
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.numbers import count, half_width, interval, plural
from cli.streams import Streams, Table
from simcore.cells import NONE
from simcore.declare import Metric, fields, plain, show
from simcore.errors import DataError, shorten
from simcore.folders import shell
from simcore.games import Game
from simcore.strategies import show_seats

if TYPE_CHECKING:
    from pathlib import Path

    from simcore.cells import Cell
    from simcore.results import Estimate

MANY = 12
"""Differences shown on the terminal."""

URGENT = ("changes", "undecided", "real but negligible", "practically the same")
"""Verdicts, those that one wants to know of first."""

MANY_CELLS = 40
"""Cells shown on the terminal."""

SEAT_WIDTH = 30
"""Letters of a seat's strategy in a table."""


def in_words(game: Game, cell: Cell) -> str:
    """Return the rules that differ from the defaults, and the strategy."""
    declared, usual = fields(game.Rules), game.Rules()
    changed = [
        f"{name}={show(field, getattr(cell.rules, name))}"
        for name, field in declared.items()
        if getattr(cell.rules, name) != getattr(usual, name)
    ]
    return f"{', '.join(changed) or 'rules at their defaults'}; strategy {seats_words(show_seats(cell.seats, True))}"


def seats_words(text: str) -> str:
    """Return the strategies of seats as people read them: ``keeper+random x3`` for four."""
    groups = [(name, len(list(same))) for name, same in itertools.groupby(text.split("+"))]
    return "+".join(name if number == 1 else f"{name} x{number}" for name, number in groups)


def varied_words(varied: Mapping[str, str]) -> str:
    """Return what a cell varies, without what it does not name."""
    shown = {name: seats_words(value) if name == "strategy" else value for name, value in varied.items()}
    return " ".join(f"{name}={value}" for name, value in shown.items() if value != NONE) or "-"


def cell_object(game: Game, cell: Cell) -> dict[str, Any]:
    """Return what a cell is, for --json."""
    return {
        "cell": cell.id,
        "varied": cell.varied,
        "rules": {name: plain(field, getattr(cell.rules, name)) for name, field in fields(game.Rules).items()},
        "strategies": [str(seat) for seat in cell.seats],
    }


def row_object(row: Any) -> dict[str, Any]:
    """Return a row of a csv file as an object with the same numbers."""
    return {
        name: float(f"{value:.10g}") if isinstance(value, float) and math.isfinite(value) else value
        for name, value in row._asdict().items()
    }


def csv_objects(path: Path, texts: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a csv file as objects, by cell; what is not named in `texts` is a number.

    Raises
    ------
    DataError
        If the file is damaged.
    """
    from simcore.store import read_csv

    kept = set(texts)
    found: dict[str, list[dict[str, Any]]] = {}
    try:
        for row in read_csv(path):
            found.setdefault(row["cell"], []).append(
                # Interned, as the same few texts come again in every row.
                {name: sys.intern(value) if name in kept else _number(value) for name, value in row.items()}
            )
    except (OSError, ValueError, KeyError, AttributeError, csv.Error) as error:
        raise DataError(
            f"'{path}' is damaged: {type(error).__name__}.",
            f"Remove it, and '{shell('sweep', '--resume', path.parent)}' writes it again.",
        ) from error
    return found


def _number(text: str) -> float | int | None:
    if text == "":
        return None
    return int(text) if text.lstrip("-").isdigit() else float(text)


ESTIMATE_TEXTS = ("cell", "metric", "by", "key")
DIFFERENCE_TEXTS = ("cell", "baseline", "metric", "by", "key", "verdict")


def key_words(by: str, key: str) -> str:
    """Return a key in words: ``seat 2``, ``seat 2, round 7``."""
    if not by:
        return ""
    return ", ".join(f"{name} {value}" for name, value in zip(by.split("+"), key.split("+"), strict=True))


def metrics_by_name(game: Game) -> dict[tuple[str, str], Metric]:
    """Return each metric by its name and its keys as the csv files have them."""
    return {(metric.name, "+".join(metric.by)): metric for metric in game.METRICS}


def is_first(name: str, by: Sequence[str]) -> bool:
    """Say whether a metric is one that is looked at first: who wins, and what is not split by seats or rounds."""
    return not by or name == "match_win"


def put_summary(streams: Streams, game: Game, cell: Cell, estimates: Sequence[Estimate]) -> None:
    """Write the win shares by seat, then the estimates that are looked at first, or all."""
    metrics = metrics_by_name(game)
    players = cell.rules.players
    wins, others, left_out = [], [], []
    for row in estimates:
        metric = metrics[row.metric, row.by]
        estimate, limits = interval(row.estimate, row.low, row.high, metric.rate)
        if row.metric == "match_win" and row.by == "seat":
            wins.append(
                (
                    f"seat {row.key}",
                    shorten(cell.seats[int(row.key) - 1].short, SEAT_WIDTH),
                    estimate,
                    limits,
                    f"{100 / players:.2f} %",
                )
            )
        elif not is_first(row.metric, metric.by) and not streams.verbose:
            left_out.append(row.by)
        else:
            others.append((row.metric, key_words(row.by, row.key), estimate, limits, count(row.n, 1_000_000)))
    streams.put_table(
        Table(("match_win", "strategy", "estimate", "95 % interval", "1/players"), wins, frozenset({2, 3, 4}))
    )
    streams.put()
    streams.put_table(Table(("metric", "of", "estimate", "95 % interval", "n"), others, frozenset({2, 3, 4})))
    say_more(streams, left_out)


def say_more(streams: Streams, left_out: Sequence[str]) -> None:
    """Say how many rows are not shown, by what they are split, and where they are; `left_out` has the keys of each."""
    if left_out:
        keys = list(dict.fromkeys(key for by in left_out if by for key in by.split("+")))
        split = " and ".join(filter(None, [", ".join(keys[:-1]), *keys[-1:]]))
        how = f", {'most ' if '' in left_out else ''}by {split}" if split else ""
        streams.say(f"{plural(len(left_out), 'more row')}{how}: -v shows them, --json has all.")


def wins_verdict(base: Cell, cell: Cell, rows: Sequence[dict[str, Any]]) -> str:
    """Return the most urgent of the verdicts on the seats' shares of wins."""
    if cell is base:
        return "the baseline"
    if cell.rules.players != base.rules.players:
        return "other players"
    found = {row["verdict"] for row in rows if row["metric"] == "match_win"}
    return next((verdict for verdict in URGENT if verdict in found), "-")


def put_cells(
    streams: Streams,
    cells: Sequence[Cell],
    games: Mapping[str, int],
    rows: Mapping[str, list[dict[str, Any]]],
    differences: Mapping[str, list[dict[str, Any]]],
) -> None:
    """Write one line a cell: its games, seat 1's share of wins, and whether the shares are those of the baseline."""
    shown = []
    for cell in cells if streams.verbose else cells[:MANY_CELLS]:
        wins = [row for row in rows.get(cell.id, []) if row["metric"] == "match_win"]
        first = next((row for row in wins if row["key"] == "1"), None)
        entries = ("-", "-")
        if first is not None:
            low, high = (math.nan if first[side] is None else first[side] for side in ("low", "high"))
            estimate, _ = interval(first["estimate"], low, high, True)
            entries = estimate, half_width((high - low) / 2)
        verdict = wins_verdict(cells[0], cell, differences.get(cell.id, []))
        shown.append((varied_words(cell.varied), count(games.get(cell.id, 0)), *entries, verdict))
    headers = ("cell", "games", "seat 1 wins", "95 %", "seats' wins")
    streams.put_table(Table(headers, shown, frozenset({1, 2, 3}), gives=0))
    if len(shown) < len(cells):
        streams.say(f"{plural(len(cells) - len(shown), 'more cell')}: -v shows them, --json has all.")


def put_differences(
    streams: Streams, game: Game, cells: Sequence[Cell], rows: Mapping[str, list[dict[str, Any]]]
) -> None:
    """Write the differences to the baseline that surely matter."""
    metrics = metrics_by_name(game)
    found = []
    for cell in cells:
        for row in rows.get(cell.id, []):
            metric = metrics.get((row["metric"], row["by"]))
            if metric is None or row["verdict"] != "changes" or "+" in row["by"] or row["low"] is None:
                continue
            half = (row["high"] - row["low"]) / 2
            found.append((abs(row["difference"]) / half if half else math.inf, metric, cell, row))
    if not found:
        streams.put("No difference to the baseline that surely matters.")
        return
    found.sort(key=lambda entry: -entry[0])
    # Of a metric by seat, one seat stands for all.
    clearest = {(metric.name, cell.id): entry for entry in reversed(found) for _, metric, cell, _ in [entry]}
    found = sorted(clearest.values(), key=lambda entry: -entry[0])
    shown = []
    for _, metric, cell, row in found[:MANY]:
        difference, limits = interval(row["difference"], row["low"], row["high"], metric.rate, signed=True)
        name = f"{row['metric']} {key_words(row['by'], row['key'])}".strip()
        shown.append((name, difference, limits, varied_words(cell.varied)))
    title = f"What surely changes against the baseline ({varied_words(cells[0].varied)}), clearest first"
    streams.put_table(Table(("metric", "difference", "interval", "cell"), shown, frozenset({1, 2}), title))
    if len(found) > MANY:
        streams.put(f"{len(found) - MANY:,} more, and those by other keys, are in differences.csv.")
