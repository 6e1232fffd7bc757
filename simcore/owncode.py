"""Runs a user's own strategy: compiled in the kernel, and as plain Python on trial, where its errors show.

Whoever named the file on the command line, or passed the function, wants it to be executed; nothing else
gets here. Each function is compiled alone, and where different ones meet in a cell they are joined into the
one function that a kernel takes. The view tells it whose turn it is.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import hashlib
import importlib
import inspect
import linecache
import re
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import cloudpickle
from numba.core import types

from simcore import games, log
from simcore.asked import Asked, refuse_writable
from simcore.errors import UsageError, shorten
from simcore.jit import INTERPRETED, NO_OWN, OWN_SIGNATURE
from simcore.own import SEE, TAKES, Own
from simcore.record import counts_dtype, tally_dtype, to_record, to_strategies

Owns = tuple[tuple[Own | None, ...], ...]
"""For each seat and part a user's own strategy, or None."""

TRIED = 100
"""Positions that a strategy decides as plain Python before anything is played."""
TRIED_GAMES = 50

_TAKEN = (types.Array(types.int64, 1, "A", readonly=True), types.int64, types.int64)
_SPARE_BITS = 11
"""A random number has 53 bits, so that whatever a user computes with it, floats included, is exact."""

_lock = threading.RLock()


def owns_of(seats: Sequence[Any]) -> Owns:
    """Return the users' own strategies of the seats, or nothing if there are none."""
    owns = tuple(seat.own for seat in seats)
    return owns if any(any(parts) for parts in owns) else ()


def from_function(function: Any) -> Own:
    """Return the strategy that a Python function (or one that numba compiled) is.

    Raises
    ------
    UsageError
        If it is no function of three arguments, or holds what cannot be kept.
    """
    function = getattr(function, "py_func", function)
    if not isinstance(function, FunctionType):
        raise UsageError(f"a strategy is a function, or its name, not a {type(function).__name__}.", SEE)
    code, name = function.__code__, function.__name__
    if code.co_argcount != len(TAKES) or code.co_kwonlyargcount or code.co_flags & 12:
        raise UsageError(f"function '{name}' must take three arguments: ({', '.join(TAKES)}).", SEE)
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        source = repr((code.co_code, code.co_consts, code.co_names))
    try:
        pickled = cloudpickle.dumps(function)
    except Exception as error:
        raise UsageError(f"function '{name}' cannot be kept: {error}.", SEE) from None
    file = Path(code.co_filename).name
    file = file if re.fullmatch(r"\w+\.py", file) else "python"
    plain = re.sub(r"\W", "", name)
    return Own(file, plain, hashlib.sha256(source.encode()).hexdigest(), pickled, code.co_filename)


