"""Figures over what was varied, or over the keys of a metric: lines, heat maps, dots, precision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from reports import figures, words
from reports.charts import Chart, shown_cells, slug
from reports.curves import CURVES
from reports.findings import comparable, headlines
from reports.frames import each
from reports.load import Saved
from reports.plans import plan
from simcore.cells import Cell
from simcore.declare import Metric
from simcore.errors import plural
from simcore.stats import Verdict
from simcore.stopping import precision_from

LINE_CHARTS = 4
HEAT_MAPS = 2
LARGEST_GRID = 40


def ordered_factors(saved: Saved) -> Iterator[Chart]:
    """Yield lines over axes whose values are numbers, three or more."""
    drawn = 0
    for group in words.axis_groups(saved):
        numbers = _numbers(saved, group)
        if numbers is None:
            continue
        series = _series(saved, group)
        if not series:
            continue
        for metric in _telling(saved, 2 if drawn == 0 else 1):
            if drawn == LINE_CHARTS:
                return
            chart = _lines(saved, group[0], numbers, series, metric)
            if chart is not None:
                yield chart
                drawn += 1


def _numbers(saved: Saved, group: Sequence[str]) -> dict[str, float] | None:
    """Return the number that stands for each cell on an axis, or None if it has no numbers or too few."""
    if len(group) != 1:
        return None
    try:
        numbers = {name: float(cell.varied[group[0]]) for name, cell in saved.cells.items()}
    except ValueError:
        return None
    return numbers if len(set(numbers.values())) >= 3 else None


def _series(saved: Saved, group: Sequence[str]) -> dict[str, list[str]]:
    """Return lines: their labels, and the cells that differ in nothing but the axis; the first ones if many."""
    others = [other for other in words.axis_groups(saved) if other != list(group)]
    short = words.short_values(saved)

    def rest(cell: Cell) -> str:
        return ", ".join(f"{name}={short[name][cell.varied[name]]}" for other in others for name in other)

    found: dict[str, list[str]] = {}
    for name, cell in saved.cells.items():
        found.setdefault(rest(cell), []).append(name)
    long = {label: cells for label, cells in found.items() if len(cells) >= 3}
    return dict(list(long.items())[: CURVES + 1])


def _telling(saved: Saved, number: int) -> list[Metric]:
    """Return the metrics to be drawn over an axis: the game's length, and those with the largest effects."""
    wanted = [plan(saved.game.NAME).get("length", {}).get("metric", saved.game.LONGEST)]
    ordered = headlines(saved, comparable(saved))
    ordered = ordered[(ordered["by"] == "") & (ordered["verdict"] == Verdict.CHANGES)]
    names = list(dict.fromkeys([*wanted, *ordered["metric"]]))
    known = set(saved.estimates.loc[saved.estimates["by"] == "", "metric"])
    return [saved.metrics[name, ""] for name in names if name in known][: number + 1]


def _lines(
    saved: Saved, axis: str, numbers: dict[str, float], series: dict[str, list[str]], metric: Metric
) -> Chart | None:
    """Return the lines of a metric, or None if it never occurred in any of them."""
    unit = 100 if metric.rate else 1
    rows = saved.estimates[(saved.estimates["metric"] == metric.name) & (saved.estimates["by"] == "")]
    pieces = []
    for label, cells in series.items():
        here = rows[rows["cell"].isin(cells)]
        if not len(here):
            continue
        piece = pd.DataFrame({"label": label, "x": here["cell"].map(numbers)})
        for name in ("estimate", "low", "high"):
            piece[name] = here[name] * unit
        pieces.append(piece.sort_values("x", kind="stable"))
    if not pieces:
        return None
    frame = pd.concat(pieces, ignore_index=True)
    title = f"{words.capital(words.title(metric))} by {axis}"
    figure = figures.lines(frame, title, (axis, words.axis_label(metric)))
    told = [
        f"{label!s}: ".removeprefix(": ") + ", ".join(f"{row.x:g} {row.estimate:.3g}" for row in each(group))
        for label, group in frame.groupby("label", sort=False)
    ]
    others = len(words.axis_groups(saved)) > 1
    if words.is_one_at_a_time(saved):
        rest = " All other rules as in the baseline."
    elif others and sum(len(cells) for cells in series.values()) < len(numbers):
        rest = f" Shown: the first {plural(len(series), 'combination')} of the other values."
    else:
        rest = ""
    meaning = words.capital(metric.meaning.split(";")[0])
    caption = f"{meaning}, over {axis}, with 95 % intervals as ribbons.{rest}"
    alt = f"Lines of {words.axis_label(metric)} over {axis}. {'; '.join(told)}."
    return Chart(slug("factor", axis, metric.name), title, figure, caption, alt, ((metric.name, ""),))


