"""Comparing cells with the first of them, and stopping when the comparison is decided or precise.

As in `stopping`, looks are at fixed numbers of games, all cells having equally many, so that where a
comparison stops depends neither on time nor threads nor interruption.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from simcore.cells import Cell
from simcore.results import TUNED_FOR, Contrast, columns, contrast
from simcore.stats import Verdict
from simcore.stopping import FIRST_LOOK, MAX_GAMES, Look, is_precise, look_games
from simcore.tally import Tally

DECIDED, PRECISION = "decided", "precision of differences"

DIFFERENT, SAME = "different", "same"

Tallies = Callable[[Cell], Tally | None]


class Stop(NamedTuple):
    """When a comparison stops by itself.

    Attributes
    ----------
    rule
        DECIDED: no verdict on the metrics is undecided, by a confidence sequence. PRECISION: no half width
        of a difference is above its target.
    targets
        Metrics, with half widths for PRECISION.
    max_games
        Games of a cell at which it ends anyway.
    """

    rule: str
    targets: Mapping[str, float]
    max_games: int = MAX_GAMES

    def looks(self) -> list[int]:
        """Return the numbers of games at which the cells are looked at."""
        return look_games(self.max_games)

    def described(self) -> dict[str, Any]:
        """Return the rule as a manifest holds it."""
        is_precision = self.rule == PRECISION
        return {
            "rule": self.rule,
            "targets": [
                {"metric": name, **({"half_width": value} if is_precision else {})}
                for name, value in self.targets.items()
            ],
            "looks": f"{FIRST_LOOK}, doubling",
            "max_games": self.max_games,
        }


class Comparison(NamedTuple):
    """What is compared, and how.

    Attributes
    ----------
    cells
        The first is the baseline.
    ropes
        Regions of practical equivalence by metric, where they are not the usual ones.
    stop
        When it stops, or None if the number of games is fixed.
    expected
        SAME, DIFFERENT, or empty if nothing is asserted.
    """

    cells: tuple[Cell, ...]
    ropes: Mapping[str, float]
    stop: Stop | None = None
    expected: str = ""

    @property
    def is_sequence(self) -> bool:
        """Whether the intervals are those of a confidence sequence: of what stops at a decision, no others hold."""
        return self.stop is not None and self.stop.rule == DECIDED

    @property
    def together(self) -> int:
        """How many intervals hold together.

        One a compared cell. Where any of several rows may decide, one a row: the metrics of a decision, or
        all metrics if `different` is asserted. (`same` needs all rows to agree, so it needs no more.)
        """
        pairs, watched, every = len(self.cells) - 1, 0, 0
        for cell in self.cells[1:]:
            simple = [metric for metric in columns(cell).metrics if is_simple(len(metric.by))]
            every += len(simple)
            if self.is_sequence and self.stop:
                watched += sum(metric.name in self.stop.targets for metric in simple)
        return max(pairs, watched, every if self.expected == DIFFERENT else 0)

    def contrasts(self, tallies: Tallies) -> list[list[Contrast]]:
        """Return the rows of each compared cell, from what was played of all."""
        base = tallies(self.cells[0])
        if base is None:
            return [[] for _ in self.cells[1:]]
        return [
            contrast((self.cells[0], base), (cell, tally), self.together, 0.95, self.ropes, self.is_sequence)
            if (tally := tallies(cell)) is not None
            else []
            for cell in self.cells[1:]
        ]

    def is_reached(self, contrasts: Sequence[Sequence[Contrast]]) -> bool:
        """Say whether what was seen lets it stop; a metric that never occurred does not."""
        if self.stop is None:
            return True
        for rows in contrasts:
            for name, target in self.stop.targets.items():
                seen = [row for row in simple_rows(rows) if row.metric.name == name]
                if not seen:
                    return False
                if self.stop.rule == PRECISION:
                    if not is_precise([half_width(row) for row in seen], target):
                        return False
                elif any(row.row.verdict == Verdict.UNDECIDED for row in seen):
                    return False
        return True

    def look(self, contrasts: Sequence[Sequence[Contrast]]) -> list[Look]:
        """Return the rows of looks.csv: differences, by the cell that is compared."""
        if self.stop is None:
            return []
        return [
            Look(row.cell, found.games, row.metric, row.by, row.key, row.difference, half_width(found))
            for rows in contrasts
            for found in simple_rows(rows)
            for row in [found.row]
            if row.metric in self.stop.targets
        ]

    def described(self) -> dict[str, Any]:
        """Return what a manifest holds, for `differences_from`."""
        return {
            "ropes": dict(self.ropes),
            "intervals": "confidence sequence" if self.is_sequence else "simultaneous",
            "together": self.together,
            "tuned_for": TUNED_FOR,
            **({"asserted": self.expected} if self.expected else {}),
        }


def is_simple(keys: int) -> bool:
    """Say whether a metric with so many keys is one that decisions and assertions regard: not two or more."""
    return keys <= 1


def simple_rows(rows: Sequence[Contrast]) -> list[Contrast]:
    """Return the rows that decisions and assertions regard."""
    return [row for row in rows if is_simple(len(row.metric.by))]


def half_width(found: Contrast) -> float:
    """Return half of the width of an interval."""
    return (found.row.high - found.row.low) / 2


def holds(expected: str, contrasts: Sequence[Sequence[Contrast]]) -> bool:
    """Say whether an assertion holds for every compared cell.

    SAME: each metric's difference is practically none (or real but negligible), or its sums are identical in
    every block. DIFFERENT: at least one metric changes. Something undecided is neither.
    """
    if expected == SAME:
        return all(rows and all(row.is_equivalent for row in simple_rows(rows)) for rows in contrasts)
    return all(any(row.row.verdict == Verdict.CHANGES for row in simple_rows(rows)) for rows in contrasts)


def in_the_way(expected: str, rows: Sequence[Contrast]) -> list[Contrast]:
    """Return the rows because of which an assertion does not hold for a cell; for DIFFERENT the undecided ones."""
    if expected == SAME:
        return [row for row in simple_rows(rows) if not row.is_equivalent]
    return [row for row in simple_rows(rows) if row.row.verdict == Verdict.UNDECIDED and not row.is_identical]


def differences_from(described: Any) -> dict[str, Any]:
    """Return the arguments of `results.compare` that a manifest's `comparison` describes, if there is one."""
    if not isinstance(described, Mapping):
        return {}
    ropes = described.get("ropes")
    together = described.get("together")
    return {
        "ropes": {str(name): float(value) for name, value in ropes.items()} if isinstance(ropes, Mapping) else None,
        "is_sequence": described.get("intervals") == "confidence sequence",
        **({"comparisons": together} if isinstance(together, int) and together > 0 else {}),
    }


