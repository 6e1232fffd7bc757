"""The naive twin of Skull King, first part: the cards, and what one trick comes to.

A card is a number as in the game's `cards.py`; the Tigress on the table is TIGRESS as a pirate and
TIGRESS_AS_ESCAPE as an escape. A trick is the list of the cards in the order of play, and a *place* is an index in it:
who sits there is of no interest here but for the Loot.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from simcore.games.skull_king.cards import (
    BLACK,
    CARDS,
    ESCAPE,
    KRAKEN,
    LOOT,
    MERMAID,
    PIRATE,
    SKULL_KING,
    TIGRESS,
    TIGRESS_AS_ESCAPE,
    WHALE,
    KrakenLeader,
    LootRule,
    MermaidCaptor,
    SuitRule,
    WhaleWithoutSuits,
)
from simcore.games.skull_king.rules import Rules

BLACK_SUIT = 3


def is_suit_card(card: int) -> bool:
    return card < ESCAPE


def suit_of(card: int) -> int:
    assert is_suit_card(card)
    return card % 3 if card < BLACK else BLACK_SUIT


def number_of(card: int) -> int:
    assert is_suit_card(card)
    return card // 3 + 1 if card < BLACK else card - BLACK + 1


def is_loot(card: int) -> bool:
    return LOOT <= card < KRAKEN


def is_escape(card: int) -> bool:
    """Whether the card is one of those that count as an escape: the Loots and the escaped Tigress too."""
    return ESCAPE <= card < LOOT or is_loot(card) or card == TIGRESS_AS_ESCAPE


def is_beast(card: int) -> bool:
    return card in (KRAKEN, WHALE)


def is_mermaid(card: int) -> bool:
    return MERMAID <= card < PIRATE


def is_pirate(card: int) -> bool:
    return PIRATE <= card < SKULL_KING or card == TIGRESS


def is_character(card: int) -> bool:
    return is_mermaid(card) or is_pirate(card) or card == SKULL_KING


def in_hand(card: int) -> int:
    """Return the card as it is held: the Tigress is one card, whatever she is declared."""
    return TIGRESS if card == TIGRESS_AS_ESCAPE else card


def ways(card: int) -> list[int]:
    """Return the ways to lay a card."""
    return [TIGRESS, TIGRESS_AS_ESCAPE] if card == TIGRESS else [card]


@functools.cache
def pack(rules: Rules) -> tuple[int, ...]:
    """Return the cards in play, ascending."""
    cards = []
    for card in range(CARDS):
        too_high = is_suit_card(card) and number_of(card) > rules.suit_length
        no_loot = is_loot(card) and card - LOOT >= rules.loot
        no_beast = (card == KRAKEN and not rules.kraken) or (card == WHALE and not rules.white_whale)
        if not (too_high or no_loot or no_beast):
            cards.append(card)
    return tuple(cards)


def suit_to_follow(rules: Rules, trick: Sequence[int]) -> int | None:
    """Return the suit that is set; None if none is set yet, or none ever will be."""
    if not trick or is_beast(trick[0]):
        return None
    if is_character(trick[0]) and rules.character_led == SuitRule.NO_SUIT:
        return None
    for card in trick:
        if is_suit_card(card):
            return suit_of(card)
        if is_character(card) and is_escape(trick[0]) and rules.escape_then_character == SuitRule.NO_SUIT:
            return None
    return None


def legal_cards(rules: Rules, trick: Sequence[int], hand: Sequence[int]) -> list[int]:
    """Return the cards of a hand that may be laid, ascending: a suit card must follow if the hand can."""
    suit = suit_to_follow(rules, trick)
    follows = [card for card in hand if is_suit_card(card) and suit_of(card) == suit]
    specials = [card for card in hand if not is_suit_card(card)]
    return sorted(follows + specials) if follows else sorted(hand)


def distinct_ways(rules: Rules, cards: Sequence[int]) -> int:
    """Return in how many ways one can play that make a difference."""
    kinds: set[object] = set()
    for card in cards:
        if card == TIGRESS:
            kinds |= {"Tigress, pirate", "Tigress, escape"}
        elif is_loot(card):
            kinds.add("Loot")
        elif is_escape(card):
            kinds.add("escape")
        elif is_mermaid(card):
            kinds.add("mermaid")
        elif is_pirate(card) and not rules.pirate_powers:
            kinds.add("pirate")
        else:
            kinds.add(card)
    return len(kinds)


class Outcome(NamedTuple):
    """What a trick comes to: the winner's place, or None; the place that leads next; does the Whale act?"""

    winner: int | None
    leader: int
    under_whale: bool = False


