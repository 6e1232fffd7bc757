"""`shipsim compare`: rule sets against the first, with paired differences and verdicts in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from cli import complete
from cli.findings import own_words, resume_line, say_next
from cli.looking import how_it_stops, read_amount
from cli.numbers import count_games, duration, not_enough, plural
from cli.operands import choose_cells, read_cells
from cli.options import (
    PATH,
    Command,
    collect,
    examples,
    executor_option,
    given_on_line,
    is_run,
    jobs_option,
    precision_options,
    rank,
    read_base,
    read_executor,
    read_jobs,
    read_max_games,
    read_max_time,
    read_precision,
    read_seed,
    read_shard,
    rules_options,
    seed_option,
    shard_option,
    streams_of,
)
from cli.rules import say_assumed
from cli.streams import Streams, command_line
from simcore.errors import DataError, UsageError, nearest, shorten
from simcore.folders import check_new, shell
from simcore.games import GAMES, Game, load, nearest_game

if TYPE_CHECKING:
    from cli.comparing import Compared
    from simcore.cells import Cell
    from simcore.deciding import Comparison, Stop
    from simcore.results import Contrast
    from simcore.store import Run
    from simcore.strategies import Seat
    from simcore.tally import Tally

ASSERTED = ("same", "different")
UNTIL = ("decided",)

EXPLAINED = """\
A and B are presets (party+deck-108), values (joker=swap, joker:stacking=swap:none, strategy=keeper) or files of
rules (./mine.toml). A game's name wins over a folder's: write ./ahoi for a run of that name. Cells of a run are named
by their ids or what these begin with; without any, all are compared with the run's baseline, and no game is played.

--assert same holds if, for every compared cell, every metric is practically the same or its difference is real but
negligible, or its sums are identical in every block. --assert different holds if at least one metric of every
compared cell changes; then the intervals of all metrics hold together. Undecided is neither. Details by two keys,
such as seat and round, are left aside. Exit code 6 if it does not hold, whatever else happened.

