"""Codes of the event log of My Ship Sails, with the numbers that follow each."""

from __future__ import annotations

MATCH = 1  # first dealer
ROUND = 2  # round number, dealer
HAND = 3  # seat, then the ranks held (rank r at bit r) of clubs, diamonds, hearts, spades
REDEAL = 4  # number of the redeal
TARGET = 5  # seat, suit, pass number
PASS = 6  # pass number, giver, receiver, card
OVERLOOKS = 7  # seat, pass number, suit
CALLS = 8  # seat, pass number, suit
FIRST_CALL = 9  # seat
DEAD_HEAT = 10
HIGH_CARD = 11  # seat, number of players whose flush is equally high
ROUND_WON = 12  # seat, pass number, suit
STALEMATE = 13  # pass number
BONUS = 14  # seat, points, passes of its fastest round
SCORE = 15  # seat, round wins, points
MATCH_WON = 16  # seat
NO_WINNER = 17
REPEATS = 18  # pass number, number of passes after which everything repeats, for ever
