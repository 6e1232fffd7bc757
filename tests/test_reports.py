"""Reports from saved runs: what they say agrees with the csv files, and nothing gets out of hand."""

from __future__ import annotations

import csv
import html
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.path import Path as Outline

import reports
import simcore
from reports import canvas, figures, findings, load, words
from reports.page import Page, make_page
from reports.plans import plan
from simcore.cells import make_cell
from simcore.errors import DataError, UsageError
from simcore.games import GAMES
from simcore.games import load as load_game
from simcore.results import Result, Study
from simcore.store import make_manifest
from tests.calls import Call

PLAYED = 3000
HOSTILE = '<script>alert("x")</script>|`*_$[a](http://b)'


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small study over two axes, for reading only."""
    vary = {"players": [4, 5, 6], "pass_count": [1, 2]}
    study = simcore.sweep("my-ship-sails", vary, games=PLAYED, rules={"max_passes": 60, "match_target": 1})
    folder = tmp_path_factory.mktemp("reports") / "run"
    study.save(str(folder))
    return folder


@pytest.fixture(scope="module")
def page(untouched: Path) -> Page:
    """Return what the report of the small study says."""
    return make_page(load.open_run(untouched))


@pytest.fixture
def run(untouched: Path, tmp_path: Path) -> Path:
    """Return a copy of the study's folder."""
    return Path(shutil.copytree(untouched, tmp_path / "run"))


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_report_has_its_files_and_they_are_the_same_bytes_twice(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(run, other)
    written = reports.write(run, ("png", "svg"))
    again = reports.write(str(other), ("png", "svg"))
    names = {path.relative_to(run).as_posix() for path in written}
    assert {"report/report.md", "report/figures/seats.png", "report/figures/seats.svg"} <= names
    for path, copy in zip(written, again, strict=True):
        assert path.read_bytes() == copy.read_bytes(), path.name
        assert b"2026-" not in path.read_bytes() or path.suffix == ".png"


def test_every_figure_is_shown_with_words_for_it(run: Path) -> None:
    reports.write(run)
    text = (run / "report" / "report.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[(.+)\]\(figures/([a-z0-9-]+)\.png\)", text)
    assert {name for _, name in shown} == {path.stem for path in (run / "report" / "figures").iterdir()}
    assert all(len(alt) > 40 for alt, _ in shown)
    for name in re.findall(r"\(#([a-z0-9-]+)\)", text):
        assert f'<a id="{name}"></a>' in text


def test_findings_say_what_the_files_say(run: Path, page: Page) -> None:
    saved = load.open_run(run)
    found = findings.find(saved, findings.seat_table(saved))
    assert 1 <= len(found) <= findings.MOST
    names = {label: cell for cell, label in words.labels(saved).items()}
    estimates = {(r["cell"], r["metric"], r["by"]): r for r in rows(run / "estimates.csv") if r["by"] == ""}
    reports.write(run)
    told = rows(run / "report" / "differences.csv")
    differences = {(r["cell"], r["metric"], r["by"]): r for r in told if r["by"] == ""}
    checked = 0
    for finding, said in zip(found, page.findings, strict=True):
        if finding.kind != "change" or finding.metric[1]:
            continue
        metric, key = saved.metrics[finding.metric], (names[finding.values["cell"]], *finding.metric)
        text = said["text"]
        for known in (finding.values["cell"], finding.values["baseline"], finding.values["meaning"]):
            text = text.replace(known, "")
        text = re.sub(r"; the other way, .*?(?=\]\.)", "", text)
        numbers = re.findall(r"-?\d+(?:\.\d+)?", text)
        own, apart = estimates[key], differences[key]
        wanted = [float(own[k]) for k in ("estimate", "low", "high")]
        wanted += [abs(float(apart["difference"])), float(apart["low"]), float(apart["high"])]
        assert len(numbers) == len(wanted)
        for number, value in zip(numbers, wanted, strict=True):
            places = len(number.partition(".")[2])
            assert float(number) == pytest.approx(round(value * (100 if metric.rate else 1), places), abs=1e-9)
        assert (" less than" in text) == (float(apart["difference"]) < 0)
        assert text.endswith(f"Verdict: {apart['verdict']}.")
        checked += 1
    assert checked >= 2


def test_what_a_report_compares_is_in_its_own_file(run: Path, tmp_path: Path) -> None:
    written = reports.write(run)
    assert run / "report" / "differences.csv" in written
    own, first = rows(run / "report" / "differences.csv"), rows(run / "differences.csv")
    assert list(own[0]) == [*list(first[0])[:-1], "negligible", "verdict"]
    saved = load.open_run(run)
    told = {tuple(list(r.values())[:5]): r for r in own}
    assert len(told) == len(own) and {r["cell"] for r in own} == {r["cell"] for r in first}
    quoted = [row for finding in findings.find(saved, findings.seat_table(saved)) for row in finding.rows]
    assert quoted and all(row in told for row in quoted)
    # More than players is varied, so some are compared with another cell than the first.
    assert {r["baseline"] for r in first} == {saved.baseline.id} < {r["baseline"] for r in own}
    same = [r for r in first if tuple(list(r.values())[:5]) in told]
    assert same and all(r.items() <= told[tuple(list(r.values())[:5])].items() for r in same)
    assert {r["negligible"] for r in own if r["metric"] == "match_win"} == {"0.005"}
    order = list(saved.cells)
    assert [order.index(r["cell"]) for r in own] == sorted(order.index(r["cell"]) for r in own)
    text = (run / "report" / "report.md").read_text(encoding="utf-8")
    named = set(re.findall(r"in ([a-z/]+\.(?:csv|html))", text))
    assert named and all((run / name).exists() or (run / "report" / name).exists() for name in named)
    assert "report/differences.csv (the run's differences.csv compares every rule set with the first)." in text


def test_the_largest_effect_comes_first(run: Path) -> None:
    saved = load.open_run(run)
    found = findings.find(saved, findings.seat_table(saved))
    effects = [finding.effect for finding in found if finding.effect > 0]
    assert effects == sorted(effects, reverse=True)
    assert effects[0] == pytest.approx(findings.comparable(saved)["sure"].max())


def test_shares_of_wins_are_not_compared_between_numbers_of_players(run: Path) -> None:
    saved = load.open_run(run)
    compared = findings.comparable(saved)
    cells = set(compared.loc[compared["metric"] == "match_win", "cell"])
    assert {saved.cells[cell].rules.players for cell in cells} == {4}


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    game = load_game("my-ship-sails")
    result = simcore.simulate(simcore.rules("my-ship-sails", match_target=1, max_passes=20), games=200)
    other = simcore.simulate(simcore.rules("my-ship-sails", match_target=1, max_passes=30), games=200)
    made = [
        Result(make_cell(game, r.cell.rules, r.cell.seats, {HOSTILE: value}), r.tally, 1)
        for r, value in ((result, "a"), (other, HOSTILE))
    ]
    manifest = make_manifest([r.cell for r in made], 1, 200, axes=[[HOSTILE]], command=f"shipsim '{HOSTILE}'")
    Study(made, [], manifest).save(str(tmp_path / "run"))
    reports.write(tmp_path / "run")
    text = (tmp_path / "run" / "report" / "report.md").read_text(encoding="utf-8")
    prose = re.sub(r"^    .*$", "", text, flags=re.MULTILINE)
    assert "alert" in prose
    assert not re.search(r"(?<!\\)<script", prose)
    assert not re.search(r"(?<!\\)\](?=\(http)", prose)
    page = (tmp_path / "run" / "report" / "report.html").read_text(encoding="utf-8")
    assert page.count("<script") == 1
    assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;" in page


@pytest.mark.parametrize(
    ("name", "damage", "said"),
    [
        ("estimates.csv", lambda text: text.replace("match_win", "match_wen", 1), "no metric 'match_wen by seat'"),
        ("estimates.csv", lambda text: text.replace(",estimate,", ",estimation,"), "columns must be"),
        ("estimates.csv", lambda text: re.sub(r"(seat,1),[0-9.]+", r"\1,many", text, count=1), "damaged"),
        ("estimates.csv", lambda text: re.sub(r"(seat,1),[0-9.]+", r"\1,7", text, count=1), "does not contain"),
        ("differences.csv", lambda text: re.sub(r"(?m)^players-6", "players-9", text), "no cell 'players-9"),
        ("cells.csv", lambda text: text[: text.rindex("players")], "not those of the manifest"),
        ("manifest.json", lambda text: text[:-100], "damaged"),
    ],
)
def test_damaged_files_are_refused(run: Path, name: str, damage: object, said: str) -> None:
    text = (run / name).read_text(encoding="utf-8")
    assert callable(damage)
    (run / name).write_text(damage(text), encoding="utf-8")
    with pytest.raises(DataError, match=said):
        reports.write(run)


def test_missing_files_are_named(run: Path, tmp_path: Path) -> None:
    (run / "differences.csv").unlink()
    with pytest.raises(DataError, match=r"differences\.csv' is missing"):
        reports.write(run)
    with pytest.raises(DataError, match="is not a folder"):
        reports.write(tmp_path / "nothing")


def test_an_unknown_format_is_refused(run: Path) -> None:
    with pytest.raises(UsageError, match=r"'pgn' is not a format of figures\. Did you mean 'png'\?"):
        reports.write(run, ["pgn"])


def test_a_single_game_and_a_single_rule_set_have_a_report(tmp_path: Path) -> None:
    simcore.sweep("my-ship-sails", {"players": [4, 5]}, games=1).save(str(tmp_path / "tiny"))
    simcore.sweep("my-ship-sails", {"players": [4]}, games=500).save(str(tmp_path / "one"))
    for name in ("tiny", "one"):
        reports.write(tmp_path / name)
        assert (tmp_path / name / "report" / "figures" / "seats.png").exists()


def test_reports_need_neither_kernels_nor_pyplot(run: Path) -> None:
    code = (
        f"import reports, sys; reports.write({str(run)!r}); "
        "print([m for m in ('numba', 'matplotlib.pyplot', 'simcore.jit') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_drawn_is_declared() -> None:
    for game in GAMES:
        wanted = plan(game)
        declared = {(metric.name, "+".join(metric.by)) for metric in load_game(game).METRICS}
        shown = {tuple(text.split(" by ")) for kind in ("keyed", "grids") for text in wanted[kind]}
        shown |= {(name, "") for name in wanted["shares"]}
        assert shown <= declared
        spread = {metric.name for metric in load_game(game).METRICS if metric.values}
        assert set(wanted["distributions"]) <= spread
        assert set(wanted["counts"]) <= {name for name, _ in declared}
        length = wanted.get("length")
        if length:
            assert length["metric"] in spread
            assert length["cap"] in load_game(game).Rules._fields
            assert "unfinished" not in length or (length["unfinished"], "") in declared


def test_every_kind_of_figure_that_the_data_support_is_drawn(page: Page) -> None:
    names = {chart.name for chart in page.charts}
    assert {"seats", "length", "distribution-points", "share-half-time-leader-won"} <= names
    assert {"factor-players-passes", "pair-players-pass-count-passes"} <= names
    assert any(name.startswith("effects-") for name in names)


def test_looks_are_drawn_if_the_run_stopped_by_itself(run: Path) -> None:
    cell = rows(run / "cells.csv")[0]["cell"]
    lines = [
        f"{cell},{games},match_win,seat,{seat},0.25,{0.5 / games**0.5:.10g}" for games in (10, 20) for seat in (1, 2)
    ]
    (run / "looks.csv").write_text("\n".join([",".join(load.LOOKS), *lines, ""]), encoding="utf-8")
    charts = {chart.name: chart for chart in make_page(load.open_run(run)).charts}
    assert "11 after 20 games" in charts["precision-match-win"].caption
    assert "asked for" not in charts["precision-match-win"].caption


def test_a_precision_is_drawn_beside_what_was_asked_for(call: Call, tmp_path: Path) -> None:
    # Without Jokers nobody swaps, and such a look has no numbers.
    shown = call("sweep ahoi --vary joker=none,swap --precision swapper_won=5pp --max-games 10k --out r -q")
    assert shown.code == 4
    chart = next(c for c in make_page(load.open_run(tmp_path / "r")).charts if c.name.startswith("precision"))
    assert "(asked for: 5)" in chart.caption and "joker=none" not in chart.caption
    above, below = chart.figure.axes
    (looked, target) = below.lines
    assert np.array_equal(looked.get_xdata(), [10_000]) and np.array_equal(target.get_ydata(), [5, 5])
    row = rows(tmp_path / "r" / "looks.csv")[1]
    assert np.allclose(looked.get_ydata(), [100 * float(row["half_width"])])
    assert above.get_ylabel().replace("\n", " ") == "estimate less its last, percentage points"


def test_long_values_are_numbered_in_labels_and_explained(call: Call, tmp_path: Path) -> None:
    long = ["stubborn:discard=random:first_target=second", "stubborn:discard=newest:first_target=second"]
    call(f"sweep my-ship-sails --vary strategy=adaptive,{','.join(long)} --vary pass_count=1,2 --games 50 --out r -q")
    saved = load.open_run(tmp_path / "r")
    values = ["adaptive", "stubborn...#2", "stubborn...#3"]
    expected = [f"strategy={value}, pass_count={count}" for value in values for count in (1, 2)]
    assert list(words.labels(saved).values()) == expected
    page = make_page(saved)
    told = ", ".join(f"{value} is {name}" for value, name in zip(values[1:], long, strict=True))
    assert page.about.varied[0].value == f"adaptive, {told}"
    heat_map = next(chart for chart in page.charts if chart.name.startswith("pair-strategy"))
    assert [label.get_text() for label in heat_map.figure.axes[0].get_yticklabels()] == values


def test_what_only_counts_is_told_last(call: Call, tmp_path: Path) -> None:
    call("sweep ahoi --vary joker=swap,rotate,none --games 2000 --out r -q")
    saved = load.open_run(tmp_path / "r")
    counts = plan("ahoi")["counts"]
    ordered = findings.comparable(saved)
    before, after = (list(f["metric"].isin(counts)) for f in (ordered, findings.headlines(saved, ordered)))
    assert after == sorted(before) != before


def test_a_metric_that_some_rule_sets_do_not_have_is_drawn_for_the_others(call: Call, tmp_path: Path) -> None:
    line = "sweep ahoi --vary joker=swap,none,rotate --vary players=3..5 --games 800 --out run"
    assert call(line).code == 0 and call("report run --figures png").code == 0
    text = (tmp_path / "run" / "report" / "report.md").read_text(encoding="utf-8")
    (alt,) = re.findall(r"!\[(.*?)\]\(figures/factor-players-swapper-won\.png\)", text)
    assert "joker=swap: 3 " in alt and "joker=rotate: 3 " in alt and "none" not in alt


def test_rules_that_are_varied_together_are_one_axis(call: Call, tmp_path: Path) -> None:
    call("sweep my-ship-sails --vary players:hand_size=4:7,5:6 --vary pass_count=1,2 --games 50 --out r -q")
    saved = load.open_run(tmp_path / "r")
    assert words.axis_groups(saved) == [["players", "hand_size"], ["pass_count"]]
    assert make_page(saved).title == "My Ship Sails: players:hand_size, pass_count"


def test_quantiles_count_what_was_cut_off(run: Path, page: Page) -> None:
    saved = load.open_run(run)
    chart = next(chart for chart in page.charts if chart.name == "length")
    found = {(r["cell"], r["metric"]): r for r in rows(run / "estimates.csv")}
    for cell, label in words.labels(saved).items():
        ended: dict[float, int] = {}
        for row in rows(run / "distributions.csv"):
            if row["cell"] == cell and row["metric"] == "passes":
                ended[float(row["value"])] = int(row["count"])
        stalemate = found[cell, "stalemate"]
        all_rounds = sum(ended.values()) + round(float(stalemate["estimate"]) * int(stalemate["n"]))
        shown = re.search(rf"{re.escape(label)} ([^/]+) / ([^/]+) / ([^/,;]+?)(?:, cut off|;|\.)", chart.caption)
        assert shown is not None
        for text, q in zip(shown.groups(), (0.5, 0.9, 0.99), strict=True):
            up_to = 0
            value = math.inf
            for length in sorted(ended):
                up_to += ended[length]
                if up_to >= q * all_rounds:
                    value = length
                    break
            assert text == ("> cap" if value == math.inf else f"{value:g}")


def test_a_page_holds_the_findings(run: Path, page: Page) -> None:
    reports.write(run)
    text = (run / "report" / "report.html").read_text(encoding="utf-8")
    shown = html.unescape(re.sub(r"<[^>]+>", "", text)).replace("\N{NO-BREAK SPACE}", " ")
    for finding in page.findings:
        assert finding["text"] in shown
    assert text.count("<img ") == text.count('alt="') == len(list((run / "report" / "figures").glob("*.png")))


def test_above_sixty_rule_sets_only_the_largest_effects_are_shown(tmp_path: Path) -> None:
    vary: dict[str, list[float]] = {"overlook": [n / 100 for n in range(33)], "pass_count": [1, 2]}
    simcore.sweep("my-ship-sails", vary, games=20, rules={"max_passes": 20, "match_target": 1}).save(
        str(tmp_path / "r")
    )
    saved = load.open_run(tmp_path / "r")
    page = make_page(saved)
    table = next(table for table in page.tables if table.name == "rule-sets")
    assert len(table.rows) == 21
    assert "45 rule sets with smaller effects are in estimates.csv" in table.remark


def test_the_names_of_quantiles_stand_on_no_curve() -> None:
    values = np.arange(0.0, 41.0)
    curves = pd.concat(
        pd.DataFrame({"label": f"level {level}", "value": values, "share": shares, "low": shares, "high": shares})
        for level in (0.55, 0.11, 0.0108)
        for shares in [np.maximum(1 - values / 30, level)]
    )
    marks = pd.DataFrame(columns=["label", "name", "value", "share"])
    with canvas.style():
        figure = figures.survival(curves, marks, 40.0, "How long", "passes")
        figure.draw_without_rendering()
    (axes,) = figure.axes
    names = {text.get_text(): text.get_window_extent() for text in axes.texts}
    assert {"P50", "P90", "P99"} <= names.keys()
    for line in axes.lines:
        x, y = (np.asarray(numbers, float) for numbers in line.get_data())
        if len(x) == len(values):
            steps = np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]])
            drawn = Outline(axes.transData.transform(steps))
            assert not [name for name in ("P50", "P90", "P99") if drawn.intersects_bbox(names[name], filled=False)]
