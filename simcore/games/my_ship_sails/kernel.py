"""Plays matches of My Ship Sails and adds them up. Every random draw is listed in draws.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import log as log_module
from simcore.declare import SHARE
from simcore.games.my_ship_sails import events
from simcore.games.my_ship_sails.hands import (
    NO_SUIT,
    ZERO,
    card_number,
    cards_of_suit,
    count_of,
    has_at_least,
    highest,
    lanes_equal,
    nth_suit,
    suit_counts,
)
from simcore.games.my_ship_sails.rules import (
    MAX_PLAYERS,
    DealtFlush,
    Direction,
    Discard,
    PassMode,
    Simultaneous,
    TrimSuits,
)
from simcore.games.my_ship_sails.strategies import (
    HESITANT,
    RANDOM,
    VIEW_SIZE,
    WATCHER,
    choose_card,
    choose_first_target,
    choose_own_card,
    choose_target,
    counts_without,
    marked_suits,
)
from simcore.jit import jit, popcount
from simcore.log import event, is_full
from simcore.rng import CHANCE, DEAL, MATCH, SEAT, below, happens, round_key, start, uniform
from simcore.strategies import OWN

NO_SEAT = -1
_RIGHT, _ALTERNATE_ROUNDS, _ALTERNATE_PASSES = (
    int(Direction.RIGHT),
    int(Direction.ALTERNATE_ROUNDS),
    int(Direction.ALTERNATE_PASSES),
)
_SEQUENTIAL, _HIGH_CARD = int(PassMode.SEQUENTIAL), int(Simultaneous.HIGH_CARD)
_REDEAL, _RANDOM_SUITS, _NEWEST = int(DealtFlush.REDEAL), int(TrimSuits.RANDOM), int(Discard.NEWEST)
_ONE = np.uint64(1)

STATE = np.dtype(
    [
        ("streams", np.uint64, (SEAT + MAX_PLAYERS,)),
        ("deck", np.int64, (52,)),  # bits of the cards in play, ascending
        ("shuffled", np.int64, (52,)),
        ("hands", np.uint64, (MAX_PLAYERS,)),
        ("counts", np.uint64, (MAX_PLAYERS,)),  # of each hand's suits
        ("dealt_counts", np.uint64, (MAX_PLAYERS,)),
        ("targets", np.int64, (MAX_PLAYERS,)),
        ("minds", np.int64, (MAX_PLAYERS, 3)),  # of patient players
        ("given", np.uint64, (MAX_PLAYERS,)),  # cards that a watcher passed in this round
        ("marks", np.uint64, (MAX_PLAYERS,)),  # suits, by top bits, of which a watcher got one back
        ("parcels", np.uint64, (MAX_PLAYERS,)),  # cards on their way
        ("arrivals", np.int64, (64,)),  # of a card, by bit: the pass at which it reached its holder
        ("tracks_arrivals", np.int64),  # whether anybody asks for them
        ("callers", np.int64, (MAX_PLAYERS,)),
        ("view", np.int64, (VIEW_SIZE,)),
        ("wins", np.int64, (MAX_PLAYERS,)),
    ]
)
"""Everything that changes during a match; made once for many."""


@jit
def lay_out_deck(record: Any, state: Any, streams: Any) -> Any:
    """Lay out the cards in play in ascending order; draw which suits are short. Return their number."""
    short = record["short_suits"]
    order = np.arange(4)
    if record["trim_suits"] == _RANDOM_SUITS and record["edge_rank"] >= 0:
        for i in range(short):
            j = i + below(streams, DEAL, 4 - i)
            order[i], order[j] = order[j], order[i]
    deck = state["deck"]
    cards = 0
    for suit in range(4):
        is_short = False
        for i in range(short):
            is_short |= order[i] == suit
        for rank in range(13):
            is_edge = rank == record["edge_rank"] and not is_short
            if is_edge or record["low_rank"] <= rank <= record["high_rank"]:
                deck[cards] = 16 * suit + rank
                cards += 1
    return cards


@jit
def deal(record: Any, state: Any, cards: Any, key: Any, number: Any) -> Any:
    """Shuffle, deal, and return whether anybody was dealt a flush; `number` counts redeals."""
    streams, deck, shuffled = state["streams"], state["deck"], state["shuffled"]
    hands, counts = state["hands"], state["counts"]
    start(streams, DEAL, key, number)
    for i in range(cards):
        shuffled[i] = deck[i]
    hand_size = record["hand_size"]
    i = 0
    any_flush = False
    for seat in range(record["players"]):
        hand = ZERO
        for _ in range(hand_size):
            j = i + below(streams, DEAL, cards - i)
            bit = shuffled[j]
            shuffled[j] = shuffled[i]
            hand |= _ONE << np.uint64(bit)
            i += 1
        hands[seat] = hand
        counts[seat] = suit_counts(hand)
        any_flush |= has_at_least(counts[seat], hand_size)
    return any_flush


@jit
def log_hands(record: Any, state: Any, log: Any) -> None:
    """Log every hand."""
    for seat in range(record["players"]):
        hand = state["hands"][seat]
        event(
            log,
            events.HAND,
            seat,
            cards_of_suit(hand, 0),
            cards_of_suit(hand, 1),
            cards_of_suit(hand, 2),
            cards_of_suit(hand, 3),
        )


@jit
def draw_first_caller(record: Any, state: Any, callers: Any) -> Any:
    """Draw who of several callers is first, in proportion to their speeds."""
    total = 0.0
    for n in range(callers):
        total += record["call_speed"][state["callers"][n]]
    point = uniform(state["streams"], CHANCE) * total
    passed = 0.0
    for n in range(callers - 1):
        passed += record["call_speed"][state["callers"][n]]
        if passed > point:
            return state["callers"][n]
    return state["callers"][callers - 1]


@jit
def flush_suit(record: Any, counts: Any) -> Any:
    """Return the suit of which a hand holds a flush. It cannot hold two (see draws.md)."""
    for suit in range(3):
        if count_of(counts, suit) >= record["hand_size"]:
            return suit
    return 3


@jit
def find_highest_flush(record: Any, state: Any, callers: Any, log: Any) -> Any:
    """Return whose flush is the highest, drawn among equal ones.

    Flushes have equally many cards, so comparing the highest ranks, then the next and so on is comparing
    the lanes as numbers.
    """
    best = ZERO
    for n in range(callers):
        seat = state["callers"][n]
        best = max(best, cards_of_suit(state["hands"][seat], flush_suit(record, state["counts"][seat])))
    equal = 0
    for n in range(callers):
        seat = state["callers"][n]
        if cards_of_suit(state["hands"][seat], flush_suit(record, state["counts"][seat])) == best:
            state["callers"][equal] = seat
            equal += 1
    winner = state["callers"][below(state["streams"], CHANCE, equal)]
    event(log, events.HIGH_CARD, winner, equal)
    return winner


@jit
def settle(record: Any, state: Any, first: Any, last: Any, pass_number: Any, log: Any) -> Any:
    """Let the holders of a flush among seats first..last-1 notice and call.

    Returns the winner (NO_SEAT if nobody called), the numbers of callers and of holders.
    """
    callers, holders = np.int64(0), np.int64(0)
    for seat in range(first, last):
        if not has_at_least(state["counts"][seat], record["hand_size"]):
            continue
        holders += 1
        suit = flush_suit(record, state["counts"][seat])
        if happens(state["streams"], CHANCE, record["overlook"]):
            event(log, events.OVERLOOKS, seat, pass_number, suit)
            continue
        event(log, events.CALLS, seat, pass_number, suit)
        state["callers"][callers] = seat
        callers += 1
    if callers == 0:
        return np.int64(NO_SEAT), callers, holders
    if callers == 1:
        return state["callers"][0], callers, holders
    if record["simultaneous"] != _HIGH_CARD:
        winner = draw_first_caller(record, state, callers)
        if not happens(state["streams"], CHANCE, record["dead_heat"]):
            event(log, events.FIRST_CALL, winner)
            return winner, callers, holders
        event(log, events.DEAD_HEAT)
    return find_highest_flush(record, state, callers, log), callers, holders


@jit
def choose_parcel(
    record: Any, strategies: Any, state: Any, seat: Any, pass_number: Any, step: Any, log: Any, choose_own: Any
) -> Any:
    """Take the cards that a seat passes out of its hand. Returns False if a user's strategy chose none."""
    streams, strategy = state["streams"], strategies[seat]
    hand, counts, target = state["hands"][seat], state["counts"][seat], state["targets"][seat]
    style, discard = strategy["style"], strategy["discard"]
    if style != OWN and style != RANDOM:
        new = choose_target(strategy, counts, target, state["minds"][seat], pass_number, streams, seat)
        if log.shape[0] > 0 and new != target:
            event(log, events.TARGET, seat, new, pass_number)
        target = new
        state["targets"][seat] = target
    preferred = state["marks"][seat]
    parcel = ZERO
    for n in range(record["pass_count"]):
        if style == OWN:
            left = record["pass_count"] - n
            bit = choose_own_card(
                choose_own, state["view"], record, hand, state["arrivals"], pass_number, step, left, streams, seat
            )
            if bit < 0:
                return False
        else:
            bit = choose_card(discard, hand, counts, target, preferred, state["arrivals"], streams, seat)
        card = _ONE << np.uint64(bit)
        parcel |= card
        hand ^= card
        counts = counts_without(counts, bit)
    state["hands"][seat] = hand
    state["parcels"][seat] = parcel
    if style == WATCHER:
        state["given"][seat] |= parcel
    return True


