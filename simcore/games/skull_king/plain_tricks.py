"""Tricks of many matches at once, in lock step.

Each of the matches is in a *lane*: its numbers stand in one column of arrays whose rows are seats. A step is done for
all lanes before the next one, in loops without jumps, of which the compiler makes vectors. Cards are words of one bit,
not codes: see codes.py for the order of the bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king.cards import MermaidCaptor, SuitRule
from simcore.games.skull_king.codes import (
    ALL_HIGH,
    ALL_LOW,
    BLACK_FOURTEEN,
    BLACKS,
    CHARACTERS,
    ESCAPES,
    FOURTEENS,
    MERMAIDS,
    MONSTERS,
    NAMED_PIRATES,
    ONE,
    PIRATES,
    PLAIN,
    PLAIN_SUITS,
    SKULL_KING_BIT,
    TIGRESS_BIT,
    TIGRESS_PIRATE,
    WEAK,
    ZERO,
)
from simcore.games.skull_king.rules import MAX_PLAYERS
from simcore.jit import highest_bit, inlined, jit_part, jit_small, popcount
from simcore.rng import mix, plus_golden, scaled

LANES = 64

_SEATS, _LANES = (MAX_PLAYERS, LANES), (LANES,)

TABLES = np.dtype(
    [
        ("lows", np.uint64, _SEATS),  # hands
        ("highs", np.uint64, _SEATS),
        ("streams", np.uint64, _SEATS),
        ("bids", np.int64, _SEATS),
        ("tricks", np.int64, _SEATS),
        ("bonuses", np.int64, _SEATS),
        ("leaders", np.int64, _LANES),
        # Whoever is to play.
        ("seat", np.int64, _LANES),
        ("low", np.uint64, _LANES),
        ("high", np.uint64, _LANES),
        ("stream", np.uint64, _LANES),
        ("needed", np.uint64, _LANES),
        # The trick, as in tricks.py
        ("opens", np.uint64, _LANES),
        ("closed", np.uint64, _LANES),  # all bits where a character leaves no suit to be set
        ("suit_low", np.uint64, _LANES),
        ("suit_high", np.uint64, _LANES),
        ("win_low", np.uint64, _LANES),
        ("win_high", np.uint64, _LANES),
        ("laid_low", np.uint64, _LANES),
        ("laid_high", np.uint64, _LANES),
        ("winner", np.uint64, _LANES),
        ("mermaid", np.uint64, _LANES),  # the place of the first one
        ("due", np.int64, _LANES),
        # The match
        ("totals", np.int64, _SEATS),
        ("half_totals", np.int64, _SEATS),
        ("exact", np.int64, _SEATS),
        ("deficits", np.int64, _SEATS),
        ("points", np.int64, _SEATS),  # of the round, in halves
        ("paid", np.int64, _SEATS),
        ("hits", np.int64, _SEATS),
        ("sole_leader", np.int64, _LANES),
        ("leads_since", np.int64, _LANES),
        ("lead_changes", np.int64, _LANES),
        ("game_keys", np.uint64, _LANES),
        ("first", np.int64, _LANES),
        ("choices", np.int64, _LANES),
        ("captured", np.int64, (5, LANES)),
    ]
)

_ALL, _7, _63 = ~ZERO, np.uint64(7), np.uint64(63)
_TWO = np.uint64(2)
_NOBODY = np.uint64(MAX_PLAYERS)
_HIGHEST = np.uint64(2**63)
_SUIT_0, _SUIT_1, _SUIT_2 = PLAIN_SUITS
_NO_SUIT, _ANY_CAPTOR = int(SuitRule.NO_SUIT), int(MermaidCaptor.ANY)


@jit_small
def lowest(cards: Any) -> Any:
    """Return the lowest bit of a word whose bit 63 is unused; none if there is none."""
    return cards & ~((cards | _HIGHEST) - ONE)


@jit_small
def highest(cards: Any) -> Any:
    """Return the highest bit of a word, none if there is none."""
    return cards & (ONE << np.uint64(highest_bit(cards | ONE)))


@jit_small
def mask_if(condition: Any) -> Any:
    """Return a word of ones or of zeros."""
    return np.uint64(condition) * _ALL


@jit_small
def any_of(cards: Any, group: Any) -> Any:
    """Return a word of ones if a card of a group is among some, else of zeros."""
    return np.uint64(cards & group != ZERO) * _ALL


@jit_small
def pick(mask: Any, one: Any, other: Any) -> Any:
    """Return one word where the mask has ones, the other where it has zeros."""
    return (one & mask) | (other & ~mask)


@jit_small
def not_above(card: Any) -> Any:
    """Return the bits up to that of a card, for a word whose bit 63 is unused; of no use if there is no card."""
    return card | ((card | _HIGHEST) - ONE)


@jit_small
def equals_low(card: Any) -> Any:
    """Return the cards of the low word that are as strong as one, none for none."""
    suit_1, suit_2 = any_of(card, _SUIT_1), any_of(card, _SUIT_2)
    first = (card >> (ONE & suit_1)) >> (_TWO & suit_2)
    return pick(any_of(card, WEAK), WEAK, first * _7)


@jit_small
def equals_high(card: Any) -> Any:
    """Return the cards of the high word that are as strong as one, none for none."""
    return (
        (card & (BLACKS | SKULL_KING_BIT)) | (MERMAIDS & any_of(card, MERMAIDS)) | (PIRATES & any_of(card, PIRATES))
    )


@jit_part
def begin_trick(record: Any, table: Any, lanes: Any) -> None:
    """Clear all tables."""
    closed = mask_if(record["character_led"] == _NO_SUIT)
    for lane in range(lanes):
        table["opens"][lane] = _ALL
        table["closed"][lane] = closed
        table["suit_low"][lane] = table["suit_high"][lane] = ZERO
        table["win_low"][lane] = ALL_LOW & ~MONSTERS
        table["win_high"][lane] = ALL_HIGH
        table["laid_low"][lane] = table["laid_high"][lane] = ZERO
        table["winner"][lane] = ZERO
        table["mermaid"][lane] = _NOBODY


@jit_part
def take_up(table: Any, place: Any, players: Any, lanes: Any) -> None:
    """Bring before us the hands of those who play at a place."""
    for lane in range(lanes):
        seat = table["leaders"][lane] + place
        seat = np.uint64(seat - players if seat >= players else seat)
        table["seat"][lane] = seat
        table["low"][lane] = table["lows"][seat, lane]
        table["high"][lane] = table["highs"][seat, lane]
        table["stream"][lane] = table["streams"][seat, lane]
        table["needed"][lane] = np.uint64(table["bids"][seat, lane] > table["tricks"][seat, lane])


@jit_part
def put_back(table: Any, lanes: Any) -> None:
    """Put back the hands that are before us."""
    for lane in range(lanes):
        seat = np.uint64(table["seat"][lane])
        table["lows"][seat, lane] = table["low"][lane]
        table["highs"][seat, lane] = table["high"][lane]
        table["streams"][seat, lane] = table["stream"][lane]


@jit_part
def play_cards(record: Any, table: Any, place: Any, lanes: Any) -> None:
    """Choose a card in every lane and lay it."""
    leads = mask_if(place == 0)
    closed_by_escape = leads & mask_if(record["escape_then_character"] == _NO_SUIT)
    here = np.uint64(place)
    for lane in range(lanes):
        hand_low, hand_high = table["low"][lane], table["high"][lane]
        suit_low, suit_high = table["suit_low"][lane], table["suit_high"][lane]
        win_low, win_high = table["win_low"][lane], table["win_high"][lane]
        laid_low, laid_high = table["laid_low"][lane], table["laid_high"][lane]
        needed = mask_if(table["needed"][lane] != ZERO)
        follows = mask_if((hand_low & suit_low) | (hand_high & suit_high) != ZERO)
        low = hand_low & (~follows | suit_low | WEAK)
        high = hand_high & (~follows | suit_high | CHARACTERS)
        kinds = popcount(low & PLAIN) + popcount(high & (BLACKS | SKULL_KING_BIT))
        kinds += np.int64(low & ESCAPES != ZERO) + 2 * np.int64(low & TIGRESS_BIT != ZERO)
        kinds += np.int64(high & MERMAIDS != ZERO) + np.int64(high & PIRATES != ZERO)
        table["choices"][lane] += np.int64(kinds > 1)

        # By contract.
        tigress = low & TIGRESS_BIT & needed
        low ^= tigress
        high |= tigress << _7
        set_low, set_high = low & (win_low ^ ~needed), high & (win_high ^ ~needed)
        takes_all = leads | mask_if(set_low | set_high == ZERO)
        set_low |= low & takes_all
        set_high |= high & takes_all
        is_weakest = needed ^ leads
        in_low = pick(is_weakest, mask_if(set_low != ZERO), mask_if(set_high == ZERO))
        card_low = pick(is_weakest, lowest(set_low), highest(set_low)) & in_low
        card_high = pick(is_weakest, lowest(set_high), highest(set_high)) & ~in_low
        group = (equals_low(card_low) & set_low) | (equals_high(card_high) & set_high)
        n = np.uint64(popcount(group))
        stream = table["stream"][lane]
        following = plus_golden(stream)
        drawn = scaled(mix(following), n)
        table["stream"][lane] = pick(mask_if(n != ONE), following, stream)
        first = lowest(group)
        second = lowest(group ^ first)
        card = pick(mask_if(drawn == ZERO), first, pick(mask_if(drawn + ONE == n), highest(group), second))
        card_low, card_high = card & in_low, card & ~in_low
        table["low"][lane] = hand_low & ~(card_low | ((card_high & TIGRESS_PIRATE) >> _7))
        table["high"][lane] = hand_high & ~card_high
        escape = card_high & TIGRESS_PIRATE & ~win_high
        card_high ^= escape
        card_low |= escape >> _7

        # Lay it.
        wins = mask_if((win_low & card_low) | (win_high & card_high) != ZERO)
        character, weak, black = any_of(card_high, CHARACTERS), any_of(card_low, WEAK), any_of(card_high, BLACKS)
        suit = _SUIT_0 & any_of(card_low, _SUIT_0)
        suit |= _SUIT_1 & any_of(card_low, _SUIT_1)
        suit |= _SUIT_2 & any_of(card_low, _SUIT_2)
        opens = table["opens"][lane]
        mermaid = pick(any_of(card_high, MERMAIDS) & ~any_of(laid_high, MERMAIDS), here, table["mermaid"][lane])
        table["mermaid"][lane] = mermaid
        laid_low |= card_low
        laid_high |= card_high
        table["laid_low"][lane], table["laid_high"][lane] = laid_low, laid_high
        winner = pick(wins, here, table["winner"][lane])
        table["winner"][lane] = pick(any_of(card_high, SKULL_KING_BIT) & ~wins, mermaid, winner)
        table["suit_low"][lane] = suit_low | (suit & opens)
        table["suit_high"][lane] = suit_high | (BLACKS & black & opens)
        closed = table["closed"][lane]
        table["opens"][lane] = opens & (weak | (character & ~closed))
        table["closed"][lane] = (closed & ~leads) | (weak & closed_by_escape)
        new = wins | character
        king, mermaids, pirates = (
            any_of(laid_high, SKULL_KING_BIT),
            any_of(laid_high, MERMAIDS),
            any_of(laid_high, PIRATES),
        )
        beating = pick(king, MERMAIDS & ~mermaids, pick(mermaids, PIRATES & ~pirates, SKULL_KING_BIT))
        beats_low = (PLAIN & weak) | (suit & ~not_above(card_low))
        beats_high = pick(character, beating, ALL_HIGH & ~(not_above(card_high) & black))
        table["win_low"][lane] = pick(new, beats_low, win_low)
        table["win_high"][lane] = pick(new, beats_high, win_high)


@jit_part
def take_tricks(record: Any, table: Any, lanes: Any) -> None:
    """Look who won and what is due."""
    bonus_14, bonus_black_14, bonus_mermaid = record["bonus_14"], record["bonus_black_14"], record["bonus_mermaid"]
    bonus_pirate, bonus_king = record["bonus_pirate"], record["bonus_skull_king"]
    counted = TIGRESS_BIT if record["escaped_tigress_counts"] != 0 else ZERO
    captor_any = record["mermaid_captor"] == _ANY_CAPTOR
    for lane in range(lanes):
        low, high = table["laid_low"][lane], table["laid_high"][lane]
        is_mermaid = table["winner"][lane] == table["mermaid"][lane]
        is_king = high & SKULL_KING_BIT != ZERO
        plain, black = popcount(low & FOURTEENS), popcount(high & BLACK_FOURTEEN)
        mermaids, pirates = popcount(high & MERMAIDS), popcount(high & PIRATES) + popcount(low & counted)
        mermaids = (mermaids - 1 if captor_any else 0) if is_mermaid else mermaids
        mermaids = 0 if is_king else mermaids
        pirates = pirates if is_king and not is_mermaid else 0
        kings = 1 if is_king and is_mermaid else 0
        table["captured"][0, lane] += plain
        table["captured"][1, lane] += black
        table["captured"][2, lane] += mermaids
        table["captured"][3, lane] += pirates
        table["captured"][4, lane] += kings
        table["due"][lane] = (
            plain * bonus_14
            + black * bonus_black_14
            + mermaids * bonus_mermaid
            + pirates * bonus_pirate
            + kings * bonus_king
        )


@jit_part
def give_tricks(table: Any, players: Any, lanes: Any) -> None:
    """Give the tricks to those who won them."""
    for lane in range(lanes):
        seat = table["leaders"][lane] + np.int64(table["winner"][lane])
        seat = np.uint64(seat - players if seat >= players else seat)
        table["tricks"][seat, lane] += 1
        table["bonuses"][seat, lane] += table["due"][lane]
        table["leaders"][lane] = seat


@jit_part
def play_tricks_of_all(record: Any, table: Any, cards: Any, lanes: Any) -> None:
    """Play all tricks of a round in every lane."""
    players = record["players"]
    for _ in range(cards):
        begin_trick(record, table, lanes)
        for place in range(players):
            take_up(table, place, players, lanes)
            play_cards(record, table, place, lanes)
            put_back(table, lanes)
        take_tricks(record, table, lanes)
        give_tricks(table, players, lanes)
