"""Names of rule sets on pages and in figures: they fit, none is like another, and colours stay what they are."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

from reports import canvas, charts, figures, lettering, load, words
from reports.page import make_page
from simcore.declare import Metric
from tests.calls import Call

AXES = "--vary pass_mode --vary direction --vary trim"
SEATS = "hunter+keeper+keeper+keeper"
BOT = """\
def cautious_player(view, options, random):
    return 0
"""


@pytest.fixture(scope="module")
def long_seats() -> pd.DataFrame:
    """Return shares of seats of two rule sets whose names are long and end differently."""
    ends = ["highest", "lowest", "none"]
    labels = [f"pass_mode=sequential, direction=alternate_passes, trim={end}" for end in ends]
    return pd.DataFrame(
        [
            {"label": label, "seat": seat, "estimate": 25.0, "low": 24.0, "high": 26.0, "fair": 25.0}
            for label in labels
            for seat in (1, 2, 3, 4)
        ]
    )


def outside(figure: Figure) -> list[str]:
    """Return the texts of a figure that reach beyond it."""
    figure.draw_without_rendering()
    whole = figure.bbox
    found = []
    texts = [text for axes in figure.axes for text in (axes.title, axes.yaxis.label)]
    for axes in figure.axes:
        low, high = sorted(axes.get_ylim())
        texts += [tick.label1 for tick in axes.yaxis.get_major_ticks() if low <= tick.get_loc() <= high]
    texts += [text for made in figure.legends for text in made.get_texts()]
    for text in texts:
        box = text.get_window_extent()
        if text.get_text() and (box.x0 < whole.x0 - 1 or box.x1 > whole.x1 + 1 or box.y1 > whole.y1 + 1):
            found.append(text.get_text())
    return found


def test_titles_of_panels_are_whole_and_inside(long_seats: pd.DataFrame) -> None:
    with canvas.style():
        figure = figures.seats(long_seats, "Matches won by seat")
        titles = [axes.get_title(loc="left") for axes in figure.axes if axes.axison]
        assert [title.replace("\n", " ") for title in titles] == list(long_seats["label"].unique())
        assert not any(line.startswith(",") for title in titles for line in title.split("\n"))
        assert outside(figure) == []


def test_texts_are_broken_at_spaces_and_never_cut() -> None:
    text = "pass_mode=simultaneous, direction=alternate_passes, trim=lowest, seat 4"
    lines = lettering.wrapped(text, 22).split("\n")
    assert lines == ["pass_mode=simultaneous,", "direction=alternate_passes,", "trim=lowest, seat 4"]
    # What fits nowhere is broken behind a sign.
    assert lettering.wrapped("strategy=" + SEATS, 22) == "strategy=hunter+\nkeeper+keeper+keeper"


def test_long_names_tell_only_what_is_not_as_in_the_baseline(call: Call, tmp_path: Path) -> None:
    assert call(f"sweep my-ship-sails {AXES} --games 50 --out run -q").code == 0
    saved = load.open_run(tmp_path / "run")
    names = list(words.labels(saved).values())
    assert len(set(names)) == 24 and names[:3] == ["the baseline", "trim=highest", "trim=none"]
    assert names[-1] == "pass_mode=sequential, direction=alternate_passes, trim=none"
    with canvas.style():
        page = make_page(saved)
        for chart in page.charts:
            assert outside(chart.figure) == [], chart.name
    told = " ".join(found["text"] for found in page.findings)
    assert "..." not in told and not re.search(r"\([0-9a-f]{8}\)", told)
    assert call("sweep my-ship-sails --vary direction --vary trim --games 50 --out short -q").code == 0
    short = list(words.labels(load.open_run(tmp_path / "short")).values())
    assert short[0] == "direction=left, trim=lowest"


def test_legends_stay_inside(call: Call, tmp_path: Path) -> None:
    mixed = ",".join(
        [SEATS, "keeper+hunter+keeper+keeper", "keeper+keeper+hunter+keeper", "hunter+hunter+hunter+keeper"]
    )
    assert call(f"sweep ahoi --vary strategy=keeper,hunter,{mixed} --games 200 --out run -q").code == 0
    with canvas.style():
        found = {chart.name: chart for chart in make_page(load.open_run(tmp_path / "run")).charts}
        (legend,) = found["length"].figure.legends
        assert f"strategy={SEATS}" in [text.get_text() for text in legend.get_texts()]
        assert not {name: texts for name, chart in found.items() if (texts := outside(chart.figure))}


def test_own_strategies_are_called_by_file_and_name(call: Call, tmp_path: Path) -> None:
    (tmp_path / "my_bots.py").write_text(BOT, encoding="utf-8")
    own = "my_bots.py:cautious_player"
    axis = f"keeper,{own}+keeper+keeper+keeper,{own}+hunter+careful+random,{own}"
    assert call(f"sweep ahoi --vary strategy={axis} --games 50 --out run -q").code == 0
    names = list(words.labels(load.open_run(tmp_path / "run")).values())
    assert names == [
        "strategy=keeper",
        f"strategy={own}+keeper x3",
        f"strategy={own}...#3",
        f"strategy={own}",
    ]


def test_a_caption_gives_the_range_of_what_does_not_matter(call: Call, tmp_path: Path) -> None:
    line = "sweep ahoi --vary players=3,4 --vary joker=swap,rotate,none --games 2k --out run -q"
    assert call(line).code == 0
    saved = load.open_run(tmp_path / "run")
    captions = {chart.name: chart.caption for chart in make_page(saved).charts}
    ranges = [re.search(r"within ([\d.]+) to ([\d.]+); shaded is the largest", text) for text in captions.values()]
    assert any(found and float(found[1]) < float(found[2]) for found in ranges)
    mean = Metric("a", "a")
    assert charts._within(mean, pd.Series([0.04, 0.045])) == "0.04 to 0.045; shaded is the largest"
    assert charts._within(mean, pd.Series([0.045, 0.045])) == "0.045"


def test_figures_are_counted_once(call: Call, tmp_path: Path) -> None:
    assert call("sweep my-ship-sails --vary pass_count=1,2 --games 50 --out run -q").code == 0
    both, one = call("report run"), call("report run --figures png")
    number = len(list((tmp_path / "run" / "report" / "figures").glob("*.png")))
    assert both.out.splitlines()[-1] == f"{number} figures beside them, each as png and svg."
    assert one.out.splitlines()[-1] == f"{number} figures beside them."


def test_pictures_keep_the_colours_of_lines() -> None:
    names = [f"rules {i}" for i in range(6)]
    frame = pd.DataFrame(
        [
            {"label": name, "x": x, "estimate": i + x / 9, "low": i + x / 9 - 0.3, "high": i + x / 9 + 0.3}
            for i, name in enumerate(names)
            for x in range(40)
        ]
    )
    with canvas.style():
        data = canvas.to_bytes(figures.lines(frame, "a", ("x", "y")), "png")
    with Image.open(io.BytesIO(data)) as image:
        seen = np.unique(np.asarray(image.convert("RGB")).reshape(-1, 3), axis=0).astype(int)
    for colour in ("#FFFFFF", *canvas.COLOURS):
        wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        assert np.abs(seen - wanted).max(axis=1).min() <= (0 if colour == "#FFFFFF" else 3), colour
