"""A strategy for Mein Schiff Ahoi: shipsim tournament ahoi examples/bots/ahoi_bots.py:big_first random keeper"""

from simcore.games.ahoi.view import ASK_COLOUR, ASK_PARTNER, COLOURS, FACES, HAND, OPTIONS, OWN_SIZE, QUESTION, SIZES


def in_colour(view, colour):
    """Count the own cards of a colour."""
    return view[HAND + colour * view[FACES] : HAND + (colour + 1) * view[FACES]].sum()


def big_first(view, options, random):
    """Keep the specials, play from the colour held most, swap hands only for a smaller one."""
    best, choice = -1000, 0
    for i in range(options):
        meaning = view[OPTIONS + i]
        if view[QUESTION] == ASK_COLOUR:
            worth = in_colour(view, meaning)
        elif meaning < 0:
            worth = -100
        elif view[QUESTION] == ASK_PARTNER:
            worth = view[OWN_SIZE] - view[SIZES + meaning] - 100
        elif meaning < view[COLOURS] * view[FACES]:
            worth = in_colour(view, meaning // view[FACES])
        else:
            worth = -50
        worth = 2 * worth + (random >> i) % 2  # a coin decides between equals
        if worth > best:
            best, choice = worth, i
    return choice
