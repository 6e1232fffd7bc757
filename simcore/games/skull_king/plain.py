"""Matches of the commonest rules, many of them in lock step (see lanes.py).

In a *plain* match nothing is logged, everybody plays `contract`, and there are no Kraken, Whale and Loot,
no powers of pirates, no Graybeard and no cannonball. `kernel.play_many` plays the same matches with the
same draws, one after the other, and takes twice as long to compile; tests compare both with the twin in tests/naive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import log as log_module
from simcore.games.skull_king.bids import ROLLOUT, allowed_bid, choose_bid
from simcore.games.skull_king.cards import Bidding, FirstLeader, LeadRotation
from simcore.games.skull_king.codes import DEALT_CODE_OF, NO_SEAT, ONE, UNITS, ZERO
from simcore.games.skull_king.lanes import LANES, LANES_STATE, mask_if
from simcore.games.skull_king.plain_tricks import play_plain_tricks
from simcore.games.skull_king.rollout import choose_by_plain_rollout
from simcore.games.skull_king.scores import add_match, bid_points, bonus_points
from simcore.games.skull_king.states import STATE
from simcore.jit import jit, jit_part
from simcore.rng import DEAL, MATCH, SEAT, below_from, game_key, key_of_round, later, mix, scaled, stream_at

_SIMULTANEOUS = int(Bidding.SIMULTANEOUS)
_63, _64 = np.uint64(63), np.uint64(64)
_FIXED, _WINNER = int(FirstLeader.FIXED), int(LeadRotation.WINNER)


@jit_part
def start_matches(record: Any, state: Any, seed: Any, first: Any, lanes: Any) -> None:
    """Forget the last matches, and draw who leads first."""
    for lane in range(lanes):
        key = game_key(seed, np.uint64(first) + lane)
        state["game_key"][lane] = key
        leader = np.int64(0)
        if record["first_leader"] != _FIXED:
            leader, _ = below_from(stream_at(key_of_round(key, MATCH), DEAL, 0), record["players"])
        state["first_leader"][lane] = state["leaders"][lane] = leader
        state["sole_leader"][lane] = NO_SEAT
        state["leads_since"][lane] = state["lead_changes"][lane] = state["choices"][lane] = 0
        for kind in range(5):
            state["captured"][kind, lane] = 0
    for seat in range(np.uint64(record["players"])):
        for lane in range(lanes):
            state["totals"][seat, lane] = state["half_totals"][seat, lane] = 0
            state["exact"][seat, lane] = state["deficits"][seat, lane] = 0


@jit_part
def start_round(record: Any, state: Any, round_index: Any, lanes: Any) -> None:
    """Start the streams of all seats, forget the last round and see who leads."""
    players = record["players"]
    for lane in range(lanes):
        key = key_of_round(state["game_key"][lane], round_index + 1)
        state["round_key"][lane] = key
        state["deal_stream"][lane] = stream_at(key, DEAL, 0)
        if record["lead_rotation"] != _WINNER:
            state["leaders"][lane] = (state["first_leader"][lane] + round_index) % players
    for seat in range(np.uint64(players)):
        for lane in range(lanes):
            state["streams"][seat, lane] = stream_at(state["round_key"][lane], np.uint64(SEAT) + seat, 0)
            state["tricks"][seat, lane] = state["bonuses"][seat, lane] = 0


@jit_part
def deal_plain(record: Any, state: Any, cards: Any, lanes: Any) -> None:
    """Shuffle as far as cards are needed, and deal."""
    size, players = np.uint64(record["deck_size"]), np.uint64(record["players"])
    for i in range(size):
        first_code = np.uint8(DEALT_CODE_OF[record["deck"][i]])
        for lane in range(lanes):
            state["pack"][i, lane] = first_code
    place = ZERO
    for seat in range(players):
        for lane in range(lanes):
            state["low"][lane], state["high"][lane], state["unit"][lane] = ZERO, ZERO, 0
        for _ in range(cards):
            for lane in range(lanes):
                # As in `rounds.deal`, a draw from the last card is made in vain.
                word = mix(later(state["deal_stream"][lane], place + ONE))
                state["drawn"][lane] = place + scaled(word, size - place)
            for lane in range(lanes):
                drawn = state["drawn"][lane]
                state["code"][lane] = np.uint64(state["pack"][drawn, lane])
                state["pack"][drawn, lane] = state["pack"][place, lane]
            for lane in range(lanes):
                code = state["code"][lane]
                is_high, bit = mask_if(code >= _64), ONE << (code & _63)
                state["low"][lane] |= bit & ~is_high
                state["high"][lane] |= bit & is_high
                state["unit"][lane] += UNITS[code]
            place += ONE
        for lane in range(lanes):
            state["lows"][seat, lane], state["highs"][seat, lane] = state["low"][lane], state["high"][lane]
            state["units"][seat, lane] = state["unit"][lane]


@jit_part
def roll_out(
    record: Any,
    strategies: Any,
    state: Any,
    lane: Any,
    scratch: Any,
    playouts: Any,
    seat: Any,
    round_index: Any,
    cards: Any,
    earlier: Any,
) -> Any:
    """Return the bid of `rollout` and its stream afterwards; only who bids in turn knows the `earlier` bids."""
    players, leader, match = record["players"], state["leaders"][lane], scratch[0]
    for other in range(players):
        match["bids"][other] = -1
    if record["bidding"] != _SIMULTANEOUS:
        for place in range(earlier):
            other = (leader + place) % players
            match["bids"][other] = state["bids"][other, lane]
    match["lows"][seat], match["highs"][seat] = state["lows"][seat, lane], state["highs"][seat, lane]
    match["streams"][SEAT + seat] = state["streams"][seat, lane]
    samples = strategies[seat]["samples"]
    bid = choose_by_plain_rollout(record, match, scratch[1], playouts[0], seat, samples, round_index, cards, leader)
    return bid, match["streams"][SEAT + seat]


@jit_part
def make_plain_bids(
    record: Any, strategies: Any, state: Any, scratch: Any, playouts: Any, round_index: Any, cards: Any, lanes: Any
) -> None:
    """Let everybody bid, the leader first."""
    players = record["players"]
    for lane in range(lanes):
        state["bid_total"][lane] = 0
    for earlier in range(players):
        for lane in range(lanes):
            bidder, total = state["leaders"][lane] + earlier, state["bid_total"][lane]
            seat = np.uint64(bidder - players if bidder >= players else bidder)
            style, stream = strategies[seat]["bid"], state["streams"][seat, lane]
            if playouts is not None and style == ROLLOUT:
                bid, stream = roll_out(
                    record, strategies, state, lane, scratch, playouts, np.int64(seat), round_index, cards, earlier
                )
            else:
                bid, stream = choose_bid(
                    record,
                    style,
                    stream,
                    state["units"][seat, lane],
                    state["lows"][seat, lane],
                    state["highs"][seat, lane],
                    round_index,
                    cards,
                    earlier,
                    total,
                )
            bid = allowed_bid(record, bid, cards, earlier, total)
            state["streams"][seat, lane] = stream
            state["bids"][seat, lane] = bid
            state["bid_total"][lane] = total + bid


@jit_part
def score_plain_round(record: Any, state: Any, round_number: Any, cards: Any, lanes: Any) -> None:
    """Add the points of a round to the totals, and see who leads and how far everybody is behind."""
    players = np.uint64(record["players"])
    for lane in range(lanes):
        state["leading"][lane] = state["leading_seat"][lane] = 0
    for seat in range(players):
        for lane in range(lanes):
            bid, tricks = state["bids"][seat, lane], state["tricks"][seat, lane]
            miss = abs(bid - tricks)
            paid = np.int64(bonus_points(record, state["bonuses"][seat, lane], miss, 0))
            points = np.int64(bid_points(record, round_number, cards, bid, tricks, 0)) + paid
            state["points"][seat, lane], state["paid"][seat, lane] = points, paid
            state["is_exact"][seat, lane] = np.int64(miss == 0)
    for seat in range(players):
        for lane in range(lanes):
            state["totals"][seat, lane] += state["points"][seat, lane]
            state["exact"][seat, lane] += state["is_exact"][seat, lane]
            total = state["totals"][seat, lane]
            state["best"][lane] = total if seat == ZERO else max(state["best"][lane], total)
    for seat in range(players):
        for lane in range(lanes):
            behind = state["best"][lane] - state["totals"][seat, lane]
            state["deficits"][seat, lane] = max(state["deficits"][seat, lane], behind)
            leads = np.int64(behind == 0)
            state["leading"][lane] += leads
            state["leading_seat"][lane] += np.int64(seat) * leads
    # As in `scores.follow_lead`; products instead of jumps.
    for lane in range(lanes):
        last, since = state["sole_leader"][lane], state["leads_since"][lane]
        is_alone = np.int64(state["leading"][lane] == 1)
        leader = last + is_alone * (state["leading_seat"][lane] - last)
        is_new = leader != last
        state["lead_changes"][lane] += np.int64(is_new & (last != NO_SEAT))
        state["sole_leader"][lane] = leader
        since += np.int64(is_new | (since == 0)) * (round_number - since)
        state["leads_since"][lane] = since * is_alone


@jit_part
def add_plain_rounds(record: Any, state: Any, round_index: Any, cards: Any, begin: Any, end: Any, tally: Any) -> None:
    """Add a round of some lanes to the tally of their block."""
    bids_sum = tricks_sum = exact_sum = points_sum = paid_sum = np.int64(0)
    number, column = np.uint64(round_index), np.uint64(cards - 1)
    for seat in range(np.uint64(record["players"])):
        bids = tricks = exact = points = paid = np.int64(0)
        for lane in range(begin, end):
            bids += state["bids"][seat, lane]
            tricks += state["tricks"][seat, lane]
            exact += state["is_exact"][seat, lane]
            points += state["points"][seat, lane]
            paid += state["paid"][seat, lane]
        for lane in range(begin, end):
            row = np.uint64(state["bids"][seat, lane])
            tally["bids"][row, column] += 1
            tally["points_for_bid"][row, column] += state["points"][seat, lane]
        tally["bid"][seat, number] += bids
        tally["tricks"][seat, number] += tricks
        tally["exact_bid"][seat, number] += exact
        tally["round_points"][seat, number] += points
        tally["round_bonus"][seat, number] += paid
        bids_sum += bids
        tricks_sum += tricks
        exact_sum += exact
        points_sum += points
        paid_sum += paid
    tally["bid_of_round"][number] += bids_sum
    tally["tricks_of_round"][number] += tricks_sum
    tally["exact_bid_of_round"][number] += exact_sum
    tally["round_points_of_round"][number] += points_sum
    tally["round_bonus_of_round"][number] += paid_sum
    tally["bid_total_minus_cards"][number] += bids_sum - cards * np.int64(end - begin)


@jit_part
def add_plain_match(record: Any, state: Any, match: Any, lane: Any, tally: Any, counts: Any) -> None:
    """Add a finished match to a tally."""
    for seat in range(np.uint64(record["players"])):
        match["totals"][seat] = state["totals"][seat, lane]
        match["half_totals"][seat] = state["half_totals"][seat, lane]
        match["exact"][seat] = state["exact"][seat, lane]
        match["deficits"][seat] = state["deficits"][seat, lane]
        match["points"][seat] = state["points"][seat, lane]
    match["leads_since"] = state["leads_since"][lane]
    match["lead_changes"] = state["lead_changes"][lane]
    match["choices"] = state["choices"][lane]
    for kind in range(5):
        match["captured"][kind] = state["captured"][kind, lane]
    add_match(record, match, tally, counts)


@jit_part
def play_lanes(
    record: Any,
    strategies: Any,
    state: Any,
    scratch: Any,
    playouts: Any,
    seed: Any,
    first: Any,
    lanes: Any,
    block: Any,
    tally: Any,
    counts: Any,
) -> None:
    """Play match number `first` and those after it, one a lane; `tally` begins with the block of the first."""
    match, rounds, first_block = scratch[0], record["round_count"], first // block
    start_matches(record, state, seed, first, lanes)
    match["turns"] = 0
    for round_index in range(rounds):
        cards = record["cards"][round_index]
        start_round(record, state, round_index, lanes)
        deal_plain(record, state, cards, lanes)
        make_plain_bids(record, strategies, state, scratch, playouts, round_index, cards, lanes)
        play_plain_tricks(record, state, cards, lanes)
        match["turns"] += cards * record["players"]
        score_plain_round(record, state, round_index + 1, cards, lanes)
        begin = ZERO
        while begin < lanes:
            of_block = (first + np.int64(begin)) // block
            end = min(lanes, np.uint64((of_block + 1) * block - first))
            add_plain_rounds(record, state, round_index, cards, begin, end, tally[of_block - first_block])
            begin = end
        if round_index + 1 == rounds // 2:
            for seat in range(np.uint64(record["players"])):
                for lane in range(lanes):
                    state["half_totals"][seat, lane] = state["totals"][seat, lane]
    for lane in range(lanes):
        of_block = (first + np.int64(lane)) // block
        add_plain_match(record, state, match, lane, tally[of_block - first_block], counts)


@jit_part
def play_all_lanes(
    record: Any,
    strategies: Any,
    playouts: Any,
    seed: Any,
    first: Any,
    matches: Any,
    block: Any,
    tally: Any,
    counts: Any,
    stop: Any,
) -> Any:
    """Play matches, as many side by side as there are lanes."""
    # A record does not keep alive the array it lies in, so arrays are handed on, or live in this loop.
    states, scratch = np.zeros(1, LANES_STATE), np.zeros(2, STATE)
    for place in range(record["deck_size"]):
        scratch[0]["deck"][place] = DEALT_CODE_OF[record["deck"][place]]
    # Playouts fill the lanes by themselves; with one match at a time they can be stopped soon.
    most = np.int64(LANES) if playouts is None else np.int64(1)
    done = np.int64(0)
    while done < matches and stop[0] == 0:
        lanes, begin = np.uint64(min(most, matches - done)), first + done
        blocks = tally[begin // block - first // block :]
        play_lanes(record, strategies, states[0], scratch, playouts, seed, begin, lanes, block, blocks, counts)
        done += np.int64(lanes)
    return np.int64(log_module.DONE), done


@jit
def play_plain(
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
    """Play plain matches without playouts, as `kernel.play_many` does, which see; nothing is logged."""
    return play_all_lanes(record, strategies, None, seed, first, matches, block, tally, counts, stop)


@jit
def play_plain_rollouts(
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
    """Play plain matches, as `play_plain` does; what playouts need takes two seconds more to compile."""
    playouts = np.zeros(1, LANES_STATE)
    return play_all_lanes(record, strategies, playouts, seed, first, matches, block, tally, counts, stop)
