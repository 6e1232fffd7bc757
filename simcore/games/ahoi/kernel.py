"""Plays matches of Mein Schiff Ahoi and adds them up. The course of play is described in draws.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import log as log_module
from simcore.games.ahoi import events
from simcore.games.ahoi.effects import (
    KEPT,
    LOST,
    face_stack,
    fold_effects,
    jump_in,
    note_effect,
    pay_turn,
    take_effect,
    turn_up,
)
from simcore.games.ahoi.hands import (
    CHANCE,
    DEAL,
    FIRST,
    NO_CARD,
    NO_SEAT,
    ONE,
    SEAT,
    STATE,
    ZERO,
    count_of,
    fold_masks,
    hand_value,
    has_kind,
    judge_looks,
    look_at_hands,
    remove_card,
    size_of,
)
from simcore.games.ahoi.notes import flush, note
from simcore.games.ahoi.pile import deal
from simcore.games.ahoi.plain import play_plain as play_plain
from simcore.games.ahoi.play import call_last_card, play_card
from simcore.games.ahoi.scores import add_match, add_round, is_match_over
from simcore.games.ahoi.strategies import NEWEST, next_seat
from simcore.games.ahoi.turns import take_turn
from simcore.jit import borrowed, inlined, jit, jit_part, popcount
from simcore.log import event, is_full
from simcore.rng import MATCH, below, round_key, start

EVERY = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
ROUND_GOES_ON, ROUND_WON, ROUND_STOPPED = range(3)


@jit_part
def settle_waiting(record: Any, state: Any, seat: Any, choose_own: Any) -> Any:
    """Let the stack before a seat, or the turns it owes, take effect.

    Returns whose turn it is, the kind that this seat plays (NO_CARD: it has an ordinary turn; LOST: its
    turn has to be looked at anew), and how.
    """
    if state["sum"] > 0:
        player = state["stack_player"]
        kind = face_stack(record, state, seat, choose_own)
        if kind != LOST and kind != KEPT:
            return seat, kind, events.ANSWERING
        if player != NO_SEAT:
            jumper = jump_in(record, state, player, choose_own)
            if jumper != NO_SEAT:
                return jumper, state["lying"], events.JUMPING_IN
        return seat if kind == KEPT else next_seat(record, seat, state["direction"]), LOST, events.NORMALLY
    if state["owes"][seat] > 0:
        pay_turn(state, seat)
        return next_seat(record, seat, state["direction"]), LOST, events.NORMALLY
    return seat, NO_CARD, events.NORMALLY


@jit_part
def play_special(record: Any, state: Any, seat: Any, kind: Any, how: Any, choose_own: Any) -> Any:
    """Play a card that may do more than lie there, and what is played out of turn on it.

    Returns whose turn is next, and whether the round is won by that seat, or stopped.
    """
    while True:
        if play_card(record, state, seat, kind, how, choose_own):
            return seat, ROUND_WON
        if state["turns"] >= record["max_turns"]:
            return NO_SEAT, ROUND_STOPPED
        following = take_effect(record, state, seat)
        jumper = NO_SEAT
        if record["jump_in"] != 0 and state["sum"] == 0:
            jumper = jump_in(record, state, seat, choose_own)
        if jumper == NO_SEAT:
            return following, ROUND_GOES_ON
        seat, kind, how = jumper, state["lying"], events.JUMPING_IN


@inlined
def play_simple(record: Any, state: Any, seat: Any, kind: Any, how: Any) -> Any:
    """Play a card that at most turns the direction or skips a seat. Returns the number of cards left."""
    if state["is_logged"] != 0:
        note(state, events.PLAYS, seat, kind, state["top"], how)
    remove_card(state, seat, kind)
    state["lying"] = kind
    state["top"] = kind
    state["played"][np.uint64(record["face"][np.uint64(kind)])] += 1
    return size_of(state, seat)


@inlined
def play_turns(record: Any, state: Any, first: Any, log: Any, choose_own: Any) -> Any:
    """Play a round from its first turn on. Returns the winner, or NO_SEAT after a stalemate."""
    max_turns, faces = record["max_turns"], record["face"]
    seat, winner, is_over = first, NO_SEAT, False
    while not is_over:
        if state["notes"] > 0:
            flush(state, log)
        kind, how = NO_CARD, events.NORMALLY
        if state["waiting"] != 0:
            seat, kind, how = settle_waiting(record, state, seat, choose_own)
            if kind == LOST:
                continue
        if kind == NO_CARD:
            kind, is_drawn = take_turn(record, state, seat, choose_own)
            how = events.DRAWN if is_drawn else events.NORMALLY
        if kind == NO_CARD:
            seat = next_seat(record, seat, state["direction"])
            is_over = state["turns"] >= max_turns
            continue
        face = np.uint64(faces[np.uint64(kind)])
        if has_kind(state["simple"][0], state["simple"][1], kind):
            size = play_simple(record, state, seat, kind, how)
            if size <= 1:
                if size == 0:
                    winner = seat
                    break
                call_last_card(record, state, seat)
            if state["turns"] >= max_turns:
                break
            direction = state["direction"] * state["turning"][face]
            state["direction"] = direction
            seat = next_seat(record, seat, direction)
            if state["is_logged"] != 0:
                note_effect(record, state, seat, face, seat)
            seat = next_seat(record, seat, direction) if state["skipping"][face] != 0 else seat
        else:
            seat, outcome = play_special(record, state, seat, kind, how, choose_own)
            is_over = outcome != ROUND_GOES_ON
            winner = seat if outcome == ROUND_WON else NO_SEAT
    return winner


@jit_part
def log_hands(record: Any, state: Any, code: Any, log: Any) -> None:
    """Log every hand, ascending."""
    flush(state, log)
    row = state["six"]
    row[:] = NO_CARD
    for seat in range(record["players"]):
        n = 0
        for kind in range(record["kinds"]):
            for _ in range(count_of(state, seat, kind)):
                row[n] = kind
                n += 1
                if n == 6:
                    event(log, code, seat, row[0], row[1], row[2], row[3], row[4], row[5])
                    row[:] = NO_CARD
                    n = 0
        if n > 0:
            event(log, code, seat, row[0], row[1], row[2], row[3], row[4], row[5])
            row[:] = NO_CARD


@inlined
def play_round(
    record: Any,
    state: Any,
    key: Any,
    round_number: Any,
    dealer: Any,
    tally: Any,
    counts: Any,
    log: Any,
    choose_own: Any,
) -> Any:
    """Play and add up a round. Returns the winner, or NO_SEAT after a stalemate."""
    players, streams = record["players"], state["streams"]
    state["key"] = key
    start(streams, CHANCE, key, FIRST)
    for seat in range(players):
        start(streams, SEAT + seat, key, FIRST)
        state["owes"][seat] = 0
    state["direction"] = 1
    state["sum"] = 0
    state["stack_player"] = NO_SEAT
    state["is_bluff"] = 0
    state["waiting"] = 0
    state["turns"] = 0
    state["choice_turns"] = 0
    state["drawn"] = 0
    state["reshuffles"] = 0
    state["played"][:] = 0
    state["penalties"] = 0
    state["swaps"] = 0
    state["swapper"] = NO_SEAT
    state["leader"] = NO_SEAT
    state["looks"] = 0
    state["lead_changes"] = 0
    state["held_most"] = 0
    note(state, events.ROUND, round_number, dealer)
    deal(record, state)
    if log.shape[0] > 0:
        log_hands(record, state, events.DEALT, log)
    first = turn_up(record, state, next_seat(record, dealer, 1), choose_own)
    winner = play_turns(record, state, first, log, choose_own)
    look_at_hands(state, players)
    judge_looks(state, players)
    if winner == NO_SEAT:
        note(state, events.STALEMATE, state["turns"])
    else:
        note(state, events.WON, winner)
    if log.shape[0] > 0:
        log_hands(record, state, events.LEFT, log)
    for seat in range(players):
        state["hand_points"][seat] = hand_value(record, state, seat)
        state["cards_left"][seat] = size_of(state, seat)
    add_round(record, state, winner, dealer, tally, counts)
    for seat in range(players):
        note(state, events.POINTS, seat, state["hand_points"][seat], state["points"][seat], state["marks"][seat])
    return winner


@inlined
def play_match(
    record: Any, state: Any, seed: Any, game: Any, tally: Any, counts: Any, log: Any, choose_own: Any
) -> None:
    """Play and add up one match."""
    players = record["players"]
    start(state["streams"], DEAL, round_key(seed, game, np.int64(MATCH)), FIRST)
    dealer = below(state["streams"], DEAL, players)
    note(state, events.MATCH, dealer)
    state["points"][:] = 0
    state["marks"][:] = 0
    rounds, first_winner = np.int64(0), np.int64(NO_SEAT)
    while True:
        rounds += 1
        key = round_key(seed, game, rounds)
        winner = play_round(record, state, key, rounds, dealer, tally, counts, log, choose_own)
        if rounds == 1:
            first_winner = winner
        dealer = next_seat(record, dealer, 1)
        if is_match_over(record, state, rounds):
            break
    won = add_match(record, state, rounds, first_winner, tally, counts)
    for seat in range(players):
        if (won >> np.uint64(seat)) & ONE != ZERO:
            note(state, events.MATCH_WON, seat, popcount(won))


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
    scratch = np.zeros(1, STATE)
    # A record does not keep alive the array it lies in: the loop takes it from there, so that it lives to the end.
    state = scratch[0]
    is_logged = log.shape[0] > 0
    state["is_logged"] = is_logged
    fold_masks(record, state)
    fold_effects(record, state)
    stuck = record["draw_four_only_if_stuck"] != 0 and record["draw_four_challenge"] == 0
    state["is_restricted"] = stuck or record["end_on_special"] == 0
    for seat in range(record["players"]):
        state["styles"][seat] = strategies[seat]["style"]
        if strategies[seat]["style"] == NEWEST:
            state["ordered"] = EVERY
    for n in range(matches):
        if stop[0] != 0:
            return log_module.DONE, n
        if is_logged:
            log_module.clear(log)
        game = first + n
        entry = tally[game // block - first // block]
        play_match(record, scratch[0], seed, game, entry, counts, log, choose_own)
        if scratch[0]["is_illegal"] != 0:
            return log_module.ILLEGAL_CHOICE, n
        if is_logged:
            flush(scratch[0], log)
            if is_full(log):
                return log_module.LOG_FULL, n
    return log_module.DONE, matches
