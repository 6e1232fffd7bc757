"""The page about users' own strategies tells of every place of every view, from the code that says where they are."""

import ast
import importlib
import sys
from pathlib import Path

import pytest

from simcore import games

PAGE = Path(__file__).parents[1] / "docs" / "own-strategies.md"
BELOW = "<!-- Below:"


def table(name: str) -> str:
    """Return what is in a game's view, as Markdown."""
    module = importlib.import_module(f"simcore.games.{games.GAMES[name]}.view")
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    lines = [f"## {games.load(name).TITLE}", ""]
    lines += [" ".join((ast.get_docstring(tree) or "").split("\n\n", 1)[1].split()), ""]
    lines += [f"From `{module.__name__}`:", "", "| name | number | meaning |", "| --- | --- | --- |"]
    for node, told in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            assert isinstance(told, ast.Expr) and isinstance(told.value, ast.Constant), node.targets[0].id
            meaning = " ".join(str(told.value.value).split())
            lines.append(f"| {node.targets[0].id} | {getattr(module, node.targets[0].id)} | {meaning} |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the page with its tables as they must be."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BELOW)
    return f"{head}{BELOW}{rest.splitlines()[0]}\n\n" + "\n".join(table(name) for name in games.GAMES)


def test_the_page_tells_of_every_place() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: python -m tests.test_own_docs --write"


@pytest.mark.parametrize("name", games.GAMES)
def test_an_example_is_named_on_the_page(name: str) -> None:
    assert f"(../examples/bots/{games.GAMES[name]}_bots.py)" in PAGE.read_text(encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    PAGE.write_text(page(), encoding="utf-8")