@jit
def hand_over(record: Any, strategies: Any, state: Any, giver: Any, receiver: Any, pass_number: Any, log: Any) -> None:
    """Put a seat's parcel into the receiver's hand."""
    parcel = state["parcels"][giver]
    state["hands"][receiver] |= parcel
    state["counts"][receiver] = suit_counts(state["hands"][receiver])
    if strategies[receiver]["style"] == WATCHER and parcel & state["given"][receiver] != ZERO:
        state["marks"][receiver] |= marked_suits(parcel & state["given"][receiver])
    if state["tracks_arrivals"] != 0 or log.shape[0] > 0:
        for bit in range(64):
            if (parcel >> np.uint64(bit)) & _ONE != ZERO:
                state["arrivals"][bit] = pass_number
                event(log, events.PASS, pass_number, giver, receiver, card_number(bit))


@jit
def direction_of(record: Any, round_number: Any, pass_number: Any) -> Any:
    """Return 1 if cards go left at this pass, -1 if they go right."""
    direction = record["direction"]
    if direction == _ALTERNATE_ROUNDS:
        return 1 if round_number % 2 == 1 else -1
    if direction == _ALTERNATE_PASSES:
        return 1 if pass_number % 2 == 1 else -1
    return -1 if direction == _RIGHT else 1


