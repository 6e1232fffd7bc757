"""The naive twin of Mein Schiff Ahoi: slow and obvious, hands and piles are lists of cards.

It knows the rules of the game and the list of draws, and nothing of the kernel, so that whatever both agree
on was understood twice. What lies where is in ``ahoi_table``, what the strategies decide in ``ahoi_strategies``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simcore import rng
from simcore.declare import SHARE
from simcore.games.ahoi.choices import UNTIL_PLAYABLE
from simcore.games.ahoi.rules import (
    Joker,
    JumpIn,
    PlayDrawn,
    Rules,
    Scoring,
    SkipFollows,
    Stacking,
    StartCard,
    TwoPlayerReverse,
)
from tests.naive import ahoi_strategies as players
from tests.naive.ahoi_strategies import (
    CARDS_TO_DRAW,
    DRAW_FOUR_COLOUR,
    DRAW_TWO,
    JOKER,
    REVERSE,
    SKIP,
    Card,
    Chance,
    Hand,
)
from tests.naive.ahoi_table import Stack, Table

if TYPE_CHECKING:
    from simcore.strategies import Seat
    from tests.twins import Observed, Sums

MOST_ROUNDS = 1_000_000


def for_seat(values: Sequence[float], seat: int) -> float:
    """Return a seat's entry of a rule that has one for all seats, or one a seat."""
    return values[0] if len(values) == 1 else values[seat]


class RoundOver(Exception):
    """The round has ended; the winner is None in a stalemate."""

    def __init__(self, winner: int | None) -> None:
        super().__init__(winner)
        self.winner = winner


