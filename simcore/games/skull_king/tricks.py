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
    BEATING,
    BEATS_HIGH,
    BEATS_LOW,
    BIT_HIGH,
    BIT_LOW,
    BLACK_FOURTEEN,
    CHARACTER_MASK,
    CHARACTERS,
    CODE_OF,
    ESCAPE_LIKE,
    FIRST_CHARACTER,
    FOURTEENS,
    IS_MONSTER,
    KEEPS_OPEN,
    KRAKEN_CODE,
    LOOTS,
    MERMAIDS,
    MONSTERS,
    NUMBER,
    ONE,
    PIRATES,
    SKULL_KING_BIT,
    SKULL_KING_CODE,
    SUIT_HIGH,
    SUIT_LOW,
    TIGRESS_BIT,
    TIGRESS_PIRATE,
    WHALE_CODE,
    ZERO,
)
from simcore.jit import inlined, jit, jit_part, popcount

_NO_SUIT = int(SuitRule.NO_SUIT)
_FIRST_ESCAPE, _LEFT_OF_KRAKEN = int(WhaleWithoutSuits.FIRST_ESCAPE), int(KrakenLeader.LEFT_OF_KRAKEN)
_ALL, _14, _63 = ~ZERO, np.uint64(14), np.uint64(63)
_ANY_CAPTOR, _NO_ALLIANCE = int(MermaidCaptor.ANY), int(LootRule.NONE)

# A trick in progress is a tuple of
#   opens   whether the next suit card sets the suit: all bits or none,
#   suit    the cards of the suit to follow (two words),
#   win     the cards that would be winning if laid now (two words; high bit 16 stands for the Tigress
#           in whichever way she would be declared by a player who needs a trick),
#   laid    the cards that lie there (two words),
#   winner  the place in the order of play of the card that is winning, -1 for none,
#   acting  the code of the Kraken or Whale that acts, -1 for none.
EMPTY_TRICK = (~ZERO, ZERO, ZERO, ALL_LOW & ~MONSTERS, ALL_HIGH, ZERO, ZERO, -1, -1)


@inlined
def lay(record: Any, order: Any, place: Any, code: Any, bit_low: Any, bit_high: Any, trick: Any) -> Any:
    """Lay a card, `order` holding those laid before, and return what the trick is then."""
    if trick[8] >= 0 or IS_MONSTER[np.uint64(code)] != 0:
        order[place] = code
        return lay_with_monster(record, order, place, code, trick)
    return lay_plain(record, order, place, code, bit_low, bit_high, trick)


@inlined
def lay_plain(record: Any, order: Any, place: Any, code: Any, bit_low: Any, bit_high: Any, trick: Any) -> Any:
    """Lay a card that is neither Kraken nor Whale where none of them acts."""
    opens, suit_low, suit_high, win_low, win_high, laid_low, laid_high, winner, acting = trick
    order[place] = code
    index = np.uint64(code)
    # No jump on what cannot be foretold: masks all of whose bits are alike, and a bit taken out of a word, since of a
    # comparison a jump would be made again.
    wins = ((win_high if code >= 64 else win_low) >> (index & _63)) & ONE
    character = CHARACTER_MASK[index]
    laid_low |= bit_low
    laid_high |= bit_high
    winner = np.int64(place) if wins != ZERO else winner
    suit_low |= SUIT_LOW[index] & opens
    suit_high |= SUIT_HIGH[index] & opens
    opens &= KEEPS_OPEN[index]
    if place == 0:
        opens &= ~(character * np.uint64(record["character_led"] == _NO_SUIT))
    elif record["escape_then_character"] == _NO_SUIT and order[0] < 10:
        opens &= ~character
    new = (wins * _ALL) | character
    win_low = (BEATS_LOW[index] & new) | (win_low & ~new)
    win_high = (BEATS_HIGH[index] & new) | (win_high & ~new) | (BEATING[laid_high >> _14] & character)
    if code == SKULL_KING_CODE and wins == ZERO:
        winner = first_of(order, place, ZERO, MERMAIDS)
    return opens, suit_low, suit_high, win_low, win_high, laid_low, laid_high, winner, acting


@jit_part
def lay_with_monster(record: Any, order: Any, place: Any, code: Any, trick: Any) -> Any:
    """Lay Kraken or Whale, or a card while one of them acts."""
    opens, suit_low, suit_high, win_low, win_high, laid_low, laid_high, winner, acting = trick
    is_open = opens != ZERO
    laid_low |= BIT_LOW[code]
    laid_high |= BIT_HIGH[code]
    if IS_MONSTER[code] != 0:
        acting = np.int64(code)
        is_open = is_open and place > 0
    elif is_open and code >= FIRST_CHARACTER:
        is_open = order[0] >= 10 or record["escape_then_character"] != _NO_SUIT
    elif is_open:
        suit_low, suit_high = SUIT_LOW[code], SUIT_HIGH[code]
        is_open = (suit_low | suit_high) == ZERO
    if acting == KRAKEN_CODE:
        win_low, win_high, winner = ZERO, ZERO, np.int64(-1)
    else:
        winner, win_low, win_high = under_whale(record, order, place + 1, laid_low, laid_high)
    return np.uint64(is_open) * _ALL, suit_low, suit_high, win_low, win_high, laid_low, laid_high, winner, acting


