"""`shipsim trace`: one game, card by card, to read."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

from cli import complete
from cli.grammar import parse_count
from cli.options import (
    MAX_GAMES,
    Command,
    collect,
    examples,
    given_on_line,
    is_run,
    rank,
    read_base,
    read_games,
    read_seed,
    rules_options,
    streams_of,
)
from cli.streams import Streams
from simcore.errors import UsageError, plural, shorten
from simcore.finding import FIND, findable, meaning, metric_to_find
from simcore.games import GAMES, load, nearest_game

if TYPE_CHECKING:
    from simcore.cells import Cell

EXAMPLES = examples(
    "shipsim trace my-ship-sails --set pass_count=2 --game 17",
    "shipsim trace my-ship-sails --find longest",
    "shipsim trace runs/first --cell players-5-pass_count-2",
)


class TraceCommand(Command):
    """The command, whose help says what can be found in which game: read only for that, or all would be slower."""

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("To find in a game"):
            for name in GAMES:
                found = (f"{word} ({FIND[word]} {metric.name})" for word, metric in findable(load(name)).items())
                formatter.write_text(f"{name}: {', '.join(found)}")
        super().format_epilog(context, formatter)


@click.command("trace", cls=TraceCommand, short_help="One game, card by card, to read.", epilog=EXAMPLES)
@click.argument("target", metavar="GAME|RUN", required=False, shell_complete=complete.games_and_runs)
@rules_options
@click.option(
    "--cell",
    metavar="ID",
    help="Which cell of a run, by what its id begins with; the first if not given.",
    shell_complete=complete.cells,
)
@click.option("--game", metavar="N", help="Number of the game, from 0.  [default: 0]")
@click.option("--find", metavar="WHAT", help=f"The most remarkable game: {', '.join(FIND)}; see below.")
@click.option("--games", metavar="N", default="10k", show_default=True, help="Games that --find looks through.")
@click.option("--seed", metavar="N", help="Or random.  [default: 1, or that of the run]")
@click.pass_context
@streams_of
def command(
    streams: Streams,
    context: click.Context,
    /,
    target: str | None,
    cell: str | None,
    game: str | None,
    find: str | None,
    games: str,
    seed: str | None,
    **base: Any,
) -> int:
    """Tell one game as a story: the same game that simulate and sweep count under this number and seed."""
    if find is not None and game is not None:
        if rank(context, "game") == rank(context, "find"):
            raise UsageError("--game and --find do not go together.", "Leave one of them out.")
        find, game = (find, None) if rank(context, "find") > rank(context, "game") else (None, game)
    at, matches, drawn = collect(
        lambda: 0 if game is None else parse_count(game, "--game", 0, MAX_GAMES),
        lambda: read_games(games),
        lambda: None if seed is None else read_seed(seed),
    )
    if target is None:
        raise UsageError("the game or run is missing.", f"Games: {', '.join(GAMES)}.", "See 'shipsim trace --help'.")
    if is_run(target):
        forbidden = given_on_line(context, "preset", "rules", "set")
        if forbidden:
            raise UsageError(
                f"{forbidden[0]} does not go with a run, whose cells have their rules.", "Choose one with --cell ID."
            )
        strategy = base["strategy"] if given_on_line(context, "strategy") else None
        chosen, saved_seed = _cell_of(streams, target, cell, strategy)
        drawn = saved_seed if drawn is None else drawn
    else:
        if cell is not None:
            raise UsageError(f"--cell belongs to a run, and '{shorten(target)}' is none.", "Give a run's folder.")
        chosen = _cell_from(target, base)
        drawn = 1 if drawn is None else drawn

    if find is not None:
        by = metric_to_find(load(chosen.game), find)

    from cli.playing import compile_game, try_own
    from cli.tables import cell_object
    from simcore import tracing

    compile_game(streams, chosen.game, [] if find is None else [chosen], is_logged=True)
    try_own(streams, [chosen], drawn)
    found: dict[str, Any] = {}
    if find is not None:
        at, value = tracing.find(chosen, drawn, matches, find)
        found = {"find": find, "value": value}
        where = "" if by.per == "matches" else " in all its rounds"
        streams.say(f"the {find} of the first {plural(matches, 'game')}: {by.name} = {value:g}{where} ({meaning(by)}).")
    trace = tracing.trace(chosen, drawn, at)
    if streams.json:
        names = _event_names(chosen.game)
        events = [{"event": names.get(code, str(code)), "numbers": rest} for code, *rest in trace.events]
        known = load(chosen.game)
        streams.put_json(
            {**cell_object(known, chosen), "seed": drawn, "game": at, **found, "story": trace.lines, "events": events}
        )
        return 0
    streams.say(f"{chosen.game}, game {at}, seed {drawn}.")
    for line in trace.lines:
        streams.put_prose(line)
    return 0


def _cell_from(name: str, base: dict[str, Any]) -> Cell:
    """Return the cell that a game and the options for rules make."""
    from simcore.cells import plan

    if name not in GAMES:
        raise UsageError(
            f"'{shorten(name)}' is neither a game nor a run's folder.{nearest_game(name)}",
            f"Games: {', '.join(GAMES)}.",
        )
    game = load(name)
    return plan(game, read_base(game, **base)).cells[0]


def _cell_of(streams: Streams, folder: str, name: str | None, strategy: str | None) -> tuple[Cell, int]:
    """Return a cell of a run, with the code that `strategy` names if it is a user's own, and the run's seed."""
    from cli.operands import choose_cell
    from cli.running import read_own_files
    from simcore.cells import adopt
    from simcore.store import Run

    run = Run.open(folder)
    given = read_own_files(run, strategy)
    seed = int(run.manifest["seed"])
    if name is None:
        if len(run.cells) > 1:
            streams.say(f"cell {run.cells[0].id}, the first of {len(run.cells):,}; --cell ID chooses another.")
        return adopt(run.cells[0], given, folder), seed
    return adopt(choose_cell(run.cells, name, folder), given, folder), seed


def _event_names(name: str) -> dict[int, str]:
    """Return the names of a game's event codes."""
    events = importlib.import_module(f"simcore.games.{GAMES[name]}.events")
    return {code: word.lower() for word, code in vars(events).items() if word.isupper() and isinstance(code, int)}
