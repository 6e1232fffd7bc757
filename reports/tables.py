"""The tables of a report: text for people, and numbers to sort by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from reports import words
from reports.baselines import against, exceptions
from reports.charts import MANY_CELLS, shown_cells
from reports.findings import comparable
from reports.frames import each
from reports.load import Saved
from simcore.declare import Metric
from simcore.errors import plural

MOST_ROWS = 300
"""Rows of a table of differences; the others are in TOLD."""
TOLD = "report/differences.csv"
"""The file, below the run's folder, of all differences that a report compares."""


class Entry(NamedTuple):
    """One entry of a table: what is shown, and the number by which it is sorted, if it is one."""

    text: str
    number: float | None = None

    @property
    def sort(self) -> str:
        """The number as text; nothing for words, and for what is not known."""
        return "" if self.number is None or self.number != self.number else f"{self.number:.10g}"


class Table(NamedTuple):
    """A table: its name (also its link), title, remark, heads of the columns, rows, and the file that has all rows."""

    name: str
    title: str
    remark: str
    heads: list[str]
    rows: list[list[Entry]]
    whole: str = "report.html"


def make(saved: Saved, seats: pd.DataFrame) -> list[Table]:
    """Return a report's tables."""
    cells = list(saved.cells)
    if len(cells) > MANY_CELLS:
        cells = shown_cells(saved)
    found = [rule_sets(saved, cells), differences(saved, cells), seat_shares(saved, cells), inequality(saved, seats)]
    return [table for table in found if table.rows]


def _estimate(metric: Metric, value: float, low: float, high: float) -> Entry:
    places = words.decimals(metric, low, high)
    text = f"{words.amount(metric, value, places)} {words.interval(metric, low, high, places)}"
    return Entry(text, words.scaled(metric, value))


def rule_sets(saved: Saved, cells: Sequence[str]) -> Table:
    """Return the estimates of the metrics that are not split, where they are not the same for all."""
    names = words.labels(saved)
    whole = saved.estimates[(saved.estimates["by"] == "") & saved.estimates["cell"].isin(cells)]
    spread = whole.groupby("metric", sort=False)["estimate"].agg(["min", "max"])
    varying = [name for name, row in spread.iterrows() if len(cells) == 1 or row["min"] != row["max"]]
    found = {(row.cell, row.metric): row for row in each(whole)}
    rows = []
    for cell in cells:
        games = int(saved.played["games"][cell])
        row = [Entry(names[cell]), Entry(f"{games:,}", games)]
        for name in varying:
            have = found.get((cell, str(name)))
            metric = saved.metrics[str(name), ""]
            row.append(_estimate(metric, have.estimate, have.low, have.high) if have else Entry(""))
        rows.append(row)
    left = len(saved.cells) - len(cells)
    remark = "Estimates with 95 % intervals; what is the same for all is left out."
    if left:
        verb = "is" if left == 1 else "are"
        remark += f" {plural(left, 'rule set')} with smaller effects {verb} in estimates.csv."
    return Table(
        "rule-sets",
        "Rule sets",
        remark,
        ["rule set", "games", *(str(n).replace("_", " ") for n in varying)],
        rows,
        "estimates.csv",
    )


def differences(saved: Saved, cells: Sequence[str]) -> Table:
    """Return the differences, largest effect first."""
    names = words.labels(saved)
    ordered = comparable(saved)
    ordered = ordered[ordered["cell"].isin(cells)]
    rows = []
    for row in each(ordered.head(MOST_ROWS)):
        metric = saved.metrics[row.metric, row.by]
        low, high, value = row.low, row.high, row.difference
        places = words.decimals(metric, low, high)
        shown = words.plain(words.scaled(metric, value), places)
        rows.append(
            [
                Entry(names[row.cell]),
                Entry(words.title(metric)),
                Entry(words.part(row.by, row.key)),
                Entry(words.points(shown) if metric.rate else shown, words.scaled(metric, value)),
                Entry(words.interval(metric, low, high, places), words.scaled(metric, low)),
                Entry(_number(row.effect, 1), row.effect),
                Entry(_number(row.rho, 2), row.rho),
                Entry(_number(row.variance_ratio, 2), row.variance_ratio),
                Entry(row.verdict),
            ]
        )
    left = len(saved.differences) - len(rows)
    remark = (
        f"To {against(saved, ordered)}, with intervals that hold together for all rule sets. Effect: the difference "
        "in units of what would not matter. rho and the variance ratio say what the common deals gained (1: nothing)."
        + exceptions(saved, ordered)
    )
    if left:
        remark += f" {left:,} more {'is' if left == 1 else 'are'} in {TOLD}"
    else:
        remark += f" All are in {TOLD}"
    is_first = (saved.differences["baseline"] == saved.baseline.id).all()
    remark += "." if is_first else " (the run's differences.csv compares every rule set with the first)."
    heads = ["rule set", "metric", "part", "difference", "interval", "effect", "rho", "variance ratio", "verdict"]
    return Table("differences", "Differences", remark, heads, rows, TOLD)


def seat_shares(saved: Saved, cells: Sequence[str]) -> Table:
    """Return every seat's share of wins."""
    names = words.labels(saved)
    metric = saved.metrics["match_win", "seat"]
    wins = saved.estimates[(saved.estimates["metric"] == "match_win") & (saved.estimates["by"] == "seat")]
    wins = wins[wins["cell"].isin(cells)]
    most = max((saved.cells[cell].rules.players for cell in cells), default=0)
    rows = []
    for cell, group in wins.groupby("cell", sort=False):
        shares = [_estimate(metric, row.estimate, row.low, row.high) for row in each(group)]
        fair = 100 / saved.cells[str(cell)].rules.players
        empty = [Entry("")] * (most - len(shares))
        rows.append([Entry(names[str(cell)]), Entry(f"{fair:.1f} %", fair), *shares, *empty])
    heads = ["rule set", "equal share", *(f"seat {n}" for n in range(1, most + 1))]
    return Table("seat-shares", "Matches won by seat", "Shares with 95 % intervals.", heads, rows, "estimates.csv")


def inequality(saved: Saved, seats: pd.DataFrame) -> Table:
    """Return how unequal the seats are."""
    names = words.labels(saved)
    metric = saved.metrics["match_win", "seat"]
    if len(saved.cells) > MANY_CELLS:
        order = seats["deviation"].abs().sort_values(ascending=False, kind="stable").index[:MANY_CELLS]
        seats = seats.loc[order]
    rows = []
    for row in each(seats):
        low, high, value = row.low, row.high, row.deviation
        places = words.decimals(metric, low, high)
        rows.append(
            [
                Entry(names[row.cell]),
                Entry(str(row.seat), float(str(row.seat))),
                Entry(words.points(words.plain(100 * value, places)), 100 * value),
                Entry(words.interval(metric, low, high, places), 100 * low),
                Entry(_number(row.statistic, 2), row.statistic),
                Entry(str(row.freedom), row.freedom),
                Entry(_number(row.p, 4), row.p),
                Entry(row.verdict),
            ]
        )
    heads = [
        "rule set", "furthest seat", "from the mean", "interval", "chi-square", "degrees of freedom", "p (Holm)",
        "verdict",
    ]  # fmt: skip
    remark = (
        "The seat that is furthest from the mean of the seats, and a test that all win equally often. The furthest of "
        "many may be so far off by chance, so the verdict follows the test where its interval alone promises more."
    )
    return Table("seats-equal", "Are the seats equal?", remark, heads, rows)


def _number(value: float, places: int) -> str:
    return "" if value != value else words.plain(value, places)
