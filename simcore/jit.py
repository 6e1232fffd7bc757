"""The only place where numba is configured, and the bit operations that need the processor's help.

numba's own cache checks neither the helpers in other files nor imported constants nor the order of a
record's fields, so a stale kernel could go on playing old rules. Therefore the cache lies in a folder
that is named by a hash of all sources that a kernel can import: any change starts an empty one.
"""

from __future__ import annotations

import atexit
import gc
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from simcore.parts import PartCompiler

DAYS_KEPT = 30
"""Cache folders of other versions that nobody used for so many days are removed."""


SHARED = ("declare.py", "errors.py", "jit.py", "log.py", "parts.py", "record.py", "rng.py", "strategies.py")
"""Modules outside the games' folders that kernels may import; a test holds them to it."""


def sources() -> list[Path]:
    """Return the files on which a compiled kernel can depend."""
    root = Path(__file__).parent
    return [*(root / name for name in SHARED), *sorted((root / "games").rglob("*.py"))]


def _sources_hash() -> str:
    root = Path(__file__).parent
    digest = hashlib.sha256(repr((numba.__version__, np.__version__, sys.version_info[:2])).encode())
    digest.update(repr(bool(numba.config.BOUNDSCHECK)).encode())
    for path in sources():
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    if "SHIPSIM_CACHE" in os.environ:
        return Path(os.environ["SHIPSIM_CACHE"])
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return Path(base) / "shipsim" if base else Path.home() / "AppData" / "Local" / "shipsim"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "shipsim"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shipsim"


def _remove(folder: Path, process: int) -> None:
    """Remove a temporary folder at the end of the process that made it, and of none that was forked from it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _make_cache_folder() -> Path:
    """Make this version's folder, remove forgotten ones, and fall back on a temporary folder."""
    name = f"kernels-{_sources_hash()}"
    try:
        folder = _cache_root() / name
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError):
        folder = Path(tempfile.mkdtemp(prefix="shipsim-"))
        atexit.register(_remove, folder, os.getpid())
        return folder
    for other in folder.parent.glob("kernels-*"):
        try:
            if other != folder and time.time() - other.stat().st_mtime > DAYS_KEPT * 86400:
                shutil.rmtree(other, ignore_errors=True)
        except OSError:
            continue  # another process was faster
    return folder


INTERPRETED = bool(numba.config.DISABLE_JIT)
"""True under NUMBA_DISABLE_JIT=1: kernels run as plain Python."""

if not INTERPRETED:
    CACHE_FOLDER = _make_cache_folder()
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    # As fast as level 3 for these kernels, and half a second less to compile.
    numba.config.OPT = type(numba.config.OPT)(2)


PART: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": PartCompiler}


def jit(function: Callable[..., Any]) -> Any:
    """Compile a kernel or one of its helpers: no Python objects, no lock held, kept on disk."""
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)


def jit_part(function: Callable[..., Any]) -> Any:
    """Compile a helper that only compiled code calls: a call from Python raises TypeError.

    Without the last option it would be merged into every caller if a small helper happened to be the first to call it.
    """
    return numba.njit(nogil=True, error_model="numpy", forceinline=False, **PART)(function)


def jit_small(function: Callable[..., Any]) -> Any:
    """Compile a helper of a few operations that only compiled code calls, and merge it into every caller."""
    return numba.njit(nogil=True, error_model="numpy", forceinline=True, **PART)(function)


def jit_open(function: Callable[..., Any]) -> Any:
    """Compile a helper of a few operations that Python may call too, and merge it into every caller."""
    return numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Make a helper that is called at one place a part of its caller's code.

    It costs no call, as LLVM would leave to a large helper, but more time to compile than `jit_part`.
    """
    return numba.njit(inline="always")(function)


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep Python's garbage collector from what numba makes while it compiles a kernel: it takes a seventh of the time.

    Two threads may be here at once: the one that switched it off switches it on again.
    """
    switches = gc.isenabled()
    if switches:
        gc.disable()
    try:
        yield
    finally:
        if switches:
            gc.freeze()
            gc.enable()


def _cached(kernel: Any) -> list[Path]:
    source = Path(kernel.py_func.__code__.co_filename)
    # numba makes a folder for each folder of sources, named by it and a hash.
    return [*CACHE_FOLDER.glob(f"{source.parent.name}_*/{source.stem}.{kernel.py_func.__name__}-*.nb[ic]")]


