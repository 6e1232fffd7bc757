"""What a run found, in sentences from templates: the largest effect first, each with interval and verdict."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from reports import silent, words
from reports.baselines import told_differences
from reports.frames import each
from reports.load import Saved
from reports.plans import plan
from simcore import results, stats
from simcore.stats import Verdict

MOST = 7
SAME_KIND = 2
"""Findings about one varied rule before others have their turn."""
MOST_PAIRS = 3
"""Rule sets without any effect that are named."""
SURE = 0.05
"""Below it, adjusted for the number of rule sets, seats are called unequal."""


class Finding(NamedTuple):
    """A finding: the name of its template, what the template needs, its size, and the figure it belongs to.

    `effect` is the least that the interval leaves of it, in units of what would not matter; `metric` is
    (name, by); `rows` are the differences whose numbers it gives: (cell, baseline, metric, by, key).
    """

    kind: str
    values: dict[str, Any]
    effect: float
    metric: tuple[str, str]
    rows: tuple[tuple[str, ...], ...] = ()


def comparable(saved: Saved, differences: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the differences (those of the file) that are findings, largest effect first.

    With more players or fewer everybody's part is another one, which is no finding. What is split by round or by
    two keys is a detail: with other rounds, the first of them is another round.
    """
    frame = saved.differences if differences is None else differences
    trivial = frame["metric"].isin(words.SHARES) & has_other_players(saved, frame)
    detail = frame["by"].eq("round") | frame["by"].str.contains("+", regex=False)
    kept: pd.DataFrame = frame[~trivial & ~detail].sort_values("effect", ascending=False, kind="stable")
    return kept


def has_other_players(saved: Saved, frame: pd.DataFrame) -> pd.Series[bool]:
    """Return for each difference whether its two cells have different numbers of players."""
    players = {name: cell.rules.players for name, cell in saved.cells.items()}
    return frame["cell"].map(players) != frame["baseline"].map(players)


def headlines(saved: Saved, ordered: pd.DataFrame) -> pd.DataFrame:
    """Return rows in their order, but last those that only count what happens more often with more cards."""
    counts = ordered["metric"].isin(plan(saved.game.NAME).get("counts", []))
    return pd.concat([ordered[~counts], ordered[counts]])


def seat_table(saved: Saved) -> pd.DataFrame:
    """Return for each cell how unequal the seats are.

    Columns: cell, seat (that is furthest from the mean of the seats), share, deviation, low, high, statistic,
    freedom, p (Holm's, over the cells), verdict.
    """
    rows = []
    wins = saved.estimates[(saved.estimates["metric"] == "match_win") & (saved.estimates["by"] == "seat")]
    for name, frame in wins.groupby("cell", sort=False):
        cell = saved.cells[str(name)]
        tally = saved.tally(cell)
        if tally is None:
            continue
        found = results.columns(cell)
        places = [i for i, metric in enumerate(found.metrics) if metric.name == "match_win" and metric.by == ("seat",)]
        sums, games = (part[:, places] for part in found.pick(tally.rows))
        test = stats.seat_test(sums, games, found.scale[places])
        mean = float(frame["estimate"].mean())
        furthest: Any = frame.iloc[int(np.argmax((frame["estimate"] - mean).abs()))]
        rows.append(
            {
                "cell": name,
                "seat": str(furthest["key"]),
                "share": float(furthest["estimate"]),
                "deviation": float(furthest["estimate"]) - mean,
                "low": float(furthest["low"]) - mean,
                "high": float(furthest["high"]) - mean,
                "statistic": test.statistic,
                "freedom": test.freedom,
                "p": test.p_value,
            }
        )
    columns = ["cell", "seat", "share", "deviation", "low", "high", "statistic", "freedom", "p"]
    table = pd.DataFrame(rows, columns=columns)
    known = table["p"].notna()
    table.loc[known, "p"] = stats.holm(table.loc[known, "p"])
    rope = _share_rope(saved)
    table["verdict"] = [_seat_verdict(row.low, row.high, row.p, rope) for row in each(table)]
    return table


def _share_rope(saved: Saved) -> float:
    """Return by how much a share of wins may differ before it matters: what was asked for, or the usual."""
    ropes = saved.differences.loc[saved.differences["metric"] == "match_win", "rope"]
    return float(ropes.max()) if len(ropes) else results.NEGLIGIBLE_RATE