def pairs(saved: Saved) -> Iterator[Chart]:
    """Yield heat maps of the first two axes, all others as in the baseline."""
    short = words.short_values(saved)
    groups = [group for group in words.axis_groups(saved) if len(_values(saved, group, short)) > 1]
    if len(groups) < 2 or words.is_one_at_a_time(saved):
        return
    rows, columns = groups[:2]
    fixed = [name for group in groups[2:] for name in group]
    base = saved.baseline.varied
    cells = [cell for cell in saved.cells.values() if all(cell.varied[name] == base[name] for name in fixed)]
    if max(len(_values(saved, group, short)) for group in (rows, columns)) > figures.LARGEST_MAP or len(cells) < 4:
        return
    for metric in _telling(saved, HEAT_MAPS - 1):
        yield _heat_map(saved, cells, rows, columns, metric, fixed)


def _value(cell: Cell, group: Sequence[str], short: dict[str, dict[str, str]]) -> str:
    return ":".join(short[name][cell.varied[name]] for name in group)


def _values(saved: Saved, group: Sequence[str], short: dict[str, dict[str, str]]) -> list[str]:
    return list(dict.fromkeys(_value(cell, group, short) for cell in saved.cells.values()))


def _heat_map(
    saved: Saved, cells: Sequence[Cell], rows: list[str], columns: list[str], metric: Metric, fixed: list[str]
) -> Chart:
    short = words.short_values(saved)
    index, heads = _values(saved, rows, short), _values(saved, columns, short)
    values = pd.DataFrame(np.nan, index=index, columns=heads, dtype=float)
    texts = pd.DataFrame("", index=index, columns=heads, dtype=object)
    undecided = pd.DataFrame(False, index=index, columns=heads, dtype=bool)
    names = words.labels(saved)
    found = _by_cell(saved.estimates, metric)
    verdicts = {cell: row.verdict for cell, row in _by_cell(saved.differences, metric).items()}
    told = []
    for cell in cells:
        if cell.id not in found:
            continue
        row = found[cell.id]
        at = (_value(cell, rows, short), _value(cell, columns, short))
        places = min(words.decimals(metric, row.low, row.high), 1 if metric.rate else 2)
        values.loc[at] = words.scaled(metric, row.estimate)
        text = words.plain(words.scaled(metric, row.estimate), places)
        texts.loc[at] = text
        undecided.loc[at] = verdicts.get(cell.id) == Verdict.UNDECIDED
        told.append(f"{names[cell.id]} {text}")
    factors = (":".join(rows), ":".join(columns))
    title = f"{words.capital(words.title(metric))} by {factors[0]} and {factors[1]}"
    figure = figures.heat_map(values, texts, undecided, title, factors, words.axis_label(metric))
    caption = f"{words.capital(words.axis_label(metric))}."
    if undecided.to_numpy().any():
        caption += " A small circle: whether the difference to the baseline matters is undecided."
    if fixed:
        caption += f" Other rules as in the baseline: {', '.join(f'{n}={saved.baseline.varied[n]}' for n in fixed)}."
    alt = f"Heat map of {words.axis_label(metric)}. {'; '.join(told)}."
    return Chart(slug("pair", *factors, metric.name), title, figure, caption, alt, ((metric.name, ""),))


def _by_cell(frame: pd.DataFrame, metric: Metric) -> dict[str, Any]:
    """Return the rows of a metric that is not split."""
    rows = frame[(frame["metric"] == metric.name) & (frame["by"] == "")]
    return {row.cell: row for row in each(rows)}


def shares(saved: Saved) -> Iterator[Chart]:
    """Yield the numbers that tell how dramatic a game is, a dot a rule set."""
    names = words.labels(saved)
    for name in plan(saved.game.NAME).get("shares", []):
        metric = saved.metrics.get((name, ""))
        if metric is None:
            continue
        found = _by_cell(saved.estimates, metric)
        cells = [cell for cell in shown_cells(saved, metric=name) if cell in found]
        if not cells:
            continue
        unit = 100 if metric.rate else 1
        rows = [found[cell] for cell in cells]
        frame = pd.DataFrame(
            {
                "label": [names[cell] for cell in cells],
                "estimate": [row.estimate * unit for row in rows],
                "low": [row.low * unit for row in rows],
                "high": [row.high * unit for row in rows],
            }
        )
        title = words.title(metric).capitalize()
        told = [f"{row.label} {row.estimate:.3g}" for row in each(frame)]
        caption = f"{words.capital(words.axis_label(metric))}, with 95 % intervals."
        alt = f"Dots with intervals: {words.axis_label(metric)}. {'; '.join(told)}."
        figure = figures.dots(frame, title, words.axis_label(metric))
        yield Chart(slug("share", name), title, figure, caption, alt, ((name, ""),))


