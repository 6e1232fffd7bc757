"""The naive twin of Mein Schiff Ahoi in situations whose outcome can be derived by hand."""

from __future__ import annotations

from typing import Any

import pytest

from simcore import games
from simcore.games.ahoi.choices import UNTIL_PLAYABLE
from simcore.games.ahoi.rules import (
    PRESETS,
    Joker,
    JumpIn,
    Matching,
    PlayDrawn,
    Rules,
    Scoring,
    SkipFollows,
    Stacking,
    StartCard,
    TwoPlayerReverse,
)
from simcore.strategies import read_seats
from tests.naive import ahoi as naive
from tests.naive import ahoi_strategies as players
from tests.naive.ahoi_strategies import Card, in_layers
from tests.naive.ahoi_table import make_deck

SYMBOLS = {"R": "reverse", "S": "skip", "D": "draw_two"}
COLOURLESS = {"2+": "draw_two_colour", "4+": "draw_four_colour", "C": "colour_choice", "J": "joker"}


def card(rules: Rules, name: str) -> Card:
    """Return a card by its short name: a colour (red, green, blue, yellow) with 0..9, R, S or D; or 2+, 4+, C, J."""
    colour = None if name in COLOURLESS else "rgby".index(name[0])
    face = COLOURLESS.get(name) or SYMBOLS.get(name[1:]) or int(name[1:])
    return next(c for c in make_deck(rules) if (c.colour, c.face) == (colour, face))


def table(top: str, *hands: str, pile: str = "g1 g1 g2 g2 g3 g3 g4 g4", style: str = "keeper", **rules: Any) -> Any:
    """Return a round in which the hands, the top card and the pile are given; all are asked for what they hold."""
    chosen = Rules(players=len(hands), **rules)
    made = naive.Round(chosen, [style] * len(hands), players.Chance(1, 0, 1, len(hands)), len(hands) - 1)
    made.hands = [[card(chosen, name) for name in hand.split()] for hand in hands]
    made.pile = sorted(card(chosen, name) for name in pile.split())
    made.discards = [card(chosen, top)]
    made.colour = made.top.colour
    everywhere = [*made.pile, *made.discards, *(held for hand in made.hands for held in hand)]
    made.deck = sorted(everywhere, key=lambda c: c.kind)
    return made


def held(made: Any) -> list[int]:
    return [len(hand) for hand in made.hands]


def test_decks_have_the_sizes_and_values_named() -> None:
    for preset, size, value in (
        ("classic", 112, 1420),
        ("deck-108", 108, 1280),
        ("deck-112-flat", 112, 1560),
        ("deck-numbers", 80, 360),
        ("no-joker", 110, 1320),
    ):
        deck = make_deck(Rules(**PRESETS[preset]))
        assert (len(deck), naive.hand_value(deck)) == (size, value)
    assert naive.hand_value([card(Rules(), name) for name in ("rR", "b7", "J")]) == 25 + 7 + 50


def test_candidates_stand_in_layers() -> None:
    cards = [Card(kind, 0, kind, kind) for kind in (9, 3, 5, 9, 3)]
    assert [c.kind for c in in_layers(cards)] == [3, 5, 9, 3, 9]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [(Matching.NEVER, "r5 C"), (Matching.SAME_COLOUR, "rR r5 C"), (Matching.ANY_COLOUR, "rR bR r5 C")],
)
def test_symbol_on_symbol(rule: Matching, expected: str) -> None:
    made = table("rR", "rR bR r5 b5 C", "g1", on_reverse=rule)
    assert made.playable(0) == [card(made.rules, name) for name in expected.split()]


def test_number_lies_on_number_and_only_the_colour_counts_on_a_colourless_card() -> None:
    made = table("r5", "b5 r1 b1 rS bS 4+", "g1")
    assert [c.face for c in made.playable(0)] == [5, 1, "skip", "draw_four_colour"]
    made = table("C", "b5 r1 bS 2+", "g1")
    made.colour = 2
    assert [c.face for c in made.playable(0)] == [5, "skip", "draw_two_colour"]


