"""A strategy for Skull King: shipsim tournament skull-king examples/bots/skull_king_bots.py:careful random/random"""

from simcore.games.skull_king.view import ASK_BID, ASK_CARD, DEALT, OPTIONS, OWN_BID, QUESTION, SEAT, STATUS, TRICKS


def strength(card):
    """Rank cards: black above the suits, characters above black, escapes and beasts below all."""
    return -1 if card == 74 or 56 <= card <= 64 else card


def careful(view, options, random):
    """Bid the sure tricks; then play high while tricks are missing, and low after that."""
    if view[QUESTION] == ASK_BID:
        strong = (view[STATUS + 50 : STATUS + 56] == 1).sum() + (view[STATUS + 65 : STATUS + 74] == 1).sum()
        return min(strong, view[DEALT])
    if view[QUESTION] != ASK_CARD:
        return 0
    wants = view[OWN_BID] > view[TRICKS + view[SEAT]]
    choice = 0
    for i in range(options):
        stronger = strength(view[OPTIONS + i]) > strength(view[OPTIONS + choice])
        if stronger == wants:
            choice = i
    return choice
