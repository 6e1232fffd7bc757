"""Matches of the commonest kind, with all that the common rules need in a few words.

In a *plain* match (see `cards.is_plain`) nothing is logged, nobody forgets, owes a turn, answers or jumps in, and
everybody plays by a strategy of PLAIN_STYLES. Then a set of cards is two words, and the sizes of all hands are one.
`kernel.play_many` plays the same matches with the same draws, more slowly; a test compares them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simcore import log as log_module
from simcore.games.ahoi.cards import (
    COLOUR_STATE,
    DRAW_TWO,
    JOKER,
    NUMBER,
    PLAIN_CARDS,
    PLAIN_COLOURS,
    PLAIN_PLAYERS,
    REVERSE,
    SKIP,
)
from simcore.games.ahoi.choices import Joker, TwoPlayerReverse
from simcore.games.ahoi.hands import BYTE, DEAL, FIRST, NO_SEAT, ONE, SEAT, ZERO
from simcore.games.ahoi.play import draws_of
from simcore.games.ahoi.scores import add_match, add_round, is_match_over
from simcore.games.ahoi.strategies import RANDOM
from simcore.jit import borrowed, inlined, jit, jit_part, jit_small, nth_bit, popcount
from simcore.rng import MATCH, below, game_key, key_of_round, later, mix, plus_golden, scaled, start

POINTS = np.uint64(32)
"""From which bit on `held` has the points of the cards; below are the numbers of cards of each colour, in bytes."""

_1, _2, _3, _4, _7, _8, _63, _126, _255 = (np.uint64(n) for n in (1, 2, 3, 4, 7, 8, 63, 126, 255))
LEFT, RIGHT = ZERO, np.uint64(64 * PLAIN_PLAYERS)
"""Directions of play, as places in the table of the seats that follow."""
NONE = np.uint64(63)
"""Stands for no kind, and for no winner."""
_EVERY_BYTE = np.uint64(0x0101_0101_0101_0101)
_SKIP_ALL, _SWAP, _SWAP_NEXT, _ROTATE, _COLOUR = (
    int(Joker.SKIP_ALL),
    int(Joker.SWAP),
    int(Joker.SWAP_NEXT),
    int(Joker.ROTATE),
    int(Joker.COLOUR),
)
_REVERSE_SKIPS = int(TwoPlayerReverse.SKIP)

PLAIN = np.dtype(
    [
        ("streams", np.uint64, (SEAT + PLAIN_PLAYERS,)),
        ("once", np.uint64, (PLAIN_PLAYERS,)),
        ("twice", np.uint64, (PLAIN_PLAYERS,)),
        ("held", np.uint64, (PLAIN_PLAYERS,)),
        ("pile_size", np.uint64),
        ("next_place", np.uint64),
        ("next_kind", np.uint64),
        ("pile", np.uint8, (PLAIN_CARDS,)),
        ("deck", np.uint8, (PLAIN_CARDS,)),
        ("places", np.uint64, (PLAIN_PLAYERS * 15,)),
        ("drawn", np.int64),
        ("key", np.uint64),
        ("styles", np.int64, (PLAIN_PLAYERS,)),
        ("matching", np.uint64, (64,)),
        ("in_force", np.uint64, (PLAIN_COLOURS,)),
        ("units", np.uint64, (64,)),
        ("colours", np.uint64, (PLAIN_COLOURS,)),
        ("numbers", np.uint64),
        ("simple", np.uint64),
        ("reverses", np.uint64),
        ("skips", np.uint64),
        ("following", np.uint8, (2 * 64 * PLAIN_PLAYERS,)),  # see `next_seat`
        ("coloured", np.uint64),
        ("further", np.uint64),
        ("turns", np.int64),
        ("choice_turns", np.int64),
        ("reshuffles", np.int64),
        ("played", np.int64, (8,)),
        ("penalties", np.int64),
        ("swaps", np.int64),
        ("swapper", np.int64),
        ("lead_changes", np.int64),
        ("held_most", np.int64),
        ("hand_points", np.int64, (PLAIN_PLAYERS,)),
        ("cards_left", np.int64, (PLAIN_PLAYERS,)),
        ("ranks", np.int64, (PLAIN_PLAYERS,)),
        ("points", np.int64, (PLAIN_PLAYERS,)),
        ("marks", np.int64, (PLAIN_PLAYERS,)),
    ]
)


@jit_small
def next_seat(state: Any, seat: Any, kind: Any, direction: Any) -> Any:
    """Return the seat after one that plays a kind (NONE: that plays nothing); `direction` is LEFT or RIGHT.

    From a table, since whose turn is next is what all else waits for.
    """
    return np.uint64(state["following"][direction + kind * _8 + seat])


@jit_part
def fold_following(record: Any, state: Any) -> None:
    """Make the table of the seats that follow."""
    players, faces = record["players"], record["face"]
    for kind in range(64):
        face = faces[kind] if kind < record["kinds"] else np.int64(NUMBER)
        turns = face == REVERSE
        skips = face == SKIP or (turns and players == 2 and record["two_player_reverse"] == _REVERSE_SKIPS)
        for seat in range(players):
            step = players - 1 if turns else np.int64(1)
            place = kind * PLAIN_PLAYERS + seat
            state["following"][place] = (seat + step * (1 + skips)) % players
            state["following"][np.int64(RIGHT) + place] = (seat + (players - step) * (1 + skips)) % players


@jit_part
def fold_plain(record: Any, strategies: Any, state: Any) -> None:
    """Copy what the rules say into the state, as words."""
    kinds, faces = record["kinds"], record["face"]
    state["coloured"] = kinds - 4
    state["further"] = ~((ONE << np.uint64(kinds)) - ONE)
    for kind in range(kinds):
        bit, face = ONE << np.uint64(kind), faces[kind]
        state["matching"][kind] = np.uint64(record["matching"][kind, 0]) | state["further"]
        colour = record["colour"][kind]
        state["units"][kind] = np.uint64(record["value"][kind]) << POINTS
        if colour >= 0:
            state["units"][kind] |= ONE << np.uint64(8 * colour)
        if face == NUMBER:
            state["numbers"] |= bit
        if face == REVERSE:
            state["reverses"] |= bit
        if face == SKIP:
            state["skips"] |= bit
        if face in (NUMBER, REVERSE, SKIP):
            state["simple"] |= bit
    fold_following(record, state)
    for colour in range(record["colours"]):
        state["colours"][colour] = np.uint64(record["colour_masks"][colour, 0])
        state["in_force"][colour] = np.uint64(record["matching"][COLOUR_STATE + colour, 0]) | state["further"]
    for i in range(record["deck_size"]):
        state["deck"][i] = record["deck"][i]
    for seat in range(record["players"]):
        state["styles"][seat] = strategies[seat]["style"]


@jit_small
def further_copies(state: Any, twice: Any, kind: Any) -> Any:
    """Return the bit of the next copy beyond the second."""
    third = ONE << (kind + _4)
    return third | (twice & third) << _4


@jit_small
def add_card(state: Any, seat: Any, kind: Any) -> None:
    """Put a card into a hand."""
    bit, once, twice = ONE << kind, state["once"][seat], state["twice"][seat]
    if twice & bit != ZERO:
        twice |= further_copies(state, twice, kind)
    state["twice"][seat] = twice | (once & bit)
    state["once"][seat] = once | bit
    state["held"][seat] += state["units"][kind]


@jit_small
def several(n: Any) -> Any:
    """Return 1 if a number up to 128 is more than 1, else 0; as a sum, since a comparison may become a jump."""
    return (n + _126) >> _7


@jit_small
def below_n(streams: Any, purpose: Any, n: Any) -> Any:
    """Return what `rng.below` returns."""
    counter = streams[purpose]
    streams[purpose] = later(counter, several(n))
    return scaled(mix(plus_golden(counter)), n)


@jit_small
def look_ahead(state: Any) -> None:
    """Draw which card of the pile is taken next, before anybody needs it."""
    place = below_n(state["streams"], np.uint64(DEAL), state["pile_size"])
    state["next_place"] = place
    state["next_kind"] = state["pile"][place]


@jit_part
def reshuffle(record: Any, state: Any, lying: Any) -> None:
    """Make a new pile of all discards but the top card, if the rules allow it."""
    if record["reshuffle"] == 0:
        return
    size = 0
    for kind in range(record["kinds"]):
        bit = ONE << np.uint64(kind)
        bits = bit if np.uint64(kind) < state["coloured"] else bit | bit << _4 | bit << _8
        left = record["copies"][kind] - (np.uint64(kind) == lying)
        for seat in range(record["players"]):
            left -= popcount(state["once"][seat] & bit) + popcount(state["twice"][seat] & bits)
        for _ in range(left):
            state["pile"][size] = kind
            size += 1
    if size > 0:
        state["pile_size"] = size
        state["reshuffles"] += 1
        start(state["streams"], DEAL, state["key"], state["reshuffles"])
        look_ahead(state)


@jit_small
def take_card(record: Any, state: Any, lying: Any) -> Any:
    """Take a card from the pile. Returns its kind, or NONE if there is none."""
    if state["pile_size"] == ZERO:
        reshuffle(record, state, lying)
        if state["pile_size"] == ZERO:
            return NONE
    kind = state["next_kind"]
    size = state["pile_size"] - ONE
    state["pile"][state["next_place"]] = state["pile"][size]
    state["pile_size"] = size
    look_ahead(state)
    state["drawn"] += 1
    return kind


@inlined
def deal(record: Any, state: Any, key: Any) -> Any:
    """Deal, and return the kind of the start card."""
    streams, pile, deck = state["streams"], state["pile"], state["deck"]
    start(streams, DEAL, key, FIRST)
    size = np.uint64(record["deck_size"])
    for i in range(record["deck_size"]):
        pile[i] = deck[i]
    counter, places, card = streams[DEAL], state["places"], ZERO
    # All draws first, since they wait for nothing.
    for i in range(record["players"] * record["hand_size"]):
        n = np.uint64(i)
        places[n] = scaled(mix(later(counter, n + ONE)), size - n)
    for seat in range(record["players"]):
        once, twice, held = ZERO, ZERO, ZERO
        for _ in range(record["hand_size"]):
            place = places[card]
            card += ONE
            size -= ONE
            kind = np.uint64(pile[place])
            pile[place] = pile[size]
            bit = ONE << kind
            if twice & bit != ZERO:
                twice |= further_copies(state, twice, kind)
            twice |= once & bit
            once |= bit
            held += state["units"][kind]
        state["once"][seat], state["twice"][seat], state["held"][seat] = once, twice, held
    counter, numbers = later(counter, card), state["numbers"]
    while True:
        place = scaled(mix(plus_golden(counter)), size)
        counter = later(counter, several(size))
        kind = np.uint64(pile[place])
        if (numbers >> kind) & ONE != ZERO:
            break
    size -= ONE
    pile[place] = pile[size]
    streams[DEAL] = counter
    state["pile_size"] = size
    look_ahead(state)
    return kind


@jit_small
def kept(state: Any, legal: Any, held: Any, fitting: Any) -> Any:
    """Return the kinds among which a keeper chooses."""
    colours = state["colours"]
    part_0, part_1, part_2, part_3 = (
        legal & colours[0],
        legal & colours[1],
        legal & colours[2],
        legal & colours[3],
    )
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
    numbers = best & state["numbers"]
    best = numbers if numbers != ZERO else best
    return best if best != ZERO else fitting


@jit_part
def swap_hands(state: Any, a: Any, b: Any, sizes: Any) -> Any:
    """Exchange two hands. Returns the new sizes."""
    for hands in (state["once"], state["twice"], state["held"]):
        hands[a], hands[b] = hands[b], hands[a]
    shift_a, shift_b = _8 * np.uint64(a), _8 * np.uint64(b)
    changed = ((sizes >> shift_a) ^ (sizes >> shift_b)) & BYTE
    return sizes ^ (changed << shift_a | changed << shift_b)


@jit_part
def swap(record: Any, state: Any, seat: Any, sizes: Any, may_decline: Any) -> Any:
    """Let a seat swap hands with a partner of its choice. Returns the new sizes."""
    streams, players = state["streams"], np.uint64(record["players"])
    partner = ZERO
    if state["styles"][seat] == RANDOM:
        if may_decline:
            counter = plus_golden(streams[SEAT + seat])
            streams[SEAT + seat] = counter
            if mix(counter) >> _63 != ZERO:
                return sizes
        partner = below_n(streams, SEAT + seat, players - ONE)
        partner += np.uint64(partner >= seat)
    else:
        fewest, ties = _255, ZERO
        for other in range(players):
            size = (sizes >> (_8 * np.uint64(other))) & BYTE
            if np.uint64(other) != seat:
                ties = ONE if size < fewest else ties + np.uint64(size == fewest)
                fewest = min(fewest, size)
        if may_decline and fewest >= (sizes >> (_8 * seat)) & BYTE:
            return sizes
        n = below_n(streams, SEAT + seat, ties)
        while True:
            if partner != seat and (sizes >> (_8 * partner)) & BYTE == fewest:
                if n == ZERO:
                    break
                n -= ONE
            partner += ONE
    state["swaps"] += 1
    state["swapper"] = seat
    return swap_hands(state, seat, partner, sizes)


@jit_part
def settle_joker(record: Any, state: Any, seat: Any, direction: Any, sizes: Any) -> Any:
    """Let a Joker do to the hands what it does. Returns the new sizes."""
    meaning, players = record["joker"], np.uint64(record["players"])
    if meaning == _COLOUR or meaning == _SKIP_ALL:
        return sizes
    if meaning == _ROTATE or meaning == _SWAP_NEXT:
        state["swaps"] += 1
        state["swapper"] = seat
        if meaning == _SWAP_NEXT:
            return swap_hands(state, seat, next_seat(state, seat, NONE, direction), sizes)
        # Each exchange puts one hand where it belongs and carries the first one on.
        for _ in range(players - ONE):
            other = next_seat(state, seat, NONE, direction ^ RIGHT)
            sizes = swap_hands(state, seat, other, sizes)
            seat = other
        return sizes
    return swap(record, state, seat, sizes, meaning == _SWAP)


@jit_small
def choose_colour(record: Any, state: Any, seat: Any) -> Any:
    """Return the colour that a seat chooses."""
    colours = np.uint64(record["colours"])
    if state["styles"][seat] == RANDOM:
        return below_n(state["streams"], np.uint64(SEAT) + seat, colours)
    held = state["held"][seat]
    most, best = ZERO, ZERO
    for colour in range(4):
        most = max(most, (held >> np.uint64(8 * colour)) & BYTE)
    for colour in range(4):
        best |= np.uint64((held >> np.uint64(8 * colour)) & BYTE == most) << np.uint64(colour)
    best &= (ONE << colours) - ONE
    return np.uint64(nth_bit(best, below_n(state["streams"], np.uint64(SEAT) + seat, np.uint64(popcount(best)))))


@jit_part
def play_turns(record: Any, state: Any, looked: Any, first: Any, lying: Any) -> Any:
    """Play a round from its first turn on. Returns the winner, or NO_SEAT after a stalemate, and the sizes of hands."""
    players, max_turns = np.uint64(record["players"]), record["max_turns"]
    streams, once, twice = state["streams"], state["once"], state["twice"]
    further, coloured = state["further"], state["coloured"]
    simple, turning, skipping = state["simple"], state["reverses"], state["skips"]
    reverses, skips = np.int64(0), np.int64(0)
    sizes = (_EVERY_BYTE >> (_8 * (np.uint64(8) - players))) * np.uint64(record["hand_size"])
    seat, direction = np.uint64(first), LEFT
    fitting = state["matching"][lying]
    winner = np.int64(NO_SEAT)
    turns, choices = np.int64(0), np.int64(0)
    while True:
        looked[np.uint64(turns)] = sizes
        turns += 1
        own = once[seat]
        legal = own & fitting
        if legal != ZERO:
            choices += np.int64(legal & (legal - ONE) != ZERO)
            is_random = state["styles"][seat] == RANDOM
            mask = fitting
            if not is_random:
                mask = kept(state, legal, state["held"][seat], fitting)
            second = twice[seat]
            candidates, copies = own & mask, second & mask
            kinds = np.uint64(popcount(candidates))
            n = below_n(streams, np.uint64(SEAT) + seat, kinds + np.uint64(popcount(copies)))
            plane = candidates if n < kinds else copies
            kind = np.uint64(nth_bit(plane, min(n, n - kinds)))
            bit = ONE << kind
            if second & further != ZERO:
                kind = kind if kind < coloured else coloured + ((kind - coloured) & _3)
                bit = ONE << kind
                copies = second & (bit if kind < coloured else bit | bit << _4 | bit << _8)
                if copies != ZERO:
                    highest = (
                        copies
                        if copies & (copies - ONE) == ZERO
                        else (bit << _4 if copies >> (kind + _8) == ZERO else bit << _8)
                    )
                    twice[seat] = second ^ highest
                else:
                    once[seat] = own ^ bit
            else:
                both = second & bit
                twice[seat] = second ^ both
                once[seat] = own ^ bit ^ both
            state["held"][seat] -= state["units"][kind]
            sizes -= ONE << (_8 * seat)
        else:
            kind = take_card(record, state, lying)
            fits = (fitting >> kind) & ONE if kind != NONE else ZERO
            choices += np.int64(fits)
            plays = fits
            if state["styles"][seat] == RANDOM:
                counter = streams[np.uint64(SEAT) + seat]
                streams[np.uint64(SEAT) + seat] = later(counter, fits)
                plays >>= mix(plus_golden(counter)) >> _63
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
        is_last = (sizes >> (_8 * seat)) & BYTE == ZERO
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
            if face == JOKER:
                sizes = settle_joker(record, state, seat, direction, sizes)
            fitting = state["in_force"][choose_colour(record, state, seat)]
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
def lowest_of_four(word: Any, first: Any) -> Any:
    """Return the lowest and the second lowest size of four seats, each with its seat in the lowest four bits."""
    fewest, second = _255 << _4, _255 << _4
    for n in range(4):
        seat = first + np.uint64(n)
        key = ((word >> (_8 * seat)) & BYTE) << _4 | seat
        second = min(second, max(fewest, key))
        fewest = min(fewest, key)
    return fewest, second


@jit_part
def judge_looks(state: Any, looked: Any, leads: Any, players: Any, winner: Any) -> None:
    """Count the changes of the lead, and find whether the winner alone held most at any look."""
    looks = state["turns"] + 1
    several = (looks + 15) & ~15
    absent = ~ZERO << (_8 * np.uint64(players)) if players < 8 else ZERO
    own = _8 * np.uint64(max(winner, 0))
    any_most = ZERO
    for look in range(several):
        word = looked[np.uint64(look)] | absent
        fewest, second = lowest_of_four(word, ZERO)
        if players > 4:
            other, other_second = lowest_of_four(word, _4)
            second = min(max(fewest, other), min(second, other_second))
            fewest = min(fewest, other)
        leads[np.uint64(look)] = ZERO if (fewest ^ second) >> _4 == ZERO else (fewest & np.uint64(15)) + ONE
    changes, leader = np.int64(0), ZERO
    for look in range(looks):
        lead = leads[np.uint64(look)]
        lead = lead if lead != ZERO else leader
        changes += np.int64(lead != leader)
        leader = lead
    # The first leader is no change.
    state["lead_changes"] = changes - np.int64(leader != ZERO)
    if winner != NO_SEAT:
        for look in range(looks):
            word = looked[np.uint64(look)]
            size = (word >> own) & BYTE
            as_many = ZERO
            for seat in range(8):
                as_many += np.uint64((word >> np.uint64(8 * seat)) & BYTE >= size)
            any_most |= np.uint64(as_many == ONE)
        state["held_most"] = np.int64(any_most) << winner


@inlined
def play_round(record: Any, state: Any, looked: Any, leads: Any, key: Any, dealer: Any, tally: Any, counts: Any) -> Any:
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
    first = dealer + 1 if dealer + 1 < players else np.int64(0)
    winner, sizes = play_turns(record, state, looked, first, lying)
    judge_looks(state, looked, leads, players, winner)
    for seat in range(players):
        state["hand_points"][seat] = state["held"][seat] >> POINTS
        state["cards_left"][seat] = (sizes >> (_8 * np.uint64(seat))) & BYTE
    add_round(record, state, winner, dealer, tally, counts)
    return winner


@inlined
def play_match(record: Any, state: Any, looked: Any, leads: Any, seed: Any, game: Any, tally: Any, counts: Any) -> None:
    """Play and add up one match."""
    of_game = game_key(seed, game)
    start(state["streams"], DEAL, key_of_round(of_game, MATCH), FIRST)
    dealer = below(state["streams"], DEAL, record["players"])
    state["points"][:] = 0
    state["marks"][:] = 0
    rounds, first_winner = np.int64(0), np.int64(NO_SEAT)
    while True:
        rounds += 1
        winner = play_round(record, state, looked, leads, key_of_round(of_game, rounds), dealer, tally, counts)
        if rounds == 1:
            first_winner = winner
        dealer = dealer + 1 if dealer + 1 < record["players"] else np.int64(0)
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
    looked = np.empty(record["max_turns"] + 32, np.uint64)
    leads = np.empty(record["max_turns"] + 32, np.uint64)
    fold_plain(record, strategies, scratch[0])
    for n in range(matches):
        if stop[0] != 0:
            return log_module.DONE, n
        game = first + n
        entry = tally[game // block - first // block]
        play_match(record, scratch[0], borrowed(looked), borrowed(leads), seed, game, entry, counts)
    return log_module.DONE, matches
