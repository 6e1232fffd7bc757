"""Everything that changes during a match, in one record; a second one serves the playouts of `rollout`."""

from __future__ import annotations

import numpy as np

from simcore.games.skull_king.rules import MAX_HAND, MAX_PLAYERS
from simcore.rng import SEAT

VIEW_SIZE = 168
MAX_DECK = 80
"""Room for 74 cards, and so much more that the words behind them lie at multiples of eight bytes."""
HANDS = MAX_PLAYERS

STATE = np.dtype(
    [
        ("streams", np.uint64, (SEAT + MAX_PLAYERS,)),
        ("deck", np.uint8, (MAX_DECK,)),  # codes of the cards in play, in ascending order of card numbers
        ("deck_low", np.uint64),
        ("deck_high", np.uint64),
        ("shuffled", np.uint8, (MAX_DECK,)),
        ("drawn", np.uint64, (MAX_DECK,)),  # places drawn for the deal
        ("lows", np.uint64, (HANDS,)),  # hands, see codes.py
        ("highs", np.uint64, (HANDS,)),
        ("units", np.int64, (HANDS,)),  # what `count` adds up over the hand dealt
        ("undealt_low", np.uint64),
        ("undealt_high", np.uint64),
        ("bids", np.int64, (MAX_PLAYERS,)),  # -1 while unknown
        ("finals", np.int64, (MAX_PLAYERS,)),  # after Harry
        ("loads", np.int64, (MAX_PLAYERS,)),  # 1 cannonball
        ("tricks", np.int64, (MAX_PLAYERS,)),
        ("bonuses", np.int64, (MAX_PLAYERS,)),  # points due for 14s and captures
        ("stakes", np.int64, (MAX_PLAYERS,)),  # in halves
        ("alliances", np.int64),
        ("looters", np.int64, (2,)),
        ("winners", np.int64, (2,)),  # whom they are allied with
        ("harry", np.int64),  # who may move its bid, or -1
        ("played_low", np.uint64),  # in the round; not noted where nobody asks
        ("played_high", np.uint64),
        ("shown_lows", np.uint64, (MAX_PLAYERS,)),  # by Juanita and Will
        ("shown_highs", np.uint64, (MAX_PLAYERS,)),
        # The strategies: numba counts references to their array wherever a record is taken from it.
        ("bid_styles", np.int64, (MAX_PLAYERS,)),
        ("play_styles", np.int64, (MAX_PLAYERS,)),
        ("samples", np.int64, (MAX_PLAYERS,)),
        ("seats", np.int64, (2 * MAX_PLAYERS,)),  # in the order of play, see rounds.first_place
        ("order", np.int64, (9,)),  # codes in the trick
        ("rest", np.int64, (9,)),  # the same without Kraken and Whale
        ("sums", np.int64, (2 * MAX_HAND + 2,)),  # points of the bids that `rollout` tries
        ("sampled_lows", np.uint64, (HANDS,)),  # hands that it deals
        ("sampled_highs", np.uint64, (HANDS,)),
        ("ghost_card", np.int64),  # place of Graybeard's top card in `shuffled`
        ("human_leader", np.int64),  # of the last trick that was not led by Graybeard
        ("illegal", np.int64),  # whether a user's strategy chose an option that does not exist
        ("asked", np.int64),  # how many users' own strategies there are
        ("askers", np.int64, (MAX_PLAYERS,)),  # their seats
        ("views", np.int64, (MAX_PLAYERS, VIEW_SIZE)),  # what they may know, see views.py
        ("points", np.int64, (MAX_PLAYERS,)),  # of the round, in halves
        ("paid", np.int64, (MAX_PLAYERS,)),  # bonus paid in the round, in halves
        ("totals", np.int64, (MAX_PLAYERS,)),
        ("half_totals", np.int64, (MAX_PLAYERS,)),
        ("exact", np.int64, (MAX_PLAYERS,)),  # exact bids of the match
        ("deficits", np.int64, (MAX_PLAYERS,)),
        ("wins", np.int64, (MAX_PLAYERS,)),  # whether the match is won
        ("sole_leader", np.int64),  # the last one, or -1
        ("leads_since", np.int64),  # round from which `sole_leader` has led alone, 0 if it does not now
        ("lead_changes", np.int64),
        ("turns", np.int64),
        ("choices", np.int64),
        ("void_tricks", np.int64),
        ("all_alliances", np.int64),
        ("captured", np.int64, (5,)),  # plain 14s, black 14s, mermaids, pirates, Skull Kings
    ]
)
