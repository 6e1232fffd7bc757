"""The naive twin of Skull King, third part: one round, from the deal to the points.

A *hand* belongs to a player or to Graybeard, who is the third of two players. Points are counted in halves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from simcore import rng
from simcore.games.skull_king.cards import (
    HARRY,
    JUANITA,
    RASCAL,
    ROSIE,
    TIGRESS,
    TIGRESS_AS_ESCAPE,
    WILL,
    Bidding,
    BonusWhen,
    Scoring,
    ZeroUses,
)
from simcore.games.skull_king.rules import Rules
from tests.naive.skull_king_strategies import (
    Chance,
    Player,
    allowed_bid,
    choose_bid,
    choose_cannonball,
    choose_card,
    choose_stake,
    discard,
)
from tests.naive.skull_king_tricks import (
    alliances,
    bonus_points,
    captures,
    distinct_ways,
    in_hand,
    legal_cards,
    outcome,
    pack,
)

GRAYBEARD = 2


def hand_count(rules: Rules) -> int:
    return rules.players + (1 if rules.graybeard else 0)


def hand_size(rules: Rules, round_number: int) -> int:
    """Return how many cards everybody is really dealt."""
    return min(rules.rounds[round_number - 1], len(pack(rules)) // hand_count(rules))


def bidding_order(rules: Rules, leader: int, last_human_leader: int) -> list[int]:
    """Return the seats from the round's leader to the left."""
    first = 1 - last_human_leader if rules.graybeard and leader == GRAYBEARD else leader
    return [(first + i) % rules.players for i in range(rules.players)]


def forbidden_bid(rules: Rules, cards: int, earlier: Sequence[int]) -> int | None:
    """Return the bid that the next bidder may not make."""
    if rules.bidding == Bidding.DEALER_RESTRICTED and len(earlier) == rules.players - 1:
        return cards - sum(earlier)
    return None


