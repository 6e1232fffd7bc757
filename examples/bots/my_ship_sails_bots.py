"""A strategy for My Ship Sails: shipsim tournament my-ship-sails examples/bots/my_ship_sails_bots.py:collect random"""

from simcore.games.my_ship_sails.view import CARDS, HELD


def collect(view, options, random):
    """Pass a card of the suit held least."""
    cards = view[CARDS : CARDS + view[HELD]] // 13
    fewest, choice = 100, 0
    for i in range(options):
        held = (cards == cards[i]).sum()
        if held < fewest:
            fewest, choice = held, i
    return choice
