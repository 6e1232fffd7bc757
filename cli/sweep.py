"""`shipsim sweep`: many rule sets, saved in a run's folder."""

from __future__ import annotations

import contextlib
import shlex
import textwrap
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import complete
from cli.grammar import AXIS_HELP, parse_axes
from cli.interrupt import Interrupted
from cli.numbers import count, duration, plural
from cli.options import (
    Command,
    collect,
    examples,
    game_argument,
    given_on_line,
    jobs_option,
    read_base,
    read_game,
    read_games,
    read_jobs,
    read_seed,
    rules_options,
    streams_of,
)
from cli.streams import Streams
from simcore.axes import DESIGNS
from simcore.errors import DataError, UsageError, nearest, shorten
from simcore.games import load

if TYPE_CHECKING:
    from simcore.axes import Axis
    from simcore.cells import Plan
    from simcore.games import Game
    from simcore.store import Run

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
    ),
)
@game_argument
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
@click.option("--seed", metavar="N", help="Or random: draws one.  [default: 1]")
@jobs_option
@click.option("--out", metavar="DIR", type=click.Path(), help="The run's folder.  [default: runs/GAME-...]")
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
    seed: str | None,
    jobs: str,
    out: str | None,
    resume: str | None,
    dry_run: bool,
    **base: Any,
) -> int:
    """Play every combination of what is varied, compare it with the first, and save everything."""
    if resume is not None:
        others = ("game", "vary", "preset", "rules", "set", "strategy", "design", "out", "dry_run")
        return _resume(
            streams, resume, given_on_line(context, *others), given_on_line(context, "seed"), games, seed, jobs
        )
    known = read_game(game, "sweep")
    axes, sources, number, drawn, asked, _, _ = collect(
        lambda: parse_axes(known, vary),
        lambda: read_base(known, **base),
        lambda: read_games(games or "100k"),
        lambda: read_seed(seed or "1"),
        lambda: read_jobs(jobs),
        lambda: _check_design(design),
        lambda: _check_out(out),
    )
    if not axes:
        raise UsageError(
            "nothing is varied.",
            f"Write --vary RULE=VALUE,VALUE; one rule set is played by 'shipsim simulate {known.NAME}'.",
            "See 'shipsim sweep --help'.",
        )
    from simcore.cells import plan

    planned = plan(known, sources, axes, design)
    if dry_run:
        from cli.dry_run import show

        return show(streams, known, planned, number, drawn, asked)

    # From here on it takes time: everything that can be wrong was looked at before.
    from simcore.simulation import count_jobs
    from simcore.store import Run, digest, make_manifest

    threads = count_jobs(asked or "auto")
    manifest = make_manifest(
        planned.cells, drawn, number, command=_command_line(streams.words), **_described(planned, axes, design)
    )
    folder = Path(out or f"runs/{known.NAME}-{digest(manifest)}")
    say_plan(streams, known, planned, number, drawn)
    return _play(streams, lambda: Run.create(folder, manifest, planned.cells), threads, planned)


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


def _command_line(words: Sequence[str]) -> str:
    """Return the command line without the name of who typed it."""
    home = str(Path.home())
    line = shlex.join(["shipsim", *words])
    return line.replace(home, "~") if len(home) > 1 else line


def _described(planned: Plan, axes: Sequence[Axis], design: str) -> dict[str, Any]:
    return {
        "axes": [{"names": list(axis.names), "axis": axis.where} for axis in axes],
        "design": design,
        "stopping": "fixed number of games",
        "skipped": [{"varied": skipped.varied, "reason": skipped.reason} for skipped in planned.skipped],
    }


def say_plan(streams: Streams, game: Game, planned: Plan, games: int, seed: int) -> None:
    """Say how many cells there are, what is skipped and why, and the seed."""
    streams.say(f"{game.NAME}: {plural(len(planned.cells), 'cell')}, {count(games)} games each, seed {seed}.")
    for note in planned.notes:
        streams.say(f"note: {note.removesuffix('.')}.")
    for skipped in planned.skipped if streams.verbose else planned.skipped[:SHOWN]:
        streams.say(f"skipped: {' '.join(f'{n}={v}' for n, v in skipped.varied.items())}: {skipped.reason}")
    if len(planned.skipped) > SHOWN and not streams.verbose:
        streams.say(f"skipped: {len(planned.skipped) - SHOWN:,} more; -v lists all.")