class Round:
    """A round that was dealt: the bids, the tricks, and what came of them."""

    def __init__(
        self,
        rules: Rules,
        number: int,
        players: list[Player],
        ghost: list[int],
        undealt: list[int],
        leader: int,
        last_human_leader: int,
        chance: Chance,
    ) -> None:
        self.rules = rules
        self.number = number
        self.players = players
        self.ghost = list(ghost)  # Graybeard's cards, the top one first
        self.undealt = list(undealt)
        self.first_leader = leader
        self.leader = leader
        self.last_human_leader = last_human_leader
        self.chance = chance
        self.cards = len(players[0].hand)
        self.played: list[int] = []
        self.discarded: list[int] = []
        self.alliances: list[tuple[int, int]] = []
        self.void_tricks = 0
        self.ghost_tricks = 0
        self.turns = 0
        self.choice_turns = 0

    # Bids

    def bid(self) -> None:
        """Let everybody bid, and choose a load if there is a choice."""
        earlier: list[int] = []
        for seat in bidding_order(self.rules, self.leader, self.last_human_leader):
            player = self.players[seat]
            known = [] if self.rules.bidding == Bidding.SIMULTANEOUS else earlier
            if player.bids == "rollout":
                player.bid, player.cannonball = self.bid_by_rollout(player, known)
            else:
                player.bid = choose_bid(self.rules, player, self.number, known, self.chance)
            player.bid = allowed_bid(player.bid, forbidden_bid(self.rules, self.cards, earlier))
            assert 0 <= player.bid <= self.cards
            earlier.append(player.bid)
        if self.rules.bidding == Bidding.DEALER_RESTRICTED:
            assert sum(earlier) != self.cards
        if self.rules.scoring == Scoring.RASCAL_CANNONBALL:
            for player in self.players:
                if player.bids != "rollout":
                    player.cannonball = choose_cannonball(self.rules, player, self.number, self.chance)

    def bid_by_rollout(self, bidder: Player, known: Sequence[int]) -> tuple[int, bool]:
        """Return the bid and the load with the most points over all samples."""
        loads = [False, True] if self.rules.scoring == Scoring.RASCAL_CANNONBALL else [False]
        candidates = [(bid, cannonball) for bid in range(self.cards + 1) for cannonball in loads]
        points = [0] * len(candidates)
        stream = rng.SEAT + bidder.seat
        for _ in range(bidder.samples):
            key = self.chance.word(stream)
            for index, (bid, cannonball) in enumerate(candidates):
                points[index] += self.playout(bidder, known, bid, cannonball, key)
        best = [index for index in range(len(candidates)) if points[index] == max(points)]
        return candidates[self.chance.pick(stream, best)]

    def playout(self, bidder: Player, known: Sequence[int], bid: int, cannonball: bool, key: int) -> int:
        """Play the round out with some deal of the unseen cards, and return the bidder's points."""
        rules = self.rules
        chance = Chance(key, rules.players)
        unseen = [card for card in pack(rules) if card not in bidder.hand]
        chance.shuffle(unseen, self.cards * (hand_count(rules) - 1))
        players = []
        for player in self.players:
            hand = bidder.hand
            if player is not bidder:
                hand, unseen = unseen[: self.cards], unseen[self.cards :]
            players.append(Player(player.seat, "count", player.plays, 0, player.total, hand))
        ghost = unseen[: self.cards] if rules.graybeard else []
        undealt = unseen[len(ghost) :]
        imagined = Round(rules, self.number, players, ghost, undealt, self.first_leader, self.last_human_leader, chance)
        earlier: list[int] = []
        for place, seat in enumerate(bidding_order(rules, self.first_leader, self.last_human_leader)):
            player = players[seat]
            if seat == bidder.seat:
                player.bid, player.cannonball = bid, cannonball  # a forbidden bid is tried like any other
            elif place < len(known):
                player.bid = known[place]
            else:
                player.bid = choose_bid(rules, player, self.number, earlier, chance)
                player.bid = allowed_bid(player.bid, forbidden_bid(rules, self.cards, earlier))
            earlier.append(player.bid)
        imagined.play()
        return imagined.points(bidder.seat)

    # Tricks

    def play(self) -> None:
        for tricks_left in reversed(range(self.cards)):
            self.play_trick(is_last=tricks_left == 0)
            assert all(len(player.hand) == tricks_left for player in self.players)
            self.check_cards()
        taken = sum(player.tricks for player in self.players)
        assert taken + self.void_tricks + self.ghost_tricks == self.cards

    def check_cards(self) -> None:
        """Every card of the pack is somewhere, once."""
        held = [card for player in self.players for card in player.hand]
        assert sorted(held + self.ghost + self.undealt + self.played + self.discarded) == list(pack(self.rules))

    def order_of_play(self) -> list[int]:
        """Return who plays, from the leader of the trick; Graybeard is always second unless it leads."""
        if not self.rules.graybeard:
            return [(self.leader + i) % self.rules.players for i in range(self.rules.players)]
        if self.leader == GRAYBEARD:
            return [GRAYBEARD, 1 - self.last_human_leader, self.last_human_leader]
        return [self.leader, GRAYBEARD, 1 - self.leader]

    def play_trick(self, is_last: bool) -> None:
        seats = self.order_of_play()
        if self.leader != GRAYBEARD or not self.rules.graybeard:
            self.last_human_leader = self.leader
        trick: list[int] = []
        for place, seat in enumerate(seats):
            if self.rules.graybeard and seat == GRAYBEARD:
                card = self.ghost.pop(0)
                trick.append(TIGRESS_AS_ESCAPE if card == TIGRESS else card)
                self.played.append(card)
            else:
                trick.append(self.play_card(self.players[seat], trick, is_last_to_play=place == len(seats) - 1))
        self.take_trick(trick, seats, is_last)

    def play_card(self, player: Player, trick: list[int], is_last_to_play: bool) -> int:
        unseen = []
        if not is_last_to_play:
            seen = {*player.hand, *self.played, *player.shown}
            unseen = [card for card in pack(self.rules) if card not in seen]
        self.turns += 1
        if distinct_ways(self.rules, legal_cards(self.rules, trick, player.hand)) > 1:
            self.choice_turns += 1
        card = choose_card(self.rules, trick, player, self.players, unseen, self.chance)
        player.hand.remove(in_hand(card))
        self.played.append(in_hand(card))
        return card

    def take_trick(self, trick: list[int], seats: list[int], is_last: bool) -> None:
        result = outcome(self.rules, trick)
        self.leader = seats[result.leader]
        if result.winner is None:
            self.void_tricks += 1
            return
        if self.rules.graybeard and seats[result.winner] == GRAYBEARD:
            self.ghost_tricks += 1
            return
        winner = self.players[seats[result.winner]]
        winner.tricks += 1
        winner.captures += captures(self.rules, trick)
        for ally in alliances(self.rules, trick, seats):
            if not (self.rules.graybeard and GRAYBEARD in ally):
                self.alliances.append(ally)
        if self.rules.pirate_powers:
            self.use_power(winner, trick[result.winner], is_last)

    def use_power(self, winner: Player, pirate: int, is_last: bool) -> None:
        """Let a named pirate do what it can; in the last trick of the round only Harry can."""
        if pirate == HARRY:
            winner.won_with_harry = True
        if is_last:
            return
        if pirate == ROSIE:
            self.leader = winner.seat if winner.needs() else (winner.seat + 1) % self.rules.players
        elif pirate == WILL:
            drawn: list[int] = []
            while self.undealt and len(drawn) < 2:
                card = self.chance.pick(rng.CHANCE, self.undealt)
                self.undealt.remove(card)
                drawn.append(card)
            winner.hand += drawn
            winner.shown |= set(drawn)
            for _ in drawn:
                card = discard(winner, self.chance)
                winner.hand.remove(card)
                self.discarded.append(card)
                winner.shown.add(card)
        elif pirate == JUANITA:
            winner.shown |= set(self.undealt)
        elif pirate == RASCAL:
            winner.stake = choose_stake(self.rules, winner, self.number, self.chance)

    # Points, in halves

    def bonus(self, seat: int) -> int:
        """Return the bonus points paid: 14s, captures and Loot."""
        player = self.players[seat]
        if self.rules.bonus_when == BonusWhen.NEVER:
            return 0
        by_rascal = self.rules.scoring != Scoring.SKULL_KING and not player.cannonball
        paid_halves = 0
        if self.rules.bonus_when == BonusWhen.ALWAYS or player.miss() == 0:
            paid_halves = 2
        elif by_rascal and player.miss() == 1:
            paid_halves = 1
        points = paid_halves * bonus_points(self.rules, player.captures)
        for allies in self.alliances:
            if seat in allies and all(self.players[ally].miss() == 0 for ally in allies):
                points += 2 * self.rules.bonus_loot
        return points

    def bid_points(self, player: Player) -> int:
        """Return what the bid alone won or lost."""
        rules = self.rules
        if rules.scoring == Scoring.SKULL_KING:
            if player.final_bid() == 0:
                times = self.number if rules.zero_uses == ZeroUses.ROUND else self.cards
                return (2 if player.miss() == 0 else -2) * rules.zero_bid_points * times
            if player.miss() == 0:
                return 2 * rules.points_per_trick * player.final_bid()
            return -2 * rules.penalty_per_miss * player.miss()
        if player.cannonball:
            return 2 * 15 * self.cards if player.miss() == 0 else 0
        return {0: 2, 1: 1}.get(player.miss(), 0) * 10 * self.cards

    def points(self, seat: int) -> int:
        player = self.players[seat]
        wager = player.stake if player.miss() == 0 else -player.stake
        return self.bid_points(player) + self.bonus(seat) + wager

    def captured(self) -> Counter[str]:
        total: Counter[str] = Counter()
        for player in self.players:
            total += player.captures
        return total


def deal(
    rules: Rules,
    number: int,
    styles: Sequence[tuple[str, str, int]],
    totals: Sequence[int],
    leader: int,
    last_human_leader: int,
    chance: Chance,
) -> Round:
    """Shuffle and deal."""
    cards = list(pack(rules))
    size = hand_size(rules, number)
    chance.shuffle(cards, size * hand_count(rules))
    hands = [cards[i * size : (i + 1) * size] for i in range(hand_count(rules))]
    players = [
        Player(seat, bids, plays, samples, totals[seat], hands[seat])
        for seat, (bids, plays, samples) in enumerate(styles)
    ]
    ghost = hands[GRAYBEARD] if rules.graybeard else []
    dealt = Round(rules, number, players, ghost, cards[size * hand_count(rules) :], leader, last_human_leader, chance)
    dealt.check_cards()
    return dealt
