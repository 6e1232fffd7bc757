"""Where a user's own strategy for Skull King finds what its seat may know: places in `view`.

A card is a number: 0 to 41 are 3 * (n - 1) + suit (green, yellow, purple), 42 to 55 black, 56 to 60 escapes, 61 and 62
Loot, 63 Kraken, 64 White Whale, 65 the Tigress, 66 and 67 mermaids, 68 to 72 pirates, 73 the Skull King. Among options
and cards on the table 65 is the Tigress as a pirate, 74 as an escape. What is not known or not there is -1.
"""

QUESTION = 0
"""What is to be decided: one of the ASK_ numbers."""
PLAYERS = 1
"""Players."""
SEAT = 2
"""Own seat, from 0."""
ROUND = 3
"""Number of the round, from 1."""
DEALT = 4
"""Cards dealt to each player in this round."""
HELD = 5
"""Cards in the own hand."""
LEADER = 6
"""Seat that leads the trick."""
ON_TABLE = 7
"""Cards on the table."""
SUIT = 8
"""Suit to follow, 0 to 3 (3 is black); -1 still open; -2 none."""
WINNING = 9
"""Seat that is winning the trick."""
ROUNDS = 10
"""Rounds of the match."""
OWN_BID = 11
"""Own announced bid."""
BIDS = 12
"""BIDS + s: bid of seat s; bidding in turn shows earlier ones, and all are known once cards are played."""
TRICKS = 20
"""TRICKS + s: tricks that seat s has taken in this round."""
TOTALS = 28
"""TOTALS + s: points of seat s before this round, in halves."""
TABLE = 36
"""TABLE + i: card i on the table, in the order of play."""
STATUS = 48
"""STATUS + c: where card c is: 0 unseen, 1 in the own hand, 2 played in this round, 3 shown or discarded."""
OPTIONS = 122
"""OPTIONS + i: to ASK_CARD, the card that option i plays; every legal one, the Tigress twice."""

ASK_BID = 0
"""A bid: option b bids b tricks."""
ASK_LOAD = 1
"""A load: option 0 is grapeshot, 1 cannonball."""
ASK_CARD = 2
"""A card to play."""
