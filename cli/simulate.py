"""`shipsim simulate`: one rule set, a summary on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from cli.looking import Amount, amount_words, play_looks, read_amount, say_missed
from cli.numbers import count, count_games, duration, plural
from cli.options import (
    PATH,
    Command,
    collect,
    examples,
    executor_option,
    game_argument,
    jobs_option,
    precision_options,
    rank,
    read_base,
    read_executor,
    read_game,
    read_jobs,
    read_seed,
    read_shard,
    rules_options,
    seed_option,
    shard_option,
    streams_of,
)
from cli.raw import MOST_GAMES, read_raw, write_raw
from cli.rules import say_assumed
from cli.running import play_run, shard_words
from cli.streams import Streams, command_line
from simcore.errors import UsageError
from simcore.folders import check_new

if TYPE_CHECKING:
    from pathlib import Path

    from simcore.cells import Cell
    from simcore.games import Game
    from simcore.stopping import Look
    from simcore.tally import Tally
    from simcore.workers import Workers


@click.command(
    "simulate",
    cls=Command,
    short_help="One rule set, a summary on the terminal.",
    epilog=examples(
        "shipsim simulate my-ship-sails --set players=5 --games 1M",
        "shipsim simulate my-ship-sails --preset ochse --strategy patient:patience=4",
    ),
)
@game_argument
@rules_options
@click.option("--games", metavar="N", help="Matches to play, such as 10M.  [default: 100k]")
@precision_options
@seed_option
@jobs_option
@executor_option
@shard_option
@click.option("--out", metavar="DIR", type=PATH, help="Save a run.  [default: nothing is saved]")
@click.option("--raw", metavar="FILE", type=PATH, help="Write a row for each match: .csv or .parquet.")
@click.pass_context
@streams_of
def command(
    streams: Streams,
    context: click.Context,
    /,
    game: str | None,
    games: str | None,
    precision: Sequence[str],
    max_games: str | None,
    max_time: str | None,
    seed: str,
    jobs: str,
    executor: str,
    shard: str | None,
    out: str | None,
    raw: str | None,
    **base: Any,
) -> int:
    """Play one rule set, and show who wins and everything else that is recorded."""
    from simcore.cells import plan

    known = read_game(game, "simulate")
    sources, amount, drawn, asked, where, _, file = collect(
        lambda: read_base(known, **base),
        lambda: read_amount(context, known, games, precision, max_games, max_time),
        lambda: read_seed(seed),
        lambda: read_jobs(jobs),
        lambda: read_executor(executor),
        lambda: None if out is None else check_new(out),
        lambda: None if raw is None else read_raw(raw),
    )
    if file is not None:
        _check_raw(context, amount)
    planned = plan(known, sources)
    cell = planned.cells[0]
    part = read_shard(shard, amount.games, bool(amount.targets))
    if part and out is None:
        raise UsageError("--shard plays a part that is merged with others later.", "Write --out DIR.")

    # From here on it takes time: everything that can be wrong was looked at before.
    from cli.playing import compile_game, try_own
    from cli.tables import in_words
    from simcore.store import Run, make_manifest
    from simcore.workers import open_workers

    streams.say(f"{known.NAME}: {in_words(known, cell)}.")
    for note in planned.notes:
        streams.say(f"note: {note}.")
    words = amount_words(known, amount, 1)
    streams.say(f"{words}{shard_words(part, amount.games)}, seed {drawn}.")
    try_own(streams, [cell], drawn)
    with open_workers(where, asked) as workers:
        if out is not None:
            described = {"axes": [], "design": "grid", "stopping": amount.described(), "skipped": []}
            if part:
                described["shard"] = str(part)
            words = command_line(streams.words)
            manifest = make_manifest([cell], drawn, amount.games, command=words, **described)
            return play_run(streams, lambda: Run.create(out, manifest, [cell]), workers)
        if file is not None:
            compile_game(streams, known.NAME, [cell])
            return _write(streams, cell, file, drawn, amount.games, workers.jobs)
        return _play(streams, known, cell, amount, drawn, workers)


def _play(streams: Streams, known: Game, cell: Cell, amount: Amount, drawn: int, workers: Workers) -> int:
    """Play the rule set without saving anything, and show what came of it."""
    from cli.playing import compile_game, play
    from cli.tables import cell_object, put_summary, row_object
    from simcore.results import estimate

    compile_game(streams, known.NAME, [cell])
    kept: list[Tally] = []

    def keep(cell: Cell, tally: Tally, record: Sequence[Look] = ()) -> None:
        kept[:] = [tally]

    rule, looked = amount.rule, None
    if rule is None:
        played = play(streams, [cell], drawn, amount.games, workers, keep)
    else:
        looked = play_looks(
            streams,
            [cell],
            drawn,
            rule,
            workers,
            keep,
            lambda cell: kept[0] if kept else None,
            max_time=amount.max_time,
        )
        played = looked.played
    rows = estimate(cell, kept[0]) if kept else []
    is_late = looked is not None and looked.is_late
    is_interrupted = not played.cells and not is_late
    is_imprecise = looked is not None and looked.missed > 0
    code = 5 if played.failed else streams.interruption.exit_code if is_interrupted else 4 if is_imprecise else 0
    status = {5: "failed", 4: "imprecise", 0: "done"}.get(code, "interrupted")
    for reason in played.failed.values():
        streams.complain(f"error: {reason}.")
        see = "See docs/own-strategies.md; the" if any(any(seat.own) for seat in cell.seats) else "The"
        streams.complain(f"  {see} games before it are counted.")
    if streams.json:
        found = {
            **cell_object(known, cell),
            "games": kept[0].games if kept else 0,
            "seed": drawn,
            "estimates": [row_object(row) for row in rows],
        }
        more: dict[str, Any] = {}
        if looked is not None and not is_interrupted:
            more = {"stopping": amount.described(), "stopped_by": looked.stopped_by, "reproducible": not is_late}
        streams.put_json([found], status, code, **more)
        return code
    if rows:
        put_summary(streams, known, cell, rows)
    say_assumed(streams, known)
    if is_interrupted:
        streams.say(f"interrupted after {count(played.games)} of {count_games(amount.games)}.")
    else:
        if rule and looked:
            limit = "a longer --max-time" if is_late else "a larger --max-games"
            advice = (
                f"Let it play more with {limit}, or aim lower. Nothing is saved; --out DIR saves a run that can go on."
            )
            say_missed(streams, known, looked, rule, 1, advice, is_saved=False)
        streams.say(f"played {count_games(played.games)} in {duration(played.seconds)}.")
    return code


def _check_raw(context: click.Context, amount: Amount) -> None:
    for name in ("out", "shard", "executor"):
        if rank(context, name):
            raise UsageError(
                f"--raw writes one table at once, and does not go with --{name}.", "Leave one of them out."
            )
    if amount.targets:
        raise UsageError("--raw needs a fixed number of games, which --precision leaves open.", "Write --games N.")
    if amount.games > MOST_GAMES:
        raise UsageError(
            f"--raw: {amount.games:,} games are too many; a row is written for each.", "At most: --games 10M."
        )


def _write(streams: Streams, cell: Cell, file: Path, seed: int, games: int, jobs: int) -> int:
    """Write a row for each match, and return the exit code."""
    from simcore.results import columns

    scales = {metric.name: metric.scale for metric in columns(cell).metrics if metric.scale != 1}
    is_stopped = False

    def stop() -> None:
        nonlocal is_stopped
        is_stopped = True

    with streams.interruption.gracefully(stop):
        written = write_raw(file, cell, seed, games, jobs, lambda: is_stopped)
    code = 0 if written else streams.interruption.exit_code
    if streams.json:
        found = {"file": str(file), "cell": cell.id, "games": written, "seed": seed, "scales": scales}
        streams.put_json([found] if written else [], "done" if written else "interrupted", code)
    elif written:
        streams.say(f"wrote {file}: {plural(written, 'match', 'matches')}.")
        scaled = ", ".join(f"{name} by {scale:,}" for name, scale in scales.items())
        streams.say(f"All numbers are whole, so these are multiplied: {scaled}.")
    if not written:
        streams.say(f"interrupted: nothing was kept of {file}.")
    return code
