"""The manual: every command and every block of Python in it runs, and every link leads somewhere.

A page's blocks run one after the other in an empty folder, with few games. A block that begins with a comment holding
a file's name is that file. Blocks of text show what the block of commands above them prints; a line of dots stands for
what is left out. With ``-m slow`` those commands play all their games and must print these very lines.
"""

from __future__ import annotations

import json
import math
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from cli import dry_run
from cli.grammar import parse_count
from cli.main import main, shipsim
from simcore import games, library
from simcore.declare import fields
from simcore.sources import read_rule
from tests.pages import PAGES, ROOT, Block, anchors, blocks, links, words_of_code

KINDS = ("sh", "python", "toml", "text")
NOT_RUN = {
    "make ": "builds an environment, or plays for minutes; what `make sweep` plays is run, from the Makefile",
    ".venv/bin/python ": "the slow tests, which run by themselves",
    "dask ": "needs other machines",
    "mpiexec ": "needs MPI",
    "sbatch ": "needs a cluster",
    "shipsim sweep study.toml --executor dask:": "needs other machines",
}
"""Beginnings of commands that are not run, and why."""
WITHOUT_COMMANDS = {"CONTRIBUTING.md", "docs/calibration.md"}
PLAYING = ("sweep", "simulate", "compare", "tournament", "claims", "trace")
FEW_GAMES = {f"SHIPSIM_{command.upper()}_GAMES": "100" for command in PLAYING}


def few(games: int) -> int:
    """Return a number of games that is played at once; more games stay more."""
    return games if games < 50 else int(25 * math.log10(games))


def games_of(run: str) -> int:
    """Return the games that a run is to have; 0 if there is none."""
    manifest = Path(run, "manifest.json")
    return int(json.loads(manifest.read_text(encoding="utf-8"))["games"]) if manifest.is_file() else 0


def scaled(words: list[str]) -> list[str]:
    """Return a command with few games."""
    words = list(words)
    for option in ("--games", "--max-games"):
        if option in words:
            place = words.index(option) + 1
            # What a block of Python saved has all its games, and a run never goes on to fewer than it has.
            have = games_of(words[words.index("--resume") + 1]) if "--resume" in words else 0
            words[place] = str(max(few(parse_count(words[place])), have))
    stops = any(word in words for word in ("--precision", "--until", "--sprt"))
    return [*words, "--max-games", "100"] if stops and "--max-games" not in words else words


def allowed_codes(words: list[str]) -> set[int]:
    """Return how a command may end: with few games nothing is precise, and nothing asserted need hold."""
    stops = any(word in words for word in ("--precision", "--until", "--sprt", "--resume", "--max-games"))
    return {0} | ({4} if stops else set()) | ({6} if "--assert" in words else set())