def comparison_from(manifest: Mapping[str, Any], cells: Sequence[Cell]) -> Comparison | None:
    """Return the comparison that a run's manifest describes, or None if it is none.

    Raises
    ------
    ValueError
        If the manifest is damaged.
    """
    stopping, described = manifest.get("stopping"), manifest.get("comparison")
    stop, stops = None, isinstance(stopping, Mapping) and stopping.get("rule") in (DECIDED, PRECISION)
    if not stops and described is None:
        return None
    try:
        if isinstance(stopping, Mapping) and stops:
            targets = {str(entry["metric"]): float(entry.get("half_width", 0.0)) for entry in stopping["targets"]}
            stop = Stop(str(stopping["rule"]), targets, int(stopping["max_games"]))
        ropes = {str(name): float(value) for name, value in described["ropes"].items()}  # type: ignore[index]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError("'stopping' or 'comparison' is not what it must be") from error
    return Comparison(tuple(cells), ropes, stop, str(described.get("asserted", "")))  # type: ignore[union-attr]


def games_to_settle(rows: Sequence[Contrast]) -> float:
    """Return the games that would settle all undecided rows; nan if that is unknown for one of them."""
    needed = [row.games_to_settle for row in rows if row.row.verdict == Verdict.UNDECIDED]
    return math.nan if any(map(math.isnan, needed)) else max(needed, default=0.0)
