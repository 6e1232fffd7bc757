"""The codes of the event log of Mein Schiff Ahoi, and what their numbers mean."""

from __future__ import annotations

import numpy as np

MATCH = 1
"""dealer"""
ROUND = 2
"""number, dealer"""
DEALT = 3
"""seat, up to six kinds in the order dealt (-1: none); several rows for larger hands"""
START = 4
"""kind, 1 if it has no effect and no symbol"""
PLAYS = 5
"""seat, kind, what it lies on (a state of the top), HOW"""
FURTHER = 6
"""seat, kind that goes along"""
DRAWS = 7
"""seat, kind, WHY"""
NOTHING_LEFT = 8
"""seat, WHY: no card could be drawn"""
RESHUFFLE = 9
"""its number in the round, cards in the new pile, seat that draws, WHY"""
COLOUR = 10
"""seat, colour chosen"""
SWAPS = 11
"""seat, partner"""
ROTATES = 12
"""seat, direction"""
KEEPS_HAND = 13
"""seat that could have swapped"""
FORGETS = 14
"""seat, who notices (-1: nobody)"""
DUMPS = 15
"""seat, kind"""
REVERSES = 16
"""new direction"""
SKIPPED = 17
"""seat that loses its turn now"""
OWES = 18
"""seat that will lose a turn, turns owed"""
PAYS = 19
"""seat that loses a turn it owed, turns still owed"""
STACK = 20
"""seat it lies before, sum"""
TAKES = 21
"""seat, cards to draw, WHY"""
CHALLENGES = 22
"""victim, who played the card, 1 if guilty"""
LOSES_TURN = 23
"""seat"""
AGAIN = 24
"""seat that plays again"""
KEEPS_DRAWN = 25
"""seat that drew a card it could play, and keeps it"""
WON = 26
"""seat"""
STALEMATE = 27
"""turns"""
LEFT = 28
"""seat, up to six kinds left in the hand (-1: none); several rows for larger hands"""
POINTS = 29
"""seat, points of the round, points of the match so far, marks so far"""
MATCH_WON = 30
"""seat, number of winners"""

NORMALLY, DRAWN, ANSWERING, JUMPING_IN = (np.int64(how) for how in range(4))
"""HOW a card is played."""

IN_TURN, FOR_DRAW_CARD, AS_PENALTY, AT_LAST_CARD = (np.int64(why) for why in range(4))
"""WHY cards are drawn."""
