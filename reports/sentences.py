"""Findings as sentences: the same on the page and on the terminal. No figure is drawn here."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import jinja2

from reports import findings
from reports.load import Saved

TEMPLATES = Path(__file__).parent / "templates"


def environment(escape: bool) -> jinja2.Environment:
    """Return what fills the templates."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=escape,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@functools.cache
def _macros() -> Any:
    return environment(escape=False).get_template("findings.j2").module


def sentence(finding: findings.Finding) -> str:
    """Return a finding in words."""
    return str(getattr(_macros(), finding.kind)(finding.values)).strip()


def find(saved: Saved) -> list[findings.Finding]:
    """Return the findings of a run, in the order of the page."""
    return findings.find(saved, findings.seat_table(saved))