class Round(Table):
    """A round at the table, step by step."""

    def open(self) -> int:
        """Let the start card take effect, and return the seat that begins."""
        first = (self.dealer + 1) % self.rules.players
        face = self.top.face
        if self.top.is_number:
            return first
        if self.rules.start_card != StartCard.APPLY:
            self.symbol_counts = False
            return first
        if self.top.colour is None:
            self.colour = players.choose_colour(self, first)
        if face == SKIP:
            return self.after(first)
        if face == REVERSE:
            self.direction = -1
            reverse_skips = self.rules.players == 2 and self.rules.two_player_reverse == TwoPlayerReverse.SKIP
            return self.after(first) if reverse_skips else first
        if face in CARDS_TO_DRAW:
            self.stack = Stack(CARDS_TO_DRAW[str(face)], None, False)
            if self.rules.stacking == Stacking.NONE:
                return self.after(first) if self.take_stack(first) else first
        return first

    # Turns

    def begin_turn(self) -> None:
        self.check_that_no_card_is_lost()
        self.look_at_lead()
        self.counted["turns"] += 1

    def end_if_too_long(self) -> None:
        if self.counted["turns"] >= self.rules.max_turns:
            raise RoundOver(None)

    def go(self, seat: int) -> int:
        """Let the seat do whatever it is its turn to do, and return the seat whose turn is next."""
        if self.stack:
            return self.face_stack(seat, self.stack)
        if self.owed[seat]:
            self.owed[seat] -= 1
            return self.after(seat)
        return self.take_turn(seat)

    def take_turn(self, seat: int) -> int:
        self.begin_turn()
        card = None
        had_choice = False
        playable = self.playable(seat)
        if playable:
            had_choice = len(set(playable)) + (not self.rules.must_play) >= 2
            card = players.choose_card(self, seat, playable, may_decline=not self.rules.must_play)
        if card is None:
            if self.rules.draw_count == UNTIL_PLAYABLE:
                drawn = self.draw_until_playable(seat)
            else:
                drawn = self.draw(seat, self.rules.draw_count)
            playable = [card for card in drawn if self.may_play(seat, card)]
            if playable and self.rules.play_drawn != PlayDrawn.NO:
                had_choice |= len(set(playable)) + (self.rules.play_drawn == PlayDrawn.MAY) >= 2
                card = players.choose_drawn_card(self, seat, playable)
        self.counted["choice_turns"] += had_choice
        if card is None:
            self.end_if_too_long()
            return self.after(seat)
        return self.play(seat, card)

    def face_stack(self, seat: int, stack: Stack) -> int:
        """Answer a stack or take it."""
        playable = [] if self.owed[seat] else self.playable(seat)
        if playable:
            card = players.choose_card(self, seat, playable, may_decline=not self.rules.must_play)
            if card is not None:
                self.begin_turn()
                self.counted["choice_turns"] += len(set(playable)) + (not self.rules.must_play) >= 2
                return self.play(seat, card)
        loses_turn = self.take_stack(seat)
        if self.owed[seat]:
            self.owed[seat] -= 1
            loses_turn = True
        following = self.after(seat) if loses_turn else seat
        return following if stack.player is None else self.ask_for_jump_in(stack.player, following)

    def take_stack(self, victim: int) -> bool:
        """Challenge or draw; the stack is gone then. Return whether the victim loses its turn for it."""
        stack = self.stack
        assert stack is not None
        self.stack = None
        can_challenge = self.rules.draw_four_challenge and self.top.face == DRAW_FOUR_COLOUR
        if can_challenge and stack.player is not None and players.wants_to_challenge(self, victim):
            if stack.bluff:
                self.draw(stack.player, stack.cards)
                return False
            self.draw(victim, stack.cards + 2)
        else:
            self.draw(victim, stack.cards)
        return self.top.face == DRAW_TWO or self.rules.draw_colour_loses_turn

    def play(self, seat: int, card: Card) -> int:
        """Play a card with all that follows from it, and return the seat whose turn is next."""
        bluff = self.lay(seat, card)
        self.end_if_too_long()
        following = self.take_effect(seat, bluff)
        return following if self.stack else self.ask_for_jump_in(seat, following)

    # Playing a card

    def lay(self, seat: int, card: Card) -> bool:
        """Put the card down, call, exchange hands, choose the colour; return whether it was a bluff."""
        hand = self.hands[seat]
        colour_before = self.colour
        self.put_down(seat, card)
        bluff = card.face == DRAW_FOUR_COLOUR and colour_before in [c.colour for c in hand if c.colour is not None]
        if not card.is_number:
            self.counted[f"played_{card.face}"] += 1
        elif self.rules.multi_discard:
            for further in players.choose_further_cards(self, seat, card):
                self.put_down(seat, further)
        if not hand:
            self.win_with(seat, card)
        if len(hand) == 1:
            self.call_last_card(seat)
        self.exchange_hands(seat, card)
        if card.colour is None:
            self.colour = players.choose_colour(self, seat)
        if card.face == JOKER and self.rules.joker == Joker.DUMP_COLOUR:
            self.dump_colour(seat)
        return bluff

    def win_with(self, seat: int, card: Card) -> None:
        if self.rules.last_card_draws and card.face in CARDS_TO_DRAW:
            before = self.stack.cards if self.stack else 0
            self.draw(self.after(seat), before + CARDS_TO_DRAW[str(card.face)])
        raise RoundOver(seat)

    def call_last_card(self, seat: int) -> None:
        if not self.chance.event(for_seat(self.rules.forget, seat)):
            return
        for other in range(self.rules.players):
            if other != seat and self.chance.event(for_seat(self.rules.notice, other)):
                self.counted["forgotten_calls"] += 1
                self.draw(seat, self.rules.forget_penalty)
                return

    def exchange_hands(self, seat: int, card: Card) -> None:
        joker = self.rules.joker if card.face == JOKER else None
        seven = self.rules.seven_zero and card.face == 7
        zero = self.rules.seven_zero and card.face == 0
        partner = None
        if seven or joker == Joker.SWAP_MUST or (joker == Joker.SWAP and players.wants_to_swap(self, seat)):
            partner = players.choose_partner(self, seat)
        elif joker == Joker.SWAP_NEXT:
            partner = self.after(seat)
        if partner is not None:
            self.hands[seat], self.hands[partner] = self.hands[partner], self.hands[seat]
        elif zero or joker == Joker.ROTATE:
            before = list(self.hands)
            for giver, hand in enumerate(before):
                self.hands[self.after(giver)] = hand
        else:
            return
        self.counted["swaps"] += 1
        self.last_swapper = seat

    def dump_colour(self, seat: int) -> None:
        """Discard all cards of the chosen colour, below the Joker that lies on top."""
        assert self.colour is not None
        dumped = players.of_colour(self.hands[seat], self.colour)
        self.hands[seat] = [card for card in self.hands[seat] if card.colour != self.colour]
        self.discards = [*self.discards[:-1], *dumped, self.top]
        if not self.hands[seat]:
            raise RoundOver(seat)

    # What a card does to the others

    def take_effect(self, seat: int, bluff: bool) -> int:
        """Let the top card take effect on the next player, and return the seat whose turn is next."""
        face = self.top.face
        if face == REVERSE:
            self.direction = -self.direction
            if self.rules.players == 2 and self.rules.two_player_reverse == TwoPlayerReverse.SKIP:
                return self.skip(seat)
        if face == SKIP:
            return self.skip(seat)
        if face in CARDS_TO_DRAW:
            before = self.stack.cards if self.stack else 0
            self.stack = Stack(before + CARDS_TO_DRAW[str(face)], seat, bluff)
            victim = self.after(seat)
            if self.rules.stacking != Stacking.NONE:
                return victim
            return self.after(victim) if self.take_stack(victim) else victim
        if face == JOKER and self.rules.joker == Joker.SKIP_ALL:
            return seat
        return self.after(seat)

    def skip(self, seat: int) -> int:
        if self.rules.skip_follows == SkipFollows.PLAY_DIRECTION:
            return self.after(seat, 2)
        self.owed[(seat + 1) % self.rules.players] += 1
        return self.after(seat)

    def ask_for_jump_in(self, player: int, following: int) -> int:
        """Ask all but the player of the top card, in turn, whether they jump in; return whose turn is next."""
        if self.rules.jump_in == JumpIn.OFF:
            return following
        if self.rules.jump_in == JumpIn.IDENTICAL_NUMBER and not self.top.is_number:
            return following
        for steps in range(1, self.rules.players):
            seat = self.after(player, steps)
            if self.top not in self.hands[seat] or not self.may_play(seat, self.top):
                continue
            if players.wants_to_jump_in(self, seat):
                self.begin_turn()
                self.counted["choice_turns"] += 1
                return self.play(seat, self.top)
        return following


