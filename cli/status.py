"""`shipsim status`: done, missing, precision reached, the command that resumes."""

from __future__ import annotations

import math
from typing import Any

import click

from cli import complete
from cli.numbers import count, half_width, plural
from cli.options import Command, examples, streams_of
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
    failed = manifest.get("failed", {})
    played: dict[str, int] = {}
    widest: dict[str, tuple[float, str]] = {}
    for cell in opened.cells:
        tally = opened.load(cell)
        played[cell.id] = tally.games if tally else 0
        for row in estimate(cell, tally) if tally else []:
            half = (row.high - row.low) / 2
            if "+" not in row.by and math.isfinite(half) and half > widest.get(row.metric, (-1.0, ""))[0]:
                widest[row.metric] = half, cell.id
    done = sum(games >= wanted for games in played.values())
    begun = sum(0 < games < wanted for games in played.values())
    missing = sum(max(0, wanted - games) for games in played.values())
    resume = f"shipsim sweep --resume {run}" if missing or manifest["status"] != "done" else None
    if streams.json:
        found: dict[str, Any] = {
            "run": str(opened.folder),
            "game": game.NAME,
            "seed": manifest["seed"],
            "run_status": manifest["status"],
            "games": wanted,
            "cells": [{"cell": cell.id, "varied": cell.varied, "games": played[cell.id]} for cell in opened.cells],
            "missing": missing,
            "failed": failed,
            "half_widths": [
                {"metric": name, "half_width": half, "cell": cell} for name, (half, cell) in widest.items()
            ],
            "resume": resume,
        }
        streams.put_json(found)
        return 0
    cells = len(opened.cells)
    streams.put(f"{run}: {game.NAME}, {plural(cells, 'cell')}, {count(wanted)} games each, seed {manifest['seed']}")
    streams.put(f"  status    {manifest['status']}")
    streams.put(
        f"  cells     {done:,} of {cells:,} done, {begun:,} begun" + (f", {len(failed)} failed" if failed else "")
    )
    streams.put(f"  games     {count(sum(played.values()))} played, {count(missing)} missing")
    for name, reason in failed.items():
        streams.put(f"  failed    {name}: {reason}")
    if resume:
        streams.put(f"  resume    {resume}")
    else:
        streams.put(f"  go on     shipsim sweep --resume {run} --games N (more than {count(wanted)})")
    streams.put()
    rows = [(name, half_width(half, rates[name]), cell) for name, (half, cell) in widest.items()]
    streams.put_table(Table(("metric", "widest 95 % half width", "in cell"), rows, frozenset({1})))
    return 0
