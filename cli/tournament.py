"""`shipsim tournament`: strategies against each other, seats rotated on the same deals."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from cli import complete
from cli.findings import resume_line
from cli.grammar import parse_target
from cli.looking import aim_words
from cli.numbers import count_games, duration, half_width, interval, plural, short_count
from cli.options import (
    PATH,
    Command,
    base_options,
    collect,
    examples,
    executor_option,
    game_argument,
    jobs_option,
    max_games_option,
    rank,
    read_base,
    read_executor,
    read_game,
    read_games,
    read_jobs,
    read_max_games,
    read_seed,
    seed_option,
    streams_of,
)
from cli.rules import say_assumed
from cli.streams import Streams, Table, command_line, wrapped
from simcore.errors import UsageError, raise_all, shorten
from simcore.folders import check_new
from simcore.games import Game, load
from simcore.own import split_seats
from simcore.strategies import Seat, read_seat

if TYPE_CHECKING:
    from simcore.cells import Cell
    from simcore.store import Run
    from simcore.tally import Tally
    from simcore.tournaments import Pair, Sprt, Standing
    from simcore.workers import Workers

EXPLAINED = """\
For each ordered pair of strategies: one at a single seat, the other at all others, in each seat in turn on the same
deals. What counts is the single one's share of the wins less 1/players. Intervals hold together for all pairs. Without
strategies, or with all, those of the game form a ladder, which says who may be the best: compared with the best of the
others, all intervals holding together (Hsu's multiple comparisons with the best).

--sprt 1pp plays on, at 10,000, 20,000, 40,000 ... games, until a sequential test (GSPRT, both errors 5 %) has decided
for every pair between no edge and one of a percentage point. If 1 pp fits better than none, the edge is above 0; if
none fits better, it is below 1 pp; how large it is says its interval. Exit code 4 if --max-games comes first. Saved
with --out and interrupted, it goes on by 'shipsim sweep --resume DIR' to the same end.
"""


@click.command(
    "tournament",
    cls=Command,
    short_help="Strategies against each other.",
    epilog=EXPLAINED
    + "\n"
    + examples(
        "shipsim tournament my-ship-sails adaptive random",
        "shipsim tournament ahoi keeper hunter --sprt 0.5pp",
        "shipsim tournament skull-king count/contract count/spoiler --preset full",
    ),
)
@game_argument
@click.argument("strategies", nargs=-1, metavar="[STRATEGY...]", shell_complete=complete.strategies)
@base_options
@click.option("--games", metavar="N", help="Matches with each seat.  [default: 100k]")
@click.option("--sprt", metavar="EDGE", help="Play until edges are above 0 or below this, such as 1pp.")
@max_games_option
@seed_option
@jobs_option
@executor_option
@click.option("--out", metavar="DIR", type=PATH, help="Save a run.  [default: nothing is saved]")
@click.pass_context
@streams_of
def command(
    streams: Streams,
    context: click.Context,
    /,
    game: str | None,
    strategies: Sequence[str],
    games: str | None,
    sprt: str | None,
    max_games: str | None,
    seed: str,
    jobs: str,
    executor: str,
    out: str | None,
    **base: Any,
) -> int:
    """Let strategies play against each other, and say which is stronger, and how soon it shows."""
    known = read_game(game, "tournament")
    sources, seats, (number, edge), drawn, asked, where, _ = collect(
        lambda: read_base(known, **base, strategy=None),
        lambda: read_strategies(known, strategies),
        lambda: _read_amount(context, known, games, sprt, max_games),
        lambda: read_seed(seed),
        lambda: read_jobs(jobs),
        lambda: read_executor(executor),
        lambda: None if out is None else check_new(out),
    )
    from simcore.cells import notes_on, plan
    from simcore.tournaments import Sprt, all_cells, make_pairs

    rule = None if edge is None else Sprt(edge, number)
    planned = plan(known, sources)
    rules = planned.cells[0].rules
    pairs = make_pairs(known, rules, seats)
    cells = all_cells(pairs)
    streams.say(
        f"{known.NAME}: {plural(len(seats), 'strategy', 'strategies')}, {plural(len(cells), 'cell')}, "
        f"{aim_words(rule) if rule else f'{count_games(number)} each'}, seed {drawn}."
    )
    for note in notes_on(known, cells):
        streams.say(f"note: {note.removesuffix('.')}.")
    from cli.playing import try_own
    from simcore.workers import open_workers

    with open_workers(where, asked) as workers, streams.interruption.gracefully():
        try_own(streams, cells, drawn)
        run = None if out is None else _begin(out, cells, drawn, number, rule, workers, command_line(streams.words))
        return _play(streams, pairs, cells, number, rule, drawn, workers, run)


def read_strategies(game: Game, texts: Sequence[str]) -> list[Seat]:
    """Read the strategies of a tournament; none, or ``all``, stand for all of the game.

    Raises
    ------
    UsageError
        If one is unknown, there is one only, or two are the same.
    """
    if not texts or list(texts) == ["all"]:
        from simcore.tournaments import every_strategy

        texts = every_strategy(game)
    errors: list[Any] = []
    seats: list[Seat] = []
    for text in texts:
        try:
            if len(split_seats(text)) > 1:
                raise UsageError(
                    f"'{shorten(text)}' names several seats; a tournament takes one strategy at a time.",
                    "Write them with blanks between.",
                )
            seats.append(read_seat(game, text))
        except UsageError as error:
            errors += getattr(error, "errors", [error])
    seen: set[str] = set()
    for seat in seats:
        if seat.short in seen:
            errors.append(UsageError(f"strategy '{seat.short}' is named twice.", "Leave one of them out."))
        seen.add(seat.short)
    raise_all(errors)
    if len(seats) < 2:
        raise UsageError(
            "a tournament needs two strategies.",
            f"Name another, or none for all of {game.NAME}.",
            f"See 'shipsim strategies {game.NAME}'.",
        )
    return seats


def _read_amount(
    context: click.Context, game: Game, games: str | None, sprt: str | None, most: str | None
) -> tuple[int, float | None]:
    """Return the games of each cell (at most), and the edge that a sequential test is about."""
    if games is not None and rank(context, "games") > rank(context, "sprt"):
        sprt = None
    if sprt is None:
        if most is not None and rank(context, "max_games") >= rank(context, "games"):
            raise UsageError("--max-games says when to give up --sprt, which is not there.", "Write --games N.")
        return read_games("100k" if games is None else games), None
    if games is not None and rank(context, "games") == rank(context, "sprt"):
        raise UsageError(
            "--games fixes the number of games, which --sprt leaves open.",
            "Leave one of them out, or write --max-games N for the most games.",
        )
    target = parse_target(game, sprt, "--sprt")
    if target.metric != "match_win":
        raise UsageError(f"--sprt is about match_win, not {target.metric}.", "Write --sprt 1pp.")
    return read_max_games(most), target.value


def resume_tournament(
    streams: Streams,
    folder: str,
    given: Sequence[Seat],
    most: int,
    workers: Callable[[], Any],
) -> int:
    """Go on with a saved tournament that stops by itself, and return the exit code.

    `given` are users' own strategies that its cells need, `most` the most games if there are to be more than before;
    `workers` opens what plays.
    """
    from cli.playing import try_own
    from simcore.cells import adopt
    from simcore.store import Run
    from simcore.tournaments import pairs_of

    with workers() as pool, streams.interruption.gracefully():
        run = Run.open(folder, for_writing=True)
        try:
            saved, seed = run.sprt, run.manifest["seed"]
            assert saved is not None
            rule = saved._replace(max_games=max(most, saved.max_games))
            # A run that could have more games was not looked at where it ended before.
            looks = set(rule.looks())
            rule = rule._replace(decided={k: v for k, v in rule.decided.items() if v.games in looks})
            is_open = bool(rule.open_pairs(pairs_of(run.cells)))
            if is_open:
                run.cells = [adopt(cell, given, folder) for cell in run.cells]
            pairs = pairs_of(run.cells)
            run.note(status="running", stopping=rule.described())
            streams.say(
                f"{run.manifest['game']}: {plural(len(run.cells), 'cell')}, {aim_words(rule)}, seed {seed}; "
                f"{len(rule.decided):,} of {plural(len(pairs), 'pair')} are decided."
            )
            if is_open:
                try_own(streams, run.cells, seed)
            return _play(streams, pairs, run.cells, rule.max_games, rule, seed, pool, run)
        finally:
            run.close()


def _begin(
    out: str, cells: Sequence[Cell], seed: int, games: int, rule: Sprt | None, workers: Workers, command: str
) -> Run:
    from simcore.store import Run, make_manifest
    from simcore.tournaments import TOURNAMENT

    described = {"axes": [{"names": ["strategy"], "axis": TOURNAMENT}], "design": "grid", "skipped": []}
    stopping = "fixed number of games" if rule is None else rule.described()
    manifest = make_manifest(cells, seed, games, command=command, stopping=stopping, jobs=workers.jobs, **described)
    run = Run.create(out, manifest, cells)
    run.note(status="running", started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    return run


def _play(
    streams: Streams,
    pairs: Sequence[Pair],
    cells: Sequence[Cell],
    games: int,
    rule: Sprt | None,
    seed: int,
    workers: Workers,
    run: Run | None,
) -> int:
    """Play all pairs, or those that are open from look to look; show what came of them, and return the exit code."""
    from cli.interrupt import Interrupted
    from cli.playing import compile_game, play
    from simcore.tournaments import is_played, stand, wins_of

    began, game = time.monotonic(), load(cells[0].game)
    tallies: dict[str, Tally] = {}
    whole: dict[str, Tally] = {}
    failed: dict[str, str] = {}

    def keep(cell: Cell, tally: Tally) -> None:
        tallies[cell.id] = wins_of(cell, tally)
        if run:
            run.save(cell, tally)
        elif rule is not None:
            whole[cell.id] = tally

    def load_cell(cell: Cell) -> Tally | None:
        return run.load(cell) if run else whole.get(cell.id)

    for cell in cells:
        if run and (tally := run.load(cell)) is not None:
            tallies[cell.id] = wins_of(cell, tally)
    standings: dict[str, Standing] = dict(rule.decided) if rule else {}
    is_whole, open_pairs, looks = True, rule.open_pairs(pairs) if rule else list(pairs), [games]
    if rule is not None:
        # A run that goes on has looked before, but for the look that it was playing for.
        played_before = (tallies[c.id].games for pair in open_pairs for c in pair.cells if c.id in tallies)
        have = max(played_before, default=0)
        looks = [look for look in rule.looks() if look >= have] or rule.looks()[-1:]
    played_games = 0
    with contextlib.suppress(Interrupted):
        if open_pairs:
            is_whole = False
            compile_game(streams, game.NAME, cells)
        for look in looks if open_pairs else ():
            wanted = {cell.id for pair in open_pairs for cell in pair.cells} - failed.keys()
            todo = [cell for cell in cells if cell.id in wanted]
            played = play(streams, todo, seed, look, workers, keep, load_cell)
            played_games += played.games
            failed |= played.failed
            is_whole = played.cells == len(todo)
            for pair in open_pairs:
                if is_played(pair, tallies):
                    standings[pair.name] = stand(pair, tallies, len(pairs), rule.edge if rule else None)
            if rule is None or not is_whole:
                break
            closed = {p.name: standings[p.name] for p in open_pairs if p.name in standings}
            closed = {name: standing for name, standing in closed.items() if rule.is_decided(standing)}
            rule = rule._replace(decided={**rule.decided, **closed})
            open_pairs = rule.open_pairs(open_pairs)
            if run:
                run.note(stopping=rule.described())
            verb = "is" if len(open_pairs) == 1 else "are"
            streams.say(f"look at {count_games(look)}: {len(open_pairs):,} of {len(pairs):,} pairs {verb} open.")
            if not open_pairs:
                break
    status, code = "done", 0
    if not is_whole:
        status, code = "interrupted", streams.interruption.exit_code
    elif failed:
        status, code = "failed", 5
    elif open_pairs and rule is not None:
        status, code = "imprecise", 4
    if run:
        # How many a test needs is known at its end; a fixed number is what a run that goes on still has to reach.
        most = max((tally.games for tally in tallies.values()), default=games)
        run.note(failed=failed, games=games if rule is None else most)
        run.finish(status)
    for name, reason in failed.items():
        streams.complain(f"error: cell '{name}' failed: {reason}.")
    _show(streams, game, pairs, standings, tallies, status, code, seed, rule)
    if not is_whole:
        kept = "what is shown is what was played."
        if run:
            kept = f"everything played is kept. Go on with: {resume_line(run.folder, cells)}"
        streams.say(f"interrupted; {kept}")
    elif code == 4:
        streams.complain(f"not decided in {len(open_pairs):,} of {len(pairs):,} pairs after {count_games(games)} each.")
    saved = f" Saved: {run.folder}" if run else ""
    streams.say(f"played {count_games(played_games)} in {duration(time.monotonic() - began)}.{saved}")
    return code


def show_saved(streams: Streams, run: Run, pairs: Sequence[Pair], code: int, status: str) -> None:
    """Show what came of a saved tournament of a fixed number of games, as the tournament itself did."""
    from simcore.tournaments import is_played, stand, wins_of

    loaded = ((cell, run.load(cell)) for cell in run.cells)
    tallies = {cell.id: wins_of(cell, tally) for cell, tally in loaded if tally is not None}
    standings = {pair.name: stand(pair, tallies, len(pairs)) for pair in pairs if is_played(pair, tallies)}
    game, seed = load(run.manifest["game"]), run.manifest["seed"]
    _show(streams, game, pairs, standings, tallies, status, code, seed, None)


def _show(
    streams: Streams,
    game: Game,
    pairs: Sequence[Pair],
    standings: dict[str, Standing],
    tallies: dict[str, Tally],
    status: str,
    code: int,
    seed: int,
    rule: Sprt | None,
) -> None:
    from simcore.stats import sprt_bounds
    from simcore.tournaments import best_words, ladder

    found = [standings[pair.name] for pair in pairs if pair.name in standings]
    rungs = ladder(pairs, tallies, found) if len(found) == len(pairs) else []
    if streams.json:
        results = [standing._asdict() for standing in found]
        streams.put_json(results, status, code, game=game.NAME, seed=seed, ladder=[rung._asdict() for rung in rungs])
        return
    below, above = sprt_bounds()
    size = half_width(rule.edge)[1:] if rule else ""
    rows = []
    for row in sorted(found, key=lambda row: -row.edge):
        gap, limits = interval(row.edge, row.low, row.high, True, signed=True)
        verdict = row.verdict
        if verdict == "undecided" and math.isfinite(row.settled_after):
            verdict = f"undecided ({short_count(row.settled_after)})"
        if rule is not None:
            verdict = f"below {size}" if row.llr <= below else "above 0" if row.llr >= above else "undecided"
        ahead = short_count(row.games_until_ahead) if math.isfinite(row.games_until_ahead) else "never"
        rows.append((f"{row.strategy} among {row.among}", gap, limits.replace(" to ", ".."), ahead, verdict))
    headers = ("strategy", "edge", "interval", "ahead", "verdict")
    streams.put_table(Table(headers, rows, frozenset({1, 2, 3}), gives=0))
    if len(rungs) > 2:
        streams.put()
        steps = []
        for number, rung in enumerate(rungs, 1):
            gap, limits = interval(rung.edge, rung.low, rung.high, True, signed=True)
            stronger = f"{rung.stronger_than} of {len(rungs) - 1}"
            steps.append((str(number), rung.strategy, gap, limits.replace(" to ", ".."), stronger, rung.best))
        headings = ("rung", "strategy", "mean edge", "interval", "stronger among", "best")
        streams.put_table(Table(headings, steps, frozenset({0, 2, 3}), gives=1))
        told = f"Of these strategies {best_words(rungs)}"
        streams.put(wrapped(f"{told} (mean edges against the best of the others, which hold together with 95 %)."))
    decided = (
        f"above 0: there is an edge, for one of {size} fits better than none; below {size}: none fits better; how "
        "large it is says its interval"
        if rule
        else "undecided: in brackets the games that would settle it"
    )
    streams.say(
        "edge: share of wins less 1/players, seats rotated on the same deals; ahead: games until the better one has "
        f"won more often than a given opponent, with 95 %; {decided}. Always of these strategies."
    )
    say_assumed(streams, game)
