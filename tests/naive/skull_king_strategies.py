"""The naive twin of Skull King, second part: what the players make of their cards.

*Need* is always: more tricks are needed than were taken.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from simcore import rng
from simcore.games.skull_king import rules as declared
from simcore.games.skull_king.cards import (
    SKULL_KING,
    TIGRESS,
    TIGRESS_AS_ESCAPE,
    Bidding,
)
from simcore.games.skull_king.rules import Rules
from tests.naive.skull_king_tricks import (
    BLACK_SUIT,
    is_mermaid,
    is_pirate,
    is_suit_card,
    legal_cards,
    number_of,
    outcome,
    suit_of,
    ways,
)


class Chance:
    """The random streams of a round, of a match (round 0), or of a playout."""

    def __init__(self, key: int, players: int) -> None:
        self.streams = np.zeros(rng.SEAT + players, np.uint64)
        for purpose in range(rng.SEAT + players):
            rng.start(self.streams, purpose, np.uint64(key), 0)

    @staticmethod
    def of_round(seed: int, game: int, round_number: int, players: int) -> Chance:
        key = rng.round_key(np.uint64(seed), np.uint64(game), np.uint64(round_number))
        return Chance(int(key), players)

    def below(self, purpose: int, n: int) -> int:
        return int(rng.below(self.streams, purpose, n))

    def word(self, purpose: int) -> int:
        return int(rng.word(self.streams, purpose))

    def pick(self, purpose: int, candidates: Iterable[int]) -> int:
        """Return one of the candidates, each as likely; nothing is drawn for a single one."""
        ascending = sorted(candidates)
        return ascending[self.below(purpose, len(ascending))]

    def shuffle(self, cards: list[int], places: int) -> None:
        """Fill the first places with cards drawn from the list."""
        for i in range(places):
            j = i + self.below(rng.DEAL, len(cards) - i)
            cards[i], cards[j] = cards[j], cards[i]


class Player:
    """A player in one round."""

    def __init__(self, seat: int, bids: str, plays: str, samples: int, total: int, hand: Iterable[int]) -> None:
        self.seat = seat
        self.bids = bids
        self.plays = plays
        self.samples = samples
        self.total = total  # before this round, in halves
        self.hand = list(hand)
        self.shown: set[int] = set()  # by Juanita, or drawn with Will
        self.bid = 0
        self.cannonball = False
        self.tricks = 0
        self.captures: Counter[str] = Counter()
        self.stake = 0  # of Rascal's wager, in halves
        self.won_with_harry = False

    def needs(self) -> bool:
        return self.bid > self.tricks

    def final_bid(self) -> int:
        """Return the bid after Harry, who moves it by one if that makes it exact."""
        return self.tricks if self.won_with_harry and abs(self.bid - self.tricks) == 1 else self.bid

    def miss(self) -> int:
        return abs(self.final_bid() - self.tricks)


# Bids


def chance_of_a_trick(card: int) -> Fraction:
    if card == SKULL_KING:
        return Fraction(1)
    if is_pirate(card):  # the Tigress in hand is one
        return Fraction(85, 100)
    if is_mermaid(card):
        return Fraction(7, 10)
    if not is_suit_card(card):
        return Fraction(0)
    if suit_of(card) == BLACK_SUIT:
        return max(Fraction(0), Fraction(number_of(card) - 4, 10))
    high = {14: Fraction(60, 100), 13: Fraction(45, 100), 12: Fraction(30, 100), 11: Fraction(15, 100)}
    return high.get(number_of(card), Fraction(0))


def estimate(rules: Rules, bids: str, hand: Iterable[int], round_number: int) -> Fraction:
    """Return how many tricks a bidder expects of a hand."""
    if bids == "calibrated":
        chances = declared.fold(rules)["calibrated_chances"][round_number - 1]
        return Fraction(sum(int(chances[card]) for card in hand), 1000)
    factor = min(Fraction(1), Fraction(5, rules.players) + Fraction(1, 10))
    return factor * sum((chance_of_a_trick(card) for card in hand), Fraction(0))


def nearest(number: Fraction) -> int:
    """Round, halves up."""
    return math.floor(number + Fraction(1, 2))


def calibrated_bids(rules: Rules, hand: list[int], round_number: int, earlier: Sequence[int]) -> list[int]:
    """Return the bids that the learned table holds for best."""
    cards = len(hand)
    per_trick = 4 if cards <= 17 else 2
    expected = estimate(rules, "calibrated", hand, round_number)
    column = min(math.floor(expected * per_trick), declared.CALIBRATED_BINS - 1)
    context = 0
    if rules.bidding != Bidding.SIMULTANEOUS:
        excess = sum(earlier) - Fraction(len(earlier) * cards, rules.players)
        if abs(excess) <= Fraction(1, 2):
            context = 2
        else:
            context = 1 if excess < 0 else 3
    bits = int(declared.fold(rules)["calibrated_bids"][round_number - 1][context][column])
    return [bid for bid in range(cards + 1) if bits >> bid & 1]


def choose_bid(rules: Rules, player: Player, round_number: int, earlier: Sequence[int], chance: Chance) -> int:
    """Return a bid, whether allowed or not; the `rollout` is not made here."""
    stream = rng.SEAT + player.seat
    if player.bids == "random":
        return chance.below(stream, len(player.hand) + 1)
    if player.bids == "zero":
        return 0
    if player.bids == "calibrated":
        return chance.pick(stream, calibrated_bids(rules, player.hand, round_number, earlier))
    assert player.bids == "count"
    return nearest(estimate(rules, "count", player.hand, round_number))


def choose_cannonball(rules: Rules, player: Player, round_number: int, chance: Chance) -> bool:
    """Choose the load; the `rollout` has found it with its bid."""
    if player.bids in ("random", "zero"):
        return chance.below(rng.SEAT + player.seat, 2) == 1
    expected = estimate(rules, player.bids, player.hand, round_number)
    return min(expected % 1, 1 - expected % 1) <= Fraction(1, 4)


def allowed_bid(bid: int, forbidden: int | None) -> int:
    """Move a forbidden bid to the nearest other one, down if there is one below."""
    if bid != forbidden:
        return bid
    return bid - 1 if bid > 0 else 1


# Cards


def strength(card: int, need: bool) -> int:
    """Return a rank in the order of strength of cards in hand; equal ones are alike."""
    if card == SKULL_KING:
        return 103
    if card == TIGRESS:
        return 102 if need else 0
    if is_pirate(card):
        return 102
    if is_mermaid(card):
        return 101
    if is_suit_card(card):
        return number_of(card) + (20 if suit_of(card) == BLACK_SUIT else 0)
    return 0


def weakest(cards: Iterable[int], need: bool) -> list[int]:
    """Return all that are equally weakest."""
    cards = list(cards)
    least = min(strength(card, need) for card in cards)
    return [card for card in cards if strength(card, need) == least]


def strongest(cards: Iterable[int], need: bool) -> list[int]:
    cards = list(cards)
    most = max(strength(card, need) for card in cards)
    return [card for card in cards if strength(card, need) == most]


def would_win(rules: Rules, trick: Sequence[int], card: int, later: Sequence[int] = ()) -> bool:
    """Whether a card laid now would win, were the trick to end with it (or with those laid later)."""
    return outcome(rules, [*trick, card, *later]).winner == len(trick)


def as_laid(rules: Rules, trick: Sequence[int], card: int, need: bool) -> int:
    """Declare the Tigress."""
    if card != TIGRESS:
        return card
    return TIGRESS if need and would_win(rules, trick, TIGRESS) else TIGRESS_AS_ESCAPE


def contract_cards(rules: Rules, trick: Sequence[int], options: Sequence[int], need: bool) -> list[int]:
    """Return the equally good cards for a player that needs a trick, or has enough."""
    if not trick:
        return strongest(options, need) if need else weakest(options, need)
    winning = [card for card in options if would_win(rules, trick, as_laid(rules, trick, card, need))]
    if need:
        return weakest(winning or options, need)
    return strongest([card for card in options if card not in winning] or options, need)


def is_sure_winner(rules: Rules, trick: Sequence[int], card: int, unseen: Iterable[int]) -> bool:
    """Whether a card wins now and whatever single unseen card follows."""
    return would_win(rules, trick, card) and all(
        would_win(rules, trick, card, [laid]) for later in unseen for laid in ways(later)
    )


def is_sure_loser(rules: Rules, trick: Sequence[int], card: int, unseen: Iterable[int]) -> bool:
    """Whether a card does not win now, nor with any single unseen card after it."""
    return not would_win(rules, trick, card) and not any(
        would_win(rules, trick, card, [laid]) for later in unseen for laid in ways(later)
    )


def counter_cards(
    rules: Rules, trick: Sequence[int], options: Sequence[int], need: bool, unseen: Iterable[int]
) -> list[int]:
    """Return the equally good cards for a player who remembers; `unseen` is empty if nobody is still to play."""
    is_sure = is_sure_winner if need else is_sure_loser
    sure = [card for card in options if is_sure(rules, trick, as_laid(rules, trick, card, need), unseen)]
    if not sure:
        return contract_cards(rules, trick, options, need)
    return weakest(sure, need) if need else strongest(sure, need)


def is_in_reach(player: Player, tricks_left: int) -> bool:
    return 0 <= player.bid - player.tricks <= tricks_left


def spoiler_need(player: Player, players: Sequence[Player], chance: Chance) -> bool:
    """Return whether the spoiler plays as one who needs a trick."""
    tricks_left = len(player.hand)
    if is_in_reach(player, tricks_left):
        return player.needs()
    rivals = [other for other in players if other is not player and is_in_reach(other, tricks_left)]
    if not rivals:
        return player.needs()
    best = max(other.total for other in rivals)
    target = chance.pick(rng.SEAT + player.seat, [other.seat for other in rivals if other.total == best])
    return players[target].needs()


def choose_card(
    rules: Rules, trick: Sequence[int], player: Player, players: Sequence[Player], unseen: Iterable[int], chance: Chance
) -> int:
    """Return the card a player lays, the Tigress as declared.

    Parameters
    ----------
    unseen
        What those who play later in this trick might hold as far as the player knows; empty for the last.
    """
    stream = rng.SEAT + player.seat
    options = legal_cards(rules, trick, player.hand)
    if player.plays == "random":
        card = chance.pick(stream, options)
        return ways(card)[1 - chance.below(stream, 2)] if card == TIGRESS else card
    need = spoiler_need(player, players, chance) if player.plays == "spoiler" else player.needs()
    if player.plays == "counter":
        best = counter_cards(rules, trick, options, need, list(unseen))
    else:
        assert player.plays in ("contract", "spoiler")
        best = contract_cards(rules, trick, options, need)
    return as_laid(rules, trick, chance.pick(stream, best), need)


# Powers


def discard(player: Player, chance: Chance) -> int:
    """Return the card that Will lets go."""
    worst = weakest(player.hand, True) if player.needs() else strongest(player.hand, False)
    return chance.pick(rng.SEAT + player.seat, worst)


def choose_stake(rules: Rules, player: Player, round_number: int, chance: Chance) -> int:
    """Return what is wagered with Rascal, in halves of points."""
    if player.bids in ("random", "zero"):
        return chance.below(rng.SEAT + player.seat, 3) * rules.wager
    still_expected = nearest(estimate(rules, player.bids, player.hand, round_number))
    return 2 * rules.wager if player.bid - player.tricks == still_expected else 0


def seat_styles(seats: Sequence[Any]) -> list[tuple[str, str, int]]:
    """Return the bid, the play and the samples of each seat."""
    for seat in seats:
        assert not any(chosen.own for chosen in seat.parts.values())
    return [(seat.parts["bid"].name, seat.parts["play"].name, seat.parameters["samples"]) for seat in seats]
