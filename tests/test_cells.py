"""Cells: which rule beats which, what is skipped, what is refused, and what an id stands for."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.grammar import parse_axes, parse_base
from simcore import cells, sources
from simcore.axes import link_axis, make_axis
from simcore.cells import Cell, Plan, cell_from, complete, make_cell, plan, slug
from simcore.errors import DataError, ShipsimError, UsageError
from simcore.games import GAMES, load
from tests.twins import random_rules, random_seats

SHIP = load("my-ship-sails")
AHOI = load("ahoi")
SKULL = load("skull-king")
SEE = "See 'shipsim rules my-ship-sails'."


def made(*vary: str, game: Any = SHIP, design: str = "grid", **base: Any) -> Plan:
    return plan(game, parse_base(game, **base), parse_axes(game, vary), design)


def refused(*vary: str, **named: Any) -> str:
    with pytest.raises(UsageError) as caught:
        made(*vary, **named)
    return str(caught.value)


def column(found: Plan, name: str) -> list[Any]:
    return [getattr(cell.rules, name) for cell in found.cells]


def file_of(tmp_path: Path, text: str | bytes, name: str = "house.toml") -> str:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


# ---- precedence


def test_later_beats_earlier(tmp_path: Path) -> None:
    house = file_of(tmp_path, "match_target = 7\nmax_passes = 70")
    # max_passes: default 200; match_target: race-to-five says 5.
    assert column(made(), "match_target") == [3]
    assert column(made(presets=["race-to-five"]), "match_target") == [5]
    assert column(made(presets=["race-to-five"], files=[house]), "match_target") == [7]
    assert column(made(files=[house], settings=["match_target=9"]), "match_target") == [9]
    assert column(made("match_target=1,2", files=[house]), "match_target") == [1, 2]
    assert column(made("match_target=1,2", presets=["race-to-five"]), "match_target") == [1, 2]
    assert column(made("preset=classic,pass-two", files=[house]), "match_target") == [7, 7]
    assert column(made("preset=classic,pass-two", presets=["race-to-five"]), "match_target") == [3, 5]
    assert column(made("preset=pass-two,race-to-five", settings=["match_target=9"]), "pass_count") == [2, 1]


def test_presets_combine_in_order() -> None:
    assert column(made(presets=["pass-two+race-to-five"]), "match_target") == [5]
    assert made(presets=["pass-two", "race-to-five"]).cells == made(presets=["pass-two+race-to-five"]).cells
    reset = made(presets=["ochse+pass-two+classic"]).cells[0].rules
    assert reset == SHIP.Rules(players=4)
    assert column(made(presets=["ochse+classic"], settings=["players=5"]), "players") == [5]


def test_strategy_precedence(tmp_path: Path) -> None:
    house = file_of(tmp_path, 'strategy = "random"')
    assert str(made().cells[0].seats[0]) == "adaptive:discard=shortest"
    assert str(made(files=[house]).cells[0].seats[3]) == "random"
    assert str(made(files=[house], strategy="watcher").cells[0].seats[3]) == "watcher:discard=shortest"
    assert [c.varied["strategy"] for c in made("strategy=watcher,random", files=[house]).cells] == ["watcher", "random"]


# ---- designs, skipping, notes


def test_grid_moves_the_first_axis_slowest() -> None:
    found = made("pass_count=1,2", "direction=left,right")
    assert [cell.varied for cell in found.cells] == [
        {"pass_count": "1", "direction": "left"},
        {"pass_count": "1", "direction": "right"},
        {"pass_count": "2", "direction": "left"},
        {"pass_count": "2", "direction": "right"},
    ]


def test_each_makes_one_change_at_a_time() -> None:
    found = made("pass_count=1..3", "direction=left,right", design="each")
    assert [tuple(cell.varied.values()) for cell in found.cells] == [
        ("1", "left"),
        ("2", "left"),
        ("3", "left"),
        ("1", "right"),
    ]


def test_linked_axes_move_together() -> None:
    found = made("hand_size:players=7:4,6:5", "strategy=random,adaptive")
    assert column(found, "players") == [4, 4, 5, 5]
    assert [len(cell.seats) for cell in found.cells] == [4, 4, 5, 5]


def test_forbidden_combinations_are_skipped_and_noted() -> None:
    found = made("players=7,8", "hand_size=7,6")
    assert column(found, "players") == [7, 7, 8]
    assert found.skipped == (
        cells.Skipped(
            {"players": "8", "hand_size": "7"},
            "8 players with hand_size 7 need 56 cards, the standard deck has 52: 4 missing.",
        ),
    )
    assert found.notes == ("the rulebook's own range is 4 to 7 players, not 8",)


def test_skipped_baseline() -> None:
    reason = "8 players with hand_size 7 need 56 cards, the standard deck has 52: 4 missing."
    first = f"the baseline (players=8, hand_size=7) cannot be played: {reason}"
    found = made("players=8,4", "hand_size=7,6")
    assert found.notes[0] == f"{first} The first cell that is left takes its place."
    assert refused("players=8,4", "hand_size=7,6", design="each") == (
        f"{first}\n  Put values first that can be played together: they are what changes start from."
    )


def test_axis_may_mend_the_base() -> None:
    assert column(made("players=4,5", settings=["hand_size=13"]), "players") == [4]


def test_no_cell_is_left() -> None:
    assert refused("players=5..6", settings=["hand_size=13"]) == (
        "no cell is left: none of the 2 combinations can be played.\n"
        "  5 players with hand_size 13 need 65 cards, the standard deck has 52: 13 missing.\n"
        "  6 players with hand_size 13 need 78 cards, the standard deck has 52: 26 missing.\n"
        f"  {SEE}"
    )


def test_deck_too_small() -> None:
    message = (
        "these rules cannot be played: 8 players with hand_size 7 need 56 cards, the standard deck has 52: 4 missing."
    )
    assert refused(settings=["players=8"]) == f"{message}\n  {SEE}"
    with pytest.raises(UsageError, match="4 missing"):
        sources.build_rules(SHIP, sources.from_settings(SHIP, {"players": 8}.items()))


# ---- one entry a seat


def test_lists_must_fit_the_players() -> None:
    hint = "Give one entry for all seats, or one a seat joined by +.\n  See 'shipsim rules my-ship-sails call_speed'."
    message = f"rule 'call_speed' has 3 entries, but there are 4 players.\n  {hint}"
    assert refused(settings=["call_speed=1+2+3"]) == message
    assert refused("call_speed=1,1+2+3") == message
    assert refused("pass_count=1,2", settings=["call_speed=1+2+3"]) == message
    # Equal entries stand for one, but only if there is one for each.
    assert refused(settings=["call_speed=1+1"]).startswith("rule 'call_speed' has 2 entries, but there are 4 players.")
    assert refused(strategy="random+adaptive") == (
        "strategy 'random+adaptive' names 2 seats, but there are 4 players.\n"
        "  Give one strategy for all seats, or one a seat joined by +.\n"
        "  See 'shipsim strategies my-ship-sails'."
    )


def test_lists_skip_other_numbers_of_players() -> None:
    found = made("players=4..6", settings=["call_speed=1+2+3+4"])
    assert column(found, "players") == [4]
    assert [skip.reason for skip in found.skipped] == [
        "rule 'call_speed' has 4 entries, but there are 5 players.",
        "rule 'call_speed' has 4 entries, but there are 6 players.",
    ]
    found = made("players=4..6", "strategy=random,adaptive+random+random+random")
    assert column(found, "players") == [4, 4, 5, 6]
    assert found.skipped[0].reason == (
        "strategy 'adaptive+random+random+random' names 4 seats, but there are 5 players."
    )


def test_equal_entries_are_one() -> None:
    one, all_seats = made(settings=["call_speed=2"]).cells[0], made(settings=["call_speed=2+2+2+2"]).cells[0]
    assert one == all_seats
    assert made(strategy="random").cells == made(strategy="random+random+random+random").cells
    assert made("call_speed=1+1+1+1,2").cells[0].rules.call_speed == (1.0,)


# ---- what overrides what


@pytest.mark.parametrize(
    ("vary", "base", "message"),
    [
        (
            ["pass_count=1,2"],
            {"settings": ["pass_count=1"]},
            "rule 'pass_count' is both set and varied: --set pass_count=1 and --vary pass_count=1,2.\n"
            "  Leave one of them out.",
        ),
        (
            ["strategy=random,watcher"],
            {"strategy": "random"},
            "the strategy is both set and varied: --strategy random and --vary strategy=random,watcher.\n"
            "  Leave one of them out.",
        ),
        (
            ["pass_count=1,2", "pass_count:direction=3:left,3:right"],
            {},
            "'pass_count' is varied twice: by --vary pass_count=1,2 and by "
            "--vary pass_count:direction=3:left,3:right.\n  One would override the other: leave one of them out.",
        ),
        (
            ["preset=classic,ochse", "players=3..5"],
            {},
            "'players' is varied twice: by --vary preset=classic,ochse (preset ochse sets it) and by "
            "--vary players=3..5.\n"
            "  One would override the other: leave one out, or link them as preset:players=PRESET:VALUE,...",
        ),
        (
            ["trim=none,lowest", "preset=classic,pass-two+whole-deck"],
            {},
            "'trim' is varied twice: by --vary preset=classic,pass-two+whole-deck (preset whole-deck sets it) and by "
            "--vary trim=none,lowest.\n"
            "  One would override the other: leave one out, or link them as preset:trim=PRESET:VALUE,...",
        ),
        (
            ["preset=classic,my-star-shines"],
            {},
            "two cells have equal rules and strategies: preset=classic and preset=my-star-shines.\n"
            "  Leave one of them out.",
        ),
        (
            ["preset=classic,pass-two"],
            {"settings": ["pass_count=3"]},
            "two cells have equal rules and strategies: preset=classic and preset=pass-two.\n"
            "  What comes after the preset beats it: --set pass_count=3.\n  Leave one of them out.",
        ),
        (
            ["call_speed=2,2+2+2+2"],
            {},
            "two cells have equal rules and strategies: call_speed=2 and call_speed=2+2+2+2.\n  Leave one of them out.",
        ),
        (
            ["max_passes=1..1000", "match_target=1..100", "pass_count=1..3"],
            {},
            "the sweep has 300,000 cells; at most 100,000 are allowed.\n"
            "  Vary fewer values, or one change at a time with --design each.",
        ),
    ],
)
def test_conflicts(vary: list[str], base: dict[str, Any], message: str) -> None:
    assert refused(*vary, **base) == message


def test_reset_is_no_conflict() -> None:
    assert len(made("preset=classic,pass-two", "players=4..6").cells) == 6
    found = made("preset=classic,stacking", "joker=swap,colour", game=AHOI)
    assert [cell.rules.joker.name.lower() for cell in found.cells] == ["swap", "colour", "swap", "colour"]
    assert refused("preset=classic,party", "joker=swap,colour", game=AHOI).startswith(
        "'joker' is varied twice: by --vary preset=classic,party (preset party sets it) and by"
    )
    # What comes before a reset has no say.
    assert len(made("preset=classic,ochse+classic+pass-two", "players=4..5").cells) == 4


def test_rule_linked_to_a_preset_is_no_conflict() -> None:
    found = made("preset:trim=classic:highest,whole-deck:lowest")
    assert [trim.name for trim in column(found, "trim")] == ["HIGHEST", "LOWEST"]


def test_unknown_design() -> None:
    assert refused("trim", design="eech") == "'eech' is not a design. Did you mean 'each'?\n  Values: grid, each."


# ---- ids


def test_ids_do_not_change() -> None:
    """An id is the name of saved results: if this fails, saved runs have lost theirs."""
    cell = made("players=4", "pass_count=2").cells[0]
    assert re.fullmatch(r"players-4-pass_count-2-[0-9a-f]{8}", cell.id)
    written = {
        "game": "my-ship-sails",
        "rules": {**complete(cell)["rules"], "call_speed": 1.0, "trim": "lowest"},
        "strategies": "adaptive:discard=shortest",
    }
    assert {"id": cell.id, "varied": cell.varied, **written} == complete(cell)
    assert made().cells[0].id == "my-ship-sails-ddb322f5"
    assert made(settings=["pass_count=2"]).cells[0].id[-8:] == cell.id[-8:]
    assert made(strategy="adaptive+adaptive+adaptive+random").cells[0].id[-8:] != made().cells[0].id[-8:]


@pytest.mark.parametrize(
    ("varied", "text"),
    [
        ({}, "my-ship-sails"),
        ({"players": "4", "pass_count": "2"}, "players-4-pass_count-2"),
        ({"overlook": "0.1"}, "overlook-0_1"),
        ({"preset": "party+deck-108"}, "preset-party-deck-108"),
        ({"strategy": "../Bots/Ä b.py:f"}, "strategy-__-bots-b_py-f"),
        ({"strategy": "x" * 500}, "strategy-" + "x" * (cells.MAX_SLUG - 9)),
    ],
)
def test_slug(varied: dict[str, str], text: str) -> None:
    assert slug(SHIP, varied) == text


@pytest.mark.parametrize("name", GAMES)
def test_saved_cells_come_back(name: str) -> None:
    game, rng = load(name), random.Random(5)
    seen: dict[str, Cell] = {}
    for _ in range(100):
        rules = random_rules(name, rng)
        cell = make_cell(game, rules, random_seats(name, rules.players, rng))
        saved = json.loads(json.dumps(complete(cell)))
        assert cell_from(saved) == cell
        assert re.fullmatch(r"[a-z0-9_-]+-[0-9a-f]{8}", cell.id)
        assert seen.setdefault(cell.id, cell) == cell


def test_word_outside_the_numbers_comes_back() -> None:
    cell = made(game=AHOI, presets=["draw-until"]).cells[0]
    assert complete(cell)["rules"]["draw_count"] == "until_playable"
    assert cell_from(complete(cell)) == cell


def damaged(cell: Cell, *path: str, value: Any = None, drop: bool = False) -> Any:
    saved = copy.deepcopy(complete(cell))
    inner: Any = saved
    for key in path[:-1]:
        inner = inner[key]
    if drop:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return saved


def test_damaged_cells_are_refused() -> None:
    cell = made("pass_count=2").cells[0]
    what = f"manifest.json, cell '{cell.id}'"
    for saved, message in [
        ([], "manifest.json: a cell must have exactly the keys id, varied, game, rules, strategies."),
        (damaged(cell, "id", drop=True), "manifest.json: a cell must have exactly the keys"),
        (damaged(cell, "more", value=1), "manifest.json: a cell must have exactly the keys"),
        (damaged(cell, "id", value=3), "manifest.json, cell '3': 'id' is of the wrong kind."),
        (damaged(cell, "id", value="../x-12345678"), "manifest.json, cell '../x-12345678': its rules and strategies"),
        (damaged(cell, "rules", value=[]), f"{what}: 'rules' is of the wrong kind."),
        (damaged(cell, "game", value="chess"), f"{what}: there is no game 'chess'."),
        (damaged(cell, "strategies", value=[1]), f"{what}: 'varied' and 'strategies' must hold text."),
        (damaged(cell, "strategies", value=[]), f"{what}: the list of strategies is empty."),
        (damaged(cell, "strategies", value="none"), f"{what}: 'none' is not a strategy of my-ship-sails."),
        (damaged(cell, "varied", "x", value=1), f"{what}: 'varied' and 'strategies' must hold text."),
        (damaged(cell, "rules", "trim", drop=True), f"{what}: rule 'trim' is missing."),
        (damaged(cell, "rules", "trimm", value=1), f"{what}: 'trimm' is not a rule of my-ship-sails."),
        (damaged(cell, "rules", "players", value=99), f"{what}: '99' is not a value of rule 'players'."),
        (damaged(cell, "rules", "players", value={}), f"{what}: rule 'players' takes one value, not {{}}."),
        (damaged(cell, "rules", "players", value=8), f"{what}: these rules cannot be played: 8 players"),
        (damaged(cell, "rules", "call_speed", value=[1, 2]), f"{what}: rule 'call_speed' has 2 entries"),
        (damaged(cell, "rules", "players", value=5), f"{what}: its rules and strategies belong to another id"),
    ]:
        with pytest.raises(DataError) as caught:
            cell_from(saved)
        assert caught.value.message.startswith(message)
        assert caught.value.exit_code == 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(JSON, st.sampled_from(["", "id", "game", "rules", "strategies", "varied", *SHIP.Rules._fields]))
def test_any_damage_is_a_data_error(value: Any, key: str) -> None:
    cell = made().cells[0]
    saved = value if not key else damaged(cell, *(["rules"] if key in SHIP.Rules._fields else []), key, value=value)
    with contextlib.suppress(DataError):
        assert cell_from(saved).id == cell.id


# ---- Python's values


def test_values_of_python() -> None:
    assert make_axis(SHIP, "players", range(4, 7)).values == ((4,), (5,), (6,))
    assert make_axis(SHIP, ("players", "hand_size"), [(4, 7), (5, "6")]).values == ((4, 7), (5, 6))
    assert make_axis(SHIP, "call_speed", [1, [1, 2, 3, 4]]).values == (((1.0,),), ((1.0, 2.0, 3.0, 4.0),))
    assert make_axis(SHIP, "preset", ["classic", ["ochse", "pass-two"]]).values[1] == (("ochse", "pass-two"),)
    assert make_axis(SKULL, "rounds", ["classic", [1, 2, 3]]).values[1] == ((1, 2, 3),)
    assert link_axis(SHIP, {"players": range(4, 6), "hand_size": [7, 6]}).values == ((4, 7), (5, 6))
    assert link_axis(SHIP, {"trim": ["none", "lowest"]}).names == ("trim",)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"players": [4, 5], "hand_size": [7]},
            "axis: linked rules need equally many values, but 'players' has 2, 'hand_size' has 1.\n"
            "  Rules that do not move together need an axis each.",
        ),
        ({"players": []}, "axis 'players' has no values."),
        ({"players": "4"}, "axis: give a list of values for 'players'."),
        ({"players": 4}, "axis: give a list of values for 'players'."),
        (
            {"strategy": [4]},
            "axis 'strategy': values of 'strategy' are texts, not 4.\n  See 'shipsim strategies my-ship-sails'.",
        ),
    ],
)
def test_columns_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        link_axis(SHIP, columns)
    assert str(caught.value) == message


PIECES = ["players=4", "players=2..5", "pass_count=1,2", "trim", "preset=classic,pass-two", "preset=ochse,whehee",
          "hand_size=3..13", "strategy=random,adaptive", "call_speed=1,1+2+3+4", "players:deck=4:skat,3:standard",
          "preset:players=classic:3,ochse:4", "hand_size:trim=8:none,9:lowest"]  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=3), st.lists(st.sampled_from(list(SHIP.PRESETS)), max_size=3),
       st.sampled_from(["grid", "each"]))  # fmt: skip
def test_every_plan_is_sound(vary: list[str], presets: list[str], design: str) -> None:
    try:
        found = made(*vary, presets=presets, design=design)
    except ShipsimError:
        return
    assert found.cells
    assert len({cell.id[-8:] for cell in found.cells}) == len(found.cells)
    for cell in found.cells:
        assert not SHIP.check(cell.rules)
        assert len(cell.seats) == cell.rules.players
        assert cell_from(complete(cell)) == cell