--until decided looks at 10,000, 20,000, 40,000 ... games and stops when no seat's match_win is undecided in any
compared cell (or none of the metrics that --rope names). All intervals shown are then those of a confidence sequence,
tuned for 100,000 games, that holds at all looks together: 95 % over all cells and seats. --precision means the half
widths of differences. Exit code 4 if --max-games or --max-time come first.
"""


@click.command(
    "compare",
    cls=Command,
    short_help="Rule sets against the first: differences, verdicts.",
    epilog=EXPLAINED
    + "\n"
    + examples(
        "shipsim compare ahoi joker=colour joker=swap joker=rotate",
        "shipsim compare ahoi classic party+deck-108 ./mine.toml --until decided",
        "shipsim compare runs/first",
    ),
)
@click.argument("target", metavar="GAME|RUN", required=False, shell_complete=complete.games_and_runs)
@click.argument("rule_sets", metavar="A B...|[CELL...]", nargs=-1)
@rules_options
@click.option("--games", metavar="N", help="Matches of each cell, such as 10M.  [default: 100k]")
@click.option("--until", metavar="decided", help="Play until match_win, or what --rope names, is decided in all.")
@precision_options
@click.option("--rope", multiple=True, metavar="METRIC=VALUE", help="Up to where a difference does not matter; repeat.")
@click.option("--assert", metavar="same|different", help="Exit with 6 if that does not hold.")
@seed_option
@jobs_option
@executor_option
@shard_option
@click.option("--out", metavar="DIR", type=PATH, help="Save a run.  [default: nothing is saved]")
@click.pass_context
@streams_of
def command(
    streams: Streams,
    context: click.Context,
    /,
    target: str | None,
    rule_sets: Sequence[str],
    games: str | None,
    until: str | None,
    precision: Sequence[str],
    max_games: str | None,
    max_time: str | None,
    rope: Sequence[str],
    seed: str,
    jobs: str,
    executor: str,
    shard: str | None,
    out: str | None,
    **base: Any,
) -> int:
    """Compare rule sets with the first one on the same deals: what changes, what does not, what is undecided."""
    expected = base.pop("assert")
    if target is None:
        raise UsageError("the game or run is missing.", f"Games: {', '.join(GAMES)}.", "See 'shipsim compare --help'.")
    if is_run(target):
        new = (
            "preset",
            "rules",
            "set",
            "strategy",
            "games",
            "until",
            "precision",
            "max_games",
            "max_time",
            "out",
            "shard",
        )
        return _compare_run(streams, target, rule_sets, given_on_line(context, *new, "seed"), rope, expected)
    if target not in GAMES:
        raise UsageError(
            f"'{shorten(target)}' is neither a game nor a run's folder.{nearest_game(target)}",
            f"Games: {', '.join(GAMES)}.",
        )
    known = load(target)

    def read_cells_of_all() -> tuple[tuple[Cell, ...], tuple[str, ...]]:
        return read_cells(known, read_base(known, **base), rule_sets)

    (cells, notes), (number, targets, seconds), ropes, wanted, drawn, asked, where, _ = collect(
        read_cells_of_all,
        lambda: _read_stop(context, known, games, until, precision, max_games, max_time),
        lambda: dict(read_precision(known, rope, "--rope")),
        lambda: _read_assert(expected),
        lambda: read_seed(seed),
        lambda: read_jobs(jobs),
        lambda: read_executor(executor),
        lambda: None if out is None else check_new(out),
    )

    part = read_shard(shard, number, targets is not None)
    if part and out is None:
        raise UsageError("--shard plays a part that is merged with others later.", "Write --out DIR.")

    # From here on it takes time: everything that can be wrong was looked at before.
    from cli.comparing import amount_of, begin_run, play_comparison
    from cli.playing import try_own
    from simcore.deciding import Comparison
    from simcore.workers import open_workers

    stop = _stop(targets, ropes, number)
    comparison = Comparison(cells, ropes, stop, wanted)
    how = amount_of(known, stop, number)
    streams.say(f"{known.NAME}: {plural(len(cells), 'cell')}, {how}, seed {drawn}.")
    for note in notes:
        streams.say(f"note: {note.removesuffix('.')}.")
    run = None
    try_own(streams, cells, drawn)
    with open_workers(where, asked) as workers, streams.interruption.gracefully():
        if out is not None:
            words = command_line(streams.words)
            run = begin_run(out, comparison, drawn, number, workers.jobs, words, part)
        try:
            compared = play_comparison(streams, comparison, drawn, number, workers, seconds, run, part)
        finally:
            if run is not None:
                run.close()
    return _tell(streams, known, comparison, compared, drawn, out)


def resume_comparison(
    streams: Streams,
    folder: str,
    given: Sequence[Seat],
    most: int,
    seconds: float | None,
    workers: Callable[[], Any],
) -> int:
    """Go on with a saved comparison that stops by itself, and return the exit code.

    `given` are users' own strategies that its cells need, `most` the most games if there are to be more than before;
    `workers` opens what plays.
    """
    from cli.comparing import amount_of, play_comparison
    from simcore.cells import adopt
    from simcore.deciding import comparison_from
    from simcore.store import Run

    with workers() as pool, streams.interruption.gracefully():
        run = Run.open(folder, for_writing=True)
        try:
            run.cells = [adopt(cell, given, folder) for cell in run.cells]
            comparison = comparison_from(run.manifest, run.cells)
            assert comparison is not None and comparison.stop is not None
            stop = comparison.stop._replace(max_games=max(most, comparison.stop.max_games))
            comparison, seed = comparison._replace(stop=stop), run.manifest["seed"]
            run.note(status="running", stopping=stop.described())
            game = load(run.manifest["game"])
            cells = plural(len(run.cells), "cell")
            streams.say(f"{game.NAME}: {cells}, {amount_of(game, stop, stop.max_games)}, seed {seed}.")
            compared = play_comparison(streams, comparison, seed, stop.max_games, pool, seconds, run)
        finally:
            run.close()
    return _tell(streams, game, comparison, compared, seed, folder)


def _tell(streams: Streams, known: Game, comparison: Comparison, compared: Compared, seed: int, out: str | None) -> int:
    """Show what was compared and how to go on, and return the exit code."""
    more: dict[str, Any] = {"seed": seed, **({"run": out} if out is not None else {})}
    if comparison.stop is not None:
        more |= {"stopping": comparison.stop.described(), "reproducible": not compared.is_late}
    code = _show(streams, known, comparison, compared.contrasts, compared.tallies, compared, more)
    if not streams.json:
        say_assumed(streams, known)
    played = f"played {count_games(compared.games)} in {duration(compared.seconds)}."
    streams.say(played if out is None else f"{played} Saved: {out}")
    if compared.status == "interrupted":
        if out is not None:
            streams.say(f"Go on with: {resume_line(out, comparison.cells)}")
        else:
            streams.say("Nothing is saved; what is begun with --out DIR goes on by 'shipsim sweep --resume DIR'.")
    elif out is not None:
        say_next(streams, out, comparison.cells)
    else:
        one = shell("trace", known.NAME)
        streams.say(f"Next: --out DIR saves it for 'shipsim report DIR'; '{one}' tells one game.")
    return code


def _read_assert(text: str | None) -> str:
    if text is None or text in ASSERTED:
        return text or ""
    raise UsageError(
        f"--assert: '{shorten(text)}' is nothing to assert.{nearest(text, ASSERTED)}", f"Values: {', '.join(ASSERTED)}."
    )


def _read_stop(
    context: click.Context,
    game: Game,
    games: str | None,
    until: str | None,
    precision: Sequence[str],
    most: str | None,
    limit: str | None,
) -> tuple[int, dict[str, float] | None, float | None]:
    """Return the games (or the most), the half widths aimed at (none: until decided; None: fixed), and seconds."""
    if until is not None and until not in UNTIL:
        raise UsageError(
            f"--until: '{shorten(until)}' is nothing to wait for.{nearest(until, UNTIL)}", "Values: decided."
        )
    if until is not None and games is not None and rank(context, "games") > rank(context, "until"):
        until = None
    if until is not None and precision and rank(context, "precision") != rank(context, "until"):
        until, precision = (None, precision) if rank(context, "precision") > rank(context, "until") else (until, ())
    if until is None:
        amount = read_amount(context, game, games, precision, most, limit)
        return amount.games, dict(amount.targets) or None, amount.max_time
    if precision:
        raise UsageError("--until and --precision are two ways to stop.", "Leave one of them out.")
    if games is not None and rank(context, "games") == rank(context, "until"):
        raise UsageError(
            "--games fixes the number of games, which --until leaves open.",
            "Leave one of them out, or write --max-games N for the most games.",
        )
    number, seconds = collect(lambda: read_max_games(most), lambda: read_max_time(limit))
    return number, {}, seconds


def _stop(targets: Mapping[str, float] | None, ropes: Mapping[str, float], number: int) -> Stop | None:
    from simcore.deciding import DECIDED, PRECISION, Stop

    if targets is None:
        return None
    return Stop(PRECISION, targets, number) if targets else Stop(DECIDED, dict(ropes) or {"match_win": 0.0}, number)


def _compare_run(
    streams: Streams,
    folder: str,
    names: Sequence[str],
    forbidden: Sequence[str],
    rope: Sequence[str],
    expected: str | None,
) -> int:
    from reports.baselines import compares_otherwise
    from simcore.store import Run

    run = Run.open(folder)
    if forbidden:
        option = "--max-games" if how_it_stops(run)[0] else "--games"
        raise UsageError(
            f"{forbidden[0]} does not go with a run: its cells are compared as they are, and no game is played.",
            f"More games: '{shell('sweep', '--resume', folder, option, 'N')}'.",
        )
    from simcore.deciding import Comparison

    game = load(run.manifest["game"])
    ropes, wanted = collect(lambda: dict(read_precision(game, rope, "--rope")), lambda: _read_assert(expected))
    comparison = Comparison(choose_cells(run.cells, names, folder), ropes, None, wanted)
    streams.say(f"{game.NAME}: {plural(len(comparison.cells), 'cell')} of {folder}, seed {run.manifest['seed']}.")
    if not names and compares_otherwise(run):
        streams.say(
            "note: all are compared with the first rule set; the findings of the sweep and the report compare those "
            "with other players with one of as many players."
        )
    code = show_saved(streams, run, comparison)
    if run.manifest["status"] not in ("done", "imprecise"):
        streams.say(f"The run is not at its end; go on with: {resume_line(folder, run.cells)}")
    streams.say(
        f"Next: '{shell('report', folder)}' for a page with figures, "
        f"'{shell('trace', folder, *own_words(run.cells))}' for one game to read."
    )
    return code


def show_saved(streams: Streams, run: Run, comparison: Comparison, status: str = "done") -> int:
    """Show a comparison of a saved run's cells, and return the exit code.

    Raises
    ------
    DataError
        If there are no games to compare, unless that is because it was interrupted or failed just now.
    """
    tallies = {cell.id: tally for cell in comparison.cells if (tally := run.load(cell)) is not None}
    contrasts = comparison.contrasts(lambda cell: tallies.get(cell.id))
    if not any(contrasts) and status == "done":
        raise DataError(
            f"there is nothing to compare in '{run.folder}': {_uncompared(comparison)}.",
            f"'{resume_line(run.folder, run.cells)}' plays them.",
        )
    more = {"run": str(run.folder), "seed": run.manifest["seed"]}
    return _show(streams, load(run.manifest["game"]), comparison, contrasts, tallies, None, more, status)


def _show(
    streams: Streams,
    game: Game,
    comparison: Comparison,
    contrasts: Sequence[Sequence[Contrast]],
    tallies: Mapping[str, Tally],
    compared: Compared | None,
    more: dict[str, Any],
    status: str = "done",
) -> int:
    """Show a comparison, say what went wrong, and return the exit code; a saved one has the `status`."""
    from cli.contrasts import contrast_objects, put_contrasts, ropes_of
    from simcore.deciding import holds

    status = compared.status if compared else status
    code = {"interrupted": streams.interruption.exit_code, "failed": 5, "imprecise": 4, "done": 0}[status]
    is_asserted = bool(comparison.expected) and status != "interrupted"
    is_kept = is_asserted and holds(comparison.expected, contrasts)
    if is_asserted and not is_kept and status != "failed":
        code = 6
    if streams.json:
        if is_asserted:
            more |= {"assert": comparison.expected, "holds": is_kept}
        more |= {
            "baseline": comparison.cells[0].id,
            "comparison": comparison.described(),
            "ropes": [{"metric": name, "rope": rope} for name, (rope, _) in ropes_of(contrasts).items()],
        }
        streams.put_json(contrast_objects(game, comparison, contrasts), status, code, **more)
    elif any(contrasts):
        put_contrasts(streams, game, comparison, contrasts, tallies)
    _complain(streams, comparison, contrasts, compared, is_asserted, is_kept)
    return code


def _uncompared(comparison: Comparison) -> str:
    """Say that nothing can be compared."""
    base, *others = comparison.cells
    return f"there are no games yet by which to compare {' or '.join(cell.id for cell in others)} with {base.id}"


def _complain(
    streams: Streams,
    comparison: Comparison,
    contrasts: Sequence[Sequence[Contrast]],
    compared: Compared | None,
    is_asserted: bool,
    is_kept: bool,
) -> None:
    """Say what is not as it was asked for."""
    from cli.comparing import aim_of
    from cli.contrasts import title_words
    from simcore.deciding import DECIDED, in_the_way

    if compared is not None and compared.status == "interrupted":
        what = "what was played is compared" if any(contrasts) else "nothing is compared"
        streams.say(f"interrupted; {what}.")
    for name, reason in compared.failed.items() if compared is not None else ():
        streams.complain(f"error: cell '{name}' failed: {reason}.")
    if not any(contrasts):
        streams.say(f"note: {_uncompared(comparison)}.")
    stop = comparison.stop
    if compared is not None and compared.status == "imprecise" and stop is not None:
        aim = aim_of(load(comparison.cells[0].game), stop)
        why = "the time was up, a stop that is not reproducible" if compared.is_late else not_enough(stop.max_games)
        streams.complain(f"not {'decided' if stop.rule == DECIDED else 'reached'}: {aim}; {why}.")
    if not is_asserted:
        return
    if is_kept:
        streams.say(f"--assert {comparison.expected} holds.")
        return
    streams.complain(f"--assert {comparison.expected} does not hold.")
    for cell, rows in zip(comparison.cells[1:], contrasts, strict=True):
        found = in_the_way(comparison.expected, rows)
        for verdict in ("changes", "undecided"):
            names = list(dict.fromkeys(row.row.metric for row in found if row.row.verdict == verdict))
            if names:
                streams.say(f"  {title_words(cell, comparison.cells[0])[0]}: {verdict}: {', '.join(names)}.")
