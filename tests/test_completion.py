"""Completion in bash, zsh and fish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.calls import Call


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, call: Call) -> None:
    shown = call(f"completion {shell}")
    assert shown.code == 0 and "_SHIPSIM_COMPLETE" in shown.out


@pytest.mark.parametrize(
    ("line", "current", "offered"),
    [
        ("shipsim simulate my-ship-sails --set pass_m", "pass_m", "pass_mode="),
        ("shipsim simulate my-ship-sails --set pass_mode=se", "se", "sequential"),
        ("shipsim simulate my-ship-sails --strategy patient:pat", "pat", "patience="),
        ("shipsim sweep my-ship-sails --vary preset=ochse,wheh", "ochse,wheh", "ochse,whehee"),
        ("shipsim sweep my-ship-sails --pres", "--pres", "--preset"),
        ("shipsim trace my", "my", "my-ship-sails"),
        ("shipsim rules my-ship-sails over", "over", "overlook"),
        ("shipsim simulate nothing --set pa", "pa", None),
    ],
)
def test_completion_of_values(
    line: str, current: str, offered: str | None, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_SHIPSIM_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CURRENT", current)
    assert call("").out.strip() == (f"plain,{offered}" if offered else "")


IN_SHELL = {
    "bash": """
eval "$(shipsim completion bash)"
COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
compopt() {{ :; }}
_shipsim_completion shipsim; printf '%s\\n' "${{COMPREPLY[@]}}"
""",
    "zsh": """
compdef() {{ :; }}
compadd() {{ print -l -- "${{completions[@]}}"; }}
eval "$(shipsim completion zsh)"
words=({line}); CURRENT=${{#words}}; _shipsim_completion
""",
    "fish": """
shipsim completion fish | source
complete -C '{line}'
""",
}
"""What a shell does at the tab key, `words` being the line as bash splits it."""


@pytest.mark.parametrize(
    ("line", "words", "offered", "replaced"),
    [
        ("shipsim rules my", "shipsim rules my", ["my-ship-sails"], ""),
        (
            "shipsim simulate ahoi --set joker=sw",
            "shipsim simulate ahoi --set joker = sw",
            ["joker=swap", "joker=swap_must", "joker=swap_next"],
            "joker=",
        ),
        (
            "shipsim sweep ahoi --vary preset=classic,lit",
            "shipsim sweep ahoi --vary preset = classic,lit",
            ["preset=classic,literal"],
            "preset=",
        ),
    ],
)
@pytest.mark.parametrize("shell", IN_SHELL)
def test_shells_complete(shell: str, line: str, words: str, offered: list[str], replaced: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    command = tmp_path / "shipsim"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cli "$@"\n')
    command.chmod(0o755)
    found = subprocess.run(
        [shell, "-c", IN_SHELL[shell].format(line=line, words=words)],
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    # bash replaces only what stands behind the last of its own word breaks.
    shown = [word.removeprefix(replaced) for word in offered] if shell == "bash" else offered
    assert (found.stdout.split(), found.stderr) == (shown, "")
