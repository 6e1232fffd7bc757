"""Digests of twelve small runs, which guard the engine's version; `tests.test_games` compares and writes them."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import simcore
from simcore import games, log
from simcore.record import counts_dtype, tally_dtype
from simcore.strategies import read_seats
from tests.kernels import Case, play

DIGESTS = Path(__file__).with_name("data") / "digests.json"

RUNS: dict[str, list[tuple[dict[str, Any], str]]] = {
    "ahoi": [
        ({}, "keeper+random+hunter+careful"),
        ({"preset": ["literal", "stacking"], "players": 5, "joker": "swap", "match_rounds": 3}, "highest"),
        ({"preset": ["party", "family"], "players": 3, "jump_in": "identical", "multi_discard": True,
          "seven_zero": True, "scoring": "winner_collects"}, "hunter+newest+keeper"),
        ({"preset": "deck-112-flat", "players": 2, "joker": "dump_colour", "start_card": "apply", "must_play": False,
          "draw_four_challenge": True, "draw_four_only_if_stuck": True, "match_points": 300, "match_rounds": 20},
         "random+careful"),
    ],
    "skull-king": [
        ({}, "count/contract"),
        ({"preset": "full", "players": 6, "tied_match": "last_round"},
         "count/counter+random/random+zero/spoiler+calibrated/contract+count/spoiler+random/counter"),
        ({"preset": ["advanced", "cannonball"], "players": 3, "bidding": "sequential", "first_leader": "random"},
         "count/spoiler"),
        ({"players": 2, "graybeard": True, "bonus_when": "always", "rounds": [2, 3, 4]}, "rollout/contract:samples=4"),
    ],
    "my-ship-sails": [
        ({}, "adaptive+stubborn+watcher+hesitant"),
        ({"preset": "pass-two", "players": 6, "trim_suits": "random", "simultaneous": "high_card", "max_passes": 60},
         "patient:patience=2:discard=random"),
        ({"preset": "ochse", "overlook": 0.25, "max_rounds": 8, "fastest_bonus": 2}, "watcher:discard=newest"),
        ({"preset": "whehee", "players": 3, "direction": "alternate_passes", "dealt_flush": "redeal",
          "call_speed": [1, 2, 3], "dead_heat": 0.5}, "random+adaptive:discard=newest+stubborn:first_target=second"),
    ],
}  # fmt: skip
"""Four small runs a game: rules and strategies."""

MATCHES = 24


def digests_of(name: str) -> dict[str, dict[str, str]]:
    """Return a digest of every field that the small runs of a game add up."""
    found = {}
    for number, (values, strategy) in enumerate(RUNS[name], 1):
        rules = simcore.rules(name, **values)
        case = Case(name, rules, read_seats(games.load(name), strategy, rules.players), 20_26)
        played = play(case, 1000, MATCHES, 4)
        assert played[:2] == (log.DONE, MATCHES)
        fields = {field: played.tally[field] for field in tally_dtype(name).names or ()}
        fields |= {f"{field} distribution": played.counts[field] for field in counts_dtype(name).names or ()}
        found[f"{name} {number}"] = {
            field: hashlib.sha256(repr(numbers.tolist()).encode()).hexdigest()[:8] for field, numbers in fields.items()
        }
    return found


def saved_digests() -> dict[str, Any]:
    return json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {"engine_version": 0, "runs": {}}


def changed(saved: dict[str, Any], found: dict[str, dict[str, str]]) -> list[str]:
    """Return the fields whose digests are not those saved."""
    return [
        f"{run}: {field}"
        for run, fields in found.items()
        for field, digest in saved["runs"].get(run, {}).items()
        if fields.get(field, "gone") != digest
    ]


def write_digests(is_unreleased: bool) -> None:
    saved = saved_digests()
    found = {run: fields for name in games.GAMES for run, fields in digests_of(name).items()}
    differing = changed(saved, found)
    if differing and saved["engine_version"] == simcore.ENGINE_VERSION and not is_unreleased:
        sys.exit(f"these results changed, but ENGINE_VERSION is still {simcore.ENGINE_VERSION}: {'; '.join(differing)}")
    DIGESTS.write_text(json.dumps({"engine_version": simcore.ENGINE_VERSION, "runs": found}, indent=1) + "\n")
