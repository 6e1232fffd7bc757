"""When a run stops by itself: it looks at its results at fixed numbers of games, and at no other time.

The looks are at 10,000, 20,000, 40,000 ... games of a cell and at the most games allowed. Whoever plays brings each
cell to exactly the games of the next look, and to no more, before it looks. So where a cell stops depends on its
games alone, and neither on time nor threads nor interruption.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from simcore.cells import Cell
from simcore.games import load
from simcore.results import Estimate, estimate
from simcore.tally import Tally

FIRST_LOOK = 10_000
"""Games of the first look: fewer make intervals that no stop should trust."""

MAX_GAMES = 100_000_000
"""Games of the last look, unless something else is asked for."""


class Look(NamedTuple):
    """A row of looks.csv: what one estimate (or difference) was when a cell had so many games."""

    cell: str
    games: int
    metric: str
    by: str
    key: str
    estimate: float
    half_width: float


def look_games(max_games: int = MAX_GAMES) -> list[int]:
    """Return the numbers of games at which a cell is looked at: doubling, and the last is `max_games`."""
    looks = [FIRST_LOOK]
    while looks[-1] < max_games:
        looks.append(2 * looks[-1])
    return [*looks[:-1], max_games]


def is_precise(half_widths: Iterable[float], target: float) -> bool:
    """Whether all half widths reached a target (Chow, Robbins, Ann. Math. Stat. 36, 1965); nan: no."""
    return all(half_width <= target for half_width in half_widths)


def in_record(record: Iterable[Look], max_games: int) -> list[Look]:
    """Return the rows of those looks that a run of so many games at most has.

    A run that went on beyond what was the most games before has a look too many, where it ended then.
    """
    allowed = set(look_games(max_games))
    return [row for row in record if row.games in allowed]


class Precision(NamedTuple):
    """Stop when the half widths of all 95 % intervals of some metrics are small enough.

    Attributes
    ----------
    targets
        Name of a metric and the half width, in its own unit, that every seat (or other key) must reach.
    max_games
        Games of a cell at which it ends anyway.
    """

    targets: tuple[tuple[str, float], ...]
    max_games: int = MAX_GAMES

    def looks(self) -> list[int]:
        """Return the numbers of games at which a cell is looked at."""
        return look_games(self.max_games)

    def look(self, cell: Cell, tally: Tally) -> list[Look]:
        """Return what is seen of the metrics that have a target; at least one row for each.

        A metric that never occurred has a row without numbers.
        """
        estimates = estimate(cell, tally)
        metrics = load(cell.game).METRICS
        rows = []
        for name in dict.fromkeys(name for name, _ in self.targets):
            found = [row for row in estimates if row.metric == name]
            by = next("+".join(metric.by) for metric in metrics if metric.name == name)
            rows += [_seen(row, tally.games) for row in found] or [
                Look(cell.id, tally.games, name, by, "", math.nan, math.nan)
            ]
        return rows

    def is_reached(self, rows: Sequence[Look]) -> bool:
        """Say whether one look's rows reach all targets (Chow and Robbins, Ann. Math. Stat. 36, 1965)."""
        return all(
            (widths := [r.half_width for r in rows if r.metric == name]) and is_precise(widths, value)
            for name, value in self.targets
        )

    def last(self, record: Sequence[Look]) -> list[Look]:
        """Return the rows of the last look of one cell's record."""
        games = max((row.games for row in record), default=0)
        return [row for row in record if row.games == games]

    def is_over(self, record: Sequence[Look]) -> bool:
        """Say whether a cell with this record of looks plays no further game."""
        last = self.last(record)
        return bool(last) and (last[0].games >= self.max_games or self.is_reached(last))

    def games_needed(self, games: int, rows: Sequence[Look]) -> int:
        """Guess at which look a cell will stop from what is seen of it after so many games."""
        largest = 0.0
        for name, value in self.targets:
            for row in rows:
                if row.metric == name:
                    share = row.half_width / value
                    largest = max(largest, share if math.isfinite(share) else math.inf)
        needed = games * largest * largest
        return next((look for look in self.looks() if look >= needed), self.max_games)

    def described(self) -> dict[str, Any]:
        """Return the rule as a manifest holds it; `precision_from` is the way back."""
        return {
            "rule": "precision",
            "targets": [{"metric": name, "half_width": value} for name, value in self.targets],
            "looks": f"{FIRST_LOOK}, doubling",
            "max_games": self.max_games,
        }


def precision_from(described: Any) -> Precision | None:
    """Return the rule that a manifest's `stopping` describes, or None if it is another one.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    if not isinstance(described, Mapping) or described.get("rule") != "precision":
        return None
    try:
        targets = tuple((str(entry["metric"]), float(entry["half_width"])) for entry in described["targets"])
        max_games = described["max_games"]
    except (KeyError, TypeError) as error:
        raise ValueError("'stopping' is not what it must be") from error
    if not targets or not isinstance(max_games, int) or not all(value > 0 for _, value in targets):
        raise ValueError("'stopping' is not what it must be")
    return Precision(targets, max_games)


def _seen(row: Estimate, games: int) -> Look:
    return Look(row.cell, games, row.metric, row.by, row.key, row.estimate, (row.high - row.low) / 2)
