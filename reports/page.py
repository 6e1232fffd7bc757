"""Puts findings, figures and tables on a page, and writes it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from reports import about, canvas, charts, curves, factors, findings, standings, tables
from reports.baselines import told_csv, told_differences
from reports.load import Saved, open_run
from reports.sentences import TEMPLATES, environment, sentence
from simcore.errors import DataError, UsageError, nearest
from simcore.folders import check_links
from simcore.store import replace_file

MARKDOWN_ROWS = 20
MARKDOWN_COLUMNS = 9
_SPECIAL = re.compile(r"[\\`*|<>]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|~~|\](?=[\[(:])")


class Page(NamedTuple):
    """Everything a report says; `differences` is the csv file of what it compares, empty if it compares nothing so."""

    title: str
    about: about.About
    findings: list[dict[str, str]]
    charts: list[charts.Chart]
    tables: list[tables.Table]
    differences: bytes = b""


def write_report(folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write report.html, report.md and the figures; see `reports.write`."""
    for kind in formats:
        if kind not in canvas.FORMATS:
            raise UsageError(
                f"'{kind}' is not a format of figures.{nearest(kind, canvas.FORMATS)}",
                f"Values: {', '.join(canvas.FORMATS)}.",
            )
    saved = open_run(folder)
    check_links(folder, "report", "report/figures")
    written = []
    with canvas.style():
        page = make_page(saved)
        for name, data in _files(page, formats):
            path = folder / "report" / name
            _write(path, data)
            written.append(path)
    return written


def make_page(saved: Saved) -> Page:
    """Return all that a run's report says."""
    found = standings.find(saved)
    if found:
        told = standings.about(saved, found)
        drawn = list(standings.charts(found))
        said = _say(standings.findings(saved, found), drawn)
        return Page(told.title, told, said, drawn, standings.make_tables(saved, found))
    saved = saved._replace(differences=told_differences(saved))
    seats = findings.seat_table(saved)
    drawn = [
        *charts.seats(saved, seats),
        *charts.effects(saved),
        *curves.lengths(saved),
        *factors.ordered_factors(saved),
        *factors.pairs(saved),
        *curves.distributions(saved),
        *factors.shares(saved),
        *factors.keyed(saved),
        *factors.grids(saved),
        *factors.precision(saved),
    ]
    told = about.describe(saved)
    said = _say(findings.find(saved, seats), drawn)
    return Page(told.title, told, said, drawn, tables.make(saved, seats), told_csv(saved))


def _say(found: Sequence[findings.Finding], drawn: Sequence[charts.Chart]) -> list[dict[str, str]]:
    """Return findings as sentences, each with the name of its figure."""
    return [{"text": sentence(finding), "chart": _chart_of(finding.metric, drawn)} for finding in found]


def _chart_of(metric: tuple[str, str], drawn: Sequence[charts.Chart]) -> str:
    """Return the name of the figure that shows a metric first, or nothing."""
    return next((chart.name for chart in drawn if metric in chart.metrics), "")


def _files(page: Page, formats: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of a report's files."""
    pictures = {}
    for chart in page.charts:
        png = canvas.to_bytes(chart.figure, "png")
        pictures[chart.name] = "data:image/png;base64," + base64.b64encode(png).decode()
        for kind in formats:
            yield f"figures/{chart.name}.{kind}", png if kind == "png" else canvas.to_bytes(chart.figure, kind)
    if page.differences:
        yield "differences.csv", page.differences
    yield "report.md", _markdown(page, formats).encode()
    yield "report.html", _html(page, pictures).encode()


def _markdown(page: Page, formats: Sequence[str]) -> str:
    made = environment(escape=False)
    made.filters["md"] = _escape_markdown
    kind = formats[0] if formats else ""
    text = made.get_template("report.md.j2").render(
        page=page, kind=kind, most_rows=MARKDOWN_ROWS, most_columns=MARKDOWN_COLUMNS
    )
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _html(page: Page, pictures: dict[str, str]) -> str:
    made = environment(escape=True)
    made.filters["together"] = _keep_together
    style, script = ((TEMPLATES / name).read_text(encoding="utf-8") for name in ("style.css.j2", "sort.js.j2"))
    # The page may load nothing and run nothing but what is part of it, whatever names were smuggled in.
    policy = f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}"
    return made.get_template("report.html.j2").render(
        page=page, pictures=pictures, style=Markup(style), script=Markup(script), policy=policy
    )


def _keep_together(text: str) -> str:
    """Return a text whose intervals and percentages do not break across lines."""
    return re.sub(r"(?<=\[)(-?[\d.]+), (-?[\d.]+)(?=\])|(?<=\d) (?=%)", _unbroken, text)


def _unbroken(found: re.Match[str]) -> str:
    return found[0].replace(" ", "\N{NO-BREAK SPACE}")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _escape_markdown(text: object) -> str:
    """Return a text whose letters mean only themselves in Markdown."""
    shown = " ".join(str(text).replace("&", "&amp;").split())
    return _SPECIAL.sub(lambda found: "".join(f"\\{letter}" for letter in found[0]), shown)


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"'{path.parent}' cannot be made: {error.strerror or error}.") from error
    replace_file(path, lambda file: file.write(data))