def plain_function(own: Own) -> Any:
    """Execute the file, if it is one, and return the function as plain Python.

    Raises
    ------
    UsageError
        If the file fails, or holds another thing of that name in the end.
    """
    assert own.code is not None, f"the code of {own.short} is not at hand"
    if isinstance(own.code, bytes):
        return cloudpickle.loads(own.code)
    module = ModuleType(Path(own.path).stem)
    module.__file__ = own.path
    # Messages and numba show lines of what is executed, also if the file has changed since.
    linecache.cache[own.path] = len(own.code), None, own.code.splitlines(keepends=True), own.path
    try:
        # What it prints is not the data for which standard output is.
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(own.code, own.path, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        raise UsageError(f"'{shorten(own.path)}'{_line(own, error)}: {_words(error)}.", SEE) from None
    function = module.__dict__.get(own.name)
    function = getattr(function, "py_func", function)
    if not isinstance(function, FunctionType):
        raise UsageError(f"'{shorten(own.path)}': '{own.name}' is in the end not a function.", SEE)
    return function


def _line(own: Own, error: BaseException) -> str:
    """Return the last line of the user's file that an error came through."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == own.path]
    return f", line {lines[-1]}" if lines else ""


def _words(error: BaseException) -> str:
    try:
        return shorten(f"{type(error).__name__}: {error}".rstrip(".: "), 300)
    except Exception:  # the user's classes say how they are shown
        return type(error).__name__


def _beside(function: Any) -> dict[str, Any]:
    """Return the plain functions of the function's module, itself included, by the names that they have there."""
    found = function.__globals__.items()
    return {n: v for n, v in found if isinstance(v, FunctionType) and v.__module__ == function.__module__}


def _read_globals(code: CodeType) -> set[str]:
    """Return the names of globals that code reads; attributes may have the same names."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return names.union(*(_read_globals(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


def _refuse_recursion(own: Own, function: Any) -> None:
    """Refuse functions that come to call themselves: compiled, nothing keeps them from ending the process."""
    beside = _beside(function)
    calls = {name: _read_globals(value.__code__) & beside.keys() for name, value in beside.items()}
    calls[own.name] = _read_globals(function.__code__) & beside.keys()
    for name in sorted(_reached(calls, own.name) | {own.name}):
        if name in _reached(calls, name):
            raise UsageError(
                f"'{own.short}': function '{name}' calls itself, which a strategy cannot.",
                "Write a loop instead. " + SEE,
            )


def _reached(calls: dict[str, set[str]], name: str) -> set[str]:
    """Return all functions that one calls, or that those call."""
    reached: set[str] = set()
    new = calls[name]
    while new:
        reached |= new
        new = set().union(*(calls[other] for other in new)) - reached
    return reached


@functools.cache
def _silence() -> Any:
    """Return what stands for print in compiled code."""

    def silence(*words: Any) -> None:
        return None

    return numba.njit(nogil=True)(silence)


def _with_compiled_helpers(function: Any) -> Any:
    """Return the function with the plain functions beside it, which it may call, compiled as well."""
    around: dict[str, Any] = dict(function.__globals__)
    # What it prints is seen while it is tried; from millions of games it would drown the results.
    around.setdefault("print", _silence())
    for name, value in _beside(function).items():
        if value is not function:
            inner = FunctionType(value.__code__, around, value.__name__, value.__defaults__, value.__closure__)
            inner.__module__ = value.__module__
            around[name] = numba.njit(nogil=True, boundscheck=True)(inner)
    made = FunctionType(function.__code__, around, function.__name__, function.__defaults__, function.__closure__)
    made.__module__ = function.__module__
    return made


@functools.lru_cache(64)
def _compiled(own: Own) -> Any:
    """Compile one function, guarded: whatever it raises becomes an answer that does not exist."""
    function = plain_function(own)
    if INTERPRETED:
        return _guarded_python(function)
    _refuse_recursion(own, function)
    try:
        choose = numba.njit(_TAKEN, nogil=True, boundscheck=True)(_with_compiled_helpers(function))
    except Exception as error:  # numba's errors have no common base
        raise _not_compiled(own, error) from None
    refuse_writable(own, choose)
    kind = choose.nopython_signatures[0].return_type
    if not isinstance(kind, types.Integer | types.Boolean):
        raise UsageError(
            f"'{own.short}' returns {kind}, but a strategy returns the number of an option.",
            "Write int(...) around it; every path must return one.",
            SEE,
        )

    def guarded(view: Any, options: Any, random: Any) -> Any:
        answer = np.int64(-1)
        try:
            answer = np.int64(choose(view, options, np.int64(random >> np.uint64(_SPARE_BITS))))
        except Exception:
            answer = np.int64(-1)
        return answer

    return numba.njit(nogil=True)(guarded)


def _guarded_python(function: Any) -> Any:
    def guarded(view: Any, options: Any, random: Any) -> Any:
        try:
            return int(function(view, int(options), int(random) >> _SPARE_BITS))
        except Exception:
            return -1

    return guarded


def _not_compiled(own: Own, error: Exception) -> UsageError:
    """Return numba's message, cut down to what helps."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = re.findall(r'File "[^"]*", line (\d+):|\(line (\d+)\)|(?:at|from) \S+ \((\d+)\)', text)
    numbers = [next(filter(None, place)) for place in places]
    where = f", line {numbers[-1]}" if numbers else ""
    lines = [line.strip() for line in text.splitlines()]
    told = [
        line
        for line in lines
        if line
        and not re.match(r"(Failed in|File |During: |raised from|There are \d|- Of which|Overload |\^|def )", line)
    ]
    first = [line for line in told if re.search(r"Error|not |Cannot|cannot|No |Untyped|Unknown", line)] or told
    source = [linecache.getline(own.path, int(numbers[-1])).strip()] if numbers else []
    return UsageError(
        f"'{own.short}'{where} cannot be compiled: {shorten(first[0] if first else text, 200).rstrip('.')}.",
        *[shorten(line) for line in source if line],
        *[shorten(line, 160) for line in first[1:3]],
        "It may use numbers, arrays, loops and ifs, as numba compiles them. " + SEE,
    )


