"""What `sweep --dry-run` shows: the cells, and what games, time and precision to expect."""

from __future__ import annotations

import math
import operator
import time
from typing import TYPE_CHECKING, Any

from cli.looking import Amount, target_words
from cli.numbers import count, count_games, duration, half_width, plural
from cli.playing import compile_game
from cli.streams import Streams, Table
from cli.tables import cell_object, varied_words

if TYPE_CHECKING:
    from simcore.cells import Cell, Plan
    from simcore.games import Game
    from simcore.results import Estimate
    from simcore.shards import Shard
    from simcore.tally import Tally

TRIALS = 5
TRIAL_SECONDS = 0.4
TRIAL_GAMES = 50_000
"""At most; that many make blocks small enough for intervals even if only some are played."""
SHOWN = 20


def show(
    streams: Streams, game: Game, planned: Plan, amount: Amount, seed: int, asked: int, shard: Shard | None = None
) -> int:
    """Try some of the cells for a moment and say what the sweep would be; nothing is saved."""
    from simcore.results import estimate
    from simcore.simulation import count_jobs

    jobs = count_jobs(asked or "auto")
    cells = planned.cells
    compile_game(streams, game.NAME, cells)
    # Cells may differ much in their speed, so some from all over the sweep are tried.
    places = sorted({round(place * (len(cells) - 1) / (TRIALS - 1)) for place in range(TRIALS)})
    each: list[float] = []
    widths: dict[str, float] = {}
    games, rule = len(shard.span(amount.games)) if shard else amount.games, amount.rule
    needed: list[int] = []
    tried: list[tuple[int, list[Estimate]]] = []
    for place in places:
        tally, seconds = _try(cells[place], seed, jobs)
        streams.interruption.check()
        each.append(seconds / max(tally.games, 1))
        tried.append((tally.games, estimate(cells[place], tally)))
        needed.append(rule.games_needed(tally.games, rule.look(cells[place], tally)) if rule else games)
    for had, estimates in tried:
        for row in estimates:
            half = (row.high - row.low) / 2 * math.sqrt(had / max(needed))
            if math.isfinite(half) and "+" not in row.by:
                widths[row.metric] = max(half, widths.get(row.metric, 0.0))
    total = round(len(cells) * sum(needed) / len(needed))
    expected = len(cells) * sum(map(operator.mul, needed, each)) / len(each)
    if streams.json:
        results = [{**cell_object(game, cell), "games": 0, "estimates": [], "differences": []} for cell in cells]
        more: dict[str, Any] = {
            "dry_run": True,
            "seed": seed,
            "skipped": [skipped._asdict() for skipped in planned.skipped],
            "expected": {
                "games": total,
                "seconds": expected,
                "games_of_a_cell": {"least": min(needed), "most": max(needed)},
                "half_widths": [{"metric": name, "half_width": half} for name, half in widths.items()],
            },
        }
        streams.put_json(results, **more)
        return 0
    limit = None if streams.verbose else SHOWN
    streams.put(f"{game.NAME}: {plural(len(cells), 'cell')}, {plural(len(planned.skipped), 'combination')} skipped")
    streams.put_table(Table(("cell", "varies"), [(cell.id, varied_words(cell.varied)) for cell in cells[:limit]]))
    _put_more(streams, len(cells), limit)
    if planned.skipped:
        streams.put()
        rows = [(varied_words(skipped.varied), skipped.reason) for skipped in planned.skipped[:limit]]
        streams.put_table(Table(("skipped", "why"), rows))
        _put_more(streams, len(planned.skipped), limit)
    streams.put()
    which = " to ".join(dict.fromkeys(count(number) for number in (min(needed), max(needed))))
    streams.put(f"games  {count(total)}, {which} a cell, seed {seed}")
    if rule:
        streams.put(f"until  {target_words(game, rule.targets)}, at most {count_games(games)} a cell")
    if amount.max_time and expected > amount.max_time:
        streams.put(f"but    --max-time ends it after {duration(amount.max_time)}")
    streams.put(f"time   about {duration(expected)} with {plural(jobs, 'job')}")
    streams.put()
    rates = {metric.name: metric.rate for metric in game.METRICS}
    rows = [(name, half_width(half, rates[name])) for name, half in widths.items()]
    streams.put_table(Table(("metric", "expected 95 % half width"), rows, frozenset({1})))
    for note in planned.notes:
        streams.say(f"note: {note.removesuffix('.')}.")
    return 0


def _put_more(streams: Streams, number: int, limit: int | None) -> None:
    if limit is not None and number > limit:
        streams.put(f"and {number - limit:,} more; -v lists all.")


def _try(cell: Cell, seed: int, jobs: int) -> tuple[Tally, float]:
    """Play a cell for a moment."""
    from simcore.simulation import Simulation

    simulation = Simulation([cell], seed, TRIAL_GAMES, jobs=jobs)
    began = time.perf_counter()
    kept: Tally | None = None
    for update in simulation.run():
        kept = update.tally
        if time.perf_counter() - began >= TRIAL_SECONDS:
            simulation.stop()
    assert kept is not None
    return kept, time.perf_counter() - began
