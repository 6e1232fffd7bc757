"""The tables of the `calibrated` bid: how they are laid out, read, and turned into best bids for some rules.

They are learned by ``calibrate.py`` for two decks, *classic* and *full*, for every number of players and of
cards dealt: a chance for each kind of card, and how often a hand of a given estimate took how many tricks
with a given bid. The bids tried lie around the estimate, and zero. Scores come in only here, so one file
serves every scoring.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from simcore.games.skull_king.cards import (
    BLACK,
    CARDS,
    ESCAPE,
    KRAKEN,
    LOOT,
    MERMAID,
    PIRATE,
    SKULL_KING,
    TIGRESS,
    WHALE,
    Scoring,
    ZeroUses,
    nearer_deck,
)

FILE = Path(__file__).with_name("calibrated.npz")
CONTEXTS, BINS = 4, 72
WINDOW = 8
"""Bids tried: seven around the estimate (0 is not among them), and zero in the last place."""
AROUND = 3
OFFSETS = 13
"""Numbers of tricks told apart: from six below the bid to six above, the ends open; 0..12 for a zero bid."""
WHOLE = 255
"""What the weights of one distribution add up to."""
KINDS = 36
"""Kinds of cards that get a chance: plain 1..14, black 1..14, escape, Loot, Kraken, Whale, Tigress, mermaid,
pirate, Skull King."""
DECKS = ("classic", "full")


def kind_of(card: int) -> int:
    """Return the kind of a card, for its chance."""
    if card < BLACK:
        return card // 3
    if card < ESCAPE:
        return 14 + card - BLACK
    firsts = (ESCAPE, LOOT, KRAKEN, WHALE, TIGRESS, MERMAID, PIRATE, SKULL_KING)
    return 27 + sum(card >= first for first in firsts)


KIND_OF = np.array([kind_of(card) for card in range(CARDS)])


def bin_width(cards: int) -> int:
    """Return the width of a bin of the estimate, in thousandths."""
    return 250 if cards <= 17 else 500


@functools.cache
def tried_bids(cards: int) -> npt.NDArray[np.int64]:
    """Return the bid for each bin and place in the window, -1 where there is none."""
    width = bin_width(cards)
    base = (2 * np.arange(BINS) * width + width + 1000) // 2000
    bids = base[:, None] + np.arange(WINDOW) - AROUND
    bids[(bids < 1) | (bids > cards)] = -1
    bids[:, WINDOW - 1] = 0
    return bids


def points(rules: Any, round_number: int, cards: int, bids: Any, tricks: Any, loads: Any) -> npt.NDArray[np.int64]:
    """Return what bids earn without bonus, in halves of points; arrays in, array out."""
    miss = np.abs(bids - tricks)
    if rules.scoring == Scoring.SKULL_KING:
        zero = 2 * rules.zero_bid_points * (cards if rules.zero_uses == ZeroUses.CARDS else round_number)
        made = np.where(bids == 0, zero, 2 * rules.points_per_trick * bids)
        missed = np.where(bids == 0, -zero, -2 * rules.penalty_per_miss * miss)
        return np.where(miss == 0, made, missed)
    grapeshot = np.where(miss == 0, 20 * cards, np.where(miss == 1, 10 * cards, 0))
    return np.where(loads != 0, np.where(miss == 0, 30 * cards, 0), grapeshot)


def loads_of(rules: Any, cards: int) -> npt.NDArray[np.int64]:
    """Return for each bin whether its estimates are near a whole number, so that the cannonball is taken."""
    near = (np.arange(BINS) % 4 == 0) | (np.arange(BINS) % 4 == 3)
    is_taken = rules.scoring == Scoring.RASCAL_CANNONBALL and bin_width(cards) == 250
    return (near & is_taken).astype(np.int64)


def expected(rules: Any, round_number: int, cards: int, weights: Any) -> npt.NDArray[np.int64]:
    """Return WHOLE times the expected points for each bin and place in the window."""
    bids = tried_bids(cards)[:, :, None]
    offsets = np.arange(OFFSETS)
    tricks = np.where(bids == 0, offsets, bids + offsets - OFFSETS // 2)
    loads = loads_of(rules, cards)[:, None, None]
    earned = points(rules, round_number, cards, bids, tricks, loads)
    sums: npt.NDArray[np.int64] = (weights.astype(np.int64) * earned).sum(axis=-1)
    return sums


def best_bids(rules: Any, round_number: int, cards: int, weights: Any) -> npt.NDArray[np.int64]:
    """Return for each bin the bids of the highest expected points, as bits.

    Where nothing was learned it is the estimate, rounded.
    """
    bids = tried_bids(cards)
    known = (weights.sum(axis=-1) > 0) & (bids >= 0)
    sums = np.where(known, expected(rules, round_number, cards, weights), np.iinfo(np.int64).min)
    is_best = known & (sums == sums.max(axis=-1, keepdims=True))
    found: npt.NDArray[np.int64] = np.where(is_best, np.int64(1) << np.maximum(bids, 0), 0).sum(axis=-1)
    base = np.minimum((2 * np.arange(BINS) * bin_width(cards) + bin_width(cards) + 1000) // 2000, cards)
    return np.where(known.any(axis=-1), found, np.int64(1) << base)


@functools.cache
def load() -> dict[str, npt.NDArray[Any]]:
    """Read the file of tables; nothing if it is still to be learned."""
    if not FILE.exists():
        return {}
    with np.load(FILE) as data:
        return {name: data[name] for name in data.files}


def learned(deck: str, players: int, cards: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the chances by kind, in thousandths, and the weights by context, bin, place and offset.

    More cards than were learned take the tables of the most cards that were.
    """
    data = load()
    index = data[f"{deck}_index"]
    sizes = index[(index[:, 0] == players) & (index[:, 1] <= cards)]
    _, size, first, bins = (int(number) for number in sizes[-1])
    weights = np.zeros((CONTEXTS, BINS, WINDOW, OFFSETS), np.uint8)
    flat = data[f"{deck}_weights"][first : first + bins]
    weights[:, :bins] = flat.transpose(1, 0, 2, 3)
    return data[f"{deck}_chances"][players, size], weights


@functools.lru_cache(maxsize=256)
def tables(rules: Any, sizes: tuple[int, ...], rounds: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the tables `calibrated_chances` and `calibrated_bids` for some rules and hand sizes."""
    chances = np.zeros((rounds, CARDS), np.int64)
    bids = np.ones((rounds, CONTEXTS, BINS), np.int64)
    deck = nearer_deck(rules)
    if not load():
        return chances, bids
    for number, cards in enumerate(sizes, 1):
        by_kind, weights = learned(deck, rules.players, cards)
        chances[number - 1] = by_kind[KIND_OF]
        for context in range(CONTEXTS):
            bids[number - 1, context] = best_bids(rules, number, cards, weights[context])
    return chances, bids
