"""The naive twin of My Ship Sails: slow and obvious, a hand is a Python set of card numbers.

It knows the rules of the game and the list of draws, and nothing of the kernel, so that whatever both agree
on was understood twice.

A card is the number 13 * suit + rank. A player's *target* is the suit it collects, its *off-target* cards are all
others. `simcore.rng` gives the chances; everything else is done here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simcore import rng
from simcore.declare import SHARE
from simcore.games.my_ship_sails.rules import (
    DealtFlush,
    Deck,
    Direction,
    Discard,
    FirstTarget,
    PassMode,
    Rules,
    Simultaneous,
    Trim,
    TrimSuits,
)

if TYPE_CHECKING:
    from simcore.strategies import Seat
    from tests.twins import Observed, Sums

Hand = set[int]
ALL_SUITS = (0, 1, 2, 3)
LEFT, RIGHT = 1, -1


class Chance:
    """The random streams of one round (or, for round 0, of what is drawn once a match)."""

    def __init__(self, seed: int, game: int, round_number: int, players: int) -> None:
        self.key = np.uint64(rng.round_key(np.uint64(seed), np.uint64(game), np.uint64(round_number)))
        self.streams = np.zeros(rng.SEAT + players, np.uint64)
        for purpose in range(rng.SEAT + players):
            rng.start(self.streams, purpose, self.key, 0)

    def below(self, purpose: int, n: int) -> int:
        return int(rng.below(self.streams, purpose, n))

    def pick(self, purpose: int, candidates: Iterable[int]) -> int:
        """Return one of the candidates, each as likely; nothing is drawn for a single one."""
        ascending = sorted(candidates)
        return ascending[self.below(purpose, len(ascending))]

    def happens(self, chance: float) -> bool:
        return bool(rng.happens(self.streams, rng.CHANCE, chance))

    def uniform(self) -> float:
        return float(rng.uniform(self.streams, rng.CHANCE))

    def shuffle(self, things: list[int], places: int) -> None:
        """Fill the first places of a list with things drawn from it."""
        for i in range(places):
            j = i + self.below(rng.DEAL, len(things) - i)
            things[i], things[j] = things[j], things[i]


def suit_of(card: int) -> int:
    return card // 13


def rank_of(card: int) -> int:
    return card % 13


def of_suit(hand: Iterable[int], suit: int) -> list[int]:
    return sorted(card for card in hand if suit_of(card) == suit)


def count(hand: Iterable[int], suit: int) -> int:
    return len(of_suit(hand, suit))


def best_count(hand: Hand) -> int:
    return max(count(hand, suit) for suit in ALL_SUITS)


def best_suits(hand: Hand, suits: Iterable[int]) -> list[int]:
    """Return those of the given suits of which the hand has most cards (none is a number too)."""
    suits = list(suits)
    most = max(count(hand, suit) for suit in suits)
    return [suit for suit in suits if count(hand, suit) == most]


def has_flush(rules: Rules, hand: Hand) -> bool:
    return best_count(hand) >= rules.hand_size


def is_4300(hand: Hand) -> bool:
    return sorted(count(hand, suit) for suit in ALL_SUITS) == [0, 0, 3, 4]


def cut_pack(rules: Rules, short_first: Sequence[int] = ALL_SUITS) -> list[int]:
    """Return the cards in play, ascending; `short_first` is the order in which single cards are taken out."""
    ranks = list(range(13)) if rules.deck == Deck.STANDARD else list(range(5, 13))
    cards = {13 * suit + rank for suit in ALL_SUITS for rank in ranks}
    if rules.trim == Trim.NONE:
        return sorted(cards)
    if rules.trim == Trim.HIGHEST:
        ranks.reverse()
    needed = rules.players * rules.hand_size
    for rank in ranks:
        # A whole rank goes as four single cards one after the other, so both cuts are the same loop.
        whole = len(cards) - needed >= 4
        for suit in ALL_SUITS if whole else short_first:
            if len(cards) > needed:
                cards.remove(13 * suit + rank)
    return sorted(cards)


def deal(rules: Rules, cards: Sequence[int], chance: Chance) -> list[Hand]:
    """Deal, and deal again while the rules ask for it."""
    number = 0
    while True:
        rng.start(chance.streams, rng.DEAL, chance.key, number)
        shuffled = list(cards)
        chance.shuffle(shuffled, rules.players * rules.hand_size)
        hands = [set(shuffled[s * rules.hand_size : (s + 1) * rules.hand_size]) for s in range(rules.players)]
        if rules.dealt_flush != DealtFlush.REDEAL or not any(has_flush(rules, hand) for hand in hands):
            return hands
        number += 1


class Player:
    """One player in one round: its hand, and what its strategy remembers."""

    def __init__(self, seat: int, plays: Seat, hand: Hand, chance: Chance) -> None:
        assert not plays.parts["style"].own
        self.seat = seat
        self.style = plays.parts["style"].name
        self.parameters = plays.parameters
        self.hand = set(hand)
        self.chance = chance
        self.arrived = dict.fromkeys(hand, 0)  # card in hand: the pass at which it came, 0 for the deal
        self.given: set[int] = set()  # cards passed in this round, wherever they are now
        self.marked: set[int] = set()  # suits of cards given that came back: the neighbour seems not to keep them
        self.passes = 0
        self.target: int | None = None
        self.barred: int | None = None
        self.stale = 0
        self.target_count = 0  # at the previous decision, of the target chosen then
        if self.style in ("stubborn", "adaptive", "patient", "watcher"):
            self.target = self.pick(best_suits(self.hand, ALL_SUITS))
        if self.style == "stubborn" and self.parameters["first_target"] == FirstTarget.SECOND:
            others = [suit for suit in ALL_SUITS if suit != self.target]
            self.target = self.pick(best_suits(self.hand, others))

    def pick(self, candidates: Iterable[int]) -> int:
        return self.chance.pick(rng.SEAT + self.seat, candidates)

    def choose_target(self) -> None:
        """Stay with the target or move, as the strategy wants before it passes."""
        if self.style == "hesitant" and self.target is None and self.passes >= self.parameters["hesitation"]:
            self.target = self.pick(best_suits(self.hand, ALL_SUITS))
        elif self.style == "patient":
            self.choose_patiently()
        elif self.style in ("adaptive", "watcher", "hesitant") and self.target is not None:
            self.move_if_better(ALL_SUITS)

    def move_if_better(self, suits: Iterable[int]) -> bool:
        """Move the target to the best of the suits if it is strictly better."""
        assert self.target is not None
        best = best_suits(self.hand, suits)
        if count(self.hand, best[0]) <= count(self.hand, self.target):
            return False
        self.target = self.pick(best)
        return True

    def choose_patiently(self) -> None:
        assert self.target is not None
        if self.passes > 0:
            has_grown = count(self.hand, self.target) > self.target_count
            self.stale = 0 if has_grown else self.stale + 1
        if self.move_if_better([suit for suit in ALL_SUITS if suit != self.barred]):
            self.stale = 0
            self.barred = None
        elif self.stale >= self.parameters["patience"]:
            allowed = [suit for suit in ALL_SUITS if suit not in (self.target, self.barred)]
            self.barred = self.target
            self.target = self.pick(best_suits(self.hand, allowed))
            self.stale = 0
        self.target_count = count(self.hand, self.target)

    def choose_card(self, left: int) -> int:
        """Return the next card to give, when so many are left to choose."""
        if self.target is None:
            return self.pick(self.hand)
        off_target = [card for card in self.hand if suit_of(card) != self.target]
        if not off_target:
            return min(self.hand)
        if len(off_target) <= left:
            return min(off_target)
        if self.parameters["discard"] == Discard.SHORTEST:
            held = {suit_of(card) for card in off_target}
            fewest = min(count(self.hand, suit) for suit in held)
            tied = [suit for suit in held if count(self.hand, suit) == fewest]
            marked = [suit for suit in tied if suit in self.marked]
            return of_suit(self.hand, self.pick(self.preferred(tied, marked)))[0]
        if self.parameters["discard"] == Discard.NEWEST:
            latest = max(self.arrived[card] for card in off_target)
            off_target = [card for card in off_target if self.arrived[card] == latest]
        marked = [card for card in off_target if suit_of(card) in self.marked]
        return self.pick(self.preferred(off_target, marked))

    def preferred(self, candidates: list[int], marked: list[int]) -> list[int]:
        return marked if self.style == "watcher" and marked else candidates

    def give(self, pass_count: int) -> list[int]:
        """Decide, and take the cards to pass out of the hand."""
        self.choose_target()
        cards = []
        for left in range(pass_count, 0, -1):
            card = self.choose_card(left)
            self.hand.remove(card)
            del self.arrived[card]
            self.given.add(card)
            cards.append(card)
        self.passes += 1
        return cards

    def take(self, cards: Iterable[int], pass_number: int) -> None:
        for card in cards:
            assert card not in self.hand
            self.hand.add(card)
            self.arrived[card] = pass_number
            if card in self.given:
                self.marked.add(suit_of(card))


class Call(NamedTuple):
    """Who won with which suit; how many called, and how many of those looked at held a flush."""

    winner: int
    suit: int
    callers: int
    holders: int


def first_caller(rules: Rules, callers: list[int], chance: Chance) -> int:
    """Return who is quickest: as likely as the speeds say."""
    speeds = [rules.call_speed[0 if len(rules.call_speed) == 1 else seat] for seat in callers]
    total = 0.0
    for speed in speeds:
        total += speed
    mark = chance.uniform() * total
    running = 0.0
    for seat, speed in zip(callers, speeds, strict=True):
        running += speed
        if running > mark:
            return seat
    return callers[-1]


def highest_flush(callers: list[int], players: Sequence[Player], chance: Chance) -> int:
    """Return the caller with the higher cards, compared from the top; one of the equal ones by lot."""

    def ranks(seat: int) -> list[int]:
        hand = players[seat].hand
        (suit,) = best_suits(hand, ALL_SUITS)
        return sorted((rank_of(card) for card in of_suit(hand, suit)), reverse=True)

    top = max(ranks(seat) for seat in callers)
    return chance.pick(rng.CHANCE, [seat for seat in callers if ranks(seat) == top])


def check(rules: Rules, players: Sequence[Player], seats: Iterable[int], chance: Chance) -> Call | None:
    """Look for flushes at the given seats, and for who calls."""
    holders = [seat for seat in seats if has_flush(rules, players[seat].hand)]
    callers = [seat for seat in holders if not chance.happens(rules.overlook)]
    if not callers:
        return None
    winner = callers[0]
    if len(callers) > 1:
        by_rank = rules.simultaneous == Simultaneous.HIGH_CARD
        if rules.simultaneous == Simultaneous.FIRST_CALL:
            winner = first_caller(rules, callers, chance)
            by_rank = chance.happens(rules.dead_heat)
        if by_rank:
            winner = highest_flush(callers, players, chance)
    (suit,) = best_suits(players[winner].hand, ALL_SUITS)
    return Call(winner, suit, len(callers), len(holders))


class Round(NamedTuple):
    """What is to be known of a round that was played."""

    call: Call | None
    passes: int
    turns: int
    dealt: list[Hand]
    final: list[Hand]
    best_counts: list[list[int]]
    """Before the first pass, and after each whole pass: every seat's highest count."""

    def half_time_leader(self) -> int | None:
        counts = self.best_counts[self.passes // 2]
        leaders = [seat for seat, number in enumerate(counts) if number == max(counts)]
        return leaders[0] if len(leaders) == 1 else None


def direction_of(rules: Rules, round_number: int, pass_number: int) -> int:
    if rules.direction == Direction.ALTERNATE_ROUNDS:
        return LEFT if round_number % 2 == 1 else RIGHT
    if rules.direction == Direction.ALTERNATE_PASSES:
        return LEFT if pass_number % 2 == 1 else RIGHT
    return LEFT if rules.direction == Direction.LEFT else RIGHT


def play_round(
    rules: Rules, seats: Sequence[Seat], hands: list[Hand], dealer: int, round_number: int, chance: Chance
) -> Round:
    """Play a round with the hands dealt."""
    players = [Player(seat, seats[seat], hand, chance) for seat, hand in enumerate(hands)]
    everybody = range(rules.players)
    dealt_cards = sorted(card for hand in hands for card in hand)
    assert len(set(dealt_cards)) == rules.players * rules.hand_size
    best_counts = [[best_count(hand) for hand in hands]]
    turns = 0
    passes = 0
    call = check(rules, players, everybody, chance)
    while call is None and passes < rules.max_passes:
        passes += 1
        step = direction_of(rules, round_number, passes)
        if rules.pass_mode == PassMode.SIMULTANEOUS:
            given = [player.give(rules.pass_count) for player in players]
            for seat in everybody:
                players[(seat + step) % rules.players].take(given[seat], passes)
            turns += rules.players
            assert all(len(player.hand) == rules.hand_size for player in players)
            call = check(rules, players, everybody, chance)
        else:
            giver = (dealer + 1) % rules.players
            for _ in everybody:
                receiver = (giver + step) % rules.players
                players[receiver].take(players[giver].give(rules.pass_count), passes)
                turns += 1
                call = check(rules, players, [receiver], chance)
                if call is not None:
                    break
                giver = receiver
        assert sorted(card for player in players for card in player.hand) == dealt_cards
        best_counts.append([best_count(player.hand) for player in players])
    return Round(call, passes, turns, hands, [player.hand for player in players], best_counts)


class Notes:
    """The sums and the distributions of one match."""

    def __init__(self) -> None:
        self.sums: Sums = Counter()
        self.observed: Observed = Counter()

    def add(self, name: str, amount: int = 1, *key: int) -> None:
        if amount:
            self.sums[name, key] += amount

    def observe(self, name: str, value: int, low: int, high: int, *key: int) -> None:
        """Add a value and keep it in the distribution, whose end bins are open."""
        self.add(name, value, *key)
        self.observed[name, key, min(max(value, low), high) - low] += 1

    def note_round(self, rules: Rules, played: Round) -> None:
        self.add("turns", played.turns)
        self.add("choice_turns", played.turns)
        for seat, (dealt, final) in enumerate(zip(played.dealt, played.final, strict=True)):
            held = min(best_count(final), rules.hand_size)
            self.observe("best_suit_count", held, 0, 13, seat)
            self.observe("initial_best_count", best_count(dealt), 0, 13, seat)
            self.add("off_suit_cards", rules.hand_size - held, seat)
            self.add("deal_4300", int(is_4300(dealt)))
        if played.call is None:
            self.add("stalemate")
            return
        winner, suit, callers, holders = played.call
        self.add("ended")
        self.add("round_win", 1, winner)
        self.observe("passes", played.passes, 0, 4095)
        self.add("multiple_flush", int(callers > 1))
        self.add("dealt_flush", int(played.passes == 0))
        self.add("winning_suit", 1, suit)
        self.observe("flush_callers", callers, 1, 13)
        self.observe("flush_holders", holders, 1, 13)
        self.add("win_from_4300", int(is_4300(played.dealt[winner])))
        leader = played.half_time_leader()
        self.add("led_rounds", int(leader is not None))
        self.add("half_time_leader_won", int(leader == winner))


def match_winner(rules: Rules, points: list[int], reached: int | None) -> int | None:
    """Return the player with the highest total; a tie goes to whoever reached the target, else to nobody."""
    best = [seat for seat, total in enumerate(points) if total == max(points)]
    if len(best) == 1:
        return best[0]
    return reached if reached in best else None


def play_match(rules: Rules, seats: Sequence[Seat], seed: int, game: int) -> tuple[Sums, Observed]:
    """Play one match, and return all that is added up about it."""
    notes = Notes()
    match_chance = Chance(seed, game, rng.MATCH, rules.players)
    dealer = match_chance.below(rng.DEAL, rules.players)
    suits = list(ALL_SUITS)
    if rules.trim_suits == TrimSuits.RANDOM and rules.trim != Trim.NONE:
        # The pack is whole ranks of four, so what the hands need beyond such tells how many singles go.
        match_chance.shuffle(suits, -rules.players * rules.hand_size % 4)
    cards = cut_pack(rules, suits)
    wins = [0] * rules.players
    rounds = 0
    won_rounds: list[tuple[int, int]] = []  # passes and winner
    while rounds < rules.max_rounds and max(wins) < rules.match_target:
        rounds += 1
        chance = Chance(seed, game, rounds, rules.players)
        played = play_round(rules, seats, deal(rules, cards, chance), dealer, rounds, chance)
        notes.note_round(rules, played)
        if played.call is not None:
            wins[played.call.winner] += 1
            won_rounds.append((played.passes, played.call.winner))
        dealer = (dealer + 1) % rules.players
    points = list(wins)
    if won_rounds:
        fastest = min(passes for passes, _ in won_rounds)
        points[next(winner for passes, winner in won_rounds if passes == fastest)] += rules.fastest_bonus
        notes.add("won_matches")
        notes.observe("fastest", fastest, 0, 4095)
    reached = wins.index(rules.match_target) if rules.match_target in wins else None
    winner = match_winner(rules, points, reached)
    if winner is None:
        notes.add("no_winner")
    else:
        notes.add("match_win", SHARE, winner)
    notes.add("matches")
    notes.observe("rounds", rounds, 1, 4096)
    for seat, total in enumerate(points):
        notes.observe("points", total, 0, 110, seat)
    return notes.sums, notes.observed
