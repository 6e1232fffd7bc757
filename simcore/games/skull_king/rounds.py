"""A round from the deal to the last trick."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.games.skull_king import events
from simcore.games.skull_king.cards import GHOST
from simcore.games.skull_king.codes import (
    BIT_HIGH,
    BIT_LOW,
    BLACK_FOURTEEN,
    CARD_OF,
    FOURTEENS,
    LOOTS,
    NAMED_PIRATES,
    NO_SEAT,
    TIGRESS_BIT,
    TIGRESS_HIGH,
    ZERO,
)
from simcore.games.skull_king.plays import choose_card, has_choice, legal_cards
from simcore.games.skull_king.powers import printed, use_harry, use_power
from simcore.games.skull_king.tricks import EMPTY_TRICK, bonus_of, captures, lay, may_ally, next_leader
from simcore.games.skull_king.views import ask_card
from simcore.jit import inlined, jit, popcount
from simcore.log import event
from simcore.rng import CHANCE, DEAL, SEAT, below, start
from simcore.strategies import OWN

_63 = np.uint64(63)


@jit
def deal(record: Any, state: Any, cards: Any) -> None:
    """Shuffle as far as cards are needed, and deal; the stream is started."""
    streams, deck, shuffled = state["streams"], state["deck"], state["shuffled"]
    lows, highs = state["lows"], state["highs"]
    size = record["deck_size"]
    for i in range(size):
        shuffled[i] = deck[i]
    i = np.int64(0)
    for seat in range(record["players"] + record["graybeard"]):
        low, high = ZERO, ZERO
        for _ in range(cards):
            j = i + below(streams, DEAL, size - i)
            code = shuffled[j]
            shuffled[j] = shuffled[i]
            shuffled[i] = code
            low |= BIT_LOW[code]
            high |= BIT_HIGH[code]
            i += 1
        lows[seat], highs[seat] = low, high
    if record["pirate_powers"] != 0:
        set_undealt(state, i, size)


@jit
def set_undealt(state: Any, first: Any, size: Any) -> None:
    """Note the cards that were not dealt."""
    low, high = ZERO, ZERO
    for i in range(first, size):
        low |= BIT_LOW[state["shuffled"][i]]
        high |= BIT_HIGH[state["shuffled"][i]]
    state["undealt_low"], state["undealt_high"] = low, high


@jit
def log_hands(record: Any, state: Any, cards: Any, log: Any) -> None:
    """Log every hand, in the order dealt."""
    for i in range(cards * (record["players"] + record["graybeard"])):
        event(log, events.CARD, i // cards, printed(state["shuffled"][i]))


@jit
def prepare_tricks(record: Any, state: Any, cards: Any, key: Any) -> None:
    """Start the streams of play and forget the last round."""
    start(state["streams"], CHANCE, key, 0)
    for seat in range(record["players"]):
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
def seat_players(record: Any, state: Any, leader: Any, seats: Any) -> Any:
    """Fill in the order of play; return the number of hands."""
    players = record["players"]
    if record["graybeard"] == 0:
        for place in range(players):
            seats[place] = leader
            leader = leader + 1 if leader + 1 < players else 0
        return players
    if leader == GHOST:
        second = 1 - state["human_leader"]
        seats[0], seats[1], seats[2] = GHOST, second, 1 - second
    else:
        state["human_leader"] = leader
        seats[0], seats[1], seats[2] = leader, GHOST, 1 - leader
    return np.int64(3)


@jit
def play_tricks(
    record: Any,
    strategies: Any,
    state: Any,
    seats: Any,
    round_index: Any,
    cards: Any,
    leader: Any,
    is_playout: Any,
    log: Any,
    choose_own: Any,
) -> Any:
    """Play all tricks of a round; return who would lead the next."""
    order, lows, highs = state["order"], state["lows"], state["highs"]
    powers = record["pirate_powers"]
    choices = np.int64(0)
    for number in range(cards):
        hands = seat_players(record, state, leader, seats)
        event(log, events.TRICK, number + 1, leader)
        trick = EMPTY_TRICK
        for place in range(hands):
            seat = seats[place]
            if record["graybeard"] != 0 and seat == GHOST:
                code = state["shuffled"][state["ghost_card"]]
                state["ghost_card"] += 1
            else:
                low, high = legal_cards(lows[seat], highs[seat], trick[1], trick[2])
                choices += np.int64(has_choice(low, high, powers))
                style = strategies[seat]["play"]
                if style == OWN:
                    code = ask_card(
                        record, state, seats, seat, place, round_index, cards, low, high, trick, choose_own
                    )
                else:
                    after = hands - 1 - place
                    code = choose_card(record, state, style, seat, place, after, cards - number, low, high, trick)
                lows[seat] &= ~BIT_LOW[code]
                highs[seat] &= ~BIT_HIGH[code]
                if code == TIGRESS_HIGH:
                    lows[seat] &= ~TIGRESS_BIT
            event(log, events.PLAY, seat, CARD_OF[code])
            trick = lay(record, order, place, code, trick)
        laid_low, laid_high, winner, acting = trick[5], trick[6], trick[7], trick[8]
        state["played_low"] |= laid_low
        state["played_high"] |= laid_high
        if winner < 0 or acting >= 0:
            leader = seats[next_leader(record, order, hands, winner, acting)]
        else:
            leader = seats[winner]
        if winner < 0:
            state["void_tricks"] += 1
            event(log, events.WON, NO_SEAT, leader, 0)
            continue
        seat = seats[winner]
        if record["graybeard"] != 0 and seat == GHOST:
            event(log, events.WON, seat, leader, 0)
            continue
        state["tricks"][seat] += 1
        code = order[winner]
        due = count_captures(record, state, code, laid_low, laid_high, acting)
        state["bonuses"][seat] += due
        event(log, events.WON, seat, leader, due)
        if laid_low & LOOTS != ZERO and may_ally(record, code, acting):
            ally(record, state, seats, hands, winner, log)
        if powers != 0 and BIT_HIGH[code] & NAMED_PIRATES != ZERO:
            # In a playout everybody's stake is that of a `count` bidder.
            style = np.int64(2) if is_playout != 0 else strategies[seat]["bid"]
            leader = use_power(record, state, code, seat, style, round_index, number == cards - 1, leader, log)
    state["choices"] += choices
    use_harry(state, record["players"], log)
    return leader


@inlined
def count_captures(record: Any, state: Any, code: Any, laid_low: Any, laid_high: Any, acting: Any) -> Any:
    """Add up what a player captured with a trick; return the points due for it."""
    plain = popcount(laid_low & FOURTEENS)
    black = popcount(laid_high & BLACK_FOURTEEN)
    mermaids, pirates, kings = captures(record, code, laid_low, laid_high, acting)
    captured = state["captured"]
    captured[0] += plain
    captured[1] += black
    captured[2] += mermaids
    captured[3] += pirates
    captured[4] += kings
    return bonus_of(record, plain, black, mermaids, pirates, kings)


@inlined
def ally(record: Any, state: Any, seats: Any, hands: Any, winner: Any, log: Any) -> None:
    """Ally the players of Loot with the winner."""
    for place in range(hands):
        seat = seats[place]
        is_ghost = record["graybeard"] != 0 and seat == GHOST
        if BIT_LOW[state["order"][place]] & LOOTS != ZERO and place != winner and not is_ghost:
            state["looters"][state["alliances"]] = seat
            state["winners"][state["alliances"]] = seats[winner]
            state["alliances"] += 1
            state["all_alliances"] += 1
            event(log, events.ALLIANCE, seat, seats[winner])
