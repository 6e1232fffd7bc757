"""Tricks of plain matches, in lock step (see lanes.py).

Cards are words of one bit each, not codes. `play_card` is what rounds.py, plays.py and tricks.py do for `contract`
without Kraken, Whale and Loot.
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
from simcore.games.skull_king.lanes import any_of, highest, lowest, mask_if, pick, up_to
from simcore.games.skull_king.rules import MAX_PLAYERS
from simcore.jit import jit_part, jit_small, popcount
from simcore.rng import mix, plus_golden, scaled

_ALL, _NOBODY = ~ZERO, np.uint64(MAX_PLAYERS)
_TWO, _7 = np.uint64(2), np.uint64(7)
_SUIT_0, _SUIT_1, _SUIT_2 = PLAIN_SUITS
_NO_SUIT, _ANY_CAPTOR = int(SuitRule.NO_SUIT), int(MermaidCaptor.ANY)


@jit_small
def equals_low(card: Any) -> Any:
    """Return the cards of the low word that are as strong as one, none for none."""
    suit_1, suit_2 = any_of(card, _SUIT_1), any_of(card, _SUIT_2)
    first = (card >> (ONE & suit_1)) >> (_TWO & suit_2)
    return pick(any_of(card, WEAK), WEAK, first * _7)


@jit_small
def equals_high(card: Any) -> Any:
    """Return the cards of the high word that are as strong as one, none for none."""
    return (card & (BLACKS | SKULL_KING_BIT)) | (MERMAIDS & any_of(card, MERMAIDS)) | (PIRATES & any_of(card, PIRATES))


@jit_small
def has_choice(low: Any, high: Any) -> Any:
    """Whether the legal cards give at least two distinct ways to play: 1 or 0."""
    ways = popcount(low & PLAIN) + popcount(high & (BLACKS | SKULL_KING_BIT))
    ways += np.int64(low & ESCAPES != ZERO) + 2 * np.int64(low & TIGRESS_BIT != ZERO)
    ways += np.int64(high & MERMAIDS != ZERO) + np.int64(high & PIRATES != ZERO)
    return np.int64(ways > 1)


@jit_small
def choose(low: Any, high: Any, win_low: Any, win_high: Any, needed: Any, leads: Any, stream: Any) -> Any:
    """Return the card that `contract` plays of the legal ones, in two words, and the stream after it.

    The Tigress is in the high word, as a pirate, if a trick is needed; `needed` and `leads` are masks.
    """
    tigress = low & TIGRESS_BIT & needed
    low, high = low ^ tigress, high | tigress << _7
    set_low, set_high = low & (win_low ^ ~needed), high & (win_high ^ ~needed)
    takes_all = leads | mask_if(set_low | set_high == ZERO)
    set_low, set_high = set_low | (low & takes_all), set_high | (high & takes_all)
    is_weakest = needed ^ leads
    is_low = pick(is_weakest, mask_if(set_low != ZERO), mask_if(set_high == ZERO))
    card_low = pick(is_weakest, lowest(set_low), highest(set_low)) & is_low
    card_high = pick(is_weakest, lowest(set_high), highest(set_high)) & ~is_low
    equals = (equals_low(card_low) & set_low) | (equals_high(card_high) & set_high)
    count = np.uint64(popcount(equals))
    following = plus_golden(stream)
    drawn = scaled(mix(following), count)
    # Of more than three equals all but the lowest and the highest are escapes, or pirates: any is as good as another.
    first = lowest(equals)
    other = pick(mask_if(drawn + ONE == count), highest(equals), lowest(equals ^ first))
    card = pick(mask_if(drawn == ZERO), first, other)
    return card & is_low, card & ~is_low, pick(mask_if(count != ONE), following, stream)


@jit_small
def beaten_by(card_low: Any, card_high: Any, suit: Any, laid_high: Any) -> Any:
    """Return the cards that would be winning after a card that wins, or after any character, in two words.

    `suit` are the plain cards of its suit, `laid_high` the cards that lie there, with it.
    """
    kings, mermaids, pirates = (
        any_of(laid_high, SKULL_KING_BIT),
        any_of(laid_high, MERMAIDS),
        any_of(laid_high, PIRATES),
    )
    of_characters = pick(kings, MERMAIDS & ~mermaids, pick(mermaids, PIRATES & ~pirates, SKULL_KING_BIT))
    low = (PLAIN & any_of(card_low, WEAK)) | (suit & ~up_to(card_low))
    of_suits = ALL_HIGH & ~(up_to(card_high) & any_of(card_high, BLACKS))
    return low, pick(any_of(card_high, CHARACTERS), of_characters, of_suits)


@jit_part
def play_cards(record: Any, state: Any, place: Any, lanes: Any) -> None:
    """Choose a card in every lane and lay it."""
    leads, here = mask_if(place == 0), np.uint64(place)
    closed_by_escape = leads & mask_if(record["escape_then_character"] == _NO_SUIT)
    for lane in range(lanes):
        hand_low, hand_high = state["low"][lane], state["high"][lane]
        suit_low, suit_high = state["suit_low"][lane], state["suit_high"][lane]
        win_low, win_high = state["win_low"][lane], state["win_high"][lane]
        free = mask_if((hand_low & suit_low) | (hand_high & suit_high) == ZERO)
        low, high = hand_low & (free | suit_low | WEAK), hand_high & (free | suit_high | CHARACTERS)
        state["choices"][lane] += has_choice(low, high)
        needed = mask_if(state["needed"][lane] != ZERO)
        card_low, card_high, stream = choose(low, high, win_low, win_high, needed, leads, state["stream"][lane])
        state["stream"][lane] = stream
        state["low"][lane] = hand_low & ~(card_low | (card_high & TIGRESS_PIRATE) >> _7)
        state["high"][lane] = hand_high & ~card_high
        # The Tigress is an escape unless she wins as a pirate.
        escape = card_high & TIGRESS_PIRATE & ~win_high
        card_low, card_high = card_low | escape >> _7, card_high ^ escape

        wins = mask_if((win_low & card_low) | (win_high & card_high) != ZERO)
        character, weak = any_of(card_high, CHARACTERS), any_of(card_low, WEAK)
        suit = _SUIT_0 & any_of(card_low, _SUIT_0)
        suit |= _SUIT_1 & any_of(card_low, _SUIT_1)
        suit |= _SUIT_2 & any_of(card_low, _SUIT_2)
        opens, closed = state["opens"][lane], state["closed"][lane]
        state["suit_low"][lane] = suit_low | (suit & opens)
        state["suit_high"][lane] = suit_high | (BLACKS & any_of(card_high, BLACKS) & opens)
        state["opens"][lane] = opens & (weak | (character & ~closed))
        state["closed"][lane] = (closed & ~leads) | (weak & closed_by_escape)
        laid_high, mermaid = state["laid_high"][lane], state["mermaid"][lane]
        mermaid = pick(any_of(card_high, MERMAIDS) & ~any_of(laid_high, MERMAIDS), here, mermaid)
        laid_high |= card_high
        state["mermaid"][lane] = mermaid
        state["laid_low"][lane] |= card_low
        state["laid_high"][lane] = laid_high
        # A Skull King that does not win has met a mermaid.
        winner = pick(wins, here, state["winner"][lane])
        state["winner"][lane] = pick(any_of(card_high, SKULL_KING_BIT) & ~wins, mermaid, winner)
        beating_low, beating_high = beaten_by(card_low, card_high, suit, laid_high)
        state["win_low"][lane] = pick(wins | character, beating_low, win_low)
        state["win_high"][lane] = pick(wins | character, beating_high, win_high)


@jit_part
def begin_trick(record: Any, state: Any, lanes: Any) -> None:
    """Clear the table."""
    closed = mask_if(record["character_led"] == _NO_SUIT)
    for lane in range(lanes):
        state["opens"][lane], state["closed"][lane] = _ALL, closed
        state["suit_low"][lane], state["suit_high"][lane] = ZERO, ZERO
        state["win_low"][lane], state["win_high"][lane] = ALL_LOW & ~MONSTERS, ALL_HIGH
        state["laid_low"][lane], state["laid_high"][lane] = ZERO, ZERO
        state["winner"][lane], state["mermaid"][lane] = ZERO, _NOBODY


@jit_small
def seat_at(state: Any, place: Any, players: Any, lane: Any) -> Any:
    """Return the seat at a place in the order of play."""
    seat = state["leaders"][lane] + place
    return np.uint64(seat - players if seat >= players else seat)


@jit_part
def take_up(state: Any, place: Any, players: Any, lanes: Any) -> None:
    """Note the hand of whoever plays at a place."""
    for lane in range(lanes):
        seat = seat_at(state, place, players, lane)
        state["seat"][lane] = seat
        state["low"][lane] = state["lows"][seat, lane]
        state["high"][lane] = state["highs"][seat, lane]
        state["stream"][lane] = state["streams"][seat, lane]
        state["needed"][lane] = np.uint64(state["bids"][seat, lane] > state["tricks"][seat, lane])


@jit_part
def put_back(state: Any, lanes: Any) -> None:
    """Give what is left of the hands back to their seats."""
    for lane in range(lanes):
        seat = state["seat"][lane]
        state["lows"][seat, lane] = state["low"][lane]
        state["highs"][seat, lane] = state["high"][lane]
        state["streams"][seat, lane] = state["stream"][lane]


@jit_part
def judge_tricks(record: Any, state: Any, lanes: Any) -> None:
    """Count what was captured, and the points due for it."""
    bonus_14, bonus_black_14, bonus_mermaid = record["bonus_14"], record["bonus_black_14"], record["bonus_mermaid"]
    bonus_pirate, bonus_skull_king = record["bonus_pirate"], record["bonus_skull_king"]
    counted = TIGRESS_BIT if record["escaped_tigress_counts"] != 0 else ZERO
    any_captor = np.int64(record["mermaid_captor"] == _ANY_CAPTOR)
    for lane in range(lanes):
        low, high = state["laid_low"][lane], state["laid_high"][lane]
        by_mermaid = np.int64(state["winner"][lane] == state["mermaid"][lane])
        with_king = np.int64(high & SKULL_KING_BIT != ZERO)
        plain, black = popcount(low & FOURTEENS), popcount(high & BLACK_FOURTEEN)
        mermaids = popcount(high & MERMAIDS) - by_mermaid
        mermaids *= (1 - with_king) * (1 - by_mermaid * (1 - any_captor))
        pirates = (popcount(high & PIRATES) + popcount(low & counted)) * with_king * (1 - by_mermaid)
        kings = with_king * by_mermaid
        state["captured"][0, lane] += plain
        state["captured"][1, lane] += black
        state["captured"][2, lane] += mermaids
        state["captured"][3, lane] += pirates
        state["captured"][4, lane] += kings
        due = plain * bonus_14 + black * bonus_black_14 + mermaids * bonus_mermaid
        state["due"][lane] = due + pirates * bonus_pirate + kings * bonus_skull_king


@jit_part
def give_tricks(state: Any, players: Any, lanes: Any) -> None:
    """Give the tricks to their winners, who lead the next ones."""
    for lane in range(lanes):
        seat = seat_at(state, np.int64(state["winner"][lane]), players, lane)
        state["tricks"][seat, lane] += 1
        state["bonuses"][seat, lane] += state["due"][lane]
        state["leaders"][lane] = np.int64(seat)


@jit_part
def play_plain_tricks(record: Any, state: Any, cards: Any, lanes: Any) -> None:
    """Play all tricks of a round."""
    players = record["players"]
    for _ in range(cards):
        begin_trick(record, state, lanes)
        for place in range(players):
            take_up(state, place, players, lanes)
            play_cards(record, state, place, lanes)
            put_back(state, lanes)
        judge_tricks(record, state, lanes)
        give_tricks(state, players, lanes)
