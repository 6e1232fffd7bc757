"""No kernel reads or writes beyond an array, whatever the rules: a process of its own, since numba is set up once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simcore.games import GAMES


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_no_kernel_leaves_its_arrays_in_ten_thousand_rule_sets(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "SHIPSIM_CACHE": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-m", "tests.boundscheck", "3400"],
        capture_output=True,
        text=True,
        env=environment,
        cwd=Path(__file__).parents[1],
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    played = json.loads(ended.stdout)
    print(played)
    assert all(played[f"{name}: random matches"] >= 6800 and played[f"{name}: extremes"] > 30 for name in GAMES)
