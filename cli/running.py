"""Plays what a run lacks, saves it whatever happens, and shows what is there: for all commands that make runs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cli.findings import put_findings, resume_line, say_next
from cli.interrupt import Interrupted
from cli.looking import Amount, amount_words, play_looks, read_more, say_missed
from cli.numbers import count_games, duration, plural
from cli.options import collect, read_executor, read_jobs, read_seed
from cli.rules import say_assumed
from cli.streams import Streams
from simcore.errors import DataError, UsageError
from simcore.folders import shell
from simcore.games import load
from simcore.strategies import Seat, read_entries

if TYPE_CHECKING:
    from simcore.cells import Plan
    from simcore.shards import Shard
    from simcore.store import Run
    from simcore.workers import Workers


def resume_run(
    streams: Streams,
    folder: str,
    others: Sequence[str],
    games: str | None,
    max_games: str | None,
    max_time: str | None,
    seed: str | None,
    jobs: str,
    strategy: str | None,
    executor: str,
) -> int:
    """Go on with a run; `others` are options given that a run cannot change, `strategy` names users' own files.

    Raises
    ------
    UsageError, DataError
        If that is not possible.
    """
    if others:
        raise UsageError(
            f"--resume takes no {others[0]}: a run goes on with the rules it was begun with.",
            f"Write '{shell('sweep', '--resume', folder)}', with --games N for more games.",
        )

    from cli.playing import try_own
    from simcore.cells import adopt
    from simcore.deciding import comparison_from
    from simcore.store import Run
    from simcore.workers import open_workers

    drawn, asked, where = collect(
        lambda: read_seed(seed) if seed is not None else None,
        lambda: read_jobs(jobs),
        lambda: read_executor(executor),
    )
    opened = Run.open(folder)
    given = read_own_files(opened, strategy)
    if given:
        # Another file than was played is an error, even if nothing is left to play.
        for cell in opened.cells:
            adopt(cell, given, folder)
    manifest, rule = opened.manifest, opened.stopping
    compared = comparison_from(manifest, opened.cells)
    if drawn is not None and drawn != manifest["seed"]:
        raise DataError(
            f"'{folder}' was made with seed {manifest['seed']}, not {drawn}: games of different seeds are never mixed.",
            "Leave --seed out, or play another run into another folder.",
        )
    number, seconds = read_more(opened, games, max_games, max_time)
    if compared and compared.stop:
        from cli.compare import resume_comparison

        return resume_comparison(streams, folder, given, number, seconds, lambda: open_workers(where, asked))
    if opened.sprt is not None:
        from cli.tournament import resume_tournament

        return resume_tournament(streams, folder, given, number, lambda: open_workers(where, asked))
    wanted, shard = max(manifest["games"], number), opened.shard
    if shard and wanted > manifest["games"]:
        raise UsageError(
            f"'{folder}' is shard {shard} of a run of {count_games(manifest['games'])} a cell, which --games cannot "
            "change: the other shards have theirs.",
            "Merge the shards; then 'shipsim sweep --resume RUN --games N' plays more of the whole run.",
        )
    have = [tally.games if (tally := opened.load(cell)) else 0 for cell in opened.cells]
    is_whole = manifest["status"] in ("done", "imprecise") and all(path.is_file() for path in opened.csv_files())
    option, name = "--max-games" if rule else "--games", manifest["game"]
    if rule and is_whole and wanted == manifest["games"] and manifest.get("stopped_by") != "max_time":
        is_precise = manifest["status"] == "done"
        reached = "is precise." if is_precise else f"is precise or has {count_games(wanted)}. More: {option} N."
        streams.say(f"nothing to do: every cell of '{folder}' {reached}")
        show_run(streams, opened, 0 if is_precise else 4, manifest["status"])
        _say_next(streams, opened)
        return 0 if is_precise else 4
    if not rule and min(have) >= (len(opened.span) if shard else wanted) and is_whole:
        streams.say(f"nothing to do: every cell of '{folder}' has {count_games(min(have))}. More: {option} N.")
        code = show_run(streams, opened, 0, "done")
        _say_next(streams, opened)
        return code
    cells = [adopt(cell, given, folder) for cell in opened.cells]
    try_own(streams, cells, manifest["seed"])
    amount = Amount(
        wanted, rule.targets if rule else (), seconds or (manifest["stopping"]["max_time"] if rule else None)
    )
    words = f"{amount_words(load(name), amount, len(have))}{shard_words(shard, wanted)}"
    streams.say(
        f"{name}: {plural(len(have), 'cell')}, {words}, seed {manifest['seed']}; {count_games(sum(have))} are there."
    )

    def reopen() -> Run:
        run = Run.open(folder, for_writing=True)
        try:
            run.cells = [adopt(cell, given, folder) for cell in run.cells]
            run.note(games=wanted, stopping=amount.described())
        except BaseException:
            run.close()
            raise
        return run

    with open_workers(where, asked) as workers:
        return play_run(streams, reopen, workers)


def read_own_files(run: Run, strategy: str | None) -> tuple[Seat, ...]:
    """Read the files that --strategy names for a run that users' own strategies play.

    Raises
    ------
    UsageError
        If something is wrong with them, or the run needs none.
    """
    from simcore.cells import owns_of

    if strategy is None:
        return ()
    if not any(owns_of(cell) for cell in run.cells):
        raise UsageError(
            "--strategy does not go with this run: its cells have their strategies, none of them a user's own.",
            "Leave it out.",
        )
    return read_entries(load(run.manifest["game"]), strategy)


def shard_words(shard: Shard | None, games: int) -> str:
    """Return which part of the games a shard has, in words; nothing for a whole run."""
    if shard is None:
        return ""
    span = shard.span(games)
    return f", shard {shard}: games {span.start:,} to {span.stop - 1:,}"


def play_run(streams: Streams, open_run: Callable[[], Run], workers: Workers, planned: Plan | None = None) -> int:
    """Play what a run lacks, save it whatever happens, show it, and return the exit code."""
    from cli.playing import Played, compile_game, play

    interruption = streams.interruption
    with interruption.gracefully():
        run = open_run()
        rule, seed, games = run.stopping, run.manifest["seed"], run.manifest["games"]
        played, looked = Played(0, 0.0, 0, {}), None
        try:
            started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            run.note(status="running", jobs=workers.jobs, started=started, failed={})
            with contextlib.suppress(Interrupted):
                compile_game(streams, run.cells[0].game, run.cells)
                if rule is None:
                    played = play(streams, run.cells, seed, games, workers, run.save, run.load, shard=run.shard)
                else:
                    limit = run.manifest["stopping"].get("max_time")
                    looked = play_looks(streams, run.cells, seed, rule, workers, run.save, run.load, run.record, limit)
                    played = looked.played
            is_over = played.cells == len(run.cells) or bool(looked and looked.is_late)
            is_imprecise = bool(looked and looked.missed)
            status = _status(is_over, bool(played.failed), is_imprecise)
            run.note(failed=played.failed)
            if looked and is_over:
                run.note(stopped_by=looked.stopped_by, reproducible=not looked.is_late)
            run.finish(status)
        except Exception:
            _give_up(run)
            raise
    code = {"interrupted": interruption.exit_code, "failed": 5, "imprecise": 4, "done": 0}[status]
    for name, reason in played.failed.items():
        streams.complain(f"error: cell '{name}' failed: {reason}.")
    code = show_run(streams, run, code, status, planned)
    if not is_over:
        streams.say(f"interrupted; everything played is kept. Go on with: {resume_line(run.folder, run.cells)}")
        return code
    if rule and looked:
        line = resume_line(run.folder, run.cells, *([] if looked.is_late else ["--max-games", "N"]))
        more = f"Go on with: {line}"
        say_missed(streams, load(run.manifest["game"]), looked, rule, len(run.cells), more, is_saved=True)
    streams.say(f"played {count_games(played.games)} in {duration(played.seconds)}. Saved: {run.folder}")
    _say_next(streams, run)
    return code


def _say_next(streams: Streams, run: Run) -> None:
    if run.shard:
        streams.say("When all shards are there: shipsim merge SHARD... --out RUN")
    else:
        say_next(streams, run.folder, run.cells)


def _status(is_over: bool, is_failed: bool, is_imprecise: bool) -> str:
    if not is_over:
        return "interrupted"
    return "failed" if is_failed else "imprecise" if is_imprecise else "done"


def _give_up(run: Run) -> None:
    """Note that a run failed, if the disk lets us; the error that made it fail is what matters."""
    with contextlib.suppress(Exception):
        run.note(status="failed")
        run.write_csv()
    run.close()


def show_run(streams: Streams, run: Run, code: int, status: str, planned: Plan | None = None) -> int:
    """Show the results of a run as the command does that began it, and return the exit code."""
    from simcore.deciding import comparison_from
    from simcore.tournaments import pairs_from

    if comparison := comparison_from(run.manifest, run.cells):
        from cli.compare import show_saved as show_comparison

        code = show_comparison(streams, run, comparison, status)
    elif pairs := pairs_from(run.manifest, run.cells):
        from cli.tournament import show_saved as show_tournament

        show_tournament(streams, run, pairs, code, status)
        return code  # with everything there is to say
    else:
        _show_cells(streams, run, code, status, planned)
    if not streams.json:
        say_assumed(streams, load(run.manifest["game"]))
    return code


def _show_cells(streams: Streams, run: Run, code: int, status: str, planned: Plan | None = None) -> None:
    """Show the cells of a run from its csv files."""
    from cli.tables import (
        DIFFERENCE_TEXTS,
        ESTIMATE_TEXTS,
        cell_object,
        csv_objects,
        put_cells,
        put_differences,
        put_summary,
    )
    from simcore.results import estimate

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
        if run.stopping:
            more |= {key: run.manifest.get(key) for key in ("stopping", "stopped_by", "reproducible")}
        streams.put_json(results, status, code, **more)
        return
    cell, tally = run.cells[0], run.load(run.cells[0]) if len(run.cells) == 1 else None
    if tally is not None:
        put_summary(streams, game, cell, estimate(cell, tally))
    else:
        put_cells(streams, run.cells, games, estimates, differences)
    if differences and streams.verbose:
        streams.put()
        put_differences(streams, game, run.cells, differences)
    if status != "interrupted" and estimates:
        from reports.load import open_run
        from reports.sentences import find

        put_findings(streams, find(open_run(run.folder)))
