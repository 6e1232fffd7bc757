"""Tells a logged match of Skull King, card by card, with the reason why each trick is won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simcore.games.skull_king import events
from simcore.games.skull_king.cards import (
    BLACK,
    ESCAPE,
    HARRY,
    JUANITA,
    KRAKEN,
    LOOT,
    MERMAID,
    PIRATE,
    RASCAL,
    ROSIE,
    SKULL_KING,
    SUITS,
    TIGRESS,
    TIGRESS_AS_ESCAPE,
    WHALE,
    WILL,
    Bidding,
    KrakenLeader,
    Scoring,
)
from simcore.games.skull_king.rules import Rules, hand_sizes

PIRATES = {ROSIE: "Rosie", WILL: "Will", RASCAL: "Rascal", JUANITA: "Juanita", HARRY: "Harry"}
ESCAPES = (*range(ESCAPE, LOOT), *range(LOOT, KRAKEN), TIGRESS_AS_ESCAPE)


def tell(rules: Rules, seats: Sequence[Any], log: Any) -> list[str]:
    """Return the lines of a story.

    Parameters
    ----------
    rules
        The match's rules.
    seats
        The strategy of each seat.
    log
        int32 (rows, 8), as simcore/log.py describes it; the codes are those of events.py.
    """
    story = _Story(rules, seats)
    for row in range(1, min(int(log[0][0]) + 1, len(log))):
        code, *numbers = (int(number) for number in log[row])
        story.add(code, numbers)
    story.flush()
    return story.lines


def number_of(card: int) -> int:
    """Return the number on a suit card, 0 for specials."""
    if card < BLACK:
        return card // 3 + 1
    return card - BLACK + 1 if card < ESCAPE else 0


def suit_of(card: int) -> str:
    """Return the suit of a suit card."""
    return SUITS[card % 3] if card < BLACK else SUITS[3]


def card_name(card: int, powers: bool = False, played: bool = False) -> str:
    """Return a card in words."""
    if card < ESCAPE:
        return f"{suit_of(card)} {number_of(card)}"
    if card < LOOT:
        return "escape"
    if card < KRAKEN:
        return "Loot"
    if card in (KRAKEN, WHALE):
        return "Kraken" if card == KRAKEN else "White Whale"
    if card == TIGRESS_AS_ESCAPE:
        return "Tigress as escape"
    if card == TIGRESS:
        return "Tigress as pirate" if played else "Tigress"
    if card < PIRATE:
        return "mermaid"
    if card < SKULL_KING:
        return f"pirate {PIRATES[card]}" if powers else "pirate"
    return "Skull King"


def half(points: int) -> str:
    """Return points that are counted in halves."""
    return f"{points // 2}" if points % 2 == 0 else f"{points / 2:.1f}"


def signed(points: int) -> str:
    """Return points in halves with their sign."""
    return f"+{half(points)}" if points > 0 else half(points)


def plural(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


class _Story:
    """What was told so far, and what has to be known to go on."""

    def __init__(self, rules: Rules, seats: Sequence[Any]) -> None:
        self.rules = rules
        self.lines: list[str] = []
        self.hands: dict[int, list[int]] = {}
        self.bids: dict[int, int] = {}
        self.loads: dict[int, int] = {}
        self.trick: list[tuple[int, int]] = []
        self.scores: list[list[int]] = []
        self.winners: list[int] = []
        sizes = hand_sizes(rules)
        dealt = ", ".join(map(str, sizes))
        self.put(f"{plural(rules.players, 'player')}, {plural(len(sizes), 'round')}: {dealt} cards.")
        texts = [getattr(seat, "short", str(seat)) for seat in seats]
        if len(set(texts)) == 1:
            self.put(f"Everybody plays {texts[0]}.")
        else:
            self.put("Strategies: " + ", ".join(f"seat {seat} {text}" for seat, text in enumerate(texts, 1)) + ".")

    def put(self, line: str) -> None:
        self.lines.append(line)

    def seat(self, seat: int) -> str:
        return "Graybeard" if self.rules.graybeard and seat == 2 else f"seat {seat + 1}"

    def name(self, card: int, played: bool = False) -> str:
        return card_name(card, self.rules.pirate_powers, played)

    def add(self, code: int, numbers: list[int]) -> None:
        a, b, c, d, e, f, _ = numbers
        if code != events.CARD and self.hands:
            self.tell_hands()
        if code not in (events.BID, events.LOAD) and self.bids:
            self.tell_bids()
        if code not in (events.SCORE,) and self.scores:
            self.tell_scores()
        if code == events.ROUND:
            self.put("")
            self.put(f"Round {a}: {plural(b, 'card')}. {self.seat(c).capitalize()} leads.")
        elif code == events.CARD:
            self.hands.setdefault(a, []).append(b)
        elif code == events.BID:
            self.bids[a] = b
        elif code == events.LOAD:
            self.loads[a] = b
        elif code == events.TRICK:
            self.trick = []
        elif code == events.PLAY:
            self.trick.append((a, b))
        elif code == events.WON:
            self.tell_trick(a, b, c)
        elif code == events.SCORE:
            self.scores.append([a, b, c, d, e, f])
        elif code == events.MATCH_WON:
            self.winners.append(a)
        else:
            self.tell_power(code, a, b)

    def flush(self) -> None:
        if self.scores:
            self.tell_scores()
        names = [self.seat(winner) for winner in self.winners]
        if len(names) == 1:
            self.put(f"{names[0].capitalize()} wins the match.")
        elif names:
            self.put(f"{', '.join(names[:-1]).capitalize()} and {names[-1]} share the win.")

    def tell_hands(self) -> None:
        for seat, cards in self.hands.items():
            # Graybeard's cards stay in the order in which they will be turned up.
            order = cards if self.rules.graybeard and seat == 2 else sorted(cards, key=self.place)
            self.put(f"  {self.seat(seat)} holds {', '.join(self.name(card) for card in order)}")
        self.hands = {}

    @staticmethod
    def place(card: int) -> tuple[int, int]:
        """Return where a card stands in a hand as it is told: by suit, then specials."""
        return (card % 3 if card < BLACK else 3 if card < ESCAPE else 4, card)

    def tell_bids(self) -> None:
        has_loads = self.rules.scoring == Scoring.RASCAL_CANNONBALL
        loads = {0: " with grapeshot", 1: " with the cannonball"} if has_loads else {}
        texts = [f"{self.seat(seat)} {bid}{loads.get(self.loads.get(seat, 0), '')}" for seat, bid in self.bids.items()]
        turn = "" if self.rules.bidding == Bidding.SIMULTANEOUS else " in turn"
        self.put(f"  bids{turn}: {', '.join(texts)}")
        self.bids, self.loads = {}, {}

    def tell_trick(self, winner: int, leader: int, bonus: int) -> None:
        cards = ", ".join(f"{self.seat(seat)} {self.name(card, True)}" for seat, card in self.trick)
        if winner < 0:
            end = f"nobody wins: {self.void_reason()}; {self.seat(leader)} leads next"
        else:
            card = next(card for seat, card in self.trick if seat == winner)
            end = f"{self.seat(winner)} wins with {self.name(card, True)}, {self.reason(card)}"
            if bonus:
                end += f"; bonus {bonus}"
        self.put(f"  {cards}: {end}")

    def monsters(self) -> list[int]:
        return [card for _, card in self.trick if card in (KRAKEN, WHALE)]

    def void_reason(self) -> str:
        if self.monsters()[-1] == KRAKEN:
            if self.rules.kraken_leader == KrakenLeader.LEFT_OF_KRAKEN:
                return "the Kraken took it; the next in order leads"
            return "the Kraken took it; who would have won without it leads"
        return "under the White Whale there is no card that could"

    def reason(self, card: int) -> str:
        laid = [other for _, other in self.trick]
        if self.monsters():
            if card in ESCAPES or card == KRAKEN:
                return "the first escape, since under the White Whale no suit card lies there"
            same = sum(number_of(other) == number_of(card) for other in laid) > 1
            return "the highest number under the White Whale" + (", laid first" if same else "")
        if card in (MERMAID, MERMAID + 1):
            if SKULL_KING in laid:
                return "who takes the Skull King"
            first = sum(other in (MERMAID, MERMAID + 1) for other in laid) > 1
            return "the first mermaid" if first else "above every suit"
        if card == SKULL_KING:
            return "above every pirate and suit"
        if PIRATE <= card < SKULL_KING or card == TIGRESS:
            several = sum(PIRATE <= other < SKULL_KING or other == TIGRESS for other in laid) > 1
            return "the first pirate" if several else "above mermaids and suits"
        if card in ESCAPES:
            return "laid first, where only escapes lie"
        if card >= BLACK:
            return "the highest black card"
        return f"the highest {suit_of(card)} card"

    def tell_power(self, code: int, a: int, b: int) -> None:
        who = self.seat(a)
        if code == events.ALLIANCE:
            self.put(f"    Loot allies {who} with {self.seat(b)}")
        elif code == events.ROSIE:
            chosen = "itself" if a == b else self.seat(b)
            self.put(f"    Rosie: {who} lets {chosen} lead")
        elif code == events.DRAWN:
            self.put(f"    Will: {who} draws {self.name(b)}")
        elif code == events.DISCARDED:
            self.put(f"    Will: {who} discards {self.name(b)}")
        elif code == events.STAKE:
            self.put(f"    Rascal: {who} stakes {half(b)} on its bid")
        elif code == events.JUANITA:
            self.put(f"    Juanita: {who} sees {plural(b, 'undealt card')}")
        elif code == events.HARRY:
            self.put(f"  Harry: the final bid of {who} is {b}")

    def tell_scores(self) -> None:
        self.put("  score sheet:")
        for seat, bid, tricks, points, paid, total in self.scores:
            bonus = f" (bonus {half(paid)})" if paid else ""
            self.put(f"    {self.seat(seat)}: bid {bid}, took {tricks}: {signed(points)}{bonus}, total {half(total)}")
        self.scores = []
