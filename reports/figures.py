"""The figures: each function makes one from tables that hold what is drawn, in the units that are shown.

Nothing is told by colour alone: series differ in marker or line as well, verdicts in the marker's form.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from reports.canvas import COLOURS, LINES, MARKERS, QUIET, WIDTH, drawable, new_figure
from reports.frames import each
from reports.lettering import MAX_DIRECT, legend, longest_line, name_curves, name_ends, row_height, wrapped
from simcore.stats import Verdict

MOST_MARKERS = 13
"""Markers on a line; more would hide it."""
LARGEST_MAP = 14
"""Rows or columns of a heat map whose numbers can be read."""
MOST_LOOKS = 7
"""Numbers of games below a figure."""
PANEL_WIDTH = 22
"""Letters of a panel's title where three panels stand beside each other."""

VERDICTS = {
    Verdict.CHANGES: (COLOURS[0], "o", COLOURS[0]),
    Verdict.NEGLIGIBLE: (COLOURS[2], "D", COLOURS[2]),
    Verdict.SAME: (QUIET, "s", QUIET),
    Verdict.UNDECIDED: (COLOURS[1], "o", "white"),
}
"""Verdict to colour, marker, and the marker's inside."""


def seats(frame: pd.DataFrame, title: str) -> Figure:
    """Draw every seat's share of wins with its interval around the line of an equal share.

    Parameters
    ----------
    frame
        Columns label, seat, estimate, low, high, fair; per cent. A panel a label; all panels show equally many
        points around their line, so that they can be compared.
    title
        Short; the finding belongs to the caption.
    """
    panels = list(frame["label"].unique())
    columns = min(3, len(panels))
    if columns == 3 and longest_line([wrapped(label, PANEL_WIDTH) for label in panels]) > PANEL_WIDTH + 4:
        columns = 2
    room = PANEL_WIDTH if columns == 3 else 36
    heads = [wrapped(label, room) for label in panels]
    rows = -(-len(panels) // columns)
    height = 1.75 + 0.15 * max(max(head.count("\n") for head in heads) - 2, 0)
    figure = new_figure(1.0 + height * rows + (0.5 if rows == 1 else 0), WIDTH if columns > 1 else 4.6)
    figure.suptitle(wrapped(title, 60), x=0.01, ha="left")
    offsets = frame[["low", "high", "estimate"]].sub(frame["fair"], axis=0).abs()
    reach = max(1.15 * float(np.nanmax(offsets.to_numpy())), 0.01)
    grid = figure.subplots(rows, columns, squeeze=False)
    size = 9 * min(1, room / longest_line(heads))
    for axes, label, head in zip(grid.flat, panels, heads, strict=False):
        shown = frame[frame["label"] == label]
        fair = float(shown["fair"].iloc[0])
        axes.axhline(fair, color=QUIET, linewidth=1, linestyle="--", zorder=1)
        _points(axes, shown["seat"], shown, COLOURS[0], MARKERS[0])
        axes.set_ylim(fair - reach, fair + reach)
        axes.set_xlim(shown["seat"].min() - 0.6, shown["seat"].max() + 1.1)
        axes.set_xticks(shown["seat"])
        axes.grid(visible=False, axis="x")
        axes.set_title(head, fontsize=size, fontweight="normal")
        axes.annotate(
            f"1/{len(shown)}", (1, fair), xycoords=("axes fraction", "data"), xytext=(-2, 2),
            textcoords="offset points", ha="right", va="bottom", fontsize=8, color=QUIET,
        )  # fmt: skip
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    figure.supxlabel("seat", fontsize=10)
    figure.supylabel("matches won, per cent", fontsize=10)
    return figure


def effects(frame: pd.DataFrame, rope: float, title: str, unit: str) -> Figure:
    """Draw a forest plot: differences to the baseline with simultaneous intervals.

    Parameters
    ----------
    frame
        Columns label, difference, low, high, verdict; from the top of the figure down.
    rope
        Half width of the region that does not matter, shaded; 0: none.
    title, unit
        Title, and label of the axis.
    """
    labels = [wrapped(label, 38) for label in frame["label"]]
    figure = new_figure(1.5 + row_height(labels) * len(frame))
    axes = figure.subplots()
    places = np.arange(len(frame))[::-1]
    if rope > 0:
        axes.axvspan(-rope, rope, color="#E8E8E8", zorder=0, linewidth=0)
    axes.axvline(0, color="#555555", linewidth=1, zorder=1)
    handles: dict[str, Any] = {}
    for place, row in zip(places, each(frame), strict=True):
        colour, marker, inside = VERDICTS[Verdict(row.verdict)]
        if not math.isnan(row.low):
            axes.plot([row.low, row.high], [place, place], color=colour, linewidth=2, solid_capstyle="butt")
        (handles[row.verdict],) = axes.plot(
            [row.difference], [place], color=colour, marker=marker, markerfacecolor=inside, linestyle="none",
            label=row.verdict,
        )  # fmt: skip
    axes.set_yticks(places, labels)
    axes.set_ylim(-0.7, len(frame) - 0.3)
    axes.grid(visible=False, axis="y")
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.set_xlabel(wrapped(unit, 66), loc="right")  # where axes are narrow, it may reach below their labels
    figure.suptitle(wrapped(title, 60), x=0.01, ha="left")
    shown = [handles[verdict] for verdict in VERDICTS if verdict in handles]
    figure.legend(handles=shown, loc="outside lower right", ncols=len(shown))
    return figure


def survival(curves: pd.DataFrame, marks: pd.DataFrame, cap: float | None, title: str, unit: str) -> Figure:
    """Draw which part lasts longer than so long, on a logarithmic scale.

    Parameters
    ----------
    curves
        Columns label, value, share, low, high: the share that lasts longer than the value, 0..1, with a band.
    marks
        Columns label, name, value, share: quantiles to be marked (P50, P90, P99).
    cap
        Where games are cut off, if anywhere.
    title, unit
        Title, and label of the horizontal axis.
    """
    figure = new_figure(4.0)
    axes = figure.subplots()
    floor = max(float(curves.loc[curves["share"] > 0, "share"].min()) / 2, 1e-7)
    names = list(curves["label"].unique())
    for i, label in enumerate(names):
        curve = curves[curves["label"] == label]
        # Far down the band holds everything, which says nothing.
        known = curve[curve["low"] > floor]
        _band(axes, known["value"], known["low"], known["high"], i, step="post")
        _line(axes, curve["value"], curve["share"].clip(lower=floor), i, label, drawstyle="steps-post")
        here = marks[marks["label"] == label]
        axes.plot(
            here["value"], here["share"], linestyle="none", marker=MARKERS[i], color=COLOURS[i], markersize=6,
            markeredgecolor="white", zorder=4,
        )  # fmt: skip
    for name, share in zip(("P50", "P90", "P99"), (0.5, 0.1, 0.01), strict=True):
        if share > floor:
            axes.axhline(share, color=QUIET, linewidth=0.6, linestyle=":", zorder=0)
            # On the left, where every curve is still higher: on the right some become level just there.
            axes.annotate(
                name, (0, share), xycoords=("axes fraction", "data"), xytext=(3, 1), textcoords="offset points",
                ha="left", va="bottom", fontsize=8, color=QUIET,
            )  # fmt: skip
    # Where little happens between the last end and the cap, only its direction is shown.
    last = float(curves.loc[curves["value"] < (math.inf if cap is None else cap), "value"].max())
    is_far = cap is not None and cap > 2 * last
    if cap is not None:
        if not is_far:
            axes.axvline(cap, color="#555555", linewidth=1, linestyle="--")
        axes.annotate(
            f"cap at {cap:g} \u2192" if is_far else "cap", (1 if is_far else cap, 1),
            xycoords=("axes fraction" if is_far else "data", "axes fraction"), xytext=(-3, 2),
            textcoords="offset points", ha="right", va="bottom", fontsize=8, color="#555555",
        )  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(floor, 1.3)
    axes.set_xlim(min(0.0, float(curves["value"].min())), 1.1 * last if is_far or cap is None else 1.02 * cap)
    axes.set_xlabel(wrapped(unit, 70))
    axes.set_ylabel("share that lasts longer")
    ends = curves.groupby("label", sort=False).tail(1)
    if 1 < len(names) <= MAX_DIRECT and float(ends["share"].min()) > floor:
        right = axes.get_xlim()[1]
        name_ends(axes, [(row.label, right, row.share) for row in each(ends)], log=True)
    else:
        name_curves(figure, axes, curves, names, log=True)
    figure.suptitle(wrapped(title, 60), x=0.01, ha="left")
    return figure


def distribution(curves: pd.DataFrame, title: str, unit: str) -> Figure:
    """Draw distribution functions with the bands that hold for all values together.

    `curves` has the columns label, value, share, low, high: the share up to the value, 0..1.
    """
    figure = new_figure(3.8)
    axes = figure.subplots()
    names = list(curves["label"].unique())
    for i, label in enumerate(names):
        curve = curves[curves["label"] == label]
        _band(axes, curve["value"], curve["low"], curve["high"], i, step="post")
        _line(axes, curve["value"], curve["share"], i, label, drawstyle="steps-post")
    axes.set_ylim(0, 1.02)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.set_xlabel(wrapped(unit, 70))
    axes.set_ylabel("share with so much or less")
    name_curves(figure, axes, curves, names, log=False)
    figure.suptitle(wrapped(title, 60), x=0.01, ha="left")
    return figure


def heat_map(
    values: pd.DataFrame, texts: pd.DataFrame, undecided: pd.DataFrame, title: str, names: tuple[str, str], unit: str
) -> Figure:
    """Draw two factors: the value in each cell, those marked with a dot whose difference is undecided.

    `values`, `texts` and `undecided` have equal rows and columns; `names` are those of the rows and columns.
    """
    rows, columns = values.shape
    figure = new_figure(1.5 + 0.42 * rows, min(WIDTH, 2.6 + 0.95 * columns))
    axes = figure.subplots()
    image = axes.imshow(values.to_numpy(float), cmap="cividis", aspect="auto")
    heads = [wrapped(str(name), 14) for name in values.columns]
    axes.set_xticks(range(columns), heads)
    # About so many letters stand beside each other below a column.
    if max(len(line) for head in heads for line in head.split("\n")) > 50 // columns:
        heads = [wrapped(str(name), 26) for name in values.columns]
        axes.set_xticks(range(columns), heads, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(rows), [wrapped(str(name), 26) for name in values.index])
    axes.grid(visible=False)
    axes.set_xlabel(drawable(names[1]))
    axes.set_ylabel(drawable(names[0]))
    low, high = np.nanmin(values.to_numpy(float)), np.nanmax(values.to_numpy(float))
    size = 9 if columns <= 8 else 6.5
    numbers = values.to_numpy(float)
    for i in range(rows):
        for j in range(columns):
            value = numbers[i, j]
            if math.isnan(value):
                continue
            is_dark = high == low or (value - low) / (high - low) < 0.6
            text = f"{texts.iat[i, j]!s}{' °' if undecided.iat[i, j] else ''}"
            axes.text(j, i, text, ha="center", va="center", fontsize=size, color="white" if is_dark else "black")
    bar = figure.colorbar(image, ax=axes, fraction=0.05)
    # About so many letters are as high as the rows.
    bar.set_label(wrapped(unit, min(10 + 5 * rows, 34)), fontsize=9)
    figure.suptitle(wrapped(title, 60), x=0.01, ha="left")
    return figure


def lines(frame: pd.DataFrame, title: str, names: tuple[str, str], fair: pd.DataFrame | None = None) -> Figure:
    """Draw a metric over an ordered factor, with intervals as ribbons.

    Parameters
    ----------
    frame
        Columns label, x, estimate, low, high.
    title, names
        Title, and labels of the two axes.
    fair
        Columns x, estimate: a dashed line for comparison.
    """
    figure = new_figure(3.8)
    axes = figure.subplots()
    series = list(frame["label"].unique())
    if fair is not None:
        axes.plot(fair["x"], fair["estimate"], color=QUIET, linewidth=1, linestyle="--")
    for i, label in enumerate(series):
        here = frame[frame["label"] == label]
        _band(axes, here["x"], here["low"], here["high"], i)
        _line(
            axes, here["x"], here["estimate"], i, label, marker=MARKERS[i], markevery=max(len(here) // MOST_MARKERS, 1)
        )
    axes.set_xlabel(drawable(names[0]))
    axes.set_ylabel(wrapped(names[1], 42))
    ticks = sorted(frame["x"].unique())
    if len(ticks) <= 12:
        axes.set_xticks(ticks)
    if len(series) > MAX_DIRECT:
        legend(figure, axes)
    elif len(series) > 1:
        ends = frame.loc[frame.groupby("label", sort=False)["x"].idxmax()]
        name_ends(axes, [(row.label, row.x, row.estimate) for row in each(ends)])
    figure.suptitle(wrapped(title, 60), x=0.01, ha="left")
    return figure


def dots(frame: pd.DataFrame, title: str, unit: str, reference: tuple[float, str] | None = None) -> Figure:
    """Draw an estimate with its interval for each label, from the top down, and perhaps a named line to compare."""
    labels = [wrapped(label, 38) for label in frame["label"]]
    figure = new_figure(1.2 + row_height(labels) * len(frame))
    axes = figure.subplots()
    places = np.arange(len(frame))[::-1]
    if reference is not None:
        axes.axvline(reference[0], color=QUIET, linewidth=1, linestyle="--", zorder=1)
        axes.annotate(
            reference[1], (reference[0], 1), xycoords=("data", "axes fraction"), xytext=(3, -2),
            textcoords="offset points", va="top", fontsize=8, color=QUIET,
        )  # fmt: skip
    for place, row in zip(places, each(frame), strict=True):
        if not math.isnan(row.low):
            axes.plot([row.low, row.high], [place, place], color=COLOURS[0], linewidth=2)
        axes.plot([row.estimate], [place], color=COLOURS[0], marker="o")
    axes.set_yticks(places, labels)
    axes.set_ylim(-0.7, len(frame) - 0.3)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(wrapped(unit, 66), loc="right")  # where axes are narrow, it may reach below their labels
    figure.suptitle(wrapped(title, 60), x=0.01, ha="left")
    return figure


def precision(frame: pd.DataFrame, target: float | None, title: str, unit: str) -> Figure:
    """Draw how estimates closed in at the looks of a run that stopped by itself.

    Parameters
    ----------
    frame
        Columns label, games, estimate, half_width. Above, estimates less their last, with intervals; below, widths.
    target
        The half width that was asked for, if any.
    title, unit
        Title, and the unit of the estimates.
    """
    figure = new_figure(5.0)
    above, below = figure.subplots(2, 1, sharex=True)
    names = list(frame["label"].unique())
    for i, label in enumerate(names):
        here = frame[frame["label"] == label]
        # Looks are at equal games, so intervals stand beside each other.
        games = here["games"] * 1.04 ** (i - (len(names) - 1) / 2)
        above.errorbar(
            games, here["estimate"] - here["estimate"].iloc[-1], yerr=here["half_width"], color=COLOURS[i],
            marker=MARKERS[i], linestyle="none", elinewidth=1.5,
        )  # fmt: skip
        _line(below, here["games"], here["half_width"], i, label, marker=MARKERS[i])
    above.axhline(0, color=QUIET, linewidth=1, zorder=1)
    above.set_ylabel(wrapped(f"estimate less its last{unit}", 24))
    if target is not None:
        below.axhline(target, color=QUIET, linewidth=1, linestyle="--", zorder=1)
        below.annotate(
            f"asked for: {target:g}", (0, target), xycoords=("axes fraction", "data"), xytext=(3, 2),
            textcoords="offset points", va="bottom", fontsize=8, color=QUIET,
        )  # fmt: skip
    below.set_xscale("log")
    below.set_yscale("log")
    looks = sorted(frame["games"].unique())
    below.set_xticks(looks[:: -len(looks) // MOST_LOOKS][::-1])
    below.xaxis.set_major_formatter(FuncFormatter(lambda games, _: f"{games:,.0f}"))
    below.xaxis.set_minor_locator(NullLocator())
    for set_formatter in (below.yaxis.set_major_formatter, below.yaxis.set_minor_formatter):
        set_formatter(FuncFormatter(lambda width, _: f"{width:g}"))
    below.yaxis.set_minor_locator(LogLocator(subs=(2, 3, 5, 7)))
    below.set_xlabel("games, at each look")
    below.set_ylabel(wrapped(f"half width{unit}", 18))
    if len(names) > 1:
        legend(figure, below)
    figure.suptitle(wrapped(title, 60), x=0.01, ha="left")
    return figure


def _points(axes: Axes, x: Any, shown: pd.DataFrame, colour: str, marker: str) -> None:
    below = (shown["estimate"] - shown["low"]).fillna(0)
    above = (shown["high"] - shown["estimate"]).fillna(0)
    axes.errorbar(
        x, shown["estimate"], yerr=[below, above], color=colour, marker=marker, linestyle="none", elinewidth=2
    )


def _line(axes: Axes, x: Any, y: Any, i: int, label: str, **more: Any) -> None:
    axes.plot(x, y, color=COLOURS[i], linestyle=LINES[i], label=label, zorder=3, **more)


def _band(axes: Axes, x: Any, low: Any, high: Any, i: int, step: Any = None) -> None:
    axes.fill_between(x, low, high, color=COLOURS[i], alpha=0.18, linewidth=0, step=step, zorder=2)
