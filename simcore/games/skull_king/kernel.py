"""Plays matches of Skull King and adds them up. Every random draw is listed in draws.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import log as log_module
from simcore.games.skull_king import events
from simcore.games.skull_king.bids import ROLLOUT, allowed_bid, ask_or_choose, choose_load, first_bidder
from simcore.games.skull_king.cards import Bidding, FirstLeader, LeadRotation, Scoring
from simcore.games.skull_king.codes import BIT_HIGH, BIT_LOW, DEALT_CODE_OF, NO_SEAT, ZERO
from simcore.games.skull_king.plain import play_plain, play_plain_rollouts
from simcore.games.skull_king.rollout import choose_by_rollout
from simcore.games.skull_king.rounds import deal, log_hands, play_tricks, prepare_tricks
from simcore.games.skull_king.rules import MAX_PLAYERS
from simcore.games.skull_king.scores import add_match, log_scores, log_winners, score_round
from simcore.games.skull_king.states import STATE
from simcore.games.skull_king.tricks import trick_winner
from simcore.games.skull_king.views import open_views
from simcore.jit import borrowed, inlined, jit, jit_part
from simcore.log import clear, event, is_full
from simcore.rng import DEAL, MATCH, SEAT, below, game_key, key_of_round, start
from simcore.strategies import OWN

__all__ = ["play_many", "play_plain", "play_plain_rollouts", "trick_winner"]

_SIMULTANEOUS = int(Bidding.SIMULTANEOUS)
_CANNONBALL, _FIXED, _WINNER = int(Scoring.RASCAL_CANNONBALL), int(FirstLeader.FIXED), int(LeadRotation.WINNER)


@jit_part
def prepare(record: Any, strategies: Any, state: Any) -> None:
    """Note the strategies, and lay out the cards in play in ascending order."""
    for seat in range(record["players"]):
        state["bid_styles"][seat] = strategies[seat]["bid"]
        state["play_styles"][seat] = strategies[seat]["play"]
        state["samples"][seat] = strategies[seat]["samples"]
        state["seats"][seat] = state["seats"][record["players"] + seat] = seat
        if strategies[seat]["bid"] == OWN or strategies[seat]["play"] == OWN:
            state["askers"][state["asked"]] = seat
            state["asked"] += 1
    state["deck_low"], state["deck_high"] = ZERO, ZERO
    for i in range(record["deck_size"]):
        code = DEALT_CODE_OF[record["deck"][i]]
        state["deck"][i] = code
        state["deck_low"] |= BIT_LOW[code]
        state["deck_high"] |= BIT_HIGH[code]


@inlined
def make_bids(
    record: Any,
    state: Any,
    playout: Any,
    round_index: Any,
    cards: Any,
    leader: Any,
    choose_own: Any,
) -> None:
    """Let everybody bid, and load under the scoring with the cannonball."""
    players, bids = record["players"], state["bids"]
    in_turn = record["bidding"] != _SIMULTANEOUS
    for seat in range(MAX_PLAYERS):
        bids[seat] = -1
        state["loads"][seat] = 0
    bidder, total = first_bidder(record, state, leader), np.int64(0)
    for earlier in range(players):
        style = state["bid_styles"][bidder]
        if style == ROLLOUT:
            bid, load = choose_by_rollout(record, state, playout, bidder, round_index, cards, leader, choose_own)
            state["loads"][bidder] = load
        else:
            bid = ask_or_choose(record, state, style, bidder, round_index, cards, earlier, total, choose_own)
        bid = allowed_bid(record, bid, cards, earlier, total)
        total += bid
        # What is bid at the same time is not known before all have bid.
        state["finals"][bidder] = bid
        if in_turn:
            bids[bidder] = bid
        bidder = bidder + 1 if bidder + 1 < players else np.int64(0)
    for seat in range(players):
        bids[seat] = state["finals"][seat]
    if record["scoring"] == _CANNONBALL:
        for seat in range(players):
            style = state["bid_styles"][seat]
            if style != ROLLOUT:
                state["loads"][seat] = choose_load(record, state, style, seat, round_index, choose_own)


@jit_part
def log_bids(record: Any, state: Any, leader: Any, log: Any) -> None:
    """Log the bids in their order, and the loads."""
    players = record["players"]
    first = first_bidder(record, state, leader)
    for earlier in range(players):
        seat = (first + earlier) % players
        event(log, events.BID, seat, state["bids"][seat])
    if record["scoring"] == _CANNONBALL:
        for seat in range(players):
            event(log, events.LOAD, seat, state["loads"][seat])


@jit_part
def start_match(state: Any) -> None:
    """Forget the last match: of all seats that there may be, which takes a machine word or two for each array."""
    for seat in range(MAX_PLAYERS):
        state["totals"][seat] = 0
        state["half_totals"][seat] = 0
        state["exact"][seat] = 0
        state["deficits"][seat] = 0
    state["sole_leader"] = NO_SEAT
    state["leads_since"] = 0
    state["lead_changes"] = 0
    state["turns"] = 0
    state["choices"] = 0
    state["void_tricks"] = 0
    state["all_alliances"] = 0
    for kind in range(5):
        state["captured"][kind] = 0
    state["human_leader"] = 0


@inlined
def play_one(
    record: Any,
    state: Any,
    playout: Any,
    seed: Any,
    game: Any,
    tally: Any,
    counts: Any,
    log: Any,
    choose_own: Any,
) -> None:
    """Play a match and add it to the tally."""
    players, rounds = record["players"], record["round_count"]
    start_match(state)
    of_game = game_key(seed, game)
    first = np.int64(0)
    if record["first_leader"] != _FIXED:
        start(state["streams"], DEAL, key_of_round(of_game, MATCH), 0)
        first = below(state["streams"], DEAL, players)
    leader = first
    for round_index in range(rounds):
        cards = record["cards"][round_index]
        if record["lead_rotation"] != _WINNER:
            leader = (first + round_index) % players
        key = key_of_round(of_game, round_index + 1)
        start(state["streams"], DEAL, key, 0)
        for seat in range(players):
            start(state["streams"], SEAT + seat, key, 0)
        if log.shape[0] > 0:
            event(log, events.ROUND, round_index + 1, cards, leader)
        deal(record, state, cards)
        if log.shape[0] > 0:
            log_hands(record, state, cards, log)
        prepare_tricks(record, state, cards, key)
        open_views(record, state, round_index, cards, leader)
        make_bids(record, state, playout, round_index, cards, leader, choose_own)
        if log.shape[0] > 0:
            log_bids(record, state, leader, log)
        leader = play_tricks(record, state, round_index, cards, leader, np.int64(0), log, choose_own)
        state["turns"] += cards * players
        score_round(record, state, round_index, cards, tally)
        if log.shape[0] > 0:
            log_scores(record, state, log)
        if round_index + 1 == rounds // 2:
            for seat in range(players):
                state["half_totals"][seat] = state["totals"][seat]
        if state["illegal"] != 0:
            return
    add_match(record, state, tally, counts)
    if log.shape[0] > 0:
        log_winners(record, state, log)


@jit
def play_many(
    record: Any,
    strategies: Any,
    seed: Any,
    first: Any,
    matches: Any,
    block: Any,
    tally: Any,
    counts: Any,
    log: Any,
    stop: Any,
    choose_own: Any,
) -> Any:
    """Play matches number `first` to `first + matches - 1`, and add them to the tally of their block.

    Parameters
    ----------
    record
        The rules and their tables, one record.
    strategies
        A record a seat.
    seed : uint64
    first, matches, block : int64
        Match `first + i` is added to ``tally[(first + i) // block - first // block]``.
    tally, counts
        Sums a block, and distributions; see `simcore.record`.
    log : int32 array (rows, 8)
        Takes the events of the last match; no rows, no log.
    stop : uint8 array of 1
        Set from outside to end before the next match.
    choose_own
        The user's own strategy.

    Returns
    -------
    Status (see `simcore.log`) and the number of matches played.
    """
    log = borrowed(log)
    # A record does not keep alive the array it lies in, so both are taken from there for every match.
    states = np.zeros(2, STATE)
    prepare(record, strategies, states[0])
    prepare(record, strategies, states[1])
    for i in range(matches):
        if stop[0] != 0:
            return np.int64(log_module.DONE), np.int64(i)
        game = first + i
        clear(log)
        play_one(
            record,
            states[0],
            states[1],
            seed,
            game,
            tally[game // block - first // block],
            counts,
            log,
            choose_own,
        )
        if states[0]["illegal"] != 0:
            return np.int64(log_module.ILLEGAL_CHOICE), np.int64(i)
        if is_full(log):
            return np.int64(log_module.LOG_FULL), np.int64(i)
    return np.int64(log_module.DONE), np.int64(matches)
