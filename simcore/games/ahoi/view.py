"""Where a user's own strategy for Mein Schiff Ahoi finds what its seat may know: places in `view`.

A kind of card is a number: colour * FACES + face, a colour having its numbers in ascending order, then Reverse, Skip
and Draw 2. After all colours come Draw 2 + colour, Draw 4 + colour, Colour choice and Joker.
"""

QUESTION = 0
"""What is to be decided: one of the ASK_ numbers."""
SEAT = 1
"""Own seat, from 0."""
PLAYERS = 2
"""Players."""
DIRECTION = 3
"""Direction of play, 1 or -1."""
TOP = 4
"""Kind on top of the pile."""
COLOUR = 5
"""Colour in force, -1 if none is."""
SUM = 6
"""Cards that the stack of draw cards has come to."""
PILE = 7
"""Cards in the draw pile."""
COLOURS = 8
"""Colours of the deck."""
FACES = 9
"""Kinds in a colour."""
LOWEST_NUMBER = 10
"""Number on a colour's first kind."""
TURNS = 11
"""Turns of this round so far."""
OWN_SIZE = 12
"""Cards in the own hand."""
NEXT_SEAT = 13
"""Seat whose turn is next."""
SIZES = 16
"""SIZES + s: cards in the hand of seat s."""
OPTIONS = 32
"""OPTIONS + i: what option i means: a kind, a colour or a seat; -1, always the last: draw, keep, or do not."""
HAND = 160
"""HAND + k: cards of kind k in the own hand."""

ASK_CARD = 0
"""A kind to play; -1 draws."""
ASK_DRAWN = 1
"""A kind just drawn to play; -1 keeps."""
ASK_COLOUR = 2
"""A colour."""
ASK_PARTNER = 3
"""A seat to swap hands with; -1 swaps with nobody."""
ASK_JUMP = 4
"""A kind to jump in with; -1 does not."""
