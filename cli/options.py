"""What the commands share: their class with the global options, and the options for rules and runs."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli import complete
from cli.grammar import Target, parse_base, parse_count, parse_duration, parse_target
from cli.streams import Streams
from simcore import __version__
from simcore.errors import ShipsimError, UsageError, nearest, shorten
from simcore.games import GAMES, Game, load

if TYPE_CHECKING:
    from simcore.shards import Shard
    from simcore.sources import Source

F = TypeVar("F", bound=Callable[..., Any])

MAX_GAMES = 10**12
MAX_JOBS = 1024
MAX_SEED = 2**64 - 1

streams_of = click.make_pass_decorator(Streams)


class AnyPath(click.Path):
    """A path that nobody looks at before it is used: what is wrong with it is said there."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value


PATH = AnyPath()


class GlobalOption(click.Option):
    """An option of every command, before or after its name."""


def _remember(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        setattr(context.ensure_object(Streams), str(parameter.name), True)


def _show_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"shipsim {__version__}")
        context.exit()


def global_options(from_environment: bool) -> list[click.Option]:
    """Return the global options; the environment is asked once, for the group."""
    flags = (
        (("-q", "--quiet"), "Nothing on stderr but errors."),
        (("-v", "--verbose"), "More rows and remarks."),
        (("--json",), "One JSON object on stdout."),
        (("--no-color",), "No colours."),
        (("--no-progress",), "No progress."),
        (("--debug",), "Show a traceback for bugs."),
    )
    options: list[click.Option] = [
        GlobalOption(
            names,
            is_flag=True,
            expose_value=False,
            callback=_remember,
            help=text,
            allow_from_autoenv=from_environment,
        )
        for names, text in flags
    ]
    options.append(
        GlobalOption(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_show_version,
            help="Show the version and exit.",
            allow_from_autoenv=False,
        )
    )
    return options


class Command(click.Command):
    """A command that takes the global options too, and lists them apart."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += global_options(from_environment=False)

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        write_options(self, context, formatter)


def write_options(command: click.Command, context: click.Context, formatter: click.HelpFormatter) -> None:
    """Write a command's own options, then the global ones."""
    own: list[tuple[str, str]] = []
    shared: list[tuple[str, str]] = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and isinstance(parameter, click.Option):
            is_shared = isinstance(parameter, GlobalOption) or parameter is command.get_help_option(context)
            (shared if is_shared else own).append(record)
    for title, records in (("Options", own), ("Options of every command", shared)):
        if records:
            with formatter.section(title):
                formatter.write_dl(records, col_max=26)


