"""Study files: the same words as the command line, which beats them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.studies import TABLES, is_study, read_study
from simcore.axes import shown
from simcore.errors import UsageError
from simcore.games import load
from tests.calls import Call

GAME = load("my-ship-sails")
STUDY = """
game = "my-ship-sails"
preset = "pass-right"
strategy = "stubborn"

[rules]
match_target = 1

[sweep]
design = "each"

[[sweep.axis]]
pass_count = "1..2"

[[sweep.axis]]
players = [4, 5]
hand_size = ["7", 6]

[run]
games = "1k"
seed = 7
jobs = 1
out = "mine"

[report]
figures = ["svg"]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


Refused = Callable[[str], list[str]]


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refused:
    """Return what is wrong with a study."""
    monkeypatch.chdir(tmp_path)

    def read(text: str) -> list[str]:
        Path("study.toml").write_text(text)
        with pytest.raises(UsageError) as caught:
            read_study("study.toml")
        return [str(error) for error in getattr(caught.value, "errors", [caught.value])]

    return read


def test_a_study_is_read(study: Path) -> None:
    found = read_study(str(study))
    assert found.game is GAME and found.figures == ("svg",)
    assert found.options == {"design": "each", "games": "1k", "seed": "7", "jobs": "1", "out": "mine"}
    first, second = found.axes
    assert [shown(GAME, "pass_count", value) for (value,) in first.values] == ["1", "2"]
    assert second.names == ("players", "hand_size") and second.values == ((4, 7), (5, 6))
    assert [(source.presets, source.rules, source.early) for source in found.sources] == [
        (("pass-right",), {}, True),
        ((), {"match_target": 1}, False),
    ]
    assert found.sources[1].firm and not found.base(("direction",), ())[1].firm
    assert len(found.base((), ("classic",))) == 1


def test_a_study_is_played_as_its_words_on_the_command_line(study: Path, call: Call) -> None:
    assert call("sweep study.toml -q").code == 0
    line = (
        "sweep my-ship-sails --preset pass-right --strategy stubborn --set match_target=1 --design each "
        "--vary pass_count=1..2 --vary players:hand_size=4:7,5:6 --games 1k --seed 7 --out line -q"
    )
    assert call(line).code == 0
    names = ("cells.csv", "estimates.csv", "differences.csv")
    assert [Path("mine", name).read_bytes() for name in names] == [Path("line", name).read_bytes() for name in names]
    manifest = json.loads(Path("mine/manifest.json").read_text())
    assert manifest["design"] == "each" and manifest["jobs"] == 1 and manifest["figures"] == ["svg"]
    assert call("report mine").code == 0
    assert {path.suffix for path in Path("mine/report/figures").iterdir()} == {".svg"}
    shown = call("sweep study.toml")
    assert shown.code == 2 and shown.err.startswith("error: 'mine' exists already.\n")


