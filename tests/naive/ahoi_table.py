"""The table of the naive twin of Mein Schiff Ahoi: the deck, who holds what, drawing, and which card fits where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from simcore.games.ahoi.rules import Joker, Matching, Rules, Stacking, StartCard
from tests.naive.ahoi_strategies import (
    CARDS_TO_DRAW,
    COLOUR_CHOICE,
    COLOURED_SPECIALS,
    COLOURLESS,
    DRAW_FOUR_COLOUR,
    DRAW_TWO,
    DRAW_TWO_COLOUR,
    JOKER,
    REVERSE,
    SKIP,
    Card,
    Chance,
    Hand,
    of_colour,
)


def make_deck(rules: Rules) -> list[Card]:
    """Return all cards, kind after kind."""
    numbers = range(rules.lowest_number, rules.highest_number + 1)
    values = {
        REVERSE: rules.value_reverse,
        SKIP: rules.value_skip,
        DRAW_TWO: rules.value_draw_two,
        DRAW_TWO_COLOUR: rules.value_draw_two_colour,
        DRAW_FOUR_COLOUR: rules.value_draw_four_colour,
        COLOUR_CHOICE: rules.value_colour_choice,
        JOKER: rules.value_joker,
    }
    copies: dict[int | str, int] = {number: rules.copies_number for number in numbers if number != 0}
    copies |= {
        0: rules.copies_zero,
        REVERSE: rules.n_reverse,
        SKIP: rules.n_skip,
        DRAW_TWO: rules.n_draw_two,
        DRAW_TWO_COLOUR: rules.n_draw_two_colour,
        DRAW_FOUR_COLOUR: rules.n_draw_four_colour,
        COLOUR_CHOICE: rules.n_colour_choice,
        JOKER: 0 if rules.joker == Joker.NONE else rules.n_joker,
    }
    deck: list[Card] = []
    kind = 0
    for colour in range(rules.colours):
        for number in numbers:
            deck += [Card(kind, colour, number, number)] * copies[number]
            kind += 1
        for symbol in COLOURED_SPECIALS:
            deck += [Card(kind, colour, symbol, values[symbol])] * copies[symbol]
            kind += 1
    for symbol in COLOURLESS:
        deck += [Card(kind, None, symbol, values[symbol])] * copies[symbol]
        kind += 1
    return deck


def last_place(hand: Hand, card: Card) -> int:
    return max(place for place, held in enumerate(hand) if held == card)


class Stack:
    """Draw cards that somebody still has to take: how many cards, who laid the last one, and was it a bluff."""

    def __init__(self, cards: int, player: int | None, bluff: bool) -> None:
        self.cards = cards
        self.player = player  # None: it is the start card
        self.bluff = bluff


class Table:
    """What lies on the table in a round, what everybody holds, and what is counted."""

    def __init__(self, rules: Rules, styles: Sequence[str], chance: Chance, dealer: int) -> None:
        self.rules = rules
        self.styles = styles
        self.chance = chance
        self.dealer = dealer
        self.deck = make_deck(rules)
        self.pile = list(self.deck)
        self.discards: list[Card] = []  # the top card is the last
        self.hands: list[Hand] = [[] for _ in range(rules.players)]
        self.direction = 1
        self.colour: int | None = None  # in force
        self.symbol_counts = True  # False on a start card that is ignored
        self.stack: Stack | None = None
        self.owed = [0] * rules.players
        self.counted: Counter[str] = Counter()
        self.reshuffles = 0
        self.last_leader: int | None = None
        self.held_most: set[int] = set()
        self.last_swapper: int | None = None

    @property
    def top(self) -> Card:
        return self.discards[-1]

    def after(self, seat: int, steps: int = 1) -> int:
        return (seat + steps * self.direction) % self.rules.players

    def check_that_no_card_is_lost(self) -> None:
        everywhere = [*self.pile, *self.discards, *(card for hand in self.hands for card in hand)]
        assert sorted(card.kind for card in everywhere) == [card.kind for card in self.deck]

    # Drawing

    def take_from_pile(self, place: int) -> Card:
        card = self.pile[place]
        last = self.pile.pop()
        if place < len(self.pile):
            self.pile[place] = last
        return card

    def draw_one(self, seat: int) -> Card | None:
        """Draw a card into a hand, reshuffling if need be; None if there is none to draw."""
        if not self.pile and self.rules.reshuffle and len(self.discards) > 1:
            self.pile = sorted(self.discards[:-1], key=lambda card: card.kind)
            self.discards = [self.top]
            self.reshuffles += 1
            self.chance.start_reshuffle(self.reshuffles)
        if not self.pile:
            return None
        card = self.take_from_pile(self.chance.deal_below(len(self.pile)))
        self.hands[seat].append(card)
        self.counted["cards_drawn"] += 1
        return card

    def draw(self, seat: int, number: int) -> list[Card]:
        drawn = [self.draw_one(seat) for _ in range(number)]
        return [card for card in drawn if card is not None]

    def draw_until_playable(self, seat: int) -> list[Card]:
        drawn: list[Card] = []
        while True:
            card = self.draw_one(seat)
            if card is None:
                return drawn
            drawn.append(card)
            if self.may_play(seat, card):
                return drawn

    # What may be played

    def matching_rule(self, symbol: int | str) -> Matching:
        if symbol == REVERSE:
            return self.rules.on_reverse
        if symbol == SKIP:
            return self.rules.on_skip
        assert symbol == DRAW_TWO
        return self.rules.on_draw_two

    def same_symbol_allowed(self, card: Card) -> bool:
        """Whether a card may lie on the top card, which has the same symbol."""
        rule = self.matching_rule(card.face)
        return rule == Matching.ANY_COLOUR or (rule == Matching.SAME_COLOUR and card.colour == self.top.colour)

    def fits(self, card: Card) -> bool:
        """Whether a card matches the top card."""
        if card.colour is None:
            return True
        if self.colour is None:
            assert not self.symbol_counts
            return True
        if self.symbol_counts and card.face == self.top.face:
            return card.is_number or self.same_symbol_allowed(card)
        return card.colour == self.colour

    def answers(self, card: Card) -> bool:
        """Whether a card moves the stack on."""
        if card.face not in CARDS_TO_DRAW:
            return False
        if card.face == self.top.face == DRAW_TWO:
            return self.same_symbol_allowed(card)
        return self.rules.stacking == Stacking.ANY or card.face == self.top.face

    def may_play(self, seat: int, card: Card) -> bool:
        """Whether the rules let this player play the card of its hand now."""
        hand = self.hands[seat]
        assert card in hand
        if not (self.answers(card) if self.stack else self.fits(card)):
            return False
        if not self.rules.end_on_special and not card.is_number and len(hand) == 1:
            return False
        needs_to_be_stuck = self.rules.draw_four_only_if_stuck and not self.rules.draw_four_challenge
        return not (card.face == DRAW_FOUR_COLOUR and needs_to_be_stuck and self.holds_colour_in_force(hand))

    def holds_colour_in_force(self, hand: Hand) -> bool:
        return self.colour is not None and bool(of_colour(hand, self.colour))

    def playable(self, seat: int) -> list[Card]:
        return [card for card in self.hands[seat] if self.may_play(seat, card)]

    # Moving cards

    def deal(self) -> None:
        for hand in self.hands:
            for _ in range(self.rules.hand_size):
                hand.append(self.take_from_pile(self.chance.deal_below(len(self.pile))))

    def turn_up_start_card(self) -> None:
        place = self.chance.deal_below(len(self.pile))
        if self.rules.start_card == StartCard.NUMBER_ONLY and any(card.is_number for card in self.pile):
            while not self.pile[place].is_number:
                place = self.chance.deal_below(len(self.pile))
        self.discards.append(self.take_from_pile(place))
        self.colour = self.top.colour

    def put_down(self, seat: int, card: Card) -> None:
        """Move a card from a hand to the top of the discards; of several alike the one that came last."""
        hand = self.hands[seat]
        hand.pop(last_place(hand, card))
        self.discards.append(card)
        self.colour = card.colour
        self.symbol_counts = True

    # Who leads

    def look_at_lead(self) -> None:
        sizes = [len(hand) for hand in self.hands]
        fewest = [seat for seat, size in enumerate(sizes) if size == min(sizes)]
        most = [seat for seat, size in enumerate(sizes) if size == max(sizes)]
        if len(most) == 1:
            self.held_most.add(most[0])
        if len(fewest) == 1:
            if self.last_leader not in (None, fewest[0]):
                self.counted["lead_changes"] += 1
            self.last_leader = fewest[0]