@pytest.mark.parametrize(
    ("laid", "loses", "drawn", "following"),
    [("rD", True, 2, 2), ("2+", True, 2, 2), ("4+", True, 4, 2), ("2+", False, 2, 1)],
)
def test_draw_cards(laid: str, loses: bool, drawn: int, following: int) -> None:
    made = table("r5", f"{laid} b1 b2", "r1 r2", "r3 r4", draw_colour_loses_turn=loses)
    assert made.go(0) == following
    assert held(made) == [2, 2 + drawn, 2]
    assert made.counted["turns"] == 1


def test_stack_moves_on_and_falls_on_who_cannot_answer() -> None:
    made = table("r5", "rD b1", "bD b2", "4+ b3", "b4 b5", stacking=Stacking.ANY, draw_colour_loses_turn=False)
    seat = 0
    for _ in range(4):
        seat = made.go(seat)
    # 2 + 2 + 4 cards; the last one laid does not cost the turn, so the taker is asked again.
    assert (held(made), seat, made.counted["turns"]) == ([1, 1, 1, 10], 3, 3)


def test_only_the_same_kind_answers_and_draw_two_obeys_its_own_rule() -> None:
    made = table("r5", "rD b1", "2+ bD b2", "b4 b5", stacking=Stacking.SAME, on_draw_two=Matching.SAME_COLOUR)
    assert made.go(0) == 1
    assert made.playable(1) == []
    assert made.go(1) == 2
    assert held(made) == [1, 5, 2]


def test_skip_in_play_direction_and_clockwise() -> None:
    made = table("r5", "rS b1", "b2 b3", "b4 b5")
    made.direction = -1
    assert made.go(0) == 1
    made = table("r5", "rS b1", "b2 b3", "b4 b5", skip_follows=SkipFollows.CLOCKWISE)
    made.direction = -1
    assert made.go(0) == 2
    assert made.owed == [0, 1, 0]
    assert (made.go(1), made.owed, made.counted["turns"]) == (0, [0, 0, 0], 1)


def test_who_owes_a_turn_takes_the_stack_and_pays() -> None:
    made = table("r5", "2+ b1", "2+ b2", "b4 b5", stacking=Stacking.ANY, draw_colour_loses_turn=False)
    made.owed[1] = 1
    assert made.go(0) == 1
    assert made.go(1) == 2
    assert (held(made), made.owed) == ([1, 4, 2], [0, 0, 0])


@pytest.mark.parametrize(("rule", "following"), [(TwoPlayerReverse.NOTHING, 1), (TwoPlayerReverse.SKIP, 0)])
def test_reverse_with_two_players(rule: TwoPlayerReverse, following: int) -> None:
    assert table("r5", "rR b1", "b2 b3", two_player_reverse=rule).go(0) == following


def test_start_cards_that_apply() -> None:
    apply: dict[str, Any] = {"start_card": StartCard.APPLY}
    assert table("rS", "b1", "b2", "b3", **apply).open() == 1
    made = table("rR", "b1", "b2", "b3", **apply)
    assert (made.open(), made.direction) == (0, -1)
    assert table("rR", "b1", "b2", two_player_reverse=TwoPlayerReverse.SKIP, **apply).open() == 1
    made = table("4+", "b1", "b2", "b3", draw_colour_loses_turn=False, **apply)
    assert (made.open(), held(made), made.colour) == (0, [5, 1, 1], 2)
    made = table("rD", "bD b1", "b2", "b3", stacking=Stacking.SAME, **apply)
    assert (made.open(), made.go(0), made.go(1), held(made)) == (0, 1, 2, [1, 5, 1])


