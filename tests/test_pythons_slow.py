"""Every supported Python gives the same whole numbers and the same csv files.

Others than the running one are found by their usual names, or named in SHIPSIM_TEST_PYTHONS (paths joined by
colons); what has no numba is skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from simcore.games import GAMES
from simcore.store import CSV_FILES

ROOT = Path(__file__).parents[1]

AXES = {
    "ahoi": "--vary joker=swap,rotate,none --vary stacking=none,any --strategy keeper",
    "skull-king": "--vary players=3,5 --preset full --strategy rollout/contract:samples=5",
    "my-ship-sails": "--vary overlook=0,0.3 --vary dead_heat=0,0.5 --strategy hesitant",
}


def pythons() -> list[str]:
    """Return the other interpreters that can run the package."""
    named = [path for path in os.environ.get("SHIPSIM_TEST_PYTHONS", "").split(os.pathsep) if path]
    found = []
    for name in [*named, "python3.11", "python3.12", "python3.13"]:
        path = shutil.which(name)
        if path is None:
            continue
        probe = "import sys, numba, scipy, click, pandas, rich, jinja2; print(sys.version_info[:2])"
        asked = subprocess.run([path, "-c", probe], capture_output=True, text=True, check=False)
        is_other = asked.stdout.strip() != str(sys.version_info[:2])
        if asked.returncode == 0 and is_other and path not in found:
            found.append(path)
    return found


def sweep(python: str, name: str, folder: Path) -> None:
    line = f"sweep {name} {AXES[name]} --games 3000 --seed 11 --jobs 2 -q --out {folder}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        [python, "-m", "cli", *line.split()], capture_output=True, text=True, env=environment, cwd=ROOT, check=False
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", GAMES)
def test_every_python_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    others = pythons()
    if not others:
        pytest.skip("no other Python with numba: name some in SHIPSIM_TEST_PYTHONS")
    sweep(sys.executable, name, tmp_path / "here")
    for number, python in enumerate(others):
        there = tmp_path / str(number)
        sweep(python, name, there)
        for file in CSV_FILES:
            assert (there / file).read_bytes() == (tmp_path / "here" / file).read_bytes(), (python, file)
        states = sorted((tmp_path / "here" / "state").iterdir())
        assert len(states) >= 2
        for path in states:
            # Only how well they are compressed is the library's own affair.
            with np.load(path) as mine, np.load(there / "state" / path.name) as its:
                assert mine.files == its.files
                for part in mine.files:
                    assert mine[part].tobytes() == its[part].tobytes(), (python, path.name, part)
    print(name, "equal in", [sys.executable, *others])
