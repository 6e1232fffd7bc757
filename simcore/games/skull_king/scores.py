"""Points of a round, and what is added up of rounds and matches. Points are in halves throughout."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore.declare import SHARE
from simcore.games.skull_king import events
from simcore.games.skull_king.cards import BonusWhen, Scoring, TiedMatch, ZeroUses
from simcore.games.skull_king.codes import NO_SEAT, ONE, ZERO
from simcore.jit import inlined, jit_part, lowest_bit
from simcore.log import event

_SKULL_KING, _CANNONBALL = int(Scoring.SKULL_KING), int(Scoring.RASCAL_CANNONBALL)
_BY_CARDS, _ALWAYS, _NEVER = int(ZeroUses.CARDS), int(BonusWhen.ALWAYS), int(BonusWhen.NEVER)
_LAST_ROUND, _EXACT_BIDS = int(TiedMatch.LAST_ROUND), int(TiedMatch.EXACT_BIDS)


@inlined
def bid_points(record: Any, round_number: Any, cards: Any, bid: Any, tricks: Any, load: Any) -> Any:
    """Return what a bid earns without bonus and wager, in halves."""
    miss = abs(bid - tricks)
    if record["scoring"] == _SKULL_KING:
        # Products, since nobody can foretell a jump on what is exact.
        is_exact = np.int64(miss == 0)
        times = cards if record["zero_uses"] == _BY_CARDS else round_number
        stake = 2 * record["zero_bid_points"] * times * (2 * is_exact - 1)
        points = 2 * (record["points_per_trick"] * bid * is_exact - record["penalty_per_miss"] * miss)
        return points + np.int64(bid == 0) * (stake - points)
    if load != 0:
        return 30 * cards if miss == 0 else 0
    return (20 * cards if miss == 0 else 10 * cards) if miss <= 1 else 0


@inlined
def bonus_points(record: Any, due: Any, miss: Any, load: Any) -> Any:
    """Return what is paid, in halves, of the points due for 14s and captures."""
    if record["bonus_when"] == _NEVER:
        return 0
    if record["bonus_when"] == _ALWAYS:
        return 2 * due
    whole = 2 * due * np.int64(miss == 0)
    return whole if record["scoring"] == _SKULL_KING else whole + due * np.int64((miss == 1) & (load == 0))


@inlined
def points_of(record: Any, state: Any, seat: Any, round_number: Any, cards: Any) -> Any:
    """Return the points of a seat in a finished round, and the bonus paid in it."""
    finals, tricks, load = state["finals"], state["tricks"], state["loads"][seat]
    miss = abs(finals[seat] - tricks[seat])
    paid = np.int64(bonus_points(record, state["bonuses"][seat], miss, load))
    if state["alliances"] != 0 and record["bonus_when"] != _NEVER:
        for i in range(state["alliances"]):
            looter, winner = state["looters"][i], state["winners"][i]
            if seat in (looter, winner) and finals[looter] == tricks[looter] and finals[winner] == tricks[winner]:
                paid += 2 * record["bonus_loot"]
    points = bid_points(record, round_number, cards, finals[seat], tricks[seat], load) + paid
    points += state["stakes"][seat] if miss == 0 else -state["stakes"][seat]
    return points, paid


@jit_part
def score_round(record: Any, state: Any, round_index: Any, cards: Any, tally: Any) -> None:
    """Score a round, add it to the totals and to the tally."""
    players = record["players"]
    bids = tricks = exact = points_sum = paid_sum = np.int64(0)
    # Indices without a sign, since numba takes a signed one for a place counted from the end where it may be.
    number, column = np.uint64(round_index), np.uint64(cards - 1)
    for player in range(players):
        seat = np.uint64(player)
        points, paid = points_of(record, state, seat, round_index + 1, cards)
        bid, taken = state["bids"][seat], state["tricks"][seat]
        is_exact = np.int64(state["finals"][seat] == taken)
        state["points"][seat] = points
        state["paid"][seat] = paid
        state["totals"][seat] += points
        state["exact"][seat] += is_exact
        bids += bid
        tricks += taken
        exact += is_exact
        points_sum += points
        paid_sum += paid
        tally["bid"][seat, number] += bid
        tally["tricks"][seat, number] += taken
        tally["exact_bid"][seat, number] += is_exact
        tally["round_points"][seat, number] += points
        tally["round_bonus"][seat, number] += paid
        row = np.uint64(bid)
        tally["bids"][row, column] += 1
        tally["points_for_bid"][row, column] += points
    tally["bid_of_round"][round_index] += bids
    tally["tricks_of_round"][round_index] += tricks
    tally["exact_bid_of_round"][round_index] += exact
    tally["round_points_of_round"][round_index] += points_sum
    tally["round_bonus_of_round"][round_index] += paid_sum
    tally["bid_total_minus_cards"][round_index] += bids - cards
    follow_lead(state, players, round_index + 1)


@inlined
def follow_lead(state: Any, players: Any, round_number: Any) -> None:
    """Keep track of who leads alone, and how far everybody has been behind."""
    totals = state["totals"]
    best, leaders = totals[0], ZERO
    for seat in range(1, players):
        best = max(best, totals[seat])
    for seat in range(players):
        behind = best - totals[seat]
        state["deficits"][seat] = max(state["deficits"][seat], behind)
        leaders |= np.uint64(behind == 0) << np.uint64(seat)
    last, since = state["sole_leader"], state["leads_since"]
    is_alone = leaders & (leaders - ONE) == ZERO
    leader = lowest_bit(leaders) if is_alone else last
    is_new = leader != last
    state["lead_changes"] += np.int64(is_new & (last != NO_SEAT))
    state["sole_leader"] = leader
    since = round_number if is_new | (since == 0) else since
    state["leads_since"] = since if is_alone else 0


@jit_part
def count_up(counts: Any, value: Any) -> None:
    """Add one to a histogram whose end bins are open."""
    counts[min(max(value, 0), counts.shape[0] - 1)] += 1


@jit_part
def winners_of(record: Any, state: Any) -> Any:
    """Mark the winners of the match; return their number."""
    players, totals, wins = record["players"], state["totals"], state["wins"]
    best = totals[0]
    for seat in range(1, players):
        best = max(best, totals[seat])
    count = np.int64(0)
    for seat in range(players):
        wins[seat] = np.int64(totals[seat] == best)
        count += wins[seat]
    by_last_round = record["tied_match"] == _LAST_ROUND
    if count == 1 or not (by_last_round or record["tied_match"] == _EXACT_BIDS):
        return count
    merits = state["points"] if by_last_round else state["exact"]
    most, found = np.int64(0), False
    for seat in range(players):
        if wins[seat] != 0 and (not found or merits[seat] > most):
            most, found = merits[seat], True
    count = np.int64(0)
    for seat in range(players):
        wins[seat] = np.int64(wins[seat] != 0 and merits[seat] == most)
        count += wins[seat]
    return count


@inlined
def was_last(state: Any, players: Any, seat: Any) -> Any:
    """Whether a seat had the lowest total at half time, and not everybody had."""
    half = state["half_totals"]
    lowest = highest = half[0]
    for other in range(1, players):
        lowest, highest = min(lowest, half[other]), max(highest, half[other])
    return half[seat] == lowest and lowest < highest


@jit_part
def add_match(record: Any, state: Any, tally: Any, counts: Any) -> None:
    """Add a finished match to a tally."""
    players, totals, wins = record["players"], state["totals"], state["wins"]
    winners = winners_of(record, state)
    first, second = totals[0], totals[1]
    if second > first:
        first, second = second, first
    for seat in range(2, players):
        if totals[seat] > first:
            first, second = totals[seat], first
        elif totals[seat] > second:
            second = totals[seat]
    share = SHARE // winners
    tally["matches"] += 1
    tally["seats"] += players
    tally["turns"] += state["turns"]
    tally["choice_turns"] += state["choices"]
    tally["match_tie"] += np.int64(winners > 1)
    halved = record["round_count"] > 1
    tally["halved"] += np.int64(halved)
    for seat in range(players):
        tally["score"][seat] += totals[seat]
        count_up(counts["score"][seat], totals[seat] + 2047)
        if wins[seat] != 0:
            tally["match_win"][seat] += share
            tally["winner_deficit"] += share * state["deficits"][seat]
            if halved and was_last(state, players, seat):
                tally["winner_was_last_at_half"] += share
    tally["margin"] += first - second
    count_up(counts["margin"], first - second)
    if first > second:
        tally["decided"] += 1
        tally["decided_at_round"] += state["leads_since"]
        count_up(counts["decided_at_round"], state["leads_since"] - 1)
    tally["lead_changes"] += state["lead_changes"]
    count_up(counts["lead_changes"], state["lead_changes"])
    tally["void_tricks"] += state["void_tricks"]
    count_up(counts["void_tricks"], state["void_tricks"])
    tally["alliances"] += state["all_alliances"]
    count_up(counts["alliances"], state["all_alliances"])
    captured = state["captured"]
    tally["captured_14"] += captured[0]
    tally["captured_black_14"] += captured[1]
    tally["captured_mermaid"] += captured[2]
    tally["captured_pirate"] += captured[3]
    tally["captured_skull_king"] += captured[4]
    count_up(counts["captured_14"], captured[0])
    count_up(counts["captured_black_14"], captured[1])
    count_up(counts["captured_mermaid"], captured[2])
    count_up(counts["captured_pirate"], captured[3])
    count_up(counts["captured_skull_king"], captured[4])


@jit_part
def log_scores(record: Any, state: Any, log: Any) -> None:
    """Log a finished round's scores."""
    for seat in range(record["players"]):
        final, taken, points = state["finals"][seat], state["tricks"][seat], state["points"][seat]
        event(log, events.SCORE, seat, final, taken, points, state["paid"][seat], state["totals"][seat])


@jit_part
def log_winners(record: Any, state: Any, log: Any) -> None:
    """Log who won the match."""
    winners = np.int64(0)
    for seat in range(record["players"]):
        winners += state["wins"][seat]
    for seat in range(record["players"]):
        if state["wins"][seat] != 0:
            event(log, events.MATCH_WON, seat, winners)