def keyed(saved: Saved) -> Iterator[Chart]:
    """Yield metrics over the values of one key, such as rounds."""
    names = words.labels(saved)
    for wanted in plan(saved.game.NAME).get("keyed", []):
        name, _, by = wanted.partition(" by ")
        metric = saved.metrics.get((name, by))
        rows = saved.estimates[(saved.estimates["metric"] == name) & (saved.estimates["by"] == by)]
        if metric is None or not len(rows):
            continue
        cells = shown_cells(saved, CURVES, name)
        rows = rows[rows["cell"].isin(cells)]
        unit = 100 if metric.rate else 1
        frame = pd.DataFrame({"label": rows["cell"].map(names), "x": rows["key"].astype(float)})
        for column in ("estimate", "low", "high"):
            frame[column] = rows[column] * unit
        title = f"{words.capital(words.title(metric))} by {by}"
        fair = None
        if name in words.SHARES:
            part = unit / saved.baseline.rules.players
            fair = pd.DataFrame({"x": [frame["x"].min(), frame["x"].max()], "estimate": part})
        figure = figures.lines(frame, title, (by, words.axis_label(metric)), fair)
        told = [
            f"{label}: " + ", ".join(f"{row.x:g} {row.estimate:.3g}" for row in each(group))
            for label, group in frame.groupby("label", sort=False)
        ]
        caption = f"{words.capital(words.axis_label(metric))}, with 95 % intervals as ribbons."
        caption += " Dashed: an equal share in the baseline." if fair is not None else ""
        alt = f"Lines of {words.axis_label(metric)} over {by}. {'; '.join(told)}."
        yield Chart(slug("keyed", name, by), title, figure, caption, alt, ((name, by),))


def grids(saved: Saved) -> Iterator[Chart]:
    """Yield metrics over the values of two keys, for the baseline."""
    for wanted in plan(saved.game.NAME).get("grids", []):
        name, _, by = wanted.partition(" by ")
        metric = saved.metrics.get((name, by))
        rows = saved.estimates[
            (saved.estimates["metric"] == name)
            & (saved.estimates["by"] == by)
            & (saved.estimates["cell"] == saved.baseline.id)
        ]
        if metric is None or not len(rows):
            continue
        pair = rows["key"].str.split("+", expand=True).astype(int)
        table = rows.assign(row=pair[0], column=pair[1], shown=[words.scaled(metric, e) for e in rows["estimate"]])
        values = table.pivot(index="row", columns="column", values="shown").sort_index().sort_index(axis=1)
        values = values.iloc[:LARGEST_GRID, :LARGEST_GRID]
        is_large = max(values.shape) > figures.LARGEST_MAP
        texts = values.map(lambda value: f"{value:.0f}") if not is_large else values.map(lambda value: "")
        first, second = by.split("+")
        title = f"{words.capital(words.title(metric))} by {first} and {second}"
        figure = figures.heat_map(values, texts, values.isna(), title, (first, second), words.axis_label(metric))
        best = table.loc[table.groupby("column")["shown"].idxmax()]
        told = ", ".join(f"{second} {row.column}: {first} {row.row} ({row.shown:.3g})" for row in each(best))
        label = words.labels(saved)[saved.baseline.id]
        caption = f"{words.capital(words.axis_label(metric))}, with {label}. Best: {told}."
        alt = f"Heat map of {words.axis_label(metric)}, with {label}. Best {first} for each {second}: {told}."
        yield Chart(slug("grid", name), title, figure, caption, alt, ((name, by),))


def precision(saved: Saved) -> Iterator[Chart]:
    """Yield how estimates closed in, if the run stopped by itself."""
    looks = saved.looks
    if not len(looks):
        return
    names = words.labels(saved)
    rule = precision_from(saved.manifest.get("stopping"))
    targets = dict(rule.targets) if rule else {}
    for (name, by), rows in looks.groupby(["metric", "by"], sort=False):
        metric = saved.metrics[str(name), str(by)]
        unit = 100 if metric.rate else 1
        pieces = []
        for cell in shown_cells(saved, CURVES, str(name)):
            here = rows[rows["cell"] == cell]
            if not len(here):
                continue
            last = here[here["games"] == here["games"].max()]
            widest = last.iloc[int(np.argmax(last["half_width"].fillna(0)))]["key"]
            here = here[here["key"] == widest]
            part = words.part(str(by), str(widest))
            piece = pd.DataFrame({"label": f"{names[cell]}{', ' + part if part else ''}", "games": here["games"]})
            piece["estimate"] = here["estimate"] * unit
            piece["half_width"] = here["half_width"] * unit
            pieces.append(piece.sort_values("games", kind="stable"))
        if not pieces:
            continue
        frame = pd.concat(pieces, ignore_index=True)
        title = f"Precision of {words.title(metric)}"
        asked = targets[str(name)] * unit if name in targets else None
        figure = figures.precision(frame, asked, title, ", percentage points" if metric.rate else "")
        ends = frame.groupby("label", sort=False).tail(1)
        told = [f"{row.label}: {row.half_width:.2g} after {plural(row.games, 'game')}" for row in each(ends)]
        caption = (
            f"{words.capital(words.axis_label(metric))}: above, the estimate at each look less its last, with its "
            f"interval; below, the half width{f' (asked for: {asked:g})' if asked else ''}, at the end "
            f"{'; '.join(told)}."
        )
        alt = f"Estimates of {words.axis_label(metric)} against games. Half widths: {'; '.join(told)}."
        yield Chart(slug("precision", str(name)), title, figure, caption, alt, ((str(name), str(by)),))
