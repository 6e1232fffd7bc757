"""Where a user's own strategy for My Ship Sails finds what its seat may know: places in `view`.

A card is a number: 13 * suit + rank (clubs, diamonds, hearts, spades; a two is rank 0, an ace 12). An option is the
place of a card in the own hand, from 0. When several cards are passed, it is asked for one after the other.
"""

PASS = 0
"""Number of the pass, from 1."""
PLAYERS = 1
"""Players."""
HAND_SIZE = 2
"""Cards of a whole hand."""
PASS_COUNT = 3
"""Cards passed at a time."""
LEFT = 4
"""Cards still to be chosen at this pass, this one included."""
DIRECTION = 5
"""Direction of passing: 1 to the left, -1 to the right."""
HELD = 6
"""Cards in hand now, of which one is chosen."""
SEAT = 7
"""Own seat, from 0."""
CARDS = 8
"""CARDS + i: card i of the own hand, in ascending order."""
ARRIVALS = 24
"""ARRIVALS + i: pass at which card i arrived, 0 if it was dealt."""
