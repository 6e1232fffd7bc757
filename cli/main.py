"""The entry point `shipsim`: global options, errors, exit codes, signals and closed pipes."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import click

from cli import (
    calibrate,
    claims,
    compare,
    completion,
    merge,
    report,
    rules,
    selftest,
    simulate,
    status,
    strategies,
    sweep,
    tournament,
    trace,
    warm,
)
from cli.interrupt import Interrupted, Interruption, end_process
from cli.options import global_options, write_options
from cli.streams import Streams
from simcore.errors import ShipsimError, UsageError, nearest, shorten
from simcore.folders import quoted, shell

EXAMPLES = """\
Examples:
  shipsim simulate my-ship-sails --set players=5
  shipsim sweep my-ship-sails --vary players=4..7 --vary pass_count=1,2
  shipsim trace my-ship-sails --find longest
"""

ABOUT = """\
What does a house rule do to a card game? Plays millions of games with every variant of the rules and says what
changes: who wins, how long it takes, and how sure that is.
"""


class ClosedPipe(BaseException):
    """Whoever read the output has seen enough; click would make it exit code 1."""


@contextlib.contextmanager
def _pipe_noticed() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise ClosedPipe from error
        raise


class Group(click.Group):
    """The commands in the order in which one meets them; help begins with examples."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _pipe_noticed():
            return super().make_context(*args, **kwargs)

    def invoke(self, context: click.Context) -> Any:
        with _pipe_noticed():
            return super().invoke(context)

    def list_commands(self, context: click.Context) -> list[str]:
        return list(self.commands)

    def format_help(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(EXAMPLES + "\n")
        super().format_help(context, formatter)

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(context, formatter)
        write_options(self, context, formatter)
        formatter.write("\n'shipsim COMMAND --help' tells more. Exit codes: 0 done, 1 a bug, 2 usage,\n")
        formatter.write("3 bad data or an incompatible run, 4 the precision asked for was not reached,\n")
        formatter.write("5 some cells failed, 6 what was asserted does not hold, 130, 143 interrupted.\n")


@click.group(
    cls=Group,
    params=list(global_options(from_environment=True)),
    help=ABOUT,
    invoke_without_command=True,
    subcommand_metavar="COMMAND ...",
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "SHIPSIM"},
)
@click.pass_context
def shipsim(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for module in (
    simulate,
    sweep,
    compare,
    tournament,
    claims,
    trace,
    rules,
    strategies,
    status,
    report,
    merge,
    calibrate,
    warm,
    selftest,
    completion,
):
    shipsim.add_command(module.command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    arguments
        Without the program's name; those of the process by default.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that does not know a card's suit shows a question mark, and the run goes on.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # Whether errors are JSON must be known before the words are understood.
    streams = Streams(json=_is_asked("json", words), debug=_is_asked("debug", words), words=tuple(words))
    with Interruption() as streams.interruption:
        code = _guarded(streams, lambda: _run(streams, words))
    return end_process(code) if arguments is None else code


def _is_asked(option: str, words: Sequence[str]) -> bool:
    return f"--{option}" in words or os.environ.get(f"SHIPSIM_{option.upper()}", "").lower() in (
        "1",
        "t",
        "true",
        "y",
        "yes",
        "on",
    )


def _run(streams: Streams, words: list[str]) -> int:
    code = shipsim.main(words, prog_name="shipsim", standalone_mode=False, obj=streams)
    with _pipe_noticed():
        if sys.stdout is not None:
            sys.stdout.flush()
    return code or 0


def _guarded(streams: Streams, run: Callable[[], int]) -> int:
    """Run a command and turn whatever it raises into a message and an exit code."""
    try:
        return run()
    except ShipsimError as error:
        return _fail(streams, error)
    except click.UsageError as error:
        return _fail(streams, as_error(error, streams.words))
    except (Interrupted, click.Abort, KeyboardInterrupt):
        streams.say("interrupted.")
        return _report(streams, "interrupted", "interrupted.", streams.interruption.exit_code or 130)
    except SystemExit as error:
        # click ends a completion so.
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except ClosedPipe:
        return _forget_stdout()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            return _fail(streams, _full())
        return _bug(streams, error)
    except Exception as error:
        return _bug(streams, error)


def _full() -> ShipsimError:
    error = ShipsimError("the output could not be written: no space left.")
    error.exit_code = 3
    return error


def _fail(streams: Streams, error: ShipsimError) -> int:
    if streams.debug:
        import traceback

        streams.complain(traceback.format_exc().rstrip())
    for part in getattr(error, "errors", (error,)):
        streams.complain(f"error: {part}")
    return _report(streams, "error", str(error), error.exit_code)


def _bug(streams: Streams, error: BaseException) -> int:
    if streams.debug:
        import traceback

        streams.complain(traceback.format_exc().rstrip())
    text = f"this is a bug of shipsim: {type(error).__name__}: {shorten(str(error), 200)}"
    streams.complain(f"error: {text}. Please report it with the output of --debug.")
    return _report(streams, "error", text, 1)


def _report(streams: Streams, status: str, message: str, code: int) -> int:
    """Let those who asked for JSON have their object, also of an error."""
    if streams.json:
        with contextlib.suppress(OSError, ValueError):
            streams.put_json([], status, code, error=message)
            sys.stdout.flush()
    return code


def _forget_stdout() -> int:
    """Let the interpreter's last flush go nowhere: whoever read the pipe has seen enough."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def as_error(error: click.UsageError, words: Sequence[str] = ()) -> UsageError:
    """Return one of click's errors in the words of all the others."""
    # click does not always say which command it was reading.
    named = next((f"shipsim {word}" for word in words if word in shipsim.commands), "shipsim")
    path = error.ctx.command_path if error.ctx else named
    see = f"See '{path} --help'."
    if isinstance(error, click.NoSuchOption):
        known = [name for name in _options(error.ctx) if name.startswith("--")]
        name = error.option_name
        if name == "--vary":
            return UsageError(f"{path} has no option '--vary'.", _varied(path, words), see)
        if name == "--resume":
            run = next((after for word, after in pairwise(words) if word == name), "RUN")
            return UsageError(f"{path} has no option '--resume'.", f"Runs go on by '{shell('sweep', name, run)}'.", see)
        return UsageError(f"{path} has no option '{shorten(name)}'.{nearest(name, known)}", see)
    if isinstance(error, click.exceptions.NoSuchCommand):
        return UsageError(
            f"there is no command '{shorten(error.command_name)}'.{nearest(error.command_name, shipsim.commands)}",
            f"Commands: {', '.join(shipsim.commands)}.",
            "See 'shipsim --help'.",
        )
    if isinstance(error, click.BadParameter) and isinstance(error.param, click.Option) and error.param.is_flag:
        # On the command line a flag has no value, so it was the environment that gave one.
        name, prefix = error.param.name or "", error.ctx.auto_envvar_prefix if error.ctx else None
        given = os.environ.get(variable := f"{prefix or 'SHIPSIM'}_{name.upper()}", "")
        return UsageError(
            f"{variable}='{shorten(given)}' is neither yes nor no.", "Values: 1, true, yes, on, 0, false, no, off."
        )
    message = error.format_message().rstrip(".")
    hints = _settings(message, error.ctx) or _blanks(message, error.ctx, words)
    return UsageError(f"{message[:1].lower()}{message[1:]}.", *hints, see)


def _varied(path: str, words: Sequence[str]) -> str:
    """Return how rules are varied: with what was written, if a sweep takes it."""
    if path != "shipsim simulate":
        return "Rule sets are varied by 'shipsim sweep GAME --vary AXIS'."
    place = list(words).index("simulate")
    return f"Write '{shell(*words[:place], 'sweep', *words[place + 1 :])}'."


def _extra(message: str) -> list[str]:
    """Return the words too many, which click names in brackets only."""
    found = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", message)
    return found[1].split() if found else []


def _settings(message: str, context: click.Context | None) -> list[str]:
    """Return how rules are set, if the words too many are RULE=VALUE."""
    extra = _extra(message)
    if not extra or not all(re.match(r"[a-z0-9_:]+=.", word) for word in extra):
        return []
    options = _options(context)
    several = [word for word in extra if re.search(r",|\.\.", word)]
    if several and "--vary" not in options:
        return [f"Several values are played by 'shipsim sweep GAME --vary {shorten(several[0])}'."]
    option = "--vary" if several else "--set"
    return [f"Write {' '.join(f'{option} {shorten(word)}' for word in extra)}."] if option in options else []


def _blanks(message: str, context: click.Context | None, words: Sequence[str]) -> list[str]:
    """Return how the value of an option is written, if the words too many follow one."""
    extra = _extra(message)
    place = list(words).index(extra[0]) if extra and extra[0] in words else 0
    if place < 2 or context is None:
        return []
    option, value = words[place - 2 : place]
    if not any(option in known.opts and not getattr(known, "is_flag", True) for known in context.command.params):
        return []
    if option == "--vary":
        return [
            f"Values are joined by commas, without blanks: --vary {shorten(','.join([value.rstrip(','), *extra]))}."
        ]
    return [f"If that belongs to {option}, it needs quotes: {option} {quoted(shorten(' '.join([value, *extra])))}."]


def _options(context: click.Context | None) -> list[str]:
    names: list[str] = []
    while context is not None:
        for parameter in context.command.get_params(context):
            names += parameter.opts if isinstance(parameter, click.Option) else []
        context = context.parent
    return names


if __name__ == "__main__":
    sys.exit(main())