def test_the_line_beats_the_environment_which_beats_the_file(
    study: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHIPSIM_SWEEP_GAMES", "40")
    monkeypatch.setenv("SHIPSIM_SWEEP_SEED", "5")
    line = "sweep study.toml --json -q --seed 3"
    shown = call(f"{line} --out a")
    assert shown.json["seed"] == 3 and [cell["games"] for cell in shown.json["results"]] == [40, 40, 40]
    # Another axis, which the file sets; another preset, strategy and rule.
    shown = call(f"{line} --out b --vary match_target=1,2 --preset classic --strategy random --set pass_count=2")
    rules = [cell["rules"] for cell in shown.json["results"]]
    assert [cell["match_target"] for cell in rules] == [1, 2]
    assert {(cell["direction"], cell["pass_count"]) for cell in rules} == {("left", 2)}
    assert shown.json["results"][0]["strategies"][0].startswith("random")
    shown = call(f"{line} --out c --set pass_count=2")
    assert shown.code == 2 and "rule 'pass_count' is both set and varied" in shown.err
    shown = call(f"{line} --out d --precision 3pp --design grid")
    assert [cell["games"] for cell in shown.json["results"]] == [10_000] * 4
    monkeypatch.delenv("SHIPSIM_SWEEP_GAMES")
    study.write_text(STUDY.replace('games = "1k"', 'precision = "3pp"\nmax_games = "15k"'))
    assert call(f"{line} --out e").json["stopping"]["max_games"] == 15_000
    shown = call(f"{line} --out f --games 30")
    assert [cell["games"] for cell in shown.json["results"]] == [30] * 3


def test_everything_that_is_wrong_is_said_at_once(refused: Refused) -> None:
    found = refused(
        """
        game = "my-ship-sails"
        preset = "clasic"
        plyers = 3
        [rules]
        pass_count = 77
        [sweep]
        desing = "grid"
        design = "gird"
        axis = [{players = [4, 5], pass_count = [1]}, {direction = "9..3"}, {players = 3}, {overlok = [0, 1]}]
        [run]
        games = 1.5
        seed = -1
        precision = "0.1"
        jobs = "many"
        threads = 3
        max_time = 10
        [report]
        figures = "pdf"
        """,
    )
    assert [error.split("\n")[0] for error in found] == [
        "study.toml: 'desing' is not a key of [sweep]. Did you mean 'design'?",
        "study.toml: 'threads' is not a key of [run].",
        "study.toml: 'gird' is not a design. Did you mean 'grid'?",
        "study.toml: games in [run] must be a whole number or text, not 1.5.",
        "study.toml: seed in [run]: '-1' is not a seed.",
        "study.toml: precision in [run]: '0.1' has no unit. Did you mean '0.1pp'?",
        "study.toml: jobs in [run]: 'many' is not a number of jobs.",
        "study.toml: max_time in [run] must be text, not 10.",
        "study.toml: games in [run] fixes the number of games, which precision leaves open.",
        "study.toml: figures in [report]: 'pdf' is not a kind of file.",
        "study.toml: 'clasic' is not a preset of my-ship-sails. Did you mean 'classic'?",
        "study.toml: 'plyers' is not a rule of my-ship-sails. Did you mean 'players'?",
        "study.toml: '77' is not a value of rule 'pass_count'.",
        "study.toml, axis 1: linked rules need equally many values, but 'players' has 2, 'pass_count' has 1.",
        "study.toml, axis 2: '9..3' is a range, but the values of rule 'direction' are words.",
        "study.toml, axis 3: give a list of values for 'players', not 3.",
        "study.toml, axis 4: 'overlok' is not a rule of my-ship-sails. Did you mean 'overlook'?",
    ]
    assert found[0].split("\n")[1:] == ["  Keys: design, axis."]
    assert found[1].split("\n")[1:] == [f"  Keys: {', '.join(TABLES['run'])}."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "study.toml: the file does not say which game its rules are for."),
        ('game = "skat"', "study.toml: there is no game 'skat'."),
        ('game = "ahoi"\nsweep = 3', "study.toml: 'sweep' must be a table, not 3."),
        ('game = "ahoi"\n[sweep]\naxis = 3', "study.toml: 'axis' in [sweep] must be a list of tables, not 3."),
        ('game = "ahoi"\n[sweep]\naxis = [3]', "study.toml: axis 1 in [sweep] must be a table, not 3."),
        (
            'game = "ahoi"\n[[sweep.axis]]\njoker = ["swap", "swap"]',
            "the value 'swap' stands twice in study.toml, axis 1.",
        ),
        (
            'game = "ahoi"\n[run]\nprecision = 3',
            "study.toml: precision in [run] must be text, or a list of texts, not 3.",
        ),
        (
            'game = "ahoi"\n[report]\nfigures = 3',
            "study.toml: figures in [report] must be text, or a list of texts, not 3.",
        ),
        ("game = 'ahoi'\n[run]\nout = ''", "study.toml: out in [run]: the folder has no name."),
        ("game = ['ahoi']", "study.toml: 'game' must be text, the name of one game, not [\"ahoi\"]."),
        ("game = 'ahoi'\npreset = 3", "study.toml: 'preset' must be text, or a list of texts, not 3."),
        ("game = 'ahoi'\nrules = 3", "study.toml: 'rules' must be a table, not 3."),
        ("game = 'ahoi'\njoker = ['swap']", "study.toml: rule 'joker' takes one value, not [\"swap\"]."),
        ("game = ", "study.toml, line 1: this is not TOML: Invalid value."),
    ],
)
def test_a_bad_file(text: str, message: str, refused: Refused) -> None:
    assert refused(text)[0].split("\n")[0] == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("players = 3", "give a list of values for 'players', not 3.\n  Write players = \"2..13\"."),
        ("overlook = 1.5", "give a list of values for 'overlook', not 1.5.\n  Write overlook = [VALUE, VALUE]."),
        ("direction = {}", 'give a list of values for \'direction\', not {}.\n  Write direction = ["left", "right"].'),
        ("preset = true", "give a list of values for 'preset', not true.\n  Write preset = [\"classic\", "),
        ("strategy = ''", 'give a list of values for \'strategy\', not "".\n  Write strategy = ["'),
        ("players = [[4], 5]", "rule 'players' takes one value, not [4]."),
        ("plyers = 3", "'plyers' is not a rule of my-ship-sails. Did you mean 'players'?"),
    ],
)
def test_what_an_axis_is_to_hold_is_shown(line: str, message: str, refused: Refused) -> None:
    (error,) = refused(f"game = 'my-ship-sails'\n[[sweep.axis]]\n{line}")
    assert error.startswith(f"study.toml, axis 1: {message}")


