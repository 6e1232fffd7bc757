"""`shipsim selftest`: all is well here, and what is not is named."""

from __future__ import annotations

import numpy as np
import pytest

from cli import selftest
from simcore import rng, stats
from simcore.games import GAMES
from tests.calls import Call


def test_all_is_well_and_the_versions_are_shown(call: Call) -> None:
    shown = call("selftest --json -q")
    assert shown.code == 0 and all(result["passed"] for result in shown.json["results"])
    assert set(shown.json["versions"]) == {"shipsim", "python", "numpy", "numba", "scipy", "click"}
    assert shown.json["versions"]["numpy"] == np.__version__ and set(shown.json["digests"]) == set(GAMES)


def test_what_is_wrong_is_named(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ArithmeticError("no numbers")

    monkeypatch.setattr(stats, "wilson", lambda *_: (0.06238639953, 0.2))
    monkeypatch.setattr(stats, "confidence_sequence", broken)
    monkeypatch.setattr(rng, "word", lambda *_: 3)
    monkeypatch.setattr(selftest, "GAMES", ())
    monkeypatch.setattr(selftest, "_hands", lambda: "")
    shown = call("selftest")
    lines = shown.out.splitlines()
    assert shown.code == 1
    assert "FAILED  intervals of rates: 0.2 instead of 0.1604872417; 0.2 instead of 0.2775327999; " in shown.out
    assert "FAILED  stopping and sequences: ArithmeticError: no numbers" in lines
    assert any(line.startswith("FAILED  random streams: (3, 3, 3, 3, 3) instead of ") for line in lines)
    assert "ok      differences and tests" in lines
    failed = "random streams, intervals of rates, stopping and sequences"
    assert shown.err == f"error: 3 of 5 checks failed: {failed}.\n"


def test_a_game_that_is_not_deterministic_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(10))
    monkeypatch.setattr(selftest, "_sums", lambda *_, **__: [next(numbers)])
    assert selftest._game("ahoi", {}) == "three starts on four threads do not add up to what one thread gives"
