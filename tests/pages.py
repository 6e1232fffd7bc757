"""The manual as data: its pages, their blocks of code, words of code and links."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(ROOT)): path
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
_TO_BE_MADE = re.compile(r"# ([\w./-]+\.(?:py|toml))\n")


class Block(NamedTuple):
    """A block of code: its language, the number of its first line, and what it says."""

    kind: str
    line: int
    text: str

    @property
    def file(self) -> str:
        """The file that it is, if its first line is a comment with nothing but a file's name."""
        found = _TO_BE_MADE.match(self.text)
        return found[1] if found else ""

    @property
    def commands(self) -> Iterator[tuple[int, str]]:
        """The commands of a block of them, each with its line; a backslash at an end continues one."""
        pending, start = "", self.line
        for number, line in enumerate(self.text.splitlines(), self.line):
            start = start if pending else number
            pending += line
            if pending.endswith("\\"):
                pending = pending[:-1]
            elif pending.strip():
                yield start, pending.strip()
                pending = ""
            else:
                pending = ""


def tokens(path: Path) -> list[Token]:
    """Return a page, parsed as GitHub does."""
    return MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))


def _inline(path: Path) -> Iterator[Token]:
    for token in tokens(path):
        yield from token.children or ()


def blocks(path: Path) -> list[Block]:
    """Return the blocks of code; of indented ones, which name no language, those that are commands."""
    found = []
    for token in tokens(path):
        first = token.map[0] + 1 if token.map else 0
        if token.type == "fence":
            found.append(Block(token.info, first + 1, token.content))
        elif token.type == "code_block" and token.content.startswith("shipsim "):
            found.append(Block("sh", first, token.content))
    return found


def words_of_code(path: Path) -> list[str]:
    """Return what stands between backquotes in the prose and tables."""
    return [token.content for token in _inline(path) if token.type == "code_inline"]


def links(path: Path) -> list[str]:
    """Return what links and pictures lead to."""
    targets = (token.attrGet("href" if token.type == "link_open" else "src") for token in _inline(path))
    return [str(target) for target in targets if target]


def anchors(path: Path) -> set[str]:
    """Return what the fragment of a link to the page may be: its headings, as GitHub names them."""
    found = set(re.findall(r'<a id="([^"]+)"', path.read_text(encoding="utf-8")))
    parsed = tokens(path)
    for token, following in itertools.pairwise(parsed):
        if token.type == "heading_open":
            text = re.sub(r"[^\w\- ]", "", "".join(child.content for child in following.children or ()).lower())
            found.add(text.strip().replace(" ", "-"))
    return found