def test_an_empty_axis_is_named_and_the_others_keep_their_numbers(refused: Refused) -> None:
    axes = ("", "players = [4, 5]", "pass_count = 'many'")
    empty, wrong = refused("\n[[sweep.axis]]\n".join(["game = 'my-ship-sails'", *axes]))
    assert empty == (
        "study.toml: axis 1 in [sweep] is empty: it does not say what is varied.\n"
        "  Write [[sweep.axis]], and RULE = [VALUE, VALUE] below it."
    )
    assert wrong.startswith("study.toml, axis 3: 'many' is not a value of rule 'pass_count'.")


def test_a_decimal_without_a_fraction_is_a_number_of_games(study: Path) -> None:
    study.write_text(STUDY.replace('"1k"', "1e3"))
    assert read_study(str(study)).options["games"] == "1000"


WRONG = (
    "3",
    "-1",
    "1.5",
    "nan",
    "true",
    '""',
    '"no"',
    "[]",
    "[[]]",
    '[1, "a", true, {}]',
    "{}",
    "{a = 1}",
    "2020-01-01",
)
KEYS = {
    "": ("game", "preset", "strategy", "players", "direction", "overlook", "rules", "sweep", "run", "report"),
    "rules": ("players", "direction", "overlook", "game", "preset"),
    "sweep": ("design", "axis"),
    "run": TABLES["run"],
    "report": ("figures",),
    "[sweep.axis]": ("players", "direction", "overlook", "preset", "strategy", "game"),
}


@pytest.mark.parametrize("value", WRONG)
def test_no_key_takes_what_it_cannot_mean(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every key with every type: it is read, or refused with what is wrong, where, and what is right."""
    monkeypatch.chdir(tmp_path)
    path = Path("study.toml")
    for table, keys in KEYS.items():
        for key in keys:
            head = "" if key == "game" and not table else "game = 'my-ship-sails'\n"
            path.write_text(f"{head}[{table}]\n{key} = {value}" if table else f"{head}{key} = {value}")
            try:
                read_study(str(path))
            except UsageError as error:
                for one in getattr(error, "errors", [error]):
                    assert "study.toml" in one.message and one.hints, (table, key, str(one))
                    assert key[:5] in one.message or "'a' is not a" in one.message, (table, key, str(one))


def test_what_a_study_is(tmp_path: Path, call: Call) -> None:
    assert is_study("any.toml") and not is_study("ahoi") and not is_study("aho")
    (tmp_path / "ahoi").write_text("")
    (tmp_path / "plan").write_text('game = "my-ship-sails"')
    assert not is_study("ahoi") and is_study("plan")
    assert call("sweep none.toml").err.startswith("error: the file 'none.toml' does not exist.\n")
    assert call("sweep plan").err == (
        "error: nothing is varied.\n"
        "  Write [[sweep.axis]] in the study, and RULE = [VALUE, VALUE] below it.\n"
        "  Write --vary RULE=VALUE,VALUE; one rule set is played by 'shipsim simulate my-ship-sails'.\n"
        "  See 'shipsim sweep --help'.\n"
    )
    assert call("sweep plan --resume x").err.startswith("error: --resume takes no GAME")


def test_the_example_can_be_planned(call: Call) -> None:
    path = Path(__file__).parents[1] / "examples" / "passing.toml"
    shown = call(f"sweep {path} --dry-run --json --precision 5pp")
    assert shown.code == 0 and len(shown.json["results"]) == 6 and shown.json["seed"] == 7
