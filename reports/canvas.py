"""Figures in the package's style, and their files: the same data give the same bytes.

matplotlib's `Figure` is used without pyplot: nothing is shown, no state is shared.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from PIL import Image

STYLE = Path(__file__).parent / "shipsim.mplstyle"
FORMATS = ("png", "svg")
WIDTH = 6.4
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
QUIET = "#777777"
PALETTE = 128
"""Colours of a png file: enough for lines on white, and a third of the bytes."""

NEARLY_WHITE = 252


@contextmanager
def style() -> Iterator[None]:
    """Draw with the package's settings, whatever a user's own matplotlibrc says."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(matplotlib.rc_params_from_file(STYLE, use_default_template=False))
        yield


def new_figure(height: float, width: float = WIDTH) -> Figure:
    """Return an empty figure; the layout makes room for all labels."""
    return Figure(figsize=(width, height), layout="constrained")


@cache
def _known_letters() -> frozenset[int]:
    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())


def drawable(text: str) -> str:
    """Return a text in which letters that the font does not have are question marks."""
    return "".join(letter if ord(letter) in _known_letters() else "?" for letter in text)


def to_bytes(figure: Figure, kind: str) -> bytes:
    """Return a figure as a file of one of FORMATS, without dates and names of programs."""
    buffer = io.BytesIO()
    if kind == "svg":
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        return buffer.getvalue()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    buffer.seek(0)
    with Image.open(buffer) as image:
        # Other methods join the colours of lines, which have few dots.
        small = image.convert("RGB").quantize(PALETTE, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        # It makes white a shade darker.
        small.putpalette([255 if part > NEARLY_WHITE else part for part in small.getpalette() or []])
        out = io.BytesIO()
        small.save(out, format="png", optimize=True)
    return out.getvalue()
