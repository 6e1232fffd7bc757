"""The `rollout` bid: every bid is played out on the same deals of the unseen cards."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import log as log_module
from simcore.games.skull_king.bids import allowed_bid, count_bid, first_bidder
from simcore.games.skull_king.cards import GHOST, Scoring
from simcore.games.skull_king.codes import BIT_HIGH, BIT_LOW, UNITS, ZERO
from simcore.games.skull_king.lanes import LANES
from simcore.games.skull_king.plain_tricks import play_plain_tricks
from simcore.games.skull_king.rounds import play_tricks, prepare_tricks, set_undealt
from simcore.games.skull_king.scores import bid_points, bonus_points, points_of
from simcore.games.skull_king.views import open_views
from simcore.jit import inlined, jit_part
from simcore.rng import DEAL, SEAT, below, start, stream_at, word

_CANNONBALL = int(Scoring.RASCAL_CANNONBALL)


@jit_part
def deal_unseen(record: Any, state: Any, playout: Any, seat: Any, cards: Any, lows: Any, highs: Any) -> None:
    """Deal what the bidder does not hold to the others, Graybeard last; the stream is started."""
    shuffled = playout["shuffled"]
    own_low, own_high = state["lows"][seat], state["highs"][seat]
    unseen = np.int64(0)
    for i in range(record["deck_size"]):
        code = state["deck"][i]
        if (BIT_LOW[code] & own_low) | (BIT_HIGH[code] & own_high) == ZERO:
            shuffled[unseen] = code
            unseen += 1
    next_place = np.int64(0)
    lows[seat], highs[seat] = own_low, own_high
    for other in range(record["players"] + record["graybeard"]):
        if other == seat:
            continue
        low, high, units = ZERO, ZERO, np.int64(0)
        for _ in range(cards):
            j = next_place + below(playout["streams"], DEAL, unseen - next_place)
            code = shuffled[j]
            shuffled[j] = shuffled[next_place]
            shuffled[next_place] = code
            low |= BIT_LOW[code]
            high |= BIT_HIGH[code]
            units += UNITS[code]
            next_place += 1
        lows[other], highs[other], playout["units"][other] = low, high, units
    if record["pirate_powers"] != 0:
        set_undealt(playout, next_place, unseen)


@jit_part
def set_bids(record: Any, state: Any, playout: Any, seat: Any, bid: Any, cards: Any, first: Any) -> None:
    """Let the others bid `count`, but for bids that are known."""
    players = record["players"]
    bids, total = playout["bids"], np.int64(0)
    for earlier in range(players):
        other = (first + earlier) % players
        if other == seat:
            bids[other] = bid
        elif state["bids"][other] >= 0:
            bids[other] = state["bids"][other]
        else:
            counted = count_bid(record, playout["units"][other])
            bids[other] = allowed_bid(record, counted, cards, earlier, total)
        total += bids[other]
        playout["finals"][other] = bids[other]


@inlined
def choose_by_rollout(
    record: Any,
    state: Any,
    playout: Any,
    seat: Any,
    round_index: Any,
    cards: Any,
    leader: Any,
    choose_own: Any,
) -> Any:
    """Return the bid with the highest sum of points over the samples, and its load."""
    players = record["players"]
    loads = 2 if record["scoring"] == _CANNONBALL else 1
    silent = np.zeros((0, log_module.WIDTH), np.int32)
    sums, lows, highs = playout["sums"], playout["sampled_lows"], playout["sampled_highs"]
    candidates = (cards + 1) * loads
    for candidate in range(candidates):
        sums[candidate] = 0
    first = first_bidder(record, state, leader)
    for other in range(players):
        playout["totals"][other] = state["totals"][other]
    for _ in range(state["samples"][seat]):
        key = word(state["streams"], SEAT + seat)
        start(playout["streams"], DEAL, key, 0)
        deal_unseen(record, state, playout, seat, cards, lows, highs)
        undealt_low, undealt_high = playout["undealt_low"], playout["undealt_high"]
        for candidate in range(candidates):
            for other in range(players):
                start(playout["streams"], SEAT + other, key, 0)
                playout["lows"][other], playout["highs"][other] = lows[other], highs[other]
            playout["undealt_low"], playout["undealt_high"] = undealt_low, undealt_high
            playout["human_leader"] = state["human_leader"]
            prepare_tricks(record, playout, cards, key)
            open_views(record, playout, round_index, cards, leader)
            playout["ghost_card"] = (GHOST - 1) * cards
            playout["loads"][seat] = candidate % loads
            set_bids(record, state, playout, seat, candidate // loads, cards, first)
            play_tricks(record, playout, round_index, cards, leader, np.int64(1), silent, choose_own)
            points, _ = points_of(record, playout, seat, round_index + 1, cards)
            sums[candidate] += points
    if playout["illegal"] != 0:
        state["illegal"] = 1
    best = best_candidate(state["streams"], seat, sums, candidates)
    return best // loads, best % loads


@jit_part
def choose_by_plain_rollout(
    record: Any,
    match: Any,
    playout: Any,
    playouts: Any,
    seat: Any,
    samples: Any,
    round_index: Any,
    cards: Any,
    leader: Any,
) -> Any:
    """Return what `choose_by_rollout` does, in a plain match: `playouts` takes every playout in a lane of its own.

    `match` holds the bidder's hand and stream, and the bids that it knows.
    """
    players, candidates = record["players"], np.int64(cards + 1)
    sums, lows, highs = playout["sums"], playout["sampled_lows"], playout["sampled_highs"]
    for candidate in range(candidates):
        sums[candidate] = 0
    lane = candidate_of_first = np.int64(0)
    for sample in range(samples):
        key = word(match["streams"], SEAT + seat)
        start(playout["streams"], DEAL, key, 0)
        deal_unseen(record, match, playout, seat, cards, lows, highs)
        for candidate in range(candidates):
            set_bids(record, match, playout, seat, candidate, cards, leader)
            for other in range(players):
                playouts["lows"][other, lane], playouts["highs"][other, lane] = lows[other], highs[other]
                playouts["streams"][other, lane] = stream_at(key, SEAT + other, 0)
                playouts["bids"][other, lane] = playout["bids"][other]
                playouts["tricks"][other, lane] = playouts["bonuses"][other, lane] = 0
            playouts["leaders"][lane] = leader
            lane += 1
            if lane == LANES or (sample == samples - 1 and candidate == cards):
                play_plain_tricks(record, playouts, cards, np.uint64(lane))
                for i in range(lane):
                    bid, tricks = playouts["bids"][seat, i], playouts["tricks"][seat, i]
                    points = bid_points(record, round_index + 1, cards, bid, tricks, 0)
                    paid = bonus_points(record, playouts["bonuses"][seat, i], abs(bid - tricks), 0)
                    sums[(candidate_of_first + i) % candidates] += points + paid
                lane, candidate_of_first = np.int64(0), (candidate + 1) % candidates
    return best_candidate(match["streams"], seat, sums, candidates)


@jit_part
def best_candidate(streams: Any, seat: Any, sums: Any, candidates: Any) -> Any:
    """Return the place of the highest sum, drawn among equals."""
    best, count = sums[0], np.int64(0)
    for candidate in range(candidates):
        best = max(best, sums[candidate])
    for candidate in range(candidates):
        count += np.int64(sums[candidate] == best)
    which = below(streams, SEAT + seat, count)
    for candidate in range(candidates):
        if sums[candidate] == best:
            if which == 0:
                return np.int64(candidate)
            which -= 1
    return np.int64(0)