def test_ignored_start_card_neither_matches_nor_bans() -> None:
    made = table("rR", "rR bR r1 b1", "g1", start_card=StartCard.IGNORE)
    assert made.open() == 0
    assert made.playable(0) == [card(made.rules, "rR"), card(made.rules, "r1")]
    made = table("4+", "rR bR r1 4+", "g1", start_card=StartCard.IGNORE, draw_four_only_if_stuck=True)
    assert made.open() == 0
    assert made.playable(0) == made.hands[0]


def test_draw_four_only_without_a_card_of_the_colour() -> None:
    # The red Reverse is not playable, and is a card of the colour all the same.
    made = table("rR", "4+ rR b1", "g1", draw_four_only_if_stuck=True)
    assert made.playable(0) == []
    made = table("rR", "4+ bR b1", "g1", draw_four_only_if_stuck=True)
    assert made.playable(0) == [card(made.rules, "4+")]


@pytest.mark.parametrize(
    ("hand", "challenges", "cards", "following"),
    [("4+ rR b1", True, [6, 2, 2], 1), ("4+ b2 b1", True, [2, 8, 2], 2), ("4+ rR b1", False, [2, 6, 2], 2)],
)
def test_challenge(
    monkeypatch: pytest.MonkeyPatch, hand: str, challenges: bool, cards: list[int], following: int
) -> None:
    monkeypatch.setattr(players, "wants_to_challenge", lambda table, victim: challenges)
    made = table("rR", hand, "b1 b2", "b3 b4", draw_four_only_if_stuck=True, draw_four_challenge=True)
    assert made.go(0) == following
    assert held(made) == cards


def test_no_bluff_where_no_colour_is_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "wants_to_challenge", lambda table, victim: True)
    rules: dict[str, Any] = {"draw_four_only_if_stuck": True, "draw_four_challenge": True}
    made = table("C", "4+ C J", "b1 b2", "b3 b4", start_card=StartCard.IGNORE, **rules)
    seat = made.open()
    assert made.play(seat, card(made.rules, "4+")) == 2
    assert held(made) == [2, 2 + 6, 2]


def test_guilty_bluffer_takes_the_whole_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(players, "wants_to_challenge", lambda table, victim: True)
    rules: dict[str, Any] = {"draw_four_only_if_stuck": True, "draw_four_challenge": True, "stacking": Stacking.ANY}
    made = table("r5", "rD b1", "4+ r1 b2", "b3 b4", **rules)
    assert (made.go(0), made.go(1), made.go(2)) == (1, 2, 2)
    assert held(made) == [1, 2 + 6, 2]


def test_last_card_may_have_to_be_a_number() -> None:
    assert table("r5", "C", "g1", end_on_special=False).playable(0) == []
    assert len(table("r5", "r1", "g1", end_on_special=False).playable(0)) == 1


def test_last_card_that_draws() -> None:
    for draws, stacking, cards in ((False, Stacking.ANY, 2), (True, Stacking.NONE, 4), (True, Stacking.ANY, 6)):
        made = table("r5", "rD b1", "2+", "b3 b4", stacking=stacking, last_card_draws=draws)
        if stacking == Stacking.ANY:
            assert made.go(0) == 1
        assert naive.finish_round(made, 1) == 1
        assert held(made)[2] == cards


def test_jokers() -> None:
    hands = ("J b1 b2", "r1", "r2 r3 r4 y5")
    made = table("r5", *hands, joker=Joker.SWAP, style="highest")
    assert (made.go(0), held(made), made.colour) == (1, [1, 2, 4], 0)
    # Nobody holds fewer after the play: declined, unless it has to be.
    for joker, cards in ((Joker.SWAP, [1, 2, 2]), (Joker.SWAP_NEXT, [2, 1, 2])):
        made = table("r5", "J b1", "r1 r2", "r3 r4", joker=joker, style="highest")
        assert (made.go(0), held(made)) == (1, cards)
    made = table("r5", *hands, joker=Joker.ROTATE)
    # Asking the keeper for a card with only one option leaves nothing to chance.
    made.hands[0].remove(card(made.rules, "b2"))
    made.deck.remove(card(made.rules, "b2"))
    assert (made.go(0), held(made), made.counted["swaps"]) == (1, [4, 1, 1], 1)
    made = table("r5", "J b1 b2 y3", *hands[1:], joker=Joker.DUMP_COLOUR)
    assert (made.go(0), held(made), made.top.face) == (1, [1, 1, 4], "joker")
    made = table("r5", "J b1", *hands[1:], joker=Joker.SKIP_ALL)
    assert (made.go(0), held(made)) == (0, [1, 1, 4])
    made = table("r5", "J", *hands[1:], joker=Joker.SWAP_MUST)
    assert (naive.finish_round(made, 0), held(made)) == (0, [0, 1, 4])
    made = table("r5", "J b1 b2", *hands[1:], joker=Joker.DUMP_COLOUR)
    assert naive.finish_round(made, 0) == 0


