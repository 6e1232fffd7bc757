"""Learns the tables of the `calibrated` bid from self-play with the kernel; the same seed gives the same file.

For each deck, number of players and number of cards:

1. Chances: everybody bids `count` and plays `contract`; the tricks taken are fitted by least squares as a sum
   over the kinds of cards in the hand. Then once more with the rounded sums for bids.
2. Distributions: in each round one seat, in turn, tries a bid drawn around its estimate, or zero; what it then
   takes is counted. The others first bid their rounded estimates, then what was best so far.
3. The same with bids in turn, by what is known of the earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from simcore import log as log_module
from simcore.games import load
from simcore.games.skull_king import calibrated
from simcore.games.skull_king.bids import bin_of, context_of, count_bid
from simcore.games.skull_king.calibrated import BINS, CONTEXTS, DECKS, KINDS, OFFSETS, WHOLE, WINDOW
from simcore.games.skull_king.cards import Bidding, ZeroUses
from simcore.games.skull_king.codes import CARD_OF, ONE, TIGRESS_LOW, ZERO
from simcore.games.skull_king.kernel import prepare
from simcore.games.skull_king.rounds import deal, play_tricks, prepare_tricks
from simcore.games.skull_king.rules import MAX_HAND, Rules, deck
from simcore.games.skull_king.states import STATE
from simcore.jit import NO_OWN, jit, lowest_bit
from simcore.record import to_record, to_strategies
from simcore.rng import DEAL, SEAT, below, round_key, start
from simcore.strategies import read_seats

ROUNDS = 200_000
"""Rounds of the larger steps for each number of players and cards."""
SEED = 1
_BY_COUNT, _BY_ESTIMATE, _BY_TABLE = range(3)


@jit
def count_kinds(low: Any, high: Any, kind_of: Any, kinds: Any) -> None:
    """Count the cards of each kind in a hand."""
    kinds[:] = 0
    while low != ZERO:
        code = lowest_bit(low)
        kinds[kind_of[65 if code == TIGRESS_LOW else CARD_OF[code]]] += 1
        low &= low - ONE
    while high != ZERO:
        kinds[kind_of[CARD_OF[64 + lowest_bit(high)]]] += 1
        high &= high - ONE


@jit
def gather(
    record: Any,
    strategies: Any,
    seed: Any,
    rounds: Any,
    cards: Any,
    way: Any,
    explores: Any,
    kind_of: Any,
    chances: Any,
    bids: Any,
    policy: Any,
    squares: Any,
    products: Any,
    seen: Any,
    choose_own: Any,
) -> None:
    """Play rounds of `cards` cards; add to the normal equations, and to the counts of what bids took.

    Parameters
    ----------
    way
        How seats bid that do not explore: `count`, rounded estimate, or the `policy` by context and bin.
    explores
        Whether one seat in each round tries another bid.
    kind_of, chances
        The kind of each card number, and the chance of each kind in thousandths.
    bids
        The bids that are tried, by bin and place in the window.
    squares, products
        Sums over hands of kinds x kinds, and of kinds x tricks.
    seen
        Counts by context, bin, place in the window and offset.
    """
    states = np.zeros(1, STATE)
    silent = np.zeros((0, log_module.WIDTH), np.int32)
    kinds = np.zeros((8, KINDS), np.int64)
    places, contexts, bins = np.zeros(8, np.int64), np.zeros(8, np.int64), np.zeros(8, np.int64)
    players = record["players"]
    prepare(record, strategies, states[0])
    for i in range(rounds):
        state = states[0]
        key = round_key(seed, i, cards)
        start(state["streams"], DEAL, key, 0)
        for seat in range(players):
            start(state["streams"], SEAT + seat, key, 0)
        deal(record, state, cards)
        prepare_tricks(record, state, cards, key)
        leader = i % players
        explorer = (i // players) % players
        total = np.int64(0)
        for earlier in range(players):
            seat = (leader + earlier) % players
            low, high = state["lows"][seat], state["highs"][seat]
            count_kinds(low, high, kind_of, kinds[seat])
            estimate = np.int64(0)
            for kind in range(KINDS):
                estimate += kinds[seat, kind] * chances[kind]
            context = context_of(record, cards, earlier, total)
            bin_ = bin_of(cards, estimate)
            contexts[seat], bins[seat] = context, bin_
            if way == _BY_COUNT:
                bid = count_bid(record, state["units"][seat])
            elif way == _BY_ESTIMATE:
                bid = min((2 * estimate + 1000) // 2000, cards)
            else:
                bid = policy[context, bin_]
            if explores and seat == explorer:
                place = below(state["streams"], SEAT + seat, WINDOW)
                while bids[bin_, place] < 0:
                    place = below(state["streams"], SEAT + seat, WINDOW)
                places[seat] = place
                bid = bids[bin_, place]
            state["bids"][seat] = bid
            total += bid
        play_tricks(record, state, np.int64(0), cards, leader, np.int64(1), silent, choose_own)
        for seat in range(players):
            taken = state["tricks"][seat]
            if explores:
                if seat == explorer:
                    bid = state["bids"][seat]
                    offset = taken if bid == 0 else taken - bid + OFFSETS // 2
                    offset = min(max(offset, 0), OFFSETS - 1)
                    seen[contexts[seat], bins[seat], places[seat], offset] += 1
                continue
            for kind in range(KINDS):
                if kinds[seat, kind] != 0:
                    products[kind] += kinds[seat, kind] * taken
                    for other in range(KINDS):
                        squares[kind, other] += kinds[seat, kind] * kinds[seat, other]


def to_weights(seen: npt.NDArray[np.int64], least: int = 30) -> npt.NDArray[np.uint8]:
    """Return counts as weights that add up to WHOLE; zeros where fewer than `least` were counted."""
    sums = seen.sum(axis=-1, keepdims=True)
    exact = seen * WHOLE / np.maximum(sums, 1)
    weights = np.floor(exact).astype(np.int64)
    missing = WHOLE - weights.sum(axis=-1, keepdims=True)
    # The largest remainders are rounded up, so that every distribution is whole.
    rank = np.argsort(np.argsort(-(exact - weights), axis=-1, kind="stable"), axis=-1, kind="stable")
    weights += rank < missing
    return np.where(sums < least, 0, weights).astype(np.uint8)


def learn(name: str, players: int, cards: int, seed: int, rounds: int) -> tuple[Any, Any]:
    """Learn the chances and weights for one deck, number of players and number of cards."""
    game = load("skull-king")
    base = Rules(players=players, rounds=(cards,), zero_uses=ZeroUses.CARDS)._replace(
        **({} if name == "classic" else game.PRESETS["full"])
    )
    strategies = to_strategies("skull-king", read_seats(game, "count/contract", players))
    # The tables that are to be learned are no part of the record here.
    chances = np.zeros(KINDS, np.int64)
    bids = calibrated.tried_bids(cards)
    policy = np.zeros((CONTEXTS, BINS), np.int64)

    def play(way: int, explores: bool, bidding: Bidding, count: int, step: int) -> tuple[Any, Any, Any]:
        record = to_record("skull-king", base._replace(bidding=bidding))
        squares, products = np.zeros((KINDS, KINDS), np.int64), np.zeros(KINDS, np.int64)
        seen = np.zeros((CONTEXTS, BINS, WINDOW, OFFSETS), np.int64)
        gather(
            record, strategies, np.uint64(seed * 10 + step), np.int64(count), np.int64(cards), np.int64(way), explores,
            calibrated.KIND_OF, chances, bids, policy, squares, products, seen, NO_OWN,
        )  # fmt: skip
        return squares, products, seen

    for step, way in ((0, _BY_COUNT), (1, _BY_ESTIMATE)):
        squares, products, _ = play(way, False, Bidding.SIMULTANEOUS, rounds // 4, step)
        # A touch of ridge, for kinds that the deck does not have.
        fitted = np.linalg.solve(squares + 0.01 * np.eye(KINDS), products.astype(float))
        chances = np.clip(np.rint(1000 * fitted), 0, 1000).astype(np.int64)

    def best(weights: Any) -> Any:
        return np.array([lowest_bit(bits) for bits in calibrated.best_bids(base, cards, cards, weights)], np.int64)

    _, _, seen = play(_BY_ESTIMATE, True, Bidding.SIMULTANEOUS, rounds // 2, 2)
    policy[:] = best(to_weights(seen[0]))
    _, _, seen = play(_BY_TABLE, True, Bidding.SIMULTANEOUS, rounds, 3)
    weights = np.zeros((CONTEXTS, BINS, WINDOW, OFFSETS), np.uint8)
    weights[0] = to_weights(seen[0])
    policy[:] = best(weights[0])
    _, _, seen = play(_BY_TABLE, True, Bidding.SEQUENTIAL, rounds // 2, 4)
    for context in range(1, CONTEXTS):
        policy[context] = best(to_weights(seen[context]))
    _, _, seen = play(_BY_TABLE, True, Bidding.SEQUENTIAL, rounds, 5)
    for context in range(1, CONTEXTS):
        weights[context] = to_weights(seen[context])
    return chances, weights


def calibrate(
    seed: int = SEED, rounds: int = ROUNDS, tell: Callable[[str], None] | None = None
) -> dict[str, npt.NDArray[Any]]:
    """Learn everything and return the arrays of the file."""
    found: dict[str, npt.NDArray[Any]] = {
        "command": np.array(f"shipsim calibrate skull-king --seed {seed} --rounds {rounds}"),
        "seed": np.array(seed),
    }
    game = load("skull-king")
    for name in DECKS:
        chances = np.zeros((9, MAX_HAND + 1, KINDS), np.uint16)
        index, flat, first = [], [], 0
        size = len(deck(Rules()._replace(**({} if name == "classic" else game.PRESETS["full"]))))
        for players in range(2, 9):
            for cards in range(1, min(MAX_HAND, size // players) + 1):
                by_kind, weights = learn(name, players, cards, seed, rounds)
                chances[players, cards] = by_kind
                bins = int(np.flatnonzero(weights.any(axis=(0, 2, 3))).max(initial=0)) + 1
                flat.append(weights[:, :bins].transpose(1, 0, 2, 3))
                index.append((players, cards, first, bins))
                first += bins
            if tell is not None:
                tell(f"{name}, {players} players: done")
        found[f"{name}_chances"] = chances
        found[f"{name}_index"] = np.array(index)
        found[f"{name}_weights"] = np.concatenate(flat)
    return found