@jit
def neighbour(record: Any, seat: Any, step: Any) -> Any:
    """Return the seat to which this one gives."""
    players = record["players"]
    other = seat + step
    return other - players if other >= players else (other + players if other < 0 else other)


@jit
def keep_counts(record: Any, state: Any, history: Any, pass_number: Any) -> Any:
    """Keep everybody's suit counts after a pass for later; return whether anybody holds a flush."""
    any_flush = False
    first = pass_number * record["players"]
    for seat in range(record["players"]):
        counts = state["counts"][seat]
        history[first + seat] = counts
        any_flush |= has_at_least(counts, record["hand_size"])
    return any_flush


@jit
def play_passes(
    record: Any, strategies: Any, state: Any, history: Any, round_number: Any, log: Any, choose_own: Any
) -> Any:
    """Play a round in which everybody passes at once.

    Returns the winner (NO_SEAT after a stalemate, or if a user's strategy chose no card there is), the
    passes played, the numbers of callers and holders at the end, and whether all choices were legal.
    """
    players = record["players"]
    pass_number = 0
    while True:
        if keep_counts(record, state, history, pass_number):
            winner, callers, holders = settle(record, state, 0, players, pass_number, log)
            if winner != NO_SEAT:
                return winner, pass_number, callers, holders, True
        if pass_number == record["max_passes"]:
            return np.int64(NO_SEAT), pass_number, np.int64(0), np.int64(0), True
        pass_number += 1
        step = direction_of(record, round_number, pass_number)
        for seat in range(players):
            if not choose_parcel(record, strategies, state, seat, pass_number, step, log, choose_own):
                return np.int64(NO_SEAT), pass_number, np.int64(0), np.int64(0), False
        for seat in range(players):
            hand_over(record, strategies, state, seat, neighbour(record, seat, step), pass_number, log)


