"""Prints speed as ratios, each taken in one run: kernel to C, whole sweep to kernel, two threads to one, peers.

Run with ``make bench`` or ``python -m benchmarks [--peers PYTHON] [GAME...]``. What is compared takes turns, several
times, and medians count, so that other work on the machine disturbs both sides alike.
"""

from __future__ import annotations

import argparse
import os

from benchmarks import whole
from benchmarks.limit import CASES, compare, find_compiler
from benchmarks.peers import compare as peers


def main() -> None:
    """Measure the named games, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"any of {', '.join(CASES)}; all if none is named")
    parser.add_argument("--repeats", type=int, default=7, help="how often each side is timed (default 7)")
    parser.add_argument("--peers", metavar="PYTHON", help="a Python that has benchmarks/peers/requirements.txt")
    options = parser.parse_args()
    if unknown := [name for name in options.games if name not in CASES]:
        parser.error(f"no game is called {unknown[0]}: {', '.join(CASES)}")
    chosen = options.games or list(CASES)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; a ratio of 1.00 is as fast as C, or as the kernel")
    if (compiler := find_compiler()) is None:
        print("neither clang nor gcc is installed, so the kernels are not compared with C")
    else:
        compare.report(chosen, compiler, options.repeats)
    whole.report(chosen, options.repeats)
    if options.peers:
        peers.report(options.peers)
    else:
        print("\npeers: not measured; make bench-peers installs them into an environment of their own")


if __name__ == "__main__":
    main()
