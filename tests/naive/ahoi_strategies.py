"""The players of the naive twin of Mein Schiff Ahoi: cards, and what each strategy does with them.

A card is a small tuple; two copies of a card are equal. A hand is a list of cards in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from simcore import rng
from simcore.games.ahoi.rules import PlayDrawn, Rules, SkipFollows, TwoPlayerReverse

REVERSE, SKIP, DRAW_TWO = "reverse", "skip", "draw_two"
DRAW_TWO_COLOUR, DRAW_FOUR_COLOUR = "draw_two_colour", "draw_four_colour"
COLOUR_CHOICE, JOKER = "colour_choice", "joker"
COLOURED_SPECIALS = (REVERSE, SKIP, DRAW_TWO)
COLOURLESS = (DRAW_TWO_COLOUR, DRAW_FOUR_COLOUR, COLOUR_CHOICE, JOKER)
CARDS_TO_DRAW = {DRAW_TWO: 2, DRAW_TWO_COLOUR: 2, DRAW_FOUR_COLOUR: 4}


class Card(NamedTuple):
    """A card: its kind as a number, its colour (None: without), and its number or the name of its symbol."""

    kind: int
    colour: int | None
    face: int | str
    value: int

    @property
    def is_number(self) -> bool:
        return isinstance(self.face, int)


Hand = list[Card]


class Chance:
    """The random streams of one round (or, for round 0, of what is drawn once a match)."""

    def __init__(self, seed: int, game: int, round_number: int, players: int) -> None:
        self.key = np.uint64(rng.round_key(np.uint64(seed), np.uint64(game), np.uint64(round_number)))
        self.streams = np.zeros(rng.SEAT + players, np.uint64)
        for purpose in range(rng.SEAT + players):
            rng.start(self.streams, purpose, self.key, 0)

    def start_reshuffle(self, number: int) -> None:
        rng.start(self.streams, rng.DEAL, self.key, number)

    def deal_below(self, n: int) -> int:
        return int(rng.below(self.streams, rng.DEAL, n))

    def seat_below(self, seat: int, n: int) -> int:
        return int(rng.below(self.streams, rng.SEAT + seat, n))

    def coin(self, seat: int) -> bool:
        return bool(rng.happens(self.streams, rng.SEAT + seat, 0.5))

    def event(self, chance: float) -> bool:
        return bool(rng.happens(self.streams, rng.CHANCE, chance))


class Seen(Protocol):
    """What the strategies look at."""

    rules: Rules
    styles: Sequence[str]
    chance: Chance
    hands: list[Hand]
    direction: int

    def after(self, seat: int) -> int: ...


def in_layers(cards: Iterable[Card]) -> list[Card]:
    """Order candidates: each kind once, ascending; then each kind of which there is a second; and so on."""
    rest = sorted(cards, key=lambda card: card.kind)
    ordered = []
    while rest:
        layer = sorted(set(rest), key=lambda card: card.kind)
        for card in layer:
            rest.remove(card)
        ordered += layer
    return ordered


def of_colour(hand: Iterable[Card], colour: int) -> list[Card]:
    return [card for card in hand if card.colour == colour]


def highest_of(cards: list[Card]) -> list[Card]:
    most = max(card.value for card in cards)
    return [card for card in cards if card.value == most]


def kept_for_last(hand: Hand, cards: list[Card]) -> list[Card]:
    """Return what a keeper plays: the colour it has most of, numbers first, cards without a colour at the end."""
    coloured = [card for card in cards if card.colour is not None]
    if not coloured:
        return cards

    def held(card: Card) -> int:
        assert card.colour is not None
        return len(of_colour(hand, card.colour))

    most = max(held(card) for card in coloured)
    best = [card for card in coloured if held(card) == most]
    return [card for card in best if card.is_number] or best


def attacking(table: Seen, seat: int, cards: list[Card]) -> list[Card]:
    """Return what a hunter plays at a next player who is about to go out; nothing if it cannot attack."""
    rules = table.rules
    victim = table.after(seat)
    skipping = []
    if rules.skip_follows == SkipFollows.PLAY_DIRECTION or (seat + 1) % rules.players == victim:
        skipping.append(SKIP)
    if rules.players == 2 and rules.two_player_reverse == TwoPlayerReverse.SKIP:
        skipping.append(REVERSE)
    for faces in ([DRAW_FOUR_COLOUR], [DRAW_TWO, DRAW_TWO_COLOUR], skipping, [REVERSE]):
        found = [card for card in cards if card.face in faces]
        if found:
            return found
    return []


def best_cards(table: Seen, seat: int, cards: list[Card]) -> list[Card]:
    """Return the candidates among which the seat's strategy makes no difference."""
    style = table.styles[seat]
    hand = table.hands[seat]
    if style == "random":
        return cards
    if style == "highest":
        return highest_of(cards)
    if style == "hunter" and len(table.hands[table.after(seat)]) <= 2:
        return attacking(table, seat, cards) or kept_for_last(hand, cards)
    if style == "careful":
        others = [len(other) for s, other in enumerate(table.hands) if s != seat]
        if min(others) <= 3:
            return highest_of(cards)
    return kept_for_last(hand, cards)


