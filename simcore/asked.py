"""The compiled form in which kernels ask users' own strategies, and what such a function must not do."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.registry import CPUDispatcher

from simcore.errors import UsageError
from simcore.jit import OWN_SIGNATURE
from simcore.own import SEE, Own


class Asked(CPUDispatcher):  # type: ignore[misc]
    """What a kernel asks: of the same type as a `numba.cfunc`, but called as compiled functions call each other.

    That is one call instead of two, since numba keeps the body of a cfunc apart from its way in.
    """

    _numba_type_ = types.FunctionType(OWN_SIGNATURE)

    @classmethod
    def made_of(cls, function: Any) -> Any:
        """Compile a function."""
        made = cls(function, targetoptions={"nopython": True, "nogil": True})
        made.compile(OWN_SIGNATURE)
        return made


def refuse_writable(own: Own, function: Any) -> None:
    """Refuse the ways on which numba forgets that the view cannot be changed: it stands for later questions.

    Raises
    ------
    UsageError
        If a compiled function, or one that it calls, goes one of them.
    """
    seen, found = set(), [function]
    while found:
        seen.add(dispatcher := found.pop())
        for overload in dispatcher.overloads.values():
            for kind in overload.type_annotation.typemap.values():
                if isinstance(kind, types.Dispatcher) and kind.dispatcher not in seen:
                    found.append(kind.dispatcher)
                arrays = getattr(kind, "arrays", ()) if isinstance(kind, types.NumpyNdIterType) else ()
                arrays = (kind.array_type,) if isinstance(kind, types.NumpyFlatType) else arrays
                if not all(getattr(array, "mutable", True) for array in arrays):
                    raise UsageError(
                        f"'{own.short}' goes through the view by .flat or nditer, which could change it.",
                        "Loop over the view itself. " + SEE,
                    )