def _seat_verdict(low: float, high: float, p: float, rope: float) -> str:
    """Return a verdict on the furthest of many seats: its interval alone would promise too much."""
    found = Verdict(str(stats.verdict(low, high, rope)))
    if found in (Verdict.CHANGES, Verdict.NEGLIGIBLE) and not p < SURE:
        return str(Verdict.SAME if found == Verdict.NEGLIGIBLE else Verdict.UNDECIDED)
    return str(found)


def find(saved: Saved, seats: pd.DataFrame) -> list[Finding]:
    """Return the findings, at most MOST.

    Of the changes those are told first that answer what is asked first of a game; all stand in the order of their size.
    """
    names = words.labels(saved)
    told = told_differences(saved)
    saved = saved._replace(differences=told)
    alike = silent.find(saved)
    ordered = comparable(saved)
    ordered = ordered[~ordered["cell"].isin(alike.cells)]
    tail = [
        finding
        for finding in (_silent(alike), _same(saved, ordered, told), _undecided(saved, names, ordered))
        if finding
    ]
    seat = _seats(saved, names, seats)
    room = MOST - len(tail) - len(seat)
    sure = headlines(saved, ordered.sort_values("sure", ascending=False, kind="stable"))
    changes = _various(saved, sure[sure["verdict"] == Verdict.CHANGES], room)
    found = [_change(saved, names, row, _part(saved, ordered, row), _opposite(sure, row)) for row in changes]
    wins = ordered[ordered["metric"] == "match_win"]
    if len(found) < room and len(wins) and not any(row.metric == "match_win" for row in changes):
        found.append(_change(saved, names, next(each(wins))))
    if not len(ordered):
        found += _facts(saved, names)[: room - len(found)]
    return sorted([*found, *seat], key=lambda finding: -finding.effect) + tail


def _various(saved: Saved, changes: pd.DataFrame, room: int) -> list[Any]:
    """Return the rows of the changes that are told, of each metric one, the surest large ones.

    Each question that is asked of the game has one answer before any has a second, and all of them before what nobody
    asks first. No rule is told more than
    SAME_KIND times while others change something. What other numbers of players change is told once, if anything else
    changes something.
    """
    by_players = has_other_players(saved, changes)
    across = [] if by_players.all() else list(each(changes[by_players]))
    rows = list(each(changes if by_players.all() else changes[~by_players]))
    asked = [set(names) for names in plan(saved.game.NAME)["asked"]]
    counted: Counter[str] = Counter()
    kept: list[Any] = []

    def answers(row: Any, question: int) -> bool:
        name = f"{row.metric} by {row.by}" if row.by else row.metric
        return name in asked[question] if question < len(asked) else not any(name in names for names in asked)

    def tell(question: int, limited: bool) -> bool:
        for row in rows:
            rules, limit = _rules_of(saved, row)
            is_told = any(row.metric == other.metric for other in kept)
            if not is_told and answers(row, question) and (not limited or counted[rules] < limit):
                counted.update([rules])
                kept.append(row)
                return True
        return False

    free = room - 1 if across else room
    for question in range(len(asked)):
        if len(kept) < free:
            tell(question, limited=True) or tell(question, limited=False)
    # Then what else answers a question, and at last what nobody asked.
    for questions in (range(len(asked)), [len(asked)]):
        while len(kept) < free and any(tell(question, limited) for limited in (True, False) for question in questions):
            pass
    names = {row.metric for row in kept}
    left = [row for row in across if row.metric not in names]
    left.sort(key=lambda row: not any(answers(row, question) for question in range(len(asked))))
    return kept + left[:1]


def _rules_of(saved: Saved, row: Any) -> tuple[str, int]:
    """Return what a difference is due to, and how often that is told while others wait."""
    groups = words.changed(saved, saved.cells[row.cell], saved.cells[row.baseline])
    # Of several changes at once nobody can say which one did it: one such finding is enough.
    return (":".join(groups[0]), SAME_KIND) if len(groups) == 1 else ("several", 1)


def _part(saved: Saved, ordered: pd.DataFrame, row: Any) -> str:
    """Return which seat or place a change is about, and whether all of them change the same way."""
    part = words.part(row.by, row.key)
    players = {saved.cells[name].rules.players for name in (row.cell, row.baseline)}
    if row.by not in ("seat", "place") or len(players) > 1:
        return part
    names = ["cell", "baseline", "metric", "by"]
    others = ordered[(ordered[names] == [getattr(row, name) for name in names]).all(axis=1)]
    is_alike = (others["verdict"] == Verdict.CHANGES) & (others["difference"] * row.difference > 0)
    return f"every {row.by}, such as {part}" if is_alike.all() else part


