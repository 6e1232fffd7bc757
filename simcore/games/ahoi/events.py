"""The codes of the event log of Mein Schiff Ahoi, and what their numbers mean."""

from __future__ import annotations

import numpy as np

MATCH = np.int64(1)
"""dealer"""
ROUND = np.int64(2)
"""number, dealer"""
DEALT = np.int64(3)
"""seat, up to six kinds in the order dealt (-1: none); several rows for larger hands"""
START = np.int64(4)
"""kind, 1 if it has no effect and no symbol"""
PLAYS = np.int64(5)
"""seat, kind, what it lies on (a state of the top), HOW"""
FURTHER = np.int64(6)
"""seat, kind that goes along"""
DRAWS = np.int64(7)
"""seat, kind, WHY"""
NOTHING_LEFT = np.int64(8)
"""seat, WHY: no card could be drawn"""
RESHUFFLE = np.int64(9)
"""its number in the round, cards in the new pile, seat that draws, WHY"""
COLOUR = np.int64(10)
"""seat, colour chosen"""
SWAPS = np.int64(11)
"""seat, partner"""
ROTATES = np.int64(12)
"""seat, direction"""
KEEPS_HAND = np.int64(13)
"""seat that could have swapped"""
FORGETS = np.int64(14)
"""seat, who notices (-1: nobody)"""
DUMPS = np.int64(15)
"""seat, kind"""
REVERSES = np.int64(16)
"""new direction"""
SKIPPED = np.int64(17)
"""seat that loses its turn now"""
OWES = np.int64(18)
"""seat that will lose a turn, turns owed"""
PAYS = np.int64(19)
"""seat that loses a turn it owed, turns still owed"""
STACK = np.int64(20)
"""seat it lies before, sum"""
TAKES = np.int64(21)
"""seat, cards to draw, WHY"""
CHALLENGES = np.int64(22)
"""victim, who played the card, 1 if guilty"""
LOSES_TURN = np.int64(23)
"""seat"""
AGAIN = np.int64(24)
"""seat that plays again"""
KEEPS_DRAWN = np.int64(25)
"""seat that drew a card it could play, and keeps it"""
WON = np.int64(26)
"""seat"""
STALEMATE = np.int64(27)
"""turns"""
LEFT = np.int64(28)
"""seat, up to six kinds left in the hand (-1: none); several rows for larger hands"""
POINTS = np.int64(29)
"""seat, points of the round, points of the match so far, marks so far"""
MATCH_WON = np.int64(30)
"""seat, number of winners"""

NORMALLY, DRAWN, ANSWERING, JUMPING_IN = (np.int64(how) for how in range(4))
"""HOW a card is played."""

IN_TURN, FOR_DRAW_CARD, AS_PENALTY, AT_LAST_CARD = (np.int64(why) for why in range(4))
"""WHY cards are drawn."""

REASONS = (
    "REASONS", "NORMALLY", "DRAWN", "ANSWERING", "JUMPING_IN", "IN_TURN", "FOR_DRAW_CARD", "AS_PENALTY", "AT_LAST_CARD"
)  # fmt: skip
"""Names in this module that are no events."""
