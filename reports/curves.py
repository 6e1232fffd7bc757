"""Figures of whole distributions: how long it lasts, and how points are spread."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from reports import figures, words
from reports.charts import Chart, shown_cells, slug
from reports.load import Saved
from reports.plans import plan
from simcore import stats
from simcore.declare import Metric

CURVES = 4
"""Cells beside the baseline in one figure."""
QUANTILES = {"P50": 0.5, "P90": 0.9, "P99": 0.99}


def find_metric(saved: Saved, name: str) -> Metric | None:
    """Return a metric by its name, if it has a distribution: the first so named."""
    return next((metric for metric in saved.game.METRICS if metric.name == name and metric.values), None)


def lengths(saved: Saved) -> Iterator[Chart]:
    """Yield how long a round or match lasts."""
    wanted = plan(saved.game.NAME).get("length", {})
    metric = find_metric(saved, wanted.get("metric", ""))
    if metric is None:
        return
    cells = _chosen(saved, metric)
    observed = saved.distributions([metric.name], cells)
    names = words.labels(saved)
    caps = {getattr(saved.cells[cell].rules, wanted["cap"]) for cell in cells}
    curves, marks, told = [], [], []
    for cell in cells:
        values, counts = _histogram(observed[observed["cell"] == cell])
        unfinished = _unfinished(saved, cell, wanted.get("unfinished"))
        if not counts.sum() + unfinished:
            continue
        # Those that were cut off outlast every value.
        values, counts = np.append(values, math.inf), np.append(counts, unfinished)
        curve, (points, texts) = _survival(values, counts, float(getattr(saved.cells[cell].rules, wanted["cap"])))
        curves.append(curve.assign(label=names[cell]))
        marks.append(points.assign(label=names[cell]))
        cut = f", cut off {100 * unfinished / counts.sum():.2g} %" if unfinished else ""
        told.append(f"{names[cell]} {' / '.join(texts)}{cut}")
    if not curves:
        return
    cap = float(caps.pop()) if len(caps) == 1 else None
    title = f"How long it lasts: {words.title(metric)}"
    unit = metric.meaning.split(";")[0]
    figure = figures.survival(
        pd.concat(curves, ignore_index=True), pd.concat(marks, ignore_index=True), cap, title, unit
    )
    beyond = "; the cap is " + f"{cap:g}" if cap is not None else ""
    caption = (
        f"The share that lasts longer, with 95 % bands where they do not reach nought; "
        f"marked: half, 90 % and 99 % have ended (P50 / P90 / P99): "
        f"{'; '.join(told)}{beyond}. What was cut off outlasts every value.{_left_out(saved, cells)}"
    )
    alt = f"Survival curves of {unit}. P50 / P90 / P99: {'; '.join(told)}{beyond}."
    yield Chart("length", title, figure, caption, alt, ((metric.name, "+".join(metric.by)),))


def distributions(saved: Saved) -> Iterator[Chart]:
    """Yield the distribution functions of points and the like, all keys (seats) together."""
    names = words.labels(saved)
    for name in plan(saved.game.NAME).get("distributions", []):
        metric = find_metric(saved, name)
        if metric is None:
            continue
        by = "+".join(metric.by)
        cells = _chosen(saved, metric)
        observed = saved.distributions([name], cells)
        observed = observed[observed["by"] == by]
        curves, told = [], []
        for cell in cells:
            here = observed[observed["cell"] == cell]
            values, counts = _histogram(here)
            if not counts.sum():
                continue
            keys = max(here["key"].nunique(), 1)
            share = np.cumsum(counts) / counts.sum()
            # Seats of one game depend on each other: the band is that of as many games as there are.
            half = 1 - float(stats.ecdf_band([int(counts.sum()) // keys])[1][0])
            curves.append(
                pd.DataFrame(
                    {
                        "label": names[cell],
                        "value": np.append(values[0], values),
                        "share": np.append(0, share),
                        "low": np.append(0, np.maximum(share - half, 0)),
                        "high": np.append(0, np.minimum(share + half, 1)),
                    }
                )
            )
            quarters = [float(n) for n in stats.quantile_interval(values, counts, [0.1, 0.5, 0.9])[0]]
            told.append(f"{names[cell]} {' / '.join(f'{number:g}' for number in quarters)}")
        if not curves:
            continue
        unit = metric.meaning.split(";")[0]
        title = f"{words.capital(words.title(metric))}: how they are spread"
        every = f", all {metric.by[0]}s together" if metric.by else ""
        figure = figures.distribution(pd.concat(curves, ignore_index=True), title, unit)
        caption = (
            f"Share with so much or less{every}, with 95 % bands for all values at once. P10 / P50 / P90: "
            f"{'; '.join(told)}.{_left_out(saved, cells)}"
        )
        alt = f"Distribution functions of {unit}{every}. P10 / P50 / P90: {'; '.join(told)}."
        yield Chart(slug("distribution", name), title, figure, caption, alt, ((name, by),))


def _chosen(saved: Saved, metric: Metric) -> list[str]:
    limit = CURVES + 1 if len(saved.cells) <= CURVES + 2 else CURVES
    return shown_cells(saved, limit, metric.name)


def _left_out(saved: Saved, cells: Sequence[str]) -> str:
    played = saved.estimates["cell"].nunique()
    return "" if len(cells) >= played else f" Shown: the baseline and the largest effects, {len(cells)} of {played}."


def _histogram(observed: pd.DataFrame) -> tuple[Any, Any]:
    """Return the values in order, and how often each occurred, all keys together."""
    summed = observed.groupby("value", sort=True)["count"].sum()
    return summed.index.to_numpy(float), summed.to_numpy(np.int64)


def _unfinished(saved: Saved, cell: str, name: str | None) -> int:
    """Return how many rounds were cut off."""
    frame = saved.estimates
    row = frame[(frame["cell"] == cell) & (frame["metric"] == name) & (frame["by"] == "")]
    return round(float((row["estimate"] * row["n"]).sum()))


def _survival(values: Any, counts: Any, cap: float) -> tuple[pd.DataFrame, tuple[pd.DataFrame, list[str]]]:
    """Return the curve, up to the cap if it does not end before, and the quantiles as points and as text."""
    share, low, high = stats.ecdf_band(counts)
    ends = np.isfinite(values)
    start = values[0] - 1 if ends[0] else 0.0
    curve = pd.DataFrame(
        {
            "value": np.append(start, values[ends]),
            "share": np.append(1.0, 1 - share[ends]),
            "low": np.append(1.0, 1 - high[ends]),
            "high": np.append(1.0, 1 - low[ends]),
        }
    )
    if curve["share"].iloc[-1] > 0:
        curve = pd.concat([curve, curve.tail(1).assign(value=cap)], ignore_index=True)
    found = [float(value) for value in stats.quantile_interval(values, counts, list(QUANTILES.values()))[0]]
    points = [
        {"name": name, "value": value, "share": 1 - q}
        for (name, q), value in zip(QUANTILES.items(), found, strict=True)
        if math.isfinite(value)
    ]
    texts = [f"{value:g}" if math.isfinite(value) else "> cap" for value in found]
    return curve, (pd.DataFrame(points, columns=["name", "value", "share"]), texts)
