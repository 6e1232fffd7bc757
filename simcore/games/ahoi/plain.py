"""Matches of the commonest kind, with all that the common rules need in a few words.

In a *plain* match (see `cards.is_plain`) nothing is logged, nobody forgets, owes a turn, answers or jumps in, and
everybody plays by a strategy of PLAIN_STYLES or a user's own. Then a set of cards is two words (see plain_cards.py),
and the sizes of all hands are one. `kernel.play_many` plays the same matches with the same draws, more slowly, and
takes three times as long to compile; tests compare them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import log as log_module
from simcore.games.ahoi.cards import DRAW_TWO, JOKER, NUMBER, REVERSE, SKIP
from simcore.games.ahoi.choices import Joker
from simcore.games.ahoi.hands import BYTE, DEAL, FIRST, NO_SEAT, ONE, SEAT, ZERO
from simcore.games.ahoi.own import ASK_CARD, ASK_COLOUR, ASK_DRAWN, ASK_PARTNER
from simcore.games.ahoi.plain_cards import (
    LEFT,
    NONE,
    PLAIN,
    POINTS,
    RIGHT,
    add_card,
    deal,
    draw_below,
    fold_plain,
    next_seat,
    remove_card,
    size_in,
    swap_hands,
    take_card,
)
from simcore.games.ahoi.plain_own import ask, fold_view
from simcore.games.ahoi.play import draws_of
from simcore.games.ahoi.scores import add_match, add_round, is_match_over
from simcore.games.ahoi.strategies import CAREFUL, HIGHEST, HUNTER, KEEPER, RANDOM, best_value, hunted
from simcore.jit import borrowed, inlined, jit, jit_part, jit_small, nth_bit, popcount
from simcore.rng import MATCH, below, game_key, key_of_round, later, mix, plus_golden, start
from simcore.strategies import OWN

_4, _8, _15, _63, _255 = (np.uint64(n) for n in (4, 8, 15, 63, 255))
_EVERY_BYTE = np.uint64(0x0101_0101_0101_0101)
_COLOUR, _SWAP, _SWAP_NEXT = int(Joker.COLOUR), int(Joker.SWAP), int(Joker.SWAP_NEXT)
_ROTATE, _SKIP_ALL = int(Joker.ROTATE), int(Joker.SKIP_ALL)

GROUP = 16
"""Looks at the sizes of hands that are judged together."""


@jit_small
def kept(state: Any, seat: Any, legal: Any, fitting: Any) -> Any:
    """Return what `strategies.kept` does, together with the bits of all copies; `fitting` stands for all of `legal`."""
    # Four colours written out: the compiler makes vectors of a loop, and the way back from them takes longer.
    held, colours = state["held"][seat], state["colours"]
    part_0, part_1, part_2, part_3 = legal & colours[0], legal & colours[1], legal & colours[2], legal & colours[3]
    count_0 = held & BYTE if part_0 != ZERO else ZERO
    count_1 = (held >> np.uint64(8)) & BYTE if part_1 != ZERO else ZERO
    count_2 = (held >> np.uint64(16)) & BYTE if part_2 != ZERO else ZERO
    count_3 = (held >> np.uint64(24)) & BYTE if part_3 != ZERO else ZERO
    most = max(max(count_0, count_1), max(count_2, count_3))
    best = (
        (part_0 if count_0 == most else ZERO)
        | (part_1 if count_1 == most else ZERO)
        | (part_2 if count_2 == most else ZERO)
        | (part_3 if count_3 == most else ZERO)
    )
    numbers = best & state["face_masks"][NUMBER, 0]
    best = numbers if numbers != ZERO else best
    return best if best != ZERO else fitting


@jit_small
def with_copies(state: Any, kinds: Any) -> Any:
    """Return a set of kinds together with the bits of all copies."""
    colourless = kinds >> state["coloured"] << state["coloured"]
    return kinds | colourless << _4 | colourless << _8


@jit_part
def narrow(record: Any, state: Any, style: Any, seat: Any, legal: Any, fitting: Any, sizes: Any, direction: Any) -> Any:
    """Return what `strategies.narrow` does, together with the bits of all copies."""
    fewest = _255
    for other in range(np.uint64(record["players"])):
        fewest = min(fewest, size_in(sizes, np.uint64(other)) if np.uint64(other) != seat else _255)
    if style == HIGHEST or (style == CAREFUL and fewest <= 3):
        best, _ = best_value(record, legal, ZERO)
        return with_copies(state, best)
    if style == HUNTER and size_in(sizes, next_seat(state, seat, NONE, direction)) <= 2:
        best, _ = hunted(record, state, True, legal, ZERO)
        if best != ZERO:
            return with_copies(state, best)
    return kept(state, seat, legal, fitting)


@jit_small
def choose_colour(
    record: Any, state: Any, seat: Any, sizes: Any, direction: Any, turns: Any, lying: Any, choose_own: Any
) -> Any:
    """Return the colour that a seat chooses."""
    streams, own, colours = state["streams"], np.uint64(SEAT) + seat, np.uint64(record["colours"])
    if state["styles"][seat] == RANDOM:
        return draw_below(streams, own, colours)
    every = (ONE << colours) - ONE
    if state["styles"][seat] == OWN:
        return ask(record, state, seat, ASK_COLOUR, every, ZERO, sizes, direction, turns, lying, choose_own)
    held = state["held"][seat]
    most, best = ZERO, ZERO
    for colour in range(4):
        most = max(most, (held >> np.uint64(8 * colour)) & BYTE)
    for colour in range(4):
        best |= np.uint64((held >> np.uint64(8 * colour)) & BYTE == most) << np.uint64(colour)
    best &= every
    return np.uint64(nth_bit(best, draw_below(streams, own, np.uint64(popcount(best)))))


@jit_part
def choose_partner(
    record: Any, state: Any, seat: Any, may_decline: Any,
    sizes: Any, direction: Any, turns: Any, lying: Any, choose_own: Any,
) -> Any:  # fmt: skip
    """Return the seat with which a seat swaps hands, or the seat itself if it declines."""
    streams, own, players = state["streams"], np.uint64(SEAT) + seat, np.uint64(record["players"])
    if state["styles"][seat] == OWN:
        others, declines = ((ONE << players) - ONE) ^ (ONE << seat), np.uint64(may_decline)
        other = ask(record, state, seat, ASK_PARTNER, others, declines, sizes, direction, turns, lying, choose_own)
        return seat if other == NONE else other
    if state["styles"][seat] == RANDOM:
        if may_decline:
            counter = plus_golden(streams[own])
            streams[own] = counter
            if mix(counter) >> _63 != ZERO:
                return seat
        drawn = draw_below(streams, own, players - ONE)
        return drawn + np.uint64(drawn >= seat)
    fewest, ties = _255, ZERO
    for n in range(players):
        other = np.uint64(n)
        size = size_in(sizes, other)
        if other != seat:
            ties = ONE if size < fewest else ties + np.uint64(size == fewest)
            fewest = min(fewest, size)
    if may_decline and fewest >= size_in(sizes, seat):
        return seat
    chosen, partner = draw_below(streams, own, ties), ZERO
    while True:
        if partner != seat and size_in(sizes, partner) == fewest:
            if chosen == ZERO:
                return partner
            chosen -= ONE
        partner += ONE


@jit_part
def settle_joker(
    record: Any, state: Any, seat: Any, direction: Any, sizes: Any, turns: Any, lying: Any, choose_own: Any
) -> Any:
    """Let a Joker do to the hands what it does. Returns the new sizes."""
    meaning = record["joker"]
    if meaning == _COLOUR or meaning == _SKIP_ALL:
        return sizes
    others, first = ONE, seat
    if meaning == _ROTATE:
        others, direction = np.uint64(record["players"] - 1), direction ^ RIGHT
    # Each exchange puts one hand where it belongs and carries the first one on.
    for _ in range(others):
        other = next_seat(state, first, NONE, direction)
        if meaning != _ROTATE and meaning != _SWAP_NEXT:
            may_decline = meaning == _SWAP
            other = choose_partner(record, state, seat, may_decline, sizes, direction, turns, lying, choose_own)
            if other == seat:
                return sizes
        sizes = swap_hands(state, first, other, sizes)
        first = other
    state["swaps"] += 1
    state["swapper"] = seat
    return sizes


@jit_small
def play_drawn(
    record: Any, state: Any, seat: Any, fits: Any, kind: Any,
    sizes: Any, direction: Any, turns: Any, lying: Any, choose_own: Any,
) -> Any:  # fmt: skip
    """Return 1 if a seat plays the card it drew, else 0; `fits` is 1 if it may, else 0."""
    if state["styles"][seat] != RANDOM:
        if state["styles"][seat] == OWN and fits != ZERO:
            sizes += ONE << (_8 * seat)
            drawn = ONE << kind
            kind = ask(record, state, seat, ASK_DRAWN, drawn, ONE, sizes, direction, turns, lying, choose_own)
            return np.uint64(kind != NONE)
        return fits
    own = np.uint64(SEAT) + seat
    counter = state["streams"][own]
    state["streams"][own] = later(counter, fits)
    # A shift, since a comparison would become a jump on the coin also where none is tossed.
    return fits >> (mix(plus_golden(counter)) >> _63)


@jit_part
def play_turns(record: Any, state: Any, looked: Any, first: Any, lying: Any, choose_own: Any) -> Any:
    """Play a round from its first turn on. Returns the winner, or NO_SEAT after a stalemate, and the sizes of hands."""
    players, max_turns = np.uint64(record["players"]), record["max_turns"]
    coloured, faces = state["coloured"], state["face_masks"]
    turning, skipping = faces[REVERSE, 0], faces[SKIP, 0]
    simple = faces[NUMBER, 0] | turning | skipping
    reverses, skips = np.int64(0), np.int64(0)
    sizes = (_EVERY_BYTE >> (_8 * (np.uint64(8) - players))) * np.uint64(record["hand_size"])
    seat, direction = first, LEFT
    fitting = state["matching"][lying]
    winner = np.int64(NO_SEAT)
    turns, choices = np.int64(0), np.int64(0)
    while True:
        looked[np.uint64(turns)] = sizes
        turns += 1
        own = state["once"][seat]
        legal = own & fitting
        if legal != ZERO:
            choices += np.int64(legal & (legal - ONE) != ZERO)
            style, mask = state["styles"][seat], fitting
            if style == OWN:
                place = ask(record, state, seat, ASK_CARD, legal, ZERO, sizes, direction, turns, lying, choose_own)
            else:
                if style == KEEPER:
                    mask = kept(state, seat, legal, fitting)
                elif style != RANDOM:
                    mask = narrow(record, state, style, seat, legal, fitting, sizes, direction)
                candidates, copies = own & mask, state["twice"][seat] & mask
                first_copies = np.uint64(popcount(candidates))
                n = draw_below(state["streams"], np.uint64(SEAT) + seat, first_copies + np.uint64(popcount(copies)))
                is_first = n < first_copies
                plane = candidates if is_first else copies
                place = np.uint64(nth_bit(plane, n if is_first else n - first_copies))
            kind = remove_card(state, seat, place)
            sizes -= ONE << (_8 * seat)
        else:
            kind = take_card(record, state, lying)
            fits = (fitting >> kind) & ONE if kind != NONE else ZERO
            choices += np.int64(fits)
            plays = play_drawn(record, state, seat, fits, kind, sizes, direction, turns, lying, choose_own)
            if plays == ZERO:
                if kind != NONE:
                    add_card(state, seat, kind)
                    sizes += ONE << (_8 * seat)
                seat = next_seat(state, seat, NONE, direction)
                if turns >= max_turns:
                    break
                continue
        lying = kind
        fitting = state["matching"][kind]
        is_last = size_in(sizes, seat) == ZERO
        if (simple >> kind) & ONE != ZERO:
            reverse = (turning >> kind) & ONE
            reverses += np.int64(reverse)
            skips += np.int64((skipping >> kind) & ONE)
            if is_last:
                winner = np.int64(seat)
                break
            if turns >= max_turns:
                break
            seat = next_seat(state, seat, kind, direction)
            direction ^= reverse * RIGHT
            continue
        face = np.uint64(record["face"][kind])
        state["played"][face] += 1
        if is_last:
            winner = np.int64(seat)
            break
        if kind >= coloured:
            state["chosen"] = -1
            if face == JOKER:
                sizes = settle_joker(record, state, seat, direction, sizes, turns, lying, choose_own)
            colour = choose_colour(record, state, seat, sizes, direction, turns, lying, choose_own)
            state["chosen"] = colour
            fitting = state["in_force"][colour]
        if turns >= max_turns:
            break
        if face == JOKER and record["joker"] == _SKIP_ALL:
            continue
        seat = next_seat(state, seat, NONE, direction)
        number = draws_of(face)
        if number > 0:
            for _ in range(number):
                kind = take_card(record, state, lying)
                if kind == NONE:
                    break
                add_card(state, seat, kind)
                sizes += ONE << (_8 * seat)
            if face == DRAW_TWO or record["draw_colour_loses_turn"] != 0:
                seat = next_seat(state, seat, NONE, direction)
    state["played"][REVERSE] = reverses
    state["played"][SKIP] = skips
    state["turns"] = turns
    state["choice_turns"] = choices
    looked[np.uint64(turns)] = sizes
    return winner, sizes


@jit_small
def fewest_of_four(sizes: Any, first: Any) -> Any:
    """Return the fewest and the second fewest cards of four seats, each with the seat in the lowest four bits."""
    fewest, second = _255 << _4, _255 << _4
    for n in range(4):
        seat = first + np.uint64(n)
        own = size_in(sizes, seat) << _4 | seat
        second = min(second, max(fewest, own))
        fewest = min(fewest, own)
    return fewest, second


@jit_part
def count_lead_changes(looked: Any, leads: Any, looks: Any, players: Any) -> Any:
    """Return how often the seat that alone has the fewest cards has changed."""
    absent = ~ZERO << (_8 * np.uint64(players)) if players < 8 else ZERO
    # Many looks at once, since processors can compare many sizes at once; in whole groups, so that none is left over.
    for look in range((looks + GROUP - 1) & -GROUP):
        sizes = looked[np.uint64(look)] | absent
        fewest, second = fewest_of_four(sizes, ZERO)
        if players > 4:
            other, other_second = fewest_of_four(sizes, _4)
            second = min(max(fewest, other), min(second, other_second))
            fewest = min(fewest, other)
        leads[np.uint64(look)] = ZERO if (fewest ^ second) >> _4 == ZERO else (fewest & _15) + ONE
    changes, leader = np.int64(0), ZERO
    for look in range(looks):
        lead = leads[np.uint64(look)]
        lead = lead if lead != ZERO else leader
        changes += np.int64(lead != leader)
        leader = lead
    # The first leader is no change.
    return changes - np.int64(leader != ZERO)


@jit_part
def has_held_most(looked: Any, looks: Any, seat: Any) -> Any:
    """Whether a seat alone had the most cards at any look."""
    found = ZERO
    for look in range(looks):
        sizes = looked[np.uint64(look)]
        own, as_many = size_in(sizes, seat), ZERO
        for other in range(8):
            as_many += np.uint64(size_in(sizes, np.uint64(other)) >= own)
        found |= np.uint64(as_many == ONE)
    return found != ZERO


@inlined
def play_round(
    record: Any, state: Any, looked: Any, leads: Any, key: Any, dealer: Any, tally: Any, counts: Any, choose_own: Any
) -> Any:
    """Play and add up a round. Returns the winner, or NO_SEAT after a stalemate."""
    players = record["players"]
    state["key"] = key
    for seat in range(players):
        start(state["streams"], SEAT + seat, key, FIRST)
    state["drawn"] = 0
    state["reshuffles"] = 0
    state["played"][:] = 0
    state["swaps"] = 0
    state["swapper"] = NO_SEAT
    lying = deal(record, state, key)
    first = next_seat(state, np.uint64(dealer), NONE, LEFT)
    winner, sizes = play_turns(record, state, looked, first, lying, choose_own)
    looks = state["turns"] + 1
    state["lead_changes"] = count_lead_changes(looked, leads, looks, players)
    state["held_most"] = 0
    if winner != NO_SEAT and has_held_most(looked, looks, np.uint64(winner)):
        state["held_most"] = 1 << winner
    for seat in range(players):
        state["hand_points"][seat] = state["held"][seat] >> POINTS
        state["cards_left"][seat] = size_in(sizes, np.uint64(seat))
    add_round(record, state, winner, dealer, tally, counts)
    return winner


@inlined
def play_match(
    record: Any, state: Any, looked: Any, leads: Any, seed: Any, game: Any, tally: Any, counts: Any, choose_own: Any
) -> None:
    """Play and add up one match."""
    of_game = game_key(seed, game)
    start(state["streams"], DEAL, key_of_round(of_game, MATCH), FIRST)
    dealer = below(state["streams"], DEAL, record["players"])
    state["points"][:] = 0
    state["marks"][:] = 0
    rounds, first_winner = np.int64(0), np.int64(NO_SEAT)
    while True:
        rounds += 1
        key = key_of_round(of_game, rounds)
        winner = play_round(record, state, looked, leads, key, dealer, tally, counts, choose_own)
        if rounds == 1:
            first_winner = winner
        dealer = np.int64(next_seat(state, np.uint64(dealer), NONE, LEFT))
        if is_match_over(record, state, rounds):
            break
    add_match(record, state, rounds, first_winner, tally, counts)


@jit
def play_plain(
    record: Any,
    strategies: Any,
    seed: Any,
    first: Any,
    matches: Any,
    block: Any,
    tally: Any,
    counts: Any,
    log: Any,
    stop: Any,
    choose_own: Any,
) -> Any:
    """Play matches and add them up; parameters and results are those of `kernel.play_many`."""
    scratch = np.zeros(1, PLAIN)
    looked = np.empty(record["max_turns"] + 1 + GROUP, np.uint64)
    leads = np.empty(record["max_turns"] + 1 + GROUP, np.uint64)
    fold_plain(record, strategies, scratch[0])
    fold_view(record, scratch[0])
    for n in range(matches):
        if stop[0] != 0:
            return log_module.DONE, n
        game = first + n
        entry = tally[game // block - first // block]
        play_match(record, scratch[0], borrowed(looked), borrowed(leads), seed, game, entry, counts, choose_own)
        if scratch[0]["is_illegal"] != 0:
            return log_module.ILLEGAL_CHOICE, n
    return log_module.DONE, matches
