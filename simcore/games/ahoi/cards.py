"""The deck of Mein Schiff Ahoi: how cards are numbered, and the tables derived from the rules.

Cards of one kind cannot be told apart, so only kinds are numbered. A colour has its numbers in ascending
order, then Reverse, Skip and Draw 2: `faces` kinds. Kind = colour * faces + face; after all colours come
Draw 2 + colour, Draw 4 + colour, Colour choice and Joker. Kinds without copies keep their number. No numpy
here: the command line checks rules with this file.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from simcore.games.ahoi.choices import Joker, JumpIn, Matching, PlayDrawn, SkipFollows, Stacking, StartCard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simcore.games.ahoi.rules import Rules
    from simcore.strategies import Seat

MAX_KINDS = 118
MAX_COLOURS = 6
MAX_CARDS = MAX_KINDS * 12

NUMBER, REVERSE, SKIP, DRAW_TWO, DRAW_TWO_COLOUR, DRAW_FOUR_COLOUR, COLOUR_CHOICE, JOKER = range(8)
"""The faces of cards; all numbers are one."""

COLOUR_STATE = MAX_KINDS
"""What lies on top: a kind, or COLOUR_STATE + colour when only a colour is in force, or ANYTHING."""
ANYTHING = COLOUR_STATE + MAX_COLOURS
STATES = ANYTHING + 1

COLOUR_NAMES = ("red", "blue", "green", "yellow", "violet", "orange")
FACE_NAMES = ("", "Reverse", "Skip", "Draw 2", "Draw 2 + colour", "Draw 4 + colour", "Colour choice", "Joker")


def faces(rules: Rules) -> int:
    """Return how many kinds of cards a colour has."""
    return rules.highest_number - rules.lowest_number + 4


def kinds(rules: Rules) -> int:
    """Return how many kinds of cards are numbered."""
    return rules.colours * faces(rules) + 4


def face_of(rules: Rules, kind: int) -> int:
    """Return the face of a kind, NUMBER to JOKER."""
    coloured = rules.colours * faces(rules)
    if kind >= coloured:
        return DRAW_TWO_COLOUR + kind - coloured
    return max(NUMBER, kind % faces(rules) - (faces(rules) - 4))


def colour_of(rules: Rules, kind: int) -> int:
    """Return the colour of a kind, -1 if it has none."""
    return kind // faces(rules) if kind < rules.colours * faces(rules) else -1


def number_of(rules: Rules, kind: int) -> int:
    """Return the number on a kind, -1 for a special card."""
    return rules.lowest_number + kind % faces(rules) if face_of(rules, kind) == NUMBER else -1


def copies_of(rules: Rules, kind: int) -> int:
    """Return how many cards of a kind are in the deck."""
    face = face_of(rules, kind)
    if face == NUMBER:
        return rules.copies_zero if number_of(rules, kind) == 0 else rules.copies_number
    jokers = 0 if rules.joker == Joker.NONE else rules.n_joker
    return (
        0, rules.n_reverse, rules.n_skip, rules.n_draw_two,
        rules.n_draw_two_colour, rules.n_draw_four_colour, rules.n_colour_choice, jokers,
    )[face]  # fmt: skip


def value_of(rules: Rules, kind: int) -> int:
    """Return the points of a kind left in a hand."""
    face = face_of(rules, kind)
    if face == NUMBER:
        return number_of(rules, kind)
    return (
        0, rules.value_reverse, rules.value_skip, rules.value_draw_two,
        rules.value_draw_two_colour, rules.value_draw_four_colour, rules.value_colour_choice, rules.value_joker,
    )[face]  # fmt: skip


def name_of(rules: Rules, kind: int) -> str:
    """Return a kind in words: ``red 7``, ``Draw 2 (red)``, ``Joker``."""
    if face_of(rules, kind) == NUMBER:
        return f"{COLOUR_NAMES[colour_of(rules, kind)]} {number_of(rules, kind)}"
    name = FACE_NAMES[face_of(rules, kind)]
    return name if colour_of(rules, kind) < 0 else f"{name} ({COLOUR_NAMES[colour_of(rules, kind)]})"


def symbol_rule(rules: Rules, face: int) -> Matching:
    """Return what may lie on a card of the face by its symbol (or number)."""
    return {REVERSE: rules.on_reverse, SKIP: rules.on_skip, DRAW_TWO: rules.on_draw_two}.get(face, Matching.ANY_COLOUR)


def fits(rules: Rules, kind: int, top: int) -> bool:
    """Whether a kind may lie on a coloured card, as far as the cards alone decide."""
    if colour_of(rules, kind) < 0:
        return True
    same_colour = colour_of(rules, kind) == colour_of(rules, top)
    if kind % faces(rules) != top % faces(rules):
        return same_colour
    rule = symbol_rule(rules, face_of(rules, top))
    return rule == Matching.ANY_COLOUR or (rule == Matching.SAME_COLOUR and same_colour)


def answers(rules: Rules, kind: int, top: int) -> bool:
    """Whether a kind answers the draw card on top of a stack, as far as the cards alone decide."""
    face, lying = face_of(rules, kind), face_of(rules, top)
    draws = (DRAW_TWO, DRAW_TWO_COLOUR, DRAW_FOUR_COLOUR)
    if rules.stacking == Stacking.NONE or face not in draws or lying not in draws:
        return False
    if face == lying == DRAW_TWO:
        return fits(rules, kind, top)
    return face == lying or rules.stacking == Stacking.ANY


def deck_size(rules: Rules) -> int:
    """Return the number of cards in the deck."""
    return sum(copies_of(rules, kind) for kind in range(kinds(rules)))


def check(rules: Rules) -> list[str]:
    """Return the reasons why the rules cannot be played together."""
    reasons = []
    if rules.lowest_number > rules.highest_number:
        reasons.append(
            f"lowest_number = {rules.lowest_number} must not be above highest_number = {rules.highest_number}"
        )
    else:
        size, needed = deck_size(rules), rules.players * rules.hand_size + 1
        if size < needed:
            reasons.append(
                f"{rules.players} players with hand_size {rules.hand_size} and a start card need {needed} cards, the "
                f"deck has {size}: {needed - size} missing"
            )
    if rules.draw_four_challenge and not rules.draw_four_only_if_stuck:
        reasons.append("draw_four_challenge = true needs draw_four_only_if_stuck = true")
    return reasons


def notes(rules: Rules, strategies: Collection[str] = ()) -> list[str]:
    """Return remarks on rules that can be played but need one."""
    return []


PLAIN_COLOURS, PLAIN_KINDS, PLAIN_PLAYERS = 4, 56, 8
"""The most that plain matches have: a set of cards fits two words, and the sizes of all hands one."""
PLAIN_CARDS = 2 * (PLAIN_KINDS - 4) + 4 * 4
"""So many follow from that: two of each kind with a colour, four of the others."""

PLAIN_STYLES = ("random", "highest", "keeper", "hunter", "careful")


def is_plain(rules: Rules, seats: Sequence[Seat]) -> bool:
    """Whether plain.py plays the rules and strategies, which must have passed `check`."""
    coloured = kinds(rules) - 4
    copies = [copies_of(rules, kind) for kind in range(kinds(rules))]
    numbers = sum(copies[kind] for kind in range(coloured) if face_of(rules, kind) == NUMBER)
    is_deck_plain = (
        rules.colours <= PLAIN_COLOURS
        and len(copies) <= PLAIN_KINDS
        and max(copies[:coloured]) <= 2
        and max(copies[coloured:]) <= 4
        # A number is left to be turned up.
        and numbers > rules.players * rules.hand_size
    )
    return (
        is_deck_plain
        and rules.players <= PLAIN_PLAYERS
        and rules.start_card == StartCard.NUMBER_ONLY
        and rules.must_play
        and rules.draw_count == 1
        and rules.play_drawn == PlayDrawn.MAY
        and rules.stacking == Stacking.NONE
        and rules.skip_follows == SkipFollows.PLAY_DIRECTION
        and rules.joker != Joker.DUMP_COLOUR
        and rules.jump_in == JumpIn.OFF
        and rules.end_on_special
        and not (rules.draw_four_only_if_stuck or rules.last_card_draws or rules.seven_zero or rules.multi_discard)
        and not any(rules.forget)
        and all(any(seat.own) or seat.parts["style"].name in PLAIN_STYLES for seat in seats)
    )


TABLES: dict[str, tuple[int, ...]] = {
    "kinds": (),
    "faces": (),
    "deck_size": (),
    "deck": (MAX_CARDS,),
    "copies": (MAX_KINDS,),
    "value": (MAX_KINDS,),
    "face": (MAX_KINDS,),
    "number": (MAX_KINDS,),
    "colour": (STATES,),
    "matching": (STATES, 2),
    "answers": (MAX_KINDS, 2),
    "colour_masks": (MAX_COLOURS, 2),
    "face_masks": (8, 2),
    "number_masks": (16, 2),
}


def _words(chosen: list[int]) -> list[int]:
    """Return a set of kinds as two 64-bit words, in the signed form that an int64 holds."""
    mask = sum(1 << kind for kind in chosen)
    return [((mask >> shift & (1 << 64) - 1) ^ 1 << 63) - (1 << 63) for shift in (0, 64)]


def fold(rules: Rules) -> dict[str, Any]:
    """Return the kernel's tables: the deck in ascending kinds, what each kind is, and sets of kinds as masks.

    `matching` has, for each state of the top, the kinds that fit; `answers`, for each draw card on top of a
    stack, those that answer it; `colour` is the colour in force, -1 if any.
    """
    every = range(kinds(rules))
    coloured = rules.colours * faces(rules)
    unused = [-1] * (MAX_KINDS - len(every))
    empty = [[0, 0]]
    deck = [kind for kind in every for _ in range(copies_of(rules, kind))]
    in_force = [[k for k in every if colour_of(rules, k) in (c, -1)] for c in range(rules.colours)]
    matching = [
        _words([k for k in every if fits(rules, k, top)]) if top < coloured else [0, 0] for top in every
    ]  # fmt: skip
    matching += empty * len(unused) + [_words(chosen) for chosen in in_force]
    matching += empty * (MAX_COLOURS - rules.colours) + [_words(list(every))]
    return {
        "kinds": len(every),
        "faces": faces(rules),
        "deck_size": len(deck),
        "deck": deck + [-1] * (MAX_CARDS - len(deck)),
        "copies": [copies_of(rules, k) for k in every] + [0] * len(unused),
        "value": [value_of(rules, k) for k in every] + [0] * len(unused),
        "face": [face_of(rules, k) for k in every] + unused,
        "number": [number_of(rules, k) for k in every] + unused,
        "colour": [colour_of(rules, k) for k in every] + unused + [*range(MAX_COLOURS), -1],
        "matching": matching,
        "answers": [_words([k for k in every if answers(rules, k, top)]) for top in every] + empty * len(unused),
        "colour_masks": [_words([k for k in every if colour_of(rules, k) == c]) for c in range(MAX_COLOURS)],
        "face_masks": [_words([k for k in every if face_of(rules, k) == f]) for f in range(8)],
        "number_masks": [_words([k for k in every if number_of(rules, k) == n]) for n in range(16)],
    }
