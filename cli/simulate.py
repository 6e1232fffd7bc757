"""`shipsim simulate`: one rule set, a summary on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from cli.looking import Amount, amount_words, play_looks, read_amount, say_missed
from cli.numbers import count, count_games, duration, plural
from cli.options import (
    Command,
    collect,
    examples,
    game_argument,
    jobs_option,
    precision_options,
    read_base,
    read_game,
    read_jobs,
    read_seed,
    rules_options,
    seed_option,
    streams_of,
)
from cli.raw import MOST_GAMES, read_raw, write_raw
from cli.streams import Streams
from simcore.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from simcore.cells import Cell
    from simcore.stopping import Look
    from simcore.tally import Tally


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
@click.option("--raw", metavar="FILE", type=click.Path(), help="Write a row for each match: .csv or .parquet.")
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
    raw: str | None,
    **base: Any,
) -> int:
    """Play one rule set, and show who wins and everything else that is recorded."""
    from simcore.cells import plan

    known = read_game(game, "simulate")
    sources, amount, drawn, asked, file = collect(
        lambda: read_base(known, **base),
        lambda: read_amount(context, known, games, precision, max_games, max_time),
        lambda: read_seed(seed),
        lambda: read_jobs(jobs),
        lambda: None if raw is None else read_raw(raw),
    )
    if file is not None:
        _check_raw(amount)
    planned = plan(known, sources)
    cell = planned.cells[0]

    # From here on it takes time: everything that can be wrong was looked at before.
    from cli.playing import compile_game, play, try_own
    from cli.tables import cell_object, in_words, put_summary, row_object
    from simcore.results import estimate
    from simcore.simulation import count_jobs

    streams.say(f"{known.NAME}: {in_words(known, cell)}.")
    for note in planned.notes:
        streams.say(f"note: {note}.")
    streams.say(f"{amount_words(known, amount).removesuffix(' each')}, seed {drawn}.")
    compile_game(streams, known.NAME)
    try_own(streams, [cell], drawn)
    if file is not None:
        return _write(streams, cell, file, drawn, amount.games, count_jobs(asked or "auto"))
    kept: list[Tally] = []

    def keep(cell: Cell, tally: Tally, record: Sequence[Look] = ()) -> None:
        kept[:] = [tally]

    jobs_used, rule, looked = count_jobs(asked or "auto"), amount.rule, None
    if rule is None:
        played = play(streams, [cell], drawn, amount.games, jobs_used, keep)
    else:
        looked = play_looks(
            streams,
            [cell],
            drawn,
            rule,
            jobs_used,
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
        streams.complain("  See docs/own-strategies.md; the games before it are counted.")
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
    for sentence in known.ASSUMED:
        streams.say(sentence)
    if is_interrupted:
        streams.say(f"interrupted after {count(played.games)} of {count_games(amount.games)}.")
    else:
        if rule and looked:
            say_missed(streams, known, looked, rule, 1, "Let it play more with --max-games N, or aim lower.")
        streams.say(f"played {count_games(played.games)} in {duration(played.seconds)}.")
    return code


def _check_raw(amount: Amount) -> None:
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
