"""Completion of values in the shell: games, rules and their values, presets, strategies, runs.

Whatever is wrong in what was typed so far, completion offers nothing rather than fail.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from simcore.declare import Field, fields
from simcore.games import GAMES, Game, load


def _game(context: click.Context) -> Game | None:
    """Return the game that was named; click leaves its word unread while an option lacks its value."""
    words = [context.params.get("game"), context.params.get("target"), *context.args]
    return next((load(word) for word in words if isinstance(word, str) and word in GAMES), None)


def _fitting(words: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(incomplete)]


def _values(field: Field | None) -> list[str]:
    if field is None:
        return []
    if issubclass(field.kind, IntEnum):
        return [member.name.lower() for member in field.kind]
    words = ["true", "false"] if field.kind is bool else []
    span = field.rule.span
    if field.kind is int and span is not None and span.high - span.low < 64:
        words = [str(number) for number in range(int(span.low), int(span.high) + 1, span.step)]
    return [*words, *field.rule.words]


def games(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a game."""
    return _fitting(GAMES, incomplete)


def runs(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a run's folder."""
    return [CompletionItem(incomplete, type="dir")]


def games_and_runs(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a game, or else a run's folder."""
    return games(context, parameter, incomplete) or runs(context, parameter, incomplete)


def rules(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a rule."""
    game = _game(context)
    return _fitting(fields(game.Rules), incomplete) if game else []


def settings(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete RULE=VALUE."""
    game = _game(context)
    if game is None:
        return []
    name, equals, _ = incomplete.partition("=")
    if not equals:
        return _fitting((f"{rule}=" for rule in fields(game.Rules)), incomplete)
    return _fitting((f"{name}={value}" for value in _values(fields(game.Rules).get(name))), incomplete)


def axes(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete an axis: the name, then one value after the other."""
    game = _game(context)
    if game is None:
        return []
    name, equals, values = incomplete.partition("=")
    if not equals:
        return _fitting((f"{rule}=" for rule in (*fields(game.Rules), "preset", "strategy")), incomplete)
    before, comma, _ = values.rpartition(",")
    done = set(before.split(","))
    known = {"preset": list(game.PRESETS), "strategy": _names(game)}
    words = known.get(name) or _values(fields(game.Rules).get(name))
    return _fitting((f"{name}={before}{comma}{word}" for word in words if word not in done), incomplete)


def presets(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete presets joined by plus."""
    game = _game(context)
    if game is None:
        return []
    before, plus, _ = incomplete.rpartition("+")
    return _fitting((f"{before}{plus}{name}" for name in game.PRESETS), incomplete)


def _names(game: Game) -> list[str]:
    return list(dict.fromkeys(strategy.name for known in game.STRATEGIES.values() for strategy in known))


def strategies(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete strategies joined by plus, then by a slash where a game has two parts, and parameters."""
    game = _game(context)
    if game is None:
        return []
    before, plus, last = incomplete.rpartition("+")
    head = f"{before}{plus}"
    if ":" not in last:
        bid, slash, _ = last.rpartition("/")
        return _fitting((f"{head}{bid}{slash}{name}" for name in _names(game)), incomplete)
    settled, colon, setting = last.rpartition(":")
    chosen = settled.split(":")[0].split("/")
    declared = fields(game.Parameters)
    taken = dict.fromkeys(
        parameter
        for known in game.STRATEGIES.values()
        for strategy in known
        if strategy.name in chosen
        for parameter in strategy.parameters
    )
    name, equals, _ = setting.partition("=")
    words = [f"{name}={value}" for value in _values(declared.get(name))] if equals else [f"{word}=" for word in taken]
    return _fitting((f"{head}{settled}{colon}{word}" for word in words), incomplete)


def cells(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the id of a run's cell: those that have been saved."""
    words = [context.params.get("target"), *context.args]
    folders = [Path(word, "state") for word in words if isinstance(word, str)]
    return _fitting(sorted(path.stem for folder in folders for path in folder.glob("*.npz")), incomplete)


BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' response completion kind value
    # bash splits words at = and :, so the line is given as it stands.
    response=$(env COMP_WORDS="${COMP_LINE:0:$COMP_POINT}" COMP_CURRENT="${COMP_WORDS[$COMP_CWORD]}" \\
        %(complete_var)s=bash_complete $1)
    COMPREPLY=()
    for completion in $response; do
        IFS=',' read -r kind value <<< "$completion"
        case $kind in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            *) COMPREPLY+=("$value"); if [[ $value == *= ]]; then compopt -o nospace; fi ;;
        esac
    done
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class Bash(BashComplete):
    """Completion for bash that understands ``RULE=VALUE`` and ``strategy:parameter=value``."""

    source_template = BASH
    _cut = 0

    def source(self) -> str:
        """Return the script; unlike click's, it does not start a bash to ask for its version."""
        return ShellComplete.source(self)

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and that one."""
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)
        incomplete = "" if not words or line[-1:].isspace() else words.pop()
        current = os.environ.get("COMP_CURRENT", "")
        whole = incomplete.partition("=")[2] if incomplete.startswith("--") else incomplete
        # Only what stands behind the last = or : is to be replaced.
        self._cut = max(0, len(whole) - len("" if current in ("=", ":") else current))
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """Return what the script reads."""
        return f"{item.type},{item.value if item.value.startswith('--') else item.value[self._cut :]}"


class Zsh(ZshComplete):
    """click's completion for zsh, without a blank after ``RULE=``."""

    source_template = ZshComplete.source_template.replace("compadd -U", 'compadd -U -S "${${completions[1]:#*=}:+ }"')


class Fish(FishComplete):
    """click's completion for fish, for values with commas too."""

    source_template = FishComplete.source_template.replace("string split", "string split --max 1")


for known in (Bash, Zsh, Fish):
    add_completion_class(known)


def script(shell: str, command: click.Command) -> str:
    """Return the script for a shell."""
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(command, {}, "shipsim", "_SHIPSIM_COMPLETE").source()
