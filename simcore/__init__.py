"""shipsim: what does a house rule do to a card game?

The public names are ``rules``, ``rules_from_toml``, ``simulate``, ``sweep`` and ``trace``; what they do is in
``library``. They are loaded when first used, so that the command line answers without numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simcore.library import rules, rules_from_toml, simulate, sweep, trace

__version__ = "0.1.0"

ENGINE_VERSION = 1
"""Raised with every change that alters any result; results of different engines are never mixed."""

__all__ = ["ENGINE_VERSION", "__version__", "rules", "rules_from_toml", "simulate", "sweep", "trace"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'simcore' has no attribute '{name}'")
    from simcore import library

    return getattr(library, name)


def __dir__() -> list[str]:
    return sorted(__all__)
