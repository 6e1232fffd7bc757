"""How helpers are compiled that only compiled code calls.

numba makes a library of every function, optimizes it, makes machine code of it, and then links it into the
libraries of all that call it, where all is optimized and made machine code once more. For a helper that is
never called from Python only the last of these times counts. So its library stays as lowered: a game compiles
in three quarters of the time.
"""

from __future__ import annotations

import ctypes
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A library that is only ever linked into others: not optimized, no machine code, no way in from Python."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return where a call from Python goes: to a function of Python's that raises TypeError."""
        return ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value or 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing: the place for a function's environment is in machine code."""


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):  # type: ignore[misc]
    """Lower a function into a library of this kind."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return bool(super().run_pass(state))


class PartCompiler(CompilerBase):  # type: ignore[misc]
    """numba's compiler, with the lowering above."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(PartLowering if step is NativeLowering else step, what) for step, what in passes.passes]
        passes._finalized = False
        passes.finalize()
        return [passes]
