"""Claims: every question has its study, sentences carry their intervals, and an answer is honest about what it is."""

from __future__ import annotations

import itertools
import math
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import simcore
from cli.claims import _put_rows
from cli.grammar import parse_axes, parse_base
from cli.streams import Streams
from reports.verdicts import ANSWERS, Answered, answer, claims_file, page, sentence, show
from simcore.answers import NO, OPPOSITE, SOME, TRIFLE, UNDECIDED, YES, Found, Row, judge, look
from simcore.cells import plan
from simcore.claims import Measure, commands_of, read_claims
from simcore.declare import Metric
from simcore.errors import DataError, ShipsimError
from simcore.games import GAMES, load
from simcore.simulation import Simulation
from simcore.strategies import read_seat
from simcore.tally import Tally
from simcore.tournaments import make_pair
from simcore.winners import other_winners
from tests.calls import Call

INTERVAL = re.compile(r"\[(-?[\d.]+, (-?[\d.]+|no end)|no end, no end|no interval)\]")
ASKED = {
    "ahoi": ("Reverse", "cost the turn", "first round", "Joker", "starting", "forgetting", "How long"),
    "my-ship-sails": ("minute", "four to six", "esitating", "left neighbour", "two cards", "four cards", "six of your"),
    "skull-king": ("zero", "bonus", "skill", "leader", "Kraken", "in turn", "format"),
}
"""A word of every question that is asked about a game, in order."""


def row(low: float, high: float, rope: float = 1.0, label: str = "") -> Row:
    return Row(label, (low + high) / 2, low, high, 10, 10, rope, 100, "")


def measure(**values: Any) -> Measure:
    return Measure("turns", 1.0, "{{ first.change }}", **values)


# What is declared


@pytest.mark.parametrize("game", GAMES)
def test_every_question_has_a_study(game: str) -> None:
    claims = read_claims(claims_file(load(game)), load(game))
    assert [claim.number for claim in claims] == list(range(1, 8))
    for claim, word in zip(claims, ASKED[game], strict=True):
        assert word in claim.question and claim.question.endswith("?")
        assert all(study.measures and study.played for study in claim.studies)
        # A sentence shows a number with its interval, and never says the answer itself.
        for one in (one for study in claim.studies for one in study.measures):
            assert ".change }}" in one.sentence or "each(rows)" in one.sentence, one.sentence
            assert not re.search(r"\b(yes|no|undecided)\b", one.sentence, re.IGNORECASE), one.sentence


@pytest.mark.parametrize("game", GAMES)
def test_the_committed_page_answers_them(game: str) -> None:
    text = (Path(__file__).parent.parent / "docs" / "claims" / f"{game}.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (?=\d)", text, flags=re.MULTILINE)[1:]
    claims = read_claims(claims_file(load(game)), load(game))
    assert [part.splitlines()[0] for part in parts] == [f"{claim.number}. {claim.question}" for claim in claims]
    for part, claim in zip(parts, claims, strict=True):
        verdict = part.splitlines()[2].replace("\\", "")
        assert verdict.startswith("**") and INTERVAL.search(verdict)
        assert f"    shipsim claims {game} --claim {claim.number}\n" in part
        assert "\n    shipsim " in part and part.count("| --- |") >= len(claim.studies)


@pytest.mark.parametrize("game", GAMES)
def test_the_commands_named_play_the_same_cells(game: str) -> None:
    known = load(game)
    for claim in read_claims(claims_file(known), known):
        for study in claim.studies:
            commands = commands_of(study, 100, 1)
            found: list[str] = []
            for command in commands:
                name, verb, of, *words = shlex.split(command)
                assert (name, of, words[-4:]) == ("shipsim", game, ["--games", "100", "--seed", "1"])
                strategies = list(itertools.takewhile(lambda word: not word.startswith("--"), words))
                given = words[len(strategies) :]
                options: dict[str, list[str]] = {"--preset": [], "--set": [], "--strategy": [], "--vary": []}
                for option, value in zip(given[::2], given[1::2], strict=True):
                    options.setdefault(option, []).append(value)
                strategy = options["--strategy"][0] if options["--strategy"] else None
                base = parse_base(known, options["--preset"], (), options["--set"], strategy)
                cells = plan(known, base, parse_axes(known, options["--vary"])).cells
                if verb == "tournament":
                    one, among = (read_seat(known, text) for text in strategies)
                    cells = make_pair(known, cells[0].rules, one, among).cells
                found += [cell.id[-8:] for cell in cells]
            assert list(dict.fromkeys(found)) == [cell.id[-8:] for cell in study.played]