def play_round(table: Round) -> int | None:
    """Play a round from the deal to its end, and return the winner."""
    table.deal()
    table.turn_up_start_card()
    return finish_round(table, table.open())


def finish_round(table: Round, seat: int) -> int | None:
    """Play on from the turn of a seat."""
    try:
        while True:
            seat = table.go(seat)
    except RoundOver as over:
        winner = over.winner
    table.check_that_no_card_is_lost()
    table.look_at_lead()
    return winner


class Notes:
    """The sums and the distributions of one match."""

    def __init__(self) -> None:
        self.sums: Sums = Counter()
        self.observed: Observed = Counter()

    def add(self, name: str, amount: int = 1, *key: int) -> None:
        if amount:
            self.sums[name, key] += amount

    def observe(self, name: str, value: int, low: int, high: int, *key: int) -> None:
        """Keep a value in the distribution, whose end bins are open."""
        self.observed[name, key, min(max(value, low), high) - low] += 1

    def note_round(self, table: Round, winner: int | None, points: list[int]) -> None:
        counted = table.counted
        number_of_players = table.rules.players
        self.add("rounds")
        for name, amount in counted.items():
            self.add(name, amount)
        self.add("reshuffles", table.reshuffles)
        self.observe("turns", counted["turns"], 0, 4095)
        self.observe("cards_drawn", counted["cards_drawn"], 0, 4095)
        self.observe("reshuffles", table.reshuffles, 0, 255)
        self.observe("swaps", counted["swaps"], 0, 255)
        self.observe("lead_changes", counted["lead_changes"], 0, 4095)
        self.add("swap_rounds", int(counted["swaps"] > 0))
        for seat, hand in enumerate(table.hands):
            place = (seat - table.dealer - 1) % number_of_players
            self.add("points", points[seat], seat)
            self.add("points_place", points[seat], place)
            self.observe("points", points[seat], 0, 4095, seat)
            self.add("cards_left", len(hand), seat)
            self.observe("cards_left", len(hand), 0, 255, seat)
        if winner is None:
            self.add("stalemate")
            return
        self.add("decided")
        self.add("round_win", 1, winner)
        self.add("round_win_place", 1, (winner - table.dealer - 1) % number_of_players)
        self.add("swapper_won", int(table.last_swapper == winner))
        self.add("winner_once_held_most", int(winner in table.held_most))
        for seat, hand in enumerate(table.hands):
            if seat != winner:
                self.add("loser_hands")
                self.add("loser_points", hand_value(hand))
                self.observe("loser_points", hand_value(hand), 0, 4095)


