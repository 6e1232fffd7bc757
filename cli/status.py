"""`shipsim status`: done, missing, precision reached, the command that resumes."""

from __future__ import annotations

import math
from typing import Any

import click

from cli import complete
from cli.findings import resume_line
from cli.looking import Amount, aim_words, amount_words, how_it_stops, target_words
from cli.numbers import count, plural, seen_half_width
from cli.options import Command, examples, streams_of
from cli.running import shard_words
from cli.streams import Streams, Table
from simcore.errors import UsageError
from simcore.games import load


@click.command(
    "status", cls=Command, short_help="How far a run has come.", epilog=examples("shipsim status runs/first")
)
@click.argument("run", required=False, shell_complete=complete.runs)
@streams_of
def command(streams: Streams, run: str | None) -> int:
    """Say what of a run is done and missing, how precise it is, and how to go on."""
    if run is None:
        raise UsageError("the run is missing.", "Give the folder that 'shipsim sweep' made.")

    from simcore.results import estimate
    from simcore.store import Run

    opened = Run.open(run)
    manifest = opened.manifest
    wanted = manifest["games"]
    game = load(manifest["game"])
    rates = {metric.name: metric.rate for metric in game.METRICS}
    rule, sprt, still_open = opened.stopping, opened.sprt, opened.open_cells()
    when, most = how_it_stops(opened)
    failed = manifest.get("failed", {})
    reached: list[str] = []
    over: list[str] = []
    played: dict[str, int] = {}
    widest: dict[str, tuple[float, str]] = {}
    for cell in opened.cells:
        tally = opened.load(cell)
        played[cell.id] = tally.games if tally else 0
        if rule and (record := opened.record(cell)):
            over += [cell.id] if rule.is_over(record) else []
            reached += [cell.id] if rule.is_reached(rule.last(record)) else []
        for row in estimate(cell, tally) if tally else []:
            half = (row.high - row.low) / 2
            if "+" not in row.by and math.isfinite(half) and half > widest.get(row.metric, (-1.0, ""))[0]:
                widest[row.metric] = half, cell.id
    each = len(opened.span)
    done = len(over) if rule else sum(games >= each for games in played.values())
    if sprt:
        done = len(opened.cells) - sum(played[name] < sprt.max_games for name in still_open)
    begun = sum(games > 0 for games in played.values()) - done
    # How many games a precision or a decision needs is not known before.
    missing = None if rule or sprt else sum(max(0, each - games) for games in played.values())
    is_whole = done == len(opened.cells) and manifest["status"] in ("done", "imprecise")
    resume = None if is_whole else resume_line(opened.folder, opened.cells)
    if streams.json:
        found: dict[str, Any] = {
            "run": str(opened.folder),
            "game": game.NAME,
            "seed": manifest["seed"],
            "run_status": manifest["status"],
            "games": wanted,
            "shard": str(opened.shard) if opened.shard else None,
            "cells": [{"cell": cell.id, "varied": cell.varied, "games": played[cell.id]} for cell in opened.cells],
            "missing": missing,
            "stopping": sprt.described() if sprt else None,
            "precision": {**rule.described(), "cells_reached": len(reached)} if rule else None,
            "failed": failed,
            "half_widths": [
                {"metric": name, "half_width": half, "cell": cell} for name, (half, cell) in widest.items()
            ],
            "resume": resume,
        }
        streams.put_json(found)
        return 0
    cells = len(opened.cells)
    amount, part = Amount(wanted, rule.targets if rule else ()), shard_words(opened.shard, wanted)
    words = aim_words(sprt) if sprt else f"{amount_words(game, amount, cells)}{part}"
    streams.put(f"{run}: {game.NAME}, {plural(cells, 'cell')}, {words}, seed {manifest['seed']}")
    streams.put(f"  status    {manifest['status']}")
    streams.put(
        f"  cells     {done:,} of {cells:,} done, {begun:,} begun" + (f", {len(failed)} failed" if failed else "")
    )
    lacking = "" if missing is None else f", {count(missing)} missing"
    streams.put(f"  games     {count(sum(played.values()))} played{lacking}")
    if rule:
        streams.put(
            f"  precision {target_words(game, rule.targets)}: reached in {len(reached):,} of {plural(cells, 'cell')}"
        )
    for name, reason in failed.items():
        streams.put(f"  failed    {name}: {reason}")
    if resume:
        streams.put(f"  resume    {resume}")
    elif opened.shard:
        streams.put("  go on     shipsim merge SHARD... --out RUN, when all shards are there")
    elif not when or (still_open if sprt else len(reached) < cells if rule else manifest["status"] == "imprecise"):
        option = "--max-games" if when else "--games"
        streams.put(f"  go on     {resume_line(run, opened.cells, option, 'N')} (more than {count(most)})")
    streams.put()
    rows = [
        (name, seen_half_width(half, rates[name]) if half else "none, all games alike", cell)
        for name, (half, cell) in widest.items()
    ]
    streams.put_table(Table(("metric", "widest 95 % half width", "in cell"), rows, frozenset({1})))
    return 0