def _resume(
    streams: Streams,
    folder: str,
    others: Sequence[str],
    seeds: Sequence[str],
    games: str | None,
    seed: str | None,
    jobs: str,
) -> int:
    if others:
        raise UsageError(
            f"--resume takes no {others[0]}: a run goes on with the rules it was begun with.",
            f"Write 'shipsim sweep --resume {folder}', with --games N for more games.",
        )
    number, drawn, asked = collect(
        lambda: read_games(games) if games is not None else 0,
        lambda: read_seed(seed) if seeds and seed is not None else None,
        lambda: read_jobs(jobs),
    )

    from simcore.simulation import count_jobs
    from simcore.store import CSV_FILES, Run

    opened = Run.open(folder)
    manifest = opened.manifest
    if drawn is not None and drawn != manifest["seed"]:
        raise DataError(
            f"'{folder}' was made with seed {manifest['seed']}, not {drawn}: games of different seeds are never mixed.",
            "Leave --seed out, or play another run into another folder.",
        )
    wanted = max(manifest["games"], number)
    have = [tally.games if (tally := opened.load(cell)) else 0 for cell in opened.cells]
    is_whole = manifest["status"] == "done" and all((opened.folder / name).is_file() for name in CSV_FILES)
    if min(have) >= wanted and is_whole:
        streams.say(f"nothing to do: every cell of '{folder}' has {count(min(have))} games. More: --games N.")
        _show(streams, opened, 0, "done")
        return 0
    if 0 < number < wanted:
        streams.say(f"note: the run is to have {count(wanted)} games each, which --games cannot lower.")
    streams.say(
        f"{load(manifest['game']).NAME}: {plural(len(have), 'cell')}, {count(wanted)} games each, "
        f"seed {manifest['seed']}; {count(sum(have))} games are there."
    )

    def reopen() -> Run:
        run = Run.open(folder, for_writing=True)
        run.note(games=wanted)
        return run

    return _play(streams, reopen, count_jobs(asked or "auto"))


def _play(streams: Streams, open_run: Callable[[], Run], jobs: int, planned: Plan | None = None) -> int:
    """Play what a run lacks, and save it whatever happens."""
    from cli.playing import Played, compile_game, play

    interruption = streams.interruption
    with interruption.gracefully():
        run = open_run()
        played = Played(0, 0.0, 0, {})
        try:
            run.note(status="running", jobs=jobs, started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), failed={})
            try:
                compile_game(streams, run.cells[0].game)
                played = play(streams, run.cells, run.manifest["seed"], run.manifest["games"], jobs, run.save, run.load)
            except Interrupted:
                pass
            is_over = played.cells == len(run.cells)
            status = "interrupted" if not is_over else "failed" if played.failed else "done"
            run.note(failed=played.failed)
            run.finish(status)
        except Exception:
            _give_up(run)
            raise
    code = interruption.exit_code if not is_over else 5 if played.failed else 0
    for name, reason in played.failed.items():
        streams.complain(f"error: cell '{name}' failed: {reason}.")
    _show(streams, run, code, status, planned)
    if is_over:
        streams.say(f"played {count(played.games)} games in {duration(played.seconds)}. Saved: {run.folder}")
        streams.say(f"See 'shipsim report {run.folder}'.")
    else:
        streams.say(f"interrupted; everything played is kept. Go on with: shipsim sweep --resume {run.folder}")
    return code


def _give_up(run: Run) -> None:
    """Note that a run failed, if the disk lets us; the error that made it fail is what matters."""
    with contextlib.suppress(Exception):
        run.note(status="failed")
        run.write_csv()
    run.close()


def _show(streams: Streams, run: Run, code: int, status: str, planned: Plan | None = None) -> None:
    """Show the results of a run from its csv files."""
    from cli.tables import DIFFERENCE_TEXTS, ESTIMATE_TEXTS, cell_object, csv_objects, put_cells, put_differences

    game = load(run.manifest["game"])
    estimates = csv_objects(run.folder / "estimates.csv", ESTIMATE_TEXTS)
    differences = csv_objects(run.folder / "differences.csv", DIFFERENCE_TEXTS)
    cells = csv_objects(run.folder / "cells.csv", ("cell", "status", *run.cells[0].varied))
    games = {name: rows[0].get("games") or 0 for name, rows in cells.items()}
    if streams.json:
        results = [
            {
                **cell_object(game, cell),
                "games": games.get(cell.id, 0),
                "estimates": estimates.get(cell.id, []),
                "differences": differences.get(cell.id, []),
            }
            for cell in run.cells
        ]
        more = {"run": str(run.folder), "seed": run.manifest["seed"], "skipped": run.manifest.get("skipped", [])}
        streams.put_json(results, status, code, **more)
        return
    put_cells(streams, run.cells, games, estimates)
    if differences:
        streams.put()
        put_differences(streams, game, run.cells, differences)
    for sentence in game.ASSUMED:
        streams.say(sentence)
