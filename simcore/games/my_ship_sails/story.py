"""Tells a logged match of My Ship Sails, card by card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from simcore.games.my_ship_sails import events
from simcore.games.my_ship_sails.rules import RANKS, SUITS, Deck, Direction, PassMode, Rules, TrimSuits, pack

SYMBOLS = ("♣", "♦", "♥", "♠")


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
    story.end_line()
    return story.lines


def card(number: int) -> str:
    """Return a card by its number."""
    return RANKS[number % 13] + SYMBOLS[number // 13]


def cards(numbers: Iterable[int]) -> str:
    """Return cards grouped by suit, each from the lowest to the highest."""
    held = sorted(numbers)
    suits = (" ".join(card(number) for number in held if number // 13 == suit) for suit in range(4))
    return "  ".join(text for text in suits if text)


def listed(texts: Sequence[str]) -> str:
    """Return texts as a list in words."""
    return " and ".join(text for text in (", ".join(texts[:-1]), texts[-1]) if text)


class _Story:
    """What was told so far, and what has to be known to go on."""

    def __init__(self, rules: Rules, seats: Sequence[Any]) -> None:
        self.rules = rules
        self.hands: list[set[int]] = [set() for _ in range(rules.players)]
        self.wins = [0] * rules.players
        self.score: list[str] = []
        self.round_number = 0
        self.turned: dict[int, int] = {}  # seats that chose a target and did not pass since
        self.callers: list[int] = []
        self.repeats = False
        self.line = ""
        self.pass_number = 0
        self.giver = -1
        self.deal_line = 0  # where the hands of this round begin
        in_turn = rules.pass_mode == PassMode.SEQUENTIAL
        self.what, self.whats = ("lap", "laps") if in_turn else ("pass", "passes")
        self.lines = [self.about_cards(), *self.about_seats(seats)]

    def about_cards(self) -> str:
        rules, held = self.rules, pack(self.rules)
        deck = " of the skat deck" if rules.deck == Deck.SKAT else ""
        unseen = held.size - rules.players * rules.hand_size
        edge = ""
        if held.edge >= 0:
            drawn = "a suit that is drawn" if held.short == 1 else f"{held.short} suits that are drawn"
            short = drawn if rules.trim_suits == TrimSuits.RANDOM else listed(SUITS[: held.short])
            edge = f", and the {RANKS[held.edge]} except of {short}"
        rest = f", of which {unseen} stay unseen" if unseen else ""
        return (
            f"{rules.players} players with {rules.hand_size} cards each, from {held.size} cards{deck}{rest}: "
            f"{RANKS[held.low]} to {RANKS[held.high]} of each suit{edge}."
        )

    @staticmethod
    def about_seats(seats: Sequence[Any]) -> list[str]:
        styles = [getattr(seat, "short", str(seat)) for seat in seats]
        if len(set(styles)) == 1:
            return [f"Everybody plays {styles[0]}."]
        return ["Strategies: " + ", ".join(f"seat {n} {style}" for n, style in enumerate(styles, 1)) + "."]

    def add(self, code: int, numbers: list[int]) -> None:
        """Tell one event."""
        match [code, *numbers]:
            case [events.PASS, pass_number, giver, receiver, number, *_]:
                self.hand_over(pass_number, giver, receiver, number)
            case [events.TARGET, seat, suit, pass_number, *_]:
                if pass_number == 0:
                    self.lines[self.deal_line + seat] += f", and collects {SUITS[suit]}"
                else:
                    self.turned[seat] = suit
            case [events.MATCH, *_]:
                pass
            case [events.ROUND, number, dealer, *_]:
                self.begin_round(number, dealer)
            case [events.REDEAL, *_]:
                self.say("  A flush was dealt: the cards are dealt again.")
            case [events.HAND, seat, *ranks]:
                self.hands[seat] = {
                    13 * suit + rank for suit in range(4) for rank in range(13) if ranks[suit] >> rank & 1
                }
                self.say(f"  seat {seat + 1} holds {cards(self.hands[seat])}")
                self.deal_line = len(self.lines) - 1 - seat
            case [events.OVERLOOKS, seat, _, suit, *_]:
                self.say(f"  seat {seat + 1} overlooks its flush {self.flush(seat, suit)}")
            case [events.CALLS, seat, _, suit, *_]:
                self.callers.append(seat)
                self.say(f'  seat {seat + 1} calls "My ship sails!" with {self.flush(seat, suit)}')
            case [events.FIRST_CALL, seat, *_]:
                self.say(f"  seat {seat + 1} was the first to call")
            case [events.DEAD_HEAT, *_]:
                self.say(f"  seats {listed([str(seat + 1) for seat in self.callers])} called at the same moment")
            case [events.HIGH_CARD, seat, equal, *_]:
                drawn = f"  {equal} flushes are equally high, and the lot falls to seat {seat + 1}"
                self.say(drawn if equal > 1 else f"  seat {seat + 1} has the higher cards")
            case [events.ROUND_WON, seat, pass_number, *_]:
                self.wins[seat] += 1
                self.end_round(f"Seat {seat + 1} wins round {self.round_number} {self.after(pass_number)}.")
            case [events.REPEATS, _, length, *_]:
                self.repeats = True
                for seat, hand in enumerate(self.hands):
                    self.say(f"  seat {seat + 1} holds {cards(hand)}")
                every = "with every pass" if length == 1 else f"every {length} passes"
                self.say(f"  From here on the same suits are held again {every}, for ever, and nobody gets a flush.")
            case [events.STALEMATE, pass_number, *_]:
                for seat, hand in enumerate(self.hands):
                    if not self.repeats:
                        self.say(f"  seat {seat + 1} is left with {cards(hand)}")
                self.end_round(f"Nobody wins round {self.round_number}: a stalemate {self.after(pass_number)}.")
            case _:
                self.end_match(code, numbers)

    def end_match(self, code: int, numbers: list[int]) -> None:
        """Tell what comes after the last round."""
        match [code, *numbers]:
            case [events.BONUS, seat, points, passes, *_]:
                noun = "point" if points == 1 else "points"
                self.say(f"Seat {seat + 1} gets {points} {noun} for the fastest round, won {self.after(passes)}.")
            case [events.SCORE, seat, _, points, *_]:
                self.score.append(f"seat {seat + 1} {points}")
            case [events.MATCH_WON, seat, *_]:
                self.say(f"The match ends {', '.join(self.score)}. Seat {seat + 1} wins.")
            case [events.NO_WINNER, *_]:
                self.say(f"The match ends {', '.join(self.score)}. Nobody wins.")
            case _:
                raise ValueError(f"an event of this game has no code {code}")

    def begin_round(self, number: int, dealer: int) -> None:
        self.round_number, self.pass_number, self.giver = number, 0, -1
        self.turned.clear()
        self.callers.clear()
        self.repeats = False
        way = {
            Direction.LEFT: "cards go left",
            Direction.RIGHT: "cards go right",
            Direction.ALTERNATE_ROUNDS: "cards go left" if number % 2 else "cards go right",
            Direction.ALTERNATE_PASSES: "cards go left and right in turn",
        }[self.rules.direction]
        self.say("")
        self.say(f"Round {number}. Seat {dealer + 1} deals; {way}.")

    def hand_over(self, pass_number: int, giver: int, receiver: int, number: int) -> None:
        """Move a card, and tell it on the line of its pass."""
        self.hands[giver].discard(number)
        self.hands[receiver].add(number)
        if pass_number != self.pass_number:
            self.end_line()
        if not self.line:
            goes_on = " goes on" if pass_number == self.pass_number else ""
            self.line = f"  {self.what} {pass_number}{goes_on}: "
            self.pass_number, self.giver = pass_number, -1
        elif giver == self.giver:
            # Another card of the same parcel: "seat 1 gives 9♣ 7♦ to seat 2".
            self.line = self.line.removesuffix(f" to seat {receiver + 1}") + f" {card(number)} to seat {receiver + 1}"
            return
        else:
            self.line += "; "
        suit = self.turned.pop(giver, None)
        turned = "" if suit is None else f", now after {SUITS[suit]},"
        self.line += f"seat {giver + 1}{turned} gives {card(number)} to seat {receiver + 1}"
        self.giver = giver

    def flush(self, seat: int, suit: int) -> str:
        """Return a seat's cards of a suit."""
        return cards(number for number in self.hands[seat] if number // 13 == suit)

    def after(self, passes: int) -> str:
        if passes == 0:
            return "with the cards it was dealt"
        return f"after {passes} {self.what if passes == 1 else self.whats}"

    def end_round(self, how: str) -> None:
        self.say(how)
        self.say(f"Rounds won: {', '.join(f'seat {n} {wins}' for n, wins in enumerate(self.wins, 1))}.")

    def say(self, line: str) -> None:
        self.end_line()
        self.lines.append(line)

    def end_line(self) -> None:
        """Finish the line of a pass."""
        if self.line:
            self.lines.append(self.line)
            self.line = ""
