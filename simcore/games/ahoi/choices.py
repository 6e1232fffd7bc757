"""The choices among the rules of Mein Schiff Ahoi, by name."""

from __future__ import annotations

from enum import IntEnum


class Matching(IntEnum):
    NEVER = 0
    SAME_COLOUR = 1
    ANY_COLOUR = 2


class Stacking(IntEnum):
    NONE = 0
    SAME = 1
    ANY = 2


class PlayDrawn(IntEnum):
    MAY = 0
    MUST = 1
    NO = 2


class SkipFollows(IntEnum):
    PLAY_DIRECTION = 0
    CLOCKWISE = 1


class TwoPlayerReverse(IntEnum):
    NOTHING = 0
    SKIP = 1


class StartCard(IntEnum):
    NUMBER_ONLY = 0
    IGNORE = 1
    APPLY = 2


class Joker(IntEnum):
    COLOUR = 0
    SWAP = 1
    SWAP_MUST = 2
    SWAP_NEXT = 3
    ROTATE = 4
    DUMP_COLOUR = 5
    SKIP_ALL = 6
    NONE = 7


class JumpIn(IntEnum):
    OFF = 0
    IDENTICAL = 1
    IDENTICAL_NUMBER = 2


class Scoring(IntEnum):
    HAND_POINTS = 0
    WINNER_COLLECTS = 1


UNTIL_PLAYABLE = 0
"""The value of `draw_count` that means: until a drawn card can be played."""
