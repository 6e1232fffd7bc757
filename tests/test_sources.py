"""Files of rules: all forms, and what is said about the wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.grammar import parse_axes, parse_base
from simcore import sources
from simcore.cells import plan
from simcore.errors import ManyErrors, UsageError, shorten
from simcore.games import load

SHIP = load("my-ship-sails")


def file_of(tmp_path: Path, text: str | bytes, name: str = "house.toml") -> str:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


@pytest.mark.parametrize(
    "text",
    [
        "pass_count = 2\noverlook = 0.5",
        "[rules]\npass_count = 2\noverlook = 0.5",
        'game = "my-ship-sails"\noverlook = 0.5\n[rules]\npass_count = 2',
        'preset = "pass-two"\noverlook = 0.5',
        'preset = ["pass-right", "classic", "pass-two"]\noverlook = "0.5"',
        "\ufeffpass_count = 2\r\noverlook = 0.5\r\n",
    ],
)
def test_file_of_rules(tmp_path: Path, text: str) -> None:
    path = file_of(tmp_path, text)
    assert sources.rules_from_toml(path, "my-ship-sails") == SHIP.Rules(pass_count=2, overlook=0.5)


def test_file_may_name_its_game(tmp_path: Path) -> None:
    path = file_of(tmp_path, 'game = "ahoi"\njoker = "rotate"\nforget = [0.1, 0.2, 0.3, 0.4]')
    rules = sources.rules_from_toml(path)
    assert (rules.joker.name, rules.forget) == ("ROTATE", (0.1, 0.2, 0.3, 0.4))
    with pytest.raises(UsageError) as caught:
        sources.rules_from_toml(file_of(tmp_path, "players = 4"))
    assert caught.value.message.endswith("house.toml: the file does not say which game its rules are for.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trim = 'none'\npass_count = = 2", "{}, line 2: this is not TOML: Invalid value."),
        ("trim = ", "{}, line 1: this is not TOML: Invalid value."),
        ("trim = 'none'\n\nx = [1,", "{}, line 3: this is not TOML: Invalid value."),
        ("trim = 'none'\ntrim = 'none'", "{}, line 2: this is not TOML: Cannot overwrite a value."),
        (b"trim = 'none'\n# \xff", "{}, line 2: the file is not UTF-8 text."),
        ("x = " + "[" * 100_000, "{}: the values are nested too deeply."),
        ("trm = 'none'", "{}: 'trm' is not a rule of my-ship-sails. Did you mean 'trim'?"),
        ("[rules]\ntrm = 'none'", "{}: 'trm' is not a rule of my-ship-sails. Did you mean 'trim'?"),
        ("trim = 'nome'", "{}: 'nome' is not a value of rule 'trim'. Did you mean 'none'?"),
        ("players = 2020-01-01", "{}: '2020-01-01' is not a value of rule 'players'."),
        ("players = true", "{}: 'true' is not a value of rule 'players'."),
        ("overlook = nan", "{}: 'nan' is not a value of rule 'overlook'."),
        ("rules = 3", "{}: 'rules' must be a table, not 3."),
        ("trim = 'none'\n[rules]\ntrim = 'none'", "{}: rule 'trim' is set twice, at top level and in [rules]."),
        ("[rules]\nstrategy = 'random'", "{}: 'strategy' in [rules] is not a rule."),
        ("[sweep]\ndesign = 'each'", "{}: 'sweep' belongs into a study, not into a file of rules."),
        ("game = 'ahoi'", "{}: the file is for the game 'ahoi', not for my-ship-sails."),
        ("preset = 'nix'", "{}: 'nix' is not a preset of my-ship-sails."),
        ("preset = 3", "{}: 'preset' must be text, or a list of texts, not 3."),
        ("strategy = ['random', 3]", "{}: 'strategy' must be text, or a list of texts, not [\"random\", 3]."),
        ("game = ['my-ship-sails']", "{}: 'game' must be text, the name of one game, not [\"my-ship-sails\"]."),
        ("strategy = 'nix'", "{}: 'nix' is not a strategy of my-ship-sails."),
    ],
)
def test_file_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = file_of(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        parse_base(SHIP, files=[path])
    assert caught.value.message.startswith(message.format(shorten(path)))


def test_all_errors_of_a_file(tmp_path: Path) -> None:
    path = file_of(tmp_path, "trm = 1\nplayers = 99\nstrategy = 'a+b'\n[rules]\npass_count = 9")
    with pytest.raises(ManyErrors) as caught:
        parse_base(SHIP, files=[path])
    assert len(caught.value.errors) == 5
    assert all(error.message.startswith(shorten(path)) for error in caught.value.errors)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    see = "\n  See 'shipsim rules GAME --toml' for a file to begin with."
    large = file_of(tmp_path, "#" * (sources.MAX_FILE + 1))
    for path, message in [
        ("no.toml", f"the file 'no.toml' does not exist.{see}"),
        (str(tmp_path), f"'{shorten(str(tmp_path))}' is a folder, not a file of rules.{see}"),
        ("a\0b", "the file 'a?b' cannot be read: "),
        ("a" * 5000, f"the file '{'a' * 67}...' cannot be read: "),
        (large, f"the file '{shorten(large)}' is larger than 1,000,000 bytes; rules need far less.{see}"),
    ]:
        with pytest.raises(UsageError) as caught:
            sources.load_toml(path)
        assert str(caught.value).startswith(message)


def test_tables_that_somebody_else_reads() -> None:
    study = {"game": "my-ship-sails", "rules": {"trim": "none"}, "sweep": {"design": "each"}}
    source = sources.from_document(SHIP, study, "study.toml", tables=("sweep",), firm=True)
    with pytest.raises(UsageError) as caught:
        plan(SHIP, [source], parse_axes(SHIP, ["trim"]))
    assert caught.value.message == "rule 'trim' is both set and varied: study.toml trim=none and --vary trim."
