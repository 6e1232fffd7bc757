"""Chooses the figures that a run's data support, and writes what stands below each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reports import figures, silent, words
from reports.baselines import against, exceptions
from reports.findings import comparable, headlines
from reports.frames import each
from reports.load import Saved
from simcore.declare import Metric
from simcore.stats import Verdict

MANY_CELLS = 60
"""Above it only the cells with the largest effects are shown."""
SHOWN = 20
PANELS = 12
FORESTS = 6
SHORT = 36
"""Letters of a baseline that fit into a title."""
SAME_METRIC = 2
"""Rows of one metric in the figure of all metrics; every seat's share of wins is shown."""
FEW = 3
"""With so few rule sets beside the baseline one figure shows all metrics."""


class Chart(NamedTuple):
    """A figure with its name (also of its file), title, caption, and the words that stand for it.

    `metrics` are the (name, by) it shows.
    """

    name: str
    title: str
    figure: Figure
    caption: str
    alt: str
    metrics: tuple[tuple[str, str], ...]


def slug(*words_: str) -> str:
    """Return a name that is safe for a file and a link."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(words_).lower()).strip("-")[:60]


def shown_cells(saved: Saved, limit: int = SHOWN, metric: str | None = None) -> list[str]:
    """Return the baseline and the cells with the largest effects (on a metric), in the order of the run."""
    ordered = comparable(saved)
    if metric is not None:
        ordered = ordered[ordered["metric"] == metric]
    chosen = {saved.baseline.id, *ordered["cell"].drop_duplicates().head(limit)}
    for name in saved.cells:
        if len(chosen) > limit:
            break
        chosen.add(name)
    played = set(saved.estimates["cell"])
    return [name for name in saved.cells if name in chosen and name in played]


def effects(saved: Saved) -> Iterator[Chart]:
    """Yield the differences to the baseline, one figure a metric that changes."""
    names = words.labels(saved)
    ordered = headlines(saved, comparable(saved))
    if set(ordered["cell"]) <= silent.find(saved).cells:
        return
    if len(saved.cells) - 1 <= FEW:
        yield _overview(saved, ordered, names)
        return
    changed = ordered[ordered["verdict"] == Verdict.CHANGES].drop_duplicates(["metric", "by"])
    if not len(changed):
        changed = ordered.drop_duplicates(["metric", "by"]).head(1)
    keys = list(zip(changed["metric"], changed["by"], strict=True))[:FORESTS]
    if (ordered["metric"] == "match_win").any() and ("match_win", "seat") not in keys:
        keys.append(("match_win", "seat"))
    for name, by in keys:
        yield _forest(saved, ordered[(ordered["metric"] == name) & (ordered["by"] == by)], names)


def _forest(saved: Saved, rows: pd.DataFrame, names: dict[str, str]) -> Chart:
    first = rows.iloc[0]
    metric = saved.metrics[first["metric"], first["by"]]
    shown = _kept(saved, rows)
    shown = shown.iloc[np.argsort(-shown["difference"].abs().to_numpy(), kind="stable")]
    parts = [words.part(by, key) for by, key in zip(shown["by"], shown["key"], strict=True)]
    labels = [names[cell] + (f", {part}" if part else "") for cell, part in zip(shown["cell"], parts, strict=True)]
    unit = 100 if metric.rate else 1
    frame = pd.DataFrame(
        {
            # A part and its number stay in one line.
            "label": [
                names[cell] + (f", {_together(part)}" if part else "")
                for cell, part in zip(shown["cell"], parts, strict=True)
            ],
            "difference": shown["difference"] * unit,
            "low": shown["low"] * unit,
            "high": shown["high"] * unit,
            "verdict": shown["verdict"],
        }
    )
    rope = float(shown["rope"].max())
    within = _within(metric, shown["rope"])
    baseline = against(saved, rows)
    shortly = baseline if len(baseline) <= SHORT else "the baseline"
    title = f"{words.capital(words.title(metric))} against {shortly}"
    figure = figures.effects(frame, rope * unit, title, words.axis_label(metric, difference=True))
    kept = "all" if len(shown) == len(rows) else f"{len(shown)} of {len(rows)} (changes of one rule, and the largest)"
    caption = (
        f"Differences to {baseline}, {kept}, with intervals that hold together for all rule sets; shaded: what would "
        f"not matter, within {within}.{exceptions(saved, rows)}"
    )
    described = [_told(metric, label, row) for label, row in zip(labels, each(shown), strict=True)]
    alt = f"Forest plot: difference to {baseline} of {metric.meaning.split(';')[0]}. " + "; ".join(described) + "."
    name = slug("effects", metric.name, *metric.by)
    return Chart(name, title, figure, caption, alt, ((metric.name, "+".join(metric.by)),))


def _within(metric: Metric, ropes: pd.Series[float]) -> str:
    """Return up to where differences do not matter: a range where that is not the same for all."""
    least, most = words.limit(metric, float(ropes.min())), words.limit(metric, float(ropes.max()))
    return most if least == most else f"{least} to {most}; shaded is the largest"


def _together(text: str) -> str:
    """Return a text that is not broken into lines."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _kept(saved: Saved, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that are shown, in their order: cells that differ in one rule only, then the largest."""
    if len(rows) <= SHOWN:
        return rows
    single = rows["cell"].map({name: len(words.changed(saved, cell)) == 1 for name, cell in saved.cells.items()})
    chosen = [*np.flatnonzero(single)[: SHOWN // 2]]
    chosen += [i for i in range(len(rows)) if i not in chosen][: SHOWN - len(chosen)]
    return rows.iloc[sorted(chosen)]


def _told(metric: Metric, label: str, row: Any) -> str:
    places = words.decimals(metric, row.low, row.high)
    number = words.plain(words.scaled(metric, row.difference), places)
    return f"{label} {number} {words.interval(metric, row.low, row.high, places)} {row.verdict}"


def _overview(saved: Saved, ordered: pd.DataFrame, names: dict[str, str]) -> Chart:
    """Return one figure of all metrics, in units of what would not matter."""
    known = ordered[ordered["rope"] > 0]
    # A metric that is split by rounds would fill the figure.
    place = known.groupby(["cell", "metric", "by"], sort=False).cumcount()
    shown = known[(place < SAME_METRIC) | (known["metric"] == "match_win")].head(SHOWN)
    many = len(saved.cells) > 2
    labels = []
    for row in each(shown):
        part = words.part(row.by, row.key)
        text = row.metric.replace("_", " ") + (f", {part}" if part else "")
        labels.append(f"{text}, {names[row.cell]}" if many else text)
    unit = shown["rope"]
    frame = pd.DataFrame(
        {
            "label": labels,
            "difference": shown["difference"] / unit,
            "low": shown["low"] / unit,
            "high": shown["high"] / unit,
            "verdict": shown["verdict"],
        }
    )
    baseline = against(saved, shown)
    title = f"Differences to {baseline}" if many else f"What {names[[*saved.cells][1]]} changes"
    figure = figures.effects(frame, 1.0, title, "difference, as a multiple of what would not matter")
    caption = (
        f"Differences to {baseline}, the {len(shown)} largest, each in units of the largest difference that would not "
        f"matter (shaded), with intervals that hold together for all rule sets.{exceptions(saved, shown)}"
    )
    described = [
        f"{label} {row.difference:.1f} {words.bracket(row.low, row.high, 1)} {row.verdict}"
        for label, row in zip(labels, each(frame), strict=True)
    ]
    alt = f"Forest plot: differences to {baseline} in multiples of what would not matter. {'; '.join(described)}."
    metrics = tuple(dict.fromkeys(zip(shown["metric"], shown["by"], strict=True)))
    return Chart("effects", title, figure, caption, alt, metrics)


def seats(saved: Saved, table: pd.DataFrame) -> Iterator[Chart]:
    """Yield the seats' shares of wins."""
    wins = saved.estimates[(saved.estimates["metric"] == "match_win") & (saved.estimates["by"] == "seat")]
    if not len(wins):
        return
    names = words.labels(saved)
    order = table.assign(size=table["deviation"].abs()).sort_values("size", ascending=False, kind="stable")
    chosen = {saved.baseline.id, *order["cell"].head(PANELS - 1)} if len(table) > PANELS else set(wins["cell"])
    shown = wins[wins["cell"].isin(chosen)]
    players = shown["cell"].map(lambda cell: saved.cells[cell].rules.players)
    frame = pd.DataFrame(
        {
            "label": shown["cell"].map(names),
            "seat": shown["key"].astype(int),
            "estimate": 100 * shown["estimate"],
            "low": 100 * shown["low"],
            "high": 100 * shown["high"],
            "fair": 100 / players,
        }
    )
    title = "Matches won by seat"
    every = len(chosen) == len(set(wins["cell"]))
    caption = (
        "Dots: a seat's share of wins, with its 95 % interval; dashed: an equal share."
        + ("" if every else f" Shown: the baseline and the {len(chosen) - 1} least equal of {len(table)} rule sets.")
        + (" Matches without a winner put all seats below the line." if _has_no_winner(saved, chosen) else "")
    )
    described = []
    for label, group in frame.groupby("label", sort=False):
        shares = ", ".join(f"seat {row.seat} {row.estimate:.1f} %" for row in each(group))
        described.append(f"{label}: {shares} (equal: {group['fair'].iloc[0]:.1f} %)")
    alt = "Share of matches won by each seat. " + "; ".join(described) + "."
    yield Chart("seats", title, figures.seats(frame, title), caption, alt, (("match_win", "seat"),))


def _has_no_winner(saved: Saved, cells: set[str]) -> bool:
    frame = saved.estimates
    nobody = frame[(frame["metric"] == "no_winner") & frame["cell"].isin(cells)]
    return bool((nobody["estimate"] > 0.0005).any())