def compiled(game: str, owns: Owns) -> Any:
    """Return the function that a kernel asks, for users' own strategies of the seats.

    Raises
    ------
    UsageError
        If one of them cannot be executed or compiled.
    """
    if not owns:
        return NO_OWN
    wanted: dict[Own, int] = {}
    for seat, parts in enumerate(owns):
        for part, own in enumerate(parts):
            if own is not None:
                wanted[own] = wanted.get(own, 0) | 1 << (2 * seat + part)
    if len(wanted) == 1:  # it is asked wherever it sits, so that one compiled form does for all cells
        wanted = dict.fromkeys(wanted, 0)
    with _lock:  # threads that begin together must not all compile it
        return _joined(game, tuple(wanted.items()))


@functools.lru_cache(256)
def _joined(game: str, wanted: tuple[tuple[Own, int], ...]) -> Any:
    place, card = _places(game)
    (first, _), *others = wanted
    choose = _compiled(first)
    for own, mask in others:
        choose = _either(mask, _compiled(own), choose, place, card)
    return choose if INTERPRETED else Asked.made_of(choose.py_func)


def _places(game: str) -> tuple[int, int]:
    """Return where the view tells the seat, and the question that belongs to the second part; -1 if there is none."""
    view = importlib.import_module(f"simcore.games.{games.GAMES[game]}.view")
    return view.SEAT, view.ASK_CARD if len(games.load(game).PARTS) > 1 else -1


def _either(mask: int, one: Any, other: Any, place: int, card: int) -> Any:
    def choose(view: Any, options: Any, random: Any) -> Any:
        if (mask >> (2 * view[place] + (view[0] == card))) & 1:
            return one(view, options, random)
        return other(view, options, random)

    return choose if INTERPRETED else numba.njit(nogil=True)(choose)


class _Trial:
    """Asks the users' functions as plain Python, and keeps what goes wrong first."""

    def __init__(self, game: str, owns: Owns, most: float) -> None:
        self._functions = {own: plain_function(own) for parts in owns for own in parts if own}
        self._owns, self._most = owns, most
        self._place, self._card = _places(game)
        self.asked = 0
        self.problem = ""

    def answer(self, view: Any, options: Any, random: Any) -> int:
        """As `ask`, whatever the user's code does: an error that came out of here would be printed and forgotten."""
        try:
            with contextlib.redirect_stdout(sys.stderr):
                return self.ask(view, options, random)
        except BaseException as error:
            self.problem = self.problem or f"a strategy returned what cannot be looked at: {_words(error)}"
            return -1

    def ask(self, view: Any, options: Any, random: Any) -> int:
        """Return the answer, or -1 to end the match: after enough positions, or an answer that is none."""
        self.asked += 1
        if self.problem or self.asked > self._most:
            return -1
        own = self._owns[int(view[self._place])][int(int(view[0]) == self._card)]
        assert own is not None
        seen = np.array(view)
        seen.flags.writeable = False
        try:
            answer = self._functions[own](seen, int(options), int(random) >> _SPARE_BITS)
        except BaseException as error:
            self.problem = f"'{own.short}'{_line(own, error)} raised {_words(error)}"
            return -1
        if not isinstance(answer, int | np.integer | np.bool_):
            self.problem = f"'{own.short}' returned {shorten(repr(answer))}, which is not the number of an option"
            return -1
        if not 0 <= answer < options:
            self.problem = f"'{own.short}' chose option {answer} of {options} (they count from 0)"
            return -1
        return int(answer)


