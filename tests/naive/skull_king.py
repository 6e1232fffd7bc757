"""The naive twin of Skull King: slow and obvious, written from the rules and the list of draws alone.

It knows nothing of the kernel, so that whatever both agree on was understood twice. This last part plays the match
and keeps the books; `skull_king_tricks`, `skull_king_strategies` and `skull_king_rounds` are the parts before.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from simcore import rng
from simcore.declare import SHARE
from simcore.games.skull_king.cards import FirstLeader, LeadRotation, TiedMatch
from simcore.games.skull_king.rules import Rules
from tests.naive.skull_king_rounds import Round, deal
from tests.naive.skull_king_strategies import Chance, seat_styles

if TYPE_CHECKING:
    from simcore.strategies import Seat
    from tests.twins import Observed, Sums

KINDS = ("14", "black_14", "mermaid", "pirate", "skull_king")


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

    def note_round(self, played: Round) -> None:
        number = played.number - 1
        cards = played.cards
        self.add("turns", played.turns)
        self.add("choice_turns", played.choice_turns)
        for player in played.players:
            values = {
                "bid": player.bid,
                "tricks": player.tricks,
                "exact_bid": int(player.miss() == 0),
                "round_points": played.points(player.seat),
                "round_bonus": played.bonus(player.seat),
            }
            for name, value in values.items():
                self.add(name, value, player.seat, number)
                self.add(f"{name}_of_round", value, number)
            self.add("bids", 1, player.bid, cards - 1)
            self.add("points_for_bid", played.points(player.seat), player.bid, cards - 1)
        self.add("bid_total_minus_cards", sum(player.bid for player in played.players) - cards, number)

    def note_match(self, rules: Rules, rounds: Sequence[Round], history: Sequence[Sequence[int]]) -> None:
        """Note what is known at the end; `history` has all totals after each round."""
        self.add("matches")
        self.add("seats", rules.players)
        final = history[-1]
        for seat, total in enumerate(final):
            self.observe("score", total, -2047, 2048, seat)
        ranked = sorted(final, reverse=True)
        self.observe("margin", ranked[0] - ranked[1], 0, 4095)
        self.observe("void_tricks", sum(played.void_tricks for played in rounds), 0, 63)
        self.observe("alliances", sum(len(played.alliances) for played in rounds), 0, 63)
        for kind in KINDS:
            self.observe(f"captured_{kind}", sum(played.captured()[kind] for played in rounds), 0, 63)
        self.observe("lead_changes", lead_changes(history), 0, 19)
        if sole_leader(final) is not None:
            self.add("decided")
            self.observe("decided_at_round", decided_at_round(history), 1, 20)
        winners = match_winners(rules, rounds, final)
        self.add("match_tie", int(len(winners) > 1))
        share = SHARE // len(winners)
        for winner in winners:
            self.add("match_win", share, winner)
            self.add("winner_deficit", share * max(max(totals) - totals[winner] for totals in history))
        if len(rounds) > 1:
            self.add("halved")
            at_half = history[len(rounds) // 2 - 1]
            if len(set(at_half)) > 1:
                for winner in winners:
                    if at_half[winner] == min(at_half):
                        self.add("winner_was_last_at_half", share)


def sole_leader(totals: Sequence[int]) -> int | None:
    leaders = [seat for seat, total in enumerate(totals) if total == max(totals)]
    return leaders[0] if len(leaders) == 1 else None


def lead_changes(history: Sequence[Sequence[int]]) -> int:
    """Count the rounds after which another one leads alone than who last did."""
    leaders = [leader for totals in history if (leader := sole_leader(totals)) is not None]
    return len([1 for before, after in itertools.pairwise(leaders) if before != after])


def decided_at_round(history: Sequence[Sequence[int]]) -> int:
    """Return the round from which the winner led alone to the end."""
    winner = sole_leader(history[-1])
    number = len(history)
    while number > 1 and sole_leader(history[number - 2]) == winner:
        number -= 1
    return number


def match_winners(rules: Rules, rounds: Sequence[Round], final: Sequence[int]) -> list[int]:
    """Return the seats that share the win."""
    best = [seat for seat, total in enumerate(final) if total == max(final)]
    if rules.tied_match == TiedMatch.SHARED:
        return best
    if rules.tied_match == TiedMatch.LAST_ROUND:
        merits = [rounds[-1].points(seat) for seat in range(rules.players)]
    else:
        merits = [len([1 for played in rounds if played.players[seat].miss() == 0]) for seat in range(rules.players)]
    return [seat for seat in best if merits[seat] == max(merits[other] for other in best)]


def play_match(rules: Rules, seats: Sequence[Seat], seed: int, game: int) -> tuple[Sums, Observed]:
    """Play one match, and return all that is added up about it."""
    notes = Notes()
    leader = 0
    if rules.first_leader == FirstLeader.RANDOM:
        leader = Chance.of_round(seed, game, rng.MATCH, rules.players).below(rng.DEAL, rules.players)
    last_human_leader = leader
    totals = [0] * rules.players
    rounds = []
    history = []
    for number in range(1, len(rules.rounds) + 1):
        chance = Chance.of_round(seed, game, number, rules.players)
        played = deal(rules, number, seat_styles(seats), totals, leader, last_human_leader, chance)
        played.bid()
        played.play()
        notes.note_round(played)
        totals = [totals[seat] + played.points(seat) for seat in range(rules.players)]
        rounds.append(played)
        history.append(totals)
        last_human_leader = played.last_human_leader
        if rules.lead_rotation == LeadRotation.WINNER:
            leader = played.leader
        else:
            leader = (leader + 1) % rules.players
    notes.note_match(rules, rounds, history)
    return notes.sums, notes.observed
