"""How the kernel holds cards: two words of bits, ordered so that a higher bit is a stronger card.

The *low* word holds escapes, Loot, Kraken, Whale and Tigress (bits 0..9, all equally weak) and the plain suits
by number (10..51); the *high* word black by number (0..13), mermaids (14, 15), pirates (17..21) and the Skull
King (22). A card's *code* is its bit, plus 64 in the high word. In a hand the Tigress is low; whoever needs a
trick counts her with the pirates, at high bit 16. So the weakest card of a set is the lowest bit of the low
word, or of the high one if the low one is empty.
"""

from __future__ import annotations

import numpy as np

from simcore.games.skull_king.cards import BLACK, CARDS, ESCAPE, KRAKEN, MERMAID, TIGRESS, WHALE

ZERO, ONE = np.uint64(0), np.uint64(1)
CODES = 88
NO_CARD = -1
NO_SEAT = -1

_CARD_OF = [-1] * CODES
for _card in range(CARDS):
    if _card < BLACK:
        _CARD_OF[10 + _card] = _card
    elif _card < ESCAPE:
        _CARD_OF[64 + _card - BLACK] = _card
    elif _card < TIGRESS:
        _CARD_OF[_card - ESCAPE] = _card
    elif _card > TIGRESS:
        _CARD_OF[64 + 14 + _card - MERMAID + (_card >= MERMAID + 2)] = _card
_CARD_OF[9] = CARDS
_CARD_OF[80] = TIGRESS

CARD_OF = np.array(_CARD_OF, np.int64)
"""Code to card number; the Tigress is 65 as a pirate and 74 as an escape."""
CODE_OF = np.array([_CARD_OF.index(card) for card in range(CARDS + 1)], np.int64)
"""Card number (or 74) to code; 65 is the code of the Tigress as a pirate."""
DEALT_CODE_OF = CODE_OF.copy()
"""The same with the Tigress as hands hold her."""
DEALT_CODE_OF[TIGRESS] = 9

KRAKEN_CODE, WHALE_CODE = int(CODE_OF[KRAKEN]), int(CODE_OF[WHALE])
TIGRESS_LOW, TIGRESS_HIGH = 9, 80
FIRST_BLACK, FIRST_CHARACTER = 64, 78
SKULL_KING_CODE = 86
ROSIE_CODE, WILL_CODE, RASCAL_CODE, JUANITA_CODE, HARRY_CODE = range(81, 86)


def mask(bits: list[int]) -> np.uint64:
    """Return a word with these bits set."""
    return np.uint64(sum(1 << bit for bit in bits))


ESCAPES, LOOTS = mask([0, 1, 2, 3, 4]), mask([5, 6])
KRAKEN_BIT, WHALE_BIT, TIGRESS_BIT = mask([7]), mask([8]), mask([9])
MONSTERS = KRAKEN_BIT | WHALE_BIT
WEAK = mask(list(range(10)))
"""The specials of the low word."""
ESCAPE_LIKE = mask([0, 1, 2, 3, 4, 5, 6, 9])
"""Escapes, Loot, and the Tigress as an escape."""
PLAIN = mask(list(range(10, 52)))
PLAIN_SUITS = np.array([mask(list(range(10 + suit, 52, 3))) for suit in range(3)], np.uint64)
BLACKS = mask(list(range(14)))
MERMAIDS, PIRATES, SKULL_KING_BIT = mask([14, 15]), mask([16, 17, 18, 19, 20, 21]), mask([22])
TIGRESS_PIRATE = mask([16])
NAMED_PIRATES = PIRATES & ~TIGRESS_PIRATE
CHARACTERS = MERMAIDS | PIRATES | SKULL_KING_BIT
FOURTEENS, BLACK_FOURTEEN = mask([49, 50, 51]), mask([13])
ALL_LOW, ALL_HIGH = WEAK | PLAIN, BLACKS | CHARACTERS

