"""Which differences the findings of a report tell, and whom they compare."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import simcore
from reports import baselines, findings, load, silent, standings, words
from reports.frames import each
from reports.page import make_page
from reports.plans import plan
from reports.sentences import sentence
from simcore import results
from simcore.declare import Metric
from simcore.games import GAMES
from simcore.games import load as load_game
from simcore.tournaments import Standing
from tests.calls import Call

SHORT = {"max_passes": 60, "match_target": 1}
OPEN = "There is a difference; whether it is large enough to matter (0.5 points) is open."


def saved_sweep(folder: Path, game: str, vary: Any, games: int, rules: Any = SHORT) -> load.Saved:
    simcore.sweep(game, vary, games=games, rules=rules).save(str(folder / "run"))
    return load.open_run(folder / "run")


def told(saved: load.Saved) -> list[findings.Finding]:
    return findings.find(saved, findings.seat_table(saved))


def test_a_rule_is_compared_at_tables_of_the_same_size(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "my-ship-sails", {"players": [6, 5, 4], "pass_count": [1, 2]}, 2_000)
    by_label = {label: saved.cells[name] for name, label in words.labels(saved).items()}
    changes = [finding for finding in told(saved) if finding.kind in ("change", "share")]
    pairs = [(by_label[f.values["cell"]], by_label[f.values["baseline"]]) for f in changes]
    across = [(cell, base) for cell, base in pairs if cell.rules.players != base.rules.players]
    # What is about the players changes nothing else.
    assert len(changes) > 3 and len(across) <= 1
    assert all(base is saved.baseline and cell.varied["pass_count"] == "1" for cell, base in across)
    for cell, base in pairs:
        if (cell, base) not in across:
            assert (base.varied["pass_count"], cell.varied["pass_count"]) == ("1", "2")
    assert any(base.rules.players == 4 for _, base in pairs)


def test_told_differences_are_those_of_the_sums(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "my-ship-sails", {"players": [4, 5], "pass_count": [1, 2]}, 500)
    base, other, five, both = saved.cells.values()
    frame = baselines.told_differences(saved)
    assert list(dict.fromkeys(zip(frame["cell"], frame["baseline"], strict=True))) == [
        (other.id, base.id),
        (five.id, base.id),
        (both.id, five.id),
    ]
    tallies = [saved.tally(cell) for cell in (five, both)]
    assert tallies[0] and tallies[1]
    found = results.contrast((five, tallies[0]), (both, tallies[1]), 3)
    own = frame[frame["cell"] == both.id]
    for name in ("difference", "low", "high", "rho"):
        np.testing.assert_allclose(own[name].astype(float), [getattr(row.row, name) for row in found])
    assert list(own["verdict"]) == [row.row.verdict for row in found]
    # Seat 5 is compared too, which the first cell does not have.
    assert ("match_win", "5") in set(zip(own["metric"], own["key"], strict=True))
    written = pd.read_csv(tmp_path / "run" / "differences.csv")
    assert set(written["baseline"]) == {base.id}


def test_what_moves_with_the_players_is_as_in_the_cell(call: Call, tmp_path: Path) -> None:
    line = "sweep my-ship-sails --vary players:hand_size=4:7,5:6 --vary pass_count=1,2 --games 50 --out run -q"
    assert call(line).code == 0
    saved = load.open_run(tmp_path / "run")
    partners = [baselines.partner(saved, cell).varied for cell in saved.cells.values()]
    first = {"players": "4", "hand_size": "7", "pass_count": "1"}
    assert partners == [first, first, first, {"players": "5", "hand_size": "6", "pass_count": "1"}]
    # A run of one change at a time has nobody to compare the players with but the baseline.
    line = "sweep my-ship-sails --vary players=4,5 --vary pass_count=1,2 --design each --games 50 --out each -q"
    assert call(line).code == 0
    each = load.open_run(tmp_path / "each")
    assert {baselines.partner(each, cell).id for cell in each.cells.values()} == {each.baseline.id}


def test_who_names_rule_sets_compares_them_with_the_first(call: Call, tmp_path: Path) -> None:
    names = "players:pass_count=4:1 players:pass_count=5:1 players:pass_count=5:2"
    assert call(f"compare my-ship-sails {names} --games 200 --out run -q").code == 0
    saved = load.open_run(tmp_path / "run")
    assert baselines.told_differences(saved) is saved.differences


def test_players_alone_are_told_in_full(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "my-ship-sails", {"players": [4, 6]}, 2_000)
    assert sum(finding.kind == "change" for finding in told(saved)) > 2


def test_what_changes_at_every_seat_is_said_of_all(call: Call) -> None:
    shown = call("compare skull-king bonus_when=exact bonus_when=always --games 5k")
    text = " ".join(shown.out.split())
    assert "points at the end (every seat, such as seat " in text


def test_all_seats_must_change(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "my-ship-sails", {"players": [4, 6], "pass_count": [1, 2]}, 2_000)
    few, more, many = (
        next(cell.id for cell in saved.cells.values() if (cell.rules.players, cell.rules.pass_count) == wanted)
        for wanted in ((4, 1), (4, 2), (6, 1))
    )
    frame = pd.DataFrame(
        {"cell": more, "baseline": few, "metric": "score", "by": "seat", "key": ["1", "2"],
         "difference": [1.0, 2.0], "verdict": "changes"}
    )  # fmt: skip

    def part() -> str:
        return findings._part(saved, frame, next(frame.itertuples()))

    assert part() == "every seat, such as seat 1"
    frame.loc[1, "verdict"] = "undecided"
    assert part() == "seat 1"
    frame["verdict"], frame["difference"] = "changes", [1.0, -2.0]
    assert part() == "seat 1"
    # With other players only the seats that both tables have are compared, which are not all.
    frame["cell"], frame["difference"] = many, 1.0
    assert part() == "seat 1"


def test_what_changes_only_trivially_is_not_called_the_same(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "ahoi", {"players": [4, 2], "scoring": ["hand_points", "winner_collects"]}, 2_000, {})
    same = next(finding for finding in told(saved) if finding.kind == "same").values["metrics"]
    frame = baselines.told_differences(saved)
    for metric in same:
        assert "changes" not in set(frame.loc[frame["metric"] == metric.replace(" ", "_"), "verdict"])
    assert same and "match win" not in same


def test_reports_compare_with_as_many_players(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "my-ship-sails", {"players": [4, 6], "pass_count": [1, 2]}, 2_000)
    page = make_page(saved)
    chart = next(chart for chart in page.charts if chart.name.startswith("effects"))
    assert "pass_count=1 and as many players" in chart.caption
    assert "What changes the players alone is compared with players=4, pass_count=1." in chart.caption


@pytest.mark.parametrize(
    ("verdict", "low", "high", "said"),
    [
        ("changes", 0.006, 0.01, ""),
        ("real but negligible", 0.001, 0.004, "There is a difference, but smaller than what matters (0.5 points)."),
        ("practically the same", -0.001, 0.004, ""),
        ("undecided", 0.001, 0.006, OPEN),
        ("undecided", -0.006, -0.001, OPEN),
        ("undecided", -0.001, 0.006, ""),
        ("undecided", math.nan, math.nan, ""),
    ],
)  # fmt: skip
def test_what_is_known_is_said_though_the_verdict_is_another(verdict: str, low: float, high: float, said: str) -> None:
    assert words.known(verdict, low, high, "0.5 points") == said


def test_every_finding_with_a_verdict_says_what_is_known(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "my-ship-sails", {"pass_count": [1, 2]}, 200)
    row: Any = next(baselines.told_differences(saved).itertuples())
    row = row._replace(metric="match_win", by="seat", key="1")
    names = words.labels(saved)
    wide = row._replace(low=0.001, high=0.009, difference=0.005, rope=0.005, verdict="undecided")
    finding = findings._change(saved, names, wide)
    assert sentence(finding).endswith(f" {OPEN} Verdict: undecided.")
    frame = pd.DataFrame([wide._asdict()])
    largest = findings._undecided(saved, names, frame)
    assert largest and sentence(largest).endswith(f" {OPEN}")
    pair = Standing("a", "b", 9, 0.254, 0.004, 0.002, 0.0045, 0.001, "real but negligible", math.inf, 9.0)
    edge = standings._edge(saved, standings.Standings(4, 2, [pair], []), pair)
    assert "smaller than what matters (0.5 points). Verdict: real but negligible." in sentence(edge)


@pytest.mark.parametrize(
    ("p", "low", "high", "begins", "ends"),
    [
        (0.001, 0.001, 0.004, "The seats are not equal", "smaller than what matters (0.5 points). Verdict: real but"),
        (0.001, 0.001, 0.008, "The seats are not equal", "enough to matter (0.5 points) is open. Verdict: undecided."),
        (0.001, 0.006, 0.008, "The seats are not equal", "[0.6, 0.8]. Verdict: changes."),
        (0.001, -0.001, 0.004, "The seats are not equal", "not of this one alone. Verdict: practically the same."),
        (
            0.4,
            0.001,
            0.004,
            "No rule set has seats that are shown",
            "by less than what matters (0.5 points). Verdict: ",
        ),
        (
            0.4,
            0.001,
            0.008,
            "No rule set has seats that are shown",
            "8 seats it may be so far off by chance. Verdict: ",
        ),
        (0.4, -0.001, 0.004, "No rule set has seats that are shown", "4]. Verdict: practically the same."),
    ],
)
def test_the_seats_are_equal_or_not_and_the_numbers_do_not_contradict_it(
    tmp_path: Path, p: float, low: float, high: float, begins: str, ends: str
) -> None:
    saved = saved_sweep(tmp_path, "my-ship-sails", {"pass_count": [1, 2]}, 50)
    one, other = saved.cells
    middle = (low + high) / 2
    furthest = {"seat": "2", "share": 0.25 + middle, "deviation": middle, "low": low, "high": high, "p": p}
    furthest["verdict"] = findings._seat_verdict(low, high, p, 0.005)
    quiet = {**furthest, "deviation": 0.0, "low": -0.001, "high": 0.001, "p": 0.9, "verdict": "practically the same"}
    seats = pd.DataFrame([{"cell": one, **furthest}, {"cell": other, **quiet}])
    (finding,) = findings._seats(saved, words.labels(saved), seats)
    text = sentence(finding)
    assert text.startswith(begins) and ends in text


def test_where_a_difference_begins_to_matter_is_said_in_two_digits() -> None:
    rate, mean = Metric("a", "a", rate=True), Metric("b", "b")
    assert [words.limit(rate, rope) for rope in (0.005, 0.01, 0.0005, 0.025)] == [
        "0.5 points", "1 point", "0.05 points", "2.5 points"
    ]  # fmt: skip
    assert [words.limit(mean, rope) for rope in (1.0, 20.0, 0.0123, 123.4, 0.0)] == ["1", "20", "0.012", "123", "0"]


def test_a_rule_to_which_nobody_reacts_is_not_called_the_same(tmp_path: Path) -> None:
    # `count` does not look at earlier bids.
    saved = saved_sweep(tmp_path, "skull-king", {"bidding": ["simultaneous", "sequential"]}, 300, {})
    found = {finding.kind: sentence(finding) for finding in told(saved)}
    assert found["silent"] == (
        "Not one game differs between bidding=sequential and bidding=simultaneous: the strategies at this table do not "
        "react to it, or it never comes up."
    )
    assert not {"same", "share", "change", "undecided"} & found.keys()
    page = make_page(saved)
    assert dict(page.about.checks)["Pairing"] == "nothing to measure: not one game differs"
    assert not any(chart.name.startswith("effects") for chart in page.charts)


def test_a_value_to_which_nobody_reacts_stands_for_all_its_rule_sets(tmp_path: Path) -> None:
    vary = {"direction": ["left", "right"], "trim": ["lowest", "highest", "none"]}
    saved = saved_sweep(tmp_path, "my-ship-sails", vary, 300)
    alike = silent.find(saved)
    (cell,) = alike.cells
    assert saved.cells[cell].varied == {"direction": "left", "trim": "highest"}
    # Right with highest plays the games of right with lowest, which is not what it is compared with.
    assert alike.pairs == (("trim=highest", "trim=lowest"),)
    text = dict(make_page(saved).about.checks)["Pairing"]
    assert text.endswith("; without 1 rule set of which not one game differs")
    ratios = saved.differences.loc[saved.differences["cell"] != cell, "variance_ratio"]
    assert f"leave {ratios.median():.2f} of the variance" in text


def test_a_rule_set_alone_may_play_the_same_games(tmp_path: Path) -> None:
    vary = {"direction:trim": [("left", "lowest"), ("left", "highest"), ("right", "highest")]}
    saved = saved_sweep(tmp_path, "my-ship-sails", vary, 300)
    pair = ("direction=left, trim=highest", "direction=left, trim=lowest")
    assert silent.find(saved).pairs == (pair,)
    other = saved_sweep(tmp_path / "other", "my-ship-sails", {"direction": ["left", "right"]}, 300)
    assert silent.find(other) == silent.Silent(frozenset(), ())


def test_findings_answer_first_who_wins_how_long_and_how_much_it_swings(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "ahoi", {"joker": ["swap", "rotate", "none", "dump_colour"]}, 50_000, {})
    changes = [finding for finding in told(saved) if finding.kind in ("change", "share")]
    metrics = [finding.metric[0] for finding in changes]
    assert len(set(metrics)) == len(metrics) and "turns" in metrics
    assert {"lead_changes", "winner_once_held_most"} & set(metrics)
    # That no Joker is played without one is no news.
    assert "played_joker" not in metrics and metrics.count("swapper_won") <= 1
    turns = next(finding for finding in changes if finding.metric[0] == "turns")
    assert turns.values["cell"] == "joker=dump_colour"
    assert "; the other way, with joker=none, 2." in sentence(turns) and len(turns.rows) == 2
    assert [finding.effect for finding in changes] == sorted((f.effect for f in changes), reverse=True)


def test_every_question_has_an_answer_before_one_has_a_second(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "ahoi", {"joker": ["swap", "none"]}, 50, {})
    row: Any = next(each(saved.differences))
    sizes = [("cards_left", "seat"), ("points", "seat"), ("margin", ""), ("lead_changes", ""), ("turns", ""),
             ("points", "place"), ("match_win", "seat")]  # fmt: skip
    rows = [row._replace(metric=metric, by=by, key="1" if by else "") for metric, by in sizes]
    frame = pd.DataFrame([row._asdict() for row in rows])

    def chosen(room: int) -> list[str]:
        return [row.metric for row in findings._various(saved, frame, room)]

    assert chosen(4) == ["match_win", "turns", "margin", "lead_changes"]
    assert chosen(3) == ["match_win", "turns", "margin"]
    assert chosen(9) == ["match_win", "turns", "margin", "lead_changes", "cards_left", "points"]


def test_what_changes_by_less_than_matters_is_not_called_the_same(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "my-ship-sails", {"pass_count": [1, 2]}, 50)
    row: Any = next(each(baselines.told_differences(saved)))
    row = row._replace(metric="passes", by="", key="", rope=1.0, difference=0.57, low=0.5, high=0.64)
    rows = [
        row._replace(verdict="real but negligible"),
        row._replace(difference=0.1, low=-0.1, high=0.3, verdict="practically the same"),
        row._replace(metric="rounds", difference=0.0, low=-0.1, high=0.1, verdict="practically the same"),
    ]
    frame = pd.DataFrame([row._asdict() for row in rows])
    same = findings._same(saved, frame, frame)
    assert same and sentence(same) == (
        "Practically the same with every rule set: rounds. Changed surely, but by less than matters: passes (by up to "
        "0.57; 1 would matter)."
    )
    alone = findings._same(saved, frame[:2], frame[:2])
    assert alone and sentence(alone).startswith("Changed surely, but by less than matters: passes")


def test_the_metrics_that_are_asked_for_first_are_declared() -> None:
    for name in GAMES:
        declared = {f"{m.name} by {'+'.join(m.by)}" if m.by else m.name for m in load_game(name).METRICS}
        asked = [metric for question in plan(name)["asked"] for metric in question]
        assert len(set(asked)) == len(asked) and set(asked) <= declared and len(plan(name)["asked"]) == 3


def test_the_seats_sentence_says_how_likely_chance_is(tmp_path: Path) -> None:
    saved = saved_sweep(tmp_path, "my-ship-sails", {"pass_count": [1, 2]}, 50)
    one, other = saved.cells
    seat = {"seat": "2", "share": 0.256, "deviation": 0.006, "low": 0.001, "high": 0.011, "verdict": "undecided"}

    def said(*chances: float) -> str:
        seats = pd.DataFrame([{"cell": name, **seat, "p": p} for name, p in zip((one, other), chances, strict=False)])
        (finding,) = findings._seats(saved, words.labels(saved), seats)
        return sentence(finding)

    text = "The seats are not equal with 1 of 2 rule sets (by chance with p 0.012 after Holm): with "
    assert said(0.0123, 0.5).startswith(text)
    assert said(0.0001).startswith("The seats are not equal (by chance with p below 0.001): with ")
    assert "shown to be unequal (the smallest p after Holm is 0.30): furthest" in said(0.4, 0.3)
    assert "shown to be unequal: furthest" in said(math.nan, math.nan)


def test_what_was_asked_to_matter_is_what_matters_of_seats(call: Call, tmp_path: Path) -> None:
    line = "compare my-ship-sails direction=left direction=right --games 5k --set match_target=1"

    def seats(more: str) -> str:
        text = " ".join(call(f"{line} {more}").out.split())
        return text[text.index("furthest from the seats' mean") :].partition(" - ")[0]

    assert seats("").endswith("Verdict: undecided.")
    wide = seats("--rope match_win=5pp --out run")
    assert wide.endswith("Verdict: practically the same.") and "0.5 points)" not in wide
    page = make_page(load.open_run(tmp_path / "run"))
    assert any(wide in found["text"] for found in page.findings)
    assert dict(page.about.checks)["What would not matter"].endswith("; as asked for: match_win 5 points")
