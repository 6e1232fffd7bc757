"""What happens to a trick when a card is laid, and who wins it."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king.cards import KrakenLeader, LootRule, MermaidCaptor, SuitRule, WhaleWithoutSuits
from simcore.games.skull_king.codes import (
    ABOVE_HIGH,
    ABOVE_LOW,
    ALL_HIGH,
    ALL_LOW,
    BEATS_CHARACTERS,
    BEATS_HIGH,
    BEATS_LOW,
    BIT_HIGH,
    BIT_LOW,
    BLACK_FOURTEEN,
    BLACKS,
    CHARACTERS,
    CODE_OF,
    ESCAPE_LIKE,
    FIRST_CHARACTER,
    FOURTEENS,
    IS_RARE,
    KRAKEN_CODE,
    LOOTS,
    MERMAIDS,
    MONSTERS,
    NUMBER,
    ONE,
    PIRATES,
    PLAIN,
    SKULL_KING_BIT,
    SKULL_KING_CODE,
    SUIT_HIGH,
    SUIT_LOW,
    TIGRESS_BIT,
    TIGRESS_PIRATE,
    WHALE_CODE,
    ZERO,
)
from simcore.jit import jit, popcount

_NEXT_SUIT_CARD, _NO_SUIT = int(SuitRule.NEXT_SUIT_CARD), int(SuitRule.NO_SUIT)
_FIRST_ESCAPE, _LEFT_OF_KRAKEN = int(WhaleWithoutSuits.FIRST_ESCAPE), int(KrakenLeader.LEFT_OF_KRAKEN)
_ANY_CAPTOR, _NO_ALLIANCE = int(MermaidCaptor.ANY), int(LootRule.NONE)
_HIGH_SHIFT = (np.uint64(14), np.uint64(16), np.uint64(22))

# A trick in progress is a tuple of
#   open    whether the next suit card sets the suit,
#   suit    the cards of the suit to follow (two words),
#   win     the cards that would be winning if laid now (two words; high bit 16 stands for the Tigress
#           in whichever way she would be declared by a player who needs a trick),
#   laid    the cards that lie there (two words),
#   winner  the place in the order of play of the card that is winning, -1 for none,
#   acting  the code of the Kraken or Whale that acts, -1 for none.
EMPTY_TRICK = (True, ZERO, ZERO, ALL_LOW & ~MONSTERS, ALL_HIGH, ZERO, ZERO, -1, -1)


@jit
def lay(record: Any, order: Any, place: Any, code: Any, trick: Any) -> Any:
    """Lay a card and return what the trick is then; `order` holds the codes laid before, and takes this one."""
    is_open, suit_low, suit_high, win_low, win_high, laid_low, laid_high, winner, acting = trick
    order[place] = code
    if IS_RARE[code] == 0 and acting < 0:
        wins = ((win_low & BIT_LOW[code]) | (win_high & BIT_HIGH[code])) != ZERO
        if is_open:
            suit_low, suit_high = SUIT_LOW[code], SUIT_HIGH[code]
            is_open = (suit_low | suit_high) == ZERO
        laid_low |= BIT_LOW[code]
        laid_high |= BIT_HIGH[code]
        if wins:
            winner = np.int64(place)
            win_low = BEATS_LOW[code]
            win_high = BEATS_HIGH[code]
        return is_open, suit_low, suit_high, win_low, win_high, laid_low, laid_high, winner, acting
    return lay_rare(
        record, order, place, code, is_open, suit_low, suit_high, win_low, win_high, laid_low, laid_high, winner, acting
    )


@jit
def lay_rare(
    record: Any,
    order: Any,
    place: Any,
    code: Any,
    is_open: Any,
    suit_low: Any,
    suit_high: Any,
    win_low: Any,
    win_high: Any,
    laid_low: Any,
    laid_high: Any,
    winner: Any,
    acting: Any,
) -> Any:
    """Lay a character or a monster, or any card under a monster."""
    is_character = code >= FIRST_CHARACTER
    is_monster = code in (KRAKEN_CODE, WHALE_CODE)
    if is_open:
        if place == 0:
            if is_monster or (is_character and record["character_led"] == _NO_SUIT):
                is_open = False
        elif is_character and record["escape_then_character"] == _NO_SUIT and order[0] < 10:
            is_open = False
        if not is_character and not is_monster:
            suit_low, suit_high = SUIT_LOW[code], SUIT_HIGH[code]
            is_open = (suit_low | suit_high) == ZERO
    wins = ((win_low & BIT_LOW[code]) | (win_high & BIT_HIGH[code])) != ZERO
    laid_low |= BIT_LOW[code]
    laid_high |= BIT_HIGH[code]
    if is_monster:
        acting = np.int64(code)
    if acting < 0:
        if wins:
            winner = np.int64(place)
        elif code == SKULL_KING_CODE:
            winner = first_of(order, place, ZERO, MERMAIDS)
        win_low, win_high = ZERO, BEATS_CHARACTERS[kinds_of(laid_high)]
    elif acting == KRAKEN_CODE:
        win_low, win_high, winner = ZERO, ZERO, np.int64(-1)
    else:
        winner, win_low, win_high = under_whale(record, order, place + 1, laid_low, laid_high)
    return is_open, suit_low, suit_high, win_low, win_high, laid_low, laid_high, winner, acting


@jit
def kinds_of(high: Any) -> Any:
    """Return which characters there are: 1 mermaid, 2 pirate, 4 Skull King, added up."""
    return (
        np.int64((high & MERMAIDS) != ZERO)
        + 2 * np.int64((high & PIRATES) != ZERO)
        + 4 * np.int64((high & SKULL_KING_BIT) != ZERO)
    )


@jit
def first_of(order: Any, places: Any, low: Any, high: Any) -> Any:
    """Return the first place with a card of a set, -1 if there is none."""
    for place in range(places):
        code = order[place]
        if (BIT_LOW[code] & low) | (BIT_HIGH[code] & high) != ZERO:
            return np.int64(place)
    return np.int64(-1)


@jit
def highest_number(order: Any, places: Any) -> Any:
    """Return the highest number among the suit cards and the first place that has it; 0 and -1 for none."""
    best, where = np.int64(0), np.int64(-1)
    for place in range(places):
        number = NUMBER[order[place]]
        if number > best:
            best, where = number, np.int64(place)
    return best, where


@jit
def under_whale(record: Any, order: Any, places: Any, laid_low: Any, laid_high: Any) -> Any:
    """Return who is winning while the Whale acts, and the cards that would be."""
    best, winner = highest_number(order, places)
    win_low, win_high = ABOVE_LOW[best], ABOVE_HIGH[best]
    if winner < 0 and record["whale_without_suits"] == _FIRST_ESCAPE:
        escapes = ESCAPE_LIKE | BIT_LOW[KRAKEN_CODE]
        winner = first_of(order, places, escapes, ZERO)
        if winner < 0:
            win_low |= ESCAPE_LIKE
            win_high |= TIGRESS_PIRATE
    return winner, win_low, win_high


@jit
def winner_without_monsters(record: Any, order: Any, places: Any) -> Any:
    """Return the place that would have won without Kraken and Whale; -1 if nothing else lies there."""
    rest = np.empty(places, np.int64)
    where = np.empty(places, np.int64)
    count = np.int64(0)
    trick = EMPTY_TRICK
    for place in range(places):
        code = order[place]
        if code != KRAKEN_CODE and code != WHALE_CODE:
            where[count] = place
            trick = lay(record, rest, count, code, trick)
            count += 1
    return where[trick[7]] if count > 0 else np.int64(-1)


@jit
def next_leader(record: Any, order: Any, places: Any, winner: Any, acting: Any) -> Any:
    """Return the place that leads the next trick."""
    if winner >= 0:
        return np.int64(winner)
    if acting == WHALE_CODE:
        return first_of(order, places, BIT_LOW[WHALE_CODE], ZERO)
    if record["kraken_leader"] == _LEFT_OF_KRAKEN:
        return (first_of(order, places, BIT_LOW[KRAKEN_CODE], ZERO) + 1) % places
    return max(winner_without_monsters(record, order, places), np.int64(0))


@jit
def captures(record: Any, winner_code: Any, laid_low: Any, laid_high: Any, acting: Any) -> Any:
    """Return the mermaids, pirates and Skull Kings captured in a trick that a player won."""
    if acting >= 0 or laid_high & CHARACTERS == ZERO:
        return 0, 0, 0
    mermaids = popcount(laid_high & MERMAIDS)
    is_mermaid = (BIT_HIGH[winner_code] & MERMAIDS) != ZERO
    if laid_high & SKULL_KING_BIT != ZERO:
        if is_mermaid:
            return 0, 0, 1
        pirates = popcount(laid_high & PIRATES)
        if record["escaped_tigress_counts"] != 0 and laid_low & TIGRESS_BIT != ZERO:
            pirates += 1
        return 0, pirates, 0
    if record["mermaid_captor"] == _ANY_CAPTOR:
        return mermaids - np.int64(is_mermaid), 0, 0
    return (0 if is_mermaid else mermaids), 0, 0


@jit
def may_ally(record: Any, winner_code: Any, acting: Any) -> Any:
    """Whether Loot allies in a trick won with this card."""
    if acting == WHALE_CODE and record["loot_under_whale"] == _NO_ALLIANCE:
        return False
    return not (winner_code < 10 and record["loot_taken_by_escape"] == _NO_ALLIANCE)


@jit
def bonus_of(record: Any, plain: Any, black: Any, mermaids: Any, pirates: Any, kings: Any) -> Any:
    """Return the points due for 14s and captures."""
    return (
        plain * record["bonus_14"]
        + black * record["bonus_black_14"]
        + mermaids * record["bonus_mermaid"]
        + pirates * record["bonus_pirate"]
        + kings * record["bonus_skull_king"]
    )


@jit
def trick_winner(record: Any, cards: Any, allies: Any) -> Any:
    """Look at a whole trick, by the functions that the kernel plays with.

    Parameters
    ----------
    record
        The rules.
    cards : int64 array
        Card numbers in the order of play (65 the Tigress as a pirate, 74 as an escape).
    allies : int64 array of 2
        Takes the places of the Loots that ally their players with the winner, -1 for none.

    Returns
    -------
    Places of the winner (-1 if void) and of who leads next, and the points of bonus due.
    """
    places = cards.shape[0]
    order = np.empty(places, np.int64)
    trick = EMPTY_TRICK
    for place in range(places):
        trick = lay(record, order, place, CODE_OF[cards[place]], trick)
    laid_low, laid_high, winner, acting = trick[5], trick[6], trick[7], trick[8]
    leader = next_leader(record, order, places, winner, acting)
    allies[:] = -1
    if winner < 0:
        return winner, leader, 0
    code = order[winner]
    if laid_low & LOOTS != ZERO and may_ally(record, code, acting):
        count = 0
        for place in range(places):
            if BIT_LOW[order[place]] & LOOTS != ZERO and place != winner:
                allies[count] = place
                count += 1
    mermaids, pirates, kings = captures(record, code, laid_low, laid_high, acting)
    plain = popcount(laid_low & FOURTEENS)
    black = np.int64((laid_high & BLACK_FOURTEEN) != ZERO)
    return winner, leader, bonus_of(record, plain, black, mermaids, pirates, kings)
