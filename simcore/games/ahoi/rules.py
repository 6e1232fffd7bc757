"""Mein Schiff Ahoi.

A shedding game. Everybody is dealt `hand_size` cards, one card is turned up. In turn, beginning at the
dealer's left, a player lays a card that agrees with the top card in colour or in number, or a card
without a colour; who cannot, draws. Whoever lays the last card wins the round and gets a mark, the others
count what they hold; the fewest points win the match.

Coloured specials are Reverse, Skip and Draw 2; without a colour are Colour choice, Draw 2 + colour, Draw 4
+ colour and the Joker, whose meaning is a rule. Seats are numbered to the left. A *turn* is a play, a
draw, an answer to a stack, a jump-in, or one go of a Joker that plays again; to take draw cards or to
lose a turn is none. A *round* that reaches `max_turns` is a *stalemate*. How many cards of each kind there
are is a rule as well: the rulebook does not say it, so the default deck is an assumption.

Every random draw, and every reading chosen where the rules can be read in two ways, is in ``draws.md``.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from simcore.declare import SHARE, Key, Metric, Rule, Span, Strategy
from simcore.games.ahoi.cards import TABLES, check, fold, is_plain, notes
from simcore.games.ahoi.choices import (
    UNTIL_PLAYABLE,
    Joker,
    JumpIn,
    Matching,
    PlayDrawn,
    Scoring,
    SkipFollows,
    Stacking,
    StartCard,
    TwoPlayerReverse,
)

__all__ = [
    "ABOUT", "ASSUMED", "CLOSEST", "COUNTS", "DEFICIT", "FASTER", "GROUPS", "KEYS", "LONGEST", "MAX_PLAYERS", "METRICS",
    "NAME", "PARTS", "PRESETS", "PRESET_NOTES", "STRATEGIES", "TABLES", "TITLE", "Joker", "JumpIn", "Matching",
    "Parameters", "PlayDrawn", "Rules", "Scoring", "SkipFollows", "Stacking", "StartCard", "TwoPlayerReverse", "check",
    "fold", "key_sizes", "notes",
]  # fmt: skip

NAME = "ahoi"
TITLE = "Mein Schiff Ahoi"
ABOUT = "get rid of your cards by colour or number; the fewest points win"
ASSUMED = (
    "The rulebook does not say how many cards of each kind there are. The default deck (112 cards: per colour one 0 "
    "and two of each 1 to 9, Reverse, Skip and Draw 2; 4 Colour choice, 2 Draw 2 + colour, 4 Draw 4 + colour, 2 "
    "Jokers) is an assumption, and every absolute result depends on it.",
)
MAX_PLAYERS = 10

_COPIES = Span(0, 12)
_VALUE = Span(0, 100)
_DECK = "assumption: no public source gives the deck"
_HOUSE = "house rule; off"


class Rules(NamedTuple):
    players: Annotated[int, Rule("seats at the table", "the rulebook gives no range", Span(2, 10))] = 4
    hand_size: Annotated[int, Rule("cards dealt to each player", "rulebook: seven", Span(1, 15))] = 7
    colours: Annotated[int, Rule("colours of the deck", _DECK, Span(2, 6))] = 4
    lowest_number: Annotated[int, Rule("the lowest number on a card", _DECK, Span(0, 15))] = 0
    highest_number: Annotated[int, Rule("the highest number on a card", _DECK, Span(0, 15))] = 9
    copies_zero: Annotated[int, Rule("copies of the 0 in each colour, if there is a 0", _DECK, _COPIES)] = 1
    copies_number: Annotated[int, Rule("copies of every other number in each colour", _DECK, _COPIES)] = 2
    n_reverse: Annotated[int, Rule("Reverse cards in each colour", _DECK, _COPIES)] = 2
    n_skip: Annotated[int, Rule("Skip cards in each colour", _DECK, _COPIES)] = 2
    n_draw_two: Annotated[int, Rule("Draw 2 cards in each colour", _DECK, _COPIES)] = 2
    n_colour_choice: Annotated[int, Rule("Colour choice cards", _DECK, _COPIES)] = 4
    n_draw_two_colour: Annotated[int, Rule("Draw 2 + colour cards", _DECK, _COPIES)] = 2
    n_draw_four_colour: Annotated[int, Rule("Draw 4 + colour cards", _DECK, _COPIES)] = 4
    n_joker: Annotated[int, Rule("Jokers, unless joker = none", _DECK, _COPIES)] = 2
    on_reverse: Annotated[
        Matching, Rule("may a Reverse lie on a Reverse: never, of its colour only, or by its symbol", "rulebook: never")
    ] = Matching.NEVER
    on_skip: Annotated[Matching, Rule("the same for Skip on Skip", "rulebook: never")] = Matching.NEVER
    on_draw_two: Annotated[
        Matching, Rule("the same for Draw 2 on Draw 2, in stacks too", "rulebook silent: by the symbol")
    ] = Matching.ANY_COLOUR
    stacking: Annotated[
        Stacking,
        Rule(
            "whether a draw card may be answered, so that the sum moves on: not at all, with the same kind, or with "
            "any draw card. An answer needs no colour match (Draw 2 on Draw 2 obeys on_draw_two), and must be given "
            "under must_play; the last card's kind decides whether the taker loses the turn",
            "rulebook: none",
        ),
    ] = Stacking.NONE
    must_play: Annotated[
        bool, Rule("whether a player who can play (or answer) has to; otherwise drawing is allowed", "rulebook: true")
    ] = True
    draw_count: Annotated[
        int,
        Rule(
            "cards drawn by a player who does not play, of which one may then be played; until_playable: until a drawn "
            "card can be played",
            "rulebook: one",
            Span(1, 5),
            words={"until_playable": UNTIL_PLAYABLE},
        ),
    ] = 1
    play_drawn: Annotated[
        PlayDrawn, Rule("whether a drawn card that fits may, must or cannot be played at once", "rulebook: may")
    ] = PlayDrawn.MAY
    draw_colour_loses_turn: Annotated[
        bool,
        Rule(
            "whether Draw 2 + colour and Draw 4 + colour cost the turn, as Draw 2 does",
            "rulebook: said of the plain Draw 2 only; as such games have it",
        ),
    ] = True
    skip_follows: Annotated[
        SkipFollows,
        Rule(
            "whom a Skip hits: the next player in the direction of play, or the left neighbour, who then owes a turn "
            "that is lost when it comes",
            "rulebook: clockwise to the letter; in play direction as commonly played",
        ),
    ] = SkipFollows.PLAY_DIRECTION
    two_player_reverse: Annotated[
        TwoPlayerReverse, Rule("what a Reverse does with two players: nothing, or what a Skip does", "rulebook silent")
    ] = TwoPlayerReverse.NOTHING
    start_card: Annotated[
        StartCard,
        Rule(
            "a special card turned up at the start: goes back until a number comes, or stays without its symbol, or "
            "takes effect on the first player",
            "rulebook silent",
        ),
    ] = StartCard.NUMBER_ONLY
    draw_four_only_if_stuck: Annotated[
        bool, Rule("Draw 4 + colour only without a card of the current colour in the hand", "relatives of the game")
    ] = False
    draw_four_challenge: Annotated[
        bool,
        Rule(
            "that rule may be broken, and the victim challenges with chance 1/2: guilty, the bluffer draws instead; "
            "not guilty, the victim draws two more",
            _HOUSE,
        ),
    ] = False
    end_on_special: Annotated[bool, Rule("whether the last card may be a special card", "rulebook silent")] = True
    last_card_draws: Annotated[
        bool,
        Rule("whether the next player still draws when the last card is a draw card", "rulebook: ends at once"),
    ] = False
    joker: Annotated[
        Joker,
        Rule(
            "what a Joker does besides choosing a colour: nothing; may swap hands with a player of choice; must; must "
            "with the next player; all hands move one seat in play direction; all cards of the colour chosen go; the "
            "same player plays again; or it is not in the deck",
            "rulebook: agreed before the game, a swap as the example",
        ),
    ] = Joker.SWAP
    seven_zero: Annotated[
        bool, Rule("a 7 must swap hands with a player of choice, a 0 moves all hands one seat", _HOUSE)
    ] = False
    jump_in: Annotated[
        JumpIn, Rule("an identical card may be played out of turn: not, any card, or numbers only", _HOUSE)
    ] = JumpIn.OFF
    multi_discard: Annotated[bool, Rule("further cards of the number just played may go along", _HOUSE)] = False
    forget: Annotated[
        tuple[float, ...],
        Rule(
            "chance that the seat forgets to call its last card",
            "rulebook: a penalty exists; nobody forgets",
            Span(0, 1),
            length=MAX_PLAYERS,
            per_seat=True,
        ),
    ] = (0.0,)
    notice: Annotated[
        tuple[float, ...],
        Rule(
            "chance that the seat notices that another forgot to call",
            "no source; always",
            Span(0, 1),
            length=MAX_PLAYERS,
            per_seat=True,
        ),
    ] = (1.0,)
    forget_penalty: Annotated[int, Rule("cards drawn for a forgotten call", "rulebook: two", Span(0, 10))] = 2
    reshuffle: Annotated[
        bool, Rule("whether the discards below the top card become the pile when that is empty", "rulebook silent")
    ] = True
    max_turns: Annotated[
        int, Rule("turns after which a round stops at once as a stalemate", "no source", Span(1, 1_000_000))
    ] = 5000
    value_reverse: Annotated[int, Rule("points of a Reverse", "rulebook", _VALUE)] = 25
    value_skip: Annotated[int, Rule("points of a Skip", "rulebook", _VALUE)] = 25
    value_draw_two: Annotated[int, Rule("points of a Draw 2", "rulebook", _VALUE)] = 25
    value_draw_two_colour: Annotated[int, Rule("points of a Draw 2 + colour", "rulebook", _VALUE)] = 20
    value_draw_four_colour: Annotated[int, Rule("points of a Draw 4 + colour", "rulebook", _VALUE)] = 40
    value_colour_choice: Annotated[int, Rule("points of a Colour choice", "rulebook", _VALUE)] = 40
    value_joker: Annotated[int, Rule("points of a Joker", "rulebook", _VALUE)] = 50
    scoring: Annotated[
        Scoring,
        Rule(
            "everybody counts the own hand and the fewest points win, or the winner scores the others' hands and the "
            "most win (a stalemate then scores nothing)",
            "rulebook: the own hand",
        ),
    ] = Scoring.HAND_POINTS
    match_rounds: Annotated[
        int, Rule("rounds of a match; with match_points the most, unless it is 1", "rulebook: one", Span(1, 1000))
    ] = 1
    match_points: Annotated[
        int,
        Rule(
            "the match ends after the round in which somebody reaches so many points; 0: off",
            "no source; off",
            Span(0, 100_000),
        ),
    ] = 0


GROUPS = {
    "Table and deck": "players",
    "What fits on what": "on_reverse",
    "Drawing, and cards that attack": "stacking",
    "The last card": "end_on_special",
    "The Joker": "joker",
    "House rules of other tables": "seven_zero",
    "Forgetting to call": "forget",
    "The end of a round": "reshuffle",
    "Points and matches": "value_reverse",
}
"""Where a new group begins in the list of rules: its heading, and its first rule."""


class Parameters(NamedTuple):
    """The strategies of this game take no parameters."""


CLASSIC = {name: value for name, value in Rules()._asdict().items() if name != "players"}
DECK_FIELDS = (
    "colours", "lowest_number", "highest_number", "copies_zero", "copies_number", "n_reverse", "n_skip", "n_draw_two",
    "n_colour_choice", "n_draw_two_colour", "n_draw_four_colour", "n_joker",
)  # fmt: skip


def _deck(*values: int) -> dict[str, Any]:
    return dict(zip(DECK_FIELDS, values, strict=True))


PRESETS: dict[str, dict[str, Any]] = {
    "classic": CLASSIC,
    "literal": {
        "skip_follows": SkipFollows.CLOCKWISE,
        "on_draw_two": Matching.SAME_COLOUR,
        "draw_colour_loses_turn": False,
    },
    "deck-108": _deck(4, 0, 9, 1, 2, 2, 2, 2, 4, 0, 4, 0),
    "deck-112-flat": _deck(4, 1, 9, 0, 2, 2, 2, 2, 4, 4, 4, 4),
    "deck-numbers": _deck(4, 0, 9, 2, 2, 0, 0, 0, 0, 0, 0, 0),
    "stacking": {"stacking": Stacking.ANY},
    "draw-until": {"draw_count": UNTIL_PLAYABLE},
    "no-joker": {"joker": Joker.NONE},
    "rotate": {"joker": Joker.ROTATE},
    "family": {"forget": (0.2,), "notice": (0.5,)},
    "party": {"stacking": Stacking.ANY, "joker": Joker.ROTATE, "draw_count": UNTIL_PLAYABLE},
}
PRESET_NOTES = {
    "classic": "every rule at its default, whatever came before; the number of players stays",
    "literal": "the rulebook to the letter: skips go clockwise, Draw 2 on Draw 2 in its colour only, colour draw cards "
    "do not cost the turn",
    "deck-108": "the most widespread deck of such games: no Draw 2 + colour, no Joker",
    "deck-112-flat": "numbers 1 to 9 twice, four of each card without a colour",
    "deck-numbers": "numbers only, each twice",
    "stacking": "draw cards may be answered with any draw card",
    "draw-until": "who cannot play draws until a card fits",
    "no-joker": "the deck without its Jokers",
    "rotate": "a Joker moves all hands one seat",
    "family": "calls are forgotten one time in five, and each opponent notices half of it",
    "party": "stacking, rotating hands, drawing until a card fits",
}

PARTS = {"style": "keeper"}
STRATEGIES = {
    "style": (
        Strategy("random", "plays any playable card, chooses colours and partners at random"),
        Strategy("highest", "plays the card worth most; chooses the colour it holds most, swaps with the fewest cards"),
        Strategy("keeper", "keeps cards without a colour; plays the colour it holds most, numbers before specials"),
        Strategy("hunter", "as keeper, but attacks a next player with two cards or fewer"),
        Strategy("careful", "as keeper, but plays the highest value while an opponent holds three cards or fewer"),
        Strategy("newest", "plays the playable card that came last; otherwise as random"),
    )
}

COUNTS: dict[str, tuple[str, ...]] = {
    "matches": (),
    "rounds": (),
    "turns": (),
    "decided": (),
    "loser_hands": (),
    "swap_rounds": (),
    "long_matches": (),
}
"""Matches; rounds; turns; rounds with a winner; losers' hands in them; rounds with a swap; matches of two
rounds or more whose first was decided."""

METRICS = (
    Metric("match_win", "matches won", by=("seat",), scale=SHARE, rate=True),
    Metric("match_tie", "matches with a shared win", rate=True),
    Metric("no_winner", "matches without a winner (there are none in this game)", rate=True),
    Metric("choice_turns", "turns with at least two cards to choose from, or a card and drawing, keeping or declining",
           per="turns", rate=True),
    Metric("round_win", "rounds won, stalemates included", per="rounds", by=("seat",), rate=True),
    Metric("round_win", "rounds won by the place in turn order, 1 being the dealer's left neighbour", per="rounds",
           by=("place",), rate=True, field="round_win_place"),
    Metric("stalemate", "rounds that nobody wins", per="rounds", rate=True),
    Metric("turns", "turns of a round", per="rounds", values=(0, 4095), negligible=1),
    Metric("points", "points of a round", per="rounds", by=("seat",), values=(0, 4095)),
    Metric("points", "points of a round by the place in turn order", per="rounds", by=("place",),
           field="points_place"),
    Metric("loser_points", "points in a loser's hand, whoever scores them; decided rounds only", per="loser_hands",
           values=(0, 4095)),
    Metric("cards_left", "cards in the hand when a round ends", per="rounds", by=("seat",), values=(0, 255)),
    Metric("cards_drawn", "cards drawn from the pile after the start card", per="rounds", values=(0, 4095)),
    Metric("reshuffles", "times the discards became the pile", per="rounds", values=(0, 255)),
    Metric("played_reverse", "Reverse cards played", per="rounds"),
    Metric("played_skip", "Skip cards played", per="rounds"),
    Metric("played_draw_two", "Draw 2 cards played", per="rounds"),
    Metric("played_draw_two_colour", "Draw 2 + colour cards played", per="rounds"),
    Metric("played_draw_four_colour", "Draw 4 + colour cards played", per="rounds"),
    Metric("played_colour_choice", "Colour choice cards played", per="rounds"),
    Metric("played_joker", "Jokers played", per="rounds"),
    Metric("forgotten_calls", "penalties for a forgotten call", per="rounds"),
    Metric("swaps", "swaps of hands; a rotation is one", per="rounds", values=(0, 255)),
    Metric("swapper_won", "rounds with a swap that its last swapper wins", per="swap_rounds", rate=True),
    Metric("lead_changes", "changes of the player who alone holds fewest", per="rounds", values=(0, 4095)),
    Metric("winner_once_held_most", "decided rounds whose winner once alone held most", per="decided", rate=True),
    Metric("rounds", "rounds of a match", values=(1, 4096)),
    Metric("match_points", "points at the end of a match", by=("seat",), values=(0, 4095)),
    Metric("margin", "points between the best and the second best of a match", values=(0, 4095)),
    Metric("first_round_winner_lost", "matches of two rounds or more that the winner of the first round does not win; "
           "a shared win is no loss", per="long_matches", rate=True),
)  # fmt: skip

KEYS = {"seat": Key(MAX_PLAYERS), "place": Key(MAX_PLAYERS)}

FASTER = {"play_plain": is_plain}

LONGEST = "turns"
CLOSEST: str | None = "margin"
DEFICIT: str | None = None


def key_sizes(rules: Rules) -> dict[str, int]:
    """Return how many values each key takes."""
    return {"seat": rules.players, "place": rules.players}