class Reader:
    """Somebody who does what a page says, in an empty folder."""

    def __init__(self, page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.page, self.capsys, self.patch = page, capsys, monkeypatch
        self.names: dict[str, Any] = {"__name__": "page"}
        self.ran = 0

    def read(self, is_complete: bool = False) -> None:
        """Run the page's blocks; `is_complete` plays all games where the output is shown, and looks at it."""
        told = blocks(PAGES[self.page])
        for block, following in zip(told, [*told[1:], Block("", 0, "")], strict=True):
            if block.file:
                Path(block.file).parent.mkdir(parents=True, exist_ok=True)
                Path(block.file).write_text(block.text, encoding="utf-8")
            elif block.kind == "python":
                self.execute(block)
            elif block.kind == "sh":
                is_shown = following.kind == "text"
                out = "".join(self.command(line, text, is_shown and is_complete) for line, text in block.commands)
                if is_shown and is_complete:
                    self.compare(following, out)

    def execute(self, block: Block) -> None:
        """Run a block of Python; later blocks know its names."""
        code = compile("\n" * (block.line - 1) + block.text, str(PAGES[self.page]), "exec")
        exec(code, self.names)
        self.capsys.readouterr()
        self.ran += 1

    def command(self, line: int, text: str, is_complete: bool) -> str:
        """Run a line, and return what it writes to standard output."""
        words = shlex.split(text, comments=True)
        if words == ["make", "sweep"]:
            return "".join(self.command(line, command, is_complete) for command in makes_sweep())
        if not words or any(text.startswith(beginning) for beginning in NOT_RUN):
            return ""
        variables = {} if is_complete else {"SHIPSIM_REPORT_FIGURES": "png", **FEW_GAMES}
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            variables[name] = str(few(parse_count(value))) if name in FEW_GAMES else value
        target = words[words.index(">") + 1] if ">" in words else None
        words = words[: words.index(">")] if target else words
        assert words[0] == "shipsim", f"{self.page}:{line}: nobody knows how to run this: {text}"
        words = words[1:] if is_complete else scaled(words[1:])
        if self.page.startswith("docs/claims/"):
            shutil.rmtree("runs", ignore_errors=True)  # two questions may be about the same games
        with self.patch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            code = main(words)
        out, err = self.capsys.readouterr()
        if target:
            Path(target).write_text(out, encoding="utf-8")
        allowed = {0} if is_complete else allowed_codes(words)
        assert code in allowed, f"{self.page}:{line}: exit code {code} of\n{text}\n{err}"
        self.ran += 1
        return out

    def compare(self, shown: Block, out: str) -> None:
        """Look for the lines shown in what was printed, in their order."""
        printed = iter(line.split() for line in out.splitlines())
        for number, line in enumerate(shown.text.splitlines(), shown.line):
            if line.strip() not in ("...", ""):
                assert line.split() in printed, f"{self.page}:{number}: this was not printed: {line}\n{out}"


def makes_sweep() -> list[str]:
    """Return the commands of `make sweep` in a fresh folder."""
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").replace("$(BIN)/", "").replace("$(GAMES)", "200k")
    first = re.search(r"shipsim sweep my-ship-sails .*? --out runs/first", recipe)
    assert first and "&& shipsim report runs/first" in recipe
    return [first[0], "shipsim report runs/first --figures png"]


@pytest.fixture
def reader(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Reader:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return Reader(str(getattr(request, "param", "README.md")), capsys, monkeypatch)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the library play few games, and dry runs try for a moment only."""
    play = library._play
    monkeypatch.setattr(library, "_play", lambda cells, games, seed, jobs: play(cells, few(games), seed, jobs))
    monkeypatch.setattr(dry_run, "TRIAL_SECONDS", 0.01)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("reader", PAGES, indirect=True)
def test_a_page_does_what_it_says(reader: Reader) -> None:
    reader.read()
    assert (reader.ran == 0) == (reader.page in WITHOUT_COMMANDS)


@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "reader", [name for name, path in PAGES.items() if any(b.kind == "text" for b in blocks(path))], indirect=True
)
def test_a_page_shows_what_is_printed(reader: Reader) -> None:
    reader.read(is_complete=True)


@pytest.mark.parametrize(
    "text", ["shipsim simulate ahoi --joker swap", "shipsim rules ahoi jokre", "ship sweep ahoi", "shipsim status run"]
)
def test_a_wrong_command_is_noticed(reader: Reader, text: str) -> None:
    with pytest.raises(AssertionError, match=r"README\.md:7: .*"):
        reader.command(7, text, is_complete=False)


def test_output_that_is_not_printed_is_noticed(reader: Reader) -> None:
    shown = Block("text", 7, "one\n...\nthree\n")
    reader.compare(shown, "one\ntwo\nthree\n")
    for out in ("one\n", "three\none\n"):
        with pytest.raises(AssertionError, match="this was not printed: three"):
            reader.compare(shown, out)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is(page: str) -> None:
    assert {block.kind for block in blocks(PAGES[page])} <= set(KINDS)


def test_nothing_is_left_out_without_need() -> None:
    texts = [text for path in PAGES.values() for b in blocks(path) if b.kind == "sh" for _, text in b.commands]
    for beginning, why in NOT_RUN.items():
        assert any(text.startswith(beginning) for text in texts), f"no page has it any more: {beginning} ({why})"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in links(PAGES[page]):
        if link.startswith(("https://", "http://")):
            continue
        name, _, fragment = link.partition("#")
        target = (PAGES[page].parent / name).resolve() if name else PAGES[page]
        assert target.exists(), f"{page}: {link}"
        if fragment:
            assert fragment in anchors(target), f"{page}: {link}"


def options() -> set[str]:
    """Return the options of all commands."""
    commands: list[click.Command] = [shipsim, *shipsim.commands.values()]
    return {option for command in commands for parameter in command.params for option in parameter.opts} | {"--help"}


@pytest.mark.parametrize("page", PAGES)
def test_options_and_commands_in_the_prose_exist(page: str) -> None:
    for code in words_of_code(PAGES[page]):
        words = code.split()
        if words[0] == "shipsim" and len(words) > 1 and words[1].islower():
            assert words[1] in shipsim.commands, f"{page}: {code}"
        if words[0] == "shipsim" or words[0].startswith("--"):
            unknown = {word.partition("=")[0] for word in words if word.startswith("--")} - options()
            assert not unknown, f"{page}: {code}"


@pytest.mark.parametrize("name", games.GAMES)
def test_a_guide_names_everything_of_its_game(name: str) -> None:
    known = games.load(name)
    words = set(words_of_code(PAGES[f"docs/{name}.md"]))
    heads = {re.split(r"[ =]", word)[0] for word in words}
    strategies = {strategy.name for part in known.STRATEGIES.values() for strategy in part}
    everything = {*known.Rules._fields, *known.PRESETS, *strategies, *known.Parameters._fields}
    assert everything | {metric.name for metric in known.METRICS} <= heads


@pytest.mark.parametrize("name", games.GAMES)
def test_the_values_in_a_guide_are_allowed(name: str) -> None:
    known = games.load(name)
    read: Callable[[str, str], Any] = lambda rule, value: read_rule(known, rule, value)  # noqa: E731
    given = [word.replace(" ", "").split("=") for word in words_of_code(PAGES[f"docs/{name}.md"]) if "=" in word]
    found = [read(*pair) for pair in given if len(pair) == 2 and pair[0] in fields(known.Rules)]
    assert found
