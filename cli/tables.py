"""What commands show of cells: their rules in words, estimates and differences as tables and as JSON."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cli.numbers import count, half_width, interval
from cli.streams import Streams, Table
from simcore.declare import Metric, fields, plain, show
from simcore.errors import DataError
from simcore.games import Game
from simcore.strategies import show_seats

if TYPE_CHECKING:
    from pathlib import Path

    from simcore.cells import Cell
    from simcore.results import Estimate

MANY = 12
"""Differences shown on the terminal."""


def in_words(game: Game, cell: Cell) -> str:
    """Return the rules that differ from the defaults, and the strategy."""
    declared, usual = fields(game.Rules), game.Rules()
    changed = [
        f"{name}={show(field, getattr(cell.rules, name))}"
        for name, field in declared.items()
        if getattr(cell.rules, name) != getattr(usual, name)
    ]
    return f"{', '.join(changed) or 'rules at their defaults'}; strategy {show_seats(cell.seats, short=True)}"


def varied_words(varied: Mapping[str, str]) -> str:
    """Return what a cell varies."""
    return " ".join(f"{name}={value}" for name, value in varied.items()) or "-"


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
                {name: value if name in kept else _number(value) for name, value in row.items()}
            )
    except (OSError, ValueError, KeyError, AttributeError, csv.Error) as error:
        raise DataError(
            f"'{path}' is damaged: {type(error).__name__}.",
            f"Remove it, and 'shipsim sweep --resume {path.parent}' writes it again.",
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


def put_summary(streams: Streams, game: Game, cell: Cell, estimates: Sequence[Estimate]) -> None:
    """Write the win shares by seat, then all other estimates."""
    metrics = metrics_by_name(game)
    players = cell.rules.players
    wins, others, left_out = [], [], 0
    for row in estimates:
        metric = metrics[row.metric, row.by]
        estimate, limits = interval(row.estimate, row.low, row.high, metric.rate)
        if row.metric == "match_win" and row.by == "seat":
            wins.append(
                (f"seat {row.key}", cell.seats[int(row.key) - 1].short, estimate, limits, f"{100 / players:.2f} %")
            )
        elif "+" in row.by and not streams.verbose:
            left_out += 1
        else:
            others.append((row.metric, key_words(row.by, row.key), estimate, limits, count(row.n, 1_000_000)))
    streams.put_table(
        Table(("match_win", "strategy", "estimate", "95 % interval", "1/players"), wins, frozenset({2, 3, 4}))
    )
    streams.put()
    streams.put_table(Table(("metric", "of", "estimate", "95 % interval", "n"), others, frozenset({2, 3, 4})))
    if left_out:
        streams.say(f"{left_out:,} rows with two keys are left out: -v shows them.")


def put_cells(
    streams: Streams, cells: Sequence[Cell], games: Mapping[str, int], rows: Mapping[str, list[dict[str, Any]]]
) -> None:
    """Write one line a cell: its games, and seat 1's share of wins."""
    shown = []
    for cell in cells:
        wins = [row for row in rows.get(cell.id, []) if row["metric"] == "match_win"]
        first = next((row for row in wins if row["key"] == "1"), None)
        entries = ("-", "-")
        if first is not None:
            low, high = (math.nan if first[side] is None else first[side] for side in ("low", "high"))
            estimate, _ = interval(first["estimate"], low, high, True)
            entries = estimate, half_width((high - low) / 2)
        shown.append((count(games.get(cell.id, 0)), *entries, varied_words(cell.varied)))
    streams.put_table(Table(("games", "seat 1 wins", "95 %", "cell"), shown, frozenset({0, 1, 2})))


def put_differences(
    streams: Streams, game: Game, cells: Sequence[Cell], rows: Mapping[str, list[dict[str, Any]]]
) -> None:
    """Write the differences to the baseline that matter most."""
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