@jit_part
def first_of(order: Any, places: Any, low: Any, high: Any) -> Any:
    """Return the first place with a card of a set, -1 if there is none."""
    for place in range(places):
        code = order[place]
        if (BIT_LOW[code] & low) | (BIT_HIGH[code] & high) != ZERO:
            return np.int64(place)
    return np.int64(-1)


@jit_part
def highest_number(order: Any, places: Any) -> Any:
    """Return the highest number among the suit cards and the first place that has it; 0 and -1 for none."""
    best, where = np.int64(0), np.int64(-1)
    for place in range(places):
        number = NUMBER[order[place]]
        if number > best:
            best, where = number, np.int64(place)
    return best, where


@jit_part
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


@jit_part
def winner_without_monsters(record: Any, order: Any, rest: Any, places: Any) -> Any:
    """Return the place that would have won without Kraken and Whale; -1 if nothing else lies there.

    `rest` takes the other cards.
    """
    count = np.int64(0)
    trick = EMPTY_TRICK
    for place in range(places):
        code = order[place]
        if IS_MONSTER[code] == 0:
            trick = lay_plain(record, rest, count, code, BIT_LOW[code], BIT_HIGH[code], trick)
            count += 1
    before = trick[7]
    for place in range(places):
        if IS_MONSTER[order[place]] == 0:
            if before == 0:
                return np.int64(place)
            before -= 1
    return np.int64(-1)


@jit_part
def next_leader(record: Any, order: Any, rest: Any, places: Any, winner: Any, acting: Any) -> Any:
    """Return the place that leads the next trick. `rest` is as long as `order`, and overwritten."""
    if winner >= 0:
        return np.int64(winner)
    if acting == WHALE_CODE:
        return first_of(order, places, BIT_LOW[WHALE_CODE], ZERO)
    if record["kraken_leader"] == _LEFT_OF_KRAKEN:
        return (first_of(order, places, BIT_LOW[KRAKEN_CODE], ZERO) + 1) % places
    return max(winner_without_monsters(record, order, rest, places), np.int64(0))


@jit_part
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


@jit_part
def may_ally(record: Any, winner_code: Any, acting: Any) -> Any:
    """Whether Loot allies in a trick won with this card."""
    if acting == WHALE_CODE and record["loot_under_whale"] == _NO_ALLIANCE:
        return False
    return not (winner_code < 10 and record["loot_taken_by_escape"] == _NO_ALLIANCE)


@jit_part
def bonus_of(record: Any, plain: Any, black: Any, mermaids: Any, pirates: Any, kings: Any) -> Any:
    """Return the points due for 14s and captures."""
    return (
        plain * record["bonus_14"]
        + black * record["bonus_black_14"]
        + mermaids * record["bonus_mermaid"]
        + pirates * record["bonus_pirate"]
        + kings * record["bonus_skull_king"]
    )


@inlined
def count_captures(record: Any, state: Any, code: Any, laid_low: Any, laid_high: Any, acting: Any) -> Any:
    """Add up the characters that a player captured with a trick; return the points due for them."""
    mermaids, pirates, kings = captures(record, code, laid_low, laid_high, acting)
    captured = state["captured"]
    captured[2] += mermaids
    captured[3] += pirates
    captured[4] += kings
    return bonus_of(record, 0, 0, mermaids, pirates, kings)


@inlined
def take_trick(record: Any, state: Any, taker: Any, code: Any, trick: Any) -> Any:
    """Give a trick to the player who won it with a card; return the points due for it, and its plain and black 14s."""
    laid_low, laid_high = trick[5], trick[6]
    state["tricks"][taker] += 1
    plain, black = popcount(laid_low & FOURTEENS), popcount(laid_high & BLACK_FOURTEEN)
    due = plain * record["bonus_14"] + black * record["bonus_black_14"]
    counted_low = TIGRESS_BIT if record["escaped_tigress_counts"] != 0 else ZERO
    if popcount(laid_high & CHARACTERS) + popcount(laid_low & counted_low) > 1:
        due += count_captures(record, state, code, laid_low, laid_high, trick[8])
    state["bonuses"][taker] += due
    return due, plain, black


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
    order = np.zeros(places, np.int64)
    trick = EMPTY_TRICK
    for place in range(places):
        code = CODE_OF[cards[place]]
        trick = lay(record, order, place, code, BIT_LOW[code], BIT_HIGH[code], trick)
    laid_low, laid_high, winner, acting = trick[5], trick[6], trick[7], trick[8]
    leader = next_leader(record, order, np.zeros(places, np.int64), places, winner, acting)
    allies[0] = allies[1] = -1
    if winner < 0:
        return winner, leader, 0
    code = order[winner]
    mermaids, pirates, kings = captures(record, code, laid_low, laid_high, acting)
    if laid_low & LOOTS != ZERO and may_ally(record, code, acting):
        count = 0
        for place in range(places):
            if BIT_LOW[order[place]] & LOOTS != ZERO and place != winner:
                allies[count] = place
                count += 1
    plain = popcount(laid_low & FOURTEENS)
    black = np.int64((laid_high & BLACK_FOURTEEN) != ZERO)
    return winner, leader, bonus_of(record, plain, black, mermaids, pirates, kings)
