"""The cards and the named choices of Skull King's rules.

Cards are numbered so that a larger number is a stronger card within the suits and within the specials:

======  =====================================================
number  card
======  =====================================================
0..41   plain suits: 3 * (n - 1) + suit; green 0, yellow 1, purple 2
42..55  black: 42 + (n - 1)
56..60  escapes
61, 62  Loot
63, 64  Kraken, White Whale
65      Tigress; as an escape she is written 74 where it matters
66, 67  mermaids
68..72  pirates: Rosie, Will, Rascal, Juanita, Harry
73      Skull King
======  =====================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simcore.strategies import Seat

CARDS = 74
SUITS = ("green", "yellow", "purple", "black")
BLACK = 42
ESCAPE = 56
LOOT = 61
KRAKEN = 63
WHALE = 64
TIGRESS = 65
MERMAID = 66
PIRATE = 68
ROSIE, WILL, RASCAL, JUANITA, HARRY = range(68, 73)
SKULL_KING = 73
TIGRESS_AS_ESCAPE = 74
"""How a Tigress declared an escape is written in tricks, logs and views; TIGRESS there is one as a pirate."""
PLAY_RULES = (
    *("suit_length", "escape_then_character", "character_led", "kraken", "white_whale", "loot", "kraken_leader"),
    *("whale_without_suits", "pirate_powers", "lead_rotation", "graybeard"),
)
"""The rules on which it depends how many tricks a hand takes."""
GHOST = 2
"""The seat of Graybeard, who plays with two players only."""


class ShortDeck(IntEnum):
    CLIP = 0
    ERROR = 1


class ZeroUses(IntEnum):
    ROUND = 0
    CARDS = 1


class Bidding(IntEnum):
    SIMULTANEOUS = 0
    SEQUENTIAL = 1
    DEALER_RESTRICTED = 2


class Scoring(IntEnum):
    SKULL_KING = 0
    RASCAL = 1
    RASCAL_CANNONBALL = 2


class SuitRule(IntEnum):
    NEXT_SUIT_CARD = 0
    NO_SUIT = 1


class TiedMatch(IntEnum):
    SHARED = 0
    LAST_ROUND = 1
    EXACT_BIDS = 2


class BonusWhen(IntEnum):
    EXACT = 0
    ALWAYS = 1
    NEVER = 2


class MermaidCaptor(IntEnum):
    PIRATE = 0
    ANY = 1


class KrakenLeader(IntEnum):
    WOULD_HAVE_WON = 0
    LEFT_OF_KRAKEN = 1


class WhaleWithoutSuits(IntEnum):
    VOID = 0
    FIRST_ESCAPE = 1


class LootRule(IntEnum):
    ALLIANCE = 0
    NONE = 1


class FirstLeader(IntEnum):
    RANDOM = 0
    FIXED = 1


class LeadRotation(IntEnum):
    LEFT = 0
    WINNER = 1


def nearer_deck(rules: Any) -> str:
    """Return for which rules the `calibrated` tables were learned that are nearer: by cards and powers, or classic."""
    full = rules.kraken + rules.white_whale + rules.loot / 2 + rules.pirate_powers
    return "full" if full > 2 else "classic"


def notes_on_learning(rules: Any, classic: Any) -> list[str]:
    """Return a remark if the rules of play are none of the two that the `calibrated` tables were learned for."""
    learned = {"kraken": 1, "white_whale": 1, "loot": 2, "pirate_powers": True} if nearer_deck(rules) == "full" else {}
    changed = [name for name in PLAY_RULES if getattr(rules, name) != learned.get(name, getattr(classic, name))]
    if not changed:
        return []
    return [
        f"a calibrated bid uses the tables learned for {nearer_deck(rules)}, the nearer ({', '.join(changed)} differ)"
    ]


GROUPS = {
    "Table and rounds": "players",
    "Bidding and scoring": "bidding",
    "What must be followed": "suit_length",
    "Points": "tied_match",
    "Bonus": "bonus_when",
    "Advanced cards": "kraken",
    "Who leads": "first_leader",
    "Two players": "graybeard",
}
"""Where a new group begins in the list of rules: its heading, and its first rule."""

PLAIN_BIDS = ("random", "zero", "count", "calibrated")


def is_plain(rules: Any, seats: Sequence[Seat], bids: tuple[str, ...] = PLAIN_BIDS) -> bool:
    """Whether plain.py plays the rules and strategies."""
    return (
        rules.kraken + rules.white_whale + rules.loot == 0
        and not rules.pirate_powers
        and not rules.graybeard
        and rules.scoring != Scoring.RASCAL_CANNONBALL
        and not any(any(seat.own) for seat in seats)
        and all(seat.parts["bid"].name in bids and seat.parts["play"].name == "contract" for seat in seats)
    )


def is_plain_with_rollouts(rules: Any, seats: Sequence[Seat]) -> bool:
    """Whether plain.py plays the rules and strategies if it plays rollouts too."""
    return is_plain(rules, seats, (*PLAIN_BIDS, "rollout"))