def choose_card(table: Seen, seat: int, playable: list[Card], may_decline: bool) -> Card | None:
    """Return the card to be played, or None to draw (or take) instead."""
    assert playable
    style = table.styles[seat]
    if style == "newest":
        return [card for card in table.hands[seat] if card in playable][-1]
    candidates: list[Card | None] = [*in_layers(best_cards(table, seat, playable))]
    if style == "random" and may_decline:
        candidates.append(None)
    return candidates[table.chance.seat_below(seat, len(candidates))]


def choose_drawn_card(table: Seen, seat: int, playable: list[Card]) -> Card | None:
    """Return which of the cards just drawn is played at once, if any."""
    may_keep = table.rules.play_drawn == PlayDrawn.MAY
    if table.styles[seat] == "random" and may_keep and not table.chance.coin(seat):
        return None
    return choose_card(table, seat, playable, may_decline=False)


def choose_further_cards(table: Seen, seat: int, played: Card) -> list[Card]:
    """Return the other cards of the number just played that go along; the last of the list is laid last."""
    hand = table.hands[seat]
    same_number = sorted((card for card in hand if card.face == played.face), key=lambda card: card.kind)
    style = table.styles[seat]
    further = [card for card in same_number if style != "random" or table.chance.coin(seat)]
    if not further:
        return []
    remaining = list(hand)
    for card in further:
        remaining.remove(card)
    candidates = further
    if style not in ("random", "newest"):
        held = {card.colour: len([c for c in remaining if c.colour == card.colour]) for card in further}
        candidates = [card for card in further if held[card.colour] == max(held.values())]
    candidates = in_layers(candidates)
    last = candidates[table.chance.seat_below(seat, len(candidates))]
    further.remove(last)
    return [*further, last]


def choose_colour(table: Seen, seat: int) -> int:
    colours = list(range(table.rules.colours))
    if table.styles[seat] not in ("random", "newest"):
        held = [len(of_colour(table.hands[seat], colour)) for colour in colours]
        colours = [colour for colour in colours if held[colour] == max(held)]
    return colours[table.chance.seat_below(seat, len(colours))]


def wants_to_swap(table: Seen, seat: int) -> bool:
    """Whether a player who may swap hands does."""
    if table.styles[seat] in ("random", "newest"):
        return table.chance.coin(seat)
    return min(len(hand) for hand in table.hands) < len(table.hands[seat])


def choose_partner(table: Seen, seat: int) -> int:
    others = [s for s in range(table.rules.players) if s != seat]
    if table.styles[seat] not in ("random", "newest"):
        fewest = min(len(table.hands[s]) for s in others)
        others = [s for s in others if len(table.hands[s]) == fewest]
    return others[table.chance.seat_below(seat, len(others))]


def wants_to_jump_in(table: Seen, seat: int) -> bool:
    return table.styles[seat] != "random" or table.chance.coin(seat)


def wants_to_challenge(table: Seen, victim: int) -> bool:
    return table.chance.coin(victim)