def is_compiled(kernel: Any) -> bool:
    """Whether a kernel needs no compiling in this process or comes from the cache at once."""
    return INTERPRETED or bool(kernel.signatures) or any(path.suffix == ".nbi" for path in _cached(kernel))


def call(kernel: Any, *arguments: Any) -> Any:
    """Call a kernel; if its cache is damaged or full, compile it anew, or play without keeping it."""
    if INTERPRETED or kernel.signatures:
        return kernel(*arguments)
    with without_collector():
        try:
            return kernel(*arguments)
        except (OSError, EOFError, pickle.UnpicklingError):
            # A kernel that could not be kept has been compiled all the same.
            if not kernel.signatures:
                for path in _cached(kernel):
                    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        return kernel(*arguments)


OWN_SIGNATURE = types.int64(types.int64[:], types.int64, types.uint64)
"""What a user's own strategy takes and gives: (view, options, random) -> the index of an option."""


def _choose_first(view: Any, options: Any, random: Any) -> Any:
    return 0


NO_OWN: Any = _choose_first if INTERPRETED else numba.cfunc(OWN_SIGNATURE, cache=True, nopython=True)(_choose_first)
"""Stands in the slot for a user's own strategy when no seat uses one."""


if INTERPRETED:

    def borrowed(array: Any) -> Any:
        """Return the same array."""
        return array

    def popcount(word: Any) -> Any:
        """Return the number of bits set in a 64-bit word."""
        return int(word).bit_count()

    def lowest_bit(word: Any) -> Any:
        """Return the index of the lowest bit set; the word must not be zero."""
        return (int(word) & -int(word)).bit_length() - 1

    def highest_bit(word: Any) -> Any:
        """Return the index of the highest bit set; the word must not be zero."""
        return int(word).bit_length() - 1

    def nth_bit(word: Any, n: Any) -> Any:
        """Return the index of the n-th bit set, counted from 0 at the low end; it must exist."""
        word = int(word)
        for _ in range(n):
            word &= word - 1
        return (word & -word).bit_length() - 1

else:

    @intrinsic
    def borrowed(typingctx: Any, array: Any) -> Any:
        """Return the same array, of which numba does not count the references; its owner must outlive it.

        Counting takes two atomic operations at every call that the array is handed to.
        """

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            found = make_array(array)(context, builder, args[0])
            found.meminfo = found.meminfo.type(None)
            found.parent = found.parent.type(None)
            return found._getvalue()

        return array(array), codegen

    @intrinsic
    def _ctpop(typingctx: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.uint64(types.uint64), codegen

    @intrinsic
    def _cttz(typingctx: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.uint64(types.uint64), codegen

    @intrinsic
    def _ctlz(typingctx: Any, word: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.uint64(types.uint64), codegen

    @intrinsic
    def _pdep(typingctx: Any, source: Any, mask: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            name = "llvm.x86.bmi.pdep.64"
            function = builder.module.declare_intrinsic(name, fnty=ir.FunctionType(word, [word, word]))
            return builder.call(function, args)

        return types.uint64(types.uint64, types.uint64), codegen

    @jit_open
    def popcount(word: Any) -> Any:
        """Return the number of bits set in a 64-bit word."""
        return np.int64(_ctpop(np.uint64(word)))

    @jit_open
    def lowest_bit(word: Any) -> Any:
        """Return the index of the lowest bit set; the word must not be zero."""
        return np.int64(_cttz(np.uint64(word)))

    @jit_open
    def highest_bit(word: Any) -> Any:
        """Return the index of the highest bit set; the word must not be zero."""
        return np.int64(63) - np.int64(_ctlz(np.uint64(word)))

    def _has_pdep() -> bool:
        """Whether the processor compiled for has the instruction; if not, LLVM or the process aborts."""
        features = numba.config.CPU_FEATURES or ""
        if numba.config.CPU_NAME in (None, "host"):
            return bool(llvm.get_host_cpu_features().get("bmi2", False)) and "-bmi2" not in features
        return "+bmi2" in features

    if _has_pdep():

        @jit_open
        def nth_bit(word: Any, n: Any) -> Any:
            """Return the index of the n-th bit set, counted from 0 at the low end; it must exist."""
            return np.int64(_cttz(_pdep(np.uint64(1) << np.uint64(n), np.uint64(word))))

    else:

        @jit_open
        def nth_bit(word: Any, n: Any) -> Any:
            """Return the index of the n-th bit set, counted from 0 at the low end; it must exist."""
            rest = np.uint64(word)
            for _ in range(n):
                rest &= rest - np.uint64(1)
            return np.int64(_cttz(rest))
