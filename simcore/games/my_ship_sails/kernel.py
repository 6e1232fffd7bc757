"""Plays matches of My Ship Sails and adds them up. Every random draw is listed in draws.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import log as log_module
from simcore.games.my_ship_sails import events
from simcore.games.my_ship_sails.deals import deal, draw_short_suits, lay_out_deck, log_hands
from simcore.games.my_ship_sails.flushes import flush_suit
from simcore.games.my_ship_sails.hands import NO_SUIT, TABLE_SIZE, ZERO, tabulate, tabulated_4300, tabulated_best
from simcore.games.my_ship_sails.passes import play_laps, play_passes
from simcore.games.my_ship_sails.plain import play_plain as play_plain
from simcore.games.my_ship_sails.rules import DealtFlush, PassMode
from simcore.games.my_ship_sails.states import NO_SEAT, STATE, direction_of, neighbour, prepare
from simcore.games.my_ship_sails.strategies import choose_first_target
from simcore.games.my_ship_sails.sums import add_end, add_hands, add_match, lead_at_half_time, log_match
from simcore.jit import borrowed, inlined, jit
from simcore.log import event, is_full
from simcore.rng import CHANCE, DEAL, MATCH, SEAT, below, game_key, key_of_round, start

_SEQUENTIAL = int(PassMode.SEQUENTIAL)
_REDEAL = int(DealtFlush.REDEAL)


@inlined
def begin_round(
    record: Any, strategies: Any, state: Any, table: Any, key: Any, round_number: Any, dealer: Any, log: Any
) -> None:
    """Deal, and let everybody take a target."""
    event(log, events.ROUND, round_number, dealer)
    redeals = np.int64(0)
    while deal(record, state, table, key, redeals) and record["dealt_flush"] == _REDEAL:
        redeals += 1
        event(log, events.REDEAL, redeals)
    if log.shape[0] > 0:
        log_hands(record, state, log)
    streams = state["streams"]
    start(streams, CHANCE, key, 0)
    for seat in range(record["players"]):
        start(streams, SEAT + seat, key, 0)
        state["dealt_counts"][seat] = state["counts"][seat]
        state["given"][seat] = ZERO
        state["marks"][seat] = 0
        best = tabulated_best(np.int64(table[state["counts"][seat]]))
        target = choose_first_target(strategies[seat], state["counts"][seat], best, streams, seat)
        state["targets"][seat] = target
        if target != NO_SUIT:
            event(log, events.TARGET, seat, target, 0)
    if state["tracks_arrivals"] != 0:
        state["arrivals"][:] = 0


@inlined
def play_round(
    record: Any,
    strategies: Any,
    state: Any,
    table: Any,
    history: Any,
    key: Any,
    round_number: Any,
    dealer: Any,
    tally: Any,
    counts: Any,
    log: Any,
    choose_own: Any,
) -> Any:
    """Play and add up one round. Returns the winner, the passes, and whether all choices were legal."""
    players = record["players"]
    starter = neighbour(record, dealer, 1)
    begin_round(record, strategies, state, table, key, round_number, dealer, log)
    if record["pass_mode"] == _SEQUENTIAL:
        winner, passes, callers, holders, is_legal = play_laps(
            record, strategies, state, table, history, round_number, starter, log, choose_own
        )
    else:
        winner, passes, callers, holders, is_legal = play_passes(
            record, strategies, state, table, history, round_number, log, choose_own
        )
    if not is_legal:
        return winner, passes, False
    add_hands(record, state, table, tally, counts)
    seat = max(winner, 0)
    is_led, leader_won = lead_at_half_time(record, table, history, passes, seat)
    suit = flush_suit(record, state["counts"][seat])
    is_4300 = np.int64(tabulated_4300(table[state["dealt_counts"][seat]]))
    # Every pass is a choice: a hand always has more cards than have to be passed.
    turns = passes * players
    if record["pass_mode"] == _SEQUENTIAL and winner != NO_SEAT and passes > 0:
        step = direction_of(record, round_number, passes)
        turns += (winner - starter) * step % players - players
        turns += players if winner == starter else 0
    tally["turns"] += turns
    tally["choice_turns"] += turns
    add_end(winner, passes, callers, holders, suit, is_led, leader_won, is_4300, tally, counts)
    if winner == NO_SEAT:
        event(log, events.STALEMATE, passes)
    else:
        event(log, events.ROUND_WON, winner, passes, suit)
    return winner, passes, True


@inlined
def play_match(
    record: Any,
    strategies: Any,
    state: Any,
    table: Any,
    history: Any,
    seed: Any,
    game: Any,
    tally: Any,
    counts: Any,
    log: Any,
    choose_own: Any,
) -> Any:
    """Play and add up one match. Returns whether all choices of users' strategies were legal."""
    players, wins = record["players"], state["wins"]
    of_game = game_key(seed, game)
    start(state["streams"], DEAL, key_of_round(of_game, MATCH), 0)
    dealer = below(state["streams"], DEAL, players)
    event(log, events.MATCH, dealer)
    short = draw_short_suits(record, state, state["streams"])
    if short != state["short"]:
        state["cards"] = lay_out_deck(record, state, short)
        state["short"] = short
    wins[:] = 0
    rounds, most = 0, 0
    fastest, fastest_seat, last_winner = np.int64(-1), NO_SEAT, NO_SEAT
    while most < record["match_target"] and rounds < record["max_rounds"]:
        rounds += 1
        key = key_of_round(of_game, rounds)
        winner, passes, is_legal = play_round(
            record, strategies, state, table, history, key, rounds, dealer, tally, counts, log, choose_own
        )
        if not is_legal:
            return False
        dealer = neighbour(record, dealer, 1)
        if winner != NO_SEAT:
            wins[winner] += 1
            most = max(most, wins[winner])
            last_winner = winner
            if fastest < 0 or passes < fastest:
                fastest, fastest_seat = passes, winner
    is_reached = most >= record["match_target"]
    reached = last_winner if is_reached else NO_SEAT
    winner = add_match(record, state, rounds, fastest, fastest_seat, reached, tally, counts)
    log_match(record, state, fastest, fastest_seat, winner, log)
    return True


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
    """Play matches and add them up.

    Parameters
    ----------
    record, strategies
        From ``record.to_record`` and ``record.to_strategies``.
    seed : uint64
    first, matches : int64
        Number of the first match, and how many.
    block : int64
        Matches of one entry of `tally`; blocks are counted from match 0.
    tally : array of record.tally_dtype
        From the block of the first match to that of the last.
    counts : record of record.counts_dtype
    log : int32 (rows, 8)
        Holds the last match; no rows: nothing is logged.
    stop : uint8 (1,)
        Not zero: no further match is begun.
    choose_own : function of jit.OWN_SIGNATURE

    Returns
    -------
    status, played : int64
        DONE, ILLEGAL_CHOICE or LOG_FULL of simcore/log.py, and the number of matches added up.
    """
    log = borrowed(log)
    # A record does not keep alive the array it lies in, so it is taken from there for every match.
    scratch = np.zeros(1, STATE)
    history = np.empty((record["max_passes"] + 1) * record["players"], np.uint16)
    table = np.empty(TABLE_SIZE, np.int32)
    tabulate(table, record["hand_size"] - record["pass_count"], record["hand_size"] + record["pass_count"])
    prepare(record, strategies, scratch[0], log.shape[0] > 0)
    for n in range(matches):
        if stop[0] != 0:
            return log_module.DONE, n
        log_module.clear(log)
        game = first + n
        is_legal = play_match(
            record,
            strategies,
            scratch[0],
            borrowed(table),
            borrowed(history),
            seed,
            game,
            tally[game // block - first // block],
            counts,
            log,
            choose_own,
        )
        if not is_legal:
            return log_module.ILLEGAL_CHOICE, n
        if is_full(log):
            return log_module.LOG_FULL, n
    return log_module.DONE, matches