def examples(*lines: str) -> str:
    """Return the epilog of a command's help."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _stacked(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


game_argument = click.argument("game", required=False, shell_complete=complete.games)

base_options = _stacked(
    click.option(
        "--preset",
        multiple=True,
        metavar="NAME",
        help="Named rules; repeat, or join by +.",
        shell_complete=complete.presets,
    ),
    click.option("--rules", multiple=True, metavar="FILE", type=PATH, help="Rules from a TOML file."),
    click.option("--set", multiple=True, metavar="RULE=VALUE", help="Set one rule.", shell_complete=complete.settings),
)

rules_options = _stacked(
    base_options,
    click.option(
        "--strategy", metavar="S", help="For all seats, or one a seat joined by +.", shell_complete=complete.strategies
    ),
)

seed_option = click.option("--seed", metavar="N", default="1", show_default=True, help="Or random: draws one.")
jobs_option = click.option("--jobs", metavar="N", default="auto", show_default=True, help="Threads.")
executor_option = click.option(
    "--executor",
    metavar="WHERE",
    default="threads",
    show_default=True,
    help="Or processes, dask:ADDRESS, module:factory.",
)
shard_option = click.option("--shard", metavar="i/n", help="Play the i-th of n parts, to be merged.")

max_games_option = click.option("--max-games", metavar="N", help="Most matches of a cell.  [default: 100M]")
max_time_option = click.option("--max-time", metavar="TIME", help="Stop after 10m, say; not reproducible.")
precision_options = _stacked(
    click.option(
        "--precision",
        multiple=True,
        metavar="HALF",
        help="Play until intervals are 0.1pp each way, or METRIC=VALUE; repeat.",
    ),
    max_games_option,
    max_time_option,
)


def read_game(name: str | None, command: str) -> Game:
    """Return the game that a command is given.

    Raises
    ------
    UsageError
        If it is missing or unknown.
    """
    if name is None:
        raise UsageError("the game is missing.", f"Games: {', '.join(GAMES)}.", f"See 'shipsim {command} --help'.")
    return load(name)


def read_base(
    game: Game, preset: Sequence[str], rules: Sequence[str], set: Sequence[str], strategy: str | None
) -> tuple[Source, ...]:
    """Read the options for rules, whose names are those of the command line."""
    return parse_base(game, preset, rules, set, strategy)


def read_games(text: str, option: str = "--games") -> int:
    """Read a number of games."""
    return parse_count(text, option, 1, MAX_GAMES)


def read_precision(game: Game, texts: Sequence[str], option: str = "--precision") -> tuple[Target, ...]:
    """Read the half widths at which a run stops.

    Raises
    ------
    UsageError
        For everything that is wrong in any of them, and a metric that is given twice.
    """
    targets: list[Target] = collect(*(functools.partial(parse_target, game, text, option) for text in texts))
    names = [target.metric for target in targets]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        raise UsageError(f"{option}: '{name}' has two half widths.", "Leave one of them out.")
    return tuple(targets)


def read_max_games(text: str | None, option: str = "--max-games") -> int:
    """Read the most games of a cell that stops by itself."""
    return 100_000_000 if text is None else parse_count(text, option, 1, MAX_GAMES)


def read_max_time(text: str | None, option: str = "--max-time") -> float | None:
    """Read the seconds after which a run stops wherever it is."""
    return None if text is None else parse_duration(text, option)


def read_seed(text: str, option: str = "--seed") -> int:
    """Read a seed, or draw one.

    Raises
    ------
    UsageError
        If it is neither a number within bounds nor ``random``.
    """
    if text == "random":
        import secrets

        return secrets.randbits(32)
    if not (text.isascii() and text.isdigit()) or len(text) > 20 or int(text) > MAX_SEED:
        raise UsageError(
            f"{option}: '{shorten(text)}' is not a seed.{nearest(text, ['random'])}",
            f"Values: 0 to {MAX_SEED}, random.",
        )
    return int(text)


def read_executor(text: str) -> str:
    """Read where games are played.

    Raises
    ------
    UsageError
        If it is not formed like an executor.
    """
    from simcore.workers import check_executor

    return check_executor(text)


def read_shard(text: str | None, games: int, stops: bool) -> Shard | None:
    """Read which part of so many games is to be played.

    Raises
    ------
    UsageError
        If it is none, or the number of games is not fixed.
    """
    from simcore import shards

    if text is None:
        return None
    shard = shards.read_shard(text)
    if stops:
        raise UsageError(
            "--shard divides a fixed number of games, which --precision and other ways to stop leave open.",
            "Write --games N, or leave --shard out.",
        )
    shard.span(games)
    return shard


def read_jobs(text: str, option: str = "--jobs") -> int:
    """Read a number of threads; 0 stands for auto.

    Raises
    ------
    UsageError
        If it is neither a number within bounds nor ``auto``.
    """
    if text == "auto":
        return 0
    if not (text.isascii() and text.isdigit()) or len(text) > 20 or not 1 <= int(text) <= MAX_JOBS:
        raise UsageError(
            f"{option}: '{shorten(text)}' is not a number of jobs.{nearest(text, ['auto'])}",
            f"Values: 1 to {MAX_JOBS}, auto.",
        )
    return int(text)


def collect(*readers: Callable[[], Any]) -> list[Any]:
    """Return what all readers return, or raise everything that is wrong at once."""
    from simcore.errors import ManyErrors, raise_all

    errors: list[ShipsimError] = []
    values = []
    for reader in readers:
        try:
            values.append(reader())
        except ShipsimError as error:
            errors += error.errors if isinstance(error, ManyErrors) else [error]
    raise_all(errors)
    return values


def given_on_line(context: click.Context, *names: str) -> list[str]:
    """Return those parameters that stand on the command line itself, as they are called there."""
    found = []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is click.core.ParameterSource.COMMANDLINE:
            found.append(parameter.opts[0] if isinstance(parameter, click.Option) else str(parameter.name).upper())
    return found


def rank(context: click.Context, name: str) -> int:
    """Return 3 for a parameter given on the command line, 2 in the environment, 1 in a study, else 0."""
    sources = click.core.ParameterSource
    ranks = {sources.COMMANDLINE: 3, sources.ENVIRONMENT: 2, sources.DEFAULT_MAP: 1}
    source = context.get_parameter_source(name)
    return ranks.get(source, 0) if source is not None else 0


def is_run(path: str) -> bool:
    """Say whether a word is a folder rather than a game."""
    with contextlib.suppress(OSError, ValueError):
        return path not in GAMES and Path(path).is_dir()
    # A name that no file can have.
    return False