def highest(trick: Sequence[int], places: Sequence[int]) -> int:
    """Return the place of the highest number, the first of equals."""
    top = max(number_of(trick[place]) for place in places)
    return next(place for place in places if number_of(trick[place]) == top)


def ordinary_winner(trick: Sequence[int], places: Sequence[int]) -> int:
    """Return who wins among these places without any beast."""
    kings = [place for place in places if trick[place] == SKULL_KING]
    pirates = [place for place in places if is_pirate(trick[place])]
    mermaids = [place for place in places if is_mermaid(trick[place])]
    suit_cards = [place for place in places if is_suit_card(trick[place])]
    blacks = [place for place in suit_cards if suit_of(trick[place]) == BLACK_SUIT]
    if mermaids and kings:
        return mermaids[0]
    for characters in (kings, pirates, mermaids):
        if characters:
            return characters[0]
    if blacks:
        return highest(trick, blacks)
    if suit_cards:
        led = suit_of(trick[suit_cards[0]])
        return highest(trick, [place for place in suit_cards if suit_of(trick[place]) == led])
    return places[0]


def outcome(rules: Rules, trick: Sequence[int]) -> Outcome:
    """Return what a trick comes to (or would come to, were it to end so)."""
    places = range(len(trick))
    beasts = [place for place in places if is_beast(trick[place])]
    if not beasts:
        winner = ordinary_winner(trick, places)
        return Outcome(winner, winner)
    beast = beasts[-1]
    if trick[beast] == KRAKEN:
        rest = [place for place in places if place not in beasts]
        if rules.kraken_leader == KrakenLeader.LEFT_OF_KRAKEN:
            return Outcome(None, (beast + 1) % len(trick))
        return Outcome(None, ordinary_winner(trick, rest) if rest else 0)
    suit_cards = [place for place in places if is_suit_card(trick[place])]
    if suit_cards:
        winner = highest(trick, suit_cards)
        return Outcome(winner, winner, under_whale=True)
    if rules.whale_without_suits == WhaleWithoutSuits.FIRST_ESCAPE:
        for place in places:
            if is_escape(trick[place]) or trick[place] == KRAKEN:
                return Outcome(place, place, under_whale=True)
    return Outcome(None, beast, under_whale=True)


def captures(rules: Rules, trick: Sequence[int]) -> Counter[str]:
    """Return how many cards of each kind the winner is due a bonus for."""
    taken: Counter[str] = Counter()
    result = outcome(rules, trick)
    if result.winner is None:
        return taken
    for card in trick:
        if is_suit_card(card) and number_of(card) == 14:
            taken["black_14" if suit_of(card) == BLACK_SUIT else "14"] += 1
    if result.under_whale:
        return taken
    winner = trick[result.winner]
    mermaids = len([card for card in trick if is_mermaid(card)])
    if is_mermaid(winner) and SKULL_KING in trick:
        taken["skull_king"] += 1
    elif winner == SKULL_KING:
        taken["pirate"] += len([card for card in trick if is_pirate(card)])
        if rules.escaped_tigress_counts:
            taken["pirate"] += list(trick).count(TIGRESS_AS_ESCAPE)
    elif is_pirate(winner):
        taken["mermaid"] += mermaids
    elif is_mermaid(winner) and rules.mermaid_captor == MermaidCaptor.ANY:
        taken["mermaid"] += mermaids - 1
    return taken


def alliances(rules: Rules, trick: Sequence[int], seats: Sequence[int]) -> list[tuple[int, int]]:
    """Return (who played the Loot, who won the trick) for every Loot that allies two seats."""
    result = outcome(rules, trick)
    if result.winner is None:
        return []
    if result.under_whale and rules.loot_under_whale == LootRule.NONE:
        return []
    winner = trick[result.winner]
    if (is_escape(winner) or winner == KRAKEN) and rules.loot_taken_by_escape == LootRule.NONE:
        return []
    return [
        (seats[place], seats[result.winner])
        for place, card in enumerate(trick)
        if is_loot(card) and place != result.winner
    ]


def bonus_points(rules: Rules, taken: Counter[str]) -> int:
    """Return what captures are worth."""
    return (
        taken["14"] * rules.bonus_14
        + taken["black_14"] * rules.bonus_black_14
        + taken["mermaid"] * rules.bonus_mermaid
        + taken["pirate"] * rules.bonus_pirate
        + taken["skull_king"] * rules.bonus_skull_king
    )
