"""A round from the deal to the last trick."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king import events
from simcore.games.skull_king.bids import COUNT
from simcore.games.skull_king.cards import GHOST
from simcore.games.skull_king.codes import (
    BIT_HIGH,
    BIT_LOW,
    CARD_OF,
    LOOTS,
    NAMED_PIRATES,
    NO_SEAT,
    ONE,
    TIGRESS_BIT,
    TIGRESS_HIGH,
    UNITS,
    ZERO,
)
from simcore.games.skull_king.plays import choose_card, has_choice, legal_cards
from simcore.games.skull_king.powers import printed, use_harry, use_power
from simcore.games.skull_king.rules import MAX_PLAYERS
from simcore.games.skull_king.states import MAX_DECK
from simcore.games.skull_king.tricks import EMPTY_TRICK, lay, may_ally, next_leader, take_trick
from simcore.games.skull_king.views import ask_card, show_card, show_cards_begin, show_leader, show_status, show_taken
from simcore.jit import inlined, jit_part, lowest_bit
from simcore.log import event
from simcore.rng import CHANCE, DEAL, later, mix, scaled, start
from simcore.strategies import OWN

_GHOST = np.uint64(GHOST)


@jit_part
def deal(record: Any, state: Any, cards: Any) -> None:
    """Shuffle as far as cards are needed, and deal; the stream is started."""
    streams, deck, shuffled, drawn = state["streams"], state["deck"], state["shuffled"], state["drawn"]
    lows, highs = state["lows"], state["highs"]
    size = record["deck_size"]
    hands = record["players"] + record["graybeard"]
    for i in range(MAX_DECK):
        shuffled[i] = deck[i]
    # This is `below`, many times, all draws first, since they wait for nothing. Where one card is left, it would draw
    # nothing; here it draws in vain, and nobody draws from this stream afterwards.
    counter, left = streams[DEAL], np.uint64(size)
    for i in range(hands * cards):
        place = np.uint64(i)
        drawn[place] = place + scaled(mix(later(counter, place + ONE)), left - place)
    place = ZERO
    for seat in range(hands):
        low, high, units = ZERO, ZERO, np.int64(0)
        for _ in range(cards):
            code = shuffled[drawn[place]]
            shuffled[drawn[place]] = shuffled[place]
            shuffled[place] = code
            low |= BIT_LOW[code]
            high |= BIT_HIGH[code]
            units += UNITS[code]
            place += ONE
        lows[seat], highs[seat], state["units"][seat] = low, high, units
    if record["pirate_powers"] != 0:
        set_undealt(state, np.int64(place), size)


@jit_part
def set_undealt(state: Any, first: Any, size: Any) -> None:
    """Note the cards that were not dealt."""
    low, high = ZERO, ZERO
    for i in range(first, size):
        low |= BIT_LOW[state["shuffled"][i]]
        high |= BIT_HIGH[state["shuffled"][i]]
    state["undealt_low"], state["undealt_high"] = low, high


@jit_part
def log_hands(record: Any, state: Any, cards: Any, log: Any) -> None:
    """Log every hand, in the order dealt."""
    for i in range(cards * (record["players"] + record["graybeard"])):
        event(log, events.CARD, i // cards, printed(state["shuffled"][i]))


@jit_part
def prepare_tricks(record: Any, state: Any, cards: Any, key: Any) -> None:
    """Start the streams of play and forget the last round."""
    if record["pirate_powers"] != 0:
        start(state["streams"], CHANCE, key, 0)
    for seat in range(MAX_PLAYERS):
        state["tricks"][seat] = 0
        state["bonuses"][seat] = 0
        state["stakes"][seat] = 0
        state["shown_lows"][seat] = ZERO
        state["shown_highs"][seat] = ZERO
    state["alliances"] = 0
    state["harry"] = NO_SEAT
    state["played_low"], state["played_high"] = ZERO, ZERO
    state["ghost_card"] = GHOST * cards


@inlined
def first_place(record: Any, state: Any, leader: Any) -> Any:
    """Return where in `seats` the order of play of a trick begins.

    It holds all players twice over, so nothing has to be written unless Graybeard plays.
    """
    if record["graybeard"] == 0:
        return leader
    seats = state["seats"]
    if leader == GHOST:
        second = 1 - state["human_leader"]
        seats[0], seats[1], seats[2] = GHOST, second, 1 - second
    else:
        state["human_leader"] = leader
        seats[0], seats[1], seats[2] = leader, GHOST, 1 - leader
    return np.int64(0)


@jit_part
def play_tricks(
    record: Any,
    state: Any,
    round_index: Any,
    cards: Any,
    leader: Any,
    is_playout: Any,
    log: Any,
    choose_own: Any,
) -> Any:
    """Play the tricks of any round."""
    seats, order, lows, highs = state["seats"], state["order"], state["lows"], state["highs"]
    styles, powers = state["play_styles"], record["pirate_powers"]
    has_ghost = record["graybeard"] != 0
    hands = record["players"] + record["graybeard"]
    is_logged = log.shape[0] > 0
    choices = plain_14s = black_14s = np.int64(0)
    show_cards_begin(record, state)
    for number in range(cards):
        begin = np.uint64(first_place(record, state, leader))
        if is_logged:
            event(log, events.TRICK, number + 1, leader)
        show_leader(state, leader)
        trick = EMPTY_TRICK
        for place in range(hands):
            seat = np.uint64(seats[begin + np.uint64(place)])
            if has_ghost and seat == _GHOST:
                code = np.int64(state["shuffled"][state["ghost_card"]])
                state["ghost_card"] += 1
                bit_low, bit_high = BIT_LOW[code], BIT_HIGH[code]
            else:
                hand_low, hand_high = lows[seat], highs[seat]
                style = styles[seat]
                if number == cards - 1 and style != OWN and hand_low & TIGRESS_BIT == ZERO:
                    # The last card; a draw that is left out here could change nothing any more.
                    code = lowest_bit(hand_low) if hand_low != ZERO else 64 + lowest_bit(hand_high)
                else:
                    low, high = legal_cards(hand_low, hand_high, trick[1], trick[2])
                    choices += np.int64(has_choice(low, high, powers))
                    after = hands - 1 - place
                    if style == OWN:
                        code = ask_card(state, begin, seat, place, low, high, trick, choose_own)
                    else:
                        code = choose_card(record, state, style, seat, place, after, cards - number, low, high, trick)
                index = np.uint64(code)
                bit_low, bit_high = BIT_LOW[index], BIT_HIGH[index]
                lows[seat] = hand_low & ~(TIGRESS_BIT if code == TIGRESS_HIGH else bit_low)
                highs[seat] = hand_high & ~bit_high
            if is_logged:
                event(log, events.PLAY, seat, CARD_OF[code])
            trick = lay(record, order, place, code, bit_low, bit_high, trick)
            show_card(state, place, np.uint64(code))
            state["played_low"] |= bit_low
            state["played_high"] |= bit_high
        winner, acting = trick[7], trick[8]
        if acting >= 0:
            leader = seats[begin + np.uint64(next_leader(record, order, state["rest"], hands, winner, acting))]
        else:
            leader = seats[begin + np.uint64(winner)]
        if winner < 0:
            state["void_tricks"] += 1
            if is_logged:
                event(log, events.WON, NO_SEAT, leader, 0)
            continue
        taker = seats[begin + np.uint64(winner)]
        if has_ghost and taker == GHOST:
            event(log, events.WON, taker, leader, 0)
            continue
        code = order[winner]
        due, plain, black = take_trick(record, state, np.uint64(taker), code, trick)
        show_taken(state, np.uint64(taker))
        plain_14s += plain
        black_14s += black
        if is_logged:
            event(log, events.WON, taker, leader, due)
        if trick[5] & LOOTS != ZERO and may_ally(record, code, acting):
            ally(record, state, begin, hands, winner, log)
        if powers != 0 and BIT_HIGH[code] & NAMED_PIRATES != ZERO:
            # In a playout everybody's stake is that of a `count` bidder.
            style = np.int64(COUNT) if is_playout != 0 else state["bid_styles"][taker]
            leader = use_power(record, state, code, taker, style, round_index, number == cards - 1, leader, log)
            for i in range(state["asked"]):
                show_status(state, np.uint64(state["askers"][i]))
    state["choices"] += choices
    state["captured"][0] += plain_14s
    state["captured"][1] += black_14s
    use_harry(state, log)
    return leader


@jit_part
def ally(record: Any, state: Any, begin: Any, hands: Any, winner: Any, log: Any) -> None:
    """Ally the players of Loot with the winner."""
    seats = state["seats"]
    taker = seats[begin + np.uint64(winner)]
    for place in range(hands):
        seat = seats[begin + np.uint64(place)]
        is_ghost = record["graybeard"] != 0 and seat == GHOST
        if BIT_LOW[state["order"][place]] & LOOTS != ZERO and place != winner and not is_ghost:
            state["looters"][state["alliances"]] = seat
            state["winners"][state["alliances"]] = taker
            state["alliances"] += 1
            state["all_alliances"] += 1
            event(log, events.ALLIANCE, seat, taker)
