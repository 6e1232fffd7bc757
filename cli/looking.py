"""Plays cells until they are precise: all to the games of a look, then those that are not to the next one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cli.numbers import count_games, half_width, not_enough, plural, seen_half_width
from cli.options import collect, rank, read_games, read_max_games, read_max_time, read_precision
from cli.playing import Played, play
from cli.streams import Streams
from simcore.errors import UsageError
from simcore.folders import shell
from simcore.games import Game, load

if TYPE_CHECKING:
    from simcore.cells import Cell
    from simcore.stopping import Look, Precision
    from simcore.store import Run
    from simcore.tally import Tally
    from simcore.tournaments import Sprt
    from simcore.workers import Workers

ORDINARY = (
    "stopped at a precision: the intervals are the ordinary ones. Only looks at fixed numbers of games decide, which "
    "leaves their coverage at 95 % (Chow and Robbins, 1965)."
)


class Amount(NamedTuple):
    """How much is to be played: a fixed number of games, or what targets need.

    Attributes
    ----------
    games
        Of each cell; at most, if there are targets.
    targets
        Metrics and half widths; empty: the number of games is fixed.
    max_time
        Seconds, or None.
    """

    games: int
    targets: tuple[tuple[str, float], ...] = ()
    max_time: float | None = None

    @property
    def rule(self) -> Precision | None:
        """The stopping rule, if the number of games is not fixed."""
        from simcore.stopping import Precision

        return Precision(self.targets, self.games) if self.targets else None

    def described(self) -> Any:
        """Return what a manifest says about stopping."""
        rule = self.rule
        return {**rule.described(), "max_time": self.max_time} if rule else "fixed number of games"


def read_amount(
    context: click.Context, game: Game, games: str | None, precision: Sequence[str], most: str | None, limit: str | None
) -> Amount:
    """Read --games, or --precision with --max-games and --max-time.

    Raises
    ------
    UsageError
        For whatever is wrong in them, and if both kinds are given.
    """
    limits, fixed = [("--max-games", "max_games", most), ("--max-time", "max_time", limit)], rank(context, "games")
    if precision and games is not None:
        open_ended = rank(context, "precision")
        if fixed == open_ended:
            raise UsageError(
                "--games fixes the number of games, which --precision leaves open.",
                "Leave one of them out, or write --max-games N for the most games.",
            )
        if fixed > open_ended:
            # The command line beats the environment, and that a file.
            precision = ()
    if not precision:
        for option, name, given in limits:
            # A limit from further away goes with the precision that it belongs to.
            if given is not None and rank(context, name) >= fixed:
                raise UsageError(
                    f"{option} says when to give up a precision, but there is no --precision.",
                    "Write --precision 0.1pp, or --games N for a fixed number of games.",
                )
        return Amount(read_games("100k" if games is None else games))
    targets, number, seconds = collect(
        lambda: read_precision(game, precision), lambda: read_max_games(most), lambda: read_max_time(limit)
    )
    return Amount(number, targets, seconds)


def amount_words(game: Game, amount: Amount, cells: int) -> str:
    """Return how much is played of each of so many cells, in words."""
    games = count_games(amount.games) + (" each" if cells > 1 else "")
    return f"until {target_words(game, amount.targets)}, at most {games}" if amount.targets else games


def aim_words(rule: Sprt) -> str:
    """Return when a tournament stops, in words."""
    shown = f"until edges are shown to be above 0 or below {half_width(rule.edge)[1:]}"
    return f"{shown}, at most {count_games(rule.max_games)} each"


def target_words(game: Game, targets: Sequence[tuple[str, float]]) -> str:
    """Return targets in words: ``match_win ±0.1 pp and passes ±0.5``."""
    rates = {metric.name: metric.rate for metric in game.METRICS}
    return " and ".join(f"{name} {half_width(value, rates[name])}" for name, value in targets)


class Looked(NamedTuple):
    """What came of it.

    Attributes
    ----------
    played
        As `play` says; cells that are over play no further game.
    records
        Of each cell by its id: the looks at it.
    missed
        Cells that ended without reaching the targets, and those that are not over.
    is_late
        Whether the time was up.
    """

    played: Played
    records: dict[str, list[Look]]
    missed: int
    is_late: bool

    @property
    def stopped_by(self) -> str:
        """What a manifest says about the end."""
        return "max_time" if self.is_late else "max_games" if self.missed else "precision"


def play_looks(
    streams: Streams,
    cells: Sequence[Cell],
    seed: int,
    rule: Precision,
    workers: Workers,
    keep: Callable[[Cell, Tally, list[Look]], None],
    load: Callable[[Cell], Tally | None],
    record: Callable[[Cell], list[Look]] = lambda cell: [],
    max_time: float | None = None,
) -> Looked:
    """Play cells until a rule stops them; a signal or the end of the time ends it in order.

    Parameters
    ----------
    streams, cells, seed, workers
        As `play` takes them.
    rule
        Says where the looks are and what they must see.
    keep
        Is given each cell's tally and the looks at it, now and then and at every look.
    load, record
        Give what was played of a cell, `keep` being the last who knew, and the looks at it before this start.
    max_time
        Seconds for all of it.
    """
    began = time.monotonic()
    until = math.inf if max_time is None else began + max_time
    records = {cell.id: record(cell) for cell in cells}
    have = {cell.id: tally.games if (tally := load(cell)) else 0 for cell in cells}
    failed: dict[str, str] = {}
    games, is_late = 0, False
    for look in rule.looks():
        todo = [c for c in cells if c.id not in failed and have[c.id] <= look and not rule.is_over(records[c.id])]
        if not todo:
            continue

        def look_at(cell: Cell, tally: Tally, look: int = look) -> None:
            rows = records[cell.id]
            if tally.games == look and not any(row.games == look for row in rows):
                rows += rule.look(cell, tally)
            have[cell.id] = tally.games
            keep(cell, tally, rows)

        played = play(streams, todo, seed, look, workers, look_at, load, until)
        games += played.games
        failed |= played.failed
        if streams.interruption.exit_code:
            break
        if played.cells < len(todo):
            is_late = True
            break
        _say_look(streams, rule, look, cells, records)
    over = sum(cell.id in failed or rule.is_over(records[cell.id]) for cell in cells)
    missed = sum(not rule.is_reached(rule.last(records[cell.id])) for cell in cells)
    return Looked(Played(games, time.monotonic() - began, over, failed), records, missed, is_late)


def _say_look(
    streams: Streams, rule: Precision, look: int, cells: Sequence[Cell], records: dict[str, list[Look]]
) -> None:
    """Say how wide the intervals are after a look, against the targets."""
    lasts = [rule.last(records[cell.id]) for cell in cells]
    rates = {metric.name: metric.rate for metric in load(cells[0].game).METRICS}
    shown = []
    for name, value in rule.targets:
        widest = max((row.half_width for rows in lasts for row in rows if row.metric == name), default=math.nan)
        shown.append(f"{name} {seen_half_width(widest, rates[name])} (target {half_width(value, rates[name])})")
    ready = sum(rule.is_reached(rows) for rows in lasts)
    which = f"{ready:,} of {plural(len(cells), 'cell')} precise; widest " if len(cells) > 1 else ""
    streams.say(f"look at {count_games(look)}: {which}{', '.join(shown)}.")


def say_missed(
    streams: Streams, game: Game, looked: Looked, rule: Precision, cells: int, more: str, *, is_saved: bool
) -> None:
    """Say that some cells did not become precise, and what would help; or what the intervals are."""
    if not looked.missed:
        streams.say(ORDINARY)
        return
    why = "the time was up" if looked.is_late else not_enough(rule.max_games)
    which = f" in {looked.missed:,} of {plural(cells, 'cell')}" if cells > 1 else ""
    kept = " The results are kept." if is_saved else ""
    streams.complain(f"not reached{which}: {target_words(game, rule.targets)}; {why}.{kept}")
    if looked.is_late:
        streams.say(f"note: a stop by time is not reproducible{'; the manifest says so' if is_saved else ''}.")
    streams.say(more)


def how_it_stops(run: Run) -> tuple[str, int]:
    """Return when a run stops by itself, in words, and the most games of a cell; no words for a fixed number."""
    from simcore.deciding import comparison_from

    compared = comparison_from(run.manifest, run.cells)
    if compared and (stop := compared.stop):
        names = f"{' and '.join(stop.targets)} {'is' if len(stop.targets) == 1 else 'are'} decided"
        return f"when {names}" if compared.is_sequence else "at a precision", stop.max_games
    if run.sprt:
        return "when an edge is decided", run.sprt.max_games
    return ("at a precision", run.stopping.max_games) if run.stopping else ("", run.manifest["games"])


def read_more(run: Run, games: str | None, most: str | None, limit: str | None) -> tuple[int, float | None]:
    """Return the games (or the most games) and the seconds asked for when a run goes on, 0 and None if not.

    Raises
    ------
    UsageError
        If that is not how this run stops, or it has or is to have more games anyway.
    """
    folder, (when, planned) = str(run.folder), how_it_stops(run)
    if not when and (most is not None or limit is not None):
        option = "--max-games" if most is not None else "--max-time"
        raise UsageError(
            f"{option} is for runs that stop by themselves; '{folder}' has a fixed number of games.",
            "Write --games N for more games.",
        )
    go_on = shell("sweep", "--resume", folder)
    for option, value in (("--games", games), ("--max-time", limit if run.sprt else None)):
        if when and value is not None:
            raise UsageError(
                f"'{folder}' stops {when}, which {option} cannot change.",
                f"Leave {option} out to go on as planned, up to {count_games(planned)} a cell.",
                f"Write '{go_on} --max-games N' to let it play more.",
            )
    option = "--max-games" if when else "--games"
    number, seconds = collect(
        lambda: read_games(games) if games is not None else read_max_games(most) if most is not None else 0,
        lambda: read_max_time(limit),
    )
    if 0 < number < planned:
        raise UsageError(
            f"{option} {number:,} is less than the {count_games(planned)} a cell that '{folder}' has or is to have.",
            f"Leave {option} out to go on as planned: '{go_on}'.",
            "A larger number lets it play more.",
        )
    return number, seconds
