"""Labels and legends of figures: in lines that fit, beside each other, nothing cut off."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.canvas import COLOURS, drawable

MAX_DIRECT = 5
"""Series that are labelled beside their lines; more get a legend."""
LONG_WORD = 8
"""Letters by which a word may be longer than its line before it is broken."""
LEGEND_WIDTH = 29
"""Letters of a legend's line that have room beside another."""
LEGEND_LINE = 0.19
"""Inches of a legend's line."""


def wrapped(text: str, width: int) -> str:
    """Break a text into lines at its spaces; nothing is cut off, lest two labels become alike."""
    pieces: list[str] = []
    for word in drawable(text).split(" "):
        while len(word) > width + LONG_WORD:
            # Names that fit nowhere are broken behind one of these, if there is one not too far in front.
            end = max(word.rfind(sign, 0, width) for sign in "=+-:/,_") + 1
            end = end if end > width // 2 else width
            pieces.append(word[:end])
            word = word[end:]
        if pieces and len(pieces[-1]) + 1 + len(word) <= width:
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    return "\n".join(pieces)


def longest_line(labels: Sequence[str]) -> int:
    return max(len(line) for label in labels for line in label.split("\n"))


def row_height(labels: Sequence[str]) -> float:
    """Return the inches that a row needs where some label has most lines."""
    return 0.3 + 0.1 * max(label.count("\n") for label in labels)


def legend(figure: Figure, axes: Axes) -> None:
    """Write the names of an axes' series below a figure, in as many columns as have room."""
    handles, names = axes.get_legend_handles_labels()
    columns = 2 if longest_line(names) <= LEGEND_WIDTH else 1
    names = [wrapped(name, 2 * LEGEND_WIDTH // columns) for name in names]
    lines = sum(1 + name.count("\n") for name in names) / columns
    # What stands below the axes does not make them lower.
    figure.set_figheight(figure.get_figheight() + LEGEND_LINE * max(lines - 3, 0))
    figure.legend(handles, names, loc="outside lower left", ncols=columns)


def name_curves(figure: Figure, axes: Axes, curves: pd.DataFrame, names: Sequence[str], log: bool) -> None:
    """Write a curve's name beside it, each at a height of its own, or make a legend of many."""
    if len(names) == 1:
        return
    if len(names) > MAX_DIRECT:
        legend(figure, axes)
        return
    bottom, top = (math.log(limit) if log else limit for limit in axes.get_ylim())
    anchors = []
    for i, label in enumerate(names):
        curve = curves[(curves["label"] == label) & (curves["share"] > 0)]
        heights = np.log(curve["share"].to_numpy(float)) if log else curve["share"].to_numpy(float)
        part = (i + 1) / (len(names) + 1)
        wanted = max(heights.min(), bottom) + part * (heights.max() - max(heights.min(), bottom))
        at = int(np.argmin(np.abs(heights - wanted)))
        anchors.append((float(curve["value"].iloc[at]), float(heights[at])))
    step = (top - bottom) * 0.06 * (1 + max(wrapped(label, 28).count("\n") for label in names))
    places = _spread([height for _, height in anchors], step, top - step / 2)
    for i, (label, (x, y), place) in enumerate(zip(names, anchors, places, strict=True)):
        axes.annotate(
            wrapped(label, 28), (x, math.exp(y) if log else y), xytext=(12, (place - y) * _points_a_unit(axes, log)),
            textcoords="offset points", va="center", fontsize=9, color=COLOURS[i], zorder=5,
            bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1},
            arrowprops={"arrowstyle": "-", "color": COLOURS[i], "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip


def _points_a_unit(axes: Axes, log: bool) -> float:
    """Return about how many points high one unit of the vertical axis (or of its logarithm) is."""
    bottom, top = (math.log(limit) if log else limit for limit in axes.get_ylim())
    assert isinstance(axes.figure, Figure)
    return 0.75 * 72 * float(axes.figure.get_figheight()) / (top - bottom)


def _spread(heights: Sequence[float], step: float, top: float) -> list[float]:
    """Return heights in the same order that are at least a step apart, and not above the top."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    places = list(heights)
    last = -math.inf
    for i in order:
        last = places[i] = max(heights[i], last + step)
    # What was pushed above the top comes down again.
    for i in reversed(order):
        places[i] = min(places[i], top)
        top = places[i] - step
    return places


def name_ends(axes: Axes, ends: Sequence[tuple[str, float, float]], log: bool = False) -> None:
    """Write names to the right of lines' ends, as far apart as their letters need."""
    low, high = (math.log(limit) if log else limit for limit in axes.get_ylim())
    step = (high - low) * 0.075 * (1 + max(wrapped(label, 22).count("\n") for label, _, _ in ends))
    places = _spread([math.log(y) if log else y for _, _, y in ends], step, high)
    for i, (label, x, y) in enumerate(ends):
        place = math.exp(places[i]) if log else places[i]
        axes.annotate(
            wrapped(label, 22), (x, y), xytext=(1.05, place), textcoords=("axes fraction", "data"),
            va="center", fontsize=9, color=COLOURS[i], annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": COLOURS[i], "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3},
        )  # fmt: skip
