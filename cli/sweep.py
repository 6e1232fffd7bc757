"""`shipsim sweep`: many rule sets, saved in a run's folder."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import complete
from cli.grammar import AXIS_HELP, parse_axes
from cli.looking import Amount, amount_words, read_amount
from cli.numbers import plural
from cli.options import (
    PATH,
    Command,
    collect,
    examples,
    executor_option,
    given_on_line,
    jobs_option,
    precision_options,
    read_base,
    read_executor,
    read_game,
    read_jobs,
    read_seed,
    read_shard,
    rules_options,
    shard_option,
    streams_of,
)
from cli.running import play_run, resume_run, shard_words
from cli.streams import Streams, command_line, without_home
from cli.studies import Study, study_argument
from simcore.axes import DESIGNS
from simcore.errors import UsageError, nearest, shorten

if TYPE_CHECKING:
    from simcore.axes import Axis
    from simcore.cells import Plan
    from simcore.games import Game
    from simcore.shards import Shard

SHOWN = 10
"""Skipped combinations that are listed."""


def _grammar() -> str:
    """Return the forms of an axis, each with its meaning, in lines that fit."""
    lines = []
    for line in AXIS_HELP.splitlines():
        form, _, meaning = line.partition("  ")
        first, *later = textwrap.wrap(meaning.strip(), 40)
        lines += [f"  {form:33} {first}", *(" " * 36 + text for text in later)]
    return "\b\nAxes:\n" + "\n".join(lines)


@click.command(
    "sweep",
    cls=Command,
    short_help="Many rule sets, saved in a run's folder.",
    epilog=_grammar()
    + "\n\n"
    + examples(
        "shipsim sweep my-ship-sails --vary players=4..7 --vary pass_count=1,2",
        "shipsim sweep my-ship-sails --vary preset=classic,ochse --out runs/ochse",
        "shipsim sweep --resume runs/ochse --games 50M",
        "shipsim sweep examples/passing.toml --precision 0.1pp",
    ),
)
@study_argument
@click.option("--vary", multiple=True, metavar="AXIS", help="What is varied; repeat.", shell_complete=complete.axes)
@rules_options
@click.option(
    "--design",
    metavar="grid|each",
    default="grid",
    show_default=True,
    help="All combinations, or one change at a time.",
)
@click.option("--games", metavar="N", help="Matches of each cell, such as 10M.  [default: 100k]")
@precision_options
@click.option("--seed", metavar="N", help="Or random: draws one.  [default: 1]")
@jobs_option
@executor_option
@shard_option
@click.option("--out", metavar="DIR", type=PATH, help="The run's folder.  [default: runs/GAME-...]")
@click.option("--resume", metavar="RUN", help="Go on with a run.", shell_complete=complete.runs)
@click.option("--dry-run", is_flag=True, help="Say what would be played, and how long it would take.")
@click.pass_context
@streams_of
def command(
    streams: Streams,
    context: click.Context,
    /,
    game: str | None,
    vary: Sequence[str],
    design: str,
    games: str | None,
    precision: Sequence[str],
    max_games: str | None,
    max_time: str | None,
    seed: str | None,
    jobs: str,
    executor: str,
    shard: str | None,
    out: str | None,
    resume: str | None,
    dry_run: bool,
    **base: Any,
) -> int:
    """Play every combination of what is varied, compare it with the first, and save everything."""
    if resume is not None:
        others = ("game", "vary", "preset", "rules", "set", "precision", "design", "out", "dry_run", "shard")
        fixed, line = given_on_line(context, *others), {"games", "max_games", "max_time", "seed"}
        line = {name for name in line if given_on_line(context, name)}
        return resume_run(
            streams,
            resume,
            fixed,
            games if "games" in line else None,
            max_games if "max_games" in line else None,
            max_time if "max_time" in line else None,
            seed if "seed" in line else None,
            jobs,
            base["strategy"] if given_on_line(context, "strategy") else None,
            executor,
        )
    study: Study | None = context.meta.get("study")
    known = study.game if study else read_game(game, "sweep")
    axes, given, amount, drawn, asked, where, _, _ = collect(
        lambda: parse_axes(known, vary),
        lambda: read_base(known, **base),
        lambda: read_amount(context, known, games, precision, max_games, max_time),
        lambda: read_seed("1" if seed is None else seed),
        lambda: read_jobs(jobs),
        lambda: read_executor(executor),
        lambda: _check_design(design),
        lambda: _check_out(out),
    )
    sources = (*study.base(vary, base["preset"]), *given) if study else given
    axes = axes or (study.axes if study else ())
    if not axes:
        raise UsageError(
            "nothing is varied.",
            *(["Write [[sweep.axis]] in the study, and RULE = [VALUE, VALUE] below it."] if study else []),
            f"Write --vary RULE=VALUE,VALUE; one rule set is played by 'shipsim simulate {known.NAME}'.",
            "See 'shipsim sweep --help'.",
        )
    from simcore.cells import plan

    planned = plan(known, sources, axes, design)
    part = read_shard(shard, amount.games, bool(amount.targets))
    if dry_run:
        from cli.dry_run import show
        from cli.playing import try_own

        try_own(streams, planned.cells, drawn)
        return show(streams, known, planned, amount, drawn, asked, part)

    # From here on it takes time: everything that can be wrong was looked at before.
    from cli.playing import try_own
    from simcore.store import Run, digest, make_manifest
    from simcore.workers import open_workers

    described = _described(planned, axes, design, amount)
    if study and study.figures:
        described["figures"] = list(study.figures)
    if part:
        described["shard"] = str(part)
    manifest = make_manifest(planned.cells, drawn, amount.games, command=command_line(streams.words), **described)
    usual = f"runs/{known.NAME}-{digest(manifest)}" + (f"-{part.number}-of-{part.of}" if part else "")
    folder = Path(out or usual)
    say_plan(streams, known, planned, amount, drawn, part)
    try_own(streams, planned.cells, drawn)
    with open_workers(where, asked) as workers:
        return play_run(streams, lambda: Run.create(folder, manifest, planned.cells), workers, planned)


def _check_design(design: str) -> None:
    if design not in DESIGNS:
        raise UsageError(
            f"--design: '{shorten(design)}' is not a design.{nearest(design, DESIGNS)}",
            f"Values: {', '.join(DESIGNS)}.",
        )


def _check_out(out: str | None) -> None:
    from simcore.folders import check_new

    if out is not None:
        check_new(out)


def _described(planned: Plan, axes: Sequence[Axis], design: str, amount: Amount) -> dict[str, Any]:
    return {
        "axes": [{"names": list(axis.names), "axis": without_home(axis.where)} for axis in axes],
        "design": design,
        "stopping": amount.described(),
        "skipped": [{"varied": skipped.varied, "reason": skipped.reason} for skipped in planned.skipped],
    }


def say_plan(
    streams: Streams, game: Game, planned: Plan, amount: Amount, seed: int, shard: Shard | None = None
) -> None:
    """Say how many cells there are, what is skipped and why, and the seed."""
    words = f"{amount_words(game, amount, len(planned.cells))}{shard_words(shard, amount.games)}"
    streams.say(f"{game.NAME}: {plural(len(planned.cells), 'cell')}, {words}, seed {seed}.")
    for note in planned.notes:
        streams.say(f"note: {note.removesuffix('.')}.")
    for skipped in planned.skipped if streams.verbose else planned.skipped[:SHOWN]:
        streams.say(f"skipped: {' '.join(f'{n}={v}' for n, v in skipped.varied.items())}: {skipped.reason}")
    if len(planned.skipped) > SHOWN and not streams.verbose:
        streams.say(f"skipped: {len(planned.skipped) - SHOWN:,} more; -v lists all.")
