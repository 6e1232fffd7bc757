"""Fixtures of several files, and settings for all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from cli.main import main
from tests.calls import Call, Shown

# Machines that run tests are busy, and what an example costs depends on whether a kernel was compiled.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Call the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> Shown:
        code = main(line.split())
        return Shown(code, *capsys.readouterr())

    return run
