"""shipsim: what does a house rule do to a card game?"""

from __future__ import annotations

__version__ = "0.1.0"

ENGINE_VERSION = 1
"""Raised with every change that alters any result; results of different engines are never mixed."""