def test_seven_and_zero() -> None:
    made = table("r5", "r7 b1 b2", "r1", "r2 r3 r4", seven_zero=True)
    assert (made.go(0), held(made)) == (1, [1, 2, 3])
    made = table("r5", "r0 b1 b2", "r1", "r2 r3 r4", seven_zero=True)
    made.direction = -1
    assert (made.go(0), held(made)) == (2, [1, 3, 2])
    made = table("r5", "r7", "r1", "r2 r3 r4", seven_zero=True)
    assert (naive.finish_round(made, 0), held(made)) == (0, [0, 1, 3])


def test_jump_in_is_a_turn_and_counts_from_its_seat() -> None:
    made = table("r5", "r1 b1", "b2 b3", "r1 b4", "b5 b6", jump_in=JumpIn.IDENTICAL)
    assert (made.go(0), held(made), made.counted["turns"]) == (3, [1, 2, 1, 2], 2)
    # Two draw; then the one behind jumps in, and the next two draw.
    made = table("r5", "rD b1", "b2 b3", "rD b4", "b5 b6", jump_in=JumpIn.IDENTICAL)
    assert (made.go(0), held(made)) == (0, [1, 4, 1, 4])
    for rules in ({"jump_in": JumpIn.IDENTICAL_NUMBER}, {"jump_in": JumpIn.IDENTICAL, "on_draw_two": Matching.NEVER}):
        made = table("r5", "rD b1", "b2 b3", "rD b4", "b5 b6", **rules)
        assert (made.go(0), held(made)) == (2, [1, 4, 2, 2])


def test_jump_in_comes_when_the_stack_was_taken() -> None:
    made = table("r5", "rD b1", "b2 b3", "rD b4", "b5 b6", jump_in=JumpIn.IDENTICAL, stacking=Stacking.SAME)
    assert (made.go(0), held(made)) == (1, [1, 2, 2, 2])
    assert (made.go(1), held(made)) == (3, [1, 4, 1, 2])
    assert made.stack.cards == 2


def test_further_cards_of_the_number_go_along() -> None:
    made = table("r5", "r1 b1 y1 g1 b2 b3", "b4 b5", multi_discard=True)
    made.colour = 0
    assert (made.go(0), held(made), made.colour) == (1, [2, 2], 2)
    made = table("r5", "r1 b1", "b4 b5", multi_discard=True)
    assert (naive.finish_round(made, 0), made.counted["turns"]) == (0, 1)


def test_forgotten_call() -> None:
    made = table("r5", "r1 b1", "b4 b5", forget=(1.0,), forget_penalty=3)
    assert (made.go(0), held(made), made.counted["forgotten_calls"]) == (1, [4, 2], 1)
    made = table("r5", "r1 b1", "b4 b5", forget=(1.0,), notice=(0.0,))
    assert (made.go(0), held(made), made.counted["forgotten_calls"]) == (1, [1, 2], 0)
    made = table("r5", "r1 b1", "b4 b5", forget=(0.0, 1.0))
    assert (made.go(0), held(made)) == (1, [1, 2])


