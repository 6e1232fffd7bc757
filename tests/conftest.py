"""Fixtures of several files."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.main import main
from tests.calls import Call, Shown


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> Shown:
        code = main(line.split())
        return Shown(code, *capsys.readouterr())

    return run
