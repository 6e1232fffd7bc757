"""Twins of the kernels in C: the default rules, four players, fixed strategies, everything recorded.

What a C compiler makes of a program written for one rule set only is the practical limit for a kernel that plays all
rules. The twins use the same random streams and draws and add up into the same arrays, so their sums must be equal to
the kernel's bit by bit; see ``compare.py``.
"""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simcore import games, log
from simcore.jit import NO_OWN
from simcore.record import bins, counts_dtype, tally_dtype, to_record, to_strategies, width
from simcore.strategies import read_seats

FOLDER = Path(__file__).parent

CASES: dict[str, tuple[str, ...]] = {
    "ahoi": ("keeper", "random"),
    "skull-king": ("count/contract",),
    "my-ship-sails": ("adaptive",),
}
"""The strategies that each twin plays, all seats alike."""


class Sums(NamedTuple):
    """What a number of matches added up."""

    tally: Any
    counts: Any

    def equals(self, other: Sums) -> bool:
        return bool(self.tally.tobytes() == other.tally.tobytes() and self.counts.tobytes() == other.counts.tobytes())


def find_compiler() -> str | None:
    """Return clang, else gcc, else None."""
    return shutil.which("clang") or shutil.which("gcc")


def layout(name: str) -> str:
    """Return the places of all sums of a game as C definitions."""
    tally, counts = tally_dtype(name).fields, counts_dtype(name).fields
    assert tally is not None and counts is not None
    lines = [f"#define T_WIDTH {width(name)}"]
    lines += [f"#define T_{field} {place[1] // 8}" for field, place in tally.items()]
    for metric in games.load(name).METRICS:
        if metric.values is not None:
            field = metric.field or metric.name
            lines += [f"#define C_{field} {counts[field][1] // 8}", f"#define B_{field} {bins(metric)}"]
    lines += [f"#define K_{key} {declared.size}" for key, declared in games.load(name).KEYS.items()]
    return "\n".join(lines) + "\n"


def compile_twin(name: str, compiler: str) -> Any:
    """Return the twin's ``play_many``, compiled into a folder of temporary files unless it is there."""
    if "clang" not in Path(compiler).name:
        print(
            "warning: no clang, so gcc compiles the twins; it makes such code 1.4 to 1.7 times slower", file=sys.stderr
        )
    source = FOLDER / f"{name.replace('-', '_')}.c"
    header = layout(name)
    # Four colours made one vector are slower than four words: the way back costs more than it saves.
    flags = ["-O3", "-march=native", "-fno-tree-slp-vectorize", "-std=gnu11", "-Wall", "-shared", "-fPIC"]
    parts = (compiler, repr(flags), header, source.read_text(), (FOLDER / "common.h").read_text())
    folder = Path(tempfile.gettempdir()) / f"shipsim-limit-{hashlib.sha256(''.join(parts).encode()).hexdigest()[:16]}"
    library = folder / "twin.so"
    if not library.exists():
        folder.mkdir(exist_ok=True)
        (folder / "layout.h").write_text(header)
        unfinished = folder / "unfinished.so"
        command = [compiler, *flags, f"-I{folder}", f"-I{FOLDER}", str(source), "-o", str(unfinished)]
        subprocess.run(command, check=True)
        unfinished.replace(library)
    play_many = ctypes.CDLL(str(library)).play_many
    play_many.argtypes = [ctypes.c_uint64, *[ctypes.c_int64] * 4, ctypes.c_void_p, ctypes.c_void_p]
    play_many.restype = None
    return play_many


def sums_for(name: str, first: int, matches: int, block: int) -> Sums:
    """Return zeros to add matches to."""
    blocks = (first + matches - 1) // block - first // block + 1
    return Sums(np.zeros(blocks, tally_dtype(name)), np.zeros(1, counts_dtype(name)))


class Twin:
    """A game's kernel and its twin in C, called alike."""

    def __init__(self, name: str, strategy: str, compiler: str) -> None:
        game = games.load(name)
        rules = game.Rules()
        self.name, self.strategy = name, strategy
        self._in_c = compile_twin(name, compiler)
        seats = read_seats(game, strategy, rules.players)
        self._kernel = getattr(games.kernel(name), games.kernel_for(name, rules, seats))
        self._record = to_record(name, rules)
        self._seats = to_strategies(name, seats)
        self._number = int(self._seats[0][next(iter(game.PARTS))])

    def play_in_c(self, seed: int, first: int, matches: int, block: int, sums: Sums) -> None:
        """Add matches played by the twin."""
        self._in_c(seed, first, matches, block, self._number, sums.tally.ctypes.data, sums.counts.ctypes.data)

    def play(self, seed: int, first: int, matches: int, block: int, sums: Sums) -> None:
        """Add matches played by the kernel."""
        self._kernel(
            self._record,
            self._seats,
            np.uint64(seed),
            np.int64(first),
            np.int64(matches),
            np.int64(block),
            sums.tally,
            sums.counts[0],
            np.zeros((0, log.WIDTH), np.int32),
            np.zeros(1, np.uint8),
            NO_OWN,
        )
