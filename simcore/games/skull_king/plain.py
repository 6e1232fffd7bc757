"""The tricks of the commonest rounds, without what cannot happen there.

In a *plain* round nothing is logged, everybody plays `contract`, and there are no Kraken, Whale and Loot, no powers of
pirates and no Graybeard. `rounds.play_any_tricks` plays the same tricks with the same draws, more slowly; tests
compare both with the twin in tests/naive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king.codes import BIT_HIGH, BIT_LOW, TIGRESS_BIT, TIGRESS_HIGH, ZERO
from simcore.games.skull_king.plays import CONTRACT, choose_by_contract, has_choice, legal_cards
from simcore.games.skull_king.tricks import EMPTY_TRICK, lay_plain, take_trick
from simcore.jit import inlined, jit_part, jit_small, lowest_bit


@inlined
def is_plain(record: Any, strategies: Any) -> Any:
    """Whether all rounds are plain, unless they are logged."""
    special_cards = record["kraken"] + record["white_whale"] + record["loot"]
    plain = special_cards == 0 and record["pirate_powers"] == 0 and record["graybeard"] == 0
    for seat in range(record["players"]):
        plain &= strategies[seat]["play"] == CONTRACT
    return plain


@jit_small
def play_plain_card(record: Any, state: Any, begin: Any, place: Any, is_last: Any, trick: Any) -> Any:
    """Let whoever is next play a card. Returns the trick and whether there was a choice."""
    seat = np.uint64(state["seats"][begin + np.uint64(place)])
    hand_low, hand_high = state["lows"][seat], state["highs"][seat]
    choice = np.int64(0)
    if is_last != 0 and hand_low & TIGRESS_BIT == ZERO:
        code = lowest_bit(hand_low) if hand_low != ZERO else 64 + lowest_bit(hand_high)
    else:
        low, high = legal_cards(hand_low, hand_high, trick[1], trick[2])
        choice = np.int64(has_choice(low, high, 0))
        code = choose_by_contract(state, seat, place, low, high, trick)
    index = np.uint64(code)
    bit_low, bit_high = BIT_LOW[index], BIT_HIGH[index]
    state["lows"][seat] = hand_low & ~(TIGRESS_BIT if code == TIGRESS_HIGH else bit_low)
    state["highs"][seat] = hand_high & ~bit_high
    return lay_plain(record, state["order"], place, code, bit_low, bit_high, trick), choice


@jit_small
def play_plain_trick(record: Any, state: Any, leader: Any, is_last: Any) -> Any:
    """Play a trick; `is_last` is 1 or 0. Returns who won it, the choices there were, and its plain and black 14s."""
    begin = np.uint64(leader)
    # The first two cards are written apart: the compiler leaves out what cannot be with an empty table, and the
    # processor foretells jumps better where there are more of them.
    trick, choices = play_plain_card(record, state, begin, np.int64(0), is_last, EMPTY_TRICK)
    trick, choice = play_plain_card(record, state, begin, np.int64(1), is_last, trick)
    choices += choice
    for place in range(2, record["players"]):
        trick, choice = play_plain_card(record, state, begin, place, is_last, trick)
        choices += choice
    winner = np.uint64(trick[7])
    taker = state["seats"][begin + winner]
    _, plain, black = take_trick(record, state, np.uint64(taker), state["order"][winner], trick)
    return taker, choices, plain, black


@jit_part
def play_plain_tricks(record: Any, state: Any, cards: Any, leader: Any) -> Any:
    """Play all tricks of a plain round; return who would lead the next."""
    choices = plain_14s = black_14s = np.int64(0)
    for _ in range(cards - 1):
        leader, choice, plain, black = play_plain_trick(record, state, leader, np.int64(0))
        choices, plain_14s, black_14s = choices + choice, plain_14s + plain, black_14s + black
    leader, choice, plain, black = play_plain_trick(record, state, leader, np.int64(1))
    state["choices"] += choices + choice
    state["captured"][0] += plain_14s + plain
    state["captured"][1] += black_14s + black
    return leader
