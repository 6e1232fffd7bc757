"""Prints how strong the bids of Skull King are that were learned or are played out, each among the next weaker one.

Run with ``python -m benchmarks.skull_king_strength``. One seat of four bids one way and all others the other way, in
each seat in turn on the same deals, as in ``shipsim tournament``; mean scores and exact bids are shown as well. All
play `contract`.
"""

from __future__ import annotations

import numpy as np

from simcore import games
from simcore.games.skull_king.rules import Rules
from simcore.record import tally_dtype
from simcore.simulation import Simulation
from simcore.strategies import read_seat
from simcore.tally import Tally
from simcore.tournaments import Pair, make_pair, stand, wins_of

NAME = "skull-king"
SEED = 1
PAIRS = (("calibrated", "count", 100_000), ("rollout/contract:samples=100", "calibrated", 1_000))
"""Who bids at one seat, who at all others, and matches with each seat, as many as take about a minute."""


def means(pair: Pair, tallies: dict[str, Tally]) -> tuple[list[float], list[float]]:
    """Return the mean score and the share of exact bids, of the one seat and of a seat among the others."""
    scores, exact, matches = np.zeros(2), np.zeros(2), 0
    for own, cell in enumerate(pair.cells):
        tally = np.ascontiguousarray(tallies[cell.id].rows).view(tally_dtype(NAME))
        by_seat = tally["score"].sum(axis=(0, 1)) / 2, tally["exact_bid"].sum(axis=(0, 1, 3))
        for found, sums in zip((scores, exact), by_seat, strict=True):
            found += sums[own], sums.sum() - sums[own]
        matches += int(tally["matches"].sum())
    seats = np.array([1, len(pair.cells) - 1]) * matches
    return (scores / seats).tolist(), (exact / seats / len(Rules().rounds)).tolist()


def main() -> None:
    """Play all pairs and print a line for each."""
    game = games.load(NAME)
    print(f"{'one among the others':52}{'wins':>8}{'edge':>11}{'interval':>18}{'scores':>16}{'exact bids':>17}")
    for one, among, matches in PAIRS:
        pair = make_pair(game, Rules(), read_seat(game, one), read_seat(game, among))
        played = Simulation(pair.cells, SEED, matches).run()
        tallies = {update.cell.id: update.tally for update in played if update.is_over}
        found = stand(pair, {cell.id: wins_of(cell, tallies[cell.id]) for cell in pair.cells})
        scores, exact = means(pair, tallies)
        print(
            f"{f'{pair.one.short} among {pair.among.short}':52}{found.wins:8.2%}{100 * found.edge:+8.2f} pp"
            f"{f'[{100 * found.low:.2f}, {100 * found.high:.2f}]':>18}"
            f"{f'{scores[0]:.1f} / {scores[1]:.1f}':>16}{f'{exact[0]:.1%} / {exact[1]:.1%}':>17}",
            flush=True,
        )


if __name__ == "__main__":
    main()