@jit
def play_laps(
    record: Any,
    strategies: Any,
    state: Any,
    history: Any,
    round_number: Any,
    starter: Any,
    log: Any,
    choose_own: Any,
) -> Any:
    """Play a round in which the starter passes first and the turn goes to whoever received.

    Returns what `play_passes` returns, with laps for passes.
    """
    players = record["players"]
    if keep_counts(record, state, history, 0):
        winner, callers, holders = settle(record, state, 0, players, 0, log)
        if winner != NO_SEAT:
            return winner, 0, callers, holders, True
    for lap in range(1, record["max_passes"] + 1):
        step = direction_of(record, round_number, lap)
        giver = starter
        for _ in range(players):
            receiver = neighbour(record, giver, step)
            if not choose_parcel(record, strategies, state, giver, lap, step, log, choose_own):
                return np.int64(NO_SEAT), lap, np.int64(0), np.int64(0), False
            # The giver's counts are those of what it has left, until it receives again.
            state["counts"][giver] = suit_counts(state["hands"][giver])
            hand_over(record, strategies, state, giver, receiver, lap, log)
            winner, callers, holders = settle(record, state, receiver, receiver + 1, lap, log)
            if winner != NO_SEAT:
                return winner, lap, callers, holders, True
            giver = receiver
        keep_counts(record, state, history, lap)
    return np.int64(NO_SEAT), record["max_passes"], np.int64(0), np.int64(0), True