def test_drawing() -> None:
    made = table("r5", "b1", "b4 b5", draw_count=3)
    assert (made.go(0), held(made)) == (1, [4, 2])
    made = table("r5", "b1", "b4 b5", pile="g1 g2 r3", draw_count=3)
    assert (made.go(0), held(made), made.top.face) == (1, [3, 2], 3)
    made = table("r5", "b1", "b4 b5", pile="g1 g2 r3", draw_count=3, play_drawn=PlayDrawn.NO)
    assert (made.go(0), held(made)) == (1, [4, 2])
    made = table("r5", "b1", "b4 b6", draw_count=UNTIL_PLAYABLE)
    assert (made.go(0), held(made), made.pile) == (1, [9, 2], [])
    # A draw that is lost is a turn.
    assert (made.go(1), held(made), made.counted["turns"]) == (0, [9, 2], 2)


def test_reshuffle_leaves_the_top_card() -> None:
    for reshuffle, cards in ((True, [3, 2]), (False, [1, 2])):
        made = table("r5", "b1", "b4 b5", pile="", draw_count=3, reshuffle=reshuffle)
        below = [card(made.rules, name) for name in ("y1", "y2")]
        made.discards = [*below, made.top]
        made.deck = sorted([*made.deck, *below], key=lambda c: c.kind)
        assert (made.go(0), held(made), made.reshuffles) == (1, cards, int(reshuffle))
        assert made.top == card(made.rules, "r5")


def test_stalemate_stops_before_the_effect() -> None:
    made = table("r5", "rD b1", "b4 b5", max_turns=1)
    assert naive.finish_round(made, 0) is None
    assert (held(made), made.counted["cards_drawn"]) == ([1, 2], 0)


def test_lead_changes_when_another_leads_alone() -> None:
    made = table("r5", "r1 r2 r3", "r4 r6", "r7 r8")
    for seat in (0, 1, 2):
        assert made.go(seat) == (seat + 1) % 3
    # 3 2 2, 2 2 2, 2 1 2: seat 1 leads for the first time; 2 1 1: nobody.
    assert (made.last_leader, made.counted["lead_changes"], made.held_most) == (1, 0, {0})
    made.go(0)
    made.hands[2] = []
    made.look_at_lead()
    assert made.counted["lead_changes"] == 1


def test_scores_and_winners() -> None:
    rules = Rules(players=3)
    hands = [[card(rules, "rR")], [], [card(rules, "J"), card(rules, "b7")]]
    assert naive.round_points(rules, hands, 1) == [25, 0, 57]
    collecting = Rules(players=3, scoring=Scoring.WINNER_COLLECTS)
    assert naive.round_points(collecting, hands, 1) == [0, 82, 0]
    assert naive.round_points(collecting, hands, None) == [0, 0, 0]
    assert naive.match_winners(rules, [5, 5, 9], [1, 2, 9]) == [1]
    assert naive.match_winners(collecting, [5, 5, 9], [1, 2, 0]) == [2]
    assert naive.match_winners(rules, [5, 5, 5], [1, 1, 0]) == [0, 1]
    assert not naive.is_match_over(Rules(match_points=10), [9, 0], 1)
    assert naive.is_match_over(Rules(match_points=10), [10, 0], 1)
    assert naive.is_match_over(Rules(match_points=10, match_rounds=2), [9, 0], 2)


def test_first_player_wins_at_once_as_often_as_derived() -> None:
    # 12 cards fit always, 24 on their colour; of the 75 numbers left, a 0 fits on 21, every other number on 24.
    chance = (12 + 24 / 4 + (4 * 21 + 72 * 24) / 75) / 112
    rules = Rules(players=2, hand_size=1, max_turns=1)
    seats = read_seats(games.load("ahoi"), "keeper", 2)
    matches = 2000
    wins = sum(naive.play_match(rules, seats, 1, game)[0]["decided", ()] for game in range(matches))
    assert abs(wins / matches - chance) < 4 * (chance * (1 - chance) / matches) ** 0.5
