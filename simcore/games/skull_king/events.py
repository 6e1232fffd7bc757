"""Codes of the event log of Skull King, with the numbers that follow each. Points are in halves."""

from __future__ import annotations

ROUND = 1  # round number, cards, seat that leads
CARD = 2  # seat, card dealt (2: Graybeard if players = 2)
BID = 3  # seat, bid
LOAD = 4  # seat, 0 grapeshot, 1 cannonball
TRICK = 5  # number of the trick, seat that leads
PLAY = 6  # seat, card (65 Tigress as a pirate, 74 as an escape)
WON = 7  # seat or -1, seat that leads next, points of bonus due
ALLIANCE = 8  # seat that played the Loot, seat that won
ROSIE = 9  # seat, seat chosen
DRAWN = 10  # seat, card drawn with Will's power
DISCARDED = 11  # seat, card
STAKE = 12  # seat, stake
JUANITA = 13  # seat, cards seen
HARRY = 14  # seat, final bid
SCORE = 15  # seat, final bid, tricks, points, bonus paid, total
MATCH_WON = 16  # seat, number of winners
