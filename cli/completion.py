"""`shipsim completion`: the script that makes a shell complete commands, options and values."""

from __future__ import annotations

import click

from cli.options import Command, examples, streams_of
from cli.streams import Streams
from simcore.errors import UsageError, nearest, shorten

SHELLS = ("bash", "zsh", "fish")


@click.command(
    "completion",
    cls=Command,
    short_help="A script for the shell.",
    epilog=examples(
        'eval "$(shipsim completion bash)"          # in ~/.bashrc',
        'eval "$(shipsim completion zsh)"           # in ~/.zshrc',
        "shipsim completion fish | source           # in ~/.config/fish/config.fish",
    ),
)
@click.argument("shell", required=False, metavar="bash|zsh|fish")
@click.pass_context
@streams_of
def command(streams: Streams, context: click.Context, shell: str | None) -> int:
    """Print the script that lets a shell complete commands, options, rules and their values."""
    if shell not in SHELLS:
        wrong = (
            f"'{shorten(shell)}' is not a known shell.{nearest(shell, SHELLS)}" if shell else "the shell is missing."
        )
        raise UsageError(wrong, f"Values: {', '.join(SHELLS)}.", "See 'shipsim completion --help'.")
    from cli.complete import script

    streams.put(script(shell, context.find_root().command))
    return 0
