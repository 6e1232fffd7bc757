"""Settings for all tests."""

from __future__ import annotations

from hypothesis import settings

# Machines that run tests are busy, and what an example costs depends on whether a kernel was compiled.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
