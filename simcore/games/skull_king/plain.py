"""Matches of the commonest rules, many at once.

In a *plain* match nothing is logged, everybody plays `contract`, and there are no Kraken, Whale and Loot, no powers of
pirates, no Graybeard, no cannonball. `kernel.play_many` plays the same matches with the same draws, more slowly; tests
compare both with the twin in tests/naive.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import log as log_module
from simcore.games.skull_king.bids import allowed_bid, choose_bid
from simcore.games.skull_king.cards import Bidding, FirstLeader, LeadRotation
from simcore.games.skull_king.codes import BIT_HIGH, BIT_LOW, DEALT_CODE_OF, NO_SEAT, ONE, ZERO
from simcore.games.skull_king.plain_tricks import LANES, TABLES, play_tricks_of_all
from simcore.games.skull_king.rounds import deal
from simcore.games.skull_king.scores import add_match, bid_points, bonus_points
from simcore.games.skull_king.states import STATE
from simcore.jit import borrowed, inlined, jit, jit_part, lowest_bit
from simcore.rng import DEAL, MATCH, SEAT, below, game_key, key_of_round, start

_FIXED, _WINNER = int(FirstLeader.FIXED), int(LeadRotation.WINNER)


@jit_part
def start_matches(record: Any, state: Any, table: Any, seed: Any, first: Any, lanes: Any) -> None:
    for lane in range(lanes):
        key = game_key(seed, first + lane)
        table["game_keys"][lane] = key
        leader = np.int64(0)
        if record["first_leader"] != _FIXED:
            start(state["streams"], DEAL, key_of_round(key, MATCH), 0)
            leader = below(state["streams"], DEAL, record["players"])
        table["first"][lane] = table["leaders"][lane] = leader
        table["sole_leader"][lane] = NO_SEAT
        table["leads_since"][lane] = table["lead_changes"][lane] = table["choices"][lane] = 0
        for kind in range(5):
            table["captured"][kind, lane] = 0
    for seat in range(record["players"]):
        for lane in range(lanes):
            table["totals"][seat, lane] = table["half_totals"][seat, lane] = 0
            table["exact"][seat, lane] = table["deficits"][seat, lane] = 0


@jit_part
def begin_round(record: Any, state: Any, table: Any, round_index: Any, cards: Any, lane: Any) -> None:
    """Deal to everybody in a lane and let them bid."""
    players = record["players"]
    key = key_of_round(table["game_keys"][lane], round_index + 1)
    start(state["streams"], DEAL, key, 0)
    for seat in range(players):
        start(state["streams"], SEAT + seat, key, 0)
    deal(record, state, cards)
    if record["lead_rotation"] != _WINNER:
        table["leaders"][lane] = (table["first"][lane] + round_index) % players
    bidder, total = table["leaders"][lane], np.int64(0)
    for earlier in range(players):
        style = state["bid_styles"][bidder]
        bid = choose_bid(record, state, style, bidder, round_index, cards, earlier, total)
        bid = allowed_bid(record, bid, cards, earlier, total)
        total += bid
        table["bids"][bidder, lane] = bid
        bidder = bidder + 1 if bidder + 1 < players else np.int64(0)
    for player in range(players):
        seat = np.uint64(player)
        table["lows"][seat, lane] = state["lows"][seat]
        table["highs"][seat, lane] = state["highs"][seat]
        table["streams"][seat, lane] = state["streams"][np.uint64(SEAT) + seat]
        table["tricks"][seat, lane] = table["bonuses"][seat, lane] = 0


@jit_part
def score_rounds(record: Any, table: Any, round_index: Any, cards: Any, lanes: Any) -> None:
    players = record["players"]
    for player in range(players):
        seat = np.uint64(player)
        for lane in range(lanes):
            bid, taken = table["bids"][seat, lane], table["tricks"][seat, lane]
            miss = abs(bid - taken)
            paid = np.int64(bonus_points(record, table["bonuses"][seat, lane], miss, 0))
            points = np.int64(bid_points(record, round_index + 1, cards, bid, taken, 0)) + paid
            table["points"][seat, lane] = points
            table["paid"][seat, lane] = paid
            table["hits"][seat, lane] = np.int64(miss == 0)
    for player in range(players):
        seat = np.uint64(player)
        for lane in range(lanes):
            table["totals"][seat, lane] += table["points"][seat, lane]
            table["exact"][seat, lane] += table["hits"][seat, lane]


@jit_part
def add_rounds(record: Any, table: Any, round_index: Any, cards: Any, begin: Any, end: Any, tally: Any) -> None:
    """Add lanes to a tally."""
    players = record["players"]
    bids_sum = tricks_sum = exact_sum = points_sum = paid_sum = np.int64(0)
    number, column = np.uint64(round_index), np.uint64(cards - 1)
    for player in range(players):
        seat = np.uint64(player)
        bids = tricks = exact = points = paid = np.int64(0)
        for lane in range(begin, end):
            bids += table["bids"][seat, lane]
            tricks += table["tricks"][seat, lane]
            exact += table["hits"][seat, lane]
            points += table["points"][seat, lane]
            paid += table["paid"][seat, lane]
        for lane in range(begin, end):
            row = np.uint64(table["bids"][seat, lane])
            tally["bids"][row, column] += 1
            tally["points_for_bid"][row, column] += table["points"][seat, lane]
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
    tally["bid_of_round"][round_index] += bids_sum
    tally["tricks_of_round"][round_index] += tricks_sum
    tally["exact_bid_of_round"][round_index] += exact_sum
    tally["round_points_of_round"][round_index] += points_sum
    tally["round_bonus_of_round"][round_index] += paid_sum
    tally["bid_total_minus_cards"][round_index] += bids_sum - cards * np.int64(end - begin)


@jit_part
def follow_leads(record: Any, table: Any, round_number: Any, lanes: Any) -> None:
    players = record["players"]
    for lane in range(lanes):
        table["low"][lane] = ZERO
        table["due"][lane] = table["totals"][0, lane]
    for seat in range(np.uint64(1), np.uint64(players)):
        for lane in range(lanes):
            table["due"][lane] = max(table["due"][lane], table["totals"][seat, lane])
    for seat in range(np.uint64(players)):
        for lane in range(lanes):
            behind = table["due"][lane] - table["totals"][seat, lane]
            table["deficits"][seat, lane] = max(table["deficits"][seat, lane], behind)
            table["low"][lane] |= (ONE << seat) if behind == 0 else ZERO
    for lane in range(lanes):
        leaders = table["low"][lane]
        last, since = table["sole_leader"][lane], table["leads_since"][lane]
        is_alone = leaders & (leaders - ONE) == ZERO
        leader = lowest_bit(leaders) if is_alone else last
        is_new = leader != last
        table["lead_changes"][lane] += 1 if is_new and last != NO_SEAT else 0
        table["sole_leader"][lane] = leader
        since = round_number if is_new or since == 0 else since
        table["leads_since"][lane] = since if is_alone else 0


@jit_part
def end_match(record: Any, state: Any, table: Any, lane: Any, tally: Any, counts: Any) -> None:
    for player in range(record["players"]):
        seat = np.uint64(player)
        state["totals"][seat] = table["totals"][seat, lane]
        state["half_totals"][seat] = table["half_totals"][seat, lane]
        state["exact"][seat] = table["exact"][seat, lane]
        state["deficits"][seat] = table["deficits"][seat, lane]
        state["points"][seat] = table["points"][seat, lane]
    state["leads_since"] = table["leads_since"][lane]
    state["lead_changes"] = table["lead_changes"][lane]
    state["choices"] = table["choices"][lane]
    for kind in range(5):
        state["captured"][kind] = table["captured"][kind, lane]
    add_match(record, state, tally, counts)


@jit_part
def play_lanes(
    record: Any, state: Any, table: Any, seed: Any, first: Any, lanes: Any, block: Any, tally: Any, counts: Any, base: Any
) -> None:
    players, rounds = record["players"], record["round_count"]
    start_matches(record, state, table, seed, first, lanes)
    state["turns"] = 0
    for round_index in range(rounds):
        cards = record["cards"][round_index]
        for lane in range(lanes):
            begin_round(record, state, table, round_index, cards, lane)
        play_tricks_of_all(record, table, cards, lanes)
        state["turns"] += cards * players
        score_rounds(record, table, round_index, cards, lanes)
        begin = np.uint64(0)
        while begin < lanes:
            of_block = (first + np.int64(begin)) // block
            end = min(lanes, np.uint64((of_block + 1) * block - first))
            add_rounds(record, table, round_index, cards, begin, end, tally[of_block - base])
            begin = end
        follow_leads(record, table, round_index + 1, lanes)
        if round_index + 1 == rounds // 2:
            for seat in range(np.uint64(players)):
                for lane in range(lanes):
                    table["half_totals"][seat, lane] = table["totals"][seat, lane]
    for lane in range(lanes):
        end_match(record, state, table, lane, tally[(first + np.int64(lane)) // block - base], counts)


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
    """Play what `kernel.play_many` would, unless it is logged."""
    states, tables = np.zeros(1, STATE), np.zeros(1, TABLES)
    state, table = states[0], tables[0]
    for seat in range(record["players"]):
        state["bid_styles"][seat] = strategies[seat]["bid"]
    for i in range(record["deck_size"]):
        state["deck"][i] = DEALT_CODE_OF[record["deck"][i]]
    done = np.int64(0)
    while done < matches:
        if stop[0] != 0:
            break
        lanes = min(np.int64(LANES), matches - done)
        play_lanes(
            record, state, table, seed, first + done, np.uint64(lanes), block, tally, counts, first // block
        )
        done += lanes
    return np.int64(log_module.DONE), done