BROKEN = """
game = "ahoi"
[[claim]]
number = 1
question = "What?"
[[claim.study]]
max_games = 100
vary = [{ joker = ["swap", "none"] }]
measure = [{ metric = "turns", half_width = 1, sentence = "x" }]
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('game = "ahoi"', 'game = "chess"', 'x.toml: the file must hold game = "ahoi" and tables [[claim]]'),
        ("number = 1", "number = 2", "x.toml: claims must be numbered 1, 2, 3 ..., not 2."),
        ("max_games", "max_game", "x.toml, claim 1, study 1: unknown key 'max_game'. Did you mean 'max_games'?"),
        ("max_games = 100\n", "", "x.toml, claim 1, study 1: 'max_games' is missing."),
        ("= 100", '= "a"', "x.toml, claim 1, study 1: 'max_games' is of the wrong kind."),
        ('"none"', '"nune"', "'nune' is not a value of rule 'joker'. Did you mean 'none'?"),
        ('"turns"', '"turn"', "x.toml, claim 1, study 1, measure 1: there is no metric 'turn'"),
        ('"turns"', '"match_win"', "x.toml, claim 1, study 1, measure 1: 'match_win' has keys: give"),
        ('sentence = "x"', 'sentence = "x", test = "big"', "x.toml, claim 1, study 1, measure 1: 'big' is not a"),
        ("half_width = 1", "half_width = 0", "x.toml, claim 1, study 1, measure 1: 'half_width' must be above 0"),
        ("max_games", 'against = ["players"]\nmax_games', "x.toml, claim 1, study 1: 'against' names 'players'"),
        ("max_games", 'contest = [["keeper"]]\nmax_games', "x.toml, claim 1, study 1: 'contest' is a list of pairs"),
    ],
)  # fmt: skip
def test_a_broken_file_says_where(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(BROKEN)
    assert len(read_claims(path, load("ahoi"))[0].studies[0].cells) == 2
    path.write_text(BROKEN.replace(old, new, 1))
    with pytest.raises(ShipsimError) as caught:
        read_claims(path, load("ahoi"))
    assert str(caught.value).startswith(message)


# What is answered


@pytest.mark.parametrize(
    ("test", "low", "high", "expected"),
    [
        ("none", 2, 3, ""),
        ("differs", 2, 3, YES),
        ("differs", -3, -2, YES),
        ("differs", 0.1, 0.9, TRIFLE),
        ("differs", -0.5, 0.5, NO),
        ("differs", -0.5, 1.5, UNDECIDED),
        ("differs", 0.5, 1.5, SOME),
        ("more", 2, 3, YES),
        ("more", -3, -2, OPPOSITE),
        ("more", -0.9, -0.1, NO),
        ("more", -1.5, -0.1, UNDECIDED),
        ("less", -3, -2, YES),
        ("less", 2, 3, OPPOSITE),
        ("less", -1.5, -0.1, SOME),
        ("within", 1, 2, YES),
        ("within", 0.5, 1.5, UNDECIDED),
        ("within", 2.5, 3, NO),
        ("differs", math.nan, math.nan, UNDECIDED),
    ],
)
def test_an_answer_needs_its_whole_interval(test: str, low: float, high: float, expected: str) -> None:
    assert judge(measure(test=test, span=(1, 2)), row(low, high)) == expected


def test_the_smallest_is_named_only_if_it_is_sure() -> None:
    rows = [row(1, 2, label="a"), row(3, 4, label="b"), row(3.5, 5, label="c")]
    asked = measure(test="smallest")

    def found(rows: list[Row]) -> Found:
        judged = [r._replace(answer=judge(asked, r, [o for o in rows if o is not r])) for r in rows]
        return Found(asked, Metric("turns", "turns"), tuple(judged))

    assert answer(found(rows)) == "a" and sentence(found(rows)).startswith("A: ")
    assert answer(found(rows[1:])) == "undecided between b and c"
    assert sentence(found([])) == "Undecided: too few games [no interval]."


def test_answers_of_several_rows_are_counted() -> None:
    rows = tuple(row(2, 3)._replace(answer=code) for code in (YES, UNDECIDED, YES))
    found = Found(measure(test="differs", noun="turns"), Metric("turns", "turns"), rows)
    assert answer(found) == "yes in 2 of 3; undecided in 1"
    assert sentence(found) == "Yes in 2 of 3; undecided in 1: 2.5 turns more [2.0, 3.0]"
    assert answer(found._replace(rows=rows[1:2])) == ANSWERS[UNDECIDED]
    wide = found._replace(rows=(row(-0.04, 0.05, math.nan)._replace(base=math.nan, value=0.005),))
    assert show(wide, wide.rows[0]).change == "0.01 turns [-0.04, 0.05]"
    hardly = show(found, row(-0.3, 0.5))
    assert (hardly.change, hardly.tested) == ("0.1 turns more [-0.3, 0.5]", "+0.1")
    assert show(found, row(-3, 3.2)).change == "hardly more [-3, 3]"


def test_a_template_that_cannot_be_filled_is_an_error() -> None:
    found = Found(Measure("turns", 1, "{{ nothing.change }}"), Metric("turns", "turns"), (row(1, 2),))
    with pytest.raises(DataError, match="cannot be filled: 'nothing' is undefined"):
        sentence(found)


def played(game: str, number: int, games: int) -> tuple[Any, dict[str, Tally]]:
    study = read_claims(claims_file(load(game)), load(game))[number - 1].studies[0]
    updates = Simulation(study.played, 1, games, jobs=2).run()
    return study, {update.cell.id: update.tally for update in updates if update.is_over}


def test_rows_are_those_of_the_library() -> None:
    study, tallies = played("ahoi", 2, 400)
    turns = look(study, tallies, {})[0]
    known = simcore.sweep("ahoi", {"draw_colour_loses_turn": [True, False]}, games=400, seed=1).differences()
    expected = known[known.metric == "turns"].iloc[0]
    assert turns.rows[0][1:4] == pytest.approx((expected.difference, expected.low, expected.high))
    assert turns.rows[0].label == "draw_colour_loses_turn=false" and not turns.is_precise


def test_pooled_keys_are_the_mean_of_them() -> None:
    study, tallies = played("skull-king", 6, 300)
    rows = look(study, tallies, {})[0].rows
    frame = simcore.simulate(study.cells[0].rules, "calibrated/contract", games=300, seed=1).estimates()
    each = frame[frame.metric == "bid_total_minus_cards"].estimate
    assert len(each) == 10 and rows[0].value == pytest.approx(each.mean()) and rows[0].estimate == rows[0].value


def test_other_winners_are_counted_game_by_game() -> None:
    study, _ = played("skull-king", 2, 1)
    first, *others = study.cells
    found = other_winners(first, [*others, first], 1, 700, jobs=2)
    assert found[first.id] == 0 and all(50 < found[cell.id] < 350 for cell in others)
    assert other_winners(first, others, 1, 700, jobs=1) == {cell.id: found[cell.id] for cell in others}


# On the command line


@pytest.mark.parametrize("game", GAMES)
def test_all_claims_are_answered(game: str, call: Call) -> None:
    shown = call(f"claims {game} --games 40 --seed 3 --jobs 2 --json --page a.md --no-progress")
    assert shown.code == 0, shown.err
    found = shown.json
    assert (found["status"], found["exit_code"], found["game"], found["seed"]) == ("done", 0, game, 3)
    assert [claim["number"] for claim in found["results"]] == list(range(1, 8))
    for claim in found["results"]:
        assert INTERVAL.search(claim["verdict"])
        for study in claim["studies"]:
            assert study["games"] == 40 and study["cells"] and study["commands"]
            for one in study["measures"]:
                assert INTERVAL.search(one["sentence"]), one["sentence"]
                assert (one["test"] == "none") == (one["answer"] == "")
    text = Path("a.md").read_text(encoding="utf-8")
    assert f"shipsim claims {game} --claim 7 --games 40 --seed 3" in text and " \n" not in text
    again = call(f"claims {game} --games 40 --seed 3 --jobs 1 --page b.md -q")
    assert Path("b.md").read_bytes() == Path("a.md").read_bytes()
    assert max(map(len, again.out.splitlines())) <= 80 and "  95 % interval" in again.out


def test_one_claim_in_words(call: Call) -> None:
    shown = call("claims ahoi --claim 2 --games 300")
    assert shown.code == 0 and shown.out.startswith(
        "2. Does it matter whether Draw 2 + colour and Draw 4 + colour cost the turn?\n\n   "
    )
    assert "(300 matches of 2 cells; less precise than was asked for: turns, round win" in shown.out
    assert shown.err.startswith("ahoi: 1 claim, seed 1.\n") and "answered in " in shown.err
    assert call("claims ahoi --claim 2 --games 300").out == shown.out
    assert call("claims ahoi --claim 2 --games 300 --seed 2").out != shown.out


def test_a_study_stops_when_it_is_precise(call: Call) -> None:
    found = call("claims my-ship-sails --claim 1 --games 40k --json -q").json
    study = found["results"][0]["studies"][0]
    assert study["games"] == 10_000 and all(one["precise"] for one in study["measures"])


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("claims", 2, "error: the game is missing.\n  Games: ahoi, skull-king, my-ship-sails.\n"),
        ("claims ahoy", 2, "error: there is no game 'ahoy'. Did you mean 'ahoi'?\n"),
        ("claims ahoi --claim 8", 2, "error: there is no claim 8.\n  Claims: 1 to 7.\n  1  Does it matter that no"),
        ("claims ahoi --claim 0", 2, "error: there is no claim 0.\n  Claims: 1 to 7.\n  1  Does it matter that no"),
        ("claims ahoi --claim 1k", 2, "error: --claim: '1k' is not a number.\n  Claims: 1 to 7.\n  1  Does it matter "),
        ("claims ahoi --claim x", 2, "error: --claim: 'x' is not a number.\n"),
        ("claims ahoi --games 0", 2, "error: --games: '0' is out of bounds.\n"),
        ("claims ahoi --seed -1", 2, "error: --seed: '-1' is not a seed."),
        ("claims ahoi --precision 1pp", 2, "error: shipsim claims has no option '--precision'."),
    ],
)  # fmt: skip
def test_bad_input(line: str, code: int, message: str, call: Call) -> None:
    shown = call(line)
    assert shown.code == code and shown.err.startswith(message)


def test_a_page_that_cannot_be_written(call: Call, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    shown = call("claims ahoi --claim 3 --games 50 --page file/x.md -q")
    assert shown.code == 3 and shown.err.startswith("error: 'file/x.md' cannot be written: ")


def test_long_labels_do_not_widen_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    found = Found(measure(), Metric("turns", "turns"), (row(1, 2, label="x" * 100),))
    _put_rows(Streams(), found)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_a_page_of_nothing_played_is_still_a_page() -> None:
    game = load("ahoi")
    claim = read_claims(claims_file(game), game)[1]
    found = tuple(Found(one, Metric("turns", "turns"), ()) for one in claim.studies[0].measures)
    text = page(game, [claim], [[Answered(claim.studies[0], 0, found)]], 1, None)
    assert "Undecided: too few games \\[no interval]." in text or "Undecided: too few games [no interval]." in text
