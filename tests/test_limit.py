"""The kernels and their twins in C, which speed is measured against, play the same games."""

from __future__ import annotations

import pytest

from benchmarks.limit import CASES, Twin, compile_twin, find_compiler, sums_for
from benchmarks.limit.compare import is_equal
from simcore.jit import INTERPRETED

COMPILER = find_compiler()

pytestmark = [
    pytest.mark.skipif(COMPILER is None, reason="neither clang nor gcc is installed"),
    pytest.mark.skipif(INTERPRETED, reason="the kernels are the same, only slower"),
]


@pytest.mark.parametrize(("name", "strategy"), [(name, strategy) for name in CASES for strategy in CASES[name]])
def test_the_twin_in_c_adds_up_what_the_kernel_does_in_every_match(name: str, strategy: str) -> None:
    assert COMPILER is not None
    twin = Twin(name, strategy, COMPILER)
    assert is_equal(twin, matches=200, first=3, seed=2**64 - 5)


def test_another_seed_is_told_apart() -> None:
    assert COMPILER is not None
    twin = Twin("my-ship-sails", "adaptive", COMPILER)
    one, other = (sums_for("my-ship-sails", 0, 20, 1) for _ in range(2))
    twin.play(1, 0, 20, 1, one)
    twin.play_in_c(2, 0, 20, 1, other)
    assert not one.equals(other)


def test_gcc_is_named_where_clang_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert COMPILER is not None
    compile_twin("my-ship-sails", COMPILER)
    assert ("no clang" in capsys.readouterr().err) == ("clang" not in COMPILER)