_NUMBER, _SUIT = [0] * CODES, [-1] * CODES
_BIT_LOW, _BIT_HIGH, _SUIT_LOW, _SUIT_HIGH = ([0] * CODES for _ in range(4))
_BEATS_LOW, _BEATS_HIGH, _EQUALS = ([0] * CODES for _ in range(3))
_MONSTER = [0] * CODES
_UNITS, _KEEPS_OPEN, _CHARACTER_MASK = ([0] * CODES for _ in range(3))
for _code in range(CODES):
    if _code < 64:
        _BIT_LOW[_code] = 1 << _code
    else:
        _BIT_HIGH[_code] = 1 << (_code - 64)
    if _code < 10 or _code >= FIRST_CHARACTER:
        _KEEPS_OPEN[_code] = int(~ZERO)
    if _code < 10:
        _BEATS_LOW[_code], _BEATS_HIGH[_code] = int(PLAIN), int(ALL_HIGH)
        _EQUALS[_code] = int(WEAK)
        _MONSTER[_code] = _code in (KRAKEN_CODE, WHALE_CODE)
        _UNITS[_code] = 17 if _code == TIGRESS_LOW else 0
    elif _code < 52:
        _NUMBER[_code], _SUIT[_code] = (_code - 10) // 3 + 1, (_code - 10) % 3
        _SUIT_LOW[_code] = int(PLAIN_SUITS[_SUIT[_code]])
        _BEATS_LOW[_code] = _SUIT_LOW[_code] & ~((2 << _code) - 1)
        _BEATS_HIGH[_code] = int(ALL_HIGH)
        _EQUALS[_code] = 0b111 << (10 + 3 * (_NUMBER[_code] - 1))
        _UNITS[_code] = 3 * max(_NUMBER[_code] - 10, 0)
    elif 64 <= _code < FIRST_CHARACTER:
        _NUMBER[_code], _SUIT[_code] = _code - 64 + 1, 3
        _SUIT_HIGH[_code] = int(BLACKS)
        _BEATS_HIGH[_code] = int(ALL_HIGH) & ~((2 << (_code - 64)) - 1)
        _EQUALS[_code] = 1 << (_code - 64)
        _UNITS[_code] = 2 * max(_NUMBER[_code] - 4, 0)
    elif _code >= FIRST_CHARACTER:
        _CHARACTER_MASK[_code] = int(~ZERO)
        for _kind, _twentieths in ((MERMAIDS, 14), (PIRATES, 17), (SKULL_KING_BIT, 20)):
            if int(_kind) >> (_code - 64) & 1:
                _EQUALS[_code], _UNITS[_code] = int(_kind), _twentieths

NUMBER, SUIT = np.array(_NUMBER, np.int64), np.array(_SUIT, np.int64)
"""Code to number and suit (3 is black); 0 and -1 for specials."""
BIT_LOW, BIT_HIGH = np.array(_BIT_LOW, np.uint64), np.array(_BIT_HIGH, np.uint64)
SUIT_LOW, SUIT_HIGH = np.array(_SUIT_LOW, np.uint64), np.array(_SUIT_HIGH, np.uint64)
"""Code to the cards of its suit."""
BEATS_LOW, BEATS_HIGH = np.array(_BEATS_LOW, np.uint64), np.array(_BEATS_HIGH, np.uint64)
"""Code of an escape or suit card that is winning, to the cards that beat it."""
KEEPS_OPEN = np.array(_KEEPS_OPEN, np.uint64)
"""All bits for a card after which the next suit card may still set the suit, else none."""
CHARACTER_MASK = np.array(_CHARACTER_MASK, np.uint64)
"""All bits for a character, else none."""
EQUALS = np.array(_EQUALS, np.uint64)
"""Code to the cards of its word that are equally strong."""
IS_MONSTER = np.array(_MONSTER, np.int64)
"""Whether a card is the Kraken or the Whale."""


def _beating(laid: int) -> int:
    """Return which characters would win against those that lie there."""
    kings, mermaids, pirates = (laid & int(kind) for kind in (SKULL_KING_BIT, MERMAIDS, PIRATES))
    if kings:
        return 0 if mermaids else int(MERMAIDS)
    if mermaids:
        return 0 if pirates else int(PIRATES)
    return int(SKULL_KING_BIT)


BEATING = np.array([_beating(characters << 14) for characters in range(512)], np.uint64)
"""By the characters that lie there (bits from 14 on): those that would win against them."""
UNITS = np.array(_UNITS, np.int64)
"""Code to what `count` adds up over a hand, in twentieths of a trick."""

ABOVE_LOW = np.array([mask([b for b in range(10, 52) if _NUMBER[b] > n]) for n in range(15)], np.uint64)
ABOVE_HIGH = np.array([mask([b for b in range(14) if b + 1 > n]) for n in range(15)], np.uint64)
"""Number to the suit cards with a higher one."""