def _opposite(sure: pd.DataFrame, row: Any) -> Any:
    """Return the largest change of the same number in the other direction, or None."""
    names = ["baseline", "metric", "by", "key", "verdict"]
    others = sure[(sure[names] == [getattr(row, name) for name in names]).all(axis=1)]
    return next(each(others[others["difference"] * row.difference < 0]), None)


def _change(saved: Saved, names: dict[str, str], row: Any, part: str | None = None, opposite: Any = None) -> Finding:
    metric = saved.metrics[row.metric, row.by]
    places = words.decimals(metric, row.low, row.high)
    own = words.decimals(metric, row.estimate_low, row.estimate_high)
    values = {
        "cell": names[row.cell],
        "baseline": names[row.baseline],
        "meaning": metric.meaning.split(";")[0],
        "part": words.part(row.by, row.key) if part is None else part,
        "estimate": words.amount(metric, row.estimate, own),
        "interval": words.interval(metric, row.estimate_low, row.estimate_high, own),
        "difference": words.more_or_less(metric, row.difference, places),
        "difference_interval": words.interval(metric, row.low, row.high, places),
        "known": words.known(row.verdict, row.low, row.high, words.limit(metric, row.rope)),
        "verdict": row.verdict,
        "fair": words.plain(100 / saved.cells[row.cell].rules.players, 1),
        "opposite": "",
    }
    kind = "share" if row.metric == "match_win" and row.by == "seat" else "change"
    quoted = [(row.cell, row.baseline, row.metric, row.by, row.key)]
    if opposite is not None:
        places = words.decimals(metric, opposite.low, opposite.high)
        size = words.more_or_less(metric, opposite.difference, places)
        values["opposite"] = (
            f"with {names[opposite.cell]}, {size} {words.interval(metric, opposite.low, opposite.high, places)}"
        )
        quoted.append((opposite.cell, opposite.baseline, row.metric, row.by, row.key))
    return Finding(kind, values, float(row.sure), (row.metric, row.by), tuple(quoted))


def _seats(saved: Saved, names: dict[str, str], seats: pd.DataFrame) -> list[Finding]:
    """Return the finding about the cell whose seats are the least equal."""
    if not len(seats):
        return []
    metric = saved.metrics["match_win", "seat"]
    sure = seats[seats["p"] < SURE]
    pool = sure if len(sure) else seats
    row: Any = pool.iloc[int(np.argmax(pool["deviation"].abs()))]
    places = words.decimals(metric, row["low"], row["high"])
    values = {
        "cell": names[row["cell"]],
        "cells": len(seats),
        "unequal": len(sure),
        "seat": row["seat"],
        "share": words.amount(metric, row["share"], places),
        "deviation": words.more_or_less(metric, row["deviation"], places),
        "interval": words.interval(metric, row["low"], row["high"], places),
        "chance": _chance(row["p"] if len(sure) else seats["p"].min(), len(seats), len(sure) > 0),
        "known": _known_of_seat(saved, seats, row, len(sure) > 0),
        "verdict": row["verdict"],
    }
    ends = row["low"], row["high"]
    is_sure = len(sure) > 0 and ends[0] * ends[1] > 0
    effect = min(map(abs, ends)) / _share_rope(saved) if is_sure else 0.0
    return [Finding("unequal_seats" if len(sure) else "equal_seats", values, effect, ("match_win", "seat"))]


def _chance(p: float, cells: int, is_unequal: bool) -> str:
    """Return how likely seats so unequal are by chance alone, if they are equal; nothing if that is not known."""
    if math.isnan(p):
        return ""
    size = "below 0.001" if p < 0.001 else words.plain(p, 3 if p < 0.1 else 2)
    if cells > 1 and not is_unequal:
        return f"the smallest p after Holm is {size}"
    return f"by chance with p {size}" + (" after Holm" if cells > 1 else "")


def _known_of_seat(saved: Saved, seats: pd.DataFrame, row: Any, is_unequal: bool) -> str:
    """Return what is known of the furthest seat where its interval and the test of all seats seem to disagree."""
    most = words.limit(saved.metrics["match_win", "seat"], _share_rope(saved))
    excludes_none = row["low"] > 0 or row["high"] < 0
    if is_unequal and excludes_none:
        return words.known(row["verdict"], row["low"], row["high"], most)
    if is_unequal:
        return "That is sure of all seats together, not of this one alone."
    if not excludes_none:
        return ""
    number = sum(saved.cells[str(name)].rules.players for name in seats["cell"])
    within = f", and by less than what matters ({most})" if row["verdict"] == Verdict.SAME else ""
    return f"As the furthest of {number} seats it may be so far off by chance{within}."