def hand_value(hand: Hand) -> int:
    return sum(card.value for card in hand)


def round_points(rules: Rules, hands: list[Hand], winner: int | None) -> list[int]:
    values = [hand_value(hand) for hand in hands]
    if rules.scoring == Scoring.HAND_POINTS:
        return values
    return [sum(values) if seat == winner else 0 for seat in range(len(hands))]


def is_match_over(rules: Rules, points: list[int], rounds: int) -> bool:
    if rules.match_points == 0:
        return rounds == rules.match_rounds
    if max(points) >= rules.match_points:
        return True
    return rounds == (MOST_ROUNDS if rules.match_rounds == 1 else rules.match_rounds)


def match_winners(rules: Rules, points: list[int], marks: list[int]) -> list[int]:
    """Return who has the best points and, of these, the most marks."""
    best_points = max(points) if rules.scoring == Scoring.WINNER_COLLECTS else min(points)
    best = [seat for seat, total in enumerate(points) if total == best_points]
    most_marks = max(marks[seat] for seat in best)
    return [seat for seat in best if marks[seat] == most_marks]


def play_match(rules: Rules, seats: Sequence[Seat], seed: int, game: int) -> tuple[Sums, Observed]:
    """Play one match, and return all that is added up about it."""
    assert not any(seat.parts["style"].own for seat in seats)
    styles = [seat.parts["style"].name for seat in seats]
    notes = Notes()
    dealer = Chance(seed, game, rng.MATCH, rules.players).deal_below(rules.players)
    points = [0] * rules.players
    marks = [0] * rules.players
    winners_of_rounds: list[int | None] = []
    while not winners_of_rounds or not is_match_over(rules, points, len(winners_of_rounds)):
        chance = Chance(seed, game, len(winners_of_rounds) + 1, rules.players)
        table = Round(rules, styles, chance, dealer)
        winner = play_round(table)
        scored = round_points(rules, table.hands, winner)
        notes.note_round(table, winner, scored)
        for seat in range(rules.players):
            points[seat] += scored[seat]
        if winner is not None:
            marks[winner] += 1
        winners_of_rounds.append(winner)
        dealer = (dealer + 1) % rules.players
    winners = match_winners(rules, points, marks)
    notes.add("matches")
    notes.observe("rounds", len(winners_of_rounds), 1, 4096)
    notes.add("match_tie", int(len(winners) > 1))
    for seat in winners:
        notes.add("match_win", SHARE // len(winners), seat)
    for seat, total in enumerate(points):
        notes.add("match_points", total, seat)
        notes.observe("match_points", total, 0, 4095, seat)
    ranked = sorted(points, reverse=rules.scoring == Scoring.WINNER_COLLECTS)
    margin = abs(ranked[1] - ranked[0])
    notes.add("margin", margin)
    notes.observe("margin", margin, 0, 4095)
    if len(winners_of_rounds) >= 2 and winners_of_rounds[0] is not None:
        notes.add("long_matches")
        notes.add("first_round_winner_lost", int(winners_of_rounds[0] not in winners))
    return notes.sums, notes.observed
