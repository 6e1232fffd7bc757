"""My Ship Sails.

Everybody holds `hand_size` cards of a pack that is cut so that nothing is left over (or dealt from the
whole pack). At each pass all players at once give `pass_count` cards to one neighbour and take as many
from the other. The first who holds a whole hand of one suit, a *flush*, and calls "My ship sails!" wins
the round. There is no stock and no discard pile; ranks matter only when flushes meet.

Seats are numbered to the left: passing left, seat i gives to seat i + 1. A *round* ends with a flush
that is called (at pass 0 if it was dealt), or as a *stalemate* after `max_passes`. A *match* is played
to `match_target` round wins. The first dealer is drawn; the deal moves one seat to the left after every
round, not after a redeal. The dealer matters in `sequential` only, where the dealer's left begins each
lap, whichever way the cards go.

Cards are numbered 13 * suit + rank; suits in the order clubs, diamonds, hearts, spades, ranks from 0 for
the two to 12 for the ace.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from simcore.declare import SHARE, Key, Metric, Rule, Span, Strategy

if TYPE_CHECKING:
    from simcore.strategies import Seat

NAME = "my-ship-sails"
TITLE = "My Ship Sails"
ABOUT = "everybody passes at once; the first whole hand of one suit wins the round"
ASSUMED = ()
MAX_PLAYERS = 13
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SUITS = ("clubs", "diamonds", "hearts", "spades")


class Deck(IntEnum):
    STANDARD = 0
    SKAT = 1


class Trim(IntEnum):
    LOWEST = 0
    HIGHEST = 1
    NONE = 2


class TrimSuits(IntEnum):
    FIXED = 0
    RANDOM = 1


class PassMode(IntEnum):
    SIMULTANEOUS = 0
    SEQUENTIAL = 1


class Direction(IntEnum):
    LEFT = 0
    RIGHT = 1
    ALTERNATE_ROUNDS = 2
    ALTERNATE_PASSES = 3


class Simultaneous(IntEnum):
    FIRST_CALL = 0
    HIGH_CARD = 1


class DealtFlush(IntEnum):
    WINS = 0
    REDEAL = 1


class Discard(IntEnum):
    SHORTEST = 0
    RANDOM = 1
    NEWEST = 2


class FirstTarget(IntEnum):
    BEST = 0
    SECOND = 1


class Rules(NamedTuple):
    players: Annotated[int, Rule("seats at the table", "rulebook: 4 to 7", Span(2, 13))] = 4
    deck: Annotated[
        Deck, Rule("the pack: standard 2..A, or skat 7..A", "rulebook: standard; its Austrian variant: skat")
    ] = Deck.STANDARD
    hand_size: Annotated[int, Rule("cards in a hand, and in a flush", "rulebook: seven", Span(3, 13))] = 7
    trim: Annotated[
        Trim,
        Rule(
            "from which end the pack is cut to players x hand_size cards: whole ranks, then single cards of the "
            "next rank in the order clubs, diamonds, hearts, spades; none: deal from the whole pack, the rest stays "
            "unseen",
            "rulebook: lowest first (it also says 2-8 for four players, which differs in the labels only)",
        ),
    ] = Trim.LOWEST
    trim_suits: Annotated[
        TrimSuits,
        Rule("which suits lose a single card: always the first ones, or drawn for each match", "silent: fixed"),
    ] = TrimSuits.FIXED
    pass_mode: Annotated[
        PassMode,
        Rule(
            "all at once; or in turn from the dealer's left, each seeing what it received before it passes on, and "
            "one pass is then a lap. In turn only the receiver is checked for a flush, among all cards it holds",
            "rulebook: simultaneous; older relatives: sequential",
        ),
    ] = PassMode.SIMULTANEOUS
    pass_count: Annotated[
        int, Rule("cards given at each pass, fewer than hand_size", "rulebook: one; variant: two", Span(1, 3))
    ] = 1
    direction: Annotated[
        Direction,
        Rule(
            "to which neighbour cards go; the alternating ones begin to the left in round 1 of a match "
            "(stalemates count), or in pass 1 of a round",
            "rulebook: left; variants: right, alternating rounds",
        ),
    ] = Direction.LEFT
    simultaneous: Annotated[
        Simultaneous,
        Rule(
            "several flushes called at one pass: the first caller wins, or the higher cards do, compared from the "
            "top; equal ranks throughout: drawn uniformly among the equal",
            "rulebook: first call, and the high card when calls are simultaneous",
        ),
    ] = Simultaneous.FIRST_CALL
    dead_heat: Annotated[
        float,
        Rule("chance that several calls count as simultaneous, so that the high card decides", "silent", Span(0, 1)),
    ] = 0.0
    call_speed: Annotated[
        tuple[float, ...],
        Rule(
            "how fast a seat calls: the first caller is drawn in proportion",
            "no source; equal speeds",
            Span(0, math.inf, above=True),
            length=MAX_PLAYERS,
            per_seat=True,
        ),
    ] = (1.0,)
    overlook: Annotated[
        float,
        Rule(
            "chance that a holder of a flush does not notice it; drawn anew for each holder at each check, the deal "
            "too; the player then plays on",
            "a child's slip",
            Span(0, 1),
        ),
    ] = 0.0
    dealt_flush: Annotated[
        DealtFlush,
        Rule("a flush in a dealt hand wins at pass 0, or the cards are dealt again, noticed or not", "silent: wins"),
    ] = DealtFlush.WINS
    max_passes: Annotated[
        int, Rule("passes (or laps) after which the round is a stalemate", "no source", Span(1, 100_000))
    ] = 200
    match_target: Annotated[int, Rule("round wins that end the match", "rulebook: 3 or 5", Span(1, 100))] = 3
    max_rounds: Annotated[
        int,
        Rule(
            "rounds, stalemates included, after which the match ends: a unique highest total wins, else nobody",
            "no source",
            Span(1, 10_000),
        ),
    ] = 200
    fastest_bonus: Annotated[
        int,
        Rule(
            "points added at the end of the match for the round won in the fewest passes, the first on a tie; the "
            "highest total wins, whoever reached the target wins a tie; it never counts towards the target",
            "rulebook: some house rules give one",
            Span(0, 10),
        ),
    ] = 0


GROUPS = {
    "Table and pack": "players",
    "Passing": "pass_mode",
    "The call": "simultaneous",
    "Ends": "max_passes",
}
"""Where a new group begins in the list of rules: its heading, and its first rule."""


class Parameters(NamedTuple):
    discard: Annotated[
        Discard,
        Rule(
            "which card outside the target goes: shortest, of the suit held least, its lowest; random, any; newest, "
            "the one received last"
        ),
    ] = Discard.SHORTEST
    first_target: Annotated[FirstTarget, Rule("the target: the suit held most, or the best of the other three")] = (
        FirstTarget.BEST
    )
    patience: Annotated[
        int, Rule("passes without a new target card before another target is taken", span=Span(1, 100_000))
    ] = 10
    hesitation: Annotated[int, Rule("passes made at random before a target is chosen", span=Span(0, 100_000))] = 2


PRESETS: dict[str, dict[str, Any]] = {
    "classic": {name: value for name, value in Rules()._asdict().items() if name != "players"},
    "my-star-shines": {name: value for name, value in Rules()._asdict().items() if name != "players"},
    "pass-two": {"pass_count": 2},
    "pass-right": {"direction": Direction.RIGHT},
    "alternating": {"direction": Direction.ALTERNATE_ROUNDS},
    "ochse": {"deck": Deck.SKAT, "players": 4, "hand_size": 8, "pass_mode": PassMode.SEQUENTIAL},
    "whehee": {"hand_size": 3, "trim": Trim.NONE, "pass_mode": PassMode.SEQUENTIAL},
    "whole-deck": {"trim": Trim.NONE},
    "race-to-five": {"match_target": 5},
    "fastest-bonus": {"fastest_bonus": 2},
}
PRESET_NOTES = {
    "classic": "every rule at its default, whatever came before; the number of players stays",
    "my-star-shines": "the same game under another of its names",
    "pass-two": "two cards at each pass",
    "pass-right": "cards go to the right",
    "alternating": "rounds go left and right in turn",
    "ochse": "Ochse, leg dich!: four players, 32 cards, all eight of a suit, passing in turn",
    "whehee": "the old three-card game: three of a suit, the whole pack, passing in turn",
    "whole-deck": "seven cards each from 52, the rest unseen",
    "race-to-five": "a match to five",
    "fastest-bonus": "two points for the fastest round of the match (one could never change who wins)",
}

PARTS = {"style": "adaptive"}
STRATEGIES = {
    "style": (
        Strategy("random", "passes cards at random"),
        Strategy(
            "stubborn",
            "takes the suit held most at the deal as its target for the whole round",
            ("discard", "first_target"),
        ),
        Strategy(
            "adaptive",
            "moves its target before a pass to the suit held most, if it holds strictly more of that one",
            ("discard",),
        ),
        Strategy(
            "patient",
            "as adaptive, and gives up a target (barring it from return) that has not grown for `patience` passes",
            ("discard", "patience"),
        ),
        Strategy(
            "hesitant",
            "passes at random for `hesitation` passes, then chooses a target and goes on as adaptive",
            ("discard", "hesitation"),
        ),
        Strategy(
            "watcher",
            "as adaptive, but among equal candidates it passes a suit of which a card it had passed came back",
            ("discard",),
        ),
    )
}

COUNTS: dict[str, tuple[str, ...]] = {
    "matches": (),
    "rounds": (),
    "ended": (),
    "turns": (),
    "led_rounds": (),
    "won_matches": (),
}
"""Matches; rounds; rounds that ended with a call; passes made by a player; ended rounds with a leader at
half time; matches with at least one round won."""

METRICS = (
    Metric("match_win", "matches won", by=("seat",), scale=SHARE, rate=True),
    Metric("match_tie", "matches with a shared win (there are none in this game)", rate=True),
    Metric("no_winner", "matches without a winner", rate=True),
    Metric("choice_turns", "a player's passes with at least two possible choices", per="turns", rate=True),
    Metric("round_win", "rounds won, per round, stalemates included", per="rounds", by=("seat",), rate=True),
    Metric("stalemate", "rounds that nobody wins", per="rounds", rate=True),
    Metric("passes", "passes (or laps) of a round that ended with a call", per="ended", values=(0, 4095), negligible=1),
    Metric("multiple_flush", "ended rounds with more than one caller", per="ended", rate=True),
    Metric("dealt_flush", "ended rounds won at pass 0", per="ended", rate=True),
    Metric("rounds", "rounds of a match, stalemates included", values=(1, 4096)),
    Metric("points", "round wins and bonus at the end of a match", by=("seat",), values=(0, 110)),
    Metric(
        "best_suit_count", "cards of the suit held most when a round ends", per="rounds", by=("seat",), values=(0, 13)
    ),
    Metric("initial_best_count", "cards of the suit held most in the deal", per="rounds", by=("seat",), values=(0, 13)),
    Metric("off_suit_cards", "cards outside the suit held most when a round ends", per="rounds", by=("seat",)),
    Metric("fastest", "passes of the match's fastest won round", per="won_matches", values=(0, 4095)),
    Metric(
        "half_time_leader_won",
        "ended rounds won by the player who alone held most of a suit at half time; per round with such a leader",
        per="led_rounds",
        rate=True,
    ),
    Metric(
        "flush_holders",
        "players looked at who hold a flush when a round ends with a call (in turn: the receiver)",
        per="ended",
        values=(1, 13),
    ),
    Metric("flush_callers", "players who call a flush when a round ends with a call", per="ended", values=(1, 13)),
    Metric("winning_suit", "ended rounds won with the suit", per="ended", by=("suit",), rate=True),
    Metric("deal_4300", "hands of a deal with four cards of one suit and three of another", per="rounds"),
    Metric("win_from_4300", "rounds won by a player dealt 4-3-0-0; per hand so dealt", per="deal_4300", rate=True),
)

KEYS = {"seat": Key(MAX_PLAYERS), "suit": Key(4, labels=SUITS)}

MAX_PLAIN_PLAYERS = 8


def is_plain(rules: Rules, seats: Sequence[Seat]) -> bool:
    """Whether plain.py plays the rules and strategies, which must have passed `check`."""
    styles = ("stubborn", "adaptive", "random") if rules.pass_count == 1 else ("stubborn", "adaptive")
    return (
        rules.players <= MAX_PLAIN_PLAYERS
        and rules.pass_mode == PassMode.SIMULTANEOUS
        and rules.direction != Direction.ALTERNATE_PASSES
        and rules.simultaneous == Simultaneous.FIRST_CALL
        and rules.dead_heat == 0
        and rules.overlook == 0
        and all(
            seat.parts["style"].name in styles
            and not any(seat.own)
            and seat.parameters["discard"] == Discard.SHORTEST
            and seat.parameters["first_target"] == FirstTarget.BEST
            for seat in seats
        )
    )


FASTER = {"play_plain": is_plain}
LONGEST = "passes"
CLOSEST: str | None = None
DEFICIT: str | None = None


class Pack(NamedTuple):
    """The cards in play: whole ranks `low`..`high`, and of rank `edge` (or -1) all but `short` suits."""

    low: int
    high: int
    edge: int
    short: int

    @property
    def size(self) -> int:
        return 4 * (self.high - self.low + 1) + (4 - self.short if self.edge >= 0 else 0)

    @property
    def longest_suit(self) -> int:
        return self.high - self.low + 1 + (self.edge >= 0)


def pack(rules: Rules) -> Pack:
    """Return the cards in play after the cut."""
    lowest = 0 if rules.deck == Deck.STANDARD else 5
    whole = Pack(lowest, 12, -1, 0)
    too_many = whole.size - rules.players * rules.hand_size
    if rules.trim == Trim.NONE or too_many <= 0:
        return whole
    ranks, short = divmod(too_many, 4)
    if rules.trim == Trim.LOWEST:
        low = lowest + ranks
        return Pack(low + 1, 12, low, short) if short else Pack(low, 12, -1, 0)
    high = 12 - ranks
    return Pack(lowest, high - 1, high, short) if short else Pack(lowest, high, -1, 0)


def check(rules: Rules) -> list[str]:
    """Return the reasons why the rules cannot be played together."""
    reasons = []
    cards = 52 if rules.deck == Deck.STANDARD else 32
    needed = rules.players * rules.hand_size
    name = rules.deck.name.lower()
    if needed > cards:
        reasons.append(
            f"{rules.players} players with hand_size {rules.hand_size} need {needed} cards, the {name} deck "
            f"has {cards}: {needed - cards} missing"
        )
    elif pack(rules).longest_suit < rules.hand_size:
        reasons.append(
            f"no suit in play has hand_size = {rules.hand_size} cards, so nobody could ever win: the longest has "
            f"{pack(rules).longest_suit} (players = {rules.players}, deck = {name}, "
            f"trim = {rules.trim.name.lower()})"
        )
    if rules.pass_count >= rules.hand_size:
        reasons.append(f"pass_count = {rules.pass_count} must be below hand_size = {rules.hand_size}")
    return reasons


def notes(rules: Rules, strategies: Collection[str] = ()) -> list[str]:
    """Return remarks on rules that can be played but that the rulebook does not know."""
    if not 4 <= rules.players <= 7:
        return [f"the rulebook's own range is 4 to 7 players, not {rules.players}"]
    return []


def key_sizes(rules: Rules) -> dict[str, int]:
    """Return how many values each key takes."""
    return {"seat": rules.players, "suit": 4}


TABLES: dict[str, tuple[int, ...]] = {"low_rank": (), "high_rank": (), "edge_rank": (), "short_suits": ()}


def fold(rules: Rules) -> dict[str, Any]:
    """Return the kernel's tables: the cards in play."""
    low, high, edge, short = pack(rules)
    return {"low_rank": low, "high_rank": high, "edge_rank": edge, "short_suits": short}