def _silent(alike: silent.Silent) -> Finding | None:
    """Return what not one game is changed by."""
    if not alike.pairs:
        return None
    pairs = [f"{one} and {other}" for one, other in alike.pairs]
    values = {"pairs": pairs[:MOST_PAIRS], "more": max(len(pairs) - MOST_PAIRS, 0)}
    return Finding("silent", values, 0.0, ("", ""))


def _same(saved: Saved, ordered: pd.DataFrame, told: pd.DataFrame) -> Finding | None:
    """Return which metrics nothing changes by what matters, nor in a row that is no finding."""
    same = ordered["verdict"].isin([Verdict.SAME, Verdict.NEGLIGIBLE])
    changing = {*ordered.loc[~same, "metric"], *told.loc[told["verdict"] == Verdict.CHANGES, "metric"]}
    names = sorted(set(ordered["metric"]) - changing)
    if not names:
        return None
    real = ordered[ordered["metric"].isin(names) & (ordered["verdict"] == Verdict.NEGLIGIBLE)]
    largest = real.drop_duplicates("metric")
    smaller = []
    for row in each(largest):
        metric = saved.metrics[row.metric, row.by]
        size = words.plain(abs(words.scaled(metric, row.difference)), words.decimals(metric, row.low, row.high))
        shown = words.points(size) if metric.rate else size
        smaller.append(f"{words.title(metric)} (by up to {shown}; {words.limit(metric, row.rope)} would matter)")
    alike = [name.replace("_", " ") for name in names if name not in set(largest["metric"])]
    return Finding("same", {"metrics": alike, "smaller": smaller}, 0.0, (names[0], ""))


def _undecided(saved: Saved, names: dict[str, str], ordered: pd.DataFrame) -> Finding | None:
    """Return how much is undecided, and what would settle the largest of it."""
    open_ = ordered[ordered["verdict"] == Verdict.UNDECIDED]
    known = open_[open_["low"].notna()]
    # What matters most to players comes first.
    wins = known[known["metric"] == "match_win"]
    known = wins if len(wins) else known
    if not len(open_):
        return None
    values: dict[str, Any] = {"number": len(open_), "all": len(ordered), "largest": None}
    rows: tuple[tuple[str, ...], ...] = ()
    row: Any = next(each(known if len(known) else open_))
    metric = saved.metrics[row.metric, row.by]
    if len(known):
        games = int(saved.played["games"][row.cell])
        needed = float(stats.games_to_settle(row.low, row.high, row.rope, games))
        places = words.decimals(metric, row.low, row.high)
        change = _change(saved, names, row)
        rows = change.rows
        values["largest"] = {
            **change.values,
            "interval": words.interval(metric, row.low, row.high, places),
            "games": _round_count(needed) if needed < results.FAR * games else None,
            "wins": len(wins) > 0,
        }
    return Finding("undecided", values, 0.0, (row.metric, row.by), rows)


def _facts(saved: Saved, names: dict[str, str]) -> list[Finding]:
    """Return what is to be said of a single rule set: the game's length, and what can happen once a round."""
    found = []
    cell = saved.baseline
    frame = saved.estimates[(saved.estimates["cell"] == cell.id) & (saved.estimates["by"] == "")]
    wanted = [saved.game.LONGEST, "rounds", "stalemate", "no_winner", "match_tie"]
    for row in each(frame[frame["metric"].isin(wanted) & (frame["estimate"] > 0)]):
        metric = saved.metrics[row.metric, row.by]
        places = words.decimals(metric, row.low, row.high)
        values = {
            "cell": names[cell.id],
            "meaning": metric.meaning.split(";")[0],
            "estimate": words.amount(metric, row.estimate, places),
            "interval": words.interval(metric, row.low, row.high, places),
        }
        found.append(Finding("fact", values, 0.0, (metric.name, "")))
    return found


def _round_count(games: float) -> str:
    """Return a number of games in words, with two digits that mean something."""
    if not math.isfinite(games):
        return ""
    unit = 10 ** max(int(math.log10(max(games, 1))) - 1, 0)
    return f"{int(np.ceil(games / unit)) * unit:,}"