_trial: _Trial | None = None


def _answer(view: Any, options: Any, random: Any) -> Any:
    assert _trial is not None
    return _trial.answer(view, options, random)


@functools.cache
def _asking() -> Any:
    """Return the function for a kernel's slot that asks the trial."""
    if INTERPRETED:
        return _answer
    answer = _answer

    def ask(view: Any, options: Any, random: Any) -> Any:
        with numba.objmode(chosen="int64"):
            chosen = answer(view, options, random)
        return chosen  # noqa: RET504  # objmode names what comes out

    compiled_ask = numba.njit(ask)

    def asking(view: Any, options: Any, random: Any) -> Any:
        return compiled_ask(view, options, random)

    return numba.cfunc(OWN_SIGNATURE, nopython=True)(asking)


def _try(cell: Any, owns: Owns, seed: int, first: int, matches: int, most: float) -> str:
    """Play matches with the users' functions as plain Python; return what is wrong, or nothing."""
    global _trial
    with _lock:
        trial = _trial = _Trial(cell.game, owns, most)
        try:
            play = getattr(games.kernel(cell.game), games.kernel_for(cell.game, cell.rules, cell.seats))
            play(
                to_record(cell.game, cell.rules),
                to_strategies(cell.game, cell.seats),
                np.uint64(seed),
                np.int64(first),
                np.int64(matches),
                np.int64(matches),
                np.zeros(2, tally_dtype(cell.game)),
                np.zeros(1, counts_dtype(cell.game))[0],
                np.zeros((0, log.WIDTH), np.int32),
                np.zeros(1, np.uint8),
                _asking(),
            )
        finally:
            _trial = None
    return trial.problem


_tried: set[tuple[str, Own]] = set()


def try_out(cells: Sequence[Any], seed: int, tell: Callable[[str], None] = lambda text: None) -> None:
    """Let the users' own strategies of cells decide some positions as plain Python, then compile them.

    Parameters
    ----------
    cells
        What is to be played.
    seed
        Of the games in which the positions occur.
    tell
        Is told what is going on.

    Raises
    ------
    UsageError
        For the first thing that goes wrong.
    """
    for cell in cells:
        owns = owns_of(cell.seats)
        new = {(cell.game, own): own.short for parts in owns for own in parts if own}
        if new.keys() <= _tried:
            continue
        tell(f"trying and compiling {', '.join(dict.fromkeys(new.values()))}.")
        problem = _try(cell, owns, seed, 0, TRIED_GAMES, TRIED)
        if problem:
            raise UsageError(f"{problem}.", SEE)
        compiled(cell.game, owns)
        _tried.update(new)


def explain(cell: Any, seed: int, game: int) -> str:
    """Say why a strategy chose what does not exist in a game, by playing it again as plain Python."""
    owns = owns_of(cell.seats)
    what = f"a strategy chose an option that does not exist in game {game}"
    if not owns or any(own and own.code is None for parts in owns for own in parts):
        return what
    problem = _try(cell, owns, seed, game, 1, float("inf"))
    return f"in game {game} {problem}" if problem else f"{what} (as plain Python it does not)"