@jit
def half_time_leader(record: Any, history: Any, passes: Any) -> Any:
    """Return who alone held most of a suit after pass floor(passes / 2), or NO_SEAT."""
    first = (passes // 2) * record["players"]
    leader, best = NO_SEAT, np.int64(-1)
    for seat in range(record["players"]):
        count = highest(history[first + seat])
        if count > best:
            leader, best = seat, count
        elif count == best:
            leader = NO_SEAT
    return leader


@jit
def is_4300(counts: Any, hand_size: Any) -> Any:
    """Whether a dealt hand of seven has four cards of a suit and three of another."""
    return hand_size == 7 and lanes_equal(counts, 4) != ZERO and lanes_equal(counts, 3) != ZERO


@jit
def count_up(counts: Any, value: Any, low: Any) -> None:
    """Add one to a histogram whose end bins are open."""
    counts[min(max(value - low, 0), counts.shape[0] - 1)] += 1


@jit
def add_round(
    record: Any, state: Any, history: Any, winner: Any, passes: Any, callers: Any, holders: Any, tally: Any, counts: Any
) -> None:
    """Add a round to a tally."""
    hand_size = record["hand_size"]
    tally["rounds"] += 1
    for seat in range(record["players"]):
        best = min(highest(state["counts"][seat]), hand_size)
        dealt = state["dealt_counts"][seat]
        tally["best_suit_count"][seat] += best
        counts["best_suit_count"][seat, best] += 1
        tally["off_suit_cards"][seat] += hand_size - best
        tally["initial_best_count"][seat] += highest(dealt)
        counts["initial_best_count"][seat, highest(dealt)] += 1
        tally["deal_4300"] += is_4300(dealt, hand_size)
    if winner == NO_SEAT:
        tally["stalemate"] += 1
        return
    tally["ended"] += 1
    tally["round_win"][winner] += 1
    tally["passes"] += passes
    count_up(counts["passes"], passes, 0)
    tally["multiple_flush"] += callers > 1
    tally["dealt_flush"] += passes == 0
    tally["flush_callers"] += callers
    count_up(counts["flush_callers"], callers, 1)
    tally["flush_holders"] += holders
    count_up(counts["flush_holders"], holders, 1)
    tally["winning_suit"][flush_suit(record, state["counts"][winner])] += 1
    leader = half_time_leader(record, history, passes)
    if leader != NO_SEAT:
        tally["led_rounds"] += 1
        tally["half_time_leader_won"] += leader == winner
    tally["win_from_4300"] += is_4300(state["dealt_counts"][winner], hand_size)


@jit
def play_round(
    record: Any,
    strategies: Any,
    state: Any,
    history: Any,
    cards: Any,
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
    event(log, events.ROUND, round_number, dealer)
    redeals = 0
    while deal(record, state, cards, key, redeals) and record["dealt_flush"] == _REDEAL:
        redeals += 1
        event(log, events.REDEAL, redeals)
    if log.shape[0] > 0:
        log_hands(record, state, log)
    streams = state["streams"]
    start(streams, CHANCE, key, 0)
    for seat in range(players):
        start(streams, SEAT + seat, key, 0)
        state["dealt_counts"][seat] = state["counts"][seat]
        state["given"][seat] = ZERO
        state["marks"][seat] = ZERO
        target = choose_first_target(strategies[seat], state["counts"][seat], streams, seat)
        state["targets"][seat] = target
        if target != NO_SUIT:
            event(log, events.TARGET, seat, target, 0)
    if state["tracks_arrivals"] != 0:
        state["arrivals"][:] = 0
    if record["pass_mode"] == _SEQUENTIAL:
        starter = neighbour(record, dealer, 1)
        winner, passes, callers, holders, is_legal = play_laps(
            record, strategies, state, history, round_number, starter, log, choose_own
        )
    else:
        winner, passes, callers, holders, is_legal = play_passes(
            record, strategies, state, history, round_number, log, choose_own
        )
    if not is_legal:
        return winner, passes, False
    # Every pass is a choice: a hand always has more cards than have to be passed.
    turns = passes * players
    if record["pass_mode"] == _SEQUENTIAL and winner != NO_SEAT and passes > 0:
        step = direction_of(record, round_number, passes)
        turns += (winner - starter) * step % players - players
        turns += players if winner == starter else 0
    tally["turns"] += turns
    tally["choice_turns"] += turns
    add_round(record, state, history, winner, passes, callers, holders, tally, counts)
    if winner == NO_SEAT:
        event(log, events.STALEMATE, passes)
    else:
        event(log, events.ROUND_WON, winner, passes, flush_suit(record, state["counts"][winner]))
    return winner, passes, True


@jit
def play_match(
    record: Any,
    strategies: Any,
    state: Any,
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
    start(state["streams"], DEAL, round_key(seed, game, MATCH), 0)
    dealer = below(state["streams"], DEAL, players)
    event(log, events.MATCH, dealer)
    cards = lay_out_deck(record, state, state["streams"])
    wins[:] = 0
    rounds, most = 0, 0
    fastest, fastest_seat, last_winner = np.int64(-1), NO_SEAT, NO_SEAT
    while most < record["match_target"] and rounds < record["max_rounds"]:
        rounds += 1
        key = round_key(seed, game, rounds)
        winner, passes, is_legal = play_round(
            record, strategies, state, history, cards, key, rounds, dealer, tally, counts, log, choose_own
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
    add_match(record, state, rounds, fastest, fastest_seat, last_winner if is_reached else NO_SEAT, tally, counts, log)
    return True


@jit
def add_match(
    record: Any,
    state: Any,
    rounds: Any,
    fastest: Any,
    fastest_seat: Any,
    reached: Any,
    tally: Any,
    counts: Any,
    log: Any,
) -> None:
    """Add a match to a tally; `reached` is the seat that reached the target, or NO_SEAT."""
    tally["matches"] += 1
    count_up(counts["rounds"], rounds, 1)
    if fastest >= 0:
        tally["won_matches"] += 1
        tally["fastest"] += fastest
        count_up(counts["fastest"], fastest, 0)
        if record["fastest_bonus"] > 0:
            event(log, events.BONUS, fastest_seat, record["fastest_bonus"], fastest)
    winner, best, is_unique = reached, np.int64(-1), True
    for seat in range(record["players"]):
        points = state["wins"][seat]
        if seat == fastest_seat:
            points += record["fastest_bonus"]
        event(log, events.SCORE, seat, state["wins"][seat], points)
        tally["points"][seat] += points
        count_up(counts["points"][seat], points, 0)
        if points > best:
            winner, best, is_unique = seat, points, True
        elif points == best:
            is_unique = False
            if seat == reached:
                winner = seat
    if not is_unique and winner != reached:
        winner = NO_SEAT
    if winner == NO_SEAT:
        tally["no_winner"] += 1
        event(log, events.NO_WINNER)
    else:
        tally["match_win"][winner] += SHARE
        event(log, events.MATCH_WON, winner)


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
    # A record does not keep alive the array it lies in, so it is taken from there for every match.
    scratch = np.zeros(1, STATE)
    history = np.empty((record["max_passes"] + 1) * record["players"], np.uint64)
    for seat in range(record["players"]):
        is_own = strategies[seat]["style"] == OWN
        is_newest = strategies[seat]["discard"] == _NEWEST
        scratch[0]["tracks_arrivals"] |= is_own or is_newest
    for n in range(matches):
        if stop[0] != 0:
            return log_module.DONE, n
        log_module.clear(log)
        game = first + n
        is_legal = play_match(
            record,
            strategies,
            scratch[0],
            history,
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
