"""Tells a logged match of Mein Schiff Ahoi as table talk: a line a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from simcore.games.ahoi import events
from simcore.games.ahoi.cards import (
    ANYTHING,
    COLOUR_NAMES,
    COLOUR_STATE,
    deck_size,
    name_of,
    value_of,
)
from simcore.games.ahoi.rules import DECK_FIELDS, PRESETS, Rules

CLASSIC = Rules(**PRESETS["classic"])


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


def seat_name(seat: int) -> str:
    """Return a seat as users see it."""
    return f"seat {seat + 1}"


def listed(texts: Iterable[str]) -> str:
    """Return texts as a list in words."""
    *texts_before, last = texts
    return f"{', '.join(texts_before)} and {last}" if texts_before else last


def plural(number: int, word: str) -> str:
    """Return a number of things in words."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


class _Story:
    """What was told so far, and what has to be known to go on."""

    def __init__(self, rules: Rules, seats: Sequence[Any]) -> None:
        self.rules = rules
        self.seats = seats
        self.lines: list[str] = []
        self.clauses: list[str] = []  # of the line that is being told
        self.hands: list[Counter[int]] = [Counter() for _ in range(rules.players)]
        self.turn = 0
        self.drawing = -1  # the seat that draws in its turn
        self.drawn: list[int] = []  # cards of one draw, not told yet
        self.drawn_by = -1
        self.why = -1
        self.new_pile = 0  # cards of a pile made anew for it
        self.wanted = 0  # cards that were to be drawn
        self.calling = -1  # the seat that has one card and has to call
        self.lying = -1
        self.direction = 1
        self.winners: list[int] = []
        self.left: list[Counter[int]] = []
        self.begin_match()

    def begin_match(self) -> None:
        """Begin with who plays, and with what is not as usual."""
        rules = self.rules
        styles = [getattr(seat, "short", str(seat)) for seat in self.seats]
        if len(set(styles)) == 1:
            self.lines.append(f"{rules.players} players. Everybody plays {styles[0]}.")
        else:
            names = listed(f"{seat_name(seat)} {style}" for seat, style in enumerate(styles))
            self.lines.append(f"{rules.players} players: {names}.")
        changes = [
            f"{name} = {text(value)}"
            for name, value in rules._asdict().items()
            if name != "players" and value != getattr(CLASSIC, name)
        ]
        self.lines.append(f"Rules: {', '.join(changes) or 'classic'}.")
        is_default = all(getattr(rules, name) == getattr(CLASSIC, name) for name in DECK_FIELDS)
        assumed = " (an assumption, since the rulebook does not say it)" if is_default else ""
        self.lines.append(f"The deck has {deck_size(rules)} cards{assumed}.")

    # Lines are made of clauses.

    def say(self, clause: str) -> None:
        """Add a clause to the line."""
        self.end_call()
        self.end_draw()
        self.clauses.append(clause)

    def go_on(self, words: str) -> None:
        """Add words to the last clause."""
        self.end_call()
        self.end_draw()
        if self.clauses:
            self.clauses[-1] += words
        else:
            self.clauses.append(words.strip(" ,"))

    def end_line(self) -> None:
        """End the line."""
        self.end_call()
        self.end_draw()
        if self.clauses:
            self.lines.append("; ".join(self.clauses))
        self.clauses = []
        self.drawing = -1

    def begin_turn(self) -> None:
        """Begin the line of a turn."""
        self.end_line()
        self.turn += 1

    def begin(self, seat: int, words: str) -> None:
        """Say what a seat does first in a turn."""
        self.clauses.append(f"{self.turn:4}  {seat_name(seat)} {words}")

    def end_call(self) -> None:
        """Tell that a last card was called, if it was due and not forgotten."""
        if self.calling >= 0:
            self.clauses[-1] += ", calls its last card"
            self.calling = -1

    def end_draw(self) -> None:
        """Tell which cards were drawn."""
        if self.why < 0:
            return
        why, self.why = self.why, -1
        names = ", ".join(self.name(kind) for kind in self.drawn)
        pile = f", for which {plural(self.new_pile, 'discard')} became the pile" if self.new_pile else ""
        self.new_pile = 0
        seat = self.drawn_by
        if why == events.IN_TURN:
            what = listed(self.name(kind) for kind in self.drawn) + pile if self.drawn else "nothing"
            self.begin(seat, f"draws {what}")
        elif self.drawn:
            short = f" of {self.wanted}" if len(self.drawn) < self.wanted else ""
            self.clauses.append(f"{seat_name(seat)} draws {len(self.drawn)}{short} ({names}){pile}")
        elif self.wanted:
            self.clauses.append(f"{seat_name(seat)} can draw none of {self.wanted}")
        self.drawn = []

    # Names.

    def name(self, kind: int) -> str:
        return name_of(self.rules, kind)

    def on_what(self, state: int) -> str:
        """Return what a card is laid on."""
        name = self.name(self.lying)
        if state == ANYTHING:
            return f"{name}, on which anything goes"
        return name if state < COLOUR_STATE else f"{name} ({COLOUR_NAMES[state - COLOUR_STATE]} in force)"

    def held(self, hand: Counter[int]) -> str:
        return ", ".join(self.name(kind) for kind in sorted(hand.elements())) or "nothing"

    def side(self) -> str:
        return "left" if self.direction > 0 else "right"

    # Events.

    def add(self, code: int, numbers: list[int]) -> None:
        """Tell one event."""
        getattr(self, f"on_{NAMES[code]}")(*numbers)

    def on_match(self, dealer: int, *_: int) -> None:
        self.lines.append(f"{seat_name(dealer).capitalize()} is drawn as the first dealer.")

    def on_round(self, number: int, dealer: int, *_: int) -> None:
        self.end_line()
        self.lines += ["", f"Round {number}, {seat_name(dealer)} deals."]
        self.hands = [Counter() for _ in range(self.rules.players)]
        self.left = [Counter() for _ in range(self.rules.players)]
        self.turn, self.direction = 0, 1

    def on_dealt(self, seat: int, *kinds: int) -> None:
        self.hands[seat].update(kind for kind in kinds if kind >= 0)

    def on_start(self, kind: int, is_dead: int, *_: int) -> None:
        self.lines += [f"      {seat_name(seat)} has {self.held(hand)}" for seat, hand in enumerate(self.hands)]
        self.lying = kind
        dead = ", which has neither symbol nor effect here" if is_dead else ""
        self.clauses.append(f"      The start card is {self.name(kind)}{dead}")

    def on_plays(self, seat: int, kind: int, state: int, how: int, *_: int) -> None:
        if how == events.DRAWN:
            drawn = self.drawn
            self.end_draw()
            what = "it" if drawn == [kind] else self.name(kind)
            self.clauses[-1] += f" and plays {what} on {self.on_what(state)}"
        else:
            self.begin_turn()
            if how == events.JUMPING_IN:
                self.begin(seat, f"jumps in with {self.name(kind)}")
            else:
                answers = "answers with" if how == events.ANSWERING else "plays"
                self.begin(seat, f"{answers} {self.name(kind)} on {self.on_what(state)}")
        self.drawing = -1
        self.lying = kind
        self.take(seat, kind)

    def take(self, seat: int, kind: int) -> None:
        """Take a card out of a hand, and see whether its last card has to be called."""
        self.hands[seat] -= Counter([kind])
        self.calling = seat if self.hands[seat].total() == 1 else -1

    def on_further(self, seat: int, kind: int, *_: int) -> None:
        self.calling = -1
        self.go_on(f", {self.name(kind)}" if ", along with " in self.clauses[-1] else f", along with {self.name(kind)}")
        self.lying = kind
        self.take(seat, kind)

    def on_draws(self, seat: int, kind: int, why: int, *_: int) -> None:
        self.expect(seat, why)
        self.drawn.append(kind)
        self.hands[seat][kind] += 1

    def expect(self, seat: int, why: int) -> None:
        """Begin a turn if a seat begins to draw in it."""
        if why == events.IN_TURN and self.drawing != seat:
            self.begin_turn()
            self.drawing = seat
            self.drawn_by, self.why = seat, why

    def on_nothing_left(self, seat: int, why: int, *_: int) -> None:
        self.expect(seat, why)
        self.end_draw()
        self.clauses.append("no card is left")

    def on_reshuffle(self, number: int, size: int, seat: int, why: int, *_: int) -> None:
        self.expect(seat, why)
        self.new_pile = size

    def on_colour(self, seat: int, colour: int, *_: int) -> None:
        # Who chooses must be named where the last words were not about that player.
        if self.turn == 0 or (self.clauses and self.clauses[-1].startswith("all hands")):
            self.say(f"{seat_name(seat)} chooses {COLOUR_NAMES[colour]}")
        else:
            self.go_on(f" and chooses {COLOUR_NAMES[colour]}")

    def on_swaps(self, seat: int, partner: int, *_: int) -> None:
        self.hands[seat], self.hands[partner] = self.hands[partner], self.hands[seat]
        self.go_on(f", swaps hands with {seat_name(partner)}")

    def on_rotates(self, seat: int, direction: int, *_: int) -> None:
        players = self.rules.players
        self.hands = [self.hands[(s - direction) % players] for s in range(players)]
        self.say(f"all hands move one seat to the {self.side()}")

    def on_keeps_hand(self, seat: int, *_: int) -> None:
        self.go_on(", keeps its hand")

    def on_forgets(self, seat: int, other: int, *_: int) -> None:
        self.calling = -1
        self.go_on(" and forgets to call its last card")
        self.say(f"{seat_name(other)} notices" if other >= 0 else "nobody notices")
        self.expect_cards(seat, self.rules.forget_penalty if other >= 0 else 0, int(events.AS_PENALTY))

    def expect_cards(self, seat: int, number: int, why: int) -> None:
        """Prepare to tell what a seat draws."""
        self.drawn_by, self.wanted, self.why, self.drawn = seat, number, int(why), []

    def on_dumps(self, seat: int, kind: int, *_: int) -> None:
        self.hands[seat] -= Counter([kind])
        self.go_on(f", {self.name(kind)}" if " and dumps " in self.clauses[-1] else f" and dumps {self.name(kind)}")

    def on_reverses(self, direction: int, *_: int) -> None:
        self.direction = direction
        self.say(f"play now goes to the {self.side()}")

    def on_skipped(self, seat: int, *_: int) -> None:
        self.say(f"{seat_name(seat)} loses the turn")

    def on_owes(self, seat: int, owed: int, *_: int) -> None:
        self.say(f"{seat_name(seat)} will lose its next {plural(owed, 'turn') if owed > 1 else 'turn'}")

    def on_pays(self, seat: int, owed: int, *_: int) -> None:
        self.end_line()
        more = f" ({plural(owed, 'more')} to lose)".replace("mores", "more") if owed else ""
        self.clauses.append(f"      {seat_name(seat)} loses the turn it owed{more}")
        self.end_line()

    def on_stack(self, seat: int, number: int, *_: int) -> None:
        self.say(f"{number} cards lie before {seat_name(seat)}")

    def on_takes(self, seat: int, number: int, why: int, *_: int) -> None:
        self.end_call()
        self.end_draw()
        self.expect_cards(seat, number, why)

    def on_challenges(self, seat: int, player: int, is_guilty: int, *_: int) -> None:
        found = "rightly" if is_guilty else "wrongly"
        self.say(f"{seat_name(seat)} challenges {seat_name(player)}, {found}")

    def on_loses_turn(self, seat: int, *_: int) -> None:
        self.go_on(" and loses the turn")

    def on_again(self, seat: int, *_: int) -> None:
        self.say(f"{seat_name(seat)} plays again")

    def on_keeps_drawn(self, seat: int, *_: int) -> None:
        self.go_on(" and keeps it" if len(self.drawn) == 1 else " and plays none of them")

    def on_won(self, seat: int, *_: int) -> None:
        self.calling = -1
        self.end_line()
        self.lines.append(f"{seat_name(seat).capitalize()} has no card left and wins the round.")

    def on_stalemate(self, turns: int, *_: int) -> None:
        self.end_line()
        self.lines.append(f"After {plural(turns, 'turn')} the round stops, and nobody wins it.")

    def on_left(self, seat: int, *kinds: int) -> None:
        self.left[seat].update(kind for kind in kinds if kind >= 0)

    def on_points(self, seat: int, points: int, total: int, marks: int, *_: int) -> None:
        assert self.left[seat] == self.hands[seat], "the story and the game do not agree"
        hand = self.left[seat]
        value = sum(value_of(self.rules, kind) * count for kind, count in hand.items())
        counted = f"{self.held(hand)}: {value}" if hand else "no card"
        scores = f", scores {points}" if points != value else ""
        so_far = "" if total == points and marks <= 1 else f"; {total} so far and {plural(marks, 'mark')}"
        self.lines.append(f"      {seat_name(seat)} has {counted}{scores}{so_far}")

    def on_match_won(self, seat: int, winners: int, *_: int) -> None:
        self.winners.append(seat)
        if len(self.winners) == winners:
            names = listed(seat_name(winner) for winner in self.winners)
            how = "wins the match" if winners == 1 else "share the match"
            self.lines.append(f"{names.capitalize()} {how}.")


def text(value: Any) -> str:
    """Return the value of a rule as it is written."""
    if isinstance(value, tuple):
        return "+".join(text(entry) for entry in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.name.lower() if hasattr(value, "name") else str(value)


NAMES = {
    int(value): name.lower() for name, value in vars(events).items() if name.isupper() and name not in events.REASONS
}
"""Code of an event to the name of the method that tells it."""
